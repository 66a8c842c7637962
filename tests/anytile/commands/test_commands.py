"""The commands, doing what they are for; their failures are in test_cli_errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import pytest

from anytile.cli.main import run, tune_alone, umbrella
from anytile.commands import database
from anytile.commands.tune_run import Place
from anytile.core.errors import MeasureError, ResourceError
from anytile.db.records.records import Campaign, Status, new_id
from anytile.db.store import Store
from anytile.dispatch.blas import in_plans
from anytile.schedules.hardware.target import Target
from anytile.schedules.workloads.constructors import dense
from anytile.schedules.workloads.workload import Any as Sym
from anytile.tuner.ledger.events import CampaignEnded

W = "dense(m=?m, n=768, k=768, const=w)"
SMALL = ["--shape", "m=?,n=48,k=32"]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Runs a command line that must succeed, and returns what it printed."""
    if "ANYTILE_DB" not in os.environ:
        monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "own.db"))

    def go(*words: str) -> str:
        code = run(umbrella(), list(words), "anytile")
        said = capsys.readouterr()
        assert code == 0, said.err
        return said.out

    return go


def test_help_and_version(say: Callable[..., str]) -> None:
    from anytile import __version__

    everything = say()
    for command in ("tune", "report", "lookup", "why", "source", "db", "doctor"):
        assert command in everything
    assert say("--version") == f"anytile {__version__}\n"
    assert "--portfolio" in say("tune", "--help")
    words = " ".join(say("tune", "--help").replace("│", " ").split())  # a default that no value stands for is told, too
    for default in ("the three dense layers of BERT-base", "evolve where xgboost is installed, else random"):
        assert f"[default: ({default})]" in words


def test_lookup_says_its_rung_and_its_plan(filled: Any, say: Callable[..., str]) -> None:
    text = say("lookup", "--shape", "m=?,n=768,k=768")
    assert "\nexact: " in text
    assert "m 512 and up: blas" in text
    found = json.loads(say("lookup", W, "--json"))
    assert (found["rung"], found["plan"]["symbol"]) == ("exact", "m")
    assert json.loads(say("lookup", "--no-const", "--shape", "m=?,n=768,k=768", "--json"))["rung"] != "exact"


@pytest.mark.slow
def test_operands_are_constant_as_is_usual_for_the_operator(filled: Any, say: Callable[..., str]) -> None:
    """A layer's weight is known ahead of time; both operands of a product are not, unless one says so."""
    scores = ("lookup", "--op", "batch_matmul", "--shape", "b=12,m=?t,n=?t,k=64,rhs=bnk", "--json")
    assert "const" not in json.loads(say(*scores))["workload"]
    assert "const=rhs" in json.loads(say(*scores, "--const"))["workload"]
    assert "const=w" in json.loads(say("lookup", "--shape", "m=?,n=5,k=6", "--json"))["workload"]


def test_why_explains_a_size_or_the_plan(filled: Any, say: Callable[..., str]) -> None:
    at = say("why", W, "--m", "17")
    assert "m=17 = " in at
    whole = say("why", W)
    assert "2 variants gain 1.30% over 1" in whole
    assert json.loads(say("why", W, "--m", "600", "--json"))["point"] == {"m": 600}


