"""The asset catalog with a color set for each colour, and the Swift module with a constant for each token.

The colours of the catalog follow the system's appearance and the kind of device.
"""

from __future__ import annotations

import re
from functools import cached_property, partial
from itertools import chain, compress, count, groupby, repeat
from operator import itemgetter, ne
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from tokensync.generate.naming import rendered_bytes, token_label
from tokensync.generate.naming.rules import camel, free_name, pascal, words
from tokensync.generate.naming.templates import doc
from tokensync.generate.notation import TYPES, Reference, broken, composite, references
from tokensync.generate.output import Output, unknown_theme
from tokensync.generate.target import OutputFile, matcher
from tokensync.generate.targets.ios import SWIFTUI_MEMBERS, UIKIT_MEMBERS, TypeNames, identifier, on_disk, swift_name
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.themes import Appearance, appearance_themes, both
from tokensync.system.errors import ProblemsError
from tokensync.system.outlet import readable
from tokensync.system.problems import Severity, problem
from tokensync.tokens import DEFAULT_THEME, Alias, Color, FamilyKey, Theme, TokenKey, Unresolved
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import LiteralIndex, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.generate.targets.ios import IosOptions, IosTheme

    Row = tuple[object, ...]
    """A row of the form ``Entry``, ``Constant`` or ``ColorMember``, of which there are as many as tokens."""


Documentation = Annotated[list[str], doc("the lines of the documentation comment, with `///`", ["/// The brand."])]
Attribute = Annotated[
    str, doc("the attribute of a deprecated token, or empty", '@available(*, deprecated, message: "Use ink.")')
]
Title = Annotated[str, doc("the name of the collection, on one line", "Color scheme")]
Name = Annotated[str, doc("the name, with backticks around a keyword", "accentBase")]


class SwiftFile(Struct, frozen=True):
    """What all Swift files have in common."""

    access: Annotated[str, doc("the access level of declarations, followed by a space; or empty", "public ")]
    isolation: Annotated[
        str, doc("the isolation of types and extensions, followed by a space; or empty", "nonisolated ")
    ]
    importing: Annotated[str, doc("the keywords that import a module with types of the declarations", "public import")]
    imports: Annotated[list[str], doc("the configured additional modules to import", ["DesignResources"])]
    tokens: Annotated[str, doc("the configured name of the enum of all tokens", "Tokens")]


class Constant(NamedTuple):
    """A static constant."""

    documentation: Documentation
    attribute: Attribute
    name: Annotated[str, doc("the name, with backticks around a keyword", "spaceSmall")]
    type: Annotated[str, doc("the Swift type", "CGFloat")]
    value: Annotated[str, doc("the value as a Swift expression", "1.5")]


class Section(NamedTuple):
    """The constants of a collection or group."""

    title: Annotated[str, doc("the name of the collection, on one line; empty for groups of paths", "Color scheme")]
    enum: Annotated[str, doc("the name of the enum that begins here, or empty if none does", "ColorScheme")]
    indent: Annotated[str, doc("the indentation of constants", "        ")]
    rows: Annotated[list[Constant], doc("the constants, in collection order")]
    ends: Annotated[list[str], doc("the indentation of each enum that ends here, the innermost first", ["    "])]


class ColorMember(NamedTuple):
    """A colour as a member of a system type."""

    note: Annotated[
        str, doc("the lines before it: the documentation comment and the attribute; or empty", "/// The brand.")
    ]
    name: Name
    value: Annotated[str, doc("the value as a Swift expression", "Tokens.accentBase")]


class Entry(NamedTuple):
    """A colour of a colour set."""

    idiom: Annotated[str, doc("the kind of device", "universal")]
    luminosity: Annotated[str, doc("`dark`, `light`, or empty for any", "dark")]
    contrast: Annotated[str, doc("`high` or empty", "high")]
    space: Annotated[str, doc("the colour space of the components", "srgb")]
    red: Annotated[str, doc("the component: a byte such as `0x1F`, or a fraction with a decimal point", "0x1F")]
    green: Annotated[str, doc("the component: a byte such as `0x1F`, or a fraction with a decimal point", "0x6F")]
    blue: Annotated[str, doc("the component: a byte such as `0x1F`, or a fraction with a decimal point", "0xEB")]
    alpha: Annotated[str, doc("the component from 0 to 1, with a decimal point", "1.000")]
    comma: Annotated[str, doc("a comma if another colour follows, or empty", "")]


UNIVERSAL = "universal"
_COLORED = ("shadow", "border", "gradient")
"""The kinds of composites with colours."""
PLAIN = Appearance("", "")
IDIOMS = ("iphone", "ipad", "mac", "watch", "tv", "vision", "car")

