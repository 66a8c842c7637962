"""Models that come in by ONNX files beside torch, torch.compile, onnxruntime and OpenVINO, interleaved in one run.

GPT-2's prefill, a Llama-shaped decoder over its cache, ResNet-50, MobileNet-v2, EfficientNet-B0, ViT-B, Whisper-tiny's
encoder and BERT, with random weights: torch writes each to a file, which onnxruntime and OpenVINO read as well. With
`--tune` a campaign of `anytile tune --model` comes first, for so long for each model. Results are held against torch's
before they are timed: where ours are others the run ends; a rival is left out there, and that is said. Beside the file
the same model comes in by torch.export and by torch.compile with our backend. Floors are those of one thread and of a
full run, and of each way in.

A whole run takes hours. With `--keep F` every point is a line of F as it is measured, and a run measures and tunes what
F lacks; with `--within` it begins nothing when so long is over, and says what is left. So the same command, given again
and again, makes a full run in pieces.

    scripts/bench imported --tune 5m --db imported.db --check --json imported.json
    scripts/bench imported --tune 4m --db imported.db --json imported.json --keep imported.jsonl --within 5m
    scripts/bench imported --model resnet50 --model gpt2 --rival onnxruntime --front-end onnx
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import math
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import anytile
from anytile.commands.reading import read_duration
from anytile.core.errors import SpecError
from anytile.importers.torch import dynamo
from anytile.importers.torch.exported import flat_results
from anytile.models_io.rival import onnxruntime_session
from benchmarks.measure import campaigns
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, fastest, geomean, interleave
from benchmarks.measure.kept import Kept
from benchmarks.measure.machine import ALLOWED
from benchmarks.measure.program import program
from benchmarks.rivals.dense_rivals import Array, Way, bound_to, compiled_of, flat, inferred_to, missing
from benchmarks.rivals.model_rivals import COMPILED, ONNXRUNTIME, OPENVINO, RIVALS, TORCH, fresh, frozen, no_compiler
from benchmarks.whole_models.models import OURS, gain, rungs, times

if TYPE_CHECKING:
    from benchmarks.subjects.imported_models import Network

NAMES = ("gpt2", "llama", "resnet50", "mobilenet-v2", "efficientnet-b0", "vit-b", "whisper-tiny", "bert")
WRITERS = ("torch", "onnx", "onnxscript")
TOLERANCE = 1e-3  # of a result's largest element; something left out is off by as much as there is, rounding by 1e-5
PATIENCE_S = 60.0  # after so long at one model's points, those that do not settle get no more rounds
MEAN, WORST = 1.1, 0.9
ONNX, EXPORT, COMPILE = "onnx", "torch.export", "torch.compile"
WAYS_IN = {ONNX: OURS, EXPORT: f"{OURS}, {EXPORT}", COMPILE: f"{OURS}, {COMPILE}"}  # and what a system is called
Ways = Callable[[tuple[Any, ...], Sequence[Array]], list[Way]]  # for a model's arguments, and results like these


@dataclass(frozen=True, slots=True)
class Contender:
    """Somebody who has loaded the model, and how it may be called."""

    name: str
    ways: Ways


def measure(report: Report, options: argparse.Namespace) -> None:
    if lacking := [name for name in WRITERS if find_spec(name) is None]:
        raise SpecError(f"{', '.join(lacking)} not installed, by which models are made; scripts/bench installs that")
    if options.keep is not None and options.tune and not options.db:
        raise SpecError("--keep with --tune: what one run tunes another needs; name a database with --db")
    from benchmarks.subjects.imported_models import networks

    known, before = networks(options.quick), Before(report, options)
    for name in options.model or NAMES:
        report.rows += before.rows[name]
        sizes = [size for size in known[name].sizes if not before.has(known[name], size)]
        if sizes and not before.is_over(f"{name} at {', '.join(map(str, sizes))} {known[name].what}"):
            with tempfile.TemporaryDirectory() as folder:
                measure_network(report, options, known[name], sizes, Path(folder), before)
            gc.collect()
        show(report, known[name])
    show_all(report)


class Before:
    """What runs before this one measured and tuned, as `--keep` has it, on such a machine and with such options."""

    def __init__(self, report: Report, options: argparse.Namespace) -> None:
        asked = (options.quick, options.rival, options.front_end, options.tune)
        self._report, self._kept = report, Kept(options.keep, json.dumps([dict(report.machine), *asked]))
        self._within = math.inf if options.within is None else read_duration(options.within, "--within")
        self.rows: dict[str, list[Row]] = {name: [] for name in NAMES}
        self.tuned: set[str] = set()
        self._has_done = False  # whatever the time: or runs that begin slowly would never end
        for what, found in self._kept:
            if what == "tuned":
                self.tuned.add(found)
            else:
                rows, notes = found
                self._count([Row(**row) for row in rows])
                report.unmeasured += [note for note in notes if note not in report.unmeasured]

    def _count(self, rows: Sequence[Row]) -> None:
        self.rows[rows[0].case["model"]] += rows

    def has(self, network: Network, size: int) -> bool:
        return any(row.case[network.what] == size for row in self.rows[network.name])

    def add_tuned(self, name: str) -> None:
        self._has_done = True
        self.tuned.add(name)
        self._kept.add("tuned", name)

    def add(self, rows: Sequence[Row], notes: Sequence[str]) -> None:
        """All of one point, and what is to be said of it."""
        self._has_done = True
        self._count(rows)
        self._kept.add("point", ([asdict(row) for row in rows], notes))

    def is_over(self, what: str) -> bool:
        """Whether nothing more is begun; said of what then is not measured."""
        over = self._has_done and self._report.elapsed > self._within
        if over:
            self._report.unmeasured.append(f"{what}: --within was over; the same command again goes on")
        return over


def measure_network(
    report: Report,
    options: argparse.Namespace,
    network: Network,
    sizes: Sequence[int],
    folder: Path,
    before: Before,
) -> None:
    torch, target = fresh(options.threads), anytile.Target.host(options.threads)
    db = options.db or (str(folder / "tuning.db") if options.tune else None)
    model = network.module()
    path = written(torch, network, model, folder)
    report.say(f"{network.name}: written, {sum(p.stat().st_size for p in folder.iterdir()) / 1e6:.0f} MB")
    if options.tune and network.name not in before.tuned:
        words = ["tune", "--model", str(path), "--target", str(target), "--time", options.tune]
        seconds = campaigns.run(words, db or "", cores=ALLOWED, may_fall_short=True)
        report.say(f"{network.name}: tuned in {seconds:.0f} s by anytile {shlex.join(words)}")
        before.add_tuned(network.name)
        if before.is_over(f"{network.name} at {', '.join(map(str, sizes))} {network.what}"):
            return
    began, noted = time.monotonic(), len(report.unmeasured)
    exe = anytile.compile(path, target, db=db)
    plans = rungs(exe)
    report.say(f"{network.name}: compiled in {time.monotonic() - began:.1f} s, plans of {plans}")
    ours = [Contender(OURS, by_session(torch, anytile.Session(exe)))]
    for name in options.front_end or (EXPORT, COMPILE):
        if name != ONNX:
            ours.append(Contender(WAYS_IN[name], FRONT_ENDS[name](torch, network, model, target, db)))
            prime(torch, network, model, ours[-1])
            report.say(f"{network.name}: came in by {name}")
    field = []
    for name in asked(report, options, network):
        field.append(Contender(name, MAKERS[name](torch, network, model, path, options.threads)))
        prime(torch, network, model, field[-1])
        report.say(f"{network.name}: {name} is ready")
    began = time.monotonic()
    timing = Timing(rounds=3, most_rounds=3) if options.quick else Timing(5, slot_ms=5.0, more_rounds=4, most_rounds=13)
    for size in sizes:
        left = sizes[sizes.index(size) :]
        if size != sizes[0] and before.is_over(f"{network.name} at {', '.join(map(str, left))} {network.what}"):
            return
        if time.monotonic() - began > PATIENCE_S:
            timing = replace(timing, most_rounds=timing.rounds)
        case = {"model": network.name, network.what: size, "plans": plans}
        systems = contenders(report, torch, model, case, network.arguments(size), ours, field)
        rows = interleave(case, systems, timing)
        report.rows += rows
        before.add(rows, report.unmeasured[noted:])
        report.say(f"{network.name}: {size} {network.what}")


def written(torch: Any, network: Network, model: Any, folder: Path) -> Path:
    """The model's ONNX file."""
    path = folder / f"{network.name}.onnx"
    example = network.arguments(network.example)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it names packages that it could do more with
    with torch.no_grad():
        torch.onnx.export(model, example, str(path), dynamo=True, dynamic_shapes=network.dynamic, verbose=False)
    return path


