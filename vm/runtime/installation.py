"""Provenance of what the virtual machine keeps for later processes: the sources of all that takes part in it."""

from __future__ import annotations

from pathlib import Path

import anytile.codegen
import anytile.core
import anytile.db
import anytile.dispatch
import anytile.schedules
from anytile.codegen.sources import sources

_BELOW = (anytile.core, anytile.schedules, anytile.codegen, anytile.db, anytile.dispatch)
_HERE = str(Path(__file__).parents[1])
ROOMS = (*(room.__path__[0] for room in _BELOW), _HERE)  # all that this room may import, and itself


def installation() -> str:
    """What this installation's code is, as far as this room's work follows from it."""
    return sources(*ROOMS)
