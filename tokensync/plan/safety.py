"""What about a plan needs a person's word before it is carried out."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.operations import (
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateVariable,
)
from tokensync.plan.plan import Finding
from tokensync.plan.refs import parts
from tokensync.plan.state import targets_of
from tokensync.wording import counted, listed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.plan.operations import Operation
    from tokensync.plan.plan import FindingKind
    from tokensync.plan.state import FileState, Ref, VariableState
    from tokensync.settings import AllowConfig
    from tokensync.tokens import OpaqueVariable

FEW = 10
"""A collection of fewer variables may change altogether without a word."""
MUCH = 0.3
"""The share of a collection's variables that may be updated or deleted without a word."""


class Referring(NamedTuple):
    """Who in other files of the project needs something of this one, and, as ``notes``, what is not known of that.

    ``words`` names, by ref, those that refer to a variable or override it, and those that extend a collection.
    """

    words: Mapping[Ref, Sequence[str]] = MappingProxyType({})
    notes: tuple[str, ...] = ()


def findings(
    before: FileState,
    after: FileState,
    operations: Sequence[Operation],
    allow: Iterable[AllowConfig] = (),
    *,
    file: str = "",
    labels: Mapping[Ref, str],
    retyped: Mapping[Ref, Ref],
    used: Mapping[Ref, str] | None = None,
    referring: Referring | None = None,
) -> tuple[Finding, ...]:
    """Return the findings of a plan, marked where an ``[[allow]]`` entry of the configuration wants them.

    ``labels`` are those of ``labels_of`` for both states, ``retyped`` the refs (old to new) of variables whose type
    changes; ``used`` says in words how other files use variables, and ``referring`` who in the project's other files
    needs what is there. Values in a mode that the plan makes change nothing
    that was there, and do not count as updates.
    """
    permitted = [each for each in allow if each.file in ("", file)]
    seeker = _Seeker(before, after, operations, labels, retyped, used or {}, (referring or Referring()).words)
    return tuple(
        Finding(kind, subject, what, _is_allowed(kind, subject, permitted)) for kind, subject, what in seeker.all()
    )


def _is_allowed(kind: FindingKind, subject: str, permitted: Iterable[AllowConfig]) -> bool:
    return any(each.finding == kind and fnmatchcase(subject, each.subject) for each in permitted)


