"""The decorator of kernels: Numba's ``njit``, with kernels that load when they are needed and a cache of our own.

A kernel that comes from the cache has the code of all kernels that it calls in it. So a caller in Python loads one
entry, and the kernels below are never loaded; they are compiled only where an entry is.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from kinarow.jit.cache import KernelCache
from kinarow.jit.kernels import DISABLED, check_may_load, loading


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function with declared signatures, loaded or compiled by its first caller.

    Args:
        function: the Python function.
        signatures: all that it is compiled for.
        options: Numba's options.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "nopython": True})
        self._signatures = signatures
        self._cache = KernelCache(function)

    def load(self) -> None:
        """Load every signature, or compile it."""
        if not self._can_compile:
            return
        check_may_load()
        with loading(), global_compiler_lock:
            # A kernel that calls itself comes here again while it compiles; Numba resolves that call by itself.
            if self._can_compile and not self.is_compiling:
                for signature in self._signatures:
                    self.compile(signature)
                self.disable_compile()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Called by Numba when it compiles a caller."""
        self.load()
        return super().get_call_template(args, kws)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Called by Numba for a first call from Python; what it returns is called with the same arguments."""
        self._compilation_chain_init_hook()
        self.load()
        return self


def njit(*signatures: Any, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a kernel for these signatures, keeping the code; one without a signature becomes part of its callers.

    Args:
        signatures: as ``numba.njit`` takes one.
        cache: always True where there is a signature, as a reader who knows Numba expects to see it.
        options: Numba's, such as ``nogil`` or ``inline``.
    """
    assert cache == bool(signatures)
    if DISABLED or not signatures:
        plain: Callable[[Callable[..., Any]], Any] = numba.njit(**options)
        return plain
    return lambda function: Kernel(function, signatures, options)
