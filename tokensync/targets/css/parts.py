"""Composite tokens in a style sheet: the value of each with the references in it, and properties for its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.composites import composite, references
from tokensync.naming import token_label
from tokensync.problems import problem
from tokensync.targets.css import composites as composites_css
from tokensync.tokens import Unresolved

if TYPE_CHECKING:
    from tokensync.generate.composites import Typed
    from tokensync.generate.sheet import Sheet
    from tokensync.problems import Problem
    from tokensync.targets.css.composites import Parts, Spelling
    from tokensync.tokens import Resolved, TokenKey, Value


class Composites:
    """Writes the composite tokens of one output."""

    def __init__(self, sheet: Sheet, spelling: Spelling) -> None:
        self.sheet = sheet
        self.spelling = spelling
        self._taken = {sheet.names[place] for place in sheet.declared}
        self._told: set[str] = set()

    def written(self, place: int, text: str, literal: Resolved, value: Value | None, target: int) -> tuple[str, Parts]:
        """The value with the references in it, and (suffix, value) of each part that has a property of its own.

        ``text`` is what was made of it so far; when that refers to the token at ``target``, so do the parts.
        """
        kind = self.sheet.kinds[place] or ""
        typed = None if isinstance(literal, Unresolved) else composite(literal, kind)
        if typed is None:
            return text, ()
        if target >= 0 and text.startswith("var("):
            name = self.sheet.names[target]
            parts = tuple(
                (suffix, f"var({name}-{suffix})" if f"{name}-{suffix}" not in self._taken else part)
                for suffix, part in composites_css.parts(typed, spelling=self.spelling)
            )
            return text, self._free(place, parts)
        kept = composites_css.references_as(references(value, kind), self._kind_of, self._name_of)
        return self._with_references(place, typed, kept)

    def _with_references(self, place: int, typed: Typed, kept: composites_css.Texts) -> tuple[str, Parts]:
        text = composites_css.text(typed, kept, self.spelling)
        return text, self._free(place, composites_css.parts(typed, kept, self.spelling))

    def _kind_of(self, key: TokenKey) -> str | None:
        place = self.sheet.resolution.columns.places.get(key)
        return None if place is None else self.sheet.kinds[place]

    def _name_of(self, key: TokenKey) -> str:
        return self.sheet.names[self.sheet.resolution.columns.places[key]]

    def _free(self, place: int, parts: Parts) -> Parts:
        """The parts whose names are not those of tokens."""
        own = self.sheet.names[place]
        free = tuple(each for each in parts if f"{own}-{each[0]}" not in self._taken)
        for suffix, _ in parts if len(free) < len(parts) else ():
            name = f"{own}-{suffix}"
            if name in self._taken and name not in self._told:
                self._told.add(name)
                self.sheet.problems.append(self._collision(place, name))
        return free

    def _collision(self, place: int, name: str) -> Problem:
        where = token_label(self.sheet.graph, self.sheet.tokens[place].key)
        what = f"the property {name} of a part of it has the name of another token, and is left out"
        return problem("identifier-collision", where, what, "rename one of the two, if you need that part")
