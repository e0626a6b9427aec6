"""The state of a file on the platform: its limits, digests of its content, and how it changes. All goes by refs."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct, structs

from tokensync.mapping import ResolvedType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
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

    def has_scopes(self, scopes: Iterable[str]) -> bool:
        """Return whether these are the variable's scopes, as far as the platform can tell.

        For a number it stores FONT_STYLE when it is sent FONT_WEIGHT. Telling the two apart would plan the same change
        again after every apply.
        """

        def read_back(scopes: Iterable[str]) -> set[str]:
            is_weight = self.type == "FLOAT"
            return {"FONT_STYLE" if is_weight and each == "FONT_WEIGHT" else each for each in scopes}

        return read_back(self.scopes) == read_back(scopes)


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


_FIRST_VALUES: Final[dict[str, StateValue]] = {
    "BOOLEAN": False,
    "FLOAT": 0,
    "STRING": "",
    "COLOR": ObjectValue(1, 1, 1, 1),
}
"""What a new variable holds in every mode until it is given values."""


class Editing:
    """Changes a state as the platform does. What changes is copied, the rest is shared."""

    def __init__(self, state: FileState) -> None:
        self._collections = dict(state.collections)
        self._variables = dict(state.variables)
        self._opaque = dict(state.opaque)
        self._values: dict[Ref, dict[Ref, StateValue]] = {}
        self._of_root: dict[Ref, dict[Ref, None]] | None = None

    def finished(self) -> FileState:
        """Return the state that came of it."""
        for ref, values in self._values.items():
            self._variables[ref] = structs.replace(self._variables[ref], values=values)
        return FileState(self._collections, self._variables, self._opaque)

    def _held(self, ref: Ref) -> dict[Ref, StateValue]:
        """Return a variable's values, to be changed."""
        values = self._values.get(ref)
        if values is None:
            values = self._values[ref] = dict(self._variables[ref].values)
        return values

    def make_collection(self, ref: Ref, name: str, mode: Ref, *, hidden: bool) -> None:
        """Make a root collection with one mode."""
        modes = (ModeState(mode, "Mode 1"),)
        self._collections[ref] = CollectionState(ref=ref, name=name, root=ref, modes=modes, default=mode, hidden=hidden)

    def change_collection(self, ref: Ref, *, name: str | None, hidden: bool | None) -> None:
        """Give a collection another name or visibility; None stays as it is."""
        was = self._collections[ref]
        self._collections[ref] = structs.replace(
            was, name=was.name if name is None else name, hidden=was.hidden if hidden is None else hidden
        )

    def name_mode(self, collection: Ref, ref: Ref, name: str) -> None:
        """Name a mode of a root collection and the modes that extend it."""
        for each in self._family(collection):
            following = self._following(each, ref)
            modes = tuple(structs.replace(mode, name=name) if mode.ref in following else mode for mode in each.modes)
            self._collections[each.ref] = structs.replace(each, modes=modes)

    def make_variable(self, variable: VariableState) -> None:
        """Make a variable, with the values of the editor in every mode of its collection."""
        self._variables[variable.ref] = variable
        modes = (mode.ref for mode in self._collections[variable.collection].modes)
        self._values[variable.ref] = dict.fromkeys(modes, _FIRST_VALUES[variable.type])
        if self._of_root is not None:
            self._of_root.setdefault(variable.collection, {})[variable.ref] = None

    def change_variable(self, ref: Ref, members: Mapping[str, Any]) -> None:
        """Give a variable other members than values."""
        self._variables[ref] = structs.replace(self._variables[ref], **members)

    def give_value(self, variable: Ref, mode: Ref, value: StateValue | None) -> None:
        """Give a variable a value in a mode; None takes an override away."""
        values = self._held(variable)
        if value is None:
            values.pop(mode, None)
        else:
            values[mode] = value

    def drop_variable(self, ref: Ref) -> None:
        """Delete a variable."""
        self._values.pop(ref, None)
        variable = self._variables.pop(ref)
        if self._of_root is not None:
            del self._of_root[variable.collection][ref]

    def _owned(self, root: Ref) -> tuple[Ref, ...]:
        """Return the variables of a root collection."""
        if self._of_root is None:
            self._of_root = {}
            for variable in self._variables.values():
                self._of_root.setdefault(variable.collection, {})[variable.ref] = None
        return tuple(self._of_root.get(root, ()))

    def _family(self, root: Ref) -> tuple[CollectionState, ...]:
        return tuple(each for each in self._collections.values() if each.root == root)

    def _following(self, collection: CollectionState, mode: Ref) -> set[Ref]:
        """Return a collection's modes that stand for a mode of its root."""
        origins = root_modes(FileState(self._collections, {}), collection)
        return {own for own, origin in origins.items() if origin == mode}

    def extend(self, ref: Ref, name: str, parent_ref: Ref, named: Mapping[Ref, Ref], *, hidden: bool) -> None:
        """Make an extension; ``named`` has the ref of its mode for some of the parent's modes."""
        parent = self._collections[parent_ref]
        origins = root_modes(FileState(self._collections, {}), parent)
        modes = tuple(
            ModeState(named.get(mode.ref) or f"{ref}/{origins[mode.ref]}", mode.name, mode.ref) for mode in parent.modes
        )
        self._collections[ref] = CollectionState(
            ref=ref,
            name=name,
            root=parent.root,
            modes=modes,
            default=next(mode.ref for mode in modes if mode.parent == parent.default),
            parent=parent.ref,
            hidden=hidden,
        )

    def make_mode(self, collection: Ref, ref: Ref, name: str, extended: Mapping[Ref, Ref]) -> None:
        """Make a mode of a root collection, with the default mode's values; ``extended`` has that of each extension."""
        root = self._collections[collection]
        made = {root.ref: ref, **extended}
        for each in self._family(collection):
            parent = None if each.parent is None else made[each.parent]
            mode = ModeState(made[each.ref], name, parent)
            self._collections[each.ref] = structs.replace(each, modes=(*each.modes, mode))
        for variable in self._owned(collection):
            values = self._held(variable)
            filled = values.get(root.default)
            values[ref] = _FIRST_VALUES[self._variables[variable].type] if filled is None else filled

    def drop_collection(self, ref: Ref) -> None:
        """Delete a collection with all that it holds and its extensions."""
        collection = self._collections[ref]
        if collection.parent is None:
            for variable in self._owned(collection.ref):
                self.drop_variable(variable)
        gone = (collection.ref, *FileState(self._collections, {}).extensions_of(collection.ref))
        modes = {mode.ref for each in gone for mode in self._collections[each].modes}
        for each in gone:
            del self._collections[each]
        if collection.parent is None:
            self._opaque.pop(collection.ref, None)
        else:
            self._forget(collection.root, modes)

    def drop_mode(self, collection: Ref, mode: Ref) -> None:
        """Delete a mode and those that extend it."""
        gone: set[Ref] = set()
        dropped = [(each, self._following(each, mode)) for each in self._family(collection)]
        for each, own in dropped:
            gone |= own
            kept = tuple(one for one in each.modes if one.ref not in own)
            default = kept[0].ref if each.default in own and kept else each.default
            self._collections[each.ref] = structs.replace(each, modes=kept, default=default)
        self._forget(collection, gone)

    def _forget(self, root: Ref, modes: set[Ref]) -> None:
        """Take the values of a root collection's variables in some modes away."""
        for ref in self._owned(root):
            held = self._values.get(ref) or self._variables[ref].values
            for mode in modes.intersection(held):
                del self._held(ref)[mode]
        if root in self._opaque:
            self._opaque[root] = tuple(each.without(modes) for each in self._opaque[root])
