"""DispatchKernel: right at every size, whatever arrays come; wrong calls are one line; threads do not meet."""

from __future__ import annotations

import ctypes
import threading
import timeit
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anytile.codegen.artifact import Artifact
from anytile.core.errors import AnytileError, ArgumentError, CodegenError, ResourceError, SpecError
from anytile.dispatch.cpu import fast_call
from anytile.dispatch.cpu.build import compile_plan, source
from anytile.dispatch.cpu.kernel import BRIEF_FLOPS, DispatchKernel
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, residue_classes
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from tests.support.cases.small_dense_kernel import HOST, K, N, close, config, expecting, native, rand
from tests.support.cases.small_operators import inputs_of

DENSE = template("dense.cpu")


@pytest.mark.parametrize("m", [0, 1, 7, 8, 9, 127])
def test_every_kind_of_size(kernel: DispatchKernel, w: np.ndarray, m: int) -> None:
    x = rand(m, K)
    for _ in range(2):  # the second time the shape is known
        y = kernel(x)
        assert close(y, x, w)
        assert y.dtype == np.float32


@pytest.mark.slow
@settings(max_examples=12)
@given(data=st.data())
def test_any_workload_any_plan_any_size(data: st.DataObject) -> None:
    """Several variants, mixed residue treatment, several symbols, constant or not, against numpy."""
    n, k = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 40))
    const = data.draw(st.booleans())
    symbols = data.draw(st.sets(st.sampled_from(["n", "k"])))
    workload = dense(
        Any("m"), Any("n") if "n" in symbols else n, Any("k") if "k" in symbols else k, const=("w",) if const else ()
    )
    space = DENSE.space(workload, HOST)
    variants, tiles = [], []
    for _ in range(data.draw(st.integers(1, 2))):
        chosen = space[data.draw(st.integers(0, len(space) - 1))]
        tile = DENSE.tile(chosen)
        count = min(data.draw(st.sampled_from([0, 1, 2, 3, 16])), tile)
        variants.append(Variant("dense.cpu", chosen, tile, residue_classes(tile, count) if count else ()))
        tiles.append(tile)
    edges = sorted(data.draw(st.sets(st.integers(1, 60), max_size=3)))
    bounds = [*zip([0, *edges], [e - 1 for e in edges], strict=False), (edges[-1] if edges else 0, None)]
    ranges = tuple(Range(lo, hi, data.draw(st.integers(0, len(variants) - 1))) for lo, hi in bounds)
    plan = DispatchPlan(workload, HOST, "m", tuple(variants), ranges, {})
    weight = rand(n, k, seed=2)
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": weight} if const else {})
    t = tiles[0]
    for m in {0, 1, t - 1, t, t + 1, 61, *edges}:
        x = rand(m, k, seed=m)
        out = np.full((m, n), np.nan, dtype=np.float32)
        for _ in range(2):
            inputs = (x,) if const else (x, weight)
            assert kernel(*inputs, out=out) is out
            assert close(out, x, weight), f"m={m}"
            out[:] = np.nan
    if const:
        assert np.array_equal(kernel.constants()["w"], weight)


def test_a_concrete_workload() -> None:
    workload = dense(5, 24, 40)
    plan = single_plan(workload, HOST, "dense.cpu", config(8))
    kernel = DispatchKernel(plan, compile_plan(plan))
    x, w = rand(5, 40), rand(24, 40)
    assert close(kernel(x, w), x, w)
    assert "one size" in kernel.why()
    with pytest.raises(ArgumentError, match=r"x: expected shape \(5, 40\), got \(6, 40\); m is 6 instead of 5"):
        kernel(rand(6, 40), w)


def test_one_symbol_for_two_dimensions(w: np.ndarray) -> None:
    workload = dense(Any("s"), Any("s"), 8)
    plan = single_plan(workload, HOST, "dense.cpu", config(4))
    kernel = DispatchKernel(plan, compile_plan(plan))
    x, w = rand(9, 8), rand(9, 8, seed=3)
    assert close(kernel(x, w), x, w)
    with pytest.raises(ArgumentError, match=r"w: expected shape \(s, 8\) \(s is 9 in x\), got \(10, 8\)"):
        kernel(x, rand(10, 8))


