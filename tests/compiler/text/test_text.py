"""The text form: what is written is read back, and what cannot be read is refused in one line with its place."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from anytile.compiler.builder import ModuleBuilder
from anytile.compiler.compile import compile_module
from anytile.compiler.ir.equality import alpha_equal
from anytile.compiler.ir.nodes import Call, Constant, Function, Let, OperatorRef, TupleExpr, TupleGet, Var, scalar
from anytile.compiler.module import Module
from anytile.compiler.text.file import read_module, write_module
from anytile.compiler.text.parser import parse_type
from anytile.compiler.text.printer import INLINE, stored
from anytile.core.dtypes import STORED_FLOATS
from anytile.core.errors import ResourceError, SpecError
from anytile.schedules.nest.stored_floats import as_tensor
from tests.support.generators.random_module_texts import sentences

EVERYTHING = """
# every form there is
data Tree { Leaf(Tensor[(1, 300), float32]), Node(Tree, Tree) }
data List[a] { Nil, Cons(a, List[a]) }
const $layer.0.w: Tensor[(2, 2), float32] = [1.0, -2.5, inf, nan];
const $flags: Tensor[(3,), bool] = [true, false, true];
const $none: Tensor[(0, 3), int32] = [];
def [kind="primitive", cost=3, ratio=-1e-05, axes=(1, (2,), ())]
  small(a: Tensor[(?n, ?), float32]) -> Tensor[(?n, ?), float32] {
  let b = gelu(a) @"encoder.\\"0\\"";
  multiply(b, 2.5)
}
def main(t: Tree, x: Tensor[(), int64], f: fn(Tensor[(?,), bool]) -> (Tree,)) {
  let (unused): Tensor[(), int32] = 3i32;
  let pair: (Tensor[(), int64], ()) = (add(x, -1), ());
  let w = ($layer.0.w, $flags, $none, -inf, nan, true, 1e-10);
  let g = fn [inline=true] (a: List[Tensor[(3,), float32]], b) { (a, b).0 };
  let c = if (less(pair.0, 3)) { small } else { let inner = small; inner };
  let m = match ((t, pair)) {
    (Node(l: Tree, Leaf(_)), (n, _)) => { let one = n; one },
    (_, (_, ())) => clip(x, min=0.0, max=inf),
  };
  let z = fn () { 1 }();
  let y = (w, (pair,)).1.0.0;
  (Leaf(w.0), Nil(), g, c, m, z, y)
}
""".replace("let (unused)", "let unused")


def test_everything_is_written_as_it_was_read() -> None:
    module = Module.parse(EVERYTHING)
    text = str(module)
    again = Module.parse(text)
    assert alpha_equal(module, again)
    assert str(again) == text
    assert str(Module.parse(text.replace("\n", " "))) == text


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(sentences())
def test_every_form_is_read_as_it_was_written(module: Module) -> None:
    """Whatever nodes, types, patterns, numbers and names are inside each other."""
    text = str(module)
    again = Module.parse(text, stored(module))
    assert alpha_equal(again, module)
    assert str(again) == text


def test_the_text_is_meant_to_be_read(golden) -> None:  # type: ignore[no-untyped-def]
    golden("everything.txt", str(Module.parse(EVERYTHING)))


@pytest.mark.parametrize(
    "text",
    ["Tensor[(), bool]", "Tensor[(1, 10, ?n), float32]", "Tensor[(?,), int64]", "()", "(Tensor[(), bool],)", "Storage",
     "fn(Tree, Tree) -> fn() -> ()", "List[List[(Tree, _)]]"],
)  # fmt: skip
def test_types_are_written_as_they_were_read(text: str) -> None:
    assert str(parse_type(text)) == text


def test_names_that_clash_are_told_apart() -> None:
    a, b, c = Var("add"), Var("add"), Var("layer.0/weight")
    body = Let(((b, Call(OperatorRef("add"), (a, a))), (c, TupleExpr((a, b)))), TupleGet(c, 1))
    module = Module({"main": Function((a,), None, body)})
    text = str(module)
    assert "let add_1 = operator.add(add, add);" in text
    assert "let layer_0_weight = (add, add_1);" in text
    assert alpha_equal(Module.parse(text), module)


@pytest.mark.parametrize("name", ["data", "const", "def", "x", "Tensor", "i32", "tanh"])
def test_inputs_keep_their_names(name: str) -> None:
    """By which a session is given them, whether the model came from Python or from its text."""
    m = ModuleBuilder()
    with m.function("main", **{name: "Tensor[(2,), float32]"}) as (f, x):
        f.result(f.tanh(x))
    again = Module.parse(str(m.build()))
    assert [v.name for v in again.main.params] == [name]
    assert str(again) == str(m.build())


def test_constants_small_and_large() -> None:
    rng = np.random.default_rng(0)
    small, large = rng.random(INLINE, np.float32), rng.random((3, INLINE), np.float32)
    fields = (Constant(small, "b"), Constant(large, "w"), Constant(large, "w"), Constant(small + 1, "b"), scalar(0.1))
    module = Module({"main": Function((), None, TupleExpr(fields))})
    text = str(module)
    assert "const $w: Tensor[(3, 8), float32];" in text
    assert "($b, $w, $w, $b_1, 0.1)" in text
    assert list(stored(module)) == ["w"]
    assert alpha_equal(Module.parse(text, stored(module)), module)
    with pytest.raises(SpecError, match=r"line 2: constant \$w has no elements; give them here, as = \[1.0, 2.0\], or"):
        Module.parse(text)
    with pytest.raises(SpecError, match=r"constant \$w: 2 elements of float64; expected Tensor\[\(3, 8\), float32\]"):
        Module.parse(text, {"w": np.ones(2)})


def test_equality_sees_differences() -> None:
    module = Module.parse(EVERYTHING)
    for old, new in (
        ("add(x, -1)", "add(-1, x)"), ("add(x, -1)", "add(x, -1i32)"), ('"encoder.', '"decoder.'),
        ("max=inf", "max=1.0"),
        ("Node(l: Tree, Leaf(_))", "Node(Leaf(_), l: Tree)"), ("1.0, -2.5", "1.0, 2.5"), (".1.0.0", ".0.1"),
        ("=> { let one = n; one }", "=> x"), ("cost=3", "cost=4"), ("?n, ?), float32] {", "?m, ?), float32] {"),
    ):  # fmt: skip
        assert old in EVERYTHING
        assert not alpha_equal(module, Module.parse(EVERYTHING.replace(old, new)))
    assert alpha_equal(module, Module.parse(EVERYTHING.replace("inner", "other").replace("$flags", "$banners")))
    free, other = Var("v"), Var("v")
    assert alpha_equal(free, free)
    assert not alpha_equal(free, other)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def main() { x }", "line 1: x is no variable here, no function, constructor or operator"),
        ("def main() {\n  let a = 1\n}", "line 3: expected ';', got '}'"),
        ("def main() { 1", "line 1: function main does not end; expected '}'"),
        ("def main(x: Tree) { x }", "line 1: no data type Tree of 0 parameters"),
        ("data T { A(List[T]) }", "line 1: no data type List of 1 parameter; expected T"),
        ("data T { A, A }", "line 1: data type T: expected names that are not taken yet"),
        ("def main(x: Tensor[(3), float8]) { x }", "line 1: Tensor of 'float8': expected one of float32, int32"),
        ("def main(x: Tensor[(-3), int32]) { x }", "line 1: expected a dimension like 3, ?n or ?, got '-3'"),
        ("def main() { gelu }", "line 1: gelu is not a value; call it, as gelu(...)"),
        ("data T { A, B(T) } def main() { A }", "line 1: A is not a value; call it, as A()"),
        ("def main(x: Tree, x: Tree) { x }", "line 1: parameters x, x: expected each name once"),
        ("def main() { fn (a, b, a) { a } }", "line 1: parameters a, b, a: expected each name once"),
        ("def main() { $w }", "line 1: constant $w is not declared; expected const $w: ... above"),
        ("def main() { softmax(1.0, axis=x) }", "line 1: expected a number, a text, true, false or a tuple of them"),
        ("def main() { 1 } def main() { 2 }", "line 1: function main is there already"),
        ("def main() { match (1) { Leaf(x) => 1 } }", "line 1: expected a constructor or a new variable, got 'Leaf'"),
        ("def main() { " + "(" * 100 + "1" + ",)" * 100 + " }", "line 1: expressions more than 60 deep in each other"),
        ("def main() { 1 } ~", "line 1: '~' is no word of the model language"),
        ("func main() { 1 }", "line 1: expected data, const or def, got 'func'"),
        ("const $w: Tensor[(2,), float32] = [1.0];", "line 1: constant $w: 1 element of float32"),
        ("def main() { 99999999999999999999 }", "line 1: 99999999999999999999 is no int64"),
        ("def main() { 3000000000i32 }", "line 1: 3000000000 is no int32"),
        ("def main() { 1.5i32 }", "line 1: expected a whole number, got '1.5i32'"),
        ("def main() { " + "9" * 5000 + "i32 }", "line 1: a number of 5000 digits"),
        ("def main(x: Tensor[(" + "9" * 5000 + "), int32]) { x }", "line 1: a number of 5000 digits"),
        ("def main(x: Tensor[(), int32]) { x." + "9" * 5000 + " }", "line 1: a number of 5000 digits"),
        ("data T { A(" + "(" * 5000, "line 1: types more than 60 deep in each other"),
        ("def main() { match (1) { " + "(" * 5000 + " } }", "line 1: patterns more than 60 deep in each other"),
        ("def main() { gelu(1.0, a=" + "(" * 5000 + " }", "line 1: values more than 60 deep in each other"),
        ("def main() { softmax(1.0, axis=0, axis=1) }", "line 1: an attribute is given twice"),
        ("const $w: Tensor[(1), int64] = [1.5];", "line 1: constant $w: a number that is no int64"),
        ("const $w: Tensor[(1), int64] = [nan];", "line 1: constant $w: a number that is no int64"),
        ("const $w: Tensor[(1), bool] = [2];", "line 1: constant $w: a number that is no bool"),
        ("const $w: Tensor[(1073741824, 1073741824, 1073741824), bool] = [];", "line 1: constant $w: 0 elements"),
        ("const $w: Tensor[(), bool] = [1]; const $w: Tensor[(), bool] = [0];", "line 1: constant $w is there already"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        Module.parse(text)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_an_array_beside_a_text_has_the_shape_that_the_text_says() -> None:
    """As many elements are not enough: a weight turned over would be read as another one."""
    text, w = "const $w: Tensor[(2, 3), float32]; def main() { $w }", np.arange(6, dtype=np.float32)
    assert isinstance(Module.parse(text, {"w": w.reshape(2, 3)}).main.body, Constant)
    for wrong in (w.reshape(3, 2), w):
        with pytest.raises(SpecError, match=r"constant \$w: an array of the shape .*; expected Tensor\[\(2, 3\)"):
            Module.parse(text, {"w": wrong})


@pytest.mark.slow
def test_a_mutated_text_is_read_or_refused() -> None:
    """Nothing but a SpecError, whatever is in a file."""
    text, rng = str(Module.parse(EVERYTHING)), random.Random(0)
    pieces = [
        *'(){}[],;:=.@?$"-',
        "let",
        "fn",
        "match",
        "9" * 30,
        "i32",
        "e999",
        "\\",
        "\0",
        "nan",
        "()",
        "Nil",
        "x",
        " ",
    ]
    read = 0
    for _ in range(800):
        at = rng.randrange(len(text))
        mutant = text[:at] + rng.choice(pieces) + text[at + rng.randrange(4) :]
        with contextlib.suppress(SpecError):
            Module.parse(mutant)
            read += 1
    assert 0 < read < 500


def test_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    module = Module({"main": Function((), None, Constant(rng.random((20, 3), np.float32), "w"))})
    module.save(tmp_path / "model.txt")
    assert alpha_equal(read_module(tmp_path / "model.txt"), module)
    np.save(tmp_path / "one.npy", np.ones(3))
    for nothing in (b"PK no archive", b"PK\3\4 no archive", b"\x80\4K*.", b"", (tmp_path / "one.npy").read_bytes()):
        (tmp_path / "model.npz").write_bytes(nothing)
        with pytest.raises(SpecError, match="^[^:]*model.npz: the model's arrays cannot be read: no file that"):
            read_module(tmp_path / "model.txt")
    (tmp_path / "model.npz").unlink()
    with pytest.raises(SpecError, match=r"model.txt: line 1: constant \$w has no elements; .* beside it in .npz"):
        read_module(tmp_path / "model.txt")


def test_files_that_are_no_modules(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="absent.txt: the model cannot be read: No such file or directory$"):
        read_module(tmp_path / "absent.txt")
    (tmp_path / "model.bin").write_bytes(b"\xff")
    with pytest.raises(SpecError, match="no text; expected the text form of a module"):
        read_module(tmp_path / "model.bin")
    compile_module(Module.parse("def main(x: Tensor[(2,), float32]) { x }")).save(tmp_path / "model.exe")
    with pytest.raises(SpecError, match="it is an executable already; `.* run .*model.exe` runs it"):
        read_module(tmp_path / "model.exe")


def test_where_no_module_can_be_saved(tmp_path: Path) -> None:
    module = Module({"main": Function((), None, Constant(np.ones((20, 3), np.float32), "w"))})
    with pytest.raises(ResourceError, match="module's arrays cannot be saved: No such file or directory"):
        module.save(tmp_path / "absent" / "model.txt")
    with pytest.raises(SpecError, match="give its text another ending"):
        module.save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["file", "allow_pickle", "arr_0", "a/../b", "\u00e9"])
def test_a_constant_may_have_any_name_in_files(name: str, tmp_path: Path) -> None:
    module = Module({"main": Function((), None, Constant(np.ones((20, 3), np.float32), name))})
    write_module(module, tmp_path / "model.txt")
    assert alpha_equal(read_module(tmp_path / "model.txt"), module)


@pytest.mark.parametrize("dtype", [d for d in STORED_FLOATS if d != "float16"])
def test_a_file_has_arrays_that_numpy_has_no_dtype_of(dtype: str, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    w = as_tensor(np.random.default_rng(0).standard_normal((48, 16)).astype(np.float32), dtype)
    module = Module({"main": Function((), None, Constant(w, "w"))})
    write_module(module, tmp_path / "model.txt")
    assert alpha_equal(read_module(tmp_path / "model.txt"), module)
