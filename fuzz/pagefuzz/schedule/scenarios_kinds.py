"""Scenarios of slabs and of compaction, in the words of a trace, and what breaks without a rule.

Each is small enough to follow all of its schedules in a second.
"""

from pagefuzz.schedule.experiments import Experiment
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.trace_reader import parse_schedule


def kind_of(machine: str, *lines: str, without: str = "") -> Scenario:
    """The scenario that the lines of a trace say."""
    vary = f"vary without={without}\n" if without else ""
    return parse_schedule(f"pagefuzz-trace 1\n{machine}\n{vary}" + "\n".join(lines)).scenario


def slabs_of(era: str, cpus: int = 1, design: str = "slub") -> str:
    """Slabs on a zone of sixteen frames."""
    return f"slabs era={era} pages=16 top=3 start=1 cpus={cpus} design={design}"


def compaction_of(era: str) -> str:
    """A zone of sixteen frames in four pageblocks, whose CPU keeps no list."""
    return f"compaction pages=16 top=3 pageblock=2 era={era}"


CACHE = "create cache=1 size=1024 order=0"
HALVES = "create cache=1 size=2048 order=0 kept=9"
"""Slabs of four objects, and of two of which CPUs keep several."""

TASK, OTHER, IRQ = "task cpu=0", "task cpu=1", "interrupt cpu=0 level=hardirq"

FRAMES = tuple(f"x{letter}" for letter in "abcdefghijklmnop")
"""The names of all single frames of a zone."""


def filled(era: str, *free: int) -> tuple[str, ...]:
    """Requests that fill a zone with movable frames, and then free those."""
    # Where the order of a split is the older one, the upper half is handed out first.
    turn = 8 if era in UPPER_FIRST else 0
    lines = [f"{name} = alloc order=0" for name in FRAMES]
    return (*lines, *(f"free {FRAMES[(frame + turn) % 16]}" for frame in free))


UPPER_FIRST = ("2.6.37", "2.6.39", "4.10")
"""The eras in which a zone's second half is given out first."""


FILLED_FOR_CAPTURE = (
    *(f"{name} = alloc order=0" for name in FRAMES[:14]),
    "u = alloc order=1 mt=U",
    f"free {FRAMES[1]}",
    f"free {FRAMES[12]}",
)
"""No two frames side by side are free; whoever frees u makes a pair, which somebody waits for."""


def _read_and_exchange(era: str) -> tuple[str, ...]:
    return slabs_of(era), CACHE, "a = alloc cache=1", TASK, "b = alloc cache=1", IRQ


SLAB_SCENARIOS: dict[str, Scenario] = {
    **{
        f"objects-and-an-interrupt-{era}": kind_of(
            slabs_of(era),
            *(CACHE, "a,b,c = allocbulk cache=1 objects=3"),
            *(TASK, "d = alloc cache=1", "free a"),
            *(IRQ, "e,f = allocbulk cache=1 objects=2"),
        )
        for era in ("5.8", "5.15", "6.12")
    },
    "bulk-and-a-task-5.15": kind_of(
        slabs_of("5.15"),
        *(CACHE, "a,b,c = allocbulk cache=1 objects=3"),
        *(TASK, "d = alloc cache=1"),
        *(TASK, "e,f = allocbulk cache=1 objects=2"),
    ),
    **{
        f"partial-slabs-of-a-cpu-{era}": kind_of(
            slabs_of(era),
            *(HALVES, "a,b,c,d,e,f = allocbulk cache=1 objects=6"),
            *(TASK, "free a"),
            *(TASK, "free c"),
        )
        for era in ("5.15", "6.1")
    },
    "two-cpus-free-to-one-slab-6.1": kind_of(
        slabs_of("6.1", cpus=2),
        *(HALVES, "a,b,c = allocbulk cache=1 objects=3"),
        *(TASK, "free a"),
        *(OTHER, "free b"),
    ),
    "an-emptied-slab-and-another-cpu-5.15": kind_of(
        slabs_of("5.15", cpus=2),
        *(
            "create cache=1 size=2048 order=0 kept=0 partials=0",
            "a,b,c = allocbulk cache=1 objects=3",
        ),
        *("free a",),
        *(TASK, "free b"),
        *(OTHER, "d = alloc cache=1"),
    ),
    "arrays-and-an-interrupt-5.15": kind_of(
        slabs_of("5.15", design="slab"),
        *("create cache=1 size=1024 order=0 kept=2 batch=1", "a,b,c = allocbulk cache=1 objects=3"),
        *(TASK, "free a", "d = alloc cache=1"),
        *(IRQ, "free b"),
    ),
}
"""Sound ones of slabs."""

