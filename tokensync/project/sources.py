"""Token graphs from saved responses and from a project's token files."""

from __future__ import annotations

import os
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.project.manifest import digest_of
from tokensync.project.problem_levels import AS_DECLARED
from tokensync.system.boundary import is_within
from tokensync.system.disk import content_of, relative_path
from tokensync.system.errors import UsageError, stop_on_errors
from tokensync.system.token_files import named_files, texts_of
from tokensync.system.wording import argument, listed, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.dtcg import Reading
    from tokensync.dtcg.assembly import LockedValue
    from tokensync.extract.wire import Snapshot
    from tokensync.project.configuration import Project
    from tokensync.project.problem_levels import Levels
    from tokensync.settings import FileConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import TokenGraph

    Texts = Mapping[str, Mapping[str, bytes]]
    """The contents of token files by design file and path."""


STRAYS = ("token-file-unread", "token-files-forgotten")
"""The codes of files in a tokens folder that are not read."""


class Source(NamedTuple):
    """A graph with its problems and the digest of its input."""

    graph: TokenGraph
    problems: tuple[Problem, ...]
    digest: str


_ADVISE_RULES = ("number-unit-unknown", "opacity-mixed")


def from_snapshot(
    local: str,
    published: str | None = None,
    *,
    only_published: bool = False,
    include_hidden: bool = True,
    levels: Levels = AS_DECLARED,
) -> Source:
    """Return the graph of a saved response, named after the response's file.

    Raises UsageError for an unreadable file, and ProblemsError for an invalid response and for problems that are errors
    by their ``levels``.
    """
    from tokensync.extract.wire import snapshot
    from tokensync.normalize.graph import findings, normalize, unclear_numbers
    from tokensync.normalize.mapping import TypeRules, slug

    raw_local = read_file(local)
    raw_published = read_file(published) if published else None
    name = slug(os.path.basename(local).partition(".")[0], "file")
    responses = snapshot(name, raw_local, raw_published, source=local, published_source=published or "")
    omitted: tuple[Problem, ...] = ()
    if only_published or not include_hidden:
        from tokensync.extract.wire import withhold

        responses, omitted = withhold(responses, only_published=only_published, include_hidden=include_hidden)
    graph, problems = normalize(responses)
    digest = digest_of((raw_local, raw_published or b"", b"%d%d" % (only_published, include_hidden)))
    del raw_local, responses  # frees the memory of a large response
    advised = (
        each._replace(what_to_do=f"{each.what_to_do} (rules apply to pulled token files, not with --snapshot)")
        if each.code in _ADVISE_RULES
        else each
        for each in (*findings(graph), *unclear_numbers(graph, TypeRules()))
    )
    found = levels.applied((*omitted, *problems, *advised))
    stop_on_errors(found)
    return Source(graph, found, digest)


def project_texts(project: Project, files: Sequence[str] = ()) -> Texts:
    """Return the contents of the token files of these design files (empty means all)."""
    return {each.name: texts_of(project.tokens_folder, each.name) for each in chosen_files(project, files)}


def project_digest(texts: Texts) -> str:
    """Return the digest of the files that are read, including files without tokens."""
    parts: list[bytes] = []
    for name, of_file in texts.items():
        named = named_files(of_file.get(f"{name}.resolver.json", b""))
        for path, content in of_file.items():
            if path in named or _is_usual(path):
                parts += (path.encode("utf-8", "surrogateescape"), content)
    return digest_of(parts)


def from_project(
    project: Project, files: Sequence[str] = (), *, required: Sequence[str] = (), texts: Texts | None = None
) -> Source:
    """Return the graph of the token files of these design files (empty means all).

    ``texts`` are their contents, if already read. The digest includes that of the lock if it decides about a colour.
    Raises ProblemsError for invalid token files, if one of the ``required`` design files (empty means all) has no token
    files, and for problems that are errors by their levels.
    """
    from tokensync.normalize.graph import findings, linked, with_durations, with_rules
    from tokensync.project.lock import conflicts_of_lock
    from tokensync.project.type_rules import rules_of
    from tokensync.tokens import with_exact_colors

    graphs: list[TokenGraph] = []
    problems: list[Problem] = [*conflicts_of_lock(project.folder), *strays(project)]
    foreign: set[str] = set()
    texts = project_texts(project, files) if texts is None else texts
    for name, of_file in texts.items():
        reading = read_tokens(project, name, of_file)
        if not reading.files and (not required or name in required):
            problems.append(absent_files(project, name, [*problems, *reading.problems]))
        graphs.append(reading.graph)
        problems += reading.problems
        if reading.is_foreign:
            foreign.add(name)
    stop_on_errors(project.levels.applied(problems))
    rules = rules_of(project, graphs)
    graph = with_rules(with_exact_colors(linked(graphs), partial(is_in_display_p3, project)), rules)
    graph = with_durations(graph, rules)
    found = project.levels.applied((*dict.fromkeys(problems), *findings(graph, foreign)))
    stop_on_errors(found)
    digest = project_digest(texts)
    if any(each.code == "color-edited" for each in problems):
        from tokensync.project.lock import LOCK

        digest = digest_of((digest.encode(), content_of(os.path.join(project.folder, LOCK)) or b""))
    return Source(graph, found, digest)


