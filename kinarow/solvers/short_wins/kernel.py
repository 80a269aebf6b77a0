# mypy: ignore-errors
"""Wins within a few plies on boards of more than 64 cells: proven with their exact distance, for goals up to four.

The question is *can the attacker complete a line within so many plies, whatever the defender does?* It is the one that
``free_placement`` asks on small boards. Here the board is an array of marks, and each line has a count of the marks of
either side, updated as marks are put and taken back. A node looks only at lines that bear a mark (*touched* lines, a
stack for each side), so the size of the board hardly matters. Without gravity, misère and exact goal.

The *zone* of a proof is the set of empty cells that it rests on: the defender must mark one of them to disturb it.
"""

import numba
import numpy as np
from numba import boolean, int64, types, uint64, void

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, mix
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.short_wins.layout import BOARD_DTYPE, EMPTY, ENTRY_WORDS, ZONE_WORDS

# The switches: each takes one short cut away, so that tests can compare (see ``can_win_within``).
OFF_POTENTIAL = 1
OFF_PASS = 2
OFF_DISTANCE = 4
OFF_SYMMETRY = 8
OFF_TABLE = 16
OFF_IDLE = 32
ALL_SWITCHES = 63

ATTACKER = 0
DEFENDER = 1
_UNDECIDED = -1  # the result of a step that does not answer the question
# Symmetric positions share an entry up to this ply.
_SYMMETRY_PLIES = 3
_UNIT = 1 << 10
_CELL_BITS = np.uint64(10)
_FACTS = 2
_ZONE = 3
_NEVER = 255
_BYTE = np.uint64(255)
_NO_SHIFT = np.uint64(8)
_GENERATION_SHIFT = np.uint64(16)
_SALT = np.uint64(0x9E3779B97F4A7C15)
_LOW = np.uint64(63)

BOARD = numba.from_dtype(BOARD_DTYPE)
TABLE = types.Array(uint64, 1, "C")


# ---------------------------------------------------------------- marks


@entry(void(BOARD, int64, int64))
def put(board, side, cell):
    """Mark an empty cell."""
    board.mark[cell] = side
    for i in range(board.through_count[cell]):
        line = board.through[cell, i]
        if board.count[side, line] == 0:
            board.stack[side, board.touched[side]] = line
            board.touched[side] += 1
        board.count[side, line] += 1


@part(void(BOARD, int64, int64))
def take_back(board, side, cell):
    """Undo the last ``put`` of the side."""
    board.mark[cell] = EMPTY
    for i in range(board.through_count[cell]):
        line = board.through[cell, i]
        board.count[side, line] -= 1
        if board.count[side, line] == 0:
            board.touched[side] -= 1


@part(void(BOARD))
def swap(board):
    """Exchange the sides."""
    for cell in range(board.cells):
        if board.mark[cell] != EMPTY:
            board.mark[cell] = 1 - board.mark[cell]
    for line in range(board.lines):
        board.count[0, line], board.count[1, line] = board.count[1, line], board.count[0, line]
        board.stack[0, line], board.stack[1, line] = board.stack[1, line], board.stack[0, line]
    board.touched[0], board.touched[1] = board.touched[1], board.touched[0]


# ---------------------------------------------------------------- zones: sets of cells


@part(void(BOARD, int64, int64))
def add_to_zone(board, ply, cell):
    """Add a cell to the zone of a ply."""
    bit = ONE << (uint64(cell) & _LOW)
    board.zone[ply, cell >> 6] |= bit


@part(void(BOARD, int64))
def clear_zone(board, ply):
    """Empty the zone of a ply."""
    for word in range(ZONE_WORDS):
        board.zone[ply, word] = ZERO


@part(boolean(BOARD, int64, int64))
def in_zone(board, ply, cell):
    """Whether the zone of a ply has the cell."""
    return (board.zone[ply, cell >> 6] >> (uint64(cell) & _LOW)) & ONE != ZERO


# ---------------------------------------------------------------- lines and candidates


@inlined
def _add_pair(board, line):
    """Append the two empty cells of a line that lacks two marks to the pairs."""
    n = 0
    for j in range(board.goal):
        cell = int64(board.line[line, j])
        if board.mark[cell] == EMPTY:
            board.pair[board.pairs, n] = cell
            n += 1
    board.pairs += 1


