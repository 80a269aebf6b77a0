"""Grades, recorded games in every notation, and reviews that agree with the oracle."""

import time
from dataclasses import replace

import pytest

import kinarow
from kinarow import engine, score
from kinarow.contract.answers import ReviewAnswer
from kinarow.engine import Question
from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.play import review as game_review
from kinarow.play.grades import grade
from kinarow.search_types import Limits, NoCore, SearchResult, SearchStopped, Stop
from kinarow.searches import Searches

TIC_TAC_TOE = Rules(3, 3, 3)
PLENTY = Limits(max_nodes=10**6)
LONG = 3_600_000
CELLS = 9
UNKNOWN = score.estimate(1, 1)
WIN_3, WIN_5, LOSS_2, LOSS_4, DRAW = (
    score.win(CELLS, 3), score.win(CELLS, 5), score.loss(CELLS, 2), score.loss(CELLS, 4), score.draw(5),
)  # fmt: skip
WIN_BOUND, LOSS_BOUND = score.win(CELLS, 5, is_bound=True), score.loss(CELLS, 4, is_bound=True)


@pytest.mark.parametrize(
    ("played", "best", "expected"),
    [
        (WIN_3, WIN_3, "best by proof"), (WIN_5, WIN_3, "inaccuracy by proof"), (DRAW, DRAW, "best by proof"),
        (LOSS_4, LOSS_4, "best by proof"), (LOSS_2, LOSS_4, "inaccuracy by proof"), (DRAW, WIN_3, "mistake by proof"),
        (LOSS_2, DRAW, "mistake by proof"), (LOSS_2, WIN_3, "blunder by proof"),
        (LOSS_BOUND, WIN_BOUND, "blunder by proof"), (DRAW, WIN_BOUND, "mistake by proof"),
        # A win in at most 5 may be one in 3, and may not.
        (WIN_BOUND, WIN_3, "inaccuracy by estimate"), (WIN_BOUND, WIN_5, "best by proof"),
        (WIN_5, WIN_BOUND, "best by estimate"), (score.win(CELLS, 7), WIN_BOUND, "inaccuracy by proof"),
        (LOSS_2, LOSS_BOUND, "inaccuracy by estimate"), (LOSS_BOUND, LOSS_4, "best by estimate"),
        (LOSS_BOUND, score.loss(CELLS, 6), "inaccuracy by proof"), (UNKNOWN, WIN_3, "unclear by estimate"),
        (DRAW, UNKNOWN, "unclear by estimate"), (UNKNOWN, UNKNOWN, "unclear by estimate"),
        (LOSS_2, UNKNOWN, "mistake by estimate"), (LOSS_BOUND, UNKNOWN, "mistake by estimate"),
    ],
)  # fmt: skip
def test_a_grade_says_what_was_lost(played, best, expected):
    assert " by ".join(grade(played, best)) == expected


def expecting(result):
    return score.Score(0.25, "unknown", None, calibrated=result)


@pytest.mark.parametrize(
    ("played", "best", "expected"),
    [
        *((expecting(each), expecting(0.3), "best") for each in (0.3, 0.201, 0.5)),
        *((expecting(each), expecting(0.3), "inaccuracy") for each in (0.2, 0.001)),
        *((expecting(each), expecting(0.3), "mistake") for each in (0.0, -0.299)),
        (expecting(-0.3), expecting(0.3), "blunder"), (expecting(0.4), WIN_3, "blunder"),
        (expecting(0.95), WIN_3, "best"), (DRAW, expecting(0.35), "mistake"), (LOSS_2, expecting(-0.35), "blunder"),
        (LOSS_2, expecting(-0.5), "mistake"), (LOSS_2, expecting(-0.95), "mistake"),
        (expecting(0.3), UNKNOWN, "unclear"), (UNKNOWN, expecting(0.3), "unclear"),
    ],
)  # fmt: skip
def test_unproven_grades_use_the_expected_result(played, best, expected):
    """A proven loss is at least a mistake, and only where an expected result is not known the grade is unclear."""
    assert grade(played, best) == (expected, "estimate")


def reviewed(rules, moves, first=1, limits=PLENTY, stop=None, **options):
    options.setdefault("total_time_ms", LONG)
    start = Position(rules, bytes(rules.cells), first)
    graded = engine.review(Question(start, limits, stop=stop), moves, Searches(1 << 20).ask, **options)
    return ReviewAnswer.of(graded).model_dump()


def test_on_a_calibrated_board_no_grade_is_unclear():
    """The third move goes to a corner, and gives the lead away."""
    answer = reviewed(Rules(15, 15, 5), "h8h9a15i9g8", limits=Limits(max_nodes=3000))
    assert {move["graded_by"] for move in answer["moves"]} == {"estimate"}
    assert answer["moves"][2]["grade"] in ("mistake", "blunder")
    assert "unclear" not in {move["grade"] for move in answer["moves"]}


