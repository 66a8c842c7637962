"""Evidence: what was measured, as the choice reads it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from anytile.db.records.records import Status, Trial
from anytile.dispatch.backends import CpuBackend
from anytile.dispatch.plans.matrix import Row
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.builders.library_candidates import LIBRARY
from anytile.tuner.settle.evidence import Evidence

W = dense(Any("m"), 768, 768)
TARGET = Target("llvm")


def config(number: int) -> Config:
    return Config.of(knob=number)


def trial(number: int, seconds: float, m: int = 64, status: Status = Status.OK, drift: float = 1.0) -> Trial:
    samples = (seconds * drift,) if status is Status.OK else ()
    return Trial(W, TARGET, "t", config(number), {"m": m}, status, samples, drift=drift)


def test_of_what_was_profiled_twice_the_faster_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of a library what the build that is here took, against ours at the same moment."""
    first, again = trial(0, 3.0, m=5), replace(trial(0, 2.0, m=5), kind="confirm")
    slower = replace(trial(0, 9.0, m=6), kind="confirm")
    here, gone = (Config.of(name="blas", build=build) for build in ("OpenBLAS 2 b.so", "OpenBLAS 1 a.so"))
    library = replace(trial(0, 7.0, m=5), template=LIBRARY, config=here)
    other = replace(library, config=gone, samples=(1.0,))
    rows = {"profile": [first, trial(0, 4.0, m=6), other, library], "confirm": [again, slower]}
    monkeypatch.setattr(CpuBackend, "library_build", lambda self: "OpenBLAS 2 b.so")
    monkeypatch.setattr(CpuBackend, "has_library", lambda self, name: name == "blas")
    best = SimpleNamespace(template="dense.cpu")
    ledger = SimpleNamespace(of=lambda workload, kind: rows.get(kind, []), best=lambda workload: best)
    evidence = Evidence(W, SimpleNamespace(target=Target.host()), ledger)  # type: ignore[arg-type]
    found = evidence.profile_of([Row("t", config(0), 8)])
    assert found is not None
    assert dict(found.series[0].seconds) == {5: 2.0, 6: 4.0}
    assert [(s.runner, dict(s.seconds)) for s in found.series[1:]] == [("blas", {5: pytest.approx(7.0 / 3.0 * 2.0)})]


def test_who_reads_the_weight_in_a_layout_of_its_own_must_gain_more() -> None:
    weight = dense(Any("m"), 96, 64, const=("w",))
    shape = template("dense.cpu").default(weight, TARGET)
    wide = {"tile_n": shape.int("tile_n") + 1}  # panels of another width

    def plan_of(change: dict[str, int]) -> tuple[int, ...]:
        configs = (shape, Config.of(**{**dict(shape.values), **change}))
        seconds = ((1.0, 1.0, 1.1), (2.0, 2.0, 1.0))
        rows = [
            Trial(weight, TARGET, "dense.cpu", c, {"m": m}, Status.OK, (s,))
            for c, row in zip(configs, seconds, strict=True)
            for m, s in zip((1, 8, 64), row, strict=True)
        ]
        kinds = {"cross": rows, "search": rows[:1]}
        ledger = SimpleNamespace(of=lambda workload, kind: kinds.get(kind, []), best=lambda workload: rows[0])
        request = SimpleNamespace(
            target=TARGET,
            portfolio=2,
            objective="geomean",
            weights_of=lambda *_: None,
            representative_point=lambda _: {},
        )
        evidence = Evidence(weight, request, ledger)  # type: ignore[arg-type]
        matrix = evidence.matrix()
        assert matrix is not None
        return evidence.choice(matrix).rows

    assert plan_of({"tile_m": shape.int("tile_m") // 2}) == (0, 1)
    assert plan_of(wide) == (0,)
