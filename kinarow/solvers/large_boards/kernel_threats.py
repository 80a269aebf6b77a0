"""Forced wins on large boards: by continuous fours (VCF), and by continuous threats (VCT) against any defence.

VCF (``vcf``): each attack leaves exactly one cell that completes a line, so the answer is forced, until an attack
leaves two. It works under every rule but misère; with gravity a cell counts only while it can be played.

VCT (``vct``): an attack is any mark that threatens a VCF: a four, or a mark after which the attacker would have a VCF
if the defender passed. Let its marks and answers be a1, d1, a2, d2, ...; then a defence m can change it only in the
relevance zone

    Z = {a_i} + {d_i} + {cells that complete a line at the end}
        + {cells where the defender would make a four or better, at any moment of the sequence}

because the lines of the a_i hold no other empty cells, and m can help a line of the defender only as its last mark
but one. So a win found against every m in Z is proven. Under Caro a mark beside a run may spoil it: then a four may
have two answers, of which VCF wants just one and VCT tries each, and Z also holds the cells beside the runs. Both
searches need normal play; the relevance zone also needs a board without gravity, where no cell depends on another.
In Renju a four also wins where its only answer is forbidden; nearly every mark may change that, so Z is then the whole
board. The side that began attacks only with marks that are certainly allowed, which m outside Z leaves allowed: it
makes no more fours and no more threes of them.
(Threat-space search: Allis, van den Herik and Huntjens 1996; relevance zones by a null move: Thomsen 2000.)

Distances are those of the wins found: the win may come sooner.
"""

import numpy as np
from numba import njit, types

from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.common.kernel_budget import BUDGET, BUDGETS, may_visit
from kinarow.solvers.large_boards.kernel_board import (
    BIT_MASK,
    BOARD,
    BOARDS,
    DIRECTIONS,
    MAX_CELLS,
    MAX_FOURS,
    WORD_SHIFT,
    beside,
    has_room_against,
    is_forbidden,
    leaves_four,
    list_fours,
    pattern_of,
    playable,
    points_of,
    put,
    take_back,
)
from kinarow.solvers.large_boards.kernel_patterns import (
    BUILD_CELL,
    DOUBLE_THREE_CELL,
    FIVE,
    FIVE_CELL,
    FORBIDDEN_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    OPEN_FOUR_CELL,
)
from kinarow.solvers.large_boards.kernel_table import (
    BOUND_LOWER,
    MAX_LINE,
    MAX_PLY,
    MAX_VCF,
    SEARCH,
    SEARCHES,
    TABLE,
    WIN,
    position_key,
    store,
    store_vct_failure,
    vct_known_to_fail,
)

_KEPT_DEPTH = 100  # a proof took many nodes: no entry of an ordinary depth replaces it
_UNDECIDED = -1
_NO_CELL = -1


# --- completing cells -----------------------------------------------------------------------------


@njit(types.int64(BOARD, types.int64), cache=True)
def count_winning_cells(board, side):
    """How many cells that complete a line for the side can be played now (0, 1, or 2 for more)."""
    if board.gravity == 0:
        return min(board.count[side, FIVE_CELL], 2)
    found = 0
    for word in range(board.words):
        bits = board.mask[side, FIVE_CELL, word]
        while bits != ZERO:
            if playable(board, (word << WORD_SHIFT) + types.int64(lowest_index(bits))):
                found += 1
            bits &= bits - ONE
    return min(found, 2)


