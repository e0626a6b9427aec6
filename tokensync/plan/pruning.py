"""Deletions held back: without ``--prune`` what the token files no longer have stays on the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.plan.refs import mode_label, temporary
from tokensync.plan.state import FileState, ModeState, root_modes, targets_of
from tokensync.problems import Problem, problem
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.plan.state import CollectionState, Ref, StateValue, VariableState

    Where = Callable[[Ref, Ref | None], str]

_PRUNE = "run `tokensync plan --prune`, which carries held-back deletions out"


class Held(NamedTuple):
    """The wanted state with all that is held back still in it; that in words; what cannot be next to it."""

    after: FileState
    words: tuple[str, ...]
    problems: tuple[Problem, ...]


def held_back(
    before: FileState,
    after: FileState,
    *,
    retyped: Mapping[Ref, Ref],
    labels: Mapping[Ref, str],
    where: Where,
) -> Held:
    """Keep every collection, mode, variable and type that ``after`` has no more.

    ``retyped`` tells the refs, old to new, of variables whose type changes: the new ones are held back with the old.
    A variable that stays for that reason may have a name that another one wants, and a held-back new type may be what
    others refer to; both are problems, since there is no plan without deletions then.
    """
    keeper = _Keeper(before, after, retyped, labels, where)
    keeper.keep_collections()
    keeper.keep_variables()
    state = FileState(keeper.collections, keeper.variables, before.opaque)
    return Held(state, tuple(keeper.words), tuple(keeper.problems()))


class _Keeper:
    def __init__(
        self, before: FileState, after: FileState, retyped: Mapping[Ref, Ref], labels: Mapping[Ref, str], where: Where
    ) -> None:
        self.before = before
        self.after = after
        self.labels = labels
        self.where = where
        self.retyped = retyped
        self.former = {new: old for old, new in retyped.items()}
        self.kept: list[VariableState] = []
        self.words: list[str] = []
        self.collections: dict[Ref, CollectionState] = {}
        self.variables: dict[Ref, VariableState] = {}
        self.kept_modes: dict[Ref, list[Ref]] = {}
        self.new_modes: dict[Ref, list[Ref]] = {}
        self.taken = {
            mode.ref for state in (before, after) for each in state.collections.values() for mode in each.modes
        }

    def keep_collections(self) -> None:
        for ref, now in self.after.collections.items():
            was = self.before.collections.get(ref)
            if was is not None and not now.fixed:
                self.collections[ref] = self._with_modes_of(was, now)
            else:
                self.collections[ref] = self._extending(now) if now.parent is not None and not now.fixed else now
        for ref, was in self.before.collections.items():
            if ref not in self.after.collections and not was.fixed:
                self.collections[ref] = self._with_modes_of_parent(was)
                self.kept_modes.setdefault(was.root, []).extend(mode.ref for mode in was.modes)
                if was.parent is None or was.parent in self.after.collections:
                    self.words.append(f"collection {self._label(ref)}")

    def _with_modes_of(self, was: CollectionState, now: CollectionState) -> CollectionState:
        """Return all modes of both, the new ones last; a default mode that is held back stays the default."""
        wanted = {mode.ref: mode for mode in now.modes}
        had = {mode.ref for mode in was.modes}
        if now.parent is None:
            self.new_modes[now.ref] = [ref for ref in wanted if ref not in had]
        gone = [mode.ref for mode in was.modes if mode.ref not in wanted]
        if now.parent is not None:
            roots = root_modes(self.before, was)
            gone = [mode for mode in gone if roots.get(mode) in self.kept_modes.get(now.root, ())]
        if not gone:
            return now
        self.kept_modes.setdefault(now.root, []).extend(gone)
        if now.parent is None:
            self.words += (f"mode {self._label(now.ref)} / {self._mode(now.ref, mode)}" for mode in gone)
        modes = [wanted.get(mode.ref, mode) for mode in was.modes if mode.ref in wanted or mode.ref in gone]
        modes += [mode for mode in now.modes if mode.ref not in had]
        return replace(now, modes=tuple(modes), default=was.default if was.default in gone else now.default)

    def _extending(self, now: CollectionState) -> CollectionState:
        """Return the extension with a mode for each that is held back, and the default mode that stays."""
        wider = self._with_modes_of_parent(now)
        root = self.collections.get(now.root)
        if root is None or wider is now:
            return wider
        origins = root_modes(FileState({**self.collections, wider.ref: wider}, {}), wider)
        default = next((mode for mode, origin in origins.items() if origin == root.default), wider.default)
        return replace(wider, default=default)

    def _with_modes_of_parent(self, was: CollectionState) -> CollectionState:
        """Return an extension has a mode for each of its parent's, which may have more here."""
        parent = self.collections.get(was.parent or "")
        if parent is None:
            return was
        followed = {mode.parent for mode in was.modes}
        more = [
            ModeState(temporary(f"mode:{was.name}/{mode.name}", self.taken), mode.name, mode.ref)
            for mode in parent.modes
            if mode.ref not in followed
        ]
        return replace(was, modes=(*was.modes, *more)) if more else was

    def keep_variables(self) -> None:
        for ref, now in self.after.variables.items():
            if ref not in self.former:
                self.variables[ref] = self._with_kept_modes(now)
        for ref, was in self.before.variables.items():
            if ref not in self.after.variables and not was.fixed:
                self.kept.append(was)
                new = self.new_modes.get(was.collection, ())
                self.variables[ref] = self._filled(was, new)
                if was.collection in self.after.collections:
                    self.words.append(self._words(was))

    def _with_kept_modes(self, now: VariableState) -> VariableState:
        modes = self.kept_modes.get(now.collection)
        was = self.before.variables.get(now.ref)
        if modes and was is not None:
            return replace(now, values=now.values | {mode: was.values[mode] for mode in modes if mode in was.values})
        if modes and not now.fixed:
            return self._filled(now, [mode.ref for mode in self.collections[now.collection].modes])
        return now

    def _words(self, was: VariableState) -> str:
        new = self.retyped.get(was.ref)
        if new is None:
            return f"variable {self._label(was.ref)}"
        return f"the type of {self._label(was.ref)}: {was.type} to {self.after.variables[new].type}"

    def _filled(self, variable: VariableState, modes: Iterable[Ref]) -> VariableState:
        """Return the variable with the default mode's value in those of these modes where it has none."""
        default = self._default_value(variable)
        missing = [mode for mode in modes if mode not in variable.values]
        if not missing or default is None:
            return variable
        return replace(variable, values={**variable.values, **dict.fromkeys(missing, default)})

    def _default_value(self, variable: VariableState) -> StateValue | None:
        for state in (self.after, self.before):
            collection = state.collections.get(variable.collection)
            if collection is not None and collection.default in variable.values:
                return variable.values[collection.default]
        return None

    def problems(self) -> Iterator[Problem]:
        """Names that are not free, and references to what is not made, because of what is held back."""
        names = {(each.collection, each.name): each for each in self.kept}
        for ref, now in self.variables.items():
            was = self.before.variables.get(ref)
            kept = names.get((now.collection, now.name))
            if kept is not None and kept.ref != ref and (was is None or was.name != now.name):
                what = "its name is that of a variable that the token files no longer have, whose deletion is held back"
                to_do = f"{_PRUNE}, give it another name, or say in [[moved]] which token it was"
                yield problem("plan-name-held", self.where(ref, None), what, to_do)
            if self.former:
                yield from self._lost_targets(now)
        for here in self.collections.values():
            if here.parent is None and (held := self.kept_modes.get(here.ref)):
                yield from self._held_mode_names(here, held)

    def _held_mode_names(self, collection: CollectionState, held: Iterable[Ref]) -> Iterator[Problem]:
        was = self.before.collections[collection.ref]
        old = {mode.ref: mode.name for mode in was.modes}
        names = {old[mode] for mode in held if mode in old}
        for mode in collection.modes:
            if mode.name in names and mode.ref not in held and old.get(mode.ref) != mode.name:
                what = f'a mode whose deletion is held back is named "{shortened(mode.name)}", too'
                to_do = f"{_PRUNE}, give it another name, or say in [[moved]] which mode it was"
                yield problem("plan-name-held", self.where(collection.ref, mode.ref), what, to_do)

    def _lost_targets(self, variable: VariableState) -> Iterator[Problem]:
        for mode, value in variable.values.items():
            for target in targets_of(value):
                if target in self.former:
                    what = f"it refers to {self._label(target)}, whose change of type is held back"
                    yield problem("plan-target-held", self.where(variable.ref, mode), what, _PRUNE)

    def _label(self, ref: Ref) -> str:
        return self.labels.get(ref, ref)

    def _mode(self, collection: Ref, mode: Ref) -> str:
        return mode_label(self.labels, self._label(collection), mode)
