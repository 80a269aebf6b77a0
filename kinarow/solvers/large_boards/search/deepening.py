"""Iterative deepening on large boards: the main search and the threat searches in turn, until a proof or the budget."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.layout import BIT_MASK, ESTIMATE_LIMIT, WORD_SHIFT
from kinarow.solvers.large_boards.board.records import points_of_cells
from kinarow.solvers.large_boards.search.layout import DECISIVE, WIN
from kinarow.solvers.large_boards.search.records import begin

kernels = Library("large_boards")

# The threat searches take turns with the main search. Each may have used a share of all nodes so far.
# A win by threats:
_WIN_SHARE = 0.25
# The same while the main search estimates a win that it cannot prove:
_HOPEFUL_WIN_SHARE = 0.75
# The same if, in addition, the last iteration of the main search took fewer than _IDLE_NODES nodes:
_UNLIMITED_SHARE = 1e9
_IDLE_NODES = 500
# A win of the other side by threats if this side passes:
_NULL_MOVE_SHARE = 0.05
# A refutation of the best move by threats:
_REFUTATION_SHARE = 0.05
# The same if a pass loses to threats, because an ordinary mark seldom stops them:
_LIKELY_REFUTATION_SHARE = 0.5
_FIRST_THREAT_NODES = 300
_LAST_THREAT_DEPTH = 40

# The static rules recognise wins in 1 and 3 plies and losses in 2 and 4. So without gravity a win found in 5
# plies, or a loss in 6, cannot be shorter. In Renju they miss a win in 3 that rests on a forbidden cell.
_EXACT_PLIES = 4
_EXACT_WIN = 5
_EXACT_LOSS = 6

# The search for a quicker win gets so many nodes, or as many as the win took to find if that is more.
_QUICKER_NODES = 30_000


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of an iteration; values are those of ``kernel_record``."""

    depth: int  # plies of the main search completed
    value: int  # of best for the side to move
    best: int  # a legal cell
    line: tuple[int, ...]  # the principal variation, beginning with best
    proven: bool  # the outcome is certain
    exact: bool  # the distance is certain too
    complete: bool  # False where the budget ended inside the iteration


def iterative_deepening(
    board: np.recarray,
    search: np.recarray,
    budget: Budget,
    table: NDArray[np.uint64],
    max_depth: int,
    fixed_depth: bool = False,
    keep: bool = False,
) -> Iterator[Iteration]:
    """Deepen until a proof, the last depth or the end of the budget; the last iteration yielded is the answer.

    Args:
        board: a loaded board, the game not over; unchanged at the end.
        search, table: from ``new_search`` and ``new_table``, for this search alone.
        budget: what the search may spend.
        max_depth: 1 or more; depths beyond the empty cells are never searched.
        fixed_depth: search all moves to exactly the depth (see ``kernel_pvs``).
        keep: trust the entries of earlier searches with this record and table, which had the same rules.
    """
    begin(search, table, int(board[0].cells), fixed_depth, keep)
    yield from _Deepening(board, search, budget, table).run(max_depth)


class _ThreatTurns:
    """The turns of one threat search: counts its nodes, and remembers the depth reached for each question."""

    def __init__(self, budget: Budget, search: np.recarray) -> None:
        self._budget = budget
        # A field of an array is read twenty times sooner than an attribute of a record.
        self._nodes_left = search["vct_nodes"]
        self._nodes = 0
        self._depth: dict[int, int] = {}
        self._least: dict[int, int] = {}

    def take(self, deepen: Callable[[int, int], int], share: float, question: int = -1) -> int:
        """Call ``deepen(depth, nodes)`` with rising depths until it wins, or this share of all nodes is spent.

        It gives the plies of the win, or 0. Deepening goes on where it ended for the same question.
        """
        depth = self._depth.get(question, 1)
        while depth <= _LAST_THREAT_DEPTH and not self._budget.is_spent():
            before = self._budget.nodes
            nodes = int(max(_FIRST_THREAT_NODES, share * before)) - self._nodes
            if nodes < self._least.get(question, 1):
                break
            plies = deepen(depth, nodes)
            self._nodes += self._budget.nodes - before
            if plies:
                return plies
            if self._nodes_left[0] <= 0:
                # The next turn repeats this depth, which makes sense only with more nodes.
                self._least[question] = 2 * nodes
                break
            depth += 1
        self._depth[question] = depth
        return 0


