"""Targets: one text form, a stable fingerprint, and facts that LLVM itself gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError, UnsupportedError
from anytile.schedules.hardware import target
from anytile.schedules.hardware.cpu import facts, machine
from anytile.schedules.hardware.target import Target, require_cores, require_runnable, usable_cores
from anytile.schedules.templates import registry
from anytile.schedules.templates.cpu.dense_cpu import DenseCpu
from anytile.schedules.templates.registry import template, templates, templates_for
from anytile.schedules.workloads.constructors import dense, softmax

_WORD = st.from_regex(r"[a-z0-9+,._-]{1,12}", fullmatch=True)
_OPTIONS = st.fixed_dictionaries(
    {"mcpu": _WORD, "threads": st.integers(1, 64).map(str)}, optional={"mtriple": _WORD, "mattr": _WORD}
)


@pytest.mark.sampled(0)
@given(_OPTIONS)
def test_text_round_trip(options: dict[str, str]) -> None:
    target = Target("llvm", tuple(options.items())).resolved()
    assert Target.parse(str(target)) == target
    assert Target.parse(str(target)).fingerprint == target.fingerprint


def test_llvm_alone_is_this_machine() -> None:
    host = Target.host()
    assert Target.parse("llvm") == Target.parse("llvm -mcpu=native") == host
    assert host.is_host
    assert Target.parse("llvm -threads=2") == Target.host(2)
    assert Target.host(1) != Target.host(2)
    require_runnable(host)


def test_threads_by_default() -> None:
    """All cores of this process, but one thread for a CPU of which nothing else is known."""
    assert Target.host().threads == usable_cores() <= len(os.sched_getaffinity(0))
    here = Target.host().get("mcpu")
    assert Target.parse(f"llvm -mcpu={here}") == Target.host()
    assert Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72").threads == 1
    elsewhere = next(cpu for cpu in ("haswell", "nehalem") if cpu != here)
    assert Target.parse(f"llvm -mcpu={elsewhere}").threads == 1


def test_fewer_cores_mean_fewer_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 8})
    monkeypatch.setattr(target, "quota", lambda: None)
    assert str(Target.parse("llvm")).endswith(" -threads=3")
    require_cores(Target.host(3))
    with pytest.raises(UnsupportedError, match="takes as many cores, and this process may use 3; use -threads=3"):
        require_cores(Target.host(4))


def test_open_options_are_filled_in_and_sorted() -> None:
    target = Target.parse("llvm -threads=2 -mtriple=aarch64-linux-gnu")
    assert str(target) == "llvm -mtriple=aarch64-linux-gnu -mcpu=generic -threads=2"
    assert not target.is_host
    assert str(Target.parse("cuda -arch=sm_90a")) == "cuda -arch=sm_90a"


def test_the_fingerprint_never_changes() -> None:
    """Rows of every shared database are found by it."""
    assert Target.parse("llvm -mcpu=znver4 -threads=1").fingerprint == "ae11ecad35753572"


def test_distance_names_what_differs() -> None:
    one = Target.parse("llvm -mcpu=znver4 -threads=1")
    assert list(one.distance(one)) == []
    assert list(one.distance(Target.parse("llvm -mcpu=haswell -threads=2"))) == ["mcpu", "threads"]
    assert next(iter(one.distance(Target.parse("cuda -arch=sm_90a")))) == "kind"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected 'llvm' or 'cuda'"),
        ("   ", "expected 'llvm' or 'cuda'"),
        ("gpu", "target 'gpu': expected one of llvm, cuda"),
        ("llvm znver4", "'znver4' is not -option=value"),
        ("llvm -mcpu", "'-mcpu' is not -option=value"),
        ("llvm -mcpu=", "-mcpu needs a value"),
        ("llvm -cpu=znver4", "unknown option -cpu; expected -mtriple, -mcpu, -mattr, -threads"),
        ("llvm -arch=sm_90", "unknown option -arch"),
        ("llvm -threads=0", "-threads=0 is not a positive whole number"),
        ("llvm -threads=two", "-threads=two is not a positive whole number"),
        ("llvm -threads=-1", "-threads=-1 is not a positive"),
        ("llvm -threads=01", "-threads=01 is not a positive"),
        ("llvm -threads=" + "9" * 5000, "is not a positive"),
        ("llvm -threads=\u00b2", "expected letters, digits"),
        ("llvm '-mcpu=a b'", "-mcpu='a b': expected letters, digits"),
        ("llvm -threads=1 -threads=2", "an option is given twice"),
        ("llvm 'x", "No closing quotation"),
    ],
)
def test_malformed_targets(text: str, reason: str) -> None:
    with pytest.raises(SpecError, match=reason) as error:
        Target.parse(text)
    assert "\n" not in str(error.value)


def test_what_cannot_run_here_says_why() -> None:
    with pytest.raises(UnsupportedError, match="code for another CPU can be emitted, not run"):
        require_runnable(Target.parse("llvm -mtriple=aarch64-linux-gnu"))
    with pytest.raises(UnsupportedError, match="target cuda -arch=sm_75: .*--compile-only"):
        require_runnable(Target.parse("cuda -arch=sm_75"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "bits", "registers", "fma"),
    [
        ("llvm -mcpu=znver4", 512, 32, True),
        ("llvm -mcpu=sapphirerapids", 512, 32, True),
        ("llvm -mcpu=haswell", 256, 16, True),
        ("llvm -mcpu=sandybridge", 256, 16, False),
        ("llvm -mcpu=nehalem", 128, 16, False),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", 128, 32, True),
        ("llvm -mtriple=arm64-apple-darwin", 128, 32, True),
        ("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a15", 128, 16, True),
        ("llvm -mtriple=armv7-linux-gnueabihf -mcpu=cortex-a9", 128, 16, False),
        ("llvm -mtriple=thumbv7m-none-eabi -mcpu=cortex-m3", 128, 8, False),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+f,+d,+v", 128, 32, True),
        ("llvm -mtriple=riscv64-linux-gnu -mattr=+f,+d", 128, 8, True),
        ("llvm -mtriple=i686-linux-gnu -mcpu=haswell", 256, 8, True),
    ],
)
def test_llvm_says_what_a_cpu_offers(text: str, bits: int, registers: int, fma: bool) -> None:
    found = facts(Target.parse(text))
    assert (found.vector_bits, found.vector_registers, found.has_fma) == (bits, registers, fma)
    assert found.lanes == bits // 32
    assert 0 < found.l1_bytes < found.l2_bytes <= found.l3_bytes


@pytest.mark.parametrize("text", ["llvm -mcpu=nosuchcpu", "llvm -mtriple=vax-dec-vms", "llvm -mattr=+nosuchfeature"])
def test_what_llvm_does_not_know_is_one_line(text: str) -> None:
    with pytest.raises(SpecError, match="target llvm.*") as error:
        facts(Target.parse(text))
    assert "\n" not in str(error.value)
    assert str(error.value).count("target llvm") == 1
    assert "SpecError" not in str(error.value)


def test_facts_and_machines_are_for_cpus() -> None:
    with pytest.raises(SpecError, match="a CPU target was expected"):
        facts(Target.parse("cuda -arch=sm_90"))
    with pytest.raises(SpecError, match="this LLVM does not know -mtriple=vax-dec-vms"):
        machine(Target.parse("llvm -mtriple=vax-dec-vms"))
    assert machine(Target.host()) is not machine(Target.host())


def test_usable_cores() -> None:
    assert usable_cores() >= 1


def test_the_registry_of_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "dense.cpu" in [t.name for t in templates()]
    assert template("dense.cpu").op == "dense"
    assert "dense.cpu" in [t.name for t in templates_for(dense(1, 2, 3), Target.parse("llvm"))]
    with pytest.raises(UnsupportedError, match="no template 'dense.gpu'; expected one of .*dense.cpu"):
        template("dense.gpu")
    assert [t.name for t in templates_for(softmax(3), Target.parse("cuda -arch=sm_90"))] == ["softmax.cuda"]
    lie = r"^no template for target kind 'llvm' serves dense\(.*\) with x in bfloat16; expected what its dtype says$"
    with pytest.raises(UnsupportedError, match=lie):
        templates_for(dense(1, 2, 3).storing({"x": "bfloat16"}), Target.parse("llvm"))
    halves = r"^no template for target kind 'llvm' serves dense\(.*\); expected dtype float32, or another target$"
    monkeypatch.setattr(DenseCpu, "suits", lambda self, workload: int(workload.dtype == "float32"))
    with pytest.raises(UnsupportedError, match=halves):
        templates_for(dense(1, 2, 3, dtype="bfloat16"), Target.parse("llvm"))
    few = {t.name: t for t in templates() if t.kind == "llvm" or t.op == "dense"}
    monkeypatch.setattr(registry, "_REGISTRY", few)
    with pytest.raises(UnsupportedError, match="softmax has no template for target kind 'cuda'; .* one of dense$"):
        templates_for(softmax(3), Target.parse("cuda -arch=sm_90"))


def test_a_cpu_is_asked_about_with_nothing_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("llvmlite", "numpy", "anytile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file that somebody left here was run')\n")
    monkeypatch.chdir(tmp_path)
    assert facts(Target.parse("llvm -mcpu=ivybridge")).vector_bits == 256
