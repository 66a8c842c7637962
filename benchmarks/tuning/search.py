"""Replay searches on an exhaustively measured space: how soon `evolve` finds what `random` and `grid` find late.

    scripts/bench search [TABLE.json.gz ...] [--check] [--json F] [--plot F.png]

Every strategy plays each table with several seeds, as a campaign would (batches, failures included), except that nobody
is told the template's default: searches are compared, not what somebody knew beforehand (`--default` tells it). `warm`
is evolve as it starts where the database holds trials of a related workload: those in benchmarks/data/searched, each a
table of the configs that one search measured. Nothing is measured. Regret is the best time found over the best of the
whole table, less one.

The best of thousands of noisy times is partly luck, which no search can foresee. How far the times of equally fast
configs lie apart by noise (the resolution) is known where `exhaust.py` noted it, or where the space was measured twice:
benchmarks/data/again holds second measurements. Where chance alone comes nearer to the best than that, evolve is not
compared with it, but must come as near.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anytile.core.errors import AnytileError, SpecError
from anytile.db.lookup.distance import target_distance, workload_distance
from anytile.schedules.templates.base.space import Config
from anytile.schedules.templates.registry import template
from anytile.tuner.protocol.candidate import Point
from anytile.tuner.search.evolve import assess
from anytile.tuner.search.features import features_of
from anytile.tuner.search.state import Observation, SearchState, no_facts, no_features
from anytile.tuner.search.strategies import STRATEGIES
from anytile.tuner.tasks.search_task import RELATED
from anytile.tuner.tasks.warm_start import adopted, telling
from benchmarks.measure.harness import Claim, Report, Row, require_outputs
from benchmarks.measure.machine import describe
from benchmarks.measure.program import add_options
from benchmarks.subjects.spacetable import SpaceTable, resolution

DATA = Path(__file__).resolve().parents[1] / "data"
SEARCHED = DATA / "searched"
AGAIN = DATA / "again"
AFTER = (16, 32, 64, 128)  # trials at which the regret is looked at
NEAR = 0.01
HALF = 0.5  # of random's regret after 64 trials: the floor
LOUD = 0.02  # noise beyond this excuses nothing: such a table was measured badly
SHARE = 0.10  # of the space, within which evolve must come near the best
SAVED = 0.6  # of a cold search's trials to come near the best are the most that a warm one may need

Warmth = Sequence[Sequence[Observation]]  # a group for each search that is known, the nearest last
Features = Callable[[Config], Sequence[float]]
Facts = Callable[[Sequence[Config]], Sequence[Mapping[str, float] | None]]


@dataclass(frozen=True)
class Play:
    """One search: the regret after each trial, and how long each proposal took."""

    regrets: tuple[float, ...]
    proposal_seconds: tuple[float, ...]
    state: SearchState

    def regret(self, trials: int) -> float:
        return self.regrets[min(trials, len(self.regrets)) - 1]

    def trials_to(self, near: float) -> float:
        return next((i + 1 for i, r in enumerate(self.regrets) if r <= near), math.inf)


def play(
    table: SpaceTable,
    point: Point,
    strategy: str,
    seed: int,
    trials: int,
    batch: int = 16,
    features: Features = no_features,
    facts: Facts = no_facts,
    seeds: tuple[Config, ...] = (),
    warm: Warmth = (),
    until: float = -math.inf,
) -> Play:
    """One campaign's search phase; it ends early at a regret of `until`."""
    best = min(table.times(point).values(), default=math.inf)
    known, favourites = tuple(o for of in warm for o in telling(of)), fastest(warm)
    state = SearchState(table.space, (), seed, features, facts, known, (*seeds, *favourites), table.sizes(point))
    regrets: list[float] = []
    took: list[float] = []
    found = math.inf
    while len(regrets) < trials and (not regrets or regrets[-1] > until):
        begin = time.perf_counter()
        proposed = STRATEGIES[strategy](state, min(batch, trials - len(regrets)))
        took.append(time.perf_counter() - begin)
        if not proposed:
            break
        seen = tuple(table.observe(c, point) for c in proposed)
        for observation in seen:
            found = min(found, observation.seconds)
            regrets.append(found / best - 1.0)
        state = replace(state, history=(*state.history, *seen))
    return Play(tuple(regrets), tuple(took), state)


