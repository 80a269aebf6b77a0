"""Every reason is true, none that is true is missing, and the sentence of an answer says it."""

from dataclasses import replace

import pytest

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.reasons import reasons_for
from kinarow.play.wording import describe_move, describe_value
from kinarow.search.best_move import search
from kinarow.search_types import Limits, MoveValue
from tests.support import oracle
from tests.support.positions import EVERY_RULE, plain_positions, position_of

UNKNOWN = score.estimate(0, 1)


def expected(position, move):
    """The reasons that do not speak of the score, with their cells, by the oracle."""
    game, cells, side, other = position.rules, position.cells, position.to_move, 3 - position.to_move
    after, denied = (oracle.put(game, cells, move, each) for each in (side, other))
    ends, legal, found = bool(oracle.lines_through(game, after, move)), oracle.moves(game, cells, side), {}
    if game.misere:
        own, replies = oracle.completing(game, cells, side), oracle.moves(game, after, other)
        if own and not ends:
            found["avoids_line"] = own
        if not ends and replies and replies == oracle.completing(game, after, other):
            found["forces_line"] = replies
    elif ends:
        found["completes_line"] = oracle.line_cells(game, after, side)
    else:
        blocked = {cell for line in oracle.completed(game, denied, other) if move in line for cell in line}
        if blocked:
            found["blocks_line"] = sorted(blocked)
        threats = oracle.completing(game, after, side)
        if threats and not oracle.completing(game, after, other):
            found["double_threat" if len(threats) > 1 else "threatens_line"] = threats
    if len(legal) == 1:
        found["only_move"] = legal
    elif not ends and oracle.safe(game, cells, side) == [move]:
        found["forced"] = [move]
    return {code: tuple(cells) for code, cells in found.items()}


@EVERY_RULE
def test_reasons_are_exactly_what_trying_out_all_marks_finds(flags):
    """A double threat and a forced line win as soon as they say."""
    seen, checked = set(), 0
    for position in plain_positions("reasons", flags, 250, 36, goals=(2, 5)):
        for move in position.legal_moves():
            found = {reason.code: reason.cells for reason in reasons_for(position, move, UNKNOWN, is_best=True)}
            assert found == expected(position, move), (position, move)
            seen |= {*found}
            if position.empties <= 8 and found.keys() & {"double_threat", "forces_line"}:
                after = search(position.play(move), Limits(max_nodes=10**6)).score
                assert (after.outcome, after.distance) == ("loss", 2 if "double_threat" in found else 1)
                checked += 1
    codes = {"avoids_line", "forces_line"} if flags[1] else {"completes_line", "blocks_line", "double_threat"}
    assert seen >= codes | {"only_move", "forced"}
    assert checked >= (1 if flags[1] else 5)


def test_the_score_adds_the_proof_and_whether_no_move_does_better():
    position = position_of("X.O/.X./O..", 3)

    def codes(value, is_best):
        found = [reason for reason in reasons_for(position, 5, value, is_best=is_best) if not reason.cells]
        return [reason.code for reason in found]

    assert codes(score.win(9, 3), True) == ["proven_win", "quickest_win"]
    assert codes(score.win(9, 5), False) == ["proven_win"]
    assert codes(score.win(9, 5, is_bound=True), True) == ["proven_win"]
    assert codes(score.loss(9, 4), True) == ["proven_loss", "longest_defence"]
    assert codes(score.loss(9, 4, is_bound=True), True) == ["proven_loss"]
    assert codes(score.loss(9, 2), False) == ["proven_loss"]
    assert codes(score.draw(5), True) == ["proven_draw"]
    assert codes(UNKNOWN, True) == []


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
