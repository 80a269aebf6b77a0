"""The solver for boards of every size and shape: iterative deepening with the line-count kernel."""

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from kinarow import score
from kinarow.game.geometry import board_of
from kinarow.game.line_heuristic import estimate_scale
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.score import Score
from kinarow.search_types import MAX_LINE, SearchInfo
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.record import new_state
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.line_counts.layout import DECISIVE, EXTRA_WORDS, GAME_DTYPE, INFINITY, STATE_DTYPE, WIN

kernels = Library("line_counts")

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "layers"})
MIN_TABLE_BITS = 6
MAX_TABLE_BITS = 20
MAX_TABLE_BYTES = 48 << 20
TABLE_SHARE = 2  # table entries for each node of the budget, so that few are overwritten
VISIT_NS = 5  # the most nanoseconds of a node (its move ordering) for each pair of a cell and a line through it

GAMES_KEPT = 32
_idle: deque[Pointer] = deque(maxlen=4)  # reused states: allocating four megabytes takes longer than an easy search


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> Pointer:
    """Return the game record of the rules, shared by all searches."""
    game = Pointer(np.zeros(1, GAME_DTYPE))
    kernels.set_rules(board_of(rules), game)
    return game


class _BorrowedState:
    """Context manager: a state with the position set up, reused by later searches."""

    def __init__(self, game: Pointer, position: Position) -> None:
        try:
            self._state = _idle.pop()
        except IndexError:
            self._state = new_state(STATE_DTYPE)
        kernels.set_up(game, self._state, np.frombuffer(position.relative(), np.int8))

    def __enter__(self) -> Pointer:
        return self._state

    def __exit__(self, *failure: object) -> None:
        _idle.append(self._state)


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules."""
    return rules.within(RULES_HANDLED)


def to_score(value: int, cells: int, marks: int, complete: bool, rules: Rules) -> Score:
    """Convert a kernel's value to the score of a position with ``marks`` marks; ``complete``: no estimate was used."""
    if value >= DECISIVE:
        return score.win(cells, WIN - value - marks)
    if value <= -DECISIVE:
        return score.loss(cells, WIN + value - marks)
    if complete:
        return score.draw(cells - marks)
    return score.estimate(value, estimate_scale(rules.goal))


def evaluate(position: Position) -> Score:
    """Return the static evaluation: a draw if no side can complete a line any more, else the line heuristic."""
    rules = position.rules
    with _BorrowedState(game_of(rules), position) as state:
        dead = not state.array["alive"].any()
        value = 0 if dead else int(state.array["estimate"][0])
    return to_score(value, rules.cells, rules.cells - position.empties, dead, rules)


def evaluations(position: Position) -> Callable[[int], Score]:
    """Evaluate the positions after all moves in one kernel call; return a function from a move to the result.

    The move must not end the game.
    """
    rules = position.rules
    game = game_of(rules)
    estimates_of = np.zeros(rules.cells, np.int64)
    with _BorrowedState(game, position) as state:
        kernels.estimate_moves(game, state, estimates_of)
    estimates: list[int] = estimates_of.tolist()
    marks = rules.cells - position.empties + 1

    def after(move: int) -> Score:
        dead = estimates[move] == WIN
        return to_score(0 if dead else estimates[move], rules.cells, marks, dead, rules)

    return after


def table_bits(cells: int, node_limit: int, entry_words: int) -> int:
    """Return the base-2 logarithm of the table's entries: no more than the budget or the game can fill."""
    by_budget = (TABLE_SHARE * node_limit).bit_length()
    by_board = (3**cells).bit_length()
    by_memory = (MAX_TABLE_BYTES // (8 * entry_words)).bit_length() - 1
    return max(MIN_TABLE_BITS, min(MAX_TABLE_BITS, by_budget, by_board, by_memory))


def iterate(position: Position, budget: Budget, max_depth: int | None) -> Iterator[SearchInfo]:
    """Yield the result of each iteration, and of an interrupted one unless its best move loses."""
    rules, empties = position.rules, position.empties
    game = game_of(rules)
    stride = 2 * int(game.array["words"][0]) + EXTRA_WORDS
    size = 1 << POOL.fitting_bits(table_bits(empties, budget.node_limit, stride), 8 * stride)
    deepest = min(empties, max_depth or empties)
    budget.set_poll_interval(VISIT_NS * max(1, int(game.array["member_start"][0, rules.cells])))
    name = f"line counts, {stride} words"
    with POOL.borrow(name, size * stride) as table, _BorrowedState(game, position) as pointer:
        state = pointer.array
        state["generation"], state["table_mask"] = table.generation, size - 1
        for depth in range(1, deepest + 1):
            state["best"], state["unproven_count"] = -1, 0
            value = kernels.negamax(game, pointer, budget.pointer, table.pointer, 0, 0, depth, -INFINITY, INFINITY)
            finished = not budget.is_spent()
            move = int(state["best"][0])
            if move < 0 and finished:
                # The kernel returned a draw without a search: no side can complete a line any more.
                move = position.geometry.first_of(position.legal_moves())
            found = int(value if finished else state["value"][0])
            # An interrupted iteration has not searched every move, so it can prove a win but no loss.
            if move >= 0 and (finished or found > -DECISIVE):
                complete = finished and state["unproven_count"][0] == 0
                worth = to_score(found, rules.cells, rules.cells - empties, complete, rules)
                line = _principal_variation(game, pointer, table.pointer, move, depth)
                yield SearchInfo(move, worth, line, depth if finished else depth - 1)
                if worth.proven:
                    return
            if not finished:
                return


def _principal_variation(game: Pointer, state: Pointer, table: Pointer, move: int, depth: int) -> tuple[int, ...]:
    """Return the principal variation that begins with ``move``, from the table, at most ``depth`` plies long."""
    line = [move]
    while len(line) < min(depth, MAX_LINE):
        side = (len(line) - 1) % 2
        if kernels.completes_line(game, state, line[-1], side):
            break
        kernels.put(game, state, line[-1], side)
        cell = int(kernels.table_move(game, state, 1 - side, table))
        if cell < 0:
            kernels.take_back(game, state, line[-1], side)
            break
        line.append(cell)
    for ply in range(len(line) - 2, -1, -1):
        kernels.take_back(game, state, line[ply], ply % 2)
    return tuple(line)
