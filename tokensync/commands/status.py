"""Compare token files, platform and lock, and a file with its publication."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.mapping import RESOLVED_TYPES, VARIABLE_TYPES, name_of_path
from tokensync.plan.conflicts import EXISTENCE, Difference, SideName
from tokensync.project.connection import writes_motion
from tokensync.project.lock import Lock
from tokensync.project.merging import MergedFile, ShownConflict, edited_styles, merged_file, take_all, unchanged_files
from tokensync.project.sources import chosen_files, type_rule_problems, without_defaults
from tokensync.system.errors import errors_among, stop_on_errors
from tokensync.tokens import Collection, FamilyKey, Token, TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.extract.client import Client
    from tokensync.extract.wire import Snapshot
    from tokensync.project.configuration import Project
    from tokensync.system.problems import Problem


_COPIES = "/.remote/"
"""What paths of token files with copies of library tokens contain."""


class Change(NamedTuple):
    """The changes of one side to a token, or to a collection (``token`` is empty).

    ``what`` lists the changed members.
    """

    collection: str
    token: str
    kind: str
    what: tuple[str, ...]

    def __str__(self) -> str:
        name = " / ".join(each for each in (self.collection, self.token) if each)
        return f"{name}: {self.kind if self.kind != 'changed' else ', '.join(self.what)}"


class FileStatus(NamedTuple):
    """Where a file stands: edits that a plan would carry out, changes that a pull would bring, and what conflicts.

    ``held_back`` describes the deletions among the edits, which a plan carries out only with ``--prune``.
    """

    name: str
    ahead: tuple[Change, ...]
    behind: tuple[Change, ...]
    conflicting: tuple[ShownConflict, ...]
    publication: Publication
    held_back: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Return whether anything is to be done."""
        return bool(self.ahead or self.behind or self.conflicting or any(self.publication))


class Status(NamedTuple):
    """The status of each selected file, and all problems."""

    files: tuple[FileStatus, ...]
    problems: tuple[Problem, ...]

    @property
    def is_unresolved(self) -> bool:
        """Return whether the lock has a git conflict."""
        return any(problem.code == "lock-conflicted" for problem in self.problems)

    @property
    def is_in_sync(self) -> bool:
        """Return whether token files, lock, platform and publication agree."""
        return not self.is_unresolved and not any(file.differs for file in self.files)


def status(
    project: Project, client: Client, names: Sequence[str] = (), *, progress: Callable[[str], None] = lambda text: None
) -> Status:
    """Compare and write nothing. Raises ProblemsError for token files that cannot be read."""
    files: list[FileStatus] = []
    graphs: list[TokenGraph] = []
    in_files: list[TokenGraph] = []
    snapshots: list[tuple[str, Snapshot]] = []
    problems: list[Problem] = []
    taken = take_all(project, client, chosen_files(project, names), progress)
    for merged in unchanged_files(project, taken) or (merged_file(project, file, file.file) for file in taken):
        file = merged.file
        problems += project.levels.applied(merged.problems)
        stop_on_errors(problems)
        ahead, waiting = _ahead(project, merged)
        behind = (*_changes(_by(merged, "theirs")), *_unmerged(project, merged))
        if file.styles and merged.snapshot.local.styles is None:
            published, notes = _published_styles(project, client, merged)
            behind += published
            problems += project.levels.applied(notes)
        files.append(FileStatus(file.name, _changes(ahead), behind, merged.conflicts, Publication(), waiting))
        snapshots.append((file.name, merged.snapshot))
        graphs.append(merged.taken)
        in_files.append(merged.theirs)
    problems += project.levels.applied(type_rule_problems(project, graphs, in_files))
    stop_on_errors(problems)
    libraries = latest(snapshots)
    statuses = tuple(
        each._replace(publication=publication(snapshot, libraries))
        for each, (_, snapshot) in zip(files, snapshots, strict=True)
    )
    return Status(statuses, tuple(dict.fromkeys(problems)))


