"""Digests of what a plan is going to delete: they tell whether it is still what the plan was made from."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState

_WHOLE = re.compile(rb"(?<=[0-9])\.0(?=[],}])")


class Digests:
    """Digests of the things of one state, whose content is looked up and not searched for each of them."""

    def __init__(self, state: FileState) -> None:
        self._state = state

    def of_variable(self, ref: Ref) -> str:
        """Of everything that is said of a variable, its values too."""
        return _digest(self._state.variables[ref])

    def of_mode(self, collection: Ref, mode: Ref) -> str:
        """Of a mode and of every value in it."""
        name = next(each.name for each in self._state.collections[collection].modes if each.ref == mode)
        values = ((each.ref, each.values.get(mode)) for each in self._variables.get(collection, ()))
        return _digest((name, sorted(values, key=lambda pair: pair[0]), *self._opaque_in(collection, {mode})))

    def of_collection(self, ref: Ref) -> str:
        """Of a collection, of its extensions, and of what they all hold. An extension's is of its own overrides."""
        collection = self._state.collections[ref]
        family = self._families[collection.root]
        own = [each for each in family if each.ref == ref or ref in self._ancestors(each)]
        modes = {mode.ref for each in own for mode in each.modes}
        held: list[VariableState | tuple[Ref, dict[Ref, StateValue]]] = []
        for variable in self._variables.get(collection.root, ()):
            values = {mode: value for mode, value in variable.values.items() if mode in modes}
            if collection.parent is None:
                held.append(variable)
            elif values:
                held.append((variable.ref, values))
        if collection.parent is not None:
            return _digest((own, held, *self._opaque_in(collection.root, modes)))
        opaque = sorted(self._state.opaque_of(ref), key=lambda each: each.id)
        return _digest((own, held, *((opaque,) if opaque else ())))

    def _opaque_in(self, collection: Ref, modes: AbstractSet[Ref]) -> Iterator[object]:
        """The values of opaque variables in some modes; nothing at all where there are none."""
        found = [
            (each.id, mode, value)
            for each in self._state.opaque_of(collection)
            for mode, value in each.values
            if mode in modes
        ]
        if found:
            yield sorted(found)

    @cached_property
    def _variables(self) -> dict[Ref, list[VariableState]]:
        found: dict[Ref, list[VariableState]] = {}
        for each in self._state.variables.values():
            found.setdefault(each.collection, []).append(each)
        return found

    @cached_property
    def _families(self) -> dict[Ref, list[CollectionState]]:
        found: dict[Ref, list[CollectionState]] = {}
        for each in self._state.collections.values():
            found.setdefault(each.root, []).append(each)
        return found

    def _ancestors(self, collection: CollectionState) -> set[Ref]:
        found: set[Ref] = set()
        above = collection.parent
        while above is not None and above not in found and above in self._state.collections:
            found.add(above)
            above = self._state.collections[above].parent
        return found


def _digest(content: object) -> str:
    """A plan's file has 4.0 where the platform's answer has 4: the digest is the same for both."""
    text = _WHOLE.sub(b"", msgspec.json.encode(content, order="sorted"))
    return hashlib.sha256(text).hexdigest()[:16]
