"""Shape programs: their text, their arithmetic, their checks, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import ArgumentError, SpecError
from anytile.schedules.index.expr import Expr, const, maximum, minimum
from anytile.vm.program.executable import KernelEntry
from anytile.vm.program.shape_programs import Check, ShapeProgram, argument, broadcast, parse, program
from anytile.vm.program.verify import verify
from tests.support.cases.vm_executables import executable, tensor
from tests.support.processor_time import cpu_time

_leaves = st.one_of(
    st.integers(-5, 50).map(const), st.tuples(st.integers(0, 2), st.integers(0, 3)).map(lambda p: argument(*p))
)


def _grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]),
        pair.map(lambda p: p[0] * p[1]),
        pair.map(lambda p: minimum(*p)),
        pair.map(lambda p: maximum(*p)),
        st.tuples(inner, st.integers(1, 9)).map(lambda p: p[0] // p[1]),
        st.tuples(inner, st.integers(1, 9)).map(lambda p: p[0] % p[1]),
    )


@pytest.mark.sampled(0)
@given(st.recursive(_leaves, _grow, max_leaves=8))
def test_expressions_read_back(e: Expr) -> None:
    assert parse(str(e)) == e


def test_programs_read_back() -> None:
    m, n = argument(0, 0), argument(1, 1)
    check = Check(m, "broadcast", n, "add in layer 3", ((m, const(4)), (), (n,)))
    made = program((2, None), [(m * n, 768), ()], [check])
    assert ShapeProgram.parse(made.text()) == made


@given(st.integers(0, 9), st.integers(0, 9))
def test_broadcast_is_numpys(a: int, b: int) -> None:
    e = broadcast(argument(0, 0), argument(1, 0))
    if a == b or 1 in (a, b):
        wanted = a if b == 1 else b
        assert e.evaluate({"a0_0": a, "a1_0": b}) == wanted


def test_a_failed_check_says_where() -> None:
    made = program((1, 1), [], [Check(argument(0, 0), "==", argument(1, 0), "dense at encoder.3")])
    with pytest.raises(ArgumentError, match=r"dense at encoder\.3: expected equal sizes, got 3 and 4"):
        made.evaluate(lambda a, _: 3 + a)
    assert made.evaluate(lambda a, _: 3) == []


def test_a_failed_check_says_what_the_shapes_are() -> None:
    m, n = argument(0, 0), argument(1, 1)
    made = program((1, 2), [], [Check(m, "broadcast", n, "add at x", ((m, 2 * n), (), (n,)))])
    with pytest.raises(
        ArgumentError, match=r"add at x: .* got 3 and 4 of the shapes \(3, 8\) and \(\) and \(4,\); pass"
    ):
        made.evaluate(lambda a, _: 3 + a)


@pytest.mark.parametrize(
    "text",
    [
        *("x", "a0", "a0_0.real", "a0_0 / 2", "a0_0 // a0_1", "a0_0 // 0", "f(1, 2)", "max(1)", "1 +", "'a'", "1.5"),
        *("True", "(" * 300 + "1" + ")" * 300, "-" * 5000 + "1"),
    ],
)
def test_what_the_parser_refuses(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


_SUM = "+".join(f"a0_{i}" for i in range(20))


@pytest.mark.parametrize(
    "text",
    [
        "*".join(f"({_SUM})" for _ in range(20)),
        "*".join(f"(min(a0_0, {_SUM}) + a1_{i})" for i in range(40)),
        "9" * 4000,
        "0x" + "f" * 4000,
        "*".join(["9999999999"] * 100),
        "a" + "1" * 5000 + "_0",
        "a0_" + "1" * 5000,
    ],
)
def test_what_would_grow_without_end_is_refused_at_once(text: str) -> None:
    with pytest.raises(SpecError) as caught, cpu_time() as took:
        parse(text)
    assert took.seconds < 2
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_sum_of_many_terms_is_read() -> None:
    parts = [argument(0, i) * argument(1, i) for i in range(150)]
    whole = sum(parts, const(3))
    assert parse(str(whole)) == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"reads": [1]}',
        '{"reads": [1], "results": [["a1_0"]], "checks": []}',
        '{"reads": [1], "results": [["a0_3"]], "checks": []}',
        '{"reads": [-1], "results": [], "checks": []}',
        '{"reads": [], "results": [], "checks": [["1", "~", "2", "", []]]}',
        '{"reads": [], "results": [], "checks": [["1", "==", "2", ""]]}',
        '{"reads": [1], "results": [], "checks": [["1", "==", "2", "", [["a0_1"]]]]}',
    ],
)
def test_programs_that_are_refused(text: str) -> None:
    with pytest.raises(SpecError):
        ShapeProgram.parse(text)


@pytest.mark.sampled(0)
def test_all_expressions_of_an_executable_have_one_bound() -> None:
    """However many small ones there are: each for itself would be read."""
    wide = "+".join(f"a0_{i}" for i in range(190))
    text = json.dumps({"reads": [None], "results": [[wide] * 60], "checks": []})
    ShapeProgram.parse(json.dumps({"reads": [None], "results": [[wide]], "checks": []}))
    with pytest.raises(SpecError, match="too many terms") as caught, cpu_time() as took:
        ShapeProgram.parse(text)
    assert took.seconds < 5
    assert len(str(caught.value)) < 300
    one = KernelEntry("k", "shape", json.dumps({"reads": [None], "results": [[wide] * 20], "checks": []}))
    ShapeProgram.parse(one.workload)
    hostile = executable("function main(any) -> any, registers 1:\nRet r0", [one] * 4, [("x", tensor((3,)))])
    with pytest.raises(SpecError, match="kernel k: .*too many terms"):
        verify(hostile)
