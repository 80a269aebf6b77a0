# mypy: ignore-errors
"""The root of an exact search: the value, the first of the best moves, a best line, and many positions in one call.

``make_solve`` and ``make_value_positions`` make these entries from the kernels of a solver's search. Inside them values
count from the start of the game: with p cells filled when it ends,

    a win     cells + 1 - p        a loss    p - cells - 1        a draw    0

so that the value of a position is minus that of its best child, with no plies to add. Callers count plies from the
position they ask about: there a win in n plies is cells + 1 - n. Both scales have the same order: quick wins, slow
wins, draw, slow losses, quick losses. ``from_position`` and ``from_start`` convert; nothing else does.
"""

from typing import Any, NamedTuple

import numba
from numba import int8, int64, uint64, void

from kinarow.kernels.declare import entry, inlined, part
from kinarow.solvers.common.budget_record import OUT_OF_NODES, RUNNING
from kinarow.solvers.common.capacity import ALL_MOVES, NO_MOVES
from kinarow.solvers.common.kernel_bits import ONE, ZERO, popcount
from kinarow.solvers.common.kernel_budget import BUDGET
from kinarow.solvers.common.kernel_proof_table import TABLE
from kinarow.solvers.common.layout import RESULT_DTYPE

# The principal variation may cost this many nodes beyond the proof.
PV_NODES = 2000
NO_PLACE = -1

RESULT = numba.from_dtype(RESULT_DTYPE)


@part(int64(int64, int64))
def from_start(value, marks):
    """Convert a value to count from the start of the game; a bound nearer to 0 than any win or loss becomes 0."""
    return max(value - marks, 0) if value > 0 else min(value + marks, 0)


@part(int64(int64, int64))
def from_position(value, marks):
    """Convert a value to count from the position with ``marks`` cells filled."""
    return value + marks if value > 0 else (value - marks if value < 0 else 0)


@part(void(RESULT, int64))
def count_from_position(result, marks):
    """Let the bounds of a result count from the position with this many cells filled."""
    result.lower = from_position(result.lower, marks)
    result.upper = from_position(result.upper, marks)


@inlined
def swapped(_game, own, opponent, move):
    """Return the words of the position after a move, where each side has marks of its own."""
    return opponent, own | move


class Search(NamedTuple):
    """The kernels of a solver's search."""

    solver: str
    """The name of the solver's folder."""
    game_type: Any
    """Its record of a game, with ``cells`` and ``order``, the cells in the order of moves as bit indices."""
    state_type: Any
    """Its working memory."""
    playable: Any
    """(game, own, opponent) → the cells that may be marked."""
    after_mark: Any
    """(game, own, opponent, move) → the two words of the position after a move."""
    narrow: Any
    """(game, state, budget, table, own, opponent, result) → the value that ``result.move`` reaches.

    It narrows ``result.lower <= value <= result.upper`` until they meet or the budget ends.
    """
    move_bound: Any
    """(game, state, budget, table, own, opponent, move, beta) → a bound of the value of a legal move.

    It is fail-soft, and decides whether the value is at least beta.
    """


def make_solve(search, begin, *, pv_share=0):
    """Make the entry ``solve``, which solves one position, with a principal variation.

    ``begin(game, state, table, own, opponent)`` prepares the search. The principal variation may cost ``pv_share``
    times the nodes of the proof, and ``PV_NODES``.
    """
    solver, game_type, state_type, playable, after_mark, narrow, move_bound = search
    position = game_type, state_type, BUDGET, TABLE, uint64, uint64

    @part(int64(*position, uint64, int64))
    def first_best(game, state, budget, table, own, opponent, moves, value):
        """Return the first of these moves in the game's order that reaches this value, or ``NO_PLACE``."""
        for i in range(game.cells):
            place = game.order[i]
            move = ONE << uint64(place)
            if (moves & move) == ZERO:
                continue
            bound = move_bound(game, state, budget, table, own, opponent, move, value)
            if budget.reason != RUNNING:
                return NO_PLACE
            if bound >= value:
                return place
        return NO_PLACE

    @part(void(*position, RESULT))
    def find_pv(game, state, budget, table, own, opponent, result):
        """Write the principal variation from ``result.move`` on, first best moves only, as far as nodes allow."""
        limit = budget.node_limit
        budget.node_limit = min(limit, (1 + pv_share) * budget.nodes + PV_NODES)
        value = result.lower
        place = result.move
        while place >= 0:
            result.line[result.moves] = place
            result.moves += 1
            empties = game.cells - int64(popcount(own | opponent))
            if empties == 1 or abs(value) == empties:
                break
            own, opponent = after_mark(game, own, opponent, ONE << uint64(place))
            value = -value
            moves = playable(game, own, opponent)
            place = first_best(game, state, budget, table, own, opponent, moves, value)
        if budget.reason == OUT_OF_NODES and budget.nodes < limit:
            budget.reason = RUNNING
        budget.node_limit = limit

    @entry(void(game_type, state_type, uint64, uint64, int64, int64, uint64, BUDGET, TABLE, RESULT), solver)
    def solve(game, state, own, opponent, lower, upper, candidates, budget, table, result):
        """Prove the value of an ongoing position, the first move in the game's order that reaches it, and a best line.

        ``lower`` and ``upper`` are what is known of the value, counted from the position, and ``candidates`` has every
        move that may reach ``upper``. If the budget ends before the proof, ``lower <= value <= upper`` still holds and
        ``move`` is a legal move that reaches ``lower``. If it ends during the choice among equal moves, the value is
        proven all the same, and the move is one that the proof found.
        """
        # 1. Begin with the legal move that comes first.
        begin(game, state, table, own, opponent)
        marks = int64(popcount(own | opponent))
        moves = playable(game, own, opponent)
        result.moves = 0
        for i in range(game.cells - 1, -1, -1):
            if ((ONE << uint64(game.order[i])) & moves) != ZERO:
                result.move = game.order[i]
        # 2. Prove the value.
        result.lower = max(from_start(lower, marks), marks - game.cells)
        result.upper = min(from_start(upper, marks), game.cells - marks)
        if lower == upper:
            moves &= candidates
        reached = narrow(game, state, budget, table, own, opponent, result)
        # 3. Choose the first of the best moves, and follow the best line.
        proven = result.lower == result.upper
        place = NO_PLACE
        if proven:
            place = first_best(game, state, budget, table, own, opponent, moves, result.lower)
        if place >= 0:
            result.move = place
            find_pv(game, state, budget, table, own, opponent, result)
        elif proven and reached == result.lower:
            result.line[0] = result.move
            result.moves = 1
        else:
            # What is known without a move that reaches it is no claim for the move.
            result.lower = reached
        count_from_position(result, marks)


