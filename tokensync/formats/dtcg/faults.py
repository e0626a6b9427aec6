"""Problems of token files, collected first and given their places last: finding a place costs a scan of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.places import Pointer, lines_and_columns, offsets, pointer_text
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.formats.dtcg.parse import Fault


class BadToken(Exception):
    """A token or a value that cannot be used. ``within`` is the pointer of the fault below the token."""

    def __init__(self, code: str, what: str, what_to_do: str, within: Pointer = ()) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.what_to_do = what_to_do
        self.within = within


class UnreadTarget(BadToken):
    """A reference into a collection of which a file could not be read: that file is told, and this follows from it."""


class _Found(NamedTuple):
    path: str
    place: Pointer | int
    code: str
    what: str
    what_to_do: str


_CONSEQUENCES = frozenset({"tokens-mode-parent", "tokens-root-group"})
"""What may be wrong only because a file that it depends on cannot be read, such as that of a collection's modes."""


class Faults:
    """The problems found so far in some files."""

    def __init__(self, texts: Mapping[str, bytes], shown_below: str = "") -> None:
        self._texts = texts
        self._shown_below = shown_below
        self._found: list[_Found] = []

    def at(self, path: str, pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        """Note a problem at a JSON pointer of a file."""
        self._found.append(_Found(path, pointer, code, what, what_to_do))

    def shown(self, path: str) -> str:
        """Return a path as problems show it."""
        return f"{self._shown_below}{path}"

    def of_text(self, path: str, faults: Iterable[Fault]) -> None:
        """Note what the parser found."""
        for each in faults:
            self._found.append(_Found(path, each.offset, each.code, each.what, each.what_to_do))

    def problems(self) -> tuple[Problem, ...]:
        """All of them, with their places, in the order of the files and then of the text."""
        by_path: dict[str, list[_Found]] = {}
        unreadable = any(each.code == "tokens-malformed" for each in self._found)
        for each in self._found:
            if unreadable and each.code in _CONSEQUENCES:
                continue
            by_path.setdefault(each.path, []).append(each)
        return tuple(told for path in sorted(by_path) for told in self._told(path, by_path[path]))

    def _told(self, path: str, found: Sequence[_Found]) -> Iterator[Problem]:
        text = self._texts[path]
        at = offsets(text, [each.place for each in found if isinstance(each.place, tuple)])
        placed = [(each.place if isinstance(each.place, int) else at[each.place], each) for each in found]
        shown = lines_and_columns(text, [offset for offset, _ in placed])
        placed.sort(key=lambda each: each[0])
        for offset, each in placed:
            line, column = shown[offset]
            where = f"{self.shown(path)}:{line}:{column}"
            if isinstance(each.place, tuple):
                where += f" ({_shortened(pointer_text(each.place))})"
            yield problem(each.code, where, each.what, each.what_to_do)


def _shortened(pointer: str) -> str:
    return pointer if len(pointer) <= 200 else f"{pointer[:120]}…{pointer[-60:]}"
