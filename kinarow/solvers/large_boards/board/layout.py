"""The records of this solver and their sizes: GAME is what never changes, STATE what a search changes.

For every cell, direction and side the state holds the direction pattern that a mark of the side on that cell would
make; for every empty cell and side it holds the cell pattern. Cells of each cell pattern are kept as bit sets, one
bit for each cell. ``kernel_patterns`` defines both kinds of pattern. The four direction patterns of a cell together
are its *quad*, a number that indexes the learned points and the cell patterns.

A direction pattern depends on the marks within ``radius`` of the cell: goal - 1 cells each way, or goal cells with
an exact goal, because there one mark more would spoil the line. Each line of the board is a word of two bits a cell: 0
empty, 1 a mark of side 0, 2 one of side 1, 3 the edge or a blocked cell. With up to 12 cells around, a part of it gives
the number of the surrounding, which indexes a table of patterns (``kernel_lines``). For a longer goal, under Caro from
goal 6 on, there is ``no_pattern_table``: ``kernel_scan`` works the pattern out from the marks each time.

Cells are row * columns + column; side 0 is the side to move in the position loaded, side 1 the other. Values count
from the root: a win for the side to move, n plies from the root, is WIN - n, a loss the negative. Estimates are within
+-ESTIMATE_LIMIT, exclusive.
"""

from typing import Any

import numpy as np

from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.solvers.common.layout import alike
from kinarow.solvers.large_boards.board.patterns import CELL_PATTERNS
from kinarow.solvers.large_boards.board.tunables import DEFAULTS

WIN = 30000
DECISIVE = 29000  # |value| >= this: a proven win or loss
INFINITY = 32000
ESTIMATE_LIMIT = 20000

