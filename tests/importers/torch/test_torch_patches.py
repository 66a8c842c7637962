"""Windows of images as columns and back, steps through memory, and sizes that numbers alone decide, against torch."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.torch_backend import backend  # noqa: E402  # behind the line that skips
from tests.importers.torch.test_torch_operators import SIZES, Made, held, normal  # noqa: E402

F = torch.nn.functional


@pytest.mark.slow
def test_windows_as_columns_and_back() -> None:
    def made(x: Any) -> Made:
        n = x.shape[0]
        columns = x.view(n, 12, 20)
        return {
            "windows": F.unfold(x, (2, 3)),
            "all of it": F.unfold(x, 3, dilation=2, padding=(1, 2), stride=(2, 1)),
            "side by side": F.unfold(x, 2, stride=2),
            "one image": F.unfold(x[0], (3, 1), padding=(1, 0)),
            "a row": F.unfold(x.flatten(2).unsqueeze(-1), (9, 1), padding=(4, 0)),
            "back side by side": F.fold(columns, (8, 10), 2, stride=2),
            "back": F.fold(F.unfold(x, 3, padding=1, stride=2), (8, 10), 3, padding=1, stride=2),
            "back with holes": F.fold(F.unfold(x, 2, dilation=3), (8, 10), 2, dilation=3),
        }

    held(made, lambda n: (normal(n, 3, 8, 10),), SIZES)


@pytest.mark.slow
def test_windows_of_sequences_of_any_length() -> None:
    def made(x: Any) -> Made:
        rows = x.t()[None, :, :, None]
        return {"same": F.unfold(rows, (9, 1), padding=(4, 0)), "some": F.unfold(rows, (3, 1), stride=(2, 1))}

    held(made, lambda n: (normal(n + 2, 3),), (1, 4, 7))


@pytest.mark.slow
def test_steps_through_memory() -> None:
    def made(x: Any) -> Made:
        n = x.shape[0]
        y = x * 2
        return {
            "chunks that overlap": y.as_strided((2 * n - 1, 8, 6), (24, 6, 1)),
            "columns": y.as_strided((n, 6, 8), (48, 1, 6)),
            "a diagonal": y.as_strided((n, 6), (48, 7), 2),
            "as it is": y.as_strided((n, 8, 6), (48, 6, 1)),
            "some": y.as_strided((n, 2, 2), (48, 5, 3), 1),
            "one row again": y.as_strided((3, 6), (0, 1), 6),
            "columns put": y.as_strided_scatter(x.transpose(1, 2) + 1, (n, 6, 8), (48, 1, 6)),
            "a diagonal put": y.as_strided_scatter(x[:, 0], (n, 6), (48, 7), 2),
            "rows put": y.as_strided_scatter(x[:, 1:3], (n, 2, 6), (48, 6, 1), 12),
            "put in channels behind": (x.transpose(1, 2) * 2).as_strided_scatter(x[:, 0], (n, 6), (48, 1), 6),
        }

    held(made, lambda n: (normal(n, 8, 6),), (1, 4, 7))


@pytest.mark.slow
def test_parts_replaced_up_to_the_end_of_any_size() -> None:
    def made(x: Any, y: Any) -> Made:
        a, b, c = x.clone(), x.clone(), x.clone()
        a[:-1] = y[1:]
        b[-2:] = y[:2]
        c[1:-1] = 0
        return {"but the last": a, "the last two": b, "what is between": c}

    held(made, lambda n: (normal(n, 4), normal(n, 4) + 1), (2, 4, 7))


@pytest.mark.slow
def test_rows_replaced_in_any_size_and_parts_from_where_data_says(capfd: pytest.CaptureFixture[str]) -> None:
    """The last row of an unknown size, and what is behind a position that is computed."""
    torch._dynamo.reset()

    def function(x: Any, at: Any) -> Any:
        y, z = x.clone(), F.pad(x, (1, 1))
        y[-1], y[0], z[..., -1], z[:, -2] = 7, x[-1] * 2, x[:, 0] + 1, 3
        return y, z, x[at:] * 2, x[at:-1] + 1

    with torch.inference_mode():
        fast = torch.compile(function, backend=backend, dynamic=True)
        for n in (4, 3, 9):
            x, at = normal(n, n + 2), torch.tensor(n // 2)
            torch.testing.assert_close(fast(x, at), function(x, at))
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_square_of_patches_has_a_side(capfd: pytest.CaptureFixture[str]) -> None:
    """Torch's size is a root, which is a number where the image's size is one."""
    torch._dynamo.reset()
    convolution = torch.nn.Conv2d(3, 4, 2, stride=2)

    def function(x: Any) -> Any:
        rows = convolution(x).flatten(2).transpose(1, 2)
        side = torch.sym_int(rows.shape[1] ** 0.5)
        return rows.reshape(x.shape[0], side, side, 4).permute(0, 3, 1, 2) + 1

    with torch.inference_mode():
        fast = torch.compile(function, backend=backend, dynamic=True)
        for n in (2, 3):
            x = normal(n, 3, 8, 8)
            torch.testing.assert_close(fast(x), function(x), rtol=1e-4, atol=1e-5)
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_what_is_left_of_sizes_that_do_not_divide(capfd: pytest.CaptureFixture[str]) -> None:
    """Tiles of all images as keys of a batch that has another name: a quotient of two unknown sizes is data."""

    def made(tiles: Any, queries: Any) -> Made:
        batch = len(queries)
        keys = (tiles * 2).view(batch, -1, 4, 2).transpose(1, 2)
        scores = queries[:, None, None] @ keys.transpose(-1, -2)
        return {
            "keys": keys,
            "scores": scores.softmax(-1) @ keys,
            "rest first": (tiles + 1).reshape(-1, batch),
            "twice": (keys.flatten(1) - 1).view(batch, -1, 3),
        }

    torch._dynamo.reset()
    with torch.inference_mode():
        fast = torch.compile(made, backend=backend, dynamic=True)
        for count, rows, batch in ((6, 3, 2), (2, 9, 3), (15, 3, 5)):
            given = normal(count, rows, 8), normal(batch, 2)
            for (name, wanted), found in zip(made(*given).items(), fast(*given).values(), strict=True):
                torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5, msg=lambda m, n=name: f"{n}: {m}")
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_blocks_whose_size_is_unknown_too(capfd: pytest.CaptureFixture[str]) -> None:
    """Positions of patches by blocks, as models of images and words have them: quotients of ints that are arguments."""

    def made(high: int, wide: int, block: int, times: int) -> Any:
        shape = (high // block, block, wide // block, block)
        grids = torch.meshgrid(torch.arange(high), torch.arange(wide), indexing="ij")
        return torch.stack([g.reshape(shape).transpose(1, 2).flatten() for g in grids], -1).repeat(times, 1)

    torch._dynamo.reset()
    with torch.inference_mode():
        fast = torch.compile(made, backend=backend, dynamic=True)
        for given in ((4, 8, 2, 3), (8, 4, 2, 5), (9, 6, 3, 2), (16, 16, 4, 2)):
            assert torch.equal(fast(*given), made(*given)), given
    assert capfd.readouterr().err == ""
