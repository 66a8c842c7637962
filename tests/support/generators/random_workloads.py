"""Workloads of every operator with attributes, dtypes and dimensions drawn at random, and arrays that lie anyhow."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any as AnyType

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from anytile.schedules.operators import OPERATORS
from anytile.schedules.workloads.workload import Workload

Array = NDArray[AnyType]
Draw = Callable[[st.SearchStrategy[AnyType]], AnyType]
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 101)
TAILS = ("", "relu(y)", "gelu(y)", "y * 0.5 + s", "max(y, 0) * 2 - sigmoid(y)")


class _Drawn:
    """What one workload is made of: `sizes` are the dimensions as numbers, of which some become symbols."""

    def __init__(self, draw: Draw, op: str) -> None:
        self.draw, self.op = draw, op
        self.words: list[str] = []
        self.symbols: dict[str, int] = {}

    def pick(self, options: Sequence[AnyType]) -> AnyType:
        return self.draw(st.sampled_from(list(options)))

    def whole(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def flag(self) -> bool:
        return bool(self.draw(st.booleans()))

    def permuted(self, items: Sequence[AnyType]) -> list[AnyType]:
        return list(self.draw(st.permutations(items)))

    def made(self) -> tuple[Workload, dict[str, int]]:
        """A workload, and a size for each of its symbols."""
        MAKERS.get(self.op, _plain)(self)
        workload = Workload.parse(f"{self.op}({', '.join(self.words)})")
        return workload, {s: self.symbols[s] for s in workload.symbols}

    def dim(self, name: str, sizes: Sequence[int] = SIZES, known: bool = False) -> int:
        """A dimension of some size; as a symbol its own, or one that is there already and as large."""
        size = int(self.pick(sizes))
        alike = [s for s, n in self.symbols.items() if n == size]
        if known or self.whole(0, 3) == 0:
            self.words.append(f"{name}={size}")
        elif alike and self.flag():
            self.words.append(f"{name}=?{alike[0]}")
        else:
            symbol = f"s{len(self.symbols)}"
            self.symbols[symbol] = size
            self.words.append(f"{name}=?{symbol}")
        return size

    def say(self, **attributes: object) -> None:
        self.words += [f"{name}={_text(value)}" for name, value in attributes.items()]

    def rank(self, low: int, high: int, sizes: Sequence[int] = (0, 1, 2, 3, 5, 9, 17)) -> int:
        rank = self.whole(low, high)
        for i in range(rank):
            self.dim(f"d{i}", sizes)
        self.say(rank=rank)
        return rank

    def dtype(self) -> None:
        self.say(dtype=self.pick([d for d in OPERATORS[self.op].dtypes if "16" not in d]))

    def window(self) -> None:
        """Of a pooling: every window has an element of its image."""
        kernel, dilation = ([self.whole(1, 3), self.whole(1, 3)] for _ in range(2))
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
        pad = [self.whole(0, (k - 1) * d) for _ in range(2) for k, d in zip(kernel, dilation, strict=True)]
        for name in "nc":
            self.dim(name, (0, 1, 2, 5, 17))
        for name, least in zip("hw", reach, strict=True):
            self.dim(name, (least, least + 1, least + 6))
        self.say(kernel=kernel, stride=[self.whole(1, 3), self.whole(1, 3)], pad=pad, dilation=dilation)
        self.say(ceil=self.pick(["yes", "no"]), layout=self.pick(["nchw", "nhwc"]))


def _text(value: object) -> str:
    return "x".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _dense(d: _Drawn) -> None:
    for name in "mnk":
        d.dim(name)
    d.say(**({"tail": tail} if (tail := d.pick([*TAILS, "tanh(y + bias[n]) * r[m, n]"])) else {}))


def _gated_dense(d: _Drawn) -> None:
    for name in ("m", "u", "k"):
        d.dim(name, (0, 1, 3, 8, 17, 33))
    cells = (
        "h2 = z0 * sigmoid(z1); g2 = z1",
        "h2 = tanh(z0) - z1 * r[m, u]",
        "h2 = z0 + p[m, 2, u] * sigmoid(z1 + p[m, 0, u])",
        "h2 = z0 * q[1, u]; g2 = h2 - z1 * q[2, u]",
    )
    d.say(gates=2, parts=3, start=d.pick(["bias[g, u]", "pre[m, g, u]"]), cell=d.pick(cells))


def _batch_matmul(d: _Drawn) -> None:
    for name in "bmnk":
        d.dim(name, (0, 1, 2, 5, 8, 16, 17, 33))
    lhs = d.pick(["bmk", "bkm", "mbk", "kbm", "mk", "km"])
    rhs = d.pick(["bkn", "bnk", "nbk", "kbn", *(["kn", "nk"] if "b" in lhs else [])])
    d.say(lhs=lhs, rhs=rhs, y=d.pick(["bmn", "mbn", "nbm", "bnm"]))
    d.say(**({"tail": tail} if (tail := d.pick([*TAILS, "y + mask[b, n] + c[m]"])) else {}))


def _attention(d: _Drawn) -> None:
    _quantised_attention(d)
    d.say(scale=0.3, guard=d.pick(["empty", "nan", "none"]))
    d.say(**d.pick([{}, {"stored": "k:bfloat16+v:bfloat16"}, {"stored": "k:float16+q:float16+v:float16"}]))


def _quantised_attention(d: _Drawn) -> None:
    for name, sizes in (("b", (0, 1, 3)), ("m", (0, 1, 5, 17)), ("n", (0, 1, 7, 33, 70))):
        d.dim(name, sizes)
    shared = d.pick([1, 2])
    d.say(h=shared * d.whole(1, 2), d=d.pick([1, 4, 6, 16]), e=d.pick([1, 3, 8, 40]))
    for name, order in (("q", "bhmd"), ("k", "bgnd"), ("v", "bgne"), ("y", "bhme")):
        d.say(**{name: "".join(d.permuted(order))})
    d.say(shared=shared, causal=d.pick(["yes", "no"]), lengths=d.pick(["yes", "no"]))
    d.say(**d.pick([{}, {"mask": "n"}, {"mask": "bn"}, {"mask": "mn", "keeps": "yes"}, {"mask": "hmbn"}]))


def _conv2d(d: _Drawn) -> None:
    _images(d)
    d.say(**({"tail": tail} if (tail := d.pick([*TAILS, "relu(y + bias[co]) + r[n, oh, ow, co]"])) else {}))


def _quantised_conv2d(d: _Drawn) -> None:
    is_depthwise = _images(d)
    if (weight := d.pick(["int8", "int8", "bfloat16", "float16"])) != "int8":
        d.say(x="float32", weight=weight, out="float32", **d.pick([{}, {"tail": "relu(y + bias[co])"}]))
        return
    given = [{"x": "uint8"}, {"x": "int8"}, *([] if is_depthwise else [{"pairs": "int16"}])]
    d.say(**d.pick(given), **d.pick([{}, {"out": "float32", "tail": "relu(y * by[co] + bias[co])"}]))


def _images(d: _Drawn) -> bool:
    """Of a convolution; whether it is depthwise."""
    groups, per = d.pick([1, 1, 2, 3]), d.pick([1, 2, 5])
    ci, co = groups * per, groups * d.pick([1, per, 16])
    kernel, dilation = [d.whole(1, 3), d.whole(1, 3)], [d.whole(1, 2), d.whole(1, 2)]
    d.dim("n", (0, 1, 2, 3))
    d.say(ci=ci, co=co, kh=kernel[0], kw=kernel[1], groups=groups, dilation=dilation)
    for name, k, r in zip("hw", kernel, dilation, strict=True):
        reach = (k - 1) * r + 1
        d.dim(name, (reach, reach + 1, reach + 9, reach + 17))
    d.say(stride=[d.whole(1, 3), d.whole(1, 3)], pad=[d.whole(0, 2) for _ in range(4)])
    d.say(layout=d.pick(["nchw", "nhwc"]))
    return bool(groups > 1 and ci == co == groups)


def _transpose(d: _Drawn) -> None:
    rank = d.rank(1, 5, (0, 1, 2, 3, 9))
    d.say(perm=d.permuted(range(rank)))
    d.dtype()


def _gather(d: _Drawn) -> None:
    d.dim("n", (1, 2, 17))
    for name in ("m", "outer", "inner"):
        d.dim(name, (0, 1, 3, 16, 33))
    d.say(index=d.pick(["int32", "int64"]))
    d.dtype()


def _interpolate(d: _Drawn) -> None:
    d.dim("n", (1, 2, 17))
    d.dim("taps", (1, 2, 4, 9), known=True)
    for name in ("m", "outer", "inner"):
        d.dim(name, (0, 1, 3, 16, 33))


def _one_hot(d: _Drawn) -> None:
    d.dim("m")
    d.say(depth=d.pick([1, 2, 17, 40]), index=d.pick(["int32", "int64"]))
    d.dtype()


def _concat(d: _Drawn) -> None:
    count = d.whole(1, 4)
    for name in ("outer", *(f"n{i}" for i in range(count)), "inner"):
        d.dim(name, (0, 1, 2, 5, 17))
    d.say(count=count)
    d.dtype()


def _split(d: _Drawn) -> None:
    for name in ("outer", "inner"):
        d.dim(name, (0, 1, 2, 5, 17))
    count = d.whole(1, 4)
    d.say(count=count)
    d.dim("n", (4, 7, 9, 33))
    if count > 1 and d.flag():
        d.say(at=sorted(d.whole(0, 4) for _ in range(count - 1)))
    d.dtype()


def _slice(d: _Drawn) -> None:
    rank = d.rank(1, 3)
    d.say(start=[d.whole(-9, 9) for _ in range(rank)], stop=[d.whole(-9, 20) for _ in range(rank)])
    d.say(step=[d.pick([1, 2, 5, -1, -3]) for _ in range(rank)])
    d.dtype()


def _pad(d: _Drawn) -> None:
    mode = d.pick(["constant", "edge", "reflect"])
    rank = d.rank(1, 3, (0, 1, 2, 9) if mode == "constant" else (1, 2, 9) if mode == "edge" else (5, 9, 17))
    d.say(before=[d.whole(0, 4) for _ in range(rank)], after=[d.whole(0, 4) for _ in range(rank)], mode=mode)
    d.say(**({"value": d.pick([0, 1])} if mode == "constant" else {}))
    d.dtype()


def _max_pool2d(d: _Drawn) -> None:
    d.window()
    d.dtype()


def _avg_pool2d(d: _Drawn) -> None:
    d.window()
    d.say(count=d.pick(["padding", "image"]))


def _elementwise(d: _Drawn) -> None:
    rank = d.rank(1, 4)
    names = [f"d{i}" for i in range(rank)]

    whole = f"x[{', '.join(names)}]"
    a, b, c = (_some(d, name, names) for name in "abc")
    at = d.whole(0, rank)  # the parts of p lie along this dimension
    first, last = (f"p[{', '.join([*names[:at], str(part), *names[at:]])}]" for part in (0, 2))
    forms = (f"{whole} * {a} + {b}", f"max({a}, -1) - {whole}", f"where({a} < {b}, {whole}, {c})")
    others = (f"sigmoid({whole}) * tanh({a})", f"exp(-abs({whole})) / (1 + {b} * {b})", f"{first} * tanh({last}) - {a}")
    d.say(f=d.pick([*forms, *others]), parts=3)


def _some(d: _Drawn, name: str, dims: list[str]) -> str:
    """An operand over some of the dimensions."""
    kept = [n for n in dims if d.flag()]
    return f"{name}[{', '.join(kept)}]" if kept else name


def _softmax(d: _Drawn) -> None:
    d.dim("n", SIZES[1:])
    for name in ("outer", "inner"):
        d.dim(name, (0, 1, 2, 5, 17))
    d.say(log=d.pick(["yes", "no"]))


def _norm(d: _Drawn) -> None:
    d.dim("rows")
    d.dim("n", SIZES[1:])
    d.say(eps=d.pick(["1e-05", "0.1"]), pre=d.pick(["x", "x + r[rows, n]"]))


def _batch_norm(d: _Drawn) -> None:
    for name in ("outer", "c", "inner"):
        d.dim(name, (0, 1, 3, 16, 33))


def _reduce(d: _Drawn) -> None:
    rank = d.rank(1, 4, (1, 2, 3, 9, 17))
    axes = [i for i in range(rank) if d.flag()] or [rank - 1]
    apart = axes[-1] - axes[0] >= len(axes)  # of which there are no positions
    d.say(axes=axes, kind=d.pick(["sum", "mean", "max", "min", "prod", *([] if apart else ["argmax"])]))
    if d.flag() and "kind=argmax" not in d.words:
        names = [f"d{i}" for i in range(rank)]
        a, b = (_some(d, name, names) for name in "ab")
        d.say(pre=d.pick(["x * x", f"(x - {a}) * {b}", f"max({a}, x) - exp(-{b} * {b})"]))
    elif "kind=mean" not in d.words:
        d.dtype()


def _cumsum(d: _Drawn) -> None:
    for name in ("outer", "n", "inner"):
        d.dim(name, (0, 1, 3, 16, 33))
    d.say(exclusive=d.pick(["yes", "no"]), reverse=d.pick(["yes", "no"]))
    d.dtype()


def _scatter_rows(d: _Drawn) -> None:
    for name in ("n", "m", "inner"):
        d.dim(name, (0, 1, 3, 17, 33))
    d.say(mode=d.pick(["set", "add", "mul", "min", "max"]))
    d.dtype()


MAKERS: dict[str, Callable[[_Drawn], None]] = {
    "dense": _dense,
    "gated_dense": _gated_dense,
    "batch_matmul": _batch_matmul,
    "attention": _attention,
    "quantised_attention": _quantised_attention,
    "conv2d": _conv2d,
    "quantised_conv2d": _quantised_conv2d,
    "transpose": _transpose,
    "gather": _gather,
    "interpolate": _interpolate,
    "one_hot": _one_hot,
    "scatter_rows": _scatter_rows,
    "concat": _concat,
    "split": _split,
    "slice": _slice,
    "pad": _pad,
    "max_pool2d": _max_pool2d,
    "avg_pool2d": _avg_pool2d,
    "elementwise": _elementwise,
    "softmax": _softmax,
    "layer_norm": _norm,
    "rms_norm": _norm,
    "batch_norm": _batch_norm,
    "reduce": _reduce,
    "cumsum": _cumsum,
}


def _plain(d: _Drawn) -> None:
    """The row's own dimensions, its attributes as they stand."""
    for name in OPERATORS[d.op].form_of({}).dims:
        d.dim(name)


