"""The kernels as one wired set: installed, plain from source text, or compiled from source text.

A set made from text may be patched first, module by module. That is how faults are planted: the
patched modules see each other and nothing else does, and the cache on disk is not touched.
"""

import builtins
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import count
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TypeAlias, cast

from pageimpl.compaction.state import CompactionMemory
from pageimpl.jitcache import Buffer, compiled, jit_disabled, operand
from pageimpl.memory import Memory, Words
from pageimpl.slab.state import SlabMemory
from pageimpl.vmstat.state import CounterMemory

KERNEL_MODULES = (
    "frames",
    "bounds",
    "locks",
    "pcp.index",
    "vmstat.cell",
    "vmstat.threshold",
    "vmstat.kept",
    "vmstat.zone",
    "zone",
    "pageblock",
    "watermark.boost",
    "buddy",
    "bitmap",
    "fallback",
    "rmqueue",
    "checks",
    "highatomic",
    "watermark.check",
    "watermark.ok",
    "pcp.tuning",
    "pcp.drain",
    "pcp.lists",
    "pcp.cpus",
    "zonelist",
    "alloc",
    "bulk",
    "isolation",
    "contig",
    "places",
    "ops",
    "system",
    "boot",
    "dice",
    "ranges",
    "listed",
    "stream",
    "vmstat.counters",
    "vmstat.update",
    "vmstat.refresh",
    "vmstat.retune",
    "vmstat.reads",
    "vmstat.count",
    "vmstat.checks",
    "vmstat.ops",
    "slab.sizes",
    "slab.array_sizes",
    "slab.places",
    "slab.lists",
    "slab.caches",
    "slab.groups",
    "slab.stock",
    "slab.charge",
    "slab.growing",
    "slab.partial",
    "slab.slub",
    "slab.slub_upkeep",
    "slab.nodes",
    "slab.array",
    "slab.reap",
    "slab.designs",
    "slab.hooks",
    "slab.objects",
    "slab.checks",
    "slab.detached",
    "slab.bulk",
    "slab.upkeep",
    "slab.creation",
    "slab.ops",
    "compaction.calls",
    "compaction.recorder",
    "compaction.holders",
    "compaction.lists",
    "compaction.targets",
    "compaction.skips",
    "compaction.scan",
    "compaction.seek",
    "compaction.freescan",
    "compaction.drained",
    "compaction.capture",
    "compaction.migrate",
    "compaction.sources",
    "compaction.suitable",
    "compaction.run",
    "compaction.ops",
)
"""The modules that a patch may change, each after those that it imports."""

Patch: TypeAlias = Callable[[str], str]
"""Source text of a module to source text."""

Decorator: TypeAlias = Callable[[Callable[..., object]], Callable[..., object]]

_variants = count(1)
_names = count(1)


@dataclass(frozen=True, slots=True)
class Kernels:
    """One set of kernels, wired to each other.

    compiled: whether they take addresses. modules: by short name, for those who look inside.
    """

    compiled: bool
    modules: Mapping[str, ModuleType]
    boot_chunk: Callable[[Memory, int, int], None]
    alloc_pages: Callable[[Memory, int, int], int]
    free_pages: Callable[[Memory, int, int, int], int]
    get_page: Callable[[Memory, int], int]
    put_page: Callable[[Memory, int, int], int]
    perform: Callable[[Memory, int, int, int, int, int], int]
    perform_on_host: Callable[..., int]
    settle: Callable[[Memory], None]
    run_stream: Callable[[Memory, Words, int, Words], None]
    boot_counters: Callable[[CounterMemory], None]
    perform_counter: Callable[[CounterMemory, int, int, int, int, int, int, int], int]
    perform_counter_rows: Callable[[CounterMemory, Words, int, int], int]
    perform_slab_rows: Callable[[SlabMemory, Words, int, int], int]
    perform_compaction_rows: Callable[[CompactionMemory, Words, int], None]

    def operand(self, buffer: Buffer) -> Buffer:
        """What these kernels take for a buffer, which the caller keeps alive."""
        return operand(buffer, compiled=self.compiled)


