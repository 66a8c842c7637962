"""`anytile.compile` and `anytile compile`: a model in text form becomes a file that runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anytile
from anytile import api
from anytile.cli import main
from anytile.compiler.compile import compile_module
from anytile.compiler.evaluate import evaluate
from anytile.compiler.module import Module
from anytile.compiler.text.file import read_module
from anytile.core.command_hint import command_line
from anytile.core.errors import SpecError
from anytile.db.lookup.ladder import Estimate
from anytile.db.records.records import Selection
from anytile.db.store import Store
from anytile.dispatch.plans.notes import noted
from anytile.dispatch.service import versions_here
from anytile.schedules.hardware.target import Target, usable_cores
from anytile.schedules.plans.plan import DispatchPlan
from anytile.schedules.plans.single_plan import single_plan
from anytile.schedules.templates.registry import template, templates_for
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any, Workload
from anytile.vm.storage.file import read
from anytile.vm.why import why

TEXT = """
const $w: Tensor[(3, 4), float32];
def main(x: Tensor[(?n, 4), float32]) -> Tensor[(?n, 3), float32] { relu(dense(x, $w)) }
"""
W = np.arange(12, dtype=np.float32).reshape(3, 4) - 5


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.txt"
    path.write_text(TEXT)
    np.savez(path.with_suffix(".npz"), w=W)
    return path


def _empty(model: Path) -> Path:
    """A database that lacks everything."""
    place = model.with_suffix(".db")
    with Store.open(str(place)):
        return place


def test_a_model_is_compiled_saved_loaded_and_run(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_suffix(".exe")
    code = main.run(
        main.umbrella(), ["compile", str(model), "-o", str(out), "--print-after", "fuse", "--why"], "anytile"
    )
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert "# after fuse" in printed.out
    assert "def main" in printed.out
    assert "dense" in printed.out.partition(str(out))[2]  # what --why lists
    x = np.random.default_rng(0).standard_normal((5, 4), dtype=np.float32)
    wanted = evaluate(Module.parse(TEXT, {"w": W}), (x,))
    for exe in (out, anytile.load(out, trust=True), anytile.compile(model)):
        np.testing.assert_allclose(anytile.Session(exe)(x), wanted, rtol=1e-5, atol=1e-5)


def test_what_cannot_be_compiled(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(main.umbrella(), ["compile", str(model), "--print-after", "nothing"], "anytile") != 0
    assert "no such pass; expected one of infer, to_anf" in capsys.readouterr().err
    assert main.run(main.umbrella(), ["compile", str(model.parent / "none.txt")], "anytile") != 0
    assert "cannot be read" in capsys.readouterr().err
    model.write_text(TEXT.replace("(3, 4)", "(3, 5)"))
    assert main.run(main.umbrella(), ["compile", str(model)], "anytile") != 0
    assert "model.txt" in capsys.readouterr().err


def test_what_is_no_module_is_said() -> None:
    with pytest.raises(SpecError, match="expected a Module or the file of one, got ModuleBuilder; a builder makes one"):
        anytile.compile(anytile.ModuleBuilder())  # type: ignore[arg-type]  # on purpose


def test_a_database_that_lacks_everything_is_told(model: Path, tmp_path: Path) -> None:
    place = tmp_path / "team.db"
    with Store.open(str(place)):
        pass
    exe = anytile.compile(model, db=place)
    with Store.open(str(place), readonly=True) as store:
        assert [m for m in store.misses() if str(m.workload).startswith("dense(m=?m, n=3, k=4")]
    assert "dense" in exe.why()


@pytest.mark.slow
def test_an_untuned_model_is_told_what_would_be_faster(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = _empty(model)
    for words in ([], ["--why"]):
        assert main.run(main.umbrella(), ["compile", str(model), "--db", str(place), *words], "anytile") == 0
        first, *_, last = capsys.readouterr().out.splitlines()
        assert first == f"{model} compiles: 1 function, 2 kernels; -o FILE writes the executable"
        command = command_line("tune", "--model", str(model), "--db", str(place))
        assert last == f"1 of 1 kernel is untuned; `{command}`, then compile again to make it faster"
    more = str(Target.host(usable_cores() + 1))
    assert main.run(main.umbrella(), ["compile", str(model), "--target", more, "--why"], "anytile") == 0
    assert f"`{command_line('tune', '--model', str(model), '--target', more)}`" in capsys.readouterr().out
    exe = anytile.compile(model, db=place)
    told = exe.why(db="postgresql://me:SECRET@host/team").splitlines()[-1]
    assert "--db postgresql://me@host/team`" in told
    assert exe.why().splitlines()[-1].startswith("1 of 1 kernel is untuned; `anytile tune --model FILE`")
    (entry,) = (k for k in exe.kernels if k.kind == "kernel")
    for rung in ("exact", "compatible"):
        tuned = replace(exe, kernels=tuple(replace(k, rung=rung) if k is entry else k for k in exe.kernels))
        assert "to make them faster" not in tuned.why()
    small = Module.parse("def main(x: Tensor[(3,), float32]) -> Tensor[(3,), float32] { relu(x) }")
    assert "to make them faster" not in anytile.compile(small, db=place).why()  # nothing to gain


def test_why_names_the_record_that_a_kernel_stands_on(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place, out = model.with_suffix(".db"), model.with_suffix(".exe")
    workload, host = dense(Any("m"), 3, 4, const=("w",)), Target.host()
    plan = single_plan(workload, host, "dense.cpu", template("dense.cpu").default(workload, host))
    with Store.open(str(place)) as store:
        store.add_selection(Selection(workload, host, plan.to_json(), versions_here("dense.cpu"), created=86400.0))
    anytile.compile(model, db=place).save(out)
    for command in ("dump", "profile"):
        words = [command, str(out), "--why", *(["--sizes", "n=5"] if command == "profile" else [])]
        assert main.run(main.umbrella(), words, "anytile") == 0
        said = capsys.readouterr().out
        assert "from exact; Tuned for exactly this workload and target: the plan was chosen on 1970-01-02" in said
        assert ("of the time in 1 call" in said) == (command == "profile")
    kernels = [replace(k, because="") for k in read(out)[0].kernels]
    assert "from exact" in why(replace(read(out)[0], kernels=tuple(kernels)))


def test_why_says_what_was_changed_in_a_plan(model: Path) -> None:
    exe = anytile.compile(model)
    (entry,) = (k for k in exe.kernels if k.kind == "kernel")
    plan = noted(DispatchPlan.from_json(entry.plan), "no blas library\nwas found here")
    changed = replace(entry, plan=plan.to_json(), because="A sentence.\n" + "x" * 9999)
    exe = replace(exe, kernels=tuple(changed if k is entry else k for k in exe.kernels))
    (line,) = (line for line in exe.why().splitlines() if line.startswith(f"{entry.name}: "))
    assert "; A sentence. ...; no blas library was found here" in line


def _estimate(workload: Workload, target: Target) -> Estimate:
    (first, *_) = templates_for(workload, target)
    return Estimate(first.name, first.default(workload, target), 1, "It is an estimate")


@pytest.mark.slow
def test_the_cost_model_ranks_what_has_no_record(model: Path) -> None:
    exe = compile_module(read_module(model), db=_empty(model), rank=_estimate)
    assert "from model; " in exe.why()
    assert "The cost model puts" in exe.why()


def test_compiling_asks_the_cost_model_of_the_database(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ranker(store: object) -> object:
        assert isinstance(store, Store)
        return _estimate

    monkeypatch.setattr(api, "ranker", ranker)
    assert "from model; " in anytile.compile(model, db=_empty(model)).why()


@pytest.mark.slow
def test_a_model_is_tuned(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_suffix(".exe")
    anytile.compile(model).save(out)
    for file in (model, out):
        words = ["tune", "--model", str(file), "--compile-only", "--trials", "2", "--search", "random"]
        assert main.run(main.umbrella(), words, "anytile") == 0
        assert "dense(m=?m, n=3, k=4" in capsys.readouterr().out
    said = []
    for precision in ("float32", "bfloat16", "int8"):
        words = ["tune", "--model", str(model), "--precision", precision, "--compile-only", "--trials", "1"]
        assert main.run(main.umbrella(), [*words, "--search", "random"], "anytile") == 0
        said.append(capsys.readouterr().out)
    assert ["quantise_rows(m=?m, k=4" in one for one in said] == [False, False, True]
    assert ["w=bfloat16" in one for one in said] == [False, True, False]
    assert main.run(main.umbrella(), ["tune", "--model", str(model), "--preset", "lstm"], "anytile") != 0
    assert "given together with --preset lstm" in capsys.readouterr().err


def test_a_precision_to_tune_for_is_that_of_a_model(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = model.with_suffix(".exe")
    anytile.compile(model).save(out)
    for words, wanted in (
        (
            ["--model", str(out), "--precision", "int8"],
            f"error: {out}: it is compiled, and has its precision;",
        ),
        (
            ["--precision", "int8"],
            "error: --precision int8: is that of a --model; workloads have",
        ),
        (["--preset", "lstm", "--precision", "int8"], "error: --precision int8: is that of a --model"),
        (["--from-misses", "3", "--precision", "int8"], "error: --precision int8: is that of a --model"),
        (["--model", str(model), "--precision", "int7"], "error: precision 'int7': expected one of float32, bfloat16"),
    ):
        assert main.run(main.umbrella(), ["tune", *words], "anytile") != 0
        assert wanted in capsys.readouterr().err


def test_a_precision_is_that_of_dense_layers(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["compile", str(model), "--precision", "int8", "--why", "--print-after", "narrow_layers"]
    assert main.run(main.umbrella(), given, "anytile") == 0
    said = capsys.readouterr().out
    assert "quantise_rows(m=?m, k=4" in said
    assert "quantised_dense(m=?m, n=3, k=4" in said
    assert 'quantised_dense(codes, $w_int8, out="float32"' in said  # and pairs where this CPU adds them up in 16 bits
    assert f"`{command_line('tune', '--model', str(model), '--precision', 'int8')}`, then" in said


def test_an_unknown_precision_is_a_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(main.umbrella(), ["compile", str(model), "--precision", "int3"], "anytile") == 2
    assert "precision 'int3': expected one of float32, bfloat16, float16, int8, int4" in capsys.readouterr().err


def test_quantising_says_what_each_layer_loses(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, run = model.with_name("narrow.txt"), model.with_name("run.npz")
    np.savez(run, x=np.eye(4, dtype=np.float32))
    given = ["quantise", str(model), "--data", str(run), "--error", "0.02", "-o", str(out)]
    assert main.run(main.umbrella(), given, "anytile") == 0
    first, made_for, last = capsys.readouterr().out.splitlines()
    assert "w: 3x4 int8, error " in first
    assert made_for.startswith("made for ")
    assert last.startswith(f"{out}: 1 of 1 layer in int8, error of the results ")
    narrow, whole = (anytile.Session(anytile.compile(m, "llvm -threads=1")) for m in (out, model))
    x = np.float32([[1, 2, 3, 4]])
    np.testing.assert_allclose(narrow(x), whole(x), rtol=0.02)


@pytest.mark.slow
def test_ranges_are_chosen_of_a_folder_and_a_page_shows_them(
    model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder, out, page = tmp_path / "runs", tmp_path / "narrow.txt", tmp_path / "narrow.html"
    folder.mkdir()
    for number in range(3):
        np.savez(folder / f"{number}.npz", x=np.eye(4, dtype=np.float32) * number)
    given = ["quantise", str(model), "--data", str(folder), "--ranges", "extremes", "--report", str(page)]
    for cpu, is_paired in (("znver4", False), ("haswell", True)):
        assert main.run(main.umbrella(), [*given, "-o", str(out), "--target", f"llvm -mcpu={cpu}"], "anytile") == 0
        said = capsys.readouterr().out
        assert "w: 3x4 int8, 0 to 2 and 0.00% beyond, error " in said
        assert "quantise_within(x, " in out.read_text()
        assert ('pairs="int16"' in out.read_text()) == is_paired
        assert "3x4" in page.read_text()
        (made_for,) = (line for line in said.splitlines() if line.startswith(f"made for {cpu}: "))
        assert made_for in page.read_text()
    (folder / "2.npz").unlink()
    np.savez(folder / "2.npz", y=np.eye(4, dtype=np.float32))
    assert main.run(main.umbrella(), given, "anytile") == 1
    assert f"quantise: {folder / '2.npz'}: main: got y; expected x" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--data", "."], ".: no .npz file is in it; expected one for each run, which numpy.savez writes"),
        (["--ranges", "extremes"], "quantise: ranges are chosen of what comes to layers; expected inputs"),
        (["--report", "MODEL"], "is what the command reads"),
        (["--dtype", "int3"], "precision 'int3': expected one of bfloat16, float16, int8, int4"),
        (["--data", "nowhere.npz"], "nowhere.npz: the inputs of a run cannot be read: No such file or directory"),
        (["-o", "MODEL"], "is what the command reads"),
    ],
)
def test_what_stops_quantising_is_a_line(
    model: Path, capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    given = ["quantise", str(model), *(str(model) if word == "MODEL" else word for word in more)]
    assert main.run(main.umbrella(), given, "anytile") == 2
    assert said in capsys.readouterr().err
