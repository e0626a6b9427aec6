"""The styles of a file on the platform: as they are now, or as the last pull has read them.

They are read only if the list of styles differs from the one that was last read, whose digest is in the lock: the nodes
that hold their values are in the first tier of the rate limits, with a few requests a month for some seats. No failure
to read them is one of the variables: the styles of the lock stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tokensync.extract.client import Client, FileReference, parse_file
from tokensync.extract.wire.styles import listing, styles_of
from tokensync.normalize.styles import local_styles, style_collections, style_types, with_styles, with_tokens
from tokensync.plan.merging import respelled
from tokensync.project.outputs import digest_of
from tokensync.system.errors import PlatformError
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Composite, Token, TokenGraph, TokenKey, Translator, Unresolved
from tokensync.tokens.collection import DEFAULT_THEME, STYLES

if TYPE_CHECKING:
    from collections.abc import Collection as Container
    from collections.abc import Iterator, Sequence

    from tokensync.extract.client.groups import PublishedItem
    from tokensync.extract.wire import Snapshot
    from tokensync.project.configuration import Project
    from tokensync.settings import FileConfig

_READING = 1
"""The version of the conversion of styles to tokens. Another one makes the next pull read all styles again."""


def with_wanted_styles(
    known: Sequence[tuple[str, TokenGraph]],
    file: FileConfig,
    reference: FileReference,
    graph: TokenGraph,
    client: Client | None,
) -> tuple[TokenGraph, str, tuple[Problem, ...]]:
    """Return the graph of a file with the styles that the configuration wants, the digest of their list, and problems.

    Without a client, or if the list has not changed, the styles are those of the lock: ``known``, with their digests.
    """
    types = style_types(file)
    digest, problems = (known[0][0] if known else ""), tuple[Problem, ...]()
    if client is not None:
        try:
            items, now = _listed(client, file, reference.main_key)
            if all(now != digest for digest, _ in known):
                styles = styles_of(client.call_without_waiting, reference.main_key, items)
                graph, problems = with_styles(graph, file.name, styles)
                return graph, now, problems
            digest = now
        except PlatformError as error:
            problems = (_unread(file, error),)
    base = next((graph for known_digest, graph in known if known_digest == digest), None)
    return (graph if base is None else _with_last_styles(graph, base, file.name, types)), digest, problems


def with_writable_styles(
    known: Sequence[tuple[str, TokenGraph]], file: FileConfig, snapshot: Snapshot, graph: TokenGraph
) -> tuple[TokenGraph, str, tuple[Problem, ...]]:
    """Return what ``with_wanted_styles`` does, for a connection that can write styles: its answer has them.

    What no token can express is noted only if anything has changed.
    """
    graph, problems = with_styles(graph, file.name, local_styles(snapshot, file))
    rows = sorted(msgspec.json.encode(style, order="sorted") for style in (snapshot.local.styles or {}).values())
    digest = digest_of([msgspec.json.encode([_READING, style_types(file)]), *rows])[:32]
    return graph, digest, () if any(digest == last for last, _ in known) else problems


def digest_now(project: Project, client: Client, file: FileConfig) -> tuple[str, tuple[Problem, ...]]:
    """Return the digest of the list of a file's styles on the platform, or an empty one and the problem."""
    try:
        return _listed(client, file, parse_file(file.key, f"{project.source} (file {file.name})").main_key)[1], ()
    except PlatformError as error:
        return "", (_unread(file, error),)


def _unread(file: FileConfig, error: PlatformError) -> Problem:
    what = f"its styles cannot be read ({error})"
    return problem("styles-unread", file.name, what, "those of the last pull stay")


def _listed(client: Client, file: FileConfig, key: str) -> tuple[list[PublishedItem], str]:
    """Return the published styles that are wanted, and their digest. Raises the client's errors, without a wait."""
    types = style_types(file)
    items = [item for item in listing(client.call_without_waiting, key) if item.style_type in types]
    items.sort(key=lambda item: item.key)
    rows = [[item.style_type, item.key, item.node_id, item.name, item.description, item.updated_at] for item in items]
    return items, digest_of([msgspec.json.encode([_READING, rows])])[:32]


def _with_last_styles(graph: TokenGraph, base: TokenGraph, file: str, types: Container[str]) -> TokenGraph:
    """Return the graph of a file with the styles of the lock, whose graph is ``base``."""
    families = {key: family for key, family in base.collections.items() if family.is_of_styles}
    kinds = {key: family.id.removeprefix(STYLES) for key, family in families.items()}
    tokens = [token for key, token in base.tokens.items() if kinds.get(key[:2]) in types]
    collections = style_collections(graph, file, {kinds[token.key[:2]] for token in tokens})
    handles = {key: collections[kind].handle for key, kind in kinds.items() if kind in collections}
    return with_tokens(graph, collections.values(), [*_moved(tokens, handles, graph, base)])


def _moved(
    tokens: Sequence[Token], handles: dict[tuple[str, str], str], graph: TokenGraph, base: TokenGraph
) -> Iterator[Token]:
    """Yield tokens of ``base`` with references to their targets in ``graph``, or the last literal if one is gone."""
    table = graph.table
    by_key = dict(zip(table.variable_keys, table.keys, strict=True))
    present = {**by_key, **dict(zip(table.ids, table.keys, strict=True)), "": None}
    names: dict[TokenKey, TokenKey] = {}
    for target in {target: None for token in tokens for target in token.references}:
        was = base.tokens.get(target)
        now = None if was is None else present.get(was.id) or present.get(was.variable_key)
        if now is not None:
            names[target] = now
    translator, literal_of = Translator(names), base.resolver(DEFAULT_THEME)
    for token in tokens:
        key = token.key._replace(collection=handles[token.key[:2]])
        if all(target in names for target in token.references):
            moved = translator.token(token, key)
            values = (respelled(value, token.type) if isinstance(value, Composite) else value for value in moved.values)
            yield replace(moved, values=tuple(values))
            continue
        literal = literal_of(token.key)
        if not isinstance(literal, Unresolved):
            yield replace(token, key=key, values=(literal,))
