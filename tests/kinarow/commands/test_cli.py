"""The command line: a move in words and as JSON, one line for every mistake."""

import json
import os
import subprocess
import sys

import pytest

from kinarow import library
from kinarow.commands import cli
from kinarow.contract.answers import ReviewAnswer
from kinarow.reading.records import read_record
from kinarow.version import VERSION
from tests.support.commands import ended, kinarow
from tests.support.written_boards import RECORDS


def answer_of(capsys, *words):
    """The answer that a command prints as JSON."""
    code, out, _ = kinarow(capsys, *words, "--json")
    assert code == 0
    return json.loads(out)


def test_a_move_in_words_and_as_the_answer_of_the_service(capsys):
    code, out, err = kinarow(capsys, "move", "XX./OO./...")
    assert (code, err) == (0, "")
    assert out.startswith(
        "3 X  X [X]\n2 O  O  .\n1 .  .  .\n  a  b  c\n\nX plays c3, completing a line: X wins at once.\n"
    )
    assert "\nLine: c3\nSearched 1 node to depth 1 in " in out
    answer = answer_of(capsys, "move", "XX./OO./...")
    assert answer["move"] == {"row": 0, "column": 2, "tile": 3}
    assert (answer["score"], answer["outcome"], answer["distance"], answer["proven"]) == (9, "win", 1, True)
    assert list(answer)[:3] == ["move", "score", "outcome"]
    for board, ending in (("XXX/OO./...", "X has won"), ("XOX/XOO/OXX", "a draw")):
        assert f"The game is over: {ending}." in kinarow(capsys, "move", board)[1]


def test_rules_presets_boards_and_budgets_can_be_said(capsys):
    """A game alone is its empty board, a board may begin with a dash, and a single row is said to be one."""
    rules = ("--goal", "3", "--gravity", "--misere", "--exact-goal", "--to-move", "o")
    answer = answer_of(capsys, "move", ".../.../.X.", *rules)
    assert answer["to_move"] == "O"
    assert answer["move"]["row"] == 2 or answer["move"]["column"] == 1
    wide = ("move", "--game", "connect-four", "--rows", "12", "--columns", "12")  # no proof knows its value
    assert answer_of(capsys, *wide, "--max-depth", "2")["search"]["depth"] == 2
    assert answer_of(capsys, *wide, "--max-nodes", "50")["search"]["nodes"] <= 50
    assert answer_of(capsys, *wide, "--time-limit-ms", "50")["search"]["stopped_by"] == "time"
    assert answer_of(capsys, "move", "--game", "connect-four")["board"][-1] == "...X..."
    assert answer_of(capsys, "move", "--rows", "3", "--columns", "4", "--goal", "3")["outcome"] == "win"
    assert answer_of(capsys, "move", "-OO/-XX/---")["move"]["tile"] == 4
    assert answer_of(capsys, "move", "X..", "--rows", "1", "--goal", "2")["to_move"] == "O"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("move", "X.O/.X./...."), "kinarow move: board: row 1 has 3 cells, row 3 has 4"),
        (("move", "..../..../...."), "kinarow move: --goal: goal is required"),
        (("move", "XXX/.../..."), "kinarow move: board"),
        (("move", "X.O/.X./...", "--to-move", "Z"), "kinarow move: --to-move: "),
        (("move", "X.O/.X./...", "--max-depth", "0"), "kinarow move: argument --max-depth: must be 1 to 625, not 0"),
        (("move", "X.O/.X./...", "--max-nodes", "x"), "kinarow move: argument --max-nodes: 'x' is not a whole number"),
        (("move", "X.O/.X./...", "--level", "11"), "kinarow move: argument --level: must be 1 to 10, not 11"),
        (("move", "X.O/.X./...", "--directions", "up"), "kinarow move: --directions: a direction is one of"),
        (("move",), "kinarow move: board: board or moves is required"),
        (("fly",), "kinarow: argument COMMAND: invalid choice: 'fly'"),
        (("--print-completion", "ksh"), "kinarow: argument --print-completion: invalid choice: 'ksh'"),
        (("analyse", ".../.../...", "--top", "0"), "kinarow analyse: argument --top: must be 1 to 625, not 0"),
        (("play", "--rows", "5"), "kinarow play: --goal: goal is required on a 5 × 5 board"),
        *(
            ((command, *board, option, str(2**63)), f"kinarow {command}: argument {option}: must be 1 to {most}, not ")
            for command, *board in (("move", ".../.../..."), ("analyse", ".../.../..."), ("play",))
            for option, most in (("--max-nodes", 10**15), ("--time-limit-ms", 10**9))
        ),
        (("play", "--columns", str(2**63)), "kinarow play: argument --columns: must be 1 to 25, not "),
        (("play", "--x", "11"), "kinarow play: argument --x: must be 1 to 10, not 11"),
        (("play", "--o", "robot"), "kinarow play: argument --o: 'robot' is not a whole number"),
        (("play", "--first", "Z"), "kinarow play: --to-move: sides are X and O"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_field(capsys, words, complaint):
    assert_one_line(kinarow(capsys, *words), complaint)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("serve", "--port", "70000"), "kinarow serve: KINAROW_PORT: "),
        (("serve", "--workers", "0"), "kinarow serve: KINAROW_WORKERS: "),
        (("serve", "--host", "192.0.2.1"), "kinarow serve: KINAROW_HOST, KINAROW_PORT: cannot listen on 192.0.2.1"),
    ],
)
def test_a_mistake_in_a_setting_of_the_server_is_one_line_too(words, complaint):
    # In a process of its own, because gevent patches it.
    done = ended(sys.executable, "-m", "kinarow", *words)
    assert_one_line((done.returncode, done.stdout, done.stderr), complaint)


