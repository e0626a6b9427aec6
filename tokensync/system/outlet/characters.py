"""Make invisible characters visible, and break what other programs act on in a text.

Invisible are controls, bidirectional marks, blank letters, unassigned and private characters: what Python's database
calls unprintable, and the printable characters that show nothing. This is the only definition of such characters; every
outlet uses it, and so does the script of the report.

CI runners execute commands in both streams: GitHub Actions recognizes ``::name::`` at the start of a line and
``##[name]`` anywhere, Azure Pipelines ``##vso[...]``, and TeamCity ``##teamcity[...]``. A whole ``::name::`` is also
broken inside a line, because a program in between may wrap lines. Forges and bots act on pull requests and commit
messages: they notify people, close and link issues, skip CI and take commands. An escape of one character breaks each
of them, and readers still recognize the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Final, Literal, NamedTuple

_SPACES: Final = " \u3000"
"""The spaces that are kept. The others look like the first."""
_BLANK: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef"
)
"""Characters that are printable according to Unicode, but show nothing."""
_PLAIN: Final = b"\n" + bytes(set(range(32, 127)) - {ord('"')})
"""Printable ASCII, and line ends, but for what separates strings."""
_MOST_MARKS: Final = 8
"""The most combining marks on one letter; more of them cover the lines above and below."""

_PICTOGRAPHS: Final = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff\U0001f10d-\U0001f1ad\U0001f201-\U0001faff"
)
_ARABIC: Final = "\u0620-\u06ff\u0750-\u077f\u0870-\u08ff"
_INDIC: Final = "\u0900-\u0dff"
_VIRAMAS: Final = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u17d2\ua8c4\uabed"
_FLAGS: Final = ("gbeng", "gbsct", "gbwls")
"""The subdivisions with a flag, which is written in tags."""


def _kept(assigned: str = "") -> str:
    """Return the pattern of sequences in which joiners, selectors and tags have a visible effect.

    ``assigned`` is a look-ahead that refuses pictographs that Unicode has not assigned yet.
    """
    element = f"{assigned}[{_PICTOGRAPHS}](?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
    flags = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in each) for each in _FLAGS)
    return "|".join(
        (
            f"\U0001f3f4(?:{flags})\U000e007f",
            f"{element}(?:\u200d{element})*",
            "[0-9#*]\ufe0f\u20e3",
            f"(?<=[{_ARABIC}])(?:[\u200c\u200d](?=[{_ARABIC}])|\u200d(?![\u200c\u200d]))",
            f"(?<=[{_VIRAMAS}])[\u200c\u200d](?![\u200c\u200d])",
            f"(?<=[{_INDIC}])\u200d(?=[{_VIRAMAS}])",
        )
    )


_SIMPLE: Final = "[ -~\xa1-\xac\xae-\u02ff\u2013\u2014\u2018-\u201e\u2022\u2026\u2190-\u2193\u2260]*"
"""Texts that need none of the patterns below, which take milliseconds to compile."""


class _Patterns(NamedTuple):
    """Compiled patterns: blank characters, sequences that are kept, and texts in which marks may pile up."""

    blank: re.Pattern[str]
    blanks: frozenset[str]
    kept: re.Pattern[str]
    may_pile: re.Pattern[str]
    not_ascii: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    ranges = re.findall("(.)(?:-(.))?", _BLANK)
    return _Patterns(
        re.compile(f"[{_BLANK}]"),
        frozenset(chr(code) for first, last in ranges for code in range(ord(first), ord(last or first) + 1)),
        re.compile(_kept()),
        re.compile(f"[^\0-\u02ff\u3000-\uabff\uac00-\ud7ff]{{{_MOST_MARKS + 1}}}"),
        re.compile(r"[^\t\n\r\x20-\x7e]+"),
    )


def visible(text: str) -> str:
    """Return a text with invisible characters escaped, and combining marks that are too many for one letter.

    Joiners and selectors stay where writing needs them: in emoji, and in Persian, Arabic and Indic words.
    """
    return _replaced(text, _spelled)


def readable(name: str, longest: int = 120) -> str:
    """Return a name for one line: make every character visible, and shorten a long name."""
    text = visible(name)
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def blanked(text: str) -> str:
    """Return a text with a space instead of every character that cannot be seen."""
    return _replaced(text, lambda character: " ")


def escaped(document: str, escape: Callable[[str], str]) -> str:
    """Return a document with every invisible character escaped, also in emoji and words; keep line ends.

    Use it for languages with escapes of their own, whose parsers return the original text.
    """
    # Searching ASCII takes most of the time of a long document. Without it, marks of one string may seem to pile up.
    others = document.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")
    if others.isprintable() and not _may_hide(others):
        return document
    return _patterns().not_ascii.sub(lambda match: _escaped_run(match[0], escape), document)


def in_utf_8(text: str) -> str:
    """Return the text with surrogates escaped, such as those of path bytes that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _spelled(character: str) -> str:
    r"""Return the escape of a character: ``\n``, ``\x1b``, ``\u202e`` or ``\U000e0041``."""
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def javascript() -> str:
    """Return a regular expression of JavaScript, with the flags ``gu``, for what ``visible`` escapes.

    Its group ``kept`` matches sequences that stay.
    """
    mark = r"[\p{Mn}\p{Me}]"
    piled = f"{mark}(?<={mark}{{{_MOST_MARKS + 1}}})"
    kept = _kept(r"(?!\p{Cn})")
    pattern = f"(?<kept>{kept})|(?![{_SPACES}])[\\p{{C}}\\p{{Z}}{_BLANK}]|{piled}"
    return re.sub("[^ -~]", lambda match: f"\\u{{{ord(match[0]):x}}}", pattern)


