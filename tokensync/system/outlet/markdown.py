"""Markdown for pull requests, comments and job summaries.

Forges act on the rendered page (they link ``@team`` and ``#1`` outside code) and, when a pull request is merged, on
the source, which becomes the message of a commit. So no part of an untrusted text has a meaning in either of them: code
keeps it from the forge's links, and entities from the readers of the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Final, LiteralString, NamedTuple, NewType

from tokensync.system.outlet.characters import broken, broken_in_prose, marks_in_prose, readable, visible

Markdown = NewType("Markdown", str)
"""Markdown in which untrusted texts are only texts; only the functions of this module make it."""

LARGEST: Final = 65_536
"""The most characters of a comment or of a pull request's body. GitHub counts code points, as Python does."""
_ROOM_FOR_COUNT: Final = 60
"""Characters of the line that counts the omitted rows, at most."""

_MEANING: Final = re.compile(r"[&<>`*_\[\]~|\\#@$!]|^[-+=]|^\d(?=\d*[.)])|:(?=\S)|(?<=[wW])\.")
"""Characters that can begin markup, a mention, a list or a bare link."""
_NOT_IN_BACKTICKS: Final = re.compile(r"[`|]|^\s|\s$")
_LINKED: Final = re.compile(
    r"[@#~%][\w\"]|[!$&]\d|://|:[\w+-]+:|\b(?i:www)\.|\b(?i:gh)-\d|\b[A-Z][A-Z0-9]*-\d|^/[A-Za-z]|\[[\w ]+:"
    r"|\b[0-9a-f]{7,64}\b",
    re.ASCII,
)
"""What forges link in rendered text, also where an entity spells it: mentions, references, addresses, short codes."""
_WORD: Final = re.compile(r"\S+")


class Block(NamedTuple):
    """A part of a document. ``rows`` that do not fit are omitted and counted, between ``foot`` and ``tail``.

    ``more`` rows are omitted anyway.
    """

    head: tuple[Markdown, ...] = ()
    rows: tuple[Markdown, ...] = ()
    foot: tuple[Markdown, ...] = ()
    tail: tuple[Markdown, ...] = ()
    more: int = 0

    def lines(self, count: int) -> list[Markdown]:
        """Return the lines with the first ``count`` rows."""
        omitted = len(self.rows) - count + self.more
        more = (Markdown(""), text("… and {} more", number(omitted))) if omitted else ()
        return [*self.head, *self.rows[:count], *self.foot, *more, *self.tail]


def document(blocks: Sequence[Block], largest: int = LARGEST, measure: Callable[[str], int] = len) -> Markdown:
    """Return a document of at most this size, which ``measure`` returns. Blocks share the space for their rows fairly.

    It is empty if there is not even space for the count of what is omitted.
    """
    whole = _joined(line for block in blocks for line in block.lines(len(block.rows)))
    if measure(whole) <= largest:
        return whole
    available = largest - _ROOM_FOR_COUNT
    least = [sum(measure(line) + 1 for line in block.lines(0)) + _ROOM_FOR_COUNT for block in blocks]
    kept = list(blocks[: bisect_right(list(accumulate(least)), available)])
    sizes = [list(accumulate((measure(row) + 1 for row in block.rows), initial=0)) for block in kept]
    available -= sum(least[: len(kept)])
    longest = max(map(len, sizes), default=0)
    fair = bisect_right(
        range(longest), available, key=lambda most: sum(size[min(most, len(size) - 1)] for size in sizes)
    )
    counts = [min(fair - 1, len(size) - 1) for size in sizes]
    available -= sum(each[count] for each, count in zip(sizes, counts, strict=True))
    for index, each in enumerate(sizes):
        more = bisect_right(each, each[counts[index]] + available) - 1
        available -= each[more] - each[counts[index]]
        counts[index] = more
    lines = [line for block, count in zip(kept, counts, strict=True) for line in block.lines(count)]
    if omitted := blocks[len(kept) :]:
        rows = sum(len(block.rows) + block.more for block in omitted)
        parts = text("… and {} more {}", number(len(omitted)), Markdown("part" if len(omitted) == 1 else "parts"))
        with_rows = text(" with {} {}", number(rows), Markdown("row" if rows == 1 else "rows"))
        lines += [Markdown(""), text("{}{}", parts, with_rows if rows else Markdown(""))]
    cut = _joined(lines)
    return cut if measure(cut) <= largest else Markdown("")


