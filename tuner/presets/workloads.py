"""The workloads of well-known models, each with how often it occurs in one run: data, and nothing that tunes it.

Sizes are those of the usual input (images of 224 x 224); batches and sequences are symbolic. Images are channels-last,
in which every layer is at its fastest. Workloads are anchors: biases, activations and residual sums ride along. BERT's
and the LSTM's are those of the models in examples/, as they are compiled.
"""

from __future__ import annotations

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
    attention = f"b={heads}, m=?m"
    return (
        (_gated("?m", hidden, hidden, gates=3), layers),
        (f"batch_matmul({attention}, n=?m, k={size}, lhs=mbk, rhs=nbk, dtype=float32)", layers),
        ("softmax(outer=?outer, n=?n, inner=1, dtype=float32)", layers),
        (f"batch_matmul({attention}, n={size}, k=?m, rhs=kbn, y=mbn, dtype=float32)", layers),
        (_dense(hidden, hidden, "m"), layers),
        (_dense(4 * hidden, hidden, "m"), layers),
        (_dense(hidden, 4 * hidden, "m"), layers),
        (f"layer_norm(rows=?rows, n={hidden}, eps=1e-12, dtype=float32)", 2 * layers),
    )


def _lstm(size: int = 512, given: int = 300, steps: int = 64) -> Preset:
    """One layer over a sequence. The input's product is one for all steps; each takes its row of it, and makes the
    state's product and the cell in one."""
    return (
        (_dense(4 * size, given, "m"), 1),
        (f"gather(outer=1, n=?n, m=1, inner={4 * size}, dtype=float32)", steps),
        (_gated("1", size, size, gates=4), steps),
    )


RESNET50_CONVS: Preset = _convs(_RESNET50)
MOBILENET_V2_CONVS: Preset = _convs(_MOBILENET_V2)
MOBILENET_V2_DEPTHWISE: Preset = tuple(
    (_conv(channels, size, channels, 3, stride, channels), often)
    for channels, size, stride, often in _MOBILENET_V2_DEPTHWISE
)

PRESETS: dict[str, Preset] = {
    "bert-base": _bert(layers=12, heads=12),
    "bert-large": _bert(layers=24, heads=16),
    "resnet50": (*RESNET50_CONVS, (_dense(1000, 2048), 1)),
    "mobilenet-v2": (*MOBILENET_V2_CONVS, *MOBILENET_V2_DEPTHWISE, (_dense(1000, 1280), 1)),
    "lstm": _lstm(),
}

RECURRENT = frozenset({"lstm"})  # here "how often" counts steps, which read the same weights
