"""Lists every reachable position of a game, in layers of equally many marks."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kinarow.errors import RuleError
from kinarow.game.notation import write_board
from kinarow.game.position_arrays import (
    RULES_HANDLED,
    Boards,
    canonical_boards,
    has_line,
    lines_stand_alone,
    symmetries_of,
)
from kinarow.game.rules import BLOCKED, EMPTY, NAMES, O, Rules, Side, X, other

MOST = 10**9  # most positions that are listed
_AT_ONCE = 1 << 16  # rows of a table
_SAMPLE = 5_000  # about the children of a layer's sample in an estimate


def layers(rules: Rules, *, symmetry: bool = False, max_marks: int | None = None) -> Iterator[Boards]:
    """Yield the sorted positions, finished ones too, after 0, 1, 2 … moves of games that X begins.

    A layer is an array with a row of cells for each position, as ``bulk_values`` takes it; ``symmetry`` keeps only the
    smallest of symmetric positions. Two layers are in memory at once: the largest of 4 × 5 with gravity takes 6 MB, of
    5 × 5 without gravity 100 GB.

    >>> from kinarow.game.rules import Rules
    >>> [len(layer) for layer in layers(Rules(3, 3, 3))]
    [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    """
    _check_rules(rules)
    layer, marks = np.frombuffer(rules.empty_board, np.uint8)[None], 0
    while len(layer):
        yield layer
        if marks == max_marks:
            return
        last: Side = O if marks % 2 == 0 else X
        ongoing = layer[~has_line(layer == last, rules)] if marks else layer
        children = _children(ongoing, other(last), rules)
        chosen = (canonical_boards(each, rules)[0] if symmetry else each for each in children)
        layer = _unique(np.concatenate([ongoing[:0], *(_unique(each, rules) for each in chosen)]), rules)
        marks += 1


def tables(rules: Rules, *, symmetry: bool, max_marks: int | None = None) -> Iterator[pa.Table]:
    """Yield the positions of ``layers`` as tables with the columns ``marks``, ``board`` and ``to_move``."""
    for marks, layer in enumerate(layers(rules, symmetry=symmetry, max_marks=max_marks)):
        for at in range(0, len(layer), _AT_ONCE):
            boards = layer[at : at + _AT_ONCE]
            columns = {
                "marks": pa.array([marks] * len(boards), pa.int16()),
                "board": [write_board(board.tobytes(), rules) for board in boards],
                "to_move": [NAMES[X if marks % 2 == 0 else O]] * len(boards),
            }
            yield pa.table(columns)


def check(rules: Rules, *, symmetry: bool, max_marks: int | None = None) -> None:
    """Raise ``RuleError`` if ``layers`` doesn't support the rules, or would list more than ``MOST`` positions."""
    _check_rules(rules)
    most = MOST * (len(symmetries_of(rules)) if symmetry else 1)
    if estimate_positions(rules, most, max_marks) > most:
        raise RuleError("/all", f"the game has more than {MOST:,} positions; set a lower --max-marks")


def _check_rules(rules: Rules) -> None:
    if not lines_stand_alone(rules):
        name = next(name for name in rules.special() if name not in RULES_HANDLED)
        raise RuleError("/all", f"positions of games with {name} cannot be listed")


def estimate_positions(rules: Rules, enough: float, max_marks: int | None) -> float:
    """Estimate the number of positions without symmetry by samples of each layer; stop above ``enough``."""
    rng = np.random.default_rng(1)
    most = max(2, _SAMPLE // (rules.columns if rules.gravity else rules.cells))
    sample, size, total, side, marks = np.frombuffer(rules.empty_board, np.uint8)[None], 1.0, 0.0, X, 0
    while len(sample) and total <= enough:
        total += size
        if marks == max_marks:
            break
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
    """Return each board's number of predecessors: one for each mark that may have been the last of ``side``."""
    last = boards == side
    for cell in range(rules.cells if rules.gravity else 0):
        if (below := rules.below(cell)) is not None:
            last[:, below] &= (boards[:, cell] == EMPTY) | (boards[:, cell] == BLOCKED)
    counts: NDArray[np.intp] = last.sum(axis=1, dtype=np.intp)
    return np.maximum(1, counts)


def _children(boards: Boards, side: int, rules: Rules) -> Iterator[Boards]:
    """Yield for each cell the boards after a side's move there."""
    for cell in range(rules.cells):
        below = rules.below(cell)
        free = boards[:, cell] == EMPTY
        if rules.gravity and below is not None:
            free &= boards[:, below] != EMPTY
        children = boards[free]
        children[:, cell] = side
        yield children


def _unique(boards: Boards, rules: Rules) -> Boards:
    rows = np.unique(np.ascontiguousarray(boards).view(f"V{rules.cells}"))
    return rows.view(np.uint8).reshape(len(rows), rules.cells)
