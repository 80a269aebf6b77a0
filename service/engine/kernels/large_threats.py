"""Forced wins on large boards: continuous fours, and continuous threats with every defence that could matter tried.

*Fours* (``fours``): each attack leaves exactly one cell that completes a line, so the answer is forced, until an
attack leaves two. Works under every rule but misère; with gravity a cell counts only while it can be played.

*Threats* (``threats``): an attack is a four, or a mark after which the attacker would win by fours if the
defender passed. Let the fours be a1, d1, a2, d2, ..., then a defence m can change them only if it is in the zone

    Z = {a_i} + {d_i} + {cells that complete a line at the end}
        + {cells where the defender would make a four or better, at any moment of the sequence}

for the lines of the a_i hold no other empty cells, and a line of the defender that m could add to needs m to be
the last mark but one. So the win is proven when it is found against every m in Z. Both need normal play; the
zone also needs a board without gravity, where no cell depends on another.
(Threat-space search: Allis, van den Herik and Huntjens 1996; relevance zones by a null move: Thomsen 2000.)

Distances are those of the wins found: the win may come sooner.
"""

import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_index
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.large_board import (
    BIT_MASK,
    BOARD,
    BUILD_CELL,
    FIVE_CELL,
    FOUR_CELL,
    FOUR_THREE_CELL,
    MAX_CELLS,
    OPEN_FOUR_CELL,
    WORD_SHIFT,
    playable,
    put,
    take,
)
from service.engine.kernels.large_table import (
    BOUND_LOWER,
    MAX_FOURS,
    MAX_LINE,
    MAX_PLY,
    PROVEN,
    SEARCH,
    TABLE,
    known_failed,
    position_key,
    store,
    store_failed,
)

_KEPT_DEPTH = 100  # a proof took many nodes: its table entry gives way to none of an ordinary depth


