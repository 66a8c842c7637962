"""ATen's products and windows: matrix products, attention, convolutions, pools, resizing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anytile.compiler.ir.nodes import AttrValue
from anytile.core.dtypes import FLOAT8
from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.pooled import Windows, largest_of_windows
from anytile.importers.core.sampling import CUBIC, LINEAR, NEAREST, PADDINGS, sampled_by_grid
from anytile.importers.core.small_floats import product_with_small_floats
from anytile.importers.core.symbolic import array_of
from anytile.importers.torch.graph.aten_call import FLOATS, Call, Held, Row
from anytile.schedules.index.expr import Expr, const, maximum


def _plus(c: Call, made: Value, bias: Value | None) -> Value:
    return made if bias is None else c.do("add", made, bias)


def _linear(c: Call) -> Value:
    weight = c["weight"]
    if weight.rank == 1:
        made = c.do("dense", c["input"], c.reshape(weight, (1, *weight.dims)))
        return _plus(c, c.reshape(made, made.dims[:-1]), c.maybe("bias"))
    made = product_with_small_floats(c, c["input"], weight, 0) or c.do("dense", c["input"], weight)
    return _plus(c, made, c.maybe("bias"))


def matmul(c: Call, a: Value, b: Value) -> Value:
    """The product of any ranks."""
    if not a.rank or not b.rank:
        raise Refusal(f"a product of {a.shaped} and {b.shaped}: expected no scalar")
    if a.rank == 1:
        made = matmul(c, c.reshape(a, (1, *a.dims)), b)
        at = made.rank - (2 if b.rank > 1 else 1)
        return c.reshape(made, (*made.dims[:at], *made.dims[at + 1 :]))
    if b.rank == 1:
        made = matmul(c, a, c.reshape(b, (*b.dims, 1)))
        return c.reshape(made, made.dims[:-1])
    narrow = product_with_small_floats(c, a, b, 1) if b.rank == 2 else None
    if narrow is not None:
        return narrow
    if b.rank == 2 and (b.known is not None or a.rank == 2):
        return c.do("dense", a, c.transpose(b, (1, 0)))
    return c.do("batch_matmul", a, b)


def _addmm(c: Call) -> Value:
    """beta * self + alpha * mat1 @ mat2."""
    made = matmul(c, *_factors(c))
    alpha, beta = c.arg("alpha", 1), c.arg("beta", 1)
    if alpha != 1:
        made = c.do("multiply", made, c.valued(alpha, made.dtype))
    bias = c["self"]
    return (
        made
        if beta == 0
        else c.do("add", made, c.do("multiply", bias, c.valued(beta, bias.dtype)) if beta != 1 else bias)
    )


def _sum_of_products(c: Call) -> Value:
    """beta * self + alpha * the sum of batch1 @ batch2 over the batches."""
    made = c.do("sum", c.do("batch_matmul", c["batch1"], c["batch2"]), axis=(0,))
    made = c.do("multiply", made, c.valued(c.arg("alpha", 1), made.dtype))
    beta = c.arg("beta", 1)
    return made if beta == 0 else c.do("add", made, c.do("multiply", c["self"], c.valued(beta, made.dtype)))


def _bilinear(c: Call) -> Value:
    """x1 @ w @ x2 of each row, one for each matrix of w, as F.bilinear is one product of three."""
    found = [tuple(c.ints(name)) for name in ("expand1", "expand2", "expand3", "sumdim")]
    if found != [(1, 3), (0,), (1, 2), (2, 3)]:
        raise Refusal(f"a product of three tensors over the dimensions {found}")
    x1, w, x2 = c["i1"], c["i2"], c["i3"]
    count, first, second = w.dims
    made = matmul(c, x1, c.reshape(c.transpose(w, (1, 0, 2)), (first, count * second)))
    made = c.reshape(made, (*x1.dims[:-1], count, second))
    return c.do("sum", c.do("multiply", made, c.reshape(x2, (*x2.dims[:-1], 1, second))), axis=(made.rank - 1,))


def _factors(c: Call) -> tuple[Value, Value]:
    names = [n for n in ("mat1", "batch1", "mat", "self") if n in c.args]
    second = next(n for n in ("mat2", "batch2", "vec", "other", "tensor") if n in c.args)
    return c[names[0]], c[second]


def _product(c: Call) -> Value:
    return matmul(c, *_factors(c))


def _scaled_product(c: Call) -> Value:
    """A product of 8-bit floats, times scales of all or each of the rows and columns; a constant is read as it lies."""
    a, b = c["self"], c["mat2"]
    if c.arg("scale_result") is not None:
        raise Refusal("a product whose result has a scale; multiply it behind the product")
    rows, weight = c.cast(a, "float32"), c.transpose(b, (1, 0))
    if weight.known is not None and weight.dtype in FLOAT8:
        made = c.do("quantised_dense", rows, weight, x="float32", w=weight.dtype, out="float32")
    else:
        made = c.do("dense", rows, c.cast(weight, "float32"))
    for name, own in (("scale_a", (a.dims[0], const(1))), ("scale_b", (const(1), b.dims[1]))):
        scale = c[name]
        if math.prod(scale.dims, start=const(1)) == const(1):
            scale = c.reshape(scale, ())
        elif scale.dims != own:
            raise Refusal(f"a {name} of {scale.shaped}; expected one number, or one for each row or column")
        made = c.do("multiply", made, scale)
    return c.cast(_plus(c, made, c.maybe("bias")), c.dtype)


def _outer(c: Call) -> Value:
    a, b = c["self"], c["vec2"]
    return c.do("multiply", c.reshape(a, (*a.dims, 1)), b)


def _grouped(c: Call) -> Value:
    """Rows in groups, one behind the other, each group times its own matrix; rows behind the last group are 0.

    Where groups end is data. Each is rows of a size of its own, so its product is a kernel with a packed weight.
    """
    x, weight, ends = (c[n] for n in list(c.args)[:3])
    if (x.rank, weight.rank, ends.rank) != (2, 3, 1) or c.arg("bias") is not None:
        raise Refusal(f"a product of groups of {x.shaped} and {weight.shaped}; expected rows, matrices and no bias")
    if c.arg("out_dtype") is not None:
        raise Refusal(f"a product of groups in {c.arg('out_dtype')}; supported is the rows' own type")
    ends, rows = c.cast(ends, "int64"), c.scalar(x.dims[0])
    parts: list[Value] = []
    first = c.number(0, ends)
    for group in range(c.size(weight, 0)):
        last = c.reshape(c.cut(ends, 0, group, group + 1), ())
        taken = c.do("take", x, c.do("arange", first, last, c.number(1, ends)), axis=0)
        parts.append(c.do("dense", taken, _matrix(c, weight, group)))
        first = last
    behind = c.reshape(c.do("subtract", rows, first), (1,))
    shape = c.do("concat", behind, c.reshape(c.scalar(weight.dims[2]), (1,)), axis=0)
    return c.do("concat", *parts, c.do("full", shape, c.number(0, x)), axis=0)


def _matrix(c: Call, weight: Value, group: int) -> Value:
    """One of several matrices as a dense layer reads it, without a copy of a constant where it lies so."""
    if weight.known is not None:
        return c.graph.constant(weight.known[group].T, f"{weight.name}_{group}" if weight.name else "")
    one = c.cut(weight, 0, group, group + 1)
    return c.transpose(c.reshape(one, weight.dims[1:]), (1, 0))


# -- attention ---------------------------------------------------------------------------------------------------------


def _attention(c: Call) -> Value:
    """softmax(q k' * scale + mask) v; a row that may see nothing is 0.

    Heads of queries that share one of keys are more rows of it: neither keys nor values are repeated.
    """
    q, k, v = c["query"], c["key"], c["value"]
    if c.arg("dropout_p", 0.0) != 0.0:
        raise Refusal("attention with dropout; call model.eval() first")
    scale = _scale(c, q)
    *batch, steps, width = q.dims
    groups = _groups(c, q, k, v)
    if groups != 1:
        batch = [*batch[:-1], k.dims[-3]]
    rows: tuple[Expr, ...] = (*batch, steps * groups)
    seen_by: tuple[Expr, ...] = rows if groups == 1 else (*batch, const(groups), steps)
    scores = c.do("batch_matmul", c.reshape(q, (*rows, width)), k, rhs="bnk")
    scores = c.do("multiply", c.reshape(scores, (*seen_by, k.dims[-2])), scale)
    guard = "none" if _mask_of(c) is None else "empty"
    weights = c.do("softmax", _masked(c, scores, groups), axis=-1, guard=guard)
    made = c.do("batch_matmul", c.reshape(weights, (*rows, k.dims[-2])), v)
    return c.reshape(made, (*q.dims[:-1], v.dims[-1]))


def _scale(c: Call, q: Value) -> Value:
    """What scores are multiplied by: one over the root of a query's width, where nothing else is said."""
    given, wide = c.arg("scale"), q.dims[-1]
    if given is not None:
        return c.valued(given, q.dtype)
    if wide.value is not None:
        return c.valued(max(wide.value, 1) ** -0.5, q.dtype)
    root = c.do("sqrt", c.cast(c.scalar(maximum(wide, 1)), "float64"))
    return c.cast(c.do("divide", c.number(1, root), root), q.dtype)


def _masked(c: Call, scores: Value, groups: int) -> Value:
    """Scores of what may be seen, -inf of what may not."""
    mask, never = _mask_of(c), c.number(-math.inf, scores)
    if c.arg("is_causal"):
        rows, columns = (c.positions(d) for d in scores.dims[-2:])
        scores = c.do("where", c.do("less_equal", columns, c.reshape(rows, (*rows.dims, 1))), scores, never)
    if mask is None:
        return scores
    if groups != 1 and mask.rank > 2:
        heads = [const(1), const(1)] if mask.dims[-3].value == 1 else list(scores.dims[-4:-2])
        mask = c.reshape(mask, (*mask.dims[:-3], *heads, *mask.dims[-2:]))
    if mask.dtype == "bool":
        return c.do("where", mask, scores, never)
    return c.do("add", scores, c.cast(mask, scores.dtype))


def _mask_of(c: Call) -> Value | None:
    """What is added to scores, or says which are seen; on a GPU another name stands for it."""
    return c.maybe("attn_bias") if "attn_bias" in c.args else c.maybe("attn_mask")


def _groups(c: Call, q: Value, k: Value, v: Value) -> int:
    """How many heads of queries share one of keys: all of them one that is broadcast."""
    if q.rank < 3:
        return 1
    is_one = q.rank == k.rank == v.rank and k.dims[-3].value == v.dims[-3].value == 1 and q.dims[-3].value is not None
    if c.op == "scaled_dot_product_attention" and not c.arg("enable_gqa") and not is_one:
        return 1
    return 1 if q.dims[-3] == k.dims[-3] else c.size(q, q.rank - 3) // c.size(k, k.rank - 3)


def _attention_and_more(c: Call) -> tuple[Value | None, ...]:
    return (_attention(c), *[None] * (len(c.told) - 1))


# -- windows -----------------------------------------------------------------------------------------------------------


def _spread(values: Sequence[int], count: int) -> tuple[int, ...]:
    return tuple(values) * count if len(values) == 1 else tuple(values)


def _convolution(c: Call) -> Value:
    x, w, bias = c["input"], c["weight"], c.maybe("bias")
    count = w.rank - 2
    if x.rank == count + 1:  # an image without a batch
        raise Refusal("a convolution without a dimension of batches")
    stride, dilation = (_spread(c.ints(n, (1,)), count) for n in ("stride", "dilation"))
    padding = c.arg("padding", 0)
    kernel = [c.size(w, 2 + i) for i in range(count)]
    if isinstance(padding, str):
        totals = [(k - 1) * d if padding == "same" else 0 for k, d in zip(kernel, dilation, strict=True)]
        before = tuple(t // 2 for t in totals)
        after = tuple(t - t // 2 for t in totals)
    else:
        before = after = _spread(c.ints("padding", (0,)), count)
    groups = c.count("groups", 1)
    if c.arg("transposed") or c.op.startswith("conv_transpose"):
        more = _spread(c.ints("output_padding", (0,)), count)
        attrs: dict[str, AttrValue] = {
            "stride": stride,
            "dilation": dilation,
            "pad": (*before, *after),
            "groups": groups,
            "more": more,
        }
        made = c.do("conv_transpose", c.as_large(x, 1, w.dims[0]), w, **attrs)
    else:
        name = {1: "conv1d", 2: "conv2d", 3: "conv3d"}.get(count)
        if name is None:
            raise Refusal(f"a convolution over {count} dimensions; supported are 1 to 3")
        x = c.as_large(x, 1, w.dims[1] * groups)
        made = c.do(name, x, w, stride=stride, dilation=dilation, pad=(*before, *after), groups=groups)
    return made if bias is None else c.do("add", made, c.reshape(bias, (*bias.dims, *[1] * count)))


def _pooled(c: Call, name: str, **attrs: str) -> Value:
    """A pool over one to three dimensions, of images with or without a batch."""
    x = c.x
    count = next(n for n in (1, 2, 3) if f"{n}d" in c.op)
    lead, size = list(x.dims[: x.rank - count]), x.dims[x.rank - count :]
    if len(lead) not in (1, 2):
        raise Refusal(f"{c.op} of {x.shaped}")
    kernel = _spread(c.ints("kernel_size"), count)
    stride, pad = _spread(c.ints("stride") or kernel, count), _spread(c.ints("padding", (0,)), count)
    dilation = None if c.arg("dilation") is None else _spread(c.ints("dilation"), count)

    def over(image: Value, *axes: int | None) -> Value:
        """Along two dimensions at once, of which one may stay as it is."""

        def of(numbers: Sequence[int], otherwise: int) -> tuple[int, ...]:
            return tuple(otherwise if a is None else numbers[a] for a in axes)

        attributes: dict[str, AttrValue] = {} if dilation is None else {"dilation": of(dilation, 1)}
        ceil = bool(c.arg("ceil_mode", False))
        pads = of(pad, 0) * 2
        given = {**attributes, **attrs}
        return c.do(name, image, kernel=of(kernel, 1), stride=of(stride, 1), pad=pads, ceil=ceil, **given)

    outer = [*[const(1)] * (2 - len(lead)), *lead]
    if count == 1:
        made = over(c.reshape(x, (*outer, 1, *size)), None, 0)
        return c.reshape(made, (*lead, made.dims[3]))
    if count == 2:
        made = over(c.reshape(x, (*outer, *size)), 0, 1)
        return c.reshape(made, (*lead, *made.dims[2:]))
    # The extreme or the mean of a window is that of what its planes have.
    planes = over(c.reshape(x, (outer[0], outer[1] * size[0], *size[1:])), 1, 2)
    plane = planes.dims[2:]
    made = over(c.reshape(planes, (*outer, size[0], plane[0] * plane[1])), 0, None)
    return c.reshape(made, (*lead, made.dims[2], *plane))


def _max_pool(c: Call) -> Value:
    return _pooled(c, "max_pool2d")


def _max_pool_and_places(c: Call) -> tuple[Value, Value | None]:
    """With the place of each among those that windows go over, if somebody reads that."""
    if 1 not in c.read:
        return _max_pool(c), None
    x, count = c.x, next(n for n in (1, 2, 3) if f"{n}d" in c.op)
    if x.dtype not in FLOATS:
        raise Refusal(f"where the largest is of {x.dtype}")
    kernel = _spread(c.ints("kernel_size"), count)
    stride, pad = _spread(c.ints("stride") or kernel, count), _spread(c.ints("padding", (0,)), count)
    dilation = _spread(c.ints("dilation", (1,)), count)
    return largest_of_windows(c, x, Windows(kernel, stride, dilation, pad * 2, bool(c.arg("ceil_mode", False))))


def _average_pool(c: Call) -> Value:
    if c.arg("divisor_override") is not None:
        raise Refusal("avg_pool with divisor_override")
    x, kernel = c.x, c.ints("kernel_size")
    axes = range(x.rank - next(n for n in (1, 2, 3) if f"{n}d" in c.op), x.rank)
    sizes = [x.dims[axis].value for axis in axes]
    over = all(n is not None and 0 < n <= k for n, k in zip(sizes, _spread(kernel, len(sizes)), strict=True))
    if over and c.arg("ceil_mode", False) and not any(c.ints("padding", (0,))):  # one window, cut off where x ends
        return c.do("mean", x, axis=tuple(axes), keepdims=True)
    return _pooled(c, "avg_pool2d", count="padding" if c.arg("count_include_pad", True) else "image")


def _adaptive(mean: bool) -> Callable[[Call], Value]:
    """As many windows as are asked for, which may overlap."""

    def means(c: Call) -> Value:
        x, wanted = c.x, c.sizes("output_size")
        count = len(wanted)
        name = "mean" if mean else "max"
        if all(n.value == 1 for n in wanted):
            return c.do(name, x, axis=tuple(range(x.rank - count, x.rank)), keepdims=True)
        for i, asked in enumerate(wanted):
            axis = x.rank - count + i
            size = x.dims[axis]
            if size == asked:
                continue
            n = c.whole(asked, "output_size")
            each = size.value // n if size.value is not None and size.value % n == 0 else None
            if each is not None:
                seen = c.reshape(x, (*x.dims[:axis], n, each, *x.dims[axis + 1 :]))
                x = c.do(name, seen, axis=(axis + 1,))
                continue
            rows = []
            for at in range(n):
                part = c.part(x, axis, size * at // n, (size * (at + 1) + (n - 1)) // n)
                rows.append(c.do(name, part, axis=(axis,), keepdims=True))
            x = rows[0] if n == 1 else c.do("concat", *rows, axis=axis)
        return x

    return means


def _resized(mode: str, antialias: bool = False) -> Callable[[Call], Value]:
    def means(c: Call) -> Value:
        x, count = c.x, c.x.rank - 2
        axes = tuple(range(2, x.rank))
        sizes = [d.value for d in c.shape[2:]]
        corners = bool(c.arg("align_corners", False))
        if corners and antialias:
            raise Refusal("align_corners with antialias, whose elements lie elsewhere than by either alone")
        way = _way(mode, corners, antialias)
        factors = [c.arg(n) for n in ("scales_h", "scales_w")] if count == 2 else [c.arg("scales")]
        given = c.arg("scale_factors")
        factors = list(given) if given is not None else factors
        if any(s is None for s in sizes) or (not corners and _is_uneven(x, factors, sizes)):
            if any(f is None for f in factors):
                by = c.graph.known(array_of(c.shape[2:]))
                return c.graph.reshape(c.do("resize_by", x, by, axes=axes, **way), c.shape)
            by = c.graph.constant(np.asarray(factors, np.float32))
            return c.do("resize_by", x, by, axes=axes, **way)
        numbers = tuple(s for s in sizes if s is not None)
        return c.do("resize", x, sizes=numbers, axes=axes, **way)

    return means


def _is_uneven(x: Value, factors: Sequence[Held], sizes: Sequence[int | None]) -> bool:
    """Whether torch was given factors that are not the quotients of the sizes: it goes by the factors."""
    if any(f is None for f in factors):
        return False
    return any(d.value is None or d.value * f != s for d, f, s in zip(x.dims[2:], factors, sizes, strict=True))


def _way(mode: str, corners: bool, antialias: bool) -> dict[str, AttrValue]:
    if antialias:  # torch's own cubic there, too
        return {
            "mode": mode,
            "coordinates": "half_pixel",
            "cubic": -0.5,
            "exclude_outside": True,
            "antialias": True,
        }
    if mode == "nearest":
        return {"mode": "nearest", "coordinates": "asymmetric", "nearest": "floor"}
    return {
        "mode": mode,
        "coordinates": "align_corners" if corners else "pytorch_half_pixel" if mode == "linear" else "half_pixel",
    }


def _grid_sample(c: Call) -> Value:
    mode = (LINEAR, NEAREST, CUBIC)[int(c.arg("interpolation_mode"))]
    padding = PADDINGS[int(c.arg("padding_mode"))]
    return sampled_by_grid(c, c["input"], c["grid"], mode, padding, bool(c.arg("align_corners")))


ROWS = (
    Row("linear", _linear),
    Row("matmul", _product),
    Row("mm", _product),
    Row("bmm", _product),
    Row("mv", _product),
    Row("dot", _product),
    Row("addmm", _addmm),
    Row("baddbmm", _addmm),
    Row("addmv", _addmm),
    Row("addbmm", _sum_of_products),
    Row("_trilinear", _bilinear),
    Row("_scaled_mm", _scaled_product),
    Row("outer", _outer),
    Row("ger", _outer),
    *(Row(name, _grouped) for name in ("transformers.grouped_mm_fallback", "_grouped_mm", "grouped_mm")),
    Row("scaled_dot_product_attention", _attention),
    Row("_scaled_dot_product_flash_attention_for_cpu", _attention_and_more),
    Row("_scaled_dot_product_flash_attention", _attention_and_more),
    Row("_scaled_dot_product_efficient_attention", _attention_and_more),
    Row("_scaled_dot_product_cudnn_attention", _attention_and_more),
    Row("_scaled_dot_product_attention_math", _attention_and_more),
    *(
        Row(name, _convolution)
        for name in (
            "convolution",
            "_convolution",
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
        )
    ),
    Row("max_pool1d", _max_pool),
    Row("max_pool2d", _max_pool),
    Row("max_pool3d", _max_pool),
    Row("max_pool2d_with_indices", _max_pool_and_places),
    Row("max_pool3d_with_indices", _max_pool_and_places),
    Row("avg_pool1d", _average_pool),
    Row("avg_pool2d", _average_pool),
    Row("avg_pool3d", _average_pool),
    *(
        Row(name.format(n), _adaptive(True))
        for n in (1, 2, 3)
        for name in ("adaptive_avg_pool{}d", "_adaptive_avg_pool{}d")
    ),
    *(Row(f"adaptive_max_pool{n}d", lambda c: (_adaptive(False)(c), None)) for n in (1, 2, 3)),
    *(Row(name, _resized("nearest")) for name in ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")),
    Row("upsample_linear1d", _resized("linear")),
    Row("upsample_bilinear2d", _resized("linear")),
    Row("upsample_bicubic2d", _resized("cubic")),
    Row("_upsample_bilinear2d_aa", _resized("linear", antialias=True)),
    Row("_upsample_bicubic2d_aa", _resized("cubic", antialias=True)),
    *(Row(name, _grid_sample) for name in ("grid_sampler", "grid_sampler_2d", "grid_sampler_3d")),
)
