"""What a warp does on matrix tiles in one instruction: a table of operations, their operands, and what they mean.

A fragment is a small matrix spread over the lanes of a warp. As a buffer it has its pieces as dimensions: of those,
`lanes` choose the lane, and the others one of its registers, of which each holds two 16-bit elements. A row or a step
of k is `half * 8 + group` or `half * 8 + pair * 2 + low`; of 32 lanes, lane `group * 4 + pair` holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import ScheduleError
from anytile.schedules.nest.stored_floats import rounded

Array = NDArray[Any]
GROUPS, PAIRS = 8, 4  # lanes of a warp, as rows and columns of an 8 by 8 piece


@dataclass(frozen=True, slots=True)
class Operand:
    """`shape` is what it has in the last dimensions of its buffer; `lanes` are those of them that choose a lane.

    The elements of one that is `apart` are as they were loaded, and become registers where they are multiplied.
    """

    shape: tuple[int, ...]
    lanes: tuple[int, ...] = ()
    written: bool = False
    apart: bool = False


A = Operand((2, 2, GROUPS, PAIRS, 2), (2, 3))  # half of k, half of the 16 rows, group, pair, low
B = Operand((2, GROUPS, PAIRS, 2), (1, 2))  # half of k, column, pair, low
B2 = Operand((2, 2, GROUPS, PAIRS, 2), (2, 3))  # two of them side by side
C = Operand((GROUPS, PAIRS, 2, 2), (0, 1))  # group, pair, half of the 16 rows, low
GROUP_WARPS, GROUP_ROWS, GROUP_STEPS = 4, 64, 64  # of a product that a group of warps does: in shared memory, swizzled
GROUP_COLUMNS = (32, 64, 128, 256)
GROUP_PART = 64  # columns that lie in one row of what is turned
TURNED_COLUMNS = tuple(n for n in GROUP_COLUMNS if n % GROUP_PART == 0)
K32 = 32  # steps of k of two instructions, of which a lane has 8 that are neighbours in memory
K16 = 16  # steps of k of what is multiplied as it lies, of which a lane has 4 that are neighbours
A16 = Operand((2, GROUPS, PAIRS, 4), (1, 2), apart=True)  # half of the 16 rows, group, pair, which of the 4
B16 = Operand((GROUPS, PAIRS, 4), (0, 1), apart=True)  # column, pair, which of the 4
BOTH16 = Operand((2, GROUPS, PAIRS, 4), (1, 2), apart=True)  # two of them side by side
A32 = Operand((2, GROUPS, PAIRS, 8), (1, 2), apart=True)  # half of the 16 rows, group, pair, which of the 8
B32 = Operand((GROUPS, PAIRS, 8), (0, 1), apart=True)  # column, pair, which of the 8


@dataclass(frozen=True, slots=True)
class MatrixOperation:
    """`meaning` works on numpy views of the operands, in place, whose leading dimensions may be 1. So many `warps`, one
    unless it is a group's operation, do it together."""

    name: str
    operands: tuple[Operand, ...]
    meaning: Callable[..., None]
    warps: int = 1


def _written(o: Operand) -> Operand:
    return replace(o, written=True)


def _load_a(a: Array, tile: Array) -> None:
    """A fragment of 16 rows by 16 steps of k, out of shared memory."""
    rows = tile.reshape(2, GROUPS, 2, PAIRS, 2)  # half of the rows, group, half of k, pair, low
    a[...] = rows.transpose(2, 0, 1, 3, 4).reshape(a.shape)


def _load_b2(b: Array, tile: Array) -> None:
    """Two fragments of 8 columns by 16 steps of k; in shared memory a column is a row."""
    columns = tile.reshape(2, GROUPS, 2, PAIRS, 2)  # which fragment, column, half of k, pair, low
    b[...] = columns.transpose(0, 2, 1, 3, 4).reshape(b.shape)


def _load_b2_turned(b: Array, tile: Array) -> None:
    """The same where a step of k is a row in shared memory."""
    _load_b2(b, tile.T)


def _mma(c: Array, a: Array, b: Array) -> None:
    """c[16, 8] += a[16, 16] b[16, 8], added up in float32."""
    left = a.reshape(A.shape).transpose(1, 2, 0, 3, 4).reshape(16, 16).astype(np.float32)
    right = b.reshape(B.shape).transpose(0, 2, 3, 1).reshape(16, 8).astype(np.float32)
    product = (left @ right).reshape(2, GROUPS, PAIRS, 2)  # half of the rows, group, pair, low
    c += product.transpose(1, 2, 0, 3).reshape(c.shape)


