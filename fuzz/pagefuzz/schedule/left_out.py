"""Rules of compaction and slabs that can be left out: most are faults that kernels have had.

Each is a few lines of the spec replaced by what stood there before the fault was found, or would
stand there if nobody had thought of it.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import NamedTuple

from pagespec.compaction import run, scan, targets
from pagespec.slab import partial, slub


class Left(NamedTuple):
    """Lines of a function, and what stands in their place."""

    function: Callable[..., object]
    lines: str
    instead: str


RULES_LEFT_OUT: dict[str, tuple[Left, ...]] = {
    "recheck-of-pageblocks": (
        Left(
            scan.scan_pageblock,
            "        if not is_suitable_target(compaction, run, head):",
            "        if head < 0:",
        ),
    ),
    "recheck-of-frames": (
        Left(
            scan.scan_frames,
            "            free = pfn in zone.tag\n            if not",
            "            if not",
        ),
        Left(
            targets.isolate_free_block,
            "    zone, design = compaction.zone, compaction.machine.design\n",
            "    zone, design = compaction.zone, compaction.machine.design\n"
            "    if pfn not in zone.tag:\n"
            "        run.fresh.append(Block(pfn, 0))\n"
            "        return 1\n",
        ),
    ),
    "capture-unpublished-first": (
        Left(
            run.compact_for,
            "    compaction.captures[run.cpu] = None\n"
            "    yield Step.EDIT\n"
            "    if slot.pfn is not None:",
            "    captured = slot.pfn\n"
            "    yield Step.EDIT\n"
            "    compaction.captures[run.cpu] = None\n"
            "    yield Step.EDIT\n"
            "    if captured is not None and slot.pfn is not None:",
        ),
    ),
    "number-compared": (Left(slub.take, "        if mine.tid == tid:", "        if tid >= 0:"),),
    "number-changed-in-bulk": (
        Left(
            slub.take_bulk,
            "        mine.tid += 1\n        yield from let_in(slabs)\n",
            "        yield from let_in(slabs)\n",
        ),
    ),
    "chain-read-once": (
        Left(slub.give, "        if mine.tid == tid:", "        if mine.tid == mine.tid:"),
    ),
    "partial-slabs-guarded": (
        Left(partial.keep_partial, "    yield Step.IRQS_OFF\n    kept =", "    kept ="),
    ),
}
"""By name, what is left out of the spec."""


@contextmanager
def left_out(name: str) -> Iterator[None]:
    """Work by a spec without that rule, if one is named.

    The functions stay the same objects, so that whoever calls them calls what is left of them.
    """
    before: list[tuple[FunctionType, CodeType]] = []
    for left in RULES_LEFT_OUT.get(name, ()):
        function = left.function
        assert isinstance(function, FunctionType)
        before.append((function, function.__code__))
        function.__code__ = _code_of(left, function)
    try:
        yield
    finally:
        for function, code in reversed(before):
            function.__code__ = code


def _code_of(left: Left, function: FunctionType) -> CodeType:
    """The code of a function with its lines replaced."""
    source = inspect.getsource(function)
    if source.count(left.lines) != 1:
        raise ValueError(f"{function.__qualname__} has no such lines: {left.lines!r}")
    names: dict[str, object] = {}
    text = compile(source.replace(left.lines, left.instead), __file__, "exec")
    exec(text, dict(function.__globals__), names)
    changed = names[function.__name__]
    assert isinstance(changed, FunctionType)
    return changed.__code__
