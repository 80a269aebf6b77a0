"""What the solvers share: bitboards, budgets, and the pool of transposition tables."""

import time

import pytest

from kinarow import PRESETS, Limits, Position, best_move
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.common.kernel_budget import may_visit
from kinarow.solvers.common.table_pool import POOL, TablePool

HOUR_NS = 3_600_000_000_000


def visit_in_kernel(budget, most=10**6):
    """Visit at most ``most`` nodes as a kernel does; how many it may visit."""
    return next((count for count in range(most) if not may_visit(budget.record)), most)


def late(budget):
    """Let a kernel find that time is up."""
    budget.record["deadline_ns"] = 1
    assert not may_visit(budget.record)


@pytest.mark.parametrize("nodes", [1, 2, 50])
def test_nodes_that_python_visits_count_like_those_of_kernels(nodes):
    in_kernel, in_python = Budget(nodes), Budget(nodes)
    assert visit_in_kernel(in_kernel) == nodes
    assert [in_python.visit() for _ in range(nodes + 2)] == [True] * nodes + [False] * 2
    for budget in (in_kernel, in_python):
        assert (budget.nodes, budget.nodes_left, budget.ended_by) == (nodes, 0, "nodes")
        assert budget.is_spent()


@pytest.mark.parametrize("ended_by", ["stop", "time"])
def test_python_and_kernels_see_the_clock_and_the_stop_flag_alike(ended_by):
    for visit in (Budget.visit, lambda budget: may_visit(budget.record)):
        budget = Budget(100, 1 if ended_by == "time" else NO_DEADLINE)
        if ended_by == "stop":
            budget.stop()
        assert not visit(budget)
        assert (budget.nodes, budget.ended_by, budget.is_spent()) == (1, ended_by, True)


def test_a_part_has_its_own_limits_and_gives_the_old_ones_back():
    end = time.monotonic_ns() + HOUR_NS
    budget = Budget(1000, end)
    visit_in_kernel(budget, 100)
    with budget.part(nodes=50, time_share=0.5) as part:
        assert (part.nodes_left, budget.nodes_left) == (50, 50)
        assert part.deadline_ns == pytest.approx(end - HOUR_NS / 2, abs=1e9)
    assert (budget.node_limit, budget.deadline_ns, budget.nodes_left) == (1000, end, 900)
    with budget.part(nodes=5000, time_share=0.5) as part:
        assert part.node_limit == 1000
    with pytest.raises(ZeroDivisionError), budget.part(nodes=1):
        raise ZeroDivisionError
    assert budget.node_limit == 1000
    with Budget(10).part(time_share=0.1) as part:
        assert part.deadline_ns == NO_DEADLINE  # a share of unlimited time is unlimited


def test_what_ends_a_part_alone_does_not_end_the_whole_unless_the_caller_keeps_it():
    budget = Budget(1000)
    with budget.part(nodes=10) as part:
        assert visit_in_kernel(part) == 10
        assert part.ended_by == "nodes"
    assert not part.finished
    assert (budget.is_spent(), budget.ended_by) == (False, None)
    with budget.part(nodes=10) as finished:
        visit_in_kernel(finished, 9)
    assert finished.finished
    finished.propagate_reason()
    assert not budget.is_spent()
    part.propagate_reason()
    assert (budget.is_spent(), budget.ended_by) == (True, "nodes")
    budget = Budget(1000)
    with budget.part(nodes=10) as part:
        visit_in_kernel(part)
    budget.stop()
    assert not may_visit(budget.record)
    part.propagate_reason()  # it replaces none
    assert budget.ended_by == "stop"


@pytest.mark.parametrize(
    ("budget", "nodes", "stops", "ended_by"),
    [(Budget(10), 20, False, "nodes"), (Budget(10, 1), 5, False, "time"), (Budget(1000), 10, True, "stop")],
)
def test_a_limit_or_a_stop_of_the_whole_that_ends_a_part_ends_the_whole(budget, nodes, stops, ended_by):
    with budget.part(nodes=nodes, time_share=0.5) as part:
        if stops:
            part.stop()
        visit_in_kernel(part)
    assert (budget.is_spent(), budget.ended_by) == (True, ended_by)


def test_lateness_is_remembered_whatever_ends_the_rest():
    budget = Budget(1000, time.monotonic_ns() + HOUR_NS)
    with budget.part(time_share=0.5) as part:
        late(part)
    assert (budget.is_spent(), budget.ended_by) == (False, "time")
    visit_in_kernel(budget)
    assert (budget.is_spent(), budget.ended_by) == (True, "time")
    budget = Budget(1000, time.monotonic_ns() + HOUR_NS)
    with budget.part(time_share=0.5) as part:
        part.expire()
    budget.stop()
    visit_in_kernel(budget)
    assert budget.ended_by == "stop"


def test_parts_of_parts():
    budget = Budget(1000)
    with budget.part(nodes=100) as outer:
        with outer.part(nodes=10) as inner:
            assert visit_in_kernel(inner) == 10
        assert not outer.is_spent()
        with outer.part(nodes=500) as inner:
            assert visit_in_kernel(inner) == 90
        assert outer.ended_by == "nodes"
    assert not budget.is_spent()


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
