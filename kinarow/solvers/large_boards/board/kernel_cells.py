# mypy: ignore-errors
"""Reads a cell of the board: its mark, the marks beside it, and its patterns."""

import numpy as np
from numba import types

from kinarow.kernels.declare import inlined, part
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS

# The quads of a cell in one word: side 0 in the low 16 bits, side 1 above.
QUAD_BITS = np.uint64(0xFFFF)
HIGH_QUAD = np.uint64(16)
PATTERN_BITS = np.uint64(0x03030303)


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64))
def beside(game, state, cell, direction, steps):
    """Return the mark ``steps`` steps from the cell: 0 empty, side + 1, or -1 at the edge or a blocked cell.

    ``steps`` is at most the radius either way.
    """
    if steps < 0:
        if -steps > types.int64(game.reach[cell, direction, 0]):
            return -1
    elif steps > types.int64(game.reach[cell, direction, 1]):
        return -1
    return types.int64(state.mark[cell + steps * game.step[direction]])


@part(types.int64(GAME, STATE, types.int64, types.int64, types.int64, types.int64))
def end_of_run(game, state, cell, side, direction, sign):
    """Return the signed steps to the first cell beyond the run through ``cell``, which counts as the side's mark.

    ``sign`` is the way to look: 1 along the direction, -1 against it.
    """
    steps = sign
    while beside(game, state, cell, direction, steps) == side + 1 and abs(steps) < game.radius:
        steps += sign
    return steps


@part(types.boolean(GAME, STATE, types.int64))
def playable(game, state, cell):
    """Return True if the cell is empty and, with gravity, not above an empty cell."""
    if state.mark[cell] != 0:
        return False
    below = cell + game.columns
    return game.gravity == 0 or below >= game.cells or state.mark[below] != 0


@inlined
def quad_with(quad, direction, pattern):
    """Return the quad with the pattern of one direction replaced.

    The two low bits of all patterns come first: the frequent patterns are below 4, so their quads are close together in
    tables, which keeps them in cache.
    """
    return (quad & ~(0x0303 << (2 * direction))) | ((pattern & 3) | (pattern & 12) << 6) << (2 * direction)


@part("int64(int64, int64)")
def pattern_in(quad, direction):
    """Return the pattern of a quad in one direction."""
    return (quad >> (2 * direction) & 3) | (quad >> (2 * direction + 6) & 12)


@inlined
def quad_of(state, cell, side):
    """Return a cell's quad (its four direction patterns) for a side; a marked cell keeps its last one."""
    return types.int64(state.quads[cell]) >> (16 * side) & 0xFFFF


@inlined
def pattern_of(state, cell, side, direction):
    """Return a cell's pattern for a side in one direction; a marked cell keeps its last one."""
    return pattern_in(quad_of(state, cell, side), direction)


@part(types.int64(GAME, STATE, types.int64, types.int64))
def points_of(game, state, cell, side):
    """Return the hand-set points (``pattern_points``) of a cell's patterns for a side."""
    points = types.int64(0)
    for direction in range(DIRECTIONS):
        points += game.pattern_points[pattern_of(state, cell, side, direction)]
    return points


@part(types.boolean(GAME, STATE))
def can_line(game, state):
    """Return True if either side can still complete a line: some empty cell has a pattern other than NONE."""
    if state.count[0, 0] + state.count[1, 0] < 2 * state.empty:
        return True
    # The first empty cell nearly always has one.
    for cell in range(game.cells):
        if state.mark[cell] == 0 and state.quads[cell] != 0:
            return True
    return False
