"""Hunts for the museum's mutants, and the verdict on each.

The plain form of the kernels comes first: Python itself checks every access and the meter ends
every loop, so a process holds many hunts. What survives is hunted in the compiled form, whose
loops and stray accesses only a process of its own survives. Faults of interleavings are planted in
the spec, which has one form.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from enum import Enum
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from signal import SIG_IGN, SIGINT, signal
from typing import NamedTuple

from pagefuzz.campaign.hunt import Finding, hunt
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.museum.compactionhunt import hunt_compaction
from pagefuzz.museum.counterhunt import hunt_counters
from pagefuzz.museum.exhibit import compiled_exhibit, plain_exhibit
from pagefuzz.museum.hosthunt import hunt_host
from pagefuzz.museum.mutant import (
    COMPACTION_KINDS,
    COUNTER_KINDS,
    HOST_KINDS,
    SLAB_KINDS,
    STEP_KINDS,
    Mutant,
)
from pagefuzz.museum.slabhunt import hunt_slabs
from pagefuzz.museum.stephunt import hunt_steps
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.smaller import OfAny
from pagefuzz.target.builtin import TwinFactory
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.host_trace import AnyTrace, any_text_of
from pagespec.machine import Machine
from pagespec.schedule.contexts import Scenario
from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.verbs import Op, Verb
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.verbs import CounterOp, CounterVerb

COMPILED_SECONDS = 180.0
"""How long the process of a compiled hunt may go on: to compile, to hunt and to shrink."""


class Kill(NamedTuple):
    """A failure of a mutant under one seed: when it came, which law named it, and how small.

    operations: requests put until then, or states visited. trace: the shrunk trace as text.
    """

    law: str
    operations: int
    seconds: float
    requests: int
    trace: str


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    MISNAMED = "MISNAMED"
    SURVIVED = "SURVIVED"
    LOST = "no verdict"


class Verdict(NamedTuple):
    """The kills of one mutant, by seed; None where it survived.

    lost: whether a compiled hunt died or hung.
    """

    mutant: Mutant
    kills: dict[int, Kill | None]
    lost: bool

    @property
    def found(self) -> list[Kill]:
        """The kills that there are."""
        return [kill for kill in self.kills.values() if kill is not None]

    @property
    def laws(self) -> Counter[str]:
        """How often each law named the mutant."""
        return Counter(kill.law for kill in self.found)

    @property
    def fate(self) -> Fate:
        """The worst over the seeds."""
        if None in self.kills.values():
            return Fate.LOST if self.lost else Fate.SURVIVED
        return Fate.KILLED if self.laws.keys() <= self.mutant.laws else Fate.MISNAMED


def seeds_of(seed: int, mutant: Mutant, count: int) -> list[int]:
    """Fresh seeds for one mutant, the same for the same command seed; one where none matters."""
    if mutant.kind in STEP_KINDS:
        count = 1
    rng = Random(f"{seed:x}/{mutant.id}")
    return [rng.getrandbits(32) for _ in range(count)]


def hunt_plain(mutant: Mutant, seed: int) -> Kill | None:
    """One hunt in the plain form."""
    if mutant.scenario is not None:
        return _kill_between(mutant, mutant.scenario)
    return _hunt(mutant, plain_exhibit(mutant.edits), seed)


def _kill_between(mutant: Mutant, scenario: Scenario) -> Kill | None:
    visited = hunt_steps(mutant, scenario, mutant.limits.seconds)
    if visited is None:
        return None
    trace = replace(visited.trace, comments=(f"mutant {mutant.id}",))
    text = any_text_of(trace)
    law = trace.expect or ""
    return Kill(law, visited.states, visited.seconds, len(trace.requests), text)


def _hunt(mutant: Mutant, factory: TwinFactory, seed: int) -> Kill | None:
    """One hunt where the mutant's kind lives: on a zone, on a host, among counters or objects."""
    seconds = mutant.limits.seconds
    if mutant.kind in HOST_KINDS:
        return _kill(mutant, hunt_host(host_factory_of(factory), seed, seconds))
    if mutant.kind in COUNTER_KINDS:
        return _kill(mutant, hunt_counters(counter_factory_of(factory), seed, seconds))
    if mutant.kind in COMPACTION_KINDS:
        return _kill(mutant, hunt_compaction(compaction_factory_of(factory), seed, seconds))
    if mutant.kind in SLAB_KINDS:
        return _kill(mutant, hunt_slabs(slab_factory_of(factory), seed, seconds))
    return _kill(mutant, hunt(factory, seed, seconds))


