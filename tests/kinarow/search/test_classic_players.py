"""The five players that people build first, each shown on the example its idea is known by."""

import random
from copy import deepcopy

import pytest

from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.notation import read_grid
from kinarow.game.position import Position
from kinarow.game.rules import Rules, resolve
from kinarow.search.analysis import analyse
from kinarow.search.search import search
from kinarow.search_types import Limits
from kinarow.solvers.depth_limited.solver import estimate_scale
from tests.support.minimax import DECISIVE, WIN, plain_move_values, plain_value
from tests.support.positions import (
    RULE_FLAGS,
    SIDE,
    board_rows,
    flags_name,
    judged,
    lively_position,
    position_of,
    random_position,
    random_rules,
)
from tests.support.recommenders import Recommender

PLENTY = Limits(max_nodes=10**7)
OVER = {"win": 1, "draw": 0, "loss": -1}


# 1. Plain minimax that never loses.


@pytest.fixture(scope="module")
def reachable():
    """Every 3 × 3 position that a game begun by X can reach."""
    found = {Position.empty(Rules(3, 3, 3))}
    newest = found
    while newest:
        ongoing = [position for position in newest if position.ending().state == "ongoing"]
        newest = {position.play(move) for position in ongoing for move in position.legal_moves()}
        found |= newest
    return found


@pytest.fixture(scope="module")
def answers(reachable):
    """What the engine plays in each of them that is not over."""
    return {position: search(position, PLENTY) for position in reachable if position.ending().state == "ongoing"}


def test_three_by_three_has_5478_reachable_positions(reachable, answers):
    assert len(reachable) == 5478
    assert len(answers) == 4520


def test_minimax_never_loses_and_wins_whenever_a_win_can_be_forced(answers):
    worst_of = {}

    def worst(position):
        """The worst result for the engine, to move, over every reply the opponent may choose."""
        if position not in worst_of:
            replies = []
            child = position.play(answers[position].move)
            after = child.ending()
            if after.state == "ongoing":
                replies = [child.play(move) for move in child.legal_moves()]
            results = [over(reply, position.to_move) for reply in replies] or [over(child, position.to_move)]
            worst_of[position] = min(results)
        return worst_of[position]

    def over(position, engine):
        ending = position.ending()
        if ending.state == "ongoing":
            return worst(position)
        return {engine: 1, None: 0}.get(ending.winner, -1)

    for position in answers:
        assert worst(position) == OVER[judged(position)[0]], board_rows(position)
    assert worst(Position.empty(Rules(3, 3, 3))) == 0
    # The engine that moves second does not lose either.
    assert all(over(Position.empty(Rules(3, 3, 3)).play(move), 2) >= 0 for move in range(9))


# 2. Scores that know the depth.


def test_a_win_in_n_plies_scores_10_minus_n_and_a_loss_n_minus_10(answers):
    for position, answer in answers.items():
        outcome, plies, _ = judged(position)
        assert answer.score.value == {"win": 10 - plies, "draw": 0, "loss": plies - 10}[outcome]
        assert (answer.score.outcome, answer.score.distance) == (outcome, plies)


def test_the_chosen_move_is_always_a_fastest_win_or_a_slowest_loss(answers):
    for position, answer in answers.items():
        best = judged(position)[2]
        assert answer.move in best
        assert set(answer.best_moves) <= best


def test_a_doomed_player_still_blocks_the_immediate_threat_and_prolongs_the_game():
    doomed = position_of(".X./..X/OOX", 3, to_move="O")
    answer = search(doomed, PLENTY)
    assert answer.move == 2
    assert (answer.score.value, answer.score.outcome, answer.score.distance) == (-6, "loss", 4)
    elsewhere = {value.move: value.score.value for value in analyse(doomed, PLENTY).moves}
    assert elsewhere == {2: -6, 0: -8, 3: -8, 4: -8}


def test_the_fastest_win_is_taken_where_slower_ones_wait():
    answer = analyse(position_of("..X/.OX/O..", 3, to_move="X"), PLENTY)
    assert answer.result.move == 8
    assert answer.result.score.value == 9
    assert [(value.move, value.score.value) for value in answer.moves] == [(8, 9), (0, 7), (1, 7), (7, 0), (3, -6)]


# 3. The best-move guesser.


def test_the_best_move_guesser_blocks_in_its_own_notation():
    grid = read_grid([["x", "x", "o"], ["o", "_", "_"], ["x", "_", "o"]])
    position = Position.from_cells(resolve(grid.rows, grid.columns), grid.cells, to_move=1)
    answer = Recommender(cache_size=1).move(position, PLENTY)
    assert answer["move"] == {"row": 1, "column": 2, "tile": 6}
    assert (answer["score"], answer["outcome"], answer["distance"]) == (0, "draw", 3)
    assert answer["board"] == ["XXO", "O.X", "X.O"]


# 4. A score for every free square.


def test_every_free_square_gets_a_score_numbered_from_1_and_the_board_is_not_changed():
    board = [["X", "O", "X"], ["", "O", ""], ["", "", ""]]
    before = deepcopy(board)
    grid = read_grid(board)
    position = Position.from_cells(resolve(grid.rows, grid.columns), grid.cells)
    answer = Recommender(cache_size=1).analysis(position, PLENTY)
    assert {value["tile"]: value["score"] for value in answer["moves"]} == {4: -8, 6: -8, 7: -8, 8: 0, 9: -8}
    assert answer["move"]["tile"] == 8
    assert board == before


