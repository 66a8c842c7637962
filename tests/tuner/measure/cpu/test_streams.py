"""The bandwidth probes read what they say, from where they say."""

from __future__ import annotations

import re

import numpy as np

from anytile.codegen.llvm.compile import assembly
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target
from anytile.tuner.measure.cpu.streams import PIECE, Streams, stream_ir
from anytile.tuner.protocol.machine_state import Part

HOST = Target.host()


def test_a_look_takes_microseconds_and_leaves_what_it_reads() -> None:
    streams = Streams()
    assert 1e-7 < streams.memory() < 1e-2
    operand = np.arange(4 * PIECE, dtype=np.uint8)
    before = operand.copy()
    assert 1e-7 < streams.cache(operand.ctypes.data, operand.nbytes) < 1e-2
    assert (operand == before).all()


def test_its_loop_reads_and_does_nothing_else() -> None:
    text = assembly(stream_ir(facts(HOST).lanes), HOST)
    assert len(re.findall(r"\bv?mov[au]p[sd]\b|\bv?movdq[au]\w*\b|\bld[pr]\b", text)) >= 4
    assert not re.search(r"\bv?(add|mul|fmadd)\w*p[sd]\b", text)


def test_memory_is_looked_at_beside_what_the_cores_own_caches_do_not_hold() -> None:
    streams, here = Streams(), facts(HOST)
    assert streams.parts(here.l1_bytes) == {Part.ARITHMETIC}
    assert Part.MEMORY in streams.parts(8 * max(here.l2_bytes, here.l3_bytes))
    assert not streams.reaches(here.l2_bytes)
