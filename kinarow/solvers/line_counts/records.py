"""The records of the line-count kernel: a game's lines, and the state of a position."""

from collections import deque
from functools import lru_cache
from hashlib import shake_128

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.line_heuristic import line_weight
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.record import new_state, without_attributes, write_by_cell
from kinarow.solvers.line_counts.layout import GAME_DTYPE, MAX_GOAL, STATE_DTYPE

kernels = Library("line_counts")

GAMES_KEPT = 32
STATES_KEPT = 4  # Idle states of a process
ZOBRIST_SEED = b"kinarow"


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> Pointer:
    """The record of a game, built once and not to be changed."""
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    record = game[0]
    board = geometry(rules)
    record["rise"], record["cells"] = rules.rise, rules.cells
    record["goal"], record["gravity"], record["misere"] = rules.goal, rules.gravity, rules.misere
    record["exact_goal"], record["caro"] = rules.exact_goal, rules.caro
    record["words"] = (rules.cells + 63) // 64
    record["lines"] = len(board.counted_lines)
    record["order"][: rules.cells] = board.move_order
    write_by_cell(record, "member", [line.cells for line in board.counted_lines], rules.cells)
    write_by_cell(record, "flank", [line.flanks for line in board.counted_lines], rules.cells)
    burden = -1 if rules.misere else 1
    record["weight"][:] = [burden * line_weight(marks) for marks in range(MAX_GOAL + 2)]
    # The output of SHAKE128 is a standard; NumPy's generators may change with its version.
    words = np.frombuffer(shake_128(ZOBRIST_SEED).digest(record["zobrist"].nbytes), "<u8")
    record["zobrist"][:] = words.reshape(record["zobrist"].shape)
    return Pointer(without_attributes(game, GAME_DTYPE))


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
