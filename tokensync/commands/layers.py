"""Which layers of a file use a token: what their members are bound to, by the ids of variables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.bound_variables import bindings
from tokensync.commands.design_files import meant, names_by_key
from tokensync.errors import AccessError, RequestError, UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.client import Client
    from tokensync.client.files import Node
    from tokensync.config import Project
    from tokensync.tokens import Token, TokenGraph

_TOO_LARGE = "too large"
_AT_ONCE = 50
"""Nodes that are asked for together, where a file does not come in one answer."""


class Use(NamedTuple):
    """A member of a layer that is bound to a variable.

    ``path`` is the names from the page down to the layer. ``token`` is None where nothing is known of the variable.
    """

    node: str
    type: str
    path: tuple[str, ...]
    member: str
    variable: str
    token: Token | None


class Layers(NamedTuple):
    """The uses in a file, in the order of its layers. ``unnamed`` says why variables could not be named, if so."""

    file: str
    name: str
    uses: tuple[Use, ...]
    unnamed: str


def layers(
    project: Project,
    client: Client,
    file: str,
    wanted: Sequence[str] = (),
    *,
    indirect: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Layers:
    """Return what the layers of a file (a configured name, a key or a URL) are bound to; with ``wanted`` only to these
    tokens.

    ``indirect`` counts uses of tokens that refer to them, too. Raises UsageError for a token that is not there.
    """
    key, name = _key(project, file)
    progress(f"reading the variables of {name}")
    graph, unnamed = _graph(project, client, key, name)
    chosen = _chosen(graph, wanted, indirect=indirect)
    known = () if graph is None else tuple(graph.tokens.values())
    by_id = {token.id: token for token in known if token.id}
    by_key = {token.variable_key: token for token in known if token.variable_key}
    found: list[Use] = []
    for path, node in _nodes(client, key, progress):
        for member, id_ in dict.fromkeys(bindings(node)):
            token = by_id.get(id_) or by_key.get(_library_key(id_))
            if chosen is None or id_ in chosen or (token is not None and token.id in chosen):
                found.append(Use(node.id, node.type, path, member, id_, token))
    return Layers(key, name, tuple(found), unnamed)


def _nodes(client: Client, key: str, progress: Callable[[str], None]) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield every node of a file with the names down to it; a file that is too large at once comes in parts."""
    progress("reading the layers")
    try:
        pages: Iterable[Node] = client.files.content(key).document.children
    except RequestError as refused:
        if _TOO_LARGE not in str(refused):
            raise
        ids = [each.id for each in client.files.content(key, depth=1).document.children]
        for node in _in_parts(client, key, ids, progress):
            yield from node
        return
    for page in pages:
        yield from _flat(page, ())


def _in_parts(
    client: Client, key: str, ids: Sequence[str], progress: Callable[[str], None], above: tuple[str, ...] = ()
) -> Iterator[Iterator[tuple[tuple[str, ...], Node]]]:
    """Yield the nodes of these ids and those below, as many at once as the platform gives."""
    pending = [tuple(ids[at : at + _AT_ONCE]) for at in range(0, len(ids), _AT_ONCE)]
    while pending:
        some = pending.pop(0)
        progress(f"reading {counted(len(some), 'part')} of the file")
        try:
            found = client.files.nodes(key, some)
        except RequestError as refused:
            if _TOO_LARGE not in str(refused):
                raise
            if len(some) > 1:
                half = len(some) // 2
                pending[:0] = [some[:half], some[half:]]
                continue
            alone = client.files.nodes(key, some, depth=1).get(some[0])
            if alone is None or not alone.children:
                raise
            path = (*above, alone.name)
            yield iter([(path, alone)])
            yield from _in_parts(client, key, [each.id for each in alone.children], progress, path)
            continue
        for id_ in some:
            if id_ in found:
                yield _flat(found[id_], above)


def _flat(top: Node, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Node]]:
    pending = [((*above, top.name), top)]
    while pending:
        path, node = pending.pop()
        yield path, node
        pending += [((*path, child.name), child) for child in reversed(node.children)]


def _key(project: Project, file: str) -> tuple[str, str]:
    """Return the key of the file that is meant, and how to call it."""
    reference = meant(project, file, "FILE")
    return reference.working_key, names_by_key(project).get(reference.working_key, reference.working_key)


def _graph(project: Project, client: Client, key: str, name: str) -> tuple[TokenGraph | None, str]:
    """Return the tokens that the file's own answer names; where it is refused, those of the project's token files.

    Else None, and why.
    """
    from tokensync.commands.sources import from_project
    from tokensync.mapping import slug
    from tokensync.normalize import normalize
    from tokensync.wire import snapshot

    try:
        return normalize(snapshot(slug(name, "file"), client.variables.local(key)))[0], ""
    except AccessError as refused:
        if refused.status != 403:
            raise
        pulled = [
            each.name for each in project.config.files if os.path.isdir(os.path.join(project.tokens_folder, each.name))
        ]
        return (from_project(project, pulled).graph, "") if pulled else (None, str(refused))


def _chosen(graph: TokenGraph | None, wanted: Sequence[str], *, indirect: bool) -> frozenset[str] | None:
    """Return the ids of the variables that are asked about; None for all."""
    from tokensync.commands.tokens import dependents, find_tokens

    if not wanted:
        return None
    found: set[str] = set()
    for each in wanted:
        if each.startswith("VariableID:") and (graph is None or each not in {t.id for t in graph.tokens.values()}):
            found.add(each)
            continue
        if graph is None:
            raise UsageError(f"--token {each}: the file's variables cannot be read; give the variable's id")
        for token in find_tokens(graph, each):
            found.add(token.id)
            if indirect:
                found |= {dependent.token.id for dependent in dependents(graph, token.key)}
    return frozenset(found)


def _library_key(id_: str) -> str:
    """Return the key in the id of a library's variable, whose end changes with every publication; empty for a file's
    own.
    """
    key, slash, _ = id_.removeprefix("VariableID:").partition("/")
    return key if slash else ""
