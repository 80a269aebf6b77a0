"""Searches and who waits for them are bounded, also by the slots that a machine's workers share."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from kinarow.cores import current, helping, using
from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.levels import MoveDistribution
from kinarow.search_types import Limits, SearchStopped, Stop
from kinarow.searches import InFlightSearch
from service.searches import slots as search_slots
from service.searches.limiter import (
    LANE_NODES,
    SEARCH_NICENESS,
    TRIES,
    TRY_NS,
    ClientDisconnected,
    FreeSlots,
    Load,
    Overloaded,
    SearchLimiter,
)
from service.searches.slots import SearchSlots, slots_folder
from service.searches.threads import own
from tests.support.commands import run
from tests.support.positions import position_of
from tests.support.processes import wait_for

WAIT_S = 60
IDLE = Load(0, 0, 0, 0)


class Held:
    """Searches in threads of their own that go on until they are let go."""

    def __init__(self, limiter):
        self.limiter = limiter
        self.go_on = threading.Event()
        self.outcomes = []
        self.threads = []

    def search(self, count=1, stop=None):
        return self._start(count, lambda: self.limiter.in_slot(self._compute, stop))

    def join(self, flight, count=1, stop=None):
        return self._start(count, lambda: self.limiter.join(flight, Limits(), stop))

    def until(self, **expected):
        wait_for(lambda: all(getattr(self.limiter.load, name) == value for name, value in expected.items()), WAIT_S)
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

    def _start(self, count, call):
        def work():
            try:
                self.outcomes.append(call())
            except (Overloaded, ClientDisconnected, SearchStopped) as error:
                self.outcomes.append(getattr(error, "reason", "gone"))

        for _ in range(count):
            self.threads.append(threading.Thread(target=work, daemon=True))
            self.threads[-1].start()
        return self


def make(*, searches=2, queue=2, wait_s=WAIT_S, streams=4, **told):
    return SearchLimiter(Load(searches, queue, streams=streams), wait_s, **told)


def refused(limiter):
    with pytest.raises(Overloaded) as error:
        limiter.in_slot(lambda: pytest.fail("must not run"))
    return error.value.reason


def test_a_full_queue_refuses_at_once():
    told = []
    limiter = make(on_refused=told.append)
    held = Held(limiter).search(4).until(running=2, waiting=2)
    began = time.monotonic()
    assert refused(limiter) == "queue_full"
    assert time.monotonic() - began < WAIT_S
    assert held.end() == ["found"] * 4
    assert limiter.load == IDLE
    assert told == ["queue_full"]


def test_a_search_that_waits_too_long_is_refused():
    limiter = make(wait_s=0.05)
    held = Held(limiter).search(2).until(running=2)
    assert refused(limiter) == "waited"
    assert limiter.load.waiting == 0
    held.end()
    assert (limiter.in_slot(lambda: 1), limiter.load) == (1, IDLE)


def test_a_free_slot_goes_to_the_longest_waiting():
    limiter, order = make(searches=1, queue=3), []
    held = Held(limiter).search().until(running=1)
    with ThreadPoolExecutor(3) as pool:
        for number in range(3):
            pool.submit(limiter.in_slot, partial(order.append, number))
            held.until(waiting=number + 1)
        held.end()
    assert order == [0, 1, 2]


def of_thread():
    """The client of a request: the first letter of its thread's name."""
    return threading.current_thread().name[0]


def test_clients_take_turns_and_one_with_a_search_under_way_comes_last():
    limiter, order = make(searches=1, queue=9, client=of_thread), []
    with ThreadPoolExecutor(4, "a") as a, ThreadPoolExecutor(2, "b") as b, ThreadPoolExecutor(1, "c") as c:
        held = Held(limiter)
        a.submit(limiter.in_slot, held._compute)
        held.until(running=1)
        for waiting, (name, pool) in enumerate(zip("aabbc", (a, a, b, b, c), strict=True), 1):
            pool.submit(limiter.in_slot, partial(order.append, name))
            held.until(waiting=waiting)
        held.end()
    assert "".join(order) == "bcaba"


