"""How compiled code accesses memory: every accessor of `memory` becomes one load or store.

In compiled code a buffer is its address, an int64. No array crosses a call, so nothing is
reference counted. Narrow loads are zero-extended where no value is below 0, which keeps sign
extension off the critical path of a chased link.

Every load and store is what LLVM calls unordered: one instruction, which no other thread sees half
done, and which the optimiser may still leave out where it knows the value. An atomic accessor is
one atomic instruction. Importing this module registers the lowerings with numba.
"""

import platform
from collections.abc import Callable
from inspect import signature as parameters

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature
from numba.extending import lower_builtin, type_callable

import pageimpl.pcp.state  # noqa: F401  (brings its accessors into the tables)
from pageimpl.atomics import ATOMICS, Atomic, pause
from pageimpl.compaction import state as compactions
from pageimpl.compaction.clock import cycles
from pageimpl.memory import LOADS, STORES, Field, alone, zone_at
from pageimpl.slab import state as slabs
from pageimpl.vmstat import state as counters

WORD = ir.IntType(64)


def _pointer(builder: ir.IRBuilder, field: Field, args: list[ir.Value]) -> ir.Value:
    address = args[0]
    if field.stride:
        address = builder.add(address, builder.mul(args[1], WORD(field.stride)))
    address = builder.add(address, WORD(field.offset))
    return builder.inttoptr(address, ir.IntType(8 * field.width).as_pointer())


def _widened(builder: ir.IRBuilder, field: Field, value: ir.Value) -> ir.Value:
    if field.width == 8:
        return value
    return builder.sext(value, WORD) if field.signed else builder.zext(value, WORD)


def _narrowed(builder: ir.IRBuilder, field: Field, value: ir.Value) -> ir.Value:
    return value if field.width == 8 else builder.trunc(value, ir.IntType(8 * field.width))


def _register_load(accessor: Callable[..., object], field: Field) -> None:
    def lowered(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
    ) -> ir.Value:
        value = builder.load_atomic(_pointer(builder, field, args), "unordered", field.width)
        return _widened(builder, field, value)

    if field.stride:
        type_callable(accessor)(
            lambda context: lambda mem, p: signature(types.int64, types.int64, types.int64)
        )
        lower_builtin(accessor, types.int64, types.int64)(lowered)
    else:
        type_callable(accessor)(lambda context: lambda mem: signature(types.int64, types.int64))
        lower_builtin(accessor, types.int64)(lowered)


def _register_store(accessor: Callable[..., None], field: Field) -> None:
    def lowered(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
    ) -> ir.Value:
        value = _narrowed(builder, field, args[-1])
        builder.store_atomic(value, _pointer(builder, field, args), "unordered", field.width)
        return context.get_dummy_value()

    none, word = types.none, types.int64
    if field.stride:
        type_callable(accessor)(lambda context: lambda mem, p, v: signature(none, word, word, word))
        lower_builtin(accessor, word, word, word)(lowered)
    else:
        type_callable(accessor)(lambda context: lambda mem, v: signature(none, word, word))
        lower_builtin(accessor, word, word)(lowered)


def _register_atomic(accessor: Callable[..., object], field: Field, atomic: Atomic) -> None:
    where = 2 if field.stride else 1

    def lowered(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
    ) -> ir.Value:
        pointer = _pointer(builder, field, args)
        values = [_narrowed(builder, field, value) for value in args[where:]]
        if atomic is Atomic.RELEASE:
            builder.store_atomic(values[0], pointer, "release", field.width)
            return context.get_dummy_value()
        if atomic is Atomic.COMPARE:
            pair = builder.cmpxchg(pointer, *values, "acq_rel", "acquire")
            return builder.extract_value(pair, 1)
        before = builder.atomic_rmw(atomic.value, pointer, values[0], "acq_rel")
        return _widened(builder, field, before)

    count = where + (2 if atomic is Atomic.COMPARE else 1)
    returns = {Atomic.RELEASE: types.none, Atomic.COMPARE: types.boolean}.get(atomic, types.int64)
    arguments = [types.int64] * count
    if count == 2:
        type_callable(accessor)(lambda context: lambda mem, a: signature(returns, *arguments))
    elif count == 3:
        type_callable(accessor)(lambda context: lambda mem, a, b: signature(returns, *arguments))
    else:
        type_callable(accessor)(lambda context: lambda mem, a, b, c: signature(returns, *arguments))
    lower_builtin(accessor, *arguments)(lowered)


