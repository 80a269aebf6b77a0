"""The memory of this solver: GAME is constant for the rules of a game, STATE changes during a search.

For every cell, direction and side the state holds the direction pattern that a mark of the side on that cell would
make; for every empty cell and side it holds the cell pattern (``kernel_patterns`` defines both). The cells of each cell
pattern are a bit set. The four direction patterns of a cell are its *quad*, a number that indexes the cell patterns and
the learned points.

A direction pattern depends on the cells within ``radius`` of the cell: goal - 1 each way, or goal where one mark more
would spoil the line (exact goal, Caro, Renju). Each line of the board is a word of two bits a cell: 0 empty, 1 a mark
of side 0, 2 one of side 1, 3 the edge or a blocked cell. If that is at most 12 cells, the part of the word around the
cell gives an index into a table of patterns (``kernel_lines``). For a longer goal (under Caro from 6 on)
``no_pattern_table`` is 1, and ``kernel_scan`` derives each pattern from the marks.

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other. Values count
from the root: a win for the side to move, n plies from the root, is WIN - n, a loss the negative. Estimates are within
+-ESTIMATE_LIMIT, exclusive.
"""

from typing import Any

import numpy as np

from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.solvers.common.layout import fields_of_type
from kinarow.solvers.large_boards.board.patterns import CELL_PATTERNS
from kinarow.solvers.large_boards.board.tunables import DEFAULTS

WIN = 30000
DECISIVE = 29000  # |value| >= this: a proven win or loss
INFINITY = 32000
ESTIMATE_LIMIT = 20000

