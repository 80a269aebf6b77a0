"""The service as an operator starts it: ready soon, ended by a signal without loss, reloaded, limited, quiet."""

import http.client
import json
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from gunicorn.workers.gthread import ThreadWorker

from service import serving
from service.settings import Settings
from tests.support.processes import workers
from tests.support.server import REPOSITORY, Server, free_port

BOARD = {"board": ["X.O", ".X.", "..."]}

HEAP_BYTES = 64 * 1024 * 1024
"""What glibc sets aside, at a multiple of its size, for each heap beside the first."""
ALLOCATE = """
import resource, sys, threading
from pathlib import Path
from service import serving

if sys.argv[1] == "small":
    serving._keep_heaps_small()

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

def work():
    kept.append([b"x" * 2000 for _ in range(100)])
    met.wait()

kept, met = [], threading.Barrier(4)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
met.wait()
for _ in range(2):
    large = []
    for _ in range(100):
        large.append(b"x" * 300_000)
        kept.append(b"x" * 100_000)  # so that no hole grows together with the next
    most = resident()
    del large
print((most - resident()) / (100 * 300_000))
print(Path("/proc/self/maps").read_text())
"""


def test_the_options_follow_from_the_settings():
    options = serving.options(Settings(host="::1", port=1234, workers=3, threads=5, max_time_ms=20_000))
    assert options["bind"] == ["[::1]:1234"]
    assert (options["workers"], options["threads"]) == (3, 5)
    assert issubclass(options["worker_class"], ThreadWorker)
    assert options["worker_class"].max_body == 65_536
    assert options["graceful_timeout"] > 20
    assert options["control_socket_disable"] is True


def test_the_service_answers(live_server):
    answer = live_server.post("/move", BOARD)
    assert answer.status == 200
    assert answer.json["move"]["tile"] == 9
    assert live_server.get("/healthz").status == 200


def test_it_says_where_it_listens(live_server):
    assert f"listening at {live_server.url} with 2 workers of 8 threads" in live_server.log


def test_the_kernels_are_loaded_once_and_before_anything_is_answered(live_server):
    log = live_server.log
    assert log.index("loading") < log.index("Listening at") < log.index("Booting worker")
    after = log[log.index("Listening at") :]
    assert "compiling kernel" not in after


def test_every_worker_is_ready_at_once(live_server):
    """Each worker inherits what the master loaded: a hundred requests on new connections, no 503 among them."""
    assert {live_server.get("/readyz").status for _ in range(100)} == {200}


def heaps(maps: str) -> int:
    """The heaps of a process beside the first: what it may write, and what is set aside behind that."""
    regions = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (\S+)", maps, re.MULTILINE)
    return sum(
        int(begin, 16) % HEAP_BYTES == 0 and access == "rw-p" and int(last, 16) - int(begin, 16) == HEAP_BYTES
        for (begin, _, access), (_, last, _) in pairwise(regions)
    )


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the heaps are glibc's")
def test_threads_share_one_heap_and_large_blocks_go_back_to_the_system(live_server):
    found = {}
    for how in ("small", "as glibc has them"):
        command = [sys.executable, "-c", ALLOCATE, how]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True)
        gone_back, _, maps = done.stdout.partition("\n")
        found[how] = (float(gone_back), heaps(maps))
    assert found["small"][0] > 0.9
    assert found["small"][1] == 0
    # What is looked at does differ where nothing is done about it.
    assert found["as glibc has them"][0] < 0.5
    assert found["as glibc has them"][1] >= 2
    for _ in range(20):
        assert live_server.get("/healthz").status == 200
    for worker in workers(live_server):
        assert heaps(Path(f"/proc/{worker}/maps").read_text()) == 0


def test_no_version_of_the_server_is_told(live_server):
    for answer in (live_server.get("/healthz"), live_server.get("/nowhere")):
        assert not any(digit in answer.headers.get("server", "") for digit in "0123456789")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/healthz?" + "a" * 5000, {}, 414),
        ("/healthz", {f"X-Header-{number}": "1" for number in range(100)}, 431),
        ("/healthz", {"X-Long": "a" * 9000}, 431),
    ],
    ids=["long line", "many headers", "long header"],
)
def test_oversized_requests_are_refused_by_the_server(live_server, path, headers, status):
    connection = http.client.HTTPConnection("127.0.0.1", live_server.port, timeout=10)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    assert response.status == status
    assert response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(response.read())["status"] == status
    connection.close()
    assert live_server.get("/healthz").status == 200


def test_a_signal_ends_it_and_nothing_that_was_asked_is_lost():
    with Server.started(KINAROW_WORKERS="1") as server:
        slow = {"board": ["." * 15] * 15, "goal": 5, "time_limit_ms": 1500, "max_nodes": 100_000_000}
        answers = []
        thread = threading.Thread(target=lambda: answers.append(server.post("/move", slow)))
        thread.start()
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        thread.join(30)
        assert server.process.wait(30) == 0
        assert answers
        assert answers[0].status == 200
        assert answers[0].json["search"]["stopped_by"] == "time"


def test_a_signal_while_it_loads_ends_it(tmp_path):
    with Server.started(ready=False, KINAROW_KERNEL_CACHE_DIR=str(tmp_path)) as server:
        deadline = time.monotonic() + 60
        while "compiling kernel" not in server.log and time.monotonic() < deadline:
            time.sleep(0.02)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == 0
        assert "Listening" not in server.log


def test_a_hangup_reloads_without_a_failed_request():
    with Server.started(KINAROW_WORKERS="1") as server:
        statuses, over = [], threading.Event()

        def ask() -> None:
            while not over.is_set():
                statuses.append(server.post("/move", BOARD).status)

        thread = threading.Thread(target=ask)
        thread.start()
        for _ in range(2):
            time.sleep(0.3)
            server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while server.log.count("Booting worker") < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        over.set()
        thread.join(30)
        assert set(statuses) == {200}
        assert server.log.count("Booting worker") >= 3


def test_a_worker_that_is_killed_is_replaced():
    with Server.started(KINAROW_WORKERS="1") as server:
        first = worker_of(server)
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                if server.get("/readyz").status == 200 and worker_of(server) != first:
                    break
            except OSError:
                pass
            time.sleep(0.05)
        assert worker_of(server) != first
        assert server.post("/move", BOARD).status == 200


def worker_of(server: Server) -> int:
    """The process id of the newest worker, from the log."""
    lines = [line for line in server.log.splitlines() if "Booting worker" in line]
    return int(json.loads(lines[-1])["event"].rpartition(" ")[2])


def test_plain_gunicorn_with_the_shipped_configuration_does_the_same():
    command = (
        sys.executable,
        *("-m", "gunicorn", "--config", "python:service.gunicorn_conf", "service.wsgi:app"),
    )
    with Server.started(command, KINAROW_WORKERS="1") as server:
        assert server.post("/move", BOARD).json["move"]["tile"] == 9


def test_a_port_in_use_is_told_and_ends_it(live_server):
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "serve"],
        cwd=REPOSITORY,
        env={**os.environ, "KINAROW_PORT": str(live_server.port), "KINAROW_HOST": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "in use" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_given_on_the_command_line_goes_before_the_environment():
    port = free_port()
    command = (sys.executable, "-m", "service.cli", "serve", "--port", str(port), "--workers", "1")
    with Server.started(command, ready=False) as server:
        server.port, server.url = port, f"http://127.0.0.1:{port}"
        server.wait_until_ready()
        assert server.get("/healthz").status == 200
