"""Boards that no game reaches: floating marks, lines that no last move completes."""

from kinarow.errors import PositionError
from kinarow.game import notation
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules, Side, X


def beginner_of(xs: int, os: int, to_move: Side | None) -> Side | None:
    """Return the side that began, None where that depends on a side to move that is not known."""
    return to_move if xs == os else X if xs > os else O


def check_composed(rules: Rules, to_move: Side | None, side_pointer: str) -> None:
    """Refuse a composed position of Renju, and one without a side to move."""
    if rules.renju:
        raise PositionError("/composed", "not with renju, where the numbers of marks say who began")
    if to_move is None:
        raise PositionError(side_pointer, f"a composed position needs {side_pointer[1:]}: the counts do not say it")


def check_fallen(rules: Rules, cells: bytes) -> None:
    """Refuse a mark with an empty cell under it, and a blocked cell on anything but the floor or a blocked cell."""
    cell = _floating(rules, cells)
    if cell is None:
        return
    name = notation.name_cell(cell, rules)
    why = f"the mark at {name} has an empty cell under it"
    if cells[cell] == BLOCKED:
        why = f"with gravity the blocked cell at {name} must rest on the floor or on another"
    raise PositionError("/board/{}/{}".format(*divmod(cell, rules.columns)), why)


def _floating(rules: Rules, cells: bytes) -> int | None:
    """Return the first cell whose mark does not rest on another, or whose block rests on none; None if all do."""
    for cell, mark in enumerate(cells):
        under = cell - rules.rise
        below = cells[under] if 0 <= under < len(cells) else BLOCKED
        if mark != EMPTY and (below != BLOCKED if mark == BLOCKED else below == EMPTY):
            return cell
    return None


def has_last_move(rules: Rules, cells: bytes, lines: list[tuple[int, ...]]) -> bool:
    """Return True if one mark, under gravity the topmost of its stack, is part of all these lines."""
    common = set(lines[0]).intersection(*lines[1:])
    if not rules.gravity:
        return bool(common)
    above = [rules.above(cell) for cell in common]
    return any(over is None or cells[over] == EMPTY for over in above)
