"""Weights in 4 and 8 bits by blocks: products with them, and rows of tables, of which no matrix of floats is ever made.

A product is the operator `grouped_dense`, whose groups are the blocks or divide them. Blocks of 16, which no group is,
have zeros behind them, and so have the parts of a row that they meet: each number of a row meets its own block alone. A
row that is looked up is one of words of 32 bits, whose numbers are taken out of these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from anytile.importers.core.graph import Scaled, Value
from anytile.importers.core.symbolic import Array
from anytile.importers.core.writer import Writer
from anytile.schedules.operators.products.grouped_dense import BYTE, FLOAT, MOST, WHOLE

FLOATS = ("float32", "float16", "bfloat16")
_WORD = 32  # bits
_HALF = WHOLE // 2  # the least block that products are made of
_PARTS = ("", "_scale", "_zero")


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes from 0 up [..., k] of so many bits, and by blocks of k their scales and whole zero points."""

    codes: Array
    scale: Array
    zero: Array | None
    bits: int
    block: int

    @property
    def middle(self) -> int:
        """What stands for zero where nobody says so."""
        return 1 << (self.bits - 1)

    @property
    def _room(self) -> int:
        """How many columns a block has where products read it."""
        return -(-self.block // WHOLE) * WHOLE

    @property
    def group(self) -> int:
        """The neighbours along k that a product takes as one: a block or a part of it; 0 where there are none."""
        k = int(self.codes.shape[-1])
        if self.block >= k:
            return min(MOST, -(-k // WHOLE) * WHOLE)
        return next(g for g in range(MOST, 0, -WHOLE) if self._room % g == 0) if self.block % _HALF == 0 else 0

    def product(self, c: Writer, x: Value, accuracy: str, name: str) -> Value:
        """Rows of float32 times this as a weight [rows, k], which has a group."""
        k = int(self.codes.shape[1])
        if x.dims[-1].value is None:
            x = c.reshape(x, (*x.dims[:-1], k))
        if self.block < k and self._room != self.block:
            return self._apart()._product(c, self._spread(c, x), accuracy, name)
        return self._product(c, x, accuracy, name)

    def _apart(self) -> Codes:
        """The same with columns of zeros behind each block, up to the room that it has."""
        zero = self.middle if self.zero is None else self.zero[..., None]
        rows, blocks = self.scale.shape
        made = np.empty((rows, blocks, self._room), np.uint8)
        made[:] = zero
        for at in range(blocks):
            own = self.codes[:, at * self.block : (at + 1) * self.block]
            made[:, at, : own.shape[1]] = own
        return replace(self, codes=made.reshape(rows, -1), block=self._room)

    def _spread(self, c: Writer, x: Value) -> Value:
        """Rows whose columns lie as those of the weight do then; what is put between is 0."""
        lead, k, blocks = x.dims[:-1], int(self.codes.shape[1]), self.scale.shape[1]
        x = padded(c, x, blocks * self.block - k)
        x = padded(c, c.reshape(x, (*lead, blocks, self.block)), self._room - self.block)
        return c.reshape(x, (*lead, blocks * self._room))

    def _product(self, c: Writer, x: Value, accuracy: str, name: str) -> Value:
        group = self.group
        count = -(-self.codes.shape[1] // group)

        def parted(v: Array) -> Array:
            """Numbers of blocks as those of groups."""
            return v if self.block == group else np.repeat(v, -(-self.block // group), axis=1)[:, :count]

        scale = parted(self.scale.astype(np.float32))
        with np.errstate(over="ignore"):
            half = scale.astype(np.float16)
        is_half = bool((half.astype(np.float32) == scale).all())
        packed = bytes_of(self.codes, self.bits)
        parts = [packed, half if is_half else scale, *(() if self.zero is None else (parted(self.zero),))]
        named = (c.graph.constant(np.ascontiguousarray(p), f"{name}{w}") for p, w in zip(parts, _PARTS, strict=False))
        return c.do(
            "grouped_dense",
            x,
            *named,
            bits=self.bits,
            group=group,
            zeros=self.zero is not None,
            scales="float16" if is_half else FLOAT,
            accuracy=accuracy,
        )

    def rows(self, c: Writer, index: Value, name: str) -> Value:
        """Rows of a table in float32."""
        width = self.codes.shape[-1]
        zero = self.middle if self.zero is None else bytes_of(self.zero, self.bits)
        scale = c.graph.constant(np.ascontiguousarray(self.scale, np.float32), f"{name}_scale")
        table = bytes_of(self.codes, self.bits)
        return looked_up(c, index, table, scale, zero, self.bits, min(self.block, width), width, name)


def codes_of(scaled: Scaled, columns: int, widest: int = 4) -> Codes | None:
    """A dequantised constant with blocks along its last axis, `columns` being what stands first of its two; None where
    it is no such, or has no blocks and codes of more bits than the widest."""
    codes, scale, zero = (None if v is None else v.number for v in (scaled.codes, scaled.scale, scaled.zero))
    if codes is None or scale is None or codes.ndim != 2 or not codes.size or codes.dtype not in (np.int8, np.uint8):
        return None
    is_by_blocks = scaled.block > 0
    if scaled.axis is not None and (scaled.axis == columns) == is_by_blocks:
        return None
    lying = codes if columns == 0 else codes.T
    rows, k = lying.shape

    def by_rows(v: Array) -> Array:
        if is_by_blocks:
            return v if columns == 0 else v.T
        return np.broadcast_to(v.reshape(-1, 1), (rows, 1))

    is_signed, both = codes.dtype == np.int8, [codes] if zero is None else [codes, zero]
    least, most = (-8, 7) if is_signed else (0, 15)
    bits = 4 if all(v.min() >= least and v.max() <= most for v in both) else BYTE
    if not is_by_blocks and bits > widest:
        return None
    middle = 1 << (bits - 1)
    first = middle if is_signed else 0

    def raised(v: Array) -> Array:
        return (v.astype(np.int16) + first).astype(np.uint8)

    at = raised(np.zeros((), codes.dtype) if zero is None else zero)
    at = np.broadcast_to(at.reshape(()) if at.size == 1 else at, scale.shape)
    is_middle = bool((at == middle).all())
    return Codes(
        raised(lying), by_rows(scale), None if is_middle else by_rows(at), bits, scaled.block if is_by_blocks else k
    )


def product_in_few_bits(c: Writer, a: Value, b: Value, columns: int) -> Value | None:
    """A product with a dequantised weight, of whose two axes `columns` is the one of the result; None where its scales
    are not by blocks of the other, and where it has 8 bits and no blocks."""
    if b.scaled is None or a.rank < 1 or a.dtype not in FLOATS:
        return None
    weight = codes_of(b.scaled, columns)
    if weight is None or not weight.group:
        return None
    rows = c.cast(c.reshape(a, (1, *a.dims)) if a.rank == 1 else a, FLOAT)
    made = c.cast(weight.product(c, rows, FLOAT, b.scaled.codes.name), a.dtype)
    return c.reshape(made, made.dims[1:]) if a.rank == 1 else made


def rows_in_few_bits(c: Writer, table: Value, index: Value) -> Value | None:
    """Rows of a dequantised table; None where its scales are not by blocks of a row."""
    codes = None if table.scaled is None else codes_of(table.scaled, 0, widest=BYTE)
    if codes is None or table.scaled is None:
        return None
    return c.cast(codes.rows(c, c.cast(index, "int64"), table.scaled.codes.name), table.dtype)


def looked_up(
    c: Writer, index: Value, table: Array, scale: Value, zero: Array | int, bits: int, block: int, width: int, name: str
) -> Value:
    """Rows in float32 of a table in bytes, so many numbers wide, with scales and zero points of its blocks."""
    blocks = c.size(scale, scale.rank - 1)

    def taken(packed: Array, count: int, called: str) -> Value:
        """Whole numbers of the rows that are asked for, as floats; words of 32 bits are looked up."""
        words = c.graph.constant(_words(packed, -(-count * bits // _WORD)), called)
        found = c.do("take", words, index, axis=0)
        wide = c.reshape(found, (*found.dims, 1))
        shifts = c.graph.constant(np.arange(0, _WORD, bits, dtype=np.int32))
        parts = c.do("bitwise_and", c.do("right_shift", wide, shifts), c.number((1 << bits) - 1, wide))
        flat = c.reshape(parts, (*found.dims[:-1], found.dims[-1] * (_WORD // bits)))
        return c.cast(flat if flat.dims[-1].value == count else c.cut(flat, flat.rank - 1, 0, count), FLOAT)

    codes = taken(table, blocks * block, name)
    lead = codes.dims[:-1]
    codes = c.reshape(codes, (*lead, blocks, block))
    if isinstance(zero, int):
        at = c.number(zero, codes)
    else:
        at = c.reshape(taken(zero, blocks, f"{name}_zero"), (*lead, blocks, 1))
    factor = c.cast(c.do("take", scale, index, axis=0), FLOAT)
    made = c.do("multiply", c.do("subtract", codes, at), c.reshape(factor, (*lead, blocks, 1)))
    made = c.reshape(made, (*lead, blocks * block))
    return made if width == blocks * block else c.cut(made, made.rank - 1, 0, width)


def padded(c: Writer, x: Value, count: int) -> Value:
    """So many zeros behind the last axis."""
    none = (0,) * (x.rank - 1)
    return c.do("pad", x, before=(*none, 0), after=(*none, count)) if count else x


def bytes_of(codes: Array, bits: int) -> Array:
    """Codes of 4 bits along the last axis in halves of bytes, the first in the lower one; of 8 bits as they are."""
    if bits == BYTE:
        return codes
    codes = np.pad(codes, [(0, 0)] * (codes.ndim - 1) + [(0, codes.shape[-1] % 2)])
    made: Array = codes[..., ::2] | codes[..., 1::2] << 4
    return made


def _words(found: Array, count: int) -> Array:
    """Bytes along the last axis as so many words of 32 bits, the first in the lowest ones."""
    more = count * (_WORD // BYTE) - found.shape[-1]
    return np.ascontiguousarray(np.pad(found, [(0, 0)] * (found.ndim - 1) + [(0, more)])).view("<i4")
