"""The page of all tokens: one HTML file with its style, its script and its data inside, and nothing fetched.

What comes from the design file is in the title, which Jinja escapes, and in the data, which is JSON that cannot end its
script element. Style and script are always the same text, and a policy allows those two alone, by their digests.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tokensync import resources
from tokensync.naming import readable, rendered_bytes
from tokensync.report.document import document_of
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.tokens import Theme, TokenGraph, TokenKey

SCRIPTS = ("graph.js", "words.js", "specimens.js", "rows.js", "page.js", "controls.js")
"""In the order in which they build on each other; the page has them as one."""

_TELLING = re.compile("[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")
"""What would end a script element, what UTF-8 has not, and what turns text around for those who read the source."""


def report_page(
    graph: TokenGraph,
    names: Mapping[str, Mapping[TokenKey, str]],
    *,
    title: str,
    themes: Sequence[Theme] = (),
) -> bytes:
    """Return the page; ``names`` holds each platform's identifiers, ``themes`` the configured themes.

    The same input gives the same bytes. Linear in tokens x modes of their own collection.
    """
    style = _part("page.css")
    script = "\n".join(map(_part, SCRIPTS))
    document = document_of(graph, names, themes)
    return rendered_bytes(
        "report/page.html.j2",
        None,
        title=readable(title),
        summary=_summary(graph),
        policy=_policy(style, script),
        style=style,
        script=script,
        data=script_json(document),
    )


def script_json(document: Any) -> str:
    """JSON that stands in a script element whatever its strings hold, as ASCII where a reader could be misled."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _TELLING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _part(name: str) -> str:
    """Return a part of the page, with the line ends that a browser sees, since the policy's digests are of those."""
    return resources.read_text("templates", "report", name).replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _summary(graph: TokenGraph) -> str:
    """``99 tokens in 5 collections``: those that the files declare, extensions among them."""
    tokens = sum(each.origin == "local" for each in graph.tokens.values())
    collections = sum(1 + len(each.extensions) for each in graph.collections.values() if each.origin == "local")
    return f"{counted(tokens, 'token')} in {counted(collections, 'collection')}"
