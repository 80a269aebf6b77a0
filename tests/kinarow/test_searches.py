"""The cache is bounded, forgets the least recently used, and computes each key once however many ask."""

import gc
import random
import threading
import time
import tracemalloc
from typing import NamedTuple

import pytest
from cachetools import LRUCache
from hypothesis import given
from hypothesis import strategies as st

from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.score import Score
from kinarow.search_types import Limits, MoveValue, SearchResult, Stop
from kinarow.searches import ENTRY_BYTES, InFlightSearch, Searches

WAIT_S = 60
ANEW = "searched anew"
PLENTY = Limits()
BOARD = Position.empty(Rules(3, 3, 3))
SHORT_BYTES = 80  # the most that a short value takes as a pickle


class Value(NamedTuple):
    """The result of a search; it does not last if time ended it."""

    value: object
    stopped_by: str


class Made(Searches):
    """Searches that keep so many short values, but not ``ANEW``, and count the callers that join another's."""

    def __init__(self, entries, shared=None, *, lasts=lambda value: value != ANEW, join=InFlightSearch.join, **options):
        self.joined, self.lasts = threading.Semaphore(0), lasts

        def noted(*flight):
            self.joined.release()
            return join(*flight)

        super().__init__(entries * (ENTRY_BYTES + SHORT_BYTES), join=noted, shared=shared, **options)

    def get(self, key, compute, limits=PLENTY):
        def search(within):
            value = compute()
            return Value(value, "proof" if self.lasts(value) else "time")

        result, known = self.ask(str(key), Question(BOARD, limits), search)
        return result.value, known

    def wait_for(self, callers):
        """Wait until this number of further callers has joined."""
        for _ in range(callers):
            assert self.joined.acquire(timeout=WAIT_S)


class Paused:
    """A computation that says when it has begun and ends when it may go on, with a value or an error."""

    def __init__(self, value=None, error=None):
        self.value, self.error, self.calls = value, error, 0
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self):
        self.calls += 1
        self.begun.set()
        assert self.go_on.wait(WAIT_S)
        if self.error:
            raise self.error
        return self.value


def never(*_):
    pytest.fail("this value should have been kept")


def fill(cache, *keys):
    for key in keys:
        cache.get(key, lambda key=key: f"value of {key}")


def kept(cache, key):
    """Whether a key is in the cache, found out without changing anything but the counts and the order."""
    return cache.get(key, lambda: ANEW)[1]


def started(*targets):
    # Daemons, so that a thread that hangs fails its test and not the whole run.
    threads = [threading.Thread(target=target, daemon=True) for target in targets]
    for thread in threads:
        thread.start()
    return threads


def joined(threads):
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


def hurried(seconds):
    """The limits of a caller with this time from now on."""
    return Limits(deadline_ns=time.monotonic_ns() + int(seconds * 1e9))


def test_a_value_is_computed_once_and_then_kept_also_an_empty_one():
    cache = Made(4)
    for key, value in enumerate((1, None, 0, "")):
        assert cache.get(key, lambda value=value: value) == (value, False)
        assert cache.get(key, never) == (value, True)
        assert len(cache) == key + 1


def test_it_never_holds_more_than_its_size_and_forgets_the_least_recently_used():
    cache = Made(3)
    fill(cache, "a", "b", "c")
    assert kept(cache, "a")  # now b is the oldest
    fill(cache, "d")
    assert len(cache) == 3
    assert not kept(cache, "b")
    assert all(kept(cache, key) for key in "acd")
    fill(cache, *range(1000))
    assert len(cache) == 3
    assert all(kept(cache, key) for key in (997, 998, 999))


@given(st.lists(st.integers(0, 4_500), max_size=60))
def test_all_answers_together_are_bounded_in_bytes_and_one_that_is_too_large_removes_no_other(sizes):
    most = 4_000
    cache = Made(0)
    cache._kept = LRUCache(most, cache._kept.getsizeof)
    for size in sizes:
        before = len(cache)
        value = random.Random(size).randbytes(size)  # which cannot be compressed
        assert cache.get(size, lambda value=value: value)[0] == value
        if size > most:
            assert len(cache) == before
    assert sum(size + ENTRY_BYTES for size in {*sizes} if kept(cache, size)) <= most


