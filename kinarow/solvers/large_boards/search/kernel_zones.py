# mypy: ignore-errors
"""Relevance zones (Thomsen, Lambda-search, 2000): the cells where a defence can refute a sequence of threats.

Let the marks and answers of the sequence be a1, d1, a2, d2, ...; then a defence m can refute it only in

    Z = {a_i} + {d_i} + {cells that complete a line at the end}
        + {cells where the defender would make a four or better, at any moment of the sequence}

because the lines of the a_i have no other empty cells, and m helps the defender only in a line that then lacks one
more mark. So a win found against every m in Z is proven. It must be a board without gravity, where no cell depends on
another. Under Caro a mark beside a run may spoil it, so Z also has the cells beside the runs. In Renju a four also wins
if its only answer is forbidden; nearly every mark may change that, so Z is then the whole board.
"""

import numpy as np
from numba import types

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import beside, end_of_run, pattern_of
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import BIT_MASK, DIRECTIONS, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import (
    DOUBLE_THREE_CELL,
    FIVE,
    FIVE_CELL,
    FORBIDDEN_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    OPEN_FOUR_CELL,
)


@part(types.void(GAME, STATE, types.int64, types.int64))
def add_fours_to_zone(game, state, side, ply):
    """Add the cells where the side would make a four or better to the relevance zone of this ply."""
    for word in range(game.words):
        bits = state.mask[side, FOUR_CELL, word] | state.mask[side, FOUR_THREE_CELL, word]
        bits |= state.mask[side, OPEN_FOUR_CELL, word] | state.mask[side, FIVE_CELL, word]
        if side == game.beginner:
            bits |= state.mask[side, FORBIDDEN_CELL, word] | state.mask[side, DOUBLE_THREE_CELL, word]
        state.zone[ply, word] |= bits


@part(types.void(STATE, types.int64, types.int64))
def add_cell_to_zone(state, cell, ply):
    """Add one cell to the relevance zone of this ply."""
    state.zone[ply, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)


@part(types.void(GAME, STATE, types.int64, types.int64))
def add_runs_to_zone(game, state, side, ply):
    """Under Caro, add the cells that complete a line for the side, and those beside its runs, to this ply's zone."""
    if game.caro == 0:
        return
    for word in range(game.words):
        bits = state.mask[side, FIVE_CELL, word]
        state.zone[ply, word] |= bits
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            for direction in range(DIRECTIONS):
                if pattern_of(state, cell, side, direction) != FIVE:
                    continue
                for sign in (-1, 1):
                    steps = end_of_run(game, state, cell, side, direction, sign)
                    if beside(game, state, cell, direction, steps) == 0:
                        add_cell_to_zone(state, cell + steps * game.step[direction], ply)


@part(types.void(GAME, STATE, types.int64, types.int64, types.int64))
def fill_zone(game, state, side, plies, ply):
    """Set ``state.zone[ply]`` to the relevance zone of the VCF in ``state.vcf_line``.

    Args:
        side: the attacker, to move.
        plies: the result of ``vcf`` for that side at level 0 (odd, 1 or more).
    """
    other = 1 - side
    for word in range(game.words):
        state.zone[ply, word] = ZERO
    add_runs_to_zone(game, state, side, ply)
    # 1. Play the line up to the mark that makes an open four; the line ends with it.
    moves = max(plies - 2, 1)
    for i in range(moves):
        add_fours_to_zone(game, state, other, ply)
        cell = types.int64(state.vcf_line[i])
        add_cell_to_zone(state, cell, ply)
        if plies > 1:
            put(game, state, cell, side if i & 1 == 0 else other)
            if i & 1 == 0:
                add_runs_to_zone(game, state, side, ply)
    # 2. Add every cell that then completes a line, or all cells if the answer must be a forbidden one.
    add_fours_to_zone(game, state, other, ply)
    if plies > 1:
        needs_forbidden = game.beginner == other and state.count[side, FIVE_CELL] == 1
        for word in range(game.words):
            state.zone[ply, word] |= ~ZERO if needs_forbidden else state.mask[side, FIVE_CELL, word]
        for i in range(moves - 1, -1, -1):
            take_back(game, state, types.int64(state.vcf_line[i]))


@part(types.void(GAME, STATE, types.int64))
def take_next_zone(game, state, ply):
    """Copy the relevance zone of the next ply to this one."""
    for word in range(game.words):
        state.zone[ply, word] = state.zone[ply + 1, word]


@part(types.void(GAME, STATE, types.int64))
def join_next_zone(game, state, ply):
    """Add the relevance zone of the next ply to that of this one."""
    for word in range(game.words):
        state.zone[ply, word] |= state.zone[ply + 1, word]
