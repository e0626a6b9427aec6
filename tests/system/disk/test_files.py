"""Files are read and replaced as a whole, and neither through links nor pipes."""

import os
import stat
import sys
import threading

import pytest

from tokensync.system import disk
from tokensync.system.disk import (
    append_descriptor,
    content_of,
    folded,
    is_same_file,
    make_folder,
    open_file,
    remove_file,
    replace_file,
    replace_files,
    respell,
    spelled,
    status_of,
    write_result,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def folder(request, tmp_path, monkeypatch):
    """A folder on systems that open files relative to an open folder, and on others."""
    monkeypatch.setattr(disk, "_HAS_DESCRIPTORS", request.param)
    return tmp_path


def test_what_is_no_file_is_not_read(folder):
    (folder / "file").write_bytes(b"a\r\nb\n")
    os.symlink("file", folder / "link")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    assert content_of(str(folder / "file")) == b"a\nb\n"
    assert content_of(str(folder / "none")) is None
    assert content_of(str(folder / "file" / "none")) is None
    for name, error, message in (
        ("link", OSError, "this is a link"),
        ("pipe", OSError, "a pipe or device"),
        ("folder", IsADirectoryError, "directory"),
    ):
        with pytest.raises(error, match=message):
            open_file(str(folder / name))
    assert stat.S_ISLNK(status_of(str(folder / "link")).st_mode)


@pytest.mark.skipif(sys.platform != "linux", reason="a file of /proc has no size before it is read")
def test_a_file_that_is_longer_than_its_size_is_read_to_its_end():
    path = f"/proc/{os.getpid()}/limits"
    with open(path, "rb") as file:
        assert content_of(path) == file.read()


def test_a_pipe_is_not_replaced_and_gets_a_result(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(OSError, match="a pipe or device"):
        replace_file(str(folder / "pipe"), b"new")
    received = []

    def receive():
        with open(folder / "pipe", "rb") as pipe:
            received.append(pipe.read())

    reader = threading.Thread(target=receive)
    reader.start()
    write_result(str(folder / "pipe"), b"result")
    reader.join()
    write_result(str(folder / "file"), b"result")
    assert received == [(folder / "file").read_bytes()] == [b"result"]


def test_a_text_keeps_its_line_ends_and_a_file_its_permissions(folder):
    path = folder / "file"
    path.write_bytes(b"a\r\nb\r\n")
    path.chmod(0o640)
    replace_file(str(path), b"c\nd\r\n", text=True, executable=True)
    assert path.read_bytes() == b"c\r\nd\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    replace_file(str(path), [b"c\n", b"d\n"], private=True)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"c\nd\n", 0o600)
    os.symlink("file", folder / "link")
    replace_file(str(folder / "link"), b"e\n", text=True)
    assert (path.read_bytes(), (folder / "link").is_symlink()) == (b"c\nd\n", False)


def test_of_several_files_all_are_replaced_or_none(folder):
    (folder / "first").write_bytes(b"1")
    (folder / "second").write_bytes(b"2")
    paths = [str(folder / name) for name in ("first", "new/deep/file", "second")]
    replace_files(dict.fromkeys(paths[:2], b"new"), str(folder))
    assert (folder / "new" / "deep" / "file").read_bytes() == b"new"
    remove_file(paths[1], str(folder))
    assert sorted(os.listdir(folder)) == ["first", "second"]
    with pytest.raises((NotADirectoryError, FileExistsError)):
        replace_files({**dict.fromkeys(paths, b"newer"), str(folder / "first" / "file"): b""}, str(folder))
    assert [(folder / name).read_bytes() for name in ("first", "second")] == [b"new", b"2"]
    assert sorted(os.listdir(folder)) == ["first", "second"]


def test_a_folder_is_removed_with_its_last_file_only(folder):
    make_folder(str(folder / "a" / "b"))
    os.close(append_descriptor(str(folder / "a" / "b" / "file")))
    assert (folder / "a" / "b" / "file").stat().st_mode & 0o111 == 0
    (folder / "a" / "other").touch()
    remove_file(str(folder / "a" / "b" / "file"), str(folder))
    assert os.listdir(folder / "a") == ["other"]


def test_a_write_of_a_part_is_continued(folder, monkeypatch):
    write = os.write
    monkeypatch.setattr(disk.os, "write", lambda descriptor, content: write(descriptor, bytes(content[:2])))
    disk.create_file(str(folder / "new" / "file"), b"content", whole=True)
    assert (folder / "new" / "file").read_bytes() == b"content"


def test_temporary_files_of_runs_that_ended_long_ago_are_removed(folder, monkeypatch):
    old = folder / f"{disk._TEMPORARY}{7:016x}"
    old.touch()
    changed = old.stat().st_ctime
    monkeypatch.setattr(disk.time, "time", lambda: changed + disk._ABANDONED)
    replace_file(str(folder / "file"), b"")
    assert old.exists()
    monkeypatch.setattr(disk.time, "time", lambda: changed + disk._ABANDONED + 1)
    replace_file(str(folder / "file"), b"")
    assert sorted(os.listdir(folder)) == ["file"]


@pytest.mark.parametrize("ignored", [0, 1])
def test_a_file_gets_another_case_also_where_the_direct_way_is_none(folder, monkeypatch, ignored):
    (folder / "Docs").mkdir()
    (folder / "Docs" / "READ").touch()
    rename, calls = disk._rename, []

    def renamed(former, name, top):
        calls.append(name)
        if len(calls) > ignored:
            rename(former, name, top)

    monkeypatch.setattr(disk, "_rename", renamed)
    respell(str(folder), "Docs/READ", "Docs/read")
    assert os.listdir(folder / "Docs") == ["read"]
    assert len(calls) == 1 + 2 * ignored
    respell(str(folder), "Docs/READ", "Docs/read")
    respell(str(folder), "Docs/read", "docs/read", may=lambda path: False)
    respell(str(folder), "Docs/read", "Docs/Read", may=lambda path: False)  # which is asked about folders
    assert (os.listdir(folder), os.listdir(folder / "Docs")) == (["Docs"], ["Read"])


def test_the_spelling_of_the_disk_is_found_where_case_is_ignored(folder):
    assert spelled(str(folder), "none") == "none"
    (folder / "Read").touch()
    os.link(folder / "Read", folder / "rEAD")  # so that both spellings lead to one file
    assert spelled(str(folder), "Read") == "Read"
    assert spelled(str(folder), "rEAD") == "rEAD"
    assert not is_same_file(str(folder / "Read"), str(folder / "other"))
    assert not is_same_file(str(folder / "Read"), str(folder / "READ"))
    assert folded("Ä/ß") == folded("a\u0308/ss")
