"""Check what the platform would refuse of collections, modes and extensions, and changes that no request can make."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

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
from tokensync.plan.state import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, root_modes
from tokensync.problems import Problem, problem
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState
    from tokensync.problems import Problem
    from tokensync.tokens import OpaqueVariable


class Written(NamedTuple):
    """A value that a plan sets, of a new variable or of one that exists."""

    variable: VariableState
    mode: Ref
    value: StateValue


class Intent:
    """The states before and after, and what the operations make, change and write."""

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
        self.written: list[Written] = []
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
                    self.written += (Written(variable, mode, value) for mode, value in variable.values.items())
                case UpdateVariable():
                    self.updated_variables.append(each)
                case SetValue(variable=ref, mode=mode, after=value) if value is not None:
                    self.written.append(Written(after.variables[ref], mode, value))
                case _:
                    pass

    @cached_property
    def opaque(self) -> dict[Ref, OpaqueVariable]:
        """Return the variables that no plan touches, by their ids."""
        return {each.id: each for owned in self.before.opaque.values() for each in owned}

    @cached_property
    def scopes_on_platform(self) -> frozenset[tuple[str, str]]:
        """Return the (type, scope) pairs that the platform has on some variable, or had: it takes these."""
        return frozenset(
            (each.type, scope)
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for scope in each.scopes
        )

    @cached_property
    def platforms_on_platform(self) -> frozenset[str]:
        """Return the platforms that some variable has, or had, code syntax for."""
        return frozenset(
            platform
            for state in (self.before, *self._earlier)
            for each in state.variables.values()
            for platform, _ in each.code_syntax
        )

    @cached_property
    def repeated_mode_names(self) -> frozenset[tuple[Ref, str]]:
        """Collections, and the names that several of their modes had before what is rolled back: these come back so."""
        return frozenset(
            (each.ref, name)
            for state in self._earlier
            for each in state.collections.values()
            for name, number in Counter(mode.name for mode in each.modes).items()
            if number > 1
        )

    def fault(self, code: str, ref: Ref, mode: Ref | None, what: str, what_to_do: str) -> Problem:
        """Return a problem at the location of an object, or of its value in a mode."""
        return problem(code, self.where(ref, mode), what, what_to_do)

    def called(self, ref: Ref) -> str:
        """Return the name of a variable or collection, as a message shows it."""
        for state in (self.after, self.before):
            found = state.variables.get(ref) or state.collections.get(ref)
            if found is not None:
                return shown(found.name)
        opaque = self.opaque.get(ref)
        return shown(ref if opaque is None else opaque.name)


def shown(name: str) -> str:
    """Return a name as a message shows it: in quotes, and shortened when it is long."""
    return f'"{shortened(name)}"'


_CHANGELESS = "plan-changeless"


def changeless_faults(intent: Intent) -> Iterator[Problem]:
    """Yield changes of what is final once created: a variable's type and collection, and a collection's parent."""
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is None or was is now or now.fixed:
            continue
        if was.type != now.type:
            what = f"its type is to change from {was.type} to {now.type}, which no request can do"
            yield intent.fault(_CHANGELESS, ref, None, what, "remove its id, which makes it a new variable")
        if was.collection != now.collection:
            what = f"it is to move to {intent.called(now.collection)}, which no request can do"
            yield intent.fault(_CHANGELESS, ref, None, what, "remove its id, which makes it a new variable")
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if former is not None and former.parent != here.parent and not here.fixed:
            what = "what it extends is settled when it is made"
            yield intent.fault(_CHANGELESS, ref, None, what, "remove its id, which makes it a new collection")
        if former is not None and former.modes and not here.modes and not here.fixed:
            what = "its last mode is to go, which no request can do"
            yield intent.fault(_CHANGELESS, ref, None, what, "keep one mode")


_FIXED = "plan-fixed"
_CHANGE_IT_THERE = "change it in the file that it belongs to"


def fixed_faults(intent: Intent) -> Iterator[Problem]:
    """Yield changes of variables and collections of other files: they can be referred to and overridden only."""
    overriding: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        if each.parent is not None and not each.fixed:
            overriding.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if not now.fixed or was is None or was is now:
            continue
        if _differ(was, now, overriding.get(now.collection, set())):
            yield intent.fault(_FIXED, ref, None, "it is of another file, and cannot be changed here", _CHANGE_IT_THERE)
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if here.fixed and former is not None and (former.name, former.hidden) != (here.name, here.hidden):
            yield intent.fault(_FIXED, ref, None, "it is of another file, and cannot be changed here", _CHANGE_IT_THERE)
    for variable in intent.new_variables:
        collection = intent.after.collections.get(variable.collection)
        if collection is None or collection.fixed:
            what = "its collection is of another file, where no variable can be made from here"
            yield intent.fault(_FIXED, variable.ref, None, what, "put it in a collection of this file")
    for changed, mode, _ in intent.written:
        owner = intent.after.collections.get(changed.collection)
        if (
            owner is not None
            and owner.fixed
            and not changed.fixed
            and changed.ref in intent.before.variables
            and mode in (each.ref for each in owner.modes)
        ):
            what = "its collection is not in the platform's answer, so that no value of it can be set"
            yield intent.fault(_FIXED, changed.ref, mode, what, "change it in the design file, and pull")


def _differ(was: VariableState, now: VariableState, overriding: set[Ref]) -> bool:
    """Return whether two states of a variable differ in anything but overrides of it in this file."""
    if was == now:
        return False
    own = [{mode: value for mode, value in each.values.items() if mode not in overriding} for each in (was, now)]
    return own[0] != own[1] or changed_metadata(replace(was, values={}), replace(now, values={})) is not None


def default_mode_faults(intent: Intent) -> Iterator[Problem]:
    """Yield collections whose default mode would not be the desired one.

    No request sets a default mode: it is the first mode of a new collection, and the first that is left when it is
    deleted.
    """
    for ref, now in intent.after.collections.items():
        was = intent.before.collections.get(ref)
        if now.fixed or not now.modes or (was is not None and was.default == now.default):
            continue
        if now.parent is None:
            coming = None if was is None else _default_on_platform(was, now)
            if coming is not None and coming != now.default:
                wanted, made = (_mode_name(now, mode) for mode in (now.default, coming))
                what = f"the default mode is to be {wanted}, and on the platform it would be {made}"
                to_do = "change it in the design file and pull, or let the default mode in the token files be that one"
                yield intent.fault("plan-default-mode", ref, now.default, what, to_do)
        elif not _follows(intent, now):
            what = "the default mode of an extension is the one that extends the default mode of its collection"
            yield intent.fault("plan-default-mode", ref, now.default, what, "name that one as its default")


def _default_on_platform(was: CollectionState, now: CollectionState) -> Ref:
    """Return the default mode that the platform will choose: the old one, or the first that is left without it."""
    wanted = [mode.ref for mode in now.modes]
    left = [mode.ref for mode in was.modes if mode.ref in wanted]
    return was.default if was.default in left else [*left, *wanted][0]


def _follows(intent: Intent, extension: CollectionState) -> bool:
    """Return whether an extension's default mode extends the root's, either the desired or the resulting one."""
    root, was = (state.collections.get(extension.root) for state in (intent.after, intent.before))
    if root is None or not root.modes:
        return True
    coming = root.default if was is None else _default_on_platform(was, root)
    return root_modes(intent.after, extension).get(extension.default) in (None, root.default, coming)


def _mode_name(collection: CollectionState, mode: Ref) -> str:
    return shown(next((each.name for each in collection.modes if each.ref == mode), mode))


_EXTENSION = "plan-extension"
_NO_MODES_OF_ITS_OWN = "an extension has the modes of what it extends, and none of its own"


def extension_faults(intent: Intent) -> Iterator[Problem]:
    """Yield extensions that differ from their parent in modes or own variables, and parents that cannot be extended."""
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
            what = f"{intent.called(collection.ref)} is an extension, which has the variables of what it extends"
            yield intent.fault(_EXTENSION, variable.ref, None, what, "make it in the collection that is extended")


def _new_extension(intent: Intent, now: CollectionState) -> Iterator[Problem]:
    parent = intent.after.collections.get(now.parent or "")
    if parent is None or parent.fixed:
        what = "it is to extend a collection of another file" if parent else "what it is to extend is not in this file"
        yield intent.fault(_EXTENSION, now.ref, None, what, "extend it in the design file, which can, and pull")
        return
    names = {mode.ref: mode.name for mode in parent.modes}
    for mode in now.modes:
        if mode.parent not in names:
            what = f"its mode {shown(mode.name)} extends none of {intent.called(parent.ref)}"
            yield intent.fault(_EXTENSION, now.ref, mode.ref, what, _NO_MODES_OF_ITS_OWN)
        elif names.pop(mode.parent) != mode.name:
            what = f"its mode {shown(mode.name)} is called otherwise in {intent.called(parent.ref)}"
            yield intent.fault(_EXTENSION, now.ref, mode.ref, what, "call both the same")
    for name in names.values():
        what = f"it lacks the mode {shown(name)} of {intent.called(parent.ref)}"
        yield intent.fault(_EXTENSION, now.ref, None, what, _NO_MODES_OF_ITS_OWN)


def _changed_extension(intent: Intent, was: CollectionState, now: CollectionState) -> Iterator[Problem]:
    """Yield modes of an existing extension that are not created, deleted and named as the root's are."""
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
                what = f"its mode {shown(mode.name)} is new, and no mode of {intent.called(root.ref)} is new with it"
                yield intent.fault(_EXTENSION, now.ref, mode.ref, what, _NO_MODES_OF_ITS_OWN)
        elif mode.name not in (names[mode.ref], root_names.get(origin or "")):
            what = f"its mode {shown(names[mode.ref])} is to be called {shown(mode.name)}"
            yield intent.fault(_EXTENSION, now.ref, mode.ref, what, "rename the mode of the collection that it extends")
    kept = {mode.ref for mode in now.modes}
    for mode in was.modes:
        if mode.ref not in kept and origins.get(mode.ref) in root_names:
            what = f"its mode {shown(mode.name)} is to go, and the mode that it extends is not"
            to_do = "remove its values there instead: an empty mode follows"
            yield intent.fault(_EXTENSION, now.ref, None, what, to_do)


