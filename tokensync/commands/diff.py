"""Compare any two states: token files on disk or in git, the lock, a saved response, the platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.dtcg.spelling import RESOLVER_SUFFIX
from tokensync.project.configuration import FILE_NAME, Project
from tokensync.project.connection import connect
from tokensync.project.lock import LOCK as LOCK_FILE
from tokensync.project.lock import Lock, conflicts_of_lock, locked_values, values_in
from tokensync.project.merging import take
from tokensync.project.sources import chosen_files, read_file, rules_of, strays, texts_at, with_defaults
from tokensync.settings import Config, FileConfig
from tokensync.system.errors import UsageError, errors_among, stop_on_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.plan.comparing import Difference
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph


LOCK, REMOTE, GIT = "lock", "remote", "git:"


class DiffResult(NamedTuple):
    """The differences and problems of all selected files."""

    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]


def needs_configuration(state: str) -> bool:
    """Return whether a state is one of a project, not a path."""
    return state in (LOCK, REMOTE) or state.startswith(GIT)


def project_of_states(first: str, second: str) -> Project:
    """Return a project for two states that need no configuration: tokens folders and saved responses.

    Its files are those of the folders, or one for two responses.
    """
    names = [
        entry.removesuffix(RESOLVER_SUFFIX)
        for state in (first, second)
        if os.path.isdir(state)
        for entry in sorted(os.listdir(state))
        if entry.endswith(RESOLVER_SUFFIX)
    ]
    files = tuple(FileConfig(name=name, key=name) for name in dict.fromkeys(names or ["file"]))
    return Project(os.getcwd(), FILE_NAME, Config(files=files))


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
    from tokensync.plan.comparing import compare

    files = chosen_files(project, names)
    for state in (first, second):
        if len(files) > 1 and os.path.isfile(state):
            raise UsageError(f"{state}: it covers one file, but {len(files)} are selected; select one with --file")
    states = _StateReader(project, [file.name for file in files], progress, on_wait)
    states.problems += conflicts_of_lock(project.folder)
    differences: list[Difference] = []
    # Of token files and a state of the platform, a plan would send no type.
    is_like_a_plan = _is_of_token_files(first) != _is_of_token_files(second)
    for file in files:
        before, after = states.graph(first, file), states.graph(second, file)
        stop_on_errors(project.levels.applied(states.problems))
        found, problems = compare(before, after, project.config.moved, types_of_variables=is_like_a_plan)
        states.problems += problems
        differences += found
    reported = project.levels.applied(dict.fromkeys(states.problems))
    stop_on_errors(reported)
    return DiffResult(tuple(differences), reported)


def _is_of_token_files(state: str) -> bool:
    return state.startswith(GIT) or os.path.isdir(state)


class _StateReader:
    """Reads states and collects their problems."""

    def __init__(
        self, project: Project, files: Sequence[str], progress: Callable[[str], None], on_wait: Callable[[str], None]
    ) -> None:
        self._project = project
        self._files = files
        self._revisions: dict[str, Mapping[str, Mapping[str, bytes]]] = {}
        self._progress = progress
        self._on_wait = on_wait
        self.problems: list[Problem] = []

    def graph(self, state: str, file: FileConfig) -> TokenGraph:
        self._progress(f"reading {file.name} ({state})")
        if state == REMOTE:
            with connect(self._project, on_wait=self._on_wait) as client:
                remote = take(self._project, client, file, reads_styles=True)
            self.problems += remote.problems
            return remote.graph
        if state == LOCK:
            return self._locked(file)
        if state.startswith(GIT):
            if state not in self._revisions:
                self._revisions[state] = texts_at(self._project, state, self._files)
            return self._read(self._revisions[state][file.name], file, state)
        if os.path.isdir(state):
            from tokensync.dtcg import read_folder

            is_own = os.path.isdir(self._project.tokens_folder) and os.path.samefile(state, self._project.tokens_folder)
            folder = self._project.folder if is_own else os.path.dirname(os.path.abspath(state))  # with the lock
            reading = read_folder(state, file.name, locked=locked_values(folder, file.name))
            if not reading.files:
                to_do = f"run tokensync pull --file {file.name}, or name a folder that has some"
                raise UsageError(f"{state}: no token files of {file.name}; {to_do}")
            self.problems += reading.problems
            if is_own:
                self.problems += strays(self._project)
            return with_defaults(self._project, reading.graph)
        return self._saved(state, file)

    def _locked(self, file: FileConfig) -> TokenGraph:
        lock = Lock(self._project.folder)
        self.problems += lock.problems
        graphs = lock.graphs(file.name)
        if len(graphs) != 1:
            what = "it contains a git conflict" if graphs else f"no entry for {file.name}"
            damage = next((problem for problem in lock.problems if problem.code == "lock-unreadable"), None)
            where, reason = (damage.where, f" ({damage.what})") if damage else (LOCK_FILE, "")
            raise UsageError(f"{where}: {what}{reason}; run tokensync pull first")
        return graphs[0]

    def _lock_in_git(self, state: str) -> bytes:
        from tokensync.system.git import Repository

        repository = Repository(self._project.folder, state)
        return repository.files(state.removeprefix(GIT), self._project.folder, LOCK_FILE).get(LOCK_FILE, b"")

    def _saved(self, path: str, file: FileConfig) -> TokenGraph:
        from tokensync.extract.wire import snapshot
        from tokensync.normalize.graph import normalize

        if not os.path.exists(path):
            kinds = f"a tokens folder, a saved response, {LOCK}, {GIT}REVISION or {REMOTE}"
            raise UsageError(f"{path}: no such file or folder; name {kinds}")
        graph, problems = normalize(snapshot(file.name, read_file(path), source=path), rules_of(self._project))
        self.problems += problems
        return graph

    def _read(self, files: Mapping[str, bytes], file: FileConfig, state: str) -> TokenGraph:
        from tokensync.dtcg import read

        locked = values_in(lambda: self._lock_in_git(state), file.name)
        graph, problems = read(files, file.name, shown_below=f"{state}:", locked=locked)
        self.problems += problems if errors_among(problems) else ()
        return with_defaults(self._project, graph)
