"""The README says what the code does: its settings and its games are those of the code."""

import re
import tomllib

from service.engine.rules import PRESETS
from service.settings import PREFIX, Settings
from tests.docs.settings_table import BEGIN, END, settings_table
from tests.support.server import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


def source_map() -> list[str]:
    """The files and folders of the README's source map, in its order; a folder is said once a row."""
    cells = re.findall(r"^\| (`service/[^|]*) \|", README, re.MULTILINE)
    rows = [re.findall(r"`([^`]+)`", cell) for cell in cells]
    folders = [re.fullmatch(r"(.*?)[^/]+/?", row[0]) for row in rows]
    return [
        name if name.startswith("service/") else folder[1] + name
        for row, folder in zip(rows, folders, strict=True) if folder
        for name in row
    ]  # fmt: skip


def floors(contract: str, folder: str) -> list[set[str]]:
    """The rooms of a folder, floor by floor from the lowest, as import-linter checks them."""
    tool = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]
    layers = next(each["layers"] for each in tool["importlinter"]["contracts"] if each["id"] == contract)
    return [{folder + name.strip(" ()") for name in layer.split("|")} for layer in reversed(layers)]


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


def test_the_source_map_names_every_room_lowest_floor_first() -> None:
    shown = [path.rstrip("/").removesuffix(".py") for path in source_map()]
    assert [path for path in source_map() if not (REPOSITORY / path).exists()] == []
    for contract, folder in (("floors", "service/"), ("engine-floors", "service/engine/")):
        ranks = {room: rank for rank, rooms in enumerate(floors(contract, folder)) for room in rooms}
        assert set(ranks) - set(shown) - {"service/engine"} == set()
        order = [ranks[path] for path in shown if path in ranks]
        assert order == sorted(order)