def absent_files(project: Project, name: str, found: Sequence[Problem]) -> Problem:
    """Return the problem of a design file without token files; ``found`` are those of other files of the folder."""
    from tokensync.system.problems import problem

    where = os.path.join(project.tokens_folder, name)
    if path := misplaced(project, name):
        tokens = os.path.relpath(os.path.dirname(path), project.folder).replace(os.sep, "/")
        what = f"there are no token files here, but there is {project.shown(path)}"
        to_do = f'set tokens = "{tokens}" in {os.path.basename(project.source)}, or run tokensync pull --file {name}'
        return problem("token-files-absent", where, what, to_do)
    folder = os.path.basename(project.tokens_folder)
    others = other_files(project, found)
    if not others:
        return problem(
            "token-files-absent", where, "there are no token files", f"run tokensync pull --file {name} first"
        )
    what = f"there are no token files here, but there {'is' if len(others) == 1 else 'are'} {listed(others)}"
    source = others[0] if len(others) == 1 else os.path.commonpath(others) or "."
    to_do = (
        f"run tokensync migrate {argument(source)} --to {name} to make variables and token files of them, put DTCG "
        f"2025.10 files at {folder}/{name}/COLLECTION/MODE.tokens.json, name them in a resolver document "
        f"{folder}/{name}.resolver.json, or run tokensync pull --file {name}"
    )
    return problem("token-files-absent", where, what, to_do)


def misplaced(project: Project, file: str = "") -> str:
    """Return the resolver document of a design file (empty means any) in another folder: ``tokens`` may be mistyped."""
    from tokensync.dtcg.strays import files_of_project

    names = {f"{file}.resolver.json"} if file else {f"{each.name}.resolver.json" for each in project.config.files}
    return next((path for path in files_of_project(project.folder) if os.path.basename(path) in names), "")


def other_files(project: Project, found: Sequence[Problem]) -> list[str]:
    """Return the files of a project that look like token files but are not read; ``found`` are their problems, if any.

    Paths are relative to the folder that has the tokens folder.
    """
    from tokensync.dtcg import near_files

    below = os.path.dirname(project.tokens_folder)
    strays = [relative_path(each.where, below) for each in found if each.code in STRAYS]
    return strays or [*near_files(project.folder)]


def strays(project: Project, texts: Texts | None = None) -> tuple[Problem, ...]:
    """Return the problems of token files that are not read: those of the tokens folder, and others in the project.

    With ``texts``, include files in the folders of design files.
    """
    problems = [*_strays_beside(project), *_strays_elsewhere(project)]
    for name, of_file in (texts or {}).items():
        if not all(_is_usual(path) for path in of_file):
            from tokensync.dtcg import strays_in

            problems += strays_in(project.tokens_folder, name, of_file)
    return tuple(problems)


def unlisted_modes(project: Project, texts: Texts) -> tuple[Problem, ...]:
    """Return the problems of the modes that the resolver documents of design files do not list."""
    problems: tuple[Problem, ...] = ()
    for name, of_file in texts.items():
        if any(
            f'"{path}"'.encode() not in of_file.get(f"{name}.resolver.json", b"") for path in of_file if "/" in path
        ):
            from tokensync.dtcg import unlisted_in

            problems += unlisted_in(project.tokens_folder, name, of_file)
    return problems


def _is_usual(path: str) -> bool:
    """Return whether a path is that of a token file of tokensync, or of a resolver document."""
    steps = path.split("/")
    depth = 4 if len(steps) > 1 and steps[1][:1] == "." else 3
    return path.endswith(".resolver.json" if len(steps) == 1 else ".tokens.json") and len(steps) in (1, depth)


