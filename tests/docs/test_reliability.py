"""The page on reliability holds the tables of the fault tests and of the storm; nothing is lost that need not be."""

import re
from pathlib import Path

import pytest

from loadtests.storm import KILLS_FOR_A_CUT

ROOT = Path(__file__).parent.parent.parent
MOST_LOST = 8
"""Clients that are under way when every worker is killed at once."""


def table(name):
    """The cells of the table between two comments of this name."""
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    lines = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0].strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.fixture(scope="module")
def rows():
    return table("faults")


def test_every_fault_that_is_gone_through_has_its_line(rows):
    sources = [path.read_text("utf-8") for path in (ROOT / "tests" / "system" / "resilience").glob("test_*.py")]
    named = {name for text in sources for name in re.findall(r'faults\.report\(\s*"([^"]+)"', text)}
    assert len(named) > 4
    assert named - {row[0] for row in rows} == set()


def test_only_a_killed_worker_costs_anything(rows):
    assert len(rows) >= 10
    for name, sent, lost, recovery in rows:
        assert int(sent.replace(",", "")) > 0
        assert int(lost) == 0 or (name.startswith("SIGKILL") and int(lost) <= MOST_LOST), name
        assert recovery == "none needed" or recovery.endswith(" s")


def test_a_storm_costs_at_most_a_cut_answer_in_a_hundred_kills():
    figures = dict(table("storm"))
    count = {name: int(value.replace(",", "")) for name, value in figures.items() if value[-1].isdigit()}
    assert count["requests answered rightly"] > 10_000
    assert count["answered 502 or another error, or wrongly, or not at all"] == 0
    assert count["answers cut short"] <= max(1, count["worker killed"] // KILLS_FOR_A_CUT)
