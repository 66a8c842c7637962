"""Two products and the softmax between them are attention, in whatever order their operands lie; what is not stays."""

from __future__ import annotations

import bert
import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Call, is_operator_call
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.module import Module
from anytile.compiler.operators import operator
from anytile.compiler.pipeline import optimise
from tests.support.cases.compiled_modules import random

TYPES = {"q": "(?b, 2, ?t, 8)", "k": "(?b, 2, ?n, 8)", "v": "(?b, 2, ?n, 4)", "m": "(?b, 1, ?t, ?n)"}
SCORES = 'batch_matmul(q, k, rhs="bnk")'
KEEPS = {"keeps": True}
UNSPARED = {"guard": "none"}
LEAST = "-340282346638528859811704183484516925440.0"
HIDDEN = "max(m, axis=(0, 1, 2))"
SEEN = f"greater({HIDDEN}, -0.5)"
TURNED = "perm=(0, 2, 1, 3)"
ROWS = f'reshape_sized({SCORES}, m, sizes="d0, 2*d2, 1, d3")'


def attention(module: Module, *args: np.ndarray, device: int = 1) -> list[Call]:
    """The calls of attention in a module for a GPU, which means what it meant before it had them."""
    stages: dict[str, Module] = {}
    made = optimise(module, device, watch=lambda name, found: stages.update({name: found}), upto="match_attention")
    wanted, got = (evaluate(m, args) for m in (stages["read_heads"], made))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    return [e for e in nodes(made.main.body) if is_operator_call(e, "attention")]


def found(body: str, device: int = 1, **types: str) -> list[Call]:
    kinds = {**TYPES, **types}
    params = ", ".join(f"{name}: Tensor[{kind}, float32]" for name, kind in kinds.items())
    sizes = {"?b": 3, "?t": 5, "?n": 6}
    args = []
    for seed, (name, kind) in enumerate(kinds.items()):
        x = random(seed, *(sizes.get(d.strip(), 0) or int(d) for d in kind.strip("()").split(",")))
        args.append(np.where(x > 0, -np.inf, x) if name == "m" else x)
    args[3].reshape(-1, args[3].shape[-1])[0] = -np.inf  # a query that sees nothing
    return attention(Module.parse(f"def main({params}) {{ {body} }}", {}), *args, device=device)


@pytest.mark.parametrize(
    ("body", "attrs"),
    [
        (f"batch_matmul(softmax({SCORES}), v)", {}),
        (f"batch_matmul(softmax(multiply({SCORES}, 0.5)), v)", {"scale": 0.5}),
        (f"batch_matmul(softmax(multiply(0.5, {SCORES})), v)", {"scale": 0.5}),
        (f"batch_matmul(softmax(divide({SCORES}, 4.0), axis=3), v)", {"scale": 0.25}),
        (f'batch_matmul(softmax(add({SCORES}, m), guard="empty"), v)', {"mask": "bmn"}),
        (f'batch_matmul(softmax(add(m, multiply({SCORES}, 2.0)), guard="empty"), v)', {"mask": "bmn", "scale": 2.0}),
        (f'batch_matmul(softmax(add({SCORES}, m), guard="nan"), v)', {"mask": "bmn", "guard": "nan"}),
        (f'batch_matmul(softmax(where(greater(m, 0.0), {SCORES}, -inf), guard="empty"), v)', {"mask": "bmn", **KEEPS}),
        (f"batch_matmul(softmax(add({SCORES}, m)), v)", {"mask": "bmn", **UNSPARED}),  # NaN where a query sees nothing
        (f"batch_matmul(softmax(where(greater(m, 0.0), {SCORES}, -inf)), v)", {"mask": "bmn", **KEEPS, **UNSPARED}),
        (f"batch_matmul(softmax(add({SCORES}, multiply(exp(m), {LEAST}))), v)", {"mask": "bmn", **UNSPARED}),
        (
            f'batch_matmul(softmax(where({SEEN}, multiply({SCORES}, 0.5), -inf), guard="empty"), v)',
            {"mask": "n", "scale": 0.5, **KEEPS},
        ),
        (f"batch_matmul(squeeze(softmax(expand_dims({SCORES}, axis=(0,))), axis=(0,)), v)", {}),
        (
            f'batch_matmul(reshape_sized(softmax(add({ROWS}, {HIDDEN}), guard="empty"), m, sizes="d4, 2, d6, d7"), v)',
            {"mask": "n"},
        ),
        (
            f"transpose(batch_matmul(softmax({SCORES}), transpose(v, perm=(0, 1, 3, 2)), "
            'rhs="bnk"), perm=(0, 1, 3, 2))',
            {"y": "bhem"},
        ),
    ],
)
def test_it_is_one_call(body: str, attrs: dict[str, object]) -> None:
    (call,) = found(body)
    assert dict(call.attrs) == attrs


