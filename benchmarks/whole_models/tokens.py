"""Tokens a second of the decoder of examples/llama.py in 4 bits, beside onnxruntime's and torch's and reading alone.

Each point is one call: one token behind so many that were read, or a prompt. Plans come out of the database, where
`tune --preset llama-1b-int4` puts them. One token waits for the bytes of all weights: what can be reached is the rate
of a loop that reads as many and does nothing else. Scores are compared before they are timed; rivals that quantise the
rows that meet a weight are further off than those that do not, and are let. A rival's way that takes many times as long
as another of its own is not called again: at a prompt one such call takes a minute.

    scripts/bench tokens --check --json tokens.json
    scripts/bench tokens --size 0.3b --threads 2
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import llama
import numpy as np

import anytile
from benchmarks.kernels.decode import PLAIN, Reader
from benchmarks.measure.harness import Case, Claim, Report, Row, System, Timing, fastest, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.token_rivals import LLAMA_CPP, RIVALS, Given, TokenRival, absent, rivals_of
from benchmarks.whole_models.models import rungs

OURS = "anytile"
READ = (16, 128, 1024)  # what was read before the one token
PROMPTS = (16, 128)
QUICK = (128,), (16,)
FLOOR = 1.1
HOPELESS = 8.0  # times as long as a rival's quickest way
NEAR = 0.1  # relative, in L2: something left out is off by about one, rows in 8 bits by a few hundredths


def given(run: llama.Run, size: llama.Size, read: int, count: int) -> Given:
    """So many tokens behind a text that was read before."""
    text = np.random.default_rng(read + count).integers(0, size.words, read + count)
    cache = llama.Cache(size, read)
    if read:
        cache.read(run, text[:read])
    return Given(text[:read], text[read:], cache.rooms)


def measure(report: Report, options: argparse.Namespace) -> None:
    size, context = llama.SIZES[options.size], max(*READ, *PROMPTS) + 1
    target = anytile.Target.host(options.threads)
    module = llama.llama(size, context=context)
    exe = anytile.compile(module, target, db=options.db)
    plans = rungs(exe)
    report.say(f"llama {options.size}: {size.weights / 1e9:.2f} billion weights, plans of {plans}")
    session = anytile.Session(exe)
    rivals = rivals_of(size, module, context, options.threads)
    del exe, module
    if LLAMA_CPP in absent():
        report.unmeasured.append(f"against {LLAMA_CPP}, which is not installed (pip builds llama-cpp-python)")
    reader = Reader(weight_bytes(size) // 4, target, streamed=False).system()
    timing = Timing(rounds=3, most_rounds=3) if options.quick else Timing(rounds=5, slot_ms=5.0, most_rounds=9)
    behind, prompts = QUICK if options.quick else (READ, PROMPTS)
    hopeless: set[tuple[str, str]] = set()
    for read, count in [*((read, 1) for read in behind), *((0, count) for count in prompts)]:
        point = given(session, size, read, count)
        case = {"model": "llama", "size": options.size, "read": point.read, "tokens": len(point.tokens)}
        systems = contenders(case, point, session, rivals, hopeless)
        if count > 1:  # seconds each, which settle
            timing = replace(timing, most_rounds=timing.rounds)
        report.rows += interleave({**case, "plans": plans}, [*systems, reader], timing)
        report.say(f"{len(point.tokens)} behind {point.read}")
    show(report)


def weight_bytes(size: llama.Size) -> int:
    """What one token reads of weights: half a byte for each, and two for the scale of 32; of the words' vectors one."""
    return (size.weights - size.hidden * size.words) * 18 // 32


def contenders(
    case: Case, point: Given, session: anytile.Session, rivals: Iterable[TokenRival], hopeless: set[tuple[str, str]]
) -> list[System]:
    """Our session and each rival in its fastest way; nobody is timed who computes something else. Ways that are
    `hopeless` are left out, and those that turn out to be are added to them."""
    positions = np.arange(point.read, point.read + len(point.tokens))
    ours = partial(session, point.tokens, positions, *point.cache)
    flops = 2.0 * len(point.tokens) * llama.SIZES[case["size"]].weights
    wanted = ours()[0]
    systems = [System.of(OURS, ours, flops)]
    for rival in rivals:
        ways = [way for way in rival.ways(point) if (rival.name, way.label) not in hopeless]
        took = {}
        for way in ways:
            begin = time.perf_counter()
            way.call()
            took[way.label] = time.perf_counter() - begin
            off = float(np.linalg.norm(np.ravel(way.result()) - wanted) / np.linalg.norm(wanted))
            if not off <= NEAR:
                where = ", ".join(f"{key}={value}" for key, value in case.items())
                raise SystemExit(f"error: {OURS} and {rival.name} ({way.label}) differ by {off:.3g} at {where}")
        hopeless |= {(rival.name, label) for label, s in took.items() if s > HOPELESS * min(took.values())}
        usable = [way for way in ways if (rival.name, way.label) not in hopeless]
        best = fastest([System.of(way.label, way.call, flops) for way in usable], rounds=2)
        systems.append(replace(best, name=rival.name))
    return systems


def speeds(rows: Iterable[Row]) -> dict[tuple[Any, ...], dict[str, float]]:
    """(size, read, tokens) -> system -> tokens a second."""
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        c = row.case
        found.setdefault((c["size"], c["read"], c["tokens"]), {})[row.system] = c["tokens"] / row.seconds
    return found


def gain(at: dict[str, float]) -> float | None:
    """How many times as fast as the best rival."""
    best = max((at[name] for name in RIVALS if name in at), default=None)
    return None if best is None else at[OURS] / best


def claims(rows: Iterable[Row]) -> list[Claim]:
    found = []
    for (size, read, tokens), at in speeds(rows).items():
        if tokens == 1 and (value := gain(at)) is not None:
            found.append(Claim(f"decode of {size}, {read} read, against the best rival", value, FLOOR))
    return found


def show(report: Report) -> None:
    names = (OURS, *RIVALS, PLAIN)
    lines = []
    for (size, read, tokens), at in speeds(report.rows).items():
        value = gain(at)
        figures = [f"{at[name]:.1f}" if name in at and (name != PLAIN or tokens == 1) else "-" for name in names]
        lines.append([size, str(read), str(tokens), *figures, f"{value:.2f}x" if value else "-"])
    report.table("llama in 4 bits, tokens a second", ("size", "read", "tokens", *names, "against best rival"), lines)


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", choices=llama.SIZES, default="1.1b", help="how large the decoder is (1.1b)")


def installable() -> list[str]:
    """The rivals that are not here and could be."""
    return [name for name in absent() if name != LLAMA_CPP]


main = program(__doc__, measure, claims, installable, extra=own_options, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())
