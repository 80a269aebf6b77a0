"""Reports how far a compilation is; reports nothing when all kernels come from the cache."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from kinarow.jit.kernels import compile_listener
from kinarow.jit.sources import count_kernels

_BAR = 20


class Progress:
    """Counts kernels as they are compiled."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._modules: set[str] = set()
        self._named: set[str] = set()
        self._total = 0

    def expect(self, modules: Iterable[str]) -> None:
        """Kernels of these modules will be compiled, with those that they call."""
        self._modules.update(modules)
        self._total = count_kernels(self._modules)

    def add(self, kernel: str) -> None:
        """Count a kernel, ``module.function``; what two processes compile counts once."""
        module = kernel.rpartition(".")[0]
        if not self._total:
            self.expect([module])
        self._named.add(kernel)

    def __str__(self) -> str:
        """A line such as "[#####...............] compiling kernel 12 of 48, about 30 s left"."""
        done, total = len(self._named), max(self._total, len(self._named))
        bar = ("#" * round(done / max(1, total) * _BAR)).ljust(_BAR, ".")
        seconds = (time.monotonic() - self._began) / max(1, done) * (total - done)
        return f"[{bar}] compiling kernel {done} of {total}, about {seconds:.0f} s left"


@contextmanager
def compile_report(report: Callable[[str], None]) -> Iterator[None]:
    """Within this context ``report`` gets a line with a bar before each compilation, and an empty one when loading
    ends.
    """
    progress = Progress()

    def listen(kernel: str | None) -> None:
        nonlocal progress
        if kernel is None:
            progress = Progress()
            report("")
        else:
            progress.add(kernel)
            report(str(progress))

    with compile_listener(listen):
        yield
