"""Who uses which token: the platform's library analytics joined with what the tokens say of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from tokensync.commands.sources import chosen_files, from_project
from tokensync.errors import ServerError
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.client import Client
    from tokensync.config import FileConfig, Project
    from tokensync.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey

Verdict = Literal["used", "referred", "safe to delete", "not published"]
"""Other files use it; they do not, but a token that is used or not published depends on it; neither does anything need
it; or analytics cannot tell, since it is not published, and no token that is needed depends on it."""


class Counts(NamedTuple):
    """What the platform counts of one variable; insertions and detachments are those of the time asked about."""

    usages: int = 0
    files: int = 0
    teams: int = 0
    insertions: int = 0
    detachments: int = 0


class TokenUsage(NamedTuple):
    """A token of the project and what is made of it."""

    token: Token
    counts: Counts
    verdict: Verdict

    @property
    def deprecated_and_used(self) -> bool:
        """Return whether somebody still has to move to another token."""
        return bool(self.token.deprecated) and self.counts.usages > 0


class Group(NamedTuple):
    """A file that uses variables, or a team that inserted and detached some. Names are the platform's."""

    library: str
    file: str = ""
    team: str = ""
    workspace: str = ""
    usages: int = 0
    insertions: int = 0
    detachments: int = 0


class Usage(NamedTuple):
    """Every live token of the files that were asked about, in the graph's order, and what was noticed on the way."""

    rows: tuple[TokenUsage, ...]
    problems: tuple[Problem, ...]


def usage(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    since: str | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Usage:
    """Ask the platform about the tokens of the project's files. ``since`` is YYYY-MM-DD, a year ago unless given.

    Raises AccessError where the token's scope, the plan or the account does not allow library analytics.
    """
    source = from_project(project)
    counts: dict[TokenKey, Counts] = {}
    known: set[TokenKey] = set()
    files = chosen_files(project, names)
    for file in files:
        progress(f"reading the usage of {file.name}")
        of_key, published = _counted(client, file, since)
        for token in _live(source.graph, file.name):
            if token.variable_key in published:
                known.add(token.key)
                counts[token.key] = of_key.get(token.variable_key, Counts())
    verdicts = judged(source.graph, {key for key, each in counts.items() if each.usages}, known)
    rows = (
        TokenUsage(token, counts.get(token.key, Counts()), verdicts[token.key])
        for file in files
        for token in _live(source.graph, file.name)
    )
    return Usage(tuple(rows), source.problems)


def usage_by_file(project: Project, client: Client, names: Sequence[str] = ()) -> tuple[Group, ...]:
    """Return the files that use variables of the project's libraries; those that nobody may see here are one."""
    return tuple(
        Group(file.name, each.file_name or "", each.team_name or "", each.workspace_name or "", each.usages)
        for file in chosen_files(project, names)
        for each in client.analytics.variable_usages_by_file(file.key)
    )


def usage_by_team(
    project: Project, client: Client, names: Sequence[str] = (), *, since: str | None = None
) -> tuple[Group, ...]:
    """Return what teams did with variables of the project's libraries, all weeks together, the busiest first."""
    found: dict[tuple[str, str, str], tuple[int, int]] = {}
    for file in chosen_files(project, names):
        for each in client.analytics.variable_actions_by_team(file.key, start_date=since):
            team = (file.name, each.team_name or "", each.workspace_name or "")
            inserted, detached = found.get(team, (0, 0))
            found[team] = (inserted + each.insertions, detached + each.detachments)
    groups = (Group(library, "", team, workspace, 0, *counts) for (library, team, workspace), counts in found.items())
    return tuple(sorted(groups, key=lambda each: -(each.insertions + each.detachments)))


def judged(graph: TokenGraph, used: AbstractSet[TokenKey], known: AbstractSet[TokenKey]) -> Mapping[TokenKey, Verdict]:
    """Return the verdict on each live token.

    ``used`` are those that other files use, ``known`` those that analytics can tell of. What a used token, or one
    that nobody can tell of, refers to in any mode, however indirectly, is needed as well.
    """
    live = {key: token for key, token in graph.tokens.items() if token.origin == "local"}
    edges = graph.references()
    needed = [key for key in live if key in used or key not in known]
    referred = closure((target for key in needed for target in edges.get(key, ())), lambda key: edges.get(key, ()))

    def verdict(key: TokenKey) -> Verdict:
        if key in used:
            return "used"
        if key in referred:
            return "referred"
        return "safe to delete" if key in known else "not published"

    return {key: verdict(key) for key in live}


def unreferred(graph: TokenGraph) -> tuple[Token, ...]:
    """Return the live tokens that no token refers to: what can be said without asking the platform who uses them."""
    referred = {target for token in graph.tokens.values() for target in token.references}
    return tuple(token for key, token in graph.tokens.items() if token.origin == "local" and key not in referred)


class _Item(msgspec.Struct):
    key: str = ""


class _Meta(msgspec.Struct):
    variables: dict[str, _Item] = {}


class _Published(msgspec.Struct):
    meta: _Meta


def _counted(client: Client, file: FileConfig, since: str | None) -> tuple[dict[str, Counts], set[str]]:
    """By the key of a variable what is counted of it, and the keys of all that is published."""
    counts: dict[str, Counts] = {
        each.variable_key: Counts(each.usages, each.files_using, each.teams_using)
        for each in client.analytics.variable_usages(file.key)
    }
    for each in client.analytics.variable_actions(file.key, start_date=since):
        before = counts.get(each.variable_key, Counts())
        counts[each.variable_key] = before._replace(
            insertions=before.insertions + each.insertions, detachments=before.detachments + each.detachments
        )
    try:
        answer = msgspec.json.decode(client.variables.published(file.key), type=_Published)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        what = f"the published variables are not what the platform promises ({error})"
        raise ServerError(f"{file.name}: {what}; check base_url, and update tokensync", 200) from None
    return counts, {each.key for each in answer.meta.variables.values()}


def _live(graph: TokenGraph, file: str) -> Iterable[Token]:
    return (token for token in graph.tokens.values() if token.origin == "local" and token.key.file == file and token.id)
