"""The position after several moves, found without a position for each."""

from collections.abc import Sequence

from kinarow.game.notation import NamedMove
from kinarow.game.position import ONGOING, Position
from kinarow.game.rules import EMPTY, OPPONENT

REPLAYED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "layers"})
"""The rules under which a game is replayed without a position for each move."""


def after_named(start: Position, named: Sequence[NamedMove]) -> Position:
    """Return the position after moves that were read; an illegal one is a ``PositionError`` at ``/moves/i``."""
    last = _after_possible(start, named)
    if last is None:
        # Move by move it is seen which one is not possible.
        last = start
        for before, move in start.played(named):
            last = before._with_mark(move)
    return last


def _after_possible(start: Position, named: Sequence[NamedMove]) -> Position | None:
    """Return the position after these moves; None if one is impossible, or a rule is not in ``REPLAYED``."""
    rules = start.rules
    if not named:
        return start
    if not rules.within(REPLAYED) or start._ending is not ONGOING:
        return None
    places = _fallen(start, named) if rules.gravity else _marked(start, named)
    if len(places) < len(named):
        return None
    completed, side, cells = start.geometry.completed, start.to_move, bytearray(start.cells)
    if rules.flanks_count:
        marks = [start.marks(side), start.marks(OPPONENT[side])]
        for place in places[:-1]:
            marks[0] |= 1 << place
            if completed(marks[0], marks[1]):
                return None
            marks.reverse()
    for place in places:
        cells[place] = side
        side = OPPONENT[side]
    last = Position(rules, bytes(cells), side)
    last.__dict__["geometry"] = start.geometry
    if not rules.flanks_count:
        # No later mark undoes a line, so the marks before the last one show whether the game was over.
        mover, waiting = last.masks[OPPONENT[side]], last.masks[side]
        lines = completed(mover)
        if completed(waiting) or (lines and completed(mover ^ 1 << places[-1])):
            return None
        last.__dict__["_ending"] = last._ending_by(lines)
    return last


def _marked(start: Position, named: Sequence[NamedMove]) -> list[int]:
    """Return the cells that moves mark, without those that are not empty then."""
    return list(dict.fromkeys(cell for cell, _ in named if cell is not None and start.cells[cell] == EMPTY))


def _fallen(start: Position, named: Sequence[NamedMove]) -> list[int]:
    """Return the same with gravity, without cells on which the mark does not fall."""
    rules = start.rules
    end = rules.cells if rules.rise > 0 else -1
    left = {cell % rules.stacks: range(cell, end, rules.rise) for cell in start.legal_moves()}
    falls = [iter(left.get(stack, ())) for stack in range(rules.stacks)]
    found = [(cell, next(falls[stack], None)) for cell, stack in named]
    return [place for cell, place in found if place is not None and cell in (None, place)]