def _register_call(accessor: Callable[..., object], field: Field) -> None:
    """Call a kernel by its address, on the buffer to which the first word leads."""

    def lowered(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
    ) -> ir.Value:
        operands = [builder.load(_pointer(builder, Field(8, 0), args)), *args[1:]]
        form = ir.FunctionType(WORD, [WORD] * len(operands)).as_pointer()
        entry = builder.load(_pointer(builder, field, args))
        return builder.call(builder.inttoptr(entry, form), operands)

    count, word = len(parameters(accessor).parameters), types.int64
    arguments = [word] * count
    if count == 2:
        type_callable(accessor)(lambda context: lambda mem, a: signature(word, *arguments))
    elif count == 3:
        type_callable(accessor)(lambda context: lambda mem, a, b: signature(word, *arguments))
    else:
        type_callable(accessor)(lambda context: lambda mem, a, b, c: signature(word, *arguments))
    lower_builtin(accessor, *arguments)(lowered)


WAITING = {"x86_64": "pause", "AMD64": "pause", "aarch64": "yield", "arm64": "yield"}
"""The instruction by which a processor is told that a loop only waits."""


def _lowered_pause(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
) -> ir.Value:
    """What was read before must be read again: the instruction may have changed all memory."""
    instruction = WAITING.get(platform.machine(), "")
    builder.asm(ir.FunctionType(ir.VoidType(), []), instruction, "~{memory}", [], True)
    return context.get_dummy_value()


# Without it inline assembly ends the whole process.
binding.initialize_native_asmparser()
type_callable(pause)(lambda context: lambda: signature(types.none))
lower_builtin(pause)(_lowered_pause)


TIMES = {"aarch64": "mrs $0, cntvct_el0", "arm64": "mrs $0, cntvct_el0"}
"""The instruction that reads the time, where LLVM's own reads a counter that programs may not."""


def _lowered_cycles(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
) -> ir.Value:
    form = ir.FunctionType(WORD, [])
    instruction = TIMES.get(platform.machine())
    if instruction is not None:
        return builder.asm(form, instruction, "=r", [], True)
    read = cgutils.get_or_insert_function(builder.module, form, "llvm.readcyclecounter")
    return builder.call(read, [])


type_callable(cycles)(lambda context: lambda: signature(types.int64))
lower_builtin(cycles)(_lowered_cycles)


def _lowered_alone(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
) -> ir.Value:
    """A word on the stack of the kernel that calls, which holds the zone's address."""
    return builder.ptrtoint(cgutils.alloca_once_value(builder, args[0]), WORD)


type_callable(alone)(lambda context: lambda mem: signature(types.int64, types.int64))
lower_builtin(alone, types.int64)(_lowered_alone)

_register_load(zone_at, Field(8, 0, 8))
_POINTERS = (*slabs.POINTERS, *compactions.POINTERS)
for _load, _field in [*LOADS, *counters.LOADS, *slabs.LOADS, *compactions.LOADS, *_POINTERS]:
    _register_load(_load, _field)
for _store, _field in [*STORES, *counters.STORES, *slabs.STORES, *compactions.STORES]:
    _register_store(_store, _field)
for _call, _field in (*slabs.CALLS, *compactions.CALLS):
    _register_call(_call, _field)
_FIELDS = dict([*LOADS, *counters.LOADS])
for _accessor, _of, _atomic in ATOMICS:
    _register_atomic(_accessor, _FIELDS[_of], _atomic)