@pytest.mark.parametrize("values", [0, 1, 200])
def test_an_entry_takes_the_memory_that_it_counts(values):
    """By the count of Python's own allocator, keys and tables of the cache with it."""
    moves = tuple(MoveValue(cell, Score(cell / 1000, "unknown", None), (cell, 7)) for cell in range(values))
    answer = SearchResult(0, Score(0, "draw", 9), (0, 1), (0,), True, moves=moves)
    most = 400_000
    searches, asked = Searches(most), Question(BOARD)
    tracemalloc.start()
    for number in range(1_000):
        assert searches.ask(str(number), asked, lambda limits: answer) == (answer, False)
    gc.collect()
    traced, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert searches.ask(str(number), asked, never) == (answer, True)
    print(f"\n{values} values: {traced / len(searches):.0f} bytes an entry")
    assert 0.75 * most < traced < 1.1 * most, traced / len(searches)


def test_what_may_not_be_kept_is_computed_again():
    for cache in (Made(0), Made(2, lasts=lambda value: value > 1)):
        assert cache.get("a", lambda: 1) == (1, False)
        assert cache.get("a", lambda: 2) == (2, False)
    assert cache.get("a", never) == (2, True)
    assert len(Made(0)) == 0


def test_many_threads_that_ask_for_one_key_share_one_computation_and_other_keys_go_on():
    cache, compute, answers = Made(3), Paused("value"), []

    def ask():
        answers.append(cache.get("a", compute))

    threads = started(ask)
    assert compute.begun.wait(WAIT_S)
    threads += started(*[ask] * 15)
    cache.wait_for(15)
    assert cache.get("quick", lambda: 2) == (2, False)
    assert cache.get("quick", never) == (2, True)
    compute.go_on.set()
    joined(threads)
    assert compute.calls == 1
    assert sorted(answers) == [("value", False)] + [("value", True)] * 15
    assert len(cache) == 2


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_reaches_its_own_caller_alone_and_one_waiter_computes_in_its_place(error):
    cache, failing, calls, answers, failures = Made(2), Paused(error=error), [], [], []

    def ask(compute):
        try:
            answers.append(cache.get("a", compute))
        except error as raised:
            failures.append(raised)

    threads = started(lambda: ask(failing))
    assert failing.begun.wait(WAIT_S)
    threads += started(*[lambda: ask(lambda: calls.append(1) or "value")] * 7)
    cache.wait_for(7)
    failing.go_on.set()
    joined(threads)
    assert (len(failures), len(calls)) == (1, 1)
    assert sorted(answers) == [("value", False)] + [("value", True)] * 6
    assert cache.get("a", never) == ("value", True)


@pytest.mark.parametrize("seconds", [10, 0])
def test_a_failure_leaves_nothing_behind(seconds):
    cache = Made(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0, hurried(seconds))
    assert cache.get("a", lambda: 1) == (1, False)
    assert len(cache) == 1


def test_a_caller_waits_no_longer_than_its_time_and_leaves_the_computation_to_others():
    cache, slowly, results = Made(2), Paused("slow"), []
    threads = started(lambda: results.append(cache.get("a", slowly)))
    assert slowly.begun.wait(WAIT_S)
    began = time.monotonic()
    assert cache.get("a", lambda: ANEW, hurried(0.1)) == (ANEW, False)
    assert 0.1 <= time.monotonic() - began < WAIT_S
    assert cache.get("a", lambda: ANEW, hurried(-1)) == (ANEW, False)
    cache.wait_for(2)
    threads += started(lambda: results.append(cache.get("a", never, hurried(WAIT_S))))
    cache.wait_for(1)
    slowly.go_on.set()
    joined(threads)
    assert sorted(results) == [("slow", False), ("slow", True)]


@pytest.mark.parametrize("lasts", [False, True])
def test_a_value_that_time_ended_goes_only_to_callers_with_no_more_time(lasts):
    """The others compute it once more, together; a value that would be the same with more time goes to all."""
    cache, first, second, results = Made(2, lasts=lambda value: lasts), Paused("first"), Paused("second"), []
    within = {seconds: hurried(seconds) for seconds in (100, 200, 300)}

    def ask(seconds, compute):
        results.append((seconds, *cache.get("a", compute, within[seconds])))

    threads = started(lambda: ask(200, first))
    assert first.begun.wait(WAIT_S)
    threads += started(lambda: ask(100, never), *[lambda: ask(300, second)] * 3)
    cache.wait_for(4)
    first.go_on.set()
    if not lasts:
        assert second.begun.wait(WAIT_S)
        cache.wait_for(2)
    second.go_on.set()
    joined(threads)
    assert second.calls == (0 if lasts else 1)
    assert [value for seconds, value, _ in results if seconds == 100] == ["first"]
    assert {value for seconds, value, _ in results if seconds == 300} == {"first" if lasts else "second"}
    assert sum(not known for *_, known in results) == (1 if lasts else 2)


