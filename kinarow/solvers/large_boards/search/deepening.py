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
    """The result of an iteration; values are those of ``layout``."""

    depth: int  # plies of the main search completed
    value: int  # of best for the side to move
    best: int  # a legal cell
    line: tuple[int, ...]  # the principal variation, beginning with best
    proven: bool  # the outcome is certain
    exact: bool  # the distance is certain too


def iterative_deepening(
    game: Pointer, state: Pointer, budget: Budget, table: Pointer, max_depth: int, fixed_depth: bool = False,
    keep: bool = False,
) -> Iterator[Iteration]:  # fmt: skip
    """Yield results until a proof, ``max_depth``, a full board or the end of the budget; the last one is the answer.

    ``fixed_depth`` searches all moves to exactly the depth; ``keep`` trusts the entries of earlier searches. No other
    search may use ``state`` meanwhile.
    """
    kernels.begin(game, state, table, fixed_depth, keep)
    while kernels.deepen(game, state, budget.pointer, table, max_depth):
        yield result(state.array)


def result(state: Any) -> Iteration:
    """Return the latest result of a search."""
    record = state[0]
    line = tuple(record["found_line"][: record["found_length"]].tolist())
    depth, value, best, proven, exact = (int(record[f"found_{name}"]) for name in _FIELDS)
    return Iteration(depth, value, best, line, bool(proven), bool(exact))
