"""Torch's loops (while_loop, scan, map) and branches inside them, held against what torch or Python makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from torch._higher_order_ops import scan, while_loop  # noqa: E402  # behind the line that skips
from torch._higher_order_ops.map import map as mapped  # noqa: E402

import anytile  # noqa: E402
from anytile.core.errors import UnsupportedError  # noqa: E402
from anytile.torch_backend import backend, prepare  # noqa: E402
from anytile.vm.program import isa  # noqa: E402

nn, Dim, export = torch.nn, torch.export.Dim, torch.export.export


def same(found: Any, wanted: Any) -> None:
    torch.utils._pytree.tree_map(
        lambda a, b: torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5), tuple(found), tuple(wanted)
    )


@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def held(model: Any, dynamic: Any, example: Sequence[Any], given: Sequence[Sequence[Any]]) -> None:
    run = prepare(export(model.eval(), tuple(example), dynamic_shapes=dynamic))
    for arguments in given:
        same(run(*arguments), model(*arguments))


class While(nn.Module):  # type: ignore[misc]  # a package without types
    """As often as a tensor says, or until the sum is large."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any, n: Any) -> Any:
        def going(i: Any, x: Any) -> Any:
            return (i < n) & (x.abs().sum() < 1e3)

        def body(i: Any, x: Any) -> Any:
            return i + 1, torch.tanh(self.layer(x)) + x

        return while_loop(going, body, (torch.zeros((), dtype=torch.int64), x))


class Associative(nn.Module):  # type: ignore[misc]  # a package without types
    """What a linear recurrence is: pairs of a factor and a term, combined with all before them."""

    def forward(self, a: Any, b: Any) -> Any:
        def combined(before: Any, of_before: Any, own: Any, of_own: Any) -> Any:
            return before * own, of_before * own + of_own

        return torch.ops.higher_order.associative_scan(combined, [a, b], ())


@pytest.mark.slow
def test_associative_scan() -> None:
    """Torch itself runs it on a GPU alone: held against the recurrence."""
    sizes = {0: Dim("n"), 1: Dim("m")}
    a, b = torch.randn(3, 2), torch.randn(3, 2)
    run = prepare(export(Associative(), (a, b), dynamic_shapes=(sizes, sizes)))
    for n, m in ((1, 1), (2, 5), (17, 3)):
        a, b = torch.rand(n, m) * 2, torch.randn(n, m)
        wanted, product = [b[0]], [a[0]]
        for i in range(1, n):
            product.append(product[-1] * a[i])
            wanted.append(wanted[-1] * a[i] + b[i])
        same(run(a, b), (torch.stack(product), torch.stack(wanted)))


@pytest.mark.slow
def test_rows_of_a_scan_are_written_behind_each_other() -> None:
    class Sums(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            return scan(lambda total, row: (total + row, total * row), torch.zeros(4), x)

    program = export(Sums(), (torch.randn(5, 4),), dynamic_shapes=({0: Dim("n")},))
    code = [i for f in anytile.compile(program).functions for i in f.code]
    assert sum(isinstance(i, isa.AppendTensor) for i in code) == 1


def whiles(batch: int, n: int) -> tuple[Any, Any]:
    return torch.randn(batch, 4), torch.tensor(n)


@pytest.mark.slow
def test_while_loop() -> None:
    held(While(), ({0: Dim("b")}, None), whiles(3, 3), [whiles(1, 0), whiles(3, 1), whiles(5, 7), whiles(2, 9999)])


@pytest.mark.slow
def test_a_loop_over_numbers_of_python() -> None:
    class Rows(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, y: Any) -> Any:
            def going(i: int, x: Any) -> Any:
                return i < x.shape[0]

            def body(i: int, x: Any) -> Any:
                return i + 1, x + y[i] * i + y[:i].sum() + torch.arange(i).sum()

            return while_loop(going, body, (0, x))

    class Plain(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, y: Any) -> Any:
            for i in range(x.shape[0]):
                x = x + y[i] * i + y[:i].sum() + torch.arange(i).sum()
            return y.shape[0], x

    batch = Dim("b")
    run = prepare(export(Rows(), (torch.ones(3, 4), torch.ones(3, 4)), dynamic_shapes=({0: batch}, {0: batch})))
    for n in (1, 3, 8):
        x, y = torch.randn(n, 4), torch.randn(n, 4) / 9
        same(run(x, y), Plain()(x, y))


class Scan(nn.Module):  # type: ignore[misc]  # a package without types
    """A recurrence that counts its steps, along the second dimension, from the last row on or from the first."""

    def __init__(self, back: bool) -> None:
        super().__init__()
        self.layer, self.back = nn.Linear(4, 4), back

    def forward(self, h: Any, xs: Any, ys: Any) -> Any:
        def step(carried: Any, rows: Any) -> Any:
            (h, n), (a, b) = carried, rows
            h = torch.tanh(self.layer(a) + h * b)
            return (h, n + 1), {"twice": h * 2, "n": n * 1}

        return scan(step, (h, torch.zeros((), dtype=torch.int64)), (xs, ys), dim=1, reverse=self.back)


def scans(batch: int, steps: int) -> tuple[Any, Any, Any]:
    return torch.randn(batch, 4), torch.randn(batch, steps, 4), torch.randn(batch, steps, 4)


@pytest.mark.slow
@pytest.mark.parametrize("back", [False, True])
def test_scan(back: bool) -> None:
    batch, steps = Dim("b"), Dim("t")
    dynamic = ({0: batch}, {0: batch, 1: steps}, {0: batch, 1: steps})
    held(Scan(back), dynamic, scans(2, 5), [scans(1, 1), scans(3, 2), scans(5, 7)])


@pytest.mark.slow
def test_map() -> None:
    class Each(nn.Module):  # type: ignore[misc]  # a package without types
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, xs: Any, y: Any) -> Any:
            return (mapped(lambda x, y: self.layer(x) + y, xs, y),)

    given = [(torch.randn(n, 4), torch.randn(4)) for n in (1, 3, 6)]
    held(Each(), ({0: Dim("b")}, None), given[1], given)


