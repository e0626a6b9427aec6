"""``tokensync demo``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.build import Built


@click.command("demo")
@click.argument("folder", default="tokensync-demo", type=click.Path())
@options.console
def command(folder: str, console: Console) -> int:
    """Go from a design file to code and back. Runs on the embedded emulator, in FOLDER (default: tokensync-demo)."""
    from tokensync.commands.demo import demo
    from tokensync.plan.review import summary_of

    with console.progress() as progress:
        result = demo(folder, progress)
    console.problems((*result.pulled.problems, *result.built.problems))
    for file in result.pulled.files:
        console.info(f"Pulled    {file.name} from the embedded emulator: {file.size}")
    _say_built(result.built, console)
    edit = result.edit
    console.info(f"Edited    tokens/{edit.path}: {edit.token} from {edit.before} to {edit.after}")
    for each in result.planned.file.plans:
        console.info(f"Planned   {summary_of(each)}, in {counted(len(each.batches), 'request')}")
    console.info("Applied   to the emulator and verified")
    console.info(
        f"Pulled    {'nothing new: code and design file are in sync' if result.is_in_sync else 'values that differ'}"
    )
    _say_built(result.built_again, console)
    console.info("")
    console.info(f"Look at   {os.path.join(folder, 'tokens')} for the tokens, as DTCG files")
    for path, label in _outputs(folder):
        console.info(f"          {path} for {label}")
    console.info(f"Try next  {_next(folder)}")
    return 0


def _say_built(built: Built, console: Console) -> None:
    if built.written is not None:
        console.info(
            f"Built     {counted(built.files, 'file')} "
            f"({len(built.written.changed)} written, {built.written.unchanged} unchanged)"
        )


def _next(folder: str) -> str:
    """Return a command that works here even if tokensync is not on PATH, as in a checkout."""
    from shutil import which

    if which("tokensync"):
        return f"cd {folder} && tokensync tokens why text.muted"
    from tokensync.project.configuration import FILE_NAME

    python = sys.executable if os.name == "nt" else os.path.relpath(sys.executable)
    return f"{python} -m tokensync -c {os.path.join(folder, FILE_NAME)} tokens why text.muted"


def _outputs(folder: str) -> list[tuple[str, str]]:
    from tokensync.project.configuration import FILE_NAME, load_project
    from tokensync.targets import target

    outputs = load_project(os.path.join(folder, FILE_NAME)).config.outputs
    return [(os.path.join(folder, each.path), target(each.platform).label) for each in outputs]
