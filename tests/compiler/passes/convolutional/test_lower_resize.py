"""Resize lowering: which images in other sizes kernels make, and that they are what the operator means."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import AnytileError
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random, run_by

IMAGES = "x: Tensor[(?b, 3, 6, 8), float32]"
LAST = "x: Tensor[(?b, 6, 8, 3), float32]"


def resized(attrs: str, params: str = IMAGES, op: str = "resize", **constants: np.ndarray) -> Compiled:
    args = ", ".join(("x", *(f"${name}" for name in constants)))
    return compile_text(f"def main({params}) {{ {op}({args}, {attrs}) }}", **constants)


@pytest.mark.parametrize(
    ("attrs", "params", "by"),
    [
        ('sizes=(12, 4), mode="linear"', IMAGES, ["interpolate"] * 2),
        ('sizes=(9, 8), mode="linear", coordinates="align_corners"', IMAGES, ["interpolate"]),
        ('sizes=(6, 5), mode="cubic", antialias=true, exclude_outside=true', IMAGES, ["interpolate"]),
        ('sizes=(4, 16), axes=(1, 2), mode="cubic", coordinates="pytorch_half_pixel"', LAST, ["interpolate"] * 2),
        ("sizes=(12, 24)", IMAGES, ["concat"] * 2),
        ("sizes=(12, 5)", IMAGES, ["gather", "concat"]),
        ("sizes=(11, 72)", IMAGES, ["gather"] * 2),
        ('sizes=(12, 16), coordinates="asymmetric", nearest="floor"', IMAGES, ["concat"] * 2),
        ('sizes=(12, 16), coordinates="asymmetric", nearest="ceil"', IMAGES, ["gather"] * 2),
        ("sizes=(12, 24), axes=(1, 2)", LAST, ["concat"] * 2),
        ('sizes=(3, 4), coordinates="asymmetric", nearest="floor"', IMAGES, ["slice"] * 2),
        ("sizes=(1, 8)", IMAGES, ["slice"]),
        ("sizes=(12, 16), axes=(2, 3)", "x: Tensor[(?b, 3, 6, 8), int64]", ["concat"] * 2),
        ('sizes=(5,), mode="linear"', "x: Tensor[(8), float32]", ["interpolate"]),
        ('sizes=(12, 5), mode="linear"', "x: Tensor[(6, 8), float32]", ["interpolate"] * 2),
        ('sizes=(4,), axes=(1,), mode="linear"', "x: Tensor[(?b, 6, ?w, 3), float32]", ["interpolate"]),
    ],
)
def test_kernels_make_what_the_operator_means(attrs: str, params: str, by: list[str]) -> None:
    made = resized(attrs, params)
    assert run_by(made) == by
    shape = [int(d) if d.strip().isdigit() else 2 for d in params.partition("(")[2].partition(")")[0].split(",")]
    x = random(1, *shape)
    x = (x * 100).astype(np.int64) if "int64" in params else x
    for images in (2, 0, 1):
        check(made, x[:images] if "?b" in params else x)


def test_nearest_elements_are_taken_as_they_are() -> None:
    x = np.asarray([[[[np.nan, -0.0], [np.inf, 1.0]]]], np.float32)
    made = compile_text("def main(x: Tensor[(?b, 1, 2, 2), float32]) { resize(x, sizes=(4, 4)) }")
    found = made.session(True)(x)
    np.testing.assert_array_equal(found, x.repeat(2, 2).repeat(2, 3))
    assert np.signbit(found[0, 0, 0, 2])


def test_scales_that_are_known_are_those_that_coordinates_are_of() -> None:
    """Of 8 columns times 1.3 there are 10, and a column is 1 / 1.3 wide."""
    made = resized('mode="linear"', op="resize_by", by=np.asarray([2.0, 1.3], np.float32))
    assert run_by(made) == ["interpolate"] * 2
    assert check(made, random(1, 2, 3, 6, 8)).shape == (2, 3, 12, 10)


FREE = "x: Tensor[(?b, 3, ?h, ?w), float32]"


@pytest.mark.parametrize(
    ("attrs", "by"),
    [
        ('mode="linear"', np.asarray([2.0, 1.5], np.float32)),
        ('mode="linear", coordinates="align_corners", axes=(3, 2)', np.asarray([0.4, 2.0], np.float32)),
        ('mode="linear", coordinates="asymmetric", axes=(2,)', np.asarray([3.0], np.float32)),
        ('mode="cubic"', np.asarray([7, 4])),
        ('mode="cubic", antialias=true', np.asarray([0.5, 1.0], np.float32)),
        ('coordinates="asymmetric", nearest="floor"', np.asarray([2.5, 1.5], np.float32)),
        ('nearest="ceil"', np.asarray([5, 9])),
    ],
)
def test_sizes_of_run_time_have_tables_of_run_time(attrs: str, by: np.ndarray) -> None:
    """The factors or the sizes are constants, or come with the images."""
    known = resized(attrs, FREE, "resize_by", by=by)
    given = f"by: Tensor[({len(by)}), {by.dtype}]"
    found = [known]
    if "antialias" not in attrs:
        found.append(compile_text(f"def main({FREE}, {given}) {{ resize_by(x, by, {attrs}) }}"))
    for made in found:
        assert ("gather" if "mode" not in attrs else "interpolate") in run_by(made)
        for b, h, w in ((2, 6, 8), (1, 1, 1), (0, 3, 2), (1, 9, 5)):
            x = random(1, b, 3, h, w)
            check(made, *((x,) if made is known else (x, by)))


@pytest.mark.parametrize("factors", [(2, 2), (3, 8), (1, 5)])
@pytest.mark.parametrize(
    ("how", "put"),
    [
        ("", True),
        ('nearest="round_prefer_ceil"', True),
        ('coordinates="asymmetric", nearest="floor"', True),
        ('coordinates="asymmetric", nearest="ceil"', False),
        ('coordinates="align_corners", nearest="floor"', False),
    ],
)
def test_elements_of_whole_factors_are_put_side_by_side(how: str, put: bool, factors: tuple[int, int]) -> None:
    """Whatever the size: of factors that are constants, and of sizes that are said to be such multiples."""
    by = np.asarray(factors, np.float32)
    attrs, (high, wide) = how or "axes=()", factors
    sizes = f'sizes_of(x, sizes="{high}*d2, {wide}*d3")'
    by_factors = resized(attrs, FREE, "resize_by", by=by)
    by_sizes = compile_text(f"def main({FREE}) {{ let by = {sizes}; resize_by(x, by, {attrs}) }}")
    several = sum(factor > 1 for factor in factors)
    if put:
        assert run_by(by_factors) == ["concat"] * several
    for made in (by_factors, by_sizes):
        assert run_by(made).count("concat") == (several if put else 0)
        for b, h, w in ((2, 6, 8), (1, 1, 1), (0, 3, 2), (1, 9, 17), (3, 7, 40)):
            check(made, random(1, b, 3, h, w))


def test_a_size_is_no_factor_of_that_number() -> None:
    """Of 3 elements to 3.0 times as many, and to 3: tables of run time are remembered."""
    text = "def main(x: Tensor[(?n), float32], by: Tensor[(1), {}]) {{ resize_by(x, by) }}"
    for dtype, rows in (("float32", 9), ("int64", 3), ("float32", 9)):
        assert check(compile_text(text.format(dtype)), random(1, 3), np.asarray([3], dtype)).shape == (rows,)


@pytest.mark.parametrize("params", [FREE, "x: Tensor[(?, 3, ?, ?), float32]"])
def test_a_multiple_of_another_axis_is_none_of_its_own(params: str) -> None:
    made = compile_text(f'def main({params}) {{ let by = sizes_of(x, sizes="2*d3, 2*d2"); resize_by(x, by) }}')
    assert "concat" not in run_by(made)
    check(made, random(1, 2, 3, 5, 4))


def test_what_is_smaller_is_made_first_and_what_is_larger_from_the_last_axis_on() -> None:
    made = resized('sizes=(12, 4), mode="linear"')
    shapes = [k.workload for k in made.exe.kernels if k.workload.startswith("interpolate")]
    assert [("n=8, m=4" in s, "n=6, m=12" in s) for s in shapes] == [(True, False), (False, True)]
    made = resized('sizes=(12, 16), mode="linear"')
    shapes = [k.workload for k in made.exe.kernels if k.workload.startswith("interpolate")]
    assert [("n=8, m=16" in s, "n=6, m=12" in s) for s in shapes] == [(True, False), (False, True)]


def test_a_size_that_stays_is_nothing_at_all() -> None:
    made = resized('sizes=(6, 8), mode="linear"')
    assert run_by(made) == []
    check(made, random(1, 2, 3, 6, 8))


def test_a_factor_that_is_none_is_said_when_it_runs() -> None:
    made = resized('mode="linear"', FREE, "resize_by", by=np.asarray([2.0, -1.0], np.float32))
    with pytest.raises(AnytileError, match="expected numbers above 0"):
        made.session(True)(random(1, 1, 3, 2, 2))


@pytest.mark.parametrize(
    ("attrs", "params"),
    [
        ('sizes=(12, 16), mode="linear"', "x: Tensor[(?b, 3, 6, 8), float64]"),
        ('sizes=(12, 5), mode="linear", antialias=true', FREE),
        ("sizes=(12, 5)", "x: Tensor[(?b, 3, 6, 8), float64]"),
    ],
    ids=["float64 sums", "sums of a size of run time", "float64"],
)
def test_the_rest_is_the_hosts(attrs: str, params: str) -> None:
    assert run_by(resized(attrs, params)) == ["host"]
