"""Type inference: sizes that are equal get one name, what contradicts itself is one line, what is unsure a check."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import Inferred, infer
from anytile.compiler.infer.exhaustive import missing
from anytile.compiler.infer.module import call_order
from anytile.compiler.ir.nodes import Construct, ConstructorRef, Let, Pattern, Wildcard
from anytile.compiler.ir.types import (
    MAX_NESTED,
    MAX_PARTS,
    Constructor,
    DataRef,
    DataType,
    FunctionType,
    TensorType,
    TupleType,
    Type,
)
from anytile.compiler.module import Module
from anytile.compiler.operators.spec import Mismatch
from anytile.core.errors import ArgumentError, SpecError

LIST = "data List[a] { Nil, Cons(a, List[a]) }\n"
TREE = "data Tree { Leaf(Tensor[(1, 3), float32]), Node(Tree, Tree) }\n"


def inferred(text: str) -> Inferred:
    return infer(Module.parse(text))


def shapes(text: str) -> dict[str, str]:
    """The types of main's parameters and variables, and of its result, floats by their shapes alone."""
    main = inferred(text).module.main
    found = {v.name: v.type for v in main.params}
    found |= {v.name: v.type for v, _ in main.body.bindings} if isinstance(main.body, Let) else {}
    found["result"] = main.result
    return {name: str(t).replace("Tensor[", "").replace(", float32]", "") for name, t in found.items()}


def body(params: str, *lines: str) -> str:
    *bindings, last = lines
    return f"def main({params}) {{ {' '.join(f'let {line};' for line in bindings)} {last} }}"


def x(shape: str, name: str = "x", dtype: str = "float32") -> str:
    return f"{name}: Tensor[({shape}), {dtype}]"


@pytest.mark.parametrize(
    ("a", "b", "made", "checks"),
    [
        ("?n,", "1,", "(?n,)", 0),  # any with 1 is any
        ("1,", "?n,", "(?n,)", 0),
        ("?n,", "5,", "(5,)", 1),  # any with d is d, if it is d or 1
        ("?n,", "?n,", "(?n,)", 0),
        ("?n,", "?m,", "(?d0,)", 1),  # any with any is any
        ("?,", "?,", "(?d0,)", 1),  # nobody knows whether they are the same
        ("?n,", "0,", "(0,)", 1),
        ("?n, 3", "3,", "(?n, 3)", 0),
        ("4, 1, ?n", "?m, 1", "(4, ?m, ?n)", 0),
    ],
)
def test_broadcasting(a: str, b: str, made: str, checks: int) -> None:
    text = body(f"{x(a, 'a')}, {x(b, 'b')}", "c = add(a, b)", "c")
    assert shapes(text)["c"] == made
    found = inferred(text).checks
    assert len(found) == checks
    assert all(c.operator == "add" and c.condition.kind == "broadcast" for c in found)


def test_equal_sizes_have_one_name() -> None:
    found = shapes(body(x("?n, 3"), "a = concat(x, x)", "b = tanh(a)", "c = concat(x, b)", "d = concat(a, x)", "d"))
    assert found["a"] == found["b"] == "(?d0, 3)"
    assert found["c"] == found["d"] == found["result"] == "(?d1, 3)"
    definitions = inferred(body(x("?n, 3"), "a = concat(x, x)", "a")).definitions["main"]
    assert {name: str(size) for name, size in definitions.items()} == {"d0": "2*n"}


def test_sizes_that_cancel_are_seen() -> None:
    found = shapes(
        body(
            x("?n, 768"),
            "heads = reshape(x, shape=(0, 12, -1))",
            "flat = reshape(heads, shape=(-1, 64))",
            "back = reshape(flat, shape=(-1, 768))",
            "grown = concat(x, x)",
            "cut = slice(grown, start=(0, 1), stop=(-1, 2), axes=(0, 1))",
            "moved = slice(pad(x, after=(1, 0)), start=(1,))",
            "add(back, moved)",
        )
    )
    assert found["heads"] == "(?n, 12, 64)"
    assert found["result"] == "(?n, 768)"
    assert found["cut"].endswith(", 1)")


