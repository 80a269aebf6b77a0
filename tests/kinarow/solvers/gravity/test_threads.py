"""Several threads prove one position with one table: the answer is that of one thread, and every bound is true."""

import numpy as np
import pytest

import kinarow
from kinarow import Limits, Position, Rules
from kinarow.cores import Cores, usable_cores, using
from kinarow.kernels.library import DISABLED
from kinarow.solvers.common import bitboard
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver as gravity

pytestmark = pytest.mark.skipif(DISABLED, reason="plain Python runs one thread at a time")

THREADS = max(3, usable_cores())
ENOUGH = 10**8


@pytest.fixture(autouse=True)
def helpers_at_once(monkeypatch):
    monkeypatch.setattr(gravity, "HELPED_NODES", 100)
    with using(Cores(THREADS)):
        yield


def mix(words):
    """``kernel_bits.mix``, of an array."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return words ^ (words >> np.uint64(31))


def entries(table, generation):
    """The positions of a table, as numbers with the bounds that are kept of them."""
    words = table.words.reshape(-1, 2)
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
    """The table is much too small, so that threads write the same entries all the time."""
    rules = Rules(4, 6, 4, gravity=True, misere=misere)
    places = bitboard.cell_bits(rules.rows, rules.columns)
    position, checked = Position.empty(rules), 0
    with gravity.shared_table(position, 1 << 11) as shared:
        gravity.solve(position, Budget(ENOUGH), shared, threads=THREADS)
        assert shared.state.array["shared"][0]
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
