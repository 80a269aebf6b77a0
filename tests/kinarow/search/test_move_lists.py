"""Lists of moves of large boards: the values are those of single searches, on any number of cores."""

import random
import threading
import time
from dataclasses import astuple

import numpy as np
import pytest

import kinarow
from kinarow import Limits, Position, Rules, SearchStopped, Stop
from kinarow.cores import Cores, using
from kinarow.search.analysis import analyse, search_among
from kinarow.search.best_move import search
from kinarow.search.move_lists import MoveLists
from tests.support.positions import EVERY_RULE, plain_positions, true_scores

NODES = 2_000


def position_after(moves, **game):
    rng = random.Random(moves)
    position = Position.from_moves("", **game)
    for _ in range(moves):
        near = [cell for cell in position.legal_moves() if all(abs(each - 7) < 4 for each in divmod(cell, 15))]
        position = position.play(rng.choice(near or position.legal_moves()))
        assert position.ending().state == "ongoing"
    return position


@pytest.mark.parametrize(
    "game",
    [
        *({"game": game} for game in ("gomoku", "renju", "caro")),
        {"rows": 15, "columns": 15, "goal": 5, "misere": True},
        {"rows": 15, "columns": 15, "goal": 5, "gravity": True},
    ],
    ids=lambda game: "-".join(map(str, game.values())),
)  # fmt: skip
def test_each_value_is_that_of_a_search_of_the_position_after_the_move(game):
    """Where no move is proven early, and so none gets the nodes that another leaves."""
    plain = game.get("game") not in ("renju", "caro")
    for marks in range(9, 1, -1):
        position = position_after(marks, **game)
        moves = list(position.legal_moves())[::7]
        found = MoveLists(position, Stop()).search(moves, NODES, Limits(NODES * len(moves)))
        assert list(found) == moves
        if max(each.nodes for each in found.values()) <= NODES + plain:
            break
    for move, searched in found.items():
        # On some boards a proof by pairings comes before the search and counts as a node.
        alone = [search(position.play(move), Limits(NODES + more)) for more in {0, plain}]
        if all(each.depth > 1 or each.proven for each in alone):
            said = searched.score.value, searched.score.outcome, searched.score.distance, searched.line
            assert said in [(each.score.value, each.outcome, each.distance, (move, *each.line)) for each in alone]
            assert not any(isinstance(part, np.generic) for part in astuple(searched.score))


def test_moves_that_are_not_proven_share_what_proven_ones_leave():
    """The side that moves second has an open three, so most moves lose at once; the others get more nodes."""
    position = Position.from_moves("h8a1i8a3j8", game="gomoku")
    moves = list(position.legal_moves())
    found = MoveLists(position, Stop()).search(moves, 50, Limits(50 * len(moves)))
    assert sum(each.nodes for each in found.values()) <= 50 * len(moves)
    lost = [each for each in found.values() if each.score.outcome == "win"]
    left = {move: each for move, each in found.items() if not each.score.proven}
    assert len(lost) > 150
    assert left
    assert min(each.nodes for each in left.values()) > 150
    once = {move: MoveLists(position, Stop()).search([move], 50, Limits(50))[move].score for move in left}
    assert once != {move: each.score for move, each in left.items()}, "the deeper searches decide"


def test_no_list_begins_after_the_time():
    position = position_after(9, game="gomoku")
    moves = list(position.legal_moves())
    with using(Cores(1)):
        limits = Limits(10**9).until(time.monotonic_ns() + 2_000_000)
        found = MoveLists(position, Stop()).search(moves, 10**6, limits)
    assert list(found) == moves
    assert {each.stopped_by for each in found.values() if each.nodes == 0} == {"time"}


class Flickering(Cores):
    """Cores that other searches want back all the time."""

    def wanted(self):
        return True


@pytest.mark.parametrize("nodes", [2_000, 100_000])
def test_an_analysis_is_the_same_on_one_core_and_on_two(nodes):
    position = position_after(8, game="gomoku")
    answers = []
    for cores in (Cores(1), Cores(2), Cores(3), Flickering(2)):
        with using(cores):
            answers.append(kinarow.analyse(position, Limits(nodes)))
    for answer in answers[1:]:
        assert answer.moves == answers[0].moves
        assert answer.nodes == answers[0].nodes


