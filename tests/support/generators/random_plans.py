"""Random dispatch plans of CPU kernels: any variants, ranges and residue classes, with sizes about their borders."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from anytile.core.dtypes import BYTES
from anytile.core.errors import AnytileError, UnsupportedError
from anytile.dispatch.blas.in_plans import LIBRARY, pick
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload
from anytile.tuner.measure.cpu.guarded_memory import Place
from tests.support.generators.random_configs import any_config
from tests.support.generators.random_forms import any_form
from tests.support.plan_fuzz.case import Case

MOST_FLOPS, MOST_BYTES = 3_000_000, 1 << 24
MOST_TILE = 64  # mostly: LLVM takes long over kernels of more rows
CUTS = (1, 2, 3, 7, 8, 9, 16, 17, 30, 32, 33, 64, 100, 1000, 1023, 1024, 1025)
OTHER_SIZES = (0, 1, 2, 5, 16, 19, 40)
DRAWS, SIZES = 20, 8
LENIENT = ("attention", "conv2d", "grouped")  # which leave 0 * inf out, or add such terms up in parts
FINE_GRAINS = (1, 64, 1000, 10_000)
NATIVE = "native"  # the CPU that this machine is, or is taken for


def any_case(rng: random.Random, op: str, cpu: str, threads: Sequence[int], refused: Counter[str]) -> Case | None:
    """A plan for one workload of an operator; where there is none, `refused` counts why."""
    count = rng.choice(list(threads))
    target = Target.host(count) if cpu == NATIVE else Target.parse(f"llvm -mcpu={cpu} -threads={count}")
    for _ in range(DRAWS):
        drawn = any_form(rng, op)
        if drawn is None:
            refused[f"{op}: no workload"] += 1
            continue
        workload, symbols = drawn
        workload = workload.with_const([n for n in workload.constant_operands if rng.random() < 0.4])
        try:
            plan = _plan(rng, workload, target, templates_for(workload, target))
        except UnsupportedError as error:
            refused[str(error)] += 1
            continue
        if plan is None:
            refused[f"{op}: no config"] += 1
            continue
        sizes = tuple(at for at in _sizes(rng, plan, symbols) if _is_small(workload, at))
        if not sizes:
            refused[f"{op}: too large"] += 1
            continue
        place = rng.choice((Place.END, Place.END, Place.FRONT))
        unusual = rng.random() < 0.12 and not any(word in op for word in LENIENT)
        return Case(plan, sizes, rng.randrange(1000), place, unusual, rng.random() < 0.15)
    return None


def _plan(rng: random.Random, workload: Workload, target: Target, templates: Sequence[Template]) -> DispatchPlan | None:
    """One to three variants over the same symbol, each by some config, in ranges of any borders."""
    symbol = (first := rng.choice(list(templates))).symbol(workload)
    others = [t for t in templates if t.symbol(workload) == symbol]
    variants = []
    for number in range(rng.choice((1, 1, 2, 3)) if symbol is not None else 1):
        template = first if number == 0 else rng.choice(others)
        space = template.space(workload, target)
        config = any_config(rng, space, small=0.5) if rng.random() < 0.85 else template.default(workload, target)
        if config is None:
            continue
        tile = template.tile(config) if symbol is not None else 1
        if tile > MOST_TILE and rng.random() < 0.8:
            continue
        if rng.random() < 0.6:
            config = shared_early(rng, config)
        variants.append(Variant(template.name, config, tile, any_classes(rng, tile) if symbol is not None else ()))
    if not variants:
        return None
    cuts: list[int] = []
    if symbol is not None:
        borders = {*CUTS, *(t for v in variants for t in (v.tile, v.tile + 1, 2 * v.tile - 1, 3 * v.tile))}
        cuts = sorted(rng.sample(sorted(borders), rng.randint(0, 4)))
    ends = [*((low, high - 1) for low, high in pairwise([0, *cuts])), ([0, *cuts][-1], None)]
    runs: list[int | str] = [*range(len(variants))]
    if symbol is not None and _has_library(workload):
        runs.append(LIBRARY)
    ranges = tuple(Range(low, high, rng.choice(runs)) for low, high in ends)
    return DispatchPlan(workload, target, symbol, tuple(variants), ranges, {})


def _has_library(workload: Workload) -> bool:
    is_plain = workload.op == "dense" and workload.dtype == "float32" and not workload.tail and not workload.stored
    return is_plain and pick() is not None


def shared_early(rng: random.Random, config: Config) -> Config:
    """The config with a grain of few flops, where it has one: of those of its space no small kernel has two threads."""
    return config.with_(grain=rng.choice(FINE_GRAINS)) if "grain" in dict(config.values) else config


def any_classes(rng: random.Random, tile: int) -> tuple[tuple[int, int], ...]:
    """None, one for each residue of a small tile, or some of uneven widths."""
    dice = rng.random()
    if dice < 0.45:
        return ()
    if dice < 0.6 and tile <= 16:
        return residue_classes(tile, tile)
    cuts = sorted(rng.sample(range(1, tile), rng.randint(0, min(tile - 1, 3)))) if tile > 1 else []
    return tuple((low, high - 1) for low, high in pairwise([0, *cuts, tile]))


def _sizes(rng: random.Random, plan: DispatchPlan, symbols: Mapping[str, int]) -> list[dict[str, int]]:
    """As drawn; at borders of ranges and tiles; and each other symbol at some size of its own."""
    sizes = [dict(symbols)]
    if plan.symbol is not None:
        ends = {n for r in plan.ranges for n in (r.low, r.high) if n is not None}
        tiles = {
            n for v in plan.variants for n in (0, 1, v.tile - 1, v.tile, v.tile + 1, 2 * v.tile + 1, 3 * v.tile - 1)
        }
        at = sorted({*ends, *tiles, 31, 64, 97})
        sizes += [{**symbols, plan.symbol: n} for n in rng.sample(at, min(len(at), SIZES))]
    others = [s for s in symbols if s != plan.symbol]
    sizes += [{**rng.choice(sizes), s: rng.choice(OTHER_SIZES)} for s in others]
    sizes += [{s: rng.choice((n, *OTHER_SIZES)) for s, n in symbols.items()} for _ in range(2)]
    return [dict(at) for at in dict.fromkeys(tuple(sorted(at.items())) for at in sizes)]


def _is_small(workload: Workload, at: Mapping[str, int]) -> bool:
    """Whether there is such a size, and it takes little to compute."""
    try:
        shapes = [(t, workload.shape(t.name, at)) for t in workload.tensors]
        if workload.flops(at) > MOST_FLOPS:
            return False
    except AnytileError:
        return False
    return sum(prod(shape) * BYTES[workload.dtype_of(t)] for t, shape in shapes) <= MOST_BYTES


__all__ = ["any_case", "any_classes"]
