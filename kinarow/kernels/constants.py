"""Specialises kernels: compiles them once more for records in which some fields are compile-time constants.

A kernel called with such a record is specialised for it, and so are the kernels that it passes the record to.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_getattr_generic
from numba.extending import intrinsic
from numba.np.arrayobj import record_getattr


class ConstantRecord(types.Record):  # type: ignore[misc]
    """A record type in which some fields are compile-time constants; the memory layout is that of ``general``."""

    def __init__(self, general: Any, constants: dict[str, int]) -> None:
        fields = [(name, field._asdict()) for name, field in general.fields.items()]
        super().__init__(fields, general.size, general.aligned)
        self.general, self.constants = general, constants
        self.name: str = f"{self.name} with {constants}"

    def can_convert_to(self, typingctx: Any, other: Any) -> None:
        """Refuse conversion, so that Numba never passes it to a kernel compiled for the general type."""


register_default(ConstantRecord)(models.RecordModel)


@lower_getattr_generic(ConstantRecord)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Any, record: Any, name: str) -> Any:
    """Generate the code that reads a field: the constant, or else a load from memory."""
    if name in kind.constants:
        return context.get_constant(kind.typeof(name), kind.constants[name])
    return record_getattr(context, builder, kind, record, name)


def with_constants(kinds: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the declared argument types ``kinds``, each replaced by its ``ConstantRecord`` where ``given`` has one."""
    return tuple(
        each if isinstance(each, ConstantRecord) and each.general == kind else kind
        for kind, each in zip(kinds, given, strict=True)
    )


def special_case(general: Any, constants: dict[str, int]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two functions for kernels: a test that a record has these values, and a cast to ``ConstantRecord``."""
    kind = ConstantRecord(general, constants)

    def is_special(_typing: Any, record: Any) -> Any:
        """Return True if the record's fields have the values that were compiled in as constants."""

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
