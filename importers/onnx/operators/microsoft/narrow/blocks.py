"""Weights in 2, 4 and 8 bits by blocks, in com.microsoft: products with them, and rows that are looked up.

Products with weights in 2 bits are those with 4, which hold them. Zero points that are no whole numbers are a product
of their own, of what the blocks of a row add up to. Where g_idx says which block a column is of, zero points are as
well its block's; onnxruntime leaves them out there on CPUs.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.onnx.operators.grouped import Codes, bytes_of, looked_up, padded
from anytile.importers.onnx.operators.microsoft.domain import row
from anytile.importers.onnx.proto.call import Call
from anytile.schedules.operators.products.grouped_dense import MOST

_ACCURACY = ("float32", "float32", "float16", "float16", "int8")  # by the level that a file asks for
_BLOCKS = tuple(1 << n for n in range(4, MOST.bit_length()))


def _unpacked(packed: Array, bits: int, count: int) -> Array:
    """Whole numbers of a few bits along the last axis, the first in a byte's lowest bits."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    found = (packed[..., None] >> shifts) & np.uint8((1 << bits) - 1)
    return found.reshape(*packed.shape[:-1], -1)[..., :count].astype(np.uint8)


def _known(c: Call, at: int, what: str) -> Array:
    return np.asarray(c.numbers(c[at], what))


def _shaped(found: Array, shape: tuple[int, int], what: str) -> Array:
    """Numbers by the weight's rows, which a file may have in fewer dimensions or more."""
    if found.size != math.prod(shape):
        raise Refusal(f"{what} of {found.size} numbers; expected {shape[0]} rows of {shape[1]}")
    return found.reshape(shape)


def _matmul_nbits(c: Call) -> Value:
    rows, k, bits, block = (int(c.attr(name, 0)) for name in ("N", "K", "bits", "block_size"))
    x, level = c.x, int(c.attr("accuracy_level"))
    if not 0 <= level < len(_ACCURACY):
        raise Refusal(f"accuracy_level={level}; expected 0 to {len(_ACCURACY) - 1}")
    accuracy = _ACCURACY[level]
    if bits not in (2, 4, 8):
        raise Refusal(f"bits={bits}; supported are 2, 4 and 8")
    if block not in _BLOCKS or rows < 1 or k < 1:
        raise Refusal(f"N={rows}, K={k}, block_size={block}; expected one of {', '.join(map(str, _BLOCKS))}")
    c.no("weight_prepacked")
    blocks = -(-k // block)
    packed = _shaped(_known(c, 1, "the weight"), (rows, blocks * (block * bits // 8)), "a weight")
    scale = _shaped(_known(c, 2, "its scales"), (rows, blocks), "scales").astype(np.float32)
    up = 6 if bits == 2 else 0  # as far apart as the middles of 2 and 4 bits
    weight = Codes(_unpacked(packed, bits, k) + np.uint8(up), scale, None, max(bits, 4), block)
    own = c.cast(x, "float32")
    if (at := c.maybe(4)) is not None:
        weight, own = _in_order(c, weight, np.asarray(c.numbers(at, "g_idx")).reshape(-1)[:k], own)
    sums: Value | None = None
    if (given := c.maybe(3)) is not None:
        zero = np.asarray(c.numbers(given, "its zero points"))
        if zero.dtype == np.uint8:
            zero = _unpacked(_shaped(zero, (rows, -(-blocks * bits // 8)), "zero points"), bits, blocks)
        zero = _shaped(zero, (rows, blocks), "zero points").astype(np.float32) + up
        if ((zero == np.floor(zero)) & (zero >= 0) & (zero < 2 * weight.middle)).all():
            weight = weight if (zero == weight.middle).all() else replace(weight, zero=zero.astype(np.uint8))
        else:
            sums = _of_sums(c, own, k, block, (weight.middle - zero) * scale)
    y = weight.product(c, own, accuracy, c[1].name)
    if sums is not None:
        y = c.do("add", y, sums)
    if (bias := c.maybe(5)) is not None:
        y = c.do("add", y, c.cast(bias, "float32"))
    return c.cast(y, x.dtype)


def _in_order(c: Call, weight: Codes, block_of: Array, x: Value) -> tuple[Codes, Value]:
    """A weight whose columns lie in their blocks' order, and rows with theirs in the same."""
    order = np.argsort(block_of, kind="stable")
    if (block_of[order] != np.arange(len(order)) // weight.block).any():
        raise Refusal(f"g_idx with blocks that have not {weight.block} columns")
    if (order == np.arange(len(order))).all():
        return weight, x
    turned = c.do("take", x, c.graph.constant(order), axis=x.rank - 1)
    return replace(weight, codes=weight.codes[:, order]), turned


def _of_sums(c: Call, x: Value, k: int, block: int, by: Array) -> Value:
    """What the blocks of a row add up to, times a number for each."""
    blocks, rest = by.shape[1], -k % block
    x = padded(c, x, rest)
    sums = c.do("sum", c.reshape(x, (*x.dims[:-1], blocks, block)), axis=(x.rank,))
    return c.do("dense", sums, c.graph.constant(by.astype(np.float32)))


# -- rows that are looked up -------------------------------------------------------------------------------------------


def _gather(c: Call) -> Value:
    table, index, scale, zero = c.x, c.cast(c[1], "int64"), c[2], c.maybe(3)
    bits, block = int(c.attr("bits")), int(c.attr("block_size"))
    along, by = c.axis(c.attr("gather_axis"), table.rank), c.axis(c.attr("quantize_axis"), table.rank)
    if along != 0 or by != table.rank - 1 or table.rank < 2:
        raise Refusal(
            f"gather_axis={along}, quantize_axis={by} of {table.shaped}; supported are the first and the last"
        )
    if bits not in (2, 4, 8) or table.dtype not in ("int4", "uint4", "uint8"):
        raise Refusal(f"codes of {table.dtype} in {bits} bits; supported are int4, uint4, and uint8 with 2, 4 or 8")
    per_byte = 8 // bits if table.dtype == "uint8" else 1

    width, blocks = c.size(table, table.rank - 1) * per_byte, c.size(scale, scale.rank - 1)
    if block < 1 or blocks != -(-width // block):
        raise Refusal(f"scales of {scale.shaped} for {width} columns in blocks of {block}")

    middle = 0 if table.dtype == "uint4" else 1 << (bits - 1)
    at = middle if zero is None else _packed(c, 3)
    made = looked_up(c, index, _packed(c, 0), scale, at, bits, block, width, table.name)
    return c.cast(made, scale.dtype)


def _packed(c: Call, at: int) -> Array:
    """An operand's bytes; what is signed is moved to begin at 0."""
    found = _known(c, at, "what is looked up")
    if found.dtype == np.uint8:
        return found
    return bytes_of((found.astype(np.int8) + (8 if c[at].dtype == "int4" else 0)).astype(np.uint8), 4)


ROWS = (
    row(
        "MatMulNBits",
        _matmul_nbits,
        "f u8 f u8|f i32 f",
        {"K": int, "N": int, "bits": 4, "block_size": int, "accuracy_level": 0, "weight_prepacked": 0},
    ),
    row(
        "GatherBlockQuantized", _gather, "c i f c", {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1}
    ),
)