UIKIT_EXISTING = UIKIT_MEMBERS | {"token"}
"""The members of UIColor, with that of the generated file."""

_TEMPLATE = "ios/colorset.json.j2"
_END_OF_DOCUMENT = "\x1e"

_BATCH = 1000
"""Documents per rendering, to limit memory."""

_MAX_DEPTH = 4
_MAX_NAME = 60
"""Nested folders of a colour, and characters of a folder's name: file systems limit the length of a path."""


class Variants(NamedTuple):
    """The themes that the system chooses: those of appearances in ``ORDER``, except the plain one, and of idioms."""

    system: tuple[tuple[Appearance, Theme], ...] = ()
    idioms: tuple[tuple[str, Theme], ...] = ()

    def themes(self) -> list[tuple[str, Appearance, Theme]]:
        """Return every (idiom, appearance, theme) except the plain universal one, plain ones first."""
        themes = [(UNIVERSAL, appearance, theme) for appearance, theme in self.system]
        for idiom, own in self.idioms:
            themes.append((idiom, PLAIN, own))
            themes += [(idiom, appearance, both(theme, own)) for appearance, theme in self.system]
        return themes

    def modes(self) -> set[tuple[FamilyKey, int]]:
        """Return the modes that the system chooses."""
        return {pair for _, theme in (*self.system, *self.idioms) for pair in theme.modes}


def variants_of(output: Output, overrides: Mapping[str, IosTheme]) -> Variants:
    """Return the variants that the names of modes imply, or that the options set."""
    by_name = {theme.name: theme for theme in output.themes}
    output.problems += [unknown_theme(name, output.themes, "ios") for name in overrides if name not in by_name]
    settings = [(by_name[name], setting) for name, setting in overrides.items() if name in by_name]
    configured = [
        (theme, _appearance_of(setting))
        for theme, setting in settings
        if setting.appearance or setting.contrast or setting.idiom
    ]
    of_idiom: dict[str, dict[FamilyKey, int]] = {}
    for theme, setting in settings:
        if setting.idiom:
            of_idiom.setdefault(setting.idiom, {}).update(theme.modes)
    idioms = tuple((idiom, Theme(idiom, tuple(of_idiom[idiom].items()))) for idiom in IDIOMS if idiom in of_idiom)
    return Variants(appearance_themes(output, configured), idioms)


def _appearance_of(setting: IosTheme) -> Appearance | None:
    scheme = setting.appearance
    if scheme == "none" or (not scheme and not setting.contrast):
        return None
    return Appearance(scheme, "more" if setting.contrast else "")


class Differences(NamedTuple):
    """The differences between the variants and the default theme.

    ``colors`` has, for each of ``Variants.themes``, literal indices by token index. ``others`` are the tokens with
    differences other than colours, ``tokens`` all tokens with differences.
    """

    colors: list[dict[TokenIndex, LiteralIndex]]
    others: set[TokenIndex]
    tokens: set[TokenIndex]


def differences_of(output: Output, variants: Variants) -> Differences:
    """Return the differences; report values that Swift cannot express."""
    resolution = output.resolution
    themes = variants.themes()
    differences = Differences([], set(), set())
    if not themes:
        return differences
    default = resolution.default.literals
    varying = resolution.varying(theme for _, _, theme in themes)
    declared = output.declared_among(varying)
    kinds, texts = output.kinds, output.texts
    painted = [index for index in declared if kinds[index] == "color"]
    others = [index for index in declared if kinds[index] != "color"]
    colored = [index for index in others if kinds[index] in _COLORED]
    for _, _, theme in themes:
        resolved = resolution.in_theme(theme, varying)
        own = resolved.literals
        of_painted = [*map(own.__getitem__, painted)]
        differs = map(ne, of_painted, map(default.__getitem__, painted))
        colors = dict(compress(zip(painted, of_painted, strict=True), differs))
        # The colours of a constant follow the system through the catalog: one without a value there is incomplete.
        unfit = {literal for literal in set(colors.values()) if texts[painted[0]][literal] is None}  # type: ignore[index]
        absent = [index for index, literal in colors.items() if literal in unfit] if unfit else []
        output.rows([*absent, *(index for index in colored if own[index] != default[index])], resolved, theme)
        for index in absent:
            del colors[index]
        differs = map(ne, map(own.__getitem__, others), map(default.__getitem__, others))
        differences.others.update(compress(others, differs))
        differences.colors.append(colors)
        differences.tokens.update(colors)
    differences.tokens.update(differences.others)
    return differences


