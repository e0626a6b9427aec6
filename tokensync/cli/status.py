"""``tokensync status``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.errors import DifferencesFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.cli.console import Console
    from tokensync.commands.status import FileStatus

_SHOWN = 10


@click.command("status")
@options.project
@options.files
@options.json
@options.console
def command(config: str | None, files: tuple[str, ...], as_json: bool, console: Console) -> int:
    """Compare token files, platform and last pull. Also compares the design file with its publication."""
    from tokensync.commands.status import status

    with options.connected_project(config, console, merged=files) as (project, client, progress):
        result = status(project, client, files, progress=progress)
    differ = any(each.differs for each in result.files)
    if as_json:
        documents = [_as_json(each) for each in result.files]
        console.json({"in_sync": not differ, "files": documents, "problems": problem_documents(result.problems)})
    else:
        console.summarize(result.problems)
        for each in result.files:
            console.result(*_lines(each, everything=console.verbose))
    return DifferencesFound.exit_code if differ else 0


def _lines(file: FileStatus, *, everything: bool) -> Iterator[str]:
    if not file.differs:
        yield f"{file.name}: in sync"
        return
    publication = file.publication
    parts: tuple[tuple[str, Sequence[object]], ...] = (
        ("ahead: changed in the token files; run tokensync plan", file.ahead),
        ("behind: changed on the platform; run tokensync pull", file.behind),
        ("conflicting: changed on both sides", file.conflicting),
        ("not published", publication.unpublished),
        ("published under another name", publication.renamed),
        ("published, but now deleted or hidden", publication.deleted),
        ("outdated: its library has a newer publication; update the library in the editor", publication.outdated),
    )
    yield f"{file.name}:"
    for title, items in parts:
        if items:
            shown = items if everything else items[:_SHOWN]
            yield f"  {title} ({len(items)})"
            yield from (f"    {each}" for each in shown)
            if len(shown) < len(items):
                yield f"    and {len(items) - len(shown)} more; -v shows them"


def _as_json(file: FileStatus) -> dict[str, object]:
    return {
        "name": file.name,
        "ahead": [each._asdict() for each in file.ahead],
        "behind": [each._asdict() for each in file.behind],
        "conflicting": [
            {
                **each.key._asdict(),
                "place": each.location,
                "base": each.base,
                "ours": each.ours,
                "theirs": each.theirs,
            }
            for each in file.conflicting
        ],
        "publication": file.publication._asdict(),
    }
