"""What breaks a running service, done to a real one under load: what it costs, and how soon it is over."""

import http.client
import json
import os
import shutil
import signal
import sys
import time

import pytest

from kinarow.jit.cache_dir import use_kernel_cache
from tests.support import faults
from tests.support.load import Load
from tests.support.machine import crowding
from tests.support.permissions import WITHOUT_PRIVILEGES, read_only
from tests.support.redis_server import RedisServer
from tests.support.server import Server

SOON_S = 60
WORKERS = 2
LONG_SEARCH = {"board": ["." * 15] * 15, "goal": 5, "time_limit_ms": 1500, "max_nodes": 100_000_000}


def children(server):
    """The process ids of the workers that run now."""
    return {
        int(pid)
        for pid in open(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read().split()
    }


def eventually(condition, within_s=SOON_S):
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def ready(server):
    try:
        return server.get("/readyz").status == 200
    except (OSError, http.client.HTTPException):
        return False


@pytest.fixture(scope="module")
def server():
    with Server.started(KINAROW_WORKERS=str(WORKERS)) as running:
        yield running


def test_a_killed_worker_costs_no_more_than_it_was_computing(server):
    with Load(server.port, clients=4) as load:
        load.wait_for(40)
        victim = min(children(server))
        killed_at = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: len(children(server) - {victim}) == WORKERS)
        replaced_s = time.monotonic() - killed_at
        load.wait_for(40)
    assert len(load.lost) <= load.clients, load.lost
    assert not any("status" in lost for lost in load.lost), (
        "connections may be lost, but nothing is answered wrongly"
    )
    faults.report("SIGKILL of a worker", load.sent, len(load.lost), replaced_s)


def test_every_worker_killed_at_once_costs_the_same_and_a_short_wait(server):
    with Load(server.port, clients=4) as load:
        load.wait_for(40)
        victims = children(server)
        killed_at = time.monotonic()
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        eventually(lambda: len(children(server) - victims) == WORKERS)
        load.wait_for(40)
    # The listening socket is the master's: who connects meanwhile waits, and is answered.
    assert len(load.lost) <= load.clients, load.lost
    faults.report("SIGKILL of every worker", load.sent, len(load.lost), load.gap_after(killed_at))


@pytest.mark.parametrize(
    ("keep_alive", "kind"),
    [(True, "kept connections"), pytest.param(False, "new connections", marks=pytest.mark.slow)],
)
def test_reloading_under_load_loses_nothing(server, keep_alive, kind):
    with Load(server.port, clients=3, keep_alive=keep_alive) as load:
        load.wait_for(20)
        old = children(server)
        started = time.monotonic()
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: not old & children(server))
        reloaded_s = time.monotonic() - started
        load.wait_for(20)
    assert load.lost == [], load.lost
    faults.report(f"SIGHUP, {kind}", load.sent, 0, reloaded_s)


