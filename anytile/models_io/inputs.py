"""Model inputs from command-line words: `x=FILE.npy`, `x=random:17x768`, `count=12`, `tree=FILE.json`, and sizes of its
symbols.

Every size that is needed was given; whether arrays fit their inputs is the machine's to check.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME
from anytile.core.errors import SpecError
from anytile.models_io.values import read_tensor, read_value
from anytile.schedules.nest.stored_floats import as_tensor
from anytile.vm.program.executable import DataPort, Executable, Port, TensorPort, TuplePort

Array = NDArray[Any]
RANDOM = "random"


def read_inputs(exe: Executable, words: Sequence[str], rng: np.random.Generator) -> dict[str, Any]:
    """Each `NAME=FILE.npy|FILE.json|random:SHAPE|NUMBER` as what its input takes."""
    ports = dict(exe.inputs)
    found: dict[str, Any] = {}
    for word in words:
        name, is_there, value = word.partition("=")
        if not is_there or not value:
            raise SpecError(
                f"--input {word}: expected NAME=FILE.npy, NAME=FILE.json, NAME=random:17x768 or NAME=NUMBER"
            )
        if name not in ports or name in found:
            why = "is given twice" if name in found else "is no input"
            raise SpecError(f"--input {word}: {name} {why}; the model takes {_listed(exe)}")
        port = ports[name]
        if value.endswith(".json"):
            found[name] = read_value(exe, port, Path(value), f"--input {word}")
        elif isinstance(port, TensorPort):
            found[name] = _array(word, value, port, rng)
        else:
            raise SpecError(f"--input {word}: {port} is no tensor; expected {name}=FILE.json")
    return found


def require_all(exe: Executable, found: Mapping[str, Any]) -> None:
    """Say which inputs nobody gave, and how to."""
    for name, port in exe.inputs:
        if name not in found:
            way = f"FILE.npy or {name}={_any_of(port)}" if isinstance(port, TensorPort) else "FILE.json"
            raise SpecError(f"run: {name} is missing; expected --input {name}={way}, for {name}: {port}")


def _any_of(port: TensorPort) -> str:
    """The word for random values that fit, of a size of its own choice where the model leaves it free."""
    return ":".join(filter(None, ("random", "x".join(str(n) if isinstance(n, int) else "17" for n in port.shape))))


def read_sizes(exe: Executable, words: Sequence[str], inputs: Mapping[str, Any]) -> list[dict[str, int]]:
    """`t=8,17` and `u=3,4` as every combination of the two; one without any size where nothing is asked."""
    known = list(dict.fromkeys(d for name, port in exe.inputs if name not in inputs for d in _symbols(port)))
    sizes: dict[str, list[int]] = {}
    for word in words:
        symbol, is_there, values = word.partition("=")
        if not is_there:
            raise SpecError(f"--sizes {word}: expected SYMBOL=SIZES, as in {(known or ['t'])[0]}=8,17,64")
        if symbol not in known or symbol in sizes:
            why = "is given twice" if symbol in sizes else f"expected one of {', '.join(known) or 'none'}"
            raise SpecError(f"--sizes {word}: {symbol} {why}; the inputs without --input have these unknown dimensions")
        sizes[symbol] = [_whole(f"--sizes {word}", v) for v in values.split(",")]
    return [dict(zip(sizes, point, strict=True)) for point in itertools.product(*sizes.values())]


def feeds_at(
    exe: Executable, inputs: Mapping[str, Any], point: Mapping[str, int], rng: np.random.Generator
) -> dict[str, Any]:
    """What was given, and random arrays of these sizes for the other inputs."""
    return {n: inputs[n] if n in inputs else _random(n, port, point, rng) for n, port in exe.inputs}


def _random(name: str, port: Port, point: Mapping[str, int], rng: np.random.Generator) -> Any:
    match port:
        case TensorPort():
            return random_array(_shape(name, port, point), port, rng)
        case TuplePort(fields):
            return tuple(_random(name, field, point, rng) for field in fields)
        case DataPort():
            raise SpecError(f"input {name}: nothing is random of the data type {port}; give --input {name}=FILE.json")


def random_array(shape: Sequence[int], port: TensorPort, rng: np.random.Generator) -> Array:
    """Normally distributed numbers; integers are 0 or 1, which are positions in nearly any table."""
    try:
        if BY_NAME[port.dtype].kind == "float":
            return as_tensor(rng.standard_normal(shape, dtype=np.float32), port.dtype)
        return rng.integers(0, 2, shape).astype(port.dtype)
    except ValueError as error:
        raise SpecError(f"a random array of {'x'.join(map(str, shape))}: {error}; expected a smaller shape") from None


def _shape(name: str, port: TensorPort, point: Mapping[str, int]) -> list[int]:
    found = []
    for place, dim in enumerate(port.shape):
        size = point.get(dim) if isinstance(dim, str) else dim
        if size is None:
            ways = f"--input {name}=random:SHAPE" + (f" or --sizes {dim}=SIZE" if dim else "")
            raise SpecError(f"input {name}: dimension {place} of {port} is unknown; give {ways}")
        found.append(size)
    return found


def _symbols(port: Port) -> list[str]:
    match port:
        case TensorPort(shape):
            return [d for d in shape if isinstance(d, str)]
        case TuplePort(fields):
            return [symbol for field in fields for symbol in _symbols(field)]
        case DataPort():
            return []


def _array(word: str, value: str, port: TensorPort, rng: np.random.Generator) -> Array:
    kind, _, shape = value.partition(":")
    if kind == RANDOM:
        return random_array([_whole(f"--input {word}", d) for d in shape.split("x")] if shape else [], port, rng)
    if value.endswith(".npy"):
        return read_tensor(value, port, f"--input {word}")
    is_float = BY_NAME[port.dtype].kind == "float"
    try:
        return as_tensor(np.array(float(value)), port.dtype) if is_float else np.array(int(value), port.dtype)
    except (ValueError, OverflowError):
        raise SpecError(
            f"--input {word}: expected a number of {port.dtype}, FILE.npy, FILE.json or random:SHAPE"
        ) from None


def _whole(where: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 12:
        raise SpecError(f"{where}: expected whole numbers from 0, got {text!r}")
    return int(text)


def _listed(exe: Executable) -> str:
    return ", ".join(f"{name}: {port}" for name, port in exe.inputs) or "nothing"
