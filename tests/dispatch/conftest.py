"""The small dense kernel that tests of calling share, a module's own, and its weight."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.dispatch.cpu.kernel import DispatchKernel
from tests.support.cases.small_dense_kernel import K, N, rand, small_kernel


@pytest.fixture(scope="module")
def w() -> np.ndarray:
    return rand(N, K, seed=1)


@pytest.fixture(scope="module")
def kernel(w: np.ndarray) -> DispatchKernel:
    return small_kernel(w)
