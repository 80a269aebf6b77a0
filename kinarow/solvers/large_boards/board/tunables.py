"""The tunable numbers of the large-board search, chosen by playing matches.

They affect strength, not correctness: they shape estimates, move ordering and pruning, and a value that rests on these
is never called proven. The tuning command plays versions of ``DEFAULTS`` against each other. The search reads them from
the game record, so a change needs no compilation.
"""

from typing import Any

DEFAULTS: dict[str, Any] = {
    # The points of an empty cell for a side, by direction pattern. They order threats and decide futility pruning.
    # With gravity and in misère the estimate and move ordering also use them; other games use learned weights
    # (``weights``) in place of these points, ``defence_share`` and ``cell_pattern_order``.
    #                 none far one one+ two two+ two++ two+++ three three+ three++ four four+ five
    "pattern_points": (0, 0, -4, -7, 8, 14, 4, 14, 60, 75, 75, 220, 480, 600, 0, 0),
    # Added for the side to move in the estimate with gravity.
    "move_bonus": 500,
    # Move ordering: the weight of the other side's points, in sixteenths; bonuses by cell pattern, for the side to
    # move and for the other side; bonuses for a killer move and for the countermove.
    "defence_share": 14,
    "cell_pattern_order": (
        (0, 0, 0, 30, 120, 400, 200, 1200, 4000, 8000),
        (0, 0, 0, 20, 60, 250, 150, 700, 2000, 4000),
    ),
    "killer_order": 120,
    "countermove_order": 100,
    # History counts stay within +-history_limit; the order adds them divided by two to the power of history_shift.
    "history_limit": 1 << 14,
    "history_shift": 7,
    # Moves kept at a quiet inner node: base + slope/16 * depth; the second numbers are those of misère, whose order of
    # moves is hand-set. The root leaves none out.
    "late_move_pruning_base": (5, 8),
    "late_move_pruning_slope": (24, 32),
    # A late quiet move is first searched less deep by reduction_scale/256 * ln(depth) * ln(number) plies, kept in
    # sixteenths; the second number is that of misère.
    "reduction_scale": (280, 300),
    "reduction_from": 3,
    # Futility pruning, up to this depth: a quiet move is left out if estimate + margin * depth <= alpha.
    "futility_depth": 3,
    "futility_margin": 200,
    # Reverse futility pruning, up to this depth: a quiet node is cut if its estimate is margin * depth above beta; the
    # last number is subtracted from the margin if the estimate is better than two plies before.
    "reverse_futility_depth": 8,
    "reverse_futility_margin": 160,
    "reverse_futility_improving": 100,
    # Razoring, up to this depth: a quiet node is a leaf if its estimate is base + margin * depth below alpha.
    "razor_depth": 2,
    "razor_base": 150,
    "razor_margin": 100,
    # The half-width of the first window around the last iteration's value, from this depth on.
    "aspiration_depth": 3,
    "aspiration_width": 150,
    # Singular extension, from this depth on: the table's move is searched a ply deeper if all other moves, searched to
    # half the depth, stay below its value by margin * depth.
    "singular_depth": 6,
    "singular_margin": 10,
    # Internal iterative reduction, from this depth on: a quiet node without a table entry is searched a ply less deep.
    "no_entry_depth": 3,
    # The search by continuous fours (VCF): the pairs of a four and its answer that it looks ahead, and its nodes, at a
    # leaf and at an inner node.
    "leaf_vcf_pairs": 6,
    "leaf_vcf_nodes": 6,
    "inner_vcf_pairs": 12,
    "inner_vcf_nodes": 12,
    # The threat search (VCT): pairs and nodes of the VCF that shows a threat, and attacks tried per node.
    "vct_vcf_pairs": 8,
    "vct_vcf_nodes": 100,
    "vct_width": 16,
    # If all searched moves of a quiet node lose and others were pruned: the depth in threats and the nodes of the VCT
    # that tries to prove that a pass loses too.
    "pass_vct_depth": 6,
    "pass_vct_nodes": 300,
}
"""The numbers in force; ``records.new_game`` takes others by name."""
