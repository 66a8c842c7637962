"""Exported programs: sizes by name and derived, state, results as torch gives them, and what is refused."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.compiler.text.printer import stored  # noqa: E402
from anytile.core.errors import ArgumentError, UnsupportedError  # noqa: E402
from anytile.importers.torch.exported import import_program  # noqa: E402
from anytile.importers.torch.prepared import Compiled, Prepared  # noqa: E402
from anytile.torch_backend import prepare  # noqa: E402

F, Dim, export = torch.nn.functional, torch.export.Dim, torch.export.export


class Linear(torch.nn.Module):  # type: ignore[misc]  # a package without types
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(6, 4)

    def forward(self, x: Any) -> Any:
        return torch.relu(self.layer(x))


def same(found: Any, wanted: Any) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_a_program_compiles_as_it_is() -> None:
    model = Linear().eval()
    program = export(model, (torch.ones(3, 6),), dynamic_shapes=({0: Dim("batch")},))
    exe = anytile.compile(program)
    assert [(name, str(port)) for name, port in exe.inputs] == [("x", "Tensor[(?batch, 6), float32]")]
    run = anytile.Session(exe)
    for n in (0, 1, 5):
        x = torch.randn(n, 6)
        np.testing.assert_allclose(run(x.numpy()), model(x).detach().numpy(), rtol=1e-4, atol=1e-6)


def test_weights_are_read_where_torch_has_them() -> None:
    model = Linear().eval()
    module = import_program(export(model, (torch.ones(3, 6),), dynamic_shapes=({0: Dim("n")},))).module
    assert np.shares_memory(stored(module)["layer.weight"], model.layer.weight.detach().numpy())


@pytest.mark.slow
def test_dims_that_derive_from_each_other() -> None:
    class Both(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, y: Any) -> Any:
            return x + y.view(2, x.shape[0], 3).sum(0), y[: x.shape[0]] * x.shape[0]

    n = Dim("n", min=1, max=64)
    run = prepare(export(Both(), (torch.ones(3, 3), torch.ones(6, 3)), dynamic_shapes=({0: n}, {0: 2 * n})))
    for size in (1, 4):
        x, y = torch.randn(size, 3), torch.randn(2 * size, 3)
        for found, wanted in zip(run(x, y), Both()(x, y), strict=True):
            same(found, wanted)
    with pytest.raises(anytile.AnytileError):
        run(torch.ones(3, 3), torch.ones(5, 3))


@pytest.mark.slow
def test_a_dim_that_only_a_product_shows() -> None:
    class Rows(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, y: Any) -> Any:
            return y.view(-1, 4, 2).sum(1)

    n = Dim("n", min=1, max=64)
    run = prepare(export(Rows(), (torch.ones(12, 2),), dynamic_shapes=({0: 4 * n},)))
    for size in (1, 5):
        y = torch.randn(4 * size, 2)
        same(run(y), Rows()(y))


def test_results_come_as_torch_gives_them() -> None:
    class Many(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, pair: Any) -> Any:
            return {"sum": pair["a"] + x, "rest": (x.shape[0], None, [x * 2, x]), "seven": 7}

    pair = {"a": torch.ones(3, 2)}
    program = export(Many(), (torch.ones(3, 2), pair), dynamic_shapes=({0: Dim("n")}, {"a": {0: Dim("n")}}))
    run = prepare(program)
    x, pair = torch.randn(1, 2), {"a": torch.randn(1, 2)}
    found, wanted = run(x, pair), Many()(x, pair)
    same(found["sum"], wanted["sum"])
    same(found["rest"][2], wanted["rest"][2])
    assert (found["rest"][:2], found["seven"]) == ((1, None), 7)
    with pytest.raises(ArgumentError, match="the program was exported for"):
        run(x)


@pytest.mark.slow
def test_buffers_that_are_written_are_state() -> None:
    class Counter(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("cache", torch.zeros(8, 2))
            self.register_buffer("at", torch.zeros(1, dtype=torch.int64))

        def forward(self, x: Any) -> Any:
            self.cache.index_copy_(0, self.at + torch.arange(x.shape[0]), x)
            self.at.add_(x.shape[0])
            return self.cache.sum(0)

    model = Counter()
    program = export(model, (torch.ones(2, 2),), dynamic_shapes=({0: Dim("n", max=8)},))
    run = prepare(program)
    for n in (3, 1, 2):
        x = torch.randn(n, 2)
        same(run(x), model(x))
        same(run.state["cache"], model.cache)
        assert run.state["at"].item() == model.at.item()
    exe = anytile.compile(program)
    assert [name for name, _ in exe.inputs] == ["x", "cache", "at"]


@pytest.mark.slow
def test_a_buffer_that_is_written_and_given_back() -> None:
    class Sum(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("n", torch.zeros(3))

        def forward(self, x: Any) -> Any:
            self.n.add_(x)
            return x * 2, self.n

    model = Sum()
    run = prepare(export(model, (torch.ones(3),)))
    for _ in range(2):
        x = torch.randn(3)
        for found, wanted in zip(run(x), model(x), strict=True):
            same(found, wanted)
        same(run.state["n"], model.n)


def test_threads_take_turns_at_state() -> None:
    class Count(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("n", torch.zeros(()))

        def forward(self, x: Any) -> Any:
            self.n.add_(1)
            return x * 2

    inside: list[int] = []
    most: list[int] = []

    def compiled(module: Any) -> Compiled:
        def run(given: Any) -> Any:
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.005)
            inside.pop()
            return given["x"], np.asarray(given["n"] + 1)

        return Compiled(run, ("x", "n"))

    counted = Prepared(export(Count(), (torch.ones(()),)), compiled)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(counted, [torch.ones(())] * 8))
    assert max(most) == 1
    assert counted.state["n"].item() == 8


def test_arguments_that_are_no_tensors_are_those_of_the_export() -> None:
    class Times(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, n: Any, bias: Any = None) -> Any:
            return x * n

    run = prepare(export(Times(), (torch.ones(3), 3)))
    same(run(torch.ones(3), 3), torch.full((3,), 3.0))
    for other in (4, 3.0, torch.ones(3)):
        with pytest.raises(ArgumentError, match="argument 1 is .*; the program was exported for 3"):
            run(torch.ones(3), other)


@pytest.mark.slow
def test_branches() -> None:
    class Mixture(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.small, self.large = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return torch.cond(x.mean() > 0, lambda x: self.small(x) * 2, lambda x: self.large(x).relu(), (x,)) + x

    model = Mixture().eval()
    run = prepare(export(model, (torch.ones(3, 4),), dynamic_shapes=({0: Dim("n")},)))
    for n in (1, 4, 9):
        for sign in (-1, 1):
            x = torch.rand(n, 4) * sign
            same(run(x), model(x).detach())


def test_everything_unsupported_is_said_at_once() -> None:
    class Odd(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            return torch.linalg.det(x) + torch.linalg.qr(x)[1].sum() + torch.rand(1)

    with pytest.raises(UnsupportedError) as told:
        anytile.compile(export(Odd(), (torch.ones(3, 3),)))
    said = str(told.value)
    assert " things of this program are not supported: " in said
    assert all(word in said for word in ("_linalg_det", "linalg_qr", "rand", "(test_exported.py:"))
    assert said.endswith("leave those parts to torch, or say them in other operators")


def test_training_is_refused() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)).train()
    with pytest.raises(UnsupportedError, match=r"training mode; call model.eval\(\) first"):
        anytile.compile(export(model, (torch.ones(3, 4),)))


def test_dims_are_pinned_by_exporting() -> None:
    program = export(Linear().eval(), (torch.ones(3, 6),))
    with pytest.raises(anytile.AnytileError, match="dims= pins dimensions of an ONNX model"):
        anytile.compile(program, dims={"n": 3})
    with pytest.raises(anytile.AnytileError, match="expected a Module"):
        anytile.compile(Linear())


def test_arguments_that_are_written_are_refused() -> None:
    class Writes(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            x.add_(1)
            return x * 2

    with pytest.raises(UnsupportedError, match="writes to its argument x; make that a buffer of the model"):
        import_program(export(Writes(), (torch.ones(3),)))


@pytest.mark.slow
def test_numbers_that_sizes_give() -> None:
    class Scaled(torch.nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            n = x.shape[0]
            return x * (n / 2) + n**0.5, x / (n * 1.5 - 0.25), torch.full((n,), n // 2) + n % 3

    run = prepare(export(Scaled(), (torch.ones(3, 2),), dynamic_shapes=({0: Dim("n")},)))
    for n in (1, 6):
        x = torch.randn(n, 2)
        for found, wanted in zip(run(x), Scaled()(x), strict=True):
            same(found, wanted)