def test_every_square_of_the_empty_board_is_a_draw():
    answer = Recommender(cache_size=1).analysis(Position.empty(Rules(3, 3, 3)), PLENTY)
    assert sorted((value["tile"], value["score"]) for value in answer["moves"]) == [(tile, 0) for tile in range(1, 10)]
    assert len(answer["best_moves"]) == 9
    assert answer["best_moves_complete"]


# 5. Depth-limited alpha-beta with the line heuristic.


@pytest.mark.parametrize(
    ("board", "to_move", "worth"),
    [
        ("XXX/.OO/...", "O", -100 - 1 + 10),
        ("XX./.../...", "O", -(10 + 1 + 1 + 1)),
        ("XX./.../...", "X", 10 + 1 + 1 + 1),
        ("X../.../...", "O", -3),
        (".../.X./...", "O", -4),
        ("XO./.../...", "X", 2 - 1),
        ("XOX/OXO/OXO", "X", 0),
    ],
)
def test_a_line_counts_100_10_or_1_for_three_two_or_one_marks_of_one_side(board, to_move, worth):
    rules = Rules(3, 3, 3)
    cells = bytes(".XO".index(mark) for mark in board.replace("/", ""))
    assert static_evaluation(Position(rules, cells, "XO".index(to_move) + 1)) == worth
    other = Position(rules, cells, 2 - "XO".index(to_move))
    assert static_evaluation(other) == -worth


def expected_score(value, position):
    """What the plain depth-limited value is on the scale of answers: a distance, or the squashed estimate."""
    marks = position.rules.cells - position.empties
    if abs(value) >= DECISIVE:
        return ("win" if value > 0 else "loss"), WIN - abs(value) - marks
    scale = estimate_scale(position.rules.goal)
    return "unknown", round(value / (abs(value) + scale), 4)


@pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
def test_pruning_changes_no_value(flags):
    rng = random.Random(f"pruning {flags}")
    for _ in range(20):
        position = lively_position(rng, flags)
        assert_no_value_changed(position, rng.randint(2, 4 if position.empties <= 9 else 3))
    compared = 0
    while compared < 20:
        rules = random_rules(rng, 16)
        rules = Rules(rules.rows, rules.columns, rules.goal, *flags)
        position = random_position(rng, rules, rng.randrange(rules.cells))
        if position is not None:
            assert_no_value_changed(position, rng.randint(1, 4 if position.empties <= 8 else 2))
            compared += 1


def assert_no_value_changed(position, depth):
    board, side, rules = board_rows(position), SIDE[position.to_move], position.rules
    values = plain_move_values(board, side, rules, depth)
    value, certain = plain_value(board, side, rules, depth)
    result = search(position, Limits(max_nodes=10**7, max_depth=depth))
    assert values[divmod(result.move, rules.columns)][0] == value
    outcome, number = expected_score(value, position)
    if result.score.outcome == "draw":
        # With pruning fewer estimates are seen, so a draw may be proven where plain minimax still estimates 0.
        assert value == 0
        assert result.score.value == 0
    elif outcome == "unknown":
        assert not certain
        assert (result.score.outcome, result.score.value) == ("unknown", number)
    else:
        assert (result.score.outcome, result.score.distance) == (outcome, number)


@pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
@pytest.mark.parametrize(
    ("rows", "columns", "goal"), [(7, 6, 4), (6, 7, 4), (4, 9, 3), (10, 9, 5), (1, 13, 3), (24, 25, 5), (25, 2, 25)]
)
def test_any_board_is_answered_at_any_depth_cutoff(rows, columns, goal, flags):
    position = Position.empty(Rules(rows, columns, goal, *flags))
    for depth in (1, 2, 3):
        result = search(position, Limits(max_nodes=20_000, max_depth=depth))
        assert result.move in position.legal_moves()
        assert result.depth <= depth
        assert result.stopped_by in ("depth", "nodes", "proof")
        assert result.score.proven or -1 < result.score.value < 1


@pytest.mark.parametrize("gravity", [False, True], ids=["free", "gravity"])
@pytest.mark.parametrize(("rows", "columns", "goal"), [(7, 6, 4), (6, 7, 4), (5, 8, 5)])
def test_at_the_cutoff_the_move_is_the_one_the_heuristic_likes_best(rows, columns, goal, gravity):
    rng = random.Random(rows)
    for marks in (0, 3, 6):
        position = random_position(rng, Rules(rows, columns, goal, gravity), marks)
        result = search(position, Limits(max_nodes=10**6, max_depth=1))
        liking = {move: -static_evaluation(position.play(move)) for move in position.legal_moves()}
        assert result.stopped_by == "depth"
        assert liking[result.move] == max(liking.values())
        raw = liking[result.move]
        assert result.score.value == round(raw / (abs(raw) + estimate_scale(goal)), 4)


def test_seven_by_six_goal_four_takes_the_win_and_stops_the_threat_at_a_small_depth():
    three_in_a_row = "....../....../....../....../....../OO..../XXX..."
    winning = position_of(three_in_a_row.replace("OO....", "OOO..."), 4, to_move="X", gravity=True)
    assert search(winning, Limits(max_nodes=10**6, max_depth=4)).move == 39
    threatened = position_of(three_in_a_row, 4, to_move="O", gravity=True)
    assert search(threatened, Limits(max_nodes=10**6, max_depth=4)).move == 39
