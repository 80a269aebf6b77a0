"""The README is short, and its games are those of the code."""

import re

import pytest

from kinarow.game.rules import PRESETS
from tests.support.server import REPOSITORY

MOST_LINES = 150


def test_the_readme_is_short() -> None:
    """Everything else has a page of its own."""
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", ["README.md", "docs/rules.md"])
def test_the_games_of_a_page_are_the_presets(page: str) -> None:
    """Name, size and rules of each."""
    text = (REPOSITORY / page).read_text("utf-8")
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (\d+) × (\d+) \|[^|]*\| `goal: (\d+)([^`]*)` \|$", text, re.MULTILINE
    )
    shown = {
        name: (
            int(rows),
            int(columns),
            int(goal),
            *(f"{flag}: true" in flags for flag in ("gravity", "misere", "exact_goal")),
        )
        for name, rows, columns, goal, flags in rows
    }
    assert shown == {
        name: (p.rows, p.columns, p.goal, p.gravity, p.misere, p.exact_goal) for name, p in PRESETS.items()
    }
