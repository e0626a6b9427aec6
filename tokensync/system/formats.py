"""Format numbers of the files that tokensync keeps: an older tokensync refuses a file in a newer format.

The hook, the action and the laptop of a project are not of one age. A JSON document has its format in ``version``, and
the tokensync that wrote it in ``made_by``. Git merges some files, and an upgrade must not change them: these have their
format in ``format``, and in ``since`` the first tokensync that reads it. A file of lines has both in its first line.
"""

from __future__ import annotations

import re

import msgspec

from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.version import __version__

MADE_BY = f"tokensync {__version__}"
_IN_LINES = re.compile(rb'\["","","","format",\[([0-9]{1,9}),"([^"\\]{1,40})"\]\]')


class NewerFormatError(UsageError):
    """A file is in a format that only a newer tokensync reads."""


class _Document(msgspec.Struct):
    version: int = 0
    made_by: str = ""
    format: int = 0
    since: str = ""


def format_line(number: int, since: str) -> str:
    """Return the first line of a file of lines: its format, and the first tokensync that reads it."""
    return f'["","","","format",[{number},"{since}"]]'


def refuse_newer_lines(path: str, content: bytes, known: int) -> None:
    """Raise NewerFormatError for a file of lines whose format is newer than ``known``; a git conflict may have two."""
    if b'["","","","format",' in content:
        for match in _IN_LINES.finditer(content):
            _refuse_newer(path, int(match[1]), match[2].decode("utf-8", "replace"), known)


def refuse_newer_document(path: str, content: bytes, known: int) -> None:
    """Raise NewerFormatError for a JSON document whose format is newer than ``known``; damages are no reason for it."""
    try:
        document = msgspec.json.decode(content, type=_Document)
    except DECODE_ERRORS:
        return
    version = document.since or document.made_by.removeprefix("tokensync ")
    _refuse_newer(path, document.format or document.version, version[:40], known)


def _refuse_newer(path: str, number: int, version: str, known: int) -> None:
    if number > known:
        what = f"tokensync {version or 'of a later version'} wrote it in format {number}"
        raise NewerFormatError(
            f"{path}: {what}, and {MADE_BY} reads formats up to {known}; "
            f"install tokensync {version or 'in its latest version'}{' or newer' if version else ''}"
        )
