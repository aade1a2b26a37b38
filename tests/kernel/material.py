"""Runs of real kernels for the tests, and altered copies of the bundled ones."""

import lzma
import random
import re
import shutil
import tarfile
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from pagefuzz.kernel import Report, bundled_runs, check_run

CHECKOUT = Path(__file__).resolve().parents[2]
BUNDLED = bundled_runs()
LARGER = sorted((CHECKOUT.parent / "shared" / "traces").glob("**/trace.txt.xz"))
"""Runs beside the checkout, where somebody put them; the tests do without."""

Lines = list[str]

BLOCK = r"\bpfn=\w+ order=\d+"
TYPE = r"\bmigratetype=\d+"


def name_of(trace: Path) -> str:
    return trace.parent.name


def is_lossy(trace: Path) -> bool:
    return "-lost-" in name_of(trace)


def lines_of(trace: Path) -> Lines:
    with lzma.open(trace, "rt") as stream:
        return stream.read().splitlines()


def altered(trace: Path, into: Path, lines: Iterable[str]) -> Path:
    """Write a run with other lines, keeping its header's promise; its snapshots stay the same."""
    text = list(lines)
    entries = sum(is_event(line) for line in text)
    header = f"entries-written: {entries}/{entries}"
    text = [re.sub(r"entries-written: \d+/\d+", header, line) for line in text]
    for part in ("snaps.tar.xz", "trace-stats.txt", "version"):
        shutil.copy(trace.parent / part, into / part)
    path = into / "trace.txt"
    path.write_text("\n".join(text) + "\n")
    return path


def check_altered(trace: Path, into: Path, lines: Iterable[str]) -> Report:
    return check_run(altered(trace, into, lines))


def unpack(snapshots: Path, into: Path, without: Callable[[Path], bool] = lambda _: False) -> None:
    """Unpack a run's snapshots, leaving out some files."""
    # Not extractall: the first releases of 3.11 lack its filter, and later ones warn without it.
    with tarfile.open(snapshots) as archive:
        for member in filter(tarfile.TarInfo.isfile, archive.getmembers()):
            path = into / member.name
            content = archive.extractfile(member)
            assert content is not None
            if not without(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def is_event(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def kind_of(line: str) -> str:
    match = re.search(r": (\w+): ", line)
    return match[1] if match else ""


def pfn_of(line: str) -> int:
    match = re.search(r"pfn=(0x[0-9a-f]+)", line)
    return int(match[1], 16) if match else -1


def with_pfn(line: str, pfn: int) -> str:
    return re.sub(r"pfn=0x[0-9a-f]+", f"pfn={pfn:#x}", line)


def with_order(line: str, order: int) -> str:
    return re.sub(r" order=\d+", f" order={order}", line)


def with_type(line: str, number: int) -> str:
    return re.sub(TYPE, f"migratetype={number}", line)


def type_of(line: str) -> int:
    match = re.search(TYPE, line)
    return int(match[0].partition("=")[2]) if match else -1


def place_of(lines: Lines, wanted: Callable[[str], bool], after: int = 0) -> int:
    """The index of the first line at or behind another that is wanted."""
    return next(at for at in range(after, len(lines)) if wanted(lines[at]))


def start_of(lines: Lines) -> int:
    """The index behind which the replay knows the free set."""
    return place_of(lines, lambda line: "01-start-ref end" in line) + 1


def shuffled(lines: Lines, kinds: set[str], seed: int, what: str = BLOCK) -> Lines:
    """Deal the blocks, or the types, of the events of some kinds out among these events."""
    places = [at for at, line in enumerate(lines) if kind_of(line) in kinds]
    texts = [match[0] for at in places if (match := re.search(what, lines[at]))]
    random.Random(seed).shuffle(texts)
    result = lines.copy()
    for at, text in zip(places, texts, strict=True):
        result[at] = re.sub(what, text, lines[at])
    return result


def reordered(lines: Lines, kind: str, seed: int) -> Lines:
    """Shuffle the blocks of events of a kind that follow each other, CPU, order and type alike.

    Each event keeps its line, and each block what happens to it: only the order changes.
    """
    rng = random.Random(seed)
    result: Lines = []
    for (found, _), run in groupby(lines, key=lambda line: (kind_of(line), _rest_of(line))):
        text = list(run)
        if found == kind:
            blocks = [pfn_of(line) for line in text]
            rng.shuffle(blocks)
            text = [with_pfn(line, pfn) for line, pfn in zip(text, blocks, strict=True)]
        result += text
    return result


def _rest_of(line: str) -> str:
    """What says whose list an event is about: CPU, order and type."""
    fields = re.findall(r"\[\d{3}\]| order=\d+| migratetype=\d+", line)
    return "".join(fields)
