"""Batches of launches: native code gives a device each kernel with the addresses that it works out."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import ArgumentError
from anytile.dispatch.cuda.batches.batch import Batch, Given, not_aligned
from anytile.dispatch.cuda.code import CudaCode
from anytile.dispatch.cuda.device import BrokenContext, DeviceLost
from anytile.dispatch.cuda.loaded import Loaded, clear
from tests.support.cases.handwritten_cuda import K, N, artifact, plan
from tests.support.cuda_cpu.compiler import missing
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

X, Y = np.random.default_rng(1).standard_normal((2, 9, K), dtype=np.float32)
W = np.random.default_rng(2).standard_normal((N, K), dtype=np.float32)


class Ground:
    """Two inputs, the weights and two results in one device's memory, and what a batch needs to reach them."""

    def __init__(self, does: str = "right", align: int = 4, low: int | None = None, waits: bool = False) -> None:
        self.gpu = SimulatedGpu()
        given = None if low is None else plan(runs="cublas", low=low)
        self.loaded = Loaded(CudaCode.of(artifact(does, given, align, waits).code), self.gpu)
        self.inputs, self.weights = self.gpu.allocate(2 * X.nbytes), self.gpu.allocate(W.nbytes)
        self.results = [self.gpu.allocate(9 * N * 4) for _ in range(2)]
        self.gpu.write(self.inputs.address, np.concatenate([X, Y]))
        self.gpu.write(self.weights.address, W)
        self.bases = [0, self.inputs.address, *(r.address for r in self.results)]

    def given(self, rows: int, behind: int, result: int) -> Given:
        w = (0, self.weights.address)
        return Given(self.loaded, self.loaded.at({"m": rows}), ((1, behind), w, (result, 0)))

    def found(self, result: int, rows: int) -> np.ndarray:
        return self.gpu.read(self.bases[result], rows * N * 4).view(np.float32).reshape(rows, N)


def test_launches_are_given_in_order_at_bases_and_at_addresses_of_their_own() -> None:
    ground = Ground()
    batch = Batch([ground.given(9, 0, 2), ground.given(0, 0, 2), ground.given(7, X.nbytes, 3)], ground.gpu)
    assert batch.count == 2  # no rows, no blocks
    assert batch.workspace == 0
    batch.launch(ground.bases, 0, 5)
    np.testing.assert_allclose(ground.found(2, 9), X @ W.T, atol=1e-5)
    np.testing.assert_allclose(ground.found(3, 7), Y[:7] @ W.T, atol=1e-5)
    ground.bases[2:] = ground.bases[:1:-1]
    batch.launch(ground.bases, 0, 5)
    assert ground.bases[2] == ground.results[1].address
    np.testing.assert_allclose(ground.found(2, 9), X @ W.T, atol=1e-5)
    assert ground.gpu.launches == 4


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_kernels_begin_early_where_that_is_asked_and_they_wait_themselves(early: bool, waits: bool) -> None:
    ground = Ground("counting", waits=waits)
    batch = Batch([ground.given(9, 0, 2), ground.given(3, X.nbytes, 3)], ground.gpu)
    workspace = ground.gpu.allocate(batch.workspace)
    clear(ground.gpu, workspace.address, batch.workspace, 5)
    batch.launch(ground.bases, workspace.address, 5, early)
    np.testing.assert_allclose(ground.found(2, 9), X @ W.T, atol=1e-5)
    np.testing.assert_allclose(ground.found(3, 3), Y[:3] @ W.T, atol=1e-5)
    assert (ground.gpu.launches, ground.gpu.early) == (2, 2 if early and waits else 0)


def test_one_workspace_serves_all() -> None:
    ground = Ground("counting")
    batch = Batch([ground.given(9, 0, 2), ground.given(3, X.nbytes, 3)], ground.gpu)
    workspace = ground.gpu.allocate(batch.workspace)
    clear(ground.gpu, workspace.address, batch.workspace, 5)
    batch.launch(ground.bases, workspace.address, 5)
    np.testing.assert_allclose(ground.found(2, 9), X @ W.T, atol=1e-5)
    np.testing.assert_allclose(ground.found(3, 3), Y[:3] @ W.T, atol=1e-5)


def test_products_of_the_library_come_in_their_turn() -> None:
    ground = Ground(low=8)
    batch = Batch([ground.given(7, 0, 2), ground.given(9, 0, 2), ground.given(7, X.nbytes, 3)], ground.gpu)
    batch.launch(ground.bases, 0, 5)
    np.testing.assert_allclose(ground.found(2, 9), X @ W.T, atol=1e-5)  # the library's, after ours
    np.testing.assert_allclose(ground.found(3, 7), Y[:7] @ W.T, atol=1e-5)
    assert ground.gpu.launches == 2


@pytest.mark.parametrize("low", [None, 8])
def test_some_launches_are_changed_and_the_others_stay(low: int | None) -> None:
    """Also into none, and from the library's to ours and back."""
    ground = Ground(low=low)
    batch = Batch([ground.given(7, 0, 2), ground.given(9, X.nbytes, 3)], ground.gpu)
    for rows in (5, 0, 9, 7):
        for at in (2, 3):
            ground.gpu.write(ground.bases[at], np.zeros((9, N), np.float32))
        changed = batch.changed({0: ground.given(rows, 0, 2)})
        assert changed.count == 1 + (rows > 0)
        for one, there in ((changed, rows), (batch, 7)):
            one.launch(ground.bases, 0, 5)
            np.testing.assert_allclose(ground.found(2, there), X[:there] @ W.T, atol=1e-5)
            np.testing.assert_allclose(ground.found(3, 9), Y @ W.T, atol=1e-5)


def test_operands_that_are_not_aligned_are_refused_in_a_line() -> None:
    ground = Ground(align=16)
    batch = Batch([ground.given(9, 0, 2), ground.given(7, 4, 3)], ground.gpu)
    line = r"dense: x begins 4 bytes after a multiple of 16, and this kernel moves vectors; pass a copy of the input"
    with pytest.raises(ArgumentError, match=line):
        batch.launch(ground.bases, 0, 5)
    assert ground.gpu.launches == 1  # what came before
    assert line in str(not_aligned(ground.loaded, [20, 0, 16], 16))


def test_what_the_driver_refuses_is_its_error() -> None:
    ground = Ground("illegal")
    batch = Batch([ground.given(9, 0, 2), ground.given(7, X.nbytes, 3)], ground.gpu)
    with pytest.raises(BrokenContext):
        batch.launch(ground.bases, 0, 5)
    assert ground.gpu.launches == 1
    ground = Ground()
    ground.gpu.lost = True
    with pytest.raises(DeviceLost):
        Batch([ground.given(9, 0, 2)], ground.gpu).launch(ground.bases, 0, 5)
