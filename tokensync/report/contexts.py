"""What the templates of the report are given."""

from typing import Annotated

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


TEMPLATES = (Template("report/page.html.j2", "report", "The page of `tokensync report`.", Page),)