class _Deepening:
    """One run of iterative deepening over the kernel's records."""

    def __init__(self, board: np.recarray, search: np.recarray, budget: Budget, table: NDArray[np.uint64]) -> None:
        self._board, self._search, self._budget = board[0], search[0], budget
        self._arrays = Pointer(board), Pointer(search), budget.pointer, Pointer(table)
        self._seeks_threats = not self._search.fixed_depth and not self._board.misere
        self._wins, self._null_moves, self._refutations = (_ThreatTurns(budget, search) for _ in range(3))
        self._refuted: set[int] = set()
        self._idle = False

    def run(self, max_depth: int) -> Iterator[Iteration]:
        search = self._search
        last = None
        for depth in range(1, min(max_depth, int(self._board.empty)) + 1):
            if depth > 1 and self._finds_win():
                yield from self._quickest(depth - 1)
                return
            done = self._search_depth(depth)
            if done and search.proven and search.value >= DECISIVE and self._seeks_threats:
                yield from self._quickest(depth)
                return
            if not done:
                yield from self._broken_off(depth - 1, last)
                return
            last = self._result(depth, bool(search.proven), True)
            yield last
            if last.proven:
                return

    def _finds_win(self) -> bool:
        """Give the search for a win by threats its turn; also ask whether a pass would lose to threats."""
        if not self._seeks_threats:
            return False
        board, search, arrays = self._board, self._search, self._arrays
        share = _WIN_SHARE
        if search.value >= ESTIMATE_LIMIT:
            share = _UNLIMITED_SHARE if self._idle else _HOPEFUL_WIN_SHARE
        if self._wins.take(lambda d, n: int(kernels.vct_win(*arrays, d, n)), share):
            return True
        if not board.gravity and not search.null_move_loses:
            self._null_moves.take(lambda d, n: int(kernels.null_move_threat(*arrays, d, n)), _NULL_MOVE_SHARE)
        return False

    def _search_depth(self, depth: int) -> bool:
        """The main search, repeated while threats refute its best move; whether it was completed."""
        board, search, budget = self._board, self._search, self._budget
        before = budget.nodes
        done = bool(kernels.aspiration_search(*self._arrays, depth))
        self._idle = budget.nodes - before < _IDLE_NODES
        while done and self._seeks_threats and not board.gravity and not search.proven:
            best = int(search.best)
            if not self._is_refuted(best):
                break
            self._refuted.add(best)
            done = bool(kernels.aspiration_search(*self._arrays, depth))
        return done

    def _is_refuted(self, move: int) -> bool:
        share = _LIKELY_REFUTATION_SHARE if self._search.null_move_loses else _REFUTATION_SHARE
        arrays = self._arrays
        return self._refutations.take(lambda d, n: int(kernels.vct_refutes(*arrays, move, d, n)), share, move) > 0

    def _quickest(self, depth: int) -> Iterator[Iteration]:
        """The win that the search record holds, then a quicker one if threats give it."""
        board, search, budget = self._board, self._search, self._budget
        first = self._result(depth, True, True)
        yield first
        if first.exact or board.gravity:
            return
        plies = WIN - int(search.value)
        nodes = max(_QUICKER_NODES, budget.nodes)
        none_in_5 = False
        other_rule = bool(board.caro) or board.beginner >= 0
        for most in range(_EXACT_WIN, plies - 1, 2):
            before, cut_before = budget.nodes, int(search.cut_count)
            quicker = kernels.quicker_win(*self._arrays, most, nodes)
            nodes -= budget.nodes - before
            if quicker:
                plies = quicker
            if quicker or budget.is_spent() or nodes <= 0:
                break
            none_in_5 = none_in_5 or (most == _EXACT_WIN and search.cut_count == cut_before and not other_rule)
        last = self._result(depth, True, True)
        if none_in_5 and plies == _EXACT_WIN + 2:
            last = replace(last, exact=True)
        if last != first:
            yield last

    def _broken_off(self, depth: int, last: Iteration | None) -> Iterator[Iteration]:
        """The result of an iteration that the budget ended, if it says more than the last complete one.

        Its best move began as that of the last iteration, and was replaced only by moves that were searched and are
        better. So it stands. If it has been proven to lose, a fallback move is taken; but if all moves seemed to lose
        already in the last iteration, that iteration's move is kept.
        """
        search, refuted = self._search, self._refuted
        best = int(search.best)
        if best >= 0 and best not in refuted and search.value > -DECISIVE:
            if last is None or best != last.best:
                yield self._result(depth, search.value >= DECISIVE, False)
            return
        if last is None or (last.value > -ESTIMATE_LIMIT and (last.best in refuted or best == last.best)):
            yield self._fallback(depth, refuted | ({best} if best >= 0 else set()))

    def _fallback(self, depth: int, lost: set[int]) -> Iteration:
        """A legal move that no search has valued: the one with the most points, if possible none that lost."""
        board, search = self._board, self._search
        points = points_of_cells(board).sum(axis=1) * (-1 if board.misere else 1)
        moves = self._legal_moves()
        moves = [cell for cell in moves if cell not in lost] or moves
        if search.null_move_loses:
            moves = [cell for cell in moves if _has_cell(search.null_move_zone, cell)] or moves
        best = max(moves, key=points.__getitem__)
        return Iteration(max(depth, 0), int(kernels.estimate(self._arrays[0], 0)), best, (best,), False, False, False)

    def _legal_moves(self) -> list[int]:
        board = self._board
        empty = board.mark[: int(board.cells)] == 0
        supported = np.ones_like(empty)
        if board.gravity:
            supported[: -int(board.columns)] = ~empty[int(board.columns) :]
        moves: list[int] = np.flatnonzero(empty & supported).tolist()
        if board.beginner == 0:
            return [cell for cell in moves if not kernels.is_forbidden(self._arrays[0], cell)]
        return moves

    def _result(self, depth: int, proven: bool, complete: bool) -> Iteration:
        board, search = self._board, self._search
        value = int(search.value)
        distance = WIN - abs(value)
        exact_up_to = _EXACT_PLIES
        if not board.gravity and not board.misere and board.beginner < 0:
            exact_up_to = _EXACT_WIN if value > 0 else _EXACT_LOSS
        exact = proven and (abs(value) < DECISIVE or bool(search.fixed_depth) or distance <= exact_up_to)
        line = tuple(int(cell) for cell in search.line[: search.line_length])
        return Iteration(depth, value, int(search.best), line, proven, exact, complete)


def _has_cell(words: NDArray[np.uint64], cell: int) -> bool:
    return bool(int(words[cell >> WORD_SHIFT]) >> (cell & BIT_MASK) & 1)
