"""The trace: requests as text, the one language of every engine and every reproducer.

    pagefuzz-trace 1
    # a comment
    machine pages=16 top=3 era=6.1
    a = alloc order=1 -> pfn 8
    get a
    free a+1 order=0 -> refused INTERIOR
    free a
    expect BUD-maximal

On a machine with pageblocks there is more to say:

    machine pages=16 top=3 era=6.1 pageblock=2 types=M2UC
    a = alloc order=1 mt=M -> pfn 0
    b = alloc order=0 mt=U nofragment=1 -> pfn 8
    split a
    isolate pfn=4 pages=4 -> done
    restore pfn=4 pages=4 mt=M
    c = contig pfn=13 pages=2 mt=C -> pfn 13
    unreserve mt=U force=1 -> none

And on one whose CPUs keep page lists, with a zone that has watermarks:

    machine pages=64 top=3 era=6.12 cpus=2 batch=3 high=9 min_free=16
    a = alloc order=0 cpu=1 -> pfn 0
    free a irq=1 contended=1
    bulk pages=3 -> count 3
    free slot=1
    drain cpu=1

Where CPUs keep parts of the count of free frames to themselves, `cells=1` says so, and `refresh
cpu=1` is the periodic worker that has a CPU tell them.

A name stands for the block that an allocation returned, so a trace means the same to an allocator
that picks other frames. `name+1` is a frame inside it, `pfn=9` a frame by number, `slot=1` the
frame that the last bulk request saw in that slot of its array. A free takes the order of the
allocation unless it says another. What follows `->` is what the spec answered when the trace was
written, and is not needed; `expect` names the law that broke. No dates, no hosts: the same run
writes the same bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from pagespec.machine import Machine
from pagespec.migratetype import LETTER_OF, UNMOVABLE, MigrateType
from pagespec.types import NO_MEMORY, Block, DomainError, Order, Pfn, Refusal, ZoneClass
from pagespec.verbs import Op, Outcome, Verb

FORMAT = "pagefuzz-trace 1"


FLAGS = (
    *("compound", "atomic", "nofragment", "force", "emergency"),
    *("irq", "contended", "cold"),
)
"""What a request may add with =1."""


SIZES_GIVEN = ("batch", "high", "min_free")
"""What a machine may say in place of what follows from its size; 0 differs from unsaid."""


class Operand(NamedTuple):
    """A frame: so many frames past the block called `name`, or past frame zero without a name."""

    name: str | None
    offset: int


class Request(NamedTuple):
    """One request of a trace.

    name: what an allocation's block will be called. slot: the slot of the array of bulk requests
    whose frame the request is about, if there is no operand. order: None for a free or split of the
    order that the block was allocated with, 0 for a slot's. answer: what the spec answered, if the
    trace says. The rest is as in `Op`.
    """

    verb: Verb
    order: Order | None = None
    name: str | None = None
    operand: Operand | None = None
    slot: int | None = None
    compound: bool = False
    answer: Outcome | None = None
    mt: MigrateType = UNMOVABLE
    atomic: bool = False
    nofragment: bool = False
    pages: int = 0
    force: bool = False
    emergency: bool = False
    cpu: int = 0
    irq: bool = False
    contended: bool = False
    cold: bool = False
    node: int = 0
    highest: ZoneClass = ZoneClass.NORMAL
    only_node: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """A machine, the requests put to it, and the law that they break, if any."""

    machine: Machine
    requests: tuple[Request, ...]
    expect: str | None = None
    comments: tuple[str, ...] = ()


class TraceError(DomainError):
    """A trace's text is not a trace; says the line, what was expected and what stood there."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line
        self.sentence = sentence


SIZED_BY_NAME = frozenset({Verb.FREE, Verb.SPLIT})
"""The verbs that take the order of the allocation unless they say another."""

RANGED = frozenset({Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.OFFLINE, Verb.ONLINE, Verb.BULK})
"""The verbs that say how many frames or slots they are about, none included."""

NAMING = frozenset({Verb.ALLOC, Verb.CONTIG})
"""The verbs that give out a block, which then has a name."""


