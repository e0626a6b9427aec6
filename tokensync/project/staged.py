"""The project of the next commit: what the git index has of it, written into a temporary folder.

A hook has to judge the commit, and not the work tree, which has other changes and untracked files. So everything that a
check reads is copied from the index, or before a push from the commit, into a folder with the same layout: the
configuration, token files, templates, the lock, and the list of outputs. Of the outputs in it, only those are copied
that have another id than what a build would write. Links, submodules and unmerged files of the index are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from posixpath import normpath
from types import MappingProxyType
from typing import NamedTuple

from tokensync.dtcg.strays import SUFFIXES
from tokensync.project.accepted import ACCEPTED
from tokensync.project.configuration import CONFIG_VARIABLE, FILE_NAME, PYPROJECT, Project, load_project
from tokensync.project.lock import LOCK
from tokensync.project.outputs import CATALOG_SUFFIX, CONTENTS, MANIFEST, File, read_manifest
from tokensync.system.boundary import flaw_of, is_within, work_tree
from tokensync.system.disk import Folders, content_of, create_file, open_file, relative_path, spelled, temporary_folder
from tokensync.system.errors import ErrorsFound, ProblemsError, UsageError
from tokensync.system.git import ATTRIBUTES, Repository, pathspecs
from tokensync.system.git_index import LINK, REGULAR, SUBMODULE, Entry, blob_id, path_of, selected
from tokensync.system.problems import Problem, problem
from tokensync.system.stat_manifest import PUSHED
from tokensync.system.token_files import json_files_of, named_files

_PUSHED_FROM = "PRE_COMMIT_FROM_REF"
"""The variable in which hook managers name the last commit that the server of a push has."""
_ARGUMENT = "--staged"
_ADVICE = "run tokensync check without it, which reads the work tree"


class Selection(NamedTuple):
    """What a check reads of an index: the entries with one of the paths, and those below one of the folders.

    They start at the top of the work tree. A folder ends with ``/``, and the empty one contains everything.
    """

    paths: frozenset[bytes]
    folders: tuple[bytes, ...]


class Staged(NamedTuple):
    """The project of the index in a temporary folder.

    ``top`` is the top of the work tree in it, ``real_top`` the real one, and ``user_folder`` the folder in which the
    user works. ``selection`` and ``entries`` are what the check read. ``unstaged`` are the paths, from the top, of
    files that a build reads and that differ in the work tree, or of which a hook manager has put changes aside;
    ``outputs_aside`` says that it has put aside changes of outputs. ``untracked`` are token files of the work tree that
    the index lacks and a build would read, and ``ignored`` those of them that git ignores, with its rules.
    ``unmerged`` are the paths, from the top, of files of the project that git has not merged; then the project cannot
    be read. ``commit`` is the id of the commit that is read instead of the index. ``outputs`` are the entries of the
    outputs, which are not copied yet.
    """

    project: Project
    top: str
    real_top: str
    user_folder: str
    selection: Selection
    entries: list[Entry]
    unstaged: tuple[str, ...] = ()
    outputs_aside: bool = False
    untracked: tuple[str, ...] = ()
    ignored: Mapping[str, str] = MappingProxyType({})
    unmerged: tuple[str, ...] = ()
    commit: str = ""
    outputs: tuple[Entry, ...] = ()

    def copy_code(self, paths: Sequence[str], is_code: Callable[[str], bool]) -> dict[str, Container[int]]:
        """Copy the files at these paths and below them of which lines are new, and return these lines by path.

        Lines are new if the last commit lacks them, or before a push the last commit that the server has, if the hook
        manager names it.
        """
        repository = Repository(self.real_top, _ARGUMENT, _ADVICE)
        start = os.environ.get(_PUSHED_FROM, "")
        if self.commit:
            found = repository.added_lines(repository.commit_id(start), self.commit) if start else {}
        else:
            found = repository.added_lines(cached=True)
        listed = [(os.fsencode(path), added.mode, added.blob, 0) for path, added in found.items() if is_code(path)]
        outputs = {path for path, *_ in self.outputs}
        entries = [
            entry
            for entry in selected(listed, *_selection(self.top, paths, paths))
            if entry[0] not in outputs and not _refusal(self.top, entry)
        ]
        absent = [entry for entry in entries if not os.path.lexists(os.path.join(self.top, path_of(entry[0])))]
        _write(repository, self.top, absent)
        return {os.path.join(self.top, *path_of(path).split("/")): found[path_of(path)].lines for path, *_ in entries}

    def copy_outputs(self, files: Iterable[File]) -> frozenset[str]:
        """Return the paths of the files that the commit has as they are, and copy its other outputs."""
        ids = {path: id_ for path, _, id_, _ in self.outputs}
        folder = _below(self.project.folder, self.top)
        equal: dict[bytes, str] = {}
        for file in files:
            path = os.fsencode(normpath(f"{folder}/{file.path}"))
            # content_of does not return CR LF, and then this file is not current
            if path in ids and b"\r\n" not in file.content and blob_id(file.content, ids[path]) == ids[path]:
                equal[path] = file.path
        repository = Repository(self.real_top, _ARGUMENT, _ADVICE)
        _write(repository, self.top, [entry for entry in self.outputs if entry[0] not in equal])
        return frozenset(equal.values())

    def real(self, path: str) -> str:
        """Return the path in the work tree of a path in the temporary folder."""
        return os.path.normpath(os.path.join(self.real_top, os.path.relpath(path, self.top)))


def user_folder(top: str) -> str:
    """Return the folder in which the user works: git runs a hook at the top, and passes on the folder below it."""
    folder = _here()
    prefix = os.environ.get("GIT_PREFIX", "") if os.path.realpath(folder) == top else ""
    below = os.path.normpath(os.path.join(folder, prefix))
    return below if is_within(below, folder) and os.path.isdir(below) else folder


def _here() -> str:
    """Return the working folder as the top of the work tree is given: with its own name if its drive has another."""
    return os.path.realpath(os.getcwd())


def pushed_revision() -> str:
    """Return the last commit of a push, or the end of a range, that pre-commit or prek names to hooks; else empty.

    They name only the branch if the server has none of its commits.
    """
    return next(filter(None, map(os.environ.get, PUSHED)), "")


@contextmanager
def staged_project(config: str | None = None, revision: str = "") -> Iterator[Staged | None]:
    """Yield the project of the index, at ``config`` or in the nearest parent folder; None if it has no configuration.

    ``revision`` names a commit to read instead of the index. Raises UsageError if the index lacks the configuration
    that the work tree has, ProblemsError for entries that cannot be read, and as ``load_project``.
    """
    real_top = work_tree(os.getcwd())
    if real_top is None:
        raise UsageError(f"{_ARGUMENT}: this is not a git work tree; {_ADVICE}")
    repository = Repository(real_top, _ARGUMENT, _ADVICE)
    commit = repository.commit_id(revision) if revision else ""
    index = repository.committed(commit) if commit else repository.staged()
    by_path = {path: (mode, id_) for path, mode, id_, stage in index if not stage}
    unmerged = frozenset(path for path, _, _, stage in index if stage)
    found, candidates = _configuration(config, real_top, by_path, unmerged, repository, commit)
    if found is None:
        yield None
        return
    with temporary_folder() as top:
        try:
            yield _copied(repository, top, index, found, candidates, commit)
        except ProblemsError as stop:
            raise type(stop)([shown(problem, top, real_top) for problem in stop.problems]) from None


def shown(found: Problem, top: str, real_top: str) -> Problem:
    """Return a problem in which paths of the temporary folder are those of the work tree."""
    return found.rewritten(lambda text: text.replace(top, real_top))


def _copied(
    repository: Repository, top: str, index: list[Entry], config: bytes, candidates: frozenset[bytes], commit: str
) -> Staged:
    create_file(os.path.join(top, ".git", "HEAD"), b"")  # paths may not lead out of the work tree
    beside = config[: config.rfind(b"/") + 1] + ACCEPTED.encode()  # a project is loaded with it
    own = [entry for entry in index if entry[0] in (config, beside)]
    _write(repository, top, [entry for entry in own if not entry[3]])
    project = load_project(os.path.join(top, path_of(config)))
    inputs = _inputs(project, top)
    first = [entry for entry in selected(index, *inputs) if entry not in own and not _is_without_effect(entry)]
    outputs = [project.path(output.path) for output in project.config.outputs]
    of_project = (*own, *first, *selected(index, *_selection(top, outputs, outputs)))
    found = Staged(project, top, repository.top, user_folder(repository.top), inputs, [], commit=commit)
    if unmerged := _unmerged(of_project):
        return found._replace(unmerged=unmerged)
    _write(repository, top, first)
    named = _named(project, top)
    written = {path for path, *_ in (*own, *first)}
    further = [each for each in selected(index, *named) if each[0] not in written]
    if unmerged := _unmerged(further):
        return found._replace(unmerged=unmerged)
    _refuse_links(repository.top, further)
    in_outputs = selected(further, (), _selection(top, (), outputs).folders)
    deferred = {entry[0]: entry for entry in in_outputs if not _resembles_tokens(entry[0])}
    _write(repository, top, [entry for entry in further if entry[0] not in deferred])
    found = found._replace(outputs=tuple(deferred.values()))
    whole = Selection(inputs.paths | named.paths | candidates, tuple(dict.fromkeys((*inputs.folders, *named.folders))))
    found = found._replace(selection=whole, entries=selected(index, *whole))
    if commit:
        return found
    aside = [path for path, *_ in selected([(path, 0, b"", 0) for path in set_aside()], *whole)]
    built = _selection(top, (*outputs, os.path.join(project.folder, MANIFEST)), outputs)
    of_outputs = {path for path, *_ in selected([(path, 0, b"", 0) for path in aside], *built)}
    read = [path for path in written if path.rpartition(b"/")[2] not in _NOT_BUILT_FROM]
    differing = {*(each for each in read if _differs(repository.top, top, each)), *aside} - of_outputs
    untracked = sorted(path_of(file) for file in _token_files(found) - {path for path, *_ in index})
    return found._replace(
        unstaged=tuple(sorted(map(path_of, differing))),
        outputs_aside=bool(of_outputs),
        untracked=tuple(untracked),
        ignored=repository.ignored(untracked) if untracked else {},
    )


_NOT_BUILT_FROM = {os.fsencode(name) for name in (LOCK, MANIFEST, ATTRIBUTES, ACCEPTED)}
"""The names of files of a project that are no input of a build."""


def _resembles_tokens(path: bytes) -> bool:
    """Return whether a search for misplaced token files notices a file, except that of a catalog."""
    name = path.rpartition(b"/")[2]
    return name != CONTENTS.encode() and path_of(name).lower().endswith(SUFFIXES)


def _token_files(staged: Staged) -> set[bytes]:
    """Return the token files of the work tree, from the top; none if some of them cannot be read."""
    root = staged.real(staged.project.tokens_folder)
    with suppress(OSError, ProblemsError):
        paths = [path for file in staged.project.config.files for path in json_files_of(root, file.name)]
        return {os.fsencode(_below(os.path.join(root, path), staged.real_top)) for path in paths}
    return set()


def _is_without_effect(entry: Entry) -> bool:
    """Return whether an entry is a link in place of the file with git's attributes, which git does not follow."""
    path, mode, *_ = entry
    return mode not in REGULAR and path.rpartition(b"/")[2] == ATTRIBUTES.encode()


