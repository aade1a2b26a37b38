"""Which eras the laws about slabs speak about."""

from pagespec.era import Era


def has_slabs(era: Era) -> bool:
    """Whether slabs were read of the era."""
    return bool(era.slab_designs)


def pays_before(era: Era) -> bool:
    """Whether groups that pay by the object do so before they have it."""
    return era.slab_charge != "after"
