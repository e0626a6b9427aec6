"""``tokensync check``, ``lint``, ``format`` and ``install-hook``: what runs before a commit and in CI."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from tokensync.cli import options
from tokensync.cli.console import FEW, MOST_PATHS, Console, problem_documents
from tokensync.system import outlet
from tokensync.system.errors import (
    ConflictError,
    DifferencesFound,
    ErrorsFound,
    ProblemsError,
    UsageError,
    errors_among,
)
from tokensync.system.git_index import path_of
from tokensync.system.outlet import in_utf_8
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokensync.commands.check import Checked, CodeCheck
    from tokensync.commands.format import Formatted
    from tokensync.project.configuration import Project
    from tokensync.system.outlet.findings import Finding
    from tokensync.system.problems import Problem


@click.command("check")
@options.form("findings", "json", "sarif", "github")
@click.option("--staged", is_flag=True, help="Check the next commit: the files of the git index, not the work tree.")
@options.code_to_check
@click.option("--changed", metavar="REV", help="Check code only in lines that are new since this git revision.")
@click.option("--fix", is_flag=True, help="Correct code where the token to write is certain.")
@options.accept
@options.strict
@options.project
@options.result
def check_command(
    form: str,
    staged: bool,
    code: tuple[str, ...],
    changed: str | None,
    fix: bool,
    accept: str | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """Check token files, lint rules, outputs and code offline. Exits with 5 for errors, else with 3 for old outputs."""
    if accept is not None and (staged or fix):
        raise UsageError(f"--accept: it accepts what the work tree has; remove {'--staged' if staged else '--fix'}")
    if staged and (code or changed or fix):
        option = "--code" if code else "--changed" if changed else "--fix"
        raise UsageError(f"--staged: it checks the new lines of the index, and writes nothing; remove {option}")
    if staged and form == "text" and not (as_json or console.verbose or options.is_strict()):
        from tokensync.code.new_lines import unremarkable

        if text := unremarkable(config):
            console.info(text)
            return 0
    from tokensync.commands.check import NOTHING, check_staged

    with annotated(form):
        if staged:
            result = check_staged(config, is_strict=options.is_strict()) or NOTHING
        else:
            result = _checked(config, code, changed, fix=fix, accept=accept, console=console)
    if as_json or form == "json":
        found = {"stale": result.stale, "problems": problem_documents(result.problems)}
        of_code = {} if result.code_files is None else {"code_files": result.code_files}
        console.json({"tokens": result.tokens, "files": result.files, **of_code, **found})
        return exit_code(result)
    show(result, form, console)
    return exit_code(result)


def _checked(
    config: str | None, paths: tuple[str, ...], changed: str | None, *, fix: bool, accept: str | None, console: Console
) -> Checked:
    """Return the result of a check of the work tree, after findings are accepted or code is corrected."""
    from tokensync.commands.check import check_project, code_of

    if accept is None and not (paths or changed or fix):
        return _remembered("check", config, check_project)
    from tokensync.code.checking import write_fixes

    with console.progress() as progress:

        def run() -> tuple[Checked, CodeCheck | None]:
            project = options.load_project(config)
            of_code = code_of(project, paths, changed, corrects=fix, progress=progress)
            if of_code is None and (changed or fix):
                option = "--fix" if fix else "--changed"
                raise UsageError(f'{option}: no code is named; add --code PATH, or paths = ["src"] to [code]')
            return check_project(project, code=of_code), of_code

        result, code = run()
        if accept is not None:
            console.info(options.accepted(options.load_project(config), result.problems, accept))
            result, code = run()
        elif fix and code and code.checked:
            console.info(write_fixes(code.checked))
            result, code = run()
    return result


def _remembered(command: str, config: str | None, check: Callable[..., Checked], *, is_plain: bool = True) -> Checked:
    """Return the result of checking a project, or that of the last run if nothing has changed since."""
    from tokensync.commands.check import recalled
    from tokensync.system.stat_manifest import Recording

    if config or not is_plain or options.allow_outside() or options.is_strict():
        return check(options.load_project(config))
    if (result := recalled(command)) is not None:
        return result
    project = options.load_project(config)
    with Recording(command, project.folder, project.text) as recording:
        return check(project, recording=recording)


@contextmanager
def annotated(form: str) -> Iterator[None]:
    """Write the problems that stop a block as SARIF or annotations, too, if that is the form."""
    from tokensync.commands.check import failed

    try:
        yield
    except ProblemsError as stop:
        if form in ("sarif", "github"):
            _write(failed(stop.problems), form, Console(), everything=True)
        raise


def show(result: Checked, form: str, console: Console) -> None:
    """Write findings as text to stderr and, in the other forms, to stdout. The last line is the remedy."""
    _write(result, form, console, everything=console.verbose)
    shown = _shown(result.findings, everything=console.verbose)
    advice = [result.advice] if exit_code(result) and result.advice else []
    is_few = exit_code(result) and result.files is not None
    stale = () if errors_among(result.problems) else result.stale  # the errors come first, and the summary counts them
    remaining = FEW - 2 - len(advice) - min(len(stale), MOST_PATHS) if is_few else None
    console.findings((finding for finding in shown if finding.problem.code != "output-stale"), remaining)
    console.paths("not current", stale)
    console.info(f"{result.summary}{'' if console.verbose else result.advice_on_notes}")
    for text in advice:
        console.info(text)


def _write(result: Checked, form: str, console: Console, *, everything: bool) -> None:
    from tokensync.system.outlet.findings import sarif, workflow_commands

    if form == "sarif":
        console.json(sarif(_shown(result.portable_findings, everything=everything), result.source))
    elif form == "github":
        outlet.write_commands(workflow_commands(_shown(result.portable_findings, everything=everything)))


def _shown(findings: Iterable[Finding], *, everything: bool) -> list[Finding]:
    from tokensync.commands.check import is_shown

    return [finding for finding in findings if everything or is_shown(finding.problem)]


def exit_code(result: Checked) -> int:
    """Return 5 if there are errors, else 3 if outputs are not current, else 0."""
    if errors_among(result.problems):
        return ErrorsFound.exit_code
    return DifferencesFound.exit_code if result.stale else 0


@click.command("lint")
@options.form("findings", "json", "sarif", "github")
@click.option("--fix", is_flag=True, help="Write remedies that are certain into the token files, then check.")
@options.token_source
@options.result
def lint_command(form: str, fix: bool, source: options.TokenSource, as_json: bool, console: Console) -> int:
    """Check tokens with the lint rules. They find low contrast, aliases between layers, deprecated tokens and more."""
    from tokensync.commands.check import lint_project, lint_snapshot

    if fix and source.snapshot is not None:
        raise UsageError("--fix: a saved response has no token files to change; remove --fix or --snapshot")
    with annotated(form):
        fixed = _fixed(source, console) if fix else {}
        if source.snapshot is not None:
            result = lint_snapshot(source.snapshot, source.published, options.snapshot_levels(source.config))
        else:
            lint = partial(lint_project, files=source.files)
            result = _remembered("lint", source.config, lint, is_plain=not source.files)
    if as_json or form == "json":
        console.json({**fixed, "tokens": result.tokens, "problems": problem_documents(result.problems)})
    else:
        show(result, form, console)
    return exit_code(result)


def _fixed(source: options.TokenSource, console: Console) -> dict[str, list[str]]:
    """Fix what is certain, say what has changed, and return it for JSON."""
    from tokensync.commands.fixing import fix_project

    done = fix_project(options.load_project(source.config), source.files)
    for fix in done.fixes:
        console.info(f"fixed: {fix}")
    for path in done.uncommitted:
        console.info(f"{path}: it also has changes that are not committed")
    return {"fixes": [*map(in_utf_8, done.fixes)], "changed": [*map(in_utf_8, done.changed)]}


@click.command("format")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit with 3 if a file is not in canonical form.")
@options.project
@options.files
@options.result
def format_command(
    paths: tuple[str, ...], check: bool, config: str | None, files: tuple[str, ...], as_json: bool, console: Console
) -> int:
    """Write token files in canonical form. PATHS default to the configured tokens folder."""
    from tokensync.commands.format import format_files, paths_of

    def formatted(chosen: Sequence[str], *, allow_outside: bool = False) -> Formatted:
        before = _refuse_partly_staged
        return format_files(chosen, check=check, allow_outside=allow_outside, project=lambda: of, before_writing=before)

    if paths and files:
        raise UsageError(f"--file: it excludes paths; remove --file, or remove {' '.join(paths)}")
    of = _project_if_any(config) if paths else options.load_project(config)
    if of is None or paths:
        result = formatted(paths, allow_outside=options.allow_outside())
        unread = () if of is None else _unread(of, seen=result.seen)
    else:
        unread = _unread(of, files)
        try:
            is_plain = not (files or config or unread or of.allow_outside)
            result = _recorded(of, formatted) if is_plain else formatted(paths_of(of, files))
        except ProblemsError as stop:
            raise ProblemsError((*unread, *stop.problems)) from None
    problems = (*unread, *result.problems)
    if as_json:
        files_of = {"files": list(map(in_utf_8, result.seen)), "changed": list(map(in_utf_8, result.changed))}
        console.json({**files_of, "problems": problem_documents(problems)})
    remaining = FEW - 3 - (min(len(result.changed), MOST_PATHS) if check else 0)
    console.problems(problems, most=remaining if result.problems else None)
    failed = ProblemsError.exit_code if result.problems else 0
    if check and result.changed:
        console.paths("not formatted", result.changed)
        return failed or DifferencesFound.exit_code
    for path in result.changed:
        console.detail(f"formatted: {path}")
    changed = f"formatted {len(result.changed)} of {counted(len(result.seen), 'file')}{_kept(result)}"
    console.info(changed if result.changed else _all_formatted(result))
    if result.changed and "PRE_COMMIT" in os.environ:
        console.info(f"before you commit again, run git add {_of_user(result.changed)}")
    return failed


def _unread(project: Project, files: tuple[str, ...] = (), *, seen: Iterable[str] | None = None) -> tuple[Problem, ...]:
    """Return the problems of the lock and of token files that no other command reads, or not all other tools.

    ``files`` are design files (empty means all). With ``seen``, return only those of these paths.
    """
    from tokensync.project.lock import conflicts_of_lock
    from tokensync.project.sources import project_texts, strays, unlisted_modes
    from tokensync.system.boundary import is_within

    problems = conflicts_of_lock(project.folder)
    own = None if seen is None else {*map(os.path.realpath, seen)}
    if own is None or any(is_within(path, os.path.realpath(project.tokens_folder)) for path in own):
        texts = project_texts(project, files)
        for problem in (*strays(project, texts), *unlisted_modes(project, texts)):
            place = os.path.realpath(problem.where.removesuffix(":1:1 (#)"))
            if own is None or any(is_within(path, place) for path in own):
                problems += (problem,)
    return project.levels.applied(problems)


def _refuse_partly_staged(paths: Sequence[str]) -> None:
    """Raise ConflictError if a hook manager has put aside changes of these files, and would discard what is written."""
    from tokensync.project.staged import set_aside
    from tokensync.system.boundary import work_tree

    top = work_tree(os.getcwd()) or os.getcwd()
    aside = {os.path.realpath(os.path.join(top, path_of(path))) for path in set_aside()}
    found = tuple(path for path in paths if os.path.realpath(path) in aside)
    if found:
        whose = "its" if len(found) == 1 else "their"
        what = f"some of {whose} changes are not staged, and the hook manager would discard the formatted lines"
        to_do = f"stage or stash them first, and commit again: git add {_of_user(found)}, or git stash --keep-index"
        raise ConflictError(f"{listed(found)}: {what}; {to_do}")


def _of_user(paths: tuple[str, ...]) -> str:
    """Return paths as arguments of a command in the folder in which git started a hook manager."""
    from tokensync.project.staged import user_folder
    from tokensync.system.boundary import work_tree
    from tokensync.system.disk import relative_path
    from tokensync.system.git import pathspecs

    folder = user_folder(work_tree(os.getcwd()) or os.getcwd())
    return pathspecs(relative_path(path, folder).replace(os.sep, "/") for path in paths)


def _recorded(project: Project, formatted: Callable[[Sequence[str]], Formatted]) -> Formatted:
    """Format all token files of a project, and record it if nothing changes."""
    from tokensync.commands.format import paths_of
    from tokensync.project.lock import LOCK
    from tokensync.system.stat_manifest import Recording

    with Recording("format", project.folder, project.text) as recording:
        recording.tree(project.tokens_folder)
        recording.optional(os.path.join(project.folder, LOCK))
        result = formatted(paths_of(project))
        if not (result.changed or result.problems):
            recording.save(_all_formatted(result))
    return result


def _project_if_any(config: str | None) -> Project | None:
    from tokensync.system.errors import TokensyncError

    try:
        return options.load_project(config)
    except TokensyncError:
        return None


def _all_formatted(result: Formatted) -> str:
    if not result.seen:
        return f"no token files of tokensync{_kept(result)}"
    but = f", except for {counted(len(result.problems), 'invalid value')}" if result.problems else ""
    return f"{counted(len(result.seen), 'file')}, all formatted{but}{_kept(result)}"


def _kept(result: Formatted) -> str:
    if not result.foreign:
        return ""
    return f"; {counted(len(result.foreign), 'file')} of other tools' resolver documents left unchanged"


@click.command("merge-file")
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.argument("path", type=click.Path())
@options.console
def merge_file_command(base: str, ours: str, theirs: str, path: str, console: Console) -> None:
    """Merge three versions of a file, as git's merge driver.

    Writes the merge of a token file, a resolver document or the lock to OURS. PATH is the path in the repository.
    Where both sides changed the same thing differently, OURS gets git's conflict marks, and the exit code is 1.
    """
    from tokensync.commands.merge_file import merge_file

    merge_file(base, ours, theirs, path, allow_outside=options.allow_outside())
    console.detail(f"merged: {path}")


@click.command("install-hook")
@options.config
@options.console
def install_hook_command(config: str | None, console: Console) -> int:
    """Install a git hook that checks every commit."""
    from tokensync.commands.install_hook import install_hook

    done = install_hook(config)
    for message in done.messages:
        console.info(message)
    console.result(*done.to_add)
    return DifferencesFound.exit_code if done.to_add else 0
