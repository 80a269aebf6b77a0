"""Labels of rows: those of the library, and every position read as a request would read it."""

import random
from contextlib import nullcontext

import pyarrow as pa
import pytest

import kinarow
from kinarow.labelling.rows import LabelOptions, columns_of, label_rows
from kinarow.reading.positions import read_position

CONNECT_FOUR = LabelOptions({"game": "connect-four"})


def labels_of(question, **texts):
    """The labels of rows as dictionaries, and the errors."""
    table = label_rows(question, texts)
    assert table.schema == columns_of(question).append(pa.field("error", pa.string()))
    rows = table.to_pylist()
    reasons = [row.pop("error") for row in rows]
    assert all(set(row.values()) == {None} for row, reason in zip(rows, reasons, strict=True) if reason)
    errors = {place: reason for place, reason in enumerate(reasons) if reason}
    return [row for place, row in enumerate(rows) if place not in errors], errors


def alone(fields):
    """The position of a request, or None and why it is refused."""
    try:
        return read_position(fields), ""
    except kinarow.InputError as wrong:
        return None, wrong.problems[0][1]


def random_moves(rng, columns=7, rows=6):
    """Moves of a game that may go on after its end, and sometimes overflow a column."""
    made, marks = [], rng.randint(22, 42)
    while len(made) < marks:
        made.append(rng.randint(1, columns))
        if made.count(made[-1]) > rows and rng.random() < 0.9:
            made.pop()
    return "".join(map(str, made))


def test_moves_are_read_as_requests_read_them():
    """What is read at once gets the label that each row gets alone, and the same rows are refused."""
    rng = random.Random(1)
    texts = [random_moves(rng) for _ in range(200)]
    texts += ["8", "0", "4x", "44 4", "4\x004", "4\x00", "4" * 7, "é", "1" * 50, None, "12121212"]
    labels, errors = labels_of(CONNECT_FOUR, moves=texts)
    good = []
    for index, text in enumerate(texts):
        position, why = alone({"game": "connect-four", "moves": text})
        assert (index in errors) == (position is None), text
        if position is None:
            assert errors[index].endswith(why if text is not None else "board or moves is required")
        else:
            good.append(position)
    assert len(good) == len(labels)
    assert len(errors) > 20
    for position, label in zip(good, labels, strict=True):
        score = kinarow.best_move(position).score
        assert (label["score"], label["outcome"], label["distance"]) == (score.value, score.outcome, score.distance)
        assert label["proven"]


def test_boards_are_read_as_requests_read_them():
    """The same for boards: a board in another notation is read too, one that no game reaches is refused."""
    texts = [
        "X.O/.X./..O", "x o/ x /  o", "XXX/OO./...", "X.O.X...O", "XX./.../...", "X.O/#X.q", "XXX/OOO/...", "q",
        None, "X.O/.1./..O", "X.O/.X./..2", "X_O/.X./..O", "102/010/.02", "1-2/-1-/--2", "X 2 O\n4 X 6\n7 8 O",
    ]  # fmt: skip
    labels, errors = labels_of(LabelOptions({"game": "tic-tac-toe"}, values=True), board=texts)
    assert sorted(errors) == [*range(4, 13)]
    assert errors[8] == "/board: board or moves is required"
    assert len(labels) == 6
    assert labels[0] == labels[1] == labels[3] == labels[4] == labels[5]
    assert labels[0]["best_moves"] == [6]
    moves = kinarow.analyse(kinarow.Position.from_text(texts[0], goal=3)).moves
    assert labels[0]["values"] == [
        {"tile": each.move + 1, "score": each.score.value, "distance_is_bound": False, "proven": True}
        for each in sorted(moves, key=lambda each: each.move)
    ]
    assert labels[2] == {
        "score": -10.0, "outcome": "loss", "distance": 0, "distance_is_bound": False, "proven": True,
        "best_moves": [], "best_moves_complete": True, "values": [],
    }  # fmt: skip


