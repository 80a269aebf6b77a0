"""Helper threads on free processor cores, beside the thread that searches.

A helper holds a core while it runs. It is stopped within ``LOOK_EVERY_S`` when another search wants the core.
"""

import _thread
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kinarow.search_types import Stop

LOOK_EVERY_S = 0.02
WORTH_S = 0.005
"""Helpers for a list of calls begin only after this time: they don't speed up anything shorter."""

ALL = 1 << 10
"""A number of helpers above any machine's number of cores: one for each free core."""

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")

Value = TypeVar("Value")
Work = Callable[[Stop], None]
"""What a helper runs; it returns when nothing is left to do, or its ``Stop`` is set."""


def usable_cores() -> int:
    """Return the number of cores that this process may use, at least 1; on Linux at most its cgroup's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(cores, cgroup_quota(CGROUPS, OWN_CGROUP))))


def cgroup_quota(mounted: Path, own: Path) -> float:
    """Return the number of cores that the cgroups of a process allow, a fraction or infinity.

    ``mounted`` is the folder of all cgroups; it has a folder ``cpu`` in version 1, not in version 2. The file ``own``
    names the cgroups of the process.
    """
    try:
        lines = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return math.inf
    quota = math.inf
    for _, controllers, path in lines:
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = mounted / "cpu" if controllers else mounted
        group = root / path.lstrip("/")
        # In a container the group may be mounted as the root, whatever path the file says.
        for folder in (group, *group.parents):
            if folder.is_relative_to(root):
                quota = min(quota, _quota_of(folder))
    return quota


def _quota_of(group: Path) -> float:
    """Return the number of cores that one cgroup allows, infinity without a limit."""
    try:
        if (limit := group / "cpu.max").exists():
            quota, period = limit.read_text().split()
        else:
            quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        cores = int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return math.inf  # version 2 writes "max" for no limit; or the files are missing
    return cores if cores > 0 else math.inf  # version 1 writes -1 for no limit


class ThreadApi(NamedTuple):
    """The functions of ``_thread`` that helpers need; gevent has a native and a green version of each."""

    start_new_thread: Callable[..., object]
    allocate_lock: Callable[[], Any]
    yield_control: Callable[[], None]  # lets other greenlets run; does nothing in native threads


NATIVE = ThreadApi(_thread.start_new_thread, _thread.allocate_lock, lambda: None)


class Cores:
    """A fixed number of cores, shared by the searches in its ``with`` blocks and their helpers.

    ``threads`` starts the helpers. A subclass may lend other cores by ``take``, ``give_back`` and ``wanted``.
    """

    def __init__(self, count: int, threads: ThreadApi = NATIVE) -> None:
        self._count, self.threads = count, threads
        self._lock = threads.allocate_lock()
        self._searches = self._helpers = 0

    def __enter__(self) -> None:
        with self._lock:
            self._searches += 1

    def __exit__(self, *failure: object) -> None:
        with self._lock:
            self._searches -= 1

    def take(self) -> Any:
        """Take a core for a helper; return None if no core is free."""
        with self._lock:
            if max(1, self._searches) + self._helpers >= self._count:
                return None
            self._helpers += 1
            return self._helpers

    def give_back(self, core: Any) -> None:
        """Give back a core that ``take`` returned."""
        with self._lock:
            self._helpers -= 1

    def wanted(self) -> bool:
        """Return True if a search needs a core that a helper holds."""
        return self._searches + self._helpers > self._count


NO_CORES = Cores(0)
"""The cores that a helper may borrow: none, so helpers start no helpers."""

_OF_PROCESS = Cores(usable_cores())
_cores: ContextVar[Cores | None] = ContextVar("cores", default=None)


def current() -> Cores:
    """Return the cores that this thread's helpers may borrow."""
    return _cores.get() or _OF_PROCESS


@contextmanager
def using(cores: Cores) -> Iterator[None]:
    """Context manager: let searches in the block borrow these cores."""
    token = _cores.set(cores)
    try:
        yield
    finally:
        _cores.reset(token)


@contextmanager
def helping(work: Work, most: int = ALL) -> Iterator[None]:
    """Context manager: run ``work`` in at most ``most`` helper threads until the block ends, then raise their error."""
    helpers = _Helpers(work, current(), most)
    helpers.begin()
    try:
        yield
    finally:
        helpers.end()
    if helpers.failures:
        raise helpers.failures[0]


