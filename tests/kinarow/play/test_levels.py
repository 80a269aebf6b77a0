"""Playing levels: legal, never absurd, weaker as they should be, and repeatable by a seed."""

import json
import random
import time

import pytest

from benchmarks.levels import RANDOM, play
from kinarow import engine
from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.play import levels
from kinarow.play.levels import (
    FULL_STRENGTH,
    LEVELS,
    SOLVED_CELLS,
    WEIGHT_UNITS,
    MoveDistribution,
    level_name,
    move_distribution,
    sample,
    value_of_choice,
)  # fmt: skip
from kinarow.search.best_move import search
from kinarow.search_types import Limits, SearchStopped, Stop
from service.settings import Settings
from tests.support import oracle
from tests.support.app import without_cost
from tests.support.positions import EVERY_RULE, plain_positions, position_of, random_rules, true_scores
from tests.support.positions import random_positions as random_positions_of
from tests.support.searches import Searches, checked

EVERY_LEVEL = pytest.mark.parametrize("level", LEVELS)
ENOUGH = Limits(max_nodes=200_000)
TIC_TAC_TOE, CONNECT_FOUR, FIVE = Rules(3, 3, 3), Rules(6, 7, 4, gravity=True), Rules(9, 9, 5)


def random_positions(name, flags, count, cells=30):
    return plain_positions(name, flags, count, cells, goals=(2, 4))


def board_of(position):
    return position.rules, position.cells, position.to_move


def options_of(position, level):
    return {move for move, _ in move_distribution(position, level, ENOUGH).weights}


@EVERY_RULE
def test_every_move_with_a_chance_is_legal_and_the_chances_are_whole(flags):
    for position in random_positions("chances", flags, 12):
        legal = oracle.moves(*board_of(position))
        for level in LEVELS:
            options = move_distribution(position, level, ENOUGH)
            moves = [move for move, _ in options.weights]
            assert moves == sorted(moves)
            assert set(moves) <= set(legal)
            assert all(weight >= 1 for _, weight in options.weights)
            assert abs(sum(weight for _, weight in options.weights) - WEIGHT_UNITS) < len(legal) + 1


@EVERY_RULE
def test_from_level_five_no_win_at_once_is_missed_and_no_move_loses_at_once_if_another_does_not(flags):
    won = met = 0
    for position in random_positions("at once", flags, 60):
        wins = set() if flags[1] else set(oracle.completing(*board_of(position)))
        safe = set(oracle.safe(*board_of(position)))
        won += bool(wins)
        met += 0 < len(safe) < len(position.legal_moves())
        for level in range(5, FULL_STRENGTH) if wins or safe else ():
            assert options_of(position, level) == wins if wins else options_of(position, level) <= safe
    assert won > 3 or flags[1]
    assert met > 5


MISSED = (0.5, 0.3, 0.15, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0)
SEEDS = 200


def moves_of(position, level):
    """The moves that a level makes by many seeds."""
    options = move_distribution(position, level, Limits(max_nodes=500))
    return [sample(position, level, options, seed) for seed in range(SEEDS)]


def threats(gravity, kind):
    """Positions of games with a win at once, or with one move that blocks the win of the opponent, and these moves."""
    normal = random_positions("threats", (gravity, False, False), 150)
    for position in normal + games_of(Rules(9, 9, 5, gravity), 40):
        game, cells, side = board_of(position)
        wins, safe = (set(found(game, cells, side)) for found in (oracle.completing, oracle.safe))
        threatened = oracle.completing(game, cells, 3 - side)
        good = wins if kind == "win" else safe if threatened and not wins and len(safe) == 1 else set()
        if good and len(good) < len(position.legal_moves()):
            yield position, good


def games_of(rules, games):
    """Positions of games between people who now and then play anywhere."""
    rng, met = random.Random(rules.cells), []
    for _ in range(games):
        position = Position.empty(rules)
        while position.ending().state == "ongoing" and rng.random() < 0.97:
            met.append(position)
            move = rng.choice(position.legal_moves())
            if rng.random() < 0.8:
                move = sample(position, 2, move_distribution(position, 2, ENOUGH), rng.getrandbits(53))
            position = position.play(move)
    return met


