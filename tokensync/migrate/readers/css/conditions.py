"""The rules around a declaration of CSS to the conditions under which it holds: a dimension and a mode each.

- ``:root``, ``html``, ``body``, ``:host``, ``*`` and ``::before`` select everything: no condition.
- ``.dark``, ``.theme-dark``, ``[data-mode=dark]`` and ``(prefers-color-scheme: dark)`` are the mode ``dark`` of the
  dimension ``appearance``.
- ``.theme-a``, ``.a-theme`` and ``[data-theme=a]`` are the mode ``a`` of ``theme``; so for the other words of
  ``_WORDS``. A dimension with a mode ``light`` or ``dark`` is ``appearance``.
- A media feature is a dimension: ``contrast``, ``motion``, ``gamut``, ``width``, or its own name.
- Other classes and attributes can be a theme or a part of a page; the names that they declare decide (``css``).
- States (``:hover``), other elements, ``@supports`` and ``@container`` are no modes that a designer could choose.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.migrate.readers.modes import APPEARANCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.migrate.readers.css.stylesheet import Rule

OPPOSITE = {"light": "dark", "dark": "light"}
DEFAULT_MODES = {"default", "standard", "no-preference", "normal", "none", "srgb", "ltr"}
"""Modes that mean that a dimension is not changed."""

_WORDS = (
    "appearance|brand|color-mode|color-scheme|contrast|density|direction|mode|motion|palette|platform|scheme|skin|theme"
)
_APPEARANCE_WORDS = {"appearance", "color-mode", "color-scheme", "mode", "scheme"}
_WORD_FIRST = re.compile(rf"(?:.*[-_])?({_WORDS})[-_]+(.+)")
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


class Place(NamedTuple):
    """An alternative of a selector, with the conditions of all rules around it.

    ``part`` describes the part of a page, or the state, if the rules select one.
    """

    conditions: tuple[Condition, ...] = ()
    part: str = ""
    specificity: int = 0

    def joined(self, inner: Place) -> Place:
        """Return the place of a rule inside of another."""
        conditions = tuple(dict.fromkeys((*self.conditions, *inner.conditions)))
        part = " ".join(dict.fromkeys(filter(None, (self.part, inner.part))))
        return Place(conditions, part, self.specificity + inner.specificity)


def places(rules: Iterable[Rule], custom_media: Mapping[str, str]) -> list[Place]:
    """Return the alternatives of nested rules."""
    found = [Place()]
    for rule in rules:
        match rule.kind:
            case "selector":
                inner = _selectors(rule.nodes)
            case "media":
                inner = _media(rule.nodes, custom_media, frozenset())
            case "layer" | "theme":
                inner = [Place()]
            case "other":
                inner = [_variant(rule)]
            case _:
                inner = [Place(part=rule.text)]
        found = [outer.joined(each) for outer, each in list(product(found, inner))[:_MOST_ALTERNATIVES]]
    return list(dict.fromkeys(found))


def _variant(rule: Rule) -> Place:
    """Return the place of ``@variant dark`` and ``@include dark-theme``, whose names tell their condition."""
    keyword = rule.text.split(" ", 1)[0]
    names = [str(node.value) for node in rule.nodes if node.type == "ident"]
    condition = _of_class(names[0]) if names and keyword in {"@variant", "@include"} else None
    return Place((condition,)) if condition and condition.is_known else Place(part=rule.text)


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
        return _named("class", found[1], found[2])
    if found := _WORD_LAST.fullmatch(lower):
        return _named("class", found[2], found[1])
    return Condition("theme", name, is_known=False)


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


def _selectors(nodes: Sequence[Any], depth: int = 0) -> list[Place]:
    """Return the alternatives of a list of selectors."""
    found: list[Place] = []
    for complex_selector in _split(nodes, ","):
        found += _selector(complex_selector, depth)
    return found[:_MOST_ALTERNATIVES]


def _selector(nodes: list[Any], depth: int) -> list[Place]:
    """Return the alternatives of a complex selector."""
    found = [Place()]
    i = 0
    while i < len(nodes):
        used, inner = _simple(nodes, i, depth)
        found = [outer.joined(each) for outer, each in list(product(found, inner))[:_MOST_ALTERNATIVES]]
        i += used
    return found


def _simple(nodes: list[Any], i: int, depth: int) -> tuple[int, list[Place]]:
    """Return the number of nodes of the simple selector at ``i``, and its alternatives."""
    node = nodes[i]
    following = nodes[i + 1] if i + 1 < len(nodes) else None
    match node.type:
        case "literal" if node.value == "." and following and following.type == "ident":
            condition = _of_class(following.value)
            return 2, [Place((condition,) if condition else (), specificity=100)]
        case "literal" if node.value == ":" and following:
            if following.type == "literal" and i + 2 < len(nodes):
                return 3, [_pseudo(nodes[i + 2], "::")]
            return 2, _pseudo_class(following, depth)
        case "literal" if node.value in {"&", "*", ">", "+", "~"}:
            return 1, [Place()]
        case "[] block":
            return 1, [_attribute(node)]
        case "ident" if node.lower_value in _EVERYTHING:
            return 1, [Place(specificity=1)]
        case "hash":
            return 1, [Place((Condition("theme", f"#{node.value}", is_known=False),), specificity=10_000)]
        case "whitespace" | "comment":
            return 1, [Place()]
        case "ident":
            return 1, [Place(part=str(node.value), specificity=1)]
    return 1, [Place(part="computed selector")]


def _attribute(node: Any) -> Place:
    words = [each for each in node.content if each.type in {"ident", "string"}]
    operators = "".join(each.value for each in node.content if each.type == "literal")
    if not words:
        return Place(part="computed selector")
    name, value = str(words[0].value), str(words[1].value) if len(words) > 1 else ""
    if operators not in {"", "=", "~=", "|="}:
        return Place(part=f"[{name}{operators}{value}]", specificity=100)
    if not value and _WORD.fullmatch(name.lower().removeprefix("data-")):
        return Place(specificity=100)  # whatever theme an element has
    condition = _of_attribute(name, value)
    written = f"[{name}={value}]" if value else f"[{name}]"
    return Place((condition,), specificity=100) if condition else Place(part=written, specificity=100)


def _pseudo(node: Any, colons: str) -> Place:
    """Return the place of a pseudo-element, or of a pseudo-class without selectors in it."""
    name = str(getattr(node, "lower_value", "") or getattr(node, "lower_name", ""))
    if name in _EVERYTHING:
        return Place(specificity=1 if colons == "::" or name in {"before", "after"} else 100)
    return Place(part=f"{colons}{name}", specificity=100)


def _pseudo_class(node: Any, depth: int) -> list[Place]:
    if node.type != "function" or depth > 8:
        return [_pseudo(node, ":")]
    name = node.lower_name
    if name in _LISTS:
        inner = _selectors(node.arguments, depth + 1)
        return [each._replace(specificity=0) for each in inner] if name == "where" else inner
    if name == "not":
        return [_negated(_selectors(node.arguments, depth + 1))]
    words = [str(each.value) for each in node.arguments if each.type in {"ident", "string"}]
    if name in {"dir", "lang"} and words:
        return [Place((Condition({"dir": "direction"}.get(name, name), words[0]),), specificity=100)]
    return [_pseudo(node, ":")]


def _negated(alternatives: list[Place]) -> Place:
    """Return the place outside of others: the opposite appearance, or everything."""
    specificity = max(each.specificity for each in alternatives)
    if len(alternatives) == 1 and len(alternatives[0].conditions) == 1:
        condition = alternatives[0].conditions[0]
        if condition.dimension == APPEARANCE and condition.mode in OPPOSITE:
            return Place((Condition(APPEARANCE, OPPOSITE[condition.mode]),), specificity=specificity)
    return Place(specificity=specificity)


def _media(nodes: Sequence[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Place]:
    """Return the alternatives of a media query list."""
    found: list[Place] = []
    for query in _split(nodes, ","):
        found += _query(query, custom_media, seen)
    return found[:_MOST_ALTERNATIVES]


def _query(nodes: list[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Place]:
    """Return the alternatives of a media query."""
    words = [node.lower_value for node in nodes if node.type == "ident"]
    features = [node for node in nodes if node.type == "() block"]
    inner = [_feature(feature.content, custom_media, seen) for feature in features]
    if "not" in words:
        flat = [place for places in inner for place in places]
        negated = _negated(flat) if len(flat) == 1 else Place()
        return [negated] if negated.conditions else [Place(part=f"@media {_text(nodes)}")]
    if "print" in words or "speech" in words:
        inner.append([Place((Condition("media", "print" if "print" in words else "speech"),))])
    if "or" in words:
        return [place for places in inner for place in places]
    found = [Place()]
    for alternatives in inner:
        found = [_both(outer, each) for outer, each in list(product(found, alternatives))[:_MOST_ALTERNATIVES]]
    return found


def _both(first: Place, second: Place) -> Place:
    """Return the place of two features. Limits of the same dimension, such as the width, become one mode."""
    conditions = {each.dimension: each for each in first.conditions}
    for each in second.conditions:
        earlier = conditions.get(each.dimension, each)
        mode = each.mode if earlier == each else f"{earlier.mode} and {each.mode}"
        conditions[each.dimension] = each._replace(mode=mode)
    part = " ".join(filter(None, (first.part, second.part)))
    return Place(tuple(conditions.values()), part)


def _text(nodes: Sequence[Any]) -> str:
    return " ".join("".join(node.serialize() for node in nodes).split())


def _feature(nodes: Sequence[Any], custom_media: Mapping[str, str], seen: frozenset[str]) -> list[Place]:
    """Return the alternatives of the content of brackets in a media query."""
    import tinycss2  # type: ignore[import-untyped]

    if any(node.type == "() block" for node in nodes):
        return _query(list(nodes), custom_media, seen) if len(seen) < _MOST_ALTERNATIVES else [Place(part="nested")]
    text = _text(nodes)
    name, colon, value = (piece.strip().lower() for piece in text.partition(":"))
    if name.startswith("--"):
        written = text.strip()
        if written in seen or written not in custom_media:
            return [Place(part=f"@media ({written})")]
        return _media(tinycss2.parse_component_value_list(custom_media[written]), custom_media, seen | {written})
    if limit := re.fullmatch(r"(width|height) (>=?|<=?) (\S+)", text.lower()):
        return [Place((Condition(limit[1], f"{'min' if limit[2][0] == '>' else 'max'}-{limit[1]}: {limit[3]}"),))]
    if limit := re.fullmatch(r"(?:min-|max-)?(width|height)", name):
        return [Place((Condition(limit[1], f"{name}: {value}"),))]
    if not re.fullmatch(r"[a-z-]+", name):
        return [Place(part=f"@media ({text})")]
    dimension = _FEATURES.get(name, name)
    mode = value if colon else {"prefers-contrast": "more", "prefers-reduced-motion": "reduced"}.get(name, "on")
    return [Place((Condition(dimension, _MODES.get((dimension, mode), mode)),))]