class ColorSet(Struct, frozen=True, eq=False):
    """A color set: the idiom and appearance, and the literal of each entry, the plain universal one first."""

    places: tuple[tuple[str, Appearance], ...]
    literals: tuple[LiteralIndex, ...]


def color_sets(
    output: Output, variants: Variants, differences: Differences, values: Iterable[TokenIndex]
) -> dict[TokenIndex, ColorSet]:
    """Return the color sets of the colours among the tokens that have a default value.

    The entries of a color set depend only on which of its colours are equal, so they are computed once per pattern.
    """
    default, literals = output.resolution.default.literals, output.resolution.columns.values
    entries: dict[tuple[int, ...], tuple[tuple[tuple[str, Appearance], ...], tuple[int, ...]]] = {}
    by_literals: dict[tuple[LiteralIndex, ...], ColorSet] = {}
    by_token: dict[TokenIndex, ColorSet] = {}
    painted = [index for index in values if type(literals[default[index]]) is Color]
    plain = [default[index] for index in painted]
    columns = [map(colors.get, painted, plain) for colors in differences.colors]
    for index, *variant_literals in zip(painted, plain, *columns, strict=True):
        key = tuple(variant_literals)
        color_set = by_literals.get(key)
        if color_set is None:
            pattern = tuple(map(key.index, key))
            if pattern not in entries:
                of_pattern = _entries(pattern, variants)
                entries[pattern] = tuple([each[:2] for each in of_pattern]), tuple([each[2] for each in of_pattern])
            places, positions = entries[pattern]
            color_set = by_literals[key] = ColorSet(places, tuple([key[at] for at in positions]))
        by_token[index] = color_set
    return by_token


def _entries(variant_literals: Sequence[int], variants: Variants) -> list[tuple[str, Appearance, int]]:
    """Return the entries of a color set for the literals of each variant, the plain one first.

    A variant without an entry falls back to a less specific one: an appearance with two members to one of them, a
    device to the universal entries. It needs an entry when these differ.
    """
    plain, *rest = variant_literals
    of = {(idiom, appearance): each for (idiom, appearance, _), each in zip(variants.themes(), rest, strict=True)}
    universal = {appearance: of[UNIVERSAL, appearance] for appearance, _ in variants.system}
    explicit = explicit_appearances(plain, universal)
    entries = [(UNIVERSAL, PLAIN, plain), *((UNIVERSAL, appearance, universal[appearance]) for appearance in explicit)]
    for idiom, _ in variants.idioms:
        own = {appearance: of[idiom, appearance] for appearance in universal}
        if of[idiom, PLAIN] != plain or own != universal:
            entries.append((idiom, PLAIN, of[idiom, PLAIN]))
            entries += [(idiom, each, own[each]) for each in explicit_appearances(of[idiom, PLAIN], own, explicit)]
    return entries


def explicit_appearances(
    plain: object, variant_literals: Mapping[Appearance, object], needed: Sequence[Appearance] = ()
) -> list[Appearance]:
    """Return the appearances that need an entry, less specific ones first; those in ``needed`` always do."""
    explicit: list[Appearance] = []
    for appearance, value in variant_literals.items():
        plainer = {
            variant_literals[other]
            for other in explicit
            if other.scheme in ("", appearance.scheme) and other.contrast in ("", appearance.contrast)
        } or {plain}
        if appearance in needed or plainer != {value}:
            explicit.append(appearance)
    return explicit


class Folders(NamedTuple):
    """The locations of colours in the catalog.

    By token index, ``paths`` has file paths from the catalog on, and ``assets`` the names that Swift loads.
    ``folders`` are the catalog and its folders, parents first.
    """

    paths: dict[TokenIndex, str]
    assets: dict[TokenIndex, str]
    folders: tuple[str, ...]


def folders_of(output: Output, options: IosOptions, colors: Iterable[TokenIndex]) -> Folders:
    """Return the folders of the colours; names that differ only in case share a folder."""
    catalog = f"{options.catalog}.xcassets"
    paths: dict[TokenIndex, str] = {}
    assets: dict[TokenIndex, str] = {}
    folders = {catalog: None}
    written: dict[str, str] = {}
    for index in colors:
        name, group = output.names[index], ""
        for each in _groups(options.groups, output.graph.table.keys[index]) if options.groups != "none" else ():
            inner = f"{group}/{each}" if group else each
            group = written.setdefault(on_disk(inner), inner)
            folders[f"{catalog}/{group}"] = None
        assets[index] = f"{group}/{name}" if group and options.namespace else name
        paths[index] = f"{catalog}/{group}/{name}" if group else f"{catalog}/{name}"
    return Folders(paths, assets, tuple(folders))


