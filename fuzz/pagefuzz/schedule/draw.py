"""Drawing scenarios: a small machine, what happens on it first, and who works on it at once.

Only what callers may do is drawn: each block is given back by one context, references are taken
before anybody works, and what the kernel itself never lets happen at the same time (changes of the
lists' sizes, isolations) is one context's. What breaks a law then is the allocator's own fault.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from pagefuzz.campaign.grouped import with_types
from pagefuzz.machines.pageblocks import smallest_pageblock
from pagefuzz.schedule.draw_counters import happens, random_counting
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.guards import RULES
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, REQUESTED, UNMOVABLE, MigrateType
from pagespec.schedule.contexts import Asked, Level, Role, Scenario, Sizes
from pagespec.trace import Operand, Request, name_of
from pagespec.verbs import Verb

PAGES = (16, 16, 24, 32, 48, 64)
CPUS = (1, 2, 2, 2, 3)
ROLES = (2, 2, 3, 3, 4)
"""Frames, CPUs and contexts; few, so that they meet."""

GROUPED, CELLED, MARKED, MOVES, ALONE = 0.5, 0.5, 0.35, 0.5, 0.5
"""How many machines of eras that have them get pageblocks and cells, and how many zones marks; how
many tasks may be moved to other CPUs; and how many machines of one CPU are built for one alone."""

COUNTED = 0.15
"""How many scenarios are about counters."""

ORDERS = (0, 0, 0, 0, 0, 1, 1, 2)
"""Orders of blocks: mostly those that the lists keep."""


@dataclass(slots=True)
class Drawn:
    """A scenario as it is drawn. named: how many blocks have names. spare: blocks of the setup that
    nobody gives back yet, and blocks to which a reference is left to drop."""

    rng: Random
    machine: Machine
    setup: list[Request] = field(default_factory=list)
    named: int = 0
    spare: list[str] = field(default_factory=list)
    referenced: list[str] = field(default_factory=list)

    def cpu(self) -> int:
        """A CPU to work on, the first more often: contexts that never meet show nothing."""
        return self.rng.choice((0, self.rng.randrange(self.machine.cpus)))

    def alloc(self, *, atomic: bool = False) -> Request:
        """A request for a block with a name of its own."""
        rng, machine = self.rng, self.machine
        name = name_of(self.named)
        self.named += 1
        order = min(machine.top, rng.choice(ORDERS))
        return Request(Verb.ALLOC, order=order, name=name, mt=self.type(), atomic=atomic)

    def type(self) -> MigrateType:
        """A type to ask for."""
        return UNMOVABLE if self.machine.pageblock is None else self.rng.choice(REQUESTED)

    def give_back(self) -> Request | None:
        """A request that gives back a block of the setup, or drops a reference to one."""
        if self.referenced and happens(self.rng, 0.5):
            return Request(Verb.PUT, operand=Operand(self.referenced.pop(), 0))
        if self.spare:
            return freed(self.spare.pop(self.rng.randrange(len(self.spare))))
        return None


def freed(name: str) -> Request:
    """The request that gives a block back."""
    return Request(Verb.FREE, operand=Operand(name, 0))


def random_scenario(rng: Random, era: Era) -> Scenario:
    """A scenario of any kind; few are about counters, which have fewer steps."""
    return random_counting(rng, era) if happens(rng, COUNTED) else random_sharing(rng, era)


def random_sharing(rng: Random, era: Era) -> Scenario:
    """A scenario of two to four contexts that share a zone."""
    drawn = Drawn(rng, scenario_machine(rng, era))
    _fill(drawn)
    makers = [*rng.choices(MANY, weights_in(era), k=rng.choice(ROLES))]
    if happens(rng, ONCE_A_SCENARIO):
        makers[-1] = rng.choice([make for make, has in ONCE if has(drawn.machine)])
    roles = [make(drawn) for make in makers]
    # Who would give back what the setup did not take has nothing to do.
    roles = [role for role in roles if role.requests]
    while len(roles) < min(ROLES) or all(role.level is not Level.TASK for role in roles):
        roles.append(_worker(drawn))
    rng.shuffle(roles)
    # On machines built for one CPU, 6.12 drains with interrupts on and no lock: a known fault.
    spared = RULES[era.guard].irqs_off_alone
    alone = drawn.machine.cpus == 1 and not spared and happens(rng, ALONE)
    return Scenario(drawn.machine, tuple(roles), tuple(drawn.setup), alone)


def scenario_machine(rng: Random, era: Era) -> Machine:
    """A machine so small that its lists run dry and run over within a few requests."""
    top = rng.choice((2, 3, 3, 4))
    machine = Machine(
        rng.choice(PAGES), top, era, cpus=rng.choice(CPUS), batch=rng.choice((1, 2, 3))
    )
    if era.tuning != "pair":
        machine = replace(machine, high=rng.choice((0, 2, 3, 4, 6)))
    if era.cells != "none" and happens(rng, CELLED):
        machine = replace(machine, cells=True)
    if happens(rng, MARKED):
        machine = replace(machine, min_free=4 * rng.choice((1, 2, 4)))
    if era.numbering is not None and happens(rng, GROUPED):
        order = max(2, smallest_pageblock(era, top))
        machine = with_types(rng, replace(machine, pageblock=order))
    return machine


def _fill(drawn: Drawn) -> None:
    """What happens first: blocks are taken, some of them go back to lists, some get referenced."""
    rng, machine = drawn.rng, drawn.machine
    share = rng.choice((0, 0.2, 0.5, 0.9))
    pages = 0
    while pages < share * machine.pages:
        request = drawn.alloc()._replace(cpu=drawn.cpu())
        assert request.name is not None
        drawn.setup.append(request)
        drawn.spare.append(request.name)
        pages += SIZES[request.order or 0]
    for name in rng.sample(drawn.spare, k=len(drawn.spare) // 4):
        drawn.setup.append(freed(name)._replace(cpu=drawn.cpu()))
        drawn.spare.remove(name)
    if drawn.spare and happens(rng, 0.3):
        name = rng.choice(drawn.spare)
        drawn.setup.append(Request(Verb.GET, operand=Operand(name, 0)))
        drawn.referenced.append(name)


def _task(drawn: Drawn, *requests: Asked | None) -> Role:
    rng, cpus = drawn.rng, drawn.machine.cpus
    asked = tuple(request for request in requests if request is not None)
    moves = cpus > 1 and happens(rng, MOVES)
    return Role(Level.TASK, drawn.cpu(), asked, moves)


def _worker(drawn: Drawn) -> Role:
    """Takes a block and gives it back, once or twice."""
    requests: list[Asked] = []
    for _ in range(drawn.rng.choice((1, 1, 2))):
        request = drawn.alloc()
        assert request.name is not None
        requests += [request, freed(request.name)]
    return _task(drawn, *requests)


def _taker(drawn: Drawn) -> Role:
    """Takes blocks and keeps them, until lists are empty."""
    return _task(drawn, *(drawn.alloc() for _ in range(drawn.rng.choice((1, 2, 3)))))


def _giver(drawn: Drawn) -> Role:
    """Gives back what the setup took, until lists are full."""
    return _task(drawn, *(drawn.give_back() for _ in range(drawn.rng.choice((1, 2, 3, 4)))))


def _interrupt(drawn: Drawn) -> Role:
    """An interrupt that takes a block, gives one back, or both."""
    rng = drawn.rng
    request = drawn.alloc(atomic=True)
    assert request.name is not None
    both = (request, freed(request.name))
    requests = rng.choice((both[:1], both, (drawn.give_back(),)))
    asked = tuple(each for each in requests if each is not None)
    level = rng.choice((Level.SOFTIRQ, Level.HARDIRQ))
    return Role(level, drawn.cpu(), asked)


def _drainer(drawn: Drawn) -> Role:
    """Has all lists drained."""
    return _task(drawn, Request(Verb.DRAIN_ALL))


def _keeper(drawn: Drawn) -> Role:
    """The periodic worker of a CPU, as far as the era has one."""
    era = drawn.machine.era
    verbs = [Verb.DRAIN]
    verbs += [Verb.REFRESH] * (3 * drawn.machine.cells) + [Verb.AGE] * (era.tuning == "tuned")
    verbs += [Verb.EXPIRE] * (era.tuning != "pair")
    # Whoever works on the lists of a certain CPU stays there.
    return _task(drawn, Request(drawn.rng.choice(verbs)))._replace(moves=False)


Make: TypeAlias = Callable[[Drawn], Role]

MANY: tuple[Make, ...] = (_worker, _taker, _giver, _interrupt, _drainer, _keeper)
"""The roles of which there may be several."""


def weights_in(era: Era) -> tuple[int, ...]:
    """How often each is drawn: drains often, and interrupts where they may come within a guard."""
    return 5, 3, 4, 4 if RULES[era.guard].irqs_off else 8, 7, 2


def _switcher(drawn: Drawn) -> Role:
    """Lets the lists keep nothing for a while."""
    return _task(drawn, Request(Verb.DISABLE), Request(Verb.ENABLE))


def _resizer(drawn: Drawn) -> Role:
    """Sets the sizes of lists that are in use; only to larger ones where the order is the old one.

    Until 3.11 a batch could be larger than `high` in between if both fell.
    """
    machine = drawn.machine
    grows = machine.era.stores_sizes == "high-first"
    batch = drawn.rng.choice((3, 4) if grows else (1, 2, 4))
    return _task(drawn, Sizes(batch, batch + drawn.rng.choice((4, 6) if grows else (0, 2, 4))))


def _filler(drawn: Drawn) -> Role:
    """Fills an array, and gives some of it back."""
    pages = drawn.rng.choice((1, 2, 3, 5))
    slots = (Request(Verb.FREE, slot=slot) for slot in range(drawn.rng.randint(0, pages)))
    return _task(drawn, Request(Verb.BULK, pages=pages, mt=drawn.type()), *slots)


def _isolator(drawn: Drawn) -> Role:
    """Isolates a range and gives it back, or allocates one."""
    machine, rng = drawn.machine, drawn.rng
    size = SIZES[machine.isolation_order]
    first = machine.start + rng.randrange(max(1, machine.pages // size)) * size
    at, mt = Operand(None, first), MOVABLE
    if machine.era.isolation != "move" and happens(rng, 0.4):
        name = name_of(drawn.named)
        drawn.named += 1
        contig = Request(Verb.CONTIG, name=name, operand=at, pages=rng.randint(1, size), mt=mt)
        return _task(drawn, contig)
    return _task(
        drawn,
        Request(Verb.ISOLATE, operand=at, pages=size),
        Request(Verb.RESTORE, operand=at, pages=size, mt=mt),
    )


ONCE: tuple[tuple[Make, Callable[[Machine], bool]], ...] = (
    (_resizer, lambda machine: machine.era.tuning != "pair"),
    (_switcher, lambda machine: machine.era.can_disable),
    (_filler, lambda machine: machine.era.bulk != "none"),
    (_isolator, lambda machine: machine.pageblock is not None),
    (_drainer, lambda machine: True),
)
"""The roles of which there is at most one, and the machines that have them."""

ONCE_A_SCENARIO = 0.5
"""How many scenarios have one of them."""
