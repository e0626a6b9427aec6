"""List the files of a team, and the layers and styles of a file that are bound to variables."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.extract.wire.styles import Part, Style, aliases, color_of, listing, styles_of
from tokensync.project.connection import file_reference, names_by_key
from tokensync.system.errors import AccessError, NotFoundError, PlatformError, RequestError, ServerError, UsageError
from tokensync.system.wording import counted
from tokensync.tokens import Token, TokenGraph, hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.extract.client import Client
    from tokensync.extract.client.groups import Branch, FolderFile, Node
    from tokensync.project.configuration import Project


_TEAM = re.compile(r"[0-9]{1,32}")
_TEAM_IN_URL = re.compile(r"/team/([0-9]{1,32})(?:/|$)")
_REFUSED = (403, 404)
_NAME_CHARACTERS = 64
_MAX_FOLDERS = 10_000
"""The most folders of one team, so that a faulty listing ends."""


_MOST_JOBS = 256
"""The most jobs that GitHub Actions makes of a matrix."""


def matrix(project: Project) -> dict[str, list[str]]:
    """Return the names of the configured files as the matrix of a workflow.

    It has no keys: an output that contains a masked secret is dropped, and keys may be kept as secrets.
    """
    names = [file.name for file in project.config.files]
    if len(names) > _MOST_JOBS:
        what = f"{len(names)} files are configured, and GitHub Actions makes at most {_MOST_JOBS} jobs of a matrix"
        raise UsageError(f"{project.source}: {what}; divide them among several configurations, or run without a matrix")
    return {"file": names}


class Published(NamedTuple):
    """The numbers of collections and variables that a file publishes; ``reason`` is why they are unknown."""

    collections: int = 0
    variables: int = 0
    reason: str = ""


class TeamFile(NamedTuple):
    """A file of a team. ``folder`` has the folder names from the top; ``configured`` is its name in this project.

    ``published`` is None if it was not requested. ``suggested`` is a name for a library that is not configured yet.
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
    """The files of a team. ``version`` of the API is 2, or 1 if only projects, but not folders, are accessible.

    ``left_out`` has the names of folders that could not be read, with the reasons.
    """

    team: str
    version: int
    files: tuple[TeamFile, ...]
    left_out: tuple[str, ...]


class _Folder(NamedTuple):
    """A folder with its files, or the reason why they are unknown."""

    names: tuple[str, ...]
    files: tuple[FolderFile, ...]
    reason: str = ""


def team_id(text: str) -> str:
    """Return the team id in an id or the URL of the team's page. Raises UsageError for any other text."""
    match = _TEAM_IN_URL.search(text)
    id_ = match[1] if match else text.strip()
    if not _TEAM.fullmatch(id_):
        what = "neither a team id nor the URL of a team's page"
        raise UsageError(
            f"--team {text}: {what}; open the team in a browser and copy the number after /team/ in its URL"
        )
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
    """Return the files of a team that the access token can list, folder by folder, and what each publishes.

    Raises PlatformError if neither version of the API lists the team.
    """
    id_ = team_id(team)
    name, version, folders = _team_folders(client, id_, branches=branches, progress=progress)
    configured = names_by_key(project)
    used_names = set(configured.values())
    files: list[TeamFile] = []
    for folder in folders:
        for file in folder.files:
            progress(f"reading what {file.name} publishes" if ask_published else file.name)
            published = _published(client, file.key) if ask_published else None
            own = configured.get(file.key)
            is_new_library = own is None and published is not None and published.variables
            files.append(
                TeamFile(
                    file.key,
                    file.name,
                    folder.names,
                    file.last_modified,
                    file.branches,
                    published,
                    own,
                    _unique_name(file.name, used_names) if is_new_library else None,
                )
            )
    left_out = tuple(f"{' / '.join(folder.names)}: {folder.reason}" for folder in folders if folder.reason)
    return TeamFiles(name, version, tuple(files), left_out)


