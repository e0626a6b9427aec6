"""The elements of a request's four arrays, with refs in the place of ids."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from tokensync.plan.state import Ref, StateValue, VariableState


class MakeCollection(Struct, frozen=True):
    """A root collection is made, with one mode that has no name of its own yet."""

    ref: Ref
    name: str
    mode: Ref
    hidden: bool = False


class MakeExtension(Struct, frozen=True):
    """A collection that extends ``parent`` is made. ``modes`` are (the parent's mode, the mode that follows it)."""

    ref: Ref
    name: str
    parent: Ref
    modes: tuple[tuple[Ref, Ref], ...]
    hidden: bool = False


class ChangeCollection(Struct, frozen=True):
    """A collection gets another name, or is hidden or shown; None stays as it is."""

    ref: Ref
    name: str | None = None
    hidden: bool | None = None


class DropCollection(Struct, frozen=True):
    """A collection goes with all that it holds, and with its ``extensions`` at every depth."""

    ref: Ref
    extensions: tuple[Ref, ...] = ()


class MakeMode(Struct, frozen=True):
    """A mode is made, filled with the default mode's values; ``extended`` are (extension, its mode that follows)."""

    ref: Ref
    collection: Ref
    name: str
    extended: tuple[tuple[Ref, Ref], ...] = ()


class NameMode(Struct, frozen=True):
    """A mode, and with it the modes that extend it, gets a name."""

    ref: Ref
    collection: Ref
    name: str


class DropMode(Struct, frozen=True):
    """A mode goes, and the modes that extend it."""

    ref: Ref
    collection: Ref


class MakeVariable(Struct, frozen=True):
    """A variable is made. Its values come as ``GiveValue``: until then it has those of the editor."""

    variable: VariableState


class ChangeVariable(Struct, frozen=True, omit_defaults=True):
    """Some of what is said of a variable changes; None stays as it is."""

    ref: Ref
    name: str | None = None
    description: str | None = None
    hidden: bool | None = None
    scopes: tuple[str, ...] | None = None
    code_syntax: tuple[tuple[str, str], ...] | None = None


class DropVariable(Struct, frozen=True):
    """A variable goes."""

    ref: Ref


class GiveValue(Struct, frozen=True):
    """A variable gets a value in one mode; None takes an override away."""

    variable: Ref
    mode: Ref
    value: StateValue | None


CollectionChange = MakeCollection | MakeExtension | ChangeCollection | DropCollection
ModeChange = MakeMode | NameMode | DropMode
VariableChange = MakeVariable | ChangeVariable | DropVariable
Change = CollectionChange | ModeChange | VariableChange | GiveValue


class Changes(NamedTuple):
    """The four arrays of a request, in the order in which the platform works through them."""

    collections: tuple[CollectionChange, ...] = ()
    modes: tuple[ModeChange, ...] = ()
    variables: tuple[VariableChange, ...] = ()
    values: tuple[GiveValue, ...] = ()

    def made(self) -> tuple[Ref, ...]:
        """Return the temporary refs of all that it makes, of extended modes too.

        The platform works through collections before modes: an extension that the same request deletes
        is gone when a mode is made, and gets none.
        """
        refs: list[Ref] = []
        gone: set[Ref] = set()
        for collection in self.collections:
            match collection:
                case MakeCollection(ref=ref, mode=mode):
                    refs += (ref, mode)
                case MakeExtension(ref=ref, modes=modes):
                    refs += (ref, *(mode for _, mode in modes))
                case DropCollection(ref=ref, extensions=extensions):
                    gone.update((ref, *extensions))
                case _:
                    pass
        for change in self.modes:
            if isinstance(change, MakeMode):
                refs += (change.ref, *(mode for extension, mode in change.extended if extension not in gone))
        refs += (each.variable.ref for each in self.variables if isinstance(each, MakeVariable))
        return tuple(refs)
