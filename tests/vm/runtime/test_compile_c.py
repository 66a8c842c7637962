"""The native runtime's C: what is kept is what its compiler makes, fits every machine, and survives a sanitizer."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from anytile.codegen.llvm.compile import ATTRIBUTES, compile_ir
from anytile.schedules.hardware.target import Target
from anytile.vm.runtime.compile_c import ROOT, UNITS, compiled, headers, kept, stamp

PINS = (Path(__file__).resolve().parents[3] / "constraints.txt").read_text(encoding="utf-8")
ENTRIES = {
    "regions.c": "take",
    "team.c": "anytile_fork",
    "thunk.c": "anytile_blas_thunk64",
    "timer.c": "anytile_time_calls",
}


def test_headers_derive_from_the_tables_of_words() -> None:
    for name, text in headers().items():
        assert (ROOT / name).read_text() == text, f"{name}: run scripts/runtime"


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_kept_was_made_of_these_sources(unit: str) -> None:
    assert kept(unit).read_text().splitlines()[0] == stamp(unit), f"{unit} has changed: run scripts/runtime"


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_kept_is_what_the_compiler_makes(unit: str) -> None:
    (pin,) = re.findall(r"^ziglang==(.+)$", PINS, re.MULTILINE)
    try:
        found = importlib.metadata.version("ziglang")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found != pin:
        pytest.skip(f"the compiler is ziglang {pin}, and there is {found}; scripts/runtime installs it")
    assert compiled(unit) == kept(unit).read_text()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("target", ["llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "llvm -mcpu=x86-64"])
def test_what_is_kept_compiles_for_any_cpu(unit: str, target: str) -> None:
    text = kept(unit).read_text()
    assert not re.search(r"^target|^source_filename|^!|attributes|/home|/tmp|x86", text, re.MULTILINE)
    entry = ENTRIES.get(Path(unit).name, "anytile_facts")
    assert compile_ir(text + ATTRIBUTES, Target.parse(target), entry, facts_too=False).code[:4] == b"\x7fELF"


@pytest.mark.sampled(0)
@pytest.mark.parametrize("name", ["sanitized.c", "sanitized_operators.c"])
def test_under_a_sanitizer_nothing_is_lost_and_nothing_used_twice(name: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("this machine has no C compiler")
    source, program = Path(__file__).with_name(name), tmp_path / "sanitized"
    options = ["-std=c11", "-g", "-O1", "-fwrapv", "-fno-strict-aliasing", "-fsanitize=address,undefined"]
    command = [compiler, *options, "-fno-sanitize-recover=all", "-I", str(ROOT / "vm/runtime/c"), "-o", str(program)]
    built = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    if built.returncode and re.search(r"-fsanitize|lib[au]\w*san", built.stderr):
        pytest.skip("this machine's C compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
