"""The library's public names, with examples that run, and the version of its answers."""

import ast
import doctest
import inspect
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

import kinarow
from kinarow.version import _code
from tests.support.commands import run
from tests.support.server import REPOSITORY

BOARD_TEXT = "X.O/.X./..O"
OBJECTS = {name: getattr(kinarow, name) for name in kinarow.__all__}
DOCUMENTED = {name: each for name, each in OBJECTS.items() if callable(each)}


def test_public_names_have_docstrings():
    assert [name for name, each in DOCUMENTED.items() if not inspect.getdoc(each)] == []


@pytest.mark.parametrize("module", ["kinarow", "kinarow.search.bulk", "kinarow.library", "kinarow.game.position"])
def test_examples_in_docstrings_run(module):
    found = doctest.testmod(sys.modules[module])
    assert found.attempted > 0
    assert found.failed == 0


def test_calls_take_text_with_the_rules_as_keywords():
    """So do boards as rows, moves, and a game alone, which is its empty board."""
    position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    expected = replace(kinarow.best_move(position), elapsed_ms=0)
    for board in ("X.O/.X./..O", ["X.O", ".X.", "..O"]):
        assert replace(kinarow.best_move(board, goal=3), elapsed_ms=0) == expected
        assert kinarow.analyse(board, goal=3).moves == kinarow.analyse(position).moves
    assert kinarow.best_move(moves="b2", game="tic-tac-toe").best_moves == (0, 2, 6, 8)
    assert kinarow.best_move(game="connect-four").move == 38
    assert kinarow.best_move(rows=3, columns=3, goal=3, to_move="O").outcome == "draw"
    reviewed = kinarow.review(kinarow.Position.from_moves("", game="tic-tac-toe"), "b2b1")
    assert kinarow.review(moves="b2b1", game="tic-tac-toe") == reviewed
    assert kinarow.review(".../.../...", "b2b1", goal=3) == reviewed


def test_limits_are_given_once():
    position = kinarow.Position.from_moves("h8", game="gomoku")
    limits = kinarow.Limits(max_nodes=300, max_depth=2)
    by_name = kinarow.best_move(position, max_nodes=300, max_depth=2)
    assert replace(by_name, elapsed_ms=0) == replace(kinarow.best_move(position, limits), elapsed_ms=0)
    with pytest.raises(TypeError, match="give either limits or max_nodes"):
        kinarow.best_move(position, limits, max_nodes=300)
    for field, value in (("max_nodes", 0), ("level", 0), ("level", 11)):
        with pytest.raises(kinarow.InputError, match=f"/{field}"):
            kinarow.best_move(position, **{field: value})


@pytest.mark.parametrize(
    ("name", "values"), [("max_nodes", [0, -5]), ("max_depth", [0, 626]), ("time_limit_ms", [0, -1]), ("threads", [-1])]
)
def test_limits_refuse_what_a_request_refuses(name, values):
    for value in values:
        with pytest.raises(kinarow.InputError, match=f"^/{name}: {name} is .*, not {value}$"):
            kinarow.Limits(**{name: value})
    for value in (1.5, True, "9"):
        with pytest.raises(TypeError, match=f"{name} is a whole number"):
            kinarow.Limits(**{name: value})
    assert getattr(kinarow.Limits(**{name: np.int16(9)}), name) == 9


def test_moves_are_cells_however_they_come():
    """As results of earlier calls, as NumPy's numbers and arrays, as texts."""
    board = "X.O/.X./..O"
    answer = kinarow.analyse(board, goal=3)
    assert answer.moves[1].move == 1
    for only in ([answer.moves[1]], [1], (np.int64(1),), np.array([1]), "b3", ["b3"], [{"row": 0, "column": 1}]):
        assert kinarow.best_move(board, goal=3, only=only).move == 1
    for moves in ([answer, 1], np.array([5, 1]), "c2b3", ["c2", 1], np.array([[1, 2], [0, 1]])):
        assert [each.move for each in kinarow.review(board, moves, goal=3).moves] == [5, 1]
        after = kinarow.Position.from_text(board, goal=3).after(moves)
        assert after.board == ["XOO", ".XX", "..O"]
        assert kinarow.best_move(board, moves=moves, goal=3).move in after.legal_moves()
    assert kinarow.Position.from_text(board, goal=3).play(answer).play(answer.moves[1]) == after
    assert kinarow.best_move(board, goal=3, exclude=answer.best_moves).outcome == "loss"


def test_scores_compare():
    scores = [value.score for value in kinarow.analyse("X.O/.X./..O", goal=3).moves]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) is scores[0]
    assert scores[1] < scores[0] >= scores[0]
    with pytest.raises(TypeError):
        assert scores[0] < 3


