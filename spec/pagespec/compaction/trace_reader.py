"""Reading traces of compaction: text to requests, and one clear sentence for any other text."""

from pagespec.compaction.design import SCANS, Scan
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.request_reader import read_compaction_request
from pagespec.compaction.trace import CompactionRequest, CompactionTrace
from pagespec.trace import TraceError
from pagespec.trace_reader import MACHINE_WORDS, lines_of, machine_of, read_body
from pagespec.trace_words import read_words, short
from pagespec.types import DomainError

NEEDED = frozenset({"pages", "top", "era", "pageblock"})
SCAN_NAMED: dict[str, Scan] = {scan: scan for scan in SCANS}


def parse_compaction(text: str) -> CompactionTrace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    machine = read_compaction(*next(body))
    names: set[str] = set()

    def read(number: int, line: str) -> CompactionRequest:
        request = read_compaction_request(number, line, names)
        if request.name is not None:
            names.add(request.name)
        return request

    requests, expect = read_body(body, "compaction", read)
    return CompactionTrace(machine, requests, expect, comments)


def read_compaction(number: int, line: str) -> CompactionMachine:
    """What is compacted, as a line describes it."""
    fields = read_words(number, line, "compaction", NEEDED, MACHINE_WORDS | {"scan"})
    scan = fields.get("scan")
    if scan is not None and scan not in SCAN_NAMED:
        raise TraceError(number, f"scan={short(scan)}: expected one of {', '.join(SCANS)}")
    zone = machine_of(number, fields)
    try:
        return CompactionMachine(zone, None if scan is None else SCAN_NAMED[scan])
    except DomainError as error:
        raise TraceError(number, str(error)) from None
