"""Compare any two states: token files on disk or in git, the lock, a saved response, the platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.errors import UsageError, errors_among, stop_on_errors
from tokensync.mapping import name_of_path
from tokensync.project.connection import connect
from tokensync.project.facts import facts
from tokensync.project.lock import Lock
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


class DiffResult(NamedTuple):
    """The differences and problems of all selected files."""

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
) -> DiffResult:
    """Return the differences between two states, named as on the command line.

    ``on_wait`` receives a text before each wait for the platform. A saved response covers one file, which ``names``
    must select. Raises UsageError for an unknown state, and ProblemsError for an unreadable one.
    """
    from tokensync.plan.identities import identified

    files = chosen_files(project, names)
    for state in (first, second):
        if len(files) > 1 and os.path.isfile(state):
            raise UsageError(f"{state}: it covers one file, but {len(files)} are selected; select one with --file")
    states = _StateReader(project, progress, on_wait)
    differences: list[Difference] = []
    for file in files:
        before, after = states.graph(first, file), states.graph(second, file)
        stop_on_errors(states.problems)
        after, problems = identified(after, before)
        states.problems += problems
        differences += compare(before, after, file.name)
    return DiffResult(tuple(differences), tuple(dict.fromkeys(states.problems)))


class _StateReader:
    """Reads states and collects their problems."""

    def __init__(self, project: Project, progress: Callable[[str], None], on_wait: Callable[[str], None]) -> None:
        self._project = project
        self._progress = progress
        self._on_wait = on_wait
        self.problems: list[Problem] = []
        self._revisions: dict[str, Mapping[str, bytes]] = {}

    def graph(self, state: str, file: FileConfig) -> TokenGraph:
        """Return the graph of a file in a state."""
        self._progress(f"reading {file.name} ({state})")
        if state == REMOTE:
            with connect(self._project, on_wait=self._on_wait) as client:
                remote = take(self._project, client, file)
            self.problems += remote.problems
            return remote.graph
        if state == LOCK:
            return self._locked(file)
        if state.startswith(GIT):
            return self._read(self._in_git(state, file), file, f"{state}:")
        if os.path.isdir(state):
            from tokensync.dtcg import read_folder

            reading = read_folder(state, file.name)
            if not reading.files:
                raise UsageError(f"{state}: no token files of {file.name}; name a tokens folder")
            self.problems += reading.problems
            return reading.graph
        return self._saved(state, file)

    def _locked(self, file: FileConfig) -> TokenGraph:
        lock = Lock(self._project.folder)
        self.problems += lock.problems
        graphs = lock.graphs(file.name)
        if len(graphs) != 1:
            what = "it contains a git conflict" if graphs else f"no entry for {file.name}"
            raise UsageError(f"tokensync.lock: {what}; run tokensync pull first")
        return graphs[0]

    def _in_git(self, state: str, file: FileConfig) -> dict[str, bytes]:
        """Return the token files of a file at a revision, by their path below the tokens folder."""
        from tokensync.dtcg.reading import is_token_file
        from tokensync.git import Repository

        if state not in self._revisions:
            repository = Repository(self._project.folder, state)
            self._revisions[state] = repository.files(state.removeprefix(GIT), self._project.tokens_folder)
        contents = self._revisions[state].items()
        files = {path: content.replace(b"\r\n", b"\n") for path, content in contents if is_token_file(path, file.name)}
        if not files:
            raise UsageError(f"{state}: no token files of {file.name}; name a revision that has them")
        return files

    def _saved(self, path: str, file: FileConfig) -> TokenGraph:
        from tokensync.normalize import normalize
        from tokensync.wire import snapshot

        if not os.path.exists(path):
            kinds = f"a tokens folder, a saved response, {LOCK}, {GIT}REVISION or {REMOTE}"
            raise UsageError(f"{path}: no such file or folder; name {kinds}")
        graph, problems = normalize(snapshot(file.name, read_file(path), source=path), rules_of(self._project))
        self.problems += problems
        return graph

    def _read(self, files: Mapping[str, bytes], file: FileConfig, shown_below: str) -> TokenGraph:
        from tokensync.dtcg import read

        graph, problems = read(files, file.name, shown_below=shown_below)
        self.problems += problems if errors_among(problems) else ()
        return graph


_Subject = tuple[str, str]
"""A collection's handle and a token's path, which is empty for the collection itself."""

_IDENTITY = frozenset({"id", "variable key", "collection key", "key", "origin", "published"})
"""Facts that the platform assigns, which are not part of the content."""


def compare(before: TokenGraph, after: TokenGraph, file: str) -> tuple[Difference, ...]:
    """Return the differences between two graphs of one file in the order of ``after``; removed subjects come last.

    Tokens correspond by variable id, else by path. Only local tokens and collections count.
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
    """Return old subjects to new ones, for tokens that moved within their collection, by variable id."""
    old_keys = _by_id(before, file)
    renamed = {}
    for id_, key in _by_id(after, file).items():
        old = old_keys.get(id_)
        if old is not None and old != key and old.collection == key.collection:
            renamed[old.collection, old.path] = (key.collection, key.path)
    return renamed


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
    """Return the facts of each subject, by its new name."""
    by_subject: dict[_Subject, dict[str, Any]] = {}
    foreign: set[_Subject] = set()
    for line in facts(graph, file, ""):
        _, handle, path, member, value = msgspec.json.decode(line)
        if not handle:
            continue
        subject = renamed.get((handle, path), (handle, path))
        if member == "origin" and value != "local":
            foreign.add(subject)
        if member not in _IDENTITY:
            by_subject.setdefault(subject, {})[member] = _content(member, value, file, renamed)
    return {subject: members for subject, members in by_subject.items() if subject not in foreign}


def _content(member: str, value: Any, file: str, renamed: Mapping[_Subject, _Subject]) -> Any:
    """Return a fact's value without ids and with aliases by their new names."""
    if member.startswith("mode "):
        name, _, _, parent = value
        return {"name": name, "follows": parent} if parent else {"name": name}
    if member.startswith("extension "):
        name, _, _, hidden, parent = value
        return {"name": name, "hidden": hidden, "extends": parent}
    return _with_renamed_aliases(value, file, renamed) if renamed and isinstance(value, dict) else value


def _with_renamed_aliases(value: dict[str, Any], file: str, renamed: Mapping[_Subject, _Subject]) -> dict[str, Any]:
    updated = {
        name: _with_renamed_aliases(each, file, renamed) if isinstance(each, dict) else each
        for name, each in value.items()
    }
    target = value.get("alias")
    if isinstance(target, list) and target[0] == file:
        updated["alias"] = [file, *renamed.get((target[1], target[2]), (target[1], target[2]))]
    return updated


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
        members = after or before or {}
        gone = after is None
        changes = tuple(
            Change(each, value if gone else None, None if gone else value) for each, value in sorted(members.items())
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
