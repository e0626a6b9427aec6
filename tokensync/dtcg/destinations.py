"""Destinations: the tokens and groups that those of previous token files have become in a new graph."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.families import mode_folder, token_folder
from tokensync.dtcg.groups import steps_of
from tokensync.dtcg.spelling import ROOT, TOKENS_SUFFIX, Spelling, is_reference, path_of_pointer, pointer_of
from tokensync.tokens import Composite, Token, TokenGraph, TokenKey, Translator, Value
from tokensync.tokens.composites import canonical, decoded
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.dtcg.document import Location


class Destinations:
    """The destinations of the tokens and groups of one design file.

    ``previous`` is the graph of the previous files, and ``keys`` maps the keys of the new graph to those in it.
    ``joined`` maps other keys of the previous graph to those of the new one.
    """

    def __init__(
        self,
        file: str,
        previous: TokenGraph,
        graph: TokenGraph,
        keys: Mapping[TokenKey, TokenKey],
        joined: Mapping[TokenKey, TokenKey],
    ) -> None:
        self.file = file
        self.previous = previous
        self.graph = graph
        self.old_keys = {new: old for new, old in keys.items() if new in graph.tokens}
        self.new_keys = {**joined, **{old: new for new, old in self.old_keys.items()}}
        self._translator = Translator(self.new_keys)
        self.columns = {
            (mode.collection, mode.slug): (family, column)
            for family in graph.collections.values()
            if family.file == file
            for column, mode in enumerate(family.modes)
        }

    def token(self, handle: str, path: str) -> Token | None:
        """Return the token that the one at a path of a collection has become; None if it was deleted."""
        key = self.new_keys.get(TokenKey(self.file, handle, path))
        return None if key is None else self.graph.tokens[key]

    def group(self, handle: str, path: str) -> str | None:
        """Return the path of the group that most tokens of a group are in now; None if all were deleted."""
        if (self.file, handle) not in self.graph.collections:
            return None
        if not path:
            return ""
        members = self._members.get((handle, path), [])
        if not members:  # it never had tokens, and stays in the group around it
            around, _, name = path.rpartition(".")
            above = self.group(handle, around)
            return f"{above}.{name}" if above else None if above is None else name
        depth = path.count(".") + 1
        found: Counter[str] = Counter()
        for old, new in members:
            rest = old.count(".") + 1 - depth
            if new is not None and (rest or not self.is_plain(handle, new)):
                steps = new.split(".")
                found[".".join(steps[: len(steps) - rest])] += 1
        if not found:
            return None
        return path if path in found else found.most_common(1)[0][0] or path

    def is_plain(self, handle: str, path: str) -> bool:
        """Return whether there is a token at a path of a collection that is not a group's ``$root``."""
        key = TokenKey(self.file, handle, path)
        return key in self.graph.tokens and not self.spelling.is_root(key)

    @cached_property
    def spelling(self) -> Spelling:
        """Return the addresses of the tokens."""
        return Spelling(key for key in self.graph.tokens if key.file == self.file)

    @cached_property
    def _members(self) -> dict[tuple[str, str], list[tuple[str, str | None]]]:
        """Return the previous and the new paths of the tokens in each group of the previous files."""
        members: dict[tuple[str, str], list[tuple[str, str | None]]] = {}
        for old in self.previous.tokens:
            new = self.new_keys.get(old)
            path = new.path if new is not None and new.collection == old.collection else None
            for group in (*groups_around(old.path), old.path):
                members.setdefault((old.collection, group), []).append((old.path, path))
        return members

    def file_of(self, location: Location, token: Token | None = None) -> str | None:
        """Return the path of the file that holds a mode of the previous files, or a token's value in it."""
        if (location.handle, location.slug) not in self.columns:
            return None
        family, column = self.columns[location.handle, location.slug]
        folder = token_folder(token, family, column) if token is not None else mode_folder(family, column)
        return f"{self.file}/{folder}/{location.slug}{TOKENS_SUFFIX}"

    def pointer(self, pointer: str) -> str | None:
        """Return a JSON pointer to a token, or into its value, for the token's new path; None if it was deleted."""
        steps = path_of_pointer(pointer)
        if not steps:
            return pointer
        end = steps.index("$value") if "$value" in steps else len(steps)
        old = TokenKey(self.file, steps[0], ".".join(step for step in steps[1:end] if step != ROOT))
        if old not in self.previous.tokens:
            return pointer
        new = self.new_keys.get(old)
        if new is None:
            return None
        address = self.address(new)
        return pointer if address == steps[:end] else pointer_of((*address, *steps[end:]))

    def braces(self, reference: str) -> str | None:
        """Return a reference in braces to a token for the token's new path; None if it was deleted."""
        pointer = pointer_of(reference[1:-1].split("."))
        new = self.pointer(pointer)
        return reference if new == pointer else None if new is None else f"{{{'.'.join(path_of_pointer(new) or ())}}}"

    def address(self, key: TokenKey) -> tuple[str, ...]:
        """Return the steps to a token in a file."""
        root = (ROOT,) if self.spelling.is_root(key) else ()
        return (key.collection, *key.path.split("."), *root)

    def reference(self, reference: Any) -> Any:
        """Return a reference to a group, in either syntax, for the group's new path; None if it was deleted."""
        steps = steps_of(reference)
        if steps is None or (self.file, steps[0]) not in self.previous.collections:
            return reference
        group = self.group(steps[0], ".".join(steps[1:]))
        if group is None:
            return None
        new = (steps[0], *(group.split(".") if group else ()))
        if new == steps:
            return reference
        return f"{{{'.'.join(new)}}}" if reference[:1] == "{" else pointer_of(new)

    def is_unchanged(self, old: Token, new: Token, column: int, mode: tuple[str, str]) -> bool:
        """Return whether a token has the same value in a mode as before."""
        modes = [(mode.collection, mode.slug) for mode in self.previous.collections[old.key[:2]].modes]
        if mode not in modes:
            return False
        before, after = old.values[modes.index(mode)], new.values[column]
        if isinstance(before, Composite) and isinstance(after, Composite):
            return self._with_keys(before, self.new_keys) == self._with_keys(after, {})
        return self.with_new_keys(before) == after

    def with_new_keys(self, value: Value | None) -> Value | None:
        """Return a value that refers to the new tokens; in a composite, also in the notation of its references."""
        value = self._translator.value(value)
        if not isinstance(value, Composite) or not value.references:
            return value
        spelled = {reference: self._respelled(reference) for reference, _ in value.references}
        targets = tuple((spelled[reference], key) for reference, key in value.references)
        return Composite(canonical(_with_references(decoded(value.json), spelled)), targets)

    def _respelled(self, reference: str) -> str:
        new = self.braces(reference) if is_reference(reference) else self.pointer(reference)
        return new or reference

    @staticmethod
    def _with_keys(value: Composite, new_keys: Mapping[TokenKey, TokenKey]) -> str:
        """Return the JSON of a composite with the keys of the tokens that it refers to."""
        text = value.json
        for spelled, target in value.references:
            text = text.replace(canonical(spelled), canonical(str(new_keys.get(target, target))))
        return text


def _with_references(value: Any, spelled: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_references(member, spelled) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_references(element, spelled) for element in value]
    return spelled.get(value, value) if isinstance(value, str) else value
