"""Any two states against each other: token files on disk or in git, the lock, a saved response, the platform."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.comparing import compared
from tokensync.commands.connecting import connect
from tokensync.commands.garbage import gc_disabled
from tokensync.commands.lock import Lock
from tokensync.commands.sources import chosen_files, read_file
from tokensync.commands.taking import take
from tokensync.commands.type_rules import rules_of
from tokensync.errors import UsageError, errors_among, stop_on_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.config import FileConfig, Project
    from tokensync.problems import Problem
    from tokensync.report.differences import Difference
    from tokensync.tokens import TokenGraph

LOCK, REMOTE, GIT = "lock", "remote", "git:"


class Compared(NamedTuple):
    """The differences of all files that were asked about, and what was noticed on the way."""

    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]


@gc_disabled()
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

    ``on_wait`` is told what the platform is waited for, if one of them is there.

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
            from tokensync.formats.dtcg import read_folder

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
        from tokensync.formats.dtcg.reading import is_token_file
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
        from tokensync.formats.dtcg import read

        graph, problems = read(files, file.name, shown_below=shown_below)
        self.problems += problems if errors_among(problems) else ()
        return graph
