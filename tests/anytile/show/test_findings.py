"""What a campaign found, and how it is printed when it ends."""

from __future__ import annotations

import ast
import dataclasses
import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from anytile.commands.tune_run import Place
from anytile.db.records.records import Status
from anytile.db.store import Store
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import batch_matmul, dense
from anytile.schedules.workloads.workload import Any as AnyDim
from anytile.schedules.workloads.workload import Workload
from anytile.show.findings import Curve, Findings, gather, plan_curves, ratio
from anytile.show.summary import findings_json, models_json, print_findings, shown_sizes, snippet
from anytile.tuner.campaign import how_to_resume
from anytile.tuner.ledger.events import ModelTrained
from anytile.tuner.protocol.machine_state import MachineState, to_facts


@pytest.fixture
def findings(filled: Any) -> Findings:
    with Store.open(filled.url, readonly=True) as store:
        return gather(store, filled.campaign.id)


def test_everything_is_gathered(findings: Findings, filled: Any) -> None:
    (found,) = findings.found
    assert found.workload == filled.workload
    assert found.plan == filled.plan
    assert findings.trials == len(found.trials) == 60 + 40 * 9
    assert findings.statuses[Status.CRASHED] == 2
    assert sum(count for *_, count in findings.failures()) == 5
    assert found.best is not None
    assert found.best.corrected == min(t.corrected for t in found.of("search") if t.samples)


def test_of_several_plans_the_newest_is_shown(filled: Any) -> None:
    older = dataclasses.replace(filled.plan, notes={"decisions": ["provisional"]})
    newer = dataclasses.replace(filled.plan, notes={"decisions": ["in the end"]})
    with Store.open(filled.url, readonly=True) as store:
        (first,) = store.selections()
    kept = [
        dataclasses.replace(first, plan=plan.to_json(), created=created)
        for plan, created in ((newer, 9.0), (older, 5.0))
    ]
    for selections in (kept, kept[::-1]):
        shelf = SimpleNamespace(
            campaign=lambda _: filled.campaign,
            trials=lambda campaign_id: [],
            selections=lambda workload, target, these=selections: these,
        )
        (found,) = gather(shelf, filled.campaign.id).found  # type: ignore[arg-type]
        assert found.plan == newer


def test_the_plan_is_the_curve_of_what_it_runs(filled: Any) -> None:
    ours, rival = plan_curves(filled.plan)
    us, sizes = filled.plan.notes["profile"]["us"], filled.plan.notes["profile"]["sizes"]
    assert (ours.system, rival.system) == ("anytile", "blas")
    for size, runs in ((8, "1"), (15, "1"), (16, "0"), (512, "blas")):
        assert ours.seconds[size] == pytest.approx(us[runs][sizes.index(size)] * 1e-6)
    assert ratio(ours.seconds, rival.seconds, [512, 1024]) == pytest.approx(1.0)
    assert ratio(ours.seconds, rival.seconds, range(1, 17)) > 1.5


def test_what_runs_untuned_is_a_rival_where_it_was_measured(filled: Any, findings: Findings) -> None:
    noted = {"8": 1.5, "16": 2.0, "9999": 3.0, "m": 1.0, "32": "fast", "64": -1.0}
    plan = dataclasses.replace(filled.plan, notes={**filled.plan.notes, "untuned": noted})
    ours, *_, untuned = plan_curves(plan)
    assert untuned.system == "untuned"
    assert {size: untuned.seconds[size] / ours.seconds[size] for size in untuned.seconds} == pytest.approx(
        {8: 1.5, 16: 2}
    )
    out = io.StringIO()
    found = dataclasses.replace(findings.found[0], plan=plan)
    print_findings(dataclasses.replace(findings, found=(found,)), out, 88.0)
    (line,) = (line.split() for line in out.getvalue().splitlines() if "over untuned" in line)
    assert line[-1] == "1.73x"
    assert {"1.50x", "2.00x", "-"} == set(line[2:-1])


def test_of_one_size_what_runs_untuned_is_said_in_words(findings: Findings) -> None:
    workload = Workload.parse("dense(m=4, n=64, k=32)")
    plan = single_plan(workload, Target.host(1), "dense.cpu", template("dense.cpu").default(workload, Target.host(1)))
    plan = dataclasses.replace(plan, notes={"untuned": {"1": 1.25}})
    out = io.StringIO()
    found = dataclasses.replace(findings.found[0], plan=plan)
    print_findings(dataclasses.replace(findings, found=(found,)), out, 88.0)
    assert "  what runs untuned takes 1.25x as long\n" in out.getvalue()
    assert findings_json(dataclasses.replace(findings, found=(found,)))["workloads"][0]["over_untuned"] == {1: 1.25}


