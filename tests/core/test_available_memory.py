"""What the machine has left: the control group's share of it, without what is only cached."""

from __future__ import annotations

from pathlib import Path

from anytile.core.available_memory import available_memory

MIB = 1 << 20


def machine(root: Path, meminfo: str, **group: str) -> Path:
    (root / "proc").mkdir(parents=True)
    (root / "proc/meminfo").write_text(meminfo)
    (root / "sys/fs/cgroup").mkdir(parents=True)
    for name, text in group.items():
        (root / "sys/fs/cgroup" / name.replace("_", ".")).write_text(text)
    return root


def test_the_machines_where_no_group_has_less(tmp_path: Path) -> None:
    meminfo = f"MemTotal: {4 << 20} kB\nMemAvailable: {1 << 20} kB\n"
    assert available_memory(machine(tmp_path / "a", meminfo)) == 1024 * MIB
    unlimited = machine(tmp_path / "b", meminfo, memory_max="max\n", memory_current="5\n", memory_stat="")
    assert available_memory(unlimited) == 1024 * MIB
    assert available_memory(machine(tmp_path / "c", "nothing\n")) is None


def test_copies_of_files_are_given_back(tmp_path: Path) -> None:
    stat = f"anon {100 * MIB}\nfile {300 * MIB}\nactive_file {100 * MIB}\ninactive_file {200 * MIB}\n"
    used = {"memory_max": f"{500 * MIB}\n", "memory_current": f"{450 * MIB}\n"}
    meminfo = f"MemAvailable: {1 << 20} kB\n"
    assert available_memory(machine(tmp_path / "a", meminfo, **used, memory_stat=stat)) == 350 * MIB
    assert available_memory(machine(tmp_path / "b", meminfo, **used, memory_stat="")) == 50 * MIB
    over = {**used, "memory_current": f"{600 * MIB}\n"}
    assert available_memory(machine(tmp_path / "c", meminfo, **over, memory_stat="")) == 0