@pytest.mark.slow
@pytest.mark.parametrize("gravity", [False, True])
@pytest.mark.parametrize("kind", ["win", "block"])
def test_the_winning_moves_and_the_only_block_are_missed_as_often_as_said(kind, gravity):
    met = list(threats(gravity, kind))[:20]
    assert len(met) == 20
    for level, share in zip(LEVELS, MISSED, strict=True):
        missed = sum(move not in good for position, good in met for move in moves_of(position, level))
        assert abs(missed / len(met) / SEEDS - share) < (0.03 if share else 1e-9)


def steps_to_a_mark(position, move):
    """The king's moves from a cell to the nearest mark; on the empty board to the nearest cell of the centre."""
    rules = position.rules
    sides, rings = (rules.layers, rules.rows, rules.columns), (False, rules.wraps_columns, rules.wraps_rows)

    def place(cell):
        return cell // (sides[1] * sides[2]), cell // sides[2] % sides[1], cell % sides[2]

    def steps(other):
        apart = [abs(a - b) for a, b in zip(place(move), place(other), strict=True)]
        return max(min(by, side - by) if ring else by for by, side, ring in zip(apart, sides, rings, strict=True))

    marks = [cell for cell, mark in enumerate(position.cells) if mark in (1, 2)]
    middle = [{(side - 1) // 2, side // 2} for side in sides]
    if rules.gravity:
        height = 0 if rules.layers > 1 else 1
        middle[height] = set(range(sides[height]))
    centre = [cell for cell in range(rules.cells) if all(a in b for a, b in zip(place(cell), middle, strict=True))]
    return min(map(steps, marks or centre))


@pytest.mark.parametrize(
    "rules",
    [
        Rules(15, 15, 5), Rules(15, 15, 5, renju=True), Rules(9, 13, 5, wrap="both"), Rules(7, 12, 4, gravity=True),
        Rules(5, 5, 4, layers=5), Rules(5, 5, 4, layers=5, gravity=True),
    ],
    ids=str,
)  # fmt: skip
def test_on_wide_boards_no_level_plays_far_from_every_mark(rules):
    positions = [Position.empty(rules), *random.Random(9).sample(games_of(rules, 3), 6)]
    far = [{move for move in each.legal_moves() if steps_to_a_mark(each, move) > 2} for each in positions]
    assert any(far)
    for level in LEVELS:
        made = [moves_of(position, level) for position in positions]
        assert sum(move in away for away, moves in zip(far, made, strict=True) for move in moves) <= 0.02 * SEEDS * 7
        assert len(set(made[0])) > 1


@pytest.mark.parametrize("allowed", [False, True], ids=["all moves", "some moves"])
def test_on_a_cube_of_lines_from_edge_to_edge_levels_play_near_a_mark(allowed):
    """There lines may be mapped on lines and cells on cells far away, which no symmetry may do."""
    rules = Rules(5, 5, 5, layers=5)
    for position in [position for position in games_of(rules, 6) if 121 <= position.empties < 125]:
        only = tuple(move for move in position.legal_moves() if move % 2) if allowed else None
        for seed in range(10):
            question = Question(position, Limits(2000), level=2, seed=seed, allowed=only)
            assert steps_to_a_mark(position, engine.move(question)[0].move) <= 2


def test_equal_moves_by_symmetry_are_equally_likely():
    for level in (1, 4, 9):
        weights = dict(move_distribution(Position.empty(TIC_TAC_TOE), level, ENOUGH).weights)
        assert len({weights[corner] for corner in (0, 2, 6, 8)}) == 1
        assert len({weights.get(edge) for edge in (1, 3, 5, 7)}) == 1


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        (Rules(6, 7, 4, gravity=True), 10960927929819843716), (Rules(5, 5, 4, wrap="rows"), 5875663222503197557),
        (Rules(4, 4, 3, misere=True, exact_goal=True), 16053206251898933571),
        (Rules(5, 5, 4, directions=("diagonal",)), 4224324490927386013),
        (Rules(15, 15, 5, caro=True), 12668556635565784969), (Rules(15, 15, 5, renju=True), 3311482111271024666),
        (Rules(4, 4, 4, layers=4), 12253724342107358152), (Rules(4, 4, 4, gravity=True, layers=3), 1362404641147919972),
    ],
    ids=str,
)  # fmt: skip
def test_the_number_a_seed_gives_is_pinned_under_every_rule(rules, number):
    """It may change only when every game that front ends have seeded may; a new rule is no part of its default."""
    assert levels.seeded_number(Position.empty(rules), 3, 1) == number
    numbers = [levels.seeded_number(position_of("X../.O./...", 3), 3, seed) for seed in (0, 1, 2**53 - 1)]
    assert numbers == [11594720708700350793, 12001457241073708640, 15584814140546179454]


