"""Write outputs and their manifest.

All files are checked before the first is written. Only changed files are replaced. Files that a former run generated
and this one does not are removed. Other files are never overwritten without ``force``.

The manifest and links may come with a checkout and are not trusted. Files are read, written and removed only inside
the run's ``Boundary``. The manifest of a checkout can list any file with its true digest. So a listed file is replaced
only if an output generates it, and it names tokensync as its author or has the listed digest. It is removed only if it
names tokensync, or if it has the digest of a manifest that this user's last build wrote.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tokensync.dtcg.strays import files_of_project
from tokensync.project.configuration import FILE_NAME
from tokensync.project.manifest import (
    CATALOG_SUFFIX,
    CONTENTS,
    MANIFEST,
    digest_of,
    digest_of_files,
    digest_of_manifest,
    entry_path,
    files_of,
    is_credible,
    is_in_catalog,
    listed_in,
    lists_the_same,
    manifest_text,
    merged_paths,
    names_tokensync,
    owner,
    read_manifest,
)
from tokensync.system.boundary import work_tree
from tokensync.system.disk import (
    Folders,
    content_of,
    create_file,
    folded,
    is_same_file,
    open_file,
    relative_paths,
    remove_file,
    replace_file,
    respell,
    shown_path,
)
from tokensync.system.errors import ProblemsError, TokensyncError
from tokensync.system.git_index import entries_of, index_path, path_of
from tokensync.system.problems import Problem, problem
from tokensync.system.stat_manifest import last_build

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.project.manifest import Entry, File, Output
    from tokensync.system.boundary import Boundary, Location
    from tokensync.system.stat_manifest import Recording


class Outputs(NamedTuple):
    """The outputs to build, the project's other outputs, which stay unchanged, and their permitted locations.

    ``config`` is the configuration's name in entries of the manifest; those of other configurations stay unchanged.
    """

    selected: tuple[Output, ...]
    others: tuple[Output, ...]
    boundary: Boundary
    config: str = ""


class Written(NamedTuple):
    """The result of a run: the paths that it wrote and removed, and the number of unchanged files.

    ``left`` are the paths of former outputs with other content, and ``refused`` those that no output can have.
    ``proof`` is what ``last_build`` returns if it is recorded: the digests of the manifest, the input and the files.
    """

    changed: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    proof: str = ""


class _OwnedFile(NamedTuple):
    """A file on disk that the manifest lists, and whether ``force`` is unnecessary for two actions.

    ``is_shared`` means that an output of another configuration writes it, too.
    """

    location: Location
    content: bytes
    replaceable: bool
    removable: bool
    is_shared: bool = False


class _Ownership(NamedTuple):
    """The manifest's content for this run.

    ``files`` are the files of this run's outputs on disk, and ``entries`` are their entries. ``others`` are the entries
    of other outputs and configurations, and ``refused`` the paths that no output can have.
    """

    files: dict[str, _OwnedFile]
    entries: tuple[Entry, ...]
    others: tuple[Entry, ...]
    refused: tuple[str, ...]


def is_current(root: str, outputs: Outputs, recording: Recording | None = None) -> bool:
    """Return whether the files on disk are those that this user's last build wrote here, from the current input.

    False may also mean that there is no proof, for example in a clone. ``recording`` receives each path before its
    content is read.
    """
    if recording:
        recording.file(os.path.join(root, MANIFEST))
    root = os.path.realpath(root)
    proof = last_build(root)
    if proof[:2] != (digest_of_manifest(root), _digest_of_inputs(outputs)):  # before reading any output
        return False
    entries = [each for each in read_manifest(root).outputs if each.config == outputs.config]
    located, refused = _located(root, entries, outputs)
    if refused:
        return False
    files: list[tuple[str, bytes]] = []
    with Folders() as folders:
        for entry in entries:
            if recording:
                path = os.path.join(root, entry.path)
                if entry.path.endswith(CATALOG_SUFFIX):
                    recording.tree(path, CONTENTS)
                else:
                    recording.file(path)
            files += files_of(entry, located[entry.path], folders)
    return proof[2:] == (digest_of_files(files),)


def _digest_of_inputs(outputs: Outputs) -> str:
    every = sorted((*outputs.selected, *outputs.others))
    return digest_of(part.encode() for each in every for part in (*each, outputs.config))


def stale_files(root: str, files: Sequence[File], outputs: Outputs) -> list[str]:
    """Return the sorted paths of files that a run would write or remove, or else the manifest's if it is out of date.

    Raises ProblemsError for files that no run can write.
    """
    root = os.path.realpath(root)
    _stop_on(_clashes(root, files))
    with Folders() as folders:
        locations = _permitted(root, files, outputs)
        stale = [each.path for each in files if content_of(locations[each.path].content, folders) != each.content]
        ours, _, others, _ = _ownership(root, outputs, folders)
    former = (path for path, each in ours.items() if path not in locations and each.removable and not each.is_shared)
    found = {*stale, *former}
    listed = manifest_text(others, files, config=outputs.config)
    if not found and not lists_the_same(content_of(os.path.join(root, MANIFEST)), listed):
        return [MANIFEST]
    return sorted(found)


_ENOUGH_FOR_AUTHOR = 1 << 16
"""The bytes of a file that are read to find its author: the Contents.json of a colour set is smaller."""


def first_generated(folders: Iterable[str]) -> str:
    """Return the path of a file below these folders that names tokensync, except templates; empty without one."""
    for path in (path for folder in folders for path in files_of_project(folder) if not path.endswith(".j2")):
        with suppress(OSError), open_file(path) as file:
            if names_tokensync(path.replace(os.sep, "/"), file.read(_ENOUGH_FOR_AUTHOR)):
                return path
    return ""


UNTRACKED = "git has outputs that it lists, but not this version of the file"
"""What is wrong with a manifest whose path ``untracked_manifest`` returns."""


def untracked_manifest(root: str) -> str:
    """Return the path of the manifest of an output root if git tracks files that it lists, but not this manifest.

    Then a clone has outputs that no build recognises, and its check fails.
    """
    path = os.path.join(root, MANIFEST)
    with suppress(TokensyncError, OSError):  # an index that only git can read, without git
        if work_tree(root) is not None and os.path.lexists(path) and _lists_more_than_the_index(root):
            return path
    return ""


def spelled_otherwise(folder: str, paths: Iterable[str]) -> Iterator[Problem]:
    """Yield the names in paths, relative to the project's folder, that git has in another case and does not notice.

    That is so on a file system that ignores case; on others, git has two files then.
    """
    from tokensync.system.git import pathspecs

    top = work_tree(folder)
    probe = next((name for name in (MANIFEST, FILE_NAME) if os.path.lexists(os.path.join(folder, name))), "")
    if top is None or not is_same_file(*(os.path.join(folder, name) for name in (probe, probe.swapcase()))):
        return
    real = os.path.realpath(folder)
    spelled = {os.path.relpath(os.path.normpath(os.path.join(real, path)), top).replace(os.sep, "/") for path in paths}
    own = os.path.relpath(real, top).replace(os.sep, "/")
    by_case: dict[str, set[str]] = {}
    with suppress(OSError):
        entries = entries_of(content_of(os.path.realpath(index_path(top))) or b"") or []
        for each in _with_parents(path_of(path) for path, *_ in entries):
            by_case.setdefault(folded(each), set()).add(each)
    for path in _with_parents(each for each in sorted(spelled) if each.partition("/")[0] != os.pardir):
        parent, _, name = path.rpartition("/")
        tracked = {each.rpartition("/")[2] for each in by_case.get(folded(path), ())}
        if tracked and name not in tracked and not f"{own}/".startswith(f"{path}/"):
            former = shown_path(os.path.join(top, parent, min(tracked))).replace(os.sep, "/")  # its folders come first
            where = shown_path(os.path.join(top, path)).replace(os.sep, "/")
            what = f"git has it as {min(tracked)} and notices no change of case here, but other systems tell them apart"
            moves = (pathspecs(each) for each in ((former, f"{former}.tmp"), (f"{former}.tmp", where)))
            yield problem("name-case", os.path.join(top, path), what, f"run git mv {', then git mv '.join(moves)}")


def _with_parents(paths: Iterable[str]) -> list[str]:
    """Return paths with ``/`` and the folders above them, these first, each once."""
    found: dict[str, None] = {}
    for path in paths:
        at = path.find("/")
        while at >= 0:
            found[path[:at]] = None
            at = path.find("/", at + 1)
        found[path] = None
    return list(found)


def _lists_more_than_the_index(root: str) -> bool:
    """Return whether git tracks outputs that only the manifest on disk lists, not the one in the index."""
    from hashlib import sha1

    from tokensync.system.git import Repository, tracks

    repository = Repository(root, root)
    prefix = os.path.relpath(os.path.realpath(root), os.path.realpath(repository.top)).replace(os.sep, "/")
    start = b"" if prefix == os.curdir else os.fsencode(prefix) + b"/"
    ids = {path[len(start) :]: id_ for path, _, id_, _ in repository.staged() if path.startswith(start)}
    own = ids.get(MANIFEST.encode())
    content = content_of(os.path.join(root, MANIFEST)) or b""
    if own == sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).digest():
        return False
    if own is None and tracks(root, MANIFEST):  # in another spelling, which ``spelled_otherwise`` reports
        return False
    in_index = b"" if own is None else repository.contents({MANIFEST: own})[MANIFEST]
    listed = {os.fsencode(each.path) for each in listed_in(in_index)}
    missing = [each for entry in read_manifest(root).outputs if (each := os.fsencode(entry.path)) not in listed]
    catalogs = tuple(each + b"/" for each in missing if each.endswith(CATALOG_SUFFIX.encode()))
    return any(each in ids for each in missing) or any(path.startswith(catalogs) for path in ids)


def tracking_advice(manifest: str, shown: str) -> str:
    """Return how to make git track a manifest, with the path as it is shown: ``git add`` refuses ignored files."""
    from tokensync.system.git import Repository, pathspecs

    rules: dict[str, str] = {}
    with suppress(TokensyncError, OSError):  # without git
        repository = Repository(os.path.dirname(manifest), shown)
        below_top = os.path.relpath(os.path.realpath(manifest), os.path.realpath(repository.top))
        rules = repository.ignored([below_top.replace(os.sep, "/")])
    ignored = "".join(f"git ignores it: remove {relative_paths(rule)}, and " for rule in rules.values())
    return f"{ignored}run git add {pathspecs((shown,))}"


def write_outputs(root: str, files: Sequence[File], outputs: Outputs, *, force: bool = False) -> Written:
    """Write changed files and remove former ones. Raises ProblemsError, before writing, for files of other authors."""
    root = os.path.realpath(root)
    _stop_on(_clashes(root, files))
    with Folders() as folders:
        return _write(root, files, outputs, folders, force=force)


def _write(root: str, files: Sequence[File], outputs: Outputs, folders: Folders, *, force: bool) -> Written:
    locations = _permitted(root, files, outputs)
    ours, entries, others, refused = (
        _ownership(root, outputs, folders) if os.path.isdir(root) else _Ownership({}, (), (), ())
    )
    on_disk = {
        path: ours[path].content if path in ours else content_of(each.content, folders)
        for path, each in locations.items()
        if each.exists
    }
    if not force:
        torn = _torn(files, entries, on_disk)
        _stop_on(_overwritten(root, [each for each in files if each.path not in torn], ours, others, on_disk))
    changed = [each for each in files if on_disk.get(each.path) != each.content]
    stale = sorted(path for path, each in ours.items() if path not in locations and not each.is_shared)
    # Write the manifest first, so that it also lists the files of a run that is killed. Files that do not name
    # tokensync keep their former digest beside the new one until they are replaced.
    replaced = [(each.path, on_disk.get(each.path)) for each in changed]
    is_final = not stale and all(content is None or names_tokensync(path, content) for path, content in replaced)
    listed = _save_manifest(root, manifest_text(others, files, () if is_final else entries, config=outputs.config))
    for path, content, _ in sorted(changed, key=lambda each: each.path):  # the folders of one file serve the next
        if on_disk.get(path) is None:
            if os.path.lexists(locations[path].path):  # a link to nowhere, or a file of this moment
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), locations[path].path)
            create_file(locations[path].path, content, folders, whole=True)
        else:
            replace_file(locations[path].path, content, durable=False, text=True, folders=folders)
    if stale:
        respelled = _respelled(stale, locations, ours)
        _respell(root, respelled, locations, folders)
        stale = [path for path in stale if path not in respelled]
        for path in stale:
            if ours[path].removable:
                climbs = path.split("/").count(os.pardir)
                top = os.path.normpath(os.path.join(root, *[os.pardir] * climbs))
                remove_file(ours[path].location.path, top, folders)
    if not is_final:
        listed = _save_manifest(root, manifest_text(others, files, config=outputs.config))
    removed = tuple(path for path in stale if ours[path].removable)
    left = tuple(path for path in stale if not ours[path].removable)
    proof = " ".join((digest_of((listed,)), _digest_of_inputs(outputs), digest_of_files(files)))
    return Written(tuple(each.path for each in changed), len(files) - len(changed), removed, left, refused, proof)


def _respelled(
    stale: Iterable[str], locations: Mapping[str, Location], ours: Mapping[str, _OwnedFile]
) -> dict[str, str]:
    """Return the former paths that lead to files of this run, with their new paths, as on a file system without case.

    Removing one of them would remove the file that was just written.
    """
    written = {_identity(each.path): path for path, each in locations.items()}
    pairs = ((path, written.get(_identity(ours[path].location.path))) for path in stale)
    return {former: path for former, path in pairs if path is not None}


def _respell(root: str, respelled: Mapping[str, str], locations: Mapping[str, Location], folders: Folders) -> None:
    """Give files their new spelling on disk, and the folders that contain only files of this run."""
    own = {_identity(each.path) for each in locations.values()}

    def is_ours(folder: str) -> bool:
        below = (os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
        return all(_identity(path) in own for path in below)

    may = cache(is_ours)
    for former, path in sorted(respelled.items()):
        if folded(former) == folded(path):
            climbs = os.path.join(root, *[os.pardir] * path.split("/").count(os.pardir))
            respell(os.path.realpath(climbs), former.replace("../", ""), path.replace("../", ""), folders, may=may)


def _ownership(root: str, outputs: Outputs, folders: Folders) -> _Ownership:
    files: dict[str, _OwnedFile] = {}
    own: list[Entry] = []
    others: list[Entry] = []
    every = (*outputs.selected, *outputs.others)
    entries: list[Entry] = []
    for entry in read_manifest(root).outputs:
        (entries if entry.config == outputs.config else others).append(entry)
    is_proven = last_build(root)[:1] == (digest_of_manifest(root),)
    located, refused = _located(root, entries, outputs)
    shared = {each.path for each in others}
    merged = merged_paths(root, entries)
    for entry in entries:
        if entry.path in refused:
            continue
        if owner(entry, every) in outputs.others:
            others.append(entry)
            continue
        own.append(entry)
        present = files_of(entry, located[entry.path], folders)
        is_unchanged = digest_of_files(present) == entry.output
        locations = outputs.boundary.locate(root, (path for path, _ in present))
        for path, content in present:
            at, is_marked = locations[path], names_tokensync(path, content)
            # A link is replaced, not its target.
            replaceable = is_marked or is_unchanged or at.content != at.path or entry.path in merged
            removable = at.flaw is None and (is_marked or (is_unchanged and is_proven))
            # A build that was interrupted leaves two entries of a path: its new one and the former one.
            former = files.get(path, _OwnedFile(at, content, replaceable=False, removable=False))
            replaceable = replaceable or former.replaceable
            removable = removable or former.removable
            files[path] = _OwnedFile(at, content, replaceable, removable, entry.path in shared)
    return _Ownership(files, tuple(own), tuple(others), tuple(sorted(refused)))


def _located(root: str, entries: Iterable[Entry], outputs: Outputs) -> tuple[Mapping[str, Location], set[str]]:
    """Return the locations of entries, and the paths that no output can have, or that links redirect elsewhere."""
    every = (*outputs.selected, *outputs.others)
    credible = {entry.path for entry in entries if is_credible(entry, root, every, outputs.boundary)}
    located = outputs.boundary.locate(root, credible)
    refused = {path for path, location in located.items() if location.flaw}
    return located, {*({entry.path for entry in entries} - credible), *refused}


def _permitted(root: str, files: Sequence[File], outputs: Outputs) -> Mapping[str, Location]:
    """Return the locations of files. Raises ProblemsError for those outside the boundary, or with an obstacle."""
    locations = outputs.boundary.locate(root, (each.path for each in files))
    _stop_on(
        problem("path-refused", os.path.join(root, path), *each.flaw) for path, each in locations.items() if each.flaw
    )
    _stop_on(dict.fromkeys(_obstructed(each) for each in locations.values() if each.obstacle))
    return locations


def _obstructed(location: Location) -> Problem:
    is_own = location.obstacle == location.path
    what = "this is a folder, and the output is a file" if is_own else "this is a file, and outputs need a folder here"
    return problem("path-refused", location.obstacle, what, "move or remove it, or choose another path for the output")


def _stop_on(problems: Iterable[Problem]) -> None:
    if all_problems := tuple(problems):
        raise ProblemsError(all_problems)


def _clashes(root: str, files: Sequence[File]) -> Iterator[Problem]:
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
            where = os.path.join(root, path)
            yield problem("output-repeated", where, what, f"change the path or options of the {output.platform} output")
        seen.add(real)
        if is_in_catalog(path) and not names_tokensync(path, content):
            what = "the catalog's template does not name tokensync as the author"
            yield problem("catalog-unsigned", path, what, 'add "author" : "tokensync" to its "info"')


def _torn(files: Sequence[File], entries: Iterable[Entry], on_disk: Mapping[str, bytes | None]) -> set[str]:
    """Return the listed files that a killed run or a power failure left empty, or with the beginning of their content.

    A file system may also keep the size of a file whose content it lost, and return zeros.
    """
    listed = {each.path for each in entries}
    contents = ((path, on_disk.get(path), content) for path, content, _ in files if entry_path(path) in listed)
    return {
        path
        for path, present, content in contents
        if present is not None and (not present.strip(b"\0") or content.startswith(present))
    }


def _overwritten(
    root: str,
    files: Sequence[File],
    ours: Mapping[str, _OwnedFile],
    others: Iterable[Entry],
    on_disk: Mapping[str, bytes | None],
) -> Iterator[Problem]:
    configs = {each.path: each.config or FILE_NAME for each in others}
    replaceable = {path for path, each in ours.items() if each.replaceable}
    other = {path for path, content, _ in files if on_disk.get(path) not in (None, content)} - replaceable
    known = {_identity(os.path.join(root, path)) for path in replaceable} if other else set()
    for path in sorted(other):
        if _identity(os.path.join(root, path)) not in known:
            what = "it was changed after tokensync wrote it" if path in ours else "tokensync did not write this file"
            to_do = "move it, or overwrite it with --force"
            if entry_path(path) in configs:
                what, to_do = (
                    f"{configs[entry_path(path)]} also has an output that writes it",
                    "change the path of one of the outputs",
                )
            yield problem("output-foreign", os.path.join(root, path), what, to_do)


def _save_manifest(root: str, text: bytes) -> bytes:
    """Write the manifest, unless the present one lists the same, and return the content that it then has.

    Another version, or a formatter, may have written the same differently, and each clone would get that change.
    """
    path = os.path.join(root, MANIFEST)
    present = content_of(path)
    if present is not None and lists_the_same(present, text):
        return present
    replace_file(path, text, text=True)
    return text


def _identity(path: str) -> tuple[int, int] | None:
    """Return the device and inode of a file; None if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
