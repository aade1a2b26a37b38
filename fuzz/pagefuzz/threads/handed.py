"""What threads asked for last, as a scenario for the forms that a scheduler drives.

Threads have no schedule that could be read. What can be handed over is who asked for what; the
explorers of schedules then look for an order of steps in which it goes wrong.
"""

from collections.abc import Sequence
from functools import partial

from pagefuzz.schedule.twin.scenes import Ask, MakeScene, ZoneScene
from pagefuzz.threads.team import Latest
from pageimpl.stream import wanted_of
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Role, Scenario
from pagespec.trace import Operand, Request, name_of
from pagespec.verbs import Op, Verb

LAST = 4
"""Requests of each thread: schedules of more cannot be exhausted."""

MOST_NAMES = 2 * LAST
"""Names that one thread needs: for what it is given, and for what it held before."""

HANDED = frozenset(
    {Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT}
    | {Verb.DRAIN, Verb.DRAIN_ALL, Verb.AGE, Verb.EXPIRE, Verb.REFRESH}
)
"""The requests that are handed over; those in bulk say which frames they got nowhere."""


def handed(
    machine: Machine, cpus: Sequence[int], latest: Sequence[Sequence[Latest]]
) -> Scenario | None:
    """The last requests of each thread; None if there is nothing that could meet.

    cpus: of each thread. What a thread held before, it is given first, in a setup.
    """
    setup: list[Request] = []
    roles: list[Role] = []
    for thread, (cpu, requests) in enumerate(zip(cpus, latest, strict=True)):
        of_thread = _requests(thread, cpu, [one for one in requests if one.verb in HANDED][-LAST:])
        setup += of_thread[0]
        roles.append(Role(Level.TASK, cpu, tuple(of_thread[1])))
    if sum(1 for role in roles if role.requests) < 2:
        return None
    return Scenario(machine, tuple(roles), tuple(setup))


def _requests(
    thread: int, cpu: int, latest: Sequence[Latest]
) -> tuple[list[Request], list[Request]]:
    """What must be there before, and the requests themselves, by the names of their blocks.

    A thread asks from its own CPU, which its role says; a setup has no roles.
    """
    before: list[Request] = []
    asked: list[Request] = []
    names: dict[int, str] = {}
    for number, (verb, order, pfn, want, outcome) in enumerate(latest):
        wanted = wanted_of(want)
        name = name_of(thread * MOST_NAMES + number)
        if verb is Verb.ALLOC:
            request = Request(
                verb,
                order,
                name,
                compound=wanted.compound,
                mt=wanted.mt,
                atomic=wanted.atomic,
                cold=wanted.cold,
            )
            if outcome >= 0:
                names[outcome] = name
            asked.append(request)
            continue
        if verb in (Verb.DRAIN, Verb.DRAIN_ALL, Verb.AGE, Verb.EXPIRE, Verb.REFRESH):
            asked.append(Request(verb))
            continue
        if pfn not in names:
            names[pfn] = name_of(thread * MOST_NAMES + len(latest) + number)
            before.append(
                Request(
                    Verb.ALLOC, order, names[pfn], compound=verb is Verb.PUT, mt=wanted.mt, cpu=cpu
                )
            )
        sized = order if verb in (Verb.FREE, Verb.SPLIT) else None
        asked.append(Request(verb, sized, operand=Operand(names[pfn], 0), cold=wanted.cold))
    return before, asked


SCENE_VERBS = HANDED - {Verb.SPLIT}
"""The requests that scenes of the twin keep a book of."""


def scene_of(scenario: Scenario, machine: Machine) -> MakeScene:
    """The same for the twin's own text under a scheduler that switches at loads and stores."""
    tasks = [
        [
            _ask(request, role.cpu)
            for request in role.requests
            if isinstance(request, Request) and request.verb in SCENE_VERBS
        ]
        for role in scenario.roles
    ]
    before = [
        _ask(request, request.cpu)
        for request in scenario.setup
        if isinstance(request, Request) and request.verb in SCENE_VERBS
    ]
    return partial(ZoneScene, machine, before, tasks)


def _ask(request: Request, cpu: int) -> Ask:
    name = request.name or (request.operand.name if request.operand else None) or ""
    op = Op(
        request.verb,
        request.order or 0,
        compound=request.compound,
        mt=request.mt,
        atomic=request.atomic,
        cpu=cpu,
        cold=request.cold,
    )
    return Ask(op, name)
