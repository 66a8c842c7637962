"""What users pass and get -> what registers hold, and back: checked against the executable's ports, one error a line.

Values of data types are `Data("Node", left, right)`, tuples are tuples. Both ways use a stack of their own, so a list
of a hundred thousand cells goes in and comes out, and look at each value once, whoever shares it: unfolded, a value of
a few parts could be larger than any memory. What must be copied lies in the run's pool, and counts against its limit.
Dimensions of equal names must be equal across all inputs.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from typing import Any as AnyType

import numpy as np

from anytile.core.errors import ArgumentError, ResourceError
from anytile.core.plurals import counted
from anytile.dispatch.arguments.dlpack import added_dtype, as_array
from anytile.dispatch.arguments.operands import PASSABLE
from anytile.schedules.nest.stored_floats import array_dtype
from anytile.vm.program.executable import DataPort, Executable, Port, TensorPort, TuplePort, dtype_name
from anytile.vm.program.isa import (
    DTYPES,
    HOST,
    DeviceCopy,
    FreeTensor,
    InvokePacked,
    ReshapeTensor,
    ShapeOf,
    reads,
    writes,
)
from anytile.vm.values.device_array import DeviceArray
from anytile.vm.values.devices import Device
from anytile.vm.values.memory import Pool, Storage
from anytile.vm.values.values import (
    Adt,
    DeviceStorage,
    Tensor,
    Value,
    copied,
    copy_of,
    doubled,
    expect,
    read,
    tensor_at,
    tensor_of,
)

if TYPE_CHECKING:
    from anytile.dispatch.arguments.view import View


class Data:
    """A value of an algebraic data type: a constructor's name and its fields."""

    __slots__ = ("constructor", "fields")

    def __init__(self, constructor: str, *fields: AnyType) -> None:
        self.constructor, self.fields = constructor, fields

    def __repr__(self) -> str:
        return f"Data({self.constructor}, {counted(len(self.fields), 'field')})"


_Sizes = dict[str, tuple[int, str, tuple[int, ...]]]  # of names of dimensions, and which input says so, of what shape


def wrong_inputs(what: str) -> ArgumentError:
    return ArgumentError(f"run: {what}")


def may_stay(exe: Executable) -> frozenset[int]:
    """The inputs of which main itself reads nothing on the host but sizes: they may lie on a device."""
    code = exe.functions[exe.main].code if len(exe.devices) > 1 else ()
    looked_at = {r for i in code if not isinstance(i, DeviceCopy | ShapeOf | FreeTensor) for r in reads(i)}
    tensors = {n for n, (_, port) in enumerate(exe.inputs) if isinstance(port, TensorPort)}
    return frozenset(tensors - looked_at) if code else frozenset()


def written(exe: Executable) -> tuple[int, ...]:
    """The inputs that main writes to, of those that it may; parameters come in its first registers."""
    lying = {n: n for n in range(len(exe.inputs))}  # of registers: the input that they hold, or see in another shape
    found: set[int] = set()
    for i in exe.functions[exe.main].code:
        if isinstance(i, InvokePacked):
            found.update(lying[r] for r in i.args[len(i.args) - i.outputs :] if r in lying)
        if (register := writes(i)) is not None:
            same = i.tensor if isinstance(i, ReshapeTensor) else i.src if isinstance(i, DeviceCopy) else None
            if same in lying:
                lying[register] = lying[same]
            else:
                lying.pop(register, None)
    return tuple(sorted(found.intersection(exe.written)))


def arguments(
    exe: Executable,
    feeds: object,
    pool: Pool,
    devices: Mapping[int, Device] = MappingProxyType({}),
    staying: Container[int] = (),
    written: Container[int] = (),
) -> list[Value]:
    """The values of main's parameters; what has to be copied lies in the pool. Of arrays that lie on one of the devices
    the inputs in `staying` are left there; those in `written` may be written to, if the arrays may."""
    if not isinstance(feeds, Mapping):
        names = ", ".join(name for name, _ in exe.inputs) or "none"
        raise wrong_inputs(f"expected inputs by name ({names}), got {_named(feeds)}; pass a dict, or call the session")
    missing = [name for name, _ in exe.inputs if name not in feeds]
    if missing or len(feeds) != len(exe.inputs):
        wanted = [name for name, _ in exe.inputs]
        wrong = [f"{n} is missing" for n in missing] + [f"{n} is no input" for n in feeds if n not in wanted]
        raise wrong_inputs(f"{'; '.join(wrong)}; expected {', '.join(f'{n}: {p}' for n, p in exe.inputs) or 'nothing'}")
    sizes: _Sizes = {}
    made: list[Value] = []
    for n, (name, port) in enumerate(exe.inputs):
        given = feeds[name]
        if devices and type(given) is not np.ndarray:
            given = _at_hand(name, given, n in staying, devices)
        value = _value(exe, port, given, name, sizes, pool)
        made.append(_open(name, value) if n in written else value)
    return made


