"""ONNX's products and windows: matrix products, convolutions, pools."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.onnx.proto.call import Call, Row
from anytile.schedules.index.expr import Expr, const, maximum, minimum


def _joined(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    """What two shapes of batches make together."""
    count = max(len(a), len(b))
    first = [const(1)] * (count - len(a)) + list(a)
    second = [const(1)] * (count - len(b)) + list(b)
    made = []
    for x, y in zip(first, second, strict=True):
        if x == y or y.value == 1:
            made.append(x)
        elif x.value == 1 or (x.value is None and y.value is not None):
            made.append(y)
        elif y.value is None and x.value is not None:
            made.append(x)
        else:
            made.append(maximum(x, y) * minimum(minimum(x, y), 1))
    return made


def matmul(c: Call, a: Value, b: Value) -> Value:
    """numpy's product of any ranks."""
    if not a.rank or not b.rank:
        raise Refusal(f"MatMul of {a.shaped} and {b.shaped}: expected no scalar")
    if a.rank == 1:
        made = matmul(c, c.reshape(a, (1, *a.dims)), b)
        return c.reshape(
            made, (*made.dims[: made.rank - (2 if b.rank > 1 else 1)], *made.dims[made.rank - (b.rank > 1) :])
        )
    if b.rank == 1:
        made = matmul(c, a, c.reshape(b, (*b.dims, 1)))
        return c.reshape(made, made.dims[:-1])
    if b.rank == 2 and b.number is not None:
        return c.do("dense", a, c.transpose(b, (1, 0)))
    if a.rank == b.rank == 2:
        return c.do("dense", a, c.do("transpose", b, perm=(1, 0)))
    if b.rank == 2:
        return c.do("batch_matmul", a, b, rhs="kn")
    batch = _joined(a.dims[:-2], b.dims[:-2])
    if list(a.dims[:-2]) != batch:
        a = c.broadcast(a, (*batch, *a.dims[-2:]))
    if list(b.dims[:-2]) != batch:
        b = c.broadcast(b, (*batch, *b.dims[-2:]))
    return c.do("batch_matmul", a, b)


def _gemm(c: Call) -> Value:
    a, b, bias = c.x, c[1], c.maybe(2)
    if c.attr("transA"):
        a = c.transpose(a, (1, 0))
    if not c.attr("transB"):
        b = c.transpose(b, (1, 0))
    alpha, beta = c.attr("alpha", 1.0), c.attr("beta", 1.0)
    if alpha != 1.0:
        b = c.do("multiply", b, c.number(alpha, b))
    made = c.do("dense", a, b)
    if bias is None or beta == 0.0:
        return made
    return c.do("add", made, bias if beta == 1.0 else c.do("multiply", bias, c.number(beta, bias)))


def _einsum(c: Call) -> Value:
    """One or two tensors at a time, each index at most once in a tensor."""
    text = str(c.attr("equation")).replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(c.inputs):
        raise Refusal(f"Einsum {text!r} of {len(c.inputs)} tensors")
    spread = max(
        (t.rank - len(s.replace("...", "")) for t, s in zip(c.tensors, terms, strict=True) if "..." in s), default=0
    )
    extra = "".join(chr(ord("0") + i) for i in range(spread))

    def letters(term: str, rank: int | None) -> str:
        own = spread if rank is None else rank - len(term.replace("...", ""))
        return term.replace("...", extra[len(extra) - own :] if own else "")

    names = [letters(s, t.rank) for s, t in zip(terms, c.tensors, strict=True)]
    if not arrow:
        plain = "".join(names)
        right = extra + "".join(sorted(n for n in set(plain) - set(extra) if plain.count(n) == 1))
    else:
        right = letters(right, None)
    if any(len(set(n)) != len(n) or len(n) != t.rank for n, t in zip(names, c.tensors, strict=True)):
        raise Refusal(f"Einsum {text!r}: an index twice in one tensor")
    made, own = c.x, names[0]
    for i, (other, its) in enumerate(zip(c.tensors[1:], names[1:], strict=True)):
        later = "".join(names[i + 2 :]) + right
        made, own = _contracted(c, made, own, other, its, later)
    gone = tuple(i for i, n in enumerate(own) if n not in right)
    if gone:
        made = c.do("sum", made, axis=gone)
        own = "".join(n for n in own if n in right)
    if sorted(own) != sorted(right):
        raise Refusal(f"Einsum {text!r}: the result has an index that no tensor has")
    return c.transpose(made, [own.index(n) for n in right])


def _contracted(c: Call, a: Value, own: str, b: Value, its: str, later: str) -> tuple[Value, str]:
    """Two tensors as a product of batches; what neither the other nor anybody later has is summed before."""

    def summed(x: Value, names: str, others: str) -> tuple[Value, str]:
        gone = tuple(i for i, n in enumerate(names) if n not in others and n not in later)
        return (
            (c.do("sum", x, axis=gone), "".join(n for i, n in enumerate(names) if i not in gone))
            if gone
            else (x, names)
        )

    (a, own), (b, its) = summed(a, own, its), summed(b, its, own)
    batch = [n for n in own if n in its and n in later]
    inner = [n for n in own if n in its and n not in later]
    rows, columns = [n for n in own if n not in its], [n for n in its if n not in own]

    def of(x: Value, names: str, group: Sequence[str]) -> Expr:
        return math.prod((x.dims[names.index(n)] for n in group), start=const(1))

    def sizes(x: Value, names: str, group: Sequence[str]) -> list[Expr]:
        return [x.dims[names.index(n)] for n in group]

    left = c.transpose(a, [own.index(n) for n in (*batch, *rows, *inner)])
    right = c.transpose(b, [its.index(n) for n in (*batch, *inner, *columns)])
    lead, k = of(a, own, batch), of(a, own, inner)
    left = c.reshape(left, (lead, of(a, own, rows), k))
    right = c.reshape(right, (lead, of(b, its, inner), of(b, its, columns)))
    made = c.do("batch_matmul", left, right)
    whole = (*sizes(a, own, batch), *sizes(a, own, rows), *sizes(b, its, columns))
    return c.reshape(made, whole), "".join((*batch, *rows, *columns))


