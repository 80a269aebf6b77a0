"""The strategy for Qubic: entries are proven by others and by continuous fours, and it is played to the end."""

import random

import pytest

from benchmarks.qubic_strategy import FILE, form, read, unanswered
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, O, Rules, X
from kinarow.game.tactics import completing_cells
from kinarow.search.opening_book.strategy import shipped
from kinarow.search.search import search
from kinarow.search_types import Limits
from tests.support.samples import sampled

QUBIC = PRESETS["qubic"]
STRATEGY = shipped(QUBIC)
LIMITS = Limits(max_nodes=100_000)


@sampled("count", 60, 14_941)
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
            assert completing_cells(position, O) == [found.move]
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


def test_a_depth_cutoff_uses_no_strategy():
    assert not search(Position.empty(QUBIC), Limits(max_nodes=5000, max_depth=2)).score.proven


@pytest.mark.parametrize(
    "rules",
    [
        Rules(4, 4, 4, layers=4, gravity=True),
        Rules(4, 4, 4, layers=4, misere=True),
        Rules(4, 4, 4, layers=3),
        Rules(4, 4, 4),
    ],
)
def test_it_is_for_qubic_alone(rules):
    assert shipped(rules) is None
