"""What torch is asked to compute on a GPU, on the CPU: the same as the workload says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any as Sym
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.protocol.candidate import TimingPolicy
from benchmarks.gpu.attention import MIXED, SCORES, WHOLE
from benchmarks.rivals.torch_gpu import CONTIGUOUS, TORCH, ways
from tests.support.stand_ins.torch_on_cpu import TorchOnCpu

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")


class Recording(TorchOnCpu):
    """Remembers the operands that it made, in order."""

    def __init__(self) -> None:
        super().__init__(torch)
        self.made: list[Any] = []

    def random(self, *shape: int, dtype: str) -> Any:
        self.made.append(super().random(*shape, dtype=dtype))
        return self.made[-1]


@pytest.mark.parametrize(
    ("workload", "name"),
    [
        (dense(Sym("m"), 5, 7), TORCH),
        (Workload.parse(SCORES.format("float32")), TORCH),
        (Workload.parse(SCORES.format("float32")), CONTIGUOUS),
        (Workload.parse(MIXED.format("float32")), TORCH),
        (Workload.parse(MIXED.format("float32")), CONTIGUOUS),
        (Workload.parse(WHOLE.format("float32")), TORCH),
    ],
    ids=str,
)
def test_torch_computes_what_the_workload_says(workload: Workload, name: str) -> None:
    t = Recording()
    found = ways(workload)[name](t, workload, workload.sizes({"m": 9}))().numpy()
    inputs = {}
    for tensor, operand in zip(workload.inputs, t.made, strict=True):
        shape = workload.shape(tensor.name, {"m": 9})
        inputs[tensor.name] = heads_moved(operand.numpy(), shape)
    (output,) = workload.outputs
    wanted = evaluate(workload, inputs)[output.name]
    np.testing.assert_allclose(heads_moved(found, wanted.shape), wanted, rtol=1e-4, atol=1e-4)


def heads_moved(array: Any, shape: tuple[int, ...]) -> Any:
    """Torch may have heads before rows, where the workload has them behind."""
    found = array if array.shape == shape else np.moveaxis(array, -3, -2)
    assert found.shape == shape
    return found


def test_calls_take_turns_at_as_many_operands_as_exceed_the_cache() -> None:
    t = TorchOnCpu(torch, cache=1000)
    made: list[list[int]] = []

    def make() -> Callable[[], None]:
        calls: list[int] = []
        made.append(calls)
        return lambda: calls.append(0)

    assert t.repeat(300, make, TimingPolicy(min_repeat_ms=0.01, warmup_ms=0.0))() > 0
    assert len(made) == math.ceil(3 * 1000 / 300) + 1
    assert all(made), "each had its turn"
    assert t.captures == 1
