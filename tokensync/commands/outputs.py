"""Writes outputs into a folder and keeps tokensync.outputs.json: which files there are ours, and what they hold.

Nothing is written until every file may be. A file is replaced only where it changed; what an earlier run made and this
one does not is removed; a file that is not ours is never touched without ``force``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.commands.digests import digest_of
from tokensync.commands.files import replace_file
from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MANIFEST = "tokensync.outputs.json"
CATALOG_SUFFIX = ".xcassets"
CATALOG_AUTHOR = b'"tokensync"'
"""What the files of a catalog say of who made them; others in it are somebody else's and stay."""


class Entry(Struct, frozen=True):
    """One output that is ours: a file, or an asset catalog with all files in it.

    ``output`` is the SHA-256 of its content (of the sorted paths and contents, for a catalog), ``input`` that of all
    that it was made from.
    """

    path: str
    output: str
    input: str


class Manifest(Struct, frozen=True):
    """The content of tokensync.outputs.json, sorted by path."""

    outputs: tuple[Entry, ...] = ()


class Written(NamedTuple):
    """What a run did: the paths that were written and removed, and how many were current already."""

    changed: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]


class File(NamedTuple):
    """A file to write: its path under the folder, with ``/``, and its bytes."""

    path: str
    content: bytes


def read_manifest(folder: str) -> Manifest:
    """The manifest of the folder; empty when there is none or it cannot be read (a merge conflict in it, say)."""
    try:
        with open(os.path.join(folder, MANIFEST), "rb") as file:
            return msgspec.json.decode(file.read(), type=Manifest)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return Manifest()


def stale_files(folder: str, files: Sequence[File]) -> list[str]:
    """The paths whose bytes on disk are not these, and those of ours that should be gone; sorted."""
    wanted = {each.path for each in files}
    stale = [each.path for each in files if _content(folder, each.path) != each.content]
    gone = [path for path in _our_files(folder, read_manifest(folder)) if path not in wanted]
    return sorted({*stale, *gone})


def is_current(folder: str, input_digest: str) -> bool:
    """Whether every output on disk is what a run made from this very input: known without building anything."""
    entries = read_manifest(folder).outputs
    return bool(entries) and all(
        entry.input == input_digest and entry.output == _digest(_files_of_entry(folder, entry.path))
        for entry in entries
    )


def write_outputs(folder: str, files: Sequence[File], input_digest: str, *, force: bool = False) -> Written:
    """Bring the folder up to date. Raises ProblemsError, before anything is written, for files that are not ours."""
    manifest = read_manifest(folder)
    exists = os.path.isdir(folder)
    ours = set(_our_files(folder, manifest)) if exists else set()
    current = {each.path: _content(folder, each.path) for each in files} if exists else {}
    _refuse(folder, files, ours, current, force)
    changed: list[str] = []
    made: set[str] = set()
    for path, content in files:
        if current.get(path) == content:
            continue
        _write(folder, path, content, made, exists=current.get(path) is not None)
        changed.append(path)
    wanted = {each.path for each in files}
    removed = sorted(path for path in ours if path not in wanted)
    for path in removed:
        _remove(folder, path)
    text = _manifest_text(files, input_digest)
    if _content(folder, MANIFEST) != text:
        os.makedirs(folder, exist_ok=True)
        replace_file(os.path.join(folder, MANIFEST), text)
    return Written(tuple(changed), len(files) - len(changed), tuple(removed))


def _refuse(folder: str, files: Sequence[File], ours: set[str], current: dict[str, bytes | None], force: bool) -> None:
    problems: list[Problem] = []
    seen: set[str] = set()
    for path, content in files:
        if path in seen:
            what = "two outputs would write this file"
            problems.append(problem("output-repeated", path, what, "give one of them another path"))
        seen.add(path)
        on_disk = current.get(path)
        if on_disk is not None and on_disk != content and path not in ours and not force:
            what = "a file is there that tokensync did not make"
            where = os.path.join(folder, path)
            problems.append(problem("output-foreign", where, what, "move it, or overwrite it with --force"))
    if problems:
        raise ProblemsError(problems)


def _content(folder: str, path: str) -> bytes | None:
    """The bytes on disk; line ends that git changed on checkout do not count."""
    try:
        with open(os.path.join(folder, path), "rb") as file:
            content = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return content.replace(b"\r\n", b"\n")


def _write(folder: str, path: str, content: bytes, made: set[str], *, exists: bool) -> None:
    whole = f"{folder}/{path}"
    if exists:
        replace_file(whole, content, durable=False)
        return
    parent = whole[: whole.rindex("/")]
    if parent not in made:
        os.makedirs(parent, exist_ok=True)
        made.add(parent)
    descriptor = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _remove(folder: str, path: str) -> None:
    os.unlink(os.path.join(folder, path))
    parent = os.path.dirname(path)
    while parent:
        try:
            os.rmdir(os.path.join(folder, parent))
        except OSError:  # not empty: something else lives there
            return
        parent = os.path.dirname(parent)


def _entry_path(path: str) -> str:
    """The output that a file belongs to: its asset catalog, or itself."""
    head, suffix, _ = path.partition(f"{CATALOG_SUFFIX}/")
    return head + CATALOG_SUFFIX if suffix else path


def _manifest_text(files: Sequence[File], input_digest: str) -> bytes:
    members: dict[str, list[File]] = {}
    for each in files:
        members.setdefault(_entry_path(each.path), []).append(each)
    entries = tuple(Entry(path, _digest(members[path]), input_digest) for path in sorted(members))
    return msgspec.json.format(msgspec.json.encode(Manifest(entries)), indent=2) + b"\n"


def _digest(files: Iterable[File]) -> str:
    return digest_of(part for path, content in sorted(files) for part in (path.encode(), content))


def _our_files(folder: str, manifest: Manifest) -> list[str]:
    return [each.path for entry in manifest.outputs for each in _files_of_entry(folder, entry.path)]


def _files_of_entry(folder: str, path: str) -> list[File]:
    if ".." in path.split("/") or os.path.isabs(path):  # the manifest is a file that anyone may have edited
        return []
    whole = os.path.join(folder, path)
    if path.endswith(CATALOG_SUFFIX) and os.path.isdir(whole):
        inside = [os.path.join(parent, name) for parent, _, names in os.walk(whole) for name in names]
        paths = [os.path.relpath(each, folder).replace(os.sep, "/") for each in inside]
        files = [File(each, _content(folder, each) or b"") for each in paths]
        return [each for each in files if CATALOG_AUTHOR in each.content]
    content = _content(folder, path)
    return [] if content is None else [File(path, content)]
