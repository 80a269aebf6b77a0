"""Compiles kernels a second time, from the same text, for records of which some fields are constants.

A kernel whose argument is a record with constants is compiled for it, and so is each kernel that it passes it to.
"""

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_getattr_generic
from numba.extending import intrinsic
from numba.np.arrayobj import record_getattr


class ConstantRecord(types.Record):  # type: ignore[misc]
    """The type of those records of another type in which some fields have these values."""

    def __init__(self, general: Any, constants: dict[str, int]) -> None:
        fields = [(name, field._asdict()) for name, field in general.fields.items()]
        super().__init__(fields, general.size, general.aligned)
        self.general, self.constants = general, constants
        self.name: str = f"{self.name} with {constants}"

    def can_convert_to(self, typingctx: Any, other: Any) -> None:
        """Asked by Numba: a kernel compiled for the general type does not stand in for one with constants."""


register_default(ConstantRecord)(models.RecordModel)


@lower_getattr_generic(ConstantRecord)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Any, record: Any, name: str) -> Any:
    if name in kind.constants:
        return context.get_constant(kind.typeof(name), kind.constants[name])
    return record_getattr(context, builder, kind, record, name)


def with_constants(kinds: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types of a kernel's arguments, with constants where the given ones have them."""
    return tuple(
        each if isinstance(each, ConstantRecord) and each.general == kind else kind
        for kind, each in zip(kinds, given, strict=True)
    )


def special_case(general: Any, constants: dict[str, int]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two functions for kernels: whether a record's fields have these values, and the record as constants."""
    if numba.config.DISABLE_JIT:
        return lambda record: False, lambda record: record
    kind = ConstantRecord(general, constants)

    def is_special(_typing: Any, record: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            equal = context.get_constant(types.boolean, True)
            for name in constants:
                values = (each(context, builder, kind, arguments[0], name) for each in (_field, record_getattr))
                equal = builder.and_(equal, builder.icmp_signed("==", *values))
            return equal

        return types.boolean(record), generate

    def as_special(_typing: Any, record: Any) -> Any:
        return kind(record), lambda context, builder, signature, arguments: arguments[0]

    return intrinsic(is_special), intrinsic(as_special)