def test_in_a_full_queue_a_request_takes_the_place_of_a_client_that_waits_with_several():
    limiter = make(searches=1, queue=3, client=of_thread)
    with ThreadPoolExecutor(4, "a") as a, ThreadPoolExecutor(4, "b") as b:
        held = Held(limiter)
        others = [a.submit(limiter.in_slot, held._compute) for _ in range(4)]
        held.until(running=1, waiting=3)
        asked = [b.submit(limiter.in_slot, lambda: "found") for _ in range(2)]
        wait_for(lambda: sum(each.done() for each in others + asked) == 2, WAIT_S)
        held.end()
    refused = [isinstance(each.exception(), Overloaded) for each in others + asked]
    assert (sum(refused[:4]), sum(refused[4:])) == (1, 1)


def test_a_question_of_few_nodes_waits_for_no_long_one_and_gets_no_helpers():
    """Only one that comes alone: the parts of a review wait for a slot as all others do."""
    limiter, short = make(searches=1, queue=0), LONG._replace(limits=Limits(max_nodes=LANE_NODES))
    held = Held(limiter).search().until(running=1)
    with using(limiter.lane):
        assert limiter.run(short, lambda limits: current().take()) is None
        with pytest.raises(Overloaded):
            limiter.run(LONG._replace(limits=Limits(max_nodes=LANE_NODES + 1)), lambda limits: None)
    with pytest.raises(Overloaded):
        limiter.run(short, lambda limits: None)
    held.end()


def test_a_waiting_or_joined_request_ends_when_its_client_disconnects():
    told = []
    limiter, stop = make(on_refused=told.append), Stop()
    held = Held(limiter).search(2).until(running=2)
    waiting = Held(limiter).search(stop=stop).join(InFlightSearch(0), stop=stop).until(waiting=1, joined=1)
    stop.set()
    waiting.until(waiting=0, joined=0)
    assert waiting.end() == ["gone", "gone"]
    held.end()
    assert limiter.load == IDLE
    assert told == []


