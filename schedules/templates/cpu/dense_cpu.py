"""dense on a CPU: a micro-kernel on a register tile of rows by vectors, its weights in panels, any of m, n, k symbolic.

    for nb: for kb: for mo: for no:  acc[mi, ni, lane] += x[m, k] * w_packed[no, k, ni, lane]

`w = panels`: vectors run along n; the weight is laid out in panels of `tile_n` vectors, ahead of time if it is
constant, in a workspace at each call if not. `w = staged`: a panel at a time is copied into a workspace that the caches
keep, for all rows. `w = rows`: the weight is read as it comes, vectors run along k, and each output element keeps one
sum per lane. Rows (m) are the walked dimension: its residues are specialised by `dispatch`.
Narrow numbers have further layouts, in which the terms that one instruction multiplies and adds are neighbours:
`pairs` of bfloat16 and `quads` of 8-bit integers, each a panel of vectors with so many steps of k lane by lane. A
constant in 8-bit floats may lie in panels of float16 (`wide`), twice the bytes and less to convert.
A streamed weight may be asked for from farther off, and into the second cache: the first is full of x and the panel. A
last tile of few rows reads faster than it could ask; it takes several panels at once, where a block has several: all
that its registers hold from memory, no more than hide a multiply-add from caches.
Threads, where the target has several, share the panels (n) or the row tiles (m). More rows than a last cache keeps come
in blocks of tiles, each for all panels, where k says how many that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from anytile.core.dtypes import BYTES, FLOAT8, HALVES
from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.cpu import CpuFacts, facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import Expr
from anytile.schedules.nest.nodes import Grain
from anytile.schedules.operators.products.gated_dense import GATED_DENSE, gates_of
from anytile.schedules.operators.products.quantised_dense import FLOAT, QUANTISED_DENSE
from anytile.schedules.primitives.accumulate import accumulate, overcompute
from anytile.schedules.primitives.cache_blocks import Blocks, in_blocks
from anytile.schedules.primitives.loops import dot, parallel, prefetch, reorder, split, unroll, vectorize
from anytile.schedules.primitives.pack import pack
from anytile.schedules.primitives.remainders import MOST_UNHINTED, known_remainder, partition
from anytile.schedules.primitives.residue import Walk
from anytile.schedules.primitives.schedule import Jam, Schedule
from anytile.schedules.primitives.stage_panel import stage_panel
from anytile.schedules.templates.base.definition import start
from anytile.schedules.templates.base.parallel_grain import GRAINS, grain_knob, grain_rule, least_of, moved
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.base.template import Scheduled, Template, symbol_of
from anytile.schedules.templates.cpu.narrow.terms import PAIR, QUAD, is_paired, parts_of, split_terms
from anytile.schedules.workloads.workload import Workload

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
VECTORS = (1, 2, 3, 4, 6)
UNROLLS = (1, 2, 4)
TERMS = {"pairs": PAIR, "quads": QUAD}  # of k that are neighbours in a panel
WIDE = "wide"  # panels of floats that take fewer instructions to convert
PANELS = ("panels", WIDE, *TERMS)
TERM_ROUNDS = 2  # of them in one round of the innermost loop, always: so all configs read one layout
K_BLOCKS = (0, 256, 384, 768)
N_BLOCKS = (1, 4, 0)
PREFETCH = (0, 8, 32)
FAR = 128  # and this far, where the weight comes from memory: 24 KiB of a usual panel
LOCALITY = {"near": 3, "second": 2, "once": 0}  # as LLVM's prefetch counts
STAGED, MANY = "staged", 64  # rows from which on a panel is worth a copy
WIDE_ROWS = 4  # and twice the bytes, each of which serves so many
BLOCK_BYTES = 6 << 20  # of x, which a last cache keeps beside some panels
FEWEST_ROWS = 256  # of a block, so that weights out of memory are read no faster than that gives them
MOST_ROWS = 4096  # of one that is written: short rows lie in that cache anyway
BUSY = 8  # multiply-adds in flight below which a tile waits for its own sums


@dataclass(frozen=True)
class DenseCpu(Template):
    """The template of this module: of `dense`, of `gated_dense`, whose gates lie side by side in the tile, and of
    `quantised_dense`."""

    op: str = "dense"
    columns: str = "n"  # the dimension that vectors run along

    @property
    def name(self) -> str:
        return f"{self.op}.cpu"

    @property
    def version(self) -> int:
        return 2 if self.op == QUANTISED_DENSE.name else 1

    @property
    def _gated(self) -> bool:
        return self.op == GATED_DENSE.name

    def _gates(self, workload: Workload) -> int:
        return gates_of(workload.attributes) if self._gated else 1

    def suits(self, workload: Workload) -> int:
        return 1 if workload.dtype == "float32" or workload.dtype in HALVES else 0

    def stores(self, workload: Workload) -> bool:
        """Factors lie as they are multiplied, and sums may wait in what is stored as they are; of all else it does not
        matter."""
        return not workload.stored or not (self._gated or self._waits(workload) or workload.anchor.stored)

    def _waits(self, workload: Workload) -> bool:
        """Whether sums of some of k may wait in y for the others."""
        return workload.dtype == "float32" and not self._gated and self.op != QUANTISED_DENSE.name

    def _ends_apart(self, workload: Workload) -> bool:
        """Whether a last block of fewer panels is written apart, so that few rows take those of any other side by side:
        7 % at one row by 4,096 columns of bytes, in panels of 48 of which four are a block."""
        return self.op == QUANTISED_DENSE.name and isinstance(workload.dim("n"), int)

    def _layouts(self, workload: Workload) -> tuple[str, ...]:
        """How the weight may be read, the best untuned first."""
        if self.op == QUANTISED_DENSE.name and workload.attributes["x"] != FLOAT:
            return ("quads",)
        lying = () if "w" in workload.const or self._gated else ("rows",)
        if not lying and workload.dtype_of(workload.tensor("w")) in FLOAT8:
            return ("panels", WIDE) if "w" in workload.streamed else (WIDE, "panels")
        staged = (STAGED,) if lying and self.op == "dense" and workload.dtype == FLOAT else ()
        return (*(("pairs",) if workload.dtype == "bfloat16" else ()), "panels", *staged, *lying)

    def symbol(self, workload: Workload) -> str | None:
        return symbol_of(workload.dim("m"))

    def tile(self, config: Config) -> int:
        return config.int("tile_m")

    def _parts(self, workload: Workload, target: Target) -> int:
        """In how many registers a vector of weights or of x is taken apart, before it is multiplied."""
        return parts_of(workload, target) if self._layouts(workload)[0] in TERMS else 1

    def space(self, workload: Workload, target: Target) -> ConfigSpace:
        cpu = facts(target)
        n, k, gates = workload.dim(self.columns), workload.dim("k"), self._gates(workload)
        vectors = tuple(v for v in VECTORS if not isinstance(n, int) or v == 1 or (v - 1) * cpu.lanes < n)
        waits = self._waits(workload)
        blocks = tuple(b for b in K_BLOCKS if b == 0 or (isinstance(k, int) and b < k and waits))
        streamed = "w" in workload.streamed
        distances = (*PREFETCH, FAR) if streamed else PREFETCH
        localities = tuple(name for name in LOCALITY if streamed or name != "second")
        knobs: tuple[Knob, ...] = (
            Knob("w", self._layouts(workload), "how the weight is read"),
            Knob("tile_m", ROWS, "rows of the register tile"),
            Knob("tile_n", vectors, "vectors (panels) or weight rows (rows) of the register tile"),
            Knob("unroll_k", UNROLLS, "steps along k in one round of the innermost loop"),
            Knob("block_k", blocks, "elements of k between two visits of an output tile; 0 is all of k"),
            Knob("block_n", N_BLOCKS, "panels walked before the next rows; 0 is all panels"),
            Knob("prefetch", distances, "how many steps of k ahead the weight is prefetched; 0 is not at all"),
            Knob("locality", localities, "where the prefetched weight goes: all caches, all but the first, or none"),
        )
        if target.threads > 1:
            knobs += (
                Knob(
                    "parallel", ("none", "n", "m"), "what threads share: nothing, the panels of n, the row tiles of m"
                ),
                *grain_knob(target),
            )
        return ConfigSpace(self.name, knobs, _constraints(cpu, max(vectors), gates))

    def default(self, workload: Workload, target: Target) -> Config:
        m, many = workload.dim("m"), self.many(workload, target)
        return many[1] if many is not None and isinstance(m, int) and m >= many[0] else self._few(workload, target)

    def many(self, workload: Workload, target: Target) -> tuple[int, Config] | None:
        """Many rows share a panel that was copied for them, where it is not laid out ahead of time. Those of a streamed
        weight in 8-bit floats wait less for twice its bytes than for its conversion."""
        if self._layouts(workload)[-1] == WIDE:
            return WIDE_ROWS, self._few(workload, target).with_(w=WIDE, prefetch=0, locality="near")
        if STAGED not in self._layouts(workload):
            return None
        known = self._few(workload.with_const(("w",)), target)  # as if it were
        return MANY, known.with_(w=STAGED, block_n=1, prefetch=0, locality="near")

    def _few(self, workload: Workload, target: Target) -> Config:
        cpu = facts(target)
        vectors = next(k.values for k in self.space(workload, target).knobs if k.name == "tile_n")
        gates = self._gates(workload)
        # Packing at every call pays for itself only at many rows.
        constant = "w" in workload.const or "rows" not in self._layouts(workload)
        n, k, streamed = workload.dim(self.columns), workload.dim("k"), "w" in workload.streamed
        wide = 3 if cpu.vector_registers >= 32 or constant else 2
        widest = max(1, wide // gates) if constant else wide + 1
        parts = self._parts(workload, target)
        few, pairs = cpu.vector_registers < 32, is_paired(workload) and narrow_facts(target).adds_pairs
        # Of few registers 6 rows by 2 vectors read less than 4 by 3, wherever weights come from (0.75 to 1 of the time,
        # Zen 1); but one row has too few sums by itself, and takes panels together where blocks have as many.
        together = constant and isinstance(n, int) and n % (8 * cpu.lanes) == 0 and (streamed or target.threads == 1)
        if few and (parts > 1 or pairs or (cpu.has_fma and gates == 1 and together)):
            widest = 2
        columns = max(v for v in vectors if isinstance(v, int) and v <= widest)
        if constant and isinstance(n, int) and self.op != QUANTISED_DENSE.name:
            most = widest if few or gates > 1 or parts > 1 else widest + 1
            held = -(-n // cpu.lanes)
            shared = min(-(-held // columns), target.threads)  # threads have panels each
            offered = [v for v in vectors if isinstance(v, int) and 1 < v <= most and -(-held // v) >= shared]
            columns = _fitting(held, columns, offered)
        apart = (1 if cpu.has_fma else 3) + parts - 1  # a product apart needs a place too
        spare = cpu.vector_registers - columns * gates * parts - apart
        # Sums of pairs wait for one addition alone: 4 rows by 2 vectors take 6 % less than 5 rows do.
        most = (4 if few and pairs else 8) if constant else max(wide + 1, -(-BUSY // columns) if parts > 1 else 0)
        rows = max((r for r in ROWS if r * columns * gates <= spare and r <= most), default=1)
        if rows * columns * gates >= cpu.vector_registers:
            raise UnsupportedError(f"{self.name}: the sums of {gates} gates do not fit the registers of {target}")
        if rows == columns == 1 and gates < BUSY:  # a second vector of each gate, where one row has too few sums
            columns = max(int(v) for v in vectors if v == 1 or (v == 2 and 2 * gates < cpu.vector_registers))
        hinted = streamed and rows > MOST_UNHINTED and self._layouts(workload)[0] not in TERMS
        even = isinstance(n, int) and n % (4 * columns * cpu.lanes) == 0
        blocked = streamed or (constant and even and target.threads == 1)  # threads share blocks, which are few
        # What is asked for comes into the first cache where a tile waits for the second one: where there are few
        # registers (2 to 10 %, Zen 1), and where twice as much is multiplied; there a panel stays in the second, which
        # a block of them would leave (7 to 14 % from 8 rows on, Zen 5; 4 rows out of memory lose as much by it).
        ahead, where = (PREFETCH[-1], "near") if few or cpu.outruns_loads else (FAR, "second")
        if cpu.outruns_loads:
            weight = BYTES[workload.dtype_of(workload.tensor("w"))]
            panel = columns * gates * cpu.lanes * (k if isinstance(k, int) else 1) * weight
            blocked = blocked and not hinted and 4 * panel <= cpu.l2_bytes
        threads: dict[str, Value] = {"parallel": "n", "grain": GRAINS[0]} if target.threads > 1 else {}
        return Config.of(
            w=self._layouts(workload)[0 if constant else -1],
            tile_m=rows,
            tile_n=columns,
            unroll_k=TERM_ROUNDS,
            block_k=0,
            block_n=4 if blocked else 1,  # panels that a tile of few rows may take side by side
            prefetch=ahead if hinted else 0,
            locality=where if hinted else "near",
            **threads,
        )

    def schedule(self, workload: Workload, target: Target, config: Config) -> Scheduled:
        cpu = facts(target)
        s = start(workload)
        # Beyond as many sums as hide a multiply-add, more panels are more streams: memory gains by them, the last cache
        # loses (5 to 7 % at one row, two panels of three vectors or four, Zen 4).
        enough = max(BUSY // (config.int("tile_n") * self._gates(workload)), 1)
        jam = Jam(cpu.vector_registers, cpu.vector_registers if "w" in workload.streamed else enough)
        split(s, "i_m", config.int("tile_m"), "mo", "mi", jam)
        read = self._rows if config["w"] == "rows" else self._panels
        read(s, workload, target, config)
        symbol, rows, blocks = self.symbol(workload), workload.dim("m"), self._blocks(workload, config)
        if isinstance(rows, int):
            known_remainder(s, "mo", rows % config.int("tile_m"))
            if blocks is not None:
                in_blocks(s, "mo", blocks)
        walk = None if symbol is None else Walk(symbol, "mo", "mi", config.int("tile_m"), jam, blocks)
        return Scheduled.of(s, walk)

    def _blocks(self, workload: Workload, config: Config) -> Blocks | None:
        """Tiles of rows that are multiplied with all panels before the next ones are, so that x is still in the last
        cache when the next panels come: 2,048 rows by 4,096 columns of as many sums each."""
        k, block_n = workload.dim("k"), config.int("block_n")
        if config["w"] not in PANELS or block_n == 0 or config.int("block_k") or _by_rows(config):
            return None  # a copied panel serves all rows; sums that wait in y bring x along a little at a time
        if not isinstance(k, int) or k == 0:
            return None
        rows = max(FEWEST_ROWS, BLOCK_BYTES // (k * BYTES[workload.dtype_of(workload.tensor("x"))]))
        if rows > MOST_ROWS:
            return None
        return Blocks("no" if block_n == 1 else "nb", -(-rows // config.int("tile_m")))

    def _panels(self, s: Schedule, workload: Workload, target: Target, config: Config) -> None:
        lanes = facts(target).lanes
        gates = ("i_g",) if self._gated else ()
        columns, steps, block_k, block_n = (config.int(k) for k in ("tile_n", "unroll_k", "block_k", "block_n"))
        split(s, f"i_{self.columns}", columns * lanes, "no", "nj")
        split(s, "nj", lanes, "ni", "nv")
        outer = ["no", "mo"]
        if block_n == 0:
            outer = ["mo", "no"]
        elif block_n > 1:
            split(s, "no", block_n, "nb", "np")
            outer = ["nb", "mo", "np"]
        if block_k:
            split(s, "i_k", block_k, "kb", "kj")
            outer.insert(0, "kb")
        terms = TERMS.get(str(config["w"]), 1)
        one = split_terms(s, "kj" if block_k else "i_k", steps, terms)
        reorder(s, *outer, "ko", "ki", "mi", *gates, "ni", "nv", *one)
        panel = ("nb", "np") if block_n > 1 else ("no",)
        _share(s, workload, config, panel[0])
        depth = ("ko", "ki") if one else (f"w.{1 + len(gates)}",)
        layout = (*panel, *depth, *gates, "ni", "nv", *one)
        if config["w"] == STAGED:
            packed = stage_panel(s, "w", "no", "no", 1, "ni", "nv", "no")
        else:
            packing = _packing(workload) if _shared(config) else None
            dtype = self._held(target) if config["w"] == WIDE else None
            packed = pack(s, "w", layout, at_run_time="w" not in workload.const, grain=packing, dtype=dtype)
        accumulate(s, inside=outer[-1], gates=gates[0] if gates else None)
        overcompute(s, "ni", "nv")
        if config.int("prefetch"):
            prefetch(s, packed, "ki", len(panel), config.int("prefetch"), "nv", LOCALITY[str(config["locality"])])
        unroll(s, "ki", "mi", *gates, "ni")
        vectorize(s, "nv")
        if one:
            dot(s, *one, paired=is_paired(workload))
        partition(s, "ko")
        if block_n > 1 and self._ends_apart(workload):
            partition(s, "nb")

    def _held(self, target: Target) -> str:
        """What has all numbers of 8-bit floats, and is converted in one instruction or in none."""
        return "float16" if narrow_facts(target).half else FLOAT

    def _rows(self, s: Schedule, workload: Workload, target: Target, config: Config) -> None:
        lanes = facts(target).lanes
        columns, steps, block_n = (config.int(k) for k in ("tile_n", "unroll_k", "block_n"))
        split(s, "i_n", columns, "no", "ni")
        split(s, "i_k", lanes * steps, "ko", "kj")
        split(s, "kj", lanes, "ki", "kv")
        outer = ("mo", "no") if block_n == 0 else ("no", "mo")
        reorder(s, *outer, "ko", "ki", "mi", "ni", "kv")
        _share(s, workload, config, "no")
        accumulate(s, inside=outer[-1], lanes="kv")
        overcompute(s, "ni")
        unroll(s, "ki", "mi", "ni")
        vectorize(s, "kv")
        partition(s, "ko")


def _by_rows(config: Config) -> bool:
    """Whether threads share the tiles of rows."""
    return dict(config.values).get("parallel") == "m"


def _shared(config: Config) -> bool:
    return dict(config.values).get("parallel", "none") != "none"


def _share(s: Schedule, workload: Workload, config: Config, panels: str) -> None:
    """Mark the loop that threads share; a config of a target with one thread has no knob for it.

    A weight of floats takes twice as long to read as to multiply with one row, from any cache but the nearest.
    """
    if _shared(config):
        reading = max(BYTES[workload.dtype_of(workload.tensor("w"))] - 2, 0)
        work = (_extent(workload, "m") * 2 + reading) * _columns_of(workload) * _extent(workload, "k")
        parallel(s, panels if config["parallel"] == "n" else "mo", work, least_of(config))


def _packing(workload: Workload) -> Grain:
    weights = _columns_of(workload) * _extent(workload, "k")
    dtype = workload.dtype_of(workload.tensor("w"))
    return Grain(moved(weights, (dtype, dtype)), GRAINS[0])


def _extent(workload: Workload, dim: str) -> Expr:
    return workload.extents[dim]


def _fitting(held: int, usual: int, offered: Iterable[int]) -> int:
    """Of how many vectors panels are, of which the last one is filled up: as many as usual, unless more than a
    thirtieth would be multiplied for nothing and others leave less (64 columns by 16 lanes in threes: a third)."""
    filled = {v: -(-held // v) * v for v in (usual, *offered)}
    if filled[usual] * 30 <= held * 31:
        return usual
    return min(filled, key=lambda v: (filled[v], v != usual, -v))


def _columns_of(workload: Workload) -> Expr:
    """How many columns the weight has, those of all gates together."""
    if workload.op == GATED_DENSE.name:
        return _extent(workload, "u") * gates_of(workload.attributes)
    return _extent(workload, "n")


def _constraints(cpu: CpuFacts, widest: int, gates: int) -> tuple[Constraint, ...]:
    def tile(c: Mapping[str, Value]) -> int:
        return int(c["tile_m"]) * int(c["tile_n"]) * gates

    return (
        Constraint(
            "registers",
            "the tile, one round of weights and one broadcast must fit the vector registers",
            lambda c: tile(c) + (int(c["tile_n"]) * gates if int(c["tile_m"]) > 1 else 0) + 1 <= cpu.vector_registers,
        ),
        Constraint(
            "busy",
            f"a tile of fewer than {cpu.busy} vectors cannot hide the latency of a multiply-add",
            lambda c: tile(c) >= cpu.busy or int(c["tile_n"]) == widest,
        ),
        Constraint("code", "at most 128 multiply-adds in one round", lambda c: tile(c) * int(c["unroll_k"]) <= 128),
        Constraint(
            "rows",
            "a weight read row by row is neither blocked nor prefetched",
            lambda c: c["w"] != "rows" or (c["block_k"], c["prefetch"], c["block_n"] == 4) == (0, 0, False),
        ),
        Constraint(
            "staged",
            "a panel that is copied for all rows is neither blocked nor prefetched",
            lambda c: c["w"] != STAGED or (c["block_k"], c["prefetch"], c["block_n"]) == (0, 0, 1),
        ),
        Constraint(
            "terms",
            f"panels of pairs or quads have one layout, of {TERM_ROUNDS} steps in one round, and are not prefetched",
            lambda c: c["w"] not in TERMS or (c["unroll_k"], c["prefetch"]) == (TERM_ROUNDS, 0),
        ),
        Constraint(
            "locality",
            "only a prefetch has a locality",
            lambda c: int(c["prefetch"]) > 0 or c["locality"] == "near",
        ),
        grain_rule(),
    )