def test_many_values_take_positions():
    positions = [kinarow.Position.from_moves(moves, game="connect-four") for moves in ("4453", "445322")]
    expected = kinarow.bulk_values([np.asarray(each) for each in positions], positions[0].rules)
    assert (kinarow.bulk_values(positions) == expected).all()
    begun = kinarow.Position.from_text(".../.../...", to_move="O", goal=3, marks="shared")
    assert kinarow.bulk_values([begun], moves="none")["proven"].tolist() == [True]
    with pytest.raises(kinarow.InputError, match="/boards/1: the position has Rules"):
        kinarow.bulk_values([positions[0], begun])
    with pytest.raises(TypeError, match="rules is the game"):
        kinarow.bulk_values([[[0] * 3] * 3])


def test_a_record_is_read():
    record = kinarow.read_record(b"(;GM[4]CA[UTF-8]SZ[15]PW[\xc3\x89va];B[hh];W[ih])", game="renju")
    assert record.players == {"X": None, "O": "Éva"}
    assert kinarow.best_move(record.position, max_nodes=300).move in record.position.legal_moves()
    assert kinarow.read_record("b2 a1", game="tic-tac-toe", first="O").start.to_move == kinarow.O
    with pytest.raises(kinarow.InputError, match="/record: line 1, column 4: move 2: b2 is taken by X"):
        kinarow.read_record("b2 b2", game="tic-tac-toe")
    for wrong in ({"text": 5}, {"text": "b2", "gool": 3}, {"text": "b2", "rows": "3"}):
        with pytest.raises(TypeError):
            kinarow.read_record(**wrong)


@pytest.mark.parametrize("read", ["from_text", "from_rows", "from_moves"])
def test_a_position_refuses_a_keyword_that_it_does_not_know(read):
    with pytest.raises(TypeError, match="unexpected keyword 'gool'; the keywords are caro, "):
        getattr(kinarow.Position, read)([], gool=3)


class Frame:
    """Like a table of pandas, printed on several lines."""

    def __repr__(self):
        return "0  1\n0 X  O"


