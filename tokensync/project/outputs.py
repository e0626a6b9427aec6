"""Writes outputs into a folder, and keeps the manifest of those that are ours.

Nothing is written until every file may be. A file is replaced only where it changed; what an earlier run made and this
one does not is removed; a file that is not ours is never touched without ``force``. The manifest and every link come
with a checkout, so neither is believed: what they name is read, written or removed only inside the run's ``Boundary``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.disk import content_of, create_file, replace_file
from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem
from tokensync.project.manifest import (
    CATALOG_SUFFIX,
    CONTENTS,
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.boundary import Boundary
    from tokensync.project.manifest import Entry, File, Output
    from tokensync.stat_manifest import Recording


class Outputs(NamedTuple):
    """The outputs that a run makes, the project's other ones, which stay as they are, and where all of them may be."""

    made: tuple[Output, ...]
    others: tuple[Output, ...]
    boundary: Boundary


class Written(NamedTuple):
    """What a run did: the paths that were written and removed, and how many were current already.

    ``left`` are paths that the manifest calls ours and no output makes, but that hold something else now; ``refused``
    are paths of the manifest that no output can have.
    """

    changed: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class _Ours(NamedTuple):
    """What the manifest says of this run's outputs: the files on disk, with whether they may be removed, and their
    entries; the entries of other outputs; and the paths that it should not name.
    """

    files: dict[str, bool]
    entries: tuple[Entry, ...]
    kept: tuple[Entry, ...]
    refused: tuple[str, ...]


def is_current(root: str, outputs: Outputs, recording: Recording | None = None) -> bool:
    """Return whether every output on disk is what a run made from this very input, without building anything.

    False may also mean that it is not known: of an output without any file, say. ``recording`` is given each path
    before its content is read.
    """
    if recording:
        recording.file(os.path.join(root, MANIFEST))
    every = (*outputs.made, *outputs.others)
    entries = read_manifest(root).outputs
    if _refused(root, entries, outputs):
        return False
    owned = [(entry, of) for entry in entries if (of := owner(entry, every)) not in outputs.others]
    if any(of is None or entry.input != of.input for entry, of in owned):  # known before any output is read
        return False
    for entry, _ in owned:
        if recording:
            path = os.path.join(root, entry.path)
            if entry.path.endswith(CATALOG_SUFFIX):
                recording.tree(path, CONTENTS)
            else:
                recording.file(path)
        if entry.output != digest_of_files(files_of(root, entry)):
            return False
    return len({of for _, of in owned}) == len(outputs.made)


def stale_files(root: str, files: Sequence[File], outputs: Outputs) -> list[str]:
    """Return the paths whose bytes on disk are not these, and those of ours that should be gone; sorted.

    Raises ProblemsError for files that must not be looked at where they are.
    """
    _stop_on(_misled(root, files, outputs))
    wanted = {each.path for each in files}
    stale = [each.path for each in files if content_of(os.path.join(root, each.path)) != each.content]
    ours = _ours(root, outputs).files
    return sorted({*stale, *(path for path, removable in ours.items() if path not in wanted and removable)})


def write_outputs(root: str, files: Sequence[File], outputs: Outputs, *, force: bool = False) -> Written:
    """Bring the folder up to date. Raises ProblemsError, before anything is written, for files that are not ours."""
    _stop_on([*_unfit(root, files), *_misled(root, files, outputs)])
    exists = os.path.isdir(root)
    ours, entries, kept, refused = _ours(root, outputs) if exists else _Ours({}, (), (), ())
    on_disk = {each.path: content_of(os.path.join(root, each.path)) for each in files} if exists else {}
    if not force:
        _stop_on(_foreign(root, files, ours, on_disk))
    wanted = {each.path for each in files}
    stale = sorted(path for path in ours if path not in wanted)
    # The manifest comes first: what a killed run leaves behind is then still known to be ours.
    _keep_manifest(root, manifest_text((*kept, *(entries if stale else ())), files))
    made: set[str] = set()
    changed: list[str] = []
    for path, content, _ in files:
        if on_disk.get(path) != content:
            _write(root, path, content, made, exists=on_disk.get(path) is not None)
            changed.append(path)
    if stale:
        # A file system that ignores case has one file for two paths, and this run has just written it.
        written = {_identity(os.path.join(root, path)) for path in wanted}
        stale = [path for path in stale if _identity(os.path.join(root, path)) not in written]
        for path in stale:
            if ours[path]:
                _remove(root, path)
        _keep_manifest(root, manifest_text(kept, files))
    removed = tuple(path for path in stale if ours[path])
    left = tuple(path for path in stale if not ours[path])
    return Written(tuple(changed), len(files) - len(changed), removed, left, refused)


