"""batch_matmul on a CPU: in every batch a register tile of rows by vectors, for any of b, m, n, k symbolic.

    for b: for no: for mo:  acc[mi, ni, lane] += lhs[b, m, k] * rhs[b, k, n]

Vectors run along the dimension whose elements lie together in the result: n, or m where the result is transposed; then
the operands change roles. `rhs_by` is how the operand with that dimension is read: `stream` loads its vectors as they
lie, `turn` where it lies the other way round, transposing them in registers for every tile, `pack` copies (or
transposes) a panel at a time into a workspace that stays in the first-level cache, and `rows` has vectors run along k
instead, with one sum per lane. The other dimension is the walked one: its residues are specialised by `dispatch`. The
last panel is written for each number of vectors that it may have; up to `few` elements beyond it, for which a vector
would be mostly empty, have vectors run along k. Threads share the batches, or the tiles of rows.

Where the CPU multiplies pairs of bfloat16, two steps of k are one term, if the other operand has them side by side:
vectors are of pairs, which are transposed as one, or woven of two rows that are loaded as they lie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from anytile.core.dtypes import BYTES
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.loops import dot, parallel, reorder, split, unroll, vectorize
from anytile.schedules.primitives.panel_remainders import beside, last_few, narrow
from anytile.schedules.primitives.remainders import exact_remainders, known_remainder, partition
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Schedule
from anytile.schedules.primitives.stage_panel import RUN, stage_panel
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, grain_rule, least_of
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template, symbol_of
from anytile.schedules.templates.cpu.narrow.terms import PAIR, split_terms
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
VECTORS = (1, 2, 3, 4, 6)
UNROLLS = (1, 2, 4, 8)
FEW = (4, 0)
FEW_ROWS = 4  # that share what is read of a few columns
MANY, MANY_OF_SOME = 32, 96  # rows for which a panel is worth a copy; of batches whose panels lie together
PAGE = 4096  # bytes; as many as one way of a first-level cache has
WIDE = 16  # lanes from which on half a vector is worth code of its own: some CPUs compute it twice as fast


@dataclass(frozen=True, slots=True)
class Roles:
    """Which operand is read in vectors (`wide`, along dimension `lane`), and which element by element (along `row`)."""

    wide: str
    lane: str
    tall: str
    row: str

    @classmethod
    def of(cls, workload: Workload) -> Roles:
        transposed = workload.tensor("y").dims[-1] == "m"
        return cls("lhs", "m", "rhs", "n") if transposed else cls("rhs", "n", "lhs", "m")


class BatchMatmulCpu(Template):
    """The template of this module."""

    name = "batch_matmul.cpu"
    op = "batch_matmul"
    version = 3

    def stores(self, workload: Workload) -> bool:
        """Factors lie as they are multiplied, or are widened where they are read; of all else it does not matter."""
        stored = {name for name, _ in workload.anchor.stored}
        return not stored or (workload.dtype == "float32" and stored <= {"lhs", "rhs"})

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim(Roles.of(workload).row))

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        width = workload.dim(Roles.of(workload).lane)
        lanes = (cpu.lanes,) if cpu.lanes < 8 else (cpu.lanes, cpu.lanes // 2)
        narrowest = min(lanes)
        vectors = tuple(v for v in VECTORS if not isinstance(width, int) or v == 1 or (v - 1) * narrowest < width)
        ways = _ways(workload)
        few = FEW if "rows" in ways else (0,)
        knobs: tuple[Knob, ...] = (
            Knob("rhs_by", ways, "how the operand that vectors run along is read"),
            Knob("lanes", lanes, "elements of a vector; narrow ones waste less of a short rest"),
            Knob("tile_m", ROWS, "rows of the register tile"),
            Knob("tile_n", vectors, "vectors of the register tile, or with `rows` its columns"),
            Knob("unroll_k", UNROLLS, "steps along k in one round of the innermost loop"),
            Knob("order", ("panels", "rows"), "what is walked first: all rows of a panel, or all panels of some rows"),
            Knob(
                "few", few, "up to so many elements beyond whole vectors have vectors along k; half beyond half of one"
            ),
        )
        if target.threads > 1:
            knobs += (
                Knob("parallel", ("none", "b", "m"), "what threads share: nothing, the batches, or the tiles of rows"),
                *grain_knob(target),
            )
        return ConfigSpace(self.name, knobs, _constraints(cpu, max(vectors)))

    def default(self, workload: Workload, target: Target) -> Config:
        rows, many = workload.dim(Roles.of(workload).row), self.many(workload, target)
        if many is not None and isinstance(rows, int) and rows >= many[0]:
            return many[1]
        way = _ways(workload)[0]
        return self._by(workload, target, "pack" if way == "turn" and _lie_pages_apart(workload) else way)

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """Many rows share a panel that was copied for them: of a whole matrix, which lies pages apart, where few
        registers hold what is transposed beside the sums, or where one vector of it at a time would wait for loads (195
        to 267 GFLOP/s at 256 rows of 64, Zen 5; up to 31 rows it is the better one there, too)."""
        way, cpu = _ways(workload)[0], facts(target)
        waits = cpu.vector_registers < 32 or (way == "turn" and cpu.outruns_loads)
        if way == "pack" or not (waits or workload.dim("b") == 1):
            return None
        start = MANY if way == "turn" or workload.dim("b") == 1 else MANY_OF_SOME
        return start, self._by(workload, target, "pack")

    def _by(self, workload: Workload, target: Target, way: str) -> Config:
        """The best untuned that reads the wide operand so."""
        cpu, width = facts(target), workload.dim(Roles.of(workload).lane)
        needed = -(-width // cpu.lanes) if isinstance(width, int) else max(VECTORS)
        whole, terms = workload.dim("b") == 1, _terms(workload, target)  # a matrix
        # Two vectors share the loads of what all lanes multiply by (240 to 270 GFLOP/s, Zen 5). Of a batch, four would
        # be a panel that leaves more of it over (142 to 180 GFLOP/s at 49 to 56 columns).
        two = cpu.outruns_loads and terms == 1 and needed > 1 and not (whole and way == "pack")
        wide = 2 if two else 4 if cpu.vector_registers >= 32 else 3 if whole and cpu.has_fma else 2
        columns = max(v for v in VECTORS if v <= min(wide, max(needed, 1)))
        places = cpu.vector_registers - (1 if cpu.has_fma else 3)  # a product apart needs a place too
        rows = max(r for r in ROWS if (r + 1) * columns <= places and r <= 8)
        if way == "turn" or (way == "stream" and not two and (terms > 1 or cpu.vector_registers >= 32)):
            # Many rows share what was transposed for them, a run of vectors that need places too; or few bytes of the
            # wide operand come as they lie, all rows of it one after the other, where registers hold as many sums.
            # Two vectors of pairs share what all lanes multiply by, which takes an instruction of its own there.
            columns, run, most = (1, RUN, 16) if way == "turn" else (1, 1, 12)
            if terms > 1:
                columns, most, places = min(2, max(needed, 1)), 12, places - 1
            rows = max(r for r in ROWS if (r + run) * columns <= places and r <= most)
        shared = "m" if whole else "b"  # one batch is nothing to share
        threads: dict[str, Value] = {"parallel": shared, "grain": GRAINS[0]} if target.threads > 1 else {}
        steps = RUN if way == "turn" else max(2 // terms, 1)
        few = FEW[0] if way == "turn" and "rows" in _ways(workload) and threads.get("parallel") != "m" else 0
        sizes = {"tile_m": rows, "tile_n": columns, "unroll_k": steps}
        return Config.of(rhs_by=way, lanes=cpu.lanes, **sizes, order="panels", few=few, **threads)

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        roles, rows = Roles.of(workload), config.int("tile_m")
        s = start(workload)
        split(s, f"i_{roles.row}", rows, "mo", "mi")
        terms = _terms(workload, target)
        (self._along_k if config["rhs_by"] == "rows" else self._panels)(s, workload, config, roles, terms)
        if few := _few(config):
            beside(s, self._last_few(workload, config, roles, few, terms))
        symbol, height = self.symbol(workload), workload.dim(roles.row)
        if isinstance(height, int):
            known_remainder(s, "mo", height % rows)
        return Scheduled.of(s, None if symbol is None else Walk(symbol, "mo", "mi", rows))

    def _panels(self, s: Schedule, workload: Workload, config: Config, roles: Roles, terms: int) -> None:
        columns, steps, lanes = (config.int(k) for k in ("tile_n", "unroll_k", "lanes"))
        split(s, f"i_{roles.lane}", columns * lanes, "no", "nj")
        split(s, "nj", lanes, "ni", "nv")
        one = split_terms(s, "i_k", steps, terms)
        outer: tuple[str, ...] = ("no", "mo") if config["order"] == "panels" else ("mo", "no")
        dims = workload.tensor(roles.wide).dims
        shared = "b" not in dims and config["rhs_by"] == "pack"  # one matrix for all batches: packed once
        outer = ("no", "i_b", "mo") if shared else ("i_b", *outer)
        reorder(s, *outer, "ko", "ki", "mi", "ni", "nv", *one)
        _share(s, workload, config)
        if config["rhs_by"] == "pack":
            home = "i_b" if not shared else None
            stage_panel(s, roles.wide, "no", home, dims.index("k"), "ni", "nv", "no")
        accumulate(s, inside=outer[-1])
        if config["rhs_by"] != "stream":
            overcompute(s, "ni", "nv")
        unroll(s, "ki", "mi", "ni")
        vectorize(s, "nv")
        if one:
            dot(s, *one)
        narrow(s, "no", ("ni", "p_ni"), lanes, _shortest(lanes), _few(config))
        partition(s, "ko", rolled="ki", step=terms)

    def _last_few(self, workload: Workload, config: Config, roles: Roles, few: int, terms: int) -> Schedule:
        """What the panels leave out, each sum in a vector along k, a few rows at a time."""
        steps, lanes = config.int("unroll_k"), config.int("lanes")
        s = start(workload)
        split(s, f"i_{roles.row}", FEW_ROWS, "mp", "mr")
        split(s, f"i_{roles.lane}", _shortest(lanes), "no", "ni")
        one = _vectors_of_k(s, lanes, steps, terms)
        reorder(s, "i_b", "no", "mp", "ko", "ki", "mr", "ni", "kv", *one)
        _share(s, workload, config)
        accumulate(s, inside="mp", lanes="kv")
        unroll(s, "ki", "mr", "ni")
        vectorize(s, "kv")
        if one:
            dot(s, *one)
        last_few(s, "no", lanes, few)
        exact_remainders(s, "mp", 1)
        partition(s, "ko", rolled="ki", step=lanes * terms)
        return s

    def _along_k(self, s: Schedule, workload: Workload, config: Config, roles: Roles, terms: int) -> None:
        columns, steps, lanes = (config.int(k) for k in ("tile_n", "unroll_k", "lanes"))
        split(s, f"i_{roles.lane}", columns, "no", "ni")
        one = _vectors_of_k(s, lanes, steps, terms)
        outer = ("no", "mo") if config["order"] == "panels" else ("mo", "no")
        reorder(s, "i_b", *outer, "ko", "ki", "mi", "ni", "kv", *one)
        _share(s, workload, config)
        accumulate(s, inside=outer[-1], lanes="kv")
        overcompute(s, "ni")
        unroll(s, "ki", "mi", "ni")
        vectorize(s, "kv")
        if one:
            dot(s, *one)
        partition(s, "ko", rolled="ki", step=lanes * terms)


def _terms(workload: Workload, target: Target) -> int:
    """How many steps of k are one term of a sum."""
    if workload.dtype != "bfloat16" or not narrow_facts(target).bfloat16:
        return 1
    return PAIR if workload.tensor(Roles.of(workload).tall).dims[-1] == "k" else 1


def _vectors_of_k(s: Schedule, lanes: int, steps: int, terms: int) -> tuple[str, ...]:
    """Vectors of terms, `kv`, so many in one round of `ko`; the loop over those of one term, if they are several."""
    one = split_terms(s, "i_k", lanes * steps, terms, "kj")
    split(s, "kj", lanes, "ki", "kv")
    return one


def _ways(workload: Workload) -> tuple[str, ...]:
    """How the wide operand may be read, the best guess first; each way needs certain neighbours in memory."""
    roles = Roles.of(workload)
    wide, tall = workload.tensor(roles.wide).dims[-1], workload.tensor(roles.tall).dims[-1]
    if wide == roles.lane:
        return ("stream", "pack")
    if wide == "k":
        return ("turn", "pack", "rows") if tall == "k" else ("turn", "pack")
    return ("pack",)


def _lie_pages_apart(workload: Workload) -> bool:
    """Whether the rows that are transposed for a tile all lie in one set of the first-level cache, which has fewer ways
    than there are rows: those of a head of 64 do where 16 or 32 heads lie side by side. That takes two to four times as
    long."""
    roles = Roles.of(workload)
    dims = workload.tensor(roles.wide).dims
    inner = [workload.dim(dim) for dim in dims[dims.index(roles.lane) + 1 :]]
    sizes = [dim for dim in inner if isinstance(dim, int)]
    return len(sizes) == len(inner) and math.prod(sizes) * BYTES[workload.dtype] % PAGE == 0


def _shortest(lanes: int) -> int:
    """The lanes of the shortest vector that has code of its own."""
    return lanes if lanes < WIDE else lanes // 2


def _few(config: Config) -> int:
    """For up to how many elements no vector is begun; none where panels are copied or threads share their rows."""
    if config["rhs_by"] != "turn" or dict(config.values).get("parallel") == "m":
        return 0
    return min(config.int("few"), _shortest(config.int("lanes")) - 1)


def _share(s: Schedule, workload: Workload, config: Config) -> None:
    """Mark the loop that threads share; a config of a target with one thread has no knob for it."""
    loop = {"b": "i_b", "m": "mo"}.get(str(dict(config.values).get("parallel")))
    if loop is not None:
        work = const(2)
        for dim in "bmnk":
            work = work * workload.extents[dim]
        parallel(s, loop, work, least_of(config))


def _constraints(cpu: CpuFacts, widest: int) -> tuple[Constraint, ...]:
    def tile(c: Mapping[str, Value]) -> int:
        return int(c["tile_m"]) * int(c["tile_n"])

    return (
        Constraint(
            "registers",
            "the tile, one round of vectors and one broadcast must fit the vector registers",
            lambda c: tile(c) + (int(c["tile_n"]) if int(c["tile_m"]) > 1 else 0) + 1 <= cpu.vector_registers,
        ),
        Constraint(
            "busy",
            f"a tile of fewer than {cpu.busy} vectors cannot hide the latency of a multiply-add",
            lambda c: tile(c) >= cpu.busy or int(c["tile_n"]) == widest,
        ),
        Constraint("code", "at most 128 multiply-adds in one round", lambda c: tile(c) * int(c["unroll_k"]) <= 128),
        Constraint(
            "order",
            "a packed panel serves all rows before the next one is packed",
            lambda c: c["rhs_by"] != "pack" or c["order"] == "panels",
        ),
        Constraint(
            "turn",
            f"what is transposed in registers is read {RUN} steps of k at a time",
            lambda c: c["rhs_by"] != "turn" or c["unroll_k"] == RUN,
        ),
        Constraint(
            "few",
            "a few elements are for vectors along k where panels are not copied, and threads do not share their rows",
            lambda c: c["few"] == 0 or (c["rhs_by"] == "turn" and c.get("parallel") != "m"),
        ),
        grain_rule(),
    )