def fastest(warm: Warmth) -> list[Config]:
    """Of each group the few that a campaign tries first."""
    ranked = [sorted((o for o in of if o.ok), key=lambda o: o.seconds)[:RELATED] for of in warm]
    return list(dict.fromkeys(o.config for of in ranked for o in of))


def warmth_of(table: SpaceTable) -> Warmth:
    """What was searched for related workloads, the nearest last, as a campaign would take it over."""
    found: list[tuple[float, str, list[Observation]]] = []
    for path in sorted(SEARCHED.glob("*.json.gz")):
        other = SpaceTable.load(path)
        far = workload_distance(other.workload, table.workload) + target_distance(other.target, table.target)
        if math.isinf(far) or (other.template, other.version) != (table.template, table.version):
            continue
        seen = [replace(other.observe(c, other.points[0]), group=str(other.workload)) for c in other.configs]
        kept = adopted(seen, table.space, table.configs[0])
        found.append((far, str(other.workload), kept))
    return tuple(kept for _, _, kept in sorted(found, key=lambda f: (-f[0], f[1])))


def judge_warmth(name: str, warm: Sequence[Play], cold: Sequence[Play]) -> list[Claim]:
    """The same search with and without what a related workload taught, in the median over the seeds."""
    claims = []
    for near in (NEAR, 2 * NEAR):
        trials = [statistics.median(p.trials_to(near) for p in plays) for plays in (warm, cold)]
        words = f"{name}: trials until within {near:.0%} after a warm start over those after a cold one"
        claims.append(
            Claim(words, trials[0] / trials[1] if math.isfinite(trials[0]) else math.inf, SAVED, at_most=True)
        )
    return claims


def judge(name: str, plays: Mapping[str, Sequence[Play]], size: int, noise: float = 0.0) -> list[Claim]:
    """The floors, on the median over the seeds. `noise` is the table's resolution, as far as it is known."""
    evolve = statistics.median(p.regret(64) for p in plays["evolve"])
    random = statistics.median(p.regret(64) for p in plays["random"])
    # Random may be as good as perfect on a flat space; then so must evolve be.
    ratio = evolve / random if random > 0 else (0.0 if evolve == 0 else math.inf)
    soon = statistics.median(p.trials_to(NEAR) for p in plays["evolve"]) / size
    first = Claim(f"{name}: evolve's regret after 64 trials over random's", ratio, HALF, at_most=True)
    if 0 < random <= noise <= LOUD:
        words = f"{name}: evolve's regret after 64 trials over the noise in the times, within which random's is"
        first = Claim(words, evolve / noise, 1.0, at_most=True)
    return [
        first,
        Claim(f"{name}: share of the space until evolve is within 1 %", soon, SHARE, at_most=True),
    ]


def noise_of(name: str, table: SpaceTable, point: Point) -> float:
    """The table's resolution: as noted, else from a second measurement; 0 where nobody knows."""
    if table.resolution is not None:
        return table.resolution
    path = AGAIN / f"{name}.json.gz"
    if not path.exists():
        return 0.0
    second = SpaceTable.load(path)
    same = (second.workload, second.target, second.template) == (table.workload, table.target, table.template)
    return resolution(table, second, point) if same and point in second.points else 0.0


def seeds_of(table: SpaceTable) -> tuple[Config, ...]:
    """The default that a campaign would start from, where the template still stands and the table has it."""
    try:
        default = template(table.template).default(table.workload, table.target)
    except AnytileError:
        return ()
    return (default,) if default in table.space else ()


def nest_features_of(table: SpaceTable, point: Point) -> Features:
    """The loop nest's features, where the template is the version that was measured."""
    try:
        made = template(table.template)
    except AnytileError:
        return no_features
    if made.version != table.version:
        return no_features
    return features_of(made, table.workload, table.target, dict(point))


