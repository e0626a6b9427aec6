"""The state of a file on the platform, keyed by refs: its objects, digests, limits and edits; and that of a graph."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct, structs

from tokensync.normalize.mapping import ALL_SCOPES, MOTION_TYPES, VARIABLE_TYPES, ResolvedType, name_of_path, unique
from tokensync.normalize.motion import easing_of, seconds_of
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity, TokenKey, float32
from tokensync.tokens.collection import FamilyKey, OpaqueVariable
from tokensync.tokens.values import DURATIONS, json_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from tokensync.extract.wire import WireStyle
    from tokensync.tokens import Collection, Token, TokenGraph, Value


Ref = str
"""An id or temporary id, unique in a file among collections and variables; a mode's is unique in its family only."""


ALIAS: Final = "VARIABLE_ALIAS"


class ObjectValue(Struct, frozen=True, omit_defaults=True, gc=False, forbid_unknown_fields=True):
    """A colour (``r``, ``g``, ``b``, ``a``, all set), an alias, a composed colour, or the value of a motion variable.

    One struct for all, since a union of structs without a common tag cannot be decoded. Numbers are the shortest
    decimals of their float32 values, so that equal values compare equal and are short in a body. A composed colour's
    ``opacity`` is a percentage, 0 to 100. ``easing`` is a ``MotionEasing`` as JSON.
    """

    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    alias: Ref | None = None
    color: ObjectValue | None = None
    opacity: float | ObjectValue | None = None
    seconds: float | None = None
    easing: str | None = None

    def targets(self) -> Iterator[Ref]:
        """Yield the refs of its alias targets."""
        if self.alias is not None:
            yield self.alias
        for part in (self.color, self.opacity):
            if isinstance(part, ObjectValue):
                yield from part.targets()

    def renamed(self, refs: Mapping[Ref, Ref]) -> ObjectValue:
        """Return the value with its alias targets replaced by ``refs``; itself if nothing changes."""
        if self.color is None and self.opacity is None:
            new = None if self.alias is None else refs.get(self.alias)
            return self if new is None else ObjectValue(alias=new)
        if all(target not in refs for target in self.targets()):
            return self
        color, opacity = (
            part.renamed(refs) if isinstance(part, ObjectValue) else part for part in (self.color, self.opacity)
        )
        return structs.replace(self, color=color, opacity=opacity)


StateValue = bool | float | str | ObjectValue
"""The value of a variable in one mode."""


def targets_of(*values: StateValue | None) -> list[Ref]:
    """Return the refs of all alias targets of the values, possibly with repetitions."""
    found: list[Ref] = []
    for value in values:  # every rule of a plan asks this of every value
        if type(value) is ObjectValue:
            if value.color is not None or value.opacity is not None:
                found += value.targets()
            elif value.alias is not None:
                found.append(value.alias)
    return found