def found(value, best_moves=(0,)):
    """What a search says that found this value."""
    return SearchResult(best_moves[0], value, best_moves[:1], best_moves, False, 3, 9, 0.1, "nodes")


def graded_by(before, after, move=8, best_moves=(0,)):
    """The review of one move on the empty board, by what the searches before and after it say."""
    results = iter([found(after), found(before, best_moves)])
    start = Position(TIC_TAC_TOE, bytes(9), 1)
    (move,) = game_review.review(start, [move], PLENTY, search=lambda *_, **__: next(results)).moves
    return move


def test_the_value_and_the_grade_of_a_move_by_the_searches_before_and_after_it():
    # Its opponent is known to win after it, and the best move of the search before is not decided.
    move = graded_by(before=UNKNOWN, after=score.win(CELLS, 4))
    assert (move.outcome, move.best_outcome) == ("loss", "unknown")
    assert (move.grade, move.graded_by) == ("mistake", "estimate")
    # The search before chose it: it has the value that this search found.
    move = graded_by(before=score.estimate(2, 1), after=score.estimate(-1, 1), best_moves=(8,))
    assert (move.score, move.best_score) == (score.estimate(2, 1),) * 2
    # The position is a proven loss in 4, so the move played loses in 4 at most, and no move is unclear.
    move = graded_by(before=LOSS_4, after=UNKNOWN)
    assert (move.outcome, move.distance, move.distance_is_bound) == ("loss", 4, True)
    assert (move.grade, move.graded_by) == ("best", "estimate")
    # No move is valued above a proven draw.
    move = graded_by(before=DRAW, after=score.estimate(-5, 1))
    assert (move.score.value, move.best_outcome, move.grade) == (0, "draw", "unclear")
    # A win that the search before did not see is the best move; a quicker one may exist, so this is an estimate.
    move = graded_by(before=UNKNOWN, after=LOSS_2)
    assert (move.outcome, move.best_outcome, move.best_moves) == ("win", "win", (8,))
    assert (move.grade, move.graded_by) == ("best", "estimate")


def test_a_review_reports_each_move_from_the_last_to_the_first():
    start = Position(TIC_TAC_TOE, bytes(9), 1)
    steps = []
    graded = kinarow.review(start, [0, 1, 4, 8, 3, 2, 5], progress=lambda *step: steps.append(step))
    assert (graded.state, graded.winner, graded.winning_cells) == ("won", kinarow.X, (3, 4, 5))
    assert [index for index, _ in steps] == [6, 5, 4, 3, 2, 1, 0]
    assert tuple(move for _, move in reversed(steps)) == graded.moves


def test_a_review_that_is_stopped_asks_for_no_further_search():
    stop, searched = Stop(), []

    def search(position, limits, _):
        searched.append(position)
        stop.set()
        return found(DRAW)

    with pytest.raises(SearchStopped):
        game_review.review(Position(TIC_TAC_TOE, bytes(9), 1), [0, 1], PLENTY, search=search, stop=stop)
    assert len(searched) == 1


def test_an_error_in_a_review_comes_before_any_search():
    with pytest.raises(InputError) as raised:
        reviewed(Rules(25, 25, 5), [1, 1], limits=Limits(max_nodes=10**12))
    assert raised.value.problems[0][0] == "/moves/1"


def test_the_whole_review_is_bounded_in_time_and_can_be_stopped():
    moves = list(range(0, 400, 7))
    started = time.process_time()
    answer = reviewed(Rules(20, 20, 5), moves, limits=Limits(max_nodes=10**12), total_time_ms=1000)
    assert len(answer["moves"]) == len(moves)
    assert time.process_time() - started < 10
    stop = Stop()
    stop.set()
    with pytest.raises(SearchStopped):
        reviewed(Rules(20, 20, 5), moves, limits=Limits(max_nodes=10**12), stop=stop)


def made(side, played, best, given):
    return game_review.ReviewedMove(0, side, played, best, (0,), given, "proof")


def test_the_summary_counts_the_grades_of_each_side_and_what_its_moves_lost():
    """A win thrown away loses 2, a win made a draw 1; a move without an expected result counts for its grade alone."""
    moves = (
        made(X, score.win(CELLS, 3), score.win(CELLS, 3), "best"),
        made(O, score.draw(CELLS), score.win(CELLS, 5), "mistake"),
        made(X, score.loss(CELLS, 4), score.win(CELLS, 3), "blunder"),
        made(X, UNKNOWN, UNKNOWN, "unclear"),
        made(X, score.win(CELLS, 5), score.win(CELLS, 3), "inaccuracy"),
    )
    summary = game_review.Review(moves, Position(TIC_TAC_TOE, bytes(9), X)).summary
    assert summary[X] == game_review.Summary(4, 1, 1, 0, 1, 1, 0.25, round(2 / 3, 3), 3)
    assert summary[O] == game_review.Summary(1, 0, 0, 1, 0, 0, 0.0, 1.0, 1)


