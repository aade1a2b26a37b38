"""The sampled report of interrupts that were off: its two lists from 2011, read and said again."""

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.irqsoff.sampled import Stretch, parse, report, total

BEFORE = """\
Total sampled time IRQs off (not real total time): 22355
Event compaction_alloc..compaction_alloc 8409 us count 1
Event compaction_alloc..compaction_alloc 7341 us count 1
Event compaction_alloc..compaction_alloc 2463 us count 1
Event compaction_alloc..compaction_alloc 2054 us count 1
Event shrink_inactive_list..shrink_zone 1864 us count 1
Event shrink_inactive_list..shrink_zone 88 us count 1
Event save_args..call_softirq 36 us count 1
Event save_args..call_softirq 35 us count 2
Event __make_request..__blk_run_queue 24 us count 1
Event __alloc_pages_nodemask..__alloc_pages_nodemask 6 us count 1
"""
AFTER = """\
Total sampled time IRQs off (not real total time): 5493
Event shrink_inactive_list..shrink_zone 1596 us count 1
Event shrink_inactive_list..shrink_zone 1530 us count 1
Event shrink_inactive_list..shrink_zone 956 us count 1
Event shrink_inactive_list..shrink_zone 541 us count 1
Event shrink_inactive_list..shrink_zone 531 us count 1
Event split_huge_page..add_to_swap 232 us count 1
Event save_args..call_softirq 36 us count 1
Event save_args..call_softirq 35 us count 2
Event __wake_up..__wake_up 1 us count 1
"""


@pytest.mark.parametrize(("text", "sum_us"), [(BEFORE, 22355), (AFTER, 5493)])
def test_the_lists_of_2011_add_up(text: str, sum_us: int) -> None:
    """To the totals that the thread printed; and the report of what was read is the text."""
    stretches = parse(text)

    assert total(stretches) == sum_us
    assert "\n".join(report(stretches)) + "\n" == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BEFORE.replace("22355", "22356"), "the total is 22356, but its events add up to 22355"),
        ("Event a..b 3 ms count 1", "line 1: 'Event a..b 3 ms count 1' is no line of the report"),
        ("\nEvent a 3 us count 1", "line 2"),
    ],
)
def test_what_is_no_report_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words.replace(".", r"\.")):
        parse(text)


def test_the_longest_comes_first() -> None:
    lines = report([Stretch("a", "b", 2, 3), Stretch("c", "d", 9)])

    assert [line.split()[1] for line in lines[1:]] == ["c..d", "a..b"]
    assert lines[0].endswith(": 15")
