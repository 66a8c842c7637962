"""What a model is timed beside: onnxruntime with an ONNX file, or another executable of ours.

A `Rival` has a name and makes, of the model's feeds, a call that runs with them. Its results are held against the
model's own by their `gap`: the largest difference as a share of the largest element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.errors import SpecError
from anytile.vm.session import Session

Array = NDArray[Any]
Call = Callable[[], Any]
ONNXRUNTIME = "onnxruntime"


@dataclass(frozen=True, slots=True)
class Rival:
    """Another that runs the same model: `ready` makes a call of feeds by the names of the model's own inputs."""

    name: str
    ready: Callable[[Mapping[str, Any]], Call]


def of_session(session: Session, name: str) -> Rival:
    """An executable of ours, whose inputs have the same names."""
    return Rival(name, lambda feeds: lambda: session.run(feeds))


def of_onnxruntime(path: Path, threads: int) -> Rival:
    """onnxruntime with an ONNX file, whose inputs come in the model's order."""
    if find_spec(ONNXRUNTIME) is None:
        raise SpecError(f"--against {path}: {ONNXRUNTIME} is not installed; pip install {ONNXRUNTIME}")
    session = _run(path, lambda: onnxruntime_session(path, threads))
    names = [port.name for port in session.get_inputs()]

    def ready(feeds: Mapping[str, Any]) -> Call:
        if len(feeds) != len(names):
            raise SpecError(f"--against {path}: takes {', '.join(names)}; the model takes {', '.join(feeds)}")
        named = dict(zip(names, feeds.values(), strict=True))
        _run(path, lambda: session.run(None, named))  # what it refuses is said before anything is timed
        return lambda: tuple(session.run(None, named))

    return Rival(ONNXRUNTIME, ready)


def onnxruntime_session(model: bytes | Path, threads: int) -> Any:
    """A session of a model or its file, whose threads rest after a call: spinning, they would take cores from the next
    system."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what it cannot do, it raises, too
    options.add_session_config_entry("session.force_spinning_stop", "1")
    given = model if isinstance(model, bytes) else str(model)
    return ort.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def _run(path: Path, work: Call) -> Any:
    """What onnxruntime makes, or its refusal as one line."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001  # its errors have no other class in common
        said = " ".join(str(error).split())
        raise SpecError(f"--against {path}: {ONNXRUNTIME} cannot run it: {said}") from None


def gap(mine: Any, other: Any) -> float:
    """How far results are apart, of tuples the part that is furthest: the largest difference as a share of the largest
    element. What is not finite has to be the same."""
    ours, theirs = list(_arrays(mine)), list(_arrays(other))
    if (made := [_kind(a) for a in ours]) != (expected := [_kind(a) for a in theirs]):
        raise SpecError(f"--against: its results are {', '.join(expected)}, the model's are {', '.join(made)}")
    return max((_gap(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)


def _gap(mine: Array, other: Array) -> float:
    if mine.dtype.kind in "bUSO":
        return float(np.any(mine != other))
    here, there = mine.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(here) & np.isfinite(there)
    if not np.array_equal(here[~finite], there[~finite], equal_nan=True):
        return np.inf
    largest = float(np.abs(there[finite]).max(initial=0.0))
    furthest = float(np.abs(here[finite] - there[finite]).max(initial=0.0))
    return furthest / largest if largest else furthest


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)
    else:
        yield np.asarray(value)


def _kind(array: Array) -> str:
    return f"{array.dtype}({'x'.join(map(str, array.shape))})"
