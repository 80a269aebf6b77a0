"""Where a side could complete a line with its next mark, and which moves lose at once."""

from service.engine.position import EMPTY, O, Position, Side, X, other

_ONES = {side: bytes.maketrans(bytes([EMPTY, X, O]), b"010" if side == X else b"001") for side in (X, O)}


def marks_of(position: Position, side: Side) -> int:
    """The marks of a side as a mask, bit ``1 << cell``."""
    return int(position.cells.translate(_ONES[side])[::-1], 2)


def completing_cells(position: Position, side: Side) -> tuple[int, ...]:
    """The cells, in tile order, that may be marked now and at which this side would complete a line.

    The side need not be the one to move; the game must be ongoing.
    """
    cells = _completing_mask(position, side)
    return tuple(cell for cell in position.legal_moves() if cells >> cell & 1) if cells else ()


def _completing_mask(position: Position, side: Side) -> int:
    """The empty cells at which the side would complete a line, whether or not they may be marked now."""
    rules, board = position.rules, position.geometry
    own = marks_of(position, side)
    empty = (1 << rules.cells) - 1 & ~own & ~marks_of(position, other(side))
    goal, found = rules.goal, 0
    for step, starts, preceded, followed in board.directions:
        # before[i]: the starts of which the first i cells are own marks.
        before = [starts]
        for i in range(goal - 1):
            before.append(before[-1] & own >> i * step)
        if rules.exact_goal:
            longer = (own << step & preceded) | (own >> goal * step & followed)
        else:
            longer = 0
        after = ~longer  # the starts of which the cells behind the gap are own marks
        for gap in range(goal - 1, -1, -1):
            found |= (before[gap] & after & empty >> gap * step) << gap * step
            after &= own >> gap * step
    return found


def lines_through(position: Position, side: Side, cell: int) -> tuple[int, ...]:
    """The cells, in tile order, of all lines that the side would complete by marking this empty cell."""
    mask = marks_of(position, side) | 1 << cell
    lines = position.geometry.completed(mask, position.rules.exact_goal)
    return tuple(sorted({each for line in lines if cell in line for each in line}))


def winning_moves(position: Position) -> tuple[int, ...]:
    """The moves, in tile order, that win at once; none in misère, where completing a line loses."""
    return () if position.rules.misere else completing_cells(position, position.to_move)


def safe_moves(position: Position) -> tuple[int, ...]:
    """The legal moves, in tile order, that do not lose at once.

    In normal play a move loses at once where the opponent may then complete a line, unless the move
    has itself completed one; in misère where it completes a line.
    """
    completing = set(completing_cells(position, position.to_move))
    legal = position.legal_moves()
    if position.rules.misere:
        return tuple(move for move in legal if move not in completing)
    opponent = other(position.to_move)
    if position.rules.gravity:
        # A mark also opens the cell above it.
        return tuple(
            move
            for move in legal
            if move in completing or not completing_cells(position.play(move), opponent)
        )
    threatened = set(completing_cells(position, opponent))
    return tuple(move for move in legal if move in completing or not threatened - {move})