class ModeState(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A mode. ``parent`` is the mode of the parent collection that an extended collection's mode follows."""

    ref: Ref
    name: str
    parent: Ref | None = None


class CollectionState(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A collection or extension. ``modes`` are in the editor's order; ``default`` is the ref of one of them.

    ``parent`` is the extended collection, ``root`` the one that owns the variables (itself unless it extends another).
    A ``fixed`` collection belongs to another file and cannot be changed.
    """

    ref: Ref
    name: str
    root: Ref
    modes: tuple[ModeState, ...]
    default: Ref
    parent: Ref | None = None
    hidden: bool = False
    fixed: bool = False


class VariableState(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A variable with its values by mode of its collection and of that collection's extensions.

    In an extension's mode a value is an override; without one the parent's value is inherited. ``scopes`` and
    ``code_syntax``, which holds (platform, text) pairs, are sorted. A ``fixed`` variable belongs to another file: only
    overrides in extensions of this file can change.
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
        """Return whether the platform stores the scopes as those of this variable.

        For a number it stores FONT_WEIGHT as FONT_STYLE, and a BOOLEAN may have ALL_SCOPES or none: the documentation
        has no scopes for it. Without these rules, every plan would repeat the same change.
        """
        own, other = set(self.scopes), set(scopes)
        if self.type == "BOOLEAN":
            return own ^ other <= {ALL_SCOPES}
        for read_back in (own, other) if self.type == "FLOAT" else ():
            if "FONT_WEIGHT" in read_back:
                read_back.remove("FONT_WEIGHT")
                read_back.add("FONT_STYLE")
        return own == other


class StyleState(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A text or effect style. ``members`` are those that a plugin can set, by name, as JSON.

    One that is bound to a variable is ``{"type": "VARIABLE_ALIAS", "id": ref}``, also inside of ``effects``, which is
    the only member of an effect style.
    """

    ref: Ref
    type: Literal["TEXT", "EFFECT"]
    name: str
    description: str = ""
    members: dict[str, Any]


def style_states(styles: Mapping[str, WireStyle]) -> dict[Ref, StyleState]:
    """Return the states of the styles in a plugin's answer."""
    return {
        ref: StyleState(
            ref=ref, type=style.type, name=style.name, description=style.description, members=_shortest(style.members)
        )
        for ref, style in styles.items()
    }


def _shortest(value: Any) -> Any:
    """Return JSON with the shortest decimals of its numbers, which the platform stores as 32-bit floats."""
    if isinstance(value, dict):
        return {name: _shortest(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_shortest(part) for part in value]
    return json_number(float32(value)) if isinstance(value, float) and abs(value) < 1e38 else value


def is_alias(value: Any) -> bool:
    """Return whether a part of a style's members is bound to a variable."""
    return isinstance(value, dict) and value.get("type") == ALIAS and isinstance(value.get("id"), str)


def aliased(value: Any) -> Iterator[Ref]:
    """Yield the refs of the variables that members of a style are bound to; an edited plan may have no text there."""
    if isinstance(value, dict) and value.get("type") == ALIAS:
        yield str(value.get("id"))
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from aliased(part)


def with_aliases(value: Any, refs: Mapping[Ref, Ref]) -> Any:
    """Return members of a style with other refs of the variables that they are bound to."""
    if is_alias(value):
        return {**value, "id": refs.get(value["id"], value["id"])}
    if isinstance(value, dict):
        return {name: with_aliases(part, refs) for name, part in value.items()}
    return [with_aliases(part, refs) for part in value] if isinstance(value, list) else value


class FileState(NamedTuple):
    """The content of a file: collections (a parent precedes its extensions) and variables, in order. Read-only.

    ``variables`` lacks deleted ones, even if an alias still refers to them. ``opaque`` holds, by root collection, the
    variables of types unknown to tokensync. No plan changes them, but they are deleted with their collection or mode.
    ``styles`` are empty where the connection cannot write them.
    """

    collections: Mapping[Ref, CollectionState]
    variables: Mapping[Ref, VariableState]
    opaque: Mapping[Ref, tuple[OpaqueVariable, ...]] = MappingProxyType({})
    styles: Mapping[Ref, StyleState] = MappingProxyType({})

    def family(self, root: Ref) -> Iterator[CollectionState]:
        """Return a root collection and all its extensions."""
        return (collection for collection in self.collections.values() if collection.root == root)

    def extensions_of(self, collection: Ref) -> tuple[Ref, ...]:
        """Return the extensions of a collection, at every depth."""
        result: dict[Ref, None] = {}
        for each in self.family(self.collections[collection].root):  # a parent stands before its extensions
            if each.parent == collection or each.parent in result:
                result[each.ref] = None
        return tuple(result)

    def opaque_of(self, collection: Ref) -> tuple[OpaqueVariable, ...]:
        """Return the opaque variables of a root collection."""
        return self.opaque.get(collection, ())


def with_opaque_motion(state: FileState) -> FileState:
    """Return the state with motion variables as opaque ones, for a connection that cannot write them."""
    motion = [variable for variable in state.variables.values() if variable.type in MOTION_TYPES]
    if not motion:
        return state
    opaque = dict(state.opaque)
    for variable in motion:
        values = tuple((mode, msgspec.json.encode(value).decode()) for mode, value in sorted(variable.values.items()))
        about = msgspec.json.encode((variable.description, variable.hidden, variable.code_syntax)).decode()
        targets = tuple(dict.fromkeys(targets_of(*variable.values.values())))
        made = OpaqueVariable(
            id=variable.ref, name=variable.name, type=variable.type, values=values, about=about, targets=targets
        )
        opaque[variable.collection] = (*opaque.get(variable.collection, ()), made)
    others = {ref: variable for ref, variable in state.variables.items() if variable.type not in MOTION_TYPES}
    return state._replace(variables=others, opaque=opaque)


def without_motion_changes(before: FileState, after: FileState) -> tuple[FileState, tuple[Ref, ...]]:
    """Return ``after`` with the motion variables of ``before``, and the refs of those that it has otherwise.

    A connection that cannot write them needs this. In a new mode they have the default mode's value, as the platform
    gives it to them.
    """
    both = {**after.variables, **before.variables}
    motion = {ref: variable for ref, variable in both.items() if variable.type in MOTION_TYPES}
    if not motion:
        return after, ()
    kept = {ref: variable for ref, variable in after.variables.items() if ref not in motion}
    for ref, variable in motion.items():
        collection = after.collections.get(variable.collection)
        if ref in before.variables and collection is not None:
            modes = {mode.ref for owner in after.family(collection.ref) for mode in owner.modes}
            values = {mode: value for mode, value in variable.values.items() if mode in modes}
            default = values.get(collection.default)
            had = {mode.ref for mode in before.collections[collection.ref].modes}
            new = [mode.ref for mode in collection.modes if mode.ref not in had and default is not None]
            kept[ref] = structs.replace(variable, values={**values, **dict.fromkeys(new, default)})
    differing = (ref for ref in motion if kept.get(ref) != after.variables.get(ref))
    return after._replace(variables=kept), tuple(differing)


def root_modes(state: FileState, collection: CollectionState) -> dict[Ref, Ref]:
    """Return the root's mode for each mode of a collection; a mode with a missing ancestor is omitted."""
    if collection.parent is None:
        return {mode.ref: mode.ref for mode in collection.modes}
    chain = [collection]
    while (parent := chain[-1].parent) is not None and (above := state.collections.get(parent)) is not None:
        if any(above.ref == collection.ref for collection in chain):
            break
        chain.append(above)
    result = {mode.ref: mode.ref for mode in chain[-1].modes}
    for each in reversed(chain[:-1]):
        result = {mode.ref: result[mode.parent] for mode in each.modes if mode.parent in result}
    return result


_WHOLE_NUMBER = re.compile(rb"(?<=[0-9])\.0(?=[],}])")


class Digests(Struct, dict=True, eq=False):
    """Digests of the collections and modes of one state, which is indexed only once."""

    _state: FileState

    def of_mode(self, collection: Ref, mode: Ref) -> str:
        """Return the digest of a mode and all values in it."""
        name = next(each.name for each in self._state.collections[collection].modes if each.ref == mode)
        values = ((variable.ref, variable.values.get(mode)) for variable in self._variables.get(collection, ()))
        return digest_of((name, sorted(values, key=lambda pair: pair[0]), *self._opaque_in(collection, {mode})))

    def of_collection(self, ref: Ref) -> str:
        """Return the digest of a collection, its extensions and their content; for an extension, its overrides only."""
        collection = self._state.collections[ref]
        family = self._families[collection.root]
        own = [collection for collection in family if collection.ref == ref or ref in self._ancestors(collection)]
        modes = {mode.ref for collection in own for mode in collection.modes}
        held: list[VariableState | tuple[Ref, dict[Ref, StateValue]]] = []
        for variable in self._variables.get(collection.root, ()):
            values = {mode: value for mode, value in variable.values.items() if mode in modes}
            if collection.parent is None:
                held.append(variable)
            elif values:
                held.append((variable.ref, values))
        if collection.parent is not None:
            return digest_of((own, held, *self._opaque_in(collection.root, modes)))
        opaque = sorted(self._state.opaque_of(ref), key=lambda each: each.id)
        return digest_of((own, held, *((opaque,) if opaque else ())))

    def _opaque_in(self, collection: Ref, modes: AbstractSet[Ref]) -> Iterator[object]:
        """Yield one sorted list of the opaque variables' values in the modes, or nothing if it is empty."""
        result = [
            (variable.id, mode, value)
            for variable in self._state.opaque_of(collection)
            for mode, value in variable.values
            if mode in modes
        ]
        if result:
            yield sorted(result)

    @cached_property
    def _variables(self) -> dict[Ref, list[VariableState]]:
        result: dict[Ref, list[VariableState]] = {}
        for variable in self._state.variables.values():
            result.setdefault(variable.collection, []).append(variable)
        return result

    @cached_property
    def _families(self) -> dict[Ref, list[CollectionState]]:
        result: dict[Ref, list[CollectionState]] = {}
        for collection in self._state.collections.values():
            result.setdefault(collection.root, []).append(collection)
        return result

    def _ancestors(self, collection: CollectionState) -> set[Ref]:
        result: set[Ref] = set()
        above = collection.parent
        while above is not None and above not in result and above in self._state.collections:
            result.add(above)
            above = self._state.collections[above].parent
        return result


def digest_of(content: object) -> str:
    """Return the digest of a variable or style with all its content, or of any other part of a state."""
    # A plan's file has 4.0 where the platform's response has 4: both have the same digest.
    text = _WHOLE_NUMBER.sub(b"", msgspec.json.encode(content, order="sorted"))
    return hashlib.sha256(text).hexdigest()[:16]


MODE_NAME_CHARACTERS: Final = 40
BODY_BYTES: Final = 4_000_000
"""The largest body of POST variables: "4 MB", in the reading that the platform certainly accepts."""


_INITIAL_VALUES: Final[dict[str, StateValue]] = {
    "BOOLEAN": False,
    "FLOAT": 0,
    "STRING": "",
    "COLOR": ObjectValue(1, 1, 1, 1),
    "TIMING": ObjectValue(seconds=0),
    "EASING": ObjectValue(
        easing='{"easingFunctionCubicBezier":{"x1":0.5,"x2":0.5,"y1":0,"y2":1},"type":"CUSTOM_CUBIC_BEZIER"}'
    ),
}
"""The value of a new variable in every mode until others are set."""


class Editing:
    """Applies changes to a copy of a state as the platform does. Unchanged objects are shared."""

    def __init__(self, state: FileState) -> None:
        self._collections = dict(state.collections)
        self._variables = dict(state.variables)
        self._opaque = dict(state.opaque)
        self._styles = dict(state.styles)
        self._values: dict[Ref, dict[Ref, StateValue]] = {}
        self._of_root: dict[Ref, dict[Ref, None]] | None = None

    def finished(self) -> FileState:
        """Return the resulting state."""
        for ref, values in self._values.items():
            self._variables[ref] = structs.replace(self._variables[ref], values=values)
        return FileState(self._collections, self._variables, self._opaque, self._styles)

    def _editable_values(self, ref: Ref) -> dict[Ref, StateValue]:
        """Return a copy of a variable's values that may be changed."""
        values = self._values.get(ref)
        if values is None:
            values = self._values[ref] = dict(self._variables[ref].values)
        return values

    def create_collection(self, ref: Ref, name: str, mode: Ref, hidden: bool) -> None:
        """Create a root collection with one mode."""
        modes = (ModeState(mode, "Mode 1"),)
        self._collections[ref] = CollectionState(ref=ref, name=name, root=ref, modes=modes, default=mode, hidden=hidden)

    def change_collection(self, ref: Ref, name: str | None, hidden: bool | None) -> None:
        """Change the name or visibility of a collection; None means no change."""
        was = self._collections[ref]
        self._collections[ref] = structs.replace(
            was, name=was.name if name is None else name, hidden=was.hidden if hidden is None else hidden
        )

    def rename_mode(self, collection: Ref, ref: Ref, name: str) -> None:
        """Rename a mode of a root collection and the modes that extend it."""
        for each in self._family(collection):
            following = self._modes_extending(each, ref)
            modes = tuple(structs.replace(mode, name=name) if mode.ref in following else mode for mode in each.modes)
            self._collections[each.ref] = structs.replace(each, modes=modes)

    def create_variable(self, variable: VariableState) -> None:
        """Create a variable with the platform's initial value in every mode of its collection."""
        self._variables[variable.ref] = variable
        modes = (mode.ref for mode in self._collections[variable.collection].modes)
        self._values[variable.ref] = dict.fromkeys(modes, _INITIAL_VALUES[variable.type])
        if self._of_root is not None:
            self._of_root.setdefault(variable.collection, {})[variable.ref] = None

    def change_variable(self, ref: Ref, members: Mapping[str, Any]) -> None:
        """Change members of a variable other than its values."""
        self._variables[ref] = structs.replace(self._variables[ref], **members)

    def set_value(self, variable: Ref, mode: Ref, value: StateValue | None) -> None:
        """Set a variable's value in a mode; None removes an override."""
        values = self._editable_values(variable)
        if value is None:
            values.pop(mode, None)
        else:
            values[mode] = value

    def delete_variable(self, ref: Ref) -> None:
        """Delete a variable."""
        self._values.pop(ref, None)
        variable = self._variables.pop(ref)
        if self._of_root is not None:
            del self._of_root[variable.collection][ref]

    def create_style(self, style: StyleState) -> None:
        """Create a style."""
        self._styles[style.ref] = style

    def change_style(self, ref: Ref, texts: Mapping[str, str], members: Mapping[str, Any]) -> None:
        """Change the name or description, and members of a style."""
        was = self._styles[ref]
        self._styles[ref] = structs.replace(was, members={**was.members, **members}, **texts)

    def delete_style(self, ref: Ref) -> None:
        """Delete a style."""
        del self._styles[ref]

    def _variables_of(self, root: Ref) -> tuple[Ref, ...]:
        if self._of_root is None:
            self._of_root = {}
            for variable in self._variables.values():
                self._of_root.setdefault(variable.collection, {})[variable.ref] = None
        return tuple(self._of_root.get(root, ()))

    def _family(self, root: Ref) -> tuple[CollectionState, ...]:
        return tuple(collection for collection in self._collections.values() if collection.root == root)

    def _modes_extending(self, collection: CollectionState, mode: Ref) -> set[Ref]:
        """Return the modes of a collection that extend a mode of its root."""
        origins = root_modes(FileState(self._collections, {}), collection)
        return {own for own, origin in origins.items() if origin == mode}

    def create_extension(self, ref: Ref, name: str, parent_ref: Ref, named: Mapping[Ref, Ref], hidden: bool) -> None:
        """Create an extension; ``named`` maps some of the parent's modes to those of the extension."""
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

    def create_mode(self, collection: Ref, ref: Ref, name: str, extended: Mapping[Ref, Ref]) -> None:
        """Create a mode of a root collection with the default mode's values; ``extended`` maps extensions to modes."""
        root = self._collections[collection]
        refs = {root.ref: ref, **extended}
        for each in self._family(collection):
            parent = None if each.parent is None else refs[each.parent]
            mode = ModeState(refs[each.ref], name, parent)
            self._collections[each.ref] = structs.replace(each, modes=(*each.modes, mode))
        for variable in self._variables_of(collection):
            if self._variables[variable].fixed:  # the response does not have it, only an extension overrides it
                continue
            values = self._editable_values(variable)
            filled = values.get(root.default)
            values[ref] = _INITIAL_VALUES[self._variables[variable].type] if filled is None else filled

    def delete_collection(self, ref: Ref) -> None:
        """Delete a collection with its content and extensions."""
        collection = self._collections[ref]
        if collection.parent is None:
            for variable in self._variables_of(collection.ref):
                self.delete_variable(variable)
        deleted = (collection.ref, *FileState(self._collections, {}).extensions_of(collection.ref))
        modes = {mode.ref for each in deleted for mode in self._collections[each].modes}
        for each in deleted:
            del self._collections[each]
        if collection.parent is None:
            self._opaque.pop(collection.ref, None)
        else:
            self._delete_values(collection.root, modes)

    def delete_mode(self, collection: Ref, mode: Ref) -> None:
        """Delete a mode and the modes that extend it."""
        deleted: set[Ref] = set()
        dropped = [(each, self._modes_extending(each, mode)) for each in self._family(collection)]
        for each, own in dropped:
            deleted |= own
            remaining = tuple(mode for mode in each.modes if mode.ref not in own)
            default = remaining[0].ref if each.default in own and remaining else each.default
            self._collections[each.ref] = structs.replace(each, modes=remaining, default=default)
        self._delete_values(collection, deleted)

    def _delete_values(self, root: Ref, modes: set[Ref]) -> None:
        """Delete the values of a root collection's variables in some modes."""
        for ref in self._variables_of(root):
            held = self._values.get(ref) or self._variables[ref].values
            for mode in modes.intersection(held):
                del self._editable_values(ref)[mode]
        if root in self._opaque:
            self._opaque[root] = tuple(variable.without(modes) for variable in self._opaque[root])


_LONGEST = 60  # characters: a body repeats a temporary id for each value of its variable


class Refs(NamedTuple):
    """The refs of a graph's objects.

    ``modes`` holds the refs of a family's modes in order; ``extensions`` is keyed by (family, handle).
    """

    families: Mapping[FamilyKey, Ref]
    extensions: Mapping[tuple[FamilyKey, str], Ref]
    modes: Mapping[FamilyKey, tuple[Ref, ...]]
    tokens: Mapping[TokenKey, Ref]


def refs_of(graph: TokenGraph) -> Refs:
    """Return the ids of a graph's objects, or else unique descriptive temporary ids: ``variable:theme/accent/base``.

    The ids are not checked; ``tokensync.plan.identities`` assigns them.
    """
    used_refs: set[str] = set()
    families: dict[FamilyKey, Ref] = {}
    extensions: dict[tuple[FamilyKey, str], Ref] = {}
    modes: dict[FamilyKey, tuple[Ref, ...]] = {}
    for key, family in graph.collections.items():
        families[key] = family.id or temporary(f"collection:{family.handle}", used_refs)
        for extension in family.extensions:
            extensions[key, extension.handle] = extension.id or temporary(f"collection:{extension.handle}", used_refs)
        modes[key] = tuple(
            mode.id or temporary(f"mode:{mode.collection}/{mode.slug}", used_refs) for mode in family.modes
        )
    tokens = {
        key: token.id or temporary(f"variable:{key.collection}/{name_of_path(key.path)}", used_refs)
        for key, token in graph.tokens.items()
    }
    return Refs(families, extensions, modes, tokens)


def temporary(name: str, used_refs: set[str]) -> Ref:
    """Return a descriptive temporary ref that is not in ``used_refs``, and add it there."""
    return unique(name[:_LONGEST], used_refs)


_SEPARATOR = " / "  # no handle contains it, so the first one ends the handle


def labels_of(graph: TokenGraph, refs: Refs | None = None) -> dict[str, str]:
    """Return a label for each ref of a graph: a collection's handle, ``<handle> / <variable name>``, a mode's context.

    A root mode's ref is unique in its family only; use ``mode_label`` to look it up.
    """
    refs = refs or refs_of(graph)
    labels: dict[str, str] = {}
    for key, family in graph.collections.items():
        labels[refs.families[key]] = family.handle
        for extension in family.extensions:
            labels[refs.extensions[key, extension.handle]] = extension.handle
        for ref, mode in zip(refs.modes[key], family.modes, strict=True):
            labels[ref if mode.parent is not None else mode_key(family.handle, ref)] = mode.context
    for token, ref in refs.tokens.items():
        labels[ref] = f"{token.collection}{_SEPARATOR}{name_of_path(token.path)}"
    return labels


def style_labels(state: FileState) -> dict[str, str]:
    """Return a label for each style, as a graph has it: ``text-styles / body``."""
    return {ref: f"{style.type.lower()}-styles{_SEPARATOR}{style.name}" for ref, style in state.styles.items()}


def mode_label(labels: Mapping[str, str], handle: str, mode: Ref) -> str:
    """Return the label of a mode, or its ref without one; ``handle`` is that of its family's root collection."""
    return labels.get(mode_key(handle, mode)) or labels.get(mode, mode)


def split_label(label: str) -> tuple[str, str]:
    """Return the collection's handle (may be empty) and the variable's name from a variable's label."""
    handle, between, name = label.partition(_SEPARATOR)
    return (handle, name) if between else ("", label)


def mode_key(handle: str, mode: Ref) -> str:
    """Return the key of a root mode's label; ``handle`` is that of its collection."""
    return f"{handle}/{mode}"


_ELSEWHERE = ("remote", "absent")


class GraphState(NamedTuple):
    """A graph, its refs and its state."""

    graph: TokenGraph
    refs: Refs
    state: FileState


def state_of(graph: TokenGraph, refs: Refs | None = None, similar: GraphState | None = None) -> FileState:
    """Return the state of the file that the graph describes, without deleted tokens and styles.

    Tokens and values that no variable can hold are omitted; ``tokensync.plan.desired`` converts or reports them. The
    state shares the variables of tokens that are also in the ``similar`` graph.
    """
    refs = refs or refs_of(graph)
    collections: dict[Ref, CollectionState] = {}
    styles = {key for key, family in graph.collections.items() if family.is_of_styles}
    for key, family in graph.collections.items():
        if family.origin != "deleted" and key not in styles:
            for collection in _collections(family, refs.modes[key], refs):
                collections[collection.ref] = collection
    reader = _Values(refs)
    variables: dict[Ref, VariableState] = {}
    shared = _shared(graph, refs, similar) if similar is not None else {}
    for token in graph.tokens.values():
        same = shared.get(token.key)
        if same is not None:
            variables[same.ref] = same
        elif token.origin != "deleted" and token.type in VARIABLE_TYPES and token.key[:2] not in styles:
            ref = refs.tokens[token.key]
            variables[ref] = reader.variable(token, ref)
    opaque = {
        refs.families[key]: family.opaque
        for key, family in graph.collections.items()
        if family.opaque and family.origin != "deleted"
    }
    return FileState(collections, variables, opaque)


def _shared(graph: TokenGraph, refs: Refs, similar: GraphState) -> dict[TokenKey, VariableState]:
    """Return the variables of tokens that are in both graphs, if all objects that they name have the same refs."""
    families = {
        key
        for key in graph.collections
        if refs.families[key] == similar.refs.families.get(key) and refs.modes[key] == similar.refs.modes.get(key)
    }
    moved = {key for key, _ in refs.tokens.items() ^ similar.refs.tokens.items()}
    shared: dict[TokenKey, VariableState] = {}
    for key, token in graph.tokens.items():
        if similar.graph.tokens.get(key) is not token or key[:2] not in families or key in moved:
            continue
        if moved and not moved.isdisjoint(token.references):
            continue
        variable = similar.state.variables.get(refs.tokens[key])
        if variable is not None:
            shared[key] = variable
    return shared


def _collections(family: Collection, modes: tuple[Ref, ...], refs: Refs) -> Iterator[CollectionState]:
    root = refs.families[family.key]
    owned: dict[str, list[ModeState]] = {}
    for ref, mode in zip(modes, family.modes, strict=True):
        parent = None if mode.parent is None else modes[mode.parent]
        owned.setdefault(mode.collection, []).append(ModeState(ref, mode.name, parent))
    yield CollectionState(
        ref=root,
        name=family.name,
        root=root,
        modes=tuple(owned.get(family.handle, ())),
        default=modes[family.default_mode],
        hidden=family.hidden,
        fixed=family.origin in _ELSEWHERE,
    )
    handles = {family.handle: root} | {
        extension.handle: refs.extensions[family.key, extension.handle] for extension in family.extensions
    }
    for extension in family.extensions:
        yield CollectionState(
            ref=handles[extension.handle],
            name=extension.name,
            root=root,
            modes=tuple(owned.get(extension.handle, ())),
            default=modes[extension.default_mode],
            parent=handles.get(extension.parent, root),
            hidden=extension.hidden,
            fixed=extension.origin in _ELSEWHERE,
        )


class _Values(Struct, eq=False):
    """Converts tokens to variables; equal values share one object."""

    refs: Refs
    _objects: dict[Color | TokenKey | str, ObjectValue] = {}

    def variable(self, token: Token, ref: Ref) -> VariableState:
        family = token.key[:2]
        objects = self._objects
        values: dict[Ref, StateValue] = {}
        for mode, value in zip(self.refs.modes[family], token.values, strict=True):
            if value is None:
                continue
            key = value.target if type(value) is Alias else value if type(value) is Color else None
            held: StateValue | None = None if key is None else objects.get(key)  # most are known
            if held is None:
                held = self.value(value)
            if held is not None:
                values[mode] = held
        return VariableState(
            ref=ref,
            collection=self.refs.families[family],
            name=name_of_path(token.key.path),
            type=VARIABLE_TYPES[token.type],
            values=values,
            description=token.description,
            scopes=() if token.type in MOTION_TYPES.values() else tuple(sorted(token.scopes)),
            hidden=token.hidden,
            code_syntax=token.code_syntax,
            fixed=token.origin in _ELSEWHERE,
        )

    def value(self, value: Value) -> StateValue | None:
        match value:
            case bool() | str():
                return value
            case float():
                return json_number(value)
            case Alias() | DanglingAlias() | Color():
                return self._object(value)
            case ComposedColor(color=color, opacity=opacity):
                share = json_number(opacity) if isinstance(opacity, float) else self._object(opacity)
                return ObjectValue(color=self._object(color), opacity=share)
            case Quantity(unit=unit):
                return ObjectValue(seconds=json_number(seconds_of(value))) if unit in DURATIONS else None
            case Composite():
                easing = easing_of(value)
                return None if easing is None else ObjectValue(easing=easing)

    def _object(self, value: Alias | DanglingAlias | Color) -> ObjectValue:
        key: Color | TokenKey | str
        match value:
            case Alias(target=target):
                key, made = target, ObjectValue(alias=self.refs.tokens.get(target, str(target)))
            case DanglingAlias(reference=reference):
                key, made = reference, ObjectValue(alias=reference)
            case Color(red=red, green=green, blue=blue, alpha=alpha):
                channels = json_number(red), json_number(green), json_number(blue), json_number(alpha)
                key, made = value, ObjectValue(*channels)
        return self._objects.setdefault(key, made)
