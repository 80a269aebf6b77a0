"""Every number of the large-board search that was chosen by play and not by proof, with its meaning.

None of them can make an answer wrong: they shape estimates, the order of moves and the choice of moves left out, and
a value that rests on a guess is never called proven. The tuning command plays versions of ``DEFAULTS`` against each
other; the search reads them from its record, so changing one compiles nothing again.
"""

from typing import Any

DEFAULTS: dict[str, Any] = {
    # The points of an empty cell for a side in one direction, by the direction pattern that a mark there would make.
    # They order threats and judge futile moves everywhere. The estimate and the order of moves are made of them with
    # gravity and in misère; other boards have learned points in their place (``weights``), also in place of
    # the defence's share and of the order by cell patterns.
    #                 none far one one+ two two+ two++ two+++ three three+ three++ four four+ five
    "pattern_points": (0, 0, -4, -7, 8, 14, 4, 14, 60, 75, 75, 220, 480, 600, 0, 0),
    # The estimate with gravity, in points: having the move.
    "move_bonus": 500,
    # Move ordering: the weight of the other side's points, in sixteenths of one's own; what is added by the cell
    # pattern for oneself (first) and for the other side (second); what is added for a killer move and for the
    # countermove of the move before.
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
    # Up to this depth a quiet move is left out where estimate + margin * depth <= alpha.
    "futility_depth": 3,
    "futility_margin": 200,
    # Up to this depth a quiet node is cut where its estimate is margin * depth above beta, less the last number where
    # the estimate is better than two plies before.
    "reverse_futility_depth": 8,
    "reverse_futility_margin": 160,
    "reverse_futility_improving": 100,
    # Up to this depth a quiet node is a leaf where its estimate is base + margin * depth below alpha.
    "razor_depth": 2,
    "razor_base": 150,
    "razor_margin": 100,
    # The half-width of the first window around the last iteration's value, from this depth on.
    "aspiration_depth": 3,
    "aspiration_width": 150,
    # From this depth on the table's move is searched a ply deeper if no other move, searched to half the depth, comes
    # as near to its value as the margin for each ply.
    "singular_depth": 6,
    "singular_margin": 10,
    # From this depth on a quiet node that is not in the table is searched a ply less deep.
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
    # Where all searched moves of a quiet node lose and others were left out: the threats and nodes of the VCT that
    # shows whether a pass loses too.
    "pass_vct_depth": 6,
    "pass_vct_nodes": 300,
}
"""The numbers in force; ``records.new_game`` takes others by name."""