@pytest.mark.parametrize(
    "profile",
    [
        None,
        3,
        [],
        {},
        {"sizes": 3, "us": {}},
        {"sizes": [1], "us": {"0": ["<b>"]}},
        {"sizes": ["m"], "us": {"0": [1.0]}},
    ],
)
def test_a_profile_from_elsewhere_that_is_none_gives_no_curve(filled: Any, profile: object) -> None:
    plan = dataclasses.replace(filled.plan, notes={"profile": profile})
    assert plan_curves(plan) == []


def test_the_end_says_what_was_found_and_what_to_type(findings: Findings, filled: Any) -> None:
    out = io.StringIO()
    print_findings(findings, out, 88.0)
    text = out.getvalue()
    assert str(filled.workload) in text
    assert "m 16..511: variant 0" in text
    assert "m 512 and up: blas took 2.3 ms at 512" in text
    assert "over blas" in text
    assert "420 trials in 1m 28s" in text
    assert "crashed 2" in text
    assert "anytile report 5eed0000 -o report.html" in text
    assert "to go on" not in text


def test_what_to_type_begins_as_the_user_calls_it(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYTILE_COMMAND", ".venv/bin/anytile")
    out = io.StringIO()
    print_findings(findings, out, 88.0)
    assert "next:  .venv/bin/anytile report 5eed0000 -o report.html" in out.getvalue()
    assert f"       .venv/bin/anytile why '{findings.found[0].workload}' --m 17\n" in out.getvalue()
    assert how_to_resume(findings.campaign) == ".venv/bin/anytile tune --resume 5eed0000"
    assert Place("inline", None, "a b.db").resume("5eed0000") == (
        ".venv/bin/anytile tune --resume 5eed0000 --runner inline --db 'a b.db'"
    )


def test_what_to_type_is_for_what_was_tuned_and_where_it_is(findings: Findings) -> None:
    threads = Target.host().threads + 1
    other = f"llvm -threads={threads}"
    for target, db, why, build in (
        (Target.host(), None, "", ""),
        (Target.host(threads), None, f" --target '{other}'", f', target="{other}"'),
        (Target.host(), "a b.db", " --db 'a b.db'", ', db="a b.db"'),
    ):
        out = io.StringIO()
        campaign = dataclasses.replace(findings.campaign, target=target)
        plan = dataclasses.replace(findings.found[0].plan, target=target)  # type: ignore[type-var]
        found = (dataclasses.replace(findings.found[0], plan=plan),)
        print_findings(dataclasses.replace(findings, campaign=campaign, found=found), out, 88.0, db=db)
        at = " --db 'a b.db'" if db else ""
        assert f"next:  anytile report 5eed0000 -o report.html{at}\n" in out.getvalue()
        assert f"       anytile why '{findings.found[0].workload}' --m 17{why}\n" in out.getvalue()
        line = f'kernel = build(dense(m=Any("m"), n=768, k=768){build}, constants={{"w": w}})\n'
        assert line in out.getvalue()


def test_an_interrupted_one_says_how_to_go_on(findings: Findings) -> None:
    out = io.StringIO()
    print_findings(findings, out, 3.0, hint="anytile tune --resume 5eed0000")
    assert "to go on: anytile tune --resume 5eed0000" in out.getvalue()


def test_the_cost_model_is_told_of_at_the_end(findings: Findings) -> None:
    (found,) = findings.found
    models = {found.workload: ModelTrained(found.workload, 320, 0.714)}
    out = io.StringIO()
    print_findings(findings, out, 3.0, models=models)
    assert "  cost model of 320 trials ranks those held out with 0.71 (1 is perfect)\n" in out.getvalue()
    assert models_json(models) == [{"workload": str(found.workload), "trained_on": 320, "quality": 0.714}]


def test_nothing_measured_is_said(findings: Findings) -> None:
    (found,) = findings.found
    bare = dataclasses.replace(findings, found=(dataclasses.replace(found, trials=(), plan=None),), statuses={})
    out = io.StringIO()
    print_findings(bare, out, None)
    assert "nothing measured yet" in out.getvalue()
    assert "next:" not in out.getvalue()


def test_json_holds_plan_and_curves(findings: Findings) -> None:
    found = json.loads(json.dumps(findings_json(findings, 88.0)))
    (workload,) = found["workloads"]
    assert found["by_status"]["ok"] == 415
    assert workload["plan"]["ranges"][0][:3] == [0, 15, 1]
    assert {c["system"] for c in workload["curves"]} == {"anytile", "blas"}
    assert 100 < workload["best"]["gflops"] < 400


def test_the_snippet_is_python(findings: Findings) -> None:
    (found,) = findings.found
    assert snippet(found)[1] == 'kernel = build(dense(m=Any("m"), n=768, k=768), constants={"w": w})'
    ast.parse("\n".join(snippet(found)))
    plain = dataclasses.replace(found, workload=dense(3, 4, 5))
    assert snippet(plain) == [
        "from anytile import build, dense",
        "kernel = build(dense(m=3, n=4, k=5))",
        "y = kernel(x, w)",
    ]
    scores = dataclasses.replace(found, workload=batch_matmul(12, AnyDim("t"), AnyDim("t"), 64, rhs="bnk"))
    assert snippet(scores)[1:] == [
        'kernel = build(batch_matmul(b=12, m=Any("t"), n=Any("t"), k=64, rhs="bnk"))',
        "y = kernel(lhs, rhs)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "dense(m=?m, n=768, k=768, dtype=bfloat16, const=w)",
        "dense(m=?m, n=768, k=768, const=w, streamed=w)",
        "conv2d(n=?n, ci=4, h=9, w=?width, co=8, kh=3, kw=3, stride=2x1, pad=1, groups=4, layout=nhwc, const=w)",
        "batch_matmul(b=12, m=?t, n=?t, k=64, lhs=mbk, rhs=nbk)",
        "gated_dense(m=?m, u=8, k=4, gates=2, cell=y0 = z0; y1 = z1, const=w)",
        "elementwise(d0=?d0, d1=64, rank=2, f=gelu(a[d0, d1] + b[d1]), const=b)",
        "reduce(d0=?d0, d1=64, rank=2, axes=1, kind=argmax)",
        "softmax(outer=?o, n=64, inner=1, log=yes)",
        "layer_norm(rows=?r, n=64, const=beta+gamma)",
        "gather(outer=1, n=99, m=?m, inner=8, const=x)",
        "slice(d0=?a, d1=?b, rank=2, start=1x-20, stop=-1x2147483647)",
        "concat(outer=1, n0=?a, n1=3, inner=4)",
        "max_pool2d(n=?n, c=3, h=9, w=9, kernel=3x2, stride=2x1, pad=1x0)",
    ],
)
def test_the_snippet_is_of_the_workload_that_was_tuned(findings: Findings, text: str) -> None:
    (found,), workload = findings.found, Workload.parse(text)
    names, kernel, call = snippet(dataclasses.replace(found, workload=workload))
    inputs = {t.name: object() for t in workload.inputs}
    scope: dict[str, Any] = dict(inputs)
    exec(names, scope)
    scope["build"] = lambda what, target=None, constants=None: lambda *given: (what, constants, given)
    exec(f"{kernel}\n{call}", scope)
    what, constants, given = scope["y"]
    made = Workload.parse(what) if isinstance(what, str) else what
    assert made.with_const(constants or ()) == workload
    assert (constants or {}) == {n: inputs[n] for n in workload.const}
    assert given == tuple(inputs[t.name] for t in workload.inputs if t.name not in workload.const)


