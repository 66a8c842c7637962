"""The fuzzer of models: what it finds is made small and comes with a line that runs it again, and a few find nothing.

It forks, so it runs in a process of its own, which has no threads yet.
"""

from __future__ import annotations

import random
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
from anytile.core.errors import SpecError
from tests.support.cuda_cpu.compiler import lacking
from tests.support.fuzzing import alone, smallest
from tests.support.generators.graphs.growth import Growth, Value
from tests.support.generators.random_graphs import STEPS, any_graph, any_sizes
from tests.support.model_fuzz.case import CUDA, Case, WrongError, compare
from tests.support.model_fuzz.program import main
from tests.support.model_fuzz.smaller import smaller

RUN = "import sys; from tests.support.model_fuzz.program import main; sys.exit(main(sys.argv[1:]))"
# An importer that takes one operator for another.
FAULTY = f"""
from anytile.importers.onnx.operator_table import ROWS
from anytile.importers.onnx.proto.call import Row
ROWS["", "Softplus"] = Row("Softplus", lambda c: c.do("abs", c.x))
{RUN}
"""
# Storages that are appended to behind an array, whatever lies there already.
OVERWRITTEN = f"""
from anytile.vm.values.grown import Grown
def claimed(self, arrays):
    stored = [(key, self._at.get(address), nbytes) for key, address, nbytes in arrays]
    return {{key: (storage, nbytes) for key, storage, nbytes in stored if storage is not None}}
Grown.claimed = claimed
{RUN}
"""


def some_case(seed: str = "some", steps: int = 12) -> Case:
    grown = any_graph(random.Random(seed), steps)
    return Case(grown, grown.ends())


def value(*arrays: object, near: object = None, loss: float = 1e-6) -> Value:
    at = tuple(np.asarray(a) for a in arrays)
    return Value("v", at, at if near is None else (np.asarray(near),), loss)


@pytest.mark.slow
def test_some_models_find_nothing(tmp_path: Path) -> None:
    status, said = alone(RUN, "--cases", "25", "--seconds", "240", "--seed", "11", "--out", str(tmp_path))
    assert status == 0, said
    assert re.search(r"^2\d cases, ", said, re.MULTILINE), said


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
def test_some_models_on_a_simulated_gpu_find_nothing(tmp_path: Path) -> None:
    words = ("--cases", "4", "--seconds", "240", "--seed", "11", "--steps", "5", "--target", CUDA)
    status, said = alone(RUN, *words, "--out", str(tmp_path))
    assert status == 0, said


@pytest.mark.slow
def test_a_fault_is_found_and_made_small_and_its_line_runs_it_again(tmp_path: Path) -> None:
    words = ("--having", "smooth,transpose,reshape", "--findings", "1", "--seconds", "240", "--seed", "1")
    status, said = alone(FAULTY, *words, "--out", str(tmp_path))
    assert status == 1, said
    command, _, wrong = said.splitlines()[0].partition("  # ")
    assert wrong.startswith("Softplus: WrongError at ")
    again = shlex.split(command)[1:]
    assert alone(FAULTY, *again)[0] == 1
    assert alone(RUN, *again) == (0, "right\n")


@pytest.mark.slow
def test_caches_that_grow_find_nothing(tmp_path: Path) -> None:
    words = ("--growing", "--cases", "10", "--seconds", "240", "--seed", "3", "--out", str(tmp_path))
    assert alone(RUN, *words)[0] == 0


def test_rows_that_are_overwritten_are_found(tmp_path: Path) -> None:
    words = ("--growing", "--steps", "1", "--findings", "1", "--seconds", "240", "--seed", "1", "--out", str(tmp_path))
    status, said = alone(OVERWRITTEN, *words)
    assert status == 1, said
    assert re.match(r"scripts/model_fuzz --case .*  # Concat.*: WrongError .* of a call before has changed", said), said