def assert_one_line(told, complaint):
    code, out, err = told
    assert (code, out) == (2, "")
    assert err.startswith(complaint)
    assert (err.count("\n"), err[-1]) == (1, "\n")


def test_the_package_runs_as_the_command_and_tells_its_version(capsys):
    assert kinarow(capsys, "--version") == (0, f"kinarow {VERSION}\n", "")
    done = ended(sys.executable, "-m", "kinarow", "move", "XX./OO./..")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "kinarow move: board: row 1 has 3 cells, row 3 has 2\n"
    code, out, _ = kinarow(capsys)
    assert code == 2
    for name, command in cli.COMMANDS.items():
        assert name in out
        assert command.purpose.split()[0] in out


@pytest.mark.parametrize(
    ("words", "package"), [(("serve",), "gunicorn"), (("label", "in.csv", "out"), "pyarrow"), (("mcp",), "mcp")]
)
def test_a_command_without_its_extra_says_what_to_install(capsys, monkeypatch, words, package):
    monkeypatch.setitem(sys.modules, package, None)
    told = f"kinarow {words[0]}: not installed: pip install 'kinarow[{words[0]}]'\n"
    assert kinarow(capsys, *words) == (2, "", told)


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_has_help(capsys, name):
    code, out, _ = kinarow(capsys, name, "--help")
    assert code == 0
    assert out.startswith(f"usage: kinarow {name}")
    assert kinarow(capsys, name, "--no-such-option")[2].endswith(f"(try kinarow {name} --help)\n")


def test_the_version_is_told_without_loading_anything_big():
    """The library itself brings NumPy along, which is soon there."""
    script = (
        "import sys; from kinarow.commands import cli\n"
        "try: cli.main(['--version'])\n"
        "except SystemExit: pass\n"
        "sys.exit(sum(name in sys.modules for name in ('numba', 'numpy', 'flask', 'pydantic', 'gunicorn')))"
    )
    assert ended(sys.executable, "-c", script).returncode == 0


INTERRUPTED = """
import os, runpy, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

wanted = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupt())
runpy.run_module("kinarow", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send Ctrl-C to itself alone")
@pytest.mark.parametrize("module", ["kinarow.commands.cli", "numpy", "kinarow.engine", "service.server.startup"])
def test_ctrl_c_during_an_import_ends_a_command_in_silence(module):
    done = ended(sys.executable, "-c", INTERRUPTED, module, "serve", environment=os.environ | {"KINAROW_PORT": "0"})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


COMPLETED = """
source /dev/stdin
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shtab_kinarow
echo "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["m"], "move mcp"), (["move", "--only", "3", "--g"], "--game --goal --gravity"), (["mcp", "--ht"], "--http"),
        (["play", "--wrap", ""], "none rows columns both"), (["--print-completion", "z"], "zsh"),
    ],
)  # fmt: skip
def test_bash_completes_commands_and_options(capsys, words, completed):
    """A real bash with what is printed for it; every shell gets a completion."""
    assert all("time-limit-ms" in kinarow(capsys, "--print-completion", shell)[1] for shell in cli.SHELLS)
    code, script, err = kinarow(capsys, "--print-completion", "bash")
    assert (code, err) == (0, "")
    bash = ["bash", "-c", COMPLETED, "bash", "kinarow", *words]
    shown = subprocess.run(bash, input=script, capture_output=True, text=True, timeout=60, check=True)
    assert shown.stdout.split() == completed.split()


ODD = "a\nname\x1b[31m"


