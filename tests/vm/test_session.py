"""Sessions: what goes in and comes out, errors of a line, profiles, recorded shapes, a second device."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any as AnyType

import numpy as np
import pytest

from anytile.core.errors import ArgumentError, ResourceError, SpecError
from anytile.vm.executable import Executable
from anytile.vm.profile import Profile, ShapeHistogram
from anytile.vm.program.executable import Constant, Constructor, DataPort, DataType, PackedFor, TuplePort, constant
from anytile.vm.session import Session
from anytile.vm.size_histogram_file import add_shapes, read_shapes
from anytile.vm.values.events import Event
from anytile.vm.values.ports import Data
from tests.support.cases.vm_executables import (
    ADD,
    EXP,
    closure,
    executable,
    kernel,
    list_sum,
    loop,
    mlp,
    mlp_in_numpy,
    tensor,
    tuple_of,
)
from tests.support.processor_time import cpu_time
from tests.support.run_outcomes import clean, live
from tests.support.stand_ins.offset_device import SimulatedDevice

BOTH = pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])


class Exported:
    """A tensor of some other library."""

    def __init__(self, array: AnyType) -> None:
        self._array = array

    def __dlpack__(self, **options: AnyType) -> AnyType:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> AnyType:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("bound", ["memory_limit", "max_depth"])
def test_bounds_are_whole_numbers_however_large(bound: str, compiled: bool) -> None:
    exe, _ = mlp()
    for most in (2**63, 2**64 + 1, np.int64(2**40)):
        given: dict[str, AnyType] = {bound: most}
        assert Session(exe, compiled=compiled, **given)(np.ones((3, 24), np.float32)).shape == (3, 8)
    for wrong in (-1, "1 GB", 1.5):
        given = {bound: wrong}
        with pytest.raises(ArgumentError, match=f"{bound}={wrong!r}; expected how many .* at most"):
            Session(exe, compiled=compiled, **given)


def test_inputs_and_outputs_are_described() -> None:
    session = Session(mlp()[0])
    ((name, port),) = session.inputs
    assert (name, str(port), str(session.outputs)) == ("x", "Tensor[(?m, ?), float32]", "Tensor[(?m, 8), float32]")


def test_arrays_of_any_layout_and_library_go_in() -> None:
    exe, weights = mlp()
    session = Session(exe)
    x = np.random.default_rng(1).standard_normal((6, 24), dtype=np.float32)
    wanted = mlp_in_numpy(x, weights)
    swapped = x.astype(x.dtype.newbyteorder())
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], swapped, Exported(x)):
        np.testing.assert_allclose(session.run({"x": given}), wanted, rtol=1e-4, atol=1e-4)
    assert hasattr(session(x), "__dlpack__")


@pytest.mark.parametrize(
    ("feeds", "says"),
    [
        ({}, "x is missing; expected x: Tensor"),
        ({"x": np.zeros((1, 24), np.float32), "z": 1}, "z is no input"),
        ({"x": np.zeros((1, 24))}, r"pass x.astype\('float32'\)"),
        ({"x": np.zeros(24, np.float32)}, "1 dimension"),
        ({"x": [[1.0]]}, "expected a numpy array"),
        (np.zeros((1, 24), np.float32), r"expected inputs by name \(x\), got ndarray; pass a dict, or call"),
        ([np.zeros((1, 24), np.float32)], r"expected inputs by name \(x\), got list"),
    ],
)
def test_wrong_inputs_are_one_line(feeds: AnyType, says: str) -> None:
    with pytest.raises(ArgumentError, match=says) as caught:
        Session(mlp()[0]).run(feeds)
    assert "\n" not in str(caught.value)


def test_too_few_inputs_in_order() -> None:
    with pytest.raises(ArgumentError, match="expected 2 input"):
        Session(closure())(np.zeros(3, np.float32))
    with pytest.raises(ArgumentError, match="^run: expected inputs in order, got x by name; pass a dict to run$"):
        Session(mlp()[0])(x=np.zeros((1, 24), np.float32))


def test_equal_names_are_equal_dimensions() -> None:
    exe = executable(
        "function main(tensor, tensor) -> any, registers 3:\nAllocADT r2, 0, [r1, r0]\nRet r2",
        inputs=[("a", tensor(("n", 2))), ("b", tensor(("n",)))],
        output=tuple_of(tensor(("n",)), tensor(("n", 2))),
    )
    session = Session(exe)
    a, b = np.ones((3, 2), np.float32), np.zeros(3, np.float32)
    found = session(a, b)
    np.testing.assert_array_equal(found[0], b)
    np.testing.assert_array_equal(found[1], a)
    found[1][...] = 7  # the user's own copy, not the input
    assert a.sum() == 6
    with pytest.raises(ArgumentError, match="n=3 as in a"):
        session(a, np.zeros(4, np.float32))
    with pytest.raises(ArgumentError, match="dimension 1 is 5"):
        session(np.ones((3, 5), np.float32), b)


@pytest.mark.parametrize(
    "given",
    [
        Data("Leaf"),
        Data("Cons", np.ones(1, np.float32)),
        Data("Cons", Data("Nil"), Data("Nil")),
        Data("Cons", np.ones(2, np.float32), Data("Nil")),
        np.ones(1, np.float32),
    ],
)
def test_wrong_values_of_data_types(given: AnyType) -> None:
    with pytest.raises(ArgumentError, match="list"):
        Session(list_sum())(given)


TREE = DataType("Tree", (Constructor("Leaf", ()), Constructor("Node", (DataPort("Tree"), DataPort("Tree")))))
LEVELS = 60


def doubled(leaf: AnyType = None) -> Data:
    """A value of a few parts that would be larger than any memory, were it unfolded."""
    value = Data("Leaf") if leaf is None else leaf
    for _ in range(LEVELS):
        value = Data("Node", value, value)
    return value


def is_doubled(value: AnyType) -> bool:
    for _ in range(LEVELS):
        left, value = value.fields
        if left is not value:
            return False
    return bool(value.constructor == "Leaf")


@BOTH
def test_parts_that_are_the_same_come_out_once(compiled: bool) -> None:
    lines = ["function main() -> adt, registers 2:", "AllocADT r0, 0, []", *["AllocADT r0, 1, [r0, r0]"] * LEVELS]
    exe = executable("\n".join([*lines, "Ret r0"]), output=DataPort("Tree"), data=[TREE])
    session = Session(exe, compiled=compiled, memory_limit=1 << 20)
    with cpu_time() as took:
        assert is_doubled(session())
    assert took.seconds < 1
    clean(live(session))


@pytest.mark.slow
@pytest.mark.parametrize("tuples", [False, True])
def test_parts_that_are_the_same_go_in_once(tuples: bool) -> None:
    """As many as the quick way in has no room for."""
    port = TuplePort((DataPort("Tree"), DataPort("Tree"))) if tuples else DataPort("Tree")
    text = "function main(adt) -> adt, registers 1:\nRet r0"
    given, session = doubled(), Session(executable(text, (), [("x", port)], port, data=[TREE]), memory_limit=1 << 20)
    with cpu_time() as took:
        found = session((given, given) if tuples else given)
    assert took.seconds < 3
    assert is_doubled(found[0] if tuples else found)
    assert not tuples or found[0] is found[1]


@pytest.mark.sampled(0)
def test_a_value_that_is_a_part_of_itself() -> None:
    text = "function main(adt) -> adt, registers 1:\nRet r0"
    session = Session(executable(text, (), [("x", DataPort("Tree"))], DataPort("Tree"), data=[TREE]))
    given = doubled()
    given.fields[0].fields[1].fields = (given, given)
    with pytest.raises(ArgumentError, match="x: expected a value that ends, got Data.* part of itself"):
        session(given)


@BOTH
@pytest.mark.parametrize("shape", [(2**31 - 1,), (2**24, 2**20), (2**29, 2**29)])
def test_a_copy_of_an_input_counts_against_the_limit(shape: tuple[int, ...], compiled: bool) -> None:
    """Before it is made: a view of one number may be larger than the machine."""
    port = tensor((None,) * len(shape), "int64")
    exe = executable("function main(tensor) -> tensor, registers 1:\nRet r0", (), [("x", port)], port)
    session = Session(exe, compiled=compiled, memory_limit=1 << 20)
    one = np.ones((), np.int64)
    with pytest.raises(ResourceError, match="run: x of shape .* is copied: memory: expected") as caught:
        session(np.broadcast_to(one, shape))
    assert "\n" not in str(caught.value)
    some = (3,) * len(shape)
    np.testing.assert_array_equal(session(np.broadcast_to(one, some)), np.ones(some))
    with pytest.raises(ResourceError, match="memory: expected to stay within"):
        session(np.ones((1 << 18, *some[1:]), np.int64))  # whose result is a copy
    clean(live(session))


@BOTH
def test_what_was_never_written_is_nothing_of_this_process(compiled: bool) -> None:
    text = """
