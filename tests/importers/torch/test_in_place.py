"""What a torch program puts rows into is written where it lies, and copied nowhere; results stay apart from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile import torch_backend  # noqa: E402  # behind the line that skips
from anytile.compiler.module import Module  # noqa: E402  # behind the line that skips
from anytile.core.errors import ArgumentError  # noqa: E402  # behind the line that skips
from anytile.importers.torch.graph.in_place import writing  # noqa: E402  # behind the line that skips

PUT = """
def main(x: Tensor[(2, ?n, 3), float32], at: Tensor[(?t,), int64], rows: Tensor[(2, ?t, 3), float32]) {
  let y = put_rows(x, at, rows, axis=1);
  (RESULT, y)
}
"""


def session(result: str, is_native: bool) -> anytile.Session:
    made = writing(Module.parse(PUT.replace("RESULT", result)), {"x"})
    return anytile.Session(anytile.compile(made), compiled=is_native)


@pytest.mark.parametrize("is_native", [False, True])
def test_rows_are_written_where_the_input_lies(is_native: bool) -> None:
    run = session("sum(y)", is_native)
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    wanted = x.copy()
    wanted[:, [4, 1]] = 7
    total, y = run(x, np.array([-1, 1]), np.full((2, 2, 3), 7, np.float32))
    np.testing.assert_array_equal(x, wanted)
    np.testing.assert_array_equal(y, wanted)
    assert y.ctypes.data == x.ctypes.data
    assert total == wanted.sum()


@pytest.mark.parametrize("is_native", [False, True])
@pytest.mark.parametrize("result", ["sum(x)", "reshape(x, shape=(-1,))", "x", "add(x, y)"])
def test_what_is_read_besides_is_not_written(result: str, is_native: bool) -> None:
    run = session(result, is_native)
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    before = x.copy()
    _, y = run(x, np.array([0]), np.full((2, 1, 3), 7, np.float32))
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(y[:, 0], 7)


CHAIN = """
def main(x: Tensor[(2, 5, 3), float32], at: Tensor[(?t,), int64], rows: Tensor[(2, ?t, 3), float32]) {
  let y = put_rows(x, at, rows, axis=1);
  let z = put_rows(y, add(at, 1), add(rows, 1.0), axis=1);
  (RESULT, z)
}
"""


@pytest.mark.parametrize("is_native", [False, True])
@pytest.mark.parametrize(
    ("result", "is_read"), [("sum(rows)", False), ("sum(y)", True), ("reshape(y, shape=(-1,))", True)]
)
def test_rows_are_put_behind_rows_where_nobody_reads_what_was_there(
    result: str, is_read: bool, is_native: bool
) -> None:
    run = anytile.Session(
        anytile.compile(writing(Module.parse(CHAIN.replace("RESULT", result)), {"x"})), compiled=is_native
    )
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    first = x.copy()
    first[:, [0, 2]] = 7
    second = first.copy()
    second[:, [1, 3]] = 8
    found, z = run(x, np.array([0, 2]), np.full((2, 2, 3), 7, np.float32))
    wanted = {"sum(rows)": 84, "sum(y)": first.sum()}.get(result, first.reshape(-1))
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(z, second)
    np.testing.assert_array_equal(x, first if is_read else second)


@pytest.mark.parametrize("is_native", [False, True])
def test_of_rows_at_one_position_the_last_stays(is_native: bool) -> None:
    run = session("sum(y)", is_native)
    x = np.zeros((2, 5, 3), np.float32)
    rows = np.arange(1, 5, dtype=np.float32)[:, None] * np.ones((2, 4, 3), np.float32)
    run(x, np.array([3, 1, -2, 1]), rows)
    np.testing.assert_array_equal(x, [[[0] * 3, [4] * 3, [0] * 3, [3] * 3, [0] * 3]] * 2)


@pytest.mark.parametrize("is_native", [False, True])
def test_what_cannot_be_written_is_refused(is_native: bool) -> None:
    run = session("sum(y)", is_native)
    x = np.zeros((2, 5, 3), np.float32)
    x.flags.writeable = False
    for given in (x, np.zeros((5, 2, 3), np.float32).transpose(1, 0, 2)):
        with pytest.raises(ArgumentError, match="run: x: expected a contiguous array that may be written to, in place"):
            run(given, np.array([0]), np.zeros((2, 1, 3), np.float32))
    with pytest.raises(ArgumentError, match="positions from 5 to 5; expected -5 to 4"):
        run(np.zeros((2, 5, 3), np.float32), np.array([5]), np.zeros((2, 1, 3), np.float32))


def test_no_file_writes_to_its_inputs(tmp_path: Path) -> None:
    """Nobody who runs one would know of it."""
    x, rows = np.zeros((2, 5, 3), np.float32), np.ones((2, 1, 3), np.float32)
    anytile.compile(writing(Module.parse(PUT.replace("RESULT", "sum(y)")), {"x"})).save(tmp_path / "put.exe")
    with pytest.raises(ArgumentError, match="y is written, and lies in read-only memory"):
        anytile.Session(tmp_path / "put.exe")(x, np.array([0]), rows)
    assert not x.any()


class Cache(torch.nn.Module):  # type: ignore[misc]  # a package without types
    """Rows at positions, and what is made of all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(2, 6, 4))

    def forward(self, x: Any, at: Any) -> Any:
        self.rows.index_copy_(1, at, x)
        return self.rows.sum(1), self.rows + 1


