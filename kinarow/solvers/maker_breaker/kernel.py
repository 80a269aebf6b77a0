# mypy: ignore-errors
"""Maker-Breaker: the weaker game in which one side, the maker, only completes lines and the breaker only blocks.

A side that cannot complete a line as the maker, against an opponent that does nothing but block, cannot complete
one in the real game either, where the opponent may also win. If neither side can, the game is a draw. (Beck,
Combinatorial Games: Tic-Tac-Toe Theory, 2008. Solving boards this way, with zones and pairings: Hsu, Ko, Chen, Wei,
Hsueh, Wu, On solving the 7,7,5-game and the 8,8,5-game, Theoretical Computer Science 815, 2020.)

A game here is a list of lines, each a word of at most 64 empty cells that the maker still lacks. A mark of the maker
takes its cell out of every line; a mark of the breaker deletes the lines through its cell. A line with no cell left
is completed. Nothing else matters, so the same code serves every board. It serves an exact goal too, where the maker
must at least complete a line of the list.

The search asks one question: *does the maker complete a line?* Each answer has a **zone**, the cells that its proof
depends on: the winner would win even if the loser owned all cells outside.
"""

from numba import int64

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_bits import ONE, ZERO, highest_scored, lowest_bit, lowest_index, popcount
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from kinarow.solvers.common.kernel_proof_table import TABLE, find, mapped, new_generation, store, stored_answer, zone_of
from kinarow.solvers.maker_breaker.kernel_lines import GAME, STATE, lines_key, play, score_cells
from kinarow.solvers.maker_breaker.kernel_pairing import find_pairing
from kinarow.solvers.maker_breaker.layout import OFF_PAIRING, OFF_STATIC_CHECK, OFF_ZONE

# A static check that proves nothing returns this plus the number of cells that a pairing lacks.
_UNDECIDED = 2
_MOST_MISSING = 512
_MISSING_SHIFT = 40  # above every cell score, so the number of missing cells decides the order first

# The ``plies`` of all table entries, as these queries have no limit of plies.
_EVER = 1


@part(int64(STATE, int64, int64))
def immediate_result(state, ply, maker_to_move):
    """Return 1 if the maker wins by its next mark or a fork, -1 if the breaker must block, else 0.

    Set ``zone[ply]`` to the win's zone or the cell to block, and ``winning_move`` to the maker's move.
    """
    completing = ZERO
    seen = ZERO
    state.winning_move = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        rest = left & (left - ONE)
        if rest == ZERO:
            completing |= left
        elif (rest & (rest - ONE)) == ZERO:
            if (seen & left) != ZERO and state.winning_move == ZERO:
                for j in range(i):
                    pair = state.left[ply, j]
                    if (pair & left) != ZERO and pair != left and int64(popcount(pair)) == 2:
                        state.winning_move = pair & left
                        state.zone[ply] = pair | left
                        break
            seen |= left
    if maker_to_move == 1 and completing != ZERO:
        state.winning_move = lowest_bit(completing)
        state.zone[ply] = state.winning_move
        return 1
    if maker_to_move == 1:
        return 1 if state.winning_move != ZERO else 0
    state.zone[ply] = completing
    if completing == ZERO:
        return 0
    return 1 if (completing & (completing - ONE)) != ZERO else -1


@part(int64(GAME, STATE, TABLE, int64, int64))
def static_check(game, state, table, ply, maker_to_move):
    """Take steps 2 and 3 of ``maker_wins``; return 1 yes, 0 no, or ``_UNDECIDED`` plus the cells that a pairing lacks.

    Set ``zone[ply]`` to the answer's zone, ``key`` and ``symmetry`` to those of the position. The root is searched in
    any case, to find a move, if it has lines.
    """
    state.zone[ply] = ZERO
    if state.count[ply] == 0:
        return 0
    lines_key(game, state, ply, maker_to_move)
    if ply == 0:
        return _UNDECIDED
    # 2. The table.
    entry = find(table, state.generation, state.key[0], state.key[1])
    if entry >= 0:
        state.zone[ply] = zone_of(game.images, table, entry, state.symmetry)
        return stored_answer(table, entry, _EVER)
    # 3. A pairing.
    if (game.off & OFF_PAIRING) != 0:
        return _UNDECIDED
    missing = find_pairing(game, state, ply)
    if missing == 0:
        state.zone[ply] = state.paired
        return 0
    return _UNDECIDED + missing


