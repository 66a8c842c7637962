"""Versions that decide whether a stored measurement still describes what would be compiled today."""

from __future__ import annotations

import functools

CODEGEN_VERSION = 2


@functools.cache
def llvm_version() -> str:
    import llvmlite.binding as llvm

    return ".".join(map(str, llvm.llvm_version_info))
