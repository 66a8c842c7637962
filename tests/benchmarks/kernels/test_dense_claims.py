"""The floors of the dense and residue benchmarks, from invented rows; and one honest, small measurement."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

import anytile
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import templates_for
from benchmarks.kernels import dense, residue
from benchmarks.measure.harness import Row, Timing
from benchmarks.measure.native import Array
from benchmarks.measure.peak import peak_system
from benchmarks.rivals import dense_rivals

N, K = dense.LAYERS[0]


def rows(m: int, n: int = N, k: int = K, **gflops: float) -> Iterator[Row]:
    names = {"native": dense.SYMBOLIC_NATIVE, "static": dense.STATIC_NATIVE, "peak": dense.PEAK}
    for name, value in gflops.items():
        yield Row({"op": "dense", "m": m, "n": n, "k": k}, names.get(name, name), 1.0 / value, value, 0.0, 7)


def values(found: list[Row]) -> dict[str, float]:
    return {claim.claim: claim.value for claim in dense.claims(found)}


def test_the_rival_at_each_size_is_the_best_there() -> None:
    found = [*rows(1, anytile=8, numpy=4, torch=2), *rows(16, anytile=8, numpy=2, torch=8)]
    made = values(found)
    assert made["against the best rival, m in 1..16: geometric mean"] == pytest.approx(2**0.5)
    assert made["against the best rival, m in 1..16: worst"] == 1.0


def test_small_and_large_sizes_have_floors_of_their_own() -> None:
    made = {c.claim: c for c in dense.claims([*rows(16, anytile=1.1, numpy=1), *rows(17, anytile=1.1, numpy=1)])}
    assert [c.ok for c in made.values()] == [False, True, True, True]
    assert [c.floor for c in made.values()] == [1.2, 1.0, 1.05, 0.98]


def test_the_share_of_the_peak_counts_from_32_rows_on() -> None:
    found = [*rows(31, anytile=10, peak=100), *rows(32, anytile=90, peak=100), *rows(64, anytile=96, peak=100)]
    assert values(found)["share of the FMA peak, m >= 32: worst"] == pytest.approx(0.9)


def test_odd_layers_carry_no_floor() -> None:
    assert values([*rows(7, n=77, k=13, anytile=1, numpy=9)]) == {}


def test_the_symbolic_kernel_is_compared_natively() -> None:
    made = values([*rows(5, anytile=1, native=97, static=100), *rows(6, anytile=1, native=99, static=100)])
    assert made["symbolic against compiled for that m, m in 1..256: worst"] == pytest.approx(0.97)
    assert len(made) == 2


def test_every_size_of_the_issue_is_measured() -> None:
    full = dense.sizes(quick=False)
    assert full == (*range(1, 257), 512, 1024, 4096)
    assert set(dense.sizes(quick=True)) < set(full)


@pytest.mark.parametrize(("tile", "counts"), [(8, [8, 4, 2, 1]), (14, [14, 7, 3, 1]), (1, [1])])
def test_the_classes_halve(tile: int, counts: list[int]) -> None:
    assert residue.class_counts(tile) == counts


def test_a_form_is_held_against_the_static_kernel() -> None:
    found = []
    for m in (1, 2):
        for name, seconds in (("dispatch/8", 1.25), ("none", 2.0), (residue.STATIC, 1.0)):
            found.append(Row({"m": m}, name, seconds, 0.0, 0.0, 7))
    assert residue.ratios(found) == {"dispatch/8": {1: 0.8, 2: 0.8}, "none": {1: 0.5, 2: 0.5}}
    assert [(c.claim, c.value, c.ok) for c in residue.claims(found)] == [
        ("dispatch/8 against compiled for that m: geometric mean", pytest.approx(0.8), False),
        ("dispatch/8 against compiled for that m: worst", 0.8, False),
    ]
    assert residue.claims([]) == []


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> dense.Layer:
    """A small layer from an empty database, with numpy as the only rival."""

    def only_numpy(w: Array, threads: int) -> list[dense_rivals.Rival]:
        return [dense_rivals.Numpy(w, threads)]

    monkeypatch.setattr(dense, "installed", only_numpy)
    options = argparse.Namespace(threads=1, db=str(own_home / "empty.db"))
    return dense.Layer(13, 7, 40, options, peak_system(anytile.Target.host(1)))


def test_a_point_is_measured_with_everyone(layer: dense.Layer) -> None:
    found = layer.at(5, Timing(rounds=2, slot_ms=0.05, most_rounds=2), static=True)
    names = [dense.SYMBOLIC, dense.PEAK, "numpy", dense.SYMBOLIC_NATIVE, dense.STATIC_NATIVE]
    assert [row.system for row in found] == names
    assert {(row.case["m"], row.case["n"], row.case["k"]) for row in found} == {(5, 13, 7)}
    assert all(row.seconds > 0 and row.gflops > 0 for row in found)


def test_who_computes_something_else_is_not_timed(layer: dense.Layer) -> None:
    layer.expected = layer.expected + 0.1
    with pytest.raises(SystemExit, match=r"anytile is wrong at m=5, n=13, k=7: off by 0\.1"):
        layer.at(5, Timing(), static=False)


def test_an_output_that_was_not_written_is_noticed(layer: dense.Layer) -> None:
    layer.kernel = lambda x, out: out  # type: ignore[assignment]
    with pytest.raises(SystemExit, match="off by nan"):
        layer.at(5, Timing(), static=False)


def test_the_forms_go_from_full_dispatch_to_none() -> None:
    workload = anytile.dense(anytile.Any("m"), 13, 7, const=("w",))
    target = anytile.Target.host(1)
    template = templates_for(workload, target)[0]
    config = template.default(workload, target)
    variant = single_plan(workload, target, template.name, config).variants[0]
    forms = residue.forms(workload, target, variant)
    names = [form.name for form in forms]
    assert names[0] == f"dispatch/{variant.tile}"
    assert names[-2:] == ["dispatch/1", "none"]
    assert len(set(names)) == len(names)
    assert len(forms[0].artifact.code) > len(forms[-2].artifact.code)  # each residue's kernel takes its room
