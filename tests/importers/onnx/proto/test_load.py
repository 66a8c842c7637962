"""Files that are no ONNX, cut off, or that point elsewhere: one line each, and nothing outside their folder is read."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
from onnx import TensorProto as Proto
from onnx import helper, numpy_helper, save

import anytile
from anytile.core.errors import AnytileError, SpecError
from anytile.importers.onnx.model import import_model
from anytile.importers.onnx.proto.load import parse_model, tensor_of


def adding(weight: Any) -> Any:
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", Proto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", Proto.FLOAT, ["n", 4])],
        [weight],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])


def external(location: str, offset: int = 0, length: int | None = None, dims: tuple[int, ...] = (4,)) -> Any:
    tensor = Proto(name="w", data_type=Proto.FLOAT, dims=dims, data_location=Proto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
    return tensor


def test_weights_may_lie_beside_the_model(tmp_path: Path) -> None:
    w = np.arange(4, dtype=np.float32)
    (tmp_path / "w.bin").write_bytes(b"\0" * 64 + w.tobytes())
    save(adding(external("w.bin", 64, 16)), tmp_path / "m.onnx")
    made = anytile.Session(anytile.compile(tmp_path / "m.onnx"))(np.ones((2, 4), np.float32))
    assert np.array_equal(made, np.ones((2, 4)) + w)


@pytest.mark.parametrize("location", ["../w.bin", "/etc/passwd", "", "a/../../w.bin", "link"])
def test_nothing_outside_the_folder_is_read(tmp_path: Path, location: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(b"\0" * 16)
    os.symlink(tmp_path / "w.bin", folder / "link")
    save(adding(external(location)), folder / "m.onnx")
    with pytest.raises(SpecError, match="outside the model's folder"):
        anytile.compile(folder / "m.onnx")


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (external("missing.bin"), "is not there"),
        (external("w.bin", 8, 16), "has no 16 bytes at 8"),
        (external("w.bin", -4), "bytes at -4"),
        (external("w.bin", 0, 12), "its type has 16"),
        (external("w.bin", dims=(-1,)), "w: "),
        (external("w.bin", dims=(2**40, 2**20)), "w: "),
    ],
)
def test_lengths_are_not_believed(tmp_path: Path, tensor: Any, said: str) -> None:
    (tmp_path / "w.bin").write_bytes(b"\0" * 16)
    save(adding(tensor), tmp_path / "m.onnx")
    with pytest.raises(SpecError, match=said):
        anytile.compile(tmp_path / "m.onnx")


def test_data_that_do_not_fit_their_type_are_refused() -> None:
    short = Proto(name="w", data_type=Proto.FLOAT, dims=(2**40,), raw_data=b"\0" * 8)
    with pytest.raises(SpecError, match="w: its data do not fit"):
        tensor_of(short, None)
    with pytest.raises(SpecError, match="w: its data"):
        tensor_of(Proto(name="w", data_type=99, dims=(1,), raw_data=b"\0" * 8), None)


@pytest.mark.parametrize("data", [b"", b"no model", b"\x08" * 40, b"\xff" * 100, b"%PDF-1.7"])
def test_what_is_no_onnx_is_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(SpecError, match="m.onnx: no ONNX model"):
        anytile.compile(path)
    with pytest.raises(SpecError, match="No such file"):
        anytile.compile(tmp_path / "none.onnx")


def test_models_that_are_cut_off_or_damaged_end_in_one_line() -> None:
    whole = adding(numpy_helper.from_array(np.ones(4, np.float32), "w")).SerializeToString()
    chance = random.Random(3)
    mutants = [whole[:n] for n in range(0, len(whole), 3)]
    for _ in range(150):
        made = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            made[chance.randrange(len(made))] = chance.randrange(256)
        mutants.append(bytes(made))
    said = []
    for data in mutants:
        try:
            import_model(parse_model(data))
        except AnytileError as error:
            said.append(str(error))
    assert len(said) > 50
    assert not any("\n" in line for line in said)
