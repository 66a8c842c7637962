"""A model compiled for a CPU that is not here: real code for it in the file, none of which runs here; plans do."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.compiler.module import Module
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.host import host
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan
from anytile.vm.executable import Executable
from anytile.vm.interpreter import kernels
from anytile.vm.program.executable import KERNEL
from anytile.vm.storage import file, link
from tests.support.emulated.loaded import Emulator

TEXT = """
const $w: Tensor[(40, 24), float32];
def main(x: Tensor[(?t, 24), float32]) -> Tensor[(?t, 40), float32] { softmax(gelu(dense(x, $w))) }
"""
W = np.random.default_rng(0).standard_normal((40, 24), dtype=np.float32)
ARM = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -threads=1"
OLD_CPU = next(cpu for cpu in ("haswell", "nehalem") if cpu != host().cpu)
OLD = f"llvm -mcpu={OLD_CPU} -threads=1"
MACHINES = {ARM: 183, OLD: 62}  # as ELF calls them


@pytest.fixture(scope="module")
def made() -> dict[str, Executable]:
    return {target: anytile.compile(Module.parse(TEXT, {"w": W}), target) for target in (*MACHINES, "llvm -threads=1")}


def _kernels(exe: Executable) -> list[Any]:
    return [k for k in exe.kernels if k.kind == KERNEL]


@pytest.mark.slow
@pytest.mark.parametrize("target", MACHINES)
def test_its_kernels_are_code_for_that_cpu(target: str, made: dict[str, Executable]) -> None:
    exe = made[target]
    assert exe.target == target
    for kernel in _kernels(exe):
        assert DispatchPlan.from_json(kernel.plan).target == Target.parse(target)
        (machine,) = struct.unpack_from("<H", kernel.artifact.code, 18)
        assert machine == MACHINES[target]
    ours = {k.artifact.code for k in _kernels(made["llvm -threads=1"])}
    assert not ours & {k.artifact.code for k in _kernels(exe)}


@pytest.mark.slow
@pytest.mark.parametrize("target", MACHINES)
def test_it_is_built_again_where_it_is_loaded(target: str, made: dict[str, Executable], tmp_path: Path) -> None:
    made[target].save(tmp_path / "e")
    x = np.random.default_rng(1).standard_normal((5, 24), dtype=np.float32)
    wanted = anytile.Session(made["llvm -threads=1"])(x)
    for trust in (False, True):
        said: list[str] = []
        exe = anytile.load(tmp_path / "e", trust=trust, say=said.append)
        here = str(Target.host(1))
        assert said == [f"{tmp_path / 'e'}: made for {target}; its kernels were built again, for {here}"]
        assert exe.target == here
        assert f"made for {target}; its figures are from there" in exe.why()
        np.testing.assert_allclose(anytile.Session(exe)(x), wanted, rtol=1e-5)
    exe.save(tmp_path / "again")  # and is then an executable of this machine
    said = []
    assert anytile.load(tmp_path / "again", trust=True, say=said.append).kernels[0].artifact == exe.kernels[0].artifact
    assert said == []


@pytest.mark.slow
@pytest.mark.parametrize("target", MACHINES)
def test_code_for_another_cpu_never_runs_here(target: str, made: dict[str, Executable]) -> None:
    with pytest.raises(UnsupportedError, match=r"its code is for llvm .*, and this machine is llvm .*; save") as caught:
        anytile.Session(made[target])
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_file_is_used_as_it_is_on_that_cpu(
    made: dict[str, Executable], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There it needs no compiler: it was made for what that machine says of itself, at any number of threads."""
    made[OLD].save(tmp_path / "e")
    _, made_for = file.read(tmp_path / "e")
    there = Target.parse(f"llvm -mcpu={OLD_CPU} -threads=8")
    monkeypatch.setattr(Target, "host", classmethod(lambda cls, threads=None: there))
    assert made_for == link.here()


@pytest.mark.slow
def test_what_loading_says_goes_to_stderr(
    made: dict[str, Executable], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made[OLD].save(tmp_path / "e")
    arguments = ["run", str(tmp_path / "e"), "--input", "x=random:3x24", "--json"]
    assert main.run(main.umbrella(), arguments, "anytile") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)
    assert printed.err == f"{tmp_path / 'e'}: made for {OLD}; its kernels were built again, for {Target.host(1)}\n"


def test_the_command_compiles_for_another_cpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.txt").write_text(TEXT)
    with io.BytesIO() as held:
        np.savez(held, w=W)
        (tmp_path / "model.npz").write_bytes(held.getvalue())
    out = tmp_path / "model.exe"
    assert (
        main.run(main.umbrella(), ["compile", str(tmp_path / "model.txt"), "--target", OLD, "-o", str(out)], "x") == 0
    )
    assert file.read(out)[0].target == OLD
    assert capsys.readouterr().err == ""


LAYERS = """
def main(x: Tensor[(?t, 24), float32], w: Tensor[(40, 24), float32], u: Tensor[(24, 40), float32]) {
  let h = softmax(gelu(dense(x, w)));
  add(x, dense(h, u))
}
"""


@pytest.mark.neon
@pytest.mark.slow
def test_its_kernels_compute_there_what_they_do_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is interpreted here, and an emulated CPU runs every kernel."""
    rng = np.random.default_rng(2)
    w, u = (rng.standard_normal(shape, dtype=np.float32) for shape in ((40, 24), (24, 40)))
    module = Module.parse(LAYERS, {})
    here, there = anytile.Session(anytile.compile(module, "llvm -threads=1")), anytile.compile(module, ARM)
    emulator = Emulator(_kernels(there))
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "Loaded", emulator)
        patch.setattr(Target, "is_host", True)
        session = anytile.Session(there, compiled=False)
        for t in (1, 5, 17):
            x = rng.standard_normal((t, 24), dtype=np.float32)
            np.testing.assert_allclose(session(x, w, u), here(x, w, u), rtol=1e-5, atol=1e-5)
    assert emulator.made
    assert all(kernel.calls == 3 for kernel in emulator.made)
