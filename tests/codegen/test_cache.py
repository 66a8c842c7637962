"""The code cache: what is damaged is absent, what is written is whole, what is old goes first."""

from __future__ import annotations

import json
import os
import stat
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from anytile.codegen.artifact import ABI_VERSION, Artifact, Packed, encode_header
from anytile.codegen.cache import CodeCache, default_folder, key_of

ARTIFACT = Artifact(b"code" * 100, "f", "size", (Packed("w", "pack", "packed"),), {"spills": 2.0})
KEY = key_of("a", "b")


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return CodeCache(tmp_path / "code")


def _files(folder: Path) -> list[Path]:
    """Of artifacts, whole or not: the folder's own count lies above them."""
    return [p for p in folder.glob("*/*") if p.is_file()]


def _file(cache: CodeCache) -> Path:
    (found,) = _files(cache.folder)
    return found


def test_round_trip(cache: CodeCache) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, ARTIFACT)
    assert cache.get(KEY) == ARTIFACT
    assert cache.get(key_of("other")) is None
    cache.put(KEY, ARTIFACT)
    assert cache.get(KEY) == ARTIFACT


def test_a_note_is_of_its_key(cache: CodeCache) -> None:
    cache.note(KEY)
    cache.put(key_of("code"), ARTIFACT)
    assert cache.noted(KEY)
    assert not cache.noted(key_of("other"))
    assert not cache.noted(key_of("code"))  # what is kept there is something else


def test_header_round_trip_and_tampering() -> None:
    header = json.loads(encode_header(ARTIFACT))
    assert Artifact.of(header, ARTIFACT.code) == ARTIFACT
    plain = Artifact(b"x", "f")
    assert Artifact.of(json.loads(encode_header(plain)), b"x") == plain
    for change in ({"abi": ABI_VERSION + 1}, {"length": 3}, {"sha256": "0" * 64}, {"abi": None}):
        with pytest.raises(ValueError, match=r"ABI version|does not match its hash"):
            Artifact.of({**header, **change}, ARTIFACT.code)
    with pytest.raises(ValueError, match="does not match its hash"):
        Artifact.of(header, ARTIFACT.code[:-1] + b"!")
    with pytest.raises(ValueError, match="a fact that no float holds"):
        Artifact.of({**header, "facts": {"spills": 10**400}}, ARTIFACT.code)


@pytest.mark.parametrize("name", ["abi", "entry", "workspace", "packed", "facts", "sha256", "length"])
def test_a_header_that_lacks_something_is_as_good_as_none(cache: CodeCache, name: str) -> None:
    cache.put(KEY, ARTIFACT)
    header = json.loads(encode_header(ARTIFACT))
    del header[name]
    _rewrite(cache, json.dumps(header).encode())
    assert cache.get(KEY) is None


def _rewrite(cache: CodeCache, header: bytes, code: bytes = ARTIFACT.code, length: int | None = None) -> None:
    size = struct.pack("<I", len(header) if length is None else length)
    _file(cache).write_bytes(size + header + code)


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (b"", None),
        (b"[]", None),
        (b"null", None),
        (b"{", None),
        (b"\xff\xfe", None),
        (b'{"abi": 1, "packed": 3}', None),
        (encode_header(ARTIFACT), 2**32 - 1),
        (encode_header(ARTIFACT), 10),
        (encode_header(ARTIFACT).replace(b'"facts": {', b'"facts": {"x": "much", '), None),
        (encode_header(ARTIFACT).replace(b'[["w", "pack", "packed", ""]]', b'[["w"]]'), None),
        (b"[" * 5000, None),
    ],
)
def test_a_corrupted_file_is_absent_and_goes(cache: CodeCache, header: bytes, length: int | None) -> None:
    cache.put(KEY, ARTIFACT)
    path = _file(cache)
    _rewrite(cache, header, length=length)
    assert cache.get(KEY) is None
    assert not path.exists()
    cache.put(KEY, ARTIFACT)
    assert cache.get(KEY) == ARTIFACT


