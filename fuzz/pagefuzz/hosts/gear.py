"""The gear of a campaign that walks whole hosts of several zones, nodes and CPUs."""

from collections.abc import Callable
from random import Random

from pagefuzz.campaign.plan import Plan, Result, enter
from pagefuzz.coverage import verbs_served
from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.record import host_trace_of
from pagefuzz.hosts.target import HostFactory
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.host_trace import HostTrace
from pagespec.laws.law import LawBroken

HOST_WALKS, HOST_EXAMPLES = 1, 1
"""Walks of one round, and Hypothesis examples."""


def run_hosts(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: Factory,
    result: Result,
    found: Callable[[HostTrace], None],
) -> None:
    """Random requests to hosts of every shape in lockstep, by walks and by Hypothesis."""
    hosts = host_factory_of(factory)
    for _ in range(HOST_WALKS * plan.rounds):
        host = random_host(rng, era)
        lockstep: HostLockstep | None = None
        try:
            lockstep = HostLockstep(host, hosts)
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            done, filled = (lockstep.done, lockstep.filled) if lockstep is not None else ([], {})
            found(host_trace_of(host, done, broken, filled))
            return
        finally:
            if lockstep is not None:
                done = lockstep.done
                enter(result, len(done), lockstep.reached + verbs_served(done))
    run_examples(plan, rng, era, hosts, result, found)


def run_examples(
    plan: Plan,
    rng: Random,
    era: Era,
    hosts: HostFactory,
    result: Result,
    found: Callable[[HostTrace], None],
) -> None:
    """Hypothesis examples of hosts; the first failure ends them, and is shrunk as a trace."""
    # Hypothesis takes a third of a second to import; whoever only replays traces need not wait.
    from pagefuzz.hosts.machine import HostLedger, run_host_machine
    from pagefuzz.machines.judged import entered

    ledger = HostLedger(hosts, found)
    examples = HOST_EXAMPLES * plan.rounds
    with entered(result, ledger):
        run_host_machine(ledger, [era], rng.getrandbits(63), examples=examples, shrink=False)
