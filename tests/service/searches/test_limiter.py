"""So many searches run, so many requests wait for a bounded time, and what is refused leaves nothing behind."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from kinarow.answer_cache import Flight
from kinarow.search_types import Limits, SearchStopped, Stop
from service.searches.limiter import SEARCH_NICENESS, SearchLimiter
from service.searches.overload import ClientDisconnected, Load, Overloaded
from tests.support.commands import run

WAIT_S = 5
IDLE = Load()


class Held:
    """Searches in threads of their own that go on until they are let go."""

    def __init__(self, limiter):
        self.limiter = limiter
        self.go_on = threading.Event()
        self.outcomes = []
        self.threads = []

    def search(self, count=1, stop=None):
        for _ in range(count):
            self._start(lambda: self.limiter.run(self._compute, stop))
        return self

    def join(self, flight, count=1, stop=None):
        for _ in range(count):
            self._start(lambda: self.limiter.join(flight, Limits(), stop))
        return self

    def until(self, **expected):
        end = time.monotonic() + WAIT_S
        while any(getattr(self.limiter.load, name) != value for name, value in expected.items()):
            assert time.monotonic() < end, self.limiter.load
            time.sleep(0.001)
        return self

    def end(self):
        self.go_on.set()
        for thread in self.threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()
        return self.outcomes

    def _compute(self):
        assert self.go_on.wait(WAIT_S)
        return "found"

    def _start(self, call):
        def work():
            try:
                self.outcomes.append(call())
            except (Overloaded, ClientDisconnected, SearchStopped) as error:
                self.outcomes.append(getattr(error, "reason", "gone"))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.threads.append(thread)


def make(*, searches=2, queue=2, wait_s=WAIT_S, streams=4, **told):
    return SearchLimiter(Load(searches, queue, streams=streams), wait_s, **told)


def test_no_more_than_so_many_searches_run_at_once():
    limiter = make(queue=4)
    running, most, lock = [0], [0], threading.Lock()

    def compute():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1

    threads = [threading.Thread(target=lambda: limiter.run(compute)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert most == [2]
    assert limiter.load == IDLE


def test_a_full_queue_refuses_at_once():
    told = []
    limiter = make(on_refused=told.append)
    held = Held(limiter).search(4).until(running=2, waiting=2)
    began = time.monotonic()
    with pytest.raises(Overloaded) as refused:
        limiter.run(lambda: pytest.fail("must not run"))
    assert time.monotonic() - began < 1
    assert refused.value.reason == "queue_full"
    assert held.end() == ["found"] * 4
    assert limiter.load == IDLE
    assert told == ["queue_full"]


def test_a_search_that_waits_too_long_is_refused():
    limiter = make(wait_s=0.05)
    held = Held(limiter).search(2).until(running=2)
    with pytest.raises(Overloaded) as refused:
        limiter.run(lambda: pytest.fail("must not run"))
    assert refused.value.reason == "waited"
    assert limiter.load.waiting == 0
    held.end()
    assert limiter.run(lambda: 1) == 1
    assert limiter.load == IDLE


def test_a_free_slot_goes_to_the_longest_waiting():
    limiter, order = make(searches=1, queue=3), []
    held = Held(limiter).search().until(running=1)
    threads = []
    for number in range(3):
        threads.append(threading.Thread(target=lambda n=number: limiter.run(lambda: order.append(n))))
        threads[-1].start()
        held.until(waiting=number + 1)
    held.end()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == [0, 1, 2]


def test_a_waiting_request_ends_when_its_client_disconnects():
    told = []
    limiter, stop = make(on_refused=told.append), Stop()
    held = Held(limiter).search(2).until(running=2)
    waiting = Held(limiter).search(stop=stop).until(waiting=1)
    stop.set()
    waiting.until(waiting=0)
    assert waiting.end() == ["gone"]
    held.end()
    assert limiter.load == IDLE
    assert told == []


def test_a_failed_search_returns_its_slot():
    limiter = make()
    for _ in range(10):
        with pytest.raises(ZeroDivisionError):
            limiter.run(lambda: 1 // 0)
    assert limiter.load == IDLE


def test_no_more_than_so_many_streams_are_open():
    limiter = make(streams=2)
    for _ in range(2):
        limiter.open_stream()
    with pytest.raises(Overloaded) as refused:
        limiter.open_stream()
    assert refused.value.reason == "streams"
    for _ in range(2):
        limiter.close_stream()
    assert limiter.load == IDLE


def test_a_joined_request_is_refused_with_the_one_it_joined():
    limiter, flight = make(), Flight(0)
    held = Held(limiter).join(flight, 2).until(joined=2)
    flight.ended.set_exception(Overloaded("waited"))
    assert held.end() == ["waited", "waited"]
    assert limiter.load == IDLE


def test_a_joined_request_ends_when_its_client_disconnects():
    limiter, stop = make(), Stop()
    held = Held(limiter).join(Flight(0), stop=stop).until(joined=1)
    stop.set()
    assert held.end() == ["gone"]
    assert limiter.load == IDLE


def test_a_joined_request_waits_no_longer_than_its_deadline():
    limiter, flight = make(), Flight(0)
    began = time.monotonic_ns()
    assert not limiter.join(flight, Limits(deadline_ns=began + 50_000_000), None)
    assert 50_000_000 <= time.monotonic_ns() - began < WAIT_S * 1e9
    flight.ended.set_result("found")
    assert limiter.join(flight, Limits(deadline_ns=began), None)
    assert limiter.load == IDLE


MANY_JOIN = """
from gevent import monkey
monkey.patch_all()
import time
import gevent
from kinarow.answer_cache import Flight
from kinarow.search_types import Limits, SearchStopped, Stop
from service.searches.overload import Load
from service.searches.limiter import SearchLimiter