def _unmerged(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path_of(path) for path, _, _, stage in entries if stage))


def _configuration(
    config: str | None,
    top: str,
    entries: Mapping[bytes, tuple[int, bytes]],
    unmerged: frozenset[bytes],
    repository: Repository,
    commit: str,
) -> tuple[bytes | None, frozenset[bytes]]:
    """Return the path of the configuration in the index, and all paths at which it could have been."""
    named = config or os.environ.get(CONFIG_VARIABLE)
    folder = os.path.realpath(named or os.getcwd())
    if named and os.path.basename(named) and not os.path.isdir(named):
        folder = os.path.dirname(os.path.realpath(named))
        candidates = [os.path.join(folder, os.path.basename(named))]
    else:
        candidates = [os.path.join(folder, name) for name in (FILE_NAME, PYPROJECT)]
    while not named and folder != top and is_within(folder, top):
        folder = os.path.dirname(folder)
        candidates += (os.path.join(folder, name) for name in (FILE_NAME, PYPROJECT))
    if not all(is_within(candidate, top) for candidate in candidates):
        raise UsageError(f"{_ARGUMENT}: {named} is not in the git work tree {top}; {_ADVICE}")
    paths = [os.fsencode(spelled(top, _below(candidate, top))) for candidate in candidates]
    for path in paths:
        if path in entries and (
            named or not path.endswith(PYPROJECT.encode()) or _has_table(repository, entries[path])
        ):
            return path, frozenset(paths)
    for path, candidate in zip(paths, candidates, strict=True):
        if path in unmerged and (named or not path.endswith(PYPROJECT.encode())):
            to_do = f"edit it, remove the conflict marks, and run git add {_below(candidate, _here())}"
            raise ErrorsFound(f"{candidate}: git has not merged this file; {to_do}")
    holder = f"commit {commit[:12]}" if commit else "the git index"
    on_disk = [each for each in candidates if os.path.lexists(each) and not each.endswith(PYPROJECT)]
    elsewhere = [path_of(entry) for entry in entries if entry.rpartition(b"/")[2] == FILE_NAME.encode()]
    if on_disk:
        then = ", commit it and push again" if commit else ""
        to_do = f"run git add {_below(on_disk[0], _here())}{then}"
        raise UsageError(f"{on_disk[0]}: {holder} does not have it; {to_do}")
    if named:
        raise UsageError(f"{named}: neither {holder} nor the work tree has it; correct the option -c")
    if elsewhere:
        what = f"{FILE_NAME}: {holder} has none in this folder and its parents, but {elsewhere[0]}"
        raise UsageError(f"{what}; add the option -c {elsewhere[0]}")
    paths_of_index = map(path_of, entries)
    if remains := min((path for path in paths_of_index if os.path.basename(path) in (LOCK, MANIFEST)), default=""):
        to_do = _restoring(remains, entries, repository, is_commit=bool(commit))
        raise UsageError(f"{remains}: {holder} has it, but not its configuration; {to_do}")
    return None, frozenset()


