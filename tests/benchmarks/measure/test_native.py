"""Kernels timed natively: what is streamed is another copy at each call, and all copies are the same weight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import anytile
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads import streaming
from benchmarks.measure.native import Native

M, N, K = 3, 192, 64


@pytest.mark.slow
@pytest.mark.parametrize("streamed", [False, True])
def test_each_call_reads_the_next_copy(monkeypatch: pytest.MonkeyPatch, streamed: bool) -> None:
    target = Target.host(1)
    rng = np.random.default_rng(0)
    w, x = (rng.standard_normal(shape, dtype=np.float32) for shape in ((N, K), (M, K)))
    cpu = replace(facts(target), l3_bytes=5 * w.nbytes)
    monkeypatch.setattr(streaming, "facts", lambda _: cpu)
    workload = anytile.dense(m=anytile.Any("m"), n=N, k=K, const=("w",)).streaming(["w"] if streamed else [])
    kernel = anytile.build(workload, target=target, constants={"w": w})
    timed = Native(kernel.artifact, workload, {"w": w})
    count = len(timed._copies)
    assert 10 < count <= 15 if streamed else count == 1
    y = np.full((M, N), np.nan, dtype=np.float32)
    system = timed.at("ours", {"x": x}, y, {"m": M}, 0.0)
    spoilt = set()
    if streamed:
        timed._copies[2]["w"][...] = 0  # so that we see when it is read
    for call in range(3 * count):
        y[...] = np.nan
        assert system.run(1) > 0
        if not y.any():
            spoilt.add(call)
        else:
            np.testing.assert_allclose(y, x @ w.T, rtol=1e-4, atol=1e-4)
    assert spoilt == ({2, 2 + count, 2 + 2 * count} if streamed else set())
    system.run(2 * count + 2)
    system.run(1)
    assert y.any() != streamed
