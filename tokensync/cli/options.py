"""Options that several commands share, and the project and client that they select.

Global options may precede the command, too.
"""

from __future__ import annotations

import os
import re
import signal
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from tokensync.cli.console import Console
from tokensync.system import outlet, plugins
from tokensync.system.errors import ConflictError, ProblemsError, TokensyncError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from click.shell_completion import CompletionItem, ShellComplete

    from tokensync.code.search import SearchedCode
    from tokensync.extract.client import Client
    from tokensync.project.configuration import Levels, Project
    from tokensync.system.outlet.documents import Script
    from tokensync.system.problems import Problem

Command = Any


class Group(click.Group):
    """A group that names similar commands when there is no such command, also with commands that load on use."""

    others: Mapping[str, str] = {}
    """What other tools call a command, and what it is called here."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name, the command and its arguments."""
        if ctx.resilient_parsing or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        similar = self.others.get(args[0]) or " or ".join(get_close_matches(args[0], self.list_commands(ctx)))
        more = f" Did you mean {similar}?" if similar else ""
        raise click.UsageError(f"No such command {args[0]!r}.{more}", ctx)


class PluggedChoice(click.Choice[str]):
    """A choice among names, and those of the plug-ins of a group, which are looked up only for another value."""

    def __init__(self, names: Iterable[str], group: plugins.Group) -> None:
        super().__init__(tuple(names))
        self._group = group

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or end with the list of all."""
        if value not in self.choices:
            self._add_plugged()
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        self._add_plugged()
        return super().shell_complete(ctx, param, incomplete)

    def _add_plugged(self) -> None:
        self.choices = tuple(dict.fromkeys((*self.choices, *plugins.entries(self._group))))


def _own_or_global(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Return the command's value, else the one before the command: ``tokensync -q build`` is ``tokensync build -q``."""
    return value or ctx.find_root().params.get(param.name or "") or value


def _global_option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    return click.option(*names, callback=_own_or_global, **attributes)


_COMPLETED = re.compile(r"(?!-)[\w./+: ()-]+")
"""The names that shells complete. Names come from design files: none is an option, or runs anything if quoted badly."""
_QUOTED = re.compile(r"[^\w./+-]")


def quote_completed_names() -> None:
    """Make bash and PowerShell quote the names that they complete; zsh and fish do so by themselves.

    PowerShell would run the name in parentheses of ``Blue (calc)`` as a command.
    """
    from click import shell_completion
    from click.shell_completion import CompletionItem, add_completion_class

    class InBash(shell_completion.BashComplete):
        def format_completion(self, item: CompletionItem) -> str:
            if item.type != "plain" or _is_in_quotes(os.environ.get("COMP_WORDS", "")):
                return super().format_completion(item)
            return f"{item.type},{_QUOTED.sub(_ESCAPED, item.value)}"

    class InPowerShell(shell_completion.PowerShellComplete):
        def format_completion(self, item: CompletionItem) -> str:
            if item.type == "plain" and _QUOTED.search(item.value):
                item = CompletionItem(f"'{item.value}'", help=item.help)
            return super().format_completion(item)

    add_completion_class(InBash)
    add_completion_class(InPowerShell)


def completion_script(shell: str) -> Script:
    """Return the script that makes a shell complete the command line."""
    from click.shell_completion import get_completion_class

    from tokensync.system.outlet.documents import script

    made = cast("type[ShellComplete]", get_completion_class(shell))  # the argument allows no shell that click lacks
    command = click.get_current_context().find_root().command
    return script(made(command, {}, "tokensync", "_TOKENSYNC_COMPLETE").source())


_ESCAPED = r"\\\\\g<0>"
"""Two backslashes, of which bash's ``read`` removes one, before the character."""


def _is_in_quotes(words: str) -> bool:
    """Return whether the word that is completed begins with a quotation mark, which closes the completed name."""
    bare = re.sub(r"""\\.|"(?:[^"\\]|\\.)*"|'[^']*'""", "", words)
    return '"' in bare or "'" in bare


def completing(
    names: Callable[[Project], Iterable[str]],
    longer: Callable[[Project], Iterable[str]] = lambda _: (),
    *,
    dotted: bool = False,
) -> Callable[..., list[str]]:
    """Return the completion of a parameter by names of the project; none if it cannot be read.

    ``longer`` are names that are offered once something is typed. With ``dotted``, names can also be written with dots
    instead of slashes, and are completed so once a dot is typed.
    """

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        try:
            with ctx.scope(cleanup=False):
                project = load_project(ctx.params.get("config") or ctx.find_root().params.get("config"))
                known = [*names(project), *(longer(project) if incomplete else ())]
        except (TokensyncError, OSError):
            return []
        if dotted and "." in incomplete:
            known += [each.replace("/", ".") for each in known if "." not in each]
        return completed(known, incomplete)

    return complete


