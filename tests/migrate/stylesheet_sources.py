"""Sources of stylesheets as plain tables, and counts of their declarations by tinycss2's own parser."""

from textwrap import dedent

import tinycss2

from tokensync.migrate.readers.css import reader as css
from tokensync.migrate.source import Source


def read_css(text: str, name: str = "a.css") -> Source:
    return css.read({name: dedent(text).lstrip("\n").encode()})


def tables(source: Source) -> dict[str, dict[str, object]]:
    """Return the value of each token path by set."""
    return {each.name: {token.path: token.value for token in each.tokens} for each in source.sets}


def themes(source: Source) -> dict[str, list[str]]:
    """Return the enabled sets of each theme, which is named by its group and name."""
    return {
        f"{theme.group}: {theme.name}": [name for name, role in theme.sets.items() if role == "enabled"]
        for theme in source.themes
    }


def reasons(source: Source) -> dict[str, str]:
    """Return why a name is not a token, for each that is not."""
    return {each.name: each.reason for each in source.unread if each.is_token}


def notes(source: Source) -> dict[str, str]:
    return {each.name: each.reason for each in source.unread if not each.is_token}


def lines_accounted(source: Source) -> list[int]:
    """Return the line of each declaration that is a token or reported. A declaration in two sets has one line."""
    tokens = {(token.at, token.path) for _, token in source.tokens()}
    return sorted([*(at.line for at, _ in tokens), *(each.at.line for each in source.unread if each.is_token)])


def lines_declared(text: str) -> list[int]:
    """Return the line of each custom property that tinycss2's parser of blocks finds, at every level."""
    return sorted(_declared(tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)))


def _declared(nodes: list) -> list[int]:
    lines = []
    for node in nodes:
        if node.type == "declaration" and node.name.startswith("--"):
            lines.append(node.source_line)
        elif node.type in {"qualified-rule", "at-rule"} and node.content is not None:
            inner = tinycss2.parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
            if node.type == "at-rule" and node.lower_at_keyword == "property":
                lines += [node.source_line for each in inner if getattr(each, "name", "") == "initial-value"]
            else:
                lines += _declared(inner)
    return lines
