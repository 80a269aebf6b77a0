"""The decorator of kernels: Numba's ``njit``, with kernels that load when they are needed and a cache of our own.

Python calls a few kernels, the entries. An entry's code has the code of all kernels that it calls in it, so only
entries are optimised, turned into machine code and kept. A kernel below is compiled to LLVM's language alone, as Numba
does with its own subroutines: that takes less than half of the time of compiling each kernel whole.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from kinarow.jit.cache import KernelCache
from kinarow.jit.kernels import DISABLED, announce, check_may_load, loading


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
        """Called by Numba with each compiled signature."""
        self.targetctx.insert_user_function(cres.fndesc, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres._replace(entry_point=cres.fndesc)


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function, loaded or compiled by its first caller for all of its declared signatures."""

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...], options: dict[str, Any]) -> None:
        options = {**options, "nopython": True}
        super().__init__(function, targetoptions=options)
        self._part = _Part(function, targetoptions=options, pipeline_class=_PartCompiler)
        self._signatures = signatures
        self._cache = KernelCache(function)

    def load(self) -> None:
        """Load every signature, or compile it."""
        if not self._can_compile:
            return
        check_may_load()
        with loading(), global_compiler_lock:
            if self._can_compile:
                for signature in self._signatures:
                    self.compile(signature)
                self.disable_compile()

    @property
    def is_compiling(self) -> bool:
        """Asked by Numba where a kernel calls itself."""
        return bool(super().is_compiling or self._part.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by Numba when it compiles a caller."""
        # A kernel that calls itself comes here while it compiles; Numba resolves that call by itself.
        if super().is_compiling or not self._can_compile:
            return super().get_call_template(args, kws)
        if not (self._part.is_compiling or self._part.overloads):
            announce(f"{self.py_func.__module__}.{self.py_func.__qualname__}")
            for signature in self._signatures:
                self._part.compile(signature)
            self._part.disable_compile()
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Called by Numba, later, for what the caller calls."""
        known: CPUDispatcher = super() if tuple(sig) in self.overloads else self._part
        return known.get_overload(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Called by Numba for a first call from Python; what it returns is called with the same arguments."""
        self._compilation_chain_init_hook()
        self.load()
        return self


def njit(*signatures: Any, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a kernel for these signatures, keeping the code; one without a signature becomes part of its callers.

    ``cache`` is True where there is a signature, as a reader who knows Numba expects to see it; the other options are
    Numba's, such as ``nogil`` or ``inline``.
    """
    assert cache == bool(signatures)
    if DISABLED or not signatures:
        plain: Callable[[Callable[..., Any]], Any] = numba.njit(**options)
        return plain
    return lambda function: Kernel(function, signatures, options)
