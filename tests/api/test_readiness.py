"""When /readyz says no: while draining in every process of a start, and, where wanted, under lasting overload."""

import os
import time
from collections.abc import Iterator

import pytest

from service import workers
from service.api import readiness


@pytest.fixture(autouse=True)
def undrained() -> Iterator[None]:
    yield
    readiness.resume()
    workers.set_busy(False)


def test_draining_turns_away_who_asks_if_it_is_ready_and_nobody_else(make_asker):
    ask = make_asker()
    assert ask.get("/readyz").status_code == 200
    readiness.drain()
    refused = ask.get("/readyz")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) >= 1
    assert ask.get("/healthz").status_code == 200
    assert ask.post("/move", {"board": ["..."] * 3}).status_code == 200
    readiness.resume()
    assert ask.get("/readyz").status_code == 200


def test_draining_reaches_the_processes_that_were_forked_before():
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        deadline = time.monotonic() + 5
        while not readiness.draining() and time.monotonic() < deadline:
            time.sleep(0.005)
        os.write(tell, b"1" if readiness.draining() else b"0")
        os._exit(0)
    readiness.drain()
    assert os.read(told, 1) == b"1"
    os.waitpid(child, 0)
    os.close(told)
    os.close(tell)


def test_lasting_overload_turns_it_away_only_where_that_is_wanted(make_asker):
    never = make_asker()
    after_a_second = make_asker(unready_after_s=1)
    workers.set_busy(True)
    assert after_a_second.get("/readyz").status_code == 200
    time.sleep(1.1)
    assert after_a_second.get("/readyz").status_code == 503
    assert never.get("/readyz").status_code == 200
    workers.set_busy(False)
    assert after_a_second.get("/readyz").status_code == 200


def test_metrics_may_be_switched_off(make_asker):
    assert make_asker().get("/metrics").status_code == 200
    assert make_asker(metrics=False).get("/metrics").status_code == 404


def test_one_worker_with_a_search_to_spare_is_enough():
    class Worker:
        pass

    idle = Worker()
    workers.before_fork(idle)
    try:
        number = workers._taken[idle]
        other = Worker()
        workers.before_fork(other)
        assert workers._taken[other] != number
        workers._busy_since[workers._taken[other]] = 0.0
        workers.set_busy(True)
        assert not workers.all_busy_for(0)
        workers.after_exit(other)
        assert workers.all_busy_for(0)
    finally:
        workers.after_exit(idle)
