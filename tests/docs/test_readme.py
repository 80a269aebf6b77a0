"""The games of the README are those of the code."""

import re

import pytest

from kinarow.game.rules import PRESETS
from tests.support.server import REPOSITORY


@pytest.mark.parametrize("page", ["README.md", "docs/rules.md"])
def test_the_games_of_a_page_are_the_presets(page: str) -> None:
    """Name, size and rules of each."""
    text = (REPOSITORY / page).read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) × (\d+) \|[^|]*\| `goal: (\d+)([^`]*)` \|$", text, re.MULTILINE)
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
