"""The line heuristic: the value of the lines that have marks of one side only."""

import numpy as np

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.size import BASE, MAX_EXPONENT, MAX_SIDE

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "layers"})
"""The rules under which the heuristic is defined; under others it is 0."""


def line_weight(marks: int) -> int:
    """Return the weight of a line with marks of one side only: 10^min(marks - 1, 12), or 0 without marks."""
    return 0 if marks == 0 else int(BASE ** min(marks - 1, MAX_EXPONENT))


WEIGHTS = np.array([line_weight(marks) for marks in range(MAX_SIDE + 1)], np.int64)  # line_weight of 0 to 25 marks


def static_evaluation(position: Position) -> int:
    """Return the weights of lines with own marks alone, minus the opponent's; 0 under rules that are not handled."""
    if not position.rules.within(RULES_HANDLED):
        return 0
    marks = np.frombuffer(position.relative(), np.int8)[geometry(position.rules).line_array]
    own, opposing = ((marks == side).sum(axis=1) for side in (1, 2))
    return int(WEIGHTS[own[opposing == 0]].sum() - WEIGHTS[opposing[own == 0]].sum())


def estimate_scale(goal: int) -> float:
    """Return the value of open lines that becomes the estimate 0.5: twenty lines that lack one mark each."""
    return 2.0 * line_weight(max(goal, 2))


def open_lines_value(position: Position) -> int | None:
    """Return ``static_evaluation`` of the lines that can still be completed, negated in misère; None without any."""
    rules = position.rules
    if not rules.within(RULES_HANDLED):
        return 0
    board = geometry(rules)
    lines, flanks = board.directed_line_arrays
    # One empty cell more, to which the index of a missing flank points.
    marks = np.frombuffer(position.relative() + b"\0", np.int8)
    of_lines = marks[lines if rules.exact_goal or rules.caro else board.line_array]
    total, is_open = 0, False
    for side, other, sign in ((1, 2, 1), (2, 1, -1)):
        closed = (of_lines == other).any(axis=1)
        if rules.exact_goal:
            closed |= (marks[flanks] == side).any(axis=1)
        if rules.caro:
            closed |= (marks[flanks] == other).all(axis=1)
        counts = (of_lines[~closed] == side).sum(axis=1)
        total += sign * int(WEIGHTS[counts].sum())
        is_open = is_open or len(counts) > 0
    if not is_open:
        return None
    return -total if rules.misere else total
