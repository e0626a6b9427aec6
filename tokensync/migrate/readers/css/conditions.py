"""The rules around a declaration of CSS to the conditions under which it holds, and these to modes and parts of a page.

A condition is a dimension and a mode:

- ``:root``, ``html``, ``body``, ``:host``, ``*`` and ``::before`` select everything: no condition.
- ``.dark``, ``.theme-dark``, ``[data-mode=dark]`` and ``(prefers-color-scheme: dark)`` are the mode ``dark`` of the
  dimension ``appearance``.
- ``.theme-a``, ``.a-theme`` and ``[data-theme=a]`` are the mode ``a`` of ``theme``; so for the other words of
  ``_WORDS``. A dimension with a mode ``light`` or ``dark`` is ``appearance``.
- A media feature is a dimension: ``contrast``, ``motion``, ``gamut``, ``width``, or its own name.
- Other classes and attributes can be a theme or a part of a page; the names that they declare decide (``Dimensions``).
- States (``:hover``), other elements, ``@supports`` and ``@container`` are no modes that a designer could choose.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.migrate.readers.css.stylesheet import Call, Rule, rendered, words_in
from tokensync.migrate.readers.platform_files import APPEARANCE, CUMULATIVE, Combination, Modes, Pair
from tokensync.migrate.readers.variants import connected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.migrate.readers.css.values import Defined

_OPPOSITE = {"light": "dark", "dark": "light"}
_AUTOMATIC = {"auto", "system"}
_DEFAULT_MODES = {"default", "standard", "no-preference", "normal", "none", "srgb", "ltr"}
"""Modes that mean that a dimension is not changed."""

_WORDS = (
    "appearance|brand|color-mode|color-scheme|contrast|density|direction|mode|motion|palette|platform|scheme|skin|theme"
)
_APPEARANCE_WORDS = {"appearance", "color-mode", "color-scheme", "mode", "scheme"}
_WORD_FIRST = re.compile(rf"(?:.*[-_])?(?<!high[-_])(?<!low[-_])(?<!increased[-_])({_WORDS})[-_]+(.+)")
_WORD_LAST = re.compile(r"(.+?)[-_]+(color-mode|color-scheme|contrast|density|mode|scheme|skin|theme)")
_WORD = re.compile(rf"(?:.*[-_:])?({_WORDS})")
_KNOWN_CLASSES = {
    "light": (APPEARANCE, "light"),
    "dark": (APPEARANCE, "dark"),
    "is-light": (APPEARANCE, "light"),
    "is-dark": (APPEARANCE, "dark"),
    "compact": ("density", "compact"),
    "comfortable": ("density", "comfortable"),
    "cozy": ("density", "cozy"),
    "spacious": ("density", "spacious"),
    "rtl": ("direction", "rtl"),
    "ltr": ("direction", "ltr"),
}
_NO_MODES = re.compile(r"button|container|icon|picker|provider|root|select(?:or)?|switch(?:er)?|toggle|wrapper")
"""What a class such as ``theme-provider`` names instead of a mode."""

_STATES = re.compile(r"active|align|checked|disabled|open|orientation|placement|selected|side|size|slot|state|variant")
"""Attributes of components, after ``data-``."""

_FEATURES = {
    "prefers-color-scheme": APPEARANCE,
    "prefers-contrast": "contrast",
    "prefers-reduced-motion": "motion",
    "prefers-reduced-transparency": "transparency",
    "prefers-reduced-data": "data",
    "color-gamut": "gamut",
}
_MODES = {("contrast", "high"): "more", ("contrast", "low"): "less", ("motion", "reduce"): "reduced"}
_EVERYTHING = {"root", "host", "scope", "before", "after", "backdrop", "html", "body", "*", "&"}
_LISTS = {"is", "where", "host", "host-context", "has", "matches", "any", "-webkit-any", "-moz-any"}
_LEAST_SHARE = 0.05
"""The share of a page's names that a theme changes at least."""
_MOST_ALTERNATIVES = 64
_LONGEST = 200
"""Characters of a class that is searched for words."""


