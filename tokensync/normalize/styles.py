"""Published styles as tokens, beside the variables of a graph.

Each type of styles is a collection with one mode. A value that is bound to a variable refers to its token, if a part of
that composite accepts the token's type; otherwise the platform's literal stays. What DTCG has no members for is kept
under ``com.figma.style`` in the token's extensions; styles that it cannot express at all are omitted, with a note for
each reason.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.extract.client.groups import PublishedItem
from tokensync.extract.wire.styles import Part, Style, Text, Vector, aliases, color_of, length_of, style_in
from tokensync.normalize.mapping import key_of_remote_id, path_of_name, shortened, slug, unique
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import counted
from tokensync.tokens import Alias, Collection, ComposedColor, Composite, Mode, Token, TokenGraph, TokenKey, Value
from tokensync.tokens.collection import DEFAULT_THEME, OF_STYLE, STYLES
from tokensync.tokens.composites import MEMBERS, canonical, decoded, fits, literal_json, parts_of, reference_of
from tokensync.tokens.paths import groups_around
from tokensync.tokens.values import HEAVIEST, LIGHTEST, json_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.extract.wire import Snapshot
    from tokensync.settings import FileConfig
    from tokensync.tokens.resolver import TokenIndex

_KINDS: Final = {"text": "TEXT", "effect": "EFFECT", "paint": "FILL", "grid": "GRID"}
_NAMES: Final = {"TEXT": "Text styles", "EFFECT": "Effect styles", "FILL": "Paint styles", "GRID": "Grid styles"}
_MODE: Final = "Style"
_LARGEST_FACTOR = 4.0
"""A variable above it that a line height is bound to holds pixels, as those of all line heights do in the editor."""
_WORDS: Final = {
    "textCase": {"UPPER": "uppercase", "LOWER": "lowercase", "TITLE": "capitalize"},
    "textDecoration": {"UNDERLINE": "underline", "STRIKETHROUGH": "line-through"},
}
"""The words for members of text styles that token files have, which are those of CSS."""
_USUAL: Final = {"textCase": "ORIGINAL", "textDecoration": "NONE", "paragraphSpacing": 0, "paragraphIndent": 0}


def style_types(file: FileConfig) -> tuple[str, ...]:
    """Return the platform's names of the types of styles that are wanted of a file."""
    return tuple(name for kind, name in _KINDS.items() if file.styles is True or kind in (file.styles or ()))


def local_styles(snapshot: Snapshot, file: FileConfig) -> Iterator[Style]:
    """Yield the wanted styles that a plugin has put into its answer about variables."""
    types = style_types(file)
    for style in (snapshot.local.styles or {}).values():
        if style.type in types:
            item = PublishedItem(
                key=style.key,
                name=style.name,
                description=style.description,
                node_id=style.id.removeprefix("S:"),
                style_type=style.type,
            )
            yield style_in(item, style.document)


class _Made(NamedTuple):
    """A token of a style: the end of its path and id, its type, its value, and what DTCG has no members for."""

    type: str
    value: Value
    kept: Mapping[str, Any] = {}
    end: str = ""


class _Omitted(Exception):
    """A style that no token can express; the message is the reason, after "they" or "it"."""