@st.composite
def workloads(draw: Draw, op: str) -> tuple[Workload, dict[str, int]]:
    """A workload, and a size for each of its symbols."""
    return _Drawn(draw, op).made()


class _Rolled(_Drawn):
    """The same by dice: every choice alike often, as many as one likes, and the same for the same seed anywhere."""

    def __init__(self, rng: random.Random, op: str) -> None:
        super().__init__(self._refused, op)
        self.rng = rng

    def _refused(self, strategy: st.SearchStrategy[AnyType]) -> AnyType:
        raise TypeError(f"{strategy} is for hypothesis to draw from")

    def pick(self, options: Sequence[AnyType]) -> AnyType:
        return self.rng.choice(list(options))

    def whole(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def flag(self) -> bool:
        return self.rng.random() < 0.5

    def permuted(self, items: Sequence[AnyType]) -> list[AnyType]:
        return self.rng.sample(list(items), len(items))


def rolled(rng: random.Random, op: str) -> tuple[Workload, dict[str, int]]:
    """A workload, and a size for each of its symbols, without hypothesis."""
    return _Rolled(rng, op).made()


def laid_anyhow(array: Array, seed: int) -> Array:
    """The same elements with other strides: dimensions in any order, backwards, apart, one place for all of a kind."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(array.ndim)
    steps = rng.integers(1, 4, array.ndim)
    wide = np.zeros([int(n * s) for n, s in zip(array.shape, steps, strict=True)], array.dtype).transpose(order)
    room = np.array(wide, order="C").transpose(np.argsort(order))
    apart: tuple[AnyType, ...] = (*(slice(None, None, int(s)) for s in steps), ...)
    turned: tuple[AnyType, ...] = (*(slice(None, None, int(rng.choice((1, -1)))) for _ in array.shape), ...)
    view: Array = room[apart][turned]
    view[...] = array
    return view
