"""torch's tensors on a GPU: graphs and exported programs take them where they lie, and leave their results there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

import anytile  # noqa: E402  # behind the line that skips
from anytile import torch_backend  # noqa: E402
from anytile.core.errors import ArgumentError, SpecError  # noqa: E402
from anytile.dispatch import backends  # noqa: E402
from anytile.dispatch.backends import CudaBackend  # noqa: E402
from anytile.dispatch.cuda.arrays import view  # noqa: E402
from anytile.importers.torch import dynamo  # noqa: E402
from anytile.importers.torch.graph.random_draws import drawn_ahead  # noqa: E402
from anytile.vm.values.stream_device import StreamDevice  # noqa: E402
from tests.support.cuda_cpu.compiler import lacking  # noqa: E402
from tests.support.stand_ins.gpu_tensors import on_gpu, seen  # noqa: E402
from tests.support.stand_ins.queued_gpu import QueuedGpu  # noqa: E402

nn = torch.nn
TARGET = "cuda -arch=sm_90a"


pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> QueuedGpu:
    made = QueuedGpu()
    monkeypatch.setattr(torch, "from_dlpack", lambda array: seen(torch, array))
    monkeypatch.setattr(torch_backend, "_stream", lambda number: StreamDevice(made))
    return made


class Recorded(dynamo.Graph):
    """A graph that torch runs; the arguments of its first call are noted."""

    made: list[Recorded] = []  # noqa: RUF012  # of the test that runs

    def __call__(self, args: Any) -> Any:
        self.args = list(args)
        self.made.append(self)
        return self._by_torch(args)


def graph_of(gpu: QueuedGpu, model: Any, *given: Any) -> tuple[dynamo.Graph, list[Any], Any]:
    """The graph that torch.compile hands over, as it would be with all on a GPU; its arguments there, and its results
    on the CPU."""
    torch._dynamo.reset()
    Recorded.made.clear()

    def compiled(module: Any, number: int | None) -> dynamo.Run:
        assert number == 0
        return torch_backend._session(module, number, {"target": TARGET}).run

    programs = dynamo.Programs(compiled, pytest.fail)
    with pytest.MonkeyPatch.context() as patch, torch.inference_mode():
        patch.setattr(dynamo, "Graph", Recorded)
        torch.compile(model, backend=lambda g, i: dynamo.backend(g, i, programs), dynamic=True)(*given)
        (found,) = Recorded.made
        wanted = found._by_torch([a.clone() if isinstance(a, torch.Tensor) else a for a in found.args])
    for node in found.graph_module.graph.nodes:
        if isinstance(val := node.meta.get("val"), torch.Tensor):
            val.fake_device = torch.device("cuda:0")
    there = [on_gpu(torch, gpu, a) if isinstance(a, torch.Tensor) else a for a in found.args]
    return dynamo.Graph(found.graph_module, found.static, found.numbers, found.vary, programs), there, wanted


class Layer(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(16, 24), nn.LayerNorm(24)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.layer(x))
        return y.softmax(-1), y.square().sum(), x.shape[0], torch.arange(x.shape[0], device=x.device)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_graph_of_a_gpu_is_computed_there(gpu: QueuedGpu, dtype: Any) -> None:
    x = torch.randn(5, 16, dtype=dtype)
    graph, args, wanted = graph_of(gpu, Layer().eval().to(dtype), x)
    for _ in range(3):
        found = graph(args)
        assert gpu.launches
        assert all(f.is_cuda for f in found if isinstance(f, torch.Tensor))
        torch.testing.assert_close([f.cpu() if isinstance(f, torch.Tensor) else f for f in found], list(wanted))


class Cache(nn.Module):  # type: ignore[misc]  # a package without types
    """Rows that are made here, at positions of a cache, and what reads them all."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, rows: Any, x: Any, at: Any) -> Any:
        rows.index_copy_(1, at, self.layer(x))
        return rows.sum(1), rows.flatten(1)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_cache_of_a_gpu_is_written_where_it_lies(gpu: QueuedGpu, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Cache().eval().to(dtype)
    rows, x, at = torch.randn(2, 6, 4, dtype=dtype), torch.randn(2, 3, 4, dtype=dtype), torch.tensor([4, 0, 5])
    graph, args, _ = graph_of(gpu, model, rows.clone(), x, at)
    place = next(i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.shape == rows.shape)
    before = torch.randn(2, 6, 4, dtype=dtype)  # where rows are not put
    for _ in range(3):
        wanted = before.clone()
        with torch.inference_mode():
            sums, flat = model(wanted, x, at)
        args[place] = own = on_gpu(torch, gpu, before)
        version = own._version
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "copy_", lambda *given: pytest.fail("the cache is copied"))
            found = [f.cpu() for f in graph(args) if f is not own]
        torch.testing.assert_close(own.cpu(), wanted)
        torch.testing.assert_close(found, [sums, flat])
        assert own._version == version + 1
    names = [k.launch.kernel for k in gpu._kernels]
    assert any(name.startswith("put_rows") for name in names), names


