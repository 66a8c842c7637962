"""How long minimal filtering takes, roughly, against the sums as they are defined: what speaks for it untuned.

It multiplies less, and pays for that with transforms, with what they leave in caches and read there again, and with a
weight of 16 or 36 numbers in place of 9. Each is counted for the chunks of a config; the sums as they are defined take
their products and their weight, once, and no time for anything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.cpu_estimate import moved, multiplied
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cpu.conv2d_direct import BUSY
from anytile.schedules.templates.cpu.narrow.terms import parts_of, terms_of
from anytile.schedules.templates.cpu.winograd.transforms import FILTERINGS, TAPS, Transform
from anytile.schedules.workloads.workload import Workload

CHUNK_WISE, CHANNEL_WISE = "outer", "channels"  # what threads share: chunks, or output channels
_SIDE_BY_CHANNELS = 56 * 64  # of the second stage of a network for images of 224 by 224
_TIMES = (0.5, 1, 2, 4)
_Shape = tuple[int, int, int]
_TILE = 30.0  # clocks in which a register tile is cleared, filled and stored


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring tiles of all images that are transformed at once, in register tiles of so many rows."""

    rounds: int
    rows: int
    few: int  # rows of the register tiles that take what does not fill one of those

    @classmethod
    def of(cls, workload: Workload, config: Config) -> Chunk:
        size, out, rows = workload.extents, config.int("out"), config.int("tile_t")
        few = min(-(-BUSY // config.int("tile_c")), rows)
        rounds = max((config.int("chunk") + rows // 2) // rows, 1)
        known = [size[d].value for d in ("n", "oh", "ow")]
        if None in known:
            return cls(rounds, rows, few)
        return cls(rounds, rows, few).of_all(_tiles(known[0] or 0, known[1] or 0, known[2] or 0, out))

    def of_all(self, tiles: int) -> Chunk:
        """The same where there are only so many."""
        return replace(self, rounds=min(self.rounds, max(-(-tiles // self.rows), 1)))

    @property
    def tiles(self) -> int:
        return self.rounds * self.rows


def clocks(workload: Workload, target: Target, config: Config) -> float:
    """The estimate for a config, of the thread that has most to do: the geometric mean over sizes that stand for those
    that are not known."""
    return _mean(_clocks(workload, target, config, shape) for shape in _shapes(workload))


def _clocks(workload: Workload, target: Target, config: Config, shape: _Shape) -> float:
    cpu, size = facts(target), workload.extents
    by, wide = FILTERINGS[config.int("out")], config.int("tile_c")
    total = _tiles(*shape, by.outputs)
    chunk = Chunk.of(workload, config).of_all(total)  # no more is touched, whatever there is room for
    inputs, outputs = (-(-(size[d].value or 1) // cpu.lanes) for d in ("ci", "co"))
    blocks, points = -(-outputs // wide), by.points**2
    vector = cpu.lanes * BYTES["float32"]
    transformed, sums = points * chunk.tiles * inputs * vector, points * chunk.tiles * wide * vector
    depth = size["ci"].value or 1
    by_channels = dict(config.values).get("parallel") == CHANNEL_WISE
    theirs, threads = (-(-blocks // target.threads), 1) if by_channels else (blocks, target.threads)
    weight = points * depth * theirs * wide * vector
    begun = -(-total // (chunk.tiles * threads))  # chunks
    full = min(float(begun), -(-total // chunk.few) * chunk.few / chunk.tiles)
    products = multiplied(cpu, points * chunk.tiles * depth * theirs * wide) + theirs * points * chunk.rounds * _TILE
    kept = moved(cpu, 2 * (transformed + theirs * sums), transformed + sums)
    tiles = min(begun * chunk.tiles, total)
    transforms = tiles * (
        inputs * multiplied(cpu, 2 * by.points * _steps(by.inputs))
        + theirs * wide * multiplied(cpu, (by.points + by.outputs) * _steps(by.products))
    )
    together = min(chunk.rows, -(-total // chunk.few) * chunk.few)  # tiles that are multiplied by it while it is read
    meanwhile = products * together / chunk.tiles
    again = moved(cpu, weight, weight + transformed + sums)
    first = moved(cpu, weight, weight, streamed=True) if "w" in workload.streamed else again
    waited = max(first - meanwhile, 0.0) + (begun - 1) * max(again - meanwhile, 0.0)
    return full * (products + kept) + transforms + waited


def clocks_as_defined(workload: Workload, target: Target) -> float:
    """The same for a template that adds up what the definition says, at its best."""
    cpu, size = facts(target), workload.extents
    depth, vectors = (size["ci"].value or 1) * TAPS**2, -(-(size["co"].value or 1) // cpu.lanes)
    terms = depth * parts_of(workload, target) / terms_of(workload)
    weight = depth * (size["co"].value or 1) * BYTES[workload.dtype_of(workload.tensor("w"))]
    read = moved(cpu, weight, weight, "w" in workload.streamed)
    pixels = (math.prod(shape) for shape in _shapes(workload))
    return _mean(max(multiplied(cpu, count * terms * vectors), read) / target.threads for count in pixels)


def _shapes(workload: Workload) -> list[_Shape]:
    """Images, and rows and columns of a result. One image stands for a number that is not known, and a square for a
    height or a width. Where neither is known, networks have about so many pixels along a side that the product with
    their channels stays the same; from half to four times as many stand for that."""
    size = workload.extents
    images = max(size["n"].value or 1, 1)
    height, width = (size[d].value for d in ("oh", "ow"))
    if height is None and width is None:
        side = _SIDE_BY_CHANNELS / (size["ci"].value or 1)
        return [(images, max(round(side * times), 1), max(round(side * times), 1)) for times in _TIMES]
    return [(images, height or width or 1, width or height or 1)]


def _tiles(images: int, height: int, width: int, outputs: int) -> int:
    """Of all images, each of so many results along both sides."""
    return images * -(-height // outputs) * -(-width // outputs)


def _mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    counted = list(values)
    return math.prod(counted) ** (1 / len(counted))


def _steps(transform: Transform) -> int:
    """Multiply-adds of vectors along one row: a factor of 1 in front is none."""
    return sum(len(terms) - (terms[0][0] == 1) for _, terms in transform.sums)


__all__ = ["Chunk", "clocks", "clocks_as_defined"]
