# mypy: ignore-errors
"""Access to tables that threads share: atomic loads and stores of words, and prefetching. Indexes aren't checked."""

from llvmlite import ir
from numba import uint64, void
from numba.extending import intrinsic

_ALIGNMENT = 8
_READ = 0
_KEEP_IN_ALL_CACHES = 3
_DATA = 1


def _address(context, builder, signature, arguments):
    words = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(words.data, [arguments[1]])


@intrinsic
def load(_typing, table, index):
    """Load a word atomically (relaxed order)."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        return builder.load_atomic(address, "monotonic", _ALIGNMENT, typ=ir.IntType(64))

    return uint64(table, index), generate


@intrinsic
def store(_typing, table, index, word):
    """Store a word atomically (relaxed order)."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], address, "monotonic", _ALIGNMENT)
        return context.get_dummy_value()

    return void(table, index, word), generate


@intrinsic
def prefetch(_typing, table, index):
    """Prefetch the cache line of ``table[index]``."""

    def generate(context, builder, signature, arguments):
        byte_pointer = ir.IntType(8).as_pointer()
        address = builder.bitcast(_address(context, builder, signature, arguments), byte_pointer)
        number = ir.IntType(32)
        prefetch_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        instruction = builder.module.declare_intrinsic("llvm.prefetch", (byte_pointer,), prefetch_type)
        builder.call(instruction, [address, *(number(value) for value in (_READ, _KEEP_IN_ALL_CACHES, _DATA))])
        return context.get_dummy_value()

    return void(table, index), generate
