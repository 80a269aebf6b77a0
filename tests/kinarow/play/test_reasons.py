"""Every reason is true, and none that is true is missing: checked by trying out all marks on random boards."""

from kinarow import score
from kinarow.play.reasons import reasons_for
from kinarow.search.best_move import search
from kinarow.search_types import Limits
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
