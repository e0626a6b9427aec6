"""Check collections, modes, extensions and limits, and find changes that no request can make."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.plan.differ import changed_metadata
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.state import root_modes
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState
    from tokensync.system.problems import Problem
    from tokensync.tokens import OpaqueVariable


class Intent:
    """The states before and after a plan, and its operations by kind."""

    def __init__(
        self,
        before: FileState,
        after: FileState,
        operations: Sequence[Operation],
        where: Callable[[Ref, Ref | None], str],
        earlier: Sequence[FileState] = (),
    ) -> None:
        self.before = before
        self.after = after
        self.where = where
        self._earlier = earlier
        self.new_collections: list[CreateCollection | CreateExtension] = []
        self.updated_collections: list[UpdateCollection] = []
        self.new_modes: list[CreateMode] = []
        self.renamed_modes: list[RenameMode] = []
        self.new_variables: list[VariableState] = []
        self.updated_variables: list[UpdateVariable] = []
        self.new_values: list[tuple[VariableState, Ref, StateValue]] = []
        """The variable, the mode and the value, for each value of new and existing variables."""
        for each in operations:
            match each:
                case CreateCollection() | CreateExtension():
                    self.new_collections.append(each)
                case UpdateCollection():
                    self.updated_collections.append(each)
                case CreateMode():
                    self.new_modes.append(each)
                case RenameMode():
                    self.renamed_modes.append(each)
                case CreateVariable(variable=variable):
                    self.new_variables.append(variable)
                    self.new_values += ((variable, mode, value) for mode, value in variable.values.items())
                case UpdateVariable():
                    self.updated_variables.append(each)
                case SetValue(variable=ref, mode=mode, after=value) if value is not None:
                    self.new_values.append((after.variables[ref], mode, value))
                case _:
                    pass

    @cached_property
    def opaque(self) -> dict[Ref, OpaqueVariable]:
        """Return the variables of unknown types, which no plan changes, by id."""
        return {each.id: each for owned in self.before.opaque.values() for each in owned}

    @cached_property
    def scopes_on_platform(self) -> frozenset[tuple[str, str]]:
        """Return the (type, scope) pairs of all variables that the platform has or had."""
        return frozenset(
            (each.type, scope)
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for scope in each.scopes
        )

    @cached_property
    def platforms_on_platform(self) -> frozenset[str]:
        """Return the platforms for which some variable has or had code syntax."""
        return frozenset(
            platform
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for platform, _ in each.code_syntax
        )

    @cached_property
    def repeated_mode_names(self) -> frozenset[tuple[Ref, str]]:
        """Return (collection, mode name) where several modes shared the name earlier: a rollback restores them."""
        return frozenset(
            (each.ref, name)
            for state in self._earlier
            for each in state.collections.values()
            for name, number in Counter(mode.name for mode in each.modes).items()
            if number > 1
        )

    def had_collections(self, name: str, number: int) -> bool:
        """Return whether as many collections shared the name earlier: a rollback restores them."""
        return any(sum(each.name == name for each in state.collections.values()) >= number for state in self._earlier)

    def problem(self, code: str, ref: Ref, mode: Ref | None, what: str, what_to_do: str) -> Problem:
        """Return a problem at the location of an object or of its value in a mode."""
        return problem(code, self.where(ref, mode), what, what_to_do)

    def name_of(self, ref: Ref) -> str:
        """Return the name of a variable or collection for a message."""
        for state in (self.after, self.before):
            found = state.variables.get(ref) or state.collections.get(ref)
            if found is not None:
                return quoted(found.name)
        opaque = self.opaque.get(ref)
        return quoted(ref if opaque is None else opaque.name)


def quoted(name: str) -> str:
    """Return a name in quotes, shortened when it is long."""
    return f'"{shortened(name)}"'


_IMMUTABLE = "plan-changeless"


def immutable_problems(intent: Intent) -> Iterator[Problem]:
    """Yield changes of what cannot change: a variable's type and collection, a collection's parent and last mode."""
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is None or was is now or now.fixed:
            continue
        if was.type != now.type:
            what = f"its type changes from {was.type} to {now.type}, which no request can do"
            yield intent.problem(_IMMUTABLE, ref, None, what, "remove its id to make it a new variable")
        if was.collection != now.collection:
            what = f"it moves to {intent.name_of(now.collection)}, which no request can do"
            yield intent.problem(_IMMUTABLE, ref, None, what, "remove its id to make it a new variable")
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if former is not None and former.parent != here.parent and not here.fixed:
            what = "it extends another collection than before, which no request can change"
            yield intent.problem(_IMMUTABLE, ref, None, what, "remove its id to make it a new collection")
        if former is not None and former.modes and not here.modes and not here.fixed:
            what = "its last mode is deleted, which no request can do"
            yield intent.problem(_IMMUTABLE, ref, None, what, "keep one mode")


_FIXED = "plan-fixed"
_FOREIGN = ("it belongs to another file and cannot be changed here", "change it in that file")


def fixed_problems(intent: Intent) -> Iterator[Problem]:
    """Yield changes of objects of other files, which can only be referred to and overridden."""
    overriding: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        if each.parent is not None and not each.fixed:
            overriding.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if not now.fixed or was is None or was is now:
            continue
        if _differ(was, now, overriding.get(now.collection, set())):
            yield intent.problem(_FIXED, ref, None, *_FOREIGN)
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if here.fixed and former is not None and (former.name, former.hidden) != (here.name, here.hidden):
            yield intent.problem(_FIXED, ref, None, *_FOREIGN)
    for variable in intent.new_variables:
        collection = intent.after.collections.get(variable.collection)
        if collection is None or collection.fixed:
            what = "its collection belongs to another file and cannot get new variables here"
            yield intent.problem(_FIXED, variable.ref, None, what, "move it to a collection of this file")
    for changed, mode, _ in intent.new_values:
        owner = intent.after.collections.get(changed.collection)
        if (
            owner is not None
            and owner.fixed
            and not changed.fixed
            and changed.ref in intent.before.variables
            and mode in (each.ref for each in owner.modes)
        ):
            what = "its collection is missing from the platform's response, so its values cannot be set"
            yield intent.problem(_FIXED, changed.ref, mode, what, "change the value in the design file and pull")


def _differ(was: VariableState, now: VariableState, overriding: set[Ref]) -> bool:
    """Return whether two states of a variable differ, apart from overrides in this file."""
    if was == now:
        return False
    own = [{mode: value for mode, value in each.values.items() if mode not in overriding} for each in (was, now)]
    return own[0] != own[1] or changed_metadata(replace(was, values={}), replace(now, values={})) is not None


def repeated_collection_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new collections whose name several collections have already, none of which the token files know.

    After a proxy has sent a request twice, the file has two equal collections, and nothing tells which of them the
    folder of a new one means. So every further plan would create another one.
    """
    names = Counter(each.name for each in intent.before.collections.values() if not each.fixed)
    for each in intent.new_collections:
        number = names[each.name]
        if number > 1 and not intent.had_collections(each.name, number + 1):
            what = f"the file has {number} collections named {quoted(each.name)} already, and this would be another one"
            to_do = "delete the superfluous ones in the editor and make a new plan; or choose another name"
            yield intent.problem("plan-collection-repeated", each.ref, None, what, to_do)


