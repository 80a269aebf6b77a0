"""The series of a real server: of all workers together, through deaths and reloads, and gone at the end."""

import os
import re
import signal
import sys
from pathlib import Path

from tests.support.commands import ended
from tests.support.processes import wait_for, workers
from tests.support.server import Server

BOARD = {"board": ["X.O", ".X.", "..."]}
_LINE = re.compile(r"([a-z_]+)(?:\{(.*)\})? ([0-9.eE+-]+|NaN)")


def series(text: str) -> dict[str, float]:
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = _LINE.fullmatch(line)
            assert match, line
            found[line.rpartition(" ")[0]] = float(match[3])
    return found


def scrape(server: Server) -> dict[str, float]:
    answer = server.get("/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["cache-control"] == "no-store"
    return series(answer.body.decode())


def of_both(server: Server) -> bool:
    """Whether both workers are counted: the first answers while the second may still load."""
    told = scrape(server)
    return [told[f"kinarow_{name}"] for name in ("stream_slots", "search_slots", "workers")] == [2 * 16, 3, 2]


MOVES = 'kinarow_requests_total{method="POST",route="/move",status="200"}'


def test_counts_of_all_workers_are_summed_and_outlive_a_worker():
    with Server.started(KINAROW_WORKERS="2", KINAROW_SEARCHES="3") as server:
        folder = _folder_of(server)
        for _ in range(40):
            assert server.post("/move", BOARD).status == 200
        assert scrape(server)[MOVES] == 40
        wait_for(lambda: of_both(server))
        for _ in range(3):
            first = workers(server)
            os.kill(first[0], signal.SIGKILL)
            wait_for(lambda first=first: len(workers(server)) == 2 and set(workers(server)) != set(first))
            wait_for(lambda: server.get("/readyz").status == 200)
        first = workers(server)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: not set(workers(server)) & set(first))
        wait_for(lambda: of_both(server))
        assert scrape(server)[MOVES] == 40
        assert server.stop() == 0
        assert not folder.exists()


def test_what_a_killed_master_has_left_is_removed_by_the_next():
    with Server.started(KINAROW_WORKERS="1") as server:
        held = set(workers(server))
        mine = _folder_of(server)
        os.killpg(server.process.pid, signal.SIGKILL)
        server.process.wait()
        wait_for(lambda: not any(Path(f"/proc/{process}").exists() for process in held))
        assert mine.exists()
        with Server.started(KINAROW_WORKERS="1") as other:
            assert not mine.exists()
            assert _folder_of(other).exists()


def _folder_of(server: Server) -> Path:
    """The only folder of metrics that the server holds open, not those that it has looked at or removed."""
    held = [entry.readlink() for entry in Path(f"/proc/{server.process.pid}/fd").iterdir() if entry.is_symlink()]
    [folder] = [target for target in held if target.name.startswith("kinarow-metrics-")]
    return folder


def test_a_start_without_any_folder_to_write_to_says_so(tmp_path):
    missing = str(tmp_path / "missing")
    code = f"""
import pathlib, tempfile
from service.searches import slots
slots.MEMORY_FOLDER = pathlib.Path({missing!r})
tempfile.tempdir = {missing!r}
from kinarow.commands.cli import main
raise SystemExit(main(["serve", "--port", "0"]))
"""
    done = ended(sys.executable, "-c", code)
    assert done.returncode == 2
    assert "the folder of the metrics" in done.stderr
    assert "Traceback" not in done.stderr
