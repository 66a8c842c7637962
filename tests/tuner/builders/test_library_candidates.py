"""Library rivals as candidates: their rows say which build of the library they are of."""

from __future__ import annotations

import pytest

from anytile.core.errors import UnsupportedError
from anytile.dispatch.backends import CpuBackend
from anytile.dispatch.blas import in_plans
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.constructors import conv2d, dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.builders.library_candidates import build_of, library_candidates, library_plan

HOST = Target.host()
W = dense(Any("m"), 8, 8)


@pytest.fixture(autouse=True)
def _blas() -> None:
    if in_plans.pick() is None:
        pytest.skip("no BLAS on this machine")


def test_a_candidate_names_the_build_in_a_text_that_can_be_stored() -> None:
    (found,) = library_candidates(W, HOST)
    here = in_plans.pick()
    assert here is not None
    assert build_of(found.config) == here.build
    assert Config.parse(str(found.config)) == found.config
    assert [r.runs for r in library_plan(found).ranges] == ["blas"]


def test_a_result_that_is_stored_otherwise_is_not_the_librarys() -> None:
    assert library_candidates(W.storing({"y": "float16"}), HOST) == []


def test_another_build_is_not_measured_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = library_candidates(W, HOST)
    monkeypatch.setattr(CpuBackend, "library_build", lambda self: "BLIS 1.0 libblis.so")
    with pytest.raises(UnsupportedError, match=r"blas is BLIS 1.0 libblis.so here; expected "):
        library_plan(found)
    (other,) = library_candidates(W, HOST)
    assert other.contender != found.contender


def test_only_products_on_this_machine_have_one() -> None:
    layer = conv2d(n=1, ci=4, h=8, w=8, co=4, kh=3, kw=3, stride=1, pad=1)
    assert library_candidates(layer, HOST) == []
    assert library_candidates(W, Target.parse("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")) == []
