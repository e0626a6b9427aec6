"""Write outputs and their manifest.

All files are checked before the first is written. Only changed files are replaced. Files that a former run generated
and this one does not are removed. Other files are never overwritten without ``force``. The manifest and links may come
with a checkout and are not trusted: files are read, written and removed only inside the run's ``Boundary``.
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
    """The outputs to build, the project's other outputs, which stay unchanged, and their permitted locations."""

    selected: tuple[Output, ...]
    others: tuple[Output, ...]
    boundary: Boundary


class Written(NamedTuple):
    """The result of a run: the paths that it wrote and removed, and the number of unchanged files.

    ``left`` are the paths of former outputs with other content, and ``refused`` those that no output can have.
    """

    changed: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class _Ours(NamedTuple):
    """The manifest's content for this run.

    ``files`` maps the files of this run's outputs on disk to whether they may be removed, and ``entries`` are their
    entries. ``others`` are the entries of other outputs, and ``refused`` the paths that no output can have.
    """

    files: dict[str, bool]
    entries: tuple[Entry, ...]
    others: tuple[Entry, ...]
    refused: tuple[str, ...]


def is_current(root: str, outputs: Outputs, recording: Recording | None = None) -> bool:
    """Return whether the manifest proves that all outputs on disk were generated from the current input.

    False may also mean that there is no proof, for example for an output without files. ``recording`` receives each
    path before its content is read.
    """
    if recording:
        recording.file(os.path.join(root, MANIFEST))
    every = (*outputs.selected, *outputs.others)
    entries = read_manifest(root).outputs
    if _refused(root, entries, outputs):
        return False
    owned = [(entry, of) for entry in entries if (of := owner(entry, every)) not in outputs.others]
    if any(of is None or entry.input != of.input for entry, of in owned):  # before reading any output
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
    return len({of for _, of in owned}) == len(outputs.selected)


def stale_files(root: str, files: Sequence[File], outputs: Outputs) -> list[str]:
    """Return the sorted paths of files that a run would write or remove.

    Raises ProblemsError for files outside the boundary.
    """
    _stop_on(_misled(root, files, outputs))
    paths = {each.path for each in files}
    stale = [each.path for each in files if content_of(os.path.join(root, each.path)) != each.content]
    ours = _ours(root, outputs).files
    return sorted({*stale, *(path for path, removable in ours.items() if path not in paths and removable)})


def write_outputs(root: str, files: Sequence[File], outputs: Outputs, *, force: bool = False) -> Written:
    """Write changed files and remove former ones. Raises ProblemsError, before writing, for files of other authors."""
    _stop_on([*_unfit(root, files), *_misled(root, files, outputs)])
    exists = os.path.isdir(root)
    ours, entries, others, refused = _ours(root, outputs) if exists else _Ours({}, (), (), ())
    on_disk = {each.path: content_of(os.path.join(root, each.path)) for each in files} if exists else {}
    if not force:
        _stop_on(_foreign(root, files, ours, on_disk))
    paths = {each.path for each in files}
    stale = sorted(path for path in ours if path not in paths)
    # Write the manifest first, so that it also lists the files of a run that is killed.
    _save_manifest(root, manifest_text((*others, *(entries if stale else ())), files))
    folders: set[str] = set()
    changed: list[str] = []
    for path, content, _ in files:
        if on_disk.get(path) != content:
            _write(root, path, content, folders, exists=on_disk.get(path) is not None)
            changed.append(path)
    if stale:
        # On a file system that ignores case, a stale path can be a file that this run has just written.
        written = {_identity(os.path.join(root, path)) for path in paths}
        stale = [path for path in stale if _identity(os.path.join(root, path)) not in written]
        for path in stale:
            if ours[path]:
                _remove(root, path)
        _save_manifest(root, manifest_text(others, files))
    removed = tuple(path for path in stale if ours[path])
    left = tuple(path for path in stale if not ours[path])
    return Written(tuple(changed), len(files) - len(changed), removed, left, refused)


