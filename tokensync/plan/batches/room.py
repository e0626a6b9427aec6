"""Room at the platform's limits: what is going to be deleted makes it, one thing for each new one (4.3 rule 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.state import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.batches.aim import Aim
    from tokensync.plan.operations import DeleteMode, DeleteVariable
    from tokensync.plan.state import Ref


class Room:
    """Counts what collections hold while a plan is laid out, and hands out deletions when one is full."""

    def __init__(self, aim: Aim) -> None:
        self._aim = aim
        self._variables = {ref: len(each) for ref, each in aim.before.opaque.items()}
        for variable in aim.before.variables.values():
            self._variables[variable.collection] = self._variables.get(variable.collection, 0) + 1
        self._modes = {ref: len(each.modes) for ref, each in aim.before.collections.items()}
        self._going: dict[Ref, list[tuple[int, DeleteVariable]]] | None = None
        self._going_modes = {root: self._late_default(root) for root in aim.dropped_modes}
        self._gone: set[int] = set()

    def for_variable(self, collection: Ref) -> tuple[int, DeleteVariable] | None:
        """One variable more in a collection: what has to be deleted before, if anything has to and can be."""
        count = self._variables.get(collection, 0)
        if count >= VARIABLES_PER_COLLECTION:
            if self._going is None:
                self._going = self._going_variables()
            if going := self._going.get(collection):
                found = going.pop()
                self._gone.add(found[0])
                return found
        self._variables[collection] = count + 1
        return None

    def for_mode(self, root: Ref) -> tuple[int, DeleteMode] | None:
        """One mode more in a collection: what has to be deleted before, if anything has to and can be."""
        count = self._modes.get(root, 0)
        if count >= MODES_PER_COLLECTION and (going := self._going_modes.get(root)):
            found = going.pop()
            self._gone.add(found[0])
            return found
        self._modes[root] = count + 1
        return None

    def goes_first(self, index: int, mode: DeleteMode) -> None:
        """A mode is deleted before anything asks for room."""
        self._gone.add(index)
        self._modes[mode.collection] -= 1
        self._going_modes[mode.collection].remove((index, mode))

    def variables_left(self) -> Iterator[tuple[int, DeleteVariable]]:
        """The deletions of variables that have not been handed out, in the plan's order."""
        return (each for each in self._aim.gone.values() if each[0] not in self._gone)

    def modes_left(self) -> Iterator[tuple[int, DeleteMode]]:
        """The deletions of modes that have not been handed out, in the plan's order."""
        return (each for modes in self._aim.dropped_modes.values() for each in modes if each[0] not in self._gone)

    def default_went_first(self, root: Ref) -> bool:
        """Whether a collection's default mode goes before the last new mode is made, which then starts from another."""
        going = self._aim.gone_modes.get((root, self._aim.before.collections[root].default))
        is_full = len(self._aim.before.collections[root].modes) + len(self._aim.new_modes[root]) > MODES_PER_COLLECTION
        return going is not None and (is_full or going in self._gone)

    def _late_default(self, root: Ref) -> list[tuple[int, DeleteMode]]:
        """The modes that go, to be taken from the end: the default mode, which others are filled from, comes last."""
        default = self._aim.before.collections[root].default
        return sorted(self._aim.dropped_modes[root], key=lambda each: (each[1].ref != default, -each[0]))

    def _going_variables(self) -> dict[Ref, list[tuple[int, DeleteVariable]]]:
        """Of each collection the variables that go, to be taken from the end: those that nothing refers to come first.

        A deletion that comes early takes nothing away then from what is still there.
        """
        aim = self._aim
        referred = {
            target
            for ref, variable in aim.before.variables.items()
            if aim.survives(ref)
            for target in targets_of(*variable.values.values())
        }
        found: dict[Ref, list[tuple[int, DeleteVariable]]] = {}
        for each in sorted(aim.gone.values(), key=lambda each: (each[1].ref not in referred, -each[0])):
            found.setdefault(each[1].collection, []).append(each)
        return found
