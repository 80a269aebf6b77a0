"""Games with shared marks, solved by tables of all sets of marks: no search, nothing shared with the engine."""

from functools import cache

import numpy as np


def lines(rows, columns, goal):
    """The masks of all runs of ``goal`` cells in a row, column or diagonal."""
    found = set()
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                places = [(row + i * down, column + i * right) for i in range(goal)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in places):
                    found.add(sum(1 << r * columns + c for r, c in places))
    return sorted(found)


def values(rows, columns, goal, misere):
    """The score of every set of marks, by its mask, for the side to move: 33 MB and a minute for 25 cells."""
    cells = rows * columns
    masks = np.arange(1 << cells, dtype=np.int32)
    over = np.zeros(1 << cells, bool)
    for line in lines(rows, columns, goal):
        over |= masks & line == line
    counts = sum((masks >> cell & 1).astype(np.int8) for cell in range(cells))
    scores = np.where(over, cells + 1 if misere else -cells - 1, 0).astype(np.int8)
    for count in range(cells - 1, -1, -1):
        waiting = masks[(counts == count) & ~over]
        best = np.full(len(waiting), -128, np.int8)
        for cell in range(cells):
            free = waiting >> cell & 1 == 0
            after = scores[waiting[free] | np.int32(1 << cell)]
            best[free] = np.maximum(best[free], np.sign(after) - after)
        scores[waiting] = best
    return scores


@cache
def grundy(heap):
    """The Grundy number of a heap in the octal game 0.007: three are taken away, and what is left may be two heaps."""
    reached = {grundy(first) ^ grundy(heap - 3 - first) for first in range(heap - 2)}
    return next(number for number in range(len(reached) + 1) if number not in reached)
