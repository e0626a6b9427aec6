"""Edits of a state for tests of plans, as functions from one state to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emulator.platform import PRIMITIVES, VALUE
from msgspec.structs import replace

from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, VariableState

if TYPE_CHECKING:
    from collections.abc import Callable


def to(ref: str) -> ObjectValue:
    """An alias."""
    return ObjectValue(alias=ref)


def changed(ref: str, **members: Any) -> Callable[[FileState], FileState]:
    return lambda state: state._replace(variables={**state.variables, ref: replace(state.variables[ref], **members)})


def valued(*values: tuple[str, str, Any]) -> Callable[[FileState], FileState]:
    """Values as (variable, mode, value); None takes one away."""

    def edit(state: FileState) -> FileState:
        now = dict(state.variables)
        for ref, mode, value in values:
            kept = {each: held for each, held in now[ref].values.items() if each != mode}
            now[ref] = replace(now[ref], values=kept if value is None else {**kept, mode: value})
        return state._replace(variables=now)

    return edit


def new(name: str = "new", kind: str = "FLOAT", value: Any = 1, ref: str = "v", **members: Any) -> Any:
    own = {"collection": PRIMITIVES, "values": {VALUE: value}, "scopes": ("ALL_SCOPES",)} | members
    made = VariableState(ref=ref, name=name, type=kind, **own)
    return lambda state: state._replace(variables={**state.variables, ref: made})


def both(*edits: Callable[[FileState], FileState]) -> Callable[[FileState], FileState]:
    def edit(state: FileState) -> FileState:
        for each in edits:
            state = each(state)
        return state

    return edit


def gone(*refs: str) -> Callable[[FileState], FileState]:
    return lambda state: FileState(
        {ref: each for ref, each in state.collections.items() if ref not in refs},
        {ref: each for ref, each in state.variables.items() if ref not in refs and each.collection not in refs},
    )


def collected(ref: str, **members: Any) -> Callable[[FileState], FileState]:
    return lambda state: state._replace(
        collections={**state.collections, ref: replace(state.collections[ref], **members)}
    )


def moded(*modes: tuple[str, str], ref: str = PRIMITIVES, **members: Any) -> Callable[[FileState], FileState]:
    """A collection gets more modes."""

    def edit(state: FileState) -> FileState:
        own = (*state.collections[ref].modes, *(ModeState(*mode) for mode in modes))
        return collected(ref, modes=own, **members)(state)

    return edit


def made(
    ref: str = "c", name: str = "Made", modes: tuple[tuple[str, ...], ...] = (("m", "One"),), **members: Any
) -> Any:
    own = {"root": ref, "default": modes[0][0] if modes else "", **members}
    collection = CollectionState(ref=ref, name=name, modes=tuple(ModeState(*each) for each in modes), **own)
    return lambda state: state._replace(collections={**state.collections, ref: collection})


def renamed(ref: str, mode: str, name: str) -> Callable[[FileState], FileState]:
    def edit(state: FileState) -> FileState:
        modes = state.collections[ref].modes
        return collected(ref, modes=tuple(replace(m, name=name) if m.ref == mode else m for m in modes))(state)

    return edit


def unmoded(*pairs: tuple[str, str], **defaults: str) -> Callable[[FileState], FileState]:
    """Modes go, as (collection, mode), with the values in them."""

    def edit(state: FileState) -> FileState:
        collections, out = dict(state.collections), {mode for _, mode in pairs}
        for ref, mode in pairs:
            own = collections[ref]
            left = tuple(each for each in own.modes if each.ref != mode)
            collections[ref] = replace(own, modes=left, default=left[0].ref if own.default == mode else own.default)
        roots = {state.collections[ref].root for ref, _ in pairs}
        kept = {
            ref: replace(each, values={m: v for m, v in each.values.items() if m not in out})
            if each.collection in roots
            else each
            for ref, each in state.variables.items()
        }
        return FileState(collections, kept)

    return edit
