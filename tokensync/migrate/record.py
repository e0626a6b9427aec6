"""The record of a migration: what it has written into token files, from which part of the source.

On disk it has the facts of the lock, and where these came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tokensync.project.lock import Fact, facts_of_lines, graph_facts, locked_graph
from tokensync.system.disk import content_of, replace_file
from tokensync.system.formats import format_line, refuse_newer_lines
from tokensync.tokens import Mode, Token, TokenGraph, TokenKey
from tokensync.tokens.collection import FamilyKey

if TYPE_CHECKING:
    from tokensync.project.configuration import Project

MIGRATIONS = "tokensync.migrations.lock"
FORMAT = 1
_SOURCE, _THEME, _SETS = "source", "theme ", "sets"


class Origin(NamedTuple):
    """The path of a token in the source, the set that defines it, and the id of the variable that it came from."""

    path: str
    set: str
    id: str = ""


class Record(Struct, frozen=True):
    """The collections and tokens that migrations have written, with the names and values of mapping and source.

    ``origins`` has the token of the source that each one was, ``themes`` the theme of each mode by its context, and
    ``sets`` the sets that the mapping gave each collection.
    """

    graph: TokenGraph = TokenGraph((), ())
    origins: Mapping[TokenKey, Origin] = MappingProxyType({})
    themes: Mapping[FamilyKey, Mapping[str, str]] = MappingProxyType({})
    sets: Mapping[FamilyKey, tuple[str, ...]] = MappingProxyType({})

    @property
    def places(self) -> dict[FamilyKey, frozenset[tuple[str, str]]]:
        """Return the themes and sets of each collection, which tell collections of a source apart."""
        return {
            key: places_of(self.themes.get(key, {}).values(), self.sets.get(key, ())) for key in self.graph.collections
        }

    def present_in(self, graph: TokenGraph) -> Record:
        """Return the record without collections of which a graph has no recorded token: these are migrated anew."""
        kept = {key[:2] for key in self.origins if key in graph.tokens}
        if len(kept) == len({key[:2] for key in self.origins}):
            return self
        return Record(
            TokenGraph(
                (each for key, each in self.graph.collections.items() if key in kept),
                (each for key, each in self.graph.tokens.items() if key[:2] in kept),
            ),
            {key: each for key, each in self.origins.items() if key[:2] in kept},
            {key: each for key, each in self.themes.items() if key in kept},
            {key: each for key, each in self.sets.items() if key in kept},
        )

    def updated(self, now: Record, removed: Iterable[TokenKey]) -> Record:
        """Return the record with what another migration has written; what that has left stays.

        ``removed`` are tokens that it has renamed.
        """
        gone = {*removed} - now.graph.tokens.keys()
        collections = {**self.graph.collections, **now.graph.collections}
        before = (
            _in_modes(each, self.graph, collections[key[:2]].modes)
            for key, each in self.graph.tokens.items()
            if key not in gone and key not in now.graph.tokens
        )
        origins = {key: each for key, each in self.origins.items() if key not in gone}
        return Record(
            TokenGraph(collections.values(), (*before, *now.graph.tokens.values())),
            {**origins, **now.origins},
            {**self.themes, **now.themes},
            {**self.sets, **now.sets},
        )


def places_of(themes: Iterable[str], sets: Iterable[str]) -> frozenset[tuple[str, str]]:
    """Return the themes and sets of a collection, as ``Record.places`` does."""
    return frozenset((*(("theme", theme) for theme in themes), *(("set", set_) for set_ in sets)))


def _in_modes(token: Token, graph: TokenGraph, modes: Sequence[Mode]) -> Token:
    """Return a token of a graph with its values in these modes, by their contexts."""
    before = {each.context: at for at, each in enumerate(graph.collections[token.key[:2]].modes)}
    places = [before.get(mode.context) for mode in modes]
    return replace(token, values=tuple(None if at is None else token.values[at] for at in places))


def read_record(project: Project, file: str) -> Record:
    """Return what migrations have written into token files of a design file. Lines that are no facts are ignored."""
    facts = [fact for fact in _facts(project) if fact[0] == file]
    graph = locked_graph(sorted(facts, key=lambda fact: fact[:3]))
    origins: dict[TokenKey, Origin] = {}
    themes: dict[FamilyKey, dict[str, str]] = {}
    sets: dict[FamilyKey, tuple[str, ...]] = {}
    for _, handle, path, name, value in facts:
        match name, value:
            case "source", [str(), str(), str()] if TokenKey(file, handle, path) in graph.tokens:
                origins[TokenKey(file, handle, path)] = Origin(*value)
            case "sets", list() if all(isinstance(each, str) for each in value):
                sets[file, handle] = tuple(value)
            case _, str() if name.startswith(_THEME):
                themes.setdefault((file, handle), {})[name.removeprefix(_THEME)] = value
    tokens = (each for key, each in graph.tokens.items() if key in origins)
    return Record(TokenGraph(graph.collections.values(), tokens), origins, themes, sets)


def write_record(project: Project, file: str, record: Record) -> str | None:
    """Write the record of a design file, and return the path; None if it is unchanged or empty."""
    configured = {file.name for file in project.config.files} - {file}
    lines = {_line(*fact) for fact in _facts(project) if fact[0] in configured}
    lines.update(graph_facts(record.graph))
    lines |= {_line(*key, _SOURCE, each) for key, each in record.origins.items()}
    lines |= {_line(*key, "", _SETS, each) for key, each in record.sets.items() if each}
    for key, themes in record.themes.items():
        lines |= {_line(*key, "", f"{_THEME}{context}", theme) for context, theme in themes.items()}
    header = [format_line(FORMAT, since="0.2.0")] if lines else []
    content = "".join(f"{line}\n" for line in (*header, *sorted(lines))).encode()
    path = project.path(MIGRATIONS)
    if content == (content_of(path) or b""):
        return None
    replace_file(path, content)
    return path


def _facts(project: Project) -> Iterator[Fact]:
    path = project.path(MIGRATIONS)
    content = content_of(path) or b""
    refuse_newer_lines(path, content, FORMAT)
    return iter(facts_of_lines(content))


def _line(*fact: Any) -> str:
    return msgspec.json.encode(fact).decode()
