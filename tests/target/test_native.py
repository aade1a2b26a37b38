"""Allocators in C: the right ones keep the laws, the faulty ones are named, none ends the run."""

import gc
from pathlib import Path

import pytest
from tests.target.material import EXAMPLES, SMALL, changed, first_break, machines, needs_cc, walked

from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.replay import replay
from pagefuzz.target.adapter import UNSHOWN
from pagefuzz.target.build import built
from pagefuzz.target.load import factory_of
from pagefuzz.target.native import Library
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.laws.step import TOLD
from pagespec.machine import Machine
from pagespec.trace_reader import parse
from pagespec.types import DomainError, Refusal
from pagespec.verbs import Op, Verb

pytestmark = needs_cc

REFERENCES = Path(__file__).with_name("references.c")
NO_HOLES = tuple(era for era in ERAS.values() if era.bounds != "buddyend")

FREED = "    zone->frames[at].held_order = NOWHERE;\n    free_block(zone, at, order);"
WALKED = "at != NOWHERE; at = zone->frames[at].next)"
"""Places in the example where faults are planted."""


def test_the_example_keeps_every_law_but_those_of_list_order() -> None:
    """On machines of every shape and era, by its lists and its counts."""
    for seed, machine in enumerate(machines(66)):
        lockstep = walked(factory_of("example"), machine, seed)
        assert lockstep.level == "refines"
        assert lockstep.target.unshown == TOLD | UNSHOWN | {"SPLIT-pieces"}


def test_firstfit_is_judged_from_outside() -> None:
    """Two functions are enough, and it is spared what it does not promise to refuse."""
    for seed, machine in enumerate(machines(55)):
        assert walked(factory_of("firstfit"), machine, seed).level == "outside"


def test_references_and_reasons_cross_the_border() -> None:
    """All of the interface in use; a reason is given, and so BUD-refuse judges it."""
    library = Library(built(REFERENCES), "references")
    reached = set()
    for seed, machine in enumerate(machines(132, NO_HOLES)):
        if not machine.holes:
            lockstep = walked(library, machine, seed)
            reached |= {outcome for _, outcome in lockstep.done if outcome < -1}
            assert Verb.PUT in lockstep.target.verbs

    of_blocks = {refusal for refusal in Refusal if refusal > Refusal.UNSAID}
    assert reached == of_blocks - {Refusal.HOLE}


def test_exact_is_judged_by_lists_alone(tmp_path: Path) -> None:
    """The example pushes at the head, as Linux did before 2.6.35, and boots one frame at a time."""
    promise = "uint32_t pf_promises(void) { return 7; }\n\nint32_t pf_abi(void)"
    library = changed(tmp_path, "int32_t pf_abi(void)", promise)

    for era in ("2.6.8", "2.6.11"):
        assert walked(library, Machine(pages=16, top=4, era=ERAS[era])).level == "exact"
    with pytest.raises(LawBroken, match=r"^BUD-place: "):
        walked(library, Machine(pages=61, top=4, era=ERAS["6.12"]))


