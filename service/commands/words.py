"""Answers in words: boards, scores and endings as a person reads them in a terminal."""

from collections.abc import Mapping
from typing import Any

from service.commands.terminal import Paint

Answer = dict[str, Any]
"""An answer of the service, plain data."""


def drawn(rows: list[str], move: dict[str, int] | None) -> str:
    """The board with a space around every cell and brackets around the move."""
    lines = []
    for index, row in enumerate(rows):
        cells = [f" {mark} " for mark in row]
        if move is not None and move["row"] == index:
            cells[move["column"]] = f"[{row[move['column']]}]"
        lines.append("".join(cells).rstrip())
    return "\n".join(lines)


def board_of(
    rows: list[str],
    texts: Mapping[int, str],
    paint: Paint,
    *,
    width: int = 1,
    bracketed: int | None = None,
    lit: frozenset[int] = frozenset(),
) -> str:
    """A board with a text in some of its cells, all columns equally wide.

    Args:
        rows: the marks, a string for each row.
        texts: for some cells what stands there in place of the mark.
        paint: colours the marks and the cells that are lit.
        width: the least characters of a cell, besides a blank or bracket on either side.
        bracketed: the cell to put in brackets.
        lit: cells to show in the colour of a line.
    """
    columns = len(rows[0])
    width = max(width, *map(len, texts.values())) if texts else width
    lines = []
    for row, marks in enumerate(rows):
        line = ""
        for column, mark in enumerate(marks):
            cell = row * columns + column
            text = texts.get(cell, mark)
            left, right = "[]" if cell == bracketed else "  "
            # Colour the text alone: the blanks around it must not count as wide.
            lead = " " * (width - len(text))
            shown = paint(text, "line" if cell in lit else mark if cell not in texts else "")
            line += f"{lead}{left}{shown}{right}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def over(answer: Answer) -> str:
    """How a finished game ended."""
    if answer["winner"] is None:
        return "The game is over: a draw."
    return f"The game is over: {answer['winner']} has won."


def worth(answer: Answer) -> str:
    """The score in words."""
    side, score = answer["to_move"], answer["score"]
    if answer["outcome"] == "unknown":
        return f"not decided within the budget, estimate {score:+} for {side} (between -1 and 1)"
    if answer["outcome"] == "draw":
        return "a draw with best play (score 0)"
    verb = "wins" if answer["outcome"] == "win" else "loses"
    return f"{side} {verb} in {plies(answer)} (score {score})"


def plies(value: Answer) -> str:
    """The distance to the end in words, with what is only a bound said to be one."""
    unit = "ply" if value["distance"] == 1 else "plies"
    return f"{'at most ' * value['distance_is_bound']}{value['distance']} {unit}"


def place(cell: dict[str, int]) -> str:
    """A cell in words."""
    return f"row {cell['row']}, column {cell['column']} (tile {cell['tile']})"


def effort(search: dict[str, Any]) -> str:
    """What a search cost."""
    return (
        f"Searched {search['nodes']:,} nodes to depth {search['depth']} in {search['elapsed_ms']:,.1f} ms,"
        f" stopped by {search['stopped_by']}."
    )
