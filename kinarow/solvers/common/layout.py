"""The memory layouts that several solvers share: games on bitboards, symmetries of games, and exact results."""

from typing import Any

import numpy as np

from kinarow.solvers.common.capacity import MAX_COLUMNS, MAX_SYMMETRIES, WORD_BITS

DIRECTIONS = 4


def fields_of_type(names: str, dtype: Any = np.int64, *shape: int) -> list[tuple[str, Any, tuple[int, ...]]]:
    """Return the fields of a structured dtype with these names, all of one type and shape."""
    return [(name, dtype, shape) for name in names.split()]


GAME_DTYPE = np.dtype(
    [
        *fields_of_type("rows columns cells goal gravity misere exact_goal off directions"),
        ("stride", np.uint64, (DIRECTIONS,)),
        ("up", np.uint64),
        ("side", np.uint64),
        ("fill_steps", np.int64),
        ("board", np.uint64),
        ("bottom", np.uint64),
        ("claim", np.uint64),
        ("by_rows", np.int64),
        ("column", np.uint64, (MAX_COLUMNS,)),
        ("order", np.int64, (WORD_BITS,)),
        ("rank", np.int64, (WORD_BITS,)),
    ],
    align=True,
)
"""The rules and geometry of a board for ``kernel_bitboard``.

``stride``: bits from a cell to its neighbour in each of the ``directions`` that a span fits. ``up`` and ``side``:
bits to the cell above and to the cell on the right. ``claim``: every second row from the top; on a board with an even
number of rows, a player who always answers in the same column gets exactly these cells (claimeven: Allis 1988).
``column``: the cells of each column, left to right, by columns with the spare bit. ``order``: the bits of all cells,
preferred moves first; ``rank``: its inverse. ``off``: the sum of the switches that turn shortcuts off, for tests.
"""

IMAGES_DTYPE = np.dtype(
    [
        ("count", np.int64),
        ("image", np.uint8, (MAX_SYMMETRIES, WORD_BITS)),
        ("inverse", np.int64, (MAX_SYMMETRIES,)),
        ("fixed", np.uint64, (MAX_SYMMETRIES,)),
        ("mirror", np.int64, (MAX_SYMMETRIES,)),
    ],
    align=True,
)
"""The symmetries of a game, the identity first: ``image`` maps bits, ``fixed`` has the cells left in place, ``inverse``
the number of the inverse, and ``mirror`` is 1 if it serves mirror play in misere."""

RESULT_DTYPE = np.dtype([*fields_of_type("lower upper move moves"), ("line", np.int64, (WORD_BITS,))], align=True)
"""An exact solver's result: ``lower <= value <= upper``; ``move`` (a bit index) guarantees ``lower``; ``line`` is the
principal variation of ``moves`` moves."""
