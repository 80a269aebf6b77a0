"""The entry to the solvers for bulk calls. It loads the exact ones alone, so a process for labels starts quickly."""

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.search_types import SearchStopped, Stop
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.common.bulk import BulkValues
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import solver as gravity


def fits(rules: Rules) -> bool:
    """Whether ``values`` takes boards of these rules."""
    return gravity.fits(rules) or free_placement.fits(rules)


def values(rules: Rules, boards: NDArray[np.uint8], moves: int, stop: Stop | None = None) -> BulkValues:
    """The exact values of ongoing positions of one game that an exact solver takes; some may stay without one.

    A row of ``boards`` is a position seen from the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked. Of its
    moves none (0), those that are as good as the best (1) or all (2) get a value. A stop raises ``SearchStopped``.
    """
    budget = Budget(NO_LIMIT)
    solver = gravity if gravity.fits(rules) else free_placement
    with (stop or Stop()).watching(budget):
        result = solver.bulk_values(rules, boards, moves, budget)
    if budget.ended_by == "stop":
        raise SearchStopped
    return result
