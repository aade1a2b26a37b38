"""Serving one request: which steps each verb takes, and what comes of it as a number."""

from collections.abc import Callable

from pagespec.alloc import alloc_pages, free_pages, get_page, put_page, split_page
from pagespec.bulk import alloc_pages_bulk
from pagespec.contig import alloc_contig, isolate_range, restore_range
from pagespec.highatomic import unreserve
from pagespec.pcp.cpus import (
    age,
    disable,
    drain_all,
    drain_cpu,
    enable,
    expire,
    plug,
    refresh,
    unplug,
    work_on,
)
from pagespec.pcp.lists import Where
from pagespec.places import heal, offline, online, poison
from pagespec.rmqueue import Want
from pagespec.steps import Steps, run
from pagespec.types import NO_MEMORY, Pfn, Refused
from pagespec.verbs import MAY_FAIL, Op, Outcome, Verb
from pagespec.zone import Zone
from pagespec.zonelist import rest


def _alloc(zone: Zone, op: Op) -> Steps[Pfn | None]:
    return alloc_pages(
        zone, want_of(op), where_of(op), compound=op.compound, emergency=op.emergency
    )


def _bulk(zone: Zone, op: Op) -> Steps[int]:
    return alloc_pages_bulk(zone, op.pages, want_of(op), where_of(op))


def want_of(op: Op) -> Want:
    """What the request asks for; a bulk request has order 0, whatever it says."""
    order = 0 if op.verb is Verb.BULK else op.order
    return Want(order, op.mt, op.atomic, op.nofragment)


def where_of(op: Op) -> Where:
    """Who asks."""
    return Where(op.cpu, op.irq, op.contended, op.cold)


STEPS: dict[Verb, Callable[[Zone, Op], Steps[Pfn | None] | Steps[int] | Steps[None]]] = {
    Verb.ALLOC: _alloc,
    Verb.FREE: lambda zone, op: free_pages(zone, op.pfn, op.order, where_of(op)),
    Verb.GET: lambda zone, op: get_page(zone, op.pfn),
    Verb.PUT: lambda zone, op: put_page(zone, op.pfn, where_of(op)),
    Verb.SPLIT: lambda zone, op: split_page(zone, op.pfn, op.order),
    Verb.UNRESERVE: lambda zone, op: unreserve(zone, op.mt, force=op.force),
    Verb.ISOLATE: lambda zone, op: isolate_range(zone, op.pfn, op.pages),
    Verb.RESTORE: lambda zone, op: restore_range(zone, op.pfn, op.pages, op.mt),
    Verb.CONTIG: lambda zone, op: alloc_contig(zone, op.pfn, op.pages, op.mt, where_of(op)),
    Verb.POISON: lambda zone, op: poison(zone, op.pfn),
    Verb.HEAL: lambda zone, op: heal(zone, op.pfn),
    Verb.OFFLINE: lambda zone, op: offline(zone, op.pfn, op.pages),
    Verb.ONLINE: lambda zone, op: online(zone, op.pfn, op.pages),
    Verb.DRAIN: lambda zone, op: drain_cpu(zone, op.cpu),
    Verb.DRAIN_ALL: lambda zone, op: drain_all(zone),
    Verb.DISABLE: lambda zone, op: disable(zone),
    Verb.ENABLE: lambda zone, op: enable(zone),
    Verb.AGE: lambda zone, op: age(zone, op.cpu),
    Verb.UNPLUG: lambda zone, op: unplug(zone, op.cpu),
    Verb.PLUG: lambda zone, op: plug(zone, op.cpu),
    Verb.REFRESH: lambda zone, op: refresh(zone, op.cpu),
    Verb.EXPIRE: lambda zone, op: expire(zone, op.cpu),
    Verb.REST: lambda zone, op: rest(zone),
    Verb.BULK: _bulk,
}
"""The steps of each request."""


def outcome_of(verb: Verb, steps: Steps[Pfn | None] | Steps[int] | Steps[None]) -> Outcome:
    """Take the steps with nothing in between; a refusal becomes its code."""
    try:
        got: Pfn | None = run(steps)
    except Refused as refused:
        return refused.refusal
    if verb in MAY_FAIL and got is None:
        return NO_MEMORY
    return 0 if got is None else got


def perform(zone: Zone, op: Op) -> Outcome:
    """Serve the request of one zone."""
    work_on(zone, op.cpu)
    return outcome_of(op.verb, STEPS[op.verb](zone, op))
