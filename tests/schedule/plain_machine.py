"""A second opinion on who may run when: plain, slow, and made from the kernel's facts alone.

It takes the operations' steps and what a scenario says, and nothing of the rules that it is here to
check.

A machine works one context at a time on each CPU. A task is preempted wherever it has nothing that
pins it: a spinlock, interrupts that are off, or preemption that is. An interrupt comes between any
two steps of what is below it on its CPU, unless interrupts are off there; an NMI comes all the
same. Nothing below goes on before it has ended. A spinlock is waited for; one that is only tried
may be lost; on a kernel built for one CPU there is none, and who takes it always has it.
Source: Documentation/locking/spinlocks.rst; include/linux/preempt.h, spinlock_up.h; kernel/smp.c
(smp_call_function_many, which waits with preemption off); mm/page_alloc.c, 2.6.11 to 6.12.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pagespec.guards import RULES
from pagespec.ops import STEPS
from pagespec.pcp.resize import retune
from pagespec.schedule.contexts import Asked, Level, Role, Scenario, Sizes
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS, AnySteps
from pagespec.steps import Guard, Step, Stop, Visit
from pagespec.trace import Request
from pagespec.types import NO_MEMORY, Refused
from pagespec.verbs import MAY_FAIL, Verb
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.ops import COUNTER_STEPS
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterVerb
from pagespec.zone import Zone

BOUND = (Verb.DRAIN, Verb.AGE, Verb.REFRESH, Verb.EXPIRE, CounterVerb.REFRESH)
"""What a CPU's own worker does, which no other CPU may do for it."""
NAMES_CPU = (Verb.UNPLUG, Verb.PLUG, CounterVerb.UNPLUG, CounterVerb.PLUG)
"""What is said of some CPU; all else is done on the one at work."""


class Move(NamedTuple):
    """A context's next step, or its way to another CPU."""

    context: int
    cpu: int | None = None


class Held(NamedTuple):
    """What pins a context to its CPU. lists: whose lists' guard it is, if it is one."""

    what: str
    lists: int | None
    irqs_off: bool


@dataclass
class Worker:
    """A context. had: whether what its stop asks for has been had, and lost if it was refused.

    homes: where it visits from, and whether it holds that CPU up meanwhile.
    """

    role: Role
    cpu: int
    level: Level
    come: bool
    at: int = 0
    steps: AnySteps | None = None
    stop: Stop | None = None
    had: bool = False
    lost: bool = False
    held: list[Held] = field(default_factory=list)
    homes: list[tuple[int, Level, bool]] = field(default_factory=list)
    outcomes: list[int] = field(default_factory=list)

    @property
    def asked(self) -> Asked | None:
        """What it is at, or will be at next; None if it has done all."""
        requests = self.role.requests
        return requests[self.at] if self.at < len(requests) else None