def with_styles(graph: TokenGraph, file: str, styles: Iterable[Style]) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of a file with the tokens of its styles, and a note for each reason to omit some."""
    reader = _Reader(graph)
    made: dict[str, list[tuple[Style, _Made]]] = {}
    omitted: dict[tuple[str, str], list[str]] = {}
    for style in styles:
        kind = style.item.style_type
        try:
            made.setdefault(kind, []).extend((style, token) for token in reader.tokens(style))
        except _Omitted as reason:
            omitted.setdefault((kind, str(reason)), []).append(shortened(style.item.name))
    tokens: list[Token] = []
    collections = style_collections(graph, file, [kind for kind, of_kind in made.items() if of_kind])
    for kind, collection in collections.items():
        used: set[str] = set()
        for style, (type_, value, kept, end) in made[kind]:
            path = unique(path_of_name(style.item.name) + (end and f".{end}"), used)
            item, suffix = style.item, end and f"/{end}"
            token = Token(
                key=TokenKey(file, collection.handle, path),
                type=type_,
                values=(value,),
                description=item.description,
                published=True,
                id=f"S:{item.node_id}{suffix}",
                variable_key=item.key + suffix,
                extensions=canonical({OF_STYLE: kept}) if kept else "",
            )
            tokens.append(token)
    notes = []
    for (kind, why), names in omitted.items():
        what = f"{counted(len(names), _NAMES.get(kind, 'Styles')[:-1].lower())} cannot be a token: {why}"
        notes.append(problem("styles-omitted", file, what, "it stays in Figma only", names))
    return with_tokens(graph, collections.values(), tokens), tuple(notes)


def style_collections(graph: TokenGraph, file: str, kinds: Iterable[str]) -> dict[str, Collection]:
    """Return the collections of these types of styles, with handles that the collections of the graph do not have."""
    families = graph.collections.values()
    used = {handle for family in families for handle in (family.handle, *(part.handle for part in family.extensions))}
    collections: dict[str, Collection] = {}
    for kind in _NAMES:
        if kind in kinds:
            handle = unique(slug(_NAMES[kind], ""), used)
            modes = (Mode(name=_MODE, collection=handle, slug=slug(_MODE, ""), context=slug(_MODE, ""), id=STYLES),)
            collections[kind] = Collection(file=file, handle=handle, name=_NAMES[kind], modes=modes, id=STYLES + kind)
    return collections


def with_tokens(graph: TokenGraph, collections: Iterable[Collection], tokens: list[Token]) -> TokenGraph:
    """Return the graph with more collections, and their tokens in the order of their paths, which a lock has, too."""
    if not tokens:
        return graph
    collections = tuple(collections)
    handles = [collection.handle for collection in collections]
    tokens.sort(key=lambda token: (handles.index(token.key.collection), token.key.path))
    return TokenGraph((*graph.collections.values(), *collections), graph.table.with_tokens(collections, tokens))


class _Reader:
    """Reads the values of styles, with references to the tokens of a graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.table = graph.table
        self.by_id = dict(zip(self.table.ids, self.table.order, strict=True))

    @cached_property
    def by_key(self) -> dict[str, TokenIndex]:
        """The tokens by their keys, of which the first copy of a library's variable counts."""
        pairs = [*zip(self.table.variable_keys, self.table.order, strict=True)]
        return dict(reversed(pairs))

    @cached_property
    def groups(self) -> set[tuple[str, str]]:
        """The groups: handles of collections, and paths."""
        table = self.table
        return {
            (family[1], group)
            for family, path in zip(table.families, table.paths, strict=True)
            for group in groups_around(path)
        }

    def tokens(self, style: Style) -> Iterator[_Made]:
        """Yield the tokens of a style. Raise _Omitted if there are none."""
        if style.value is None:
            raise _Omitted("the file does not contain it; it may be deleted there, but not in the publication")
        match style.item.style_type:
            case "TEXT":
                text = style.text()
                if text is None or not text.font_family or length_of(text.font_size) is None:
                    raise _Omitted("the response has no font for it")
                yield self._typography(text, style.bound)
            case "EFFECT":
                yield self._effect([part for part in style.parts() if part.visible])
            case "FILL":
                yield self._paint([part for part in style.parts() if part.visible])
            case "GRID":
                yield from self._grids([part for part in style.parts() if part.visible])

    def target(self, bound: Any, member: str) -> TokenIndex | None:
        """Return the token of the variable that a member of a value is bound to."""
        identity = next(aliases(bound.get(member)), "") if isinstance(bound, dict) else ""
        if not identity:
            return None
        index = self.by_id.get(identity)
        key = key_of_remote_id(identity)
        return self.by_key.get(key) if index is None and key else index

    def _typography(self, text: Text, bound: Any) -> _Made:
        value = _Value(self, "typography", bound)
        family = text.font_family
        value.put("fontFamily", family if reference_of(family) is None else [family], "fontFamily")
        value.put("fontSize", _pixels(length_of(text.font_size)), "fontSize")
        weight = length_of(text.font_weight)
        is_weight = weight is not None and LIGHTEST <= weight <= HEAVIEST
        value.put("fontWeight", json_number(weight) if is_weight and weight else None, "fontWeight", "fontStyle")
        value.put("letterSpacing", _pixels(length_of(text.letter_spacing)), "letterSpacing")
        height = length_of(text.line_height_px)
        factor = length_of(text.line_height_percent_font_size)
        literal: Any = None
        if text.line_height_unit == "PIXELS":
            literal = _pixels(height)
        elif text.line_height_unit == "FONT_SIZE_%" and factor is not None:
            literal = _rounded(factor / 100)
        value.put("lineHeight", literal, *(("lineHeight",) if self._is_line_height(bound) else ()))
        style = (text.font_style or "").lower()
        if text.italic or "italic" in style or "oblique" in style:
            value.put("fontStyle", "oblique" if "oblique" in style else "italic")
        members = msgspec.to_builtins(text)
        for name, words in _WORDS.items():
            value.put(name, words.get(members[name]))
        kept = {
            name: json_number(member) if isinstance(member, float) else member
            for name, member in ((name, members[name]) for name in _USUAL)
            if member != _USUAL[name] and name not in value.json
        }
        return _Made("typography", value.composite(), kept)

    def _is_line_height(self, bound: Any) -> bool:
        """Return whether a composite can refer to the variable of a line height: a factor, or pixels with a unit."""
        index = self.target(bound, "lineHeight")
        if index is None or self.table.types[index] != "number":
            return index is not None
        literal = self.graph.resolver(DEFAULT_THEME)(self.table.keys[index])
        return isinstance(literal, float) and literal <= _LARGEST_FACTOR

    def _effect(self, effects: list[Part]) -> _Made:
        layers = [effect for effect in effects if effect.type in ("DROP_SHADOW", "INNER_SHADOW")]
        others = [effect for effect in effects if effect not in layers]
        if not layers and len(others) == 1 and others[0].type.endswith("_BLUR"):
            radius = self._length(others[0], "radius", others[0].radius)
            if radius is None:
                raise _Omitted("the radius of its blur cannot be read")
            return _Made("dimension", radius, {"type": others[0].type})
        if not layers:
            kinds = ", ".join(sorted({effect.kind for effect in others}))
            raise _Omitted(f"it has no shadow, but {kinds}" if kinds else "it has no visible effect")
        value = _Value(self, "shadow", None)
        written = []
        # The API has the lowest effect first (tokens-studio/figma-plugin#2979), CSS the highest.
        for effect in reversed(layers):
            color = color_of(effect.color)
            if color is None:
                raise _Omitted("the colour of a shadow cannot be read")
            x, y = (effect.offset.x, effect.offset.y) if isinstance(effect.offset, Vector) else (0.0, 0.0)
            value.open(effect.bound_variables)
            value.put("color", literal_json(color, "color"), "color")
            value.put("offsetX", _pixels(length_of(x)), "offsetX")
            value.put("offsetY", _pixels(length_of(y)), "offsetY")
            value.put("blur", _pixels(length_of(effect.radius)), "radius")
            value.put("spread", _pixels(length_of(effect.spread)), "spread")
            if effect.type == "INNER_SHADOW":
                value.put("inset", True)
            written.append(value.json)
        blurs = [{"type": effect.type, "radius": json_number(effect.radius)} for effect in others]
        kept = {"effects": blurs} if blurs else {}
        return _Made("shadow", value.composite(written[0] if len(written) == 1 else written), kept)

    def _paint(self, paints: list[Part]) -> _Made:
        if len(paints) != 1:
            raise _Omitted(f"it has {len(paints) or 'no visible'} paints")
        (paint,) = paints
        if paint.type == "SOLID":
            return _Made("color", self._color(paint))
        if not paint.type.startswith("GRADIENT_") or not paint.gradient_stops:
            raise _Omitted(f"its paint is a {paint.kind}")
        value = _Value(self, "gradient", None)
        stops = []
        for stop in paint.gradient_stops:
            color, position = color_of(stop.color, paint.opacity), length_of(stop.position)
            if color is None or position is None:
                raise _Omitted("a stop of its gradient cannot be read")
            value.open(stop.bound_variables if paint.opacity == 1 else {})
            value.put("color", literal_json(color, "color"), "color")
            value.put("position", json_number(position))
            stops.append(value.json)
        handles = [[json_number(point.x), json_number(point.y)] for point in paint.gradient_handle_positions]
        return _Made("gradient", value.composite(stops), {"type": paint.type, "gradientHandlePositions": handles})

    def _color(self, paint: Part) -> Value:
        literal = color_of(paint.color, paint.opacity)
        index = self.target(paint.bound_variables, "color")
        if index is not None and self.table.types[index] == "color" and 0 <= paint.opacity <= 1:
            alias = Alias(self.table.keys[index])
            percent = length_of(round(paint.opacity * 100, 5)) or 0.0
            return alias if paint.opacity == 1 else ComposedColor(alias, percent)
        if literal is None:
            raise _Omitted("its colour cannot be read")
        return literal

    def _length(self, part: Part, member: str, literal: Any) -> Any:
        """Return the alias to the number that a member of a part is bound to, or else its literal; None without one."""
        index = self.target(part.bound_variables, member)
        if index is not None and self.table.types[index] in ("number", "dimension"):
            return Alias(self.table.keys[index])
        return length_of(literal) if isinstance(literal, float) else None

    def _grids(self, grids: list[Part]) -> Iterator[_Made]:
        patterns = [grid.pattern.lower() for grid in grids]
        if not patterns or len(set(patterns)) < len(patterns) or not {"columns", "rows", "grid"}.issuperset(patterns):
            raise _Omitted("it has no grid, or several of one kind")
        for pattern, grid in zip(patterns, grids, strict=True):
            members: dict[str, tuple[str, Any]] = {"size": ("sectionSize", grid.section_size)}
            if pattern != "grid":
                members |= {"gutter": ("gutterSize", grid.gutter_size), "margin": ("offset", grid.offset)}
                members["count"] = ("count", grid.count)
                if grid.alignment == "STRETCH":  # the editor fits the sections into the frame
                    del members["size"]
            for end, (member, number) in members.items():
                value = self._length(grid, member, number)
                if value is not None and (end != "count" or value != -1.0):  # as many as the frame has room for
                    yield _Made("number" if end == "count" else "dimension", value, {}, f"{pattern}.{end}")


