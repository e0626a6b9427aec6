"""Collections with their modes and extensions, tokens, and themes."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from tokensync.tokens.values import AS_TEXT, Notation, TokenKey, Value, targets

FamilyKey = tuple[str, str]
"""The file and the handle of a root collection."""

Origin = typing.Literal["local", "remote", "deleted", "withheld", "absent"]
"""The origin of a token or collection: this file; another file (a library); deleted in the editor but still referred
to; omitted by an option of ``extract``; or absent from the response, which only overrides it. Outputs declare only
local ones."""

CODE_SYNTAX_PLATFORMS = ("WEB", "ANDROID", "iOS")
"""The code syntax platforms, as spelled by the design tool."""

MODES_PER_COLLECTION = 40
VARIABLES_PER_COLLECTION = 5000
"""The most modes and variables that the platform allows."""

STYLES = "styles:"
"""The start of the ids of the collections that hold styles."""
OF_STYLE = "com.figma.style"
"""The extension with what DTCG cannot say of a style."""

DEFAULT_THEME_NAME = "default"

Unit = typing.Literal["", "opacity", "percent", "fraction"]
"""How a number is written in code: a ``percent`` divided by 100, others as they are. An ``opacity`` is one of the two,
depending on its values."""

OPACITY_SCOPES = frozenset({"OPACITY", "COLOR_OPACITY"})
TEXT_SCOPES = frozenset({"FONT_SIZE", "LINE_HEIGHT", "LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT"})


@cache
def is_opacity(scopes: tuple[str, ...]) -> bool:
    """Return whether the scopes are for opacities only, which the platform has as numbers from 0 to 100."""
    return bool(scopes) and OPACITY_SCOPES.issuperset(scopes)


@cache
def is_text_scoped(scopes: tuple[str, ...]) -> bool:
    """Return whether the scopes are for text only, so that a dimension follows the reader's font size if possible."""
    return bool(scopes) and TEXT_SCOPES.issuperset(scopes)


class Mode(Struct, frozen=True, kw_only=True):
    """One column of values of a collection family.

    ``collection`` is the handle of the root or extension that defines the mode. ``slug`` is the file name in that
    collection's folder. ``context`` is unique in the family: the slug of a root's mode, and
    ``<extension handle>.<slug>`` for an extension. ``parent`` is the index of the mode from which missing values are
    inherited; parents precede their children. ``id`` is the platform's modeId, which is unique in a collection only.
    """

    name: str
    collection: str
    slug: str
    context: str
    id: str = ""
    parent: int | None = None


class OpaqueVariable(Struct, frozen=True, kw_only=True):
    """A variable whose type no token can have. It is neither read nor written, but reserves its name.

    ``values`` holds pairs of a mode id and JSON, for extensions too. ``about`` is the JSON of the other properties;
    equal content has equal JSON. ``targets`` are the ids of referenced variables.
    """

    id: str
    name: str
    type: str
    values: tuple[tuple[str, str], ...] = ()
    about: str = ""
    targets: tuple[str, ...] = ()

    def without(self, modes: AbstractSet[str]) -> OpaqueVariable:
        """Return the variable without its values in some modes."""
        values = tuple(value for value in self.values if value[0] not in modes)
        return self if len(values) == len(self.values) else replace(self, values=values)


class Extension(Struct, frozen=True, kw_only=True):
    """A collection that extends the collection of its family with the handle ``parent``."""

    handle: str
    name: str
    parent: str
    id: str = ""
    collection_key: str = ""
    hidden: bool = False
    default_mode: int = 0
    origin: Origin = "local"


class Collection(Struct, frozen=True, kw_only=True):
    """A collection family: a root collection and all its extensions, which share tokens.

    ``handle`` is unique in the file, case-folded and safe as a folder name. ``modes`` holds the root's modes in the
    editor's order, then those of each extension; ``default_mode`` is an index into it. ``opaque`` holds the variables
    that cannot be tokens and are not in token files.
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
        """Return (file, handle), the key in themes and token keys."""
        return (self.file, self.handle)

    @property
    def is_of_styles(self) -> bool:
        """Return whether the tokens are styles of the design file, which the platform's API cannot write."""
        return self.id.startswith(STYLES)


class Token(Struct, frozen=True, kw_only=True):
    """A token and its value in each mode of its collection.

    ``type`` is a DTCG type, ``string`` or ``boolean`` (not in DTCG), or ``AS_TEXT``: a weight that is a text in
    ``values`` and a number once resolved. ``values`` has the order of ``Collection.modes``; None means that the parent
    mode's value applies, if any. ``id`` and ``variable_key`` are the platform's, empty for a new token.
    ``code_syntax`` holds sorted pairs of platform and raw text. ``published`` is None without a published response.
    ``extensions`` is the canonical JSON of the extension members of other tools. ``unit`` is that of a ``[[types]]``
    rule of the configuration. ``notations`` says how token files write some of the values.
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
    unit: Unit = ""
    notations: tuple[Notation, ...] = ()

    def value(self, mode: int, modes: Sequence[Mode]) -> Value | None:
        """Return the value in a mode of the collection, inherited from the nearest parent mode if missing."""
        return inherited(self.values, mode, modes)

    def is_earlier_value(self, key: TokenKey) -> bool:
        """Return whether this holds the values of another token where the modifiers of a resolver document before the
        last one decide.
        """
        own = self.key
        is_same = own.path == key.path and own.file == key.file
        return self.origin == "withheld" and is_same and own.collection != key.collection

    @property
    def public_type(self) -> str:
        """Return the type for outputs and lists."""
        return "fontWeight" if self.type == AS_TEXT else self.type

    @property
    def references(self) -> tuple[TokenKey, ...]:
        """Return the tokens that the token refers to in any mode, without duplicates, in the order of its values."""
        return tuple({target: None for value in self.values for target in targets(value)})


def inherited(values: Sequence[Value | None], mode: int, modes: Sequence[Mode]) -> Value | None:
    """Return a token's value in a mode of its collection, or that of the nearest parent mode with one."""
    column: int | None = mode
    while column is not None:
        if (value := values[column]) is not None:
            return value
        column = modes[column].parent
    return None


class Theme(Struct, frozen=True):
    """A named selection of modes: pairs of a family's key and an index into its modes.

    Other families are in their default mode.
    """

    name: str
    modes: tuple[tuple[FamilyKey, int], ...] = ()


DEFAULT_THEME = Theme(DEFAULT_THEME_NAME)


def inferred_themes(collections: Iterable[Collection]) -> tuple[Theme, ...]:
    """Return a theme for each mode of each local family with several modes; other families are in their default mode.

    The name is ``<handle>/<context>``, prefixed with ``<file>/`` if the collections are in several files.
    """
    families = tuple(each for each in collections if each.origin == "local" and len(each.modes) > 1)
    several_files = len({family.file for family in families}) > 1
    return tuple(
        Theme(
            f"{family.file}/{family.handle}/{mode.context}" if several_files else f"{family.handle}/{mode.context}",
            ((family.key, index),),
        )
        for family in families
        for index, mode in enumerate(family.modes)
    )
