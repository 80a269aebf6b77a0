# mypy: ignore-errors
"""A request to the processor to bring a part of a table into its cache, before the kernel needs it."""

import numba
from llvmlite import ir
from numba import void
from numba.extending import intrinsic

_READ = 0
_KEEP_IN_ALL_CACHES = 3
_DATA = 1

if numba.config.DISABLE_JIT:

    def prefetch(table, index):
        """Do nothing: only compiled code can ask for a part of a table."""

else:

    @intrinsic
    def prefetch(_typing, table, index):
        """Ask for the cache line of ``table[index]``; the index must be within the table. It changes no value."""

        def generate(context, builder, signature, arguments):
            words = context.make_array(signature.args[0])(context, builder, arguments[0])
            byte_pointer = ir.IntType(8).as_pointer()
            address = builder.bitcast(builder.gep(words.data, [arguments[1]]), byte_pointer)
            number = ir.IntType(32)
            prefetch_type = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
            instruction = builder.module.declare_intrinsic("llvm.prefetch", (byte_pointer,), prefetch_type)
            builder.call(instruction, [address, *(number(value) for value in (_READ, _KEEP_IN_ALL_CACHES, _DATA))])
            return context.get_dummy_value()

        return void(table, index), generate
