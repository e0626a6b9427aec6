"""Platform to token files: extract, normalize, write, and remember in the lock what was there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.client import parse_file
from tokensync.commands.connecting import EMULATOR
from tokensync.commands.edits import worded
from tokensync.commands.lock import Locked, facts, read_lock, write_lock
from tokensync.commands.sources import chosen_files, rules_of
from tokensync.errors import ConflictError, NotFoundError
from tokensync.problems import errors_among, problem, stop_on_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.client import Client
    from tokensync.config import FileConfig, Project
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph
    from tokensync.wire import Snapshot

_SHOWN = 10


class PulledFile(NamedTuple):
    """What one file's pull brought: counts of local things, and the token files that changed."""

    name: str
    collections: int
    modes: int
    tokens: int
    changed: tuple[str, ...]


class Pulled(NamedTuple):
    """What a pull brought, with all problems found on the way."""

    files: tuple[PulledFile, ...]
    problems: tuple[Problem, ...]


def pull(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    theirs: bool = False,
    dry_run: bool = False,
    snapshot_folder: str | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Pulled:
    """Bring the token files of the configured files up to what the platform holds.

    Everything is read and checked before anything is written. Raises ConflictError when token files hold edits that
    the platform does not know, unless ``theirs`` lets the platform's side win.
    """
    from tokensync.formats.dtcg import changed_files, write, write_folder
    from tokensync.normalize import findings, linked

    problems: list[Problem] = []
    taken: list[_Taken] = []
    for file in chosen_files(project, names):
        progress(f"reading {file.name}")
        each, found = _taken(project, client, file)
        problems += found
        taken.append(each)
    problems += findings(linked([each.graph for each in taken]))
    stop_on_errors(problems)
    locked = read_lock(project.folder)
    if not theirs:
        _refuse_edits(project, taken, locked)
    texts = {each.file.name: write(each.graph, each.file.name) for each in taken}
    changed = {name: changed_files(project.tokens_folder, name, files) for name, files in texts.items()}
    if not dry_run:
        if snapshot_folder is not None:
            _keep(snapshot_folder, [each.snapshot for each in taken])
        for name, files in texts.items():
            progress(f"writing {name}")
            write_folder(project.tokens_folder, name, files)
        configured = {each.name for each in project.config.files}
        untouched = {name: own.every_side for name, own in locked.items() if name in configured}
        write_lock(project.folder, {**untouched, **{each.file.name: each.facts for each in taken}}.values())
    problems += _forgotten(project)
    return Pulled(tuple(_counted(each.file, each.graph, changed[each.file.name]) for each in taken), tuple(problems))


class _Taken(NamedTuple):
    """What the platform holds of one file, and the facts about it."""

    file: FileConfig
    snapshot: Snapshot
    graph: TokenGraph
    facts: frozenset[str]


def _taken(project: Project, client: Client, file: FileConfig) -> tuple[_Taken, tuple[Problem, ...]]:
    from tokensync.extract import extract, withhold
    from tokensync.normalize import normalize, referenced

    options = project.config.extract
    reference = parse_file(file.key, f"{project.source} (file {file.name})")
    try:
        answered = extract(client, file.name, reference)
    except NotFoundError:
        if project.config.base_url != EMULATOR:
            raise
        what = f"{file.name}: the embedded emulator has no file {reference}"
        raise NotFoundError(f"{what}; fill it with tokensync emulator seed RESPONSE.json", 404) from None
    snapshot, left_out = withhold(
        answered,
        only_published=options.only_published,
        include_hidden=options.include_hidden,
    )
    normal, oddities = normalize(snapshot, rules_of(project))
    graph = referenced(normal)
    return _Taken(file, snapshot, graph, facts(graph, file.name, str(reference))), (*left_out, *oddities)


def _refuse_edits(project: Project, taken: Sequence[_Taken], locked: Mapping[str, Locked]) -> None:
    """The platform must not wipe out unasked what somebody wrote into a token file.

    That is what neither the lock nor the platform says, and what both say and the token file does not.
    """
    from tokensync.formats.dtcg import read_folder

    edits: list[str] = []
    problems: list[Problem] = []
    for each in taken:
        reading = read_folder(project.tokens_folder, each.file.name)
        problems += errors_among(reading.problems)
        if reading.files:
            base = locked.get(each.file.name, Locked())
            ours = facts(reading.graph, each.file.name, str(parse_file(each.file.key)))
            written = ours - base.any_side - each.facts
            removed = (base.every_side & each.facts) - ours
            edits += worded(removed, written)
    stop_on_errors(problems)
    if edits:
        more = f", and {len(edits) - _SHOWN} more" if len(edits) > _SHOWN else ""
        raise ConflictError(
            f"{project.tokens_folder}: it holds edits that the platform does not know "
            f"({'; '.join(edits[:_SHOWN])}{more}); keep them in git and let the platform win with --theirs"
        )


def _forgotten(project: Project) -> Iterator[Problem]:
    """Token files of a file that is not configured any more: nothing reads them, and nothing removes them."""
    configured = {each.name for each in project.config.files}
    try:
        names = sorted(os.listdir(project.tokens_folder))
    except OSError:
        return
    for name in names:
        stem = name.removesuffix(".resolver.json")
        if stem != name and stem not in configured:
            what = f"no file is called {stem} in {os.path.basename(project.source)}"
            to_do = "remove it and the folder beside it, or configure the file again"
            yield problem("token-files-forgotten", os.path.join(project.tokens_folder, name), what, to_do)


def _keep(folder: str, snapshots: Sequence[Snapshot]) -> None:
    from tokensync.disk import replace_file

    os.makedirs(folder, exist_ok=True)
    for each in snapshots:
        replace_file(os.path.join(folder, f"{each.file}.local.json"), each.raw_local)
        if each.raw_published is not None:
            replace_file(os.path.join(folder, f"{each.file}.published.json"), each.raw_published)


def _counted(file: FileConfig, graph: TokenGraph, changed: Sequence[str]) -> PulledFile:
    families = [each for each in graph.collections.values() if each.origin == "local"]
    return PulledFile(
        file.name,
        sum(1 + len(each.extensions) for each in families),
        sum(len(each.modes) for each in families),
        sum(token.origin == "local" for token in graph.tokens.values()),
        tuple(changed),
    )
