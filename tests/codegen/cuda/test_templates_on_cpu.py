"""Every CUDA template against the oracle: the text that NVRTC gets, run on the CPU with every access watched.

Sizes are those around a tile, where kernels break; blocks and threads run in several orders. A fault of any kind (out
of bounds, a race, a missing wait, threads that part) fails a test as a wrong number does.
"""

from __future__ import annotations

import os
import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace

import ml_dtypes  # noqa: F401  (with it numpy knows bfloat16 by name)
import numpy as np
import pytest

from anytile.codegen.cuda.build import build
from anytile.schedules.hardware.target import Target
from anytile.schedules.nest.mma_operations import GROUP_ROWS
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates
from anytile.schedules.workloads.workload import Workload
from tests.support.cases.relay_faults import IN_BOXES, IN_CLUSTERS, PHASES, spoilt
from tests.support.cuda_cpu.compiler import missing
from tests.support.cuda_cpu.simulated import Simulated, check
from tests.support.cuda_cpu.simulator import Fault

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

TARGETS = {arch: Target.parse(f"cuda -arch={arch}") for arch in ("sm_75", "sm_90a")}
DENSE = {t.name: t for t in templates() if t.kind == "cuda" and t.op == "dense"}
ORDERS = ("forward", "reverse", "random:1")
PRIME = 67

SHAPES = {
    "odd": "m=?, n=45, k=37",  # no row begins at a multiple of anything
    "even": "m=?, n=72, k=64",
    "symbolic": "m=?, n=?n, k=?k",
    "tiny": "m=?, n=1, k=1",
    "fixed": "m=35, n=24, k=40",
    "deep": "m=?, n=40, k=200",  # more steps of k than there are stages
}
TAILS = (
    "max(y + bias[n], 0)",
    "gelu(y * 0.1 + bias[n]) + r[m, n]",
    "select(y > row[m], tanh(y), y * 0.5) * scale",
    "y * sigmoid(y) - r[n, m]",
)
N, K = 19, 21  # where they are symbols
NARROW, RELAY = "dense.cuda.narrow", "dense.cuda.relay"
HALVES = (("odd", "bfloat16"), ("symbolic", "bfloat16"), ("even", "float16"), ("fixed", "float16"))
TILES: dict[str, dict[str, int | str]] = {  # of eight rows and more, so that there are rests to try
    "dense.cuda.simt": {"tile_m": 4, "tile_n": 4, "warps_m": 2, "warps_n": 2, "lanes": "4x8", "split_k": 1},
    "dense.cuda.narrow": {"tile_m": 8, "tile_n": 2, "warps_n": 2, "warps_k": 1, "unroll_k": 2},
    "dense.cuda.mma": {"tile_m": 2, "tile_n": 2, "warps_m": 2, "warps_n": 2, "block_k": 64, "split_k": 1},
    "dense.cuda.tf32": {"tile_m": 2, "tile_n": 2, "warps_m": 2, "warps_n": 2, "block_k": 32, "split_k": 1},
    "dense.cuda.skinny": {"tile_m": 2, "tile_n": 1, "warps_n": 1, "warps_k": 2, "unroll_k": 2},
    "dense.cuda.wgmma": {"groups": 1, "columns": 32, "stages": 4, "split_k": 1},
    "dense.cuda.relay": {"groups": 1, "columns": 32, "stages": 3, "behind": 1, "split_k": 1, "resident": 1},
}
SPLITS = {
    "dense.cuda.simt": "split_k",
    "dense.cuda.narrow": "warps_k",
    "dense.cuda.mma": "split_k",
    "dense.cuda.tf32": "split_k",
    "dense.cuda.skinny": "warps_k",
    "dense.cuda.wgmma": "split_k",
    "dense.cuda.relay": "split_k",
}
DEFAULT = -2  # for a seed
SPLIT = (7, 15)  # seeds of configs that share sums, among six blocks or three
# What each template is tried with; float16 differs from bfloat16 in nothing but conversions and one instruction.
UNITS = ("dense.cuda.mma", "dense.cuda.skinny", "dense.cuda.wgmma", "dense.cuda.relay")
TF32 = "dense.cuda.tf32"
DTYPES = {name: "bfloat16" if name in UNITS else "float32" for name in DENSE}


