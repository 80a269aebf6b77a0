"""Runs a function on many inputs in processes of this machine or on a Dask cluster, a few inputs at a time."""

import contextlib
import ctypes
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from typing import Any

Job = tuple[Any, ...]  # the name of a task, and the arguments of its function
WAITING_PER_PROCESS = 2  # tasks for each process: one that runs and one that is ready, so memory stays bounded

_PARENT_DEATH_SIGNAL = 1


def run_tasks(
    function: Callable[..., Any], jobs: Iterable[Job], *, processes: int, dask: str | None = None
) -> Iterator[tuple[Any, Any]]:
    """The name and the result of each job, as they come; the next one is taken when there is room for it.

    Args:
        function: at the top level of a module, so that other processes find it.
        processes: how many run at once; on a cluster that is there already, its workers decide.
        dask: the address of a Dask scheduler, an empty text for a cluster of this machine, None for no Dask. A
            worker that dies costs only the time of its tasks: others repeat them.

    Raises:
        OSError: Dask is not installed, or the cluster cannot be reached.
        concurrent.futures.BrokenExecutor: a process of this machine was killed.
    """
    if dask is None:
        yield from _in_processes(function, iter(jobs), processes)
    else:
        yield from _on_dask(function, iter(jobs), processes, dask)


def _in_processes(function: Callable[..., Any], jobs: Iterator[Job], processes: int) -> Iterator[tuple[Any, Any]]:
    # Processes are spawned: the tables of this process must not be copied into each of them.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _end_with_parent)
    names: dict[Any, Any] = {}
    try:
        for name, *arguments in jobs:
            names[pool.submit(function, *arguments)] = name
            if len(names) >= WAITING_PER_PROCESS * processes:
                yield from _finished(names)
        while names:
            yield from _finished(names)
    finally:
        if names:  # given up: compiled code sees no request to end
            for child in multiprocessing.active_children():
                child.terminate()
        pool.shutdown(wait=not names, cancel_futures=True)


def _finished(names: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Wait until at least one task has ended; the names and results of all that have."""
    done, _ = wait(names, return_when=FIRST_COMPLETED)
    return [(names.pop(future), future.result()) for future in done]


def _end_with_parent() -> None:
    """Let a process end at once on Ctrl-C, and when its parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _on_dask(
    function: Callable[..., Any], jobs: Iterator[Job], processes: int, address: str
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
        room = WAITING_PER_PROCESS * max(processes, len(client.nthreads()))
        names: dict[Any, Any] = {}
        running = dask.as_completed()
        for name, *arguments in jobs:
            future = client.submit(function, *arguments, pure=False)
            names[future] = name
            running.add(future)
            if len(names) >= room:
                yield _next_of(running, names)
        while names:
            yield _next_of(running, names)


def _next_of(running: Any, names: dict[Any, Any]) -> tuple[Any, Any]:
    future = next(running)
    return names.pop(future), future.result()