def _team_folders(
    client: Client, team: str, *, branches: bool, progress: Callable[[str], None]
) -> tuple[str, int, list[_Folder]]:
    """Return the team's name, the version of the API that listed it, and its folders, depth first.

    Version 2 has nested folders; version 1 is the fallback if the platform or the access token does not support it.
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
        folders = []
        for project in projects.projects:
            progress(f"reading {project.name}")
            folders.append(_read_folder((project.name,), partial(client.projects.files, project.id, branches=branches)))
        return projects.name, 1, folders

    def walk() -> Iterator[_Folder]:
        pending: list[tuple[str, tuple[str, ...]]] = [(folder.id, (folder.name,)) for folder in reversed(top.folders)]
        visited = {id_ for id_, _ in pending}  # a folder that moves during the walk may be listed twice
        while pending:
            id_, names = pending.pop()
            progress(f"reading {names[-1]}")
            folder = _read_folder(names, partial(client.folders.files, id_, branches=branches))
            yield folder
            if not folder.reason:
                subfolders = [subfolder for subfolder in client.folders.subfolders(id_) if subfolder.id not in visited]
                visited.update(subfolder.id for subfolder in subfolders)
                if len(visited) > _MAX_FOLDERS:
                    what = f"Figma lists more than {_MAX_FOLDERS:,} folders"
                    raise ServerError(f"team {team}: {what}; configure the files by their keys instead, or report it")
                pending += [(subfolder.id, (*names, subfolder.name)) for subfolder in reversed(subfolders)]

    return top.name, 2, [*walk()]


def _read_folder(names: tuple[str, ...], files: Callable[[], tuple[FolderFile, ...]]) -> _Folder:
    """Return a folder with its files, or with the reason if it was deleted or is not accessible."""
    try:
        return _Folder(names, files())
    except (AccessError, NotFoundError) as refused:
        if refused.status not in _REFUSED:
            raise
        return _Folder(names, (), str(refused))


def _published(client: Client, key: str) -> Published:
    from tokensync.extract.wire import read_published
    from tokensync.system.errors import ProblemsError

    try:
        meta = read_published(client.variables.published(key), f"the published variables of {key}")
    except PlatformError as refused:
        if refused.status not in (400, *_REFUSED):
            raise
        return Published(reason=str(refused))
    except ProblemsError as unreadable:
        return Published(reason=str(unreadable))
    return Published(len(meta.variable_collections), len(meta.variables))


def _unique_name(name: str, used_names: set[str]) -> str:
    """Return a valid configured name for a file, and add it to ``used_names``."""
    from tokensync.normalize.mapping import slug, unique

    plain = re.sub(r"[^a-z0-9]+", "-", slug(name, "library"))[: _NAME_CHARACTERS - 8].strip("-")
    return unique(plain or "library", used_names)


_TOO_LARGE = "too large"
_BATCH = 50
"""Nodes per request, if a file is too large for one response."""


class Use(NamedTuple):
    """A member of a layer that is bound to a variable.

    ``path`` has the names from the page to the layer. ``token`` is None for an unknown variable.
    """

    node: str
    type: str
    path: tuple[str, ...]
    member: str
    variable: str
    token: Token | None


class Layers(NamedTuple):
    """The uses in a file, in the order of its layers. ``unnamed`` is why variables have no names, or empty."""

    file: str
    name: str
    uses: tuple[Use, ...]
    unnamed: str


def layers(
    project: Project,
    client: Client,
    file: str,
    names: Sequence[str] = (),
    *,
    indirect: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Layers:
    """Return the bindings of the layers of a file (a configured name, a key or a URL) to the tokens ``names``, or all.

    ``indirect`` includes tokens that refer to them. Raises UsageError for an unknown token.
    """
    key, name = _key(project, file)
    progress(f"reading the variables of {name}")
    graph, unnamed = _graph(project, client, key, name)
    selected = _variable_ids(graph, names, indirect=indirect)
    tokens = () if graph is None else tuple(graph.tokens.values())
    by_id = {token.id: token for token in tokens if token.id}
    by_key = {token.variable_key: token for token in tokens if token.variable_key}
    uses: list[Use] = []
    for path, node in _nodes(client, key, progress):
        for member, id_ in dict.fromkeys(bindings(node)):
            token = by_id.get(id_) or by_key.get(_library_key(id_))
            if selected is None or id_ in selected or (token is not None and token.id in selected):
                uses.append(Use(node.id, node.type, path, member, id_, token))
    return Layers(key, name, tuple(uses), unnamed)


def _nodes(client: Client, key: str, progress: Callable[[str], None]) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield every node of a file with its path of names; read a file that is too large in parts."""
    progress("reading the layers")
    try:
        pages: Iterable[Node] = client.files.content(key).document.children
    except RequestError as refused:
        if _TOO_LARGE not in str(refused):
            raise
        ids = [child.id for child in client.files.content(key, depth=1).document.children]
        for node in _in_parts(client, key, ids, progress):
            yield from node
        return
    for page in pages:
        yield from _flat(page, ())