@njit(types.int64(BOARD, types.int64), cache=True)
def five_cells(board, side):
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
def five_cell(board, side):
    """The first cell that completes a line for the side and can be played now; -1 where there is none."""
    for word in range(board.words):
        bits = board.mask[side, FIVE_CELL, word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            if board.gravity == 0 or playable(board, cell):
                return cell
            bits &= bits - ONE
    return -1


@njit(types.int64(BOARD, types.int64, types.int64), cache=True)
def first_of(board, side, category):
    """The first cell of a category that is not empty for the side."""
    for word in range(board.words):
        bits = board.mask[side, category, word]
        if bits != ZERO:
            return (word << WORD_SHIFT) + types.int64(lowest_index(bits))
    return -1


@njit(types.int64(BOARD, SEARCH, CONTROL, types.int64, types.int64, types.int64), nogil=True, cache=True)
def fours(board, search, control, side, pairs, level):
    """The plies to a win of the side to move by continuous fours, as found first, or 0 where none was found.

    Looks at most ``pairs`` fours with their answers ahead, and visits at most ``search.four_nodes`` nodes,
    which it counts down. 0 says nothing. The moves are left in ``search.four_line`` from ``level`` on (for a
    win in 3 only the first).
    """
    if search.four_nodes <= 0:
        search.cut += 1
        return 0
    if not may_visit(control):
        return 0
    search.four_nodes -= 1
    other = 1 - side
    # 1. Complete a line.
    cell = five_cell(board, side)
    if cell >= 0:
        search.four_line[level] = cell
        return 1
    # 2. The other's four must be answered, and the answer must attack.
    against = five_cells(board, other)
    if against >= 2:
        return 0
    block = -1
    if against == 1:
        block = five_cell(board, other)
        if board.gravity == 0 and board.category[block, side] < FOUR_CELL:
            return 0
    # 3. Two ways to complete a line at once.
    elif board.gravity == 0 and board.count[side, OPEN_FOUR_CELL] > 0:
        search.four_line[level] = first_of(board, side, OPEN_FOUR_CELL)
        return 3
    if (pairs <= 0 and block < 0) or level + 4 >= MAX_FOURS:
        return 0
    # 4. Try the fours; with gravity a mark may also free the cell above it, so every column is tried.
    for stage in range(2):
        if block < 0 and board.gravity == 0 and board.count[side, FOUR_THREE_CELL - stage] == 0:
            continue
        if stage == 1 and (block >= 0 or board.gravity != 0):
            break
        for word in range(board.words):
            if block >= 0:
                bits = ONE << np.uint64(block & BIT_MASK) if block >> WORD_SHIFT == word else ZERO
            elif board.gravity != 0:
                bits = board.open_mask[word]
            else:
                bits = board.mask[side, FOUR_THREE_CELL - stage, word]
            while bits != ZERO:
                cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                if not playable(board, cell):
                    continue
                plies = 0
                put(board, cell, side)
                if five_cells(board, other) == 0:
                    completing = five_cells(board, side)
                    if completing >= 2:
                        plies = 3
                    elif completing == 1 and pairs > 0:
                        answer = five_cell(board, side)
                        put(board, answer, other)
                        rest = fours(board, search, control, side, pairs - 1, level + 2)
                        if rest > 0:
                            plies = rest + 2
                            search.four_line[level + 1] = answer
                        take(board, answer)
                take(board, cell)
                if plies > 0:
                    search.four_line[level] = cell
                    return plies
    return 0


@njit(types.void(BOARD, SEARCH, types.int64, types.int64), cache=True)
def add_fours_to_zone(board, search, side, ply):
    """Add the cells where the side would make a four or better to the zone of this ply."""
    for word in range(board.words):
        bits = board.mask[side, FOUR_CELL, word] | board.mask[side, FOUR_THREE_CELL, word]
        bits |= board.mask[side, OPEN_FOUR_CELL, word] | board.mask[side, FIVE_CELL, word]
        search.zone[ply, word] |= bits


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def _add_cell_to_zone(search, cell, ply):
    """Add one cell to the zone of this ply."""
    search.zone[ply, cell >> WORD_SHIFT] |= ONE << np.uint64(cell & BIT_MASK)


@njit(types.void(BOARD, SEARCH, types.int64, types.int64, types.int64), cache=True)
def fill_zone(board, search, side, plies, ply):
    """Make ``search.zone[ply]`` the cells where a defence could change the win by fours in ``search.four_line``.

    Args:
        side: the attacker, to move.
        plies: what ``fours`` returned for it (odd, 1 or more), called with level 0.
    """
    other = 1 - side
    for word in range(board.words):
        search.zone[ply, word] = ZERO
    # 1. Play the line, up to the mark that leaves two cells to complete; its answers are not part of it.
    moves = max(plies - 2, 1)
    for i in range(moves):
        add_fours_to_zone(board, search, other, ply)
        cell = types.int64(search.four_line[i])
        _add_cell_to_zone(search, cell, ply)
        if plies > 1:
            put(board, cell, side if i & 1 == 0 else other)
    # 2. Every cell that then completes a line.
    add_fours_to_zone(board, search, other, ply)
    if plies > 1:
        for word in range(board.words):
            search.zone[ply, word] |= board.mask[side, FIVE_CELL, word]
        for i in range(moves - 1, -1, -1):
            take(board, types.int64(search.four_line[i]))


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _list_attacks(board, search, side, ply):
    """Fill ``search.moves[ply]`` with the cells worth an attack, best first; returns how many."""
    other = 1 - side
    count = 0
    for category in range(FOUR_THREE_CELL, BUILD_CELL - 1, -1):
        for word in range(board.words):
            bits = board.mask[side, category, word]
            while bits != ZERO:
                cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                rank = search.category_order[0, category]
                rank += types.int64(board.points[cell, side]) + types.int64(board.points[cell, other]) // 2
                place = count
                while place > 0 and search.ranks[ply, place - 1] < rank:
                    search.ranks[ply, place] = search.ranks[ply, place - 1]
                    search.moves[ply, place] = search.moves[ply, place - 1]
                    place -= 1
                search.ranks[ply, place] = rank
                search.moves[ply, place] = cell
                count += 1
    if count > search.threat_width:
        search.cut += 1
        count = search.threat_width
    return count


@njit(types.int64(BOARD, SEARCH, types.int64, types.int64), cache=True)
def _list_zone(board, search, side, ply):
    """Fill ``search.moves[ply]`` with the empty cells of the zone of this ply, best for the side first."""
    other = 1 - side
    count = 0
    for word in range(board.words):
        bits = search.zone[ply, word] & board.open_mask[word]
        while bits != ZERO:
            cell = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
            bits &= bits - ONE
            rank = types.int64(board.points[cell, side]) + types.int64(board.points[cell, other])
            rank += search.category_order[0, types.int64(board.category[cell, side])]
            place = count
            while place > 0 and search.ranks[ply, place - 1] < rank:
                search.ranks[ply, place] = search.ranks[ply, place - 1]
                search.moves[ply, place] = search.moves[ply, place - 1]
                place -= 1
            search.ranks[ply, place] = rank
            search.moves[ply, place] = cell
            count += 1
    return count


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def _line_from_fours(search, ply, plies):
    """The line at this ply becomes that of the four-search."""
    length = min(max(plies - 2, 1), MAX_LINE)
    for i in range(length):
        search.pv[ply, i] = search.four_line[i]
    search.pv_length[ply] = length


@njit(types.void(SEARCH, types.int64, types.int64), cache=True)
def join_line(search, ply, cell):
    """The line at this ply becomes the cell and the line of the next ply."""
    length = min(search.pv_length[ply + 1], MAX_LINE - 1)
    search.pv[ply, 0] = cell
    for i in range(length):
        search.pv[ply, i + 1] = search.pv[ply + 1, i]
    search.pv_length[ply] = length + 1


@njit(types.int64(BOARD, SEARCH, CONTROL, types.int64, types.int64), cache=True)
def _fours_within(board, search, control, side, most):
    """The plies, at most ``most``, to the side's win by fours as found first, or 0."""
    search.four_nodes = search.threat_four_nodes
    plies = fours(board, search, control, side, min(search.threat_fours, max(most - 3, 0) // 2), 0)
    search.threat_nodes -= search.threat_four_nodes - search.four_nodes
    return plies if plies <= most else 0


@njit(
    types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64, types.int64, types.int64),
    nogil=True,
    cache=True,
)
def threats(board, search, control, table, side, depth, most, ply):
    """The plies to a win of the side to move by at most ``depth`` threats and then fours, or 0 if none was found.

    For boards without gravity and play that is not misere. It visits at most ``search.threat_nodes`` nodes
    beside those of the four-searches, and while ``control`` runs. 0 says nothing; a win is proven, takes at
    most ``most`` plies and has its line left in ``search.pv[ply]``; ``search.zone[ply]`` then holds the cells that
    the win makes use of: all marks of the attacker in it, and where answers to it were looked for.
    """
    search.threat_nodes -= 1
    if search.threat_nodes <= 0 or ply + 3 >= MAX_PLY:
        search.cut += 1
        return 0
    other = 1 - side
    # 1. Win by fours.
    plies = _fours_within(board, search, control, side, most)
    if control.reason != RUNNING:
        return 0
    if plies > 0:
        _line_from_fours(search, ply, plies)
        fill_zone(board, search, side, plies, ply)
        return plies
    against = five_cells(board, other)
    effort = depth if search.bounded == 0 else most
    if depth <= 0 or most < 5 or against >= 2 or known_failed(board, search, table, side, effort):
        return 0
    cut_before = search.cut
    # 2. Try the attacks.
    if against == 1:
        search.moves[ply, 0] = five_cell(board, other)
        attacks = 1
    else:
        attacks = _list_attacks(board, search, side, ply)
    for i in range(attacks):
        cell = types.int64(search.moves[ply, i])
        put(board, cell, side)
        worst = 0
        search.pv_length[ply + 1] = 0
        if board.count[other, FIVE_CELL] == 0:
            if board.count[side, FIVE_CELL] >= 2:
                worst = 1
                for word in range(board.words):
                    search.zone[ply + 1, word] = board.mask[side, FIVE_CELL, word]
            elif board.count[side, FIVE_CELL] == 1:
                answer = five_cell(board, side)
                put(board, answer, other)
                worst = threats(board, search, control, table, side, depth - 1, most - 2, ply + 2)
                take(board, answer)
                if worst > 0:
                    join_line(search, ply + 1, answer)
                    for word in range(board.words):
                        search.zone[ply + 1, word] = search.zone[ply + 2, word]
                    _add_cell_to_zone(search, answer, ply + 1)
            else:
                # A win by fours if the other passed makes this a threat, and its zone holds the answers.
                worst = _fours_within(board, search, control, side, most - 2)
                defences = 0
                if worst > 0:
                    fill_zone(board, search, side, worst, ply + 1)
                    defences = _list_zone(board, search, other, ply + 1)
                for j in range(defences):
                    answer = types.int64(search.moves[ply + 1, j])
                    put(board, answer, other)
                    rest = threats(board, search, control, table, side, depth - 1, most - 2, ply + 2)
                    take(board, answer)
                    if rest == 0:
                        worst = 0
                        break
                    for word in range(board.words):
                        search.zone[ply + 1, word] |= search.zone[ply + 2, word]
                    if rest > worst or search.pv_length[ply + 1] == 0:
                        worst = max(worst, rest)
                        join_line(search, ply + 1, answer)
        take(board, cell)
        if control.reason != RUNNING or search.threat_nodes <= 0:
            return 0
        if worst > 0:
            join_line(search, ply, cell)
            for word in range(board.words):
                search.zone[ply, word] = search.zone[ply + 1, word]
            _add_cell_to_zone(search, cell, ply)
            add_fours_to_zone(board, search, other, ply)
            plies = worst + 2
            store(
                board,
                search,
                table,
                position_key(board, side),
                PROVEN - plies,
                0,
                cell,
                _KEPT_DEPTH,
                BOUND_LOWER,
                1,
            )
            return plies
    if search.bounded == 0 or search.cut == cut_before:
        store_failed(board, search, table, side, effort)
    return 0


@njit(types.void(SEARCH, types.int64), cache=True)
def _keep_win(search, plies):
    """The win in ``search.pv[0]`` becomes the result."""
    search.value = PROVEN - plies
    search.best = search.pv[0, 0]
    search.line_length = search.pv_length[0]
    for i in range(search.line_length):
        search.line[i] = search.pv[0, i]


@njit(types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64), nogil=True, cache=True)
def forced_win(board, search, control, table, depth, node_share):
    """One deepening of the search for a forced win of the side to move: the plies it takes, or 0 if none was found.

    Visits at most ``node_share`` nodes (and ends with ``control``). A win is proven, may come sooner than
    in as many plies, and leaves ``search.value``, ``best`` and ``line``; 0 leaves them alone.
    """
    if board.misere != 0:
        return 0
    search.threat_nodes = node_share
    if board.gravity != 0:
        search.four_nodes = node_share
        plies = fours(board, search, control, 0, depth, 0)
        if plies > 0:
            _line_from_fours(search, 0, plies)
    else:
        plies = threats(board, search, control, table, 0, depth, MAX_PLY, 0)
    if plies == 0 or control.reason != RUNNING:
        return 0
    _keep_win(search, plies)
    return plies


@njit(types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64), nogil=True, cache=True)
def quicker_win(board, search, control, table, most, node_share):
    """A forced win of the side to move in at most ``most`` plies (5 or more): its plies, or 0 if none was found.

    For boards without gravity and play that is not misere. Visits at most ``node_share`` nodes. A win leaves
    what ``forced_win`` leaves; 0 leaves that alone. Where ``search.cut`` has not changed, 0 for ``most`` = 5
    says that there is no such win: its first mark must make an open four threaten, or be a four itself.
    """
    search.threat_nodes = node_share
    width = search.threat_width
    search.threat_width = MAX_CELLS
    search.bounded = 1
    plies = threats(board, search, control, table, 0, most, most, 0)
    search.bounded = 0
    search.threat_width = width
    if plies == 0 or control.reason != RUNNING:
        return 0
    _keep_win(search, plies)
    return plies


