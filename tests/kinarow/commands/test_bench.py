"""The signature of the search: what ``kinarow bench`` prints, pinned so that a changed search shows in review."""

from kinarow.commands.bench import measure

PINNED = {
    "tic-tac-toe": (150, 0, 5), "4 x 4": (139, 0, 6), "5 x 5 goal 4": (49_694, 0, 13),
    "6 x 6 goal 4": (6_992, 26, 15), "misere 4 x 4": (28_835, -2, 6), "exact 3 x 5": (107, 9, 8),
    "connect four": (20_172, 0, 25), "gravity 5 x 6": (438_722, 0, 27), "misere gravity": (43_168, -4, 18),
    "depth 6 of 6 x 7": (220_794, -0.001, 18), "gomoku": (100_000, -0.2837, 97),
    "gravity 9 x 9": (100_000, 0.1424, 77), "gomoku defence": (2_687, -206, 157),
    "standard gomoku": (40_650, 209, 171), "misere 9 x 9": (16_765, -69, 7),
}  # fmt: skip
"""Nodes, score and tile of each position. Change them only together with the search, and say why."""


def test_the_signature_of_the_search_is_the_pinned_one() -> None:
    assert {case.name: (case.nodes, case.score, case.move) for case in measure()} == PINNED
