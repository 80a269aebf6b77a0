"""Declares kernels: ``entry`` for those that Python calls, ``part`` for those that only other kernels call.

It imports Numba, so only the build, the tests and the kernel modules may import it.

Each kernel is compiled once for each solver, to unoptimised LLVM IR; ``emit`` links and optimises them as one module.
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
"""True while kernels are compiled for WebAssembly, where some call LLVM intrinsics that LLVM doesn't select itself."""

CLOCK = "kinarow_monotonic_ns"
"""The linker's name of the function that returns the time to kernels, on the scale of ``time.perf_counter_ns``."""

monotonic_ns: Any = types.ExternalFunction(CLOCK, types.int64())

inlined: Callable[[Callable[..., Any]], Any] = numba.njit(inline="always")
"""Decorator: inline a function into each caller. A recursive kernel needs it for helpers that call it back."""

_OPTIONS = {"nopython": True, "nogil": True, "_nrt": False}  # no reference counting: callers own all memory
_SOLVERS = "kinarow.solvers."


def part(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel for other kernels only; a test may call it from Python, which compiles it in the process."""
    return lambda function: Kernel(function, signature)


def entry(signature: Any, solver: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that Python calls, in the library of ``solver`` (by default the one whose folder it is in)."""

    def declared(function: Callable[..., Any]) -> Any:
        restype, argtypes = _result_and_arguments(signature)
        owner = solver or function.__module__.removeprefix(_SOLVERS).partition(".")[0]
        kernel = Entry(function, signature, owner)
        declare(owner, function.__name__, tuple(map(_argument, argtypes)), str(restype), kernel)
        return kernel

    return declared


def _result_and_arguments(signature: Any) -> tuple[Any, tuple[Any, ...]]:
    arguments, result = numba.core.sigutils.normalize_signature(signature)
    return result, arguments


def _argument(kind: Any) -> Argument:
    """Describe a Numba type for the library's manifest."""
    if isinstance(kind, types.Record):
        return Argument("record", kind.size, 0)
    if isinstance(kind, types.Array):
        assert kind.layout == "C"
        size = kind.dtype.size if isinstance(kind.dtype, types.Record) else kind.dtype.bitwidth // 8
        return Argument("array", size, kind.ndim)
    return Argument(str(kind), 8, 0)


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The LLVM IR of one kernel, left unoptimised: ``emit`` optimises the linked module."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _PartCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel to a ``_PartLibrary``, without Numba's wrappers for callers in Python and C."""

    def __init__(self, typing: Any, target: Any, _: Any, arguments: Any, returns: Any, flags: Any, types: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _PartLibrary(target.codegen(), "part"), arguments, returns, flags, types)


class _Part(CPUDispatcher):  # type: ignore[misc]
    """Compiles a kernel for calls by other kernels; Numba finds the callee by its function descriptor."""

    def add_overload(self, cres: Any) -> None:
        """Register the code of a signature (called by Numba after compiling it)."""
        self.targetctx.insert_user_function(cres.fndesc, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres._replace(entry_point=cres.fndesc)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Numba's dispatcher: other kernels link its IR, and a call from Python compiles it in the process."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        self._part = _Part(function, targetoptions=_OPTIONS, pipeline_class=_PartCompiler)
        self._signature = signature

    def compiled(self, given: tuple[Any, ...] = ()) -> Any:
        """Compile the kernel for linking, unless it is, and return Numba's compile result.

        ``given`` are a caller's argument types: for each ``ConstantRecord`` among them the kernel is specialised.
        """
        result, kinds = _result_and_arguments(self._signature)
        kinds = with_constants(kinds, given or kinds)
        if kinds not in self._part.overloads:
            self._part.disable_compile(False)
            self._part.compile(result(*kinds))
            self._part.disable_compile()
        return self._part.overloads[kinds]

    @property
    def is_compiling(self) -> bool:
        """True during compilation: Numba asks it to recognise a recursive call."""
        return bool(super().is_compiling or self._part.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return Numba's typing template of a call; compile the kernel first (called while a caller compiles)."""
        # A recursive call arrives here while the kernel compiles; Numba resolves it without us.
        if super().is_compiling:
            return super().get_call_template(args, kws)
        if not self._part.is_compiling:
            self.compiled(args)
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return the code for a signature (called by Numba when it lowers a call)."""
        owner: CPUDispatcher = super() if tuple(sig) in self.overloads else self._part
        return owner.get_overload(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile on the first call from Python (called by Numba, which then calls the returned object)."""
        self._compilation_chain_init_hook()
        self.compile(self._signature)
        self.disable_compile()
        return self


class Entry(Kernel):
    """A kernel that Python calls in the shared library of its solver."""

    def __init__(self, function: Callable[..., Any], signature: Any, solver: str) -> None:
        super().__init__(function, signature)
        self._library = Library(solver)

    def __call__(self, *arguments: Any) -> Any:
        """Call the built kernel."""
        return getattr(self._library, self.py_func.__name__)(*arguments)


_CLOCK = ctypes.CFUNCTYPE(ctypes.c_int64)(time.perf_counter_ns)
# Kernels that are compiled in this process (tests call parts, the training has its own) need the clock too.
llvm.add_symbol(CLOCK, ctypes.cast(_CLOCK, ctypes.c_void_p).value)