_DROPPED_WORD = re.compile(r"(?<=[a-z0-9])(?:Color|Image)$|(?<=\w)_(?i:color|image)$")
"""The last word of an asset's name that Xcode leaves out of the asset's symbol."""


def report_symbols(output: Output, assets: Mapping[TokenIndex, str]) -> None:
    """Report colours with the same asset symbol, of which Xcode declares only one."""
    firsts: dict[str, str] = {}
    for index, asset in assets.items():
        symbol = asset.replace("_", "").lower()
        if symbol[-5:] in ("color", "image"):
            symbol = _DROPPED_WORD.sub("", asset).replace("_", "").lower()
        first = firsts.setdefault(symbol, asset)
        if first != asset:
            label = token_label(output.graph, output.tokens[index].key)
            what = f"Xcode derives the same symbol from the assets {readable(first)} and {readable(asset)}, and warns"
            to_do = "give it another code syntax or name, or turn off the app's build setting Generate Asset Symbols"
            brief = "tokens have assets from which Xcode derives the symbol of another asset, and warns"
            output.problems.append(problem("asset-symbol", label, what, to_do, brief=brief))


def _groups(by: str, key: TokenKey) -> list[str]:
    if by == "path" and "." not in key.path:
        return []
    groups = (key.collection,) if by == "collection" else names(key.path.rpartition(".")[0])[:_MAX_DEPTH]
    return [identifier(pascal(words(group))[:_MAX_NAME]) for group in groups]


def catalog_files(
    output: Output, options: IosOptions, folders: Folders, colors: Mapping[TokenIndex, ColorSet], space: str
) -> Iterator[OutputFile]:
    """Yield ``Contents.json`` of the catalog, of its folders and of the color sets; equal ones are rendered once."""
    for at, folder in enumerate(folders.folders):
        namespace = options.namespace and at > 0
        has_symbols = at > 0 or {"swiftui", "uikit"}.isdisjoint(options.also)  # Xcode's would be the same members
        content = rendered_bytes(
            "ios/catalog.json.j2", output.request.templates, namespace=namespace, symbols=has_symbols
        )
        yield OutputFile(f"{folder}/Contents.json", content)
    documents = _documents(output, list(dict.fromkeys(colors.values())), space)
    for index, color_set in colors.items():
        yield OutputFile(f"{folders.paths[index]}.colorset/Contents.json", documents[color_set])


def _documents(output: Output, color_sets: Sequence[ColorSet], space: str) -> dict[ColorSet, bytes]:
    """Return the document of each color set.

    The packaged template copies the components. So it is rendered once for all color sets with the same idioms and
    appearances, with marks that the components then replace. A template of the user's may do more with them.
    """
    literals = output.resolution.columns.values
    name = "srgb" if space == "srgb" else "display-p3"
    components = {
        literal: swift.catalog_components(color, space)
        for literal in {literal for color_set in color_sets for literal in color_set.literals}
        if isinstance(color := literals[literal], Color)
    }
    if output.request.templates is not None:
        rows = [_rows(each, [components[literal] for literal in each.literals], name) for each in color_sets]
        return dict(zip(color_sets, map(str.encode, _rendered(output, rows)), strict=True))
    groups: dict[tuple[tuple[str, Appearance], ...], list[ColorSet]] = {}
    for color_set in color_sets:
        groups.setdefault(color_set.places, []).append(color_set)
    marked = (
        _rows(each, zip(*[map("\x1f{}\x1f".format, count(part, 4)) for part in range(4)], strict=True), name)
        for each, *_ in groups.values()
    )
    documents: dict[ColorSet, bytes] = {}
    for of_group, text in zip(groups.values(), _rendered(output, list(marked)), strict=True):
        pieces = text.split("\x1f")
        ordered = itemgetter(*map(int, pieces[1::2]))  # several: a colour has four components
        for color_set in of_group:
            pieces[1::2] = ordered([*chain.from_iterable(map(components.__getitem__, color_set.literals))])
            documents[color_set] = "".join(pieces).encode()
    return documents


def _rendered(output: Output, documents: Sequence[Sequence[Row]]) -> Iterator[str]:
    """Render documents in batches. Raises ProblemsError if the template does not separate them."""
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        text = rendered_bytes(_TEMPLATE, output.request.templates, rows=batch, end=_END_OF_DOCUMENT).decode()
        *rendered, rest = text.split(f"{_END_OF_DOCUMENT}\n")
        if rest or len(rendered) != len(batch):
            what = f"the template gives {len(rendered)} documents for {len(batch)} colours"
            what_to_do = "write one document and a line {{ end }} for each row"
            raise ProblemsError((problem("template-failed", f"templates/{_TEMPLATE}", what, what_to_do),))
        yield from rendered


