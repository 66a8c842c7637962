"""Type inference: bidirectional, and gradual about sizes. A module goes in; it comes out with every type filled in.

What must hold and cannot be decided is recorded as data. A check of `main` or another function that only speaks about
its parameters and always runs is a fact about them: the parameter's type becomes what the check would demand, so that
dynamism which was none is gone, and equal sizes have one name.
"""

from __future__ import annotations

from anytile.compiler.infer.module import Inferred, infer
from anytile.compiler.infer.record import Check, Refinement

__all__ = ["Check", "Inferred", "Refinement", "infer"]
