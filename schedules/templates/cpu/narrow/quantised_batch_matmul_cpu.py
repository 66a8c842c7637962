"""quantised_batch_matmul on a CPU: in every batch a register tile of rows by vectors, four steps along k in one term.

    for b: for no: for mo:  acc[mi, ni, lane] += lhs[b, m, k] * rhs_packed[b, no, ko, ki, ni, lane, kr]

The right operand is laid out in panels of quads, and the left one where k is not its last dimension; both at each call,
but for one matrix of all batches that is constant. Or the right one is read as it lies, and quads are made in
registers: of attention's keys, which have k side by side, by transposing four quads of each lane at once, and of its
values, which have columns side by side, by weaving four rows. Rows (m) are the walked dimension; threads share the
batches.
"""

from __future__ import annotations

from collections.abc import Mapping

from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const
from anytile.schedules.operators.products.quantised_batch_matmul import QUANTISED_BATCH_MATMUL
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import dot, parallel, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack
from anytile.schedules.primitives.remainders import known_remainder, partition
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template, symbol_of
from anytile.schedules.templates.cpu.narrow.terms import QUAD, parts_of, split_terms
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14)
VECTORS = (1, 2, 3, 4)
ROUNDS = (1, 2, 4)  # of quads in one round of the innermost loop
READ = "read"
RUN = 4  # quads of a lane that are transposed at once
BUSY = 8  # sums in flight below which a tile waits for its own


class QuantisedBatchMatmulCpu(Template):
    """The template of this module."""

    name = "quantised_batch_matmul.cpu"
    op = QUANTISED_BATCH_MATMUL.name

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu, n, parts = facts(target), workload.dim("n"), parts_of(workload, target)
        vectors = tuple(v for v in VECTORS if not isinstance(n, int) or v == 1 or (v - 1) * cpu.lanes < n)
        knobs = (
            Knob("tile_m", ROWS, "rows of the register tile"),
            Knob("tile_n", vectors, "vectors of the register tile"),
            Knob("unroll_k", ROUNDS, "quads along k in one round of the innermost loop"),
            *_ways(workload),
            *grain_knob(target),
        )

        def tile(c: Mapping[str, Value]) -> int:
            return int(c["tile_m"]) * int(c["tile_n"])

        best = self.default(workload, target)
        most = max(_highest(v, parts, cpu) * v for v in vectors)  # what there are registers for
        least = min(BUSY, most, best.int("tile_m") * best.int("tile_n"))
        fits = Constraint(
            "registers",
            "the tile, one round of vectors and one broadcast must fit the vector registers",
            lambda c: tile(c) == 1 or tile(c) + (int(c["tile_n"]) + 1) * parts <= cpu.vector_registers,
        )
        busy = Constraint(
            "busy",
            f"a tile of fewer than {BUSY} vectors cannot hide the latency of a product",
            lambda c: tile(c) >= least or int(c["tile_n"]) == max(vectors),
        )
        return ConfigSpace(self.name, knobs, (fits, busy))

    def default(self, workload: Workload, target: Target) -> Config:
        cpu, parts = facts(target), parts_of(workload, target)
        n = workload.dim("n")
        needed = -(-n // cpu.lanes) if isinstance(n, int) else max(VECTORS)
        there = [v for v in VECTORS if v <= min(3, max(needed, 1))]
        busy = [v for v in there if min(_highest(v, parts, cpu), 8) * v >= BUSY]
        columns = max(busy) if busy else max(there, key=lambda v: _highest(v, parts, cpu) * v)
        rows = max(r for r in ROWS if r <= min(_highest(columns, parts, cpu), 8))
        threads: dict[str, Value] = {"grain": GRAINS[0]} if target.threads > 1 else {}
        ways = {knob.name: knob.values[0] for knob in _ways(workload)}
        steps = 2
        if ways and not _has_columns(workload):  # the quads of a run need places, too
            columns, steps = (min(2, columns) if cpu.vector_registers >= 32 else 1), RUN
            places = cpu.vector_registers - (RUN * columns + 1) * parts
            rows = max(r for r in ROWS if r == 1 or r * columns <= places)
        return Config.of(tile_m=rows, tile_n=columns, unroll_k=steps, **ways, **threads)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        lanes, rows, columns = facts(target).lanes, config.int("tile_m"), config.int("tile_n")
        s = start(workload)
        split(s, "i_m", rows, "mo", "mi")
        split(s, "i_n", columns * lanes, "no", "nj")
        split(s, "nj", lanes, "ni", "nv")
        split_terms(s, "i_k", config.int("unroll_k"), QUAD)
        reorder(s, "i_b", "no", "mo", "ko", "ki", "mi", "ni", "nv", "kr")
        batches = {name: ("i_b",) if "b" in workload.tensor(name).dims else () for name in ("lhs", "rhs")}
        if target.threads > 1:
            work = const(2)
            for dim in "bmnk":
                work = work * workload.extents[dim]
            parallel(s, "i_b", work, least_of(config))
        is_read = dict(config.values).get("rhs_by") == READ
        if not is_read:
            panels = (*batches["rhs"], "no", "ko", "ki", "ni", "nv", "kr")
            pack(s, "rhs", panels, at_run_time="rhs" not in workload.const)
        dims = workload.tensor("lhs").dims
        if dims[-1] != "k":
            pack(s, "lhs", (*batches["lhs"], f"lhs.{dims.index('m')}", "ko", "ki", "kr"), at_run_time=True)
        accumulate(s, inside="mo")
        if not is_read or not _has_columns(workload):
            overcompute(s, "ni", "nv")
        unroll(s, "ki", "mi", "ni")
        vectorize(s, "nv")
        dot(s, "kr")
        if is_read and _has_columns(workload):
            partition(s, "no")
        partition(s, "ko", rolled="ki" if is_read else None, step=QUAD if is_read else 1)
        symbol, height = self.symbol(workload), workload.dim("m")
        if isinstance(height, int):
            known_remainder(s, "mo", height % rows)
        return Scheduled.of(s, None if symbol is None else Walk(symbol, "mo", "mi", rows))


def _ways(workload: Workload) -> tuple[Knob, ...]:
    """How the right operand comes by, where there is a choice: columns side by side are read in a known number."""
    if workload.tensor("lhs").dims[-1] != "k" or "rhs" in workload.const:
        return ()
    if _has_columns(workload) and not isinstance(workload.dim("n"), int):
        return ()
    return (Knob("rhs_by", (READ, "pack"), "whether it is read as it lies, or packed in quads at each call"),)


def _has_columns(workload: Workload) -> bool:
    """Whether the right operand has its columns side by side."""
    return workload.tensor("rhs").dims[-1] == "n"


def _highest(columns: int, parts: int, cpu: CpuFacts) -> int:
    """The most rows of so many vectors whose sums there are registers for; one, if there is none."""
    spare = cpu.vector_registers - (columns + 1) * parts
    return max(r for r in ROWS if r == 1 or r * columns <= spare)
