"""The memo of finished responses: bounded by entries and bytes, the least recently used go first."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.memo import Memo, MemoInfo, Remembered


def response(size=10):
    return Remembered(b"x" * size, None, 1, "proof")


def test_what_was_put_in_is_found():
    memo = Memo(10, 10_000)
    memo.put(b"a", response(1))
    assert memo.get(b"a") == response(1)
    assert memo.get(b"b") is None
    assert memo.info() == MemoInfo(hits=1, misses=1, entries=1, bytes=502)


def test_the_least_recently_used_goes_first():
    memo = Memo(2, 10_000)
    memo.put(b"a", response())
    memo.put(b"b", response())
    memo.get(b"a")
    memo.put(b"c", response())
    assert memo.get(b"b") is None
    assert memo.get(b"a")
    assert memo.get(b"c")


def test_bytes_are_bounded():
    memo = Memo(1000, 10_000)
    for number in range(100):
        memo.put(b"%d" % number, response(1000))
    assert memo.info().bytes <= 10_000
    assert memo.info().entries == 6


def test_one_that_is_too_large_pushes_nothing_out():
    memo = Memo(10, 2_000)
    memo.put(b"a", response())
    memo.put(b"b", response(5_000))
    assert memo.get(b"b") is None
    assert memo.get(b"a")


def test_a_memo_of_no_entries_keeps_nothing():
    for memo in (Memo(0, 10_000), Memo(10, 0)):
        memo.put(b"a", response())
        assert memo.info().entries == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3000)), max_size=60))
def test_the_count_of_bytes_is_exact(puts):
    memo = Memo(5, 6_000)
    kept = {}
    for key, size in puts:
        memo.put(b"%d" % key, response(size))
        kept[b"%d" % key] = size
    info = memo.info()
    assert info.entries <= 5
    assert info.bytes <= 6_000
    total = sum(501 + len(found.body) for key in kept if (found := memo.get(key)))
    assert total == info.bytes


def test_threads_may_share_it():
    memo = Memo(8, 100_000)

    def work(seed):
        for number in range(2_000):
            key = b"%d" % ((number * seed) % 16)
            if memo.get(key) is None:
                memo.put(key, response(seed))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, (1, 3, 5, 7)))
    info = memo.info()
    assert info.hits + info.misses == 8_000
    assert info.entries <= 8


def test_what_is_held_is_there_for_who_holds_it_whatever_the_others_do():
    memo = Memo(1, 10_000)
    memo.put(b"a", response(1))
    with memo.hold(b"a") as is_known:
        assert is_known
        memo.put(b"b", response(2))
        with ThreadPoolExecutor(1) as other:
            assert other.submit(memo.get, b"c").result() is None
        assert memo.get(b"a") == response(1)
        # Who counts on having no more to do than to fetch this may not be led to compute something else.
        with pytest.raises(LookupError):
            memo.get(b"b")
    assert memo.get(b"a") is None
    assert memo.get(b"b") == response(2)


def test_what_is_not_remembered_is_not_held():
    memo = Memo(1, 10_000)
    with memo.hold(b"a") as is_known:
        assert not is_known
        assert memo.get(b"b") is None
