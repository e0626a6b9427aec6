"""What ``tokensync emulator files`` reads and shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.commands.sources import read_file
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.emulator import Emulator
    from tokensync.emulator.filing.places import Folder


def read_document(path: str) -> dict[str, Any]:
    """Return the JSON object in a file; a UsageError when there is none in it."""
    import msgspec

    try:
        return msgspec.json.decode(read_file(path).removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a JSON object ({error}); save an answer of GET v1/files/:key") from None


def placed(emulator: Emulator) -> Iterator[str]:
    """Yield a line a team and a folder, each below what it is in."""
    folders = emulator.places.folders()

    def below(team: str, parent: str | None, depth: int) -> Iterator[str]:
        for each in folders:
            if (each.team, each.parent) == (team, parent):
                yield f"{'  ' * depth}{_told(each)}"
                yield from below(team, each.id, depth + 1)

    for team in emulator.places.teams():
        yield f"team {team.id}: {team.name} ({team.plan})"
        yield from below(team.id, None, 1)


def _told(folder: Folder) -> str:
    return f"folder {folder.id}: {folder.name}" + ("" if folder.access == "team" else f" ({folder.access})")
