"""The builder process: `python -m anytile.tuner.builders.builder`. A candidate becomes an artifact, or a reason.

It compiles only what the candidate's points need, plus a few odd sizes that the same residue kernels serve, at which
the worker then checks them. It never runs what it built.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

from anytile.core.errors import AnytileError, ResourceError, SpecError, UnsupportedError
from anytile.db.records.records import Status
from anytile.dispatch.backends import backend
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template
from anytile.tuner.builders.library_candidates import LIBRARY, library_plan
from anytile.tuner.protocol import isolate, wire
from anytile.tuner.protocol.candidate import Candidate, Point
from anytile.tuner.protocol.messages import CANDIDATE, Built, built_json


def build(candidate: Candidate) -> Built:
    """Build in this process. Whatever the candidate causes is an answer, not an exception."""
    began = time.perf_counter()

    def failed(status: Status, reason: object) -> Built:
        line = " ".join(str(reason).split())[:500]
        return Built(candidate, None, (), status, line, time.perf_counter() - began)

    try:
        c, compile_plan = candidate, backend(candidate.target).compile
        if c.template == LIBRARY:
            return Built(c, compile_plan(library_plan(c)), seconds=time.perf_counter() - began)
        template(c.template).space(c.workload, c.target).check(c.config)
        plan = single_plan(c.workload, c.target, c.template, c.config)
        checks = odd_sizes(c)
        sizes = None
        if plan.symbol is not None:
            sizes = sorted({dict(p)[plan.symbol] for p in (*c.points, *checks)})
        artifact = compile_plan(plan, sizes=sizes, facts_too=True)
        hopeless = backend(c.target).hopeless(artifact.facts)
        if hopeless is not None:
            return failed(Status.CONSTRAINT, hopeless)
    except (SpecError, UnsupportedError) as error:
        return failed(Status.CONSTRAINT, error)
    except (MemoryError, ResourceError):
        return failed(Status.COMPILE_ERROR, "ran out of memory while compiling")
    except AnytileError as error:
        return failed(Status.COMPILE_ERROR, error)
    except Exception as error:  # noqa: BLE001  (the process boundary: a defect in a template costs one trial)
        return failed(Status.COMPILE_ERROR, f"{type(error).__name__}: {error}")
    return Built(candidate, artifact, checks, seconds=time.perf_counter() - began)


def odd_sizes(candidate: Candidate) -> tuple[Point, ...]:
    """For every point, the sizes of its residue with no full tile and with one: the same kernels, other trip counts."""
    found = template(candidate.template)
    symbol = found.symbol(candidate.workload)
    if symbol is None:
        return ()
    tile = found.tile(candidate.config)
    points: dict[Point, None] = {}
    for point in candidate.points:
        residue = dict(point)[symbol] % tile
        for size in (residue, tile + residue):
            if 0 < size < dict(point)[symbol]:
                points[tuple((s, size if s == symbol else v) for s, v in point)] = None
    return tuple(p for p in points if p not in candidate.points)


def serve(link: isolate.Link) -> None:
    wire.send(link.outward, {"hello": "builder"})
    while True:
        request, _ = wire.receive(link.inward)
        header, code = built_json(build(CANDIDATE.load(request["candidate"])))
        wire.send(link.outward, header, [code])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m anytile.tuner.builders.builder")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--memory", type=int, help="bytes of address space this process may use")
    args: Any = parser.parse_args()
    link = isolate.enter(args.parent)
    if args.memory:
        isolate.bound(resource.RLIMIT_AS, args.memory)
    try:
        serve(link)
    except wire.WireClosed:
        return


if __name__ == "__main__":
    main()
