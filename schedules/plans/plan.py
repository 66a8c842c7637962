"""Dispatch plans: which kernel runs at which size, as data.

A plan holds *variants* (a template's config and how its residues are treated) and *ranges* of one symbolic dimension,
each naming the variant, or the library, that runs there and the figures that spoke for it. Ranges are sorted, do not
overlap, and cover every size from 0 up. A plan knows nothing of machine code; `build` turns it into some.

Residue classes of a tile t partition 0..t-1 into runs of neighbouring residues. A class of one residue is compiled
with the residue known; a wider class computes its largest residue and guards the stores. Modes in their short form:

    dispatch/8      8 classes (with t = 8: one kernel per residue)
    dispatch/2      2 classes of neighbouring residues
    none            no substitution at all: every row of every tile is guarded
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from anytile.core.errors import SpecError
from anytile.core.record_codec import (
    INTEGER,
    NUMBER,
    OBJECT,
    TEXT,
    Codec,
    Form,
    Misfit,
    document,
    optional,
    parsed,
    taken,
    tuple_of,
)
from anytile.schedules.hardware.target import Target
from anytile.schedules.templates.base.space import Config
from anytile.schedules.workloads.workload import Workload

PLAN_FORMAT = 1
MAX_VARIANTS = 64
MAX_RANGES = 4096
MAX_LIBRARIES = 8
MAX_TILE = 4096  # rows, and so residue classes
DEEPEST_NOTES = 32
NOTES = document(DEEPEST_NOTES)
GPU_RESTS = 4
MET = "met"  # the note on the templates of which configs were measured
UNTUNED = "untuned"  # the note on what runs untuned: its time as a multiple of the plan's, by size
FOOTING = "footing"  # the note on what a plan rests on: how many trials and samples, and how far those are apart


@dataclass(frozen=True, slots=True)
class Variant:
    """One config, and the residue classes of its tile: `classes[i]` is (lowest, highest) residue. () means `none`."""

    template: str
    config: Config
    tile: int
    classes: tuple[tuple[int, int], ...]

    @property
    def mode(self) -> str:
        """How it treats residues, in short. Of a tile of one there are none."""
        return mode(self.classes) if self.tile > 1 else "no residues"

    def classes_at(self, sizes: Collection[int] | None) -> tuple[tuple[int, int], ...]:
        """Those of the classes that some sizes need; None needs all of them."""
        if sizes is None:
            return self.classes
        rests = {size % self.tile for size in sizes}
        return tuple((low, high) for low, high in self.classes if any(low <= r <= high for r in rests))

    @property
    def residues(self) -> str:
        """The classes one by one: `dispatch/2 of a tile of 8: rests 0..3, 4..7`."""
        if self.tile == 1:
            return self.mode
        rests = ", ".join(str(low) if low == high else f"{low}..{high}" for low, high in self.classes)
        return f"{self.mode} of a tile of {self.tile}: {f'rests {rests}' if rests else 'every row is guarded'}"


@dataclass(frozen=True, slots=True)
class Range:
    """Sizes `low..high` (inclusive; None is without end) run `runs`: a variant's number, or a library's name."""

    low: int
    high: int | None
    runs: int | str
    seconds: float | None = None  # what was measured or predicted at `at`
    at: int | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class DispatchPlan:
    """Everything needed to build the one callable that serves a workload at every size."""

    workload: Workload
    target: Target
    symbol: str | None  # the dimension that ranges and residues speak of; None for a concrete workload
    variants: tuple[Variant, ...]
    ranges: tuple[Range, ...]
    notes: Mapping[str, Any]

    def __post_init__(self) -> None:
        for count, most, what in (
            (len(self.variants), MAX_VARIANTS, "variants"),
            (len(self.ranges), MAX_RANGES, "ranges"),
            (len(libraries_of(self)), MAX_LIBRARIES, "libraries"),
            (max((v.tile for v in self.variants), default=0), MAX_TILE, "rows of a tile"),
        ):
            if count > most:
                raise SpecError(f"plan for {self.workload}: {count} {what}; expected {most} at most")
        expected: int | None = 0
        for r in self.ranges:
            if r.low != expected or (r.high is not None and r.high < r.low):
                raise SpecError(f"plan for {self.workload}: range {r.low}..{r.high} should start at {expected}")
            if isinstance(r.runs, int) and not 0 <= r.runs < len(self.variants):
                missing = f"variant {r.runs}, which is not there"
                raise SpecError(f"plan for {self.workload}: range {r.low}..{r.high} names {missing}")
            expected = None if r.high is None else r.high + 1
        if expected is not None:
            raise SpecError(f"plan for {self.workload}: the last range must be without end")
        if self.symbol is None and len(self.ranges) > 1:
            raise SpecError(f"plan for {self.workload}: ranges need a symbol to speak of")
        if self.symbol is not None and self.symbol not in self.workload.symbols:
            raise SpecError(f"plan for {self.workload}: it has no symbol {self.symbol!r}")
        for v in self.variants:
            edges = [0, *(high + 1 for _, high in v.classes)]
            joined = [low for low, _ in v.classes] == edges[:-1] and all(low <= high for low, high in v.classes)
            if v.tile < 1 or (v.classes and not (joined and edges[-1] == v.tile)):
                raise SpecError(f"plan for {self.workload}: {v.classes} do not partition a tile of {v.tile}")

    @property
    def is_uniform(self) -> bool:
        """Whether it runs one kernel in one way, whatever the size of its symbol."""
        only = self.ranges[0].runs
        is_whole = len(self.ranges) == 1 and isinstance(only, int) and self.variants[only].tile == 1
        return self.symbol is None or is_whole

    def range_at(self, size: int) -> Range:
        """What a size of the plan's symbol runs."""
        for r in self.ranges:
            if r.high is None or size <= r.high:
                return r
        raise AssertionError("the last range has no end")

    def to_json(self) -> str:
        """One canonical line."""
        return json.dumps({"format": PLAN_FORMAT, **_PLAN.dump(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> DispatchPlan:
        """Read a plan back; whatever is wrong with it is a SpecError, since plans come out of shared databases."""
        try:
            data = json.loads(text)
            if (found := taken(OBJECT.load(data), "format", INTEGER)) != PLAN_FORMAT:
                raise SpecError(f"plan format {found} is not {PLAN_FORMAT}; upgrade anytile to read it")
            return _PLAN.load(data)
        except (ValueError, RecursionError, Misfit) as error:
            raise SpecError(f"a stored plan cannot be read: {error}; tune again for one that can") from None


def _runs(value: object) -> int | str:
    return INTEGER.load(value) if isinstance(value, int) else TEXT.load(value)


WORKLOAD = parsed(Workload.parse, 4096)
TARGET = parsed(Target.parse, 1024)
CONFIG = parsed(Config.parse, 65536)
_PLAN = Codec(
    DispatchPlan,
    more=True,
    workload=WORKLOAD,
    target=TARGET,
    symbol=optional(TEXT),
    variants=tuple_of(
        Codec(
            Variant,
            more=True,
            template=TEXT,
            config=CONFIG,
            tile=INTEGER,
            classes=tuple_of(tuple_of(INTEGER, 2)),
        ).as_object
    ),
    ranges=tuple_of(
        Codec(
            Range,
            low=INTEGER,
            high=optional(INTEGER),
            runs=Form(_runs),
            seconds=optional(NUMBER),
            at=optional(INTEGER),
            because=TEXT,
        ).as_list
    ),
    notes=NOTES,
)


def libraries_of(plan: DispatchPlan) -> tuple[str, ...]:
    """The libraries that some range of a plan runs."""
    return tuple(sorted({r.runs for r in plan.ranges if isinstance(r.runs, str)}))


def template_versions(plan: DispatchPlan) -> dict[str, int]:
    """The version of each template that the plan was made with, as far as its notes say so."""
    noted = plan.notes.get("templates")
    return {name: v for name, v in noted.items() if isinstance(v, int)} if isinstance(noted, Mapping) else {}


def templates_met(plan: DispatchPlan) -> tuple[str, ...]:
    """Those of which configs were measured for the plan, as far as its notes say so; else those that it runs."""
    noted = plan.notes.get(MET)
    return tuple(map(str, noted)) if isinstance(noted, list) else tuple(template_versions(plan))


def mode(classes: Sequence[tuple[int, int]]) -> str:
    """The short form: `dispatch/8`, `none`."""
    return f"dispatch/{len(classes)}" if classes else "none"


def default_classes(kind: str, tile: int) -> tuple[tuple[int, int], ...]:
    """How residues are treated before anything was measured: on a CPU each has its kernel. On a GPU the rest is one
    block of many that run at once: it is known whether there is one, and to a quarter of a tile how long it is."""
    if kind == "cuda" and tile > GPU_RESTS:
        rests = ((low + 1, high + 1) for low, high in residue_classes(tile - 1, GPU_RESTS))
        return ((0, 0), *rests)
    return residue_classes(tile, tile)


def in_classes(plan: DispatchPlan, count: int) -> DispatchPlan:
    """The plan with every variant in `count` classes, or as many as its tile has residues; 0 is `none`."""
    if count < 0:
        raise SpecError(f"dispatch/{count}: expected a number of residue classes, or none")
    if plan.symbol is None:
        raise SpecError(f"plan for {plan.workload}: no dimension that it ranges over has residues")
    treated = [residue_classes(v.tile, min(count, v.tile)) if count else () for v in plan.variants]
    return replace(plan, variants=tuple(replace(v, classes=c) for v, c in zip(plan.variants, treated, strict=True)))


def residue_classes(tile: int, count: int) -> tuple[tuple[int, int], ...]:
    """Partition residues 0..tile-1 into `count` runs of neighbours, as even as can be."""
    if not 1 <= count <= tile:
        raise SpecError(f"dispatch/{count}: a tile of {tile} has between 1 and {tile} residue classes")
    edges = [i * tile // count for i in range(count + 1)]
    return tuple((lo, hi - 1) for lo, hi in pairwise(edges))
