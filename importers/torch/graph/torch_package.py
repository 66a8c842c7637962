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


def dtype_name(dtype: Any) -> str:
    """What numpy calls a dtype of torch; torch's own word where numpy has none."""
    return str(dtype).removeprefix("torch.")
