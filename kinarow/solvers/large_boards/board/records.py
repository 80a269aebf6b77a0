"""The records of a large board: that of a game with some rules, and a state with a position."""

import numpy as np
from numpy.typing import ArrayLike

from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.large_boards.board.layout import GAME_DTYPE, MAX_WORDS, STATE_DTYPE

kernels = Library("large_boards")

ArrayOrPointer = np.recarray | Pointer
_EMPTY = np.zeros(MAX_CELLS, np.int8)


def new_rules(rules: Rules, beginner: int) -> np.recarray:
    """Return the record of a game without tunables and weights, as an array of one (``search/records``)."""
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["blocked"][0] = np.frombuffer(rules.blocked.to_bytes(8 * MAX_WORDS, "little"), np.uint64)
    numbers = (rules.rows, rules.columns, rules.goal, rules.gravity, rules.misere, rules.exact_goal, rules.caro)
    kernels.set_rules(game, new_state(), *map(int, numbers), beginner)
    return game


def load(game: ArrayOrPointer, state: ArrayOrPointer, cells: ArrayLike = _EMPTY) -> None:
    """Put a position on the board of a state: 0 empty, 1 side 0, 2 side 1, 3 blocked; by default no marks."""
    kernels.load(game, state, np.asarray(cells, np.int8).ravel())


def new_state() -> np.recarray:
    """Return a state without a position, as an array of one record."""
    return np.zeros(1, STATE_DTYPE).view(np.recarray)
