"""Token files against the platform against the last synchronisation; and what is published of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.garbage import gc_disabled
from tokensync.commands.merging import merged_file
from tokensync.commands.publication import Publication, latest, publication
from tokensync.commands.sources import chosen_files
from tokensync.commands.type_rules import idle_rules
from tokensync.errors import errors_among, stop_on_errors
from tokensync.mapping import RESOLVED_TYPES, name_of_path
from tokensync.plan.merging import EXISTENCE
from tokensync.tokens import TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.client import Client
    from tokensync.commands.conflicts import Told
    from tokensync.commands.merging import MergedFile
    from tokensync.config import Project
    from tokensync.plan.merging import Difference, SideName
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph
    from tokensync.wire import Snapshot


class Change(NamedTuple):
    """What one side changed of a token (or of a collection, whose ``token`` is empty): ``what`` lists its members."""

    collection: str
    token: str
    kind: str
    what: tuple[str, ...]

    def __str__(self) -> str:
        name = " / ".join(each for each in (self.collection, self.token) if each)
        return f"{name}: {self.kind if self.kind != 'changed' else ', '.join(self.what)}"


class FileStatus(NamedTuple):
    """Where a file stands: edits that a plan would carry out, changes that a pull would bring, and what conflicts."""

    name: str
    ahead: tuple[Change, ...]
    behind: tuple[Change, ...]
    conflicting: tuple[Told, ...]
    publication: Publication

    @property
    def differs(self) -> bool:
        """Return whether anything is to be done."""
        return bool(self.ahead or self.behind or self.conflicting or any(self.publication))


class Status(NamedTuple):
    """All files that were asked about, and what was noticed on the way."""

    files: tuple[FileStatus, ...]
    problems: tuple[Problem, ...]


@gc_disabled()
def status(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    progress: Callable[[str], None] = lambda text: None,
) -> Status:
    """Compare and write nothing. Raises ProblemsError for token files that cannot be read."""
    files: list[FileStatus] = []
    graphs: list[TokenGraph] = []
    snapshots: list[tuple[str, Snapshot]] = []
    problems: list[Problem] = []
    for file in chosen_files(project, names):
        progress(f"reading {file.name}")
        merged = merged_file(project, client, file)
        problems += merged.problems
        stop_on_errors(merged.problems)
        files.append(
            FileStatus(
                file.name,
                _changes(_ahead(project, merged)),
                _changes(_by(merged, "theirs")),
                merged.conflicts,
                Publication(),
            )
        )
        snapshots.append((file.name, merged.snapshot))
        graphs.append(merged.taken)
    problems += idle_rules(project, graphs)
    libraries = latest(snapshots)
    told = tuple(
        each._replace(publication=publication(snapshot, libraries))
        for each, (_, snapshot) in zip(files, snapshots, strict=True)
    )
    return Status(told, tuple(dict.fromkeys(problems)))


def _by(merged: MergedFile, side: SideName) -> list[Difference]:
    conflicting = {each.key for each in merged.conflicts}
    return [each for each in merged.differences if each.side == side and each.key not in conflicting]


def _ahead(project: Project, merged: MergedFile) -> list[Difference]:
    """Our changes that a plan would carry out: not what files alone can hold, nor another spelling of what is there."""
    found = _by(merged, "ours")
    ours = merged.ours.graph.tokens

    def has_form(each: Difference) -> bool:
        token = ours.get(TokenKey(*each.key[:3]))
        return token is None or token.type in RESOLVED_TYPES

    expressible = [each for each in found if has_form(each)]
    return expressible if expressible and _is_to_be_done(project, merged) else []


def _is_to_be_done(project: Project, merged: MergedFile) -> bool:
    from tokensync.commands.desired_file import desired_file
    from tokensync.plan.differ import differences
    from tokensync.plan.state_of import state_of

    aim = desired_file(project, merged)
    return bool(errors_among(aim.problems) or differences(state_of(merged.theirs), state_of(aim.graph)))


def _changes(differences: Sequence[Difference]) -> tuple[Change, ...]:
    """Return a change a token, with all its members, in the order in which they were found."""
    members: dict[tuple[str, str], list[Difference]] = {}
    for each in differences:
        members.setdefault(each.key[1:3], []).append(each)
    return tuple(
        Change(
            collection,
            name_of_path(path) if path else "",
            next((each.kind for each in own if each.key.member == EXISTENCE), "changed"),
            tuple(_member(each) for each in own),
        )
        for (collection, path), own in members.items()
    )


def _member(difference: Difference) -> str:
    member = difference.key.member
    return member if difference.kind == "changed" or member == EXISTENCE else f"{member} {difference.kind}"
