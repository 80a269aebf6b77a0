"""The kernels' own source read as plain Python, in a process of its own, since compilation is chosen at import."""

import os
import sys
from dataclasses import replace

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from tests.support.commands import run

GAMES = [
    (Rules(3, 4, 3), Limits(300)), (Rules(4, 4, 3, misere=True), Limits(200)),
    (Rules(4, 4, 4, exact_goal=True), Limits(300)), (Rules(4, 5, 4, gravity=True), Limits(300)),
    (Rules(4, 5, 4, gravity=True, misere=True), Limits(300)), (Rules(6, 7, 4, gravity=True), Limits(300, 3)),
    (Rules(3, 3, 3, layers=3, gravity=True), Limits(300)), (Rules(1, 11, 3, marks="shared"), Limits(300)),
    (Rules(5, 5, 4, wrap="both"), Limits(150)), (Rules(9, 9, 5), Limits(100)), (Rules(9, 9, 5, renju=True), Limits(30)),
]  # fmt: skip
CODE = """
import numba, numpy
assert numba.config.DISABLE_JIT
numpy.seterr(over="ignore")  # words wrap, as in compiled code
from tests.kinarow.solvers.test_plain import answers
print(*answers(), sep="\\n")
"""


def answers():
    """What searches say of the first three positions of each game, whichever solvers they use."""
    for rules, limits in GAMES:
        position = Position.empty(rules)
        for _ in range(3):
            found = search(position, limits)
            yield str(replace(found, elapsed_ms=0))
            position = position.play(found.move)


def test_plain_python_gives_the_same_answers_and_nodes():
    """And no warning, each of which is an error there."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    assert run(sys.executable, "-W", "error", "-c", CODE, environment=environment).splitlines() == [*answers()]
