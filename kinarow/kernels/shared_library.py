"""Calls kernels: finds the library of a solver, checks it, opens it, and passes arguments.

A library lies in ``compiled``, in the folder of its target, with a manifest beside it: the digest of the sources that
it was built from, its own digest, and the signature of each entry. An entry takes one pointer, to a record of words of
eight bytes: its arguments in order, where an array or a record is an address; then the shape of each array; then room
for the result.

With ``NUMBA_DISABLE_JIT=1`` there is no library: the same calls run the sources as Python.
"""

import ctypes
import hashlib
import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinarow.kernels import sources
from kinarow.kernels.targets import TARGETS, of_this_machine

DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether kernels run as plain Python; Numba reads the same variable."""

COMPILED = Path(__file__).with_name("compiled")
COMMAND = "python -m kinarow.kernels.build"


class KernelsMissing(OSError):
    """The kernels of a solver are not built for this machine; the message says how to build them."""


class Argument(NamedTuple):
    """What an entry takes at one place; ``size`` is that of a number, a record or an array's element, in bytes."""

    kind: str  # int64, uint64, bool, record or array
    size: int
    dimensions: int  # of an array, otherwise 0


class Pointer:
    """An array whose address is looked up once, for many calls. Its memory and its shape must stay."""

    __slots__ = ("address", "array", "itemsize", "shape")

    def __init__(self, array: Any, address: int | None = None) -> None:
        if not array.flags.c_contiguous:
            raise ValueError("kernels take arrays without gaps")
        self.array = array
        self.itemsize: int = array.itemsize
        self.shape: tuple[int, ...] = array.shape
        if address is None and isinstance(array, np.ndarray):
            address = array.ctypes.data
        elif address is None:  # a single record; NumPy writes down all its fields
            address = array.__array_interface__["data"][0]
        self.address: int = address


class Library:
    """The kernels of a solver: each entry is an attribute, called like the function from which it was built.

    An argument that is an array may be given as a ``Pointer``, which takes less time. A record is given as an array of
    one. The library is opened when an entry is first used.
    """

    def __init__(self, solver: str) -> None:
        self._solver = solver

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)  # tools that look at objects open nothing
        entries = _entries(self._solver)
        if name not in entries:
            raise AttributeError(f"the kernels of {self._solver} have no entry {name}")
        setattr(self, name, entries[name])
        return entries[name]


class _Entry:
    """An entry of an open library."""

    def __init__(self, function: Any, arguments: list[Argument], result: str) -> None:
        function.argtypes = function.restype = None
        function.restype = ctypes.c_int32
        self._function = function
        self._memory = [
            (place, each.size, each.dimensions > 0) for place, each in enumerate(arguments) if each.kind in _MEMORY
        ]
        shapes = sum(each.dimensions for each in arguments)
        form = "".join("Q" if each.kind in (*_MEMORY, "uint64") else "q" for each in arguments) + "q" * shapes
        self._pack = struct.Struct(form).pack_into
        self._record = ctypes.c_int64 * (len(form) + 1)
        self._result = _RESULTS[result]

    def __call__(self, *arguments: Any) -> Any:
        words = list(arguments)
        for place, size, is_array in self._memory:
            pointer = words[place]
            if type(pointer) is not Pointer:
                pointer = Pointer(pointer)
            if pointer.itemsize != size:
                raise TypeError(f"argument {place} has elements of {pointer.itemsize} bytes, not {size}")
            words[place] = pointer.address
            if is_array:
                words += pointer.shape
        record = self._record()
        self._pack(record, 0, *words)
        if self._function(record):
            raise ArithmeticError("a kernel divided by zero")
        return self._result(record[-1])


