"""Reads a position from the fields of a request; HTTP, the command line and the MCP tools share their names."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kinarow.errors import InputError, NotationError, PositionError
from kinarow.game import boards, notation
from kinarow.game.position import Position, read_board
from kinarow.game.rules import Side, other
from kinarow.game.size import MAX_SIDE

Fields = Mapping[str, Any]  # The fields of a request, each of the right type; any of them may be missing

POSITION_REQUIRED = "board or moves is required; an empty board needs game, or rows, columns and goal"


def read_position(fields: Fields, max_side: int = MAX_SIDE, first_cell: int = notation.TILE) -> Position:
    """The position on a board, after moves from the empty board or from a board, or the empty board of a known size.

    Fields are ``board``, ``moves``, ``first``, ``to_move``, ``composed``, ``rows``, ``columns``, ``layers`` and the
    rule fields; an ``InputError`` names what is impossible. ``max_side`` is the most rows or columns that are accepted,
    1 to 25; ``first_cell`` is the number of the first cell in a list of moves.
    """
    if "moves" not in fields:
        if lacks_position(fields):
            raise NotationError("/board", POSITION_REQUIRED)
        if "first" in fields:
            raise NotationError("/first", "first needs moves; send to_move to say whose move it is on a board")
        return read_board(fields, "to_move", max_side)
    to_move = fields.get("to_move")
    side = None if to_move is None else boards.read_side(to_move)
    if side is not None and fields.get("composed") and "first" not in fields:
        return _composed_after(fields, side, max_side, first_cell)
    position = read_start(fields, max_side).after(fields["moves"], first_cell=first_cell)
    if side not in (None, position.to_move):
        name = notation.side_name(position.to_move)
        raise PositionError("/to_move", f"after the moves {name} is to move; send first to say who makes the first")
    return position


def _composed_after(fields: Fields, to_move: Side, max_side: int, first_cell: int) -> Position:
    """The position after moves on a composed board, of which only the side to move after them is sent."""
    found: list[InputError] = []
    for first in (to_move, other(to_move)):
        try:
            start = read_start({**fields, "first": first}, max_side)
            position = start.after(fields["moves"], first_cell=first_cell)
        except InputError as wrong:
            found.append(wrong)
        else:
            if position.to_move == to_move:
                return position
    raise found[0]


def read_start(fields: Fields, max_side: int = MAX_SIDE) -> Position:
    """The position before the first of ``moves``: that of ``board``, or the empty board, with ``first`` to move."""
    return read_board(fields, "first", max_side)


def lacks_position(fields: Fields) -> bool:
    """Whether neither a board, nor moves, nor the size of an empty board is sent."""
    sent = fields.keys()
    return not (sent & {"board", "moves", "game"} or {"rows", "columns"} <= sent)


def read_allowed(fields: Fields, position: Position, first_cell: int = notation.TILE) -> tuple[int, ...] | None:
    """The moves that ``only`` or ``exclude`` leaves to the side to move, in tile order; None if it leaves all.

    If both are sent, one of them has no moves or an impossible one, or no move is left, that is an ``InputError``.
    """
    if "only" in fields and "exclude" in fields:
        raise NotationError("/exclude", "only one of only and exclude may be sent")
    name = "only" if "only" in fields else "exclude"
    if name not in fields:
        return None
    cells = _read_choice(fields[name], name, position, first_cell)
    if not cells and name == "exclude" and not isinstance(fields[name], str):
        return None
    if not cells:
        raise NotationError(f"/{name}", f"{name} names no move")
    legal = position.legal_moves()
    allowed = tuple(move for move in legal if (move in cells) == (name == "only"))
    if not allowed:
        raise PositionError("/exclude", "exclude leaves no move")
    return None if allowed == legal else allowed


def _read_choice(moves: object, name: str, position: Position, first_cell: int) -> list[int]:
    """The cells that a field names, each a legal move; an error suggests what its numbers mean as columns."""
    try:
        named = notation.read_moves(moves, position.rules, f"/{name}", first_cell)
        return [position.find_move(move, f"/{name}/{index}") for index, move in enumerate(named)]
    except InputError as wrong:
        meant = {}
        for counted, columns in notation.columns_meant(moves, position.rules).items():
            with suppress(PositionError):
                meant[counted] = [position.find_move(move, "") for move in columns]
        raise (notation.suggesting(wrong, name, meant, position.rules) if meant else wrong) from None