class Names:
    """The blocks behind a trace's names, for one allocator."""

    def __init__(self) -> None:
        self.blocks: dict[str, Block] = {}
        self.slots: dict[int, Pfn] = {}

    def op_of(self, request: Request) -> Op | None:
        """The request in this allocator's frames, or None if its block was never allocated."""
        op = Op(
            verb=request.verb,
            order=request.order or 0,
            compound=request.compound,
            mt=request.mt,
            atomic=request.atomic,
            nofragment=request.nofragment,
            pages=request.pages,
            force=request.force,
            emergency=request.emergency,
            cpu=request.cpu,
            irq=request.irq,
            contended=request.contended,
            cold=request.cold,
            node=request.node,
            highest=request.highest,
            only_node=request.only_node,
        )
        if request.slot is not None:
            pfn = self.slots.get(request.slot)
            return None if pfn is None else op._replace(pfn=pfn)
        if request.operand is None:
            return op
        name, offset = request.operand
        if name is None:
            return op._replace(pfn=offset)
        block = self.blocks.get(name)
        if block is None:
            return None
        if request.order is None and request.verb in SIZED_BY_NAME:
            op = op._replace(order=block.order)
        return op._replace(pfn=block.pfn + offset)

    def learn(self, request: Request, outcome: Outcome, slots: Mapping[Pfn, int]) -> None:
        """Remember the block that an allocation returned, and the array that bulk requests fill.

        slots: the frames of that array as they are now, each with its slot.
        """
        if request.verb is Verb.BULK and outcome >= 0:
            self.slots = {slot: pfn for pfn, slot in slots.items()}
        if request.name is not None and outcome >= 0:
            self.blocks[request.name] = Block(outcome, request.order or 0)


def name_of(number: int) -> str:
    """The names of blocks in order of allocation: a to z, then aa, ab and so on.

    >>> [name_of(number) for number in (0, 25, 26, 702)]
    ['a', 'z', 'aa', 'aaa']
    """
    name = ""
    number += 1
    while number > 0:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


# --- writing -----------------------------------------------------------------------------------


def text_of(trace: Trace) -> str:
    """The trace as text; parsing it gives the trace back."""
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments), machine_line(trace.machine)]
    lines += [line_of(request) for request in trace.requests]
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def machine_line(machine: Machine) -> str:
    """The machine as a line of a trace.

    Which CPUs are far from the zone is left out: only zones of hosts have any, and there it follows
    from the nodes of both.
    """
    line = f"machine pages={machine.pages} top={machine.top} era={machine.era.name}"
    if machine.start:
        line += f" start={machine.start}"
    if machine.holes:
        line += " holes=" + ",".join(f"{first}+{end - first}" for first, end in machine.holes)
    if machine.pageblock is not None:
        line += f" pageblock={machine.pageblock}"
    if machine.types:
        line += f" types={types_text(machine.types)}"
    if machine.guard:
        line += f" guard={machine.guard}"
    if machine.cpus:
        line += f" cpus={machine.cpus}"
    for word in SIZES_GIVEN:
        size = getattr(machine, word)
        if size is not None:
            line += f" {word}={size}"
    return f"{line} cells=1" if machine.cells else line


def types_text(types: tuple[MigrateType, ...]) -> str:
    """The types of pageblocks by letter, with a count behind a letter that repeats.

    >>> from pagespec.migratetype import CMA, MOVABLE
    >>> types_text((MOVABLE, MOVABLE, CMA))
    'M2C'
    """
    runs = ((LETTER_OF[mt], len(list(run))) for mt, run in groupby(types))
    return "".join(letter if count == 1 else f"{letter}{count}" for letter, count in runs)


def line_of(request: Request) -> str:
    """One request as a line of a trace."""
    words = [f"{request.name} ="] if request.name is not None else []
    words.append(request.verb.value)
    if request.operand is not None:
        name, offset = request.operand
        if name is None:
            words.append(f"pfn={offset}")
        else:
            words.append(name if offset == 0 else f"{name}+{offset}")
    if request.slot is not None:
        words.append(f"slot={request.slot}")
    if request.order is not None:
        words.append(f"order={request.order}")
    if request.verb in RANGED:
        words.append(f"pages={request.pages}")
    if request.cpu:
        words.append(f"cpu={request.cpu}")
    if request.mt is not UNMOVABLE:
        words.append(f"mt={LETTER_OF[request.mt]}")
    for flag in FLAGS:
        if getattr(request, flag):
            words.append(f"{flag}=1")
    if request.node:
        words.append(f"node={request.node}")
    if request.highest is not ZoneClass.NORMAL:
        words.append(f"highest={request.highest.name}")
    if request.only_node:
        words.append("onlynode=1")
    if request.answer is not None:
        words.append(f"-> {answer_text(request.verb, request.answer)}")
    return " ".join(words)


def answer_text(verb: Verb, outcome: Outcome) -> str:
    """An outcome in words, as it follows `->`."""
    if outcome <= max(Refusal):
        return f"refused {Refusal(outcome).name}"
    if outcome == NO_MEMORY:
        return "none"
    if verb is Verb.BULK:
        return f"count {outcome}"
    return f"pfn {outcome}" if verb in NAMING else "done"
