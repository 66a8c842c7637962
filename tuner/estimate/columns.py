"""Feature extraction for transfer learning: what may be said of a config without its loop nest, as rows of numbers.

The knobs, how they divide the sizes, their products, the sizes and the machine; a nest would cost milliseconds for each
config, where a lookup has five for all. Columns go by names, so operators share those that they have in common; what a
config has not is nan.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

Array = NDArray[np.float64]
Numbers = dict[str, tuple[Array, bool]]  # each knob's values, and whether they are amounts
MOST_KNOBS = 20  # of a template: every two of them are a column


@dataclass(frozen=True, slots=True)
class Asked:
    """Configs of one template for a workload, whose knobs are of this space."""

    template: str
    knobs: tuple[str, ...]
    configs: tuple[Config, ...]


@dataclass(frozen=True)
class Columns:
    """The columns of a model, in order, and the numbers that its words stand for."""

    names: tuple[str, ...]
    words: Mapping[str, float]

    @functools.cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def rows(self, workload: Workload, target: Target, points: Sequence[Mapping[str, int]], asked: Asked) -> Array:
        """A row for each config at each point; those of the first point come first."""
        numbers = _numbers(asked, self.words)
        own = _own(numbers)
        matrix = np.full((len(points), len(asked.configs), len(self.names)), math.nan)
        for layer, point in zip(matrix, points, strict=True):
            for name, value in {**own, **_shared(workload, target, point, asked.template, numbers, self.words)}.items():
                if (at := self._place.get(name)) is not None:
                    layer[:, at] = value
        return matrix.reshape(-1, len(self.names))


def said_of(
    workload: Workload, target: Target, point: Mapping[str, int], asked: Asked, words: Mapping[str, float]
) -> set[str]:
    """The names of all columns that have something to say here."""
    numbers = _numbers(asked, words)
    return {*_own(numbers), *_shared(workload, target, point, asked.template, numbers, words)}


def _own(knobs: Numbers) -> dict[str, Array]:
    """What is said of the configs at any size: the knobs, and the products of two of them."""
    found = {f"knob {name}": values for name, (values, _) in knobs.items()}
    counted = [(name, values) for name, (values, is_count) in knobs.items() if is_count]
    for (one, a), (other, b) in itertools.combinations(counted, 2):
        found[f"{one} * {other}"] = a * b
    return found


def _shared(
    workload: Workload,
    target: Target,
    point: Mapping[str, int],
    template: str,
    knobs: Numbers,
    words: Mapping[str, float],
) -> dict[str, Array | float]:
    """What is said of a workload at a size on a machine, and of how the configs' knobs divide that size."""
    sizes = workload.sizes({s: point[s] for s in workload.symbols if s in point})
    found: dict[str, Array | float] = {f"size {name}": math.log2(size + 1) for name, size in sizes.items()}
    found |= {f"const {name}": 1.0 for name in workload.const}
    found |= {f"streamed {name}": 1.0 for name in workload.streamed}
    found |= {f"attribute {name}": _number(value, words) for name, value in workload.attrs}
    found |= {f"stored {name}": float(BYTES[dtype]) for name, dtype in workload.stored}
    found["dtype"] = _number(workload.dtype, words)
    found |= {f"template {template}": 1.0, "threads": float(target.threads)} | _machine(target)
    for knob, (values, is_count) in knobs.items():
        if is_count:
            divisor = np.maximum(values, 1.0)
            for dim, size in sizes.items():
                if size > 0:
                    found[f"{knob} into {dim}"] = np.ceil(size / divisor) * divisor / size
    return found


def word_numbers(workloads: Iterable[Workload], configs: Iterable[Config]) -> dict[str, float]:
    """Words in a fixed order, so that the same store trains the same model."""
    seen = {value for config in configs for _, value in config.values if isinstance(value, str)}
    for workload in workloads:
        seen |= {workload.dtype, *(str(value) for _, value in workload.attrs if not isinstance(value, int | float))}
    return {word: float(i) for i, word in enumerate(sorted(seen))}


def _number(value: object, words: Mapping[str, float]) -> float:
    return float(value) if isinstance(value, int | float) else words.get(str(value), math.nan)


def _numbers(asked: Asked, words: Mapping[str, float]) -> Numbers:
    """Each knob's values, and whether they are amounts."""
    given = [dict(config.values) for config in asked.configs]
    found = {}
    for name in asked.knobs[:MOST_KNOBS]:
        values = [of.get(name) for of in given]
        is_count = any(isinstance(value, int) for value in values)
        numbers = [math.nan if v is None else _number(v, words) for v in values]
        found[name] = np.array(numbers, dtype=np.float64), is_count
    return found


@functools.lru_cache(64)
def _machine(target: Target) -> dict[str, float]:
    if target.kind == "llvm":
        cpu = facts(target)
        return {
            "lanes": float(cpu.lanes), "registers": float(cpu.vector_registers),
            "l1": math.log2(cpu.l1_bytes), "l2": math.log2(cpu.l2_bytes),
        }  # fmt: skip
    gpu = gpu_facts(target)
    return {"multiprocessors": float(gpu.multiprocessors), "shared": float(gpu.shared)}
