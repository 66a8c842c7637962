"""A tuning request: checked once, then stored whole, so that a resumed campaign goes on as asked.

`TuneRequest.to_options` and `TuneRequest.of` are inverses; everything that decides what is measured is in the request.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from anytile.core.errors import DatabaseError, SpecError
from anytile.core.plurals import counted
from anytile.db.records.records import Campaign
from anytile.dispatch.plans.portfolio import OBJECTIVES
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import MAX_VARIANTS, DispatchPlan
from anytile.schedules.templates.base.template import Template
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import MAX_DIM, Workload
from anytile.schedules.workloads.workload import Any as Dim
from anytile.tuner.ledger.budget import default_seconds
from anytile.tuner.ledger.events import Best
from anytile.tuner.presets.workloads import CONVOLUTIONS
from anytile.tuner.protocol.candidate import Point, point_of
from anytile.tuner.protocol.codecs import codec_of
from anytile.tuner.requests.size_weights import Sizes, check_weights, typical_size
from anytile.tuner.search.strategies import STRATEGIES

CROSS_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MiB = 1 << 20
USUAL = 64  # what a symbol stands for in the search where nothing else is known of it
IMAGES = 1  # the same of a convolution's batch: images come by ones and few, and a call of 64 takes long


@dataclass(frozen=True)
class TuneRequest:
    """Workloads, a target, and how hard to try. With neither `trials` nor `seconds` a default time is set."""

    workloads: tuple[Workload, ...]
    target: Target
    strategy: str = "evolve"
    trials: int | None = None  # configs searched, all workloads together; no more challenge at any size
    seconds: float | None = None  # wall time, all workloads and phases together
    seed: int = 0
    representative: int | None = None  # what symbols stand for during the search; without one, what is usual of each
    at: Mapping[str, int] = field(default_factory=dict)  # the same for single symbols
    top_k: int = 100
    cross_sizes: tuple[int, ...] = CROSS_SIZES
    weights: Mapping[int, float] | None = None  # of sizes, for all workloads
    met: tuple[Sizes | None, ...] = ()  # the same of each workload and symbol, None where nothing was recorded
    objective: str = "geomean"  # what a plan's configs keep small over the sizes
    portfolio: int = 3
    code_budget: int = 4 * MiB
    early_stop: int | None = 160  # configs without an improvement after which the search ends; None: never
    batch: int = 16
    template: str | None = None  # without one, all that serve a workload compete
    counts: tuple[float, ...] = ()  # how often each workload runs in the model; () is once each
    cold: bool = False  # learn nothing from older campaigns

    def __post_init__(self) -> None:
        object.__setattr__(self, "workloads", tuple(w.anchor for w in self.workloads))  # a tail rides along
        object.__setattr__(self, "counts", tuple(self.counts))
        object.__setattr__(self, "cross_sizes", tuple(sorted(set(self.cross_sizes))))
        if not self.workloads:
            raise SpecError("tune: no workload; expected at least one, as in dense(m=?, n=768, k=768)")
        twice = [w for i, w in enumerate(self.workloads) if w in self.workloads[:i]]
        if twice:
            raise SpecError(f"tune: {twice[0]} is given twice, tails apart; give it once")
        for workload in self.workloads:
            if any(dim == 0 for _, dim in workload.dims):
                raise SpecError(f"tune: {workload} has nothing in it at any size, and nothing to measure; leave it out")
            if workload.spec.over:
                raise SpecError(f"tune: {workload} writes over {workload.spec.over}, and has its default; leave it out")
        for name in ("trials", "top_k", "portfolio", "batch", "code_budget", "early_stop"):
            _positive(name, getattr(self, name))
        _size("representative", self.representative)
        if self.portfolio > MAX_VARIANTS:
            raise SpecError(f"tune: portfolio={self.portfolio}: a plan has {MAX_VARIANTS} configs at most")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise SpecError(f"tune: seed={self.seed!r} is not a whole number")
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds > 0):
            raise SpecError(f"tune: a time of {self.seconds} s; expected more than 0")
        if self.counts and len(self.counts) != len(self.workloads):
            given, wanted = counted(len(self.counts), "count"), counted(len(self.workloads), "workload")
            raise SpecError(f"tune: {given} for {wanted}; give one for each")
        for count in self.counts:
            if not (math.isfinite(count) and count > 0):
                raise SpecError(f"tune: a workload that runs {count} times; expected a number above 0")
        if not self.cross_sizes:
            raise SpecError("tune: no cross-evaluation sizes; expected at least one, as in 1,2,4,8")
        for size in self.cross_sizes:
            _size("cross-evaluation size", size)
        symbols = {symbol for workload in self.workloads for symbol in workload.symbols}
        for symbol, size in self.at.items():
            if symbol not in symbols:
                raise SpecError(f"tune: no workload has a symbol {symbol!r}; expected {_listed(symbols)}")
            _size(f"representative {symbol}", size)
        if self.weights is not None:
            check_weights(self.weights)
            if not symbols:
                raise SpecError("tune: weights of sizes, and every size is known; leave them out, or write m=? for one")
        self._check_met()
        if self.strategy not in STRATEGIES:
            raise SpecError(f"tune: no strategy {self.strategy!r}; expected {_listed(STRATEGIES)}")
        if self.objective not in OBJECTIVES:
            raise SpecError(f"tune: no objective {self.objective!r}; expected {_listed(OBJECTIVES)}")
        if self.seconds is None and self.trials is None:
            object.__setattr__(self, "seconds", default_seconds(len(self.workloads)))

    def _check_met(self) -> None:
        if self.met and self.weights is not None:
            raise SpecError("tune: weights for all workloads and recorded ones for each; give one of them")
        if self.met and len(self.met) != len(self.workloads):
            raise SpecError(f"tune: recorded sizes of {len(self.met)} of {len(self.workloads)} workloads; give all")
        for workload, sizes in zip(self.workloads, self.met, strict=False):
            if sizes is not None and set(sizes) != set(workload.symbols):
                raise SpecError(f"tune: recorded sizes of {_listed(sizes)}; expected those of {workload}")
            for weights in (sizes or {}).values():
                check_weights(weights)

    def templates(self, workload: Workload) -> tuple[Template, ...]:
        """The pinned template, or all that serve the workload."""
        found = templates_for(workload, self.target)
        pinned = tuple(t for t in found if self.template in (None, t.name))
        if pinned:
            return pinned
        names = _listed(t.name for t in found)
        raise SpecError(f"tune: no template {self.template!r} for {workload}; expected {names}")

    def require_served(self) -> None:
        """What only templates know: that each workload has one."""
        for workload in self.workloads:
            self.templates(workload)

    def representative_point(self, workload: Workload) -> Point:
        """What symbols stand for in the search: what was asked for, else what is typical of the sizes that were met,
        else one image where the symbol is the batch of a convolution, else 64."""
        found = {}
        for symbol in workload.symbols:
            met = self._met_by(workload, symbol)
            usual = self._usual(workload, symbol) if met is None else typical_size(met, max(self.cross_sizes))
            found[symbol] = self.at.get(symbol, usual)
        return point_of(found)

    def _usual(self, workload: Workload, symbol: str) -> int:
        if self.representative is not None:
            return self.representative
        return IMAGES if _counts_images(workload, symbol) else USUAL

    def weights_of(self, workload: Workload, symbol: str | None) -> Mapping[int, float] | None:
        """How much the sizes of a symbol count for a workload; None where all count alike. Where nobody said, twice as
        many images count half as much."""
        if self.weights is not None or symbol is None:
            return self.weights
        met = self._met_by(workload, symbol)
        few = {size: 1 / size for size in self.cross_sizes} if _counts_images(workload, symbol) else None
        return few if met is None else met

    def _met_by(self, workload: Workload, symbol: str) -> Mapping[int, float] | None:
        sizes = self.met[self.workloads.index(workload)] if self.met else None
        return None if sizes is None else sizes[symbol]

    def count_of(self, workload: Workload) -> float:
        return self.counts[self.workloads.index(workload)] if self.counts else 1.0

    def to_options(self) -> dict[str, Any]:
        """JSON-able; workloads and target are fields of the campaign itself."""
        options = _CODEC.dump(self)
        del options["workloads"], options["target"]
        return options

    @classmethod
    def of(cls, campaign: Campaign) -> TuneRequest:
        """The request that a stored campaign was started with."""
        try:
            return _CODEC.load(campaign.options.get("request"), workloads=campaign.workloads, target=campaign.target)
        except SpecError as error:
            raise DatabaseError(
                f"campaign {campaign.id}: its stored request cannot be read ({error}); start a new campaign"
            ) from None


_CODEC = codec_of(TuneRequest)


@dataclass(frozen=True)
class CampaignResult:
    """What came of a campaign. `plans` lacks the workloads for which nothing could be measured."""

    campaign_id: str
    state: str
    reason: str
    plans: Mapping[Workload, DispatchPlan]
    best: tuple[Best, ...]
    trials: int
    elapsed: float


def _counts_images(workload: Workload, symbol: str) -> bool:
    batch = workload.dim("n") if workload.op in CONVOLUTIONS else None
    return isinstance(batch, Dim) and batch.name == symbol


def _positive(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SpecError(f"tune: {name}={value!r} is not a positive whole number")


def _size(name: str, value: object) -> None:
    """What a dimension may be, and so what a trial may have been measured at."""
    _positive(name, value)
    if isinstance(value, int) and value > MAX_DIM:
        raise SpecError(f"tune: {name}={value} is out of range; expected 1 to {MAX_DIM}")


def _listed(names: Any) -> str:
    return ", ".join(sorted(names)) or "none"
