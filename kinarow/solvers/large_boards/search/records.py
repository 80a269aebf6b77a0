"""Makes the game record and the transposition table of a search on a large board."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Library
from kinarow.solvers.common.record import new_words, offset_of
from kinarow.solvers.large_boards.board.layout import DEPTH_UNIT, FIRST_OF_BOARD, REDUCTION_SIZE, STATE_DTYPE
from kinarow.solvers.large_boards.board.records import new_rules
from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from kinarow.solvers.large_boards.network.weights import learned, new_weights

kernels = Library("large_boards")


def words_of_slots(slots: int, cells: int) -> int:
    """Return the size of a table of ``slots`` slots in 64-bit words; ``slots`` is a power of two, 2 or more."""
    return slots * (2 + 2 * ((cells + 63) // 64))


def new_table(slots: int, cells: int) -> NDArray[np.uint64]:
    """Return an empty table of ``slots`` slots for boards of ``cells`` cells."""
    return new_words(words_of_slots(slots, cells))


def new_game(rules: Rules, beginner: int = -1, weights: np.recarray | None = None, **changed: object) -> np.recarray:
    """Return an array of one game record. ``beginner``: the side under Renju's restrictions, 0 or 1, or -1."""
    game = new_rules(rules, beginner)
    tunables = DEFAULTS | changed
    for name, value in tunables.items():
        game[name][0] = value
    game["reduction"][0] = _reductions(game["reduction_scale"][0])
    if weights is None and (rules.gravity or rules.misere):
        weights = new_weights()
        kernels.set_by_hand(game, weights)
    kernels.set_weights(game, learned() if weights is None else weights)
    return game


def _reductions(scales: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the reduction of the first search of a late quiet move, by scale, depth in plies and number of the move.

    It is scale / 256 * ln(depth) * ln(number) plies, in units of 1 / ``DEPTH_UNIT`` ply, cut to a whole number.
    """
    logarithms = np.array([0.0, *map(math.log, range(1, REDUCTION_SIZE))])
    return DEPTH_UNIT * (scales[:, None, None] / 256 * logarithms[:, None] * logarithms)


def copy_search(state: Any, to: Any) -> None:
    """Copy the fields before ``FIRST_OF_BOARD``: results, killers, history; not the board or the lists of moves."""
    search = slice(offset_of(STATE_DTYPE, FIRST_OF_BOARD))
    whole, copied = (each.view(np.ndarray).view(np.uint8) for each in (state, to))
    copied[search] = whole[search]
