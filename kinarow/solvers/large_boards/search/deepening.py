"""Iterative deepening on large boards as an iterator over its results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kinarow.kernels.library import Library, Pointer
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
    """Deepen until a proof, the last depth or the end of the budget; the last iteration yielded is the answer.

    Args:
        game: from ``new_game``.
        state: with a position of this game, which is not over; that is unchanged at the end. For this search alone.
        budget: what the search may spend.
        table: from ``new_table``, for this search alone.
        max_depth: 1 or more; depths beyond the empty cells are never searched.
        fixed_depth: search all moves to exactly the depth (see ``kernel_pvs``).
        keep: trust the entries of earlier searches with this state and table, which had the same rules.
    """
    kernels.begin(game, state, table, fixed_depth, keep)
    while kernels.deepen(game, state, budget.pointer, table, max_depth):
        yield result(state.array)


def result(state: Any) -> Iteration:
    """The latest result of a search."""
    record = state[0]
    line = tuple(record["found_line"][: record["found_length"]].tolist())
    depth, value, best, proven, exact = (int(record[f"found_{name}"]) for name in _FIELDS)
    return Iteration(depth, value, best, line, bool(proven), bool(exact))
