"""Reports each kernel that is being compiled; reports nothing when all kernels come from the cache."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import event

from kinarow.jit.cache_dir import kernel_sources

_SOLVERS = "kinarow.solvers."

# Functions that are always inlined are compiled only as part of others.
_COMPILED = re.compile(r"^\s*@njit\b(?!\(inline=)", re.MULTILINE)


@contextmanager
def compile_report(report: Callable[[str], None], *, named: bool = False) -> Iterator[None]:
    """Within this context ``report`` gets a line such as "compiling kernel 3/17: popcount" before each compilation.

    Kernels compile when their module is imported, so enter the context before the first import of a solver.

    Args:
        report: receives the lines.
        named: report only the full name of the kernel, ``module.function``.
    """
    with event.install_listener("numba:compile", _Reporter(report, named)):
        yield


class _Reporter(event.Listener):  # type: ignore[misc]
    """Counts the compilations of our own kernels as Numba announces them."""

    def __init__(self, report: Callable[[str], None], named: bool) -> None:
        self._report = report
        self._named = named
        self._count = 0
        self._total = count_kernels(kernel_sources())

    def on_start(self, event: Any) -> None:
        """Called by Numba before it compiles a function."""
        function = event.data["dispatcher"].py_func
        if not function.__module__.startswith(_SOLVERS):
            return
        name = function.__name__
        if self._named:
            self._report(f"{function.__module__}.{name}")
            return
        self._count += 1
        self._report(progress_line(self._count, self._total, name))

    def on_end(self, event: Any) -> None:
        """Called by Numba after it compiled a function."""


def progress_line(count: int, total: int, name: str) -> str:
    """The line that reports the ``count``-th of about ``total`` compilations."""
    return f"compiling kernel {count}/{max(total, count)}: {name}"


def count_kernels(sources: Iterable[Path]) -> int:
    """The number of functions in these files that Numba compiles on their own."""
    return sum(len(_COMPILED.findall(source.read_text("utf-8"))) for source in sources)
