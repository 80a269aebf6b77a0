"""The record of a board for kernels: the rules of its shape, its marks, and what ``kernel_geometry`` finds."""

import numpy as np

from kinarow.game.size import MAX_CELLS, MAX_SIDE

MAX_STEPS = 13  # directions of space
MAX_LINES = MAX_STEPS * MAX_CELLS  # exact goal 1 in layers: a line in each direction at every cell
RULE_NAMES = (
    *("layers", "rows", "columns", "goal", "gravity", "misere", "exact_goal", "caro", "wraps_columns", "wraps_rows"),
    *("shared", "directions"),
)

BOARD_DTYPE = np.dtype(
    [
        *((name, np.int64) for name in RULE_NAMES),
        ("marks", np.int8, (MAX_CELLS,)),
        *((name, np.int64) for name in ("cells", "steps", "lines")),
        ("step", np.int64, (MAX_STEPS, 3)),
        ("ring", np.int64, (MAX_STEPS,)),
        ("line_step", np.int8, (MAX_LINES,)),
        ("line_first", np.int16, (MAX_LINES,)),
        ("line_hash", np.uint64, (MAX_LINES,)),
        ("line", np.int64, (MAX_SIDE,)),
        ("flank", np.int64, (2,)),
        ("shifts", np.int64, (2,)),
        *((name, np.int64, (MAX_CELLS,)) for name in ("order", "image", "place")),
        ("number", np.int64, (MAX_CELLS + 1,)),
    ],
    align=True,
)
"""The host writes the rules, with bit n of ``directions`` for the n-th of ``DIRECTION_NAMES``, and the ``marks``, as in
``Position.cells``. Kernels write the rest:

- ``cells``, ``steps`` and ``lines``, the numbers of each; ``line_hash`` and ``number`` are working memory
- ``step`` (layers, rows, columns) along which lines lie; ``ring``: after how many steps it leads back, at most goal + 2
- ``line_step`` and ``line_first``, the step and the first cell of each line
- ``line`` and ``flank``, the cells and the flanks, -1 for none, of the line read last
- ``order``, the fixed order of moves
- ``image`` of each cell under the symmetry found last; ``shifts``, the numbers of possible shifts of rows and columns
- ``place`` of each cell in a word, -1 for none
"""
