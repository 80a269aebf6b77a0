"""A recorded game, move by move: reads the moves in any of their notations and replays them."""

from collections.abc import Sequence
from typing import NamedTuple

from service.engine.errors import NotationError, PositionError, quoted
from service.engine.position import NAMES, Position, Side
from service.engine.rules import Rules

_FORMS = "a tile, [row, column], or an object with row and column"
_FORMS_UNDER_GRAVITY = f"{_FORMS} or with column alone"


class Ply(NamedTuple):
    """One move of a game: the position before it, and the cell that was marked."""

    position: Position
    move: int


def replay(rules: Rules, first: Side, moves: Sequence[object]) -> tuple[list[Ply], Position]:
    """Replay a game from the empty board.

    Args:
        rules: the game.
        first: the side that begins.
        moves: each a tile (1 to the number of cells), ``[row, column]``, ``{"row": r, "column": c}``
            with or without the ``tile`` it is, or under gravity ``{"column": c}``.

    Returns:
        The moves with the positions before them, and the position after the last.

    Raises:
        NotationError: an entry is no move on this board; the pointer is ``/moves/i``.
        PositionError: a move is not possible where it stands, or comes after the end of the game.
    """
    position = Position(rules, bytes(rules.cells), first)
    plies = []
    for index, written in enumerate(moves):
        move = read_move(written, position, f"/moves/{index}")
        plies.append(Ply(position, move))
        position = position.play(move)
    return plies, position


def read_move(written: object, position: Position, pointer: str) -> int:
    """The legal cell that an entry names.

    Args:
        written: in any of the forms of ``replay``.
        position: where the move is to be made.
        pointer: what an error names.

    Raises:
        NotationError: it is no move on this board.
        PositionError: the move is not possible here, or the game is over.
    """
    ending = position.ending()
    if ending.state != "ongoing":
        how = "drawn" if ending.winner is None else f"won by {NAMES[ending.winner]}"
        raise PositionError(pointer, f"the game was over before this move: {how}")
    move = _named_cell(written, position, pointer)
    if move not in position.legal_moves():
        raise PositionError(pointer, _why_impossible(position, move))
    return move


def _why_impossible(position: Position, move: int) -> str:
    row, column = divmod(move, position.rules.columns)
    taken = position.cells[move]
    if taken == 0:
        return f"row {row}, column {column} cannot be marked yet: the cell under it is empty"
    return f"row {row}, column {column} is taken by {'X' if taken == 1 else 'O'}"


def _named_cell(written: object, position: Position, pointer: str) -> int:
    """The cell that an entry names, legal or not."""
    rules = position.rules
    if _is_integer(written):
        return _in_range(written, 1, rules.cells, "tile", pointer) - 1
    if isinstance(written, list | tuple) and len(written) == 2:
        return _cell(written[0], written[1], rules, pointer)
    if isinstance(written, dict):
        if written.keys() == {"column"} and rules.gravity:
            return _fallen(
                _in_range(written["column"], 0, rules.columns - 1, "column", pointer), position, pointer
            )
        if written.keys() - {"tile"} == {"row", "column"}:
            cell = _cell(written["row"], written["column"], rules, pointer)
            if "tile" in written and (written["tile"] != cell + 1 or not _is_integer(written["tile"])):
                raise NotationError(
                    pointer, f"tile {quoted(written['tile'])} is another cell than row and column say"
                )
            return cell
    forms = _FORMS_UNDER_GRAVITY if rules.gravity else _FORMS
    raise NotationError(pointer, f"a move is {forms}, not {quoted(written)}")


def _fallen(column: int, position: Position, pointer: str) -> int:
    """The lowest empty cell of a column."""
    for cell in position.legal_moves():
        if cell % position.rules.columns == column:
            return cell
    raise PositionError(pointer, f"column {column} is full")


def _cell(row: object, column: object, rules: Rules, pointer: str) -> int:
    return (
        _in_range(row, 0, rules.rows - 1, "row", pointer) * rules.columns
        + _in_range(column, 0, rules.columns - 1, "column", pointer)
    )  # fmt: skip


def _in_range(value: object, low: int, high: int, name: str, pointer: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise NotationError(pointer, f"{name} is a whole number from {low} to {high}, not {quoted(value)}")
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