class Given(torch.nn.Module):  # type: ignore[misc]  # a package without types
    def forward(self, rows: Any, x: Any, at: Any) -> Any:
        rows.index_copy_(1, at, x)
        return rows.sum(1), rows.flatten(1)


def fast(model: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Any]]:
    """The model by torch.compile, and the copies of whole tensors that its graphs make behind their programs."""
    copies: list[Any] = []
    plain = torch.Tensor.copy_

    def copied(own: Any, new: Any) -> Any:
        if type(own) is torch.Tensor:  # and none that is traced
            copies.append(own)
        return plain(own, new)

    monkeypatch.setattr(torch.Tensor, "copy_", copied)
    torch._dynamo.reset()
    return torch.compile(model, backend="anytile", dynamic=True), copies


@pytest.mark.slow
def test_a_cache_is_written_where_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Given()
    run, copies = fast(model, monkeypatch)
    own, other = torch.zeros(2, 6, 4), torch.zeros(2, 6, 4)
    with torch.inference_mode():
        for at in ([0, 1, 2], [3, 4], [5, 0]):
            x, places = torch.randn(2, len(at), 4), torch.tensor(at)
            found, wanted = run(own, x, places), model(other, x, places)
            torch.testing.assert_close(own, other)
            torch.testing.assert_close(found, wanted)
            own.add_(1)
            other.add_(1)
            torch.testing.assert_close(found, wanted)  # views and sums are what they are in torch
    assert not copies


@pytest.mark.slow
def test_what_is_written_and_given_back_is_the_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    def put(rows: Any, x: Any, at: Any) -> Any:
        rows.index_copy_(1, at, x)
        return rows, rows

    def added(rows: Any, x: Any, at: Any) -> Any:
        y = rows.mul(2)
        rows.add_(x[:, :1])
        return y, rows

    made: list[int] = []
    ran = anytile.Session.run

    def counted(self: Any, feeds: Any) -> Any:
        found = ran(self, feeds)
        made.append(len(found) if isinstance(found, tuple) else 1)
        return found

    monkeypatch.setattr(anytile.Session, "run", counted)
    for model in (put, added):
        run, copies = fast(model, monkeypatch)
        own, other = torch.zeros(2, 6, 4), torch.zeros(2, 6, 4)
        with torch.inference_mode():
            for at in ([0, 1, 2], [3, 4], [5, 0]):
                x, places = torch.randn(2, len(at), 4), torch.tensor(at)
                found, wanted = run(own, x, places), model(other, x, places)
                assert found[1] is own
                torch.testing.assert_close(own, other)
                torch.testing.assert_close(found, wanted)
        assert bool(copies) == (model is added)
        assert set(made) == {1 if model is put else 2}
        made.clear()


@pytest.mark.slow
def test_a_cache_that_lies_anyhow_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Given()
    run, copies = fast(model, monkeypatch)
    own, other = (torch.zeros(6, 2, 4).transpose(0, 1) for _ in "ab")
    x, places = torch.randn(2, 2, 4), torch.tensor([1, 5])
    with torch.inference_mode():
        torch.testing.assert_close(run(own, x, places)[0], model(other, x, places)[0])
    torch.testing.assert_close(own, other)
    assert copies


@pytest.mark.slow
def test_a_write_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torch counts: a program elsewhere that has the same tensor for a weight is made again."""
    run, copies = fast(Given(), monkeypatch)
    own = torch.zeros(2, 6, 4)
    version = own._version
    with torch.no_grad():
        run(own, torch.ones(2, 2, 4), torch.tensor([1, 5]))
    assert own._version > version
    assert not copies


@pytest.mark.slow
def test_state_of_an_exported_program_is_written_where_it_lies() -> None:
    model = Cache()
    n = torch.export.Dim("n", max=6)
    program = torch.export.export(model, (torch.ones(2, 3, 4), torch.arange(3)), dynamic_shapes=({1: n}, {0: n}))
    run = torch_backend.prepare(program)
    state = run.state["rows"]
    for at in ([0, 1, 2], [5], [4, 0]):
        x, places = torch.randn(2, len(at), 4), torch.tensor(at)
        torch.testing.assert_close(run(x, places), model(x, places))
        torch.testing.assert_close(run.state["rows"], model.rows)
        assert run.state["rows"] is state