def test_every_flipped_byte_and_every_cut_is_noticed(cache: CodeCache) -> None:
    cache.put(KEY, ARTIFACT)
    path = _file(cache)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        for wrong in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x20]) + whole[at + 1 :]):
            path.write_bytes(wrong)
            found = cache.get(KEY)
            assert found is None or (found.code, found.digest) == (ARTIFACT.code, ARTIFACT.digest)


def test_a_folder_that_cannot_be_written_is_an_empty_cache(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    cache = CodeCache(blocked / "cache")
    cache.put(KEY, ARTIFACT)
    assert cache.get(KEY) is None


def test_a_failed_write_leaves_nothing_behind(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: object, target: object, **folders: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.put(KEY, ARTIFACT)
    assert _files(cache.folder) == []
    assert cache.get(KEY) is None


def test_the_oldest_go_first(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path, limit_bytes=3500)
    keys = [key_of(str(n)) for n in range(6)]
    for n, key in enumerate(keys):
        cache.put(key, Artifact(bytes([n]) * 800, "f"))
        for p in tmp_path.rglob(key):
            os.utime(p, (n, n))
        if n == 2:  # use makes young
            os.utime(next(tmp_path.rglob(keys[0])), (99, 99))
    held = [n for n, key in enumerate(keys) if cache.get(key) is not None]
    assert held == [0, 4, 5]


def _walks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every time that a folder is looked through."""
    walks: list[object] = []
    scandir = os.scandir

    def counted(folder: str) -> object:
        walks.append(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", counted)
    return walks


def test_a_cache_with_room_is_not_looked_through(cache: CodeCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(KEY, ARTIFACT)
    walks = _walks(monkeypatch)
    for n in range(200):
        CodeCache(cache.folder).put(key_of(str(n)), ARTIFACT)  # as other processes would
    assert not walks
    assert len(_files(cache.folder)) == 201


def test_a_full_cache_holds_its_limit_and_is_seldom_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, walks = 200_000, _walks(monkeypatch)
    for n in range(400):
        CodeCache(tmp_path, limit).put(key_of(str(n)), Artifact(bytes(3000), "f"))
        if n % 50 == 49:
            assert limit // 2 < sum(p.stat().st_size for p in _files(tmp_path)) <= limit
    assert walks.count(tmp_path) <= 400 // 6
    assert CodeCache(tmp_path, limit).get(key_of("399")) is not None


@pytest.mark.parametrize(("known", "limit"), [(None, 6500), (10, 9000)])
def test_a_count_that_is_lost_or_too_large_is_made_again(tmp_path: Path, known: int | None, limit: int) -> None:
    cache = CodeCache(tmp_path, limit)
    for n in range(2):
        cache.put(key_of(str(n)), Artifact(bytes(3000), "f"))
        os.utime(tmp_path / key_of(str(n))[:2] / key_of(str(n)), (n, n))
    (count,) = (p for p in tmp_path.iterdir() if p.is_file())
    if known is None:
        count.unlink()
    else:
        os.truncate(count, known)
    cache.put(KEY, Artifact(bytes(500), "f"))
    assert cache.get(key_of("1")) is not None
    assert (cache.get(key_of("0")) is None) == (known is None)
    assert count.stat().st_size == sum(p.stat().st_size for p in _files(tmp_path)) // 1024 + 1


def test_a_count_that_is_no_file_is_not_written_to(tmp_path: Path, cache: CodeCache) -> None:
    cache.put(KEY, ARTIFACT)
    (count,) = (p for p in cache.folder.iterdir() if p.is_file())
    count.unlink()
    count.symlink_to(tmp_path / "elsewhere")
    cache.put(key_of("another"), ARTIFACT)
    assert not (tmp_path / "elsewhere").exists()
    assert cache.get(KEY) == ARTIFACT
    count.unlink()
    os.mkfifo(count)
    cache.put(key_of("another"), ARTIFACT)  # and does not wait for somebody to read
    assert cache.get(key_of("another")) is None


def test_reading_makes_young(cache: CodeCache) -> None:
    cache.put(KEY, ARTIFACT)
    os.utime(_file(cache), (1, 1))
    assert cache.get(KEY) == ARTIFACT
    assert _file(cache).stat().st_mtime > 1


def test_many_writers_and_readers(tmp_path: Path) -> None:
    """Whoever reads sees a whole artifact or none, while others write, replace and evict."""
    keys = [key_of(str(n)) for n in range(5)]
    wrong: list[object] = []

    def work(seed: int) -> None:
        cache = CodeCache(tmp_path, limit_bytes=9000)
        for n in range(40):
            which = (n * seed) % 5
            cache.put(keys[which], Artifact(bytes([which]) * 3000, "f"))
            found = cache.get(keys[(which + seed) % 5])
            if found is not None and len(set(found.code)) != 1:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2, 3, 4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert not [p for p in _files(tmp_path) if len(p.name) != 64]


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_others_may_not_write(tmp_path: Path, open_umask: None) -> None:
    cache = CodeCache(tmp_path / "a" / "code")
    cache.put(KEY, ARTIFACT)
    for path in (cache.folder, _file(cache).parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(_file(cache).stat().st_mode) == 0o600
    assert cache.get(KEY) == ARTIFACT


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777, 0o722])
def test_what_others_could_write_is_not_believed_but_put_aside(tmp_path: Path, mode: int) -> None:
    cache = CodeCache(tmp_path / "code")
    cache.put(KEY, ARTIFACT)
    cache.folder.chmod(mode)
    assert cache.get(KEY) is None
    assert cache.objection() == "others may write to it"
    other = key_of("another")
    cache.put(other, ARTIFACT)  # which begins anew: what lay there may be anybody's
    assert cache.get(other) == ARTIFACT
    assert cache.get(KEY) is None
    assert cache.objection() is None
    assert [p.name for p in tmp_path.iterdir()] == ["code"]


def test_a_shard_that_others_could_write_is_not_believed(cache: CodeCache) -> None:
    cache.put(KEY, ARTIFACT)
    _file(cache).parent.chmod(0o777)
    assert cache.get(KEY) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a folder to somebody else")
def test_a_folder_of_somebody_else_is_not_believed(tmp_path: Path) -> None:
    cache = CodeCache(tmp_path / "code")
    cache.put(KEY, ARTIFACT)
    os.chown(cache.folder, 65534, 65534)
    assert cache.get(KEY) is None
    assert cache.objection() == "it belongs to user 65534"
    cache.put(key_of("another"), ARTIFACT)
    assert cache.get(key_of("another")) is None
    assert len(_files(cache.folder)) == 1


def test_links_and_pipes_are_not_followed(tmp_path: Path, cache: CodeCache) -> None:
    theirs = CodeCache(tmp_path / "theirs")
    theirs.put(KEY, ARTIFACT)
    (tmp_path / "link").symlink_to(theirs.folder)
    linked = CodeCache(tmp_path / "link")
    assert linked.get(KEY) is None
    linked.put(key_of("another"), ARTIFACT)
    assert theirs.get(key_of("another")) is None
    cache.put(KEY, ARTIFACT)
    entry = _file(cache)
    entry.unlink()
    entry.symlink_to(theirs.folder / KEY[:2] / KEY)
    assert cache.get(KEY) is None
    entry.unlink()
    os.mkfifo(entry)
    assert cache.get(KEY) is None  # and does not wait for somebody to write


def test_a_user_without_a_home_has_an_empty_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", staticmethod(nobody))
    cache = CodeCache()
    cache.put(KEY, ARTIFACT)
    assert cache.get(KEY) is None


def test_keys_know_where_a_part_ends() -> None:
    assert key_of("ab", "c") != key_of("a", "bc") != key_of("abc")
    assert key_of("a") != key_of("a", "")
    assert len(KEY) == 64


def test_the_default_folder_is_the_users(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_home / "caches"))
    assert default_folder() == own_home / "caches" / "anytile" / "code"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == own_home / ".cache" / "anytile" / "code"
    assert CodeCache().folder == default_folder()
