"""Code of one kernel: out of the local cache under a key of its plan, or built from it and kept there."""

from __future__ import annotations

from dataclasses import dataclass

import anytile.codegen
import anytile.dispatch
import anytile.schedules
from anytile.codegen.artifact import Artifact
from anytile.codegen.cache import CodeCache, key_of
from anytile.codegen.sources import sources
from anytile.dispatch.backends import backend
from anytile.schedules.hardware.cpu import features
from anytile.schedules.plans.plan import DispatchPlan


@dataclass(frozen=True, slots=True)
class Wanted:
    """Code that is wanted of a plan; `kind` says what is known of code that is kept under its key."""

    kind: str
    plan: DispatchPlan
    text: str  # the plan's JSON

    @staticmethod
    def of(kind: str, plan: DispatchPlan) -> Wanted:
        return Wanted(kind, plan, plan.to_json())

    def key(self) -> str:
        offers = features(self.plan.target) if self.plan.target.kind == "llvm" else ""
        rooms = sources(*(room.__path__[0] for room in (anytile.schedules, anytile.codegen, anytile.dispatch)))
        return key_of(self.kind, self.text, offers, backend(self.plan.target).compiler(), rooms)


def kept(wanted: Wanted, cache: CodeCache) -> Artifact | None:
    return cache.get(wanted.key())


def built(wanted: Wanted, cache: CodeCache) -> Artifact:
    made = backend(wanted.plan.target).compile(wanted.plan, cache=cache)
    cache.put(wanted.key(), made)
    return made
