"""Options that several commands share, and the project and client that they name.

Those that fit everywhere may stand before the command, too.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli.console import Console
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.client import Client
    from tokensync.emulator import Emulator
    from tokensync.project.configuration import Project

Command = Any


def _or_before(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Return the value given with the command, else before it: ``tokensync -q build`` is ``tokensync build -q``."""
    return value or ctx.find_root().params.get(param.name or "") or value


def _everywhere(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    return click.option(*names, callback=_or_before, **attributes)


config = _everywhere(
    "-c", "--config", metavar="FILE", help="The configuration file; by default the nearest tokensync.toml."
)
files = _everywhere("--file", "files", multiple=True, metavar="NAME", help="Only this configured file (repeatable).")
key_of = _everywhere("--file", "files", multiple=True, metavar="NAME", help="Use the key of this configured file.")
quiet = _everywhere("-q", "--quiet", is_flag=True, help="Show errors only.")
verbose = _everywhere("-v", "--verbose", is_flag=True, help="Show every changed file and every problem.")
colour = _everywhere("--no-color", "no_colour", is_flag=True, help="Do not colour the output.")
json = _everywhere("--json", "as_json", is_flag=True, help="Machine-readable output on stdout.")
base_url = click.option(
    "--base-url", metavar="URL", help="figma, figma-gov or an address; by default that of the configuration, or figma."
)
snapshot = click.option("--snapshot", metavar="FILE", help="A saved GET variables/local response.")
published = click.option("--published", metavar="FILE", help="The saved GET variables/published response to it.")
plan_file = click.option(
    "-o", "--out", metavar="FILE", help="Write the plan to FILE rather than to .tokensync/plan.json."
)


def form(shown: str, *forms: str) -> Callable[[Command], Command]:
    """Add --format, which the command gets as ``form``; text by default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(("text", *forms)),
        default="text",
        show_default=True,
        help=f"How to show the {shown}; markdown is for a pull request.",
    )


_ALLOW_OUTSIDE = "tokensync.allow_outside"


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
    """Add -c, which the command gets as ``config``, and --allow-outside, which ``load_project`` asks for."""
    return config(_allow_outside(command))


def load_project(config: str | None) -> Project:
    """Load the project that ``-c`` names, or the nearest one; its folders may be outside where the user allows it."""
    from tokensync.project.configuration import load_project as load

    return load(config, allow_outside=allow_outside())


def allow_outside() -> bool:
    """Return whether the user lets paths of a checkout lead out of its git work tree: by the option or a variable."""
    from tokensync.project.configuration import outside_is_allowed

    return bool(click.get_current_context().meta.get(_ALLOW_OUTSIDE)) or outside_is_allowed()


def check_snapshot(snapshot: str | None, published: str | None, config: str | None, files: tuple[str, ...]) -> None:
    """Raise a UsageError for options that exclude --snapshot, or that need it."""
    if snapshot is not None and (config or files):
        raise UsageError("--snapshot: it needs no configuration; leave out --config and --file")
    if snapshot is None and published:
        raise UsageError("--published: it belongs to a saved response; add --snapshot")


def everywhere(group: Command) -> Command:
    """Add the options that may stand before any command as well as after it."""
    for option in (colour, json, verbose, quiet, files, config):
        group = option(group)
    return group


def console(command: Callable[..., Any]) -> Command:
    """Add -q, -v and --no-color; the command gets them as ``console``, a Console."""

    @quiet
    @verbose
    @colour
    @wraps(command)
    def with_console(*arguments: Any, quiet: bool, verbose: bool, no_colour: bool, **options: Any) -> Any:
        own = Console(quiet=quiet, verbose=verbose, colour=False if no_colour else None)
        return command(*arguments, console=own, **options)

    return with_console


state = click.option(
    "--state", metavar="FILE", help="The emulator's state; by default the project's own, in .tokensync/."
)


def emulator(command: Callable[..., Any]) -> Command:
    """Add --state, -c and those of ``console``; the command gets the ``emulator`` with that state, and ``console``."""

    @state
    @config
    @console
    @wraps(command)
    def with_emulator(*arguments: Any, state: str | None, config: str | None, **given: Any) -> Any:
        from tokensync.commands.emulator import emulator_of

        with emulator_of(state, config) as emulator:
            return command(*arguments, emulator=emulator, **given)

    return with_emulator


def given(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given at all."""
    return {name: value for name, value in settings.items() if value is not None and value != ()}


def file_key(emulator: Emulator, file: str) -> str:
    """Return the key of a file that a command of ``emulator`` was given as a key, a URL or a configured name."""
    from tokensync.commands.emulator import configured_keys, file_key

    given = click.get_current_context().params
    return file_key(emulator, file, configured_keys(given["state"], given["config"]))


def winner(command: Callable[..., Any]) -> Command:
    """Add --ours and --theirs; the command gets the one that was given as ``always``, None without."""

    @click.option("--ours", is_flag=True, help="Let the token files win where both sides changed.")
    @click.option("--theirs", is_flag=True, help="Let the platform win where both sides changed.")
    @wraps(command)
    def with_winner(*arguments: Any, ours: bool, theirs: bool, **options: Any) -> Any:
        if ours and theirs:
            raise click.UsageError("--ours and --theirs exclude each other; give one of them.")
        always = "ours" if ours else "theirs" if theirs else None
        return command(*arguments, always=always, **options)

    return with_winner


@contextmanager
def connected_project(config: str | None, console: Console) -> Iterator[tuple[Project, Client, Callable[[str], None]]]:
    """Load the project; yield it, a client for its platform, and the function that shows progress."""
    from tokensync.project.connection import connect

    project = load_project(config)
    with console.progress() as progress, connect(project, on_wait=console.say) as client:
        yield project, client, progress


@contextmanager
def connected(
    config: str | None, base_url: str | None, console: Console, *, plan_scope: str | None = None
) -> Iterator[tuple[Project, Client]]:
    """Yield a project and a client for its platform, for commands that also work where no project is.

    ``plan_scope`` is that of ``connect``.
    """
    from tokensync.project.connection import connect, project_for

    project = project_for(config, base_url)
    with connect(project, on_wait=console.say, plan_scope=plan_scope) as client:
        yield project, client
