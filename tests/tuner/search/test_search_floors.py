"""The floors of the search on landscapes whose best is known: evolve against random, ten seeds each.

The landscapes are performance models of a register-tiled matrix product (issue ports, latency, the last tile, caches,
code size) with noise per group of configs and per config; one with no such structure; four in which a third fails.
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from anytile.db.records.records import Status
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config, ConfigSpace, Constraint, Knob, Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.protocol.candidate import Point
from anytile.tuner.search.state import Observation, SearchState
from anytile.tuner.search.strategies import STRATEGIES
from benchmarks.subjects.spacetable import SpaceTable
from benchmarks.tuning.search import AFTER, HALF, SHARE, judge, main, play

SEEDS = range(10)


def noise(*key: object) -> float:
    """Normally distributed, and the same for the same key everywhere."""
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    a, b = (int.from_bytes(digest[i : i + 4], "big") + 1 for i in (0, 4))
    return math.sqrt(-2 * math.log(a / 2**32 + 1e-12)) * math.cos(2 * math.pi * b / 2**32)


@dataclass(frozen=True)
class Cpu:
    name: str
    lanes: int
    registers: int
    l1: int = 48 << 10
    l2: int = 1 << 20

    @property
    def target(self) -> Target:
        return Target.parse(f"llvm -mcpu={self.name} -threads=1")


AVX512, AVX2 = Cpu("skylake-avx512", 16, 32), Cpu("haswell", 8, 16, 32 << 10, 256 << 10)


def space_of(cpu: Cpu, blocks: tuple[int, ...] = (0, 128, 256)) -> ConfigSpace:
    def fits(c: Mapping[str, Value]) -> bool:
        return int(c["tile_m"]) * int(c["tile_n"]) + int(c["tile_n"]) + 1 <= cpu.registers

    return ConfigSpace(
        "synthetic",
        (
            Knob("tile_m", tuple(range(1, 17)), ""),
            Knob("tile_n", (1, 2, 3, 4, 6), ""),
            Knob("unroll_k", (1, 2, 4, 8), ""),
            Knob("block_k", blocks, ""),
            Knob("order", ("mn", "nm"), ""),
            Knob("prefetch", (0, 8), ""),
        ),
        (Constraint("registers", "", fits),),
    )


def matmul(cpu: Cpu, m: int, n: int, k: int, seed: int, ragged: float, jitter: float) -> Callable[[Config], float]:
    def seconds(c: Config) -> float:
        rows, columns, unroll = c.int("tile_m"), c.int("tile_n"), c.int("unroll_k")
        depth = c.int("block_k") or k

        def tile(r: int) -> float:
            """Cycles per step of k: multiply-adds, loads, or latency, and the loop around them."""
            return max(r * columns / 2, (r + columns) / 2, 4.0) + 0.7 / unroll if r else 0.0

        steps = (m // rows * tile(rows) + tile(m % rows)) * k * math.ceil(n / (columns * cpu.lanes))
        if rows * columns * unroll > 64:
            steps *= 1 + 0.05 * math.log2(rows * columns * unroll / 64)
        panel = columns * cpu.lanes * depth * 4 + rows * depth * 4
        slow = 1 + 0.12 * min(1.0, max(0.0, panel / cpu.l1 - 0.6)) + 0.015 * (k / depth - 1)
        slow += 0.08 * min(1.5, n * k * 4 / cpu.l2) if c["order"] == "mn" else 0.05 * min(1.0, m * k * 4 / cpu.l2)
        slow -= 0.03 * (c["prefetch"] == 8 and c["order"] == "mn")
        grain = ragged * (noise(seed, rows, columns, unroll) + 0.6 * noise(seed, depth, c["order"], columns))
        return steps * slow * math.exp(grain + jitter * noise(seed, str(c))) / 4e9

    return seconds


def rugged(seed: int, knobs: tuple[Knob, ...]) -> Callable[[Config], float]:
    """Every value of every knob, and every pair of them, has its own effect; numbers mean nothing."""

    def seconds(c: Config) -> float:
        values = [(knob.name, c[knob.name]) for knob in knobs]
        alone = sum(0.10 * noise(seed, v) for v in values)
        pairs = sum(0.05 * noise(seed, v, w) for i, v in enumerate(values) for w in values[i + 1 :])
        return 1e-4 * math.exp(alone + pairs + 0.005 * noise(seed, str(c)))

    return seconds


def table_of(
    space: ConfigSpace,
    seconds: Callable[[Config], float],
    m: int = 64,
    fails: Callable[[Config], bool] | None = None,
    cpu: Cpu = AVX512,
) -> SpaceTable:
    failed = {c: Status.COMPILE_ERROR for c in space if fails is not None and fails(c)}
    return SpaceTable(
        workload=dense(Any("m"), 768, 768, const=("w",)),
        target=cpu.target,
        template="synthetic",
        version=1,
        machine={"cpu": "none"},
        points=((("m", m),),),
        knobs=space.knobs,
        configs=tuple(space),
        seconds=(tuple(math.nan if c in failed else seconds(c) for c in space),),
        failures=failed,
    )


NAMES = ("avx512", "avx2", "noisy-17", "rugged")


@cache
def landscape(name: str) -> SpaceTable:
    """One of those, made when a test asks for it: a second would else be everybody's who collects this module."""
    wide, narrow = space_of(AVX512), space_of(AVX2, (0, 64, 128, 192, 256, 384, 512))
    match name:
        case "avx512":
            return table_of(wide, matmul(AVX512, 64, 768, 768, 1, 0.01, 0.005))
        case "avx2":
            return table_of(narrow, matmul(AVX2, 64, 768, 768, 3, 0.01, 0.005), cpu=AVX2)
        case "noisy-17":
            return table_of(wide, matmul(AVX512, 17, 768, 768, 7, 0.02, 0.015), m=17)
        case "rugged":
            return table_of(wide, rugged(2, wide.knobs))
    raise AssertionError(name)


