"""The commands from end to end: words, exit codes, and one sentence for whatever is wrong."""

import re
from pathlib import Path

import pytest
from tests.fuzz.material import NO_MERGE, planted

from pagefuzz import rates
from pagefuzz.campaign.verdict import TOP_OF_GEARS
from pagefuzz.cli import list as listing
from pagefuzz.cli import smoke
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.report import console
from pagefuzz.target import load
from pagespec.era import ERAS
from pagespec.trace_reader import parse

HERE = Path(__file__).parent
TARGETS = f"{HERE / 'targets.py'}"
HEAD = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1\n"
LEAK = HEAD + "a = alloc order=1\nb = alloc order=0\nc = alloc order=0\nfree b\nfree a\nfree c\n"

Capture = pytest.CaptureFixture[str]


def saved(folder: Path, text: str, name: str = "some.trace") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def ran(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of one command line."""
    code = run(arguments)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


# --- replay ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "text", "word", "code"),
    [
        ("spec", LEAK, "HELD", Exit.HELD),
        ("spec", LEAK + "expect OUT-return\n", "FIXED", Exit.HELD),
        (f"{TARGETS}:Leaks", LEAK, "FAILED", Exit.BROKEN),
        (f"{TARGETS}:Leaks", LEAK + "expect BUD-tag\n", "FAILED", Exit.BROKEN),
        ("spec", HEAD + "nonsense\n", "ERROR", Exit.USAGE),
        (f"{TARGETS}:Modern", HEAD.replace("6.1", "2.6.8"), "ERROR", Exit.USAGE),
    ],
)
def test_replay_has_a_word_for_each(
    target: str, text: str, word: str, code: Exit, tmp_path: Path, capsys: Capture
) -> None:
    """Held, fixed, failed, or on stderr in error, with the exit code that goes with it."""
    got, out, err = ran(capsys, "replay", "--target", target, saved(tmp_path, text))
    said, other = (err, out) if word == "ERROR" else (out, err)

    assert got == code
    assert said.startswith(f"{word:7} ")
    assert len(said.splitlines()) == 1
    assert other == ""


def test_replay_says_where_and_what_it_expected(tmp_path: Path, capsys: Capture) -> None:
    """A failure names law, request, and the law that the file speaks of."""
    trace = saved(tmp_path, LEAK + "expect BUD-tag\n")
    _, out, _ = ran(capsys, "replay", "--target", f"{TARGETS}:Leaks", trace)

    assert "OUT-return: " in out
    assert "when everything was given back; expected BUD-tag" in out


def test_replay_takes_folders_and_goes_on(tmp_path: Path, capsys: Capture) -> None:
    """Every trace below a folder is put; the gravest one decides the exit code."""
    (tmp_path / "deep").mkdir()
    saved(tmp_path / "deep", LEAK, "a.trace")
    saved(tmp_path, "junk", "b.trace")
    code, out, err = ran(capsys, "replay", "--target", f"{TARGETS}:Leaks", str(tmp_path))

    assert code == Exit.BROKEN
    assert [line.split()[0] for line in out.splitlines()] == ["FAILED"]
    assert [line.split()[0] for line in err.splitlines()] == ["ERROR"]


# --- what is wrong in the input ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["replay", "{empty}"], "no trace below this folder"),
        (["show", "{none}"], "No such file"),
        (["show", "{junk}"], "expected a trace in text"),
        (["show", "{era}"], "no era is called"),
        (["show", "{held}", "--step", "99"], "the trace has 6 requests"),
        (["shrink", "{held}", "--target", "spec"], "breaks no law"),
        (["shrink", "{old}", "--target", "{targets}:Modern"], "tags and whole zones only"),
        (["shrink", "{held}", "--out", "{held}/x"], "expected a folder in which traces"),
        (["run", "--era", "unknown"], "no era is called 'unknown'"),
        (["run", "--seed", "garbage"], "'garbage' is no seed"),
        (["run", "--seed", "-1"], "'-1' is no seed"),
        (["run", "--seed", "1f3c9ab21f3c9ab2f"], "is no seed"),
        (["run", "--out", "{held}/x", "--target", "spec"], "expected a folder in which traces"),
        (["run", "--out", "{held}"], "is a file"),
        (["run", "--target", "nobody"], "'nobody' is unknown"),
        (["run", "--target", "{targets}:Nobody"], "there is no Nobody in it"),
        (
            ["run", "--target", "{targets}:Modern", "--era", "2.6.8"],
            "takes no plain machine of era",
        ),
        (["run", "--target", "{targets}:Unmade"], "no ledger"),
        (["run", "--target", "{targets}:Boasts"], "expected pagespec.laws.outside.Promises"),
        (["run", "--seconds", "nan"], "expected a finite number"),
        (["show", "{lawless}"], "the name of a law after `expect`, got 'NO-SUCH'"),
        (["list", "everything"], "'everything' is not one of"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    """Exit 2, a sentence on stderr that says what was expected, and no verdict on stdout."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").write_bytes(bytes(range(256)))
    places = {
        "empty": str(tmp_path / "empty"),
        "none": str(tmp_path / "none"),
        "junk": str(tmp_path / "junk"),
        "era": saved(tmp_path, HEAD.replace("6.1", "9.9"), "era"),
        "old": saved(tmp_path, HEAD.replace("6.1", "2.6.8"), "old"),
        "held": saved(tmp_path, LEAK, "held"),
        "lawless": saved(tmp_path, LEAK + "expect NO-SUCH\n", "lawless"),
        "targets": TARGETS,
    }
    code, out, err = ran(capsys, *(argument.format(**places) for argument in arguments))

    assert code == Exit.USAGE
    assert re.fullmatch("(seed [0-9a-f]+\n)?", out)
    assert sentence in err
    assert len([line for line in err.splitlines() if line.lower().startswith("error: ")]) == 1


