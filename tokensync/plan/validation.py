"""Find what the platform would refuse in a plan, before anything is sent."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from tokensync.normalize.mapping import ALL_FILLS, ALL_SCOPES, FILLS, KNOWN_SCOPES, SCOPES
from tokensync.normalize.motion import is_easing
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
from tokensync.plan.state import BODY_BYTES, MODE_NAME_CHARACTERS, ObjectValue, root_modes, targets_of
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened
from tokensync.tokens import (
    CODE_SYNTAX_PLATFORMS,
    MODES_PER_COLLECTION,
    VARIABLES_PER_COLLECTION,
    float32,
    normalized,
    shortest,
)
from tokensync.tokens.algorithms import closure, ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue, VariableState
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
        self.new_collections = [each for each in operations if isinstance(each, CreateCollection | CreateExtension)]
        self.updated_collections = [each for each in operations if isinstance(each, UpdateCollection)]
        self.new_modes = [each for each in operations if isinstance(each, CreateMode)]
        self.renamed_modes = [each for each in operations if isinstance(each, RenameMode)]
        self.new_variables = [each.variable for each in operations if isinstance(each, CreateVariable)]
        self.updated_variables = [each for each in operations if isinstance(each, UpdateVariable)]
        self.new_values: list[tuple[VariableState, Ref, StateValue]] = []
        """The variable, the mode and the value, for each value of new and existing variables."""
        for operation in operations:
            match operation:
                case CreateVariable(variable=variable):
                    self.new_values += ((variable, mode, value) for mode, value in variable.values.items())
                case SetValue(variable=ref, mode=mode, after=value) if value is not None:
                    self.new_values.append((after.variables[ref], mode, value))

    @cached_property
    def opaque(self) -> dict[Ref, OpaqueVariable]:
        """Return the variables of unknown types, which no plan changes, by id."""
        return {variable.id: variable for owned in self.before.opaque.values() for variable in owned}

    @cached_property
    def scopes_on_platform(self) -> frozenset[tuple[str, str]]:
        """Return the (type, scope) pairs of all variables that the platform has or had."""
        return frozenset(
            (variable.type, scope)
            for state in (self.before, *self._earlier)
            for variable in state.variables.values()
            for scope in variable.scopes
        )

    @cached_property
    def platforms_on_platform(self) -> frozenset[str]:
        """Return the platforms for which some variable has or had code syntax."""
        return frozenset(
            platform
            for state in (self.before, *self._earlier)
            for variable in state.variables.values()
            for platform, _ in variable.code_syntax
        )

    @cached_property
    def repeated_mode_names(self) -> frozenset[tuple[Ref, str]]:
        """Return (collection, mode name) where several modes shared the name earlier: a rollback restores them."""
        return frozenset(
            (collection.ref, name)
            for state in self._earlier
            for collection in state.collections.values()
            for name, number in Counter(mode.name for mode in collection.modes).items()
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


def _immutable_problems(intent: Intent) -> Iterator[Problem]:
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


def _fixed_problems(intent: Intent) -> Iterator[Problem]:
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
            and mode in (mode.ref for mode in owner.modes)
        ):
            what = "its collection is missing from Figma's response, so its values cannot be set"
            yield intent.problem(_FIXED, changed.ref, mode, what, "change the value in the design file and pull")


def _differ(was: VariableState, now: VariableState, overriding: set[Ref]) -> bool:
    """Return whether two states of a variable differ, apart from overrides in this file."""
    if was == now:
        return False
    own = [{mode: value for mode, value in each.values.items() if mode not in overriding} for each in (was, now)]
    return own[0] != own[1] or changed_metadata(replace(was, values={}), replace(now, values={})) is not None


def _repeated_collection_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new collections whose name several collections have already, none of which the token files know.

    After a proxy has sent a request twice, the file has two equal collections, and nothing tells which of them the
    folder of a new one means. So every further plan would create another one.
    """
    names = Counter(collection.name for collection in intent.before.collections.values() if not collection.fixed)
    for each in intent.new_collections:
        number = names[each.name]
        if number > 1 and not intent.had_collections(each.name, number + 1):
            what = f"the file has {number} collections named {quoted(each.name)} already, and this would be another one"
            to_do = "delete the superfluous ones in the editor and make a new plan; or choose another name"
            yield intent.problem("plan-collection-repeated", each.ref, None, what, to_do)


