"""Every position that a game can reach, one layer of equally many marks after the other."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kinarow.errors import RuleError
from kinarow.game.notation import write_board
from kinarow.game.position_arrays import KNOWN, Boards, canonical_boards, has_line, lines_stand_alone, symmetries_of
from kinarow.game.rules import BLOCKED, EMPTY, NAMES, O, Rules, Side, X, other
from kinarow.game.size import MAX_CELLS

MOST = 10**9
"""The most positions that are listed."""

_AT_ONCE = 1 << 16
_NAMES = {"marks": "shared marks", "caro": "the rule of Caro", "renju": "the rules of Renju"}
_ESTIMATED_CELLS = 64
_SAMPLE = 5_000  # about how many positions of a layer an estimate looks at
_SEED = 1


def layers(rules: Rules, *, symmetry: bool = False, max_marks: int = MAX_CELLS) -> Iterator[Boards]:
    """The positions after 0, 1, 2 … moves of games that X begins, finished ones too; in ascending order.

    ``check`` says which games, and how many positions; a ``RuleError`` for Caro, Renju and shared marks.

    One layer and the next are in memory at once, so this is for small games: the largest layer of 4 × 5 with gravity
    takes 6 MB, that of 5 × 5 without gravity 100 GB.

    Args:
        symmetry: whether only the smallest of symmetric positions counts.
        max_marks: the most marks of a position.

    Yields:
        An array with a row of cells for each position, in the encoding of ``bulk_values``; never an empty one.

    >>> from kinarow.game.rules import Rules
    >>> [len(layer) for layer in layers(Rules(3, 3, 3))]
    [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    """
    _check_rules(rules)
    layer, marks = _empty(rules), 0
    while len(layer):
        yield layer
        if marks == max_marks:
            return
        last = O if marks % 2 == 0 else X
        ongoing = layer[~has_line(layer == last, rules)] if marks else layer
        layer = _after(ongoing, X if last == O else O, rules, symmetry)
        marks += 1


def tables(rules: Rules, *, symmetry: bool, max_marks: int = MAX_CELLS) -> Iterator[pa.Table]:
    """The positions of ``layers`` with the columns ``marks``, ``board`` and ``to_move``."""
    for layer in layers(rules, symmetry=symmetry, max_marks=max_marks):
        marks = int(np.isin(layer[0], (X, O)).sum())
        for at in range(0, len(layer), _AT_ONCE):
            boards = layer[at : at + _AT_ONCE]
            columns = {
                "marks": pa.array([marks] * len(boards), pa.int16()),
                "board": [write_board(board.tobytes(), rules) for board in boards],
                "to_move": [NAMES[X if marks % 2 == 0 else O]] * len(boards),
            }
            yield pa.table(columns)


def check(rules: Rules, *, symmetry: bool, max_marks: int = MAX_CELLS) -> None:
    """Raise a ``RuleError`` if ``layers`` cannot list the positions of a game, or they are more than ``MOST``."""
    _check_rules(rules)
    images = len(symmetries_of(rules)) if symmetry else 1
    # On a large board the rest of the estimate would take long.
    count = estimated(rules, np.inf if rules.cells <= _ESTIMATED_CELLS else MOST * images, max_marks) / images
    if count > MOST:
        about = f"about {count:.1e}" if rules.cells <= _ESTIMATED_CELLS else "far more"
        raise RuleError(
            "/all", f"the game has {about} positions; at most {MOST:,} can be listed: fewer marks make fewer"
        )


def _check_rules(rules: Rules) -> None:
    if not lines_stand_alone(rules):
        name = next(name for name in rules.special() if name not in KNOWN)
        raise RuleError("/all", f"positions of games with {_NAMES.get(name, name)} cannot be listed")


def estimated(rules: Rules, enough: float = np.inf, max_marks: int = MAX_CELLS) -> float:
    """About how many positions ``layers`` has without symmetry, or ``enough`` or more.

    Each layer is estimated from a sample of the one before; a position is counted in parts, one for each of those from
    which one move leads to it.
    """
    rng = np.random.default_rng(_SEED)
    most = max(2, _SAMPLE // (rules.columns if rules.gravity else rules.cells))
    sample, size, total, side, marks = _empty(rules), 1.0, 0.0, X, 0
    while len(sample) and total < enough and marks <= max_marks:
        total += size
        marks += 1
        ongoing = sample[~has_line(sample == other(side), rules)]
        children = np.concatenate([sample[:0], *_children(ongoing, side, rules)])
        shares = 1 / _parents(children, side, rules)
        size *= shares.sum() / len(sample)
        count = min(len(children), most)
        sample = children[rng.choice(len(children), count, p=shares / shares.sum())] if count else children
        side = other(side)
    return total


def _parents(boards: Boards, side: Side, rules: Rules) -> NDArray[np.intp]:
    """From about how many positions a move of a side, which made the last one, leads to each board; at least one.

    With gravity the side that moved before must have a mark on top too. More cannot be told at a glance.
    """
    marks = boards == side
    last = marks.copy()  # the marks that may have been the last
    if rules.gravity:
        under = [(cell, below) for cell in range(rules.cells) if (below := rules.below(cell)) is not None]
        on_top = boards != EMPTY
        for cell, below in under:
            on_top[:, below] &= (boards[:, cell] == EMPTY) | (boards[:, cell] == BLOCKED)
        before = np.repeat((on_top & (boards == other(side))).any(axis=1)[:, None], rules.cells, axis=1)
        for cell, below in under:
            before[:, cell] |= boards[:, below] == other(side)
        last &= on_top & before
    over = np.flatnonzero(has_line(marks, rules))
    for cell in range(rules.cells) if len(over) else ():
        without = marks[over]
        without[:, cell] = False
        last[over, cell] &= ~has_line(without, rules)
    counts: NDArray[np.intp] = np.maximum(1, last.sum(axis=1, dtype=np.intp))
    return counts


def _after(boards: Boards, side: int, rules: Rules, symmetry: bool) -> Boards:
    """The different boards after each legal move of a side."""
    parts = [boards[:0]]
    for children in _children(boards, side, rules):
        if symmetry:
            children, _ = canonical_boards(children, rules)
        parts.append(_different(children, rules))
    return _different(np.concatenate(parts), rules)


def _empty(rules: Rules) -> Boards:
    return np.array([[BLOCKED if rules.blocked >> cell & 1 else EMPTY for cell in range(rules.cells)]], np.uint8)


def _children(boards: Boards, side: int, rules: Rules) -> Iterator[Boards]:
    """The boards after the moves of a side, those on one cell after the other."""
    for cell in range(rules.cells):
        below = rules.below(cell)
        free = boards[:, cell] == EMPTY
        if rules.gravity and below is not None:
            free &= boards[:, below] != EMPTY
        children = boards[free]
        children[:, cell] = side
        yield children


def _different(boards: Boards, rules: Rules) -> Boards:
    rows = np.unique(np.ascontiguousarray(boards).view(f"V{rules.cells}"))
    return rows.view(np.uint8).reshape(len(rows), rules.cells)
