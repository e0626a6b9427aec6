"""``tokensync explain``: the pages of the documentation and the codes of problems, from the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.system import resources
from tokensync.system.errors import UsageError
from tokensync.system.problems import CODES

if TYPE_CHECKING:
    from tokensync.cli.console import Console

_MARKUP = re.compile(r"<!--.*?-->\n*|<a id=[^>]*></a>", re.DOTALL)
"""What a page contains for programs only."""


@click.command("explain")
@click.argument("topic", default="")
@options.console
def explain_command(topic: str, console: Console) -> int:
    """Explain a problem code or a topic.

    TOPIC is a code such as token-type, or a page of the documentation such as hooks. Without it, lists the pages.
    """
    pages = _pages()
    if not topic:
        width = max(map(len, pages))
        titles = {name: page.split("\n", 1)[0].strip("# ") for name, page in pages.items()}
        console.result(*(f"{name:{width}}  {title}" for name, title in sorted(titles.items())))
    elif topic in CODES:
        code = CODES[topic]
        console.result(f"{topic} ({code.severity})", "", f"{code.meaning} {code.outcome}", "")
        settable = ", ".join(level for level in code.levels if level != code.severity)
        about = f"can be set to {settable} (tokensync explain problems)" if settable else "cannot change"
        console.result(f"Its level {about}.")
    elif topic in pages:
        console.result(*_MARKUP.sub("", pages[topic]).rstrip("\n").split("\n"))
    else:
        from difflib import get_close_matches

        similar = get_close_matches(topic, [*pages, *CODES])
        to_do = f"run tokensync explain {similar[0]}" if similar else "tokensync explain lists the topics"
        raise UsageError(f"{topic}: neither a topic nor a problem code; {to_do}")
    return 0


def _pages() -> dict[str, str]:
    """Return the pages by their topics: ``docs/targets/css.md`` is the topic ``css``."""
    docs = Path(resources.path("docs"))
    return {page.stem: page.read_text("utf-8") for page in (*docs.glob("*.md"), *docs.glob("targets/*.md"))}