function main() -> tensor, registers 4:
  LoadConsti r0, 65536
  LoadConsti r1, 0
  AllocStorage r2, r0, 64, d0
  AllocTensor r3, r2, r1, [65536], uint8
  Ret r3
"""
    session = Session(executable(text, output=tensor((65536,), "uint8")), compiled=compiled)
    secrets = [bytearray(b"secret! " * 8192) for _ in range(8)]
    del secrets
    for _ in range(5):
        assert not session().any()


@BOTH
def test_a_constant_that_is_returned_again_and_again_is_copied_once(compiled: bool) -> None:
    width = 2000
    many = TuplePort((tensor((1000,)),) * width)
    text = (
        f"function main() -> adt, registers 2:\nLoadConst r0, c0\nAllocADT r1, 0, [{', '.join(['r0'] * width)}]\nRet r1"
    )
    made = np.arange(1000, dtype=np.float32)
    session = Session(executable(text, (), (), many, [constant(made)]), compiled=compiled, memory_limit=1 << 20)
    found = session()
    assert len({id(part) for part in found}) == 1
    found[0][...] = 7
    np.testing.assert_array_equal(session()[0], made)


@BOTH
def test_a_profile_adds_up(compiled: bool) -> None:
    exe, _ = mlp()
    session = Session(exe, compiled=compiled)
    profile = session.profile({"x": np.ones((50, 24), np.float32)})
    dense = [e for e in profile.events if exe.kernels[e.kernel].kind == "kernel"]
    assert [e.dims for e in dense] == [(50,), (50,)]
    assert 0 < profile.kernel_seconds < profile.seconds
    assert 0 < profile.overhead < 1
    assert sum(row.share for row in profile.rows) + profile.overhead == pytest.approx(1)
    assert profile.peak_bytes >= 50 * 48 * 4
    assert all(profile.start <= e.start <= e.end <= profile.end for e in profile.events)
    assert "not in kernels" in str(profile)
    trace = json.loads(profile.chrome_trace())["traceEvents"]
    assert {"name", "ph", "ts", "dur", "pid", "tid"} <= set(trace[0])
    assert sum(t["cat"] != "vm" for t in trace) == len(profile.events)


def test_a_trace_shows_the_time_that_is_not_kernel_time() -> None:
    """Kernels and what stands between them are the whole run, one after the other."""
    exe, _ = mlp()
    profile = Session(exe).profile({"x": np.ones((50, 24), np.float32)})
    run, *parts = json.loads(profile.chrome_trace())["traceEvents"]
    assert (run["name"], run["ts"], run["dur"]) == ("run", 0, pytest.approx(profile.seconds * 1e6))
    parts.sort(key=lambda t: t["ts"])
    assert parts[0]["name"] == "inputs"
    ends = [t["ts"] + t["dur"] for t in parts]
    assert [t["ts"] for t in parts] == pytest.approx([0, *ends[:-1]])
    assert ends[-1] == pytest.approx(run["dur"])
    rest = sum(t["dur"] for t in parts if t["cat"] == "vm")
    assert rest == pytest.approx(profile.overhead * run["dur"])


def test_a_trace_of_kernels_without_a_gap() -> None:
    exe, _ = mlp()
    number = next(i for i, k in enumerate(exe.kernels) if k.kind == "kernel")
    events = tuple(Event(number, at, at + 5, (1,), ((1, 24), ()), 100) for at in (10, 15))
    trace = json.loads(Profile(exe, 0, 30, events, 0, 0, inputs_ns=4).chrome_trace())["traceEvents"]
    spans = [(t["name"], t["ts"] * 1000, t["dur"] * 1000) for t in trace if t["cat"] == "vm"]
    rest = "not in kernels"
    assert spans == [("run", 0, 30), ("inputs", 0, 4), (rest, 4, 6), (rest, 20, 10)]


def test_a_kernel_of_many_shapes_is_one_line_of_the_table() -> None:
    exe, _ = mlp()
    number = next(i for i, k in enumerate(exe.kernels) if k.kind == "kernel")

    def profile(sizes: int) -> Profile:
        events = (Event(number, 10 * m, 10 * m + 4, (m,), ((m, 24), ()), 100) for m in range(1, sizes + 1))
        return Profile(exe, 0, 1000, tuple(events), 0, 0)

    few, many = str(profile(3)), str(profile(30))
    assert few.count(exe.kernels[number].name) == 3
    (line,) = [text for text in many.splitlines() if exe.kernels[number].name in text]
    assert line.split()[2:] == ["30", "0.00", exe.kernels[number].name, "1..30x24", "()"]
    assert line.split()[1] == "12.0%"


def test_why_names_every_kernel_and_its_share() -> None:
    exe, _ = mlp()
    session = Session(exe)
    assert [line.partition(":")[0] for line in exe.why().splitlines()] == ["dense", "dense", "shape"]
    lines = exe.why(session.profile({"x": np.ones((50, 24), np.float32)})).splitlines()
    shares = [float(share) for line in lines for share in re.findall(r"; ([\d.]+)% of the time in [01] calls?$", line)]
    assert len(shares) == 3
    assert shares == sorted(shares, reverse=True)
    (gelu,) = [line for line in lines if "gelu" in line]
    assert gelu.endswith("1 call")
    (sizes,) = [line for line in lines if "sizes" in line]
    assert sizes.endswith("0.0% of the time in 0 calls")


def test_why_has_the_longest_kernel_first() -> None:
    exe, _ = mlp()
    gelu, other = (i for i, k in enumerate(exe.kernels) if k.kind == "kernel")
    for first, then in ((gelu, other), (other, gelu)):
        events = (Event(then, 0, 10, (), (), 0), Event(first, 10, 40, (), (), 0), Event(then, 40, 50, (), (), 0))
        lines = exe.why(Profile(exe, 0, 100, events, 0, 0)).splitlines()
        assert ["gelu" in line for line in lines] == [first == gelu, first == other, False]
        ends = ["30.0% of the time in 1 call", "20.0% of the time in 2 calls", "0.0% of the time in 0 calls"]
        assert [line.rpartition("; ")[2] for line in lines] == ends


@BOTH
def test_recorded_shapes_are_weights(compiled: bool, tmp_path: Path) -> None:
    exe, _ = mlp()
    session = Session(exe, compiled=compiled)
    assert session.record_shapes().counts == {}
    for m in (3, 5, 3):
        session(np.ones((m, 24), np.float32))
    recorded = session.record_shapes(tmp_path / "shapes.json")
    for k in exe.kernels[:2]:
        assert recorded.weights(k.workload, "m") == {3: 2, 5: 1}
    text = (tmp_path / "shapes.json").read_text()
    assert ShapeHistogram.from_json(text) == recorded
    assert (recorded + recorded).weights(exe.kernels[0].workload, "m") == {3: 4, 5: 2}


def test_recordings_are_added_to(tmp_path: Path) -> None:
    exe, _ = mlp()
    first, second, path = Session(exe), Session(exe), tmp_path / "shapes.json"
    for session in (first, second):
        session.record_shapes(path)

    def met() -> dict[int, int]:
        return read_shapes(path).weights(exe.kernels[0].workload, "m")

    for m in (3, 5, 3):
        first(np.ones((m, 24), np.float32))
        first.record_shapes(path)  # what is there already is not counted again
    assert met() == {3: 2, 5: 1}
    second(np.ones((5, 24), np.float32))
    second.record_shapes(path)
    first.record_shapes(str(path))
    assert met() == {3: 2, 5: 2}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: add_shapes(path, second.record_shapes()), range(40)))
    assert met() == {3: 2, 5: 42}
    assert [p.name for p in tmp_path.iterdir()] == ["shapes.json"]
    path.write_text("mine")
    with pytest.raises(SpecError, match=r"shapes.json: a shape histogram cannot be read"):
        second.record_shapes(path)
    assert path.read_text() == "mine"
    with pytest.raises(SpecError, match="none: shapes cannot be recorded there"):
        second.record_shapes(tmp_path / "none" / "shapes.json")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", '{"format": 9, "workloads": {}}', '{"format": 1, "workloads": [1]}', "[" * 100_000, "3", "[1]"),
        *(f'{{"format": 1, "workloads": {{"w": {rows}}}}}' for rows in ("1", "[1]", "[[1, 2]]", '[[["3"], 1]]')),
        *(
            f'{{"format": 1, "workloads": {{"w": [[[{n}], {n}]]}}}}'
            for n in ("1e999", "NaN", "-1", "1.5", "true", 2**63)
        ),
        '{"format": 1, "workloads": {"w": [[[3], 1], [[3], 2]]}}',
    ],
)
def test_histograms_that_are_refused(text: str) -> None:
    with pytest.raises(SpecError):
        ShapeHistogram.from_json(text)


ELSEWHERE = """
function main(tensor) -> tensor, registers 9:
  LoadConsti r1, 12
  LoadConsti r2, 0
  DeviceCopy r3, r0, d0, d1
  AllocStorage r4, r1, 4, d1
  AllocTensor r5, r4, r2, [3], float32
  InvokePacked k0, 1, [r3, r5]
  DeviceCopy r6, r5, d1, d0
  AllocStorage r7, r1, 4, d0
  AllocTensor r8, r7, r2, [3], float32
  InvokePacked k1, 1, [r6, r0, r8]
  Ret r8