def _published_styles(
    project: Project, client: Client, merged: MergedFile
) -> tuple[tuple[Change, ...], tuple[Problem, ...]]:
    """Return whether styles were published since the last pull, and notes about them. Their values are not read."""
    from tokensync.project.styles import digest_now

    digest, unread = digest_now(project, client, merged.file)
    is_changed = not unread and digest not in (known for known, _ in Lock(project.folder).styles(merged.file.name))
    what = Change("styles", "", "changed", ("published since the last pull",))
    return (what,) if is_changed else (), (*unread, *edited_styles(merged))


def _by(merged: MergedFile, side: SideName) -> list[Difference]:
    conflicting = {conflict.key for conflict in merged.conflicts}
    return [each for each in merged.differences if each.side == side and each.key not in conflicting]


def _unmerged(project: Project, merged: MergedFile) -> tuple[Change, ...]:
    """Return what a pull would write beside the differences of the merge, for each collection that both sides have.

    That are the orders of modes and tokens, ids, whether tokens are published, and copies of library tokens.
    """
    if merged.ours.graph is merged.taken or not merged.ours.files or merged.conflicts:
        return ()
    from tokensync.dtcg import changed_files, outputs_of, present_files
    from tokensync.normalize.graph import referenced

    ours, graph, own_keys = merged.ours.graph, referenced(merged.graph), merged.our_keys()
    root, name = project.tokens_folder, merged.file.name
    pairs: dict[FamilyKey, list[tuple[Token, Token]]] = {}
    present = present_files(root, name)  # without the library tokens of the response, which a reading may have
    copied = any(_COPIES in path and present.get(path) != text for path, text in merged.ours.files.items())
    for key, token in graph.tokens.items():
        was = ours.tokens.get(own_keys.get(key, key))
        if was is not None and token.origin == "local":
            pairs.setdefault(key[:2], []).append((was, token))
        copied = copied or (token.origin == "remote" and (was is None or was.values != token.values))
    places = {key: place for place, key in enumerate(ours.tokens)}
    found = [
        Change(key[1], "", "changed", words)
        for key, own in pairs.items()
        if (words := tuple(_different_parts(ours, graph.collections[key], own, places)))
    ]
    if not found and not copied:
        return ()
    # Token files have no ids of inherited tokens, for example: only a pull knows what it writes.
    written = without_defaults(project, graph, merged.our_token)
    changed = changed_files(root, name, outputs_of(root, name, written, merged.previous).files)
    libraries = dict.fromkeys(path.split("/")[2] for path in changed if _COPIES in path)
    found += (Change(library, "", "changed", ("copies of library tokens",)) for library in libraries)
    return tuple(found) if changed else ()


def _different_parts(
    ours: TokenGraph, family: Collection, tokens: Sequence[tuple[Token, Token]], places: Mapping[TokenKey, int]
) -> Iterator[str]:
    """Yield the parts of a collection that a merge does not compare, and that differ from the token files.

    ``tokens`` are those of both sides, and ``places`` the order of ours.
    """
    before = {was.key[:2] for was, _ in tokens}
    former = ours.collections[before.pop()] if len(before) == 1 else family
    order = [places[was.key] for was, _ in tokens]
    if order != sorted(order):
        yield "order"
    if not _is_in_order(former, family):
        yield "order of modes"
    if former.id != family.id or any((was.id, was.variable_key) != (now.id, now.variable_key) for was, now in tokens):
        yield "ids"
    if any(was.published != now.published for was, now in tokens):
        yield "published"


def _is_in_order(former: Collection, family: Collection) -> bool:
    """Return whether the modes that both have are in the same order."""
    orders = ([mode.id for mode in own.modes] for own in (former, family))
    before, now = ([id_ for id_ in own if id_] for own in orders)
    return [id_ for id_ in before if id_ in now] == [id_ for id_ in now if id_ in before]


