"""The ``tokensync`` command: import and run a command, and turn its exceptions into messages and exit codes."""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from tokensync.cli import options
from tokensync.cli.console import FEW, Console
from tokensync.system import outlet, plugins
from tokensync.system.disk import HeldOpenError
from tokensync.system.errors import ConflictError, ProblemsError, TokensyncError, UsageError
from tokensync.system.wording import install_command
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.system.problems import Problem

_UNDECODABLE = re.compile("[\udc80-\udcff]")
"""Surrogates for undecodable bytes of the command line, which only paths may contain."""

COMMANDS = {
    "api": ("api", "Call any endpoint of Figma's API."),
    "apply": ("plan", "Apply a plan exactly as reviewed."),
    "audit": ("", "Compare the tokens in code with the design file."),
    "auth": ("auth", "Log in to Figma, log out, or show the current login."),
    "bridge": ("", "Read and write variables through a plugin in Figma's editor."),
    "build": ("build", "Generate code from token files or from a saved response."),
    "check": ("check", "Check token files, lint rules, outputs and code offline."),
    "completion": ("init", "Print the completion script of a shell."),
    "demo": ("", "Go from a design file to code and back."),
    "dev-resources": ("files", "Manage the links that Dev Mode shows on design nodes."),
    "diff": ("pull", "Compare two states of the tokens."),
    "doctor": ("doctor", "Check the setup of this machine and project."),
    "emulator": ("", "Serve, seed and configure a local emulator of Figma's API."),
    "explain": ("explain", "Explain a problem code or a topic."),
    "files": ("files", "List a team's files and libraries."),
    "format": ("check", "Write token files in canonical form."),
    "init": ("init", "Set up a project in FOLDER (default: the working folder)."),
    "install-hook": ("check", "Install a git hook that checks every commit."),
    "lint": ("check", "Check tokens with the lint rules."),
    "logs": ("logs", "List recent API requests, latest first."),
    "mcp": ("", "Answer agents' questions about tokens."),
    "merge-file": ("check", "Merge three versions of a file, as git's merge driver."),
    "migrate": ("", "Turn tokens of other formats into variables."),
    "plan": ("plan", "Plan the changes to the design file."),
    "pull": ("pull", "Merge changes in Figma into the token files."),
    "report": ("usage", "Write an HTML page of all tokens."),
    "rollback": ("plan", "Plan the reversal of an apply."),
    "status": ("pull", "Show what differs between token files and Figma."),
    "tokens": ("tokens", "Look up tokens, and rename tokens and modes."),
    "usage": ("usage", "Show how other files use tokens."),
    "webhooks": ("webhooks", "Manage webhooks, and run a command for their events."),
}
"""The module of each command, and its line in the list of commands, for which none is imported.

The function is called after the command, such as ``install_hook_command``. Without a module, an entry point has it.
"""

_OTHERS = {
    "export": "build",
    "fetch": "pull",
    "generate": "build",
    "help": "--help, or explain",
    "import": "migrate, or pull",
    "login": "auth login",
    "push": "plan, then apply",
    "sync": "pull, or plan and then apply",
    "validate": "check",
}

_HIDDEN = ("action",)
"""Plugged-in commands for other programs, which the list of commands does not show."""

USAGE, INTERRUPTED = 2, 130


