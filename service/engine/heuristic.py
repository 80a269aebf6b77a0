"""The line heuristic: what the lines that one side alone has marked are worth."""

from service.engine.geometry import geometry
from service.engine.position import Position, other

BASE = 10
MAX_EXPONENT = 12


def line_weight(marks: int) -> int:
    """What a line with so many marks of one side alone is worth: 10^min(marks - 1, 12), and 0 for none."""
    return 0 if marks == 0 else int(BASE ** min(marks - 1, MAX_EXPONENT))


def static_evaluation(position: Position) -> int:
    """The sum over all lines that hold marks of one side only, plus for the side to move, minus for the other.

    The same under every rule. On 3 × 3 a line counts 100, 10 or 1 for three, two or one marks.
    """
    cells, mine, yours = position.cells, position.to_move, other(position.to_move)
    total = 0
    for line in geometry(position.rules).lines:
        marks = bytes(cells[cell] for cell in line)
        own, opposing = marks.count(mine), marks.count(yours)
        if own and not opposing:
            total += line_weight(own)
        elif opposing and not own:
            total -= line_weight(opposing)
    return total
