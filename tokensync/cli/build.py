"""``tokensync build``."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.console import FEW, MOST_PATHS, Console, problem_documents
from tokensync.generate.targets import NAMES
from tokensync.system.disk import relative_paths
from tokensync.system.errors import DifferencesFound, ProblemsError, TokensyncError, UsageError, errors_among
from tokensync.system.outlet import in_utf_8
from tokensync.system.wording import arguments, counted, design_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.commands.build import Built


@click.command("build")
@options.snapshot
@options.published
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    type=options.PluggedChoice(NAMES, "targets"),
    help="Build only outputs of this platform (repeatable; with --snapshot, default: css, android, ios).",
)
@click.option("-o", "--out", type=click.Path(), metavar="DIR", help="Write to DIR/css, DIR/android and so on.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 3 if an output is out of date.")
@click.option(
    "--staged", is_flag=True, help="Build only if the outputs of the next commit are out of date, and then exit with 3."
)
@click.option("--watch", is_flag=True, help="Rebuild when an input changes, until Ctrl-C.")
@click.option("--force", is_flag=True, help="Overwrite files that tokensync did not write.")
@click.option("--only-published", is_flag=True, help="With --snapshot: omit unpublished variables.")
@click.option("--no-hidden", is_flag=True, help="With --snapshot: omit variables that are hidden from publishing.")
@options.strict
@options.project
@options.files
@options.json_alone
@options.console
def build_command(
    snapshot: str | None,
    published: str | None,
    platforms: tuple[str, ...],
    out: str | None,
    check: bool,
    staged: bool,
    watch: bool,
    force: bool,
    only_published: bool,
    no_hidden: bool,
    config: str | None,
    files: tuple[str, ...],
    as_json: bool,
    console: Console,
) -> int:
    """Generate code from token files or from a saved response."""
    _refuse_conflicts(click.get_current_context().params)
    if staged:
        return _build_staged(config, console)
    show = partial(_show_json if as_json else _show, check=check)
    skip_current = not (force or as_json or console.verbose or options.is_strict())  # these need a full build
    build: Callable[[], Built]
    if snapshot is not None:
        from tokensync.commands.build import build_snapshot

        if out is None:
            raise UsageError("--snapshot: the output folder is missing; add -o DIR")
        options.check_snapshot(snapshot, published, files)
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
            allow_outside=options.allow_outside(),
            levels=options.snapshot_levels(config),
        )
    else:
        watched = _inputs(config) if watch else []
        build = partial(
            _build_project, config, files, platforms, out, check=check, force=force, skip_current=skip_current
        )
    if not watch:
        built = build()
        code = show(built, console)
        return code or (ProblemsError.exit_code if errors_among(built.problems) else 0)  # of files that remain
    from tokensync.commands.build import watch as watch_files

    try:
        watch_files(watched, lambda: _build_again(build, console))
    except KeyboardInterrupt:  # how a watch is ended
        console.info("stopped")
    return 0


def _refuse_conflicts(given: Mapping[str, Any]) -> None:
    """Raise UsageError for options that exclude or need others."""
    if given["watch"] and (given["check"] or given["as_json"]):
        raise UsageError("--watch: it runs until it is interrupted; remove --check and --json")
    of_snapshot = ("published", "only_published", "no_hidden")
    others = ("snapshot", "platforms", "out", "check", "watch", "force", "files", "as_json", *of_snapshot)
    if given["staged"] and options.is_strict():
        raise UsageError("--strict: build --staged writes the outputs of a commit; use check --staged --strict")
    if given["staged"] and any(given[name] for name in others):
        raise UsageError("--staged: it builds all outputs; remove the other options except -c")
    if given["snapshot"] is None and any(given[name] for name in of_snapshot):
        raise UsageError("--published, --only-published, --no-hidden: they need a saved response; add --snapshot FILE")


def _build_staged(config: str | None, console: Console) -> int:
    """Build if the commit has outdated outputs, and end with a failure so that they are staged.

    Nothing is built as long as token files have changes that are not staged: the outputs would not be those of the
    commit, and a hook manager that has put them aside would discard the outputs again.
    """
    from tokensync.cli.check import exit_code, show
    from tokensync.commands.build import build_project
    from tokensync.commands.check import check_staged
    from tokensync.system.errors import ConflictError
    from tokensync.system.stat_manifest import COMMIT_IS_CURRENT

    result = check_staged(config)
    if result is None or not (result.stale or (exit_code(result) and not result.files)):
        console.info(COMMIT_IS_CURRENT)
        return 0
    if not result.stale:
        show(result, "text", console)
        return exit_code(result)
    if result.waits:
        verb = "is" if len(result.stale) == 1 else "are"
        stale = f"{counted(len(result.stale), 'output')} of the commit {verb} not current"
        raise ConflictError(f"{stale}; {result.advice}")
    built = build_project(options.load_project(config))
    written = built.written
    console.paths("written", (*written.changed, *written.removed) if written else ())
    _show(built, console, fails=True)
    lead = "before you commit again, " if result.staging.startswith("run ") else ""
    console.info(f"{lead}{result.staging}")
    return DifferencesFound.exit_code


def _build_project(
    config: str | None,
    files: tuple[str, ...],
    platforms: tuple[str, ...],
    out: str | None,
    *,
    check: bool,
    force: bool,
    skip_current: bool,
) -> Built:
    """Build with the current configuration, which may change during a watch."""
    from tokensync.commands.build import build_project
    from tokensync.project.outputs import is_own_manifest
    from tokensync.system.stat_manifest import Recording

    project = options.load_project(config)
    build = partial(build_project, project, files, platforms, folder=out, check=check, force=force)
    if files or platforms or out:
        return build(skip_current=check and skip_current)
    build = partial(build, records=not check)
    if config or not skip_current or project.allow_outside:
        return build(skip_current=check and skip_current)
    is_ours = is_own_manifest(project.folder)
    with Recording("build", project.folder, project.text) as recording:
        built = build(recording=recording, skip_current=is_ours or check)
        if is_ours and built.written is None and not (built.stale or built.untracked):  # so nothing was generated
            recording.save(relative_paths(_current(built)))
    return built


def _inputs(config: str | None) -> list[str]:
    project = options.load_project(config)
    templates = [project.path(output.templates) for output in project.config.outputs if output.templates]
    return [project.tokens_folder, project.source, *templates]


def _show(built: Built, console: Console, *, check: bool = False, fails: bool = False) -> int:
    """Show the result; no notes and only a few warnings if the command ``fails``, or because outputs are outdated."""
    is_snapshot = bool(click.get_current_context().params["snapshot"])
    is_few = bool(built.stale or fails) and not console.verbose
    problems = [each for each in built.problems if not is_few or each.severity != "note"]
    remaining = FEW - 3 - min(len(built.stale), MOST_PATHS) if built.stale else 1
    console.problems(problems, of_design=is_snapshot, most=remaining if is_few else None)
    if built.stale:
        console.paths("not current", built.stale)
        console.info(f"run {_command()}, and commit what it writes")
        return DifferencesFound.exit_code
    if built.untracked and check:
        console.info(f"not current: {_untracked(built)}")
        return DifferencesFound.exit_code
    if built.untracked:
        console.info(_untracked(built))
    if built.written is None:
        console.info(_current(built))
        return 0
    changed, unchanged, removed, *_ = built.written
    for path in changed:
        console.detail(f"written: {path}")
    for path in removed:
        console.detail(f"removed: {path}")
    parts = [f"{len(changed)} written", f"{unchanged} unchanged", *([f"{len(removed)} removed"] if removed else [])]
    counts = f"{counted(built.tokens, 'token')}, {counted(built.files, 'file')}"
    more = "" if is_snapshot or fails or console.verbose else design_findings(built.problems)
    more = f"; {more} (-v shows {'it' if more.startswith('1 ') else 'them'})" if more else ""
    console.info(f"{_prefix(built.folder)}{counts} ({', '.join(parts)}){more}")
    return 0


def _untracked(built: Built) -> str:
    from tokensync.project.outputs import UNTRACKED, tracking_advice

    path = relative_paths(built.untracked)
    return f"{path}: {UNTRACKED}; {tracking_advice(built.untracked, path)}"


def _command() -> str:
    """Return the command line of this check without --check."""
    given = click.get_current_context().params
    words = [
        *(("--snapshot", given["snapshot"]) if given["snapshot"] else ()),
        *(("--published", given["published"]) if given["published"] else ()),
        *(word for each in given["platforms"] for word in ("--platform", each)),
        *(("-o", given["out"]) if given["out"] else ()),
        *(("--only-published",) if given["only_published"] else ()),
        *(("--no-hidden",) if given["no_hidden"] else ()),
        *(("-c", given["config"]) if given["config"] else ()),
        *(word for each in given["files"] for word in ("--file", each)),
    ]
    return arguments(("tokensync", "build", *words))


def _current(built: Built) -> str:
    return f"{_prefix(built.folder)}all outputs are current"


def _show_json(built: Built, console: Console, *, check: bool) -> int:
    written = built.written
    document = {
        "folder": in_utf_8(built.folder),
        "tokens": built.tokens,
        "files": built.files,
        "current": not (built.stale or built.untracked) and not (written and (written.changed or written.removed)),
        "stale": built.stale or tuple(filter(None, (os.path.basename(built.untracked),))),
        "written": written.changed if written else (),
        "removed": written.removed if written else (),
        "problems": problem_documents(built.problems),
    }
    console.json(document)
    return DifferencesFound.exit_code if check and (built.stale or built.untracked) else 0


def _prefix(folder: str) -> str:
    """Return the folder as the start of a message; nothing for the working folder."""
    return "" if os.path.abspath(folder) == os.getcwd() else f"{folder}: "


def _build_again(build: Callable[[], Built], console: Console) -> None:
    """Build, and report problems without stopping, because the next edit may fix them."""
    try:
        _show(build(), console)
    except ProblemsError as stop:
        console.problems(stop.problems)
    except TokensyncError as stop:
        console.failure(str(stop))
    except OSError as error:  # an editor may hold the file
        console.failure(f"{error.filename}: {error.strerror}; waiting for the next change")
