"""Refs and labels of a graph's objects, and a graph as the platform would hold it: its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import RESOLVED_TYPES, name_of_path, unique
from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity
from tokensync.tokens.values import json_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import Ref, StateValue
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value
    from tokensync.tokens.collection import FamilyKey


_LONGEST = 60  # characters: a temporary id stands in a body as often as its variable has values


class Refs(NamedTuple):
    """What each thing of a graph goes by.

    ``modes`` holds a ref for each of a family's modes, in their order; ``extensions`` is keyed by (family, handle).
    """

    families: Mapping[FamilyKey, Ref]
    extensions: Mapping[tuple[FamilyKey, str], Ref]
    modes: Mapping[FamilyKey, tuple[Ref, ...]]
    tokens: Mapping[TokenKey, Ref]


def refs_of(graph: TokenGraph) -> Refs:
    """Ids where there are some, else temporary ids that say what they stand for: ``variable:theme/accent/base``.

    The graph's ids are taken at their word (``tokensync.plan.identities`` settles them). Every temporary id is unique.
    """
    taken: set[str] = set()
    families: dict[FamilyKey, Ref] = {}
    extensions: dict[tuple[FamilyKey, str], Ref] = {}
    modes: dict[FamilyKey, tuple[Ref, ...]] = {}
    for key, family in graph.collections.items():
        families[key] = family.id or temporary(f"collection:{family.handle}", taken)
        for each in family.extensions:
            extensions[key, each.handle] = each.id or temporary(f"collection:{each.handle}", taken)
        modes[key] = _modes(family, taken)
    tokens = {
        key: token.id or temporary(f"variable:{key.collection}/{name_of_path(key.path)}", taken)
        for key, token in graph.tokens.items()
    }
    return Refs(families, extensions, modes, tokens)


def _modes(family: Collection, taken: set[str]) -> tuple[Ref, ...]:
    return tuple(each.id or temporary(f"mode:{each.collection}/{each.slug}", taken) for each in family.modes)


def temporary(wanted: str, taken: set[str]) -> Ref:
    """Return a temporary ref that says what it stands for, and is none of those that are taken; it is one of
    them then.
    """
    return unique(wanted[:_LONGEST], taken)


_BETWEEN = " / "  # no handle has it, so that the first one ends the handle


def labels_of(graph: TokenGraph, refs: Refs | None = None) -> dict[str, str]:
    """Return a label for each ref of a graph: a collection's handle, and ``<handle> / <variable name>``.

    A mode's is its context. Since a root mode's ref is unique in its family only, ``mode_label`` finds it.
    """
    refs = refs or refs_of(graph)
    labels: dict[str, str] = {}
    for key, family in graph.collections.items():
        labels[refs.families[key]] = family.handle
        for each in family.extensions:
            labels[refs.extensions[key, each.handle]] = each.handle
        for ref, mode in zip(refs.modes[key], family.modes, strict=True):
            labels[ref if mode.parent is not None else _root_mode(family.handle, ref)] = mode.context
    for token, ref in refs.tokens.items():
        labels[ref] = f"{token.collection}{_BETWEEN}{name_of_path(token.path)}"
    return labels


def mode_label(labels: Mapping[str, str], handle: str, mode: Ref) -> str:
    """Return the label of a mode; ``handle`` is that of its family's root collection. Its ref where there is none."""
    return labels.get(_root_mode(handle, mode)) or labels.get(mode, mode)


def parts(label: str) -> tuple[str, str]:
    """Return the handle of a variable's collection and its name, from its label; no handle when it has none."""
    handle, between, name = label.partition(_BETWEEN)
    return (handle, name) if between else ("", label)


def used_labels(operations: Iterable[Operation], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of what these operations name, alias targets included."""
    used: dict[str, str] = {}
    for operation in operations:
        handle = None
        for ref, is_mode in operation.refs():
            if is_mode:
                used |= {key: labels[key] for key in (_root_mode(handle or "", ref), ref) if key in labels}
            elif ref in labels:
                used[ref] = labels[ref]
                handle = handle or parts(labels[ref])[0] or labels[ref]
    return used


def _root_mode(handle: str, mode: Ref) -> str:
    return f"{handle}/{mode}"


_ELSEWHERE = ("remote", "absent")


def state_of(graph: TokenGraph, refs: Refs | None = None) -> FileState:
    """Return the state of one file whose graph this is. Deleted tokens are not in it.

    Every value has to be one that a variable can hold: ``tokensync.plan.desired`` sees to that. Of a token of another
    type, and of values that are none, nothing is in the state.
    """
    refs = refs or refs_of(graph)
    collections: dict[Ref, CollectionState] = {}
    for key, family in graph.collections.items():
        if family.origin != "deleted":
            for each in _collections(family, refs.modes[key], refs):
                collections[each.ref] = each
    reader = _Values(refs)
    variables: dict[Ref, VariableState] = {}
    for token in graph.tokens.values():
        if token.origin != "deleted" and token.type in RESOLVED_TYPES:
            ref = refs.tokens[token.key]
            variables[ref] = reader.variable(token, ref)
    opaque = {
        refs.families[key]: family.opaque
        for key, family in graph.collections.items()
        if family.opaque and family.origin != "deleted"
    }
    return FileState(collections, variables, opaque)


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
    """Turns tokens into variables; equal values become one object."""

    def __init__(self, refs: Refs) -> None:
        self.refs = refs
        self._objects: dict[Color | TokenKey | str, ObjectValue] = {}
        self._numbers: dict[float, float] = {}

    def variable(self, token: Token, ref: Ref) -> VariableState:
        modes = self.refs.modes[token.key[:2]]
        values: dict[Ref, StateValue] = {}
        for mode, value in zip(modes, token.values, strict=True):
            if value is not None and (held := self.value(value)) is not None:
                values[mode] = held
        return VariableState(
            ref=ref,
            collection=self.refs.families[token.key[:2]],
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
        known: Color | TokenKey | str
        match value:
            case Alias(target=target):
                known = target
            case DanglingAlias(reference=reference):
                known = reference
            case Color():
                known = value
        found = self._objects.get(known)
        if found is None:
            found = self._objects[known] = self._made(value)
        return found

    def _made(self, value: Alias | DanglingAlias | Color) -> ObjectValue:
        match value:
            case Alias(target=target):
                return ObjectValue(alias=self.refs.tokens.get(target, str(target)))
            case DanglingAlias(reference=reference):
                return ObjectValue(alias=reference)
            case Color(red=red, green=green, blue=blue, alpha=alpha):
                return ObjectValue(json_number(red), json_number(green), json_number(blue), json_number(alpha))