class Condition(NamedTuple):
    """A mode of a dimension.

    ``origin`` is the attribute or the kind of classes that the dimension's modes are written with. ``is_known`` is
    false if the text is only a class or an attribute of any name.
    """

    dimension: str
    mode: str
    origin: str = ""
    is_known: bool = True


class Alternative(NamedTuple):
    """An alternative of a selector, with the conditions of all rules around it.

    ``part`` describes the part of a page, or the state, if the rules select one.
    """

    conditions: tuple[Condition, ...] = ()
    part: str = ""
    specificity: int = 0

    def joined(self, inner: Alternative) -> Alternative:
        """Return the alternative of a rule inside of another."""
        conditions = tuple(dict.fromkeys((*self.conditions, *inner.conditions)))
        part = " ".join(dict.fromkeys(filter(None, (self.part, inner.part))))
        return Alternative(conditions, part, self.specificity + inner.specificity)


def alternatives_of(rules: Iterable[Rule], custom_media: Mapping[str, str]) -> list[Alternative]:
    """Return the alternatives of nested rules."""
    found = [Alternative()]
    for rule in rules:
        match rule.kind:
            case "selector":
                inner = _selectors(rule.nodes)
            case "media":
                inner = _media(rule.nodes, custom_media, frozenset())
            case "layer" | "theme":
                inner = [Alternative()]
            case "other":
                inner = [_variant(rule)]
            case _:
                inner = [Alternative(part=rule.text)]
        found = [outer.joined(each) for outer, each in list(product(found, inner))[:_MOST_ALTERNATIVES]]
    return list(dict.fromkeys(map(_without_automatic, found)))


def _without_automatic(alternative: Alternative) -> Alternative:
    """Return an alternative without ``[data-theme=auto]`` where a media query has its appearance."""
    conditions = alternative.conditions
    if not any(condition.dimension == APPEARANCE and condition.mode in _OPPOSITE for condition in conditions):
        return alternative
    kept = (each for each in conditions if each.mode not in _AUTOMATIC or each.dimension not in (APPEARANCE, "theme"))
    return alternative._replace(conditions=tuple(kept))


def _variant(rule: Rule) -> Alternative:
    """Return the alternative of ``@variant dark`` and ``@include dark-theme``, whose names tell their condition."""
    keyword = rule.text.split(" ", 1)[0]
    names = [str(node.value) for node in rule.nodes if node.type == "ident"]
    condition = _of_class(names[0]) if names and keyword in {"@variant", "@include"} else None
    return Alternative((condition,)) if condition and condition.is_known else Alternative(part=rule.text)


def _named(kind: str, word: str, mode: str) -> Condition:
    """Return the condition of a dimension that a word names."""
    dimension = APPEARANCE if word in _APPEARANCE_WORDS else word
    return Condition(dimension, _MODES.get((dimension, mode), mode), f"{kind} {word}")


def _of_class(name: str) -> Condition | None:
    """Return the condition of a class, None for the element that themes are applied to."""
    lower = name.lower()
    if len(name) > _LONGEST:
        return Condition("theme", name, is_known=False)
    if lower in _KNOWN_CLASSES:
        return Condition(*_KNOWN_CLASSES[lower])
    if (found := _WORD_FIRST.fullmatch(lower)) and _NO_MODES.fullmatch(found[2]):
        return None
    if found := _WORD_FIRST.fullmatch(lower):
        return _named("class", found[1], _as_written(name[-len(found[2]) :]))
    if found := _WORD_LAST.fullmatch(lower):
        return _named("class", found[2], _as_written(name[: len(found[1])]))
    return Condition("theme", name, is_known=False)


def _as_written(mode: str) -> str:
    """Return the mode that a class names, with its capitals unless it is an appearance."""
    return mode.lower() if mode.lower() in _OPPOSITE else mode


def _of_attribute(name: str, mode: str) -> Condition | None:
    """Return the condition of ``[name=mode]``; an attribute without a value has none."""
    name = name.lower()
    if name == "class":
        return _of_class(mode)
    if name == "dir":
        return Condition("direction", mode)
    if not mode:
        return _of_class(name.removeprefix("data-")) if name.startswith("data-") else None
    if found := _WORD.fullmatch(name.removeprefix("data-")):
        return _named(name, found[1], mode)
    is_own = name.startswith("data-") and not _STATES.fullmatch(name.removeprefix("data-"))
    return Condition(name.removeprefix("data-"), mode, is_known=False) if is_own else None


