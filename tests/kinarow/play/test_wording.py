"""The sentence of an answer: the move as its game prints it, why, and how good it is."""

from dataclasses import replace

import pytest

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.reasons import reasons_for
from kinarow.play.wording import describe_move, describe_value
from kinarow.search_types import MoveValue
from tests.support.positions import position_of

TIC_TAC_TOE = Rules(3, 3, 3)


@pytest.mark.parametrize(
    ("board", "cell", "value", "said"),
    [
        ("XX./OO./...", 2, score.win(9, 1), "X plays c3, completing a line: X wins at once."),
        (
            "X.O/.X./..O",
            5,
            score.draw(5),
            "X plays c2, the only move that does not lose at once, blocking a line of O, "
            "threatening to complete a line: a draw with best play.",
        ),
        (".../.../...", 4, score.estimate(1, 3), "X plays b2: not decided, estimate +0.25 for X between -1 and 1."),
        (
            ".../.../...",
            4,
            replace(score.estimate(1, 3), calibrated=-0.126),
            "X plays b2: not decided, expected result -0.13 for X between -1 and 1.",
        ),
        (".../.../...", 0, score.loss(9, 4), "X plays a3, holding out longest: X loses in 4 plies."),
        (".../.../...", 0, score.win(9, 5, is_bound=True), "X plays a3: X wins in at most 5 plies."),
    ],
)
def test_a_move_is_told_in_a_sentence(board, cell, value, said):
    position = position_of(board, 3)
    reasons = reasons_for(position, cell, value, is_best=True)
    assert describe_move(position, cell, value, reasons) == said


def test_a_move_is_its_column_under_gravity_and_its_tile_with_layers():
    position = Position.from_moves("4453", game="connect-four")
    assert describe_move(position, 3 * 7 + 3, score.draw(38), ()) == "X plays column 4: a draw with best play."
    value = MoveValue(37, score.loss(42, 36), (37, 31, 24))
    assert describe_value(position, value) == "column 3: X loses in 36 plies; then 4 4"
    alone = MoveValue(2, score.win(9, 1), (2,))
    assert describe_value(position_of("XX./OO./...", 3), alone) == "c3: X wins at once"
    deep = Position.from_moves([0], game="qubic")
    assert describe_move(deep, 16, score.draw(63), ()) == "O plays tile 17: a draw with best play."
