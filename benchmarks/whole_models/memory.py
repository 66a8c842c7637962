"""Memory of convolutional networks, compiled for any number of images, over the best static plan for a number of them.

A run's peak has everything that the pool gave it: the arena, what the result lies in, the kernels' workspaces, and what
its size classes round up. The static plan is made ahead of time of the program for so many images, and has each tensor
and each workspace placed as well as some hundred orders of first fit can (see `static_plan`).

    scripts/bench memory --check --json memory.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

import numpy as np

from anytile.schedules.hardware.target import Target
from benchmarks.measure.harness import Claim, Report, Row
from benchmarks.measure.program import program
from benchmarks.measure.static_plan import lives, static_plan
from benchmarks.overheads.vm import Compiler
from benchmarks.subjects.networks import NETWORKS, network

IMAGES, SIZE, SMALL = (1, 3), 224, 64
PEAK, FOUND, BOUND = "peak", "static plan", "static plan, at the least"
MOST = 1.08


def rows_of(name: str, images: int, size: int, compiler: Compiler) -> list[Row]:
    """Bytes: of a run, of the best static plan, and what no static plan can go below."""
    session = compiler.planned(network(name, "?n", size))
    run = session.profile({"x": np.zeros((images, 3, size, size), np.float32)}, warm_up=0)
    best = static_plan(lives(compiler.without_planning(network(name, str(images), size))))
    case = {"model": name, "images": images, "size": size, "unit": "bytes"}
    found = {PEAK: run.peak_bytes, FOUND: best.found, BOUND: best.bound}
    return [Row(case, what, float(nbytes), 0.0, 0.0, 1) for what, nbytes in found.items()]


def measure(report: Report, options: argparse.Namespace) -> None:
    compiler = Compiler(Target.host(options.threads), options.db)
    for name in NETWORKS:
        for images in IMAGES[:1] if options.quick else IMAGES:
            report.rows += rows_of(name, images, SMALL if options.quick else SIZE, compiler)
            report.say(f"{name}, {images} measured")
    report.table("Memory", ("model", "images", "what", "bytes"), map(_shown, report.rows))


def _shown(row: Row) -> list[str]:
    return [str(row.case["model"]), str(row.case["images"]), row.system, f"{row.seconds:,.0f}"]


def claims(rows: Iterable[Row]) -> list[Claim]:
    value = {(str(r.case["model"]), r.case["images"], r.system): r.seconds for r in rows}
    return [
        Claim(f"{name}, {images}: memory over the best static plan", peak / value[name, images, FOUND], MOST, True)
        for (name, images, what), peak in value.items()
        if what == PEAK
    ]


main = program(__doc__, measure, claims)


if __name__ == "__main__":
    sys.exit(main())