def asked(report: Report, options: argparse.Namespace, network: Network) -> Iterator[str]:
    """The rivals that are wanted and can run here."""
    for name in options.rival or RIVALS:
        if name == COMPILED and (reason := no_compiler()):
            report.unmeasured.append(f"{network.name} {reason}")
        elif name.partition(".")[0] not in missing():
            yield name


def by_session(torch: Any, session: anytile.Session) -> Ways:
    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        ours = arrays(torch, given)
        return [Way("session", lambda: session(*ours), lambda: flat(flat_results(session(*ours))))]

    return ways


def by_export(torch: Any, network: Network, model: Any, target: anytile.Target, db: str | None) -> Ways:
    with torch.no_grad():
        program = torch.export.export(model, network.arguments(network.example), dynamic_shapes=network.dynamic)
    return by_session(torch, anytile.Session(anytile.compile(program, target, db=db)))


def by_backend(torch: Any, network: Network, model: Any, target: anytile.Target, db: str | None) -> Ways:
    """A graph that torch ran itself would be no figure of ours: what the backend has to say ends the run."""

    def refused(line: str) -> None:
        raise SystemExit(f"error: {network.name}: {line}")

    def compiled(module: anytile.Module, gpu: int | None) -> dynamo.Run:
        return anytile.Session(anytile.compile(module, target, db=db)).run

    programs = dynamo.Programs(compiled, refused)

    def backend(graph: Any, inputs: Sequence[Any]) -> Any:
        return dynamo.backend(graph, inputs, programs)

    run = torch.inference_mode()(torch.compile(model, backend=backend, dynamic=True))

    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        mark(torch, network, given)
        with torch._inductor.config.patch(freezing=False):  # which is another backend's, and the tracer's for all
            run(*given)
        return [Way("compiled", lambda: run(*given), lambda: flat(arrays(torch, run(*given))))]

    return ways


