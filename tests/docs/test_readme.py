"""The games of the README are those of the code."""

import json
import re

import pytest

from kinarow.game.rules import PRESETS, Rules
from tests.support.server import REPOSITORY


@pytest.mark.parametrize("page", ["README.md", "docs/rules.md"])
def test_the_games_of_a_page_are_the_presets(page: str) -> None:
    """Name, size and rules of each."""
    text = (REPOSITORY / page).read_text("utf-8")
    shown = {}
    lines = re.findall(r"^\| `([a-z-]+)` \| (\d+) × (\d+) \|[^|]*\| `([a-z_]+: [^`]*)` \|$", text, re.MULTILINE)
    for name, rows, columns, fields in lines:
        rules = json.loads("{" + re.sub(r"(\w+):", r'"\1":', fields) + "}")
        shown[name] = Rules(int(rows), int(columns), **rules)
    assert shown == PRESETS
