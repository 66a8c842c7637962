"""Models for a GPU by the public names: compiled without one, saved, loaded, explained, run on a simulated one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.codegen.cuda import nvrtc
from anytile.compiler.compile import lock, needed_by
from anytile.compiler.module import Module
from anytile.core.errors import UnsupportedError
from anytile.dispatch import backends
from anytile.dispatch.backends import CudaBackend
from anytile.model_api import read_model
from anytile.schedules.hardware.target import Target
from anytile.vm.values.stream_device import StreamDevice
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.queued_gpu import QueuedGpu

TARGET = "cuda -arch=sm_90a"
LAYER = """
const $w: Tensor[(40, 24), float32];
def main(x: Tensor[(?n, 24), float32]) -> Tensor[(?n, 40), float32] { softmax(dense(x, $w)) }
"""
W = np.random.default_rng(0).standard_normal((40, 24), dtype=np.float32)


def layer() -> Module:
    return Module.parse(LAYER, {"w": W})


def _lacking() -> str:
    try:
        nvrtc.version()
    except UnsupportedError as error:
        return str(error)
    return missing()


@pytest.mark.slow
@pytest.mark.skipif(bool(_lacking()), reason=_lacking() or "-")
@pytest.mark.parametrize("trust", [False, True])
def test_a_model_is_compiled_without_a_gpu_and_runs_where_one_is(
    trust: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anytile.compile(layer(), TARGET).save(tmp_path / "model")
    exe = anytile.load(tmp_path / "model", trust)
    assert repr(exe).endswith(f"on {Target.host()} and cuda, with 0.0 MB of constants)")
    assert f"anytile tune --model FILE --target '{TARGET}'" in exe.why()
    assert {k.device for k in exe.kernels if k.kind == "kernel"} == {1}
    x = np.random.default_rng(1).standard_normal((5, 24), dtype=np.float32)
    found = anytile.Session(exe, devices={"cuda": StreamDevice(QueuedGpu())})(x)
    np.testing.assert_allclose(found, anytile.Session(anytile.compile(layer()))(x), rtol=2e-5)
    own = QueuedGpu()
    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(lambda: own, lambda: False))
    np.testing.assert_array_equal(anytile.Session(exe)(x), found)
    assert own.launches


@pytest.mark.skipif(bool(_lacking()), reason=_lacking() or "-")
def test_without_a_gpu_a_session_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> QueuedGpu:
        raise UnsupportedError("no NVIDIA driver was found on this machine")

    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(find))
    exe = anytile.compile(Module.parse("def main(x: Tensor[(?n), float32]) { relu(x) }", {}), TARGET)
    with pytest.raises(UnsupportedError, match="^no NVIDIA driver was found on this machine$"):
        anytile.Session(exe)


def test_what_a_gpu_needs_tuned_is_what_runs_there(tmp_path: Path) -> None:
    text = """def main(x: Tensor[(?n, 64), float32], w: Tensor[(64, 64), float32], i: Tensor[(?m), int64]) {
  dense(take(x, i, axis=0), w)
}"""
    (tmp_path / "model.txt").write_text(text)
    found = needed_by(tmp_path / "model.txt", Target.parse(TARGET), read_model)
    assert [w.op for w in found] == ["dense"]
    assert {w.op for w in needed_by(tmp_path / "model.txt", Target.host(1), read_model)} == {"dense", "gather"}


def test_models_for_a_gpu_are_not_locked() -> None:
    with pytest.raises(UnsupportedError, match="lock: models for cuda -arch=sm_90a are not locked yet; lock for a CPU"):
        lock(layer(), Target.parse(TARGET))
    with pytest.raises(UnsupportedError, match="plans: models for cuda -arch=sm_90a are not locked yet; compile witho"):
        anytile.compile(layer(), TARGET, locked="plans")


def test_models_for_a_gpu_are_float32() -> None:
    with pytest.raises(UnsupportedError, match="models for cuda -arch=sm_90a are float32 so far; compile"):
        anytile.compile(layer(), TARGET, precision="bfloat16")
