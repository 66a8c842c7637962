"""Estimates of untuned configs: what they say of good and bad ones, and that a choice is one that can run."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from anytile.core.errors import UnsupportedError
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.gpu_estimate import Tiling, clocks
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.cuda.untuned import Estimated, estimated, estimates, quickest
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

HOPPER = Target.parse("cuda -arch=sm_90a")
GPU = gpu_facts(HOPPER)
TILE = Tiling(rows=64, columns=64, granule=32, step=32, ahead=2, split=1, threads=128, registers=64, shared=32 << 10,
              atoms=512.0)  # fmt: skip
FULL = (4096, 4096, 1024)
FEW = (64, 768, 768)


def of(name: str) -> Estimated:
    found = template(f"dense.cuda.{name}")
    assert estimated(found)
    return found


@pytest.mark.parametrize(
    ("sizes", "worse", "better"),
    [
        (FULL, TILE, replace(TILE, atoms=1024.0)),
        (
            FULL,
            replace(TILE, rows=32, columns=32, granule=16),
            replace(TILE, rows=128),
        ),  # reads each operand more often
        (FEW, TILE, replace(TILE, split=6)),  # 12 tiles for 132 multiprocessors
        (FULL, replace(TILE, split=8), TILE),  # where tiles abound, sharing one costs
        (FEW, replace(TILE, ahead=1), replace(TILE, ahead=3)),
        (FULL, replace(TILE, shared=200 << 10), TILE),  # one block where four could hide each other's waiting
        ((8, 12288, 768), replace(TILE, atoms=64.0), replace(TILE, rows=8, granule=8, atoms=64.0)),
    ],
)
def test_what_is_better_is_estimated_so(sizes: tuple[int, int, int], worse: Tiling, better: Tiling) -> None:
    assert clocks(GPU, sizes, (2, 2), better) < 0.97 * clocks(GPU, sizes, (2, 2), worse)


def test_what_does_not_fit_never_ends() -> None:
    assert clocks(GPU, FULL, (2, 2), replace(TILE, registers=255, threads=512)) == inf
    assert clocks(GPU, FULL, (2, 2), replace(TILE, shared=GPU.shared)) == inf


def test_more_takes_longer() -> None:
    for name, dtype in (("simt", "float32"), ("mma", "bfloat16")):
        workload = dense(Any("m"), 768, 768, dtype)
        times = [min(estimates(of(name), workload, HOPPER, m).values()) for m in (64, 128, 512, 4096)]
        assert times == sorted(times)
        assert times[-1] > 6 * times[0]


@pytest.mark.parametrize(("name", "dtype"), [("narrow", "float32"), ("narrow", "float16"), ("mma", "bfloat16")])
@pytest.mark.parametrize("n", [768, 3072])
def test_a_default_leaves_no_multiprocessor_idle(name: str, dtype: str, n: int) -> None:
    """At sizes with as much work as that: few rows, or few tiles, are shared along k."""
    t = of(name)
    for m in (1, 8) if name == "narrow" else (32, 64, 128):
        workload = dense(m, n, 768, dtype)
        config = quickest(t, workload, HOPPER)
        assert config == t.default(workload, HOPPER)
        tiling = t.tiling(workload, HOPPER, config)
        blocks = -(-m // tiling.rows) * -(-n // tiling.columns) * tiling.split
        warps = blocks * tiling.threads // 32
        assert blocks >= 0.7 * GPU.multiprocessors, f"{m}: {config}"
        assert warps >= 2 * GPU.multiprocessors, f"{m}: {config}"


def test_beyond_its_rows_a_template_is_no_choice() -> None:
    workload = dense(Any("m"), 768, 768)
    assert estimates(of("narrow"), workload, HOPPER, 16)
    assert not estimates(of("narrow"), workload, HOPPER, 17)


def test_an_architecture_that_lacks_what_it_takes() -> None:
    with pytest.raises(UnsupportedError, match=r"no config of dense.cuda.mma fits this target: .* need sm_80$"):
        of("mma").default(dense(Any("m"), 768, 768, "bfloat16"), Target.parse("cuda -arch=sm_75"))
    with pytest.raises(UnsupportedError, match=r"no config of dense.cuda.simt .* the shared memory of a block$"):
        of("simt").default(dense(Any("m"), 768, 768), Target.parse("cuda -arch=sm_90a -smem=1000"))


def test_spaces_have_what_large_and_small_products_want() -> None:
    def allowed(name: str, dtype: str, **knobs: int) -> bool:
        space = template(f"dense.cuda.{name}").space(dense(Any("m"), 768, 768, dtype), HOPPER)
        return any(all(c[k] == v for k, v in knobs.items()) for c in space)

    assert allowed("simt", "float32", tile_m=8, tile_n=4)
    assert allowed("mma", "bfloat16", tile_m=4, tile_n=2, split_k=6)  # 64 by 32 of a warp
    assert allowed("narrow", "float32", tile_n=2, warps_k=6)
    assert allowed("narrow", "float16", tile_n=4, warps_k=3)
