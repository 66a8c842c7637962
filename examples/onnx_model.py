"""A convolutional network out of an ONNX file: compiled in one line, run, and what its kernels are.

    python examples/onnx_model.py [MODEL.onnx] [--why 5]

Without a file it is SqueezeNet of the `onnx` package's own light models, whose weights are constants and whose results
lie beside it: what comes out is held against them.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import anytile
from anytile.vm.executable import Executable


def light_model(name: str = "squeezenet") -> Path:
    """A file in the onnx package."""
    try:
        import onnx
    except ModuleNotFoundError:
        raise SystemExit("onnx_model: error: the package onnx, which reads files and has this model, is not installed: "
                         "pip install 'onnx>=1.17,<2'") from None  # fmt: skip
    return Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"light_{name}.onnx"


def image(exe: Executable) -> NDArray[np.float32]:
    """Numbers from 0 to 1 in the shape of the model's input, unknown sizes being 1."""
    ((_, port),) = exe.inputs
    shape = [d if isinstance(d, int) else 1 for d in port.shape]  # type: ignore[union-attr]  # it is a tensor
    count = int(np.prod(shape))
    return (np.arange(count, dtype=np.float32) / count).reshape(shape)


def expected(path: Path) -> NDArray[np.float32] | None:
    """What lies beside a light model, as its result for that image."""
    beside = path.with_name(f"{path.stem}_output_0.pb")
    if not beside.is_file():
        return None
    import onnx

    return np.asarray(onnx.numpy_helper.to_array(onnx.TensorProto.FromString(beside.read_bytes())), np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile and run an ONNX file.")
    parser.add_argument("model", nargs="?", type=Path, default=None)
    parser.add_argument("--why", type=int, default=3, metavar="N", help="how many kernels are shown")
    options = parser.parse_args()
    path = options.model or light_model()

    begin = time.perf_counter()
    exe = anytile.compile(path)
    print(f"{path.name}: {len(exe.kernels)} kernels, compiled in {time.perf_counter() - begin:.1f} s")
    session, x = anytile.Session(exe), image(exe)
    y = session(x)
    begin = time.perf_counter()
    y = session(x)
    print(f"{x.shape} to {y.shape} in {(time.perf_counter() - begin) * 1e3:.1f} ms")
    if (wanted := expected(path)) is not None:
        print(f"the results beside it: {'equal' if np.allclose(y, wanted, rtol=1e-3, atol=1e-5) else 'NOT equal'}")
    for line in exe.why().splitlines()[: options.why]:
        print(line)


if __name__ == "__main__":
    main()
