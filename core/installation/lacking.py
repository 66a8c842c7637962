"""Missing packages of others, in a line: which one, and how it comes here.

Every part of the house names its packages where it uses them, so that much works where few are installed; what does
not says so like any other error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anytile.core.errors import UnsupportedError


def lacking(error: ModuleNotFoundError) -> str | None:
    """What is not installed, and the next step; None where the module is one of ours, whose absence is a defect."""
    package = (error.name or "").partition(".")[0]
    if package in ("", "anytile"):
        return None
    return f"{package} is not installed; pip install {package}"


LOOKING_UP = "looking a plan up", "give the plan itself (plan=, locked=)"


@contextmanager
def packages_for(purpose: str, otherwise: str) -> Iterator[None]:
    """What is imported here is for that purpose, which an error names, and what would do without."""
    try:
        yield
    except ModuleNotFoundError as error:
        found = lacking(error)
        if found is None:
            raise
        raise UnsupportedError(f"{purpose}: {found}, or {otherwise}") from None
