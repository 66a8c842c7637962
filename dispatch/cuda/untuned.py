"""Default plans on GPUs: for what nobody tuned a few configs by rows, chosen by an estimate. Nothing is measured.

What is fast at one row is slow at a thousand: few rows stream the weight, many fill tiles. `gpu_estimate` says how long
a config takes, roughly; of all that are likely a small portfolio is kept, since each is compiled. Operators without
templates that can be estimated have one config, and no plan of this kind.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace

from anytile.core.errors import UnsupportedError
from anytile.dispatch.cuda.beyond import UNSPLIT, is_split
from anytile.dispatch.plans.matrix import Grid, Matrix, Row
from anytile.dispatch.plans.portfolio import choose_portfolio
from anytile.schedules.hardware.target import Target
from anytile.schedules.plans.plan import DispatchPlan, Range, Variant, default_classes
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.base.template import ranged_symbol, ranged_tile
from anytile.schedules.templates.cuda.untuned import Estimated, estimated, estimates
from anytile.schedules.templates.registry import templates_for
from anytile.schedules.workloads.workload import Workload

IN_DOUBT = 1.25  # templates for few rows are taken where they are, unless estimated worse by more than this
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)
VARIANTS = 4
_BECAUSE = "chosen by an estimate of its traffic and occupancy, nothing was measured; tune it"


@functools.lru_cache(64)
def untuned_plan(workload: Workload, target: Target) -> DispatchPlan | None:
    """For each size the estimate's choice, as far as a portfolio of `VARIANTS` allows."""
    able = next(filter(estimated, templates_for(workload, target)), None)
    if able is None:
        return None
    m, symbol = workload.dim("m"), ranged_symbol(able, workload)
    sizes = (m,) if isinstance(m, int) else SIZES
    matrix = _matrix(workload, target, sizes)
    chosen = choose_portfolio(matrix, VARIANTS if len(sizes) > 1 else 1).rows
    runs = [chosen[i] for i in _fastest(matrix.medians[list(chosen)])]
    rows = list(dict.fromkeys(runs))
    variants = tuple(_variant(matrix.rows[r], symbol, target) for r in rows)
    ranges: list[Range] = []
    for size, row in zip((0, *(size + 1 for size in sizes)), runs, strict=False):
        if not ranges or ranges[-1].runs != rows.index(row):
            ranges.append(Range(size, None, rows.index(row), because=f"{matrix.rows[row].template} was {_BECAUSE}"))
    cut = [replace(a, high=b.low - 1) for a, b in itertools.pairwise(ranges)]
    return DispatchPlan(workload, target, symbol, variants, (*cut, ranges[-1]), {"decisions": [_BECAUSE]})


def _matrix(workload: Workload, target: Target, sizes: Sequence[int]) -> Matrix:
    """The best config of each template at each size, estimated at all of them."""
    able = [t for t in templates_for(workload, target) if estimated(t)]
    each = [_choices({t: _fitting(t, workload, target, size) for t in able}) for size in sizes]
    found = [(t, [at[t] for at in each]) for t in able]
    rows: dict[tuple[str, Config], Row] = {}
    samples: dict[tuple[str, Config], tuple[tuple[float, ...], ...]] = {}
    for t, at in found:
        for clocks in filter(None, at):
            config = min(clocks, key=clocks.__getitem__)
            rows[t.name, config] = Row(t.name, config, ranged_tile(t, workload, config))
            samples[t.name, config] = tuple((c[config],) if config in c else () for c in at)
    lacking = [size for i, size in enumerate(sizes) if not any(s[i] for s in samples.values())]
    if lacking:
        raise UnsupportedError(f"{workload} on {target}: no template serves {lacking[0]} rows on this architecture")
    return Matrix(tuple(sizes), tuple(rows.values()), tuple(samples.values()))


def _fitting(t: Estimated, workload: Workload, target: Target, rows: int) -> dict[Config, float]:
    """The estimates of configs that serve so many rows and, from `beyond.UNSPLIT` on, any number of them."""
    found = estimates(t, workload, target, rows)
    return found if rows < UNSPLIT else {c: clocks for c, clocks in found.items() if not is_split(c)}


def _choices(at: dict[Estimated, dict[Config, float]]) -> dict[Estimated, dict[Config, float]]:
    """What there is to choose from at one size."""
    least = {t: min(clocks.values()) for t, clocks in at.items() if clocks}
    few = [t for t in least if t.most_rows is not None and least[t] <= IN_DOUBT * min(least.values())]
    return {t: clocks if not few or t in few else {} for t, clocks in at.items()}


def _fastest(times: Grid) -> list[int]:
    """At each size the row with the least time; a row that has none there is no choice."""
    return [min(range(len(times)), key=lambda i: (times[i, j] != times[i, j], times[i, j]))
            for j in range(times.shape[1])]  # fmt: skip


def _variant(row: Row, symbol: str | None, target: Target) -> Variant:
    if symbol is None:
        return Variant(row.template, row.config, 1, ())
    return Variant(row.template, row.config, row.tile, default_classes(target.kind, row.tile))
