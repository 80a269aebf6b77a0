"""The match runner: who wins is judged right, the arithmetic of Elo, and real programs against each other."""

import json
import math
import random
import shlex
import sys

import pytest

from benchmarks import match as runner
from benchmarks import mistakes
from benchmarks.arena import Tally, completes, elo, fault_of, match, play, read_openings
from benchmarks.match import Program
from tests.support import oracle, renju, shapes

SIZE = 15
KINAROW = f"{sys.executable} -m service.cli piskvork"
FIRST_EMPTY_CELL = """
import sys
size, taken = 0, set()
def move():
    cell = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
    taken.add(cell)
    print("DEBUG a word before the move")
    print("%d,%d" % cell, flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] in ("START", "RESTART"):
        size, taken = int((words + [size])[1]), set()
        print("OK", flush=True)
    elif words[0] == "BEGIN" or words[0] == "DONE":
        move()
    elif words[0] == "TURN":
        taken.add(tuple(map(int, words[1].split(","))))
        move()
    elif words[0] == "END":
        break
    elif words[0][0].isdigit():
        taken.add(tuple(map(int, words[0].split(",")[:2])))
"""
"""A program that plays badly but by the protocol."""


@pytest.mark.parametrize("rule", [8, 9])
def test_the_referee_knows_caro(rule):
    """Random games near the centre, move by move, against runs of cells."""
    rng = random.Random(5)
    game = shapes.Game("/".join(["......."] * 7), 5, exact_goal=rule == 9, caro=True)
    ends = 0
    for _ in range(60):
        moves = []
        for cell in rng.sample(range(49), 49):
            moves.append(cell)
            marks = {game.cell(each): "XO"[number % 2] for number, each in enumerate(moves)}
            expected = shapes.has_line(game, marks, "XO"[(len(moves) - 1) % 2])
            assert completes(7, rule, moves) == expected
            if expected:
                ends += 1
                break
    assert ends


def test_the_referee_knows_renju():
    """Random games, each next move against sets of cells."""
    rng = random.Random(6)
    illegal = 0
    for _ in range(30):
        board, moves = renju.Board(9, 9), []
        for cell in rng.sample(range(81), 60):
            black = len(moves) % 2 == 0
            fault = renju.fault(board, divmod(cell, 9)) if black else None
            assert fault_of(9, 4, moves, cell) == fault
            if fault:
                illegal += 1
                continue
            moves.append(cell)
            board = renju.child(board, divmod(cell, 9), black)
            won = renju.wins(board.black if black else board.white, divmod(cell, 9), exactly=black)
            assert completes(9, 4, moves) == won
            if won:
                break
    assert illegal


class FirstCell:
    """The same as a player in this process."""

    def move(self, size, exact, moves):
        return next(cell for cell in range(size * size) if cell not in moves)


def program(source: str) -> str:
    return shlex.join([sys.executable, "-c", source])


@pytest.mark.parametrize("exact", [False, True])
def test_lines_are_judged_as_the_rules_say(exact):
    """Random games near the centre, move by move, against the oracle."""
    rng = random.Random(3)
    ends = 0
    for _ in range(60):
        size = rng.choice((7, 9))
        board = ("." * size,) * size
        moves = []
        for cell in rng.sample(range(size * size), size * size):
            mark = "XO"[len(moves) % 2]
            moves.append(cell)
            board = oracle.with_mark(board, divmod(cell, size), mark)
            expected = oracle.completes_line(board, *divmod(cell, size), 5, exact)
            assert completes(size, exact, moves) == expected
            ends += expected
            if expected:
                break
    assert ends > 10


def test_the_elo_of_a_score_and_its_interval():
    """Known values: 10 : 1 is 400 points, level is 0, and more games narrow the interval."""
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0.5) == 0
    assert elo(1) == math.inf
    assert elo(0) == -math.inf
    few, many = Tally(6, 2, 2), Tally(600, 200, 200)
    assert few.score == many.score == 0.7
    assert few.interval()[0] < many.interval()[0] < 0.7 < many.interval()[1] < few.interval()[1]
    assert Tally().interval() == (0, 1)
    low, high = Tally(20, 0, 0).interval()
    assert 0.8 < low < 1
    assert high == pytest.approx(1)


def test_openings_are_short_different_and_on_the_board():
    """No opening is there twice, in any order of its moves, and none is decided."""
    openings = read_openings(SIZE)
    assert len(openings) >= 50
    assert len({(frozenset(moves[0::2]), frozenset(moves[1::2])) for moves in openings}) == len(openings)
    for moves in openings:
        assert 3 <= len(set(moves)) == len(moves) <= 6
        assert all(0 <= cell < SIZE * SIZE for cell in moves)
    assert len(read_openings(20)) == len(openings)
    assert read_openings(5) != openings


def test_a_match_plays_every_opening_with_both_colours():
    begun = []
    tally = match(FirstCell(), FirstCell(), 6, report=lambda number, game, _: begun.append(game.moves[:3]))
    assert (tally.wins, tally.losses) == (3, 3)
    assert begun[0] == begun[1] != begun[2]


