"""Values of tuple and data types on the command line: into `run`, `bench` and `profile` as JSON, and out again."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.cli import main
from anytile.compiler.module import Module
from anytile.compiler.text.file import read_module
from anytile.core.errors import ResourceError, SpecError
from anytile.models_io import values
from anytile.models_io.deep_json import text_of
from anytile.models_io.values import data_of, read_npy, value_of
from anytile.vm.executable import Executable
from anytile.vm.program.executable import Constructor, DataPort, DataType, TensorPort, TuplePort
from anytile.vm.values.ports import Data

TEXT = """
data Tree { Leaf(Tensor[(1, 4), float32]), Node(Tree, Tree) }
const $w: Tensor[(4, 4), float32];
def main(tree: Tree, pair: (Tensor[(), int64], Tensor[(?t, 4), float32]))
  -> (Tensor[(1, 4), float32], Tree, Tensor[(?t, 4), float32]) {
  let sum = walk(tree);
  (sum, Node(Leaf(sum), tree), multiply(pair.1, cast(pair.0, dtype="float32")))
}
def walk(t: Tree) -> Tensor[(1, 4), float32] {
  match (t) { Leaf(x) => dense(x, $w), Node(l, r) => add(walk(l), walk(r)) }
}
"""
TURN = """
data List { Nil, Cons(Tensor[(), int64], List) }
def main(list: List) -> List { turned(list, Nil()) }
def turned(list: List, done: List) -> List {
  match (list) { Nil => done, Cons(first, rest) => turned(rest, Cons(first, done)) }
}
"""
W = np.random.default_rng(0).standard_normal((4, 4), dtype=np.float32)
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    anytile.compile(Module.parse(TEXT, {"w": W})).save(folder / "tree.exe")
    anytile.compile(Module.parse(TURN)).save(folder / "turn.exe")
    return folder


@pytest.fixture
def say(models: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    def said(command: str, model: str, *words: object) -> tuple[int, str, str]:
        code = main.run(main.umbrella(), [command, str(models / model), "--trust", *map(str, words)], "anytile")
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return said


@pytest.fixture
def given(tmp_path: Path) -> tuple[list[str], Data]:
    """A tree in a file, one leaf of it in a file of its own, and a tuple; and the tree as Python has it."""
    leaves = np.random.default_rng(1).standard_normal((3, 1, 4), dtype=np.float32)
    (tmp_path / "arrays").mkdir()
    np.save(tmp_path / "arrays" / "leaf.npy", leaves[2])
    first, second = ({"Leaf": [leaf.tolist()]} for leaf in leaves[:2])
    tree = {"Node": [{"Node": [first, second]}, {"Leaf": [{"npy": "arrays/leaf.npy"}]}]}
    (tmp_path / "tree.json").write_text(json.dumps(tree, indent=1))
    (tmp_path / "pair.json").write_text("[3, [[1, 2, 3, 4.5], [0, 0, 0, -1]]]")
    a, b, c = (Data("Leaf", leaf) for leaf in leaves)
    words = ["--input", f"tree={tmp_path / 'tree.json'}", "--input", f"pair={tmp_path / 'pair.json'}"]
    return words, Data("Node", Data("Node", a, b), c)


def test_it_runs_as_from_python(say: Say, models: Path, given: tuple[list[str], Data], tmp_path: Path) -> None:
    words, tree = given
    pair = (np.asarray(3), np.asarray([[1, 2, 3, 4.5], [0, 0, 0, -1]], np.float32))
    wanted = anytile.Session(models / "tree.exe")(tree, pair)
    code, out, err = say("run", "tree.exe", *words, "-o", tmp_path / "out.json")
    assert code == 0, err
    found = json.loads((tmp_path / "out.json").read_text())
    assert found == data_of(wanted)
    assert np.asarray(found[1]["Node"][0]["Leaf"][0], np.float32).tobytes() == wanted[0].tobytes()
    assert f"output_1: {json.dumps(found[1])}\n" in out
    assert [line.split()[:2] for line in out.splitlines()[1:3]] == [["output_0", "1x4"], ["output_2", "2x4"]]
    rows = json.loads(say("run", "tree.exe", *words, "--json")[1])["outputs"]
    assert [sorted(row)[:2] for row in rows] == [["dtype", "max"], ["name", "value"], ["dtype", "max"]]
    assert rows[1]["value"] == found[1]
    (tmp_path / "again.json").write_text(json.dumps(found[1]))  # what came out goes in again
    assert say("run", "tree.exe", "--input", f"tree={tmp_path / 'again.json'}", *words[2:])[0] == 0


def test_it_is_timed_and_profiled(say: Say, given: tuple[list[str], Data]) -> None:
    words, _ = given
    for more in (words, [*words[:2], "--sizes", "t=3"]):  # the tuple from the file, and random ones of a size
        code, out, err = say("bench", "tree.exe", *more, "--time", "0")
        assert code == 0, err
        assert "not in kernels" in out
    code, out, err = say("profile", "tree.exe", *words)
    assert code == 0, err
    assert "dense" in out


@pytest.mark.slow
def test_a_list_of_many_cells_goes_in_and_comes_out(say: Say, tmp_path: Path) -> None:
    count = 8_000

    def listed(numbers: range) -> str:
        return "".join(f'{{"Cons": [{n}, ' for n in numbers) + '{"Nil": []}' + "]}" * count

    (tmp_path / "list.json").write_text(listed(range(count)))
    words = ("--input", f"list={tmp_path / 'list.json'}")
    code, out, err = say("run", "turn.exe", *words, "-o", tmp_path / "turned.json")
    assert (code, err) == (0, "")
    turned = listed(range(count)[::-1])
    assert (tmp_path / "turned.json").read_text() == f"{turned}\n"
    assert f"output: {turned}\n" in out
    assert turned in say("run", "turn.exe", *words, "--json")[1]
    deep = "[" * 100_000 + "]" * 100_000
    (tmp_path / "list.json").write_text(f'{{"Cons": [{deep}, {{"Nil": []}}]}}')
    code, out, err = say("run", "turn.exe", *words)
    assert code == 2
    assert "field 0 of Cons: expected Tensor[(), int64] as lists of equal lengths" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ("", "is no JSON: line 1, column 1: expecting value"),
        ('{"Leaf": [[[1, 2, 3, 4]]]', "is no JSON: line 1, column 26: expected ',' or '}'"),
        ('{"Leaf": [[[1, 2, 3, 4]]], "Leaf": []}', "'Leaf' stands twice in an object"),
        ("[1, 2]", 'expected Tree as one of {"Leaf": [...]}, {"Node": [...]}, got a list of 2'),
        ('{"Twig": []}', "got an object of 'Twig'"),
        ('{"Leaf": [], "Node": []}', "got an object of 'Leaf', 'Node'"),
        ('{"\\ud800": []}', r"got an object of '\ud800'"),
        ('{"Leaf": 3}', "got an object of 'Leaf'"),
        ('{"Leaf": []}', "expected 1 field of Leaf, got 0"),
        ('{"Node": [{"Leaf": [[[1, 2, 3, 4]]]}, 7]}', "field 1 of Node: expected Tree as one of"),
        ('{"Leaf": [[[1, 2, 3]]]}', "dimension 1 is 3"),
        ('{"Leaf": [[[1, 2, 3, "4"]]]}', "field 0 of Leaf: expected numbers of float32, got a list of 1"),
        ('{"Leaf": [[[1, 2], 3]]}', "as lists of equal lengths"),
        ('{"Leaf": [[[1, 2, 3, 1e99]]]}', "expected numbers of float32"),
        ('{"Leaf": [[[true, true, false, true]]]}', "expected numbers of float32"),
        ('{"Leaf": [[[1, 2, 3, null]]]}', "expected numbers of float32"),
        ('{"Leaf": [{"npy": "none.npy"}]}', "the array cannot be read"),
        ('{"Leaf": [{"npy": "tree.json"}]}', "the array cannot be read"),
        ('{"Leaf": [{"npy": "."}]}', "the array cannot be read"),
        ('{"Leaf": [{"npy": 3}]}', 'as lists of numbers or {"npy": FILE}'),
        ('{"Leaf": [{"npy": "a\\u0000b"}]}', 'as lists of numbers or {"npy": FILE}'),
        ("\udcff", "the file cannot be read"),
    ],
)
def test_what_is_no_value_is_said_in_a_line(
    say: Say, given: tuple[list[str], Data], tmp_path: Path, tree: str, says: str
) -> None:
    (tmp_path / "tree.json").write_bytes(tree.encode("utf-8", "surrogateescape"))
    code, out, err = say("run", "tree.exe", *given[0])
    assert (code != 0, out) == (True, "")
    assert says in err
    assert err.startswith("error: ")
    assert "internal" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--input", "tree=random:3"], "Tree is no tensor; expected tree=FILE.json"),
        (["--input", "pair=3"], "is no tensor; expected pair=FILE.json"),
        (["--input", "tree=none.json"], "the file cannot be read: No such file"),
        (["-o", "y.npz"], "the result has values of the data type Tree; give -o FILE.json"),
    ],
)
def test_words_that_fit_no_type(say: Say, words: list[str], says: str) -> None:
    code, _, err = say("run", "tree.exe", *words)
    assert code == 2
    assert says in err


def test_a_data_type_has_nothing_random(say: Say) -> None:
    code, _, err = say("bench", "tree.exe", "--sizes", "t=3")
    assert code == 2
    assert "input tree: nothing is random of the data type Tree; give --input tree=FILE.json" in err


TYPES = Executable("llvm", (), data=(DataType("D", (Constructor("Some", (DataPort("D"),)), Constructor("None", ()))),))


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "bool", "uint8"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (3, 0), (0, 3), (1, 1, 1)])
def test_arrays_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(shape))
    array = (rng.standard_normal(shape) * 9).astype("bool" if dtype == "bool" else "int8").astype(dtype)
    if dtype == "float32":
        array = array / np.float32(7)
    value = (array, Data("Some", Data("None")))
    port = TuplePort((TensorPort(shape, dtype), DataPort("D")))
    found = value_of(TYPES, port, json.loads(text_of(data_of(value))), Path(), "x")
    assert (found[0].dtype, found[0].shape, found[0].tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert data_of(found) == data_of(value)


@pytest.mark.parametrize(
    ("dtype", "data"),
    [
        *(("uint8", 256), ("uint8", -1), ("int32", 2**31), ("int64", 2**63), ("int64", 1.0), ("int64", [2**64, -1])),
        *(("bool", 1), ("int64", True), ("float32", 10**400), ("float32", -1e39), ("float32", "1"), ("int64", [None])),
    ],
)
def test_numbers_that_do_not_fit_are_refused(dtype: str, data: Any) -> None:
    port = TensorPort(np.shape(data), dtype)
    with pytest.raises(SpecError, match=f"x: expected numbers of {dtype}, got"):
        value_of(TYPES, port, data, Path(), "x")


def test_parts_in_many_places_are_written_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_AGAIN", 100)
    leaf = Data("Leaf", np.ones(10, np.float32))
    assert data_of(Data("Node", leaf, leaf)) == {"Node": [{"Leaf": [[1.0] * 10]}] * 2}
    many = Data("Node", leaf, leaf)
    for _ in range(40):
        many = Data("Node", many, many)
    for value in (many, (many, many), (np.ones(60), many.fields)):
        with pytest.raises(ResourceError, match="more than 100 numbers and fields would be written again") as caught:
            data_of(value)
        assert "\n" not in str(caught.value)
    apart = tuple(Data("Leaf", np.ones(10, np.float32)) for _ in range(100))
    assert len(data_of(apart)) == 100


@pytest.mark.parametrize("shape", ["1+" * 4000 + "1,", "-" * 9000 + "1,", "(" * 3000 + ")" * 3000 + ","])
def test_a_header_without_end_is_said_in_a_line(shape: str, tmp_path: Path) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape})}}".encode()
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8)
    (tmp_path / "x.npy").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as packed:
        packed.writestr("w.npy", data)
    (tmp_path / "x.txt").write_text("const $w: Tensor[(1,), float32]; def main() { $w }")
    with pytest.raises(SpecError, match="the array .*(cannot be read|does not fit)") as caught:
        read_npy(tmp_path / "x.npy", "--input x")
    assert "\n" not in str(caught.value)
    with pytest.raises(SpecError, match="arrays (cannot be read|do not fit)") as caught:
        read_module(tmp_path / "x.txt")
    assert "\n" not in str(caught.value)
