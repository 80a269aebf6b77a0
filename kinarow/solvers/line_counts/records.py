"""The records of the line-count kernel: a game's lines, and the state of a position."""

from collections import deque
from functools import lru_cache

import numpy as np

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.game_record import board_of
from kinarow.solvers.common.record import new_state
from kinarow.solvers.line_counts.layout import GAME_DTYPE, STATE_DTYPE

kernels = Library("line_counts")

GAMES_KEPT = 32
STATES_KEPT = 4  # Idle states of a process


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> Pointer:
    """The record of a game, built once and not to be changed."""
    game = Pointer(np.zeros(1, GAME_DTYPE))
    kernels.set_rules(board_of(rules), game)
    return game


class BorrowedState:
    """The state with the marks of a position for a ``with`` block; side 0 is the one to move.

    New memory of four megabytes costs more than an easy search.
    """

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


_idle: deque[Pointer] = deque(maxlen=STATES_KEPT)
