"""`pagefuzz diff` as people meet it: what it prints, writes and returns, and what it refuses."""

from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagespec.trace_reader import parse

SMALL = ("--machine", "pages=4 top=1 pageblock=1", "--bound", "2")
CALLED = ("spec", "tests.target.allocators:Called")
QUICK = ("--walks", "0", "--seed", "1")


def test_eras_that_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1; each kind has a trace, printed and in the folder; the seed is first and last."""
    small = ("--machine", "pages=4 top=2 pageblock=1", "--bound", "2")
    code = run(["diff", "5.15", "6.1", *small, *QUICK, "-o", str(tmp_path)])
    lines = capsys.readouterr().out.split("\n")
    written = sorted(path.read_text() for path in tmp_path.glob("*.trace"))

    assert code == 1
    assert (lines[0], lines[-2]) == ("seed 00000001", "seed 00000001")
    assert len(written) > 3
    assert all(text in "\n".join(lines) for text in written)
    for text in written:
        trace = parse(text)
        assert trace.machine.era.name == "5.15"
        assert len(trace.requests) <= 2
        assert trace.comments[0].startswith("5.15 and 6.1 part at ")
        assert [comment.split(":")[0] for comment in trace.comments[1:]] == ["5.15", "6.1"]


def test_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, and words that claim no more than was searched."""
    code = run(["diff", "4.10", "4.11-rc", *SMALL, "--walks", "3", "--seed", "1"])
    told = capsys.readouterr().out

    assert code == 0
    assert "no difference in any trace of this vocabulary of up to 2 requests on" in told
    assert "nor in 3 walks; not refuted beyond" in told
    assert "vocabulary: alloc" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["2.6.8", "2.6.11", "--machine", "pages=4 top=2"], "alloc (order 0, 1, 2), free"),
        (
            [*CALLED, "--era", "6.1", "--machine", "pages=4 top=1"],
            "alloc (order 0, 1), free",
        ),
        (
            ["2.6.37", "2.6.39", *SMALL[:2]],
            "alloc (order 0, 1; types U, M, E), free, isolate, restore, offline",
        ),
    ],
)
def test_the_vocabulary_is_what_was_tried(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No verb, type or flag that these machines and targets do not have."""
    run(["diff", *arguments, "--bound", "2", *QUICK])

    assert f"\nvocabulary: {words}\n" in capsys.readouterr().out


def test_what_walks_alone_tried_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a walk nothing but boot was looked at."""
    words = []
    for walks in ("0", "1"):
        run(["diff", "2.6.8", "2.6.11", "--bound", "0", "--walks", walks, "--seed", "1"])
        told = capsys.readouterr().out.split("\n")
        words.append(next(line for line in told if line.startswith("vocabulary: ")))

    assert words[0] == "vocabulary: boot alone"
    assert words[1].startswith("vocabulary: alloc (order ")
    assert words[1].endswith("), free")


def test_what_was_found_is_told_when_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 130, the seed once more, and no claim about what was not finished."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pagefuzz.diff.comparing.walk", interrupted)
    code = run(["diff", "4.10", "4.11-rc", *SMALL, "--walks", "3", "--seed", "1"])
    finished = capsys.readouterr().out
    monkeypatch.setattr("pagefuzz.diff.search.vocabulary", interrupted)
    unfinished = run(["diff", "4.10", "4.11-rc", *SMALL, "--walks", "3", "--seed", "1"])

    assert (code, unfinished) == (130, 130)
    assert "of up to 2 requests on" in finished
    assert "of up to 0 requests on" in capsys.readouterr().out
    assert finished.endswith("seed 00000001\n")


def test_an_interrupted_comparison_that_found_a_difference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says that it was interrupted, and ends with 1, as the order of the exit codes has it."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pagefuzz.diff.comparing.walk", interrupted)
    machine = ("--machine", "pages=4 top=2 pageblock=1", "--bound", "1")
    code = run(["diff", "5.15", "6.1", *machine, "--walks", "3", "--seed", "1"])
    out, err = capsys.readouterr()
    run(["diff", "--help"])
    helped = " ".join(capsys.readouterr().out.split())

    assert code == 1
    assert err == "interrupted; the report is of what was tried and found by then\n"
    assert "5.15 and 6.1 part; kinds of difference: " in out
    order = "When several apply, the order is 4, 1, 2, 130, 3"
    assert order in helped
    assert order in (Path(__file__).parents[2] / "README.md").read_text()