def _ours(root: str, outputs: Outputs) -> _Ours:
    files: dict[str, bool] = {}
    own: list[Entry] = []
    kept: list[Entry] = []
    every = (*outputs.made, *outputs.others)
    entries = read_manifest(root).outputs
    refused = _refused(root, entries, outputs)
    for entry in entries:
        if entry.path in refused:
            continue
        of = owner(entry, every)
        if of in outputs.others:
            kept.append(entry)
            continue
        own.append(entry)
        found = files_of(root, entry)
        # A digest alone says little: whoever wrote the manifest can take it of any file of the repository.
        is_as_made = of is not None and of.path.strip("./") != "" and digest_of_files(found) == entry.output
        misled = {path for path, _ in outputs.boundary.misled(root, (path for path, _ in found))}
        files.update(
            (path, path not in misled and (is_as_made or carries_our_mark(path, content))) for path, content in found
        )
    return _Ours(files, tuple(own), tuple(kept), tuple(sorted(refused)))


def _refused(root: str, entries: Iterable[Entry], outputs: Outputs) -> set[str]:
    """Return the paths of a manifest that no output can have, or that a link leads elsewhere."""
    every = (*outputs.made, *outputs.others)
    paths = {entry.path: is_credible(entry, root, every, outputs.boundary) for entry in entries}
    credible = [path for path, found in paths.items() if found]
    misled = (path for path, _ in outputs.boundary.misled(root, credible))
    return {*(path for path, found in paths.items() if not found), *misled}


def _misled(root: str, files: Sequence[File], outputs: Outputs) -> Iterator[Problem]:
    for path, flaw in outputs.boundary.misled(root, (each.path for each in files)):
        yield problem("path-refused", os.path.join(root, path), *flaw)


def _stop_on(problems: Iterable[Problem]) -> None:
    if found := tuple(problems):
        raise ProblemsError(found)


def _unfit(root: str, files: Sequence[File]) -> Iterator[Problem]:
    places = {path: os.path.realpath(os.path.join(root, path)) for path in {each.output.path for each in files}}
    seen: set[str] = set()
    folders: set[str] = set()
    for each in files:
        folder = each.path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    for path, content, output in files:
        place = places[output.path] + path[len(output.path) :]  # a link can lead two outputs to one folder
        if place in seen or path in folders or path == MANIFEST:
            what = "two outputs would write this file"
            if path in folders:
                what = "one output would write this file, and another one files below it"
            elif path == MANIFEST:
                what = "this is where tokensync keeps what it made"
            yield problem("output-repeated", path, what, "give one of them another path")
        seen.add(place)
        if is_in_catalog(path) and not carries_our_mark(path, content):
            what = "the template of this catalog's files does not name tokensync as their author"
            yield problem("catalog-unsigned", path, what, 'keep "author" : "tokensync" in its "info"')


def _foreign(
    root: str, files: Sequence[File], ours: dict[str, bool], on_disk: dict[str, bytes | None]
) -> Iterator[Problem]:
    other = {path for path, content, _ in files if on_disk.get(path) not in (None, content) and path not in ours}
    known = {_identity(os.path.join(root, path)) for path in ours} if other else set()
    for path in sorted(other):
        if _identity(os.path.join(root, path)) not in known:
            what = "a file that tokensync did not write is in the way"
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
        _make_folder(parent)
        made.add(parent)
    create_file(whole, content)


def _make_folder(path: str) -> None:
    """Make a folder, and those above it where they are missing: ``os.makedirs`` asks the system three times as much."""
    try:
        os.mkdir(path)
    except FileNotFoundError:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from every other one, whatever its path is called; None when it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove(root: str, path: str) -> None:
    os.unlink(os.path.join(root, path))
    parent = os.path.dirname(path)
    while parent and os.path.basename(parent) != "..":
        try:
            os.rmdir(os.path.join(root, parent))
        except OSError:  # not empty: something else lives there
            return
        parent = os.path.dirname(parent)
