"""Make a plan from two states: operations, problems, safety findings, counts and held-back deletions.

Without ``--prune``, objects that are missing from the token files stay on the platform. ``--prune NAME`` deletes the
objects with that name, and those in a group or collection of that name. ``--only PATTERN`` narrows the desired state
to the tokens whose names match.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase, translate
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from tokensync.plan.batches import Batch, batches_of
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    CreateCollection,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateVariable,
    used_labels,
)
from tokensync.plan.plan import Counts, Plan, PlannedBatch
from tokensync.plan.safety import Referring, Search
from tokensync.plan.state import (
    FileState,
    ModeState,
    aliased,
    mode_label,
    root_modes,
    split_label,
    targets_of,
    temporary,
)
from tokensync.plan.validation import validate
from tokensync.system.errors import errors_among
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted, shortened
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, Ref, StateValue, VariableState
    from tokensync.settings import AllowConfig

    Where = Callable[[Ref, Ref | None], str]


_PRUNE = "run `tokensync plan --prune` to delete it"


class Deletion(NamedTuple):
    """An object that the desired state lacks: its name as in messages, with ``/``, and its ref.

    ``root`` is the ref of a mode's or extension's root collection.
    """

    kind: Literal["collection", "mode", "variable", "style"]
    name: str
    ref: Ref
    root: Ref = ""


_KINDS = {kind + " ": kind for kind in ("collection", "mode", "variable", "style")} | {"the type of ": "variable"}
"""The words before a name in ``HeldBack.descriptions``, which a user may copy."""


def deletions(before: FileState, after: FileState, labels: Mapping[Ref, str]) -> tuple[Deletion, ...]:
    """Return the collections, modes, variables and styles of ``before`` that ``after`` lacks."""
    found: list[Deletion] = []
    for ref, was in before.collections.items():
        now = after.collections.get(ref)
        handle = labels.get(ref, ref)
        if was.fixed:
            continue
        if now is None:
            found.append(Deletion("collection", handle, ref, was.root))
        elif was.parent is None:
            kept = {mode.ref for mode in now.modes}
            gone = (mode.ref for mode in was.modes if mode.ref not in kept)
            found += (Deletion("mode", f"{handle}/{mode_label(labels, handle, each)}", each, ref) for each in gone)
    for ref, variable in before.variables.items():
        if not variable.fixed and ref not in after.variables:
            found.append(Deletion("variable", "/".join(split_label(labels.get(ref, ref))), ref))
    styles = (ref for ref in before.styles if ref not in after.styles)
    found += (Deletion("style", "/".join(split_label(labels.get(ref, ref))), ref) for ref in styles)
    return tuple(found)


def selected(every: Sequence[Deletion], name: str) -> tuple[Deletion, ...]:
    """Return the deletions that a name selects: of that object, or of all objects in that group or collection.

    The name is written as in messages (``theme / text/main``, also after ``mode``) or as in token files.
    """
    spellings, kind = _spellings(name)
    chosen = {
        deletion
        for deletion in every
        if kind in ("", deletion.kind)
        and (deletion.name in spellings or any(deletion.name.startswith(f"{spelling}/") for spelling in spellings))
    }
    roots = {deletion.ref for deletion in chosen if deletion.kind == "collection"}
    # The variables of a collection go with it, and so do the collections that extend it.
    handles = tuple(f"{deletion.name}/" for deletion in chosen if deletion.kind == "collection")
    return tuple(
        deletion
        for deletion in every
        if deletion in chosen
        or (deletion.kind == "collection" and deletion.root in roots)
        or (deletion.kind == "variable" and handles and deletion.name.startswith(handles))
    )


def matching(every: Sequence[Deletion], pattern: str) -> tuple[Deletion, ...]:
    """Return the deletions whose names match a pattern of a shell, for advice: it selects none of them."""
    spellings, kind = _spellings(pattern)
    return tuple(
        deletion
        for deletion in every
        if kind in ("", deletion.kind) and any(fnmatchcase(deletion.name, spelling) for spelling in spellings)
    )


def _spellings(name: str) -> tuple[set[str], str]:
    """Return the names of deletions that a user's name can stand for, and the kind of objects, if it says that."""
    kind = next((word for word in _KINDS if name.startswith(word)), "")
    plain = name.removeprefix(kind).replace(" / ", "/").strip("/")
    return {plain} if "/" in plain else {plain, plain.replace(".", "/")}, _KINDS.get(kind, "")


