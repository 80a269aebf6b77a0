"""The exact solver on boards of every shape, with each shortcut on and off, against a brute force."""

import random

import numpy as np
import pytest

from kinarow.game.position_fields import read_position
from kinarow.solvers.common.bounds import bitboards
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.free_placement import kernel, records
from kinarow.solvers.free_placement.kernel_lines import ALL_SWITCHES
from tests.support.samples import sampled
from tests.support.shapes import STEPS, Game, random_marks, text_of, values

SHAPES = [
    (".../.../...", 3, "both"),
    ("..../..../....", 3, "rows"),
    ("..../..../....", 4, "both"),
    ("#.../..#./...#/.#..", 3, "both"),
    ("../../../..", 3, "both"),
]
TABLE = np.zeros(table_words(10), np.uint64)
SWITCHES = [0, ALL_SWITCHES, *(1 << bit for bit in range(ALL_SWITCHES.bit_length()))]


@pytest.mark.parametrize("exact_goal", [False, True], ids=["longer", "exact"])
@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@sampled("count", 1, 20)
def test_every_shortcut_may_be_off(misere, exact_goal, count):
    rng = random.Random(f"{misere} {exact_goal}")
    solved = 0
    for board, goal, wrap in SHAPES:
        game = Game(board, goal, wrap, tuple(STEPS), misere=misere, exact_goal=exact_goal)
        for _ in range(count):
            found = random_marks(game, rng, rng.randint(4, 7))
            if found is None:
                continue
            marks, side = found
            position = read_position({"board": text_of(game, marks), "to_move": side, **game.fields})
            best = max(values(game, marks, side).values())
            for off in SWITCHES:
                assert solved_value(position, off) == best, (game, text_of(game, marks), side, off)
            solved += 1
    assert solved >= count


def solved_value(position, off):
    """The value that the kernel proves with these switches."""
    board, result = records.new_shaped_board(position.rules, off), records.new_result()
    own, opponent = bitboards(position, list(range(position.rules.cells)))
    kernel.solve(board[0], own, opponent, Budget(10**7).record, TABLE, result[0])
    assert result.proven[0] == 1
    return int(result.value[0])
