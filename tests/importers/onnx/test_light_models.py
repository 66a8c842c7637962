"""The nine convolutional networks in the onnx package, against the results that lie beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anytile

onnx = pytest.importorskip("onnx")

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
MODELS = sorted(FOLDER.glob("light_*.onnx"))


def test_they_are_there() -> None:
    assert len(MODELS) == 9


@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_a_light_model_is_right(path: Path) -> None:
    exe = anytile.compile(path)
    (port,) = (port for _, port in exe.inputs)
    shape = tuple(d for d in port.shape)
    count = int(np.prod(shape))
    x = (np.arange(count, dtype=np.float32) / count).reshape(shape)
    beside = path.with_name(f"{path.stem}_output_0.pb").read_bytes()
    expected = onnx.numpy_helper.to_array(onnx.TensorProto.FromString(beside))
    assert np.allclose(anytile.Session(exe)(x), expected, rtol=1e-3, atol=1e-5)
