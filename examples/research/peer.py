"""What the examples of this folder share: a position in, (move, value, proven) out."""

from typing import Any

import kinarow

LIMITS = kinarow.Limits(max_nodes=100_000)


def ask(position: kinarow.Position, **choice: Any) -> tuple[int, float, bool]:
    """A move, its value from -1 to 1 for the side to move, and whether the value is proven.

    A move is a cell, counted row by row from 0; under gravity ``move % columns`` is the column. ``choice`` is
    ``level`` and ``seed`` of a weaker player, or ``only``, the moves to choose among (as cells).
    """
    result = kinarow.best_move(position, LIMITS, **choice)
    assert result.move is not None, "the game is over"
    value = result.score.value if result.expected is None else result.expected
    return result.move, value, result.proven


def lost(position: kinarow.Position, move: int) -> float:
    """The value that a move loses: 0 for a best one, up to 2 for one that turns a win into a loss."""
    return max(0.0, ask(position)[1] - ask(position, only=[move])[1])
