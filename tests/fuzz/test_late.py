"""Which requests a count that is told late decides otherwise than the truth would."""

from pagefuzz.late import Late, decided_late, told_at_once
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

MACHINE = Machine(16, 4, ERAS["6.1"], cpus=2, batch=1, high=2, min_free=16, cells=True)
"""Its marks are 4, 5 and 6 frames; each CPU may keep 4 frames, and 1 with kswapd awake."""

ALLOC = Op(Verb.ALLOC, 1, atomic=True)


def put(zone: Zone, op: Op) -> tuple[Outcome, list[Late]]:
    """Serve a request, and say what was decided late of it."""
    zone.log.clear()
    known = told_at_once(zone, op)
    outcome = perform(zone, op)
    late = [] if known is None else list(decided_late(known, op, tuple(zone.log)))
    return outcome, [event for event, _ in late]


def left(zone: Zone, told: int, kept: tuple[int, int]) -> Zone:
    """The zone with all frames but so many given out, of which it was told otherwise."""
    for _ in range(16 - told - sum(kept)):
        assert perform(zone, Op(Verb.ALLOC, emergency=True, irq=False)) >= 0
    perform(zone, Op(Verb.DRAIN_ALL))
    assert zone.cells is not None
    zone.cells.free.told, zone.cells.free.kept = told, list(kept)
    assert zone.free_pages == told + sum(kept)
    return zone


def test_a_zone_that_was_told_all_decides_nothing_late() -> None:
    """Neither does one without cells or marks, nor a request that asks for no memory."""
    zone = boot(MACHINE)

    assert put(zone, ALLOC) == (0, [])
    assert told_at_once(boot(MACHINE), ALLOC) is None
    zone = left(boot(MACHINE), 8, (-2, 0))
    assert told_at_once(zone, Op(Verb.DRAIN_ALL)) is None
    assert told_at_once(zone, ALLOC) is not None


def test_a_mark_is_passed_by_a_count_that_fell_unseen() -> None:
    """7 frames are told free, above the low mark of 5 with 2 given out; in truth there are 5."""
    zone = left(boot(MACHINE), 8, (-3, 0))

    assert put(zone, ALLOC)[1] == [Late.PASSED]


def test_a_mark_is_missed_by_a_count_that_grew_unseen() -> None:
    """No frame is told free: an urgent request fails, although 12 are there."""
    zone = left(boot(MACHINE), 0, (4, 4))

    assert put(zone, ALLOC) == (NO_MEMORY, [Late.MISSED])
