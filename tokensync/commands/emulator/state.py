"""The emulator whose state a command looks at or changes, of a file or the project's own; and which of its files."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokensync.emulator import Emulator


@contextmanager
def emulator_of(state: str | None, config: str | None) -> Iterator[Emulator]:
    """The emulator with its state in the file ``state``, or in the project's ``.tokensync/`` when that is None.

    A state that another process is serving may be opened as well: both see what the other one changed.
    """
    from tokensync.commands.connecting import embedded_emulator
    from tokensync.config import load_project
    from tokensync.emulator import Emulator

    if state is not None:
        with closing(Emulator(state)) as emulator:
            yield emulator
        return
    with embedded_emulator(load_project(config, allow_outside=True)) as emulator:
        yield emulator


def file_key(emulator: Emulator, file: str, configured: Mapping[str, str] | None = None) -> str:
    """Return the key of a file that is given as a key, as a URL, or by a name: a configured one, or that in the
    emulator.

    ``configured`` maps the names of configured files to their keys. A name of several files is a UsageError.
    """
    if file in emulator.files.keys():  # noqa: SIM118 - a method of ours, no dictionary's
        return file
    if "/" in file:
        from tokensync.client import parse_file

        return parse_file(file).working_key
    if configured and file in configured:
        return configured[file]
    named = emulator.files.keys_of(file)
    if len(named) > 1:
        raise UsageError(f"{file}: several files have this name; give the key of one: {', '.join(named)}")
    return named[0] if named else file


def configured_keys(state: str | None, config: str | None) -> dict[str, str]:
    """Return the keys of a project's files by their names; none of a state that belongs to no project."""
    from tokensync.commands.design_files import configured
    from tokensync.config import load_project

    if state is not None:
        return {}
    return {
        name: reference.working_key for name, reference in configured(load_project(config, allow_outside=True)).items()
    }
