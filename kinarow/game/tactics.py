"""Immediate wins and forced replies: cells that complete a line, and moves that do not lose at once."""

from kinarow.game.position import Position
from kinarow.game.rules import OPPONENT, Side

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "marks", "layers"})
"""The rules whose wins and losses are found from bit patterns; under others each move is tried."""


def completing_cells(position: Position, side: Side) -> tuple[int, ...]:
    """Return the playable cells, in tile order, at which a side, to move or not, would complete a line."""
    rules = position.rules
    if not rules.special_names <= RULES_HANDLED:
        turn = Position(rules, position.cells, side)
        return tuple(move for move in turn.legal_moves() if turn.play(move).ending().winning_cells)
    completing = _completing_mask(position, side)
    return _playable(position, completing) if completing else ()


def _playable(position: Position, completing: int) -> tuple[int, ...]:
    """Return the cells of the mask that can be marked now, in tile order."""
    # A line is never forbidden to the side that completes it, though the cell may be to the other.
    where = range(position.rules.cells) if position.rules.renju else position.legal_moves()
    return tuple([cell for cell in where if completing >> cell & 1])


def _completing_mask(position: Position, side: Side) -> int:
    """Return the empty cells, playable or not, at which a side would complete a line, as a mask."""
    rules, own, opposing = position.rules, position.masks[side], position.masks[OPPONENT[side]]
    if rules.wrap != "none":
        completing = 0
        for _, line, flanks in position.geometry.masks:
            missing = line & ~own
            if missing.bit_count() == 1 and not (missing & opposing or (rules.exact_goal and flanks & own)):
                completing |= missing
        return completing
    # All lines of a direction at once. For the side that began a game of Renju a longer run is not a line.
    exactly = rules.exact_goal or (rules.renju and side == position.beginner)
    goal, completing, empty = rules.goal, 0, ~(own | opposing | rules.blocked)
    for step, shifts, starts, preceded, followed in position.geometry.directions:
        spoiled = (own << step & preceded) | (own >> goal * step & followed) if exactly else 0
        if rules.caro:
            spoiled |= (opposing << step & preceded) & (opposing >> goal * step & followed)
        # The starts of the lines whose cells so far are all own marks, and of those with one empty cell so far.
        whole, gapped = starts & ~spoiled, 0
        for shift in shifts:
            marks = own >> shift
            gapped = gapped & marks | whole & empty >> shift
            whole &= marks
        if gapped:
            for shift in shifts:
                completing |= gapped << shift
    return completing & empty


def lines_through(position: Position, side: Side, cell: int) -> tuple[int, ...]:
    """Return the cells, in tile order, of all lines that the side would complete with a mark on this empty cell."""
    mask = position.masks[side] | 1 << cell
    # A longer run is not a line for the side that began a game of Renju, though it is one for the other.
    exactly = position.rules.renju and side == position.beginner
    lines = position.geometry.completed(mask, position.masks[OPPONENT[side]], exactly)
    return tuple(sorted(set().union(*(line for line in lines if cell in line))))


def winning_moves(position: Position) -> tuple[int, ...]:
    """Return the moves, in tile order, that win at once; none in misère."""
    if not position.rules.special_names <= RULES_HANDLED:
        return tuple(move for move in position.legal_moves() if position.play(move).ending().winner == position.to_move)
    return () if position.rules.misere else completing_cells(position, position.to_move)


def safe_moves(position: Position) -> tuple[int, ...]:
    """Return the legal moves, in tile order, after which the opponent cannot win at once."""
    legal = position.legal_moves()
    if not position.rules.special_names <= RULES_HANDLED:
        return tuple(move for move in legal if not _loses_at_once(position.play(move)))
    completing = set(completing_cells(position, position.to_move))
    if position.rules.misere:
        return tuple(move for move in legal if move not in completing)
    opponent = OPPONENT[position.to_move]
    threats = _completing_mask(position, opponent)
    threatened = set(_playable(position, threats)) if threats else set()
    if position.rules.marks == "shared" or (position.rules.caro and threatened):
        # A shared mark serves both sides. Under Caro a mark at the end of a run may spoil it.
        return tuple(
            move for move in legal if move in completing or not completing_cells(position.play(move), opponent)
        )
    opening: set[int] = set()  # the moves above which the opponent could complete a line
    if position.rules.gravity:
        above = {move: position.rules.above(move) for move in legal}
        opening = {move for move, cell in above.items() if cell is not None and threats >> cell & 1}
    if not threatened and not opening:
        return legal
    return tuple(move for move in legal if move in completing or not (threatened - {move} or move in opening))


def _loses_at_once(after: Position) -> bool:
    """Return True if the side that made the last move has lost, or the other side can win at once."""
    ending = after.ending()
    return ending.winner == after.to_move or (ending.state == "ongoing" and bool(winning_moves(after)))
