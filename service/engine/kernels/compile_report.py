"""Says which kernel is being compiled while it is: silence while all come from the cache."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import event

_KERNELS = Path(__file__).parent
_DECORATOR = re.compile(r"^\s*@njit\b", re.MULTILINE)


@contextmanager
def compile_report(report: Callable[[str], None], *, named: bool = False) -> Iterator[None]:
    """Within it ``report`` gets a line such as "compiling kernel 3/17: popcount" before each compilation.

    Kernels compile when their module is imported, so enter this before the first import of one.

    Args:
        report: what gets the lines.
        named: give the full name of the kernel alone instead.
    """
    with event.install_listener("numba:compile", _Reporter(report, named)):
        yield


class _Reporter(event.Listener):  # type: ignore[misc]
    """Counts the compilations of our own kernels as Numba announces them."""

    def __init__(self, report: Callable[[str], None], named: bool) -> None:
        self._report = report
        self._named = named
        self._count = 0
        self._total = count_kernels(_KERNELS.glob("*.py"))

    def on_start(self, event: Any) -> None:
        """Called by Numba before it compiles a function."""
        function = event.data["dispatcher"].py_func
        if not function.__module__.startswith(__package__ or ""):
            return
        self._count += 1
        total = max(self._total, self._count)
        name = function.__name__
        line = (
            f"{function.__module__}.{name}"
            if self._named
            else f"compiling kernel {self._count}/{total}: {name}"
        )
        self._report(line)

    def on_end(self, event: Any) -> None:
        """Called by Numba after it compiled a function."""


def count_kernels(sources: Iterable[Path]) -> int:
    """How many functions these files mark for compilation."""
    return sum(len(_DECORATOR.findall(source.read_text("utf-8"))) for source in sources)
