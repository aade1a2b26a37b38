"""Laws about a host between requests: the marks of its zones, and the sums of what they count."""

from pagespec.host import Numa
from pagespec.laws.hosts import HostState
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import managed_frames
from pagespec.laws.near import name_of
from pagespec.laws.sized import GAPS
from pagespec.types import ZoneClass

HOST_STATE_LAWS: LawBook[HostState] = LawBook()


@HOST_STATE_LAWS.law(
    "WM-host", source="mm/page_alloc.c, __setup_per_zone_wmarks and lowmem_reserve, 2.6.11 to 6.12"
)
def marked(state: HostState) -> Complaint:
    """The zones share min_free_kbytes by their size, and lower ones keep frames for who needs them.

    In 6.12 memory for movable blocks alone takes no part, and keeps a thousandth. From requests
    that may use higher zones of its node a zone keeps one frame in so many of these zones', if it
    has any frames at all. Where low memory is used up by those who could do without it, others
    fail.
    """
    host = state.host
    pages = [managed_frames(part.machine).bit_count() for part in host.parts]
    apart = [part.zone_class is ZoneClass.MOVABLE and host.era.movable_apart for part in host.parts]
    lowmem = sum(count for count, alone in zip(pages, apart, strict=True) if not alone)
    for number, swept in enumerate(state.zones):
        levels = swept.zone.levels
        if host.min_free is None or levels is None:
            if host.min_free is not None or levels is not None:
                return f"{name_of(host, number)} has marks {levels}, min_free is {host.min_free}"
            continue
        share = host.min_free // 4 * pages[number] // max(1, lowmem)
        low, high = GAPS[host.era.marks](share, pages[number])
        least = min(max(32, pages[number] // 1024), 128) if apart[number] else share
        if tuple(levels.marks) != (least, least + low, least + high):
            gaps = f"{least} and above it {low} and {high}"
            return f"{name_of(host, number)} has {levels.marks}, expected {gaps}"
        reserve = tuple(_reserved(state, number, pages, upto) for upto in ZoneClass)
        if levels.reserve != reserve:
            return f"{name_of(host, number)} keeps {levels.reserve}, expected {reserve}"
    return None


def _reserved(state: HostState, number: int, pages: list[int], upto: ZoneClass) -> int:
    """What a zone keeps from requests up to a class: in proportion to what these could have."""
    host, own = state.host, state.host.parts[number]
    above = sum(
        count
        for part, count in zip(host.parts, pages, strict=True)
        if part.node == own.node and own.zone_class < part.zone_class <= upto
    )
    keeps = above > 0 and pages[number] > 0 and host.era.keeps_low_memory
    return above // host.ratios[own.zone_class] if keeps else 0


@HOST_STATE_LAWS.law("NUMA-sum", source="mm/page_alloc.c, zone_statistics, 2.6.11 to 6.12")
def balanced(state: HostState) -> Complaint:
    """Over all zones hits and misses make up local and other, and misses are foreign elsewhere.

    A kernel that is not built for several nodes counts none. Whoever reads the counts learns by
    them whether memory is near.
    """
    total = Numa(*(sum(each) for each in zip(*state.numa, strict=True)))
    if not state.host.numa and total != Numa():
        return f"{total} counted in a kernel for one node"
    if total.hit + total.miss == total.local + total.other and total.miss == total.foreign:
        return None
    return f"the zones count {total}, which does not add up"
