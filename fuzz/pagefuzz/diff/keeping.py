"""The traces of a comparison on disk, while it still goes on."""

from collections.abc import Iterable
from pathlib import Path

from pagefuzz.diff.parting import Group, Parting
from pagefuzz.diff.telling import law_id, trace_of
from pagefuzz.findings import keep


class Keeping:
    """In a folder, one trace of each group: the shortest that is known by now.

    So a process that is killed loses nothing of what its searches have found.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[Group, tuple[int, Path]] = {}
        # What an earlier run found is never taken away.
        self.earlier = frozenset(folder.iterdir())

    def keep(self, partings: Iterable[Parting]) -> None:
        """Write those that are shorter than what their groups have, and take away the longer."""
        for parting in partings:
            length, longer = self.kept.get(parting.group, (None, None))
            if length is not None and length <= parting.length:
                continue
            self.kept[parting.group] = parting.length, self._written(parting)
            if longer is not None and longer not in self.earlier:
                longer.unlink(missing_ok=True)

    def path_of(self, group: Group) -> Path:
        """Where the trace of a group that was kept stands."""
        return self.kept[group][1]

    def _written(self, parting: Parting) -> Path:
        """Named by the law of either era that it breaks.

        The trace itself does not expect it, since a replay judges by the laws of one era alone.
        """
        path = keep(trace_of(parting), self.folder)
        law = law_id(parting.group)
        return path.replace(path.with_name(path.name.replace("no-law", law, 1))) if law else path