def _default_mode_problems(intent: Intent) -> Iterator[Problem]:
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
                what = f"the token files make {desired} the default mode; in Figma it would be {actual}"
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


def _extension_problems(intent: Intent) -> Iterator[Problem]:
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
    root = intent.after.collections[now.root]
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


def _capacity_problems(intent: Intent) -> Iterator[Problem]:
    """Yield collections that would get too many modes or variables, and new collections without a mode."""
    roots = {mode.collection for mode in intent.new_modes}
    for collection in intent.new_collections:
        if collection.modes:
            roots.add(collection.ref)
        else:
            yield intent.problem("plan-limit", collection.ref, None, "it has no modes", "give it a mode")
    for ref in sorted(roots):
        number = len(intent.after.collections[ref].modes)
        if number > MODES_PER_COLLECTION:
            what = f"it would have {number} modes; Figma allows {MODES_PER_COLLECTION}"
            to_do = f"remove {number - MODES_PER_COLLECTION} or split the collection ({_PRUNE_HINT})"
            yield intent.problem("plan-limit", ref, None, what, to_do)
    growing = {variable.collection for variable in intent.new_variables}
    if not growing:
        return
    sizes = Counter(each.collection for each in intent.after.variables.values() if each.collection in growing)
    for ref in growing:
        sizes[ref] += len(intent.before.opaque_of(ref))
    for ref in sorted(growing):
        if sizes[ref] > VARIABLES_PER_COLLECTION:
            what = f"it would have {sizes[ref]:,} variables; Figma allows {VARIABLES_PER_COLLECTION:,}"
            to_do = f"remove {sizes[ref] - VARIABLES_PER_COLLECTION:,} or split the collection ({_PRUNE_HINT})"
            yield intent.problem("plan-limit", ref, None, what, to_do)


_REFUSED: Final = (".", "{", "}")


