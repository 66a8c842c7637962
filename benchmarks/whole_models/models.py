"""The models of examples/ beside torch and onnxruntime: BERT-base, an LSTM, a Tree-LSTM, interleaved in one run.

Tunes nothing: plans come out of the database, where `tune --model` puts them when it is given a model's executable, or
are the template's default where it has none, which rows and progress say. Results are compared before they are timed.
Everybody is called from Python as a program would call it. Floors are those of one thread and of a full run. For the
decoder, whose caches grow, torch has a loop that one would write; that has no floor, and onnxruntime nothing like it.

    scripts/bench models --check --json models.json
    scripts/bench models --model lstm --model tree-lstm --threads 2
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bert
import decoder
import lstm
import numpy as np
import tree_lstm
from numpy.typing import NDArray

import anytile
from anytile.compiler.module import Module
from anytile.vm.executable import Executable
from anytile.vm.program.executable import KERNEL
from benchmarks.measure.harness import Case, Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import missing
from benchmarks.rivals.model_rivals import (
    NN_LSTM,
    RIVALS,
    Field,
    ModelRival,
    bert_field,
    decoder_field,
    lstm_field,
    together,
    tree_lstm_field,
)

Array = NDArray[np.float32]
OURS = "anytile"
TOKENS = (1, 8, 17, 32, 50, 64, 100, 128)
QUICK_TOKENS = (1, 17, 64)
SEQUENCE = (10, 128, 53)  # tokens of MRPC's pairs of sentences: shortest, longest, mean
TREE = (2, 52, 19)  # leaves of SST's trees
TOLERANCE = 1e-3  # something left out is off by about one, twelve layers' rounding by 1e-5
PATIENCE_S = 170.0  # after this long, points that do not settle get no more rounds: the machine is not quiet
EPS = 1e-12


@dataclass(frozen=True, slots=True)
class Point:
    """What one call of a system does: the inputs that it runs one after another. `tokens` is what they come to."""

    case: Case
    inputs: Sequence[Any]
    tokens: int
    flops: float = 0.0


@dataclass(frozen=True, slots=True)
class Model:
    """A model as it is measured; rivals are made when its turn comes, as their weights take memory."""

    case: Case
    module: Callable[[], Module]
    field: Callable[[int], Field]
    points: Sequence[Point]


def drawn(count: int, shortest: int, longest: int, mean: int, seed: int = 0) -> list[int]:
    """So many lengths in random order, spread as a beta distribution's quantiles between the bounds, about the mean."""
    share = (mean - shortest) / (longest - shortest)
    rng = np.random.default_rng(seed)
    many = rng.beta(2, 2 * (1 - share) / share, 100_000)
    quantiles = np.quantile(many, (np.arange(count) + 0.5) / count)
    return [int(n) for n in rng.permutation(np.rint(shortest + quantiles * (longest - shortest)))]


def _random(tokens: int, columns: int) -> Array:
    return np.random.default_rng(tokens).standard_normal((tokens, columns), dtype=np.float32)


def bert_model(is_quick: bool) -> Model:
    layers = 2 if is_quick else 12
    case = {"model": "bert", "layers": layers}

    def flops(t: int) -> float:
        dense = 4 * bert.HIDDEN * bert.HIDDEN + 2 * bert.HIDDEN * bert.INNER
        return 2.0 * layers * (t * dense + 2 * t * t * bert.HIDDEN)

    points = [
        Point({**case, "t": t}, [_random(t, bert.HIDDEN)], t, flops(t)) for t in (QUICK_TOKENS if is_quick else TOKENS)
    ]
    if not is_quick:
        points.append(_stream(case, drawn(12, *SEQUENCE), bert.HIDDEN, flops))
    return Model(
        case,
        lambda: bert.bert(layers),
        lambda threads: bert_field(bert.weights(layers), bert.HEADS, EPS, threads),
        points,
    )


