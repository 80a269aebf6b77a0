# mypy: ignore-errors
"""The lines of a Maker-Breaker game: making a mark, scores of cells, and table keys."""

import numba
from numba import int64, uint64, void

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index, popcount
from kinarow.solvers.common.kernel_proof_table import make_key
from kinarow.solvers.maker_breaker.layout import GAME_DTYPE, OFF_SYMMETRY, STATE_DTYPE

# Symmetric positions share a table entry for the first plies; later the images cost more than they save.
SYMMETRY_PLIES = 8

_ORDER_UNIT = 1 << 30

GAME = numba.from_dtype(GAME_DTYPE)
STATE = numba.from_dtype(STATE_DTYPE)


@part(void(STATE, int64, uint64, int64))
def play(state, ply, move, maker):
    """Write the lines of ``ply + 1``: those of ``ply`` after a mark of the maker (1) or the breaker (0)."""
    count = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        if maker == 0 and (left & move) != ZERO:
            continue
        state.left[ply + 1, count] = left & ~move
        state.index[ply + 1, count] = state.index[ply, i]
        count += 1
    state.count[ply + 1] = count


@part(uint64(GAME, STATE, int64, int64))
def score_cells(game, state, ply, maker_to_move):
    """Write each cell's ordering score to ``weight[ply]``, by the short lines through it; return the cells on lines."""
    cells = ZERO
    for cell in range(game.cells):
        state.weight[ply, cell] = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        weight = _ORDER_UNIT >> (int64(popcount(left)) << maker_to_move)
        while left != ZERO:
            state.weight[ply, lowest_index(left)] += weight
            left &= left - ONE
    return cells


@part(void(GAME, STATE, int64, int64))
def lines_key(game, state, ply, maker_to_move):
    """Set ``state.key`` and ``state.symmetry`` to the canonical table key of a ply's lines and the symmetry to it.

    The two words are the empty cells on the lines and the maker's marks on them. They determine which of the root's
    lines are left: a deleted line has a cell in neither word, or contains all cells of a line that is left. (A board
    of 64 empty cells has an ambiguous key, but is always the root.)
    """
    empty = ZERO
    marks = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        empty |= left
        marks |= game.line[state.index[ply, i]] & ~left
    shared = ply <= SYMMETRY_PLIES and (game.off & OFF_SYMMETRY) == 0
    state.symmetry, state.key[0], state.key[1] = make_key(game.images, empty, marks, maker_to_move, shared)
