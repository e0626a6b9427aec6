"""``tokensync format``."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import problem_documents
from tokensync.outlet import in_utf_8
from tokensync.wording import counted

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.format import Formatted
    from tokensync.project.configuration import Project


@click.command("format")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit with 3 if a file is not in canonical form.")
@options.project
@options.files
@options.json
@options.console
def command(
    paths: tuple[str, ...], check: bool, config: str | None, files: tuple[str, ...], as_json: bool, console: Console
) -> int:
    """Write token files in canonical form. PATHS default to the configured tokens folder."""
    from tokensync.commands.format import format_files, paths_of
    from tokensync.errors import DifferencesFound, ProblemsError, UsageError

    if paths and files:
        raise UsageError(f"--file: it excludes paths; remove --file, or remove {' '.join(paths)}")
    if paths:
        project = partial(_project_if_any, config)
        result = format_files(paths, check=check, allow_outside=options.allow_outside(), project=project)
    elif files:
        of = options.load_project(config)
        result = format_files(paths_of(of, files), check=check, project=lambda: of)
    else:
        from tokensync.project.sources import project_texts, strays

        of = options.load_project(config)
        unread = of.levels.applied(strays(of, project_texts(of)))
        result = _format_project(of, check=check, is_plain=config is None and not unread)
        console.problems(unread)
    if as_json:
        files_of = {"files": list(map(in_utf_8, result.seen)), "changed": list(map(in_utf_8, result.changed))}
        console.json({**files_of, "problems": problem_documents(result.problems)})
    console.problems(result.problems)
    failed = ProblemsError.exit_code if result.problems else 0
    if check and result.changed:
        for path in result.changed:
            console.info(f"not formatted: {path}")
        return failed or DifferencesFound.exit_code
    for path in result.changed:
        console.detail(f"formatted: {path}")
    changed = f"formatted {len(result.changed)} of {counted(len(result.seen), 'file')}{_kept(result)}"
    console.info(changed if result.changed else _unchanged(result))
    return failed


def _format_project(project: Project, *, check: bool, is_plain: bool) -> Formatted:
    from tokensync.commands.format import format_files, paths_of
    from tokensync.project.lock import LOCK
    from tokensync.stat_manifest import Recording

    if not is_plain or project.allow_outside:
        return format_files(paths_of(project), check=check, project=lambda: project)
    with Recording("format", project.folder, project.text) as recording:
        recording.tree(project.tokens_folder)
        recording.optional(os.path.join(project.folder, LOCK))
        result = format_files(paths_of(project), check=check, project=lambda: project)
        if not (result.changed or result.problems):
            recording.save(_unchanged(result))
    return result


def _project_if_any(config: str | None) -> Project | None:
    from tokensync.errors import TokensyncError

    try:
        return options.load_project(config)
    except TokensyncError:
        return None


def _unchanged(result: Formatted) -> str:
    seen = f"{counted(len(result.seen), 'file')}, all formatted" if result.seen else "no token files of tokensync"
    return f"{seen}{_kept(result)}"


def _kept(result: Formatted) -> str:
    if not result.foreign:
        return ""
    return f"; {counted(len(result.foreign), 'file')} of other tools' resolver documents left unchanged"