def failing(seed: int) -> SpaceTable:
    """A third of the configs fails: by a rule that cuts through the fast ones, and at one value of a knob."""
    return table_of(
        space_of(AVX512),
        matmul(AVX512, 64, 768, 768, seed, 0.006, 0.005),
        fails=lambda c: c.int("tile_m") * c.int("tile_n") * c.int("unroll_k") > 80 or c.int("tile_m") == 13,
    )


def defaults(table: SpaceTable) -> tuple[Config, ...]:
    """Where a campaign would begin: what the real template says of these sizes on this CPU, with the knobs of here."""
    said = dict(template("dense.cpu").default(table.workload, table.target).values)
    config = Config.of(**{k.name: said.get(k.name, k.values[0]) for k in table.knobs})
    assert config in table.space
    return (config,)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_evolve_keeps_its_floors(name: str) -> None:
    """Two of them are played to the end; the others as far as the first floor."""
    table = landscape(name)
    point: Point = table.points[0]
    whole = name in ("noisy-17", "rugged")
    trials = max(64, math.ceil(SHARE * len(table.space))) if whole else 64
    plays = {
        "evolve": [play(table, point, "evolve", s, trials, seeds=defaults(table), until=0.01) for s in SEEDS],
        "random": [play(table, point, "random", s, 64) for s in SEEDS],
    }
    claims = judge(name, plays, len(table.space))
    for claim in claims if whole else claims[:1]:
        assert claim.ok, str(claim)


@pytest.mark.slow
def test_failures_cost_little() -> None:
    """Four landscapes together, ten searches each: a single one may have its best far from all else that is fast."""
    regrets: dict[str, list[float]] = {"evolve": [], "random": []}
    for table in map(failing, range(11, 15)):
        for strategy, found in regrets.items():
            plays = [play(table, table.points[0], strategy, s, 64, seeds=defaults(table), until=0.01) for s in SEEDS]
            found += [p.regret(64) for p in plays]
    assert statistics.median(regrets["evolve"]) <= HALF * statistics.median(regrets["random"])


def test_random_is_no_straw_man() -> None:
    """Sixty-four random trials find what the sixty-fourth part of the space promises."""
    table = landscape("avx512")
    times = sorted(table.times(table.points[0]).values())
    expected = statistics.median(times[int(u * len(times))] for u in (i / 1000 / 32 for i in range(1000)))
    found = statistics.median(play(table, table.points[0], "random", s, 64).regret(64) for s in SEEDS)
    assert found == pytest.approx(expected / times[0] - 1, abs=0.04)