class _Helpers:
    """The helper threads of one ``helping`` block, started and stopped by a watching thread.

    Locks serve as events: each is held until something ends. Under gevent native threads need native locks, which
    ``threading.Event`` does not have.
    """

    def __init__(self, work: Work, cores: Cores, most: int) -> None:
        self._work, self._cores, self._most = work, cores, most
        self._lock = cores.threads.allocate_lock()  # held for every change of the helpers
        self._over = cores.threads.allocate_lock()  # held until the block ends
        self._watched = cores.threads.allocate_lock()  # held while the watching thread runs
        self._helpers: dict[Any, Stop] = {}  # each helper's stop flag, by the lock that it holds until it has ended
        self._no_work_left = False  # if true, no more helpers are started
        self.failures: list[BaseException] = []

    def begin(self) -> None:
        """Start helpers on the free cores, and the thread that watches them."""
        if self._most > 0:
            self._over.acquire()
            self._watched.acquire()
            self._look()
            try:
                self._cores.threads.start_new_thread(self._watch, ())
            except RuntimeError:  # the process may start no more threads
                self._watched.release()

    def end(self) -> None:
        """Stop the helpers, and wait until all have ended."""
        if self._most > 0:
            self._over.release()
            self._watched.acquire()  # now nothing starts another helper
            for stop in tuple(self._helpers.values()):
                stop.set()
            for running in tuple(self._helpers):
                running.acquire()

    def _watch(self) -> None:
        try:
            while not self._over.acquire(timeout=LOOK_EVERY_S):
                self._look()
        finally:
            self._watched.release()

    def _look(self) -> None:
        """Stop a helper whose core a search wants; else start helpers on the free cores."""
        with self._lock:
            helpers = [stop for stop in self._helpers.values() if not stop.is_set()]
            if helpers and self._cores.wanted():
                helpers[-1].set()
                return
        while not self._no_work_left and len(self._helpers) < self._most and (core := self._cores.take()) is not None:
            running, stop = self._cores.threads.allocate_lock(), Stop()
            running.acquire()
            with self._lock:
                self._helpers[running] = stop
            try:
                self._cores.threads.start_new_thread(self._help, (running, stop, core))
            except RuntimeError:  # the process may start no more threads
                self._no_work_left = True
                self._leave(running, core)

    def _help(self, running: Any, stop: Stop, core: Any) -> None:
        """Run the work on a borrowed core, in the thread of a helper."""
        try:
            with using(NO_CORES):
                self._work(stop)
            self._no_work_left = self._no_work_left or not stop.is_set()  # the work returned without being stopped
        except BaseException as failure:  # ``helping`` raises it
            self._no_work_left = True
            self.failures.append(failure)
        finally:
            self._leave(running, core)

    def _leave(self, running: Any, core: Any) -> None:
        """Give back the core, and mark the helper as ended."""
        self._cores.give_back(core)
        with self._lock:
            self._helpers.pop(running, None)
        running.release()


def in_order(calls: Sequence[Callable[[Stop], Value]]) -> Iterator[Value]:
    """Yield the values of calls, in their order; helpers on free cores compute some of them.

    Each call gets a ``Stop``. If it is set, the call ends early with any value or error, and is repeated in another
    thread. No call's value may depend on another call.
    """
    began = time.perf_counter()
    done = 0
    while done < len(calls) and (time.perf_counter() - began < WORTH_S or done == len(calls) - 1):
        yield calls[done](Stop())
        done += 1
    if done < len(calls):
        shared = _SharedCalls(calls[done:], current())
        with helping(shared.help, len(calls) - done - 1):
            yield from shared.all()


class _SharedCalls:
    """A queue of calls that the calling thread and its helpers work through; each call runs in one thread at a time."""

    def __init__(self, calls: Sequence[Callable[[Stop], Any]], cores: Cores) -> None:
        self._calls, self._cores = calls, cores
        self._waiting = deque(range(len(calls)))
        self._running: dict[int, Any] = {}  # by index of the call, the lock that is held until the call has ended
        self._values: dict[int, Any] = {}
        self._lock = cores.threads.allocate_lock()

    def help(self, stop: Stop) -> None:
        """Compute waiting calls in a helper; put back a call that was stopped or failed."""
        while not stop.is_set() and (place := self._begin()) is not None:
            values = []
            try:
                with stop.also_stops(own := Stop()):
                    value = self._calls[place](own)
                if not stop.is_set():
                    values.append(value)
            except Exception:
                return  # the calling thread repeats the call, and raises the error if it fails again
            finally:
                self._end(place, values)
            self._cores.threads.yield_control()

    def all(self) -> Iterator[Any]:
        """Yield the values in order.

        While the next value is missing, the calling thread computes waiting calls; if none waits, it sleeps.
        """
        for place in range(len(self._calls)):
            while place not in self._values:
                running = self._running.get(place)  # held by the thread that computes the value
                mine = self._begin(place if running is None else None)
                if mine is not None:
                    self._end(mine, [self._calls[mine](Stop())])
                elif running is not None:  # nothing waits: sleep until that thread is done
                    running.acquire()
                    running.release()
            yield self._values.pop(place)

    def _begin(self, wanted: int | None = None) -> int | None:
        """Take the waiting call ``wanted``, or else the first, and return its index; None if no call waits."""
        with self._lock:
            if not self._waiting:
                return None
            place = self._waiting[0] if wanted is None or wanted not in self._waiting else wanted
            self._waiting.remove(place)
            self._running[place] = self._cores.threads.allocate_lock()
            self._running[place].acquire()
            return place

    def _end(self, place: int, values: Sequence[Any]) -> None:
        """Store the value of a call, the only one in ``values``; if ``values`` is empty, the call waits again."""
        with self._lock:
            if values:
                self._values[place] = values[0]
            else:
                self._waiting.appendleft(place)
            self._running.pop(place).release()