def _name_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new names that are invalid, too long, or taken.

    The platform accepts two modes of one name; no plan creates them, since they cannot be distinguished.
    """
    for new in intent.new_collections:
        yield from _problems_of_name(intent, new.ref, None, new.name)
        parents = {} if new.ref not in intent.after.collections else _names_of_parent(intent, new.ref)
        for mode in new.modes:
            if mode.parent is None or parents.get(mode.parent) != mode.name:
                yield from _problems_of_mode_name(intent, new.ref, mode.ref, mode.name)
    for updated in intent.updated_collections:
        if updated.name is not None:
            yield from _problems_of_name(intent, updated.ref, None, updated.name[1])
    for new_mode in intent.new_modes:
        yield from _problems_of_mode_name(intent, new_mode.collection, new_mode.ref, new_mode.name)
    for renamed in intent.renamed_modes:
        yield from _problems_of_mode_name(intent, renamed.collection, renamed.ref, renamed.name[1])
    yield from _repeated_mode_names(intent)
    yield from _problems_of_variable_names(intent)


def _names_of_parent(intent: Intent, extension: Ref) -> dict[Ref, str]:
    parent = intent.after.collections.get(intent.after.collections[extension].parent or "")
    return {} if parent is None else {mode.ref: mode.name for mode in parent.modes}


def _problems_of_variable_names(intent: Intent) -> Iterator[Problem]:
    named = [(variable.ref, variable.collection, variable.name) for variable in intent.new_variables]
    named += (
        (variable.ref, intent.after.variables[variable.ref].collection, variable.name[1])
        for variable in intent.updated_variables
        if variable.name is not None
    )
    if not named:
        return
    holders: dict[tuple[Ref, str], list[Ref]] = {}
    for variable in intent.after.variables.values():
        holders.setdefault((variable.collection, variable.name), []).append(variable.ref)
    opaque = {(collection, each.name): each for collection, owned in intent.before.opaque.items() for each in owned}
    for ref, collection, name in named:
        yield from _problems_of_name(intent, ref, None, name)
        for character in _REFUSED:
            if character in name:
                what = f'its name {quoted(name)} contains "{character}", which Figma refuses in a new name'
                yield intent.problem("plan-name", ref, None, what, f"remove the {character}")
                break
        others = [each for each in holders[collection, name] if each != ref]
        if others:
            what = f"another variable of {intent.name_of(collection)} is also named {quoted(name)}"
            yield intent.problem("plan-name-taken", ref, None, what, "rename one of them")
        elif (holder := opaque.get((collection, name))) is not None:
            kind = shortened(holder.type)
            what = f"{intent.name_of(collection)} already has a variable {quoted(name)} of the unknown type {kind}"
            yield intent.problem("plan-name-taken", ref, None, what, "rename the token")


def _repeated_mode_names(intent: Intent) -> Iterator[Problem]:
    """Yield new names of modes that another mode of the collection also has."""
    named = [(mode.collection, mode.ref, mode.name) for mode in intent.new_modes]
    named += ((mode.collection, mode.ref, mode.name[1]) for mode in intent.renamed_modes)
    named += (
        (new.ref, mode.ref, mode.name)
        for new in intent.new_collections
        for mode in new.modes
        if mode.parent is None  # others have their parents' names
    )
    for collection, ref, name in named:
        others = [mode.ref for mode in intent.after.collections[collection].modes if mode.name == name != ""]
        if len(others) > 1 and (collection, name) not in intent.repeated_mode_names:
            other = next(other for other in others if other != ref)
            what = f"another mode is already named {quoted(name)} ({intent.where(collection, other)})"
            yield intent.problem("plan-name-taken", collection, ref, what, "rename one of them")


def _problems_of_mode_name(intent: Intent, collection: Ref, mode: Ref, name: str) -> Iterator[Problem]:
    yield from _problems_of_name(intent, collection, mode, name)
    if len(name) > MODE_NAME_CHARACTERS:
        what = f"the mode's name {quoted(name)} has {len(name)} characters; Figma allows {MODE_NAME_CHARACTERS}"
        yield intent.problem("plan-name", collection, mode, what, f"remove {len(name) - MODE_NAME_CHARACTERS} of them")


def _problems_of_name(intent: Intent, ref: Ref, mode: Ref | None, name: str) -> Iterator[Problem]:
    if not name:
        what = "the mode's name is empty" if mode is not None else "its name is empty"
        yield intent.problem("plan-name", ref, mode, what, "give it a name")
    elif not is_whole(name):
        what = f"the name {quoted(name)} contains half of a surrogate pair"
        yield intent.problem("plan-name", ref, mode, what, _WRITE_IT_WHOLE)


_WRITE_IT_WHOLE = "write the whole character, or remove it"


def is_whole(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: half of a surrogate pair cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text_problems(intent: Intent) -> Iterator[Problem]:
    """Yield descriptions and code syntax that cannot be sent, and unknown platforms of code syntax."""
    for variable in intent.new_variables:
        yield from _problems_of_texts(intent, variable.ref, variable.description, variable.code_syntax)
    for update in intent.updated_variables:
        description = update.description[1] if update.description is not None else ""
        syntax = update.code_syntax[1] if update.code_syntax is not None else ()
        yield from _problems_of_texts(intent, update.ref, description, syntax)


def _problems_of_texts(
    intent: Intent, ref: Ref, description: str, syntax: tuple[tuple[str, str], ...]
) -> Iterator[Problem]:
    if not is_whole(description):
        what = "its description contains half of a surrogate pair"
        yield intent.problem("plan-text", ref, None, what, _WRITE_IT_WHOLE)
    for platform, text in syntax:
        if platform not in CODE_SYNTAX_PLATFORMS and platform not in intent.platforms_on_platform:
            what = f"it has code syntax for the unknown platform {quoted(platform)}"
            to_do = f"use {', '.join(CODE_SYNTAX_PLATFORMS)}, or remove it"
            yield intent.problem("plan-text", ref, None, what, to_do)
        elif not is_whole(text):
            what = f"its code syntax for {platform} contains half of a surrogate pair"
            yield intent.problem("plan-text", ref, None, what, _WRITE_IT_WHOLE)


_SCOPES_CODE = "plan-scopes"
SCOPE_UNKNOWN: Final = "plan-scope-unknown"


def _scope_problems(intent: Intent) -> Iterator[Problem]:
    """Yield scopes that do not fit the type of their variable, or that exclude each other.

    The platform adds scopes without notice. An unknown scope is a warning, unless the platform itself has it on a
    variable of the same type.
    """
    for variable in intent.new_variables:
        yield from _problems_of_scopes(intent, variable.ref, variable.type, variable.scopes)
    for update in intent.updated_variables:
        if update.scopes is not None:
            yield from _problems_of_scopes(
                intent, update.ref, intent.after.variables[update.ref].type, update.scopes[1]
            )


def _problems_of_scopes(intent: Intent, ref: Ref, kind: str, scopes: tuple[str, ...]) -> Iterator[Problem]:
    fitting = SCOPES.get(kind, frozenset())
    others = [scope for scope in scopes if scope not in fitting]
    if others:
        others = [other for other in others if (kind, other) not in intent.scopes_on_platform]
    unfit = [other for other in others if other in KNOWN_SCOPES]
    if unfit:
        what = f"{', '.join(unfit[:3])} cannot be used on a {kind} variable"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"use one or more of {', '.join(sorted(fitting))}")
    for other in others:
        if other not in KNOWN_SCOPES:
            what = f"the scope {quoted(other)} is unknown to tokensync, and Figma may refuse it"
            yield intent.problem(SCOPE_UNKNOWN, ref, None, what, _scope_advice(other, kind))
    if ALL_SCOPES in scopes and len(fitting.intersection(scopes)) > 1:
        what = f"{ALL_SCOPES} cannot be combined with other scopes"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"remove {ALL_SCOPES}, or the others")
    if ALL_FILLS in scopes and not FILLS.isdisjoint(scopes):
        what = f"{ALL_FILLS} cannot be combined with {', '.join(sorted(FILLS.intersection(scopes)))}"
        yield intent.problem(_SCOPES_CODE, ref, None, what, f"remove {ALL_FILLS}, or the others")


def _scope_advice(scope: str, kind: str) -> str:
    """Return advice with scopes of the type that are spelled similarly, or with all of them."""
    from difflib import get_close_matches

    near = get_close_matches(scope[:60].upper(), sorted(SCOPES[kind]), n=2)
    if near:
        return f"write {' or '.join(near)} if you mean that"
    return f"known scopes of a {kind} variable: {', '.join(sorted(SCOPES[kind]))}"


_OVERHEAD: Final = 512  # the most bytes of a request for each text besides the text itself: ids, member names, brackets
_LONGEST_CHARACTER: Final = 6  # bytes in JSON: \u0000
_SHORTEN: Final = "shorten its texts"


def _size_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new variables and texts that do not fit into one request."""
    for variable in intent.new_variables:
        values = variable.values.values()
        texts = [variable.description, *(text for _, text in variable.code_syntax)]
        texts += [variable.name] * (len(values) + 1)  # each value names its variable
        texts += (value if isinstance(value, str) else "" for value in values)
        if (size := _size(texts)) > BODY_BYTES:
            yield intent.problem("plan-limit", variable.ref, None, _too_large(size), _SHORTEN)
    created = {variable.ref for variable in intent.new_variables}
    for update in intent.updated_variables:
        members = [each[1] for each in (update.name, update.description) if each is not None]
        syntax = () if update.code_syntax is None else update.code_syntax[1]
        if (size := _size([*members, *(text for _, text in syntax)])) > BODY_BYTES:
            yield intent.problem("plan-limit", update.ref, None, _too_large(size), _SHORTEN)
    for owner, mode, value in intent.new_values:
        if isinstance(value, str) and owner.ref not in created and (size := _size([value])) > BODY_BYTES:
            yield intent.problem("plan-limit", owner.ref, mode, _too_large(size), _SHORTEN)


