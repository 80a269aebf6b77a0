"""Kernels are opened when a solver first searches, and nothing at run time imports Numba."""

import os
import sys

import numpy as np
import pytest
from numba import types

from kinarow.kernels.declare import part
from kinarow.solvers.common import kernel_bits as bits
from kinarow.solvers.common.budget import FRESH_NODES, MOST_NODES_A_POLL, Budget
from kinarow.solvers.common.kernel_budget import BUDGET, may_visit
from tests.support.commands import run

WITHOUT_KERNELS = """
import sys
import kinarow
assert not {"numba", "flask", "pydantic"} & set(sys.modules)
import service.app, kinarow.protocols.mcp
from kinarow.game.rules import Rules
from kinarow.search.best_move import has_exact_solver, solvable
from kinarow.solvers import bulk, select
from kinarow.contract.questions import question_of
from kinarow.contract.requests import MoveRequest
from service.settings import default_settings

for rules in (Rules(3, 3, 3), Rules(6, 7, 4, gravity=True), Rules(15, 15, 5), Rules(4, 4, 4, layers=4)):
    has_exact_solver(rules), solvable(rules), bulk.proves_all(rules)
question_of(MoveRequest.read({"board": "X.O/.X./..O", "goal": 3}), default_settings())
win = kinarow.best_move(kinarow.Position.from_text("XX./OO./...", goal=3))
assert win.source == "search" and win.distance == 1
over = kinarow.best_move(kinarow.Position.from_text("XXX/OO./...", goal=3))
assert over.source == "rules"
opening = kinarow.best_move(kinarow.Position.empty(Rules(6, 7, 4, gravity=True)))
assert opening.source == "book"
cubic = kinarow.best_move(kinarow.Position.empty(Rules(4, 4, 4, layers=4)))
assert cubic.source == "book"
from kinarow.kernels import shared_library
print(bool({*shared_library._opened} - {"game"}) or "numba" in sys.modules)
"""


def test_what_needs_no_search_opens_no_library_of_a_solver():
    assert run(sys.executable, "-c", WITHOUT_KERNELS).strip() == "False"


NEEDED = """
import os, sys
from kinarow import Limits, Position, Rules
from kinarow.kernels import shared_library
from kinarow.play.levels import move_distribution
from kinarow.search.analysis import analyse, search_among
from kinarow.search.best_move import load, search

for words in sys.argv[1:]:
    if os.fork() == 0:  # it has opened nothing
        position, limits = Position.empty(eval(f"Rules({words})")), Limits(8000)
        load(position, limits)
        opened = set(shared_library._opened)
        for ask in search, analyse, lambda *asked: search_among(*asked, position.legal_moves()[:2]):
            ask(position, limits)
        for level in (1, 4, 9):
            move_distribution(position, level, limits)
        print(*{*shared_library._opened} - opened, *{"numba", "llvmlite"} & {*sys.modules}, "-", words, flush=True)
        os._exit(0)
    os.wait()
"""
GAMES = ["6, 6, 5", "4, 5, 4, gravity=True", "3, 3, 3, wrap='both'", "9, 9, 4", "7, 7, 5, renju=True"]
GAMES += ["12, 12, 5, wrap='rows'"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each game has a process of its own")
def test_what_a_question_needs_is_known_before_it_is_searched():
    """Opening a library takes none of a question's time."""
    said = run(sys.executable, "-c", NEEDED, *GAMES)
    assert said.splitlines() == [f"- {words}" for words in GAMES]


WORDS = [0, 1, 2, 3, 1 << 31, 1 << 32, 1 << 62, 1 << 63, (1 << 63) + 1, (1 << 64) - 2, (1 << 64) - 1]
WORDS += [int(word) for word in np.random.default_rng(7).integers(0, 1 << 64, 200, np.uint64, endpoint=False)]


@part(types.int64(BUDGET))
def visit_until_told(budget):
    """Does nothing but count nodes, as the emptiest search would."""
    count = 0
    while may_visit(budget):
        count += 1
    return count


@pytest.mark.parametrize("limit", [1, 2, 1023, 1024, 1025, 100_000])
def test_the_node_limit_is_exact(limit):
    budget = Budget(limit)
    assert visit_until_told(budget.record) == limit
    assert visit_until_told(budget.record) == 0
    assert budget.nodes == limit
    assert budget.ended_by == "nodes"


@pytest.mark.parametrize(("node_ns", "interval"), [(1, MOST_NODES_A_POLL), (10_000, 32), (100_000, 4), (10_000_000, 1)])
def test_the_dearer_a_node_may_be_the_oftener_the_clock_is_looked_at(node_ns, interval):
    """And at each of the first nodes, when memory may still have to be found."""
    budget = Budget(FRESH_NODES + 4096)
    budget.set_poll_interval(node_ns)
    visit_until_told(budget.record)
    assert budget.record["polls"] == FRESH_NODES + 4096 // interval


def test_words_agree_with_arithmetic_on_whole_numbers():
    for word in WORDS:
        typed = np.uint64(word)
        assert bits.popcount(typed) == word.bit_count()
        assert bits.lowest_bit(typed) == word & -word
        assert bits.lowest_index(typed) == ((word & -word).bit_length() - 1 if word else 64)


def test_mix_sends_no_two_words_to_the_same():
    assert len({int(bits.mix(np.uint64(word))) for word in WORDS}) == len(set(WORDS))
