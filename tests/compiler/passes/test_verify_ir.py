"""The verifier of modules: what a pass must not make is refused, and the refusal says what it is."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import Call, Function, GlobalRef, Let, OperatorRef, TupleExpr, Var
from anytile.compiler.ir.types import TensorType
from anytile.compiler.module import Module
from anytile.compiler.passes.verify import verify
from anytile.compiler.pipeline import passes
from anytile.core.errors import SpecError

T = TensorType((3,))
TEXT = """
def main(x: Tensor[(?n, 4), float32]) -> Tensor[(?n, 4), float32] { exp(softmax(relu(x))) }
"""


def call(name: str, *args: Var) -> Call:
    return Call(OperatorRef(name), args)


def module(*bindings: tuple[Var, object], result: Var, params: tuple[Var, ...] = ()) -> Module:
    return Module({"main": Function(params, T, Let(bindings, result))})  # type: ignore[arg-type]  # steps


def test_names_and_scopes() -> None:
    x, y = Var("x", T), Var("y", T)
    with pytest.raises(SpecError, match="y is read where it is not bound"):
        verify(module((Var("z", T), call("exp", y)), result=x, params=(x,)))
    with pytest.raises(SpecError, match="y is bound twice"):
        verify(module((y, call("exp", x)), (y, call("exp", x)), result=y, params=(x,)))
    with pytest.raises(SpecError, match="no function 'nowhere'"):
        verify(module((y, Call(GlobalRef("nowhere"), (x,))), result=y, params=(x,)))
    with pytest.raises(SpecError, match="2 argument"):
        verify(module((y, call("exp", x, x)), result=y, params=(x,)))


def test_blocks() -> None:
    x, y = Var("x", T), Var("y", T)
    nested = Call(OperatorRef("exp"), (call("tanh", x),))
    verify(module((y, nested), result=y, params=(x,)), anf=False)
    with pytest.raises(SpecError, match="a Call in a Call; expected an atom"):
        verify(module((y, nested), result=y, params=(x,)))
    with pytest.raises(SpecError, match="a block ends in a TupleExpr"):
        verify(Module({"main": Function((x,), None, TupleExpr((x,)))}))


def test_types() -> None:
    x, y = Var("x", T), Var("y", TensorType((3,), "int64"))
    with pytest.raises(SpecError, match="verifier"):
        verify(module((y, call("exp", x)), result=y, params=(x,)))


def _explicit() -> Module:
    made = Module.parse(TEXT)
    for _, run in passes():
        made = run(made)
    verify(made)
    return made


def _without(made: Module, name: str, number: int) -> Module:
    """The module without one of its invocations."""
    body = made.main.body
    assert isinstance(body, Let)
    places = [i for i, (_, v) in enumerate(body.bindings) if isinstance(v, Call) and v.callee == OperatorRef(name)]
    kept = tuple(b for i, b in enumerate(body.bindings) if i != places[number])
    changed = Function(made.main.params, made.main.result, Let(kept, body.body))
    return Module({**made.functions, "main": changed}, made.data)


def test_explicit_memory() -> None:
    made = _explicit()
    with pytest.raises(SpecError, match="before it is written"):
        verify(_without(made, "vm.invoke_mut", 0))
    with pytest.raises(SpecError, match="before it is written"):
        verify(_without(made, "vm.invoke_shape", 0))
    with pytest.raises(SpecError, match="not bound"):
        verify(_without(made, "memory.alloc_tensor", 0))


def test_a_primitive_function_is_a_kernel() -> None:
    x, y, z = Var("x", T), Var("y", T), Var("z", T)
    body = Let(((y, call("softmax", x)), (z, call("softmax", y))), z)
    made = {"main": Function((Var("a", T),), T, Var("a", T)), "two": Function((x,), T, body, (("kind", "primitive"),))}
    made["main"] = Function((a := Var("a", T),), T, a)
    with pytest.raises(SpecError, match="no kernel does what it says"):
        verify(Module(made))
