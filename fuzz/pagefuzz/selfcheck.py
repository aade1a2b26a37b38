"""Checks of the harness itself: the same seed must give the same bytes."""

from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from pagefuzz.campaign.canary import planted_twin
from pagefuzz.campaign.plan import Plan
from pagefuzz.campaign.unit import run_unit
from pagefuzz.target.builtin import TwinFactory

SEED = 0x5EED


def same_seed_same_bytes() -> bool:
    """Whether each gear does the same twice: the same events, and the same trace of a fault."""
    return _digest() == _digest()


def _digest() -> str:
    digest = sha256()
    for factory in (TwinFactory(), planted_twin()):
        with TemporaryDirectory() as folder:
            plan = Plan(
                seed=SEED,
                target="numba",
                level="exact",
                eras=("6.1", "2.6.8"),
                gears=("stream", "walk", "hypothesis"),
                out=Path(folder),
                rounds=4,
            )
            for number in range(len(plan.gears)):
                result = run_unit(plan, number, factory)
                digest.update(
                    repr((result.operations, sorted(map(repr, result.reached.items())))).encode()
                )
                if result.finding is not None:
                    digest.update(result.finding.name.encode() + result.finding.read_bytes())
    return digest.hexdigest()
