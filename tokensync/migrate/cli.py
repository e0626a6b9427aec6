"""``tokensync migrate``: tokens of other formats to variables; ``migrate code``: rewrite code to new identifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.console import Console, problem_documents
from tokensync.system.errors import UsageError
from tokensync.system.wording import argument, counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.code.renaming.rewriting import CodeMigration
    from tokensync.migrate.conversion.ledger import Count
    from tokensync.migrate.migrating import Migrated
    from tokensync.project.configuration import Project

_FORMATS = ("tokens-studio", "figma", "theo", "dtcg", "style-dictionary", "css", "android", "ios", "json")


class _MigrateGroup(options.Group):
    """A group that is a command itself: the first argument is the name of a subcommand, or else the source."""

    allow_interspersed_args = True  # options may follow the source, as in other commands

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the command, or leave those of a subcommand to it."""
        if args and args[0] in self.list_commands(ctx):
            ctx.invoked_subcommand = args[0]
            ctx.args = [*args]
            return ctx.args
        rest = click.Command.parse_args(self, ctx, args)
        if rest:
            raise UsageError(f"{rest[0]}: migrate reads one SOURCE; give the folder that has all files")
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command or the subcommand."""
        if ctx.invoked_subcommand is None:
            return click.Command.invoke(self, ctx)
        name, *rest = ctx.args
        command = self.commands[name]
        with command.make_context(name, rest, parent=ctx) as context:
            return command.invoke(context)


@click.group(
    "migrate",
    cls=_MigrateGroup,
    invoke_without_command=True,
    no_args_is_help=True,
    subcommand_metavar="",
    short_help="Turn tokens of other formats into variables.",
)
@click.argument("source", required=False, type=click.Path(), metavar="SOURCE")
@click.option("--to", metavar="FILE", help="The design file: a configured name, a key or a URL.")
@click.option(
    "--format",
    "form",
    type=options.PluggedChoice(_FORMATS, "readers"),
    help="The format of SOURCE (default: by its content).",
)
@click.option("--propose", is_flag=True, help="Print the proposed mapping, a TOML file to edit, and do nothing else.")
@click.option("--mapping", type=click.Path(), metavar="FILE", help="Use this mapping instead of the proposed one.")
@click.option(
    "--rehearse/--no-rehearse",
    "rehearses",
    default=True,
    help="Apply the plan to a copy on the embedded emulator first (default: yes).",
)
@click.option(
    "--overwrite",
    "overwrites",
    is_flag=True,
    help="Replace what was edited in migrated tokens since the last migration (default: keep and report it).",
)
@click.option("--offline", is_flag=True, help="Do not read the design file: write token files, and make no plan.")
@click.option(
    "--fill-missing-code-syntax",
    "fills",
    is_flag=True,
    help="Plan code syntax where variables have none, for the platforms of the outputs; also without SOURCE.",
)
@click.option(
    "--copy-between",
    "between",
    nargs=2,
    metavar="FILE FILE",
    help="Copy the variables of one design file to another: the same as figma:FILE --to FILE.",
)
@options.project
@options.json
@options.console
def migrate_command(
    source: str | None,
    to: str | None,
    form: str | None,
    propose: bool,
    mapping: str | None,
    rehearses: bool,
    overwrites: bool,
    offline: bool,
    fills: bool,
    between: tuple[str, str] | None,
    config: str | None,
    as_json: bool,
    console: Console,
) -> int:
    """Migrate the tokens of SOURCE, a file, folder or zip, to the variables of a design file.

    SOURCE can also be figma:KEY, the variables of another design file, or figma:KEY#styles, its colour styles. Writes
    token files and a plan for tokensync apply, and reports what became of every token and alias. Everything is
    rehearsed on the embedded emulator before anything is written.
    """
    if propose and mapping:
        raise UsageError("--propose: it prints a new mapping; remove --mapping")
    if between:
        if source or to:
            raise UsageError(f"--copy-between: it names both files; remove {source or '--to'}")
        source, to = f"figma:{between[0]}", between[1]
    if source is None:
        if not fills:
            raise click.UsageError("Missing argument 'SOURCE'.")
        return _fill(to, config, console, as_json=as_json)
    is_file = source.startswith("figma:")
    if is_file and offline:
        raise UsageError(f"--offline: {source} is read from Figma; remove --offline, or give an export of it")
    if propose:
        return _propose(source, form, config, console, as_json=as_json)
    from tokensync.migrate.migrating import migrate_tokens

    with console.progress() as progress:
        done = migrate_tokens(
            source,
            to,
            config=config,
            format=form,
            mapping=mapping,
            rehearses=rehearses,
            overwrites=overwrites,
            is_offline=offline,
            fills_code_syntax=fills,
            allow_outside=options.allow_outside(),
            say=console.info,
            progress=progress,
        )
    _show(done, console, as_json=as_json)
    return 0


def _propose(source: str, form: str | None, config: str | None, console: Console, *, as_json: bool) -> int:
    """Print the proposed mapping of a source; as JSON, the text of the mapping file and the format of the source."""
    from tokensync.migrate import migrating
    from tokensync.project.connection import connect, project_for

    if source.startswith(migrating.FIGMA):
        project = project_for(config, None)
        with connect(project, on_wait=console.info) as client:
            recognized = migrating.read_design_file(project, client, source)
    else:
        recognized = migrating.read(source, form, migrating.present_project(config))
    mapping = migrating.proposal(recognized.source)
    if as_json:
        console.json({"format": recognized.format.name, "mapping": mapping})
    else:
        console.result(*mapping.splitlines())
    return 0


def _fill(to: str | None, config: str | None, console: Console, *, as_json: bool) -> int:
    """Plan the code syntax that variables lack, and show the plan."""
    import msgspec

    from tokensync.cli.plan import how_to_apply, show_plans
    from tokensync.commands.plan import make_plan
    from tokensync.migrate.migrating import platforms_of

    names = (to,) if to else ()
    with options.connected_project(config, console, merged=names) as (project, client, progress):
        planned = make_plan(
            project, client, names, code_syntax=platforms_of(project), fills_only=True, progress=progress
        )
    console.problems(planned.problems)
    if as_json:
        console.json(msgspec.Raw(planned.file.encoded()))
    else:
        show_plans(planned.file.plans, console)
    if planned.changes:
        console.info(how_to_apply(planned.file.plans, None))
    return 0


def _show(done: Migrated, console: Console, *, as_json: bool) -> None:
    """Print what a migration did, as text or JSON."""
    if as_json:
        console.json(_document(done))
        return
    console.problems(done.problems)
    console.result(*_summary(done))
    for each in _next(done):
        console.info(each)


def _summary(done: Migrated) -> Iterator[str]:
    """Yield the lines of the ledger's totals."""
    counts = done.converted.ledger.counts
    others = (
        f" (also possible: {', '.join(done.recognized.others)}; choose with --format)" if done.recognized.others else ""
    )
    kept = (
        f"{counts.names_kept:,} of {counted(counts.names, 'name')} ({100 * counts.names_kept // (counts.names or 1)} %)"
    )
    yield f"{done.recognized.format.label}{others}; values kept in code: {kept}"
    replaced = sum(1 for _ in done.converted.ledger.of("replaced"))
    of_them = f" ({replaced:,} of them replaced by other sets)" if replaced else ""
    yield (
        f"{counted(counts.tokens_read, 'token')} read: {counts.tokens_migrated:,} migrated, "
        f"{counts.tokens_reported:,} reported{of_them}"
    )
    yield _aliases(counts)
    for each in done.mapping.collections:
        if number := done.converted.sizes.get(each.name):
            modes = f" in the modes {', '.join(mode.name for mode in each.modes)}" if len(each.modes) > 1 else ""
            yield f"{each.name}: {counted(number, 'token')}{modes}"


