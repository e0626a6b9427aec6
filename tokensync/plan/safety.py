"""Find the changes of a plan that somebody has to allow before it is applied."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import MOTION_TYPES
from tokensync.plan.operations import DeleteCollection, DeleteMode, DeleteVariable, Operation, SetValue, UpdateVariable
from tokensync.plan.plan import OVERWRITE, Finding, FindingKind
from tokensync.plan.state import FileState, Ref, split_label, targets_of
from tokensync.system.wording import counted, listed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.settings import AllowConfig
    from tokensync.tokens import OpaqueVariable

_SMALL = 10
"""Collections with fewer variables may change completely without a finding."""
_LARGE_SHARE = 0.3
"""The share of a collection's variables that may be updated or deleted without a finding, unless an entry says it."""


class Referring(NamedTuple):
    """Users of this file's objects in the project's other files. ``unknown`` says why some files could not be searched.

    ``words`` names, by ref, the tokens that refer to a variable or override it, and the extensions of a collection.
    """

    words: Mapping[Ref, Sequence[str]] = MappingProxyType({})
    unknown: tuple[str, ...] = ()


def is_allowed(finding: Finding, file: str, allow: Iterable[AllowConfig]) -> bool:
    """Return whether an ``[[allow]]`` entry permits a finding in a design file; one with a ``share`` permits none."""
    return any(entry.share == 1 and _concerns(entry, finding.kind, finding.subject, file) for entry in allow)


def _concerns(entry: AllowConfig, kind: str, subject: str, file: str) -> bool:
    return entry.finding == kind and entry.file in ("", file) and fnmatchcase(subject, entry.subject)