@pytest.mark.parametrize(("cores", "helps"), [(1, False), (2, True)])
def test_a_free_core_searches_moves_beside_the_search_for_the_best_one(monkeypatch, cores, helps):
    threads = set()
    search_ahead = MoveLists.search_ahead

    def noted(*arguments):
        threads.add(threading.get_ident())
        search_ahead(*arguments)

    monkeypatch.setattr(MoveLists, "search_ahead", noted)
    with using(Cores(cores)):
        for marks in (8, 7, 6, 5):  # the best move of one may be found before a helper begins
            kinarow.analyse(position_after(marks, game="gomoku"), Limits(100_000))
    assert bool(threads) == helps
    assert threading.get_ident() not in threads


def test_a_stop_ends_the_lists_on_every_core():
    position, stop = position_after(8, game="gomoku"), Stop()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    with using(Cores(2)), pytest.raises(SearchStopped):
        MoveLists(position, stop).search(list(position.legal_moves()), 10**9, Limits(10**12))
    timer.join()


PLENTY = Limits(max_nodes=1_000_000)


@EVERY_RULE
def test_the_best_of_any_moves_is_as_good_as_minimax_says(flags):
    rng = random.Random(f"among {flags}")
    for position in plain_positions("among", flags, 8, 20, goals=(3, 4), max_empties=9):
        true, legal = true_scores(position), position.legal_moves()
        allowed = tuple(sorted(rng.sample(legal, rng.randint(1, len(legal)))))
        best = max(true[move] for move in allowed)
        found = search_among(position, PLENTY, allowed)
        assert found.move in allowed
        assert (found.score.value, found.proven) == (best, True)
        assert set(found.best_moves) <= {move for move in allowed if true[move] == best}
        whole = analyse(position, PLENTY, allowed=allowed)
        assert {value.move: value.score.value for value in whole.moves} == {m: true[m] for m in allowed}
        assert set(whole.best_moves) == {move for move in allowed if true[move] == best}


@pytest.mark.parametrize("level", [1, 5, 10])
def test_the_library_chooses_among_the_moves_it_may(level):
    position = Position.from_text("X.O/.../...", goal=3)
    for only, cells in [([1, 7], {1, 7}), ("b3 b1", {1, 7}), ([[1, 0]], {3}), ([{"row": 2, "column": 2}], {8})]:
        found = kinarow.best_move(position, level=level, seed=3, only=only)
        assert {found.move, *found.best_moves} <= cells
        assert {value.move for value in kinarow.analyse(position, only=only).moves} == cells
        rest = {value.move for value in kinarow.analyse(position, exclude=only).moves}
        assert rest == {*position.legal_moves()} - cells


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"only": [0]}, "/only/0"), ({"only": []}, "/only"), ({"exclude": "a2 a1 b3 b2 b1 c2 c1"}, "/exclude"),
        ({"only": [1], "exclude": [3]}, "/exclude"),
    ],
)  # fmt: skip
def test_moves_that_may_not_be_chosen_among(options, pointer):
    position = Position.from_text("X.O/.../...", goal=3)
    for ask in (kinarow.best_move, kinarow.analyse):
        with pytest.raises(kinarow.InputError) as refused:
            ask(position, **options)
        assert refused.value.problems[0][0] == pointer


@pytest.mark.parametrize("goal", [5, 7])
@pytest.mark.parametrize("nodes", [1, 2, 10, 500])
def test_a_node_budget_bounds_all_searches_together(nodes, goal):
    position = Position.empty(Rules(9, 9, goal)).play(40)
    allowed = tuple(move for move in position.legal_moves() if move % 3 == 0)
    found = search_among(position, Limits(max_nodes=nodes), allowed)
    assert found.nodes <= nodes
    assert found.move in allowed
    again = search_among(position, Limits(max_nodes=nodes), allowed)
    assert (again.move, again.score, again.line) == (found.move, found.score, found.line)


def test_the_only_move_allowed_is_the_whole_set_of_the_best():
    """Also where the search of all moves knows of no more than one: the allowed move is that one."""
    position = Position.empty(Rules(9, 9, 5)).play(40)
    limits = Limits(max_nodes=200)
    first = search_among(position, limits, position.legal_moves())
    assert not first.best_moves_complete
    only = search_among(position, limits, (first.move,))
    assert (only.best_moves, only.best_moves_complete) == ((first.move,), True)
    two = tuple(sorted((first.move, *[move for move in position.legal_moves() if move != first.move][:1])))
    assert not search_among(position, limits, two).best_moves_complete


def test_a_proven_set_of_the_best_is_no_search_cut_short():
    """The move allowed completes a line; what the others are worth does not matter."""
    position = Position.from_moves("d1k1c1a1", game="treblecross")
    found = search_among(position, Limits(max_nodes=1), (1, 6, 8, 9))
    assert (found.best_moves, found.best_moves_complete, found.stopped_by) == ((1,), True, "proof")
