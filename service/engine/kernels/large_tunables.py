"""Every number of the large-board engine that was chosen by play and not by proof, with its meaning.

None of them can make an answer wrong: they shape estimates, the order of moves and what is left out,
and a value that rests on a guess is never called proven. The tuning command plays versions of
``DEFAULTS`` against each other; the search reads them from its record, so nothing is compiled again.
"""

import numba
import numpy as np

SHAPES = 14  # kinds of one-direction shapes, see large_board

TUNABLES_DTYPE = np.dtype(
    [
        # What an empty cell counts for a side in one direction, by the shape a mark there would make.
        ("shape_points", np.int64, (16,)),
        # The estimate, in points: having the move; and, per kind of cell the side to move (0) or the
        # other (1) holds anywhere, a bonus: open four, four and three, four, two threes, open three.
        ("move_bonus", np.int64),
        ("threat_bonus", np.int64, (2, 5)),
        # How much of the other side's points counts when moves are ordered, in sixteenths of one's own.
        ("defence_share", np.int64),
        # Added to a move's order by the kind of cell (index: category, see large_board): own, other's.
        ("category_order", np.int64, (2, 10)),
        # Order of the table's move, of the two killers and of the answer that refuted the same move before.
        ("killer_order", np.int64),
        ("counter_order", np.int64),
        # History counts are kept within +-history_limit and divided by history_divisor in the order.
        ("history_limit", np.int64),
        ("history_divisor", np.int64),
        # Moves kept at a quiet inner node: width_base + width_slope * depth (none are left out at the root).
        ("width_base", np.int64),
        ("width_slope", np.int64),
        # A late quiet move is first searched less deep by reduction_scale/256 * ln(depth) * ln(number).
        ("reduction_scale", np.int64),
        ("reduction_from", np.int64),
        # At depth <= futility_depth a quiet move is left out when estimate + margin * depth <= alpha.
        ("futility_depth", np.int64),
        ("futility_margin", np.int64),
        # At depth <= this a quiet node whose estimate stands margin * depth above beta is cut.
        ("reverse_depth", np.int64),
        ("reverse_margin", np.int64),
        # From this depth on a node whose estimate stands this far above beta is tried with a pass, searched
        # less deep by the reduction and a quarter of the depth.
        ("pass_depth", np.int64),
        ("pass_margin", np.int64),
        ("pass_reduction", np.int64),
        # First half-width of the window around the last iteration's value, from depth aspiration_depth on.
        ("aspiration_depth", np.int64),
        ("aspiration_width", np.int64),
        # Pairs of four and answer that the four-search looks ahead: at leaves, and inside the tree from
        # remaining depth inner_fours_depth on; with how many nodes at most.
        # A leaf is worth a four-search when its four cells, those with a three counted twice, are this many.
        ("leaf_four_cells", np.int64),
        ("leaf_fours", np.int64),
        ("leaf_four_nodes", np.int64),
        ("inner_fours", np.int64),
        ("inner_four_nodes", np.int64),
        # The threat search: pairs of the four-search that shows a threat, its nodes, and attacks tried per node.
        ("threat_fours", np.int64),
        ("threat_four_nodes", np.int64),
        ("threat_width", np.int64),
    ],
    align=True,
)
TUNABLES = numba.from_dtype(TUNABLES_DTYPE)

DEFAULTS: dict[str, object] = {
    #               none far one one+ two two+ two++ two+++ three three+ three++ four four+ five
    "shape_points": (0, 0, -4, -7, 8, 14, 4, 14, 60, 75, 75, 220, 480, 600, 0, 0),
    "move_bonus": 500,
    "threat_bonus": ((0, 300, 60, 60, 250), (0, 600, -200, 100, 220)),
    "defence_share": 14,
    "category_order": (
        (0, 0, 0, 30, 120, 400, 200, 1200, 4000, 8000),
        (0, 0, 0, 20, 60, 250, 150, 700, 2000, 4000),
    ),
    "killer_order": 120,
    "counter_order": 100,
    "history_limit": 1 << 14,
    "history_divisor": 128,
    "width_base": 8,
    "width_slope": 2,
    "reduction_scale": 300,
    "reduction_from": 3,
    "futility_depth": 3,
    "futility_margin": 200,
    "reverse_depth": 3,
    "reverse_margin": 200,
    "aspiration_depth": 3,
    "aspiration_width": 150,
    "pass_depth": 3,
    "pass_margin": 0,
    "pass_reduction": 2,
    "leaf_four_cells": 3,
    "leaf_fours": 6,
    "leaf_four_nodes": 6,
    "inner_fours": 12,
    "inner_four_nodes": 12,
    "threat_fours": 8,
    "threat_four_nodes": 100,
    "threat_width": 16,
}
"""The numbers in force; a command may pass others by name to ``new_tunables``."""


def new_tunables(**changed: object) -> np.recarray:
    """An array of one tunables record: ``DEFAULTS`` with the named ones changed.

    Raises:
        KeyError: a name is none of the tunables.
    """
    tunables = np.zeros(1, TUNABLES_DTYPE).view(np.recarray)
    for name in changed:
        if name not in DEFAULTS:
            raise KeyError(name)
    for name, value in {**DEFAULTS, **changed}.items():
        tunables[name][0] = value
    return tunables
