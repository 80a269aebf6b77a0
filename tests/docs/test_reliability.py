"""The page on reliability holds the table that the fault tests make, whole and with nothing lost that need not be."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
MOST_LOST = 8
"""Clients that are under way when every worker is killed at once."""


@pytest.fixture(scope="module")
def rows():
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    table = page.partition("<!-- faults -->")[2].partition("<!-- /faults -->")[0].strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_every_fault_that_is_gone_through_has_its_line(rows):
    sources = [
        path.read_text("utf-8") for path in (ROOT / "tests" / "system" / "resilience").glob("test_*.py")
    ]
    named = {name for text in sources for name in re.findall(r'faults\.report\(\s*"([^"]+)"', text)}
    assert len(named) > 5
    assert named - {row[0] for row in rows} == set()


def test_only_a_killed_worker_costs_anything(rows):
    assert len(rows) >= 10
    for name, sent, lost, recovery in rows:
        assert int(sent.replace(",", "")) > 0
        assert int(lost) == 0 or (name.startswith("SIGKILL") and int(lost) <= MOST_LOST), name
        assert recovery == "none needed" or recovery.endswith(" s")
