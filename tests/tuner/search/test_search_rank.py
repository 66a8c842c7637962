"""The model rung: what others measured says which config an untuned workload should take."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from anytile.core.errors import AnytileError
from anytile.db.records.records import Status, Trial
from anytile.schedules.hardware.cpu import CpuFacts
from anytile.schedules.hardware.cpu import facts as cpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.search import rank as rank_module
from anytile.tuner.search.rank import MOST_KNOBS, MOST_TARGETS, Ranker

TARGET = Target.host(1)
TEMPLATE = template("dense.cpu")


def seconds(config: Config, n: int) -> float:
    """Tiles of about 24 vectors are best, on every shape; larger shapes take longer."""
    return n * 1e-8 * (1 + abs(config.int("tile_m") * config.int("tile_n") - 24) / 8 + 0.2 * (config["block_n"] == 0))


def trials(workload: Workload, n: int, count: int, campaign: str = "c") -> list[Trial]:
    configs = TEMPLATE.space(workload, TARGET).sample(random.Random(n), count)
    return [
        Trial(workload, TARGET, TEMPLATE.name, c, {"m": 64}, Status.OK, (seconds(c, n),), campaign_id=campaign)
        for c in configs
    ]


class Shelf:
    """A store that counts how often it is read."""

    def __init__(self, held: list[Trial]) -> None:
        self.held, self.reads = held, 0

    def known_pairs(self, op: str) -> list[tuple[Workload, Target]]:
        self.reads += 1
        return list(dict.fromkeys((t.workload, t.target) for t in self.held if t.workload.op == op))

    def trials(
        self, *, workload: Workload | None = None, target: Target | None = None, status: Status | None = None
    ) -> list[Trial]:
        assert workload is not None  # what is of no use is not read
        assert target is not None
        here = [t for t in self.held if (t.workload, t.target) == (workload, target)]
        return [t for t in here if status is None or t.status is status]


def layer(n: int) -> Workload:
    return dense(Any("m"), n, 768, const=("w",))


def test_an_unseen_shape_gets_a_good_config() -> None:
    shelf = Shelf([*trials(layer(768), 768, 120), *trials(layer(3072), 3072, 120)])
    rank = Ranker(shelf)
    unseen = layer(1536)
    configs = TEMPLATE.space(unseen, TARGET).sample(random.Random(9), 200)
    scores = rank(unseen, TARGET, configs)
    chosen = max(zip(scores, configs, strict=True), key=lambda p: p[0])[1]
    times = sorted(seconds(c, 1536) for c in configs)
    assert seconds(chosen, 1536) <= times[10]
    assert scores == rank(unseen, TARGET, configs)
    assert shelf.reads == 1


def test_with_too_little_to_learn_from_it_declines() -> None:
    rank = Ranker(Shelf(trials(layer(768), 768, 8)))
    with pytest.raises(AnytileError, match="tune one first"):
        rank(layer(1536), TARGET, [TEMPLATE.default(layer(1536), TARGET)])


def test_what_a_cpu_measured_says_nothing_of_a_gpu() -> None:
    gpu, many = Target.parse("cuda -arch=sm_90a"), layer(768)
    rank, simt = Ranker(Shelf(trials(many, 768, 60))), template("dense.cuda.simt")
    assert rank(many, TARGET, [TEMPLATE.default(many, TARGET)])
    with pytest.raises(AnytileError, match="fewer than .* trials of dense on cuda to rank by"):
        rank(many, gpu, [simt.default(many, gpu)])


def test_failures_and_foreign_targets_do_no_harm() -> None:
    good = trials(layer(768), 768, 60)
    failed = [replace(t, status=Status.CRASHED, samples=(), id=f"f{i}") for i, t in enumerate(good)]
    unknown = Target("llvm", (("mtriple", "x86_64-unknown-linux-gnu"), ("mcpu", "no-such-cpu"), ("threads", "1")))
    foreign = [replace(t, target=unknown, id=f"u{i}") for i, t in enumerate(good)]
    scores = Ranker(Shelf([*failed, *foreign, *good]))(layer(768), TARGET, [t.config for t in good])
    order = sorted(range(len(good)), key=lambda i: -scores[i])
    assert sum(good[i].seconds for i in order[:10]) < sum(good[i].seconds for i in order[-10:])


def test_nothing_to_rank() -> None:
    assert Ranker(Shelf(trials(layer(768), 768, 40)))(layer(768), TARGET, []) == []


def test_knobs_that_nobody_knows_are_not_paired() -> None:
    """Every two knobs are a column: what somebody invents must not become thousands of them."""
    good = trials(layer(768), 768, 60)
    invented = [
        replace(t, config=Config.of(**{f"k{i}_{j}": j for j in range(30)}), id=f"i{i}") for i, t in enumerate(good)
    ]
    rank, alone = Ranker(Shelf([*invented, *good])), Ranker(Shelf(good))
    configs = [t.config for t in good]
    both = [ranker(layer(768), TARGET, configs) for ranker in (rank, alone)]
    columns = [len(next(iter(r._trained.values())).columns) for r in (rank, alone)]  # type: ignore[union-attr]
    assert columns[0] <= columns[1] + MOST_KNOBS * (MOST_KNOBS + 5)
    order = sorted(range(len(good)), key=lambda i: -both[0][i])
    assert sum(good[i].seconds for i in order[:10]) < sum(good[i].seconds for i in order[-10:])


def test_the_knobs_of_an_operator_are_all_learnt() -> None:
    for op, target in (("dense", TARGET), ("dense", Target.parse("cuda -arch=sm_90a"))):
        workload = layer(768) if target is TARGET else dense(Any("m"), 768, 768, dtype="float16", const=("w",))
        names = {k.name for t in templates_for(workload, target) for k in t.space(workload, target).knobs}
        assert len(names) <= MOST_KNOBS, op


def test_llvm_is_asked_about_few_foreign_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a process of its own. Those with the most trials are asked about."""
    asked: list[Target] = []

    def facts(target: Target) -> CpuFacts:
        asked.append(target)
        return cpu_facts(TARGET)

    monkeypatch.setattr(rank_module, "facts", facts)
    good = trials(layer(768), 768, 60)
    foreign = [Target("llvm", (("mcpu", f"cpu{i}"), ("threads", "1"))) for i in range(30)]
    held = [replace(t, target=f, id=f"{i} {t.id}") for i, f in enumerate(foreign) for t in good[: 2 + i]]
    Ranker(Shelf([*held, *good]))(layer(768), TARGET, [good[0].config])
    assert {*asked} == {TARGET, *foreign[-MOST_TARGETS:]}
