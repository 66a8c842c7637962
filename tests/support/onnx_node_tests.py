"""ONNX's own tests, run on anytile: what becomes of each, in one line.

Those of its operators are made in memory, and of models that PyTorch once exported files in the package.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import infer
from anytile.compiler.module import Module
from anytile.core.dtypes import HALVES
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.backend import Prepared, Run

PASS = "pass"
ROUNDED = "rounded"  # right but for the last place or two of 16 bits, which is no pass
LONGEST = 160  # characters of a reason
KINDS = ("node", "model")
MODELS = ("pytorch-converted", "pytorch-operator", "simple")  # the kinds of tests, as ONNX calls them, that are models


@dataclass(frozen=True, slots=True)
class Case:
    """One test: a model, and what comes out of what goes in."""

    name: str
    model: Any
    data_sets: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    rtol: float
    atol: float


def file(kind: str) -> Path:
    """Where what is expected of a kind of tests is written down."""
    return Path(__file__).resolve().parents[1] / "importers" / "onnx" / f"{kind}_tests.txt"


@cache
def cases(kind: str) -> dict[str, Case]:
    """Every test by its name; making those of operators takes some seconds."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if kind == "node":
            tests = load_model_tests(kind="node")
            return {t.name: Case(t.name, t.model, t.data_sets, t.rtol, t.atol) for t in tests}
        found = sorted((t for own in MODELS for t in load_model_tests(kind=own)), key=lambda t: str(t.name))
        return {t.name: _from_files(t) for t in found}


def _from_files(test: Any) -> Case:
    """A test that is a folder, or a model in memory."""
    import onnx

    if test.model_dir is None:
        return Case(test.name, test.model, test.data_sets, test.rtol, test.atol)
    folder = Path(test.model_dir)
    model = onnx.load(folder / "model.onnx")
    data_sets: list[tuple[list[Any], list[Any]]] = []
    for data in sorted(folder.glob("test_data_set*")):
        given, wanted = (
            [_read(data / f"{what}_{i}.pb", info) for i, info in enumerate(infos)]
            for what, infos in (("input", _asked(model)), ("output", model.graph.output))
        )
        data_sets.append((given, wanted))
    return Case(test.name, model, data_sets, test.rtol, test.atol)


def _asked(model: Any) -> list[Any]:
    initial = {t.name for t in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in initial]


def _read(path: Path, info: Any) -> Any:
    """A tensor, or a sequence of them."""
    import onnx
    from onnx.numpy_helper import to_array, to_list

    if info.type.WhichOneof("value") == "sequence_type":
        return to_list(onnx.SequenceProto.FromString(path.read_bytes()))
    return to_array(onnx.TensorProto.FromString(path.read_bytes()))


def status(test: Case) -> str:
    """`pass`, `refused: why` where the importer says that something is not supported, or what went wrong."""
    prepared = Prepared(test.model, evaluated if test.name.endswith("_expanded") else compiled)
    for given, wanted in test.data_sets:
        inputs, expected = ([_array(x) for x in values] for values in (given, wanted))
        try:
            made = prepared.run(inputs)
        except UnsupportedError as error:
            return f"refused: {_line(error)}"
        except Exception as error:  # noqa: BLE001  # whatever else is raised is what these tests look for
            return f"WRONG: {type(error).__name__}: {_line(error)}"
        said = _difference(made, expected, test.rtol, test.atol)
        if said:
            return said if said.startswith(ROUNDED) else f"WRONG: {said}"
    return PASS if test.data_sets else "WRONG: no data"


def compiled(module: Module) -> tuple[Run, Sequence[str]]:
    """An executable of it, whose kernels are machine code and whose few instructions are interpreted: making code of
    those, too, for one run took a fifth of the time, and shows nothing of ONNX."""
    session = anytile.Session(anytile.compile(module), compiled=False)
    return session, [name for name, _ in session.exe.inputs]


def evaluated(module: Module) -> tuple[Run, Sequence[str]]:
    """The reference interpreter on it, which takes a tenth of the time: what an operator composed of others is, is run
    as machine code where these have tests of their own."""
    typed = infer(module).module
    names = [p.name for p in typed.main.params]
    return (lambda *inputs: evaluate(typed, inputs)), names


def expectations(kind: str) -> dict[str, str]:
    """What is expected of each test, as the file says."""
    lines = file(kind).read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def refresh(kind: str, workers: int | None = None) -> dict[str, str]:
    """Run all tests of a kind, and write what became of them."""
    names = list(cases(kind))
    with ProcessPoolExecutor(workers) as pool:
        found = dict(zip(names, pool.map(_by_name, [kind] * len(names), names, chunksize=24), strict=True))
    file(kind).write_text("".join(f"{name}: {found[name]}\n" for name in names), encoding="utf-8")
    return found


def _by_name(kind: str, name: str) -> str:
    return status(cases(kind)[name])


def _array(value: Any) -> Any:
    """A few tests hold their tensors as ONNX stores them."""
    if not hasattr(value, "raw_data"):
        return value
    from onnx.numpy_helper import to_array

    return to_array(value)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:LONGEST]


def _difference(made: Sequence[Any], expected: Sequence[Any], rtol: float, atol: float) -> str:
    if len(made) != len(expected):
        return f"{len(made)} results; expected {len(expected)}"
    for i, (got, wanted) in enumerate(zip(made, expected, strict=True)):
        if wanted is None or isinstance(wanted, list | tuple):
            if (got is None) != (wanted is None) or (wanted is not None and not isinstance(got, list)):
                return f"result {i} should be {'nothing' if wanted is None else 'a sequence'}"
            said = _difference(got or (), wanted or (), rtol, atol)
        else:
            said = _apart(f"result {i}", np.asarray(got), np.asarray(wanted), rtol, atol)
        if said:
            return said
    return ""


def _apart(what: str, got: Any, wanted: Any, rtol: float, atol: float) -> str:
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return f"{what}: {got.dtype}{got.shape}; expected {wanted.dtype}{wanted.shape}"
    if not np.allclose(got, wanted, rtol=rtol, atol=atol, equal_nan=True):
        apart = np.abs(np.float64(got) - np.float64(wanted))
        if got.dtype.name in HALVES and np.all(apart <= 2 * np.float64(np.spacing(np.abs(wanted)))):
            return f"{ROUNDED}: {what} differs by two units of {got.dtype}'s last place at most"
        return f"{what} differs"
    return ""


def main() -> int:
    """Refresh the files and say how many pass; a wrong result is an exit status of 1."""
    wrong = False
    for kind in KINDS:
        counts = Counter(said.partition(":")[0] for said in refresh(kind).values())
        print(f"{kind}: " + ", ".join(f"{count} {what}" for what, count in counts.most_common()))
        wrong = wrong or "WRONG" in counts
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
