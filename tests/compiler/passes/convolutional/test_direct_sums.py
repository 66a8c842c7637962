"""Models whose convolutions may be made by minimal filtering, and those compiled with precision="exact"."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile.compiler.compile import lock, needed_by
from anytile.schedules.hardware.target import Target
from tests.support.cases.compiled_modules import random

TARGET = Target.parse("llvm -mcpu=znver4 -threads=1")
W = random(3, 32, 32, 3, 3)
TEXT = (
    "const $w: Tensor[(32, 32, 3, 3), float32];\n"
    'def main(x: Tensor[(1, 28, 28, 32), float32]) { relu(conv2d(x, $w, pad=1, layout="nhwc")) }'
)


def _model() -> anytile.Module:
    return anytile.Module.parse(TEXT, {"w": W})


@pytest.mark.parametrize(("precision", "template"), [("float32", "winograd"), ("exact", "direct")])
def test_an_exact_model_is_computed_as_defined(precision: str, template: str) -> None:
    (one,) = lock(_model(), TARGET, precision=precision).plans
    assert f"The default config of conv2d.{template} is used" in one.because
    assert ("algorithm=direct" in str(one.workload)) == (precision == "exact")


def test_results_of_both() -> None:
    x = random(4, 1, 28, 28, 32)
    made = {p: anytile.compile(_model(), precision=p) for p in ("float32", "exact")}
    first, second = (np.asarray(anytile.Session(exe)(x)) for exe in made.values())
    np.testing.assert_allclose(first, second, atol=1e-5 * float(np.abs(second).max()))
    assert "algorithm=direct" in made["exact"].why()
    assert re.search(r"tune --model FILE --precision exact", made["exact"].why(precision="exact"))


def test_an_exact_model_is_tuned_so(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    _model().save(path)
    assert [w.attributes["algorithm"] for w in needed_by(path, TARGET, precision="exact")] == ["direct"]
    assert [w.attributes["algorithm"] for w in needed_by(path, TARGET)] == ["auto"]
