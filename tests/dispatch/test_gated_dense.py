"""Cells of recurrent networks: gates as one product, their outputs made in registers, equal to the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.core.errors import SpecError, UnsupportedError
from anytile.db.lookup.ladder import Rung
from anytile.db.records.records import Selection
from anytile.db.store import Store
from anytile.dispatch.service import build, look_up, versions_here
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.verify import verify
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import lstm_cell
from anytile.schedules.workloads.reference import evaluate
from anytile.schedules.workloads.workload import Workload

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
    "one gate": Workload.parse("gated_dense(m=?, u=37, k=300, gates=1, start=bias[g, u], cell=h = tanh(z0))"),
    "units unknown until run time": Workload.parse("gated_dense(m=?, u=?, k=?, gates=2, cell=h2 = z0 * sigmoid(z1))"),
}


@pytest.mark.slow
@pytest.mark.parametrize("const", [False, True], ids=["run time", "constant"])
@pytest.mark.parametrize("which", CELLS)
def test_a_cell_is_what_its_expressions_say(which: str, const: bool) -> None:
    workload = CELLS[which]
    if const:
        workload = workload.with_const([n for n in workload.constant_operands if n in ("w", "bias")])
    (chosen,) = templates_for(workload, TARGET)
    verify(chosen.schedule(workload, TARGET, chosen.default(workload, TARGET)).nest)

    def operands(m: int) -> dict[str, np.ndarray]:
        rng, sizes = np.random.default_rng(m), {"m": m, **{s: 11 for s in workload.symbols if s != "m"}}
        return {t.name: rng.uniform(-1, 1, workload.shape(t.name, sizes)).astype("f") for t in workload.inputs}

    constants = {name: array for name, array in operands(1).items() if name in workload.const}
    kernel = build(workload, TARGET, constants=constants)
    for m in (0, 1, 2, 5, 6, 7, 13):
        given = {**operands(m), **constants}
        got = kernel(*(given[t.name] for t in workload.inputs if t.name not in workload.const))
        wanted = list(evaluate(workload, given).values())
        for mine, theirs in zip(got if isinstance(got, tuple) else (got,), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
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


def test_every_config_of_one_gate_is_one() -> None:
    """One gate is none of `dense`: its weight has a dimension of gates, which rows and blocks of k do not know."""
    workload = CELLS["one gate"].bind(m=5)
    (chosen,) = templates_for(workload, TARGET)
    space = chosen.space(workload, TARGET)
    assert {str(c["w"]) for c in space} == {"panels"}
    assert {c.int("block_k") for c in space} == {0}


@pytest.mark.parametrize("gates", range(1, 8))
@pytest.mark.parametrize("cpu", ["znver4", "haswell", "nehalem"])
def test_the_default_is_one_of_the_space(gates: int, cpu: str) -> None:
    target = Target.parse(f"llvm -mcpu={cpu} -threads=1")
    workload = Workload.parse(f"gated_dense(m=?, u=64, k=300, gates={gates}, cell=h = z0)")
    (chosen,) = templates_for(workload, target)
    chosen.space(workload, target).check(chosen.default(workload, target))


def test_more_gates_than_registers_are_refused() -> None:
    workload = Workload.parse("gated_dense(m=4, u=8, k=8, gates=40, cell=h = z0)")
    (chosen,) = templates_for(workload, TARGET)
    with pytest.raises(
        UnsupportedError, match="gated_dense.cpu: the sums of 40 gates do not fit the registers of llvm"
    ):
        chosen.default(workload, TARGET)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("x = z0", "cell 'x = z0' is not a new output"),
        ("z1 = z0", "cell 'z1 = z0' is not a new output"),
        ("\u00e9 = z0", "is not a new output"),
        ("; ".join(["a0 = z0 + z1", *(f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 60))]), "takes 1023 operations"),
        ("; ".join(["a0 = z0", *(f"a{i} = -a{i - 1}" for i in range(1, 400))]), "201 deep"),
    ],
)
def test_a_cell_has_an_end(cell: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Workload.of("gated_dense", {"m": 4, "u": 8, "k": 8}, attrs={"cell": cell})


def test_cells_of_the_same_products_are_tuned_once(tmp_path: Path) -> None:
    """What is made of the products, and what they begin with, rides along with the plan of the products."""
    lstm = CELLS["lstm"].with_const(["w", "bias"])
    other = Workload.parse("gated_dense(m=?, u=37, k=29, cell=h2 = z0 * z1 + relu(z2) * z3, const=w)")
    assert lstm.anchor == other.anchor == lstm.anchor.anchor
    assert lstm.anchor.const == ("w",)
    assert (
        CELLS["a node of a tree"].anchor != replace(CELLS["a gated unit"], dims=CELLS["a node of a tree"].dims).anchor
    )
    (chosen,) = templates_for(lstm, TARGET)
    config = next(c for c in chosen.space(lstm, TARGET) if c != chosen.default(lstm, TARGET))
    plan = single_plan(lstm.anchor, TARGET, chosen.name, config)
    rng = np.random.default_rng(1)
    with Store.open(str(tmp_path / "tuning.db")) as store:
        store.add_selection(Selection(lstm.anchor, TARGET, plan.to_json(), versions_here(chosen.name)))
        for cell in (lstm, other):
            assert look_up(cell, TARGET, store).rung is Rung.EXACT
            given = {t.name: rng.uniform(-1, 1, cell.shape(t.name, {"m": 9})).astype("f") for t in cell.inputs}
            kernel = build(cell, TARGET, db=store, constants={n: given[n] for n in cell.const})
            assert kernel.plan.variants == plan.variants
            got = kernel(*(given[t.name] for t in cell.inputs if t.name not in cell.const))
            wanted = list(evaluate(cell, given).values())
            for mine, theirs in zip(got if isinstance(got, tuple) else (got,), wanted, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)
