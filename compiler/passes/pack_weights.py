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

# Of every product the operand that is laid out anew; others are read as they are, however constant.
WEIGHTS = {"dense": "w", "conv2d": "w", "batch_matmul": "rhs", "gated_dense": "w", "quantised_dense": "w"}


def pack_weights(module: Module) -> Module:
    made = _Packing(module)
    packed = each_block(module, lambda body: rewrite(body, made.change))
    return reached(replace(packed, functions={**packed.functions, **made.functions}))


class _Packing:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: dict[str, Function] = {}
        self.places: dict[str, int | None] = {}

    def change(self, var: Var, call: Expr) -> list[Binding] | None:
        if not isinstance(call, Call) or not isinstance(call.callee, GlobalRef):
            return None
        function = self.module.function(call.callee.name)
        place = self.place(call.callee.name, function) if function.is_primitive else None
        if place is None or not isinstance(call.args[place], Constant):
            return None
        name = f"{call.callee.name}_packed"
        self.functions[name] = replace(function, attrs=(*function.attrs, ("weights", (place,))))
        return [(var, replace(call, callee=GlobalRef(name)))]

    def place(self, name: str, function: Function) -> int | None:
        """The parameter that is the weight of a primitive function's product."""
        if name not in self.places:
            kernel = kernel_of(function)
            found = None
            if kernel is not None and kernel.workload.op in WEIGHTS and not kernel.workload.const:
                names = [t.name for t in kernel.workload.inputs]
                found = kernel.operands[names.index(WEIGHTS[kernel.workload.op])]
            self.places[name] = found
        return self.places[name]
