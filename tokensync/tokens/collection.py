"""Collections and their modes. An extended collection is nothing but modes that have parents."""

from __future__ import annotations

from msgspec import Struct

from tokensync.tokens.token import Origin


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
    the editor's order, then each extension's. ``default_mode`` is an index into them.
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

    @property
    def key(self) -> tuple[str, str]:
        """(file, handle): what themes and token keys name it by."""
        return (self.file, self.handle)