def test_a_case_comes_back_from_its_files(tmp_path: Path) -> None:
    case = replace(some_case(), device=CUDA, grows=True)
    case.save(tmp_path / "case.onnx")
    found = Case.load(tmp_path / "case.onnx")
    assert (found.results, found.device, found.grows, found.grown.inputs) == (
        *(case.results, CUDA, True),
        case.grown.inputs,
    )
    assert found.model() == case.model()
    for name, one in case.grown.values.items():
        other = found.grown.values[name]
        assert (one.loss, one.is_const) == (other.loss, other.is_const)
        for a, b in zip((*one.at, *one.near), (*other.at, *other.near), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["none.onnx", "text.onnx"])
def test_what_is_no_case_is_told(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.npz").write_text("no arrays")
    with pytest.raises(SpecError):
        Case.load(tmp_path / name)
    assert main(["--case", str(tmp_path / name)]) == SpecError.exit_code
    assert capsys.readouterr().err.startswith("error: ")


def test_the_same_seed_grows_the_same_graph() -> None:
    one, other, third = (some_case(seed).model() for seed in ("a", "a", "b"))
    assert one == other
    assert one != third


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", STEPS)
def test_every_kind_of_step_grows_something(name: str) -> None:
    """Of truths, which no input is, what a comparison makes is needed first."""
    before, wanted = (("compare",), {"And", "Or", "Xor"}) if name == "logical" else ((), None)
    graphs = (any_graph(random.Random(f"{name} {i}"), 6, (name, *before)) for i in range(30))
    assert any(wanted is None or n.op_type in wanted for g in graphs for n in g.nodes)


def test_no_symbol_looks_like_a_number() -> None:
    for seed in range(50):
        sizes = any_sizes(random.Random(seed))
        assert all(len({at[name] for at in sizes}) > 1 for name in sizes[0])


def test_what_hangs_on_a_rounding_is_not_taken() -> None:
    g = Growth(random.Random(0), [{}])
    x = g.input((4, 4))
    assert g.node("Sub", x, x)
    assert not g.node("Sin", x, x)  # which has one operand
    assert not g.node("Add", x, g.const(np.float32(1e7)))  # larger than what is compared
    wide = g.one("Mul", x, g.const(np.float32(2e3)))
    assert g.node("Abs", wide)
    assert not g.node("Sin", g.one("Mul", wide, g.const(np.float32(2))))  # of an angle whose rounding turns it
    assert g.node("ArgMax", x, axis=1)
    assert not g.node("ArgMax", g.one("Concat", x, g.one("Add", x, g.const(np.float32(1e-7))), axis=1), axis=1)


def test_results_are_compared_to_what_roundings_make_of_them() -> None:
    compare(value(np.float32([1, 2])), 0, np.float32([1, 2.00001]))
    compare(value(np.float32([1, 2]), near=np.float32([1, 2.001])), 0, np.float32([1, 2.01]))
    for found in (np.float32([1, 2.01]), np.float32([1, np.nan]), np.float32([[1, 2]]), np.float64([1, 2])):
        with pytest.raises(WrongError):
            compare(value(np.float32([1, 2])), 0, found)
    with pytest.raises(WrongError, match=r"v is 3 at \(1,\), expected 2; 1 of 2 are so"):
        compare(value(np.int64([1, 2])), 0, np.int64([1, 3]))


def test_a_finding_becomes_as_small_as_it_can() -> None:
    """Of what is wrong wherever a softmax is, the softmax is left, of an input."""

    def is_wrong(case: Case) -> bool:
        return any(node.op_type == "Softmax" for node in case.grown.nodes)

    case = next(filter(is_wrong, (some_case(f"small {i}", 20) for i in range(99))))
    small = smallest(case, smaller, is_wrong, tries=500)
    assert [n.op_type for n in small.grown.nodes] == ["Softmax"]
    assert len(small.grown.inputs) == len(small.results) == 1
    small.run(lambda what, text: None)


def test_wrong_words_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--having", "convs"])
    assert ended.value.code == 2
    assert "'convs': expected some of smooth, " in capsys.readouterr().err
