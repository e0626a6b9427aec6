"""Pull: merge changes on the platform into the token files, and update the lock."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from tokensync.apply.journal import Applies
from tokensync.project.applied_lock import progress_of, refuse_temporary_members, unfinished_apply
from tokensync.project.connection import state_folder, state_path
from tokensync.project.lock import Lock, update_lock
from tokensync.project.merging import (
    finish_pull,
    mark_of,
    merged_file,
    pull_log,
    refuse_conflicts,
    replace_mark,
    take_all,
    unchanged_files,
)
from tokensync.project.sources import STRAYS, chosen_files, rules_of, type_rule_problems, without_defaults
from tokensync.system.boundary import resolved_folder
from tokensync.system.disk import shown_path
from tokensync.system.errors import ConflictError, PlatformError, TokensyncError, stop_on_errors
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from tokensync.apply.scripts import Claim
    from tokensync.dtcg import Outputs, OutputText
    from tokensync.extract.client import Client
    from tokensync.extract.wire import Snapshot
    from tokensync.plan.conflicts import SideName
    from tokensync.project.configuration import Project
    from tokensync.project.merging import MergedFile, Taken
    from tokensync.settings import FileConfig
    from tokensync.tokens import TokenGraph


class PulledFile(NamedTuple):
    """The result of a pull for one file: the numbers of local objects, and the changed token files."""

    name: str
    collections: int
    modes: int
    tokens: int
    changed: tuple[str, ...]

    @property
    def size(self) -> str:
        """``2 tokens in 1 collection, 3 modes``."""
        collections = counted(self.collections, "collection")
        return f"{counted(self.tokens, 'token')} in {collections}, {counted(self.modes, 'mode')}"


class Pulled(NamedTuple):
    """The result of a pull, with all problems."""

    files: tuple[PulledFile, ...]
    problems: tuple[Problem, ...]


class IncompletePull(PlatformError):
    """Some of several files could not be read. The others are pulled, with the result ``pulled``."""

    def __init__(self, failures: Mapping[str, TokensyncError], pulled: Pulled) -> None:
        self.pulled = pulled
        names, files = " --file ".join(failures), counted(len(failures) + len(pulled.files), "file")
        what = f"{len(failures)} of {files}: not pulled; to try again, run tokensync pull --file {names}"
        super().__init__("\n".join(dict.fromkeys((*map(str, failures.values()), what))))


def pull(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    always: SideName | None = None,
    dry_run: bool = False,
    force: bool = False,
    snapshot_folder: str | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Pulled:
    """Merge changes on the platform into the token files; edits of the token files are preserved.

    Everything is read and checked before anything is written. ``always`` names the side that wins where both changed
    the same thing; without it, and without an answer in the conflicts file, that raises ConflictError. So does an old
    capture, unless ``force`` is set. Raises IncompletePull at the end if some of several files could not be read.
    """
    from tokensync.dtcg import changed_files
    from tokensync.normalize.findings import renamed_modes
    from tokensync.normalize.graph import linked, referenced

    if snapshot_folder is not None:
        snapshot_folder = resolved_folder(snapshot_folder, project.boundary.tokens, allow_outside=project.allow_outside)
    root, lock, chosen = project.tokens_folder, Lock(project.folder), chosen_files(project, names)
    interrupted = {file.name for file in project.config.files if os.path.isfile(pull_log(project, file.name))}
    if not dry_run:
        _finish_earlier(project, chosen)
    failures: dict[str, TokensyncError] = {}
    files = take_all(project, client, chosen, progress, reads_styles=True, lock=lock, failures=failures)
    _refuse_old(project, files, lock, interrupted, always=always, force=force)
    unchanged = unchanged_files(project, files)
    merged = unchanged or [merged_file(project, file, file.file, always=always, lock=lock) for file in files]
    problems = [problem for file in merged for problem in file.problems]
    lasting = [*type_rule_problems(project, [file.taken for file in merged], [file.theirs for file in merged])]
    problems += lasting
    stop_on_errors(project.levels.applied(problems))  # an invalid token is not in the graph, so others seem to dangle
    graphs = {file.file.name: referenced(file.graph) for file in merged}
    graph = linked(list(graphs.values()))
    unusual = [*unusual_in(project, graph)]
    problems += (*unusual, *renamed_modes(graph, [file.ours.graph for file in merged]))
    lasting += (*unusual, *(problem for file in files for problem in file.problems))
    stop_on_errors(project.levels.applied(problems))
    refuse_conflicts(project, merged, write=not dry_run)
    outputs = {} if unchanged else _outputs(project, merged, graphs)
    problems += (problem for output in outputs.values() for problem in output.problems)
    problems += (*_unfinished(project, [file.file for file in merged]), *_not_shown(project, files))
    reported = project.levels.applied(dict.fromkeys(problems))
    stop_on_errors(reported)
    changed = {name: changed_files(root, name, output.files) for name, output in outputs.items()}
    if not dry_run and snapshot_folder is not None:
        _keep(snapshot_folder, [file.snapshot for file in merged])
    if not dry_run and not unchanged:
        is_changed, is_known = any(changed.values()), _is_known(merged, problems, lasting)
        written = {name: output.files for name, output in outputs.items()}
        _write(project, files, written, lock, is_changed=is_changed, is_known=is_known, progress=progress)
        reported = tuple(_with_merged_lock(problem) for problem in reported)
    pulled = Pulled(tuple(_counted(file.file, graphs[file.file.name], changed) for file in merged), reported)
    if failures:
        raise IncompletePull(failures, pulled)
    return pulled


def _finish_earlier(project: Project, files: Iterable[FileConfig]) -> None:
    """Complete the pulls of these files that were interrupted while they wrote."""
    from tokensync.dtcg import finish_writing

    state_folder(project)
    for file in files:
        finish_writing(project.tokens_folder, file.name, pull_log(project, file.name))


def _refuse_old(
    project: Project,
    files: Sequence[Taken],
    lock: Lock,
    interrupted: Container[str],
    *,
    always: SideName | None,
    force: bool,
) -> None:
    """Raise ConflictError for an old capture, and for what an unfinished apply has left.

    An ``interrupted`` pull has already written some token files, and must be completed.
    """
    for file in () if force else files:
        name, time = file.file.name, file.snapshot.time
        if time and time < (last := lock.captured(name)):  # what changed since then would be changed back
            what = f"this capture is of {time}, and the last pull was of {last}"
            raise ConflictError(
                f"{name}: {what}; capture the file anew, or go back to the older state with tokensync pull --force"
            )
    if always != "theirs":
        own = (file for file in files if file.file.name not in interrupted)
        pairs = ((unfinished_apply(project, file.file), file.snapshot.raw_local) for file in own)
        refuse_temporary_members((journal, raw) for journal, raw in pairs if journal is not None)


def _outputs(project: Project, merged: Iterable[MergedFile], graphs: Mapping[str, TokenGraph]) -> dict[str, Outputs]:
    """Return the token files of design files, in which tokens do not say what is their default anyway."""
    from tokensync.dtcg import outputs_of

    stated = ((file, without_defaults(project, graphs[file.file.name], file.our_token)) for file in merged)
    root = project.tokens_folder
    return {file.file.name: outputs_of(root, file.file.name, graph, file.previous) for file, graph in stated}


def _write(
    project: Project,
    files: Sequence[Taken],
    texts: Mapping[str, Sequence[OutputText]],
    lock: Lock,
    *,
    is_changed: bool,
    is_known: bool,
    progress: Callable[[str], None],
) -> None:
    """Write the token files, the lock, and the mark of a pull with changes after which the next one ``is_known``."""
    from tokensync.dtcg import write_folder
    from tokensync.normalize.graph import referenced

    for name, outputs in texts.items():
        progress(f"writing {name}")
        write_folder(project.tokens_folder, name, outputs, log=pull_log(project, name))
    configured = {file.name for file in project.config.files}
    times = {file.file.name: file.snapshot.time or lock.captured(file.file.name) for file in files}
    states = {file.file.name: (referenced(file.graph), file.key, file.styles, times[file.file.name]) for file in files}
    lock_text = update_lock(project.folder, configured, states)
    for claim in _claims(project, files):
        if not claim.missing:
            claim.settle(time.time())
    finish_pull(project, [*texts])
    if is_changed or lock_text is not None:  # a mark alone would be a commit about nothing
        replace_mark(project, mark_of(project, files, texts, lock_text) if is_known else "")


def _is_known(merged: Sequence[MergedFile], problems: Iterable[Problem], lasting: Iterable[Problem]) -> bool:
    """Return whether the next pull is known if nothing changes: all sides are equal, and it finds only the same
    ``lasting`` problems, those of the platform. Those of token files and of merges are not known without reading.
    """
    from tokensync.dtcg.assembly import cyclic_tokens

    known = set(lasting)
    return (
        all(problem in known or problem.code in STRAYS for problem in problems)
        and all(file.graph == file.taken for file in merged)
        # The only problem of a file that this pull has written: the next one would report it with its location.
        and not any(next(cyclic_tokens(file.graph), None) for file in merged)
    )


def _with_merged_lock(found: Problem) -> Problem:
    """Return a problem as it is after the pull, which has merged both sides of a conflict in the lock."""
    if found.code != "lock-conflicted":
        return found
    what = "git had left a conflict here, and this pull has merged both sides"
    return found._replace(what=what, what_to_do="commit the file")


def unusual_in(project: Project, graph: TokenGraph) -> Iterator[Problem]:
    """Yield what is unusual about the merged tokens."""
    from tokensync.normalize.findings import findings
    from tokensync.normalize.numbers import unclear_numbers

    yield from findings(graph)
    yield from unclear_numbers(graph, rules_of(project, [graph]))


def _unfinished(project: Project, files: Iterable[FileConfig]) -> Iterator[Problem]:
    """Yield a problem for each file whose last apply is carried out in part."""
    for file in files:
        journal = unfinished_apply(project, file)
        if journal is None:
            continue
        what = f"this apply is carried out in part ({progress_of(journal)})"
        to_do = f"continue it with tokensync apply --resume, or reverse it with tokensync rollback {journal.folder}"
        yield problem("apply-unfinished", journal.folder, what, f"{to_do}, and pull again")


def _claims(project: Project, files: Iterable[Taken]) -> Iterator[Claim]:
    """Yield what the files show of the claims of scripts about them."""
    for file in files:
        journal = Applies(shown_path(state_path(project))).claimed(file.file.name)
        if journal is not None and journal.started.key == file.key:
            from tokensync.apply.scripts import claim_of

            yield claim_of(journal, file.snapshot.raw_local)


def _not_shown(project: Project, files: Iterable[Taken]) -> Iterator[Problem]:
    """Yield a problem for each claim of a script that its file does not show."""
    for claim in _claims(project, files):
        if claim.missing:
            what = (
                f"a script's receipt claims this plan as carried out, and the file does not show it ({claim.missing})"
            )
            to_do = "capture the file anew, and pull again; if its changes were taken back in Figma, make a new plan"
            yield problem("claim-not-shown", claim.journal.folder, what, to_do)


def _keep(folder: str, snapshots: Sequence[Snapshot]) -> None:
    from tokensync.system.disk import replace_file

    for snapshot in snapshots:
        replace_file(os.path.join(folder, f"{snapshot.file}.local.json"), snapshot.raw_local)
        if snapshot.raw_published is not None:
            replace_file(os.path.join(folder, f"{snapshot.file}.published.json"), snapshot.raw_published)


def _counted(file: FileConfig, graph: TokenGraph, changed: Mapping[str, Sequence[str]]) -> PulledFile:
    families = [collection for collection in graph.collections.values() if collection.origin == "local"]
    return PulledFile(
        file.name,
        sum(1 + len(family.extensions) for family in families),
        sum(len(family.modes) for family in families),
        graph.table.origins.count("local"),
        tuple(changed.get(file.name, ())),
    )
