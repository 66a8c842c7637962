"""dense in narrow numbers beside our float32, the peak of the very instruction, and a loop that only reads.

Many rows wait for products: there a format is as good as the share of what its instruction does in registers, timed in
the same run. One row waits for bytes of the weight, from memory: there the measure is a loop that only reads as many.
The products of 8-bit integers have zero points and scales taken into account, and give float32. Weights of 4 and 8 bits
by groups, with scales in float16, are measured at one row, and at many beside our float32; x as float32 has it, and in
16 bits.

    scripts/bench narrow --check --json narrow.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.workloads.reference import evaluate
from benchmarks.kernels.decode import PLAIN, Reader
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, geomean, interleave
from benchmarks.measure.native import Native, origin
from benchmarks.measure.peak import dot_system, peak_system
from benchmarks.measure.program import program

LAYERS = ((768, 768), (3072, 768), (768, 3072))
STREAMED = ((4096, 4096),)
GROUPED = ((4096, 4096), (11008, 4096))
MANY = (64, 100, 128, 256)
FORMATS = ("float32", "bfloat16", "uint8")
ALONE = "int8 weights"  # beside float32
AT_ONE_ROW = (*FORMATS, ALONE)
CLOSELY, ROUGHLY = "float32", "float16"  # how x is taken
GROUPS = {
    f"{bits} bits by {group}{' in 16' if accuracy == ROUGHLY else ''}": (bits, group, accuracy)
    for bits in (4, 8) for group in (32, 128) for accuracy in (CLOSELY, ROUGHLY)
}  # fmt: skip
SCALE_BYTES = 2
WEIGHT_BYTES: Mapping[str, float] = {
    "float32": 4, "bfloat16": 2, "uint8": 1, ALONE: 1,
    **{name: bits / 8 + SCALE_BYTES / group for name, (bits, group, _) in GROUPS.items()},
}  # fmt: skip
TAIL = "(y - zero[m] * total[n]) * (scale[m] * by[n])"
SHARE, FASTER, READING = 0.80, 1.7, 0.85
Array = NDArray[Any]


@dataclass(frozen=True)
class Format:
    """A weight and rows in one format, and the kernel for them."""

    name: str
    kernel: Any
    native: Native
    inputs: Mapping[str, Array]

    @classmethod
    def of(cls, name: str, n: int, k: int, streamed: bool, options: argparse.Namespace) -> Format:
        rng = np.random.default_rng(n * 31 + k)
        x, w = (rng.standard_normal(shape, np.float32) for shape in ((max(MANY), k), (n, k)))
        if name == "uint8":
            workload = anytile.quantised_dense(anytile.Any("m"), n, k, out="float32", const=("w",), tail=TAIL)
            whole = np.clip(np.rint(w * 32), -127, 127).astype(np.int8)
            inputs: dict[str, Array] = {
                "x": np.clip(np.rint(x * 32) + 128, 0, 255).astype(np.uint8), "w": whole,
                "zero": np.full(len(x), 128, np.float32), "total": whole.astype(np.float32).sum(1),
                "scale": np.full(len(x), 1 / 32, np.float32), "by": np.full(n, 1 / 32, np.float32),
            }  # fmt: skip
        elif name == ALONE:
            workload = anytile.quantised_dense(
                anytile.Any("m"), n, k, x="float32", out="float32", const=("w",), tail="y * by[n]"
            )
            whole = np.clip(np.rint(w * 32), -127, 127).astype(np.int8)
            inputs = {"x": x, "w": whole, "by": np.full(n, 1 / 32, np.float32)}
        else:
            workload = anytile.dense(anytile.Any("m"), n, k, dtype=name, const=("w",))
            inputs = {"x": anytile.bits_of(x, name), "w": anytile.bits_of(w, name)}
        return cls._built(name, workload, inputs, streamed, options)

    @classmethod
    def grouped(cls, name: str, n: int, k: int, streamed: bool, options: argparse.Namespace) -> Format:
        """A weight of few bits, a scale for every group."""
        bits, group, accuracy = GROUPS[name]
        rng = np.random.default_rng(n * 31 + k)
        workload = anytile.grouped_dense(
            anytile.Any("m"), n, k, bits=bits, group=group, scales="float16", accuracy=accuracy, const=("w", "scale")
        )
        inputs = {
            "x": rng.standard_normal((max(MANY), k), np.float32),
            "w": rng.integers(0, 256, (n, k * bits // 8), np.uint8),
            "scale": (rng.random((n, k // group)) / 64).astype(np.float16),
        }
        return cls._built(name, workload, inputs, streamed, options)

    @classmethod
    def _built(
        cls, name: str, workload: Any, inputs: Mapping[str, Array], streamed: bool, options: argparse.Namespace
    ) -> Format:
        workload = workload.streaming(workload.const) if streamed else workload
        target, constants = anytile.Target.host(options.threads), {c: inputs[c] for c in workload.const}
        kernel = anytile.build(workload, target=target, db=options.db, constants=constants)
        return cls(name, kernel, Native(kernel.artifact, workload, constants), inputs)

    def at(self, m: int, flops: float) -> System | None:
        """Nothing where the plan runs a library: then no kernel of ours is there to look at."""
        workload = self.kernel.plan.workload
        if not isinstance(self.kernel.plan.range_at(m).runs, int):
            return None
        given = {t.name: self.inputs[t.name][:m] if t.dims[0] == "m" else self.inputs[t.name] for t in workload.inputs}
        (output,) = workload.outputs
        dtype = workload.dtype_of(output)
        y = anytile.bits_of(np.zeros(workload.shape("y", {"m": m}), np.float32), dtype)
        passed = {name: array for name, array in given.items() if name not in workload.const}
        system = self.native.at(self.name, passed, y, {"m": m}, flops)
        wanted = evaluate(
            workload, {a: anytile.from_bits(v, workload.dtype_of(workload.tensor(a))) for a, v in given.items()}
        )["y"]
        near = {"bfloat16": 2.0**-7}.get(dtype, 1e-5)
        if workload.spec.near is not None:
            near += workload.spec.near(workload.attributes)
        got, near = anytile.from_bits(y, dtype), near * np.abs(wanted).max()
        if not np.abs(got - wanted).max() <= near:
            raise SystemExit(f"error: {self.name} is wrong at m={m} of {workload}")
        return system


def measure(report: Report, options: argparse.Namespace) -> None:
    timing = Timing(rounds=5, slot_ms=1.0, most_rounds=5) if options.quick else Timing()
    target = anytile.Target.host(options.threads)
    offered = narrow_facts(target)
    for name, there in (("bfloat16", offered.bfloat16), ("8-bit integers", offered.bytes)):
        if not there:
            report.say(f"this CPU has no instruction for products of {name}: they are made of others")
    peaks = [peak_system(target), *(dot_system(target, name) for name in FORMATS[1:])]
    for n, k in LAYERS[:1] if options.quick else LAYERS:
        formats = [Format.of(name, n, k, False, options) for name in FORMATS]
        for one in formats:
            report.say(f"dense n={n} k={k}, {one.name}: {origin(one.kernel)}")
        for m in MANY[:1] if options.quick else MANY:
            flops = 2.0 * m * n * k
            found = [system for one in formats if (system := one.at(m, flops)) is not None]
            case = {"op": "dense", "m": m, "n": n, "k": k, "weight": "caches"}
            report.rows += interleave(case, [*found, *peaks], timing)
    for n, k in STREAMED:
        for name in AT_ONE_ROW:
            system = Format.of(name, n, k, True, options).at(1, 2.0 * n * k)
            reader = Reader(round(n * k * WEIGHT_BYTES[name] / 4), target, streamed=True).system()
            report.say(f"dense n={n} k={k}, {name}, one row from memory")
            case = {"op": "dense", "m": 1, "n": n, "k": k, "weight": "memory", "format": name}
            report.rows += interleave(case, [reader, *([] if system is None else [system])], timing)
    for n, k in GROUPED[:1] if options.quick else GROUPED:
        for name in GROUPS:
            one = Format.grouped(name, n, k, True, options)
            reader = Reader(round(n * k * WEIGHT_BYTES[name] / 4), target, streamed=True).system()
            report.say(f"grouped_dense n={n} k={k}, {name}, one row from memory: {origin(one.kernel)}")
            system = one.at(1, 2.0 * n * k)
            case = {"op": "grouped_dense", "m": 1, "n": n, "k": k, "weight": "memory", "format": name}
            report.rows += interleave(case, [reader, *([] if system is None else [system])], timing)
    for n, k in LAYERS[:1] if options.quick else LAYERS:
        formats = [Format.of("float32", n, k, False, options)]
        formats += [Format.grouped(name, n, k, False, options) for name in GROUPS]
        for m in MANY[:1] if options.quick else MANY:
            report.say(f"grouped_dense n={n} k={k}, m={m}")
            found = [system for one in formats if (system := one.at(m, 2.0 * m * n * k)) is not None]
            case = {"op": "grouped_dense", "m": m, "n": n, "k": k, "weight": "groups"}
            report.rows += interleave(case, found, timing)
    show(report)


def _by_case(rows: Iterable[Row], weight: str) -> dict[tuple[Any, ...], dict[str, Row]]:
    found: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        if row.case["weight"] == weight:
            key = (row.case["m"], row.case["n"], row.case["k"], row.case.get("format", ""))
            found.setdefault(key, {})[row.system] = row
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    rows = list(rows)
    many = _by_case(rows, "caches").values()
    made = []
    for name in FORMATS[1:]:
        shares = [at[name].gflops / at[f"{name} peak"].gflops for at in many if name in at]
        if shares:
            made.append(Claim(f"{name}, m >= 64, share of the peak of its instruction", geomean(shares), SHARE))
    pairs = [at for at in many if {"float32", "bfloat16"} <= at.keys()]
    if pairs:
        faster = geomean(at["float32"].seconds / at["bfloat16"].seconds for at in pairs)
        made.append(Claim("bfloat16 against float32, m >= 64", faster, FASTER))
    reached: dict[str, list[float]] = {}
    for (_, _, _, name), at in _by_case(rows, "memory").items():
        if name in at and name != "float32":
            reached.setdefault(name, []).append(at[PLAIN].seconds / at[name].seconds)
    for name, found in reached.items():  # of several layers the worst
        made.append(Claim(f"{name}, one row from memory, share of what only reading allows", min(found), READING))
    return made


def show(report: Report) -> None:
    peaks = ("fma peak", *(f"{name} peak" for name in FORMATS[1:]))
    lines = [
        [f"{n}x{k}", str(m), *(f"{at[s].gflops:.0f}" if s in at else "-" for s in (*FORMATS, *peaks))]
        for (m, n, k, _), at in _by_case(report.rows, "caches").items()
    ]
    report.table("dense in narrow numbers, GFLOP/s", ("n x k", "m", *FORMATS, *peaks), lines)
    lines = [
        [f"{n}x{k}", name, *(f"{1e-9 * WEIGHT_BYTES[name] * n * k / at[s].seconds:.1f}" if s in at else "-"
                             for s in (PLAIN, name))]
        for (_, n, k, name), at in _by_case(report.rows, "memory").items()
    ]  # fmt: skip
    report.table("one row, GB/s of the weight from memory", ("n x k", "format", PLAIN, "anytile"), lines)
    many = ("float32", *GROUPS)
    lines = [
        [f"{n}x{k}", str(m), *(f"{at[s].gflops:.0f}" if s in at else "-" for s in many)]
        for (m, n, k, _), at in _by_case(report.rows, "groups").items()
    ]
    report.table("weights by groups at many rows, GFLOP/s", ("n x k", "m", *many), lines)


main = program(__doc__, measure, claims)


if __name__ == "__main__":
    sys.exit(main())