def _size(texts: Iterable[str]) -> int:
    """Return the most bytes of a request for these texts; an estimate if that is within the limit."""
    texts = [*texts]
    overhead = _OVERHEAD * (len(texts) + 1)
    most = _LONGEST_CHARACTER * sum(map(len, texts)) + overhead
    if most <= BODY_BYTES:
        return most
    return sum(len(msgspec.json.encode(text.encode(errors="replace").decode())) for text in texts) + overhead


def _too_large(size: int) -> str:
    megabytes = 1_000_000
    return f"it takes {size / megabytes:.1f} MB in one request; Figma allows {BODY_BYTES // megabytes} MB"


__all__ = ["RULES", "validate"]

_VALUE = "plan-value"
_KIND_WORDS = {"BOOLEAN": "true or false", "FLOAT": "a number", "STRING": "a text", "COLOR": "a colour"}
_KIND_WORDS |= {"TIMING": "a duration", "EASING": "a curve"}
_MIXED = "a reference has other members beside it", "write only the reference"  # only in an edited plan
_MOST_OPACITY = 100  # an opacity is a percentage


def _literal_problems(intent: Intent) -> Iterator[Problem]:
    """Yield literals of another type than their variable, or that the platform cannot store."""
    for variable, mode, value in intent.new_values:
        words = _literal_problem(variable.type, value)
        if words is not None:
            yield intent.problem(_VALUE, variable.ref, mode, *words)


