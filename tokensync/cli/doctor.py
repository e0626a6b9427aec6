"""``tokensync doctor``: what differs between machines, and between the service and what tokensync assumes of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.system import outlet

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("doctor")
@click.option("--probe", "file", metavar="FILE", help="Ask Figma about a file (a key, a URL or a name), read-only.")
@click.option("--write", "writes", is_flag=True, help="With --probe: also create a collection in FILE, and delete it.")
@options.base_url
@options.config
@options.json
@options.console
def doctor_command(
    file: str | None, writes: bool, base_url: str | None, config: str | None, as_json: bool, console: Console
) -> int:
    """Check the setup of this machine and project. Exits with 1 if something needs a change.

    Shows versions, encodings, home folder, logins, certificates, project and locks. It sends no request, writes nothing
    and shows no secret, so its output can be part of a bug report.

    With --probe, it compares the answers of the service with what tokensync assumes, as Markdown without names, keys
    and values of the file.
    """
    if file is not None:
        return _probe(file, base_url, config, console, writes=writes, as_json=as_json)
    if writes or base_url:
        raise click.UsageError("--write and --base-url are for --probe; add --probe FILE.")
    from tokensync.commands.doctor import checks

    found = checks(config, os.environ)
    needs_change = any(check.to_do for check in found)
    if as_json:
        console.json({"needs_change": needs_change, "checks": [check._asdict() for check in found]})
    else:
        width = max(len(check.name) for check in found)
        for check in found:
            console.result(f"{check.name:{width}}  {check.value}")
            if check.to_do:
                console.result(f"{'':{width}}  -> {check.to_do}")
    return 1 if needs_change else 0


def _probe(
    name: str, base_url: str | None, config: str | None, console: Console, *, writes: bool, as_json: bool
) -> int:
    from tokensync.commands.probe import markdown_of, probe
    from tokensync.project.connection import EMULATOR, file_reference

    with options.connected(config, base_url, console) as (project, client):
        server = project.config.base_url
        known = server if server in ("figma", "figma-gov", EMULATOR) else "another server"
        file = file_reference(project, name, "--probe")
        report = probe(client, file, known, writes=writes, agrees=_agrees)
    if as_json:
        console.json({"rows": [row._asdict() for row in report.rows], "headers": report.headers})
    else:
        console.document(markdown_of(report))
    if not report.headers:
        console.info("no request was answered as asked; the report says why, for example what the token lacks")
    if report.left:
        console.failure(report.left)
    return 1 if report.left else 0


def _agrees(question: str) -> bool:
    return outlet.can_ask() and outlet.confirm(question, default=False)
