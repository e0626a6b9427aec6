"""Collections and their modes. An extended collection is nothing but modes that have parents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tokensync.tokens.token import Origin

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


class Mode(Struct, frozen=True, kw_only=True):
    """One column of values of a collection family.

    ``collection`` is the handle of the collection that has the mode: the root's, or that of one of its extensions.
    ``slug`` is its file name within that collection's folder; ``context`` names it within the whole family (a root
    mode's context is its slug, an extension's is ``<extension handle>.<slug>``). ``parent`` is the index, in the
    family's modes, of the mode whose value holds where this one has none; parents come before their children.
    ``id`` is the platform's modeId: unique within its collection only.
    """

    name: str
    collection: str
    slug: str
    context: str
    id: str = ""
    parent: int | None = None


class OpaqueVariable(Struct, frozen=True, kw_only=True):
    """A variable of a type that has no token form. Nothing of it is read or written; its name is taken.

    ``values`` holds (mode, JSON) pairs, those of extensions' modes too, by the platform's ids; ``about`` is JSON of
    what else is said of it. Equal content is equal JSON. ``targets`` are the ids of the variables that it refers to.
    """

    id: str
    name: str
    type: str
    values: tuple[tuple[str, str], ...] = ()
    about: str = ""
    targets: tuple[str, ...] = ()

    def without(self, modes: AbstractSet[str]) -> OpaqueVariable:
        """Return the variable without its values in some modes; itself when it has none in them."""
        left = tuple(each for each in self.values if each[0] not in modes)
        return self if len(left) == len(self.values) else replace(self, values=left)


class Extension(Struct, frozen=True, kw_only=True):
    """A collection that extends another one of its family (``parent`` is that one's handle)."""

    handle: str
    name: str
    parent: str
    id: str = ""
    collection_key: str = ""
    hidden: bool = False
    default_mode: int = 0
    origin: Origin = "local"


class Collection(Struct, frozen=True, kw_only=True):
    """A root collection with every extension of it: a family, which shares tokens.

    ``handle`` is unique in its file, safe as a folder name and case-folded. ``modes`` holds the root's modes first, in
    the editor's order, then each extension's. ``default_mode`` is an index into them. ``opaque`` are the variables that
    are no tokens: only the platform knows them, and token files say nothing of them.
    """

    file: str
    handle: str
    name: str
    modes: tuple[Mode, ...]
    default_mode: int = 0
    extensions: tuple[Extension, ...] = ()
    id: str = ""
    collection_key: str = ""
    hidden: bool = False
    origin: Origin = "local"
    opaque: tuple[OpaqueVariable, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """(file, handle): what themes and token keys name it by."""
        return (self.file, self.handle)
