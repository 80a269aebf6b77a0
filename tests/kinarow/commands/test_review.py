"""Records on the command line: ``kinarow review FILE`` and ``kinarow analyse --record FILE``."""

import json

import pytest

import kinarow
from kinarow.contract.answers import ReviewAnswer
from kinarow.reading.records import read_record
from tests.support.commands import kinarow as command
from tests.support.written_boards import RECORDS


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A folder with the kept records as files."""
    folder = tmp_path_factory.mktemp("records")
    for name, data in RECORDS.items():
        (folder / name).write_bytes(data)
    return folder


def test_a_review_is_a_board_a_table_and_a_count(capsys, records):
    code, out, err = command(capsys, "review", records / "won.txt", "--game", "tic-tac-toe")
    assert (code, err) == (0, "")
    board, ending, table, sides = out.rstrip("\n").split("\n\n")
    assert board.splitlines()[:2] == ["3 .  .  .", "2 X  X [X]"]
    assert ending == "The game is won by X; the record says 1-0."
    assert table.splitlines()[4] == "    4     O b1  mistake      loss     draw with c2"
    assert sides == "X: of 3 moves 3 best\nO: of 2 moves 1 best, 1 mistaken"
    typed = (records / "won.txt").read_text("utf-8")
    assert command(capsys, "review", "-", "--game", "tic-tac-toe", typed=typed) == (0, out, "")


def test_a_review_names_the_players_and_takes_the_budget_and_the_rules(capsys, records):
    code, out, err = command(capsys, "review", records / "tags.txt", "--game", "renju", "--max-nodes", "300")
    assert (code, err) == (0, "")
    assert (code, "\n\nX: Ann O'Neill, O: Bob\n\n" in out) == (0, True)
    assert "The game is not over; the record says 0-1." in out
    assert " -." in out


def test_a_review_as_json_is_the_answer_of_the_service(capsys, records):
    code, out, _ = command(capsys, "review", records / "won.txt", "--game", "tic-tac-toe", "--json")
    record = read_record((records / "won.txt").read_bytes(), {"game": "tic-tac-toe"})
    expected = ReviewAnswer.of(kinarow.review(record.start, record.moves), record)
    assert (code, json.loads(out)) == (0, expected.model_dump(mode="json"))


def test_an_analysis_takes_the_position_after_a_record(capsys, records):
    code, out, _ = command(capsys, "analyse", "--record", records / "gamesolver.txt", "--json")
    assert (code, out[:1]) == (0, "{")
    by_moves = command(capsys, "analyse", "--moves", "4453", "--game", "connect-four", "--json")[1]
    answers = [json.loads(each) for each in (out, by_moves)]
    for answer in answers:
        del answer["search"]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("review", "taken.sgf"), "kinarow review: record: line 2, column 10: move 3: h8 is taken by X"),
        (("review", "digits.txt"), "kinarow review: --game: these moves do not say their game"),
        (("review", "tournament.psq", "--columns", "19"), "kinarow review: --columns: columns says 19, the record 15"),
        (("review", "numbered.txt", "--game", "nope"), "kinarow review: --game: no such game: 'nope'"),
        (("analyse", "--record", "open.sgf"), "kinarow analyse: record: line 3, column 7: the game is not closed by )"),
        (("analyse", "X../.../...", "--record", "won.txt"), "kinarow analyse: board: not together with --record"),
        (("analyse", "--moves", "4", "--record", "won.txt"), "kinarow analyse: --moves: not together with --record"),
    ],
)
def test_a_record_that_cannot_be_read_is_one_line(capsys, monkeypatch, words, complaint, records):
    monkeypatch.chdir(records)
    code, out, err = command(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith(complaint)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words", "moves", "says"),
    [
        ("3 3 4 4", "connect-four columns-from-0", (38, 31, 39, 32), ""),
        ("1. 3 3 2. 4 {seen} 4 *", "connect-four columns-from-0", (38, 31, 39, 32), ""),
        ("3344", "connect-four columns-from-0", (38, 31, 39, 32), ""),
        ("4, 0, 8", "tic-tac-toe cells", (4, 0, 8), ""),
        ("5 1 9", "tic-tac-toe tiles", (4, 0, 8), ""),
        ("b2a3", "tic-tac-toe text", (4, 0), ""),
        (
            "(;GM[4]SZ[3];B[bb](;W[aa])(;W[ba]))(;B[aa]C[\\](;])\n( ;B[cc])",
            "tic-tac-toe cells",
            (4, 0),
            "2 other games",
        ),
        ("4 -- 0", "tic-tac-toe cells", None, "line 1, column 3: a side passes"),
        ("4 0 9", "tic-tac-toe cells", None, "line 1, column 5: tile is a whole number"),
        ("4 b2", "tic-tac-toe cells", None, "line 1, column 3: moves are declared as cells, but this is 'b2'"),
    ],
)
def test_numbers_in_a_text_count_as_said_and_left_out_games_are_command(capsys, monkeypatch, text, words, moves, says):
    game, counted = words.split()
    words = ("review", "-", "--game", game, "--moves", counted, "--json", "--max-nodes", "100")
    code, out, err = command(capsys, *words, typed=text)
    assert (code, says in err) == (2 if moves is None else 0, True)
    answer = json.loads(out) if moves else None
    assert answer is None or tuple(move["move"]["tile"] - 1 for move in answer["moves"]) == moves
    assert answer is None or answer["record"].get("other_games", 0) == (2 if says else 0)


def test_a_file_that_is_not_there_is_a_failure(capsys):
    code, _, err = command(capsys, "review", "no-such-file.sgf")
    assert (code, err.count("\n")) == (1, 1)
