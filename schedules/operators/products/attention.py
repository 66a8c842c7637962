"""attention: y[b, h, m] = softmax over n of (scale * q . k + mask), times v; one head of keys may serve several of q.

Of tokens that come one after another, a query sees no key behind its own place (`causal`): the last query stands at the
last key. A cache that is written in place is larger than what is in it: `length` says of each batch how many keys are
there, and what lies behind them is never looked at. A query that sees nothing gets 0; with `guard=nan` also one of
which a score is no number. With `guard=none` a query is spared only where there is no key to look at: where all of its
scores are -inf it gets NaN, as a softmax has it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import HALVES
from anytile.core.errors import SpecError
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    wide,
)

DIMS = {"q": "bhmd", "k": "bgnd", "v": "bgne", "y": "bhme"}
MASKED = "bhmn"  # what a mask may have of
NONE = "none"
LENGTH = "int64"
_STATIC = ("h", "d", "e")


def _form(attributes: Attributes) -> Form:
    orders = {name: str(attributes[name]) for name in DIMS}
    for name, order in orders.items():
        if sorted(order) != sorted(DIMS[name]):
            raise SpecError(f"attention: {name}={order}: expected the dimensions {DIMS[name]} in any order")
    mask = str(attributes["mask"])
    if mask == NONE and attributes["keeps"]:
        raise SpecError("attention: keeps=yes: there is no mask that could say which keys; expected mask= as well")
    if mask != NONE and (len(set(mask)) < len(mask) or not set(mask) <= set(MASKED)):
        raise SpecError(f"attention: mask={mask}: expected some of {MASKED} in any order, or {NONE}")
    shared = int(attributes["shared"])
    tensors = (
        *(TensorSpec(name, tuple(orders[name])) for name in "qkv"),
        *(() if mask == NONE else (TensorSpec("mask", tuple(mask), dtype="bool" if attributes["keeps"] else None),)),
        *((TensorSpec("length", ("b",), dtype=LENGTH),) if attributes["lengths"] else ()),
        TensorSpec("y", tuple(orders["y"]), output=True),
    )
    return Form(("b", "h", "m", "n", "d", "e"), tensors, {"g": lambda s: s["h"] // shared})


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    for name in _STATIC:
        if size[name] is None:
            return f"{name} is symbolic; expected a whole number"
        if size[name] == 0:
            return f"{name} is 0; expected at least 1"
    shared = int(attributes["shared"])
    return f"h={size['h']} is not divisible by shared={shared}" if (size["h"] or 0) % shared else None


def scores_of(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, Array, Array]:
    """The scores [b, h, m, n], -inf where a query sees no key; the keys that it may look at, whatever a mask says of
    them; and the values of each head, 0 where there are none."""

    def ordered(name: str, order: str) -> Array:
        given = str(attributes[name])
        kept = [d for d in order if d in given]
        whole = wide(inputs[name]).transpose([given.index(d) for d in kept])
        return whole.reshape([whole.shape[kept.index(d)] if d in kept else 1 for d in order])

    q, k, v = (ordered(name, DIMS[name]) for name in "qkv")
    shared = int(attributes["shared"])
    k, v = k.repeat(shared, 1), v.repeat(shared, 1)
    m, n = q.shape[2], k.shape[2]
    there = np.clip(inputs["length"], 0, n) if attributes["lengths"] else np.full(q.shape[0], n)
    filled = np.arange(n) < there[:, None]
    with np.errstate(all="ignore"):
        scores = float(attributes["scale"]) * (q @ k.swapaxes(-1, -2))
        if attributes["keeps"]:
            scores = np.where(ordered("mask", MASKED), scores, -np.inf)
        elif attributes["mask"] != NONE:
            scores = scores + ordered("mask", MASKED)
    seen = np.broadcast_to(filled[:, None, None], scores.shape)
    if attributes["causal"]:
        seen = seen & (np.arange(n) <= np.arange(m)[:, None] + (there[:, None, None, None] - m))
    return np.where(seen, scores, -np.inf), seen, np.where(filled[:, None, :, None], v, 0.0)


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    scores, seen, v = scores_of(inputs, attributes)
    with np.errstate(all="ignore"):
        top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        weights = np.exp(scores - np.where(top == -np.inf, 0.0, top))
        total = weights.sum(axis=-1, keepdims=True)
        is_spared = total == 0
        if attributes["guard"] == "none":
            is_spared = ~seen.any(axis=-1, keepdims=True)
        y = (weights @ v) / np.where(is_spared, 1.0, total)
        if attributes["guard"] == "nan":
            y = np.where(np.isnan(total), 0.0, y)
    return (y.transpose([DIMS["y"].index(d) for d in str(attributes["y"])]),)


ATTENTION = Operator(
    name="attention",
    summary="y[b, h, m] = softmax over n of (scale * q[b, h, m] . k[b, h // shared, n] + mask), times v",
    form=_form,
    flops=lambda s, _: 2 * s["b"] * s["h"] * s["m"] * s["n"] * (s["d"] + s["e"]),
    reference=_reference,
    attributes=(
        Attribute("q", "str", DIMS["q"], "the order of the queries' dimensions"),
        Attribute("k", "str", DIMS["k"], "the order of the keys' dimensions; g are the heads that they have"),
        Attribute("v", "str", DIMS["v"], "the order of the values' dimensions"),
        Attribute("y", "str", DIMS["y"], "the order of the result's dimensions"),
        Attribute("scale", "float", 1.0, "what a query times a key is multiplied by"),
        Attribute("mask", "str", NONE, f"the dimensions, of {MASKED}, of an operand that is added to that"),
        Attribute("keeps", "bool", False, "whether the mask is of bools, and says which keys are seen"),
        Attribute("causal", "bool", False, "whether a query sees no key behind its place, the last one's is the last"),
        Attribute(
            "guard",
            "str",
            "empty",
            "which queries get 0: those that see nothing, all whose weights are no numbers, or those without a key",
            words=("empty", "nan", "none"),
        ),
        Attribute("lengths", "bool", False, "whether an operand `length[b]` says how many keys are there"),
        Attribute("shared", "int", 1, "how many heads of queries share a head of keys and values", least=1),
    ),
    dtypes=("float32", *HALVES),
    objection=_objection,
    has_weights=False,
    about="""`y[b, h, m] = softmax over n of (scale * q . k + mask), times v`, each tensor in an order of its own.

    `keeps`: the mask is of bools, and says which keys are seen. `causal`: query i sees the keys up to i + n - m.
    `lengths`: an operand `length[b]` says how many keys are there.
    `shared` heads of queries have one head of keys and values.
    """,
    static=_STATIC,
    section="Products",
    examples=(
        "attention(b=?a, h=2, m=?b, n=?c, d=8, e=8, scale=0.35)",
        "attention(b=?a, h=4, m=?b, n=?c, d=12, e=20, shared=2, causal=yes, mask=bn, q=bmhd, k=bngd, y=bmhe)",
        "attention(b=?a, h=2, m=?b, n=?c, d=7, e=5, causal=yes, lengths=yes, mask=mhbn, k=gbdn, v=begn, y=hmeb)",
        "attention(b=?a, h=2, m=?b, n=?c, d=8, e=8, shared=2, mask=mn, keeps=yes, guard=nan, q=bmhd, y=bmhe)",
        "attention(b=?a, h=2, m=?b, n=?c, d=8, e=8, mask=bn, guard=none, q=bmhd, k=bngd, v=bnge, y=bmhe)",
        "attention(b=2, h=1, m=1, n=?c, d=16, e=16, scale=0.25, lengths=yes, dtype=float16)",
    ),
    calls=(
        Call(
            summary="softmax of (scale * q . k + mask) over the keys, times v",
            inputs=("q", "k", "v", "mask", "length"),
            optional=2,
            examples=(
                example("(?b, 2, ?t, 6)", "(?b, 2, 9, 6)", "(?b, 2, 9, 5)", scale=0.4),
                example("(?b, 3, 4, 6)", "(?b, 2, ?t, 6)", "(?b, 2, ?t, 6)", "(?b, ?t)", q="bmhd", mask="bn", shared=2),
                example(
                    *("(?b, 2, 3, 6)", "(?b, 2, ?t, 6)", "(?b, 2, ?t, 6)", "(3, ?t) bool"),
                    mask="mn",
                    keeps=True,
                    guard="nan",
                ),
                example("(?b, 2, ?t, 6)", "(?b, 2, 5, 6)", "(?b, 2, 5, 6)", "(?b) int64", causal=True, lengths=True),
            ),
        ),
    ),
)
