"""Where compiled kernels are kept, and the decorator that makes a function a kernel.

numba's own cache looks at one file's text at a time: a change to a callee in another file, or a
setting such as NUMBA_BOUNDSCHECK, leaves stale machine code in use. So every state of the sources
and settings gets a directory of its own. numba is imported with the first kernel, not before.
"""

import hashlib
import inspect
import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, ParamSpec, Protocol, TypeVar, cast

from pageimpl.compaction.state import CompactionMemory
from pageimpl.memory import Memory, Words, Zones
from pageimpl.slab.state import SlabMemory
from pageimpl.vmstat.state import CounterMemory
from pagespec import host, machine, migratetype
from pagespec import types as vocabulary
from pagespec.compaction import design as compacting
from pagespec.compaction import verbs as compaction_verbs
from pagespec.slab import machine as cached
from pagespec.slab import verbs as slab_verbs
from pagespec.vmstat import machine as counted
from pagespec.vmstat import verbs

P = ParamSpec("P")
R = TypeVar("R")
Buffer = TypeVar(
    "Buffer", bound=Memory | Words | Zones | CounterMemory | SlabMemory | CompactionMemory
)

ROOT_VARIABLE = "PAGEIMPL_CACHE_DIR"
"""The environment variable that names the root of all cache directories."""

NOT_CODE = frozenset({"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"})
"""Settings of numba that do not change the code of these kernels."""


def kernel_files() -> list[Path]:
    """Every file whose text ends up in the code of others, by way of its functions or constants."""
    words = (
        *(host, machine, migratetype, vocabulary, counted, verbs, cached, slab_verbs),
        *(compacting, compaction_verbs),
    )
    return [
        *sorted(Path(__file__).parent.rglob("*.py")),
        *(Path(inspect.getfile(module)) for module in words),
    ]


def cache_key(files: Iterable[Path], environ: Mapping[str, str]) -> str:
    """The name of the directory for these sources and settings, and these versions of the tools."""
    digest = hashlib.sha256()
    for tool in ("numba", "llvmlite"):
        digest.update(f"{tool} {version(tool)}\n".encode())
    digest.update(f"python {platform.python_version()}\n".encode())
    for name in sorted(environ):
        if name.startswith("NUMBA_") and name not in NOT_CODE:
            digest.update(f"{name}={environ[name]}\n".encode())
    for file in files:
        text = file.read_bytes()
        digest.update(f"{file.name} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def cache_root(environ: Mapping[str, str]) -> Path:
    """The root that is asked for, or the user's, or a temporary one if those can't be written."""
    asked = environ.get(ROOT_VARIABLE)
    user = environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    root = Path(asked) if asked else Path(user, "pageimpl")
    if _writable(root):
        return root
    return Path(tempfile.gettempdir(), f"pageimpl-{os.getuid()}")


@cache
def cache_directory() -> Path:
    """The directory of this process's kernels, fixed when the first of them is made."""
    return cache_root(os.environ) / cache_key(kernel_files(), os.environ)


class CacheReport(NamedTuple):
    """What there is to know of the cache.

    files: compiled functions kept in the directory. size: their bytes.
    """

    directory: Path
    writable: bool
    files: int
    size: int


def cache_report() -> CacheReport:
    """The state of this process's cache directory."""
    directory = cache_directory()
    kept = list(directory.glob("**/*.nbc"))
    sizes = [file.stat().st_size for file in kept]
    return CacheReport(directory, _writable(directory), len(kept), sum(sizes))


@cache
def jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT asks for kernels in their plain form; fixed when first asked."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def compiled(function: Callable[P, R], *, keep: bool, inline: bool = False) -> Callable[P, R]:
    """The function compiled on first call; kept on disk for other processes if told so.

    inline: whether its code becomes part of every caller's.
    """
    from numba import config, njit, types

    import pageimpl.intrinsics  # noqa: F401  (registers the accessors)

    # numba asks for the directory when a function is decorated. Other users of numba in this
    # process keep theirs.
    settings = vars(config)
    before = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(cache_directory())
    try:
        dispatcher = njit(cache=keep, nogil=True, error_model="numpy", forceinline=inline)(function)
    finally:
        settings["CACHE_DIR"] = before
    # numba would compile a callee anew for each constant that it is called with. Where a constant
    # makes a difference the callee is inlined, and then the optimiser sees it all the same.
    template_for = dispatcher.get_call_template

    def of_any_value(args: Iterable[object], kws: dict[str, object]) -> object:
        return template_for(tuple(types.unliteral(arg) for arg in args), kws)

    vars(dispatcher)["get_call_template"] = of_any_value
    return dispatcher


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Make a module-level function a kernel: compiled, or as it is where JIT is disabled.

    Module level, because numba's cache never hits for closures.
    """
    return function if jit_disabled() else compiled(function, keep=True)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Make a module-level function a kernel whose code becomes part of every caller's.

    For the way that most requests take, where a call would cost as much as the work.
    """
    return function if jit_disabled() else compiled(function, keep=True, inline=True)


def operand(buffer: Buffer, *, compiled: bool | None = None) -> Buffer:
    """What a kernel takes for a buffer: compiled code its address, plain code the buffer itself.

    The address keeps nothing alive: whoever calls holds the buffer. By default for the kernels of
    the installed package.
    """
    if compiled is None:
        compiled = not jit_disabled()
    return cast(Buffer, buffer.address) if compiled else buffer


class _Names(Protocol):
    llvm_cfunc_wrapper_name: str


class _Library(Protocol):
    def get_pointer_to_function(self, name: str) -> int: ...


class _Compiled(Protocol):
    library: _Library
    fndesc: _Names


class _Dispatcher(Protocol):
    overloads: Mapping[tuple[object, ...], _Compiled]

    def compile(self, signature: tuple[object, ...]) -> object: ...


def entry_of(function: Callable[..., int], arguments: int) -> int:
    """Where the machine code of a compiled kernel begins that takes so many words, as C calls it.

    The address is good for as long as the kernel is.
    """
    from numba import types

    dispatcher = cast(_Dispatcher, function)
    signature = (types.int64,) * arguments
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature]
    return result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
