"""Digests of what a plan is going to delete: they tell whether it is still what the plan was made from."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tokensync.plan.state import FileState, Ref


_WHOLE = re.compile(rb"(?<=[0-9])\.0(?=[],}])")


def digest_of_variable(state: FileState, ref: Ref) -> str:
    """Of everything that is said of a variable, its values too."""
    return _digest(state.variables[ref])


def digest_of_mode(state: FileState, collection: Ref, mode: Ref) -> str:
    """Of a mode and of every value in it."""
    name = next(each.name for each in state.collections[collection].modes if each.ref == mode)
    values = ((each.ref, each.values.get(mode)) for each in state.variables.values() if each.collection == collection)
    return _digest((name, sorted(values, key=lambda pair: pair[0])))


def digest_of_collection(state: FileState, ref: Ref) -> str:
    """Of a collection, of its extensions, and of what they all hold. An extension's is of its own overrides."""
    collection = state.collections[ref]
    own = [each for each in state.collections.values() if each.ref == ref or ref in _ancestors(state, each.ref)]
    modes = {mode.ref for each in own for mode in each.modes}
    held = []
    for variable in state.variables.values():
        if variable.collection == collection.root:
            values = {mode: value for mode, value in variable.values.items() if mode in modes}
            if collection.parent is None:
                held.append(variable)
            elif values:
                held.append((variable.ref, values))  # type: ignore[arg-type]
    return _digest((own, held))


def _ancestors(state: FileState, ref: Ref) -> set[Ref]:
    found: set[Ref] = set()
    parent = state.collections[ref].parent
    while parent is not None and parent not in found and parent in state.collections:
        found.add(parent)
        parent = state.collections[parent].parent
    return found


def _digest(content: object) -> str:
    """A plan's file has 4.0 where the platform's answer has 4: the digest is the same for both."""
    text = _WHOLE.sub(b"", msgspec.json.encode(content, order="sorted"))
    return hashlib.sha256(text).hexdigest()[:16]
