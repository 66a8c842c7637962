"""Resize lowering: which images in other sizes kernels make, and that they are what the operator means."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.vm.program.executable import KERNEL, PACKED
from anytile.vm.program.isa import InvokePacked
from tests.support.cases.compiled_modules import Compiled, check, compile_text, random

IMAGES = "x: Tensor[(?b, 3, 6, 8), float32]"
LAST = "x: Tensor[(?b, 6, 8, 3), float32]"


def resized(attrs: str, params: str = IMAGES, op: str = "resize", **constants: np.ndarray) -> Compiled:
    args = ", ".join(("x", *(f"${name}" for name in constants)))
    return compile_text(f"def main({params}) {{ {op}({args}, {attrs}) }}", **constants)


def kernels(made: Compiled) -> list[str]:
    """What runs, in order: operators of kernels, and functions of the host."""
    (main,) = made.exe.functions
    called = [made.exe.kernels[i.kernel] for i in main.code if isinstance(i, InvokePacked)]
    return [k.workload.partition("(")[0] if k.kind == KERNEL else "host" for k in called if k.kind in (KERNEL, PACKED)]


@pytest.mark.parametrize(
    ("attrs", "params", "by"),
    [
        ('sizes=(12, 4), mode="linear"', IMAGES, ["batch_matmul", "dense"]),
        ('sizes=(9, 8), mode="linear", coordinates="align_corners"', IMAGES, ["batch_matmul"]),
        ('sizes=(6, 5), mode="cubic", antialias=true, exclude_outside=true', IMAGES, ["dense"]),
        ('sizes=(4, 16), axes=(1, 2), mode="cubic", coordinates="pytorch_half_pixel"', LAST, ["batch_matmul"] * 2),
        ("sizes=(12, 24)", IMAGES, ["elementwise"] * 2),
        ('sizes=(12, 16), coordinates="asymmetric", nearest="floor"', IMAGES, ["elementwise"] * 2),
        ("sizes=(12, 24), axes=(1, 2)", LAST, ["elementwise"] * 2),
        ('sizes=(3, 4), coordinates="asymmetric", nearest="floor"', IMAGES, ["slice"] * 2),
        ("sizes=(1, 8)", IMAGES, ["slice"]),
        ("sizes=(12, 16), axes=(2, 3)", "x: Tensor[(?b, 3, 6, 8), int64]", ["elementwise"] * 2),
        ('sizes=(5,), mode="linear"', "x: Tensor[(8), float32]", ["dense"]),
    ],
)
def test_kernels_make_what_the_operator_means(attrs: str, params: str, by: list[str]) -> None:
    made = resized(attrs, params)
    assert kernels(made) == by
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
    assert kernels(made) == ["batch_matmul", "dense"]
    assert check(made, random(1, 2, 3, 6, 8)).shape == (2, 3, 12, 10)


@pytest.mark.parametrize(
    ("attrs", "params"),
    [
        ("sizes=(12, 5)", IMAGES),
        ('sizes=(12, 16), mode="linear"', "x: Tensor[(?b, 3, ?h, 8), float32]"),
        ('sizes=(12, 16), mode="linear"', "x: Tensor[(?b, 3, 6, 8), float64]"),
        ('sizes=(12, 5), mode="linear"', "x: Tensor[(6, 8), float32]"),
        ('sizes=(4,), axes=(1,), mode="linear"', "x: Tensor[(?b, 6, ?w, 3), float32]"),
    ],
    ids=["uneven picks", "a size of run time", "float64", "no dimension before it", "two unknown sizes in one"],
)
def test_the_rest_is_the_hosts(attrs: str, params: str) -> None:
    assert "host" in kernels(resized(attrs, params))