@pytest.mark.slow
def test_a_program_of_a_gpu_serves_no_tensors_of_the_cpu(gpu: QueuedGpu) -> None:
    """Though the graphs say the same, and neither has weights."""
    x, asked = torch.randn(3, 4), list[int | None]()

    def compiled(module: Any, number: int | None) -> dynamo.Run:
        asked.append(number)
        return torch_backend._session(module, number, {} if number is None else {"target": TARGET}).run

    graph, args, (wanted,) = graph_of(gpu, nn.ReLU(), x)
    graph.programs = programs = dynamo.Programs(compiled, pytest.fail)
    (there,) = graph(args)
    for node in graph.graph_module.graph.nodes:
        if isinstance(val := node.meta.get("val"), torch.Tensor):
            val.fake_device = torch.device("cpu")
    at_home = [a.cpu() if isinstance(a, torch.Tensor) else a for a in args]
    (plain,) = dynamo.Graph(graph.graph_module, (), (), None, programs)(at_home)
    assert there.is_cuda
    assert not plain.is_cuda
    torch.testing.assert_close([plain, there.cpu()], [wanted, wanted])
    assert asked == [0, None]


class Mixed(nn.Module):  # type: ignore[misc]  # a package without types
    def forward(self, x: Any, by: Any) -> Any:
        y = x * by
        return y, y.sum().to("cpu")


@pytest.mark.slow
def test_what_the_graph_has_on_the_cpu_stays_and_comes_there(gpu: QueuedGpu) -> None:
    x, by = torch.randn(3, 4), torch.tensor(2.5)
    graph, args, wanted = graph_of(gpu, Mixed(), x, by)
    last = next(n for n in graph.graph_module.graph.nodes if n.op == "output").args[0][1]
    last.meta["val"].fake_device = torch.device("cpu")
    args = [by if isinstance(a, torch.Tensor) and not a.ndim else a for a in args]
    y, total = graph(args)
    assert y.is_cuda
    assert type(total) is torch.Tensor
    torch.testing.assert_close([y.cpu(), total], list(wanted))


def test_tensors_of_two_gpus_are_refused_and_run_by_torch(gpu: QueuedGpu) -> None:
    graph, args, wanted = graph_of(gpu, nn.Linear(4, 4).eval(), torch.randn(3, 4))
    said: list[str] = []
    graph.programs.say = said.append
    val = next(n for n in graph.graph_module.graph.nodes if n.op == "output").args[0][0].meta["val"]
    val.fake_device = torch.device("cuda:1")
    torch.testing.assert_close([f.cpu() for f in graph(args)], list(wanted))
    assert len(said) == 1
    assert said[0].endswith("tensors on cuda:0 and cuda:1; expected those of one graph on one GPU")


