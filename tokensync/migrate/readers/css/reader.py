"""Custom properties of CSS, and custom properties and variables of SCSS, as a source.

- Where a declaration holds decides about its mode: see ``conditions``. The conditions of a token are its
  dimensions. Each dimension is a group of themes; a token that two dimensions change is in a group of both, whose modes
  are the combinations that the stylesheet writes. A token that no condition changes is in the group ``base``.
- Two ways to write a mode (``.dark`` and a media query) are one mode. Of several values in a mode, the one that the
  cascade of CSS takes is kept: by ``!important``, layer, specificity, then order. The others are reported.
- A class or attribute of any name is a mode of a theme if more than half of the names that it declares are declared
  for the whole page, too, and are at least 5 % of these. Declarations of other selectors, and under ``@supports`` and
  ``@container``, are in a set of their own, which no theme has.
- Files that no other one imports are modes of one another if they declare the same names under the same conditions,
  with other values, and their names or their places say so, as with other formats: ``light.css`` and ``dark.css``.
- ``@theme`` of Tailwind declares for the whole page, before all other rules.
- A name is divided at hyphens into groups as far as three or more names share the beginning and no token has it as its
  whole name: ``--color-red-50`` is ``color.red.50`` beside enough others, ``--card`` and ``--card-title`` stay as they
  are. The code syntax keeps the name that code has.

Each declaration is a token of one or several sets, or is reported. One in several sets (``light-dark()``, alternatives
of a selector, a mixin) has the same location in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tokensync.migrate.readers.css.conditions import (
    Alternative,
    Condition,
    Dimensions,
    Slot,
    alternatives_of,
    has_light_dark,
)
from tokensync.migrate.readers.css.stylesheet import Call, Declaration, Part, Rule, Variable, rendered, split, words_in
from tokensync.migrate.readers.css.values import ENDINGS, Defined, Identifier, Sheets, Values, sheets, stem
from tokensync.migrate.readers.platform_files import APPEARANCE, BASE, Combination, Group, Pair, grouped
from tokensync.migrate.readers.variants import file_modes
from tokensync.migrate.source import EMPTY, PARTS_OF_COLOR, Location, Source, SourceToken, TokenSet, Unread
from tokensync.system.wording import counted, listed

_DECLARED = re.compile(rb"(?:^|[\s;{/])(?:--[^\s:;{}()]+|\$[\w-]+)\s*:|@theme\b")
_INSIGNIFICANT = re.compile(r"\s+|(?<![\d.])0(?=\.)")
_NO_VALUES = {"initial", "inherit", "unset", "revert", "revert-layer", "null"}
_UNLAYERED = 1_000_000


class _Candidate(NamedTuple):
    """A definition in a slot. ``rank`` is its place in the cascade, ``order`` that among all declarations."""

    rank: tuple[int, ...]
    order: int
    defined: Defined
    appearance: str


def recognized(files: Mapping[str, bytes]) -> bool:
    """Return whether some file is a stylesheet that declares custom properties or variables."""
    return any(path.lower().endswith(ENDINGS) and _DECLARED.search(content) for path, content in files.items())


def read(files: Mapping[str, bytes]) -> Source:
    """Read the stylesheets of a source. Other files are only searched for uses of colours without their function."""
    return _Reader(sheets(files), files).source()


class _Reader:
    def __init__(self, loaded: Sheets, files: Mapping[str, bytes]) -> None:
        self.sheets = loaded
        self.unread = list(loaded.unread)
        self.resets = list(_resets(loaded.defined))
        readable = [each for order, each in enumerate(loaded.defined) if self.is_readable(order, each)]
        self.names = _paths(dict.fromkeys(defined.identifier for defined in readable))
        paths = {identifier: ".".join(names) for identifier, names in self.names.items()}
        self.values = Values(loaded, paths, files.values())
        modes, self.guessed_files = _modes_of_files(
            [defined for defined in readable if defined.declaration.at.file not in loaded.imported]
        )
        self.readable = [
            (each, [of_file.joined(inner) for inner in alternatives_of(each.declaration.rules, loaded.custom_media)])
            for each in readable
            for of_file in [modes.get(each.declaration.at.file, Alternative())]
        ]
        self.dimensions = Dimensions(self.readable)
        self.slots: dict[Slot, dict[Identifier, list[_Candidate]]] = {}
        self.undeclared: dict[str, Location] = {}

    def source(self) -> Source:
        layers = _Layers(self.sheets.layers)
        for order, (defined, alternatives) in enumerate(self.readable):
            self.add(order, defined, alternatives, layers)
        combinations: dict[Identifier, list[Combination]] = {}
        for slot, tokens in self.slots.items():
            for identifier in tokens if not slot.part else ():
                combinations.setdefault(identifier, []).append(slot.combination)
        groups = {identifier: self.dimensions.modes.group(each) for identifier, each in combinations.items()}
        modes: dict[Group, dict[Combination, None]] = {(): {}}
        sets: dict[str, dict[int, SourceToken]] = {}
        kept, lost = set[int](), list[tuple[_Candidate, _Candidate]]()
        for slot, tokens in sorted(self.slots.items(), key=lambda item: (not item[0].part, len(item[0].combination))):
            for identifier, candidates in tokens.items():
                winner = max(candidates, key=lambda each: each.rank)
                token = self.token(winner)
                others = [candidate for candidate in candidates if candidate.order != winner.order]
                lost += [(other, winner) for other in others if token is None or not _repeats(other, winner)]
                if token is None:
                    continue
                equal = [other for other in others if _repeats(other, winner)]
                kept.update(candidate.order for candidate in (winner, *equal))
                name = f"<{slot.part}>" if slot.part == BASE else slot.part
                if not name:
                    modes.setdefault(groups[identifier], {})[slot.combination] = None
                    name = self.dimensions.modes.set_name(groups[identifier], slot.combination)
                own = sets.setdefault(name, {})
                own |= {each.order: replace(token, at=each.defined.declaration.at) for each in (winner, *equal)}
        self.report_lost(lost, kept)
        self.report_notes()
        _write_mixed_as_css(sets.values())
        token_sets = tuple(TokenSet(name, tuple(each[at] for at in sorted(each))) for name, each in sets.items())
        guesses = self.dimensions.guesses | self.guessed_files
        themes = self.dimensions.modes.themes({group: each for group, each in modes.items() if each}, guesses)
        if self.dimensions.is_light_guessed:
            themes = tuple(
                replace(theme, is_name_guessed=theme.is_default and theme.name == "light") for theme in themes
            )
        return Source("css", token_sets, themes, tuple(self.unread))

    def is_readable(self, order: int, defined: Defined) -> bool:
        """Return whether a declaration has a value to migrate; if not, report it."""
        declaration = defined.declaration
        is_local = any(rule.kind == "local" for rule in declaration.rules)
        if is_local and (declaration.at, declaration.name) in self.sheets.included:
            return False
        reason = declaration.broken or _unreadable(defined) or self.removed(order, defined)
        if reason:
            self.unread.append(Unread(declaration.at, _label(defined), reason))
        return not reason

    def removed(self, order: int, defined: Defined) -> str:
        """Return why a theme of Tailwind has a name no longer, ``""`` if it has."""
        if not _is_in_theme(defined.declaration.rules):
            return ""
        for at, prefix, is_exact, reset in self.resets:
            name = defined.identifier.name
            if at > order and (name == prefix if is_exact else name.startswith(prefix)):
                return f"{reset.name}: initial in {reset.at} removes it"
        return ""

    def add(self, order: int, defined: Defined, alternatives: list[Alternative], layers: _Layers) -> None:
        """Add a declaration to the slots of its alternatives; ``light-dark()`` adds it once for each appearance."""
        declaration = defined.declaration
        label = " ".join(rule.text for rule in declaration.rules if rule.kind not in {"layer", "theme"})
        for alternative, slot in self.dimensions.slots(alternatives, label):
            moded = dict(slot.combination).get(APPEARANCE, "")
            explicit = [condition.mode for condition in alternative.conditions if condition.dimension == APPEARANCE]
            fixed = moded or "".join(explicit[-1:])
            chosen = [fixed or "light"] if fixed or slot.part or not has_light_dark(defined) else ["light", "dark"]
            for appearance in chosen:
                pairs = set(slot.combination) | ({(APPEARANCE, appearance)} if len(chosen) > 1 else set())
                found = slot._replace(combination=self.dimensions.without_defaults(pairs))
                rank = (
                    *_rank(declaration.flags, order),
                    *layers.rank(declaration.rules),
                    alternative.specificity,
                    order,
                )
                candidates = self.slots.setdefault(found, {}).setdefault(defined.identifier, [])
                candidates.append(_Candidate(rank, order, defined, appearance))

    def token(self, candidate: _Candidate) -> SourceToken | None:
        """Return the token of a definition; report it if its value cannot be written."""
        defined = candidate.defined
        declaration = defined.declaration
        value = self.values.value(defined, candidate.appearance)
        if value.reason:
            self.unread.append(Unread(declaration.at, _label(defined), value.reason))
            return None
        for name in value.undeclared:
            self.undeclared.setdefault(name, declaration.at)
        return SourceToken(
            self.names[defined.identifier],
            value.written,
            declaration.at,
            value.type,
            declaration.comment,
            is_text=value.is_text,
            code_syntax=_code(defined.identifier),
            extensions={PARTS_OF_COLOR: True} if defined.identifier.name in self.values.triples else EMPTY,
        )

    def report_lost(self, lost: Iterable[tuple[_Candidate, _Candidate]], kept: set[int]) -> None:
        """Report definitions that another one of the same mode replaces."""
        for loser, winner in lost:
            declaration, other = loser.defined.declaration, winner.defined.declaration
            if declaration.value is other.value:  # a mixin that is included twice
                kept.add(loser.order)
                continue
            before, after = rendered(declaration.value), rendered(other.value)
            reason = f"{other.at} replaces it in the same mode: {before[:80]!r} by {after[:80]!r}"
            is_token = loser.order not in kept
            kept.add(loser.order)
            self.unread.append(Unread(declaration.at, _label(loser.defined), reason, is_token))

    def report_notes(self) -> None:
        """Report names that no file declares, and values that became colours."""
        for name, at in self.undeclared.items():
            reason = "no file declares it; add the file that does, or give it a value"
            if name in self.sheets.declared:
                reason = "its declarations are reported, so it has no value; give it one"
            self.unread.append(Unread(at, name, reason, is_token=False))
        triples = [each for each, _ in self.readable if each.identifier.name in self.values.triples]
        if triples:
            names = list(dict.fromkeys(triple.identifier.name for triple in triples))
            function = self.values.triples[names[0]]
            reason = (
                f"{counted(len(names), 'name')} with the components of a colour became whole colours: {listed(names)}; "
                f"in code, {function}(var({names[0]})) has to become var({names[0]})"
            )
            self.unread.append(Unread(triples[0].declaration.at, names[0], reason, is_token=False))


def _write_mixed_as_css(sets: Iterable[dict[int, SourceToken]]) -> None:
    """Give shadows the type ``css`` if another mode has a text that is none, such as ``none``: a token has one type."""
    types: dict[tuple[str, ...], set[str]] = {}
    own = [(of_set, order, token) for of_set in sets for order, token in of_set.items()]
    for _, _, token in own:
        types.setdefault(token.name, set()).add(token.type)
    for of_set, order, token in own:
        if {"css", "shadow"} <= types[token.name]:
            of_set[order] = replace(token, type="css") if token.type == "shadow" else token


def _repeats(one: _Candidate, other: _Candidate) -> bool:
    """Return whether a declaration has the value of another one, and is not the same mixin included twice."""
    values = one.defined.declaration.value, other.defined.declaration.value
    return values[0] is not values[1] and _significant(values[0]) == _significant(values[1])


def _significant(value: Sequence[Part]) -> str:
    """Return the text of a value without what minified ones lack."""
    return _INSIGNIFICANT.sub("", rendered(value).lower())


class _Layers:
    """The order of cascade layers: as declared, then as they appear."""

    def __init__(self, declared: Sequence[str]) -> None:
        self.order = {name: at for at, name in enumerate(declared)}

    def rank(self, rules: Sequence[Rule]) -> tuple[int]:
        """Return the rank of a rule: that of a theme of Tailwind, of its outermost layer, or above all layers."""
        for rule in rules:
            if rule.kind == "theme":
                return (-2 if any(getattr(node, "value", "") == "default" for node in rule.nodes) else -1,)
            if rule.kind == "layer":
                words = [str(node.value) for node in rule.nodes if node.type == "ident"]
                name = words[0] if words else f"{rule.at}"
                return (self.order.setdefault(name, len(self.order)),)
        return (_UNLAYERED,)


def _rank(flags: frozenset[str], order: int) -> tuple[int, ...]:
    """Return the rank of the flags. The first of several defaults of SCSS counts, and only without another value."""
    if "initial" in flags:
        return (-2, 0)
    if "override" in flags:
        return (2, 0)
    if "default" in flags:
        return (-1, -order)
    return (int("important" in flags), 0)


def _is_in_theme(rules: Sequence[Rule]) -> bool:
    return any(rule.kind == "theme" for rule in rules)


def _resets(defined: Sequence[Defined]) -> Iterator[tuple[int, str, bool, Declaration]]:
    """Yield the declarations that remove names from Tailwind's theme, with their order and the start of the names."""
    for order, (_, declaration) in enumerate(defined):
        if _is_in_theme(declaration.rules) and rendered(declaration.value) == "initial":
            name = declaration.name
            yield order, name.removesuffix("*"), not name.endswith("*"), declaration


