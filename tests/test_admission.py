"""So many searches run, so many requests wait for a bounded time, and what is refused leaves nothing behind."""

import os
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from service.admission import SEARCH_NICENESS, Admission, Busy, Gone, Load, NotKnown

WAIT_S = 5
IDLE = Load(running=0, waiting=0, following=0, streams=0)


class Flag:
    """A stop flag that a test sets."""

    def __init__(self):
        self.value = False

    def is_set(self):
        return self.value


class Held:
    """Searches in threads of their own that go on until they are let go."""

    def __init__(self, admission):
        self.admission = admission
        self.go_on = threading.Event()
        self.outcomes = []
        self.threads = []

    def search(self, count=1, stop=None):
        for _ in range(count):
            self._start(lambda: self.admission.run(self._compute, stop))
        return self

    def follow(self, shared, count=1, stop=None):
        for _ in range(count):
            self._start(lambda: self.admission.follow(shared, stop))
        return self

    def until(self, **expected):
        """Wait until the load is so."""
        end = time.monotonic() + WAIT_S
        while any(getattr(self.admission.load(), name) != value for name, value in expected.items()):
            assert time.monotonic() < end, self.admission.load()
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
            except (Busy, Gone) as error:
                self.outcomes.append(getattr(error, "reason", "gone"))

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.threads.append(thread)


def make(**other):
    return Admission(**{"searches": 2, "queue": 2, "wait_s": WAIT_S, "places": 7, "streams": 4, **other})


