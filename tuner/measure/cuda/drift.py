"""Drift of a GPU's speed, by a reference kernel of multiply-adds in registers, which follows the clock alone.

The first timing finds how many rounds take long enough to be measured, and runs long enough to bring a GPU out of its
idle clock; what is answered is seconds per round, so that it may be compared with another process's.
"""

from __future__ import annotations

import functools

from anytile.codegen.cuda.launch import Launch
from anytile.codegen.cuda.nvrtc import compile_cubin
from anytile.dispatch.cuda.code import Kernel
from anytile.dispatch.cuda.device import CudaDevice, Memory
from anytile.dispatch.cuda.loaded import Frame, Ready
from anytile.schedules.index.expr import const

TEXT = """
extern "C" __global__ void __launch_bounds__(128) reference(float* out, long long rounds) {
  float a = threadIdx.x * 0.01f, b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
  for (long long i = 0; i < rounds; ++i) {
    a = a * 0.5f + 0.01f;
    b = b * 0.5f + 0.01f;
    c = c * 0.5f + 0.01f;
    d = d * 0.5f + 0.01f;
  }
  out[blockIdx.x * 128 + threadIdx.x] = a + b + c + d;
}
"""
_THREADS = 128
_LONG_ENOUGH = 1e-3
_WARM = 0.02
_TRIES = 3


@functools.cache
def reference_kernel(arch: str) -> Kernel:
    one = const(1)
    launch = Launch("reference", (one, one, one), (_THREADS, 1, 1))
    return Kernel(TEXT, compile_cubin(TEXT, arch).data, arch, launch)


class Reference:
    """Times the kernel on one device; its first call takes a few dozen milliseconds."""

    def __init__(self, device: CudaDevice, kernel: Kernel) -> None:
        self._device = device
        self._function = device.load(kernel)
        self._blocks = device.facts.sms
        self._out: Memory = device.allocate(4 * _THREADS * self._blocks)
        self._stream = device.new_stream()
        self._rounds = 0

    def __call__(self) -> float:
        if not self._rounds:
            self._calibrate()
        return min(self._seconds(self._rounds) for _ in range(_TRIES)) / self._rounds

    def _calibrate(self) -> None:
        rounds, spent = 64, 0.0
        while True:
            seconds = self._seconds(rounds)
            spent += seconds
            if seconds >= _LONG_ENOUGH and spent >= _WARM:
                break
            rounds *= 2 if seconds < _LONG_ENOUGH else 1
        self._rounds = rounds

    def _seconds(self, rounds: int) -> float:
        ready = Ready(self._function, (self._blocks, 1, 1), 0, (rounds,), (0, 0, 0))
        frame = Frame(1, ready)
        frame.values[0] = self._out.address
        grid, stream = ready.grid, self._stream
        return self._device.seconds(stream, lambda: self._device.launch(self._function, grid, stream, frame.address))