def test_false_dynamism_is_removed() -> None:
    """A check that always runs and speaks of parameters alone is a fact about them."""
    text = body(f"{x('?n, ?k')}, {x('4, 300', 'w')}, {x('?m, 4', 'y')}", 'h = dense(x, w) @"first"', "concat(h, y)")
    assert shapes(text)["x"] == "(?n, 300)"
    found = inferred(text)
    assert [(r.name, r.became, r.because.where) for r in found.refinements] == [("k", 300, "first")]
    assert not found.checks
    two = shapes(body(f"{x('?n, ?k')}, {x('?m, ?l', 'y')}", "a = concat(x, y)", "b = concat(x, y, axis=1)", "b"))
    assert two["x"] == two["y"] == "(?m, ?l)"
    chain = shapes(body(", ".join(x(f"?{c}", c) for c in "abc"), "p = concat(a, b)", "q = reshape_like(a, b)", "c"))
    assert chain["a"] == chain["b"] == "(?b,)"


def test_a_check_in_a_branch_is_no_fact() -> None:
    text = body(f"{x('?n,')}, {x('4,', 'y')}", "c = if (less(1, 2)) { reshape_like(x, y) } else { y }", "c")
    found = inferred(text)
    assert shapes(text)["x"] == "(?n,)"
    assert [(c.operator, c.conditional, str(c.condition)) for c in found.checks] == [("reshape_like", True, "n == 4")]


def test_a_loop_that_grows_a_tensor() -> None:
    text = """
def grow(i: Tensor[(), int64], xs: Tensor[(?n, 3), float32]) -> Tensor[(?, 3), float32] {
  if (less_equal(i, 0)) { xs } else { grow(subtract(i, 1), concat(xs, xs)) }
}
def main(x: Tensor[(?n, 3), float32]) { let y = grow(3, x); let z = tanh(y); z }
"""
    assert shapes(text) == {"x": "(?n, 3)", "y": "(?any, 3)", "z": "(?any, 3)", "result": "(?any, 3)"}
    promise, other = text.replace("Tensor[(?, 3)", "Tensor[(?n, 3)"), "{ pad(xs, after=(1, 0)) }"
    assert len(inferred(promise).checks) == 1  # 2 * n is n where n is 0
    with pytest.raises(SpecError, match=r"grow: the result: .* a dimension n \+ 1 came where n was expected"):
        inferred(
            promise.replace("{ xs }", other).replace("grow(subtract(i, 1), concat(xs, xs))", "pad(xs, after=(1, 0))")
        )


def test_results_of_calls_speak_of_the_callers_sizes() -> None:
    text = """
def twice(a: Tensor[(?n, ?k), float32]) { concat(a, a) }
def main(x: Tensor[(?m, 3), float32]) { let y = twice(twice(x)); let z = concat(concat(x, x), concat(x, x)); add(y, z) }
"""
    assert shapes(text)["y"] == shapes(text)["z"] == "(?d1, 3)"
    assert not inferred(text).checks


def test_inference_is_at_rest_after_it_ran() -> None:
    text = """
def twice(a: Tensor[(?n, ?k), float32]) { concat(a, a) }
def main(x: Tensor[(?m, 3), float32]) {
  let y = twice(twice(x));
  let k = nonzero(nonzero(y));
  (k, add(concat(x, x), concat(x, x)), reshape_like(k, nonzero(x)))
}
"""
    once = inferred(text)
    again = inferred(str(once.module))
    assert str(again.module) == str(once.module)
    assert [str(c.condition) for c in again.checks] == [str(c.condition) for c in once.checks] == ["found1 == found2"]


