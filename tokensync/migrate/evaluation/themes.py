"""The tokens of a theme: its sets merged, and the value of each token in it.

The sets outside of the theme come first and only resolve references. Then come the theme's sets in order, and a later
one replaces an earlier one. The values of two definitions in the theme that are both objects are merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.migrate.evaluation.token_value import (
    LONGEST_NAME,
    PlainReference,
    Target,
    Template,
    evaluation,
    in_theme,
    member_evaluation,
    of_parts,
    plain_alias,
    reading_of,
)
from tokensync.migrate.evaluation.values import Evaluated, Part, Reading, Refused, Resolved, refused, shown
from tokensync.migrate.source import Source, SourceTheme, SourceToken, only_reference
from tokensync.system.wording import listed, quoted
from tokensync.tokens import Literal, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.migrate.evaluation.token_value import Evaluation

_ROOTS = ("$root", "_", "DEFAULT")
"""The names of a token that is the value of its group."""


_UNREAD = refused("it was not read")


class Replaced(NamedTuple):
    """A definition that a later one of the same theme replaces, or of the same set, with the later one."""

    set: str
    token: SourceToken
    by_set: str
    by: SourceToken


class Definitions:
    """The definitions of a source, and their readings that are the same in every theme. All themes share it.

    A path is defined once in a set: ``repeated`` has the earlier definitions.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.sets: dict[str, dict[str, SourceToken]] = {}
        self.repeated: list[Replaced] = []
        for set_ in source.sets:
            tokens = self.sets.setdefault(set_.name, {})
            for token in set_.tokens:
                path = token.path
                if path in tokens:
                    self.repeated.append(Replaced(set_.name, tokens[path], set_.name, token))
                tokens[path] = token
        self._readings: dict[int, Reading | PlainReference | Template | None] = {}
        self._kept: list[SourceToken] = []
        self._users: dict[str, list[SourceTheme]] = {}
        for theme in source.themes:
            for name, role in theme.sets.items():
                if role == "enabled":
                    self._users.setdefault(name, []).append(theme)

    def reading_of(self, token: SourceToken) -> Reading | PlainReference | Template | None:
        """Return what is known about the value of a definition in every theme."""
        key = id(token)  # the source keeps it alive, or ``keep``
        found = self._readings.get(key, _UNREAD)
        if found is _UNREAD:
            found = self._readings[key] = reading_of(token)
        return found

    def keep(self, token: SourceToken) -> SourceToken:
        """Keep a merged definition, so that no other one gets its identity."""
        self._kept.append(token)
        return token

    def only_in(self, path: str, theme: SourceTheme) -> tuple[str, ...]:
        """Return the other themes of a theme's group if they alone have a token that the theme lacks."""
        users = [self._users.get(name, []) for name, tokens in self.sets.items() if path in tokens]
        if not theme.group or not all(users):
            return ()
        found = [theme for of_set in users for theme in of_set]
        return tuple({theme.name: None for theme in found}) if all(each.group == theme.group for each in found) else ()

    def in_set(self, name: str) -> Iterator[str]:
        """Yield the rest of a reference that starts with the name of a set, if the set has such a token."""
        for each, tokens in self.sets.items():
            dotted = each.replace("/", ".")
            for prefix in {each: None, dotted: None, dotted.rpartition(".")[2]: None}:
                rest = name.removeprefix(f"{prefix}.")
                if rest != name and rest in tokens:
                    yield rest


