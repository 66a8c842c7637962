"""ONNX files: parsed into a model, with the arrays of initializers that lie in the file or beside it.

A file comes from anywhere. Nothing outside its folder is read, nothing is believed about lengths, and whatever is wrong
is one line that names the file.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from anytile.core.errors import SpecError
from anytile.core.regular_file import read_regular
from anytile.importers.core.symbolic import Array
from anytile.importers.onnx.proto.package import onnx

MOST_BYTES = 2**31  # what a protobuf can hold at all
_EXTERNAL = 1  # TensorProto.DataLocation


def read_model(path: str | Path) -> Any:
    """The ModelProto in a file."""
    path = Path(path)
    try:
        size = path.stat().st_size
        data = read_regular(path) if size <= MOST_BYTES else b""
    except OSError as error:
        raise SpecError(f"{path}: the model cannot be read: {error.strerror or error}") from None
    if size > MOST_BYTES:
        raise SpecError(
            f"{path}: {size} bytes; an ONNX file has at most {MOST_BYTES}, with its weights in files beside it"
        )
    return parse_model(data, str(path))


def parse_model(data: bytes, said: str = "the model") -> Any:
    """The ModelProto that some bytes are."""
    package = onnx()
    model = package.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # noqa: BLE001  # what protobuf raises differs between its implementations
        raise SpecError(f"{said}: no ONNX model, or one that is cut off ({type(error).__name__})") from None
    _require_texts(model, said)
    if not model.HasField("graph") or not model.opset_import:
        raise SpecError(f"{said}: no ONNX model: expected a graph and the version of its operators")
    return model


def _require_texts(model: Any, said: str) -> None:
    """That every text is one: protobuf hands out bytes where it is none."""
    waiting = [model]
    while waiting:
        for field, value in waiting.pop().ListFields():
            several = [value] if isinstance(value, str | bytes) or not hasattr(value, "__len__") else value
            if field.type == field.TYPE_STRING and any(isinstance(text, bytes) for text in several):
                raise SpecError(f"{said}: no ONNX model: its {field.name} is no text")
            if field.type == field.TYPE_MESSAGE:
                waiting.extend(several)


def tensor_of(tensor: Any, folder: Path | None) -> Array:
    """The array of a TensorProto. `folder` is where files of external data may lie."""
    package = onnx()
    name = tensor.name or "a constant"
    if tensor.data_location == _EXTERNAL:
        return _external(tensor, folder, name)
    if tensor.HasField("segment"):
        raise SpecError(f"{name}: a tensor in segments, which no tool writes any more")
    if any(d < 0 for d in tensor.dims):
        raise SpecError(f"{name}: sizes {tuple(tensor.dims)}; expected none below 0")
    try:
        made: Array = package.numpy_helper.to_array(tensor)
    except Exception as error:  # noqa: BLE001  # numpy's and protobuf's own, of any kind
        raise SpecError(f"{name}: its data do not fit its type: {str(error).splitlines()[0][:200]}") from None
    if made.shape != tuple(tensor.dims):
        raise SpecError(f"{name}: its data do not fit the sizes {tuple(tensor.dims)}")
    return made


def _external(tensor: Any, folder: Path | None, name: str) -> Array:
    package = onnx()
    given = {entry.key: entry.value for entry in tensor.external_data}
    location = given.get("location", "")
    if folder is None:
        raise SpecError(f"{name}: its data lie in the file {location!r}; load the model from its file")
    path = (folder / location).resolve()
    if not location or Path(location).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise SpecError(f"{name}: its data lie in {location!r}, outside the model's folder; nothing is read there")
    dims = tuple(tensor.dims)
    try:
        dtype = np.dtype(package.helper.tensor_dtype_to_np_dtype(tensor.data_type))
        offset = int(given.get("offset", 0) or 0)
        count = math.prod(dims)
        length = int(given.get("length", 0) or 0) or count * dtype.itemsize
    except (KeyError, TypeError, ValueError):
        raise SpecError(f"{name}: its type or its place in {location!r} cannot be read") from None
    if offset < 0 or min(dims, default=0) < 0 or length != count * dtype.itemsize:
        raise SpecError(f"{name}: {length} bytes at {offset} of {location!r}; its type has {count * dtype.itemsize}")
    try:
        if not path.is_file() or path.stat().st_size < offset + length:
            raise SpecError(f"{name}: {location!r} has no {length} bytes at {offset}, or is not there")
        if not count:
            return np.empty(dims, dtype)
        return np.memmap(path, dtype, "r", offset, dims)
    except OSError as error:
        raise SpecError(f"{name}: {location!r} cannot be read: {error.strerror or error}") from None
