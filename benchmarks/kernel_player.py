"""A player that is the large-board search itself, called in this process at a fixed number of nodes a move."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from service.engine.kernels.control import new_control

TODAY = "service.engine.kernels"
SLOT_BITS = 16
MAX_DEPTH = 100
GOAL = 5


class KernelPlayer:
    """Asks a search for moves; every answer depends on the moves and the nodes alone.

    Args:
        nodes: nodes for a move, at least 1.
        package: where the ``large_*`` modules of the search are.
        changed: tunables by name that are not the defaults.
    """

    def __init__(self, nodes: int, package: str = TODAY, **changed: object) -> None:
        self._nodes = nodes
        self._board_module = importlib.import_module(f"{package}.large_board")
        self._search_module = importlib.import_module(f"{package}.large_search")
        table_module = importlib.import_module(f"{package}.large_table")
        tunables_module = importlib.import_module(f"{package}.large_tunables")
        self._tunables = tunables_module.new_tunables(**changed)
        self._search = table_module.new_search(self._tunables)
        self._new_table = table_module.new_table
        self._table: Any = None
        self._empty: dict[tuple[int, bool], Any] = {}
        self.depths: list[int] = []

    def move(self, size: int, exact: bool, moves: Sequence[int]) -> int:
        """The best move; see ``arena.Player``."""
        return int(self.think(size, exact, moves).best)

    def think(self, size: int, exact: bool, moves: Sequence[int]) -> Any:
        """The last report of the search."""
        if (size, exact) not in self._empty:
            self._empty = {
                (size, exact): self._board_module.new_board(
                    size, size, GOAL, False, False, exact, self._tunables
                )
            }
            self._table = self._new_table(1 << SLOT_BITS, size * size)
        board = self._empty[size, exact].copy()
        for number, cell in enumerate(moves):
            self._board_module.put(board[0], cell, (len(moves) - number) % 2)
        control = new_control(self._nodes).view(np.recarray)
        reports = list(self._search_module.think(board, self._search, control, self._table, MAX_DEPTH))
        self.depths.append(reports[-1].depth)
        return reports[-1]