@pytest.mark.parametrize(
    "body",
    [
        f"batch_matmul(softmax({SCORES}, axis=2), v)",  # over queries
        f"add(batch_matmul(softmax({SCORES}), v), sum({SCORES}))",  # somebody else reads the scores
        f"batch_matmul(softmax(tanh({SCORES})), v)",
        f'batch_matmul(softmax(multiply({SCORES}, m), guard="empty"), v)',
        f"batch_matmul(softmax(divide({SCORES}, 0.0)), v)",
        f"batch_matmul(softmax(divide(2.0, {SCORES})), v)",
        f"batch_matmul({SCORES}, v)",
    ],
)
def test_what_is_something_else_stays(body: str) -> None:
    assert found(body) == []


def test_a_number_that_is_not_minus_infinity_hides_no_key() -> None:
    """Where all is hidden by a number, all keys weigh alike."""
    for number, count in (("-inf", 1), ("-100000000000000000000000000000000.0", 0), ("-1.0", 0)):
        calls = found(f'batch_matmul(softmax(where(greater(m, 0.0), {SCORES}, {number}), guard="empty"), v)')
        assert len(calls) == count, number


def test_what_was_turned_is_read_and_written_as_it_lies() -> None:
    body = (
        f"let a = transpose(q, {TURNED}); let b = transpose(k, {TURNED}); let c = transpose(v, {TURNED}); "
        f'transpose(batch_matmul(softmax(batch_matmul(a, b, rhs="bnk")), c), {TURNED})'
    )
    lying = {"q": "(?b, ?t, 2, 8)", "k": "(?b, ?n, 2, 8)", "v": "(?b, ?n, 2, 4)"}
    (call,) = found(body, **lying)
    assert dict(call.attrs) == {"q": "bmhd", "k": "bngd", "v": "bnge", "y": "bmhe"}


SQUARE = {"q": "(?b, 2, ?t, 8)", "k": "(?b, 2, ?t, 8)", "v": "(?b, 2, ?t, 4)", "m": "(?b, 1, ?t, ?t)"}
PLACES = 'arange(0, squeeze(sizes_of(m, sizes="d2")), 1)'
ACROSS, DOWN = (f'reshape_sized({PLACES}, m, sizes="{sizes}")' for sizes in ("d3", "d3, 1"))


@pytest.mark.parametrize(
    ("scores", "is_causal"),
    [
        (f"where(less_equal({ACROSS}, {DOWN}), {SCORES}, -inf)", True),
        (f"where(less_equal({ACROSS}, {DOWN}), {SCORES}, {LEAST})", True),
        (f"where(logical_not(greater({ACROSS}, {DOWN})), multiply({SCORES}, 2.0), -inf)", True),
        (f"where(greater_equal({DOWN}, {ACROSS}), {SCORES}, -inf)", True),
        (f"add({SCORES}, where(less({DOWN}, {ACROSS}), -inf, 0.0))", True),
        (f"add({SCORES}, where(equal(where(less_equal({ACROSS}, {DOWN}), 1.0, 0.0), 0.0), -inf, 0.0))", True),
        (f"expand_dims(where(less_equal({ACROSS}, {DOWN}), {SCORES}, -inf), axis=(0,))", True),
        (f"where(less({ACROSS}, {DOWN}), {SCORES}, -inf)", False),  # the first query sees nothing
        (f"where(less_equal({DOWN}, {ACROSS}), {SCORES}, -inf)", False),
        (f"where(greater({ACROSS}, {DOWN}), {SCORES}, -inf)", False),
        (f"where(less_equal(multiply({ACROSS}, 2), {DOWN}), {SCORES}, -inf)", False),
        (f"add({SCORES}, where(less_equal({ACROSS}, {DOWN}), 0.0, -1.0))", False),
        (f"add({SCORES}, where(less_equal({ACROSS}, {DOWN}), 1.0, -inf))", False),
    ],
)
def test_a_query_that_sees_up_to_itself(scores: str, is_causal: bool) -> None:
    soft = f"softmax({scores})"
    soft = f"squeeze({soft}, axis=(0,))" if scores.startswith("expand_dims") else soft
    (call,) = found(f"batch_matmul({soft}, v)", **SQUARE)
    assert dict(call.attrs).items() >= ({"causal": True} if is_causal else UNSPARED).items()


