"""A database that lies where locks do not hold is said so once; one on a disk of this machine never."""

from __future__ import annotations

from pathlib import Path

import pytest

from anytile.db.sql import file_system
from anytile.db.sql.file_system import mount_table, network_file_system, warn_of_network
from anytile.db.store import Store

MOUNTS = r"""22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:22 / /proc rw - proc proc rw
36 22 0:40 / /srv rw,noatime shared:5 - nfs4 server:/export/srv rw,vers=4.2
37 36 0:41 / /srv/me/disk rw - xfs /dev/sdb1 rw
38 22 0:42 / /mnt/with\040blank rw - fuse.sshfs me@host:/x rw
39 22 0:43 / /over rw - nfs server:/x rw
40 39 0:44 / /over rw - tmpfs tmpfs rw
41 22 0:45 / /lus rw master:2 propagate_from:1 - lustre 10.0.0.1@tcp:/l rw
a line that is none
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/var/tuning.db", ""),
        ("/srv/you/tuning.db", "nfs4, server:/export/srv"),
        ("/srvless/tuning.db", ""),
        ("/srv/me/disk/tuning.db", ""),
        ("/mnt/with blank/tuning.db", "sshfs, me@host:/x"),
        ("/over/tuning.db", ""),  # something local lies on top
        ("/lus/a/b/tuning.db", "lustre, 10.0.0.1@tcp:/l"),
    ],
)
def test_the_mount_that_a_file_lies_on(path, found):
    assert network_file_system(Path(path), MOUNTS) == found


def test_without_a_mount_table_nothing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(file_system, "MOUNTS", tmp_path / "none")
    assert mount_table() == ""
    assert network_file_system(tmp_path, "") == ""


def test_it_is_said_once_with_the_way_to_a_server(tmp_path):
    mounts = f"36 22 0:40 / {tmp_path} rw - nfs4 server:/x rw\n"
    said: list[str] = []
    for _ in range(2):
        warn_of_network(tmp_path / "tuning.db", lambda: mounts, said.append)
    (line,) = said
    assert "lies on a network file system (nfs4, server:/x)" in line
    assert f"`anytile db merge {tmp_path / 'tuning.db'} --db postgresql://USER@HOST/NAME`" in line


def test_a_writer_is_warned_and_a_reader_is_not(tmp_path, monkeypatch, capfd):
    table = tmp_path / "mountinfo"
    table.write_text(f"36 22 0:40 / {tmp_path} rw - cifs //server/x rw\n")
    monkeypatch.setattr(file_system, "MOUNTS", table)
    path = str(tmp_path / "tuning.db")
    for readonly in (False, True, False):
        Store.open(path, readonly=readonly).close()
    assert capfd.readouterr().err.count("network file system (cifs") == 1
    Store.open(path, readonly=True).close()
    assert capfd.readouterr().err == ""