@njit(types.int64(BOARD, types.int64), cache=True)
def first_winning_cell(board, side):
    """The first cell that completes a line for the side and can be played now; -1 where there is none."""
    for word in range(board.words):
        bits = board.mask[side, FIVE_CELL, word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            if board.gravity == 0 or playable(board, cell):
                return cell
            bits &= bits - ONE
    return _NO_CELL


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def first_of(board, side, cell_pattern):
    """The first cell with this cell pattern for the side; -1 where there is none."""
    for word in range(board.words):
        bits = board.mask[side, cell_pattern, word]
        if bits != ZERO:
            return (word << WORD_SHIFT) + types.int64(lowest_index(bits))
    return _NO_CELL


# --- cells beside runs: the rule of Caro -----------------------------------------------------------


@njit(types.int64(BOARD, types.int64, types.int64, types.int64, types.int64), cache=True)
def _end_of_run(board, cell, side, direction, sign):
    """The steps from an empty cell to the first cell beyond its run, if the side marks it, towards one end."""
    steps = sign
    while beside(board, cell, direction, steps) == side + 1 and abs(steps) < board.radius:
        steps += sign
    return steps


@njit(types.int64(BOARD, types.int64), cache=True)
def count_answers(board, side):
    """How many cells the other side may mark so that the side, which has one, has no cell left to complete a line.

    They are left in ``board.answer``. Without gravity; only under Caro there may be more than one, and in Renju the
    only one may be forbidden.
    """
    first = first_winning_cell(board, side)
    if board.caro == 0:
        board.answer[0] = first
        if board.beginner == 1 - side and is_forbidden(board, first):
            return 0
        return 1 if board.count[side, FIVE_CELL] == 1 else 0
    # 1. Only the cell that completes a line, or one beside its runs, can stop it.
    candidates = 1
    board.answer[0] = first
    for direction in range(DIRECTIONS):
        if pattern_of(board, first, side, direction) != FIVE:
            continue
        for sign in (-1, 1):
            steps = _end_of_run(board, first, side, direction, sign)
            opposite = _end_of_run(board, first, side, direction, -sign)
            closed = beside(board, first, direction, opposite) == 2 - side
            if closed and beside(board, first, direction, steps) == 0:
                board.answer[candidates] = first + steps * board.step[direction]
                candidates += 1
    # 2. It must stop every other line too.
    count = 0
    for i in range(candidates):
        cell = types.int64(board.answer[i])
        put(board, cell, 1 - side)
        stops = board.count[side, FIVE_CELL] == 0
        take_back(board, cell)
        if stops:
            board.answer[count] = cell
            count += 1
    return count


# --- continuous fours -----------------------------------------------------------------------------


@njit(types.int64(BOARD, types.int64), cache=True)
def _attacking_answer(board, side):
    """The first cell that stops the other side's lines and makes a four for the side, or -1."""
    for i in range(count_answers(board, 1 - side)):
        cell = types.int64(board.answer[i])
        if board.cell_pattern[cell, side] >= FOUR_CELL:
            return cell
    return _NO_CELL


@njit(inline="always")
def _vcf_at_once(board, search, side, level):
    """The plies to a win of the side to move that stands on the board, 0 for none, or ``_UNDECIDED``.

    ``search.vcf_block`` becomes the cell that the side must mark to stop a line, or -1.
    """
    other = 1 - side
    search.vcf_block = _NO_CELL
    # 1. Complete a line.
    cell = first_winning_cell(board, side)
    if cell >= 0:
        search.vcf_line[level] = cell
        return 1
    # 2. Answer the other side's four, with a mark that attacks.
    threatened = count_winning_cells(board, other)
    if board.caro != 0 and threatened > 0:
        search.vcf_block = _attacking_answer(board, side)
        return _UNDECIDED if search.vcf_block >= 0 else 0
    if threatened >= 2:
        return 0
    if threatened == 1:
        block = first_winning_cell(board, other)
        search.vcf_block = block
        can_attack = board.gravity != 0 or board.cell_pattern[block, side] >= FOUR_CELL
        return _UNDECIDED if can_attack else 0
    # 3. Leave two ways to complete a line.
    if board.gravity == 0 and board.count[side, OPEN_FOUR_CELL] > 0 and has_room_against(board, side):
        search.vcf_line[level] = first_of(board, side, OPEN_FOUR_CELL)
        return 3
    return _UNDECIDED


@njit(inline="always")
def _list_attacks_by_four(board, search, side, block, level):
    """List the cells to try in ``search.fours[level]``: the block alone where there is one; returns how many.

    With gravity these are all columns, since a mark may also make the cell above it playable.
    """
    count = types.int64(0)
    if block >= 0:
        search.fours[level, 0] = block
        count = types.int64(1)
    elif board.gravity != 0:
        for word in range(board.words):
            bits = board.open_mask[word]
            while bits != ZERO:
                cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                if playable(board, cell):
                    search.fours[level, count] = cell
                    count += 1
    else:
        count = list_fours(board, side)
        for i in range(count):
            search.fours[level, i] = board.four_cell[i]
        if count == MAX_FOURS:
            search.cut_count += 1
    return count


@njit(inline="always")
def _may_visit_vcf(search, budget):
    """Count one more node of the search by fours; False if its nodes or the budget are spent."""
    if search.vcf_nodes <= 0:
        search.cut_count += 1
        return False
    if not may_visit(budget):
        return False
    search.vcf_nodes -= 1
    return True


@njit(inline="always")
def _vcf_after(board, search, budget, side, cell, pairs, level):
    """The plies to a win by fours that begins with a mark on the cell, or 0: a step of ``vcf``."""
    other = 1 - side
    plies = 0
    put(board, cell, side)
    if count_winning_cells(board, other) == 0:
        completing = count_winning_cells(board, side)
        answer = types.int64(_NO_CELL)
        if completing > 0 and (board.caro != 0 or board.beginner == other):
            # A four with two answers is left to the threat search.
            answers = count_answers(board, side)
            completing = 2 if answers == 0 else (1 if answers == 1 else 0)
            answer = types.int64(board.answer[0])
        if completing >= 2:
            plies = 3 if has_room_against(board, side) else 0
        elif completing == 1 and pairs > 0:
            if answer < 0:
                answer = first_winning_cell(board, side)
            if leaves_four(board, side, answer):
                put(board, answer, other)
                rest = vcf(board, search, budget, side, pairs - 1, level + 2)
                if rest > 0:
                    plies = rest + 2
                    search.vcf_line[level + 1] = answer
                take_back(board, answer)
            else:
                # That node has nothing to try: it counts, but the mark need not be put.
                _may_visit_vcf(search, budget)
    take_back(board, cell)
    return plies


@njit(types.int64(BOARD, SEARCH, BUDGET, types.int64, types.int64, types.int64), nogil=True, cache=True)
def vcf(board, search, budget, side, pairs, level):
    """The plies to the first win by continuous fours found for the side to move, or 0 if none was found.

    Looks at most ``pairs`` fours with their answers ahead, and visits at most ``search.vcf_nodes`` nodes, which it
    counts down. 0 proves nothing. The moves are left in ``search.vcf_line`` from ``level`` on (for a win in 3 only
    the first).
    """
    if not _may_visit_vcf(search, budget):
        return 0
    plies = _vcf_at_once(board, search, side, level)
    if plies != _UNDECIDED:
        return plies
    block = search.vcf_block
    if (pairs <= 0 and block < 0) or level + 4 >= MAX_VCF:
        return 0
    for i in range(_list_attacks_by_four(board, search, side, block, level)):
        cell = types.int64(search.fours[level, i])
        plies = _vcf_after(board, search, budget, side, cell, pairs, level)
        if plies > 0:
            search.vcf_line[level] = cell
            return plies
    return 0


# --- relevance zones ------------------------------------------------------------------------------


@njit(types.void(BOARD, SEARCH, types.int64, types.int64), cache=True)
def add_fours_to_zone(board, search, side, ply):
    """Add the cells where the side would make a four or better to the relevance zone of this ply."""
    for word in range(board.words):
        bits = board.mask[side, FOUR_CELL, word] | board.mask[side, FOUR_THREE_CELL, word]
        bits |= board.mask[side, OPEN_FOUR_CELL, word] | board.mask[side, FIVE_CELL, word]
        if side == board.beginner:
            bits |= board.mask[side, FORBIDDEN_CELL, word] | board.mask[side, DOUBLE_THREE_CELL, word]
        search.zone[ply, word] |= bits


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def _add_cell_to_zone(search, cell, ply):
    """Add one cell to the relevance zone of this ply."""
    search.zone[ply, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)


@njit(types.void(BOARD, SEARCH, types.int64, types.int64), cache=True)
def add_runs_to_zone(board, search, side, ply):
    """Under Caro, add the cells that complete a line for the side, and those beside its runs, to this ply's zone."""
    if board.caro == 0:
        return
    for word in range(board.words):
        bits = board.mask[side, FIVE_CELL, word]
        search.zone[ply, word] |= bits
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            for direction in range(DIRECTIONS):
                if pattern_of(board, cell, side, direction) != FIVE:
                    continue
                for sign in (-1, 1):
                    steps = _end_of_run(board, cell, side, direction, sign)
                    if beside(board, cell, direction, steps) == 0:
                        _add_cell_to_zone(search, cell + steps * board.step[direction], ply)


@njit(types.void(BOARD, SEARCH, types.int64, types.int64, types.int64), cache=True)
def fill_zone(board, search, side, plies, ply):
    """Make ``search.zone[ply]`` the relevance zone of the win by fours in ``search.vcf_line``.

    Args:
        side: the attacker, to move.
        plies: the result of ``vcf`` for it (odd, 1 or more), called with level 0.
    """
    other = 1 - side
    for word in range(board.words):
        search.zone[ply, word] = ZERO
    add_runs_to_zone(board, search, side, ply)
    # 1. Play the line, up to the mark that leaves two cells to complete; the answer to that mark is not part of it.
    moves = max(plies - 2, 1)
    for i in range(moves):
        add_fours_to_zone(board, search, other, ply)
        cell = types.int64(search.vcf_line[i])
        _add_cell_to_zone(search, cell, ply)
        if plies > 1:
            put(board, cell, side if i & 1 == 0 else other)
            if i & 1 == 0:
                add_runs_to_zone(board, search, side, ply)
    # 2. Add every cell that then completes a line.
    add_fours_to_zone(board, search, other, ply)
    if plies > 1:
        needs_forbidden = board.beginner == other and board.count[side, FIVE_CELL] == 1
        for word in range(board.words):
            search.zone[ply, word] |= ~ZERO if needs_forbidden else board.mask[side, FIVE_CELL, word]
        for i in range(moves - 1, -1, -1):
            take_back(board, types.int64(search.vcf_line[i]))


@njit(types.void(BOARD, SEARCH, types.int64), cache=True)
def _take_next_zone(board, search, ply):
    """The relevance zone of this ply becomes that of the next."""
    for word in range(board.words):
        search.zone[ply, word] = search.zone[ply + 1, word]


@njit(types.void(BOARD, SEARCH, types.int64), cache=True)
def _join_next_zone(board, search, ply):
    """Add the relevance zone of the next ply to that of this one."""
    for word in range(board.words):
        search.zone[ply, word] |= search.zone[ply + 1, word]


# --- lists of moves -------------------------------------------------------------------------------


@njit(inline="always")
def _insert_move(search, ply, count, cell, move_score):
    """Insert a cell into the ``count`` moves of this ply, after every move with the same score or a better one."""
    place = count
    while place > 0 and search.move_scores[ply, place - 1] < move_score:
        search.move_scores[ply, place] = search.move_scores[ply, place - 1]
        search.moves[ply, place] = search.moves[ply, place - 1]
        place -= 1
    search.move_scores[ply, place] = move_score
    search.moves[ply, place] = cell


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _list_attacks(board, search, side, ply):
    """List the cells worth an attack in ``search.moves[ply]``, best first; returns how many."""
    other = 1 - side
    count = 0
    for cell_pattern in range(FOUR_THREE_CELL, BUILD_CELL - 1, -1):
        for word in range(board.words):
            bits = board.mask[side, cell_pattern, word]
            while bits != ZERO:
                cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                points = points_of(board, cell, side) + points_of(board, cell, other) // 2
                _insert_move(search, ply, count, cell, search.cell_pattern_order[0, cell_pattern] + points)
                count += 1
    if count > search.vct_width:
        search.cut_count += 1
        count = search.vct_width
    return count


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _list_zone(board, search, side, ply):
    """List the empty cells of the relevance zone in ``search.moves[ply]``, best first; returns how many."""
    other = 1 - side
    count = 0
    for word in range(board.words):
        bits = search.zone[ply, word] & board.open_mask[word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            if side == board.beginner and is_forbidden(board, cell):
                continue
            move_score = points_of(board, cell, side) + points_of(board, cell, other)
            move_score += search.cell_pattern_order[0, types.int64(board.cell_pattern[cell, side])]
            _insert_move(search, ply, count, cell, move_score)
            count += 1
    return count


# --- continuous threats ---------------------------------------------------------------------------


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def _pv_from_vcf(search, ply, plies):
    """The principal variation of this ply becomes the line of the VCF."""
    length = min(max(plies - 2, 1), MAX_LINE)
    for i in range(length):
        search.pv[ply, i] = search.vcf_line[i]
    search.pv_length[ply] = length


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def extend_pv(search, ply, cell):
    """The principal variation of this ply becomes the cell, followed by that of the next ply."""
    length = min(search.pv_length[ply + 1], MAX_LINE - 1)
    search.pv[ply, 0] = cell
    for i in range(length):
        search.pv[ply, i + 1] = search.pv[ply + 1, i]
    search.pv_length[ply] = length + 1


@njit(types.int64(BOARD, SEARCH, BUDGET, types.int64, types.int64), cache=True)
def _vcf_within(board, search, budget, side, max_plies):
    """The plies, ``max_plies`` or fewer, to the first VCF found for the side, or 0."""
    search.vcf_nodes = search.vct_vcf_nodes
    pairs = min(search.vct_vcf_pairs, max(max_plies - 3, 0) // 2)
    plies = vcf(board, search, budget, side, pairs, 0)
    search.vct_nodes -= search.vct_vcf_nodes - search.vcf_nodes
    return plies if plies <= max_plies else 0


@njit(inline="always")
def _vct_after_four(board, search, budget, table, side, depth, max_plies, ply):
    """The plies to a win after a four and its forced answer, or 0: a step of ``vct``; ``ply`` is the defender's."""
    other = 1 - side
    answer = first_winning_cell(board, side)
    put(board, answer, other)
    plies = vct(board, search, budget, table, side, depth - 1, max_plies - 2, ply + 1)
    take_back(board, answer)
    if plies > 0:
        extend_pv(search, ply, answer)
        _take_next_zone(board, search, ply)
        _add_cell_to_zone(search, answer, ply)
    return plies


@njit(inline="always")
def _vct_after_four_with_answers(board, search, budget, table, side, depth, max_plies, ply):
    """The plies to a win after a four and each of its answers, or 0: under Caro, and where one may be forbidden."""
    other = 1 - side
    answers = count_answers(board, side)
    for i in range(answers):
        search.moves[ply, i] = board.answer[i]
    for word in range(board.words):
        search.zone[ply, word] = ZERO if board.caro != 0 else ~ZERO
    add_runs_to_zone(board, search, side, ply)
    worst = types.int64(1 if has_room_against(board, side) else 0)
    for i in range(answers):
        answer = types.int64(search.moves[ply, i])
        put(board, answer, other)
        plies = vct(board, search, budget, table, side, depth - 1, max_plies - 2, ply + 1)
        take_back(board, answer)
        if plies == 0:
            worst = 0
            break
        _join_next_zone(board, search, ply)
        if plies > worst or search.pv_length[ply] == 0:
            worst = max(worst, plies)
            extend_pv(search, ply, answer)
    return worst


@njit(inline="always")
def _vct_after_threat(board, search, budget, table, side, depth, max_plies, ply):
    """The plies to a win against every relevant answer, or 0: a step of ``vct``; ``ply`` is the defender's.

    The mark just made is a threat if there is a VCF after a pass, whose relevance zone then holds the answers.
    """
    other = 1 - side
    worst = _vcf_within(board, search, budget, side, max_plies - 2)
    defences = 0
    if worst > 0:
        fill_zone(board, search, side, worst, ply)
        defences = _list_zone(board, search, other, ply)
    for i in range(defences):
        answer = types.int64(search.moves[ply, i])
        put(board, answer, other)
        plies = vct(board, search, budget, table, side, depth - 1, max_plies - 2, ply + 1)
        take_back(board, answer)
        if plies == 0:
            worst = 0
            break
        _join_next_zone(board, search, ply)
        if plies > worst or search.pv_length[ply] == 0:
            worst = max(worst, plies)
            extend_pv(search, ply, answer)
    return worst


@njit(inline="always")
def _vct_after(board, search, budget, table, side, depth, max_plies, ply):
    """The plies to a win after the attack just made, or 0: a step of ``vct``; ``ply`` is the defender's."""
    search.pv_length[ply] = 0
    plies = 0
    if board.count[1 - side, FIVE_CELL] == 0:
        if board.count[side, FIVE_CELL] >= 1 and (board.caro != 0 or board.beginner == 1 - side):
            plies = _vct_after_four_with_answers(board, search, budget, table, side, depth, max_plies, ply)
        elif board.count[side, FIVE_CELL] >= 2:
            plies = 1
            for word in range(board.words):
                search.zone[ply, word] = board.mask[side, FIVE_CELL, word]
        elif board.count[side, FIVE_CELL] == 1:
            plies = _vct_after_four(board, search, budget, table, side, depth, max_plies, ply)
        else:
            plies = _vct_after_threat(board, search, budget, table, side, depth, max_plies, ply)
    return plies


@njit(inline="always")
def _store_win(board, search, budget, table, side, cell, plies):
    """Enter in the table that the side, to move, wins in so many plies, beginning with the cell."""
    key = position_key(board, side)
    store(board, search, budget, table, key, WIN - plies, 0, cell, _KEPT_DEPTH, BOUND_LOWER, 1)


@njit(types.void(BOARD, SEARCH, BUDGET, TABLE, *(types.int64,) * 4), cache=True)
def _keep_attack(board, search, budget, table, side, cell, plies, ply):
    """An attack on the cell wins in so many plies: enter its line, its relevance zone and its table entry."""
    extend_pv(search, ply, cell)
    _take_next_zone(board, search, ply)
    _add_cell_to_zone(search, cell, ply)
    add_fours_to_zone(board, search, 1 - side, ply)
    _store_win(board, search, budget, table, side, cell, plies)


@njit(types.int64(BOARD, SEARCH, BUDGET, TABLE, *(types.int64,) * 4), nogil=True, cache=True)
def vct(board, search, budget, table, side, depth, max_plies, ply):
    """The plies to a win of the side to move by at most ``depth`` threats and then fours, or 0 if none was found.

    For boards without gravity and play that is not misère. It visits at most ``search.vct_nodes`` nodes beside
    those of the VCFs, and runs while ``budget`` allows. 0 proves nothing. A win is proven, takes at most
    ``max_plies`` plies and leaves its line in ``search.pv[ply]`` and in ``search.zone[ply]`` the cells that it makes
    use of: all marks of the attacker, and the cells where answers were looked for.
    """
    search.vct_nodes -= 1
    if search.vct_nodes <= 0 or ply + 3 >= MAX_PLY:
        search.cut_count += 1
        return 0
    other = 1 - side
    # 1. Win by fours.
    plies = _vcf_within(board, search, budget, side, max_plies)
    if budget.reason != RUNNING:
        return 0
    if plies > 0:
        _pv_from_vcf(search, ply, plies)
        fill_zone(board, search, side, plies, ply)
        return plies
    threatened = count_winning_cells(board, other)
    if (board.caro != 0 or board.beginner == side) and threatened > 0 and depth > 0:
        threatened = 1 if count_answers(board, other) > 0 else 2
    search_bound = depth if search.vct_in_plies == 0 else max_plies
    if depth <= 0 or max_plies < 5 or threatened >= 2:
        return 0
    if vct_known_to_fail(board, search, table, side, search_bound):
        return 0
    cut_before = search.cut_count
    # 2. Try the attacks; where the other side threatens to complete a line, only the block.
    if threatened == 1:
        attacks = count_answers(board, other)
        for i in range(attacks):
            search.moves[ply, i] = board.answer[i]
    else:
        attacks = _list_attacks(board, search, side, ply)
    for i in range(attacks):
        cell = types.int64(search.moves[ply, i])
        put(board, cell, side)
        plies = _vct_after(board, search, budget, table, side, depth, max_plies, ply + 1)
        take_back(board, cell)
        if budget.reason != RUNNING or search.vct_nodes <= 0:
            return 0
        if plies > 0:
            _keep_attack(board, search, budget, table, side, cell, plies + 2, ply)
            return plies + 2
    if search.vct_in_plies == 0 or search.cut_count == cut_before:
        store_vct_failure(board, search, budget, table, side, search_bound)
    return 0


# --- questions of the deepening -------------------------------------------------------------------
#
# They take arrays of one record each: from Python a call takes 30 microseconds for each record, and one for an array.


@njit(types.void(SEARCH, types.int64), cache=True)
def _keep_win(search, plies):
    """The win in ``search.pv[0]`` becomes the result."""
    search.value = WIN - plies
    search.best = search.pv[0, 0]
    search.line_length = search.pv_length[0]
    for i in range(search.line_length):
        search.line[i] = search.pv[0, i]


@njit(types.int64(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64, types.int64), nogil=True, cache=True)
def vct_win(boards, searches, budgets, table, depth, node_share):
    """One deepening of the threat search for the side to move: the plies to its win, or 0 if none was found.

    Visits at most ``node_share`` nodes, and ends with ``budget``. With gravity it looks for fours only. A win is
    proven, may come in fewer plies, and leaves ``search.value``, ``best`` and ``line``; 0 leaves them alone.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    if board.misere != 0:
        return 0
    search.vct_nodes = node_share
    if board.gravity != 0:
        search.vcf_nodes = node_share
        plies = vcf(board, search, budget, 0, depth, 0)
        if plies > 0:
            _pv_from_vcf(search, 0, plies)
    else:
        plies = vct(board, search, budget, table, 0, depth, MAX_PLY, 0)
    if plies == 0 or budget.reason != RUNNING:
        return 0
    _keep_win(search, plies)
    return plies


@njit(types.int64(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64, types.int64), nogil=True, cache=True)
def quicker_win(boards, searches, budgets, table, max_plies, node_share):
    """A win of the side to move by threats in at most ``max_plies`` plies (5 or more): its plies, or 0.

    For boards without gravity and play that is not misère. Visits at most ``node_share`` nodes. A win leaves the
    same as ``vct_win``; 0 leaves that alone. If ``search.cut_count`` has not changed, 0 for ``max_plies`` = 5 proves
    that there is no such win: its first mark must threaten an open four, or be a four itself.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    search.vct_nodes = node_share
    width = search.vct_width
    search.vct_width = MAX_CELLS
    search.vct_in_plies = 1
    plies = vct(board, search, budget, table, 0, max_plies, max_plies, 0)
    search.vct_in_plies = 0
    search.vct_width = width
    if plies == 0 or budget.reason != RUNNING:
        return 0
    _keep_win(search, plies)
    return plies


@njit(types.int64(BOARDS, SEARCHES, BUDGETS, TABLE, types.int64, types.int64), nogil=True, cache=True)
def null_move_threat(boards, searches, budgets, table, depth, node_share):
    """One deepening of the search for a win of side 1 by threats if side 0 passed: its plies, or 0.

    For boards without gravity and play that is not misère. A win sets ``search.null_move_loses`` to 1 and leaves in
    ``search.null_move_zone`` the cells where side 0 may hope to change it: they order moves and prove nothing.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    search.vct_nodes = node_share
    plies = vct(board, search, budget, table, 1, depth, MAX_PLY, 1)
    if plies == 0 or budget.reason != RUNNING:
        return 0
    search.null_move_loses = 1
    for word in range(board.words):
        search.null_move_zone[word] = search.zone[1, word]
    return plies


@njit(types.int64(BOARDS, SEARCHES, BUDGETS, TABLE, *(types.int64,) * 3), nogil=True, cache=True)
def vct_refutes(boards, searches, budgets, table, cell, depth, node_share):
    """One deepening of the search for a win by threats against side 0's move on ``cell``: its plies, or 0.

    For boards without gravity and play that is not misère; ``cell`` is empty and completes no line. A win that is
    found is in the table, so that the main search knows that the move loses.
    """
    board, search, budget = boards[0], searches[0], budgets[0]
    search.vct_nodes = node_share
    put(board, cell, 0)
    plies = vct(board, search, budget, table, 1, depth, MAX_PLY, 1)
    if budget.reason != RUNNING:
        plies = 0
    if plies > 0:
        # A win by fours alone is not there yet.
        _store_win(board, search, budget, table, 1, types.int64(search.pv[1, 0]), plies)
    take_back(board, cell)
    return plies