def test_a_warm_start_saves_trials() -> None:
    """What was measured for a sister workload is worth something after one batch, though its times are others."""
    table, other = landscape("avx512"), matmul(AVX512, 64, 3072, 768, 21, 0.01, 0.005)
    point, space = table.points[0], table.space
    warm = tuple(
        Observation(c, other(c), group="n=3072") for c in STRATEGIES["random"](SearchState(space, seed=4), 150)
    )
    best = min(table.times(point).values())

    def after_a_batch(seed: int, warm: tuple[Observation, ...]) -> float:
        proposed = STRATEGIES["evolve"](SearchState(space, (), seed, warm=warm), 16)
        return min(table.observe(c, point).seconds for c in proposed) / best - 1

    cold = statistics.median(after_a_batch(s, ()) for s in SEEDS)
    assert statistics.median(after_a_batch(s, warm) for s in SEEDS) < 0.6 * cold


@pytest.mark.slow
def test_a_proposal_is_quick() -> None:
    """A batch of 16 over some thousands of configs with 200 observations: half a second of one core at most."""
    table = table_of(space_of(AVX512, (0, 64, 128, 192, 256, 384, 512)), matmul(AVX512, 64, 768, 768, 1, 0.01, 0.005))
    assert len(table.space) > 4500
    point = table.points[0]
    known = tuple(table.observe(c, point) for c in STRATEGIES["random"](SearchState(table.space), 200))
    took = []
    for seed in range(3):
        begin = time.process_time()
        STRATEGIES["evolve"](SearchState(table.space, known, seed, sizes=table.sizes(point)), 16)
        took.append(time.process_time() - begin)
    assert min(took) < 0.5


@pytest.mark.slow
def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    table = failing(11)
    some = table.configs[::2]
    table = replace(
        table, facts={c: {"spills": float(i), "share": i / 3} for i, c in enumerate(some)}, resolution=0.0025
    )
    assert table.inspect(some[:1]) == [None if some[0] in table.failures else {"spills": 0.0, "share": 0.0}]
    for name in ("t.json", "t.json.gz"):
        table.save(tmp_path / name)
        again = SpaceTable.load(tmp_path / name)
        assert again.configs == table.configs == tuple(again.space)
        assert again.failures == table.failures
        assert again.facts == table.facts
        assert again.resolution == table.resolution
        assert (again.workload, again.target, again.points) == (table.workload, table.target, table.points)
        for old, new in zip(table.seconds[0], again.seconds[0], strict=True):
            assert (math.isnan(old) and math.isnan(new)) or new == pytest.approx(old, rel=1e-3)
    again.save(tmp_path / "again.json.gz")
    assert (tmp_path / "again.json.gz").read_bytes() == (tmp_path / "t.json.gz").read_bytes()


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "else"}', "\x00"])
def test_a_file_that_is_no_table(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    assert main([str(path)]) != 0
    error = capsys.readouterr().err
    assert "broken.json" in error
    assert "Traceback" not in error


@pytest.mark.slow
def test_the_benchmark_reports_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = space_of(AVX512, (0,))
    few = ConfigSpace(
        small.template, (*small.knobs[:2], Knob("unroll_k", (2, 4), ""), *small.knobs[3:]), small.constraints
    )
    table_of(few, matmul(AVX512, 64, 768, 768, 1, 0.01, 0.005)).save(tmp_path / "small.json.gz")
    status = main([str(tmp_path / "small.json.gz"), "--seeds", "1", "--json", str(tmp_path / "out.json"), "--check"])
    shown = capsys.readouterr()
    assert "trials to 1 %" in shown.out
    # One seed on a small space may miss a floor; then it must say which.
    assert status == (1 if "missed floor" in shown.err else 0)
    written = json.loads((tmp_path / "out.json").read_text())
    assert {r["system"] for r in written["rows"]} == {"evolve", "random", "grid"}
    assert {r["case"]["trials"] for r in written["rows"]} == set(AFTER)
    assert written["summary"][0]["floor"] == HALF
