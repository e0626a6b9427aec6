"""What is published of a file against what is in it, and which of its library variables have been published anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.wire import Snapshot


class Publication(NamedTuple):
    """Names of live variables that are not published, are published under another name, or are only published.

    Of a file that publishes nothing at all, nothing of that is said. ``outdated`` are the variables of other files,
    with the name of their file, that were published anew since this one took them. The platform does not tell
    published values.
    """

    unpublished: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


class Latest(NamedTuple):
    """What a library variable's id is in files that use its latest publication, and the name of the library's file."""

    subscribed_id: str
    file: str


def latest(snapshots: Iterable[tuple[str, Snapshot]]) -> dict[str, Latest]:
    """Return the latest publication of each variable, by key, of these files by name."""
    return {
        each.key: Latest(each.subscribed_id, name)
        for name, snapshot in snapshots
        if snapshot.published is not None
        for each in snapshot.published.variables.values()
        if each.subscribed_id
    }


def publication(snapshot: Snapshot, libraries: Mapping[str, Latest]) -> Publication:
    """Return where a file stands with its own library, and with those of other files."""
    outdated = _outdated(snapshot, libraries)
    if snapshot.published is None or not snapshot.published.variables:
        return Publication(outdated=outdated)
    published = {each.key: each.name for each in snapshot.published.variables.values()}
    live = (
        each
        for each in snapshot.local.variables.values()
        if not (each.remote or each.deleted_but_referenced or each.hidden_from_publishing)
    )
    shown = {each.key: each.name for each in live}
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
    published = {each.key: each.name for each in snapshot.published.variable_collections.values()}
    shown = {each.key: each.name for each in snapshot.local.variable_collections.values() if not each.remote}
    return tuple(f"collection {each}" for each in _renamed(published, shown))


def _outdated(snapshot: Snapshot, libraries: Mapping[str, Latest]) -> tuple[str, ...]:
    """Copies that are not of the latest publication, unless the file has that one, too."""
    remote = [each for each in snapshot.local.variables.values() if each.remote and each.key in libraries]
    current = {each.key for each in remote if each.id == libraries[each.key].subscribed_id}
    stale = {each.key: f"{each.name} ({libraries[each.key].file})" for each in remote if each.key not in current}
    return tuple(stale.values())
