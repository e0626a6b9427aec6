"""Android resources: ``values/`` with the defaults, and folders of other configurations with the differences."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import combinations as pairs
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct

from tokensync.generate.material import ROLES, roles_of
from tokensync.generate.naming import CodeReferences, rendered_bytes, token_label
from tokensync.generate.naming.rules import pascal, words
from tokensync.generate.naming.templates import Template, doc, names_template
from tokensync.generate.notation import Typography, composite, in_pixels, references
from tokensync.generate.output import Output, Resolution, Row, modes_unsupported, without_default
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets.android import NAMING, AndroidMaterial, AndroidOptions
from tokensync.generate.targets.android import literals as android
from tokensync.generate.targets.android.folders import (
    NO_BRAND,
    brand_words,
    combinations,
    dependencies,
    folders_of,
    source_sets_of,
    values_at,
    variants_of,
)
from tokensync.generate.targets.android.literals import ELEMENTS, PARENT, TEXT_STYLE
from tokensync.generate.targets.android.qualifiers import ANY, Qualifiers, best, is_gradual, weight
from tokensync.system.problems import Problem, problem
from tokensync.tokens import FamilyKey, Theme, TokenKey, Unresolved
from tokensync.tokens.algorithms import closure
from tokensync.tokens.resolver import LiteralIndex, ResolvedTheme, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.targets.android.folders import BrandAxis, Folders, ThemeVariants, Variants


class Resource(NamedTuple):
    """A resource."""

    comment: Annotated[str, doc("the description, safe in an XML comment; or empty", "Filled buttons")]
    tag: Annotated[str, doc("the XML element", "color")]
    name: Annotated[str, doc("the name", "accent_base")]
    attributes: Annotated[
        str, doc("additional attributes of the element, after a space; or empty", ' translatable="false"')
    ]
    value: Annotated[str, doc("the value, escaped for aapt and XML: a literal or a reference", "@color/color_tide_500")]


Namespaces = Annotated[str, doc("the attributes of the root for Android lint, after a space; or empty", "")]


class ValuesFile(Struct, frozen=True):
    """A file of a resource folder."""

    namespaces: Namespaces
    rows: Annotated[list[Resource], doc("the resources, in collection order")]


class Attribute(NamedTuple):
    """A theme attribute."""

    comment: Annotated[str, doc("the description, safe in an XML comment; or empty", "Filled buttons")]
    name: Annotated[str, doc("the name", "accent_base")]
    format: Annotated[str, doc("the format of its values", "color")]


class Attributes(Struct, frozen=True):
    """The attributes of the tokens that vary with a brand."""

    namespaces: Namespaces
    rows: Annotated[list[Attribute], doc("the attributes, in collection order")]


class Item(NamedTuple):
    """The value of an attribute in a style."""

    attribute: Annotated[str, doc("the attribute's name", "accent_base")]
    value: Annotated[str, doc("the value, escaped for aapt and XML", "?attr/color_tide_500")]


class Style(NamedTuple):
    """A style."""

    name: Annotated[str, doc("the name", "ThemeOverlay.ColorScheme.BrandB")]
    parent: Annotated[str, doc("the name of the parent, or empty", "ThemeOverlay.ColorScheme")]
    items: Annotated[list[Item], doc("the items that differ from the parent, in collection order")]


class Styles(Struct, frozen=True):
    """The styles of a resource folder."""

    namespaces: Namespaces
    rows: Annotated[list[Style], doc("the styles, each after its parent")]


TEMPLATES = (
    names_template("android", "Android"),
    Template("android/values.xml.j2", "android", "A file of a `values` folder, such as `colors.xml`.", ValuesFile),
    Template("android/attrs.xml.j2", "android", '`attrs.xml`, with `brands = "styles"`.', Attributes),
    Template("android/styles.xml.j2", "android", "`styles.xml` of each folder that has styles.", Styles),
)


Items = dict[TokenIndex, str]
"""The values of attributes by token index: an attribute, a resource or a literal."""


class Values(NamedTuple):
    """The items of a style on a device, and the literal indices of all tokens there."""

    items: Items
    literals: list[LiteralIndex]


class Overlay(NamedTuple):
    """A style with its items by folder; base styles (``is_first``) and styles of two brands have no parent."""

    name: str
    parent: Overlay | None
    folders: dict[Qualifiers, Items]
    is_first: bool = False

    def at(self, device: Qualifiers) -> Items:
        """Return the items of a device, with those of the parents."""
        folder = best(self.folders, device)
        own = {} if folder is None else self.folders[folder]
        return {**self.parent.at(device), **own} if self.parent else own

    def write(self, device: Qualifiers, items: Items, *, always: bool) -> None:
        """Write the items for a device unless another folder already has the same ones for it."""
        folder = best(self.folders, device)
        if always or folder is None or self.folders[folder] != items:
            self.folders[device] = items


class Overlays:
    """The attributes and overlay styles of an output."""

    def __init__(self, output: Output, themes: ThemeVariants, plain: Folders, options: AndroidOptions) -> None:
        self.output = output
        self.axes = themes.axes
        self.themes = themes
        self.default = plain[ANY]
        self._prefix = options.styles
        self._names = {options.material.theme.replace(".", "_")} if options.material else set()
        self._affected = [output.resolution.depending(themes.replacing(at)) for at in range(len(themes.axes))]
        self.attributes = [
            index
            for index in output.declared_among(set().union(*self._affected))
            if index in self.default and ELEMENTS[output.kinds[index] or ""].format
        ]
        self._is_attribute = frozenset(self.attributes)
        self._owner = {index: self._owner_of(index) for index in self.attributes}

    @cached_property
    def all(self) -> list[Overlay]:
        """The styles, each after its parent."""
        styles: list[Overlay] = []
        of_brand: dict[tuple[int, str], Overlay] = {}
        for at, axis in enumerate(self.axes):
            if at not in self._owner.values():
                continue
            first = self._unique_name(axis.name if axis.family else "default")
            of_brand[at, NO_BRAND] = self._of_brand(first, at, NO_BRAND, None)
            styles.append(of_brand[at, NO_BRAND])
            for brand in self._parents_first(axis):
                pieces = (axis.name, brand) if axis.family else (brand,)
                parent = of_brand[at, self._parent_of(axis, brand)]
                of_brand[at, brand] = self._of_brand(self._unique_name(*pieces), at, brand, parent)
                styles.append(of_brand[at, brand])
        return styles + list(self._of_pairs(of_brand))

    def rows(self, style_parent: str) -> dict[Qualifiers, list[Style]]:
        """Return the rows of ``styles.xml`` in each folder; ``style_parent`` is the parent of base styles."""
        names = self.output.names
        of_folder: dict[Qualifiers, list[Style]] = {}
        for style in self.all:
            parent = style.parent.name if style.parent else style_parent if style.is_first else ""
            for qualifiers, items in style.folders.items():
                of_items = [Item(names[index], text) for index, text in items.items()]
                of_folder.setdefault(qualifiers, []).append(Style(style.name, parent, of_items))
        return of_folder

    def _owner_of(self, index: TokenIndex) -> int:
        """Return the axis whose styles set an attribute: that of its own family if it is affected, else the first."""
        affecting = [at for at, tokens in enumerate(self._affected) if index in tokens]
        family = self.output.tokens[index].key[:2]
        return next((at for at in affecting if self.axes[at].family == family), affecting[0])

    def _unique_name(self, *pieces: str) -> str:
        """Return a name such as ``ThemeOverlay.ColorScheme.BrandB``, numbered if it exists.

        Names are also unique in the class R, where dots are underscores.
        """
        name = unique = ".".join((self._prefix, *(pascal(brand_words(piece)) for piece in pieces)))
        number = 1
        while name.replace(".", "_") in self._names:
            number += 1
            name = f"{unique}{number}"
        self._names.add(name.replace(".", "_"))
        return name

    def _parent_of(self, axis: BrandAxis, brand: str) -> str:
        """Return the brand of the nearest parent mode of a brand, or ``NO_BRAND``."""
        by_modes = {variants[ANY].modes: name for name, variants in axis.brands.items() if ANY in variants}
        own = axis.brands[brand].get(ANY)
        if axis.family is None or own is None or len(own.modes) != 1:
            return NO_BRAND
        family, index = own.modes[0]
        parent = self.output.graph.collections[family].modes[index].parent
        while parent is not None:
            ancestor = by_modes.get(((family, parent),))
            if ancestor is not None and ancestor != brand:
                return ancestor
            parent = self.output.graph.collections[family].modes[parent].parent
        return NO_BRAND

    def _parents_first(self, axis: BrandAxis) -> list[str]:
        ordered: dict[str, None] = {}
        for brand in axis.brands:
            chain = [brand]
            while (parent := self._parent_of(axis, chain[-1])) and parent not in ordered:
                chain.append(parent)
            ordered |= dict.fromkeys(reversed(chain))
        return list(ordered)

    def _of_brand(self, name: str, at: int, brand: str, parent: Overlay | None) -> Overlay:
        tokens = [attribute for attribute in self.attributes if self._owner[attribute] == at]
        chosen = self.themes.chosen({at: brand})
        inherited_text = [] if parent is None else self.themes.chosen({at: self._parent_of(self.axes[at], brand)})
        style = Overlay(name, parent, {}, is_first=parent is None)
        for device, always in self._devices((at,), chosen, tokens):
            values = self._values(chosen, device, tokens, is_first=brand == NO_BRAND)
            items = values.items
            if parent is not None:
                inherited = Values(parent.at(device), values_at(self.output, inherited_text, device)[1].literals)
                items = {index: text for index, text in values.items.items() if _differs(index, values, inherited)}
            style.write(device, items, always=always)
        return style

    def _of_pairs(self, of_brand: dict[tuple[int, str], Overlay]) -> Iterator[Overlay]:
        """Yield the styles of two brands with the values that differ from those of either brand's style."""
        for first, second in pairs(range(len(self.axes)), 2):
            both = self._affected[first] & self._affected[second]
            tokens = [each for each in self.attributes if each in both and self._owner[each] in (first, second)]
            if not tokens:
                continue
            for one in (NO_BRAND, *self.axes[first].brands):
                for other in (NO_BRAND, *self.axes[second].brands):
                    if one or other:
                        style = self._of_pair({first: one, second: other}, tokens, of_brand)
                        if any(style.folders.values()):
                            pieces = (self.axes[first].name, one, self.axes[second].name, other)
                            yield style._replace(name=self._unique_name(*filter(None, pieces)))

    def _of_pair(
        self, brands: dict[int, str], tokens: list[TokenIndex], of_brand: dict[tuple[int, str], Overlay]
    ) -> Overlay:
        chosen = self.themes.chosen(brands)
        style = Overlay("", None, {})
        owners = {self._owner[token] for token in tokens}
        for device, always in self._devices(brands, chosen, tokens):
            values = self._values(chosen, device, tokens)
            of_owner = {at: self._inherited(at, brands[at], device, of_brand) for at in owners}
            items: Items = {}
            for index in tokens:
                inherited = of_owner[self._owner[index]]
                if index in values.items and _differs(index, values, inherited):
                    items[index] = values.items[index]
                elif index not in values.items and inherited.items.get(index, "")[:1] == "?":
                    # The attributes of two brands can form a cycle.
                    items[index] = self._resource(index)
            style.write(device, items, always=always)
        return style

    def _inherited(self, at: int, brand: str, device: Qualifiers, of_brand: dict[tuple[int, str], Overlay]) -> Values:
        chosen = self.themes.chosen({at: brand})
        return Values(of_brand[at, brand].at(device), values_at(self.output, chosen, device)[1].literals)

    def _devices(
        self, axes: Iterable[int], chosen: Sequence[Variants], tokens: Iterable[TokenIndex]
    ) -> Iterator[tuple[Qualifiers, bool]]:
        """Yield the devices for which a style of these tokens may have other items, and whether each needs its own.

        Android chooses a style as a whole, so all qualifiers that its tokens depend on are combined. So are those of
        the other brands of its axes, because a style has the differences from its parent.
        """
        unique = set(tokens)
        qualifiers = {
            qualifier: None
            for dependency in dependencies(self.output, chosen)
            if not unique.isdisjoint(dependency.tokens)
            for qualifier in dependency.qualifiers
        }
        for at in axes:
            for variants in self.axes[at].brands.values():
                qualifiers |= dict.fromkeys(variants)
        always = any(map(is_gradual, qualifiers))
        for device in sorted(combinations(qualifiers), key=weight):
            yield device, always

    def _values(
        self, chosen: Sequence[Variants], device: Qualifiers, tokens: Sequence[TokenIndex], *, is_first: bool = False
    ) -> Values:
        """Return the items of tokens on a device: a reference to an attribute, a resource, or a literal.

        In the base style of an axis, a token that does not refer to an attribute has its own resource.
        """
        output = self.output
        theme, values = values_at(output, chosen, device)
        items: Items = {}
        for index, text, _ in output.rows(tokens, values, theme, self.default):
            target = values.codes[index]
            is_attribute = target in self._is_attribute and text == self._resource(target)
            items[index] = f"?attr/{output.names[target]}" if is_attribute else text or '""'
        if is_first:
            attributes = {index: text for index, text in items.items() if text[:1] == "?"}
            items = {index: attributes.get(index) or self._resource(index) for index in tokens}
        return Values(items, values.literals)

    def _resource(self, index: TokenIndex) -> str:
        return f"{ELEMENTS[self.output.kinds[index] or ''].reference}{self.output.names[index]}"


