"""States that no law can read: findings about the allocator, never a crash of the judge."""

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

import pytest

from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.lockstep import Lockstep
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagefuzz.target.readable import unreadable
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.law import LawBook, Level
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE
from pagespec.trace import Request, Trace
from pagespec.verbs import Op, Verb
from pagespec.zone import Held, Zone

GROUPED = Machine(pages=16, top=3, era=ERAS["6.1"], pageblock=2)
PLAIN = replace(GROUPED, pageblock=None)


def showing(what: Callable[[Zone], object], after: int = 0) -> Factory:
    """The spec, which after so many requests shows something else than its state."""

    class Showing(Spec):
        served = 0

        def serve(self, op: Op) -> int:
            self.served += 1
            return super().serve(op)

        def state(self) -> Zone:
            zone = super().state()
            return what(zone) if self.served >= after else zone  # type: ignore[return-value]

    return Showing


UNREADABLE: dict[str, tuple[Callable[[Zone], object], str]] = {
    "number": (lambda zone: 7, r"state\(\) returned 7; expected a pagespec.zone.Zone"),
    "nothing": (lambda zone: None, r"state\(\) returned None; expected a pagespec.zone.Zone"),
    "other machine": (
        lambda zone: boot(replace(GROUPED, pages=32)),
        r"state\(\) shows Machine\(pages=32.*; expected Machine\(pages=16",
    ),
    "no holdings": (
        lambda zone: replace(zone, held=None),  # type: ignore[arg-type]
        r"state\(\) shows None in held; expected held of type dict",
    ),
    "no holding": (
        lambda zone: replace(zone, held={0: 3}),  # type: ignore[dict-item]
        r"state\(\) shows 3 in held; expected held of Held by frame",
    ),
    "order": (
        lambda zone: replace(zone, held={0: Held(99, 1, compound=False)}),
        r"state\(\) shows 99 in held; expected held with orders 0..3",
    ),
    "far": (
        lambda zone: replace(zone, held={1 << 70: Held(0, 1, compound=False)}),
        r"state\(\) shows 1180591620717411303424 in held; expected held of frames near",
    ),
    "few lists": (
        lambda zone: replace(zone, free_area=7),  # type: ignore[arg-type]
        r"state\(\) shows 7 in free_area; expected free_area of type list",
    ),
}


LISTED = replace(GROUPED, cpus=2, batch=2, high=8, min_free=4)


def _with_pcp(zone: Zone, **fields: object) -> Zone:
    """The zone with another first CPU."""
    return replace(zone, pcps=[[replace(zone.pcps[0][0], **fields)], *zone.pcps[1:]])  # type: ignore[arg-type]


UNREADABLE_OF_CPUS: dict[str, tuple[Callable[[Zone], object], str]] = {
    "few CPUs": (
        lambda zone: replace(zone, pcps=zone.pcps[:1]),
        r"state\(\) shows \[\[Pcp.* in pcps; expected pcps with an entry for each of 2 CPUs",
    ),
    "no Pcp": (
        lambda zone: replace(zone, pcps=[[None], [None]]),  # type: ignore[list-item]
        r"state\(\) shows None in pcps; expected pcps of Pcps by CPU",
    ),
    "few lists": (
        lambda zone: _with_pcp(zone, lists=[]),
        r"state\(\) shows \[\] in pcps; expected pcps with 13 lists for each CPU",
    ),
    "far": (
        lambda zone: _with_pcp(zone, lists=[OrderedDict({1 << 70: MOVABLE})] * 13),
        r"state\(\) shows 1180591620717411303424 in pcps; expected pcps of frames near the zone",
    ),
    "count": (
        lambda zone: _with_pcp(zone, count="3"),
        r"state\(\) shows '3' in pcps; expected pcps with whole numbers for counts",
    ),
    "sizes": (
        lambda zone: _with_pcp(zone, load=None),
        r"state\(\) shows None in pcps; expected pcps with the sizes of its era",
    ),
    "no levels": (
        lambda zone: replace(zone, levels=None),
        r"state\(\) shows None in levels; expected levels of type Levels",
    ),
    "slots": (
        lambda zone: replace(zone, slots={0: "a"}),  # type: ignore[dict-item]
        r"state\(\) shows 'a' in slots; expected slots with the number of a slot for each frame",
    ),
}


@pytest.mark.parametrize("kind", UNREADABLE_OF_CPUS)
def test_lists_that_cannot_be_read_are_a_finding(kind: str) -> None:
    """So is a field about CPUs, marks or the array of bulk requests that is not of its kind."""
    what, sentence = UNREADABLE_OF_CPUS[kind]
    trace = Trace(LISTED, tuple(Request(Verb.ALLOC, order=0, name=name) for name in "ab"))
    shown = what(boot(LISTED))
    assert isinstance(shown, Zone)

    assert re.match(sentence, str(unreadable(shown, LISTED)))
    assert replay(trace, showing(what, 2)).step == 2


@pytest.mark.parametrize("level", ["refines", "exact"])
@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_state_that_cannot_be_read_is_a_finding(kind: str, after: int, level: Level) -> None:
    """At boot and later; the sentence names the field, its value and what was expected."""
    what, sentence = UNREADABLE[kind]
    trace = Trace(
        GROUPED, tuple(Request(Verb.ALLOC, order=0, name=name, mt=MOVABLE) for name in "ab")
    )
    verdict = replay(trace, showing(what, after), level)

    assert verdict.step == after
    assert re.match(f"BUD-links: {sentence}", str(verdict.broken))


def test_a_slip_of_a_law_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state that can be read leaves the fault where it is: with whoever judges."""

    def slip(*_: object) -> None:
        raise KeyError("slip")

    monkeypatch.setattr(LawBook, "check", slip)
    with pytest.raises(KeyError, match="slip"):
        Lockstep(GROUPED, Spec)


@pytest.mark.parametrize("factory", [Spec, TwinFactory()], ids=["spec", "twin"])
def test_what_comes_with_the_project_can_be_read(factory: Factory) -> None:
    """After requests of several kinds, with pageblocks and without, in every era."""
    for era in FUZZED_ERAS:
        pageblock = None if era.numbering is None else 2
        for machine in (replace(GROUPED, era=era, pageblock=pageblock), replace(PLAIN, era=era)):
            lockstep = Lockstep(machine, factory)
            for verb in (Verb.ALLOC, Verb.ALLOC, Verb.POISON):
                lockstep.step(Op(verb, pfn=9))
            assert lockstep.seen is not None
            assert unreadable(lockstep.seen.zone, machine) is None