@inlined
def best_blocks(game, state, budget, table, ply, maker_to_move, static_only, candidates):
    """Take step 4 of ``maker_wins``; return the one block that a static check proves, else all candidates, rescored."""
    waiting = candidates
    while waiting != ZERO:
        move = highest_scored(state.weight[ply], waiting)
        waiting &= ~move
        play(state, ply, move, 0)
        # No literal may be passed in a recursive call: the code would compile, but not load from the cache.
        result = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, 1 - static_only)
        if budget.reason != RUNNING:
            break
        if result == 0:
            candidates = move
            break
        if result >= _UNDECIDED:
            rank = _UNDECIDED + _MOST_MISSING - result
            state.weight[ply, lowest_index(move)] += rank << _MISSING_SHIFT
    return candidates


@part(int64(GAME, STATE, BUDGET, TABLE, int64, int64, int64))
def maker_wins(game, state, budget, table, ply, maker_to_move, static_only):
    """Search whether the maker completes one of the lines at this ply; return 1 yes, 0 no, invalid without budget.

    ``maker_to_move`` is 1 or 0. With ``static_only`` take only steps 1 to 3; the answer may then be ``_UNDECIDED`` or
    more. A yes or no leaves its zone in ``zone[ply]``. At ply 0 ``root_move`` becomes the winning move if the winner is
    to move.

    1. Immediate results (``immediate_result``): a line of one cell, two such lines, a fork; a forced block.
    2. The table.
    3. A pairing (``find_pairing``) proves a no (OFF_PAIRING).
    4. If the breaker is to move, take steps 1 to 3 after each move. If none is proven to hold, search those nearest to
       a proof first (``best_blocks``: OFF_STATIC_CHECK).
    5. Search the moves. If one fails, its refutation has a zone, and so refutes every move outside it: only moves in
       the zones of all refutations are left (OFF_ZONE).
    """
    if not may_visit(budget):
        return 0
    # 1. Immediate results.
    soon = immediate_result(state, ply, maker_to_move)
    if soon == 1:
        if ply == 0 and maker_to_move == 1:
            state.root_move = int64(lowest_index(state.winning_move))
        return 1
    if soon == -1:
        block = state.zone[ply]
        if ply == 0:
            state.root_move = int64(lowest_index(block))
        play(state, ply, block, maker_to_move)
        answer = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, static_only)
        state.zone[ply] = block | state.zone[ply + 1]
        return answer
    # 2 and 3. Static proofs.
    result = static_check(game, state, table, ply, maker_to_move)
    if result < _UNDECIDED or static_only != 0:
        return result
    symmetry = state.symmetry
    key_first = state.key[0]
    key_second = state.key[1]
    nodes = budget.nodes
    # 4. Static checks of the blocks.
    candidates = score_cells(game, state, ply, maker_to_move)
    if maker_to_move == 0 and (game.off & OFF_STATIC_CHECK) == 0:
        candidates = best_blocks(game, state, budget, table, ply, maker_to_move, static_only, candidates)
        if budget.reason != RUNNING:
            return 0
    # 5. The search.
    answer = 1 - maker_to_move
    zone = ZERO
    while candidates != ZERO:
        move = highest_scored(state.weight[ply], candidates)
        candidates &= ~move
        play(state, ply, move, maker_to_move)
        result = maker_wins(game, state, budget, table, ply + 1, 1 - maker_to_move, static_only)
        if budget.reason != RUNNING:
            return 0
        if result == maker_to_move:
            answer = maker_to_move
            zone = move | state.zone[ply + 1]
            if ply == 0:
                state.root_move = int64(lowest_index(move))
            break
        zone |= state.zone[ply + 1]
        if (game.off & OFF_ZONE) == 0:
            candidates &= state.zone[ply + 1]
    stored_zone = mapped(game.images, symmetry, zone) if symmetry else zone
    store(table, state.generation, key_first, key_second, _EVER, answer, stored_zone, budget.nodes - nodes)
    state.zone[ply] = zone
    return answer


@entry(int64(GAME, STATE, BUDGET, TABLE, int64))
def solve(game, state, budget, table, maker_to_move):
    """Return 1 if the maker completes a line, else 0; set ``root_move`` to the mover's winning move, or -1."""
    state.generation = new_generation(table)
    state.root_move = -1
    state.count[0] = game.lines
    for i in range(game.lines):
        state.left[0, i] = game.line[i]
        state.index[0, i] = i
    return maker_wins(game, state, budget, table, 0, maker_to_move, 0)
