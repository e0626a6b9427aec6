"""Token graph to output files on disk: from the project's token files, or straight from a saved response."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.boundary import Boundary
from tokensync.commands.destinations import refuse_linked_folder
from tokensync.commands.garbage import gc_disabled
from tokensync.commands.generation import generate_all
from tokensync.commands.manifest import MANIFEST
from tokensync.commands.outputs import Written, is_current, stale_files, write_outputs
from tokensync.commands.sources import (
    Source,
    chosen_files,
    from_project,
    from_snapshot,
    project_digest,
    project_texts,
    snapshot_digest,
)
from tokensync.commands.targets import targets_of_project, targets_of_snapshot
from tokensync.errors import stop_on_errors
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.commands.targets import Targets
    from tokensync.config import Project
    from tokensync.stat_manifest import Recording


class Built(NamedTuple):
    """What a build did: the folder, the number of local tokens and of output files, and all problems.

    ``written`` is None where nothing was to be written: with ``check``, which gives ``stale`` the paths that are not
    current, and where all outputs were current. The counts are 0 where that was known without generating anything.
    """

    folder: str
    tokens: int
    files: int
    written: Written | None
    stale: tuple[str, ...]
    problems: tuple[Problem, ...]


def build_snapshot(
    local: str,
    published: str | None,
    folder: str,
    platforms: Sequence[str] = (),
    *,
    check: bool = False,
    force: bool = False,
    only_published: bool = False,
    include_hidden: bool = True,
    allow_outside: bool = False,
) -> Built:
    """Build from saved responses into ``css/``, ``android/`` and ``ios/`` under ``folder``; needs no configuration.

    ``platforms`` keeps to some of them and leaves the others as they are. Raises UsageError for a file that cannot be
    read, and ProblemsError for one that is not a response, for files in the way that are not ours, and, unless
    ``allow_outside``, for a folder that a link leads out of the git work tree it stands in.
    """
    boundary = _boundary_of(folder, allow_outside=allow_outside)
    if check:
        digest = snapshot_digest(local, published, only_published=only_published, include_hidden=include_hidden)
        if is_current(folder, targets_of_snapshot(platforms, digest).outputs(boundary)):
            return Built(folder, 0, 0, None, (), ())
    with gc_disabled():
        source = from_snapshot(local, published, only_published=only_published, include_hidden=include_hidden)
        targets = targets_of_snapshot(platforms, source.digest)
        return _build(source, targets, folder, None, boundary, check=check, force=force)


def build_project(
    project: Project,
    files: Sequence[str] = (),
    platforms: Sequence[str] = (),
    *,
    folder: str | None = None,
    check: bool = False,
    force: bool = False,
    skip_current: bool = False,
    recording: Recording | None = None,
) -> Built:
    """Build the configured outputs from the project's token files.

    ``platforms`` and ``files`` keep to the outputs of these platforms and those that declare tokens of these files; the
    others stay as they are. With ``folder`` outputs go to ``css/`` and so on under it instead. ``skip_current``
    generates nothing when all outputs are current, as ``check`` always does; ``recording`` is given each path that this
    depends on, before its content is read. Raises UsageError when no output is left to make, and ProblemsError for
    token files that cannot be read or files in the way.
    """
    chosen_files(project, files)
    root = folder or project.folder
    if recording:
        _record_inputs(project, recording)
    texts = project_texts(project)
    targets = targets_of_project(project, files, platforms, project_digest(texts), elsewhere=folder is not None)
    boundary = project.boundary
    if folder:
        boundary = _boundary_of(folder, boundary.tokens, allow_outside=project.allow_outside)
    if (check or skip_current) and is_current(root, targets.outputs(boundary), recording):
        return Built(root, 0, 0, None, (), ())
    if recording:
        recording.drop()
    with gc_disabled():
        source = from_project(project, required=targets.files(), texts=texts)
        del texts  # a large folder is not needed any more
        return _build(source, targets, root, project, boundary, check=check, force=force)


def _record_inputs(project: Project, recording: Recording) -> None:
    for file in project.config.files:
        folder = os.path.join(project.tokens_folder, file.name)
        recording.optional(f"{folder}.resolver.json")
        recording.tree(folder, ".json")
    for output in project.config.outputs:
        if output.templates:
            recording.tree(project.path(output.templates))


def _boundary_of(folder: str, tokens: tuple[str, ...] = (), *, allow_outside: bool) -> Boundary:
    """Keep a build inside the folder that the user named, unless a link of the checkout leads it elsewhere."""
    refuse_linked_folder(folder, tokens, allow_outside=allow_outside)
    return Boundary(os.path.realpath(folder), "the output folder", tokens, allow_outside)


def _build(
    source: Source,
    targets: Targets,
    folder: str,
    project: Project | None,
    boundary: Boundary,
    *,
    check: bool,
    force: bool,
) -> Built:
    files, found = generate_all(source.graph, targets.made, project)
    problems = [*source.problems, *found]
    stop_on_errors(problems)
    declared = sum(token.origin == "local" for token in source.graph.tokens.values())
    if check:
        stale = tuple(stale_files(folder, files, targets.outputs(boundary)))
        return Built(folder, declared, len(files), None, stale, tuple(problems))
    written = write_outputs(folder, files, targets.outputs(boundary), force=force)
    problems += (_left(path) for path in written.left)
    problems += (_refused(path) for path in written.refused)
    return Built(folder, declared, len(files), written, (), tuple(problems))


def _left(path: str) -> Problem:
    what = f"{MANIFEST} lists it and no output makes it, but nothing shows that tokensync did"
    return problem("output-left", path, what, "remove it if it is of no use")


def _refused(path: str) -> Problem:
    what = f"it lists {path!r:.200}, where no output may be, and this entry is dropped"
    what_to_do = "if you allowed that place once, remove what is there yourself; if not, find out who wrote the entry"
    return problem("manifest-path", MANIFEST, what, what_to_do)
