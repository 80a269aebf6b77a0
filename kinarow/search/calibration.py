"""The expected result of an estimate, fitted by ``training.calibrate`` on games of the engine against itself."""

import math
from dataclasses import replace
from typing import NamedTuple

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from kinarow.search_types import Limits
from kinarow.solvers import select

RULES_HANDLED = frozenset({"exact_goal", "caro", "renju"})
DECIMALS = 3
MOST_EXPECTED = 0.999  # The bound of an estimate's expected result, since only a proof is certain
USUAL_SIDE = 15


class Slope(NamedTuple):
    """How the logarithm of the odds of a win to a loss grows with an estimate.

    The estimate e, within -1 and 1, is first stretched to u = e / (1 - |e|), which is proportional to the points of
    the search. The logarithm of the odds is then

        sign(u) * |u|**power * exp(base + by_fill * filled + by_side * log(side / 15) + by_rule)

    with the filled part of the board, 0 to 1, the side of a square board with as many cells, and ``by_rule`` only with
    an exact goal and under Caro, where more games are drawn.
    """

    base: float
    power: float
    by_fill: float
    by_side: float
    by_rule: float


BY_POINTS: dict[int, Slope] = {
    5: Slope(1.375, 1.107, -0.722, 0.132, -0.232),
    6: Slope(1.107, 1.333, -0.969, 0.834, 0.018),
    7: Slope(0.113, 1.243, -0.268, 0.033, 0.0),
}
"""Slopes by goal; any other goal uses the nearest of these."""
SMALL_CELLS = 64
SMALL = Slope(0.385, 1.4, -0.071, 0.091, -0.041)
"""The slope on boards of up to ``SMALL_CELLS`` cells, mostly draws; fitted on 1,100 games at 5,000 nodes."""


def expected_result(value: float, rules: Rules, empties: int) -> float | None:
    """Return the expected result of an estimate of the network, 1 a win to -1 a loss; None without calibration."""
    if not (rules.within(RULES_HANDLED) and rules.plain and select.estimated_by_network(rules)):
        return None
    slope = slope_of(rules)
    stretched = abs(value) / (1.0 - abs(value))
    filled = 1.0 - empties / rules.cells
    log_odds = stretched**slope.power * math.exp(rules_slope(rules) + slope.by_fill * filled)
    result = min(MOST_EXPECTED, round(math.tanh(log_odds / 2), DECIMALS))
    return math.copysign(result, value) + 0.0


def slope_of(rules: Rules) -> Slope:
    """Return the slope for the board or the goal of these rules."""
    return SMALL if rules.cells <= SMALL_CELLS else BY_POINTS[min(BY_POINTS, key=lambda goal: abs(goal - rules.goal))]


def rules_slope(rules: Rules) -> float:
    """Return the part of the exponent of ``Slope`` that the rules determine: all but ``by_fill * filled``."""
    slope = slope_of(rules)
    side = math.log(rules.cells) / 2 - math.log(USUAL_SIDE)
    return slope.base + slope.by_side * side + (slope.by_rule if rules.exact_goal or rules.caro else 0.0)


def calibrated(score: Score, position: Position, limits: Limits) -> Score:
    """Return the score; an estimate gets its expected result, unless the search has a depth limit."""
    if score.proven:
        return score
    expected = None
    if limits.max_depth is None:
        expected = expected_result(score.value, position.rules, position.empties)
    return score if expected == score.calibrated else replace(score, calibrated=expected)
