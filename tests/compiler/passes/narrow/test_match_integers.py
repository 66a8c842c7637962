"""Integer products of bytes: the same integers as int32 products, on kernels of 8 bits, whatever zero points are."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.compiler.ir.nodes import Array
from anytile.compiler.pipeline import optimise
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.narrow_modules import module, workloads

RNG = np.random.default_rng(7)
SCALED = 'let f = cast(s, dtype="float32"); multiply(f, 0.01)'
STORED = (  # a power of two, so that no scaled sum is between two integers for float32 alone
    'let f = cast(s, dtype="float32"); let by = round(multiply(f, 0.0009765625)); '
    'cast(clip(add(by, 7.0), min=0.0, max=255.0), dtype="uint8")'
)
BOTH = 'let f = cast(s, dtype="float32"); (s, f)'
ZEROS = {"": "", "3": "", "0": "", "1000": "", "z": ", q: Tensor[(), uint8]", "rows": ", q: Tensor[(?t, 1), int8]"}


def whole(*shape: int, low: int = -128, high: int = 127) -> Array:
    return RNG.integers(low, high, shape, endpoint=True).astype(np.int32)


def codes(*shape: int, dtype: str = "uint8") -> Array:
    ends = np.iinfo(dtype)
    return RNG.integers(ends.min, ends.max, shape, endpoint=True).astype(dtype)


def taken(zero: str) -> str:
    """The whole numbers `a` of bytes `x` less a zero point."""
    if not zero:
        return 'let a = cast(x, dtype="int32"); '
    given = "q" if ZEROS[zero] else zero
    return f'let wide = cast(x, dtype="int32"); let z = cast({given}, dtype="int32"); let a = subtract(wide, z); '


def dense(zero: str, behind: str, weight: Array, dtype: str = "uint8") -> Compiled:
    """A product of rows of bytes less a zero point; `behind` is made of its sums `s`."""
    params = f"x: Tensor[(?n, ?t, {weight.shape[1]}), {dtype}]{ZEROS[zero]}"
    return Compiled(module(f"{taken(zero)}let s = dense(a, $w); {behind}", params, w=weight))


def products(made: Compiled) -> list[str]:
    """The operators that multiply."""
    return [w.partition("(")[0] for w in workloads(made) if "dense" in w or "conv" in w]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("dtype", "zero", "behind"),
    [
        *(("uint8", zero, behind) for zero in ("3", "z") for behind in ("s", SCALED, STORED, BOTH)),
        *(("int8", zero, STORED) for zero in ZEROS if zero != "1000"),
        ("uint8", "", SCALED),
        ("uint8", "0", "s"),
        ("uint8", "rows", SCALED),
    ],
)
def test_a_dense_layer_of_bytes(dtype: str, zero: str, behind: str) -> None:
    made = dense(zero, behind, whole(7, 19), dtype)
    assert products(made) == ["quantised_dense"]
    given = {"z": [np.uint8(200)], "rows": [codes(3, 1, dtype="int8")]}.get(zero, [])
    check(made, codes(2, 3, 19, dtype=dtype), *given)


def test_scales_and_rounding_are_the_tail() -> None:
    (one,) = workloads(dense("3", STORED, whole(7, 19)))
    assert "out=uint8" in one
    assert "tail=min(max(round(" in one


def test_what_float32_does_not_hold_is_added_up_in_int32() -> None:
    """Sums of 3 * 10**7: their last bits are there when something is taken from them."""
    weight = np.full((3, 1000), 127, np.int32)
    weight[:, 0] = 1
    made = dense("3", SCALED.replace("0.01", "1.0"), weight)
    assert not any("out=float32" in w for w in workloads(made))
    x = np.full((1, 1, 1000), 255, np.uint8)
    check(made, x)
    assert any("out=float32" in w for w in workloads(dense("3", SCALED, weight[:, :250])))
    assert any("out=float32" in w for w in workloads(dense("", SCALED, weight)))  # which are rounded once


@pytest.mark.sampled(2)
@pytest.mark.parametrize("zero", ["", "3", "z"])
@pytest.mark.parametrize("behind", ["s", SCALED])
def test_weights_that_no_int8_holds_are_held_less_a_number(zero: str, behind: str) -> None:
    weight = whole(5, 19)
    weight += np.int32([[0], [100], [-77], [127], [-127]])
    made = dense(zero, behind, weight)
    assert products(made) == ["quantised_dense", "quantised_dense"]
    check(made, codes(2, 3, 19), *([np.uint8(9)] if zero == "z" else []))


@pytest.mark.parametrize(
    "body",
    [
        'let a = cast(x, dtype="int32"); let s = dense(a, $w); s',  # of 16 bits
        'let y = cast(x, dtype="int32"); let a = subtract(y, $u); let s = dense(a, $w); s',  # each has its own
        f"{taken('1000')}let s = dense(a, $w); s",  # less what is no byte
    ],
)
def test_other_products_stay(body: str) -> None:
    dtype = "uint8" if "subtract" in body else "int16"
    given = module(body, f"x: Tensor[(?n, 19), {dtype}]", w=whole(7, 19), u=whole(19))
    assert "quantised" not in str(optimise(given, upto="match_integers"))
    check(Compiled(given), codes(3, 19, dtype=dtype))


def conv(attrs: str, zero: str, behind: str, weight: Array, image: str = "?n, 4, ?h, ?w") -> Compiled:
    params = f"x: Tensor[({image}), uint8]" + (", q: Tensor[(), uint8]" if zero == "z" else "")
    return Compiled(module(f"{taken(zero)}let s = conv2d(a, $w{attrs}); {behind}", params, w=weight))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zero", "behind", "attrs"),
    [
        ("", "s", ", pad=(1, 0, 2, 1)"),
        ("3", SCALED, ""),
        ("3", "s", ", pad=(1, 0, 2, 1)"),
        ("z", STORED, ", pad=(1, 0, 2, 1)"),
        ("z", "s", ", pad=1, stride=2, dilation=(1, 2)"),
    ],
)
def test_a_convolution_of_bytes(zero: str, behind: str, attrs: str) -> None:
    made = conv(attrs, zero, behind, whole(6, 4, 3, 2))
    assert "quantised_conv2d" in products(made)
    given = [np.uint8(77)] if zero == "z" else []
    check(made, codes(2, 4, 7, 8), *given)
    if "stride" not in attrs:
        check(made, codes(1, 4, 4, 3), *given)


@pytest.mark.parametrize("attrs", [", groups=2, pad=1", ', layout="nhwc", pad=1'])
@pytest.mark.parametrize("zero", ["3", "z"])
def test_groups_and_channels_last(attrs: str, zero: str) -> None:
    weight = whole(6, 2 if "groups" in attrs else 4, 3, 3)
    image = "?n, 4, 7, 8" if "groups" in attrs else "?n, 7, 8, 4"
    made = conv(attrs, zero, STORED, weight, image)
    assert products(made) == ["conv2d"] * (zero == "z") + ["quantised_conv2d"]
    x = codes(2, 4, 7, 8) if "groups" in attrs else codes(2, 7, 8, 4)
    check(made, x, *([np.uint8(77)] if zero == "z" else []))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zero", "behind", "attrs"),
    [
        ("", "s", ", pad=(1, 0, 2, 1)"),
        ("3", STORED, ", pad=1"),
        ("z", SCALED, ", pad=(1, 0, 2, 1), stride=2, dilation=(1, 2)"),
        ("z", STORED, ', layout="nhwc", pad=1'),
    ],
)
def test_kernels_that_no_int8_holds_are_held_less_a_number(zero: str, behind: str, attrs: str) -> None:
    weight = whole(6, 4, 3, 2) + np.int32([0, 100, -77, 127, -127, 1]).reshape(-1, 1, 1, 1)
    is_last = "nhwc" in attrs
    made = conv(attrs, zero, behind, weight, "?n, ?h, ?w, 4" if is_last else "?n, 4, ?h, ?w")
    assert "quantised_conv2d" in products(made)
    given = [np.uint8(77)] if zero == "z" else []
    check(made, codes(2, 7, 8, 4) if is_last else codes(2, 4, 7, 8), *given)


@pytest.mark.slow
@pytest.mark.parametrize(("zero", "behind"), [("", "s"), ("3", STORED), ("z", SCALED)])
@pytest.mark.parametrize("groups", [2, 4])
def test_kernels_of_groups_that_no_int8_holds_are_floats(zero: str, behind: str, groups: int) -> None:
    made = conv(f", groups={groups}, pad=1", zero, behind, whole(8, 4 // groups, 3, 3, low=-60, high=195))
    assert products(made) == ["conv2d"]
    check(made, codes(2, 4, 7, 8), *([np.uint8(77)] if zero == "z" else []))


def test_kernels_whose_windows_float32_does_not_add_up_stay() -> None:
    weight = np.full((1, 66_000, 1, 1), 255, np.int32)
    body = 'let a = cast(x, dtype="int32"); let s = conv2d(a, $w); s'
    given = module(body, "x: Tensor[(?n, 66000, 1, 1), uint8]", w=weight)
    assert "quantised" not in str(optimise(given, upto="match_integers"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("zero", "behind", "attrs", "weight"),
    [
        ("", "s", ", pad=(1, 2)", whole(6, 4, 3)),
        ("3", STORED, ", pad=(1, 2), stride=2", whole(6, 4, 3)),
        ("z", SCALED, ", pad=(1, 2), stride=2, dilation=2", whole(6, 4, 3)),
        ("z", "s", ", groups=2", whole(6, 2, 3)),
    ],
)
def test_a_convolution_over_one_dimension_is_one_of_images_of_a_row(
    zero: str, behind: str, attrs: str, weight: Array
) -> None:
    params = "x: Tensor[(?n, 4, ?l), uint8]" + (", q: Tensor[(), uint8]" if zero == "z" else "")
    made = Compiled(module(f"{taken(zero)}let s = conv1d(a, $w{attrs}); {behind}", params, w=weight))
    assert "quantised_conv2d" in products(made)
    given = [np.uint8(77)] if zero == "z" else []
    for length in (9, 6):
        check(made, codes(2, 4, length), *given)


def test_sums_beyond_int32_stay() -> None:
    weight = np.full((1, 70_000), 127, np.int32)
    given = module('let a = cast(x, dtype="int32"); let s = dense(a, $w); s', "x: Tensor[(?n, 70000), uint8]", w=weight)
    assert "quantised" not in str(optimise(given, upto="match_integers"))
    assert isinstance(given, anytile.Module)
