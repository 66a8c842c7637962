"""Straight stretches of programs: where they begin and end, what they need and what they leave."""

from __future__ import annotations

from anytile.vm.interpreter.kernels import BoundPacked, BoundShape, DeviceKernel
from anytile.vm.interpreter.stretches import Span, spans_of
from tests.support.cases.vm_executables import straight

GPU, SHAPE, HOST = 0, 1, 2  # kernels


def spans(
    body: str, params: str = "tensor", registers: int = 20, devices: tuple[str, ...] = ("host", "cuda")
) -> list[Span]:
    function, program, flow = straight(body, (DeviceKernel, BoundShape, BoundPacked), params, registers, devices)
    return list(spans_of(function, program, flow))


LAYER = """
  ShapeOf r1, r0
  LoadConsti r2, 64
  AllocStorage r3, r2, 64, d0
  LoadConsti r4, 0
  AllocTensor r5, r3, r4, [], int64
  InvokePacked k1, 1, [r1, r5]
  AllocStorage r6, r5, 64, d1
  AllocTensorReg r7, r6, r4, r1, float32
  DeviceCopy r8, r0, d0, d1
  InvokePacked k0, 1, [r8, r7]
  ReshapeTensor r9, r7, r1
  LoadConsti r10, 3
  Ret r9
"""


def test_what_runs_from_the_input_to_the_result_is_one() -> None:
    assert spans(LAYER) == [Span(0, 11, (), (), (0,), (9,), (0,))]  # r10 serves nothing behind


def test_of_one_device_beside_the_host_alone() -> None:
    assert not spans(LAYER, devices=("host", "cuda", "other"))


def test_numbers_and_storage_that_come_from_before_are_needed() -> None:
    found = spans(
        """
  InvokePacked k2, 1, [r0, r1]
  AllocTensorReg r3, r2, r1, r4, float32
  InvokePacked k0, 1, [r0, r3]
  InvokePacked k0, 1, [r3, r0]
  InvokePacked k2, 1, [r0, r1]
  Ret r1
""",
        "tensor, tensor, storage, tensor, tensor",
    )
    assert found == [Span(1, 4, (1, 4), (2,), (0,), (), (2, 4))]


def test_the_host_ends_a_stretch() -> None:
    """By its kernels, by looking at what a device has, by jumps and where they lead, and by data."""
    copy = "  InvokePacked k0, 1, [r0, r0]\n"
    for between, count in (
        ("  InvokePacked k2, 1, [r0, r0]\n", 2),
        ("  DeviceCopy r1, r0, d1, d0\n", 2),
        ("  AllocADT r1, 0, [r0]\n", 2),
        ("  LoadConsti r1, 1\n  DeviceCopy r2, r1, d0, d1\n", 2),  # a copy of what the stretch itself made
        ("  LoadConsti r1, 1\n  InvokePacked k1, 1, [r1, r1]\n", 1),
        ("  InvokePacked k1, 1, [r0, r0]\n", 2),  # sizes written where others may look
        ("  Move r1, r0\n", 1),
    ):
        assert len(spans(copy + between + copy + "  Ret r0\n")) == count, between


def test_a_turn_of_a_loop_is_one_of_its_own() -> None:
    found = spans("""
L0:
  InvokePacked k0, 1, [r0, r0]
  InvokePacked k0, 1, [r0, r0]
  LoadConsti r1, 0
  If r1, r1, L0, L4
L4:
  InvokePacked k0, 1, [r0, r0]
  Ret r0
""")
    assert [(s.begin, s.end) for s in found] == [(0, 2), (4, 5)]
    assert found[0].dies == ()
