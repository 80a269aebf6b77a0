"""Events become series: exact counts and bounded names."""

import pytest
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from kinarow import score
from kinarow.play.levels import MoveDistribution
from kinarow.search_types import SearchResult
from service.searches.limiter import Load
from service.telemetry.metrics import FOLDER_VARIABLE, Metrics, merge_dead_worker


@pytest.fixture
def metrics():
    return Metrics()


MOVES = 'kinarow_requests_total{{method="{}",route="/move",status="{}"}}'


def value(metrics, line):
    found = [each for each in metrics.scrape().decode().splitlines() if each.startswith(line + " ")]
    return float(found[0].rpartition(" ")[2]) if found else None


def test_requests_are_counted_by_method_route_and_status(metrics):
    for status in (200, 200, 422):
        metrics.count_request("POST", "/move", status, 0.002)
    for method in ("GET", "BREW", "WHEN", "X" * 100):  # those that clients invent have one name
        metrics.count_request(method, "/move", 200, 0.002)
    for method, status, count in (("POST", 200, 2), ("POST", 422, 1), ("GET", 200, 1), ("other", 200, 3)):
        assert value(metrics, MOVES.format(method, status)) == count
    times = 'kinarow_request_seconds_{}{{method="POST",route="/move"}}'
    assert (value(metrics, times.format("count")), value(metrics, times.format("sum"))) == (3, pytest.approx(0.006))


def test_searches_tell_their_end_cost_and_depth(metrics):
    metrics.count_search(SearchResult(0, score.draw(9), (0,), (0,), True, 9, 100, 5.0, "proof"))
    metrics.count_search(SearchResult(0, score.estimate(1, 1), (0,), (0,), False, 4, 300, 50.0, "nodes"))
    metrics.count_search(MoveDistribution(((0, 1),), 20, 1.0, "depth"))
    metrics.count_search(None)
    told = {
        'searches_total{proven="true",stopped_by="proof"}': 1, 'searches_total{proven="false",stopped_by="client"}': 1,
        "search_nodes_total": 420, "search_depth_count": 2, 'answers_total{source="search"}': 4,
    }  # fmt: skip
    assert {name: value(metrics, f"kinarow_{name}") for name in told} == told
    assert value(metrics, "kinarow_search_seconds_sum") == pytest.approx(0.056)


def test_gauges_say_what_is_now(metrics):
    metrics.set_load(Load(running=2, waiting=3, joined=4, streams=5))
    metrics.set_entries("local", 7)
    metrics.set_shared_open(True)
    metrics.set_versions("1.2.3", "1.2.3+abc", Load(running=6, streams=9))
    told = {
        "searches_running": 2, "searches_waiting": 3, "searches_following": 4, "streams": 5,
        'cache_entries{tier="local"}': 7, "shared_cache_open": 1, "search_slots": 6, "stream_slots": 9, "workers": 1,
        'build_info{engine="1.2.3+abc",version="1.2.3"}': 1,
    }  # fmt: skip
    assert {name: value(metrics, f"kinarow_{name}") for name in told} == told


def test_answers_and_refusals_are_counted_by_source_and_reason(metrics):
    assert value(metrics, 'kinarow_shed_total{reason="waited"}') == 0, "it is there from the start"
    metrics.count_refusal("queue_full")
    assert value(metrics, 'kinarow_shed_total{reason="queue_full"}') == 1
    metrics.count_hit("memo")
    metrics.count_hit("local")
    metrics.count_lookup("hit")
    metrics.count_lookup("miss")
    for source in ("memo", "local", "shared"):
        assert value(metrics, f'kinarow_answers_total{{source="{source}"}}') == 1
    assert value(metrics, 'kinarow_shared_cache_requests_total{result="miss"}') == 1


def test_files_that_workers_have_not_filled_yet_do_not_fail_a_scrape(metrics, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    (tmp_path / "counter_2.db").touch()
    (tmp_path / "gauge_livesum_2.db").symlink_to("removed")
    assert metrics.scrape() == b""
    file = MmapedDict(str(tmp_path / "counter_2.db"))
    file.write_value(mmap_key("kinarow_moves", "kinarow_moves_total", [], [], "Moves."), 3.0, 0.0)
    file.close()
    assert value(metrics, "kinarow_moves_total") == 3


def test_the_dead_share_one_file_and_their_counts_stay(metrics, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    for process in range(2, 6):
        file = MmapedDict(str(tmp_path / f"counter_{process}.db"))
        file.write_value(mmap_key("kinarow_moves", "kinarow_moves_total", [], [], "Moves."), 3.0, 0.0)
        file.close()
        merge_dead_worker(process)
        assert value(metrics, "kinarow_moves_total") == 3 * (process - 1)
        assert len([*tmp_path.iterdir()]) == 1
