"""Join the platform's library analytics with the references between tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.code.search import CodeUse, SearchedCode, search_code
from tokensync.extract.wire import read_published
from tokensync.normalize.mapping import key_of_remote_id
from tokensync.plan.safety import Referring
from tokensync.plan.state import FileState, Ref, Refs, refs_of
from tokensync.project.lock import Lock
from tokensync.project.sources import chosen_files, from_project, read_tokens
from tokensync.system.errors import PlatformError, errors_among
from tokensync.system.wording import counted, shortened
from tokensync.tokens import Collection, Extension, Token, TokenGraph, TokenKey, targets
from tokensync.tokens.algorithms import closure

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.extract.client import Client
    from tokensync.project.configuration import Project
    from tokensync.project.merging import MergedFile
    from tokensync.settings import FileConfig
    from tokensync.system.problems import Problem


UsageStatus = Literal["used", "used in code", "used in layers", "referred", "unused", "not published", "library unused"]
"""Whether a token is needed.

``used``: other files use it. ``used in code``: only the searched code does. ``used in layers``: only layers of the
project's own files do. ``referred``: a token that is used, or of which nothing is known, depends on it. ``unused``:
neither, by analytics, the searched code and the layers, if these were asked. Of the others, analytics know nothing:
they are ``not published``, or no file uses anything of their library.
"""


class Counts(NamedTuple):
    """The platform's counts for a variable; insertions and detachments are those of the requested period."""

    usages: int = 0
    files: int = 0
    teams: int = 0
    insertions: int = 0
    detachments: int = 0


class TokenUsage(NamedTuple):
    """A token of the project with its counts and status. ``in_layers`` is None if the layers were not read."""

    token: Token
    counts: Counts
    status: UsageStatus
    code: tuple[CodeUse, ...] = ()
    in_layers: bool | None = None

    @property
    def deprecated_and_used(self) -> bool:
        """Return whether the token is deprecated but still used."""
        return bool(self.token.deprecated) and self.counts.usages > 0


class Group(NamedTuple):
    """A file that uses variables, or a team that inserted and detached variables. Names are the platform's."""

    library: str
    file: str = ""
    team: str = ""
    workspace: str = ""
    usages: int = 0
    insertions: int = 0
    detachments: int = 0


class Usage(NamedTuple):
    """The local tokens of the selected files, in the graph's order, and the problems.

    ``searched`` is the searched code, or None. ``unused_libraries`` are the files of which analytics count no use.
    ``has_layers`` says that the layers of the project's files were read.
    """

    rows: tuple[TokenUsage, ...]
    problems: tuple[Problem, ...]
    searched: SearchedCode | None = None
    unused_libraries: tuple[str, ...] = ()
    has_layers: bool = False