"""


def elsewhere(text: str = ELSEWHERE) -> Executable:
    three = tensor((3,))
    kernels = [kernel(EXP, ("a0_0",), 1), kernel(ADD, ("a0_0",))]
    return executable(text, kernels, [("x", three)], three, devices=("host", "second"))


@BOTH
def test_a_second_device_sees_only_its_own_memory(compiled: bool) -> None:
    device = SimulatedDevice()
    session = Session(elsewhere(), compiled=compiled, devices={"second": device})
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_allclose(session(x), np.exp(x) + x, rtol=1e-6)
    assert (device.reads, device.writes, device.runs) == (1, 1, 1)
    assert not device.live


@BOTH
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("InvokePacked k0, 1, [r3, r5]", "InvokePacked k0, 1, [r0, r5]"),
        ("InvokePacked k1, 1, [r6, r0, r8]", "InvokePacked k1, 1, [r3, r0, r8]"),
        ("DeviceCopy r6, r5, d1, d0", "DeviceCopy r6, r5, d0, d1"),
    ],
)
def test_devices_are_not_mixed(compiled: bool, old: str, new: str) -> None:
    session = Session(elsewhere(ELSEWHERE.replace(old, new)), compiled=compiled, devices={"second": SimulatedDevice()})
    with pytest.raises(ArgumentError, match="device|host"):
        session(np.zeros(3, np.float32))


LOADED_THERE = """
function main(tensor) -> tensor, registers 7:
  LoadConsti r1, 12
  LoadConsti r2, 0
  LoadConst r3, c0
  AllocStorage r4, r1, 4, d1
  AllocTensor r5, r4, r2, [3], float32
  InvokePacked k0, 1, [r3, r5]
  Ret r5