def _restoring(
    remains: str, entries: Mapping[bytes, tuple[int, bytes]], repository: Repository, *, is_commit: bool
) -> str:
    """Return what to do about the lock or the list of outputs of a project without a configuration beside it."""
    beside = [os.path.join(os.path.dirname(remains), name) for name in (PYPROJECT, FILE_NAME)]
    pyproject, config = (each.replace(os.sep, "/") for each in beside)
    if (entry := entries.get(os.fsencode(pyproject))) and _has_table(repository, entry):
        return f"add the option -c {pyproject}"
    restore = f"restore {config}"
    with suppress(UsageError):  # there is no commit yet
        if not is_commit and repository.blob("HEAD", config) is not None:
            restore = f"run git checkout HEAD -- {pathspecs((_below(os.path.join(repository.top, config), _here()),))}"
    return f"{restore}, remove {LOCK} and {MANIFEST} as well, or name another configuration with -c"


def _has_table(repository: Repository, entry: tuple[int, bytes]) -> bool:
    content = repository.contents({PYPROJECT: entry[1]})[PYPROJECT] if entry[0] in REGULAR else b""
    return re.search(rb"^\s*\[+\s*tool\s*\.\s*tokensync\b", content, re.MULTILINE) is not None


def _inputs(project: Project, top: str) -> Selection:
    """Return what a check reads, apart from what these files name."""
    tokens = project.tokens_folder
    paths = [os.path.join(project.folder, name) for name in (LOCK, MANIFEST, ATTRIBUTES, ACCEPTED)]
    folders = [project.path(output.templates) for output in project.config.outputs if output.templates]
    if is_within(project.folder, tokens):  # the folder has other files, too
        folders += (os.path.join(tokens, file.name) for file in project.config.files)
        paths += (os.path.join(tokens, f"{file.name}.resolver.json") for file in project.config.files)
    else:
        folders.append(tokens)
    return _selection(top, (*paths, *folders), folders)