@pytest.mark.parametrize("to_move", [["X", "O"], ["O", None]])
def test_the_side_to_move_may_be_a_column(to_move):
    board = "X.O/.../..."
    labels, errors = labels_of(LabelOptions({"game": "tic-tac-toe"}), board=[board, board], to_move=to_move)
    assert not errors
    for side, label in zip(to_move, labels, strict=True):
        position = kinarow.Position.from_text(board, goal=3, to_move=side)
        assert label["score"] == kinarow.best_move(position).score.value


def test_boards_of_several_sizes_keep_their_order():
    texts = [".../.../...", "..../..../...X", "X..O", "XO./.../..."]
    assert labels_of(LabelOptions({"goal": 3}), board=[]) == ([], {})
    labels, errors = labels_of(LabelOptions({"goal": 3}), board=texts)
    assert list(errors) == [2]
    assert [label["distance"] for label in labels] == [
        kinarow.best_move(kinarow.Position.from_text(text, goal=3)).distance for text in texts if text != "X..O"
    ]


def test_limits_hold_for_each_row():
    question = LabelOptions({"game": "gomoku"}, max_nodes=500)
    labels, _ = labels_of(question, moves=["h8", "h8h9", "h8i9g9"])
    for moves, label in zip(["h8", "h8h9", "h8i9g9"], labels, strict=True):
        position = kinarow.Position.from_moves(moves, game="gomoku")
        found = kinarow.best_move(position, kinarow.Limits(max_nodes=500))
        assert label["score"] == found.score.value
        assert label["best_moves"] == [cell + 1 for cell in found.best_moves]
        assert label["distance"] is None or label["proven"]


def test_an_empty_text_is_the_empty_board_only_where_that_is_said():
    """As a null it says nothing beside another text; empty cells and sides are not meant."""
    texts = {"board": ["", None, "", "X../.../...", "", None, " " * 9], "moves": ["", " ", None, "", "c3", None, None]}
    labels, errors = labels_of(LabelOptions({"game": "tic-tac-toe"}), **texts)
    empty = ": the text is empty; with --empty-is-start (Python: empty_is_start) it is the empty board"
    assert errors == {
        0: f"/board{empty}", 1: f"/moves{empty}", 2: f"/board{empty}", 5: "/board: board or moves is required",
    }  # fmt: skip
    counts = [len(label["best_moves"]) for label in labels]
    starting, errors = labels_of(LabelOptions({"game": "tic-tac-toe"}, empty_is_start=True), **texts)
    assert list(errors) == [5]
    assert [len(label["best_moves"]) for label in starting] == [9, 9, 9, *counts]
    for column in ("moves", "board"):
        assert list(labels_of(CONNECT_FOUR, **{column: ["", None]})[1]) == [0, 1]
        begun, errors = labels_of(LabelOptions({"game": "connect-four"}, empty_is_start=True), **{column: ["", None]})
        assert (len(begun), list(errors)) == (1, [1])
    assert list(labels_of(CONNECT_FOUR, moves=["4"], to_move=[""])[1]) == [0]


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        ({"prefix": None}, None, ""), ({"prefix": 1}, TypeError, "prefix is a text, not 1"),
        ({"error_column": 1}, TypeError, "error_column is the name of a column, not 1"),
        ({"error_column": "score"}, kinarow.InputError, "/error_column: score is the name of a label"),
        ({"error_column": "score", "prefix": "x_"}, None, ""), ({"values": "no"}, TypeError, "values is True or False"),
        ({"empty_is_start": 0}, TypeError, "empty_is_start is True or False, not 0"),
    ],
)  # fmt: skip
def test_keywords_of_label_are_checked(wrong, kind, says):
    table = pa.table({"moves": ["b2"]})
    with pytest.raises(kind, match=says) if kind else nullcontext():
        kinarow.label(table, game="tic-tac-toe", **wrong)


def test_two_columns_of_positions_are_refused_others_stay():
    columns = [pa.array(["b2"]), pa.array(["a1"])]
    with pytest.raises(kinarow.InputError, match="/moves: the table has several columns named moves"):
        kinarow.label(pa.Table.from_arrays(columns, names=["moves", "moves"]), game="tic-tac-toe")
    table = pa.Table.from_arrays([*columns, columns[0]], names=["moves", "id", "id"])
    assert kinarow.label(table, game="tic-tac-toe").column_names[:4] == ["moves", "id", "id", "score"]


