"""The record of a board of up to 25 x 25 cells, which every kernel of this solver takes, and its sizes.

For every cell, direction and side the board holds the direction pattern that a mark of the side on that cell would
make; for every empty cell and side it holds the cell pattern. Cells of each cell pattern are kept as bit sets, one
bit for each cell. ``kernel_patterns`` defines both kinds of pattern. The four direction patterns of a cell together
are its *quad*, a number that indexes the learned points and the cell patterns.

A direction pattern depends on the marks within ``radius`` of the cell: goal - 1 cells each way, or goal cells with
an exact goal, because there one mark more would spoil the line. With up to 12 such cells the surrounding is a
ternary number (0 empty, 1 own, 2 the other's or the edge) that indexes a table of patterns. For a longer goal, under
Caro from goal 6 on, the board has ``no_pattern_table``: ``kernel_scan`` works the pattern out from the marks each
time. Caro numbers its surroundings in its own way (``fill_caro_patterns``).

The sums and the weights of the network are fields of the same record, for kernels take one record most quickly;
``network/`` alone reads and writes them.

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other.
"""

from typing import Any

import numpy as np

from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.solvers.large_boards.board.patterns import CELL_PATTERNS

ESTIMATE_LIMIT = 20000
"""Estimates lie between this and its negative, exclusive."""

MAX_WORDS = (MAX_CELLS + 63) // 64
WORD_SHIFT = 6
BIT_MASK = 63
DIRECTIONS = 4
QUADS = 1 << 16
MAX_TABLE_CELLS = 12
TABLE_SIZE = 3**MAX_TABLE_CELLS
MAX_ANSWERS = 1 + DIRECTIONS
"""The most cells that may stop a line under Caro: the one that completes it, and one beside each run."""

MAX_FOURS = 32
"""The most cells that make fours that are listed."""