def _split(nodes: Sequence[Any], separator: str) -> list[list[Any]]:
    pieces: list[list[Any]] = [[]]
    for node in nodes:
        if node.type == "literal" and node.value == separator:
            pieces.append([])
        elif node.type != "comment":
            pieces[-1].append(node)
    return pieces


def _selectors(nodes: Sequence[Any], depth: int = 0) -> list[Alternative]:
    """Return the alternatives of a list of selectors."""
    found: list[Alternative] = []
    for complex_selector in _split(nodes, ","):
        found += _selector(complex_selector, depth)
    return found[:_MOST_ALTERNATIVES]


def _selector(nodes: list[Any], depth: int) -> list[Alternative]:
    """Return the alternatives of a complex selector."""
    found = [Alternative()]
    i = 0
    while i < len(nodes):
        used, inner = _simple(nodes, i, depth)
        found = [outer.joined(each) for outer, each in list(product(found, inner))[:_MOST_ALTERNATIVES]]
        i += used
    return found


def _simple(nodes: list[Any], i: int, depth: int) -> tuple[int, list[Alternative]]:
    """Return the number of nodes of the simple selector at ``i``, and its alternatives."""
    node = nodes[i]
    following = nodes[i + 1] if i + 1 < len(nodes) else None
    match node.type:
        case "literal" if node.value == "." and following and following.type == "ident":
            condition = _of_class(following.value)
            return 2, [Alternative((condition,) if condition else (), specificity=100)]
        case "literal" if node.value == ":" and following:
            if following.type == "literal" and i + 2 < len(nodes):
                return 3, [_pseudo(nodes[i + 2], "::")]
            return 2, _pseudo_class(following, depth)
        case "literal" if node.value in {"&", "*", ">", "+", "~"}:
            return 1, [Alternative()]
        case "[] block":
            return 1, [_attribute(node)]
        case "ident" if node.lower_value in _EVERYTHING:
            return 1, [Alternative(specificity=1)]
        case "hash":
            return 1, [Alternative((Condition("theme", f"#{node.value}", is_known=False),), specificity=10_000)]
        case "whitespace" | "comment":
            return 1, [Alternative()]
        case "ident":
            return 1, [Alternative(part=str(node.value), specificity=1)]
    return 1, [Alternative(part="computed selector")]


def _attribute(node: Any) -> Alternative:
    words = [each for each in node.content if each.type in {"ident", "string"}]
    operators = "".join(each.value for each in node.content if each.type == "literal")
    if not words:
        return Alternative(part="computed selector")
    name, value = str(words[0].value), str(words[1].value) if len(words) > 1 else ""
    if operators not in {"", "=", "~=", "|="}:
        return Alternative(part=f"[{name}{operators}{value}]", specificity=100)
    if not value and _WORD.fullmatch(name.lower().removeprefix("data-")):
        return Alternative(specificity=100)  # whatever theme an element has
    condition = _of_attribute(name, value)
    written = f"[{name}={value}]" if value else f"[{name}]"
    return Alternative((condition,), specificity=100) if condition else Alternative(part=written, specificity=100)


def _pseudo(node: Any, colons: str) -> Alternative:
    """Return the alternative of a pseudo-element, or of a pseudo-class without selectors in it."""
    name = str(getattr(node, "lower_value", "") or getattr(node, "lower_name", ""))
    if name in _EVERYTHING:
        return Alternative(specificity=1 if colons == "::" or name in {"before", "after"} else 100)
    return Alternative(part=f"{colons}{name}", specificity=100)


def _pseudo_class(node: Any, depth: int) -> list[Alternative]:
    if node.type != "function" or depth > 8:
        return [_pseudo(node, ":")]
    name = node.lower_name
    if name in _LISTS:
        inner = _selectors(node.arguments, depth + 1)
        return [alternative._replace(specificity=0) for alternative in inner] if name == "where" else inner
    if name == "not":
        return [_negated(_selectors(node.arguments, depth + 1))]
    words = [str(argument.value) for argument in node.arguments if argument.type in {"ident", "string"}]
    if name in {"dir", "lang"} and words:
        return [Alternative((Condition({"dir": "direction"}.get(name, name), words[0]),), specificity=100)]
    return [_pseudo(node, ":")]


