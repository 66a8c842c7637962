"""What a request tells its caller beside what it was asked for."""

from __future__ import annotations

import pytest

from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Dim
from anytile.tuner.requests.make_request import make_request

NAME_IT = "name -arch=sm_90a to search them, too"


@pytest.mark.parametrize(
    ("target", "dtype", "expected"),
    [
        (
            "cuda -arch=sm_90",
            "bfloat16",
            [f"dense.cuda.relay, dense.cuda.wgmma have no config for cuda -arch=sm_90; {NAME_IT}"],
        ),
        ("cuda -arch=sm_90a", "bfloat16", []),
        ("cuda -arch=sm_90", "float32", []),
        ("cuda -arch=sm_80", "bfloat16", []),
        ("cuda -arch=sm_100", "bfloat16", []),  # its variant has them as little
    ],
)
def test_templates_of_an_architecture_s_variant_alone_are_named(target: str, dtype: str, expected: list[str]) -> None:
    said: list[str] = []
    shapes = [dense(Dim("m"), n, 768, dtype=dtype) for n in (768, 3072)]
    make_request(Target.parse(target), {"workloads": tuple(shapes)}, said.append, search="random", trials=1)
    assert said == expected
