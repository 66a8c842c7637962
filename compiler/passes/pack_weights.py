"""Weight packing: constants that a kernel reads again and again are given to it in the layout that its config asks for.

A call with a constant where its product takes a weight gets a primitive function of its own that says so in the
attribute `weights`; its workload then has the operand as constant, is looked up as such, and the machine packs the
constant once. Calls with the same constants' places share one function.
"""

from __future__ import annotations

from dataclasses import replace

from anytile.compiler.ir.nodes import Call, Constant, Expr, Function, GlobalRef, Module, Var
from anytile.compiler.ir.traverse import Binding, each_block, rewrite
from anytile.compiler.kernels.kernel_of import kernel_of
from anytile.compiler.passes.dead_code import reached

# Of every product the operands that are laid out anew; others are read as they are, however constant.
WEIGHTS = {
    **dict.fromkeys(("dense", "conv2d", "gated_dense", "quantised_dense", "quantised_conv2d"), ("w",)),
    "batch_matmul": ("rhs",),
    "grouped_dense": ("w", "scale", "zero"),
}


def pack_weights(module: Module) -> Module:
    made = _Packing(module)
    packed = each_block(module, lambda body: rewrite(body, made.change))
    return reached(replace(packed, functions={**packed.functions, **made.functions}))


class _Packing:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: dict[str, Function] = {}
        self.places: dict[str, tuple[int, ...]] = {}

    def change(self, var: Var, call: Expr) -> list[Binding] | None:
        if not isinstance(call, Call) or not isinstance(call.callee, GlobalRef):
            return None
        function = self.module.function(call.callee.name)
        places = self.weights(call.callee.name, function) if function.is_primitive else ()
        if not places or not all(isinstance(call.args[place], Constant) for place in places):
            return None
        name = f"{call.callee.name}_packed"
        self.functions[name] = replace(function, attrs=(*function.attrs, ("weights", places)))
        return [(var, replace(call, callee=GlobalRef(name)))]

    def weights(self, name: str, function: Function) -> tuple[int, ...]:
        """The parameters that are the weight of a primitive function's product, and what belongs to it."""
        if name not in self.places:
            kernel = kernel_of(function)
            found: tuple[int, ...] = ()
            if kernel is not None and not kernel.workload.const:
                packed = WEIGHTS.get(kernel.workload.op, ())
                named = zip(kernel.workload.inputs, kernel.operands, strict=True)
                found = tuple(place for tensor, place in named if tensor.name in packed)
            self.places[name] = found
        return self.places[name]
