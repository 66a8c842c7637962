"""The template of attention on a GPU: which tiles a block has, and what fits a multiprocessor.

16-bit floats are multiplied on matrix units where there are some, all else as float32 is in `dense`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from anytile.core.dtypes import BYTES, FLOAT8, HALVES
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.gpu import GpuFacts, gpu_facts
from anytile.schedules.hardware.gpu_estimate import Rounds, clocks_of_rounds
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.nodes import (
    LoopNest,
)
from anytile.schedules.operators.products.attention import ATTENTION
from anytile.schedules.primitives.gpu.row_scores import WARP
from anytile.schedules.templates.base.plain import Choice, PlainTemplate
from anytile.schedules.templates.base.space import Config, Constraint, Knob
from anytile.schedules.templates.base.space import Value as KnobValue
from anytile.schedules.templates.cuda.attention_block import Block
from anytile.schedules.templates.cuda.attention_products import Lanes, Matrices
from anytile.schedules.templates.cuda.dense_simt import CLUSTERS, is_cluster, meetings
from anytile.schedules.templates.cuda.untuned import OTHER
from anytile.schedules.workloads.workload import Workload

_FEW = 16  # queries that leave a GPU idle unless several blocks share their keys
_NUMBERS = ("tile_m", "tile_n", "warps_m", "warps_n", "split")
_SPLITS = (1, 2, 4, 8, 16)
_LIKELY_SPLITS = (1, 4, 16)
_HEADS = 16  # where their number is not known
_SCHEDULERS = 4  # of a multiprocessor: as many warps go on at once
_OF_A_SCORE = 12.0  # instructions of a lane, of all kinds but products
_WAITING = 1.5  # how much longer a warp alone takes than its instructions do
_WAITED = 40.0  # at a barrier


def _on_units(workload: Workload, gpu: GpuFacts) -> bool:
    """Whether matrix units multiply."""
    return workload.dtype in HALVES and gpu.async_copies


def _made(workload: Workload, gpu: GpuFacts, c: Mapping[str, KnobValue]) -> Block:
    tile_m, tile_n, warps_m, warps_n, split = (int(c[name]) for name in _NUMBERS)
    block = Matrices if _on_units(workload, gpu) else Lanes
    return block(workload, gpu, tile_m, tile_n, warps_m, warps_n, split, is_cluster(c))


def _write(nest: LoopNest, workload: Workload, target: Target, config: Config) -> LoopNest:
    return _made(workload, gpu_facts(target), dict(config.values)).nest(nest)


def _knobs(workload: Workload, target: Target) -> tuple[Knob, ...]:
    by_lane = not _on_units(workload, gpu_facts(target))
    edges = "rows of a lane" if by_lane else "tiles of 16 rows of a warp"
    return (
        Knob("tile_m", (1, 2, 4, 8) if by_lane else (1, 2), edges),
        Knob("tile_n", (1, 2, 4, 8) if by_lane else (1, 2, 4), edges.replace("rows", "keys")),
        Knob("warps_m", (1, 2, 4), "warps of a block along queries"),
        Knob("warps_n", (1, 2, 4), "warps of a block along keys, and then along the values' columns"),
        Knob("split", _SPLITS, "blocks that share the keys of a query"),
        *meetings(gpu_facts(target), _SPLITS),
    )


def _choices(workload: Workload, target: Target) -> tuple[Choice, ...]:
    """The first of a few that the target has room for; where tiles are known to be few, blocks share their keys."""
    m, rules = workload.extents["m"].value, _rules(workload, target)
    few, heads = m is not None and m <= _FEW, (workload.extents["b"] * workload.extents["h"]).value
    split = 1
    while few and heads and heads * split < gpu_facts(target).multiprocessors and split < _SPLITS[-1]:
        split *= 2
    if _on_units(workload, gpu_facts(target)):
        likely = [(1, 2, 1, 1), (1, 1, 1, 2)] if few else [(1, 4, 4, 1), (1, 2, 4, 1), (1, 2, 2, 1)]
        likely += [(1, 2, 1, 1), (1, 1, 1, 2), (1, 1, 1, 4)]
    else:
        likely = [(1, 8, 1, 1), (1, 4, 1, 1)] if few else [(4, 4, 4, 1), (4, 4, 2, 1), (2, 4, 2, 1)]
        likely += [(1, 4, 1, 1), (1, 2, 1, 2), (1, 1, 1, 4)]
    fixed = {knob.name: knob.values[0] for knob in _knobs(workload, target)}
    tried = [fixed | dict(zip(_NUMBERS, (*numbers, split), strict=True)) for numbers in likely]
    chosen = next((c for c in tried if all(rule.holds(c) for rule in rules)), None)
    if chosen is None:
        lacking = "; ".join(rule.doc for rule in rules if not rule.holds(tried[-1]))
        raise UnsupportedError(f"{workload} on {target}: no config of attention.cuda fits this target: {lacking}")
    return tuple(Choice(knob, chosen[knob.name]) for knob in _knobs(workload, target))


def _rules(workload: Workload, target: Target) -> tuple[Constraint, ...]:
    gpu = gpu_facts(target)

    def of(rule: Callable[[Block], bool]) -> Callable[[Mapping[str, KnobValue]], bool]:
        return lambda c: rule(_made(workload, gpu, c))

    return (
        Constraint("shared", "the tiles must fit the shared memory of a block",
                   of(lambda b: b.shared + 1024 <= gpu.shared_per_block)),
        Constraint("registers", "the sums of a thread must fit its registers",
                   of(lambda b: b.registers <= gpu.registers_per_thread)),
        Constraint("resident", "the threads of one block must fit the registers of a multiprocessor",
                   of(lambda b: b.registers * b.threads <= gpu.registers)),
        Constraint("warps", "eight warps at most: more wait for each other too long",
                   of(lambda b: b.warps <= 8)),
        Constraint("keys", "a warp takes a row of scores in whole rounds, eight at most",
                   of(lambda b: b.keys % WARP == 0 and b.keys <= 8 * WARP)),
        Constraint("code", "the scores that a lane has of a tile are written out, 32 at most",
                   of(lambda b: b.rows // b.warps * (b.keys // WARP) <= 32)),
        Constraint("meeting", "blocks of a cluster divide evenly what a thread makes of their parts",
                   lambda c: not is_cluster(c) or (c["split"] in CLUSTERS and of(_is_divided)(c))),
        Constraint("columns", "each warp has columns of the values",
                   of(lambda b: b.warps_n == 1 or b.columns * (b.warps_n - 1) < b.e)),
    )  # fmt: skip


def _is_divided(b: Block) -> bool:
    return prod(by for _, by in b.along) == b.split


def _served(workload: Workload) -> bool:
    """Where 16 bits are multiplied all lie so, and the result, which is as exact; lanes widen what they read, but no 8
    bits."""
    if any(dtype in FLOAT8 for _, dtype in workload.stored):
        return False
    return workload.dtype not in HALVES or not any(name in {"q", "k", "v", "y"} for name, _ in workload.stored)


@dataclass(frozen=True)
class AttentionCuda(PlainTemplate):
    """With an estimate of a config, so that untuned plans have one for few queries and others for many."""

    most_rows = None

    def likely(self, workload: Workload, target: Target) -> Iterator[Config]:
        """No cluster, which nobody has measured yet: a search alone tries it."""
        space = self.space(workload, target)
        return (c for c in space if c.int("split") in _LIKELY_SPLITS and not is_cluster(c))

    def tiling(self, workload: Workload, target: Target, config: Config) -> Block:
        return _made(workload, gpu_facts(target), dict(config.values))

    def clocks(self, workload: Workload, target: Target, rows: int, tiling: Block) -> float:
        """Of n keys, which are as many as queries where one symbol is both."""
        gpu, b = gpu_facts(target), tiling
        keys, heads = workload.dim("n"), (workload.extents["b"] * workload.extents["h"]).value or _HEADS
        if not isinstance(keys, int):
            keys = rows if keys == workload.dim("m") else OTHER
        scores, products = b.rows * b.keys, b.rows * b.keys * (b.deep + b.wide)
        softmax = scores * _OF_A_SCORE / gpu.warp
        multiplied = products / (gpu.tile_atoms if _on_units(workload, gpu) else gpu.atoms / 2)
        rounds = Rounds(
            blocks=max(-(-rows // b.rows), 1) * heads * b.split,
            rounds=-(-keys // (b.keys * b.split)),
            split=b.split,
            threads=b.threads,
            registers=b.registers,
            shared=b.shared,
            computed=multiplied + softmax / _SCHEDULERS,
            moved=b.keys * (b.d * BYTES[b.lying("k")] + b.e * BYTES[b.lying("v")]),
            alone=_WAITING * (multiplied * _SCHEDULERS + softmax) / min(b.warps, _SCHEDULERS) + 4 * _WAITED,
            left=b.rows * b.e * 4,
        )
        return clocks_of_rounds(gpu, rounds)


ATTENTION_CUDA = AttentionCuda(
    "attention.cuda", ATTENTION.name, _write, _choices, "cuda", version=2, rules=_rules, served=_served, walked="m"
)
