"""Check what the operations of a plan refer to. Somebody may have edited the plan's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.state import targets_of
from tokensync.system.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, ModeState, Ref


def invalid_references(operations: Sequence[Operation], before: FileState) -> Iterator[tuple[int, str]]:
    """Yield the index of each operation that refers to a missing object, or repeats a ref or a change, and the reason.

    Only operations without such errors have a state after them, which ``validate`` checks.
    """
    references = _References(operations, before)
    for index, operation in enumerate(operations):
        yield from ((index, what) for what in references.errors(operation))


class _References:
    """Checks operations against the objects of a file and those that the operations so far create."""

    def __init__(self, operations: Sequence[Operation], before: FileState) -> None:
        self._before = before
        self._objects = {*before.collections, *before.variables}
        self._roots = {ref: each.root for ref, each in before.collections.items()}
        self._modes: dict[Ref, set[Ref]] = {}
        """The modes of each root collection and its extensions, with those that any operation creates."""
        self._own = {ref: {mode.ref for mode in each.modes} for ref, each in before.collections.items()}
        """The modes of each collection, with those that any operation creates in it."""
        self._held_modes = {mode for modes in self._own.values() for mode in modes}
        for each in before.collections.values():
            self._modes.setdefault(each.root, set()).update(self._own[each.ref])
        self._variables = {*before.variables}
        self._changes: set[object] = set()
        self._made_modes: set[Ref] = set()
        for operation in operations:
            self._declare(operation)
        self._deleted_modes = {each.ref for each in operations if isinstance(each, DeleteMode)}
        for each in before.collections.values():  # a parent precedes its extensions
            self._deleted_modes.update(mode.ref for mode in each.modes if mode.parent in self._deleted_modes)

    def _declare(self, operation: Operation) -> None:
        """Record what other operations may refer to, whatever their order."""
        match operation:
            case CreateVariable(variable=variable):
                self._variables.add(variable.ref)
            case CreateMode(ref=ref, collection=collection, extended=extended):
                self._modes.setdefault(collection, set()).update(operation.created())
                for owner, mode in ((collection, ref), *extended):
                    self._own.setdefault(owner, set()).add(mode)
            case _:
                pass

    def errors(self, operation: Operation) -> Iterator[str]:
        """Yield the errors of an operation, and record what it creates."""
        for aspect in operation.aspects():
            if aspect in self._changes:
                yield "the plan already has an operation for this change"
            self._changes.add(aspect)
        yield from self._errors_of_change(operation)
        match operation:
            case CreateCollection(ref=ref, modes=modes):
                yield from self._new_collection(ref, modes, None)
            case CreateExtension(ref=ref, modes=modes, parent=parent):
                yield from self._new_collection(ref, modes, parent)
            case CreateMode(collection=collection, extended=extended):
                yield from self._root(collection)
                yield from self._new_modes(operation.created())
                extensions = {each.ref for each in self._before.family(collection)} - {collection}
                if sorted(own for own, _ in extended) != sorted(extensions):
                    yield "its new modes are not those of all extensions"
            case CreateVariable(variable=variable):
                yield from self._new_object(variable.ref)
                yield from self._values(variable.collection, variable.values)
                yield from self._targets(targets_of(*variable.values.values()))
                if variable.fixed:
                    yield "a new variable cannot belong to another file"

    def _errors_of_change(self, operation: Operation) -> Iterator[str]:
        match operation:
            case RenameMode(collection=collection, ref=ref) | DeleteMode(collection=collection, ref=ref):
                yield from self._root(collection)
                if ref not in self._held_modes or ref not in self._own.get(collection, ()):
                    yield f"{_quoted(collection)} has no mode {_quoted(ref)}"
                elif isinstance(operation, DeleteMode):
                    modes = self._before.collections[collection].modes
                    yield from _other_name(operation.name, next(each.name for each in modes if each.ref == ref))
            case SetValue(variable=ref, mode=mode, after=value):
                yield from self._variable(ref)
                if ref in self._before.variables:
                    yield from self._values(self._before.variables[ref].collection, (mode,))
                yield from self._targets(targets_of(value))
            case UpdateVariable(ref=ref):
                yield from self._variable(ref)
            case DeleteVariable(ref=ref, collection=collection, name=name):
                yield from self._variable(ref)
                if (found := self._before.variables.get(ref)) is not None:
                    yield from _other_name(name, found.name)
                    if found.collection != collection:
                        yield f"{_quoted(ref)} is not in {_quoted(collection)}"
            case UpdateCollection(ref=ref) | DeleteCollection(ref=ref) if ref not in self._before.collections:
                yield f"the file has no collection {_quoted(ref)}"
            case DeleteCollection(ref=ref, name=name):
                yield from _other_name(name, self._before.collections[ref].name)

    def _new_collection(self, ref: Ref, modes: Sequence[ModeState], parent: Ref | None) -> Iterator[str]:
        yield from self._new_object(ref)
        yield from self._new_modes(mode.ref for mode in modes)
        if not modes:
            yield "it has no modes"
        if parent is not None and parent not in self._roots:
            yield f"no collection {_quoted(parent)} exists or is created before it"
        extended = self._own.get(parent, set()) - self._deleted_modes if parent else {None}
        if {mode.parent for mode in modes} != extended:
            yield f"its modes do not extend those of {_quoted(parent)}" if parent else "its modes extend others"
        self._roots[ref] = self._roots.get(parent, parent) if parent else ref
        self._own[ref] = {mode.ref for mode in modes}
        self._modes.setdefault(self._roots[ref], set()).update(self._own[ref])

    def _new_object(self, ref: Ref) -> Iterator[str]:
        if ref in self._objects or ref in self._held_modes or ref in self._made_modes:
            yield f"the ref {_quoted(ref)} of a new object is in use"
        self._objects.add(ref)

    def _new_modes(self, refs: Iterable[Ref]) -> Iterator[str]:
        for ref in refs:
            if ref in self._held_modes or ref in self._made_modes or ref in self._objects:
                yield f"the ref {_quoted(ref)} of a new mode is in use"
            self._made_modes.add(ref)

    def _root(self, collection: Ref) -> Iterator[str]:
        found = self._before.collections.get(collection)
        if found is None:
            yield f"the file has no collection {_quoted(collection)}"
        elif found.root != collection:
            yield f"the modes of the extension {_quoted(collection)} follow those of its collection"

    def _values(self, collection: Ref, modes: Iterable[Ref]) -> Iterator[str]:
        if self._roots.get(collection) != collection:
            yield f"no collection {_quoted(collection)} that can have variables exists or is created before it"
        for mode in modes:
            if mode not in self._modes.get(collection, ()):
                yield f"{_quoted(collection)} has no mode {_quoted(mode)}"

    def _variable(self, ref: Ref) -> Iterator[str]:
        if ref not in self._before.variables:
            yield f"the file has no variable {_quoted(ref)}"

    def _targets(self, targets: Iterable[Ref]) -> Iterator[str]:
        for target in targets:
            if target not in self._variables:
                yield f"no variable {_quoted(target)} exists or is created"


def _other_name(name: str, real: str) -> Iterator[str]:
    """Yield an error if an operation names its object differently from the file: a reviewer reads that name."""
    if name != real:
        yield f"it deletes {_quoted(real)}, not {_quoted(name)}"


def _quoted(ref: Ref | None) -> str:
    return f'"{shortened(ref or "")}"'