def test_no_more_than_so_many_searches_run_at_once():
    admission = make(queue=4)
    running, most, lock = [0], [0], threading.Lock()

    def compute():
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.01)
        with lock:
            running[0] -= 1

    threads = [threading.Thread(target=lambda: admission.run(compute)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert most == [2]
    assert admission.load() == IDLE


def test_who_comes_to_a_full_queue_is_refused_at_once():
    admission = make()
    held = Held(admission).search(4).until(running=2, waiting=2)
    began = time.monotonic()
    with pytest.raises(Busy) as refused:
        admission.run(lambda: pytest.fail("must not run"))
    assert time.monotonic() - began < 1
    assert refused.value.reason == "queue_full"
    assert held.end() == ["found"] * 4
    assert admission.load() == IDLE
    assert admission.shed()["queue_full"] == 1


def test_who_waits_too_long_is_refused_and_forgotten():
    admission = make(wait_s=0.05)
    held = Held(admission).search(2).until(running=2)
    with pytest.raises(Busy) as refused:
        admission.run(lambda: pytest.fail("must not run"))
    assert refused.value.reason == "waited"
    assert admission.load().waiting == 0
    held.end()
    assert admission.run(lambda: 1) == 1
    assert admission.load() == IDLE


def test_a_search_that_becomes_free_goes_to_who_has_waited_longest():
    admission, order = make(searches=1, queue=3), []
    held = Held(admission).search().until(running=1)
    threads = []
    for number in range(3):
        threads.append(threading.Thread(target=lambda n=number: admission.run(lambda: order.append(n))))
        threads[-1].start()
        held.until(waiting=number + 1)
    held.end()
    for thread in threads:
        thread.join(WAIT_S)
    assert order == [0, 1, 2]


def test_one_who_waits_and_whose_client_goes_away_leaves_the_queue():
    admission, stop = make(), Flag()
    held = Held(admission).search(2).until(running=2)
    waiting = Held(admission).search(stop=stop).until(waiting=1)
    stop.value = True
    waiting.until(waiting=0)
    assert waiting.end() == ["gone"]
    held.end()
    assert admission.load() == IDLE
    assert sum(admission.shed().values()) == 0


def test_a_search_that_fails_gives_everything_back():
    admission = make()
    for _ in range(10):
        with pytest.raises(ZeroDivisionError):
            admission.run(lambda: 1 // 0)
    assert admission.load() == IDLE


def test_searches_waiters_followers_and_streams_share_the_places():
    admission = make(places=7)
    shared = Future()
    held = Held(admission).search(4).follow(shared, 2).until(running=2, waiting=2, following=2)
    close = admission.open_stream()
    for refused in (
        lambda: admission.follow(shared),
        lambda: admission.run(lambda: None),
        lambda: admission.open_stream(),
    ):
        with pytest.raises(Busy) as error:
            refused()
        assert error.value.reason == "threads"
    close()
    shared.set_result(1)
    held.end()
    assert admission.load() == IDLE


def test_no_more_than_so_many_streams_are_open():
    admission = make(streams=2)
    closes = [admission.open_stream() for _ in range(2)]
    with pytest.raises(Busy) as refused:
        admission.open_stream()
    assert refused.value.reason == "streams"
    for close in closes:
        close()
    assert admission.load() == IDLE


def test_the_search_of_a_stream_uses_the_place_of_the_stream():
    admission = make(searches=1, queue=0, places=1, streams=1)
    close = admission.open_stream()
    with admission.in_stream():
        assert admission.run(lambda: 5) == 5
    with pytest.raises(Busy):
        admission.run(lambda: 5)
    close()
    assert admission.run(lambda: 5) == 5


def test_nothing_is_computed_where_only_what_is_known_is_wanted():
    admission = make()
    with admission.known_only():
        with pytest.raises(NotKnown):
            admission.run(lambda: pytest.fail("must not run"))
        with pytest.raises(NotKnown):
            admission.follow(Future())
    assert admission.run(lambda: 1) == 1
    assert admission.load() == IDLE


def test_who_follows_a_computation_that_was_refused_is_refused_too():
    admission, shared = make(), Future()
    held = Held(admission).follow(shared, 2).until(following=2)
    shared.set_exception(Busy("waited"))
    assert held.end() == ["waited", "waited"]
    assert admission.load() == IDLE


def test_one_who_follows_and_whose_client_goes_away_stops_to_wait():
    admission, stop = make(), Flag()
    held = Held(admission).follow(Future(), stop=stop).until(following=1)
    stop.value = True
    assert held.end() == ["gone"]
    assert admission.load() == IDLE


def test_it_says_when_the_last_search_is_taken_and_when_one_is_free_again():
    said = []
    admission = make(on_busy=said.append)
    held = Held(admission).search(3).until(running=2, waiting=1)
    assert said == [False, True]
    held.end()
    assert said == [False, True, False]


def test_it_says_how_long_those_waited_who_had_to():
    waits = []
    admission = make(searches=1, on_wait=waits.append)
    admission.run(lambda: None)
    held = Held(admission).search(2).until(running=1, waiting=1)
    time.sleep(0.05)
    held.end()
    assert len(waits) == 1
    assert 0.04 < waits[0] < WAIT_S


def test_many_threads_leave_it_as_they_found_it():
    admission = make(searches=2, queue=2, wait_s=0.002, places=5)
    counts = {"done": 0, "refused": 0}
    lock = threading.Lock()

    def ask():
        for _ in range(200):
            try:
                admission.run(lambda: time.sleep(0.0005))
                what = "done"
            except Busy:
                what = "refused"
            with lock:
                counts[what] += 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counts["done"] + counts["refused"] == 1600
    assert counts["refused"] == sum(admission.shed().values())
    assert admission.load() == IDLE


def test_it_costs_little_where_a_search_is_free():
    """Bare executors hand a call over as well, and tell how fast the machine is."""
    admission = make()

    def nothing():
        pass

    with _bare_executor(admission) as bare:
        ours, bares = _least_times(lambda: admission.run(nothing), lambda: bare.submit(nothing).result())
    # What a hand-over costs depends on which cores the two threads are on, and differs by itself up to threefold.
    assert ours < 4 * bares


def test_what_is_found_at_once_costs_less_than_a_hand_over():
    admission = make()
    with _bare_executor(admission) as bare:
        ours, bares = _least_times(
            lambda: admission.run(None, brief=lambda: "found"), lambda: bare.submit(int).result()
        )
    assert ours < 0.5 * bares


def _bare_executor(admission):
    """As many threads, as nice as those that search."""
    niceness = SEARCH_NICENESS if sys.platform == "linux" else 0
    return ThreadPoolExecutor(admission.searches, initializer=lambda: os.nice(niceness))


def _least_times(*calls):
    """The least processor time of this thread for each of these, asked in turns."""
    times = [[_processor_time(call) for call in calls] for _ in range(30)]
    return map(min, zip(*times, strict=True))


def _processor_time(call, times=200):
    began = time.thread_time()
    for _ in range(times):
        call()
    return time.thread_time() - began


def test_what_is_found_at_once_waits_for_nobody():
    admission = make()
    held = Held(admission).search(4).until(running=2, waiting=2)
    assert admission.run(None, brief=lambda: "found") == "found"
    with pytest.raises(Busy):
        admission.run(lambda: "never", brief=lambda: None)
    assert held.end() == ["found"] * 4
    assert admission.load() == IDLE


def test_what_is_not_found_at_once_takes_its_turn():
    assert make().run(lambda: "found in the end", brief=lambda: None) == "found in the end"


def test_only_one_at_a_time_is_tried_at_once():
    admission = make()
    held = Held(admission).search(4).until(running=2, waiting=2)
    outcomes = []

    def brief():
        # The second finds the first under way, so it would have to wait with the others.
        with pytest.raises(Busy):
            admission.run(lambda: "never", brief=lambda: outcomes.append("tried as well"))
        return "found"

    assert admission.run(None, brief=brief) == "found"
    assert outcomes == []
    held.end()


def test_who_comes_while_another_is_tried_is_tried_after_it(monkeypatch):
    monkeypatch.setattr("service.admission.BRIEF_WAIT_S", 10)
    admission = make()
    held = Held(admission).search(4).until(running=2, waiting=2)
    under_way = threading.Event()

    def brief():
        under_way.set()
        time.sleep(0.05)
        return "first"

    with ThreadPoolExecutor(1) as other:
        first = other.submit(admission.run, lambda: "never", brief=brief)
        assert under_way.wait(5)
        assert admission.run(lambda: "never", brief=lambda: "second") == "second"
        assert first.result() == "first"
    held.end()


def test_an_attempt_that_fails_leaves_the_next_one_free():
    admission = make()

    def gone():
        raise Gone

    with pytest.raises(Gone):
        admission.run(None, brief=gone)
    assert admission.run(None, brief=lambda: "found") == "found"


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own only on Linux")
def test_searches_give_way_and_those_who_ask_do_not():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = niceness()
    admission = make()
    assert admission.run(niceness) == min(19, own + SEARCH_NICENESS)
    assert admission.run(niceness) == min(19, own + SEARCH_NICENESS), "the second is no nicer than the first"
    assert niceness() == own