def test_the_snippet_names_a_target_that_is_not_what_is_built_for_anyway(findings: Findings) -> None:
    (found,) = findings.found
    assert found.plan is not None
    for target, said in (
        (Target.host(), "768)"),
        (Target.host(7), '768), target="llvm -threads=7"'),
        (Target.parse("cuda -arch=sm_90a"), '768), target="cuda -arch=sm_90a"'),
    ):
        planned = dataclasses.replace(found, plan=dataclasses.replace(found.plan, target=target))
        assert f'{said}, constants={{"w": w}})' in snippet(planned)[1]


def test_the_sizes_shown_fit_a_line() -> None:
    assert shown_sizes(range(1, 300)) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert shown_sizes([3, 5, 7]) == [3, 5, 7]
    assert len(shown_sizes([2**i for i in range(30)])) == 11


def test_ratios_need_shared_sizes() -> None:
    assert ratio(Curve("a", {1: 1.0}).seconds, {2: 1.0}) == 0.0
    assert ratio({1: 1.0, 2: 2.0}, {1: 2.0, 2: 4.0}) == pytest.approx(2.0)


def test_the_last_lines_say_how_disturbed_the_machine_was(findings: Findings) -> None:
    def last(given: Findings) -> str:
        stream = io.StringIO()
        print_findings(given, stream, 1.0)
        return next(line for line in stream.getvalue().splitlines() if line.startswith("machine: "))

    assert last(findings) == "machine: never disturbed while it was measured"
    assert findings_json(findings)["machine"]["share"] == 0
    unmeasured = io.StringIO()
    print_findings(dataclasses.replace(findings, found=()), unmeasured, 1.0)
    assert "machine: " not in unmeasured.getvalue()
    (found,) = findings.found
    facts = to_facts(MachineState(memory=2.0))
    slow = tuple(dataclasses.replace(t, facts={**t.facts, **facts}) for t in found.trials)
    disturbed = dataclasses.replace(findings, found=(dataclasses.replace(found, trials=slow),))
    assert last(disturbed) == "machine: 100.0% of the times, memory 2x as slow at most"
