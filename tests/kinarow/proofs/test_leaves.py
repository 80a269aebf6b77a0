"""The arguments that the proof checker takes for proven claim nothing that minimax or the atlas denies."""

from dataclasses import replace

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.proofs.finding import ARGUMENTS, game_of
from kinarow.search.known import atlas
from tests.support import oracle
from tests.support.samples import sampled

BOARDS = (
    Rules(3, 3, 3),
    Rules(3, 3, 3, gravity=True),
    Rules(2, 4, 3, wrap="rows"),
    Rules(4, 3, 3, gravity=True, blocked=1 << 4),
    Rules(2, 5, 2, gravity=True),
    Rules(3, 3, 2, wrap="both"),
    Rules(1, 8, 3),
    Rules(2, 2, 2, layers=2),
    Rules(2, 2, 3, gravity=True, layers=3),
    Rules(3, 3, 3, blocked=1 << 4, directions=("horizontal", "vertical")),
)
EVERY_RULE = [
    replace(rules, misere=misere, exact_goal=exact, marks=marks)
    for rules in BOARDS
    for marks in ("own", "shared")
    for misere in (False, True)
    for exact in (False, True)
]
EVERYDAY = [rules for rules in EVERY_RULE if rules.cells < 10 and not rules.misere]


def positions(rules):
    """Every ongoing position of a game, with the side to move."""
    waiting, met = [(rules.empty_board, 1)], set()
    while waiting:
        cells, side = waiting.pop()
        if (cells, side) in met:
            continue
        met.add((cells, side))
        yield cells, side
        for cell in oracle.moves(rules, cells, side):
            after = oracle.put(rules, cells, cell, side)
            if not oracle.lines_through(rules, after, cell):
                waiting.append((after, 3 - side))


@pytest.mark.parametrize(
    "rules", [pytest.param(r, marks=[] if r in EVERYDAY else [pytest.mark.slow], id=str(r)) for r in EVERY_RULE]
)
def test_no_argument_claims_what_minimax_denies(rules):
    _, game = game_of(Position.empty(rules))
    for cells, to_move in positions(rules):
        score = oracle.score(rules, cells, to_move)
        for side in (1, 2):
            position = Position(rules, cells, to_move)
            marks = position.marks(side), position.marks(3 - side)
            for wins in (False, True):
                if score * (1 if side == to_move else -1) < wins:
                    for by in ARGUMENTS:
                        assert not game.holds(by, *marks, side == to_move, wins), (by, position.board, to_move, side)


@pytest.mark.parametrize("by", ["pairing", "mirror"])
def test_arguments_that_keep_a_side_from_a_line_hold_in_misere(by):
    _, game = game_of(Position.empty(Rules(3, 4, 4, misere=True)))
    assert any(game.holds(by, 0, 0, moves, False) for moves in (False, True))


@pytest.mark.parametrize("by", ARGUMENTS)
def test_each_argument_proves_something(by):
    """So that the comparisons are none of nothing."""
    examples = (Rules(4, 3, 3), Rules(2, 3, 3), Rules(2, 3, 3, misere=True), Rules(2, 4, 3, gravity=True, misere=True))
    games = [game_of(Position.empty(rules))[1] for rules in examples]
    assert any(game.holds(by, 0, 0, moves, False) for game in games for moves in (False, True))


@sampled("every", 6, 1)
def test_no_argument_contradicts_the_atlas(every):
    proven = 0
    for rules, entry in [*atlas.shipped().items()][::every]:
        _, game = game_of(Position.empty(rules))
        held = [
            (moves, wins)
            for moves in (False, True)
            for wins in (False, True)
            if any(game.holds(by, 0, 0, moves, wins) for by in ARGUMENTS)
        ]
        worth = {"win": 1, "draw": 0, "loss": -1}.get(entry.outcome)
        if worth is not None:
            proven += len(held)
            assert all(worth * (1 if moves else -1) >= wins for moves, wins in held), rules
    assert proven > 400 // every