@dataclass(frozen=True)
class Case:
    """A kernel to try. `seed` picks a config, -1 is that of `TILES`; `rests` count from the tile's end if negative."""

    name: str
    shape: str
    dtype: str = ""
    tail: str = ""
    arch: str = "sm_90a"
    seed: int = -1
    rests: tuple[int, int] | None = None
    split: int = -1  # blocks, or in a narrow one warps, that share the sums; -1 leaves it to the config
    stored: str = ""  # what lies in memory in another dtype than the operator says
    stores: int = -1  # boxes of a relay's results under way, of which its columns must be whole ones
    cluster: str = ""  # blocks that share a relay's weight
    meeting: str = ""  # where blocks put sums together that they share; in memory, if nothing is said

    def __str__(self) -> str:
        return "-".join(str(v) for v in (getattr(self, f.name) for f in fields(self)) if v not in ("", -1, None))

    @property
    def target(self) -> Target:
        """Of few multiprocessors where blocks stay on them, so that each has several tiles."""
        return Target.parse("cuda -arch=sm_90a -sm=2") if self.name == RELAY else TARGETS[self.arch]

    @property
    def workload(self) -> Workload:
        tail = f", stored={self.stored}" if self.stored else ""
        tail += f", tail={self.tail}" if self.tail else ""
        products = ", products=tf32x3" if self.name == TF32 else ""
        return Workload.parse(f"dense({SHAPES[self.shape]}{products}, dtype={self.dtype or DTYPES[self.name]}{tail})")

    def config(self) -> Config:
        found = self._config()
        if self.stores >= 0:
            found = found.with_(columns=64, stores=self.stores)
        if self.cluster:
            found = found.with_(cluster=int(self.cluster))
        if self.meeting and self.name == RELAY:
            found = found.with_(resident=0)
        return found if self.split < 0 else found.with_(**{SPLITS[self.name]: self.split})

    def _config(self) -> Config:
        template, target = DENSE[self.name], self.target
        if self.seed < 0:
            default = template.default(self.workload, target)
            if self.seed == DEFAULT:
                return default
            return default.with_(**TILES[self.name], **({"meeting": self.meeting} if self.meeting else {}))
        space, rng = template.space(self.workload, target), random.Random(self.seed)
        while True:  # the space is too large to be listed for one config of it
            choice = {k.name: rng.choice(k.values) for k in space.knobs}
            if all(rule.holds(choice) for rule in space.constraints):
                return Config(tuple(choice.items()))

    def kernel(self) -> tuple[Simulated, list[int]]:
        """Compiled, and the rows to try it at: around a tile, as far as they leave one of the rests."""
        config = self.config()
        tile, rows = DENSE[self.name].tile(config), self.workload.dim("m")
        if self.name == RELAY:  # whose rests are no kernels of their own
            tile = config.int("groups") * GROUP_ROWS
        low, high = (r % tile for r in self.rests or (0, -1))
        source = build(
            self.workload, config, self.target, DENSE[self.name], (low, high) if self.rests is not None else None
        )
        around = {0, 1, tile - 1, tile, tile + 1, tile + low, PRIME}
        if self.seed == -1 or self.rests is not None:  # a third tile, where tiles are small or their rest is known
            around.add(2 * tile + high)
        tried = [rows] if isinstance(rows, int) else [m for m in sorted(around) if low <= m % tile <= high]
        return Simulated(source), tried