def _differs(index: TokenIndex, values: Values, inherited: Values) -> bool:
    """Return whether an attribute needs an item that overrides the inherited one.

    A literal and a resource are equal when they resolve to the same value; attributes are not, since another axis may
    change them.
    """
    text, inherited_text = values.items[index], inherited.items.get(index)
    if inherited_text is None:
        return True
    same = values.literals[index] == inherited.literals[index] and text[:1] != "?" and inherited_text[:1] != "?"
    return text != inherited_text and not same


_REMEDY = 'set "brands", or a qualifier in the options,'
_REMEDY_OF_TEXT_STYLES = 'set "brands" to "source-sets",'
_TOOLS = ' xmlns:tools="http://schemas.android.com/tools"'
_OWN_FILES = frozenset(("attrs", "styles"))
_ROLES = frozenset(role.name for role in ROLES.values() if role.attribute)
_LARGEST = (f"{android.LARGEST_LENGTH}", f"-{android.LARGEST_LENGTH}")


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of each resource folder; with source sets, below ``<source set>/res``."""
    options = options_of(request, AndroidOptions)
    output = AndroidOutput(resolution, request, options)
    return output.complete(lambda: _files(output, options)), output.problems


def _files(output: AndroidOutput, options: AndroidOptions) -> list[OutputFile]:
    themes = variants_of(output, options.themes)
    if options.brands == "styles":
        output.of_brands = output.resolution.depending(
            theme for at in range(len(themes.axes)) for theme in themes.replacing(at)
        )
    plain = folders_of(output, themes.chosen({}))
    files: list[OutputFile] = []
    if options.brands == "source-sets":
        source_sets = list(source_sets_of(output, themes, plain))
        output.find_translated(plain, *(folders for _, folders in source_sets))
        files += output.files(plain, "main/res/")
        for name, folders in source_sets:
            files += output.files(folders, f"{name}/res/", commented=False)
    else:
        output.find_translated(plain)
        files += output.files(plain)
    overlays = None
    if options.brands == "styles":
        _report_text_styles(output, themes)
        overlays = Overlays(output, themes, plain, options)
        files += output.files_of_styles(overlays)
    if options.material:
        files += output.files_of_material(options.material, plain[ANY], overlays, themes)
    resolved = themes.themes(with_brands=options.brands != "none")
    _report_without_default(output, plain[ANY], resolved)
    supported = {pair for theme in resolved for pair in theme.modes}
    output.report_modes(lambda mode: mode not in supported, _REMEDY)
    return files


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return the expressions of the class R, the references in XML, and those to attributes of brands."""
    options = options_of(request, AndroidOptions)
    output = AndroidOutput(resolution, request, options)
    texts: CodeReferences = {}
    for index in output.declared_with(lambda: _files(output, options)) if exact else output.declared:
        if kind := output.kinds[index]:
            element, key = ELEMENTS[kind], output.tokens[index].key
            type_ = element.reference[1:-1] if element.reference else element.tag
            name = output.style_names.get(index) or output.names[index]
            texts[key] = (f"R.{type_}.{name.replace('.', '_')}", f"@{type_}/{name}")
    if options.brands == "styles":
        themes = variants_of(output, options.themes)
        for index in Overlays(output, themes, folders_of(output, themes.chosen({})), options).attributes:
            name = output.names[index]
            if (key := output.tokens[index].key) in texts:
                texts[key] += (f"?attr/{name}", f"R.attr.{name}")
    return texts


