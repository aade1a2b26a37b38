"""The closed search of small slabs: what it commits to, and that a fault does not get through."""

from itertools import islice

import pytest

from pagefuzz.prove.ledger import read
from pagefuzz.prove.verdict import Verdict
from pagefuzz.slabs import closed
from pagefuzz.slabs.closed import SLAB_DOMAINS, SlabDomain, requests_in, value_of
from pagespec.laws.law import LawBroken
from pagespec.slab.ops import perform
from pagespec.slab.state import Slabs, copy_of_slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.verbs import Outcome


def test_every_domain_is_in_the_ledger() -> None:
    """As exhausted, with its counts; `pagefuzz prove` finds them again."""
    rows = {row.what: row.finding for row in read() if row.engine == "count"}

    for domain in SLAB_DOMAINS:
        assert rows[str(domain)].verdict is Verdict.EXHAUSTED
        assert [name for name, _ in rows[str(domain)].counts] == ["states", "requests", "depth"]


def test_the_smallest_is_counted_again() -> None:
    """The others are by `pagefuzz prove`; it takes a few seconds for each."""
    domain = SlabDomain("6.12", "slub")
    rows = {row.what: row.finding for row in read() if row.engine == "count"}

    assert tuple(domain.counts().items()) == rows[str(domain)].counts


def test_a_few_states_by_hand() -> None:
    """No slab; then one whose objects are in the CPU's chain but for one, by singles or in bulk."""
    slabs, _ = SlabDomain("6.12", "slub").begin()
    values = set()
    for op in requests_in(slabs):
        after = copy_of_slabs(slabs)
        perform(after, op)
        values.add(value_of(after))

    # On each CPU one, two or three objects are had, singly or at once; all else changes nothing.
    assert len(values) == 1 + 2 * 3


@pytest.mark.parametrize("domain", [SLAB_DOMAINS[3], SLAB_DOMAINS[4]], ids=str)
def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch, domain: SlabDomain) -> None:
    """An object that another CPU frees is lost: it is nobody's, and in no place."""

    def loses(slabs: Slabs, op: SlabOp) -> Outcome:
        if op.verb is SlabVerb.FREE and op.cpu == 1:
            del slabs.held[op.addresses[0]]
            return 0
        return perform(slabs, op)

    monkeypatch.setattr(closed, "perform", loses)
    with pytest.raises(LawBroken) as broken:
        domain.counts()

    assert broken.value.law_id == "SLB-place"


def test_requests_cover_every_order_of_a_bulk_free() -> None:
    """Of three held objects: each, six pairs and six triples, on both CPUs."""
    slabs, _ = SlabDomain("5.15", "slub").begin()
    perform(slabs, SlabOp(SlabVerb.ALLOC_BULK, 0, closed.CACHE, objects=3))
    frees = [op for op in islice(requests_in(slabs), 1000) if op.verb is SlabVerb.FREE_BULK]

    assert len(frees) == len(set(frees)) == 2 * (3 + 6 + 6)
