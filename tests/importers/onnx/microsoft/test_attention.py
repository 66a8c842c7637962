"""Attention of com.microsoft against onnxruntime, and what this has on GPUs alone against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import AnytileError, ArgumentError, UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model, onnx

RNG = np.random.default_rng(7)
HEADS, WIDE = 2, 8
SIZES = [(1, 1), (2, 5), (3, 17)]
Shape = tuple[int | str, ...]
MASKS: dict[str, dict[str, Shape]] = {
    "none": {},
    "lengths": {"mask": ("b",)},
    "ends and begins": {"ends": ("b",), "begins": ("b",)},
    "dummy": {"mask": ("b", 1)},
    "keys": {"mask": ("b", "s")},
    "queries and keys": {"mask": ("b", "s", "s")},
}


def normal(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


WEIGHTS = {"w": normal(WIDE, 3 * WIDE), "bias": normal(3 * WIDE)}


def filled(inputs: dict[str, Shape], **sizes: int) -> dict[str, Any]:
    """Numbers for inputs: truths for masks, places for where sequences begin and end, so that some queries see
    nothing."""
    made = {}
    for name, shape in inputs.items():
        at = tuple(d if isinstance(d, int) else sizes[d] for d in shape)
        if name in ("begins", "ends") or (name == "mask" and len(at) == 1):
            made[name] = RNG.integers(0, sizes["s"] + 1, at, np.int32)
        else:
            made[name] = RNG.integers(0, 2, at, np.int32) if name == "mask" else normal(*at)
    return made


def attention(
    inputs: Sequence[str], outputs: Sequence[str] = ("y",), name: str = "Attention", **attributes: Any
) -> Any:
    return contrib(name, inputs, outputs, **{"num_heads": HEADS, **attributes})


INTEGERS = dict.fromkeys(("mask", "begins", "ends"), "int32")


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("kind", MASKS)
def test_masks(kind: str, causal: int) -> None:
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), **MASKS[kind]}
    nodes = [attention(["x", "w", "bias", "mask" if kind != "none" else ""], unidirectional=causal)]
    if "ends" in inputs:
        nodes.insert(0, onnx.helper.make_node("Concat", ["ends", "begins"], ["mask"], axis=0))
    agrees(nodes, inputs, ["y"], [filled(inputs, b=b, s=s) for b, s in SIZES], WEIGHTS, INTEGERS, 2e-5)


@pytest.mark.parametrize("count", ["n", 8])
def test_ends_of_which_a_file_does_not_say_how_many_they_are(count: int | str) -> None:
    """One for each batch, two, or three and two more: looked at as the model runs, as onnxruntime does."""
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), "mask": (count,)}
    node = attention(["x", "w", "bias", "mask"])
    feeds = []
    for b, n in ((2, 8), (4, 8), (8, 8)) if count == 8 else ((2, 2), (2, 4), (1, 5), (3, 11), (3, 6), (1, 1)):
        mask = RNG.integers(0, 6, n).astype(np.int32)
        feeds.append({**filled({"x": inputs["x"]}, b=b, s=5), "mask": mask})
    agrees([node], inputs, ["y"], feeds, WEIGHTS, INTEGERS, 2e-5)


@pytest.mark.parametrize("name", ["Attention", "MultiHeadAttention"])
def test_ends_that_are_no_number_for_each_batch(name: str) -> None:
    """MultiHeadAttention takes no begins."""
    heads: dict[str, Shape] = dict.fromkeys(("q", "k", "v"), ("b", "s", WIDE))
    inputs = ({"x": ("b", "s", WIDE)} if name == "Attention" else heads) | {"mask": ("n",)}
    node = attention(["x", "w", "bias", "mask"] if name == "Attention" else ["q", "k", "v", "", "mask"], name=name)
    weights = WEIGHTS if name == "Attention" else None
    session = anytile.Session(anytile.compile(import_model(model([node], inputs, ["y"], weights, INTEGERS))))
    feed = filled(inputs, b=2, s=3, n=5 if name == "Attention" else 4)
    with pytest.raises(AnytileError):
        session(*(feed[n] for n in inputs))


def test_the_least_number_hides_keys_behind_a_query_and_in_a_mask_alike() -> None:
    """Where a query sees nothing, all keys weigh as much."""
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), "mask": ("b", "s")}
    least = float(np.finfo(np.float32).min)
    node = attention(["x", "w", "bias", "mask"], unidirectional=1, mask_filter_value=least)
    mask = np.array([[0, 0, 1, 1, 0], [1, 1, 1, 0, 0]], np.int32)
    feed = {**filled({"x": inputs["x"]}, b=2, s=5), "mask": mask}
    agrees([node], inputs, ["y"], [feed], WEIGHTS, INTEGERS, 2e-5)


def test_a_mask_in_float16_hides_by_a_number_that_it_holds() -> None:
    """Files in float16 have numbers that were the least of float32. A query that sees nothing weighs all keys."""
    heads: dict[str, Shape] = dict.fromkeys(("q", "k", "v"), ("b", "s", WIDE))
    dtypes = {**dict.fromkeys((*heads, "y"), "float16"), "mask": "int32"}
    least = float(np.finfo(np.float32).min)
    node = attention(["q", "k", "v", "", "mask"], name="MultiHeadAttention", mask_filter_value=least)
    proto = model([node], {**heads, "mask": ("b", "s")}, ["y"], None, dtypes)
    q, k, v = (normal(2, 5, WIDE).astype(np.float16) for _ in range(3))
    mask = np.array([[0, 0, 0, 0, 0], [0, 0, 1, 0, 0]], np.int32)
    found = anytile.Session(anytile.compile(import_model(proto)))(q, k, v, mask)
    wide = (x.astype(np.float32).reshape(2, 5, HEADS, WIDE // HEADS) for x in (q, k, v))
    np.testing.assert_allclose(found[0], reference(*wide)[0], atol=1e-2)
    np.testing.assert_allclose(found[1], np.tile(v[1, 2], (5, 1)), atol=1e-3)


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("has_mask", [False, True])
def test_keys_of_before(causal: int, has_mask: bool) -> None:
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), "past": (2, "b", HEADS, "p", WIDE // HEADS)}
    if has_mask:
        inputs["mask"] = ("b", "t")
    node = attention(["x", "w", "bias", "mask" if has_mask else "", "past"], ["y", "present"], unidirectional=causal)
    feeds = [filled(inputs, b=b, s=s, p=p, t=s + p) for b, s, p in ((1, 1, 4), (2, 5, 3), (2, 3, 1))]
    agrees([node], inputs, ["y", "present"], feeds, WEIGHTS, INTEGERS, 2e-5)


@pytest.mark.parametrize("lead", [("b", HEADS), (1, HEADS), (1, 1)])
@pytest.mark.parametrize("has_mask", [False, True])
def test_a_bias_of_scores(lead: Shape, has_mask: bool) -> None:
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), "more": (*lead, "s", "s")}
    if has_mask:
        inputs["mask"] = ("b", "s")
    node = attention(["x", "w", "bias", "mask" if has_mask else "", "", "more"], scale=0.7, mask_filter_value=-50.0)
    feeds = [filled(inputs, b=b, s=s) for b, s in SIZES]
    agrees([node], inputs, ["y"], feeds, WEIGHTS, INTEGERS, 2e-5, compiled=has_mask)


def test_heads_of_other_widths() -> None:
    inputs: dict[str, Shape] = {"x": ("b", "s", 6)}
    node = attention(["x", "w", "bias"], ["y"], qkv_hidden_sizes=[WIDE, WIDE, 12])
    weights = {"w": normal(6, 2 * WIDE + 12), "bias": normal(2 * WIDE + 12)}
    agrees([node], inputs, ["y"], [filled(inputs, b=b, s=s) for b, s in SIZES], weights, bound=2e-5)


# -- queries, keys and values each by itself ---------------------------------------------------------------------------

APART: dict[str, Shape] = {"q": ("b", "s", WIDE), "k": ("b", "t", WIDE), "v": ("b", "t", 12)}
ACROSS = [{"b": b, "s": s, "t": t} for b, s, t in ((1, 1, 1), (2, 5, 3), (3, 2, 17))]


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("mask", [None, ("b",), ("b", "t"), ("b", "s", "t")])
def test_many_heads(has_bias: bool, mask: Shape | None) -> None:
    inputs = {**APART, **({} if mask is None else {"mask": mask})}
    names = ["q", "k", "v", "bias" if has_bias else "", *(["mask"] if mask else [])]
    weights = {"bias": normal(2 * WIDE + 12)} if has_bias else None
    node = attention(names, name="MultiHeadAttention")
    feeds = [filled(inputs, **sizes) for sizes in ACROSS]
    agrees([node], inputs, ["y"], feeds, weights, INTEGERS, 2e-5, compiled=has_bias)


def test_scores_and_keys_are_results_too() -> None:
    inputs: dict[str, Shape] = {**APART, "more": (1, HEADS, "s", "t")}
    outputs = ["y", "keys", "values", "scores"]
    node = attention(["q", "k", "v", "", "", "more"], outputs, name="MultiHeadAttention")
    feeds = [filled(inputs, **sizes) for sizes in ACROSS]
    agrees([node], inputs, outputs, feeds, None, {"scores": "float32"}, 2e-5, compiled=False)


@pytest.mark.parametrize("causal", [0, 1])
def test_many_heads_behind_keys_of_before(causal: int) -> None:
    cache: Shape = ("b", HEADS, "p", WIDE // HEADS)
    inputs: dict[str, Shape] = dict.fromkeys("qkv", ("b", "s", WIDE))
    inputs |= {"keys": cache, "values": cache}
    outputs = ["y", "present_keys", "present_values"]
    node = attention(
        ["q", "k", "v", "", "", "", "keys", "values"], outputs, name="MultiHeadAttention", unidirectional=causal
    )
    feeds = [filled(inputs, b=b, s=s, p=p) for b, s, p in ((1, 1, 4), (2, 5, 3), (2, 3, 1))]
    agrees([node], inputs, outputs, feeds, bound=2e-5, compiled=bool(causal))


@pytest.mark.parametrize("has_bias", [False, True])
def test_keys_that_lie_by_heads(has_bias: bool) -> None:
    """As those of an encoder do, which a decoder computes once."""
    cache: Shape = ("b", HEADS, "t", WIDE // HEADS)
    inputs: dict[str, Shape] = {"q": ("b", "s", WIDE), "k": cache, "v": cache}
    node = attention(["q", "k", "v", "bias" if has_bias else ""], name="MultiHeadAttention")
    weights = {"bias": normal(3 * WIDE)} if has_bias else None
    feeds = [filled(inputs, **sizes) for sizes in ACROSS]
    agrees([node], inputs, ["y"], feeds, weights, bound=2e-5, compiled=has_bias)


def softmax(x: Any) -> Any:
    made = np.exp(x - x.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def reference(q: Any, k: Any, v: Any, added: Any = 0.0) -> Any:
    """q, k, v by (batch, row, head, element)."""
    scores = np.einsum("bmhd,bnhd->bhmn", q, k) / q.shape[-1] ** 0.5 + added
    return np.einsum("bhmn,bnhd->bmhd", softmax(scores), v).reshape(*q.shape[:2], -1)


def run(
    nodes: list[Any], feed: dict[str, Any], shapes: dict[str, Shape], weights: Any = None, dtypes: Any = None
) -> Any:
    proto = model(nodes, shapes, ["y"], weights, dtypes)
    return anytile.Session(anytile.compile(import_model(proto)))(*(feed[name] for name in shapes))


@pytest.mark.parametrize("has_bias", [False, True])
def test_queries_keys_and_values_in_one_tensor(has_bias: bool) -> None:
    x, bias = normal(2, 5, HEADS, 3, 4), normal(3 * WIDE)
    node = attention(["x", "", "", *(["bias"] if has_bias else [])], name="MultiHeadAttention")
    found = run([node], {"x": x}, {"x": ("b", "s", HEADS, 3, 4)}, {"bias": bias} if has_bias else None)
    added = bias.reshape(3, HEADS, 4).transpose(1, 0, 2) if has_bias else 0
    wanted = reference(*np.moveaxis(x + added, 3, 0))
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_keys_and_values_in_one_tensor() -> None:
    q, kv = normal(2, 5, WIDE), normal(2, 3, HEADS, 2, 4)
    node = attention(["q", "kv"], name="MultiHeadAttention")
    found = run([node], {"q": q, "kv": kv}, {"q": ("b", "s", WIDE), "kv": ("b", "t", HEADS, 2, 4)})
    wanted = reference(q.reshape(2, 5, HEADS, 4), kv[..., 0, :], kv[..., 1, :])
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_mask_of_all_places() -> None:
    """Of which those of these queries and keys are read."""
    x, mask = normal(2, 5, WIDE), RNG.integers(0, 2, (2, 1, 9, 9), np.int32)
    feed, shapes = {"x": x, "mask": mask}, {"x": ("b", "s", WIDE), "mask": ("b", 1, "m", "m")}
    found = run([attention(["x", "w", "bias", "mask"])], feed, shapes, WEIGHTS, INTEGERS)
    q, k, v = (x @ WEIGHTS["w"] + WEIGHTS["bias"]).reshape(2, 5, 3, HEADS, 4).transpose(2, 0, 1, 3, 4)
    wanted = reference(q, k, v, np.where(mask[:, :, :5, :5] > 0, 0, -10000.0))
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_sizes_that_must_be_equal_are_looked_at_when_the_model_runs() -> None:
    """Where the file has other names for them."""
    inputs: dict[str, Shape] = {"q": ("b", "s", WIDE), "k": ("b1", "t", WIDE), "v": ("b2", "t1", WIDE)}
    inputs |= {"mask": ("b3", "t2"), "more": ("b4", HEADS, "s1", "t3")}
    node = attention(["q", "k", "v", "", "mask", "more"], name="MultiHeadAttention")
    session = anytile.Session(anytile.compile(import_model(model([node], inputs, ["y"], None, INTEGERS))))
    feed = filled(
        {"q": ("b", "s", WIDE), "k": ("b", "t", WIDE), "v": ("b", "t", WIDE), "mask": ("b", "t")}, b=2, s=5, t=3
    )
    feed["more"] = normal(2, HEADS, 5, 3)
    found = session(*(feed[name] for name in inputs))
    q, k, v = (feed[name].reshape(2, -1, HEADS, WIDE // HEADS) for name in "qkv")
    added = feed["more"] + np.where(feed["mask"] > 0, 0, -10000.0)[:, None, None]
    np.testing.assert_allclose(found, reference(q, k, v, added), atol=1e-3)
    feed["mask"] = feed["mask"][:, :2]
    with pytest.raises(ArgumentError, match="expected equal sizes, got 4 and 6"):
        session(*(feed[name] for name in inputs))


# -- kernels, and what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mask", "causal"), [(None, 0), (("b", "s"), 0), (("b",), 0), (None, 1), (("b", "s"), 1)])
def test_it_is_one_kernel_between_two_products(mask: Shape | None, causal: int) -> None:
    inputs: dict[str, Shape] = {"x": ("b", "s", WIDE), **({} if mask is None else {"mask": mask})}
    node = attention(["x", "w", "bias", *(["mask"] if mask else [])], unidirectional=causal)
    exe = anytile.compile(import_model(model([node], inputs, ["y"], WEIGHTS, INTEGERS)))
    assert {k.workload for k in exe.kernels if k.kind == "packed"} <= {"arange"}  # places, once for all layers
    found = [k.workload for k in exe.kernels if k.kind == "kernel"]
    assert len([w for w in found if w.startswith("attention(")]) == 1
    assert not [w for w in found if "softmax" in w or "batch_matmul" in w], found


@pytest.mark.parametrize(
    ("inputs", "attributes", "said"),
    [
        (["x", "w"], {"num_heads": 0}, "num_heads=0; expected at least 1"),
        (["x", "w"], {"do_rotary": 1}, "the attribute do_rotary=1"),
        (["x", "w"], {"num_heads": 3}, "expected 3 dimensions, of which the last is a multiple"),
        (["x", "w"], {"qkv_hidden_sizes": [4, 8, 12]}, "queries, keys and values"),
        (["x", "w", "", "", "", "", "n"], {}, "past_sequence_length: a cache with room"),
        (["x", "w", "", "five"], {}, "a mask of .*; expected 1 to 4 dimensions"),
    ],
)
def test_what_is_refused(inputs: list[str], attributes: dict[str, Any], said: str) -> None:
    shapes: dict[str, Shape] = {"x": ("b", "s", WIDE), "w": (WIDE, 3 * WIDE), "n": (1,), "five": (1, 1, 1, 1, 1)}
    read = {n: shapes[n] for n in inputs if n}
    with pytest.raises(UnsupportedError, match=said):
        imported([attention(inputs, **attributes)], read, ["y"], dict.fromkeys(("n", "five"), "int32"))


def test_past_keys_without_past_values() -> None:
    node = attention(["q", "k", "v", "", "", "", "past"], name="MultiHeadAttention")
    with pytest.raises(UnsupportedError, match="past keys without past values"):
        imported([node], {**APART, "past": ("b", HEADS, "p", WIDE // HEADS)}, ["y"])


def test_queries_of_one_length_and_keys_of_another_are_not_unidirectional() -> None:
    node = attention(["q", "k", "v"], name="MultiHeadAttention", unidirectional=1)
    with pytest.raises(UnsupportedError, match="unidirectional=1 of s queries and t keys; expected as many"):
        imported([node], APART, ["y"])
