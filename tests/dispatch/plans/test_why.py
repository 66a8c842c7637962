"""why(): one sentence that says what runs, the arithmetic, the figures, and what was only modelled."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.dispatch.plans.why import MACHINE, disturbed, explained, recorded, why
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

T = Target.parse("llvm -mcpu=znver4")
US = {
    "sizes": [1, 2, 17, 64],
    "us": {"0": [2.0, 2.5, 9.0, 30.0], "1": [4.0, 4.0, 8.9, 25.0], "blas": [1.0, 3.0, 12.0, 40.0]},
}


def plan(**notes: object) -> DispatchPlan:
    variants = (
        Variant("dense.cpu", Config.of(tile_m=8), 8, residue_classes(8, 8)),
        Variant("dense.cpu", Config.of(tile_m=14), 14, ((0, 0), (1, 6), (7, 13))),
        Variant("dense.cpu", Config.of(tile_m=4), 4, ()),
    )
    ranges = (Range(0, 1, "blas"), Range(2, 31, 0, 9e-6, 17, "because"), Range(32, 99, 1), Range(100, None, 2))
    found = {"profile": US, "noise": 0.02, "regret": {"geomean": 1.012, "worst": 1.05, "worst_at": 4}, **notes}
    return DispatchPlan(dense(Any("m"), 768, 768), T, "m", variants, ranges, found)


def test_a_residue_kernel_with_its_figures() -> None:
    assert why(plan(), 17) == (
        "m=17 = 8*2 + 1 runs 2 full tiles of 8 and the kernel for a rest of 1 of variant 0 (tile_m=8), "
        "as every m in 2..31 does; it measured 9 us, against 8.9 us for variant 1, 1.1% faster and inside the noise; "
        "over the cross-evaluated sizes the plan is 1.2% from the per-size best."
    )


def test_a_plan_chosen_by_regret_says_its_worst_size() -> None:
    assert why(plan(chosen_by="regret"), 17).endswith(
        "inside the noise; chosen by its worst cross-evaluated size: at m=4 the plan is 5.0% from the best there."
    )


def test_a_library_by_its_full_name() -> None:
    text = why(plan(), 1, {"blas": "OpenBLAS 0.3.30"})
    assert text.startswith("m=1 calls blas, which is OpenBLAS 0.3.30, as every m in 0..1 does; it measured 1 us")
    assert "where variant 0 took 2 us, 2.00x as long" in text


def test_what_runs_unlike_what_was_measured_is_said() -> None:
    """A plan is measured without its workload's tail, and with every symbol but its own at one size."""
    assert explained(None, plan(), "It runs.") == "It runs."
    several = replace(plan(), workload=dense(Any("m"), Any("n"), Any("k"), tail="gelu(y + bias[n])"))
    assert explained(None, several, "It runs.") == (
        "It runs. The plan goes by m alone; k, n stood at one size each wherever it was measured, which `tune --at` "
        "sets. The tail gelu(y + bias[n]) was left out wherever it was measured."
    )


@pytest.mark.parametrize(("text", "cpu", "said"), [
    ("quantised_dense(m=1, n=8, k=8)", "haswell", "four 8-bit integers at once: it is done in pairs"),
    ("quantised_conv2d(n=1, ci=4, h=4, w=4, co=8, kh=3, kw=3)", "haswell", "it is done in pairs"),
    ("quantised_dense(m=1, n=8, k=8, const=w, pairs=int16)", "haswell", "in pairs, which 16 bits hold as pairs=int16"),
    ("quantised_dense(m=1, n=8, k=8, const=w, pairs=int16)", "znver4", ""),
    ("quantised_conv2d(n=1, ci=4, h=4, w=4, co=8, kh=3, kw=3, layout=nhwc, const=w, pairs=int16)", "haswell",
     "in pairs, which 16 bits hold as pairs=int16"),
    ("grouped_dense(m=1, n=8, k=8)", "haswell", "it is done in pairs"),
    ("dense(m=1, n=8, k=8, dtype=bfloat16)", "haswell", "bfloat16: they are widened, and multiplied as float32"),
    ("quantised_dense(m=1, n=8, k=8)", "znver4", ""),
    ("grouped_dense(m=1, n=8, k=8)", "znver4", ""),
    ("dense(m=1, n=8, k=8, dtype=bfloat16)", "znver4", ""),
    ("conv2d(n=1, ci=4, h=4, w=4, co=8, kh=3, kw=3, dtype=bfloat16)", "haswell", "they are widened, and multiplied"),
    ("conv2d(n=1, ci=4, h=4, w=4, co=8, kh=3, kw=3, dtype=bfloat16)", "znver4", ""),
    ("dense(m=1, n=8, k=8, dtype=float16)", "haswell", ""),
    ("quantised_dense(m=1, n=8, k=8, x=float32, out=float32)", "haswell", ""),
])  # fmt: skip
def test_a_cpu_without_the_instruction_is_said(text: str, cpu: str, said: str) -> None:
    made = DispatchPlan(
        Workload.parse(text), Target.parse(f"llvm -mcpu={cpu}"), None, (), (Range(0, None, "blas"),), {}
    )
    found = explained(None, made, "It runs.")
    assert said in found
    assert bool(said) == ("This CPU has no instruction" in found)


