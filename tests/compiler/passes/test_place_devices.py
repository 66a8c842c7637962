"""Placement on a second device that refuses host pointers: models compute the same, sizes stay on the host."""

from __future__ import annotations

import numpy as np
from compile_world import Compiled, random, same
from simulated_device import SimulatedDevice

from anytile.compiler.evaluate import evaluate
from anytile.compiler.host import host_functions
from anytile.compiler.ir import Module
from anytile.vm.session import Session

TEXT = """
const $w: Tensor[(4, 4), float32];
data Box { Box(Tensor[(?n, 4), float32]) }
def main(x: Tensor[(?n, 4), float32], times: Tensor[(), int64]) -> (Tensor[(?, 4), float32], Tensor[(), int64]) {
  let y = loop(gelu(dense(x, $w)), times);
  let found = cast(sum(unique(flatten(floor(y))).2), dtype="int64");
  match (Box(y)) { Box(z) => (if (less(max(z), 0.0)) { z } else { concat(z, relu(z)) }, found) }
}
def loop(x: Tensor[(?m, 4), float32], times: Tensor[(), int64]) -> Tensor[(?m, 4), float32] {
  if (less_equal(times, 0)) { x } else { loop(softmax(dense(x, $w)), subtract(times, 1)) }
}
"""


def test_a_model_on_another_device() -> None:
    module = Module.parse(TEXT, {"w": random(0, 4, 4)})
    made = Compiled(module, devices=("host", "other"))
    device = SimulatedDevice()
    session = Session(made.exe, functions=host_functions(), compiled=False, devices={"other": device})
    for n, times in ((1, 0), (5, 3), (0, 2)):
        x = random(n, n, 4) if n else np.zeros((0, 4), np.float32)
        if n == 0:
            continue  # the maximum of nothing is none
        args = (x, np.asarray(times))
        same(session(*args), evaluate(module, args))
    assert device.runs > 10
    on_host = {k.name for k in made.exe.kernels if k.kind == "kernel" and k.device == 0}
    assert any("less_equal" in name for name in on_host)  # the loop's counter stays where it is asked
    assert all(k.device == 0 for k in made.exe.kernels if k.kind != "kernel")
