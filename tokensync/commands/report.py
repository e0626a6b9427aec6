"""Write the HTML page of all tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.project.code_references import names_in_outputs
from tokensync.project.configuration import AS_DECLARED, Levels, Project
from tokensync.project.configured_outputs import configured_themes, theme_problems
from tokensync.project.outputs import names_tokensync
from tokensync.project.sources import Source, chosen_files, from_project, from_snapshot, project_texts, texts_at
from tokensync.system.boundary import resolved_file
from tokensync.system.disk import content_of, create_file, relative_path, replace_file
from tokensync.system.errors import ProblemsError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Theme, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.plan.comparing import Difference
    from tokensync.report import Since

FILE_NAME, VIEWER_NAME = "tokensync-report.html", "tokensync-viewer.html"


class ReportResult(NamedTuple):
    """The path of a report, the number of tokens in it, whether the file changed, and all problems."""

    path: str
    tokens: int
    changed: bool
    problems: tuple[Problem, ...]


def report_snapshot(
    local: str,
    published: str | None,
    path: str,
    *,
    title: str | None = None,
    force: bool = False,
    allow_outside: bool = False,
    levels: Levels = AS_DECLARED,
) -> ReportResult:
    """Write the page of saved responses; ``allow_outside`` permits a link to lead it out of the git work tree.

    Raises as ``from_snapshot``, and ProblemsError for an existing file that tokensync did not write.
    """
    target = resolved_file(path, allow_outside=allow_outside)
    source = from_snapshot(local, published, levels=levels)
    return _report(source, None, (), levels, path, target, title, force=force)


def report_project(
    project: Project, files: Sequence[str], path: str, *, title: str | None = None, since: str = "", force: bool = False
) -> ReportResult:
    """Write the page of the project's token files, beside those of the git revision ``since``.

    Raises UsageError for an unknown revision, as ``from_project`` does, and ProblemsError for an existing file that
    tokensync did not write.
    """
    target = resolved_file(path, project.boundary.tokens, allow_outside=project.allow_outside)
    source = from_project(project, files)
    themes = configured_themes(source.graph, project)
    source = source._replace(problems=(*source.problems, *theme_problems(source.graph, project)))
    earlier = _since(project, source.graph, files, since.removeprefix("git:"), target) if since else None
    return _report(source, project, themes, project.levels, path, target, title, since=earlier, force=force)


def _since(project: Project, graph: TokenGraph, files: Sequence[str], revision: str, target: str) -> Since:
    """Return the state at a revision with the differences from it; ``target`` is the path of the page."""
    from tokensync.dtcg.reading import Finder
    from tokensync.plan.comparing import compare, former_keys
    from tokensync.report import Since

    texts = texts_at(project, f"git:{revision}", files)
    try:
        before = from_project(project, files, texts=texts).graph
    except ProblemsError as error:  # its places are not those of the files on disk
        raise ProblemsError([each._replace(where=f"git:{revision}:{each.where}") for each in error.problems]) from None
    differences: list[Difference] = []
    formers: dict[TokenKey, TokenKey] = {}
    for file in chosen_files(project, files):
        sides = [
            TokenGraph(
                (family for family in side.collections.values() if family.file == file.name),
                (token for token in side.tokens.values() if token.key.file == file.name),
            )
            for side in (before, graph)
        ]
        differences += compare(sides[0], sides[1], project.config.moved)[0]
        formers |= former_keys(sides[0], sides[1], project.config.moved)
    finders = [
        Finder(side, {path: text for of_file in of_side.values() for path, text in of_file.items()}, "")
        for side, of_side in ((graph, project_texts(project, files)), (before, texts))
    ]

    def location(key: TokenKey, context: str | None) -> str:
        places = (finder.place(key, context) for finder in finders)
        return next(filter(None, places), "").partition(" (#/")[0].rpartition(":")[0]

    folder = relative_path(project.tokens_folder, os.path.dirname(target)).replace(os.sep, "/")
    return Since(revision, before, differences, formers, location, folder)


def write_viewer(path: str, *, force: bool = False, allow_outside: bool = False) -> bool:
    """Write the page that reads dropped files, and return whether it changed.

    Raises ProblemsError for an existing file that tokensync did not write.
    """
    from tokensync.report import viewer_page

    return _write(viewer_page(), path, resolved_file(path, allow_outside=allow_outside), force=force)


def _report(
    source: Source,
    project: Project | None,
    themes: Sequence[Theme],
    levels: Levels,
    path: str,
    target: str,
    title: str | None,
    *,
    since: Since | None = None,
    force: bool,
) -> ReportResult:
    """Write the page to ``target``, which is the user's ``path`` with links resolved."""
    from tokensync.report import report_page

    names, of_names = names_in_outputs(source.graph, project)
    problems = levels.applied(dict.fromkeys((*source.problems, *of_names)))
    stop_on_errors(problems)
    files = dict.fromkeys(each.file for each in source.graph.collections.values() if each.origin == "local")
    title = title or ", ".join(files) or "Tokens"
    page = report_page(source.graph, names, title=title, themes=themes, since=since)
    changed = _write(page, path, target, force=force)
    tokens = sum(token.origin == "local" for token in source.graph.tokens.values())
    return ReportResult(path, tokens, changed, problems)


def _write(page: bytes, path: str, target: str, *, force: bool) -> bool:
    """Write a page to ``target``, which is ``path`` with links resolved, unless it is there already."""
    present = content_of(target)
    if present is not None and present != page and not force and not names_tokensync(path, present):
        what = "it exists and tokensync did not write it"
        stop_on_errors([problem("output-foreign", path, what, "move it, or overwrite it with --force")])
    if present is None:
        create_file(target, page, whole=True)
    elif present != page:
        replace_file(target, page, durable=False)
    return present != page
