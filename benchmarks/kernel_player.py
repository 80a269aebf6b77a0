"""A player that is the large-board search itself, called in this process at a fixed number of nodes a move."""

from collections.abc import Sequence
from typing import Any

from benchmarks.arena import CARO, EXACT, RENJU
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.board.records import copy_of
from kinarow.solvers.large_boards.network.weights import Weights
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.records import new_board, new_search, new_table
from kinarow.solvers.large_boards.search.tunables import new_tunables

SLOT_BITS = 16
MAX_DEPTH = 100
GOAL = 5
ROUND_STEP = 10
"""In every further round of all openings moves get more nodes, by one part in so many: else its games were the same."""


class KernelPlayer:
    """Asks the search for moves; every answer depends on the moves and the nodes alone.

    Args:
        nodes: nodes for a move, at least 1.
        weights: of the estimate and the order of moves; by default those in force.
        changed: tunables by name that are not the defaults.
    """

    def __init__(self, nodes: int, weights: Weights | None = None, **changed: object) -> None:
        self._nodes = self._nodes_at_first = nodes
        self._weights = weights
        self._tunables = new_tunables(**changed)
        self._search = new_search(self._tunables)
        self._size, self._table = 0, new_table(2, 1)
        self._empty: dict[tuple[int, int, int], Any] = {}
        self.depths: list[int] = []

    def begin_game(self, number: int, openings: int) -> None:
        """Set the nodes for a game of this number, where each of so many openings is played twice, over and over."""
        self._nodes = self._nodes_at_first + self._nodes_at_first * (number // (2 * openings)) // ROUND_STEP

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """The best move; see ``arena.Player``."""
        return int(self.think(size, rule, moves).best)

    def think(self, size: int, rule: int, moves: Sequence[int]) -> Any:
        """The last report of the search."""
        kind = (size, rule, len(moves) % 2 if rule & RENJU else -1)
        if kind not in self._empty:
            self._empty[kind] = self._new_board(*kind)
        if self._size != size:
            self._size, self._table = size, new_table(1 << SLOT_BITS, size * size)
        board = copy_of(self._empty[kind])
        for number, cell in enumerate(moves):
            put(board[0], cell, (len(moves) - number) % 2)
        budget = Budget(self._nodes)
        reports = list(iterative_deepening(board, self._search, budget, self._table, MAX_DEPTH))
        self.depths.append(reports[-1].depth)
        return reports[-1]

    def _new_board(self, size: int, rule: int, beginner: int) -> Any:
        sizes = (size, size, GOAL, False, False, bool(rule & EXACT), self._tunables)
        return new_board(*sizes, caro=bool(rule & CARO), beginner=beginner, weights=self._weights)
