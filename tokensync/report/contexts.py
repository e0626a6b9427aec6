"""What the templates of the report are given."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from msgspec import Struct

from tokensync.naming.contexts import Template, says


class Page(Struct, frozen=True):
    """The page's texts. Those that come from a design file are escaped by the template, or are JSON."""

    title: Annotated[str, says("the page's title, escaped by the template", "Harbor")]
    summary: Annotated[str, says("how many tokens and collections there are", "99 tokens in 5 collections")]
    policy: Annotated[
        str, says("the Content-Security-Policy, with the digests of style and script", "default-src 'none'")
    ]
    style: Annotated[str, says("the page's style sheet", ":root { color-scheme: light dark; }")]
    script: Annotated[str, says("the page's script", '"use strict";')]
    data: Annotated[str, says("the tokens as JSON that can stand in a script element", "{}")]


class ChangeRow(NamedTuple):
    """One thing that changed about a token, a mode or a collection."""

    said: Annotated[str, says("which value or member", "in dark")]
    words: Annotated[str, says("how it differs", "#112233 -> #334455")]
    before: Annotated[str, says("the CSS colour that it was, or nothing", "#112233")]
    after: Annotated[str, says("the CSS colour that it is now, or nothing", "#334455")]


class DifferenceRow(NamedTuple):
    """A token, mode or collection that is new, gone or changed."""

    kind: Annotated[str, says("`new`, `gone` or `changed`", "changed")]
    subject: Annotated[str, says("what it is called", "theme / accent")]
    changes: Annotated[Sequence[ChangeRow], says("what changed about it")]


class Differences(Struct, frozen=True):
    """Two sides, and how they differ. Every text is escaped by the template."""

    first: Annotated[str, says("what the older side is called", "lock")]
    second: Annotated[str, says("what the newer side is called", "tokens")]
    rows: Annotated[Sequence[DifferenceRow], says("the differences")]


TEMPLATES = (
    Template("report/page.html.j2", "report", "The page of `tokensync report`.", Page),
    Template("report/differences.html.j2", "report", "The page of `tokensync diff --format html`.", Differences),
)
