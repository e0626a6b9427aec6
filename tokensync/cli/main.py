"""The ``tokensync`` command: import and run a command, and turn its exceptions into messages and exit codes."""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from tokensync import outlet
from tokensync.cli import options
from tokensync.cli.console import Console
from tokensync.errors import ProblemsError, TokensyncError
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNDECODABLE = re.compile("[\udc80-\udcff]")
"""Surrogates for undecodable bytes of the command line, which only paths may contain."""

COMMANDS = (
    *("api", "apply", "audit", "auth", "build", "demo", "dev-resources", "diff", "emulator", "files", "format"),
    *("plan", "pull", "report", "rollback", "status", "tokens", "usage", "webhooks"),
)
"""Each is the attribute ``command`` of the module with its name."""

USAGE, INTERRUPTED = 2, 130


class LazyGroup(options.Group):
    """A group that imports a command only when it is called, which keeps startup fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command and return it; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tokensync.cli.{cmd_name.replace('-', '_')}").command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="tokensync %(version)s")
@options.global_options
def tokensync(**_: Any) -> None:
    """Keep design tokens the same in Figma variables and in code."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    with outlet.guarded():
        try:
            quiet = not {"-q", "--quiet"}.isdisjoint(arguments)
            code = _run(arguments, Console(quiet=quiet, colour=False if "--no-color" in arguments else None))
            outlet.flush()  # raises if the stream itself failed
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError:  # the reader closed the pipe, or the disk is full
            outlet.discard()
            return 1
        return code


def _run(arguments: Sequence[str], console: Console) -> int:
    try:
        code = tokensync.main(args=list(arguments), prog_name="tokensync", standalone_mode=False)
    except ProblemsError as stop:
        console.problems(stop.problems)
        return stop.exit_code
    except TokensyncError as stop:
        console.failure(str(stop))
        return stop.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        console.failure("interrupted")
        return INTERRUPTED
    except click.ClickException as stop:
        if type(stop).__name__ == "NoArgsIsHelpError":  # click 8.2 and later
            stop.show()
            return USAGE
        context = getattr(stop, "ctx", None)
        path = context.command_path if context else "tokensync"
        console.failure(f"{path}: {stop.format_message()} Try '{path} --help'.")
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as error:
        console.failure(_system_error(error))
        return 1
    except Exception as error:
        if os.environ.get("TOKENSYNC_DEBUG"):
            raise
        if isinstance(error, UnicodeEncodeError) and any(map(_UNDECODABLE.search, arguments)):
            console.failure("command line: an argument is not valid UTF-8; type it again")
            return USAGE
        console.failure(
            f"tokensync: internal error ({type(error).__name__}: {str(error)[:300]}); "
            "report it with the traceback that TOKENSYNC_DEBUG=1 prints"
        )
        return 1
    return code if isinstance(code, int) else 0


def _system_error(error: OSError) -> str:
    where = error.filename if isinstance(error.filename, str) else "system error"
    return f"{where}: {error.strerror or error}; check the path, its permissions and the free disk space"
