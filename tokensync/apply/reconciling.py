"""What became of a request whose answer was lost: the platform is read until that is certain.

A batch is atomic, so it is there with all its effects or with none. It may still be on its way when the platform is
read for the first time: that none of it is there yet proves something only once the platform is not going to take it up
any more, or when the platform itself would refuse it a second time (``Batch.guarded``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.batches.layout import with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import Aspect, CreateCollection, CreateExtension, CreateMode, CreateVariable, aspects_of
from tokensync.plan.state import ObjectValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.apply.journal import How
    from tokensync.apply.reading import Reading
    from tokensync.client import Clock
    from tokensync.plan.batches import Batch
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState


_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0
"""Seconds."""

_CREATIONS = (CreateCollection, CreateExtension, CreateMode, CreateVariable)


class Outcome(NamedTuple):
    """What the platform shows: ``ids`` when it is carried out, ``why`` when that is unclear."""

    how: How
    ids: dict[str, str]
    why: str = ""


def outcome_of(found: FileState, before: FileState, wanted: FileState, batch: Batch, ids: Mapping[Ref, str]) -> Outcome:
    """Return whether ``found`` shows a batch's effects.

    ``before`` and ``wanted`` are the states before and after it in the plan's refs, ``ids`` the real ids so far. What
    somebody else has changed does not matter where it concerns something else, or only some of what the batch made.
    """
    was, will_be = with_ids(before, ids), with_ids(wanted, ids)
    makes = recognised(found, was, will_be, batch.makes)
    if makes.ambiguous:
        names = ", ".join(makes.ambiguous[:3])
        return Outcome("unclear", {}, f"several things that are new could be what it made ({names})")
    will_be = with_ids(will_be, makes.ids)
    effects = differences(was, will_be)
    missing = aspects_of(differences(found, will_be))
    changed = aspects_of(differences(was, found))
    wanted_aspects = aspects_of(effects)
    there = wanted_aspects - missing
    other = wanted_aspects & missing & changed
    made = aspects_of(each for each in effects if isinstance(each, _CREATIONS))
    edited = {aspect for aspect in missing if _is_of(aspect, made)}
    if wanted_aspects == there and not edited:
        return Outcome("carried out", makes.ids)
    if made <= there and wanted_aspects == there | other and _any_intact(made, there, edited):
        return Outcome("carried out", makes.ids)  # and somebody has changed some of it since
    if not there and wanted_aspects != other:
        return Outcome("not carried out", {})
    return Outcome("unclear", {}, f"{len(there)} of its {len(wanted_aspects)} effects are there")


def _is_of(aspect: Aspect, made: frozenset[Aspect]) -> bool:
    """Return whether something that is missing is part of what the batch makes, rather than the whole of it."""
    return aspect not in made and (
        Aspect("variable", aspect.ref) in made or Aspect("collection", aspect.ref) in made or _has_mode(aspect, made)
    )


def _has_mode(aspect: Aspect, made: frozenset[Aspect]) -> bool:
    return aspect.kind == "value" and any(each.kind == "mode" and each.part == aspect.part for each in made)


def _any_intact(made: frozenset[Aspect], there: frozenset[Aspect], edited: set[Aspect]) -> bool:
    """Return whether anything new is just as the batch makes it, which nobody else is likely to have made by chance."""
    other = {each.ref for each in edited}
    valued = {each.part for each in there if each.kind == "value"}
    return any(
        (each.kind == "variable" and each.ref not in other) or (each.kind == "mode" and each.part in valued)
        for each in made
    )


class Reconciliation(NamedTuple):
    """An outcome, and the reading that shows it."""

    outcome: Outcome
    reading: Reading


def reconcile(
    read: Callable[[], Reading],
    outcome: Callable[[FileState], Outcome],
    since: float,
    *,
    guarded: bool,
    settling_time: float,
    clock: Clock,
    say: Callable[[str], None],
) -> Reconciliation:
    """Read until the outcome is final.

    Anything but "carried out" is final ``settling_time`` seconds after ``since`` (Unix seconds); "not carried out" is
    at once when the batch is ``guarded``. Raises what reading raises.
    """
    passed = clock.now() - since
    wait = min(settling_time, max(0.0, settling_time - passed))  # a clock that was set back makes no wait longer
    due = clock.elapsed() + wait
    pause = _FIRST_PAUSE
    while True:
        final = clock.elapsed() >= due
        reading = read()
        found = outcome(reading.state)
        if final or found.how == "carried out" or (found.how == "not carried out" and guarded):
            return Reconciliation(found, reading)
        rest = due - clock.elapsed()
        say(f"no answer came, and the platform does not show the request yet; looking again for {max(rest, 0):.0f} s")
        clock.sleep(max(0.0, min(pause, rest)))
        pause = min(2 * pause, _LONGEST_PAUSE)


class Recognised(NamedTuple):
    """Real ids of what was found, by temporary ones, and the names of collections that several things could be."""

    ids: dict[Ref, str]
    ambiguous: tuple[str, ...] = ()


def recognised(found: FileState, before: FileState, wanted: FileState, makes: Iterable[Ref]) -> Recognised:
    """Return what ``found`` holds of the things that ``makes`` names in ``wanted``, and ``before`` did not hold."""
    search = _Search(found, before, wanted, frozenset(makes))
    search.collections()
    search.modes()
    search.variables()
    return Recognised(search.ids, tuple(search.ambiguous))


class _Search:
    def __init__(self, found: FileState, before: FileState, wanted: FileState, makes: frozenset[Ref]) -> None:
        self.found = found
        self.before = before
        self.wanted = wanted
        self.makes = makes
        self.ids: dict[Ref, str] = {}
        self.ambiguous: list[str] = []
        self.new_variables = {
            (each.collection, each.name): each for ref, each in found.variables.items() if ref not in before.variables
        }
        self.wanted_in: dict[Ref, list[VariableState]] = {}
        for ref, variable in wanted.variables.items():
            if ref in makes:
                self.wanted_in.setdefault(variable.collection, []).append(variable)

    def collections(self) -> None:
        """A parent comes before its extensions, so that what is said of it is known by then."""
        fresh = [each for ref, each in self.found.collections.items() if ref not in self.before.collections]
        groups: dict[object, list[CollectionState]] = {}
        for ref, each in self.wanted.collections.items():
            if ref in self.makes:
                groups.setdefault(self._signature(each), []).append(each)
        for group in groups.values():
            candidates = [each for each in fresh if self._fits(group[0], each)]
            if len(candidates) > len(group) or len(group) > 1:
                self._tell_apart(group, candidates)
            elif candidates:
                self._take(group[0], candidates[0])

    def modes(self) -> None:
        """Those of collections that were there before, and what they are in the extensions."""
        for ref, wanted in self.wanted.collections.items():
            found = self.found.collections.get(ref)
            if ref in self.makes or found is None:
                continue
            known = {each.ref for each in wanted.modes}
            spare = [each for each in found.modes if each.ref not in known]
            for mode in wanted.modes:
                if mode.ref not in self.makes:
                    continue
                if wanted.parent is None:
                    fitting = [each for each in spare if each.name == mode.name]
                else:
                    parent = self._real(mode.parent)
                    fitting = [each for each in spare if each.parent == parent]
                if len(fitting) > 1:
                    self.ambiguous.append(f"{wanted.name}, {mode.name}")
                elif fitting:
                    self.ids[mode.ref] = fitting[0].ref

    def variables(self) -> None:
        for collection, variables in self.wanted_in.items():
            owner = self._real(collection)
            for each in variables:
                found = self.new_variables.get((owner or "", each.name))
                if found is not None and found.type == each.type:
                    self.ids[each.ref] = found.ref

    def _signature(self, collection: CollectionState) -> object:
        """Return what collections share that only their values may tell apart."""
        variables = frozenset((each.name, each.type) for each in self.wanted_in.get(collection.ref, ()))
        modes = tuple(each.name for each in collection.modes)
        return collection.name, collection.hidden, collection.parent, modes, variables

    def _fits(self, wanted: CollectionState, found: CollectionState) -> bool:
        if (wanted.name, wanted.hidden, found.fixed) != (found.name, found.hidden, False):
            return False
        if wanted.parent is not None:
            own = {self._real(each.parent) for each in wanted.modes}
            return self._real(wanted.parent) == found.parent and own <= {each.parent for each in found.modes}
        if found.parent is not None or [each.name for each in wanted.modes] != [
            each.name for each in found.modes[: len(wanted.modes)]
        ]:
            return False
        return all(
            (there := self.new_variables.get((found.ref, each.name))) is not None and there.type == each.type
            for each in self.wanted_in.get(wanted.ref, ())
        )

    def _tell_apart(self, group: list[CollectionState], candidates: list[CollectionState]) -> None:
        """By all that they hold; those that hold the same are interchangeable as long as there are no more of them."""
        rest = list(candidates)
        undecided: list[tuple[CollectionState, list[CollectionState]]] = []
        for wanted in group:
            alike = [each for each in candidates if self._alike(wanted, each)]
            if len(alike) > len(group):
                self.ambiguous.append(wanted.name)
                return
            undecided.append((wanted, alike))
        for wanted, alike in sorted(undecided, key=lambda pair: len(pair[1])):
            free = [each for each in alike if each in rest]
            if free:
                rest.remove(free[0])
                self._take(wanted, free[0])

    def _take(self, wanted: CollectionState, found: CollectionState) -> None:
        # A new extension has a mode for each of its parent's, also for one that a later request deletes.
        self.ids.update((ref, id_) for ref, id_ in self._ids(wanted, found).items() if ref in self.makes)

    def _ids(self, wanted: CollectionState, found: CollectionState) -> dict[Ref, str]:
        ids = {wanted.ref: found.ref}
        if wanted.parent is None:
            ids.update((mode.ref, there.ref) for mode, there in zip(wanted.modes, found.modes, strict=False))
        else:
            by_parent = {each.parent: each.ref for each in found.modes}
            ids.update(
                (mode.ref, by_parent[parent])
                for mode in wanted.modes
                if (parent := self._real(mode.parent)) in by_parent
            )
        return ids

    def _alike(self, wanted: CollectionState, found: CollectionState) -> bool:
        """Return whether all that the batch puts into a collection is in this one, just so."""
        ids = {**self.ids, **self._ids(wanted, found)}
        own = {mode.ref for mode in wanted.modes}
        if wanted.parent is None:
            pairs = [(each, self.new_variables[found.ref, each.name]) for each in self.wanted_in.get(wanted.ref, ())]
            ids.update((each.ref, there.ref) for each, there in pairs)
            return all(self._same_variable(each, there, ids) for each, there in pairs)
        overridden = (each for each in self.wanted.variables.values() if not own.isdisjoint(each.values))
        for each in overridden:
            there = self.found.variables.get(self._real(each.ref) or "")
            if there is None or not self._same_values(each, there, ids, own):
                return False
        return True

    def _same_variable(self, wanted: VariableState, found: VariableState, ids: Mapping[Ref, str]) -> bool:
        said = ("description", "hidden", "code_syntax")
        own = {mode for mode in wanted.values if mode in ids}
        return all(getattr(wanted, each) == getattr(found, each) for each in said) and self._same_values(
            wanted, found, ids, own
        )

    def _same_values(
        self, wanted: VariableState, found: VariableState, ids: Mapping[Ref, str], modes: Iterable[Ref]
    ) -> bool:
        return all(
            self._same(wanted.values[mode], found.values.get(ids.get(mode, mode)), ids)
            for mode in modes
            if mode in wanted.values
        )

    def _same(self, wanted: StateValue | None, found: object, ids: Mapping[Ref, str]) -> bool:
        """Return whether two values are equal, as far as the ids of what they refer to are known."""
        if not isinstance(wanted, ObjectValue) or not isinstance(found, ObjectValue):
            return wanted == found
        if wanted.alias is not None:
            known = ids.get(wanted.alias, wanted.alias)
            return known == found.alias or (known in self.makes and found.alias is not None)
        if wanted.color is not None:
            return self._same(wanted.color, found.color, ids) and self._same(wanted.opacity, found.opacity, ids)
        return wanted == found

    def _real(self, ref: Ref | None) -> str | None:
        """Return the id of what a ref names, once it is known."""
        return None if ref is None else self.ids.get(ref, ref)
