"""The strategies: programs that share nothing with the package prove their entries, and they are played."""

import random
from dataclasses import replace

import numpy as np
import pytest

from checker.qubic_strategy import FILE, form, read, unanswered
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, O, Rules, X
from kinarow.game.tactics import completing_cells
from kinarow.search.best_move import search
from kinarow.search.known.book import FOLDER
from kinarow.search.known.strategy import DRAWS, blocking, shipped
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.maker_breaker.solver import never_completes
from tests.support.samples import sampled

QUBIC = PRESETS["qubic"]
STRATEGY = shipped(QUBIC)
LIMITS = Limits(max_nodes=100_000)


@sampled("count", 60, 400)
def test_entries_are_proven_by_entries_of_fewer_plies_and_by_threats(count):
    """By a program that shares nothing with the package; a wrong move, or fewer plies, it calls a fault."""
    entries = read(FILE)
    first = entries[form(0, 0)]
    for entry in [first, *random.Random("entries").sample(list(entries.values()), count)]:
        assert unanswered(entries, entry) == [], entry
    own, others, move, plies = first
    assert unanswered(entries, (own, others, move, plies - 2))
    assert unanswered(entries, (own, others, 1, plies))


@sampled("count", 200, 20_000)
def test_entries_are_canonical_and_their_moves_legal(count):
    chosen = list(STRATEGY.entries)
    for cells in random.Random("forms").sample(chosen, min(count, len(chosen))):
        position = Position.from_cells(QUBIC, cells, 1)
        assert position.canonical().position.cells == cells
        move, plies = STRATEGY.entries[cells]
        assert cells[move] == 0
        assert plies % 2 == 1
        assert position.ending().state == "ongoing"


@pytest.mark.parametrize("seed", range(3))
def test_the_side_that_begins_wins_within_the_plies_that_it_was_told(seed):
    """Only where the other side has three in a line, so that the answer is forced, may it not know that it wins."""
    rng = random.Random(seed)
    position, left = Position.empty(QUBIC), QUBIC.cells
    while position.ending().state == "ongoing":
        found = search(position, LIMITS)
        if found.score.proven:
            assert found.score.outcome == "win"
            assert found.score.distance <= left
            left = found.score.distance
        else:
            assert completing_cells(position, O) == (found.move,)
        position, left = position.play(found.move), left - 2
        if position.ending().state == "ongoing":
            threats = completing_cells(position, X) or completing_cells(position, O)
            position = position.play(rng.choice(threats or position.legal_moves()))
    assert position.ending().winner == X


def test_the_other_side_knows_that_it_loses():
    first = search(Position.empty(QUBIC), LIMITS)
    assert (first.score.is_bound, first.source, first.nodes) == (True, "book", 0)
    after = Position.empty(QUBIC).play(first.move)
    reply = search(after, LIMITS)
    assert (reply.score.outcome, reply.score.distance) == ("loss", first.score.distance - 1)
    again = search(after.play(reply.move), LIMITS)
    assert again.score.distance <= reply.score.distance - 1
    # To a depth no strategy is used.
    assert not search(Position.empty(QUBIC), Limits(max_nodes=5000, max_depth=2)).score.proven


@pytest.mark.parametrize(
    "rules", [replace(QUBIC, gravity=True), replace(QUBIC, misere=True), Rules(4, 4, 4, layers=3), Rules(4, 4, 4)]
)
def test_it_is_for_qubic_alone(rules):
    assert shipped(rules) is None


@pytest.mark.parametrize("rules", DRAWS, ids=str)
@sampled("count", 20, 400)
def test_entries_of_a_draw_are_proven_by_a_program_of_its_own(rules, count):
    """Which finds a fault where cells that matter are missing from the zone of the first entry."""
    from checker import check_strategy  # it compiles itself

    board, game = check_strategy.read(FOLDER / DRAWS[rules])
    assert board == [rules.rows, rules.columns, rules.goal]
    state, entries = np.zeros(1, check_strategy.SEARCH)[0], len(game[-1])
    for entry in [0, *random.Random("entries").sample(range(entries), min(count, entries))]:
        assert check_strategy.unanswered(state, *game, entry) == -1, entry
    *board, breakers, zones = game
    assert breakers[0] == 0
    narrow = zones.copy()
    narrow[0] &= ~np.uint64(0xFF)
    assert check_strategy.unanswered(state, *board, breakers, narrow, 0) >= 0


@pytest.mark.parametrize("rules", [*DRAWS, Rules(8, 7, 5)], ids=str)
def test_the_empty_board_and_each_first_move_are_draws_without_a_search(rules):
    empty = Position.empty(rules)
    for position in [empty, *map(empty.play, empty.legal_moves())]:
        found = search(position, Limits(max_nodes=1))
        assert (found.score.outcome, found.source, found.nodes) == ("draw", "book", 0)


@pytest.mark.parametrize("rules", [*DRAWS, Rules(8, 7, 5)], ids=str)
@sampled("count", 10, 100)
def test_the_answers_of_a_draw_keep_it(rules, count):
    """Against any moves: the search for blocking alone proves each position after an answer, without the strategy."""
    rng, plan, known = random.Random(5), blocking(rules), 0
    while known < count:  # many games end before a position can be proven
        position = Position.empty(rules).play(rng.randrange(rules.cells))
        while position.ending().state == "ongoing" and (bounds := plan.bounds(position)) and bounds.candidates:
            answered = position.play(rng.choice(bounds.candidates))
            if answered.is_over:
                break  # the blocks are a line of their own
            if answered.empties < rules.cells - 6:
                known += 1
                assert never_completes(answered, Budget(10**6), opponent_is_maker=False, nodes=10**6)[0]
            position = answered.play(rng.choice(answered.legal_moves()))


def test_after_a_mistake_the_search_goes_on_above_the_floor_of_the_strategy():
    """Three marks in a row that are not stopped become four: a win, not only the draw that the strategy proves."""
    position = Position.from_rows(
        ["........", "........", "..XXX...", "........", ".O....O.", "........", "O......."], goal=5, to_move="X"
    )
    bounds = blocking(position.rules).bounds(position)
    assert bounds.lower == 0 < bounds.upper
    assert search(position, Limits(max_nodes=100_000)).score.outcome == "win"