def test_a_target_of_cpus_is_refused_for_tensors_of_a_gpu() -> None:
    module = anytile.Module.parse("def main(x: Tensor[(?n), float32]) { relu(x) }", {})
    with pytest.raises(
        SpecError, match="target llvm: tensors lie on cuda:0; expected a target of cuda, or leave it out"
    ):
        torch_backend._session(module, 0, {"target": "llvm"})


class Counting(nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("rows", torch.zeros(2, 6, 4))

    def forward(self, x: Any, at: Any) -> Any:
        self.rows.index_copy_(1, at, self.layer(x))
        return {"sum": self.rows.sum(1)}


@pytest.mark.slow
def test_an_exported_program_keeps_its_state_on_the_gpu(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(lambda: gpu, lambda: False))
    model = Counting().eval()
    x, at = torch.randn(2, 3, 4), torch.tensor([4, 0, 5])
    run = torch_backend.prepare(torch.export.export(model, (x, at)), target=TARGET)
    places = set()
    for step in range(3):
        x = torch.randn(2, 3, 4)
        found = run(x if step else on_gpu(torch, gpu, x), (at + step) % 6)
        assert found["sum"].is_cuda
        torch.testing.assert_close(found["sum"].cpu(), model(x, (at + step) % 6)["sum"])
        places.add(run.state["rows"].data_ptr())
    torch.testing.assert_close(run.state["rows"].cpu(), model.rows)
    assert len(places) == 1  # it went there with the first call


class Cached(nn.Module):  # type: ignore[misc]  # a package without types
    """Attention over a cache that comes back longer."""

    def forward(self, x: Any, keys: Any, values: Any) -> Any:
        keys, values = torch.cat([keys, x * 2], 2), torch.cat([values, x.square()], 2)
        return nn.functional.scaled_dot_product_attention(x, keys, values), keys, values


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_prepared_program_makes_caches_on_the_gpu_longer_where_they_lie(
    gpu: QueuedGpu, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(backends._BACKENDS, "cuda", CudaBackend(lambda: gpu, lambda: False))
    made = [torch.randn(1, 2, n, 8, dtype=dtype) for n in (3, 5, 5)]
    rows, past = {2: torch.export.Dim("rows", max=64)}, {2: torch.export.Dim("past", max=64)}
    program = torch.export.export(Cached(), tuple(made), dynamic_shapes=(rows, past, past))
    run = torch_backend.prepare(program, target=TARGET, growing=True)
    held: Any = tuple(torch.zeros(1, 2, 0, 8, dtype=dtype) for _ in "kv")
    wanted, joined, steps = held, 0, 24
    for step in range(steps):
        x = torch.randn(1, 2, 3 if step == 5 else 1, 8, dtype=dtype)
        expected, *wanted = Cached()(x, *wanted)
        with monkeypatch.context() as patch:
            patch.setattr(torch.Tensor, "contiguous", lambda t: t if t.is_contiguous() else pytest.fail("a copy"))
            found, *held = run(x, *held)
        torch.testing.assert_close(found.cpu(), expected, rtol=2e-2, atol=2e-2)
        for mine, eager in zip(held, wanted, strict=True):
            assert mine.is_cuda
            assert torch.equal(mine.cpu(), eager)
        joined += sum(t.nbytes for t in wanted)
    assert sum(gpu.moved) < joined / 2  # nothing but rows, and caches where their room ends
    assert gpu.waits == steps  # for results


ATEN = torch.ops.aten


@pytest.mark.parametrize(
    ("call", "attrs"),
    [
        (lambda q, k, v, m: ATEN._scaled_dot_product_flash_attention(q, k, v, scale=0.3), {"scale": 0.3}),
        (lambda q, k, v, m: ATEN._scaled_dot_product_flash_attention(q, k, v, 0.0, True), {"is_causal": True}),
        (lambda q, k, v, m: ATEN._scaled_dot_product_efficient_attention(q, k, v, m, False), {"mask": True}),
        (lambda q, k, v, m: ATEN._scaled_dot_product_efficient_attention(q, k, v, None, True), {}),
        (
            lambda q, k, v, m: ATEN._scaled_dot_product_cudnn_attention(q, k, v, m, False, scale=0.2),
            {"mask": 1, "scale": 0.2},
        ),
    ],
)
def test_what_torch_makes_of_attention_on_a_gpu(
    call: Callable[..., Any], attrs: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """There its graphs have other operators, which no CPU computes."""
    q, k, v, m = torch.randn(2, 6, 5, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 6, 5, 7)
    graph = make_fx(lambda *given: [call(*given)[0]], tracing_mode="fake")(q, k, v, m)
    programs = dynamo.Programs(lambda module, gpu: anytile.Session(anytile.compile(module)).run, pytest.fail)
    (found,) = dynamo.Graph(graph, (), (), None, programs)([q, k, v, m])
    attrs = dict(attrs)
    mask = m if attrs.pop("mask", False) else None
    wanted = nn.functional.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True, **attrs)
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_layers_of_cudnn_run_on_the_gpu(gpu: QueuedGpu, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Traced there a recurrent layer is cuDNN's."""
    torch.manual_seed(0)
    model = getattr(nn, kind)(4, 5, bidirectional=True).eval()
    x, h, c = torch.randn(3, 2, 4), torch.randn(2, 2, 5), torch.randn(2, 2, 5)
    weights, is_lstm = [w.detach() for w in model._flat_weights], kind == "LSTM"

    def call(x: Any, h: Any, c: Any, buffer: Any, *weights: Any) -> list[Any]:
        mode, cell = (2, c) if is_lstm else (3, None)
        rest = 5, 0, 1, False, 0.0, False, True, [], None
        return list(ATEN._cudnn_rnn(x, list(weights), 4, buffer, h, cell, mode, *rest)[:2])

    given = [x, h, c, torch.cat([w.reshape(-1) for w in weights]), *weights]
    graph = make_fx(call, tracing_mode="fake")(*given)
    for node in graph.graph.nodes:
        if isinstance(val := node.meta.get("val"), torch.Tensor):
            val.fake_device = torch.device("cuda:0")
    programs = dynamo.Programs(
        lambda module, number: torch_backend._session(module, number, {"target": TARGET}).run, pytest.fail
    )
    there = [on_gpu(torch, gpu, a) for a in given]
    with torch.no_grad():
        found = dynamo.Graph(graph, tuple(range(4, len(given))), (), None, programs)(there)
        y, left = model(x, (h, c) if is_lstm else h)
    assert all(f.is_cuda for f in found)
    torch.testing.assert_close([f.cpu() for f in found], [y, left[0] if is_lstm else left], rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


def cloned_there(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = torch.Tensor.clone
    monkeypatch.setattr(torch.Tensor, "clone", lambda t: on_gpu(torch, gpu, t) if t.is_cuda else plain(t))


@pytest.mark.slow
def test_views_that_begin_in_the_middle_of_a_vector_are_copied(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(5, 16)
    graph, args, wanted = graph_of(gpu, nn.Linear(16, 24).eval(), x)
    place = next(i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.shape == x.shape)
    args[place] = on_gpu(torch, gpu, torch.cat([torch.zeros(1), x.reshape(-1)]))[1:].view(5, 16)
    assert args[place].is_contiguous()
    assert args[place].data_ptr() % 16 == 4
    cloned_there(gpu, monkeypatch)
    torch.testing.assert_close([f.cpu() for f in graph(args)], list(wanted))


@pytest.mark.slow
def test_a_cache_that_begins_in_the_middle_of_a_vector_is_written_as_well(
    gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, rows, at = Cache().eval(), torch.randn(2, 6, 4), torch.tensor([4, 0, 5])
    x = torch.randn(2, 3, 4)
    graph, args, _ = graph_of(gpu, model, rows.clone(), x, at)
    place = next(i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.shape == rows.shape)
    wanted = rows.clone()
    with torch.inference_mode():
        model(wanted, x, at)
    args[place] = own = on_gpu(torch, gpu, torch.cat([torch.zeros(1), rows.reshape(-1)]))[1:].view(2, 6, 4)
    cloned_there(gpu, monkeypatch)
    graph(args)
    torch.testing.assert_close(own.as_subclass(torch.Tensor), wanted)


def captured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)


def test_what_torch_records_it_does_itself(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program waits for its stream, which would join the recording, and end it."""
    graph, args, wanted = graph_of(gpu, nn.Linear(4, 4).eval(), torch.randn(3, 4))
    said: list[str] = []
    graph.programs.say = said.append
    for known in (False, True):
        with monkeypatch.context() as patch:
            captured(patch)
            launches = gpu.launches
            for _ in range(2):
                torch.testing.assert_close([f.cpu() for f in graph(args)], list(wanted))
            assert gpu.launches == launches
            assert (graph.program is not None) == known
        torch.testing.assert_close([f.cpu() for f in graph(args)], list(wanted))
        assert gpu.launches > launches
    assert len(said) == 1
    assert "it records a CUDA graph, which no program can be a part of" in said[0]


def test_torch_is_not_asked_where_it_uses_no_gpu(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build of it for GPUs has no answer then, on a machine that has none."""

    def raises() -> bool:
        raise RuntimeError("Found no NVIDIA driver on your system")

    graph, args, wanted = graph_of(gpu, nn.Linear(4, 4).eval(), torch.randn(3, 4))
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", raises)
    torch.testing.assert_close([f.cpu() for f in graph(args)], list(wanted))


def test_a_session_within_a_recording_of_torch_is_refused(gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    module = anytile.Module.parse("def main(x: Tensor[(?n), float32]) { relu(x) }", {})
    session = torch_backend._session(module, 0, {"target": TARGET})
    x = on_gpu(torch, gpu, torch.randn(3))
    session(x)
    captured(monkeypatch)
    with pytest.raises(ArgumentError, match=r"^run: x: torch records a CUDA graph .*; call it outside of torch.cuda"):
        session(x)


def test_a_tensor_is_read_while_its_device_is_torchs_current_one(
    gpu: QueuedGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of others torch gives nothing away, and waits for the wrong stream."""
    current, entered = [1], list[int]()

    @contextlib.contextmanager
    def device(number: int) -> Iterator[None]:
        entered.append(number)
        current.append(number)
        yield
        current.pop()

    monkeypatch.setattr(torch._C, "_cuda_getDevice", lambda: current[-1], raising=False)
    monkeypatch.setattr(torch.cuda, "device", device)
    x = on_gpu(torch, gpu, torch.randn(3))
    view("x", x, 7, 0)
    assert entered == [0]
    current[:] = [0]
    view("x", x, 7, 0)
    assert entered == [0]


def test_random_numbers_like_a_tensor_of_a_gpu_are_drawn_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the generator that torch would have asked."""
    graph = make_fx(lambda x: torch.rand_like(x) + x, tracing_mode="fake")(torch.randn(3))
    for node in graph.graph.nodes:
        if isinstance(val := node.meta.get("val"), torch.Tensor):
            val.fake_device = torch.device("cuda:0")
    made, asked = torch.empty_strided, list[Any]()

    def watched(*sizes: Any, device: Any = None, **more: Any) -> Any:
        asked.append(device)
        return made(*sizes, **more)

    monkeypatch.setattr(torch, "empty_strided", watched)
    _, draws = drawn_ahead(graph)
    assert draws is not None
    with contextlib.suppress(RuntimeError):  # of a torch without CUDA, which is told to draw there
        draws.of([torch.randn(3)])
    assert asked == [torch.device("cuda:0")]