def default_mode_problems(intent: Intent) -> Iterator[Problem]:
    """Yield collections that would not get the desired default mode.

    No request sets it: it is the first mode of a new collection, and the first remaining one when it is deleted.
    """
    for ref, now in intent.after.collections.items():
        was = intent.before.collections.get(ref)
        if now.fixed or not now.modes or (was is not None and was.default == now.default):
            continue
        if now.parent is None:
            resulting = None if was is None else _default_on_platform(was, now)
            if resulting is not None and resulting != now.default:
                desired, actual = (_mode_name(now, mode) for mode in (now.default, resulting))
                what = f"the token files make {desired} the default mode; on the platform it would be {actual}"
                to_do = f"change it in the design file and pull, or make {actual} the default in the token files"
                yield intent.problem("plan-default-mode", ref, now.default, what, to_do)
        elif not _has_root_default(intent, now):
            what = "the default mode of an extension must be the one that extends its collection's default mode"
            yield intent.problem("plan-default-mode", ref, now.default, what, "make that mode its default")


def _default_on_platform(was: CollectionState, now: CollectionState) -> Ref:
    """Return the default mode that the platform will choose: the old one, or the first remaining one."""
    modes = [mode.ref for mode in now.modes]
    remaining = [mode.ref for mode in was.modes if mode.ref in modes]
    return was.default if was.default in remaining else [*remaining, *modes][0]


def _has_root_default(intent: Intent, extension: CollectionState) -> bool:
    """Return whether an extension's default mode extends the root's default mode, the desired or the resulting one."""
    root, was = (state.collections.get(extension.root) for state in (intent.after, intent.before))
    if root is None or not root.modes:
        return True
    resulting = root.default if was is None else _default_on_platform(was, root)
    return root_modes(intent.after, extension).get(extension.default) in (None, root.default, resulting)


def _mode_name(collection: CollectionState, mode: Ref) -> str:
    return quoted(next((each.name for each in collection.modes if each.ref == mode), mode))


_EXTENSION = "plan-extension"
_NO_MODES_OF_ITS_OWN = "give the extension exactly the modes of its parent"