class Narrowed(NamedTuple):
    """A desired state with the changes to some variables and styles only.

    ``chosen`` are the refs whose names match, also of deleted objects. ``along`` describes new objects that these need.
    """

    after: FileState
    chosen: frozenset[Ref]
    along: tuple[str, ...]


def narrowed(before: FileState, after: FileState, labels: Mapping[Ref, str], patterns: Sequence[str]) -> Narrowed:
    """Return ``after`` with its changes to variables and styles whose names match a pattern; the rest is ``before``.

    New alias targets of these, and the new collections, modes and extensions that their values need, are taken along.
    Collections and modes that ``after`` lacks are missing here, too, and so are chosen variables and styles.
    """
    matches = re.compile("|".join(f"(?:{translate(pattern)})" for pattern in patterns)).match
    every = dict.fromkeys((*after.variables, *before.variables, *after.styles, *before.styles))
    chosen = frozenset(ref for ref in every if matches("/".join(split_label(labels.get(ref, ref)))))

    def new_targets(ref: Ref) -> Iterator[Ref]:
        variable, style = after.variables.get(ref), after.styles.get(ref)
        targets = targets_of(*variable.values.values()) if variable else aliased(style.members) if style else ()
        return (target for target in targets if target in after.variables and target not in before.variables)

    taken = closure((ref for ref in after.variables.keys() | after.styles.keys() if ref in chosen), new_targets)
    collections, new_modes, along = _narrowed_collections(
        before, after, labels, [after.variables[ref] for ref in taken if ref in after.variables]
    )
    along += (labels.get(ref, ref) for ref in after.variables if ref in taken and ref not in chosen)
    variables: dict[Ref, VariableState] = {}
    for ref in every:
        was, now = before.variables.get(ref), after.variables.get(ref)
        if now is not None and ref in taken:
            variables[ref] = now
        elif was is not None and (now or was.fixed or ref not in chosen) and was.collection in collections:
            default = was.values.get(before.collections[was.collection].default)
            new = new_modes.get(was.collection, ()) if default is not None and not was.fixed else ()
            variables[ref] = replace(was, values={**was.values, **dict.fromkeys(new, default)}) if new else was
    styles = {
        ref: after.styles[ref] if ref in taken else before.styles.get(ref) for ref in every if ref in after.styles
    }
    styles |= {ref: style for ref, style in before.styles.items() if ref not in after.styles and ref not in chosen}
    wanted = {ref: style for ref, style in styles.items() if style is not None}
    return Narrowed(FileState(collections, variables, after.opaque, wanted), chosen, tuple(along))


