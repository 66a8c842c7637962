"""Versions that decide whether a stored measurement still describes what would be compiled today."""

from __future__ import annotations

import functools

from anytile.schedules.hardware.llvm_library import version

CODEGEN_VERSION = 2


@functools.cache
def llvm_version() -> str:
    return ".".join(map(str, version()))