class _Seeker:
    def __init__(
        self,
        before: FileState,
        after: FileState,
        operations: Sequence[Operation],
        labels: Mapping[Ref, str],
        retyped: Mapping[Ref, Ref],
        used: Mapping[Ref, str],
        referring: Mapping[Ref, Sequence[str]],
    ) -> None:
        self.before = before
        self.after = after
        self.operations = operations
        self.labels = labels
        self.retyped = retyped
        self.used = used
        self.referring = referring

    def all(self) -> Iterator[tuple[FindingKind, str, str]]:
        yield from self._collections()
        yield from self._modes()
        yield from self._types()
        yield from self._referred()
        yield from self._extended()
        yield from self._used()
        yield from self._much()

    def _collections(self) -> Iterator[tuple[FindingKind, str, str]]:
        sizes = self._sizes()
        for each in self.operations:
            if not isinstance(each, DeleteCollection):
                continue
            was = self.before.collections[each.ref]
            opaque = self.before.opaque_of(was.root)
            if was.parent is not None:
                what = "the extension is deleted with all its overrides"
                under = [self.before.collections[ref] for ref in (each.ref, *self.before.extensions_of(each.ref))]
                overridden = _with_values(opaque, {mode.ref for own in under for mode in own.modes})
                what += _irretrievable(overridden, f"those of {counted(len(overridden), 'variable')}")
            else:
                what = f"the collection is deleted with all it holds: {counted(sizes[each.ref], 'variable')}"
                if more := len(self.before.extensions_of(each.ref)):
                    what += f", {counted(more, 'extension')}"
                what += _irretrievable(opaque, f"{len(opaque):,} of these variables")
            yield "delete collection", self._handle(each.ref), what

    def _modes(self) -> Iterator[tuple[FindingKind, str, str]]:
        for each in self.operations:
            if isinstance(each, DeleteMode):
                held = sum(each.ref in variable.values for variable in self._variables_of(each.collection))
                opaque = _with_values(self.before.opaque_of(each.collection), {each.ref})
                what = f"the mode is deleted with {counted(held + len(opaque), 'value')}"
                what += _irretrievable(opaque, f"{len(opaque):,} of these values")
                yield "delete mode", f"{self._handle(each.collection)}/{each.name}", what

    def _types(self) -> Iterator[tuple[FindingKind, str, str]]:
        for old, new in self.retyped.items():
            if old in self.before.variables and new in self.after.variables and old not in self.after.variables:
                kinds = f"{self.before.variables[old].type} to {self.after.variables[new].type}"
                what = f"its type changes, {kinds}: the variable is deleted and made anew, and its bindings are lost"
                yield "change type", self._subject(old), what

    def _referred(self) -> Iterator[tuple[FindingKind, str, str]]:
        after = self.after.variables
        gone = dict.fromkeys(ref for ref, each in self.before.variables.items() if not each.fixed and ref not in after)
        if not gone:
            return
        referring: dict[Ref, dict[Ref, None]] = {}
        for variable in after.values():
            for target in targets_of(*variable.values.values()):
                if target in gone:
                    referring.setdefault(target, {})[variable.ref] = None
        names: dict[Ref, str] = {}
        for collection, opaque in self.before.opaque.items():
            for each in opaque if collection in self.after.collections else ():
                names[each.id] = f"{self._handle(collection)} / {shortened(each.name)}"
                for target in each.targets:
                    if target in gone:
                        referring.setdefault(target, {})[each.id] = None
        for target in gone:
            sources = [self.labels.get(each) or names.get(each, each) for each in referring.get(target, ())]
            sources += self.referring.get(target, ())
            if sources:
                verb = "refers" if len(sources) == 1 else "refer"
                yield "delete referred", self._subject(target), f"it is deleted, and {listed(sources)} {verb} to it"

    def _extended(self) -> Iterator[tuple[FindingKind, str, str]]:
        """Find collections that extensions in other files extend, and modes that these have, too."""
        for each in self.operations:
            match each:
                case DeleteCollection(ref=ref):
                    subject = self._handle(ref)
                case DeleteMode(collection=ref, name=name):
                    subject = f"{self._handle(ref)}/{name}"
                case _:
                    continue
            if sources := self.referring.get(ref, ()):
                verb = "extends" if len(sources) == 1 else "extend"
                what = f"it is deleted, and {listed(sources)} {verb} {'it' if each.ref == ref else 'its collection'}"
                yield "delete referred", subject, what

    def _used(self) -> Iterator[tuple[FindingKind, str, str]]:
        for ref, words in self.used.items():
            if ref in self.before.variables and ref not in self.after.variables:
                yield "delete used", self._subject(ref), f"it is deleted, and other files use it: {words}"

    def _much(self) -> Iterator[tuple[FindingKind, str, str]]:
        new = {ref for each in self.operations for ref in each.made()}
        touched: dict[Ref, set[Ref]] = {}
        for each in self.operations:
            match each:
                case UpdateVariable(ref=ref) | DeleteVariable(ref=ref):
                    touched.setdefault(self.before.variables[ref].collection, set()).add(ref)
                case SetValue(variable=ref, mode=mode) if mode not in new:
                    touched.setdefault(self.before.variables[ref].collection, set()).add(ref)
        sizes = self._sizes()
        for collection, refs in touched.items():
            if sizes[collection] >= FEW and len(refs) > MUCH * sizes[collection]:
                what = f"{len(refs)} of its {sizes[collection]} variables are updated or deleted"
                yield "change much", self._handle(collection), what

    def _sizes(self) -> Counter[Ref]:
        """Return how many variables each collection holds before."""
        sizes = Counter(each.collection for each in self.before.variables.values())
        sizes.update({ref: len(opaque) for ref, opaque in self.before.opaque.items()})
        return sizes

    def _variables_of(self, collection: Ref) -> Iterator[VariableState]:
        return (each for each in self.before.variables.values() if each.collection == collection)

    def _handle(self, collection: Ref) -> str:
        return self.labels.get(collection, collection)

    def _subject(self, variable: Ref) -> str:
        handle, name = parts(self.labels.get(variable, variable))
        return f"{handle}/{name}" if handle else name


def _with_values(opaque: Iterable[OpaqueVariable], modes: AbstractSet[Ref]) -> tuple[OpaqueVariable, ...]:
    """Return those of some opaque variables that have a value in one of the modes."""
    return tuple(each for each in opaque if any(mode in modes for mode, _ in each.values))


def _irretrievable(opaque: Sequence[OpaqueVariable], amount: str) -> str:
    """Say that no rollback restores opaque variables, or values of them; nothing where there are none."""
    if not opaque:
        return ""
    kinds = list(dict.fromkeys(shortened(each.type) for each in opaque))
    unknown = "unknown type" if len(kinds) == 1 else "unknown types"
    return f"; rollback cannot restore {amount} ({unknown}: {listed(kinds)})"