def _strays_beside(project: Project) -> list[Problem]:
    names = [each.name for each in project.config.files]
    own = {*names, *(f"{each}.resolver.json" for each in names)}
    with suppress(OSError), os.scandir(project.tokens_folder) as entries:
        if any(each.name not in own and each.name[:1] != "." for each in entries):
            from tokensync.dtcg import strays_beside

            is_shared = is_within(project.folder, project.tokens_folder)
            return strays_beside(project.tokens_folder, names, is_shared=is_shared)
    return []


def _strays_elsewhere(project: Project) -> list[Problem]:
    if not os.path.isdir(project.tokens_folder) or is_within(project.folder, project.tokens_folder):
        return []
    from tokensync.dtcg import strays_elsewhere
    from tokensync.project.configuration import FILE_NAME

    others = {project.path(each.path) for each in project.config.outputs}
    others |= {project.tokens_folder, project.path(project.config.tokens)}
    name = project.config.files[0].name if project.config.files else "FILE"
    place = project.shown(project.path(project.config.tokens, name))
    return strays_elsewhere(project.folder, place, others, (FILE_NAME, ".git"))


def read_tokens(
    project: Project, file: str, texts: Mapping[str, bytes] | None = None, *, like: TokenGraph | None = None
) -> Reading:
    """Read the token files of a design file, as ``dtcg.read_folder`` does, with the values in the project's lock."""
    from tokensync.dtcg import read_folder

    @cache
    def values() -> LockedValue:
        from tokensync.project.lock import locked_values

        return locked_values(project.folder, file)

    return read_folder(
        project.tokens_folder,
        file,
        texts,
        like=like,
        locked=lambda *where: values()(*where),  # noqa: PLW0108
    )


def graph_of(project: Project, snapshot: Snapshot) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of a file of the platform, with types by the project's rules, and its problems.

    A rule also finds a collection by the name that it had at the last pull, which the token files tell.
    """
    from tokensync.normalize.graph import normalize
    from tokensync.project.type_rules import rules_of

    rules = rules_of(project)
    graph, problems = normalize(snapshot, rules)
    names = {each.id: each.name for each in graph.collections.values() if each.origin == "local"}
    patterns = [each.collection for each in rules.own if each.collection is not None]
    if all(any(fnmatchcase(name, pattern) for name in names.values()) for pattern in patterns):
        return graph, problems
    in_files = read_tokens(project, snapshot.file, like=graph).graph.collections.values()
    present = rules.with_present_names((each.handle, names[each.id]) for each in in_files if each.id in names)
    return (graph, problems) if present is rules else normalize(snapshot, present)


def write_edited_colors(project: Project, file: str) -> None:
    """Write the colours of a design file that the lock decides about, so that the lock may change."""
    from tokensync.dtcg import write_edited_colors
    from tokensync.project.lock import locked_values

    write_edited_colors(project.tokens_folder, file, locked_values(project.folder, file))


def is_in_display_p3(project: Project, file: str) -> bool:
    """Return whether an output says that the components of a design file's colours are in Display P3."""
    return any(
        each.options.get("profile") == "display-p3" and (not each.files or file in each.files)
        for each in project.config.outputs
    )


def chosen_files(project: Project, names: Sequence[str]) -> tuple[FileConfig, ...]:
    """Return the configured design files with these names (empty means all). Raises UsageError for unknown names."""
    configured = {each.name: each for each in project.config.files}
    if not configured:
        raise UsageError(f"{project.source}: no design file is configured; add a [[files]] table with name and key")
    for name in names:
        if name not in configured:
            what = f"--file {name}: no such file is configured"
            raise UsageError(f"{what}; {suggestion(name, tuple(configured))}")
    return tuple(configured[name] for name in names) if names else project.config.files


def read_file(path: str) -> bytes:
    """Return the content of a file or pipe from the command line. Raises UsageError if it is unreadable."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        if os.path.isdir(path):
            raise UsageError(f"{path}: this is a folder; {_file_in(path)}") from None
        raise UsageError(f"{path}: cannot read it ({error.strerror}); check the path and its permissions") from None


def _file_in(folder: str) -> str:
    """Return the advice to name a file of a folder, as ``pull --snapshot-out`` writes them."""
    found = sorted(
        (each for each in os.listdir(folder) if each.endswith(".json")), key=lambda each: "local" not in each
    )
    return f"name a file in it, such as {os.path.join(folder, found[0])}" if found else "name a file with a response"
