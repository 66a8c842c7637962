"""NVRTC from its wheel: cubins without a GPU, facts, spills within bounds, and errors of one line."""

from __future__ import annotations

import ctypes
import random
import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from anytile.codegen.cuda import nvrtc
from anytile.codegen.cuda.build import build
from anytile.codegen.cuda.nvrtc import Cubin, architectures, compile_cubin, driver_major, ordered, version
from anytile.core.errors import CodegenError, UnsupportedError
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.quick_nvrtc import quick_compiler

EMPTY = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = 1.0f; }'
SPILLED = 64  # bytes that a config of the search may spill: none has been seen to
DTYPES = {"simt": "float32", "narrow": "float32", "mma": "bfloat16"}
SAMPLES = [(*pair, arch) for pair in (*DTYPES.items(), ("narrow", "float16")) for arch in ("sm_80", "sm_90a")]
SAMPLES += [("wgmma", "float16", "sm_90a"), ("relay", "bfloat16", "sm_90a")]


def test_a_kernel_becomes_an_elf_file_with_facts() -> None:
    cubin = compile_cubin(EMPTY, "sm_90a")
    assert cubin.data[:4] == b"\x7fELF"
    assert cubin.facts["registers"] > 0
    assert cubin.facts["spills"] == 0
    assert compile_cubin(EMPTY, "sm_90a").data == cubin.data


def test_what_it_is() -> None:
    assert tuple(int(n) for n in version().split(".")) >= (12, 0)
    assert {"sm_80", "sm_90"} <= set(architectures())


@pytest.mark.parametrize("compiled", [compile_cubin, quick_compiler().compile], ids=["well", "quickly"])
def test_errors_are_one_line(compiled: Callable[[str, str], Cubin]) -> None:
    with pytest.raises(UnsupportedError, match=r"knows no -arch=sm_12; expected one of sm_75, .*") as unknown:
        compiled(EMPTY, "sm_12")
    with pytest.raises(CodegenError, match=r"refuses the code for sm_80: .*error.*nothing") as wrong:
        compiled(EMPTY + " __device__ int g() { return nothing; }", "sm_80")
    assert "\n" not in str(unknown.value) + str(wrong.value)


def test_what_is_made_quickly_is_remembered_apart() -> None:
    assert quick_compiler().compile(EMPTY, "sm_80").data[:4] == b"\x7fELF"
    assert quick_compiler().version() != version()


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "_places", lambda: ["libnvrtc-nowhere.so"])
    nvrtc._library.cache_clear()
    try:
        with pytest.raises(UnsupportedError, match=r"NVRTC is not installed.*anytile\[cuda13\]"):
            compile_cubin(EMPTY, "sm_80")
    finally:
        nvrtc._library.cache_clear()


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        (None, ["/a/libnvrtc.so.14", "/b/libnvrtc.so.13", "/c/libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.12"]),
        (13, ["/b/libnvrtc.so.13", "/c/libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so.12", "/a/libnvrtc.so.14"]),
        (12, ["/c/libnvrtc.so.12", "libnvrtc.so.12", "/a/libnvrtc.so.14", "/b/libnvrtc.so.13", "libnvrtc.so.13"]),
    ],
)
def test_the_newest_whose_code_the_driver_takes(driver: int | None, expected: list[str]) -> None:
    libraries = sorted(expected)
    assert ordered(libraries, driver) == expected
    assert ordered(libraries[::-1], driver) == expected


def test_the_driver_is_asked_for_its_version_alone() -> None:
    def answering(status: int, version: int) -> Callable[[str], object]:
        def get(found: object) -> int:
            ctypes.cast(found, ctypes.POINTER(ctypes.c_int))[0] = version  # type: ignore[arg-type]
            return status

        return lambda name: SimpleNamespace(cuDriverGetVersion=get)

    def absent(name: str) -> object:
        raise OSError(name)

    assert driver_major(answering(0, 12080)) == 12
    assert driver_major(answering(0, 13000)) == 13
    assert driver_major(answering(34, 0)) is None  # the stub of a toolkit
    assert driver_major(absent) is None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dtype", "arch"), SAMPLES)
def test_a_sample_of_configs_compiles_without_spills(name: str, dtype: str, arch: str) -> None:
    check_sample(f"dense.cuda.{name}", dense(Any("m"), 768, 768, dtype, tail="gelu(y + bias[n])"), arch)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(("name", "dtype"), [("simt", "float32"), ("narrow", "float32"), ("skinny", "float16")])
def test_layers_side_by_side_compile_without_spills(name: str, dtype: str, arch: str) -> None:
    text = f"batch_matmul(b=3, m=?m, n=768, k=768, lhs=mk, rhs=bnk, dtype={dtype}, tail=gelu(y + bias[b, n]))"
    check_sample(f"batch_matmul.cuda.{name}", Workload.parse(text), arch)
    if dtype == "float32":
        lying = text.replace("tail=", "stored=rhs:bfloat16, tail=")
        check_sample(f"batch_matmul.cuda.{name}", Workload.parse(lying), arch)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_80", "sm_89", "sm_90a"])