MMA, SIMT, SKINNY = "dense.cuda.mma", "dense.cuda.simt", "dense.cuda.skinny"
WGMMA = "dense.cuda.wgmma"
EVERY = [
    *(Case(name, shape) for name in DENSE for shape in SHAPES if shape != "deep"),
    *(Case(name, shape, arch="sm_75") for name in DENSE for shape in ("odd", "even") if name not in (*UNITS, TF32)),
    *(Case(name, "even", "float16") for name in DENSE if "16" in DTYPES[name]),
    *(Case(name, "odd", tail=tail, rests=(3, 3)) for name in DENSE for tail in TAILS),
    *(Case(name, "even", tail=tail, rests=(3, 3)) for name in (WGMMA, RELAY) for tail in TAILS),
    *(Case(RELAY, "deep", seed=i) for i in range(6)),
    *(Case(RELAY, shape, stores=stores) for shape in ("deep", "even", "fixed") for stores in (1, 2)),
    *(Case(RELAY, "even", "float16", tail, rests=(3, 3), stores=2) for tail in TAILS),
    *(Case(RELAY, "deep", stored="y:float32", stores=stores) for stores in (1, 2)),
    *(Case(RELAY, shape, cluster="2") for shape in ("deep", "even", "fixed")),
    *(Case(RELAY, "even", "float16", tail, rests=(3, 3), stores=1, cluster="2") for tail in TAILS),
    *(Case(name, "even", rests=rests) for name in DENSE for rests in ((0, 0), (5, 5), (-1, -1), (1, 4))),
    *(Case(NARROW, shape, dtype) for shape, dtype in HALVES),
    *(Case(name, "even", seed=DEFAULT) for name in DENSE),
    *(Case(NARROW, "even", "bfloat16", seed=i, rests=rests) for i, rests in enumerate((None, (0, 0), (1, -1)))),
    *(Case(name, "even", seed=i) for i in SPLIT for name in DENSE if name != NARROW),
    *(Case(name, shape, seed=i) for name in DENSE for i, shape in enumerate(("odd", "even", "symbolic", "even"))),
    *(Case(name, shape, "bfloat16", stored="y:float32") for name in DENSE for shape in ("odd", "even")),
    *(
        Case(name, "even", "bfloat16", TAILS[1], rests=(3, 3), stored="bias:float32+r:float16")
        for name in DENSE
        if DTYPES[name] != "float32"
    ),
    Case(MMA, "deep", "bfloat16", split=2, stored="y:float32"),
    Case(WGMMA, "deep", "bfloat16", split=2, stored="y:float32"),
    Case(SIMT, "even", stored="y:bfloat16"),
    *(
        Case(name, shape, split=split, meeting="cluster", rests=rests)
        for name, split in ((SIMT, 2), (SIMT, 4), (MMA, 2), (TF32, 2))
        for shape, rests in (("deep", None), ("odd", (1, 4)), ("symbolic", None), ("fixed", None))
    ),
    *(
        Case(name, shape, split=split, meeting="cluster")
        for name, split in ((WGMMA, 2), (WGMMA, 4), (RELAY, 2), (RELAY, 8))
        for shape in ("deep", "even", "fixed")
    ),
    *(Case(name, "even", "float16", TAILS[2], rests=(3, 3), split=4, meeting="cluster") for name in (WGMMA, RELAY)),
    Case(SIMT, "even", stored="y:bfloat16", split=4, meeting="cluster"),
    Case(MMA, "deep", "float16", split=2, stored="y:float32", meeting="cluster"),
]
CASES = [case for case in EVERY if DENSE[case.name].suits(case.workload)]

