"""``tokensync demo``: the main workflow end to end, on the embedded emulator, in a folder of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

import click
from msgspec.structs import replace

from tokensync.cli import options
from tokensync.commands.apply import AppliedFile, Applier, apply_plans
from tokensync.commands.build import Built, build_project
from tokensync.commands.plan import Planned, make_plan
from tokensync.commands.pull import Pulled, pull
from tokensync.emulator.cli.states import embedded, read_seeds
from tokensync.plan.review import summary_of
from tokensync.project.configuration import FILE_NAME, load_project, outside_is_allowed
from tokensync.project.connection import EMULATOR, connect
from tokensync.system import resources
from tokensync.system.boundary import resolved_folder
from tokensync.system.disk import content_of, replace_file
from tokensync.system.errors import UsageError
from tokensync.system.wording import arguments, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console

EXAMPLE = ("examples", "quickstart")
SAVED = ("design.local.json", "design.published.json", "design.styles.json")


class Edit(NamedTuple):
    """A change of one token file, as a user would make it in an editor."""

    path: str
    token: str
    before: str
    after: str


EDIT = Edit(
    "harbor/theme/dark.tokens.json", "border/strong", "{primitives.color.slate.700}", "{primitives.color.slate.500}"
)


class DemoResult(NamedTuple):
    """The steps of the demo: from the design file to code, an edit in code, and back to the design file."""

    folder: str
    pulled: Pulled
    built: Built
    edit: Edit
    planned: Planned
    applied: tuple[AppliedFile, ...]
    pulled_again: Pulled
    built_again: Built

    @property
    def is_in_sync(self) -> bool:
        """Return whether the token files and the platform have the same content."""
        return not any(file.changed for file in self.pulled_again.files) and not any(
            file.differences for file in self.applied
        )


def demo(folder: str, progress: Callable[[str], None] = lambda text: None) -> DemoResult:
    """Seed the emulator with the quickstart's design file, pull it, build code from it, and write an edit back.

    Raises UsageError for a folder that has other content than an earlier demo.
    """
    configuration = resources.read_bytes(*EXAMPLE, FILE_NAME)
    path = os.path.join(resolved_folder(folder, allow_outside=outside_is_allowed()), FILE_NAME)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{folder}: not a folder; choose a new one")
    if os.path.isdir(folder) and os.listdir(folder):
        if not os.path.isfile(path) or _content(path) != configuration:
            raise UsageError(f"{folder}: neither empty nor an earlier demo; choose a new folder")
    else:
        replace_file(path, configuration)
    project = load_project(path)
    project = replace(project, config=replace(project.config, base_url=EMULATOR))  # whatever TOKENSYNC_BASE_URL is
    progress("seeding the emulator")
    seeds = read_seeds([resources.path(*EXAMPLE, name) for name in SAVED], [project.config.files[0].key])
    with embedded(project) as emulator:
        emulator.seed_all(seeds)
    with connect(project, on_wait=progress) as client:
        pulled = pull(project, client, progress=progress)
        progress("building")
        built = build_project(project)
        _edit(os.path.join(project.tokens_folder, EDIT.path))
        planned = make_plan(project, client, progress=progress)
        applied = apply_plans(Applier(project, client, say=progress))
        pulled_again = pull(project, client, progress=progress)
    progress("building")
    built_again = build_project(project)
    return DemoResult(folder, pulled, built, EDIT, planned, applied, pulled_again, built_again)


def _edit(path: str) -> None:
    content = content_of(path) or b""
    replace_file(path, content.replace(EDIT.before.encode(), EDIT.after.encode(), 1))


def _content(path: str) -> bytes:
    """Return the bytes of a file with line feeds, which git may have converted."""
    with open(path, "rb") as file:
        return file.read().replace(b"\r\n", b"\n")


@click.command("demo")
@click.argument("folder", default="tokensync-demo", type=click.Path())
@options.console
def demo_command(folder: str, console: Console) -> int:
    """Go from a design file to code and back. Runs on the embedded emulator, in FOLDER (default: tokensync-demo)."""
    with console.progress() as progress:
        result = demo(folder, progress)
    for file in result.pulled.files:
        console.info(f"Pulled    {file.name} from the embedded emulator: {file.size}")
    _say_built(result.built, console)
    edit = result.edit
    console.info(f"Edited    tokens/{edit.path}: {edit.token} from {edit.before} to {edit.after}")
    for plan in result.planned.file.plans:
        console.info(f"Planned   {summary_of(plan)}, in {counted(len(plan.batches), 'request')}")
    console.info("Applied   to the emulator and verified")
    console.info(
        f"Pulled    {'nothing new: code and design file are in sync' if result.is_in_sync else 'values that differ'}"
    )
    _say_built(result.built_again, console)
    console.summarize((*result.pulled.problems, *result.built.problems))
    console.info("")
    console.info(f"Look at   {os.path.join(folder, 'tokens')} for the tokens, as DTCG files")
    for path, label in _outputs(folder):
        console.info(f"          {path} for {label}")
    console.info(f"Try next  {_next_command(folder)}")
    return 0


def _say_built(built: Built, console: Console) -> None:
    if built.written is not None:
        console.info(
            f"Built     {counted(built.files, 'file')} "
            f"({len(built.written.changed)} written, {built.written.unchanged} unchanged)"
        )


def _next_command(folder: str) -> str:
    """Return a command that works here even if tokensync is not on PATH, as in a checkout."""
    from shutil import which

    words = ("-c", os.path.join(folder, FILE_NAME), "tokens", "why", "text.muted")  # "cd &&" is no PowerShell 5.1
    if which("tokensync"):
        return arguments(("tokensync", *words))
    python = sys.executable if os.name == "nt" else os.path.relpath(sys.executable)
    program = f'"{python}"' if " " in python else python  # with only these quotes it runs in cmd.exe
    return f"{program} -m tokensync {arguments(words)}"


def _outputs(folder: str) -> list[tuple[str, str]]:
    from tokensync.generate.targets import target

    outputs = load_project(os.path.join(folder, FILE_NAME)).config.outputs
    return [(os.path.normpath(os.path.join(folder, output.path)), target(output.platform).label) for output in outputs]
