"""Steps written out: rows of one product in the place of products of rows, and one kernel for slices at many places."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array
from anytile.compiler.pipeline import optimise
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.narrow_modules import module, workloads

RNG = np.random.default_rng(53)


def numbers(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def steps(count: int, axis: int, taken: str = "slice", width: int = 16) -> str:
    """A layer over `x`, `count` of whose steps along an axis are read, each multiplied by w and added to the others."""
    lines = []
    for t in range(count):
        row = (
            f"slice(x, axes=({axis},), start=({t},), stop=({t + 1},), step=(1,))"
            if taken == "slice"
            else f"take(x, $at{t}, axis={axis})"
        )
        flat = f"reshape(r{t}, shape=(-1, {width}))"
        lines.append(f"let r{t} = {row}; let v{t} = {flat}; let p{t} = dense(v{t}, $w); let g{t} = tanh(p{t})")
    total = "g0"
    for t in range(1, count):
        lines.append(f"let s{t} = add({total}, g{t})")
        total = f"s{t}"
    return "; ".join([*lines, total])


def written(count: int, axis: int, size: int, taken: str = "slice", width: int = 16, batch: str = "?n") -> Compiled:
    shape = f"{size}, {batch}, {width}" if axis == 0 else f"{batch}, {size}, {width}"
    places = {f"at{t}": np.asarray([t], np.int64) for t in range(count)} if taken == "take" else {}
    body, weights = steps(count, axis, taken, width), {"w": numbers(5, width), **places}
    return Compiled(module(body, f"x: Tensor[({shape}), float32]", **weights))


def calls(made: Compiled, name: str) -> int:
    text = str(optimise(made.module, upto="written_steps"))
    return len(re.findall(rf"= {name}\(", text))


@pytest.mark.slow
@pytest.mark.parametrize(("axis", "taken"), [(0, "slice"), (1, "slice"), (0, "take"), (1, "take")])
def test_products_of_rows_are_rows_of_a_product(axis: int, taken: str) -> None:
    made = written(6, axis, 7, taken)
    assert calls(made, "dense") == 1
    for n in (1, 3):
        check(made, numbers(7, n, 16) if axis == 0 else numbers(n, 7, 16))


def test_few_steps_of_many_stay() -> None:
    assert calls(written(4, 1, 9), "dense") == 4  # of fewer than half of the rows
    assert calls(written(3, 1, 3), "dense") == 3  # and fewer than are worth it


@pytest.mark.parametrize("shape", ["?a, 7, 16, ?b", "7, 16"])
def test_what_is_no_row_stays(shape: str) -> None:
    """The dimension that is multiplied, and one of more sizes that nobody knows."""
    if "?a" in shape:
        lines = [
            f"let r{t} = slice(x, axes=(1,), start=({t},), stop=({t + 1},), step=(1,)); "
            f"let v{t} = squeeze(r{t}, axis=(1,)); let q{t} = transpose(v{t}, perm=(0, 2, 1)); "
            f"let p{t} = dense(q{t}, $w)"
            for t in range(5)
        ]
        count = 5
    else:
        lines = [
            f"let r{t} = slice(x, axes=(1,), start=({t},), stop=({t + 1},), step=(1,)); "
            f"let v{t} = reshape(r{t}, shape=(1, 7)); let p{t} = dense(v{t}, $w)"
            for t in range(16)
        ]
        count = 16
    width = 16 if "?a" in shape else 7
    total = "; ".join([*lines, *(f"let s{t} = add({'p0' if t == 1 else f's{t - 1}'}, p{t})" for t in range(1, count))])
    given = module(f"{total}; s{count - 1}", f"x: Tensor[({shape}), float32]", w=numbers(5, width))
    text = str(optimise(given, upto="written_steps"))
    assert len(re.findall(r"= dense\(", text)) == count


@pytest.mark.slow
def test_slices_at_many_places_are_one_kernel() -> None:
    cuts = [f"slice(x, axes=(1,), start=({t},), stop=({t + 1},), step=(1,))" for t in range(5)]
    rows = [f"let r{t} = {cut}; let g{t} = exp(r{t})" for t, cut in enumerate(cuts)]
    sums = ["let s1 = add(g0, g1)", *(f"let s{t} = add(s{t - 1}, g{t})" for t in range(2, 5)), "s4"]
    body = "; ".join(rows + sums)
    made = Compiled(module(body, "x: Tensor[(?n, 5, 6), float32]"))
    assert (calls(made, "slice"), calls(made, "take")) == (0, 5)
    assert len([w for w in workloads(made) if "exp" not in w and "+" not in w]) == 1
    check(made, numbers(3, 5, 6))
