"""How long minimal filtering takes, roughly, against the sums as they are defined: what speaks for it untuned.

It multiplies less, and pays for that with transforms, with what they leave in caches and read there again, and with a
weight of 16 or 36 numbers in place of 9. Each is counted for the chunks of a config; the sums as they are defined take
their products and their weight, once, and no time for anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.cpu_estimate import moved, multiplied
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cpu.narrow.terms import parts_of, terms_of
from anytile.schedules.templates.cpu.winograd.transforms import FILTERINGS, TAPS, Transform
from anytile.schedules.workloads.workload import Workload

_TILE = 30.0  # clocks in which a register tile is cleared, filled and stored


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tiles of the image that are transformed at once: bands of them, of one image or of several whole ones."""

    images: int
    bands: int
    across: int
    rows: int  # of a register tile

    @classmethod
    def of(cls, workload: Workload, config: Config) -> Chunk:
        size, out = workload.extents, config.int("out")
        across = -(-(size["ow"].value or 0) // out) or 1
        height, known = size["oh"].value, size["n"].value
        down = None if height is None else max(-(-height // out), 1)
        bands = max(config.int("chunk") // across, 1)
        bands = bands if down is None else min(bands, down)
        images = max(config.int("chunk") // (bands * across), 1) if bands == down else 1
        return cls(images if known is None else min(images, max(known, 1)), bands, across, config.int("tile_t"))

    @property
    def tiles(self) -> int:
        return self.images * self.bands * self.across

    @property
    def rounds(self) -> int:
        """Register tiles."""
        return -(-self.tiles // self.rows)


def clocks(workload: Workload, target: Target, config: Config) -> float:
    """The estimate for a config, of the thread that has most to do; one image stands for a number that is not known."""
    cpu, chunk, size = facts(target), Chunk.of(workload, config), workload.extents
    by, wide = FILTERINGS[config.int("out")], config.int("tile_c")
    inputs, outputs = (-(-(size[d].value or 1) // cpu.lanes) for d in ("ci", "co"))
    blocks, points = -(-outputs // wide), by.points**2
    vector = cpu.lanes * BYTES["float32"]
    tiles = chunk.rounds * chunk.rows
    depth = size["ci"].value or 1
    transformed, sums = points * tiles * inputs * vector, points * tiles * wide * vector
    weight = points * depth * blocks * wide * vector
    products = multiplied(cpu, points * tiles * depth * blocks * wide) + blocks * points * chunk.rounds * _TILE
    transforms = chunk.tiles * (
        inputs * multiplied(cpu, 2 * by.points * _steps(by.inputs))
        + blocks * wide * multiplied(cpu, (by.points + by.outputs) * _steps(by.products))
    )
    kept = moved(cpu, 2 * (transformed + blocks * sums), transformed + sums)
    chunks, read = _busiest(workload, target, chunk, by.outputs)
    first = moved(cpu, weight, weight, streamed=True) if "w" in workload.streamed else 0.0
    again = moved(cpu, weight, weight + transformed + sums) * (read - (first > 0))
    return chunks * (products + transforms + kept) + first + again


def clocks_as_defined(workload: Workload, target: Target) -> float:
    """The same for a template that adds up what the definition says, at its best."""
    cpu, size = facts(target), workload.extents
    depth, vectors = (size["ci"].value or 1) * TAPS**2, -(-(size["co"].value or 1) // cpu.lanes)
    terms = depth * parts_of(workload, target) / terms_of(workload)
    weight = depth * (size["co"].value or 1) * BYTES[workload.dtype_of(workload.tensor("w"))]
    pixels = max(size["n"].value or 1, 1) * _height(workload) * (size["ow"].value or 1)
    each = multiplied(cpu, pixels * terms * vectors)
    return each / target.threads + moved(cpu, weight, weight, "w" in workload.streamed)


def _busiest(workload: Workload, target: Target, chunk: Chunk, outputs: int) -> tuple[float, int]:
    """How many chunks the thread that has most does, the last of them perhaps not full, and how many it begins."""
    images, down = max(workload.extents["n"].value or 1, 1), -(-_height(workload) // outputs)

    def most(count: int, at_once: int) -> tuple[float, int]:
        begun = -(-count // (at_once * target.threads))
        return min(float(begun), count / at_once), begun

    if chunk.bands == down:
        return most(images, chunk.images)
    full, begun = most(down, chunk.bands)
    return images * full, images * begun


def _height(workload: Workload) -> int:
    """Of the result; an image of any height counts as a square."""
    return workload.extents["oh"].value or workload.extents["ow"].value or 1


def _steps(transform: Transform) -> int:
    """Multiply-adds of vectors along one row: a factor of 1 in front is none."""
    return sum(len(terms) - (terms[0][0] == 1) for _, terms in transform.sums)


__all__ = ["Chunk", "clocks", "clocks_as_defined"]