def test_sub_shaping() -> None:
    text = """
def f(a: Tensor[(?, 128), float32], b: Tensor[(?n, ?n), float32]) { a }
def main(x: Tensor[(128, 128), float32], y: Tensor[(?p, ?q), float32]) { f(y, x) }
"""
    (refined,) = inferred(text).refinements
    assert (refined.name, refined.became, refined.because.operator) == ("q", 128, "call of f")
    with pytest.raises(SpecError, match=r"main: call of f at top: .* a dimension 5 came where 128 was expected"):
        inferred(text.replace("?p, ?q", "3, 5").replace("f(y, x)", 'f(y, x) @"top"'))
    with pytest.raises(SpecError, match=r"main: call of f: .* a dimension 128 came where 4 was expected"):
        inferred(text.replace("(128, 128)", "(4, 128)"))


def test_what_is_not_certain_is_checked_by_a_step() -> None:
    text = """
def f(a: Tensor[(4, ?k), float32], b: Tensor[(?k,), float32]) { add(a, b) }
def main(c: Tensor[(), bool], x: Tensor[(?n, ?m), float32], b: Tensor[(?p,), float32]) -> Tensor[(4, ?m), float32] {
  if (c) {
    f({ let inner = tanh(x); inner }, b) @"top"
  } else {
    let pair: (Tensor[(4, ?m), float32], Tensor[(?m,), float32]) = (x, b);
    pair.0
  }
}
"""
    found = inferred(text)
    written = str(found.module)
    assert '}, sizes=(4, -1)) @"call of f at top", expect(b, x, sizes=(-3,)) @"call of f at top") @"top"' in written
    assert '(expect(whole.0, sizes=(4, -1)) @"let pair", expect(whole.1, x, sizes=(-3,)) @"let pair")' in written
    assert [c.operator for c in found.checks] == ["call of f", "call of f", "let pair", "let pair"]
    assert {c.operator for c in inferred(written).checks} == {"expect"}
    assert str(inferred(written).module) == written
    args = [np.asarray(False), np.ones((4, 3), np.float32), np.ones(3, np.float32)]
    assert np.asarray(evaluate(found.module, args)).shape == (4, 3)
    for c, rows, p in ((True, 3, 3), (True, 4, 2), (False, 3, 3), (False, 4, 2)):
        with pytest.raises(ArgumentError, match="main: expect at (call of f at top|let pair) of "):
            evaluate(found.module, [np.asarray(c), np.ones((rows, 3), np.float32), np.ones(p, np.float32)])


def test_branches_join() -> None:
    found = shapes(body(f"{x('?n, 3')}, {x('4, 3', 'y')}", "c = if (true) { x } else { y }", "d = (c, x)", "d.1"))
    assert found["c"] == "(?any, 3)"
    assert found["result"] == "(?n, 3)"
    with pytest.raises(
        SpecError, match=r"the branches of an if: Tensor\[\(3,\), float32\] and Tensor\[\(\), .* common"
    ):
        inferred(body(x("3,"), "if (true) { x } else { sum(x) }"))


def test_closures_and_functions_as_values() -> None:
    text = """
def apply(f: fn(Tensor[(?k, 3), float32]) -> Tensor[(?k, 3), float32], x: Tensor[(?n, 3), float32]) { f(x) }
def main(x: Tensor[(?n, 3), float32], b: Tensor[(3,), float32]) {
  let g = fn (a: Tensor[(?m, 3), float32]) { add(a, b) };
  let y = g(concat(x, x));
  let z = apply(g, y);
  let u = apply(fn (a) { tanh(a) }, x);
  (z, u)
}
"""
    found = shapes(text)
    assert found["g"] == "fn((?m, 3)) -> (?m, 3)"
    assert found["result"] == "((?d0, 3), (?n, 3))"
    with pytest.raises(SpecError, match="no check can look there"):
        inferred(text.replace("add(a, b)", "concat(a, a)"))
    with pytest.raises(SpecError, match="main: parameter a: has no type; write one"):
        inferred(body(x("3,"), "f = fn (a) { a }", "f(x)"))