def test_arrays_that_must_be_copied_are_and_it_is_said(kernel: DispatchKernel, w: np.ndarray) -> None:
    x = rand(9, K)
    swapped = x.astype(">f4")
    strided = np.repeat(x, 2, axis=1)[:, ::2]
    raw = np.zeros(x.nbytes + 1, dtype=np.uint8)
    crooked = np.ndarray(x.shape, np.float32, buffer=raw.data, offset=1)
    crooked[...] = x
    assert not crooked.flags.aligned
    for array, reason in (
        (swapped, "byte-swapped"),
        (strided, "not contiguous"),
        (x.copy(order="F"), "not contiguous"),
        (crooked, "misaligned"),
    ):
        before = kernel.copies
        assert close(kernel(array), x, w)
        assert kernel.copies == before + 1
        assert f"x was {reason}, and copying its {x.nbytes} bytes took" in kernel.why(m=9)


def test_results_into_odd_places(kernel: DispatchKernel, w: np.ndarray) -> None:
    x = rand(9, K)
    wide = np.zeros((9, 2 * N), dtype=np.float32)
    odd = (wide[:, ::2], np.zeros((9, N), dtype=np.float32, order="F"), np.zeros((9, N), dtype=">f4"))
    for out in odd:
        assert kernel(x, out=out) is out
        assert close(out.astype(np.float32), x, w)
    assert not wide[:, 1::2].any()


def test_subclasses_and_readonly_inputs(kernel: DispatchKernel, w: np.ndarray) -> None:
    x = rand(3, K)
    x.flags.writeable = False
    before = kernel.copies
    assert close(kernel(x), x, w)
    assert close(np.asarray(kernel(x.view(np.matrix))), x, w)
    assert kernel.copies == before


def test_torch_tensors_are_read_in_place(kernel: DispatchKernel, w: np.ndarray) -> None:
    torch = pytest.importorskip("torch")
    x = torch.randn(9, K)
    out = torch.empty(9, N)
    for _ in range(2):
        assert close(kernel(x), x.numpy(), w)
        assert kernel(x, out=out) is out
        assert close(out.numpy(), x.numpy(), w)
    assert close(kernel(x.t().contiguous().t()), x.numpy(), w)
    with pytest.raises(ArgumentError, match=r"require gradient.*; pass a dense CPU tensor, detached"):
        kernel(x.requires_grad_())
    with pytest.raises(ArgumentError, match="got float64"):
        kernel(x.detach().double())
    with pytest.raises(ArgumentError, match=r"got uint16 \(or bfloat16\); pass x.astype\('float32'\)"):
        kernel(x.detach().bfloat16())
    with pytest.raises(ArgumentError, match=r"Tensor cannot be read through DLPack: .*, or bfloat16"):
        kernel(x.detach().to(torch.complex64).conj())


def test_strange_strides_of_torch(kernel: DispatchKernel, w: np.ndarray) -> None:
    torch = pytest.importorskip("torch")
    room = torch.randn(40, 2 * K)
    for x in (room[:7, ::2], room[3:39:5, 1 : K + 1], torch.randn(K, 5).t(), torch.randn(1, K).expand(6, K)):
        assert close(kernel(x), x.numpy(), w)
    for x in (torch.randn(5, 1).expand(5, K), torch.zeros(()).expand(3, K), room[:0, ::2]):
        assert close(kernel(x), x.numpy(), w)
    negated = torch.randn(4, K, dtype=torch.complex64).conj().imag
    with pytest.raises(ArgumentError, match=r"^dense: x: its values lie negated .*; pass .resolve_neg\(\)$"):
        kernel(negated)
    x = negated.resolve_neg()
    assert close(kernel(x), x.numpy(), w)
    with pytest.raises(ArgumentError, match="out: its values lie negated"):
        kernel(x, out=torch.zeros(4, N, dtype=torch.complex64).conj().imag)
    with pytest.raises(ArgumentError, match="out overlaps itself"):
        kernel(x, out=torch.zeros(1, N).expand(4, N))


def test_operands_have_an_order_and_no_names(kernel: DispatchKernel) -> None:
    with pytest.raises(ArgumentError, match="^dense: expected arrays in order: x; got x by name$"):
        kernel(x=np.ones((2, K), np.float32))


