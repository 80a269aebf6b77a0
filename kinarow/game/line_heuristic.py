"""The line heuristic: the value of the lines that have marks of one side only."""

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.size import MAX_SIDE

BASE = 10
MAX_EXPONENT = 12


def line_weight(marks: int) -> int:
    """The weight of a line with marks of one side only: 10^min(marks - 1, 12), or 0 without marks."""
    return 0 if marks == 0 else int(BASE ** min(marks - 1, MAX_EXPONENT))


WEIGHTS = np.array([line_weight(marks) for marks in range(MAX_SIDE + 1)], np.int64)  # line_weight of 0 to 25 marks


def static_evaluation(position: Position) -> int:
    """The sum of the weights of all lines with marks of one side only, negative for lines of the other side.

    It does not depend on the rules. On 3 × 3 a line counts 100, 10 or 1 for three, two or one marks.
    """
    marks = np.frombuffer(position.relative(), np.int8)[geometry(position.rules).line_array]
    own = (marks == 1).sum(axis=1)
    opposing = (marks == 2).sum(axis=1)
    return int(WEIGHTS[own[opposing == 0]].sum() - WEIGHTS[opposing[own == 0]].sum())
