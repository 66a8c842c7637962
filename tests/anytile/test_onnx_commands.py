"""The commands on ONNX files, as people call them; and ONNX's backend interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anytile.cli.main import run, umbrella

pytest.importorskip("onnx")
from onnx import TensorProto as Proto  # where the package is there
from onnx import helper, save

node = helper.make_node
OPSETS = [helper.make_opsetid("", 20)]


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
    save(helper.make_model(graph, opset_imports=OPSETS, ir_version=10), tmp_path / "model.onnx")
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


def test_a_benchmark_runs_onnxruntime_in_turns(onnx_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime")
    exe = onnx_file.with_suffix(".exe")
    assert anytile(["compile", str(onnx_file), "-o", str(exe)]) == 0
    capsys.readouterr()
    words = ["--sizes", "n=3,64", "--time", "0.01s"]
    for model, against in ((onnx_file, "onnxruntime"), (exe, str(onnx_file))):
        assert anytile(["bench", str(model), "--against", against, *words]) == 0
        shown, rows = capsys.readouterr(), []
        head, *rows, mean = shown.out.splitlines()
        assert head.split()[-6:] == ["onnxruntime", "times", "its", "speed", "results", "apart"]
        assert [row.split()[0] for row in rows] == ["3", "64"]
        assert all(float(row.split()[-1]) < 1e-5 for row in rows)
        assert mean.endswith("x as fast as onnxruntime, a geometric mean")
        assert anytile(["bench", str(model), "--against", against, *words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["against"] == "onnxruntime"
        assert all(row["rival"]["median"] > 0 and row["rival"]["gap"] < 1e-5 for row in found["rows"])


def test_what_cannot_be_run_beside_is_said_in_a_line(
    onnx_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    exe, other, broken = onnx_file.with_suffix(".exe"), tmp_path / "other.onnx", tmp_path / "broken.onnx"
    assert anytile(["compile", onnx_file.name, "-o", exe.name]) == 0
    broken.write_bytes(b"not a model")
    x, y = (helper.make_tensor_value_info(name, Proto.FLOAT, ["n", 17]) for name in "xy")
    save(
        helper.make_model(
            helper.make_graph([node("Exp", ["x"], ["y"])], "g", [x], [y]), opset_imports=OPSETS, ir_version=10
        ),
        other,
    )
    expected = {
        "onnxruntime": "model.exe is no ONNX file; name the one it was made of: --against FILE.onnx",
        "broken.onnx": "--against broken.onnx: onnxruntime cannot run it: ",
        "none.onnx": "--against none.onnx: onnxruntime cannot run it: ",
        "other.onnx": "--against: its results are float32(3x17), the model's are float32(3)",
        "none.exe": "none.exe: ",
    }
    for against, line in expected.items():
        capsys.readouterr()
        assert anytile(["bench", exe.name, "--against", against, "--sizes", "n=3", "--time", "0"]) != 0, against
        said = capsys.readouterr()
        assert line in said.err, against
        assert (said.out, said.err.count("\n")) == ("", 1)


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
