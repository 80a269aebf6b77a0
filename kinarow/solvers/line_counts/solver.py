"""The solver for boards of every size and shape: iterative deepening over the line-count kernel."""

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
VISIT_NS = 5  # nanoseconds of a node, at most, for each pair of a cell and a line through it (move ordering)

GAMES_KEPT = 32
_idle: deque[Pointer] = deque(maxlen=4)  # states: new memory of four megabytes costs more than an easy search


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> Pointer:
    """Return the game record of the rules, shared by all searches."""
    game = Pointer(np.zeros(1, GAME_DTYPE))
    kernels.set_rules(board_of(rules), game)
    return game


class _BorrowedState:
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
    """Return the kernel's absolute value as a score of a position with ``marks`` marks."""
    if value >= DECISIVE:
        return score.win(cells, WIN - value - marks)
    if value <= -DECISIVE:
        return score.loss(cells, WIN + value - marks)
    if complete:
        return score.draw(cells - marks)
    return score.estimate(value, estimate_scale(rules.goal))


def evaluate(position: Position) -> Score:
    """Return the value without a search: a draw where no line is left, else the line heuristic."""
    rules = position.rules
    with _BorrowedState(game_of(rules), position) as state:
        dead = not state.array["alive"].any()
        value = 0 if dead else int(state.array["estimate"][0])
    return to_score(value, rules.cells, rules.cells - position.empties, dead, rules)


def evaluations(position: Position) -> Callable[[int], Score]:
    """Return ``evaluate`` of the positions after moves that don't end the game, by one kernel call."""
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
    """Return the size of the table as a power of two entries: no more than the budget or the game can fill."""
    by_budget = (TABLE_SHARE * node_limit).bit_length()
    by_board = (3**cells).bit_length()
    by_memory = (MAX_TABLE_BYTES // (8 * entry_words)).bit_length() - 1
    return max(MIN_TABLE_BITS, min(MAX_TABLE_BITS, by_budget, by_board, by_memory))


def iterate(position: Position, budget: Budget, max_depth: int | None) -> Iterator[SearchInfo]:
    """Yield a result after each iteration, and after an interrupted one that found a better move."""
    rules, empties = position.rules, position.empties
    game = game_of(rules)
    stride = 2 * int(game.array["words"][0]) + EXTRA_WORDS
    size = 1 << POOL.fitting_bits(table_bits(empties, budget.node_limit, stride), 8 * stride)
    deepest = min(empties, max_depth or empties)
    budget.poll_by_cost(VISIT_NS * max(1, int(game.array["member_start"][0, rules.cells])))
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
                # The root needs no search: neither side has a line left.
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
    """Return the principal variation after a move from the table, at most as long as the search was deep."""
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