def make_value_positions(search, begin):
    """Make the entry ``value_positions``, which values many positions, or their moves too.

    ``begin(game, state, table, own, opponent)`` prepares the search of each; earlier entries of the table are ignored.
    """
    solver, game_type, state_type, playable, after_mark, narrow, move_bound = search
    position = game_type, state_type, BUDGET, TABLE, uint64, uint64

    @part(int64(*position, RESULT, uint64, int64, int64))
    def move_value(game, state, budget, table, own, opponent, result, move, best, everything):
        """Return a move's value, capped at ``best``; without ``everything`` a worse move gets only an upper bound."""
        bound = move_bound(game, state, budget, table, own, opponent, move, best)
        if bound >= best:
            return best
        empties = game.cells - int64(popcount(own | opponent))
        # The bound is the value if the move ends the game: it fills the board, or loses at once.
        if everything == 0 or budget.reason != RUNNING or empties == 1 or bound == -empties:
            return bound
        result.lower, result.upper = -bound, empties - 1
        first, second = after_mark(game, own, opponent, move)
        narrow(game, state, budget, table, first, second, result)
        return -result.lower

    @part(void(*position, RESULT, int64, int64, int64, int64[::1], int8[::1]))
    def value_moves(game, state, budget, table, own, opponent, result, best, moves, nodes, cell_of_bit, move_values):
        """Write the values of the position's moves by cell; ``best`` is its value. A search ends after ``nodes``."""
        marks = int64(popcount(own | opponent))
        reach = playable(game, own, opponent)
        everything = 1 if moves == ALL_MOVES else 0
        for i in range(game.cells):
            place = game.order[i]
            move = ONE << uint64(place)
            if (reach & move) == ZERO:
                continue
            budget.node_limit = budget.nodes + nodes
            value = move_value(game, state, budget, table, own, opponent, result, move, best, everything)
            if budget.reason != RUNNING:
                return
            if value == best or everything != 0:
                move_values[cell_of_bit[place]] = from_position(value, marks)

    boards = uint64[::1], uint64[::1], int64[::1]

    @entry(int64(game_type, state_type, BUDGET, TABLE, RESULT, *boards, int64, int64, int8[::1], int8[:, ::1]), solver)
    def value_positions(
        game, state, budget, table, result, own, opponent, cell_of_bit, moves, nodes, values, move_values
    ):
        """Value ongoing positions in turn; return how many were tried before the time or a stop ended the search.

        Each search, of a position or of one of its moves, ends after ``nodes`` nodes. A position that needs more keeps
        its ``NO_VALUE``, and the values of its moves are void.

        Required: ``values`` and ``move_values``, which has a column for each cell, are filled with ``NO_VALUE``.
        """
        for i in range(len(own)):
            begin(game, state, table, own[i], opponent[i])
            marks = int64(popcount(own[i] | opponent[i]))
            budget.node_limit = budget.nodes + nodes
            result.lower, result.upper = marks - game.cells, game.cells - marks
            narrow(game, state, budget, table, own[i], opponent[i], result)
            value = result.lower
            if budget.reason == RUNNING and moves != NO_MOVES:
                board = own[i], opponent[i]
                wanted = moves, nodes, cell_of_bit, move_values[i]
                value_moves(game, state, budget, table, *board, result, value, *wanted)
            if budget.reason == RUNNING:
                values[i] = from_position(value, marks)
            elif budget.reason == OUT_OF_NODES:
                budget.reason = RUNNING
            else:
                return i
        return len(own)