# Tails on the paths that whole pieces of a row open, and what of a path its text must have.
TAILED = {
    Case(MMA, "deep", tail=TAILS[1], rests=(3, 3)): ("at_cp_wait<2>", "at_gelu"),
    Case(MMA, "deep", tail=TAILS[2], rests=(3, 3), split=2): ("at_cp_wait<2>", "at_meet", "tanh"),
    Case(TF32, "deep", tail=TAILS[1], rests=(3, 3)): ("at_cp_wait<2>", "at_mma_m16n8k16_tf32x3", "at_gelu"),
    Case(SIMT, "deep", tail=TAILS[2], rests=(3, 3), split=3): ("at_cp_wait<2>", "at_meet", "tanh"),
    Case(MMA, "deep", tail=TAILS[2], rests=(3, 3), split=2, meeting="cluster"): (
        "at_cp_wait<2>",
        "at_store_peer2",
        "tanh",
    ),
    Case(TF32, "deep", tail=TAILS[1], rests=(3, 3), split=2, meeting="cluster"): ("at_store_peer2", "at_gelu"),
    Case(SIMT, "deep", tail=TAILS[2], rests=(3, 3), split=4, meeting="cluster"): (
        "at_cp_wait<2>",
        "at_store_peer",
        "tanh",
    ),
    Case(SKINNY, "even", "bfloat16", TAILS[3], rests=(3, 3)): ("at_mma_m16n8k32_bf16", "at_sigmoid"),
    Case(NARROW, "even", "bfloat16", TAILS[3], rests=(3, 3)): ("at_bf16_to_float", "at_sigmoid"),
    Case(NARROW, "even", "float16", TAILS[1], rests=(3, 3), split=2): ("at_f16_to_float", "__syncthreads", "at_gelu"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", [*CASES, *TAILED], ids=str)
def test_a_kernel_computes_what_its_workload_means(case: Case) -> None:
    """At each size in another order of threads."""
    kernel, rows = case.kernel()
    assert rows
    for i, m in enumerate(rows):
        check(kernel, case.workload, {"m": m, "n": N, "k": K}, ORDERS[i % len(ORDERS)])


@pytest.mark.parametrize(("case", "parts"), TAILED.items(), ids=map(str, TAILED))
def test_the_tails_are_on_their_paths(case: Case, parts: tuple[str, ...]) -> None:
    text = build(case.workload, case.config(), TARGETS[case.arch], DENSE[case.name], case.rests).text
    assert [part for part in parts if part not in text] == []


@pytest.mark.slow
def test_three_products_of_tf32_are_as_good_as_one_of_float32() -> None:
    """Of one alone the error is a thousandth of a factor."""
    case = Case(TF32, "deep")
    kernel, _ = case.kernel()
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((rows, 200)).astype(np.float32) for rows in (35, 40))
    y = np.full((35, 40), np.nan, np.float32)
    kernel.run({"x": x, "w": w, "y": y}, {"m": 35})
    exact, lengths = x.astype(np.float64) @ w.T.astype(np.float64), [np.linalg.norm(a, axis=1) for a in (x, w)]
    assert np.max(np.abs(y - exact) / np.outer(*lengths)) < 3e-7


@pytest.mark.slow
def test_long_sums_of_tf32_are_as_near_as_those_of_float32() -> None:
    """What the units cut off always falls short, so that it would add up along k; roundings to nearest do not."""
    t, target = DENSE[TF32], Target.parse("cuda -arch=sm_90a")
    workload = Workload.parse("dense(m=8, n=8, k=4096, products=tf32x3)")
    knobs = {"tile_m": 1, "tile_n": 1, "warps_m": 1, "warps_n": 1, "block_k": 32, "stages": 2, "split_k": 1}
    kernel = Simulated(build(workload, t.default(workload, target).with_(**knobs), target, t))
    rng = np.random.default_rng(1)
    x, w = (rng.uniform(0, 1, (8, 4096)).astype(np.float32) for _ in range(2))
    y = np.full((8, 8), np.nan, np.float32)
    kernel.run({"x": x, "w": w, "y": y}, {})
    exact = x.astype(np.float64) @ w.T.astype(np.float64)
    assert np.max(np.abs(y - exact) / exact) < 2e-6
    assert abs(np.mean((y - exact) / exact)) < 1e-6


SHORT: dict[str, dict[str, int | str]] = {  # the tiles with the fewest rests, of which each is tried
    "dense.cuda.simt": {"tile_m": 2, "tile_n": 2, "warps_m": 1, "warps_n": 2, "lanes": "4x8", "split_k": 1},
    "dense.cuda.narrow": TILES["dense.cuda.narrow"],
    "dense.cuda.mma": {"tile_m": 1, "tile_n": 1, "warps_m": 1, "warps_n": 2, "block_k": 64, "split_k": 1},
    "dense.cuda.tf32": {"tile_m": 1, "tile_n": 1, "warps_m": 1, "warps_n": 2, "block_k": 16, "split_k": 1},
    "dense.cuda.skinny": {"tile_m": 1, "tile_n": 1, "warps_n": 1, "warps_k": 2, "unroll_k": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in DENSE if name not in (WGMMA, RELAY)]
)  # whose rests are all computed alike
def test_each_rest_of_a_tile(name: str) -> None:
    """All of a tile's kernels in one text, alone and after a full tile."""
    case = Case(name, "odd", tail=TAILS[0])
    template, workload, target = DENSE[name], case.workload, TARGETS[case.arch]
    config = template.default(workload, target).with_(**SHORT[name])
    template.space(workload, target).check(config)
    tile = template.tile(config)
    assert tile >= 8
    sources = [build(workload, config, target, template, (rest, rest)) for rest in range(tile)]
    text = "\n".join(source.text for source in sources)
    for rest, source in enumerate(sources):
        kernel = Simulated(replace(source, text=text))
        for m in (rest, tile + rest):
            check(kernel, workload, {"m": m}, ORDERS[m % len(ORDERS)])


BARRIERS = {
    r"__syncthreads\(\);": "",
    r"at_cp_commit\(\);": "",
    r"at_cp_wait<2>": "at_cp_wait<3>",
    r"at_fence_async\(\);": "",
    r"at_wgmma_fence\(\);": "",
    r"if \(at_meet\(.*\)\) \{": "if (true) {",
    r"at_cluster_(?:barrier|wait)\(\);": "",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "count", "meeting"),
    [
        *((SIMT, 5, ""), (MMA, 5, ""), (TF32, 5, ""), (NARROW, 1, ""), (SKINNY, 1, ""), (WGMMA, 7, "")),
        *((SIMT, 6, "cluster"), (MMA, 6, "cluster"), (WGMMA, 8, "cluster")),
    ],
)
def test_no_barrier_of_a_kernel_can_go(name: str, count: int, meeting: str) -> None:
    """Each is taken out in turn, in the body of full tiles: every time a fault says what it was for."""
    case = Case(name, "deep", rests=(0, 0), split=2, meeting=meeting)
    template, workload, config = DENSE[name], case.workload, case.config()
    source = build(workload, config, TARGETS[case.arch], template, case.rests)
    every = [(found, instead) for pattern, instead in BARRIERS.items() for found in re.finditer(pattern, source.text)]
    assert len(every) == count
    assert source.text.count("at_cp_wait<") == len(re.findall("at_cp_wait<2>", source.text))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [source.text[: found.start()] + instead + source.text[found.end() :] for found, instead in every]
        for without in pool.map(lambda text: Simulated(replace(source, text=text)), texts):
            with pytest.raises(Fault, match="race on|in flight|asynchronous proxy|wgmma.fence|of the cluster"):
                check(without, workload, {"m": template.tile(config)})


