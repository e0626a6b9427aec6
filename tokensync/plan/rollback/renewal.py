"""Temporary refs for what was deleted and is wanted again: its id does not come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.plan.refs import temporary
from tokensync.plan.state import FileState, ModeState, ObjectValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.plan.state import CollectionState, Ref, StateValue, VariableState


class Renewal(NamedTuple):
    """A state in which what is gone goes by temporary refs.

    ``things`` maps those of collections and variables to the ids that they had; ``modes`` does it for (root
    collection, mode), both as the state has them.
    """

    state: FileState
    things: Mapping[Ref, Ref]
    modes: Mapping[tuple[Ref, Ref], Ref]


def renewed(before: FileState, left: Sequence[FileState], now: FileState) -> Renewal:
    """The state ``before``, where what is neither in a state of ``left`` nor in ``now`` is to be made anew.

    What somebody else deleted keeps its id: it is not for us to bring it back.
    """
    states = (*left, now)
    made = _Maker(before, states)
    if not made.things and not made.modes:
        return Renewal(before, {}, {})
    collections = {each.ref: each for each in map(made.collection, before.collections.values())}
    variables = {each.ref: each for each in map(made.variable, before.variables.values())}
    things = {new: old for old, new in made.things.items()}
    modes = {(made.things.get(root, root), new): old for (root, old), new in made.modes.items()}
    return Renewal(FileState(collections, variables), things, modes)


class _Maker:
    def __init__(self, before: FileState, states: Sequence[FileState]) -> None:
        self.things: dict[Ref, Ref] = {}
        self.modes: dict[tuple[Ref, Ref], Ref] = {}
        taken: set[str] = set()
        for ref, each in before.collections.items():
            if each.fixed:
                continue
            if all(ref not in state.collections for state in states):
                self.things[ref] = temporary(f"collection:{each.name}", taken)
            there = {mode.ref for state in states for own in (state.collections.get(ref),) if own for mode in own.modes}
            for mode in each.modes:
                if ref in self.things or mode.ref not in there:
                    self.modes[each.root, mode.ref] = temporary(f"mode:{each.name}/{mode.name}", taken)
        for ref, variable in before.variables.items():
            if not variable.fixed and all(ref not in state.variables for state in states):
                name = before.collections[variable.collection].name
                self.things[ref] = temporary(f"variable:{name}/{variable.name}", taken)

    def collection(self, was: CollectionState) -> CollectionState:
        modes = tuple(
            ModeState(
                self._mode(was.root, each.ref),
                each.name,
                None if each.parent is None else self._mode(was.root, each.parent),
            )
            for each in was.modes
        )
        return replace(
            was,
            ref=self.things.get(was.ref, was.ref),
            root=self.things.get(was.root, was.root),
            parent=None if was.parent is None else self.things.get(was.parent, was.parent),
            default=self._mode(was.root, was.default),
            modes=modes,
        )

    def variable(self, was: VariableState) -> VariableState:
        return replace(
            was,
            ref=self.things.get(was.ref, was.ref),
            collection=self.things.get(was.collection, was.collection),
            values={self._mode(was.collection, mode): self._value(value) for mode, value in was.values.items()},
        )

    def _mode(self, root: Ref, mode: Ref) -> Ref:
        return self.modes.get((root, mode), mode)

    def _value(self, value: StateValue) -> StateValue:
        return value.renamed(self.things) if isinstance(value, ObjectValue) else value
