"""All positions of a small game as rows to label."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from kinarow.game.notation import write_rows
from kinarow.game.rules import NAMES, O, Rules, X
from kinarow.search.enumeration import layers
from service.labelling.reading import Part


def text_of(cells: bytes, rules: Rules) -> str:
    """A board as text: ``/`` between rows, ``//`` between layers."""
    rows = write_rows(cells, rules.columns)
    return "//".join("/".join(rows[at : at + rules.rows]) for at in range(0, len(rows), rules.rows))


def all_parts(rules: Rules, part_rows: int, *, symmetry: bool) -> Iterator[Part]:
    """Every position that games of X reach, layer by layer, with the columns ``marks``, ``board`` and ``to_move``.

    Args:
        part_rows: the most rows of a part; each layer begins a new one.
        symmetry: whether of symmetric positions one counts.
    """
    index, number = 0, 1
    for layer in layers(rules, symmetry=symmetry):
        marks = int(np.isin(layer[0], (X, O)).sum())
        for at in range(0, len(layer), part_rows):
            boards = layer[at : at + part_rows]
            rows = pa.table(
                {
                    "marks": pa.array([marks] * len(boards), pa.int16()),
                    "board": [text_of(board.tobytes(), rules) for board in boards],
                    "to_move": [NAMES[X if marks % 2 == 0 else O]] * len(boards),
                }
            )
            yield Part(index, rows, list(range(number, number + len(boards))))
            index, number = index + 1, number + len(boards)
