"""What the README and docs/commands.md say is so: examples and the commands after them run, options exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from anytile.cli.main import run, umbrella

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODEL_COMMANDS = re.findall(r"^    (anytile (?:run|tune|compile) .*)$", README, re.MULTILINE)
LISTED = re.findall(
    r"^\| `(anytile [^`]+)` \|", (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"), re.MULTILINE
)
(SHORT,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMANDS = sorted({*LISTED, *(line.partition("#")[0].strip() for line in SHORT.splitlines())})


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANYTILE_DB", str(tmp_path / "tuning.db"))
    printed = []
    for example in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(compile(example, "README.md", "exec"), {})
        printed.append(capsys.readouterr().out.strip())
    assert "m=17" in printed[0]
    assert (tmp_path / "dense.kernel").exists()
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert printed[-1] == shown.strip()
    for line in MODEL_COMMANDS:  # on what the examples wrote
        words = shlex.split(line)[1:]
        brief = ["--time", "2m", "--trials", "9", "--runner", "inline"] if words[0] == "tune" else []
        assert run(umbrella(), [*words, *brief], "anytile") == 0, capsys.readouterr().err
    assert (tmp_path / "shapes.json").exists()


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    pages = ("architecture", "commands", "glossary", "gpu", "instructions", "operators", "performance", "text-form")
    assert {f"docs/{page}.md" for page in pages} <= set(links)
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_it_shows_every_command() -> None:
    shown = {shlex.split(line)[1] for line in LISTED}
    of_models = {"compile", "quantise", "run", "bench", "profile", "dump"}
    assert shown == {"tune", "report", "why", "lookup", "source", "db", "doctor"} | of_models


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_every_option_shown_is_there(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(line)[1:]
    path = words[:2] if words[0] == "db" else words[:1]
    assert run(umbrella(), [*path, "--help"], "anytile") == 0
    known = capsys.readouterr().out
    for option in (w for w in words if w.startswith("-")):
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known), option


def test_it_begins_with_the_two_commands() -> None:
    first = README.index("    scripts/tune --op dense --target llvm\n")
    assert README.index("    scripts/test\n") > first
    for name in ("tune", "test", "bench"):
        assert (ROOT / "scripts" / name).exists()
