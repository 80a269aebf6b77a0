"""The solver for large boards: iterative deepening over candidate moves; it proves forced wins."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from kinarow import score
from kinarow.cores import ALL, helping
from kinarow.game.position import Position
from kinarow.game.rules import SWAP_SIDES, Rules
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.score import Score
from kinarow.search_types import SearchInfo, Stop
from kinarow.solvers.common.budget import ENDED_BY, NO_DEADLINE, NO_LIMIT, Budget, EndedBy, Part
from kinarow.solvers.common.table_pool import POOL, Table
from kinarow.solvers.large_boards.board import records as board_records
from kinarow.solvers.large_boards.board.layout import DECISIVE, INFINITY, MOVE_RESULT_DTYPE, STATE_DTYPE, WIN
from kinarow.solvers.large_boards.search import deepening, records

kernels = Library("large_boards")

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "caro", "renju"})
GAMES_KEPT = 16
MIN_SLOT_BITS = 6
MAX_SLOT_BITS = 20
LAST_GENERATION = (1 << 16) - 2
WORD_BYTES = 8

_NO_MOVE = -1
HELPED_NODES = 20_000  # nodes before helper threads start (some 20 milliseconds)

NODE_NS = 10_000
SCANNED_NODE_NS = 32  # times goal³: the most that a node costs without a table of patterns; with one, NODE_NS
ESTIMATE_SCALE = 2000.0  # an evaluation of so much (about an open three ahead) becomes an estimate of one half


def fits(rules: Rules) -> bool:
    """Return True if this solver supports the rules; any board size will do."""
    return rules.within(RULES_HANDLED)


def max_node_ns(goal: int) -> int:
    """Return the most nanoseconds that a node costs with this goal, with or without a pattern table."""
    return max(NODE_NS, SCANNED_NODE_NS * goal**3)


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules, beginner: int) -> Pointer:
    return Pointer(records.new_game(rules, beginner))


def _game_of(position: Position, opponent_first: bool = False) -> Pointer:
    """Return the game record of a position; ``opponent_first``: side 0 of the search is the opponent."""
    beginner = int((position.beginner != position.to_move) != opponent_first) if position.rules.renju else -1
    return _game(position.rules, beginner)


def _node_ns(game: Pointer, goal: int) -> int:
    return max_node_ns(goal) if game.array[0]["no_pattern_table"] else NODE_NS


def slot_bits(node_limit: int) -> int:
    """Return the base-2 logarithm of the number of table slots: one for each node of the budget, within limits."""
    return max(MIN_SLOT_BITS, min(MAX_SLOT_BITS, node_limit.bit_length()))


def _slots(bits: int, rules: Rules) -> int:
    return 1 << POOL.fitting_bits(bits, WORD_BYTES * records.words_of_slots(1, rules.cells))


@contextmanager
def _borrowed(bits: int, rules: Rules, searches: int = 1) -> Iterator[tuple[Table, Pointer]]:
    """Context manager: borrow a table, with a generation for each of ``searches``, and a state."""
    slots = _slots(bits, rules)
    words = records.words_of_slots(slots, rules.cells)
    # Tables of one size with different numbers of slots differ in layout, so the pool keeps them apart by name.
    with POOL.borrow(f"large, {slots} slots", words, LAST_GENERATION + 1 - searches) as table:
        state = table.state_of(STATE_DTYPE)
        state.array["generation"] = table.generation - 1  # the kernel begins by adding one
        yield table, state


class GameContext:
    """The search state and transposition table that the searches of one game share. Not thread-safe."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.state = Pointer(board_records.new_state())
        self.table = Pointer(records.new_table(_slots(MAX_SLOT_BITS, rules), rules.cells))


