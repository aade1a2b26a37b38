"""Hypothesis strategies that tests share: machines of every shape, and requests to put to them."""

from collections.abc import Collection

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import Op, Verb
from pagespec.zone import Zone

TOPS = range(13)


@st.composite
def holes(draw: DrawFn, start: int, pages: int, most: int = 3) -> tuple[tuple[int, int], ...]:
    """Up to so many holes: at the zone's edges, inside, or over all of it."""
    spots = st.integers(start, start + pages)
    edges = sorted(draw(st.lists(spots, max_size=2 * most, unique=True)))
    return tuple(zip(edges[::2], edges[1::2], strict=False))


@st.composite
def machines(
    draw: DrawFn,
    most_pages: int = 80,
    tops: Collection[int] = TOPS,
    eras: Collection[str] = tuple(ERAS),
    with_holes: bool = True,
) -> Machine:
    """Odd sizes, holes, unaligned starts, every top order, all eras.

    Half of the zones have room for a block of the top order. Small zones and small starts come
    first, so that failures shrink to them.
    """
    pages = draw(st.integers(1, most_pages))
    fitting = [top for top in sorted(tops) if 2**top <= pages]
    start = draw(st.integers(0, 40) | st.integers(0, 2**40 - pages))
    return Machine(
        pages=pages,
        top=draw(st.sampled_from(fitting or sorted(tops)) | st.sampled_from(sorted(tops))),
        era=ERAS[draw(st.sampled_from(sorted(eras, key=list(ERAS).index)))],
        start=start,
        holes=draw(holes(start, pages)) if with_holes else (),
    )


def orders(zone: Zone) -> SearchStrategy[int]:
    """Orders as requests use them: mostly small ones, all that the zone has, and a few bad ones."""
    top = zone.machine.top
    return st.integers(0, min(2, top)) | st.integers(0, top) | st.sampled_from([-1, top + 1, 40])


def pfns(zone: Zone) -> SearchStrategy[int]:
    """Frames that a request may name: held heads above all, some behind them, then any others."""
    machine = zone.machine
    anywhere = st.integers(machine.start - 3, machine.end + 3)
    if not zone.held:
        return anywhere
    heads = st.sampled_from(sorted(zone.held))
    behind = heads.flatmap(lambda pfn: st.integers(pfn, pfn + 2 ** zone.held[pfn].order - 1))
    return heads | heads | behind | anywhere


@st.composite
def legal_frees(draw: DrawFn, zone: Zone) -> Op:
    """A free of a block that is held, by its own order. Needs one to be held."""
    pfn, held = draw(st.sampled_from(sorted(zone.held.items())))
    return Op(Verb.FREE, held.order, pfn)


@st.composite
def ops(draw: DrawFn, zone: Zone) -> Op:
    """One request, legal or not, that fits what the zone holds."""
    verb = draw(st.sampled_from([Verb.ALLOC, Verb.ALLOC, Verb.FREE, Verb.FREE, Verb.GET, Verb.PUT]))
    if verb is Verb.ALLOC:
        return Op(verb, draw(orders(zone)), compound=draw(st.booleans()))
    if verb is not Verb.FREE:
        return Op(verb, pfn=draw(pfns(zone)))
    if draw(st.integers(0, 3)) and zone.held:
        return draw(legal_frees(zone))
    return Op(verb, draw(orders(zone)), draw(pfns(zone)))