def mark(torch: Any, network: Network, given: tuple[Any, ...]) -> None:
    """Tell torch.compile which sizes vary, so that it takes no others for unknown."""
    tree = torch.utils._pytree
    vary = tree.tree_leaves(network.dynamic, is_leaf=lambda part: isinstance(part, dict))
    for tensor, dims in zip(tree.tree_leaves(given), vary, strict=True):
        for dim in dims:
            torch._dynamo.maybe_mark_dynamic(tensor, dim)


FRONT_ENDS: dict[str, Callable[[Any, Network, Any, anytile.Target, str | None], Ways]] = {
    EXPORT: by_export,
    COMPILE: by_backend,
}


def by_torch(torch: Any, network: Network, model: Any, path: Path, threads: int) -> Ways:
    """As it is, and models of images with their channels last."""

    def way(label: str, run: Any, given: tuple[Any, ...]) -> Way:
        call = torch.inference_mode()(lambda: run(*given))
        return Way(label, call, lambda: flat(arrays(torch, call())))

    turned = network.module().to(memory_format=torch.channels_last) if network.is_image else None

    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        found = [way("eager", model, given)]
        if turned is not None:
            last = tuple(t.contiguous(memory_format=torch.channels_last) for t in given)
            found.append(way("channels last", turned, last))
        return found

    return ways


def by_compiler(torch: Any, network: Network, model: Any, path: Path, threads: int) -> Ways:
    """With the weights frozen in."""
    run = torch.inference_mode()(frozen(torch, model))

    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        mark(torch, network, given)
        return [Way("frozen", lambda: run(*given), lambda: flat(arrays(torch, run(*given))))]

    return ways


def by_onnxruntime(torch: Any, network: Network, model: Any, path: Path, threads: int) -> Ways:
    session = onnxruntime_session(path, threads)
    inputs, outputs = ([port.name for port in ports] for ports in (session.get_inputs(), session.get_outputs()))

    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        named = dict(zip(inputs, arrays(torch, given), strict=True))
        return [bound_to("bound", session, named, dict(zip(outputs, room(results), strict=True)))]

    return ways


def by_openvino(torch: Any, network: Network, model: Any, path: Path, threads: int) -> Ways:
    compiled = compiled_of(path, threads)
    inputs = [port.any_name for port in compiled.inputs]

    def ways(given: tuple[Any, ...], results: Sequence[Array]) -> list[Way]:
        named = dict(zip(inputs, arrays(torch, given), strict=True))
        return [inferred_to("set", compiled, named, room(results))]

    return ways


MAKERS: dict[str, Callable[[Any, Network, Any, Path, int], Ways]] = {
    TORCH: by_torch,
    COMPILED: by_compiler,
    ONNXRUNTIME: by_onnxruntime,
    OPENVINO: by_openvino,
}


def arrays(torch: Any, given: Any) -> list[Array]:
    """Arguments or results, flat."""
    return [tensor.numpy() for tensor in torch.utils._pytree.tree_leaves(given)]


def room(results: Sequence[Array]) -> list[Array]:
    """Memory for results like these, whose own elements may lie anyhow."""
    return [np.empty(result.shape, result.dtype) for result in results]


