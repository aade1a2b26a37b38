"""Nothing runs for ever: an engine that says nothing is stopped, and that is no verdict."""

from pathlib import Path

import pytest

from pagefuzz.prove import crosshair, engines
from pagefuzz.prove.conditions import Condition
from pagefuzz.prove.domains import DOMAINS
from pagefuzz.prove.engines import Task
from pagefuzz.prove.verdict import Verdict

ENDLESS = '''
def endless(pages: int) -> bool:
    """Never there.

    post: _
    """
    while True:
        pass
'''


def test_crosshair_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at its clock between paths only, and one path may be endless."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(crosshair, "START_S", 1)
    finding = crosshair.check("endless.endless", 1, 0.1)

    assert finding.verdict is Verdict.UNKNOWN
    assert finding.says.startswith("stopped after")


# The limit may fall into a callback of the collector of garbage, and is raised once more.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exhaustion_is_stopped() -> None:
    """Its task names the zone that took too long."""
    finding = engines.run(Task(Condition("exhaust", str(DOMAINS[3])), 11, 0.05))

    assert finding.verdict is Verdict.UNKNOWN
    assert finding.says == "11 frames: stopped after 0 s of CPU time"
