"""From requests to a host in frames to requests by name, so that a run becomes a trace."""

from collections.abc import Mapping, Sequence

from pagefuzz.record import Recorder, complaint_of
from pagespec.host import MAX_NODES, Host
from pagespec.host_trace import HostTrace
from pagespec.laws.holdings import NO_SLOTS
from pagespec.laws.law import LawBroken
from pagespec.laws.near import LISTED_VERBS, number_at
from pagespec.trace import NAMING, Operand, Request
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome, Verb


class HostRecorder:
    """Names for the blocks of one run; each zone counts its frames as its era does."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.names = Recorder(host.parts[0].machine)

    def request_of(self, op: Op, outcome: Outcome, slots: Mapping[Pfn, int] = NO_SLOTS) -> Request:
        """The request by name, with the answer that it got.

        slots: the array after a bulk request.
        """
        number = number_at(self.host, outcome if op.verb in NAMING else op.pfn)
        self.names.machine = self.host.parts[number or 0].machine
        request = self.names.request_of(op, outcome, slots)
        if op.verb in (Verb.DISABLE, Verb.ENABLE):
            return request._replace(operand=Operand(None, max(0, op.pfn)))
        if op.verb not in LISTED_VERBS:
            return request
        return request._replace(
            node=op.node if op.node >= 0 else MAX_NODES,
            highest=op.highest,
            only_node=op.only_node and op.verb is not Verb.UNRESERVE,
        )


def host_trace_of(
    host: Host,
    done: Sequence[tuple[Op, Outcome]],
    broken: LawBroken,
    filled: Mapping[int, Mapping[Pfn, int]],
) -> HostTrace:
    """A run that broke a law, by name, with the complaint as its comment.

    filled: the array after each bulk request that was served, by its place in done.
    """
    recorder = HostRecorder(host)
    requests = tuple(
        recorder.request_of(op, outcome, filled.get(at, NO_SLOTS))
        for at, (op, outcome) in enumerate(done)
    )
    return HostTrace(host, requests, broken.law_id, (complaint_of(broken),))
