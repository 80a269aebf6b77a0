"""Kernels are opened when a solver first searches, and nothing at run time imports Numba."""

import ast
import json
import os
import re
import sys

import pytest

from kinarow.kernels.sources import PACKAGE, kernel_sources
from tests.support.commands import run

WITHOUT_KERNELS = """
import sys
import kinarow
assert not {"numba", "flask", "pydantic"} & set(sys.modules)
import service.app, kinarow.protocols.mcp
from kinarow.game.rules import Rules
from kinarow.search.best_move import fits_exact, solvable
from kinarow.solvers import bulk, select
from kinarow.contract.questions import question_of
from kinarow.contract.requests import MoveRequest
from service.settings import default_settings

for rules in (Rules(3, 3, 3), Rules(6, 7, 4, gravity=True), Rules(15, 15, 5), Rules(4, 4, 4, layers=4)):
    fits_exact(rules), solvable(rules), bulk.proves_all(rules)
question_of(MoveRequest.read({"board": "X.O/.X./..O", "goal": 3}), default_settings())
win = kinarow.best_move(kinarow.Position.from_text("XX./OO./...", goal=3))
assert win.source == "search" and win.distance == 1
over = kinarow.best_move(kinarow.Position.from_text("XXX/OO./...", goal=3))
assert over.source == "rules"
opening = kinarow.best_move(kinarow.Position.empty(Rules(6, 7, 4, gravity=True)))
assert opening.source == "book"
cubic = kinarow.best_move(kinarow.Position.empty(Rules(4, 4, 4, layers=4)))
assert cubic.source == "book"
from kinarow.kernels import library
print(bool({*library._opened} - {"game"}) or "numba" in sys.modules)
"""


def test_what_needs_no_search_opens_no_library_of_a_solver():
    assert run(sys.executable, "-c", WITHOUT_KERNELS).strip() == "False"


NEEDED = """
import json, os, sys
import kinarow
from kinarow.game.rules import Rules
from kinarow.kernels import library
from kinarow.search.analysis import analyse, search_among
from kinarow.search.best_move import load, search
from kinarow.play import levels

for rules, limits in json.loads(sys.argv[1]):
    if os.fork() == 0:  # it has opened nothing
        position, limits = kinarow.Position.empty(eval(rules)), kinarow.Limits(*limits)
        load(position, limits)
        opened = set(library._opened)
        for depth in range(3):
            search(position, limits)
            analyse(position, limits, live_moves=2, progress=lambda info: None)
            search_among(position, limits, position.legal_moves()[:2])
            for level in (1, 4, 9):
                levels.move_distribution(position, level, limits)
            position = position.play(position.legal_moves()[depth])
        print(rules, sorted(set(library._opened) - opened), {"numba", "llvmlite"} & set(sys.modules), flush=True)
        os._exit(0)
    os.wait()
"""

GAMES = [
    ("Rules(3, 3, 3)", (20_000,)), ("Rules(4, 4, 4, misere=True)", (50_000,)), ("Rules(6, 6, 5)", (60_000,)),
    ("Rules(4, 5, 4, gravity=True)", (3_000,)), ("Rules(3, 3, 3, wrap='both')", (20_000,)),
    ("Rules(4, 4, 4, layers=4, gravity=True)", (60_000,)), ("Rules(15, 15, 5)", (8_000,)),
    ("Rules(15, 15, 5)", (8_000, 2)), ("Rules(9, 9, 4)", (8_000,)), ("Rules(9, 9, 5, gravity=True)", (8_000,)),
    ("Rules(6, 6, 5, caro=True)", (8_000,)), ("Rules(7, 7, 5, caro=True)", (8_000,)),
    ("Rules(7, 7, 5, renju=True)", (8_000, 2)), ("Rules(7, 7, 5, renju=True)", (8_000,)),
    ("Rules(12, 12, 5, wrap='rows')", (8_000,)),
]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each question has a process of its own")
def test_what_a_question_needs_is_known_before_it_is_searched():
    """No other library is opened afterwards, and a search imports no Numba."""
    said = run(sys.executable, "-c", NEEDED, json.dumps(GAMES), seconds=240)
    assert said.splitlines() == [f"{rules} [] set()" for rules, _ in GAMES]


DECLARED = re.compile(r"(entry|part|inlined|intrinsic)\b")


def functions(tree: ast.AST) -> dict[str, bool]:
    """The functions of a module, and whether Numba compiles them, or the instructions that they generate."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            # A function that makes kernels has them inside.
            inside = [each for each in ast.walk(node) if isinstance(each, ast.FunctionDef)]
            compiled = any(DECLARED.match(ast.unparse(made)) for each in inside for made in each.decorator_list)
            # What is in a compiled function belongs to it, and the plain twin of a compiled function has its name.
            names = [each.name for each in inside] if compiled else [node.name]
            found |= {name: found.get(name, False) or compiled for name in names}
    return found


def test_kernel_modules_and_no_others_hold_compiled_functions():
    """Interpreted Python there would be seen by no type checker, and each edit of it would build the kernels again."""
    kernels = set(kernel_sources())
    for source in PACKAGE.rglob("*.py"):
        found = functions(ast.parse(source.read_text("utf-8")))
        if source not in kernels:
            assert not any(found.values()), source
        else:  # private functions without a decorator write the instructions of intrinsics
            assert [name for name, compiled in found.items() if not compiled and name[0] != "_"] == [], source