def resource_types(resolution: Resolution, request: OutputRequest) -> dict[TokenKey, str]:
    """Return the type of each declared token's resource: ``color``, ``dimen`` and so on; a text style is ``style``."""
    return {key: texts[0].split(".")[1] for key, texts in code_references(resolution, request, exact=False).items()}


class AndroidOutput(Output):
    """The output context of android, with the kind of each token for all themes."""

    def __init__(self, resolution: Resolution, request: OutputRequest, options: AndroidOptions) -> None:
        self._text_styles = android.TextStyles(options.text, options.line_height == "material", request.fonts)
        super().__init__(
            resolution,
            request,
            naming=NAMING,
            kinds={
                **android.KINDS,
                "text-length": options.text,
                **({"shadow": "elevation"} if options.shadows == "elevation" else {}),
            },
            literals=android.converters(self._text_styles),
            references={kind: (element.reference, "") for kind, element in ELEMENTS.items() if element.reference},
            unrepresentable=android.UNREPRESENTABLE,
        )
        self.options = options
        self.widen("integer", "number", android.is_integer)
        self._has_text_styles = TEXT_STYLE in self.kinds
        self._sizes_of_spacings = self._find_sizes_of_spacings() if self._has_text_styles else {}
        for index in self._sizes_of_spacings:
            self.kinds[index] = "em"
        self._translated: set[TokenIndex] = set()
        self.of_brands: Collection[TokenIndex] = ()
        """The tokens that can depend on a brand, whose values are attributes if they can be."""

    def _find_sizes_of_spacings(self) -> dict[TokenIndex, float]:
        """Return the size of the text styles with a letter spacing, if they have one size and no mode changes them."""
        targets, varying = self.resolution.references, self.resolution.depending(self.themes)
        sizes: dict[TokenIndex, set[float]] = {}
        for style in [index for index in self.declared if self.kinds[index] == TEXT_STYLE]:
            typed = _typography(self, style)
            size = in_pixels(typed.size) if typed and style not in varying else 0.0
            for index in closure((style,), lambda index: targets.get(index, ())):
                if self.kinds[index] not in (None, "em") and self.graph.table.scopes[index] == ("LETTER_SPACING",):
                    sizes.setdefault(index, set()).add(size)
        return {index: size for index, (size, *others) in sizes.items() if size and not others}

    def find_translated(self, *source_sets: Folders) -> None:
        """Find the strings that differ by language, which are translatable in every folder."""
        self._translated = {
            index
            for folders in source_sets
            for folder, texts in folders.items()
            if folder.locale
            for index in texts
            if ELEMENTS[self.kinds[index] or ""].tag == "string"
        }

    @cached_property
    def style_names(self) -> dict[TokenIndex, str]:
        """Return names such as ``TextAppearance.BodyLarge``, or ``TextAppearance.body_1`` if they would be equal."""
        if not self._has_text_styles:
            return {}
        styles = [index for index in self.declared if self.kinds[index] == TEXT_STYLE]
        spelled = {index: pascal(words(self.names[index])) for index in styles}
        counts = Counter(spelled.values())
        return {
            index: f"{self.options.text_appearances}.{name if counts[name] == 1 else self.names[index]}"
            for index, name in spelled.items()
        }

    def rows(
        self,
        indices: Iterable[TokenIndex],
        resolved: ResolvedTheme,
        theme: Theme,
        referable: Collection[TokenIndex] | None = None,
    ) -> list[Row]:
        """Return rows in which text styles also refer to others as their parents, and to sizes and weights."""
        rows = super().rows(indices, resolved, theme, referable)
        for index, text, _ in rows:
            if text.startswith(_LARGEST) and android.is_too_large(self.literal(resolved, index)):
                self.problems.append(_too_large(self, index))
        if not self._has_text_styles:
            return rows
        for at, (index, text, target) in enumerate(rows):
            if self.kinds[index] == TEXT_STYLE:
                rows[at] = (index, self._text_style(index, resolved, theme, referable) or text, target)
            elif index in self._sizes_of_spacings and text[:1] != "@":
                rows[at] = (index, android.in_ems(float(text), self._sizes_of_spacings[index]), target)
        return rows

    def _text_style(
        self, index: TokenIndex, resolved: ResolvedTheme, theme: Theme, referable: Collection[TokenIndex] | None
    ) -> str | None:
        """Return the parent or the items of a text style; None when none of its references can be written."""
        target = resolved.codes[index]
        if target >= 0 and self.kinds[target] == TEXT_STYLE and (referable is None or target in referable):
            return f"{PARENT}{self.style_names[target]}"
        value, _ = self.resolution.columns.value_in(index, dict(theme.modes))
        references_by_path = {}
        for part in references(value, "typography"):
            target = self.graph.table.indices[part.target]
            before = android.reference_of_part(part.path, self.kinds[target] or "")
            if before and (referable is None or target in referable):
                references_by_path[part.path] = (
                    f"{'?attr/' if target in self.of_brands else before}{self.names[target]}"
                )
        return self._text_styles.text(self.literal(resolved, index), references_by_path) if references_by_path else None

    def report_omitted(self, index: TokenIndex, literal: LiteralIndex, theme: Theme) -> None:
        """Report a token without a rendered value in a theme, also a text that is too long."""
        value = self.resolution.columns.values[literal]
        if isinstance(value, str) and android.is_too_long(value):
            label = token_label(self.graph, self.tokens[index].key)
            what = "its text has more than the 32,767 bytes of an Android string, so android omits it"
            self.problems.append(problem("value-too-large", label, what, "shorten it, or read it from a file"))
            return
        super().report_omitted(index, literal, theme)

    def files(self, folders: Folders, where: str = "", *, commented: bool = True) -> Iterator[OutputFile]:
        """Yield the files of these folders; only default values have comments."""
        for qualifiers, texts in folders.items():
            comments = self._comments(texts) if commented and qualifiers == ANY else {}
            for file, rows in self._rows_of_files(texts, comments).items():
                # Text styles have attributes of the tools namespace, for Android lint.
                has_styles = self._has_text_styles and any(tag == "style" for _, tag, *_ in rows)
                yield self._written(f"{where}{qualifiers.folder}/{file}.xml", "values", rows, has_tools=has_styles)

    def files_of_styles(self, overlays: Overlays) -> Iterator[OutputFile]:
        """Yield ``values/attrs.xml``, then ``styles.xml`` of each folder that has styles."""
        of_folder = overlays.rows(self.options.style_parent)
        if not of_folder:
            return
        comments = self._comments(overlays.attributes)
        attributes = [
            Attribute(comments.get(index, ""), self.names[index], ELEMENTS[self.kinds[index] or ""].format)
            for index in overlays.attributes
        ]
        yield self._written(f"{ANY.folder}/attrs.xml", "attrs", attributes)
        for qualifiers, rows in of_folder.items():
            yield self._written(f"{qualifiers.folder}/styles.xml", "styles", rows)

    def files_of_material(
        self, options: AndroidMaterial, default: Items, overlays: Overlays | None, themes: ThemeVariants
    ) -> Iterator[OutputFile]:
        """Yield ``material.xml``: a theme with Material's roles and the items of the first overlays, and contrasts."""
        where = "main/res/" if self.options.brands == "source-sets" else ""
        roles = roles_of(self, options, _ROLES)
        own = frozenset(overlays.attributes) if overlays else ()
        varying = self.resolution.depending(self.themes).intersection(default)
        # The beginning of the theme's name can be the prefix of a library, by which lint knows its resources.
        named = options.theme if "Theme" in options.theme else f"{options.theme}.Theme"
        shapes, items = [], []
        for role, index in roles.items():
            if index not in default:
                continue
            text = f"?attr/{self.names[index]}" if index in own else self.reference(index)
            if role.kind == "typography":
                text = f"{PARENT}{self.style_names[index]}"
            elif role.kind == "length":
                if index not in varying and android.is_full(self.literal(self.resolution.default, index)):
                    text = "50%"
                shape = f"{named.replace('Theme', 'ShapeAppearance', 1)}.{pascal(words(role.name))}"
                shapes.append(Style(shape, "", [Item("cornerFamily", "rounded"), Item("cornerSize", text)]))
                text = f"{PARENT}{shape}"
            items.append(Item(role.attribute, text))
        first = [overlay for overlay in overlays.all if overlay.is_first] if overlays else []
        contrasts: dict[Qualifiers, list[Style]] = {}
        colors = {role.attribute: index for role, index in roles.items() if role.kind == "color" and index in varying}
        fixed = set(default) - varying
        for level, variants in zip(("High", "Medium"), themes.contrasts, strict=True):
            style = f"{named.replace('Theme', 'ThemeOverlay', 1)}.{level}Contrast"
            for folder, of_level in variants.items() if self.options.brands == "none" and ANY in variants else ():
                resolved = self.resolution.in_theme(of_level, self.resolution.varying((of_level,)))
                texts = {index: text for index, text, _ in self.rows({*colors.values()}, resolved, of_level, fixed)}
                of_roles = [Item(attribute, texts[index]) for attribute, index in colors.items() if index in texts]
                contrasts.setdefault(folder, []).append(Style(style, "", of_roles))
        folders = dict.fromkeys((ANY, *(folder for overlay in first for folder in overlay.folders), *contrasts))
        for folder in folders:
            of_brands = {index: text for overlay in first for index, text in overlay.at(folder).items()}
            own_items = [Item(self.names[index], text) for index, text in of_brands.items()]
            theme = Style(options.theme, options.parent, items + own_items)
            styles = [*shapes, theme] if folder == ANY else [theme] if first else []
            yield self._written(f"{where}{folder.folder}/material.xml", "styles", styles + contrasts.get(folder, []))

    def _rows_of_files(
        self, texts: Mapping[TokenIndex, str], comments: Mapping[TokenIndex, str]
    ) -> dict[str, list[tuple[str, ...]]]:
        by_type = self.options.layout == "types"
        rows: dict[str, list[tuple[str, ...]]] = {element.file: [] for element in ELEMENTS.values()} if by_type else {}
        kinds, names, style_names, translated = self.kinds, self.names, self.style_names, self._translated
        for index, value in texts.items():
            file, tag, attributes, _, _ = ELEMENTS[kinds[index] or ""]
            name = names[index]
            if tag == "style":
                name = style_names.get(index) or name
                if value.startswith(PARENT):
                    attributes, value = f' parent="{value.removeprefix(PARENT)}"', ""  # noqa: PLW2901
            elif translated and index in translated:
                # aapt2 refuses two % in a text that is translatable and a format.
                attributes = ' formatted="false"' if value.count("%") > 1 else ""
            of_file = rows[file] if by_type else rows.setdefault(self._file_of_collection(index), [])
            of_file.append((comments.get(index, ""), tag, name, attributes, value))
        return {file: several for file, several in rows.items() if several}

    def _file_of_collection(self, index: TokenIndex) -> str:
        """Return the handle, with the name of the design file in front when several files have that handle."""
        file, handle = self.graph.table.families[index]
        several = sum(collection.handle == handle for collection in self.graph.collections.values()) > 1
        name = f"{file}_{handle}" if several else handle
        is_taken = name in _OWN_FILES or (self.options.material and name == "material")
        return f"{name}_" if is_taken else name

    def _comments(self, indices: Collection[TokenIndex]) -> dict[TokenIndex, str]:
        if not self.options.descriptions:
            return {}
        descriptions, deprecated = self.graph.table.descriptions, self.graph.table.deprecated
        comments = {index: android.comment(descriptions[index]) for index in indices if descriptions[index]}
        for index in [index for index in indices if deprecated[index]]:
            reason = deprecated[index]
            parts = comments.get(index), "@deprecated", android.comment(reason) if isinstance(reason, str) else ""
            comments[index] = " ".join(filter(None, parts))
        return comments

    def _written(self, path: str, template: str, rows: Sequence[object], *, has_tools: bool = False) -> OutputFile:
        ignored = self.options.lint_ignore
        tools = f'{_TOOLS} tools:ignore="{",".join(ignored)}"' if ignored else _TOOLS if has_tools else ""
        content = rendered_bytes(f"android/{template}.xml.j2", self.request.templates, namespaces=tools, rows=rows)
        return OutputFile(path, content)


