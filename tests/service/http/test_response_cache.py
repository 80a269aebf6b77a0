"""The cache of whole responses: bounded in bytes, the least recently used go first, a body is no query."""

import gc
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from service.http.services import ENTRY_BYTES, CachedResponse, ResponseCache


def response(size=10):
    return CachedResponse(b"x" * size, None, 1, "proof")


def key(number, method="POST"):
    return method, b"%d" % number


def test_what_was_put_in_is_found_and_the_least_recently_used_goes_first():
    hits, sizes = [], []
    cache = ResponseCache(2 * ENTRY_BYTES + 100, on_hit=lambda: hits.append(1), on_size=sizes.append)
    for number in (1, 2):
        cache.put(key(number), response())
    assert cache.get(key(1)) == response()
    cache.put(key(3), response())
    assert (len(hits), sizes[0]) == (1, 1)
    assert [bool(cache.get(key(number))) for number in (1, 2, 3)] == [True, False, True]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3000)), max_size=60))
def test_bytes_are_bounded(puts):
    cache = ResponseCache(6_000)
    for number, size in puts:
        cache.put(key(number), response(size))
        kept = [found for each in range(10) if (found := cache.get(key(each)))]
        assert len(kept) == len(cache)
        assert sum(len(found.body) for found in kept) <= 6_000


def test_an_entry_takes_the_memory_that_it_counts():
    """By the count of Python's own allocator."""
    most = 1 << 20
    cache = ResponseCache(most)
    gc.collect()  # which also gives back what freed tuples left behind: nothing would trace it
    tracemalloc.start()
    for number in range(10_000):
        own = b"%06d" % number
        cache.put(("GET", own), CachedResponse(own[:], f'W/"{number:24}"', 10**6 + number, "proof"))
    gc.collect()
    traced, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.75 * most < traced < 1.1 * most, traced / len(cache)


def test_too_large_a_response_is_not_kept_and_removes_no_other():
    cache, none = ResponseCache(2_000), ResponseCache(0)
    for each in (cache, none):
        each.put(key(1), response())
        each.put(key(2), response(5_000))
        assert each.get(key(2)) is None
    assert cache.get(key(1))
    assert len(none) == 0


def test_a_body_that_looks_like_a_query_is_a_body(make_asker):
    ask = make_asker()
    query = "board=X.O/.X./..O&goal=3"
    for _ in range(3):
        assert ask.get(f"/move?{query}").status_code == 200
    assert ask.post("/move", data=f"?{query}".encode()).status_code == 400
    assert ask.post("/move", data=query.encode()).status_code == 400