WRONG = {
    "dtype": (lambda x, o: ((x.astype(np.float64),), None), r"x: expected float32 of shape \(m, 40\), got float64"),
    "integers": (lambda x, o: ((x.astype(np.int32),), None), "got int32"),
    "rank": (lambda x, o: ((x[0],), None), r"expected 2 dimensions \(m, 40\), got 1"),
    "width": (lambda x, o: ((x[:, 1:],), None), r"x: expected shape \(m, 40\), got \(9, 39\); k is 39 instead of 40"),
    "list": (lambda x, o: ((x.tolist(),), None), "expected a numpy array or an object with __dlpack__, got list"),
    "none": (lambda x, o: ((None,), None), "got NoneType"),
    "scalar": (lambda x, o: ((np.float32(1),), None), "got float32; pass numpy.asarray"),
    "nothing": (lambda x, o: ((), None), r"expected 1 array: x; got 0"),
    "too many": (lambda x, o: ((x, x), None), r"expected 1 array: x; got 2"),
    "masked": (lambda x, o: ((np.ma.masked_array(x),), None), "masked array"),
    "out shape": (
        lambda x, o: ((x,), o[:-1]),
        r"out: expected float32 of shape \(9, 24\), got float32 of shape \(8, 24\)",
    ),
    "out dtype": (lambda x, o: ((x,), o.astype(np.float64)), "out: expected float32 .* got float64"),
    "out kind": (lambda x, o: ((x,), "here"), "out: expected a numpy array"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_calls_are_one_line(kernel: DispatchKernel, w: np.ndarray, what: str) -> None:
    make, message = WRONG[what]
    x, out = rand(9, K), np.zeros((9, N), dtype=np.float32)
    inputs, result = make(x, out)
    expecting(kernel, x)
    with pytest.raises(ArgumentError, match=message) as caught:
        kernel(*inputs, out=result)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert close(kernel(x), x, w)


def test_results_that_cannot_be_written(kernel: DispatchKernel) -> None:
    x, out = rand(9, K), np.zeros((9, N), dtype=np.float32)
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        kernel(x, out=out)


def test_results_that_lie_over_themselves_are_refused(kernel: DispatchKernel) -> None:
    x, room = rand(9, K), np.zeros(9 * 2 * N, dtype=np.float32)
    for strides in ((0, 4), (4, 4), (4 * N - 4, 4), (4 * N, 0)):
        with pytest.raises(ArgumentError, match="out overlaps itself in memory; pass an array with a place for each"):
            kernel(x, out=np.lib.stride_tricks.as_strided(room, (9, N), strides))
    wanted = kernel(x)
    for strides in ((8 * N, 8), (4 * N, 4), (4, 9 * 4)):
        np.testing.assert_array_equal(kernel(x, out=np.lib.stride_tricks.as_strided(room, (9, N), strides)), wanted)


def test_results_over_inputs_are_refused() -> None:
    square = dense(Any("m"), 16, 16)
    plan = single_plan(square, HOST, "dense.cpu", config(4))
    kernel = DispatchKernel(plan, compile_plan(plan))
    memory = rand(40, 16)
    x, w = memory[:8], memory[8:24]
    assert close(kernel(x, w, out=memory[24:32]), x, w)  # next to each other is fine
    before = memory.copy()
    for out, name in ((x, "x"), (memory[7:15], "x"), (memory[23:31], "w")):
        for _ in range(2):
            with pytest.raises(ArgumentError, match=f"out overlaps {name}"):
                kernel(x, w, out=out)
    assert np.array_equal(memory, before)
    assert kernel(x, w, out=np.zeros((8, 32), np.float32)[:, ::2]).shape == (8, 16)


def test_absurd_shapes_are_refused_before_they_hurt(kernel: DispatchKernel) -> None:
    row = np.zeros((1, K), dtype=np.float32)
    endless = np.lib.stride_tricks.as_strided(row, (2**30, K), (0, 4))
    with pytest.raises(ResourceError, match=r"GiB"):
        kernel(endless)
    with pytest.raises(ResourceError, match="over the limit"):
        kernel(np.lib.stride_tricks.as_strided(row, (2**40, K), (0, 4)))
    free = dense(Any("m"), Any("n"), Any("k"))
    plan = single_plan(free, HOST, "dense.cpu", config(4))
    vast = DispatchKernel(plan, compile_plan(plan))
    one = np.zeros(1, dtype=np.float32)
    big = np.lib.stride_tricks.as_strided(one, (2**31 - 1, 2**29), (0, 0))
    with pytest.raises(ResourceError):
        vast(big[:1], big)
    heavy = dense(Any("m"), Any("n"), K, const=("w",))
    plan = single_plan(heavy, HOST, "dense.cpu", config(4))
    with pytest.raises(ResourceError, match="constant w"):
        DispatchKernel(plan, compile_plan(plan), {"w": endless})


def test_a_kernel_that_fails_says_where() -> None:
    broken = native("  ret i32 7", dense(Any("m"), N, K))
    for _ in range(2):
        with pytest.raises(CodegenError, match=r"returned 7 at m=3"):
            broken(rand(3, K), rand(N, K))


def test_constants_are_checked(kernel: DispatchKernel) -> None:
    def make(constants: dict[str, object]) -> DispatchKernel:
        return DispatchKernel(kernel.plan, kernel.artifact, constants)

    for constants, message in (
        ({}, r"expected the constants w, got none"),
        ({"w": rand(N, K), "b": rand(N)}, "got b, w"),
        ({"w": rand(N, K + 1)}, r"w: expected shape \(24, 40\), got \(24, 41\)"),
        ({"w": rand(N, K).astype(np.float64)}, "w: expected float32"),
        ({"w": [1.0]}, "got list"),
    ):
        with pytest.raises(ArgumentError, match=message):
            make(constants)


def test_constants_may_come_in_any_layout_and_may_change_afterwards(kernel: DispatchKernel, w: np.ndarray) -> None:
    given_w = w.astype(">f4").copy(order="F")
    other = DispatchKernel(kernel.plan, kernel.artifact, {"w": given_w})
    given_w[:] = 0
    x = rand(9, K)
    assert np.array_equal(other(x), kernel(x))


def test_a_constant_fixes_its_symbols() -> None:
    workload = dense(Any("m"), Any("n"), 8, const=("w",))
    plan = single_plan(workload, HOST, "dense.cpu", config(4))
    w = rand(21, 8)
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": w})
    assert kernel.bound == {"n": 21}
    x = rand(5, 8)
    assert close(kernel(x), x, w)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "grouped_dense(m=?m, n=8, k=?k, const=w)",
            r"w: a constant of shape \(8, \(\(k \+ 1\) // 2\)\) does not tell k, ",
        ),
        ("grouped_dense(m=?m, n=8, k=?k, const=scale)", "does not tell k, which it is packed by; make k a number"),
        (
            "conv2d(n=1, ci=2, h=?h, w=?v, co=2, kh=1, kw=1, const=r, tail=y + r[n, oh, ow, co])",
            "r: a constant .* does not tell [hv], .* or pass r at every call",
        ),
    ],
)
def test_a_constant_that_does_not_tell_what_it_is_packed_by_is_refused(text: str, message: str) -> None:
    """It was packed for size 0, and kernels read what lies behind it."""
    workload = Workload.parse(text)
    made = templates_for(workload, HOST)[0]
    plan = single_plan(workload, HOST, made.name, made.default(workload, HOST), classes=1)
    artifact = compile_plan(plan)
    arrays = inputs_of(workload, dict.fromkeys(workload.symbols, 64))
    with pytest.raises(ArgumentError, match=message):
        DispatchKernel(plan, artifact, {name: arrays[name] for name in workload.const})


