"""Pictures of a zone: the example of 2004, drawn as the thread drew it."""

from random import Random

from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine, walk
from pagefuzz.drawing import answered, drawn
from pagefuzz.drawing_cpus import SHOWN_CPUS
from pagefuzz.drawing_words import SHOWN_BLOCKS
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.trace import Names
from pagespec.trace_reader import parse
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

BOOT = """\
free_area[3] -> page[0-7]
free_area[2]
free_area[1]
free_area[0]
held            nothing
free_pages 8    nr_free 0 0 0 1"""

ONE_PAGE = """\
free_area[3]
free_area[2] -> page[4-7]
free_area[1] -> page[2-3]
free_area[0] -> page[1]
held            page[0]
free_pages 7    nr_free 1 1 1 0"""


def picture(zone: Zone) -> str:
    return "\n".join(drawn(zone))


def test_one_page_from_eight() -> None:
    """The mail's example: one page of an eight-page chunk leaves a page, a pair and a quad."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.11"]))
    assert picture(zone) == BOOT

    assert perform(zone, Op(Verb.ALLOC, 0)) == 0
    assert picture(zone) == ONE_PAGE

    assert perform(zone, Op(Verb.FREE, 0, 0)) == 0
    assert picture(zone) == BOOT


def test_pair_bits_are_drawn_where_there_are_any() -> None:
    """The old design shows, per order, which pairs have one half free."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["2.6.8"]))
    perform(zone, Op(Verb.ALLOC, 0))

    assert picture(zone) == ONE_PAGE + "\n" + "\n".join(
        f"pairs[{order}] set    0" for order in range(3)
    )


def test_what_is_held_says_how() -> None:
    """References and compound blocks show."""
    zone = boot(Machine(pages=8, top=3, era=ERAS["6.1"]))
    perform(zone, Op(Verb.ALLOC, 1, compound=True))
    perform(zone, Op(Verb.GET, 0, 0))

    assert "held            page[0-1] refs 2 compound" in drawn(zone)


def test_long_lists_are_counted() -> None:
    """A picture stays one: what does not fit is a number."""
    zone = boot(Machine(pages=64, top=0, era=ERAS["6.1"]))
    more = f" and {64 - SHOWN_BLOCKS} more"
    lists, held = one_line_each(zone)[:2]
    assert lists.endswith(more)
    assert lists.count("page[") == SHOWN_BLOCKS
    assert held == "held nothing"

    for _ in range(64):
        perform(zone, Op(Verb.ALLOC, 0))
    assert one_line_each(zone)[1].endswith(more)


def one_line_each(zone: Zone) -> list[str]:
    """The picture with its long lines put together again."""
    joined: list[str] = []
    for line in drawn(zone):
        if line.startswith(" " * 16):
            joined[-1] += line
        else:
            joined.append(line)
    return [" ".join(line.split()) for line in joined]


EACH_PLACE = """\
pagefuzz-trace 1
machine pages=37 top=3 era=6.1 start=6 holes=41+1 pageblock=2 types=U2M2CHM4 guard=1
a = alloc order=0
get a
isolate pfn=12 pages=4
offline pfn=12 pages=4
isolate pfn=16 pages=4
b = alloc order=0 mt=M
poison pfn=34
"""

DRAWN = """\
free_area[3]
free_area[2] U -> page[8-11]
             M -> page[36-39] -> page[28-31]
             H -> page[24-27]
             C -> page[20-23]
             I -> page[16-19]
free_area[1] M -> page[32-33]
free_area[0] M -> page[42]
held            page[6] U refs 2, page[40] M
guards          page[7], page[35]
poisoned        page[34]
offline         page[12-15]
types   6       U U   I   I   C   H   M   M   M   M
frames  6       #g....----..................xg....# .
free_pages 23   nr_free 1 1 6 0
free_cma 4      nr_reserved 4"""


def test_types_and_places_are_drawn_frame_by_frame() -> None:
    """Lists by type, the kernel's letters over the frames, and a mark for each place."""
    assert picture(after(EACH_PLACE)) == DRAWN


LISTED = """\
pagefuzz-trace 1
machine pages=32 top=3 era=6.1 pageblock=2 types=U2M6 cpus=3 batch=2 high=8 min_free=8
a = alloc order=0 cpu=1
b = alloc order=1 mt=M
bulk pages=2 cpu=1
free slot=0 cpu=1
unplug cpu=2
free b
"""

LISTS_DRAWN = """\
free_area[3] M -> page[16-23] -> page[24-31]
free_area[2] U -> page[4-7]
             M -> page[12-15]
free_area[1]
free_area[0]
cpu 0           count 4, high 8 batch 2 factor 0
  list[1] M -> page[8-9] -> page[10-11]
cpu 1           count 2, high 8 batch 2 factor 0
  list[0] U -> page[1] -> page[3]
cpu 2           unplugged, count 0, high 8 batch 2 factor 0
held            page[0] U, page[2] U
slots           1: page[2]
types   0       U   U   M   M   M   M   M   M
frames  0       #:#:....::::....................
free_pages 24   nr_free 0 0 2 2
free_cma 0      nr_reserved 0
pgalloc 5       pgfree 3
watermarks      free 24, min 2 low 2 high 2"""