ROWS = {"id": [1, 2, 3, 4], "moves": ["4453", "9", None, "274552224131661"]}


@pytest.mark.parametrize("make", [pa.table, pa.record_batch])
def test_a_table_gets_its_labels_and_stays_what_it_is(make):
    """Rows that cannot be read keep their place; their labels are null."""
    labelled = kinarow.label(make(ROWS), game="connect-four", values=True, error_column="why")
    assert isinstance(labelled, type(make(ROWS)))
    assert labelled.select(["id", "moves"]).equals(make(ROWS))
    rows = labelled.to_pylist()
    expected, errors = labels_of(LabelOptions({"game": "connect-four"}, values=True), moves=ROWS["moves"])
    nothing = [dict.fromkeys(expected[0])] * 2
    labels = [{name: row[name] for name in columns_of(LabelOptions({}, values=True)).names} for row in rows]
    assert labels == [expected[0], *nothing, expected[1]]
    assert [row["why"] for row in rows] == [None, errors[1], errors[2], None]
    names = kinarow.label(make(ROWS), game="connect-four").schema.names
    assert names == ["id", "moves", *columns_of(CONNECT_FOUR).names]
    for texts in ([], ["9"]):
        few = kinarow.label(make({"moves": pa.array(texts, pa.string())}), game="connect-four")
        assert (few.num_rows, few["outcome"].to_pylist()) == (len(texts), [None] * len(texts))


def test_columns_of_numbers_and_boards_are_read():
    assert kinarow.label(pa.table({"moves": [4453]}), game="connect-four")["score"].to_pylist() == [-7]
    assert kinarow.label(pa.table({"moves": ["h8"]}), game="gomoku", max_nodes=50)["proven"].to_pylist() == [False]
    assert kinarow.label(pa.table({"board": ["XX./OO./..."]}), goal=3)["best_moves"].to_pylist() == [[3]]
    assert kinarow.label(pa.table({"moves": [""]}), game="tic-tac-toe", empty_is_start=True)["score"].to_pylist() == [0]


@pytest.mark.parametrize(
    ("column", "written", "meant"),
    [
        ("board", "[1, 0, 2, 0, 1, 0, 0, 0, 2]", "X.O/.X./..O"),
        ("board", "['X', '', 'O', '', 'X', '', '', '', 'O']", "X.O/.X./..O"),
        ("board", '[["X",null,"O"],[null,"X",null],[null,null,"O"]]', "X.O/.X./..O"),
        ("board", "[['X', None, 'O'], [None, 'X', None], [None, None, 'O']]", "X.O/.X./..O"),
        ("board", [1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0], "X.O/.X./..O"),
        ("board", "[1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0]", "X.O/.X./..O"),
        ("moves", "[5, 1, 9]", "b2 a3 c1"),
        ("moves", "['b2', 'a3']", "b2 a3"),
    ],
)
def test_lists_and_whole_numbers_are_read_as_tools_write_them_to_tables(column, written, meant):
    """A list in a field of CSV, in JSON or as Python prints it; numbers that became doubles."""
    question = LabelOptions({"game": "tic-tac-toe"})
    rows, errors = labels_of(question, **{column: [written, meant]})
    assert (len(rows), errors) == (2, {})
    assert [rows[0][name] for name in ("score", "outcome", "distance")] == [
        rows[1][name] for name in ("score", "outcome", "distance")
    ]
    assert labels_of(CONNECT_FOUR, moves=["4453.0", 4453.0, "4453"])[1] == {}
    assert list(labels_of(CONNECT_FOUR, moves=[-44, -44.0])[1]) == [0, 1]


def test_a_text_in_brackets_that_is_no_list_and_a_missing_number_are_bad_rows():
    question = LabelOptions({"game": "tic-tac-toe"})
    for wrong in ("[1 0 2 0 1 0 0 0 2]", "[" * 5000, "[1, NaN]", "[1.5]", "[]", float("nan"), "5.5", "[5, 5]"):
        assert list(labels_of(question, moves=[wrong, "b2"])[1]) == [0], wrong


