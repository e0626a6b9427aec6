"""Check a project offline: token files, lint rules and outputs; and the lint rules alone."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.build import build_source
from tokensync.disk import content_of
from tokensync.errors import ProblemsError
from tokensync.lint import Subject, lint
from tokensync.problems import Problem, problem
from tokensync.project.configuration import locator
from tokensync.project.configured_outputs import configured_themes, targets_of_project
from tokensync.project.lock import LOCK, Lock
from tokensync.project.manifest import MANIFEST
from tokensync.project.problem_levels import AS_DECLARED
from tokensync.project.sources import from_project, from_snapshot, project_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.project.configuration import Project
    from tokensync.project.problem_levels import Levels
    from tokensync.project.sources import Source, Texts
    from tokensync.tokens import TokenGraph

_MARK = re.compile(rb"^<<<<<<< ", re.MULTILINE)
"""The first line of a conflict that git has written."""
_REMEDIES = {
    LOCK: "run tokensync pull, which merges both sides",
    MANIFEST: "resolve the conflicts in the token files first, then run tokensync build, which writes it anew",
}
_RESOLVE = "edit the file so that it has the tokens of both sides, and remove the marks"


class Checked(NamedTuple):
    """The result of a check: the numbers of tokens and output files, the outdated paths, and all problems."""

    tokens: int
    files: int
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]


def check_project(project: Project) -> Checked:
    """Check the token files, the lint rules and the outputs of a project, and write nothing.

    All problems are returned, also errors. If token files have errors, nothing that depends on them is checked.
    """
    from tokensync.normalize import renamed_modes

    texts = project_texts(project)
    marks = list(_conflict_marks(project, texts))
    try:
        source = from_project(project, texts=texts)
    except ProblemsError as stop:
        marked = {each.where.rpartition(":")[0] for each in marks}
        others = (each for each in stop.problems if not any(each.where.startswith(f"{path}:") for path in marked))
        return Checked(0, 0, (), (*marks, *others))
    damages = project.levels.applied((*Lock(project.folder).problems, *renamed_modes(source.graph)))
    problems = [*marks, *damages, *source.problems]
    tokens = _declared(source.graph)
    try:
        problems += _linted(project, source, texts)
        if not project.config.outputs:
            return Checked(tokens, 0, (), tuple(problems))
        targets = targets_of_project(project, (), (), source.digest, elsewhere=False)
        built = build_source(source, targets, project.folder, project, project.boundary, project.levels, check=True)
    except ProblemsError as stop:
        return Checked(tokens, 0, (), tuple(dict.fromkeys((*problems, *stop.problems))))
    return Checked(tokens, built.files, built.stale, tuple(dict.fromkeys((*problems, *built.problems))))


def lint_project(project: Project, files: Sequence[str] = ()) -> Checked:
    """Return what the lint rules find in the token files. Raises ProblemsError for token files with errors."""
    texts = project_texts(project, files)
    source = from_project(project, files, texts=texts)
    return Checked(_declared(source.graph), 0, (), _linted(project, source, texts))


def lint_snapshot(local: str, published: str | None = None, levels: Levels = AS_DECLARED) -> Checked:
    """Return what the lint rules find in a saved response, without settings. Raises as ``from_snapshot`` does."""
    graph = from_snapshot(local, published, levels=levels).graph
    return Checked(_declared(graph), 0, (), levels.applied(lint(Subject(graph))))


def _declared(graph: TokenGraph) -> int:
    return sum(token.origin == "local" for token in graph.tokens.values())


def _linted(project: Project, source: Source, texts: Texts) -> tuple[Problem, ...]:
    from tokensync.dtcg.reading import Finder

    files = {path: content for of_file in texts.values() for path, content in of_file.items()}
    find = Finder(source.graph, files, f"{project.tokens_folder.rstrip('/')}/").place
    where = locator(project.text, project.source)
    subject = Subject(
        source.graph,
        project.config.lint,
        themes=configured_themes(source.graph, project),
        location_of=lambda key, context: (
            find(key, context) or (str(key) if key.path else f"{key.collection}/{context}")
        ),
        location_of_setting=lambda *steps: where(steps),
    )
    return project.levels.applied(lint(subject))


def _conflict_marks(project: Project, texts: Texts) -> Iterator[Problem]:
    """Yield the files in which git has left the marks of a conflict."""
    for path, content in _files_of_ours(project, texts):
        mark = _MARK.search(content)
        if mark:
            line = content.count(b"\n", 0, mark.start()) + 1
            to_do = _REMEDIES.get(os.path.basename(path), _RESOLVE)
            yield problem("conflict-marks", f"{path}:{line}", "the file has conflict marks of git", to_do)


def _files_of_ours(project: Project, texts: Mapping[str, Mapping[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for name in (LOCK, MANIFEST):
        path = os.path.join(project.folder, name)
        yield path, content_of(path) or b""
    for of_file in texts.values():
        for path, content in of_file.items():
            yield os.path.join(project.tokens_folder, path), content
