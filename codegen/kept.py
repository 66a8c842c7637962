"""LLVM IR that is kept as text beside the C of which it was compiled ahead of time (see `scripts/runtime`)."""

from __future__ import annotations

from pathlib import Path


def kept_ir(module: str, name: str) -> str:
    """The text called so, in the folder of a Python module's file or in one below it."""
    return (Path(module).parent / f"{name}.ll").read_text(encoding="ascii")
