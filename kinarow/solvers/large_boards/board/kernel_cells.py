# mypy: ignore-errors
"""What a cell of the board holds: its mark, the marks beside it, and its patterns."""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS

# How the quads of both sides lie in one word.
QUAD_BITS = np.uint64(0xFFFF)
HIGH_QUAD = np.uint64(16)
PATTERN_BITS = np.uint64(0x03030303)


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64))
def beside(game, state, cell, direction, steps):
    """Return the mark ``steps`` steps (at most the radius) from the cell, 0 where there is none, -1 beyond the edge."""
    if steps < 0:
        if -steps > types.int64(game.reach[cell, direction, 0]):
            return -1
    elif steps > types.int64(game.reach[cell, direction, 1]):
        return -1
    return types.int64(state.mark[cell + steps * game.step[direction]])


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64, types.int64))
def end_of_run(game, state, cell, side, direction, sign):
    """Return the steps from a cell to the first cell beyond its run, if it has a mark of the side, towards one end."""
    steps = sign
    while beside(game, state, cell, direction, steps) == side + 1 and abs(steps) < game.radius:
        steps += sign
    return steps


@part(types.boolean(GAME, STATE, types.int64))
def playable(game, state, cell):
    """Return True if the cell is a legal move: it is empty and, with gravity, nothing empty lies below it."""
    if state.mark[cell] != 0:
        return False
    below = cell + game.columns
    return game.gravity == 0 or below >= game.cells or state.mark[below] != 0


@inlined
def quad_with(quad, direction, pattern):
    """Return the quad with another pattern in one direction; lower halves come first, so that tables stay in cache."""
    return (quad & ~(0x0303 << (2 * direction))) | ((pattern & 3) | (pattern & 12) << 6) << (2 * direction)


@part("int64(int64, int64)")
def pattern_in(quad, direction):
    """Return the pattern of a quad in one direction."""
    return (quad >> (2 * direction) & 3) | (quad >> (2 * direction + 6) & 12)


@inlined
def quad_of(state, cell, side):
    """Return the quad of a cell for a side; a marked cell keeps those that it had before."""
    return types.int64(state.quads[cell]) >> (16 * side) & 0xFFFF


@inlined
def pattern_of(state, cell, side, direction):
    """Return the direction pattern of a cell; a marked cell keeps those that it had before."""
    return pattern_in(quad_of(state, cell, side), direction)


@part(types.int64(GAME, STATE, types.int64, types.int64))
def points_of(game, state, cell, side):
    """Return the points of the patterns of a cell, that order threats and judge futile moves (``tunables``)."""
    points = types.int64(0)
    for direction in range(DIRECTIONS):
        points += game.pattern_points[pattern_of(state, cell, side, direction)]
    return points


@part(types.boolean(GAME, STATE))
def can_line(game, state):
    """Return True if a line is still possible: an empty cell has a pattern that is not NONE for one of the sides."""
    if state.count[0, 0] + state.count[1, 0] < 2 * state.empty:
        return True
    # Nearly always the first empty cell has one.
    for cell in range(game.cells):
        if state.mark[cell] == 0 and state.quads[cell] != 0:
            return True
    return False