def test_channels_that_do_not_see_each_other_are_said_to_be_no_pairs() -> None:
    text = "conv2d(n=1, ci=8, h=4, w=4, co=8, kh=3, kw=3, groups=8, layout=nhwc, dtype=bfloat16)"
    workload, target = Workload.parse(text), Target.parse("llvm -mcpu=znver4")
    found = [explained(None, single_plan(workload, target, t.name, t.default(workload, target)), "It runs.")
             for t in templates_for(workload, target)]  # fmt: skip
    assert found == ["It runs. Channels that do not see each other are no pairs of bfloat16: they are widened, and "
                     "multiplied as float32."]  # fmt: skip


def test_a_range_of_one_size_is_not_spelled_out() -> None:
    lone = replace(plan(), ranges=(Range(0, 0, 0), Range(1, 1, "blas"), Range(2, None, 0)))
    assert why(lone, 1).startswith("m=1 calls blas; it measured 1 us, where")


def test_merged_and_guarded_rests_are_told_apart() -> None:
    assert "3 full tiles of 14 and the guarded kernel for rests 1..6" in why(plan(), 45)
    assert "25 full tiles of 4 and a rest of 1 by bounds-checked code" in why(plan(), 101)
    assert "runs 2 full tiles of 8 and no rest" in why(plan(), 16)
    assert "m=3 = 8*0 + 3 runs the kernel for a rest of 3" in why(plan(), 3)


def test_what_was_not_measured_is_said() -> None:
    assert "is modelled from the sizes measured around it" in why(plan(), 20)
    unprofiled = plan(profile={"sizes": [8], "us": {"2": [3.0]}})
    assert "extrapolated, since nothing above 8 was measured" in why(unprofiled, 5000)
    assert "nothing was measured for it" in why(plan(profile=None), 40)
    assert "it took 9 us at m=17" in why(plan(profile=None), 5)


def test_an_empty_result_runs_nothing() -> None:
    assert why(plan(), 0) == "m=0: the result is empty, so nothing runs."


def test_a_sum_of_nothing_is_there_and_has_no_tiles() -> None:
    workload, target = dense(3, 4, Any("k")), Target.parse("llvm -mcpu=znver4 -threads=1")
    uniform = single_plan(workload, target, "dense.cpu", template("dense.cpu").default(workload, target))
    said = why(uniform, 0)
    assert said.startswith("k=0 runs variant 0 (")
    assert "tile" not in said.partition("(")[0]
    assert why(uniform).startswith(f"{workload} runs, at every k, ")
    measured = replace(uniform.ranges[0], seconds=5e-6, at=64)
    assert why(replace(uniform, ranges=(measured,))).endswith(" It took 5 us at k=64.")
    with pytest.raises(SpecError, match="give a value for k"):
        why(replace(uniform, ranges=(Range(0, 5, 0), Range(6, None, 0))))


@pytest.mark.parametrize("size", [-1, 2.5, True, None])
def test_sizes_that_are_none_are_refused(size: int) -> None:
    with pytest.raises(SpecError, match="m"):
        why(plan(), size)


def test_a_fixed_size_needs_no_number() -> None:
    fixed = DispatchPlan(
        dense(4, 8, 8),
        T,
        None,
        (Variant("t", Config.of(a=1), 1, ()),),
        (Range(0, None, 0, 2e-6, None, "the fastest"),),
        {},
    )
    assert why(fixed).endswith("runs a=1: the fastest. It took 2 us.")


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["sizes", "us", "0", "blas"]), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    st.integers(1, 10**6),
)
def test_notes_that_make_no_sense_break_nothing(notes: object, size: int) -> None:
    made = plan(profile=notes, regret={}, noise=0.0)
    assert why(made, size).startswith(f"m={size}")
    assert all(s.seconds for s in recorded(made).values())


def test_figures_survive_storage() -> None:
    stored = DispatchPlan.from_json(plan().to_json())
    assert [why(stored, m) for m in (1, 17, 45, 5000)] == [why(plan(), m) for m in (1, 17, 45, 5000)]
    assert json.loads(stored.to_json())["notes"]["profile"] == US


def test_a_plan_of_a_disturbed_machine_says_so() -> None:
    assert disturbed(plan()) == ""
    note = {"share": 0.25, "slow": {"arithmetic": 1.0, "cache": 1.62, "memory": 334.0}}
    said = disturbed(plan(**{MACHINE: note}))
    assert "25.0% were taken on a disturbed machine (memory took up to 330x as long, cache took up to 1.6x" in said
    assert said in explained(None, plan(**{MACHINE: note}), why(plan(), 17))


@pytest.mark.parametrize(
    "note", [None, 3, {}, {"share": "all"}, {"share": 0.5, "slow": [2]}, {"share": -1, "slow": {}}]
)
def test_a_note_on_the_machine_that_makes_no_sense_says_nothing(note: object) -> None:
    assert disturbed(plan(**{MACHINE: note})) == ""
