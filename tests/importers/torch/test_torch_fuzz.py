"""The fuzzer of torch: what it finds is made small and comes with a line that runs it again, and a few find nothing.

It forks, so it runs in a process of its own, which has no threads yet.
"""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")

from anytile.core.errors import SpecError, UnsupportedError  # noqa: E402  # behind the line that skips
from tests.support.fuzzing import alone, smallest  # noqa: E402
from tests.support.generators.functions.function import Function, Input, Statement  # noqa: E402
from tests.support.generators.functions.growth import Dropped, Growth  # noqa: E402
from tests.support.generators.random_functions import STEPS, any_function, any_sizes  # noqa: E402
from tests.support.torch_fuzz.case import FORMS, WAYS, Case, WrongError, compare  # noqa: E402
from tests.support.torch_fuzz.program import any_case, main  # noqa: E402
from tests.support.torch_fuzz.smaller import smaller  # noqa: E402

RUN = "import sys; from tests.support.torch_fuzz.program import main; sys.exit(main(sys.argv[1:]))"
# An importer that takes one operator for another.
FAULTY = f"""
from anytile.importers.torch.aten import ROWS
from anytile.importers.torch.graph.aten_call import Row
ROWS["softplus"] = Row("softplus", lambda c: c.do("abs", c.x))
{RUN}
"""


def some_case(seed: str = "some", steps: int = 12) -> Case:
    case = any_case(random.Random(seed), steps)
    assert case is not None
    return case


def written(*texts: str, results: tuple[str, ...], laid: str = "base", sizes: tuple[int, ...] = (3, 5, 4)) -> Case:
    """A case of statements, each of which begins with what it makes or writes, over `x` of some rows of 6."""
    arrays = tuple(np.random.default_rng(n).standard_normal((n, 6)).astype(np.float32) for n in sizes)
    statements = tuple(Statement("some", (re.split(r"\W", text)[0],), text) for text in texts)
    return Case(Function((Input("x", ("n", 6), arrays, laid),), statements, {}, {}), results)


def heard(case: Case) -> list[str]:
    """What is refused of a case that is right."""
    said: list[str] = []
    case.run(lambda what, text: said.append(text) if what == "refused" else None)
    return said


@pytest.mark.slow
def test_some_functions_find_nothing(tmp_path: Path) -> None:
    status, said = alone(RUN, "--cases", "10", "--seconds", "240", "--seed", "11", "--out", str(tmp_path))
    assert status == 0, said
    assert re.search(r"^10 cases, ", said, re.MULTILINE), said


@pytest.mark.slow
def test_a_fault_is_found_and_made_small_and_its_line_runs_it_again(tmp_path: Path) -> None:
    words = ("--having", "unary,permute", "--findings", "1", "--seconds", "240", "--seed", "1")
    status, said = alone(FAULTY, *words, "--out", str(tmp_path))
    assert status == 1, said
    command, _, wrong = said.splitlines()[0].partition("  # ")
    assert re.match(r"v\d+ = F.softplus\(\w+\); return \(v\d+,\): WrongError at ", wrong), wrong
    again = shlex.split(command)[1:]
    assert alone(FAULTY, *again)[0] == 1
    assert alone(RUN, *again) == (0, "right\n")


@pytest.mark.parametrize("seed", ["some", "other", "third"])
def test_a_case_comes_back_from_its_files(seed: str, tmp_path: Path) -> None:
    case = some_case(seed)
    case.save(tmp_path / "case.json")
    found = Case.load(tmp_path / "case.json")
    assert found.text() == case.text()
    assert (found.results, found.form, found.way) == (case.results, case.form, case.way)
    assert found.function.statements == case.function.statements
    assert found.function.layers == case.function.layers
    for one, other in zip(case.function.inputs, found.function.inputs, strict=True):
        assert (one.name, one.dims, one.laid, one.by_name) == (other.name, other.dims, other.laid, other.by_name)
        for a, b in zip(one.arrays, other.arrays, strict=True):
            np.testing.assert_array_equal(a, b)
    assert set(found.function.consts) == set(case.function.consts)
    for name, array in case.function.consts.items():
        np.testing.assert_array_equal(found.function.consts[name], array)


