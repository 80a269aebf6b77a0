"""Answers in the shared tier: the same come back, and what does not fit the question is as good as not there."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.game.position import Position
from kinarow.game.rules import Rules, X
from kinarow.score import MAX_ESTIMATE, Score
from kinarow.search_types import Limits, MoveValue, SearchResult
from kinarow.solvers.line_counts.solver import MAX_LINE
from service.searches import redis_tier
from service.searches.redis_tier import MAX_VALUE_BYTES, MIN_EMPTIES, RedisTier, decode, encode
from tests.support.app import without_cost
from tests.support.searches import Searches

LIMITS = Limits(max_nodes=20_000, time_limit_ms=60_000)
FEW = Limits(max_nodes=2_000)
LARGE = Position.empty(Rules(7, 7, 5)).play(24)
PROVEN = Position.empty(Rules(5, 5, 3)).play(0)
GRAVITY = Position.empty(Rules(6, 7, 4, gravity=True)).play(38)


class Shelf(RedisTier):
    """A tier that keeps its bytes in this process."""

    is_silent = False

    def __init__(self):
        self.kept = {}
        self.asked = 0

    def read(self, name):
        self.asked += 1
        return self.kept.get(name)

    def write(self, name, value):
        self.kept[name] = value

    def name(self, key):
        return repr(key)


@pytest.fixture(autouse=True)
def _everything_is_worth_keeping(monkeypatch):
    monkeypatch.setattr(redis_tier, "MIN_ELAPSED_MS", 0.0)


def searches(shelf):
    return Searches(1 << 20, shared=shelf)


@pytest.mark.parametrize("position", [LARGE, PROVEN, GRAVITY], ids=["estimated", "proven", "gravity"])
@pytest.mark.parametrize("question", ["move", "analysis"])
def test_another_process_gives_the_same_answer_byte_for_byte(position, question):
    shelf = Shelf()
    first = getattr(searches(shelf), question)(position, LIMITS)
    assert len(shelf.kept) == 1
    second = getattr(searches(shelf), question)(position, LIMITS)
    assert (first["search"]["cached"], second["search"]["cached"]) == (False, True)
    assert without_cost(first) == without_cost(second)
    assert len(shelf.kept) == 1


def test_what_is_not_worth_it_is_not_written(monkeypatch):
    """Boards that are nearly full, which are not asked for either, quick answers, and those cut short by time."""
    shelf = Shelf()
    small = Position.empty(Rules(4, 4, 4))
    assert small.empties < MIN_EMPTIES
    searches(shelf).move(small, LIMITS)
    assert shelf.asked == 0
    cut = searches(shelf).move(LARGE, Limits(max_nodes=10**9, time_limit_ms=5))
    assert cut["search"]["stopped_by"] == "time"
    monkeypatch.setattr(redis_tier, "MIN_ELAPSED_MS", 1e9)
    searches(shelf).move(LARGE, LIMITS)
    assert (shelf.asked, shelf.kept) == (2, {})


def test_a_levels_choice_is_not_shared_but_the_same_with_the_tier_as_without():
    shelf = Shelf()
    with_tier = searches(shelf).move(LARGE, LIMITS, level=3, seed=7)
    without = Searches(1 << 20).move(LARGE, LIMITS, level=3, seed=7)
    assert without_cost(with_tier) == without_cost(without)
    assert shelf.kept == {}


def test_the_largest_answer_there_is_fits():
    """Every cell of the largest board with the longest line there is, all numbers of three digits."""
    line = tuple(range(600, 600 - MAX_LINE, -1))
    estimate = Score(-0.1234, "unknown", None)
    values = tuple(MoveValue(cell, estimate, line) for cell in range(625))
    result = SearchResult(600, estimate, line, (600,), False, 30, 10**9, 9999.123456789, "nodes", moves=values)
    assert len(encode(result)) <= MAX_VALUE_BYTES


@pytest.mark.parametrize("kind", ["move", "analysis"])
def test_a_sound_answer_to_another_position_is_refused_or_at_least_does_no_harm(kind):
    """What a broken or hostile writer may leave: under the name of each board the value of each other."""
    kept = {}
    for board in (LARGE, PROVEN, GRAVITY, LARGE.play(0), GRAVITY.play(31), PROVEN.play(1)):
        shelf = Shelf()
        getattr(searches(shelf), kind)(board, FEW)
        ((name, data),) = shelf.kept.items()
        kept[board] = name, data
    accepted = 0
    for asked, (name, _) in kept.items():
        form = asked.canonical().position
        for other, (_, data) in kept.items():
            if other is asked:
                continue
            if decode(data, form, kind) is None:
                continue
            accepted += 1
            shelf = Shelf()
            shelf.kept[name] = data
            answer = getattr(searches(shelf), kind)(asked, FEW)
            assert answer["search"]["cached"] is True
            assert answer["move"]["tile"] - 1 in asked.legal_moves()
    assert kind == "analysis" or accepted > 0, "a move that fits another board tells nothing about this one"


@pytest.fixture(scope="module")
def sound():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_tier, "MIN_ELAPSED_MS", 0.0)
        shelf = Shelf()
        searches(shelf).analysis(PROVEN, LIMITS)
    (data,) = shelf.kept.values()
    return PROVEN.canonical().position, data


def test_the_unchanged_bytes_are_taken_but_not_for_a_finished_game(sound):
    form, data = sound
    assert encode(decode(data, form, "analysis")) == data
    over = Position(Rules(5, 5, 3), b"\x02\x02\x02" + bytes(22), X)
    assert decode(data, over, "analysis") is None


def changed(data, change):
    answer = json.loads(data)
    change(answer)
    return json.dumps(answer).encode()


@pytest.mark.parametrize(
    "fields",
    [
        {"move": None}, {"move": 625}, {"move": -1}, {"move": 24}, {"line": []}, {"line": [24]}, {"best_moves": []},
        {"best_moves": [3, 2]}, {"best_moves": [999]}, {"depth": -1}, {"depth": 10**30}, {"nodes": -5},
        {"nodes": 10**400}, {"elapsed_ms": -1.0}, {"elapsed_ms": "NaN"}, {"stopped_by": "time"}, {"stopped_by": "luck"},
        {"best_moves_complete": 1}, {"score": {"value": 100.0, "outcome": "win", "distance": 1, "is_bound": False}},
        {"score": {"value": 25.0, "outcome": "win", "distance": None, "is_bound": False}},
        {"score": {"value": 0.0, "outcome": "draw", "distance": 3, "is_bound": False}},
        {"score": {"value": 5.0, "outcome": "unknown", "distance": None, "is_bound": False}},
        {"score": {"value": 0.5, "outcome": "unknown", "distance": 4, "is_bound": False}},
        {"score": {"value": 0.5, "outcome": "unknown", "distance": None, "is_bound": False, "calibrated": 1.001}},
    ],
    ids=str,
)  # fmt: skip
def test_a_result_that_cannot_be_is_refused(sound, fields):
    form, data = sound
    assert decode(changed(data, lambda answer: answer.update(fields)), form, "analysis") is None


def test_the_largest_estimate_and_the_least_search_are_taken(sound):
    form, data = sound
    largest = {"value": MAX_ESTIMATE, "outcome": "unknown", "distance": None, "is_bound": False, "calibrated": -1.0}
    fields = {"score": largest, "depth": 0, "nodes": 0, "elapsed_ms": 0.0}
    found = decode(changed(data, lambda answer: answer.update(fields)), form, "analysis")
    assert (found.score.value, found.score.calibrated, found.depth) == (MAX_ESTIMATE, -1, 0)


@pytest.mark.parametrize(
    ("pattern", "forged"),
    [
        *((rb'"elapsed_ms":[^,]*', b'"elapsed_ms":' + number) for number in (b"NaN", b"Infinity", b"1e999", b"null")),
        (rb'"moves":\[\{.*\}\]', b'"moves":[]'), (rb'"moves":\[(\{.*?\}),(?=\{)', rb'"moves":['),
        (rb'"moves":\[(\{.*?\}),(?=\{)', rb'"moves":[\1,\1,'),
        *((rb'"reasons":\[[^]]*\]', b'"reasons":[%s]' % reason) for reason in (
            b'{"code":"proven_win","cells":[625]}', b'{"code":"because","cells":[]}')),
    ],
)  # fmt: skip
def test_a_number_a_list_of_moves_or_a_reason_that_cannot_be_is_refused(sound, pattern, forged):
    form, data = sound
    changed, count = re.subn(pattern, forged, data, count=1)
    assert count == 1, data
    assert decode(changed, form, "analysis") is None
    assert decode(data, form, "move") is None


@given(st.data())
def test_no_change_of_sound_bytes_does_harm(sound, data):
    """Bytes cut, doubled or exchanged anywhere: refused, or still an answer that fits the board."""
    form, own = sound
    place = data.draw(st.integers(0, len(own) - 1))
    piece = data.draw(st.binary(max_size=3))
    length = data.draw(st.integers(0, 5))
    found = decode(own[:place] + piece + own[place + length :], form, "analysis")
    if found is not None:
        assert found.move in form.legal_moves()
        assert {value.move for value in found.moves} == set(form.legal_moves())
