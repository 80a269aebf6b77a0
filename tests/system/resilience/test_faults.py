"""What breaks a running service, done to a real one under load: what it costs, and how soon it is over."""

import itertools
import os
import signal
import statistics
import sys
import time

import pytest

from tests.support import faults
from tests.support.load import Load
from tests.support.processes import wait_for, workers
from tests.support.redis_server import RedisServer
from tests.support.server import Server

SOON_S = 60
WORKERS = 2


def eventually(condition):
    wait_for(condition, SOON_S)


@pytest.fixture(scope="module")
def server():
    with Server.started(KINAROW_WORKERS=str(WORKERS)) as running:
        yield running


@pytest.mark.parametrize(("victims", "name"), [(1, "a worker"), (WORKERS, "every worker")])
def test_a_killed_worker_costs_no_more_than_it_was_computing(server, victims, name):
    """The listening socket is the master's: who connects meanwhile waits, and is answered."""
    with Load(server.port, clients=4) as load:
        load.wait_for(40)
        killed = set(sorted(workers(server))[:victims])
        killed_at = time.monotonic()
        for victim in killed:
            os.kill(victim, signal.SIGKILL)
        eventually(lambda: len(set(workers(server)) - killed) == WORKERS)
        replaced_s = time.monotonic() - killed_at
        load.wait_for(40)
    assert len(load.lost) <= load.clients, load.lost
    assert not any("status" in lost for lost in load.lost), "connections may be lost, but nothing is answered wrongly"
    faults.report(f"SIGKILL of {name}", load.sent, len(load.lost), max(replaced_s, load.gap_after(killed_at)))


@pytest.mark.parametrize(
    ("keep_alive", "kind"), [(True, "kept connections"), pytest.param(False, "new connections", marks=pytest.mark.slow)]
)
def test_reloading_under_load_loses_nothing(server, keep_alive, kind):
    with Load(server.port, clients=3, keep_alive=keep_alive) as load:
        load.wait_for(20)
        old = set(workers(server))
        started = time.monotonic()
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: not old & set(workers(server)))
        reloaded_s = time.monotonic() - started
        load.wait_for(20)
    assert load.lost == [], load.lost
    faults.report(f"SIGHUP, {kind}", load.sent, 0, reloaded_s)


NEW_QUESTIONS = itertools.count()


def ask_new_questions(server, count):
    """The median of the seconds of some searches that no cache holds; each looks for its answer in the shared tier."""
    seconds = []
    for number in itertools.islice(NEW_QUESTIONS, count):
        cells = ["."] * 64
        cells[number % 64], cells[(number * 7 + 1 + number // 64) % 64] = "X", "O"
        rows = ["".join(cells[row * 8 : row * 8 + 8]) for row in range(8)]
        started = time.monotonic()
        assert server.post("/move", {"board": rows, "goal": 5, "to_move": "X", "max_nodes": 1000}).status == 200
        seconds.append(time.monotonic() - started)
    return statistics.median(seconds)  # a busy machine makes single ones late, Redis would all


ANSWERS = "the shared cache answers"
SILENT = "the shared cache does not answer"


def last_told(server):
    return max((ANSWERS, SILENT), key=server.log.rfind) if "the shared cache" in server.log else None


LATER_BY_S = 0.2  # half of the answers may come this much later because of Redis
ASKED = 60


def test_while_redis_is_away_every_question_is_answered_soon():
    """What else may happen to Redis is in tests/service/searches/test_redis_server.py."""
    with RedisServer.started() as redis, Server.started(KINAROW_WORKERS="1", KINAROW_REDIS_URL=redis.url) as server:
        eventually(lambda: last_told(server) == ANSWERS)
        ask_new_questions(server, ASKED)
        quiet = ask_new_questions(server, ASKED)
        redis.kill()
        late = ask_new_questions(server, ASKED) - quiet
        eventually(lambda: last_told(server) == SILENT)
        redis.start()
        ended_at = time.monotonic()
        eventually(lambda: last_told(server) == ANSWERS)
        print(f"\nRedis killed: the median answer later by {late * 1000:.1f} ms")
        assert late <= LATER_BY_S
        faults.report("Redis killed", ASKED, 0, time.monotonic() - ended_at)


@pytest.mark.slow
def test_a_log_that_cannot_be_written_stops_nothing():
    command = ("sh", "-c", 'exec "$0" -m kinarow.commands.cli serve 2>/dev/full', sys.executable)
    with Server.started(command, KINAROW_WORKERS="1") as server, Load(server.port, clients=2) as load:
        load.wait_for(100)
    assert load.lost == [], load.lost
    assert server.process.returncode == 0
    faults.report("No space left for the log", load.sent, 0, None)
