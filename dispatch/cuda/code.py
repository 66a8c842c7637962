"""Serialisation of a CUDA plan: every kernel's text, cubin and launch beside the plan that picks among them.

This is what a CUDA artifact's `code` holds: bytes that a builder without a GPU makes and a worker with one loads.
Nothing is unpickled, and a reader believes no length and no field before it was checked.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anytile.codegen.cuda.launch import MAX_BOX, Launch, TensorMap
from anytile.core.dtypes import BYTES
from anytile.core.errors import SpecError
from anytile.schedules.index.expr import Expr, Extreme, FloorDiv, Mod, Monomial, Var, const, maximum, minimum, var
from anytile.schedules.plans.plan import DispatchPlan

FORMAT = 1
_WITH_MAPS = 2  # the same, and launches with tensor maps, which who reads the first knows nothing of
_WITH_BOXES = 3  # maps of more than matrices, or of elements that are apart
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One compiled kernel: `text` is all that the compiler saw, `launch` how it runs at any size.

    The addresses of its tensors must be multiples of `align`.
    """

    text: str = field(repr=False)
    cubin: bytes = field(repr=False)
    arch: str
    launch: Launch
    align: int = 16


@dataclass(frozen=True, slots=True)
class Placed:
    """A kernel and what it serves: a variant, and of that the residues `low..high` (None: all of them)."""

    kernel: Kernel
    variant: int
    residues: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class CudaCode:
    """A plan and its kernels."""

    plan: DispatchPlan
    kernels: tuple[Placed, ...]

    def at(self, size: int | None) -> Placed | str:
        """What runs at a value of the plan's symbol: a kernel, or a library by its name."""
        runs = self.plan.range_at(size or 0).runs
        if isinstance(runs, str):
            return runs
        residue = 0 if size is None else size % self.plan.variants[runs].tile
        for placed in self.kernels:
            low, high = placed.residues or (0, residue)
            if placed.variant == runs and low <= residue <= high:
                return placed
        at = f"{self.plan.symbol}={size}"
        raise SpecError(f"{self.plan.workload}: no kernel was built for {at}; build the whole plan")

    def to_bytes(self) -> bytes:
        header = json.dumps(
            {
                "format": max((_format(m) for p in self.kernels for m in p.kernel.launch.maps), default=FORMAT),
                "plan": self.plan.to_json(),
                "kernels": [
                    {
                        "text": p.kernel.text,
                        "arch": p.kernel.arch,
                        "align": p.kernel.align,
                        "launch": _launch_json(p.kernel.launch),
                        "bytes": len(p.kernel.cubin),
                        "variant": p.variant,
                        "residues": p.residues,
                    }
                    for p in self.kernels
                ],
            }
        ).encode()
        return _LENGTH.pack(len(header)) + header + b"".join(p.kernel.cubin for p in self.kernels)

    @classmethod
    def of(cls, data: bytes) -> CudaCode:
        """The inverse; `ValueError` or `SpecError` where the bytes are something else."""
        try:
            (length,) = _LENGTH.unpack_from(data)
            header = json.loads(data[_LENGTH.size : _LENGTH.size + length])
            if header["format"] not in (FORMAT, _WITH_MAPS, _WITH_BOXES):
                raise ValueError(f"format {header['format']}, expected {FORMAT} to {_WITH_BOXES}")
            at, kernels = _LENGTH.size + length, []
            for k in header["kernels"]:
                cubin = data[at : at + int(k["bytes"])]
                at += int(k["bytes"])
                kernel = Kernel(str(k["text"]), cubin, str(k["arch"]), _read_launch(k["launch"]), int(k["align"]))
                residues = None if k["residues"] is None else (int(k["residues"][0]), int(k["residues"][1]))
                kernels.append(Placed(kernel, int(k["variant"]), residues))
            if at != len(data):
                raise ValueError(f"{len(data)} bytes, expected {at}")
            plan = DispatchPlan.from_json(str(header["plan"]))
            for m in (m for placed in kernels for m in placed.kernel.launch.maps):
                if m.tensor >= len(plan.workload.tensors):
                    raise ValueError(f"{m} is of no tensor of {plan.workload}")
            return cls(plan, tuple(kernels))
        except (struct.error, KeyError, TypeError, IndexError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from None


def _launch_json(launch: Launch) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kernel": launch.kernel,
        "grid": [_expr_json(e) for e in launch.grid],
        "block": list(launch.block),
        "shared": launch.shared,
        "workspace": _expr_json(launch.workspace),
        "extents": [_expr_json(e) for e in launch.extents],
        "meetings": _expr_json(launch.meetings),
    }
    if launch.maps:
        found["maps"] = [_map_json(m) for m in launch.maps]
    if launch.waits:
        found["waits"] = True
    return found


