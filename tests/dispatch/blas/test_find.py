"""Library rivals: found, called by compiled code at the right size, held to the threads asked for, done without."""

from __future__ import annotations

import ctypes
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.load.loader import Loaded
from anytile.core.errors import UnsupportedError
from anytile.dispatch.blas import find as libraries
from anytile.dispatch.blas import in_plans
from anytile.dispatch.blas.find import Blas
from anytile.dispatch.blas.thunk import Addresses, thunk
from anytile.dispatch.cpu.build import compile_plan
from anytile.dispatch.cpu.kernel import DispatchKernel
from anytile.dispatch.service import runnable
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload

HOST = Target.host()
SGEMM = "i32, i32, i32, {i}, {i}, {i}, float, ptr, {i}, ptr, {i}, float, ptr, {i}"


@pytest.fixture
def blas() -> Blas:
    found = in_plans.pick()
    if found is None:
        pytest.skip("no BLAS on this machine")
    return found


@pytest.fixture
def looked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is found depends on the test, and is forgotten after it."""
    libraries.forget()
    yield
    monkeypatch.undo()
    libraries.forget()


@pytest.fixture
def none_found(monkeypatch: pytest.MonkeyPatch, looked_anew: None) -> None:
    monkeypatch.setattr(libraries, "_candidates", lambda: iter(()))


def rand(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


def plan_with_library(workload: Workload) -> DispatchPlan:
    default = template("dense.cpu").default(workload, HOST)
    plan = single_plan(workload, HOST, "dense.cpu", default)
    profile = {"sizes": [1, 4, 100], "us": {"0": [9.0, 9.0, 50.0], "blas": [5.0, 5.0, 60.0]}}
    return replace(plan, ranges=(Range(0, 4, "blas", 5e-6, 4), Range(5, None, 0)), notes={"profile": profile})


def library_alone(workload: Workload) -> DispatchPlan:
    return DispatchPlan(workload, HOST, workload.symbols[0], (), (Range(0, None, "blas"),), {})


def threads_of(blas: Blas) -> int:
    assert blas.get_threads is not None
    return int(ctypes.CDLL(blas.library)[blas.get_threads]())


@pytest.fixture
def two_threads(blas: Blas) -> Iterator[int]:
    """The library at two threads, whatever it was before."""
    if blas.set_threads is None:
        pytest.skip(f"{blas} has no thread control")
    put, before = ctypes.CDLL(blas.library)[blas.set_threads], threads_of(blas)
    put(2)
    yield threads_of(blas)
    put(before)


def test_numpys_own_is_found_with_its_width() -> None:
    if "openblas" not in str(np.show_config(mode="dicts")).lower():
        pytest.skip("this numpy was built without OpenBLAS")
    found = libraries.find_blas()
    assert found
    assert found[0] == libraries.chosen() == in_plans.pick()  # else what follows would be skipped
    assert found[0].ilp64 == found[0].symbol.endswith(("64_", "_64")) or "64" in found[0].version


@pytest.mark.parametrize("const", [(), ("w",)])
def test_a_plan_runs_the_library_where_it_says(blas: Blas, const: tuple[str, ...]) -> None:
    workload = dense(Any("m"), 24, 40, const=const)
    plan = plan_with_library(workload)
    w = rand(24, 40)
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": w} if const else {})
    for m in (0, 1, 4, 5, 33):
        x = rand(m, 40)
        inputs = (x,) if const else (x, w)
        for _ in range(2):
            assert np.allclose(kernel(*inputs), x @ w.T, rtol=1e-4, atol=1e-4)
    assert f"m=4 calls blas, which is {blas}" in kernel.why(m=4)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("workload", [dense(Any("m"), Any("n"), Any("k")), dense(Any("s"), Any("s"), 5)])
def test_a_plan_of_the_library_alone(workload: Workload) -> None:
    kernel = DispatchKernel(library_alone(workload), compile_plan(library_alone(workload)))
    for values in (
        {"m": 3, "n": 7, "k": 5, "s": 4},
        {"m": 2, "n": 3, "k": 0, "s": 1},
        {"m": 0, "n": 2, "k": 5, "s": 0},
    ):
        bound = {s: values[s] for s in workload.symbols}
        x, w = rand(*workload.shape("x", bound)), rand(*workload.shape("w", bound))
        y = np.full(workload.shape("y", bound), np.nan, dtype=np.float32)
        assert np.allclose(kernel(x, w, out=y), x @ w.T, rtol=1e-4, atol=1e-5)


def test_the_thread_count_is_put_back(blas: Blas, two_threads: int) -> None:
    plan = library_alone(dense(Any("m"), 64, 64))
    kernel = DispatchKernel(plan, compile_plan(plan))
    x, w = rand(64, 64), rand(64, 64)

    def work() -> None:
        for _ in range(200):
            kernel(x, w)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert threads_of(blas) == two_threads


class FakeBlas:
    """A library in hand-written code that writes down how it was called and how many threads it had then."""

    def __init__(self, width: str) -> None:
        names = ("order", "ta", "tb", "m", "n", "k", "lda", "ldb", "ldc")
        kinds = ["i32"] * 3 + [width] * 6
        stores = "\n".join(
            f"  %{n}.wide = sext {kind} %{n} to i64\n  store i64 %{n}.wide, ptr getelementptr (i64, ptr @seen, i64 {i})"
            if kind != "i64"
            else f"  store i64 %{n}, ptr getelementptr (i64, ptr @seen, i64 {i})"
            for i, (n, kind) in enumerate(zip(names, kinds, strict=True))
        )
        text = f"""
