"""A search that is broken off, even by force, is gone on with and comes to the same."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.schedule.small import NO_TEST, SMALL, alloc, free, interrupt, small, task

import pagefuzz.schedule.checkpoint as checkpoint
import pagefuzz.schedule.exhaust as exhaust_module
from pagefuzz.errors import UsageError
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.explored import Explored
from pagespec.schedule.contexts import Scenario

LARGE = small(
    "6.12", 2, task(0, alloc("a"), free("a")), interrupt(0, alloc("b")), task(1, alloc("c"))
)
"""Several hundred states, or twice as many."""


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say more often how far it is than large searches do."""
    monkeypatch.setattr(exhaust_module, "EVERY", 50)
    monkeypatch.setattr(exhaust_module, "FIRST", 100)


def facts(found: Explored) -> tuple[object, ...]:
    """All that a search says."""
    counts = found.states, found.steps, found.ends, found.depth
    return (*counts, found.verdicts, found.events, found.final, found.exhausted, found.schedule)


def stops_behind(states: int) -> Callable[[Explored], bool]:
    """Ends a search when it has found so many states."""
    return lambda found: found.states < states


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize("bound", [None, 3])
def test_what_is_broken_off_comes_to_the_same(
    tmp_path: Path, reduced: bool, bound: int | None
) -> None:
    whole = exhaust(LARGE, reduced=reduced, bound=bound)
    file = tmp_path / "point"
    part = exhaust(LARGE, reduced=reduced, bound=bound, told=stops_behind(300), checkpoint=file)
    assert not part.exhausted
    assert part.states < whole.states
    resumed = exhaust(LARGE, reduced=reduced, bound=bound, resume=file)
    assert facts(resumed) == facts(whole)
    assert resumed.exhausted


def test_a_search_that_has_ended_is_there_again(tmp_path: Path) -> None:
    file = tmp_path / "point"
    whole = exhaust(SMALL["both-6.12"], checkpoint=file)
    assert facts(exhaust(SMALL["both-6.12"], resume=file)) == facts(whole)


def test_the_same_search_writes_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    exhaust(LARGE, told=stops_behind(300), checkpoint=one)
    exhaust(LARGE, told=stops_behind(300), checkpoint=two)
    assert one.read_bytes() == two.read_bytes()
    assert not list(tmp_path.glob("*.new"))


KILLED = """
import sys
from pathlib import Path
from tests.schedule.test_checkpoint import LARGE
from pagefuzz.schedule import exhaust
exhaust.FIRST = 100
exhaust.EVERY = 1
def told(found):
    if found.states > 300:
        print("far", flush=True)
        input()
    return True
exhaust.exhaust(LARGE, checkpoint=Path(sys.argv[1]), told=told)
"""


def test_who_is_killed_loses_no_more_than_since_the_last_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "point"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"far\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    resumed = exhaust(LARGE, resume=file, told=lambda found: False)
    assert resumed.states > 100
    assert facts(exhaust(LARGE, resume=file)) == facts(exhaust(LARGE))


@pytest.fixture
def point(tmp_path: Path) -> Path:
    file = tmp_path / "point"
    exhaust(SMALL["both-6.12"], checkpoint=file)
    return file


def refused(file: Path, scenario: Scenario = SMALL["both-6.12"], bound: int | None = None) -> str:
    """What is said of a file that cannot be gone on from."""
    with pytest.raises(UsageError) as error:
        exhaust(scenario, resume=file, bound=bound)
    message = str(error.value)
    assert message.startswith(f"{file}:")
    assert "\n" not in message
    return message


def test_a_file_of_another_search_is_refused(point: Path) -> None:
    assert "another scenario" in refused(point, NO_TEST)
    assert "another scenario" in refused(point, replace(SMALL["both-6.12"], lock_irqs_on=True))
    assert "bound=-" in refused(point, bound=2)


def test_a_file_of_another_source_is_refused(point: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "source_digest", lambda: "other")
    assert "another version of the source" in refused(point)


def test_a_file_that_is_cut_or_changed_is_refused(point: Path) -> None:
    text = point.read_text()
    for size in range(30, len(text) - 1, 97):
        point.write_text(text[:size])
        assert "cut or changed" in refused(point)
    point.write_text(re.sub(r"\b0:1\b", "0:2", text, count=1))
    assert "cut or changed" in refused(point)


def test_what_is_no_checkpoint_is_refused(point: Path, tmp_path: Path) -> None:
    point.write_text("pagefuzz-trace 1\n")
    assert "expected 'pagefuzz-checkpoint 1'" in refused(point)
    point.write_bytes(b"\xff\x00")
    assert "cannot be read" in refused(point)
    assert "cannot be read" in refused(tmp_path / "absent")
    assert "cannot be read" in refused(tmp_path)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the checkpoint cannot be written"):
        exhaust(SMALL["both-6.12"], checkpoint=tmp_path / "absent" / "point")


def test_a_search_that_forgets_states_keeps_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="without hashing"):
        exhaust(SMALL["both-6.12"], hashed=False, checkpoint=tmp_path / "point")
