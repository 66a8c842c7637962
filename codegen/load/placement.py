"""Object code into memory of this process: checked, placed, its names found.

On x86-64 a linker of our own (`linker`) loads it. LLVM's JITLink, as llvmlite's `LLJIT` offers it, was tried instead.
It links as fast (0.25 ms a kernel), holds in a crowded address space and with threads that load at once, and refuses
files cut short with an error. But a child forked while a thread loads hangs at its first own load, every time; each
kernel takes 48 KB instead of 9, of which 10 KB stay after it is unloaded, since a library's name is never free again;
and llvmlite has to be imported, which takes a saved model 40 ms of the 0.2 s to its first result.
"""

from __future__ import annotations

import platform
from collections.abc import Callable

from anytile.codegen.load.elf import complaint
from anytile.codegen.load.linker import Unlinkable, link
from anytile.core.errors import CodegenError
from anytile.schedules.hardware.cpu import machine
from anytile.schedules.hardware.target import Target


def place(code: bytes) -> Callable[[str], int]:
    """The address of each name in object code, or 0. The code is there as long as the function that is returned."""
    reason = complaint(code)
    if reason is not None:
        raise _unloadable(reason)
    return _by_linker(code) if platform.machine() == "x86_64" else _by_engine(code)


def _by_linker(code: bytes) -> Callable[[str], int]:
    try:
        linked = link(code)
    except Unlinkable as error:
        raise _unloadable(str(error)) from None
    return lambda name: linked.addresses.get(name, 0)


def _by_engine(code: bytes) -> Callable[[str], int]:
    """LLVM's own loader; on 64-bit ARM llvmlite gives it a memory manager that keeps an object's parts together."""
    import llvmlite.binding as llvm

    try:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine(Target.host()))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
    except RuntimeError as error:
        raise _unloadable(str(error).strip()) from None
    return lambda name: int(engine.get_function_address(name)) or int(engine.get_global_value_address(name))


def _unloadable(reason: str) -> CodegenError:
    return CodegenError(f"object code cannot be loaded: {reason}; build it again")