# -- windows -----------------------------------------------------------------------------------------------------------


def _pads(c: Call, x: Value, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> list[int]:
    """All begins, then all ends."""
    auto = str(c.attr("auto_pad", "NOTSET") or "NOTSET")
    count = len(kernel)
    if auto == "NOTSET":
        return list(c.ints("pads", (0,) * (2 * count)))
    if auto == "VALID":
        return [0] * (2 * count)
    begins, ends = [], []
    for i in range(count):
        window = (kernel[i] - 1) * dilations[i] + 1
        if strides[i] == 1:
            total = window - 1
        else:
            size = c.size(x, 2 + i)
            total = max((-(-size // strides[i]) - 1) * strides[i] + window - size, 0)
        less, more = total // 2, total - total // 2
        begins.append(less if auto == "SAME_UPPER" else more)
        ends.append(more if auto == "SAME_UPPER" else less)
    return begins + ends


def _flat(c: Call, x: Value) -> Value:
    """An image of one row, of what has one dimension."""
    return c.reshape(x, (*x.dims[:2], 1, *x.dims[2:])) if x.rank == 3 else x


def _back(c: Call, y: Value, rank: int) -> Value:
    return c.reshape(y, (*y.dims[:2], *y.dims[3:])) if rank == 3 else y


def _two(values: Sequence[int], fill: int) -> tuple[int, ...]:
    return (fill, *values) if len(values) == 1 else tuple(values)


def _planar(c: Call, x: Value) -> int:
    if x.rank not in (3, 4):
        raise Refusal(f"{c.op} over {x.rank - 2} dimensions; supported are 1 and 2")
    return x.rank - 2


def _conv(c: Call) -> Value:
    x, w, bias = c.x, c[1], c.maybe(2)
    count = _planar(c, x)
    kernel = [c.size(w, 2 + i) for i in range(count)]
    strides, dilations = c.ints("strides", (1,) * count), c.ints("dilations", (1,) * count)
    pads = _pads(c, x, kernel, strides, dilations)
    made = c.do(
        "conv2d",
        _flat(c, x),
        _flat(c, w),
        stride=_two(strides, 1),
        dilation=_two(dilations, 1),
        pad=(*_two(pads[:count], 0), *_two(pads[count:], 0)),
        groups=int(c.attr("group", 1)),
    )
    if bias is not None:
        made = c.do("add", made, c.reshape(bias, (*bias.dims, 1, 1)))
    return _back(c, made, x.rank)


def _pool(c: Call, name: str, x: Value, **attrs: str) -> Value:
    count = _planar(c, x)
    kernel = c.ints("kernel_shape")
    strides, dilations = c.ints("strides", (1,) * count), c.ints("dilations", (1,) * count)
    pads = _pads(c, x, kernel, strides, dilations)
    made = c.do(
        name,
        _flat(c, x),
        kernel=_two(kernel, 1),
        stride=_two(strides, 1),
        dilation=_two(dilations, 1),
        pad=(*_two(pads[:count], 0), *_two(pads[count:], 0)),
        ceil=bool(c.attr("ceil_mode")),
        **attrs,
    )
    return _back(c, made, x.rank)


def _max_pool(c: Call) -> Value:
    if c.count > 1:
        raise Refusal("the second result of MaxPool, indices")
    return _pool(c, "max_pool2d", c.x)


def _average_pool(c: Call) -> Value:
    return _pool(c, "avg_pool2d", c.x, count="padding" if c.attr("count_include_pad") else "image")


def _lp_pool(c: Call) -> Value:
    x, p = c.x, c.attr("p", 2)
    if p not in (1, 2):
        raise Refusal(f"LpPool with p={p}")
    if c.attr("ceil_mode"):
        raise Refusal("LpPool with ceil_mode=1")
    mean = _pool(c, "avg_pool2d", c.do("square", x) if p == 2 else c.do("abs", x), count="padding")
    total = c.do("multiply", mean, c.number(math.prod(c.ints("kernel_shape")), x))
    return c.do("sqrt", total) if p == 2 else total


def _global_lp(c: Call) -> Value:
    x, axes = c.x, tuple(range(2, c.x.rank))
    if c.attr("p", 2) != 2:
        raise Refusal(f"GlobalLpPool with p={c.attr('p')}")
    return c.do("sqrt", c.do("sum", c.do("square", x), axis=axes, keepdims=True))


ROWS = (
    Row("MatMul", lambda c: matmul(c, c.x, c[1])),
    Row("Gemm", _gemm),
    Row("Einsum", _einsum),
    Row("Conv", _conv),
    Row("MaxPool", _max_pool),
    Row("AveragePool", _average_pool),
    Row("LpPool", _lp_pool),
    Row("GlobalLpPool", _global_lp),
)