"""


@BOTH
def test_a_constant_of_a_device_is_copied_there_once(compiled: bool) -> None:
    three, held = tensor((3,)), np.arange(3, dtype=np.float32)
    kept = Constant(held, "held", device=1)
    exe = executable(
        LOADED_THERE, [kernel(EXP, ("a0_0",), 1)], [("x", three)], three, [kept], devices=("host", "second")
    )
    device = SimulatedDevice()
    session = Session(exe, compiled=compiled, devices={"second": device})
    assert (device.writes, len(device.live)) == (1, 1)
    for _ in range(2):
        np.testing.assert_allclose(session(held), np.exp(held), rtol=1e-6)
    assert (device.reads, device.writes, device.runs) == (2, 1, 2)
    returned = executable("function main() -> tensor, registers 1:\nLoadConst r0, c0\nRet r0", (), (), three, [kept],
                          devices=("host", "second"))  # fmt: skip
    np.testing.assert_array_equal(Session(returned, compiled=compiled, devices={"second": device})(), held)
    with pytest.raises(SpecError, match="constant held: device 1 of 1"):
        Session(replace(returned, devices=("host",)))
    with pytest.raises(SpecError, match="constant held: expected a packed constant on the host"):
        Session(replace(exe, constants=(replace(kept, packed=PackedFor(0, "w")),)), devices={"second": device})


def test_a_missing_device_is_named() -> None:
    with pytest.raises(SpecError, match="second"):
        Session(elsewhere())


def test_functions_that_the_table_lacks_are_named() -> None:
    from tests.support.cases.vm_executables import packed_kernel

    exe = executable('function main() -> any, registers 1:\nFatal "x"', [packed_kernel("argsort")])
    with pytest.raises(SpecError, match="argsort"):
        Session(exe)


def test_a_loop_of_a_session_without_compiled_code_is_the_same() -> None:
    n = np.array(40, np.int64)
    assert Session(loop(), compiled=False)(n) == Session(loop())(n)