@pytest.mark.parametrize(
    ("arguments", "fields", "said"),
    [
        ((5,), {}, "pass a Position, or a board as text"),
        ((BOARD_TEXT,), {"goal": "3"}, "goal is a whole number, not '3'"),
        ((BOARD_TEXT,), {"goal": True}, "goal is a whole number, not True"),
        ((BOARD_TEXT,), {"gravity": 1}, "gravity is True or False, not 1"),
        ((BOARD_TEXT,), {"game": 3}, "game is the name of a game, such as 'connect-four', not 3"),
        ((BOARD_TEXT,), {"directions": 4}, "directions is a list of directions"),
        ((BOARD_TEXT, 1000), {}, "limits is a kinarow.Limits, or give max_nodes"),
        ((BOARD_TEXT,), {"max_nodes": "1000"}, "max_nodes is a whole number"),
        ((BOARD_TEXT,), {"level": "3"}, "level is a whole number"),
        ((BOARD_TEXT,), {"stop": "x"}, "stop is a kinarow.Stop, not 'x'"),
        ((Frame(),), {}, r"or as rows, not 0  1\n0 X  O"),
        ((BOARD_TEXT,), {"colour": "X"}, "unexpected keyword 'colour'"),
        ((kinarow.Position.from_text("X.O/.X./..O"),), {"goal": 3}, "a Position has its own rules"),
    ],
    ids=str,
)
def test_a_wrong_type_is_told_what_to_pass(arguments, fields, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        kinarow.best_move(*arguments, **fields)


def test_what_is_called_and_what_stops_is_checked_whatever_answers():
    """Known answers need no search, which would notice."""
    for wrong in ({"stop": "x"}, {"progress": "x"}):
        with pytest.raises(TypeError, match=r"is a kinarow\.Stop, not 'x'|is a function, not 'x'"):
            kinarow.analyse("XXX/OO./...", goal=3, to_move="O", **wrong)
        with pytest.raises(TypeError, match=r"is a kinarow\.Stop, not 'x'|is a function, not 'x'"):
            kinarow.review(moves="", game="connect-four", **wrong)
    with pytest.raises(TypeError, match=r"total_time_ms is a whole number, not 1\.5"):
        kinarow.review(moves="", game="connect-four", total_time_ms=1.5)
    with pytest.raises(kinarow.InputError, match="/total_time_ms: total_time_ms is 1 or more, not 0"):
        kinarow.review(moves="", game="connect-four", total_time_ms=0)


def test_a_review_needs_moves_and_positions_name_wrong_types_too():
    with pytest.raises(TypeError, match=r"pass the moves as moves=.*a list$"):
        kinarow.review(game="tic-tac-toe")
    with pytest.raises(TypeError, match="the first argument is where the game begins"):
        kinarow.review([4, 0, 8], game="tic-tac-toe")
    for make in (kinarow.Position.from_text, kinarow.Position.from_moves):
        with pytest.raises(TypeError, match="goal is a whole number, not '3'"):
            make("", goal="3")


def test_a_limit_that_is_too_large_is_told_the_largest():
    with pytest.raises(kinarow.InputError, match=r"time_limit_ms is 1 to \d+, not 1000000000000000000000$"):
        kinarow.Limits(time_limit_ms=10**21)


def test_results_say_where_their_move_lies():
    answer = kinarow.analyse("X.O/.X./..O", goal=3)
    assert (answer.move, answer.row, answer.column, answer.tile, answer.layer) == (5, 1, 2, 6, 0)
    rest = [(each.row, each.column, each.tile) for each in answer.moves[1:]]
    assert rest == [(0, 1, 2), (1, 0, 4), (2, 0, 7), (2, 1, 8)]
    fallen = kinarow.best_move(moves="4453", game="connect-four", max_nodes=1000)
    assert (fallen.row, fallen.column, fallen.tile) == (fallen.move // 7, fallen.move % 7, fallen.move + 1)
    graded = kinarow.review(moves=[8, 0, 17], rows=2, columns=3, layers=3, goal=3).moves
    places = [(each.layer, each.row, each.column, each.tile) for each in graded]
    assert places == [(1, 0, 2, 9), (0, 0, 0, 1), (2, 1, 2, 18)]
    over = kinarow.best_move("XXX/OO./...", goal=3, to_move="O")
    assert (over.move, over.row, over.column, over.tile) == (None,) * 4
    first = kinarow.solved(kinarow.Rules(3, 3, 3)).first_moves[-1]
    assert (first.row, first.column) == (1, 1)


BOARD = [[1, 0, 2], [0, 1, 0], [0, 0, 2]]


@pytest.mark.parametrize("second", [2, -1])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float64, np.longdouble, object])
def test_boards_are_arrays_too(second, dtype):
    board = np.array(BOARD, dtype)
    board[board == 2] = second
    position = kinarow.Position.from_rows(board, goal=3)
    assert position == kinarow.Position.from_text("X.O/.X./..O", goal=3)
    assert kinarow.best_move(board, goal=3).move == kinarow.analyse(board, goal=3).move == 5
    assert kinarow.best_move(board.ravel(), goal=3, rows=3, columns=3).move == 5
    # The cells of an array of objects are Python's own numbers.
    in_lists = [] if dtype is object else [list(map(list, board)), list(board.ravel())]
    for listed in (list(board), tuple(board), *in_lists):
        assert kinarow.Position.from_rows(listed, goal=3) == position
        assert kinarow.best_move(listed, goal=3).move == 5
    in_layers = np.stack([board, np.zeros_like(board)])
    assert kinarow.Position.from_rows(in_layers, goal=3, layers=2).board == [*position.board, "...", "...", "..."]
    values = kinarow.bulk_values(board[None], position.rules, moves="best", to_move=[1])
    assert values["best_moves"][0].nonzero()[0].tolist() == [5]
    sides = [kinarow.bulk_values(board[None], position.rules, to_move=[side])["score"][0] for side in (2, -1)]
    assert sides[0] == sides[1] == kinarow.best_move(position=board, goal=3, to_move="O").score.value


class NA:
    """Like pandas.NA, neither equal nor unequal to anything."""

    def __eq__(self, other):
        return self

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


@pytest.mark.parametrize("cell", [3.5, 4, -2, float("nan"), "R", True, np.True_, NA()])
def test_an_array_of_other_cells_is_refused_where_they_stand(cell):
    board = np.array(BOARD, object)
    board[1, 2] = cell
    with pytest.raises(kinarow.NotationError, match=r"/board/1/2: unknown mark .* in row 2, column 3"):
        kinarow.Position.from_rows(board, goal=3)
    if type(cell) in (int, float):
        with pytest.raises(kinarow.InputError, match="a cell is 0 empty, 1 X, 2 or -1 O"):
            kinarow.bulk_values(board[None].astype(float), kinarow.Rules(3, 3, 3))
    assert kinarow.Position.from_rows(np.array([[3, 1, 2]]), goal=2).board == ["#XO"]


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