def _kernels(modules: Mapping[str, ModuleType], *, compiled: bool) -> Kernels:
    alloc = modules["alloc"]
    return Kernels(
        compiled=compiled,
        modules=modules,
        boot_chunk=modules["boot"].boot_chunk,
        alloc_pages=alloc.alloc_pages,
        free_pages=alloc.free_pages,
        get_page=alloc.get_page,
        put_page=alloc.put_page,
        perform=modules["ops"].perform,
        perform_on_host=modules["system"].perform_on_host,
        settle=modules["pcp.cpus"].settle,
        run_stream=modules["stream"].run_stream,
        boot_counters=modules["vmstat.counters"].boot,
        perform_counter=modules["vmstat.ops"].perform,
        perform_counter_rows=modules["vmstat.ops"].perform_rows,
        perform_slab_rows=modules["slab.ops"].perform_rows,
        perform_compaction_rows=modules["compaction.ops"].perform_rows,
    )


@cache
def installed_modules() -> Kernels:
    """The kernels of the package as imported: compiled, unless NUMBA_DISABLE_JIT is set."""
    modules = {name: import_module(f"pageimpl.{name}") for name in KERNEL_MODULES}
    return _kernels(modules, compiled=not jit_disabled())


def _identity(function: Callable[..., object]) -> Callable[..., object]:
    return function


def _compiled_anew(
    function: Callable[..., object], *, inline: bool = False
) -> Callable[..., object]:
    # Machine code is linked by module, name and a number that numba counts anew in each process. A
    # kernel from the disk brings its numbers along: of two functions of one name, it could be
    # linked to the patched one.
    fresh = cast(FunctionType, function)
    fresh.__qualname__ = f"{fresh.__qualname__}_{next(_names)}"
    return compiled(function, keep=False, inline=inline)


def _load(
    patches: Mapping[str, Patch], kernel: Decorator, inlined: Decorator
) -> dict[str, ModuleType]:
    """Execute the kernel modules' text, patched, with imports of each other led to these copies."""
    unknown = sorted(set(patches) - set(KERNEL_MODULES))
    if unknown:
        raise ValueError(f"no kernel module {unknown}: expected one of {KERNEL_MODULES}")
    variant = next(_variants)
    package = ModuleType("pageimpl")
    jitcache = ModuleType("pageimpl.jitcache")
    jitcache.__dict__.update(kernel=kernel, inlined=inlined)
    replaced = {"pageimpl": package, "pageimpl.jitcache": jitcache}

    def importer(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        return replaced.get(name) or builtins.__import__(name, globals, locals, fromlist, level)

    modules = {}
    for name in KERNEL_MODULES:
        path = name.replace(".", "/")
        text = Path(__file__).parent.joinpath(f"{path}.py").read_text(encoding="utf-8")
        if name in patches:
            before, text = text, patches[name](text)
            if text == before:
                raise ValueError(f"the patch of {name} changes nothing: expected another text")
        file = f"<pageimpl/{path}.py, variant {variant}>"
        # Without a time of change the entry stays, and tracebacks show the patched lines.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        module = ModuleType(f"pageimpl.{name}")
        module.__dict__["__file__"] = file
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": importer}
        exec(compile(text, file, "exec"), module.__dict__)
        modules[name] = replaced[module.__name__] = module
        setattr(package, name, module)
    return modules


def plain_modules(patches: Mapping[str, Patch] | None = None) -> Kernels:
    """The kernels from source text in their plain form; numba is not imported.

    Raises ValueError for a patch of an unknown module or one that changes nothing.
    """
    return _kernels(_load(patches or {}, _identity, _identity), compiled=False)


def compiled_modules(patches: Mapping[str, Patch] | None = None) -> Kernels:
    """The kernels from source text, compiled when called and kept in this process only.

    NUMBA_DISABLE_JIT leaves them plain. Raises ValueError as plain_modules does.
    """
    return _kernels(
        _load(patches or {}, _compiled_anew, partial(_compiled_anew, inline=True)),
        compiled=not jit_disabled(),
    )
