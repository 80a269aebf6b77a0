"""The searches answers as the contract says, symmetric boards alike, whatever was asked before."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search_types import Limits, SearchStopped, Stop
from service.searches.limiter import Overloaded
from tests.support.app import request_of, without_cost
from tests.support.contract import check_answer, check_truth
from tests.support.positions import EVERY_RULE, RULE_FLAGS, position_of, random_position, random_rules, small_positions
from tests.support.samples import examples
from tests.support.searches import PLENTY, CountingSlots, NoSlots, Searches, checked


@EVERY_RULE
@pytest.mark.parametrize("analysis", [False, True], ids=["move", "analysis"])
@examples(25)
@given(data=st.data())
def test_answers_about_small_boards_keep_the_contract_and_are_true(analysis, flags, data):
    position = data.draw(small_positions(flags, max_empties=8))
    limits = Limits(data.draw(st.sampled_from([1, 2, 5, 30, 200, 10**6])), data.draw(st.none() | st.integers(1, 9)))
    answer = checked(position, limits, analysis=analysis)
    assert check_truth(request_of(position, limits), answer) or limits.max_nodes <= 200 or limits.max_depth


def test_an_analysis_says_the_same_as_a_move_of_what_is_proven_and_may_be_cut_to_its_best_moves():
    for _, misere, exact_goal in RULE_FLAGS:
        position = position_of("XO../..X./OX..", 3, misere=misere, exact_goal=exact_goal)
        move, analysis = checked(position, PLENTY), checked(position, PLENTY, analysis=True)
        for key in set(move) - {"best_moves", "best_moves_complete", "search"}:
            assert move[key] == analysis[key]
        assert analysis["best_moves_complete"]
    for top in (1, 3, 625):
        assert checked(position, PLENTY, analysis=True, top=top)["moves"] == analysis["moves"][:top]


def images_of(position):
    for permutation in geometry(position.rules).symmetries:
        cells = bytes(position.cells[cell] for cell in permutation)
        swapped = bytes((0, 2, 1)[mark] for mark in cells)
        yield permutation, Position(position.rules, cells, position.to_move)
        yield permutation, Position(position.rules, swapped, 3 - position.to_move)


def seen_through(permutation, answer, columns):
    """What an answer says, with its cells mapped back to the board whose image was asked about."""

    def back(cell):
        return permutation[cell["tile"] - 1]

    return {
        "move": back(answer["move"]),
        "line": [back(cell) for cell in answer["line"]],
        "best_moves": sorted(back(cell) for cell in answer["best_moves"]),
        "moves": sorted(
            (back(value), value["score"], value["distance"], [back(cell) for cell in value["line"]])
            for value in answer.get("moves", [])
        ),
        **{key: answer[key] for key in ("score", "outcome", "distance", "proven", "best_moves_complete", "state")},
        "evaluation": answer.get("static_evaluation"),
        **{key: answer["search"][key] for key in ("depth", "nodes", "stopped_by")},
    }


@pytest.mark.parametrize("analysis", [False, True], ids=["move", "analysis"])
@pytest.mark.parametrize("budget", [40, 10**6])
@pytest.mark.parametrize(
    ("board", "rules", "images"),
    [
        ("XO../..../...O/X...", {}, 8),
        ("XO../..../...X", {"misere": True}, 4),
        ("..../..../XO.X", {"gravity": True, "exact_goal": True}, 2),
    ],
    ids=["square", "rectangle", "gravity"],
)
def test_all_images_of_a_board_share_one_answer_mapped_back(board, rules, images, budget, analysis):
    searches = Searches(1 << 20)
    position = position_of(board, 3, **rules)
    answers = []
    for permutation, image in images_of(position):
        ask = searches.analysis if analysis else searches.move
        answer = ask(image, Limits(budget))
        check_answer(request_of(image, Limits(budget)), answer, analysis=analysis)
        answers.append((answer["search"]["cached"], seen_through(permutation, answer, image.rules.columns)))
    assert len(answers) == 2 * images
    assert [cached for cached, _ in answers] == [False] + [True] * (2 * images - 1)
    assert all(answer == answers[0][1] for _, answer in answers)


def test_an_answer_stopped_by_time_or_by_its_client_is_never_kept():
    sizes, stop = [], Stop()
    searches = Searches(1 << 20, on_size=sizes.append)
    position = Position.empty(Rules(14, 15, 5))
    for ask in (searches.move, searches.analysis) * 2:
        search = ask(position, Limits(10**15, time_limit_ms=20))["search"]
        assert (search["stopped_by"], search["cached"]) == ("time", False)
    stop.set()
    with pytest.raises(SearchStopped):
        searches.move(position, Limits(50), stop=stop)
    assert sizes == []
    # A time limit that did not matter makes no difference.
    assert not searches.move(position, Limits(50, time_limit_ms=10**6))["search"]["cached"]
    assert searches.move(position, Limits(50, time_limit_ms=10**6))["search"]["cached"]


def test_progress_speaks_of_the_board_that_was_asked_about():
    position = position_of("..../..../X.O.", 3)
    for _, image in images_of(position):
        news, gate = [], CountingSlots()
        answer = Searches(1 << 20, run=gate.run).analysis(image, PLENTY, progress=news.append)
        assert gate.passed == 1
        assert [report.depth for report in news] == sorted(report.depth for report in news)
        for report in news:
            board = image
            for cell in report.line:
                board = board.play(cell)
        assert [cell["tile"] - 1 for cell in answer["line"]] == list(news[-1].line)


def test_answers_do_not_depend_on_earlier_requests_or_on_other_threads():
    rng = random.Random(4)
    questions = []
    while len(questions) < 250:
        rules = random_rules(rng, 30)
        position = random_position(rng, rules, rng.randrange(rules.cells))
        if position is not None:
            limits = Limits(rng.choice((1, 17, 400, 3000)), rng.choice((None, None, 1, 3)))
            questions.append((position, limits, rng.random() < 0.2))
    alone = [without_cost(ask(Searches(1 << 20), question)) for question in questions]
    # Small enough that answers are forgotten and searched again.
    events = {"on_hit": lambda: hits.append(1), "on_searched": lambda _: hits.append(0)}
    hits, sizes = [], []
    shared = Searches(20_000, on_size=sizes.append, **events)

    def wrong(order):
        return [index for index in order if without_cost(ask(shared, questions[index])) != alone[index]]

    backwards = list(reversed(range(len(questions))))
    shuffled = rng.sample(backwards, len(backwards))
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(wrong, (backwards, shuffled, shuffled))) == [[], [], []]
    assert len(hits) == 3 * len(questions)
    assert 10 < max(sizes) < 50


def ask(searches, question):
    position, limits, analysis = question
    return (searches.analysis if analysis else searches.move)(position, limits)


@pytest.mark.parametrize("analysis", [False, True], ids=["move", "analysis"])
@EVERY_RULE
def test_what_is_found_at_once_is_what_the_whole_search_finds(flags, analysis):
    full, free = Searches(0, run=NoSlots().run), Searches(0)
    rng = random.Random(f"at once {flags}")
    found = 0
    for _ in range(40):
        rules = random_rules(rng, 16)
        rules = Rules(rules.rows, rules.columns, rules.goal, *flags)
        position = random_position(rng, rules, rng.randrange(rules.cells))
        if position is None:
            continue
        limits = Limits(rng.choice([1, 30, 2000, 10**6]), rng.choice([None, None, 2, 5]))
        try:
            answer = ask(full, (position, limits, analysis))
        except Overloaded:
            continue  # the machine was too slow for it
        found += 1
        assert without_cost(answer) == without_cost(ask(free, (position, limits, analysis)))
    assert found > 10


def in_ms(milliseconds):
    return time.monotonic_ns() + milliseconds * 1_000_000


@pytest.mark.parametrize("level", [10, 3])
def test_after_its_deadline_a_search_ends_without_waiting(level):
    """What is known, or decided at sight, is given however late it is asked for."""
    gate = CountingSlots()
    searches = Searches(1 << 20, run=gate.run)
    position = Position.empty(Rules(14, 15, 5))
    late = Limits(10**6, deadline_ns=in_ms(-1))
    answer = searches.move(position, late, level=level, seed=1)
    assert answer["move"] is not None
    assert (answer["search"]["nodes"], answer["search"]["stopped_by"], gate.passed) == (0, "time", 0)
    searches.move(position, Limits(50, deadline_ns=in_ms(60_000)))
    assert gate.passed == 1
    assert searches.move(position, Limits(50, deadline_ns=in_ms(-1)))["search"]["cached"]
    assert searches.move(position_of("XX./OO./...", 3), late)["outcome"] == "win"
    assert searches.move(position_of("XXX/OO./...", 3), late)["outcome"] == "loss"