def test_walking_the_weight_to_and_fro_changes_no_bit() -> None:
    n = facts(HOST).l2_bytes // 2048
    workload, w = dense(Any("m"), n, 512, const=("w",)), rand(n, 512)
    plan = single_plan(workload, HOST, "dense.cpu", config(8, tile_n=2))
    kernel = DispatchKernel(plan, compile_plan(plan), {"w": w})
    assert "to and fro" in kernel.source()
    small = dense(Any("m"), n // 8, 512, const=("w",))
    assert "to and fro" not in source(single_plan(small, HOST, "dense.cpu", config(8, tile_n=2))), (
        "it stays in the cache"
    )
    inputs = [rand(m, 512, seed=m) for m in (1, 8, 19)]  # an odd number: the next time each comes the other way
    expected = [kernel(x) for x in inputs]
    assert all(close(y, x, w) for y, x in zip(expected, inputs, strict=True))
    with ThreadPoolExecutor(3) as pool:
        for again in (map(kernel, inputs), map(kernel, inputs), pool.map(kernel, inputs * 5)):
            for i, y in enumerate(again):
                np.testing.assert_array_equal(y, expected[i % len(inputs)])


def test_threads_do_not_meet() -> None:
    """Weights packed at run time need a workspace: each call in flight must have its own."""
    workload = dense(Any("m"), Any("n"), 32)
    plan = single_plan(workload, HOST, "dense.cpu", config(6, tile_n=1))
    kernel = DispatchKernel(plan, compile_plan(plan))
    cases = [(rand(m, 32, seed=m), rand(n, 32, seed=n + 99)) for m, n in ((1, 40), (5, 7), (13, 64), (40, 17))]
    expected = [kernel(x, w).copy() for x, w in cases]
    start = threading.Barrier(4)

    def work(offset: int) -> bool:
        start.wait()
        for i in range(150):
            x, w = cases[(i + offset) % 4]
            if not np.array_equal(kernel(x, w), expected[(i + offset) % 4]):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert len(kernel._spare) <= 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("m", "waits"), [(1, True), (BRIEF_FLOPS // (2 * N * K), True), (400, False), (4000, False)])
def test_the_interpreter_runs_while_a_kernel_has_much_to_do(m: int, waits: bool) -> None:
    """Where there is little, another thread waits; this kernel takes its time all the same."""
    sleeper = native(
        "  %x = call i32 @usleep(i32 200000)\n  ret i32 0",
        extra="declare i32 @usleep(i32)\n",
        workload=dense(Any("m"), N, K),
    )
    args = rand(m, K), rand(N, K)
    sleeper(*args)

    def has_waited() -> bool:
        ticks = 0
        thread = threading.Thread(target=sleeper, args=args)
        thread.start()
        while thread.is_alive():
            ticks += 1
            thread.join(0.005)
        return ticks <= 5

    # On a busy machine one of the two may have had no core: the thread before it called, or this one meanwhile.
    assert any(has_waited() == waits for _ in range(5))


def test_calling_costs_at_most_three_microseconds() -> None:
    """Of a kernel that does nothing; the least of many short runs, since other work on the machine only adds."""
    nothing = native("  ret i32 0", workload=dense(Any("m"), 768, 768))
    one, two = rand(8, 768), rand(768, 768)
    out = np.zeros((8, 768), dtype=np.float32)
    nothing(one, two)
    for call in (lambda: nothing(one, two), lambda: nothing(one, two, out=out)):
        assert min(timeit.repeat(call, number=200, repeat=200)) / 200 < 3e-6


def test_without_the_native_entrance_calls_still_work(kernel: DispatchKernel, w: np.ndarray) -> None:
    facts = ctypes.c_int64.from_address(fast_call.calls().loaded.address("anytile_facts"))
    facts.value += 8  # as if an array's fields began elsewhere
    fast_call.entrance.cache_clear()
    fast_call.fields_are_where_expected.cache_clear()
    try:
        slow = DispatchKernel(kernel.plan, kernel.artifact, {"w": w})
        assert slow._enter is None
        for m in (0, 9, 9):
            x = rand(m, K)
            assert close(slow(x), x, w)
    finally:
        facts.value -= 8
        fast_call.entrance.cache_clear()
        fast_call.fields_are_where_expected.cache_clear()


def test_remembered_shapes_are_bounded(kernel: DispatchKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.dispatch.cpu.kernel.REMEMBERED_SHAPES", 3)
    kernel = DispatchKernel(kernel.plan, kernel.artifact, {"w": rand(N, K)})
    for m in range(1, 12):
        assert kernel(rand(m, K)).shape == (m, N)
        assert len(kernel._shapes) <= 3
        assert len(kernel._quick) <= 3


def test_it_can_be_read(kernel: DispatchKernel) -> None:
    assert "nest dense_r1" in kernel.source(m=9)
    assert "define" in kernel.source(m=9, form="llvm")
    assert "anytile" in kernel.source(form="asm")
    with pytest.raises(SpecError, match="expected nest, llvm or asm"):
        kernel.source(m=9, form="cobol")
    assert repr(kernel).startswith("DispatchKernel(dense(m=?m, n=24, k=40")
    assert "m=9 = 8*1 + 1" in kernel.why(9)
    for bad in ({"m": 1, "q": 2}, {"n": 3}, {}, {"m": -1}):
        with pytest.raises(SpecError, match="why"):
            kernel.why(**bad)
        if bad:
            with pytest.raises(SpecError, match="^source: .*m"):
                kernel.source(**bad)
    assert kernel.source().count("nest dense_r") == 8


def test_object_code_that_is_none_is_refused(kernel: DispatchKernel) -> None:
    for code in (b"", b"\x7fELF", b"x" * 1000, kernel.artifact.code[: len(kernel.artifact.code) // 2]):
        broken = Artifact(code, "anytile_kernel")
        with pytest.raises(AnytileError):
            DispatchKernel(single_plan(dense(Any("m"), N, K), HOST, "dense.cpu", config(8)), broken)