# --- allocators that misbehave beyond the laws -------------------------------------------------


def run_on(name: str, tmp_path: Path, capsys: Capture) -> tuple[int, str, str]:
    words = ["--era", "6.1", "--units", "4", "--seed", "7", "--out", str(tmp_path)]
    return ran(capsys, "run", "--target", f"{TARGETS}:{name}", *words)


def test_an_allocator_that_leaves_is_a_finding(tmp_path: Path, capsys: Capture) -> None:
    """SystemExit must not end the run as if all were well."""
    code, out, _ = run_on("Leaves", tmp_path, capsys)

    assert code == Exit.BROKEN
    assert "OUT-fault" in out
    assert "SystemExit(0)" in out


def test_an_allocator_that_wavers_gets_no_traceback(tmp_path: Path, capsys: Capture) -> None:
    """Answers by chance end in a finding or in no verdict, with the tables and the seed last."""
    code, out, err = run_on("Wavers", tmp_path, capsys)

    assert code in (Exit.BROKEN, Exit.INCONCLUSIVE)
    assert "Traceback" not in err
    assert out.splitlines()[-1] == "seed 00000007"


def test_a_lazy_allocator_holds_what_it_promises(tmp_path: Path, capsys: Capture) -> None:
    """Another order may be served after a failure, from blocks that wait to be merged."""
    _, out, _ = run_on("Hoards", tmp_path, capsys)

    assert "error:" not in out


# --- show, shrink, list, bench -----------------------------------------------------------------


def test_show_draws_every_step(tmp_path: Path, capsys: Capture) -> None:
    """Boot and each request get a picture, with what the request did in words."""
    trace = saved(tmp_path, HEAD + "a = alloc order=0\nfree a\n")
    code, out, _ = ran(capsys, "show", trace)

    assert code == Exit.HELD
    assert re.findall(r"^(\d): (.*)$", out, re.M) == [
        ("0", "boot"),
        ("1", "a = alloc order=0    return page -> page[0]"),
        ("2", "free a    done"),
    ]
    assert "expand: split page[0] order 3" in out
    assert "merge: two of order 2 become page[0]" in out
    only = ran(capsys, "show", trace, "--step", "1")[1]
    assert only.strip() in out
    assert "boot" not in only