def test_draws_follow_the_chances():
    position = Position.empty(TIC_TAC_TOE)
    options = MoveDistribution(((0, 1), (4, 2), (8, 5)), 0, 0.0, "proof")
    drawn = [sample(position, 5, options, seed) for seed in range(4000)]
    for move, share in ((0, 1 / 8), (4, 2 / 8), (8, 5 / 8)):
        assert abs(drawn.count(move) / 4000 - share) < 0.03


@EVERY_LEVEL
def test_a_seed_repeats_the_whole_answer_whatever_was_asked_before_and_without_one_the_choice_varies(level):
    position = position_of("......./......./......./...O.../..XXO../..OXX..", 4, gravity=True)
    fresh, used = Searches(1 << 20), Searches(1 << 20)
    for other in range(1, FULL_STRENGTH + 1):
        used.move(position, Limits(max_nodes=20_000), level=other, seed=3)
    asked = {"level": level, "seed": 12345}
    first = fresh.move(position, Limits(max_nodes=20_000), **asked)
    again = fresh.move(position, Limits(max_nodes=20_000), **asked)
    elsewhere = used.move(position, Limits(max_nodes=20_000), **asked)
    assert without_cost(first) == without_cost(again) == without_cost(elsewhere)
    assert again["search"]["cached"]
    assert first["search"]["nodes"] == elsewhere["search"]["nodes"]
    unseeded = [fresh.move(Position.empty(TIC_TAC_TOE), Limits(max_nodes=20_000), level=level) for _ in range(80)]
    assert len({answer["move"]["tile"] for answer in unseeded}) > 1
    over = position_of("XXX/OO./...", 3)
    answer = fresh.move(over, ENOUGH, level=level)
    assert (answer["move"], answer["reasons"]) == (None, [])
    assert fresh.analysis(over, ENOUGH, level=level, seed=1)["moves"] == []


@pytest.mark.parametrize("level", [1, 4, 7, 9, FULL_STRENGTH])
def test_symmetric_boards_with_one_seed_get_the_symmetric_choice(level):
    position = position_of("X.../..O./..../....", 4)
    flipped = position_of("..../..../..O./X...", 4)
    searches = Searches(1 << 20)
    for seed in range(6):
        asked = {"level": level, "seed": seed}
        move, mirrored = (searches.move(each, Limits(2000), **asked)["move"] for each in (position, flipped))
        assert (3 - move["row"], move["column"]) == (mirrored["row"], mirrored["column"])


# Equal by symmetry, and two ways to win at once that no symmetry maps on each other.
@pytest.mark.parametrize(("board", "goal"), [("..../..../..../....", 3), ("XX./XOO/.O.", 3)])
def test_at_full_strength_the_seed_chooses_among_the_best_moves(board, goal):
    position = position_of(board, goal)
    searches = Searches(1 << 20)
    plain = searches.move(position, ENOUGH)
    tiles = [cell["tile"] for cell in plain["best_moves"]]
    assert len(tiles) > 1
    answers = [searches.move(position, ENOUGH, seed=seed) for seed in range(60)]
    for answer in answers:
        assert (answer["best_moves"], answer["score"]) == (plain["best_moves"], plain["score"])
        assert answer["line"][0] == answer["move"]
        assert position.after(answer["line"])
    assert {answer["move"]["tile"] for answer in answers} == set(tiles)


@EVERY_RULE
def test_the_value_of_a_chosen_move_is_true(flags):
    for position in random_positions("value", flags, 12, cells=12):
        best, truth = search(position, Limits(max_nodes=10**6)), true_scores(position)
        for move in position.legal_moves():
            found = value_of_choice(position, move, Limits(max_nodes=10**6))
            assert found.move == found.line[0] == move
            assert found.score.value == truth[move]
            assert set(best.best_moves) <= set(found.best_moves)
            assert (move in found.best_moves) == (found.score == best.score)


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 8, 20, 100, 1000])
def test_the_node_budget_bounds_the_whole_answer(nodes):
    searches = Searches(1 << 20)
    for position in (Position.empty(CONNECT_FOUR), Position.empty(FIVE), position_of("XX./OO./...", 3)):
        for level in LEVELS:
            answer = searches.move(position, Limits(max_nodes=nodes), level=level, seed=1)
            assert answer["search"]["nodes"] <= nodes
            assert answer["move"] is not None


