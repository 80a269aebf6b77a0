"""The line heuristic: what the lines that one side alone has marked are worth."""

import numpy as np

from service.engine.geometry import geometry
from service.engine.position import Position
from service.engine.rules import MAX_SIDE

BASE = 10
MAX_EXPONENT = 12


def line_weight(marks: int) -> int:
    """What a line with so many marks of one side alone is worth: 10^min(marks - 1, 12), and 0 for none."""
    return 0 if marks == 0 else int(BASE ** min(marks - 1, MAX_EXPONENT))


WEIGHTS = np.array([line_weight(marks) for marks in range(MAX_SIDE + 1)], np.int64)
"""``line_weight`` of every number of marks."""


def static_evaluation(position: Position) -> int:
    """The sum over all lines that hold marks of one side only, plus for the side to move, minus for the other.

    The same under every rule. On 3 × 3 a line counts 100, 10 or 1 for three, two or one marks.
    """
    marks = np.frombuffer(position.relative(), np.int8)[geometry(position.rules).line_array]
    own = (marks == 1).sum(axis=1)
    opposing = (marks == 2).sum(axis=1)
    return int(WEIGHTS[own[opposing == 0]].sum() - WEIGHTS[opposing[own == 0]].sum())
