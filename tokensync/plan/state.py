"""What a design file holds, as a plan sees it: in the platform's words and values, with one name for each thing.

Every collection, mode and variable goes by a ``Ref``: the platform's id of what exists, and a temporary id of what a
plan is going to make. A plan's operations, its batches and its receipts all speak of things by their refs, so that an
alias to a variable that is not there yet is no special case.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from tokensync.mapping import ResolvedType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.tokens import OpaqueVariable

Ref = str
"""Unique in a file over collections and variables. A mode's is unique in its family only (platform-facts section 3)."""


class ObjectValue(Struct, frozen=True, omit_defaults=True, gc=False):
    """A value that is no scalar: a colour (``r``, ``g``, ``b``, ``a``, all set), an alias, or a composed colour.

    One struct for the three, since a union of structs without a common tag cannot be decoded. Numbers are the shortest
    decimals of their float32 values, so that equal values are equal here and short in a body. A composed colour's
    ``opacity`` is a percentage, 0 to 100.
    """

    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    alias: Ref | None = None
    color: ObjectValue | None = None
    opacity: float | ObjectValue | None = None

    def targets(self) -> Iterator[Ref]:
        """The variables that it refers to."""
        if self.alias is not None:
            yield self.alias
        for part in (self.color, self.opacity):
            if isinstance(part, ObjectValue):
                yield from part.targets()

    def renamed(self, refs: Mapping[Ref, Ref]) -> ObjectValue:
        """The value with other refs for some of what it refers to; itself when none of that is among them."""
        if all(target not in refs for target in self.targets()):
            return self
        if self.alias is not None:
            return ObjectValue(alias=refs[self.alias])
        color, opacity = (
            part.renamed(refs) if isinstance(part, ObjectValue) else part for part in (self.color, self.opacity)
        )
        return structs.replace(self, color=color, opacity=opacity)


StateValue = bool | float | str | ObjectValue
"""What a variable holds in one mode."""


def targets_of(*values: StateValue | None) -> Iterator[Ref]:
    """The variables that values refer to; one may come twice."""
    for value in values:
        if isinstance(value, ObjectValue):
            yield from value.targets()


class ModeState(Struct, frozen=True, omit_defaults=True):
    """A mode. ``parent`` is the mode of the parent collection that an extended collection's mode follows."""

    ref: Ref
    name: str
    parent: Ref | None = None


class CollectionState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A collection, or an extension of one. ``modes`` stand in the editor's order; ``default`` is one of them.

    ``parent`` is the collection that it extends, ``root`` the one that owns the variables (itself, when it extends
    nothing). A ``fixed`` one is of another file, so that it can be referred to and not changed.
    """

    ref: Ref
    name: str
    root: Ref
    modes: tuple[ModeState, ...]
    default: Ref
    parent: Ref | None = None
    hidden: bool = False
    fixed: bool = False


class VariableState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A variable with its values: mode to value, its own collection's modes and those of the extensions of it.

    In an extension's mode a value is an override; a mode without one follows its parent. ``code_syntax`` holds
    (platform, text) pairs, sorted; ``scopes`` are sorted, too.
    A ``fixed`` one is of another file: it can be referred to and not changed, but for overrides of an extension here.
    """

    ref: Ref
    collection: Ref
    name: str
    type: ResolvedType
    values: dict[Ref, StateValue]
    description: str = ""
    scopes: tuple[str, ...] = ()
    hidden: bool = False
    code_syntax: tuple[tuple[str, str], ...] = ()
    fixed: bool = False


class FileState(NamedTuple):
    """All that a file holds: collections (a parent stands before its extensions) and variables, in their order.

    Treat all as read-only. What was deleted and is still referred to is not in it: an alias to it leads to a ref that
    ``variables`` lacks. ``opaque`` holds, by root collection, the variables of types that tokensync does not know. They
    are no ``variables``, so that nothing can plan to change them: they go with their collection, a mode or an override.
    """

    collections: Mapping[Ref, CollectionState]
    variables: Mapping[Ref, VariableState]
    opaque: Mapping[Ref, tuple[OpaqueVariable, ...]] = MappingProxyType({})

    def family(self, root: Ref) -> Iterator[CollectionState]:
        """A root collection and every extension of it."""
        return (each for each in self.collections.values() if each.root == root)

    def extensions_of(self, collection: Ref) -> tuple[Ref, ...]:
        """Return the extensions of a collection, at every depth."""
        found: dict[Ref, None] = {}
        for each in self.family(self.collections[collection].root):  # a parent stands before its extensions
            if each.parent == collection or each.parent in found:
                found[each.ref] = None
        return tuple(found)

    def opaque_of(self, collection: Ref) -> tuple[OpaqueVariable, ...]:
        """Return the opaque variables of a root collection."""
        return self.opaque.get(collection, ())
