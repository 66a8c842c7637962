"""Elements that are read or written at places which are rules: diagonals, triangles, every second row; or data."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import backend  # noqa: E402  # behind the line that skips
from tests.importers.torch.test_torch_operators import Made, held_both_ways, normal, whole  # noqa: E402
from tests.importers.torch.test_torch_order import SIZES  # noqa: E402

F = torch.nn.functional


@pytest.mark.slow
def test_diagonals(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        n = x.shape[0]
        return {
            "above": x.diagonal(1, 1, 2),
            "below": x.diagonal(-2, -2, -1),
            "of other dimensions": x.diagonal(1, 2, 0)[:, :0],
            "to the corner": x.diagonal(5, 1, 2),
            "written": torch.diagonal_scatter(x, torch.zeros(n, 4), 0, 1, 2),
            "written above": torch.diagonal_scatter(x, x.diagonal(2, 1, 2) * 3, 2, 1, 2),
            "written below": torch.diagonal_scatter(x, torch.ones(n, 2), -2, -2, -1),
        }

    held_both_ways(made, lambda n: (normal(n, 4, 6),), SIZES, capfd)


@pytest.mark.slow
def test_triangles_of_any_size(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        n = x.shape[0]
        rows, columns = torch.triu_indices(n, n, 1)
        return {
            "pairs": (x @ x.t())[rows, columns],
            "lower": torch.tril_indices(4, 6, 1),
            "upper": torch.triu_indices(4, 3, -1, dtype=torch.int32),
            "lower of any": torch.tril_indices(n, 3, -1),
        }

    torch._dynamo.reset()
    with torch.inference_mode():
        fast = torch.compile(made, backend=backend, dynamic=True)
        for n in (5, 7, 2):
            x = normal(n, 6)
            torch.testing.assert_close(fast(x), made(x))
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_rows_with_steps_are_replaced(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        table = torch.zeros_like(x)
        table[:, 0::2] = x[:, :3].sin()
        table[:, 1::2] = x[:, :3].cos()
        rows = x.clone()
        rows[::3] = 1
        rows[-1::2] *= 2
        rows[:, -4:-1:2] = 7
        return {"positions": table, "rows": rows}

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)


@pytest.mark.slow
def test_writes_to_places_that_are_data(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any, i: Any) -> Made:
        at, table = torch.tensor([0, 0, -2]), torch.cat((x[:1], x[:1] * 2, x[:1] * 0.01))
        twice = torch.tensor([0, 0, 2])
        reduced = {
            f"{kind} {own}": x.index_reduce(1, twice, x[:, 2:5], kind, include_self=own)
            for kind in ("prod", "amax", "amin", "mean")
            for own in (True, False)
        }
        return {
            "put": x.put(at[1:], torch.tensor([7.0, 8.0])),
            "added": x.put(at, torch.tensor([7.0, 8.0, 9.0]), accumulate=True),
            "put integers": i.put(at[1:, None], torch.tensor([[7], [8]])),
            "rows of integers": i.index_reduce(0, at[:1], i[:1] * 2, "amax"),
            "no longer than one": F.embedding(at.abs(), table, max_norm=1.0),
            "no longer by sums": F.embedding(at.abs(), table, max_norm=2.0, norm_type=1.0),
            **reduced,
        }

    held_both_ways(made, lambda n: (normal(n, 6), whole(n, 6)), SIZES, capfd)


@pytest.mark.slow
def test_windows_of_signals_and_borders_that_go_around(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        windows = {
            "hamming": torch.hamming_window(6),
            "hamming of others": torch.hamming_window(6, False, 0.5, 0.4),
            "blackman": torch.blackman_window(7),
            "bartlett": torch.bartlett_window(6, periodic=False),
            "kaiser": torch.kaiser_window(6, True, 5.0),
            "of one": torch.kaiser_window(1),
            "of two": torch.blackman_window(2, periodic=False),
            "in 64 bits": torch.bartlett_window(5, dtype=torch.float64),
        }
        return {
            "windowed": x * torch.hamming_window(6),
            "around": F.pad(x, (2, 1), "circular"),
            "around images": F.pad(x[:, None].expand(-1, 4, -1), (0, 6, 3, 0), "circular"),
            **{name: window + x.sum() * 0 for name, window in windows.items()},
        }

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)


@pytest.mark.slow
def test_rolls_by_what_sizes_give(capfd: pytest.CaptureFixture[str]) -> None:
    def made(x: Any) -> Made:
        n = x.shape[0]
        return {
            "half of it": x.roll(n // 2, 0),
            "back": x.roll((-(n // 2), 2), (0, 1)),
            "around": x.roll(n + 3, 1),
            "shifted": torch.fft.fftshift(x),
            "far": x.roll(2**40 + 1, 0),
        }

    held_both_ways(made, lambda n: (normal(n, 6),), SIZES, capfd)
