"""The workloads of well-known models, each with how often it occurs in one run: data, and nothing that tunes it.

Sizes are those of the usual input (images of 224 x 224); batches and sequences are symbolic. Images are channels-last,
in which every layer is at its fastest. Workloads are anchors: biases, activations and residual sums ride along. BERT's,
the LSTM's and the decoder's are those of the models in examples/, as they are compiled.
"""

from __future__ import annotations

CONVOLUTIONS = ("conv2d", "quantised_conv2d")  # whose batches are of images
Preset = tuple[tuple[str, int], ...]  # (canonical workload, how often)

# ci, size of the image, co, kernel, stride, how often; padding keeps the size
_Layer = tuple[int, int, int, int, int, int]

_RESNET50: tuple[_Layer, ...] = (
    (3, 224, 64, 7, 2, 1),
    (64, 56, 64, 1, 1, 1),
    (64, 56, 64, 3, 1, 3),
    (64, 56, 256, 1, 1, 4),
    (256, 56, 64, 1, 1, 2),
    (256, 56, 128, 1, 1, 1),
    (128, 56, 128, 3, 2, 1),
    (256, 56, 512, 1, 2, 1),
    (128, 28, 512, 1, 1, 4),
    (512, 28, 128, 1, 1, 3),
    (128, 28, 128, 3, 1, 3),
    (512, 28, 256, 1, 1, 1),
    (256, 28, 256, 3, 2, 1),
    (512, 28, 1024, 1, 2, 1),
    (256, 14, 1024, 1, 1, 6),
    (1024, 14, 256, 1, 1, 5),
    (256, 14, 256, 3, 1, 5),
    (1024, 14, 512, 1, 1, 1),
    (512, 14, 512, 3, 2, 1),
    (1024, 14, 2048, 1, 2, 1),
    (512, 7, 2048, 1, 1, 3),
    (2048, 7, 512, 1, 1, 2),
    (512, 7, 512, 3, 1, 2),
)

_MOBILENET_V2: tuple[_Layer, ...] = (
    (3, 224, 32, 3, 2, 1),
    (32, 112, 16, 1, 1, 1),
    (16, 112, 96, 1, 1, 1),
    (96, 56, 24, 1, 1, 1),
    (24, 56, 144, 1, 1, 2),
    (144, 56, 24, 1, 1, 1),
    (144, 28, 32, 1, 1, 1),
    (32, 28, 192, 1, 1, 3),
    (192, 28, 32, 1, 1, 2),
    (192, 14, 64, 1, 1, 1),
    (64, 14, 384, 1, 1, 4),
    (384, 14, 64, 1, 1, 3),
    (384, 14, 96, 1, 1, 1),
    (96, 14, 576, 1, 1, 3),
    (576, 14, 96, 1, 1, 2),
    (576, 7, 160, 1, 1, 1),
    (160, 7, 960, 1, 1, 3),
    (960, 7, 160, 1, 1, 2),
    (960, 7, 320, 1, 1, 1),
    (320, 7, 1280, 1, 1, 1),
)

# channels, size of the image, stride, how often; the kernel is 3 x 3
_MOBILENET_V2_DEPTHWISE: tuple[tuple[int, int, int, int], ...] = (
    (32, 112, 1, 1),
    (96, 112, 2, 1),
    (144, 56, 1, 1),
    (144, 56, 2, 1),
    (192, 28, 1, 2),
    (192, 28, 2, 1),
    (384, 14, 1, 4),
    (576, 14, 1, 2),
    (576, 14, 2, 1),
    (960, 7, 1, 3),
)