class ThemeTokens:
    """The tokens of a theme.

    ``tokens`` has those that the theme creates, by their path: each one whose last definition is in an enabled set.
    ``own`` has the set whose definition counts, by path, also of tokens that the theme only refers to.
    ``replaced`` has the definitions of enabled sets that another set of the theme replaces. ``base_font_size`` is the
    number of pixels of a rem, or a reference; without one, lengths stay in rem.
    """

    def __init__(
        self,
        source: Source,
        theme: SourceTheme,
        shared: Definitions | None = None,
        *,
        base_font_size: float | str | None = None,
    ) -> None:
        self.theme = theme
        self._base = base_font_size
        self._shared = shared or Definitions(source)
        self._all: dict[str, SourceToken] = {}
        self.own: dict[str, str] = {}
        self._readings: dict[str, Reading] = {}
        self._targets: dict[str, Target | Refused] = {}
        self._folded: dict[str, str] | None = None
        self.tokens: Mapping[str, SourceToken]
        self.replaced: tuple[Replaced, ...]
        self.tokens, self.replaced = self._merged()

    def _merged(self) -> tuple[dict[str, SourceToken], tuple[Replaced, ...]]:
        sets, roles = self._shared.sets, self.theme.sets
        for name, tokens in sets.items():
            if name not in roles:
                self._all |= tokens
        enabled: dict[str, SourceToken] = {}
        replaced: list[Replaced] = []
        for name, role in roles.items():
            tokens = sets.get(name, {})
            if repeated := self.own.keys() & tokens.keys():
                tokens = {**tokens}
                for path in filter(repeated.__contains__, [*tokens]):
                    before, token = self._all[path], tokens[path]
                    if isinstance(before.value, dict) and isinstance(token.value, dict):
                        tokens[path] = self._shared.keep(replace(token, value={**before.value, **token.value}))
                    if path in enabled:
                        replaced.append(Replaced(self.own[path], before, name, token))
                        del enabled[path]
            self._all |= tokens
            self.own |= dict.fromkeys(tokens, name)
            if role == "enabled":
                enabled |= tokens
        return enabled, tuple(replaced)

    def lookup(self, path: str) -> SourceToken | None:
        """Return the token with a path, also of sets that the theme does not create."""
        return self._all.get(path)

    def definition(self, path: str) -> SourceToken:
        """Return the definition of a token that counts in the theme."""
        return self._shared.sets[self.own[path]][path]

    def definitions(self, path: str, winner: SourceToken) -> tuple[SourceToken, ...]:
        """Return all definitions that the value of a token comes from: earlier ones, too, if values were merged.

        ``winner`` is the definition that counts.
        """
        merged = self._all[path]
        if merged is winner or not isinstance(winner.value, dict) or merged.value == winner.value:
            return (winner,)
        earlier = (self._shared.sets.get(set_, {}).get(path) for set_ in self.theme.sets)
        return (winner, *(token for token in earlier if token is not None and token is not winner))

    @property
    def pixels_per_rem(self) -> float | Refused | None:
        """Return the base font size in pixels, why there is none, or None to keep lengths in rem."""
        if not isinstance(self._base, str):
            return self._base
        written, self._base = self._base, None  # a base font size in rem has no meaning
        reference = only_reference(written)
        target = Refused(f"the base font size {quoted(written)} is no reference")
        found = target if reference is None else self.target(reference.name)
        literal = found if isinstance(found, Refused) else self.literal(found.key)
        self._base = literal if type(literal) is float else written
        if type(literal) is float:
            return literal
        return Refused(f"the base font size {quoted(written)} is not a number of pixels")

    def value(self, path: str) -> Evaluated:
        """Return the value of a token."""
        return self.reading(path).value

    def literal(self, path: str) -> Literal | Refused:
        """Return the literal that a token resolves to."""
        return self.reading(path).literal

    def reading(self, path: str) -> Reading:
        """Return the value of a token with its literal, type and notes."""
        found = self._readings.get(path)
        return self._followed(path) if found is None else found

    def target(self, name: str) -> Target | Refused:
        """Return the token that a reference names, without its braces, or why there is none."""
        found = self._targets.get(name)
        if found is None:
            found = self._targets[name] = self._target(name)
        return found

    def same_in(self, other: ThemeTokens, paths: Iterable[str]) -> list[str]:
        """Return those of some paths whose definition counts in another theme, too."""
        own, theirs, find = self._all, other.own, other._all.get
        return [path for path in paths if find(path) is own[path] and path in theirs]

    def know(self, readings: Mapping[str, Reading]) -> None:
        """Accept readings that were evaluated in another theme."""
        self._readings |= readings

    def constant(self, paths: Iterable[str]) -> list[str]:
        """Return the paths whose values only depend on values of other such paths, or on none."""
        is_constant = dict.fromkeys(paths, True)
        constant: dict[str, bool] = {}
        varies_rem = isinstance(self._base, str)
        for path in is_constant:
            chain: dict[str, None] = {}
            at = path
            while (found := constant.get(at)) is None:
                known = self._shared.reading_of(self._all[at]) if at in is_constant and at not in chain else None
                chain[at] = None
                if type(known) is PlainReference:
                    at = known.name
                    continue
                if type(known) is Reading:
                    found = not varies_rem or type(known.literal) is not Quantity
                else:
                    found = type(known) is Template and not varies_rem and self._is_constant(known, is_constant)
                break
            constant.update(dict.fromkeys(chain, found))
        return [path for path in is_constant if constant[path]]

    def _is_constant(self, template: Template, paths: Mapping[str, bool]) -> bool:
        """Return whether all references of a text are to tokens of these paths that have no references."""
        names = (piece.name for piece in template.pieces if not isinstance(piece, str))
        return all(name in paths and type(self._shared.reading_of(self._all[name])) is Reading for name in names)

    def _followed(self, path: str) -> Reading:
        """Follow plain references to tokens of the theme, which most tokens are, and evaluate the token at the end."""
        token = self._all.get(path)
        known = None if token is None else self._shared.reading_of(token)
        if type(known) is PlainReference and known.name in self.own:  # most lead to a token whose value is known
            target = self._readings.get(known.name)
            if target is not None and (alias := plain_alias(known, target)) is not None:
                self._readings[path] = alias
                return alias
        chain: dict[str, PlainReference] = {}
        at = path
        while (found := self._readings.get(at)) is None:
            token = self._all.get(at)
            known = None if token is None else self._shared.reading_of(token)
            if type(known) is Reading:
                found = self._readings[at] = in_theme(known, self)
                break
            if type(known) is Template and (parts := self._known_parts(known)) is not None:
                found = of_parts(known.kind, parts, known.text)
                found = self._readings[at] = in_theme(found, self)
                break
            if type(known) is not PlainReference or known.name not in self.own or at in chain:
                found = self._evaluated(at)
                break
            chain[at] = known
            at = known.name
        while chain:
            at, reference = chain.popitem()
            alias = plain_alias(reference, found)
            if alias is None:
                found = self._readings.get(at) or self._evaluated(at)
            else:
                found = self._readings[at] = alias
        return found

    def _known_parts(self, template: Template) -> list[Part] | None:
        """Return a text with the readings of its references, if they are known and have literals, as most are."""
        parts: list[Part] = []
        for piece in template.pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            reading = self._readings.get(piece.name) if piece.name in self.own else None
            if reading is None and piece.name in self.own:
                known = self._shared.reading_of(self._all[piece.name])
                reading = in_theme(known, self) if type(known) is Reading else None
            if reading is None or isinstance(reading.literal, Refused):
                return None
            parts.append(Resolved(piece.name, reading))
        return parts

    def _evaluated(self, path: str) -> Reading:
        """Evaluate a token and all that it needs, without recursion: chains of references can be long."""
        frames: list[tuple[str, Evaluation]] = []
        waiting: dict[str, None] = {}
        need: str | None = path
        answer: Reading | None = None
        while True:
            if need is not None:
                answer = self._known(need, waiting)
                if answer is None:
                    frames.append((need, self._started(need)))
                    waiting[need] = None
            if not frames:
                return self._readings[path]
            owner, frame = frames[-1]
            try:
                need = next(frame) if answer is None else frame.send(answer)
            except StopIteration as done:
                need, answer = None, done.value
                self._readings[owner] = done.value
                frames.pop()
                del waiting[owner]

    def _known(self, path: str, waiting: Mapping[str, None]) -> Reading | None:
        """Return a reading without evaluating other tokens; None if they have to be."""
        found = self._readings.get(path)
        if found is not None:
            return found
        if path in waiting:
            chain = [*waiting][[*waiting].index(path) :]
            return refused(f"it refers to itself: {_cycle(chain)}")
        token = self._all.get(path)
        if token is not None:
            known = self._shared.reading_of(token)
            found = in_theme(known, self) if isinstance(known, Reading) else None
        elif self._member(path) is None:
            found = refused(f"there is no token {quoted(path)}")
        if found is not None:
            self._readings[path] = found
        return found

    def _started(self, path: str) -> Evaluation:
        token = self._all.get(path)
        return (
            evaluation(token, self)
            if token is not None
            else member_evaluation(self._member(path) or Target(path), self)
        )

    def _target(self, name: str) -> Target | Refused:
        if len(name) > LONGEST_NAME:
            return Refused(f"it refers to {shown(name)}, which is longer than {LONGEST_NAME:,} characters")
        forms = [name, name.removesuffix(".value"), name.removesuffix(".$value")]
        forms += [form[1:].lstrip() for form in forms if form[:1] == "!"]
        for find in (self._path, self._path_after_set, self._member, self._of_group):
            for form in dict.fromkeys(forms):
                if (found := find(form)) is not None:
                    return self._in_theme(found)
        return self._similar(forms[-1])

    def _path(self, name: str) -> Target | None:
        return Target(name) if name in self._all else None

    def _path_after_set(self, name: str) -> Target | None:
        return next(map(Target, self._shared.in_set(name)), None)

    def _member(self, name: str) -> Target | None:
        at = len(name)
        while (at := name.rfind(".", 0, at)) > 0:
            token = self._all.get(name[:at])
            if token is not None:
                return Target(name[:at], tuple(name[at + 1 :].split(".")))
        return None

    def _of_group(self, name: str) -> Target | None:
        return next((Target(path) for root in _ROOTS if (path := f"{name}.{root}") in self._all), None)

    def _in_theme(self, target: Target) -> Target | Refused:
        if target.path in self.own:
            return target
        others = self._shared.only_in(target.path, self.theme)
        if not others:
            return target
        what = "theme" if len(others) == 1 else "themes"
        return Refused(f"it refers to {shown(target.path)}, which only the {what} {listed(others)} of this group has")

    def _similar(self, name: str) -> Target | Refused:
        """Return a token whose name differs only in spaces at the ends of its parts, else why there is none."""
        if self._folded is None:
            self._folded = {_without_spaces(each).casefold(): each for each in self._all}
        similar = self._folded.get(_without_spaces(name).casefold())
        if similar is not None and _without_spaces(similar) == _without_spaces(name):
            return self._in_theme(Target(similar))
        hint = "" if similar is None else f"; did you mean {shown(similar)}?"
        return Refused(f"it refers to {shown(name)}, and there is no such token{hint}")