class Machine:
    """Shared memory, and all who work on it."""

    def __init__(self, scenario: Scenario) -> None:
        world = opened(scenario, BY_GENERATORS)
        assert isinstance(world.shared, Zone | Counters), "slabs and compaction have no model here"
        self.scenario, self.shared = scenario, world.shared
        self.names, self.unnamed, self.before = world.names, set(world.unnamed), world.placed
        self.rule = RULES[scenario.machine.era.guard]
        self.workers = [
            Worker(role, role.cpu, role.level, role.level is Level.TASK) for role in scenario.roles
        ]

    def at_lists(self, cpu: int) -> list[Worker]:
        """Who has the guard of a CPU's lists."""
        return [w for w in self.workers if any(h.lists == cpu for h in w.held)]

    # --- who may ------------------------------------------------------------------------------

    def on(self, cpu: int) -> list[Worker]:
        """Who is at work on a CPU."""
        return [w for w in self.workers if w.cpu == cpu and w.come and w.asked is not None]

    def moves(self) -> list[Move]:
        """What may happen next."""
        left = [(at, worker) for at, worker in enumerate(self.workers) if worker.asked is not None]
        found = [Move(at) for at, worker in left if self.may_step(worker)]
        for at, worker in left if found else ():
            if self.may_leave(worker):
                found += [Move(at, cpu) for cpu in self.running() if cpu != worker.cpu]
        return found

    def has_cpu(self, worker: Worker, me: Worker) -> bool:
        """Whether nobody but itself keeps it off the CPU that it is on."""
        for other in self.workers:
            if other is me or other.asked is None or not other.come:
                continue
            if other.cpu == worker.cpu and other.level > worker.level:
                return False
            pins = other.cpu == worker.cpu and bool(other.held) and other.level is Level.TASK
            pins = pins or any(cpu == worker.cpu and waits for cpu, _, waits in other.homes)
            if pins and worker.level is Level.TASK:
                return False
        return True

    def may_come(self, worker: Worker, cpu: int, level: Level) -> bool:
        """Whether an interrupt of that level may begin on the CPU."""
        others = [other for other in self.on(cpu) if other is not worker]
        if any(other.level >= level for other in others):
            return False
        irqs_off = any(held.irqs_off for other in others for held in other.held)
        return level is Level.NMI or not irqs_off

    def may_step(self, worker: Worker) -> bool:
        """Whether its next step may happen now."""
        if not worker.come:
            return self.may_come(worker, worker.cpu, worker.level) and self.knows(worker)
        if not self.has_cpu(worker, worker):
            return False
        if worker.steps is None:
            return self.knows(worker)
        if worker.had:
            return True
        stop = worker.stop
        if isinstance(stop, Visit) and stop.cpu != worker.cpu:
            if self.scenario.machine.era.visits == "interrupt":
                return self.may_come(worker, stop.cpu, Level.HARDIRQ)
            return self.has_cpu(replace(worker, cpu=stop.cpu), worker)
        if isinstance(stop, Guard):
            return not self.rule.locks or self.is_free("lists", stop.cpu)
        return stop is not Step.LOCK or self.is_free("zone", None)

    def knows(self, worker: Worker) -> bool:
        """Whether the block that the next request names has been given, or never will be."""
        operand = getattr(worker.asked, "operand", None)
        name = operand.name if operand is not None else None
        return name is None or name in self.names.blocks or name in self.unnamed

    def is_free(self, what: str, lists: int | None) -> bool:
        """Whether nobody holds that lock; without other CPUs there are no locks."""
        holds = [(h.what, h.lists) for other in self.workers for h in other.held]
        return self.scenario.alone or (what, lists) not in holds

    def may_leave(self, worker: Worker) -> bool:
        """Whether a task may be taken off its CPU: not pinned, nor under an interrupt."""
        begun = worker.at > 0 or worker.steps is not None
        if not worker.role.moves or not begun or worker.held or worker.homes:
            return False
        if worker.steps is not None and verb_of(worker.asked) in BOUND:
            return False
        # Who is kept off his CPU could be moved before as well, so nothing is lost by this.
        return self.has_cpu(worker, worker)

    def running(self) -> list[int]:
        """The CPUs that have not been taken away."""
        cpus = set(range(self.scenario.cpus))
        shared = self.shared
        return sorted(cpus - shared.unplugged if isinstance(shared, Zone) else shared.running)

    # --- what comes of it ---------------------------------------------------------------------

    def take(self, move: Move) -> None:
        """Let it happen."""
        worker = self.workers[move.context]
        if move.cpu is not None:
            worker.cpu = move.cpu
        elif worker.steps is None:
            worker.come = True
            self.begin(worker)
        elif not worker.had and self.asks(worker.stop):
            self.have(worker)
        else:
            self.go_on(worker)

    def asks(self, stop: Stop | None) -> bool:
        """Whether somebody at that stop must have something before he goes on."""
        waits = (Step.LOCK, Step.GUARD, Step.IRQS_OFF, Step.PREEMPT_OFF)
        return isinstance(stop, (Guard, Visit)) or stop in waits

    def have(self, worker: Worker) -> None:
        """Give it what its stop asks for."""
        stop, scenario, rule = worker.stop, self.scenario, self.rule
        worker.had = True
        if stop is Step.LOCK:
            worker.held.append(Held("zone", None, not scenario.lock_irqs_on))
        elif stop is Step.GUARD:
            worker.lost = rule.locks and not self.is_free("lists", worker.cpu)
            irqs_off = rule.irqs_off or (rule.irqs_off_alone and scenario.alone)
            worker.held += [] if worker.lost else [Held("lists", worker.cpu, irqs_off)]
        elif isinstance(stop, Guard):
            worker.held.append(Held("lists", stop.cpu, rule.drains_irqs_off))
        elif isinstance(stop, Visit):
            # Who comes there has the CPU, so he goes on at once.
            by_interrupt = scenario.machine.era.visits == "interrupt"
            worker.homes.append((worker.cpu, worker.level, by_interrupt))
            worker.cpu, worker.level = stop.cpu, Level.HARDIRQ if by_interrupt else Level.TASK
            self.go_on(worker)
        else:
            # That takes no wait, so what follows is of the same step.
            worker.held.append(Held("cpu", None, stop is Step.IRQS_OFF))
            self.go_on(worker)

    def begin(self, worker: Worker) -> None:
        """Begin a request; one about a block that nobody was given is passed over."""
        asked = worker.asked
        if isinstance(asked, Sizes):
            assert isinstance(self.shared, Zone)
            worker.steps = retune(self.shared, asked.batch, asked.high)
        elif isinstance(asked, CounterRequest):
            assert not isinstance(self.shared, Zone)
            cpu = asked.op.cpu if asked.op.verb in NAMES_CPU else worker.cpu
            # Where lists are used with interrupts on, so is what is counted there.
            irqs_on = self.rule in (RULES["no-interrupt"], RULES["preempt-off"])
            irqs_on = irqs_on and not (self.rule.bars_interrupts and worker.level > Level.TASK)
            counted = asked.op._replace(cpu=cpu)
            if counted.verb is CounterVerb.COUNT:
                counted = counted._replace(irqs_on=irqs_on)
            worker.steps = COUNTER_STEPS[counted.verb](self.shared, counted)
        elif asked is not None:
            assert isinstance(asked, Request)
            assert isinstance(self.shared, Zone)
            op = self.names.op_of(asked)
            if op is None:
                self.end(worker, None)
                return
            cpu = op.cpu if op.verb in NAMES_CPU else worker.cpu
            op = op._replace(cpu=cpu, irq=worker.level > Level.TASK)
            worker.steps = STEPS[op.verb](self.shared, op)
        self.go_on(worker)

    def go_on(self, worker: Worker) -> None:
        """Run its operation to the next stop that is one on this machine."""
        assert worker.steps is not None
        self.shared.on_cpu = worker.cpu
        try:
            worker.stop = worker.steps.send(None if worker.stop is None else worker.lost)
            while worker.stop is Step.ADD and not self.scenario.splits_adds:
                worker.stop = worker.steps.send(False)
        except StopIteration as stopped:
            got: int | None = stopped.value
            fails = verb_of(worker.asked) in MAY_FAIL
            self.end(worker, got if got is not None else NO_MEMORY if fails else 0)
        except Refused as refused:
            self.end(worker, refused.refusal)
        worker.had = worker.lost = False
        if worker.stop in (Step.UNLOCK, Step.UNGUARD, Step.IRQS_ON, Step.PREEMPT_ON):
            worker.held.pop()
        if worker.stop is Step.BACK:
            worker.cpu, worker.level, _ = worker.homes.pop()

    def end(self, worker: Worker, outcome: int | None) -> None:
        """Write down what came of a request, and go to the next."""
        asked = worker.asked
        if outcome is not None:
            worker.outcomes.append(outcome)
        if isinstance(asked, Request):
            if outcome is not None:
                assert isinstance(self.shared, Zone)
                self.names.learn(asked, outcome, self.shared.slots)
            if asked.name is not None and asked.name not in self.names.blocks:
                self.unnamed.add(asked.name)
        worker.at, worker.steps, worker.stop = worker.at + 1, None, None


def verb_of(asked: Asked | None) -> Verb | CounterVerb | None:
    """What kind of request it is."""
    if isinstance(asked, CounterRequest):
        return asked.op.verb
    return asked.verb if isinstance(asked, Request) else None
