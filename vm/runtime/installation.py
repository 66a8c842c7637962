"""Provenance of what the virtual machine keeps for later processes: the sources of all that takes part in it."""

from __future__ import annotations

from pathlib import Path

from anytile.codegen.sources import sources
from anytile.dispatch.cpu import plan_key

ROOMS = (*plan_key.ROOMS, str(Path(__file__).parents[1]))  # all that this room may import, and itself


def installation() -> str:
    """What this installation's code is, as far as this room's work follows from it."""
    return sources(*ROOMS)
