"""The largest elements of windows, and where they are: what pools with indices are, for every importer."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from anytile.importers.core.graph import Refusal, Value
from anytile.importers.core.writer import Writer
from anytile.schedules.nest.stored_floats import lowest_of

MOST_TAPS = 1024  # of a pool's window


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows over the last dimensions of a tensor: `pads` are before each of them, then behind each. With `ceil` a
    last one may reach beyond the padding, unless it begins there."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    ceil: bool = False

    @property
    def reach(self) -> list[int]:
        """From the first to the last element of a window."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]

    def counts(self, size: list[int]) -> list[int]:
        """How many windows there are along each dimension."""
        count, made = len(size), []
        for i, reach in enumerate(self.reach):
            room = size[i] + self.pads[i] + self.pads[count + i] - reach
            number = (-(-room // self.strides[i]) if self.ceil else room // self.strides[i]) + 1
            last = (number - 1) * self.strides[i] >= size[i] + self.pads[i]
            made.append(number - 1 if self.ceil and last else number)
        return made


def largest_of_windows(c: Writer, x: Value, windows: Windows, columns_first: bool = False) -> tuple[Value, Value]:
    """The largest of the elements that lie under each tap of the window, and its place among those that the windows go
    over, counted along the last dimension first unless `columns_first`. One that is no number is larger than all that
    are, as in a pool without indices."""
    count = len(windows.kernel)
    lead, size = x.rank - count, [c.size(x, x.rank - count + i) for i in range(count)]
    if math.prod(windows.kernel) > MOST_TAPS:
        raise Refusal(f"where the largest is in a window {windows.kernel}; expected at most {MOST_TAPS} taps")
    made, strides, pads = windows.counts(size), windows.strides, windows.pads
    c.small(math.prod(made) * math.prod(windows.kernel), "the elements of all windows")
    far = [(made[i] - 1) * strides[i] + windows.reach[i] - size[i] - pads[i] for i in range(count)]
    none = (0,) * lead
    around = {"before": (*none, *pads[:count]), "after": (*none, *(max(n, 0) for n in far))}
    images = c.do("pad", x, value=lowest_of(x.dtype), **around)
    best: Value | None = None
    where: Value | None = None
    for tap in itertools.product(*map(range, windows.kernel)):
        at = [t * d for t, d in zip(tap, windows.dilations, strict=True)]
        seen = c.do(
            "slice",
            images,
            start=tuple(at),
            stop=tuple(a + (n - 1) * s + 1 for a, n, s in zip(at, made, strides, strict=True)),
            step=strides,
            axes=tuple(range(lead, x.rank)),
        )
        places = [a + s * np.arange(n) - p for a, s, n, p in zip(at, strides, made, pads[:count], strict=True)]
        grid = np.meshgrid(*places, indexing="ij")
        flat = np.zeros(made, np.int64)
        inside = np.ones(made, np.bool_)
        for i in reversed(range(count)) if columns_first else range(count):
            flat = flat * size[i] + grid[i]
            inside &= (grid[i] >= 0) & (grid[i] < size[i])
        flat = np.where(inside, flat, -1)
        if best is None or where is None:
            best, where = seen, c.broadcast(c.graph.constant(flat), seen.dims)
            continue
        better = c.do("logical_or", c.do("greater", seen, best), c.do("less", where, c.number(0, where)))
        better = c.do("logical_or", better, c.do("isnan", seen))
        better = c.do("logical_and", better, c.do("logical_not", c.do("isnan", best)))
        better = c.do("logical_and", better, c.graph.constant(inside))
        best, where = c.do("where", better, seen, best), c.do("where", better, c.graph.constant(flat), where)
    assert best is not None
    assert where is not None
    return best, where
