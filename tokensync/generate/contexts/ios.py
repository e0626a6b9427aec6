"""What the templates of ios are given."""

from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Constant(NamedTuple):
    """A static constant."""

    name: Annotated[str, says("its name, a keyword in back-ticks", "accentBase")]
    annotation: Annotated[str, says("its type after a colon, or nothing where the value tells it", ": CGFloat")]
    value: Annotated[str, says("its value as a Swift expression", "1.5")]


class Constants(Struct, frozen=True):
    """The Swift file's constants."""

    rows: Annotated[list[Constant], says("the constants, in collection order")]


class Appearance(NamedTuple):
    """A colour of a colour set."""

    appearance: Annotated[str, says("`dark`, or nothing for the colour that any appearance shows", "dark")]
    red: Annotated[str, says("from 0 to 1, as a decimal", "0.12")]
    green: Annotated[str, says("from 0 to 1, as a decimal", "0.44")]
    blue: Annotated[str, says("from 0 to 1, as a decimal", "0.92")]
    alpha: Annotated[str, says("from 0 to 1, as a decimal", "1")]
    comma: Annotated[str, says("a comma when another colour follows, else nothing", "")]


class ColorSets(Struct, frozen=True):
    """Several documents in one go."""

    rows: Annotated[list[list[Appearance]], says("the colours of each document: one, or two")]
    end: Annotated[str, says("the line that ends each document; the documents are cut apart there", "\x1e")]


class Catalog(Struct, frozen=True):
    """Nothing: the document is always the same."""


TEMPLATES = (
    Template("ios/Tokens.swift.j2", "ios", "`Tokens.swift`: one constant a token.", Constants),
    Template("ios/catalog.json.j2", "ios", "`Tokens.xcassets/Contents.json`.", Catalog),
    Template(
        "ios/colorset.json.j2",
        "ios",
        "`Contents.json` of the colour sets: a document and the line `{{ end }}` for each row.",
        ColorSets,
    ),
)
