"""The library's public names: documented, with examples that run, and imported without a kernel."""

import doctest
import inspect
import os
import subprocess
import sys

import pytest

import kinarow

OBJECTS = {name: getattr(kinarow, name) for name in kinarow.__all__}
DOCUMENTED = {name: each for name, each in OBJECTS.items() if callable(each)}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a fresh interpreter does with some code."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_has_a_docstring(name):
    assert inspect.getdoc(DOCUMENTED[name])


@pytest.mark.parametrize(
    "module",
    ["kinarow", "kinarow.search.bulk", "kinarow.library", "kinarow.game.position", "kinarow.search_types"],
)
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(sys.modules[module])
    assert found.attempted > 0
    assert found.failed == 0


def test_import_loads_no_kernel():
    """Neither numba nor anything of HTTP is imported before the first search."""
    done = run("import kinarow, sys; print([m for m in ('numba', 'flask', 'pydantic') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_first_search_gives_numba_its_folder_back():
    """The cache folder of the program that uses the library stays its own."""
    code = (
        "import numba; numba.config.CACHE_DIR = '/elsewhere'\n"
        "import kinarow; p = kinarow.Position.from_text('X.O/.X./..O', goal=3)\n"
        "print(kinarow.best_move(p).outcome, numba.config.CACHE_DIR)"
    )
    done = run(code)
    assert done.stdout.split() == ["draw", "/elsewhere"], done.stderr


def test_symmetric_positions_get_the_same_answer():
    """Turned by a half, the board has the same value and the move turned with it."""
    rows = ["X..O", "....", ".XO.", "...."]
    here = kinarow.best_move(kinarow.Position.from_rows(rows, goal=4), kinarow.Limits(5000))
    turned = kinarow.best_move(
        kinarow.Position.from_rows([row[::-1] for row in reversed(rows)], goal=4), kinarow.Limits(5000)
    )
    assert here.score == turned.score
    assert here.nodes == turned.nodes
    assert here.move is not None
    assert turned.move is not None


@pytest.mark.parametrize("level", [0, 11])
def test_levels_out_of_range_are_refused(level):
    position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    with pytest.raises(kinarow.InputError, match="level"):
        kinarow.best_move(position, level=level)


def test_a_seed_repeats_the_choice_of_a_level():
    position = kinarow.Position.from_text(".../.../...", goal=3)
    moves = {kinarow.best_move(position, kinarow.Limits(1000), level=2, seed=seed).move for seed in range(30)}
    again = {kinarow.best_move(position, kinarow.Limits(1000), level=2, seed=seed).move for seed in range(30)}
    assert len(moves) > 2
    assert moves == again
