"""The generated parts of the guide pages: tables and pictures that the code itself knows best.

`python -m pagefuzz.pages` brings them up to date; a test asks whether they are. Between two
marks in a page stands what the function of that name returns; the rest of the page is prose.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pagefuzz.drift import page as drift
from pagefuzz.explore import page as interleavings
from pagefuzz.irqsoff import page as irqsoff
from pagefuzz.museum import page as museum
from pagefuzz.prove import page as proofs
from pagefuzz.prove.soundness import page as soundness
from pagefuzz.report import callpath, eras, laws, variants

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "images"

PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "drift.md": {
        "machine": drift.machine_markdown,
        "answers": drift.answers_markdown,
        **{name: partial(drift.table_markdown, name) for name in drift.TABLES},
    },
    "interleavings.md": {
        "guards": interleavings.guards_markdown,
        "scenarios": interleavings.scenarios_markdown,
        "experiments": interleavings.experiments_markdown,
        "windows": interleavings.windows_markdown,
    },
    "irqsoff.md": {"scanners": irqsoff.scanners_markdown},
    "laws.md": {"laws": lambda: laws.laws_markdown(named_by=museum.mutants_by_law())},
    "model.md": {"call path": callpath.call_path_markdown, "eras": eras.eras_markdown},
    "museum.md": {
        "mutants": museum.mutants_markdown,
        "equivalents": museum.equivalents_markdown,
        "shared": museum.shared_markdown,
    },
    "proofs.md": {
        "conditions": proofs.conditions_markdown,
        "zones": proofs.zones_markdown,
        "typed zones": proofs.typed_zones_markdown,
        "listed zones": proofs.listed_zones_markdown,
        "widths": proofs.widths_markdown,
        "slabs": proofs.slabs_markdown,
        "counters": proofs.counters_markdown,
    },
    "soundness.md": {
        "cases": soundness.cases_markdown,
        "marks": soundness.marks_markdown,
        "falls": soundness.falls_markdown,
    },
    "variants.md": {
        "census": variants.census_markdown,
        "prices": variants.prices_markdown,
        "pageblocks": eras.pageblocks_markdown,
        "lists": eras.lists_markdown,
        "marks": eras.marks_markdown,
    },
}
"""Per page, its generated parts."""


def current(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """The page with its generated parts made anew.

    Raises ValueError if a part has no place in the page.
    """
    for name, make in parts.items():
        begin, end = f"<!-- {name}: generated -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"expected a place for the part {name!r} in the page")
        text = f"{before}{begin}\n{make().rstrip()}\n\n{end}{after}"
    return text


def main() -> None:
    """Bring every page and picture up to date."""
    for page, parts in PARTS.items():
        path = DOCS / page
        path.write_text(current(path.read_text(), parts))
    drift.draw(PICTURES)


if __name__ == "__main__":
    main()
