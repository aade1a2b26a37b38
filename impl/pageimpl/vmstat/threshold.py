"""How much a CPU may keep to itself, by shifts: the twin of the spec's `vmstat.threshold`."""

from pageimpl.jitcache import kernel

MOST = 125
"""The largest threshold of a cell of eight bits, which holds one more for a moment."""

UNIT_SHIFT = 15
"""Memory is measured in units of 128 MiB, 32,768 frames."""


@kernel
def bits_of(number: int) -> int:
    """How many bits the number has up to its highest one."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@kernel
def normal_threshold(cpus: int, pages: int) -> int:
    """The threshold of a zone of so many frames, for so many CPUs that run."""
    return min(MOST, (bits_of(cpus) << 1) * (1 + bits_of(pages >> UNIT_SHIFT)))


@kernel
def pressure_threshold(cpus: int, gap: int) -> int:
    """The threshold while kswapd is awake. gap: how far the low mark is above the least."""
    return min(MOST, max(1, gap // cpus))


@kernel
def drift_mark(cpus: int, threshold: int, gap: int, high: int) -> int:
    """Below this count a zone must be looked at closely; 0 if what CPUs keep is too little."""
    drift = cpus * threshold
    return high + drift if drift > gap else 0
