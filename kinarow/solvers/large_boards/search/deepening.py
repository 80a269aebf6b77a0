"""Iterative deepening on large boards as an iterator over its results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kinarow.kernels.shared_library import Library, Pointer
from kinarow.solvers.common.budget import Budget

kernels = Library("large_boards")

_FIELDS = ("depth", "value", "best", "proven", "exact")


@dataclass(frozen=True, slots=True)
class Iteration:
    """The result of an iteration."""

    depth: int  # plies that the main search has completed
    value: int  # of the best move for the side to move, on the scale of ``board/layout.py``
    best: int  # the cell of the best move
    line: tuple[int, ...]  # the principal variation, beginning with best
    proven: bool  # the outcome is certain
    exact: bool  # the distance is certain too


def iterative_deepening(
    game: Pointer, state: Pointer, budget: Budget, table: Pointer, max_depth: int, fixed_depth: bool = False,
    keep: bool = False,
) -> Iterator[Iteration]:  # fmt: skip
    """Yield results until a proof, ``max_depth``, a full board or the end of the budget; the last one is the answer.

    ``fixed_depth`` searches all moves to exactly the depth; ``keep`` trusts the table entries of earlier searches. No
    other search may use ``state`` meanwhile.
    """
    kernels.begin(game, state, table, fixed_depth, keep)
    while kernels.deepen(game, state, budget.pointer, table, max_depth):
        yield result(state.array)


def result(state: Any) -> Iteration:
    """Read the latest result of a search from its state."""
    record = state[0]
    line = tuple(record["found_line"][: record["found_length"]].tolist())
    depth, value, best, proven, exact = (int(record[f"found_{name}"]) for name in _FIELDS)
    return Iteration(depth, value, best, line, bool(proven), bool(exact))