@njit(types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64), nogil=True, cache=True)
def urgency(board, search, control, table, depth, node_share):
    """One deepening of the search for a win of side 1 by threats if side 0 passed: its plies, or 0.

    For boards without gravity and play that is not misere. With a win ``search.urgent`` becomes 1 and
    ``search.urgent_zone`` the cells where side 0 has a hope to change it: an order of moves, no proof.
    """
    search.threat_nodes = node_share
    plies = threats(board, search, control, table, 1, depth, MAX_PLY, 1)
    if plies == 0 or control.reason != RUNNING:
        return 0
    search.urgent = 1
    for word in range(board.words):
        search.urgent_zone[word] = search.zone[1, word]
    return plies


@njit(
    types.int64(BOARD, SEARCH, CONTROL, TABLE, types.int64, types.int64, types.int64), nogil=True, cache=True
)
def refutation(board, search, control, table, cell, depth, node_share):
    """One deepening of the search for a win by threats against side 0's move on ``cell``: its plies, or 0.

    For boards without gravity and play that is not misere; ``cell`` is empty and completes no line. A win
    found is in the table, so that the main search knows the move to lose.
    """
    search.threat_nodes = node_share
    put(board, cell, 0)
    plies = threats(board, search, control, table, 1, depth, MAX_PLY, 1)
    take(board, cell)
    if control.reason != RUNNING:
        return 0
    return plies
