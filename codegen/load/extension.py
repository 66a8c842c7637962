"""Extension functions: kept native code in this process, whose functions Python calls as any that is written in C.

Such a call costs a tenth of one through ctypes. The code may look at objects, and learns where their fields are from
its `anytile_facts`. What was made by it may go when the process ends, after all modules: it is loaded for good.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anytile.codegen.cache import CodeCache
from anytile.codegen.llvm.compile import ATTRIBUTES, compiled
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.target import Target

FASTCALL, VARARGS = 0x80, 0x3  # how a method table says f(self, args, count), and f(self, args, kwargs)


class Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Extension:
    """A module of kept code. `facts` are words that it needs beside those that all need."""

    def __init__(self, ir: str, entry: str, facts: Sequence[int] = ()) -> None:
        self.loaded = Loaded(compiled(ir + ATTRIBUTES, Target.host(), entry, CodeCache()))
        words = (object.__basicsize__, tuple.__basicsize__, id(np.ndarray), *facts)
        ctypes.memmove(self.loaded.address("anytile_facts"), (ctypes.c_int64 * len(words))(*words), 8 * len(words))
        self._methods: dict[str, Method] = {}
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))

    def function(self, name: str, bound: object = None, flags: int = FASTCALL) -> Callable[..., Any]:
        """A function of the module; `bound` is its self."""
        method = self._methods.setdefault(name, Method(name.encode(), self.loaded.address(name), flags, None))
        make = ctypes.pythonapi.PyCFunction_NewEx
        make.argtypes, make.restype = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p], ctypes.py_object
        made: Callable[..., Any] = make(ctypes.addressof(method), bound, None)
        return made
