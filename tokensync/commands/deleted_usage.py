"""Whether other files use what a plan deletes: the project's own files say it, and the platform's analytics.

Analytics are asked once, where the platform allows it. They count published variables that layers use, a day late; an
alias in another file of the project is a reference that only its variables or its token files show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.errors import PlatformError, errors_among
from tokensync.mapping import key_of_remote_id
from tokensync.plan.refs import refs_of
from tokensync.plan.safety import Referring
from tokensync.tokens import targets
from tokensync.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.client import Client
    from tokensync.commands.merging import MergedFile
    from tokensync.config import Project
    from tokensync.plan.refs import Refs
    from tokensync.plan.state import FileState, Ref
    from tokensync.tokens import Collection, Extension, Token, TokenGraph


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
            from tokensync.formats.dtcg import read_folder

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
                used[wanted[row.variable_key]] = _told(row.usages, row.files_using, row.teams_using)
                if len(used) == len(wanted):
                    break
    except PlatformError as refused:
        what = (
            "whether other files use what is deleted is not known" if not used else "what is deleted may be used more"
        )
        return DeletedUsage(used, (f"{what}: {refused}",))
    return DeletedUsage(used)


def _told(usages: int, files: int, teams: int) -> str:
    return f"{counted(usages, 'use')} in {counted(files, 'file')} of {counted(teams, 'team')}"
