"""Kernels from patched text: wired to each other, shown in tracebacks, apart from the rest."""

import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from tests.impl.machines import untyped

from pageimpl.allocator import Allocator, Stream
from pageimpl.source import KERNEL_MODULES, compiled_modules, installed_modules, plain_modules
from pagespec.era import ERAS
from pagespec.machine import Machine

MACHINE = Machine(8, 3, ERAS["2.6.11"])


def upper_half(text: str) -> str:
    return text.replace(
        "add_to_free_list(mem, p + (1 << high), high, mt, False)",
        "add_to_free_list(mem, p, high, mt, False)\n        p += 1 << high",
    )


def test_a_patch_reaches_its_callers() -> None:
    """A fault in one module is seen through every other module of its set, and in no other set."""
    for kernels in (plain_modules({"buddy": upper_half}), compiled_modules({"buddy": upper_half})):
        allocator = Allocator(MACHINE, modules=kernels)
        allocator.alloc(0)
        assert untyped(allocator.free_area()) == [[6], [4], [0], []]
    faulty = Stream(Allocator(MACHINE, modules=plain_modules({"buddy": upper_half})), 1).run(200)
    assert faulty.tolist() != Stream(Allocator(MACHINE), 1).run(200).tolist()
    for kernels in (plain_modules(), installed_modules()):
        allocator = Allocator(MACHINE, modules=kernels)
        allocator.alloc(0)
        assert untyped(allocator.free_area()) == [[1], [2], [4], []]


ASK_BOTH = """
import sys
from pageimpl.allocator import Allocator
from pageimpl.source import compiled_modules
from pagespec.era import ERAS
from pagespec.machine import Machine
machine = Machine(100, 12, ERAS["2.6.11"], start=37)
if sys.argv[1:]:
    patch = {"bounds": lambda text: text.replace("first_of(mem) <= p < end_of(mem) and ", "")}
    print(*Allocator(machine, modules=compiled_modules(patch)).free_area()[12].values())
print(*Allocator(machine).free_area()[6].values())
"""


def test_kernels_from_the_disk_never_call_patched_ones(tmp_path: Path) -> None:
    """Not even if numba numbers both alike, as it does here: the patched set is compiled first."""

    def ran(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", ASK_BOTH, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": ":".join(sys.path), "PAGEIMPL_CACHE_DIR": str(tmp_path)},
        ).stdout

    assert ran() == "[37]\n"
    assert ran("patched") == "[37]\n[37]\n"


@pytest.mark.parametrize("name", KERNEL_MODULES)
def test_every_module_can_be_patched(name: str) -> None:
    """Each module of the set is loaded from text, under its own name."""
    module = plain_modules({name: lambda text: text + "\nPATCHED = True\n"}).modules[name]

    assert module.__name__ == f"pageimpl.{name}"
    assert vars(module)["PATCHED"]


@pytest.mark.parametrize("load", [plain_modules, compiled_modules])
def test_useless_patches_are_refused(load: object) -> None:
    """A patch that changes nothing would be a mutant that cannot be killed."""
    assert load in (plain_modules, compiled_modules)
    with pytest.raises(ValueError, match="the patch of buddy changes nothing"):
        (plain_modules if load is plain_modules else compiled_modules)({"buddy": lambda text: text})
    with pytest.raises(ValueError, match="no kernel module"):
        plain_modules({"memory": lambda text: text + "#"})


def test_tracebacks_show_patched_lines() -> None:
    """Where a patched kernel fails, the traceback shows the text that ran."""
    kernels = plain_modules(
        {"zone": lambda text: text.replace("before = prev_of(mem, p)", "before = prev_of(mem, -p)")}
    )
    with pytest.raises(IndexError) as caught:
        Allocator(MACHINE, modules=kernels).alloc(0)

    shown = "".join(traceback.format_exception(caught.value))
    assert "before = prev_of(mem, -p)" in shown
    assert "<pageimpl/zone.py, variant" in shown


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import pageimpl", "False False"),
        ("import pageimpl.memory, pageimpl.jitcache, pageimpl.layout", "True False"),
        ("from pageimpl.source import plain_modules; plain_modules()", "True False"),
        ("import pageimpl.alloc", "True True"),
    ],
)
def test_numba_comes_with_the_first_kernel(code: str, expected: str) -> None:
    """Whoever needs no compiled code does not wait for the compiler."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{code}\nimport sys\nprint('numpy' in sys.modules, 'numba' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )

    assert expected == done.stdout.strip()