def _open(name: str, value: Value) -> Value:
    """A tensor that may be written to."""
    tensor = expect(Tensor, value)
    if tensor.device != HOST:
        return tensor_at(tensor.address, tensor.shape, tensor.dtype, tensor.keeps, device=tensor.device)
    if not isinstance(tensor.keeps, np.ndarray) or not tensor.keeps.flags.writeable:
        raise wrong_inputs(f"{name}: expected a contiguous array that may be written to, in place; pass a copy of it")
    return tensor_at(tensor.address, tensor.shape, tensor.dtype, tensor.keeps)


class _There(NamedTuple):
    """An array on a device."""

    seen: View
    device: int


def _at_hand(name: str, given: AnyType, stays: bool, devices: Mapping[int, Device]) -> AnyType:
    """An array of a device as what is known of it, or copied from there if it may not stay; all else as it is."""
    for number, device in devices.items():
        seen = device.seen(f"run: {name}", given)
        if seen is not None:
            if seen.dtype not in DTYPES:
                raise wrong_inputs(f"{name}: expected one of {', '.join(DTYPES)}, got {seen.dtype}; convert it first")
            if stays:
                return _There(seen, number)
            return read(device, seen.address, seen.shape, seen.dtype)
    return given


_Key = tuple[int | str, int, bool]


def _key(port: Port, value: object, inside: bool = False) -> _Key:
    """A value, that somebody keeps, as a port takes it: what is known of it once."""
    return port.name if isinstance(port, DataPort) else id(port), id(value), inside


class _Build:
    """A mark on the stack: the fields of this value are done."""

    __slots__ = ("count", "key", "tag")

    def __init__(self, tag: int, count: int, key: _Key) -> None:
        self.tag, self.count, self.key = tag, count, key


def _value(exe: Executable, port: Port, given: AnyType, name: str, sizes: _Sizes, pool: Pool) -> Value:
    if isinstance(port, TensorPort):  # the usual case, without a stack
        return _tensor(exe, port, given, name, sizes, pool)
    constructors = {d.name: {c.name: (tag, c) for tag, c in enumerate(d.constructors)} for d in exe.data}
    waiting: list[tuple[Port, AnyType, bool] | _Build] = [(port, given, False)]
    done: list[Value] = []
    known_as: dict[_Key, Value | None] = {}  # None while it is being made
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Build):
            fields = tuple(done[len(done) - item.count :])
            del done[len(done) - item.count :]
            done.append(Adt(item.tag, fields))
            known_as[item.key] = done[-1]
            continue
        port, given, inside = item
        key = _key(port, given, inside)
        if key in known_as:
            shared = known_as[key]
            if shared is None:
                raise wrong_inputs(f"{name}: expected a value that ends, got {_named(given)} that is a part of itself")
            done.append(shared)
            continue
        if isinstance(port, TensorPort):
            # Inside a data type a dimension's name is of each value alone.
            done.append(_tensor(exe, port, given, name, {} if inside else sizes, pool))
            known_as[key] = done[-1]
            continue
        if isinstance(port, TuplePort):
            if not isinstance(given, tuple | list) or len(given) != len(port.fields):
                raise wrong_inputs(f"{name}: expected a tuple {port}, got {_named(given)}")
            tag, parts, ports = 0, given, port.fields
        else:
            known = constructors[exe.data_type(port.name).name]
            if not isinstance(given, Data) or given.constructor not in known:
                raise wrong_inputs(f"{name}: expected {port} made by Data of {', '.join(known)}, got {_named(given)}")
            inside, (tag, made_by) = True, known[given.constructor]
            parts, ports = given.fields, made_by.fields
            if len(parts) != len(ports):
                raise wrong_inputs(f"{name}: {given.constructor} has {counted(len(ports), 'field')}, got {len(parts)}")
        known_as[key] = None
        waiting.append(_Build(tag, len(parts), key))
        waiting += [(p, v, inside) for p, v in zip(reversed(ports), reversed(parts), strict=True)]
    return done[0]


def _named(given: AnyType) -> str:
    return repr(given) if isinstance(given, Data) else type(given).__name__


def _tensor(exe: Executable, port: TensorPort, given: AnyType, name: str, sizes: _Sizes, pool: Pool) -> Tensor:
    if isinstance(given, _There):
        seen = given.seen
        _require_fit(exe, port, seen.dtype, seen.shape, name, sizes)
        return tensor_at(seen.address, seen.shape, seen.dtype, seen.keeps, read_only=True, device=given.device)
    array = as_array(f"run: {name}", np.asarray(given) if isinstance(given, np.generic) else given)
    if added := added_dtype(given):
        array = array.view(array_dtype(added))
    _require_fit(exe, port, dtype_name(array.dtype), array.shape, name, sizes)
    if not array.dtype.isnative or array.flags.num & PASSABLE != PASSABLE:
        try:
            return copy_of(array, port.dtype, pool).looked_at()
        except ResourceError as error:
            why = f"{name} of shape {array.shape} does not lie in memory as kernels read it, and is copied"
            raise ResourceError(f"run: {why}: {error}") from None
    return tensor_of(array)