REPEATED = (
    'reshape_sized(broadcast_sized(expand_dims({0}, axis=(2,)), sizes="d0, 2, 3, d3, d4"), sizes="d0, 6, d3, d4")'
)
LIKENESS = f'batch_matmul(q, {REPEATED.format("k")}, rhs="bnk")'
SHARING = f"batch_matmul({{0}}, {REPEATED.format('v')})"
GROUPED = {"q": "(?b, 6, ?t, 8)", **{name: SQUARE[name] for name in "kvm"}}


@pytest.mark.parametrize(
    ("soft", "attrs"),
    [
        ("softmax(multiply({0}, 0.5))", {"scale": 0.5}),
        ("softmax(add(multiply({0}, 0.5), m))", {"scale": 0.5, "mask": "bmn", **UNSPARED}),
        ('softmax(where(greater(m, 0.0), {0}, -inf), guard="empty")', {"mask": "bmn", **KEEPS}),
        (f"softmax(where(less_equal({ACROSS}, {DOWN}), {{0}}, -inf))", {"causal": True}),
        ("softmax(add({0}, m), axis=2)", None),
        ("multiply(softmax({0}), 2.0)", None),
    ],
)
def test_heads_that_share_one_of_keys(soft: str, attrs: dict[str, object] | None) -> None:
    calls = found(SHARING.format(soft.format(LIKENESS)), **GROUPED)
    assert [dict(c.attrs) for c in calls] == ([] if attrs is None else [{"shared": 3, **attrs}])


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize(
    ("soft", "m", "attrs"),
    [
        ("softmax({0})", "(?b, 1, 1, ?n)", {}),
        ("softmax(multiply({0}, 0.5))", "(?b, 1, 1, ?n)", {"scale": 0.5}),
        ("softmax(add({0}, m))", "(?b, 1, 1, ?n)", {"mask": "bn", **UNSPARED}),
        ('softmax(add(multiply({0}, 0.5), m), guard="empty")', "(1, 1, 1, ?n)", {"scale": 0.5, "mask": "n"}),
        ('softmax(where(greater(m, 0.0), {0}, -inf), guard="empty")', "(?b, 1, 1, ?n)", {"mask": "bn", **KEEPS}),
        ("softmax(add({0}, m))", "(?b, 6, 1, ?n)", None),  # one for each head
        ("softmax(add({0}, m))", "(?b, 1, ?t, ?n)", None),  # or for each query
    ],
)
def test_of_few_queries_heads_that_share_one_of_keys_are_its_rows(
    soft: str, m: str, attrs: dict[str, object] | None, device: int
) -> None:
    """The keys are read once for all of them."""
    few = {**GROUPED, **{name: TYPES[name] for name in "kv"}, "m": m}
    queries = few if "?t" in m else {**few, "q": "(?b, 6, 1, 8)"}
    calls = found(SHARING.format(soft.format(LIKENESS)), device, **queries)
    assert [dict(c.attrs) for c in calls] == ([] if attrs is None else [attrs])
    assert {c.args[0].name for c in calls} == (set() if attrs is None else {"rows"})


