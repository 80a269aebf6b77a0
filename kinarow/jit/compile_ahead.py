"""Compiles the kernels of several solvers into the cache, in child processes: Numba compiles one kernel at a time.

    python -m kinarow.jit.compile_ahead SOLVER      compiles one solver's kernels, naming each on standard output

All children are fresh interpreters, so they do not depend on modules that the caller has patched or imported.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from kinarow.jit import cache_dir, kernels

MOST_PROCESSES = 4
"""The most compiling processes; each takes about 200 MB."""

_COMMAND = (sys.executable, "-m", "kinarow.jit.compile_ahead")


def compile_ahead(solvers: Iterable[str], report: Callable[[str], None]) -> None:
    """Compile the kernels of these solvers that are not in the cache, the first solvers first.

    It only saves time: a kernel that is still missing afterwards is compiled when it is first needed.

    Args:
        solvers: the names of their folders.
        report: gets a line before each compilation, from any thread.
    """
    missing = [solver for solver in solvers if not cache_dir.is_complete(solver)]
    if not missing:
        return
    children = _Children(report)
    with ThreadPoolExecutor(_processes()) as pool:
        try:
            list(pool.map(children.compile, missing))
        except BaseException:
            children.end()
            raise


class _Children:
    """The compiling processes."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[str]] = []
        self._named: set[str] = set()
        self._ended = False

    def compile(self, solver: str) -> None:
        """Compile the kernels of a solver in a child, and wait for it."""
        with self._lock:
            if self._ended:
                return
            child = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
                [*_COMMAND, solver],
                env={**os.environ, cache_dir.ROOT_VARIABLE: str(cache_dir.own_folder().parent)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._running.append(child)
        assert child.stdout is not None
        for line in child.stdout:
            self._count(line.strip())
        child.wait()

    def end(self) -> None:
        """End all children, and start no more."""
        with self._lock:
            self._ended = True
            for child in self._running:
                child.send_signal(signal.SIGTERM)

    def _count(self, kernel: str) -> None:
        with self._lock:
            if kernel not in self._named:  # what two solvers call may be compiled in two processes
                self._named.add(kernel)
                self._report(f"compiling kernel {len(self._named)}: {kernel.rpartition('.')[2]}")


def _processes() -> int:
    """The number of compiling processes: one for each core that this process may use, at most ``MOST_PROCESSES``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return min(cores, MOST_PROCESSES)


def _compile(solver: str) -> None:
    """Compile a solver's kernels, naming each on standard output before it is compiled."""

    def tell(kernel: str | None) -> None:
        if kernel is not None:
            # One write for each line, so that lines of two processes never mix.
            os.write(sys.stdout.fileno(), f"{kernel}\n".encode())

    with kernels.compile_listener(tell):
        kernels.load([solver])
    cache_dir.mark_complete(solver)


if __name__ == "__main__":
    _compile(sys.argv[1])
