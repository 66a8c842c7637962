"""Whatever is typed wrongly: one line on stderr, an exit code that is not 0, no traceback, nothing half-written."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anytile
from anytile.cli.main import INTERNAL, run, tune_alone, umbrella
from anytile.commands.bare import run as bare
from anytile.core.errors import AnytileError, SpecError, UnsupportedError
from anytile.db.records import jsonl
from anytile.db.store import Store

Fail = Callable[..., tuple[int, str]]
SHAPE = ["--shape", "m=?,n=64,k=64"]


@pytest.fixture
def fail(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Fail:
    """Runs a command line that must fail, and returns its exit code and the text of the error."""
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "own.db"))
    monkeypatch.delenv("ANYTILE_DEBUG", raising=False)

    def go(*words: str) -> tuple[int, str]:
        code = run(umbrella(), list(words), "anytile")
        said = capsys.readouterr()
        assert code != 0, said.out
        assert said.err.startswith("error: "), said.err
        assert said.err.count("\n") == 1, said.err
        assert "Traceback" not in said.err + said.out
        return code, said.err

    return go


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["tune", "--op", "conv9d", *SHAPE], 2, "unknown operator 'conv9d'; expected one of"),
        (["tune", "--shape", "m=?,n=768"], 2, "k is missing"),
        (["tune", "--shape", "m=?,n=768,k=768,q=3"], 2, "q is not a dimension of dense"),
        (
            ["tune", "--op", "conv2d", "--shape", "n=?,ci=4,h=9,w=9,co=4,kh=3,kw=3,strides=2"],
            2,
            "strides is not a dimension of conv2d; expected n=..., ci=..., h=..., w=..., co=..., kh=..., kw=..., "
            "and perhaps stride, pad, dilation, groups, layout, algorithm, filters",
        ),
        (
            ["tune", "--op", "conv2d", "--shape", "n=?,ci=4,h=9,w=9,co=4,kh=3,kw=3,stride=2,1"],
            2,
            "'1' is not name=value; expected a list like m=?,n=768,k=768; x joins the numbers of an attribute",
        ),
        (["tune", *SHAPE, "--target", "llvm -threads=9999"], 3, "timing 9999 threads takes as many cores"),
        (["tune", "--shape", "nonsense"], 2, "is not name=value"),
        (["tune", "--shape", "m=?,n=7x,k=3"], 2, "n=7x: expected a whole number"),
        (["tune", "--shape", "m=?,m=3,n=7,k=3"], 2, "m is given twice"),
        (["tune", "--shape", "m=?,n=-768,k=768"], 2, "n=-768 is out of range"),
        (["tune", "--shape", "m=?,n=99999999999,k=768"], 2, "out of range"),
        (
            ["tune", "--preset", "gpt"],
            2,
            "preset 'gpt': expected one of bert-base, bert-large, bert-base-int8, llama-1b-int4, resnet50",
        ),
        (["tune", "--preset", "lstm", *SHAPE], 2, "--preset lstm: given together with --shape m=?,n=64,k=64; give one"),
        (["tune", "--preset", "lstm", "--op", "conv2d"], 2, "--preset lstm: given together with --op conv2d"),
        (
            ["tune", "--preset", "lstm", "--dtype", "int32"],
            2,
            "has float32 workloads, got --dtype int32",
        ),
        (["tune", "--resume", "last", "--preset", "lstm"], 2, "goes on as it was started; leave --preset out"),
        (["tune", *SHAPE, "--dtype", "float99"], 2, "dtype 'float99' is not supported; expected one of float32"),
        (["tune", *SHAPE, "--target", "tpu"], 2, "target 'tpu': expected one of llvm, cuda"),
        (["tune", *SHAPE, "--target", "llvm -fast"], 2, "is not -option=value"),
        (["tune", *SHAPE, "--target", "llvm -threads=0"], 2, "not a positive whole number"),
        (["tune", *SHAPE, "--target", "llvm -mcpu=znver99"], 2, "znver99"),
        (["tune", *SHAPE, "--target", "llvm -mtriple=weird-machine"], 2, "weird-machine"),
        (["tune", *SHAPE, "--target", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"], 3, "emitted, not run"),
        (["tune", *SHAPE, "--target", "cuda -arch=sm_75"], 3, "--compile-only"),
        (["tune", *SHAPE, "--search", "guess"], 2, "--search 'guess': expected one of grid, random, evolve"),
        (["tune", *SHAPE, "--at", "n=1"], 2, "--at n=1: no workload has a symbol 'n'; expected some of m"),
        (["tune", "--shape", "m=3,n=4,k=4", "--at", "m=1"], 2, "no workload has a symbol 'm'; every size is known"),
        (["tune", *SHAPE, "--at", "m"], 2, "--at m: expected a size for each symbol, as in --at n=1,h=56"),
        (["tune", *SHAPE, "--at", "m=1,m=2"], 2, "expected a size for each symbol"),
        (["tune", *SHAPE, "--at", "m=0"], 2, "--at m 0: expected 1 or more"),
        (["tune", "--resume", "last", "--at", "m=1"], 2, "goes on as it was started; leave --at out"),
        (["tune", *SHAPE, "--runner", "cloud"], 2, "--runner 'cloud': expected one of ray, inline, replay"),
        (["tune", *SHAPE, "--runner", "inline", "--ray", "auto"], 2, "--ray auto"),
        (["tune", *SHAPE, "--ray", ""], 2, "--ray '': expected the address of a Ray cluster; leave --ray out"),
        (["tune", *SHAPE, "--time", "soon"], 2, "--time 'soon': expected a duration such as 90s"),
        (["tune", *SHAPE, "--trials", "0"], 2, "--trials 0: expected 1 or more"),
        (["tune", *SHAPE, "--trials", "many"], 2, "'--trials'"),
        (["tune", *SHAPE, "--portfolio", "0"], 2, "--portfolio 0: expected 1 or more"),
        (["tune", *SHAPE, "--top-k", "-3"], 2, "--top-k -3: expected 1 or more"),
        (["tune", *SHAPE, "--code-budget", "lots"], 2, "--code-budget 'lots'"),
        (["tune", *SHAPE, "--template", "dense.gpu", "--runner", "inline"], 2, "dense.gpu"),
        (["tune", *SHAPE, "--weights", "missing.csv"], 2, "missing.csv"),
        (["tune", "--resume", "0000", "--runner", "inline"], 4, "no campaign '0000'"),
        (["tune", "--resume", "last", "--runner", "inline"], 4, "holds no campaign yet"),
        (["tune", "--resume", "last", "--time", "9s"], 2, "goes on as it was started; leave --time out"),
        (["tune", "--resume", "last", "--target", "llvm -threads=1"], 2, "leave --target out, or begin anew"),
        (["tune", "--resume", "last", "--seed", "0"], 2, "leave --seed out"),
        (["tune", "--resume", "last", "--no-const"], 2, "leave --const out"),
        (["tune", "--resume", "last", "--compile-only"], 2, "leave --compile-only out"),
        (["tune", "--speed", "9"], 2, "--speed"),
        (["tune", *SHAPE, "--target", "llvm", "-threads=1"], 2, "quote it, as in --target 'llvm -threads=1'"),
        (["profile", "model.exe", "--trace"], 2, "requires an argument; see `anytile profile --help`"),
        (["tune", "--shape", "m=?n=768,k=768"], 2, "m=?n=768: expected ? or ?name"),
        (["tnue"], 2, "tnue"),
        (["db"], 2, "see `anytile db --help`"),
        (["db", "list"], 4, "does not exist; tune something first"),
        (["db", "show", "beef", "--db", "nowhere.db"], 4, "nowhere.db"),
        (["db", "import", "missing.jsonl"], 2, "missing.jsonl"),
        (["db", "merge", "missing.db"], 2, "missing.db: there is no such database to merge from"),
        (["source", *SHAPE, "--m", "99999999999"], 2, "--m 99999999999: expected 2147483647 at most"),
        (["report", "last"], 4, "does not exist"),
        (["lookup"], 2, "no workload: expected --shape"),
        (["lookup", "dense(m=?", "--db", "x.db"], 2, "expected op(dim=value, ...)"),
        (["lookup", "dense(m=?, n=4, k=4)", *SHAPE], 2, "give one of them"),
        (["lookup", *SHAPE, "--db", "nowhere.db"], 4, "does not exist"),
        (["why", *SHAPE, "--m", "-1"], 2, "--m -1: expected 0 or more"),
        (["why", "--shape", "m=3,n=4,k=4", "--m", "3"], 2, "has no symbolic dimension"),
        (["source", *SHAPE, "--form", "poem"], 2, "--form 'poem': expected one of nest, llvm, asm, object"),
        (["source", *SHAPE, "--form", "object"], 2, "expected -o FILE"),
        (["source", *SHAPE, "--config", "tile_m=8"], 2, "is missing"),
        (["source", *SHAPE, "--template", "dense.cpu"], 2, "only goes with --config"),
        (["source", *SHAPE, "--classes", "0"], 2, "--classes '0': expected a whole number above 0, or none"),
        (["source", "dense(m=4, n=8, k=8)", "--classes", "2"], 2, "no dimension that it ranges over has residues"),
        (["source", *SHAPE, "--form", "object", "-o", "/dev/full"], 2, "No space left"),
        (["source", *SHAPE, "--target", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-z1"], 2, "cortex-z1"),
    ],
)
def test_wrong_words_get_a_line(fail: Fail, words: list[str], code: int, says: str) -> None:
    found, text = fail(*words)
    assert says in text
    assert found == code


def test_the_short_command_fails_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tune_alone(), ["--op", "conv9d"], "tune") == 2
    assert capsys.readouterr().err.startswith("error: unknown operator 'conv9d'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("m,weight\n1,0.5\n64,-2\n", ":3: weight -2 is negative"),
        ("m,weight\n1\n", ":2: 1 value under 2 columns"),
        ("m,weight\n1,\n", ":2: weight (empty) is not a number"),
        ("m,weight\n-4,1\n", ":2: m=-4 is out of range"),
        ("m,weight\n4,nan\n", ":2: weight nan is not finite"),
        ("", ":1: empty"),
        ("1,0.5\n", "the columns m and weight are missing"),
    ],
)
def test_bad_weights_are_told_by_file_and_line(fail: Fail, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "w.csv"
    file.write_text(text)
    code, said = fail("tune", *SHAPE, "--weights", str(file), "--runner", "inline")
    assert (code, str(file) in said) == (2, True)
    assert says in said
    assert not (tmp_path / "own.db").exists()  # nothing was begun


def test_weights_without_a_size_to_weigh(fail: Fail, tmp_path: Path) -> None:
    file = tmp_path / "w.csv"
    file.write_text("m,weight\n64,1\n")
    code, said = fail("tune", "--shape", "m=64,n=64,k=64", "--weights", str(file), "--runner", "inline")
    assert (code, said) == (
        2,
        "error: tune: weights of sizes, and every size is known; leave them out, or write m=? for one\n",
    )
    with pytest.raises(SpecError, match="every size is known"):
        anytile.tune(anytile.dense(m=3, n=8, k=8), runner="inline", weights={3: 1.0})


def test_nothing_is_stored_where_nothing_can_be_measured(fail: Fail, tmp_path: Path) -> None:
    code, said = fail("tune", *SHAPE, "--ray", "127.0.0.1:1")
    assert (code, "Ray at 127.0.0.1:1 cannot be reached" in said) == (5, True)
    with pytest.raises(UnsupportedError, match="timing 9999 threads takes as many cores"):
        anytile.tune(anytile.dense(m=3, n=8, k=8), "llvm -threads=9999", runner="inline", search="random", seconds=1)
    with anytile.open_store(readonly=True) as store:
        assert store.campaigns() == []


@pytest.mark.slow
def test_what_somebody_needs_is_not_replaced(fail: Fail, filled: Any, tmp_path: Path) -> None:
    """A database, a model, or what the command reads, given as the file to write by a slip."""
    db, model, exe = tmp_path / "tuning.db", tmp_path / "model.txt", tmp_path / "model.exe"
    shutil.copy(filled.url, db)
    anytile.Module.parse(
        "const $w: Tensor[(5, 9), float32];\n"
        "def main(x: Tensor[(?t, 9), float32]) -> Tensor[(?t, 5), float32] { dense(x, $w) }",
        {"w": np.ones((5, 9), np.float32)},
    ).save(model)
    assert run(umbrella(), ["compile", str(model), "-o", str(exe)], "anytile") == 0
    before = {path: path.read_bytes() for path in (db, model, exe, tmp_path / "model.npz")}
    for words in (
        ["db", "export", "-o", str(db), "--db", str(db)],
        ["report", "last", "-o", str(db), "--db", str(db)],
        ["compile", str(model), "-o", str(db)],
        ["compile", str(model), "-o", str(model)],
        ["compile", str(model), "-o", str(tmp_path / "model.npz")],
        ["profile", str(exe), "--sizes", "t=3", "--trace", str(exe)],
        ["source", *SHAPE, "-o", str(exe)],
    ):
        code, said = fail(*words)
        assert (code, "which this would replace; give another -o FILE" in said) == (2, True), words
        assert {path: path.read_bytes() for path in before} == before, words
    assert run(umbrella(), ["compile", str(model), "-o", str(exe)], "anytile") == 0


def test_a_database_that_is_none(fail: Fail, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("this is not a database\n" * 100)
    for words in (["db", "list"], ["tune", *SHAPE, "--runner", "inline"], ["report", "last"], ["lookup", *SHAPE]):
        code, said = fail(*words, "--db", str(file))
        assert code == 4
        assert "not a SQLite database" in said
    assert file.read_text().startswith("this is not a database")


def test_a_folder_and_a_strange_url(fail: Fail, tmp_path: Path) -> None:
    assert fail("db", "list", "--db", str(tmp_path))[0] == 4
    code, said = fail("db", "list", "--db", "oracle://scott:tiger@host/x")
    assert code == 4
    assert "tiger" not in said


def test_a_database_from_a_newer_version(fail: Fail, filled: Any, tmp_path: Path) -> None:
    newer = tmp_path / "newer.db"
    shutil.copy(filled.url, newer)
    with sqlite3.connect(newer) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for words in (["db", "list"], ["tune", *SHAPE, "--runner", "inline"]):
        code, said = fail(*words, "--db", str(newer))
        assert code == 4
        assert "newer" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_database_can_be_read_and_not_tuned(fail: Fail, filled: Any, tmp_path: Path) -> None:
    folder = tmp_path / "frozen"
    folder.mkdir()
    shutil.copy(filled.url, folder / "t.db")
    (folder / "t.db").chmod(0o444)
    folder.chmod(0o555)
    code, said = fail("tune", *SHAPE, "--runner", "inline", "--db", str(folder / "t.db"))
    assert code == 4
    assert "read-only" in said
    folder.chmod(0o755)


@pytest.mark.parametrize(
    "words",
    [
        "db merge NAME",
        "db export -o NAME",
        "report last -o NAME",
        "db recover NAME -o new.db",
        "db coverage NAME",
        "source --shape m=?,n=8,k=8 -o NAME",
    ],
)
def test_a_name_that_no_file_can_have_is_no_defect_of_ours(
    fail: Fail, filled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANYTILE_DB", filled.url)
    code, said = fail(*words.replace("NAME", "x" * 300).split())
    assert code in (2, 6)
    assert "File name too long" in said or "there is no such" in said


def test_a_defect_of_ours_is_a_line_too(fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(url: str | None) -> list[object]:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("anytile.doctor.examine", broken)
    code, said = fail("doctor")
    assert code == INTERNAL
    assert "RuntimeError: two lines; this is a defect, ANYTILE_DEBUG=1 shows where" in said


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYTILE_DEBUG", "1")
    with pytest.raises(AnytileError):
        run(umbrella(), ["tune", "--op", "conv9d"], "anytile")


def test_ctrl_c_outside_a_campaign_leaves_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(url: str | None) -> list[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr("anytile.doctor.examine", interrupted)
    monkeypatch.setattr("anytile.db.store.Store.open", lambda url, readonly: interrupted(url))
    monkeypatch.setattr("anytile.commands.tune_run.read_request", lambda options, given: interrupted(None))
    front_ends = [(umbrella(), words) for words in (["doctor"], ["db", "list"], ["tune"], ["db", "stats", "--json"])]
    for app, words in [*front_ends, (tune_alone(), [])]:
        assert run(app, words, "anytile") == 130
        assert capsys.readouterr() == ("", "interrupted\n")
    assert bare(["tune"]) == 130
    assert capsys.readouterr() == ("", "interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["db coverage bert-base", "tune --compile-only --trials 99"])
def test_ctrl_c_at_any_moment_is_one_line(words: str, tmp_path: Path) -> None:
    begun = "from anytile.cli.main import main; print('here', flush=True); main()"
    command = [sys.executable, "-P", "-c", begun, *words.split()]
    for after in (0.02, 0.2, 0.4, 0.7, 1.0):  # its imports, its options, its work
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "here\n"
            begun_at = time.monotonic()
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            waited = time.monotonic() - begun_at  # longer, where others have the machine
            err = process.communicate(timeout=60)[1]
        if waited > 0.3 and err.startswith("error: database ") and "does not exist" in err:  # it was through before
            return
        assert (process.returncode, err) == (130, "interrupted\n")


JOURNALLED = [
    "db list", "db show", "db best", "db stats", "db export", "db suggest", "db train", "db verify", "db verify --list",
    "db prune", "db prune --apply", "db compact", "db regressions", "db coverage bert-base", "db serve --port 0",
    "report", "tune --from-misses 3", f"lookup {' '.join(SHAPE)}", f"why {' '.join(SHAPE)}",
    f"source {' '.join(SHAPE)}", "db import all.jsonl", "db merge other.db",
]  # fmt: skip


@pytest.mark.parametrize("words", JOURNALLED)
def test_a_journal_is_no_database_to_any_command(
    fail: Fail, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Store.open("other.db").close()
    assert run(umbrella(), ["db", "export", "-o", "all.jsonl", "--db", "other.db"], "anytile") == 0
    says = "journal.jsonl: is a journal, which `tune` alone writes; take it into a database: `anytile db import"
    assert says in fail(*words.split(), "--db", "journal.jsonl")[1]
    monkeypatch.setenv("ANYTILE_DB", "journal.jsonl")
    assert says in fail(*words.split())[1]
    assert {p.name for p in tmp_path.iterdir()} <= {"all.jsonl", "other.db", "other.db-shm", "other.db-wal"}


def test_an_import_that_is_refused_makes_no_database(fail: Fail, tmp_path: Path) -> None:
    new, bad = tmp_path / "new.db", tmp_path / "bad.jsonl"
    header = jsonl.header()
    trial = '{"record": "trial"}'
    for text, says in (
        ("no lines of ours", "bad.jsonl:1: "),
        (f"{header}\n{trial}\n", "bad.jsonl:2: "),
    ):
        bad.write_text(text)
        assert says in fail("db", "import", str(bad), "--db", str(new))[1]
    assert "no such file" in fail("db", "import", "no such file", "--db", str(new))[1].lower()
    assert not new.exists()


@pytest.mark.parametrize("main", ["main", "tune_main"])
def test_ctrl_c_while_commands_are_imported_leaves_quietly(main: str) -> None:
    """On a busy machine that takes a second, and ended with a traceback."""
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "anytile.commands.tune":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from anytile.cli.main import {main}
{main}()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_out_of_memory_is_a_line(fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(url: str | None) -> list[object]:
        raise MemoryError

    monkeypatch.setattr("anytile.doctor.examine", hungry)
    assert fail("doctor")[0] == 6


@pytest.mark.slow
@pytest.mark.parametrize("words", ["db export", "db list", "db show last --json", "doctor", "tune --help"])
def test_a_reader_that_leaves_ends_a_command_quietly(filled: Any, words: str) -> None:
    """`anytile db list | head`, for real."""
    script = f'{{ sleep 0.2; "{sys.executable}" -m anytile {words}; }} | true; exit ${{PIPESTATUS[0]}}'
    environment = {**os.environ, "ANYTILE_DB": filled.url}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (141, "")


def test_what_was_typed_comes_back_in_a_line_of_bounded_length(fail: Fail) -> None:
    for words in (["run", "x" * 100_000], ["csv " * 50_000], ["lookup", "--target", "\x1b[31m" * 9999, *SHAPE]):
        said = fail(*words)[1]
        assert len(said) < 20_000
        assert "\x1b" not in said


@pytest.mark.slow
@pytest.mark.parametrize("words", ["doctor", "db stats", "db export", "--version", "lookup --shape m=?,n=8,k=8"])
def test_output_that_cannot_be_written_is_a_line(words: str, tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    Store.open(str(db)).close()
    command = f"exec {sys.executable} -P -m anytile {words}"
    for redirected, code in ((">/dev/full", 6), (">&-", 0), (">&- 2>&- <&-", 0)):
        done = subprocess.run(
            ["sh", "-c", f"{command} {redirected}"],
            capture_output=True,
            text=True,
            env={**os.environ, "ANYTILE_DB": str(db)},
        )
        assert done.returncode == code, done.stderr
        assert "internal" not in done.stderr
        assert "Exception ignored" not in done.stderr
        if code:
            assert done.stderr.count("\n") == 1, done.stderr
            assert "No space left on device" in done.stderr