_HELD = "what only `plan --prune` deletes counts too"


def room_faults(intent: Intent) -> Iterator[Problem]:
    """Yield collections that the plan would fill with too many modes or variables, and new ones without any mode."""
    roots = {each.collection for each in intent.new_modes}
    for each in intent.new_collections:
        if each.modes:
            roots.add(each.ref)
        else:
            yield intent.fault("plan-limit", each.ref, None, "it has no modes", "give it one")
    for ref in sorted(roots):
        number = len(intent.after.collections[ref].modes)
        if number > MODES_PER_COLLECTION:
            what = f"it would have {number} modes; the platform takes {MODES_PER_COLLECTION} a collection"
            yield intent.fault("plan-limit", ref, None, what, f"take some out, or split it ({_HELD})")
    growing = {each.collection for each in intent.new_variables}
    if not growing:
        return
    sizes = Counter(each.collection for each in intent.after.variables.values() if each.collection in growing)
    for ref in growing:
        sizes[ref] += len(intent.before.opaque_of(ref))
    for ref in sorted(growing):
        if sizes[ref] > VARIABLES_PER_COLLECTION:
            what = f"it would have {sizes[ref]} variables; the platform takes {VARIABLES_PER_COLLECTION} a collection"
            yield intent.fault("plan-limit", ref, None, what, f"take some out, or split it ({_HELD})")