@pytest.mark.parametrize("level", [*LEVELS, "analysis"])
def test_the_time_limit_is_kept_on_the_largest_board_and_by_an_analysis_at_a_level(level):
    rng, position = random.Random(6), Position.empty(Rules(25, 25, 5))
    for _ in range(40):
        position = position.play(rng.choice(position.legal_moves()))
    ask = Searches(1 << 20).analysis if level == "analysis" else Searches(1 << 20).move
    level = 9 if level == "analysis" else level
    ask(position, Limits(max_nodes=1000), level=level, seed=2)
    started = time.process_time()
    ask(position, Limits(max_nodes=10**9, time_limit_ms=200), level=level, seed=1)
    assert time.process_time() - started < 3


def test_a_stop_ends_the_choice_and_the_valuing():
    stop = Stop()
    stop.set()
    with pytest.raises(SearchStopped):
        move_distribution(Position.empty(FIVE), 9, Limits(max_nodes=10**9), stop=stop)
    with pytest.raises(SearchStopped):
        value_of_choice(Position.empty(FIVE), 40, Limits(max_nodes=10**9), stop=stop)


@EVERY_RULE
def test_answers_at_a_level_keep_the_contract_and_an_analysis_makes_the_same_choice_as_a_move(flags):
    for position in random_positions("same", flags, 8, cells=14):
        for level in (1, 5, 9, FULL_STRENGTH):
            asked = {"level": level, "seed": 99}
            move, analysis = (checked(position, ENOUGH, analysis=which, **asked) for which in (False, True))
            assert analysis["move"] == move["move"]
            if move["proven"] and not move["distance_is_bound"]:
                for name in ("score", "outcome", "distance", "proven", "board", "after"):
                    assert analysis[name] == move[name]
            chosen = next(each for each in analysis["moves"] if each["tile"] == analysis["move"]["tile"])
            assert all(chosen[name] == analysis[name] for name in ("score", "outcome", "distance", "line"))


def test_reasons_speak_of_the_asked_board():
    answer = Searches(1 << 20).move(position_of(".X./.XO/..O", 3), ENOUGH)
    assert answer["move"]["tile"] == 8
    assert {"code": "completes_line", "cells": [
        {"row": 0, "column": 1, "tile": 2}, {"row": 1, "column": 1, "tile": 5}, {"row": 2, "column": 1, "tile": 8},
    ]} in answer["reasons"]  # fmt: skip
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def score_of(game, first, second, games, seed=0):
    """What the first player scores in a match, the sides taken in turn."""
    began = sum(play(game, first, second, seed + number).score for number in range(0, games, 2))
    lost = sum(play(game, second, first, seed + number).score for number in range(1, games, 2))
    return (began + games // 2 - lost) / games


@pytest.mark.parametrize("game", ["3 × 3, goal 3", "Connect Four 6 × 7", "9 × 9, goal 5"])
def test_the_lowest_level_is_better_than_chance_and_can_be_beaten_by_it(game):
    assert 0 < score_of(game, RANDOM, 1, 120) < 0.5


def test_full_strength_is_called_perfect_only_where_the_default_budget_proves_every_position():
    rng, settings = random.Random(11), Settings()
    games = [rules for rules in (random_rules(rng, SOLVED_CELLS) for _ in range(80)) if rules.cells > 6]
    for position in random_positions_of(rng, games, (SOLVED_CELLS - 4, SOLVED_CELLS)):
        assert level_name(FULL_STRENGTH, position.rules) == "Perfect"
        assert search(position, Limits(max_nodes=settings.nodes_by_default(position.rules))).proven
    for preset, name in (("connect-four", "Perfect"), ("gomoku", "Strongest"), ("qubic", "Strongest")):
        assert level_name(FULL_STRENGTH, PRESETS[preset]) == name
