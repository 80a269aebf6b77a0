"""The record of a search on a large board: the numbers chosen by play, the result, and the state of the search.

Values count from the root: a win for the side to move, n plies from the root, is WIN - n, a loss the negative.
Estimates are within +-ESTIMATE_LIMIT.
"""

from typing import Any

import numpy as np

from kinarow.game.size import MAX_CELLS
from kinarow.solvers.large_boards.board.layout import MAX_FOURS, MAX_WORDS
from kinarow.solvers.large_boards.board.patterns import CELL_PATTERNS

WIN = 30000
DECISIVE = 29000  # |value| >= this: a proven win or loss
INFINITY = 32000

MAX_PLY = 160
MAX_LINE = 64
MAX_VCF = 64  # deepest search by fours, in moves of both sides
REDUCTION_SIZE = 64
THREAT_SEARCHES = 3
DEPTH_SHIFT = 4
DEPTH_UNIT = 1 << DEPTH_SHIFT  # the depth of one ply

_TUNABLES: list[Any] = [
    ("pattern_points", np.int64, (16,)),
    ("move_bonus", np.int64),
    ("threat_bonus", np.int64, (2, 5)),
    ("defence_share", np.int64),
    ("cell_pattern_order", np.int64, (2, CELL_PATTERNS)),
    ("killer_order", np.int64),
    ("countermove_order", np.int64),
    ("history_limit", np.int64),
    ("history_shift", np.int64),
    ("late_move_pruning_base", np.int64, (2,)),
    ("late_move_pruning_slope", np.int64, (2,)),
    ("reduction_scale", np.int64, (2,)),
    ("reduction_from", np.int64),
    ("futility_depth", np.int64),
    ("futility_margin", np.int64),
    ("reverse_futility_depth", np.int64),
    ("reverse_futility_margin", np.int64),
    ("aspiration_depth", np.int64),
    ("aspiration_width", np.int64),
    ("leaf_vcf_pairs", np.int64),
    ("leaf_vcf_nodes", np.int64),
    ("inner_vcf_pairs", np.int64),
    ("inner_vcf_nodes", np.int64),
    ("vct_vcf_pairs", np.int64),
    ("vct_vcf_nodes", np.int64),
    ("vct_width", np.int64),
    ("reverse_futility_improving", np.int64),
    ("razor_depth", np.int64),
    ("razor_base", np.int64),
    ("razor_margin", np.int64),
    ("singular_depth", np.int64),
    ("singular_margin", np.int64),
    ("no_entry_depth", np.int64),
]
TUNABLES_DTYPE = np.dtype(_TUNABLES, align=True)
"""The numbers chosen by play; ``tunables`` says what each means."""

SEARCH_DTYPE = np.dtype(
    [
        *_TUNABLES,
        ("reduction", np.int16, (2, REDUCTION_SIZE, REDUCTION_SIZE)),
        # Set before a search.
        ("generation", np.int64),
        ("oldest", np.int64),  # entries from this generation on are trusted
        ("slots", np.int64),
        ("position_words", np.int64),
        ("fixed_depth", np.int64),  # 1: all moves, nothing beyond the depth, no threat search
        # The result: value, best move, its line, whether the value is proven.
        ("value", np.int64),
        ("best", np.int64),
        ("proven", np.int64),
        ("line_length", np.int64),
        ("line", np.int16, (MAX_LINE,)),
        # The deepening: plies completed, the latest result, what comes next, and the turns of the threat searches.
        ("depth", np.int64),
        ("found_depth", np.int64),
        ("found_value", np.int64),
        ("found_best", np.int64),
        ("found_proven", np.int64),  # the outcome is certain
        ("found_exact", np.int64),  # the distance is certain too
        ("found_length", np.int64),
        ("found_line", np.int16, (MAX_LINE,)),  # the principal variation, beginning with the best move
        ("next", np.int64),
        ("idle", np.int64),  # 1: the last iteration took few nodes
        ("refuted", np.uint8, (MAX_CELLS,)),  # 1: threats win against this move
        ("threat_nodes", np.int64, (THREAT_SEARCHES,)),
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
        ("vct_in_plies", np.int64),  # 1: the threat search counts its depth in plies, not in threats
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
        ("moves", np.int16, (MAX_PLY, MAX_CELLS)),
        ("move_scores", np.int32, (MAX_PLY, MAX_CELLS)),
        ("move_keys", np.int64, (MAX_PLY, MAX_CELLS)),  # listed moves with their scores
    ],
    align=True,
)

GENERATION_BITS = np.uint64(0xFFFF)  # of a table entry's facts

MOVE_RESULT_DTYPE = np.dtype(
    [
        ("cell", np.int64),  # the move
        ("nodes", np.int64),
        ("reason", np.int64),  # what ended the search, as in the budget
        ("depth", np.int64),
        ("value", np.int64),
        ("proven", np.int64),
        ("exact", np.int64),
        ("length", np.int64),
        ("line", np.int16, (MAX_LINE,)),
    ],
    align=True,
)
"""The result of the search after one move (``search_moves``)."""
