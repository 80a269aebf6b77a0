"""Commands that start processes: whatever ends them, and however early, no process stays behind.

Each runs in a session of its own, so that the system says which processes are left of it.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.processes import wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads the list of processes")

KINAROW = [sys.executable, "-m", "kinarow"]
COMMANDS = {
    "label": ["label", "games.csv", "out.csv", "--game", "connect-four", "--processes", "2"],
    "jsonl": ["jsonl"],
}
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
GONE_WITHIN_S = 30


def started(name, folder):
    """A command that has work for longer than a test, in a session of its own."""
    rng = random.Random(1)
    games = ("".join(rng.sample("1112223334445556667777", 13)) for _ in range(20_000))
    (folder / "games.csv").write_text("\n".join(["moves", *games, ""]), "utf-8")
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen([*KINAROW, *COMMANDS[name]], cwd=folder, start_new_session=True, text=True, **streams)


def processes_of(session):
    """The command lines of the processes of a session that have not ended."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if os.getsid(int(process.name)) == session and state != "Z":
                found[int(process.name)] = (process / "cmdline").read_text()
        except (OSError, ProcessLookupError):
            continue
    return found


def has_worker(run):
    return any("spawn_main" in line for line in processes_of(run.pid).values()) or run.poll() is not None


def nothing_stays(run):
    """Wait for the end of all processes of a command; its exit code and what it said."""
    try:
        wait_for(lambda: run.poll() is not None and not processes_of(run.pid), GONE_WITHIN_S)
    finally:
        for process in processes_of(run.pid):
            os.kill(process, signal.SIGKILL)
        told = run.communicate()[1]
    return run.returncode, told


def test_workers_end_with_a_parent_that_is_killed_while_they_start(tmp_path):
    with started("label", tmp_path) as run:
        wait_for(lambda: has_worker(run), GONE_WITHIN_S)
        run.kill()
        nothing_stays(run)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_while_workers_start_is_no_traceback(times, tmp_path):
    """A terminal sends it to all processes."""
    with started("label", tmp_path) as run:
        wait_for(lambda: has_worker(run), GONE_WITHIN_S)
        time.sleep(0.2)
        for _ in range(times):
            os.killpg(run.pid, signal.SIGINT)
            time.sleep(0.02)
        code, told = nothing_stays(run)
    assert code == 130
    assert "Traceback" not in told
    assert "KeyboardInterrupt" not in told


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_stays_of_a_command_that_is_ended_at_any_moment(name, number, tmp_path):
    for tenths in range(2, 21):
        folder = tmp_path / str(tenths)
        folder.mkdir()
        with started(name, folder) as run:
            time.sleep(tenths / 10)
            run.send_signal(number)
            nothing_stays(run)
