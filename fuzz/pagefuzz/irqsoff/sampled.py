"""How long interrupts were off, as the sampled report of the 2011 thread says it.

    Total sampled time IRQs off (not real total time): 22355
    Event compaction_alloc..compaction_alloc 8409 us count 1
    Event save_args..call_softirq 35 us count 2

The total is the sum of each time as often as it was counted. It is not all the time with interrupts
off: a recorder that samples notes a stretch only when it is longer than what it noted before.
Source: the 2011 thread, "Minimise the time IRQs are disabled while isolating free pages".
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pagefuzz.errors import UsageError

HEADER = "Total sampled time IRQs off (not real total time):"
_HEADER = re.compile(re.escape(HEADER) + r" (\d+)")
_EVENT = re.compile(r"Event (\S+)\.\.(\S+) (\d+) us count (\d+)")


class Stretch(NamedTuple):
    """Interrupts were off from the function `first` to the function `last`, `times` times so long.

    time: in the report's unit, which was microseconds.
    """

    first: str
    last: str
    time: int
    times: int = 1


def total(stretches: Iterable[Stretch]) -> int:
    """The sampled time: each as often as it was counted.

    >>> total([Stretch("split_huge_page", "add_to_swap", 232), Stretch("a", "b", 35, 2)])
    302
    """
    return sum(stretch.time * stretch.times for stretch in stretches)


def report(stretches: Iterable[Stretch], unit: str = "us") -> list[str]:
    """The lines of the report, the longest stretch first."""
    ordered = sorted(stretches, key=lambda stretch: (-stretch.time, stretch))
    return [
        f"{HEADER} {total(ordered)}",
        *(
            f"Event {each.first}..{each.last} {each.time} {unit} count {each.times}"
            for each in ordered
        ),
    ]


def parse(text: str) -> list[Stretch]:
    """The stretches of a report in microseconds.

    Raises UsageError, with the line, for text that is none, and for a total that is not the sum.
    """
    stretches, said = [], None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        header, event = _HEADER.fullmatch(line.strip()), _EVENT.fullmatch(line.strip())
        if header is not None:
            said = int(header[1])
        elif event is not None:
            stretches.append(Stretch(event[1], event[2], int(event[3]), int(event[4])))
        else:
            raise UsageError(
                f"line {number}: {line.strip()!r} is no line of the report; expected "
                f"'{HEADER} N' or 'Event FIRST..LAST N us count K'"
            )
    if said is not None and said != total(stretches):
        raise UsageError(f"the total is {said}, but its events add up to {total(stretches)}")
    return stretches
