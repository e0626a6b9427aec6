"""The ``tokensync`` command: load the verb that is called; turn what it raises into a line and an exit code."""

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
"""Python's stand-ins for bytes of the command line that are not in its encoding; allowed in paths alone."""

COMMANDS = (
    *("api", "apply", "audit", "auth", "build", "demo", "dev-resources", "diff", "emulator", "files", "format"),
    *("plan", "pull", "report", "rollback", "status", "tokens", "usage", "webhooks"),
)
"""Each is the ``command`` of a module of this package."""

USAGE, INTERRUPTED = 2, 130


class LazyGroup(click.Group):
    """A group whose commands are imported when they are named, so that each pays for its own imports alone."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tokensync.cli.{cmd_name.replace('-', '_')}").command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="tokensync %(version)s")
@options.everywhere
def tokensync(**_: Any) -> None:
    """Keep design tokens the same in Figma variables and in code."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line with these arguments and return the exit code, which errors carry."""
    with outlet.guarded():
        try:
            quiet = not {"-q", "--quiet"}.isdisjoint(arguments)
            code = _run(arguments, Console(quiet=quiet, colour=False if "--no-color" in arguments else None))
            outlet.flush()  # raises again if the error was the stream's own
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError:  # whoever reads the output is gone, or the disk that it goes to is full
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
        if type(stop).__name__ == "NoArgsIsHelpError":  # from click 8.2 on
            stop.show()
            return USAGE
        context = getattr(stop, "ctx", None)
        path = context.command_path if context else "tokensync"
        console.failure(f"{path}: {stop.format_message()} Try '{path} --help'.")
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as fault:
        console.failure(_system_error(fault))
        return 1
    except Exception as fault:
        if os.environ.get("TOKENSYNC_DEBUG"):
            raise
        if isinstance(fault, UnicodeEncodeError) and any(map(_UNDECODABLE.search, arguments)):
            console.failure("the command line: an argument is not text in UTF-8; type it again")
            return USAGE
        if type(fault).__module__ == "sqlite3":  # which is not loaded just to name its errors
            console.failure(f"the emulator's state: {fault}; check its file and the free space, or name another")
            return 1
        console.failure(
            f"tokensync: an error of its own ({type(fault).__name__}: {str(fault)[:300]}); "
            "please report it, with what TOKENSYNC_DEBUG=1 shows"
        )
        return 1
    return code if isinstance(code, int) else 0


def _system_error(fault: OSError) -> str:
    where = fault.filename if isinstance(fault.filename, str) else "the system"
    return f"{where}: {fault.strerror or fault}; check the path, its permissions and the free space"
