"""What is out of use is brought back before the end, as far as the era can."""

import pytest

from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec
from pagefuzz.undoing import out_of_use, ways_back
from pagespec.era import ERAS
from pagespec.laws.law import LEVELS, Level
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS, MOVABLE, MigrateType
from pagespec.types import Refusal
from pagespec.verbs import Op, Verb

OPS = [
    Op(Verb.ISOLATE, pfn=0, pages=8),
    Op(Verb.ISOLATE, pfn=16, pages=16),
    Op(Verb.OFFLINE, pfn=24, pages=8),
    Op(Verb.POISON, pfn=9),
    Op(Verb.POISON, pfn=40),
    Op(Verb.ALLOC, 0, mt=MOVABLE),
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("era", "left"), [("6.1", 0), ("5.15", 2)])
def test_everything_comes_back(era: str, left: int, level: Level) -> None:
    """Restored, online and healed: all is free, but for what an era has no way to heal."""
    lockstep = Lockstep(Machine(48, 3, ERAS[era], pageblock=2), Spec, level)
    for op in OPS:
        assert lockstep.step(op) >= 0
    lockstep.finish()
    out = lockstep.out_of_use

    assert (out.isolated, out.offline, len(out.poisoned)) == (set(), set(), left)
    asked = [op.verb for op, outcome in lockstep.done[len(OPS) :] if outcome == 0]
    healed = 0 if left else 2
    assert (
        asked[: 2 + healed]
        == [*([Verb.RESTORE] * 2), Verb.ONLINE, *([Verb.HEAL] * healed)][: 2 + healed]
    )


@pytest.mark.parametrize("level", LEVELS)
def test_cpus_come_back_and_are_drained(level: Level) -> None:
    """Plugged in and enabled before anything is freed; drained after; asked for in an emergency."""
    machine = Machine(32, 3, ERAS["6.1"], cpus=3, batch=2, high=8, min_free=64)
    lockstep = Lockstep(machine, Spec, level)
    asked = [
        Op(Verb.BULK, pages=3, cpu=2),
        Op(Verb.ALLOC, 1, cpu=1),
        Op(Verb.UNPLUG, cpu=1),
        Op(Verb.DISABLE),
        Op(Verb.ENABLE),
        Op(Verb.DISABLE),
        Op(Verb.UNPLUG, cpu=2),
        Op(Verb.UNPLUG, cpu=0),
    ]
    outcomes = [lockstep.step(op) for op in asked]
    lockstep.finish()

    assert outcomes == [3, 4, 0, 0, 0, 0, 0, Refusal.BAD_CPU]
    back = [op for op, outcome in lockstep.done[len(asked) :] if outcome >= 0]
    assert back[:3] == [Op(Verb.PLUG, cpu=1), Op(Verb.PLUG, cpu=2), Op(Verb.ENABLE)]
    assert [op.verb for op in back[3:8]] == [*[Verb.FREE] * 4, Verb.DRAIN_ALL]
    assert back[8] == Op(Verb.ALLOC, 3, emergency=True)
    assert not lockstep.out_of_use.unplugged
    assert not lockstep.out_of_use.disabled


def types(letters: str) -> tuple[MigrateType, ...]:
    return tuple(LETTERS[letter] for letter in letters)


@pytest.mark.parametrize(
    ("era", "start", "before", "ways"),
    [
        ("6.12", 0, types("IMII"), [(0, 4), (8, 8)]),
        ("6.12", 2, types("IMII"), [(8, 8)]),
        ("2.6.37", 0, types("IIMM"), [(0, 8)]),
        ("2.6.37", 4, types("IMM"), []),
    ],
)
def test_what_was_isolated_before_boot_is_restored_in_whole_ranges(
    era: str, start: int, before: tuple[MigrateType, ...], ways: list[tuple[int, int]]
) -> None:
    """Only ranges are restored: a pageblock that the zone's end cuts stays as it is."""
    machine = Machine(16 - start, 3, ERAS[era], start, (), 2, before)

    back = [(op.pfn, op.pages) for op in ways_back(out_of_use(machine))]

    assert back == ways


def test_what_can_not_be_restored_is_no_finding() -> None:
    """The rest of a largest block of 6.1 that the zone's end cuts: it is refused, and left."""
    machine = Machine(30, 3, ERAS["6.1"], 2, (), 2, types("IIMMCCII"))
    lockstep = Lockstep(machine, Spec)
    lockstep.finish()

    refused = [op for op, outcome in lockstep.done if outcome == Refusal.BAD_RANGE]
    assert {op.verb for op in refused} == {Verb.RESTORE}
    assert lockstep.out_of_use.isolated