class _Value:
    """A composite value under construction. ``json`` has the members of it, or of its last layer or stop."""

    def __init__(self, reader: _Reader, type_: str, bound: Any) -> None:
        self.reader = reader
        self.type = type_
        self.references: dict[str, TokenKey] = {}
        self.open(bound)

    def open(self, bound: Any) -> None:
        """Begin a layer or a stop with these ``boundVariables``."""
        self.json: dict[str, Any] = {}
        self.bound = bound

    def put(self, name: str, literal: Any, *members: str) -> None:
        """Set a member to the token that one of ``members`` is bound to, or else to a literal; None is none."""
        table = self.reader.table
        for member in members:
            index = self.reader.target(self.bound, member)
            if index is not None and fits(MEMBERS[self.type][name], table.types[index]):
                key = table.keys[index]
                is_root = key[1:] in self.reader.groups
                reference = f"{{{key.collection}.{key.path}{'.$root' if is_root else ''}}}"
                self.references[reference] = key
                self.json[name] = reference
                return
        if literal is not None:
            self.json[name] = literal

    def composite(self, json: Any = None) -> Composite:
        """Return the composite of all layers or stops, by default that of the members."""
        text = canonical(json or self.json)
        parts = parts_of(self.type, decoded(text))
        references = dict.fromkeys(part.reference for part in parts if part.reference is not None)
        return Composite(text, tuple((reference, self.references[reference]) for reference in references))


def _pixels(length: float | None) -> Any:
    return None if length is None else {"value": json_number(length), "unit": "px"}


def _rounded(number: float) -> float:
    """Return a factor as a JSON number; the platform's percentages are products of 32-bit floats."""
    return json_number(length_of(round(number, 5)) or 0.0)
