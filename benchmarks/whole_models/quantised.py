"""BERT in 8-bit integers: ranges at run time and ahead of time, beside our float32 and what users have in 8 bits.

Everybody has the same weights. Ranges ahead of time are of a few runs on other tokens than those that are timed. What
is lost is the relative error of the last hidden state in L2 against our float32, whose own is a millionth. The file and
the first result after opening it are those of ranges at run time. Files that onnxruntime quantised by its ranges at run
time run on our kernels, too. Tunes nothing, as `models.py`. With `--avx2` all are
held to AVX2 but onnxruntime, which cannot be and is left out.

    scripts/bench quantised --check --json quantised.json
    scripts/bench quantised --avx2 --check --json quantised-avx2.json
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import bert
import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.schedules.hardware.narrow import narrow_facts
from benchmarks.measure.first_result import timed_loads
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.machine import add_avx2, held
from benchmarks.measure.program import program
from benchmarks.rivals.quantised_rivals import ONNXRUNTIME, RIVALS, bert_rivals, missing, quantised_file
from benchmarks.whole_models.models import EPS, PATIENCE_S, QUICK_TOKENS, TOKENS, rungs

Array = NDArray[np.float32]
FLOAT, ROWS, AHEAD, IMPORTED = "float32", "int8", "int8, ranges ahead", "onnxruntime's int8 file"
OURS = (FLOAT, ROWS, AHEAD, IMPORTED)
LEARNT = (1, 4, 16, 64)  # tokens of the runs that ranges are of: what attends to little alone is larger
METHOD = "extremes"
WORST = 0.5  # an error beyond which something else is computed
FIRST = 17  # tokens of the first result


def measure(report: Report, options: argparse.Namespace) -> None:
    layers = 2 if options.quick else 12
    target = anytile.Target.host(options.threads)
    has_bytes = narrow_facts(target).bytes
    if not has_bytes:
        report.say("this CPU has no instruction for products of 8-bit integers: they are made of others")
    module = bert.bert(layers)
    learnt = [{"x": _random(1000 + t, t)} for t in LEARNT]
    found = anytile.quantise(module, inputs=learnt, ranges=METHOD)
    report.say(f"ranges by {METHOD} of {len(learnt)} runs, error of their results {found.error:.4f}")
    made = {
        FLOAT: anytile.compile(module, target, db=options.db),
        ROWS: anytile.compile(module, target, db=options.db, precision="int8"),
        AHEAD: anytile.compile(found.module, target, db=options.db),
    }
    if "onnxruntime" not in missing():
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "int8.onnx"
            path.write_bytes(quantised_file(bert.weights(layers), bert.HEADS, EPS))
            made[IMPORTED] = anytile.compile(path, target, db=options.db)
    for name, exe in made.items():
        report.say(f"{name}: plans of {rungs(exe)}")
    sessions = {name: anytile.Session(exe) for name, exe in made.items()}
    runs = [run["x"] for run in learnt]
    without = (ONNXRUNTIME,) if options.avx2 else ()
    report.unmeasured += [f"against {name}, which cannot be held to AVX2" for name in without]
    rivals = bert_rivals(bert.weights(layers), bert.HEADS, EPS, options.threads, runs, without)
    timing = Timing(rounds=3, most_rounds=3) if options.quick else Timing(slot_ms=5.0, more_rounds=4, most_rounds=15)
    for t in QUICK_TOKENS if options.quick else TOKENS:
        if report.elapsed > PATIENCE_S:
            timing = replace(timing, most_rounds=timing.rounds)
        x = _random(t, t)
        wanted = sessions[FLOAT](x)
        systems, errors = [], {}
        for name, session in sessions.items():
            given = x[None] if name == IMPORTED else x  # of one batch
            systems.append(System.of(name, partial(session, given)))
            errors[name] = _error(session(given), wanted)
        for rival in rivals:
            ways = rival.ways(x)
            for way in ways:
                way.call()
            errors[rival.name] = min(_error(way.result(), wanted) for way in ways)
            systems.append(
                replace(fastest([System.of(way.label, way.call) for way in ways], rounds=2), name=rival.name)
            )
        for name, error in errors.items():
            if not error < WORST:
                raise SystemExit(f"error: {name} is off by {error:.3g} at {t} tokens")
        lost = {f"error of {name}": error for name, error in errors.items() if name != FLOAT}
        report.rows += interleave({"model": "bert", "t": t, "products": has_bytes, **lost}, systems, timing)
        report.say(f"{t} tokens")
    _opened(report, made[ROWS], 3 if options.quick else 9, options.avx2)
    show(report)


def _opened(report: Report, exe: Any, runs: int, held: bool) -> None:
    """The size of the file, and how long the first result takes from opening it; not as any other CPU."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, feeds, result = folder / "bert.exe", folder / "feeds.npz", folder / "result.npy"
        exe.save(path)
        x = _random(FIRST, FIRST)
        np.savez(feeds, x=x)
        np.save(result, anytile.Session(exe)(x))
        steps = timed_loads(path, False, feeds, result, folder, runs)
        size = path.stat().st_size
    case = {"model": "bert", "step": "opened", "megabytes": size / 1e6, "held": held}
    if held:
        report.unmeasured.append("the first result after opening it: a process held to AVX2 first starts another one")
    report.rows.append(Row(case, ROWS, steps["all"], 0.0, 0.0, runs))
    report.say(f"file of {size / 1e6:.0f} MB, first result after {steps['all'] * 1e3:.0f} ms")