def _ahead(project: Project, merged: MergedFile) -> tuple[list[Difference], tuple[str, ...]]:
    """Return our changes that a plan would make or hold back, and descriptions of the latter.

    Those that variables cannot hold, or that change notation, are not among them.
    """
    found = _by(merged, "ours")
    ours = merged.ours.graph.tokens
    types = VARIABLE_TYPES if writes_motion(project) else RESOLVED_TYPES
    families = (*merged.taken.collections.values(), *merged.graph.collections.values())
    styles = {family.handle for family in families if family.is_of_styles}

    def has_form(each: Difference) -> bool:
        if each.key.collection in styles:
            return merged.snapshot.local.styles is not None
        token = ours.get(TokenKey(*each.key[:3]))
        return token is None or token.type in types

    expressible = [difference for difference in found if has_form(difference)]
    if not expressible:
        return [], ()
    from tokensync.plan.differ import differences
    from tokensync.plan.planning import held_back, retyped_variables
    from tokensync.project.merging import desired_states

    converted, _, labels, before, after, _ = desired_states(project, merged)
    if not errors_among(converted.problems) and not differences(before, after):
        return [], ()
    retyped = {**retyped_variables(before, after), **converted.retyped}
    held = held_back(before, after, retyped=retyped, labels=labels, where=lambda ref, mode: labels.get(ref, ref))
    return expressible, held.descriptions


def _changes(differences: Sequence[Difference]) -> tuple[Change, ...]:
    """Return one change for each token, with all its changed members, in the order of the differences."""
    members: dict[tuple[str, str], list[Difference]] = {}
    for difference in differences:
        members.setdefault(difference.key[1:3], []).append(difference)
    return tuple(
        Change(
            collection,
            name_of_path(path) if path else "",
            next((difference.kind for difference in own if difference.key.member == EXISTENCE), "changed"),
            tuple(
                member if kind == "changed" or member == EXISTENCE else f"{member} {kind}"
                for member, kind in ((difference.key.member, difference.kind) for difference in own)
            ),
        )
        for (collection, path), own in members.items()
    )


class Publication(NamedTuple):
    """Names of live variables that are not published, are published under another name, or are only published.

    These are empty for a file that publishes nothing. ``outdated`` are variables of libraries, with the library's name,
    that have a newer publication than this file uses. Values are not compared, because the API does not contain
    published values.
    """

    unpublished: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


class Latest(NamedTuple):
    """The latest publication of a library variable: its id in files that use it, and the name of the library's file."""

    subscribed_id: str
    file: str


def latest(snapshots: Iterable[tuple[str, Snapshot]]) -> dict[str, Latest]:
    """Return the latest publication of each variable, by key, of these files by name."""
    return {
        variable.key: Latest(variable.subscribed_id, name)
        for name, snapshot in snapshots
        if snapshot.published is not None
        for variable in snapshot.published.variables.values()
        if variable.subscribed_id
    }


def publication(snapshot: Snapshot, libraries: Mapping[str, Latest]) -> Publication:
    """Return where a file stands with its own library, and with those of other files."""
    outdated = _outdated(snapshot, libraries)
    if snapshot.published is None or not snapshot.published.variables:
        return Publication(outdated=outdated)
    published = {variable.key: variable.name for variable in snapshot.published.variables.values()}
    live = (
        variable
        for variable in snapshot.local.variables.values()
        if not (variable.remote or variable.deleted_but_referenced or variable.hidden_from_publishing)
    )
    shown = {variable.key: variable.name for variable in live}
    return Publication(
        tuple(name for key, name in shown.items() if key not in published),
        (*_renamed_collections(snapshot), *_renamed(published, shown)),
        tuple(name for key, name in published.items() if key not in shown),
        outdated,
    )


def _renamed(published: Mapping[str, str], shown: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"{published[key]} (now {name})" for key, name in shown.items() if key in published and published[key] != name
    )


def _renamed_collections(snapshot: Snapshot) -> tuple[str, ...]:
    if snapshot.published is None:
        return ()
    published = {collection.key: collection.name for collection in snapshot.published.variable_collections.values()}
    shown = {each.key: each.name for each in snapshot.local.variable_collections.values() if not each.remote}
    return tuple(f"collection {each}" for each in _renamed(published, shown))


def _outdated(snapshot: Snapshot, libraries: Mapping[str, Latest]) -> tuple[str, ...]:
    """Return copies of outdated publications, unless the file also has a copy of the latest one."""
    remote = [each for each in snapshot.local.variables.values() if each.remote and each.key in libraries]
    current = {variable.key for variable in remote if variable.id == libraries[variable.key].subscribed_id}
    stale = {each.key: f"{each.name} ({libraries[each.key].file})" for each in remote if each.key not in current}
    return tuple(stale.values())