@inlined
def _find_fork(board):
    """Set ``fork`` to the first cell that two different pairs share, and their other cells; or leave it -1."""
    for i in range(board.pairs):
        for j in range(i):
            for a in range(2):
                for b in range(2):
                    one = board.pair[i, 1 - a]
                    other = board.pair[j, 1 - b]
                    if board.fork[0] < 0 and board.pair[i, a] == board.pair[j, b] and one != other:
                        board.fork[0] = board.pair[i, a]
                        board.fork[1] = one
                        board.fork[2] = other


@part(void(BOARD, int64))
def scan_lines(board, limit):
    """Find the threats of the touched lines.

    ``completing[side]``: up to two different cells that complete a line for the side, -1 for none;
    ``pair``: the two empty cells of each line that lacks two marks for the attacker; ``fork``: a cell on two
    different pairs and their other cells, or -1; ``potential``: the sum of 2^-need over the attacker's
    touched lines with need <= limit, in units of 1 / 1024.
    """
    goal = board.goal
    board.pairs = 0
    board.fork[0] = -1
    potential = 0
    for side in range(2):
        first = -1
        second = -1
        for i in range(board.touched[side]):
            line = board.stack[side, i]
            if board.count[1 - side, line] != 0:
                continue
            need = goal - board.count[side, line]
            if side == ATTACKER and need <= limit:
                potential += _UNIT >> need
            if need == 1:
                for j in range(goal):
                    cell = int64(board.line[line, j])
                    if board.mark[cell] == EMPTY:
                        if first < 0:
                            first = cell
                        elif cell != first:
                            second = cell
            elif need == 2 and side == ATTACKER:
                _add_pair(board, int64(line))
        board.completing[side, 0] = first
        board.completing[side, 1] = second
    board.potential = potential
    _find_fork(board)


@inlined
def _sort_candidates(board, ply, count):
    """Sort the candidates of a ply by score, the highest first and the lower cell first among equals."""
    for i in range(1, count):
        cell = board.candidate[ply, i]
        j = i - 1
        while j >= 0 and (
            board.score[board.candidate[ply, j]] < board.score[cell]
            or (board.score[board.candidate[ply, j]] == board.score[cell] and board.candidate[ply, j] > cell)
        ):
            board.candidate[ply, j + 1] = board.candidate[ply, j]
            j -= 1
        board.candidate[ply, j + 1] = cell


@part(void(BOARD, int64, int64, boolean))
def list_candidates(board, ply, limit, everything):
    """List the empty cells on touched lines that still count, the best score first; then all others if wanted.

    A line counts while it bears marks of one side only and needs at most ``limit`` more. Where no line counts, the
    list has one cell.
    """
    for cell in range(board.cells):
        board.score[cell] = 0
    goal = board.goal
    count = 0
    for side in range(2):
        for i in range(board.touched[side]):
            line = board.stack[side, i]
            if board.count[1 - side, line] != 0:
                continue
            need = goal - board.count[side, line]
            if need > limit:
                continue
            for j in range(goal):
                cell = board.line[line, j]
                if board.mark[cell] == EMPTY:
                    if board.score[cell] == 0:
                        board.candidate[ply, count] = cell
                        count += 1
                    board.score[cell] += int64(1) << (2 * (goal - need))
    _sort_candidates(board, ply, count)
    if everything or count == 0:
        for i in range(board.cells):
            cell = board.order[i]
            if board.mark[cell] == EMPTY and board.score[cell] == 0:
                board.candidate[ply, count] = cell
                count += 1
                if not everything:
                    break
    board.candidates[ply] = count


@part(void(BOARD, int64, int64))
def add_line_cells(board, ply, limit):
    """Add to the zone of a ply the empty cells on the defender's lines that need at most ``limit`` marks."""
    for i in range(board.touched[DEFENDER]):
        line = board.stack[DEFENDER, i]
        if board.count[ATTACKER, line] == 0 and board.goal - board.count[DEFENDER, line] <= limit:
            for j in range(board.goal):
                cell = int64(board.line[line, j])
                if board.mark[cell] == EMPTY:
                    add_to_zone(board, ply, cell)


# ---------------------------------------------------------------- the table


@part(uint64(BOARD, int64, int64))
def packed_marks(board, side, symmetry):
    """The cells that a side has marked since the root, mapped by a symmetry, in order in one word."""
    count = board.added[side]
    for i in range(count):
        cell = int64(board.image[symmetry, board.marked[side, i]])
        j = i - 1
        while j >= 0 and board.sorted[j] > cell:
            board.sorted[j + 1] = board.sorted[j]
            j -= 1
        board.sorted[j + 1] = cell
    word = ONE
    for i in range(count):
        word = (word << _CELL_BITS) | uint64(board.sorted[i])
    return word


