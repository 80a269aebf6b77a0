"""Analysing and playing in a terminal: whole games, colours and progress where a person looks, clean ends."""

import contextlib
import itertools
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from tests.support.commands import kinarow

KINAROW = (sys.executable, "-m", "kinarow.commands.cli")
WITHIN_S = 60
GOMOKU = ("/".join(["." * 15] * 15), "--game", "gomoku", "--max-nodes", "9" * 15)
"""A search without an end."""
ESCAPE = "\x1b["


def environment(**changes):
    own = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    return {**own, "TERM": "xterm", **changes}


class Terminal:
    """A command running in a pseudo-terminal: what it prints is read, keys are typed."""

    def __init__(self, *words, **changes):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*KINAROW, *words], stdin=slave, stdout=slave, stderr=slave, env=environment(**changes),
            start_new_session=True, preexec_fn=_take_terminal,
        )  # fmt: skip
        os.close(slave)
        self.printed = ""

    def wait_for(self, pattern, seconds=WITHIN_S):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.printed):
            assert time.monotonic() < end, f"no {pattern!r} in {self.printed!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.printed += os.read(self.master, 65536).decode("utf-8", "replace")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        end = time.monotonic() + WITHIN_S
        with contextlib.suppress(OSError):  # Linux says EIO at the end of a pseudo-terminal
            while select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                read = os.read(self.master, 65536)
                if not read:
                    break
                self.printed += read.decode("utf-8", "replace")
        os.close(self.master)
        return self.process.wait(max(1, end - time.monotonic()))