@pytest.mark.slow
@pytest.mark.parametrize(("behind", "count"), [(0, 13), (1, 15)])
def test_nothing_that_hands_a_stage_over_can_go(behind: int, count: int) -> None:
    """Each wait, arrival, fence and number of a relay is taken out or changed in turn, and a fault says so."""
    case = Case(RELAY, "deep")
    template = DENSE[RELAY]
    config = case.config().with_(stages=2, behind=behind)
    source = build(case.workload, config, case.target, template)
    texts = spoilt(source.text, PHASES)
    assert len(texts) == count
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for without in pool.map(lambda text: Simulated(replace(source, text=text)), texts):
            with pytest.raises(Fault, match="race on|in flight|waits for ever|fence|takes no more than|is no mbarrier"):
                check(without, case.workload, {"m": 130})


@pytest.mark.slow
@pytest.mark.parametrize("behind", [0, 1])
def test_nothing_that_blocks_of_a_cluster_do_for_each_other_can_go(behind: int) -> None:
    case = Case(RELAY, "deep", cluster="2")
    config = case.config().with_(stages=2, behind=behind)
    source = build(case.workload, config, case.target, DENSE[RELAY])
    texts = spoilt(source.text, IN_CLUSTERS)
    assert len(texts) == 8 + behind
    says = "race on|in flight|waits for ever|is no mbarrier|takes no more than|a barrier of the cluster is missing"
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for without in pool.map(lambda text: Simulated(replace(source, text=text)), texts):
            with pytest.raises(Fault, match=says):
                check(without, case.workload, {"m": 600})


