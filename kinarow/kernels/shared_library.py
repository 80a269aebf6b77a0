"""Calls kernels: finds the shared library of a solver, checks and opens it, and passes arguments.

A library is in ``compiled/TARGET``, beside its manifest: the digest of its sources, its own digest, and the signature
of each entry (a function that Python calls). An entry takes one pointer, to a struct of 8-byte words: the arguments in
order, arrays and records by address; then the shape of each array; then room for the result.
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

COMPILED = Path(__file__).with_name("compiled")
COMMAND = "python -m kinarow.kernels.build"


class KernelsMissing(OSError):
    """A solver's library is not built and can't be; the message says what is missing."""


class Argument(NamedTuple):
    """The type of one argument of an entry."""

    kind: str  # int64, uint64, bool, record or array
    size: int  # bytes of the number, the record or one element of the array
    dimensions: int  # of an array, otherwise 0


class Pointer:
    """An array with its address, looked up once for many calls. The array must not move or change its shape."""

    __slots__ = ("address", "array", "itemsize", "shape")

    def __init__(self, array: Any, address: int | None = None) -> None:
        if not array.flags.c_contiguous:
            raise ValueError("kernels take arrays without gaps")  # C-contiguous ones
        self.array = array
        self.itemsize: int = array.itemsize
        self.shape: tuple[int, ...] = array.shape
        if address is None and isinstance(array, np.ndarray):
            address = array.ctypes.data
        elif address is None:  # a single record, without ``ctypes``; this way is slow, as it describes every field
            address = array.__array_interface__["data"][0]
        self.address: int = address


class Library:
    """The kernels of a solver, as attributes: call an entry like the function that it was built from.

    Pass an array as itself or, faster, as a ``Pointer``, and a record as an array of length one. The first use of an
    entry opens the library.
    """

    def __init__(self, solver: str) -> None:
        self._solver = solver

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)  # introspection must not open the library
        entries = _entries(self._solver)
        if name not in entries:
            raise AttributeError(
                f"the kernels of {self._solver} have no entry {name}: {COMMAND} {self._solver} builds them anew"
            )
        setattr(self, name, entries[name])
        return entries[name]


class _Entry:
    """A callable entry of an open library; packs its arguments as the module describes."""

    def __init__(self, function: Any, arguments: list[Argument], result: str) -> None:
        function.argtypes = function.restype = None
        function.restype = ctypes.c_int32
        self._function = function
        self._by_address = [
            (index, each.size, each.dimensions > 0) for index, each in enumerate(arguments) if each.kind in _BY_ADDRESS
        ]
        shapes = sum(each.dimensions for each in arguments)
        form = "".join("Q" if each.kind in (*_BY_ADDRESS, "uint64") else "q" for each in arguments) + "q" * shapes
        self._pack = struct.Struct(form).pack_into
        self._record = ctypes.c_int64 * (len(form) + 1)
        self._result = _RESULTS[result]

    def __call__(self, *arguments: Any) -> Any:
        words = list(arguments)
        for index, size, is_array in self._by_address:
            pointer = words[index]
            if type(pointer) is not Pointer:
                pointer = Pointer(pointer)
            if pointer.itemsize != size:
                raise TypeError(f"argument {index} has elements of {pointer.itemsize} bytes, not {size}")
            words[index] = pointer.address
            if is_array:
                words += pointer.shape
        record = self._record()
        self._pack(record, 0, *words)
        if self._function(record):
            raise ArithmeticError("a kernel divided by zero, or took an index beyond an array (NUMBA_BOUNDSCHECK)")
        return self._result(record[-1])


_BY_ADDRESS = ("array", "record")
_RESULTS: dict[str, Callable[[int], Any]] = {
    "int64": int,
    "uint64": lambda word: word & 0xFFFFFFFFFFFFFFFF,
    "bool": bool,
    "none": lambda _: None,
}

Declared = tuple[tuple[Argument, ...], str, Any]
"""A declared entry: the types of its arguments, the type of its result, and the decorated function."""

_declared: dict[str, dict[str, Declared]] = {}
_opened: dict[str, dict[str, Callable[..., Any]]] = {}
_failed: dict[str, str] = {}  # by solver, why its build failed; a build is tried once in a process
_opening = threading.Lock()


def declare(solver: str, name: str, arguments: tuple[Argument, ...], result: str, function: Callable[..., Any]) -> None:
    """Register an entry of a solver; ``kinarow.kernels.declare.entry`` calls this when a kernel module is imported."""
    _declared.setdefault(solver, {})[name] = arguments, result, function


def declared(solver: str) -> dict[str, Declared]:
    """Import the kernel modules of a solver and return the entries that they declare, by name."""
    for source in sources.kernel_sources(solver):
        import_module(sources.module_of(source))
    return _declared[solver]


def open_libraries(solvers: Any) -> None:
    """Open the libraries of these solvers (names of folders), so that no search waits for it."""
    for solver in solvers:
        if solver not in _opened:
            _entries(solver)


def _entries(solver: str) -> dict[str, Callable[..., Any]]:
    """Return the callable entries of a solver by name; open its library, once for all threads."""
    found = _opened.get(solver)
    if found is None:
        with _opening:
            found = _opened.get(solver) or _open(solver)
            _opened[solver] = found
    return found


def _open(solver: str) -> dict[str, Callable[..., Any]]:
    """Open a solver's library, building it first if it is missing; ``KernelsMissing`` if that fails."""
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
    """Return the fastest library that this machine can run, with its manifest; None if none is up to date."""
    for target in of_this_machine():
        found = checked(COMPILED / target, solver)
        if found is not None:
            return found
    return None


def checked(folder: Path, solver: str) -> tuple[Path, dict[str, Any]] | None:
    """Return a folder's library of a solver and its manifest, or None if it is missing, damaged or stale."""
    file = folder / f"{solver}{TARGETS[folder.name].suffix}"
    try:
        manifest = json.loads(file.with_suffix(".json").read_bytes())
        built_from = [sources.PACKAGE / name for name in manifest["sources"]]
        whole = hashlib.sha256(file.read_bytes()).hexdigest() == manifest["sha256"]
        return (file, manifest) if whole and sources.digest(built_from) == manifest["digest"] else None
    except (OSError, ValueError, KeyError):
        return None


def of_this_checkout() -> dict[str, str]:
    """Return the environment for a Python process that must import this copy of the package, not an installed one."""
    path = [str(sources.PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONSAFEPATH": "1"}


def _build(solver: str) -> None:
    """Build the kernels of a solver in a new process, because this one must not import Numba."""
    if find_spec("numba") is None:
        raise KernelsMissing(f"the kernels of {solver} are not built for this machine; install Numba to build them")
    print(f"kinarow: building the kernels of {solver}, once …", file=sys.stderr, flush=True)  # noqa: T201
    done = subprocess.run(  # noqa: S603 - this interpreter and our own module
        [sys.executable, *COMMAND.split()[1:], solver],
        env=of_this_checkout(),
        stdin=subprocess.DEVNULL,
        stdout=2,  # not sys.stderr, which has no file under pytest and in a notebook
    )
    if done.returncode:
        raise KernelsMissing(f"the kernels of {solver} could not be built: {COMMAND} {solver} says why")