def _in_parts(
    client: Client, key: str, ids: Sequence[str], progress: Callable[[str], None], above: tuple[str, ...] = ()
) -> Iterator[Iterator[tuple[tuple[str, ...], Node]]]:
    """Yield the nodes with these ids and their descendants, halving batches that are too large."""
    pending = [tuple(ids[at : at + _BATCH]) for at in range(0, len(ids), _BATCH)]
    while pending:
        batch = pending.pop(0)
        progress(f"reading {counted(len(batch), 'part')} of the file")
        try:
            nodes = client.files.nodes(key, batch)
        except RequestError as refused:
            if _TOO_LARGE not in str(refused):
                raise
            if len(batch) > 1:
                half = len(batch) // 2
                pending[:0] = [batch[:half], batch[half:]]
                continue
            parent = client.files.nodes(key, batch, depth=1).get(batch[0])
            if parent is None or not parent.children:
                raise
            path = (*above, parent.name)
            yield iter([(path, parent)])
            yield from _in_parts(client, key, [child.id for child in parent.children], progress, path)
            continue
        for id_ in batch:
            if id_ in nodes:
                yield _flat(nodes[id_], above)


def _flat(top: Node, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Node]]:
    pending = [((*above, top.name), top)]
    while pending:
        path, node = pending.pop()
        yield path, node
        pending += [((*path, child.name), child) for child in reversed(node.children)]


def _key(project: Project, file: str) -> tuple[str, str]:
    """Return the key of a file and its name in messages."""
    reference = file_reference(project, file, "FILE")
    return reference.working_key, names_by_key(project).get(reference.working_key, reference.working_key)


def _graph(project: Project, client: Client, key: str, name: str) -> tuple[TokenGraph | None, str]:
    """Return the file's graph from the platform or, if access is denied, from the project's token files.

    If there are none, return None and the reason.
    """
    from tokensync.extract.wire import snapshot
    from tokensync.normalize.graph import normalize
    from tokensync.normalize.mapping import slug
    from tokensync.project.sources import from_project

    try:
        return normalize(snapshot(slug(name, "file"), client.variables.local(key)))[0], ""
    except AccessError as refused:
        if refused.status != 403:
            raise
        pulled = [
            file.name for file in project.config.files if os.path.isdir(os.path.join(project.tokens_folder, file.name))
        ]
        return (from_project(project, pulled).graph, "") if pulled else (None, str(refused))


def _variable_ids(graph: TokenGraph | None, names: Sequence[str], *, indirect: bool) -> frozenset[str] | None:
    """Return the ids of the named variables; None for all."""
    from tokensync.commands.tokens import dependents, find_tokens

    if not names:
        return None
    ids: set[str] = set()
    for name in names:
        if name.startswith("VariableID:") and (graph is None or name not in {t.id for t in graph.tokens.values()}):
            ids.add(name)
            continue
        if graph is None:
            raise UsageError(f"--token {name}: the file's variables cannot be read; give the variable's id")
        for token in find_tokens(graph, name):
            ids.add(token.id)
            if indirect:
                ids |= {dependent.token.id for dependent in dependents(graph, token.key)}
    return frozenset(ids)


def _library_key(id_: str) -> str:
    """Return the key in the id of a library's variable; empty for the file's own variables.

    The rest of the id changes with each publication.
    """
    key, slash, _ = id_.removeprefix("VariableID:").partition("/")
    return key if slash else ""


def styles(
    project: Project, client: Client, file: str, *, progress: Callable[[str], None] = lambda text: None
) -> tuple[Style, ...]:
    """Return the styles that a file (a configured name, a key or a URL) publishes, in the platform's order."""
    key = file_reference(project, file, "FILE").main_key
    return styles_of(client.call, key, listing(client.call, key), progress)


def in_words(style: Style) -> str:
    """Return the value as text: colours, a font with its size and line height, or kinds of effects."""
    if isinstance(style.value, list):
        return ", ".join(map(_part, style.parts())) or "nothing"
    text = style.text()
    if text is None:
        return "unknown"
    size, height, weight = map(_number, (text.font_size, text.line_height_px, text.font_weight))
    return " ".join(word for word in (text.font_family, weight, f"{size}/{height}") if word)


def _part(part: Part) -> str:
    color = color_of(part.color, part.opacity)
    if color is None:
        return part.kind
    return hexadecimal(color) if part.type == "SOLID" else f"{part.kind} {hexadecimal(color)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


_PAINTED = ("fills", "strokes", "effects")


def bindings(node: Node) -> Iterator[tuple[str, str]]:
    """Yield (member, variable id) for each binding of a node."""
    for member, value in node.bound_variables.items():
        for id_ in aliases(value):
            yield member, id_
    for member in _PAINTED:
        for id_ in _in_paints(getattr(node, member)):
            yield member, id_


def _in_paints(value: Any) -> Iterator[str]:
    """Yield the ids in ``boundVariables`` of paints, gradient stops and effects."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            yield from aliases(each.get("boundVariables"))
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)