@pytest.mark.parametrize(
    ("table", "fields", "error", "says"),
    [
        (pa.table(ROWS), {"game": "chess"}, kinarow.InputError, "chess"),
        (pa.table({"id": [1]}), {"goal": 3}, kinarow.InputError, "has the columns id; name one moves or board"),
        (pa.table({"moves": ["4"], "score": [1]}), {"game": "connect-four"}, kinarow.InputError, "score already"),
        (pa.table({"moves": [{"a": 1}]}), {"game": "connect-four"}, kinarow.InputError, "the column moves is struct"),
        ({"moves": ["4"]}, {"game": "connect-four"}, TypeError, "Table or RecordBatch, not dict"),
        (pa.table(ROWS), {"game": "connect-four", "to_move": "X"}, TypeError, "to_move"),
        (pa.table(ROWS), {"goal": "4"}, TypeError, "goal is a whole number"),
        (pa.table(ROWS), {"game": "connect-four", "max_nodes": 0}, kinarow.InputError, "max_nodes is 1 or more"),
    ],
)
def test_what_cannot_be_labelled_says_why(table, fields, error, says):
    with pytest.raises(error, match=says):
        kinarow.label(table, **fields)


def ten_games(game, marks):
    """The moves of ten ongoing games, as cells."""
    rng, start, games = random.Random(7), kinarow.Position.from_moves("", game=game), []
    while len(games) < 10:
        position, moves = start, []
        while len(moves) < marks and not position.is_over:
            moves.append(rng.choice(position.legal_moves()))
            position = position.play(moves[-1])
        games += [] if position.is_over else [moves]
    return games


def board(moves, empty, first, second, cells=9):
    """A board as a flat list, with the codes of a library."""
    return [{0: first, 1: second}[moves.index(cell) % 2] if cell in moves else empty for cell in range(cells)]


FORMS = {
    "kinarow result.move": ("tic-tac-toe", "cells", lambda moves: {"moves": moves}),
    "kinarow.gym": ("tic-tac-toe", "cells", lambda moves: {"moves": " ".join(map(str, moves))}),
    "OpenSpiel tic_tac_toe": ("tic-tac-toe", "cells", lambda moves: {"moves": str(moves)}),
    "PettingZoo tictactoe": ("tic-tac-toe", "cells", lambda moves: {"moves": list(map(float, moves))}),
    "OpenSpiel mnk": ("tic-tac-toe", "cells", lambda moves: {"moves": ",".join(map(str, moves))}),
    "pgx, board + 1": ("tic-tac-toe", None, lambda moves: {"board": [code + 1 for code in board(moves, -1, 0, 1)]}),
    "LabelEncoder": ("tic-tac-toe", None, lambda moves: {"board": board(moves, 0, 2, 1), "to_move": 2}),
    "OpenSpiel connect_four": ("connect-four", "columns-from-0", lambda moves: {"moves": [move % 7 for move in moves]}),
    "Kaggle": ("connect-four", "columns-from-0", lambda moves: {"moves": str([move % 7 for move in moves])}),
    "BitBully": ("connect-four", "columns-from-0", lambda moves: {"moves": "".join(str(move % 7) for move in moves)}),
    "gamesolver": ("connect-four", None, lambda moves: {"moves": "".join(str(move % 7 + 1) for move in moves)}),
    "c4": ("connect-four", "columns", lambda moves: {"moves": " ".join(str(move % 7 + 1) for move in moves)}),
}


@pytest.mark.parametrize("source", FORMS)
def test_the_forms_of_other_libraries_have_the_values_of_the_source(source):
    """Each as docs/researchers.md says it, on ten positions."""
    game, counted, written = FORMS[source]
    games = ten_games(game, 4 if game == "tic-tac-toe" else 26)
    rows = kinarow.label(pa.Table.from_pylist([written(moves) for moves in games]), game=game, moves_as=counted)
    positions = [kinarow.Position.from_moves(moves, game=game) for moves in games]
    assert rows["score"].to_pylist() == [kinarow.best_move(each).score.value for each in positions]
