"""Walks the folders of a team to find the libraries that a project may want to sync."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tokensync.commands.design_files import names_by_key
from tokensync.errors import AccessError, NotFoundError, PlatformError, ServerError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.client import Client
    from tokensync.client.folders import Branch, FolderFile
    from tokensync.config import Project

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
    """What was found. ``version`` is that of the API: 2, or 1 where folders were refused and only projects are told.

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
    """Yield the team's name, the version of the API that told it, and its folders, depth first.

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
    """Return what a file publishes; a file without it, of another plan or another editor, is told so."""
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
