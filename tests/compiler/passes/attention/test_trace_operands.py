"""Products read what operands were before they were copied, and the model means what it meant."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import Call, operator_of, tensor_of
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.passes.dead_code import dead_code
from tests.support.cases.compiled_modules import check, compile_text, random

HEADS = "perm=(0, 2, 1, 3)"
SCALED = "let q = multiply({q}, 0.5); let k = divide({k}, 4.0); batch_matmul(q, k)"
# What torch writes of keys: heads turned, joined with the batches, rows and widths turned, parted again.
KEYS = 'reshape_sized(transpose(reshape_sized(h, x, sizes="3*d4, d5, 4"), perm=(0, 2, 1)), x, sizes="d3, 3, 4, d4")'
SHARED = (
    'reshape_sized(broadcast_sized(reshape_sized({0}, sizes="1, 3, 1, d2, 4"), {0}, sizes="1, 3, 2, d7, 4"), '
    '{0}, sizes="1, 6, d7, 4")'
)
CACHE = "q: Tensor[(1, 6, ?t, 4), float32], k: Tensor[(1, 3, ?n, 4), float32]"


def calls(params: str, body: str, sizes: dict[str, int]) -> list[Call]:
    """What main calls right behind the pass, what nobody reads left out. It means the same there and in the end."""
    made = compile_text(f"def main({params}) {{ {body} }}")
    shapes = [[sizes.get(str(d), d) for d in tensor_of(p).shape] for p in made.module.main.params]
    check(made, *(random(i, *map(int, shape)) for i, shape in enumerate(shapes)), tolerance=1e-4)
    found = nodes(dead_code(dict(made.stages)["trace_operands"]).main.body)
    return [e for e in found if isinstance(e, Call) and operator_of(e)]


def count(found: list[Call], *names: str) -> int:
    return sum(operator_of(e) in names for e in found)


def turns(found: list[Call]) -> list[object]:
    return [dict(e.attrs)["perm"] for e in found if operator_of(e) == "transpose"]


@pytest.mark.parametrize(("b", "turned"), [("?b", [(0, 2, 1, 3), (0, 1, 3, 2)]), ("1", [(0, 2, 1, 3), (0, 2, 3, 1)])])
def test_keys_are_turned_once_and_scales_are_the_tail(b: str, turned: list[object]) -> None:
    params = f"x: Tensor[({b}, ?t, 3, 4), float32]"
    found = calls(params, f"let h = transpose(x, {HEADS}); {SCALED.format(q='h', k=KEYS)}", {"?b": 2, "?t": 5})
    assert turns(found) == turned
    assert count(found, "reshape_sized", "divide") == 0
    (scale,) = (e for e in found if operator_of(e) == "multiply")
    assert float(scale.args[1].array) == 0.125  # type: ignore[union-attr]  # a constant


@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("t", [1, 5])
def test_heads_that_share_keys_are_rows(t: int, n: int) -> None:
    body = f"""
      let k6 = {SHARED.format("k")};
      let weights = softmax(multiply(batch_matmul(q, k6, rhs="bnk"), 0.5));
      batch_matmul(weights, {SHARED.format("k")})
    """
    found = calls(CACHE, body, {"?t": t, "?n": n})
    assert count(found, "broadcast_sized", "transpose") == 0
    products = [e for e in found if operator_of(e) == "batch_matmul"]
    assert [tensor_of(e.args[0]).shape[:2] for e in products] == [(1, 3)] * 2
    assert [e.args[1].name for e in products] == ["k", "k"]  # type: ignore[union-attr]  # a variable


@pytest.mark.parametrize(
    ("q", "k", "body"),
    [
        ("(?b, 3, 2, ?t, 4)", "(?b, 3, 1, ?n, 4)", 'broadcast_sized(k, k, sizes="d0, 3, 2, d3, 4")'),
        ("(?b, 3, 2, ?t, 4)", "(?b, 3, ?n, 4)", 'broadcast_sized(expand_dims(k, axis=(2,)), sizes="d0, 3, 2, d3, 4")'),
        ("(?b, 6, ?t, 4)", "(?b, 1, ?n, 4)", 'broadcast_sized(k, sizes="d0, 6, d2, 4")'),
        ("(?b, 6, ?t, 4)", "(?n, 4)", 'broadcast_sized(k, q, sizes="d2, 6, d0, 4")'),
    ],
)
def test_they_may_be_repeated_along_a_dimension_of_their_own(q: str, k: str, body: str) -> None:
    found = calls(f"q: Tensor[{q}, float32], k: Tensor[{k}, float32]", f'batch_matmul(q, {body}, rhs="bnk")',
                  {"?b": 2, "?t": 3, "?n": 5})  # fmt: skip
    assert count(found, "broadcast_sized") == (1 if k == "(?n, 4)" else 0)  # of batches nobody knows how many there are


@pytest.mark.slow
@pytest.mark.parametrize(
    ("q", "k", "layouts"),
    [
        ("(1, 1, ?t, 4)", 'broadcast_sized(k, sizes="1, 6, d2, 4")', 'rhs="bnk"'),  # one head of queries for all keys
        ("(1, 6, ?t, 4)", 'transpose(broadcast_sized(k, sizes="1, 6, d2, 4"), perm=(2, 0, 1, 3))', 'rhs="nbk"'),
        ("(?t, 1, 6, 4)", 'broadcast_sized(k, sizes="1, 6, d2, 4")', 'lhs="mbk", rhs="bnk"'),
    ],
)
def test_heads_that_are_no_rows_stay(q: str, k: str, layouts: str) -> None:
    params = f"q: Tensor[{q}, float32], k: Tensor[(1, 1, ?n, 4), float32]"
    found = calls(params, f"batch_matmul(q, {k}, {layouts})", {"?t": 3, "?n": 5})
    assert count(found, "broadcast_sized") == 1


def test_what_is_the_same_for_all_batches_is_no_batch() -> None:
    params = "q: Tensor[(2, ?t, 4), float32], k: Tensor[(?n, 4), float32]"
    found = calls(params, 'batch_matmul(q, broadcast_sized(k, sizes="2, d0, 4"), rhs="bnk")', {"?t": 3, "?n": 5})
    assert count(found, "broadcast_sized") == 1


@pytest.mark.parametrize(
    "body",
    [
        "batch_matmul(multiply(q, c), k6, rhs=\"bnk\")",  # by something else along each width
        "batch_matmul(divide(0.5, q), k6, rhs=\"bnk\")",
        "batch_matmul(multiply(q, 0.0), k6, rhs=\"bnk\")",  # of an infinity it is no number
        "batch_matmul(q, tanh(k6), rhs=\"bnk\")",
        "batch_matmul(q, reshape(transpose(k6, perm=(0, 2, 1, 3)), shape=(1, 6, -1, 4)), rhs=\"bnk\")",  # mixed rows
    ],
)  # fmt: skip
def test_what_is_no_copy_stays(body: str) -> None:
    params = "q: Tensor[(1, 6, ?t, 4), float32], k6: Tensor[(1, 6, ?n, 4), float32], c: Tensor[(4,), float32]"
    found = calls(params, body, {"?t": 3, "?n": 5})
    assert count(found, "multiply", "divide", "tanh", "transpose") == 1


@pytest.mark.parametrize(
    ("k", "seen"),
    [
        ("(1, 1, 3, ?n, 4)", "1, 2, 3, d{n}, 4"),  # queries one after the other have other keys
        ("(1, 2, 3, 1, 4)", "1, 2, 3, 5, 4"),  # one key, repeated as if there were five
    ],
)
def test_others_are_repeated(k: str, seen: str) -> None:
    whole = (
        f'reshape_sized(broadcast_sized(k, sizes="{seen.format(n=3)}"), k, sizes="1, 6, {"d8" if "?n" in k else 5}, 4")'
    )
    params = f"q: Tensor[(1, 6, ?t, 4), float32], k: Tensor[{k}, float32]"
    found = calls(params, f'batch_matmul(q, {whole}, rhs="bnk")', {"?t": 3, "?n": 5})
    assert count(found, "broadcast_sized") == 1