def _unreadable(defined: Defined) -> str:
    """Return why a declaration has no value to migrate, ``""`` if it has one."""
    identifier, declaration = defined
    text = rendered(declaration.value)
    local = next((rule for rule in declaration.rules if rule.kind == "local"), None)
    if local:
        advice = "; compile the SCSS, and give the CSS" if declaration.at.file.lower().endswith(".scss") else ""
        return f"it is inside of {local.text[:80]}, whose values depend on when it is used{advice}"
    if identifier.is_scss and declaration.rules and "global" not in declaration.flags:
        return "the variable is local to a block"
    if identifier.name.endswith("*"):
        return "it removes names from Tailwind's theme"
    if (
        not identifier.name.strip("-$")
        or not all(identifier.keys)
        or re.search(r"[{}]", "".join((identifier.name, *identifier.keys)))
    ):
        return "references cannot contain this name; rename it"
    if not text:
        return "the value is empty"
    if text.lower() in _NO_VALUES:
        return f"{text} is no value of its own"
    for part in words_in(declaration.value):
        match part:
            case Call("var", arguments) if rendered(split(arguments, ",")[0]) == identifier.name:
                return "it refers to itself: the declaration elsewhere counts"
            case Variable(name, "") if f"${name.replace('_', '-')}" == identifier.name:
                return "it changes its own earlier value; compile the SCSS, and give the CSS"
    return ""


