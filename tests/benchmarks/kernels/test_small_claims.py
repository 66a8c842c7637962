"""The floors of the benchmarks of small operators and of fusion, from invented rows; and that rivals do what we do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from anytile.schedules.workloads.constructors import dense, elementwise, layer_norm, softmax
from anytile.schedules.workloads.reference import evaluate
from benchmarks.kernels import fusion, small_ops
from benchmarks.measure.harness import Row
from benchmarks.rivals.small_rivals import ways


def _small(op: str, rows: int, **seconds: float) -> Iterator[Row]:
    for name, value in seconds.items():
        yield Row({"op": op, "rows": rows, "n": 768}, name, value, 0.0, 0.0, 7)


def _fused(m: int, plain: float, **seconds: float) -> Iterator[Row]:
    for name, value in ((fusion.PLAIN, plain), *seconds.items()):
        yield Row({"m": m, "n": fusion.N, "k": fusion.K}, name, value, 0.0, 0.0, 7)


def test_every_point_counts_once_against_its_best_rival() -> None:
    rows = [*_small("softmax", 8, anytile=1, torch=4, numpy=9), *_small("gelu", 8, anytile=2, onnxruntime=2, torch=3)]
    (claim,) = small_ops.claims(rows)
    assert claim.value == pytest.approx(2.0)
    assert claim.ok
    assert small_ops.gains(rows) == {"softmax": [4.0], "gelu": [1.0]}
    (claim,) = small_ops.claims(_small("gelu", 8, anytile=1, torch=1.4))
    assert not claim.ok


def test_fusion_is_compared_with_the_plain_layer_and_the_best_sequence() -> None:
    slower, gain = fusion.claims(
        [*_fused(16, 1.0, anytile=1.05, torch=2.1), *_fused(64, 1.0, anytile=1.05, torch=1.05)]
    )
    assert slower.value == pytest.approx(1.05)
    assert slower.ok
    assert gain.value == pytest.approx(2**0.5)
    slower, gain = fusion.claims(_fused(16, 1.0, anytile=1.07, numpy=1.07))
    assert not slower.ok
    assert not gain.ok


@pytest.mark.parametrize("op", ["softmax", "layer_norm", "gelu", "dense_gelu"])
def test_rivals_compute_what_we_compute(op: str) -> None:
    rng = np.random.default_rng(0)
    given = {"x": rng.standard_normal((5, 24), dtype=np.float32)}
    if op == "layer_norm":
        given |= {"gamma": rng.standard_normal(24, dtype=np.float32), "beta": rng.standard_normal(24, dtype=np.float32)}
    if op == "dense_gelu":
        given |= {"w": rng.standard_normal((7, 24), dtype=np.float32), "bias": rng.standard_normal(7, dtype=np.float32)}
    workload = {
        "softmax": softmax(24, outer=5),
        "layer_norm": layer_norm(5, 24),
        "gelu": elementwise("gelu(x[d0, d1])", 5, 24),
        "dense_gelu": dense(5, 7, 24, tail=fusion.TAIL),
    }[op]
    inputs = {name: a.reshape(workload.shape(name)) for name, a in given.items()}
    wanted = evaluate(workload, inputs)["y"].reshape(5, -1)
    for name, found in ways(op, given, 1).items():
        for way in found:
            way.call()
            np.testing.assert_allclose(way.result(), wanted, atol=2e-3, err_msg=f"{name} {way.label}")