@pytest.mark.parametrize("m", ["1", "?m"])
@pytest.mark.parametrize("size", [64, 128])
def test_caches_in_16_bits_beside_queries_of_float32_compile_without_spills(size: int, m: str, arch: str) -> None:
    sizes = f"b=1, h=8, m={m}, n=?n, d={size}, e={size}, scale=0.125, shared=2"
    for lies in ("k:bfloat16+v:bfloat16", "k:float16+q:float16+v:float16"):
        check_sample("attention.cuda", Workload.parse(f"attention({sizes}, stored={lies})"), arch)
    sizes = f"b=8, m={m}, n=?n, k={size}, rhs=bnk"
    check_sample("batch_matmul.cuda.simt", Workload.parse(f"batch_matmul({sizes}, stored=rhs:bfloat16)"), arch)


def check_sample(name: str, workload: Workload, arch: str) -> None:
    """The default, and one of the others."""
    t, target = template(name), Target.parse(f"cuda -arch={arch}")
    space = t.space(workload, target)
    for config in [t.default(workload, target), *space.sample(random.Random(arch), 1)]:
        facts = compile_cubin(build(workload, config, target, t).full, arch).facts
        assert facts["spills"] <= SPILLED, f"{config} spills {facts['spills']} bytes"
        assert not facts["in_memory"], f"{config} has arrays of {facts['in_memory']} bytes in memory"
        assert not facts["serialised"], f"{config} has products of groups that wait for each other"


@pytest.mark.slow
@pytest.mark.parametrize(("behind", "stores"), [(0, 0), (1, 0), (1, 1)])
def test_registers_move_to_whoever_multiplies(behind: int, stores: int) -> None:
    """Sums of 128 registers and a tail that wants as many as there are: all in registers, and products in line."""
    t, target = template("dense.cuda.relay"), Target.parse("cuda -arch=sm_90a")
    workload = dense(Any("m"), 8192, 8192, "bfloat16", tail="gelu(y + bias[n])")
    config = t.default(workload, target).with_(
        groups=2, columns=256, stages=4, group_m=16, behind=behind, stores=stores
    )
    source = build(workload, config, target, t)
    assert "at_fewer_registers<40>();" in source.text
    assert "at_more_registers<232>();" in source.text
    facts = compile_cubin(source.full, "sm_90a").facts
    assert [facts[f] for f in ("registers", "stack", "spills", "serialised")] == [168, 0, 0, 0]
    small = build(workload, config.with_(columns=128), target, t)
    assert "_registers<" not in small.text


WAITS = "griddepcontrol.wait"
TOUCHES = re.compile(r"\b(ld|st|red|atom|cp|prefetch)\.[\w.:]*(global|async|bulk)")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        "dense(m=?m, n=768, k=768, tail=gelu(y + bias[n]))",
        "dense(m=?m, n=768, k=768, dtype=bfloat16)",
        "attention(b=1, h=12, m=?m, n=?n, d=64, e=64, scale=0.125, dtype=bfloat16)",
        "layer_norm(rows=?m, n=768)",
        "elementwise(d0=?m, d1=3072, rank=2, f=gelu(x[d0, d1] + c[d1]))",
    ],
)
def test_nothing_is_touched_before_a_kernel_has_waited(text: str) -> None:
    """What no thread writes may be read ahead by a compiler: not over the wait for the kernels that wrote it."""
    workload, target = Workload.parse(text), Target.parse("cuda -arch=sm_90a")
    for t in templates_for(workload, target):
        before, found, after = ptx(build(workload, t.default(workload, target), target, t).full).partition(WAITS)
        assert found, t.name
        assert WAITS not in after, t.name
        assert not TOUCHES.search(before), f"{t.name}: {TOUCHES.search(before)}"
        assert TOUCHES.search(after), t.name


def ptx(text: str) -> str:
    library, program, size = nvrtc._library(), ctypes.c_void_p(), ctypes.c_size_t()
    assert not library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    words = (b"--gpu-architecture=compute_90a", b"--std=c++17")
    assert not library.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    found = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, found)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return found.value.decode()


TIGHT = "block_k=8,lanes=4x8,stages=4,tile_c=8,tile_h=2,tile_w=4,warps_c=2,warps_h=4"


@pytest.mark.slow
def test_what_spills_for_the_sake_of_one_more_block_is_compiled_for_fewer() -> None:
    t, target = template("conv2d.cuda.simt"), Target.parse("cuda -arch=sm_80")
    text = build(
        Workload.parse("conv2d(n=?m, ci=64, h=56, w=56, co=64, kh=3, kw=3, pad=1, layout=nhwc)"),
        Config.parse(TIGHT), target, t,
    ).full  # fmt: skip
    alone = nvrtc._compiled(text, "sm_80", ()).facts
    if not alone["stack"]:
        pytest.skip(f"NVRTC {version()} spills nothing here")
    found = compile_cubin(text, "sm_80").facts
    assert (found["stack"], found["spills"]) == (0, 0)
    assert found["registers"] > alone["registers"]


@pytest.mark.slow
@pytest.mark.parametrize("dims", ["mnk", "nk"])
def test_symbolic_dimensions_compile_too(dims: str) -> None:
    target = Target.parse("cuda -arch=sm_75")
    sizes = {name: Any(name) if name in dims else 35 for name in "mnk"}
    for name in ("simt", "narrow"):
        t, workload = template(f"dense.cuda.{name}"), dense(sizes["m"], sizes["n"], sizes["k"])
        compile_cubin(build(workload, t.default(workload, target), target, t).full, "sm_75")
