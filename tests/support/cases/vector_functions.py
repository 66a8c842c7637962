"""A kernel that applies one function of `vectormath` to an array, and how far its results are off the true ones."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from anytile.codegen.llvm.compile import compile_ir
from anytile.codegen.llvm.lanewise import PLAIN, Instructions
from anytile.codegen.llvm.module import module
from anytile.codegen.llvm.vectormath import FUNCTIONS
from anytile.codegen.load.loader import Loaded
from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.target import Target

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
NUMPY = {
    **{"sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan},
    **{"sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh},
}


def loop(name: str, lanes: int, instructions: Instructions = PLAIN) -> str:
    """The module of `int32 map(data, dims, workspace)`: data[-1][i] = name(data[0][i], ...) for all i < dims[0]."""
    kind, suffix = ("float", "f32") if lanes == 1 else (f"<{lanes} x float>", f"v{lanes}f32")
    two = FUNCTIONS[name].arity == 2
    second = f"""
  %there = load ptr, ptr %others
  %beside = getelementptr float, ptr %there, i64 %i
  %other = load {kind}, ptr %beside, align 4"""
    given = f"{kind} %value, {kind} %other" if two else f"{kind} %value"
    return module(
        [
            f"""
define i32 @map(ptr %data, ptr %dims, ptr %workspace) #0 {{
start:
  %others = getelementptr ptr, ptr %data, i64 1
  %results = getelementptr ptr, ptr %data, i64 {1 + two}
  %x = load ptr, ptr %data
  %y = load ptr, ptr %results
  %n = load i64, ptr %dims
  br label %body
body:
  %i = phi i64 [ 0, %start ], [ %next, %body ]
  %from = getelementptr float, ptr %x, i64 %i
  %to = getelementptr float, ptr %y, i64 %i
  %value = load {kind}, ptr %from, align 4{second if two else ""}
  %result = call {kind} @anytile.{name}.{suffix}({given})
  store {kind} %result, ptr %to, align 4
  %next = add i64 %i, {lanes}
  %again = icmp slt i64 %next, %n
  br i1 %again, label %body, label %done
done:
  ret i32 0
}}
"""
        ],
        instructions,
    )


def mapping(name: str, lanes: int, target: Target) -> Callable[..., Floats]:
    """The compiled loop as a function of arrays."""
    loaded = Loaded(compile_ir(loop(name, lanes, Instructions.of(facts(target))), target, "map", facts_too=False))

    def apply(*given: Floats) -> Floats:
        padded = [np.concatenate([x, np.zeros(-x.size % lanes, np.float32)]) for x in given]
        y = np.empty_like(padded[0])
        assert loaded.call("map", [*(x.ctypes.data for x in padded), y.ctypes.data], [y.size]) == 0
        return y[: given[0].size]

    return apply


def true(name: str, x: Floats) -> Doubles:
    """The function in float64, where it is at least a million times more accurate than its float32 result must be."""
    with np.errstate(all="ignore"):
        d = x.astype(np.float64)
        match name:
            case "exp":
                return np.exp(d)
            case "exp2":
                return np.exp2(d)
            case "log":
                return np.log(d)
            case "tanh":
                return np.tanh(d)
            case "erf":
                return _each(math.erf, d)
            case "sigmoid":
                return 1 / (1 + np.exp(-d))
            case "gelu" | "gelu_byte":
                found = 0.5 * d * _each(math.erfc, -d / math.sqrt(2))
            case "gelu_tanh":
                found = d / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (d + 0.044715 * d**3)))
            case _ if name in NUMPY:
                return np.asarray(NUMPY[name](d))
            case _:
                raise AssertionError(f"no reference for {name}")
        return np.where(np.isneginf(d), -0.0, found)  # the limit: the formulas multiply infinity by zero


def _each(function: Callable[[float], float], d: Doubles) -> Doubles:
    return np.fromiter(map(function, d.tolist()), np.float64, d.size)


def steps_off(found: Floats, exact: Doubles) -> NDArray[np.int64]:
    """How many float32 lie between each result and the correctly rounded one; a NaN or a sign amiss is very far off."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
    steps: NDArray[np.int64] = np.abs(_rank(found) - _rank(rounded))
    steps[np.signbit(found) != np.signbit(rounded)] = 1 << 32
    nans = np.isnan(rounded)
    steps[nans] = 0
    steps[nans != np.isnan(found)] = 1 << 32
    return steps


def _rank(x: Floats) -> NDArray[np.int64]:
    """A number per float32 that grows by one from each to the next."""
    bits = x.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
