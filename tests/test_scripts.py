"""The scripts of a fresh clone: what they say when Python is missing or .venv broken, when they install, when not.

Each test gets a copy of scripts/ and a PATH with only a shell's tools on it; pip and anytile are small stand-ins that
write down how they were called, because what is tested is the scripts and not the network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("bash", "cat", "cksum", "dirname", "flock", "ln", "mkdir", "rm", "sleep", "tail", "touch")
PYTHON = """#!/usr/bin/env bash
# Stands in for the Python of .venv: installing takes a moment and is written down.
if [ "$1 $2" = "-m pip" ]; then sleep 0.2; printf '%s\\n' "$*" >>"$(dirname "$0")/pip.log"; fi
"""


class Clone:
    """A copy of the repository's scripts in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a clone"  # with a space, as in people's folders
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        (self.root / "pyproject.toml").write_text("one\n")
        (self.root / "constraints.txt").write_text("two\n")
        self.tools = folder / "tools"
        self.tools.mkdir()
        for tool in (*TOOLS, "env"):
            found = shutil.which(tool)
            assert found is not None, f"{tool} is not installed"
            (self.tools / tool).symlink_to(found)

    def start(self, script: str, *arguments: str, cwd: Path | None = None, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self.root / "scripts" / script), *arguments],
            env={"PATH": str(self.tools), "HOME": os.environ["HOME"], **env},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, script: str, *arguments: str, cwd: Path | None = None, **env: str) -> tuple[int, str, str]:
        process = self.start(script, *arguments, cwd=cwd, **env)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def give_venv(self) -> None:
        folder = self.root / ".venv" / "bin"
        folder.mkdir(parents=True)
        self.program(folder / "python", PYTHON)
        self.program(folder / "anytile", '#!/usr/bin/env bash\nprintf "anytile"; printf " [%s]" "$@"; printf "\\n"\n')

    def program(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    @property
    def installs(self) -> list[str]:
        log = self.root / ".venv" / "bin" / "pip.log"
        return [line for line in log.read_text().splitlines() if "--editable" in line] if log.exists() else []


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_without_python_one_line_says_what_to_do(clone: Clone) -> None:
    code, out, err = clone.run("tune")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "scripts/tune: error: Python 3.11 or newer is needed" in err
    assert not (clone.root / ".venv").exists()


def test_a_python_that_is_too_old_or_a_shim_is_passed_over(clone: Clone) -> None:
    clone.program(clone.tools / "python3", "#!/usr/bin/env bash\necho 'python3: not installed' >&2\nexit 127\n")
    code, _, err = clone.run("test")
    assert code == 1
    assert "Python 3.11 or newer is needed" in err


def test_a_python_without_venv_is_named(clone: Clone) -> None:
    text = '#!/usr/bin/env bash\ncase "$2" in *ensurepip*) exit 1 ;; esac\n'
    clone.program(clone.tools / "python3.12", text)
    code, _, err = clone.run("tune")
    assert code == 1
    assert "python3.12 cannot make environments; install its venv package" in err


def test_a_broken_venv_is_not_repaired_in_secret(clone: Clone) -> None:
    (clone.root / ".venv").mkdir()
    code, _, err = clone.run("tune")
    assert code == 1
    assert ".venv is broken" in err
    assert "rm -rf" in err


def test_arguments_reach_the_program_unharmed(clone: Clone) -> None:
    clone.give_venv()
    code, out, err = clone.run("tune", "--op", "dense", "--shape", "m=?,n=1 2", "")
    assert (code, out) == (0, "anytile [tune] [--op] [dense] [--shape] [m=?,n=1 2] []\n")
    assert "installing" in err


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("where", "called"), [(".", ".venv/bin/anytile"), ("..", "a\\ clone/.venv/bin/anytile"), ("tests", None)]
)
def test_the_hints_can_be_typed_where_the_user_is(clone: Clone, where: str, called: str | None) -> None:
    clone.give_venv()
    (clone.root / "tests").mkdir()
    program = clone.root / ".venv" / "bin" / "anytile"
    clone.program(program, '#!/usr/bin/env bash\nprintf "%s\\n" "$ANYTILE_COMMAND"\n')
    here = clone.root / where
    said = clone.run("tune", cwd=here)[1].rstrip("\n")
    assert said == (str(program).replace(" ", "\\ ") if called is None else called)
    assert subprocess.run(f"test -x {said}", shell=True, cwd=here, check=False).returncode == 0
    assert clone.run("tune", ANYTILE_COMMAND="mine")[1] == "mine\n"
    on_path = f"{program.parent}:{clone.tools}"
    assert clone.run("tune", PATH=on_path)[1] == "anytile\n"