def _replaced(text: str, replacement: Callable[[str], str]) -> str:
    if (text.isascii() and text.isprintable()) or re.fullmatch(_SIMPLE, text):
        return text
    if text.isprintable() and not _may_hide(text):
        return text
    sequences = (match for match in _patterns().kept.finditer(text) if all(map(_is_joined, match[0])))
    kept = {at for match in sequences for at in range(*match.span())}
    pieces = []
    marks = 0
    for at, character in enumerate(text):
        if " " <= character <= "~":
            marks = 0
            pieces.append(character)
            continue
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        seen = marks <= _MOST_MARKS and (at in kept or _is_seen(character))
        pieces.append(character if seen else replacement(character))
    return "".join(pieces)


def _is_seen(character: str) -> bool:
    return (character.isprintable() or character in _SPACES) and character not in _patterns().blanks


def _is_joined(character: str) -> bool:
    """Return whether a character of a sequence is seen, or is there to join the others."""
    return unicodedata.category(character) in ("Cf", "Mn") or _is_seen(character)


def _may_hide(printable: str) -> bool:
    """Return whether a text has blank characters, or marks that may pile up."""
    patterns = _patterns()
    return bool(patterns.blank.search(printable) or patterns.may_pile.search(printable))


def _escaped_run(run: str, escape: Callable[[str], str]) -> str:
    if run.isprintable() and not _may_hide(run):
        return run
    blanks, marks, pieces = _patterns().blanks, 0, []
    for each in run:
        marks = marks + 1 if unicodedata.category(each) in ("Mn", "Me") else 0
        pieces.append(each if marks <= _MOST_MARKS and each.isprintable() and each not in blanks else escape(each))
    return "".join(pieces)


# --- what other programs act on --------------------------------------------------------------------------------------


Form = Literal["text", "json", "html"]
"""The syntax of escapes. That of HTML also works in Markdown outside code."""

_ESCAPES: Final[dict[Form, str]] = {"text": r"\x%02x", "json": r"\u%04x", "html": "&#x%x;"}
"""Hexadecimal, because ``&#35;`` contains the number of an issue."""
_LINE_ENDS: Final = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NUMBER_SIGNS: Final = r"##(?=(\[|vso|teamcity))"
"""Azure also reports ``##vso`` without a bracket."""
_WHOLE: Final = r"[a-z-]+(?:[ ,][^\n]*?)?::"
"""What follows the colons of a command with its data."""
_ANYWHERE: Final = rf"(?i){_NUMBER_SIGNS}|::(?={_WHOLE})"
_START: Final = rf"(?i){_NUMBER_SIGNS}|::(?=({_WHOLE})?)"
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
    | (?<![A-Za-z0-9][Gg][Hh])(?<=[Gg][Hh])-(?=\d)          # an underscore can become an escape, and is no letter then
    | (?<=[A-Z])-(?=\d) | (?<=[A-Z]\d)-(?=\d)                 # keys of other trackers, such as WEB-123
    | :(?=//) | (?<![A-Za-z0-9][Ww][Ww][Ww])(?<=[Ww][Ww][Ww])\.  # addresses
    | \[(?=[^\[\]]{{0,40}}?(?i:skip|no[\ _-]?(?:ci|build|deploy|pipeline)|ci[\ _-]))  # [skip ci] in its many forms
    | (?<=\*\*)\*(?=[A-Za-z])                                 # ***NO_CI***
    | (?<=[Ss][Kk][Ii][Pp]-[Cc][Hh][Ee][Cc][Kk][Ss]):
    | (?<=-[Bb][Yy]):                                         # trailers, such as Co-authored-by:
    | (?:^|(?<=\s))/(?=[A-Za-z])                              # quick actions
    | (?<![A-Za-z0-9][Rr])(?<=[Rr])[+=?]                     # r+ of homu
    | (?<![A-Za-z0-9][Bb][Oo][Rr][Ss])(?<=[Bb][Oo][Rr][Ss])[\ :](?=\s*[a-zA-Z])  # bors try
    | \ (?=(?i:this\ please|to\ test|to\ (?:white|allow)list)\b)  # Jenkins: retest this please, ok to test
    """


def broken_anywhere(text: str) -> str:
    """Return a part of a line with each command broken that may stand anywhere in a line."""
    if "##" not in text and "::" not in text:  # as almost all, which need no pattern
        return text
    return re.sub(_ANYWHERE, lambda match: match[0][0] + _text_escape(match[0][1]), text)


def _text_escape(character: str) -> str:
    return _ESCAPES["text"] % ord(character)


def broken_in_prose(text: str, escape: Callable[[str], str] = _text_escape) -> str:
    """Return the text with each mention, reference, address, switch and bot command broken by escapes."""
    marks = marks_in_prose(text)
    return "".join(escape(each) if at in marks else each for at, each in enumerate(text)) if marks else text


def marks_in_prose(text: str) -> set[int]:
    """Return the indices of the characters that ``broken_in_prose`` escapes, one in six of a hash."""
    return {at for match in _in_prose().finditer(text) for at in range(match.start(), match.end(), 6)}


def broken(text: str, form: Form = "text", *, start: int = 0) -> str:
    """Return the text with each command of a CI runner broken by an escape.

    What is before ``start`` is already written: return the rest, and break only commands that end in it.
    """
    if "##" not in text and "::" not in text:
        return text[start:]
    pieces, position = [], start
    for match in re.finditer(_START, text):
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
