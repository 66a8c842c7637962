"""What runs on a hosted forge is `.ci/run`, on the Pythons that the package names, and nothing floats freely."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from anytile.schedules.hardware.cpu import facts
from anytile.schedules.hardware.narrow import narrow_facts
from anytile.schedules.hardware.target import Target

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("schedules", "codegen", "dispatch", "vm")
PAIRS = tuple(f"tests/compiler/passes/narrow/{name}.py" for name in ("test_narrow_convolutions", "test_settle_pairs"))
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")

PASSED_ALONE = r"note    failed beside others \(see above\) and passed alone: test_it\.py::test_flaky"


def test_it_runs_what_people_run() -> None:
    """A change takes its turn, each night all is run."""
    run = ".ci/run ${{ github.event_name == 'schedule' && '--all' || '' }}"
    assert re.findall(r"^ +- run: (.+)$", WORKFLOW, re.MULTILINE) == [run]
    assert re.search(r"^  schedule:\n    - cron: ", WORKFLOW, re.MULTILINE)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize(
    ("arguments", "commit", "said"),
    [
        ("", "echo 0000007", "--turn 3"),
        ("", "echo ffffffc", "--turn 0"),
        ("", "false", ""),
        ("--all", "echo 0000007", ""),
        ("--turn", "echo 0000007", ".ci/run takes --all and nothing else, not: --turn"),
        ("--all --fast", "echo 0000007", ".ci/run takes --all and nothing else, not: --all --fast"),
    ],
)
def test_a_commit_decides_which_quarter_of_the_sweeps_runs(arguments: str, commit: str, said: str) -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (chosen,) = re.findall(r"^turn=\(\)\n.*?^fi\n", script, re.MULTILINE | re.DOTALL)
    program = f'set -uo pipefail\ngit() {{ {commit}; }}\nset -- {arguments}\n{chosen}echo ${{turn[@]+"${{turn[@]}}"}}'
    done = subprocess.run(["/bin/bash", "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout + done.stderr).strip() == said
    assert done.returncode == (2 if said.startswith(".ci") else 0)
    assert len(re.findall(r"scripts/test .*\$\{turn\[@\]", script)) == 2


def test_what_the_cpu_decides_is_tested_as_lesser_ones_too() -> None:
    """Of each room whose code a CPU decides all but what is for GPUs; what is left out and added is there."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^by_cpu=\(\n(.*?)^\)", script, re.MULTILINE | re.DOTALL)
    given = listed.split()
    assert {name for name in given if not name.startswith("-")} == {*(f"tests/{room}" for room in ROOMS), *PAIRS}
    assert all((ROOT / name).is_file() for name in PAIRS)
    assert all("/cuda" in name and (ROOT / name).is_dir() for name in re.findall(r"--ignore=(\S+)", listed))
    assert re.findall(r"^as_cpu (\S+)", script, re.MULTILINE) == ["haswell", "x86-64"]


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("AVX2", ["skipped tests as haswell: all ran as this machine's, .* known: AVX2", "ran tests as x86-64"]),
        ("AVX-512", ["ran tests as haswell", "ran tests as x86-64"]),
        ("SSE2", ["skipped tests as haswell: no AVX2 here", "skipped tests as x86-64: all ran as this machine's, .*"]),
    ],
)
def test_a_machine_is_taken_for_cpus_of_which_something_else_is_known(
    machine: str, said: list[str], tmp_path: Path
) -> None:
    """What has run as the machine's own shows nothing when it runs once more; nor is a CPU one that has more."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (function,) = re.findall(r"^as_cpu\(\) {\n.*?^}\n", script, re.MULTILINE | re.DOTALL)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        "#!/bin/sh\n"
        f'case "$ANYTILE_HOST {machine}" in\n'
        "  *haswell*SSE2) echo 'a trace'; echo 'no AVX2 here'; exit 1 ;;\n"
        "  *haswell*) echo AVX2 ;;\n"
        "  *x86-64*) echo SSE2 ;;\n"
        f"  *) echo {machine} ;;\n"
        "esac\n"
    )
    python.chmod(0o755)
    stand_ins = 'uname() { echo x86_64; }\nstep() { summary+=("ran $1"); }\n'
    program = f"set -uo pipefail\nsummary=()\nby_cpu=()\nknown=''\n{stand_ins}{function}as_cpu haswell\nas_cpu x86-64\n"
    env = {name: value for name, value in os.environ.items() if name != "ANYTILE_HOST"}
    done = subprocess.run(
        ["/bin/bash", "-c", program + 'printf "%s\\n" "${summary[@]}"'],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(map(re.fullmatch, said, done.stdout.splitlines())), done.stdout
    assert len(done.stdout.splitlines()) == len(said)


@pytest.mark.slow
def test_all_that_is_known_of_a_cpu_is_compared() -> None:
    """Nobody learns more of the host outside of the folder that asks LLVM and the kernel, but `doctor`, which tells."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (known,) = re.findall(r'^known="(.*?)"$', script, re.MULTILINE | re.DOTALL)
    said = subprocess.run([sys.executable, "-P", "-c", known], capture_output=True, text=True, check=True).stdout
    target = Target.parse("llvm")
    assert said == f"{facts(target)} {narrow_facts(target)}\n"
    listed = ("git", "ls-files", "--", "*.py", ":!tests", ":!benchmarks", ":!schedules/hardware")
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    asking = r"hardware\.host import|hardware import .*\bhost\b|\bhost_cpu_"
    asked = {name for name in files if re.search(asking, (ROOT / name).read_text(encoding="utf-8"))}
    assert asked <= {"anytile/doctor.py"}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("emulator", r"note +no emulator for 64-bit ARM: .* tests marked neon are skipped 0"),
        ("browser", r"note +no web browser: chromium .* tests marked browser are skipped 0"),
        ("torch_for_cpus", r"note +no build of torch for CPUs to be had: the tests of its models are skipped 0"),
    ],
)
def test_what_cannot_be_installed_fails_nothing(function: str, said: str, tmp_path: Path) -> None:
    """With no network, and no right to install: a note among the last lines, and the tests are skipped."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    parts = re.findall(rf"^(?:from_system|{function})\(\) {{\n.*?^}}\n", script, re.MULTILINE | re.DOTALL)
    made = "".join(parts)
    program = f'set -uo pipefail\nsummary=()\nfailed=0\n{made}{function}\necho "${{summary[*]}} $failed"'
    done = subprocess.run(
        ["/bin/bash", "-c", program],
        cwd=tmp_path,
        env={"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert re.fullmatch(said, done.stdout.splitlines()[-1])


def test_what_is_fetched_is_installed_without_a_limit(tmp_path: Path) -> None:
    """`timeout` bounds the download alone: whoever ends dpkg half way leaves packages broken."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (function,) = re.findall(r"^from_system\(\) {\n.*?^}\n", script, re.MULTILINE | re.DOTALL)
    stand_ins = 'timeout() { echo "within $1 s:" "${@:2}"; }\nenv() { echo at leisure: "$@"; }\nid() { echo 0; }\n'
    call = "from_system 'a browser' browser 80 no-such-program package"
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -uo pipefail\nsummary=()\n{function}{stand_ins}{call}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    fetched, installed = done.stdout.splitlines()[-2:]
    assert fetched.startswith("within 80 s:")
    assert fetched.endswith("package --download-only")
    assert installed.startswith("at leisure:")
    assert installed.endswith("package")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flaky", "broken", "said"),
    [
        (2, 0, [rf"{PASSED_ALONE}\[one/a\]", rf"{PASSED_ALONE}\[two b\]", "ok      tests "]),
        (1, 1, ["FAILED  tests, exit status 1 "]),
        (4, 0, ["FAILED  tests, exit status 1 "]),
    ],
)
def test_what_failed_beside_others_runs_once_more_alone(
    flaky: int, broken: int, said: list[str], tmp_path: Path
) -> None:
    """Three tests at most: more are no accident. What fails again has failed, and the first failure is to be read."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    made = "".join(re.findall(r"^(?:step|again_alone)\(\) {\n.*?^}\n", script, re.MULTILINE | re.DOTALL))
    names = ["one/a", "two b", 'three "c"', "four"]
    (tmp_path / "test_it.py").write_text(
        "import pathlib, pytest\n\n"
        f"@pytest.mark.parametrize('name', {names[:flaky]})\n"
        "def test_flaky(name):\n"
        "    before = pathlib.Path(f'{abs(hash(name))}.before')\n"
        "    if not before.exists():\n"
        "        before.touch()\n"
        "        raise AssertionError('too busy')\n\n"
        f"@pytest.mark.parametrize('n', range({broken}))\n"
        "def test_broken(n):\n    assert n\n\n"
        "def test_sound():\n    with open('sound', 'a') as told: told.write('.')\n",
        encoding="utf-8",
    )
    program = f"set -uo pipefail\nsummary=()\nfailed=0\nbeside=.\n{made}"
    pytest_ = f"{sys.executable} -m pytest -n 1 -p no:hypothesispytest"
    program += f'step tests again_alone {pytest_}\nprintf "%s\\n" "${{summary[@]}}"\nexit "$failed"'
    done = subprocess.run(
        ["/bin/bash", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.splitlines()[-len(said) :]
    assert all(map(re.match, said, last)), done.stdout
    assert done.returncode == bool(said[-1].startswith("FAILED"))
    assert done.stdout.count("FAILED, now once more") == (0 < flaky + broken <= 3)
    assert ("too busy" in done.stdout) == bool(flaky)
    assert (tmp_path / "sound").read_text(encoding="utf-8") == "."  # what passed is not asked again


def test_actions_are_pinned_by_major_version() -> None:
    used = re.findall(r"uses: (\S+)", WORKFLOW)
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


def test_its_pythons_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = {c.rpartition(" ")[2] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    (tried,) = re.findall(r"python: \[(.+)\]", WORKFLOW)
    versions = re.findall(r'"(3\.\d+)"', tried)
    assert set(versions) <= said
    assert project["requires-python"] == f">={versions[0]}"


def test_it_may_read_and_nothing_else() -> None:
    assert re.search(r"^permissions:\n  contents: read\n\w", WORKFLOW, re.MULTILINE)