def _rows(color_set: ColorSet, components: Iterable[tuple[str, ...]], space: str) -> list[Row]:
    last = len(color_set.places) - 1
    return [
        (idiom, scheme, "high" if contrast else "", space, *parts, "," if at < last else "")
        for at, ((idiom, (scheme, contrast)), parts) in enumerate(zip(color_set.places, components, strict=False))
    ]


_UNDESCRIBED: tuple[list[str], str] = ([], "")

_CONSTANT_OF_PART = {"dimension": "number", "fontWeight": "number", "lineHeight": "number"}
"""The kinds of constants that a part of a composite can refer to, when they differ from its type."""

_LITERAL_PARTS = frozenset(("fontFamily", "shadow"))
"""Parts whose Swift type differs from that of the constants that they refer to."""


_USED = ("Double", "Gradient", "Protocol", "Swift", "SwiftUI", "Type", "UIColor")
"""Types and modules in generated expressions, and metatypes; ``Color`` is ``SwiftUI.Color`` where a token hides it."""


_NESTED_NAMES = frozenset("Any Bool CGFloat Protocol Self String TimeInterval Type".split())
"""Names of groups that would hide a type in the enum; ``Color`` and ``Font`` are written with their module."""

_IMPORTED = frozenset(("CGFloat", "Color", "Font.Weight", "Gradient", "TimeInterval", "UIColor"))
"""Types of SwiftUI, UIKit, and modules that they export."""


