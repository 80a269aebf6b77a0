"""A player that calls the large-board search in this process, with a fixed number of nodes per move."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.records import new_game, new_table
from training.arena import RENJU, rules_of

SLOT_BITS = 16
MAX_DEPTH = 100
GOAL = 5
ROUND_STEP = 10
"""Every further round of all openings has a tenth more nodes per move, or its games would be the same."""


class KernelPlayer:
    """Plays with a fixed number of nodes, by default with the present weights."""

    def __init__(self, nodes: int, weights: np.recarray | None = None) -> None:
        self._nodes = self._nodes_at_first = nodes
        self._weights = weights
        self._state = Pointer(new_state())
        self._size, self._table = 0, Pointer(new_table(2, 1))
        self._games: dict[tuple[int, int, int], Pointer] = {}
        self.depths: list[int] = []

    def begin_game(self, number: int, openings: int) -> None:
        """Set the nodes for a game; each round plays all openings twice."""
        self._nodes = self._nodes_at_first + self._nodes_at_first * (number // (2 * openings)) // ROUND_STEP

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """Return the best move; see ``arena.Player``."""
        return int(self.think(size, rule, moves).best)

    def think(self, size: int, rule: int, moves: Sequence[int]) -> Any:
        """Return the last iteration of the search."""
        kind = (size, rule, len(moves) % 2 if rule & RENJU else -1)
        if kind not in self._games:
            game = new_game(rules_of(size, rule), kind[2], self._weights)
            self._games[kind] = Pointer(game)
        if self._size != size:
            self._size, self._table = size, Pointer(new_table(1 << SLOT_BITS, size * size))
        load(self._games[kind], self._state, cells_after(moves, size))
        budget = Budget(self._nodes)
        reports = list(iterative_deepening(self._games[kind], self._state, budget, self._table, MAX_DEPTH))
        self.depths.append(reports[-1].depth)
        return reports[-1]


def cells_after(moves: Sequence[int], size: int) -> NDArray[np.int8]:
    """Return the cells of a square board after moves: 1 is the side to move, 2 the other side."""
    cells = np.zeros(size * size, np.int8)
    for number, cell in enumerate(moves):
        cells[cell] = 1 + (len(moves) - number) % 2
    return cells