def _random(seed: int, tokens: int) -> Array:
    return np.random.default_rng(seed).standard_normal((tokens, bert.HIDDEN), dtype=np.float32)


def _error(found: Array, wanted: Array) -> float:
    return float(np.linalg.norm(np.ravel(found) - np.ravel(wanted)) / np.linalg.norm(wanted))


Point = tuple[Mapping[str, Any], Mapping[str, float]]


def points(rows: Iterable[Row]) -> list[Point]:
    """Each number of tokens with the seconds of every system."""
    found: dict[int, tuple[Mapping[str, Any], dict[str, float]]] = {}
    for row in rows:
        if "t" in row.case:
            found.setdefault(row.case["t"], (row.case, {}))[1][row.system] = row.seconds
    return list(found.values())


def claims(rows: Iterable[Row]) -> list[Claim]:
    rows = list(rows)
    timed = points(rows)
    made = []
    if timed:
        many = [(case, at) for case, at in timed if case["t"] >= 32]
        made += [
            Claim("int8 against float32, one token", at[FLOAT] / at[ROWS], 3.0) for case, at in timed if case["t"] == 1
        ]
        if many:
            floor = 2.5 if many[0][0]["products"] else 1.4
            made.append(Claim("int8 against float32, T >= 32", geomean(at[FLOAT] / at[ROWS] for _, at in many), floor))
            ahead = geomean(at[ROWS] / at[AHEAD] for _, at in many)
            made.append(Claim("ranges ahead of time against those of each row, T >= 32", ahead, 1.05))
    made += _against_rivals(timed)
    same = [at[ONNXRUNTIME] / at[IMPORTED] for _, at in timed if ONNXRUNTIME in at and IMPORTED in at]
    if same:
        made.append(Claim("onnxruntime's quantised file on our kernels: geometric mean over T", geomean(same), 1.0))
    for row in rows:
        if "megabytes" in row.case:
            made.append(Claim("the file in int8, MB", row.case["megabytes"], 92.0, at_most=True))
            if not row.case.get("held"):
                made.append(Claim("the first result after opening it, s", row.seconds, 0.12, at_most=True))
    return made


def _against_rivals(timed: Sequence[Point]) -> list[Claim]:
    made = []
    gains = [
        (case, min(at[r] for r in RIVALS if r in at) / at[ROWS]) for case, at in timed if any(r in at for r in RIVALS)
    ]
    if gains:
        floor = 1.15 if gains[0][0]["products"] else 1.1
        made.append(Claim("int8 against the best rival's: geometric mean over T", geomean(g for _, g in gains), floor))
        made.append(Claim("int8 against the best rival's: worst T", min(g for _, g in gains), 0.95))
    lost = [case[f"error of {ROWS}"] / case[f"error of {ONNXRUNTIME}"] for case, at in timed if ONNXRUNTIME in at]
    if lost:
        made.append(Claim("error of int8 over onnxruntime's: worst T", max(lost), 1.0, at_most=True))
    return made


def show(report: Report) -> None:
    timed = points(report.rows)
    names = [s for s in (*OURS, *RIVALS) if any(s in at for _, at in timed)]
    lines = [[str(case["t"]), *(f"{at[s] * 1e3:.2f}" if s in at else "-" for s in names)] for case, at in timed]
    report.table("BERT, ms", ["T", *names], lines)
    names = [s for s in names if s != FLOAT]
    lines = [
        [str(case["t"]), *(f"{case[f'error of {s}']:.2%}" if s in at else "-" for s in names)] for case, at in timed
    ]
    report.table("relative error of the last hidden state", ["T", *names], lines)


main = program(__doc__, measure, claims, missing, extra=add_avx2, on_one_thread=True, settings=held)


if __name__ == "__main__":
    sys.exit(main())
