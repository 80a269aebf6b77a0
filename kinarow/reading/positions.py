"""Reads positions from the fields of a request, which have the same names in HTTP, command line, library and MCP."""

from collections.abc import Mapping
from typing import Any

from kinarow.errors import InputError, NotationError, PositionError
from kinarow.game import notation
from kinarow.game.judging import check_composed
from kinarow.game.position import Position, empty_board
from kinarow.game.rules import PRESETS, Rules, Side, Size, X, other
from kinarow.game.size import MAX_SIDE
from kinarow.reading import moves
from kinarow.reading.boards import read_grid, read_side
from kinarow.reading.boards import without_arrays as without_arrays
from kinarow.reading.names import game_name
from kinarow.reading.rules import new_board_size, preset_size, read_rules

Fields = Mapping[str, Any]  # The fields of a request, each of the right type; any of them may be missing

POSITION_REQUIRED = "board or moves is required; an empty board needs game, or rows, columns and goal"


def read_position(fields: Fields, max_side: int = MAX_SIDE, first_cell: int = notation.TILE) -> Position:
    """Return the position on a board, after moves, or on the empty board; an ``InputError`` says what is impossible.

    Fields are ``board``, ``moves``, ``first``, ``to_move``, ``composed``, ``rows``, ``columns``, ``layers`` and the
    rule fields. ``max_side`` is the most rows or columns, 1 to 25; ``first_cell`` the number of the first cell in a
    list of moves.
    """
    if "moves" not in fields:
        if lacks_position(fields):
            raise NotationError("/board", POSITION_REQUIRED)
        if "first" in fields:
            raise NotationError("/first", "first needs moves; send to_move to say whose move it is on a board")
        return read_board(fields, "to_move", max_side)
    to_move = fields.get("to_move")
    side = None if to_move is None else read_side(to_move)
    if side is not None and fields.get("composed") and "first" not in fields:
        return _composed_after(fields, side, max_side, first_cell)
    position = moves.after(read_start(fields, max_side), fields["moves"], first_cell)
    if side not in (None, position.to_move):
        name = notation.side_name(position.to_move)
        raise PositionError("/to_move", f"after the moves {name} is to move; send as first who makes the first move")
    return position


def _composed_after(fields: Fields, to_move: Side, max_side: int, first_cell: int) -> Position:
    """Return the position after moves on a composed board, if only the side to move after the moves is sent."""
    found: list[InputError] = []
    for first in (to_move, other(to_move)):
        try:
            start = read_start({**fields, "first": first}, max_side)
            position = moves.after(start, fields["moves"], first_cell)
        except InputError as wrong:
            found.append(wrong)
        else:
            if position.to_move == to_move:
                return position
    raise found[0]


def read_start(fields: Fields, max_side: int = MAX_SIDE) -> Position:
    """Return the position before the first of ``moves``: ``board`` or the empty board, with ``first`` to move."""
    return read_board(fields, "first", max_side)


def read_board(fields: Fields, side_field: str = "to_move", max_side: int = MAX_SIDE) -> Position:
    """Return the position on ``board``, or on the empty board; ``side_field`` names the side to move."""
    get, pointer = fields.get, f"/{side_field}"
    side = None if get(side_field) is None else read_side(fields[side_field], pointer)
    composed = bool(get("composed"))
    if get("game") is not None:
        fields = fields if fields["game"] in PRESETS else {**fields, "game": game_name(fields["game"])}
    if "board" not in fields:
        size = new_board_size(fields.get("game"), get("rows"), get("columns"), max_side, get("layers"))
        rules = read_rules(fields, size)
        if composed:
            check_composed(rules, side, pointer)
        return empty_board(rules, side or X)
    usual = preset_size(fields.get("game"))
    said = {name: get(name) for name in ("rows", "columns", "layers")}
    grid = read_grid(fields["board"], **said, usual_size=usual, max_side=max_side)
    rules = read_rules(fields, Size(grid.rows, grid.columns, grid.layers))
    try:
        return Position.from_cells(rules, grid.cells, side, pointer, composed=composed)
    except PositionError as wrong:
        where, detail = wrong.problems[0]
        raise PositionError(grid.pointer_to(where), detail + _upside_down(rules, grid.cells)) from None


def _upside_down(rules: Rules, cells: bytes) -> str:
    """Return a hint for the error if the board would be legal upside down; else an empty text."""
    if not rules.gravity:
        return ""
    step = abs(rules.rise)
    turned = b"".join(reversed([cells[at : at + step] for at in range(0, len(cells), step)]))
    try:
        Position.from_cells(rules, turned)
    except PositionError:
        return ""
    first = "the top row" if rules.layers == 1 else "the bottom layer"
    return f"; upside down the board is legal: send {first} first"


def lacks_position(fields: Fields) -> bool:
    """Return True if neither a board, nor moves, nor the size of an empty board is sent."""
    sent = fields.keys()
    return not (sent & {"board", "moves", "game"} or {"rows", "columns"} <= sent)


def read_allowed(fields: Fields, position: Position, first_cell: int = notation.TILE) -> tuple[int, ...] | None:
    """Return the moves that ``only`` or ``exclude`` allows, in tile order; None if all legal moves are allowed.

    Raise an ``InputError`` if both are sent, a move is impossible, or no move is left.
    """
    if "only" in fields and "exclude" in fields:
        raise NotationError("/exclude", "send either only or exclude")
    name = "only" if "only" in fields else "exclude"
    if name not in fields:
        return None
    cells = _read_choice(fields[name], name, position, first_cell)
    if not cells and name == "exclude" and not isinstance(fields[name], str):
        return None
    if not cells:
        raise NotationError(f"/{name}", f"{name} is empty; name at least one move")
    legal = position.legal_moves()
    allowed = tuple(move for move in legal if (move in cells) == (name == "only"))
    if not allowed:
        raise PositionError("/exclude", "exclude names every legal move; leave one")
    return None if allowed == legal else allowed


def _read_choice(sent: object, name: str, position: Position, first_cell: int) -> list[int]:
    """Return the legal moves that a field names; an error suggests the columns that its numbers may mean."""

    def legal(named: list[notation.NamedMove]) -> list[int]:
        return [position.find_move(move, f"/{name}/{index}") for index, move in enumerate(named)]

    try:
        return legal(moves.read_moves(sent, position.rules, f"/{name}", first_cell))
    except InputError as wrong:
        raise moves.suggesting_columns(wrong, name, sent, position.rules, legal) from None
