"""Break what other programs act on in a text: commands of CI runners, and what forges and bots read in prose.

CI runners execute commands in both streams: GitHub Actions recognizes ``::name::`` at the start of a line and
``##[name]`` anywhere, Azure Pipelines ``##vso[...]``, and TeamCity ``##teamcity[...]``. A whole ``::name::`` is also
broken inside a line, because a program in between may wrap lines. Forges and bots act on pull requests and commit
messages: they notify people, close and link issues, skip CI and take commands. An escape of one character breaks each
of them, and readers still recognize the text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

Form = Literal["text", "json", "html"]
"""The syntax of escapes. That of HTML also works in Markdown outside code."""

_ESCAPES: Final[dict[Form, str]] = {"text": r"\x%02x", "json": r"\u%04x", "html": "&#x%x;"}
"""Hexadecimal, because ``&#35;`` contains the number of an issue."""
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NUMBER_SIGNS: Final = r"##(?=(\[|vso|teamcity))"
"""Azure also reports ``##vso`` without a bracket."""
_WHOLE: Final = r"[a-z-]+(?:[ ,][^\n]*?)?::"
"""What follows the colons of a command with its data."""
_ANYWHERE: Final = re.compile(rf"{_NUMBER_SIGNS}|::(?={_WHOLE})", re.IGNORECASE)
_START: Final = re.compile(rf"{_NUMBER_SIGNS}|::(?=({_WHOLE})?)", re.IGNORECASE)
"""The start of commands, up to the character to escape. Other colons count only at the start of a line."""
_LONGEST_START: Final = len("##teamcity")

_HASH: Final = r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}(?!\w)"
"""The hash of a commit, whole or shortened; neither a number nor a word."""
_IN_PROSE: Final = rf"""
      (?<![A-Za-z0-9_])@                                      # people and teams, but not icon@24
    | @(?={_HASH} | [\w-]+\.[A-Za-z])                         # owner/repository@hash, and mail addresses
    | (?<![\w\#]){_HASH}
    | \#(?=\d{{1,7}}(?![A-Za-z0-9_]))                          # issues, but not #11223344; other letters end a number
    | [!&](?=\d{{1,7}}(?![A-Za-z0-9_])) | \[(?=[A-Za-z_]{{1,20}}:)  # merge requests, epics and [issue:1] of GitLab
    | (?<=/issues)/(?=\d) | (?<=/pull)/(?=\d)
    | (?<=\b[Gg][Hh])-(?=\d)
    | (?<=[A-Z])-(?=\d) | (?<=[A-Z]\d)-(?=\d)                 # keys of other trackers, such as WEB-123
    | :(?=//) | (?<=\b[Ww][Ww][Ww])\.                         # addresses
    | \[(?=[^\[\]]{{0,40}}?(?i:skip|no[\ _-]?(?:ci|build|deploy|pipeline)|ci[\ _-]))  # [skip ci] in its many forms
    | (?<=\*\*)\*(?=[A-Za-z])                                 # ***NO_CI***
    | (?<=[Ss][Kk][Ii][Pp]-[Cc][Hh][Ee][Cc][Kk][Ss]):
    | (?<=-[Bb][Yy]):                                         # trailers, such as Co-authored-by:
    | (?:^|(?<=\s))/(?=[A-Za-z])                              # quick actions
    | (?<=\b[Rr])[+=?]                                        # r+ of homu
    | (?<=\b[Bb][Oo][Rr][Ss])[\ :](?=\s*[a-zA-Z])             # bors try
    | \ (?=(?i:this\ please|to\ test|to\ (?:white|allow)list)\b)  # Jenkins: retest this please, ok to test
    """


def broken(text: str, form: Form = "text") -> str:
    """Return the text with each command of a CI runner broken by an escape."""
    return broken_from(text, 0, form)


def broken_anywhere(text: str) -> str:
    """Return a part of a line with each command broken that may stand anywhere in a line."""
    return _ANYWHERE.sub(lambda match: match[0][0] + _text_escape(match[0][1]), text)


def _text_escape(character: str) -> str:
    return _ESCAPES["text"] % ord(character)


def broken_in_prose(text: str, escape: Callable[[str], str] = _text_escape) -> str:
    """Return the text with each mention, reference, address, switch and bot command broken by escapes."""
    marks = marks_in_prose(text)
    return "".join(escape(each) if at in marks else each for at, each in enumerate(text)) if marks else text


def marks_in_prose(text: str) -> set[int]:
    """Return the indices of the characters that ``broken_in_prose`` escapes, one in six of a hash."""
    return {at for match in _in_prose().finditer(text) for at in range(match.start(), match.end(), 6)}


def broken_from(text: str, start: int, form: Form = "text") -> str:
    """Return the text from ``start`` on, with commands broken that end after it; the rest is already written."""
    if "##" not in text and "::" not in text:
        return text[start:]
    pieces, position = [], start
    for match in _START.finditer(text):
        if match[1] or match[2] or _begins_line(text, match.start()):
            escaped = max(match.end() - 1, start)
            if escaped < max(match.end(), match.end(1)):
                pieces += [text[position:escaped], _ESCAPES[form] % ord(text[escaped])]
                position = escaped + 1
    return "".join([*pieces, text[position:]])


def command_start(text: str) -> str:
    """Return the part of the last line that may be the start of a command: an initial colon, or the line's end."""
    line = (text.rpartition("\n")[2] + ".").splitlines()[-1][:-1]
    return line.strip() if line.strip() in ("", ":") else f".{line[-_LONGEST_START:]}"


@cache
def _in_prose() -> re.Pattern[str]:
    return re.compile(_IN_PROSE, re.VERBOSE | re.MULTILINE)


def _begins_line(text: str, position: int) -> bool:
    """Return whether a position is at the start of a line, after optional blanks."""
    while position > 0 and text[position - 1] not in _LINE_ENDS:
        if not text[position - 1].isspace():
            return False
        position -= 1
    return True