def test_what_cpus_keep_is_drawn() -> None:
    """A batch of two came for each first request, and another when the slots needed it.

    What was freed is at the front. min_free is two frames, and a 16th or a thousandth of them none.
    """
    assert picture(after(LISTED)) == LISTS_DRAWN


def test_hot_and_cold_lists_are_told_apart() -> None:
    """The oldest eras have two for each CPU; a zone without pageblocks has no letters."""
    zone = boot(Machine(8, 3, ERAS["2.6.11"], cpus=1, batch=2))
    perform(zone, Op(Verb.ALLOC))
    perform(zone, Op(Verb.ALLOC, cold=True))

    assert drawn(zone)[4:8] == [
        "cpu 0 hot       count 1, low 4 high 12 batch 2",
        "  list[0] -> page[1]",
        "cpu 0 cold      count 1, low 0 high 4 batch 2",
        "  list[0] -> page[3]",
    ]


def test_the_state_of_marks_and_lists_is_drawn() -> None:
    """Kswapd works once a request found the zone below its low mark; lists are switched off."""
    zone = boot(Machine(8, 3, ERAS["6.12"], cpus=1, batch=1, high=4, min_free=32))
    perform(zone, Op(Verb.ALLOC))
    perform(zone, Op(Verb.DISABLE))

    assert "watermarks      free 8, min 8 low 10 high 12, below high, kswapd at work" in drawn(zone)
    assert "cpus            their lists are disabled" in drawn(zone)
    assert drawn(zone)[4].startswith("cpu 0           count 0, high_min 0 high_max 0 batch 1 ")


def test_of_many_cpus_those_that_keep_something_are_drawn() -> None:
    """The rest is a number."""
    zone = boot(Machine(64, 3, ERAS["5.15"], cpus=40, batch=2, high=9))
    perform(zone, Op(Verb.ALLOC, cpu=7))
    assert [line for line in drawn(zone) if line.startswith("cpu")] == [
        "cpu 7           count 1, high 9 batch 2 factor 0",
        "cpus            39 more",
    ]

    for cpu in range(20):
        perform(zone, Op(Verb.ALLOC, cpu=cpu))
    assert sum(line.startswith("cpu ") for line in drawn(zone)) == SHOWN_CPUS
    assert f"cpus            {40 - SHOWN_CPUS} more" in drawn(zone)


def test_counts_that_cpus_keep_parts_of_are_drawn() -> None:
    """What was told and what is kept add up to what is free; a worker empties the one into it."""
    machine = "machine pages=64 top=3 era=6.1 pageblock=2 types=C16 cpus=2 batch=1 min_free=16"
    text = f"pagefuzz-trace 1\n{machine} cells=1"
    asked = "alloc order=1 mt=M\nalloc order=0 mt=M cpu=1"
    lines = [line for line in drawn(after(f"{text}\n{asked}")) if line[:4] in ("told", "kept")]
    emptied = drawn(after(f"{text}\n{asked}\nrefresh cpu=1"))

    assert lines == [
        "told            free 64 cma 64, threshold 4, drift mark 14",
        "kept            cpu 0 free -2 cma -2, cpu 1 free -1 cma -1",
    ]
    assert "told            free 63 cma 63, threshold 4, drift mark 14" in emptied
    assert "kept            cpu 0 free -2 cma -2" in emptied
    assert not [line for line in drawn(after(text.removesuffix(" cells=1"))) if "kept" in line]


def after(text: str) -> Zone:
    """The zone after a trace."""
    trace = parse(text)
    zone, names = boot(trace.machine), Names()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        names.learn(request, perform(zone, op), zone.slots)
    return zone


def test_no_line_is_too_long() -> None:
    """A hundred columns hold whatever a walk leaves behind, long lists and large zones too."""
    for seed, era in enumerate(FUZZED_ERAS):
        rng = Random(seed)
        lockstep = Lockstep(random_machine(rng, era), Spec, "outside")
        walk(lockstep, rng, 60)
        zone = boot(lockstep.machine)
        for op, _ in lockstep.done:
            perform(zone, op)
            assert max(map(len, drawn(zone))) <= 92
            zone.log.clear()


def test_large_zones_are_counted() -> None:
    """Nobody reads a thousand frames; a block of two pageblocks has changed hands whole."""
    zone = boot(Machine(pages=4096, top=10, era=ERAS["6.12"], pageblock=9))
    perform(zone, Op(Verb.ALLOC, 9))

    assert "types           2 U, 6 M" in drawn(zone)
    assert not [line for line in drawn(zone) if line.startswith("frames")]


def test_answers_are_in_words() -> None:
    """What came of a request reads as the thread would say it."""
    assert answered(Op(Verb.ALLOC, 2), 4) == "return page -> page[4-7]"
    assert answered(Op(Verb.ALLOC, 2), NO_MEMORY) == "none"
    assert answered(Op(Verb.CONTIG, pfn=5, pages=3), 5) == "return pages -> page[5-7]"
    assert answered(Op(Verb.UNRESERVE), NO_MEMORY) == "none"
    assert answered(Op(Verb.FREE, 2, 4), 0) == "done"
    assert answered(Op(Verb.FREE, 2, 4), Refusal.DOUBLE) == "refused DOUBLE"
