"""Who uses which token: the platform's library analytics joined with what the tokens say of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from tokensync.errors import PlatformError, ServerError, errors_among
from tokensync.mapping import key_of_remote_id
from tokensync.plan.refs import refs_of
from tokensync.plan.safety import Referring
from tokensync.project.sources import chosen_files, from_project
from tokensync.tokens import targets
from tokensync.tokens.algorithms import closure
from tokensync.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.client import Client
    from tokensync.plan.refs import Refs
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem
    from tokensync.project.configuration import Project
    from tokensync.project.merging import MergedFile
    from tokensync.settings import FileConfig
    from tokensync.tokens import Collection, Extension, Token, TokenGraph, TokenKey


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


class ProjectFiles:
    """The files of a project, to be asked who refers to the things of one of them.

    ``merged`` are the graphs of those that are planned, by name. Of the others the token files are read, once.
    """

    def __init__(self, project: Project, merged: Iterable[MergedFile] = ()) -> None:
        self._project = project
        self._graphs: dict[str, TokenGraph] = {each.file.name: each.graph for each in merged}
        self._notes: dict[str, str] = {}

    def referring(self, file: str, held: TokenGraph) -> Referring:
        """Return who in other files refers to what a file holds on the platform."""
        from tokensync.normalize import linked

        refs = refs_of(held)
        names = [each.name for each in self._project.config.files if each.name != file]
        others = [graph for name in names if (graph := self._graph(name)) is not None]
        words: dict[Ref, dict[str, None]] = {}
        if others:
            for ref, by in _references(held, refs, others, linked([held, *others])):
                words.setdefault(ref, {})[by] = None
        notes = tuple(self._notes[name] for name in names if name in self._notes)
        return Referring({ref: tuple(by) for ref, by in words.items()}, notes)

    def _graph(self, name: str) -> TokenGraph | None:
        """Return what is known of a file; what is not known of it becomes a note."""
        if name not in self._graphs and name not in self._notes:
            from tokensync.dtcg import read_folder

            shown = self._project.shown
            unknown = f"whether {name} refers to what is deleted is not known"
            try:
                reading = read_folder(self._project.tokens_folder, name)
            except OSError as fault:
                self._notes[name] = f"{unknown}: its token files cannot be read ({fault.strerror})"
                return None
            if not reading.files:
                self._notes[name] = f"{unknown}: it has no token files; tokensync pull --file {name} writes them"
                return None
            if faults := errors_among(reading.problems):
                self._notes[name] = f"{unknown} for certain: its token files have errors ({shown(faults[0].where)})"
            self._graphs[name] = reading.graph
        return self._graphs.get(name)


def _references(
    held: TokenGraph, refs: Refs, others: Sequence[TokenGraph], graph: TokenGraph
) -> Iterator[tuple[Ref, str]]:
    """Yield a thing of one file and who in another one refers to it. ``graph`` joins all files."""
    keys = {each.variable_key: key for key, each in held.tokens.items() if _is_here(each) and each.variable_key}
    homes = {each.variable_key for own in others for each in own.tokens.values() if _is_here(each)}
    collections = {
        each.collection_key: refs.families[key]
        for key, each in held.collections.items()
        if each.origin == "local" and each.collection_key
    }
    for family in graph.collections.values():
        root = collections.get(family.collection_key or key_of_remote_id(family.id))
        if root is not None and family.origin != "local":
            yield from ((root, _named(each.handle, family.file)) for each in _extending(family))
        for opaque in family.opaque if family.origin == "local" and family.key not in held.collections else ():
            for home in (keys.get(key_of_remote_id(target)) for target in opaque.targets):
                if home is not None:
                    yield refs.tokens[home], _named(f"{family.handle} / {shortened(opaque.name)}", family.file)
    for key, token in graph.tokens.items():
        if key in held.tokens or token.origin == "deleted":
            continue
        family = graph.collection_of(token)
        home = None if _is_here(token) else keys.get(token.variable_key)
        if home is not None:
            yield from ((refs.tokens[home], _named(by, key.file)) for by in _overriding(token, family))
        own = token.values
        if not _is_here(token) and (home is not None or token.variable_key in homes):
            own = tuple(token.values[column] for column in _columns(family))  # its own file says what else it refers to
        for target in dict.fromkeys(target for value in own for target in targets(value)):
            if target in held.tokens:
                yield refs.tokens[target], _named(str(key), key.file)


def _is_here(token: Token) -> bool:
    """Return whether a token is of the file itself, hidden ones that are omitted from outputs too."""
    return token.origin in ("local", "withheld")


def _extending(family: Collection) -> Iterator[Extension]:
    """Yield the extensions of a family that are of the file itself."""
    return (each for each in family.extensions if each.origin == "local")


def _columns(family: Collection) -> list[int]:
    handles = {each.handle for each in _extending(family)}
    return [column for column, mode in enumerate(family.modes) if mode.collection in handles]


def _overriding(token: Token, family: Collection) -> Iterator[str]:
    """Yield the names of a token in the extensions that override it."""
    columns = (column for column in _columns(family) if token.values[column] is not None)
    for handle in dict.fromkeys(family.modes[column].collection for column in columns):
        yield str(token.key._replace(collection=handle))


def _named(name: str, file: str) -> str:
    """Return a name in another file: with the file's own, where it does not begin with that."""
    return name if name.partition(" / ")[0] == file else f"{name} of {file}"


class DeletedUsage(NamedTuple):
    """``used`` says in words how each deleted variable that other files use is used; ``notes`` what is not known."""

    used: Mapping[Ref, str] = {}
    notes: tuple[str, ...] = ()


def deleted_usage(client: Client, merged: MergedFile, refs: Refs, before: FileState, after: FileState) -> DeletedUsage:
    """Ask the platform's analytics about the variables of ``before`` that ``after`` has no more.

    ``refs`` are those of the platform's graph. Nothing is asked where nothing is deleted. A platform that does not
    answer, since the access token, the plan or the account does not allow it, is a note and no failure.
    """
    gone = {ref for ref, each in before.variables.items() if not each.fixed and ref not in after.variables}
    tokens = merged.theirs.tokens
    wanted = {tokens[key].variable_key: ref for key, ref in refs.tokens.items() if ref in gone and key in tokens}
    wanted.pop("", None)
    if not wanted:
        return DeletedUsage()
    used: dict[Ref, str] = {}
    try:
        for row in client.analytics.variable_usages(merged.file.key):
            if row.variable_key in wanted and row.usages:
                used[wanted[row.variable_key]] = _usage_text(row.usages, row.files_using, row.teams_using)
                if len(used) == len(wanted):
                    break
    except PlatformError as refused:
        what = (
            "whether other files use what is deleted is not known" if not used else "what is deleted may be used more"
        )
        return DeletedUsage(used, (f"{what}: {refused}",))
    return DeletedUsage(used)


def _usage_text(usages: int, files: int, teams: int) -> str:
    return f"{counted(usages, 'use')} in {counted(files, 'file')} of {counted(teams, 'team')}"
