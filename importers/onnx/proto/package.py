"""The `onnx` package, which is optional: imported where it is needed first, and what to do where it is missing."""

from __future__ import annotations

from typing import Any

from anytile.core.errors import UnsupportedError


def onnx() -> Any:
    """The package."""
    try:
        import onnx as package
        import onnx.defs
        import onnx.numpy_helper
    except ImportError:
        raise UnsupportedError(
            "ONNX models need the package onnx, which is not installed: pip install 'anytile[onnx]'"
        ) from None
    return package
