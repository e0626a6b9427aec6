"""Read the platform until it is certain whether a request without a response was applied.

A batch is atomic: all its effects are there, or none. It may still be in transit at the first reading, so missing
effects prove something only after a time limit, or if the platform would refuse the batch a second time
(``Batch.guarded``). A cache, a replica or a proxy may also answer with an empty, old or foreign response. So a reading
counts only if it holds what the batch does not delete, and two equal outcomes in a row prove what no new id does. Time
is measured by a monotonic clock: setting the time neither ends nor extends a wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.batches import with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import Aspect, CreateCollection, CreateExtension, CreateMode, CreateVariable, aspects_of
from tokensync.plan.state import ObjectValue
from tokensync.system.wording import counted, listed_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.apply.journal import How, Sending
    from tokensync.apply.reading import Reading
    from tokensync.extract.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState


_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0
"""Seconds."""

_CREATIONS = (CreateCollection, CreateExtension, CreateMode, CreateVariable)


class Outcome(NamedTuple):
    """The outcome of a batch: ``ids`` are set if it was applied, ``why`` if that is unclear."""

    how: How
    ids: dict[str, str]
    why: str = ""


def outcome_of(
    current: FileState, before: FileState, desired: FileState, batch: Batch, ids: Mapping[Ref, str]
) -> Outcome:
    """Return whether the state ``current`` shows the effects of a batch.

    ``before`` and ``desired`` are the states before and after it in the plan's refs, ``ids`` the real ids so far.
    Changes by others to other objects, or to some of the created objects, are ignored, but not deletions: an empty
    response, or that of another file, lacks the same objects.
    """
    was, will_be = with_ids(before, ids), with_ids(desired, ids)
    if missing := missing_objects(current, was, will_be):
        return Outcome("unclear", {}, f"the file lacks objects that the request does not delete ({missing})")
    objects = identify_created(current, was, will_be, batch.makes)
    if objects.ambiguous:
        names = ", ".join(objects.ambiguous[:3])
        return Outcome("unclear", {}, f"several new objects match the ones that it creates ({names})")
    will_be = with_ids(will_be, objects.ids)
    effects = differences(was, will_be)
    lacking = aspects_of(differences(current, will_be))
    changed = aspects_of(differences(was, current))
    desired_aspects = aspects_of(effects)
    present = desired_aspects - lacking
    other = desired_aspects & lacking & changed
    created = aspects_of(each for each in effects if isinstance(each, _CREATIONS))
    edited = {aspect for aspect in lacking if _is_part_of(aspect, created)}
    if desired_aspects == present and not edited:
        return Outcome("carried out", objects.ids)
    if created <= present and desired_aspects == present | other and _any_unedited(created, present, edited):
        return Outcome("carried out", objects.ids)  # and somebody has changed part of it since
    if not present and desired_aspects != other:
        return Outcome("not carried out", {})
    return Outcome("unclear", {}, f"{len(present)} of its {counted(len(desired_aspects), 'effect')} found")


def missing_objects(current: FileState, was: FileState, will_be: FileState) -> str:
    """Return the names of objects that both other states hold and ``current`` lacks, as a text."""
    both = was.collections.keys() & will_be.collections.keys()
    names = [was.collections[ref].name for ref in both - current.collections.keys()]
    for ref in both & current.collections.keys():
        present = current.collections[ref].modes
        gone = {mode.ref for mode in will_be.collections[ref].modes} - {mode.ref for mode in present}
        names += [mode.name for mode in was.collections[ref].modes if mode.ref in gone]
    variables = was.variables.keys() & will_be.variables.keys()
    names += [was.variables[ref].name for ref in variables - current.variables.keys()]
    return listed_once(sorted(names))


def _is_part_of(aspect: Aspect, created: frozenset[Aspect]) -> bool:
    """Return whether a missing aspect is a part of a created object and not the whole object."""
    return aspect not in created and (
        Aspect("variable", aspect.ref) in created
        or Aspect("collection", aspect.ref) in created
        or (aspect.kind == "value" and any(each.kind == "mode" and each.part == aspect.part for each in created))
    )


def _any_unedited(created: frozenset[Aspect], present: frozenset[Aspect], edited: set[Aspect]) -> bool:
    """Return whether a created object is exactly as in the batch, which is hardly a coincidence."""
    other = {each.ref for each in edited}
    valued = {each.part for each in present if each.kind == "value"}
    return any(
        (each.kind == "variable" and each.ref not in other) or (each.kind == "mode" and each.part in valued)
        for each in created
    )


class Reconciliation(NamedTuple):
    """An outcome, and the reading that shows it."""

    outcome: Outcome
    reading: Reading


def reconcile(
    read: Callable[[], Reading],
    outcome: Callable[[FileState], Outcome],
    wait: float,
    *,
    guarded: bool,
    clock: Clock,
    report: Callable[[str], None],
    tell: Callable[[str], None],
) -> Reconciliation:
    """Read until the outcome is final.

    "carried out" is final at once if it has new ids, and "not carried out" if the batch is ``guarded``. Others are
    final if two readings show them, and after ``wait`` seconds unless they are "carried out". ``tell`` gets one message
    about the wait. Raises the errors of reading.
    """
    due = clock.elapsed() + wait
    pause = _FIRST_PAUSE
    last = None
    while True:
        final = clock.elapsed() >= due
        reading = read()
        result = outcome(reading.state)
        if result.ids or (result.how == "not carried out" and guarded):
            return Reconciliation(result, reading)
        if result.how == last and (final or result.how == "carried out"):
            return Reconciliation(result, reading)
        rest = max(_FIRST_PAUSE, due - clock.elapsed())
        if result.how != "carried out":
            what = "the outcome is uncertain, and the file does not show the request yet"
            (report if last else tell)(f"{what}; reading again for {rest:.0f} s")
        clock.sleep(min(pause, rest))
        pause = min(2 * pause, _LONGEST_PAUSE)
        last = result.how


def time_to_settle(sending: Sending, settling_time: float, clock: Clock) -> float:
    """Return the seconds until a request that was sent by this process or an earlier one cannot be applied any more.

    Clocks of different boots or machines cannot be compared, and the time of day may have been set since. Then it is
    the whole ``settling_time``.
    """
    same_boot = sending.boot != "" and sending.boot == clock.boot()
    passed = clock.elapsed() - sending.elapsed if same_boot else 0.0
    return settling_time - min(max(0.0, passed), settling_time)


class CreatedObjects(NamedTuple):
    """Real ids of created objects by temporary ones, and the names of objects with several candidates."""

    ids: dict[Ref, str]
    ambiguous: tuple[str, ...] = ()


def identify_created(
    current: FileState, before: FileState, desired: FileState, created_refs: Iterable[Ref]
) -> CreatedObjects:
    """Return the ids in ``current`` of the objects of ``desired`` with ``created_refs``, which ``before`` lacks."""
    search = _Identification(current, before, desired, frozenset(created_refs))
    search.collections()
    search.modes()
    search.variables()
    return CreatedObjects(search.ids, tuple(search.ambiguous))


class _Identification:
    def __init__(self, current: FileState, before: FileState, desired: FileState, created_refs: frozenset[Ref]) -> None:
        self.current = current
        self.before = before
        self.desired = desired
        self.created_refs = created_refs
        self.ids: dict[Ref, str] = {}
        self.ambiguous: list[str] = []
        self.new_variables = {
            (each.collection, each.name): each for ref, each in current.variables.items() if ref not in before.variables
        }
        self.desired_in: dict[Ref, list[VariableState]] = {}
        for ref, variable in desired.variables.items():
            if ref in created_refs:
                self.desired_in.setdefault(variable.collection, []).append(variable)

    def collections(self) -> None:
        # A parent comes before its extensions, so its id is known by then.
        new_collections = [each for ref, each in self.current.collections.items() if ref not in self.before.collections]
        groups: dict[object, list[CollectionState]] = {}
        for ref, each in self.desired.collections.items():
            if ref in self.created_refs:
                groups.setdefault(self._signature(each), []).append(each)
        for group in groups.values():
            candidates = [each for each in new_collections if self._fits(group[0], each)]
            if len(candidates) > len(group) or len(group) > 1:
                self._distinguish(group, candidates)
            elif candidates:
                self._assign(group[0], candidates[0])

    def modes(self) -> None:
        """Identify new modes of existing collections and of their extensions."""
        for ref, desired in self.desired.collections.items():
            current = self.current.collections.get(ref)
            if ref in self.created_refs or current is None:
                continue
            known = {each.ref for each in desired.modes}
            unassigned = [each for each in current.modes if each.ref not in known]
            for mode in desired.modes:
                if mode.ref not in self.created_refs:
                    continue
                if desired.parent is None:
                    fitting = [each for each in unassigned if each.name == mode.name]
                else:
                    parent = self._real(mode.parent)
                    fitting = [each for each in unassigned if each.parent == parent]
                if len(fitting) > 1:
                    self.ambiguous.append(f"{desired.name}, {mode.name}")
                elif fitting:
                    self.ids[mode.ref] = fitting[0].ref

    def variables(self) -> None:
        for collection, variables in self.desired_in.items():
            owner = self._real(collection)
            for each in variables:
                current = self.new_variables.get((owner or "", each.name))
                if current is not None and current.type == each.type:
                    self.ids[each.ref] = current.ref

    def _signature(self, collection: CollectionState) -> object:
        """Return what collections have in common if only their values may differ."""
        variables = frozenset((each.name, each.type) for each in self.desired_in.get(collection.ref, ()))
        modes = tuple(each.name for each in collection.modes)
        return collection.name, collection.hidden, collection.parent, modes, variables

    def _fits(self, desired: CollectionState, current: CollectionState) -> bool:
        if (desired.name, desired.hidden, current.fixed) != (current.name, current.hidden, False):
            return False
        if desired.parent is not None:
            own = {self._real(each.parent) for each in desired.modes}
            return self._real(desired.parent) == current.parent and own <= {each.parent for each in current.modes}
        if current.parent is not None or [each.name for each in desired.modes] != [
            each.name for each in current.modes[: len(desired.modes)]
        ]:
            return False
        return all(
            (present := self.new_variables.get((current.ref, each.name))) is not None and present.type == each.type
            for each in self.desired_in.get(desired.ref, ())
        )

    def _distinguish(self, group: list[CollectionState], candidates: list[CollectionState]) -> None:
        """Assign collections by their content. Equal ones are interchangeable if there are not more than desired."""
        rest = list(candidates)
        undecided: list[tuple[CollectionState, list[CollectionState]]] = []
        for desired in group:
            matching = [each for each in candidates if self._has_content(desired, each)]
            if len(matching) > len(group):
                self.ambiguous.append(desired.name)
                return
            undecided.append((desired, matching))
        for desired, matching in sorted(undecided, key=lambda pair: len(pair[1])):
            free = [each for each in matching if each in rest]
            if free:
                rest.remove(free[0])
                self._assign(desired, free[0])

    def _assign(self, desired: CollectionState, current: CollectionState) -> None:
        # A new extension has a mode for each of its parent's, even for one that a later request deletes.
        self.ids.update((ref, id_) for ref, id_ in self._ids(desired, current).items() if ref in self.created_refs)

    def _ids(self, desired: CollectionState, current: CollectionState) -> dict[Ref, str]:
        ids = {desired.ref: current.ref}
        if desired.parent is None:
            ids.update((mode.ref, present.ref) for mode, present in zip(desired.modes, current.modes, strict=False))
        else:
            by_parent = {each.parent: each.ref for each in current.modes}
            ids.update(
                (mode.ref, by_parent[parent])
                for mode in desired.modes
                if (parent := self._real(mode.parent)) in by_parent
            )
        return ids

    def _has_content(self, desired: CollectionState, current: CollectionState) -> bool:
        """Return whether a collection has all the content that the batch puts into the desired one."""
        ids = {**self.ids, **self._ids(desired, current)}
        own = {mode.ref for mode in desired.modes}
        if desired.parent is None:
            pairs = [
                (each, self.new_variables[current.ref, each.name]) for each in self.desired_in.get(desired.ref, ())
            ]
            ids.update((each.ref, present.ref) for each, present in pairs)
            return all(self._same_variable(each, present, ids) for each, present in pairs)
        overridden = (each for each in self.desired.variables.values() if not own.isdisjoint(each.values))
        for each in overridden:
            present = self.current.variables.get(self._real(each.ref) or "")
            if present is None or not self._same_values(each, present, ids, own):
                return False
        return True

    def _same_variable(self, desired: VariableState, current: VariableState, ids: Mapping[Ref, str]) -> bool:
        members = ("description", "hidden", "code_syntax")
        own = {mode for mode in desired.values if mode in ids}
        return all(getattr(desired, each) == getattr(current, each) for each in members) and self._same_values(
            desired, current, ids, own
        )

    def _same_values(
        self, desired: VariableState, current: VariableState, ids: Mapping[Ref, str], modes: Iterable[Ref]
    ) -> bool:
        return all(
            self._same(desired.values[mode], current.values.get(ids.get(mode, mode)), ids)
            for mode in modes
            if mode in desired.values
        )

    def _same(self, desired: StateValue | None, current: object, ids: Mapping[Ref, str]) -> bool:
        """Return whether two values are equal, as far as the ids of their targets are known."""
        if not isinstance(desired, ObjectValue) or not isinstance(current, ObjectValue):
            return desired == current
        if desired.alias is not None:
            known = ids.get(desired.alias, desired.alias)
            return known == current.alias or (known in self.created_refs and current.alias is not None)
        if desired.color is not None:
            return self._same(desired.color, current.color, ids) and self._same(desired.opacity, current.opacity, ids)
        return desired == current

    def _real(self, ref: Ref | None) -> str | None:
        """Return the real id of a ref, or the ref if the id is not known yet."""
        return None if ref is None else self.ids.get(ref, ref)