def prime(torch: Any, network: Network, model: Any, rival: Contender) -> None:
    """The first call, at a size that no point has: of one token OpenVINO 2026.4 would go on computing wrongly."""
    example = network.arguments(network.example)
    with torch.inference_mode():
        results = arrays(torch, model(*example))
    for way in rival.ways(example, results):
        way.call()


def contenders(
    report: Report,
    torch: Any,
    model: Any,
    case: dict[str, Any],
    given: tuple[Any, ...],
    own: Sequence[Contender],
    field: Sequence[Contender],
) -> list[System]:
    """Ours by each way in, and each rival in its fastest way, of those who compute what torch does."""
    from torch.utils.flop_counter import FlopCounterMode

    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        wanted = arrays(torch, model(*given))
    flops = float(counter.get_total_flops())
    where = ", ".join(f"{key} {value}" for key, value in case.items() if key != "plans")
    systems = []
    for ours in own:
        (way,) = ours.ways(given, wanted)
        if not (off := apart(way.result(), wanted)) <= TOLERANCE:
            raise SystemExit(f"error: {where}: {ours.name} and torch differ by {off:.3g} of the largest element")
        systems.append(System.of(ours.name, way.call, flops))
    for rival in field:
        ways = []
        for way in rival.ways(given, wanted):
            way.call()
            if (off := apart(way.result(), wanted)) <= TOLERANCE:
                ways.append(System.of(way.label, way.call, flops))
            else:
                what = f"{way.label}, which computes something else: {off:.3g} of the largest element"
                report.unmeasured.append(f"{where} against {rival.name} ({what})")
        if ways:
            systems.append(replace(fastest(ways, rounds=2), name=rival.name))
    return systems


def apart(found: Array, wanted: Sequence[Array]) -> float:
    """How far results are from others, at the worst element of any, as part of the largest of that result."""
    parts = np.split(np.ravel(found), np.cumsum([w.size for w in wanted])[:-1])
    return float(np.max([np.abs(p - w.ravel()).max() / np.abs(w).max() for p, w in zip(parts, wanted, strict=True)]))


def gains(rows: Iterable[Row], system: str = OURS) -> dict[str, list[float]]:
    """How many times faster than the best rival each model is, at each of its points."""
    found: dict[str, list[float]] = {}
    for case, at in times(rows):
        if system in at and (value := gain({**at, OURS: at[system]})) is not None:
            found.setdefault(case["model"], []).append(value)
    return found


def claims(rows: Iterable[Row]) -> list[Claim]:
    made = []
    rows = list(rows)
    for way_in, system in WAYS_IN.items():
        means = [geomean(values) for values in gains(rows, system).values()]
        name = f"imported models{'' if way_in == ONNX else f' by {way_in}'} against the best rival"
        if means:
            made.append(Claim(f"{name}: geometric mean", geomean(means), MEAN))
            made.append(Claim(f"{name}: worst model", min(means), WORST))
    return made


def show(report: Report, network: Network) -> None:
    rows = [row for row in report.rows if row.case["model"] == network.name]
    rates = {row.case[network.what]: row.gflops for row in rows if row.system == OURS}
    names = [name for name in (*WAYS_IN.values(), *RIVALS) if any(row.system == name for row in rows)]
    lines = []
    for case, at in times(rows):
        value = gain(at)
        figures = [f"{at[name] * 1e3:.2f}" if name in at else "-" for name in names]
        rate, ratio = f"{rates[case[network.what]]:.1f}", f"{value:.2f}x" if value else "-"
        lines.append([str(case[network.what]), *figures, rate, ratio])
    report.table(f"{network.name}, ms", [network.what, *names, "GFLOP/s", "against best rival"], lines)


def show_all(report: Report) -> None:
    lines = [
        [name, way_in, f"{geomean(found):.3f}x", f"{min(found):.3f}x"]
        for way_in, system in WAYS_IN.items()
        for name, found in gains(report.rows, system).items()
    ]
    report.table("Against the best rival at each size", ["model", "by", "geometric mean", "worst size"], lines)


def own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", choices=NAMES, action="append", help="only this one; may be given again")
    parser.add_argument("--rival", choices=RIVALS, action="append", help="only this one; may be given again")
    parser.add_argument("--keep", type=Path, metavar="F", help="add points to F, and measure none that it has")
    parser.add_argument("--within", metavar="TIME", help="begin nothing more when so long is over, as in 5m")
    parser.add_argument("--front-end", choices=WAYS_IN, action="append", help="only the file and this one; as above")
    parser.add_argument("--tune", metavar="TIME", help="tune each model first, for so long, as in 5m")


main = program(__doc__, measure, claims, missing, extra=own_options, on_one_thread=True)


if __name__ == "__main__":
    sys.exit(main())
