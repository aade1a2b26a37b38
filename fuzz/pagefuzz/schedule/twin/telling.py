"""Where a schedule switches: the accessor, its word and the kernel's line."""

from typing import NamedTuple

from pagefuzz.schedule.twin.runs import Ended, Runner, Stop


class Told(NamedTuple):
    """A switch: after which decision, who stopped where, and who went on.

    accessor, at, line: what the context that stopped was about to do, the first byte of its word in
    the buffer, and the kernel's line; empty and -1 where it had ended its request or had not begun.
    """

    number: int
    stopped: int
    request: str
    accessor: str
    at: int
    line: str
    goes_on: int

    def __str__(self) -> str:
        where = f"before {self.accessor} at byte {self.at}, {self.line}" if self.line else "at rest"
        return (
            f"{self.number}: context {self.stopped} ({self.request}) stops {where}; "
            f"context {self.goes_on} goes on"
        )


def tell(runner: Runner, switches: tuple[tuple[int, int], ...]) -> tuple[Ended, list[Told]]:
    """Run a schedule, and tell how it ended and where contexts switched."""
    told: list[Told] = []
    chosen = dict(switches)

    def decide(stop: Stop) -> int:
        other = chosen.get(stop.number, stop.default)
        goes_on = other if other in stop.enabled else stop.default
        if stop.running not in (-1, goes_on):
            stopped = runner.watch.contexts[stop.running]
            access = None if stopped.at_rest else stopped.next
            request = ", ".join(runner.scene.names[stop.running])
            accessor, at, line = access or ("", -1, "")
            told.append(Told(stop.number, stop.running, request, accessor, at, line, goes_on))
        return goes_on

    return runner.run(decide, tells=True), told