class Module:
    """The context of an output's Swift files.

    By token index, ``names`` has identifiers as Swift source, ``constants`` those of constants, ``enums`` the enums
    around these, and ``output.spelled`` both. ``types`` has the Swift type of each kind, and ``hidden`` the beginnings
    of those that a group has the name of; ``bundle`` is the expression of the asset catalog's bundle.
    """

    def __init__(self, output: Output, options: IosOptions, notation: swift.Notation) -> None:
        self.output = output
        self.options = options
        self.notation = notation
        self.types = notation.types()
        self.support = f"{options.name}Support"
        self.access = "" if options.access == "internal" else f"{options.access} "
        self.bundle = options.bundle or f".{self.member('Bundle')}"
        used = (*_USED, options.name, self.support, *(self.types[kind] for kind in swift.STYLE_TYPES))
        self.enums = _enums(output, options, used)
        by_path = options.nested == "path"
        reserved = {*used, *(() if by_path else chain.from_iterable(self.enums.values()))}
        names = set(output.names)
        for index in [] if names.isdisjoint(reserved) else output.declared:
            if output.names[index] in reserved:
                why = "the generated Swift uses a type or module"
                output.names[index] = _renamed(output, index, names, reserved, why)
        self.names = [swift_name(name) for name in output.names]
        self.constants = self._constants_of_groups() if by_path else self.names
        self.shown: dict[TokenIndex, str] = {}
        self.hidden = tuple({"Color", "Font"}.intersection(chain.from_iterable(self.enums.values()))) if by_path else ()
        # A member or group named Color would hide the type.
        is_hidden = "Color" in output.names or notation.color != "Color"
        self._color_type, self._color_init = ("SwiftUI.Color", ".init") if is_hidden else ("Color", "Color")
        # A group could hide the outer group of that name from a reference.
        self._root = (options.name,) if by_path else ()
        output.spelled = list(self.constants)
        for index, enums in self.enums.items():
            if self._root or enums:
                output.spelled[index] = ".".join((*self._root, *enums, self.constants[index]))

        self._text_styles = {
            index: style
            for glob, style in reversed(options.dynamic_type.items())
            for index in self._matching(matcher((glob,), default=False))
        }

    def _matching(self, matches: Callable[[str], bool]) -> Iterator[TokenIndex]:
        paths = self.output.graph.table.paths
        for index in self.output.declared:
            if self.output.kinds[index] == "typography" and matches("/".join(names(paths[index]))):
                yield index

    def _constants_of_groups(self) -> list[str]:
        """Return the constants as the last names of the paths, unique in each group; otherwise their other names."""
        output, constants = self.output, list(self.names)
        used: dict[tuple[str, ...], set[str]] = {}
        for *group, enum in {enums[:depth] for enums in self.enums.values() for depth in range(1, len(enums) + 1)}:
            used.setdefault(tuple(group), set()).add(enum)
        for index, enums in self.enums.items():
            path, siblings = names(output.graph.table.paths[index]), used.setdefault(enums, set())
            name = old = identifier(camel([word for part in path[len(enums) :] for word in words(part)]))
            if name in siblings:
                name = free_name(output.names[index], siblings, "Token")
                _report_renamed(output, index, old, name, "its group already has a name")
            siblings.add(name)
            constants[index] = swift_name(name)
        return constants

    @cached_property
    def described(self) -> dict[TokenIndex, tuple[list[str], str]]:
        """The documentation and the attribute of the tokens that have one, which several files contain."""
        table = self.output.graph.table
        descriptions, deprecated = table.descriptions, table.deprecated
        described: dict[TokenIndex, tuple[list[str], str]] = {}
        for index in self.output.declared:
            if descriptions[index] or deprecated[index] or index in self.shown:
                lines = swift.documentation(descriptions[index])
                if index in self.shown:
                    lines += [*(["///"] if lines else []), f"/// {self.shown[index]}"]
                described[index] = lines, swift.availability(deprecated[index])
        return described

    def text_style(self, index: TokenIndex, text: str) -> str:
        """Return the expression of a text style, with the configured style of the system unless it is a reference."""
        if index not in self._text_styles or not text.endswith(")"):
            return text
        return f"{text[:-1]}, relativeTo: .{self._text_styles[index]})"

    def member(self, suffix: str) -> str:
        """Return the name of a member in an extension of a system type: the name of the enum, and the suffix."""
        name = self.options.name
        return f"{name[0].lower()}{name[1:]}{suffix}"

    def constant(self, index: TokenIndex) -> str:
        """Return the reference to a token's constant from outside the enum."""
        spelled = self.output.spelled[index]
        return spelled if self._root else f"{self.options.name}.{spelled}"

    def color(self, color: Color) -> str:
        """Return a colour's components as SwiftUI's Color."""
        return swift.color_expression(color, self.notation.space, self._color_type)

    def catalog_color(self, asset: str) -> str:
        """Return a SwiftUI Color that is loaded from the catalog."""
        return f"{self._color_init}({swift.string(asset)}, bundle: {self.bundle})"

    def adaptive(self, color_set: ColorSet, convert: Callable[[Color], str], function: str) -> str:
        """Return a call of the support file's function with the components in each appearance, or only a colour."""
        values = self.output.resolution.columns.values
        texts = {
            appearance: convert(color)
            for (_, appearance), literal in zip(color_set.places, color_set.literals, strict=True)
            if isinstance(color := values[literal], Color)
        }
        return swift.adaptive(texts.pop(PLAIN), texts, f"{self.support}.{function}")

    def file(self, name: str, template: str, types: Iterable[str] = ("Color",), **context: object) -> OutputFile:
        """Render a Swift file from a template of ``ios/``; ``types`` are those of its declarations."""
        # Swift warns about a public import without a public use.
        is_public = (
            self.options.access == "public"
            and self.options.swift != "5.9"
            and not _IMPORTED.isdisjoint(type_.removesuffix("?") for type_ in types)
        )
        content = rendered_bytes(
            f"ios/{template}",
            self.output.request.templates,
            access=self.access,
            isolation="nonisolated " if self.options.swift == "6.1" else "",
            importing="public import" if is_public else "import",
            imports=self.options.imports,
            tokens=self.options.name,
            **context,
        )
        return OutputFile(f"{name}.swift", content)


def _enums(output: Output, options: IosOptions, used: Iterable[str]) -> dict[TokenIndex, tuple[str, ...]]:
    """Return the enums around each constant, the outermost first, none of which is ``used``."""
    table = output.graph.table
    if options.nested == "path":
        reserved = _NESTED_NAMES.union(used)
        enums: dict[TokenIndex, tuple[str, ...]] = {}
        for index in output.declared:
            groups = _groups("path", table.keys[index])
            enums[index] = tuple([f"{group}_" if group in reserved else group for group in groups])
        return enums
    types = TypeNames(used, options.name)
    families = dict.fromkeys(table.families[index] for index in output.declared)
    of_family = {key: (types.unique(key[1]),) if options.nested == "collection" else () for key in families}
    return {index: of_family[table.families[index]] for index in output.declared}


def default_values(output: Output) -> dict[TokenIndex, str]:
    """Return the Swift expression of each constant by token index; an empty text for a colour.

    No constant refers to a deprecated one, to avoid compiler warnings in the generated file.
    """
    current = {index for index in output.declared if not output.graph.table.deprecated[index]}
    referable = current if len(current) < len(output.declared) else None
    rows = output.rows(output.declared, output.resolution.default, DEFAULT_THEME, referable)
    return {index: text for index, text, _ in rows}