def _narrowed_collections(
    before: FileState, after: FileState, labels: Mapping[Ref, str], taken: Iterable[VariableState]
) -> tuple[dict[Ref, CollectionState], dict[Ref, list[Ref]], list[str]]:
    """Return the collections for some variables of ``after``, the new modes of root collections, and what is new."""
    roots = {variable.collection for variable in taken}
    valued = {mode for variable in taken for mode in variable.values}
    used = set(roots)
    for collection in reversed([*after.collections.values()]):  # an extension stands after its parent
        if collection.parent is not None and (
            collection.ref in used or any(mode.ref in valued for mode in collection.modes)
        ):
            used |= {collection.ref, collection.parent}
    collections = {ref: was for ref, was in before.collections.items() if was.fixed and ref not in after.collections}
    new_modes: dict[Ref, list[Ref]] = {}
    along: list[str] = []
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if now.fixed:
            collections[ref] = now
        elif was is None and ref in used:
            # The names of modes stay, and an extension's modes have the names of its parent's.
            parent = collections.get(now.parent or "")
            names = {mode.ref: mode.name for mode in parent.modes} if parent else {}
            modes = tuple(replace(mode, name=names.get(mode.parent or "", mode.name)) for mode in now.modes)
            collections[ref] = replace(now, modes=modes)
            along.append(f"collection {labels.get(ref, ref)}")
        elif was is not None:
            had = {mode.ref: mode for mode in was.modes}
            new = [mode for mode in now.modes if mode.ref not in had] if now.root in roots else []
            wanted = {mode.ref for mode in now.modes}
            default = was.default if was.default in wanted else now.default
            kept = (had[mode] for mode in had if mode in wanted)
            collections[ref] = replace(was, modes=(*kept, *new), default=default)
            if now.parent is None and new:
                new_modes[ref] = [mode.ref for mode in new]
                handle = labels.get(ref, ref)
                along += (f"mode {handle} / {mode_label(labels, handle, mode.ref)}" for mode in new)
    return collections, new_modes, along


class HeldBack(NamedTuple):
    """The desired state without deletions, descriptions of those held back, and conflicts with them."""

    after: FileState
    descriptions: tuple[str, ...]
    problems: tuple[Problem, ...]


def held_back(
    before: FileState,
    after: FileState,
    *,
    retyped: Mapping[Ref, Ref],
    labels: Mapping[Ref, str],
    where: Where,
    prune: bool | Sequence[Deletion] = False,
) -> HeldBack:
    """Return ``after`` with every collection, mode, variable, style and type of ``before`` that it lacks.

    ``retyped`` holds the refs, old to new, of variables whose type changes: the new ones are held back with the old.
    ``prune`` are deletions that are not held back, or true for all. It is a problem if a new or renamed object needs
    the name of a retained one, or refers to a held-back new type.
    """
    if prune is True:
        return HeldBack(after, (), ())
    if not retyped and _has_everything(before, after):
        return HeldBack(after._replace(opaque=before.opaque), (), ())
    pruned = prune or ()
    objects = frozenset(deletion.ref for deletion in pruned if deletion.kind != "mode")
    modes = frozenset((deletion.root, deletion.ref) for deletion in pruned if deletion.kind == "mode")
    retyped = {old: new for old, new in retyped.items() if old not in objects}
    merged = _WithoutDeletions(before, after, retyped, labels, where, objects, modes)
    merged.add_collections()
    merged.add_variables()
    styles = {ref: style for ref, style in before.styles.items() if ref not in after.styles and ref not in objects}
    merged.descriptions += (f"style {labels.get(ref, ref)}" for ref in styles)
    state = FileState(merged.collections, merged.variables, before.opaque, {**after.styles, **styles})
    return HeldBack(state, tuple(merged.descriptions), tuple(merged.problems()))


def _has_everything(before: FileState, after: FileState) -> bool:
    """Return whether nothing of ``before`` is missing in ``after``, nor a new extension that may lack modes there."""
    if (
        not before.variables.keys() <= after.variables.keys()
        or not before.collections.keys() <= after.collections.keys()
        or not before.styles.keys() <= after.styles.keys()
    ):
        return False
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is None and now.parent is not None:
            return False
        if was is not None and not {mode.ref for mode in was.modes} <= {mode.ref for mode in now.modes}:
            return False
    return True


