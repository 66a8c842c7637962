"""The quick way in: what it takes is what the slow way makes, and what it does not take it leaves as it was."""

from __future__ import annotations

import gc
import sys
from typing import Any as AnyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anytile.core.errors import ArgumentError
from anytile.vm.executable import Executable
from anytile.vm.native.marshalling.convert import value_at
from anytile.vm.native.marshalling.inputs import takes_quickly
from anytile.vm.program.executable import Constructor, DataPort, DataType
from anytile.vm.runtime.machine_words import GIVEN
from anytile.vm.runtime.pool_words import VALUES
from anytile.vm.session import Session
from anytile.vm.values import ports
from anytile.vm.values.ports import Data
from anytile.vm.values.values import Adt
from tests.support.cases.vm_executables import executable, list_sum, mlp, tensor, tuple_of
from tests.support.run_outcomes import clean, flat, plain

TREE = DataType(
    "Tree",
    (
        Constructor("Leaf", (tensor(("n", 2)),)),
        Constructor("Node", (DataPort("Trees"), tensor((), "int64"))),
        Constructor("Pair", (tuple_of(DataPort("Tree"), tensor((3,), "bool")), DataPort("Tree"))),
    ),
)
TREES = DataType("Trees", (Constructor("Nil", ()), Constructor("Cons", (DataPort("Tree"), DataPort("Trees")))))


def taking() -> Executable:
    return executable(
        "function main(tensor, any, any) -> any, registers 3:\nRet r0",
        inputs=[("x", tensor(("m", None))), ("tree", DataPort("Tree")), ("both", tuple_of(tensor((None,), "int32")))],
        data=[TREE, TREES],
    )


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Data:
    what = draw(st.sampled_from(("Leaf", "Node", "Pair"))) if depth else "Leaf"
    if what == "Leaf":
        return Data("Leaf", np.full((draw(st.integers(0, 3)), 2), draw(st.integers(0, 9)), np.float32))
    if what == "Pair":
        flags = np.array([draw(st.booleans()) for _ in range(3)])
        return Data("Pair", (draw(trees(depth - 1)), flags), draw(trees(depth - 1)))
    children = Data("Nil")
    for _ in range(draw(st.integers(0, 3))):
        children = Data("Cons", draw(trees(depth - 1)), children)
    return Data("Node", children, np.array(draw(st.integers(-9, 9)), np.int64))


@pytest.mark.sampled(0)
@given(trees(), st.integers(0, 4), st.integers(0, 4))
def test_what_is_taken_is_what_the_slow_way_makes(tree: Data, rows: int, columns: int) -> None:
    exe = taking()
    session = _session(exe)
    feeds = {
        "x": np.arange(rows * columns, dtype=np.float32).reshape(rows, columns),
        "tree": tree,
        "both": (np.arange(rows, dtype=np.int32),),
    }
    machine = session._machine()
    assert session._engine.take(machine, feeds)
    assert plain(value_at(machine.words[GIVEN], None)) == plain(
        Adt(0, tuple(ports.arguments(exe, feeds, machine.pool)))
    )
    assert session._engine.take(machine, feeds)  # what was there is let go
    session._engine.run(machine, exe.main, None)
    clean(machine)


def _session(exe: Executable) -> Session:
    if "session" not in _SESSIONS:
        _SESSIONS["session"] = Session(exe)
    return _SESSIONS["session"]


_SESSIONS: dict[str, Session] = {}
X, LEAF, BOTH = np.ones((2, 3), np.float32), Data("Leaf", np.ones((1, 2), np.float32)), (np.ones(2, np.int32),)


class Sub(np.ndarray[AnyType, AnyType]):
    pass


class SubData(Data):
    __slots__ = ()


def unset() -> Data:
    return Data.__new__(Data)