@seen = global [10 x i64] zeroinitializer
@threads = global i32 5
define void @sgemm(i32 %order, i32 %ta, i32 %tb, {width} %m, {width} %n, {width} %k, float %alpha, ptr %a,
    {width} %lda, ptr %b, {width} %ldb, float %beta, ptr %c, {width} %ldc) {{
{stores}
  %t = load i32, ptr @threads
  %t.wide = sext i32 %t to i64
  store i64 %t.wide, ptr getelementptr (i64, ptr @seen, i64 9)
  ret void
}}
define i32 @get() {{
  %t = load i32, ptr @threads
  ret i32 %t
}}
define void @put(i32 %t) {{
  store i32 %t, ptr @threads
  ret void
}}
"""
        self.loaded = Loaded(compile_ir(text, HOST, "sgemm", facts_too=False))
        self.seen = (ctypes.c_int64 * 10).from_address(self.loaded.address("seen"))
        self.threads = ctypes.c_int32.from_address(self.loaded.address("threads"))
        self.state = (ctypes.c_int32 * 3)()

    def thunk(self, wide: bool, threads: int, controlled: bool = True) -> Loaded:
        get, put = (self.loaded.address(n) if controlled else 0 for n in ("get", "put"))
        at = Addresses(self.loaded.address("sgemm"), 0, get, put, ctypes.addressof(self.state))
        return thunk(at, wide, threads)


CALL = ctypes.CFUNCTYPE(
    None, *[ctypes.c_int32] * 3, *[ctypes.c_int64] * 3, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64,
    ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p, ctypes.c_int64,
)  # fmt: skip


@pytest.mark.parametrize("wide", [True, False])
def test_a_thunk_passes_everything_on_in_the_librarys_width(wide: bool) -> None:
    fake = FakeBlas("i64" if wide else "i32")
    thunk = fake.thunk(wide, threads=3)
    CALL(thunk.entry)(101, 111, 112, 2**31 - 1, 2, 3, 1.0, None, 4, None, 5, 0.0, None, 0)
    assert list(fake.seen) == [101, 111, 112, 2**31 - 1, 2, 3, 4, 5, 1, 3]
    assert fake.threads.value == 5
    assert list(fake.state) == [0, 0, 0]


@pytest.mark.parametrize(("noted", "after"), [(5, 3), (0, 3)])
def test_of_calls_that_overlap_the_first_notes_the_count(noted: int, after: int) -> None:
    """While another call is in flight, which found `noted` threads (0: as many as it wanted)."""
    fake = FakeBlas("i64")
    thunk = fake.thunk(True, threads=3)
    fake.threads.value, fake.state[1], fake.state[2] = 3, 1, noted
    CALL(thunk.entry)(101, 111, 112, 1, 2, 3, 1.0, None, 4, None, 5, 0.0, None, 6)
    assert fake.threads.value == after
    assert list(fake.state) == [0, 1, noted]


def test_a_library_without_thread_control_is_called_as_it_is() -> None:
    fake = FakeBlas("i64")
    thunk = fake.thunk(True, threads=3, controlled=False)
    CALL(thunk.entry)(101, 111, 112, 1, 2, 3, 1.0, None, 4, None, 5, 0.0, None, 6)
    assert fake.seen[9] == 5


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(("m", "k"), [(1, 5), (1, 1), (2, 5), (1, 0)])
def test_one_row_is_a_product_with_a_vector(turned: bool, m: int, k: int) -> None:
    """As numpy calls it; and with nothing to add up, where a vector's function would leave the result as it was."""
    rng = np.random.default_rng(m)
    x = rng.standard_normal((m, k), dtype=np.float32)
    w = rng.standard_normal((7, k) if turned else (k, 7), dtype=np.float32)
    y = np.full((m, 7), np.nan, dtype=np.float32)
    at, tb, stride = x.ctypes.data, 112 if turned else 111, w.shape[1]
    entry = in_plans.resolve(threads=1).address
    CALL(entry)(101, 111, tb, m, 7, k, 1.0, at, k, w.ctypes.data, stride, 0.0, y.ctypes.data, 7)
    np.testing.assert_allclose(y, x @ (w.T if turned else w), atol=1e-5)


