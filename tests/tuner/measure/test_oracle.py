"""The oracle: right results pass whatever their order of summation, one wrong term does not."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.schedules.workloads.constructors import dense, grouped_dense, lstm_cell, quantised_dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.measure.oracle import CaseCache, bytes_needed, make_case


@pytest.mark.parametrize("k", [1, 7, 768, 30522])
def test_sequential_summation_passes_and_a_missing_term_does_not(k: int) -> None:
    case = make_case(dense(Any("m"), 5, k), (("m", 4),))
    x, w = case.inputs["x"], case.inputs["w"]
    got = np.cumsum(x[:, None, :] * w[None, :, :], axis=2, dtype=np.float32)[:, :, -1]
    assert case.outputs["y"].difference(got) is None
    got[2, 3] -= x[2, 0] * w[3, 0]
    assert "y[2, 3] is" in str(case.outputs["y"].difference(got))
    assert "1 of 20 elements are wrong" in str(case.outputs["y"].difference(got))


@pytest.mark.parametrize("k", [64, 768, 16384])
def test_sums_that_units_cut_off_pass_and_a_missing_term_does_not(k: int) -> None:
    """Eight products at a time are added exactly, and what is more than a float32 holds is dropped."""
    case = make_case(Workload.parse(f"dense(m=32, n=32, k={k}, dtype=bfloat16, stored=y:float32)"), ())
    x, w = (case.inputs[name].astype(np.float64) for name in "xw")
    sums = np.zeros((32, 32), np.float32)
    for first in range(0, k, 8):
        exact = sums + x[:, first : first + 8] @ w[:, first : first + 8].T
        near = exact.astype(np.float32)
        sums = np.where(np.abs(near) > np.abs(exact), np.nextafter(near, np.float32(0)), near)
    assert case.outputs["y"].difference(sums) is None
    sums[2, 3] -= np.float32(x[2, 0] * w[3, 0])
    assert "1 of 1024 elements are wrong" in str(case.outputs["y"].difference(sums))


def test_nan_and_infinity_are_wrong() -> None:
    case = make_case(dense(3, 4, 5), ())
    for bad in (np.nan, np.inf, -np.inf):
        got = case.outputs["y"].values.copy()
        got[0, 1] = bad
        assert f"y[0, 1] is {bad:.7g}" in str(case.outputs["y"].difference(got))
    got[...] = np.nan
    assert "never written" in str(case.outputs["y"].difference(got))


def test_integers_are_exact_and_requantised_ones_within_one() -> None:
    exact = make_case(quantised_dense(3, 4, 5), ()).outputs["y"]
    rounded = make_case(quantised_dense(3, 4, 5, out="uint8", tail="y * s[n]"), ()).outputs["y"]
    for expected, allowed in ((exact, 0), (rounded, 1)):
        for off in (allowed, allowed + 1):
            got = expected.values.astype(np.int32)
            got[1, 2] += off if got[1, 2] < 100 else -off
            assert (expected.difference(got) is None) is (off == allowed)


def test_operands_of_8_bits_take_every_value() -> None:
    inputs = make_case(quantised_dense(40, 50, 60, x="int8"), ()).inputs
    assert {a.dtype.name: (a.min(), a.max()) for a in inputs.values()} == {"int8": (-128, 127)}
    assert make_case(quantised_dense(40, 50, 60), ()).inputs["x"].max() == 255


def test_empty_shapes_have_empty_outputs() -> None:
    assert make_case(dense(0, 4, 5), ()).outputs["y"].difference(np.empty((0, 4), np.float32)) is None
    zero = make_case(dense(3, 4, 0), ()).outputs["y"]
    assert zero.difference(np.zeros((3, 4), np.float32)) is None
    assert zero.difference(np.full((3, 4), 1e-3, np.float32)) is not None


def test_cases_are_the_same_everywhere_and_differ_between_points() -> None:
    w = dense(Any("m"), 4, 5)
    one, same, other = (make_case(w, (("m", m),)) for m in (3, 3, 6))
    assert np.array_equal(one.inputs["x"], same.inputs["x"])
    assert not np.array_equal(one.inputs["x"], other.inputs["x"][:3])


def test_the_cache_keeps_what_fits() -> None:
    w = dense(Any("m"), 8, 8)
    cache = CaseCache(limit=2_000)
    first = cache.get(w, (("m", 4),))
    assert cache.get(w, (("m", 4),)) is first
    cache.get(w, (("m", 40),))
    assert cache.get(w, (("m", 4),)) is not first


def test_absurd_shapes_are_seen_before_they_are_made() -> None:
    assert bytes_needed(dense(Any("m"), 10**6, 10**6), (("m", 1),)) > 10**13


def test_operands_of_every_dtype_and_several_outputs() -> None:
    chosen = Workload.parse("elementwise(d0=?, rank=1, types=mask:bool, f=select(mask[d0], a[d0], log(a[d0])))")
    case = make_case(chosen, (("d0", 50),))
    assert case.inputs["mask"].dtype == np.bool_
    wanted = case.outputs["y"]
    assert np.isnan(wanted.values).any()  # the logarithm of what is negative
    assert wanted.difference(wanted.values.copy()) is None
    assert wanted.difference(np.full_like(wanted.values, np.nan)) is not None
    taken = make_case(Workload.parse("gather(outer=2, n=5, m=7, inner=3)"), ())
    (positions,) = (a for a in taken.inputs.values() if a.dtype == np.int64)
    assert positions.min() >= 0
    assert positions.max() < 5
    cell = make_case(lstm_cell(m=2, u=3, k=4), ())
    assert list(cell.outputs) == ["c2", "h2"]
    largest = make_case(Workload.parse("reduce(d0=4, d1=9, rank=2, axes=1, kind=argmax)"), ()).outputs["y"]
    assert "is 3, expected" in str(largest.difference(np.full(4, 3)))


def test_what_an_attribute_lets_be_rounded_is_not_wrong() -> None:
    close, rough = (
        make_case(grouped_dense(3, 4, 64, accuracy=accuracy), ()).outputs["y"] for accuracy in ("float32", "float16")
    )
    for expected, off, right in ((rough, 1e-4, True), (rough, 1e-3, False), (close, 1e-4, False)):
        size = np.sqrt(np.mean(np.square(expected.values)))
        assert (expected.difference(expected.values + np.float32(off * size)) is None) is right
