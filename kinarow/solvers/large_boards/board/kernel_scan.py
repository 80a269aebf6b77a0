# mypy: ignore-errors
"""Direction patterns scanned from the marks, for games without a pattern table; exact from FOUR upwards.

A span is ``goal`` cells in a row, named by the steps from the cell to its ``start``. It includes the cell, whose mark
is about to be put, and has no mark of the other side. ``own`` is the side's mark.
"""

from numba import types

from kinarow.kernels.declare import part
from kinarow.solvers.large_boards.board.kernel_cells import beside
from kinarow.solvers.large_boards.board.kernel_patterns import pattern_of_missing
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.patterns import NONE


@part(types.UniTuple(types.int64, 2)(GAME, STATE, types.int64, types.int64, types.int64))
def _missing_in_span(game, state, cell, direction, start):
    """Return how many other cells of a span are empty, and the steps to the last of them."""
    missing = 0
    hole = 0
    for steps in range(start, start + game.goal):
        if steps != 0 and state.mark[cell + steps * game.step[direction]] == 0:
            missing += 1
            hole = steps
    return missing, hole


@part(types.boolean(GAME, STATE, *(types.int64,) * 6))
def _span_survives(game, state, cell, own, direction, start, hole, answer):
    """Return True if filling the span's one ``hole`` still makes a line after an ``answer`` (Caro).

    ``start``, ``hole`` and ``answer`` are steps from the cell.
    """
    if answer == hole:
        return False
    before = beside(game, state, cell, direction, start - 1)
    after = beside(game, state, cell, direction, start + game.goal)
    closed_before = before == 3 - own or answer == start - 1
    closed_after = after == 3 - own or answer == start + game.goal
    return not (closed_before and closed_after)


@part(types.boolean(GAME, STATE, types.int64, types.int64, types.int64, types.int64))
def _is_spoiled(game, state, cell, own, direction, start):
    """Return True if the marks beside a span keep it from being a line (exact goal, Caro)."""
    if game.exact_goal == 0 and game.caro == 0:
        return False
    before = beside(game, state, cell, direction, start - 1)
    after = beside(game, state, cell, direction, start + game.goal)
    if game.exact_goal != 0 and (before == own or after == own):
        return True
    return game.caro != 0 and before == 3 - own and after == 3 - own


@part(types.boolean(GAME, STATE, *(types.int64,) * 5))
def _is_unstoppable(game, state, cell, own, direction, low, high):
    """Return True if no single answer stops every line through the cell (Caro); ``low``, ``high``: ``_free_steps``."""
    goal = game.goal
    for answer in range(-low - 1, high + 2):
        if answer == 0 or beside(game, state, cell, direction, answer) != 0:
            continue
        stopped = True
        for start in range(-low, high - goal + 2):
            if _is_spoiled(game, state, cell, own, direction, start):
                continue
            missing, hole = _missing_in_span(game, state, cell, direction, start)
            if missing == 1 and _span_survives(game, state, cell, own, direction, start, hole, answer):
                stopped = False
                break
        if stopped:
            return False
    return True


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64, types.int64))
def _free_steps(game, state, cell, own, direction, end):
    """Count the cells from the cell towards one end up to a mark of the other side; at most goal - 1."""
    step = game.step[direction] if end == 1 else -game.step[direction]
    most = min(types.int64(game.reach[cell, direction, end]), game.goal - 1)
    free = 0
    while free < most:
        mark = state.mark[cell + (free + 1) * step]
        if mark != 0 and mark != own:
            break
        free += 1
    return free


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64))
def scan_pattern(game, state, cell, side, direction):
    """Return the direction pattern of a cell; below FOUR it counts as open if several spans lack equally few marks."""
    goal = game.goal
    own = side + 1
    low = _free_steps(game, state, cell, own, direction, 0)
    high = _free_steps(game, state, cell, own, direction, 1)
    fewest = goal + 1
    ways = 0
    first_hole = 0
    for start in range(-low, high - goal + 2):
        if _is_spoiled(game, state, cell, own, direction, start):
            continue
        missing, hole = _missing_in_span(game, state, cell, direction, start)
        if missing < fewest:
            fewest = missing
            ways = 1
            first_hole = hole
        elif missing == fewest and (missing != 1 or hole != first_hole):
            ways += 1
    if fewest > goal:
        return NONE
    if game.caro != 0 and fewest == 1:
        return pattern_of_missing(fewest, _is_unstoppable(game, state, cell, own, direction, low, high))
    return pattern_of_missing(fewest, ways >= 2)
