"""The Fourier transform: right against numpy, forwards and back, of real and complex signals of any size."""

from __future__ import annotations

import numpy as np
import pytest

import anytile
from anytile.core.errors import AnytileError

RNG = np.random.default_rng(0)


def transform(x: np.ndarray, **attrs: bool | int) -> np.ndarray:
    m = anytile.ModuleBuilder()
    with m.function("main", x=f"Tensor[(?b, ?n, {x.shape[-1]}), float32]") as (f, given):
        f.result(f.fourier(given, **attrs))
    return np.asarray(anytile.Session(anytile.compile(m.build()))(x))


@pytest.mark.parametrize("size", [1, 2, 7, 8])
def test_a_real_signal_comes_back(size: int) -> None:
    x = RNG.standard_normal((2, size, 1)).astype(np.float32)
    waves = transform(x, half=True)
    assert waves.shape == (2, size // 2 + 1, 2)
    wanted = np.fft.rfft(x[..., 0])
    assert np.allclose(waves[..., 0] + 1j * waves[..., 1], wanted, atol=1e-5)
    assert np.allclose(transform(waves, inverse=True, half=True, size=size), x, atol=1e-5)


def test_a_complex_signal_is_filled_with_zeros() -> None:
    x = RNG.standard_normal((1, 5, 2)).astype(np.float32)
    made = transform(x, size=8)
    assert np.allclose(made[..., 0] + 1j * made[..., 1], np.fft.fft(x[..., 0] + 1j * x[..., 1], 8), atol=1e-5)
    assert np.allclose(transform(made, inverse=True)[:, :5], x, atol=1e-5)


def test_of_nothing_there_is_none() -> None:
    with pytest.raises(AnytileError, match="elements to transform"):
        transform(np.zeros((1, 0, 2), np.float32))
