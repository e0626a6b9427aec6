"""Names of variables, modes and collections (platform-api.md 2.4 and 4.3 rule 6).

The platform takes two modes of one name. Nobody can tell them apart, and which of them is the dark one cannot be worked
out any more: no plan makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.limits import MODE_NAME_CHARACTERS
from tokensync.plan.validation.intent import Intent, shown
from tokensync.plan.validation.texts import is_whole
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.problems import Problem

_REFUSED: Final = (".", "{", "}")


def name_faults(intent: Intent) -> Iterator[Problem]:
    """Names that are new: what they are made of, how long they are, and whether a variable's is free in the end."""
    for made in intent.new_collections:
        yield from _plain(intent, made.ref, None, made.name)
        parents = {} if made.ref not in intent.after.collections else _names_of_parent(intent, made.ref)
        for mode in made.modes:
            if mode.parent is None or parents.get(mode.parent) != mode.name:
                yield from _mode(intent, made.ref, mode.ref, mode.name)
    for updated in intent.updated_collections:
        if updated.name is not None:
            yield from _plain(intent, updated.ref, None, updated.name[1])
    for new_mode in intent.new_modes:
        yield from _mode(intent, new_mode.collection, new_mode.ref, new_mode.name)
    for renamed in intent.renamed_modes:
        yield from _mode(intent, renamed.collection, renamed.ref, renamed.name[1])
    yield from _repeated_modes(intent)
    yield from _variables(intent)


def _names_of_parent(intent: Intent, extension: Ref) -> dict[Ref, str]:
    parent = intent.after.collections.get(intent.after.collections[extension].parent or "")
    return {} if parent is None else {mode.ref: mode.name for mode in parent.modes}


def _variables(intent: Intent) -> Iterator[Problem]:
    named = [(each.ref, each.collection, each.name) for each in intent.new_variables]
    named += (
        (each.ref, intent.after.variables[each.ref].collection, each.name[1])
        for each in intent.updated_variables
        if each.name is not None
    )
    if not named:
        return
    holders: dict[tuple[Ref, str], list[Ref]] = {}
    for variable in intent.after.variables.values():
        holders.setdefault((variable.collection, variable.name), []).append(variable.ref)
    opaque = {(collection, each.name): each for collection, owned in intent.before.opaque.items() for each in owned}
    for ref, collection, name in named:
        yield from _plain(intent, ref, None, name)
        for character in _REFUSED:
            if character in name:
                what = f'its name {shown(name)} has a "{character}", which the platform refuses in a new name'
                yield intent.fault("plan-name", ref, None, what, "name it without . { and }")
                break
        others = [each for each in holders[collection, name] if each != ref]
        if others:
            what = f"another variable of {intent.called(collection)} is called {shown(name)} too"
            yield intent.fault("plan-name-taken", ref, None, what, "give one of them another name")
        elif (holder := opaque.get((collection, name))) is not None:
            kind = f"its type is {shortened(holder.type)}"
            what = f"{intent.called(collection)} has a variable {shown(name)} already, which is no token: {kind}"
            yield intent.fault("plan-name-taken", ref, None, what, "give the token another name")


def _repeated_modes(intent: Intent) -> Iterator[Problem]:
    """Find new names of modes that another mode of the collection has, too."""
    named = [(each.collection, each.ref, each.name) for each in intent.new_modes]
    named += ((each.collection, each.ref, each.name[1]) for each in intent.renamed_modes)
    named += (
        (made.ref, mode.ref, mode.name)
        for made in intent.new_collections
        for mode in made.modes
        if mode.parent is None  # others have their parents' names
    )
    for collection, ref, name in named:
        others = [each.ref for each in intent.after.collections[collection].modes if each.name == name != ""]
        if len(others) > 1 and (collection, name) not in intent.repeated_mode_names:
            other = next(each for each in others if each != ref)
            what = f"another mode is already named {shown(name)} ({intent.where(collection, other)})"
            yield intent.fault("plan-name-taken", collection, ref, what, "give one of them another name")


def _mode(intent: Intent, collection: Ref, mode: Ref, name: str) -> Iterator[Problem]:
    yield from _plain(intent, collection, mode, name)
    if len(name) > MODE_NAME_CHARACTERS:
        what = f"the mode's name {shown(name)} has {len(name)} characters; the platform takes {MODE_NAME_CHARACTERS}"
        yield intent.fault("plan-name", collection, mode, what, "shorten it")


def _plain(intent: Intent, ref: Ref, mode: Ref | None, name: str) -> Iterator[Problem]:
    if not name:
        what = "the mode's name is empty" if mode is not None else "its name is empty"
        yield intent.fault("plan-name", ref, mode, what, "give it a name")
    elif not is_whole(name):
        what = f"the name {shown(name)} holds half of a surrogate pair, which is no character"
        yield intent.fault("plan-name", ref, mode, what, "write the whole character, or leave it out")
