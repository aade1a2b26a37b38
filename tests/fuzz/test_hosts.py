"""Hosts in lockstep: the spec keeps every law on random hosts, and faults of hosts are named."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.target import HostFactory, SpecHost
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pagefuzz.target.protocol import TornList
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.host import Host, Numa
from pagespec.laws.law import LawBroken
from pagespec.system import System
from pagespec.types import ZoneClass
from pagespec.verbs import Op, Outcome, Verb

NAMES = [name for name, era in ERAS.items() if era.bounds == "zone"]


def walked(seed: str, factory: HostFactory = SpecHost, era: str | None = None) -> HostLockstep:
    """One walk on a random host. Raises LawBroken."""
    rng = Random(seed)
    lockstep = HostLockstep(random_host(rng, ERAS[era] if era else None), factory)
    walk(lockstep, rng, WALK_REQUESTS)
    return lockstep


@pytest.mark.parametrize("era", NAMES)
def test_the_spec_keeps_every_law(era: str) -> None:
    """On hosts of one node and of two, with CPUs and marks and without."""
    done = [walked(f"{era} {number}", era=era) for number in range(6)]

    served = Counter(op.verb for each in done for op, outcome in each.done if outcome >= 0)
    assert served[Verb.ALLOC] > 100


def test_walks_meet_what_hosts_alone_have() -> None:
    """Misses, requests that pass a zone by, arrays filled near and far, and lists that expire."""
    done = [walked(f"met {number}") for number in range(40)]

    assert {len(each.host.nodes) for each in done} == {1, 2}
    total = Counter[str]()
    kinds = Counter[Kind]()
    for each in done:
        kinds.update(kind for kind, _ in each.reached if isinstance(kind, Kind))
        for counts in each.seen.numa:
            total.update(counts._asdict())
    assert all(total[name] > 50 for name in Numa._fields)
    assert {Kind.BELOW_MARK, Kind.KSWAPD, Kind.FILLED, Kind.PCPU_DRAIN} <= kinds.keys()
    assert min(kinds[Kind.LOWER], kinds[Kind.FAR]) > 20
    verbs = Counter(op.verb for each in done for op, outcome in each.done if outcome >= 0)
    assert verbs[Verb.EXPIRE] > 10
    assert verbs[Verb.BULK] > 20


def test_a_seed_gives_the_same_requests() -> None:
    """Also the same host, and the same answers."""
    first, second = walked("same"), walked("same")

    assert first.host == second.host
    assert first.done == second.done


class OtherNode(SpecHost):
    """Serves everybody from the last node first."""

    def serve(self, op: Op) -> Outcome:
        if op.verb is Verb.ALLOC and op.node in self.system.host.nodes:
            op = op._replace(node=self.system.host.nodes[-1])
        return super().serve(op)


class AnyClass(SpecHost):
    """Gives the highest memory there is, whatever a device can reach."""

    def serve(self, op: Op) -> Outcome:
        if op.verb is Verb.ALLOC and op.highest < ZoneClass.NORMAL:
            op = op._replace(highest=ZoneClass.NORMAL)
        return super().serve(op)


class Elsewhere(SpecHost):
    """Falls back to other nodes for those whom no other will do."""

    def serve(self, op: Op) -> Outcome:
        return super().serve(op._replace(only_node=False))


class ExpiresAll(SpecHost):
    """Lets the lists of a CPU's own node expire too."""

    def serve(self, op: Op) -> Outcome:
        outcome = super().serve(op)
        if op.verb is Verb.EXPIRE and outcome == 0:
            outcome = super().serve(op._replace(verb=Verb.DRAIN))
        return outcome


class KeepsNothing(SpecHost):
    """Lets everybody use up low memory."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        for zone in self.system.zones:
            if zone.levels is not None:
                zone.levels.reserve = (0,) * len(ZoneClass)


class Swapped(SpecHost):
    """Takes the node that was meant for the CPU's."""

    def state(self) -> System:
        system = super().state()
        swapped = [
            each._replace(local=each.hit, other=each.miss, hit=each.local, miss=each.other)
            for each in system.numa
        ]
        return replace(system, numa=swapped)


class CountsArraysOnce(SpecHost):
    """Counts an array that is filled at once as one allocation."""

    def serve(self, op: Op) -> Outcome:
        before = self.system.numa.copy()
        outcome = super().serve(op)
        if op.verb is Verb.BULK:
            pairs = zip(before, self.system.numa, strict=True)
            self.system.numa = [
                Numa(*(min(was + 1, now) for was, now in zip(*pair, strict=True))) for pair in pairs
            ]
        return outcome


class ForgetsANode(SpecHost):
    """Believes that every node has memory."""

    def serve(self, op: Op) -> Outcome:
        if op.verb is Verb.ALLOC and op.node not in self.system.host.nodes:
            op = op._replace(node=self.system.host.nodes[0])
        return super().serve(op)


@pytest.mark.parametrize(
    ("fault", "laws"),
    [
        (OtherNode, {"NUMA-zonelist", "ZONE-untouched", "NUMA-count"}),
        (AnyClass, {"ZONE-untouched", "NUMA-count"}),
        (Elsewhere, {"ZONE-untouched"}),
        (ExpiresAll, {"ZONE-untouched"}),
        (KeepsNothing, {"WM-host"}),
        (Swapped, {"NUMA-count", "NUMA-sum"}),
        (CountsArraysOnce, {"NUMA-count"}),
        (ForgetsANode, {"NUMA-refuse"}),
    ],
)
def test_faults_of_hosts_are_named(fault: type[SpecHost], laws: set[str]) -> None:
    """Each within a few dozen walks, by the law about what it breaks."""
    broken = set()
    for number in range(60):
        try:
            walked(f"fault {number}", fault)
        except LawBroken as law:
            broken.add(law.law_id)
            if len(broken) == len(laws):
                break

    assert broken
    assert broken <= laws


class Crashes(SpecHost):
    """Does not come back from an atomic request."""

    def serve(self, op: Op) -> Outcome:
        if op.atomic:
            raise OSError("gone")
        return super().serve(op)


class Torn(SpecHost):
    """Shows no state once something was split."""

    def state(self) -> System:
        if any(zone.nr_free[0] for zone in self.system.zones):
            raise TornList("slot 7: a free list is torn here")
        return super().state()


class Unreadable(SpecHost):
    """Shows a state that no law can read, once something is held."""

    def state(self) -> System:
        system = super().state()
        for zone in system.zones:
            if zone.held:
                # What no zone has: the types are broken on purpose.
                zone.held = dict.fromkeys(zone.held, None)  # type: ignore[assignment]
        return system


@pytest.mark.parametrize(
    ("fault", "law"), [(Crashes, "OUT-fault"), (Torn, "BUD-links"), (Unreadable, "BUD-links")]
)
def test_what_cannot_be_judged_is_a_finding(fault: type[SpecHost], law: str) -> None:
    """No fault of an allocator ends in a traceback of ours."""
    with pytest.raises(LawBroken) as caught:
        walked_until_broken(fault)

    assert caught.value.law_id == law


def walked_until_broken(fault: type[SpecHost]) -> None:
    for number in range(30):
        walked(f"unjudged {number}", fault)
