"""Slabs drawn: per cache what each CPU keeps, the node's lists, and what groups are charged."""

from collections.abc import Iterator

from pagefuzz.drawing_words import LABEL, chained, fitted, labelled, pages
from pagefuzz.report.words import counted
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Array, Cache, CpuSlab, Slabs
from pagespec.slab.verbs import Address
from pagespec.types import Pfn

SHOWN = 6
"""Caches or groups that are drawn before the rest is counted."""


def slabs_drawn(slabs: Slabs, before: Slabs | None = None) -> list[str]:
    """Each cache's slabs as the CPUs and the node have them, what is held, and what is charged.

    An object is the first frame of its slab and its number there. before: how it stood one request
    ago; of many caches and groups those are drawn that have changed since.
    """
    return [
        line
        for text in (
            *_caches(slabs, before),
            *_held(slabs),
            *_groups(slabs, before),
            f"{'free frames':<15} {slabs.zone.free_pages}",
        )
        for line in fitted(text)
    ]


def _caches(slabs: Slabs, before: Slabs | None) -> Iterator[str]:
    keys = sorted(slabs.caches)
    if len(keys) > SHOWN and before is not None:
        keys = [key for key in keys if before.caches.get(key) != slabs.caches[key]]
    for key in keys[:SHOWN]:
        yield from _cache(slabs.caches[key])
    if len(slabs.caches) > len(keys[:SHOWN]):
        yield labelled("caches", [f"{len(slabs.caches) - len(keys[:SHOWN])} more"])


def _cache(cache: Cache) -> Iterator[str]:
    shape = cache.shape
    yield labelled(
        f"cache {_name(cache)}",
        [
            f"{shape.size} bytes",
            f"{shape.objects} a slab of order {shape.order}",
            f"kept: {shape.objects_kept} a CPU and {counted(shape.partials, 'empty slab')}",
        ],
    )
    for cpu, mine in enumerate(cache.cpus):
        yield from _cpu(cache, cpu, mine)
    arrays = [(f"array {cpu}", array) for cpu, array in enumerate(cache.arrays)]
    arrays += [] if cache.shared is None else [("shared array", cache.shared)]
    yield from (_array(cache, name, array) for name, array in arrays if array.entries)
    for name in ("partial", "full", "empty"):
        listed: list[Pfn] = getattr(cache, name)
        if listed:
            yield chained(f"  {name}", (_slab(cache, each) for each in listed))


def _name(cache: Cache) -> str:
    return f"{cache.number} of group {cache.group}" if cache.group else f"{cache.number}"


def _cpu(cache: Cache, cpu: int, mine: CpuSlab) -> Iterator[str]:
    if mine.slab is not None:
        own = f"{_slab(cache, mine.slab)}; the CPU's {_chain(mine.chain)}, tid {mine.tid}"
        yield f"{f'  cpu {cpu}':<{LABEL}}{own}"
    if mine.partial:
        slabs = (_slab(cache, first) for first in mine.partial)
        yield chained(f"  cpu {cpu} partial", slabs)


def _slab(cache: Cache, first: Pfn) -> str:
    """A slab with the objects in use and its chain."""
    slab = cache.slabs[first]
    used = f"{slab.inuse}/{cache.shape.objects}"
    return f"{pages(first, cache.shape.order)} in use {used} chain {_chain(slab.chain)}"


def _chain(chain: list[int]) -> str:
    return " ".join(map(str, chain)) or "-"


def _array(cache: Cache, name: str, array: Array) -> str:
    """The entries of an array, the one that is served next first."""
    touched = " (touched)" if array.touched else ""
    entries = (f"{_object(cache, each)}" for each in reversed(array.entries))
    return labelled(f"  {name}{touched} ", entries)


def _object(cache: Cache, address: Address) -> str | None:
    """An object by its slab and its number there; None if it is none of the cache's."""
    size = 1 << cache.shape.order
    for first in cache.slabs:
        if first <= address // PAGE < first + size:
            return f"{first}#{(address - first * PAGE) // cache.shape.size}"
    return None


def _anything(slabs: Slabs, address: Address) -> str:
    """An object of whatever cache, or whole frames, or a number that is neither."""
    frame = address // PAGE
    if frame in slabs.large:
        return pages(frame, slabs.large[frame])
    named = (_object(cache, address) for cache in slabs.caches.values())
    return next((name for name in named if name is not None), f"{address}")


def _held(slabs: Slabs) -> Iterator[str]:
    held = [
        _anything(slabs, address) + (f" of group {each.charged}" if each.charged else "")
        for address, each in sorted(slabs.held.items())
    ]
    yield labelled("held", held)
    for cpu, withheld in enumerate(slabs.withheld):
        if withheld:
            yield labelled(f"withheld cpu {cpu}  ", (_anything(slabs, each) for each in withheld))
    if slabs.slots:
        yield labelled("slots", (_anything(slabs, each) for each in slabs.slots))


def _groups(slabs: Slabs, before: Slabs | None) -> Iterator[str]:
    numbers = sorted(slabs.groups)
    if len(numbers) > SHOWN and before is not None:
        numbers = [each for each in numbers if before.groups.get(each) != slabs.groups[each]]
    for number in numbers[:SHOWN]:
        group = slabs.groups[number]
        held = sum(each.charged == number for each in slabs.held.values())
        yield labelled(
            f"group {number}",
            [
                f"{counted(group.pages, 'frame')} charged",
                f"{counted(held, 'object')}",
                f"{counted(group.rest, 'byte')} with nobody",
                *([f"{counted(group.lost, 'byte')} lost"] if group.lost else ()),
                *(() if group.online else ("gone",)),
            ],
        )
    if len(slabs.groups) > len(numbers[:SHOWN]):
        yield labelled("groups", [f"{len(slabs.groups) - len(numbers[:SHOWN])} more"])
    for cpu, stock in enumerate(slabs.stocks):
        if stock.group:
            words = [f"{counted(stock.bytes, 'byte')} for group {stock.group}"]
            yield labelled(f"stock cpu {cpu}", words)
