"""The floors of small networks, from invented rows; what is asked for; networks that are made and measured."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from anytile.core.errors import SpecError
from benchmarks.measure.beside_onnxruntime import difference
from benchmarks.measure.harness import Report, Row
from benchmarks.whole_models import networks


@pytest.fixture
def torch() -> Any:
    if lacking := [name for name in (*networks.WRITERS, "onnxruntime") if networks.find_spec(name) is None]:
        pytest.skip(f"not installed: {', '.join(lacking)}")
    return networks.fresh(1)


def _rows(name: str, size: str, ours: float, theirs: float) -> Iterator[Row]:
    for system, seconds in (("anytile", ours), ("onnxruntime", theirs)):
        yield Row({"network": name, "size": size}, system, seconds, 0.0, 0.0, 7)


def test_every_point_counts() -> None:
    rows = [*_rows("a", "1 rows", 1, 4), *_rows("a", "9 rows", 2, 2), *_rows("b", "1 rows", 1, 2)]
    mean, worst = networks.claims(rows)
    assert mean.value == pytest.approx(2)
    assert worst.value == pytest.approx(1)
    assert mean.ok
    assert worst.ok
    assert [claim.ok for claim in networks.claims([*rows, *_rows("c", "1 rows", 1, 0.7)])] == [True, False]


def test_results_that_are_others_are_told() -> None:
    wanted = [np.array([100, 1], np.float32), np.array([3], np.int64)]
    assert difference([np.array([100.05, 1], np.float32), wanted[1]], wanted) is None
    assert difference([np.array([100.2, 1], np.float32), wanted[1]], wanted) == (
        "result 0 is off by 0.002 of its largest element"
    )
    assert difference([wanted[0], np.array([4], np.int64)], wanted) == (
        "result 1 is off by 0.333 of its largest element"
    )
    assert str(difference([np.array([np.nan, 1], np.float32), wanted[1]], wanted)).startswith("result 0 is off")


def _measured(*only: str) -> Report:
    report, options = Report({}), SimpleNamespace(quick=True, db=None, threads=1, only=list(only))
    networks.measure(report, options)  # type: ignore[arg-type]  # stands in for what argparse reads
    return report


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_names_are_told_where_none_is_meant() -> None:
    with pytest.raises(SpecError, match="no network has such a name; there are: kernels of 3 and 5"):
        _measured("nothing")


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_networks_meet_the_rival() -> None:
    report = _measured("bags of rows", "sines of many")
    found = [(row.case["network"], row.case["size"], row.system) for row in report.rows]
    names = ("bags of rows, pairs of them", "1 rows"), ("sines of many frequencies", "16 points")
    assert found == [(*name, system) for name in names for system in ("anytile", "onnxruntime")]
    assert all(row.seconds > 0 for row in report.rows)


@pytest.mark.slow
@pytest.mark.usefixtures("torch")
def test_a_network_that_computes_something_else_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "flat_results", lambda results: [np.asarray(results) + 0.5])
    with pytest.raises(SystemExit, match="a mixture of distributions, 1 rows: result 0 is off by"):
        _measured("a mixture")


@pytest.mark.slow
def test_every_network_computes_at_each_size_what_it_is_named_for(torch: Any) -> None:
    """Names differ, and so do the results of arguments that do."""
    from benchmarks.subjects.small_networks import small_networks

    known = small_networks()
    assert len({network.name for network in known}) == len(known)
    for network in known:
        model = network.module()
        with torch.inference_mode():
            results = [model(*network.arguments(size)) for size in (*network.sizes, *network.sizes[:1])]
        first, again = (torch.utils._pytree.tree_leaves(results[at]) for at in (0, -1))
        for one, other in zip(first, again, strict=True):
            assert one.numel(), network.name
            assert bool(one.isfinite().all()), network.name
            if "suppress" not in network.name:  # a stand-in's result, for that operator alone
                assert bool((one == other).all()), network.name
