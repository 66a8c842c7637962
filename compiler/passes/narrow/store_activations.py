"""Mixed-precision storage: what kernels leave for each other lies in memory in 16 bits.

A tensor is stored so where a kernel makes it and nothing but kernels reads it, itself or through views, branches and
functions that pass it on, as a loop does with a decoder's keys and values. What is one thing there is stored in one
way, found by unification over the module; a constant, or an input of the model, that such a function begins with is
converted first. What the host looks at, what tuples, closures and data types hold and what a model is given and gives
back stays float32. Kernels compute in float32 as before, so what is lost is one rounding for each tensor. Whether a
kernel can be had that reads and writes so is asked of `serves`; what none serves stays float32, too. A convolution
may round its image: one that stays float32 is converted for it, where `led` says that matrix units then multiply. On
a CPU, where rounding takes instructions of its own, this is done for the factors of narrow layers alone, which then are
products of 16 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from anytile.compiler.ir.nodes import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalRef,
    If,
    Match,
    Module,
    OperatorRef,
    Var,
    is_operator_call,
    tensor_of,
    type_of,
)
from anytile.compiler.ir.traverse import (
    Binding,
    atoms_of,
    bindings_of,
    blocks,
    bound_in,
    result_of,
    rewrite,
    steps,
)
from anytile.compiler.ir.types import TensorType
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.kernels.memory_dtypes import FLOAT, RESULT, narrow_factors, storing
from anytile.compiler.kernels.primitive_functions import primitive
from anytile.compiler.passes.dead_code import reached
from anytile.compiler.passes.memory.manifest_alloc import VIEWS
from anytile.compiler.passes.place_devices import is_for_host
from anytile.schedules.operators.products.batch_matmul import BATCH_MATMUL
from anytile.schedules.operators.products.quantised_conv2d import QUANTISED_CONV2D
from anytile.schedules.workloads.workload import Workload

_SIZES = ("shape_of", "sizes_of")  # who look at no element
_FIXED = "fixed"  # what stays float32
Serves = Callable[[Workload], bool]
Key = Var | str | tuple[str, str]  # a variable, what a function returns, or `_FIXED`


def store_activations(
    module: Module, dtype: str, serves: Serves, factors_alone: bool = False, led: Serves = lambda workload: False
) -> Module:
    made = _Storing(module, dtype, serves, factors_alone, led)
    made.unify()
    made.choose()
    functions = {
        name: f if f.is_primitive else replace(f, body=rewrite(f.body, made.change))
        for name, f in module.functions.items()
    }
    return reached(replace(module, functions={**functions, **made.functions}))


class _Storing:
    def __init__(self, module: Module, dtype: str, serves: Serves, factors_alone: bool, led: Serves) -> None:
        self.module, self.dtype, self.serves, self.factors_alone = module, dtype, serves, factors_alone
        self.led = led
        self.bodies = {name: f for name, f in module.functions.items() if not f.is_primitive}
        self.parent: dict[Key, Key] = {}
        self.made: list[tuple[Var, Call]] = []  # by kernels
        self.begun: list[tuple[Var, Call, int]] = []  # parameters, and arguments that are converted where they begin
        self.stored: set[Key] = set()  # by the first of what is one thing
        self.functions: dict[str, Function] = {}
        self.names: dict[tuple[str, tuple[int, ...]], str] = {}
        self.known: dict[tuple[str, tuple[int, ...]], bool] = {}

    # -- what is one thing -----------------------------------------------------------------------------------------

    def find(self, key: Key) -> Key:
        while (up := self.parent.get(key, key)) != key:
            key = up
        return key

    def join(self, e: Expr | Key, other: Key) -> None:
        """Two are one; what is neither a variable nor what a function returns is not to be stored otherwise."""
        key: Key = e if isinstance(e, Var | str | tuple) else _FIXED
        a, b = self.find(key), self.find(other)
        if a == _FIXED:
            a, b = b, a
        self.parent[a] = b

    def unify(self) -> None:
        callees = [a for f in self.bodies.values() for _, v in steps(f.body) for a in _as_values(v)]
        values = {a.name for a in callees if isinstance(a, GlobalRef)}
        for name, f in self.bodies.items():
            if name in values or f is self.module.main:
                for param in f.params:
                    self.join(param, _FIXED)
                self.join(("result", name), _FIXED)
            self.walk(f.body, ("result", name))

    def walk(self, block: Expr, receiver: Key) -> None:
        """A block, whose value goes to the receiver."""
        for var, value in bindings_of(block):
            self.define(var, value)
            self.read(var, value)
            for inner in blocks(value):
                self.walk(inner, var if isinstance(value, If | Match) else _FIXED)
        self.join(result_of(block), receiver)

    def define(self, var: Var, value: Expr) -> None:
        """What a step binds."""
        if isinstance(value, Match | Function):
            for bound in bound_in(value):
                self.join(bound, _FIXED)
        if not _is_float(var):
            self.join(var, _FIXED)
        elif isinstance(value, Call) and self.kernel(value) is not None:
            self.made.append((var, value))
        elif isinstance(value, Call) and is_operator_call(value, *VIEWS):
            self.join(value.args[0], var)
        elif isinstance(value, Call) and isinstance(value.callee, GlobalRef) and value.callee.name in self.bodies:
            self.join(("result", value.callee.name), var)
        elif not isinstance(value, If | Match):
            self.join(var, _FIXED)

    def read(self, var: Var, value: Expr) -> None:
        """What a step reads: kernels take tensors as they lie, and functions what their parameters are."""
        if not isinstance(value, Call):
            for atom in atoms_of(value):
                self.join(atom, _FIXED)
            return
        if is_operator_call(value, *_SIZES) or self.kernel(value) is not None:
            return
        if is_operator_call(value, *VIEWS):
            if not _is_float(var):
                self.join(value.args[0], _FIXED)
            return
        called = value.callee.name if isinstance(value.callee, GlobalRef) else ""
        for place, arg in enumerate(value.args):
            if called not in self.bodies:
                self.join(arg, _FIXED)
            elif isinstance(arg, Constant) or arg in self.module.main.params:
                self.begun.append((self.bodies[called].params[place], value, place))
            else:
                self.join(arg, self.bodies[called].params[place])

    def kernel(self, value: Expr) -> Function | None:
        """The primitive function that a step calls, if that runs on the device."""
        if not isinstance(value, Call) or not isinstance(value.callee, GlobalRef):
            return None
        function = self.module.function(value.callee.name)
        if not function.is_primitive or is_for_host(function):
            return None
        return function if any(tensor_of(a).rank for a in value.args) else None

    # -- what of it is stored --------------------------------------------------------------------------------------

    def choose(self) -> None:
        """All that kernels make, but for what they then cannot be had for."""
        self.stored = {self.find(var) for var, _ in self.made} - {self.find(_FIXED)}
        if self.factors_alone:
            self.stored &= {self.find(var) for var in self.factors()}
        while True:
            lost = {v for var, call in self.calls() for v in self.refused(var, call)}
            lost |= {param for param, call, place in self.begun if not self.converts(param, call, place)}
            if not lost:
                return
            self.stored -= {self.find(v) for v in lost}

    def factors(self) -> Iterator[Var]:
        """What narrow layers multiply with weights of this dtype."""
        for _, call in self.calls():
            function = self.kernel(call)
            made = None if function is None else kernel_of(function)
            if function is not None and made is not None:
                places = narrow_factors(function, made.workload, made.operands, self.dtype)
                factors = (call.args[i] for i in places)
                yield from (factor for factor in factors if isinstance(factor, Var))

    def calls(self) -> Iterator[tuple[Var, Call]]:
        for f in self.bodies.values():
            for var, value in steps(f.body):
                if isinstance(value, Call) and self.kernel(value) is not None:
                    yield var, value

    def is_stored(self, e: Expr) -> bool:
        return isinstance(e, Var) and self.find(e) in self.stored

    def places(self, var: Var, value: Call) -> tuple[int, ...]:
        """What of a kernel lies in 16 bits: its result, and parameters of it."""
        read = (place for place, atom in enumerate(value.args) if self.is_stored(atom))
        return (*([RESULT] if self.is_stored(var) else []), *read)

    def refused(self, var: Var, value: Call) -> tuple[Var, ...]:
        """Of what is to be stored what a kernel cannot read or write so: some of it, so that less is asked next."""
        places = self.places(var, value)
        if not places or self.is_served(value, places):
            return ()
        inputs = tuple(place for place in places if place != RESULT)
        if RESULT in places and (not inputs or self.is_served(value, inputs)):
            return (var,)
        return tuple(a for place in inputs if isinstance(a := value.args[place], Var))

    def is_served(self, call: Call, places: tuple[int, ...]) -> bool:
        assert isinstance(call.callee, GlobalRef)
        key = call.callee.name, places
        if key not in self.known:
            found = kernel_of(storing(self.module.function(key[0]), places, self.dtype))
            self.known[key] = found is not None and not self.is_idle(found.workload) and self.serves(found.workload)
        return self.known[key]

    def is_idle(self, workload: Workload) -> bool:
        """Whether a product of two would but widen again what was rounded for it alone."""
        return self.factors_alone and workload.op == BATCH_MATMUL.name and workload.dtype != self.dtype

    def converts(self, param: Var, call: Call, place: int) -> bool:
        """Whether what a parameter begins with can be had as it is stored, if it is."""
        return not self.is_stored(param) or self.is_convertible(call.args[place])

    def is_convertible(self, e: Expr) -> bool:
        found = kernel_of(self.conversion(e)[0])
        return tensor_of(e).rank > 0 and found is not None and self.serves(found.workload)

    def images(self, value: Call, places: tuple[int, ...]) -> tuple[int, ...]:
        """The image of a convolution that is worth a conversion: where these places alone lie in 16 bits."""
        function = self.kernel(value)
        made = None if function is None else kernel_of(function)
        if function is None or made is None or made.workload.op != QUANTISED_CONV2D.name:
            return ()
        factors = narrow_factors(function, made.workload, made.operands, self.dtype) - {*places}
        narrow = kernel_of(storing(function, (*places, *factors), self.dtype))
        led = narrow is not None and self.led(narrow.workload)
        return tuple(factors) if led and all(self.is_convertible(value.args[i]) for i in factors) else ()

    def conversion(self, e: Expr) -> tuple[Function, tuple[Expr, ...]]:
        same = Call(OperatorRef("cast"), (e,), (("dtype", FLOAT),))
        function, args = primitive([(Var("stored", tensor_of(e)), same)])
        return storing(function, (RESULT,), self.dtype), args

    # -- writing ---------------------------------------------------------------------------------------------------

    def change(self, var: Var, value: Expr) -> list[Binding] | None:
        if not isinstance(value, Call) or not isinstance(value.callee, GlobalRef):
            return None
        made: list[Binding] = []
        args = list(value.args)
        if self.kernel(value) is not None:
            places = self.places(var, value)
            rounded = self.images(value, places)
            for place in rounded:
                image = Var("image", tensor_of(args[place]))
                made.append((image, self.converted(args[place], value.where)))
                args[place] = image
            places = tuple(sorted((*places, *rounded)))
            if not places:
                return None
            return [*made, (var, replace(value, callee=GlobalRef(self.name(value, places)), args=tuple(args)))]
        for param, call, place in self.begun:
            if call is value and self.is_stored(param):
                begun = Var(param.name, tensor_of(args[place]))
                made.append((begun, self.converted(args[place], value.where)))
                args[place] = begun
        return [*made, (var, replace(value, args=tuple(args)))] if made else None

    def converted(self, e: Expr, where: str) -> Call:
        function, args = self.conversion(e)
        key = str(tensor_of(e)), ()
        if key not in self.names:
            self.names[key] = self.kept(f"as_{self.dtype}", function)
        return Call(GlobalRef(self.names[key]), args, where=where)

    def name(self, call: Call, places: tuple[int, ...]) -> str:
        """The primitive function of a call with these places stored."""
        assert isinstance(call.callee, GlobalRef)
        key = call.callee.name, places
        if key not in self.names:
            function = storing(self.module.function(key[0]), places, self.dtype)
            self.names[key] = self.kept(f"{key[0]}_{self.dtype}", function)
        return self.names[key]

    def kept(self, name: str, function: Function) -> str:
        """A primitive function under this name, or one like it."""
        while name in self.module.functions or name in self.functions:
            name += "_"
        self.functions[name] = function
        return name


def _as_values(value: Expr) -> Iterator[Expr]:
    """What a step reads that it does not call."""
    yield from value.args if isinstance(value, Call) else atoms_of(value)
    for inner in blocks(value):
        yield result_of(inner)


def _is_float(var: Var) -> bool:
    found = type_of(var)
    return isinstance(found, TensorType) and found.dtype == FLOAT
