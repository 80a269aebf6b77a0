# mypy: ignore-errors
"""Words of a table that several threads share: each is loaded and stored once, and whole."""

import numba
from llvmlite import ir
from numba import uint64, void
from numba.extending import intrinsic

_ALIGNMENT = 8

if numba.config.DISABLE_JIT:

    def load(table, index):
        """The word at an index."""
        return table[index]

    def store(table, index, word):
        """Set the word at an index."""
        table[index] = word

else:

    def _address(context, builder, signature, arguments):
        words = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.gep(words.data, [arguments[1]])

    @intrinsic
    def load(_typing, table, index):
        """The word at an index, which must be within the table."""

        def generate(context, builder, signature, arguments):
            address = _address(context, builder, signature, arguments)
            return builder.load_atomic(address, "monotonic", _ALIGNMENT, typ=ir.IntType(64))

        return uint64(table, index), generate

    @intrinsic
    def store(_typing, table, index, word):
        """Set the word at an index, which must be within the table."""

        def generate(context, builder, signature, arguments):
            address = _address(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], address, "monotonic", _ALIGNMENT)
            return context.get_dummy_value()

        return void(table, index, word), generate