def _format(m: TensorMap) -> int:
    return _WITH_MAPS if m.steps == (1, 1) else _WITH_BOXES


def _map_json(m: TensorMap) -> list[Any]:
    """Sizes, a box and, where any are apart, steps, one behind the other."""
    return [m.tensor, m.dtype, *map(_expr_json, m.sizes), *m.box, *(m.steps if set(m.steps) != {1} else ())]


def _read_map(d: Sequence[Any]) -> TensorMap:
    tensor, dtype, *numbers = d
    sizes = [n for n in numbers if isinstance(n, list)]
    rank, sides = len(sizes), [int(n) for n in numbers[len(sizes) :]]
    box, steps = tuple(sides[:rank]), tuple(sides[rank:]) or (1,) * rank
    if int(tensor) < 0 or str(dtype) not in BYTES or rank < 2 or not rank == len(box) == len(steps):
        raise ValueError(f"{d!r} is no tensor map")
    if not all(side > 0 and step > 0 and side * step <= MAX_BOX for side, step in zip(box, steps, strict=True)):
        raise ValueError(f"{d!r} is no tensor map of boxes of at most {MAX_BOX}")
    return TensorMap(int(tensor), str(dtype), tuple(map(_read_expr, sizes)), box, steps)


def _read_launch(d: Mapping[str, Any]) -> Launch:
    x, y, z = map(_read_expr, d["grid"])
    tx, ty, tz = map(int, d["block"])
    return Launch(
        str(d["kernel"]),
        (x, y, z),
        (tx, ty, tz),
        int(d["shared"]),
        _read_expr(d["workspace"]),
        tuple(map(_read_expr, d["extents"])),
        _read_expr(d["meetings"]),
        tuple(map(_read_map, d.get("maps", ()))),
        d.get("waits") is True,
    )


def _expr_json(e: Expr) -> list[Any]:
    """A sum as a list of [coefficient, atom, atom, ...]."""

    def atom(a: Any) -> list[Any]:
        match a:
            case Var(name):
                return ["var", name]
            case FloorDiv(of, by):
                return ["div", _expr_json(of), by]
            case Mod(of, by):
                return ["mod", _expr_json(of), by]
            case Extreme(kind, x, y):
                return [kind, _expr_json(x), _expr_json(y)]
        raise AssertionError(a)

    def term(m: Monomial, c: int) -> list[Any]:
        return [c, *map(atom, m)]

    return [term(m, c) for m, c in e.terms]


def _read_expr(terms: Sequence[Any]) -> Expr:
    """Rebuilt by arithmetic, so whatever comes is in canonical form."""

    def atom(a: Sequence[Any]) -> Expr:
        match a:
            case ["var", str(name)]:
                return var(name)
            case ["div", list(of), int(by)]:
                return _read_expr(of) // by
            case ["mod", list(of), int(by)]:
                return _read_expr(of) % by
            case ["min", list(x), list(y)]:
                return minimum(_read_expr(x), _read_expr(y))
            case ["max", list(x), list(y)]:
                return maximum(_read_expr(x), _read_expr(y))
        raise ValueError(f"{a!r} is no index expression")

    total = const(0)
    for coefficient, *atoms in terms:
        product = const(int(coefficient))
        for a in atoms:
            product = product * atom(a)
        total = total + product
    return total