def _conv(ci: int, size: int, co: int, kernel: int, stride: int, groups: int = 1) -> str:
    words = [f"n=?n, ci={ci}, h={size}, w={size}, co={co}, kh={kernel}, kw={kernel}"]
    attributes = (("stride", stride, 1), ("pad", kernel // 2, 0), ("groups", groups, 1))
    words += [f"{name}={value}" for name, value, usual in attributes if value != usual]
    return f"conv2d({', '.join(words)}, layout=nhwc, dtype=float32, const=w)"


def _convs(layers: tuple[_Layer, ...]) -> Preset:
    return tuple((_conv(*layer[:5]), layer[5]) for layer in layers)


def _gated(m: str, u: int, k: int, gates: int) -> str:
    """The products of a cell, or of queries, keys and values: what is made of them rides along."""
    count = "" if gates == 4 else f"gates={gates}, "
    cell = "; ".join(f"y{g} = z{g}" for g in range(gates))
    return f"gated_dense(m={m}, u={u}, k={k}, {count}cell={cell}, dtype=float32, const=w)"


def _dense(n: int, k: int, m: str = "n") -> str:
    return f"dense(m=?{m}, n={n}, k={k}, dtype=float32, const=w)"


def _bert(layers: int, heads: int, size: int = 64) -> Preset:
    """An encoder of one sequence, as the compiler makes it: queries, keys and values are one product, and attention
    reads and writes the heads where they lie."""
    hidden = heads * size
    attention = f"b=1, h={heads}, m=?m, n=?m, d={size}, e={size}, q=bmhd, k=bngd, v=bnge, y=bmhe, scale={size**-0.5:g}"
    return (
        (_gated("?m", hidden, hidden, gates=3), layers),
        (f"attention({attention}, dtype=float32)", layers),
        (_dense(hidden, hidden, "m"), layers),
        (_dense(4 * hidden, hidden, "m"), layers),
        (_dense(hidden, 4 * hidden, "m"), layers),
        (f"layer_norm(rows=?rows, n={hidden}, eps=1e-12, dtype=float32)", 2 * layers),
    )


def _bert_int8(layers: int, heads: int, size: int = 64) -> Preset:
    """The same encoder compiled with precision="int8": rows are quantised once for all layers that read them, and
    attention is two products around a softmax."""
    hidden = heads * size
    attention = f"b={heads}, m=?m"
    narrow = {
        _quantised(hidden, hidden): 4 * layers,
        _quantised(4 * hidden, hidden): layers,
        _quantised(hidden, 4 * hidden): layers,
        f"quantise_rows(m=?m, k={hidden}, dtype=float32)": 3 * layers,
        f"quantise_rows(m=?m, k={4 * hidden}, dtype=float32)": layers,
        f"batch_matmul({attention}, n=?m, k={size}, lhs=mbk, rhs=nbk, dtype=float32)": layers,
        "softmax(outer=?outer, n=?n, inner=1, dtype=float32)": layers,
        f"batch_matmul({attention}, n={size}, k=?m, rhs=kbn, y=mbn, dtype=float32)": layers,
    }
    floats = _bert(layers, heads, size)
    others = (each for each in floats if not each[0].startswith(("dense", "gated_dense", "attention")))
    return (*narrow.items(), *others)


def _quantised(n: int, k: int) -> str:
    return f"quantised_dense(m=?m, n={n}, k={k}, out=float32, dtype=float32, const=w)"


def _llama(layers: int, hidden: int, heads: int, shared: int, inner: int, words: int, context: int = 2048) -> Preset:
    """A decoder with weights in 4 bits: what one call computes for any number of tokens behind any number of others."""
    size = hidden // heads
    half, own = size // 2, shared * size
    scores = f"b={shared}, m=?m, n=?n, k={size}, lhs=mbk, rhs=nbk, y=mbn"
    mixed = f"b={shared}, m=?m, n={size}, k=?k, lhs=mbk, rhs=kbn, y=mbn"
    spread = "a2[d0, d1, d2, d3] * a3[d0, d3] + a0[d0, d1, d2, d3] * a1[d0, d2, d3]"
    each = (
        (f"rms_norm(rows=?rows, n={hidden}, dtype=float32)", 2),
        (_grouped(hidden, hidden), 2),
        (_grouped(own, hidden), 2),
        (f"gather(outer=?outer, n=2, m=2, inner={half}, dtype=float32)", 2),
        (f"elementwise(d0=?d0, d1={heads}, d2=2, d3={half}, rank=4, f={spread}, dtype=float32)", 1),
        (f"elementwise(d0=?d0, d1={shared}, d2=2, d3={half}, rank=4, f={spread}, dtype=float32)", 1),
        (f"batch_matmul({scores}, dtype=float32)", 2),
        ("reduce(d0=?d0, d1=?d1, kind=max, dtype=float32)", 2),
        ("elementwise(d0=?d0, rank=1, f=max(a0[d0], a1[d0]), dtype=float32)", 1),
        ("elementwise(d0=?d0, d1=?d1, f=exp(a0[d0, d1] - a1[d0]), dtype=float32)", 2),
        ("reduce(d0=?d0, d1=?d1, dtype=float32)", 2),
        (f"batch_matmul({mixed}, dtype=float32)", 2),
        (_grouped(inner, hidden), 2),
        (_grouped(hidden, inner), 1),
    )
    seen = "select(a0[d0] >= a1[d1], 0, -inf)"
    once = (
        f"gather(outer=1, n={words}, m=?m, inner={hidden}, dtype=float32)",
        f"gather(outer=1, n={context}, m=?m, inner={half}, dtype=float32)",
        f"gather(outer=1, n={context}, m=?m, inner={size}, dtype=float32)",
        f"elementwise(d0=?d0, d1={heads // shared}, f=a0[d0] + a1[d1], dtype=int64)",
        f"elementwise(d0=?d0, d1=?d1, f={seen}, dtype=int64)",
        f"gather(outer=1, n=?n, m=1, inner={hidden}, dtype=float32)",
        _grouped(words, hidden, "1"),
    )
    return (*((text, often * layers) for text, often in each), *((text, 1) for text in once))


def _grouped(n: int, k: int, m: str = "?m") -> str:
    return f"grouped_dense(m={m}, n={n}, k={k}, scales=float16, accuracy=float16, dtype=float32, const=scale+w)"


def _lstm(size: int = 512, given: int = 300, steps: int = 64) -> Preset:
    """One layer over a sequence. The input's product is one for all steps; each takes its row of it, and makes the
    state's product and the cell in one."""
    return (
        (_dense(4 * size, given, "m"), 1),
        (f"gather(outer=1, n=?n, m=1, inner={4 * size}, dtype=float32)", steps),
        (_gated("1", size, size, gates=4), steps),
    )


def _int8(convolutions: Preset) -> Preset:
    """As they stand in a chain of layers that are quantised ahead of time: each quantises its result again."""

    def narrow(text: str) -> str:
        return text.replace("conv2d(", "quantised_conv2d(").replace("layout=nhwc", "layout=nhwc, out=uint8")

    return tuple((narrow(text), often) for text, often in convolutions)


RESNET50_CONVS: Preset = _convs(_RESNET50)
RESNET50_INT8: Preset = _int8(RESNET50_CONVS)
MOBILENET_V2_CONVS: Preset = _convs(_MOBILENET_V2)
MOBILENET_V2_DEPTHWISE: Preset = tuple(
    (_conv(channels, size, channels, 3, stride, channels), often)
    for channels, size, stride, often in _MOBILENET_V2_DEPTHWISE
)
MOBILENET_V2_INT8: Preset = _int8((*MOBILENET_V2_CONVS, *MOBILENET_V2_DEPTHWISE))

PRESETS: dict[str, Preset] = {
    "bert-base": _bert(layers=12, heads=12),
    "bert-large": _bert(layers=24, heads=16),
    "bert-base-int8": _bert_int8(layers=12, heads=12),
    "llama-1b-int4": _llama(layers=22, hidden=2048, heads=32, shared=4, inner=5632, words=32000),
    "resnet50": (*RESNET50_CONVS, (_dense(1000, 2048), 1)),
    "resnet50-int8": RESNET50_INT8,
    "mobilenet-v2": (*MOBILENET_V2_CONVS, *MOBILENET_V2_DEPTHWISE, (_dense(1000, 1280), 1)),
    "mobilenet-v2-int8": MOBILENET_V2_INT8,
    "lstm": _lstm(),
}

RECURRENT = frozenset({"lstm"})  # here "how often" counts steps, which read the same weights