class QuickMoveValues:
    """Static evaluations of a position's moves, on the scale of the search."""

    def __init__(self, position: Position) -> None:
        self._cells, self._empties = position.rules.cells, position.empties
        self._game, self._state = _game_of(position), Pointer(board_records.new_state())
        _load(position, self._game, self._state)
        scores = np.zeros(self._cells, np.int64)
        kernels.order_scores(self._game, self._state, scores)
        self.order_scores: list[int] = scores.tolist()  # by cell, higher is better

    def value_after(self, move: int = _NO_MOVE) -> Score:
        """Return the static value for the opponent after a legal move, by default after a pass.

        It is proven if the opponent then wins in one or three plies, or if neither side can complete a line. It means
        nothing if ``move`` itself completes a line.
        """
        value = int(kernels.quick_value(self._game, self._state, move))
        if value == INFINITY:
            return score.draw(self._empties - 1)
        return score.win(self._cells, WIN - value) if value >= DECISIVE else score.estimate(value, ESTIMATE_SCALE)


def _load(position: Position, game: Pointer, state: Pointer, opponent_first: bool = False) -> None:
    cells = position.relative()
    board_records.load(game, state, np.frombuffer(cells.translate(SWAP_SIDES) if opponent_first else cells, np.int8))


class FoundAfterMove(NamedTuple):
    """The result of searching the position after a move, for the side to move there."""

    value: Score | None  # None if the search ended without a result
    line: tuple[int, ...]
    nodes: int
    ended_by: EndedBy | None


class MoveSearches:
    """Searches the positions after several moves of one position. Thread-safe."""

    def __init__(self, position: Position) -> None:
        self._position, self._game = position, _game_of(position, opponent_first=True)

    def search(
        self, moves: list[int], nodes: int, left: int, deadline_ns: int | None, stop: Stop
    ) -> list[FoundAfterMove]:
        """Search after each move with ``nodes`` nodes each; ``left`` moves, these and later calls', share the time."""
        rules, results = self._position.rules, np.zeros(len(moves), MOVE_RESULT_DTYPE)
        results["cell"] = moves
        node_ns = _node_ns(self._game, rules.goal)
        budget = Budget(NO_LIMIT, NO_DEADLINE if deadline_ns is None else deadline_ns)
        budget.set_poll_interval(node_ns)
        if deadline_ns is not None and nodes * node_ns * left <= deadline_ns - time.monotonic_ns():
            left = 1  # the node limits suffice; sharing the time could only cut a search short after a pause
        # The kernel begins a generation for each search.
        with _borrowed(slot_bits(nodes), rules, searches=len(moves)) as (table, state), stop.also_stops(budget):
            _load(self._position, self._game, state, opponent_first=True)
            kernels.search_moves(
                self._game, state, budget.pointer, table.pointer, nodes, left, results.view(np.recarray)
            )
            table.generation = int(state.array["generation"][0])
        return [self._read(each) for each in results.tolist()]

    def _read(self, result: Any) -> FoundAfterMove:
        """Unpack a ``MOVE_RESULT_DTYPE`` record from plain ints (faster than NumPy scalars)."""
        cell, nodes, reason, depth, value, proven, exact, length, line = result
        pv = tuple(line[:length].tolist())
        found = deepening.Iteration(depth, value, cell, pv, bool(proven), bool(exact))
        score_after = _score(found, self._position.rules.cells, self._position.empties - 1) if depth >= 0 else None
        return FoundAfterMove(score_after, pv, nodes, ENDED_BY[reason])


def iterate(
    position: Position,
    budget: Budget,
    context: GameContext | None = None,
    *,
    fixed_depth: bool = False,
    max_depth: int | None = None,
    threads: int = 1,
) -> Iterator[SearchInfo]:
    """Search an ongoing position deeper and deeper until a proof or the end of the budget.

    Args:
        context: the state and table of earlier searches with the same rules; by default new ones.
        fixed_depth: search every move to exactly the depth, without the context.
        max_depth: the last depth to search without a context; by default search to a proof.
        threads: as in ``Limits``.

    Yields:
        The result of each iteration that changed it.
    """
    rules, game = position.rules, _game_of(position)
    budget.set_poll_interval(_node_ns(game, rules.goal))
    if context is not None and not fixed_depth:
        _load(position, game, context.state)
        search = _Search(position, game, context.state, budget, context.table, rules.cells)
        yield from search.iterations(threads, keep=True)
        return
    with _borrowed(slot_bits(budget.node_limit), rules) as (table, state):
        _load(position, game, state)
        search = _Search(position, game, state, budget, table.pointer, max_depth or rules.cells)
        yield from search.iterations(1 if fixed_depth else threads, fixed_depth=fixed_depth)


