"""Products of attention read heads in place: no transposition is left where one sequence is meant, and those of rows
and widths never."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import operator_of
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.passes.attention.read_heads import read_heads
from anytile.compiler.passes.dead_code import live
from tests.support.cases.compiled_modules import check, compile_text, random

ONE = "x: Tensor[(1, ?t, 3, 4), float32]"
SOME = "x: Tensor[(?b, ?t, 3, 4), float32]"
HEADS, ROWS = "perm=(0, 2, 1, 3)", "perm=(0, 2, 3, 1)"


def left(body: str, param: str) -> tuple[list[str], list[str]]:
    """The products' layouts and the transpositions in the end; it is checked at some sizes."""
    made = compile_text(f"def main({param}) {{ {body} }}")
    for b, t in ((1, 0), (1, 1), (1, 7), *(((0, 3), (3, 5)) if param == SOME else ())):
        check(made, random(9, b, t, 3, 4), tolerance=1e-4)
    read = live(read_heads(dict(made.stages)["trace_operands"]).main.body)  # where it does not become one kernel
    calls = [e for e in nodes(read) if operator_of(e)]
    layouts = [
        " ".join(str(dict(e.attrs).get(side, "")) for side in ("lhs", "rhs", "y"))  # type: ignore[union-attr]  # a call
        for e in calls
        if operator_of(e) == "batch_matmul"
    ]
    return layouts, [operator_of(e) for e in calls if operator_of(e) == "transpose"]


ATTENTION = (
    f"let q = transpose(x, {HEADS}); let k = transpose(exp(x), {ROWS}); let v = transpose(tanh(x), {HEADS}); "
    f"transpose(batch_matmul(softmax(multiply(batch_matmul(q, k), 0.5)), v), {HEADS})"
)


@pytest.mark.slow
def test_one_sequence_reads_and_writes_heads_in_place() -> None:
    layouts, turned = left(ATTENTION, ONE)
    assert layouts == ["mbk nbk ", " kbn mbn"]
    assert not turned


@pytest.mark.slow
def test_of_some_sequences_rows_and_widths_change_places() -> None:
    layouts, turned = left(f"let q = transpose(x, {HEADS}); batch_matmul(q, transpose(q, perm=(0, 1, 3, 2)))", SOME)
    assert layouts == [" bnk "]
    assert len(turned) == 1
    assert len(left(ATTENTION, SOME)[1]) == 4  # they lie on both sides of the rows


@pytest.mark.parametrize(
    "body",
    [
        'batch_matmul(x, x, rhs="bnk")',
        f"let y = batch_matmul(x, x, rhs=\"bnk\"); (y, transpose(y, {HEADS}))",
        f"let q = transpose(x, {HEADS}); batch_matmul(slice(q, start=(0, 0), stop=(1, 1)), q, rhs=\"bnk\")",
    ],
)  # fmt: skip
def test_what_is_turned_for_no_product_or_is_broadcast_stays(body: str) -> None:
    assert left(body, ONE)[0] == [" bnk "]