def test_data_types() -> None:
    text = (
        LIST
        + """
def first(xs: List[Tensor[(?, 3), float32]], or: Tensor[(?n, 3), float32]) {
  match (xs) { Cons(x, _) => x, Nil => or }
}
def main(x: Tensor[(?n, 3), float32], y: Tensor[(5, 3), float32]) {
  let one = Cons(x, Nil());
  let two = Cons(y, one);
  let z = first(two, x);
  let w = match (one) { Cons(a, _) => a, Nil => x };
  (z, w)
}
"""
    )
    found = shapes(text)
    assert found["one"] == "List[(?n, 3)]"
    assert found["two"] == "List[(?, 3)]"
    assert re.fullmatch(r"\(\(\?any\d*, 3\), \(\?n, 3\)\)", found["result"])
    with pytest.raises(SpecError, match=r"parameter a of a data type: .* have nothing in common"):
        inferred(text.replace("Cons(y, one)", "Cons(sum(y), one)"))
    with pytest.raises(SpecError, match=r"match of List\[.*: no clause for Nil; add one, or one with _"):
        inferred(text.replace(", Nil => or", ""))


def test_nested_patterns_must_leave_nothing_out() -> None:
    clauses = "(Leaf(_), _) => 0, (_, Leaf(_)) => 1, (Node(Leaf(_), _), _) => 2, (_, Node(_, Node(_, _))) => 3"
    match = f"match ((t, t)) {{ {clauses} }}"
    with pytest.raises(SpecError, match=r"no clause for \(Node\(Node\(_, _\), _\), Node\(_, Leaf\(_\)\)\)"):
        inferred(f"{TREE} def main(t: Tree) {{ {match} }}")
    inferred(f"{TREE} def main(t: Tree) {{ {match.replace(' }', ', _ => 4 }')} }}")


def test_a_name_in_place_of_a_constructor_leaves_the_other_clauses_out() -> None:
    with pytest.raises(SpecError, match="match of Tree: no constructor is called Leav; the clauses behind"):
        inferred(f"{TREE} def main(t: Tree) {{ match (t) {{ Leav => 1, _ => 0 }} }}")
    inferred(f"{TREE} def main(t: Tree) {{ match (t) {{ Leaf(_) => 1, other => 0 }} }}")


def test_recursion_over_a_tree() -> None:
    text = (
        TREE
        + """
def total(t: Tree) -> Tensor[(1, 3), float32] {
  match (t) { Node(l, r) => add(total(l), total(r)), Leaf(x) => x }
}
def main(t: Tree) { total(t) }
"""
    )
    assert inferred(text).module.main.result == TensorType((1, 3))
    with pytest.raises(
        SpecError, match="call of total, which is recursive: write the types of its parameters and result"
    ):
        inferred(text.replace(" -> Tensor[(1, 3), float32]", "", 1))


def test_what_only_data_know_gets_a_name() -> None:
    found = shapes(body(x("?n,", dtype="int64"), "u = unique(x)", "k = nonzero(x)", "v = add(u.0, u.2)", "k"))
    assert found["u"] == "((?found,), int64], (?n,), int64], (?found,), int64])"
    assert found["v"] == "(?found,), int64]"
    assert found["k"] == "(1, ?found1), int64]"


