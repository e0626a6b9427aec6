"""``tokensync build``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.errors import DifferencesFound, ProblemsError, TokensyncError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.cli.console import Console
    from tokensync.commands.build import Built

_SHOWN = 20


@click.command("build")
@options.snapshot
@options.published
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    type=click.Choice(["css", "android", "ios"]),
    help="Repeatable; all by default.",
)
@click.option("-o", "--out", metavar="DIR", help="Write to css/, android/ and ios/ under DIR.")
@click.option("--check", is_flag=True, help="Write nothing; exit 3 when an output is not current.")
@click.option("--watch", is_flag=True, help="Build again whenever an input changes.")
@click.option("--force", is_flag=True, help="Overwrite files that tokensync did not make.")
@click.option("--only-published", is_flag=True, help="With --snapshot: leave out what is not published.")
@click.option("--no-hidden", is_flag=True, help="With --snapshot: leave out variables hidden from publishing.")
@options.config
@options.files
@options.console
def command(
    snapshot: str | None,
    published: str | None,
    platforms: tuple[str, ...],
    out: str | None,
    check: bool,
    watch: bool,
    force: bool,
    only_published: bool,
    no_hidden: bool,
    config: str | None,
    files: tuple[str, ...],
    console: Console,
) -> int:
    """Write code from the token files, or straight from a saved response."""
    build: Callable[[], Built]
    if snapshot is not None:
        from tokensync.commands.build import build_snapshot

        if out is None:
            raise UsageError("--snapshot: say where to build to; add -o DIR")
        if config or files:
            raise UsageError("--snapshot: it needs no configuration; leave out --config and --file")
        watched = [path for path in (snapshot, published) if path]
        build = partial(
            build_snapshot,
            snapshot,
            published,
            out,
            platforms,
            check=check,
            force=force,
            only_published=only_published,
            include_hidden=not no_hidden,
        )
    else:
        from tokensync.commands.build import build_project
        from tokensync.config import load_project

        if published or only_published or no_hidden:
            raise UsageError("--published, --only-published and --no-hidden belong to --snapshot; add it")
        project = load_project(config)
        watched = [project.tokens_folder, project.source]
        watched += [project.path(each.templates) for each in project.config.outputs if each.templates]
        build = lambda: build_project(  # noqa: E731  (a configuration that changed is read again)
            load_project(config), files, platforms, folder=out, check=check, force=force
        )
    if not watch:
        return _told(build(), console)
    from tokensync.commands.watching import watch as watch_files

    watch_files(watched, lambda: _build_again(build, console))
    return 0


def _told(built: Built, console: Console) -> int:
    console.problems(built.problems)
    if built.stale:
        for path in built.stale[:_SHOWN]:
            console.say(f"not current: {path}")
        if len(built.stale) > _SHOWN:
            console.say(f"not current: {len(built.stale) - _SHOWN} more")
        return DifferencesFound.exit_code
    if built.written is None:
        console.say(f"{built.folder}: all outputs are current")
        return 0
    changed, unchanged, removed = built.written
    for path in changed:
        console.detail(f"written: {path}")
    for path in removed:
        console.detail(f"removed: {path}")
    parts = [f"{len(changed)} written", f"{unchanged} unchanged", *([f"{len(removed)} removed"] if removed else [])]
    console.say(f"{built.folder}: {built.tokens} tokens, {built.files} files ({', '.join(parts)})")
    return 0


def _build_again(build: Callable[[], Built], console: Console) -> None:
    """A fault in an edited file is told, and the next edit may mend it."""
    try:
        _told(build(), console)
    except ProblemsError as stop:
        console.problems(stop.problems)
    except TokensyncError as stop:
        console.failure(str(stop))
