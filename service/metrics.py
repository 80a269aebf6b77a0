"""Prometheus series of all workers together: what was asked, searched, kept, refused, and how long it took.

A request only leaves a note; about once a second, and before every scrape, the notes are summed and written.
Under a master (``prepare``) each worker writes into files of its own in one folder, which any of them reads
for an answer. A worker's files are named by its number, so that one that takes the place of another counts on.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from bisect import bisect_left
from collections import Counter as Tally
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Literal, Protocol, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = CONTENT_TYPE_LATEST

WRITE_EVERY_S = 1.0
"""How old the series of a worker are at most."""
_MOST_NOTES = 4096
"""Notes that are not written yet; one more and its request writes them itself."""

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
"""Any other is counted as ``other``: a client may invent as many as it likes."""

REQUEST_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
SEARCH_BUCKETS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
DEPTH_BUCKETS = (1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 42, 64)
WAIT_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

ANSWERS = "Computations asked for, by what answered them."

_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_FOLDER_PREFIX = "kinarow-metrics-"
_FOLDER_PREFIX = "kinarow-metrics-"
_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder of our own is made there
_LOCK_FILE = "lock"
_UNWANTED = "client"
_PREFIX = "kinarow_"
_UNWANTED = "client"
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

Note = TypeVar("Note")
Mode = Literal["livesum", "livemax"]

_folder: Path | None = None
_held: list[int] = []


EXTENSION = "kinarow.metrics"
"""Where an app keeps its metrics, for a server that refuses requests before the app sees them."""


class Searched(Protocol):
    """What is counted of a search."""

    @property
    def nodes(self) -> int:
        """Positions visited."""

    @property
    def elapsed_ms(self) -> float:
        """Wall clock."""

    @property
    def depth(self) -> int | None:
        """Plies completed, if it was one search."""

    @property
    def stopped_by(self) -> str | None:
        """What ended it; None where nobody wanted its answer any more."""

    @property
    def proven(self) -> bool:
        """Whether its value is proven."""


class Metrics:
    """The series of this process; methods may be called from any thread."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._counters: dict[str, Counter] = {}
        self._gauges: dict[str, Gauge] = {}
        self._requests_noted: deque[tuple[str, str, int, float | None]] = deque()
        self._searches_noted: deque[Searched] = deque()
        self._waits_noted: deque[float] = deque()
        self._pulled: list[Callable[[], None]] = []
        self._writing = Lock()
        self._over = Event()
        self._requests = self._counter("requests", "Answers.", "method", "route", "status")
        self._request_seconds = self._histogram(
            "request_seconds", "From a request to its answer.", REQUEST_BUCKETS, "method", "route"
        )
        self._answers = self._counter("answers", ANSWERS, "source")
        self._searches = self._counter("searches", "Searches.", "stopped_by", "proven")
        self._search_nodes = self._counter("search_nodes", "Positions visited by searches.")
        self._search_seconds = self._histogram("search_seconds", "Time of searches.", SEARCH_BUCKETS)
        self._search_depth = self._histogram("search_depth", "Plies completed by searches.", DEPTH_BUCKETS)
        self._search_wait = self._histogram(
            "search_wait_seconds", "Time in the queue of searches that had to wait.", WAIT_BUCKETS
        )
        self._build = self._gauge("build_info", "What is running.", "version", "engine", mode="livemax")
        self._gauge("workers", "Living workers.").set(1)
        self.pull_gauge("resident_bytes", "Resident memory.", _resident_bytes)
        self.pull_counter("cpu_seconds", "Processor time.", time.process_time)

    def request(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Note an answer; ``route`` is the template of its path, ``seconds`` None where nobody knows its begin."""
        self._requests_noted.append((method, route, status, seconds))
        if len(self._requests_noted) > _MOST_NOTES:
            self.write()

    def searched(self, found: Searched) -> None:
        """Note a search."""
        self._searches_noted.append(found)

    def waited(self, seconds: float) -> None:
        """Note that a search had to wait before it ran."""
        self._waits_noted.append(seconds)

    def built(self, version: str, engine: str) -> None:
        """Say what is running."""
        self._build.labels(version, engine).set(1)

    def pull_gauge(
        self, name: str, text: str, read: Callable[[], float], *, mode: Mode = "livesum", **labels: str
    ) -> None:
        """A value that is read whenever the series are written."""
        family = self._gauge(name, text, *labels, mode=mode)
        child = family.labels(**labels) if labels else family
        self._pulled.append(lambda: child.set(read()))

    def pull_counter(self, name: str, text: str, read: Callable[[], float], **labels: str) -> None:
        """A count since this process began that is read whenever the series are written."""
        family = self._counter(name, text, *labels)
        child = family.labels(**labels) if labels else family
        before = 0.0

        def pull() -> None:
            nonlocal before
            now = read()
            child.inc(max(0.0, now - before))
            before = now

        self._pulled.append(pull)

    def start(self) -> None:
        """Write the series again and again, in a thread of its own; not before a fork."""
        Thread(target=self._write_for_ever, name="metrics", daemon=True).start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Write what was noted and end the thread."""
        self._over.set()
        self.write()

    def write(self) -> None:
        """Sum up what was noted."""
        with self._writing:
            self._write_requests()
            self._write_searches()
            _add(self._search_wait, _taken(self._waits_noted))
            for pull in self._pulled:
                pull()

    def scrape(self) -> bytes:
        """The series of all workers as Prometheus reads them."""
        self.write()
        if not values.ValueClass._multiprocess:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)

    def _write_for_ever(self) -> None:
        while not self._over.wait(WRITE_EVERY_S):
            self.write()

    def _write_requests(self) -> None:
        statuses: Tally[tuple[str, str, int]] = Tally()
        times: dict[tuple[str, str], list[float]] = {}
        for method, route, status, seconds in _taken(self._requests_noted):
            known = method if method in _METHODS else "other"
            statuses[known, route, status] += 1
            if seconds is not None:
                times.setdefault((known, route), []).append(seconds)
        for (method, route, status), count in statuses.items():
            self._requests.labels(method, route, str(status)).inc(count)
        for labels, seen in times.items():
            _add(self._request_seconds.labels(*labels), seen)

    def _write_searches(self) -> None:
        found = _taken(self._searches_noted)
        ends = Tally((each.stopped_by or _UNWANTED, "true" if each.proven else "false") for each in found)
        for labels, count in ends.items():
            self._searches.labels(*labels).inc(count)
        self._answers.labels("search").inc(len(found))
        self._search_nodes.inc(sum(each.nodes for each in found))
        _add(self._search_seconds, [each.elapsed_ms / 1000 for each in found])
        _add(self._search_depth, [each.depth for each in found if each.depth is not None])

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        if name not in self._counters:
            self._counters[name] = Counter(_PREFIX + name, text, labels, registry=self._registry)
        return self._counters[name]

    def _gauge(self, name: str, text: str, *labels: str, mode: Mode = "livesum") -> Gauge:
        if name not in self._gauges:
            self._gauges[name] = Gauge(
                _PREFIX + name, text, labels, registry=self._registry, multiprocess_mode=mode
            )
        return self._gauges[name]

    def _histogram(self, name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return Histogram(_PREFIX + name, text, labels, registry=self._registry, buckets=buckets)


def prepare() -> None:
    """Make the folder for the files of all workers, and remove those of masters that are no more.

    Called once in the master, at whose end the folder is removed.

    Raises:
        OSError: there is no folder that can be written to.
    """
    global _folder
    parent = _MEMORY_FOLDER if os.access(_MEMORY_FOLDER, os.W_OK) else Path(tempfile.gettempdir())
    for old in parent.glob(f"{_FOLDER_PREFIX}*"):
        _remove_if_left(old)
    _folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir=parent))
    # Held by this process and all it forks, until the last of them has ended.
    _held.append(os.open(_folder / _LOCK_FILE, os.O_CREAT | os.O_RDWR, 0o600))
    fcntl.flock(_held[-1], fcntl.LOCK_EX)
    master = os.getpid()
    # What is registered here is inherited by every worker.
    atexit.register(lambda: _clean_up() if os.getpid() == master else None)


