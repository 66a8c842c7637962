"""What is said to follow row by row does: every such operator on many rows is itself on each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from anytile.compiler.infer import infer
from anytile.compiler.ir.nodes import Array
from anytile.compiler.ir.traverse import bindings_of
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.operators import OPERATORS
from anytile.compiler.operators.shapes import run
from anytile.compiler.operators.spec import Mismatch
from anytile.compiler.passes.recurrence.by_row import about_products, following, read_outside
from anytile.compiler.passes.to_anf import to_anf
from tests.support.cases.compiled_modules import random

ROWS = 5
_SHAPES = ((3,), (1, 3), (4, 3))


def _value(seed: int, dtype: str, *shape: int) -> Array:
    if dtype == "bool":
        return np.asarray(random(seed, *shape) > 0)
    return random(seed, *shape) if dtype == "float32" else (10 * random(seed, *shape)).astype(dtype)


def _arguments(name: str) -> list[tuple[list[Array], list[int], tuple[tuple[str, object], ...]]]:
    """Arguments, the places of those that have rows, attributes."""
    if name == "dense":
        return [([random(0, ROWS, 3), random(1, 4, 3)], [0], ())]
    if name == "quantised_dense":
        return [([_value(0, "uint8", ROWS, 3), _value(1, "int8", 4, 3)], [0], ())]
    if name == "grouped_dense":
        weight = np.arange(64, dtype=np.uint8).reshape(4, 16)  # 4 bits of 32 neighbours along k
        return [([random(0, ROWS, 32), weight, random(1, 4, 1)], [0], ())]
    if name == "gated_dense":
        cell = (("cell", "y = z0 * c[m, u] + z1"), ("gates", 2), ("start", "b[g, u]"))
        weights = [random(1, 2, 4, 3), random(2, 2, 4)]
        return [([random(0, ROWS, 3), *weights, random(3, ROWS, 4)], [0, 3], cell)]
    row = OPERATORS[name]
    wanted = _ATTRIBUTES | ({"dtype": "float8_e4m3fn"} if name == "round_to" else {})
    given = tuple((a.name, wanted[a.name]) for a in row.attributes if a.name in wanted)
    found = []
    for dtype in ("float32", "int64", "bool"):
        kinds = ["bool" if n == "condition" else dtype for n in row.inputs]
        for constant in _SHAPES[:2]:
            args = [_value(i, kind, ROWS, 3) for i, kind in enumerate(kinds)]
            found.append((list(args), list(range(len(args))), given))
            if len(args) > 1:
                found.append(([*args[:-1], _value(9, kinds[-1], *constant)], list(range(len(args) - 1)), given))
    return found


_ATTRIBUTES: dict[str, object] = {"dtype": "float32", "low": -1.0, "high": 1.0, "exponent": 2.0}
MAPPING = sorted(name for name, row in OPERATORS.items() if row.maps_rows)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", MAPPING)
def test_many_rows_are_each_row(name: str) -> None:
    tried = 0
    for args, having, attrs in _arguments(name):
        try:
            with np.errstate(all="ignore"):
                whole = run(OPERATORS[name], args, attrs)  # type: ignore[arg-type]  # numbers and texts
        except Mismatch:
            continue  # not of this dtype
        tried += 1
        for i in range(ROWS):
            own = [a[i : i + 1] if place in having else a for place, a in enumerate(args)]
            for made, wanted in zip(run(OPERATORS[name], own, attrs), whole, strict=True):  # type: ignore[arg-type]
                np.testing.assert_allclose(made, wanted[i : i + 1], rtol=1e-6)
    assert tried


def test_which_map_rows() -> None:
    assert {"dense", "gated_dense", "add", "tanh", "where", "cast"} <= set(MAPPING)
    assert not {"softmax", "sum", "concat", "take", "transpose", "reshape", "batch_matmul", "conv2d"} & set(MAPPING)


ARRAYS = {
    **{"w": random(0, 3, 3), "b": random(1, 3), "rows": random(2, 1, 3), "two": random(3, 2, 3)},
    **{"deep": random(4, 1, 1, 3), "gate": random(5, 1, 3, 3), "gates": random(6, 1, 3)},
}


def found(
    body: str, params: str = "x: Tensor[(1, 3), float32], y: Tensor[(1, 3), float32]"
) -> tuple[Sequence[str], ...]:
    """The operators that follow from x; those about products; how many results of these are read outside."""
    declared = "".join(f"const ${n}: {TensorType(a.shape, a.dtype.name)};\n" for n, a in ARRAYS.items())
    module = infer(to_anf(infer(Module.parse(f"{declared}def main({params}) {{ {body} }}", ARRAYS)).module)).module
    block = module.main.body
    steps = following([module.main.params[0]], block)
    kept = about_products(steps)
    names = [[value.callee.name for _, value in s if hasattr(value, "callee")] for s in (steps, kept)]
    assert len(bindings_of(block)) >= len(steps) >= len(kept)
    return (*names, [str(len(read_outside(kept, block)))])


@pytest.mark.parametrize(
    ("body", "follow", "kept", "results"),
    [
        ("tanh(dense(x, $w))", "dense tanh", "dense tanh", 1),
        ("add(dense(tanh(x), $w), $b)", "tanh dense add", "tanh dense add", 1),
        ("add(add(dense(x, $w), $rows), exp(x))", "dense add exp add", "dense add exp add", 1),
        ("(dense(x, $w), exp(x))", "dense exp", "dense", 1),
        ("let p = dense(x, $w); (p, tanh(p))", "dense tanh", "dense tanh", 2),
        ("add(dense(x, $w), y)", "dense", "dense", 1),  # y is another's
        ("dense(add(x, y), $w)", "", "", 0),
        ("add(x, $two)", "", "", 0),  # makes two rows
        ("dense(softmax(x), $w)", "", "", 0),  # by row, and not said to be
        ("dense($w, x)", "", "", 0),  # as the weight
        ("dense(x, x)", "", "", 0),
        ("add(dense(x, $w), $deep)", "dense", "dense", 1),  # would set rows against the wrong dimension
        ('gated_dense(x, $gate, $gates, gates=1, cell="y = tanh(z0)", start="b[g, u]")', *["gated_dense"] * 2, 0),
        ('gated_dense(x, $gate, $rows, gates=1, cell="y = z0 * c[m, u]")', "", "", 0),  # a constant for each row
        ('gated_dense($rows, $gate, x, gates=1, cell="y = z0", start="b[g, u]")', "", "", 0),  # as the bias
    ],
)
def test_what_follows(body: str, follow: str, kept: str, results: int) -> None:
    if follow == "gated_dense":
        body, results = f"({body}).0", 1
    assert found(body) == (follow.split(), kept.split(), [str(results)])
