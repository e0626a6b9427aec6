"""The names of migrated tokens: valid on the platform, within its limit, and distinct even without regard to case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.dtcg.spelling import ROOT
from tokensync.migrate.conversion.mapping_file import LONGEST_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_REFUSED = re.compile(r"[.{}]+")
"""What the platform refuses in the name of a new variable."""
_PLAIN = re.compile(r"[\w-]+(?:\n[\w-]+)*")

_CUT = "\N{HORIZONTAL ELLIPSIS}"

Names = tuple[str, ...]


class Renaming:
    """The new names of tokens and groups that a mapping has by their old paths, which have dots."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self.used: set[str] = set()

    def __call__(self, names: Names) -> Names:
        """Return the new names of a token: by its own path, else by that of its innermost group."""
        if not self._table:
            return names
        for length in range(len(names), 0, -1):
            old = ".".join(names[:length])
            if old in self._table:
                self.used.add(old)
                return (*self._table[old].split("."), *names[length:])
        return names

    @property
    def unused(self) -> list[str]:
        """Return the old paths that no token has had so far."""
        return [each for each in self._table if each not in self.used]


def valid_names(names: Iterable[str]) -> Names:
    """Return the names as groups and a token of the platform: at slashes they divide, and spaces at edges are cut.

    The token that is the value of its group has the name of the group. Names that are valid are returned as they are.
    """
    names = tuple(names)
    if len(names) > 1 and names[-1] == ROOT:
        names = names[:-1]
    if _PLAIN.fullmatch("\n".join(names)):
        return names
    parts = (part.strip() for name in names for part in name.split("/"))
    valid = tuple(
        replaced for each in parts if (replaced := _REFUSED.sub("-", each) if _REFUSED.search(each) else each)
    )
    return valid or ("unnamed",)


class NamesOfCollection:
    """The names of a collection. ``present`` are those of its variables that no token has been matched with yet."""

    def __init__(self, present: Iterable[str] = ()) -> None:
        self._present = {each.casefold(): each for each in present}
        self._used: set[str] = set()

    def add(self, names: Names) -> Names:
        """Return names that differ from all others, as they are or with a number at the last one.

        They may be exactly those of a variable that is present, which then is this token.
        """
        result, number = names if len("/".join(names)) <= LONGEST_NAME else self._fitting(names, ""), 1
        while not self._is_free("/".join(result)):
            number += 1
            result = self._fitting(names, f"-{number}")
        self._used.add("/".join(result).casefold())
        return result

    def _is_free(self, name: str) -> bool:
        folded = name.casefold()
        return folded not in self._used and self._present.get(folded, name) == name

    @staticmethod
    def _fitting(names: Names, ending: str) -> Names:
        """Return names with an ending, of which the last one is cut if all are longer than the platform allows."""
        excess = len("/".join(names)) + len(ending) - LONGEST_NAME
        last = names[-1]
        if excess <= 0:
            return (*names[:-1], last + ending)
        if excess < len(last) - 1:
            return (*names[:-1], f"{last[: len(last) - excess - 1]}{_CUT}{ending}")
        return (f"{'-'.join(names)[: LONGEST_NAME - len(ending) - 1]}{_CUT}{ending}",)
