"""Two products and the softmax between them are attention, in whatever order their operands lie; what is not stays."""

from __future__ import annotations

import bert
import numpy as np
import pytest

from anytile.compiler.evaluate import evaluate
from anytile.compiler.ir.nodes import Call, is_operator_call
from anytile.compiler.ir.traverse import nodes
from anytile.compiler.module import Module
from anytile.compiler.pipeline import optimise
from tests.support.cases.compiled_modules import random

TYPES = {"q": "(?b, 2, ?t, 8)", "k": "(?b, 2, ?n, 8)", "v": "(?b, 2, ?n, 4)", "m": "(?b, 1, ?t, ?n)"}
SCORES = 'batch_matmul(q, k, rhs="bnk")'


def attention(module: Module, *args: np.ndarray) -> list[Call]:
    """The calls of attention in a module for a GPU, which means what it meant before it had them."""
    stages: dict[str, Module] = {}
    made = optimise(module, device=1, watch=lambda name, found: stages.update({name: found}), upto="match_attention")
    wanted, got = (evaluate(m, args) for m in (stages["read_heads"], made))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    return [e for e in nodes(made.main.body) if is_operator_call(e, "attention")]


def found(body: str, **types: str) -> list[Call]:
    kinds = {**TYPES, **types}
    params = ", ".join(f"{name}: Tensor[{kind}, float32]" for name, kind in kinds.items())
    sizes = {"?b": 3, "?t": 5, "?n": 6}
    args = []
    for seed, (name, kind) in enumerate(kinds.items()):
        x = random(seed, *(sizes.get(d.strip(), 0) or int(d) for d in kind.strip("()").split(",")))
        args.append(np.where(x > 0, -np.inf, x) if name == "m" else x)
    args[3].reshape(-1, args[3].shape[-1])[0] = -np.inf  # a query that sees nothing
    return attention(Module.parse(f"def main({params}) {{ {body} }}", {}), *args)


@pytest.mark.parametrize(
    ("body", "attrs"),
    [
        (f"batch_matmul(softmax({SCORES}), v)", {}),
        (f"batch_matmul(softmax(multiply({SCORES}, 0.5)), v)", {"scale": 0.5}),
        (f"batch_matmul(softmax(multiply(0.5, {SCORES})), v)", {"scale": 0.5}),
        (f"batch_matmul(softmax(divide({SCORES}, 4.0), axis=3), v)", {"scale": 0.25}),
        (f'batch_matmul(softmax(add({SCORES}, m), guard="empty"), v)', {"mask": "bmn"}),
        (f'batch_matmul(softmax(add(m, multiply({SCORES}, 2.0)), guard="empty"), v)', {"mask": "bmn", "scale": 2.0}),
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
        f"batch_matmul(softmax(add({SCORES}, tanh(m))), v)",  # a row that sees nothing were another
        f'batch_matmul(softmax(multiply({SCORES}, m), guard="empty"), v)',
        f"batch_matmul(softmax(divide({SCORES}, 0.0)), v)",
        f"batch_matmul(softmax(divide(2.0, {SCORES})), v)",
        f"batch_matmul({SCORES}, v)",
    ],
)
def test_what_is_something_else_stays(body: str) -> None:
    assert found(body) == []


def test_heads_wider_than_every_gpu_takes_stay() -> None:
    for width, count in ((128, 1), (129, 0)):
        calls = found(f"batch_matmul(softmax({SCORES}), v)", q=f"(?b, 2, ?t, {width})", k=f"(?b, 2, ?n, {width})")
        assert len(calls) == count


def test_bert_has_one_for_each_layer() -> None:
    """Heads are read where the dense layers put them, and a mask is none."""
    calls = attention(bert.bert(2), random(0, 5, bert.HIDDEN))
    assert [dict(c.attrs) for c in calls] == [{"q": "bmhd", "k": "bngd", "v": "bnge", "y": "bmhe", "scale": 0.125}] * 2