def test_why_speaks_of_what_would_run_here(
    filled: Any, say: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "m=600 calls blas" in say("why", W, "--m", "600")
    monkeypatch.setattr(in_plans, "pick", lambda name: None)
    at = say("why", W, "--m", "600")
    assert "m=600 = " in at
    assert "Changed since: no blas library was found here: sizes 512.. run a variant instead." in at
    assert "m 16 and up: variant 0" in say("why", W)
    assert "m 512 and up: blas" in say("lookup", W)  # which says what is stored


@pytest.mark.slow
def test_a_tail_is_in_the_code_and_no_library_is_in_the_plan(
    filled: Any, say: Callable[..., str], tmp_path: Path
) -> None:
    """Plans are those of the workload without its tail, which is what they were measured for; code is of the whole."""
    tailed = W.replace(")", ", tail=max(y + bias[n], 0))")
    assert "bias" in say("source", tailed, "--m", "17")
    for name, workload in (("with", tailed), ("without", W)):
        say("source", workload, "--m", "17", "--form", "object", "-o", str(tmp_path / name))
    assert (tmp_path / "with").read_bytes() != (tmp_path / "without").read_bytes()
    assert "m=600 calls blas" in say("why", W, "--m", "600")
    left_out = "The tail max(y + bias[n], 0) was left out wherever it was measured."
    at = say("why", tailed, "--m", "600")
    assert "m=600 = " in at
    assert left_out in at
    assert "a library cannot compute the tail: sizes 512.. run a variant instead." in at
    assert left_out in say("why", tailed)
    assert left_out not in say("why", W)


def test_a_size_is_of_the_symbol_that_the_plan_goes_by(say: Callable[..., str]) -> None:
    several = ("--shape", "m=?,n=?,k=?", "--m", "17")
    assert "m=17 = " in say("why", *several)
    assert "The plan goes by m alone; k, n stood at one size each" in say("why", *several)
    assert json.loads(say("why", *several, "--json"))["point"] == {"m": 17}
    assert say("source", *several) != say("source", *several[:2])
    every = ("--op", "conv2d", "--shape", "n=?,ci=8,h=?,w=?ww,co=8,kh=3,kw=3")
    assert "runs, at every h, n, ww, " in say("why", *every)
    assert "n=17 runs variant 0 (" in say("why", *every, "--m", "17")


@pytest.mark.slow
def test_source_in_every_form(filled: Any, say: Callable[..., str], tmp_path: Path) -> None:
    assert say("source", W, "--m", "17").startswith("nest dense")
    assert "define" in say("source", W, "--m", "17", "--form", "llvm")
    assert ".text" in say("source", W, "--m", "17", "--form", "asm")
    listing = tmp_path / "k.s"
    assert str(listing) in say("source", W, "--m", "17", "--form", "asm", "-o", str(listing))
    assert ".text" in listing.read_text()


@pytest.mark.slow
def test_source_in_classes_of_residues(say: Callable[..., str]) -> None:
    """The plan's own, or as many as are asked for; each is named, and is a nest of its own."""
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.templates.registry import template
    from anytile.schedules.workloads.workload import parse_shape

    space = template("dense.cpu").space(parse_shape("dense", SMALL[1], const=("w",)), Target.host())
    shown = ("source", *SMALL, "--config", str(next(c for c in space if c["tile_m"] == 8)))
    two = say(*shown, "--classes", "2")
    first, *_ = two.splitlines()
    assert first == "# variant 0, dispatch/2 of a tile of 8: rests 0..3, 4..7"
    assert (two.count("nest dense"), two.count("nest dense_r0_3("), two.count("nest dense_r4_7(")) == (2, 1, 1)
    assert say(*shown, "--m", "17", "--classes", "2").startswith("nest dense_r0_3(")
    none = say(*shown, "--classes", "none", "--form", "llvm")
    assert none.startswith("; variant 0, none of a tile of 8: every row is guarded\n")
    every = say(*shown, "--classes", "99")
    assert every.splitlines()[0].endswith("dispatch/8 of a tile of 8: rests 0, 1, 2, 3, 4, 5, 6, 7")
    assert every == say(*shown)


@pytest.mark.slow
def test_an_object_file_for_another_cpu(say: Callable[..., str], tmp_path: Path) -> None:
    out = tmp_path / "k.o"
    target = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"
    assert "cortex-a72" in say("source", *SMALL, "--form", "object", "--target", target, "-o", str(out))
    head = out.read_bytes()[:20]
    assert head[:4] == b"\x7fELF"
    assert int.from_bytes(head[18:20], "little") == 183  # EM_AARCH64


def test_a_config_of_ones_own(say: Callable[..., str]) -> None:
    from anytile.schedules.hardware.target import Target
    from anytile.schedules.templates.registry import template
    from anytile.schedules.workloads.workload import parse_shape

    space = template("dense.cpu").space(parse_shape("dense", SMALL[1], const=("w",)), Target.host())
    assert say("source", *SMALL, "--m", "3", "--config", str(space[len(space) // 2])).startswith("nest dense")


@pytest.mark.slow
def test_db_commands(filled: Any, say: Callable[..., str], tmp_path: Path) -> None:
    assert "5eed0000  finished" in say("db", "list")
    assert json.loads(say("db", "list", "--json"))[0]["trials"] == 420
    shown = say("db", "show", "5eed")
    assert "exit by signal 11" in shown
    assert "variant 0" in shown
    assert json.loads(say("db", "show", "last", "--json"))["statuses"]["ok"] == 415
    assert len(say("db", "best", "--top", "3").splitlines()) == 4
    assert json.loads(say("db", "best", "--json"))[0]["rank"] == 1
    assert "420" in say("db", "stats")
    assert json.loads(say("db", "stats", "--json"))["campaigns"] == 1


def test_a_limit_is_one_of_json_as_well(
    say: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, target = str(tmp_path / "several.db"), Target.host()
    with Store.open(db) as store:
        for n in (64, 96, 128):
            workload = dense(Sym("m"), n, 64)
            store.add_campaign(Campaign((workload,), target, {}, created=1e9 + n))
            store.record_miss(workload, target)
    for words, count, left in (("list", 3, "older"), ("suggest", 3, "less worth")):
        whole = json.loads(say("db", words, "--db", db, "--json"))
        assert len(whole) == count
        capsys.readouterr()
        assert run(umbrella(), ["db", words, "--db", db, "--json", "--limit", "2"], "anytile") == 0
        said = capsys.readouterr()
        assert json.loads(said.out) == whole[:2]
        assert said.err == f"and 1 {left}; --limit shows more\n"
        assert said.err in say("db", words, "--db", db, "--limit", "2")
        assert left not in say("db", words, "--db", db)


ESCAPES = "\x1b[31mRED\x1b]0;title\x07 \x9b2J \u202e"


@pytest.mark.slow
def test_nothing_in_a_record_steers_the_terminal(
    filled: Any, say: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan, a reason, a device that a colleague made up are shown escaped, on every line that quotes them."""
    mine = str(tmp_path / "escapes.db")
    say("db", "merge", filled.url, "--db", mine)
    monkeypatch.setenv("ANYTILE_DB", mine)
    with Store.open() as store:
        plan = replace(
            filled.plan,
            ranges=tuple(replace(r, because=ESCAPES) for r in filled.plan.ranges),
            notes={**filled.plan.notes, "decisions": [ESCAPES]},
        )
        good = store.selections()[0]
        harmful = replace(good, plan=plan.to_json(), device=ESCAPES, created=good.created + 1, id=new_id())
        store.add_selection(harmful)
        trial = next(t for t in store.trials() if t.status is not Status.OK)
        store.add_trials([replace(trial, reason=ESCAPES, device=ESCAPES, kind=ESCAPES, id=new_id())])
    said = [
        say(*words)
        for words in (
            ["db", "show"],
            ["db", "best"],
            ["db", "stats"],
            ["lookup", W],
            ["why", W],
            ["why", W, "--m", "17"],
        )
    ]
    said += [say("db", "show", "--json"), say("lookup", W, "--json"), say("source", W, "--m", "17")]
    assert any(r"\u001b[31mRED" in text for text in said)
    for text in said:
        assert not {*"\x1b\x07\x9b\u202e"} & {*text}


def test_an_export_that_fails_leaves_the_one_before(
    filled: Any, say: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "all.jsonl"
    say("db", "export", "-o", str(out))
    before = out.read_bytes()

    def half(store: object, file: TextIO) -> None:
        file.write("half")
        file.flush()
        raise ResourceError("the disk is full")

    monkeypatch.setattr("anytile.db.exchange.export_lines", half)
    assert run(umbrella(), ["db", "export", "-o", str(out)], "anytile") != 0
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []
    monkeypatch.undo()


def test_an_export_follows_no_link_that_somebody_laid(filled: Any, say: Callable[..., str], tmp_path: Path) -> None:
    victim, out = tmp_path / "victim", tmp_path / "all.jsonl"
    victim.write_text("precious")
    (tmp_path / ".all.jsonl.part").symlink_to(victim)
    say("db", "export", "-o", str(out))
    assert victim.read_text() == "precious"
    out.chmod(0o600)
    say("db", "export", "-o", str(out))
    assert out.stat().st_mode & 0o777 == 0o600


def test_an_export_goes_into_a_pipe(filled: Any, say: Callable[..., str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        said = say("db", "export", "-o", str(pipe))
        assert len(read.result(30).splitlines()) > 420
    assert "420 trials" in said
    assert pipe.is_fifo()


def test_an_export_says_which_of_several_databases_it_is_of(
    filled: Any, say: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, out = tmp_path / "other.db", tmp_path / "all.jsonl"
    Store.open(str(other)).close()
    assert run(umbrella(), ["db", "export", "-o", str(out), "--db", f"{filled.url};{other}"], "anytile") == 0
    said = f"{filled.url} alone is exported; give each other one by itself with --db: {other}\n"
    assert capsys.readouterr().err == said
    assert run(umbrella(), ["db", "export", "-o", str(out), "--db", filled.url], "anytile") == 0
    assert capsys.readouterr().err == ""


SECRET_URL = "postgresql://me:SECRET@db.example/team?sslpassword=SECRET&sslmode=require"


def test_what_is_to_be_typed_next_holds_no_password(
    filled: Any, say: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(database, "open_store", lambda url, readonly=True: Store.open(filled.url, readonly=True))
    shown = say("db", "show", "--db", SECRET_URL)
    assert shown.count("postgresql://me@db.example/team?sslmode=require") >= 3  # the report, why, and the program
    assert "SECRET" not in shown
    assert run(umbrella(), ["db", "merge", SECRET_URL, "--db", SECRET_URL], "anytile") == 2
    assert "SECRET" not in capsys.readouterr().err
    again = Place("ray", None, SECRET_URL).resume("5eed0000")
    assert again.endswith("--db 'postgresql://me@db.example/team?sslmode=require'")
    monkeypatch.setenv("ANYTILE_DB", SECRET_URL)
    assert "--db" not in say("db", "show", "--db", SECRET_URL)
    assert "--db" not in Place("ray", None, SECRET_URL).resume("5eed0000")


@pytest.mark.slow
def test_records_travel(filled: Any, say: Callable[..., str], tmp_path: Path) -> None:
    lines, other, third = tmp_path / "all.jsonl", tmp_path / "other.db", tmp_path / "third.db"
    assert "420 trials" in say("db", "export", "-o", str(lines))
    assert len(say("db", "export").splitlines()) == len(lines.read_text().splitlines())
    assert "420 trials" in say("db", "import", str(lines), "--db", str(other))
    assert "420 trials" in say("db", "merge", str(other), "--db", str(third))
    with Store.open(str(third), readonly=True) as store:
        assert store.stats().trials == 420


def test_doctor_sees_the_machine(filled: Any, say: Callable[..., str]) -> None:
    text = say("doctor")
    for name in (
        "cpu",
        "cores",
        "vector unit",
        "caches",
        "llvm",
        "threads",
        "ray",
        "database",
        "code cache",
        "blas",
        "gpu",
    ):
        assert f"  {name} " in text
    assert "420 trials" in text
    checks = {c["name"]: c for c in json.loads(say("doctor", "--json"))["checks"]}
    assert checks["vector unit"]["data"]["bits"] >= 128
    assert checks["database"]["data"]["trials"] == 420


@pytest.mark.slow
def test_doctor_starts_nothing() -> None:
    code = "from anytile.doctor import examine; list(examine()); import sys; print({'ray', 'cupy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_doctor_survives_a_broken_database(say: Callable[..., str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("no")
    assert "warn  database" in say("doctor", "--db", str(broken))


@pytest.mark.slow
def test_tune_prints_lines_and_a_result(say: Callable[..., str]) -> None:
    text = say(
        "tune", *SMALL, "--runner", "inline", "--search", "random", "--trials", "2", "--time", "4s", "--top-k", "2"
    )
    assert "search of" in text
    assert "GFLOP/s" in text
    assert "next:  anytile report" in text
    assert 'kernel = build(dense(m=Any("m"), n=48, k=32), constants={"w": w})' in text


@pytest.mark.slow
def test_a_shape_that_no_memory_holds_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # so that nobody else's campaign is waited for, which is said
    words = ["--shape", "m=1000000000,n=20000,k=20", "--runner", "inline", "--trials", "1", "--time", "20s", "--quiet"]
    assert run(tune_alone(), [*words, "--db", str(tmp_path / "absurd.db")], "tune") == MeasureError.exit_code
    said = capsys.readouterr().err
    assert said.startswith("error: no config of dense(m=1000000000, n=20000, k=20, dtype=float32, const=w) worked: 1 ")
    assert "MiB, this machine has" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_tune_as_json(say: Callable[..., str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    db = tmp_path / "json.db"
    words = ["--shape", "m=5,n=16,k=16", "--runner", "inline", "--search", "random", "--trials", "2", "--time", "3s"]
    assert run(tune_alone(), [*words, "--db", str(db), "--json", "--quiet"], "tune") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert said.err == ""
    assert found["state"] == "finished"
    assert found["database"] == str(db)
    assert found["workloads"][0]["best"]["gflops"] > 0
    assert found["cost_models"] == []  # a random search has none
    assert run(tune_alone(), [*words, "--db", str(db), "--json-events"], "tune") == 0
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert (events[0], events[-1]) == ("CampaignStarted", "CampaignEnded")


def test_when_measuring_fails_the_line_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def dies(
        store: object, what: object, runner: str, ray: str | None, listen: Callable[[object], None], join: bool
    ) -> None:
        listen(
            CampaignEnded("0123456789", "interrupted", "the device is gone", (), 7, {}, 1.0, "anytile tune --resume")
        )
        raise MeasureError("the device is gone; look at it")

    monkeypatch.setattr("anytile.api.campaign", dies)
    assert run(umbrella(), ["tune", *SMALL, "--runner", "inline", "--db", str(tmp_path / "t.db")], "anytile") == 5
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("7 trials stored; to go on: anytile tune --resume 01234567 --runner inline --db ")
    assert said[1] == "error: the device is gone; look at it"


@pytest.mark.slow
@pytest.mark.parametrize("front", ["whole", "bare"])
def test_a_campaign_ends_in_order_when_nobody_reads_on(tmp_path: Path, front: str) -> None:
    """`anytile tune | head -3`: as Ctrl-C would end it."""
    db = str(tmp_path / "t.db")
    code = {
        "whole": "import sys; from anytile.cli.main import tune_main; tune_main()",
        "bare": "import sys; from anytile.commands.bare import run; sys.exit(run(['tune', *sys.argv[1:]]))",
    }[front]
    words = [*SMALL, "--runner", "inline", "--search", "random", "--trials", "40", "--time", "60s", "--db", db]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    head = [process.stdout.readline() for _ in range(3)]
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), head[0][:9]) == (141, "campaign "), err
    with Store.open(db, readonly=True) as store:
        (campaign,) = store.campaigns()
        assert store.stats().trials >= 1
    assert campaign.state == "interrupted"
    words = f"tune --resume {campaign.id[:8]}"
    words = f"anytile {words} --runner inline" if front == "whole" else f"python -m anytile {words}"
    said = err.splitlines()[-1]  # it may have waited for another campaign on this host before
    assert said == f"nobody reads on: the campaign stops here; to go on: {words} --db {db}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runner", "by"), [(["--runner", "inline"], signal.SIGINT), ([], signal.SIGTERM)], ids=["ctrl-c", "kill, with Ray"]
)
def test_whoever_ends_it_keeps_what_was_measured_and_resume_goes_on(
    tmp_path: Path, runner: list[str], by: signal.Signals
) -> None:
    db = str(tmp_path / "t.db")
    code = "import sys; from anytile.cli.main import tune_main; tune_main()"
    words = [*SMALL, *runner, "--search", "random", "--trials", "40", "--time", "60s", "--db", db]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    seen = ""
    deadline = time.monotonic() + 60
    while "trial 1" not in seen and time.monotonic() < deadline:
        seen += process.stdout.readline()
    process.send_signal(by)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted" in out
    assert "Traceback" not in err
    (line,) = [line for line in out.splitlines() if line.startswith("to go on: ")]
    with Store.open(db, readonly=True) as store:
        (campaign,) = store.campaigns()
        before = store.stats().trials
    assert line == f"to go on: {' '.join(['anytile tune --resume', campaign.id[:8], *runner, '--db', db])}"
    assert campaign.state == "interrupted"
    assert before >= 1
