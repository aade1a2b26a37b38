"""The eras as a table: what each kernel chose."""

from pagefuzz.report.markdown import table
from pagespec.era import ERAS, Bounds, Design, IndexBase, Placement

DESIGNS: dict[Design, str] = {"bitmap": "pair bitmaps", "tag": "order tag in the first page"}
BASES: dict[IndexBase, str] = {"zone": "the zone's first frame", "pfn": "frame 0"}
PLACEMENTS: dict[Placement, str] = {
    "head": "head",
    "likely": "tail if a merge is likely, else head",
    "likely-2.6.39": "the same, but head for every upper half",
}
BOUNDS: dict[Bounds, str] = {
    "zone": "the zone's bounds and holes",
    "aligned-order": "the same, from the zone's aligned order up",
    "buddyend": "a flag at each start, a victim at each end",
}


def eras_markdown() -> str:
    """One row an era, oldest first."""
    return table(
        [
            "era",
            "free blocks known by",
            "index 0 is",
            "a freed block enters at",
            "a buddy exists by",
            "boot's blocks enter at",
        ],
        [
            (
                era.name,
                DESIGNS[era.design],
                BASES[era.index_base],
                PLACEMENTS[era.placement],
                "its pair's bit" if era.design == "bitmap" else BOUNDS[era.bounds],
                "tail" if era.boot_to_tail else "as any other",
            )
            for era in ERAS.values()
        ],
    )