def ask_new_questions(server, count, first):
    """Boards that no cache of the worker holds, large enough to be looked for in the shared tier."""
    slowest = 0.0
    for number in range(first, first + count):
        cells = ["."] * 64
        cells[number % 64], cells[(number * 7 + 1 + number // 64) % 64] = "X", "O"
        rows = ["".join(cells[row * 8 : row * 8 + 8]) for row in range(8)]
        started = time.monotonic()
        answer = server.post("/move", {"board": rows, "goal": 5, "to_move": "X", "max_nodes": 1 + number})
        slowest = max(slowest, time.monotonic() - started)
        assert answer.status == 200
    return slowest


ANSWERS = "the shared cache answers"
SILENT = "the shared cache does not answer"


def last_told(server):
    """The newest of what the log says of the shared cache."""
    return max((ANSWERS, SILENT), key=server.log.rfind) if "the shared cache" in server.log else None


def test_whatever_happens_to_redis_every_question_is_answered():
    asked = 60
    with RedisServer.started() as redis, Server.started(
        KINAROW_WORKERS="1", KINAROW_REDIS_URL=redis.url
    ) as server:  # fmt: skip
        eventually(lambda: last_told(server) == ANSWERS)
        ask_new_questions(server, asked, 0)
        quiet = ask_new_questions(server, asked, 1000)

        def unhurt(name, first, recovery_s):
            slowest = ask_new_questions(server, asked, first)
            assert slowest < quiet + 0.1 * crowding(), f"{name}: {slowest:.3f} s, and {quiet:.3f} s before"
            faults.report(f"Redis {name}", asked, 0, recovery_s)

        redis.client.flushall()
        redis.client.config_set("maxmemory-policy", "noeviction")
        redis.client.config_set("maxmemory", 1)
        unhurt("full", 2000, None)
        redis.client.config_set("maxmemory", 0)

        redis.pause()
        unhurt("paused", 3000, None)
        eventually(lambda: last_told(server) == SILENT)
        redis.resume()
        resumed_at = time.monotonic()
        eventually(lambda: last_told(server) == ANSWERS)
        faults.report("Redis resumed", asked, 0, time.monotonic() - resumed_at)

        redis.kill()
        unhurt("killed", 4000, None)
        eventually(lambda: last_told(server) == SILENT)
        redis.start()
        started_at = time.monotonic()
        eventually(lambda: last_told(server) == ANSWERS)
        faults.report("Redis started again, empty", asked, 0, time.monotonic() - started_at)


def test_garbage_in_redis_is_computed_anew():
    board = {"board": ["." * 12] * 6 + ["...X" + "." * 8] + ["." * 12] * 5, "goal": 5, "max_nodes": 3_000}
    with RedisServer.started() as redis:
        settings = {"KINAROW_WORKERS": "1", "KINAROW_REDIS_URL": redis.url, "KINAROW_CACHE_SIZE": "0"}
        with Server.started(**settings, KINAROW_RESPONSE_CACHE_BYTES="0") as server:
            eventually(lambda: last_told(server) == ANSWERS)
            first = server.post("/move", board).json
            # Where the machine is busy Redis may be late, and is then left alone for a second.
            again = []
            eventually(
                lambda: again.append(server.post("/move", board).json) or again[-1]["search"]["cached"]
            )
            second = again[-1]
            (name,) = redis.client.keys()
            garbage = (
                b"",
                b"{}",
                b"\x80\x04garbage",
                b"x" * 50_000_000,
                json.dumps(first).encode(),
                b"[" * 10_000,
            )
            for value in garbage:
                redis.client.set(name, value)
                answer = server.post("/move", board).json
                assert answer["search"]["cached"] is False
                assert without_search(answer) == without_search(first) == without_search(second)
            redis.client.delete(name)
            redis.client.lpush(name, "x")
            assert server.post("/move", board).json["search"]["cached"] is False
            faults.report("Redis filled with garbage", len(garbage) + 1, 0, None)


def without_search(answer):
    return {name: value for name, value in answer.items() if name != "search"}


@pytest.mark.slow
def test_workers_share_what_one_has_found():
    """Two services, one Redis: the second answers from what the first has computed."""
    board = {"board": ["......."] * 7, "goal": 5, "max_nodes": 200_000}
    with RedisServer.started() as redis:
        common = {"KINAROW_WORKERS": "1", "KINAROW_REDIS_URL": redis.url, "KINAROW_CACHE_SIZE": "0"}
        with Server.started(**common) as one, Server.started(**common) as other:
            eventually(lambda: last_told(one) == last_told(other) == ANSWERS)
            first = one.post("/move", board).json
            eventually(lambda: redis.client.dbsize() == 1)
            answers = []
            eventually(
                lambda: answers.append(other.post("/move", board).json) or answers[-1]["search"]["cached"]
            )
    assert first["search"]["cached"] is False
    for answer in answers:
        assert without_search(answer) == without_search(first)
        assert answer["search"]["nodes"] == first["search"]["nodes"]


@pytest.mark.slow
def test_a_log_that_cannot_be_written_stops_nothing():
    command = ("sh", "-c", 'exec "$0" -m service.cli serve 2>/dev/full', sys.executable)
    with Server.started(command, KINAROW_WORKERS="1") as server, Load(server.port, clients=2) as load:
        load.wait_for(100)
    assert load.lost == [], load.lost
    assert server.process.returncode == 0
    faults.report("No space left for the log", load.sent, 0, None)


@pytest.mark.slow
def test_kernels_in_a_folder_that_cannot_be_written_are_used_all_the_same(tmp_path):
    own = use_kernel_cache()
    shutil.copytree(own, tmp_path / "kernels" / own.name)
    command = (*WITHOUT_PRIVILEGES, sys.executable, "-m", "service.cli", "serve")
    with read_only(tmp_path / "kernels"):
        started = time.monotonic()
        settings = {"KINAROW_WORKERS": "1", "KINAROW_KERNEL_CACHE_DIR": str(tmp_path / "kernels")}
        with Server.started(command, **settings) as server:
            with Load(server.port, clients=2) as load:
                load.wait_for(100)
            assert "compiling kernel" not in server.log
    assert load.lost == [], load.lost
    assert time.monotonic() - started < 60 * crowding()
    faults.report("Kernel cache on a read-only file system", load.sent, 0, None)
