"""Data types (dtypes): one table of what is known of each, from which every list and spelling of them derives.

A `computed` dtype has arithmetic of its own in kernels; a `stored` one is a format of memory, whose values kernels
compute in float32, or in int32 where they are integers; what models compute with a `hosted` one, and with a stored one
that numpy has, numpy computes on the host. What code generation, numpy, DLPack and executables call a dtype is a
column of its row, so that a new dtype is a row. Codes in executables are part of the file format: they stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Dtype:
    """One dtype. `bits` are those of an element in memory; of a dtype below 8 several share a byte.

    `llvm` is the type of a value in registers, of a stored float that of its bits, `cuda` that of CUDA C++ and `code`
    the number in executables. Where numpy has no dtype of that name, `held` is the one in
    which values are, `bits_as` the one in which they lie in memory, and `in_dlpack` DLPack's code of the kind.
    """

    name: str
    kind: Literal["float", "int", "uint", "bool"]
    bits: int
    code: int
    role: Literal["computed", "stored", "hosted"] = "computed"
    llvm: str = ""
    cuda: str = ""
    held: str = ""
    bits_as: str = ""
    in_dlpack: int = -1

    @property
    def numpy(self) -> str:
        """The dtype of numpy's arrays that kernels on a CPU are given."""
        return self.bits_as or self.name

    @property
    def arrays(self) -> tuple[str, ...]:
        """The dtypes of arrays that may hold such a tensor: its own, or that of its bits."""
        return (self.name, self.bits_as) if self.bits_as else (self.name,)

    def nbytes(self, elements: int) -> int:
        """What so many elements take in memory."""
        return (elements * self.bits + 7) // 8

    @property
    def llvm_memory(self) -> str:
        """The LLVM type of an element in memory: a bool there is a byte, 0 or 1."""
        return f"i{self.bits}" if self.kind == "bool" else self.llvm

    @property
    def llvm_suffix(self) -> str:
        """How the names of LLVM's intrinsics spell the type of a value."""
        return f"f{self.bits}" if self.kind == "float" and self.role == "computed" else self.llvm

    @property
    def llvm_memory_suffix(self) -> str:
        """How they spell the type of an element in memory."""
        return self.llvm_memory if self.kind == "bool" else self.llvm_suffix

    @property
    def dlpack(self) -> tuple[int, int]:
        """DLPack's code of the kind, and the bits."""
        usual = {"int": 0, "uint": 1, "float": 2, "bool": 6}[self.kind]
        return (usual if self.in_dlpack < 0 else self.in_dlpack), self.bits


ROWS = (
    Dtype("float32", "float", 32, 0, llvm="float", cuda="float"),
    Dtype("int32", "int", 32, 1, llvm="i32", cuda="int"),
    Dtype("int64", "int", 64, 2, llvm="i64", cuda="long long"),
    Dtype("bool", "bool", 8, 3, llvm="i1", cuda="bool"),
    Dtype("bfloat16", "float", 16, 12, "stored", "i16", "at_bf16", "float32", "uint16", in_dlpack=4),
    Dtype("float16", "float", 16, 6, "stored", llvm="i16", cuda="at_f16"),
    Dtype("uint8", "uint", 8, 4, "stored", llvm="i8", cuda="unsigned char"),  # packed constants too
    Dtype("float64", "float", 64, 5, "hosted"),
    Dtype("int8", "int", 8, 7, "stored", llvm="i8", cuda="signed char"),
    Dtype("int16", "int", 16, 8, "stored", llvm="i16", cuda="short"),
    Dtype("uint16", "uint", 16, 9, "hosted"),
    Dtype("uint32", "uint", 32, 10, "hosted"),
    Dtype("uint64", "uint", 64, 11, "hosted"),
    Dtype("float8_e4m3fn", "float", 8, 13, "stored", "i8", "at_f8e4m3", "float32", "uint8", in_dlpack=10),
    Dtype("float8_e5m2", "float", 8, 14, "stored", "i8", "at_f8e5m2", "float32", "uint8", in_dlpack=12),
)
BY_NAME = {row.name: row for row in ROWS}
BYTES = {row.name: row.nbytes(1) for row in ROWS}  # of one element

COMPUTED = tuple(row.name for row in ROWS if row.role == "computed")
FLOATS = tuple(row.name for row in ROWS if row.role == "computed" and row.kind == "float")
INTEGERS = tuple(row.name for row in ROWS if row.role == "computed" and row.kind == "int")
NUMBERS = (*FLOATS, *INTEGERS)
STORED = tuple(row.name for row in ROWS if row.role == "stored")
STORED_FLOATS = tuple(name for name in STORED if BY_NAME[name].kind == "float")
HALVES = tuple(name for name in STORED_FLOATS if BY_NAME[name].bits == 16)
FLOAT8 = tuple(name for name in STORED_FLOATS if BY_NAME[name].bits == 8)
STORED_INTEGERS = tuple(name for name in STORED if BY_NAME[name].kind in ("int", "uint"))
MOVED = (*COMPUTED, *STORED_INTEGERS)  # by kernels that compute nothing
MODEL = tuple(row.name for row in ROWS)  # that tensors of models may have
MODEL_FLOATS = tuple(name for name in MODEL if BY_NAME[name].kind == "float" and name not in FLOAT8)  # with arithmetic
MODEL_INTEGERS = tuple(name for name in MODEL if BY_NAME[name].kind in ("int", "uint"))
MODEL_NUMBERS = (*MODEL_FLOATS, *MODEL_INTEGERS)


def kin(names: tuple[str, ...], moved: bool = False) -> tuple[str, ...]:
    """The dtypes of models of the kinds of these, all integers being of one: what numpy's meaning of them takes. Floats
    of 8 bits are among them where they are but `moved`."""
    kinds = {BY_NAME[name].kind.removeprefix("u") for name in names}
    found = (name for name in MODEL if BY_NAME[name].kind.removeprefix("u") in kinds)
    return tuple(name for name in found if moved or name not in FLOAT8)


_CODED = {row.code: row.name for row in ROWS}
IN_EXECUTABLES = tuple(_CODED[code] for code in range(len(_CODED)))  # by their codes