def test_a_written_type_is_held_against_what_comes() -> None:
    found = shapes(body(x("?n, 3"), "y: Tensor[(?twice, 3), float32] = concat(x, x)", "z = concat(x, x)", "z"))
    assert found["y"] == found["z"] == "(?twice, 3)"
    wrong = body(x("?n, 3"), 'y: Tensor[(?n, 3), float32] = pad(x, after=(1, 0)) @"spot"', "y")
    with pytest.raises(SpecError, match=r"main: let y at spot: .* a dimension n \+ 1 came where n was expected"):
        inferred(wrong)
    (check,) = inferred(body(x("?n, 3"), "k = nonzero(x)", "y: Tensor[(2, 5), int64] = k", "y")).checks
    assert str(check.condition) == "found == 5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (body(f"{x('2, 3')}, {x('2, 4', 'y')}", 'add(x, y) @"encoder.0"'),
         "main: add at encoder.0 of (2, 3) and (2, 4): 3 and 4 cannot be broadcast; expected the same, or 1"),
        (body(f"{x('?n, 3')}, {x('5, 4', 'w')}", "dense(x, w)"),
         "main: dense of (?n, 3) and (5, 4): 3 is not 4; expected equal sizes, change one of the shapes"),
        (body(x("?n, 3"), "reshape_like(x, pad(x, after=(1, 0)))"),
         "main: reshape_like of (?n, 3) and (?d0, 3): 3*n is not 3*n + 3"),
        (body(x("3,"), "add(x, y_)").replace("y_", "(x, x)"), "main: add: argument 1 is (Tensor[(3,), float32]"),
        (body(x("3,"), "if (x) { x } else { x }"),
         "main: the condition of an if: Tensor[(3,), float32] came where Tensor[(), bool] was expected"),
        (body(x("3,"), "x.0"), "main: field 0 of Tensor[(3,), float32]: expected a tuple that has it"),
        (body(x("3,"), "f = fn () { x }", "f(x)"), "main: call of f: 1 argument; expected 0"),
        (body(x("3,"), "x(x)"), "main: call: of a value of type Tensor[(3,), float32]; expected a function"),
        (body(x("3,"), "split(x, parts=0)"), "main: split of (3,): parts=0: 0 is less than 1"),
    ],
)  # fmt: skip
def test_a_contradiction_is_one_line(text: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        inferred(text)
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)


def test_a_network_of_many_steps_needs_no_recursion() -> None:
    found = inferred(body(x("?n, 3"), *(f"a{i} = relu({f'a{i - 1}' if i else 'x'})" for i in range(3000)), "a2999"))
    assert str(found.module.main.result) == "Tensor[(?n, 3), float32]"
    assert len(str(found.module).splitlines()) == 3003


