"""What is noted is summed into series: exact counts, right buckets, bounded names, nothing lost between threads."""

import threading
from typing import NamedTuple

import pytest

from service.metrics import _MOST_NOTES, REQUEST_BUCKETS, Metrics


class Found(NamedTuple):
    """A search, as the recommender tells of it."""

    nodes: int
    elapsed_ms: float
    depth: int | None
    stopped_by: str | None
    proven: bool


@pytest.fixture
def metrics():
    return Metrics()


def value(metrics, line):
    """The value of a series, or None where it is not there."""
    for each in metrics.scrape().decode().splitlines():
        if each.startswith(line + " "):
            return float(each.rpartition(" ")[2])
    return None


def test_requests_are_counted_by_method_route_and_status(metrics):
    for status in (200, 200, 422):
        metrics.request("POST", "/move", status, 0.002)
    metrics.request("GET", "/move", 200, 0.002)
    assert value(metrics, 'kinarow_requests_total{method="POST",route="/move",status="200"}') == 2
    assert value(metrics, 'kinarow_requests_total{method="POST",route="/move",status="422"}') == 1
    assert value(metrics, 'kinarow_requests_total{method="GET",route="/move",status="200"}') == 1


def test_times_fall_into_the_buckets_that_hold_them(metrics):
    times = (0.0, 0.0005, 0.00051, 0.2, 29.0, 31.0)
    for seconds in times:
        metrics.request("POST", "/move", 200, seconds)
    for bound in REQUEST_BUCKETS:
        line = f'kinarow_request_seconds_bucket{{le="{bound}",method="POST",route="/move"}}'
        assert value(metrics, line) == sum(seconds <= bound for seconds in times)
    assert value(metrics, 'kinarow_request_seconds_bucket{le="+Inf",method="POST",route="/move"}') == len(
        times
    )
    assert value(metrics, 'kinarow_request_seconds_count{method="POST",route="/move"}') == len(times)
    assert value(metrics, 'kinarow_request_seconds_sum{method="POST",route="/move"}') == pytest.approx(
        sum(times)
    )


def test_methods_that_clients_invent_have_one_name(metrics):
    for method in ("BREW", "WHEN", "X" * 100):
        metrics.request(method, "unmatched", 405, 0.001)
    assert value(metrics, 'kinarow_requests_total{method="other",route="unmatched",status="405"}') == 3


def test_searches_tell_their_end_cost_and_depth(metrics):
    metrics.searched(Found(100, 5.0, 9, "proof", True))
    metrics.searched(Found(300, 50.0, 4, "nodes", False))
    metrics.searched(Found(20, 1.0, None, "depth", False))
    metrics.searched(Found(0, 0.0, None, None, False))
    assert value(metrics, 'kinarow_searches_total{proven="true",stopped_by="proof"}') == 1
    assert value(metrics, 'kinarow_searches_total{proven="false",stopped_by="client"}') == 1
    assert value(metrics, "kinarow_search_nodes_total") == 420
    assert value(metrics, "kinarow_search_seconds_sum") == pytest.approx(0.056)
    assert value(metrics, "kinarow_search_depth_count") == 2
    assert value(metrics, 'kinarow_answers_total{source="search"}') == 4


def test_a_count_that_is_read_elsewhere_grows_by_what_it_has_grown(metrics):
    count = [5]
    metrics.pull_counter("things", "Things.", lambda: count[0], kind="a")
    metrics.pull_gauge("size", "Size.", lambda: count[0])
    assert value(metrics, 'kinarow_things_total{kind="a"}') == 5
    count[0] = 7
    assert value(metrics, 'kinarow_things_total{kind="a"}') == 7
    assert value(metrics, "kinarow_size") == 7


def test_nothing_is_lost_between_threads_and_notes_are_bounded(metrics):
    def ask():
        for _ in range(3000):
            metrics.request("POST", "/move", 200, 0.001)
            assert len(metrics._requests_noted) <= _MOST_NOTES + 8

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert value(metrics, 'kinarow_requests_total{method="POST",route="/move",status="200"}') == 12_000


def test_it_says_what_is_running(metrics):
    metrics.built("1.2.3", "1.2.3+abc")
    assert value(metrics, 'kinarow_build_info{engine="1.2.3+abc",version="1.2.3"}') == 1
    assert value(metrics, "kinarow_workers") == 1
    assert value(metrics, "kinarow_resident_bytes") > 1_000_000
