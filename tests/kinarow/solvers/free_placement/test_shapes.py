"""The exact solver on boards of every shape, with each shortcut on and off, against a brute force."""

import random
from itertools import product

import numpy as np
import pytest

from kinarow.game.position_fields import read_position
from kinarow.solvers.common.bounds import CellBits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.proof_table import table_words
from kinarow.solvers.common.result import new_result
from kinarow.solvers.free_placement import kernel, records
from kinarow.solvers.free_placement.kernel_lines import ALL_SWITCHES, OFF_MIRROR
from tests.kinarow.solvers.free_placement.test_kernel import new_state
from tests.kinarow.test_shapes import layers, position_in
from tests.support.samples import sampled
from tests.support.shapes import STEPS, Game, has_line, mirrored_marks, random_marks, text_of, values

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


@pytest.mark.parametrize("exact_goal", [False, True], ids=["longer", "exact"])
def test_who_mirrors_does_not_lose_in_misere_and_wins_where_no_draw_exists(exact_goal):
    rng = random.Random(f"mirror {exact_goal}")
    outcomes = set()
    for shape in (("..../..../....", 3, "rows"), ("..../..../..../....", 4, "both"), (layers(2, 3, 3), 3),
                  (layers(3, 2, 2), 2)):  # fmt: skip
        game = Game(*shape, misere=True, exact_goal=exact_goal)
        for _ in range(15):
            marks = mirrored_marks(game, rng, (game.cells - 6) // 2)
            if marks is None:
                continue
            best = max(values(game, marks, "X").values())
            position = position_in(game, marks, "X")
            assert [solved_value(position, off) for off in (0, OFF_MIRROR)] == [best, best]
            outcomes.add((best > 0) - (best < 0))
    assert outcomes == {0, -1}


@pytest.mark.parametrize(("shape", "goal"), [("../..", 2), (".../.../...", 3), ("...../.....", 3), (".../.../...", 2)])
def test_a_board_is_decisive_if_every_full_one_holds_a_line(shape, goal):
    game = Game(shape, goal, misere=True)
    full = [dict(zip(game.free, sides, strict=True)) for sides in product("XO", repeat=len(game.free))]
    drawn = any(not has_line(game, marks, "X") and not has_line(game, marks, "O") for marks in full)
    record = records.new_game(position_in(game, {}, "X").rules)[0]
    assert record.decisive == (not drawn)


def test_3x3x3_in_misere_is_won_from_the_centre():
    """Golomb and Hales, 2002: no full board is without a line, and the first player mirrors."""
    position = position_in(Game(layers(3, 3, 3), 3, misere=True), {}, "X")
    game, result = records.new_game(position.rules), new_result()
    kernel.solve(game, new_state(position.rules), np.uint64(0), np.uint64(0), Budget(2_000).array, TABLE, result)
    assert result.lower[0] > 0
    assert result.move[0] == 13


def solved_value(position, off):
    """The value that the kernel proves with these switches."""
    game, result = records.new_game(position.rules, off), new_result()
    own, opponent = map(np.uint64, CellBits(range(position.rules.cells)).bitboards(position))
    kernel.solve(game, new_state(position.rules), own, opponent, Budget(10**7).array, TABLE, result)
    assert result.lower[0] == result.upper[0]
    return int(result.lower[0])
