"""Files that another program holds open, which Windows refuses to replace, remove, look up and read for a moment."""

import os

import pytest
from system.disk.held_open import held, pauses

from tokensync.system import disk
from tokensync.system.disk import HeldOpenError

__all__ = ["held", "pauses"]


def read(path):
    with disk.open_file(path) as file:
        return file.read()


ACTIONS = {
    "replaced": (lambda path: disk.replace_file(path, b"new"), ("replace",)),
    "removed": (disk.remove_file, ("unlink",)),
    "looked up": (lambda path: disk.status_of(path).st_size, ("stat",)),
    "read": (read, ("open",)),
    "read as text": (disk.content_of, ("open",)),
}


@pytest.mark.parametrize("code", [5, 32, 33])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_that_is_held_open_twice_is(tmp_path, held, pauses, action, code):
    path = tmp_path / "tokens.css"
    path.write_bytes(b"old")
    function, calls = ACTIONS[action]
    held("tokens.css", calls=calls, attempts=2, code=code)
    function(str(path))
    assert pauses == [0.05, 0.1]
    assert [each.name for each in tmp_path.iterdir()] == ([] if action == "removed" else ["tokens.css"])
    if action == "replaced":
        assert path.read_bytes() == b"new"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_that_stays_open_is_named_after_two_and_a_half_seconds_and_keeps_its_content(
    tmp_path, held, pauses, action
):
    path = tmp_path / "tokens.css"
    path.write_bytes(b"old")
    function, calls = ACTIONS[action]
    held("tokens.css", calls=calls)
    with pytest.raises(HeldOpenError) as caught:
        function(str(path))
    assert caught.value.filename == str(path)
    assert sum(pauses) == pytest.approx(2.5)
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("tokens.css", b"old")]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(None, marks=pytest.mark.skipif(os.name == "nt", reason="on Windows this may be a file held open")),
        2,
        112,
    ],
)
def test_any_other_refusal_ends_at_once(tmp_path, held, pauses, code):
    path = tmp_path / "tokens.css"
    path.write_bytes(b"old")
    held("tokens.css", calls=("replace",), code=code)
    with pytest.raises(PermissionError) as caught:
        disk.replace_file(str(path), b"new")
    assert not isinstance(caught.value, HeldOpenError)
    assert pauses == []
    assert [each.name for each in tmp_path.iterdir()] == ["tokens.css"]


def test_a_new_file_that_cannot_be_written_is_removed_where_an_open_file_cannot_be(tmp_path, monkeypatch, pauses):
    opened, closed = [], []
    functions = {name: getattr(os, name) for name in ("close", "unlink")}

    def unlink(path, **options):
        assert {*opened} <= {*closed}, "Windows removes no file that this process has open"
        functions["unlink"](path, **options)

    def full(descriptor, _):
        opened.append(descriptor)
        raise OSError(28, "No space left on device")

    def close(descriptor):
        closed.append(descriptor)
        functions["close"](descriptor)

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr(os, "close", close)
    monkeypatch.setattr(os, "unlink", unlink)
    with pytest.raises(OSError, match="No space left"):
        disk.create_file(str(tmp_path / "new.css"), b"content")
    assert list(tmp_path.iterdir()) == []
