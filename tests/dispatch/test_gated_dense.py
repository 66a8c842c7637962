"""Cells of recurrent networks: gates as one product, their outputs made in registers, equal to the reference."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.dispatch.service import build
from anytile.schedules.errors import SpecError
from anytile.schedules.reference import evaluate
from anytile.schedules.target import Target
from anytile.schedules.template import templates_for
from anytile.schedules.verify import verify
from anytile.schedules.workload import Workload, lstm_cell

TARGET = Target.parse("llvm -threads=1").resolved()
TREE = "c2 = sigmoid(z0) * tanh(z2) + fc[m, u]; h2 = sigmoid(z1) * tanh(c2)"
CELLS = {
    "lstm": lstm_cell(m=Workload.parse("dense(m=?, n=1, k=1)").dim("m"), u=37, k=29),
    "lstm, input product taken out": Workload.parse(
        "gated_dense(m=?, u=37, k=29, start=pre[m, g, u], "
        "cell=c2 = sigmoid(z1) * c[m, u] + sigmoid(z0) * tanh(z2); h2 = sigmoid(z3) * tanh(c2))"
    ),
    "a node of a tree": Workload.parse(f"gated_dense(m=?, u=16, k=5, gates=3, start=bias[g, u], cell={TREE})"),
    "a gated unit": Workload.parse("gated_dense(m=?, u=50, k=8, gates=2, cell=h2 = z0 * sigmoid(z1))"),
    "units unknown until run time": Workload.parse("gated_dense(m=?, u=?, k=?, gates=2, cell=h2 = z0 * sigmoid(z1))"),
}


@pytest.mark.parametrize("const", [False, True], ids=["run time", "constant"])
@pytest.mark.parametrize("which", CELLS)
def test_a_cell_is_what_its_expressions_say(which: str, const: bool) -> None:
    workload = CELLS[which]
    if const:
        workload = workload.with_const([n for n in workload.constant_operands if n in ("w", "bias")])
    (chosen,) = templates_for(workload, TARGET)
    verify(chosen.schedule(workload, TARGET, chosen.default(workload, TARGET)).nest)
    for m in (0, 1, 2, 5, 6, 7, 13):
        rng = np.random.default_rng(m)
        sizes = {"m": m, **{s: 11 for s in workload.symbols if s != "m"}}
        given = {t.name: rng.uniform(-1, 1, workload.shape(t.name, sizes)).astype("f") for t in workload.inputs}
        kernel = build(workload, TARGET, constants={n: given[n] for n in workload.const})
        got = kernel(*(given[t.name] for t in workload.inputs if t.name not in workload.const))
        wanted = list(evaluate(workload, given).values())
        for mine, theirs in zip(got if isinstance(got, tuple) else (got,), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)


def test_results_go_where_they_are_wanted() -> None:
    workload = CELLS["lstm"]
    kernel = build(workload, TARGET)
    rng = np.random.default_rng(0)
    given = [rng.uniform(-1, 1, workload.shape(t.name, {"m": 3})).astype("f") for t in workload.inputs]
    fresh = kernel(*given)
    out = (np.full((3, 37), np.nan, "f"), np.full((6, 37), np.nan, "f")[::2])  # the second is not contiguous
    assert kernel(*given, out=out) is out
    for mine, theirs in zip(out, fresh, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(Exception, match="out: expected a tuple of 2: c2, h2"):
        kernel(*given, out=out[0])
    with pytest.raises(Exception, match="out h2 overlaps c2 in memory"):
        kernel(*given, out=(out[0], out[0]))
    with pytest.raises(Exception, match="out c2 overlaps c in memory"):
        kernel(*given, out=(given[-1], out[1]))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("cell=z0 + 1", "is not a new output"),
        ("cell=", "cell is missing"),
        ("cell=a = z0; a = z1", "is not a new output"),
        ("cell=a = z0 * z4[u]", "cannot be called z4; there are 4 gates"),
        ("cell=a = z0 * b[k]", r"b\[k\] should have dimensions of m, u"),
        ("cell=a = z0, start=b[g, u] + 1", "expected one operand"),
        ("cell=a = z0, gates=0", "0 is less than 1"),
    ],
)
def test_a_cell_that_cannot_be_is_refused(words: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Workload.parse(f"gated_dense(m=1, u=2, k=3, {words})")