@pytest.mark.parametrize(
    ("old", "new", "law", "told"),
    [
        ("free_order != order", "free_order == NOWHERE", "BUD-", ""),
        ("order < zone->top) {", "order + 1 < zone->top) {", "BUD-maximal", ""),
        ("zone->nr_free[order]--;", "", "BUD-count", "nr_free"),
        ("return zone->start + at;", "return zone->start + at + SIZE(order);", "OUT-", ""),
        (".held_order != order", ".held_order == NOWHERE", "OUT-refuse", "was served"),
        ("return PF_REFUSED;", "return -77;", "OUT-fault", ""),
        (FREED, "*(volatile int *)0 = 0;", "OUT-fault", ""),
        (FREED, "exit(0);", "OUT-fault", ""),
        (FREED, "for (;;) ;", "OUT-fault", ""),
        (WALKED, "at != NOWHERE;)", "BUD-links", "pf_free_pages: it hung"),
        (WALKED, "at != NOWHERE; at = out[-(1l << 40)])", "BUD-links", "crashed by SIGSEGV"),
        ("    return zone;\n", "    abort();\n", "OUT-fault", "pf_create: it crashed by SIGABRT"),
    ],
)
def test_a_planted_fault_is_named(tmp_path: Path, old: str, new: str, law: str, told: str) -> None:
    """A wrong allocator is named by its law; a crash, an exit or a hang is a finding like any."""
    broken = first_break(changed(tmp_path, old, new))

    assert broken.law_id.startswith(law)
    assert told in broken.complaint


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ("*(volatile int *)0 = 0;", "pf_free: it crashed by SIGSEGV"),
        ("exit(3);", "pf_free: it left by exit(3)"),
        ("for (;;) ;", "pf_free: it hung, and was stopped"),
    ],
)
def test_the_trace_of_a_crash_is_whole_and_replays(tmp_path: Path, new: str, told: str) -> None:
    """The request that was not answered is its last; others go on in a process of their own."""
    library = changed(tmp_path, FREED, new)
    crashing, bystander = Lockstep(SMALL, library), Lockstep(SMALL, library)
    pfn = crashing.step(Op(Verb.ALLOC, 1))
    with pytest.raises(LawBroken, match=r"^OUT-fault: ") as caught:
        crashing.step(Op(Verb.FREE, 1, pfn))

    trace = trace_of(SMALL, crashing.done, caught.value)
    verdict = replay(trace, library)

    assert str(crashing.target.fault) == told
    assert len(trace.requests) == verdict.step == 2
    assert verdict.broken is not None
    assert str(verdict.broken) == str(caught.value)
    assert bystander.step(Op(Verb.ALLOC, 1)) == pfn


def test_each_allocator_starts_from_the_same_memory(tmp_path: Path) -> None:
    """A global variable does not carry over: a trace means the same in any company."""
    counter = "static int64_t calls; return -77 * (calls++ > 0) +"
    library = changed(tmp_path, "return zone->start + at;", f"{counter} zone->start + at;")

    for _ in range(3):
        assert Lockstep(SMALL, library).step(Op(Verb.ALLOC, 0)) >= 0


def test_processes_are_used_again(tmp_path: Path) -> None:
    """One allocator after the other needs one process; closing it calls pf_destroy."""
    mark = tmp_path / "destroyed"
    destroy = f'system("echo >> {mark}"); free(zone);'
    library = changed(tmp_path, "free(zone);", destroy)
    (keeper,) = library._idle
    for _ in range(3):
        lockstep = Lockstep(SMALL, library)
        lockstep.step(Op(Verb.ALLOC, 0))
        assert library._idle == []
        del lockstep
        gc.collect()

    assert library._idle == [keeper]
    assert mark.read_text() == "\n" * 3


def test_a_machine_may_be_declined(tmp_path: Path) -> None:
    """NULL is no fault: the machine is passed over, and the next one is served."""
    declines = "if (machine->hole_count) return NULL;\n    zone = malloc("
    library = changed(tmp_path, "zone = malloc(", declines)

    with pytest.raises(DomainError, match=r"buddy.c does not serve Machine.*holes"):
        Lockstep(Machine(pages=8, top=2, era=ERAS["6.1"], holes=((2, 4),)), library)
    Lockstep(SMALL, library).finish()


def test_numbers_that_c_cannot_hold_are_still_refused() -> None:
    """A trace may name any order and any frame; they must not come in as others, cut to size."""
    lockstep = Lockstep(SMALL, factory_of("example"))
    lockstep.step(Op(Verb.ALLOC, 0))

    assert lockstep.step(Op(Verb.FREE, 2**32, 0)) == Refusal.BAD_ORDER
    assert lockstep.step(Op(Verb.FREE, 0, 2**64)) == Refusal.UNSAID
    assert lockstep.step(Op(Verb.ALLOC, 2**32)) == Refusal.BAD_ORDER


def test_a_trace_of_linux_replays_on_the_example() -> None:
    """Names stand for its own blocks, though it picks other frames."""
    trace = parse(
        "pagefuzz-trace 1\nmachine pages=61 top=4 era=6.12 start=3 holes=10+2\n"
        "a = alloc order=0 -> pfn 3\nb = alloc order=2\nfree a+1 order=0 -> refused NEVER_GIVEN\n"
        "get b\nfree a\nfree b\nfree a -> refused DOUBLE\n"
    )

    verdict = replay(trace, factory_of("example"))

    assert verdict.broken is None
    assert verdict.skipped == (3,)


def test_examples_are_in_the_package() -> None:
    """They ship beside the header."""
    assert {path.name for path in EXAMPLES.iterdir()} == {"buddy.c", "firstfit.c"}
