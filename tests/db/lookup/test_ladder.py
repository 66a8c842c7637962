"""Every rung answers when it should, says so, and nothing the database holds can make lookup fail."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from typing import Any as Anything

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError, UnsupportedError
from anytile.db.lookup.distance import covers, renaming, target_distance, workload_distance
from anytile.db.lookup.evidence import Grade, grade_of, provenance
from anytile.db.lookup.ladder import Estimate, Rung, lookup
from anytile.db.lookup.messages import duration
from anytile.db.records.records import Versions
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates import registry
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates
from anytile.schedules.workloads.constructors import conv2d, dense, softmax
from anytile.schedules.workloads.workload import Any, Workload


def plan_of(samples: Anything, *configs: Config, **changed: Anything) -> str:
    """A plan that runs the first config up to 16 and the second from there."""
    symbol = changed.pop("symbol", "m")
    ranges = (
        (Range(0, 16, 0, 2e-5, 8, "fastest here"), Range(17, None, len(configs) - 1, 4.12e-4, 64, "fastest here"))
        if symbol
        else (Range(0, None, 0, 4.12e-4, 64, "only one"),)
    )
    variants = tuple(Variant("dense.cpu", c, c.int("tile_m"), ()) for c in configs)
    made = {"workload": samples.workload, "target": samples.target, **changed}
    return DispatchPlan(symbol=symbol, variants=variants, ranges=ranges, notes={}, **made).to_json()


@pytest.fixture
def tuned(store, samples):
    """A store with one finished campaign."""
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(config=samples.config(tile_m=t), samples=(t * 1e-4,)) for t in (6, 5, 7)])
    plan = plan_of(samples, samples.config(tile_m=4), samples.config(tile_m=6))
    store.add_selection(samples.selection(plan))
    return store


def test_exact(tuned, samples):
    answer = lookup(tuned, samples.workload, samples.target, samples.versions)
    assert (answer.rung, answer.grade, answer.is_miss) == (Rung.EXACT, "exact", False)
    assert answer.plan == tuned.selections()[0].plan
    assert (answer.template, answer.config) == ("dense.cpu", samples.config(tile_m=6))
    assert answer.why() == (
        "Tuned for exactly this workload and target: the plan was chosen on 1970-01-01 by campaign "
        f"{samples.campaign.id[:8]} on a machine, 2 cores and its config ran in 412 us at m=64. "
        "Made with template 1, codegen 1, LLVM 22.1.0, anytile 0.1.0, Python 3.11.7."
    )


def test_a_plan_says_how_often_and_in_which_state_it_was_measured(store, samples):
    """Whatever else a note says: it comes out of a shared database."""
    made = DispatchPlan.from_json(plan_of(samples, samples.config(tile_m=4)))
    footing: Anything
    for footing, words in (
        ({"trials": 21, "samples": 63, "spread": 0.04}, "at m=64 (63 samples of 21 trials, typically within 4%). Made"),
        ({"trials": 21, "samples": 63, "spread": 8.84}, "(63 samples of 21 trials, typically within a factor of 9.8)."),
        ({"trials": "many", "samples": [63], "spread": 1e300}, "at m=64. Made"),
        ([1], "at m=64. Made"),
    ):
        notes = {"footing": footing, "machine": {"share": 0.5, "slow": {"memory": 2.5, "cache": "x"}}}
        store.add_selection(samples.selection(dataclasses.replace(made, notes=notes).to_json(), campaign_id=""))
        answer = lookup(store, samples.workload, samples.target, samples.versions)
        assert words in answer.why()
        assert answer.source is not None
        told = provenance(answer.source)
        assert (told["kind"], told["versions"], told["machine"]) == (
            "plan",
            samples.versions,
            {"memory": 2.5, "cache": 0.0},
        )


def test_a_trial_says_in_which_state_it_was_measured(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(facts={"machine.memory": 334.0, "machine.arithmetic": 1.0, "spills": 0.0})])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert "(3 samples within a factor of 3, on a disturbed machine: memory 330x as slow)" in answer.why()
    assert answer.source is not None
    told = provenance(answer.source)
    assert (told["trials"], told["samples"], told["machine"]) == (1, 3, {"memory": 334.0, "arithmetic": 1.0})


def test_the_newest_plan_is_taken(tuned, samples):
    newer = plan_of(samples, samples.config(tile_m=5))
    tuned.add_selection(samples.selection(newer, created=5e9))
    tuned.add_selection(samples.selection(plan_of(samples, samples.config(tile_m=7)), created=1.0))
    assert lookup(tuned, samples.workload, samples.target, samples.versions).plan == newer


def test_exact_by_another_name_of_the_symbol(tuned, samples):
    asked = dense(Any("tokens"), 768, 768, const=("w",))
    answer = lookup(tuned, asked, samples.target, samples.versions)
    assert (answer.rung, answer.is_miss) == (Rung.EXACT, False)
    plan = DispatchPlan.from_json(answer.plan or "")
    assert (plan.workload, plan.symbol, plan.target) == (asked, "tokens", samples.target)
    assert plan.ranges[0].seconds == 2e-5
    assert "under the name dense(m=?m" in answer.why()


def test_exact_without_a_plan_takes_the_fastest_trial(store, samples):
    """A campaign that was killed before it chose a plan."""
    store.add_campaign(samples.campaign)
    store.add_trials(
        [
            samples.trial(config=samples.config(tile_m=7), samples=(3e-4,), drift=1.0),
            samples.trial(config=samples.config(tile_m=6), samples=(4e-4,), drift=2.0),  # the faster one, corrected
            samples.trial(config=samples.config(tile_m=5), samples=(2e-6,), point={"m": 1}),
            samples.trial(config=samples.config(tile_m=4), samples=(1e-6,), kind="cross"),
            samples.failed(config=samples.config(tile_m=3)),
        ]
    )
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert (answer.rung, answer.grade, answer.plan) == (Rung.EXACT, "exact", None)
    assert answer.config == samples.config(tile_m=6)
    assert "no plan was chosen yet" in answer.why()
    assert "200 us at m=64" in answer.why()


def test_compatible_target(tuned, samples):
    asked = Target.parse("llvm -mcpu=skylake-avx512 -threads=4")
    answer = lookup(tuned, samples.workload, asked, samples.versions)
    assert (answer.rung, answer.grade, answer.is_miss) == (Rung.COMPATIBLE, "compatible", True)
    plan = DispatchPlan.from_json(answer.plan or "")
    assert plan.target == asked
    default = template("dense.cpu").default(samples.workload, asked)
    ours = {name: default[name] for name in ("parallel", "grain")}  # of these one thread knows nothing
    there = DispatchPlan.from_json(tuned.selections()[0].plan).variants
    assert plan.variants == tuple(dataclasses.replace(v, config=v.config.with_(**ours)) for v in there)
    assert [r.seconds for r in plan.ranges] == [None, None]  # measured with other threads
    assert "taken over from llvm -mcpu=skylake-avx512 -threads=1 (-threads is 4 here and 1 there)" in answer.why()


@pytest.mark.parametrize("here", [True, False])
def test_constants_that_lie_elsewhere_are_compatible(store, samples, here):
    """A plan for weights in caches serves those that are streamed, and the other way round."""
    streamed = samples.workload.streaming(["w"])
    asked, tuned = (streamed, samples.workload) if here else (samples.workload, streamed)
    config = samples.config(tile_m=6, prefetch=32, locality="near")
    far = config if here else config.with_(prefetch=128, locality="second")
    store.add_campaign(dataclasses.replace(samples.campaign, workloads=(tuned,)))
    store.add_selection(samples.selection(plan_of(samples, far, workload=tuned), workload=tuned))
    answer = lookup(store, asked, samples.target, samples.versions)
    assert (answer.rung, answer.grade, answer.is_miss) == (Rung.COMPATIBLE, "compatible", True)
    assert answer.why().startswith(f"Not tuned for where its constants lie; taken over from {tuned}, where the plan")
    plan = DispatchPlan.from_json(answer.plan or "")
    assert plan.workload == asked
    default = template("dense.cpu").default(samples.workload, samples.target)
    cached = config.with_(prefetch=default["prefetch"], locality=default["locality"])
    assert [v.config for v in plan.variants] == [config if here else cached]
    assert [r.seconds for r in plan.ranges] == [None, None]  # measured with constants elsewhere
    store.add_selection(samples.selection(plan_of(samples, samples.config(), workload=asked), workload=asked))
    assert lookup(store, asked, samples.target, samples.versions).rung is Rung.EXACT


def test_knobs_of_threads_are_dropped_for_one(store, samples):
    four = Target.parse("llvm -mcpu=skylake-avx512 -threads=4")
    config = template("dense.cpu").default(samples.workload, four).with_(tile_m=6, parallel="m")
    store.add_campaign(samples.campaign)
    store.add_selection(samples.selection(plan_of(samples, config, target=four), target=four))
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.rung is Rung.COMPATIBLE
    (variant,) = DispatchPlan.from_json(answer.plan or "").variants
    assert variant.config == samples.config(tile_m=6)


def test_the_nearest_workload_of_a_target_with_other_threads_fits(tuned, samples):
    asked, four = dense(m=Any("m"), n=1000, k=301), Target.parse("llvm -mcpu=skylake-avx512 -threads=4")
    answer = lookup(tuned, asked, four, samples.versions)
    assert answer.rung is Rung.NEAREST
    assert answer.config is not None
    assert answer.config["parallel"] == "n"
    template("dense.cpu").space(asked, four).check(answer.config)


def test_the_nearer_of_two_compatible_targets(tuned, samples):
    two = Target.parse("llvm -mcpu=skylake-avx512 -threads=2")
    config = template("dense.cpu").default(samples.workload, two).with_(tile_m=3)
    tuned.add_selection(samples.selection(plan_of(samples, config, target=two), target=two))
    answer = lookup(tuned, samples.workload, Target.parse("llvm -mcpu=skylake-avx512 -threads=4"), samples.versions)
    assert answer.source is not None
    assert answer.source.target == two


def test_another_llvm_is_compatible_and_said(tuned, samples):
    now = dataclasses.replace(samples.versions, llvm="23.0.0", python="3.14.0", anytile="0.9")
    answer = lookup(tuned, samples.workload, samples.target, now)
    assert (answer.rung, answer.grade) == (Rung.EXACT, "compatible")
    assert answer.plan is not None
    assert "Made with other versions: LLVM 22.1.0 there and 23.0.0 here, anytile" in answer.why()


@pytest.mark.parametrize("change", [{"template": 2}, {"codegen": 2}])
def test_stale_is_a_seed_never_a_plan(tuned, samples, change):
    now = dataclasses.replace(samples.versions, **change)
    answer = lookup(tuned, samples.workload, samples.target, now)
    assert (answer.grade, answer.plan, answer.is_miss) == ("stale", None, True)
    assert answer.config == samples.config(tile_m=6)
    assert "outdated record" in answer.why()
    assert "Tune again" in answer.why()


@pytest.mark.parametrize("as_plan", [False, True])
@pytest.mark.parametrize(("made_with", "grade"), [(1, "stale"), (2, "exact")])
def test_every_template_counts_its_own_versions(store, samples, monkeypatch, as_plan, made_with, grade):
    """Another template of the operator is at version 2; that the first one is still at 1 vouches for nothing."""

    first = template("dense.cpu")
    other = type("Other", (type(first),), {"name": "dense.other", "version": 2})()
    served = (template("dense.cpu"), other)
    monkeypatch.setattr("anytile.db.lookup.ladder.templates_for", lambda workload, target: served)
    versions = dataclasses.replace(samples.versions, template=made_with)
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(template="dense.other", versions=versions, config=samples.config(tile_m=5))])
    if as_plan:
        plan = json.loads(plan_of(samples, samples.config(tile_m=4), samples.config(tile_m=5)))
        plan["variants"][1]["template"] = "dense.other"
        plan["notes"] = {"templates": {"dense.cpu": 1, "dense.other": made_with}}
        store.add_selection(samples.selection(json.dumps(plan), versions=samples.versions))
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert (answer.rung, answer.grade) == (Rung.EXACT, grade), answer.why()
    assert (answer.template, answer.config) == ("dense.other", samples.config(tile_m=5))
    assert (answer.plan is not None) == (as_plan and grade == "exact")


def test_current_records_go_before_stale_ones(tuned, samples):
    now = dataclasses.replace(samples.versions, codegen=2)
    elsewhere = Target.parse("llvm -mcpu=skylake-avx512 -threads=2")
    tuned.add_trials([samples.trial(target=elsewhere, versions=now, config=samples.config(tile_m=5))])
    answer = lookup(tuned, samples.workload, samples.target, now)
    assert (answer.rung, answer.grade, answer.config) == (Rung.COMPATIBLE, "compatible", samples.config(tile_m=5))


def test_a_record_without_versions_is_not_trusted(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(versions=None)])
    assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.DEFAULT


def test_nearest_workload(tuned, samples):
    far = dense(Any("m"), 64, 64, const=("w",))
    tuned.add_trials([samples.trial(workload=far, config=samples.config(tile_m=2, tile_n=1))])
    answer = lookup(tuned, dense(Any("m"), 1000, 301, const=("w",)), samples.target, samples.versions)
    assert (answer.rung, answer.grade, answer.plan) == (Rung.NEAREST, "compatible", None)
    assert answer.config == samples.config(tile_m=6)
    assert "the nearest of 2 tuned ones is dense(m=?m, n=768, k=768" in answer.why()
    assert "n is 1000 here and 768 there, k is 301 here and 768 there" in answer.why()
    assert lookup(
        tuned, dense(Any("m"), 9, 8, const=("w",)), samples.target, samples.versions
    ).config == samples.config(tile_m=2, tile_n=1)


def test_another_workload_says_nothing_beside_a_template_that_leads(store, samples):
    """Layers of 3 by 3 that were tuned before there was minimal filtering, or where it is no faster."""

    def layer(size, channels):
        return conv2d(1, channels, size, size, channels, 3, 3, pad=1, layout="nhwc", const=("w",))

    small, direct, filtered = layer(2, 64), template("conv2d.direct"), template("conv2d.winograd")
    config = direct.default(small, samples.target)
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(workload=small, template=direct.name, config=config, point={})])
    near = lookup(store, layer(2, 128), samples.target, samples.versions)
    assert (near.rung, near.template) == (Rung.NEAREST, direct.name)
    answer = lookup(store, layer(28, 128), samples.target, samples.versions)
    assert (answer.rung, answer.template) == (Rung.DEFAULT, filtered.name)
    assert "1 of other sizes by other templates, where conv2d.winograd is estimated to be faster" in answer.why()
    config = filtered.default(layer(28, 64), samples.target)
    store.add_trials([samples.trial(workload=layer(28, 64), template=filtered.name, config=config, point={})])
    answer = lookup(store, layer(28, 128), samples.target, samples.versions)
    assert (answer.rung, answer.template) == (Rung.NEAREST, filtered.name)


@pytest.mark.parametrize("there", ["llvm -mcpu=znver4 -threads=1", "llvm -mcpu=znver4 -threads=2"])
def test_a_plan_says_that_the_template_which_leads_took_no_part(store, samples, there):
    layer = conv2d(Any("n"), 128, 28, 28, 128, 3, 3, pad=1, layout="nhwc", const=("w",))
    here, direct = Target.parse("llvm -mcpu=znver4 -threads=1"), template("conv2d.direct")
    plan = single_plan(layer, here, direct.name, direct.default(layer, here))
    store.add_campaign(samples.campaign)

    def answer(notes):
        made = dataclasses.replace(plan, target=Target.parse(there), notes=notes).to_json()
        store.add_selection(samples.selection(made, workload=layer, target=Target.parse(there)))
        return lookup(store, layer, here, samples.versions)

    said = "The plan does not say that conv2d.winograd, which is estimated to be faster here, was measured"
    before = answer({"templates": {direct.name: direct.version}})
    assert (before.rung, before.template) == (Rung.EXACT if there == str(here) else Rung.COMPATIBLE, direct.name)
    assert said in before.why()
    assert said not in answer({"met": [direct.name, "conv2d.winograd"]}).why()


@pytest.mark.parametrize(
    ("n", "k", "far"),
    [
        (768, 768, True),
        (256, 256, True),
        (255, 255, False),
        (9, 3000, False),
        (Any("n"), 512, True),
        (Any("n"), 9, False),
    ],
)
def test_a_toy_says_nothing_of_a_model(store, samples, n, k, far):
    store.add_campaign(samples.campaign)
    toy = dense(Any("m"), 8, 8, const=("w",))
    store.add_trials([samples.trial(workload=toy, config=samples.config(tile_m=4, tile_n=3))])
    answer = lookup(store, dense(Any("m"), n, k, const=("w",)), samples.target, samples.versions)
    assert (answer.rung is Rung.NEAREST) == (not far)
    assert ("(1 of sizes too far from these, such as dense(m=?m, n=8, k=8" in answer.why()) == far
    assert (answer.config == template("dense.cpu").default(answer.workload, samples.target)) == far


def test_a_concrete_size_takes_the_plans_config_for_it(tuned, samples):
    for size, tile, time in ((8, 4, "20 us"), (100, 6, "412 us")):
        answer = lookup(tuned, dense(size, 768, 768, const=("w",)), samples.target, samples.versions)
        assert (answer.rung, answer.config) == (Rung.NEAREST, samples.config(tile_m=tile))
        assert time in answer.why()


def test_a_knob_that_does_not_fit_takes_the_default(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(config=samples.config(block_k=384, tile_m=6))])
    asked = dense(Any("m"), 768, 100, const=("w",))
    answer = lookup(store, asked, samples.target, samples.versions)
    assert (answer.rung, answer.config) == (Rung.NEAREST, samples.config(block_k=0, tile_m=6))
    assert answer.config in template("dense.cpu").space(asked, samples.target)
    assert "with block_k=0 to fit here" in answer.why()


def test_foreign_records_are_mentioned_not_used(tuned, samples):
    answer = lookup(tuned, samples.workload, Target.parse("llvm -mcpu=haswell"), samples.versions)
    assert (answer.rung, answer.grade, answer.source) == (Rung.DEFAULT, "none", None)
    assert "1 for other machines, such as llvm -mcpu=skylake-avx512 -threads=1, not used" in answer.why()


@pytest.mark.sqlite
def test_model(store, samples):
    calls: list[Workload] = []

    def rank(workload, target):
        calls.append(workload)
        return Estimate("dense.cpu", samples.config(tile_m=5), 40, "It is an estimate: of a test")

    for _ in range(3):
        answer = lookup(store, samples.workload, samples.target, samples.versions, rank)
    assert (answer.rung, answer.grade, answer.plan) == (Rung.MODEL, "none", None)
    assert (answer.template, answer.config) == ("dense.cpu", samples.config(tile_m=5))
    assert f"puts {samples.config(tile_m=5)} first of 40 configs, instead of the default" in answer.why()
    assert answer.why().endswith("It is an estimate: of a test.")
    assert len(calls) == 2  # remembered, but for the first


def test_records_go_before_the_model(tuned, samples):
    def never(*_: object) -> Estimate:
        raise AssertionError

    assert lookup(tuned, samples.workload, samples.target, samples.versions, never).rung is Rung.EXACT


def test_a_model_that_cannot_judge_is_not_used_and_says_so(store, samples):
    def fails(*_: object) -> Estimate:
        raise SpecError("too few trials; tune one first")

    for rank, said in (
        (fails, "Too few trials; tune one first."),
        (lambda *_: Estimate("no.such", samples.config(), 1, ""), "template 'no.such' first, which is not there"),
        (lambda *_: Estimate("dense.cpu", samples.config(tile_m=77), 1, ""), "tile_m=77 is not one of"),
    ):
        answer = lookup(store, samples.workload, samples.target, samples.versions, rank)
        assert answer.rung is Rung.DEFAULT
        assert said in answer.why()


def test_default(store, samples):
    for where in (store, None):
        answer = lookup(where, samples.workload, samples.target, samples.versions)
        assert answer.rung is Rung.DEFAULT
        assert answer.config == template("dense.cpu").default(samples.workload, samples.target)
        assert answer.is_miss
    assert "has no record of dense" in lookup(store, samples.workload, samples.target, samples.versions).why()


def test_an_operator_without_a_template_is_refused(store, samples, monkeypatch):
    monkeypatch.setattr(registry, "_REGISTRY", {t.name: t for t in templates() if t.kind == "llvm"})
    with pytest.raises(UnsupportedError, match="no template for target kind 'cuda'"):
        lookup(store, softmax(8), Target.parse("cuda -arch=sm_90a"), samples.versions)


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [
        "",
        "not json",
        "[]",
        "{}",
        "[" * 100_000,
        '{"variants": 3, "ranges": []}',
        '{"variants": [{"template": "dense.cpu", "config": "tile_m"}], "ranges": [[0, null, 0, null, null, ""]]}',
        '{"variants": [{"template": "dense.cpu", "config": "tile_m=8"}], "ranges": [[0, null, 0, null, null, ""]]}',
        '{"variants": [{"template": "evil", "config": "a=1"}], "ranges": [[0, null, 0, null, null, ""]]}',
        '{"variants": [{"template": "dense.cpu", "config": "tile_m=8"}], "ranges": [[0, 5, 7, null, null, ""]]}',
        '{"variants": [{"template": "dense.cpu", "config": 5}], "ranges": [[0, null, 0, null, null, ""]]}',
        lambda plan: plan.replace("0.000412", "1" + 400 * "0"),
        lambda plan: plan.replace("64, ", "1e999, "),
        lambda plan: plan.replace("[17, null,", "[18, null,"),
        lambda plan: plan.replace("[17, null,", "[17, 64,"),
        lambda plan: plan.replace("[[0, 16, 0, 2e-05", "[[0, 16, 1, 2e-05"),
        lambda plan: plan.replace('"target"', '"targets"'),
        lambda plan: plan.replace('"symbol": "m"', '"symbol": ["m"]'),
        lambda plan: plan.replace("[[0, 16, 0, 2e-05, 8, ", "[[0, 16, "),
    ],
)
def test_a_plan_that_cannot_be_used_is_passed_over(store, samples, plan):
    store.add_campaign(samples.campaign)
    good = plan_of(samples, samples.config(tile_m=5))
    if not isinstance(plan, str):
        bad = plan(good)
        assert bad != good
        plan = bad
        # The same under another symbol's name and for other threads: then every field of it is needed.
        renamed = dense(Any("q"), 768, 768, const=("w",))
        on_two = Target.parse("llvm -mcpu=skylake-avx512 -threads=2")
        store.add_selection(samples.selection(plan, workload=renamed, target=on_two, created=9e9))
    store.add_selection(samples.selection(plan, created=9e9))
    assert lookup(store, samples.workload, samples.target, samples.versions).rung is Rung.DEFAULT
    store.add_selection(samples.selection(good, created=1.0))
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert (answer.rung, answer.plan) == (Rung.EXACT, good)


def test_a_plan_that_ends_early_is_passed_over(store, samples):
    store.add_campaign(samples.campaign)
    plan = plan_of(samples, samples.config(tile_m=5)).replace("[17, null,", "[17, 64,")
    store.add_selection(samples.selection(plan))
    answer = lookup(store, dense(999, 768, 768, const=("w",)), samples.target, samples.versions)
    assert answer.rung is Rung.DEFAULT
    assert "1 whose configs do not fit here" in answer.why()


def test_a_config_outside_todays_space_is_passed_over(store, samples):
    store.add_campaign(samples.campaign)
    store.add_trials([samples.trial(config=samples.config(tile_m=999))])
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.rung is Rung.DEFAULT
    assert "configs do not fit here" in answer.why()


def test_a_plan_of_libraries_alone(store, samples):
    plan = json.dumps(json.loads(plan_of(samples, samples.config())) | {
        "variants": [], "ranges": [[0, None, "openblas", 1e-3, 64, "faster"]],
    })  # fmt: skip
    store.add_campaign(samples.campaign)
    store.add_selection(samples.selection(plan))
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert (answer.rung, answer.plan, answer.config) == (Rung.EXACT, plan, None)
    other = lookup(store, dense(Any("m"), 700, 700, const=("w",)), samples.target, samples.versions)
    assert other.rung is Rung.DEFAULT


def test_an_answer_changes_with_the_database(open_store, samples):
    reader, writer = open_store(readonly=True), open_store()
    assert lookup(reader, samples.workload, samples.target, samples.versions).rung is Rung.DEFAULT
    writer.add_campaign(samples.campaign)
    writer.add_trials([samples.trial(config=samples.config(tile_m=6))])
    assert lookup(reader, samples.workload, samples.target, samples.versions).config == samples.config(tile_m=6)


@pytest.mark.sqlite
def test_a_database_that_breaks_costs_only_its_answers(store, samples, tmp_path):
    with sqlite3.connect(tmp_path / "tuning.db") as raw:
        raw.execute("DROP TABLE selections")
    raw.close()
    answer = lookup(store, samples.workload, samples.target, samples.versions)
    assert answer.rung is Rung.DEFAULT
    assert "The records could not be read (database" in answer.why()


DIM = st.one_of(st.integers(0, 5000), st.sampled_from([Any("m"), Any("n"), Any("k"), Any("t")]))
WORKLOADS = st.builds(
    lambda m, n, k, how: dense(m, n, k, const=how[:1]).streaming(how[1:]),
    *(DIM, DIM, DIM, st.sampled_from([(), ("w",), ("w", "w")])),
)


@pytest.mark.slow
@given(WORKLOADS, st.integers(1, 8))
def test_lookup_never_fails_and_always_fits(tuned_once, workload, threads):
    store, samples = tuned_once
    target = Target.parse(f"llvm -mcpu=skylake-avx512 -threads={threads}")
    answer = lookup(store, workload, target, samples.versions)
    assert answer.config is not None
    template(answer.template).space(workload, target).check(answer.config)
    assert answer.why().endswith(".")
    if answer.plan is not None:
        assert DispatchPlan.from_json(answer.plan).workload == workload


@pytest.fixture(scope="module")
def tuned_once(tmp_path_factory, make_samples):
    samples = make_samples()
    with Store.open(str(tmp_path_factory.mktemp("tuned") / "tuning.db")) as store:
        store.add_campaign(samples.campaign)
        for w in (samples.workload, dense(Any("m"), Any("n"), Any("k")), dense(3, 5, 7), dense(0, Any("n"), 9)):
            config = template("dense.cpu").default(w, samples.target)
            store.add_trials([samples.trial(workload=w, config=config, point=dict.fromkeys(w.symbols, 64))])
        store.add_selection(samples.selection(plan_of(samples, samples.config(tile_m=6, block_k=384))))
        yield store, samples


@given(WORKLOADS, WORKLOADS)
def test_distance_and_renaming(a: Workload, b: Workload):
    assert workload_distance(a, a) == 0
    assert workload_distance(a, b) >= 0
    names = renaming(a, b)
    assert (names is None) == (renaming(b, a) is None)
    if names is not None:
        assert workload_distance(a, b) == (0 if a.streamed == b.streamed else 0.25)
        assert tuple(sorted(names.values())) == b.symbols
    assert names is None or covers(a, b)
    assert covers(a, a.bind(**{s: i for i, s in enumerate(a.symbols)}))
    assert renaming(a, a) == {s: s for s in a.symbols}


def test_a_size_that_is_open_twice_is_one_size():
    square = dense(Any("a"), Any("a"), 8)
    assert covers(square, dense(3, 3, 8))
    assert not covers(square, dense(3, 4, 8))
    assert not covers(dense(3, 3, 8), square)


def test_floats_that_lie_otherwise_are_another_workload():
    plain = Workload.parse("softmax(outer=?, n=8, inner=1)")
    stored = plain.storing({"x": "bfloat16"})
    assert renaming(plain, stored) is None
    assert workload_distance(plain, stored) == workload_distance(stored, plain) == float("inf")
    assert workload_distance(stored, stored.bind(outer=4)) < float("inf")


def test_grades():
    now = Versions("1", 1, 1, "22", "3.11")
    assert grade_of(now, now) is Grade.EXACT
    assert grade_of(None, now) is Grade.STALE
    assert target_distance(Target.parse("llvm -mcpu=haswell"), Target.parse("llvm -mcpu=skylake")) == float("inf")


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.12e-5, "41.2 us"), (5e-8, "50 ns")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_a_config_from_before_a_knob_was_there_answers_as_it_did(store, samples):
    """On a GPU whose templates got one since: neither stale nor unusable, and what it runs is what was measured."""
    target, workload = Target.parse("cuda -arch=sm_90a"), dense(Any("m"), 768, 768, dtype="bfloat16")
    made = template("dense.cuda.narrow")
    config = made.default(workload, target)
    before = Config(tuple((name, value) for name, value in config.values if name != "ahead"))
    assert before != config
    versions = dataclasses.replace(samples.versions, template=made.version)
    campaign = dataclasses.replace(samples.campaign, workloads=(workload,), target=target)
    store.add_campaign(campaign)
    given = {"workload": workload, "target": target, "versions": versions, "campaign_id": campaign.id}
    store.add_trials([samples.trial(template=made.name, config=before, **given)])
    answer = lookup(store, workload, target, versions)
    assert (answer.rung, answer.grade, answer.config) == (Rung.EXACT, "exact", before)
    variants = (Variant(made.name, before, made.tile(before), ()),)
    plan = DispatchPlan(workload, target, "m", variants, (Range(0, None, 0, 1e-5, 64, "fastest"),), {}).to_json()
    store.add_selection(samples.selection(plan, **given))
    assert lookup(store, workload, target, versions).plan == plan
