"""DLPack export: a capsule that describes memory to whoever reads DLPack, and keeps its owner as long as that is read.

Who takes a capsule calls its deleter when it is done with the memory; a capsule that nobody took calls it when it goes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from anytile.core.dtypes import BY_NAME
from anytile.dispatch.arguments.view import DLTensor

_NAME = b"dltensor"  # of a capsule that nobody took


class _Managed(ctypes.Structure):
    """A tensor, and who is told that its memory is not read any more."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


_held: dict[int, tuple[_Managed, object, object]] = {}  # by address: what is read, its shape, and what keeps the memory


def _let_go(managed: int) -> None:
    _held.pop(managed, None)


_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _gone(capsule: int) -> None:
    if _is_valid(capsule, _NAME):
        _let_go(_pointer(capsule, _NAME))


_deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_let_go)
_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_gone)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def capsule_of(address: int, shape: Sequence[int], dtype: str, device: tuple[int, int], keeps: object) -> object:
    """A capsule of a tensor whose elements lie one behind the other; `device` is in DLPack's words."""
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    code, bits = BY_NAME[dtype].dlpack
    tensor = DLTensor(address, *device, len(shape), code, bits, 1, sizes, None, 0)
    managed = _Managed(tensor, None, ctypes.cast(_deleter, ctypes.c_void_p))
    at = ctypes.addressof(managed)
    _held[at] = managed, sizes, keeps
    made: object = _new(at, _NAME, ctypes.cast(_destructor, ctypes.c_void_p))
    return made
