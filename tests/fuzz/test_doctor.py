"""Doctor's verdicts: a healthy installation, one that is not checked, and one that lies."""

from importlib.metadata import PackageNotFoundError

import pytest

from pagefuzz.cli import doctor
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pageimpl import jitcache


def test_this_installation_can_be_trusted(capsys: pytest.CaptureFixture[str]) -> None:
    """Every row has a verdict, and the JIT computes what Python computes."""
    assert run(["doctor"]) == Exit.HELD

    shown = capsys.readouterr().out
    assert [name for name in ("python", "llvmlite", "C compiler") if name not in shown] == []


def test_wrong_machine_code_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compiled function that differs from its source makes every verdict worthless."""
    monkeypatch.setattr(jitcache, "compiled", lambda function, keep: lambda frames: 0)

    assert run(["doctor"]) == Exit.UNTRUSTWORTHY
    assert "NOT TRUSTWORTHY" in capsys.readouterr().out


def test_without_the_jit_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that did not run is inconclusive, not passed."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")

    assert run(["doctor"]) == Exit.INCONCLUSIVE


def test_a_missing_package_is_to_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Doctor names what is missing and goes on to the rest."""

    def version(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", version)

    assert run(["doctor"]) == Exit.USAGE
    assert "not installed" in capsys.readouterr().out