MAX_LOG = MAX_CELLS * (1 + DIRECTIONS * (MAX_SIDE - 1) // 2) + 1
"""Every mark logs its own cell, and every two cells on a line are logged at most once; one place is for a draft."""

MAX_KIND_LOG = 2 * MAX_LOG

# The sizes of the network.
LANES = 16
BOTH = 2 * LANES
FEATURES = LANES
CHANNELS = LANES
INPUTS = 2 * (FEATURES + CHANNELS)
HIDDEN = 32  # numbers of the hidden layer
TUPLES = 3876  # unordered four-tuples of the 16 direction patterns
EMBEDDINGS = 258  # of the pairs of direction patterns, then of a mark of side 0 and of side 1
MAX_REGIONS = 14 * 14
REGIONS_KEPT = 192  # marks for which the regions are kept: more than a search puts
THREATENING_KINDS = 5
THREATS = 1 << (2 * THREATENING_KINDS + 1)

_GAME: list[Any] = [
    ("rows", np.int64),
    ("columns", np.int64),
    ("cells", np.int64),
    ("words", np.int64),
    ("goal", np.int64),
    ("gravity", np.int64),
    ("misere", np.int64),
    ("exact_goal", np.int64),
    ("caro", np.int64),
    ("beginner", np.int64),  # in Renju the side that began, otherwise -1
    ("first_code", np.int64, (2,)),  # where the patterns of each side begin in the table
    ("radius", np.int64),
    ("no_pattern_table", np.int64),
    ("step", np.int64, (DIRECTIONS,)),
    ("power", np.int32, (2 * MAX_SIDE,)),
    ("unit", np.int64, (16,)),
    ("pattern_points", np.int64, (16,)),
    ("cell_pattern_of_quad", np.uint8, (2, QUADS)),  # in the rows of ``quad_row``, one for each side
    ("quad_row", np.uint64, (2,)),
    # Of the estimate (``weights``): the number of a quad's tuple; its points for the mover and for the other side
    # (32 bits each) and its features; the embeddings that make the channels of a cell, for side 0 and then for
    # side 1, those of marks rectified; points by ``threats``; and the layers above.
    ("tuple_of_quad", np.uint16, (QUADS,)),
    ("tuple_points", np.int64, (TUPLES,)),
    ("features", np.int16, (TUPLES * FEATURES,)),
    ("embedding", np.int16, (EMBEDDINGS * BOTH,)),
    ("cell_bias", np.int16, (BOTH,)),
    ("region_bias", np.int16, (BOTH,)),
    ("threat_points", np.int16, (THREATS,)),
    ("has_network", np.int64),
    ("input_bias", np.int16, (INPUTS,)),
    ("layer", np.int16, (INPUTS * HIDDEN,)),
    ("threat_layer", np.int32, (THREATS, HIDDEN)),
    ("output", np.int32, (HIDDEN,)),
    ("no_features", np.int16, (FEATURES,)),  # zeros
    # Regions are numbered row by row. A cell belongs to its first one, the next, and the two below them.
    ("region_columns", np.int64),
    ("regions", np.int64),
    ("first_region", np.uint8, (MAX_CELLS,)),
    ("empty_quads", np.uint32, (MAX_CELLS,)),  # ``quads`` of a board without marks
    ("quad_order", np.int16, (2, QUADS)),  # of the order of moves: for the mover, and for the other side
    # By a mark of a side at a place of the surrounding; 0 at the cell itself.
    ("code_change", np.uint64, (2, 2 * MAX_SIDE + 1)),
    ("row", np.uint8, (MAX_CELLS,)),
    ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
    ("zobrist", np.uint64, (2, MAX_CELLS)),
    ("pattern_table", np.uint8, (TABLE_SIZE,)),
    ("near_cells", np.uint64, (MAX_CELLS, MAX_WORDS)),  # what a mark makes candidates
]
"""What marks never change."""

_MARKS: list[Any] = [
    ("empty", np.int64),
    ("key", np.uint64),
    ("count", np.int64, (2, CELL_PATTERNS)),
    ("mask", np.uint64, (2, CELL_PATTERNS, MAX_WORDS)),
    ("near_mask", np.uint64, (MAX_WORDS,)),
    ("open_mask", np.uint64, (MAX_WORDS,)),
    ("stones", np.uint64, (2, MAX_WORDS)),
    ("mark", np.int8, (MAX_CELLS,)),
    ("cell_pattern", np.uint8, (MAX_CELLS, 2)),
    ("quads", np.uint32, (MAX_CELLS,)),  # of side 0, and of side 1 << 16
    ("code", np.uint64, (DIRECTIONS, MAX_CELLS)),  # of side 0, and of side 1 << 32
    # By marks on the board: the sums over the empty cells of the points and the features of their tuples, by
    # side; and those of the channels over the regions. For up to ``summed`` marks they are known
    # (``bring_sums_up_to_date``).
    ("summed", np.int64),
    ("point_sums", np.int64, (MAX_CELLS + 1, 2)),
    ("sums", np.int16, ((MAX_CELLS + 1) * 2 * FEATURES,)),
    ("pools", np.int32, ((MAX_CELLS + 1) * BOTH,)),
    # The log, for each mark on the board in turn: what was near marks; the cells whose quads it changed, its own
    # first, with the quads before and after; and the cell patterns that it changed, as
    # (cell << 1 | side) << 8 | pattern before << 4 | pattern after.
    ("log_end", np.int64, (MAX_CELLS + 1,)),
    ("kind_log_end", np.int64, (MAX_CELLS + 1,)),
]
"""What a mark changes."""

_LOGS: list[Any] = [
    ("near_before", np.uint64, (MAX_CELLS, MAX_WORDS)),
    ("log_cell", np.uint16, (MAX_LOG,)),
    ("log_before", np.uint32, (MAX_LOG,)),
    ("log_after", np.uint32, (MAX_LOG,)),
    ("kind_log", np.uint32, (MAX_KIND_LOG,)),
    ("answer", np.int16, (MAX_ANSWERS,)),
    # Of cells that make fours: the cells, and from one of them the direction and the steps to each.
    ("four_cell", np.int16, (MAX_FOURS,)),
    ("four_line", np.int8, (MAX_FOURS,)),
    ("four_steps", np.int8, (MAX_FOURS,)),
    ("inputs", np.int16, (INPUTS,)),
    ("hidden", np.int32, (HIDDEN,)),
    ("channels", np.int16, (BOTH,)),  # the change of the channels of a cell
]
"""The contents of the log, and working memory: void on an empty board."""

BOARD_DTYPE = np.dtype(
    [
        *_GAME,
        *_MARKS,
        *_LOGS,
        # The channels of the regions for the last ``REGIONS_KEPT`` numbers of marks.
        ("region_channels", np.int16, (REGIONS_KEPT * MAX_REGIONS * BOTH,)),
    ],
    align=True,
)
FIRST_OF_MARKS: str = _MARKS[0][0]
FIRST_OF_LOGS: str = _LOGS[0][0]