def share_readings(themes: Sequence[ThemeTokens]) -> dict[str, Reading]:
    """Return the readings that are the same in all themes, by path, and give them to each theme.

    They are those of definitions that count in every theme, and refer only to such definitions. Most tokens of most
    sources are so: with seven themes, evaluating them once instead of in each theme saves most of the work. Values that
    need more than following references (modifiers, composites) are left to each theme.
    """
    first, *others = themes
    paths = [*first.own]
    for other in others:
        paths = first.same_in(other, paths)
    constant = first.constant(paths)
    readings = {path: reading for path in constant if not (reading := first.reading(path)).members}
    for each in others:
        each.know(readings)
    return readings


def themes_of(source: Source, base_font_size: float | str | None = None) -> tuple[ThemeTokens, ...]:
    """Return the tokens of all themes of a source. What does not depend on a theme is evaluated once."""
    shared = Definitions(source)
    return tuple(ThemeTokens(source, theme, shared, base_font_size=base_font_size) for theme in source.themes)


def _cycle(chain: list[str]) -> str:
    """Return the tokens of a cycle, at most six of them."""
    names = [*map(shown, chain)]
    if len(names) > 6:
        names[3:-2] = ["\N{HORIZONTAL ELLIPSIS}"]
    return " \N{RIGHTWARDS ARROW} ".join((*names, names[0]))


def _without_spaces(path: str) -> str:
    return ".".join(each.strip() for each in path.split(".")) if " " in path else path