def join(number: int) -> None:
    """Write into the master's folder from now on, under a worker's number; called in the worker before ``Metrics``."""
    if _folder is not None:
        os.environ[_FOLDER_VARIABLE] = str(_folder)
        values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]


def forget(number: int) -> None:
    """Drop what a worker that has ended said of its present; its counts stay. Called in the master."""
    if _folder is not None:
        mark_process_dead(number, str(_folder))  # type: ignore[no-untyped-call]


def _clean_up() -> None:
    """Remove the folder."""
    global _folder
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)
        _folder = None


def _remove_if_left(folder: Path) -> None:
    """Remove the folder of a master that has ended, by whatever way."""
    try:
        lock = os.open(folder / _LOCK_FILE, os.O_RDWR)
    except OSError:
        # Of another user, or just being made or removed by its owner.
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        pass
    finally:
        os.close(lock)


def _taken(notes: "deque[Note]") -> list[Note]:
    """All notes, which are then gone; others may add to them meanwhile."""
    taken = []
    for _ in range(len(notes)):
        taken.append(notes.popleft())
    return taken


def _add(histogram: Histogram, seen: Sequence[float]) -> None:
    """Observe many values at once: one write for each bucket that grows, instead of two for each value."""
    if not seen:
        return
    buckets = Tally(bisect_left(histogram._upper_bounds, value) for value in seen)
    for bucket, count in buckets.items():
        histogram._buckets[bucket].inc(count)
    histogram._sum.inc(sum(seen))


def _resident_bytes() -> float:
    """Resident memory of this process; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * float(_PAGE_BYTES)
    except OSError:
        return 0.0
