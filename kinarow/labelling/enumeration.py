"""Every position that a game can reach, one layer of equally many marks after the other."""

from collections.abc import Iterator

import numpy as np

from kinarow.errors import RuleError
from kinarow.game.position_arrays import KNOWN, Boards, canonical_boards, has_line, lines_stand_alone
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules, X


def layers(rules: Rules, *, symmetry: bool = False) -> Iterator[Boards]:
    """The positions after 0, 1, 2 … moves of games that X begins, finished ones too; in ascending order.

    One layer and the next are in memory at once, so this is for small games: the largest layer of 4 × 5 with gravity
    takes 6 MB, that of 5 × 5 without gravity 100 GB.

    Args:
        symmetry: whether only the smallest of symmetric positions counts.

    Raises:
        RuleError: the game is Caro or Renju.

    Yields:
        An array with a row of cells for each position, in the encoding of ``bulk_values``; never an empty one.

    >>> from kinarow.game.rules import Rules
    >>> [len(layer) for layer in layers(Rules(3, 3, 3))]
    [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    """
    if not lines_stand_alone(rules):
        name = next(name for name in rules.special() if name not in KNOWN)
        raise RuleError(f"/{name}", f"positions cannot be listed with {name}")
    blocked = [BLOCKED if rules.blocked >> cell & 1 else EMPTY for cell in range(rules.cells)]
    layer = np.array([blocked], np.uint8)
    marks = 0
    while len(layer):
        yield layer
        last = O if marks % 2 == 0 else X
        ongoing = layer[~has_line(layer == last, rules)] if marks else layer
        layer = _after(ongoing, X if last == O else O, rules, symmetry)
        marks += 1


def _after(boards: Boards, side: int, rules: Rules, symmetry: bool) -> Boards:
    """The different boards after each legal move of a side."""
    parts = [boards[:0]]
    for cell in range(rules.cells):
        below = rules.below(cell)
        free = boards[:, cell] == EMPTY
        if rules.gravity and below is not None:
            free &= boards[:, below] != EMPTY
        children = boards[free]
        children[:, cell] = side
        if symmetry:
            children, _ = canonical_boards(children, rules)
        parts.append(_different(children, rules))
    return _different(np.concatenate(parts), rules)


def _different(boards: Boards, rules: Rules) -> Boards:
    rows = np.unique(np.ascontiguousarray(boards).view(f"V{rules.cells}"))
    return rows.view(np.uint8).reshape(len(rows), rules.cells)
