"""Steps that nobody else can see, so that they are taken at once with the step before.

Let a context be at a CPU's lists, where nobody else can be before it says that it has left: it has
their lock, or its CPU lets nobody else run and nobody reaches the lists from another CPU. Its next
step, up to the one that takes the zone's lock, reads and writes those lists and its own locals.
Whatever the others do meanwhile neither reads nor writes these, so that it comes to the same
whether they do it before the step or behind it; and the step, once it can be taken, stays so but
while an interrupt is on top of it, which does not see it either. So of all schedules that differ
only in where that step is, the one that takes it at once stands for the others.

Where drains look at the count before they have the guard, that is so only of the step right behind
the guard, which changes no count.

The step that leaves the lists is of that kind only if nobody can have tried meanwhile to come to
them: who tries a lock in vain goes another way. So may whoever is on the CPU of the lists, unless
it is the context's own and lets no interrupt in. Who waits for a lock instead goes on later as well
as sooner.

Since it is the same context's as the step before, it costs no preemption, and a bound of those
leaves out no more than without.

The laws lose nothing. They are asked after each of the steps all the same. What they say of others'
steps depends on frames that others have in flight or in places. Of these that step moves none but
the block that its own request is about, which the laws allow it to have; and the laws about CPUs'
lists are not asked at all while somebody is at any.

All that is said for requests that keep to this: those that allocate, free and drain, on zones
without pageblocks, marks and cells, which are read without a lock. Nor may a count be read in one
step and written in another with interrupts on, since these count on that CPU as well. In other
scenarios no step is hidden.

Source: derived; Lipton, Reduction (1975), for movers; Godefroid, Partial-Order Methods (1996).
"""

from pagespec.guards import RULES
from pagespec.machine import Machine
from pagespec.schedule.contexts import Context, Hold, Level, Scenario, World
from pagespec.steps import Guard, Step
from pagespec.trace import Request
from pagespec.verbs import Verb

KEEP_TO_IT = frozenset(
    {Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT, Verb.DRAIN, Verb.DRAIN_ALL}
)
"""The requests that touch a CPU's lists with their guard alone."""
INSIDE = (Step.GUARD, Step.UNLOCK, Step.EDIT)
"""Where a context stops that is at lists and goes on with them."""


class Unseen:
    """Which steps nobody else can see in a scenario.

    keeps: whether its requests keep to what the argument needs. afar: whether lists may be come to
    from other CPUs. own: the CPUs that one context has to itself for good. calm: those to which no
    interrupt can come. looked_at: whether somebody looks at lists without their guard.
    """

    def __init__(self, scenario: Scenario) -> None:
        roles = scenario.roles
        verbs = {
            asked.verb if isinstance(asked, Request) else None
            for role in roles
            for asked in role.requests
        }
        machine = scenario.machine
        irqs_off = RULES[machine.era.guard].irqs_off
        self.alone = scenario.alone
        self.keeps = (
            isinstance(machine, Machine)
            and machine.pageblock is None
            and machine.min_free is None
            and not machine.cells
            and not scenario.lock_irqs_on
            and (irqs_off or not scenario.splits_adds)
            and verbs <= KEEP_TO_IT
            and all(role.level is not Level.NMI for role in roles)
        )
        drains = not verbs.isdisjoint({Verb.DRAIN, Verb.DRAIN_ALL})
        moves = any(role.moves for role in roles)
        by_interrupt = drains and machine.era.visits == "interrupt"
        self.looked_at = drains and machine.era.looks_before_guard
        self.afar = drains and (machine.era.drains_remotely or moves)
        cpus = [role.cpu for role in roles]
        self.own = frozenset(
            cpu for cpu in cpus if cpus.count(cpu) == 1 and not drains and not moves
        )
        interrupted = {role.cpu for role in roles if role.level > Level.TASK}
        self.calm = frozenset(cpu for cpu in cpus if cpu not in interrupted and not by_interrupt)

    def hides(self, world: World, number: int) -> bool:
        """Whether the next step of a context, which has just taken one, is hidden from others."""
        if not self.keeps:
            return False
        context = world.contexts[number]
        cpu = context.place.cpu
        if not context.holds:
            return context.stop is Step.GUARD and not context.ready and cpu in self.own
        if len(context.holds) > 1 or not context.ready:
            return False
        if self.looked_at:
            inside = context.stop is Step.GUARD
        else:
            inside = context.stop in INSIDE or isinstance(context.stop, Guard)
        return inside and self.excludes(context, context.holds[0])

    def excludes(self, context: Context, hold: Hold) -> bool:
        """Whether nobody else can be at the lists whose guard a context has."""
        if hold.lists is None or (hold.locks and not self.alone):
            return hold.lists is not None
        here = hold.lists == context.place.cpu and not self.afar
        return here and (hold.irqs_off or hold.lists in self.own)

    def shows(self, context: Context, before: tuple[Hold, ...]) -> bool:
        """Whether a step has released what somebody may have tried to have.

        before: what the context held before it.
        """
        if context.holds or not before:
            return False
        hold = before[-1]
        cpu = context.place.cpu
        return hold.lists != cpu or not (hold.irqs_off or cpu in self.calm)
