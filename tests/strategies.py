"""Hypothesis strategies that tests share: machines of every shape, and requests to put to them."""

from collections.abc import Collection

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.verbs import Op, Verb
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


@st.composite
def orders(draw: DrawFn, zone: Zone) -> int:
    """Orders as requests use them: mostly small ones, all that the zone has, and a few bad ones."""
    top = zone.machine.top
    dice = draw(st.integers(0, 15))
    if dice == 15:
        return draw(st.sampled_from([-1, top + 1, 40]))
    return draw(st.integers(0, min(2, top) if dice < 9 else top))


@st.composite
def pfns(draw: DrawFn, zone: Zone) -> int:
    """Frames that a request may name: held heads, frames behind them, heads that were held, any."""
    machine = zone.machine
    dice = draw(st.integers(0, 5))
    if dice < 4 and zone.held:
        pfn, held = draw(st.sampled_from(sorted(zone.held.items())))
        return pfn if dice < 2 else draw(st.integers(pfn, pfn + 2**held.order - 1))
    if dice < 5 and zone.given:
        return draw(st.sampled_from(sorted(zone.given)))
    return draw(st.integers(machine.start - 3, machine.end + 3))


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
    if draw(st.booleans()) and zone.held:
        return draw(legal_frees(zone))
    pfn = draw(pfns(zone))
    held = zone.held.get(pfn)
    order = draw(orders(zone)) if held is None or draw(st.booleans()) else held.order
    return Op(verb, order, pfn)
