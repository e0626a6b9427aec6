"""Figma's own export of variables: which of its files are the modes of one collection, and what their aliases mean.

The export is a DTCG file for each mode. A file may have the name of its mode, and no file has that of its collection:
it comes from the names of files (``theme.Light.tokens.json``), from aliases to the collection, or from its folder. An
alias into another collection is a resolved value with the names of the target and of its collection. The ids beside
them have the target's key (``VariableID:<key>/-1:-1``), which no exported variable has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import Any, NamedTuple, TypeGuard

from tokensync.dtcg.spelling import ALIAS_DATA, COMPOSED, MODE_NAME, OURS, VARIABLE_ID

_ENDING = re.compile(r"(?:\.tokens(?: ?\(?\d+\)?)?)?\.json5?$", re.IGNORECASE)
"""The end of a file's name, with the number that a browser adds to a name that exists."""
_SEPARATOR = re.compile(r"[. _-]+")
_OVERLAP = 0.5
"""The share of variables that two modes of a collection have in common, at least."""
_FIRST_MODES = ("default", "light", "mode 1", "base")


class Target(NamedTuple):
    """Alias data: the names and the id of a variable. ``collection`` is empty for one of the same collection."""

    path: str
    name: str
    id: str
    collection: str
    collection_id: str


class ModeFile(NamedTuple):
    """A file of the export. ``path`` is that below its folder, with ``/``.

    ``name`` is the mode's name in the content, or empty. ``values`` has values by token path, ``ids`` the paths by
    variable id, and ``targets`` those of aliases, each with its resolved value, or None.
    """

    path: str
    name: str
    values: Mapping[str, Any]
    ids: Mapping[str, str]
    targets: Sequence[tuple[Target, Any]]

    @property
    def stem(self) -> str:
        """Return the file's name without its endings."""
        return _ENDING.sub("", self.path.rpartition("/")[2])

    @property
    def of_collection(self) -> str:
        """Return the part of the file's name before that of the mode: ``theme`` of ``theme.Light``, or nothing."""
        stem = self.stem
        if not self.name:
            return stem.rpartition(".")[0]
        mode = _SEPARATOR.sub("", self.name).casefold()
        gaps = (gap for gap in _SEPARATOR.finditer(stem) if gap.start())
        is_mode = (stem[: gap.start()] for gap in gaps if _SEPARATOR.sub("", stem[gap.end() :]).casefold() == mode)
        return next(is_mode, "")

    @property
    def mode(self) -> str:
        """Return the mode's name."""
        return self.name or self.stem.rpartition(".")[2]


class ExportedCollection:
    """A collection and its modes. ``is_guessed`` if nothing in the export has its name."""

    def __init__(self, files: list[ModeFile]) -> None:
        self.files = files
        self.name = ""
        self.is_guessed = False
        self.paths = {path for file in files for path in file.values}
        self.default = next((file for file in files if file.mode.casefold() in _FIRST_MODES), files[0])
        """The mode that is probably the default one, which the export does not say."""

    @property
    def folders(self) -> set[str]:
        """Return the folders of its files."""
        return {dirname(file.path) for file in self.files}

    @property
    def names_on_disk(self) -> Iterator[str]:
        """Yield the names that files and folders give it."""
        for file in self.files:
            yield from (file.of_collection, file.stem, dirname(file.path).rpartition("/")[2])


class Exported:
    """The collections of an export, with distinct names, in the order of their first files."""

    def __init__(self, files: Iterable[ModeFile]) -> None:
        self.collections = [ExportedCollection(group) for group in _grouped(files)]
        self._by_id = {identity: (collection, path) for collection in self.collections for file in collection.files
                       for identity, path in file.ids.items()}  # fmt: skip
        self._by_name = self._matched_names()
        self._set_names()
        self._set_defaults()

    def target(self, collection: ExportedCollection, target: Target) -> ExportedCollection | None:
        """Return the collection that has a target of an alias in ``collection``; None if it is not exported."""
        found = self._by_name.get(target.collection) if target.collection else collection
        known = self._by_id.get(target.id)
        if found is None and known is not None and known[1] == target.path:
            found = known[0]
        return found

    def _matched_names(self) -> dict[str, ExportedCollection]:
        """Return the collection that each name in alias data stands for: the one that has most of its targets."""
        users: dict[str, list[ExportedCollection]] = {}
        targets: dict[str, list[tuple[Target, Any]]] = {}
        for collection in self.collections:
            for target, value in (pair for file in collection.files for pair in file.targets if pair[0].collection):
                users.setdefault(target.collection, []).append(collection)
                targets.setdefault(target.collection, []).append((target, value))
        matched: dict[str, ExportedCollection] = {}
        for name, of_name in targets.items():
            others = [collection for collection in self.collections if collection not in users[name]]
            known = {self._by_id[target.id][0] for target, _ in of_name
                     if target.id in self._by_id and self._by_id[target.id][1] == target.path}  # fmt: skip
            best = next(iter(known)) if len(known) == 1 else _best(others, name, of_name)
            if best is None and all(target.path in users[name][0].paths for target, _ in of_name):
                best = users[name][0]  # a reference cannot name each token of its own collection
            if best is not None:
                matched[name] = best
        return matched

    def _set_names(self) -> None:
        for name, collection in self._by_name.items():
            collection.name = collection.name or name
        in_folders = Counter(folder for collection in self.collections for folder in collection.folders)
        taken = {collection.name for collection in self.collections}
        for collection in self.collections:
            if collection.name:
                continue
            first, own = collection.files[0], collection.folders
            prefix = first.of_collection if len({file.of_collection for file in collection.files}) == 1 else ""
            folder = next(iter(own)).rpartition("/")[2] if len(own) == 1 and in_folders[next(iter(own))] == 1 else ""
            stem = first.stem if len(collection.files) == 1 and first.stem.casefold() != first.mode.casefold() else ""
            collection.is_guessed = not prefix
            name = prefix or folder or stem or "Collection"
            number = 1
            while (unique := name if number == 1 else f"{name} {number}") in taken:
                number += 1
            taken.add(unique)
            collection.name = unique

    def _set_defaults(self) -> None:
        """Take as default the mode whose values the aliases into a collection have, where they differ by mode."""
        votes: dict[str, Counter[str]] = {}
        for collection in self.collections:
            for target, value in (pair for file in collection.files for pair in file.targets if pair[0].collection):
                home = self.target(collection, target)
                agreeing = [file.path for file in home.files if file.values.get(target.path) == value] if home else []
                if home is not None and 0 < len(agreeing) < len(home.files):
                    votes.setdefault(home.name, Counter()).update(agreeing)
        for collection in self.collections:
            voted = votes.get(collection.name)
            if voted and voted[collection.default.path] < max(voted.values()):
                collection.default = max(collection.files, key=lambda file: voted[file.path])


