"""Elementwise expressions: one canonical text, the same meaning after writing, nothing read that is not arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import SpecError
from anytile.schedules.index.expr import var
from anytile.schedules.nest.elementwise_text import (
    DEEPEST,
    LONGEST,
    PART,
    depth,
    evaluate,
    operands,
    operations,
    parse,
    parts_read,
    without_parts,
    write,
)
from anytile.schedules.nest.nodes import Literal, Load, Op, Value

LEAVES = st.one_of(
    st.floats(-8, 8, width=32).map(Literal),
    st.sampled_from((Load("y", ()), Load("s", ()), Load("bias", (var("n"),)), Load("r", (var("m"), var("n"))))),
)


def _grow(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    unary = st.sampled_from(("neg", "abs", "exp", "tanh", "sigmoid", "gelu"))
    binary = st.sampled_from(("add", "sub", "mul", "max", "min"))
    compared = st.sampled_from(("lt", "le", "gt", "ge", "eq", "ne"))
    return st.one_of(
        st.builds(lambda o, a: Op(o, (a,)), unary, inner),
        st.builds(lambda o, a, b: Op(o, (a, b)), binary, inner, inner),
        st.builds(lambda o, a, b, c, d: Op("select", (Op(o, (a, b)), c, d)), compared, inner, inner, inner, inner),
    )


VALUES = st.recursive(LEAVES, _grow, max_leaves=12)


@pytest.mark.sampled(0)
@given(VALUES)
def test_writing_and_parsing_are_inverses(value: Value) -> None:
    text = write(value)
    if len(text) <= LONGEST:
        assert write(parse(text)) == text
        rng = np.random.default_rng(0)
        read = {n: rng.standard_normal((3, 4)) for n in ("y", "s", "bias", "r")}
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(evaluate(parse(text), read), evaluate(value, read))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("gelu( y+bias[n] )", "gelu(y + bias[n])"),
        ("relu(y)", "max(y, 0)"),
        ("clip(y, 0, 6)", "min(max(y, 0), 6)"),
        ("y - (a - b)", "y - (a - b)"),
        ("(y * a) * b + r[m,n]", "y * a * b + r[m, n]"),
        ("where(y > 0, y, 0.1*y)", "select(y > 0, y, 0.1 * y)"),
        ("-y", "neg(y)"),
        ("max(y, -inf)", "max(y, -inf)"),
        ("h[ m,0,n ]*h[m,1, n]", "h[m, 0, n] * h[m, 1, n]"),
    ],
)
def test_every_spelling_has_one_canonical_text(text: str, canonical: str) -> None:
    assert write(parse(text)) == canonical
    assert write(parse(canonical)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gelu(y", "cannot be read; expected one like gelu"),
        ("__import__('os')", "unknown function '__import__'; expected one of"),
        ("y.real", "'y.real' is not arithmetic on elements"),
        ("[y for y in x]", "is not arithmetic on elements"),
        ("gelu(y, y)", "gelu takes 1 argument"),
        ("y if y else s", "is not arithmetic on elements"),
        ("bias[0]", "is not arithmetic on elements"),
        ("h[0, 1, n]", "is not arithmetic on elements"),
        ("h[-1, n]", "is not arithmetic on elements"),
        ("h[True, n]", "is not arithmetic on elements"),
        ("h[0.5, n]", "is not arithmetic on elements"),
        (f"h[{PART}, n]", "is not arithmetic on elements"),
        ("'text'", "is not arithmetic on elements"),
        ("True", "is not arithmetic on elements"),
        ("a < b < c", "is not arithmetic on elements"),
        ("y" + " + y" * LONGEST, "expected at most"),
        ("(" * 500 + "y" + ")" * 500, "cannot be read"),
        ("y + " + "1" * 400, "cannot be read"),
        (f"y + {2**53 + 1}", f"no float is {2**53 + 1}; make it an operand"),
        ("y + \u00e9[n]", "cannot be read"),
        ("-" * (DEEPEST + 1) + "y", f"operations more than {DEEPEST} deep in each other"),
        ("y" + "+y" * (DEEPEST + 1), f"operations more than {DEEPEST} deep in each other"),
        ("-" * 600 + "y", "expression"),
    ],
)
def test_what_is_not_an_expression_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse(text)


def test_operands_are_listed_in_the_order_of_their_first_appearance() -> None:
    text = "gelu(y + bias[n]) * s + r[m, n] + bias[n]"
    assert operands(parse(text), text) == {"y": (), "bias": ("n",), "s": (), "r": ("m", "n")}
    with pytest.raises(SpecError, match="r is read in two ways"):
        operands(parse("r[m] + r[n]"), "r[m] + r[n]")


def test_parts_are_read_one_by_one() -> None:
    text = "h[m, 1, n] * sigmoid(h[m, 0, n]) + b[2, n]"
    value = parse(text)
    assert operands(value, text) == {"h": ("m", PART, "n"), "b": (PART, "n")}
    apart, parts = without_parts(value)
    assert write(apart) == "h.1[m, n] * sigmoid(h.0[m, n]) + b.2[n]"
    assert parts == {"h.1": ("h", 1, 1), "h.0": ("h", 1, 0), "b.2": ("b", 0, 2)}
    parts_read(value, text, 3)
    with pytest.raises(SpecError, match=r"b\[2, n\] is read where operands have 2 parts"):
        parts_read(value, text, 2)
    with pytest.raises(SpecError, match="h is read in two ways"):
        operands(parse("h[m, 0, n] + h[0, m, n]"), text)


def test_the_deepest_expression_is_read_again() -> None:
    deepest = parse("-" * (DEEPEST - 1) + "y")
    assert depth(deepest) == operations(deepest) == DEEPEST - 1
    assert parse(write(deepest)) == deepest
    assert operations(parse("float32(a) + gelu(b) * 2")) == 4
    assert depth(parse("float32(a) + gelu(b) * 2")) == 3
