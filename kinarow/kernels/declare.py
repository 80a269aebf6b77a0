"""Declares kernels: ``entry`` for those that Python calls, ``part`` for those that only other kernels call.

Only the build, the tests and the kernel modules import this module, for it imports Numba. With ``NUMBA_DISABLE_JIT=1``
the decorators leave functions as they are.

An entry's code contains that of all kernels that it calls, so a kernel is compiled once for each solver, to LLVM's
language alone; ``build`` links and optimises them together.
"""

import ctypes
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from kinarow.kernels.constants import with_constants
from kinarow.kernels.shared_library import Argument, Library, declare

FOR_WASM = False
"""Whether kernels are compiled for WebAssembly, where a few need instructions that LLVM does not find by itself."""

CLOCK = "kinarow_monotonic_ns"
"""The function, without arguments, that gives kernels the time on the scale of ``time.perf_counter_ns``."""

monotonic_ns: Any = time.perf_counter_ns if numba.config.DISABLE_JIT else types.ExternalFunction(CLOCK, types.int64())

inlined: Callable[[Callable[..., Any]], Any] = numba.njit(inline="always")
"""Marks a function whose text becomes that of its callers: parts of a kernel that calls itself are written so."""

_OPTIONS = {"nopython": True, "nogil": True, "_nrt": False}  # no counting of references: callers own all memory
_SOLVERS = "kinarow.solvers."


def part(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that only other kernels call; Python may too, to try it, which compiles it in this process."""
    return _plain if numba.config.DISABLE_JIT else lambda function: Kernel(function, signature)


def entry(signature: Any, solver: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that Python calls, in the library of this solver, by default the one in whose folder it is."""

    def declared(function: Callable[..., Any]) -> Any:
        restype, argtypes = _resolved(signature)
        owner = solver or function.__module__.removeprefix(_SOLVERS).partition(".")[0]
        kernel = function if numba.config.DISABLE_JIT else Entry(function, signature, owner)
        declare(owner, function.__name__, tuple(map(_argument, argtypes)), str(restype), kernel)
        return kernel

    return declared


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _resolved(signature: Any) -> tuple[Any, tuple[Any, ...]]:
    arguments, result = numba.core.sigutils.normalize_signature(signature)
    return result, arguments


def _argument(kind: Any) -> Argument:
    if isinstance(kind, types.Record):
        return Argument("record", kind.size, 0)
    if isinstance(kind, types.Array):
        assert kind.layout == "C"
        size = kind.dtype.size if isinstance(kind.dtype, types.Record) else kind.dtype.bitwidth // 8
        return Argument("array", size, kind.ndim)
    return Argument(str(kind), 8, 0)


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel within others: whoever links it optimises it."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel for a ``_PartLibrary``, without the wrappers that callers in Python and C need."""

    def __init__(self, typing: Any, target: Any, _: Any, arguments: Any, returns: Any, flags: Any, types: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _PartLibrary(target.codegen(), "part"), arguments, returns, flags, types)


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A kernel for other kernels only; its function descriptors stand for it where Numba looks up what is called."""

    def add_overload(self, cres: Any) -> None:
        """Note each compiled signature (called by Numba)."""
        self.targetctx.insert_user_function(cres.fndesc, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres._replace(entry_point=cres.fndesc)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Numba sees it: part of others, and compiled in this process only if Python calls it."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        self._part = _Part(function, targetoptions=_OPTIONS, pipeline_class=_PartCompiler)
        self._signature = signature

    def compiled(self, given: tuple[Any, ...] = ()) -> Any:
        """Compile the kernel as a part, and return Numba's result: its descriptor, its signature and its code.

        Where the types of these arguments have constants, it is compiled with those.
        """
        result, kinds = _resolved(self._signature)
        kinds = with_constants(kinds, given or kinds)
        if kinds not in self._part.overloads:
            self._part.disable_compile(False)
            self._part.compile(result(*kinds))
            self._part.disable_compile()
        return self._part.overloads[kinds]

    @property
    def is_compiling(self) -> bool:
        """Asked by Numba where a kernel calls itself."""
        return bool(super().is_compiling or self._part.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the template of a call (called by Numba when it compiles a caller)."""
        # A kernel that calls itself comes here while it compiles; Numba resolves that call by itself.
        if super().is_compiling:
            return super().get_call_template(args, kws)
        if not self._part.is_compiling:
            self.compiled(args)
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return the compiled code of a signature (called by Numba for what a caller calls)."""
        known: CPUDispatcher = super() if tuple(sig) in self.overloads else self._part
        return known.get_overload(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile for a first call from Python (called by Numba, which calls the result with the same arguments)."""
        self._compilation_chain_init_hook()
        self.compile(self._signature)
        self.disable_compile()
        return self


class Entry(Kernel):
    """A kernel whose calls from Python go to the library of its solver."""

    def __init__(self, function: Callable[..., Any], signature: Any, solver: str) -> None:
        super().__init__(function, signature)
        self._library = Library(solver)

    def __call__(self, *arguments: Any) -> Any:
        """Call the built kernel."""
        return getattr(self._library, self.py_func.__name__)(*arguments)


_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64)(time.perf_counter_ns)
# Numba compiles in this process only what Python calls without a library: parts in tests, and kernels of the training.
llvm.add_symbol(CLOCK, ctypes.cast(_CLOCK, ctypes.c_void_p).value)