class _PlainEntry:
    """An entry as Python, called in the same way."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Argument, ...]) -> None:
        self._function = function
        self._arguments = arguments

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*map(self._plain, arguments, self._arguments))

    def _plain(self, value: Any, argument: Argument) -> Any:
        if argument.kind == "uint64":
            return np.uint64(value)
        array = value.array if isinstance(value, Pointer) else value
        if argument.kind != "record":
            return array
        return array.view(np.recarray)[0] if isinstance(array, np.ndarray) else array


_MEMORY = ("array", "record")
_RESULTS: dict[str, Callable[[int], Any]] = {
    "int64": int,
    "uint64": lambda word: word & 0xFFFFFFFFFFFFFFFF,
    "bool": bool,
    "none": lambda _: None,
}

Declared = tuple[tuple[Argument, ...], str, Any]
"""An entry as it is declared: its arguments, its result, and the decorated function."""

_declared: dict[str, dict[str, Declared]] = {}
_opened: dict[str, dict[str, Callable[..., Any]]] = {}
_failed: dict[str, str] = {}  # why the kernels of a solver could not be built; another try would fail too
_opening = threading.Lock()


def declare(solver: str, name: str, arguments: tuple[Argument, ...], result: str, function: Callable[..., Any]) -> None:
    """Note an entry of a solver; called by the decorator when a kernel module is imported."""
    _declared.setdefault(solver, {})[name] = arguments, result, function


def declared(solver: str) -> dict[str, Declared]:
    """Import the kernel modules of a solver, and give its entries: arguments, result and function."""
    for source in sources.kernel_sources(solver):
        import_module(sources.module_of(source))
    return _declared[solver]


def open_libraries(solvers: Any) -> None:
    """Open the libraries of these solvers, by the names of their folders; what is open costs nothing."""
    for solver in solvers:
        if solver not in _opened:
            _entries(solver)


def _entries(solver: str) -> dict[str, Callable[..., Any]]:
    found = _opened.get(solver)
    if found is None:
        with _opening:
            found = _opened.get(solver) or _open(solver)
            _opened[solver] = found
    return found


def _open(solver: str) -> dict[str, Callable[..., Any]]:
    if DISABLED:
        return {name: _PlainEntry(function, arguments) for name, (arguments, _, function) in declared(solver).items()}
    found = find(solver)
    if found is None:
        if solver in _failed:
            raise KernelsMissing(_failed[solver])
        try:
            _build(solver)
            found = find(solver)
            if found is None:
                raise KernelsMissing(f"the kernels of {solver} could not be built")
        except KernelsMissing as failure:
            _failed[solver] = str(failure)
            raise
    file, manifest = found
    library = ctypes.CDLL(str(file))
    return {
        name: _Entry(library[name], [Argument(*each) for each in entry["arguments"]], entry["result"])
        for name, entry in manifest["entries"].items()
    }


def find(solver: str) -> tuple[Path, dict[str, Any]] | None:
    """Return the library for this machine and its manifest, if it is whole and built from the present sources."""
    for target in of_this_machine():
        found = checked(COMPILED / target, solver)
        if found is not None:
            return found
    return None


def checked(folder: Path, solver: str) -> tuple[Path, dict[str, Any]] | None:
    """Return the library and the manifest of a solver, if it is whole and built from the present sources."""
    file = folder / f"{solver}{TARGETS[folder.name].suffix}"
    try:
        manifest = json.loads(file.with_suffix(".json").read_bytes())
        built_from = [sources.PACKAGE / name for name in manifest["sources"]]
        whole = hashlib.sha256(file.read_bytes()).hexdigest() == manifest["sha256"]
        return (file, manifest) if whole and sources.digest(built_from) == manifest["digest"] else None
    except (OSError, ValueError, KeyError):
        return None


def of_this_checkout() -> dict[str, str]:
    """Return the environment of a process that imports this package, not an installed one."""
    path = [str(sources.PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONSAFEPATH": "1"}


def _build(solver: str) -> None:
    """Build the kernels of a solver, in a process of its own; ``KernelsMissing`` if that fails."""
    if find_spec("numba") is None:
        raise KernelsMissing(f"the kernels of {solver} are not built for this machine: {COMMAND} (it needs Numba)")
    print(f"kinarow: building the kernels of {solver}, once …", file=sys.stderr, flush=True)  # noqa: T201
    done = subprocess.run(  # noqa: S603 - this interpreter and our own module
        [sys.executable, *COMMAND.split()[1:], solver],
        env=of_this_checkout(),
        stdin=subprocess.DEVNULL,
        stdout=2,  # not sys.stderr, which has no file under pytest and in a notebook
    )
    if done.returncode:
        raise KernelsMissing(f"the kernels of {solver} could not be built: {COMMAND} {solver} says why")
