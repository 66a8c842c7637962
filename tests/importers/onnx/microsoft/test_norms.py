"""Normalisations of com.microsoft against onnxruntime, those that it has on GPUs alone against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.importers.onnx.model import import_model
from tests.importers.onnx.microsoft.models import agrees, contrib, imported, model, onnx, same

RNG = np.random.default_rng(5)
WIDE = 24
SIZES = [(1, 1), (2, 7), (3, 16)]


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape, np.float32)


@pytest.mark.parametrize("skip", [("b", "s", WIDE), (1, "s", WIDE), ("s", WIDE)])
@pytest.mark.parametrize("more", [(), ("beta",), ("beta", "bias"), ("", "bias")])
def test_skip_layer_normalisation(skip: tuple[int | str, ...], more: tuple[str, ...]) -> None:
    weights = {name: normal(WIDE) for name in ("gamma", "beta", "bias")}
    nodes = [contrib("SkipLayerNormalization", ["x", "skip", "gamma", *more], ["y", "", "", "sum"], epsilon=1e-5)]
    feeds = [
        {"x": normal(b, s, WIDE), "skip": normal(*({"b": b, "s": s}.get(d, d) for d in skip))}  # type: ignore[call-overload]
        for b, s in SIZES
    ]
    agrees(nodes, {"x": ("b", "s", WIDE), "skip": skip}, ["y", "sum"], feeds, weights, compiled=len(more) == 1)


@pytest.mark.parametrize("name", ["LayerNormalization", "SkipLayerNormalization", "InstanceNormalization"])
def test_an_epsilon_that_float16_does_not_hold(name: str) -> None:
    """Rows of which all numbers are one are 0 then, and nowhere NaN."""
    node = (
        contrib(name, ["x", "x", "gamma", "beta"], ["y"], epsilon=1e-12)
        if name.startswith("Skip")
        else onnx.helper.make_node(name, ["x", "gamma", "beta"], ["y"], epsilon=1e-12)
    )
    weights = {"gamma": normal(8).astype(np.float16), "beta": normal(8).astype(np.float16)}
    x = normal(2, 8, 8).astype(np.float16)
    x[0, 1] = 0
    if not name.startswith("Instance"):  # whose means in float16 onnxruntime rounds
        x[1, 2] = 3
    given = model([node], {"x": ("b", 8, 8)}, ["y"], weights, {"x": "float16", "y": "float16"})
    same(given, [{"x": x}], bound=4e-3)
    same(given, [{"x": x}], bound=1e-2, compiled=False)


def test_skip_layer_normalisation_is_one_kernel() -> None:
    nodes = [contrib("SkipLayerNormalization", ["x", "skip", "gamma", "beta", "bias"], ["y"])]
    weights = {name: normal(WIDE) for name in ("gamma", "beta", "bias")}
    proto = model(nodes, {"x": ("b", "s", WIDE), "skip": ("b", "s", WIDE)}, ["y"], weights)
    exe = anytile.compile(import_model(proto))
    assert [k.kind for k in exe.kernels if k.kind != "shape"] == ["kernel"]


def test_means_of_the_rows_are_results_too() -> None:
    nodes = [contrib("SkipLayerNormalization", ["x", "skip", "gamma"], ["y", "mean", "inverse"], epsilon=1e-5)]
    proto = model(nodes, {"x": ("s", WIDE), "skip": ("s", WIDE)}, ["y", "mean", "inverse"], {"gamma": normal(WIDE)})
    x, skip = normal(5, WIDE), normal(5, WIDE)
    _, mean, inverse = anytile.Session(anytile.compile(import_model(proto)))(x, skip)
    total = x + skip
    np.testing.assert_allclose(mean, total.mean(-1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(total.var(-1, keepdims=True) + 1e-5), rtol=1e-5)


@pytest.mark.parametrize("places", [None, 1, "b"])
@pytest.mark.parametrize("segments", [False, True])
def test_embeddings(places: str | int | None, segments: bool) -> None:
    weights = {"words": normal(50, WIDE), "places": normal(20, WIDE), "kinds": normal(2, WIDE)}
    weights |= {"gamma": normal(WIDE), "beta": normal(WIDE)}
    inputs = {"ids": ("b", "s"), "mask": ("b", "s")}
    names = ["ids", "segments" if segments else "", "words", "places", "kinds" if segments else "", "gamma", "beta"]
    names += ["mask", *(["at"] if places else [])]
    if segments:
        inputs["segments"] = ("b", "s")
    if places:
        inputs["at"] = (places, "s")  # type: ignore[assignment]
    feeds = []
    for b, s in SIZES:
        whole = {"ids": RNG.integers(0, 50, (b, s)), "mask": RNG.integers(0, 2, (b, s))}
        whole |= {"segments": RNG.integers(0, 2, (b, s)), "at": RNG.integers(0, 20, (1 if places == 1 else b, s))}
        feeds.append({name: whole[name].astype(np.int32) for name in inputs})
    node = contrib("EmbedLayerNormalization", names, ["y", "lengths", "sum"], epsilon=1e-5)
    dtypes = dict.fromkeys(inputs, "int32")
    agrees([node], inputs, ["y", "lengths", "sum"], feeds, weights, dtypes)  # type: ignore[arg-type]


@pytest.mark.parametrize("axis", [-1, 1])
def test_layer_normalisation_in_files_older_than_the_operator(axis: int) -> None:
    """onnxruntime writes it into ONNX's own domain whatever the file's version is."""
    node = onnx.helper.make_node("LayerNormalization", ["x", "gamma", "beta"], ["y"], axis=axis, epsilon=1e-5)
    shape = (WIDE,) if axis == -1 else (4, WIDE)
    weights = {"gamma": normal(*shape), "beta": normal(*shape)}
    feeds = [{"x": normal(b, 4, WIDE)} for b in (1, 5)]
    agrees([node], {"x": ("b", 4, WIDE)}, ["y"], feeds, weights, version=13)


def grouped(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, groups: int, silu: bool) -> np.ndarray:
    """x by (batch, channel, pixel)."""
    n, channels, pixels = x.shape
    split = x.astype(np.float64).reshape(n, groups, -1)
    made = (split - split.mean(-1, keepdims=True)) / np.sqrt(split.var(-1, keepdims=True) + 1e-5)
    made = made.reshape(n, channels, pixels) * gamma[:, None] + beta[:, None]
    return made / (1 + np.exp(-made)) if silu else made


@pytest.mark.parametrize("last", [1, 0])
@pytest.mark.parametrize("silu", [0, 1])
def test_groups_of_channels(last: int, silu: int) -> None:
    gamma, beta = normal(8), normal(8)
    nodes = [contrib("GroupNorm", ["x", "gamma", "beta"], ["y"], groups=2, activation=silu, channels_last=last)]
    shape = ("n", "h", "w", 8) if last else ("n", 8, "h", "w")
    session = anytile.Session(
        anytile.compile(import_model(model(nodes, {"x": shape}, ["y"], {"gamma": gamma, "beta": beta})))
    )
    for n, h, w in ((1, 1, 1), (2, 3, 5)):
        x = normal(n, 8, h, w)
        wanted = grouped(x.reshape(n, 8, h * w), gamma, beta, 2, bool(silu)).reshape(x.shape)
        found = session(np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if last else x)
        np.testing.assert_allclose(found, wanted.transpose(0, 2, 3, 1) if last else wanted, atol=1e-5)


@pytest.mark.parametrize("skip", [("n", "h", "w", 8), ("n", 1, 1, 8), ("n", 8)])
def test_groups_of_channels_of_a_sum(skip: tuple[int | str, ...]) -> None:
    weights = {"gamma": normal(8), "beta": normal(8), "bias": normal(8)}
    nodes = [contrib("SkipGroupNorm", ["x", "gamma", "beta", "skip", "bias"], ["y", "sum"], groups=4, activation=0)]
    proto = model(nodes, {"x": ("n", "h", "w", 8), "skip": skip}, ["y", "sum"], weights)
    x, more = normal(2, 3, 5, 8), normal(*({"n": 2, "h": 3, "w": 5}.get(d, d) for d in skip))  # type: ignore[call-overload]
    found, total = anytile.Session(anytile.compile(import_model(proto)))(x, more)
    whole = x + (more[:, None, None] if more.ndim == 2 else more) + weights["bias"]
    np.testing.assert_allclose(total, whole, atol=1e-6)
    flat = whole.transpose(0, 3, 1, 2).reshape(2, 8, 15)
    wanted = grouped(flat, weights["gamma"], weights["beta"], 4, False).reshape(2, 8, 3, 5).transpose(0, 2, 3, 1)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "inputs", "attributes", "said"),
    [
        ("GroupNorm", ["x", "g", "g"], {"groups": 5, "activation": 0}, "5 groups of the channels"),
        ("GroupNorm", ["x", "g", "g"], {"groups": 2, "activation": 2}, "activation=2; expected 0, or 1 for SiLU"),
        ("SkipGroupNorm", ["x", "g", "g", "x"], {"groups": 2, "activation": 0, "channels_last": 0}, "channels last"),
        ("EmbedLayerNormalization", ["i", "i", "t", "t", "", "g", "g"], {}, "without segment_embedding"),
        ("SkipLayerNormalization", ["x", "x", "o"], {}, r"gamma of \(1,\); expected \(8,\)"),
        ("SkipSimplifiedLayerNormalization", ["x", "x", "g", "t"], {}, r"a bias of \(9, 8\); expected \(8,\)"),
    ],
)
def test_what_is_refused(name: str, inputs: list[str], attributes: dict[str, int], said: str) -> None:
    shapes = {"x": ("n", "h", "w", 8), "g": (8,), "t": (9, 8), "i": ("n", "h"), "o": (1,)}
    read = {n: shapes[n] for n in dict.fromkeys(inputs) if n}
    with pytest.raises(UnsupportedError, match=said):
        imported([contrib(name, inputs, ["y"], **attributes)], read, ["y"], {"i": "int32"})


@pytest.mark.parametrize("name", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
def test_what_skips_a_layer_has_no_more_rows_than_the_layer(name: str) -> None:
    node = contrib(name, ["x", "skip", "g"], ["y"])
    with pytest.raises(UnsupportedError, match="expected equal sizes"):
        imported([node], {"x": (1, 1, 8), "skip": (3, 1, 8), "g": (8,)}, ["y"])
    proto = model([node], {"x": ("b", "s", 8), "skip": ("c", "s", 8)}, ["y"], {"g": normal(8)})
    session = anytile.Session(anytile.compile(import_model(proto)))
    session(normal(3, 2, 8), normal(1, 2, 8))
    with pytest.raises(AnytileError, match="skip|elements|sizes"):
        session(normal(1, 2, 8), normal(3, 2, 8))
