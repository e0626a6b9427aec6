"""Sources as plain values, so that tables of fixtures can state them by hand."""

import json

from tokensync.migrate.readers.documents import document_of


def documents(files):
    """The documents of files by their paths; what is no text is written as JSON."""
    read = [
        document_of(path, (content if isinstance(content, str) else json.dumps(content, indent=1)).encode())
        for path, content in sorted(files.items())
    ]
    assert [each.reason for _, unread in read for each in unread] == []
    return tuple(document for document, _ in read)


def sets_of(source):
    """{set: {path: value}} of all sets with tokens."""
    return {each.name: {token.path: token.value for token in each.tokens} for each in source.sets if each.tokens}


def themes_of(source):
    """{"group/name": {set: role}}; the default theme of a group has a star."""
    return {f"{each.group}/{each.name}{'*' if each.is_default else ''}": dict(each.sets) for each in source.themes}


def unread_of(source):
    """{"file:line name": reason} of unread tokens, and "-" before what is no token."""
    return {f"{'' if each.is_token else '- '}{each.at} {each.name}".strip(): each.reason for each in source.unread}


def token(source, path):
    """The only token with a path."""
    (found,) = [each for _, each in source.tokens() if each.path == path]
    return found
