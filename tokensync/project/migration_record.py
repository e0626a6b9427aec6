"""The record of migrations on disk: the facts that they have written, as in the lock, and where these came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.migrate.conversion.record import Origin, Record
from tokensync.project.lock import facts_of_lines, graph_facts, locked_graph
from tokensync.system.disk import content_of, replace_file
from tokensync.system.formats import format_line, refuse_newer_lines
from tokensync.tokens import TokenGraph, TokenKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.project.configuration import Project
    from tokensync.project.lock import Fact
    from tokensync.tokens.collection import FamilyKey

MIGRATIONS = "tokensync.migrations.lock"
FORMAT = 1
_SOURCE, _THEME, _SETS = "source", "theme ", "sets"


def read_record(project: Project, file: str) -> Record:
    """Return what migrations have written into token files of a design file. Lines that are no facts are ignored."""
    facts = [each for each in _facts(project) if each[0] == file]
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
    configured = {each.name for each in project.config.files} - {file}
    lines = {_line(*each) for each in _facts(project) if each[0] in configured}
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
