"""The state of a file on the platform, its limits, and digests of its content. Everything goes by refs."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import Struct, structs

from tokensync.mapping import ResolvedType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from tokensync.tokens import OpaqueVariable


Ref = str
"""Unique in a file over collections and variables. A mode's is unique in its family only."""


class ObjectValue(Struct, frozen=True, omit_defaults=True, gc=False):
    """A value that is no scalar: a colour (``r``, ``g``, ``b``, ``a``, all set), an alias, or a composed colour.

    One struct for the three, since a union of structs without a common tag cannot be decoded. Numbers are the shortest
    decimals of their float32 values, so that equal values are equal here and short in a body. A composed colour's
    ``opacity`` is a percentage, 0 to 100.
    """

    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    alias: Ref | None = None
    color: ObjectValue | None = None
    opacity: float | ObjectValue | None = None

    def targets(self) -> Iterator[Ref]:
        """Yield the variables that it refers to."""
        if self.alias is not None:
            yield self.alias
        for part in (self.color, self.opacity):
            if isinstance(part, ObjectValue):
                yield from part.targets()

    def renamed(self, refs: Mapping[Ref, Ref]) -> ObjectValue:
        """Return the value with other refs for some of what it refers to; itself when none of that is among them."""
        if all(target not in refs for target in self.targets()):
            return self
        if self.alias is not None:
            return ObjectValue(alias=refs[self.alias])
        color, opacity = (
            part.renamed(refs) if isinstance(part, ObjectValue) else part for part in (self.color, self.opacity)
        )
        return structs.replace(self, color=color, opacity=opacity)


StateValue = bool | float | str | ObjectValue
"""What a variable holds in one mode."""


def targets_of(*values: StateValue | None) -> Iterator[Ref]:
    """Yield the variables that values refer to; one may come twice."""
    for value in values:
        if isinstance(value, ObjectValue):
            yield from value.targets()


class ModeState(Struct, frozen=True, omit_defaults=True):
    """A mode. ``parent`` is the mode of the parent collection that an extended collection's mode follows."""

    ref: Ref
    name: str
    parent: Ref | None = None


class CollectionState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A collection, or an extension of one. ``modes`` stand in the editor's order; ``default`` is one of them.

    ``parent`` is the collection that it extends, ``root`` the one that owns the variables (itself, when it extends
    nothing). A ``fixed`` one is of another file, so that it can be referred to and not changed.
    """

    ref: Ref
    name: str
    root: Ref
    modes: tuple[ModeState, ...]
    default: Ref
    parent: Ref | None = None
    hidden: bool = False
    fixed: bool = False


class VariableState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A variable with its values: mode to value, its own collection's modes and those of the extensions of it.

    In an extension's mode a value is an override; a mode without one follows its parent. ``code_syntax`` holds
    (platform, text) pairs, sorted; ``scopes`` are sorted, too.
    A ``fixed`` one is of another file: it can be referred to and not changed, but for overrides of an extension here.
    """

    ref: Ref
    collection: Ref
    name: str
    type: ResolvedType
    values: dict[Ref, StateValue]
    description: str = ""
    scopes: tuple[str, ...] = ()
    hidden: bool = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    fixed: bool = False


class FileState(NamedTuple):
    """All that a file holds: collections (a parent stands before its extensions) and variables, in their order.

    Treat all as read-only. What was deleted and is still referred to is not in it: an alias to it leads to a ref that
    ``variables`` lacks. ``opaque`` holds, by root collection, the variables of types that tokensync does not know. They
    are no ``variables``, so that nothing can plan to change them: they go with their collection, a mode or an override.
    """

    collections: Mapping[Ref, CollectionState]
    variables: Mapping[Ref, VariableState]
    opaque: Mapping[Ref, tuple[OpaqueVariable, ...]] = MappingProxyType({})

    def family(self, root: Ref) -> Iterator[CollectionState]:
        """Return a root collection and every extension of it."""
        return (each for each in self.collections.values() if each.root == root)

    def extensions_of(self, collection: Ref) -> tuple[Ref, ...]:
        """Return the extensions of a collection, at every depth."""
        found: dict[Ref, None] = {}
        for each in self.family(self.collections[collection].root):  # a parent stands before its extensions
            if each.parent == collection or each.parent in found:
                found[each.ref] = None
        return tuple(found)

    def opaque_of(self, collection: Ref) -> tuple[OpaqueVariable, ...]:
        """Return the opaque variables of a root collection."""
        return self.opaque.get(collection, ())


def root_modes(state: FileState, collection: CollectionState) -> dict[Ref, Ref]:
    """Return the root's mode of each of a collection's modes; one whose line of parents breaks off is left out."""
    if collection.parent is None:
        return {mode.ref: mode.ref for mode in collection.modes}
    chain = [collection]
    while (parent := chain[-1].parent) is not None and (above := state.collections.get(parent)) is not None:
        if any(above.ref == each.ref for each in chain):
            break
        chain.append(above)
    found = {mode.ref: mode.ref for mode in chain[-1].modes}
    for each in reversed(chain[:-1]):
        found = {mode.ref: found[mode.parent] for mode in each.modes if mode.parent in found}
    return found


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
        """Yield the values of opaque variables in some modes; nothing at all where there are none."""
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
    """Return a plan's file has 4.0 where the platform's answer has 4: the digest is the same for both."""
    text = _WHOLE.sub(b"", msgspec.json.encode(content, order="sorted"))
    return hashlib.sha256(text).hexdigest()[:16]


MODES_PER_COLLECTION: Final = 40
MODE_NAME_CHARACTERS: Final = 40
VARIABLES_PER_COLLECTION: Final = 5000
BODY_BYTES: Final = 4 * 1024 * 1024
"""The largest body of POST variables: what "4 MB" means at most, so that a body over it is certainly refused."""
