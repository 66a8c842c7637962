"""Type inference: bidirectional, and gradual about sizes. A module goes in; it comes out with every type filled in.

What must hold and cannot be decided is recorded as data, and is always the business of an operator: where a call, a
written type or a result demands it, a step `expect` is put in. A check that speaks of a function's parameters alone
and always runs is a fact about them: a parameter's type becomes what the check would demand, so that dynamism which
was none is gone, and equal sizes have one name.
"""

from __future__ import annotations

from anytile.compiler.infer.module import Inferred, infer
from anytile.compiler.infer.record import Check, Refinement

__all__ = ["Check", "Inferred", "Refinement", "infer"]