def _kill(mutant: Mutant, finding: Finding[OfAny] | None) -> Kill | None:
    if finding is None:
        return None
    small: AnyTrace = finding.small
    text = any_text_of(replace(small, comments=(f"mutant {mutant.id}", *small.comments)))
    law = finding.raw.expect or ""
    return Kill(law, finding.operations, finding.seconds, len(small.requests), text)


def hunt_compiled(mutant: Mutant, seed: int) -> tuple[Kill | None, bool]:
    """One hunt in the compiled form, in a process of its own; and whether that died or hung."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_hunt_compiled, args=(sender, mutant, seed), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(COMPILED_SECONDS):
            return None, True
        kill: Kill | None = receiver.recv()
    except EOFError:
        return None, True
    finally:
        process.kill()
        process.join()
    return kill, False


def _hunt_compiled(sender: Connection, mutant: Mutant, seed: int) -> None:
    factory = compiled_exhibit(mutant.edits)
    # Compiling is not hunting: it is done before the clock starts.
    if mutant.kind in COUNTER_KINDS:
        machine = CounterMachine(ERAS["6.12"], (0,), (CountedZone(0, 64),))
        counter_factory_of(factory)(machine).perform(CounterOp(CounterVerb.READ))
    elif mutant.kind in COMPACTION_KINDS:
        zone = CompactionMachine(Machine(pages=8, top=2, era=ERAS["6.12"], pageblock=2))
        compaction_factory_of(factory)(zone).perform(CompactionOp(CompactionVerb.COMPACT))
    elif mutant.kind in SLAB_KINDS:
        caches = SlabMachine(Machine(pages=8, top=2, era=ERAS["6.12"]), cpus=1)
        slab_factory_of(factory)(caches).perform(SlabOp(SlabVerb.FLUSH))
    elif mutant.kind not in HOST_KINDS:
        for era in ("2.6.8", "6.12"):
            factory(Machine(pages=8, top=2, era=ERAS[era])).serve(Op(Verb.ALLOC))
    sender.send(_hunt(mutant, factory, seed))


class Hunts(NamedTuple):
    """The verdicts on the mutants whose hunts are over, and whether Ctrl-C left some out."""

    verdicts: list[Verdict]
    interrupted: bool


def hunt_all(
    mutants: Sequence[Mutant],
    seed: int,
    count: int,
    jobs: int,
    told: Callable[[str], None],
) -> Hunts:
    """The verdicts on the mutants, in their order, each hunted under so many seeds.

    told: called with a line on how far the hunts are.
    """
    seeds = {mutant.id: seeds_of(seed, mutant, count) for mutant in mutants}
    hunts = sum(map(len, seeds.values()))
    kills: dict[tuple[str, int], Kill | None] = {}
    verdicts: list[Verdict] = []
    try:
        for mutant_id, one, kill in _hunts_in_plain_form(mutants, seeds, jobs):
            kills[mutant_id, one] = kill
            told(f"{len(kills)} of {hunts} hunts, last {mutant_id}")
        for mutant in mutants:
            verdicts.append(_verdict(mutant, kills, seeds[mutant.id], told))
    except KeyboardInterrupt:
        over = [one for one in mutants if all((one.id, each) in kills for each in seeds[one.id])]
        done = {verdict.mutant.id for verdict in verdicts}
        verdicts += [
            Verdict(one, {each: kills[one.id, each] for each in seeds[one.id]}, False)
            for one in over
            if one.id not in done
        ]
        return Hunts(verdicts, True)
    return Hunts(verdicts, False)


def _hunts_in_plain_form(
    mutants: Sequence[Mutant], seeds: Mapping[str, list[int]], jobs: int
) -> Iterator[tuple[str, int, Kill | None]]:
    """Every hunt over so many processes, as it comes to its end."""
    # Ctrl-C is the parent's to answer.
    with ProcessPoolExecutor(jobs, get_context("spawn"), signal, (SIGINT, SIG_IGN)) as pool:
        hunts = {
            pool.submit(hunt_plain, mutant, one): (mutant.id, one)
            for mutant in mutants
            for one in seeds[mutant.id]
        }
        try:
            for done in as_completed(hunts):
                yield *hunts[done], done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _verdict(
    mutant: Mutant,
    kills: Mapping[tuple[str, int], Kill | None],
    seeds: list[int],
    told: Callable[[str], None],
) -> Verdict:
    """The verdict on one mutant; where its plain form survived, its compiled form is hunted."""
    by_seed = {one: kills[mutant.id, one] for one in seeds}
    lost = False
    survived = [] if mutant.kind in STEP_KINDS else [one for one in seeds if by_seed[one] is None]
    for one in survived:
        told(f"{mutant.id} survived, hunting its compiled form")
        by_seed[one], died = hunt_compiled(mutant, one)
        lost = lost or died
    return Verdict(mutant, by_seed, lost)
