"""CUDA plans as code: bytes that say everything, kernels for what sizes need, classes of rests that measure alike."""

from __future__ import annotations

import json
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.codegen.cache import CodeCache
from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import Cubin
from anytile.core.errors import SpecError, UnsupportedError
from anytile.dispatch.backends import CudaBackend, backend_of
from anytile.dispatch.cpu.build import compile_plan as compile_for_cpu
from anytile.dispatch.cuda.build import Compiler, compile_plan, source
from anytile.dispatch.cuda.code import CudaCode, Kernel, Placed
from anytile.dispatch.cuda.loaded import Loaded
from anytile.dispatch.plans.code_budget import ALIKE, CudaFitting, alike
from anytile.dispatch.plans.matrix import Row
from anytile.dispatch.plans.profile import Series
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, default_classes, residue_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.handwritten_cuda import TARGET, artifact, no_compiler, plan
from tests.support.generators.random_expressions import NAMES, Twin, twins
from tests.support.stand_ins.simulated_gpu import SimulatedGpu

BIG = dense(Any("m"), 96, 64)


def default(classes: int | None = None) -> DispatchPlan:
    template = next(t for t in templates_for(BIG, TARGET) if t.name == "dense.cuda.simt")
    return single_plan(BIG, TARGET, template.name, template.default(BIG, TARGET), classes)


def test_code_comes_back_from_its_bytes() -> None:
    code = CudaCode.of(artifact("counting").code)
    assert CudaCode.of(code.to_bytes()) == code
    (placed,) = code.kernels
    assert placed.kernel.launch.blocks({"m": 9}) == (3, 1, 1)
    assert placed.kernel.launch.block == (4, 1, 1)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(
    "text",
    [
        "dense(m=12, n=?n, k=64)",
        "dense(m=12, n=64, k=?k, dtype=bfloat16)",
        "batch_matmul(b=?b, m=5, n=64, k=64)",
        "batch_matmul(b=?b, m=1, n=1, k=?k)",
        "batch_matmul(b=?b, m=64, n=64, k=64, dtype=float16)",
    ],
)
def test_plans_whose_rows_are_known_range_over_another_symbol(text: str, arch: str) -> None:
    """No template knows residues of that symbol: one kernel serves all its sizes."""
    workload, target = Workload.parse(text), Target.parse(f"cuda -arch={arch}")
    for template in templates_for(workload, target):
        plan = single_plan(workload, target, template.name, template.default(workload, target))
        assert plan.symbol in workload.symbols
        code = CudaCode.of(compile_plan(plan, compiler=no_compiler()).code)
        assert len(code.kernels) == 1
        assert source(plan)


@pytest.mark.slow
@given(st.lists(twins, min_size=5, max_size=5))
def test_every_expression_of_a_launch_comes_back(several: list[Twin]) -> None:
    x, y, z, workspace, meetings = (t.expr for t in several)
    launch = Launch("k", (x, y, z), (1, 2, 3), 4, workspace, (x, workspace), meetings)
    code = CudaCode(plan(), (Placed(Kernel("text", b"cubin", "sm_80", launch), 0, None),))
    (placed,) = CudaCode.of(code.to_bytes()).kernels
    assert placed.kernel.launch == launch
    env = dict.fromkeys(NAMES, 3)
    assert placed.kernel.launch.workspace.evaluate(env) == several[3].value(env)


def test_bytes_that_are_something_else_are_refused() -> None:
    good = artifact().code
    (length,) = struct.unpack_from("<I", good)
    header = json.loads(good[4 : 4 + length])
    kernel = header["kernels"][0]
    wrong = [b"", good[:3], good[:50], good[:-1], good + b"x", struct.pack("<I", 2**31) + good[4:]]
    for change in (
        {"format": 9},
        {"plan": "{}"},
        {"kernels": [{**kernel, "launch": {**kernel["launch"], "grid": [[1]]}}]},
        {"kernels": [{**kernel, "launch": {**kernel["launch"], "workspace": [[1, ["pow", "m", 2]]]}}]},
        {"kernels": [{**kernel, "bytes": -1}]},
    ):
        text = json.dumps({**header, **change}).encode()
        wrong.append(struct.pack("<I", len(text)) + text + good[4 + length :])
    for data in wrong:
        with pytest.raises((ValueError, SpecError)) as error:
            CudaCode.of(data)
        assert "\n" not in str(error.value)


def test_only_the_kernels_that_sizes_need_are_compiled() -> None:
    made = default()
    tile = made.variants[0].tile
    assert made.variants[0].classes == default_classes("cuda", tile)
    everything = CudaCode.of(compile_plan(made, compiler=no_compiler()).code)
    assert [p.residues for p in everything.kernels] == list(made.variants[0].classes)
    few = CudaCode.of(compile_plan(made, sizes=(tile, 2 * tile, tile + 1), compiler=no_compiler()).code)
    assert [p.residues for p in few.kernels] == list(made.variants[0].classes[:2])
    for m in range(3 * tile):
        placed = everything.at(m)
        assert isinstance(placed, Placed)
        low, high = placed.residues or (0, tile)
        assert low <= m % tile <= high
    with pytest.raises(SpecError, match=f"no kernel was built for m={tile - 1}; build the whole plan"):
        few.at(tile - 1)
    whole = CudaCode.of(compile_plan(default(0), compiler=no_compiler()).code)
    assert [p.residues for p in whole.kernels] == [None]


