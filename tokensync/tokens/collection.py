"""What a design file holds, in DTCG's words: collections with their modes and extensions, tokens, and themes."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tokensync.tokens.values import TokenKey, Value, targets
from tokensync.tokens.weights import public_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

FamilyKey = tuple[str, str]
"""The file and the handle of a root collection."""

Origin = typing.Literal["local", "remote", "deleted", "withheld", "absent"]
"""Where a token or collection lives: this file; another file (a library in use here); deleted in the editor but still
referred to; omitted by an option of ``extract``; or not in the response at all (only overrides of it are). Only local
ones are declared in outputs."""

CODE_SYNTAX_PLATFORMS = ("WEB", "ANDROID", "iOS")
"""The platforms that a token can have code syntax for, as the design tool writes them."""

DEFAULT_THEME_NAME = "default"

PERCENT_SCOPES = frozenset({"OPACITY", "COLOR_OPACITY"})
TEXT_SCOPES = frozenset({"FONT_SIZE", "LINE_HEIGHT", "LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT"})


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
        """Return (file, handle), by which themes and token keys name it."""
        return (self.file, self.handle)


class Token(Struct, frozen=True, kw_only=True):
    """A token and its value in each mode of its collection.

    ``type`` is a DTCG type name, ``string`` or ``boolean``, which DTCG has not, or ``AS_TEXT``: a weight that is a text
    in ``values``, as the design file has it, and a number wherever it is resolved. ``values`` stands in the order of
    ``Collection.modes``; None means nothing is written there: the parent mode's value holds, or there is none.
    ``id`` and ``variable_key`` are the platform's (empty for a token that is not there yet). ``code_syntax`` holds
    (platform, raw text) pairs, sorted. ``published`` is None when no published response was read. ``extensions`` is
    the canonical JSON of extension members that are not ours.
    """

    key: TokenKey
    type: str
    values: tuple[Value | None, ...]
    description: str = ""
    scopes: tuple[str, ...] = ()
    code_syntax: tuple[tuple[str, str], ...] = ()
    hidden: bool = False
    origin: Origin = "local"
    published: bool | None = None
    deprecated: bool | str = False
    id: str = ""
    variable_key: str = ""
    extensions: str = ""

    def value(self, mode: int, modes: Sequence[Mode]) -> Value | None:
        """Return what is written in a mode of the collection, or in the nearest parent mode that has a value."""
        at: int | None = mode
        while at is not None:
            if (value := self.values[at]) is not None:
                return value
            at = modes[at].parent
        return None

    @property
    def public_type(self) -> str:
        """Return the type that outputs and lists show."""
        return public_type(self.type)

    @property
    def references(self) -> tuple[TokenKey, ...]:
        """Return the tokens that it refers to in any mode, each once, in the order of its values."""
        return tuple({target: None for value in self.values for target in targets(value)})

    @property
    def is_percentage(self) -> bool:
        """Return whether its number counts from 0 to 100: an opacity, and nothing else."""
        return self.type == "number" and bool(self.scopes) and PERCENT_SCOPES.issuperset(self.scopes)

    @property
    def is_text_measure(self) -> bool:
        """Return whether its dimension belongs to text, which follows the reader's font size where a platform can."""
        return self.type == "dimension" and bool(self.scopes) and TEXT_SCOPES.issuperset(self.scopes)


class Theme(Struct, frozen=True):
    """A name and the modes it chooses: pairs of a family's (file, handle) and an index into its modes.

    A family that is not mentioned is in its default mode.
    """

    name: str
    modes: tuple[tuple[FamilyKey, int], ...] = ()


DEFAULT_THEME = Theme(DEFAULT_THEME_NAME)


def inferred_themes(collections: Iterable[Collection]) -> tuple[Theme, ...]:
    """Return a theme for each mode of each local family of several modes, the other families at their default.

    Named ``<collection handle>/<mode context>``, with ``<file>/`` before it when the collections are of several files.
    """
    families = tuple(each for each in collections if each.origin == "local" and len(each.modes) > 1)
    several_files = len({each.file for each in families}) > 1
    return tuple(
        Theme(
            f"{family.file}/{family.handle}/{mode.context}" if several_files else f"{family.handle}/{mode.context}",
            ((family.key, index),),
        )
        for family in families
        for index, mode in enumerate(family.modes)
    )