def _modes_of_files(readable: Iterable[Defined]) -> tuple[dict[str, Alternative], dict[Pair, str]]:
    """Return the condition of each file that is a mode, and the reason by mode.

    Other files have its declarations with other values.
    """
    texts: dict[str, dict[str, str]] = {}
    for identifier, declaration in readable:
        around = " ".join(rule.text for rule in declaration.rules)
        texts.setdefault(declaration.at.file, {})[f"{identifier} {around}"] = _significant(declaration.value)
    alternatives: dict[str, Alternative] = {}
    guesses: dict[Pair, str] = {}
    for found in file_modes({file: frozenset(own) for file, own in texts.items()}):
        of_modes = [
            {name: text for file in files for name, text in texts[file].items()} for files in found.files.values()
        ]
        if all(text == of_modes[0].get(name, text) for mode in of_modes for name, text in mode.items()):
            continue
        dimension = found.dimension if {"light", "dark"}.isdisjoint(found.files) else APPEARANCE
        for mode, files in found.files.items():
            guesses[dimension, mode] = found.guess
            alternatives |= dict.fromkeys(files, Alternative((Condition(dimension, mode),)))
    return alternatives, guesses


def _label(defined: Defined) -> str:
    identifier = defined.identifier
    return ".".join((identifier.name, *identifier.keys))


def _code(identifier: Identifier) -> tuple[tuple[str, str], ...]:
    """Return the code syntax of a name, none for entries of maps and for names that need escapes."""
    if identifier.keys or not re.fullmatch(r"(?:--|\$)[\w-]+", identifier.name):
        return ()
    return (("WEB", identifier.name if identifier.is_scss else f"var({identifier.name})"),)


def _paths(identifiers: Iterable[Identifier]) -> dict[Identifier, tuple[str, ...]]:
    """Return the path of each name."""
    listed_identifiers = list(identifiers)
    heads = {identifier: identifier.name.removeprefix("--").removeprefix("$") for identifier in listed_identifiers}
    groups = grouped(heads.values(), "-")
    files: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for each in listed_identifiers:
        files.setdefault((each.name, each.keys), set()).add(each.file)
    paths: dict[Identifier, tuple[str, ...]] = {}
    used: set[str] = set()
    for each in sorted(listed_identifiers, key=lambda identifier: identifier.is_scss):
        path = (*groups[heads[each]], *each.keys)
        if len(files[each.name, each.keys]) > 1:
            path = (stem(each.file), *path)
        while ".".join(path) in used:
            path = ("scss", *path)
        used.add(".".join(path))
        paths[each] = path
    return paths
