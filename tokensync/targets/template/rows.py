"""What a team's own templates are given, and the page of templates says.

Unlike other contexts these are made at run time too: rows are looked into by name.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import says


class Token(NamedTuple):
    """A token as it shows in a theme."""

    name: Annotated[str, says("its name, as `names` of the file says", "textMuted")]
    value: Annotated[
        str, says("its value as text, as `values` says: a literal, or a reference when `reference` is given", "#52647a")
    ]
    type: Annotated[str, says("its type: `color`, `dimension`, `number`, `fontFamily` ...", "color")]
    data: Annotated[
        Any,
        says(
            "its value as data: `{hex, alpha}` of a colour, `{value, unit}` of a length or a duration, a list of"
            " families, a number (an opacity is from 0 to 1), a text, a boolean, or the parts of a composite",
            {"hex": "#52647a", "alpha": 1},
        ),
    ]
    alias: Annotated[str, says("the name of the token that it refers to, or nothing", "colorSlate500")]
    path: Annotated[tuple[str, ...], says("the names of its groups and its own", ("text", "muted"))]
    words: Annotated[tuple[str, ...], says("the words of its path, in lower case", ("text", "muted"))]
    collection: Annotated[str, says("the name of its collection", "Theme")]
    description: Annotated[str, says("what its designer wrote of it, or nothing", "Captions and hints.")]
    deprecated: Annotated[str, says("why it should not be used any more, or nothing", "")]
    hidden: Annotated[bool, says("whether it is hidden from publishing", False)]


class OwnTheme(NamedTuple):
    """A theme beside the default one."""

    name: Annotated[str, says("its name", "theme/dark")]
    words: Annotated[tuple[str, ...], says("the words of its name", ("theme", "dark"))]
    parts: Annotated[tuple[str, ...], says("the names of the two themes of a combination, else nothing", ())]
    rows: Annotated[Sequence[Token], says("all tokens that have a value in it")]
    changed: Annotated[Sequence[Token], says("those that show something else than without it")]


class Own(Struct, frozen=True):
    """A file of a team's own."""

    rows: Annotated[
        Sequence[Token],
        says("the tokens in collection order, as the default theme shows them, or the file's theme or collection"),
    ]
    themes: Annotated[Sequence[OwnTheme], says("the themes beside the default one")]
    combinations: Annotated[
        Sequence[OwnTheme], says("two themes at once, where that shows something that neither of the two does alone")
    ]
    theme: Annotated[str, says("the name of the file's theme, for a path with `{theme}`; else `default`", "default")]
    collection: Annotated[
        str, says("the name of the file's collection, for a path with `{collection}`; else nothing", "")
    ]


TEMPLATES = ()
"""None is packaged: each is a team's own."""