def run_table(report: Report, name: str, table: SpaceTable, options: argparse.Namespace) -> dict[str, list[Play]]:
    point = table.points[0]
    if not table.times(point):
        raise SpecError(f"{name}: every config of the table failed; measure it again")
    trials = max(*AFTER, math.ceil(SHARE * len(table.space)))
    features = nest_features_of(table, point) if options.nests else no_features
    facts = table.inspect if options.facts and table.facts else no_facts
    seeds = seeds_of(table) if options.default else ()
    plays: dict[str, list[Play]] = {}
    warm = warmth_of(table) if options.warm else ()
    for strategy in ("evolve", *(["warm"] if warm else []), "random", "grid"):
        how = "evolve" if strategy == "warm" else strategy
        rounds = options.seeds if strategy != "grid" else 1
        plays[strategy] = []
        for seed in range(rounds):
            known = warm if strategy == "warm" else ()
            played = play(table, point, how, seed, trials, options.batch, features, facts, seeds, known)
            plays[strategy].append(played)
            if strategy == "evolve":
                report.say(f"{name}: evolve with seed {seed}: {plays[strategy][-1].regret(64):.2%} after 64 trials")
    noise = noise_of(name, table, point)
    report.claims.extend(judge(name, plays, len(table.space), noise))
    if warm:
        report.claims.extend(judge_warmth(name, plays["warm"], plays["evolve"]))
    lines = []
    flops = table.workload.flops(dict(point))
    best = min(table.times(point).values())
    for strategy, of in plays.items():
        for trials_done in AFTER:
            middle = statistics.median(p.regret(trials_done) for p in of)
            case: dict[str, Any] = {"table": name, "trials": trials_done, "seeds": len(of)}
            seconds = best * (1.0 + middle)
            report.rows.append(Row(case, strategy, seconds, flops / seconds / 1e9, 0.0, len(of)))
        to = statistics.median(p.trials_to(NEAR) for p in of)
        slowest = max(t for p in of for t in p.proposal_seconds[1:] or p.proposal_seconds)
        lines.append(
            (
                strategy,
                *(f"{statistics.median(p.regret(n) for p in of):.2%}" for n in AFTER),
                f"{max(p.regret(64) for p in of):.2%}",
                "never" if math.isinf(to) else f"{to:.0f}",
                f"{slowest * 1e3:.0f} ms",
            )
        )
    title = f"{name}: {len(table.space)} configs, {table.workload}, {dict(point)}; median regret over the seeds"
    columns = ("strategy", *(f"after {n}" for n in AFTER), "worst after 64", "trials to 1 %", "slowest proposal")
    report.table(title, columns, lines)
    judged = assess(plays["evolve"][0].state)
    print(f"model at the end of seed 0: {judged.trained_on} observations, rank correlation {judged.rank_correlation}")
    if noise > 0:
        print(f"equally fast configs lie {noise:.1%} apart in this table, by noise")
    return plays


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tables", nargs="*", type=Path, metavar="TABLE", help="default: all in benchmarks/data")
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="searches per strategy (10)")
    parser.add_argument("--batch", type=int, default=16, metavar="N", help="configs per proposal (16)")
    parser.add_argument(
        "--default", action=argparse.BooleanOptionalAction, default=False, help="begin with the template's default (no)"
    )
    parser.add_argument(
        "--nests", action=argparse.BooleanOptionalAction, default=True, help="loop-nest features for the model (yes)"
    )
    parser.add_argument(
        "--facts", action=argparse.BooleanOptionalAction, default=True, help="facts of the code for the model (yes)"
    )
    parser.add_argument(
        "--warm", action=argparse.BooleanOptionalAction, default=True, help="also searches with a warm start (yes)"
    )
    add_options(parser)
    options = parser.parse_args(argv)
    if options.quick:
        options.seeds = min(options.seeds, 3)
    tables = options.tables or sorted([*DATA.glob("*.json"), *DATA.glob("*.json.gz")])
    report = Report(describe(options.threads))
    curves: dict[str, dict[str, list[Play]]] = {}
    try:
        require_outputs(options)
        if not tables:
            raise SpecError(f"no tables in {DATA.name}/; scripts/bench exhaust makes them")
        for path in tables:
            name = path.name.partition(".")[0]
            curves[name] = run_table(report, name, SpaceTable.load(path), options)
    except AnytileError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return report.finish(options, lambda path: _plot(path, curves))


def _plot(path: Path, curves: Mapping[str, Mapping[str, Sequence[Play]]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(curves), figsize=(7 * len(curves), 4.5), squeeze=False)
    for axis, (name, plays) in zip(axes[0], curves.items(), strict=True):
        for strategy, of in plays.items():
            length = min(len(p.regrets) for p in of)
            middle = [100 * statistics.median(p.regrets[i] for p in of) for i in range(length)]
            axis.plot(range(1, length + 1), middle, label=strategy)
        axis.set(title=name, xlabel="trials", ylabel="regret, % (median of the seeds)", xscale="log", yscale="symlog")
        axis.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main())
