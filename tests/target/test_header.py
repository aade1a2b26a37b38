"""The header is what it says: plain C11 and C++, with the numbers that pagefuzz itself uses."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.target.material import EXAMPLES, needs_cc

from pagefuzz.target import native, serve
from pagefuzz.target.build import COMPILERS
from pagespec.types import MAX_TOP, NO_MEMORY, Refusal

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wmissing-prototypes")
TEXT = native.HEADER.read_text()


def numbers() -> dict[str, int]:
    """Every number that the header names."""
    found = re.findall(r"^(?:#define|   ) (PF_\w+)(?: =)? \(?(-?\d+)", TEXT, re.MULTILINE)
    return {name: int(value) for name, value in found}


def compiler(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(names)} is installed")
    return found


def compiled(command: list[str], source: Path, text: str) -> str:
    """What the compiler says of the text; nothing if it is content."""
    source.write_text(text)
    include = f"-I{native.HEADER.parent}"
    done = subprocess.run(
        [*command, include, "-fsyntax-only", str(source)], capture_output=True, text=True
    )
    return done.stderr


def test_numbers_are_the_spec_s() -> None:
    """One number, one meaning, on both sides of the border; a library is asked of blocks alone."""
    blocks = [refusal for refusal in Refusal if refusal >= Refusal.UNSAID]
    refusals = {f"PF_{refusal.name}": int(refusal) for refusal in blocks}
    refusals["PF_REFUSED"] = refusals.pop("PF_UNSAID")
    expected = {"PF_ABI": native.ABI, "PF_MAX_TOP": MAX_TOP, "PF_DONE": 0, "PF_NONE": NO_MEMORY}
    expected |= {"PF_UNSAID_SIZE": native.UNSAID_SIZE}
    expected |= {"PF_MERGES_EAGERLY": 1, "PF_REFUSES": 2, "PF_EXACT": 4}

    assert numbers() == expected | refusals


def test_functions_are_those_that_are_looked_for() -> None:
    """A function of the header that nobody looks for would never be called."""
    declared = set(re.findall(r"^PF_API .*?\b(pf_\w+)\(", TEXT, re.MULTILINE))

    assert declared == {*serve.REQUIRED, *(name for _, names in serve.OPTIONAL for name in names)}


@pytest.mark.parametrize("source", ["buddy.c", "firstfit.c"])
def test_examples_compile_without_a_warning(tmp_path: Path, source: str) -> None:
    """With every warning that a careful project has on."""
    command = [compiler(*COMPILERS), "-std=c11", *STRICT]

    assert compiled(command, tmp_path / source, (EXAMPLES / source).read_text()) == ""


@needs_cc
def test_record_has_the_layout_that_is_filled_in(tmp_path: Path) -> None:
    """The fields of struct pf_machine lie where ctypes puts them."""
    checks = [
        f"_Static_assert(offsetof(struct pf_machine, {name}) == {field.offset}, {name!r});"
        for name, *_ in serve.Description._fields_
        for field in [getattr(serve.Description, name)]
    ]
    checks.append(
        f'_Static_assert(sizeof(struct pf_machine) == {ctypes.sizeof(serve.Description)}, "size");'
    )
    text = "\n".join(['#include "pagefuzz.h"', "#include <stddef.h>", *checks]).replace("'", '"')

    assert compiled([compiler(*COMPILERS), "-std=c11"], tmp_path / "layout.c", text) == ""


def test_header_is_cpp_too(tmp_path: Path) -> None:
    """A C++ allocator includes it as it is; its functions keep C names."""
    text = '#include "pagefuzz.h"\nint32_t pf_abi() { return PF_ABI; }\n'
    command = [compiler("c++", "g++", "clang++"), "-std=c++11", "-Wall", "-Wextra", "-Werror"]

    assert compiled([*command, "-pedantic"], tmp_path / "mine.cpp", text) == ""


@needs_cc
def test_header_stands_alone(tmp_path: Path) -> None:
    """Nothing needs to be included before it."""
    command = [compiler(*COMPILERS), "-std=c11", *STRICT]

    assert compiled(command, tmp_path / "alone.c", '#include "pagefuzz.h"\nint pf_none;\n') == ""
