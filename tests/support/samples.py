"""Sizes of samples, and the node counts that several tests and pages quote."""

import pytest
from hypothesis import settings

NODES_OF_EMPTY_BOARD = {
    "minimax": 549_946, "alpha-beta": 20_866, "minimax with a table": 5_478, "alpha-beta with a table": 3_161,
    "minimax with a table and symmetry": 765, "alpha-beta with a table and symmetry": 744,
}  # fmt: skip
"""How many nodes a search of the empty 3 × 3 board visits."""

GALLERY = {
    "Torus tic-tac-toe": "game=torus-tic-tac-toe&moves=b3a3c2b2a1",
    "No diagonals": "rows=5&columns=5&goal=4&directions=horizontal,vertical&moves=a1a2b2b3c3c4d4",
    "Diagonals only": "rows=5&columns=5&goal=4&directions=diagonal,antidiagonal&moves=a1b1b2c1c3d1d4",
    "Blocked centre": "goal=4&board=...../...../XX%23XX/.OOO./.....",
    "Five by five torus": "rows=5&columns=5&goal=4&wrap=both&moves=d5d4e5e4a5a4b5",
    "Misère torus": "rows=4&columns=4&goal=3&misere=true&wrap=both&moves=a1b3b1c4d1",
    "Round tower": "rows=4&columns=5&goal=4&gravity=true&wrap=rows&moves=4455112",
    "Staircase": "goal=4&gravity=true&board=....../....X./...XO./..XO%23%23/OX%23%23%23%23",
    "Just four": "rows=5&columns=6&goal=4&gravity=true&exact_goal=true&moves=112244553",
    "Hollow cube": "goal=3&layers=3&board=X../.O./...//X../.%23./.O.//X../.../...",
}
"""The query of ``GET /board.svg`` for each game of the gallery."""


def sampled(name: str, everyday: int, full: int) -> pytest.MarkDecorator:
    """Run a test with both sizes of its sample as the argument ``name``; with the large one it is slow."""
    return pytest.mark.parametrize(name, [everyday, pytest.param(full, marks=pytest.mark.slow)])


def examples(full: int) -> settings:
    """Settings that draw ``full`` examples where everything must run, and two fifths of them everyday."""
    return settings(max_examples=full * settings().max_examples // 100)
