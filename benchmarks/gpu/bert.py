"""BERT-base in bfloat16 on a GPU, one sequence at a time, beside torch in CUDA graphs: plain, and by torch.compile.

Everybody is called from Python, with input and result on the GPU, and waited for: what a user waits for one sequence.
torch has its layer compiled once for each size and all twelve in one graph, which takes seconds; and the whole model in
mode reduce-overhead, which takes up to a minute a size, so that goes by sizes in order of worth until the time is up.
Ours goes twice: as it is by default, and with kernels that are launched while those before them still end.
Results of all are held against torch's float32 before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import bert
import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.compiler.compile import compile_module
from anytile.core.errors import MeasureError
from anytile.vm.executable import Executable
from anytile.vm.values.stream_device import StreamDevice
from benchmarks.gpu import kernels
from benchmarks.gpu.plans import planner
from benchmarks.gpu.run import Part, Run, Unit
from benchmarks.measure.harness import Claim, Report, Row, System, Timing, geomean, interleave
from benchmarks.rivals.gpu_rivals import SYMBOLIC
from benchmarks.rivals.model_rivals import bert_layer, held
from benchmarks.rivals.torch_gpu import TorchGpu
from benchmarks.whole_models.models import rungs

GRAPH, BY_LAYER, WHOLE = "torch, one graph", "torch.compile by layer, one graph", "torch.compile, reduce-overhead"
RIVALS = (GRAPH, BY_LAYER, WHOLE)
EARLY = "anytile, launched early"
OURS = {SYMBOLIC: False, EARLY: True}
SIZES = (17, 128, 1, 64, 32, 8, 100)  # tokens, in order of worth
DTYPE = "bfloat16"
LAYERS, EPS = 12, 1e-12
OFF = 0.05  # relative, in L2: twelve layers' roundings are about 0.01, a layer left out is about 1
GAIN = 1.2
WARM = 4  # runs until a session has its graph
Array = NDArray[np.float32]
Call = Callable[[], Any]


def executable(run: Run, layers: int) -> Executable:
    """With the plans that the journal has."""
    module = bert.bert(layers)
    return compile_module(module, run.target, None, run.cache, precision=DTYPE, planners=lambda on: planner(run, on))


class Torch:
    """The same model of torch's, on the GPU."""

    def __init__(self, gpu: TorchGpu, layers: int) -> None:
        self.gpu, self.torch = gpu, gpu.torch
        self._weights = [
            {name: self.torch.from_numpy(a).to(gpu.where) for name, a in w.items()} for w in bert.weights(layers)
        ]
        self._narrow = [{name: a.to(getattr(self.torch, DTYPE)) for name, a in w.items()} for w in self._weights]
        self._compiled: Callable[[Any], Any] | None = None

    def _layer(self, w: Any, x: Any) -> Any:
        return bert_layer(self.torch, w, x, bert.HEADS, EPS)

    def _encode(self, layer: Callable[[Any, Any], Any], weights: Any, x: Any) -> Any:
        for w in weights:
            x = layer(w, x)
        return x

    def expected(self, x: Array) -> Array:
        """In float32."""
        with self.torch.no_grad():
            return self._on_host(self._encode(self._layer, self._weights, self.given(x)))

    def given(self, x: Array) -> Any:
        return self.torch.from_numpy(x).to(self.gpu.where)

    def _on_host(self, y: Any) -> Array:
        return np.asarray(y.float().cpu().numpy())

    def way(self, name: str, x: Array) -> tuple[Call, Callable[[], Array]]:
        """A call that makes a result of x and waits for it; and that result."""
        given = self.given(x).to(getattr(self.torch, DTYPE))
        if name == WHOLE:
            whole = self._whole()
            kept = self._warm(lambda: whole(given))
            return self._waited(lambda: whole(given)), lambda: kept
        layer: Callable[[Any, Any], Any] = self._layer
        if name == BY_LAYER:
            layer = self.gpu.compiled(self._layer)
        found: list[Any] = [None]

        def work() -> None:
            found[0] = self._encode(layer, self._narrow, given)

        with self.torch.no_grad():
            work()
            replay = self.gpu.captured(work)
        replay()
        return self._waited(replay), lambda: self._on_host(found[0])

    def _whole(self) -> Callable[[Any], Any]:
        """Weights that were no parameters of a module would be copied to the graph before each replay."""
        if self._compiled is None:
            module = held(self.torch, lambda weights, x: self._encode(self._layer, weights, x), self._narrow)
            self._compiled = self.gpu.compiled(module, mode="reduce-overhead")
        return self._compiled

    def _warm(self, call: Call) -> Array:
        """Compiled, warmed up, recorded, replayed; the last result, which the next replay overwrites."""
        with self.torch.no_grad():
            for _ in range(WARM):
                y = call()
            return self._on_host(y)

    def _waited(self, call: Call) -> Call:
        def waited() -> None:
            with self.torch.no_grad():
                call()
            self.gpu.synchronise()

        return waited


