"""The part of the prelude that a kernel is compiled with, against all of it."""

from __future__ import annotations

import re

import pytest

from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.needed import with_needed
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.codegen.cuda.prelude import PRELUDE_DEVICE
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any

FUNCTIONS = sorted(set(re.findall(r"^(?:AT_DEVICE|AT_OPERATION) .*?\b(at_\w+)\(", PRELUDE_DEVICE, re.M)))


def test_what_a_function_calls_comes_along() -> None:
    text = with_needed(PRELUDE_DEVICE + "at_ldmatrix_x4(a, x)")
    assert "at_shared_address(const void* p) {" in text
    assert "at_mma" not in text
    assert len(text) < len(PRELUDE_DEVICE) / 2


def test_a_text_without_the_prelude_stays() -> None:
    assert with_needed("at_gelu(x)") == "at_gelu(x)"


def test_every_function_can_be_had_alone() -> None:
    for name in FUNCTIONS:
        text = with_needed(f"{PRELUDE_DEVICE}{name}(")
        assert re.search(rf"\b{name}\(", text.removesuffix(f"{name}(")), name
        assert text.count("{") == text.count("}"), name
        assert text.count("#if") == text.count("#endif"), name


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["simt", "mma"])
def test_the_code_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    t, target = template(f"dense.cuda.{name}"), Target.parse("cuda -arch=sm_80")
    workload = dense(Any("m"), 64, 64, "float16" if name == "mma" else "float32", tail="gelu(y)")
    text = build(workload, t.default(workload, target), target, t).full
    lean = compile_cubin(text, "sm_80")
    monkeypatch.setattr("anytile.codegen.cuda.nvrtc.with_needed", lambda text: text)
    assert compile_cubin(text, "sm_80").data == lean.data