def _literal_problem(kind: str, value: StateValue) -> tuple[str, str] | None:
    match value:
        case ObjectValue(alias=str(ref)):
            return None if value == ObjectValue(alias=ref) else _MIXED
        case bool():
            fits = kind == "BOOLEAN"
        case str():
            fits = kind == "STRING"
            if fits and not is_whole(value):
                return "the text contains half of a surrogate pair", "write the whole character"
        case float() | int():
            fits = kind == "FLOAT"
            if fits and (words := _number_problem(value)) is not None:
                return words
        case _:
            fits = kind == ("TIMING" if value.seconds is not None else "EASING" if value.easing else "COLOR")
            if fits:
                return _object_problem(value)
    return (
        None
        if fits
        else (f"the value is not {_KIND_WORDS[kind]}, but the variable is a {kind}", f"write {_KIND_WORDS[kind]}")
    )


def _object_problem(value: ObjectValue) -> tuple[str, str] | None:
    if value.seconds is not None:
        return _number_problem(value.seconds)
    if value.easing is not None:
        return None if is_easing(value.easing) else ("the easing has an unknown form", "write a curve")
    return _color_problem(value) if value.color is None else _composed_problem(value)


def _color_problem(value: ObjectValue) -> tuple[str, str] | None:
    channels = (value.r, value.g, value.b, value.a)
    if any(channel is None or not 0 <= channel <= 1 for channel in channels):
        return "a channel of the colour is not between 0 and 1", "write a colour within sRGB"
    return None


def _composed_problem(value: ObjectValue) -> tuple[str, str] | None:
    color, opacity = value.color, value.opacity
    if opacity is None or color is None:
        return "a composed colour needs a colour and an opacity", "write both"
    for part in (color, opacity):
        if isinstance(part, ObjectValue) and part.alias is not None and part != ObjectValue(alias=part.alias):
            return _MIXED
    if color.alias is None and not isinstance(opacity, ObjectValue):
        return "neither the colour nor the opacity of the composed colour is a reference", "write a plain colour"
    if color.alias is None and (words := _color_problem(color)) is not None:
        return words
    if not isinstance(opacity, ObjectValue) and not 0 <= opacity <= _MOST_OPACITY:
        return f"the opacity {opacity:g} of the composed colour is not between 0 and 100", "write a percentage"
    return None


def _number_problem(number: float) -> tuple[str, str] | None:
    """Return the problem with a number that the platform would store as another one."""
    try:
        single = float32(float(number))
    except OverflowError:
        single = math.inf
    if not math.isfinite(single):
        nearest = "at least -3.4e38" if number < 0 else "at most 3.4e38"
        return f"{number:g} does not fit into a 32-bit float, which Figma stores", f"write {nearest}"
    if normalized(float(number)) == single:
        return None
    text = shortest(single)
    return f"{number:.17g} would become {text}, since Figma stores 32-bit floats", f"write {text}"


_VALUE_ABSENT = "plan-value-absent"


