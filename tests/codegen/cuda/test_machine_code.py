"""What ptxas makes of kernels: where an instruction too many, or in another place, is what a GPU's time goes into."""

from __future__ import annotations

import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.core.errors import SpecError
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Value
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.workload import Workload
from tests.support.gpu_check.kernels import KERNELS, GpuKernel
from tests.support.sass import constant_loads, instructions


def code(name: str, workload: str, arch: str = "sm_90a", **knobs: Value) -> bytes:
    """A kernel with the template's default and these knobs."""
    t, target, parsed = template(name), Target.parse(f"cuda -arch={arch}"), Workload.parse(workload)
    config = t.default(parsed, target).with_(**knobs)
    t.space(parsed, target).check(config)
    return compile_cubin(build(parsed, config, target, t).full, arch).data


def made(name: str, workload: str, arch: str = "sm_90a", **knobs: Value) -> list[str]:
    """Its instructions."""
    return instructions(code(name, workload, arch, **knobs))


def test_instructions_are_read() -> None:
    text = 'extern "C" __global__ void f(float* x) { __threadfence(); x[0] += x[1]; }'
    found = instructions(compile_cubin(text, "sm_80").data)
    assert [found.count(name) for name in ("LDG", "MEMBAR", "HMMA")] == [2, 1, 0]
    assert found.index("MEMBAR") < found.index("LDG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "m", "first", "arch"),
    [
        ("skinny", 16, "HMMA", "sm_80"),
        ("skinny", 16, "HMMA", "sm_90a"),
        ("skinny", 32, "HMMA", "sm_90a"),
        ("narrow", 1, "FFMA", "sm_90a"),
    ],
)
def test_all_that_a_round_reads_is_under_way_before_any_is_used(name: str, m: int, first: str, arch: str) -> None:
    """Registers are counted for that, and ptxas would use few of them for one load after the other."""
    found = made(f"dense.cuda.{name}", f"dense(m={m}, n=4096, k=4096, dtype=bfloat16)", arch)
    assert found.count("LDG") >= 8
    assert "LDG" not in found[found.index(first) :]


@pytest.mark.slow
def test_who_hands_a_stage_to_another_block_waits_for_no_memory() -> None:
    """The barriers of the cluster, before and behind all, are two fences each; the rounds between have none."""
    found = made("dense.cuda.relay", "dense(m=?m, n=512, k=512, dtype=bfloat16)", cluster=2)
    at = [i for i, name in enumerate(found) if name == "MEMBAR"]
    first, last = found.index("HGMMA"), len(found) - found[::-1].index("HGMMA")
    assert len(at) == 4
    assert not any(first <= i <= last + 20 for i in at)


@pytest.mark.parametrize(("arch", "rounding"), [("sm_80", "FSETP"), ("sm_90a", "F2FP")])
def test_what_is_rounded_to_tf32_is_rounded_by_what_knows_nan(arch: str, rounding: str) -> None:
    text = 'extern "C" __global__ void f(float* x) { x[1] = __uint_as_float(at_tf32_rest(x[0])); }'
    found = instructions(compile_cubin(PRELUDE_DEVICE + text, arch).data)
    assert (found.count(rounding), found.count("FADD")) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("name", ["simt", "mma"])
def test_clusters_are_compiled_for_what_has_them(name: str, arch: str) -> None:
    dtype = "bfloat16" if name == "mma" else "float32"
    knobs = {"split_k": 4, "tile_m": 2, "tile_n": 4, "warps_m": 1, "warps_n": 2}
    text = f"dense(m=?m, n=768, k=768, dtype={dtype})"
    assert "MEMBAR" in made(f"dense.cuda.{name}", text, arch, **knobs, meeting="cluster")
    with pytest.raises(SpecError, match="has no knob .meeting."):
        made(f"dense.cuda.{name}", text, "sm_89", **knobs, meeting="cluster")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("simt", 480), ("mma", 830)])