def test_a_seed_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    """Walks and shrinking included."""
    arguments = ["diff", "6.1", "6.12", "--bound", "1", "--walks", "15", "--seed", "2a"]
    told = []
    for _ in range(2):
        assert run(arguments) == 1
        told.append(capsys.readouterr().out)

    assert told[0] == told[1]
    assert "found by walks alone: shrunk, shorter traces may exist" in told[0]


def test_two_targets_of_one_era(capsys: pytest.CaptureFixture[str]) -> None:
    """A lazy allocator parts from the spec; one that never merges loses a block that is due."""
    plain = ("--machine", "pages=4 top=2", "--bound", "3", "--era", "2.6.11")
    part = "part at request 3:"
    for name, kinds in {
        "Lazy": ["both allowed; chosen block"],
        "LazyForGood": ["both allowed; chosen block", "OUT-return, broken by {}; success"],
    }.items():
        target = f"tests.target.allocators:{name}"
        code = run(["diff", "spec", target, *plain, *QUICK])
        told = [line for line in capsys.readouterr().out.split("\n") if part in line]

        assert code == 1
        assert told == [f"# spec and {target} {part} {kind.format(target)}" for kind in kinds]


def test_what_is_ignored_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither as what differs nor as a law about it."""
    machine = ("--machine", "pages=8 top=3 pageblock=2", "--bound", "1")
    told = []
    for ignored in ((), ("--ignore", "tracepoints")):
        run(["diff", "6.1", "6.12", *machine, *QUICK, *ignored])
        told.append(capsys.readouterr().out)

    assert "; tracepoints" in told[0]
    assert "; tracepoints" not in told[1]
    assert "EVT-order" in told[0]
    assert "EVT-order" not in told[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["6.1", "6.1"], "6.1 twice: expected two different eras, or two different targets"),
        (["6.1", "7.0"], "6.1 is an era and '7.0' is none; expected two of the eras"),
        (["spec", "6.1"], "6.1 is an era and 'spec' is none"),
        (["spec", "numba"], "'spec' and 'numba' are no eras"),
        (["spec", "nobody", "--era", "6.1"], "target 'nobody' is unknown"),
        (["spec", "numba", "--era", "7.0"], "no era is called '7.0'; expected one of"),
        (["5.15", "6.1", "--era", "6.1"], "--era 6.1: expected none beside two eras"),
        (["5.15", "6.1", "--machine", "pages=8"], "expected `machine pages=N top=N era=NAME`"),
        (
            ["5.15", "6.1", "--machine", "pages=8 top=2 era=6.1"],
            "machine 'pages=8 top=2 era=6.1': expected no era here",
        ),
        (
            ["2.6.11", "6.1", "--machine", "pages=8 top=2 pageblock=2"],
            "pageblock=2: era 2.6.11 has no pageblocks",
        ),
        (
            ["6.1", "6.12", "--machine", "pages=16 top=3 pageblock=2 guard=1"],
            "error: machine 'pages=16 top=3 pageblock=2 guard=1': guard=1: guard pages are below",
        ),
        (
            ["6.1", "2.6.37", "--machine", "pages=16 top=3 pageblock=2 types=C4"],
            "error: machine 'pages=16 top=3 pageblock=2 types=C4': types: pageblock 0 is CMA",
        ),
        (
            ["6.1", "6.12", "--machine", "pages=16 top=4 pageblock=2"],
            "pageblock=2: a pageblock of era 6.12 has order 3 to the top order, 4",
        ),
        (
            [*CALLED, "--era", "6.1", "--machine", "pages=8 top=2 pageblock=2"],
            "has no serve(op)",
        ),
        (["5.15", "6.1", "--seconds", "nan"], "--seconds nan: expected a finite number"),
        (["5.15", "6.1", "--seed", "xyz"], "'xyz' is no seed"),
        (["5.15", "6.1", "--bound", "-1"], "-1 is not in the range"),
        (["5.15", "6.1", "--ignore", "nothing"], "'nothing' is not one of"),
        (["5.15"], "Missing argument 'B'"),
        (["5.15", "6.1", "-o", "/proc/nowhere"], "--out /proc/nowhere"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, nothing on stdout, no traceback."""
    code = run(["diff", *arguments])
    out, err = capsys.readouterr()

    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err
