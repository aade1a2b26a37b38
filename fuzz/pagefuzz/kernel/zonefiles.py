"""Files of /proc/zoneinfo without a trace: one, or all of a directory, each judged by itself."""

from dataclasses import dataclass
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.kernel.counting import judge_alone
from pagefuzz.kernel.files import begins_with, text_of
from pagefuzz.kernel.findings import THRESHOLD, Findings, Verdict, exit_of
from pagefuzz.kernel.snapshots import reading

_NAME = "zoneinfo"
_LISTS = "buddyinfo*"
_FIRST = b"Node "


@dataclass(frozen=True, slots=True)
class FilesReport:
    """What files of zoneinfo say."""

    place: str
    files: int
    findings: Findings

    @property
    def verdict(self) -> Verdict:
        """The verdict on all of them: open if no zone has a threshold."""
        if self.findings.broken:
            return Verdict.BROKEN
        return Verdict.HELD if self.findings.checked[THRESHOLD] else Verdict.INCONCLUSIVE

    @property
    def exit(self) -> Exit:
        """The exit code of the verdict."""
        return exit_of(self.verdict)


def is_zoneinfo(path: str) -> bool:
    """Whether a path is a directory, or a file that looks like /proc/zoneinfo, and no trace."""
    place = Path(path)
    return place.is_dir() or place.name.startswith(_NAME) or begins_with(path, _FIRST)


def check_files(path: str) -> FilesReport:
    """Judge a file, or every file of a directory whose name begins with `zoneinfo`.

    Files named `buddyinfo` beside one are compared with it. UsageError says what cannot be read.
    """
    place, findings = Path(path), Findings()
    files = sorted(map(str, place.rglob(f"{_NAME}*"))) if place.is_dir() else [path]
    if not files:
        raise UsageError(
            f"{path}: expected a file, or a directory with files named {_NAME}, got a directory"
            " without any"
        )
    for each in files:
        lists = sorted(map(str, Path(each).parent.glob(_LISTS))) if Path(each).exists() else []
        judge_alone(
            findings, reading("", each, text_of(each), {one: text_of(one) for one in lists})
        )
    return FilesReport(path, len(files), findings)
