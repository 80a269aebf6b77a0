"""Reaches compiled kernels without importing them: that takes Numba 0.4 s, and compiling a solver many seconds.

Each solver names its kernels once, as ``KernelModule``, in its module ``solver``. They load when the solver first
searches, or before, by ``load``. Nothing else imports a kernel or a module that rests on one.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether Numba is switched off, so that kernels run as plain Python; it reads the same variable."""

Use = Literal["search", "bulk"]  # what kernels are for: single searches, or calls for many positions at once

_SOLVERS = "kinarow.solvers"
_BETWEEN_LOOKS_S = 0.2

_modules: dict[str, list["KernelModule"]] = {}
_loaded: set[tuple[str, Use]] = set()


class NotLoaded(RuntimeError):
    """Kernels are missing that only another thread may load (``loads_alone``)."""


class KernelModule:
    """A module of kernels, or one that rests on them, which is imported when one of its names is first used.

    Its full name begins with ``kinarow.solvers``; its entries are the kernels that Python calls, for this use, and that
    ``load`` loads.
    """

    def __init__(self, name: str, *entries: str, use: Use = "search") -> None:
        self.__name__ = name
        self._entries = entries
        self._use = use
        solver = name.removeprefix(f"{_SOLVERS}.").partition(".")[0]
        _modules.setdefault(solver, []).append(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # tools that look at objects load nothing
        if self.__name__ not in sys.modules:
            check_may_load()
        with loading():
            value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value

    def _load(self) -> None:
        """Import the module and load its entries, or compile them."""
        with loading():
            module = import_module(self.__name__)
            if not DISABLED:
                for entry in self._entries:
                    getattr(module, entry).load()


def load(solvers: Iterable[str], use: Use = "search") -> None:
    """Load the kernels of these solvers, by the names of their folders, and compile those that are not in the cache.

    Numba's compiler lock lets one thread at a time load; the others wait. Calls for what is loaded cost nothing.
    """
    missing = [solver for solver in solvers if (solver, use) not in _loaded]
    if missing:
        check_may_load()
    for solver in missing:
        import_module(f"{_SOLVERS}.{solver}.solver")
        for module in _modules[solver]:
            if module._use == use:
                module._load()
        _loaded.add((solver, use))


def are_compiled(solvers: Iterable[str]) -> bool:
    """Whether the kernels of these solvers are in the cache, for searches."""
    cache_dir: Any = import_module("kinarow.jit.cache_dir")
    return all(cache_dir.is_complete(solver) for solver in solvers)


def load_when_compiled(solvers: Iterable[str]) -> None:
    """Load these solvers' kernels in order, each as soon as another process has compiled it, or else compile it
    here.
    """
    cache_dir: Any = import_module("kinarow.jit.cache_dir")
    for solver in solvers:
        while not cache_dir.is_complete(solver) and cache_dir.is_compiling():
            time.sleep(_BETWEEN_LOOKS_S)
        load([solver])


def entries(solvers: Iterable[str], *uses: Use) -> list[tuple[str, str]]:
    """Module and name of each kernel of these solvers that Python calls, for these uses or by default for all."""
    for solver in solvers:
        import_module(f"{_SOLVERS}.{solver}.solver")
    wanted = [module for solver in solvers for module in _modules[solver] if not uses or module._use in uses]
    return [(module.__name__, entry) for module in wanted for entry in module._entries]


def are_loaded(solvers: Iterable[str], use: Use = "search") -> bool:
    """Whether ``load`` has loaded the kernels of these solvers in this process."""
    return all((solver, use) in _loaded for solver in solvers)


class _Clock(threading.local):
    """The time that a thread has spent loading."""

    spent_ns = 0
    depth = 0


_clock = _Clock()


def loading_ns() -> int:
    """Nanoseconds that this thread has spent loading and compiling kernels: they are no part of a search."""
    return _clock.spent_ns


@contextmanager
def loading() -> Iterator[None]:
    """Count the time within this context as loading."""
    began = time.monotonic_ns()
    _clock.depth += 1
    try:
        yield
    finally:
        _clock.depth -= 1
        if _clock.depth == 0:
            _clock.spent_ns += time.monotonic_ns() - began
            announce(None)


class SearchClock:
    """The wall-clock time since it was made, without the time that this thread has spent loading kernels."""

    def __init__(self) -> None:
        self._began_ns = time.perf_counter_ns()
        self._loading_ns = loading_ns()

    @property
    def loading_ns(self) -> int:
        """Nanoseconds of loading since then."""
        return loading_ns() - self._loading_ns

    @property
    def ms(self) -> float:
        """Milliseconds since then, without loading."""
        return (time.perf_counter_ns() - self._began_ns - self.loading_ns) / 1_000_000


_only_loader: int | None = None  # the thread that loads, where no other one may


@contextmanager
def loads_alone() -> Iterator[None]:
    """Within this context kernels load in this thread alone; elsewhere ``NotLoaded`` says that some are missing.

    So a server's requests neither load nor compile anything.
    """
    global _only_loader
    _only_loader = threading.get_ident()
    try:
        yield
    finally:
        _only_loader = None


def check_may_load() -> None:
    """Raise ``NotLoaded`` if only another thread may load kernels."""
    if _only_loader not in (None, threading.get_ident()):
        raise NotLoaded


_listeners: list[Callable[[str | None], None]] = []


@contextmanager
def compile_listener(listener: Callable[[str | None], None]) -> Iterator[None]:
    """Within this context ``listener`` gets the full name of each kernel, ``module.function``, before it compiles.

    It gets None when a thread has loaded all that it wanted.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def announce(kernel: str | None) -> None:
    """Tell all listeners that this kernel is about to be compiled, or with None that loading is over."""
    for listener in tuple(_listeners):
        listener(kernel)
