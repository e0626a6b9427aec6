"""The contexts of the user's own templates.

Unlike other contexts, these are also used at run time: templates read the fields of rows by name.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import doc


class Token(NamedTuple):
    """A token in a theme."""

    name: Annotated[str, doc("the name on the platform of the file's `names`", "textMuted")]
    value: Annotated[
        str,
        doc(
            "the value as text in the notation of `values`: a literal, or a reference if `reference` is set", "#52647a"
        ),
    ]
    type: Annotated[str, doc("the type: `color`, `dimension`, `number`, `fontFamily` ...", "color")]
    data: Annotated[
        Any,
        doc(
            "the value as data: `{hex, alpha}` for a colour, `{value, unit}` for a length or duration, a list of"
            " families, a number (an opacity is from 0 to 1), a text, a boolean, or the parts of a composite",
            {"hex": "#52647a", "alpha": 1},
        ),
    ]
    alias: Annotated[str, doc("the name of the token that it refers to, or empty", "colorSlate500")]
    path: Annotated[tuple[str, ...], doc("the names of its groups, then its own", ("text", "muted"))]
    words: Annotated[tuple[str, ...], doc("the words of the path, in lower case", ("text", "muted"))]
    collection: Annotated[str, doc("the name of the collection", "Theme")]
    description: Annotated[str, doc("the description in the design file, or empty", "Captions and hints.")]
    deprecated: Annotated[str, doc("the reason of its deprecation, or empty", "")]
    hidden: Annotated[bool, doc("whether it is hidden from publishing", False)]


class OwnTheme(NamedTuple):
    """A theme other than the default one."""

    name: Annotated[str, doc("the name", "theme/dark")]
    words: Annotated[tuple[str, ...], doc("the words of the name", ("theme", "dark"))]
    parts: Annotated[tuple[str, ...], doc("the names of the two themes of a combination, or empty", ())]
    rows: Annotated[Sequence[Token], doc("all tokens with a value in the theme")]
    changed: Annotated[Sequence[Token], doc("the tokens whose values differ from those without the theme")]


class Own(Struct, frozen=True):
    """A file of the user's own."""

    rows: Annotated[
        Sequence[Token],
        doc(
            "the tokens in collection order, in the default theme or the file's theme, of all collections or the file's"
        ),
    ]
    themes: Annotated[Sequence[OwnTheme], doc("the themes other than the default one")]
    combinations: Annotated[Sequence[OwnTheme], doc("combinations of two themes with values that neither of them has")]
    theme: Annotated[str, doc("the name of the file's theme for a path with `{theme}`, or `default`", "default")]
    collection: Annotated[str, doc("the name of the file's collection for a path with `{collection}`, or empty", "")]


TEMPLATES = ()
"""No template is packaged: users write their own."""