@pytest.mark.parametrize(
    "words",
    [
        ["review", "{}"], ["judge", "{}", "--out", "{}/report"], ["{}"],
        ["label", "{}", "{}.parquet"], ["label", "missing-{}", "{}.jsonl"],
        ["move", "{}"], ["move", "...", "--goal", "{}"], ["move", "--game", "{}"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_error_is_one_line_without_control_characters_whatever_a_file_is_called(tmp_path, capsys, words):
    file = tmp_path / ODD
    file.write_bytes(b"\x1b[2J\x07PAR1 nothing\r")
    _, _, err = kinarow(capsys, *(word.format(file) for word in words))
    assert err.startswith("kinarow")
    assert err.endswith("\n")
    assert err[:-1].isprintable(), err


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A folder with the kept records as files."""
    folder = tmp_path_factory.mktemp("records")
    for name, data in RECORDS.items():
        (folder / name).write_bytes(data)
    return folder


def test_a_review_is_a_board_a_table_and_a_count(capsys, records):
    code, out, err = kinarow(capsys, "review", records / "won.txt", "--game", "tic-tac-toe")
    assert (code, err) == (0, "")
    board, ending, table, sides = out.rstrip("\n").split("\n\n")
    assert board.splitlines()[:2] == ["3 .  .  .", "2 X  X [X]"]
    assert ending == "The game is won by X; the record says 1-0."
    assert table.splitlines()[4] == "    4     O b1  mistake      loss     draw with c2"
    assert sides == "X: of 3 moves 3 best\nO: of 2 moves 1 best, 1 mistaken"
    typed = (records / "won.txt").read_text("utf-8")
    assert kinarow(capsys, "review", "-", "--game", "tic-tac-toe", typed=typed) == (0, out, "")


def test_a_review_names_the_players_and_takes_the_budget_and_the_rules(capsys, records):
    code, out, err = kinarow(capsys, "review", records / "japanese.sgf", "--max-nodes", "300")
    assert (code, err) == (0, "")
    assert (code, "\n\nX: 表示, O: 中村\n\n" in out) == (0, True)
    assert "The game is not over; the record says B+R." in out
    assert " -." in out


def test_a_review_as_json_is_the_answer_of_the_service(capsys, records):
    code, out, _ = kinarow(capsys, "review", records / "won.txt", "--game", "tic-tac-toe", "--json")
    record = read_record((records / "won.txt").read_bytes(), {"game": "tic-tac-toe"})
    expected = ReviewAnswer.of(library.review(record.start, record.moves), record)
    assert (code, json.loads(out)) == (0, expected.model_dump(mode="json"))


def test_an_analysis_takes_the_position_after_a_record(capsys, records):
    of_record = ("--record", records / "digits.txt", "--game", "connect-four", "--json")
    code, out, _ = kinarow(capsys, "analyse", *of_record)
    assert (code, out[:1]) == (0, "{")
    by_moves = kinarow(capsys, "analyse", "--moves", "4453", "--game", "connect-four", "--json")[1]
    answers = [json.loads(each) for each in (out, by_moves)]
    for answer in answers:
        del answer["search"]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("review", "taken.sgf"), "kinarow review: record: line 2, column 10: move 3: h8 is taken by X"),
        (("review", "tournament.psq", "--columns", "19"), "kinarow review: --columns: columns says 19, the record 15"),
        (("analyse", "--record", "open.sgf"), "kinarow analyse: record: line 3, column 7: the game is not closed by )"),
        (("analyse", "X../.../...", "--record", "won.txt"), "kinarow analyse: board: not together with --record"),
        (("analyse", "--moves", "4", "--record", "won.txt"), "kinarow analyse: --moves: not together with --record"),
    ],
)
def test_a_record_that_cannot_be_read_is_one_line(capsys, monkeypatch, words, complaint, records):
    monkeypatch.chdir(records)
    code, out, err = kinarow(capsys, *words)
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
def test_numbers_in_a_text_count_as_said_and_left_out_games_are_told(capsys, monkeypatch, text, words, moves, says):
    game, counted = words.split()
    words = ("review", "-", "--game", game, "--moves", counted, "--json", "--max-nodes", "100")
    code, out, err = kinarow(capsys, *words, typed=text)
    assert (code, says in err) == (2 if moves is None else 0, True)
    answer = json.loads(out) if moves else None
    assert answer is None or tuple(move["move"]["tile"] - 1 for move in answer["moves"]) == moves
    assert answer is None or answer["record"].get("other_games", 0) == (2 if says else 0)


def test_a_file_that_is_not_there_is_a_failure(capsys):
    code, _, err = kinarow(capsys, "review", "no-such-file.sgf")
    assert (code, err.count("\n")) == (1, 1)