def listed() -> Data:
    made = Data("Leaf")
    made.fields = [np.ones((1, 2), np.float32)]
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "feeds",
    [
        {},
        {"x": X, "tree": LEAF, "other": BOTH},
        {"x": X, "tree": LEAF, "both": BOTH, "more": 1},
        {"x": X.astype(np.float64), "tree": LEAF, "both": BOTH},
        {"x": X.astype(">f4"), "tree": LEAF, "both": BOTH},
        {"x": X.T, "tree": LEAF, "both": BOTH},
        {"x": X[0], "tree": LEAF, "both": BOTH},
        {"x": X.view(Sub), "tree": LEAF, "both": BOTH},
        {"x": [[1.0]], "tree": LEAF, "both": BOTH},
        {"x": None, "tree": LEAF, "both": BOTH},
        {"x": X, "tree": X, "both": BOTH},
        {"x": X, "tree": Data("Leaf"), "both": BOTH},
        {"x": X, "tree": Data("Leaf", X), "both": BOTH},
        {"x": X, "tree": Data("Nil"), "both": BOTH},
        {"x": X, "tree": Data(7), "both": BOTH},  # type: ignore[arg-type]
        {"x": X, "tree": unset(), "both": BOTH},
        {"x": X, "tree": listed(), "both": BOTH},
        {"x": X, "tree": SubData("Leaf", np.ones((1, 2), np.float32)), "both": BOTH},
        {"x": X, "tree": Data("Node", Data("Cons", LEAF, LEAF), np.array(1)), "both": BOTH},
        {"x": X, "tree": LEAF, "both": list(BOTH)},
        {"x": X, "tree": LEAF, "both": (*BOTH, *BOTH)},
        {"x": X, "tree": LEAF, "both": BOTH[0]},
    ],
)
@pytest.mark.usefixtures("small_heap")
def test_what_is_not_plain_is_left_to_the_slow_way(feeds: dict[str, AnyType]) -> None:
    session = _session(taking())
    machine = session._machine()
    ours = [v for v in feeds.values() if v is not None]
    before = [sys.getrefcount(v) for v in ours]
    assert not session._engine.take(machine, feeds)
    assert machine.words[GIVEN] == 0
    clean(machine)
    machine.inputs.clear()
    session._give_back(machine)
    gc.collect()
    assert [sys.getrefcount(v) for v in ours] == before


def test_names_that_meet_outside_of_tensors_go_the_slow_way() -> None:
    port = tensor(("n", 2))
    text = "function main(tensor, tensor) -> any, registers 3:\nRet r0"
    assert takes_quickly(executable(text, inputs=[("a", port), ("b", tensor(("m",)))]))
    assert not takes_quickly(executable(text, inputs=[("a", port), ("b", tuple_of(tensor(("n",))))]))
    square = DataType("Square", (Constructor("S", (tensor(("n", "n")),)),))
    one = "function main(any) -> any, registers 3:\nRet r0"
    assert not takes_quickly(executable(one, inputs=[("s", DataPort("Square"))], data=[square]))
    assert takes_quickly(mlp()[0])
    assert takes_quickly(list_sum())