class Search(NamedTuple):
    """The search for findings of a plan that leads from ``before`` to ``after``.

    ``labels`` are those of ``labels_of`` for both states, ``retyped`` the refs (old to new) of variables whose type
    changes. ``used`` describes how other files use variables, and ``generated`` names the platforms whose code syntax
    is generated, by variable. Values in a new mode do not count as updates.
    """

    file: str
    before: FileState
    after: FileState
    operations: Sequence[Operation]
    allow: Sequence[AllowConfig]
    labels: Mapping[Ref, str]
    retyped: Mapping[Ref, Ref]
    used: Mapping[Ref, str]
    referring: Referring
    generated: Mapping[Ref, Iterable[str]] = MappingProxyType({})

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings, marked as allowed where an ``[[allow]]`` entry of the configuration matches."""
        found = (Finding(kind, subject, what) for kind, subject, what in self._all())
        return tuple(replace(finding, allowed=is_allowed(finding, self.file, self.allow)) for finding in found)

    def _all(self) -> Iterator[tuple[FindingKind, str, str]]:
        deletes = any(isinstance(each, DeleteCollection | DeleteMode | DeleteVariable) for each in self.operations)
        if deletes:
            yield from self._collections()
            yield from self._modes()
        for old, new in self.retyped.items():
            if old in self.before.variables and new in self.after.variables and old not in self.after.variables:
                kinds = f"{self.before.variables[old].type} to {self.after.variables[new].type}"
                what = (
                    f"its type changes from {kinds}: the variable is deleted and recreated, and its bindings are lost"
                )
                yield "change type", _subject(old, self.labels), what
        if deletes:
            yield from self._referred()
            yield from self._extended()
            yield from self._unknown()
        for ref, words in self.used.items():
            if ref in self.before.variables and ref not in self.after.variables:
                yield "delete used", _subject(ref, self.labels), f"it is deleted, and other files use it: {words}"
        yield from self._much()
        if self.generated:
            yield from self._overwritten()

    def _collections(self) -> Iterator[tuple[FindingKind, str, str]]:
        sizes = self._sizes()
        for each in self.operations:
            if not isinstance(each, DeleteCollection):
                continue
            was = self.before.collections[each.ref]
            opaque = self.before.opaque_of(was.root)
            if was.parent is not None:
                what = "the extension is deleted with its overrides"
                under = [self.before.collections[ref] for ref in (each.ref, *self.before.extensions_of(each.ref))]
                overridden = _with_values(opaque, {mode.ref for own in under for mode in own.modes})
                what += _irretrievable(overridden, f"those of {counted(len(overridden), 'variable')}")
                what += self._of_motion(was.root, {mode.ref for own in under for mode in own.modes})
            else:
                what = f"the collection is deleted with {counted(sizes[each.ref], 'variable')}"
                if more := len(self.before.extensions_of(each.ref)):
                    what += f" and {counted(more, 'extension')}"
                what += _irretrievable(opaque, f"{len(opaque):,} of these variables")
                what += self._of_motion(each.ref, None)
            yield "delete collection", self._handle(each.ref), what

    def _modes(self) -> Iterator[tuple[FindingKind, str, str]]:
        for each in self.operations:
            if isinstance(each, DeleteMode):
                own = (
                    variable for variable in self.before.variables.values() if variable.collection == each.collection
                )
                opaque = _with_values(self.before.opaque_of(each.collection), {each.ref})
                count = sum(each.ref in variable.values for variable in own) + len(opaque)
                what = f"the mode is deleted with {counted(count, 'value')}"
                what += _irretrievable(opaque, f"{len(opaque):,} of these values")
                what += self._of_motion(each.collection, {each.ref})
                yield "delete mode", f"{self._handle(each.collection)}/{each.name}", what

    def _of_motion(self, root: Ref, modes: AbstractSet[Ref] | None) -> str:
        """Return a clause about motion variables of a collection, or with a value in some modes; empty without any."""
        number = sum(
            variable.type in MOTION_TYPES
            and variable.collection == root
            and (modes is None or not modes.isdisjoint(variable.values))
            for variable in self.before.variables.values()
        )
        return (
            f"; only through the bridge can a rollback restore {counted(number, 'motion variable')}" if number else ""
        )

    def _referred(self) -> Iterator[tuple[FindingKind, str, str]]:
        after = self.after.variables
        deleted = dict.fromkeys(
            ref for ref, each in self.before.variables.items() if not each.fixed and ref not in after
        )
        if not deleted:
            return
        referring: dict[Ref, dict[Ref, None]] = {}
        for variable in after.values():
            for target in targets_of(*variable.values.values()):
                if target in deleted:
                    referring.setdefault(target, {})[variable.ref] = None
        names: dict[Ref, str] = {}
        for collection, opaque in self.before.opaque.items():
            for each in opaque if collection in self.after.collections else ():
                names[each.id] = f"{self._handle(collection)} / {shortened(each.name)}"
                for target in each.targets:
                    if target in deleted:
                        referring.setdefault(target, {})[each.id] = None
        for target in deleted:
            sources = [self.labels.get(each) or names.get(each, each) for each in referring.get(target, ())]
            sources += self.referring.words.get(target, ())
            if sources:
                verb = "refers" if len(sources) == 1 else "refer"
                yield (
                    "delete referred",
                    _subject(target, self.labels),
                    f"it is deleted, and {listed(sources)} {verb} to it",
                )

    def _extended(self) -> Iterator[tuple[FindingKind, str, str]]:
        """Yield deleted collections, and modes of collections, that other files extend."""
        for each in self.operations:
            match each:
                case DeleteCollection(ref=ref):
                    subject = self._handle(ref)
                case DeleteMode(collection=ref, name=name):
                    subject = f"{self._handle(ref)}/{name}"
                case _:
                    continue
            if sources := self.referring.words.get(ref, ()):
                verb = "extends" if len(sources) == 1 else "extend"
                what = f"it is deleted, and {listed(sources)} {verb} {'it' if each.ref == ref else 'its collection'}"
                yield "delete referred", subject, what

    def _unknown(self) -> Iterator[tuple[FindingKind, str, str]]:
        """Yield a finding for each collection with deletions that unsearched files may refer to."""
        if self.referring.unknown:
            changes = (
                change
                for change in self.operations
                if isinstance(change, DeleteCollection | DeleteMode | DeleteVariable)
            )
            refs = (change.ref if isinstance(change, DeleteCollection) else change.collection for change in changes)
            for ref in dict.fromkeys(refs):
                yield "delete referred", self._handle(ref), "; and ".join(self.referring.unknown)

    def _much(self) -> Iterator[tuple[FindingKind, str, str]]:
        new = {ref for operation in self.operations for ref in operation.created()}
        touched: dict[Ref, set[Ref]] = {}
        for operation in self.operations:
            match operation:
                case UpdateVariable(ref=ref) | DeleteVariable(ref=ref):
                    touched.setdefault(self.before.variables[ref].collection, set()).add(ref)
                case SetValue(variable=ref, mode=mode) if mode not in new:
                    touched.setdefault(self.before.variables[ref].collection, set()).add(ref)
        sizes = self._sizes()
        for collection, refs in touched.items():
            handle = self._handle(collection)
            shares = (entry.share for entry in self.allow if _concerns(entry, "change much", handle, self.file))
            share = next((share for share in shares if share < 1), _LARGE_SHARE)
            if sizes[collection] >= _SMALL and len(refs) > share * sizes[collection]:
                what = f"{len(refs):,} of its {sizes[collection]:,} variables are updated or deleted"
                yield "change much", handle, what

    def _overwritten(self) -> Iterator[tuple[FindingKind, str, str]]:
        """Yield each variable with code syntax that somebody wrote, and that a generated name replaces."""
        for each in self.operations:
            if isinstance(each, UpdateVariable) and each.code_syntax is not None and each.ref in self.generated:
                was, becomes = map(dict, each.code_syntax)
                changes = [
                    f"{platform} {shortened(was[platform])!r} becomes {shortened(becomes.get(platform, ''))!r}"
                    for platform in self.generated[each.ref]
                    if was.get(platform) and was[platform] != becomes.get(platform)
                ]
                if changes:
                    what = f"its code syntax is replaced: {', '.join(changes)}"
                    yield OVERWRITE, _subject(each.ref, self.labels), what

    def _sizes(self) -> Counter[Ref]:
        """Return the number of variables of each collection before the plan."""
        sizes = Counter(variable.collection for variable in self.before.variables.values())
        sizes.update({ref: len(opaque) for ref, opaque in self.before.opaque.items()})
        return sizes

    def _handle(self, collection: Ref) -> str:
        return self.labels.get(collection, collection)


def _subject(variable: Ref, labels: Mapping[Ref, str]) -> str:
    handle, name = split_label(labels.get(variable, variable))
    return f"{handle}/{name}" if handle else name


def _with_values(opaque: Iterable[OpaqueVariable], modes: AbstractSet[Ref]) -> tuple[OpaqueVariable, ...]:
    """Return the opaque variables that have a value in one of the modes."""
    return tuple(variable for variable in opaque if any(mode in modes for mode, _ in variable.values))


def _irretrievable(opaque: Sequence[OpaqueVariable], amount: str) -> str:
    """Return a clause about opaque variables or values that no rollback restores; empty without any."""
    if not opaque:
        return ""
    kinds = list(dict.fromkeys(shortened(variable.type) for variable in opaque))
    unknown = "unknown type" if len(kinds) == 1 else "unknown types"
    return f"; rollback cannot restore {amount} ({unknown}: {listed(kinds)})"
