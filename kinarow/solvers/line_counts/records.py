"""The records of the line-count kernel: a game's lines, and the state of a position."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import shake_128
from typing import Any

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.line_heuristic import line_weight
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library
from kinarow.solvers.line_counts.layout import GAME_DTYPE, MAX_GOAL, STATE_DTYPE

kernels = Library("line_counts")

GAMES_KEPT = 32
STATES_KEPT = 4  # Idle states of a process
ZOBRIST_SEED = b"kinarow"


@lru_cache(maxsize=GAMES_KEPT)
def game_of(rules: Rules) -> Any:
    """The record of a game, an array of one, built once and not to be changed."""
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    record = game[0]
    board = geometry(rules)
    lines = [line for _, line in board.directed_lines] if rules.flanks_count else None
    members = [line.cells for line in lines] if lines else list(board.lines)
    flanks = [line.flanks for line in lines] if lines else [()] * len(members)
    record["rise"], record["cells"] = rules.rise, rules.cells
    record["goal"], record["gravity"], record["misere"] = rules.goal, rules.gravity, rules.misere
    record["exact_goal"], record["caro"] = rules.exact_goal, rules.caro
    record["words"] = (rules.cells + 63) // 64
    record["lines"] = len(members)
    record["order"][: rules.cells] = board.move_order
    for name, owners in (("member", members), ("flank", flanks)):
        by_cell: list[list[int]] = [[] for _ in range(rules.cells)]
        for index, cells in enumerate(owners):
            for cell in cells:
                by_cell[cell].append(index)
        flat = [index for owned in by_cell for index in owned]
        record[name][: len(flat)] = flat
        record[f"{name}_start"][1 : rules.cells + 1] = np.cumsum([len(owned) for owned in by_cell])
    burden = -1 if rules.misere else 1
    record["weight"][:] = [burden * line_weight(marks) for marks in range(MAX_GOAL + 2)]
    # The output of SHAKE128 is a standard; NumPy's generators may change with its version.
    words = np.frombuffer(shake_128(ZOBRIST_SEED).digest(record["zobrist"].nbytes), "<u8")
    record["zobrist"][:] = words.reshape(record["zobrist"].shape)
    return game


@contextmanager
def borrowed_state(game: Any, position: Position) -> Iterator[Any]:
    """The state with the marks of a position, an array of one, for a ``with`` block; side 0 is the one to move.

    New memory of four megabytes costs more than an easy search.
    """
    try:
        state = _idle.pop()
    except IndexError:
        state = np.empty(1, STATE_DTYPE)
    try:
        kernels.set_up(game, state, np.frombuffer(position.relative(), np.int8))
        yield state
    finally:
        _idle.append(state)


_idle: deque[Any] = deque(maxlen=STATES_KEPT)
