"""Every schedule of a few operations: the contexts take turns in all possible ways."""

from collections.abc import Callable, Iterator
from typing import Any

from pagespec.steps import Steps
from pagespec.zone import Zone

Setting = Callable[[], tuple[Zone, list[Steps[Any]]]]


def endings(setting: Setting) -> Iterator[tuple[list[int], Zone]]:
    """Each schedule, as the contexts in turn, and the zone that it ends in.

    Generators cannot be copied, so each schedule is run afresh; setting makes it up.
    """
    pending: list[list[int]] = [[]]
    while pending:
        prefix = pending.pop()
        zone, contexts = setting()
        live = dict(enumerate(contexts))
        schedule: list[int] = []
        while live:
            turn = len(schedule)
            context = prefix[turn] if turn < len(prefix) else min(live)
            if turn >= len(prefix):
                pending += [[*schedule, other] for other in live if other != context]
            schedule.append(context)
            if next(live[context], None) is None:
                del live[context]
        yield schedule, zone