def _named(project: Project, top: str) -> Selection:
    """Return the outputs in the list of outputs, and the files that resolver documents name.

    An output that the list lacks is not current anyway.
    """
    listed = [project.path(output.path) for output in read_manifest(project.folder).outputs]
    for file in project.config.files:
        resolver = content_of(os.path.join(project.tokens_folder, f"{file.name}.resolver.json"))
        listed += (os.path.join(project.tokens_folder, *path.split("/")) for path in named_files(resolver or b""))
    return _selection(top, listed, [each for each in listed if each.endswith(CATALOG_SUFFIX)])


def _selection(top: str, paths: Iterable[str], folders: Iterable[str]) -> Selection:
    inside = [os.fsencode(_below(path, top)) for path in paths if path != top and is_within(path, top)]
    below = [_below(folder, top) for folder in folders if is_within(folder, top)]
    return Selection(frozenset(inside), tuple(b"" if each == "." else os.fsencode(each) + b"/" for each in below))


def _write(repository: Repository, top: str, entries: list[Entry]) -> None:
    """Write entries of the index below a folder. Raises ProblemsError for those that are no ordinary files."""
    _refuse_links(repository.top, entries)
    contents = repository.contents({path_of(path): id_ for path, _, id_, _ in entries})
    with Folders() as folders:
        for path, content in sorted(contents.items()):
            create_file(os.path.join(top, *path.split("/")), content, folders)


