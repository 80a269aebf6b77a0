"""Compiles the kernels of a solver to one object file for each target. ``build`` runs it in processes of its own.

Numba translates each kernel to LLVM IR once, for WebAssembly or for all other targets. Each entry gets a wrapper that
unpacks the struct of its arguments (``kinarow.kernels.shared_library``). LLVM optimises kernels and wrappers for each
target as one module.
"""

import json
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import config
from numba.core.codegen import create_pass_builder
from numba.core.compiler_lock import global_compiler_lock
from numba.np.arrayobj import populate_array

from kinarow.kernels import declare
from kinarow.kernels.shared_library import declared
from kinarow.kernels.targets import TARGETS, Target

_WORD = ir.IntType(64)
_STATUS = ir.IntType(32)
# Optimised for size: functions with these in their names run once for a game.
_RUN_ONCE = ("kernel_geometry", "kernel_games", "kernel_rules", "kernel_draw", "set_rules")


def emit(solver: str, folder: Path, targets: list[str]) -> None:
    """Write to ``folder`` an object file for each target, and the signatures of the entries as ``SOLVER.json``."""
    for initialize in (llvm.initialize_all_targets, llvm.initialize_all_asmprinters):
        initialize()
    (declare.FOR_WASM,) = {TARGETS[name].suffix == ".wasm" for name in targets}
    with global_compiler_lock:
        module, entries = _translate(solver)
    described = {name: {"arguments": arguments, "result": result} for name, (arguments, result, _) in entries.items()}
    (folder / f"{solver}.json").write_text(json.dumps(described))
    for name in targets:
        (folder / f"{solver}-{name}.o").write_bytes(_compile(str(module), {*entries}, TARGETS[name]))


def _translate(solver: str) -> tuple[llvm.ModuleRef, dict[str, Any]]:
    """Return a solver's kernels and wrappers as one unoptimised LLVM module, and its declared entries."""
    entries = declared(solver)
    compiled = {name: kernel.compiled() for name, (_, _, kernel) in entries.items()}
    context = next(iter(compiled.values())).target_context
    wrappers = context.create_module(f"kinarow {solver}")
    for name, kernel in compiled.items():
        _add_wrapper(context, wrappers, name, kernel.fndesc)
    module = llvm.parse_assembly(str(wrappers))
    # Link callers before callees: of code that modules share, LLVM then takes only what is used.
    for kernel in compiled.values():
        module.link_in(kernel.library._get_module_for_linking(), preserve=True)
    return module, entries


def _add_wrapper(context: Any, module: ir.Module, name: str, descriptor: Any) -> None:
    """Add the function that unpacks the struct of arguments, calls an entry and stores its result in the struct."""
    function = ir.Function(module, ir.FunctionType(_STATUS, [_WORD.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    (record,) = function.args

    def word(index: int) -> ir.Instruction:
        return builder.load(builder.gep(record, [_WORD(index)]))

    position = len(descriptor.argtypes)  # of the next word of an array's shape, and finally of the result
    arguments = []
    for index, kind in enumerate(descriptor.argtypes):
        if isinstance(kind, types.Array):
            shape = [word(position + axis) for axis in range(kind.ndim)]
            position += kind.ndim
            arguments.append(_array(context, builder, kind, word(index), shape))
        elif isinstance(kind, types.Record):
            arguments.append(builder.inttoptr(word(index), context.get_value_type(kind)))
        elif isinstance(kind, types.Boolean):
            arguments.append(builder.icmp_unsigned("!=", word(index), _WORD(0)))
        else:
            arguments.append(builder.trunc(word(index), context.get_value_type(kind)))
    kind = descriptor.restype
    callee = ir.Function(
        module, context.call_conv.get_function_type(kind, descriptor.argtypes), descriptor.llvm_func_name
    )
    status, result = context.call_conv.call_function(builder, callee, kind, descriptor.argtypes, arguments)
    if kind != types.none:
        builder.store(builder.zext(result, _WORD), builder.gep(record, [_WORD(position)]))
    builder.ret(status.code)


def _array(context: Any, builder: ir.IRBuilder, kind: Any, address: ir.Value, shape: list[ir.Value]) -> ir.Value:
    """Build Numba's array struct for borrowed memory."""
    array = context.make_array(kind)(context, builder)
    size = _WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    populate_array(array, data, shape, strides, size, meminfo=None)
    return array._getvalue()


def _compile(text: str, entries: set[str], target: Target) -> bytes:
    """Optimise LLVM IR for a target and return the object file; only the entries stay visible to the linker."""
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    clock = llvm.parse_assembly(_clock_source(target))
    clock.triple, clock.data_layout = module.triple, module.data_layout
    module.link_in(clock)
    for function in module.functions:
        if not function.is_declaration and any(name in function.name for name in _RUN_ONCE):
            function.add_function_attribute("minsize")
            function.add_function_attribute("optsize")
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration:
            if each.name not in entries:
                each.linkage = "internal"
            elif target.suffix == ".dll":
                each.storage_class = "dllexport"
    # As Numba does: a cheap pass first, which brings loops into the form that the vectorizer expects.
    quick = create_pass_builder(machine, opt=0, loop_vectorize=False, slp_vectorize=False)
    passes = quick.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.run(module, quick)
    full = create_pass_builder(
        machine, opt=config.OPT, loop_vectorize=config.LOOP_VECTORIZE, slp_vectorize=config.SLP_VECTORIZE
    )
    full.getModulePassManager().run(module, full)
    module.verify()
    return bytes(machine.emit_object(module))


_GETTIME = f"""
    declare i32 @clock_gettime(i32, ptr)
    define i64 @{declare.CLOCK}() {{
      %time = alloca [2 x i64], align 8
      %status = call i32 @clock_gettime(i32 CLOCK, ptr %time)
      %place = getelementptr i64, ptr %time, i64 1
      %seconds = load i64, ptr %time
      %rest = load i64, ptr %place
      %whole = mul i64 %seconds, 1000000000
      %sum = add i64 %whole, %rest
      ret i64 %sum
    }}"""
_COUNTER = f"""
    declare i32 @QueryPerformanceCounter(ptr)
    declare i32 @QueryPerformanceFrequency(ptr)
    define i64 @{declare.CLOCK}() {{
      %now = alloca i64, align 8
      %a_second = alloca i64, align 8
      %status = call i32 @QueryPerformanceCounter(ptr %now)
      %also = call i32 @QueryPerformanceFrequency(ptr %a_second)
      %ticks = load i64, ptr %now
      %rate = load i64, ptr %a_second
      %seconds = udiv i64 %ticks, %rate
      %left = urem i64 %ticks, %rate
      %scaled = mul i64 %left, 1000000000
      %rest = udiv i64 %scaled, %rate
      %whole = mul i64 %seconds, 1000000000
      %sum = add i64 %whole, %rest
      ret i64 %sum
    }}"""


def _clock_source(target: Target) -> str:
    """Return LLVM IR that defines ``CLOCK`` for a target, or declares it where the host provides it."""
    if isinstance(target.clock, int):
        return _GETTIME.replace("CLOCK", str(target.clock))
    return _COUNTER if target.clock == "QueryPerformanceCounter" else f"declare i64 @{declare.CLOCK}()"
