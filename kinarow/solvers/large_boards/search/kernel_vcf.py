# mypy: ignore-errors
"""Victory by continuous fours (VCF; Allis, van den Herik and Huntjens, Go-Moku and threat-space search, 1993).

Each attack threatens to complete a line on one cell, so the answer is forced, until an attack threatens two. Works
under every rule but misère; with gravity only playable cells count. A win found may not be the shortest.
"""

from numba import types

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.large_boards.board.kernel_answers import count_answers, count_winning_cells, first_of
from kinarow.solvers.large_boards.board.kernel_cells import playable
from kinarow.solvers.large_boards.board.kernel_fours import list_fours
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.kernel_renju import has_room_against
from kinarow.solvers.large_boards.board.layout import MAX_FOURS, MAX_VCF, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, FOUR_CELL, OPEN_FOUR_CELL

_UNDECIDED = -1
_NO_CELL = -1


@part(types.int64(GAME, STATE, types.int64))
def _attacking_answer(game, state, side):
    """Return an answer to the other side's four that makes a four itself, or -1 (Caro)."""
    for i in range(count_answers(game, state, 1 - side)):
        cell = types.int64(state.answer[i])
        if state.cell_pattern[cell, side] >= FOUR_CELL:
            return cell
    return _NO_CELL


@inlined
def _vcf_without_search(game, state, side, level):
    """Return the plies of an immediate win, 0 if no VCF is possible, or ``_UNDECIDED``.

    Set ``state.vcf_block`` to the cell where the side must block a four, or -1.
    """
    other = 1 - side
    state.vcf_block = _NO_CELL
    # 1. Complete a line.
    cell = first_of(game, state, side, FIVE_CELL)
    if cell >= 0:
        state.vcf_line[level] = cell
        return 1
    # 2. Block the other side's four; the block must itself make a four.
    threatened = count_winning_cells(game, state, other)
    if game.caro != 0 and threatened > 0:
        state.vcf_block = _attacking_answer(game, state, side)
        return _UNDECIDED if state.vcf_block >= 0 else 0
    if threatened >= 2:
        return 0
    if threatened == 1:
        block = first_of(game, state, other, FIVE_CELL)
        state.vcf_block = block
        can_attack = game.gravity != 0 or state.cell_pattern[block, side] >= FOUR_CELL
        return _UNDECIDED if can_attack else 0
    # 3. Make an open four.
    if game.gravity == 0 and state.count[side, OPEN_FOUR_CELL] > 0 and has_room_against(game, state, side):
        state.vcf_line[level] = first_of(game, state, side, OPEN_FOUR_CELL)
        return 3
    return _UNDECIDED


@inlined
def _list_attacks_by_four(game, state, side, block, level):
    """List the moves to try in ``state.fours[level]``: the block alone, all fours, or with gravity all moves."""
    count = types.int64(0)
    if block >= 0:
        state.fours[level, 0] = block
        count = types.int64(1)
    elif game.gravity != 0:
        for word in range(game.words):
            bits = state.open_mask[word]
            while bits != ZERO:
                cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                if playable(game, state, cell):
                    state.fours[level, count] = cell
                    count += 1
    else:
        count = list_fours(game, state, side)
        for i in range(count):
            state.fours[level, i] = state.four_cell[i]
        if count == MAX_FOURS:
            state.cut_count += 1
    return count


@inlined
def _may_visit_vcf(state, budget):
    """Count a node of the VCF; return False if its node limit or the budget is used up."""
    if state.vcf_nodes <= 0:
        state.cut_count += 1
        return False
    if not may_visit(budget):
        return False
    state.vcf_nodes -= 1
    return True


@inlined
def _vcf_after(game, state, budget, side, cell, pairs, level):
    """Return the plies to a win by continuous fours that begins with ``cell``, or 0."""
    other = 1 - side
    plies = 0
    put(game, state, cell, side)
    if count_winning_cells(game, state, other) == 0:
        completing = count_winning_cells(game, state, side)
        answer = types.int64(_NO_CELL)
        if completing > 0 and (game.caro != 0 or game.beginner == other):
            # A four with two answers (Caro) is left to VCT.
            answers = count_answers(game, state, side)
            completing = 2 if answers == 0 else (1 if answers == 1 else 0)
            answer = types.int64(state.answer[0])
        if completing >= 2:
            plies = 3 if has_room_against(game, state, side) else 0
        elif completing == 1 and pairs > 0:
            if answer < 0:
                answer = first_of(game, state, side, FIVE_CELL)
            put(game, state, answer, other)
            rest = vcf(game, state, budget, side, pairs - 1, level + 2)
            if rest > 0:
                plies = rest + 2
                state.vcf_line[level + 1] = answer
            take_back(game, state, answer)
    take_back(game, state, cell)
    return plies


@entry(types.int64(GAME, STATE, BUDGET, types.int64, types.int64, types.int64))
def vcf(game, state, budget, side, pairs, level):
    """Search a win of the side to move by continuous fours; return its plies, or 0, which proves nothing.

    Searches at most ``pairs`` fours deep, each with its answer, and counts down the node limit ``state.vcf_nodes``. The
    moves are stored in ``state.vcf_line`` from ``level`` on; a win in three plies ends with its first move, the open
    four.
    """
    if not _may_visit_vcf(state, budget):
        return 0
    plies = _vcf_without_search(game, state, side, level)
    if plies != _UNDECIDED:
        return plies
    block = state.vcf_block
    if (pairs <= 0 and block < 0) or level + 4 >= MAX_VCF:
        return 0
    for i in range(_list_attacks_by_four(game, state, side, block, level)):
        cell = types.int64(state.fours[level, i])
        plies = _vcf_after(game, state, budget, side, cell, pairs, level)
        if plies > 0:
            state.vcf_line[level] = cell
            return plies
    return 0