def test_a_text_is_compiled_once(tmp_path: Path) -> None:
    seen: list[str] = []

    def compile_one(text: str, arch: str) -> Cubin:
        seen.append(arch)
        return no_compiler().compile(text, arch)

    cache = CodeCache(tmp_path)
    for version in ("1", "1", "2"):
        compile_plan(default(0), cache=cache, compiler=Compiler(compile_one, lambda version=version: version))
    assert seen == ["sm_90a"] * 2


def test_what_was_compiled_beside_a_text_that_fails_is_remembered(tmp_path: Path) -> None:
    seen: list[str] = []

    def compile_one(text: str, arch: str) -> Cubin:
        seen.append(text)
        if len(seen) == 4:
            raise SpecError("the last one fails")
        return no_compiler().compile(text, arch)

    cache, flaky = CodeCache(tmp_path), Compiler(compile_one, lambda: "1")
    with pytest.raises(SpecError):
        compile_plan(default(4), cache=cache, compiler=flaky)
    compile_plan(default(4), cache=cache, compiler=flaky)
    assert seen[4:] == seen[3:4]


def test_the_kernels_of_a_plan_are_compiled_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are cores, each waiting here for the others; the artifact is that of one after the other."""
    four = default(4)
    alone = compile_plan(four, compiler=no_compiler())
    assert len(CudaCode.of(alone.code).kernels) == 4
    together = threading.Barrier(4, timeout=30)

    def compile_one(text: str, arch: str) -> Cubin:
        together.wait()
        return no_compiler().compile(text, arch)

    monkeypatch.setattr("anytile.dispatch.cuda.build.usable_cores", lambda: 4)
    assert compile_plan(four, compiler=Compiler(compile_one, lambda: "0")).code == alone.code


@pytest.mark.parametrize("more", [", stored=x:bfloat16", ", stored=y:float16", ", tail=relu(y)"])
def test_a_library_is_called_for_what_it_computes_and_nothing_else(more: str) -> None:
    """A plan may be out of anybody's file: of 16 bits a library would read as many elements of 32."""
    workload = Workload.parse(f"dense(m=?m, n=8, k=8, dtype=float32{more})")
    with pytest.raises(UnsupportedError, match="no library call is known for it"):
        Loaded(CudaCode(plan(workload, "cublas"), ()), SimulatedGpu()).at({"m": 5})


def test_what_cannot_be_built_says_so() -> None:
    with pytest.raises(UnsupportedError, match="no library 'blas' is known; expected 'cublas'"):
        compile_plan(plan(runs="blas", low=4), compiler=no_compiler())
    with pytest.raises(UnsupportedError, match="LLVM code was asked for"):
        compile_for_cpu(default())
    with pytest.raises(SpecError, match="source form 'llvm': expected nest or cuda"):
        source(default(), 8, "llvm")


def test_sources_can_be_read() -> None:
    assert "__global__" in source(default(), 8, "cuda")
    (variant,) = default().variants
    assert source(default(), None, "cuda").count("__global__") == len(variant.classes) > 1
    assert "dense" in source(default(), 8, "nest")
    assert source(plan(runs="cublas", low=4), 8, "cuda") == "// m=8 runs cublas\n"


def test_a_small_tile_has_a_kernel_for_each_rest() -> None:
    assert default_classes("cuda", 3) == ((0, 0), (1, 1), (2, 2))
    assert default_classes("cuda", 128) == ((0, 0), (1, 31), (32, 63), (64, 95), (96, 127))
    assert default_classes("llvm", 8) == residue_classes(8, 8)


def series(tile: int, steps: int) -> Series:
    """Time grows by steps of rows: a rest costs what it rounds up to."""
    return Series(0, tile, {m: 1e-6 * (1 + -(-m // steps)) for m in range(1, 4 * tile)})


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (1, ((0, 0), (1, 15), (16, 31), (32, 47), (48, 63))),
        (32, ((0, 0), (1, 31), (32, 47), (48, 63))),
        (64, ((0, 0), (1, 63))),
    ],
)
def test_rests_that_measure_alike_share_a_kernel(steps: int, expected: tuple[tuple[int, int], ...]) -> None:
    assert alike(series(64, steps), default_classes("cuda", 64)) == expected


def test_a_code_budget_leaves_one_kernel() -> None:
    row = Row("dense.cuda.simt", Config.of(tile=64), 64, code_bytes=50_000)
    made = series(64, 1)
    said: list[str] = []
    assert CudaFitting(None).fit([row], [made], said)[0] == [default_classes("cuda", 64)]
    classes, fits = CudaFitting(20_000).fit([row], [made], said)
    assert (classes, fits) == ([()], True)
    assert "to one kernel each, about 50000 to 10000 bytes" in said[-1]
    assert not CudaFitting(5_000).fit([row], [made], said)[1]
    slower = CudaFitting(None).as_run(made, row, ())
    assert slower.seconds[65] == made.seconds[127]
    assert slower.seconds[64] == made.seconds[64]
    assert ALIKE < 0.1


def test_hopeless_code_is_not_run() -> None:
    made = backend_of("cuda")
    assert isinstance(made, CudaBackend)
    assert made.hopeless({"blocks_per_sm": 2.0, "spills": 0.0}) is None
    assert "no multiprocessor holds" in str(made.hopeless({"blocks_per_sm": 0.0, "registers": 255.0, "shared": 9e5}))
    assert "spills 4096 bytes" in str(made.hopeless({"blocks_per_sm": 1.0, "spills": 4096.0}))