def refer_to_parts(module: Module, values: dict[TokenIndex, str]) -> None:
    """Replace the parts of composite values by references to constants where possible."""
    output = module.output
    for index in list(values):
        kind = output.kinds[index]
        if kind not in TYPES:
            continue
        references_by_path = {
            reference.path: output.spelled[target]
            for reference in references(output.resolution.columns.value_in(index, {})[0], kind)
            if (target := _referable(output, reference, values)) is not None
        }
        literal = output.literal(output.resolution.default, index)
        typed = None if isinstance(literal, Unresolved) else composite(literal, kind)
        if references_by_path and typed is not None:
            values[index] = swift.text(typed, references_by_path, module.notation)
        values[index] = module.text_style(index, values[index])


def follows_colors(
    output: Output, index: TokenIndex, values: Collection[TokenIndex], differing: Collection[TokenIndex]
) -> bool:
    """Return whether a composite, or its alias, differs between appearances only in the colours that it refers to.

    ``differing`` are the tokens that differ in some appearance.
    """
    indices = output.graph.table.indices
    seen: set[TokenIndex] = set()
    value = None
    while index not in seen and output.kinds[index] in TYPES:
        seen.add(index)
        if len({value for value in output.tokens[index].values if value is not None}) != 1:
            return False
        value, _ = output.resolution.columns.value_in(index, {})
        if not isinstance(value, Alias):
            break
        index = indices.get(value.target, index)
    kind = output.kinds[index]
    part_references = references(value, kind) if kind in TYPES else ()
    return bool(part_references) and all(
        indices.get(reference.target) not in differing
        or (reference.type == "color" and _referable(output, reference, values) is not None)
        for reference in part_references
    )


def _referable(output: Output, reference: Reference, values: Collection[TokenIndex]) -> TokenIndex | None:
    """Return the token whose constant can replace the part; not a deprecated one, which would cause a warning."""
    index = output.graph.table.indices.get(reference.target)
    kind = _CONSTANT_OF_PART.get(reference.type, reference.type)
    if index is None or index not in values or reference.type in _LITERAL_PARTS or output.kinds[index] != kind:
        return None
    return None if output.graph.table.deprecated[index] else index


def constants_file(module: Module, values: Mapping[TokenIndex, str], *, has_catalog: bool) -> OutputFile:
    """Return the file of the enum, with the bundle of the catalog unless one is configured."""
    sections = [*(_groups_of if module.options.nested == "path" else _collections_of)(module, values)]
    bundle = module.member("Bundle") if has_catalog and module.options.bundle is None else ""
    types = {module.types[kind or ""] for kind in set(map(module.output.kinds.__getitem__, values))}
    return module.file(
        module.options.name, "Tokens.swift.j2", types, sections=sections, bundle=bundle, loads=has_catalog
    )


def _collections_of(module: Module, values: Mapping[TokenIndex, str]) -> Iterator[Row]:
    """Yield the sections of collections, in order."""
    for key, indices in groupby(values, key=module.output.graph.table.families.__getitem__):
        of_family = [*indices]
        enums = module.enums[of_family[0]]
        rows = _constants(module, values, of_family, 4 + 4 * len(enums), ".".join((*enums, "")))
        title = swift.title(module.output.graph.collections[key].name)
        yield title, "".join(enums), " " * (4 + 4 * len(enums)), rows, ["    "] * len(enums)


def _groups_of(module: Module, values: Mapping[TokenIndex, str]) -> Iterator[Row]:
    """Yield the sections of groups, each before those in it; a group has the tokens of all collections."""
    of_group: dict[tuple[str, ...], list[TokenIndex]] = {(): []}
    for index in values:
        enums = module.enums[index]
        for depth in range(len(enums)):
            of_group.setdefault(enums[: depth + 1], [])
        of_group[enums].append(index)
    rank = {group: at for at, group in enumerate(of_group)}
    order = sorted(of_group, key=lambda group: [rank[group[: depth + 1]] for depth in range(len(group))])
    for group, following in zip(order, [*order[1:], ()], strict=True):
        if group or of_group[group]:
            indent = 4 + 4 * len(group)
            rows = _constants(module, values, of_group[group], indent, "")
            ends = [" " * 4 * depth for depth in range(len(group), max(len(following) - 1, 0), -1)]
            yield "", "".join(group[-1:]), " " * indent, rows, ends


