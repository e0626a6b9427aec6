"""Drives and other forms of paths on Windows, by its path functions."""

import ntpath
import os
import stat
from types import SimpleNamespace

import pytest

from tokensync.cli.main import _system_error
from tokensync.project.staged import user_folder
from tokensync.system import disk
from tokensync.system.boundary import Boundary

posix = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")


@pytest.fixture
def windows(monkeypatch):
    """Give this system the path functions of Windows."""
    monkeypatch.setattr(os, "path", ntpath)
    monkeypatch.setattr(os, "sep", "\\")
    monkeypatch.setattr(os, "getcwd", lambda: "C:\\work\\project")


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("C:\\work\\project\\tokens\\x", "tokens\\x"),
        ("c:\\Work\\project\\x", "x"),
        ("C:\\work\\other", "C:\\work\\other"),
        ("D:\\x", "D:\\x"),
        ("\\\\server\\share\\x", "\\\\server\\share\\x"),
    ],
)
def test_a_path_on_another_drive_is_shown_whole(windows, path, shown):
    assert disk.shown_path(path) == shown


@pytest.mark.parametrize("path", ["c:\\work\\web", "C:\\work\\web", "C:\\WORK\\web", "C:\\work\\" + "x" * 300])
def test_another_case_of_a_drive_or_folder_is_the_same(windows, path):
    assert Boundary("C:\\work", "the git work tree").flaw(path) is None


@pytest.mark.parametrize("path", ["D:\\work\\web", "\\\\server\\work\\web", "C:\\workshop", "C:\\"])
def test_another_drive_is_outside(windows, path):
    assert "outside of the git work tree" in Boundary("C:\\work", "the git work tree").flaw(path).what


def test_the_users_folder_has_the_form_of_the_work_tree_on_a_mapped_drive(monkeypatch, tmp_path):
    real, mapped = str(tmp_path / "server"), str(tmp_path / "z")
    for each in (real, mapped):
        os.makedirs(f"{each}/sub")
    monkeypatch.setattr(os, "getcwd", lambda: mapped)
    monkeypatch.setenv("GIT_PREFIX", "sub")
    resolve = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda path: resolve(path).replace(mapped, real))
    assert user_folder(real) == f"{real}/sub"


@pytest.mark.parametrize("path", ["C:\\" + "x" * 250 + "\\y", "\\\\server\\share\\" + "x" * 250])
def test_a_path_that_is_too_long_for_windows_says_so(windows, monkeypatch, path):
    error = FileNotFoundError(2, "No such file or directory", path)
    assert "free disk space" in _system_error(error)
    monkeypatch.setattr(os, "name", "nt")
    assert "choose a shorter path, or set LongPathsEnabled" in _system_error(error)
    assert "free disk space" in _system_error(FileNotFoundError(2, "No such file or directory", "C:\\x"))


class TestFormsOfFolders:
    """Folders whose resolved form is another one, without descriptors of folders, as on Windows."""

    @pytest.fixture(autouse=True)
    def mapped(self, monkeypatch, tmp_path):
        resolve = os.path.realpath
        monkeypatch.setattr(disk, "_HAS_DESCRIPTORS", False)
        monkeypatch.setattr(os.path, "realpath", lambda path: resolve(path).replace(str(tmp_path), "/server/share"))
        (tmp_path / "a").mkdir()

    def test_a_mapped_drive_is_no_link(self, tmp_path):
        disk.replace_file(str(tmp_path / "a" / "x"), b"x")
        assert disk.content_of(str(tmp_path / "a" / "x")) == b"x"

    @posix
    def test_a_link_on_it_is_one(self, tmp_path):
        (tmp_path / "link").symlink_to("a")
        with pytest.raises(OSError, match="this is a link") as caught:
            disk.replace_file(str(tmp_path / "link" / "x"), b"x")
        assert caught.value.filename == str(tmp_path / "link")

    @pytest.mark.parametrize(
        ("tag", "is_link"),
        [
            pytest.param(0xA0000003, True, id="junction"),
            pytest.param(0xA000000C, True, id="symbolic link"),
            pytest.param(0x9000601A, False, id="OneDrive"),
            pytest.param(0, False, id="none"),
        ],
    )
    def test_only_a_reparse_point_that_leads_elsewhere_is_one(self, tmp_path, monkeypatch, tag, is_link):
        status = SimpleNamespace(st_mode=stat.S_IFDIR | 0o755, st_reparse_tag=tag)
        monkeypatch.setattr(disk.os, "lstat", lambda path: status)
        assert bool(disk._first_link(str(tmp_path / "a"))) is is_link
