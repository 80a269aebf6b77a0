"""``kinarow jsonl``: a real process on pipes, asked for many things at once and ended in every way."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.support.processes import processor_s, wait_for

KINAROW = [sys.executable, "-m", "kinarow.commands.cli", "jsonl"]
WIN = {"action": "move", "board": "XX./OO./..."}
LONG = {"action": "move", "board": "/".join(["." * 15] * 15), "goal": 5, "max_nodes": 10**8, "time_limit_ms": 300_000}
SOON_S = 60


@contextmanager
def program(*options):
    """A running process, killed at the end if it still runs."""
    env = {**os.environ, "KINAROW_MAX_TIME_MS": "300000"}
    with subprocess.Popen([*KINAROW, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process, *requests):
    process.stdin.write("".join(json.dumps(each) + "\n" for each in requests).encode())
    process.stdin.flush()


def hear(process):
    return json.loads(process.stdout.readline())


def answers(*lines, options=()):
    """All that is said to some lines, in its order, when the input ends after them."""
    text = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines)
    ended = subprocess.run([*KINAROW, *options], input=text, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def searching(process):
    say(process, {"id": "long", "progress": True, **LONG})
    assert hear(process)["event"] == "progress"


def test_actions():
    """The answers are those of the requests, the ids come back, and running requests finish at the end of the input."""
    game = {"game": "tic-tac-toe", "moves": [1, 2, 5, 3]}
    said = answers(
        {"id": "a", **WIN},
        {"id": 2, "action": "analysis", "board": "XX./OO./...", "top": 2},
        {"id": "r", "action": "review", "progress": True, **game},
        {"id": "v", "action": "version"},
    )
    last = {each["id"]: each for each in said if "event" not in each}
    assert last["a"]["move"]["tile"] == 3
    assert len(last[2]["moves"]) == 2
    assert last["r"]["moves"][1]["grade"] == "mistake"
    assert sorted(each["index"] for each in said if each.get("event") == "progress") == [0, 1, 2, 3]
    assert last["v"]["name"] == "kinarow"


def test_problems():
    """What is wrong is said under the id, as far as it is known, and other lines are answered."""
    nameless = [
        ("nope", None), ('{"id": "a", "id": "b"}', None), ('"' + "x" * 70_000 + '"', None), ("[]", ""),
        ('{"action": "version"}', "/id"), ('{"id": true, "action": "version"}', "/id"),
    ]  # fmt: skip
    named = [
        ({}, "/action"),
        ({"action": "tree"}, "/action"),
        ({"action": "move", "game": "ttt", "priority": "high"}, "/priority"),
        ({"action": "move", "game": "ttt", "levle": 3}, "/levle"),
        ({"action": "review", "game": "ttt", "moves": [1, 1]}, "/moves/1"),
        ({"action": "review", "game": "ttt", "record": "b2 b2"}, "/record"),
        ({"action": "move", "game": "ttt", "max_nodes": 10**12}, "/max_nodes"),
        ({"action": "cancel"}, "/cancels"),
        ({"action": "version", "cancels": "b"}, "/cancels"),
    ]
    said = answers(*[line for line, _ in nameless], "", *[{"id": n, **line} for n, (line, _) in enumerate(named)], WIN)
    unnamed = [each["problem"] for each in said if each["id"] is None]
    problems = {each["id"]: each["problem"] for each in said if each["id"] is not None}
    assert [_pointers(each) for each in unnamed] == [[] if place is None else [place] for _, place in nameless] + [
        ["/id"]
    ]
    assert [_pointers(problems[n]) for n in range(len(named))] == [[place] for _, place in named]


def test_the_id_of_a_line_that_is_not_strict_json():
    """It is read where it stands there once, so that the program knows which request was refused."""
    digits = "1" + "0" * 30
    lines = {
        f'{{"id": "a", "action": "move", "game": "ttt", "priority": {digits}}}': "a",
        '{"id": 7, "action": "move", "game": "ttt", "priority": NaN}': 7,
        '{"action": "move", "game": "ttt", "game": "ttt", "id": "b"}': "b",
        '{"id": "c", "board": [{"x": 1, "x": 2}]}': "c",
        f'{{"id": "d", "board": {"[" * 20}{"]" * 20}}}': "d",
        '{"id": "e", "id": "f"}': None,
        '{"id": true, "level": NaN}': None,
        '[["id", "g"], NaN]': None,
        '{"id": "h"': None,
    }
    said = answers(*lines)
    assert [each["id"] for each in said] == list(lines.values())
    assert {each["problem"]["status"] for each in said} == {400}


def _pointers(problem):
    return [each["pointer"] for each in problem.get("errors", [])]


def test_a_thousand_requests():
    """All are answered once, those of the highest priority first."""
    asked = [
        {"id": n, "action": "move", "game": "tic-tac-toe", "moves": [1 + n % 9], "seed": n, "priority": n % 2}
        for n in range(1000)
    ]
    with program("--searches", "1") as process:
        searching(process)
        say(process, *asked, {"id": "c", "action": "cancel", "cancels": "long"})
        process.stdin.close()
        said = [each["id"] for each in map(json.loads, process.stdout) if "event" not in each]
        assert process.wait(SOON_S) == 0
    said.remove("c")  # the answer to the cancel itself may come a line later
    assert said == ["long", *range(1, 1000, 2), *range(0, 1000, 2)]


def all_said(process, count):
    """The next `count` lines that are not events."""
    said = []
    while len(said) < count:
        line = hear(process)
        said += [line] if "event" not in line else []
    return said


def closed(process):
    process.stdin.close()
    assert process.wait(SOON_S) == 0


def test_cancel():
    """A running search ends, its id is free again; an id that waits for its answer is in use."""
    with program("--searches", "1") as process:
        searching(process)
        say(process, {"id": "long", **WIN}, {"id": "c", "action": "cancel", "cancels": "long"}, {"id": "long", **WIN})
        said = all_said(process, 4)
        closed(process)
    in_use, cancelled, answer = (each for each in said if each["id"] == "long")
    [done] = (each for each in said if each["id"] == "c")
    assert in_use["problem"]["errors"][0]["pointer"] == "/id"
    assert cancelled["problem"]["type"].endswith("#cancelled")
    assert done == {"id": "c", "cancels": "long", "cancelled": True}
    assert answer["move"]["tile"] == 3


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals(number, code):
    """A signal ends the searches at once."""
    with program() as process:
        searching(process)
        used = processor_s(process.pid)
        process.send_signal(number)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        # Most of it is the end of the interpreter; the search would go on for minutes.
        assert usage.ru_utime + usage.ru_stime - used < 0.9
    assert process.returncode == code


def test_closed_output():
    """If nobody reads the answers, all stops, though there are none to write."""
    with program() as process:
        searching(process)
        say(process, {"id": "second", **LONG, "seed": 1})
        process.stdout.close()
        assert process.wait(SOON_S) == 141


def test_dead_parent():
    """If the parent dies, all stops, though the pipes stay open."""
    code = f"""if True:
        import subprocess, sys, time
        child = subprocess.Popen({KINAROW!r}, stdin=0, stdout=1)
        print(child.pid, file=sys.stderr, flush=True)
        time.sleep(60)"""
    reading, writing = os.pipe()
    env = {**os.environ, "KINAROW_MAX_TIME_MS": "300000"}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as parent:
        child = int(parent.stderr.readline())
        os.write(writing, json.dumps({"id": "a", "progress": True, **LONG}).encode() + b"\n")
        assert b"progress" in parent.stdout.readline()
        parent.kill()
        wait_for(lambda: not _runs(child), SOON_S)
    os.close(reading)
    os.close(writing)


def _runs(process):
    """Whether a process of another parent runs, zombies apart."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
