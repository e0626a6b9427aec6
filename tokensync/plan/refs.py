"""Refs and labels of a graph's objects, and the state of the file that a graph describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.mapping import RESOLVED_TYPES, name_of_path, unique
from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity
from tokensync.tokens.values import json_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import Ref, StateValue
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value
    from tokensync.tokens.collection import FamilyKey


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
        for each in family.extensions:
            extensions[key, each.handle] = each.id or temporary(f"collection:{each.handle}", used_refs)
        modes[key] = tuple(
            each.id or temporary(f"mode:{each.collection}/{each.slug}", used_refs) for each in family.modes
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
        for each in family.extensions:
            labels[refs.extensions[key, each.handle]] = each.handle
        for ref, mode in zip(refs.modes[key], family.modes, strict=True):
            labels[ref if mode.parent is not None else _mode_key(family.handle, ref)] = mode.context
    for token, ref in refs.tokens.items():
        labels[ref] = f"{token.collection}{_SEPARATOR}{name_of_path(token.path)}"
    return labels


def mode_label(labels: Mapping[str, str], handle: str, mode: Ref) -> str:
    """Return the label of a mode, or its ref without one; ``handle`` is that of its family's root collection."""
    return labels.get(_mode_key(handle, mode)) or labels.get(mode, mode)


def split_label(label: str) -> tuple[str, str]:
    """Return the collection's handle (may be empty) and the variable's name from a variable's label."""
    handle, between, name = label.partition(_SEPARATOR)
    return (handle, name) if between else ("", label)


def used_labels(operations: Iterable[Operation], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of all refs in the operations, including alias targets."""
    used: dict[str, str] = {}
    seen: set[tuple[str | None, Ref]] = set()
    for operation in operations:
        handle = None
        for ref, is_mode in operation.refs():
            if is_mode:
                if (handle, ref) not in seen:
                    seen.add((handle, ref))
                    used |= {key: labels[key] for key in (_mode_key(handle or "", ref), ref) if key in labels}
            elif ref in labels:
                used[ref] = labels[ref]
                handle = handle or split_label(labels[ref])[0] or labels[ref]
    return used


def _mode_key(handle: str, mode: Ref) -> str:
    return f"{handle}/{mode}"


_ELSEWHERE = ("remote", "absent")


class GraphState(NamedTuple):
    """A graph, its refs and its state."""

    graph: TokenGraph
    refs: Refs
    state: FileState


def states_of(
    before: TokenGraph, after: TokenGraph, before_refs: Refs | None = None, after_refs: Refs | None = None
) -> tuple[FileState, FileState]:
    """Return the states of two graphs of one file, which share the variables of tokens that are in both."""
    before_refs, after_refs = before_refs or refs_of(before), after_refs or refs_of(after)
    state = state_of(before, before_refs)
    return state, state_of(after, after_refs, GraphState(before, before_refs, state))


def state_of(graph: TokenGraph, refs: Refs | None = None, similar: GraphState | None = None) -> FileState:
    """Return the state of the file that the graph describes, without deleted tokens.

    Tokens and values that no variable can hold are omitted; ``tokensync.plan.desired`` converts or reports them. The
    state shares the variables of tokens that are also in the ``similar`` graph.
    """
    refs = refs or refs_of(graph)
    collections: dict[Ref, CollectionState] = {}
    for key, family in graph.collections.items():
        if family.origin != "deleted":
            for each in _collections(family, refs.modes[key], refs):
                collections[each.ref] = each
    reader = _Values(refs)
    variables: dict[Ref, VariableState] = {}
    shared = _shared(graph, refs, similar) if similar is not None else {}
    for token in graph.tokens.values():
        same = shared.get(token.key)
        if same is not None:
            variables[same.ref] = same
        elif token.origin != "deleted" and token.type in RESOLVED_TYPES:
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
    owned: dict[str, list[int]] = {}
    for column, mode in enumerate(family.modes):
        owned.setdefault(mode.collection, []).append(column)

    def states(handle: str) -> tuple[ModeState, ...]:
        return tuple(
            ModeState(modes[column], mode.name, None if mode.parent is None else modes[mode.parent])
            for column in owned.get(handle, ())
            for mode in (family.modes[column],)
        )

    yield CollectionState(
        ref=root,
        name=family.name,
        root=root,
        modes=states(family.handle),
        default=modes[family.default_mode],
        hidden=family.hidden,
        fixed=family.origin in _ELSEWHERE,
    )
    handles = {family.handle: root} | {
        each.handle: refs.extensions[family.key, each.handle] for each in family.extensions
    }
    for each in family.extensions:
        yield CollectionState(
            ref=handles[each.handle],
            name=each.name,
            root=root,
            modes=states(each.handle),
            default=modes[each.default_mode],
            parent=handles.get(each.parent, root),
            hidden=each.hidden,
            fixed=each.origin in _ELSEWHERE,
        )


class _Values:
    """Converts tokens to variables; equal values share one object."""

    def __init__(self, refs: Refs) -> None:
        self.refs = refs
        self._objects: dict[Color | TokenKey | str, ObjectValue] = {}
        self._numbers: dict[float, float] = {}

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
            type=RESOLVED_TYPES[token.type],
            values=values,
            description=token.description,
            scopes=tuple(sorted(token.scopes)),
            hidden=token.hidden,
            code_syntax=token.code_syntax,
            fixed=token.origin in _ELSEWHERE,
        )

    def value(self, value: Value) -> StateValue | None:
        match value:
            case bool() | str():
                return value
            case float():
                return self._number(value)
            case Alias() | DanglingAlias() | Color():
                return self._object(value)
            case ComposedColor(color=color, opacity=opacity):
                share = self._number(opacity) if isinstance(opacity, float) else self._object(opacity)
                return ObjectValue(color=self._object(color), opacity=share)
            case Quantity() | Composite():
                return None

    def _number(self, value: float) -> float:
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = json_number(value)
        return number

    def _object(self, value: Alias | DanglingAlias | Color) -> ObjectValue:
        key: Color | TokenKey | str
        match value:
            case Alias(target=target):
                key = target
            case DanglingAlias(reference=reference):
                key = reference
            case Color():
                key = value
        converted = self._objects.get(key)
        if converted is None:
            converted = self._objects[key] = self._new_object(value)
        return converted

    def _new_object(self, value: Alias | DanglingAlias | Color) -> ObjectValue:
        match value:
            case Alias(target=target):
                return ObjectValue(alias=self.refs.tokens.get(target, str(target)))
            case DanglingAlias(reference=reference):
                return ObjectValue(alias=reference)
            case Color(red=red, green=green, blue=blue, alpha=alpha):
                return ObjectValue(json_number(red), json_number(green), json_number(blue), json_number(alpha))