def _too_large(output: Output, index: TokenIndex) -> Problem:
    limit = f"{android.LARGEST_LENGTH:,}"
    what = f"its length is larger than {limit}, the largest of a <dimen>, which android writes instead"
    label = token_label(output.graph, output.tokens[index].key)
    return problem("value-too-large", label, what, f"give it a length up to {limit}")


def _report_without_default(output: Output, default: Collection[TokenIndex], themes: Iterable[Theme]) -> None:
    """Report the tokens without a resource because they have values in these themes but no default value."""
    absent = [index for index in output.declared if index not in default]
    if not absent:
        return
    varying = output.resolution.varying(themes)
    written: set[TokenIndex] = set()
    for theme in themes:
        rows = output.rows(absent, output.resolution.in_theme(theme, varying), theme)
        written.update(index for index, _, _ in rows)
    for index in absent:
        if index in written:
            reason = output.literal(output.resolution.default, index)
            output.problems.append(without_default(output.graph, output.tokens[index].key, reason, "android"))


def _typography(output: Output, index: TokenIndex) -> Typography | None:
    """Return a text style by default."""
    literal = output.literal(output.resolution.default, index)
    style = None if isinstance(literal, Unresolved) else composite(literal, "typography")
    return style if isinstance(style, Typography) else None


