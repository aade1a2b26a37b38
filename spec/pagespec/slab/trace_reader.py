"""Reading traces of slabs: text to requests, and one clear sentence for any other text."""

from typing import TypeVar

from pagespec.era import SlabDesign
from pagespec.slab.machine import SCHEMES, Scheme, SlabMachine
from pagespec.slab.request_reader import read_slab_request
from pagespec.slab.trace import SAID, SlabRequest, SlabTrace
from pagespec.trace import TraceError
from pagespec.trace_reader import MACHINE_WORDS, lines_of, machine_of, read_body
from pagespec.trace_words import read_flag, read_whole, read_words, short
from pagespec.types import DomainError

NEEDED = frozenset({"era", "pages", "top", "cpus"})
OWN_WORDS = frozenset({"cpus", "lists", "design", "scheme", *SAID})
"""What the line says of slabs, not of their zone."""

DESIGN_NAMED: dict[str, SlabDesign] = {"slub": "slub", "slab": "slab"}
SCHEME_NAMED: dict[str, Scheme] = {scheme: scheme for scheme in SCHEMES}

Named = TypeVar("Named")


def parse_slabs(text: str) -> SlabTrace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    machine = read_slabs(*next(body))
    names: set[str] = set()

    def read(number: int, line: str) -> SlabRequest:
        request = read_slab_request(number, line, names)
        names.update(request.names)
        return request

    requests, expect = read_body(body, "slab", read)
    return SlabTrace(machine, requests, expect, comments)


def read_slabs(number: int, line: str) -> SlabMachine:
    """Where objects are kept, as a line says it."""
    fields = read_words(number, line, "slabs", NEEDED, MACHINE_WORDS | OWN_WORDS)
    zone = {key: text for key, text in fields.items() if key not in OWN_WORDS}
    if read_flag(number, "lists", fields.get("lists", "0")):
        zone["cpus"] = fields["cpus"]
    whole = {key: read_whole(number, key, fields[key]) for key in ("cpus", *SAID) if key in fields}
    try:
        return SlabMachine(
            zone=machine_of(number, zone),
            cpus=whole["cpus"],
            present=whole.get("present"),
            design=_named(number, "design", fields.get("design", "slub"), DESIGN_NAMED),
            scheme=_named(number, "scheme", fields.get("scheme", "none"), SCHEME_NAMED),
            groups=whole.get("groups", 0),
            limit=whole.get("limit"),
        )
    except TraceError:
        raise
    except DomainError as error:
        raise TraceError(number, str(error)) from None


def _named(number: int, key: str, text: str, known: dict[str, Named]) -> Named:
    if text not in known:
        raise TraceError(number, f"{key}={short(text)}: expected one of {', '.join(known)}")
    return known[text]
