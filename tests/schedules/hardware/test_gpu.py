"""The table of architectures, and targets that are refused."""

from __future__ import annotations

import pytest

from anytile.core.errors import SpecError
from anytile.schedules.hardware.gpu import fuller_variant, gpu_facts
from anytile.schedules.hardware.target import Target


@pytest.mark.parametrize(
    "arch", ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_100f", "sm_120"]
)
def test_every_architecture_has_limits(arch: str) -> None:
    gpu = gpu_facts(Target.parse(f"cuda -arch={arch}"))
    assert gpu.arch == arch
    assert 48 << 10 <= gpu.shared_per_block <= gpu.shared
    assert gpu.threads % gpu.warp == 0
    assert gpu.async_copies == (gpu.compute >= 80)


def test_a_target_may_say_what_its_device_has() -> None:
    gpu = gpu_facts(Target.parse("cuda -arch=sm_90a -sm=114 -smem=100000"))
    assert (gpu.multiprocessors, gpu.shared_per_block) == (114, 100000)
    assert gpu_facts(Target.parse("cuda -arch=sm_90a")).multiprocessors == 132


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("cuda -arch=sm_70", "-arch=sm_70 is not known; expected one of sm_75, .*sm_90, sm_90a, "),
        ("cuda -arch=hopper", "-arch=hopper is not known"),
        ("cuda -arch=sm_80a", "sm_80 has no variant 'a'; use sm_80"),
        ("cuda -arch=sm_90f", "sm_90 has no variant 'f'"),
        ("cuda -arch=sm_86 -smem=200000", "a block of sm_86 has at most 101376 bytes"),
        ("llvm -mcpu=haswell", "a GPU target was expected"),
    ],
)
def test_what_is_no_gpu(target: str, reason: str) -> None:
    with pytest.raises(SpecError, match=reason):
        gpu_facts(Target.parse(target))


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("cuda -arch=sm_90 -sm=114", "cuda -arch=sm_90a -sm=114"),
        ("cuda -arch=sm_120", "cuda -arch=sm_120a"),
        ("cuda -arch=sm_90a", None),
        ("cuda -arch=sm_100f", None),
        ("cuda -arch=sm_89", None),
    ],
)
def test_an_architecture_without_its_variant_has_a_fuller_one(target: str, expected: str | None) -> None:
    assert fuller_variant(Target.parse(target)) == (None if expected is None else Target.parse(expected))
