"""Several threads search one position with one table: what they prove is true, and with gravity that of one thread."""

import _thread
import json
import random
import threading
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import kinarow
from kinarow import Limits, Position, Rules
from kinarow.cores import Cores, usable_cores, using
from kinarow.kernels.shared_library import Pointer
from kinarow.search.best_move import search
from kinarow.search_types import KnownBounds, SearchStopped, Stop
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large
from kinarow.solvers.large_boards.search import records
from tests.support.positions import random_positions
from tests.support.processes import wait_for

THREADS = max(3, usable_cores())
ENOUGH = 10**8
PUZZLES = json.loads((Path(__file__).parent / "large_boards/search/puzzles.json").read_text("utf-8"))
WINS = [puzzle["moves"] for puzzle in PUZZLES if puzzle["kind"] == "win"]
OPENING = "h8h9i8g8j8k8g9i9"  # long unproven


@pytest.fixture(autouse=True)
def helpers_at_once(monkeypatch):
    for solver in gravity, large:
        monkeypatch.setattr(solver, "HELPED_NODES", 100)
    monkeypatch.setattr(gravity, "WATCHED_EMPTIES", 8)
    with using(Cores(THREADS)):
        yield


def mix(words):
    """``kernel_bits.mix``, of an array."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def entries(table, generation):
    """The positions of a table, as numbers with the bounds that are kept of them."""
    words = table.words[: -gravity.PATHS_WORDS].reshape(-1, 2)
    words = words[(words[:, 1] & np.uint64(gravity.LAST_GENERATION)) == generation]
    keys = (words[:, 0] ^ mix(words[:, 1])).tolist()
    for key, facts in zip(keys, words[:, 1].tolist(), strict=True):
        yield key, (facts >> 9 & 127) - 64, (facts >> 16 & 127) - 64


def position_of(key, rules, places):
    """The position of a key: in each column the highest bit is above all marks; None if there is no such position."""
    cells = bytearray(rules.cells)
    for column in range(rules.columns):
        up = [places[column + rules.columns * (rules.rows - 1 - height)] for height in range(rules.rows)]
        bits = [key >> place & 1 for place in (*up, up[-1] + 1)]
        if 1 not in bits:
            return None
        height = len(bits) - 1 - bits[::-1].index(1)
        for row in range(height):
            cells[column + rules.columns * (rules.rows - 1 - row)] = 1 if bits[row] else 2
    difference = cells.count(1) - cells.count(2)
    return Position(rules, bytes(cells), 1) if difference in (0, -1) else None


@pytest.mark.parametrize("misere", [False, True])
def test_every_bound_in_a_table_of_many_threads_is_true(misere):
    """Use a table so small that threads write the same entries all the time."""
    rules = Rules(4, 6, 4, gravity=True, misere=misere)
    places = gravity.game_of(rules)[1].places
    position, checked = Position.empty(rules), 0
    with gravity.shared_table(position, 1 << 11) as shared:
        gravity.solve(position, Budget(ENOUGH), shared, threads=THREADS)
        assert shared.table.state_of(gravity.STATE_DTYPE).array["threads"][0] == THREADS
        kept = list(entries(shared.table, shared.table.generation))
    for key, lower, upper in kept:
        found = position_of(key, rules, places)
        if found is None:
            continue  # torn by two threads; no search takes it for an entry
        marks = rules.cells - found.empties
        value = gravity.solve(found, Budget(ENOUGH)).lower
        value -= marks * (value > 0) - marks * (value < 0)
        assert lower <= value <= upper
        checked += 1
    assert checked > 0.9 * len(kept) > 500


@pytest.mark.parametrize("moves", ["", "12", "3344", "112"])
@pytest.mark.parametrize("rules", [Rules(5, 5, 4, gravity=True), Rules(4, 6, 4, gravity=True, misere=True)])
def test_value_and_move_are_those_of_one_thread(moves, rules):
    position = Position.empty(rules).after(moves)
    alone = gravity.solve(position, Budget(ENOUGH))
    for _ in range(3):
        budget = Budget(ENOUGH)
        found = gravity.solve(position, budget, threads=THREADS)
        assert (found.lower, found.upper, found.move) == (alone.lower, alone.upper, alone.move)
        assert budget.ended_by is None


def test_a_budget_ends_all_threads_and_bounds_hold():
    position = Position.empty(Rules(6, 7, 4, gravity=True))
    budget = Budget(200_000)
    found = gravity.solve(position, budget, threads=THREADS)
    assert budget.ended_by == "nodes"
    assert found.lower <= 2 <= found.upper  # X wins with its last mark but one
    position = Position.empty(Rules(6, 6, 4, gravity=True)).after("11")
    assert kinarow.best_move(position, Limits(10**9, time_limit_ms=50, threads=0)).stopped_by == "time"


def test_a_pass_that_does_not_end_has_the_value_and_says_so(monkeypatch):
    monkeypatch.setattr(gravity, "PASS_NODES", 1)
    position = Position.empty(Rules(5, 5, 4, gravity=True))
    budget = Budget(ENOUGH)
    found = gravity.solve(position, budget, threads=THREADS)
    assert (found.lower, found.upper) == (0, 0)
    assert found.move in position.legal_moves()
    assert budget.ended_by == "time"
    # A value that was known beforehand is no claim for a move that no search has valued.
    known = KnownBounds(0, 0, position.legal_moves())
    found = gravity.solve(position, Budget(ENOUGH), known=known, threads=THREADS)
    assert found.lower < found.upper == 0


def test_a_position_too_small_for_threads_to_tell_each_other_is_searched_by_one(monkeypatch):
    monkeypatch.setattr(gravity, "HELPED_NODES", 1)
    monkeypatch.setattr(gravity, "WATCHED_EMPTIES", 22)
    monkeypatch.setattr(gravity, "helping", pytest.fail)
    position = Position.empty(Rules(3, 7, 4, gravity=True))
    assert gravity.solve(position, Budget(ENOUGH), threads=THREADS).exact


def gomoku_after(moves):
    """The position on 15 x 15 after these cells in turn."""
    return reduce(Position.play, moves, Position.empty(Rules(15, 15, 5)))


@pytest.mark.parametrize("moves", WINS[::15], ids=len)
def test_wins_on_large_boards_are_those_of_one_thread(moves):
    alone = kinarow.best_move(gomoku_after(moves), Limits(10**6))
    together = kinarow.best_move(gomoku_after(moves), Limits(10**6, threads=0))
    assert alone.outcome == together.outcome == "win"
    assert together.line[0] == together.move


def test_what_many_threads_prove_on_a_large_board_is_true():
    """Use a table so small that threads write the same entries all the time."""
    rules, proven = Rules(6, 6, 4), 0
    context = large.GameContext(rules)
    context.table = Pointer(records.new_table(1 << 8, rules.cells))
    for position in random_positions(random.Random(1), [rules] * 60, (14, 20)):
        truth = search(position, Limits(ENOUGH)).score
        for info in large.iterate(position, Budget(20_000), context, threads=THREADS):
            if info.score.proven:
                proven += 1
                assert info.score.outcome == truth.outcome, position
    assert proven > 20


def test_torn_entries_are_as_good_as_none():
    """Facts beside the hash of another position change nothing in a search that trusts older entries."""
    position = Position.from_moves(OPENING, game="gomoku")
    context = large.GameContext(position.rules)
    told = []
    for _ in range(2):
        budget = Budget(3_000)
        told.append((list(large.iterate(position, budget, context)), budget.nodes))
        hashes = context.table.array[: 2 << large.MAX_SLOT_BITS : 2]
        used = np.flatnonzero(hashes)
        hashes[used] = np.roll(hashes[used], 1)
    assert len(used) > 500
    assert told[0] == told[1]


def test_stop_and_deadline_end_all_threads_of_a_large_board():
    position, before = Position.from_moves(OPENING, game="gomoku"), _thread._count()
    assert kinarow.best_move(position, Limits(10**9, time_limit_ms=100, threads=0)).stopped_by == "time"
    stop = Stop()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(SearchStopped):
        search(position, Limits(10**12, threads=0), stop=stop)
    timer.join()
    wait_for(lambda: _thread._count() <= before, 5)
    assert _thread._count() == before


def test_an_iteration_that_a_helper_did_not_complete_has_no_result():
    position, stop = Position.from_moves(OPENING, game="gomoku"), Stop()
    context, game = large.GameContext(position.rules), large._game_of(position)
    large._load(position, game, context.state)
    large.kernels.begin(game, context.state, context.table, 0, 0)
    own = replace(large.deepening.result(context.state.array), depth=-1)  # any other result comes further
    helpers = large._Helpers(large._Search(position, game, context.state, Budget(ENOUGH), context.table, 225))
    stop.set()
    helpers.help(stop)
    assert helpers.best_iteration(own) is own


def test_no_easy_question_starts_a_thread(monkeypatch):
    monkeypatch.undo()
    started = []
    for solver in gravity, large:
        monkeypatch.setattr(solver, "helping", lambda *_: started.append(1) or nullcontext())
    for moves, game in ((OPENING, "gomoku"), ("445344", "connect-four"), ("", "tic-tac-toe")):
        kinarow.best_move(Position.from_moves(moves, game=game), Limits(large.HELPED_NODES // 2, threads=0))
    assert not started
    kinarow.best_move(Position.from_moves(OPENING, game="gomoku"), Limits(10 * large.HELPED_NODES, threads=0))
    assert started
