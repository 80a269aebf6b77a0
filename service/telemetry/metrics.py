"""Prometheus series of all workers together: requests, searches, caches, refusals and their durations.

Under gunicorn, prometheus-client writes to files in one folder (its multiprocess mode), and any worker reads them all
to answer ``/metrics``. ``service.server.startup`` sets the folder before this module is imported.
"""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict

from service.searches.limiter import DETAILS, Load

if TYPE_CHECKING:
    from kinarow.engine import SearchStats

CONTENT_TYPE = CONTENT_TYPE_LATEST
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

REQUEST_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SEARCH_BUCKETS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
DEPTH_BUCKETS = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 42, 64)
WAIT_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
"""All other methods count as ``other``, or a client could create any number of series."""
_NOT_WANTED = "client"

Series = TypeVar("Series", Counter, Gauge, Histogram)
_Make = Callable[..., Series]

Tier = Literal["memo", "local", "shared"]
"""The cache of an answer: ``memo`` (whole responses), ``local`` (this process) or ``shared`` (Redis)."""


log_lines_dropped = Counter(
    "kinarow_log_lines_dropped", "Lines that the reader of the log was too slow for.", registry=None
)
"""Global, since the master counts its dropped lines too."""


class Metrics:
    """The series of this process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(log_lines_dropped)
        counter = partial(Counter, namespace="kinarow", registry=self._registry)
        histogram = partial(Histogram, namespace="kinarow", registry=self._registry)
        total = partial(Gauge, namespace="kinarow", registry=self._registry, multiprocess_mode="livesum")
        greatest = partial(Gauge, namespace="kinarow", registry=self._registry, multiprocess_mode="livemax")
        self._add_requests(counter, histogram)
        self._add_searches(counter, histogram)
        self._add_load(counter, total)
        self._add_caches(counter, total)
        self._search_slots = greatest("search_slots", "Searches that may run at once in all workers together.")
        self._build = greatest("build_info", "The running versions.", ("version", "engine"))
        total("workers", "Living workers.").set(1)

    def _add_requests(self, counter: _Make[Counter], histogram: _Make[Histogram]) -> None:
        self._requests = counter("requests", "Answers.", ("method", "route", "status"))
        self._request_seconds = histogram(
            "request_seconds", "Time from request to answer.", ("method", "route"), buckets=REQUEST_BUCKETS
        )
        self._request_series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def _add_searches(self, counter: _Make[Counter], histogram: _Make[Histogram]) -> None:
        self._searches = counter("searches", "Searches.", ("stopped_by", "proven"))
        self._search_nodes = counter("search_nodes", "Positions visited by searches.")
        self._search_seconds = histogram("search_seconds", "Time of searches.", buckets=SEARCH_BUCKETS)
        self._search_depth = histogram("search_depth", "Plies completed by searches.", buckets=DEPTH_BUCKETS)
        self.observe_wait: Callable[[float], None] = histogram(
            "search_wait_seconds", "Time in the queue of searches that had to wait.", buckets=WAIT_BUCKETS
        ).observe

    def _add_load(self, counter: _Make[Counter], total: _Make[Gauge]) -> None:
        self._refused = counter("shed", "Requests refused for load.", ("reason",))
        for reason in DETAILS:
            self._refused.labels(reason)  # creates the series, so that the first refusal is an increase
        self._load = {
            "running": total("searches_running", "Cores that searches use, their helpers too."),
            "waiting": total("searches_waiting", "Requests that wait for a search."),
            "joined": total("searches_following", "Requests that wait for another request's search."),
            "streams": total("streams", "Open event streams."),
        }
        self._stream_slots = total("stream_slots", "Streams that may be open at once.")

    def _add_caches(self, counter: _Make[Counter], total: _Make[Gauge]) -> None:
        self._answers = counter("answers", "Requested computations by the source of the answer.", ("source",))
        self._hits = {tier: self._answers.labels(tier) for tier in ("memo", "local", "shared")}
        self._cache_entries = total("cache_entries", "Cached answers.", ("tier",))
        self._shared_requests = counter("shared_cache_requests", "Lookups in the shared cache.", ("result",))
        self.set_shared_open: Callable[[bool], None] = total(
            "shared_cache_open", "Workers that do not use the shared cache now."
        ).set

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; ``route`` is the URL rule."""
        # ``labels`` costs more than counting, so its results are kept.
        series = self._request_series.get((method, route, status))
        if series is None:
            known = method if method in _METHODS else "other"
            series = (self._requests.labels(known, route, str(status)), self._request_seconds.labels(known, route))
            if known == method:
                self._request_series[method, route, status] = series
        series[0].inc()
        series[1].observe(seconds)

    def count_search(self, answer: "SearchStats | None") -> None:
        """Count a search that has ended; ``answer`` is None if its clients have left."""
        self._answers.labels("search").inc()
        if answer is None:
            self._searches.labels(_NOT_WANTED, "false").inc()
            return
        self._searches.labels(answer.stopped_by, "true" if answer.proven else "false").inc()
        self._search_nodes.inc(answer.nodes)
        self._search_seconds.observe(answer.elapsed_ms / 1000)
        if answer.depth is not None:
            self._search_depth.observe(answer.depth)

    def count_refusal(self, reason: str) -> None:
        """Count a request that was refused for load."""
        self._refused.labels(reason).inc()

    def set_load(self, load: Load) -> None:
        """Set the load of the search limiter."""
        for name, gauge in self._load.items():
            gauge.set(getattr(load, name))

    def count_hit(self, tier: Tier) -> None:
        """Count an answer from a cache."""
        self._hits[tier].inc()

    def set_entries(self, tier: Tier, entries: int) -> None:
        """Set the number of answers in a cache."""
        self._cache_entries.labels(tier).set(entries)

    def count_lookup(self, result: str) -> None:
        """Count a lookup in the shared cache: ``hit``, ``miss``, ``error`` or ``skipped``."""
        self._shared_requests.labels(result).inc()
        if result == "hit":
            self.count_hit("shared")

    def set_versions(self, version: str, engine: str, most: Load) -> None:
        """Set the running versions and the limits of searches and streams."""
        self._build.labels(version, engine).set(1)
        self._search_slots.set(most.running)
        self._stream_slots.set(most.streams)

    def scrape(self) -> bytes:
        """Return the series of all workers in Prometheus' format."""
        registry = self._registry
        if FOLDER_VARIABLE in os.environ:
            registry = CollectorRegistry()
            _Collector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class _Collector(multiprocess.MultiProcessCollector):
    """Skips empty files, on which the base class fails: every worker starts with one."""

    def collect(self) -> Iterable[Metric]:
        while True:
            files = _filled("*")
            with suppress(FileNotFoundError):
                metrics: Iterable[Metric] = self.merge(files)  # type: ignore[no-untyped-call]
                if files == _filled("*"):  # otherwise a dead worker's counts were merged meanwhile: read again
                    return metrics


def _filled(names: str) -> list[str]:
    """Return the paths of non-empty files that match the pattern."""
    return sorted(str(file) for file in Path(os.environ[FOLDER_VARIABLE]).glob(f"{names}.db") if _size(file))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def merge_dead_worker(process: int) -> None:
    """Remove a dead worker's gauges and merge its counts into one file for all dead workers (master)."""
    if FOLDER_VARIABLE not in os.environ:
        return
    multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]
    for kind in ("counter", "histogram"):
        dead = _filled(f"{kind}_{process}") + _filled(f"{kind}_dead-*")
        if not dead:
            continue
        new = Path(os.environ[FOLDER_VARIABLE]) / f"{kind}_dead-{time.monotonic_ns()}"
        merged = MmapedDict(str(new))  # type: ignore[no-untyped-call]
        for file in dead:
            for key, value, seconds, _ in MmapedDict.read_all_values_from_file(file):  # type: ignore[no-untyped-call]
                before, _ = merged.read_value(key)  # type: ignore[no-untyped-call]
                merged.write_value(key, before + value, seconds)  # type: ignore[no-untyped-call]
        merged.close()  # type: ignore[no-untyped-call]
        new.rename(new.with_suffix(".db"))
        for file in dead:
            Path(file).unlink()
