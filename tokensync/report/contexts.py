"""The contexts of the report templates."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, doc


class Page(Struct, frozen=True):
    """The page's texts. The template escapes those that come from a design file, except for the JSON."""

    title: Annotated[str, doc("the page's title, escaped by the template", "Harbor")]
    summary: Annotated[str, doc("the number of tokens and collections", "99 tokens in 5 collections")]
    policy: Annotated[
        str, doc("the Content-Security-Policy, with the digests of style and script", "default-src 'none'")
    ]
    style: Annotated[str, doc("the page's style sheet", ":root { color-scheme: light dark; }")]
    script: Annotated[str, doc("the page's script", '"use strict";')]
    data: Annotated[str, doc("the tokens as JSON that is safe in a script element", "{}")]


class ChangeRow(NamedTuple):
    """One change of a token, a mode or a collection."""

    said: Annotated[str, doc("the value or member that changed", "in dark")]
    words: Annotated[str, doc("the change", "#112233 -> #334455")]
    before: Annotated[str, doc("the previous CSS colour, or empty", "#112233")]
    after: Annotated[str, doc("the new CSS colour, or empty", "#334455")]


class DifferenceRow(NamedTuple):
    """A token, mode or collection that is new, gone or changed."""

    kind: Annotated[str, doc("`new`, `gone` or `changed`", "changed")]
    subject: Annotated[str, doc("the name", "theme / accent")]
    changes: Annotated[Sequence[ChangeRow], doc("the changes")]


class Differences(Struct, frozen=True):
    """Two states and their differences. The template escapes every text."""

    first: Annotated[str, doc("the name of the older side", "lock")]
    second: Annotated[str, doc("the name of the newer side", "tokens")]
    rows: Annotated[Sequence[DifferenceRow], doc("the differences")]


TEMPLATES = (
    Template("report/page.html.j2", "report", "The page of `tokensync report`.", Page),
    Template("report/differences.html.j2", "report", "The page of `tokensync diff --format html`.", Differences),
)