def _mma_k32(c: Array, a: Array, b: Array) -> None:
    """c[16, 8] += a[16, 32] b[8, 32]^T, in whichever order of k."""
    left, right = a.reshape(16, K32).astype(np.float32), b.reshape(8, K32).astype(np.float32)
    product = (left @ right.T).reshape(2, GROUPS, PAIRS, 2)
    c += product.transpose(1, 2, 0, 3).reshape(c.shape)


def _load_16(fragment: Array, tile: Array) -> None:
    """16 rows of 16 steps of k, as they lie."""
    fragment[...] = tile.reshape(fragment.shape)


def _mma_tf32x3(c: Array, a: Array, b: Array) -> None:
    """c[16, 8] += a[16, 16] b[8, 16]^T of float32, in whichever order of k; no factor is rounded."""
    product = (a.reshape(16, K16) @ b.reshape(8, K16).T).reshape(2, GROUPS, PAIRS, 2)
    c += product.transpose(1, 2, 0, 3).reshape(c.shape)


def _mma_rounded(c: Array, a: Array, b: Array) -> None:
    """The same where b is of 16 bits, as which a is rounded; numpy holds a bfloat16 as float32."""
    halves = rounded(a, "float16" if b.dtype == np.float16 else "bfloat16")
    _mma_tf32x3(c, halves.astype(np.float32), b.astype(np.float32))


def _mma_float8(c: Array, a: Array, b: Array) -> None:
    """The same where b is of 8-bit floats, all of which float16 has; a is rounded to it."""
    _mma_tf32x3(c, rounded(a, "float16").astype(np.float32), b.astype(np.float32))


def _group_product(c: Array, x: Array, w: Array) -> None:
    """c[64, columns] += x[64, 64] w[columns, 64]^T."""
    rows, columns = x.reshape(-1, GROUP_STEPS), w.reshape(-1, GROUP_STEPS)
    product = rows.astype(np.float32) @ columns.astype(np.float32).T
    parts = product.reshape(GROUP_WARPS, 2, GROUPS, -1, PAIRS, 2)  # warp, half, group, fragment, pair, low
    c += parts.transpose(3, 0, 2, 4, 1, 5).reshape(c.shape)


def _group_product_turned(c: Array, x: Array, w: Array) -> None:
    """The same where a step of k is a row, in parts of 64 columns."""
    _group_product(c, x, w.reshape(-1, GROUP_STEPS, GROUP_PART).transpose(0, 2, 1))


def _of_group(columns: int) -> MatrixOperation:
    operands = (*_group_operands(columns), Operand((columns, GROUP_STEPS)))
    return MatrixOperation(f"wgmma_n{columns}", operands, _group_product, GROUP_WARPS)


def _of_group_turned(columns: int) -> MatrixOperation:
    operands = (*_group_operands(columns), Operand((columns // GROUP_PART, GROUP_STEPS, GROUP_PART)))
    return MatrixOperation(f"wgmma_n{columns}_turned", operands, _group_product_turned, GROUP_WARPS)


def _group_operands(columns: int) -> tuple[Operand, Operand]:
    sums = Operand((columns // 8, GROUP_WARPS, GROUPS, PAIRS, 2, 2), (1, 2, 3), written=True)
    return sums, Operand((GROUP_ROWS, GROUP_STEPS))


_SHARED = Operand((16, 16))
_ALL = (
    MatrixOperation("load_a", (_written(A), _SHARED), _load_a),
    MatrixOperation("load_b2", (_written(B2), _SHARED), _load_b2),
    MatrixOperation("load_b2_turned", (_written(B2), _SHARED), _load_b2_turned),
    MatrixOperation("mma", (_written(C), A, B), _mma),
    MatrixOperation("load_a16", (_written(A16), _SHARED), _load_16),
    MatrixOperation("load_b16", (_written(BOTH16), _SHARED), _load_16),
    MatrixOperation("mma_tf32x3", (_written(C), A16, B16), _mma_tf32x3),
    MatrixOperation("mma_rounded", (_written(C), A16, B16), _mma_rounded),
    MatrixOperation("mma_float8", (_written(C), A16, B16), _mma_float8),
    MatrixOperation("mma_k32", (_written(C), A32, B32), _mma_k32),
    *map(_of_group, GROUP_COLUMNS),
    *map(_of_group_turned, TURNED_COLUMNS),
)
MATRIX_OPERATIONS: Mapping[str, MatrixOperation] = {o.name: o for o in _ALL}


def matrix_operation(name: str) -> MatrixOperation:
    found = MATRIX_OPERATIONS.get(name)
    if found is None:
        raise ScheduleError(f"unknown matrix operation {name!r}; expected one of {', '.join(MATRIX_OPERATIONS)}")
    return found
