"""Run the main workflow end to end, on the embedded emulator, in a folder of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.commands.apply import AppliedFile, Applier, apply_plans
from tokensync.commands.build import Built, build_project
from tokensync.commands.emulator import read_seeds, seed
from tokensync.commands.plan import Planned, plan
from tokensync.commands.pull import Pulled, pull
from tokensync.project.configuration import FILE_NAME, load_project, outside_is_allowed
from tokensync.project.connection import EMULATOR, connect, embedded_emulator
from tokensync.system import resources
from tokensync.system.boundary import resolved_folder
from tokensync.system.disk import content_of, replace_file
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = ("examples", "quickstart")
LOCAL, PUBLISHED = "design.local.json", "design.published.json"


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
        return not any(each.changed for each in self.pulled_again.files) and not any(
            each.differences for each in self.applied
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
    seeds = read_seeds(
        [resources.path(*EXAMPLE, LOCAL), resources.path(*EXAMPLE, PUBLISHED)], [project.config.files[0].key]
    )
    with embedded_emulator(project) as emulator:
        seed(emulator, seeds)
    with connect(project, on_wait=progress) as client:
        pulled = pull(project, client, progress=progress)
        progress("building")
        built = build_project(project)
        _edit(os.path.join(project.tokens_folder, EDIT.path))
        planned = plan(project, client, progress=progress)
        applied = apply_plans(Applier(project, client, say=progress))
        pulled_again = pull(project, client, progress=progress)
    progress("building")
    built_again = build_project(project)
    return DemoResult(folder, pulled, built, EDIT, planned, applied, pulled_again, built_again)


def _edit(path: str) -> None:
    content = content_of(path) or b""
    replace_file(path, content.replace(EDIT.before.encode(), EDIT.after.encode(), 1))


def _content(path: str) -> bytes:
    """Return the bytes of a file, with the line ends that it was written with."""
    with open(path, "rb") as file:
        return file.read().replace(b"\r\n", b"\n")
