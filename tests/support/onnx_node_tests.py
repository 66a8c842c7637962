"""ONNX's own tests of its operators, run on anytile: what becomes of each, in one line."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import anytile
from anytile.compiler.evaluate import evaluate
from anytile.compiler.infer import infer
from anytile.compiler.module import Module
from anytile.core.errors import UnsupportedError
from anytile.importers.onnx.backend import Prepared, Run

PASS = "pass"
ROUNDED = "rounded"  # right but for the last place or two of 16 bits, which is no pass
LONGEST = 160  # characters of a reason
FILE = Path(__file__).resolve().parents[1] / "importers" / "onnx" / "node_tests.txt"


@cache
def node_tests() -> dict[str, Any]:
    """Every test by its name; making them takes some seconds."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return {t.name: t for t in load_model_tests(kind="node")}


def status(test: Any) -> str:
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
    """An executable of it."""
    session = anytile.Session(anytile.compile(module))
    return session, [name for name, _ in session.exe.inputs]


def evaluated(module: Module) -> tuple[Run, Sequence[str]]:
    """The reference interpreter on it, which takes a tenth of the time: what an operator composed of others is, is run
    as machine code where these have tests of their own."""
    typed = infer(module).module
    names = [p.name for p in typed.main.params]
    return (lambda *inputs: evaluate(typed, inputs)), names


def expectations() -> dict[str, str]:
    """What is expected of each test, as the file says."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def refresh(workers: int | None = None) -> dict[str, str]:
    """Run all tests, and write what became of them."""
    names = list(node_tests())
    with ProcessPoolExecutor(workers) as pool:
        found = dict(zip(names, pool.map(_by_name, names, chunksize=24), strict=True))
    FILE.write_text("".join(f"{name}: {found[name]}\n" for name in names), encoding="utf-8")
    return found


def _by_name(name: str) -> str:
    return status(node_tests()[name])


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
        if not isinstance(wanted, np.ndarray | np.generic):
            return f"result {i} should be a {type(wanted).__name__}"
        got, wanted = np.asarray(got), np.asarray(wanted)
        if got.dtype != wanted.dtype or got.shape != wanted.shape:
            return f"result {i}: {got.dtype}{got.shape}; expected {wanted.dtype}{wanted.shape}"
        if not np.allclose(got, wanted, rtol=rtol, atol=atol, equal_nan=True):
            if got.dtype == np.float16 and np.all(np.abs(np.float64(got) - wanted) <= 2 * np.spacing(np.abs(wanted))):
                return f"{ROUNDED}: result {i} differs by two units of float16's last place at most"
            return f"result {i} differs"
    return ""


def main() -> int:
    """Refresh the file and say how many pass; a wrong result is an exit status of 1."""
    counts = Counter(said.partition(":")[0] for said in refresh().values())
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    return int("WRONG" in counts)


if __name__ == "__main__":
    raise SystemExit(main())