def test_names_that_tensors_share_are_looked_at() -> None:
    text = "function main(tensor, tensor) -> tensor, registers 2:\nRet r0"
    session = Session(executable(text, inputs=[("a", tensor(("n", "m"))), ("b", tensor(("m", "m")))]))
    machine = session._machine()

    def taken(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return bool(session._engine.take(machine, {"a": np.ones(a, np.float32), "b": np.ones(b, np.float32)}))

    assert taken((2, 3), (3, 3))
    assert not taken((2, 3), (3, 4))
    assert not taken((2, 3), (4, 4))
    assert not taken((2, 3), (3,))
    assert not session._engine.take(machine, {"a": 1, "b": 2})
    with pytest.raises(ArgumentError, match="with m=3 as in a of shape"):
        session(np.ones((2, 3), np.float32), np.ones((4, 4), np.float32))


def wide(width: int, nested: str) -> tuple[Executable, AnyType]:
    """A value that holds a tuple of so many tensors, returned as it came in."""
    parts = tuple(np.full(1 + i % 3, i, np.float32) for i in range(width))
    fields = [tensor((1 + i % 3,)) for i in range(width)]
    inner, data = tuple_of(*fields), []
    port, value = inner, parts
    if nested == "in a tuple":
        port, value = tuple_of(tensor((1,)), inner, inner), (parts[0], parts, parts)
    elif nested == "in a constructor":
        data = [DataType("Box", (Constructor("Empty", ()), Constructor("Full", (inner, tensor((1,))))))]
        port, value = DataPort("Box"), Data("Full", parts, parts[0])
    elif nested == "as a constructor":
        data = [DataType("Row", (Constructor("Row", tuple(fields)),))]
        port, value = DataPort("Row"), Data("Row", *parts)
    text = "function main(any) -> any, registers 1:\nRet r0"
    return executable(text, inputs=[("x", port)], output=port, data=data), value


WIDTHS = pytest.mark.parametrize("width", [1, 18, 19, 20, 24, 25, 40, 300])


@pytest.mark.sampled(12)
@WIDTHS
@pytest.mark.parametrize("nested", ["alone", "in a tuple", "in a constructor", "as a constructor"])
def test_values_of_any_width_go_in_and_come_out(width: int, nested: str) -> None:
    exe, value = wide(width, nested)
    session, reference = Session(exe), Session(exe, compiled=False)
    wanted = flat(reference(value))
    assert wanted == flat(value)
    kept = set()
    for _ in range(3):
        machine = session._machine()
        assert session._engine.take(machine, {"x": value})
        assert plain(value_at(machine.words[GIVEN], None)) == plain(
            Adt(0, tuple(ports.arguments(exe, {"x": value}, machine.pool)))
        )
        session._give_back(machine)
        assert flat(session(value)) == wanted
        clean(machine)
        kept.add(machine.pool.words[VALUES])
    assert len(kept) == 1  # the last run's blocks are no longer counted; what the next one may use is, once


@WIDTHS
def test_any_number_of_inputs(width: int) -> None:
    """They are reversed by way of a closure, which holds all but one."""
    last = width - 1
    registers = [f"r{i}" for i in range(width)]
    text = f"""
function main({", ".join(["tensor"] * width)}) -> any, registers {width + 2}:
  AllocClosure r{width}, @back, [{", ".join(registers[:last])}]
  InvokeClosure r{width + 1}, r{width}, [r{last}]
  Ret r{width + 1}

function back({", ".join(["tensor"] * width)}) -> any, registers {width + 1}:
  AllocADT r{width}, 0, [{", ".join(reversed(registers))}]
  Ret r{width}
"""
    fields = [tensor((1 + i % 3,)) for i in range(width)]
    inputs = [(f"x{i}", field) for i, field in enumerate(fields)]
    exe = executable(text, inputs=inputs, output=tuple_of(*reversed(fields)))
    values = [np.full(1 + i % 3, i, np.float32) for i in range(width)]
    session = Session(exe)
    for _ in range(3):
        assert flat(session(*values)) == flat(Session(exe, compiled=False)(*values)) == flat(values[::-1])
        (machine,) = session._idle
        clean(machine)
        assert machine.pool.words[VALUES] == 0


def test_a_wide_value_that_the_limit_does_not_allow_goes_the_slow_way() -> None:
    exe, value = wide(300, "alone")
    session = Session(exe, memory_limit=2000)
    machine = session._machine()
    assert not session._engine.take(machine, {"x": value})
    assert machine.words[GIVEN] == 0
    assert machine.pool.words[VALUES] == 0
    clean(machine)


def test_what_is_refused_half_way_is_let_go_whatever_its_width() -> None:
    exe, value = wide(300, "in a tuple")
    session = Session(exe)
    machine = session._machine()
    assert not session._engine.take(machine, {"x": (*value[:2], (*value[2][1:], value[0]))})
    assert machine.words[GIVEN] == 0
    assert machine.pool.words[VALUES] == 0
    clean(machine)


def test_inputs_live_as_long_as_the_run() -> None:
    session = Session(list_sum())
    machine = session._machine()
    cell = Data("Cons", np.ones(1, np.float32), Data("Nil"))
    assert session._engine.take(machine, {"list": cell})
    assert machine.inputs == [cell.fields[0]]
    session._give_back(machine)
    assert machine.inputs == []
    assert session(cell) == 1
