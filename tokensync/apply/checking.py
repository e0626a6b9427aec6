"""Check that a plan does what a reviewer reads in it, before anything is sent. Somebody may have edited its file."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, NoReturn, cast

from tokensync.normalize.mapping import COLLECTION, MODE, SCOPES, is_slug_of
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteStyle,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateStyle,
    UpdateVariable,
    aspects_of,
    subjects,
)
from tokensync.plan.plan import OVERWRITE, Finding, Plan, options_for
from tokensync.plan.planning import DELETIONS, counts_of, planned_batches, retyped_variables
from tokensync.plan.safety import Referring, Search, is_allowed
from tokensync.plan.state import CollectionState, FileState, ModeState, Ref, aliased, labels_of, split_label, targets_of
from tokensync.plan.validation import SCOPE_UNKNOWN, validate
from tokensync.system.errors import ConflictError
from tokensync.system.wording import listed_once, quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.apply.sending import Reading
    from tokensync.plan.batches import Batch
    from tokensync.plan.operations import Operation
    from tokensync.settings import AllowConfig
    from tokensync.tokens import Collection, Extension, TokenGraph


_DELETIONS = (DeleteCollection, DeleteVariable, DeleteStyle)
_NEW_USES = "delete used"
"""Findings of this kind may appear after the plan was made."""
_EXACT = frozenset({"delete collection", "delete mode", "change type", "change much"})
"""Kinds of findings whose words depend only on the file and the operations."""


class Confirmed(NamedTuple):
    """What the user confirms for one apply: ``overwrite`` is for replaced code syntax, ``force`` for the rest."""

    force: bool = False
    overwrite: bool = False


NOTHING_CONFIRMED = Confirmed()


def refuse_unsafe(
    plan: Plan, allow: Sequence[AllowConfig], *, confirmed: Confirmed, more: Iterable[Finding] = ()
) -> None:
    """Raise ConflictError for findings that are neither allowed nor confirmed.

    The plan and ``allow``, the configuration's entries, have to agree that a finding is allowed. ``more`` are findings
    that the plan does not have.
    """
    known = [finding for finding in plan.findings if not (finding.allowed and is_allowed(finding, plan.file, allow))]
    unsafe = [*known, *(finding for finding in more if not finding.allowed)]
    unsafe = [each for each in unsafe if not (confirmed.overwrite if each.kind == OVERWRITE else confirmed.force)]
    if unsafe:
        found = listed_once([f"{finding.kind} {finding.subject}: {finding.what}" for finding in unsafe])
        given = ["--force"] * confirmed.force + ["--overwrite-code-syntax"] * confirmed.overwrite
        options = " ".join(sorted({*given, *options_for(unsafe).split()}))
        raise ConflictError(
            f"{plan.file}: the plan is unsafe ({found}); apply it with {options} to allow all of that, "
            "or add [[allow]] entries to the configuration and plan again"
        )


def refuse_emptied(plan: Plan, where: Callable[..., str]) -> None:
    """Raise ConflictError for a plan that has lost its operations: there would seem to be nothing to do."""
    if not plan.operations and (plan.batches or plan.counts != counts_of(())):
        what = "it counts changes, and has no operations"
        raise ConflictError(f"{where('operations')}: the plan was edited: {what}; make a new plan")


class CheckContext(NamedTuple):
    """What a check needs besides the plan and the platform's content.

    ``where`` returns the location of a part of the plan. ``used`` returns how other files use the variables that are
    deleted between two states, ``referring`` the users of the file's objects in the project's other files, and
    ``graphs`` the graphs of the file's token files and lock, whose handles a plan uses.
    """

    where: Callable[..., str]
    allow: Sequence[AllowConfig] = ()
    confirmed: Confirmed = NOTHING_CONFIRMED
    used: Callable[[Reading, FileState, FileState], Mapping[Ref, str]] = lambda reading, before, after: {}
    referring: Callable[[Reading], Referring] = lambda reading: Referring()
    graphs: Callable[[], Iterable[TokenGraph]] = tuple


class PlanCheck(NamedTuple):
    """The checks of one plan. ``rebased`` means that the platform has changed since the plan was made."""

    plan: Plan
    reading: Reading
    context: CheckContext
    rebased: bool

    def check_operations(self, conflicts: Sequence[Operation]) -> None:
        """Raise ConflictError for operations that refer to nothing, are repeated, or do not fit the file.

        ``conflicts`` are the operations that were made from another state of the file.
        """
        if conflicts:
            names = listed_once(subjects(conflicts, self.reading.state))
            what = f"the file does not have the state that it records for {names}"
            self._refuse(what, "operations", self.plan.operations.index(conflicts[0]))
        for index, what in invalid_references(self.plan.operations, self.reading.state):
            self._refuse(what, "operations", index)

    def check_result(self, batches: Sequence[Batch], states: Sequence[FileState]) -> None:
        """Raise ConflictError if the plan's effect, labels, numbers or findings are not what the operations say.

        ``states`` are those before the first and after each of the ``batches``.
        """
        before, after = states[0], states[-1]
        changed = aspects_of(differences(before, after))
        for index, each in enumerate(self.plan.operations):
            if not changed.issuperset(each.aspects()):
                self._refuse("this operation has no effect, or another one", "operations", index)
        # A rollback restores names and scopes that no new plan may have.
        if self.rebased or not self.plan.rollback_of:
            self._check_rules(before, after)
        # Users may have chosen the handles in the token files and the lock.
        names = _Names((before, after), self.reading.graph, self.context.graphs)
        for key, label in self.plan.labels.items():
            if not names.has(key, label):
                what = f'"{shortened(label)}" is not a name of "{shortened(key)}"'
                if self.rebased:
                    self._refuse_since(f"conflicts with changes made since ({what})", "")
                self._refuse(what, "labels", key)
        if self.plan.counts != counts_of(self.plan.operations):
            self._refuse("the operations have other counts", "counts")
        if not self.rebased and self.plan.batches != planned_batches(batches):
            self._refuse("the operations need other requests", "batches")
        self._check_findings(before, after)

    def _check_rules(self, before: FileState, after: FileState) -> None:
        """Refuse what the platform would refuse: a name that others have taken, or an edit of the plan."""
        labels = self.plan.labels
        found = validate(before, after, self.plan.operations, lambda ref, mode: labels.get(ref, ref))
        unknown = () if self.context.confirmed.force else (SCOPE_UNKNOWN,)
        if self.context.confirmed.force and any(problem.code == SCOPE_UNKNOWN for problem in found):
            self._check_scopes(before)
        if wrong := [problem for problem in found if problem.severity == "error" or problem.code in unknown]:
            reasons = listed_once([f"{problem.where}: {problem.what}" for problem in wrong])
            if all(problem.severity != "error" for problem in wrong):
                to_do = "apply the plan with --force, or correct the scopes and plan again"
                raise ConflictError(f"{self.context.where()}: {reasons}; {to_do}")
            self._refuse_since(f"conflicts with changes made since ({reasons})", f"was edited ({reasons})")

    def _check_scopes(self, before: FileState) -> None:
        """Refuse scopes that neither tokensync, nor the platform, nor the token files know: --force is for the last."""
        known = set[str]().union(*SCOPES.values(), *(state.scopes for state in before.variables.values()))
        for graph in self.context.graphs():
            known.update(scope for token in graph.tokens.values() for scope in token.scopes)
        for index, each in enumerate(self.plan.operations):
            match each:
                case CreateVariable(variable=variable):
                    scopes = variable.scopes
                case UpdateVariable(scopes=(_, scopes)):
                    pass
                case _:
                    continue
            if foreign := [scope for scope in scopes if scope not in known]:
                self._refuse(f"no token file has the scope {quoted(foreign[0])}", "operations", index)

    def _check_findings(self, before: FileState, after: FileState) -> None:
        """Work out the findings anew: a finding that is missing, or that says something else, was not reviewed."""
        plan, context = self.plan, self.context
        deletes = any(isinstance(operation, DELETIONS) for operation in plan.operations)
        labelled = ((variable.collection, plan.labels.get(ref, "")) for ref, variable in before.variables.items())
        handles = {collection: handle for collection, label in labelled if (handle := split_label(label)[0])}
        search = Search(
            file=plan.file,
            before=before,
            after=after,
            operations=plan.operations,
            allow=context.allow,
            labels={**labels_of(self.reading.graph), **handles, **plan.labels},
            retyped=retyped_variables(before, after),
            used=context.used(self.reading, before, after) if deletes else {},
            referring=context.referring(self.reading) if deletes else Referring(),
        )
        found = search.findings()
        reviewed = {(each.kind, each.subject): number for number, each in enumerate(plan.findings)}
        missing = [finding for finding in found if (finding.kind, finding.subject) not in reviewed]
        hidden = [
            finding
            for finding in missing
            if finding.kind != _NEW_USES and (finding.kind.startswith("delete ") or not self.rebased)
        ]
        if hidden:
            reasons = listed_once([f"{finding.subject}: {finding.what}" for finding in hidden])
            self._refuse_since(f"conflicts with changes made since ({reasons})", f"lacks findings ({reasons})")
        for finding in found:
            number = reviewed.get((finding.kind, finding.subject))
            if number is None or self.rebased or finding.kind not in _EXACT:
                continue
            if plan.findings[number].what != finding.what:
                self._refuse(f"this finding is: {finding.what}", "findings", number)
        refuse_unsafe(plan, context.allow, confirmed=context.confirmed, more=missing)

    def _refuse_since(self, since: str, edited: str) -> NoReturn:
        where = self.plan.file if self.rebased else self.context.where()
        raise ConflictError(f"{where}: the plan {since if self.rebased else edited}; make a new plan")

    def _refuse(self, what: str, *pointer: str | int) -> NoReturn:
        raise ConflictError(f"{self.context.where(*pointer)}: the plan was edited: {what}; make a new plan")


class _Names:
    def __init__(
        self, states: Sequence[FileState], graph: TokenGraph, others: Callable[[], Iterable[TokenGraph]]
    ) -> None:
        self._states = states
        self._platform = labels_of(graph)
        self._others = others
        self._handles: dict[tuple[Ref, str], bool] = {}
        self._modes: dict[Ref, list[tuple[CollectionState, str]]] = {}
        for state in states:
            for owner in state.collections.values():
                for mode in owner.modes:
                    self._modes.setdefault(mode.ref, []).append((owner, mode.name))

    def has(self, key: str, label: str) -> bool:
        """Return whether a label names the object of its key."""
        if self._platform.get(key) == label:
            return True
        styles = [state.styles[key].name for state in self._states if key in state.styles]
        if styles:
            return split_label(label)[1] in styles or self._is_chosen(key, label)
        variables = [state.variables[key] for state in self._states if key in state.variables]
        if variables:
            handle, name = split_label(label)
            # Somebody may have renamed it since the plan was made, but not a new one.
            is_new = key not in self._states[0].variables
            return (not is_new and self._is_chosen(key, label)) or any(
                variable.name == name and self._is_handle(variable.collection, handle) for variable in variables
            )
        if any(key in state.collections for state in self._states):
            return self._is_handle(key, label)
        handle, _, mode = ("", "", key) if key in self._modes else key.partition("/")
        return any(
            (not handle or self._is_handle(owner.root, handle))
            and (self._is_context(owner, name, label, handle) or self._is_chosen(key, label))
            for owner, name in self._modes.get(mode, ())
        )

    def _is_context(self, owner: CollectionState, name: str, label: str, root: str) -> bool:
        """Return whether a label is the context of a mode: its slug, after the handle of an extension.

        ``root`` is the handle of its root collection, which only the keys of root modes contain.
        """
        handle, _, context = label.rpartition(".")
        is_of_owner = not handle if owner.parent is None else self._is_handle(owner.ref, handle)
        return is_of_owner and (
            is_slug_of(context, name, MODE) or (handle or root, name, context) in self._chosen.modes
        )

    def _is_handle(self, collection: Ref, handle: str) -> bool:
        known = self._handles.get((collection, handle))  # all variables of a collection ask the same
        if known is None:
            known = self._handles[collection, handle] = self._names_collection(collection, handle)
        return known

    def _names_collection(self, collection: Ref, handle: str) -> bool:
        if self._platform.get(collection) == handle:
            return True
        owners = [state.collections[collection] for state in self._states if collection in state.collections]
        if any(is_slug_of(handle, owner.name, COLLECTION) for owner in owners):  # without reading the token files
            return True
        chosen = self._chosen.handles
        return self._is_chosen(collection, handle) or any((owner.name, handle) in chosen for owner in owners)

    def _is_chosen(self, key: str, label: str) -> bool:
        return any(each.get(key) == label for each in self._chosen.labels)

    @cached_property
    def _chosen(self) -> _Chosen:
        graphs = tuple(self._others())
        families = tuple(collection for graph in graphs for collection in graph.collections.values())
        return _Chosen(
            tuple(labels_of(graph) for graph in graphs),
            frozenset(
                (each.name, each.handle)
                for family in families
                for each in cast("tuple[Collection | Extension, ...]", (family, *family.extensions))
            ),
            frozenset(_modes_of(families)),
        )


class _Chosen(NamedTuple):
    """The names that users have chosen in token files, also for objects whose ids the files do not have yet.

    ``handles`` holds names of collections and their handles, ``modes`` handles, names of modes and their slugs.
    """

    labels: tuple[dict[str, str], ...]
    handles: frozenset[tuple[str, str]]
    modes: frozenset[tuple[str, str, str]]


def _modes_of(families: Iterable[Collection]) -> Iterator[tuple[str, str, str]]:
    for family in families:
        for mode in family.modes:
            yield mode.collection, mode.name, mode.slug
            if mode.parent is None:  # an extension gets a new mode of its root, without a file of its own
                yield from ((extension.handle, mode.name, mode.slug) for extension in family.extensions)


def invalid_references(operations: Sequence[Operation], before: FileState) -> Iterator[tuple[int, str]]:
    """Yield the index of each operation that refers to a missing object, or repeats a ref or a change, and the reason.

    None of the operations is one of ``conflicting``. Only operations without such errors have a state after them, which
    ``validate`` checks.
    """
    references = _References(operations, before)
    for index, operation in enumerate(operations):
        yield from ((index, what) for what in references.errors(operation))


class _References:
    """Checks operations against the objects of a file and those that the operations so far create."""

    def __init__(self, operations: Sequence[Operation], before: FileState) -> None:
        self._before = before
        self._objects = {*before.collections, *before.variables, *before.styles}
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
        for operation in operations:  # others may refer to these objects, whatever their order
            match operation:
                case CreateVariable(variable=variable):
                    self._variables.add(variable.ref)
                case CreateMode(ref=ref, collection=collection, extended=extended):
                    self._modes.setdefault(collection, set()).update(operation.created())
                    for owner, mode in ((collection, ref), *extended):
                        self._own.setdefault(owner, set()).add(mode)
        self._deleted_modes = {operation.ref for operation in operations if isinstance(operation, DeleteMode)}
        for each in before.collections.values():  # a parent precedes its extensions
            self._deleted_modes.update(mode.ref for mode in each.modes if mode.parent in self._deleted_modes)
        self._deleted = {operation.ref for operation in operations if isinstance(operation, _DELETIONS)}
        collections = self._deleted.intersection(before.collections)
        self._deleted_with = {ref for each in collections for ref in before.extensions_of(each)}
        """The extensions and variables of deleted collections, for which an ordinary plan has no operations."""
        if collections:
            self._deleted_with |= {ref for ref, each in before.variables.items() if each.collection in collections}
        self._deleted |= self._deleted_with
        self._roots = {ref: each.root for ref, each in before.collections.items() if ref not in self._deleted}

    def errors(self, operation: Operation) -> Iterator[str]:
        """Yield the errors of an operation, and record what it creates."""
        deleted = self._deleted_with if isinstance(operation, _DELETIONS) else self._deleted
        if not (aspects := [*operation.aspects()]):
            yield "it changes nothing"
        for aspect in aspects:
            if aspect in self._changes:
                yield "the plan already has an operation for this change"
            if aspect.ref in deleted:
                yield f"the plan deletes {_quoted(aspect.ref)}"
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
            case CreateStyle() | UpdateStyle() | DeleteStyle():
                yield from self._errors_of_style(operation)

    def _errors_of_change(self, operation: Operation) -> Iterator[str]:
        # What it changes exists: else the file does not have the state that it records.
        match operation:
            case RenameMode(collection=collection):
                yield from self._root(collection)
            case DeleteMode(collection=collection, ref=ref, name=name):
                yield from self._root(collection)
                modes = self._before.collections[collection].modes
                yield from _other_name(name, next(mode.name for mode in modes if mode.ref == ref))
            case SetValue(variable=ref, mode=mode, after=value):
                yield from self._values(self._before.variables[ref].collection, (mode,))
                yield from self._targets(targets_of(value))
            case DeleteVariable(ref=ref, collection=collection, name=name):
                found = self._before.variables[ref]
                yield from _other_name(name, found.name)
                if found.collection != collection:
                    yield f"{_quoted(ref)} is not in {_quoted(collection)}"
            case DeleteCollection(ref=ref, name=name):
                yield from _other_name(name, self._before.collections[ref].name)

    def _errors_of_style(self, operation: CreateStyle | UpdateStyle | DeleteStyle) -> Iterator[str]:
        if isinstance(operation, CreateStyle):
            yield from self._new_object(operation.style.ref)
            yield from self._targets(aliased(operation.style.members))
            return
        style = self._before.styles[operation.ref]
        if style.type != operation.kind:
            yield f"the file has no {operation.kind.lower()} style {_quoted(operation.ref)}"
        elif isinstance(operation, DeleteStyle):
            yield from _other_name(operation.name, style.name)
        else:
            yield from self._targets(aliased([after for _, after in operation.members.values()]))

    def _new_collection(self, ref: Ref, modes: Sequence[ModeState], parent: Ref | None) -> Iterator[str]:
        yield from self._new_object(ref)
        yield from self._new_modes(mode.ref for mode in modes)
        if not modes:
            yield "it has no modes"
        if parent is not None and parent not in self._roots:
            yield f"no collection {_quoted(parent)} remains or is created before it"
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
        if self._before.collections[collection].root != collection:
            yield f"the modes of the extension {_quoted(collection)} follow those of its collection"

    def _values(self, collection: Ref, modes: Iterable[Ref]) -> Iterator[str]:
        if self._roots.get(collection) != collection:
            yield f"no collection {_quoted(collection)} that can have variables remains or is created before it"
        for mode in modes:
            if mode not in self._modes.get(collection, ()):
                yield f"{_quoted(collection)} has no mode {_quoted(mode)}"

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
