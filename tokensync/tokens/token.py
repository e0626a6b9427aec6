"""One token: what DTCG calls a token and the platform a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from tokensync.tokens.values import TokenKey, Value
from tokensync.tokens.weights import public_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.tokens.collection import Mode

Origin = Literal["local", "remote", "deleted", "withheld", "absent"]
"""Where a token or collection lives: this file; another file (a library in use here); deleted in the editor but still
referred to; left out by an option of ``extract``; or not in the response at all (only overrides of it are). Only local
ones are declared in outputs."""

PERCENT_SCOPES = frozenset({"OPACITY", "COLOR_OPACITY"})
TEXT_SCOPES = frozenset({"FONT_SIZE", "LINE_HEIGHT", "LETTER_SPACING", "PARAGRAPH_SPACING", "PARAGRAPH_INDENT"})


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
        """The type that outputs and lists show."""
        return public_type(self.type)

    @property
    def is_percentage(self) -> bool:
        """Whether its number counts from 0 to 100: an opacity, and nothing else (dtcg.md 8.1)."""
        return self.type == "number" and bool(self.scopes) and PERCENT_SCOPES.issuperset(self.scopes)

    @property
    def is_text_measure(self) -> bool:
        """Whether its dimension belongs to text, so that it follows the reader's font size where a platform can."""
        return self.type == "dimension" and bool(self.scopes) and TEXT_SCOPES.issuperset(self.scopes)