def _stream(case: Case, lengths: Sequence[int], columns: int, flops: Callable[[int], float]) -> Point:
    inputs = [_random(n, columns) for n in lengths]
    return Point(
        {**case, "sequences": len(lengths), "tokens": sum(lengths)}, inputs, sum(lengths), sum(map(flops, lengths))
    )


def lstm_models(is_quick: bool) -> list[Model]:
    lengths = drawn(4 if is_quick else 16, *SEQUENCE)

    def model(layers: int) -> Model:
        case = {"model": "lstm", "layers": layers}
        made = lstm.weights(layers)
        each = 2.0 * sum(w["w_x"].size + w["w_h"].size for w in made)
        point = _stream(case, lengths, lstm.INPUT, lambda t: each * t)
        return Model(case, lambda: lstm.lstm(layers), lambda threads: lstm_field(made, threads), [point])

    return [model(1), model(2)]


def tree_lstm_model(is_quick: bool) -> Model:
    leaves = drawn(4 if is_quick else 24, *TREE)
    trees = [tree_lstm.random_tree(n, np.random.default_rng(n), anytile.Data) for n in leaves]
    case = {"model": "tree-lstm"}
    point = Point({**case, "trees": len(trees), "tokens": sum(leaves)}, trees, sum(leaves))
    return Model(case, tree_lstm.tree_lstm, lambda threads: tree_lstm_field(tree_lstm.weights(), threads), [point])


def decoder_model(is_quick: bool) -> Model:
    """Each input is a first word and how many to write; tokens of different inputs are nobody's to share."""
    lengths = drawn(2 if is_quick else 8, *SEQUENCE)
    inputs = [(np.int64(first), np.int64(count)) for first, count in enumerate(lengths)]
    case = {"model": "decoder", "layers": 2}
    point = Point({**case, "sequences": len(lengths), "tokens": sum(lengths)}, inputs, sum(lengths))
    return Model(
        case,
        lambda: decoder.decoder(2),
        lambda threads: decoder_field(*decoder.weights(2), decoder.HEADS, threads),
        [point],
    )


MODELS: dict[str, Callable[[bool], list[Model]]] = {
    "bert": lambda is_quick: [bert_model(is_quick)],
    "lstm": lstm_models,
    "tree-lstm": lambda is_quick: [tree_lstm_model(is_quick)],
    "decoder": lambda is_quick: [decoder_model(is_quick)],
}


def measure(report: Report, options: argparse.Namespace) -> None:
    for name in options.model or MODELS:
        for model in MODELS[name](options.quick):
            measure_model(report, options, model)
        show(report, name)


def measure_model(report: Report, options: argparse.Namespace, model: Model) -> None:
    words = ", ".join(f"{key} {value}" for key, value in model.case.items() if key != "model")
    name = f"{model.case['model']}{f' ({words})' if words else ''}"
    exe = anytile.compile(model.module(), anytile.Target.host(options.threads), db=options.db)
    plans = rungs(exe)
    report.say(f"{name}: plans of {plans}")
    session = anytile.Session(exe)
    field = model.field(options.threads)
    report.unmeasured += [f"{name} {what}" for what in field.unmeasured]
    timing = Timing(rounds=3, most_rounds=3) if options.quick else Timing(slot_ms=5.0, more_rounds=4, most_rounds=15)
    for point in model.points:
        if report.elapsed > PATIENCE_S:
            timing = replace(timing, most_rounds=timing.rounds)
        systems = contenders(point, session, field.rivals)
        rows = interleave({**point.case, "plans": plans}, systems, timing)
        report.rows += rows
        report.say(f"{name}: {point.tokens} tokens")
    gc.collect()


def rungs(exe: Executable) -> str:
    """How many kernels have their plan from which rung of the ladder: untuned figures must not pass for tuned ones."""
    found = Counter(kernel.rung for kernel in exe.kernels if kernel.kind == KERNEL)
    return ", ".join(f"{count} {rung}" for rung, count in found.most_common())