limiter, flight = SearchLimiter(Load(1, 1), 1), Flight(0)

def join(stop):
    try:
        return limiter.join(flight, Limits(), stop)
    except SearchStopped:
        return "gone"

stops = [Stop() for _ in range(2000)]
joined = [gevent.spawn(join, stop) for stop in stops]
gevent.sleep(0)
assert limiter.load.joined == 2000
used = time.process_time()
gevent.sleep(2)
used = time.process_time() - used
for stop in stops[:1000]:
    stop.set()
gevent.sleep(0.5)
assert limiter.load.joined == 1000
flight.ended.set_result("found")
gevent.joinall(joined, timeout=10)
assert [each.value for each in joined] == ["gone"] * 1000 + [True] * 1000
print(used)
"""


def test_waiting_for_a_search_costs_nothing_however_many_join():
    assert float(run(sys.executable, "-c", MANY_JOIN)) < 0.1


def test_waiting_times_are_reported():
    waits = []
    limiter = make(searches=1, on_waited=waits.append)
    limiter.run(lambda: None)
    held = Held(limiter).search(2).until(running=1, waiting=1)
    time.sleep(0.05)
    held.end()
    assert len(waits) == 1
    assert 0.04 < waits[0] < WAIT_S


def test_after_many_threads_the_limiter_is_idle():
    refusals = []
    limiter = make(searches=2, queue=2, wait_s=0.002, on_refused=refusals.append)
    counts = {"done": 0, "refused": 0}
    lock = threading.Lock()

    def ask():
        for _ in range(200):
            try:
                limiter.run(lambda: time.sleep(0.0005))
                what = "done"
            except Overloaded:
                what = "refused"
            with lock:
                counts[what] += 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counts["done"] + counts["refused"] == 1600
    assert counts["refused"] == len(refusals)
    assert limiter.load == IDLE


def test_a_short_search_does_not_queue():
    limiter = make()
    held = Held(limiter).search(4).until(running=2, waiting=2)
    assert limiter.try_at_once(lambda: "found") == "found"
    assert held.end() == ["found"] * 4
    assert limiter.load == IDLE


def test_only_one_short_search_is_tried_at_a_time():
    limiter = make()
    held = Held(limiter).search(4).until(running=2, waiting=2)
    outcomes = []

    def brief():
        # The second finds the first under way.
        assert limiter.try_at_once(lambda: outcomes.append("tried as well")) is None
        return "found"

    assert limiter.try_at_once(brief) == "found"
    assert outcomes == []
    held.end()


def test_short_searches_are_tried_one_after_another(monkeypatch):
    monkeypatch.setattr("service.searches.limiter.BRIEF_WAIT_S", 10)
    limiter = make()
    held = Held(limiter).search(4).until(running=2, waiting=2)
    under_way = threading.Event()

    def brief():
        under_way.set()
        time.sleep(0.05)
        return "first"

    with ThreadPoolExecutor(1) as other:
        first = other.submit(limiter.try_at_once, brief)
        assert under_way.wait(5)
        assert limiter.try_at_once(lambda: "second") == "second"
        assert first.result() == "first"
    held.end()


def test_after_a_failed_try_the_next_one_runs():
    limiter = make()

    def gone():
        raise ClientDisconnected

    with pytest.raises(ClientDisconnected):
        limiter.try_at_once(gone)
    assert limiter.try_at_once(lambda: "found") == "found"


def test_every_change_of_the_load_is_reported():
    told = []
    limiter = make(on_load=told.append)
    Held(limiter).search(3).until(running=2, waiting=1).end()
    assert told[:3] == [Load(1), Load(2), Load(2, 1)]
    assert told[-1] == IDLE


def test_a_search_without_time_needs_no_slot():
    limiter = make(queue=0)
    held = Held(limiter).search(2).until(running=2)
    assert limiter.run_at_once(lambda: "found") == "found"
    held.end()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own only on Linux")
def test_only_search_threads_have_a_nice_value():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = niceness()
    limiter = make()
    assert limiter.run(niceness) == min(19, own + SEARCH_NICENESS)
    assert limiter.run(niceness) == min(19, own + SEARCH_NICENESS), "the second is no nicer than the first"
    assert niceness() == own