@part(int64(BOARD, int64, int64))
def make_key(board, ply, mover):
    """Write the key of the position into ``board.key``; returns the symmetry it was mapped by.

    A one and then ten bits for each cell: the words say exactly which cells each side has marked since the
    root. The lowest bit of the first says who is to move.
    """
    chosen = 0
    board.key[0] = packed_marks(board, ATTACKER, 0)
    board.key[1] = packed_marks(board, DEFENDER, 0)
    if (board.off & OFF_SYMMETRY) == 0 and ply <= _SYMMETRY_PLIES:
        for symmetry in range(1, board.symmetries):
            first = packed_marks(board, ATTACKER, symmetry)
            second = packed_marks(board, DEFENDER, symmetry)
            if first < board.key[0] or (first == board.key[0] and second < board.key[1]):
                board.key[0] = first
                board.key[1] = second
                chosen = symmetry
    board.key[0] = (board.key[0] << ONE) | uint64(mover)
    return chosen


@part(int64(TABLE, uint64, uint64))
def entry_of(table, key_first, key_second):
    """The index of the entry for a key."""
    entries = uint64(table.size // ENTRY_WORDS)
    return int64(mix(key_first + mix(key_second + _SALT)) & (entries - ONE)) * ENTRY_WORDS


@part(void(BOARD, TABLE, int64, int64, int64))
def load_zone(board, table, entry, ply, symmetry):
    """Copy the zone of an entry to a ply, mapped back from the symmetry under which it was stored."""
    clear_zone(board, ply)
    back = board.inverse[symmetry]
    for word in range(ZONE_WORDS):
        bits = table[entry + _ZONE + word]
        if symmetry == 0:
            board.zone[ply, word] = bits
            continue
        for bit in range(64):
            if (bits >> uint64(bit)) & ONE != ZERO:
                add_to_zone(board, ply, int64(board.image[back, (word << 6) + bit]))


@part(int64(BOARD, TABLE, int64, int64, int64))
def look_up(board, table, plies, ply, symmetry):
    """The answer of the table for the key just made: 1 with its zone in ``zone[ply]``, 0, or ``_UNDECIDED``."""
    entry = entry_of(table, board.key[0], board.key[1])
    facts = table[entry + _FACTS]
    if (
        table[entry] != board.key[0]
        or table[entry + 1] != board.key[1]
        or (facts >> _GENERATION_SHIFT) != uint64(board.generation)
    ):
        return _UNDECIDED
    if int64(facts & _BYTE) <= plies:
        load_zone(board, table, entry, ply, symmetry)
        return 1
    return 0 if int64((facts >> _NO_SHIFT) & _BYTE) >= plies else _UNDECIDED


@part(void(BOARD, TABLE, int64, int64, int64))
def _store_zone(board, table, entry, ply, symmetry):
    """Copy the zone of a ply to an entry, mapped by the symmetry of its key."""
    for word in range(ZONE_WORDS):
        table[entry + _ZONE + word] = board.zone[ply, word] if symmetry == 0 else ZERO
    if symmetry != 0:
        for cell in range(board.cells):
            if in_zone(board, ply, cell):
                image = int64(board.image[symmetry, cell])
                table[entry + _ZONE + (image >> 6)] |= ONE << (uint64(image) & _LOW)


@part(void(BOARD, TABLE, uint64, uint64, *(int64,) * 4))
def store(board, table, key_first, key_second, plies, answer, ply, symmetry):
    """Write an answer to the table, and the zone of the ply if it is a yes."""
    entry = entry_of(table, key_first, key_second)
    generation = uint64(board.generation) << _GENERATION_SHIFT
    least_yes = _NEVER
    largest_no = 0
    facts = table[entry + _FACTS]
    if (
        table[entry] == key_first
        and table[entry + 1] == key_second
        and (facts >> _GENERATION_SHIFT) == uint64(board.generation)
    ):
        least_yes = int64(facts & _BYTE)
        largest_no = int64((facts >> _NO_SHIFT) & _BYTE)
    table[entry] = key_first
    table[entry + 1] = key_second
    if answer == 0:
        largest_no = max(largest_no, plies)
    elif plies < least_yes:
        least_yes = plies
        _store_zone(board, table, entry, ply, symmetry)
    table[entry + _FACTS] = generation | (uint64(largest_no) << _NO_SHIFT) | uint64(least_yes)


# ---------------------------------------------------------------- the search


@part(int64(BOARD, int64, int64))
def _attacker_at_once(board, plies, ply):
    """Step 1 with the attacker to move: 1, 0 or ``_UNDECIDED``; ``forced`` is the cell the side must mark, or -1."""
    win = board.completing[ATTACKER, 0]
    if board.goal == 1:
        list_candidates(board, ply, board.goal, True)
        win = int64(board.candidate[ply, 0])
    board.forced = board.completing[DEFENDER, 0]
    if win >= 0:
        add_to_zone(board, ply, win)
        if ply == 0:
            board.root_move = win
        return 1
    if plies < 3 or board.completing[DEFENDER, 1] >= 0:
        return 0
    if board.forced >= 0 or board.fork[0] < 0:
        return _UNDECIDED
    for i in range(3):
        add_to_zone(board, ply, board.fork[i])
    if ply == 0:
        board.root_move = board.fork[0]
    return 1


@part(int64(BOARD, int64, int64))
def _defender_at_once(board, plies, ply):
    """Step 1 with the defender to move: 1, 0 or ``_UNDECIDED``; ``forced`` is the cell the side must mark, or -1."""
    loss = board.completing[DEFENDER, 0]
    board.forced = board.completing[ATTACKER, 0]
    if loss >= 0:
        if ply == 0:
            board.root_move = loss
        return 0
    if board.completing[ATTACKER, 1] >= 0:
        add_to_zone(board, ply, board.forced)
        add_to_zone(board, ply, board.completing[ATTACKER, 1])
        return 1
    # At the root the search goes on, so that it finds a move.
    return 0 if board.forced < 0 and plies < 4 and ply > 0 else _UNDECIDED


@part(void(BOARD, int64, int64))
def _list_defences(board, ply, pass_plies):
    """List the moves that may disturb the win within so many plies after a pass, whose zone is that of the next ply.

    ``union[ply]`` becomes that zone.
    """
    for word in range(ZONE_WORDS):
        board.union[ply, word] = board.zone[ply + 1, word]
    marks = (pass_plies + 1) >> 1
    add_line_cells(board, ply + 1, marks)
    list_candidates(board, ply, board.goal, True)
    if marks >= board.goal:
        return
    count = 0
    for i in range(board.candidates[ply]):
        cell = int64(board.candidate[ply, i])
        if in_zone(board, ply + 1, cell):
            board.candidate[ply, count] = cell
            count += 1
    board.candidates[ply] = count


@inlined
def _add_to_union(board, ply, cell):
    """Add a cell to ``union[ply]``."""
    board.union[ply, cell >> 6] |= ONE << (uint64(cell) & _LOW)


@part(void(BOARD, int64))
def _join_empty_cells(board, ply):
    """Add every empty cell to ``union[ply]``."""
    for cell in range(board.cells):
        if board.mark[cell] == EMPTY:
            _add_to_union(board, ply, cell)


@inlined
def _plies_after_pass(board, budget, table, plies, ply, mover):
    """The fewest plies within which the attacker wins if the defender passes, 0 if ``plies`` - 1 do not suffice.

    A step of ``can_win_within``; void when the budget is spent.
    """
    result = 0
    within = int64(3)  # a literal would compile the kernel for literals too
    while result == 0 and within < plies and budget.reason == RUNNING:
        if can_win_within(board, budget, table, within, ply + 1, 1 - mover) != 0:
            result = within
        within += 2
    return result


@inlined
def _try_moves(board, budget, table, plies, ply, mover):
    """The answer after trying the candidates in turn, and in ``union[ply]`` the zone of a yes.

    A step of ``can_win_within``; void when the budget is spent.
    """
    side = ATTACKER if mover == 1 else DEFENDER
    answer = 1 - mover
    for i in range(board.candidates[ply]):
        cell = int64(board.candidate[ply, i])
        board.marked[side, board.added[side]] = cell
        board.added[side] += 1
        put(board, side, cell)
        reply = can_win_within(board, budget, table, plies - 1, ply + 1, 1 - mover)
        take_back(board, side, cell)
        board.added[side] -= 1
        if budget.reason != RUNNING:
            break
        if reply == mover:
            answer = mover
            if ply == 0:
                board.root_move = cell
            if mover == 1:
                for word in range(ZONE_WORDS):
                    board.union[ply, word] = board.zone[ply + 1, word]
                _add_to_union(board, ply, cell)
            break
        if mover == 0:
            for word in range(ZONE_WORDS):
                board.union[ply, word] |= board.zone[ply + 1, word]
    return answer


@part(int64(BOARD, BUDGET, TABLE, int64, int64, int64))
def can_win_within(board, budget, table, plies, ply, mover):
    """Can the attacker complete a line within so many plies? 1 yes, 0 no (void when the budget is spent).

    ``mover`` is 1 when the attacker is to move (plies odd), 0 when the defender is (plies even). A line of the
    defender ends the game without success. A yes leaves its zone in ``zone[ply]``. The steps, of which
    ``free_placement`` has the same and says why they are sound:

    1. The lines that count: those that lack no more marks than the attacker has moves left (OFF_DISTANCE).
    2. Ends, forced moves, forks.
    3. Potential: below 1 with the defender to move, or 1/2 with the attacker: no. Used only where lines
       without a mark cannot be completed any more (OFF_POTENTIAL).
    4. The table (OFF_TABLE, OFF_SYMMETRY).
    5. The attacker's moves: the empty cells on lines that count for either side; any other cell is worth less
       (OFF_IDLE).
    6. The defender's moves. If the attacker wins within p plies when the defender passes, the defender must
       mark a cell of that proof's zone, or one of a line that it could complete itself before, with this
       mark and the (p - 1) / 2 that follow. The least such p is looked for first, since it bars most
       (OFF_PASS).
    """
    if not may_visit(budget):
        return 0
    off = board.off
    goal = board.goal
    # 1. The lines that count.
    limit = (plies + 1) >> 1 if (off & OFF_DISTANCE) == 0 else goal
    scan_lines(board, limit)
    clear_zone(board, ply)

    # 2. Ends, forced moves, forks.
    answer = _attacker_at_once(board, plies, ply) if mover == 1 else _defender_at_once(board, plies, ply)
    if answer != _UNDECIDED:
        return answer
    forced = board.forced

    # 3. Potential.
    if ply > 0 and limit < goal and (off & OFF_POTENTIAL) == 0 and (board.potential << mover) < _UNIT:
        return 0
    # 4. The table.
    symmetry = make_key(board, ply, mover)
    key_first = board.key[0]
    key_second = board.key[1]
    if ply > 0 and (off & OFF_TABLE) == 0:
        answer = look_up(board, table, plies, ply, symmetry)
        if answer != _UNDECIDED:
            return answer

    # The moves: a forced one, or those of step 5 or 6. ``union`` gathers the zone.
    for word in range(ZONE_WORDS):
        board.union[ply, word] = ZERO
    if forced >= 0:
        board.candidates[ply] = 1
        board.candidate[ply, 0] = forced
        if mover == 0:
            _add_to_union(board, ply, forced)
    elif mover == 1:  # 5. The attacker's moves.
        list_candidates(board, ply, limit, limit >= goal or (off & OFF_IDLE) != 0)
    else:  # 6. The defender's moves.
        pass_plies = 0
        if (off & OFF_PASS) == 0:
            pass_plies = _plies_after_pass(board, budget, table, plies, ply, mover)
            if budget.reason != RUNNING:
                return 0
            if pass_plies == 0 and ply > 0:
                # A further mark never hurts its owner: where a pass does not lose, some move does not either.
                store(board, table, key_first, key_second, plies, 0, ply, symmetry)
                return 0
        if pass_plies > 0:
            _list_defences(board, ply, pass_plies)
        else:
            list_candidates(board, ply, goal, True)
            _join_empty_cells(board, ply)
    answer = _try_moves(board, budget, table, plies, ply, mover)
    if budget.reason != RUNNING:
        return 0
    for word in range(ZONE_WORDS):
        board.zone[ply, word] = board.union[ply, word]
    store(board, table, key_first, key_second, plies, answer, ply, symmetry)
    return answer


@entry(int64(BOARD, BUDGET, TABLE, int64, int64))
def wins_within(board, budget, table, plies, attacker):
    """Can a side (0 or 1 as marked), the attacker, complete a line within so many plies?

    The attacker is to move where ``plies`` is odd, the other side where it is even. 1 yes, 0 no (void when
    ``budget.reason`` is set). ``root_move`` is the first move of the side to move where the answer is in its favour.
    """
    if attacker == DEFENDER:
        swap(board)
    board.root_move = -1
    board.added[0] = 0
    board.added[1] = 0
    answer = can_win_within(board, budget, table, plies, 0, plies & 1)
    if attacker == DEFENDER:
        swap(board)
    return answer