def _aliases(counts: Count) -> str:
    parts = {
        "written": counts.aliases_written,
        "composed": counts.aliases_composed,
        "flattened": counts.aliases_flattened,
        "of reported tokens": counts.aliases_reported,
    }
    named = ", ".join(f"{number:,} {name}" for name, number in parts.items() if number or name == "written")
    return f"{counted(counts.aliases_read, 'alias')} read: {named}"


def _next(done: Migrated) -> Iterator[str]:
    """Yield what to do next."""
    from tokensync.code.renaming.renames import RENAMES
    from tokensync.plan.review import summary_of

    if done.written:
        yield f"wrote {', '.join(done.written)}"
    for each in done.written:
        if each.endswith(RENAMES):
            yield f"to rename identifiers in code, run: tokensync migrate code PATHS --renames {argument(each)}"
    if done.plan is None:
        yield f"to plan the variables, run: tokensync plan --file {argument(done.name)}"
    elif done.plan.operations:
        rehearsed = ", rehearsed on the embedded emulator" if done.is_rehearsed else ", not rehearsed"
        yield f"planned {summary_of(done.plan)}{rehearsed}"
        yield "to write the variables, run: tokensync apply"
    elif not done.plan.held_back:
        yield "the design file has these variables already; nothing to apply"
    if done.plan is not None and done.plan.held_back:
        changes = counted(len(done.plan.held_back), "change")
        yield f"held back: {changes} that would delete variables; run: tokensync plan --file {argument(done.name)}"