@pytest.mark.usefixtures("blas", "looked_anew")
def test_a_function_of_the_right_name_that_does_not_multiply_is_no_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "_multiplies", lambda _: False)
    assert libraries.find_blas() == ()


@pytest.mark.usefixtures("looked_anew")
def test_files_that_are_no_libraries_are_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    junk = tmp_path / "libopenblas.so"
    junk.write_bytes(b"not a library")
    monkeypatch.setattr(libraries, "_candidates", lambda: iter([str(junk), "libm.so.6", "libnowhere.so"]))
    assert libraries.find_blas() == ()
    monkeypatch.setenv(libraries.SETTING, str(junk))
    with pytest.raises(UnsupportedError, match=f"ANYTILE_BLAS={junk}: no BLAS that multiplies; expected the path"):
        libraries.chosen()


@pytest.mark.usefixtures("looked_anew")
def test_one_library_under_two_names_is_one(blas: Blas, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    link = tmp_path / "libmine.so"
    link.symlink_to(Path(blas.library).resolve())
    monkeypatch.setattr(libraries, "_candidates", lambda: iter([blas.library, str(link)]))
    assert [b.library for b in libraries.find_blas()] == [blas.library]


@pytest.fixture
def another(blas: Blas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looked_anew: None) -> Blas:
    """A copy of the library under another name, which the environment asks for."""
    copy = tmp_path / "libanother.so"
    shutil.copyfile(Path(blas.library).resolve(), copy)
    monkeypatch.setenv(libraries.SETTING, str(copy))
    found = libraries.chosen()
    assert found is not None
    return found


def test_the_environment_says_which_is_used(blas: Blas, another: Blas) -> None:
    assert Path(another.library).name == "libanother.so"
    assert another.build != blas.build
    assert libraries.find_blas()[0] == another
    assert blas in libraries.find_blas()[1:]
    kernel = DispatchKernel(library_alone(dense(Any("m"), 8, 8)), compile_plan(library_alone(dense(Any("m"), 8, 8))))
    x, w = rand(3, 8), rand(8, 8)
    assert np.allclose(kernel(x, w), x @ w.T, rtol=1e-4, atol=1e-5)
    assert "libanother.so" in kernel.why(m=3)


def test_what_another_library_measured_is_not_believed(blas: Blas, another: Blas) -> None:
    plan = plan_with_library(dense(Any("m"), 24, 40))
    assert in_plans.believed(plan) is plan  # of before plans said which
    ours = replace(plan, notes={**plan.notes, in_plans.MEASURED: {"blas": another.build}})
    assert in_plans.believed(ours) is ours
    theirs = replace(plan, notes={**plan.notes, in_plans.MEASURED: {"blas": blas.build}})
    assert [r.runs for r in in_plans.believed(theirs).ranges] == [0]
    assert [r.runs for r in runnable(theirs).ranges] == [0]
    said = f"blas was measured as {blas.build}, and is {another.build} here: sizes 0..4 run a variant instead"
    assert said in in_plans.believed(theirs).notes["decisions"]


@pytest.mark.usefixtures("none_found")
def test_where_there_is_none_it_is_said() -> None:
    with pytest.raises(UnsupportedError, match="no blas library was found; install OpenBLAS"):
        in_plans.resolve("blas")


def test_a_plan_without_its_library_runs_the_best_variant() -> None:
    workload = dense(Any("m"), 24, 40)
    plan = plan_with_library(workload)
    plan = replace(plan, ranges=(*plan.ranges[:1], Range(5, 9, 0), Range(10, None, "blas")))
    rewritten = in_plans.without_libraries(plan, "no blas library was found here")
    assert [(r.low, r.high, r.runs) for r in rewritten.ranges] == [(0, None, 0)]
    assert "no blas library was found here: sizes 0..4, 10.. run a variant instead" in rewritten.notes["decisions"]
    assert in_plans.libraries_of(rewritten) == ()
    assert in_plans.without_libraries(rewritten, "x") is rewritten


def test_the_stand_in_is_the_one_that_was_faster_there() -> None:
    workload = dense(Any("m"), 24, 40)
    plan = plan_with_library(workload)
    profile = {"sizes": [1, 4, 100], "us": {"0": [9.0, 9.0, 50.0], "1": [7.0, 7.0, 90.0], "blas": [5.0, 5.0, 60.0]}}
    plan = replace(plan, variants=plan.variants * 2, notes={"profile": profile})
    rewritten = in_plans.without_libraries(plan, "none")
    assert [(r.high, r.runs) for r in rewritten.ranges] == [(4, 1), (None, 0)]
    assert rewritten.ranges[0].seconds == pytest.approx(7e-6)


def test_a_plan_of_libraries_alone_cannot_do_without() -> None:
    plan = DispatchPlan(dense(Any("m"), 2, 2), HOST, "m", (), (Range(0, None, "blas"),), {})
    with pytest.raises(UnsupportedError, match="only calls blas"):
        in_plans.without_libraries(plan, "there is none")
