"""Values of Python as cells of native code (see `cell_words`), and back.

Both ways use a stack of their own, so values may be as deep as they like. What goes in is read-only and not counted:
its cells lie in one block that lives as long as the run. What comes out keeps its memory: a storage that the result
lies in is taken from its cell, and goes back to the pool when Python drops it. A storage of Python's that is lent to a
run, so that rows may be appended there, stays Python's.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from anytile.vm.program.isa import DTYPES, ITEMSIZE
from anytile.vm.runtime.cell_words import (
    ADT_CODE,
    CELL,
    CELL_CODE,
    CELL_FIELDS,
    CELL_FILLED,
    CELL_KEEPS,
    CELL_NUMBERS,
    CELL_TAG,
    CELL_WORDS,
)
from anytile.vm.runtime.tensor_words import CODE, COUNT, FLAGS, HEAD, READ_ONLY, SIZE, STORAGE_CODE, WORDS
from anytile.vm.values.memory import PAIR, Pool, Storage
from anytile.vm.values.values import Adt, Closure, Tensor, Value, tensor_of

_WORD = 8
_LOOK = struct.Struct("=3q")  # tag, size, code; of a tensor the address, elements, code


class Cells:
    """A block of cells that nobody counts. `addresses` are those of the values, in order."""

    def __init__(self, values: Sequence[Value]) -> None:
        places: dict[int, int] = {}
        order: list[Value] = []
        waiting = list(values)
        size = 0
        while waiting:
            value = waiting.pop()
            if id(value) in places:
                continue
            places[id(value)] = size
            order.append(value)
            if isinstance(value, Adt):
                size += CELL_FIELDS + len(value.fields)
                waiting += value.fields
            else:
                size += CELL
        self._block = (ctypes.c_int64 * max(size, 1))()
        self._keeps = order
        base = ctypes.addressof(self._block)
        for value in order:
            place = places[id(value)]
            if isinstance(value, Adt):
                fields = [base + _WORD * places[id(f)] for f in value.fields]
                self._block[place + CELL_TAG : place + CELL_FIELDS + len(fields)] = [
                    *(value.tag, len(fields), ADT_CODE),
                    *fields,
                ]
            else:
                assert isinstance(value, Tensor)
                words = list(WORDS.unpack(value.words))
                self._block[place + CELL_WORDS : place + CELL_WORDS + COUNT] = words
        self.addresses = [base + _WORD * places[id(value)] for value in values]


def fields_at(root: int, places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Of some fields of a value those that are tensors: the cell's address, the tensor's, and its bytes."""
    fields = (ctypes.c_int64 * (max(places) + 1)).from_address(root + _WORD * CELL_FIELDS)
    for place in places:
        cell = fields[place]
        address, elements, code = _LOOK.unpack(ctypes.string_at(cell + _WORD * CELL_WORDS, _LOOK.size))
        if code >= 0:
            yield cell, address, elements * ITEMSIZE[DTYPES[code]]


def make_writable(root: int, places: Iterable[int]) -> None:
    """Some fields of a value, which are tensors, may be written to."""
    for place in places:
        _word(_word(root, CELL_FIELDS + place).value, CELL_WORDS + FLAGS).value &= ~READ_ONLY


class Lent:
    """Storages of Python's in cells that nobody counts, for as long as a run lasts: `at` has them by these."""

    def __init__(self) -> None:
        self._cells = np.zeros((0, CELL), np.int64)
        self.at: dict[int, Storage] = {}

    def lend(self, inputs: Mapping[int, tuple[Storage, int]]) -> None:
        """Of inputs, by the addresses of their cells: the storage that each lies in, and how much of that is filled."""
        self._cells = np.zeros((len(inputs), CELL), np.int64)
        self._cells[:, CELL_CODE] = STORAGE_CODE
        base = self._cells.ctypes.data
        for place, (tensor, (storage, filled)) in enumerate(inputs.items()):
            here = base + _WORD * CELL * place
            self._cells[place, CELL_WORDS : CELL_WORDS + 2] = PAIR.unpack(storage.pair)
            self._cells[place, CELL_FILLED] = filled
            self._cells[place, CELL_NUMBERS] = id(storage)  # by which a result's array keeps it
            _word(tensor, CELL_KEEPS).value = here
            self.at[here] = storage

    def settle(self) -> None:
        """Tell the storages what is filled of them now."""
        for storage, filled in zip(self.at.values(), self._cells[:, CELL_FILLED].tolist(), strict=False):
            storage.filled = filled


def value_at(address: int, pool: Pool | None, lent: Mapping[int, Storage] | None = None) -> Value:
    """The value of a cell. With a pool its storage is the value's from now on; without, the value only looks.

    Each storage is the cell's or the value's at any moment, so that whatever ends this leaves nothing to nobody; those
    in `lent`, by their cells, were the value's before.
    """
    made: dict[int, Value] = dict(lent or {})
    waiting = [address]
    while waiting:
        here = waiting[-1]
        if here not in made:
            tag, size, code = _LOOK.unpack(ctypes.string_at(here + _WORD * CELL_WORDS, _LOOK.size))
            if code >= STORAGE_CODE:
                made[here] = _flat(here, code, pool, made)
            else:
                fields = (ctypes.c_int64 * size).from_address(here + _WORD * CELL_FIELDS)[:]
                missing = [f for f in fields if f not in made]
                if missing:
                    waiting += missing
                    continue
                parts = tuple([made[f] for f in fields])
                made[here] = Adt(tag, parts) if code == ADT_CODE else Closure(tag, parts)
        waiting.pop()
    return made[address]


def seen_at(address: int) -> Value:
    """The value of a cell, which only looks: a tensor, as most are, by one look at its words."""
    words = ctypes.string_at(address + _WORD * CELL_WORDS, SIZE)
    return Tensor(words, None) if HEAD.unpack_from(words)[CODE] >= 0 else value_at(address, None)


def _flat(address: int, code: int, pool: Pool | None, made: dict[int, Value]) -> Value:
    """A tensor or a storage."""
    if code == STORAGE_CODE:
        return _storage(address, pool, made)
    words = ctypes.string_at(address + _WORD * CELL_WORDS, SIZE)
    if pool is None:
        return Tensor(words, None)
    keeps = _word(address, CELL_KEEPS).value
    if keeps and _code(keeps) == STORAGE_CODE:
        return Tensor(words, _storage(keeps, pool, made))
    found = Tensor(words, None)
    if found.address == (keeps or address) + _WORD * CELL_NUMBERS:  # numbers in a cell, which ends with the run
        return tensor_of(found.array().copy())
    return found


def _storage(address: int, pool: Pool | None, made: dict[int, Value]) -> Storage:
    if address not in made:
        at = address + _WORD * CELL_WORDS
        pair, filled = ctypes.string_at(at, PAIR.size), _word(address, CELL_FILLED).value
        made[address] = storage = Storage(None, pair) if pool is None else pool.own(at, pair)
        storage.filled = filled
    found = made[address]
    assert isinstance(found, Storage)
    return found


def _code(address: int) -> int:
    return _word(address, CELL_CODE).value


def _word(cell: int, place: int) -> ctypes.c_int64:
    return ctypes.c_int64.from_address(cell + _WORD * place)