def _require_fit(
    exe: Executable, port: TensorPort, dtype: str, shape: tuple[int, ...], name: str, sizes: _Sizes
) -> None:
    """Refuse what is not of the port's type; its sizes go to those that are known."""
    if dtype != port.dtype:
        raise wrong_inputs(f"{name}: expected {port}, got {dtype}; pass {name}.astype('{port.dtype}')")
    if len(shape) != len(port.shape):
        raise wrong_inputs(
            f"{name}: expected {port}, got {counted(len(shape), 'dimension')}: {shape}; reshape it first"
        )
    for place, (dim, size) in enumerate(zip(port.shape, shape, strict=True)):
        if dim is None or dim == size:
            continue
        if isinstance(dim, int):
            found = f"expected {port}, got shape {shape}; dimension {place} is {size}"
        else:
            known, other, its_shape = sizes.setdefault(dim, (size, name, shape))
            if known == size:
                continue
            found = f"expected {port} with {dim}={known} as in {other} of shape {its_shape}, got shape {shape}"
        demand = exe.demands.get((name, place))
        raise wrong_inputs(f"{name}: {found}{f'; because of {demand}' if demand else ''}")


def result(exe: Executable, value: Value, pool: Pool, devices: Mapping[int, Device], to: int = HOST) -> AnyType:
    """What main returned, for the user, as arrays of a device, and complete. Parts that are the same are the same
    object; others have memory of their own, so that writing to one changes no other."""
    found = _result(exe, value, pool, devices, to)
    if to != HOST:
        devices[to].wait()
    return found


def _result(exe: Executable, value: Value, pool: Pool, devices: Mapping[int, Device], to: int) -> AnyType:
    if isinstance(exe.output, TensorPort):
        return _array(expect(Tensor, value), pool, devices, to)
    waiting: list[tuple[Port, Value] | tuple[None, tuple[str | None, int, _Key]]] = [(exe.output, value)]
    done: list[AnyType] = []
    known: dict[_Key, AnyType] = {}
    given: set[int] = set()  # storages that arrays lie in; all are kept by the value
    while waiting:
        port, held = waiting.pop()
        if port is None:
            name, count, key = held  # type: ignore[misc]  # the mark that was pushed below
            fields = tuple(done[len(done) - count :])
            del done[len(done) - count :]
            done.append(fields if name is None else Data(name, *fields))
            known[key] = done[-1]
            continue
        key = _key(port, held)
        if key in known:
            done.append(known[key])
        elif isinstance(port, TensorPort):
            tensor = expect(Tensor, held)
            if isinstance(tensor.keeps, Storage if to == HOST else DeviceStorage):
                if id(tensor.keeps) in given:
                    tensor = tensor.looked_at()
                given.add(id(tensor.keeps))
            array = _array(tensor, pool, devices, to)
            done.append(array)
            known[key] = array
        else:
            found = expect(Adt, held)
            name, ports = _shape_of_value(exe, port, found)
            waiting.append((None, (name, len(ports), key)))
            waiting += [(p, v) for p, v in zip(reversed(ports), reversed(found.fields), strict=True)]
    return done[0]


def _shape_of_value(exe: Executable, port: TuplePort | DataPort, value: Adt) -> tuple[str | None, tuple[Port, ...]]:
    if isinstance(port, TuplePort):
        name, ports = None, port.fields
    else:
        constructors = exe.data_type(port.name).constructors
        if value.tag >= len(constructors):
            raise ArgumentError(
                f"the result: {port.name} has {counted(len(constructors), 'constructor')}, got tag {value.tag}"
            )
        name, ports = constructors[value.tag].name, constructors[value.tag].fields
    if len(value.fields) != len(ports):
        raise ArgumentError(f"the result: expected {port} of {counted(len(ports), 'field')}, got {len(value.fields)}")
    return name, ports


def _array(tensor: Tensor, pool: Pool, devices: Mapping[int, Device], to: int) -> AnyType:
    if to != HOST:
        if tensor.read_only and tensor.device == to:  # an input or a constant, and a result is its reader's to write
            tensor = doubled(tensor, devices[to])
        return DeviceArray(copied(tensor, tensor.device, to, pool, devices), devices[to])
    if tensor.device != HOST:
        tensor = copied(tensor, tensor.device, HOST, pool, devices)
    array = tensor.array()
    return array if array.flags.writeable else copy_of(array, tensor.dtype, pool).array()