class _WithoutDeletions:
    def __init__(
        self,
        before: FileState,
        after: FileState,
        retyped: Mapping[Ref, Ref],
        labels: Mapping[Ref, str],
        where: Where,
        pruned: frozenset[Ref],
        pruned_modes: frozenset[tuple[Ref, Ref]],
    ) -> None:
        self.pruned = pruned
        self.pruned_modes = pruned_modes
        self.before = before
        self.after = after
        self.labels = labels
        self.where = where
        self.retyped = retyped
        self.former = {new: old for old, new in retyped.items()}
        self.retained: list[VariableState] = []
        self.descriptions: list[str] = []
        self.collections: dict[Ref, CollectionState] = {}
        self.variables: dict[Ref, VariableState] = {}
        self.retained_modes: dict[Ref, list[Ref]] = {}
        self.new_modes: dict[Ref, list[Ref]] = {}
        self.mode_refs = {
            mode.ref for state in (before, after) for each in state.collections.values() for mode in each.modes
        }

    def add_collections(self) -> None:
        for ref, now in self.after.collections.items():
            was = self.before.collections.get(ref)
            if was is not None and not now.fixed:
                self.collections[ref] = self._with_modes_of(was, now)
            else:
                self.collections[ref] = self._extension(now) if now.parent is not None and not now.fixed else now
        for ref, was in self.before.collections.items():
            if ref not in self.after.collections and not was.fixed and ref not in self.pruned:
                self.collections[ref] = self._with_modes_of_parent(was)
                self.retained_modes.setdefault(was.root, []).extend(mode.ref for mode in was.modes)
                if was.parent is None or was.parent in self.after.collections:
                    self.descriptions.append(f"collection {self._label(ref)}")

    def _with_modes_of(self, was: CollectionState, now: CollectionState) -> CollectionState:
        """Return the collection with all modes of both, new ones last. A retained default mode stays the default."""
        desired = {mode.ref: mode for mode in now.modes}
        had = {mode.ref for mode in was.modes}
        if now.parent is None:
            self.new_modes[now.ref] = [ref for ref in desired if ref not in had]
        deleted = [
            mode.ref for mode in was.modes if mode.ref not in desired and (now.ref, mode.ref) not in self.pruned_modes
        ]
        if now.parent is not None:
            roots = root_modes(self.before, was)
            deleted = [mode for mode in deleted if roots.get(mode) in self.retained_modes.get(now.root, ())]
        if not deleted:
            return now
        self.retained_modes.setdefault(now.root, []).extend(deleted)
        if now.parent is None:
            self.descriptions += (f"mode {self._label(now.ref)} / {self._mode(now.ref, mode)}" for mode in deleted)
        modes = [desired.get(mode.ref, mode) for mode in was.modes if mode.ref in desired or mode.ref in deleted]
        modes += [mode for mode in now.modes if mode.ref not in had]
        return replace(now, modes=tuple(modes), default=was.default if was.default in deleted else now.default)

    def _extension(self, now: CollectionState) -> CollectionState:
        """Return the extension with a mode for each retained mode, and the default mode that follows the root's."""
        extended = self._with_modes_of_parent(now)
        root = self.collections.get(now.root)
        if root is None or extended is now:
            return extended
        origins = root_modes(FileState({**self.collections, extended.ref: extended}, {}), extended)
        default = next((mode for mode, origin in origins.items() if origin == root.default), extended.default)
        return replace(extended, default=default)

    def _with_modes_of_parent(self, was: CollectionState) -> CollectionState:
        """Return the extension with a mode for each mode of its parent here."""
        parent = self.collections.get(was.parent or "")
        if parent is None:
            return was
        followed = {mode.parent for mode in was.modes}
        missing = [
            ModeState(temporary(f"mode:{was.name}/{mode.name}", self.mode_refs), mode.name, mode.ref)
            for mode in parent.modes
            if mode.ref not in followed
        ]
        return replace(was, modes=(*was.modes, *missing)) if missing else was

    def add_variables(self) -> None:
        for ref, now in self.after.variables.items():
            if ref in self.former:
                continue
            self.variables[ref] = now
            if modes := self.retained_modes.get(now.collection):
                if (former := self.before.variables.get(ref)) is not None:
                    old = {mode: former.values[mode] for mode in modes if mode in former.values}
                    self.variables[ref] = replace(now, values=now.values | old)
                elif not now.fixed:
                    self.variables[ref] = self._filled(
                        now, [mode.ref for mode in self.collections[now.collection].modes]
                    )
        for ref, was in self.before.variables.items():
            if ref not in self.after.variables and not was.fixed and ref not in self.pruned:
                self.retained.append(was)
                self.variables[ref] = self._filled(was, self.new_modes.get(was.collection, ()))
                if was.collection in self.after.collections:
                    new = self.retyped.get(ref)
                    change = "" if new is None else f": {was.type} to {self.after.variables[new].type}"
                    self.descriptions.append(
                        f"{'variable' if new is None else 'the type of'} {self._label(ref)}{change}"
                    )

    def _filled(self, variable: VariableState, modes: Iterable[Ref]) -> VariableState:
        """Return the variable with the default mode's value in each of the modes where it has none."""
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
        """Yield names that retained objects have, and references to types that are held back."""
        names = {(variable.collection, variable.name): variable for variable in self.retained}
        for ref, now in self.variables.items():
            was = self.before.variables.get(ref)
            retained = names.get((now.collection, now.name))
            if retained is not None and retained.ref != ref and (was is None or was.name != now.name):
                what = f"the name is that of {self._label(retained.ref)}, whose deletion is held back"
                to_do = f"{_PRUNE}, rename the token, or add a [[moved]] entry if it was renamed"
                yield problem("plan-name-held", self.where(ref, None), what, to_do)
            if self.former:
                yield from self._target_problems(now)
        for here in self.collections.values():
            if here.parent is None and (modes := self.retained_modes.get(here.ref)):
                yield from self._mode_name_problems(here, modes)

    def _mode_name_problems(self, collection: CollectionState, retained: Iterable[Ref]) -> Iterator[Problem]:
        was = self.before.collections[collection.ref]
        old = {mode.ref: mode.name for mode in was.modes}
        names = {old[mode] for mode in retained if mode in old}
        for mode in collection.modes:
            if mode.name in names and mode.ref not in retained and old.get(mode.ref) != mode.name:
                what = f'a mode whose deletion is held back is also named "{shortened(mode.name)}"'
                to_do = f"{_PRUNE}, rename the mode, or add a [[moved]] entry if it was renamed"
                yield problem("plan-name-held", self.where(collection.ref, mode.ref), what, to_do)

    def _target_problems(self, variable: VariableState) -> Iterator[Problem]:
        for mode, value in variable.values.items():
            for target in targets_of(value):
                if target in self.former:
                    what = f"it refers to {self._label(target)}, whose change of type is held back"
                    to_do = "run `tokensync plan --prune` to change the type"
                    yield problem("plan-target-held", self.where(variable.ref, mode), what, to_do)

    def _label(self, ref: Ref) -> str:
        return self.labels.get(ref, ref)

    def _mode(self, collection: Ref, mode: Ref) -> str:
        return mode_label(self.labels, self._label(collection), mode)