def test_an_illegal_move_loses():
    illegal = FirstCell()
    illegal.move = lambda size, exact, moves: moves[0]
    assert play(illegal, FirstCell(), SIZE, False, (0, 1), True).why == "forfeit: illegal cell 0"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("print('OK', flush=True); input(); input()", "the program has ended"),
        ("print('OK', flush=True)\nimport time\ntime.sleep(60)", "no answer in time"),
        (
            "print('OK', flush=True)\nprint('ERROR no idea', flush=True)\nimport sys\nsys.stdin.read()",
            "answered 'ERROR no",
        ),
        ("print('OK', flush=True)\nprint('99,0', flush=True)\nimport sys\nsys.stdin.read()", "illegal move '99,0'"),
        ("print('OK')\nprint('MESSAGE hm')\nprint('1', flush=True)\nimport sys\nsys.stdin.read()", "answered '1'"),
        ("raise SystemExit", "the program has ended"),
    ],
    ids=["ends", "sleeps", "errs", "illegal", "garbles", "never-starts"],
)
def test_a_program_that_breaks_the_protocol_loses(source, why):
    """Every way to fail is told, the program is ended, and the next game, as second player, starts it again."""
    failing = Program(program(source), turn_ms=100 if "no answer" in why else 20_000, grace_ms=100)
    for players, result in (((failing, FirstCell()), -1), ((FirstCell(), failing), 1)):
        game = play(*players, SIZE, False, (0, 1), True)
        assert game.result == result
        assert why in game.why


def test_the_slowest_answer_of_a_program_and_late_ones_are_told():
    """A program that sleeps before its first and second move; how long it takes to start does not count."""
    source = """
import time
time.sleep(0.3)
for answer in ("OK", "2,0", "4,0"):
    print(answer, flush=True)
    time.sleep(0.2)
"""
    for turn_ms, late in ((20_000, 0), (20, 2)):
        slow = Program(program(source), turn_ms, grace_ms=20_000)
        assert (slow.slowest_ms, slow.late) == (0, 0)
        assert slow.move(SIZE, False, (0, 1)) == 2
        assert slow.move(SIZE, False, (0, 1, 2, 3)) == 4
        slow.close()
        assert 150 <= slow.slowest_ms < 20_000
        assert slow.late == late


def test_a_program_has_a_pause_between_its_answer_and_the_next_question():
    """It answers with row 1 where the next line came too soon, else with row 0."""
    source = """
import sys, time
answers, answered = 0, 0.0
for line in sys.stdin:
    soon, word = time.monotonic() < answered + 0.15, line.split()[0]
    if word == "INFO":
        early = soon
    if word == "START":
        print("OK", flush=True)
    if word in ("DONE", "TURN"):
        print("%d,%d" % (10 + answers, early), flush=True)
        answers, answered = answers + 1, time.monotonic()
"""
    for pause_ms, row in ((0, 1), (200, 0)):
        quick = Program(program(source), 20_000, pause_ms=pause_ms)
        assert quick.move(SIZE, 0, (0, 1)) == 10
        assert quick.move(SIZE, 0, (0, 1, 10, 3)) == 11 + row * SIZE
        quick.close()


@pytest.mark.slow
def test_kinarow_beats_a_program_that_plays_at_random_cells(tmp_path, capsys):
    """Two real processes; the record lets a broken-off match go on, and refuses another match's games."""
    record = tmp_path / "games.jsonl"
    words = [f"{KINAROW} --max-nodes 500", program(FIRST_EMPTY_CELL), "--turn-ms", "20000", "--record", str(record)]
    assert runner.main([*words, "--games", "2"]) == 0
    assert "+2 =0 -0" in capsys.readouterr().out
    assert len(record.read_text().splitlines()) == 3
    assert runner.main([*words, "--games", "3"]) == 0
    said = capsys.readouterr().out
    assert "2 games are known" in said
    assert "+4 =0 -0" in said
    assert [json.loads(line)["result"] for line in record.read_text().splitlines()[1:]] == [1] * 4
    with pytest.raises(SystemExit, match="other conditions"):
        runner.main([*words, "--size", "20"])
    # A judge finds mistakes of the other program alone, and is asked nothing twice.
    judged, answers = tmp_path / "judged.jsonl", []
    words = [str(record), KINAROW, "--judge-nodes", "1000", "--nodes", "500", "--record", str(judged)]
    for _ in range(2):
        assert mistakes.main(words) == 0
        rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if "where the first won" in line]
        assert [row[1] for row in rows] == ["4", "4"]
        assert int(rows[0][3]) == 0 < int(rows[1][3])
        answers.append(judged.read_text())
    assert answers[0] == answers[1]


@pytest.mark.slow
def test_kinarow_is_level_with_itself_at_equal_nodes_and_beats_less_of_itself(capsys):
    """Both sides of every opening: exactly one half against itself, most points against a hundredth of the nodes."""
    equal = f"{KINAROW} --max-nodes 1000"
    assert runner.main([equal, equal, "--games", "6", "--turn-ms", "20000"]) == 0
    assert "score 0.500" in capsys.readouterr().out.splitlines()[-1]
    assert runner.main([KINAROW, KINAROW, "--nodes", "3000", "30", "--games", "10", "--turn-ms", "20000"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert float(last.partition("score ")[2].partition(",")[0]) >= 0.7
