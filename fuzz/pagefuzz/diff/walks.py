"""Random traces on larger machines, for partings that no short trace shows, made short again."""

from collections.abc import Iterable
from random import Random

from pagefuzz.diff.difference import Aspect
from pagefuzz.diff.parting import Parting, parting_of
from pagefuzz.diff.search import booted, longer_by, served
from pagefuzz.diff.seen import Path, Side
from pagefuzz.diff.telling import trace_of
from pagefuzz.diff.vocabulary import vocabulary
from pagespec.trace import Names, Request
from pagespec.verbs import Op, Verb

WALK_REQUESTS = 60
"""Requests of one walk, at most."""

PHASE_REQUESTS = 12
"""Requests between two draws of how likely a walk allocates, so that it fills and empties."""


def walk(
    sides: tuple[Side, Side], rng: Random, ignored: frozenset[Aspect], tried: set[Op]
) -> Parting | None:
    """Where a random walk parts the two, or None if it does not; adds what it puts to `tried`."""
    start = booted(sides, ignored)
    if isinstance(start, Parting):
        return start
    path = start
    filling = 0.0
    for number in range(WALK_REQUESTS):
        if number % PHASE_REQUESTS == 0:
            filling = rng.choice((0.3, 0.5, 0.7, 0.9))
        op = _drawn(sides, rng, path, filling)
        tried.add(op)
        seen = served(sides, path, op)
        parting = parting_of(sides, path, op, seen, ignored)
        if parting is not None:
            return parting
        path = longer_by(path, op, seen)
    return None


def _drawn(sides: tuple[Side, Side], rng: Random, path: Path, filling: float) -> Op:
    """A request of the vocabulary: large blocks are rarer, and so is all but alloc and free."""
    one, other = sides
    ops = vocabulary((one.machine, other.machine), one.verbs & other.verbs, path.states[0])
    by_verb: dict[Verb, list[Op]] = {}
    for op in ops:
        by_verb.setdefault(op.verb, []).append(op)
    weights = {Verb.ALLOC: 10 * filling, Verb.FREE: 10 * (1 - filling)}
    verb = rng.choices(list(by_verb), [weights.get(verb, 0.4) for verb in by_verb])[0]
    ops = by_verb[verb]
    if verb is not Verb.ALLOC:
        return rng.choice(ops)
    return rng.choices(ops, [0.6**op.order for op in ops])[0]


def follow(
    sides: tuple[Side, Side], requests: Iterable[Request], ignored: frozenset[Aspect] = frozenset()
) -> Parting | None:
    """Where the requests of a trace part the two, or None; what cannot be asked is skipped."""
    start = booted(sides, ignored)
    if isinstance(start, Parting):
        return start
    path, names = start, Names()
    for request in requests:
        op = names.op_of(request)
        if op is None:
            continue
        seen = served(sides, path, op)
        parting = parting_of(sides, path, op, seen, ignored)
        if parting is not None:
            return parting
        names.learn(request, seen[0].outcome, {pfn: slot for slot, pfn in seen[0].state.slots})
        path = longer_by(path, op, seen)
    return None


def shrunk(parting: Parting, ignored: frozenset[Aspect]) -> Parting:
    """The shortest trace to a parting of the same group that leaving out requests leads to."""
    best = parting
    tried = -1
    while best.length != tried:
        tried = best.length
        run = max(1, tried // 2)
        while run >= 1:
            end = best.length
            while end > 0:
                requests = trace_of(best).requests
                kept = requests[: max(0, end - run)] + requests[end:]
                shorter = follow(best.sides, kept, ignored)
                if shorter and shorter.group == best.group and shorter.length < best.length:
                    best = shorter
                end = min(end - run, best.length)
            run //= 2
    return best
