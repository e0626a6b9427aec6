"""Token graphs from a saved response, or from the project's token files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.errors import UsageError
from tokensync.project.manifest import digest_of
from tokensync.token_files import texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig
    from tokensync.tokens import TokenGraph

    Texts = Mapping[str, Mapping[str, bytes]]
    """The contents of the JSON files of each design file, by its name, then by their paths."""


class Source(NamedTuple):
    """A graph, what was noticed while it was made, and the digest of all that it was made from."""

    graph: TokenGraph
    problems: tuple[Problem, ...]
    digest: str


def from_snapshot(
    local: str, published: str | None = None, *, only_published: bool = False, include_hidden: bool = True
) -> Source:
    """Return the graph of a saved response; the file is called after it.

    Raises UsageError for a file that cannot be read and ProblemsError for one that is not a response.
    """
    from tokensync.extract import withhold
    from tokensync.mapping import slug
    from tokensync.normalize import findings, normalize
    from tokensync.wire import snapshot

    raw_local = read_file(local)
    raw_published = read_file(published) if published else None
    name = slug(os.path.basename(local).partition(".")[0], "file")
    taken = snapshot(name, raw_local, raw_published, source=local, published_source=published or "")
    taken, left_out = withhold(taken, only_published=only_published, include_hidden=include_hidden)
    graph, oddities = normalize(taken)
    digest = _response_digest(raw_local, raw_published, only_published, include_hidden)
    del raw_local, taken  # a large response is not needed any more, and room is
    return Source(graph, (*left_out, *oddities, *findings(graph)), digest)


def snapshot_digest(
    local: str, published: str | None = None, *, only_published: bool = False, include_hidden: bool = True
) -> str:
    """Return the digest of ``from_snapshot``, without decoding anything."""
    raw_published = read_file(published) if published else None
    return _response_digest(read_file(local), raw_published, only_published, include_hidden)


def _response_digest(local: bytes, published: bytes | None, only_published: bool, include_hidden: bool) -> str:
    return digest_of((local, published or b"", b"%d%d" % (only_published, include_hidden)))


def project_texts(project: Project, files: Sequence[str] = ()) -> Texts:
    """Read the project's token files; ``files`` names some of the configured ones, none means all."""
    return {each.name: texts_of(project.tokens_folder, each.name) for each in chosen_files(project, files)}


def project_digest(texts: Texts) -> str:
    """Return the digest of a project's token files: of all in their folders, whether or not it is tokens."""
    return digest_of(
        part
        for of_file in texts.values()
        for path, content in of_file.items()
        for part in (path.encode("utf-8", "surrogateescape"), content)
    )


def from_project(
    project: Project, files: Sequence[str] = (), *, required: Sequence[str] = (), texts: Texts | None = None
) -> Source:
    """Return the graph of the project's token files; ``files`` names some of the configured ones, none means all.

    ``texts`` are those files' contents, if they are known. Raises ProblemsError for token files that cannot be read,
    and where ``required`` files (none: all) have none.
    """
    from tokensync.dtcg import read_folder
    from tokensync.errors import errors_among, stop_on_errors
    from tokensync.normalize import findings, linked
    from tokensync.problems import problem

    graphs: list[TokenGraph] = []
    problems: list[Problem] = []
    known = project_texts(project, files) if texts is None else texts
    for name, of_file in known.items():
        reading = read_folder(project.tokens_folder, name, of_file)
        if not reading.files and (not required or name in required):
            where = os.path.join(project.tokens_folder, name)
            problems.append(
                problem("token-files-absent", where, "there are no token files", "run tokensync pull first")
            )
        graphs.append(reading.graph)
        problems += reading.problems
    if errors_among(problems):
        stop_on_errors(problems)
    graph = linked(graphs)
    return Source(graph, (*problems, *findings(graph)), project_digest(known))


def chosen_files(project: Project, names: Sequence[str]) -> tuple[FileConfig, ...]:
    """Return the configured files of these names, or all of them. Raises UsageError for a name that is not
    configured.
    """
    configured = {each.name: each for each in project.config.files}
    if not configured:
        raise UsageError(f"{project.source}: no file is configured; add a [[files]] table with name and key")
    unknown = [name for name in names if name not in configured]
    if unknown:
        raise UsageError(f"--file {', '.join(unknown)}: no such file is configured; known: {', '.join(configured)}")
    return tuple(configured[name] for name in names) if names else project.config.files


def read_file(path: str) -> bytes:
    """Return the bytes of a file or a pipe that the user named. Raises UsageError when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise UsageError(f"{path}: it cannot be read ({fault.strerror}); name a file that is there") from None