def test_a_constant_triangle_is_causal() -> None:
    params = "q: Tensor[(2, 5, 8), float32], k: Tensor[(2, 5, 8), float32], v: Tensor[(2, 5, 4), float32]"
    body = f"batch_matmul(softmax(add({SCORES}, $m)), v)"
    text = f"const $m: Tensor[(5, 5), float32]; def main({params}) {{ {body} }}"
    args = [random(seed, 2, 5, width) for seed, width in enumerate((8, 8, 4))]
    hidden = np.where(np.tri(5, dtype=bool), 0, -np.inf).astype(np.float32)
    other = {"mask": "mn", **UNSPARED}
    for m, wanted in ((hidden, {"causal": True}), (hidden.T.copy(), other), (np.full_like(hidden, -1e30), other)):
        (call,) = attention(Module.parse(text, {"m": m}), *args)
        assert dict(call.attrs) == wanted


def test_on_a_cpu_few_queries_need_heads_that_lie_side_by_side() -> None:
    body = f"batch_matmul(softmax({SCORES}), v)"
    few, many = (dict.fromkeys("q", f"(?b, 2, {count}, 8)") | {"m": f"(?b, 1, {count}, ?n)"} for count in (15, 16))
    assert [len(found(body, device=0, **types)) for types in ({}, few, many, SQUARE)] == [1, 1, 1, 1]
    turned, lying = "batch_matmul(softmax(batch_matmul(q, k)), v)", {"k": "(?b, 2, 8, ?n)"}
    assert [len(found(turned, device=0, **lying, **types)) for types in ({}, few, many)] == [0, 0, 1]


def test_products_that_may_be_rounded_stay_two_on_a_cpu() -> None:
    one = SCORES.replace(")", ', products="bfloat16")')
    other = f'batch_matmul(softmax({SCORES}), v, products="bfloat16")'
    for body in (f"batch_matmul(softmax({one}), v)", other):
        exact = body.replace(', products="bfloat16"', "")
        assert [len(found(text, 0, **SQUARE)) for text in (body, exact)] == [0, 1]


def test_heads_wider_than_every_gpu_takes_stay() -> None:
    for width, count in ((128, 1), (129, 0)):
        calls = found(f"batch_matmul(softmax({SCORES}), v)", q=f"(?b, 2, ?t, {width})", k=f"(?b, 2, ?n, {width})")
        assert len(calls) == count


def test_bert_has_one_for_each_layer() -> None:
    """Heads are read where the dense layers put them, and a mask is none."""
    calls = attention(bert.bert(2), random(0, 5, bert.HIDDEN))
    assert [dict(c.attrs) for c in calls] == [{"q": "bmhd", "k": "bngd", "v": "bnge", "y": "bmhe", "scale": 0.125}] * 2


@pytest.mark.parametrize("b", ["1", "?b"])
@pytest.mark.parametrize("device", [0, 1])
def test_one_sequence_whose_keys_lie_by_heads_beside_queries_that_do_not(device: int, b: str) -> None:
    """As in a decoder's step: what layers make has a row for each token, what was cached one for each head."""
    body = """
      let heads = transpose(reshape(x, shape=(0, 0, 4, 8)), perm=(0, 2, 1, 3));
      let keys = concat(k, exp(heads), axis=2); let values = concat(v, heads, axis=2);
      batch_matmul(softmax(multiply(batch_matmul(heads, keys, rhs="bnk"), 0.5)), values)
    """
    cache = f"Tensor[({b}, 4, ?n, 8), float32]"
    module = Module.parse(f"def main(x: Tensor[({b}, ?t, 32), float32], k: {cache}, v: {cache}) {{ {body} }}", {})
    args = random(0, 1, 3, 32), random(1, 1, 4, 7, 8), random(2, 1, 4, 7, 8)
    stages: dict[str, Module] = {}
    made = optimise(module, device, watch=lambda name, found: stages.update({name: found}), upto="match_attention")
    np.testing.assert_allclose(evaluate(made, args), evaluate(stages["trace_operands"], args), rtol=1e-5, atol=1e-5)
    (call,) = (e for e in nodes(made.main.body) if is_operator_call(e, "attention"))
    assert operator("attention").complete(call.attrs)["q"] == "bmhd"
