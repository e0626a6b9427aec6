"""Writes outputs into a folder, and keeps the manifest of those that are ours.

Nothing is written until every file may be. A file is replaced only where it changed; what an earlier run made and this
one does not is removed; a file that is not ours is never touched without ``force``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.manifest import (
    MANIFEST,
    carries_our_mark,
    digest_of_files,
    files_of,
    is_credible,
    is_in_catalog,
    manifest_text,
    owner,
    read_manifest,
)
from tokensync.disk import content_of, create_file, replace_file
from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.commands.manifest import Entry, File, Output


class Outputs(NamedTuple):
    """The outputs that a run makes, and the other ones of the project, which it leaves as they are."""

    made: tuple[Output, ...]
    others: tuple[Output, ...] = ()


class Written(NamedTuple):
    """What a run did: the paths that were written and removed, and how many were current already.

    ``left`` are paths that the manifest calls ours and no output makes, but that hold something else now.
    """

    changed: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...] = ()


class _Ours(NamedTuple):
    """What the manifest says of this run's outputs: the files on disk, with whether they may be removed, and their
    entries; and the entries of other outputs.
    """

    files: dict[str, bool]
    entries: tuple[Entry, ...]
    kept: tuple[Entry, ...]


def is_current(root: str, outputs: Outputs) -> bool:
    """Whether every output on disk is what a run made from this very input: known without building anything.

    False may also mean that it cannot be told: of an output without any file, say.
    """
    seen: set[Output] = set()
    for entry in read_manifest(root).outputs:
        of = owner(entry, (*outputs.made, *outputs.others))
        if of in outputs.others:
            continue
        if of is None or entry.input != of.input or entry.output != digest_of_files(files_of(root, entry)):
            return False
        seen.add(of)
    return len(seen) == len(outputs.made)


def stale_files(root: str, files: Sequence[File], outputs: Outputs) -> list[str]:
    """The paths whose bytes on disk are not these, and those of ours that should be gone; sorted."""
    wanted = {each.path for each in files}
    stale = [each.path for each in files if content_of(os.path.join(root, each.path)) != each.content]
    ours = _ours(root, outputs).files
    return sorted({*stale, *(path for path, removable in ours.items() if path not in wanted and removable)})


def write_outputs(root: str, files: Sequence[File], outputs: Outputs, *, force: bool = False) -> Written:
    """Bring the folder up to date. Raises ProblemsError, before anything is written, for files that are not ours."""
    exists = os.path.isdir(root)
    ours, entries, kept = _ours(root, outputs) if exists else _Ours({}, (), ())
    on_disk = {each.path: content_of(os.path.join(root, each.path)) for each in files} if exists else {}
    problems = [*_unfit(files), *([] if force else _foreign(root, files, ours, on_disk))]
    if problems:
        raise ProblemsError(problems)
    wanted = {each.path for each in files}
    stale = [path for path in ours if path not in wanted]
    removed = sorted(path for path in stale if ours[path])
    left = sorted(path for path in stale if not ours[path])
    # The manifest comes first: what a killed run leaves behind is then still known to be ours.
    _keep_manifest(root, manifest_text((*kept, *(entries if removed else ())), files))
    made: set[str] = set()
    changed: list[str] = []
    for path, content, _ in files:
        if on_disk.get(path) != content:
            _write(root, path, content, made, exists=on_disk.get(path) is not None)
            changed.append(path)
    for path in removed:
        _remove(root, path)
    if removed:
        _keep_manifest(root, manifest_text(kept, files))
    return Written(tuple(changed), len(files) - len(changed), tuple(removed), tuple(left))


def _ours(root: str, outputs: Outputs) -> _Ours:
    files: dict[str, bool] = {}
    own: list[Entry] = []
    kept: list[Entry] = []
    every = (*outputs.made, *outputs.others)
    for entry in read_manifest(root).outputs:
        if not is_credible(entry, every):
            continue
        if owner(entry, every) in outputs.others:
            kept.append(entry)
            continue
        own.append(entry)
        found = files_of(root, entry)
        is_as_made = digest_of_files(found) == entry.output
        files.update((path, is_as_made or carries_our_mark(path, content)) for path, content in found)
    return _Ours(files, tuple(own), tuple(kept))


def _unfit(files: Sequence[File]) -> Iterator[Problem]:
    seen: set[str] = set()
    folders = {parent for path in {os.path.dirname(each.path) for each in files} for parent in _with_parents(path)}
    for path, content, _ in files:
        if path in seen or path in folders or path == MANIFEST:
            what = "two outputs would write this file"
            if path in folders:
                what = "one output would write this file, and another one files below it"
            elif path == MANIFEST:
                what = "this is where tokensync keeps what it made"
            yield problem("output-repeated", path, what, "give one of them another path")
        seen.add(path)
        if is_in_catalog(path) and not carries_our_mark(path, content):
            what = "the template of this catalog's files does not name tokensync as their author"
            yield problem("catalog-unsigned", path, what, 'keep "author" : "tokensync" in its "info"')


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = os.path.dirname(path)


def _foreign(
    root: str, files: Sequence[File], ours: dict[str, bool], on_disk: dict[str, bytes | None]
) -> Iterator[Problem]:
    for path, content, _ in files:
        present = on_disk.get(path)
        if present is not None and present != content and path not in ours:
            what = "a file is there that tokensync did not make"
            yield problem("output-foreign", os.path.join(root, path), what, "move it, or overwrite it with --force")


def _keep_manifest(root: str, text: bytes) -> None:
    path = os.path.join(root, MANIFEST)
    if content_of(path) != text:
        os.makedirs(root, exist_ok=True)
        replace_file(path, text)


def _write(root: str, path: str, content: bytes, made: set[str], *, exists: bool) -> None:
    whole = f"{root}/{path}"
    if exists:
        replace_file(whole, content, durable=False)
        return
    parent = whole[: whole.rindex("/")]
    if parent not in made:
        os.makedirs(parent, exist_ok=True)
        made.add(parent)
    create_file(whole, content)


def _remove(root: str, path: str) -> None:
    os.unlink(os.path.join(root, path))
    parent = os.path.dirname(path)
    while parent and os.path.basename(parent) != "..":
        try:
            os.rmdir(os.path.join(root, parent))
        except OSError:  # not empty: something else lives there
            return
        parent = os.path.dirname(parent)
