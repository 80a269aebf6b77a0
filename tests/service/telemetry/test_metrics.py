"""Events become series: exact counts, right buckets, bounded names, nothing lost between threads."""

import threading

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from kinarow.searches import Searched
from service.searches.overload import Load
from service.telemetry.metrics import FOLDER_VARIABLE, REQUEST_BUCKETS, Metrics


@pytest.fixture
def metrics():
    return Metrics()


def value(metrics, line):
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
    assert value(metrics, 'kinarow_request_seconds_bucket{le="+Inf",method="POST",route="/move"}') == len(times)
    assert value(metrics, 'kinarow_request_seconds_count{method="POST",route="/move"}') == len(times)
    assert value(metrics, 'kinarow_request_seconds_sum{method="POST",route="/move"}') == pytest.approx(sum(times))


def test_methods_that_clients_invent_have_one_name(metrics):
    for method in ("BREW", "WHEN", "X" * 100):
        metrics.request(method, "unmatched", 405, 0.001)
    assert value(metrics, 'kinarow_requests_total{method="other",route="unmatched",status="405"}') == 3


def test_searches_tell_their_end_cost_and_depth(metrics):
    metrics.searched(Searched(100, 5.0, 9, "proof", True))
    metrics.searched(Searched(300, 50.0, 4, "nodes", False))
    metrics.searched(Searched(20, 1.0, None, "depth", False))
    metrics.searched(Searched(0, 0.0, None, None, False))
    assert value(metrics, 'kinarow_searches_total{proven="true",stopped_by="proof"}') == 1
    assert value(metrics, 'kinarow_searches_total{proven="false",stopped_by="client"}') == 1
    assert value(metrics, "kinarow_search_nodes_total") == 420
    assert value(metrics, "kinarow_search_seconds_sum") == pytest.approx(0.056)
    assert value(metrics, "kinarow_search_depth_count") == 2
    assert value(metrics, 'kinarow_answers_total{source="search"}') == 4


def test_gauges_say_what_is_now(metrics):
    metrics.load(Load(running=2, waiting=3, joined=4, streams=5))
    metrics.kept("local", 7)
    metrics.shared_open(True)
    assert value(metrics, "kinarow_searches_running") == 2
    assert value(metrics, "kinarow_searches_waiting") == 3
    assert value(metrics, "kinarow_searches_following") == 4
    assert value(metrics, "kinarow_streams") == 5
    assert value(metrics, 'kinarow_cache_entries{tier="local"}') == 7
    assert value(metrics, "kinarow_shared_cache_open") == 1


def test_answers_are_counted_by_their_source(metrics):
    metrics.hit("memo")
    metrics.hit("local")
    metrics.shared("hit")
    metrics.shared("miss")
    for source in ("memo", "local", "shared"):
        assert value(metrics, f'kinarow_answers_total{{source="{source}"}}') == 1
    assert value(metrics, 'kinarow_shared_cache_requests_total{result="miss"}') == 1


def test_refusals_of_every_reason_are_there_from_the_start(metrics):
    assert value(metrics, 'kinarow_shed_total{reason="waited"}') == 0
    metrics.refused("queue_full")
    assert value(metrics, 'kinarow_shed_total{reason="queue_full"}') == 1


def test_nothing_is_lost_between_threads(metrics):
    def ask():
        for _ in range(3000):
            metrics.request("POST", "/move", 200, 0.001)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert value(metrics, 'kinarow_requests_total{method="POST",route="/move",status="200"}') == 12_000


def test_it_says_what_is_running_and_how_much_it_may_do(metrics):
    metrics.started("1.2.3", "1.2.3+abc", Load(running=2, streams=9))
    assert value(metrics, 'kinarow_build_info{engine="1.2.3+abc",version="1.2.3"}') == 1
    assert value(metrics, "kinarow_workers") == 1
    assert value(metrics, "kinarow_search_slots") == 2
    assert value(metrics, "kinarow_stream_slots") == 9


def test_files_that_workers_have_not_filled_yet_do_not_fail_a_scrape(metrics, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "counter_2.db").touch()
    (tmp_path / "gauge_livesum_2.db").symlink_to("removed")
    assert metrics.scrape() == b""
    file = MmapedDict(str(tmp_path / "counter_2.db"))
    file.write_value(mmap_key("kinarow_moves", "kinarow_moves_total", [], [], "Moves."), 3.0, 0.0)
    file.close()
    assert value(metrics, "kinarow_moves_total") == 3
