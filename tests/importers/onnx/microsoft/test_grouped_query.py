"""GroupQueryAttention against onnxruntime: prompts, steps, batches that each go on elsewhere, and all its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import Feed, agrees, contrib, imported, model, onnx

RNG = np.random.default_rng(7)
HEADS, KEYS, SIZE, PLACES = 4, 2, 16, 40
_ANGLES = np.arange(PLACES)[:, None] * 100.0 ** (-np.arange(SIZE // 2) / (SIZE // 2))
TABLES = {"cos": np.cos(_ANGLES).astype(np.float32), "sin": np.sin(_ANGLES).astype(np.float32)}
NAMES = ("q", "k", "v", "past_k", "past_v", "last", "total", "cos", "sin")
RESULTS = ("y", "new_k", "new_v")
SHAPES: dict[str, tuple[int | str, ...]] = {
    "q": ("b", "m", HEADS * SIZE),
    **dict.fromkeys(("k", "v"), ("b", "m", KEYS * SIZE)),
    **dict.fromkeys(("past_k", "past_v"), ("b", KEYS, "p", SIZE)),
    "last": ("b",),
    "total": (),
}
DTYPES = {"last": "int32", "total": "int32", "at": "int64"}


def _rand(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return RNG.standard_normal(shape, np.float32)


def _feed(b: int, m: int, p: int, total: int = 0, last: Sequence[int] = ()) -> dict[str, np.ndarray[Any, Any]]:
    """`m` new rows behind `p` of the cache, of which less may be in it."""
    total = total or p + m
    rows = {"q": _rand(b, m, HEADS * SIZE), **{name: _rand(b, m, KEYS * SIZE) for name in "kv"}}
    past = {f"past_{name}": _rand(b, KEYS, p, SIZE) for name in "kv"}
    ends = np.array(last or [total - 1] * b, np.int32)
    return {**rows, **past, "last": ends, "total": np.array(total, np.int32)}


def _node(names: Sequence[str] = NAMES, **given: Any) -> Any:
    return contrib("GroupQueryAttention", names, RESULTS, num_heads=HEADS, kv_num_heads=KEYS, **given)


def _agrees(feeds: Sequence[Feed], extra: dict[str, tuple[int | str, ...]] | None = None, **given: Any) -> None:
    names = list(NAMES)
    for at, name in ((9, "at"), (10, "bias"), (11, "sink")):
        if name in (extra or {}):
            names += [""] * (at - len(names)) + [name]
    agrees([_node(names, **given)], SHAPES | (extra or {}), RESULTS, feeds, TABLES, DTYPES)


ROWS = ((1, 5, 0), (2, 4, 0), (2, 1, 5), (1, 3, 5))  # batches, new rows, those of the cache


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"do_rotary": 1, "scale": 0.3},
        {"do_rotary": 1, "rotary_interleaved": 1},
        {"local_window_size": 3},
        {"causal": 0},
        {"softcap": 2.0, "local_window_size": 2},
        {"smooth_softmax": 1, "do_rotary": 1},
    ],
    ids=lambda given: "-".join(given) or "plain",
)
def test_prompts_and_steps(given: dict[str, Any]) -> None:
    _agrees([_feed(*rows) for rows in ROWS], **given)


def test_caches_with_room_and_batches_that_go_on_elsewhere() -> None:
    feeds = [_feed(1, 1, 9, 5), _feed(1, 3, 9, 3), _feed(2, 1, 9, 6, (5, 3)), _feed(2, 1, 6, 7, (6, 3))]
    _agrees([*feeds, _feed(1, 4, 9, 7), _feed(1, 2, 3)], do_rotary=1)


def test_places_that_are_given() -> None:
    feeds = [{**(feed := _feed(*rows)), "at": RNG.integers(0, 9, feed["q"].shape[:2])} for rows in ROWS]
    _agrees(feeds, {"at": ("b", "m")}, do_rotary=1)


@pytest.mark.parametrize("given", [{}, {"local_window_size": 3}, {"softcap": 2.0}], ids=str)
def test_a_bias_of_scores(given: dict[str, Any]) -> None:
    feeds = [{**_feed(b, m, p), "bias": _rand(1, HEADS, m, m + p)} for b, m, p in ROWS]
    _agrees(feeds, {"bias": (1, HEADS, "m", "t")}, **given)


@pytest.mark.parametrize("given", [{}, {"local_window_size": 3}, {"softcap": 2.0}], ids=str)
def test_a_bias_of_scores_beside_a_cache_with_room(given: dict[str, Any]) -> None:
    """It has as many columns as there are keys, of which the cache has more."""
    feeds = [_feed(1, 1, 9, 5), _feed(1, 3, 9, 3), _feed(2, 1, 9, 6, (5, 3)), _feed(1, 2, 3)]
    feeds = [{**feed, "bias": _rand(1, 1, feed["q"].shape[1], int(feed["total"]))} for feed in feeds]
    _agrees(feeds, {"bias": (1, 1, "m", "t")}, **given)


@pytest.mark.parametrize("given", [{}, {"softcap": 2.0}], ids=str)
def test_a_window_that_hides_all(given: dict[str, Any]) -> None:
    _agrees([_feed(*rows) for rows in ROWS], local_window_size=0, **given)


def test_a_cap_below_zero_is_none() -> None:
    _agrees([_feed(*rows) for rows in ROWS], softcap=-2.0)


def test_sinks_of_heads() -> None:
    sink = _rand(HEADS)
    _agrees([{**_feed(*rows), "sink": sink} for rows in ROWS], {"sink": (HEADS,)}, local_window_size=4)


def test_queries_keys_and_values_of_one_matrix_without_a_cache() -> None:
    names = ["q", "", "", "", "", "last", "total", "cos", "sin"]
    shapes = {"q": ("b", "m", (HEADS + 2 * KEYS) * SIZE), "last": ("b",), "total": ()}
    feeds = []
    for b, m in ((1, 5), (2, 3)):
        whole = _rand(b, m, (HEADS + 2 * KEYS) * SIZE)
        feeds.append({"q": whole, "last": np.full(b, m - 1, np.int32), "total": np.array(m, np.int32)})
    agrees([_node(names, do_rotary=1)], shapes, RESULTS, feeds, TABLES, DTYPES)


def _masked() -> tuple[list[Any], dict[str, tuple[int | str, ...]]]:
    """Nodes that say of a mask what model builders say, and the inputs of an attention behind them."""
    make = onnx.helper.make_node
    nodes = [
        make("ReduceSum", ["mask", "one"], ["sum"], keepdims=0),
        make("Sub", ["sum", "one"], ["last64"]),
        make("Cast", ["last64"], ["last"], to=onnx.TensorProto.INT32),
        make("Shape", ["mask"], ["shape"]),
        make("Gather", ["shape", "which"], ["total64"], axis=0),
        make("Cast", ["total64"], ["total"], to=onnx.TensorProto.INT32),
    ]
    shapes = {name: shape for name, shape in SHAPES.items() if name not in ("last", "total")}
    return nodes, {**shapes, "mask": ("b", "t")}


def test_a_cache_whose_size_comes_of_a_mask_keeps_its_name() -> None:
    nodes, shapes = _masked()
    weights = {**TABLES, "one": np.array([1]), "which": np.array(1)}
    feeds = []
    for b, m, p in ROWS:
        feed = _feed(b, m, p)
        feeds.append({**{n: feed[n] for n in shapes if n != "mask"}, "mask": np.ones((b, m + p), np.int64)})
    agrees([*nodes, _node(do_rotary=1)], shapes, RESULTS, feeds, weights, {"mask": "int64"})
    proto = model([*nodes, _node(do_rotary=1)], shapes, RESULTS, weights, {"mask": "int64"})
    kernels = [k.name for k in anytile.compile(import_model(proto)).kernels]
    assert sum(name.startswith("attention") for name in kernels) == 1, kernels


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"k_quant_type": "PER_TENSOR"}, "k_quant_type=PER_TENSOR: a cache of narrow numbers"),
        ({"sliding_window_cache": 1}, "the attribute sliding_window_cache=1"),
        ({"causal": 2}, "causal=2; expected 0 or 1"),
        ({"do_rotary": -1}, "do_rotary=-1; expected 0 or 1"),
        ({"causal": 0, "local_window_size": 3}, "local_window_size=3 with causal=0"),
    ],
)
def test_what_is_not_supported(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        imported([_node(NAMES[:7], **given)], SHAPES, RESULTS, DTYPES)


@pytest.mark.parametrize(
    ("name", "shape", "said"),
    [
        ("v", ("b", "m", 3 * SIZE), r"values of \(\?b, \?m, 48\); expected \(\?b, \?m, 32\)"),
        ("past_v", ("b", KEYS, "p", SIZE // 2), r"past_value of \(\?b, 2, \?p, 8\); expected \(\?b, 2, \?p, 16\)"),
    ],
)
def test_shapes_that_are_refused(name: str, shape: tuple[int | str, ...], said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        imported([_node(NAMES[:7])], SHAPES | {name: shape}, RESULTS, DTYPES)
