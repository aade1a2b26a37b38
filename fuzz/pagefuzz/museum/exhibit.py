"""A mutant as an allocator under test, every request to which ends.

A fault may make a loop endless. The plain kernels get their memory through a meter: a call that
looks more often than any honest one raises, and the request counts as not answered.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar, cast

from pagefuzz.museum.mutant import Edit, patches_of
from pagefuzz.target.builtin import TwinFactory
from pageimpl.compaction.state import CompactionMemory
from pageimpl.memory import Memory, Words, Zones
from pageimpl.slab.state import SlabMemory
from pageimpl.source import compiled_modules, plain_modules

P = ParamSpec("P")
R = TypeVar("R")
Above = TypeVar("Above", SlabMemory, CompactionMemory)

ACCESSES = 100_000
"""Accesses to memory that one call may make: many times those of the costliest honest one, the boot
of a zone that a walk draws."""

LONG_ACCESSES = 300_000
"""The same of words that are above a zone: a run of compaction goes over it several times."""


class Endless(Exception):
    """A call has gone on for longer than any honest one."""


class Meter(dict[int, memoryview]):
    """The views of a memory, which run dry."""

    left = ACCESSES

    def __getitem__(self, width: int) -> memoryview:
        self.left -= 1
        if self.left < 0:
            raise Endless(f"more than {ACCESSES} accesses to memory in one call")
        return super().__getitem__(width)


def metered(
    kernel: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[Memory, P], R]:
    """The plain kernel, ended by Endless when it looks too often."""

    def call(mem: Memory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        views = mem.views
        mem.views = Meter(views)
        try:
            return kernel(mem, *args, **kwargs)
        finally:
            mem.views = views

    return call


def metered_on_host(
    kernel: Callable[Concatenate[Words, Zones, P], R],
) -> Callable[Concatenate[Words, Zones, P], R]:
    """The same for a kernel that gets all zones of a host, each with a meter of its own."""

    def call(host: Words, zones: Zones, /, *args: P.args, **kwargs: P.kwargs) -> R:
        views = [mem.views for mem in zones.memories]
        for mem in zones.memories:
            mem.views = Meter(mem.views)
        try:
            return kernel(host, zones, *args, **kwargs)
        finally:
            for mem, view in zip(zones.memories, views, strict=True):
                mem.views = view

    return call


class WordMeter:
    """The words of a buffer, which run dry as well."""

    def __init__(self, words: memoryview) -> None:
        self.words = words
        self.left = LONG_ACCESSES

    def __getitem__(self, number: int) -> int:
        self.left -= 1
        if self.left < 0:
            raise Endless(f"more than {LONG_ACCESSES} accesses to memory in one call")
        word: int = self.words[number]
        return word

    def __setitem__(self, number: int, word: int) -> None:
        self.words[number] = word


def metered_by_words(
    kernel: Callable[Concatenate[Above, P], R],
) -> Callable[Concatenate[Above, P], R]:
    """The same for a kernel that gets a buffer above a zone: every loop of it looks there."""

    def call(mem: Above, /, *args: P.args, **kwargs: P.kwargs) -> R:
        words = mem.view
        mem.view = cast(memoryview, WordMeter(words))
        try:
            return kernel(mem, *args, **kwargs)
        finally:
            mem.view = words

    return call


def plain_exhibit(edits: Iterable[Edit]) -> TwinFactory:
    """A factory of twins with these faults, run by Python itself.

    Its counters have no meter: nothing but a number's bits tells a loop of theirs when to end.
    """
    kernels = plain_modules(patches_of(edits))
    return TwinFactory(
        replace(
            kernels,
            boot_chunk=metered(kernels.boot_chunk),
            perform=metered(kernels.perform),
            perform_on_host=metered_on_host(kernels.perform_on_host),
            perform_slab_rows=metered_by_words(kernels.perform_slab_rows),
            perform_compaction_rows=metered_by_words(kernels.perform_compaction_rows),
        )
    )


def compiled_exhibit(edits: Iterable[Edit]) -> TwinFactory:
    """The same, compiled: an endless loop ends with its process only."""
    return TwinFactory(compiled_modules(patches_of(edits)))
