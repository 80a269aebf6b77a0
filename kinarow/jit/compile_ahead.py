"""Compiles the kernels of several solvers into the cache, in child processes: Numba compiles one kernel at a time.

    python -m kinarow.jit.compile_ahead SOLVER USE      compiles one solver's kernels, naming each on standard output

All children are fresh interpreters, so they do not depend on modules that the caller has patched or imported. Each
notes in the cache that a solver is complete, so other processes know without asking.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from kinarow.jit import cache_dir, kernels
from kinarow.jit.compile_report import Progress

MOST_PROCESSES = 4  # The most compiling processes; each takes about 200 MB


class CompilationFailed(RuntimeError):
    """A compiling process has failed; the message is the end of what it said."""


def compile_ahead(
    solvers: Iterable[str], report: Callable[[Progress], None], uses: tuple[kernels.Use, ...] = ("search",)
) -> None:
    """Compile the kernels of these solvers that are not in the cache, the first solvers first.

    ``report`` is called before each compilation, from any thread. A process that does not end well is a
    ``CompilationFailed``; without a folder for the kernels there is an ``OSError``.
    """
    missing = [
        (solver, use)
        for use in uses
        for solver in solvers
        if kernels.entries([solver], use) and not cache_dir.is_complete(solver, use)
    ]
    if not missing:
        return
    cache_dir.own_folder()
    children = _Children(report)
    children.progress.expect(module for solver, use in missing for module, _ in kernels.entries([solver], use))
    with ThreadPoolExecutor(_processes()) as pool:
        try:
            list(pool.map(children.compile, missing))
        except BaseException:
            children.end()
            raise


class _Children:
    def __init__(self, report: Callable[[Progress], None]) -> None:
        self.progress = Progress()
        self._report = report
        self._lock = threading.Lock()
        self._running: list[subprocess.Popen[str]] = []
        self._ended = False

    def compile(self, part: tuple[str, kernels.Use]) -> None:
        with self._lock:
            if self._ended:
                return
            child = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
                [sys.executable, "-m", "kinarow.jit.compile_ahead", *part],
                env={**os.environ, cache_dir.ROOT_VARIABLE: str(cache_dir.own_folder().parent)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            self._running.append(child)
        assert child.stdout is not None
        last = ""
        for line in child.stdout:
            last = line.strip() or last
            if last.startswith("kinarow.solvers."):
                with self._lock:
                    self.progress.add(last)
                    self._report(self.progress)
        if child.wait() and not self._ended:
            raise CompilationFailed(f"{part[0]}: {last}")

    def end(self) -> None:
        with self._lock:
            self._ended = True
            for child in self._running:
                child.terminate()


def _processes() -> int:
    """The number of compiling processes: one for each core that this process may use, at most ``MOST_PROCESSES``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return min(cores, MOST_PROCESSES)


def _compile(solver: str, use: kernels.Use) -> None:
    """Compile a solver's kernels, naming each on standard output before it is compiled."""

    def tell(kernel: str | None) -> None:
        if kernel is not None:
            # One write for each line, so that lines of two processes never mix.
            os.write(sys.stdout.fileno(), f"{kernel}\n".encode())

    with kernels.compile_listener(tell):
        kernels.load([solver], use)
    cache_dir.mark_complete(solver, use)


if __name__ == "__main__":
    _compile(sys.argv[1], cast(kernels.Use, sys.argv[2]))