def completed(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that begin with a text, without those that a shell must not complete."""
    return sorted({name for name in names if name.startswith(incomplete) and _COMPLETED.fullmatch(name)})


def _file_names(project: Project) -> Iterable[str]:
    return (file.name for file in project.config.files)


def _tokens(project: Project) -> Iterator[tuple[str, str]]:
    """Yield the handle of the collection and the name of each token."""
    from tokensync.normalize.mapping import name_of_path
    from tokensync.project.sources import from_project

    return ((key.collection, name_of_path(key.path)) for key in from_project(project).graph.tokens)


complete_tokens = completing(
    lambda project: (name for _, name in _tokens(project)), lambda project: map("/".join, _tokens(project)), dotted=True
)
"""The completion of a token by its path, or by COLLECTION/PATH once something is typed; dots also separate names."""

file_argument = click.argument("file", shell_complete=completing(_file_names))
"""A design file of the platform: a configured name, a key or a URL."""

config = _global_option(
    "-c",
    "--config",
    type=click.Path(),
    metavar="FILE",
    help="The configuration file (default: the nearest tokensync.toml).",
)
_files = partial(
    _global_option, "--file", "files", multiple=True, metavar="NAME", shell_complete=completing(_file_names)
)
files = _files(help="Use only this configured file (repeatable).")
key_of = _files(help="Use the key of this configured file.")
quiet = _global_option("-q", "--quiet", is_flag=True, help="Show errors only.")
verbose = _global_option("-v", "--verbose", is_flag=True, help="Show every changed file and problem.")
colour = _global_option("--no-color", "no_colour", is_flag=True, help="Do not colour the output.")
json_alone = _global_option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")
"""--json, for commands whose -o names something else."""
base_url = click.option(
    "--base-url", metavar="URL", help="figma, figma-gov or a URL (default: from the configuration, else figma)."
)
snapshot = click.option(
    "--snapshot", type=click.Path(), metavar="FILE", help="Read a saved GET variables/local response."
)
published = click.option(
    "--published", type=click.Path(), metavar="FILE", help="Read the matching GET variables/published response."
)


def platform(command: Command) -> Command:
    """Add --base-url and -c, for commands that also work without a configuration."""
    return base_url(config(command))


plan_file = click.option(
    "-o", "--out", type=click.Path(), metavar="FILE", help="Write the plan to FILE instead of .tokensync/plan.json."
)


def form(subject: str, *forms: str) -> Callable[[Command], Command]:
    """Add --format, which the command receives as ``form``; the default is text."""
    uses = {"markdown": "markdown for pull requests", "message": "message for commits"}
    uses |= {"sarif": "sarif for code scanning", "github": "github for annotations in GitHub Actions"}
    advice = " and ".join(use for name, use in uses.items() if name in forms)
    return click.option(
        "--format",
        "form",
        type=click.Choice(("text", *forms)),
        default="text",
        show_default=True,
        help=f"The format of the {subject}; use {advice}.",
    )


def result_to_file(*names: str, result: str = "result") -> Callable[[Command], Command]:
    """Add an option for a file that gets what the command writes to stdout.

    Shells change the encoding and the line ends of what they redirect: Windows PowerShell 5.1 writes UTF-16.
    """

    def add(command: Callable[..., Any]) -> Command:
        @click.option(
            *names,
            "result_file",
            type=click.Path(),
            metavar="FILE",
            help=f"Write the {result} to FILE instead of stdout.",
        )
        @wraps(command)
        def with_file(*arguments: Any, result_file: str | None, **options: Any) -> Any:
            if result_file is None:
                return command(*arguments, **options)
            with _written(result_file):
                return command(*arguments, **options)

        return with_file

    return add


@contextmanager
def _written(path: str) -> Iterator[None]:
    """Write what the block writes to stdout to a file, as UTF-8 with LF, unless it fails before it has a result.

    Problems that end it are a result: check and lint describe them in SARIF, too.
    """
    from tokensync.system.boundary import resolved_file
    from tokensync.system.disk import write_result

    target = resolved_file(path, allow_outside=allow_outside())
    if os.path.isdir(target):
        raise UsageError(f"{path}: this is a folder; name a file in it")
    with outlet.collected() as text:
        try:
            yield
        except (ProblemsError, ConflictError) as error:
            given = click.get_current_context().params
            if not text.getvalue():
                form = "json" if given.get("as_json") else str(given.get("form"))
                Console().failed(form, error.exit_code, str(error), error.problems)
            if text.getvalue():
                write_result(target, text.getvalue().encode("utf-8", "backslashreplace"))
                error.is_written = True
            raise
    write_result(target, text.getvalue().encode("utf-8", "backslashreplace"))


def json(command: Command) -> Command:
    """Add --json, which the command receives as ``as_json``, and -o for a file that gets the result."""
    return json_alone(result_to_file("-o", "--out")(command))


_ALLOW_OUTSIDE = "tokensync.allow_outside"
_STRICT = "tokensync.strict"


def _allow(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_ALLOW_OUTSIDE] = True


_allow_outside = click.option(
    "--allow-outside",
    is_flag=True,
    expose_value=False,
    callback=_allow,
    help="Allow the configuration to name folders outside the git work tree.",
)


def project(command: Command) -> Command:
    """Add -c, which the command receives as ``config``, and --allow-outside, which ``load_project`` reads."""
    return config(_allow_outside(command))


def load_project(config: str | None) -> Project:
    """Load the project at ``config``, or the nearest one, under the rules of ``allow_outside``."""
    from msgspec.structs import replace

    from tokensync.project.configuration import load_project as load

    found = load(config, allow_outside=allow_outside())
    return replace(found, is_strict=True) if is_strict() else found


def strict(command: Command) -> Command:
    """Add --strict, which ``load_project`` and ``snapshot_levels`` read."""
    text = "Treat warnings as errors, except accepted ones and those about the design file."
    return click.option("--strict", is_flag=True, expose_value=False, callback=_set_strict, help=text)(command)


def _set_strict(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.meta[_STRICT] = value


def is_strict() -> bool:
    """Return whether the command has ``--strict``."""
    return bool(click.get_current_context().meta.get(_STRICT))


def accept(command: Command) -> Command:
    """Add the option that accepts findings."""
    text = "Accept the findings of today for this reason, of errors only those about code: later runs only count them."
    return click.option("--accept", metavar="REASON", help=text)(command)


def accepted(project: Project, problems: Iterable[Problem], reason: str) -> str:
    """Accept findings of a project, and return what has happened. Raises UsageError for an empty reason."""
    from datetime import UTC, datetime

    from tokensync.project.accepted import ACCEPTED, accept
    from tokensync.system.wording import counted

    if not reason.strip():
        raise UsageError("--accept: the reason is empty; say why these findings may stay")

    added = accept(project.folder, problems, reason, datetime.now(UTC).date())
    return f"accepted {counted(added, 'more finding') if added else 'nothing more'} in {ACCEPTED}"


def snapshot_levels(config: str | None) -> Levels:
    """Return the levels of problems for a saved response: those of the configuration, if there is one."""
    from tokensync.project.configuration import AS_DECLARED, NoConfiguration
    from tokensync.project.configuration import load_project as load

    try:
        levels = load(config, allow_outside=allow_outside(), checks_paths=False).levels
    except NoConfiguration:
        levels = AS_DECLARED
    return levels._replace(is_strict=is_strict())


def allow_outside() -> bool:
    """Return whether paths may lead out of the git work tree: by the option or its environment variable."""
    from tokensync.project.configuration import outside_is_allowed

    return bool(click.get_current_context().meta.get(_ALLOW_OUTSIDE)) or outside_is_allowed()


def check_snapshot(snapshot: str | None, published: str | None, files: tuple[str, ...]) -> None:
    """Raise UsageError for options that conflict with --snapshot or need it."""
    if snapshot is not None and files:
        raise UsageError("--snapshot: it reads no configured design file; remove --file")
    if snapshot is None and published:
        raise UsageError("--published: it needs the local response; add --snapshot FILE")


class TokenSource(NamedTuple):
    """The tokens to read: those of a saved response, or those of a project's files (all if none is named)."""

    snapshot: str | None
    published: str | None
    config: str | None
    files: tuple[str, ...]


def token_source(command: Callable[..., Any]) -> Command:
    """Add --snapshot, --published, --file and the options of ``project``; the command receives a ``source``."""

    @snapshot
    @published
    @project
    @files
    @wraps(command)
    def with_source(
        *arguments: Any,
        snapshot: str | None,
        published: str | None,
        config: str | None,
        files: tuple[str, ...],
        **options: Any,
    ) -> Any:
        check_snapshot(snapshot, published, files)
        return command(*arguments, source=TokenSource(snapshot, published, config, files), **options)

    return with_source


def global_options(group: Command) -> Command:
    """Add the options that may precede any command."""
    for option in (colour, json_alone, verbose, quiet, files, config):
        group = option(group)
    return group


def console(command: Callable[..., Any]) -> Command:
    """Add -q, -v and --no-color; the command receives them as ``console``, a Console."""

    @quiet
    @verbose
    @colour
    @wraps(command)
    def with_console(*arguments: Any, quiet: bool, verbose: bool, no_colour: bool, **options: Any) -> Any:
        configured = Console(quiet=quiet, verbose=verbose, colour=False if no_colour else None)
        return command(*arguments, console=configured, **options)

    return with_console


def result(command: Command) -> Command:
    """Add the options of ``json`` and of ``console``."""
    return json(console(command))


def code(
    command: Command, text: str = "Also search the code in these files and folders for the names of tokens."
) -> Command:
    """Add --code with one or more paths, which the command receives as ``code``."""

    @click.option("--code", multiple=True, type=click.Path(), metavar="PATH...", help=text)
    @click.argument("more_code", nargs=-1, type=click.Path(), metavar="")
    @wraps(command)
    def with_code(*arguments: Any, code: tuple[str, ...], more_code: tuple[str, ...], **options: Any) -> Any:
        if more_code and not code:
            raise click.UsageError(f"Got unexpected extra argument ({more_code[0]}); use --code to name code.")
        return command(*arguments, code=(*code, *more_code), **options)

    return with_code


code_to_check = partial(
    code, text="Also check the code in these files and folders (default: [code] paths of the configuration)."
)
layers = click.option(
    "--layers", is_flag=True, help="Also read the layers of the project's files, for the variables that they use."
)


def show_search(searched: SearchedCode, console: Console) -> None:
    """Report how much code was searched, and what was not."""
    from tokensync.system.wording import counted

    console.info(f"searched {counted(searched.files, 'file')} of code")
    for each in searched.unread:
        console.info(f"not searched: {each}")


def end_as_by_ctrl_c() -> None:
    """Let the other signals that ask a process to end raise KeyboardInterrupt, too; Ctrl-Break is Windows's."""
    for name in ("SIGTERM", "SIGBREAK"):
        if number := getattr(signal, name, None):
            signal.signal(number, signal.default_int_handler)


def winner(command: Callable[..., Any]) -> Command:
    """Add --ours and --theirs; the command receives ``always``: "ours", "theirs" or None."""

    @click.option("--ours", is_flag=True, help="Resolve conflicts in favour of the token files.")
    @click.option("--theirs", is_flag=True, help="Resolve conflicts in favour of Figma.")
    @wraps(command)
    def with_winner(*arguments: Any, ours: bool, theirs: bool, **options: Any) -> Any:
        if ours and theirs:
            raise click.UsageError("--ours and --theirs are mutually exclusive; remove one of them.")
        always = "ours" if ours else "theirs" if theirs else None
        return command(*arguments, always=always, **options)

    return with_winner


@contextmanager
def connected_project(
    config: str | None, console: Console, base_url: str | None = None, *, merged: Sequence[str] | None = None
) -> Iterator[tuple[Project, Client, Callable[[str], None]]]:
    """Yield the project, a client for its platform or for a ``base_url``, and a function that displays progress.

    ``merged`` are the design files whose token files are merged with the platform (empty means all). Raises
    ProblemsError, without a connection, if they belong to another tool.
    """
    from tokensync.project.connection import connect, with_base_url

    project = load_project(config)
    if base_url is not None:
        project = with_base_url(project, base_url)
    if merged is not None:
        from tokensync.dtcg import refuse_foreign
        from tokensync.project.sources import chosen_files

        refuse_foreign(project.tokens_folder, *(file.name for file in chosen_files(project, merged)))
    with console.progress() as progress, connect(project, on_wait=console.info) as client:
        yield project, client, progress


@contextmanager
def connected(
    config: str | None, base_url: str | None, console: Console, *, plan_scope: str | None = None
) -> Iterator[tuple[Project, Client]]:
    """Yield a project and a client for its platform, for commands that also work without a configuration.

    ``plan_scope`` is passed to ``connect``.
    """
    from tokensync.project.connection import connect, project_for

    project = project_for(config, base_url)
    with connect(project, on_wait=console.info, plan_scope=plan_scope) as client:
        yield project, client