def text(template: LiteralString, *parts: Markdown) -> Markdown:
    """Return a template from this program's code, filled with its parts."""
    return Markdown(template.format(*parts))


def number(count: int) -> Markdown:
    """Return a count."""
    return Markdown(f"{count:,}")


def marker(*words: str) -> Markdown:
    """Return an invisible line that identifies a comment. It ends at two hyphens, so only letters and digits stay."""
    plain_words = ("".join(_in_marker(each) for each in word) for word in words)
    return Markdown(f"<!-- tokensync {' '.join(plain_words)} -->")


def _in_marker(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"_{ord(character):x}_"


def commit(id_: str) -> Markdown:
    """Return the start of a commit's id, which forges link. Raises ValueError for anything else."""
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", id_):
        raise ValueError(id_)
    return Markdown(id_[:12])


def row(*cells: Markdown) -> Markdown:
    """Return a row of a table."""
    return Markdown(f"| {' | '.join(cells)} |")


def header(*titles: LiteralString) -> tuple[Markdown, Markdown]:
    """Return the two lines that begin a table."""
    return row(*map(Markdown, titles)), Markdown(f"|{' --- |' * len(titles)}")


def group(rows: Iterable[Markdown]) -> Markdown:
    """Return rows that are shown or omitted together."""
    return Markdown("\n".join(rows))


def code(untrusted: str) -> Markdown:
    """Return a text as inline code that no Markdown, HTML or mention in it can break out of.

    A code span cannot hold an escape, so a text with a back-tick, a table's bar or anything that a forge or a CI
    runner acts on is written with entities.
    """
    shown = readable(untrusted)
    if not shown:
        return Markdown("")
    if _NOT_IN_BACKTICKS.search(shown) or marks_in_prose(shown) or broken(shown) != shown:
        return Markdown(f"<code>{_with_entities(shown, _marks(shown), 0, len(shown))}</code>")
    return Markdown(f"`{shown}`")


def value(untrusted: str) -> Markdown:
    """Return a value as inline code. In pull requests, forges show a swatch beside a colour such as ``#aabbcc``.

    A colour of digits alone would also be the number of an issue, so entities hide it from them, and the swatch is
    beside the same colour in its other form.
    """
    shown = code(untrusted)
    if not re.fullmatch(r"#[0-9]{6}", untrusted, re.ASCII):
        return shown
    red, green, blue = map(number, bytes.fromhex(untrusted[1:]))
    return text("{} `rgb({}, {}, {})`", shown, red, green, blue)


def link(label: str, url: str) -> Markdown:
    """Return a link; only the label if the address is not a plain one of the web."""
    if not re.fullmatch(r"https?://[\w.:-]+(/[\w.-]+)*", url, re.ASCII):
        return plain(label)
    shown = visible(label)
    return Markdown(f"[{_with_entities(shown, _marks(shown), 0, len(shown))}]({url})")


def fenced(untrusted: str) -> Markdown:
    """Return a text as a line of a fenced code block."""
    return Markdown(broken(broken_in_prose(visible(untrusted))).replace("`", "\\x60"))


def plain(untrusted: str) -> Markdown:
    """Return a text on one line, with every character escaped that Markdown or HTML would interpret.

    Words that a forge would link are shown as code.
    """
    shown = visible(untrusted)
    pieces, position, marks = [], 0, _marks(shown)
    for word in _WORD.finditer(shown):
        if _LINKED.search(word[0]):
            pieces.append(_with_entities(shown, marks, position, word.start()))
            pieces.append(f"<code>{_with_entities(shown, marks, *word.span())}</code>")
            position = word.end()
    return Markdown("".join((*pieces, _with_entities(shown, marks, position, len(shown)))))


def _joined(lines: Iterable[Markdown]) -> Markdown:
    return Markdown("".join(f"{line}\n" for line in lines))


def _marks(text: str) -> set[int]:
    """Return the indices of the characters to write as entities."""
    return marks_in_prose(text) | {match.start() for match in _MEANING.finditer(text)}


def _with_entities(text: str, marks: set[int], start: int, end: int) -> str:
    """Return a part of a text with entities. A tag before ``@`` ends a mail address, which is linked even in <code>."""
    return "".join(
        f"{'<wbr>' if text[at] == '@' and at > start else ''}&#x{ord(text[at]):x};" if at in marks else text[at]
        for at in range(start, end)
    )
