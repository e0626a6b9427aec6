"""The tokens folder on disk."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

import pytest

from tokensync.dtcg import (
    OutputText,
    changed_files,
    finish_writing,
    folder,
    format_bytes,
    half_written,
    read_folder,
    write,
    write_folder,
)
from tokensync.system.errors import ProblemsError, UsageError
from tokensync.tokens import Collection, Mode, Token, TokenGraph, TokenKey

FILE = "ds"


def graph(*values, handle="color"):
    modes = tuple(
        Mode(name=f"Mode {n}", collection=handle, slug=f"mode-{n}", context=f"mode-{n}") for n in range(len(values))
    )
    family = Collection(file=FILE, handle=handle, name="Color", modes=modes)
    return TokenGraph([family], [Token(key=TokenKey(FILE, handle, "a"), type="number", values=values)])


def files_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_is_written_is_read_back(tmp_path):
    outputs = write(graph(1.0, 2.0), FILE)
    written = write_folder(str(tmp_path / "tokens"), FILE, outputs)
    reading = read_folder(str(tmp_path / "tokens"), FILE)
    assert written == ("ds.resolver.json", "ds/color/mode-0.tokens.json", "ds/color/mode-1.tokens.json")
    assert (reading.graph, reading.problems) == (graph(1.0, 2.0), ())
    assert dict(reading.files) == dict(outputs)


def test_only_what_changed_is_touched_and_nothing_else_is_left_behind(tmp_path):
    root = str(tmp_path)
    write_folder(root, FILE, write(graph(1.0, 2.0), FILE))
    before = (tmp_path / "ds/color/mode-0.tokens.json").stat()
    fresh = write(graph(1.0, 3.0), FILE)
    assert changed_files(root, FILE, fresh) == ("ds/color/mode-1.tokens.json",)
    assert write_folder(root, FILE, fresh) == ("ds/color/mode-1.tokens.json",)
    after = (tmp_path / "ds/color/mode-0.tokens.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert files_below(tmp_path) == ["ds.resolver.json", "ds/color/mode-0.tokens.json", "ds/color/mode-1.tokens.json"]
    assert write_folder(root, FILE, fresh) == ()


def test_a_checkout_with_other_line_ends_is_no_change(tmp_path):
    root = str(tmp_path / "tokens")
    outputs = write(graph(1.0, 2.0), FILE)
    write_folder(root, FILE, outputs)
    paths = [tmp_path / "tokens" / each.path for each in outputs]
    for path in paths:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert write_folder(root, FILE, outputs) == ()
    assert all(b"\r\n" in path.read_bytes() for path in paths)
    assert read_folder(root, FILE).graph == graph(1.0, 2.0)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    root = str(tmp_path)
    write_folder(root, FILE, write(graph(1.0), FILE))
    before = {path: (tmp_path / path).read_bytes() for path in files_below(tmp_path)}

    def refused(source, target, **folders):
        raise OSError(28, "No space left on device", target)

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="No space"):
        write_folder(root, FILE, write(graph(2.0), FILE))
    assert {path: (tmp_path / path).read_bytes() for path in files_below(tmp_path)} == before


def test_what_takes_a_files_place_is_on_the_disk_before(tmp_path, monkeypatch):
    done = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (done.append("fsync"), sync(descriptor)))
    monkeypatch.setattr(os, "replace", lambda *names, **folders: (done.append("replace"), replace(*names, **folders)))
    write_folder(str(tmp_path), FILE, write(graph(1.0), FILE))
    steps = ["fsync", "replace", "fsync"]  # the content, the place, and the folder that knows it
    assert done == [*steps, "fsync", "fsync", *steps]  # and the folders that know the two new ones


@contextmanager
def stopped_after(steps, monkeypatch):
    """Interrupt the writing of token files in a block after so many files are written or removed."""
    done = []

    def counted(function):
        def call(path, *arguments, **named):
            if not path.endswith(".log"):
                if len(done) == steps:
                    raise KeyboardInterrupt
                done.append(path)
            function(path, *arguments, **named)

        return call

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        for each in ("replace_file", "remove_file"):
            patch.setattr(folder, each, counted(getattr(folder, each)))
        yield


RENAMED = [write(graph(1.0, 2.0, handle=handle), FILE) for handle in ("old", "new")]
"""Five files change: the resolver document, two that are new, and two that are removed."""


@pytest.mark.parametrize("steps", range(6))
def test_a_folder_can_be_read_and_completed_wherever_its_writing_stops(tmp_path, monkeypatch, steps):
    root, log, (old, new) = str(tmp_path / "tokens"), str(tmp_path / "a.log"), RENAMED
    write_folder(root, FILE, old)
    before = files_below(tmp_path / "tokens")
    with stopped_after(steps, monkeypatch):
        write_folder(root, FILE, new, log=log)
    assert {each.code for each in read_folder(root, FILE).problems} <= {"mode-unregistered"}
    assert bool(half_written(root, FILE, log)) == (0 < steps < 5)
    assert bool(half_written(root, FILE, log, or_wholly=True)) == (steps > 0)
    finish_writing(root, FILE, log)
    assert files_below(tmp_path / "tokens") == (before if steps == 0 else sorted(dict(new)))
    assert steps == 0 or dict(read_folder(root, FILE).files) == dict(new)


def test_writing_is_not_completed_over_an_edit(tmp_path, monkeypatch):
    root, log, (old, new) = str(tmp_path / "tokens"), str(tmp_path / "a.log"), RENAMED
    write_folder(root, FILE, old)
    with stopped_after(2, monkeypatch):
        write_folder(root, FILE, new, log=log)
    edited = tmp_path / "tokens/ds/old/mode-0.tokens.json"
    edited.write_text("{}", encoding="utf-8")
    finish_writing(root, FILE, log)
    assert edited.read_text("utf-8") == "{}"
    assert not half_written(root, FILE, log, or_wholly=True)


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"[" * 100_000, b"\xff", b'[{"path":"../a","before":"","after":"x"}]']
)
def test_a_damaged_log_of_writing_is_ignored(tmp_path, content):
    root, log = str(tmp_path / "tokens"), tmp_path / "a.log"
    write_folder(root, FILE, RENAMED[0])
    log.write_bytes(content)
    finish_writing(root, FILE, str(log))
    assert files_below(tmp_path / "tokens") == sorted(dict(RENAMED[0]))


def test_stale_files_go_and_files_of_others_stay(tmp_path):
    root = str(tmp_path)
    write_folder(root, FILE, write(graph(1.0, handle="old"), FILE))
    (tmp_path / "ds/README.md").write_text("mine", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/x.tokens.json").write_text("{}", encoding="utf-8")
    write_folder(root, FILE, write(graph(1.0), FILE))
    assert files_below(tmp_path) == [
        "ds.resolver.json",
        "ds/README.md",
        "ds/color/mode-0.tokens.json",
        "other/x.tokens.json",
    ]
    assert not (tmp_path / "ds/old").exists()


def test_a_folder_without_token_files_is_an_empty_graph(tmp_path):
    reading = read_folder(str(tmp_path / "nothing"), FILE)
    assert (dict(reading.files), reading.problems, list(reading.graph.tokens)) == ({}, (), [])


def test_problems_name_the_file_below_the_folder(tmp_path):
    (tmp_path / "ds/color").mkdir(parents=True)
    (tmp_path / "ds/color/x.tokens.json").write_text("{", encoding="utf-8")
    (problem,) = read_folder(str(tmp_path), FILE).problems
    assert problem.where == f"{tmp_path}/ds/color/x.tokens.json:1:2"


@pytest.mark.parametrize(
    "path",
    [
        "../x.tokens.json",
        "ds/../../x.tokens.json",
        "/x.tokens.json",
        "ds/a/b.txt",
        "other/a/b.tokens.json",
        "ds/a\\b/c.tokens.json",
    ],
)
def test_nothing_is_written_outside_of_the_files_own_folder(tmp_path, path):
    with pytest.raises(UsageError, match="not a valid path for a token file"):
        write_folder(
            str(tmp_path / "tokens"), FILE, [OutputText("ds.resolver.json", b"{}\n"), OutputText(path, b"{}\n")]
        )
    assert files_below(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="making links needs a privilege on Windows")
def test_links_are_not_followed(tmp_path):
    outside, tokens = tmp_path / "outside", tmp_path / "tokens"
    outside.mkdir()
    (outside / "mode-0.tokens.json").write_text("{}", encoding="utf-8")
    (tokens / "ds").mkdir(parents=True)
    (tokens / "ds/color").symlink_to(outside)
    with pytest.raises(ProblemsError, match="link"):
        read_folder(str(tokens), FILE)
    for write_or_tell in (write_folder, changed_files):
        for handle in ("color", "other"):
            with pytest.raises((ProblemsError, UsageError), match="link"):
                write_or_tell(str(tokens), FILE, write(graph(1.0, handle=handle), FILE))
    assert (outside / "mode-0.tokens.json").read_text("utf-8") == "{}"


def test_what_is_no_json_object_cannot_be_formatted():
    with pytest.raises(ProblemsError, match=r"x\.tokens\.json:1:1 \(#\): the file must be a JSON object"):
        format_bytes(b"[]", "x.tokens.json")
    with pytest.raises(ProblemsError, match=r"x\.tokens\.json:2:1: "):
        format_bytes(b'{"a": 1,\n}', "x.tokens.json")
