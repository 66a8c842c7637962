"""Models in bfloat16 from end to end: text, files, inputs, results and the commands; numpy gets it from ml_dtypes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.core.errors import ArgumentError, SpecError, UnsupportedError
from anytile.schedules.nest.stored_floats import array_dtype, in_numpy
from tests.support.cases.compiled_modules import random

BFLOAT16 = array_dtype("bfloat16")
TEXT = """
const $w: Tensor[(300, 200), bfloat16];
const $b: Tensor[(3,), bfloat16] = [0.5, -1.25, nan];
const $half: Tensor[(), bfloat16] = [0.5];
def main(x: Tensor[(?n, 200), bfloat16]) {
  (multiply(dense(x, $w), $half), $b, greater(sum(x), $half))
}
"""
W = random(0, 300, 200).astype(BFLOAT16)


def ran(words: list[str]) -> int:
    return main.run(main.umbrella(), words, "anytile")


def model() -> anytile.Module:
    return anytile.Module.parse(TEXT, {"w": W})


def check(session: anytile.Session, x: np.ndarray) -> None:
    made, b, larger = session(x)
    wide = x.astype(np.float64) @ W.astype(np.float64).T / 2
    assert made.dtype == b.dtype == BFLOAT16
    np.testing.assert_allclose(np.float64(made), wide, rtol=2.0**-7, atol=1e-3)
    np.testing.assert_array_equal(in_numpy(b), np.float32([0.5, -1.25, np.nan]))
    assert larger.dtype == bool


@pytest.mark.parametrize("compiled", [True, False])
def test_a_module_and_its_files(tmp_path: Path, compiled: bool) -> None:
    """As text beside its arrays, and as an executable, whose bytes are in order on any machine."""
    model().save(tmp_path / "model.txt")
    exe = anytile.compile(tmp_path / "model.txt")
    exe.save(tmp_path / "model.exe")
    x = random(1, 7, 200).astype(BFLOAT16)
    for each in (exe, tmp_path / "model.exe"):
        check(anytile.Session(each, compiled=compiled), x)
    assert str(exe.inputs[0][1]) == "Tensor[(?n, 200), bfloat16]"
    assert (tmp_path / "model.exe").stat().st_size < 300 * 200 * 2 + 100_000  # the weight in 16 bits, once


def test_what_an_input_may_be() -> None:
    session = anytile.Session(anytile.compile(model()))
    x = random(1, 14, 200).astype(BFLOAT16)
    check(session, x[::2])  # copied
    check(session, x[:0])
    turned = np.asfortranarray(x)
    check(session, turned)
    for wrong, said in ((x.astype(np.float32), "got float32"), (x.view(np.uint16), "got uint16")):
        with pytest.raises(ArgumentError, match=rf"{said}; pass x.astype\('bfloat16'\)"):
            session(wrong)


def test_tensors_of_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    session = anytile.Session(anytile.compile(model()))
    x = torch.randn(4, 400).to(torch.bfloat16)
    for given in (x[:, :200].contiguous(), x[:, ::2], x[1:2, 200:]):
        wanted = given.float().numpy().astype(BFLOAT16)
        for one, other in zip(session(given), session(wanted), strict=True):
            np.testing.assert_array_equal(in_numpy(one), in_numpy(other))
    with pytest.raises(ArgumentError, match="cannot be read through DLPack"):
        session(x[:, :200].clone().requires_grad_())


def test_data_types_hold_it() -> None:
    text = """
      data Pair { Both(Tensor[(?n), bfloat16], Tensor[(), bfloat16]) }
      def main(p: Pair) { match (p) { Both(x, y) => { (Both(negative(x), y), add(x, y)) } } }
    """
    session = anytile.Session(anytile.compile(anytile.Module.parse(text)))
    x, y = np.array([1, -2.5], BFLOAT16), np.array(0.5, BFLOAT16)
    pair, summed = session(anytile.Data("Both", x, y))
    assert pair.fields[0].tolist() == [-1, 2.5]
    assert pair.fields[0].dtype == pair.fields[1].dtype == summed.dtype == BFLOAT16
    assert summed.tolist() == [1.5, -2]


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results are written in float32, which anybody reads, and read again as they are."""
    model().save(tmp_path / "model.txt")
    exe, out = str(tmp_path / "model.exe"), tmp_path / "out.npz"
    assert ran(["compile", str(tmp_path / "model.txt"), "-o", exe]) == 0
    x = random(1, 5, 200).astype(BFLOAT16)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "wide.npy", x.astype(np.float32))
    np.save(tmp_path / "off.npy", x.astype(np.float32) * np.float32(1.001))
    wanted, *_ = anytile.Session(anytile.compile(model()))(x)
    for name in ("x", "wide"):
        assert ran(["run", exe, "--input", f"x={tmp_path / name}.npy", "-o", str(out)]) == 0
        with np.load(out) as found:
            assert found["output_0"].dtype == np.float32
            np.testing.assert_array_equal(found["output_0"], np.float32(wanted))
    assert ran(["run", exe, "--input", "x=random:3x200", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert shown["outputs"][0]["dtype"] == "bfloat16"
    assert ran(["run", exe, "--input", f"x={tmp_path / 'off'}.npy"]) != 0
    assert "expected Tensor[(?n, 200), bfloat16], got float32" in capsys.readouterr().err


def test_json_has_its_numbers(tmp_path: Path) -> None:
    anytile.Module.parse("def main(x: Tensor[(2), bfloat16]) { negative(x) }").save(tmp_path / "m.txt")
    assert ran(["compile", str(tmp_path / "m.txt"), "-o", str(tmp_path / "m.exe")]) == 0
    (tmp_path / "x.json").write_text("[1.5, 3.140625]")
    words = ["run", str(tmp_path / "m.exe"), "--input", f"x={tmp_path / 'x.json'}", "-o", str(tmp_path / "y.json")]
    assert ran(words) == 0
    assert json.loads((tmp_path / "y.json").read_text()) == [-1.5, -3.140625]


def test_without_the_package_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    array_dtype.cache_clear()
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    try:
        with pytest.raises(UnsupportedError, match="bfloat16, which numpy has not: pip install ml_dtypes"):
            anytile.Module.parse("def main(x: Tensor[(?n), bfloat16]) { x }")
    finally:
        monkeypatch.undo()
        array_dtype.cache_clear()


def test_a_number_that_is_none_of_it() -> None:
    with pytest.raises(SpecError, match="8 elements of bfloat16; expected"):
        anytile.Module.parse("const $w: Tensor[(9,), bfloat16]; def main() { $w }", {"w": np.zeros(8, BFLOAT16)})
