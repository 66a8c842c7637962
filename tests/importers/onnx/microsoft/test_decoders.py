"""Normalisations and rotary embeddings of decoders against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.core.errors import UnsupportedError
from tests.importers.onnx.microsoft.models import Feed, agrees, contrib, imported, onnx

RNG = np.random.default_rng(5)
PLACES = 20  # that tables of angles have


def _rand(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return RNG.standard_normal(shape, np.float32)


def _tables(pairs: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    angles = np.arange(PLACES)[:, None] * 100.0 ** (-np.arange(pairs) / pairs)
    return {"cos": np.cos(angles).astype(np.float32), "sin": np.sin(angles).astype(np.float32)}


def test_norms_by_the_root_of_the_mean_of_squares() -> None:
    nodes = [
        onnx.helper.make_node("SimplifiedLayerNormalization", ["x", "g"], ["n"], epsilon=1e-3),
        contrib("SkipSimplifiedLayerNormalization", ["n", "x", "g", "b"], ["y", "", "", "sum"], epsilon=1e-2),
    ]
    feeds = [{"x": _rand(b, m, 24)} for b, m in ((1, 1), (2, 5))]
    weights = {"g": _rand(24), "b": _rand(24)}
    agrees(nodes, {"x": ("b", "m", 24)}, ["n", "y", "sum"], feeds, weights)


def test_sines_and_cosines_are_as_many() -> None:
    node = contrib("RotaryEmbedding", ["x", "at", "cos", "sin"], ["y"])
    with pytest.raises(UnsupportedError, match=r"sines of \(4, 9\); expected \(9, 4\)"):
        imported([node], {"x": ("b", "m", 24), "at": (1,), "cos": (9, 4), "sin": (4, 9)}, ["y"], {"at": "int64"})


def test_a_skipped_norm_gives_no_statistics() -> None:
    node = contrib("SkipSimplifiedLayerNormalization", ["x", "x", "g"], ["y", "mean"])
    with pytest.raises(UnsupportedError, match="its results mean and inv_std_var"):
        imported([node], {"x": (1, "m", 8), "g": (8,)}, ["y"])


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("is_of_heads", [False, True])
def test_rotary_embeddings_of_whole_heads(interleaved: int, is_of_heads: bool) -> None:
    shape: tuple[int | str, ...] = ("b", 3, "m", 8) if is_of_heads else ("b", "m", 24)
    feeds: list[Feed] = []
    for b, m in ((1, 1), (2, 5)):
        x = _rand(b, 3, m, 8) if is_of_heads else _rand(b, m, 24)
        feeds.append({"x": x, "at": RNG.integers(0, PLACES, (b, m))})
    node = contrib("RotaryEmbedding", ["x", "at", "cos", "sin"], ["y"], interleaved=interleaved)
    agrees([node], {"x": shape, "at": ("b", "m")}, ["y"], feeds, _tables(4), {"at": "int64"})


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embeddings_of_a_part_of_heads_from_a_first_place(interleaved: int) -> None:
    feeds = [{"x": _rand(b, m, 24), "at": np.array([first])} for b, m, first in ((1, 1, 7), (2, 5, 3))]
    given = {"interleaved": interleaved, "num_heads": 2, "rotary_embedding_dim": 8}
    node = contrib("RotaryEmbedding", ["x", "at", "cos", "sin"], ["y"], **given)
    agrees([node], {"x": ("b", "m", 24), "at": (1,)}, ["y"], feeds, _tables(4), {"at": "int64"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rotary_embedding_dim": 8}, "rotary_embedding_dim=8 without num_heads"),
        ({"rotary_embedding_dim": 6, "num_heads": 2}, "expected 3 columns"),
        ({"is_packed_batching": 1}, "the attribute is_packed_batching=1"),
        ({"scale": 0.5}, "scale=0.5; supported is 1"),
        ({"num_heads": 2}, "24 columns of 2 heads of 8 elements"),
    ],
)
def test_what_a_rotary_embedding_may_not_say(given: dict[str, float], said: str) -> None:
    node = contrib("RotaryEmbedding", ["x", "at", "cos", "sin"], ["y"], **given)
    with pytest.raises(UnsupportedError, match=said):
        imported([node], {"x": ("b", "m", 24), "at": (1,), "cos": (9, 4), "sin": (9, 4)}, ["y"], {"at": "int64"})