def _missing_value_problems(intent: Intent) -> Iterator[Problem]:
    """Yield missing values in modes of a variable's own collection, and values in modes that do not exist.

    Only overrides can be removed: a variable has a value in every mode of its own collection.
    """
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is not None and was.values.keys() <= now.values.keys():
            continue
        collection = intent.after.collections.get(now.collection)
        if now.fixed or collection is None:
            continue
        for mode in collection.modes:
            if mode.ref in now.values:
                continue
            if was is None:
                what = f"it has no value in {quoted(mode.name)}"
                yield intent.problem(_VALUE_ABSENT, ref, None, what, "add one that a variable can hold")
            elif mode.ref in was.values:
                what = f"{quoted(now.name)} no longer has a value in this mode, which Figma cannot remove"
                to_do = "add the value, or remove the token"
                yield intent.problem(_VALUE_ABSENT, collection.ref, mode.ref, what, to_do)
    modes: dict[Ref, set[Ref]] = {}
    for owner in intent.after.collections.values():
        modes.setdefault(owner.root, set()).update(mode.ref for mode in owner.modes)
    for variable, mode_ref, _ in intent.new_values:
        if mode_ref not in modes.get(variable.collection, (mode_ref,)):
            what = f"it has a value in a mode that {intent.name_of(variable.collection)} does not have"
            yield intent.problem("plan-value", variable.ref, mode_ref, what, "remove it")


_ALIAS = "plan-alias"


def _alias_problems(intent: Intent) -> Iterator[Problem]:
    """Yield aliases to a missing or deleted variable, and to one of another type.

    Chains need not be followed: every alias in one is checked against its own variable's type.
    """
    checked: dict[tuple[Ref, str], tuple[str, str] | None] = {}
    for variable, mode, value in intent.new_values:
        if not isinstance(value, ObjectValue):
            continue
        for target, kind in _targets_and_types(value, variable.type):
            if (target, kind) not in checked:
                checked[target, kind] = _alias_problem(intent, target, kind)
            words = checked[target, kind]
            if words is not None:
                yield intent.problem(_ALIAS, variable.ref, mode, *words)


def _targets_and_types(value: ObjectValue, kind: str) -> Iterator[tuple[Ref, str]]:
    """Yield the refs that a value refers to, and the type required of each."""
    if value.alias is not None:
        yield value.alias, kind
    if value.color is not None and value.color.alias is not None:
        yield value.color.alias, "COLOR"
    if isinstance(value.opacity, ObjectValue) and value.opacity.alias is not None:
        yield value.opacity.alias, "FLOAT"


def _alias_problem(intent: Intent, target: Ref, kind: str) -> tuple[str, str] | None:
    found = intent.after.variables.get(target)
    name = intent.name_of(target)
    if found is None:
        if target in intent.before.variables:
            return f"it refers to {name}, which is deleted", f"refer to another token, or keep {name}"
        if target in intent.opaque:
            what = f"it refers to {name}, which is not a token: its type is {shortened(intent.opaque[target].type)}"
            return what, f"refer to a token that is a {kind}"
        return f"it refers to {name}, which is not in the file", "refer to a token of this file"
    if found.fixed and target not in intent.before.variables:
        # Only remote variables that are in use in the file can be alias targets.
        what = f"it refers to {name} of another file, which this file does not use yet"
        return what, "use it in the design file and pull, or refer to a token of this file"
    if found.type != kind:
        return f"it refers to {name}, a {found.type}, where a {kind} is required", f"refer to a {kind}"
    return None


_CYCLE = "plan-circle"
_SHOWN = 5  # variables of a cycle that a message names


def _cycle_problems(intent: Intent) -> Iterator[Problem]:
    """Yield new values that are part of an alias cycle in the state after the plan.

    An alias leads to a variable whose mode is chosen where the value is used, so a chain that returns through any
    combination of modes and overrides is a cycle.
    """
    aliasing = [value for value in intent.new_values if isinstance(value[2], ObjectValue)]
    edges: dict[Ref, tuple[Ref, ...]] = {}

    def edges_of(ref: Ref) -> tuple[Ref, ...]:
        edges[ref] = _targets(intent, ref)
        return edges[ref]

    rank = ranks(dict.fromkeys(variable.ref for variable, _, _ in aliasing), edges_of)
    if len({*rank.values()}) == len(rank) and not any(ref in ends for ref, ends in edges.items()):
        return  # each variable has a rank of its own, and none refers to itself
    cycles: dict[int, str] = {}  # found once each: a search for every value of a large cycle would be quadratic
    locations: set[str] = set()
    for variable, mode, value in aliasing:
        what = _cycle_problem(intent, edges, rank, cycles, variable.ref, value)
        if what is not None and (location := intent.where(variable.ref, mode)) not in locations:
            locations.add(location)  # modes that take their value from another one share its location
            yield intent.problem(_CYCLE, variable.ref, mode, what, "give it a value of its own")


