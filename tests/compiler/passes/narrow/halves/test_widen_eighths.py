"""8-bit floats in models: what is cast to them is rounded, and products of two such are flagged for matrix units."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import infer
from anytile.compiler.module import Module
from anytile.compiler.passes.narrow.halves.widen_halves import widen_halves
from anytile.compiler.passes.to_anf import to_anf
from anytile.core.dtypes import FLOAT8
from anytile.schedules.nest.stored_floats import as_tensor
from tests.support.cases.compiled_modules import Compiled

pytest.importorskip("ml_dtypes")
ROWS = "x: Tensor[(?t, 6), float32]"
SMALL = 'let s = cast(x, dtype="DTYPE"); let r = cast(s, dtype="float32");'
PRODUCT = 'quantised_dense(ROWS, $w, out="float32", w="DTYPE", x="float32")'


def module(body: str, dtype: str, params: str = ROWS) -> Module:
    w = as_tensor(np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32), dtype)
    declared = f"const $w: Tensor[(8, 6), {dtype}];\n" if "$w" in body else ""
    return Module.parse(
        f"{declared}def main({params}) {{ {body} }}".replace("DTYPE", dtype), {"w": w} if declared else {}
    )


def agree(made: Module, dtype: str = "float32") -> None:
    """Whether what is compiled makes what the model says, to the last bit where nothing is added up."""
    compiled = Compiled(made)
    for t in (0, 1, 9):
        x = (np.random.default_rng(t).standard_normal((t, 6)) * 200).astype(dtype)
        wanted = evaluate(made, [x])
        for is_native in (False, True):
            found = compiled.session(is_native)(x)
            for one, other in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, wanted)), strict=True):
                assert one.dtype == other.dtype
                wide = [np.asarray(v, np.float32) for v in (one, other)]
                np.testing.assert_allclose(*wide, rtol=1e-5 if "$w" in str(made) else 0, atol=1e-3)


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize(
    "body",
    [
        SMALL + "add(r, x)",
        SMALL + "(multiply(r, r), s)",
        'cast(transpose(cast(x, dtype="DTYPE"), perm=(1, 0)), dtype="float32")',
        'let s = cast(x, dtype="DTYPE"); cast(concat(s, s, axis=0), dtype="float32")',
        'cast(cast(x, dtype="float16"), dtype="DTYPE")',
        'cast(cast(x, dtype="DTYPE"), dtype="int32")',
        'let s = cast(x, dtype="DTYPE"); if (less(sum(x, axis=(0, 1)), 0.0)) { cast(s, dtype="float32") } else { x }',
        SMALL + f"relu({PRODUCT.replace('ROWS', 'r')})",
    ],
)
def test_what_is_cast_is_rounded(body: str, dtype: str) -> None:
    agree(module(body, dtype))


@pytest.mark.parametrize("dtype", FLOAT8)
def test_a_cast_there_and_back_is_a_step_of_float32(dtype: str) -> None:
    made = str(Module.of(widen_halves(to_anf(infer(module(SMALL + "add(r, 1.0)", dtype)).module))))
    assert re.search(rf'round_to\(x, dtype="{dtype}"\)', made)


@pytest.mark.parametrize(
    ("rows", "is_flagged"),
    [
        ("r", True),
        ("transpose(transpose(r, perm=(1, 0)), perm=(1, 0))", True),
        ("x", False),
        ("add(r, 0.3)", False),
        ("concat(r, x, axis=0)", False),
    ],
)
def test_products_of_such_numbers_alone_are_for_matrix_units(rows: str, is_flagged: bool) -> None:
    made = module(SMALL + PRODUCT.replace("ROWS", rows), FLOAT8[0])
    text = str(Module.of(widen_halves(to_anf(infer(made).module))))
    assert ('products="rounded"' in text) == is_flagged
    agree(made)
