"""The version of the engine's answers follows code and data, and nothing else."""

import ast
import shutil
import sys

import pytest

from kinarow.version import _code
from tests.support.commands import run
from tests.support.server import REPOSITORY


@pytest.fixture
def changed(tmp_path):
    """Tells whether the engine's version changes with an edit of a file of the package."""
    package = tmp_path / "kinarow"
    shutil.copytree(REPOSITORY / "kinarow", package, ignore=shutil.ignore_patterns("compiled", "__pycache__"))

    def version() -> str:
        return run(sys.executable, "-c", "from version import engine_version; print(engine_version())", folder=package)

    before = version()

    def edited(name: str, old: bytes, new: bytes) -> bool:
        contents = (package / name).read_bytes()
        assert old in contents
        (package / name).write_bytes(contents.replace(old, new, 1))
        return version() != before

    return edited


@pytest.mark.parametrize(
    ("name", "old", "new", "changes"),
    [
        ("solvers/gravity/kernel.py", b"TABLE_EMPTIES = 6", b"TABLE_EMPTIES = 7", True),
        ("search/best_move.py", b"LINE_NODES = 100_000", b"LINE_NODES = 99_000", True),
        ("search/known/data/atlas.jsonl", b"3", b"4", True),
        ("game/rules.py", b"import ", b"import ast, ", True),
        ("solvers/gravity/layout.py", b"# A table consists", b"# Here a table consists", False),
        ("search/best_move.py", b'"""The best move of a position', b'"""A best move of a position', False),
        ("kernels/build.py", b"MOST_PROCESSES = 8", b"MOST_PROCESSES = 9", False),
        ("version.py", b"import os\n", b"import os\n\n", False),
    ],
)
def test_code_and_data_change_it_but_not_comments_docstrings_and_the_build(changed, name, old, new, changes):
    assert changed(name, old, new) == changes


def test_nothing_but_docstrings_and_comments_is_left_out():
    for file in (REPOSITORY / "kinarow").rglob("*.py"):
        source = file.read_bytes()
        assert _without_docstrings(_code(source)) == _without_docstrings(source), file


def _without_docstrings(source: bytes) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Constant(str()) as docstring):
                docstring.value = ""
    return ast.dump(tree)
