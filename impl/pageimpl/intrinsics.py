"""How compiled code accesses memory: every accessor of `memory` becomes one load or store.

In compiled code a buffer is its address, an int64. No array crosses a call, so nothing is
reference counted. Narrow loads are zero-extended where no value is below 0, which keeps sign
extension off the critical path of a chased link. Importing this module registers the lowerings with
numba.
"""

from collections.abc import Callable

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature
from numba.extending import lower_builtin, type_callable

import pageimpl.pcp.state  # noqa: F401  (brings its accessors into the tables)
from pageimpl.memory import LOADS, STORES, Field, alone, zone_at
from pageimpl.vmstat import state as counters

WORD = ir.IntType(64)


def _pointer(builder: ir.IRBuilder, field: Field, args: list[ir.Value]) -> ir.Value:
    address = args[0]
    if field.stride:
        address = builder.add(address, builder.mul(args[1], WORD(field.stride)))
    address = builder.add(address, WORD(field.offset))
    return builder.inttoptr(address, ir.IntType(8 * field.width).as_pointer())


def _register_load(accessor: Callable[..., object], field: Field) -> None:
    def lowered(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
    ) -> ir.Value:
        value = builder.load(_pointer(builder, field, args), align=field.width)
        if field.width == 8:
            return value
        return builder.sext(value, WORD) if field.signed else builder.zext(value, WORD)

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
        value = args[-1]
        if field.width < 8:
            value = builder.trunc(value, ir.IntType(8 * field.width))
        builder.store(value, _pointer(builder, field, args), align=field.width)
        return context.get_dummy_value()

    none, word = types.none, types.int64
    if field.stride:
        type_callable(accessor)(lambda context: lambda mem, p, v: signature(none, word, word, word))
        lower_builtin(accessor, word, word, word)(lowered)
    else:
        type_callable(accessor)(lambda context: lambda mem, v: signature(none, word, word))
        lower_builtin(accessor, word, word)(lowered)


def _lowered_alone(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
) -> ir.Value:
    """A word on the stack of the kernel that calls, which holds the zone's address."""
    return builder.ptrtoint(cgutils.alloca_once_value(builder, args[0]), WORD)


type_callable(alone)(lambda context: lambda mem: signature(types.int64, types.int64))
lower_builtin(alone, types.int64)(_lowered_alone)

_register_load(zone_at, Field(8, 0, 8))
for _load, _field in [*LOADS, *counters.LOADS]:
    _register_load(_load, _field)
for _store, _field in [*STORES, *counters.STORES]:
    _register_store(_store, _field)