class LazyGroup(options.Group):
    """A group that imports a command only when it is called, which keeps startup fast."""

    others = _OTHERS

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted, except those for other programs."""
        plugged = [name for name in plugins.entries("commands") if name not in _HIDDEN]
        return sorted({*COMMANDS, *plugged})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command and return it; None if there is no such command. Raises UsageError if a plug-in fails."""
        module, _ = COMMANDS.get(cmd_name, ("", ""))
        if not module:
            return _plugged(cmd_name) if cmd_name in plugins.entries("commands") else None
        name = f"{cmd_name.replace('-', '_')}_command"
        command: click.Command = getattr(import_module(f"tokensync.cli.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; those of other packages have the name of the package, so that none is imported."""
        rows = [
            (
                name,
                COMMANDS[name][1] if name in COMMANDS else f"From the package {plugins.package_of('commands', name)}.",
            )
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _plugged(name: str) -> click.Command:
    command = plugins.load("commands", name)
    if not isinstance(command, click.Command):
        what = f"its command {name} is {type(command).__name__}, not a click.Command"
        raise UsageError(f"{plugins.package_of('commands', name)}: {what}; report it to its authors")
    return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="tokensync %(version)s")
@options.global_options
def tokensync(**_: Any) -> None:
    """Keep design tokens in sync between Figma variables and code."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    with outlet.guarded():
        try:
            if "_TOKENSYNC_COMPLETE" in os.environ:
                options.quote_completed_names()
            own = arguments[: arguments.index("--")] if "--" in arguments else arguments  # without another program's
            quiet, verbose = (not set(names).isdisjoint(own) for names in (("-q", "--quiet"), ("-v", "--verbose")))
            console = Console(quiet=quiet, verbose=verbose, colour=False if "--no-color" in own else None)
            code = _run(arguments, console, form=_form(own))
            outlet.flush()  # raises if the stream itself failed
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError:  # the reader closed the pipe, or the disk is full
            outlet.discard()
            return 1
        return code


def _form(arguments: Sequence[str]) -> str:
    """Return the format in which programs want the result, and so an error: json, markdown or nothing."""
    chosen = {form for form in ("json", "markdown") if f"--format={form}" in arguments}
    chosen |= {form for name, form in pairwise(arguments) if name == "--format"}
    return "json" if "--json" in arguments or "json" in chosen else "markdown" if "markdown" in chosen else ""


def _run(arguments: Sequence[str], console: Console, *, form: str) -> int:
    """Run the command. A program that asked for a format gets an error in it, too, unless it has got a result."""
    try:
        code = tokensync.main(args=list(arguments), prog_name="tokensync", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error becomes a message
        if type(error).__name__ == "NoArgsIsHelpError":  # click 8.2 and later
            error.show()  # type: ignore[union-attr]
            return USAGE
        code, message, problems = _failure(error, arguments)
        conflicts = error.problems if isinstance(error, ConflictError) else ()
        is_written = isinstance(error, TokensyncError) and error.is_written
    if problems:
        console.problems(problems, most=FEW - 1)
    else:
        console.failure(message)
    if outlet.is_stdout_empty() and not is_written:
        console.failed(form, code, message, problems or conflicts)
    return code


def _failure(error: BaseException, arguments: Sequence[str]) -> tuple[int, str, Sequence[Problem]]:
    """Return the exit code of an exception, its message, and its problems, which the message repeats."""
    match error:
        case ProblemsError():
            return error.exit_code, str(error), error.problems
        case TokensyncError():
            return error.exit_code, str(error), ()
        case click.exceptions.Abort() | KeyboardInterrupt():
            return INTERRUPTED, "interrupted", ()
        case click.ClickException():
            context = getattr(error, "ctx", None)
            path = context.command_path if context else _command_path(arguments)
            message = error.format_message()
            stop = "" if message.endswith((".", "?", ".)", "?)")) else "."  # of Click's messages, some have none
            return USAGE, f"{path}: {message}{stop} Try '{path} --help'.", ()
        case OSError():
            return 1, _system_error(error), ()
    if os.environ.get("TOKENSYNC_DEBUG"):
        raise error
    if isinstance(error, UnicodeEncodeError) and any(map(_UNDECODABLE.search, arguments)):
        return USAGE, "command line: an argument is not valid UTF-8; type it again", ()
    if isinstance(error, UnicodeEncodeError) and (encoding := sys.getfilesystemencoding()) != "utf-8":
        lacking = f"{error.object[error.start : error.end]!r}"
        return 1, f"file names: {lacking} is not in {encoding}, the encoding of this locale; set PYTHONUTF8=1", ()
    if isinstance(error, ModuleNotFoundError) and (package := _package(error)):
        return 1, f"{package}: this package is not installed; run `{install_command(package)}`", ()
    command = next((name for name in arguments if not name.startswith("-")), "")
    if command not in COMMANDS and command in plugins.entries("commands") and command not in _HIDDEN:
        try:
            with plugins.answering("commands", command):
                raise error
        except UsageError as named:
            return USAGE, str(named), ()
    what = f"tokensync: internal error ({type(error).__name__}: {str(error)[:300]})"
    return 1, f"{what}; report it with the traceback that TOKENSYNC_DEBUG=1 prints", ()


def _package(error: ModuleNotFoundError) -> str:
    """Return the package that an import lacks, or nothing for modules of Python and of tokensync."""
    name = (error.name or "").partition(".")[0]
    return "" if name == "tokensync" or name in sys.stdlib_module_names else name


def _command_path(arguments: Sequence[str]) -> str:
    """Return the command that arguments name, for errors of Click that do not tell it."""
    command: click.Command | None = tokensync
    path = ["tokensync"]
    for argument in arguments:
        if isinstance(command, click.Group) and not argument.startswith("-"):
            command = command.get_command(click.Context(command), argument)
            path += [argument] if command else []
    return " ".join(path)


def _file_above(path: str) -> str | None:
    """Return the parent of a path that is a file, if there is one."""
    while (parent := os.path.dirname(path)) not in ("", path):
        if os.path.isfile(parent):
            return parent
        path = parent
    return None


_LONGEST_PATH = 247
"""The most characters of the path of a folder on Windows without LongPathsEnabled. A file may have 12 more."""


def _system_error(error: OSError) -> str:
    where = error.filename if isinstance(error.filename, str) else "system error"
    if isinstance(error, HeldOpenError):
        return f"{where}: another program holds it open, or it is protected; close it in that program, and try again"
    if isinstance(error, IsADirectoryError):
        return f"{where}: this is a folder, and a file has to be here; move or remove it, or choose another path"
    if isinstance(error, NotADirectoryError) and (file := _file_above(where)):
        return f"{file}: this is a file, and a folder has to be here; move or remove it, or choose another path"
    if os.name == "nt" and len(os.path.abspath(where)) > _LONGEST_PATH:
        to_do = "choose a shorter path, or set LongPathsEnabled, without which Windows limits it"
        return f"{where}: {error.strerror}; {to_do}"
    return f"{where}: {error.strerror or error}; check the path, its permissions and the free disk space"
