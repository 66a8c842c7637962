"""torch's tensors on a GPU: graphs and exported programs take them where they lie, and leave their results there."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile import torch_backend  # noqa: E402
from anytile.codegen.cuda import nvrtc  # noqa: E402
from anytile.core.errors import UnsupportedError  # noqa: E402
from anytile.importers.torch import dynamo  # noqa: E402
from anytile.vm.values.stream_device import StreamDevice  # noqa: E402
from tests.support.cuda_cpu.compiler import missing  # noqa: E402
from tests.support.stand_ins.gpu_tensors import on_gpu, seen  # noqa: E402
from tests.support.stand_ins.queued_gpu import QueuedGpu  # noqa: E402

nn = torch.nn
TARGET = "cuda -arch=sm_90a"


def _lacking() -> str:
    try:
        nvrtc.version()
    except UnsupportedError as error:
        return str(error)
    return missing()


pytestmark = pytest.mark.skipif(bool(_lacking()), reason=_lacking() or "-")


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
def test_a_cache_of_a_gpu_is_written_where_it_lies(gpu: QueuedGpu, dtype: Any) -> None:
    model = Cache().eval().to(dtype)
    rows, x = torch.randn(2, 6, 4, dtype=dtype), torch.randn(2, 3, 4, dtype=dtype)
    graph, args, _ = graph_of(gpu, model, rows.clone(), x, torch.tensor([4, 0, 5]))
    place = next(i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.shape == rows.shape)
    args[place] = own = on_gpu(torch, gpu, rows)
    before = own.data_ptr(), own._version
    with torch.inference_mode():
        wanted = model(rows, x, torch.tensor([4, 0, 5]))
    found = graph(args)
    torch.testing.assert_close(own.cpu(), rows)
    torch.testing.assert_close([f.cpu() for f in found if f is not own], list(wanted))
    assert (own.data_ptr(), own._version) == (before[0], before[1] + 1)
