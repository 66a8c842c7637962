"""cuBLAS by its C interface, on a handle of our own: on the stream that the caller names, also in a graph.

CuPy's wrappers move the handle to CuPy's current stream and refuse a stream that is being captured. Each stream has a
workspace of its own, since calls on different streams may run at once and a graph may allocate nothing. Invariant: a
call was queued on its stream, or raised one line.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from anytile.core.errors import ArgumentError, CodegenError, UnsupportedError
from anytile.dispatch.cuda.device import CudaDevice, OutOfDeviceMemory
from anytile.dispatch.cuda.workspace import Workspaces

_WORKSPACE, _WORKSPACE_SM90 = 4 << 20, 32 << 20  # what NVIDIA recommends
_N, _T, _DEFAULT_GEMM = 0, 1, -1
_KINDS = {"bfloat16": 14, "float16": 2}  # cudaDataType
_COMPUTE_F32 = 68  # CUBLAS_COMPUTE_32F
_NO_MEMORY = 3
_STATUS = {
    1: "not initialised",
    _NO_MEMORY: "allocation failed",
    7: "invalid value",
    8: "architecture mismatch",
    11: "mapping error",
    13: "execution failed",
    14: "internal error",
    15: "not supported",
    16: "licence error",
}
_INT, _POINTER = ctypes.c_int, ctypes.c_void_p
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "cublasCreate_v2": (_POINTER,),
    "cublasGetVersion_v2": (_POINTER, _POINTER),
    "cublasSetStream_v2": (_POINTER, _POINTER),
    "cublasSetWorkspace_v2": (_POINTER, _POINTER, ctypes.c_size_t),
    "cublasSgemm_v2": (
        *(_POINTER, _INT, _INT, _INT, _INT, _INT),
        *(_POINTER, _POINTER, _INT, _POINTER, _INT, _POINTER, _POINTER, _INT),
    ),
    "cublasGemmEx": (
        *(_POINTER, _INT, _INT, _INT, _INT, _INT),
        *(_POINTER, _POINTER, _INT, _INT, _POINTER, _INT, _INT, _POINTER, _POINTER, _INT, _INT, _INT, _INT),
    ),
}


def load(major: int) -> Any:
    """The library of that CUDA version: the loader knows by its name the one that the process has already."""
    name = f"libcublas.so.{major}"
    try:
        found = ctypes.CDLL(name)
        for called, arguments in _ARGUMENTS.items():
            function = getattr(found, called)
            function.argtypes, function.restype = arguments, _INT
    except (OSError, AttributeError) as error:
        raise UnsupportedError(f"no cuBLAS was found ({name}: {' '.join(str(error).split())[:200]})") from None
    return found


class Cublas:
    """The library on one device. A handle serves one thread at a time, so a lock is held while a call is queued."""

    def __init__(self, library: Any, device: CudaDevice) -> None:
        self._library, self._device = library, device
        self._lock = threading.Lock()
        self._handle: int | None = None
        self._workspaces = Workspaces(device)
        self._nbytes = _WORKSPACE_SM90 if int(device.facts.arch[3:].rstrip("af")) >= 90 else _WORKSPACE
        self._scalars = np.array([1.0, 0.0], dtype=np.float32)

    def version(self) -> str:
        with self._lock:
            found = _INT()
            self._call("cublasGetVersion_v2", self._made(None), ctypes.addressof(found))
        return f"cuBLAS {found.value // 10000}.{found.value // 100 % 100}"

    def multiply(self, dtype: str, sizes: tuple[int, int, int], x: int, w: int, y: int, stream: int) -> None:
        """Column-major, the library sees y.T[n, m] = w[n, k] @ x.T[k, m]; the device is the current one, k > 0."""
        m, n, k = sizes
        one, zero = self._scalars.ctypes.data, self._scalars.ctypes.data + 4
        with self._lock:
            handle = self._made(stream)
            workspace = self._workspaces.address(stream, self._nbytes)
            self._call("cublasSetStream_v2", handle, stream)
            self._call("cublasSetWorkspace_v2", handle, workspace, self._nbytes)  # which the new stream has reset
            if dtype == "float32":
                self._call("cublasSgemm_v2", handle, _T, _N, n, m, k, one, w, k, x, k, zero, y, n)
            else:
                kind = _KINDS[dtype]
                operands = (one, w, kind, k, x, kind, k, zero, y, kind, n)
                self._call("cublasGemmEx", handle, _T, _N, n, m, k, *operands, _COMPUTE_F32, _DEFAULT_GEMM)

    def _made(self, stream: int | None) -> int:
        if self._handle is None:
            if stream is not None and self._device.queue(stream).capture:  # when nothing may be allocated
                raise ArgumentError("cuBLAS is captured before its first call; call it once, then capture")
            handle = _POINTER()
            self._call("cublasCreate_v2", ctypes.addressof(handle))
            self._handle = handle.value or 0
        return self._handle

    def _call(self, name: str, *arguments: int) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            words = f"cuBLAS: {name}: {_STATUS.get(status, 'unknown')} (status {status})"
            if status == _NO_MEMORY:
                raise OutOfDeviceMemory(f"{words}; use smaller sizes")
            raise CodegenError(words)