def _take_terminal():
    """Make standard input the terminal that sends this process its Ctrl-C."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal():
    started = []

    def start(*words, **changes):
        started.append(Terminal(*words, **changes))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


# Analyse


def test_an_analysis_is_a_board_of_values_and_a_table(capsys):
    code, out, err = kinarow(capsys, "analyse", ".X./.X./..O")
    assert (code, err) == (0, "")
    assert out.startswith("3 -8   X  -8\n2 -8   X  -8\n1 -8  [0]  O\n   a   b   c\n\n")
    assert "\nO plays b1, the only move that does not lose at once, blocking a line of X" in out
    assert "No other move is as good." in out
    rows = [line.split() for line in out.splitlines() if re.match(r" +[abc]\d ", line)]
    assert [row[:3] for row in rows[:2]] == [["b1", "0", "draw"], ["a3", "-8", "loss"]]
    assert len(rows) == 6
    assert "\nBest: a3 b3 c3 a2 b2 c2 a1 b1 c1\n" in kinarow(capsys, "analyse", ".../.../...")[1]
    weak = kinarow(capsys, "analyse", "XX./OO./...", "--level", "1", "--seed", "5")[1]
    assert "\nBest: c3\n" in weak
    assert "X plays c3" not in weak


def test_only_the_best_moves_may_be_shown(capsys):
    code, out, _ = kinarow(capsys, "analyse", *GOMOKU[:3], "--top", "2", "--max-nodes", "300")
    assert code == 0
    assert len(re.findall(r"^ *[a-o]\d+ +[+-]0\.\d\d  not decided", out, re.MULTILINE)) == 2
    assert len(re.findall(r"[+-]\.\d\d", out.split("\n\n")[0])) == 2
    assert len(json.loads(kinarow(capsys, "analyse", ".../.../...", "--top", "3", "--json")[1])["moves"]) == 3


def test_an_estimate_is_one_number_everywhere(capsys):
    """The sentence, the board and the table show the expected result, where it is known, and nothing else."""
    words = ("analyse", *GOMOKU[:3], "--moves", "h8h9i9", "--max-nodes", "2000", "--top", "1")
    answer = json.loads(kinarow(capsys, *words, "--json")[1])
    expected = f"{answer['expected']:+.2f}"
    assert expected != f"{answer['score']:+.2f}"
    assert f"expected result {expected} for O" in answer["text"]
    out = kinarow(capsys, *words)[1]
    assert answer["text"] in out
    assert re.findall(r"[+-]0?\.\d+", out) == [expected.replace("0.", "."), expected, expected]


# Play


def moves_of(out):
    return re.findall(r"^(?:[XO]> )*\d+\. ([XO]) plays (?:column |tile )?(\w+)", out, re.MULTILINE)


HUMANS = ("--o", "human")
NO_MOVES = ["x", "-1", "0", "10", "3,0", "1,2,3", "t1", "b2c2", "5" * 500, "\x00", "٣", "5.0"]
FOUR_SAID = ["ype a column from 1 to 7;", "column 4 is full.", "Not possible: a column is 1 to 7, not '8'.",
             "Not possible: '1 2' is not a move; type a column from 1 to 7.", "\n 1  2  3  4  5  6  7\n"]  # fmt: skip
QUBIC_SAID = ["4 in a row on 4 x 4 x 4", "layer 4\n", "'2,1' is not a move; type a tile from 1 to 64",
              "Not possible: tile 4 is taken by O.", "The game is over: X has won.\n"]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "typed", "moves", "said"),
    [
        (HUMANS, "5\na3\nC3\na2\n 7 \n", "Xb2 Oa3 Xc3 Oa2 Xa1", ["3 in a row on 3 x 3. X: you, O: you.\n",
         "3 O  .  X\n2 O  X  .\n1[X] .  .\n  a  b  c\n\nThe game is over: X has won.\n"]),
        ((), "q\n", "", [" O: level 10 (Perfect) (seed "]),
        (("--game", "gomoku"), "q\n", "", [": level 10 (Strongest) (seed "]),
        (("--game", "connect-four", *HUMANS), "4\n" * 7 + "8\n0\n1 2\n5\nq\n", "X4 O4 X4 O4 X4 O4 X5", FOUR_SAID),
        *((HUMANS, f"{typed}\n5\nq\n", "Xb2", ["Not possible: "]) for typed in NO_MOVES),
        (("--game", "score-four", *HUMANS), "1\n" * 5 + "7\nquit\n", "X1 O17 X33 O49 X7", ["stack on tile 1 is full"]),
        (("--game", "qubic", *HUMANS), "1\n2\n22\n3\n43\n2,1\n4\n4\nhelp\n64\n", "X1 O2 X22 O3 X43 O4 X64", QUBIC_SAID),
        (("--seed", "1"), "5\nundo\nundo\n1\nquit\n", "Xb2 O.. Xa3 O..",
         ["Took back 2 plies.", "You have no move to take back."]),
        (HUMANS, "5\n1\nu\n2\nq\n", "Xb2 Oa3 Ob3", ["Took back 1 ply."]),
        (("--x", "1", *HUMANS, "--seed", "1"), "undo\nq\n", "X..", ["You have no move to take back."]),
        (("XX./OO./...", "--o", "1"), "hint\nq\n", "", ["Hint: X plays c3, completing a line: X wins at once."]),
        ((), "?\nq\n", "", ["type a move from a1 to c3, or a tile from 1 to 9\nhint "]),
        (("--first", "O", "--seed", "2"), "q\n", "O..", []),
    ],
)  # fmt: skip
def test_what_is_typed_is_played_or_told(capsys, words, typed, moves, said):
    """Moves in every notation, undo, hints and help; after invalid input the prompt returns."""
    code, out, err = kinarow(capsys, "play", *words, typed=typed)
    assert (code, err) == (0, "")
    assert re.fullmatch(moves, " ".join(map("".join, moves_of(out)))), out
    assert [each for each in said if each not in out] == []


def test_an_analysis_with_layers_names_tiles(capsys):
    words = ("XX./OO./...//.../.../...", "--goal", "3", "--layers", "2")
    code, shown, _ = kinarow(capsys, "analyse", *words)
    assert code == 0
    assert shown.startswith("layer 1\n")
    assert "\nX plays tile 3, completing a line: X wins at once." in shown
    assert re.search(r"\n +3 +\+18  win in 1 ply +3\n", shown)
    code, shown, _ = kinarow(capsys, "move", *words)
    assert (code, "[X]" in shown, "layer 2" in shown) == (0, True, True)


def test_input_that_ends_before_the_game_is_a_failure_and_quitting_is_none(capsys):
    assert kinarow(capsys, "play", "XXX/OO./...")[1].endswith("The game is over: X has won.\n")
    code, out, _ = kinarow(capsys, "play", typed="5\n")
    assert code == 1
    assert out.endswith("The input ended before the game was over.\n")
    assert kinarow(capsys, "play", typed="5\nquit\n")[0] == 0


@pytest.mark.parametrize(
    "game",
    [
        ("--game", "misere-tic-tac-toe"),
        ("--rows", "4", "--columns", "5", "--goal", "3", "--gravity", "--exact-goal"),
        ("--rows", "11", "--goal", "5", "--max-nodes", "300"),
        ("X../.O./...", "--misere"),
    ],
    ids=" ".join,
)
def test_two_levels_play_a_game_that_a_seed_repeats(capsys, game):
    words = ("play", "--x", "2", "--o", "5", *game)
    code, out, err = kinarow(capsys, *words, "--seed", "9")
    assert (code, err) == (0, "")
    assert re.search(r"The game is over: (a draw|[XO] has won)\.\n$", out)
    assert moves_of(kinarow(capsys, *words, "--seed", "9")[1]) == moves_of(out)
    assert [side for side, _ in moves_of(out)] == list(itertools.islice(itertools.cycle("XO"), len(moves_of(out))))


def test_without_a_seed_games_vary_and_name_the_seed_that_repeats_them(capsys):
    games = {}
    for _ in range(4):
        out = kinarow(capsys, "play", "--x", "1", "--o", "1")[1]
        games[re.search(r"\(seed (\d+)\)", out)[1]] = moves_of(out)
    assert len(set(map(tuple, games.values()))) > 1
    seed, moves = games.popitem()
    assert moves_of(kinarow(capsys, "play", "--x", "1", "--o", "1", "--seed", seed)[1]) == moves


# Real processes and terminals


def test_people_playing_each_other_need_no_kernels():
    script = (
        "import sys; from kinarow.commands import cli; code = cli.main(['play', '--o', 'human']);"
        "sys.exit(9 if 'numba' in sys.modules else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=b"5\n1\n\xff\xfe\n3\n4\n7\n", capture_output=True, timeout=WITHIN_S
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"The game is over: X has won.\n")


def test_on_a_terminal_a_game_has_colours_and_ctrl_c_leaves_it(terminal):
    game = terminal("play", "--o", "human")
    game.wait_for("X> ")
    game.type("5\r")
    game.wait_for("O> ")
    assert f"{ESCAPE}31;1mX{ESCAPE}0m" in game.printed
    game.type("\x03")
    assert game.end() == 130
    assert "Traceback" not in game.printed


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_can_be_switched_off(terminal, changes):
    game = terminal("play", "XX./OO./...", "--o", "human", **changes)
    game.wait_for("X> ")
    game.type("3\r")
    assert game.end() == 0
    assert "has won" in game.printed
    assert ESCAPE not in game.printed


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("analyse", *GOMOKU), r"thinking: depth \d+, [\d,]+ nodes \.\.\. \d+ s"),
        (("puzzles", *GOMOKU[1:]), r"thinking: \d\d\d,[\d,]+ nodes \.\.\. \d+ s"),
    ],
    ids=["analyse", "puzzles"],
)
def test_a_long_search_shows_its_progress_on_a_terminal_and_ctrl_c_ends_it_at_once(terminal, words, shown):
    search = terminal(*words)
    search.wait_for(shown)
    search.type("\x03")
    assert search.end() == 130
    assert "Traceback" not in search.printed
    assert f"{ESCAPE}K" in search.printed.rpartition(" s")[2], "the line is still there"


def test_a_reader_that_goes_away_ends_the_command_without_a_traceback():
    words = (*KINAROW, "play", "--x", "1", "--o", "1", "--rows", "9", "--goal", "5", "--seed", "1")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"5 in a row")
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(WITHIN_S) == 141
    assert err == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_a_failure_told_in_one_line():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*KINAROW, "play", "--o", "human"], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
            timeout=WITHIN_S,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith(b"kinarow play: ")
    assert done.stderr.count(b"\n") == 1