DELETIONS = (DeleteCollection, DeleteMode, DeleteVariable)
_CONSEQUENCES = {"plan-name-held": "plan-name-taken", "plan-target-held": "plan-alias"}


class Planning(NamedTuple):
    """What a plan depends on besides the states before and after it.

    ``file``, ``key`` and ``fingerprint`` are those of ``Plan``, ``labels`` those of both states. ``where`` returns the
    location in the token files of an object (ref) or of its value in a mode. ``prune`` are the deletions to carry out,
    or true for all. ``retyped`` are variables whose type changes, old ref to new, besides deleted and new ones of the
    same name. ``used`` describes how other files use variables, and ``generated`` names the platforms whose code syntax
    is generated, by variable; ``referring`` is called only if something is deleted. ``earlier`` are states that the
    platform held before.
    """

    file: str
    key: str
    fingerprint: str
    labels: Mapping[Ref, str]
    where: Callable[[Ref, Ref | None], str]
    prune: bool | Sequence[Deletion] = False
    allow: Sequence[AllowConfig] = ()
    retyped: Mapping[Ref, Ref] = MappingProxyType({})
    used: Mapping[Ref, str] = MappingProxyType({})
    generated: Mapping[Ref, Iterable[str]] = MappingProxyType({})
    referring: Callable[[], Referring] = Referring
    notes: tuple[str, ...] = ()
    rollback_of: str = ""
    earlier: Sequence[FileState] = ()

    def plan(self, before: FileState, after: FileState) -> tuple[Plan, tuple[Problem, ...]]:
        """Return the plan that leads from ``before`` to ``after``, and its problems.

        A plan with an error among its problems has no batches.
        """
        wanted = {old: new for old, new in self.retyped.items() if new in after.variables}
        changed_types = retyped_variables(before, after) | wanted
        after, descriptions, held_problems = held_back(
            before, after, retyped=changed_types, labels=self.labels, where=self.where, prune=self.prune
        )
        problems = [*held_problems]
        operations = differences(before, after)
        # A held-back deletion is reported already: omit the problems that it causes.
        reported = {(_CONSEQUENCES[problem.code], problem.where) for problem in problems}
        invalid = validate(before, after, operations, self.where, self.earlier)
        problems += [problem for problem in invalid if (problem.code, problem.where) not in reported]
        batches = () if errors_among(problems) else batches_of(operations, before)
        others = self.referring() if any(isinstance(operation, DELETIONS) for operation in operations) else Referring()
        search = Search(
            file=self.file,
            before=before,
            after=after,
            operations=operations,
            allow=self.allow,
            labels=self.labels,
            # Apply computes the findings again, and then knows only names.
            retyped=changed_types | retyped_variables(before, after),
            used=self.used,
            referring=others,
            generated=self.generated,
        )
        plan = Plan(
            file=self.file,
            key=self.key,
            fingerprint=self.fingerprint,
            operations=operations,
            counts=counts_of(operations),
            findings=search.findings(),
            batches=planned_batches(batches),
            labels=used_labels(operations, self.labels),
            held_back=descriptions,
            notes=(*self.notes, *_notes(before, operations, batches)),
            rollback_of=self.rollback_of,
        )
        return plan, tuple(problems)


