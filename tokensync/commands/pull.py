"""Platform to token files: extract, normalize, write, and remember in the lock what was there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.lock import about, facts, read_lock, write_lock
from tokensync.commands.sources import chosen_files, rules_of
from tokensync.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    taken: list[tuple[FileConfig, TokenGraph]] = []
    snapshots: list[Snapshot] = []
    for file in chosen_files(project, names):
        progress(f"reading {file.name}")
        snapshot, graph, found = _taken(project, client, file)
        problems += found
        snapshots.append(snapshot)
        taken.append((file, graph))
    problems += findings(linked([graph for _, graph in taken]))
    locked = read_lock(project.folder)
    if not theirs:
        _refuse_edits(project, [file for file, _ in taken], locked or {})
    texts = {file.name: write(graph, file.name) for file, graph in taken}
    changed = {name: changed_files(project.tokens_folder, name, files) for name, files in texts.items()}
    if not dry_run:
        for name, files in texts.items():
            progress(f"writing {name}")
            write_folder(project.tokens_folder, name, files)
        fresh = {file.name: facts(graph, file.name, file.key) for file, graph in taken}
        write_lock(project.folder, {**_still_configured(project, locked), **fresh})
        if snapshot_folder is not None:
            _keep(snapshot_folder, snapshots)
    return Pulled(tuple(_counted(file, graph, changed[file.name]) for file, graph in taken), tuple(problems))


def _taken(project: Project, client: Client, file: FileConfig) -> tuple[Snapshot, TokenGraph, tuple[Problem, ...]]:
    from tokensync.extract import extract, withhold
    from tokensync.normalize import normalize, referenced

    options = project.config.extract
    snapshot, left_out = withhold(
        extract(client, file.name, file.key),
        only_published=options.only_published,
        include_hidden=options.include_hidden,
    )
    graph, oddities = normalize(snapshot, rules_of(project))
    return snapshot, referenced(graph), (*left_out, *oddities)


def _refuse_edits(project: Project, files: Sequence[FileConfig], locked: dict[str, frozenset[str]]) -> None:
    """Token files that say what the lock does not were edited by hand; the platform must not wipe that out unasked."""
    from tokensync.formats.dtcg import read_folder

    edits: list[str] = []
    for file in files:
        reading = read_folder(project.tokens_folder, file.name)
        if reading.files:
            base = locked.get(file.name, frozenset())
            ours = facts(reading.graph, file.name, file.key)
            edits += sorted({f"{file.name} / {about(line)}" for line in ours ^ base})
    if edits:
        more = f", and {len(edits) - _SHOWN} more" if len(edits) > _SHOWN else ""
        raise ConflictError(
            f"{project.tokens_folder}: it holds edits that the platform does not know ({'; '.join(edits[:_SHOWN])}{more}); "
            "keep them in git and let the platform win with --theirs"
        )


def _still_configured(project: Project, locked: dict[str, frozenset[str]] | None) -> dict[str, frozenset[str]]:
    configured = {each.name for each in project.config.files}
    return {name: own for name, own in (locked or {}).items() if name in configured}


def _keep(folder: str, snapshots: Sequence[Snapshot]) -> None:
    from tokensync.commands.files import replace_file

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
