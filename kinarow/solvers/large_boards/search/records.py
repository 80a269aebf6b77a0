"""Makes the game record and the transposition table of a large-board search."""

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
from kinarow.solvers.large_boards.network.weights import load_weights, new_weights

kernels = Library("large_boards")


def words_of_slots(slots: int, cells: int) -> int:
    """Return the number of 64-bit words of a table of ``slots`` slots (a power of two, 2 or more)."""
    return slots * (2 + 2 * ((cells + 63) // 64))


def new_table(slots: int, cells: int) -> NDArray[np.uint64]:
    """Return an empty table of ``slots`` slots for boards of ``cells`` cells."""
    return new_words(words_of_slots(slots, cells))


def new_game(rules: Rules, beginner: int = -1, weights: np.recarray | None = None, **changed: object) -> np.recarray:
    """Return a game record, in an array of one.

    Args:
        rules: the rules of the game.
        beginner: the side under Renju's restrictions, 0 or 1; -1 in other games.
        weights: by default the learned ones, or hand-set ones with gravity and in misère.
        changed: tunables by name that differ from ``DEFAULTS``.
    """
    game = new_rules(rules, beginner)
    tunables = DEFAULTS | changed
    for name, value in tunables.items():
        game[name][0] = value
    game["reduction"][0] = _reductions(game["reduction_scale"][0])
    if weights is None and (rules.gravity or rules.misere):
        weights = new_weights()
        kernels.set_by_hand(game, weights)
    kernels.set_weights(game, load_weights() if weights is None else weights)
    return game


def _reductions(scales: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the late-move reductions by scale, depth in plies and number of the move, in 1 / ``DEPTH_UNIT`` ply.

    A reduction is scale / 256 * ln(depth) * ln(number) plies.
    """
    logarithms = np.array([0.0, *map(math.log, range(1, REDUCTION_SIZE))])
    return DEPTH_UNIT * (scales[:, None, None] / 256 * logarithms[:, None] * logarithms)


def copy_search(state: Any, to: Any) -> None:
    """Copy a search's results, killers and history (the fields before ``FIRST_OF_BOARD``), not its board and moves."""
    search = slice(offset_of(STATE_DTYPE, FIRST_OF_BOARD))
    whole, copied = (each.view(np.ndarray).view(np.uint8) for each in (state, to))
    copied[search] = whole[search]
