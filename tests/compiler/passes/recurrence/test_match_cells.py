"""Cells of recurrent networks: cut products and what is made of their gates are one kernel, or stay as they were."""

from __future__ import annotations

import numpy as np
import pytest

from anytile.compiler.ir.nodes import Array
from anytile.compiler.pipeline import optimise
from tests.support.cases.compiled_modules import Compiled, check
from tests.support.cases.narrow_modules import module, workloads

RNG = np.random.default_rng(61)
UNITS, K = 16, 11


def numbers(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def tensor(name: str, width: int, rows: str = "?b") -> str:
    return f"{name}: Tensor[({rows}, {width}), float32]"


def cut(of: str, number: int, units: int = UNITS) -> str:
    return f"slice({of}, axes=(1,), start=({number * units},), stop=({(number + 1) * units},), step=(1,))"


def gates(of: str, names: str, units: int = UNITS) -> str:
    return "".join(f"let {name} = {cut(of, at, units)}; " for at, name in enumerate(names))


def meeting(names: str) -> str:
    """The sum of some gates."""
    lines = [f"let s{n} = add({'s' + str(n - 1) if n > 1 else names[0]}, {names[n]}); " for n in range(1, len(names))]
    return "".join([*lines, f"s{len(names) - 1}"])


def doubled(a: str, b: str, times: int) -> str:
    """Sums that read what was made before twice."""
    first = f"let s0 = multiply({a}, {b}); "
    return first + "".join(f"let s{n} = multiply(s{n - 1}, tanh(s{n - 1})); " for n in range(1, times + 1))


LSTM = (
    gates("t", "iofc") + "let si = sigmoid(i); let sf = sigmoid(f); let so = sigmoid(o); let tc = tanh(c); "
    "let kept = multiply(sf, before); let new = multiply(si, tc); let cell = add(kept, new); "
    "let th = tanh(cell); let out = multiply(so, th); "
)
STATES = ", ".join([tensor("h", K), tensor("before", UNITS)])


def cells(made: Compiled) -> list[str]:
    return [w for w in workloads(made) if w.startswith("gated_dense")]


def others(made: Compiled) -> list[str]:
    return [w for w in workloads(made) if not w.startswith("gated_dense")]


def built(body: str, params: str, **weights: Array) -> Compiled:
    return Compiled(module(body, params, **weights))


def checked(made: Compiled, *widths: int) -> None:
    for rows in (0, 1, 7):
        check(made, *(numbers(rows, width) for width in widths))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", ["pre", "bias"])
def test_the_cell_of_an_lstm_is_one_kernel(first: str) -> None:
    """What is added to all gates is read by part, a bias by its own."""
    second = "bias" if first == "pre" else "pre"
    names = {"pre": "pre", "bias": "$bias"}
    begin = f"let y = dense(h, $w); let a = add(y, {names[first]}); let t = add({names[second]}, a); "
    params = f"{STATES}, {tensor('pre', 4 * UNITS)}"
    made = built(begin + LSTM + "(out, cell)", params, w=numbers(4 * UNITS, K), bias=numbers(4 * UNITS))
    (cell,) = cells(made)
    assert not others(made)
    assert "parts=4" in cell
    assert "[m, 3, u]" in cell
    checked(made, K, UNITS, 4 * UNITS)


@pytest.mark.sampled(0)
def test_a_layer_of_one_row_is_one() -> None:
    made = built(
        f"let y = dense(h, $w); let t = add(y, $row); {LSTM} (out, cell)",
        ", ".join([tensor("h", K, "1"), tensor("before", UNITS, "1")]),
        **{"w": numbers(4 * UNITS, K), "row": numbers(1, 4 * UNITS)},
    )
    assert len(cells(made)) == 1
    assert not others(made)
    check(made, numbers(1, K), numbers(1, UNITS))


GRU = (
    "let z1 = dense(h, $wz); let r1 = dense(h, $wr); let n1 = dense(h, $wn); let n2 = add(n1, $bias); "
    + gates("pre", "zrn")
    + "let z2 = add(z, z1); let zs = sigmoid(z2); let r2 = add(r, r1); let rs = sigmoid(r2); "
    "let n3 = multiply(rs, n2); let n4 = add(n, n3); let n5 = tanh(n4); let d = subtract(before, n5); "
    "let e = multiply(zs, d); let out = add(n5, e); out"
)


@pytest.mark.sampled(1)
def test_products_of_the_same_rows_are_gates_of_one_cell() -> None:
    """A GRU's: what comes from outside is read where it lies, and nobody cuts it."""
    weights = {name: numbers(UNITS, K) for name in ("wz", "wr", "wn")}
    made = built(GRU, f"{STATES}, {tensor('pre', 3 * UNITS)}", **weights, bias=numbers(UNITS))
    assert len(cells(made)) == 1
    assert not others(made)
    checked(made, K, UNITS, 3 * UNITS)


def test_a_cut_product_and_a_whole_one_are_one_cell() -> None:
    """Where parts are of other counts, those that came first are read by part, and others are cut."""
    body = (
        "let y = dense(h, $w); let t = add(y, pair); "
        + gates("t", "zr")
        + "let n1 = dense(h, $wn); let s = sigmoid(z); "
        + f"let q = {cut('pre', 2)}; "
        + "let u = sigmoid(r); let v = multiply(u, n1); let m = add(v, q); let x = multiply(s, m); x"
    )
    params = f"{tensor('h', K)}, {tensor('pair', 2 * UNITS)}, {tensor('pre', 3 * UNITS)}"
    made = built(body, params, w=numbers(2 * UNITS, K), wn=numbers(UNITS, K))
    (cell,) = cells(made)
    assert "gates=3" in cell
    assert "parts=2" in cell
    assert [w.partition("(")[0] for w in others(made)] == ["slice"]
    checked(made, K, 2 * UNITS, 3 * UNITS)


def test_what_others_read_of_a_cell_is_a_result_of_it() -> None:
    """A gate that is read whole, one that nothing reads, and steps in between."""
    body = (
        "let y = dense(h, $w); "
        + gates("y", "abc")
        + "let s = sigmoid(a); let m = multiply(s, b); let e = exp(m); let p = dense(m, $v); (b, s, p, e)"
    )
    made = built(body, tensor("h", K), w=numbers(3 * UNITS, K), v=numbers(5, UNITS))
    assert len(cells(made)) == 1
    checked(made, K)


@pytest.mark.parametrize(
    ("what", "body", "sizes"),
    [
        ("gates that never meet", gates("y", "ab") + "let c = exp(a); let d = tanh(b); (c, d)", (2 * UNITS, UNITS)),
        ("a result that is read whole", gates("y", "ab") + "let c = multiply(a, b); (c, y)", (2 * UNITS, UNITS)),
        ("parts of other sizes", gates("y", "ab", 8) + f"let c = multiply(a, b); let d = {cut('y', 1)}; (c, d)",
         (2 * UNITS, UNITS)),
        ("units far from whole vectors", gates("y", "ab", 5) + "let c = multiply(a, b); c", (10, 5)),
        ("more gates than registers hold",
         gates("y", "abcdefgij") + meeting("abcdefgij"), (9 * UNITS, UNITS)),
        ("longer than an expression may be",
         gates("y", "ab") + doubled("a", "b", 12) + "s12", (2 * UNITS, UNITS)),
        ("steps in another dtype",
         gates("y", "ab") + "let c = cast(a, dtype=\"int32\"); let d = cast(b, dtype=\"int32\"); let e = add(c, d); e",
         (2 * UNITS, UNITS)),
    ],
)  # fmt: skip
def test_what_is_no_cell_stays(what: str, body: str, sizes: tuple[int, int]) -> None:
    made = built(f"let y = dense(h, $w); {body}", tensor("h", K), w=numbers(sizes[0], K))
    assert "gated_dense(" not in str(optimise(made.module, upto="match_cells")), what
    check(made, numbers(3, K))


def test_products_that_are_added_before_they_are_cut_are_two() -> None:
    """One of them is what the gates of the other begin with, whether rows are the same or others."""
    for second, params, widths in (("h", tensor("h", K), [K]), ("x", f"{tensor('h', K)}, {tensor('x', 3)}", [K, 3])):
        body = f"let y = dense(h, $w); let v = dense({second}, $v); let t = add(v, y); {gates('t', 'ab')} "
        made = built(f"{body} let s = sigmoid(a); multiply(s, b)", params, w=numbers(2 * UNITS, K),
                     v=numbers(2 * UNITS, K if second == "h" else 3))  # fmt: skip
        assert len(cells(made)) == 1
        checked(made, *widths)


def test_a_weight_that_is_data_stays() -> None:
    made = built(f"let y = dense(h, w); {gates('y', 'ab')} let c = multiply(a, b); c",
                 f"{tensor('h', K)}, w: Tensor[({2 * UNITS}, {K}), float32]")  # fmt: skip
    assert not cells(made)


def test_a_step_that_waits_for_what_a_cell_makes_is_behind_it() -> None:
    """A product of what a gate made cannot be read by that cell: it ends before."""
    body = (
        "let y = dense(h, $w); "
        + gates("y", "zr")
        + "let s = sigmoid(z); let u = multiply(s, r); let n = dense(u, $v); let o = add(n, s); multiply(o, r)"
    )
    made = built(body, tensor("h", K), w=numbers(2 * UNITS, K), v=numbers(UNITS, UNITS))
    assert len(cells(made)) == 1
    assert [w.partition("(")[0] for w in others(made)] == ["dense"]
    checked(made, K)


def test_cells_of_one_weight_have_one_copy_of_it() -> None:
    """Steps that are written out, of the last of which less is read: constants beyond what is compared by value."""
    size, lines, state = 128, list[str](), "h"
    for n in range(3):
        lines.append(f"let y{n} = dense({state}, $w); let t{n} = add(y{n}, $bias); ")
        lines.append(f"let i{n} = {cut(f't{n}', 0, size)}; let f{n} = {cut(f't{n}', 1, size)}; ")
        lines.append(f"let s{n} = sigmoid(i{n}); let m{n} = multiply(s{n}, f{n}); ")
        state = f"m{n}"
    made = built(
        "".join([*lines, "(m2, s0, s1)"]), tensor("h", size), w=numbers(2 * size, size) / 8, bias=numbers(2 * size)
    )
    assert len(cells(made)) == 1
    weights = [c for c in made.exe.constants if c.array.nbytes >= 2 * size * size * 4]
    assert len(weights) == 1
    checked(made, size)
