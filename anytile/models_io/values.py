"""JSON serialisation of tensors, tuples and data types: what the command line passes and gets in .json files.

A constructor is an object of its name and its fields, `{"Node": [left, right]}`; a tuple is a list; a tensor is a
number or nested lists of numbers, or `{"npy": "file.npy"}`, found beside the JSON file. Both ways use a stack of their
own, so that depth costs memory alone. Numbers that the port's dtype does not hold are refused; fractions are rounded.
"""

from __future__ import annotations

import tokenize
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anytile.core.dtypes import BY_NAME
from anytile.core.errors import ResourceError, SpecError
from anytile.core.plurals import counted
from anytile.core.regular_file import open_regular, read_regular
from anytile.models_io.deep_json import parse
from anytile.schedules.nest.stored_floats import as_stored, as_tensor, is_float
from anytile.vm.program.executable import DataPort, Executable, Port, TensorPort, TuplePort
from anytile.vm.values.ports import Data

_KINDS = {"b": "b", "i": "iu", "u": "iu", "f": "iuf"}  # of numbers in a file, for each kind of dtype
MOST_AGAIN = 1 << 22  # numbers and fields of parts that were written before
_SHOWN = 60  # characters of a wrong value that an error shows


def read_value(exe: Executable, port: Port, path: Path, where: str) -> Any:
    """The value in a .json file, as `Session.run` takes it."""
    try:
        data = parse(read_regular(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{where}: the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except ValueError as error:
        raise SpecError(f"{where}: {path} is no JSON: {error}") from None
    return value_of(exe, port, data, path.parent, where)


def value_of(exe: Executable, port: Port, data: Any, folder: Path, where: str) -> Any:
    """A value of a port out of JSON data; arrays of files are in the folder. `where` begins errors."""
    waiting: list[tuple[Port, Any, str] | tuple[str | None, int]] = [(port, data, where)]
    done: list[Any] = []
    while waiting:
        item = waiting.pop()
        if len(item) == 2:
            name, count = item
            fields = tuple(done[len(done) - count :])
            del done[len(done) - count :]
            done.append(fields if name is None else Data(name, *fields))
            continue
        port, data, at = item
        if isinstance(port, TensorPort):
            done.append(_array(port, data, folder, at))
            continue
        name, ports, parts = _opened(exe, port, data, at)
        waiting.append((name, len(parts)))
        places = [f"{where}: field {i} of {name or 'a tuple'}" for i in range(len(parts))]
        waiting += reversed(list(zip(ports, parts, places, strict=True)))
    return done[0]


def _opened(
    exe: Executable, port: TuplePort | DataPort, data: Any, where: str
) -> tuple[str | None, tuple[Port, ...], list[Any]]:
    """What a value is made by (nothing, for a tuple), and its fields: as they must be and as they are."""
    if isinstance(port, TuplePort):
        name, ports, parts = None, port.fields, data
        forms = "a list"
    else:
        known = {c.name: c.fields for c in exe.data_type(port.name).constructors}
        name, parts = next(iter(data.items())) if isinstance(data, dict) and len(data) == 1 else ("", None)
        ports = known.get(name, ())
        parts = parts if name in known else None
        forms = "one of " + ", ".join(f'{{"{c}": [{"..." if fields else ""}]}}' for c, fields in known.items())
    if not isinstance(parts, list):
        raise SpecError(f"{where}: expected {port} as {forms}, got {_shown(data)}")
    if len(parts) != len(ports):
        raise SpecError(f"{where}: expected {counted(len(ports), 'field')} of {name or 'a tuple'}, got {len(parts)}")
    return name, ports, parts


def data_of(value: Any) -> Any:
    """JSON data of what `Session.run` gives back. JSON has no way to say that parts are the same: they are written
    again, MOST_AGAIN numbers and fields in all."""
    waiting: list[tuple[Any, bool]] = [(value, False)]
    done: list[Any] = []
    seen: set[int] = set()
    again = 0
    while waiting:
        item, is_ready = waiting.pop()
        fields = item.fields if isinstance(item, Data) else item if isinstance(item, tuple) else None
        if not is_ready:
            again += (1 + int(np.size(item)) if fields is None else 1 + len(fields)) if id(item) in seen else 0
            seen.add(id(item))
            if again > MOST_AGAIN:
                raise ResourceError(
                    f"the result has parts in many places: as JSON, which repeats them, more than {MOST_AGAIN} numbers "
                    "and fields would be written again; take it from Session.run, where they are the same objects"
                )
        if fields is None:
            done.append(np.asarray(item).tolist())
        elif not is_ready:
            waiting.append((item, True))
            waiting += [(f, False) for f in reversed(fields)]
        else:
            parts = done[len(done) - len(fields) :]
            del done[len(done) - len(fields) :]
            done.append({item.constructor: parts} if isinstance(item, Data) else parts)
    return done[0]


def read_tensor(path: str | Path, port: TensorPort, where: str) -> NDArray[Any]:
    """The array of a .npy file for a port. What numpy has no dtype of may be in float32, as results are written."""
    found = as_stored(read_npy(path, where), port.dtype)
    if found.dtype == np.float32 and BY_NAME[port.dtype].held:
        narrow = as_tensor(found, port.dtype)
        if np.array_equal(narrow.astype(np.float32), found, equal_nan=True):
            return narrow
    return found


def read_npy(path: str | Path, where: str) -> NDArray[Any]:
    """The array of a .npy file, without objects."""
    try:
        with open_regular(path) as file, warnings.catch_warnings(action="ignore"):  # of files that are old, not wrong
            return np.lib.format.read_array(file, allow_pickle=False)
    except MemoryError:
        raise SpecError(f"{where}: the array of {path} does not fit in memory; save it by numpy.save") from None
    except RecursionError:  # its header is a literal of Python's
        raise SpecError(f"{where}: the array cannot be read: its header has no end; save it by numpy.save") from None
    except (OSError, ValueError, EOFError, OverflowError, TypeError, SyntaxError, tokenize.TokenError) as error:
        raise SpecError(f"{where}: the array cannot be read: {error}; save it by numpy.save") from None


def _is_within(made: NDArray[Any], found: NDArray[Any]) -> bool:
    """Whether floats are rounded to such as they are: none is beyond the largest."""
    kinds = (np.isinf, np.isnan)
    return all(np.array_equal(kind(made), kind(found)) for kind in kinds)


def _array(port: TensorPort, data: Any, folder: Path, where: str) -> NDArray[Any]:
    if isinstance(data, dict):
        name = data.get("npy")
        if not isinstance(name, str) or len(data) != 1 or "\0" in name:
            raise SpecError(f'{where}: expected {port} as lists of numbers or {{"npy": FILE}}, got {_shown(data)}')
        return read_tensor(folder / name, port, where)
    try:
        found = np.asarray(data)
    except (ValueError, OverflowError) as error:
        raise SpecError(f"{where}: expected {port} as lists of equal lengths: {error}") from None
    wanted = np.dtype(port.dtype)
    if found.size == 0:  # an empty list leaves out the sizes behind it
        known = [d for d in port.shape[found.ndim :] if isinstance(d, int)]
        return np.zeros((*found.shape, *known), wanted)
    kind = "f" if is_float(wanted) else wanted.kind
    if found.dtype.kind in _KINDS[kind]:
        with np.errstate(over="ignore"):
            made = found.astype(wanted)
        if bool((made == found).all()) if kind != "f" else _is_within(made, found):
            return made
    raise SpecError(f"{where}: expected numbers of {port.dtype}, got {_shown(data)}")


def _shown(data: Any) -> str:
    """The beginning of a value, however deep it is."""
    match data:
        case list():
            text = f"a list of {len(data)}"
        case dict():
            text = f"an object of {', '.join(map(repr, data)) or 'nothing'}"
        case _:
            text = f"{data!r:.{_SHOWN + 1}}" if isinstance(data, str | float | bool | None) else "a number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
