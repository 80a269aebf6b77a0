"""The match runner: who wins is judged right, and real programs play each other."""

import json
import random
import shlex
import sys

import pytest

from benchmarks import match as runner
from benchmarks import mistakes
from benchmarks.arena import completes
from tests.support import oracle

KINAROW = f"{sys.executable} -m kinarow.commands.cli piskvork"
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