@pytest.mark.slow
@pytest.mark.parametrize("stores", [1, 2])
def test_nothing_that_stores_in_bulk_can_go(stores: int) -> None:
    """Two groups, and blocks with a tile more than they have stages for."""
    case = Case(RELAY, "deep", stores=stores)
    template = DENSE[RELAY]
    config = case.config().with_(groups=2, stages=2)
    source = build(case.workload, config, case.target, template)
    texts = spoilt(source.text, IN_BOXES)
    assert len(texts) == 8
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for without in pool.map(lambda text: Simulated(replace(source, text=text)), texts):
            with pytest.raises(Fault, match="race on|still reads|no fence for the asynchronous proxy"):
                check(without, case.workload, {"m": 700})


@pytest.mark.slow
@pytest.mark.parametrize("meets", [r"true", r"at_meet(\1)"])
def test_blocks_that_share_sums_meet_without_who_fills(meets: str) -> None:
    """Nobody may be missing, and the fillers do not come."""
    case = Case(RELAY, "deep")
    config = case.config().with_(split_k=2, resident=0)
    source = build(case.workload, config, case.target, DENSE[RELAY])
    check(Simulated(source), case.workload, {"m": 130})
    changed = re.sub(r"at_meet_of<128>\((.*)\)(?=\) \{)", meets, source.text)
    assert changed != source.text
    with pytest.raises(Fault, match="race on|diverged"):
        check(Simulated(replace(source, text=changed)), case.workload, {"m": 130})


@pytest.mark.slow
def test_who_fills_leaves_with_a_cluster_that_has_no_rows() -> None:
    """Rows of tiles go by groups of four, of which there may be fewer."""
    case = Case(RELAY, "deep", split=2, meeting="cluster")
    source = build(case.workload, case.config().with_(group_m=4), case.target, DENSE[RELAY])
    for m, order in ((1, "forward"), (130, "reverse"), (300, "random:1")):
        check(Simulated(source), case.workload, {"m": m}, order)


@pytest.mark.slow
@pytest.mark.parametrize("gone", ["barrier", "wait", "join"])
def test_who_fills_comes_to_the_barriers_of_a_cluster_too(gone: str) -> None:
    case = Case(RELAY, "deep", split=2, meeting="cluster")
    source = build(case.workload, case.config(), case.target, DENSE[RELAY])
    check(Simulated(source), case.workload, {"m": 130})
    places = list(re.finditer(rf"at_cluster_{gone}\(\);", source.text))
    assert places
    for found in places:
        changed = source.text[: found.start()] + source.text[found.end() :]
        with pytest.raises(Fault, match="race on|diverged|of the cluster"):
            check(Simulated(replace(source, text=changed)), case.workload, {"m": 130})
