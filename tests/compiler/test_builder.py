"""The builder: what it builds is what the text says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from anytile.compiler.builder import Block, ModuleBuilder, Node
from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import infer
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.module import Module
from anytile.core.errors import SpecError


def test_a_layer() -> None:
    w, bias = np.ones((4, 3), np.float32), np.arange(4, dtype=np.float32)
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?n, 3), float32]") as (f, x):
        with f.at("encoder"), f.at("0"):
            h = f.gelu(f.dense(x, f.constant(w, "w")) + bias)
        f.result(f.softmax(h * 2.0, axis=-1, where="head"))
    text = """
const $w: Tensor[(4, 3), float32];
const $b: Tensor[(4,), float32] = [0.0, 1.0, 2.0, 3.0];
def main(x: Tensor[(?n, 3), float32]) {
  let a = dense(x, $w) @"encoder.0";
  let b = add(a, $b) @"encoder.0";
  let c = gelu(b) @"encoder.0";
  let d = multiply(c, 2.0);
  let e = softmax(d, axis=-1) @"head";
  e
}"""
    assert alpha_equal(m.build(), Module.parse(text, {"w": w}))


def test_control_flow() -> None:
    m = ModuleBuilder()
    m.data("Tree", Leaf=["Tensor[(2,), float32]"], Node=["Tree", "Tree"])
    with m.function("depth", result="Tensor[(), int64]", t="Tree") as (f, t):

        def deeper(b: Block, left: Node, right: Node) -> Node:
            both = [b.call_global("depth", side) for side in (left, right)]
            return 1 + b.if_(both[0] > both[1], lambda _: both[0], lambda _: both[1])

        f.result(f.match(t, {"Node": deeper, "_": lambda b: 0}))
    with m.function("main", x="Tensor[(2,), float32]") as (f, x):
        twice = f.closure(lambda b, a: -(a - 0.5) * a / 2.0, "Tensor[(?k,), float32]")
        leaf = f.construct("Leaf", twice(x))
        tree = f.construct("Node", leaf, f.construct("Node", leaf, leaf))
        pair = f.tuple(f.call_global("depth", tree), 1.0 + x)
        depth, more = f.unpack(pair, 2)
        f.result(f.tuple(depth, f.let("named", more, "Tensor[(2,), float32]"), f.global_function("depth")(leaf)))
    module = infer(m.build()).module
    found = evaluate(module, {"x": np.ones(2, np.float32)})
    assert isinstance(found, tuple)
    assert (found[0], found[2]) == (2, 0)
    assert "let named: Tensor[(2,), float32]" in str(module)
    assert alpha_equal(Module.parse(str(module)), module)


def test_mistakes_are_said_while_building() -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(2,), float32]") as (f, x):
        with pytest.raises(SpecError, match="unknown operator 'soft_max'; expected one of"):
            f.soft_max(x)
        with pytest.raises(SpecError, match="no constructor 'Leaf'; expected one of none"):
            f.construct("Leaf", x)
        with pytest.raises(TypeError, match="write f.unpack"):
            _a, _b = f.split(x)
        with pytest.raises(TypeError, match="write f.if_"):
            bool(x < 1.0)
        f.result(np.float32(1) * x)
    assert str(infer(m.build()).module.main.result) == "Tensor[(2,), float32]"
    with pytest.raises(SpecError, match="a function without a result; call f.result"), m.function("other") as (f,):
        pass


@pytest.mark.parametrize("name", ["known", "Leaf", "let", "layer 1", "1st", "", "a..b"])
def test_a_name_that_the_text_form_would_mix_up_is_refused(name: str) -> None:
    m = ModuleBuilder()
    m.data("Tree", Leaf=["Tensor[(2,), float32]"])
    with m.function("known", x="Tensor[(2,), float32]") as (f, x):
        f.result(f.gelu(x))
    said = "is called so already; choose another name|expected a name of letters"
    with pytest.raises(SpecError, match=f"^function '{re.escape(name)}': .*({said})"), m.function(name):
        pass
    with pytest.raises(SpecError, match=f"^constructor '{re.escape(name)}': .*({said})"):
        m.data("Other", **{name: []})
    assert list(m.types) == ["Tree"]
    assert list(m.functions) == ["known"]


def test_functions_constructors_and_inputs_may_be_called_like_operators() -> None:
    """And are not taken for them, nor they for these, once the module was text."""
    m = ModuleBuilder()
    m.data("Step", add=["Tensor[(2,), float32]"])
    with m.function("gelu", x="Tensor[(2,), float32]") as (f, x):
        f.result(f.tanh(f.gelu(x)))
    with m.function("main", max="Tensor[(2,), float32]") as (f, x):
        made = f.construct("add", f.call_global("gelu", f.maximum(x, f.max(x) + 1.0)))
        f.result(f.match(made, {"add": lambda f, inside: f.gelu(inside) + f.erf(x)}))
    again = Module.parse(str(m.build()))
    assert alpha_equal(again, m.build())
    assert [v.name for v in again.main.params] == ["max"]


@pytest.mark.parametrize("name", ["Tree", "Tensor", "Storage", "my data", "a.b"])
def test_a_data_type_has_a_name_of_its_own(name: str) -> None:
    m = ModuleBuilder()
    m.data("Tree", Leaf=["Tensor[(2,), float32]"])
    with pytest.raises(SpecError, match=f"^data type '{re.escape(name)}': "):
        m.data(name, Other=[])
    assert list(m.types) == ["Tree"]


def test_division_by_a_value_and_a_place_after_a_mistake() -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(2,), float32]") as (f, x):
        with pytest.raises(SpecError), f.at("lost"):
            f.call("no such operator", x)
        half = 1.0 / x
        f.result(np.ones(2, np.float32) / half)
    module = m.build()
    np.testing.assert_array_equal(evaluate(infer(module).module, [np.float32([2, 4])]), [2, 4])
    assert "lost" not in str(module)


def test_equality_is_of_elements() -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(?n,), int64]") as (f, x):
        f.result(f.tuple(x == 2, x != 2, x == x))
    same, other, itself = evaluate(m.build(), (np.array([1, 2, 3]),))  # type: ignore[misc]  # a tuple
    assert (list(same), list(other), list(itself)) == ([False, True, False], [True, False, True], [True] * 3)


@pytest.mark.parametrize("value", [np.ones(3, complex), np.ones(3, np.longdouble), "a text", None])
def test_a_constant_of_no_dtype_of_a_model_is_refused_where_it_is_made(value: object) -> None:
    m = ModuleBuilder()
    with m.function("main", x="Tensor[(3,), float32]") as (f, x):
        with (
            pytest.raises(SpecError, match=r"a constant at layer0 of .*: expected one of float32, .*astype"),
            f.at("layer0"),
        ):
            f.add(x, value)
        if isinstance(value, np.ndarray):
            with pytest.raises(SpecError, match="a constant of (complex|long|float)"):
                f.constant(value, "w")
        f.result(x)
