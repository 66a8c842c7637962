"""The device lock: exclusive for timing, shared for building, fair, and gone with its process."""

from __future__ import annotations

import fcntl
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anytile.core.errors import MeasureError
from anytile.tuner.measure.device_lock import DeviceLock, SharedCores, default_lock_folder
from tests.support.processor_time import cpu_time

_TAKE_TURNS = """
import sys, time
from pathlib import Path
from anytile.tuner.measure.device_lock import DeviceLock
lock = DeviceLock("cpu", Path(sys.argv[1]))
for _ in range(10):
    with lock.timing():
        began = time.monotonic()
        time.sleep(0.01)
        print(began, time.monotonic(), flush=True)
"""

_HOLD = """
import sys, time
from pathlib import Path
from anytile.tuner.measure.device_lock import DeviceLock
with getattr(DeviceLock("cpu", Path(sys.argv[1])), sys.argv[2])():
    print("held", flush=True)
    time.sleep(60)
"""

_HOLD_ONCE = """
import sys
from pathlib import Path
from anytile.tuner.measure.device_lock import DeviceLock
with DeviceLock("cpu", Path(sys.argv[1])).timing():
    pass
"""


def holder(folder: Path, mode: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", _HOLD, folder, mode], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_two_processes_never_time_at_once_and_take_turns(tmp_path: Path) -> None:
    both = [
        subprocess.Popen([sys.executable, "-c", _TAKE_TURNS, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    spans = []
    for who, process in enumerate(both):
        out, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        spans += [(float(began), float(ended), who) for began, ended in map(str.split, out.splitlines())]
    spans.sort()
    assert len(spans) == 20
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def test_who_waits_goes_before_who_just_released(tmp_path: Path) -> None:
    greedy = """
import sys, time
from pathlib import Path
from anytile.tuner.measure.device_lock import DeviceLock
lock = DeviceLock("cpu", Path(sys.argv[1]))
print("on", flush=True)
while True:
    with lock.timing():
        time.sleep(0.005)
"""
    process = subprocess.Popen([sys.executable, "-c", greedy, tmp_path], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        for _ in range(5):
            with DeviceLock("cpu", tmp_path).timing(timeout=5):
                pass
    finally:
        end(process)


def test_builders_share_and_keep_timing_out(tmp_path: Path) -> None:
    lock = DeviceLock("cpu", tmp_path)
    process = holder(tmp_path, "building")
    try:
        with lock.building():
            pass
        with pytest.raises(MeasureError, match="being timed by another campaign"), lock.timing(timeout=0.1):
            pass
    finally:
        end(process)
    with lock.timing(timeout=5):
        pass


def test_kill_minus_nine_frees_the_lock(tmp_path: Path) -> None:
    process = holder(tmp_path, "timing")
    with pytest.raises(MeasureError), DeviceLock("cpu", tmp_path).timing(timeout=0.05):
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    with DeviceLock("cpu", tmp_path).timing(timeout=5):
        pass


def test_devices_do_not_block_each_other(tmp_path: Path) -> None:
    with DeviceLock("cpu", tmp_path).timing(), DeviceLock("cuda:0", tmp_path).timing(timeout=1):
        pass


def test_waiting_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anytile.tuner.measure.device_lock._NOTICE_AFTER", 0.05)
    said: list[str] = []
    process = holder(tmp_path, "timing")
    try:
        with pytest.raises(MeasureError), DeviceLock("cpu", tmp_path, said.append).timing(timeout=0.3):
            pass
    finally:
        end(process)
    assert said == ["waiting for another campaign that is timing on cpu"]


def test_the_folder_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert default_lock_folder() == tmp_path / "anytile"
    with DeviceLock().timing(timeout=1):
        assert (tmp_path / "anytile").stat().st_mode & 0o777 == 0o700


def test_a_link_in_place_of_folder_or_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "anytile").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MeasureError, match="set XDG_RUNTIME_DIR"):
        DeviceLock()
    (tmp_path / "elsewhere" / "cpu.turnstile").symlink_to(tmp_path / "target")
    (tmp_path / "elsewhere" / "cpu.lock").symlink_to(tmp_path / "target")
    with pytest.raises(MeasureError, match="lock file"), DeviceLock("cpu", tmp_path / "elsewhere").timing():
        pass
    assert not (tmp_path / "target").exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MeasureError, match="lock folder .*Not a directory"):
        DeviceLock("cpu", tmp_path / "file" / "locks")


def test_waiting_does_not_burn_the_core_it_waits_for(tmp_path: Path) -> None:
    process = holder(tmp_path, "timing")
    try:
        with pytest.raises(MeasureError), cpu_time() as took, DeviceLock("cpu", tmp_path).timing(timeout=0.5):
            pass
        assert took.seconds < 0.15
    finally:
        end(process)


def test_who_builds_while_he_thinks_does_not_wait_for_one_who_waits_for_him(tmp_path: Path) -> None:
    """Another process that wants to time stands at the turnstile meanwhile, and has its turn when all of it is over."""
    cores, times = SharedCores(DeviceLock("cpu", tmp_path)), DeviceLock("cpu", tmp_path)
    waiting = subprocess.Popen([sys.executable, "-c", _HOLD, tmp_path, "timing"], stdout=subprocess.PIPE, text=True)
    with cores.building():
        while not _is_taken(tmp_path / "cpu.turnstile"):
            time.sleep(0.01)
        with cores.building():  # would last for ever, if it were asked for anew
            pass
        with pytest.raises(MeasureError, match="is being timed by another campaign"), times.timing(timeout=0.05):
            pass
        assert waiting.poll() is None
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "held\n"
    end(waiting)
    with cores.building():
        with cores.given_back(), times.timing(timeout=5.0):
            pass
        with pytest.raises(MeasureError), times.timing(timeout=0.05):
            pass
    with times.timing(timeout=5.0):
        pass


def test_who_builds_lets_one_who_waits_to_time_go_first(tmp_path: Path) -> None:
    """He who waits is seen, other builders are not; and after him one builds on, however deep the hold is."""
    cores = SharedCores(DeviceLock("cpu", tmp_path))
    assert not cores.is_wanted()
    builder = holder(tmp_path, "building")
    with cores.building(), cores.building():
        assert not cores.is_wanted()
        end(builder)
        waiting = subprocess.Popen([sys.executable, "-c", _HOLD_ONCE, tmp_path])
        while not cores.is_wanted():
            time.sleep(0.01)
        cores.give_way()
        assert waiting.wait(timeout=30) == 0  # though the cores are held
        assert not cores.is_wanted()
        with pytest.raises(MeasureError), DeviceLock("cpu", tmp_path).timing(timeout=0.05):
            pass
    with DeviceLock("cpu", tmp_path).timing(timeout=5.0):
        pass


def test_a_hold_that_is_not_had_again_is_left_as_often_as_it_was_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = DeviceLock("cpu", tmp_path)
    cores = SharedCores(lock)

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), cores.building(), cores.given_back():
        monkeypatch.setattr(lock, "building", interrupted)
    monkeypatch.undo()
    with cores.building(), pytest.raises(MeasureError), DeviceLock("cpu", tmp_path).timing(timeout=0.05):
        pass


def _is_taken(path: Path) -> bool:
    if not path.exists():
        return False
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
