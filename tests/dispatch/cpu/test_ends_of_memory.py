"""Kernels read nothing behind their operands: each ends where memory does, before a page that nobody may touch."""

from __future__ import annotations

import subprocess
import sys

import pytest

WORKLOADS = (
    "max_pool2d(n=?, c=3, h=?, w=?, kernel=2, stride=2, layout=nchw)",
    "avg_pool2d(n=?, c=3, h=?, w=?, kernel=2, stride=3, layout=nchw)",
    "max_pool2d(n=?, c=3, h=?, w=?, kernel=1, stride=4, layout=nchw)",
    "max_pool2d(n=?, c=3, h=?, w=?, kernel=3, stride=2, pad=1, layout=nchw)",
    "avg_pool2d(n=?, c=3, h=?, w=?, kernel=2, layout=nhwc)",
)

PROGRAM = """
import ctypes, itertools, mmap, sys
import numpy as np
from anytile import build
from anytile.dispatch.cpu.build import signature
from anytile.schedules.workloads.workload import Workload

libc = ctypes.CDLL(None, use_errno=True)
kept = []

def at_the_end(values):
    size = mmap.PAGESIZE * (1 + -(-max(values.nbytes, 1) // mmap.PAGESIZE))
    area = mmap.mmap(-1, size)
    kept.append(area)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    if libc.mprotect(ctypes.c_void_p(start + size - mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), 0):
        raise OSError(ctypes.get_errno(), "mprotect")
    first = size - mmap.PAGESIZE - values.nbytes
    made = np.frombuffer(area, values.dtype, values.size, first).reshape(values.shape)
    made[...] = values
    return made

rng = np.random.default_rng(0)
for text in sys.argv[1:]:
    workload = Workload.parse(text)
    kernel = build(workload, target="llvm -threads=1")
    (shape,) = (p.shape for p in signature(workload).params if p.name == "x")
    for n, h, w in itertools.product((1, 2), (4, 9), (*range(4, 40), 63, 64, 65, 66, 67, 128, 129)):
        sizes = {"n": n, "h": h, "w": w}
        x = rng.standard_normal([e.value or e.evaluate(sizes) for e in shape], np.float32)
        expected = kernel(x)
        given, out = at_the_end(x), at_the_end(np.empty_like(expected))
        kernel(given, out=out)
        np.testing.assert_array_equal(out, expected)
        kept.clear()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages are protected by Linux's mprotect")
@pytest.mark.parametrize("workload", WORKLOADS)
def test_nothing_behind_an_operand_is_touched(workload: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, workload], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{workload}: {done.stderr[-2000:] or f'ended with {done.returncode}'}"
    assert done.stdout == "done\n"