def _document(done: Migrated) -> dict[str, Any]:
    import msgspec

    counts = msgspec.to_builtins(done.converted.ledger.counts)
    return {
        "format": done.recognized.format.name,
        "counts": counts,
        "collections": [
            {"name": each.name, "modes": [mode.name for mode in each.modes], "tokens": done.converted.sizes[each.name]}
            for each in done.mapping.collections
        ],
        "ledger": [
            {
                "outcome": line.kind,
                "file": line.at.file,
                "line": line.at.line or None,
                "token": line.name,
                "reason": line.reason,
            }
            for line in done.converted.ledger.lines
        ],
        "plan": None if done.plan is None else msgspec.to_builtins(done.plan.counts),
        "written": list(done.written),
        "problems": problem_documents(done.problems),
    }


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


@migrate_command.command("code", cls=_Command)
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
    from tokensync.code.renaming.rewriting import CodeChoices, migrate_code

    choices = CodeChoices(write, strings, comments, keep_old, force)
    with console.progress() as progress:
        result = migrate_code(paths, renames, choices, _project(config), progress)
    if as_json:
        console.json(_document_of_code(result, is_written=write))
    else:
        if not write:
            lines = (line.rstrip("\r") for file in (*result.changed, *result.new_files) for line in file.patch)
            console.result(*lines)
        _show_findings(result, console)
    console.info(_summary_of_code(result, is_written=write))
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


def _summary_of_code(result: CodeMigration, *, is_written: bool) -> str:
    from tokensync.system.wording import counted

    edits = sum(file.edits for file in result.changed)
    verb = "changed" if is_written else "to change"
    markers = [each.marker for _, each in result.findings]
    counts = "".join(f", {markers.count(marker):,} {marker}" for marker in dict.fromkeys(markers))
    files = f"{counted(edits, 'name')} {verb} in {len(result.changed):,} of {counted(result.files, 'file')}"
    aliases = f", {counted(sum(file.edits for file in result.new_files), 'alias')}"
    return files + (aliases if result.new_files else "") + (f"; listed{counts[1:]}" if counts else "")


def _document_of_code(result: CodeMigration, *, is_written: bool) -> dict[str, Any]:
    return {
        "written": is_written,
        "files": result.files,
        "changed": [{"path": file.path, "edits": file.edits} for file in result.changed],
        "aliases": [{"path": file.path, "edits": file.edits} for file in result.new_files],
        "without_alias": result.without_alias,
        "findings": [{"path": path, **each._asdict()} for path, each in result.findings],
        "unread": result.unread,
    }