def test_blocks_of_a_cluster_read_nothing_of_memory_where_they_meet(name: str, most: int) -> None:
    """A kernel has two bodies, for whole tiles and for the last one: each hands over at one barrier."""
    dtype = "bfloat16" if name == "mma" else "float32"
    knobs = {"split_k": 4, "tile_m": 1, "tile_n": 4, "warps_m": 1, "warps_n": 2}
    found = {
        where: made(f"dense.cuda.{name}", f"dense(m=?m, n=768, k=768, dtype={dtype})", **knobs, meeting=where)
        for where in ("cluster", "memory")
    }
    assert [found["cluster"].count(name) for name in ("MEMBAR", "LDG")] == [2, 0]
    assert found["memory"].count("LDG") > 0
    assert len(found["cluster"]) < min(most, 1.02 * len(found["memory"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dtype", "knobs", "most"),
    [
        ("wgmma", "bfloat16", {}, 475),
        ("simt", "float32", {"split_k": 4, "tile_m": 1, "tile_n": 4, "warps_m": 1, "warps_n": 2}, 530),
        ("mma", "bfloat16", {"split_k": 4, "tile_m": 1, "tile_n": 4, "warps_m": 1, "warps_n": 2}, 900),
    ],
)
def test_unrolled_rounds_share_an_address(name: str, dtype: str, knobs: dict[str, int], most: int) -> None:
    """What each adds to it is part of an instruction: computed apart they would be a fifth of a kernel."""
    assert len(made(f"dense.cuda.{name}", f"dense(m=?m, n=768, k=768, dtype={dtype})", **knobs)) < most


@pytest.mark.slow
def test_boxes_are_filled_without_a_branch_for_each_pair_of_sums() -> None:
    knobs = {"columns": 256, "stages": 3, "stores": 1, "group_m": 16, "cluster": 2}
    found = made("dense.cuda.relay", "dense(m=?m, n=8192, k=8192, dtype=bfloat16)", **knobs)
    assert found.count("STS") == 64
    assert found.count("BSSY") < 10


@pytest.mark.slow
def test_the_softmax_of_a_tile_is_straight_and_compares_nothing_twice() -> None:
    heads = "attention(b=1, h=12, m=1024, n=1024, d=64, e=64, scale=0.125, mask=n, dtype=bfloat16)"
    found = made("attention.cuda", heads)
    rounds = found[found.index("HMMA") : len(found) - found[::-1].index("HMMA")]
    assert rounds.count("BSSY") <= 1
    assert rounds.count("FSETP") == 0
    assert rounds.count("STS") <= 32  # two scores, or four weights, at once
    assert rounds.count("FFMA") <= 48  # a power of 2 is an instruction, one of e eight
    assert rounds.count("SHFL") <= 16  # four rows at once
    assert len(rounds) < 520


ASKING = {
    "dense.cuda.skinny": "dense(m=8, n=3072, k=768, dtype=bfloat16)",
    "dense.cuda.narrow": "dense(m=?m, n=3072, k=768)",
    "dense.cuda.mma": "dense(m=?m, n=3072, k=768, dtype=float16)",
    "grouped_dense.cuda.narrow": "grouped_dense(m=1, n=3072, k=768, zeros=yes)",
}


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_90", "sm_100", "sm_121"])
@pytest.mark.parametrize("name", ASKING)
def test_what_is_asked_for_ahead_is_before_the_wait_and_nothing_is_read_there(name: str, arch: str) -> None:
    plain, asking = (made(name, ASKING[name], arch, ahead=ahead) for ahead in (0, 1))
    wait = asking.index("ACQBULK")
    asked = asking[:wait].count("CCTL")
    assert asked == asking.count("CCTL") - plain.count("CCTL") > 0
    assert not {"LDG", "LDGSTS", "PREEXIT"} & set(asking[:wait])
    assert len(asking) < 1.15 * len(plain)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_no_kernel_touches_memory_before_its_wait(kernel: GpuKernel) -> None:
    """Nor by loads that no wait orders: tensors are `const` and `__restrict__`, which a compiler may take for what
    nobody writes meanwhile; in a kernel that is launched early somebody does."""
    cubin = code(kernel.template, kernel.workload, **dict(kernel.changes))
    found = instructions(cubin)
    assert constant_loads(cubin) == 0
    wait = found.index("ACQBULK")
    assert found.count("ACQBULK") == 1
    assert not {"LD", "LDG", "LDGSTS", "ST", "STG", "ATOMG", "REDG", "UTMALDG", "UTMASTG"} & set(found[:wait])
    assert {"LDG", "LDGSTS", "UTMALDG"} & set(found[wait:]) or kernel.template == "one_hot.cuda"


@pytest.mark.parametrize("name", ["softmax.cuda", "transpose.cuda"])
def test_where_no_kernel_begins_early_tensors_are_read_as_constants(name: str) -> None:
    kernel = next(kernel for kernel in KERNELS if kernel.name == name)
    loads = {
        arch: constant_loads(code(kernel.template, kernel.workload, arch)) for arch in ("sm_80", "sm_90", "sm_120")
    }
    assert loads.pop("sm_80") > 0
    assert set(loads.values()) == {0}


@pytest.mark.slow
def test_boxes_are_asked_for_ahead_too() -> None:
    found = made("dense.cuda.relay", "dense(m=?m, n=3072, k=768, dtype=bfloat16)", ahead=1, stages=4)
    wait = found.index("ACQBULK")
    assert found[:wait].count("UTMAPF") == found.count("UTMAPF") == 4
    assert "UTMALDG" not in found[:wait]