def is_export(content: Any, text: str | bytes = "") -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is a file of the export: it has the name of a mode, or ids of variables.

    ``text`` is its JSON, if it is known: searching it is much faster than searching the tree.
    """
    extensions = content.get("$extensions") if isinstance(content, dict) else None
    if not isinstance(content, dict) or (isinstance(extensions, dict) and OURS in extensions):
        return False
    if isinstance(extensions, dict) and MODE_NAME in extensions:
        return True
    mark, escape = (VARIABLE_ID.encode(), b"\\") if isinstance(text, bytes) else (VARIABLE_ID, "\\")
    if text and mark not in text and escape not in text:  # type: ignore[operator]
        return False
    pending: list[Any] = [content]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            own = node.get("$extensions")
            if "$value" in node and isinstance(own, dict) and VARIABLE_ID in own:
                return True
            pending += node.values()
    return False


def mode_name(content: Mapping[str, Any]) -> str:
    """Return the name of the mode in a file's content; empty if it has none."""
    extensions = content.get("$extensions")
    return _text(extensions.get(MODE_NAME)) if isinstance(extensions, dict) else ""


def target_of(data: Mapping[str, Any]) -> Target:
    """Return alias data, whose ids Figma's help and its export spell differently."""
    name = _text(data.get("targetVariableName"))
    return Target(
        name.replace("/", "."),
        name,
        _text(data.get("targetVariableId", data.get("targetVariableID"))),
        _text(data.get("targetVariableSetName")),
        _text(data.get("targetVariableSetId", data.get("targetVariableSetID"))),
    )


def targets_in(extensions: Mapping[str, Any], value: Any) -> Iterator[tuple[Target, Any]]:
    """Yield the targets of a token, each with its value: that of the token, unless it is one of two parts."""
    data, composed = extensions.get(ALIAS_DATA), extensions.get(COMPOSED)
    if isinstance(data, dict):
        yield target_of(data), value
    for part in composed.values() if isinstance(composed, dict) else ():
        if isinstance(part, dict) and isinstance(part.get("alias"), dict):
            yield target_of(part["alias"]), None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _grouped(files: Iterable[ModeFile]) -> list[list[ModeFile]]:
    groups: list[list[ModeFile]] = []
    for file in files:
        joined = [group for group in groups if any(_are_of_one_collection(file, other) for other in group)]
        if not joined:
            groups.append([file])
            continue
        joined[0] += [*(other for group in joined[1:] for other in group), file]
        groups = [group for group in groups if not any(group is other for other in joined[1:])]
    return groups


def _are_of_one_collection(one: ModeFile, other: ModeFile) -> bool:
    """Return whether two files have mostly the same variables, by their ids, or else by their paths."""
    has_ids = bool(one.ids and other.ids)
    mine, theirs = (one.ids.keys(), other.ids.keys()) if has_ids else (one.values.keys(), other.values.keys())
    smaller = min(len(mine), len(theirs))
    is_same = bool(smaller) and len(mine & theirs) >= _OVERLAP * smaller
    return is_same and (has_ids or (one.mode != other.mode and one.of_collection == other.of_collection))


def _best(
    collections: Sequence[ExportedCollection], name: str, targets: Sequence[tuple[Target, Any]]
) -> ExportedCollection | None:
    """Return the only collection with most of the targets; names of files, then values, decide between equals."""
    paths = {target.path for target, _ in targets}
    most = max((len(paths & collection.paths) for collection in collections), default=0)
    best = [collection for collection in collections if most and len(paths & collection.paths) == most]
    if len(best) > 1:
        named = [found for found in best if name.casefold() in map(str.casefold, found.names_on_disk)]
        best = named or [found for found in best if _agrees(found, targets)]
    return best[0] if len(best) == 1 else None


def _agrees(collection: ExportedCollection, targets: Iterable[tuple[Target, Any]]) -> bool:
    """Return whether the collection has, in some mode, each of the resolved values."""
    return all(
        value is None or any(file.values.get(target.path) == value for file in collection.files)
        for target, value in targets
    )