BLOCKED_MARK = 3  # in ``state.mark``, and in ``Position.cells``
MAX_WORDS = (MAX_CELLS + 63) // 64
WORD_SHIFT = 6
BIT_MASK = 63
DIRECTIONS = 4
QUADS = 1 << 16
MAX_TABLE_CELLS = 12
MAX_RADIUS = MAX_TABLE_CELLS // 2
TABLE_SIZE = ((3 ** (MAX_RADIUS + 1) - 1) // 2) ** 2
"""The number of windows with up to MAX_RADIUS cells before the edge each way."""

MAX_LINES = 2 * MAX_SIDE
"""An upper bound on the lines of a board in one direction."""

MAX_ANSWERS = 1 + DIRECTIONS
"""The most answers that can stop a line under Caro: on the cell that completes it, or beside one of its runs."""

MAX_FOURS = 32
"""The most cells with a four that ``list_fours`` lists."""

MAX_LOG = MAX_CELLS * (1 + DIRECTIONS * (MAX_SIDE - 1) // 2) + 1
"""Every mark logs its own cell, and each pair of cells on a line logs one change; ``_log_change`` writes one beyond."""

MAX_PATTERN_LOG = 2 * MAX_LOG

# The sizes of the network.
LANES = 16
BOTH = 2 * LANES
FEATURES = LANES
CHANNELS = LANES
INPUTS = 2 * (FEATURES + CHANNELS)
HIDDEN = 32  # neurons of the hidden layer
TUPLES = 3876  # unordered four-tuples of the 16 direction patterns
EMBEDDINGS = 258  # of the pairs of direction patterns, then of a mark of side 0 and of side 1
MAX_REGIONS = 14 * 14
REGIONS_KEPT = 192  # slots for the regions' channels: one a mark, more than a search puts
THREATENING_KINDS = 5
THREAT_KINDS = 2 * THREATENING_KINDS + 1
THREATS = 1 << THREAT_KINDS
THREAT_PARTS = 1 + THREAT_KINDS + THREAT_KINDS * (THREAT_KINDS - 1) // 2  # the bias, each kind, each pair of kinds

# The sizes of a search.
MAX_PLY = 160
MAX_LINE = 64
MAX_VCF = 64  # plies of the deepest VCF
REDUCTION_SIZE = 64
THREAT_SEARCHES = 4
DEPTH_SHIFT = 4
DEPTH_UNIT = 1 << DEPTH_SHIFT  # one ply, where depth is in fractions of a ply
GENERATION_BITS = np.uint64(0xFFFF)  # of a table entry's facts

GAME_DTYPE = np.dtype(
    [
        *fields_of_type("rows columns cells words goal gravity misere exact_goal caro radius no_pattern_table"),
        ("beginner", np.int64),  # in Renju the side that began, otherwise -1
        ("blocked", np.uint64, (MAX_WORDS,)),  # cells that end lines as the edge does
        ("step", np.int64, (DIRECTIONS,)),
        *((name, np.int64, np.shape(value)) for name, value in DEFAULTS.items()),
        ("reduction", np.int16, (2, REDUCTION_SIZE, REDUCTION_SIZE)),
        ("cell_pattern_of_quad", np.uint8, (2, QUADS)),  # in the rows of ``quad_row``, one for each side
        ("quad_row", np.uint64, (2,)),
        # The estimate (``weights``): the number of a quad's tuple; a tuple's points for the side to move (low 32 bits)
        # and for the other side, and its features; the embeddings that a cell's channels are the sum of, for side 0
        # and then for side 1, those of marks rectified; points by ``threats``; and the layers above.
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
        ("no_features", np.int16, (BOTH,)),  # zeros
        # Regions are numbered row by row. A cell belongs to its first one, the next, and the two below them.
        ("region_columns", np.int64),
        ("regions", np.int64),
        ("first_region", np.uint8, (MAX_CELLS,)),
        # ``key``, ``lines``, ``quads``, ``point_sums`` and ``sums`` of a board without marks.
        ("empty_key", np.uint64),
        ("empty_lines", np.uint64, (DIRECTIONS, MAX_LINES)),
        ("empty_quads", np.uint32, (MAX_CELLS,)),
        ("empty_point_sums", np.int64, (2,)),
        ("empty_sums", np.int16, (2 * FEATURES,)),
        ("quad_order", np.int16, (2, QUADS)),  # scores for move ordering: for the side to move, and for the other side
        # The line of a cell in each direction, and the cell's first bit in it.
        ("line", np.uint8, (MAX_CELLS, DIRECTIONS)),
        ("line_bit", np.uint8, (MAX_CELLS, DIRECTIONS)),
        ("row", np.uint8, (MAX_CELLS,)),
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        # ``kernel_lines``: what the cells before and after a cell add to its window's code; the patterns by that code,
        # side 0's plus side 1's << 4; and these patterns as the quads of both sides, with NONE in other directions.
        ("end_code", np.uint32, (2, 4**MAX_RADIUS)),
        ("pattern_table", np.uint8, (TABLE_SIZE,)),
        ("quads_of_patterns", np.uint32, (256,)),
        ("near_cells", np.uint64, (MAX_CELLS, MAX_WORDS)),  # the cells that a mark makes candidates
    ],
    align=True,
)

WEIGHTS_DTYPE = np.dtype(
    [
        ("points", np.int32, (TUPLES, 2)),  # of each tuple, in sixteenths, for the side to move and for the other side
        ("features", np.int16, (TUPLES, FEATURES)),  # of each tuple
        ("threats", np.int16, (THREATS,)),  # points by ``kernel_forward_pass.threats``
        # The network, in the integer units of ``kernel_forward_pass``. Embeddings are by own direction pattern plus the
        # other side's << 4; two more are those of an own mark and of the other side's. The inputs are the features of
        # the side to move and of the other side, then the channels of both.
        ("embedding", np.int16, (EMBEDDINGS, CHANNELS)),
        ("cell_bias", np.int16, (CHANNELS,)),  # of the channels of an empty cell
        ("region_bias", np.int16, (CHANNELS,)),  # of the channels of a region
        ("input_bias", np.int16, (INPUTS,)),
        ("layer", np.int16, (INPUTS, HIDDEN)),  # from each of these inputs to each hidden value
        ("threat_layer", np.int32, (THREAT_PARTS, HIDDEN)),  # from each part of the threats to each hidden value
        ("output", np.int32, (HIDDEN,)),  # from each hidden value to the estimate
        ("order", np.int16, (2, TUPLES)),  # move ordering scores of each tuple, for the side to move and for the other
        ("has_network", np.int64),  # 0 if points are all of the estimate
    ],
    align=True,
)
"""The weights of the estimate and of the order of moves, by the tuples of patterns of cells."""

_BOARD: list[Any] = [
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
    ("lines", np.uint64, (DIRECTIONS, MAX_LINES)),
    # By the number of marks on the board: sums by side, over the empty cells, of the points and the features of their
    # tuples; and sums of the channels over the regions. They are valid for up to ``summed`` marks
    # (``bring_sums_up_to_date``).
    ("summed", np.int64),
    ("point_sums", np.int64, (MAX_CELLS + 1, 2)),
    ("sums", np.int16, ((MAX_CELLS + 1) * 2 * FEATURES,)),
    ("pools", np.int32, ((MAX_CELLS + 1) * BOTH,)),
    # The log of each mark: ``near_mask`` before it; the cells whose quads it changed, its own first, with the quads
    # before and after; and the cell patterns that it changed, as
    # (cell << 1 | side) << 8 | pattern before << 4 | pattern after.
    ("log_end", np.int64, (MAX_CELLS + 1,)),
    ("pattern_log_end", np.int64, (MAX_CELLS + 1,)),
    ("near_before", np.uint64, (MAX_CELLS, MAX_WORDS)),
    ("log_cell", np.uint16, (MAX_LOG,)),
    ("log_before", np.uint32, (MAX_LOG,)),
    ("log_after", np.uint32, (MAX_LOG,)),
    ("pattern_log", np.uint32, (MAX_PATTERN_LOG,)),
    ("answer", np.int16, (MAX_ANSWERS,)),
    # ``list_fours``: the cells that make fours, and the direction and steps to each from the one being tested.
    ("four_cell", np.int16, (MAX_FOURS,)),
    ("four_line", np.int8, (MAX_FOURS,)),
    ("four_steps", np.int8, (MAX_FOURS,)),
    ("inputs", np.int16, (INPUTS,)),
    ("hidden", np.int32, (HIDDEN,)),
    ("channels", np.int16, (BOTH,)),  # the change of one cell's channels
    # The channels of the regions. Slot 0 has those of the position loaded; each mark's slot has new rows for the
    # regions that it touched. ``region_row`` has, for each slot, the current row of every region.
    ("loaded", np.int64),
    ("region_row", np.uint16, (REGIONS_KEPT * MAX_REGIONS,)),
    ("region_channels", np.int16, (REGIONS_KEPT * MAX_REGIONS * BOTH,)),
]
"""The board, set by ``load``, and scratch memory."""

_SEARCH: list[Any] = [
    # Set before a search.
    ("generation", np.int64),
    ("oldest", np.int64),  # entries from this generation on are trusted
    ("slots", np.int64),
    ("position_words", np.int64),
    ("fixed_depth", np.int64),  # 1: all moves, nothing beyond the depth, no threat search
    # The result of the main search in hand; ``line`` is its principal variation.
    *fields_of_type("value best proven line_length"),
    ("line", np.int16, (MAX_LINE,)),
    # Iterative deepening: the plies completed, the latest result, what comes next, and the threat searches.
    *fields_of_type("depth found_depth found_value found_best"),
    ("found_proven", np.int64),  # the outcome is certain
    ("found_exact", np.int64),  # the distance is certain too
    ("found_length", np.int64),
    ("found_line", np.int16, (MAX_LINE,)),  # the principal variation, beginning with the best move
    ("next", np.int64),
    ("refuted", np.uint8, (MAX_CELLS,)),  # 1: threats win against this move
    ("threat_nodes", np.int64, (THREAT_SEARCHES,)),
    ("quiet_depth", np.int64),  # of the search for a quiet first move: the depth at which moves are tried
    ("quiet_tried", np.int64, (MAX_CELLS,)),  # the depth at which each of them was tried last
    ("threat_depth", np.int64, (THREAT_SEARCHES + MAX_CELLS,)),  # the next depth of each search
    ("least_threat_nodes", np.int64, (THREAT_SEARCHES + MAX_CELLS,)),  # continue it only with so many nodes
    # Inside an iteration.
    ("root_depth", np.int64),  # plies of the iteration
    ("excluded", np.int64, (MAX_PLY,)),  # the move that a singular search leaves out, -1 for none
    ("static_estimate", np.int64, (MAX_PLY,)),
    ("unproven_count", np.int64),  # estimates used and moves left out so far
    # Of the node in hand: the cell that completes a line for the other side, -1 for none, ...
    ("block", np.int64),
    # ... and an upper bound on the value of the moves that are not listed.
    ("unlisted_bound", np.int64),
    ("vcf_block", np.int64),  # the cell that the VCF must mark to stop a line, -1 for none
    ("vcf_nodes", np.int64),  # nodes that the VCF may still visit
    ("vct_nodes", np.int64),  # nodes that the VCT may still visit
    ("vct_in_plies", np.int64),  # 1: the VCT counts its depth in plies, not in threats, and tries all attacks
    ("cut_count", np.int64),  # how often VCT and VCF left something out because of a limit
    ("pv_length", np.int64, (MAX_PLY,)),
    ("pv", np.int16, (MAX_PLY, MAX_LINE)),
    ("vcf_line", np.int16, (MAX_VCF + 4,)),
    ("fours", np.int16, (MAX_VCF + 4, MAX_FOURS)),  # the VCF's moves to try, by level
    ("killer", np.int16, (MAX_PLY, 2)),
    ("countermove", np.int16, (2, MAX_CELLS + 1)),
    ("history", np.int32, (2, MAX_CELLS)),
    ("zone", np.uint64, (MAX_PLY, MAX_WORDS)),
    ("null_move_loses", np.int64),  # 1: a null move at the root loses to threats
    ("null_move_zone", np.uint64, (MAX_WORDS,)),  # the relevance zone of these threats
]
"""The state of a search of the board, set by ``begin``."""

_MOVES: list[Any] = [
    ("moves", np.int16, (MAX_PLY, MAX_CELLS)),
    ("move_keys", np.int64, (MAX_PLY, MAX_CELLS)),  # listed moves with their scores
]
"""The move lists of the nodes from the root to the current one."""

STATE_DTYPE = np.dtype([*_SEARCH, *_BOARD, *_MOVES], align=True)
FIRST_OF_BOARD: str = _BOARD[0][0]

MOVE_RESULT_DTYPE = np.dtype(
    [
        ("cell", np.int64),  # the move
        ("nodes", np.int64),
        ("reason", np.int64),  # what ended the search (``budget_record``)
        *fields_of_type("depth value proven exact length"),
        ("line", np.int16, (MAX_LINE,)),
    ],
    align=True,
)
"""The result of the search after one move (``search_moves``)."""
