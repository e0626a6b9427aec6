"""What the platform holds of one file, read and normalized."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.client import parse_file
from tokensync.commands.connecting import EMULATOR
from tokensync.commands.type_rules import rules_of
from tokensync.errors import NotFoundError

if TYPE_CHECKING:
    from tokensync.client import Client
    from tokensync.config import FileConfig, Project
    from tokensync.problems import Problem
    from tokensync.tokens import TokenGraph
    from tokensync.wire import Snapshot


class Taken(NamedTuple):
    """A file of the platform: its key (or branch), the answers, and the graph of all that they hold."""

    file: FileConfig
    key: str
    snapshot: Snapshot
    graph: TokenGraph
    problems: tuple[Problem, ...]


def take(project: Project, client: Client, file: FileConfig) -> Taken:
    """Ask the platform for a file. Raises what the client raises, and ProblemsError for an answer that is none."""
    from tokensync.extract import extract, withhold
    from tokensync.normalize import normalize

    options = project.config.extract
    reference = parse_file(file.key, f"{project.source} (file {file.name})")
    try:
        answered = extract(client, file.name, reference)
    except NotFoundError:
        if project.config.base_url != EMULATOR:
            raise
        what = f"{file.name}: the embedded emulator has no file {reference}"
        raise NotFoundError(f"{what}; fill it with tokensync emulator seed RESPONSE.json", 404) from None
    snapshot, left_out = withhold(
        answered,
        only_published=options.only_published,
        include_hidden=options.include_hidden,
    )
    graph, oddities = normalize(snapshot, rules_of(project))
    return Taken(file, str(reference), snapshot, graph, (*left_out, *oddities))