def _cycle_problem(
    intent: Intent,
    edges: Mapping[Ref, Sequence[Ref]],
    rank: Mapping[Ref, int],
    cycles: dict[int, str],
    ref: Ref,
    value: StateValue,
) -> str | None:
    """Return the problem with a variable's value; ``cycles`` holds the cycles reported so far, by rank."""
    own = rank[ref]
    for target in targets_of(value):
        if target == ref:
            return "it refers to itself"
        if rank.get(target) == own:
            if own not in cycles:
                chain = [
                    ref,
                    *_shortest_chain(lambda each: (end for end in edges[each] if rank[end] == own), target, ref),
                ]
                named = [intent.name_of(each) for each in chain[:_SHOWN]] + ["…"] * (len(chain) > _SHOWN)
                cycles[own] = " > ".join(named)
            return f"its references form a cycle ({cycles[own]})"
    return None


def _targets(intent: Intent, ref: Ref) -> tuple[Ref, ...]:
    """Return the variables that a variable refers to in any mode."""
    variable = intent.after.variables.get(ref)
    if variable is None:
        opaque = intent.opaque.get(ref)
        return () if opaque is None else opaque.targets
    return tuple(dict.fromkeys(targets_of(*variable.values.values())))


def _shortest_chain(edges: Callable[[Ref], Iterable[Ref]], start: Ref, end: Ref) -> list[Ref]:
    """Return a shortest chain of aliases from one variable to another."""
    predecessors = closure([start], edges)
    chain = [end]
    while chain[-1] != start:
        chain.append(predecessors[chain[-1]])
    return chain[::-1]


_CREATED = (CreateCollection, CreateExtension, CreateMode, CreateVariable)
_NAMED = (*_CREATED, UpdateCollection, RenameMode, UpdateVariable)
_DESCRIBED = (CreateVariable, UpdateVariable)
_VALUED = (CreateVariable, SetValue)
RULES: Final = (
    (_name_problems, _NAMED),
    (_capacity_problems, _CREATED),
    (_default_mode_problems, ()),
    (_repeated_collection_problems, _CREATED),
    (_extension_problems, ()),
    (_immutable_problems, ()),
    (_fixed_problems, ()),
    (_missing_value_problems, ()),
    (_literal_problems, _VALUED),
    (_alias_problems, (ObjectValue,)),
    (_cycle_problems, (ObjectValue,)),
    (_scope_problems, _DESCRIBED),
    (_text_problems, _DESCRIBED),
    (_size_problems, (*_DESCRIBED, SetValue)),
)
"""All rules, each with the kinds of operations or new values that can break it. Rules without any compare the states.

Every rule runs, so that all problems are reported at once.
"""


def validate(
    before: FileState,
    after: FileState,
    operations: Sequence[Operation],
    where: Callable[[Ref, Ref | None], str],
    earlier: Sequence[FileState] = (),
) -> tuple[Problem, ...]:
    """Return a problem for each change that the platform would refuse, at the location that ``where`` returns.

    A problem is a warning where only the platform knows. ``operations`` are ``differences(before, after)``; only what
    they change is checked, so existing oddities are no problems. ``earlier`` are states that the platform has held:
    it accepts their scopes, platforms and names again. Text in a shared font of an organization, which the platform
    refuses, cannot be detected.
    """
    intent = Intent(before, after, operations, where, earlier)
    planned = {*map(type, operations), *(type(value) for _, _, value in intent.new_values)}
    rules = [rule for rule, kinds in RULES if not kinds or not planned.isdisjoint(kinds)]
    return tuple(problem for rule in rules for problem in rule(intent))