def extension_problems(intent: Intent) -> Iterator[Problem]:
    """Yield extensions with modes or variables of their own, and extensions of collections that cannot be extended."""
    for ref, now in intent.after.collections.items():
        was = intent.before.collections.get(ref)
        if now.parent is None or now.fixed:
            continue
        if was is None:
            yield from _new_extension(intent, now)
        elif was.modes != now.modes:
            yield from _changed_extension(intent, was, now)
    for variable in intent.new_variables:
        collection = intent.after.collections.get(variable.collection)
        if collection is not None and collection.parent is not None:
            what = f"{intent.name_of(collection.ref)} is an extension, which cannot have variables of its own"
            yield intent.problem(_EXTENSION, variable.ref, None, what, "move it to the extended collection")


def _new_extension(intent: Intent, now: CollectionState) -> Iterator[Problem]:
    parent = intent.after.collections.get(now.parent or "")
    if parent is None or parent.fixed:
        what = f"it extends a collection {'of another file' if parent else 'that is not in this file'}"
        yield intent.problem(_EXTENSION, now.ref, None, what, "create the extension in the design file and pull")
        return
    names = {mode.ref: mode.name for mode in parent.modes}
    for mode in now.modes:
        if mode.parent not in names:
            what = f"its mode {quoted(mode.name)} extends no mode of {intent.name_of(parent.ref)}"
            yield intent.problem(_EXTENSION, now.ref, mode.ref, what, _NO_MODES_OF_ITS_OWN)
        elif (name := names.pop(mode.parent)) != mode.name:
            what = f"its mode {quoted(mode.name)} is named {quoted(name)} in {intent.name_of(parent.ref)}"
            yield intent.problem(_EXTENSION, now.ref, mode.ref, what, "give both the same name")
    for name in names.values():
        what = f"it lacks the mode {quoted(name)} of {intent.name_of(parent.ref)}"
        yield intent.problem(_EXTENSION, now.ref, None, what, _NO_MODES_OF_ITS_OWN)


def _changed_extension(intent: Intent, was: CollectionState, now: CollectionState) -> Iterator[Problem]:
    """Yield modes of an existing extension that are created, deleted or renamed without the root's."""
    root = intent.after.collections.get(now.root)
    if root is None:
        return
    root_names = {mode.ref: mode.name for mode in root.modes}
    old_root = intent.before.collections.get(now.root)
    had = {mode.ref for mode in old_root.modes} if old_root is not None else set()
    origins = root_modes(intent.before, was) | root_modes(intent.after, now)
    names = {mode.ref: mode.name for mode in was.modes}
    for mode in now.modes:
        origin = origins.get(mode.ref)
        if mode.ref not in names:
            if origin is None or origin in had:
                what = f"its new mode {quoted(mode.name)} has no new mode of {intent.name_of(root.ref)} to extend"
                yield intent.problem(_EXTENSION, now.ref, mode.ref, what, _NO_MODES_OF_ITS_OWN)
        elif mode.name not in (names[mode.ref], root_names.get(origin or "")):
            what = f"its mode {quoted(names[mode.ref])} is renamed to {quoted(mode.name)}"
            yield intent.problem(
                _EXTENSION, now.ref, mode.ref, what, "rename the mode of the extended collection instead"
            )
    remaining = {mode.ref for mode in now.modes}
    for mode in was.modes:
        if mode.ref not in remaining and origins.get(mode.ref) in root_names:
            what = f"its mode {quoted(mode.name)} is deleted, but not the mode that it extends"
            to_do = "keep the mode and remove its values, so that it inherits all of them"
            yield intent.problem(_EXTENSION, now.ref, None, what, to_do)


_PRUNE_HINT = "deletions held back without `plan --prune` count too"


def capacity_problems(intent: Intent) -> Iterator[Problem]:
    """Yield collections that would get too many modes or variables, and new collections without a mode."""
    roots = {each.collection for each in intent.new_modes}
    for each in intent.new_collections:
        if each.modes:
            roots.add(each.ref)
        else:
            yield intent.problem("plan-limit", each.ref, None, "it has no modes", "give it a mode")
    for ref in sorted(roots):
        number = len(intent.after.collections[ref].modes)
        if number > MODES_PER_COLLECTION:
            what = f"it would have {number} modes; the platform allows {MODES_PER_COLLECTION}"
            to_do = f"remove {number - MODES_PER_COLLECTION} or split the collection ({_PRUNE_HINT})"
            yield intent.problem("plan-limit", ref, None, what, to_do)
    growing = {each.collection for each in intent.new_variables}
    if not growing:
        return
    sizes = Counter(each.collection for each in intent.after.variables.values() if each.collection in growing)
    for ref in growing:
        sizes[ref] += len(intent.before.opaque_of(ref))
    for ref in sorted(growing):
        if sizes[ref] > VARIABLES_PER_COLLECTION:
            what = f"it would have {sizes[ref]:,} variables; the platform allows {VARIABLES_PER_COLLECTION:,}"
            to_do = f"remove {sizes[ref] - VARIABLES_PER_COLLECTION:,} or split the collection ({_PRUNE_HINT})"
            yield intent.problem("plan-limit", ref, None, what, to_do)