COMPACTION_SCENARIOS: dict[str, Scenario] = {
    **{
        f"scanner-and-a-fallback-{era}": kind_of(
            compaction_of(era),
            *filled(era, 0, 2, 12, 13),
            *(TASK, "compact whole=1" if era != "2.6.37" else "compact order=3"),
            *(TASK, "u = alloc order=0 mt=U"),
        )
        for era in ("2.6.37", "2.6.39", "4.10")
    },
    **{
        f"scanner-and-an-allocation-{era}": kind_of(
            compaction_of(era),
            *filled(era, 0, 2, 12, 13),
            *(TASK, "compact whole=1"),
            *(TASK, "u = alloc order=1"),
        )
        for era in ("5.15", "6.12")
    },
    **{
        f"capture-and-an-interrupt-{era}": kind_of(
            compaction_of(era),
            *FILLED_FOR_CAPTURE,
            *(TASK, "d = direct order=1 mt=U"),
            *(IRQ, "free u"),
        )
        for era in ("5.15", "6.12")
    },
}
"""Sound ones of compaction."""

KIND_SCENARIOS = {**SLAB_SCENARIOS, **COMPACTION_SCENARIOS}
"""By topic and era."""

KIND_EXPERIMENTS: dict[str, Experiment] = {
    "objects-without-the-number": Experiment(
        kind_of(*_read_and_exchange("5.15"), "c = alloc cache=1", without="number-compared"),
        frozenset({"OUT-disjoint"}),
        "SLUB whose exchange does not ask whether somebody was there meanwhile: an interrupt takes "
        "the object that a task has read.",
    ),
    "bulk-keeps-the-number": Experiment(
        kind_of(
            slabs_of("5.15"),
            *(CACHE, "a,b,c = allocbulk cache=1 objects=3"),
            *(TASK, "d = alloc cache=1"),
            *(TASK, "e,f = allocbulk cache=1 objects=2"),
            without="number-changed-in-bulk",
        ),
        frozenset({"OUT-disjoint"}),
        "SLUB as it was until 2020: a bulk request takes objects without changing the number, and "
        "lets others in to find a slab. A task whose exchange was under way gets one of them too.",
    ),
    "chain-read-twice": Experiment(
        kind_of(
            slabs_of("5.15"),
            *(CACHE, "a,b = allocbulk cache=1 objects=2"),
            *(TASK, "free a"),
            *(IRQ, "c = alloc cache=1"),
            without="chain-read-once",
        ),
        frozenset({"SLB-place"}),
        "SLUB that reads the chain anew for the comparison: what an object was linked to before is "
        "held by an interrupt, and what it has changed is lost.",
    ),
    "partial-slabs-unguarded": Experiment(
        kind_of(
            slabs_of("5.15"),
            *(HALVES, "a,b,c,d,e,f = allocbulk cache=1 objects=6"),
            *(TASK, "free a"),
            *(TASK, "free c"),
            without="partial-slabs-guarded",
        ),
        frozenset({"SLB-place"}),
        "A CPU's partial slabs with nothing to keep off other tasks there, as on the real-time "
        "kernel of 2021: two put a slab before the same others, and one is lost.",
    ),
    "scanner-trusts-its-look": Experiment(
        kind_of(
            compaction_of("2.6.39"),
            *filled("2.6.39", 0, 2, 12, 13),
            *(TASK, "compact whole=1"),
            *(TASK, "u = alloc order=0 mt=U"),
            without="recheck-of-pageblocks",
        ),
        frozenset({"CMP-suitable"}),
        "2.6.39 whose free scanner does not look again at a pageblock under the lock: a fallback "
        "has made it unmovable since, and movable blocks are put there.",
    ),
    "scanner-trusts-the-frame": Experiment(
        kind_of(
            compaction_of("5.15"),
            *filled("5.15", 0, 2, 12, 13),
            *(TASK, "compact whole=1"),
            *(TASK, "u = alloc order=1"),
            without="recheck-of-frames",
        ),
        frozenset({"CMP-recheck"}),
        "5.15 whose free scanner takes the lock for a frame that it saw free, and does not look "
        "again: the frame has been allocated since, and has two owners.",
    ),
    "capture-read-too-early": Experiment(
        kind_of(
            compaction_of("5.15"),
            *FILLED_FOR_CAPTURE,
            *(TASK, "d = direct order=1 mt=U"),
            *(IRQ, "free u"),
            without="capture-unpublished-first",
        ),
        frozenset({"BUD-partition"}),
        "Capture as it was until 2020: the slot is read while an interrupt can still put a block "
        "into it, which is then nobody's.",
    ),
}
"""By name, each with what breaks in it."""