def usage(
    project: Project,
    client: Client,
    names: Sequence[str] = (),
    *,
    since: str | None = None,
    code: Sequence[str] = (),
    layers: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> Usage:
    """Return the usage of the tokens of the project's files; ``since`` is YYYY-MM-DD, by default a year ago.

    ``code`` are the paths of code to search. With ``layers``, read the layers of all files of the project. Raises
    AccessError if the access token's scope, the plan or the account does not permit library analytics.
    """
    source = from_project(project)
    files = chosen_files(project, names)
    searched = search_code(project, source.graph, code, progress) if code else None
    in_code = searched.uses if searched else {}
    in_layers = used_in_layers(project, client, source.graph, progress) if layers else frozenset()
    counts: dict[TokenKey, Counts] = {}
    unused_libraries: list[str] = []
    for file in files:
        progress(f"reading the usage of {file.name}")
        of_key, published = _counts(client, file, since)
        if not any(map(any, of_key.values())):
            unused_libraries.append(file.name)
            continue
        for token in _live(source.graph, file.name):
            if token.variable_key in published:
                counts[token.key] = of_key.get(token.variable_key, Counts())
    used = {key for key, each in counts.items() if each.usages}
    statuses = usage_statuses(source.graph, used, counts.keys(), in_code.keys(), in_layers)
    rows = (
        TokenUsage(
            token,
            counts.get(token.key, Counts()),
            "library unused"
            if statuses[token.key] == "not published" and file.name in unused_libraries
            else statuses[token.key],
            in_code.get(token.key, ()),
            token.key in in_layers if layers else None,
        )
        for file in files
        for token in _live(source.graph, file.name)
    )
    return Usage(tuple(rows), source.problems, searched, tuple(unused_libraries), layers)


def used_in_layers(
    project: Project, client: Client, graph: TokenGraph, progress: Callable[[str], None] = lambda text: None
) -> frozenset[TokenKey]:
    """Return the tokens that layers of the project's files use. Reads each file whole, which can take a minute."""
    from tokensync.commands.files import layers

    keys = {token.variable_key: key for key, token in graph.tokens.items() if token.variable_key}
    found: set[TokenKey | None] = set()
    for file in project.config.files:
        ids = {token.id: key for key, token in graph.tokens.items() if key.file == file.name and token.id}
        variables = {use.variable for use in layers(project, client, file.name, progress=progress).uses}
        found |= {ids.get(id_) or keys.get(key_of_remote_id(id_)) for id_ in variables}
    return frozenset(key for key in found if key is not None)


def usage_by_file(project: Project, client: Client, names: Sequence[str] = ()) -> tuple[Group, ...]:
    """Return the files that use variables of the project's libraries; all inaccessible files count as one."""
    return tuple(
        Group(file.name, usage.file_name or "", usage.team_name or "", usage.workspace_name or "", usage.usages)
        for file in chosen_files(project, names)
        for usage in client.analytics.variable_usages_by_file(file.key)
    )


def usage_by_team(
    project: Project, client: Client, names: Sequence[str] = (), *, since: str | None = None
) -> tuple[Group, ...]:
    """Return the insertions and detachments by team, summed over all weeks, most active team first."""
    totals: dict[tuple[str, str, str], tuple[int, int]] = {}
    for file in chosen_files(project, names):
        for actions in client.analytics.variable_actions_by_team(file.key, start_date=since):
            team = (file.name, actions.team_name or "", actions.workspace_name or "")
            inserted, detached = totals.get(team, (0, 0))
            totals[team] = (inserted + actions.insertions, detached + actions.detachments)
    groups = (Group(library, "", team, workspace, 0, *counts) for (library, team, workspace), counts in totals.items())
    return tuple(sorted(groups, key=lambda each: -(each.insertions + each.detachments)))


def usage_statuses(
    graph: TokenGraph,
    used: AbstractSet[TokenKey],
    measured: AbstractSet[TokenKey],
    in_code: AbstractSet[TokenKey] = frozenset(),
    in_layers: AbstractSet[TokenKey] = frozenset(),
) -> Mapping[TokenKey, UsageStatus]:
    """Return the status of each local token.

    ``used`` are the tokens that other files use, ``measured`` those that analytics cover, ``in_code`` those that code
    uses, ``in_layers`` those that layers of the project's own files use. A token is also needed if a used or unmeasured
    token refers to it in any mode, directly or indirectly.
    """
    live = {key: token for key, token in graph.tokens.items() if token.origin == "local"}
    edges = graph.references()
    needed = [key for key in live if key in used or key in in_code or key in in_layers or key not in measured]
    referred = closure((target for key in needed for target in edges.get(key, ())), lambda key: edges.get(key, ()))

    def status(key: TokenKey) -> UsageStatus:
        if key in used:
            return "used"
        if key in in_code:
            return "used in code"
        if key in in_layers:
            return "used in layers"
        if key in referred:
            return "referred"
        return "unused" if key in measured else "not published"

    return {key: status(key) for key in live}


def unreferenced(graph: TokenGraph) -> tuple[Token, ...]:
    """Return the local tokens that no token refers to."""
    referred = {target for token in graph.tokens.values() for target in token.references}
    return tuple(token for key, token in graph.tokens.items() if token.origin == "local" and key not in referred)


def _counts(client: Client, file: FileConfig, since: str | None) -> tuple[dict[str, Counts], set[str]]:
    """Return the counts by variable key, and the keys of all published variables."""
    counts: dict[str, Counts] = {
        usage.variable_key: Counts(usage.usages, usage.files_using, usage.teams_using)
        for usage in client.analytics.variable_usages(file.key)
    }
    for action in client.analytics.variable_actions(file.key, start_date=since):
        before = counts.get(action.variable_key, Counts())
        counts[action.variable_key] = before._replace(
            insertions=before.insertions + action.insertions, detachments=before.detachments + action.detachments
        )
    published = read_published(client.variables.published(file.key), f"{file.name} (published variables)")
    return counts, {variable.key for variable in published.variables.values()}


def _live(graph: TokenGraph, file: str) -> Iterable[Token]:
    """Return the tokens of the variables of a file."""
    of_file = (
        token for token in graph.tokens.values() if token.origin == "local" and token.key.file == file and token.id
    )
    return (token for token in of_file if not graph.collections[token.key[:2]].is_of_styles)


class ProjectFiles:
    """The files of a project, to find references between them.

    ``merged`` are the planned files. Of the others, the token files count, which are read once, on demand, and the
    lock: Figma has a reference until its removal is applied. ``planned`` are files of which a plan was made, None
    before that: it says which files had no token files, and has resolved references to library tokens that only the
    next pull writes.
    """

    def __init__(
        self, project: Project, merged: Iterable[MergedFile] = (), *, planned: Container[str] | None = None
    ) -> None:
        self._project = project
        self._planned = planned
        self._graphs: dict[str, TokenGraph] = {file.file.name: file.graph for file in merged}
        self._locked = {file.name for file in project.config.files} - self._graphs.keys()
        self._unknown: dict[str, str] = {}

    def referring(self, file: str, held: TokenGraph) -> Referring:
        """Return the references from other files to the graph that a file has on the platform."""
        from tokensync.normalize.graph import linked

        refs = refs_of(held)
        names = [each.name for each in self._project.config.files if each.name != file]
        states = [[graph for name in names if (graph := self._graph(name)) is not None]]
        if self._planned is None:
            lock = Lock(self._project.folder)
            states.append([graph for name in names if name in self._locked for graph in lock.graphs(name)[:1]])
        referring: dict[Ref, dict[str, None]] = {}
        for others in filter(None, states):
            for ref, name in _references(held, refs, others, linked([held, *others])):
                referring.setdefault(ref, {})[name] = None
        unknown = tuple(self._unknown[name] for name in names if name in self._unknown)
        return Referring({ref: tuple(by) for ref, by in referring.items()}, unknown)

    def gone(self, file: str, collection: Collection, token: Token) -> str:
        """Return the file that a library token of ``file`` belongs to, if it no longer has it; else an empty text."""
        library = collection.collection_key or key_of_remote_id(collection.id)
        for name in (each.name for each in self._project.config.files if each.name != file):
            graph = self._graph(name)
            own = () if graph is None else graph.collections.values()
            if graph and any(each.collection_key == library for each in own if each.origin == "local"):
                keys = {each.variable_key for each in graph.tokens.values() if _is_here(each)}
                return "" if token.variable_key in keys else name
        return ""

    def _graph(self, name: str) -> TokenGraph | None:
        """Return the graph of a file; if it is incomplete or missing, record why."""
        if name not in self._graphs and name not in self._unknown:
            shown = self._project.shown
            unknown = f"{name} may refer to deleted variables"
            try:
                reading = read_tokens(self._project, name)
            except OSError as error:
                self._unknown[name] = f"{unknown}: its token files cannot be read ({error.strerror})"
                return None
            if not reading.files and self._planned is not None:
                return None
            if not reading.files:
                self._unknown[name] = f"{unknown}: it has no token files; run tokensync pull --file {name}"
                return None
            errors = errors_among(reading.problems)
            is_resolved = self._planned is not None and name in self._planned
            if errors and not (is_resolved and all(error.code == "token-reference" for error in errors)):
                self._unknown[name] = f"{unknown}: its token files have errors ({shown(errors[0].where)})"
            self._graphs[name] = reading.graph
        return self._graphs.get(name)


def _references(
    held: TokenGraph, refs: Refs, others: Sequence[TokenGraph], graph: TokenGraph
) -> Iterator[tuple[Ref, str]]:
    """Yield each variable or collection of ``held`` with a name in another file that refers to it.

    ``graph`` joins all files.
    """
    keys = {each.variable_key: key for key, each in held.tokens.items() if _is_here(each) and each.variable_key}
    homes = {token.variable_key for own in others for token in own.tokens.values() if _is_here(token)}
    collections = {
        each.collection_key: refs.families[key]
        for key, each in held.collections.items()
        if each.origin == "local" and each.collection_key
    }
    for collection in graph.collections.values():
        root = collections.get(collection.collection_key or key_of_remote_id(collection.id))
        if root is not None and collection.origin != "local":
            yield from ((root, _named(extension.handle, collection.file)) for extension in _extending(collection))
        for opaque in (
            collection.opaque if collection.origin == "local" and collection.key not in held.collections else ()
        ):
            for home in (keys.get(key_of_remote_id(target)) for target in opaque.targets):
                if home is not None:
                    yield refs.tokens[home], _named(f"{collection.handle} / {shortened(opaque.name)}", collection.file)
    for key, token in graph.tokens.items():
        if key in held.tokens or token.origin == "deleted":
            continue
        collection = graph.collection_of(token)
        home = None if _is_here(token) else keys.get(token.variable_key)
        if home is not None:
            yield from ((refs.tokens[home], _named(by, key.file)) for by in _overriding(token, collection))
        own = token.values
        if not _is_here(token) and (home is not None or token.variable_key in homes):
            own = tuple(
                token.values[column] for column in _columns(collection)
            )  # its own file lists its other references
        for target in dict.fromkeys(target for value in own for target in targets(value)):
            if target in held.tokens:
                yield refs.tokens[target], _named(str(key), key.file)


def _is_here(token: Token) -> bool:
    """Return whether a token belongs to the file itself, including hidden tokens that outputs omit."""
    return token.origin in ("local", "withheld")


def _extending(collection: Collection) -> Iterator[Extension]:
    return (extension for extension in collection.extensions if extension.origin == "local")


def _columns(collection: Collection) -> list[int]:
    handles = {extension.handle for extension in _extending(collection)}
    return [column for column, mode in enumerate(collection.modes) if mode.collection in handles]


def _overriding(token: Token, collection: Collection) -> Iterator[str]:
    """Yield the names of a token in the extensions that override it."""
    columns = (column for column in _columns(collection) if token.values[column] is not None)
    for handle in dict.fromkeys(collection.modes[column].collection for column in columns):
        yield str(token.key._replace(collection=handle))


def _named(name: str, file: str) -> str:
    """Return a name in another file, with the file's name appended unless it is a prefix."""
    return name if name.partition(" / ")[0] == file else f"{name} of {file}"


class DeletedUsage(NamedTuple):
    """The usage of each deleted variable that other files use, as text; ``notes`` are on incomplete information."""

    used: Mapping[Ref, str] = {}
    notes: tuple[str, ...] = ()


def deleted_usage(client: Client, key: str, graph: TokenGraph, before: FileState, after: FileState) -> DeletedUsage:
    """Return the usage of the variables that are in ``before`` but not in ``after``, by the platform's analytics.

    ``key`` is the file's, and ``graph`` is that of the platform. Sends no request if nothing is deleted. If the access
    token, the plan or the account does not permit analytics, adds a note instead of raising an error.
    """
    deleted = {ref for ref, each in before.variables.items() if not each.fixed and ref not in after.variables}
    by_key = {token.variable_key: token.id for token in graph.tokens.values() if token.id in deleted}
    by_key.pop("", None)
    if not by_key:
        return DeletedUsage()
    used: dict[Ref, str] = {}
    try:
        for row in client.analytics.variable_usages(key):
            if row.variable_key in by_key and row.usages:
                files, teams = counted(row.files_using, "file"), counted(row.teams_using, "team")
                used[by_key[row.variable_key]] = f"{counted(row.usages, 'use')} in {files} of {teams}"
                if len(used) == len(by_key):
                    break
    except PlatformError as error:
        what = "other files may use more of the deleted variables" if used else "other files may use deleted variables"
        return DeletedUsage(used, (f"{what}: {error}",))
    return DeletedUsage(used)
