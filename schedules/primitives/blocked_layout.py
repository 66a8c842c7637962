"""Blocked layouts: how a packed operand lies in memory, as data that outlives the code which packed it.

The index in each dimension of the raw operand is a number in mixed radix, and its digits are dimensions of the packed
one: w[n, k] packed as [n // 48, k, n % 48] has the digits (0, 2) for n and (1) for k. Places beyond the raw operand
hold zeros. So the raw operand is the packed one with its dimensions in another order, joined and cut off.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.plurals import counted
from anytile.schedules.nest.nodes import Guard, Load, Loop, LoopNest, Store

MAX_DIMS = 32  # what numpy has at least
BOUNDARY = 64  # bytes


@dataclass(frozen=True, slots=True)
class Blocked:
    """The packed dimensions, and for each raw one which of them are its digits, the most significant first."""

    shape: tuple[int, ...]
    digits: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        order = [axis for axes in self.digits for axis in axes]
        if (
            len(self.shape) > MAX_DIMS
            or sorted(order) != list(range(len(self.shape)))
            or min(self.shape, default=1) < 1
        ):
            raise ValueError(f"a layout of {self.shape} with the digits {self.digits}: each dimension is one digit")

    @classmethod
    def plain(cls, shape: Sequence[int]) -> Blocked:
        """An operand that lies as it is."""
        return cls(tuple(shape), tuple((axis,) for axis in range(len(shape))))

    @classmethod
    def of(cls, pack: LoopNest) -> Blocked | None:
        """The layout that a packing nest makes; None where it is no such layout."""
        extents: dict[str, int] = {}
        at = pack.body
        while isinstance(at, Loop):
            if at.extent.value is None:
                return None
            extents[at.var] = at.extent.value
            at = at.body
        store = at.body if isinstance(at, Guard) else at
        if not isinstance(store, Store) or not isinstance(store.value, Load):
            return None
        axes = {name: axis for axis, name in enumerate(extents)}
        if [str(e) for e in store.index if e.value != 0] != list(extents):
            return None
        digits = []
        for index in store.value.index:
            factors = {name: index.coefficient(name) for name in index.names}
            order = sorted(factors, key=lambda name: -(factors[name] or 0))
            weights = [math.prod(extents[n] for n in order[i + 1 :]) for i in range(len(order))]
            if index.offset or [factors[name] for name in order] != weights:
                return None
            digits.append(tuple(axes[name] for name in order))
        try:
            return cls(tuple(extents.values()), tuple(digits))
        except ValueError:  # a dimension that is no digit: copies of the same
            return None

    @classmethod
    def from_data(cls, data: Any) -> Blocked:
        """The inverse of `data`; ValueError where it is none."""
        shape, digits = data
        return cls(tuple(map(_whole, shape)), tuple(tuple(map(_whole, axes)) for axes in digits))

    def data(self) -> list[Any]:
        return [list(self.shape), [list(axes) for axes in self.digits]]

    @property
    def _order(self) -> list[int]:
        return [axis for axes in self.digits for axis in axes]

    def padded(self, shape: Sequence[int]) -> list[int]:
        """The raw operand's shape with what is added to fill blocks; ValueError where it does not fit."""
        return self._fitted(shape)[1]

    def _fitted(self, shape: Sequence[int]) -> tuple[list[int], list[int]]:
        """The raw operand's shape, with a dimension of one element where it lacks one, as the kernel of a convolution
        of rows does beside one of images; and padded."""
        found = [math.prod(self.shape[axis] for axis in axes) for axes in self.digits]
        ones = [[*shape[:axis], 1, *shape[axis:]] for axis, size in enumerate(found) if size == 1]
        for whole in (list(shape), *ones):
            if len(whole) == len(found) and all(d <= p for d, p in zip(whole, found, strict=True)):
                return whole, found
        raise ValueError(f"the layout {self.shape} does not hold {tuple(shape)}")

    def packed(self, raw: NDArray[Any]) -> NDArray[Any]:
        """The raw operand in this layout."""
        shape, padded = self._fitted(raw.shape)
        whole = _filled(raw.reshape(shape), [p - d for d, p in zip(shape, padded, strict=True)])
        split = whole.reshape([self.shape[axis] for axis in self._order])
        return np.ascontiguousarray(split.transpose(np.argsort(self._order)))

    def unpacked(self, packed: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
        """The raw operand out of the packed one's elements, of which there may be more than it takes."""
        (whole, padded), count = self._fitted(shape), math.prod(self.shape)
        if count > packed.size:
            raise ValueError(f"{counted(packed.size, 'element')} are fewer than the layout {self.shape} has")
        lying = packed.reshape(-1)[:count].reshape(self.shape)
        joined = lying.transpose(self._order).reshape(padded)
        return np.ascontiguousarray(joined[tuple(slice(d) for d in whole)]).reshape(shape)


def _filled(array: NDArray[Any], missing: Sequence[int]) -> NDArray[Any]:
    """With so many zeros behind each dimension; not copied for none."""
    return np.pad(array, [(0, n) for n in missing]) if any(missing) else array


def _whole(n: Any) -> int:
    if type(n) is not int or not 0 <= n < 2**48:
        raise ValueError(f"{n!r} is no size")
    return n


def layouts_text(layouts: Sequence[Blocked | None]) -> str:
    """Layouts that lie one behind the other, as one canonical line; nothing where one of them is not known."""
    return "" if None in layouts else json.dumps([x.data() for x in layouts if x is not None], separators=(",", ":"))


def layouts_of(text: str) -> tuple[Blocked, ...]:
    """The inverse, of a line that anybody may have written; ValueError where it is none."""
    try:
        found = tuple(Blocked.from_data(data) for data in json.loads(text))
    except (TypeError, RecursionError) as error:
        raise ValueError(f"a layout cannot be read: {error}") from None
    if not found:
        raise ValueError("expected at least one layout")
    return found


def packed_bytes(layouts: Sequence[Blocked], raw: NDArray[Any]) -> NDArray[Any]:
    """An operand in several layouts one behind the other, each on a boundary of its own."""
    parts = []
    for layout in layouts:
        data = layout.packed(raw).reshape(-1).view(np.uint8)
        parts.append(_filled(data, [-len(data) % BOUNDARY]))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


__all__ = ["Blocked", "layouts_of", "layouts_text", "packed_bytes"]