def _ours(root: str, outputs: Outputs) -> _Ours:
    files: dict[str, bool] = {}
    own: list[Entry] = []
    others: list[Entry] = []
    every = (*outputs.selected, *outputs.others)
    entries = read_manifest(root).outputs
    refused = _refused(root, entries, outputs)
    for entry in entries:
        if entry.path in refused:
            continue
        of = owner(entry, every)
        if of in outputs.others:
            others.append(entry)
            continue
        own.append(entry)
        present = files_of(root, entry)
        # The digest alone proves nothing: the author of the manifest can compute it for any file of the repository.
        is_unchanged = of is not None and of.path.strip("./") != "" and digest_of_files(present) == entry.output
        misled = {path for path, _ in outputs.boundary.misled(root, (path for path, _ in present))}
        files.update(
            (path, path not in misled and (is_unchanged or carries_our_mark(path, content)))
            for path, content in present
        )
    return _Ours(files, tuple(own), tuple(others), tuple(sorted(refused)))


def _refused(root: str, entries: Iterable[Entry], outputs: Outputs) -> set[str]:
    """Return the paths of entries that no output can have, or that links redirect out of the boundary."""
    every = (*outputs.selected, *outputs.others)
    credible = {entry.path for entry in entries if is_credible(entry, root, every, outputs.boundary)}
    misled = (path for path, _ in outputs.boundary.misled(root, credible))
    return {*({entry.path for entry in entries} - credible), *misled}


def _misled(root: str, files: Sequence[File], outputs: Outputs) -> Iterator[Problem]:
    for path, flaw in outputs.boundary.misled(root, (each.path for each in files)):
        yield problem("path-refused", os.path.join(root, path), *flaw)


def _stop_on(problems: Iterable[Problem]) -> None:
    if all_problems := tuple(problems):
        raise ProblemsError(all_problems)


def _unfit(root: str, files: Sequence[File]) -> Iterator[Problem]:
    real_paths = {path: os.path.realpath(os.path.join(root, path)) for path in {each.output.path for each in files}}
    seen: set[str] = set()
    folders: set[str] = set()
    for each in files:
        folder = each.path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    for path, content, output in files:
        real = real_paths[output.path] + path[len(output.path) :]  # links can lead two outputs to one folder
        if real in seen or path in folders or path == MANIFEST:
            what = "two outputs write this file"
            if path in folders:
                what = "one output writes this file, and another one writes files below it"
            elif path == MANIFEST:
                what = "this is the path of tokensync's manifest"
            yield problem("output-repeated", path, what, f"change the path or options of the {output.platform} output")
        seen.add(real)
        if is_in_catalog(path) and not carries_our_mark(path, content):
            what = "the catalog's template does not name tokensync as the author"
            yield problem("catalog-unsigned", path, what, 'add "author" : "tokensync" to its "info"')


def _foreign(
    root: str, files: Sequence[File], ours: dict[str, bool], on_disk: dict[str, bytes | None]
) -> Iterator[Problem]:
    other = {path for path, content, _ in files if on_disk.get(path) not in (None, content) and path not in ours}
    known = {_identity(os.path.join(root, path)) for path in ours} if other else set()
    for path in sorted(other):
        if _identity(os.path.join(root, path)) not in known:
            what = "tokensync did not write this file"
            yield problem("output-foreign", os.path.join(root, path), what, "move it, or overwrite it with --force")


def _save_manifest(root: str, text: bytes) -> None:
    path = os.path.join(root, MANIFEST)
    if content_of(path) != text:
        os.makedirs(root, exist_ok=True)
        replace_file(path, text)


def _write(root: str, path: str, content: bytes, folders: set[str], *, exists: bool) -> None:
    whole = f"{root}/{path}"
    if exists:
        replace_file(whole, content, durable=False)
        return
    parent = whole[: whole.rindex("/")]
    if parent not in folders:
        _make_folder(parent)
        folders.add(parent)
    create_file(whole, content)


def _make_folder(path: str) -> None:
    """Create a folder and its missing parents, with a third of the system calls of ``os.makedirs``."""
    try:
        os.mkdir(path)
    except FileNotFoundError:
        os.makedirs(path, exist_ok=True)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


def _identity(path: str) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _remove(root: str, path: str) -> None:
    os.unlink(os.path.join(root, path))
    parent = os.path.dirname(path)
    while parent and os.path.basename(parent) != "..":
        try:
            os.rmdir(os.path.join(root, parent))
        except OSError:  # not empty
            return
        parent = os.path.dirname(parent)
