"""Every installed rival computes what it should in each of the ways it is called."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from benchmarks.rivals import dense_rivals


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", sorted(dense_rivals.NEEDS))
@pytest.mark.parametrize("m", [1, 3, 17])
def test_every_way_is_right(name: str, m: int) -> None:
    if name in dense_rivals.missing():
        pytest.skip(f"{name} is not installed")
    rng = np.random.default_rng(m)
    w = rng.standard_normal((29, 13), dtype=np.float32)
    x = rng.standard_normal((m, 13), dtype=np.float32)
    (rival,) = [r for r in dense_rivals.installed(w, 1) if r.name == name]
    expected = x.astype(np.float64) @ w.T.astype(np.float64)
    for way in rival.ways(x):
        way.call()
        np.testing.assert_allclose(way.result(), expected, atol=1e-4, err_msg=way.label)


def test_torch_runs_in_inference_mode() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert not torch.is_inference_mode_enabled()
    dense_rivals.Torch(np.ones((4, 4), np.float32), 1)
    assert torch.is_inference_mode_enabled()


def test_a_call_keeps_its_operands_alive() -> None:
    if "onnxruntime" in dense_rivals.missing():
        pytest.skip("onnxruntime is not installed")
    rng = np.random.default_rng(0)
    w = rng.standard_normal((64, 64), dtype=np.float32)
    session = dense_rivals.OnnxRuntime(w, 1)
    call = session.ways(np.ones((256, 64), dtype=np.float32))[0].call
    gc.collect()
    inputs, outputs = call()  # type: ignore[misc]
    np.testing.assert_allclose(outputs["y"], np.ones((256, 1)) @ w.sum(axis=1)[None, :].astype(np.float64), atol=1e-3)
    assert inputs["x"].shape == (256, 64)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dense_rivals.NEEDS, "torch", ("torch", "a_module_that_nobody_made"))
    assert "torch" in dense_rivals.missing()
    assert "torch" not in [r.name for r in dense_rivals.installed(np.ones((2, 2), dtype=np.float32), 1)]
