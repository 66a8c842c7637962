"""Module search path of child processes: `python -m anytile...` finds this package where nobody installed it.

In a clone the package is found by the folder that a process was started in, or by what it was told; a child that is
told to look nowhere but where packages are installed would not find it. Invariant: a child has the rooms of its parent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_SETTING = "PYTHONPATH"
_ROOT = Path(__file__).absolute().parents[2]


def with_rooms(environment: Mapping[str, str], root: Path = _ROOT) -> dict[str, str]:
    """An environment whose Python finds this package."""
    if not (root / "anytile" / "__init__.py").is_file():  # the rooms lie in the package, which was installed
        return dict(environment)
    before = environment.get(_SETTING)
    return {**environment, _SETTING: f"{root}{os.pathsep}{before}" if before else str(root)}