class Bert:
    """The model as it is measured: ours and torch's are made when the first unit wants them, and kept for the other."""

    def __init__(self, quick: bool) -> None:
        self.layers = 2 if quick else LAYERS
        self.sizes = SIZES[:2] if quick else SIZES
        self._made: tuple[dict[str, anytile.Session], str, Torch] | None = None

    def _both(self, run: Run) -> tuple[dict[str, anytile.Session], str, Torch]:
        if self._made is None:
            if run.torch is None:
                raise MeasureError(
                    "torch is not installed or sees no GPU, and nobody else judges the model or races it"
                )
            run.report.say(f"compiling BERT of {self.layers} layers in {DTYPE}")
            exe = executable(run, self.layers)
            devices = {name: StreamDevice(run.device, early=early) for name, early in OURS.items()}
            sessions = {n: anytile.Session(exe, devices={"cuda": d}, results="cuda") for n, d in devices.items()}
            self._made = sessions, rungs(exe), Torch(run.torch, self.layers)
            run.report.say(f"BERT: plans of {self._made[1]}")
        return self._made

    def beside_graphs(self, run: Run) -> None:
        """All is compiled before anything is timed."""
        sessions, plans, torch = self._both(run)
        found: list[tuple[int, list[System]]] = []
        for t in self.sizes:
            with run.noted(f"BERT at T={t}"):
                systems = self._ours(run, sessions, torch, t)
                for name in (GRAPH, BY_LAYER):
                    if not run.late(f"BERT at T={t} against {name}"):
                        systems += self._rival(run, torch, name, t)
                found.append((t, systems))
        for t, systems in found:
            with run.noted(f"BERT at T={t}"):
                self._time(run, t, plans, systems)

    def beside_whole(self, run: Run) -> None:
        sessions, plans, torch = self._both(run)
        longest = 0.0
        for t in self.sizes:
            what = f"BERT at T={t} against {WHOLE}"
            if run.left() < longest:
                run.report.unmeasured.append(f"{what}: the time that is left is less than the last compile took")
                continue
            with run.noted(what):
                began = run.report.elapsed
                rivals = self._rival(run, torch, WHOLE, t)
                longest = run.report.elapsed - began
                if rivals:
                    self._time(run, t, plans, [*self._ours(run, sessions, torch, t), *rivals])

    def _ours(self, run: Run, sessions: dict[str, anytile.Session], torch: Torch, t: int) -> list[System]:
        x = input_of(t)
        given, found = torch.given(x), []
        for name, session in sessions.items():
            for _ in range(WARM):
                y = session(given)
            self._judge(name, t, on_host(run, y), torch.expected(x))
            found.append(System.of(name, partial(session, given)))
        return found

    def _rival(self, run: Run, torch: Torch, name: str, t: int) -> list[System]:
        found: list[System] = []
        with run.noted(f"BERT at T={t} against {name}"):
            x = input_of(t)
            call, result = torch.way(name, x)
            self._judge(name, t, result(), torch.expected(x))
            found.append(System.of(name, call))
        return found

    def _judge(self, name: str, t: int, y: Array, wanted: Array) -> None:
        off = float(np.linalg.norm(y - wanted) / np.linalg.norm(wanted))
        if not off <= OFF:
            raise MeasureError(f"{name} is {off:.3g} off torch's float32, at most {OFF} was expected, at T={t}")

    def _time(self, run: Run, t: int, plans: str, systems: Sequence[System]) -> None:
        timing = Timing(rounds=3, most_rounds=3) if self.layers < LAYERS else Timing(slot_ms=5.0, most_rounds=14)
        case = {
            "part": "bert",
            "dtype": DTYPE,
            "layers": self.layers,
            "t": t,
            "plans": plans,
            "beside": len(systems) - len(OURS),
        }
        with run.timing():
            rows = interleave(case, systems, timing)
            run.clocks.look()
        run.report.rows += rows
        if seen := run.clocks.taken():
            run.report.machine = {**run.report.machine, f"clocks, BERT at T={t}": seen}
        run.report.say(", ".join(f"{row.system} {row.seconds * 1e6:.1f} us" for row in rows) + f" at T={t}")
        run.told()


def input_of(t: int) -> Array:
    return np.random.default_rng(t).standard_normal((t, bert.HIDDEN), dtype=np.float32)


def on_host(run: Run, y: Any) -> Array:
    """A result that lies on the device, in float32."""
    there = y.__cuda_array_interface__
    shape, address = there["shape"], there["data"][0]
    return run.device.read(address, int(np.prod(shape)) * 4).view(np.float32).reshape(shape)


def units(quick: bool) -> list[Unit]:
    model = Bert(quick)
    return [
        Unit("BERT beside graphs of torch", 95.0, model.beside_graphs),
        Unit(f"BERT beside {WHOLE}", 100.0, model.beside_whole),
    ]


def claims(rows: Sequence[Row]) -> list[Claim]:
    found = []
    those = kernels.cells(rows, "bert")
    for what, rivals in (("torch in CUDA graphs, compiled by layer or not", (GRAPH, BY_LAYER)), (WHOLE, (WHOLE,))):
        of = [(case, at) for case, at in those if kernels.best(at, rivals) is not None]
        if of:
            sizes = ", ".join(str(t) for t in sorted({case["t"] for case, _ in of}))
            plans = of[0][0]["plans"]
            layers = of[0][0]["layers"]
            text = f"BERT of {layers} layers, {DTYPE}, batch 1, T = {sizes} (plans: {plans})"
            for name in OURS:
                if values := kernels.gains(of, name, rivals):
                    found.append(Claim(f"{text}, {name}, against {what}", geomean(values), GAIN))
    return found


def show(report: Report) -> None:
    lines = []
    for case, at in kernels.cells(report.rows, "bert"):
        rival = kernels.best(at, RIVALS)
        figures = [f"{at[name] * 1e6:.1f}" if name in at else "" for name in (*OURS, *RIVALS)]
        lines.append((str(case["t"]), *figures, "" if rival is None else f"{rival / at[SYMBOLIC]:.2f}x"))
    if lines:
        report.table(f"BERT, {DTYPE}, us a sequence", ("T", *OURS, *RIVALS, "over best"), lines)


PART = Part("bert", units, claims, show)
