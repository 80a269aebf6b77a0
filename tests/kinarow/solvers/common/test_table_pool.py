"""Borrowed tables: one search at a time, a fresh stamp each time, a bounded amount of idle memory."""

import pytest

from kinarow import PRESETS, Limits, Position, best_move
from kinarow.solvers.common.table_pool import POOL, TablePool

KERNEL = "any kernel"


@pytest.fixture
def pool():
    return TablePool(max_idle_bytes=10**6)


def test_a_table_comes_back_with_another_stamp_and_is_cleared_only_when_stamps_run_out(pool):
    stamps, contents = [], []
    for _ in range(7):
        with pool.borrow(KERNEL, 64, last_generation=3) as table:
            stamps.append(table.generation)
            contents.append(int(table.words[5]))
            table.words[5] = 77
    assert stamps == [1, 2, 3, 1, 2, 3, 1]
    assert contents == [0, 77, 77, 0, 77, 77, 0]


@pytest.mark.parametrize("other", [(KERNEL, 128), ("another kernel", 64)])
def test_a_table_that_is_out_or_of_another_size_or_kernel_is_not_given(pool, other):
    with pool.borrow(KERNEL, 64) as first, pool.borrow(KERNEL, 64) as second:
        assert first is not second
        assert len(first.words) == len(second.words) == 64
    with pool.borrow(*other) as table:
        assert table not in (first, second)
    with pytest.raises(ZeroDivisionError), pool.borrow(KERNEL, 64) as table:
        raise ZeroDivisionError
    with pool.borrow(KERNEL, 64) as again:
        assert again is table  # it came back though the search failed


def test_no_more_memory_waits_than_allowed():
    pool = TablePool(max_idle_bytes=64 * 8)
    with pool.borrow(KERNEL, 64) as one, pool.borrow(KERNEL, 64) as other:
        pass
    with pool.borrow(KERNEL, 64) as first, pool.borrow(KERNEL, 64) as second:
        assert first is one or first is other
        assert second is not one
        assert second is not other
    with pool.borrow(KERNEL, 1024) as large:
        pass
    with pool.borrow(KERNEL, 1024) as again:
        assert again is not large


def test_tables_of_kinds_that_nobody_asks_for_make_room():
    pool = TablePool(max_idle_bytes=4 * 64 * 8)
    for words in (64, 128, 192):
        with pool.borrow(KERNEL, words) as table:
            pass
    # The table of 64 words made room for that of 192, and that of 128 too.
    assert list(pool.idle) == [(KERNEL, 192)]
    assert pool.idle_bytes == 192 * 8
    with pool.borrow(KERNEL, 192) as again:
        assert again is table


def test_idle_tables_can_be_given_back_to_the_system(pool):
    with pool.borrow(KERNEL, 64) as out:
        with pool.borrow(KERNEL, 64) as idle:
            idle.words[5] = 77
        pool.free_idle()
        out.words[5] = 78
    # The one that was out has come back since, and is given again.
    with pool.borrow(KERNEL, 64) as again, pool.borrow(KERNEL, 64) as fresh:
        assert again.words[5] == 78
        assert fresh.words[5] == 0


def test_the_tables_of_small_searches_of_every_game_are_small():
    POOL.free_idle()
    for rules in PRESETS.values():
        best_move(Position.empty(rules), limits=Limits(20_000))
    assert POOL.idle_bytes < 16 << 20
