"""The small dense kernel that tests of calling share, a module's own, and its weight."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_world import K, N, rand, small_kernel

from anytile.dispatch.cpu.kernel import DispatchKernel


@pytest.fixture(scope="module")
def w() -> np.ndarray:
    return rand(N, K, seed=1)


@pytest.fixture(scope="module")
def kernel(w: np.ndarray) -> DispatchKernel:
    return small_kernel(w)
