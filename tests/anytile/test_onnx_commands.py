"""The commands on ONNX files, as people call them; and ONNX's backend interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.cli.main import run, umbrella

pytest.importorskip("onnx")
from onnx import TensorProto as Proto  # where the package is there
from onnx import helper, save

node = helper.make_node


def anytile(arguments: list[str]) -> int:
    return run(umbrella(), arguments, "anytile")


@pytest.fixture
def onnx_file(tmp_path: Path) -> Path:
    graph = helper.make_graph(
        [node("Exp", ["x"], ["e"]), node("ReduceSum", ["e", "axes"], ["y"], keepdims=0)],
        "g",
        [helper.make_tensor_value_info("x", Proto.FLOAT, ["n", 17])],
        [helper.make_tensor_value_info("y", Proto.FLOAT, ["n"])],
        [helper.make_tensor("axes", Proto.INT64, [1], [1])],
    )
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def test_a_file_is_compiled_and_run(onnx_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exe = onnx_file.with_suffix(".exe")
    assert anytile(["compile", str(onnx_file), "-o", str(exe)]) == 0
    for model in (exe, onnx_file):
        assert anytile(["run", str(model), "--input", "x=random:3x17"]) == 0
        assert "3 " in capsys.readouterr().out
    assert anytile(["compile", str(onnx_file), "--dims", "n=4"]) == 0
    assert anytile(["compile", str(onnx_file), "--dims", "m=4"]) != 0
    assert "no dimension 'm'; expected one of n" in capsys.readouterr().err


def test_the_backend_compiles_again_where_an_input_decides_about_axes(onnx_file: Path) -> None:
    import onnx

    from anytile import onnx_backend

    model: Any = onnx.load(onnx_file)
    assert onnx_backend.supports_device("CPU")
    assert onnx_backend.is_compatible(model)
    x = np.random.default_rng(0).standard_normal((3, 17), np.float32)
    (y,) = onnx_backend.run_model(model, [x])
    assert np.allclose(y, np.exp(x).sum(1), rtol=1e-4)
    del model.graph.initializer[:]
    model.graph.input.append(helper.make_tensor_value_info("axes", Proto.INT64, [1]))
    prepared = onnx_backend.prepare(model)
    for axis in (0, 1, 1, -1):
        (y,) = prepared.run([x, np.int64([axis])])
        assert np.allclose(y, np.exp(x).sum(axis), rtol=1e-4)
