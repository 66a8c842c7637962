"""The table of small networks: each is named by what it has that the others have not.

Many layers of one kind are measured elsewhere; these are of many kinds, as people bring them, in three files. A network
has a size that is unknown until run time: how many of them, how long they are, or height and width. Some are known
altogether.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.export import Dim

from benchmarks.subjects import small_attention_networks as tokens
from benchmarks.subjects import small_image_networks as images
from benchmarks.subjects import small_sequence_networks as sequences
from benchmarks.subjects import small_table_networks as tables
from benchmarks.subjects.imported_models import Network

Given = Callable[[int], tuple[Any, ...]]
Unknown = Sequence[dict[int, str]]  # for each argument its dimensions that are unknown, and their names


def settled(model: Any) -> Any:
    """The model with statistics in its normalisations of batches, as training would leave them."""
    for name, buffer in model.named_buffers():
        if name.endswith("running_mean"):
            buffer.normal_(0, 0.2)
        elif name.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
    return model


def network(
    name: str, make: Callable[[], Any], what: str, sizes: Sequence[int], given: Given, unknown: Unknown | None
) -> Network:
    """Names that end in digits are so many times an unknown number, as what a network halves is even."""
    dims: dict[str, Any] = {}
    for named in (one for argument in unknown or () for one in argument.values()):
        stem, times = named.rstrip("0123456789"), named.lstrip("abcdefghijklmnopqrstuvwxyz")
        dims[named] = int(times) * Dim(stem, max=1 << 12) if times else Dim(stem, max=1 << 16)
    dynamic = None if unknown is None else tuple({d: dims[n] for d, n in one.items()} for one in unknown)
    example = sizes[0] if dynamic is None else 3 * sizes[0]
    return Network(name, lambda: settled(make()), given, dynamic, what, sizes, example)


def image(name: str, make: Callable[[], Any], side: int, channels: int = 3) -> Network:
    """Of known height and width; how many there are is unknown."""
    return network(name, make, "images", (1, 4), lambda n: (torch.randn(n, channels, side, side),), [{0: "images"}])


def any_image(name: str, make: Callable[[], Any], by: int = 1) -> Network:
    """One, of unknown height and width."""

    def given(side: int) -> tuple[Any, ...]:
        return (torch.randn(1, 3, side + 8 * by, side),)

    times = "" if by == 1 else str(by)
    return network(name, make, "columns", (48, 96), given, [{2: f"h{times}", 3: f"w{times}"}])


def ids(limit: int, *shape: int) -> Any:
    return torch.randint(0, limit, shape)


def _of_images() -> list[Network]:
    side = 64
    return [
        image("kernels of 3 and 5, hard swish, squeezed", images.mobile, 96),
        image("groups of 16 channels", images.grouped, 96),
        image("dense links", images.dense_links, 96),
        image("shuffled channels", images.shuffled, 96),
        image("normalised images, reflected pads", images.style, side),
        any_image("normalised images, reflected pads, of any size", images.style, 4),
        image("channels that become pixels", images.Unshuffled, 48),
        any_image("channels that become pixels, of any size", images.Unshuffled),
        any_image("dilated windows, resized", images.Dilated),
        image("links behind gates", images.Gated, side),
        any_image("links behind gates, of any size", images.Gated, 4),
        image("depthwise 7x7, channels last and second", images.next_to_last, side),
        image("tokens mixed by a pool", images.averaging, side),
        image("features of two sizes, joined", images.Bottom, 128),
        network("boxes of which some suppress others", images.Suppressed, "images", (1,),
                lambda n: (torch.randn(n, 3, 128, 128),), None),
        network("images warped by a grid", lambda: images.Warped(side), "images", (1, 4),
                lambda n: (torch.randn(n, 3, side, side), torch.randn(n, 3, side, side)),
                [{0: "images"}, {0: "images"}]),
        network("transposed convolutions", images.generator, "images", (1, 4), lambda n: (torch.randn(n, 32),),
                [{0: "images"}]),
        network("volumes", images.volumes, "volumes", (1, 4), lambda n: (torch.randn(n, 1, 16, 16, 16),),
                [{0: "volumes"}]),
    ]  # fmt: skip


def _of_tokens() -> list[Network]:
    return [
        image("patches and a token", tokens.Tokens, 64),
        image("windows of attention, rolled", tokens.Windows, 56),
        image("dense layers across tokens", tokens.mixer, 56),
        network("normalised groups among attention", tokens.Diffused, "images", (1, 4),
                lambda n: (torch.randn(n, 4, 32, 32), torch.randn(n, 128)), [{0: "images"}, {0: "images"}]),
        network("a few rows that ask many", tokens.Perceiver, "rows", (100, 1000),
                lambda n: (torch.randn(1, n, 48),), [{1: "rows"}]),
        network("attention added up as it comes", tokens.Linear, "tokens", (17, 200),
                lambda n: (torch.randn(1, n, 64),), [{1: "tokens"}]),
    ]  # fmt: skip


def _of_sequences() -> list[Network]:
    return [
        network("columns through an LSTM", sequences.Lines, "images", (1, 4), lambda n: (torch.randn(n, 1, 32, 96),),
                [{0: "images"}]),
        network("windows that see the past", sequences.causal, "moments", (50, 500),
                lambda n: (torch.randn(1, 16, n),), [{2: "moments"}]),
        network("the past, gated and skipped", sequences.Wave, "moments", (50, 1000),
                lambda n: (torch.randn(1, 1, n),), [{2: "moments"}]),
        network("gated windows of words", sequences.Glu, "words", (9, 100), lambda n: (ids(1000, 1, n),),
                [{1: "words"}]),
        network("attention and depthwise windows", sequences.Conformer, "moments", (30, 200),
                lambda n: (torch.randn(1, n, 144),), [{1: "moments"}]),
        network("frequencies by a convolution", sequences.Spectrogram, "samples", (4000, 32000),
                lambda n: (torch.randn(1, 1, n),), [{2: "samples"}]),
        network("an LSTM between strides", sequences.Separated, "samples", (996,),
                lambda n: (torch.randn(1, 2, n),), None),
        network("all pairs of two sequences", sequences.Transducer, "moments", (10, 60),
                lambda n: (torch.randn(1, n, 80), ids(128, 1, n // 4 + 1)), [{1: "moments"}, {1: "words"}]),
    ]  # fmt: skip


def _of_tables() -> list[Network]:
    def graph(n: int) -> tuple[Any, ...]:
        return torch.randn(n, 64), ids(n, 4 * n), ids(n, 4 * n)

    edges = {0: "edges"}
    return [
        network("the largest of all points", tables.Points, "clouds", (1, 4), lambda n: (torch.randn(n, 3, 512),),
                [{0: "clouds"}]),
        network("bags of rows, pairs of them", tables.Bags, "rows", (1, 64),
                lambda n: (torch.randn(n, 13), ids(2000, n, 8, 5)), [{0: "rows"}, {0: "rows"}]),
        network("messages along edges", tables.Messages, "nodes", (30, 1000), graph, [{0: "nodes"}, edges, edges]),
        network("sines of many frequencies", tables.Field, "points", (16, 1024), lambda n: (torch.randn(n, 3),),
                [{0: "points"}]),
        network("a mixture of distributions", tables.Mixture, "rows", (1, 500),
                lambda n: (torch.randn(n, 16), torch.randn(n, 1)), [{0: "rows"}, {0: "rows"}]),
        network("the nearest of many rows", tables.Codes, "rows", (10, 500), lambda n: (torch.randn(n, 64),),
                [{0: "rows"}]),
        network("two of eight experts", tables.Experts, "rows", (1, 100), lambda n: (torch.randn(n, 96),),
                [{0: "rows"}]),
    ]  # fmt: skip


def small_networks() -> list[Network]:
    return [*_of_images(), *_of_tokens(), *_of_sequences(), *_of_tables()]
