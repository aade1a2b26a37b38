"""Giving way: a thread that waits lets others have its processor, in kernels as in Python.

A loop that only looks would keep the processor from the very thread that it waits for, wherever
there are more threads at work than processors. The call goes to libc by name, so that kernels which
make it can be kept on disk.
"""

import os

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature
from numba.extending import lower_builtin, type_callable


def give_way() -> None:
    """Let another thread have the processor, if one wants it."""
    os.sched_yield()


def _lowered(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: list[ir.Value]
) -> ir.Value:
    kind = ir.FunctionType(ir.IntType(32), [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
    return context.get_dummy_value()


type_callable(give_way)(lambda context: lambda: signature(types.none))
lower_builtin(give_way)(_lowered)
