"""conv2d: y[n, co, oh, ow] = sum over ci, kh, kw of x[n, ci, oh*sh + kh*dh - top, ow*sw + kw*dw - left] * w.

`layout` orders the images' dimensions (nchw or nhwc), `filters` the weight's: (co, ci per group, kh, kw), which is what
models have, or with the channels last, as kernels for matrix units read it. Outside the image x is zero; whether an
infinite weight times such a zero spoils a sum is left to the schedule, and so is whether an infinite element spoils
results beside those that it is a term of. A depthwise convolution has as many groups as channels.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anytile.core.dtypes import HALVES, MODEL_NUMBERS
from anytile.schedules.index.expr import Expr, const, var
from anytile.schedules.nest.nodes import Guard, Load, Loop, LoopKind, Op, Stmt, Update
from anytile.schedules.operators.spec import (
    Array,
    Attribute,
    Attributes,
    Call,
    Form,
    Operator,
    TensorSpec,
    example,
    numbers,
    wide,
)

_INPUT = {"nchw": ("n", "ci", "h", "w"), "nhwc": ("n", "h", "w", "ci")}
_OUTPUT = {"nchw": ("n", "co", "oh", "ow"), "nhwc": ("n", "oh", "ow", "co")}
USUAL, LAST = "oihw", "ohwi"
_WEIGHT = {USUAL: ("co", "cig", "kh", "kw"), LAST: ("co", "kh", "kw", "cig")}
_STATIC = ("ci", "co", "kh", "kw")
DIRECT = "direct"
ALGORITHM = Attribute(
    "algorithm", "str", "auto", "how sums are made: any way, or as defined, without Winograd's", words=("auto", DIRECT)
)


def _form(attributes: Attributes) -> Form:
    (sh, sw), (dh, dw) = numbers(attributes, "stride"), numbers(attributes, "dilation")
    top, left, bottom, right = numbers(attributes, "pad")
    groups = int(attributes["groups"])
    layout = str(attributes["layout"])
    return Form(
        ("n", "ci", "h", "w", "co", "kh", "kw"),
        (
            TensorSpec("x", _INPUT[layout]),
            TensorSpec("w", _WEIGHT[filters_of(attributes)], may_be_constant=True),
            TensorSpec("y", _OUTPUT[layout], output=True),
        ),
        {
            "cig": lambda s: s["ci"] // groups,
            "oh": lambda s: (s["h"] + (top + bottom) - dh * (s["kh"] - 1) - 1) // sh + 1,
            "ow": lambda s: (s["w"] + (left + right) - dw * (s["kw"] - 1) - 1) // sw + 1,
        },
    )


def filters_of(attributes: Attributes) -> str:
    """The order of the weight's dimensions; that of a model's conv2d, which says none, is the usual one."""
    return str(attributes.get(FILTERS.name, USUAL))


def _objection(size: Mapping[str, int | None], attributes: Attributes) -> str | None:
    groups = int(attributes["groups"])
    for name in _STATIC:
        if size[name] is None:
            return f"{name} is symbolic; expected a whole number"
        if size[name] == 0:
            return f"{name} is 0; expected at least 1"
    for name in ("ci", "co"):
        if (size[name] or 0) % groups:
            return f"{name}={size[name]} is not divisible by groups={groups}"
    top, left, bottom, right = numbers(attributes, "pad")
    for image, kernel, padding, dilation in (
        ("h", "kh", top + bottom, numbers(attributes, "dilation")[0]),
        ("w", "kw", left + right, numbers(attributes, "dilation")[1]),
    ):
        extent, reach = size[image], dilation * ((size[kernel] or 1) - 1) + 1
        if extent is not None and extent + padding < reach:
            return f"the kernel reaches over {reach} elements, but {image} with its padding has {extent + padding}"
    return None


def _reference(inputs: Mapping[str, Array], attributes: Attributes) -> tuple[Array, ...]:
    x, w = wide(inputs["x"]), wide(inputs["w"])
    layout = str(attributes["layout"])
    (sh, sw), (dh, dw) = numbers(attributes, "stride"), numbers(attributes, "dilation")
    top, left, bottom, right = numbers(attributes, "pad")
    groups = int(attributes["groups"])
    x = x if layout == "nchw" else x.transpose(0, 3, 1, 2)
    w = w if filters_of(attributes) == USUAL else w.transpose(0, 3, 1, 2)
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    co, _, kh, kw = w.shape
    reach = (dh * (kh - 1) + 1, dw * (kw - 1) + 1)
    count = x.shape[0]
    oh, ow = (max((x.shape[2 + i] - reach[i]) // s + 1, 0) for i, s in enumerate((sh, sw)))
    y = np.zeros((count, groups, co // groups, oh, ow), np.result_type(x, w))
    if y.size:
        grouped = x.reshape(count, groups, -1, *x.shape[2:])
        kernels = w.reshape(groups, co // groups, -1, kh, kw)
        for i in range(kh):
            for j in range(kw):
                rows = slice(i * dh, i * dh + (oh - 1) * sh + 1, sh)
                columns = slice(j * dw, j * dw + (ow - 1) * sw + 1, sw)
                seen = grouped[:, :, :, rows, columns].reshape(count, groups, -1, oh * ow)
                y += np.matmul(kernels[None, :, :, :, i, j], seen).reshape(y.shape)
    y = y.reshape(count, co, oh, ow)
    return (np.ascontiguousarray(y if layout == "nchw" else y.transpose(0, 2, 3, 1)),)


def _body(size: Mapping[str, Expr], attributes: Attributes) -> Stmt:
    (sh, sw), (dh, dw) = numbers(attributes, "stride"), numbers(attributes, "dilation")
    top, left, bottom, right = numbers(attributes, "pad")
    groups = int(attributes["groups"])
    layout = str(attributes["layout"])
    row = var("i_oh") * sh + var("i_kh") * dh - top
    column = var("i_ow") * sw + var("i_kw") * dw - left
    per_group = size["co"] // groups
    grouped = groups > 1
    co = var("i_g") * per_group + var("i_co") if grouped else var("i_co")
    ci = var("i_g") * size["cig"] + var("i_cig") if grouped else var("i_cig")
    at = {"n": var("i_n"), "ci": ci, "h": row, "w": column, "co": co, "oh": var("i_oh"), "ow": var("i_ow")}
    x = Load("x", tuple(at[d] for d in _INPUT[layout]))
    within = {"co": co, "cig": var("i_cig"), "kh": var("i_kh"), "kw": var("i_kw")}
    w = Load("w", tuple(within[d] for d in _WEIGHT[filters_of(attributes)]))
    body: Stmt = Update("y", tuple(at[d] for d in _OUTPUT[layout]), Op("mul", (x, w)))
    inside = tuple(
        e
        for e, padded in (
            (row, top),
            (size["h"] - 1 - row, bottom),
            (column, left),
            (size["w"] - 1 - column, right),
        )
        if padded
    )
    if inside:
        body = Guard(inside, body)
    extents = {**size, "co": per_group, "g": const(groups)}
    for name in ("kw", "kh", "cig", "ow", "oh", "co", *(("g",) if grouped else ()), "n"):
        body = Loop(f"i_{name}", extents[name], LoopKind.SERIAL, body)
    return body


WINDOWS = (
    Attribute("stride", "ints", (1, 1), "steps of the kernel: rows, columns", least=1, count=2),
    Attribute("pad", "ints", (0, 0, 0, 0), "zeros: top, left, bottom, right", least=0, count=4),
    Attribute("dilation", "ints", (1, 1), "distance of the kernel's elements", least=1, count=2),
    Attribute("groups", "int", 1, "channels that do not see each other", least=1),
    Attribute("layout", "str", "nchw", "the order of the images' dimensions", words=("nchw", "nhwc")),
    ALGORITHM,
)
FILTERS = Attribute(
    "filters", "str", USUAL, "the order of the weight's dimensions; ohwi is for GPUs", words=tuple(_WEIGHT)
)
CONV2D = Operator(
    name="conv2d",
    summary="y[n, co, oh, ow] = sum_{ci, kh, kw} x[n, ci, oh*stride + kh*dilation - pad, ...] * w[co, ci, kh, kw]",
    form=_form,
    flops=lambda s, _: 2 * s["n"] * s["co"] * s["oh"] * s["ow"] * s["cig"] * s["kh"] * s["kw"],
    reference=_reference,
    body=_body,
    attributes=(*WINDOWS, FILTERS),
    objection=_objection,
    dtypes=("float32", *HALVES),
    takes_tail=True,
    about="""A convolution of `n` images with `co` kernels; `pad` is (top, left, bottom, right), one number is all four.

    Minimal filtering (Winograd) may make its sums, whose errors are two to four times those of sums in float32, and go
    by the largest numbers nearby; with `algorithm="direct"` it does not.
    """,
    last=(ALGORITHM.name,),
    static=_STATIC,
    section="Products",
    examples=(
        "conv2d(n=?a, ci=3, h=?b, w=?c, co=5, kh=3, kw=2, stride=2x1, pad=1x0x1x1)",
        "conv2d(n=?a, ci=3, h=?b, w=?c, co=19, kh=1, kw=1, layout=nhwc, tail=max(y + bias[co], 0))",
        "conv2d(n=?a, ci=4, h=?b, w=?c, co=6, kh=2, kw=3, groups=2, dilation=1x2, layout=nhwc)",
        "conv2d(n=?a, ci=5, h=?b, w=?c, co=5, kh=3, kw=3, pad=1, groups=5, layout=nhwc, const=w)",
        "conv2d(n=?a, ci=3, h=?b, w=?c, co=19, kh=1, kw=1, layout=nhwc, dtype=bfloat16, tail=max(y + bias[co], 0))",
        "conv2d(n=?a, ci=5, h=?b, w=?c, co=7, kh=3, kw=3, pad=1, dtype=float16, const=w)",
    ),
    calls=(
        Call(
            attributes=WINDOWS,
            anchor=True,
            dtypes=MODEL_NUMBERS,
            windows=("oh", "ow"),
            examples=(
                example("(?b, 2, 8, 9)", "(4, 2, 3, 3)", pad=1, stride=2),
                example("(?b, 8, 9, 4)", "(4, 1, 3, 3)", layout="nhwc", groups=4),
            ),
        ),
    ),
)