GOMOKU = Rules(15, 15, 5)
EMPTY = Position(GOMOKU, bytes(GOMOKU.cells), X)


def test_the_positions_of_a_game_share_nodes_whatever_the_others_leave():
    """Equally; the last position of a finished game needs no search."""
    nodes: list[int] = []

    def search(position, limits, _):
        nodes.append(limits.max_nodes)
        return found(UNKNOWN)

    game_review.review(EMPTY, [0, 1, 2], PLENTY, search=search, shared_nodes=4000)
    game_review.review(EMPTY, [0, 15, 1, 16, 2, 17, 3, 18, 4], PLENTY, search=search, shared_nodes=4000)
    assert nodes == [1000] * 4 + [400] * 9


def test_where_time_is_short_every_position_has_some_and_what_it_cut_says_so():
    """The first searches of a review, its last positions, take all they get; a quarter second is kept for the rest."""
    began: list[float] = []

    def search(position, limits, _):
        began.append(time.monotonic())
        time.sleep(max(0, limits.deadline_ns / 1e9 - time.monotonic()))
        return replace(found(UNKNOWN), stopped_by="time")

    graded = game_review.review(EMPTY, [0, 1, 2, 3], PLENTY, search=search, total_time_ms=500)
    assert (len(began), graded.cut_by_time) == (5, 5)
    assert {move.stopped_by for move in graded.moves} == {"time"}


@pytest.mark.parametrize("without", [{4}, {1, 2}, set(range(5))], ids=str)
def test_a_position_without_a_core_is_unclear_and_counted(without):
    """Its neighbours are marked too, since their values need its search; all others are graded as ever."""

    def search(position, limits, _):
        if GOMOKU.cells - position.empties in without:
            raise NoCore
        return found(score.draw(5), (GOMOKU.cells - position.empties,))

    graded = game_review.review(EMPTY, [0, 1, 2, 3], PLENTY, search=search)
    assert graded.cut_by_time == len(without)
    cut = [bool({ply, ply + 1} & without) for ply in range(4)]
    assert [move.stopped_by == "time" for move in graded.moves] == cut
    assert {graded.moves[ply].grade for ply in range(4) if ply in without} <= {"unclear"}
    assert {graded.moves[ply].grade for ply in range(4) if ply not in without} <= {"best"}


def test_a_review_that_has_no_room_at_all_is_refused():
    class Full(NoCore):
        at_once = True

    def search(position, limits, _):
        raise Full

    with pytest.raises(Full):
        game_review.review(EMPTY, [0], PLENTY, search=search)


@pytest.mark.parametrize(
    ("rules", "game", "missed", "grades"),
    [
        # X has four in a row with one open end, and O has not blocked it; then O blocks, and has nothing itself.
        ({"game": "gomoku"}, "a1 o1 b1 o3 c1 o5 d1 o7 m15 e1", [None] * 7 + ["block", "win", None], {7: "blunder"}),
        # With two open ends the win comes a little later.
        ({"game": "gomoku"}, "e1 o1 f1 o3 g1 o5 h1 o7 m15", [None] * 8 + ["win"], {8: "inaccuracy"}),
        # In misère nothing is missed.
        ({"game": "misere-tic-tac-toe"}, "a1 a2 b1 b3 c3 c2", [None] * 6, {}),
        ({"game": "connect-four"}, "1122337", [None] * 5 + ["block", "win"], {5: "blunder"}),
        ({"game": "tic-tac-toe"}, "a1 b2 c3 a3 b3", [None] * 4 + ["block"], {4: "blunder"}),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_win_in_one_that_is_missed_and_a_block_that_is_missed_cost_something(rules, game, missed, grades):
    graded = kinarow.review(moves=game, max_nodes=2000, **rules)
    assert [move.missed for move in graded.moves] == missed
    assert {ply: graded.moves[ply].grade for ply in grades} == grades


def test_a_missed_win_is_a_mistake_however_good_the_position_is():
    """Where the move that was played wins, it is an inaccuracy; a missed block is at least a mistake."""
    start = Position.from_text("xxx.../....../o.o..o/....../....../......", goal=4, to_move="X")

    def graded(after, move=5):
        results = iter([found(after), found(score.win(36, 1), (3,))])
        (made,) = game_review.review(start, [move], PLENTY, search=lambda *_: next(results)).moves
        return made.grade, made.graded_by, made.missed

    assert graded(expecting(-0.99)) == ("mistake", "estimate", "win")
    assert graded(score.loss(36, 4)) == ("inaccuracy", "proof", "win")
    assert graded(score.draw(30)) == ("mistake", "proof", "win")
    assert graded(score.win(36, 3)) == ("blunder", "proof", "win")
    assert graded(score.loss(36, 0), move=3)[2] is None