BLOCKED_MARK = 3  # in a board that a search begins with, as in ``Position.cells``, and on the board of a state
MAX_WORDS = (MAX_CELLS + 63) // 64
WORD_SHIFT = 6
BIT_MASK = 63
DIRECTIONS = 4
QUADS = 1 << 16
MAX_TABLE_CELLS = 12
MAX_RADIUS = MAX_TABLE_CELLS // 2
TABLE_SIZE = ((3 ** (MAX_RADIUS + 1) - 1) // 2) ** 2
"""The surroundings with up to MAX_RADIUS cells before the edge each way."""

MAX_LINES = 2 * MAX_SIDE
"""More than the lines of a board in one direction."""

MAX_ANSWERS = 1 + DIRECTIONS
"""The most cells that may stop a line under Caro: the one that completes it, and one beside each run."""

MAX_FOURS = 32
"""The most cells that make fours that are listed."""

MAX_LOG = MAX_CELLS * (1 + DIRECTIONS * (MAX_SIDE - 1) // 2) + 1
"""Every mark logs its own cell, and every two cells on a line are logged at most once; one place is for a draft."""

MAX_PATTERN_LOG = 2 * MAX_LOG

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
REGIONS_KEPT = 192  # slots of the regions: more than a search puts marks
THREATENING_KINDS = 5
THREAT_KINDS = 2 * THREATENING_KINDS + 1
THREATS = 1 << THREAT_KINDS
THREAT_PARTS = 1 + THREAT_KINDS + THREAT_KINDS * (THREAT_KINDS - 1) // 2  # having the move, each kind, and each two

# The sizes of a search.
MAX_PLY = 160
MAX_LINE = 64
MAX_VCF = 64  # deepest search by fours, in moves of both sides
REDUCTION_SIZE = 64
THREAT_SEARCHES = 4
DEPTH_SHIFT = 4
DEPTH_UNIT = 1 << DEPTH_SHIFT  # the depth of one ply
GENERATION_BITS = np.uint64(0xFFFF)  # of a table entry's facts

GAME_DTYPE = np.dtype(
    [
        *alike("rows columns cells words goal gravity misere exact_goal caro radius no_pattern_table"),
        ("beginner", np.int64),  # in Renju the side that began, otherwise -1
        ("blocked", np.uint64, (MAX_WORDS,)),  # cells that end lines as the edge does
        ("step", np.int64, (DIRECTIONS,)),
        *((name, np.int64, np.shape(value)) for name, value in DEFAULTS.items()),
        ("reduction", np.int16, (2, REDUCTION_SIZE, REDUCTION_SIZE)),
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
        ("quad_order", np.int16, (2, QUADS)),  # of the order of moves: for the mover, and for the other side
        # The line of a cell in each direction, and the bit where the cell begins in it.
        ("line", np.uint8, (MAX_CELLS, DIRECTIONS)),
        ("line_bit", np.uint8, (MAX_CELLS, DIRECTIONS)),
        ("row", np.uint8, (MAX_CELLS,)),
        ("reach", np.uint8, (MAX_CELLS, DIRECTIONS, 2)),
        ("zobrist", np.uint64, (2, MAX_CELLS)),
        # What the cells of a line before and after a cell add to the number of its surrounding; the patterns of that,
        # of side 0, and of side 1 << 4; and both as quads with nothing in other directions.
        ("end_code", np.uint32, (2, 4**MAX_RADIUS)),
        ("pattern_table", np.uint8, (TABLE_SIZE,)),
        ("quads_of_patterns", np.uint32, (256,)),
        ("near_cells", np.uint64, (MAX_CELLS, MAX_WORDS)),  # what a mark makes candidates
    ],
    align=True,
)

WEIGHTS_DTYPE = np.dtype(
    [
        ("points", np.int32, (TUPLES, 2)),  # of each tuple, in sixteenths, for the mover and for the other side
        ("features", np.int16, (TUPLES, FEATURES)),  # of each tuple
        ("threats", np.int16, (THREATS,)),  # points by the kinds of threatening cells (kernel_forward_pass.threats)
        # The network above the features: integers, in the units of ``kernel_forward_pass``. The embeddings are those of
        # each pair of an own direction pattern and another << 4, then of an own mark and of another's; the inputs are
        # features of the mover and of the other side, then the channels of both.
        ("embedding", np.int16, (EMBEDDINGS, CHANNELS)),
        ("cell_bias", np.int16, (CHANNELS,)),  # of the channels of an empty cell
        ("region_bias", np.int16, (CHANNELS,)),  # of the channels of a region
        ("input_bias", np.int16, (INPUTS,)),
        ("layer", np.int16, (INPUTS, HIDDEN)),  # from each of these inputs to each hidden value
        ("threat_layer", np.int32, (THREAT_PARTS, HIDDEN)),  # from each part of the threats to each hidden value
        ("output", np.int32, (HIDDEN,)),  # from each hidden value to the estimate
        ("order", np.int16, (2, TUPLES)),  # of each tuple, for the mover and for the other side
        ("has_network", np.int64),  # 0 where the estimate is points alone
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
    ("pattern_log_end", np.int64, (MAX_CELLS + 1,)),
    ("near_before", np.uint64, (MAX_CELLS, MAX_WORDS)),
    ("log_cell", np.uint16, (MAX_LOG,)),
    ("log_before", np.uint32, (MAX_LOG,)),
    ("log_after", np.uint32, (MAX_LOG,)),
    ("pattern_log", np.uint32, (MAX_PATTERN_LOG,)),
    ("answer", np.int16, (MAX_ANSWERS,)),
    # Of cells that make fours: the cells, and from one of them the direction and the steps to each.
    ("four_cell", np.int16, (MAX_FOURS,)),
    ("four_line", np.int8, (MAX_FOURS,)),
    ("four_steps", np.int8, (MAX_FOURS,)),
    ("inputs", np.int16, (INPUTS,)),
    ("hidden", np.int32, (HIDDEN,)),
    ("channels", np.int16, (BOTH,)),  # the change of the channels of a cell
    # The channels of the regions, in slots of rows: what the marks loaded made of them, then what each mark made of
    # those that it touched; and for each slot the rows of all regions, most of them in earlier slots.
    ("loaded", np.int64),
    ("region_row", np.uint16, (REGIONS_KEPT * MAX_REGIONS,)),
    ("region_channels", np.int16, (REGIONS_KEPT * MAX_REGIONS * BOTH,)),
]
"""What marks change, and working memory; ``load`` sets it."""

_SEARCH: list[Any] = [
    # Set before a search.
    ("generation", np.int64),
    ("oldest", np.int64),  # entries from this generation on are trusted
    ("slots", np.int64),
    ("position_words", np.int64),
    ("fixed_depth", np.int64),  # 1: all moves, nothing beyond the depth, no threat search
    # The result: value, best move, its line, whether the value is proven.
    *alike("value best proven line_length"),
    ("line", np.int16, (MAX_LINE,)),
    # The deepening: plies completed, the latest result, what comes next, and the turns of the threat searches.
    *alike("depth found_depth found_value found_best"),
    ("found_proven", np.int64),  # the outcome is certain
    ("found_exact", np.int64),  # the distance is certain too
    ("found_length", np.int64),
    ("found_line", np.int16, (MAX_LINE,)),  # the principal variation, beginning with the best move
    ("next", np.int64),
    ("refuted", np.uint8, (MAX_CELLS,)),  # 1: threats win against this move
    ("threat_nodes", np.int64, (THREAT_SEARCHES,)),
    ("quiet_depth", np.int64),  # of the search for a quiet first move: the depth at which moves are tried
    ("quiet_tried", np.int64, (MAX_CELLS,)),  # the depth at which each of them was tried last
    ("threat_depth", np.int64, (THREAT_SEARCHES + MAX_CELLS,)),  # the depth reached for each question
    ("least_threat_nodes", np.int64, (THREAT_SEARCHES + MAX_CELLS,)),  # with fewer it makes no sense to go on
    # Inside an iteration.
    ("root_depth", np.int64),  # plies of the iteration
    ("excluded", np.int64, (MAX_PLY,)),  # a move that a singular search leaves out, -1 for none
    ("static_estimate", np.int64, (MAX_PLY,)),
    ("unproven_count", np.int64),  # estimates used and moves left out so far
    # Of the node in hand: the cell that completes a line for the other side, -1 for none, ...
    ("block", np.int64),
    # ... and an upper bound on the value of the moves that are not listed.
    ("unlisted_bound", np.int64),
    ("vcf_block", np.int64),  # the cell that the search by fours must mark to stop a line, -1 for none
    ("vcf_nodes", np.int64),  # how many the search by fours may still visit
    ("vct_nodes", np.int64),  # how many the threat search may still visit
    ("vct_in_plies", np.int64),  # 1: the threat search counts its depth in plies, not in threats, and tries all attacks
    ("cut_count", np.int64),  # what the threat search left out so far for want of nodes or width
    ("pv_length", np.int64, (MAX_PLY,)),
    ("pv", np.int16, (MAX_PLY, MAX_LINE)),
    ("vcf_line", np.int16, (MAX_VCF + 4,)),
    ("fours", np.int16, (MAX_VCF + 4, MAX_FOURS)),  # to try, by how many moves were made before
    ("killer", np.int16, (MAX_PLY, 2)),
    ("countermove", np.int16, (2, MAX_CELLS + 1)),
    ("history", np.int32, (2, MAX_CELLS)),
    ("zone", np.uint64, (MAX_PLY, MAX_WORDS)),
    ("null_move_loses", np.int64),  # 1: a pass at the root loses to threats; a mark here may change that:
    ("null_move_zone", np.uint64, (MAX_WORDS,)),
]
"""The search of the position on the board; ``begin`` sets it."""

_MOVES: list[Any] = [
    ("moves", np.int16, (MAX_PLY, MAX_CELLS)),
    ("move_keys", np.int64, (MAX_PLY, MAX_CELLS)),  # listed moves with their scores
]
"""The moves of the nodes above, and of the one in hand."""

STATE_DTYPE = np.dtype([*_SEARCH, *_BOARD, *_MOVES], align=True)
FIRST_OF_BOARD: str = _BOARD[0][0]

MOVE_RESULT_DTYPE = np.dtype(
    [
        ("cell", np.int64),  # the move
        ("nodes", np.int64),
        ("reason", np.int64),  # what ended the search, as in the budget
        *alike("depth value proven exact length"),
        ("line", np.int16, (MAX_LINE,)),
    ],
    align=True,
)
"""The result of the search after one move (``search_moves``)."""