def test_show_says_what_it_skips(tmp_path: Path, capsys: Capture) -> None:
    """A request for a block that was never had is no step of the spec."""
    trace = saved(tmp_path, HEAD + "a = alloc order=9\nfree a\n")

    assert "skipped: its block was never given out" in ran(capsys, "show", trace)[1]


def test_shrink_prints_and_keeps_the_smallest(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed is what is kept, and still fails."""
    monkeypatch.setattr("pagefuzz.cli.shrink.factory_of", lambda _: planted(NO_MERGE))
    out_folder = tmp_path / "out"
    code, out, _ = ran(capsys, "shrink", saved(tmp_path, LEAK), "--out", str(out_folder))

    [kept] = out_folder.glob("*.trace")
    assert code == Exit.HELD
    assert out.startswith(kept.read_text())
    assert str(kept) in out.splitlines()[-1]
    assert len(parse(kept.read_text()).requests) <= 2
    assert list((out_folder / "raw").iterdir())


@pytest.mark.parametrize("topic", list(listing.LISTINGS))
def test_every_listing_lists(topic: str, capsys: Capture) -> None:
    """Each topic has rows, and names what there is."""
    code, out, _ = ran(capsys, "list", topic)

    assert code == Exit.HELD
    assert len(out.splitlines()) > 5
    if topic == "targets":
        assert not [name for name in load.BUILT_IN if f"│ {name} " not in out]


def test_what_eras_do_with_pageblocks_fits_a_terminal(capsys: Capture) -> None:
    """No line is wider than 80 columns, and every choice of an era has one row with the era."""
    _, out, _ = ran(capsys, "list", "pageblocks")

    assert max(map(len, out.rstrip().splitlines())) <= 80
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    eras = [era for era in ERAS.values() if era.numbering is not None]
    names = [era.name for era in eras]
    told = {}
    for row in filter(None, rows):
        for span in row[2].split(", "):
            first, _, last = span.partition(" to ")
            for name in names[names.index(first) : names.index(last or first) + 1]:
                assert (row[0], name) not in told
                told[row[0], name] = row[1]
    choices = {choice for choice, _ in told}
    assert set(told) == {(choice, era.name) for choice in choices for era in eras}
    for choice in choices - {"types"}:
        for era in eras:
            value = getattr(era, choice)
            assert told[choice, era.name] == {True: "yes", False: "no"}.get(value, value)
    assert {"fallback", "barrier", "reserve", "types", "guards"} <= choices


def test_bench_has_a_row_for_each_rate(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spec, machine, stream and twin are measured, each with a rate above zero."""
    for name in ("SPEC_OPERATIONS", "STREAM_OPERATIONS", "TWIN_OPERATIONS"):
        monkeypatch.setattr(rates, name, 1000)
    for name in ("EXAMPLES", "WALKS"):
        monkeypatch.setattr(rates, name, 2)
    code, out, _ = ran(capsys, "bench")

    rows = re.findall(r"│ (.+?) +│ +([\d,]+) │", out)
    assert code == Exit.HELD
    assert [what.split()[0] for what, _ in rows] == [
        *["spec"] * 5,
        *["walk"] * 3,
        *["machine", "machine", "CPUs'"],
        *["counters"] * 2,
        *["stream", "twin"] * 5,
    ]
    assert all(int(rate.replace(",", "")) > 0 for _, rate in rows)


# --- run and smoke -----------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["outside", "refines", "exact"])
def test_a_foreign_allocator_is_judged_at_each_level(
    level: str, tmp_path: Path, capsys: Capture
) -> None:
    """What a file names is run; seed first and last, and the command that does it again."""
    options = ("--seconds", "0", "--seed", "ab", "--era", "6.1")
    code, out, _ = ran(
        capsys,
        *("run", "--target", f"{TARGETS}:Modern", "--level", level, "--out", str(tmp_path)),
        *options,
    )
    lines = out.splitlines()

    assert code in (Exit.HELD, Exit.INCONCLUSIVE)
    assert lines[0] == lines[-1] == "seed 000000ab"
    assert re.search(r"--seed 000000ab --units [2468]\b", lines[-2]) is not None
    strict = re.search(r"TWIN-equal +│ exact +│ (.*?) +│", out)
    assert strict is not None
    assert strict[1].startswith("not refuted" if level == "exact" else "not asked")


def test_the_least_allocator_reaches_its_floor(tmp_path: Path, capsys: Capture) -> None:
    """Alloc and free alone are enough for a verdict, by the laws from outside."""
    options = ("--units", "6", "--seed", "1", "--era", "6.1", "--out", str(tmp_path))
    code, out, _ = ran(capsys, "run", "--target", f"{TARGETS}:Least", *options)

    assert code == Exit.HELD
    assert re.search(r"BUD-maximal +│ refines +│ not asked of this target", out)
    assert "every law held: 6 units" in out


def test_a_run_that_reaches_little_is_vacuous(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is broken, but events of the floor are missing: exit 3, and they are named."""
    monkeypatch.setitem(TOP_OF_GEARS, "walk", 15)
    options = ("--units", "2", "--seed", "1", "--era", "6.1", "--out", str(tmp_path))
    code, out, _ = ran(capsys, "run", "--target", "spec", *options)

    assert code == Exit.INCONCLUSIVE
    assert "at order 15" in out or "more" in out
    assert out.splitlines()[-1] == "seed 00000001"


def test_a_failure_ends_in_the_command_that_repeats_it(tmp_path: Path, capsys: Capture) -> None:
    """Exit 1, `file:line: error:`, and a replay command whose trace fails again."""
    target = f"{TARGETS}:Leaks"
    options = ("--units", "2", "--seed", "1", "--era", "6.1", "--out", str(tmp_path))
    code, out, _ = ran(capsys, "run", "--target", target, *options)
    command = re.search(r"repeat with: pagefuzz (.*)", out)

    assert code == Exit.BROKEN
    assert re.search(r"^/\S+\.trace:1: error: OUT-\w+: seed 00000001 unit \d, OUT", out, re.M)
    assert re.search(r"OUT-return +│ outside +│ REFUTED", out)
    assert out.splitlines()[0] == out.splitlines()[-1] == "seed 00000001"
    assert command is not None
    assert ran(capsys, *command[1].split())[0] == Exit.BROKEN


def test_laws_of_another_design_are_not_claimed(tmp_path: Path, capsys: Capture) -> None:
    """A run over eras with tags says nothing of pair bitmaps."""
    options = ("--units", "1", "--seed", "1", "--era", "6.1", "--out", str(tmp_path))
    _, out, _ = ran(capsys, "run", "--target", "spec", *options)

    assert re.search(r"BUD-bitmap +│ refines +│ not asked in these eras", out)


def test_smoke_says_the_same_twice(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same version gives the same verdicts, row by row; only speeds differ."""
    monkeypatch.setattr(smoke, "ROUNDS", 1)
    runs = [ran(capsys, "smoke", "--target", "spec", "--out", str(tmp_path)) for _ in range(2)]
    verdicts = [re.sub(r" +[\d,]+ +│$", "", out, flags=re.M) for _, out, _ in runs]

    assert runs[0][0] == runs[1][0]
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0].splitlines()) > 40


def test_piped_progress_names_the_seed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever kills a long run can read from its log how to begin it again."""
    monkeypatch.setattr(console, "_LINE_EVERY_S", 0)
    options = ("--units", "1", "--seed", "7", "--era", "6.1", "--out", str(tmp_path))
    _, _, err = ran(capsys, "run", "--target", "spec", *options)

    assert re.search(r"units 1 .*broken 0 .*seed 00000007", err)


def test_what_was_interrupted_at_once_has_nothing_to_repeat(
    tmp_path: Path, capsys: Capture
) -> None:
    """It says that it was interrupted, and names no command that `run` would not take."""
    options = ("--units", "1", "--jobs", "1", "--era", "6.1", "--out", str(tmp_path))
    code, out, _ = ran(capsys, "run", "--target", f"{TARGETS}:Interrupts", *options)

    assert code == Exit.INTERRUPTED
    assert out.splitlines()[-2] == "interrupted: 0 units"
