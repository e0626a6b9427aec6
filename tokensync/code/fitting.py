"""The tokens that fit a raw value: by type, use and value, in every theme.

What a value is used for decides: a text colour fits ``color``, by the token's scopes, else by the words of its name. Of
tokens that fit alike, those that refer to others come before the primitives to which they refer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from math import dist
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.notation import families, font_stacks
from tokensync.generate.targets import NAMED
from tokensync.normalize.mapping import words_of_name
from tokensync.project.code_references import references_of_outputs
from tokensync.project.configured_outputs import configured_themes, request_of
from tokensync.settings import OutputConfig
from tokensync.tokens import Color, Quantity, Resolved, TokenGraph, TokenKey, hexadecimal, inferred_themes
from tokensync.tokens.algorithms import closure
from tokensync.tokens.values import DURATIONS, LENGTHS, public_type, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.code.literals import RawValue
    from tokensync.code.native_values import Reference
    from tokensync.project.configuration import Project
    from tokensync.tokens.collection import FamilyKey
    from tokensync.tokens.resolver import TokenIndex

_Comparable = str | float | tuple[str, ...]
"""A value without its unit and notation: pixels, milliseconds, hexadecimal digits, or names of fonts."""

_NEAREST_COLOR = 10.0
"""The largest CIEDE2000 of a colour that is near. 2 is just visible, and 10 is another shade."""
_COMPARED = 12
"""The most colours that are compared by CIEDE2000, which takes 0.1 ms."""
_NEAR_NUMBERS, _NEAR_SHARE = {"dimension": 1.0, "duration": 4.0}, 0.15
"""The largest difference of numbers, in px and ms, and their largest share of the raw value."""
_MOST_NEAR = 3

# --- uses -----------------------------------------------------------------------------------------------------------

_OF_COLORS = {
    "text": "text|foreground|fg|content|label|heading|link|typography|placeholder|ink|caret",
    "background": "backgrounds?|bg|surfaces?|canvas|backdrop|overlay|scrim",
    "border": "borders?|stroke|outline|divider|separator|ring|rule",
    "icon": "icons?|fill",
    "shadow": "shadows?|elevation",
}
_OF_SIZES = {
    "tracking": r"tracking|letter spacing",
    "line": r"leading|line ?heights?",
    "shadow": r"shadows?|blur|elevation|filter",
    "font": r"(?:font|text|type) ?sizes?|fonts?|text|typography|type",
    "radius": r"radius|radii|rounded|corners?",
    "border": r"borders?|strokes?|outlines?|dividers?",
    "breakpoint": r"breakpoints?|screens?|viewport",
    "space": r"spac(?:e|es|ing|ings)|gaps?|paddings?|margins?|insets?|stack|gutters?|spacers?|top|right|bottom|left",
    "size": r"sizes?|sizing|dimensions?|widths?|heights?|basis",
}
"""The roles of lengths, of which the first one decides."""
_OF_SCOPE = dict(
    pair.split("=")
    for pair in (
        "TEXT_FILL=text FRAME_FILL=background SHAPE_FILL=icon STROKE_COLOR=border EFFECT_COLOR=shadow"
        " CORNER_RADIUS=radius GAP=space WIDTH_HEIGHT=size STROKE_FLOAT=border EFFECT_FLOAT=shadow FONT_SIZE=font"
        " LINE_HEIGHT=line LETTER_SPACING=tracking PARAGRAPH_SPACING=space PARAGRAPH_INDENT=space OPACITY=opacity"
    ).split()
)
_ALSO = {"text": {"icon"}, "icon": {"text", "background", "border"}, "shadow": {"border"}, "size": {"space"}}
"""The roles of tokens that are in use for another one, too."""
_OF_NUMBERS = {"line": r"line|leading", "opacity": r"opacity|alpha", "order": r"z|index|layer|order"}


@lru_cache(maxsize=16_384)
def _roles(kind: str, name: str) -> frozenset[str]:
    """Return what a property is, or a token or variable by the words of its name, is for."""
    words = " color text " if kind == "color" and name == "color" else words_of_name(name)
    table = {"color": _OF_COLORS, "dimension": _OF_SIZES, "number": _OF_NUMBERS}.get(kind, {})
    found = [role for role, own in table.items() if re.search(f" (?:{own}) ", words)]
    return frozenset(found[:1] if kind == "dimension" else found)


class _Candidate(NamedTuple):
    """A token with its values in the default theme and in the others, by the names of these."""

    key: TokenKey
    kind: str
    roles: frozenset[str]
    is_hidden: bool
    is_primitive: bool
    unit: str
    value: _Comparable | None
    others: tuple[tuple[str, _Comparable | None], ...]

    def suits(self, roles: frozenset[str]) -> int:
        """Return 2 if the token is made for one of these roles, 1 if it may be used for them, and 0 if not."""
        if not roles.isdisjoint(self.roles):
            return 2
        return int(not (roles and self.roles) or any(not self.roles.isdisjoint(_ALSO.get(role, ())) for role in roles))


class Fit(NamedTuple):
    """A token that fits a raw value, and the text that refers to it there.

    ``distance`` is that of the values in the default theme: CIEDE2000, px or ms; 0 if they are equal. ``differs`` has
    the other themes in which they are not equal.
    """

    key: TokenKey
    reference: str
    distance: float
    differs: tuple[str, ...] = ()


class _Ranked(NamedTuple):
    """A candidate with its difference to a value, in the order of fits."""

    rank: tuple[bool, bool, int]
    candidate: _Candidate
    distance: float
    differs: tuple[str, ...]
    suitability: int


class Fitting:
    """The values of all tokens in every theme, by value, with the texts that refer to them in each syntax.

    They are computed for the first raw value.
    """

    def __init__(self, project: Project, graph: TokenGraph) -> None:
        self._project, self._graph = project, graph
        self._ranked: dict[tuple[str, _Comparable, frozenset[str]], tuple[_Ranked, ...]] = {}

    def fits(self, raw: RawValue) -> tuple[Fit, ...]:
        """Return the tokens that fit, best first: equal in every theme and of that use; without any, near ones."""
        return tuple(
            Fit(hit.candidate.key, reference, hit.distance, hit.differs) for hit, reference in self._referred(raw)
        )

    def unambiguous(self, raw: RawValue, text: str = "") -> Fit | None:
        """Return the only best token, if it is equal in every theme and can replace the raw value as it is.

        ``text`` is that of the file: a variable of Sass needs an import, so the file has to use it already.
        """
        found = self._referred(raw)
        if not found:
            return None
        (rank, candidate, distance, differs, suitability), reference = found[0]
        unit = raw.value.unit if isinstance(raw.value, Quantity) else "px"
        is_equal = not distance and not differs and (raw.type != "dimension" or unit == candidate.unit)
        is_made_for_it = suitability == 2 or not candidate.roles
        is_best = is_made_for_it and not candidate.is_hidden and (len(found) == 1 or found[1][0].rank != rank)
        is_cycle = reference in (f"var({raw.use})", raw.use)
        if reference.startswith("$"):
            is_writable = reference in text
        else:
            is_writable = not raw.is_computed and self._references.is_exact(raw, candidate.key, reference)
        return Fit(candidate.key, reference, 0.0) if is_equal and is_best and is_writable and not is_cycle else None

    def _referred(self, raw: RawValue) -> list[tuple[_Ranked, str]]:
        """Return the fits with their references, if code of this syntax can refer to them."""
        found = ((hit, self._references.text(raw, hit.candidate.key)) for hit in self._found(raw))
        return [(hit, reference) for hit, reference in found if reference]

    def _found(self, raw: RawValue) -> tuple[_Ranked, ...]:
        value = _comparable(raw.type, raw.value)
        if value is None:
            return ()
        roles = _roles(raw.type, raw.use)
        key = (raw.type, value, roles)
        if key not in self._ranked:
            equal = sorted(self._equal(raw.type, value, roles), key=lambda hit: hit.rank)
            usable = [hit for hit in equal if hit.suitability] or (equal if raw.type == "color" else [])
            self._ranked[key] = tuple(usable or self._near(raw.type, value, roles))
        return self._ranked[key]

    def _equal(self, kind: str, value: _Comparable, roles: frozenset[str]) -> Iterator[_Ranked]:
        for candidate in self._by_value.get((kind, value), ()):
            differs = tuple(theme for theme, other in candidate.others if other != value)
            suitability = candidate.suits(roles)
            if kind != "number" or suitability == 2:
                rank = (candidate.is_primitive, bool(differs), -suitability)
                yield _Ranked(rank, candidate, 0.0, differs, suitability)

    def _near(self, kind: str, value: _Comparable, roles: frozenset[str]) -> list[_Ranked]:
        """Return the nearest tokens of this use, at most one for each value."""
        near: list[tuple[float, _Comparable]] = []
        if kind == "color" and isinstance(value, str):
            near = _near_colors(value, self._values["color"])
        elif kind in _NEAR_NUMBERS and isinstance(value, float):
            limit = min(_NEAR_NUMBERS[kind], _NEAR_SHARE * value)
            apart = ((abs(number - value), number) for number in self._values[kind] if isinstance(number, float))
            near = [(round(distance, 3), number) for distance, number in apart if distance <= limit]
        found: list[_Ranked] = []
        for distance, other in sorted(near):
            ranked = [hit for hit in self._equal(kind, other, roles) if hit.suitability]
            if ranked and len(found) < _MOST_NEAR:
                best = min(ranked, key=lambda hit: hit.rank)
                found.append(best._replace(distance=distance))
        return found

    @cached_property
    def _by_value(self) -> Mapping[tuple[str, _Comparable], list[_Candidate]]:
        """The tokens by type and value in the default theme."""
        by_value: dict[tuple[str, _Comparable], list[_Candidate]] = defaultdict(list)
        for candidate in self._candidates():
            if candidate.value is not None:
                by_value[candidate.kind, candidate.value].append(candidate)
        return by_value

    @cached_property
    def _values(self) -> Mapping[str, list[_Comparable]]:
        values: dict[str, list[_Comparable]] = defaultdict(list)
        for kind, value in self._by_value:
            values[kind].append(value)
        return values

    @cached_property
    def _references(self) -> _References:
        return _References(self._project, self._graph)

    def _candidates(self) -> Iterator[_Candidate]:
        """Yield the local tokens that are not deprecated, with their values."""
        resolution, table = self._references.resolution, self._graph.table
        themes = configured_themes(self._graph, self._project) or inferred_themes(self._graph.collections.values())
        varying = resolution.varying(themes)
        resolved = [(theme.name, resolution.in_theme(theme, varying).literals) for theme in themes]
        stacked = font_stacks(self._project.config.fonts)
        values, default, kinds = resolution.columns.values, resolution.default.literals, resolution.kinds
        of, references = table.families, resolution.references
        edges = {(of[index], of[target]) for index, targets in references.items() for target in targets}
        edges = {(source, target) for source, target in edges if source != target}
        lower = {target for _, target in edges} - {source for source, _ in edges}
        for index in table.order:
            if table.origins[index] != "local" or table.deprecated[index]:
                continue
            kind = public_type(table.types[index])
            is_percentage = kinds[index] == "percentage"

            def read(value: Resolved, kind: str = kind, is_percentage: bool = is_percentage) -> _Comparable | None:
                found = _comparable(kind, stacked(value) if stacked and kind == "fontFamily" else value)  # type: ignore[arg-type]
                return found / 100 if is_percentage and isinstance(found, float) else found

            literal = values[default[index]]
            others = [(name, read(values[literals[index]])) for name, literals in resolved] if index in varying else ()
            unit = literal.unit if isinstance(literal, Quantity) else "px"
            is_hidden, is_lower = table.hidden[index], table.families[index] in lower
            layer = (is_hidden, is_hidden or is_lower)
            yield _Candidate(
                table.keys[index], kind, self._roles_of(index, kind), *layer, unit, read(literal), tuple(others)
            )

    def _roles_of(self, index: TokenIndex, kind: str) -> frozenset[str]:
        """Return what a token is for by its scopes, if they are not for everything, else by its name."""
        table = self._graph.table
        named = _roles(kind, " ".join(table.keys[index].names)) or _roles(kind, table.families[index][1])
        scoped = frozenset(_OF_SCOPE[scope] for scope in table.scopes[index] if scope in _OF_SCOPE)
        return (scoped & named or scoped) if scoped else named


def _comparable(kind: str, value: Resolved) -> _Comparable | None:
    """Return the value to compare; None for one that no raw value has."""
    match kind:
        case "color" if isinstance(value, Color):
            return hexadecimal(value)
        case "dimension" | "duration" if isinstance(value, Quantity):
            scale = (LENGTHS if kind == "dimension" else DURATIONS).get(value.unit)
            return None if scale is None else round(value.number * scale, 3)
        case "dimension" | "number" if type(value) is float:
            return round(value, 4)
        case "fontWeight":
            return weight_of(value)
        case "fontFamily" if not isinstance(value, Color | Quantity | bool | float):
            names = families(value)  # type: ignore[arg-type]
            return tuple(map(str.casefold, names)) if names else None
        case "css" if isinstance(value, str):
            return value
    return None


@lru_cache(maxsize=65_536)
def _channels(digits: str) -> tuple[float, float, float, float]:
    """Return red, green, blue and alpha, weighted so that their distance is roughly that of colours."""
    red, green, blue, *alpha = bytes.fromhex(digits[1:])
    return (2 * red, 3.5 * green, 2.5 * blue, 8 * (alpha[0] if alpha else 255))


def _near_colors(value: str, colors: Iterable[_Comparable]) -> list[tuple[float, _Comparable]]:
    """Return near colours with their CIEDE2000, which is computed for those that can be near."""
    own = _channels(value)
    apart = sorted((dist(own, _channels(other)), other) for other in colors if isinstance(other, str))
    near = [other for distance, other in apart[:_COMPARED] if distance < 200]
    if not near:
        return []
    from coloraide import Color as Converted

    found = ((round(Converted(value[:7]).delta_e(other[:7], method="2000"), 2), other) for other in near)
    return [(max(distance, 0.01), other) for distance, other in found if distance <= _NEAREST_COLOR]


# --- references -----------------------------------------------------------------------------------------------------

_HINTED = frozenset("text border outline ring stroke decoration divide shadow from via to".split())
_SPACES = dict(
    pair.split("=")
    for pair in (
        "border-radius=radius font-size=text line-height=leading letter-spacing=tracking border-width=border-width"
        " font-weight=font-weight transition-duration=transition-duration filter=blur opacity= z-index="
    ).split()
)
"""The namespaces of Tailwind for properties; others take spacings."""
_NATIVE = ("kotlin", "java", "swift", "xml")


class _References:
    """The texts that refer to tokens in the code of a project."""

    def __init__(self, project: Project, graph: TokenGraph) -> None:
        from tokensync.generate.output import Resolution

        self.resolution = Resolution(graph)
        self._project = project
        self._texts: dict[str, Mapping[TokenKey, tuple[str, ...]]] = {}

    def is_exact(self, raw: RawValue, key: TokenKey, reference: str) -> bool:
        """Return whether a reference surely compiles; a script would need an import."""
        if raw.syntax in _NATIVE:
            native = self._native(raw, key)
            return native is not None and native.is_exact
        return raw.syntax != "script" or reference[:1] in ("'", '"')

    def _native(self, raw: RawValue, key: TokenKey) -> Reference | None:
        from tokensync.code.native_values import reference_in

        graph = self.resolution.graph
        texts = {platform: self._of(platform).get(key, ()) for platform in ("compose", "android", "ios")}
        return reference_in(raw, graph.tokens[key], texts, is_constant=key[:2] not in self._chosen)

    @cached_property
    def _chosen(self) -> Mapping[FamilyKey, FamilyKey]:
        """The collections with several modes, and those that refer to them."""
        families, graph = self.resolution.graph.table.families, self.resolution.graph
        users: dict[FamilyKey, set[FamilyKey]] = defaultdict(set)
        for index, targets in self.resolution.references.items():
            for target in targets:
                users[families[target]].add(families[index])
        several = [key for key, collection in graph.collections.items() if len(collection.modes) > 1]
        return closure(several, lambda family: users[family])

    def text(self, raw: RawValue, key: TokenKey) -> str:
        """Return the text that replaces a raw value; empty if no output of its syntax declares the token."""
        if raw.syntax in _NATIVE:
            native = self._native(raw, key)
            return native.text if native else ""
        if raw.syntax in ("scss", "sass") and (raw.is_computed or not self._of("css")) and self._of("scss"):
            return self._first("scss", key)
        if not (name := self._first("css", key)):
            return self._first("typescript", key) if raw.syntax == "script" else ""
        if raw.syntax == "tailwind":
            return self._utility(raw, key, name)
        if raw.syntax == "script":
            mark = raw.text[0] if raw.text[0] in "'`" else '"'
            return f"{mark}{name}{mark}"
        return name

    def _first(self, platform: str, key: TokenKey) -> str:
        return next(iter(self._of(platform).get(key, ())), "")

    def _of(self, platform: str) -> Mapping[TokenKey, tuple[str, ...]]:
        """Return the references of the outputs of a platform; those by default if the project has no outputs."""
        if platform not in self._texts:
            outputs = self._project.config.outputs
            same = ("css", "tailwind") if platform == "css" else (platform,)
            own = [output for name in same for output in outputs if output.platform == name]
            if not own and platform == "css" and not any(output.platform in NAMED for output in outputs):
                own = [OutputConfig(platform="css", path="css")]
            self._texts[platform] = references_of_outputs(self.resolution, own, self._project)
        return self._texts[platform]

    def _utility(self, raw: RawValue, key: TokenKey, name: str) -> str:
        """Return the utility of the theme, else the one with an arbitrary value that is the custom property."""
        before, _, inside = raw.text.partition("[")
        hint = inside.rpartition(":")[0]
        stem = before.lstrip("-").partition("-")[0]
        space = "color" if raw.type == "color" else _SPACES.get(raw.use, "spacing")
        role = {"text": "text-color", "bg": "background-color", "border": "border-color"}.get(stem, "")
        named = dict(self._utilities.get(key, ())) if before else {}
        if ending := (named.get(role) if raw.type == "color" else None) or named.get(space):
            return f"{before}{ending}"
        if not hint and stem in _HINTED:
            hint = "color" if raw.type == "color" else "length"
        return f"{before}[{hint}{':' if hint else ''}{name}]"

    @cached_property
    def _utilities(self) -> Mapping[TokenKey, list[tuple[str, str]]]:
        """The namespaces and endings of the utilities of Tailwind's themes."""
        from tokensync.generate.targets.tailwind.render import theme_names

        found: dict[TokenKey, list[tuple[str, str]]] = defaultdict(list)
        for output in self._project.config.outputs:
            if output.platform == "tailwind":
                request = request_of(output, self.resolution.graph, self._project)
                for key, variable, ending in theme_names(self.resolution, request):
                    prefix = f"{output.options.get('prefix', '')}-"
                    found[key].append((variable.removeprefix(prefix)[: -len(ending) - 1], ending))
        return found
