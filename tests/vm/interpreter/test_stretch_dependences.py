"""Dependences of a straight stretch: what follows from which of its sizes, and what must be made again with it."""

from __future__ import annotations

from anytile.vm.interpreter.kernels import BoundShape, DeviceKernel
from anytile.vm.interpreter.stretch_dependences import Dependences, dependences_of
from anytile.vm.interpreter.stretches import spans_of
from tests.support.cases.vm_executables import straight

FIRST, SECOND = 1, 2  # bits of the two tensors


def dependences(body: str) -> Dependences:
    function, program, flow = straight(body, (DeviceKernel, BoundShape), "tensor, tensor")
    (span,) = spans_of(function, program, flow)
    assert span.tensors == (0, 1)
    return dependences_of(span, function, program, flow)


TWO = """
  ShapeOf r2, r0
  LoadConsti r3, 64
  AllocStorage r4, r3, 64, d0
  LoadConsti r5, 0
  AllocTensor r6, r4, r5, [], int64
  InvokePacked k1, 1, [r2, r6]
  AllocStorage r7, r6, 64, d1
  AllocTensorReg r8, r7, r5, r2, float32
  InvokePacked k0, 1, [r0, r8]
  ShapeOf r9, r1
  AllocStorage r10, r3, 64, d1
  AllocTensorReg r11, r10, r5, r9, float32
  InvokePacked k0, 1, [r1, r11]
  InvokePacked k0, 1, [r8, r11]
  Ret r11
"""


def test_what_follows_from_a_size_and_the_memory_of_the_host_that_it_is_written_to() -> None:
    found = dependences(TWO)
    assert found.rows(FIRST) == (0, 2, 4, 5, 6, 7, 8, 13)
    assert found.rows(SECOND) == (9, 11, 12, 13)
    assert found.rows(0) == ()
    assert found.reads[8] == ((0, None), (8, 7))
    assert (found.makes[5], found.makes[8]) == ((6,), ())
    assert (found.made_by[6], found.made_by[11]) == (5, 11)


def test_what_lies_in_the_same_storage_is_made_again_together() -> None:
    """Numbers of the second tensor's shape lie beside those of the first, in memory that is allocated once."""
    beside = """
  AllocTensor r12, r4, r3, [], int64
  ShapeOf r9, r1
  InvokePacked k1, 1, [r9, r12]
  AllocStorage r10, r12, 64, d1
"""
    body = TWO.replace("\n  ShapeOf r9, r1", "").replace("\n  AllocStorage r10, r3, 64, d1\n", beside)
    found = dependences(body)
    storage, first, second = 2, 5, 11
    assert found.makes[second] == (12,)
    for changed in (FIRST, SECOND):
        assert {storage, first, second} <= set(found.rows(changed))