def test_a_failed_search_returns_its_slot():
    limiter = make()
    for _ in range(10):
        with pytest.raises(ZeroDivisionError):
            limiter.in_slot(lambda: 1 // 0)
    assert limiter.in_slot(lambda: "found") == "found"
    assert limiter.load == IDLE


def test_open_streams_are_bounded():
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
    limiter, flight = make(), InFlightSearch(0)
    held = Held(limiter).join(flight, 2).until(joined=2)
    flight.ended.set_exception(Overloaded("waited"))
    assert held.end() == ["waited", "waited"]
    assert limiter.load == IDLE


def test_a_joined_request_waits_no_longer_than_its_deadline():
    limiter, flight = make(), InFlightSearch(0)
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
from kinarow.searches import InFlightSearch
from kinarow.search_types import Limits, Stop
from service.searches.limiter import Load, SearchLimiter

limiter, flight = SearchLimiter(Load(1, 1), 1), InFlightSearch(0)
joined = [gevent.spawn(limiter.join, flight, Limits(), Stop()) for _ in range(2000)]
gevent.sleep(0)
used = time.process_time()
gevent.sleep(0.5)
print(limiter.load.joined, time.process_time() - used)
"""


def test_waiting_for_a_search_costs_nothing_however_many_join():
    joined, used = run(sys.executable, "-c", MANY_JOIN).split()
    assert (int(joined), float(used) < 0.05) == (2000, True)


def test_waiting_times_are_reported():
    waits = []
    limiter = make(searches=1, on_waited=waits.append)
    limiter.in_slot(lambda: None)
    held = Held(limiter).search(2).until(running=1, waiting=1)
    began = time.monotonic()
    wait_for(lambda: time.monotonic() > began + 0.05)
    held.end()
    assert len(waits) == 1
    assert 0.05 < waits[0] < WAIT_S


def test_no_slot_is_lost_where_a_wait_ends_just_as_one_comes_free():
    limiter = make(wait_s=0.001)

    def ask(_):
        with contextlib.suppress(Overloaded):
            limiter.in_slot(lambda: time.sleep(0.001))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(1600)))
    assert limiter.load == IDLE


def test_a_request_whose_wait_fails_leaves_the_queue():
    class Failing(Stop):
        def is_set(self):
            raise KeyError

    limiter = make()
    held = Held(limiter).search(2).until(running=2)
    with pytest.raises(KeyError):
        limiter.in_slot(lambda: pytest.fail("must not run"), Failing())
    assert limiter.load == Load(2)
    held.end()


SHORT = Question(position_of("X.O/.X./..O", 3))
LONG = Question(Position.empty(Rules(15, 15, 5)))


class Tried:
    """A search that ends within its time at one try, and says what it was given and where it ran."""

    def __init__(self, needs_tries, nodes=10**6):
        self.needs_tries, self.nodes = needs_tries, nodes
        self.limits, self.threads = [], []

    def __call__(self, limits):
        self.limits.append(limits)
        self.threads.append(threading.current_thread())
        ended = limits.deadline_ns is None or len(self.limits) == self.needs_tries
        if not ended:
            wait_for(lambda: limits.expired)
        return MoveDistribution((), self.nodes, 1.0, "proof" if ended else "time")


def test_a_short_search_runs_in_place_and_takes_no_slot_and_a_long_one_takes_one():
    limiter = make(searches=1, queue=0)
    held = Held(limiter).search().until(running=1)
    short, here = Tried(1), threading.current_thread()
    assert limiter.run(SHORT, short).stopped_by == "proof"
    assert short.threads == [here]
    assert short.limits[0].deadline_ns <= time.monotonic_ns() + TRY_NS
    for question, search in ((LONG, Tried(1)), (SHORT._replace(progress=print), Tried(1)), (SHORT, Tried(9))):
        with pytest.raises(Overloaded):
            limiter.run(question, search)
    held.end()
    long = Tried(1)
    assert limiter.run(LONG, long).stopped_by == "proof"
    assert (len(long.threads), here in long.threads) == (1, False)


@pytest.mark.parametrize(("nodes", "tries"), [(10**6, 1), (3, TRIES)])
def test_what_is_not_found_in_place_is_searched_anew_in_a_slot(nodes, tries):
    """A try that has visited few nodes has waited for a core, and is repeated."""
    search, here = Tried(99, nodes), threading.current_thread()
    assert make().run(SHORT, search).stopped_by == "proof"
    assert [thread is here for thread in search.threads] == [True] * tries + [False]
    assert search.limits[-1].deadline_ns is None


def test_a_search_without_time_runs_in_place():
    limiter, late = make(searches=1, queue=0), Tried(1)
    held = Held(limiter).search().until(running=1)
    limiter.run(LONG.until(0), late)
    assert late.threads == [threading.current_thread()]
    held.end()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own only on Linux")
def test_only_search_threads_have_a_nice_value():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = niceness()
    limiter = make()
    assert limiter.in_slot(niceness) == min(19, own + SEARCH_NICENESS)
    assert limiter.in_slot(niceness) == min(19, own + SEARCH_NICENESS), "the second is no nicer than the first"
    assert niceness() == own


def test_the_load_counts_the_cores_of_helpers():
    """Of a search that is helped, in a native thread, and of a request that runs several searches."""
    loads = []
    limiter = SearchLimiter(Load(running=3), 1, on_load=loads.append)
    go_on = threading.Event()

    def helped(taken):
        with helping(lambda stop: go_on.wait(WAIT_S), most=1):
            wait_for(lambda: limiter.load.running > taken, WAIT_S)
            go_on.set()

    limiter.in_slot(partial(helped, 1))
    assert Load(running=2) in loads
    assert limiter.load == IDLE
    go_on.clear()
    loads.clear()
    with using(limiter.free_slots):
        helped(0)
    assert loads[-1] == limiter.load == IDLE
    assert max(loads) == Load(running=1)


def test_slots_in_one_folder_are_shared_and_others_are_not(tmp_path):
    one, other = SearchSlots(2, tmp_path), SearchSlots(2, tmp_path)
    first, second = one.take(), other.take()
    assert {first, second} == {0, 1}
    assert one.take() is other.take() is None
    one.give_back(first)
    assert other.take() == first
    slots, others = SearchSlots(1), SearchSlots(1)
    assert [slots.take(), slots.take(), others.take()] == [0, None, 0]
    slots.give_back(0)
    assert slots.take() == 0


def test_who_waits_shows_in_all_processes(tmp_path):
    one, other, alone = SearchSlots(1, tmp_path), SearchSlots(1, tmp_path), SearchSlots(1)
    for slots in (one, alone):
        assert not slots.wanted()
        slots.announce_waiting(True)
        assert slots.wanted()
    assert other.wanted()
    other.announce_waiting(True)
    one.announce_waiting(False)
    assert one.wanted()
    other.announce_waiting(False)
    assert not one.wanted()


def test_a_helper_takes_no_slot_that_a_request_waits_for(tmp_path):
    slots, others = SearchSlots(2, tmp_path), SearchSlots(2, tmp_path)
    free = FreeSlots(slots, own)
    held = free.take()
    assert held is not None
    others.announce_waiting(True)
    assert free.wanted()
    assert free.take() is None
    free.give_back(held)
    others.announce_waiting(False)
    assert free.take() is not None
    assert slots.taken == 1


def test_a_helper_of_a_request_is_a_greenlet_although_the_library_was_imported_before_gevent():
    """A worker's loop that waited for a native helper would stop, and with it the locks that the helper waits for."""
    program = (
        "import kinarow, _thread\n"
        "from gevent import monkey\n"
        "monkey.patch_all()\n"
        "from service.searches.threads import own\n"
        "over, numbers = own.allocate_lock(), [_thread.get_native_id()]\n"
        "over.acquire()\n"
        "own.start_new_thread(lambda: (numbers.append(_thread.get_native_id()), over.release()), ())\n"
        "over.acquire()\n"
        "assert numbers[0] == numbers[1]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_killed_process_gives_its_slots_back(tmp_path):
    program = (
        "import sys, pathlib\n"
        "from service.searches.slots import SearchSlots\n"
        "slots = SearchSlots(2, pathlib.Path(sys.argv[1]))\n"
        "print(slots.take(), slots.take(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"0 1\n"
        slots = SearchSlots(2, tmp_path)
        assert slots.take() is None
        process.kill()
        process.wait(60)
        assert [slots.take(), slots.take()] == [0, 1]


def test_files_are_closed_with_the_slots(tmp_path):
    def open_files():
        return len(os.listdir("/dev/fd"))

    before = open_files()
    slots = SearchSlots(5, tmp_path)
    assert open_files() == before + 8  # one is the lane, two are of the file that says who waits
    del slots
    assert open_files() == before


def test_each_address_has_a_private_folder_of_its_own(tmp_path, monkeypatch):
    """A folder that others may write is not used."""
    monkeypatch.setattr(search_slots, "MEMORY_FOLDER", tmp_path)
    folder = slots_folder("127.0.0.1", 8000)
    assert folder == slots_folder("127.0.0.1", 8000)
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len({folder, slots_folder("::1", 8000), slots_folder("127.0.0.1", 8001), slots_folder("::1", 0)}) == 4
    folder.chmod(0o777)
    own = slots_folder("127.0.0.1", 8000)
    assert own.parent != tmp_path
    own.rmdir()


def test_a_busy_worker_does_not_keep_the_slots_to_itself(tmp_path):
    busy, other = (SearchLimiter(Load(1, 9), 5, tmp_path) for _ in range(2))
    over = threading.Event()

    def keep_busy(_):
        while not over.is_set():
            busy.in_slot(lambda: time.sleep(0.01))

    with ThreadPoolExecutor(3) as pool:
        kept = pool.map(keep_busy, range(3))
        results = [other.in_slot(lambda: "result") for _ in range(3)]
        over.set()
        list(kept)
    assert results == ["result"] * 3


def test_a_slot_that_another_worker_gives_back_is_taken_in_time(tmp_path):
    other = SearchSlots(1, tmp_path)
    held = other.take()
    limiter = SearchLimiter(Load(1, 4), 0.05, tmp_path)
    with pytest.raises(Overloaded) as refused:
        limiter.in_slot(lambda: pytest.fail("must not run"))
    assert refused.value.reason == "waited"
    other.give_back(held)
    assert limiter.in_slot(lambda: "result") == "result"
    assert other.take() == held
