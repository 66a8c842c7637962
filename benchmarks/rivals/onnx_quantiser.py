"""onnxruntime's quantisers, each run in a process of its own: they import modules by bare names, which examples/ has.

`ranges_of_rows` quantises what comes to products at run time, `ranges_ahead` by the extremes of some runs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OF_ROWS = """
import sys
from onnxruntime.quantization import QuantType, quantize_dynamic
before, after, by_channel = sys.argv[1:]
quantize_dynamic(before, after, ["MatMul"], per_channel=by_channel == "True", weight_type=QuantType.QInt8)
"""
_AHEAD = """
import sys
import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
before, after, runs, operators = sys.argv[1:]
class Reader(CalibrationDataReader):
    def __init__(self):
        given = np.load(runs)
        self.left = iter([{"x": given[name]} for name in given.files])
    def get_next(self):
        return next(self.left, None)
quantize_static(before, after, Reader(), quant_format=QuantFormat.QDQ, per_channel=True,
                activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                op_types_to_quantize=operators.split() or None,
                extra_options={"MatMulConstBOnly": True})
"""


def ranges_of_rows(model: bytes, by_channel: bool) -> bytes:
    """The model with its products of weights in 8 bits."""
    return _quantised(model, _OF_ROWS, {}, str(by_channel))


def ranges_ahead(model: bytes, runs: Sequence[NDArray[Any]], operators: Sequence[str] = ()) -> bytes:
    """The model between quantising and dequantising steps with ranges of its input x in these runs; of all operators
    that may be, or of some."""
    return _quantised(model, _AHEAD, {f"run{i}": x for i, x in enumerate(runs)}, " ".join(operators))


def _quantised(model: bytes, script: str, runs: Mapping[str, NDArray[Any]], *words: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        before, after, given = Path(name) / "float.onnx", Path(name) / "int8.onnx", Path(name) / "runs.npz"
        before.write_bytes(model)
        command = [sys.executable, "-c", script, str(before), str(after)]
        if runs:
            np.savez(given, **runs)  # type: ignore[arg-type]  # its other argument has a name of its own
            command.append(str(given))
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"onnxruntime does not quantise the model: {done.stderr[-2000:]}")
        return after.read_bytes()