@pytest.mark.slow
def test_it_installs_once_and_again_when_the_tables_or_the_place_change(clone: Clone) -> None:
    clone.give_venv()
    for _ in range(2):
        assert clone.run("tune")[0] == 0
    assert len(clone.installs) == 1
    (clone.root / "constraints.txt").write_text("three\n")
    assert clone.run("tune")[0] == 0
    assert len(clone.installs) == 2
    assert clone.run("test")[0] == 0
    assert len(clone.installs) == 3
    assert clone.installs[-1].endswith("[dev,onnx]")
    assert clone.run("tune")[0] == 0
    assert len(clone.installs) == 3
    clone.root = clone.root.rename(clone.root.with_name("moved"))
    assert clone.run("tune")[0] == 0
    assert len(clone.installs) == 4


def test_two_at_once_install_once(clone: Clone) -> None:
    clone.give_venv()
    both = [clone.start("tune") for _ in range(2)]
    said = [process.communicate(timeout=60)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert len(clone.installs) == 1
    assert any("waiting for another installation" in text for text in said)


def test_a_failing_installation_shows_the_reason_and_leaves_no_stamp(clone: Clone) -> None:
    clone.give_venv()
    clone.program(
        clone.root / ".venv" / "bin" / "python",
        '#!/usr/bin/env bash\n[ "$1 $2" != "-m pip" ] || { echo "no such package"; exit 1; }\n',
    )
    for _ in range(2):
        code, out, err = clone.run("tune")
        assert (code, out) == (1, "")
        assert "no such package" in err
        assert "installing failed" in err


def test_an_environment_that_was_cut_short_is_made_anew(clone: Clone) -> None:
    clone.give_venv()
    (clone.root / ".venv" / ".unfinished").touch()
    code, _, err = clone.run("tune")
    assert code == 1
    assert "Python 3.11 or newer is needed" in err  # the half-made one is gone, and there is no Python to make another
    assert not (clone.root / ".venv").exists()


def test_a_program_beside_the_clone_finds_the_package_and_not_the_folder(clone: Clone) -> None:
    """In the folder that holds the clone, which is named as the package is."""
    clone.root = clone.root.rename(clone.root.parent / "anytile")
    (clone.root / "anytile").symlink_to(ROOT / "anytile")
    site = clone.root / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    clone.give_venv()
    for _ in range(2):
        assert clone.run("tune")[0] == 0
    code = "import site, sys; site.addsitedir(sys.argv[1]); import anytile, anytile.core; print(anytile.__version__)"
    command = [sys.executable, "-S", "-c", code, str(site)]  # without the finder of an installation
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=clone.root.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert [entry.name for entry in (clone.root / ".venv" / "clone").iterdir()] == ["anytile"]


def test_bench_names_the_benchmarks(clone: Clone) -> None:
    shutil.copytree(ROOT / "benchmarks", clone.root / "benchmarks", ignore=shutil.ignore_patterns("data", "results"))
    for tool in ("grep", "sed", "sort", "tr"):
        found = shutil.which(tool)
        assert found is not None
        (clone.tools / tool).symlink_to(found)
    code, _, err = clone.run("bench", "dance")
    assert code == 1
    told, _, names = err.partition("; there are: ")
    assert "no benchmark 'dance'" in told
    assert {"dense", "threads", "search", "batch_matmul"} < set(names.split())
    assert "harness" not in names.split()  # it is no program
    assert "program" not in names.split()  # it is that of scripts/gpu_bench
    assert clone.run("bench", "program")[0] == 1
    assert clone.run("bench")[0] == 1
    code, usage, _ = clone.run("bench", "--help")
    assert code == 0
    assert usage.startswith("usage: scripts/bench NAME")
    assert "scripts/gpu_bench" in usage
