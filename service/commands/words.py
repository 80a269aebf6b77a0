"""Answers in words: boards, distances and the cost of a search for a person at a terminal."""

from collections.abc import Container, Mapping
from typing import Any

from kinarow.game.board_text import board_text
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from service.commands.terminal import Paint

Answer = dict[str, Any]
"""An answer of the service, plain data."""


def drawn(
    position: Position,
    paint: Paint,
    *,
    texts: Mapping[int, str] | None = None,
    bracketed: int | None = None,
    lit: Container[int] = (),
) -> str:
    """A position with its coordinates, in colours."""
    texts, marks = texts or {}, "".join(position.rows)

    def coloured(cell: int, text: str) -> str:
        return paint(text, "line" if cell in lit else marks[cell] if cell not in texts else "")

    shown = [texts.get(cell, mark) for cell, mark in enumerate(marks)]
    return board_text(position.rules, shown, bracketed=bracketed, paint=coloured)


def names(cells: list[dict[str, int]], rules: Rules) -> str:
    """Cells of an answer as moves, with spaces between."""
    return " ".join(write_move(cell["tile"] - 1, rules) for cell in cells)


def plies(value: Answer) -> str:
    """The distance to the end in words; a bound is called one."""
    unit = "ply" if value["distance"] == 1 else "plies"
    return f"{'at most ' * value['distance_is_bound']}{value['distance']} {unit}"


def effort(search: dict[str, Any]) -> str:
    """The cost of a search in words."""
    return (
        f"Searched {search['nodes']:,} nodes to depth {search['depth']} in {search['elapsed_ms']:,.1f} ms,"
        f" stopped by {search['stopped_by']}."
    )