def test_a_caller_with_much_time_waits_for_one_hurried_computation_at_most():
    hasty, hastier, slowly, results = Paused("hasty"), Paused("hasty"), Paused("slow"), []

    def join(flight, limits, stop):
        """When the first computation has ended, the next one is under way before the patient caller goes on."""
        ended = InFlightSearch.join(flight, limits, stop)
        if threading.current_thread() is patient:
            threads.extend(started(lambda: ask(hastier, 1)))
            assert hastier.begun.wait(WAIT_S)
        return ended

    cache = Made(2, lasts=lambda value: value == "slow", join=join)

    def ask(compute, seconds):
        results.append(cache.get("a", compute, hurried(seconds)))

    threads = started(lambda: ask(hasty, 1))
    assert hasty.begun.wait(WAIT_S)
    patient = threading.Thread(target=lambda: ask(slowly, 60), daemon=True)
    patient.start()
    cache.wait_for(1)
    hasty.go_on.set()
    assert slowly.begun.wait(WAIT_S)
    threads += started(lambda: ask(never, 50))
    cache.wait_for(1)
    slowly.go_on.set()
    hastier.go_on.set()
    joined([*threads, patient])
    assert sorted(results) == [("hasty", False)] * 2 + [("slow", False), ("slow", True)]


ONE = Value(1, "proof")


class Shelf:
    """A shared tier in this process that records requests and can block a caller."""

    def __init__(self, paused=None, **kept):
        self.kept, self.paused, self.asked = kept, paused, []

    def get(self, kind, question, key):
        self.asked.append(kind)
        if self.paused:
            self.paused()
        return self.kept.get(kind)

    def put(self, kind, question, key, result):
        self.kept[kind] = result


def test_the_shared_tier_is_asked_before_a_value_is_computed_and_gets_what_may_be_kept():
    shelf = Shelf(a=ONE)
    cache = Made(2, shelf)
    assert [cache.get("a", never) for _ in range(2)] == [(1, True)] * 2
    assert (shelf.asked, len(cache)) == (["a"], 1)
    shelf = Shelf()
    cache = Made(0, shelf)
    assert cache.get("a", lambda: 1) == (1, False)
    assert cache.get("b", lambda: ANEW) == (ANEW, False)
    assert shelf.kept == {"a": ONE}
    assert cache.get("a", never) == (1, True)


def test_threads_that_wait_for_one_key_ask_the_shared_tier_once():
    paused, answers = Paused(), []
    shelf = Shelf(paused, a=ONE)
    cache = Made(2, shelf)
    threads = started(lambda: answers.append(cache.get("a", never)))
    assert paused.begun.wait(WAIT_S)
    threads += started(*[lambda: answers.append(cache.get("a", never))] * 5)
    cache.wait_for(5)
    paused.go_on.set()
    joined(threads)
    assert answers == [(1, True)] * 6
    assert shelf.asked == ["a"]


@pytest.mark.parametrize("field", Question._fields)
def test_a_question_has_the_identity_of_another_only_if_every_field_that_an_answer_depends_on_is_equal(field):
    """Also each field of its limits and its rules; keys of caches and ETags are made of it."""
    other = {
        "position": [BOARD.play(0), Position.empty(Rules(3, 3, 3, misere=True)), Position(BOARD.rules, BOARD.cells, 2)],
        "limits": [Limits(7), Limits(max_depth=7), Limits(time_limit_ms=7), Limits(threads=7)],
        "level": [3], "seed": [3], "allowed": [(1,), (1, 2)], "top": [3], "wants_reasons": [False],
        "stop": [Stop()], "progress": [print], "live_moves": [3],
    }  # fmt: skip
    identities = {Question(BOARD)._replace(**{field: value}).identity for value in other[field]}
    if field in ("stop", "progress", "live_moves"):
        assert identities == {Question(BOARD).identity}
    else:
        assert len(identities | {Question(BOARD).identity}) == len(other[field]) + 1
    assert Question(BOARD, Limits(deadline_ns=7)).identity == Question(BOARD).identity
