"""Dtypes in expressions: where all is float32, casts lead away and back, in every place that holds such a text."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import SpecError
from anytile.dispatch.service import build
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.elementwise_text import parse, write
from anytile.schedules.nest.elementwise_types import floats
from anytile.schedules.nest.operations import dtype_of
from anytile.schedules.workloads.constructors import dense, gated_dense, rms_norm
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Any, Workload

STEPS = "float32(floordiv(int32({}), 2) + 1)"
PLACES = {
    "tail": lambda text: dense(Any("m"), 8, 3, tail=text.format("y")),
    "cell": lambda text: gated_dense(Any("m"), 8, 3, gates=1, cell=f"h = {text.format('z0')}"),
    "pre": lambda text: rms_norm(Any("m"), 8, pre=text.format("x")),
}


@pytest.mark.parametrize("text", ["y", "float32(int32(y) + 1)", "select(int64(y) > 2, y, 0)", "float32(y > 0) * 0.5"])
def test_literals_take_the_dtype_of_what_they_meet(text: str) -> None:
    made = floats(text)
    assert dtype_of(made, lambda _: "float32") == "float32"
    assert write(made) == write(parse(text))  # the text, which is the key, stays what it is


@pytest.mark.parametrize("place", PLACES)
def test_steps_in_every_place(place: str) -> None:
    workload: Workload = PLACES[place](STEPS)
    kernel = build(workload, Target.parse("llvm -threads=1"))
    rng = np.random.default_rng(4)
    given = {t.name: rng.integers(-3, 4, workload.shape(t.name, {"m": 5})).astype(np.float32) for t in workload.inputs}
    (expected,) = evaluate(workload, given).values()
    np.testing.assert_allclose(kernel(*given.values()), expected, rtol=1e-5)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_float32_is_refused_where_the_workload_is_made(place: str) -> None:
    for text, reason in {"{} > 0": r"makes bool where float32 is stored; write float32\(.*\)$",
                         "gelu(int32({}))": "gelu of int32; .*write a cast"}.items():  # fmt: skip
        with pytest.raises(SpecError, match=reason) as error:
            PLACES[place](text)
        assert "\n" not in str(error.value)
