"""The package torch, imported when a model needs it: anytile runs without it."""

from __future__ import annotations

from typing import Any

from anytile.core.errors import UnsupportedError


def torch() -> Any:
    """The package; without it, an error that says how to get it."""
    try:
        import torch as package
    except ImportError as error:
        said = "torch programs need the package torch"
        raise UnsupportedError(f"{said} ({error}); install it: pip install 'anytile[torch]'") from None
    return package


NARROW = ("float16", "bfloat16")  # floats that programs compute in float32


def computed_in(dtype: Any) -> str:
    """The dtype in which a program has what torch has in another."""
    name = dtype_name(dtype)
    return "float32" if name in NARROW else name


def dtype_name(dtype: Any) -> str:
    """What numpy calls a dtype of torch; torch's own word where numpy has none."""
    return str(dtype).removeprefix("torch.")