@pytest.mark.slow
def test_a_loop_in_a_loop() -> None:
    """Torch itself cannot run this one, so Python says what it makes."""

    class Inner(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, rows: Any, h: Any) -> Any:
            def step(h: Any, row: Any) -> Any:
                def going(i: Any, v: Any) -> Any:
                    return i < 3

                def body(i: Any, v: Any) -> Any:
                    return i + 1, torch.cond(v.sum() > 0, lambda v: v * 0.5, lambda v: v - 1.0, (v,))

                _, v = while_loop(going, body, (torch.zeros((), dtype=torch.int64), row + h))
                return v * 1.0, v * 2

            return scan(step, h, rows)

    run = prepare(export(Inner(), (torch.ones(3, 4), torch.ones(4)), dynamic_shapes=({0: Dim("b")}, None)))
    for n in (1, 3, 6):
        rows, h = torch.randn(n, 4), torch.randn(4)
        v, all_rows = h, []
        for row in rows:
            v = row + v
            for _ in range(3):
                v = v * 0.5 if v.sum() > 0 else v - 1.0
            all_rows.append(v * 2)
        same(run(rows, h), (v, torch.stack(all_rows)))


@pytest.mark.slow
@torch.no_grad()  # type: ignore[untyped-decorator]  # a package without types
def test_loops_by_torch_compile(capfd: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    for model, given in (
        (While(), [whiles(2, 0), whiles(3, 1), whiles(1, 7)]),
        (Scan(back=True), [scans(3, 2), scans(5, 7), scans(1, 1)]),
    ):
        fast = torch.compile(model, backend=backend, dynamic=True)
        for arguments in given:
            same(fast(*arguments), model(*arguments))
    assert "torch itself runs" not in capfd.readouterr().err


@pytest.mark.slow
def test_bounds_that_are_data() -> None:
    class Part(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any, at: Any) -> Any:
            n = at.item()
            torch._check(n >= 0)
            torch._check(n <= x.shape[0])
            return x[:n].sum(0), x[n:].sum(0), torch.narrow(x, 0, n, x.shape[0] - n).sum(0)

    given = [(torch.randn(rows, 3), torch.tensor(n)) for rows, n in ((1, 0), (4, 4), (9, 5))]
    held(Part(), ({0: Dim("b")}, None), (torch.ones(5, 3), torch.tensor(2)), given)


@pytest.mark.slow
def test_what_a_loop_has_that_is_not_supported_is_said_once() -> None:
    class Odd(nn.Module):  # type: ignore[misc]  # a package without types
        def forward(self, x: Any) -> Any:
            def going(i: Any, v: Any) -> Any:
                return i < 3

            def body(i: Any, v: Any) -> Any:
                return i + 1, v + torch.linalg.det(v) + torch.linalg.qr(v)[1].sum()

            return while_loop(going, body, (torch.zeros((), dtype=torch.int64), x))[1]

    with pytest.raises(UnsupportedError) as told:
        anytile.compile(export(Odd(), (torch.ones(3, 3),)))
    said = str(told.value)
    assert said.startswith("2 things of this program are not supported: ")
    assert all(word in said for word in ("_linalg_det", "linalg_qr", "(test_torch_loops.py:"))


@pytest.mark.slow
def test_rows_that_only_torch_counts(capfd: pytest.CaptureFixture[str]) -> None:
    """Their number is the smaller one of two sizes that are open, which torch looks at before it calls the graph."""

    def made(x: Any) -> Any:
        return torch.stack([row * i for i, row in enumerate(x.diagonal().unbind(0))])

    torch._dynamo.reset()
    with torch.no_grad():
        fast = torch.compile(made, backend=backend, dynamic=True)
        for n, m in ((3, 4), (2, 4), (4, 3), (5, 5)):
            x = torch.randn(n, m)
            torch.testing.assert_close(fast(x), made(x))
    assert capfd.readouterr().err == ""
