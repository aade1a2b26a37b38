"""`pagefuzz list`: what there is to test, to test by, and to be found."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

import click

from pagefuzz.campaign.floor import floor_of
from pagefuzz.coverage import name_of_event
from pagefuzz.exits import Exit
from pagefuzz.report import console
from pagefuzz.report.eras import CHANGES
from pagefuzz.slabs.floor import slab_floor
from pagefuzz.target.load import BUILT_IN, FORMS
from pagespec.era import ERAS
from pagespec.laws.books import all_laws
from pagespec.migratetype import LETTER_OF
from pagespec.verbs import Verb


class Listing(NamedTuple):
    """A table to print."""

    columns: tuple[str, ...]
    rows: list[Sequence[object]]


def _targets() -> Listing:
    rows: list[Sequence[object]] = [(name, what) for name, what in BUILT_IN.items()]
    return Listing(("target", "what it is"), [*rows, (FORMS, "your own")])


def _laws() -> Listing:
    rows = [(law.id, law.level, law.subject, law.sentence) for law in all_laws()]
    return Listing(("law", "level", "asked of", "what it says"), [*rows])


def _eras() -> Listing:
    rows = [
        (era.name, era.design, era.index_base, era.placement, era.bounds) for era in ERAS.values()
    ]
    return Listing(("era", "design", "index base", "placement", "bounds"), [*rows])


def _pageblocks() -> Listing:
    """The choices that matter to machines with pageblocks, in the era's own words.

    A row has one thing that a choice can be, and the eras that chose it: with a column for each
    choice or each era the table would be wider than a terminal.
    """
    eras = [era for era in ERAS.values() if era.numbering is not None]
    chosen: dict[tuple[str, str], list[str]] = {}
    for era in eras:
        types = "".join(LETTER_OF[mt] for mt in era.types)
        chosen.setdefault(("types", types), []).append(era.name)
    for word in ("barrier", "fallback", "cma", "isolation", "reserve", "zone_locked"):
        for era in eras:
            chosen.setdefault((word, getattr(era, word)), []).append(era.name)
    for word in CHANGES:
        for era in eras:
            answer = "yes" if getattr(era, word) else "no"
            chosen.setdefault((word, answer), []).append(era.name)
    names = [era.name for era in eras]
    rows = [(*choice, _spans(names, chosen[choice])) for choice in chosen]
    return Listing(("choice", "is", "in eras"), [*rows])


def _spans(names: list[str], some: list[str]) -> str:
    """Name some eras in order, three or more neighbours as `first to last`."""
    shown = []
    for is_in, run in groupby(names, key=lambda name: name in some):
        neighbours = [*run]
        if is_in and len(neighbours) > 2:
            shown.append(f"{neighbours[0]} to {neighbours[-1]}")
        elif is_in:
            shown += neighbours
    return ", ".join(shown)


def _events() -> Listing:
    """The floor of a run at `exact` with every gear, by era."""
    floors = {
        era.name: floor_of(era, "exact", 10, frozenset(Verb)) | slab_floor(era)
        for era in ERAS.values()
        if era.bounds == "zone"
    }
    events = sorted(set().union(*floors.values()), key=lambda event: (event[0].value, event[1]))
    rows = []
    for event in events:
        without = [era for era, floor in floors.items() if event not in floor]
        rows.append((name_of_event(event), f"all but {', '.join(without)}" if without else "all"))
    return Listing(("event that a run must reach", "eras"), [*rows])


def _mutants() -> Listing:
    # The museum loads the twin's source; the other listings need none of it.
    from pagefuzz.museum.catalogue import MUTANTS

    rows = [(mutant.id, mutant.kind, mutant.source, mutant.mechanism) for mutant in MUTANTS]
    return Listing(("mutant", "kind", "source", "mechanism"), [*rows])


LISTINGS: dict[str, Callable[[], Listing]] = {
    "targets": _targets,
    "laws": _laws,
    "eras": _eras,
    "pageblocks": _pageblocks,
    "events": _events,
    "mutants": _mutants,
}


@click.command()
@click.argument("what", type=click.Choice(tuple(LISTINGS)))
def command(what: str) -> Exit:
    """List targets, laws, eras, what eras do with pageblocks, events to reach, or mutants."""
    listing = LISTINGS[what]()
    console.table(what, listing.columns, listing.rows)
    return Exit.HELD