def _notes(before: FileState, operations: Iterable[Operation], batches: Iterable[Batch]) -> Iterator[str]:
    """Yield a note about text in shared fonts, which no response of the API reveals, and the notes of the requests."""
    texts = {
        operation.variable
        for operation in operations
        if isinstance(operation, SetValue) and before.variables[operation.variable].type == "STRING"
    }
    if texts:
        yield (
            f"{counted(len(texts), 'text variable')} changed: Figma refuses such a change "
            "if text in a shared font of the organization is bound to the variable"
        )
    yield from (note for batch in batches for note in batch.notes)


def planned_batches(batches: Iterable[Batch]) -> tuple[PlannedBatch, ...]:
    """Return what a plan says about its requests."""
    return tuple(PlannedBatch(batch.largest, batch.operations, batch.why) for batch in batches)


def retyped_variables(before: FileState, after: FileState) -> dict[Ref, Ref]:
    """Return the deleted variables (to new ones) for which there are new ones of the same name and another type."""
    deleted = {
        (each.collection, each.name): each
        for ref, each in before.variables.items()
        if not each.fixed and ref not in after.variables
    }
    if not deleted:
        return {}
    found = {}
    for ref, now in after.variables.items():
        if ref not in before.variables and (was := deleted.get((now.collection, now.name))) and was.type != now.type:
            found[was.ref] = ref
    return found


def counts_of(operations: Sequence[Operation]) -> Counts:
    """Return the counts. The modes of a new collection count as new; those of an extension do not."""
    totals = Counter(operation.counted for operation in operations)
    totals["modes_created"] += sum(len(each.modes) for each in operations if isinstance(each, CreateCollection))
    updated = {operation.ref for operation in operations if isinstance(operation, UpdateVariable)}
    updated |= {operation.variable for operation in operations if isinstance(operation, SetValue)}
    totals["variables_updated"] = len(updated)
    return Counts(**totals)
