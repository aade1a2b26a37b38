"""Doctor's verdicts: a healthy installation, one that is not checked, and one that lies."""

from importlib.metadata import PackageNotFoundError

import pytest

from pagefuzz import selfcheck
from pagefuzz.cli import doctor
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pageimpl import jitcache


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the check that takes seconds."""
    monkeypatch.setattr(selfcheck, "same_seed_same_bytes", lambda: True)


def test_this_installation_can_be_trusted(capsys: pytest.CaptureFixture[str]) -> None:
    """Every row has a verdict, and the JIT computes what Python computes."""
    assert run(["doctor"]) == Exit.HELD

    shown = capsys.readouterr().out
    rows = ("python", "llvmlite", "C compiler", "two runs of one seed")
    assert [name for name in rows if name not in shown] == []


def test_a_seed_that_means_two_things_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where two runs of one seed differ, no finding can be repeated."""
    monkeypatch.setattr(selfcheck, "same_seed_same_bytes", lambda: False)

    assert run(["doctor"]) == Exit.UNTRUSTWORTHY
    captured = capsys.readouterr()
    assert "they differ" in captured.out
    assert captured.err == "two runs of one seed: a few seconds\n"


@pytest.mark.usefixtures("_quick")
def test_wrong_machine_code_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compiled function that differs from its source makes every verdict worthless."""
    monkeypatch.setattr(jitcache, "compiled", lambda function, keep: lambda frames: 0)

    assert run(["doctor"]) == Exit.UNTRUSTWORTHY
    assert "NOT TRUSTWORTHY" in capsys.readouterr().out


@pytest.mark.usefixtures("_quick")
def test_without_the_jit_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that did not run is inconclusive, not passed."""
    monkeypatch.setattr(jitcache, "jit_disabled", lambda: True)

    assert run(["doctor"]) == Exit.INCONCLUSIVE


@pytest.mark.usefixtures("_quick")
def test_a_missing_package_is_to_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Doctor names what is missing and goes on to the rest."""

    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)

    assert run(["doctor"]) == Exit.USAGE
    assert "not installed" in capsys.readouterr().out
