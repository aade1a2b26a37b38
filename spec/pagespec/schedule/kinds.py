"""Requests to what works on a zone, compaction and slabs: how they begin, and what names learn.

Source: derived.
"""

from pagespec.compaction.ops import steps_of as compaction_steps
from pagespec.compaction.state import Compaction
from pagespec.compaction.trace import CompactionNames, CompactionRequest
from pagespec.compaction.verbs import FRAMES, CompactionOp, CompactionVerb
from pagespec.schedule.contexts import Asked, Level, Place, World, waits_for
from pagespec.schedule.running import AnySteps
from pagespec.slab.ops import steps_of as slab_steps
from pagespec.slab.state import Slabs
from pagespec.slab.trace import NAMING, SlabNames, SlabRequest
from pagespec.slab.verbs import Address, SlabVerb
from pagespec.trace import Request
from pagespec.verbs import MAY_FAIL, Outcome

OF_KINDS = (CompactionRequest, SlabRequest)
"""The requests that this is about."""

SETUP = -1
"""In place of a context, for what was given out before anybody worked."""


def is_known(world: World, request: CompactionRequest | SlabRequest) -> bool:
    """Whether what the request is about is there, or will never be."""
    names = world.own_names
    assert names is not None
    known = names.addresses if isinstance(names, SlabNames) else names.heads
    return waits_for(request) <= known.keys() | world.unnamed


def begun(world: World, place: Place, request: CompactionRequest | SlabRequest) -> AnySteps | None:
    """The steps of a request of who works there; None if what it is about was never given out.

    What is freed is nobody's from now on, as its owner sees it.
    """
    shared, names = world.shared, world.own_names
    if isinstance(shared, Compaction):
        assert isinstance(names, CompactionNames)
        assert isinstance(request, CompactionRequest)
        asked = names.op_of(request)
        if asked is None:
            return None
        return compaction_steps(shared, asked._replace(cpu=place.cpu, irq=place.level > Level.TASK))
    assert isinstance(shared, Slabs)
    assert isinstance(names, SlabNames)
    assert isinstance(request, SlabRequest)
    op = names.op_of(request)
    if op is None:
        return None
    for address in op.addresses:
        disown(world, address)
    return slab_steps(shared, op._replace(cpu=place.cpu))


def disown(world: World, address: Address) -> None:
    """Let an owner of the object have it no more."""
    owners = world.owners.pop(address, ())
    if owners[1:]:
        world.owners[address] = owners[1:]


def follow(world: World) -> None:
    """Let names go along with the blocks that a step has moved."""
    if isinstance(world.shared, Compaction):
        assert isinstance(world.own_names, CompactionNames)
        nothing = CompactionOp(CompactionVerb.REST)
        world.own_names.learn(None, nothing, 0, world.shared.moves)
        world.shared.moves.clear()


def learn(
    world: World, number: int, request: CompactionRequest | SlabRequest, outcome: Outcome
) -> None:
    """Remember what a request has given out, and to whom. number: of the context, or SETUP."""
    shared, names = world.shared, world.own_names
    if isinstance(request, CompactionRequest):
        assert isinstance(names, CompactionNames)
        names.learn(request.name, request.op, outcome, ())
        missed = (request.name,) if outcome < 0 and request.name is not None else ()
        world.unnamed |= frozenset(missed)
        return
    assert isinstance(names, SlabNames)
    assert isinstance(shared, Slabs)
    names.learn(request, outcome, shared.slots)
    if outcome <= 0:
        world.unnamed |= frozenset(request.names)
    elif request.op.verb in NAMING:
        several = request.op.verb is SlabVerb.ALLOC_BULK
        for address in shared.slots if several else (outcome,):
            world.owners[address] = (*world.owners.get(address, ()), number)


def may_fail(request: Asked) -> bool:
    """Whether a request that answers nothing has failed."""
    if isinstance(request, CompactionRequest):
        return request.op.verb in FRAMES
    return isinstance(request, Request) and request.verb in MAY_FAIL
