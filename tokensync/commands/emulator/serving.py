"""What an emulator is served with: a clock that is set, and faults that are scripted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from tokensync.emulator import Emulator


def set_clock(emulator: Emulator, moment: str) -> None:
    """Let it be this moment for the emulator, from where its clock goes on: ISO 8601 (UTC without a zone) or Unix s.

    Its default token is made valid from then on. Raises UsageError for a text that is no moment.
    """
    emulator.clock.set(_seconds(moment))
    emulator.tokens.default()


def with_faults(application: WSGIApplication, path: str | None) -> WSGIApplication:
    """Return the application behind the script of faults in this file; None is no file."""
    if path is None:
        return application
    from tokensync.commands.sources import read_file
    from tokensync.emulator.serving import faults

    try:
        text = read_file(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    return faults.Faults(application, faults.read(text, path))


def _seconds(moment: str) -> float:
    try:
        return float(moment) if moment.replace(".", "", 1).isdecimal() else _parsed(moment)
    except (ValueError, OverflowError):
        what = "not a moment; write 2026-03-01T12:00:00Z, or seconds since 1970"
        raise UsageError(f"--clock {moment}: {what}") from None


def _parsed(moment: str) -> float:
    parsed = datetime.fromisoformat(moment)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
