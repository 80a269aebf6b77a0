"""Answers in words: boards, scores and endings for a person at a terminal."""

from collections.abc import Mapping
from typing import Any

from service.commands.terminal import Paint

Answer = dict[str, Any]
"""An answer of the service, plain data."""


Board = list[str] | list[list[str]]
"""The rows of an answer; with layers a list of rows for each."""


def drawn(board: Board, move: dict[str, int] | None) -> str:
    """The board with a space on each side of a cell and brackets around the move; layers one below the other."""
    layers = [layer for layer in board if not isinstance(layer, str)]
    if not layers:
        return _drawn([row for row in board if isinstance(row, str)], move)
    return "\n".join(
        f"layer {index}\n" + _drawn(rows, move if move is not None and move["layer"] == index else None)
        for index, rows in enumerate(layers)
    )


def _drawn(rows: list[str], move: dict[str, int] | None) -> str:
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
    layers: int = 1,
) -> str:
    """A board with texts in some cells and columns of equal width.

    Args:
        rows: the marks, a string for each row.
        texts: by cell, the text in place of the mark.
        paint: colours the marks and the cells that are lit.
        width: minimum characters of a cell, without the blank or bracket on each side.
        bracketed: the cell to put in brackets.
        lit: cells in the colour of a winning line.
        layers: into how many layers the rows are divided; they stand one below the other.
    """
    columns = len(rows[0])
    width = max(width, *map(len, texts.values())) if texts else width
    lines = []
    for row, marks in enumerate(rows):
        if layers > 1 and row % (len(rows) // layers) == 0:
            lines.append(f"layer {row // (len(rows) // layers)}")
        line = ""
        for column, mark in enumerate(marks):
            cell = row * columns + column
            text = texts.get(cell, mark)
            left, right = "[]" if cell == bracketed else "  "
            # Only the text is coloured: colour codes must not count towards the width.
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
    """The distance to the end in words; a bound is called one."""
    unit = "ply" if value["distance"] == 1 else "plies"
    return f"{'at most ' * value['distance_is_bound']}{value['distance']} {unit}"


def place(cell: dict[str, int]) -> str:
    """A cell in words."""
    layer = f"layer {cell['layer']}, " if "layer" in cell else ""
    return f"{layer}row {cell['row']}, column {cell['column']} (tile {cell['tile']})"


def effort(search: dict[str, Any]) -> str:
    """The cost of a search in words."""
    return (
        f"Searched {search['nodes']:,} nodes to depth {search['depth']} in {search['elapsed_ms']:,.1f} ms,"
        f" stopped by {search['stopped_by']}."
    )