def _refuse_links(top: str, entries: Iterable[Entry]) -> None:
    problems = [found for entry in entries if (found := _refusal(top, entry)) is not None]
    if problems:
        raise ProblemsError(problems)


def _refusal(top: str, entry: Entry) -> Problem | None:
    path, mode, *_ = entry
    name = path_of(path)
    where = os.path.join(top, name)
    if mode in REGULAR and os.name == "nt" and (flaw := flaw_of(name)):
        return problem("path-refused", where, *flaw)
    if mode in REGULAR and normpath(name) == name and not name.startswith(("/", "../")):
        return None
    kinds = {LINK: "a link", SUBMODULE: "a submodule"}
    what = f"the git index has {kinds.get(mode, 'no ordinary file')} here, and a check reads only files of the commit"
    return problem("path-refused", where, what, "commit what it refers to in its place")


def _differs(real_top: str, top: str, path: bytes) -> bool:
    """Return whether a file of the work tree differs from that of the index, apart from its line ends."""
    name = path_of(path)
    try:
        return content_of(os.path.join(real_top, name)) != content_of(os.path.join(top, name))
    except OSError:
        return True


_PATCHES = (("PRE_COMMIT_HOME", "pre-commit", ""), ("PREK_HOME", "prek", "patches"))
"""Where hook managers keep changes that are not staged: the variable of a folder, its name in the cache, and below."""


def set_aside() -> Iterator[bytes]:
    """Yield the paths of changes that pre-commit or prek, if it started this process, has put aside as a patch."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for variable, name, below in _PATCHES if "PRE_COMMIT" in os.environ else ():
        folder = os.path.join(os.environ.get(variable) or os.path.join(cache, name), below)
        with suppress(OSError):
            for each in os.listdir(folder):
                if each.removesuffix(".patch").endswith(f"-{os.getppid()}"):
                    with open_file(os.path.join(os.path.realpath(folder), each)) as file:
                        for match in _CHANGED.finditer(file.read()):
                            yield match[1] or _QUOTED.sub(_unquoted, match[2])


_CHANGED = re.compile(rb'^diff --git (?:a/(.+) b/\1|"a/(.+)" "b/\2")$', re.MULTILINE)
_QUOTED = re.compile(rb"\\([0-7]{3}|.)")
"""A byte in a path that git quotes, as in strings of C."""
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


def _unquoted(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    return bytes([int(escape, 8) if len(escape) == 3 else _LETTERS.get(escape[0], escape[0])])


def _below(path: str, top: str) -> str:
    return relative_path(path, top).replace(os.sep, "/")
