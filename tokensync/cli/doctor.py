"""``tokensync doctor``: what differs between machines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console


@click.command("doctor")
@options.config
@options.json
@options.console
def doctor_command(config: str | None, as_json: bool, console: Console) -> int:
    """Check the setup of this machine and project. Exits with 1 if something needs a change.

    Shows versions, encodings, home folder, logins, certificates, project and locks. It sends no request, writes nothing
    and shows no secret, so its output can be part of a bug report.
    """
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
