"""Runs a function on many inputs in processes of this machine or on a Dask cluster, a few inputs at a time."""

import contextlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from typing import Any

from kinarow.processes import end_with_parent

Job = tuple[Any, ...]  # the name of a task, and the arguments of its function
AT_ONCE = 2  # tasks for each process: one that runs and one that is ready, so memory stays bounded


def run_tasks(
    function: Callable[..., Any],
    jobs: Iterable[Job],
    *,
    processes: int,
    dask: str | None = None,
    more: deque[Job] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Yield the name and the result of each job as they end; take a job when there is room for it.

    ``dask`` is the address of a scheduler, whose workers then count in place of ``processes``, or an empty text for a
    cluster of this machine; other workers repeat the tasks of one that dies. Jobs that the caller adds to ``more``
    while it takes results come first. Raises ``OSError`` without Dask or its cluster, and ``BrokenExecutor`` if a
    process of this machine was killed.
    """
    source, running = iter(jobs), dict[Future[Any], Any]()
    with _pool(processes) if dask is None else _cluster(processes, dask) as (executor, workers):
        while True:
            while len(running) < AT_ONCE * workers and (job := more.popleft() if more else next(source, None)):
                with _undisturbed():
                    running[executor.submit(function, *job[1:])] = job[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[tuple[Executor, int]]:
    # Processes are spawned: the tables of this process must not be copied into each of them.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), end_with_parent)
    try:
        yield pool, processes
    except BaseException:
        for child in multiprocessing.active_children():  # compiled code sees no request to end
            child.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put Ctrl-C off until a process has started: half a start leaves a process that fails with a traceback.

    The process begins with the signal blocked. A terminal sends Ctrl-C to it too, and its parent ends it.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    late: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: late.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if late:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _cluster(processes: int, address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        raise OSError("Dask is not installed: pip install 'kinarow[dask]'") from None
    dask: Any = distributed  # its functions carry no types
    with contextlib.ExitStack() as opened:
        if not address:
            # Each worker has one thread, because each task wants a core and memory of its own.
            cluster = dask.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
            address = opened.enter_context(cluster).scheduler_address
        client = opened.enter_context(dask.Client(address))
        yield client.get_executor(pure=False), max(processes, len(client.nthreads()))
