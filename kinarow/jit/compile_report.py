"""Reports each kernel that is being compiled; reports nothing when all kernels come from the cache."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kinarow.jit.kernels import compile_listener


@contextmanager
def compile_report(report: Callable[[str], None]) -> Iterator[None]:
    """Within this context ``report`` gets a line such as "compiling kernel 3: popcount" before each compilation.

    It gets an empty one when a thread has loaded all that it wanted.
    """
    count = 0

    def listen(kernel: str | None) -> None:
        nonlocal count
        if kernel is None:
            report("")
        else:
            count += 1
            report(f"compiling kernel {count}: {kernel.rpartition('.')[2]}")

    with compile_listener(listen):
        yield
