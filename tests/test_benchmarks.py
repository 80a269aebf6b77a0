"""The replay of requests sees every difference, and the nodes of fixed searches are the pinned ones."""

from collections import Counter

import pytest

from benchmarks.cases import measure
from benchmarks.replay.__main__ import main
from benchmarks.replay.differences import Comparison
from benchmarks.replay.requests import CHANNELS, Request, requests
from kinarow.game.rules import PRESETS, RULES
from tests.support.server import REPOSITORY

REQUEST = Request("mcp", "mcp best_move", ("best_move", {"game": "gomoku"}))
ANSWER = {"move": {"row": 1}, "line": [{"tile": 1}, {"tile": 2}], "search": {"nodes": 5, "elapsed_ms": 0.5}}


def compared(before, after, **options):
    comparison = Comparison(**options)
    comparison.add(REQUEST, before, after)
    return comparison


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"move": None}, "move"),
        ({"move": {"row": 1.0}}, "move.row"),
        ({"move": {"row": True}}, "move.row"),
        ({"move": {"row": 1, "column": 2}}, "move.column"),
        ({"line": [{"tile": 1}, {"tile": 3}]}, "line.*.tile"),
        ({"line": [{"tile": 1}]}, "line.length"),
        ({"search": {"nodes": 6, "elapsed_ms": 0.5}}, "search.nodes"),
        ({"new": None}, "new"),
    ],
)
def test_every_field_is_compared_with_its_type(changed, path):
    """Whichever answer has the change; the report shows the request and both values."""
    for pair in ((ANSWER, ANSWER | changed), (ANSWER | changed, ANSWER)):
        comparison = compared(*pair)
        assert comparison.fields == Counter([path])
        assert comparison.differing == Counter([REQUEST.kind])
        assert "gomoku" in comparison.report()
        assert f"field {path}: 1 differences" in comparison.report()


def test_an_answer_whose_time_ended_is_not_compared_but_its_neighbours_are():
    """They are counted, since a replay should have none."""
    ended = ANSWER | {"move": None, "search": {"nodes": 3, "stopped_by": "time"}}
    comparison = compared({"answers": [ANSWER, ANSWER]}, {"answers": [ended, ANSWER | {"move": 1}]})
    assert comparison.out_of_time == 1
    assert comparison.fields == Counter(["answers.*.move"])


def test_the_requests_reach_every_rule_game_and_endpoint():
    """The same seed makes the same ones, whichever channels are asked."""
    made = list(requests(2000, seed=1))
    sent = str(made)
    assert {request.channel for request in made} == {*CHANNELS}
    assert [name for name in (*PRESETS, *RULES, "layers", "only", "exclude", "level", "top") if name not in sent] == []
    assert len({request.kind for request in made}) >= 25
    assert [request for request in made if request.channel == "mcp"] == list(requests(2000, 1, frozenset(["mcp"])))


@pytest.mark.slow
def test_a_checkout_answers_as_itself(capsys):
    """Over all four channels, each with the processes of an installed checkout."""
    checkout = str(REPOSITORY)
    assert main([checkout, checkout, "--requests", "25", "--seed", "2"]) == 0
    report = capsys.readouterr().out
    assert "25 requests, 0 with differences" in report
    assert all(f"{channel} " in report for channel in CHANNELS)


PINNED = {
    "tic-tac-toe": (150, 0, 5), "4 x 4": (139, 0, 6), "5 x 5 goal 4": (49_694, 0, 13),
    "6 x 6 goal 4": (6_992, 26, 15), "misere 4 x 4": (28_835, -2, 6), "exact 3 x 5": (107, 9, 8),
    "connect four": (20_172, 0, 25), "gravity 5 x 6": (438_722, 0, 27), "misere gravity": (43_168, -4, 18),
    "depth 6 of 6 x 7": (220_567, -0.001, 18), "gomoku": (100_000, -0.2837, 97),
    "gravity 9 x 9": (100_000, 0.1424, 77), "gomoku defence": (3_506, -206, 157),
    "standard gomoku": (43_196, 209, 171), "misere 9 x 9": (16_765, -69, 7),
}  # fmt: skip
"""Nodes, score and tile of each position. Change them only together with the search, and say why."""


def test_the_signature_of_the_search_is_the_pinned_one():
    assert {case.name: (case.nodes, case.score, case.move) for case in measure()} == PINNED