def _constants(
    module: Module, values: Mapping[TokenIndex, str], indices: Sequence[TokenIndex], indent: int, own: str
) -> list[Row]:
    """Return the constants; only composite values may span several lines. References omit the enum ``own``."""
    kinds, names = [module.output.kinds[index] or "" for index in indices], module.constants
    types = {
        kind: f"SwiftUI.{type_}" if type_.startswith(module.hidden) else type_ for kind, type_ in module.types.items()
    }
    texts = [*map(values.__getitem__, indices)]
    if own:
        texts = [text.removeprefix(own) for text in texts]
    for at, kind in enumerate(kinds) if not set(TYPES).isdisjoint(kinds) else ():
        if kind in TYPES:
            column = indent + len(f"{module.access}static let {names[indices[at]]}: {types[kind]} = ")
            texts[at] = broken(texts[at], column, indent, trailing="")
    described = zip(*map(module.described.get, indices, repeat(_UNDESCRIBED)), strict=True)
    of_types = map(types.__getitem__, kinds)
    return [*zip(*described, map(names.__getitem__, indices), of_types, texts, strict=True)]


def support_file(module: Module, *, conversions: bool, tables: bool) -> OutputFile:
    """Return the file with functions that the other files use."""
    space = ".sRGB" if module.notation.space == "srgb" else ".displayP3"
    return module.file(module.support, "Support.swift.j2", (), conversions=conversions, tables=tables, space=space)


def swiftui_file(module: Module, colors: Collection[TokenIndex]) -> OutputFile:
    """Return ``Color+Tokens.swift``: the colours as members of Color and of ShapeStyle."""
    rows = _members(module, {index: module.constant(index) for index in colors}, SWIFTUI_MEMBERS, "Color")
    return module.file(f"Color+{module.options.name}", "Color.swift.j2", rows=rows)


def uikit_file(module: Module, colors: Mapping[TokenIndex, ColorSet], assets: Mapping[TokenIndex, str]) -> OutputFile:
    """Return ``UIColor+Tokens.swift``: the colours as members of UIColor, loaded from the catalog if there is one."""
    in_catalog = module.options.colors == "catalog"
    uicolor = partial(swift.uicolor_expression, space=module.notation.space)
    values = {
        index: f"token({swift.string(assets[index])})" if in_catalog else module.adaptive(color_set, uicolor, "dynamic")
        for index, color_set in colors.items()
    }
    rows = _members(module, values, UIKIT_EXISTING, "UIColor")
    bundle = module.bundle if in_catalog and colors else ""
    return module.file(
        f"UIColor+{module.options.name}", "UIColor.swift.j2", ("UIColor",) if rows else (), rows=rows, bundle=bundle
    )


def renamed_members(
    output: Output, indices: Collection[TokenIndex], existing: frozenset[str], type_: str
) -> dict[TokenIndex, str]:
    """Return other names for the colours that have the name of an ``existing`` member of a type, and report them."""
    clashing = [index for index in indices if output.names[index] in existing]
    used = {output.names[index] for index in indices} if clashing else set()
    why = f"{type_} already has a member"
    # A note only, since the constants have the names themselves.
    return {index: _renamed(output, index, used, existing, why, severity="note") for index in clashing}


def _members(module: Module, values: Mapping[TokenIndex, str], existing: frozenset[str], type_: str) -> list[Row]:
    """Return the colours as members of a type."""
    names = module.names.copy()
    for index, name in renamed_members(module.output, values, existing, type_).items():
        names[index] = swift_name(name)
    notes = {
        index: "\n    ".join(filter(None, (*documentation, attribute)))
        for index, (documentation, attribute) in module.described.items()
    }
    return [*zip(map(notes.get, values, repeat("")), map(names.__getitem__, values), values.values(), strict=True)]


def _renamed(
    output: Output,
    index: TokenIndex,
    used: set[str],
    reserved: AbstractSet[str],
    why: str,
    severity: Severity = "warning",
) -> str:
    """Return another name for a token, and report it."""
    old, name = output.names[index], free_name(output.names[index], used | reserved, "Token")
    used.add(name)
    _report_renamed(output, index, old, name, why, severity)
    return name


def _report_renamed(
    output: Output, index: TokenIndex, old: str, name: str, why: str, severity: Severity = "warning"
) -> None:
    what = f"{why} {readable(old)}, so it is {readable(name)} there"
    to_do = "give it another code syntax or name, or use the name that it has there"
    brief = f"tokens have another name there, because {why} of that name"
    label = token_label(output.graph, output.tokens[index].key)
    finding = problem("identifier-collision", label, what, to_do, brief=brief)
    output.problems.append(finding._replace(severity=severity))
