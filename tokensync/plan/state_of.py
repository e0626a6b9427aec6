"""A graph as the platform would hold it: tokens to variables, paths to names, values to the platform's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import RESOLVED_TYPES, name_of_path
from tokensync.plan.refs import Refs, refs_of
from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity
from tokensync.tokens.values import json_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref, StateValue
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value

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
