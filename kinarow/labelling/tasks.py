"""Runs tasks in processes of this machine or on a Dask cluster, a bounded number at a time."""

import contextlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from typing import Any

from kinarow.processes import end_with_parent

Job = tuple[Any, ...]  # the job's name, then the arguments of the function
AT_ONCE = 2  # tasks of each process, one running and one ready; so memory stays bounded


def run_tasks(
    function: Callable[..., Any],
    jobs: Iterable[Job],
    *,
    processes: int,
    dask: str | None = None,
    more: deque[Job] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Yield ``(name, result)`` of each job as it ends; ``jobs`` is read only as processes become free.

    ``dask`` is the address of a Dask scheduler, whose workers replace the processes, or "" to start a cluster on this
    machine; Dask repeats the tasks of dead workers. The caller may add jobs to ``more`` while it iterates; they come
    first. Raises ``OSError`` without Dask or its cluster, and ``BrokenExecutor`` if a process was killed.
    """
    source, running = iter(jobs), dict[Future[Any], Any]()
    with _pool(processes) if dask is None else _cluster(processes, dask) as (executor, workers):
        while True:
            while len(running) < AT_ONCE * workers and (job := more.popleft() if more else next(source, None)):
                with _delay_interrupt():
                    running[executor.submit(function, *job[1:])] = job[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[tuple[Executor, int]]:
    # Spawned processes don't copy the transposition tables of this process.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), end_with_parent)
    try:
        yield pool, processes
    except BaseException:
        for child in multiprocessing.active_children():  # kernels don't see a shutdown
            child.terminate()
        pool.shutdown(cancel_futures=True)  # waits: Python's exit handler would race with a pool that still ends
        raise
    pool.shutdown()


@contextlib.contextmanager
def _delay_interrupt() -> Iterator[None]:
    """Delay Ctrl-C until a process has started: a half-started process would fail with a traceback.

    The process starts with SIGINT blocked: a terminal sends Ctrl-C to it too, but its parent ends it.
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
    dask: Any = distributed  # it has no type hints
    with contextlib.ExitStack() as opened:
        if not address:
            # One thread for each worker, since a task needs its own core and memory.
            cluster = dask.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
            address = opened.enter_context(cluster).scheduler_address
        client = opened.enter_context(dask.Client(address))
        yield client.get_executor(pure=False), max(processes, len(client.nthreads()))