def _negated(alternatives: list[Alternative]) -> Alternative:
    """Return the alternative outside of others: the opposite appearance, or everything."""
    specificity = max(alternative.specificity for alternative in alternatives)
    if len(alternatives) == 1 and len(alternatives[0].conditions) == 1:
        condition = alternatives[0].conditions[0]
        if condition.dimension == APPEARANCE and condition.mode in _OPPOSITE:
            return Alternative((Condition(APPEARANCE, _OPPOSITE[condition.mode]),), specificity=specificity)
    return Alternative(specificity=specificity)


def _media(nodes: Sequence[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Alternative]:
    """Return the alternatives of a media query list."""
    found: list[Alternative] = []
    for query in _split(nodes, ","):
        found += _query(query, custom_media, seen)
    return found[:_MOST_ALTERNATIVES]


def _query(nodes: list[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Alternative]:
    """Return the alternatives of a media query."""
    words = [node.lower_value for node in nodes if node.type == "ident"]
    features = [node for node in nodes if node.type == "() block"]
    inner = [_feature(feature.content, custom_media, seen) for feature in features]
    if "not" in words:
        flat = [alternative for alternatives in inner for alternative in alternatives]
        negated = _negated(flat) if len(flat) == 1 else Alternative()
        return [negated] if negated.conditions else [Alternative(part=f"@media {_text(nodes)}")]
    if "print" in words or "speech" in words:
        inner.append([Alternative((Condition("media", "print" if "print" in words else "speech"),))])
    if "or" in words:
        return [alternative for alternatives in inner for alternative in alternatives]
    found = [Alternative()]
    for alternatives in inner:
        found = [_both(outer, each) for outer, each in list(product(found, alternatives))[:_MOST_ALTERNATIVES]]
    return found


def _both(first: Alternative, second: Alternative) -> Alternative:
    """Return the alternative of two features. Limits of the same dimension, such as the width, become one mode."""
    conditions = {condition.dimension: condition for condition in first.conditions}
    for condition in second.conditions:
        earlier = conditions.get(condition.dimension, condition)
        mode = condition.mode if earlier == condition else f"{earlier.mode} and {condition.mode}"
        conditions[condition.dimension] = condition._replace(mode=mode)
    part = " ".join(filter(None, (first.part, second.part)))
    return Alternative(tuple(conditions.values()), part)


def _text(nodes: Sequence[Any]) -> str:
    try:
        return " ".join("".join(node.serialize() for node in nodes).split())
    except RecursionError:  # hundreds of nested brackets
        return "nested"


def _feature(nodes: Sequence[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Alternative]:
    """Return the alternatives of the content of brackets in a media query."""
    import tinycss2  # type: ignore[import-untyped]

    try:
        if any(node.type == "() block" for node in nodes):
            too_many = len(seen) >= _MOST_ALTERNATIVES
            return [Alternative(part="nested")] if too_many else _query(list(nodes), custom_media, seen)
    except RecursionError:
        return [Alternative(part="nested")]
    text = _text(nodes)
    name, colon, value = (piece.strip().lower() for piece in text.partition(":"))
    if name.startswith("--"):
        written = text.strip()
        if written in seen or written not in custom_media:
            return [Alternative(part=f"@media ({written})")]
        return _media(tinycss2.parse_component_value_list(custom_media[written]), custom_media, seen | {written})
    if limit := re.fullmatch(r"(width|height) (>=?|<=?) (\S+)", text.lower()):
        return [Alternative((Condition(limit[1], f"{'min' if limit[2][0] == '>' else 'max'}-{limit[1]}: {limit[3]}"),))]
    if limit := re.fullmatch(r"(?:min-|max-)?(width|height)", name):
        return [Alternative((Condition(limit[1], f"{name}: {value}"),))]
    if not re.fullmatch(r"[a-z-]+", name):
        return [Alternative(part=f"@media ({text})")]
    dimension = _FEATURES.get(name, name)
    mode = value if colon else {"prefers-contrast": "more", "prefers-reduced-motion": "reduced"}.get(name, "on")
    return [Alternative((Condition(dimension, _MODES.get((dimension, mode), mode)),))]


class Slot(NamedTuple):
    """Where a definition goes: the modes under which it holds, or the part of a page."""

    combination: Combination = frozenset()
    part: str = ""


class Dimensions:
    """The dimensions of all declarations."""

    def __init__(self, declarations: Sequence[tuple[Defined, list[Alternative]]]) -> None:
        conditions = [
            each for _, alternatives in declarations for alternative in alternatives for each in alternative.conditions
        ]
        self._appearance_origins = {
            each.origin for each in conditions if each.dimension == "theme" and each.origin and each.mode in _OPPOSITE
        }
        self._themes: dict[Condition, Pair] = {}
        self._everything: set[Condition] = set()
        self._find_themes(declarations)
        found = tuple(dict.fromkeys(dimension for condition in conditions for dimension, _ in [self._pair(condition)]))
        self.defaults: dict[str, str] = {}
        self.is_light_guessed = False
        self._find_defaults(declarations)
        guess = "classes or attributes declare mostly names of the whole page, or of each other"
        self.guesses = dict.fromkeys(self._themes.values(), guess)
        order = found if APPEARANCE in found else (APPEARANCE, *found)
        self.modes = Modes(order, self.defaults)

    def _find_themes(self, declarations: Sequence[tuple[Defined, list[Alternative]]]) -> None:
        """Find the classes and attributes of any name that declare mostly what is declared for the whole page, too.

        Another class is everything if it declares names of the page, too, and attributes beside it some more, or if
        nothing is declared for the page, and no other class declares more.
        """
        names: dict[Condition, set[str]] = {}
        page: set[str] = set()
        with_attributes: set[Condition] = set()
        for defined, alternatives in declarations:
            if any(_is_of_page(alternative) for alternative in alternatives):
                page.add(defined.identifier.name)
                continue
            for alternative in alternatives:
                if condition := _candidate(alternative):
                    names.setdefault(condition, set()).add(defined.identifier.name)
                elif condition := _with_attributes(alternative):
                    with_attributes.add(condition)
        themes: dict[Condition, set[str]] = {}
        for condition, own in names.items():
            others = page or set[str]().union(*(each for other, each in names.items() if other != condition))
            shared = len(own & others)
            if 2 * shared > len(own) and shared >= _LEAST_SHARE * len(others):
                themes[condition] = own
            elif condition in with_attributes and own & page and len(own) >= _LEAST_SHARE * len(page):
                self._everything.add(condition)
        if not page and len(themes) < len(names):
            self._everything.add(max(names, key=lambda each: 0 if each in themes else len(names[each])))
        self._themes = dict(_named_themes(themes))

    def _pair(self, condition: Condition) -> Pair:
        if condition in self._themes:
            return self._themes[condition]
        is_appearance = condition.mode in _OPPOSITE or condition.origin in self._appearance_origins
        if condition.dimension == "theme" and condition.is_known and is_appearance:
            return APPEARANCE, condition.mode
        return condition.dimension, condition.mode

    def _find_defaults(self, declarations: Sequence[tuple[Defined, list[Alternative]]]) -> None:
        """Find the name of each dimension's default: the mode whose values are those of the whole page.

        Without such a mode, the default appearance is ``light`` if another mode is ``dark`` and none is ``light``.
        """
        texts: dict[str, dict[str, dict[str, str]]] = {APPEARANCE: {}}
        page: dict[str, str] = {}
        for defined, alternatives in declarations:
            name, text = str(defined.identifier), rendered(defined.declaration.value)
            for alternative in alternatives:
                pairs = [self._pair(condition) for condition in alternative.conditions]
                if not pairs and not alternative.part:
                    page[name] = text
                for dimension, mode in pairs:
                    of_mode = texts.setdefault(dimension, {}).setdefault(mode, {})
                    if len(pairs) == 1 and not alternative.part:
                        of_mode[name] = text
        for dimension, modes in texts.items():
            equal = {
                mode: (len(own.keys() & page.keys()), mode == "light")
                for mode, own in modes.items()
                if own.keys() & page.keys() and all(page.get(name, text) == text for name, text in own.items())
            }
            if equal and dimension not in CUMULATIVE:
                self.defaults[dimension] = max(equal, key=equal.__getitem__)
        appearances = texts[APPEARANCE]
        has_both = any(has_light_dark(defined) for defined, _ in declarations)
        has_default = any(own.keys() & page.keys() for own in appearances.values())
        if APPEARANCE not in self.defaults and (has_both or not _OPPOSITE.keys().isdisjoint(appearances)):
            is_open = has_default and not has_both
            self.defaults[APPEARANCE] = "default" if is_open and "light" in appearances else "light"
            self.is_light_guessed = is_open and "light" not in appearances

    def slots(self, alternatives: Sequence[Alternative], part: str) -> list[tuple[Alternative, Slot]]:
        """Return the slots of the alternatives of a declaration. Parts count only if no alternative is the page."""
        found = [(alternative, self.slot(alternative, part)) for alternative in alternatives]
        of_page = [each for each in found if not each[1].part]
        return of_page or found[:1]

    def slot(self, alternative: Alternative, part: str) -> Slot:
        """Return the slot of an alternative. Of two modes of a dimension, the inner one holds."""
        is_page = _is_of_page(alternative) or _candidate(alternative) in self._themes.keys() | self._everything
        if not is_page:
            return Slot(part=part)
        pairs = dict(self._pair(condition) for condition in alternative.conditions if condition not in self._everything)
        return Slot(self.without_defaults(pairs.items()))

    def without_defaults(self, pairs: Iterable[Pair]) -> Combination:
        """Return modes without those that hold by default."""
        return frozenset(
            (dimension, mode)
            for dimension, mode in pairs
            if mode not in _DEFAULT_MODES and mode != self.defaults.get(dimension)
        )


def _is_of_page(alternative: Alternative) -> bool:
    return not alternative.part and all(condition.is_known for condition in alternative.conditions)


def _candidate(alternative: Alternative) -> Condition | None:
    """Return the one class or attribute of any name in an alternative, beside an appearance or media features."""
    unknown = [condition for condition in alternative.conditions if not condition.is_known]
    others = [each for each in alternative.conditions if each.is_known and each.origin and each.dimension != APPEARANCE]
    return unknown[0] if len(unknown) == 1 and not others and not alternative.part else None


def _with_attributes(alternative: Alternative) -> Condition | None:
    """Return the class of any name in an alternative that attributes of any name follow."""
    unknown = [condition for condition in alternative.conditions if not condition.is_known]
    classes = [condition for condition in unknown if condition.dimension == "theme"]
    return classes[0] if len(classes) == 1 < len(unknown) and not alternative.part else None


def _named_themes(themes: Mapping[Condition, set[str]]) -> Iterator[tuple[Condition, Pair]]:
    """Yield the dimension and the mode of each theme.

    Classes that declare no name of each other are different dimensions. Modifiers of a block, such as
    ``spectrum--dark``, have its name only if they are modifiers of several.
    """
    classes = {condition: names for condition, names in themes.items() if condition.dimension == "theme"}
    yield from ((condition, condition[:2]) for condition in themes if condition not in classes)
    for number, cluster in enumerate(connected(classes, lambda one, other: not one.isdisjoint(other)), 1):
        blocks = {condition.mode.rpartition("--")[0] for condition in cluster}
        modes = [condition.mode.rpartition("--")[2] if len(blocks) == 1 else condition.mode for condition in cluster]
        is_appearance = not _OPPOSITE.keys().isdisjoint(modes)
        dimension = APPEARANCE if is_appearance else "theme" if number == 1 else f"theme {number}"
        yield from ((condition, (dimension, mode)) for condition, mode in zip(cluster, modes, strict=True))


def has_light_dark(defined: Defined) -> bool:
    """Return whether a value differs by appearance in itself."""
    return any(
        isinstance(word, Call) and word.name.lower() == "light-dark" for word in words_in(defined.declaration.value)
    )
