# mypy: ignore-errors
"""SIMD operations on integers for the network, written as LLVM vectors.

Each takes one-dimensional arrays, every one followed by the index of its first number. An operation on one side takes
``LANES`` numbers from there, one on both sides ``BOTH``: those of side 0, then those of side 1. Numbers have 16 bits
and wrap; pools have 32. LLVM can't vectorise the loops itself, as it doesn't know that the arrays don't overlap.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from kinarow.kernels import declare
from kinarow.solvers.large_boards.board.layout import BOTH, HIDDEN, LANES

POOL_SHIFT = 2
"""The low bits that a region's channels lose when they are added to the pool."""

_SHORT, _WORD = ir.IntType(16), ir.IntType(32)
_ONE_SIDE, _BOTH_SIDES = ir.VectorType(_SHORT, LANES), ir.VectorType(_SHORT, BOTH)
_ONE_SIDE_WIDE, _BOTH_SIDES_WIDE = ir.VectorType(_WORD, LANES), ir.VectorType(_WORD, BOTH)
_ALIGNMENT = 2  # bytes


def _splat(vector, number):
    return ir.Constant(vector, [number] * vector.count)


def _pointer(context, builder, of_type, array, place, vector):
    """Return a pointer to the vector that begins at a place of an array."""
    data = context.make_array(of_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), vector.as_pointer())


def _pointers(context, builder, signature, arguments, count, vector):
    """Return pointers to vectors for the first ``count`` pairs of arguments, an array and a place each."""
    return [
        _pointer(context, builder, signature.args[i], arguments[i], arguments[i + 1], vector)
        for i in range(0, 2 * count, 2)
    ]


def _load(builder, pointer):
    vector = builder.load(pointer)
    vector.align = _ALIGNMENT
    return vector


def _store(builder, vector, pointer):
    builder.store(vector, pointer).align = _ALIGNMENT


def _rectified(builder, vector):
    zero = _splat(vector.type, 0)
    return builder.select(builder.icmp_signed(">", vector, zero), vector, zero)


def _sum_of_rows(context, builder, of_type, table, rows):
    loaded = [_load(builder, _pointer(context, builder, of_type, table, row, _BOTH_SIDES)) for row in rows]
    total = loaded[0]
    for row in loaded[1:]:
        total = builder.add(total, row)
    return total


def _shuffle(builder, vector, lanes):
    mask = ir.Constant(ir.VectorType(_WORD, len(lanes)), lanes)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _products_in_pairs(builder, vector, other):
    """Return the products of two vectors, each two neighbours added (one instruction, ``pmaddwd`` on x86)."""
    if not declare.FOR_WASM:
        words = ir.VectorType(_WORD, vector.type.count)
        product = builder.mul(builder.sext(vector, words), builder.sext(other, words))
        even, odd = (_shuffle(builder, product, list(range(first, words.count, 2))) for first in range(2))
        return builder.add(even, odd)
    # For WebAssembly LLVM doesn't select that instruction, so call it for each vector of 128 bits.
    part, sums = ir.VectorType(_SHORT, 8), ir.VectorType(_WORD, 4)
    dot = cgutils.get_or_insert_function(builder.module, ir.FunctionType(sums, [part, part]), "llvm.wasm.dot")
    found = []
    for first in range(0, vector.type.count, part.count):
        lanes = list(range(first, first + part.count))
        found.append(builder.call(dot, [_shuffle(builder, each, lanes) for each in (vector, other)]))
    while len(found) > 1:
        lanes = ir.Constant(ir.VectorType(_WORD, 2 * found[0].type.count), list(range(2 * found[0].type.count)))
        pairs = zip(found[::2], found[1::2], strict=True)
        found = [builder.shuffle_vector(low, high, lanes) for low, high in pairs]
    return found[0]


def _or_zeros(builder, vector, condition):
    return builder.select(condition, vector, _splat(vector.type, 0))


def _vector_in(of_type, length):
    """Return the vector type of ``length`` elements of an array type."""
    return ir.VectorType(ir.IntType(of_type.dtype.bitwidth), length)


def _assign(length):
    def generate(context, builder, signature, arguments):
        vector = _vector_in(signature.args[0], length)
        target, source = _pointers(context, builder, signature, arguments, 2, vector)
        _store(builder, _load(builder, source), target)
        return context.get_dummy_value()

    return generate


@intrinsic
def assign(_typing, to, at, what, place):
    """``to = what``, of one side."""
    return types.void(to, at, what, place), _assign(LANES)


@intrinsic
def assign_both(_typing, to, at, what, place):
    """``to = what``, of both sides."""
    return types.void(to, at, what, place), _assign(BOTH)


@intrinsic
def add_difference(_typing, to, at, now, place, was, beside):
    """``to += now - was``, of one side."""

    def generate(context, builder, signature, arguments):
        target, plus, minus = _pointers(context, builder, signature, arguments, 3, _ONE_SIDE)
        change = builder.sub(_load(builder, plus), _load(builder, minus))
        _store(builder, builder.add(_load(builder, target), change), target)
        return context.get_dummy_value()

    return types.void(to, at, now, place, was, beside), generate


