"""Operations on 16 numbers of 32 bits at a time, for the fit of the network.

Each takes arrays of one dimension, every one followed by the place of the first of its 16 numbers, and replaces those
of the first array. ``kernel_vectors`` has such operations for the engine, and says why.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 16
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_ZERO = ir.Constant(_VECTOR, [0.0] * LANES)
_ALIGNMENT = 4  # bytes


def _operation(result: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, Any]:
    """The signature and the code of an operation whose values are arrays and places in turn."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointers = []
        for i in range(0, len(arguments), 2):
            array = context.make_array(signature.args[i])(context, builder, arguments[i])
            place = builder.gep(array.data, [arguments[i + 1]])
            pointers.append(builder.bitcast(place, _VECTOR.as_pointer()))
        loaded = []
        for pointer in pointers:
            vector = builder.load(pointer)
            vector.align = _ALIGNMENT
            loaded.append(vector)
        builder.store(result(builder, *loaded), pointers[0]).align = _ALIGNMENT
        return context.get_dummy_value()

    return types.void(*values), generate


def _positive(builder: Any, condition: Any, vector: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", condition, _ZERO), vector, _ZERO)


@intrinsic
def assign(_typing, to, at, what, place):  # type: ignore[no-untyped-def]
    """``to = what``."""
    return _operation(lambda _builder, _to, other: other, (to, at, what, place))


@intrinsic
def add(_typing, to, at, what, place):  # type: ignore[no-untyped-def]
    """``to += what``."""
    return _operation(lambda builder, old, other: builder.fadd(old, other), (to, at, what, place))


@intrinsic
def rectify(_typing, to, at, what, place):  # type: ignore[no-untyped-def]
    """``to = max(what, 0)``."""
    return _operation(lambda builder, _to, other: _positive(builder, other, other), (to, at, what, place))


@intrinsic
def keep_where_positive(_typing, to, at, what, place, condition, beside):  # type: ignore[no-untyped-def]
    """``to = what`` where the condition is above 0, elsewhere 0."""
    return _operation(
        lambda builder, _to, other, tested: _positive(builder, tested, other), (to, at, what, place, condition, beside)
    )
