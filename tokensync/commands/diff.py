"""Any two states against each other: token files on disk or in git, the lock, a saved response, the platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.errors import UsageError, errors_among, stop_on_errors
from tokensync.mapping import name_of_path
from tokensync.project.connection import connect
from tokensync.project.lock import Lock, facts
from tokensync.project.merging import take
from tokensync.project.sources import chosen_files, read_file
from tokensync.project.type_rules import rules_of
from tokensync.report.differences import Change, Difference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig
    from tokensync.tokens import TokenGraph, TokenKey


LOCK, REMOTE, GIT = "lock", "remote", "git:"


class Compared(NamedTuple):
    """The differences of all files that were asked about, and what was noticed on the way."""

    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]


def diff(
    project: Project,
    first: str,
    second: str,
    names: Sequence[str] = (),
    *,
    progress: Callable[[str], None] = lambda text: None,
    on_wait: Callable[[str], None] = lambda text: None,
) -> Compared:
    """Return what differs between two states, each named as the command line names it. Nothing is written.

    ``on_wait`` gets a text before each wait for the platform.

    A saved response and a folder elsewhere are of one file, so that ``names`` has to say which one of several.
    Raises UsageError for a state that is none, and ProblemsError for one that cannot be read.
    """
    from tokensync.plan.identities import identified

    files = chosen_files(project, names)
    for state in (first, second):
        if len(files) > 1 and os.path.isfile(state):
            raise UsageError(f"{state}: it is of one file, and {len(files)} are configured; choose one with --file")
    states = _States(project, progress, on_wait)
    differences: list[Difference] = []
    for file in files:
        before, after = states.graph(first, file), states.graph(second, file)
        stop_on_errors(states.problems)
        settled, problems = identified(after, before)
        states.problems += problems
        differences += compared(before, settled, file.name)
    return Compared(tuple(differences), tuple(dict.fromkeys(states.problems)))


class _States:
    """Reads states; what they are not quite right in is kept."""

    def __init__(self, project: Project, progress: Callable[[str], None], on_wait: Callable[[str], None]) -> None:
        self._project = project
        self._progress = progress
        self._on_wait = on_wait
        self.problems: list[Problem] = []
        self._revisions: dict[str, Mapping[str, bytes]] = {}

    def graph(self, state: str, file: FileConfig) -> TokenGraph:
        """One file in a state."""
        self._progress(f"reading {file.name} ({state})")
        if state == REMOTE:
            with connect(self._project, on_wait=self._on_wait) as client:
                taken = take(self._project, client, file)
            self.problems += taken.problems
            return taken.graph
        if state == LOCK:
            return self._locked(file)
        if state.startswith(GIT):
            return self._read(self._in_git(state, file), file, f"{state}:")
        if os.path.isdir(state):
            from tokensync.dtcg import read_folder

            reading = read_folder(state, file.name)
            if not reading.files:
                raise UsageError(f"{state}: it holds no token files of {file.name}; name a tokens folder")
            self.problems += reading.problems
            return reading.graph
        return self._saved(state, file)

    def _locked(self, file: FileConfig) -> TokenGraph:
        lock = Lock(self._project.folder)
        self.problems += lock.problems
        graphs = lock.graphs(file.name)
        if len(graphs) != 1:
            what = "it holds a git conflict" if graphs else f"it knows nothing about {file.name}"
            raise UsageError(f"tokensync.lock: {what}; pull first")
        return graphs[0]

    def _in_git(self, state: str, file: FileConfig) -> dict[str, bytes]:
        """Return the token files of a file at a revision, by their path below the tokens folder."""
        from tokensync.dtcg.reading import is_token_file
        from tokensync.git import Repository

        if state not in self._revisions:
            repository = Repository(self._project.folder, state)
            self._revisions[state] = repository.files(state.removeprefix(GIT), self._project.tokens_folder)
        every = self._revisions[state].items()
        found = {path: content.replace(b"\r\n", b"\n") for path, content in every if is_token_file(path, file.name)}
        if not found:
            raise UsageError(f"{state}: it has no token files of {file.name}; name a revision that has them")
        return found

    def _saved(self, path: str, file: FileConfig) -> TokenGraph:
        from tokensync.normalize import normalize
        from tokensync.wire import snapshot

        if not os.path.exists(path):
            kinds = f"a tokens folder, a saved response, {LOCK}, {GIT}REVISION or {REMOTE}"
            raise UsageError(f"{path}: there is no such file or folder; name {kinds}")
        graph, oddities = normalize(snapshot(file.name, read_file(path), source=path), rules_of(self._project))
        self.problems += oddities
        return graph

    def _read(self, files: Mapping[str, bytes], file: FileConfig, shown_below: str) -> TokenGraph:
        from tokensync.dtcg import read

        graph, problems = read(files, file.name, shown_below=shown_below)
        self.problems += problems if errors_among(problems) else ()
        return graph


_Subject = tuple[str, str]
"""The collection's handle and the token's path, which is empty for the collection itself."""

_IDENTITY = frozenset({"id", "variable key", "collection key", "key", "origin", "published"})
"""What the platform gives to things: no part of what they are."""


def compared(before: TokenGraph, after: TokenGraph, file: str) -> tuple[Difference, ...]:
    """Return what differs between two graphs of one file, in the order of the later one; what is gone comes last.

    A token is the same in both by the variable's id, else by its path. Only local things count.
    """
    renamed = _renamed(before, after, file)
    first, second = _facts_by_subject(before, file, renamed), _facts_by_subject(after, file, {})
    order = dict.fromkeys((*_subjects(after, file), *_subjects(before, file)))
    return tuple(
        each
        for subject in order
        if subject in first or subject in second
        if (each := _difference(file, subject, first.get(subject), second.get(subject), renamed)) is not None
    )


def _renamed(before: TokenGraph, after: TokenGraph, file: str) -> Mapping[_Subject, _Subject]:
    """Names of before to names of after, of tokens that carry one id and have moved within their collection."""
    at_first = _by_id(before, file)
    found = {}
    for identity, key in _by_id(after, file).items():
        old = at_first.get(identity)
        if old is not None and old != key and old.collection == key.collection:
            found[old.collection, old.path] = (key.collection, key.path)
    return found


def _by_id(graph: TokenGraph, file: str) -> dict[str, TokenKey]:
    return {
        token.id: key
        for key, token in graph.tokens.items()
        if token.id and token.origin == "local" and key.file == file
    }


def _subjects(graph: TokenGraph, file: str) -> Iterator[_Subject]:
    yield from ((each.handle, "") for each in graph.collections.values() if each.file == file)
    yield from ((key.collection, key.path) for key in graph.tokens if key.file == file)


def _facts_by_subject(
    graph: TokenGraph, file: str, renamed: Mapping[_Subject, _Subject]
) -> dict[_Subject, dict[str, Any]]:
    """Return what is said of each subject, by what it is called now."""
    found: dict[_Subject, dict[str, Any]] = {}
    foreign: set[_Subject] = set()
    for line in facts(graph, file, ""):
        _, handle, path, said, value = msgspec.json.decode(line)
        if not handle:
            continue
        subject = renamed.get((handle, path), (handle, path))
        if said == "origin" and value != "local":
            foreign.add(subject)
        if said not in _IDENTITY:
            found.setdefault(subject, {})[said] = _content(said, value, file, renamed)
    return {subject: each for subject, each in found.items() if subject not in foreign}


def _content(said: str, value: Any, file: str, renamed: Mapping[_Subject, _Subject]) -> Any:
    """Return a fact's value without ids, and with aliases by the names of now."""
    if said.startswith("mode "):
        name, _, _, parent = value
        return {"name": name, "follows": parent} if parent else {"name": name}
    if said.startswith("extension "):
        name, _, _, hidden, parent = value
        return {"name": name, "hidden": hidden, "extends": parent}
    return _followed(value, file, renamed) if renamed and isinstance(value, dict) else value


def _followed(value: dict[str, Any], file: str, renamed: Mapping[_Subject, _Subject]) -> dict[str, Any]:
    followed = {
        name: _followed(each, file, renamed) if isinstance(each, dict) else each for name, each in value.items()
    }
    target = value.get("alias")
    if isinstance(target, list) and target[0] == file:
        followed["alias"] = [file, *renamed.get((target[1], target[2]), (target[1], target[2]))]
    return followed


def _difference(
    file: str,
    subject: _Subject,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    renamed: Mapping[_Subject, _Subject],
) -> Difference | None:
    handle, path = subject
    name = name_of_path(path) if path else ""
    if before is None or after is None:
        said = after or before or {}
        gone = after is None
        changes = tuple(
            Change(each, value if gone else None, None if gone else value) for each, value in sorted(said.items())
        )
        return Difference(file, handle, name, "gone" if gone else "new", changes)
    old = next((each for each, now in renamed.items() if now == subject), None) if path else None
    changes = tuple(
        Change(each, before.get(each), after.get(each))
        for each in sorted({*before, *after})
        if before.get(each) != after.get(each)
    )
    if old is not None:
        changes = (Change("name", name_of_path(old[1]), name), *changes)
    return Difference(file, handle, name, "changed", changes) if changes else None
