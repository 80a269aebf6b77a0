"""Runs a function on many inputs in processes of this machine or on a Dask cluster, a few inputs at a time."""

import contextlib
import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
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
    """The name and the result of each job, as they come; the next one is taken when there is room for it.

    Args:
        function: at the top level of a module, so that other processes find it.
        processes: how many run at once; on a cluster that is there already, its workers decide.
        dask: the address of a Dask scheduler, an empty text for a cluster of this machine, None for no Dask. A
            worker that dies costs only the time of its tasks: others repeat them.
        more: jobs that the caller adds while it takes results; they come before the next of ``jobs``.

    Raises:
        OSError: Dask is not installed, or the cluster cannot be reached.
        concurrent.futures.BrokenExecutor: a process of this machine was killed.
    """
    source = iter(jobs)

    def next_job() -> Job | None:
        return more.popleft() if more else next(source, None)

    if dask is None:
        yield from _in_processes(function, next_job, processes)
    else:
        yield from _on_dask(function, next_job, processes, dask)


NextJob = Callable[[], Job | None]


def _in_processes(function: Callable[..., Any], next_job: NextJob, processes: int) -> Iterator[tuple[Any, Any]]:
    # Processes are spawned: the tables of this process must not be copied into each of them.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), end_with_parent)
    names: dict[Any, Any] = {}
    try:
        while True:
            while len(names) < AT_ONCE * processes and (job := next_job()) is not None:
                with _undisturbed():
                    names[pool.submit(function, *job[1:])] = job[0]
            if not names:
                return
            done, _ = wait(names, return_when=FIRST_COMPLETED)
            for future in done:
                yield names.pop(future), future.result()
    finally:
        if names:  # given up: compiled code sees no request to end
            for child in multiprocessing.active_children():
                child.terminate()
        pool.shutdown(wait=not names, cancel_futures=True)


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


def _on_dask(
    function: Callable[..., Any], next_job: NextJob, processes: int, address: str
) -> Iterator[tuple[Any, Any]]:
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
        room = AT_ONCE * max(processes, len(client.nthreads()))
        names: dict[Any, Any] = {}
        running = dask.as_completed()
        while True:
            while len(names) < room and (job := next_job()) is not None:
                future = client.submit(function, *job[1:], pure=False)
                names[future] = job[0]
                running.add(future)
            if not names:
                return
            done = next(running)
            yield names.pop(done), done.result()