def _follows(
    output: Output, index: TokenIndex, depending: Collection[TokenIndex], modes: Iterable[tuple[FamilyKey, int]]
) -> bool:
    """Return whether a text style follows brands: all that depends on them are references to attributes."""
    family = output.graph.table.families[index]
    if any(index in output.resolution.differing_from_default(*pair) for pair in modes if pair[0] == family):
        return False
    alias = output.resolution.default.codes[index]
    if alias >= 0 and output.kinds[alias] == TEXT_STYLE:
        return True  # as its parent
    value, _ = output.resolution.columns.value_in(index, {})
    style = _typography(output, index)
    # Letter spacing and a line height in multiples are written relative to the size.
    is_relative = style and (in_pixels(style.letter_spacing) != 0 or isinstance(style.line_height, float))
    for part in references(value, "typography"):
        target = output.graph.table.indices[part.target]
        if target in depending:
            if not android.reference_of_part(part.path, output.kinds[target] or ""):
                return False
            if is_relative and part.path == ("fontSize",):
                return False
    return True


def _report_text_styles(output: Output, themes: ThemeVariants) -> None:
    """Report the brands that text styles do not follow: only references within them can be theme attributes."""
    styles = [index for index in output.declared if output.kinds[index] == TEXT_STYLE]
    for at, axis in enumerate(themes.axes) if styles else ():
        replaced = themes.replacing(at)
        depending = output.resolution.depending(replaced)
        chosen = {pair for theme in replaced for pair in theme.modes}
        if any(index in depending and not _follows(output, index, depending, chosen) for index in styles):
            modes = dict.fromkeys(pair for theme in axis.themes() for pair in theme.modes)
            for key in dict.fromkeys(family for family, _ in modes):
                of_family = [mode for family, mode in modes if family == key]
                output.problems.append(
                    modes_unsupported(
                        output.graph, key, of_family, "android", " in text styles", remedy=_REMEDY_OF_TEXT_STYLES
                    )
                )