def contenders(point: Point, session: anytile.Session, rivals: Sequence[ModelRival]) -> list[System]:
    """Our session and each rival in its fastest way; nobody is timed who computes something else."""

    def ours() -> list[Any]:
        return [session(*x) if isinstance(x, tuple) else session(x) for x in point.inputs]

    wanted = np.concatenate([np.ravel(y) for y in ours()])
    systems = [System.of(OURS, ours, point.flops)]
    for rival in rivals:
        ways = [together(same) for same in zip(*(rival.ways(x) for x in point.inputs), strict=True)]
        for way in ways:
            way.call()
            off = float(np.abs(np.ravel(way.result()) - wanted).max())
            if not off <= TOLERANCE:
                where = ", ".join(f"{key}={value}" for key, value in point.case.items())
                raise SystemExit(f"error: {OURS} and {rival.name} ({way.label}) differ by {off:.3g} at {where}")
        best = fastest([System.of(way.label, way.call, point.flops) for way in ways], rounds=2)
        systems.append(replace(best, name=rival.name))
    return systems


Times = dict[str, float]


def times(rows: Iterable[Row]) -> list[tuple[Case, Times]]:
    """Each point with the seconds of every system."""
    found: dict[tuple[tuple[str, Any], ...], Times] = {}
    for row in rows:
        found.setdefault(tuple(row.case.items()), {})[row.system] = row.seconds
    return [(dict(key), at) for key, at in found.items()]


def gain(at: Times) -> float | None:
    """How many times faster than the best rival that floors are held against."""
    best = min((at[name] for name in RIVALS if name in at), default=None)
    return None if best is None else best / at[OURS]


def claims(rows: Iterable[Row]) -> list[Claim]:
    """The floors that these rows can answer for."""
    points = [(case, value) for case, at in times(rows) if (value := gain(at)) is not None]
    made = []
    lengths = [value for case, value in points if case["model"] == "bert" and "t" in case]
    if lengths:
        made.append(Claim("BERT against the best rival: geometric mean over T", geomean(lengths), 1.3))
        made.append(Claim("BERT against the best rival: worst T", min(lengths), 1.1))
    for case, value in points:
        if case["model"] == "lstm":
            made.append(Claim(f"LSTM, {case['layers']} layer(s), per token against the best rival", value, 1.6))
        if case["model"] == "tree-lstm":
            made.append(Claim("Tree-LSTM per token against torch", value, 12.0))
    return made


def show(report: Report, name: str) -> None:
    points = [(case, at) for case, at in times(report.rows) if case["model"] == name]
    names = [s for s in (OURS, *RIVALS, NN_LSTM) if any(s in at for _, at in points)]
    flops = {tuple(r.case.items()): r.gflops for r in report.rows if r.system == OURS}
    per, unit = (_ms_per_sequence, "ms per sequence") if name == "bert" else (_us_per_token, "us per token")
    lines = []
    for case, at in points:
        value = gain(at)
        figures = [f"{per(case, at[s]):.2f}" if s in at else "-" for s in names]
        rate = flops[tuple(case.items())]
        lines.append([_label(case), *figures, f"{rate:.1f}" if rate else "-", f"{value:.2f}x" if value else "-"])
    report.table(f"{name}, {unit}", ["case", *names, "GFLOP/s", "against best rival"], lines)


def _label(case: Case) -> str:
    if "t" in case:
        return f"T={case['t']}"
    layers = f"{case['layers']} layer(s), " if "layers" in case else ""
    many = "trees" if "trees" in case else "sequences"
    return f"{layers}{case[many]} {many}, {case['tokens']} tokens"


def _ms_per_sequence(case: Case, seconds: float) -> float:
    return seconds * 1e3 / int(case.get("sequences", 1))


def _us_per_token(case: Case, seconds: float) -> float:
    return seconds * 1e6 / int(case["tokens"])


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", choices=list(MODELS), action="append", help="only this one; may be given again")


main = program(__doc__, measure, claims, missing, extra=own_options, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())
