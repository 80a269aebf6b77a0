"""Records of games in the forms that programs write, mutated ones too; ``tests/support/records.json`` has them."""

import random
import re
import time

import pytest

from kinarow.errors import InputError
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import NAMES, Rules
from kinarow.reading.records import Record, read_record
from kinarow.reading.tables import MAX_RECORD
from tests.support.written_boards import CASES, RECORDS, mutated


def in_words(cells, rules):
    return " ".join(write_move(cell, rules) for cell in cells)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file']} {case['fields']}")
def test_a_record_is_the_game_that_its_writer_meant(case):
    data, expected = RECORDS[case["file"]], case.get("error")
    if expected:
        with pytest.raises(InputError) as caught:
            read_record(data, case["fields"])
        ((pointer, detail),) = caught.value.problems
        assert pointer == expected.get("pointer", "/record")
        if "line" in expected:
            assert detail.startswith(f"line {expected['line']}, column {expected['column']}: ")
        assert all(words in detail for words in expected["has"]), detail
        return
    record = read_record(data, case["fields"])
    start = record.start
    assert (record.format, start.rules.short_fields()) == (case["format"], case["rules"])
    assert (NAMES[start.to_move], record.players, record.result) == (case["first"], case["players"], case["result"])
    for mark, name in NAMES.items():
        stones = [cell for cell in range(start.rules.cells) if start[cell] == mark]
        assert sorted(in_words(stones, start.rules).split()) == sorted(case.get("stones", {}).get(name, "").split())
    assert in_words(record.moves, start.rules) == case["moves"]
    assert record.position == start.after(record.moves)


@pytest.mark.parametrize(
    ("text", "fields", "pointer", "detail"),
    [
        ("(;SZ[15];B[hh])", {"first": "O"}, "/first", "first says O, the record X"),
        ("(;SZ[15];B[hh])", {"columns": 14}, "/columns", "columns says 14, the record 15"),
        ("h8 h7", {"game": "gomoku", "first": "Z"}, "/first", "sides are X and O"),
        ("h8 h7", {"game": "gomuku"}, "/game", "did you mean gomoku?"),
        ("(;SZ[4];B[aa])", {}, "/record", "gomoku needs a side of 5"),
        ("(;SZ[4];B[aa])", {"goal": 5}, "/goal", "goal 5"),
        ("(;SZ[20];B[aa])", {"game": "gomoku"}, "/record", "at most 19"),
    ],
)
def test_what_the_caller_says_agrees_with_the_record(text, fields, pointer, detail):
    with pytest.raises(InputError) as caught:
        read_record(text, fields, max_side=19)
    assert caught.value.problems[0][0] == pointer
    assert detail in caught.value.problems[0][1]
    agreed = {"first": "x", "rows": 15, "columns": 15, "game": None}
    assert read_record("(;SZ[15];B[hh])", agreed).moves == (112,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1. b2 {comment a1", "line 1, column 7: a move is a column's letter and a row's number, a1 to c3, not '{'"),
        ("1. b2 -- 2. a1", "line 1, column 7: a side passes"),
        ("b2 a1 a2 b1 c3 c1 c2 a3 b3\na1 x", "line 2, column 1: a board of 3 × 3 has 9 cells; this is one move more"),
        ("1. b2 a1 2. a2 b1 3. c3 c1 4. c2 a3 5. b3 a1", "line 1, column 43: a board of 3 × 3 has 9 cells"),
    ],
)
def test_the_first_word_that_is_no_move_counts_before_the_number_of_words(text, says):
    with pytest.raises(InputError, match=re.escape(says)):
        read_record(text, {"game": "tic-tac-toe"})


def test_every_record_is_expected_to_be_something():
    assert RECORDS.keys() == {case["file"] for case in CASES}


def test_a_mutated_record_is_refused_with_its_place_or_is_a_game():
    """Whatever is read plays by the rules, and says so again when it is written down and read anew."""
    rng, read = random.Random(58), 0
    games = [case for case in CASES if "error" not in case]
    for _ in range(300):
        case = rng.choice(games)
        data = mutated(RECORDS[case["file"]], rng)
        began = time.process_time()
        try:
            record = read_record(data, case["fields"])
        except InputError as wrong:
            ((pointer, detail),) = wrong.problems
            assert pointer in ("/record", "/game", *(f"/{name}" for name in case["fields"]))
            assert detail.isprintable()
        else:
            read += 1
            assert record.start.after(record.moves) == record.position
            written = in_words(record.moves, record.start.rules)
            again = read_record(written, record.start.rules.fields()) if written and layered(record) else record
            assert again.moves == record.moves
        assert time.process_time() - began < 1
    assert 30 < read < 270


def layered(record: Record) -> bool:
    return record.start.rules.layers == 1 and not any(record.start.cells)


@pytest.mark.parametrize(
    "text",
    [
        "(" * MAX_RECORD, "(;" * (MAX_RECORD // 2), "(;B" + "[aa]" * 249_999, "(;C[" + "\\" * (MAX_RECORD - 10),
        ";(" * 499_999, "h8 " * 333_333, "1." * 500_000, "4" * MAX_RECORD, "[a" * 500_000, '[A "' + "\\" * 999_000,
        "Piskvorky 25x25, 1:1, 0\n" + "1,1\n" * 249_000,
        "(;SZ[25]RU[Renju]AB" + "[aa:zz]" * 140_000 + ")", "(;" + "A[b]" * 249_000, "7 " * 499_999 + "a1",
        "(;SZ[15]AB[aa:zz])", "\ud800" * 9, "a" * (MAX_RECORD + 1), "٤" * 99, "(;SZ[²])", "1" * 9999 + ".h8",
    ],
    ids=lambda text: text[:12].encode("ascii", "replace").decode(),
)  # fmt: skip
def test_no_text_of_a_megabyte_takes_long(text):
    began = time.process_time()
    for fields in ({}, {"game": "gomoku"}, {"game": "connect-four"}):
        with pytest.raises(InputError):
            read_record(text, fields)
    assert time.process_time() - began < 3


def test_the_longest_game_of_renju_is_read_within_a_second():
    rng = random.Random(7)
    position, moves = Position.empty(Rules(25, 25, 5, renju=True)), []
    while not position.is_over and len(moves) < 400:
        moves.append(rng.choice(position.legal_moves()))
        position = position.play(moves[-1])
    text = in_words(moves, position.rules)
    began = time.process_time()
    assert read_record(text, {"game": "renju", "rows": 25, "columns": 25}).moves == tuple(moves)
    assert time.process_time() - began < 1
