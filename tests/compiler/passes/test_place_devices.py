"""Placement on a second device that refuses host pointers: models compute the same, sizes stay on the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.lowering.host_functions import host_functions
from anytile.compiler.module import Module
from anytile.core.plurals import counted
from anytile.show.contents import text
from anytile.vm.executable import Executable
from anytile.vm.session import Session
from anytile.vm.storage.file import load, section_lengths
from tests.support.cases.compiled_modules import Compiled, random, same
from tests.support.stand_ins.offset_device import SimulatedDevice

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


WEIGHTS = """
const $w: Tensor[(4, 4), float32];
const $v: Tensor[(4, 4), float32];
def main(x: Tensor[(?n, 4), float32], times: Tensor[(), int64]) -> Tensor[(?n, 4), float32] {
  loop(dense(x, $w), take($v, times, axis=0), times)
}
def loop(x: Tensor[(?m, 4), float32], row: Tensor[(4), float32], times: Tensor[(), int64]) -> Tensor[(?m, 4), float32] {
  if (less_equal(times, 0)) { add(x, row) } else { loop(tanh(dense(dense(x, $w), $v)), row, subtract(times, 1)) }
}
"""


def listed(exe: Executable) -> list[str]:
    """What `anytile dump` says of each constant."""
    lines = text(exe, {}).splitlines()
    first = lines.index(counted(len(exe.constants), "constant")) + 1
    return lines[first : first + len(exe.constants)]


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("is_saved", [False, True], ids=["made", "loaded"])
def test_constants_are_copied_once_for_a_session(is_saved: bool, compiled: bool, tmp_path: Path) -> None:
    """$w is read on the device alone, $v there and by the host's `take`; the loop must not copy them at each turn."""
    module = Module.parse(WEIGHTS, {"w": random(1, 4, 4), "v": random(2, 4, 4)})
    exe = Compiled(module, devices=("host", "other")).exe
    if is_saved:
        exe.save(tmp_path / "model.exe")
        assert [n for n in section_lengths(tmp_path / "model.exe").values() if n == 64] == [64, 64]  # $v once
        exe = load(tmp_path / "model.exe")
    assert sorted(c.device for c in exe.constants if c.array.size == 16) == [0, 1, 1]
    assert [f", on {exe.devices[c.device]}" in line for c, line in zip(exe.constants, listed(exe), strict=True)] == [
        c.device == 1 for c in exe.constants
    ]
    device = SimulatedDevice()
    session = Session(exe, functions=host_functions(), compiled=compiled, devices={"other": device})
    assert device.writes == sum(c.device for c in exe.constants) == len(device.live)
    written = []
    for times in (0, 3, 3):
        before = device.writes
        args = (random(3, 5, 4), np.asarray(times))
        same(session(*args), evaluate(module, args))
        written.append(device.writes - before)
    assert written == [2, 2, 2]  # x and the row, however often the loop turns
    del session
    assert not device.live


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_a_model_on_another_device(compiled: bool) -> None:
    module = Module.parse(TEXT, {"w": random(0, 4, 4)})
    made = Compiled(module, devices=("host", "other"))
    device = SimulatedDevice()
    session = Session(made.exe, functions=host_functions(), compiled=compiled, devices={"other": device})
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
