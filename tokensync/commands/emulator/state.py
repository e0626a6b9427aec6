"""The emulator whose state a command looks at or changes: of a file, or the project's own."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    with embedded_emulator(load_project(config)) as emulator:
        yield emulator