def test_expressions_nested_too_deeply_are_refused() -> None:
    from anytile.compiler.ir.nodes import Call, Expr, Function, OperatorRef, Var

    v = Var("x", TensorType((3,)))
    e: Expr = v
    for _ in range(20_000):
        e = Call(OperatorRef("relu"), (e,))
    with pytest.raises(SpecError, match="nested too deeply; bind their parts in a let"):
        infer(Module({"main": Function((v,), None, e)}))
    with pytest.raises(SpecError, match="nested too deeply to print"):
        str(Module({"main": Function((v,), None, e)}))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('clip(x, min=1.5) @"head"', "main: clip at head of (3,): expression 'max(a0, 1.5)': max of int64, float32"),
        ('split(x, at=(2, 1)) @"head"', "main: split at head of (3,): at=(2, 1): expected positions in their order"),
        ('pad(x, value=inf) @"head"', "main: pad at head of (3,): value=inf: is no int64"),
    ],
)
def test_what_a_workload_refuses_is_said_with_its_place(call: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        infer(Module.parse(f"def main(x: Tensor[(3), int64]) {{ {call} }}"))
    assert str(refused.value).startswith(said)


def test_an_unsure_size_inside_data_is_refused_where_another_is_expected() -> None:
    """A check at run time looks at tensors, not into lists."""
    text = (
        LIST
        + """
def f(l: List[Tensor[(3), float32]]) -> Tensor[(), float32] { 1.0 }
def main(x: Tensor[(?n), float32]) { f(Cons(x, Nil())) }"""
    )
    with pytest.raises(SpecError, match="a dimension n came where 3 was expected, and no check can look there"):
        infer(Module.parse(text))
    infer(Module.parse(text.replace("?n", "3")))


F = "Tensor[(2,), float32]"


@pytest.mark.parametrize(
    "text",
    [
        body(f"x: {F}", "a0 = (x, x)", *(f"a{i + 1} = (a{i}, a{i})" for i in range(40)), "x"),
        "data P[a, b] { P(a, b) }\n"
        + body(f"x: {F}", "a0 = P(x, x)", *(f"a{i + 1} = P(a{i}, a{i})" for i in range(40)), "x"),
        body(
            f"x: {F}",
            f"a0 = fn (y: {F}) {{ (y, y) }}",
            *(f"a{i + 1} = fn (y: {F}) {{ (a{i}(y), a{i}(y)) }}" for i in range(40)),
            "x",
        ),
        "data D[a] { D((a, a)) }\n"
        + f"def two(d: D[{F}]) -> D[({F}, {F})] {{ two(d) }}\n"
        + body(f"x: {F}", "a0 = D((x, x))", *(f"a{i + 1} = D((a{i}, a{i}))" for i in range(1100)), "x"),
    ],
    ids=["tuples", "data", "closures", "deep"],
)
def test_types_that_double_are_refused_before_they_are_written_out(text: str) -> None:
    with pytest.raises(
        SpecError, match=r"main: (a type of \d+ parts; expected 1024|types 101 deep in each other; expected)"
    ):
        inferred(text)


def test_types_as_large_as_they_may_be() -> None:
    made = TupleType((TensorType((2,)),) * (MAX_PARTS - 1))
    assert made.parts == MAX_PARTS
    with pytest.raises(SpecError, match="a type of"):
        TupleType((made,))
    deep: Type = TensorType((2,))
    for _ in range(MAX_NESTED):
        deep = TupleType((deep,))
    with pytest.raises(SpecError, match="deep in each other"):
        DataRef("List", (deep,))
    assert FunctionType((TensorType((2,)),), DataRef("Tree")).parts == 3


def test_a_match_of_many_columns_is_checked_at_once() -> None:
    """Rows that fit everything end the search: without that, each column doubles it."""
    count = 40
    xs = ", ".join(f"x{i}" for i in range(count))
    rows = [", ".join("T" if j == i else "_" for j in range(count)) for i in range(count)]
    params = ", ".join(f"x{i}: B" for i in range(count))
    clauses = ", ".join(f"({row}) => z" for row in rows)
    text = f"data B {{ T, F }}\ndef main({params}, z: {F}) -> {F} {{ match (({xs})) {{ {clauses}, _ => z }} }}"
    assert str(inferred(text).module.main.result) == F
    with pytest.raises(SpecError, match=r"no clause for \(F, F, F, .*; add one, or one with _"):
        inferred(text.replace(", _ => z", ""))


def test_a_match_that_nobody_can_check_is_refused() -> None:
    """Eight pigeons in seven holes: two share one, which takes exponential time to see in this way."""
    pigeons, holes = 8, 7
    columns = pigeons * holes
    true, false = (Construct(ConstructorRef("B", name), ()) for name in "TF")
    anything = Wildcard()

    def row(chosen: dict[int, Pattern]) -> tuple[Pattern, ...]:
        return tuple(chosen.get(i, anything) for i in range(columns))

    rows = [row({p * holes + h: false for h in range(holes)}) for p in range(pigeons)]
    rows += [
        row({p * holes + h: true, q * holes + h: true}) for h in range(holes) for p in range(pigeons) for q in range(p)
    ]
    data = {"B": DataType("B", (), (Constructor("T"), Constructor("F")))}
    with pytest.raises(Mismatch, match="more than 100000 cases"):
        missing(rows, [DataRef("B")] * columns, data)
    assert missing([*rows, row({})], [DataRef("B")] * columns, data) is None


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=8, max_size=8))
def test_functions_are_ordered_and_circles_are_found(calls: list[list[int]]) -> None:
    text = "".join(
        f"def f{i}(x: {F}) -> {F} {{ {''.join(f'f{j}(' for j in called)}x{')' * len(called)} }}\n"
        for i, called in enumerate(calls)
    )
    order = list(call_order(Module.parse(text + f"def main(x: {F}) {{ x }}")))
    reached: dict[int, set[int]] = {i: set(called) for i, called in enumerate(calls)}
    for _ in calls:
        reached = {i: own | {k for j in own for k in reached[j]} for i, own in reached.items()}
    assert {name: recursive for name, recursive in order if name != "main"} == {
        f"f{i}": i in reached[i] for i in reached
    }
    place = {name: at for at, (name, _) in enumerate(order)}
    for i, called in enumerate(calls):
        assert all(place[f"f{j}"] < place[f"f{i}"] for j in called if i not in reached[j])
