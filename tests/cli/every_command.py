"""Every command of the command line in each of its formats, with arguments that make it print something."""

from collections.abc import Iterator
from typing import Any

import click

from tokensync.cli import main

ARGUMENTS = {
    "api": "--list",
    "api variables local": "--file one",
    "apply": "",
    "audit": "größe.css",
    "auth login": "--token --offline",
    "auth logout": "",
    "auth status": "",
    "bridge": "--install größe",
    "build": "",
    "check": "",
    "completion": "zsh",
    "demo": "größe",
    "dev-resources link": "nowhere.json",
    "diff": "lock tokens",
    "doctor": "",
    "explain": "größe",
    "emulator apps approve": "größe",
    "emulator apps configure": "größe",
    "emulator apps create": "größe→日本",
    "emulator apps list": "",
    "emulator apps publish": "größe",
    "emulator apps submit": "größe",
    "emulator events advance": "größe",
    "emulator events deliver": "",
    "emulator events list": "",
    "emulator events raise": "FILE_UPDATE --file 日本",
    "emulator files access": "größe 日本 editor",
    "emulator files audience": "größe 日本",
    "emulator files branch": "key-one größe→日本",
    "emulator files comment": "key-one größe→日本",
    "emulator files create": "größe→日本",
    "emulator files document": "key-one",
    "emulator files editor": "key-one größe→日本",
    "emulator files folder": "größe→日本",
    "emulator files group": "größe→日本",
    "emulator files largest-answer": "日本",
    "emulator files list": "",
    "emulator files member": "größe 日本 editor",
    "emulator files move": "key-one 日本",
    "emulator files places": "",
    "emulator files plan": "key-one größe→日本",
    "emulator files resolve": "key-one 日本",
    "emulator files team": "größe→日本",
    "emulator files team-plan": "größe 日本",
    "emulator files user": "größe→日本",
    "emulator files users": "",
    "emulator files version": "key-one",
    "emulator library act": "key-one component 日本",
    "emulator library add": "component key-one größe→日本",
    "emulator library change": "日本",
    "emulator library drop": "日本",
    "emulator library sample": "key-one",
    "emulator library use": "key-one component 日本 größe",
    "emulator health": "--port 9",
    "emulator openapi": "",
    "emulator organization": "",
    "emulator publish": "key-one",
    "emulator records activity": "größe→日本",
    "emulator records request": "größe→日本",
    "emulator records text": "größe→日本",
    "emulator seed": "größe→日本.json",
    "emulator serve": "größe→日本.json",
    "emulator tokens change": "größe→日本",
    "emulator tokens create": "",
    "emulator tokens list": "",
    "emulator tokens revoke": "größe→日本",
    "emulator variables bind-font": "key-one 日本",
    "emulator variables update": "key-one 日本",
    "emulator variables use": "key-one 日本",
    "files": "",
    "files layers": "one",
    "files styles": "one",
    "format": "",
    "init": "größe→日本 --yes",
    "install-hook": "",
    "lint": "",
    "logs": "",
    "logs texts": "größe",
    "mcp": "größe→日本",
    "merge-file": "größe→日本 größe→日本 größe→日本 tokensync.lock",
    "migrate": "größe.json --to one",
    "migrate code": "größe→日本 --renames 日本",
    "plan": "",
    "pull": "--dry-run",
    "report": "",
    "rollback": "applied",
    "status": "",
    "tokens dependents": "größe/日本",
    "tokens list": "",
    "tokens rename": "x→y größe→日本",
    "tokens rename-mode": "Theme/Dark größe→日本",
    "tokens show": "x→y",
    "tokens unused": "",
    "tokens why": "x→y",
    "usage": "",
    "webhooks create": "--endpoint http://127.0.0.1:9/größe→日本 --passcode-env HOOK",
    "webhooks delete": "日本",
    "webhooks list": "",
    "webhooks listen": "--passcode-env größe→日本 -- 日本",
    "webhooks pause": "日本",
    "webhooks resume": "日本",
    "webhooks test": "日本 --passcode-env HOOK",
}
"""The arguments of each command; an endpoint of ``api`` that is not here gets none, and says what it needs.

Those that wait for somebody, ``serve``, ``listen`` and ``login``, get arguments that they refuse.
"""


VARYING = frozenset(
    (
        *("emulator apps create", "emulator tokens create", "emulator tokens list"),  # secrets
        *("apply", "api activity-logs list", "api users me"),  # times and identifiers
        "doctor",  # the encodings themselves
    )
)
"""Commands that print something else in each run."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command by its words, but no group that does nothing itself."""

    def below(command: click.Command, context: click.Context, words: tuple[str, ...]) -> Iterator[Any]:
        is_group = isinstance(command, click.Group)
        if not is_group or (words and command.invoke_without_command):
            yield " ".join(words), command
        for name in command.list_commands(context) if is_group else ():
            own = command.get_command(context, name)
            yield from below(own, click.Context(own, parent=context, info_name=name), (*words, name))

    yield from below(main.tokensync, click.Context(main.tokensync, info_name="tokensync"), ())


def formats(command: click.Command) -> Iterator[str]:
    """Yield the options for each format that a command prints, an empty text for the one without options."""
    yield ""
    for option in command.params:
        if "--json" in option.opts:
            yield "--json"
        if "--format" in option.opts and isinstance(option.type, click.Choice) and "text" in option.type.choices:
            yield from (f"--format {each}" for each in option.type.choices)
