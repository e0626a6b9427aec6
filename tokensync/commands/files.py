"""Files of a team and what is bound to variables in them: layers, styles."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.client.endpoints.files import NODES
from tokensync.errors import AccessError, NotFoundError, PlatformError, RequestError, ServerError, UsageError
from tokensync.project.connection import meant, names_by_key
from tokensync.tokens import Color, hexadecimal
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.client import Client
    from tokensync.client.endpoints.files import Node
    from tokensync.client.endpoints.folders import Branch, FolderFile
    from tokensync.client.endpoints.published_items import PublishedItem
    from tokensync.project.configuration import Project
    from tokensync.tokens import Token, TokenGraph


_TEAM = re.compile(r"[0-9]{1,32}")
_TEAM_IN_URL = re.compile(r"/team/([0-9]{1,32})(?:/|$)")
_REFUSED = (403, 404)
_NAME_CHARACTERS = 64
_MOST_FOLDERS = 10_000
"""Of one team; a platform that names still more does not end."""


class Published(NamedTuple):
    """How many collections and variables a file publishes; ``reason`` says why that is not known."""

    collections: int = 0
    variables: int = 0
    reason: str = ""


class TeamFile(NamedTuple):
    """A file of a team. ``folder`` is the names of the folders from the top; ``configured`` its name in this project.

    ``published`` is None where nobody asked. ``suggested`` is a name to configure a library by that is not yet.
    """

    key: str
    name: str
    folder: tuple[str, ...]
    last_modified: str
    branches: tuple[Branch, ...]
    published: Published | None
    configured: str | None
    suggested: str | None


class TeamFiles(NamedTuple):
    """What was found. ``version`` is that of the API: 2, or 1 where folders were refused and only projects are listed.

    ``left_out`` names folders that could not be looked into, with the reason.
    """

    team: str
    version: int
    files: tuple[TeamFile, ...]
    left_out: tuple[str, ...]


class _Place(NamedTuple):
    """A folder and its files, or why they are not known."""

    names: tuple[str, ...]
    files: tuple[FolderFile, ...]
    reason: str = ""


def team_id(given: str) -> str:
    """Return the id in what a user gives: the id itself, or the URL of the team's page. Anything else is a
    UsageError.
    """
    found = _TEAM_IN_URL.search(given)
    id_ = found[1] if found else given.strip()
    if not _TEAM.fullmatch(id_):
        what = "not the id of a team, nor the URL of its page"
        raise UsageError(f"--team: {what}; open the team in a browser and give the number after /team/ in its address")
    return id_


def team_files(
    project: Project,
    client: Client,
    team: str,
    *,
    branches: bool = False,
    ask_published: bool = True,
    progress: Callable[[str], None] = lambda text: None,
) -> TeamFiles:
    """Return every file of the team that the token's user sees, folder by folder; and what each publishes.

    Raises PlatformError when neither version of the API lists the team.
    """
    id_ = team_id(team)
    name, version, places = _walked(client, id_, branches=branches, progress=progress)
    configured = names_by_key(project)
    taken = set(configured.values())
    found: list[TeamFile] = []
    for place in places:
        for file in place.files:
            progress(f"asking what {file.name} publishes" if ask_published else file.name)
            published = _published(client, file.key) if ask_published else None
            own = configured.get(file.key)
            wanted = own is None and published is not None and published.variables
            suggested = _name(file.name, taken) if wanted else None
            found.append(
                TeamFile(file.key, file.name, place.names, file.last_modified, file.branches, published, own, suggested)
            )
    left_out = tuple(f"{' / '.join(place.names)}: {place.reason}" for place in places if place.reason)
    return TeamFiles(name, version, tuple(found), left_out)


def _walked(
    client: Client, team: str, *, branches: bool, progress: Callable[[str], None]
) -> tuple[str, int, list[_Place]]:
    """Yield the team's name, the version of the API that listed it, and its folders, depth first.

    The second version knows folders in folders; a platform or a token without it is asked in the words of the first.
    """
    try:
        top = client.folders.of_team(team)
    except (AccessError, NotFoundError) as refused:
        if refused.status not in _REFUSED:
            raise
        try:
            projects = client.projects.of_team(team)
        except (AccessError, NotFoundError):
            raise refused from None
        places = []
        for each in projects.projects:
            progress(f"reading {each.name}")
            places.append(_place((each.name,), partial(client.projects.files, each.id, branches=branches)))
        return projects.name, 1, places

    def walk() -> Iterator[_Place]:
        pending: list[tuple[str, tuple[str, ...]]] = [(each.id, (each.name,)) for each in reversed(top.folders)]
        known = {id_ for id_, _ in pending}  # a folder that is moved meanwhile may be listed in two places
        while pending:
            id_, names = pending.pop()
            progress(f"reading {names[-1]}")
            place = _place(names, partial(client.folders.files, id_, branches=branches))
            yield place
            if not place.reason:
                below = [each for each in client.folders.subfolders(id_) if each.id not in known]
                known.update(each.id for each in below)
                if len(known) > _MOST_FOLDERS:
                    what = f"the platform names more than {_MOST_FOLDERS:,} folders below it"
                    raise ServerError(f"team {team}: {what}; configure the files without a walk, or report it")
                pending += [(each.id, (*names, each.name)) for each in reversed(below)]

    return top.name, 2, [*walk()]


def _place(names: tuple[str, ...], files: Callable[[], tuple[FolderFile, ...]]) -> _Place:
    """Return a folder that vanished, or was closed, since it was listed is no reason to tell nothing of the others."""
    try:
        return _Place(names, files())
    except (AccessError, NotFoundError) as refused:
        if refused.status not in _REFUSED:
            raise
        return _Place(names, (), str(refused))


def _published(client: Client, key: str) -> Published:
    """Return what a file publishes; a file without it, of another plan or another editor, is reported."""
    from tokensync.errors import ProblemsError
    from tokensync.wire import read_published

    try:
        meta = read_published(client.variables.published(key), f"the published variables of {key}")
    except PlatformError as refused:
        if refused.status not in (400, *_REFUSED):
            raise
        return Published(reason=str(refused))
    except ProblemsError as unreadable:
        return Published(reason=str(unreadable))
    return Published(len(meta.variable_collections), len(meta.variables))


def _name(name: str, taken: set[str]) -> str:
    """Return a name that a file may be configured by, and that no other one has."""
    from tokensync.mapping import slug, unique

    plain = re.sub(r"[^a-z0-9]+", "-", slug(name, "library"))[: _NAME_CHARACTERS - 8].strip("-")
    return unique(plain or "library", taken)


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
    from tokensync.mapping import slug
    from tokensync.normalize import normalize
    from tokensync.project.sources import from_project
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


NODES_AT_ONCE = 100
"""Ids in one request: more would make an address that is too long for some proxies."""

_MEMBERS = {"FILL": "fills", "TEXT": "style", "EFFECT": "effects", "GRID": "layoutGrids"}


class Style(NamedTuple):
    """A style and its ``value`` as the platform has it: paints, a text style, effects or layout grids.

    ``value`` is None where the node of the style is not there. ``variables`` are the ids that the value is bound to: a
    style that has any is on variables already.
    """

    item: PublishedItem
    value: Any
    variables: tuple[str, ...]


def styles(
    project: Project, client: Client, file: str, *, progress: Callable[[str], None] = lambda text: None
) -> tuple[Style, ...]:
    """Return the styles that a file publishes, in the platform's order. ``file`` is a configured name, a key
    or a URL.
    """
    key = meant(project, file, "FILE").main_key
    found = list(client.styles.of_file(key))
    nodes: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(found), NODES_AT_ONCE):
        progress(f"reading styles {start + 1} to {min(start + NODES_AT_ONCE, len(found))} of {len(found)}")
        nodes |= _style_nodes(client, key, [each.node_id for each in found[start : start + NODES_AT_ONCE]])
    return tuple(_style(each, nodes.get(each.node_id, {})) for each in found)


def in_words(style: Style) -> str:
    """Return the value for people: colours, a font with its size and line height, or kinds of effects."""
    match style.value:
        case list() as parts:
            return ", ".join(_part(each) for each in parts if isinstance(each, dict)) or "nothing"
        case dict() as text:
            size, height = (_number(text.get(name)) for name in ("fontSize", "lineHeightPx"))
            font = (str(text.get("fontFamily", "")), _number(text.get("fontWeight")), f"{size}/{height}")
            return " ".join(each for each in font if each)
        case _:
            return "unknown"


def _style(item: PublishedItem, node: Mapping[str, Any]) -> Style:
    value = node.get(_MEMBERS.get(item.style_type, ""))
    bound = {"own": value, "node": node.get("boundVariables")}
    return Style(item, value, tuple(dict.fromkeys(aliases(bound))))


class _Nodes(msgspec.Struct):
    nodes: dict[str, dict[str, Any] | None] = {}


def _style_nodes(client: Client, key: str, ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    body = client.call(NODES, file_key=key, ids=tuple(ids))
    try:
        found = msgspec.json.decode(body, type=_Nodes).nodes
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        what = f"the nodes of its styles are not what the platform promises ({error})"
        raise ServerError(f"{key}: {what}; check base_url, and update tokensync", 200) from None
    documents = {id_: (each or {}).get("document") for id_, each in found.items()}
    return {id_: document for id_, document in documents.items() if isinstance(document, dict)}


def _part(part: Mapping[str, Any]) -> str:
    """Return a paint, an effect or a grid: its colour where it is one, and else what kind of it."""
    kind = str(part.get("type") or part.get("pattern") or "").lower().replace("_", " ")
    colour = part.get("color")
    if not isinstance(colour, dict):
        return kind
    channels = [colour.get(name, 1.0 if name == "a" else 0.0) for name in "rgba"]
    if not all(isinstance(each, int | float) for each in channels):
        return kind
    opacity = part.get("opacity", 1.0)
    channels[3] *= opacity if isinstance(opacity, int | float) else 1.0
    text = hexadecimal(Color(*map(float, channels)))
    return text if kind == "solid" else f"{kind} {text}"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else ""


_PAINTED = ("fills", "strokes", "effects")


def bindings(node: Node) -> Iterator[tuple[str, str]]:
    """(member, id of a variable) for everything of a node that is bound."""
    for member, value in node.bound_variables.items():
        for id_ in aliases(value):
            yield member, id_
    for member in _PAINTED:
        for id_ in _in_paints(getattr(node, member)):
            yield member, id_


def aliases(value: Any) -> Iterator[str]:
    """Yield the ids of all variables that a JSON value names, however deep, in their order."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            if each.get("type") == "VARIABLE_ALIAS" and isinstance(each.get("id"), str):
                yield each["id"]
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)


def _in_paints(value: Any) -> Iterator[str]:
    """Yield the ids in ``boundVariables`` of paints, of their gradients' stops, and of effects."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            yield from aliases(each.get("boundVariables"))
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)
