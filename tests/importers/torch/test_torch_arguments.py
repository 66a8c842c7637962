"""What a user may give a torch program by mistake, and shapes that torch has no plain words for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

import anytile  # noqa: E402  # behind the line that skips
from anytile.core.errors import ArgumentError, SpecError, UnsupportedError  # noqa: E402
from anytile.importers.torch.exported import import_program  # noqa: E402
from anytile.torch_backend import prepare  # noqa: E402

nn, AUTO = torch.nn, torch.export.Dim.AUTO


class Said(nn.Module):  # type: ignore[misc]  # a package without types
    """A function as a module."""

    def __init__(self, means: Any) -> None:
        super().__init__()
        self.means, self.dropout = means, nn.Dropout(0.5)

    def forward(self, x: Any) -> Any:
        return self.means(self, x)


def exported(means: Any, is_training: bool = False) -> Any:
    model = Said(means).train(is_training)
    return torch.export.export(model, (torch.randn(12, 4),), dynamic_shapes=({0: AUTO},))


def test_a_tensor_on_another_device_is_refused_in_a_line() -> None:
    run = prepare(exported(lambda m, x: x * 2))
    with pytest.raises(ArgumentError, match=r"a tensor on meta; expected one on the CPU or an NVIDIA GPU; pass \.cpu"):
        run(torch.randn(3, 4, device="meta"))


@pytest.mark.parametrize("is_apart", [False, True])
def test_dropout_in_training_says_what_to_do(is_apart: bool) -> None:
    program = exported(lambda m, x: torch.trapezoid(m.dropout(x)) if is_apart else m.dropout(x), is_training=True)
    with pytest.raises(UnsupportedError, match=r"dropout in training mode; call model\.eval\(\) first"):
        import_program(program)


def test_a_file_that_torch_saved_is_compiled_in_python(tmp_path: Path) -> None:
    path = tmp_path / "model.pt2"
    torch.export.save(exported(lambda m, x: x * 2), path)
    with pytest.raises(
        SpecError, match=r"torch saved it; compile it in Python: anytile\.compile\(torch\.export\.load\('"
    ):
        anytile.compile(path)
    run = anytile.Session(anytile.compile(torch.export.load(path)))
    assert run(np.ones((3, 4), np.float32)).sum() == 24


def test_rows_by_twos() -> None:
    """Torch does not know that the number of rows is even: to it the second size is n // (n // 2)."""
    model = Said(lambda m, x: x.reshape(-1, 2, 4) * 2)
    run = prepare(torch.export.export(model, (torch.randn(12, 4),), dynamic_shapes=({0: AUTO},)))
    for rows in (2, 12, 20):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(run(x), model(x))
    with pytest.raises(ArgumentError):
        run(torch.randn(5, 4))
