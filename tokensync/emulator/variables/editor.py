"""What designers do with variables in the editor, where no endpoint can: use a library's, bind text to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.emulator.filing import files
from tokensync.emulator.variables import remote, shared_fonts, states
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from tokensync.emulator.state.store import Store


class Variables:
    """Does with the variables of files what designers do in the editor."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def use(self, file_key: str, library_key: str, *names: str) -> tuple[str, ...]:
        """Let a file use a library's published variables, by id, key or name, or all; their ids in that file.

        They are remote there, and variables of the file can alias them from then on.
        """
        with self._store.writing() as connection:
            return remote.use(connection, file_key, library_key, names)

    def update(self, file_key: str, library_key: str) -> int:
        """Take a library's latest publication into a file that uses it; how many variables that replaced."""
        with self._store.writing() as connection:
            return remote.update(connection, file_key, library_key)

    def bind_to_shared_font(self, file_key: str, id_: str, *, bound: bool = True) -> None:
        """Whether text in a font that the organization shares is bound to a string variable of this id (rule 12)."""
        with self._store.writing() as connection:
            file = files.known(connection, file_key)
            query = "SELECT type, state FROM variables WHERE file = ? AND id = ?"
            row = connection.execute(query, (file.number, id_)).fetchone()
            if row is None or row != ("STRING", states.LIVE):
                raise UsageError(f"{id_}: no string variable of {file_key}; give the id of one that it shows")
            shared_fonts.bind(connection, file.number, id_, bound=bound)