@pytest.mark.parametrize("text", ["", "no words", "{}", json.dumps({"inputs": [["x"]]})])
def test_what_is_no_case_is_told(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "case.json"
    if text:
        path.write_text(text)
        np.savez(tmp_path / "case.npz", a=np.zeros(1))
    with pytest.raises(SpecError):
        Case.load(path)
    assert main(["--case", str(path)]) == SpecError.exit_code
    assert capsys.readouterr().err.startswith("error: ")


def test_the_same_seed_grows_the_same_function() -> None:
    one, other, third = (some_case(seed).text() for seed in ("a", "a", "b"))
    assert one == other
    assert one != third


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", STEPS)
def test_every_kind_of_step_grows_something(name: str) -> None:
    functions = (any_function(random.Random(f"{name} {i}"), 4, (name,)) for i in range(60))
    assert any(f.statements for f in functions)


def test_no_symbol_looks_like_a_number() -> None:
    for seed in range(50):
        sizes = any_sizes(random.Random(seed))
        assert all(len({at[name] for at in sizes}) > 1 for name in sizes[0])


def test_what_hangs_on_a_rounding_is_not_taken() -> None:
    g = Growth(random.Random(0), [{"n": 4}, {"n": 7}])
    g.input(("n", 4))
    x = g.values["x1"]
    assert g.one(f"{x}.argmax(1)")
    for text in (
        f"{x} * 1e7",  # larger than what is compared
        f"({x} * 1e4).sin()",  # of an angle whose rounding turns it
        f"{x}[7:]",  # of which nothing is left
        f"{x} / 0",
        f"{x} @ {x}",  # which do not fit at all sizes
        f"{x}.shape",  # no tensor
        f"torch.complex({x}, {x})",
    ):
        with pytest.raises(Dropped):
            g.one(text)
    near = g.one(f"torch.cat([{x}, {x} + 1e-6], 1)")
    with pytest.raises(Dropped):
        g.one(f"{near}.argmax(1)")


def test_what_is_written_in_place_changes_what_it_is_a_view_of_and_is_taken_back() -> None:
    g = Growth(random.Random(0), [{"n": 4}, {"n": 7}])
    g.input(("n", 4))
    copy = g.one("x1.clone()")
    view = g.take(f"y = {copy}[1:]", "y")
    with g.whole():
        g.take(f"{view}.zero_()", "y", copy.name, writes=True)
        is_written = not g.values[copy.name].at[0][1:].any()
        raise Dropped
    assert is_written
    assert g.values[copy.name].at[0][1:].all()
    assert len(g.statements) == 2
    g.take("y.zero_()", "y", copy.name, writes=True)
    assert not g.values[copy.name].at[1][1:].any()
    assert g.values["x1"].at[1].all()


def test_results_are_compared_to_what_roundings_make_of_them() -> None:
    one = [torch.tensor([1.0, 2.0])]
    compare("v", [torch.tensor([1.0, 2.00001])], one, one)
    compare("v", [torch.tensor([1.0, 2.01])], one, [torch.tensor([1.0, 2.001])])
    compare("v", [None, 3, "word"], [None, 3, "word"], [None, 3, "word"])
    whole = [torch.tensor([1, 2])]
    compare("v", [torch.tensor([1, 3])], whole, [torch.tensor([1, 4])])  # hangs on a rounding
    wrong: tuple[Any, ...] = (
        *(torch.tensor([1.0, 2.01]), torch.tensor([1.0, float("nan")]), torch.tensor([[1.0, 2.0]])),
        *(torch.tensor([1.0, 2.0]).double(), None, 1.0),
    )
    for found in wrong:
        with pytest.raises(WrongError):
            compare("v", [found], one, one)
    with pytest.raises(WrongError, match=r"v: 3 at \(1,\), expected 2; 1 of 2 are so"):
        compare("v", [torch.tensor([1, 3])], whole, whole)
    for found in ([], [3.0], [4]):
        with pytest.raises(WrongError):
            compare("v", found, [3], [3])


@pytest.mark.slow
def test_cases_run_in_every_form() -> None:
    for form, way in zip(FORMS, (*WAYS, "dynamic"), strict=True):
        case = written("y = x * 2", "x.add_(1)", "z = x[1:]", results=("y", "None", "z", "x.shape"))
        assert heard(Case(case.function, case.results, form, way)) == []


@pytest.mark.slow
def test_what_torch_refuses_and_what_anytile_leaves_to_torch_is_no_finding() -> None:
    with pytest.raises(UnsupportedError, match="so does torch's own compiler"):
        written("y = x.no_such_method()", results=("y",)).run(lambda what, text: None)
    assert heard(written("y = torch.linalg.eigvalsh(x.mT @ x)", results=("y",)))


def test_a_finding_becomes_as_small_as_it_can() -> None:
    """Of what is wrong wherever a softmax is, the softmax is left, of an input, at one size."""

    def is_wrong(case: Case) -> bool:
        return any("softmax" in s.text for s in case.function.statements)

    case = next(filter(is_wrong, (some_case(f"small {i}", 20) for i in range(99))))
    small = smallest(case, smaller, is_wrong, tries=500)
    assert len(small.function.statements) == len(small.results) == len(small.sizes) == 1
    assert (small.form, small.way) == ("tuple", "dynamic")
    assert all((x.laid, x.by_name) == ("base", False) for x in small.function.inputs)
    module = small.function.module(small.returned)
    assert isinstance(module(*(x.at(0) for x in small.function.inputs)), tuple)


def test_sizes_become_small_together() -> None:
    case = written("y = x + x.flip(0)", results=("y",), sizes=(9, 7))
    small = smallest(case, smaller, lambda one: one.function.statements == case.function.statements, tries=500)
    assert [a.shape for a in small.function.inputs[0].arrays] == [(1, 6)]


def test_wrong_words_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--having", "convs"])
    assert ended.value.code == 2
    assert "'convs': expected some of unary, " in capsys.readouterr().err
