"""Cores that searches may borrow: helpers, the values that they compute, and the quota of a cgroup."""

import math
import threading
import time

import pytest

import kinarow
from kinarow import cores
from kinarow.cores import Cores, cgroup_quota, helping, in_order, using
from tests.support.processes import wait_for

WAIT_S = 60


def slow(value, seconds=0.01):
    def call(stop):
        time.sleep(seconds)
        return value, threading.get_ident()

    return call


def test_values_come_in_order_and_helpers_compute_some_of_them_unless_they_are_quick(monkeypatch):
    with using(Cores(2)):
        values = list(in_order([slow(number) for number in range(20)]))
    assert [value for value, _ in values] == list(range(20))
    assert len({thread for _, thread in values}) == 2
    with using(Cores(1)):
        assert {thread for _, thread in in_order([slow(0)] * 3)} == {threading.get_ident()}
    monkeypatch.setattr(cores, "WORTH_S", WAIT_S)
    with using(Cores(2)):
        assert {thread for _, thread in in_order([slow(0, 0)] * 20)} == {threading.get_ident()}


def test_a_call_that_is_stopped_in_a_helper_is_repeated():
    """Other searches take the core: the helper that waits for its ``Stop`` ends, and its call is made again."""
    mine, stopped = threading.get_ident(), []

    def call(stop):
        time.sleep(0.01)
        if threading.get_ident() == mine:
            return "mine"
        while not stop.is_set():
            time.sleep(0.001)
        stopped.append(True)
        return "void"

    both = Cores(2)
    with using(both), both:
        values = in_order([call] * 6)
        got = [next(values), next(values)]
        with both:
            got += values
    assert got == ["mine"] * 6
    assert stopped


@pytest.mark.parametrize("failing", [0, 3])
def test_an_error_of_a_call_is_raised(failing):
    def call(stop):
        time.sleep(0.01)
        raise KeyError

    calls = [slow(0)] * 4
    calls[failing] = call
    with using(Cores(2)), pytest.raises(KeyError):
        list(in_order(calls))


def test_a_helper_ends_with_the_block_and_its_error_is_raised():
    ended = threading.Event()

    def work(stop):
        while not stop.is_set():
            time.sleep(0.001)
        ended.set()
        raise KeyError

    with using(Cores(2)), pytest.raises(KeyError), helping(work):
        pass
    assert ended.is_set()


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_search_goes_on_where_no_more_threads_can_be_started(allowed):
    started = []

    def start(function, arguments):
        if len(started) == allowed:
            raise RuntimeError("can't start new thread")
        started.append(cores.NATIVE.start_new_thread(function, arguments))

    few = Cores(3, cores.NATIVE._replace(start_new_thread=start))
    with using(few), helping(lambda stop: wait_for(stop.is_set, WAIT_S)):
        pass
    assert len(started) == allowed
    assert [few.take() is not None for _ in range(3)] == [True, True, False]


def test_a_helper_gives_way_to_another_search_and_comes_back():
    begun = threading.Semaphore(0)

    def work(stop):
        begun.release()
        while not stop.is_set():
            time.sleep(0.001)

    both = Cores(2)
    with using(both), both, helping(work):
        assert begun.acquire(timeout=WAIT_S)
        with both:
            wait_for(lambda: not both.wanted(), WAIT_S)
        assert begun.acquire(timeout=WAIT_S)
    assert both.take() is not None


def test_a_review_is_the_same_on_one_core_and_on_two():
    moves = "h8h9i8g8j8k8g9i9f8j10"
    limits = kinarow.Limits(5_000)
    with using(Cores(1)):
        alone = kinarow.review(moves=moves, game="gomoku", limits=limits)
    with using(Cores(2)):
        assert kinarow.review(moves=moves, game="gomoku", limits=limits) == alone


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        ("0::/\n", {}, math.inf),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b\n", {"a/cpu.max": "100000 50000\n", "a/b/cpu.max": "max 100000\n"}, 2),
        ("0::/not/seen/here\n", {"cpu.max": "50000 100000\n"}, 0.5),
        ("2:cpu,x:/a\n1:y:/\n0::/\n", {"cpu/a/cpu.cfs_quota_us": "300", "cpu/a/cpu.cfs_period_us": "100"}, 3),
        ("2:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, math.inf),
    ],
)  # fmt: skip
def test_the_quota_of_a_cgroup_and_of_those_around_it_counts(tmp_path, monkeypatch, groups, files, quota):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    own = tmp_path / "own"
    own.write_text(groups)
    assert cgroup_quota(tmp_path, own) == quota
    assert cgroup_quota(tmp_path, tmp_path / "missing") == math.inf
    monkeypatch.setattr(cores, "CGROUPS", tmp_path)
    monkeypatch.setattr(cores, "OWN_CGROUP", own)
    assert cores.usable_cores() <= max(1, quota)
