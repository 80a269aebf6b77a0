"""The README says what the code does: its settings and its games are those of the code."""

import re

from service.engine.rules import PRESETS
from service.settings import PREFIX, Settings
from tests.docs.settings_table import BEGIN, END, settings_table
from tests.support.server import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


def test_the_settings_of_the_readme_are_those_of_the_code() -> None:
    shown = README.partition(BEGIN)[2].partition(END)[0]
    assert shown.strip() == settings_table(Settings, PREFIX).strip(), "run python -m tests.docs.examples"


def test_the_games_of_the_readme_are_the_presets() -> None:
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (\d+) × (\d+) \|[^|]*\| `goal: (\d+)([^`]*)` \|$", README, re.MULTILINE
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
