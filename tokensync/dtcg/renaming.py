"""Renaming: new contents of token files in which a mode has another name.

Only the characters of names and references change, so that layout, order, ids and unknown members stay. A renaming
that was interrupted can be repeated: what already has the new name stays unchanged.
"""

from __future__ import annotations

import json
from posixpath import normpath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from tokensync.dtcg.document import location_of
from tokensync.dtcg.layout import string_text
from tokensync.dtcg.spelling import MODE_NAME, OURS, RESOLVER_SUFFIX, TOKENS_SUFFIX, relative_url
from tokensync.positions import Extent, Member, extent_of, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.tokens import Collection


class RenamedFiles(NamedTuple):
    """New contents of files by path, in the order in which they must be written, and files to remove after that."""

    contents: dict[str, bytes]
    removed: tuple[str, ...] = ()


class JsonText:
    """The text of a JSON file, and replacements of parts of it."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.root = extent_of(text)
        self._new: list[tuple[int, int, bytes]] = []

    def member(self, *names: str) -> Member | None:
        """Return a member of the root object or of objects within it; None if it does not exist."""
        node, found = self.root, None
        for name in names:
            found = (node.members or {}).get(name)
            if found is None:
                return None
            node = found.value
        return found

    def value(self, extent: Extent) -> Any:
        """Return the value at an extent."""
        return json.loads(self.text[extent.start : extent.end])

    def replace(self, start: int, end: int, new: bytes) -> None:
        """Replace the text between two offsets."""
        self._new.append((start, end, new))

    def rename(self, member: Member, name: str) -> None:
        """Replace the name of a member."""
        self.replace(member.start, member.end, string_text(name).encode())

    def set_text(self, extent: Extent, text: str) -> None:
        """Replace a value by a string."""
        self.replace(extent.start, extent.end, string_text(text).encode())

    def result(self) -> bytes:
        """Return the text with all replacements."""
        return replaced(self.text, self._new)


class NewMode(NamedTuple):
    """The new name, file name and context of a mode, and the former ones."""

    handle: str
    slug: str
    context: str
    name: str
    former_slug: str
    former_context: str
    former_name: str


def renamed_modes(family: Collection, column: int, name: str, slug: str) -> tuple[NewMode, ...]:
    """Return the new names of a mode of a root collection, and of the modes that extend it under the same name."""
    columns = [column]
    for index, mode in enumerate(family.modes):
        if mode.parent in columns and mode.slug == family.modes[column].slug:
            columns.append(index)
    modes = []
    for mode in (family.modes[index] for index in columns):
        context = slug if mode.collection == family.handle else f"{mode.collection}.{slug}"
        new_name = name if mode.name == family.modes[column].name else mode.name
        modes.append(NewMode(mode.collection, slug, context, new_name, mode.slug, mode.context, mode.name))
    return tuple(modes)


def with_renamed_modes(
    files: Mapping[str, bytes], file: str, family: Collection, modes: tuple[NewMode, ...]
) -> RenamedFiles:
    """Return the changed files of a design file after its modes were renamed.

    Files of the modes get new paths. They are removed last, and that of the root's mode at the very end, so that an
    interrupted renaming still finds the mode. ``files`` maps the paths of all token files to their contents.
    """
    moved: dict[str, str] = {}
    by_file = {(each.handle, each.former_slug): each for each in modes}
    for path in files:
        location = location_of(path, file)
        mode = by_file.get((location.handle, location.slug)) if location is not None else None
        if mode is not None and mode.slug != mode.former_slug:
            moved[path] = f"{path[: -len(f'{mode.former_slug}{TOKENS_SUFFIX}')]}{mode.slug}{TOKENS_SUFFIX}"
    handles = {each.collection for each in family.modes}
    contents: dict[str, bytes] = {}
    for path, text in files.items():
        location = location_of(path, file)
        if path == f"{file}{RESOLVER_SUFFIX}":
            new = _resolver(JsonText(text), family.handle, modes, moved)
        elif location is not None and location.handle in handles:
            new = _mode_file(JsonText(text), by_file.get((location.handle, location.slug)), modes)
        else:
            continue
        if new != text or path in moved:
            contents[moved.get(path, path)] = new
    # An interrupted renaming has already written some of the files.
    in_order = sorted(contents, key=lambda path: path in moved.values())
    removed = sorted(moved, key=lambda path: path.rpartition("/")[0] == f"{file}/{family.handle}")
    return RenamedFiles({path: contents[path] for path in in_order}, tuple(removed))


def _mode_file(json_text: JsonText, mode: NewMode | None, modes: tuple[NewMode, ...]) -> bytes:
    contexts = {each.former_context: each.context for each in modes}
    if mode is not None:
        _replace_text(json_text, {mode.former_name: mode.name}, "$extensions", MODE_NAME)
        _replace_text(json_text, contexts, "$extensions", OURS, "mode", "context")
    _replace_text(json_text, contexts, "$extensions", OURS, "mode", "parent")
    _replace_text(json_text, contexts, "$extensions", OURS, "collection", "default")
    extensions = json_text.member("$extensions", OURS, "extensions")
    for name in (extensions.value.members or {}) if extensions is not None else ():
        _replace_text(json_text, contexts, "$extensions", OURS, "extensions", name, "default")
    return json_text.result()


def _replace_text(json_text: JsonText, new: Mapping[str, str], *names: str) -> None:
    """Replace the string at a path if it is one of these and differs from its replacement."""
    member = json_text.member(*names)
    if member is None or member.value.members is not None or member.value.elements is not None:
        return
    value = json_text.value(member.value)
    if isinstance(value, str) and new.get(value, value) != value:
        json_text.set_text(member.value, new[value])


def _resolver(json_text: JsonText, handle: str, modes: tuple[NewMode, ...], moved: Mapping[str, str]) -> bytes:
    contexts = {each.former_context: each.context for each in modes}
    own = json_text.member("modifiers", handle, "contexts")
    members = (own.value.members or {}) if own is not None else {}
    for name, member in members.items():
        if contexts.get(name, name) != name and contexts[name] not in members:
            json_text.rename(member, contexts[name])
    _replace_text(json_text, contexts, "modifiers", handle, "default")
    for extent in _references(json_text.root):
        reference = json_text.value(extent)
        if isinstance(reference, str):
            path = normpath(unquote(reference.partition("#")[0]))
            if path in moved:
                json_text.set_text(extent, relative_url(moved[path]))
    return json_text.result()


def _references(extent: Extent) -> Iterator[Extent]:
    """Yield the value of each ``$ref``."""
    pending = [extent]
    while pending:
        each = pending.pop()
        for name, member in (each.members or {}).items():
            if name == "$ref":
                yield member.value
            pending.append(member.value)
        pending += each.elements or ()
