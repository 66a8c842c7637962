"""What the importers cost: reading an ONNX file, compiling and running it, and calling a model through torch.compile.

BERT-base is written as an ONNX file of standard operators; fresh processes compile it with the database's plans, and
read as much of it as makes 100 MB. What comes of the file runs beside `examples/bert.py`, which says the same model in
our own language, in alternation and with the same plans. A call through torch.compile is timed beside one of a Session
of the same model, for a model of few weights and one of as many as BERT has. What lies between is torch's guards and
ours: beside them is a backend that does nothing, which has torch's alone.

    scripts/bench front_ends --check --db tuned.db
    scripts/bench front_ends --part runs --check --db tuned.db
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import bert
import numpy as np

import anytile
from benchmarks.measure.first_result import timed_files
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, interleave
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import missing
from benchmarks.rivals.model_rivals import fresh
from benchmarks.subjects import model_graphs
from benchmarks.whole_models.models import EPS

LAYERS, READ_LAYERS = 12, 4  # of which 4 are a file of 113 MB
WIDTH, FEW, MANY = 16, 1, 50  # layers of four weights
SESSION, COMPILED = "Session", "torch.compile(backend='anytile')"
NOTHING, TORCH = "torch.compile(backend=nothing)", "torch"
IMPORTED, OWN = "ONNX file", "examples/bert.py"
TOKENS = (1, 17, 128, 384)
PARTS = ("files", "runs", "calls")
MOST = {"compile": 5.0, "import": 2.0, "run": 1.02, "call": 30e-6}


def measure(report: Report, options: argparse.Namespace) -> None:
    wanted = options.part or PARTS
    if "files" in wanted:
        files(report, options)
    if "runs" in wanted:
        runs(report, options)
    if "calls" in wanted and "torch" in missing():
        report.unmeasured.append("calls through torch.compile: torch is not installed (scripts/bench installs it)")
    elif "calls" in wanted:
        for layers in (FEW, MANY):
            calls(report, options, layers)
    lines = [[str(r.case["what"]), _detail(r), _seconds(r.seconds), f"{r.spread:.1%}"] for r in report.rows]
    report.table("Front ends", ("what", "of", "time", "spread"), lines)


def _detail(row: Row) -> str:
    said = ", ".join(f"{value} {key}" for key, value in row.case.items() if key != "what")
    return f"{row.system}: {said}"


def _seconds(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds:.2f} s" if seconds > 1 else f"{seconds * 1e3:.2f} ms"


def written(folder: Path, layers: int) -> Path:
    path = folder / f"bert{layers}.onnx"
    path.write_bytes(model_graphs.bert(bert.weights(layers), bert.HEADS, EPS, fused=False))
    return path


def files(report: Report, options: argparse.Namespace) -> None:
    """Fresh processes, with plans and machine code that are there already, and once without the code."""
    target, runs = str(anytile.Target.host(options.threads)), 1 if options.quick else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for layers in (READ_LAYERS, LAYERS):
            written(folder, layers)
        sizes = {p.stem: round(p.stat().st_size / 1e6) for p in folder.glob("*.onnx")}

        def add(what: str, layers: int, cold: bool = False) -> None:
            path = folder / f"bert{layers}.onnx"
            steps = timed_files(path, "" if what == "import" else target, options.db, folder, 1 if cold else runs, cold)
            case = {"what": f"{what}, cold code cache" if cold else what, "layers": layers, "MB": sizes[path.stem]}
            report.rows.append(Row(case, IMPORTED, steps["all"], 0.0, 0.0, runs))
            report.say(f"{case['what']}: {steps['all']:.2f} s")

        add("import", READ_LAYERS)
        add("compile", LAYERS)
        add("compile", LAYERS, cold=True)


def runs(report: Report, options: argparse.Namespace) -> None:
    """The file's model and the example's, of the same weights."""
    layers, target = 2 if options.quick else LAYERS, anytile.Target.host(options.threads)
    with tempfile.TemporaryDirectory() as name:
        imported = anytile.Session(anytile.compile(written(Path(name), layers), target, db=options.db))
    own = anytile.Session(anytile.compile(bert.bert(layers), target, db=options.db))
    for tokens in TOKENS:
        x = np.random.default_rng(tokens).standard_normal((tokens, bert.HIDDEN), np.float32)
        one = x[None]  # the file has a batch of one
        if not np.allclose(imported(one)[0], own(x), rtol=1e-3, atol=1e-3):
            raise SystemExit(f"error: {tokens} tokens: the ONNX file and {OWN} compute different things")
        ways = {IMPORTED: partial(imported, one), OWN: partial(own, x)}
        case = {"what": "run", "layers": layers, "tokens": tokens}
        timing = Timing(rounds=5 if options.quick else 15, slot_ms=20.0)
        report.rows += interleave(case, [System.of(system, call) for system, call in ways.items()], timing)
        report.say(f"runs of {tokens} tokens timed")


def calls(report: Report, options: argparse.Namespace, layers: int) -> None:
    torch = fresh(options.threads)
    torch.manual_seed(0)
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.LayerNorm(WIDTH))]
    model, x = torch.nn.Sequential(*parts).eval(), torch.randn(3, WIDTH)
    dynamic = ({0: torch.export.Dim("rows")},)
    session = anytile.Session(anytile.compile(torch.export.export(model, (x,), dynamic_shapes=dynamic), db=options.db))
    fast, array = torch.compile(model, backend="anytile", dynamic=True), x.numpy()

    result = (torch.zeros_like(x),)
    nothing = torch.compile(model, backend=lambda graph, inputs: lambda *given: result, dynamic=True)
    ways: dict[str, Callable[[], object]] = {
        COMPILED: lambda: fast(x),
        SESSION: lambda: session(array),
        NOTHING: lambda: nothing(x),
        TORCH: lambda: model(x),
    }
    case = {"what": "call", "weights": sum(1 for _ in model.parameters())}
    with torch.inference_mode():
        for call in ways.values():
            call()  # which compiles: how many calls a slot takes is told by those that follow
        systems = [System.of(name, call) for name, call in ways.items()]
        report.rows += interleave(case, systems, Timing(rounds=5 if options.quick else 15, slot_ms=4.0))
    report.say(f"calls of {layers} layers timed")


def claims(rows: Iterable[Row]) -> list[Claim]:
    made, at = [], {}
    for row in rows:
        what = str(row.case["what"])
        if what in ("compile", "import"):
            text = f"{what} of an ONNX file of {row.case['MB']} MB, s"
            made.append(Claim(text, row.seconds, MOST[what], at_most=True))
        at[what, row.case.get("weights", row.case.get("tokens")), row.system] = row.seconds
    for (what, size, system), seconds in at.items():
        if what == "call" and system == COMPILED:
            over = seconds - at[what, size, SESSION]
            text = f"a call through torch.compile over a Session's, {size} weights, us"
            made.append(Claim(text, over * 1e6, MOST[what] * 1e6, at_most=True))
        elif what == "run" and system == IMPORTED:
            text = f"BERT of an ONNX file over {OWN}, {size} tokens, times as long"
            made.append(Claim(text, seconds / at[what, size, OWN], MOST[what], at_most=True))
    return made


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part; may be given again")


main = program(__doc__, measure, claims, extra=own_options)


if __name__ == "__main__":
    sys.exit(main())
