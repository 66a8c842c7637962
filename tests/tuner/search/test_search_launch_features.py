"""What the model is told of a GPU kernel's launch, against counting by hand and what ptxas says of the built kernel."""

from __future__ import annotations

import math
import random

import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.schedules.hardware.gpu import gpu_facts
from anytile.schedules.hardware.target import Target
from anytile.schedules.index.expr import const, var
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any
from anytile.tuner.search.features import features_of
from anytile.tuner.search.launch_features import NAMES, launch_features

HOPPER = Target.parse("cuda -arch=sm_90a -sm=10")
DTYPES = {"dense.cuda.simt": "float32", "dense.cuda.mma": "bfloat16", "dense.cuda.narrow": "float32"}


def test_a_launch_counted_by_hand() -> None:
    """Of 100 KiB two blocks fit each of ten multiprocessors: 20 at once, and 50 are two waves and a half."""
    launch = Launch("f", (var("m"), const(5), const(1)), (128, 1, 1), workspace=var("m") * 100)
    row = dict(zip(NAMES, launch_features(launch, 100 << 10, {"m": 10}, gpu_facts(HOPPER), 64_000), strict=False))
    assert row["blocks"] == pytest.approx(math.log2(51))
    assert (row["threads"], row["shared"], row["blocks_by_shared"]) == (128.0, 102400.0, 2.0)
    assert (row["waves"], row["last_wave"]) == (2.5, 0.5)
    assert row["workspace"] == pytest.approx(math.log2(1001))
    assert row["work_per_thread"] == pytest.approx(math.log2(11))  # 64,000 in 50 blocks of 128


@pytest.mark.slow
@pytest.mark.parametrize("name", DTYPES)
def test_shared_memory_is_what_ptxas_finds(name: str) -> None:
    """Be it declared in the text or brought by the launch, which it is from 48 KiB on."""
    t, workload = template(name), dense(Any("m"), 768, 768, DTYPES[name])
    features = features_of(t, workload, HOPPER, {"m": 64})
    for config in t.space(workload, HOPPER).sample(random.Random(1), 2):
        source = build(workload, config, HOPPER, t)
        brought = source.launches[0].shared
        declared = int(compile_cubin(source.full, "sm_90a").facts["static_shared"])
        row = dict(zip(NAMES, features(config), strict=True))
        assert row["shared"] == source.shared >= declared + brought > 0
        assert source.shared - declared - brought < 128  # what a GPU's linker does not round up
        assert row["tile"] == t.tile(config)
