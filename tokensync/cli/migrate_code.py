"""The command ``migrate code``: rewrite code to new identifiers of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options

if TYPE_CHECKING:
    from tokensync.cli.console import Console
    from tokensync.commands.migrate_code import CodeMigration
    from tokensync.project.configuration import Project

_SHOWN = 40
"""The most findings of each marker that are written without -v."""
_DIFFERENCES = 3


class _Context(click.Context):
    """The context of the command, whose path does not contain the argument of the group."""

    @property
    def command_path(self) -> str:
        """Return the words that call the command."""
        return f"{self.find_root().info_name} migrate {self.info_name}"


class _Command(click.Command):
    context_class = _Context


@click.command("code", cls=_Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--renames", "renames", required=True, type=click.Path(), metavar="FILE", help="The renames, as TOML or JSON."
)
@click.option("--write", is_flag=True, help="Write the changes instead of showing them.")
@click.option("--strings", is_flag=True, help="Also change names in strings.")
@click.option("--comments", is_flag=True, help="Also change names in comments.")
@click.option(
    "--keep-old",
    "keep_old",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Keep the declarations of old names, and write new names that read them to this .css, .scss, .xml or .swift"
    " file (repeatable).",
)
@click.option(
    "--force",
    is_flag=True,
    help="Write files that git has not committed, and replace files that tokensync did not write.",
)
@options.json
@options.project
@options.console
def code_command(
    paths: tuple[str, ...],
    renames: str,
    write: bool,
    strings: bool,
    comments: bool,
    keep_old: tuple[str, ...],
    force: bool,
    as_json: bool,
    config: str | None,
    console: Console,
) -> int:
    """Rewrite code to new names of tokens.

    Changes identifiers in CSS, SCSS, TypeScript, JavaScript, Kotlin, Java, Swift and Android XML, and lists what is
    not certain, such as names in strings. Without --write, shows the changes, and exits with 3 if there are any.
    """
    from tokensync.commands.migrate_code import CodeChoices, migrate_code

    choices = CodeChoices(write, strings, comments, keep_old, force)
    with console.progress() as progress:
        result = migrate_code(paths, renames, choices, _project(config), progress)
    if as_json:
        console.json(_as_json(result, is_written=write))
    else:
        if not write:
            lines = (line.rstrip("\r") for each in (*result.changed, *result.new_files) for line in each.patch)
            console.result(*lines)
        _show_findings(result, console)
    console.info(_summary(result, is_written=write))
    return _DIFFERENCES if result.has_changes and not write else 0


def _project(config: str | None) -> Project | None:
    """Return the project, whose outputs and token files are no code; None if there is none."""
    from tokensync.project.configuration import NoConfiguration

    try:
        return options.load_project(config)
    except NoConfiguration:
        if config is not None:
            raise
        return None


def _show_findings(result: CodeMigration, console: Console) -> None:
    shown: dict[str, int] = {}
    for path, each in result.findings:
        shown[each.marker] = shown.get(each.marker, 0) + 1
        if shown[each.marker] <= _SHOWN or console.verbose:
            new = f" -> {each.new}" if each.new and each.new != each.old else ""
            console.info(f"{path}:{each.line}:{each.column}: [{each.marker}] {each.old}{new}: {each.what}")
    for marker, number in shown.items():
        if number > _SHOWN and not console.verbose:
            console.info(f"{number - _SHOWN:,} more of [{marker}] (-v shows all of them)")
    if result.without_alias:
        from tokensync.system.wording import listed

        console.info(f"no alias: {listed(result.without_alias, 10)} (no file for it, other units, or another language)")
    for each_unread in result.unread:
        console.info(f"not read: {each_unread}")


def _summary(result: CodeMigration, *, is_written: bool) -> str:
    from tokensync.system.wording import counted

    edits = sum(each.edits for each in result.changed)
    verb = "changed" if is_written else "to change"
    markers = [each.marker for _, each in result.findings]
    counts = "".join(f", {markers.count(each):,} {each}" for each in dict.fromkeys(markers))
    files = f"{counted(edits, 'name')} {verb} in {len(result.changed):,} of {counted(result.files, 'file')}"
    aliases = f", {counted(sum(each.edits for each in result.new_files), 'alias')}"
    return files + (aliases if result.new_files else "") + (f"; listed{counts[1:]}" if counts else "")


def _as_json(result: CodeMigration, *, is_written: bool) -> dict[str, Any]:
    return {
        "written": is_written,
        "files": result.files,
        "changed": [{"path": each.path, "edits": each.edits} for each in result.changed],
        "aliases": [{"path": each.path, "edits": each.edits} for each in result.new_files],
        "without_alias": result.without_alias,
        "findings": [{"path": path, **each._asdict()} for path, each in result.findings],
        "unread": result.unread,
    }
