"""Mixed-precision storage: what kernels leave for each other lies in memory in 16 bits.

A tensor is stored so where a kernel makes it and nothing but kernels reads it, itself or through views: what the host
looks at, what functions pass on and what a model gives back stay float32. Kernels compute in float32 as before, so what
is lost is one rounding for each tensor. Whether a kernel can be had that reads and writes so is asked of `serves`; what
none serves stays float32, too. On a CPU, where rounding takes instructions of its own, this is done for the factors of
narrow layers alone, which then are products of 16 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from anytile.compiler.ir.nodes import Call, Expr, Function, GlobalRef, Module, Var, is_operator_call, tensor_of
from anytile.compiler.ir.traverse import Binding, atoms_of, each_block, every_block, result_of, rewrite, steps
from anytile.compiler.ir.types import TensorType
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.kernels.memory_dtypes import FLOAT, RESULT, narrow_factors, storing
from anytile.compiler.passes.dead_code import reached
from anytile.compiler.passes.memory.manifest_alloc import VIEWS
from anytile.compiler.passes.place_devices import is_for_host
from anytile.schedules.workloads.workload import Workload

_SIZES = ("shape_of", "sizes_of")  # who look at no element
Serves = Callable[[Workload], bool]


def store_activations(module: Module, dtype: str, serves: Serves, factors_alone: bool = False) -> Module:
    made = _Storing(module, dtype, serves, factors_alone)
    stored = each_block(module, made.block)
    return reached(replace(stored, functions={**stored.functions, **made.functions}))


@dataclass(frozen=True, slots=True)
class _Use:
    """Where a tensor is read: by which step, at which place among its arguments."""

    var: Var
    value: Expr
    place: int


class _Storing:
    def __init__(self, module: Module, dtype: str, serves: Serves, factors_alone: bool) -> None:
        self.module, self.dtype, self.serves, self.factors_alone = module, dtype, serves, factors_alone
        self.functions: dict[str, Function] = {}
        self.names: dict[tuple[str, tuple[int, ...]], str] = {}
        self.known: dict[tuple[str, tuple[int, ...]], bool] = {}

    def block(self, body: Expr) -> Expr:
        """The body of a function."""
        bindings = dict(steps(body))
        stored = self.candidates(body, bindings)
        while True:
            lost = {v for var, value in bindings.items() for v in self.refused(var, value, stored)}
            if not lost:
                break
            stored = {v: root for v, root in stored.items() if root not in {stored[w] for w in lost}}

        def change(var: Var, value: Expr) -> list[Binding] | None:
            if not isinstance(value, Call) or self.kernel(value) is None:
                return None
            places = tuple(self.places(var, value, stored))
            return [(var, replace(value, callee=GlobalRef(self.name(value, places))))] if places else None

        return rewrite(body, change)

    def kernel(self, value: Expr) -> Function | None:
        """The primitive function that a step calls, if that runs on the device."""
        if not isinstance(value, Call) or not isinstance(value.callee, GlobalRef):
            return None
        function = self.module.function(value.callee.name)
        if not function.is_primitive or is_for_host(function):
            return None
        return function if any(tensor_of(a).rank for a in value.args) else None

    def candidates(self, body: Expr, bindings: dict[Var, Expr]) -> dict[Var, Var]:
        """Tensors that kernels make and kernels alone read, each with the one that it is a view of, or itself."""
        roots: dict[Var, Var] = {}
        for var, value in bindings.items():
            if not isinstance(var.type, TensorType) or var.type.dtype != FLOAT:
                continue
            if self.kernel(value) is not None:
                roots[var] = var
            elif is_operator_call(value, *VIEWS) and (of := value.args[0]) in roots:
                roots[var] = roots[of]
        seen = {result_of(block) for block in every_block(body)}
        for var, value in bindings.items():
            for place, atom in enumerate(value.args if isinstance(value, Call) else atoms_of(value)):
                if atom in roots and not self.is_read_so(_Use(var, value, place), roots):
                    seen.add(atom)
        lost = {roots[v] for v in seen if v in roots}
        if self.factors_alone:
            lost |= set(roots.values()) - {roots[v] for v in self.factors(bindings) if v in roots}
        return {v: root for v, root in roots.items() if root not in lost}

    def factors(self, bindings: dict[Var, Expr]) -> set[Expr]:
        """What narrow layers multiply with weights of this dtype."""
        found: set[Expr] = set()
        for value in bindings.values():
            function = self.kernel(value)
            made = None if function is None else kernel_of(function)
            if isinstance(value, Call) and made is not None:
                found |= {value.args[i] for i in narrow_factors(made.workload, made.operands, self.dtype)}
        return found

    def is_read_so(self, use: _Use, roots: dict[Var, Var]) -> bool:
        """Whether a tensor may be read there that lies in 16 bits."""
        if is_operator_call(use.value, *VIEWS):
            return use.place > 0 or use.var in roots  # what is behind the first says a shape
        return is_operator_call(use.value, *_SIZES) or self.kernel(use.value) is not None

    def places(self, var: Var, value: Call, stored: dict[Var, Var]) -> Iterator[int]:
        """What of a kernel lies in 16 bits: its result, and parameters of it."""
        if var in stored:
            yield RESULT
        for place, atom in enumerate(value.args):
            if atom in stored:
                yield place

    def refused(self, var: Var, value: Expr, stored: dict[Var, Var]) -> tuple[Var, ...]:
        """Of what is to be stored what a kernel cannot read or write so: some of it, so that less is asked next."""
        if not isinstance(value, Call) or self.kernel(value) is None:
            return ()
        places = tuple(self.places(var, value, stored))
        if not places or self.is_served(value, places):
            return ()
        read = tuple(a for place in places if place != RESULT and isinstance(a := value.args[place], Var))
        inputs = tuple(place for place in places if place != RESULT)
        if RESULT in places and (not inputs or self.is_served(value, inputs)):
            return (var,)
        return read

    def is_served(self, call: Call, places: tuple[int, ...]) -> bool:
        assert isinstance(call.callee, GlobalRef)
        key = call.callee.name, places
        if key not in self.known:
            found = kernel_of(storing(self.module.function(key[0]), places, self.dtype))
            self.known[key] = found is not None and self.serves(found.workload)
        return self.known[key]

    def name(self, call: Call, places: tuple[int, ...]) -> str:
        """The primitive function of a call with these places stored."""
        assert isinstance(call.callee, GlobalRef)
        key = call.callee.name, places
        if key not in self.names:
            name = f"{key[0]}_{self.dtype}"
            while name in self.module.functions or name in self.functions:
                name += "_"
            self.names[key] = name
            self.functions[name] = storing(self.module.function(key[0]), places, self.dtype)
        return self.names[key]
