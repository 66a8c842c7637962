"""Tuples that a function only takes apart are not made; whoever needs the whole of one gets it."""

from __future__ import annotations

import pytest

from anytile.compiler.ir.nodes import Let
from anytile.compiler.lowering.split_tuples import Uses
from anytile.compiler.module import Module
from anytile.vm.program import isa
from tests.support.cases.compiled_modules import Compiled, check, compile_text, node, random

DATA = "data Words { Nil, Cons(Tensor[(1, 8), float32], Words) }\n"
PAIR = "(Tensor[(1, 8), float32], Tensor[(1, 8), float32])"
X = "Tensor[(1, 8), float32]"
HEAD = f"{DATA}def main(words: Words, x: {X})"


def made_in(made: Compiled, name: str = "main") -> int:
    """How many values of data types one function has instructions for."""
    (function,) = (f for f in made.exe.functions if f.name == name)
    return sum(isinstance(i, isa.AllocADT) for i in function.code)


def both(made: Compiled) -> None:
    """With words and without."""
    empty = node("Words", "Nil")
    for words in (empty, node("Words", "Cons", random(1, 1, 8), empty)):
        check(made, words, random(2, 1, 8))


def test_what_branches_give_is_taken_apart() -> None:
    made = compile_text(f"""{HEAD} -> {X} {{
  let t = match (words) {{ Nil => ((x, relu(x)), exp(x)), Cons(w, rest) => ((w, add(w, x)), w) }};
  let inner = t.0;
  multiply(add(inner.0, inner.1), t.1)
}}""")
    assert made_in(made) == 0
    both(made)


def test_a_branch_in_a_branch_leaves_its_fields_in_the_same_places() -> None:
    made = compile_text(f"""{HEAD} -> {X} {{
  let t = match (words) {{
    Nil => (x, exp(x)),
    Cons(w, rest) => if (less(sum(x, axis=(0, 1)), 0.0)) {{ (w, x) }} else {{ let s = add(w, x); (s, s) }}
  }};
  subtract(t.0, t.1)
}}""")
    assert made_in(made) == 0
    both(made)


def test_a_tuple_that_somebody_made_is_taken_apart_at_the_end_of_a_branch() -> None:
    made = compile_text(f"""{HEAD} -> {X} {{
  let t = match (words) {{ Nil => ((x, x), exp(x)), Cons(w, rest) => made(w, rest) }};
  add(add(t.0.0, t.0.1), t.1)
}}
def made(w: {X}, words: Words) -> ({PAIR}, {X}) {{
  match (words) {{ Nil => ((relu(w), w), w), Cons(v, rest) => made(add(v, w), rest) }}
}}""")
    assert made_in(made) == 0
    assert made_in(made, "made") == 2
    both(made)


def test_the_whole_is_made_where_it_is_needed() -> None:
    """Its parts are read before and after, and one branch alone needs it."""
    made = compile_text(f"""{HEAD} -> ({X}, {PAIR}) {{
  let t = (exp(x), relu(x));
  let a = add(t.0, t.1);
  let all = match (words) {{ Nil => t, Cons(w, rest) => (w, a) }};
  (add(a, t.1), all)
}}""")
    assert made_in(made) == 3
    both(made)


def test_a_closure_keeps_the_whole() -> None:
    made = compile_text(f"""{HEAD} -> {X} {{
  let t = match (words) {{ Nil => (x, exp(x)), Cons(w, rest) => (w, x) }};
  let f = if (less(sum(x, axis=(0, 1)), 0.0)) {{ fn (y: {X}) -> {X} {{ add(y, t.0) }} }}
          else {{ fn (y: {X}) -> {X} {{ add(y, t.1) }} }};
  f(t.0)
}}""")
    assert made_in(made) == 2
    both(made)


@pytest.mark.parametrize("whole", [False, True])
def test_uses(whole: bool) -> None:
    text = f"def main(p: ({PAIR}, {X})) -> {X} {{ let q = p.0; let b = q.1; let c = p.1; %s }}"
    module = Module.parse(text % ("let d = (q, c); let e = d.0; e.0" if whole else "add(b, c)"))
    main = module.functions["main"]
    assert isinstance(main.body, Let)
    assert Uses(main.body).split(main.params[0]) == ((None if whole else (None, None)), None)
    assert Uses(main.body).split(main.body.bindings[1][0]) is None