@dataclass(frozen=True, slots=True)
class _Search:
    """A search of one position, up to the iteration ``depth``."""

    position: Position
    game: Pointer
    state: Pointer
    budget: Budget
    table: Pointer
    depth: int

    def iterations(self, threads: int, *, fixed_depth: bool = False, keep: bool = False) -> Iterator[SearchInfo]:
        """Yield the results with scores; the last is a helper's if that searched deeper or found a proof."""
        most_helpers = threads - 1 if threads else ALL
        helpers, last = None, None
        with ExitStack() as stack:
            for iteration in deepening.iterative_deepening(
                self.game, self.state, self.budget, self.table, self.depth, fixed_depth, keep
            ):
                last = iteration
                yield _info(self.position, iteration)
                if most_helpers and helpers is None and self.budget.nodes >= HELPED_NODES and not iteration.proven:
                    helpers = _Helpers(self)
                    helpers.part = stack.enter_context(self.budget.part())
                    stack.enter_context(helping(helpers.help, most_helpers))
        if helpers and last and (furthest := helpers.best_iteration(last)) is not last:
            yield _info(self.position, furthest)


class _Helpers:
    """Lazy SMP: helper threads search the same position with a shared table. A helper's proof ends the main search."""

    part: Part

    def __init__(self, search: _Search) -> None:
        self._search = search
        self._begin = board_records.new_state()
        records.copy_search(search.state.array, self._begin)
        self._begin["threat_nodes"] = 0
        self._began = count()
        self._found: list[deepening.Iteration] = []

    def help(self, stop: Stop) -> None:
        """Search as deep as the main thread, every other helper a ply deeper, until a proof or ``stop``."""
        ahead = 1 - next(self._began) % 2
        search, own = self._search, board_records.new_state()
        state, budget = Pointer(own), search.budget.for_helper()
        _load(search.position, search.game, state)
        records.copy_search(self._begin, own)
        completed: deepening.Iteration | None = None
        further = True
        with stop.also_stops(budget):
            while further:
                own["depth"] = before = max(own["depth"][0], search.state.array["depth"][0] + ahead)
                further = kernels.deepen(search.game, state, budget.pointer, search.table, search.depth)
                found = deepening.result(own)
                if not budget.is_spent() and (found.proven or found.depth > before):
                    completed = found
        if completed:
            self._found.append(completed)
            if completed.proven:
                self.part.cut()

    def best_iteration(self, own: deepening.Iteration) -> deepening.Iteration:
        """Return the best result: a proof, else the deepest; of equals the main thread's ``own``."""
        return max([own, *self._found], key=lambda found: (found.proven, found.depth))


def _info(position: Position, iteration: deepening.Iteration) -> SearchInfo:
    value = _score(iteration, position.rules.cells, position.empties)
    return SearchInfo(iteration.best, value, iteration.line, iteration.depth)


def _score(iteration: Any, cells: int, empties: int) -> Score:
    """Convert the value of an iteration to the score of a position with ``empties`` empty cells."""
    if iteration.value >= DECISIVE:
        return score.win(cells, WIN - iteration.value, not iteration.exact)
    if iteration.value <= -DECISIVE:
        return score.loss(cells, WIN + iteration.value, not iteration.exact)
    if iteration.proven:
        return score.draw(empties)
    return score.estimate(iteration.value, ESTIMATE_SCALE)