def _tuple_items(builder, value, of_type):
    return [builder.extract_value(value, i) for i in range(len(of_type))]


@intrinsic
def add_change(_typing, to, at, bias, table, rows, was, now, was_counts, now_counts):
    """``to += f(now) - f(was)``; ``f(row) = max(bias + rows + row, 0)``, or 0 for a row that doesn't count."""

    def generate(context, builder, signature, arguments):
        (target,) = _pointers(context, builder, signature, arguments, 1, _BOTH_SIDES)
        kinds = signature.args
        zero = context.get_constant(types.intp, 0)
        total = _load(builder, _pointer(context, builder, kinds[2], arguments[2], zero, _BOTH_SIDES))
        places = _tuple_items(builder, arguments[4], kinds[4])
        total = builder.add(total, _sum_of_rows(context, builder, kinds[3], arguments[3], places))
        active = []
        for row, counts in zip(arguments[5:7], arguments[7:9], strict=True):
            whole = builder.add(total, _sum_of_rows(context, builder, kinds[3], arguments[3], [row]))
            active.append(_or_zeros(builder, _rectified(builder, whole), counts))
        _store(builder, builder.add(_load(builder, target), builder.sub(active[1], active[0])), target)
        return context.get_dummy_value()

    return types.void(to, at, bias, table, rows, was, now, was_counts, now_counts), generate


@intrinsic
def add_to_pool(_typing, pool, at, sums, now, was, what, place):
    """``sums[now] = sums[was] + what`` for each pair of places; ``pool`` += the change of the rectified sums."""

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        pooled = _pointer(context, builder, kinds[0], arguments[0], arguments[1], _BOTH_SIDES_WIDE)
        change = _load(builder, _pointer(context, builder, kinds[5], arguments[5], arguments[6], _BOTH_SIDES))
        gain = _splat(_BOTH_SIDES, 0)
        for places in zip(*(_tuple_items(builder, arguments[i], kinds[i]) for i in (3, 4)), strict=True):
            target, source = (
                _pointer(context, builder, kinds[2], arguments[2], place, _BOTH_SIDES) for place in places
            )
            old = _load(builder, source)
            new = builder.add(old, change)
            _store(builder, new, target)
            bits = _splat(_BOTH_SIDES, POOL_SHIFT)
            after, before = (builder.lshr(_rectified(builder, sums), bits) for sums in (new, old))
            gain = builder.add(gain, builder.sub(after, before))
        total = builder.add(_load(builder, pooled), builder.sext(gain, _BOTH_SIDES_WIDE))
        _store(builder, total, pooled)
        return context.get_dummy_value()

    return types.void(pool, at, sums, now, was, what, place), generate


@intrinsic(prefer_literal=True)
def clip_sum(_typing, to, at, what, place, bias, beside, shift, limit):
    """``to = clip((what >> shift) + bias, 0, limit)``, of one side."""
    bits, most = (_splat(_ONE_SIDE_WIDE, number.literal_value) for number in (shift, limit))

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        target, added = (
            _pointer(context, builder, kinds[i], arguments[i], arguments[i + 1], _ONE_SIDE) for i in (0, 4)
        )
        vector = _vector_in(kinds[2], LANES)
        numbers = _load(builder, _pointer(context, builder, kinds[2], arguments[2], arguments[3], vector))
        if vector != _ONE_SIDE_WIDE:
            numbers = builder.sext(numbers, _ONE_SIDE_WIDE)
        total = builder.add(builder.ashr(numbers, bits), builder.sext(_load(builder, added), _ONE_SIDE_WIDE))
        total = _rectified(builder, total)
        total = builder.select(builder.icmp_signed("<", total, most), total, most)
        _store(builder, builder.trunc(total, _ONE_SIDE), target)
        return context.get_dummy_value()

    return types.void(to, at, what, place, bias, beside, shift, limit), generate


@intrinsic(prefer_literal=True)
def add_layer(_typing, to, layer, inputs, count):
    """``to += inputs @ layer`` for ``count`` inputs; the layer interleaves the weights of two inputs."""
    pairs = count.literal_value // 2
    words = ir.VectorType(_WORD, HIDDEN)

    def generate(context, builder, signature, arguments):
        zero = context.get_constant(types.intp, 0)
        vectors = (words, ir.VectorType(_SHORT, 2 * HIDDEN), ir.VectorType(_SHORT, 2))
        target, factors, numbers = (
            _pointer(context, builder, signature.args[i], arguments[i], zero, vectors[i]) for i in range(3)
        )
        total = _load(builder, target)
        for number in range(pairs):
            two = _load(builder, builder.gep(numbers, [_WORD(number)]))
            by = _load(builder, builder.gep(factors, [_WORD(number)]))
            two = _shuffle(builder, two, [0, 1] * HIDDEN)
            total = builder.add(total, _products_in_pairs(builder, by, two))
        _store(builder, total, target)
        return context.get_dummy_value()

    return types.void(to, layer, inputs, count), generate
