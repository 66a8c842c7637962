"""The model rung: what others measured says which config an untuned workload should take."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from statistics import median

import pytest

from anytile.core.errors import AnytileError
from anytile.db.records.records import Status
from anytile.dispatch.service import versions_here
from anytile.schedules.hardware.cpu import CpuFacts
from anytile.schedules.hardware.cpu import facts as cpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.cpu import dense_cpu
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.tuner.estimate import columns
from anytile.tuner.estimate.columns import MOST_KNOBS
from anytile.tuner.estimate.rank import Ranker
from anytile.tuner.estimate.training import MOST_TARGETS, grouped, learn
from tests.support.stand_ins.trial_shelf import TARGET, TEMPLATE, Shelf, layer, seconds, trials

ATTENTION = Workload.parse("batch_matmul(b=12, m=?m, n=?m, k=64, lhs=mbk, rhs=nbk, dtype=float32)")


def among(config: Config, n: int, workload: Workload) -> float:
    """The share of the space that is no faster."""
    times = [seconds(c, n) for c in TEMPLATE.space(workload, TARGET).sample(random.Random(9), 400)]
    return sum(t >= seconds(config, n) for t in times) / len(times)


def test_an_unseen_shape_gets_a_good_config() -> None:
    shelf = Shelf([*trials(layer(768), 768, 120), *trials(layer(3072), 3072, 120)])
    rank, unseen = Ranker(shelf), layer(1536)
    found = rank(unseen, TARGET)
    assert found.template == TEMPLATE.name
    assert among(found.config, 1536, unseen) >= 0.95
    assert "trained just now on 240 trials of dense" in found.trust
    assert found == rank(unseen, TARGET)
    assert shelf.reads == 1


def test_with_too_little_to_learn_from_it_declines() -> None:
    rank = Ranker(Shelf(trials(layer(768), 768, 8)))
    with pytest.raises(AnytileError, match="tune one first"):
        rank(layer(1536), TARGET)


def test_what_toys_alone_measured_says_nothing_of_a_layer() -> None:
    """Their tiles are as narrow as they are."""
    toy = dense(Any("m"), 16, 16, const=("w",))
    rank = Ranker(Shelf(trials(toy, 16, 40)))
    with pytest.raises(AnytileError, match="All trials of dense are of sizes too far from these to rank by"):
        rank(layer(768), TARGET)
    assert rank(dense(Any("m"), 64, 64, const=("w",)), TARGET).template == TEMPLATE.name
    rank = Ranker(Shelf([*trials(toy, 16, 40), *trials(layer(256), 256, 40)]))
    assert rank(layer(768), TARGET).template == TEMPLATE.name


def test_an_answer_takes_milliseconds() -> None:
    rank = Ranker(Shelf([t for n in (256, 768, 3072) for t in trials(layer(n), n, 120)]))
    rank(layer(1536), TARGET)
    taken = []
    for n in range(1000, 1020):
        start = time.thread_time()  # a busy machine says nothing about us
        rank(layer(n), TARGET)
        taken.append(time.thread_time() - start)
    assert median(taken) < 0.015  # three times the promise


def test_layouts_are_told_apart() -> None:
    """An attribute that says how an operand lies is a column, as the sizes are."""
    words = columns.word_numbers([ATTENTION], [])
    asked = columns.Asked("batch_matmul.cpu", (), ())
    names = columns.said_of(ATTENTION, TARGET, {"m": 64}, asked, words)
    assert {"attribute lhs", "attribute rhs", "dtype", "size b", "template batch_matmul.cpu"} <= names
    assert {"mbk", "nbk", "float32"} <= words.keys()


def test_what_a_cpu_measured_says_nothing_of_a_gpu() -> None:
    gpu, many = Target.parse("cuda -arch=sm_90a"), layer(768)
    rank = Ranker(Shelf(trials(many, 768, 60)))
    assert rank(many, TARGET).config in TEMPLATE.space(many, TARGET)
    with pytest.raises(AnytileError, match="fewer than .* trials of dense on cuda to rank by"):
        rank(many, gpu)


def test_failures_and_foreign_targets_do_no_harm() -> None:
    good = trials(layer(768), 768, 60)
    failed = [replace(t, status=Status.CRASHED, samples=(), id=f"f{i}") for i, t in enumerate(good)]
    unknown = Target("llvm", (("mtriple", "x86_64-unknown-linux-gnu"), ("mcpu", "no-such-cpu"), ("threads", "1")))
    foreign = [replace(t, target=unknown, id=f"u{i}") for i, t in enumerate(good)]
    found = Ranker(Shelf([*failed, *foreign, *good]))(layer(768), TARGET)
    assert among(found.config, 768, layer(768)) >= 0.9


def test_what_today_does_not_know_teaches_nothing() -> None:
    """Knobs that nobody knows become no columns; other versions of templates and of code are other measurements."""
    good = trials(layer(768), 768, 60)
    invented = [
        replace(t, config=Config.of(**{f"k{i}_{j}": j for j in range(30)}), id=f"i{i}") for i, t in enumerate(good)
    ]
    alone, both = (learn(grouped(of), "llvm") for of in (good, [*invented, *good]))
    assert alone is not None
    assert both is not None
    assert both.columns.names == alone.columns.names
    now = versions_here(TEMPLATE.name)
    for old in (replace(now, template=now.template - 1), replace(now, codegen=now.codegen - 1)):
        assert grouped([replace(t, versions=old) for t in good]) == []
    assert len(grouped([replace(t, versions=now) for t in good])) == 1
    assert grouped([replace(t, template="no.such") for t in good]) == []


def test_the_knobs_of_a_template_are_all_learnt() -> None:
    for target in (TARGET, Target.parse("cuda -arch=sm_90a")):
        workload = layer(768) if target is TARGET else dense(Any("m"), 768, 768, dtype="float16", const=("w",))
        for one in templates_for(workload, target):
            assert len(one.space(workload, target).knobs) <= MOST_KNOBS, one.name


def test_llvm_is_asked_about_few_foreign_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a process of its own. Those with the most trials are asked about."""
    asked: list[Target] = []

    def facts(target: Target) -> CpuFacts:
        asked.append(target)
        return cpu_facts(TARGET)

    columns._machine.cache_clear()
    monkeypatch.setattr(columns, "facts", facts)
    monkeypatch.setattr(dense_cpu, "facts", facts)
    good = trials(layer(768), 768, 60)
    foreign = [Target("llvm", (("mcpu", f"cpu{i}"), ("threads", "1"))) for i in range(30)]
    held = [replace(t, target=f, id=f"{i} {t.id}") for i, f in enumerate(foreign) for t in good[: 2 + i]]
    Ranker(Shelf([*held, *good]))(layer(768), TARGET)
    columns._machine.cache_clear()
    assert {*asked} == {TARGET, *foreign[-MOST_TARGETS:]}
