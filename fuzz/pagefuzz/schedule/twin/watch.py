"""Kernels in their plain form whose accessors a scheduler sees: what it can stop and look at.

Every name in a kernel module that is an accessor is led to one that tells the watch first. What a
context does between two accesses is its own affair; so a stop before each access to a word that
others use, and that somebody writes, is every way in which contexts can come between one another.
"""

import linecache
import sys
from collections.abc import Callable, Mapping
from random import Random
from types import FrameType
from typing import NamedTuple

from greenlet import getcurrent, greenlet

from pageimpl.atomics import ATOMICS, pause
from pageimpl.memory import LOADS, STORES, Field, word_at
from pageimpl.source import Kernels, Patch, plain_modules
from pageimpl.vmstat import state as counters

MOST_ACCESSES = 20_000
"""Accesses of one context in one run; a loop that has made as many is taken to be endless."""


class Endless(RuntimeError):
    """A context has made so many accesses that it must be in a loop which never ends."""


class Access(NamedTuple):
    """One access: the accessor's name, the byte where its word begins, and where in the text."""

    accessor: str
    at: int
    place: str


class Context:
    """One of those that run: where it is, what it has read, and what it waits for.

    history: a number for all that it has read since it began its request, and for what its requests
    returned before, as `Watch.after` gives them. served: how many requests are over. waits_at: the
    word that it waits for, if it does.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.history = number
        self.accesses = 0
        self.waits_at: int | None = None
        self.last_read = 0
        self.at_rest = True
        self.served = 0
        self.next: Access | None = None


class Watch:
    """What is seen of all contexts. It outlives runs: `begin` starts one.

    points: the words before whose accesses a context stops. readers, writers: per word, a bit for
    each context that has read or written it, in any run. memory: a random number of 64 bits for
    what all words hold that were written. tells: whether stops say where they are, which takes
    time.
    """

    def __init__(self) -> None:
        self.points: set[int] = set()
        self.readers: dict[int, int] = {}
        self.writers: dict[int, int] = {}
        self.hub: greenlet = getcurrent()
        self.running: Context | None = None
        self.contexts: list[Context] = []
        self.memory = 0
        self.tells = False
        self._histories: dict[tuple[int, int], int] = {}
        self._codes: dict[tuple[int, int], int] = {}
        self._random = Random(0)

    def begin(self, contexts: list[Context], *, tells: bool) -> None:
        """Begin a run of these contexts."""
        self.hub, self.contexts, self.tells = getcurrent(), contexts, tells
        self.running, self.memory = None, 0

    def after(self, history: int, number: int) -> int:
        """The number of a history that a read or an outcome makes longer: no two have the same."""
        return self._histories.setdefault((history, number), -1 - len(self._histories))

    def code(self, at: int, value: int) -> int:
        """The random number of a word that holds a value.

        Those of all words are added without carry, for which Python's own hashes are too alike.
        """
        key = at, value
        if key not in self._codes:
            self._codes[key] = self._random.getrandbits(64)
        return self._codes[key]

    def stop(self, context: Context) -> None:
        """Let the scheduler decide who goes on."""
        self.hub.switch()
        self.running = context

    def new_points(self) -> set[int]:
        """The words that two contexts use and one writes, and at which nobody stops yet."""
        found = set()
        for at, writers in self.writers.items():
            users = writers | self.readers.get(at, 0)
            if users & (users - 1) and at not in self.points:
                found.add(at)
        return found


def _place(frame: FrameType) -> str:
    """The file, line and kernel of a frame, and the line's text."""
    code = frame.f_code
    line = linecache.getline(code.co_filename, frame.f_lineno).strip()
    file = code.co_filename.strip("<>").split(",")[0].removeprefix("pageimpl/")
    return f"{file}:{frame.f_lineno} {code.co_name}: {line}"


def _watched(
    watch: Watch,
    name: str,
    accessor: Callable[..., int | None],
    load: Callable[..., int],
    field: Field,
) -> Callable[..., int | None]:
    """The accessor, told to the watch. It reads unless it is a plain store, and writes otherwise.

    load: how its word is read; the accessor itself where it only reads.
    """
    offset, stride = field.offset, field.stride
    reads_only = accessor is load
    indexes = 1 if stride else 0

    def access(mem: object, *args: int) -> int | None:
        context = watch.running
        if context is None:
            return accessor(mem, *args)
        at = offset + stride * args[0] if stride else offset
        bit = 1 << context.number
        context.accesses += 1
        if context.accesses > MOST_ACCESSES:
            raise Endless(f"{name} at byte {at}, after {MOST_ACCESSES} accesses")
        point = at in watch.points
        if point:
            if watch.tells:
                context.next = Access(name, at, _place(sys._getframe(1)))
            watch.stop(context)
        if reads_only:
            value = accessor(mem, *args)
            watch.readers[at] = watch.readers.get(at, 0) | bit
            context.last_read = at
            if point:
                context.history = watch.after(context.history, value or 0)
            return value
        watch.writers[at] = watch.writers.get(at, 0) | bit
        before = load(mem, *args[:indexes])
        result = accessor(mem, *args)
        after = load(mem, *args[:indexes])
        if after != before:
            watch.memory ^= watch.code(at, before) ^ watch.code(at, after)
            for other in watch.contexts:
                if other.waits_at == at:
                    other.waits_at = None
        if point:
            context.history = watch.after(context.history, result or 0)
        return result

    return access


def _watched_pause(watch: Watch) -> Callable[[], None]:
    """The end of a turn in a loop that waits: until the word that was read last has changed."""

    def wait() -> None:
        context = watch.running
        if context is None:
            pause()
            return
        context.waits_at = context.last_read
        if watch.tells:
            context.next = Access("pause", context.last_read, _place(sys._getframe(1)))
        watch.stop(context)

    return wait


def watched_kernels(watch: Watch, patches: Mapping[str, Patch]) -> Kernels:
    """Kernels from source text, patched, whose accesses the watch sees."""
    fields: dict[Callable[..., object], Field] = dict([*LOADS, *counters.LOADS])
    kernels = plain_modules(patches)
    watched: dict[Callable[..., object], Callable[[str], Callable[..., object]]] = {}

    def enter(accessor: Callable[..., int | None], load: Callable[..., int], field: Field) -> None:
        # Words lie beside the buffer, and each context has its own.
        if load is not word_at:
            watched[accessor] = lambda name: _watched(watch, name, accessor, load, field)

    for load, field in [*LOADS, *counters.LOADS]:
        enter(load, load, field)
    for tables in ((LOADS, STORES), (counters.LOADS, counters.STORES)):
        # Each store stands beside the load of the same field.
        for (load, field), (store, _) in zip(*tables, strict=True):
            enter(store, load, field)
    for atomic, load, _ in ATOMICS:
        enter(atomic, load, fields[load])
    wait = _watched_pause(watch)
    for module in kernels.modules.values():
        names = vars(module)
        for name, value in list(names.items()):
            if value is pause:
                names[name] = wait
            elif callable(value) and value in watched:
                names[name] = watched[value](name)
    return kernels
