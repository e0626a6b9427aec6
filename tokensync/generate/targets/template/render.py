"""Files that templates of the user's own render, or packaged ones for tools beside the targets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Struct

from tokensync.generate import notation
from tokensync.generate.naming import rendered_bytes
from tokensync.generate.naming.rules import free_name, words
from tokensync.generate.naming.sandbox import Later
from tokensync.generate.naming.templates import Template, doc
from tokensync.generate.output import ANY_TEXT, PLAIN_KINDS, Output, Resolution
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets import Named, naming_of
from tokensync.generate.targets import json as plain
from tokensync.generate.targets import typescript as javascript
from tokensync.generate.targets.android import literals as android
from tokensync.generate.targets.compose import literals as kotlin
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.themes import by_axis, themes_of
from tokensync.generate.targets.ios import literals as swift
from tokensync.generate.targets.template import TemplateFile, TemplateOptions
from tokensync.generate.themes import Override, axes_of, overrides_of
from tokensync.normalize.mapping import slug
from tokensync.system.errors import UsageError
from tokensync.tokens import DEFAULT_THEME, Color, Quantity, Unresolved, channel, hexadecimal
from tokensync.tokens.collection import DEFAULT_THEME_NAME
from tokensync.tokens.composites import decoded
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import LiteralIndex, ResolvedTheme, TokenIndex
from tokensync.tokens.values import json_number

if TYPE_CHECKING:
    from tokensync.generate.target import Convert
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Literal, Resolved, Theme


_PLAIN = plain.literals(exact=False)


def data(kind: str, value: Resolved) -> Any:
    """Return a literal as data; None for an unsupported value.

    A colour is ``{hex, alpha}`` with its exact components, a length or duration ``{value, unit}``, a family a list, an
    opacity a fraction of 1, and a composite its parts.
    """
    match value:
        case Color(red=red, green=green, blue=blue, alpha=alpha) if kind == "color":
            opaque = hexadecimal(Color(red, green, blue))
            return {"hex": opaque, "alpha": json_number(alpha), **plain.components(value)}
        case Quantity(number=number, unit=unit):
            return {"value": json_number(number), "unit": unit}
        case float() if kind == "dimension":
            return {"value": json_number(value), "unit": "px"}
        case float() if kind == "percentage":
            share = notation.share(value)
            return None if share is None else float(share)
        case float():
            return json_number(value)
        case Unresolved():
            return None
        case bool() | str() if kind != "family":
            return value
    if kind == "family":
        return notation.families(value)
    written = _PLAIN[kind](value) if kind in _PLAIN else None
    return None if written is None else decoded(written)


def _as_json(kind: str) -> Convert:
    def converted(value: Literal) -> str | None:
        content = data(kind, value) if _PLAIN[kind](value) is not None else None
        return None if content is None else plain.text(content)

    return converted


LITERALS: dict[str, dict[str, Convert]] = {
    "css": {**css.LITERALS, **css.COMPOSITES},
    "json": {each: _as_json(each) for each in PLAIN_KINDS.values()},
}
"""The functions that write literals, by the option ``values`` and by kind."""

UNREPRESENTABLE = {"css": css.UNREPRESENTABLE, "json": ANY_TEXT}


_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_XML = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_IN_DART = re.compile("[\0-\x1f'\\\\$\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NAMED_IN_DART = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'", "$": "\\$"}
_IN_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|~&$]|^[-#+=]|^\d+(?=[.)])")
_BACKTICKS = re.compile("`+")


def _dart_string(text: str) -> str:
    content = notation.escaped(swift.UNREPRESENTABLE.sub("\ufffd", text), _IN_DART, _NAMED_IN_DART, "\\u{{{:x}}}")
    return f"'{content}'"


def _xml(text: str) -> str:
    return "".join(_IN_XML.get(each, each) for each in _NOT_IN_XML.sub("\ufffd", text))


def _markdown(text: str) -> str:
    return _IN_MARKDOWN.sub(_in_markdown, " ".join(_comment_lines(text)))


def _markdown_code(text: str) -> str:
    bare = " ".join(_comment_lines(text)).replace("|", "\\|")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(bare)), default=0))
    padding = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{padding}{bare}{padding}{fence}" if bare else ""


def _in_markdown(match: re.Match[str]) -> str:
    character = match[0]
    return f"{character[:-1]}&#{ord(character[-1])};" if character.isdigit() else f"\\{character}"


def _comment_lines(text: str) -> list[str]:
    return [line.replace("*/", "* /").replace("/*", "/ *") for line in notation.printable_lines(text)]


def _argb(color: Mapping[str, Any]) -> str:
    return f"{channel(color['alpha']):02X}{color['hex'][1:].upper()}"


class Filter(NamedTuple):
    """A filter of templates; ``about`` describes its result in docs/templates.md."""

    name: str
    function: Callable[[Any], Any]
    about: str


FILTERS = (
    Filter("json", plain.text, "A value as JSON on one line."),
    Filter("css_string", css.string, "A CSS string, in double quotes."),
    Filter("js_string", javascript.string, "A JavaScript or TypeScript string, in double quotes."),
    Filter("kotlin_string", kotlin.string, "A Kotlin string, in double quotes."),
    Filter("swift_string", swift.string, "A Swift string, in double quotes."),
    Filter("dart_string", _dart_string, "A Dart string, in single quotes; lone surrogates become U+FFFD."),
    Filter("android_string", android.string, "The text of an Android string resource."),
    Filter("xml", _xml, "Text or an attribute's value in XML; characters that XML forbids become U+FFFD."),
    Filter("markdown", _markdown, "Text in Markdown, on one line, also for a table cell."),
    Filter(
        "markdown_code",
        _markdown_code,
        "A code span in Markdown, on one line, also for a table cell; empty for an empty text.",
    ),
    Filter(
        "comment_lines",
        _comment_lines,
        "The lines of a text as a list, for comments: without unprintable characters and comment delimiters.",
    ),
    Filter("argb", _argb, "A colour's data as ``FF1F6FEB``, with the alpha first."),
)
_FILTERS = tuple((each.name, each.function) for each in FILTERS)


class Token(NamedTuple):
    """A token in a theme."""

    name: Annotated[str, doc("the name on the platform of the file's `names`", "textMuted")]
    value: Annotated[
        str,
        doc(
            "the value as text in the notation of `values`: a literal, or a reference if `reference` is set", "#52647a"
        ),
    ]
    type: Annotated[str, doc("the type: `color`, `dimension`, `number`, `fontFamily` ...", "color")]
    data: Annotated[
        Any,
        doc(
            "the value as data: `{hex, alpha}` for a colour, `{value, unit}` for a length or duration, a list of"
            " families, a number (an opacity is from 0 to 1), a text, a boolean, or the parts of a composite",
            {"hex": "#52647a", "alpha": 1},
        ),
    ]
    alias: Annotated[str, doc("the name of the token that it refers to, or empty", "colorSlate500")]
    path: Annotated[tuple[str, ...], doc("the names of its groups, then its own", ("text", "muted"))]
    words: Annotated[tuple[str, ...], doc("the words of the path, in lower case", ("text", "muted"))]
    collection: Annotated[str, doc("the name of the collection", "Theme")]
    description: Annotated[str, doc("the description in the design file, or empty", "Captions and hints.")]
    deprecated: Annotated[str, doc("the reason of its deprecation, or empty", "")]
    hidden: Annotated[bool, doc("whether it is hidden from publishing", False)]
    names: Annotated[
        dict[str, str], doc("the names by platform, of the file's `names` and `more_names`", {"css": "--text-muted"})
    ]
    scopes: Annotated[tuple[str, ...], doc("the scopes in the design file", ("TEXT_FILL",))]
    id: Annotated[str, doc("the id of its variable in the design file, or empty", "VariableID:1:42")]
    varies: Annotated[bool, doc("whether a theme can change its value", True)]


class OwnTheme(NamedTuple):
    """A mode of a collection or a configured theme, or a combination of two."""

    name: Annotated[str, doc("the name", "theme/dark")]
    axis: Annotated[
        str, doc("the collection, or `theme` for a configured theme, as in attributes of CSS; or empty", "theme")
    ]
    mode: Annotated[str, doc("the value of that attribute; empty for a combination", "dark")]
    is_default: Annotated[bool, doc("whether it is the default mode of its collection", False)]
    words: Annotated[tuple[str, ...], doc("the words of the name", ("theme", "dark"))]
    parts: Annotated[tuple[str, ...], doc("the names of the two themes of a combination, or empty", ())]
    rows: Annotated[Sequence[Token], doc("all tokens with a value in the theme")]
    changed: Annotated[Sequence[Token], doc("the tokens whose values differ from those without the theme")]


class CssChoice(NamedTuple):
    """A choice on an axis of a style sheet."""

    name: Annotated[str, doc("the handle of the mode, brand or configured theme", "dark")]
    selector: Annotated[str, doc("the selector of elements with this choice", '[data-theme="dark"]')]


class CssAxis(NamedTuple):
    """An axis of a style sheet."""

    name: Annotated[str, doc("the name, which `data-` precedes in the attribute", "theme")]
    selectors: Annotated[tuple[str, ...], doc("the selectors of elements with any choice", ("[data-theme]",))]
    choices: Annotated[list[CssChoice], doc("its choices")]


class Own(Struct, frozen=True):
    """A file of the user's own."""

    rows: Annotated[
        Sequence[Token],
        doc(
            "the tokens in collection order, in the default theme or the file's theme, of all collections or the file's"
        ),
    ]
    themes: Annotated[Sequence[OwnTheme], doc("a theme for each mode, default modes included, or the configured ones")]
    combinations: Annotated[Sequence[OwnTheme], doc("combinations of two themes with values that neither of them has")]
    axes: Annotated[Sequence[CssAxis], doc("the attributes that choose a theme in a CSS output without options")]
    theme: Annotated[str, doc("the name of the file's theme for a path with `{theme}`, or `default`", "default")]
    collection: Annotated[str, doc("the name of the file's collection for a path with `{collection}`, or empty", "")]


_RENDERS = {
    "vanilla-extract/contract.css.ts.j2": "A contract of vanilla-extract for the custom properties of a CSS output.",
    "stylex/tokens.stylex.js.j2": "Constants of StyleX that refer to the custom properties of a CSS output.",
    "panda/preset.ts.j2": "A preset of Panda CSS that refers to the custom properties of a CSS output.",
    "storybook/tokens.css.j2": "A style sheet for the addon `storybook-design-token`, with a presenter for each token.",
}
TEMPLATES = tuple(Template(path, "template", renders, Own) for path, renders in _RENDERS.items())


def _more_names(file: TemplateFile) -> tuple[Named, ...]:
    """Return the platforms of ``names`` in rows apart from the file's own; packaged templates need those of CSS."""
    platforms = (*file.more_names, *(("css",) if file.template in _RENDERS else ()))
    return tuple(dict.fromkeys(platform for platform in platforms if platform != file.names))


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of the options. Raises UsageError without options."""
    if request.options is None:
        raise UsageError("template: it has no files; list them in the options of an [[outputs]] table")
    files: list[OutputFile] = []
    problems: list[Problem] = []
    outputs: dict[tuple[object, ...], _OutputGroup] = {}
    for file in options_of(request, TemplateOptions).files:
        key = (file.names, _more_names(file), file.values, file.reference, file.reserved)
        if key not in outputs:
            outputs[key] = _OutputGroup(resolution, request, file)
        files += outputs[key].files(file)
    for output in outputs.values():
        problems += output.output.problems
    return files, problems


Grouped = dict["FamilyKey | None", list[TokenIndex]]
"""Token indices by collection, and all of them under None."""


class _OutputGroup:
    """The tokens with the names and values of some files; files with the same options share one group."""

    def __init__(self, resolution: Resolution, request: OutputRequest, file: TemplateFile) -> None:
        before, _, after = file.reference.partition("{name}")
        referring = PLAIN_KINDS.values() if file.reference else ()
        self.output = Output(
            resolution,
            request,
            naming=naming_of(file.names),
            kinds=PLAIN_KINDS,
            literals=LITERALS[file.values],
            references=dict.fromkeys(referring, (before, after)),
            unrepresentable=UNREPRESENTABLE[file.values],
        )
        _rename_reserved(self.output, frozenset(file.reserved))
        self._names: dict[str, list[str] | dict[TokenIndex, str]] = {file.names: self.output.names}
        for platform in _more_names(file):
            self._names[platform], _ = self.output.names_by(naming_of(platform))
        self._data: dict[tuple[str, LiteralIndex], Any] = {}
        self._default_rows: dict[FamilyKey | None, Sequence[Token]] = {}
        self._themes_of: dict[FamilyKey | None, list[OwnTheme]] = {}

    def files(self, file: TemplateFile) -> Iterator[OutputFile]:
        """Yield one file, or one for each theme, collection, or both."""
        themes = self._theme_names if "{theme}" in file.path else {None: ""}
        families = self._family_names if "{collection}" in file.path else {None: ""}
        for theme, theme_name in themes.items():
            for family, family_name in families.items():
                path = file.path.replace("{theme}", theme_name).replace("{collection}", family_name)
                yield OutputFile(path, self._content(file, theme, family))

    def _content(self, file: TemplateFile, theme: str | None, family: FamilyKey | None) -> bytes:
        themes = self._themes(family)
        rows = next((each.rows for each in themes if each.name == theme), None)
        return rendered_bytes(
            file.template,
            self.output.request.templates,
            _FILTERS,
            rows=self._default(family) if rows is None else rows,
            themes=[theme for theme in themes if not theme.parts],
            combinations=[theme for theme in themes if theme.parts],
            axes=Later(self._axes),
            theme=theme or DEFAULT_THEME_NAME,
            collection="" if family is None else self.output.graph.collections[family].name,
        )

    @cached_property
    def _theme_names(self) -> dict[str | None, str]:
        """The value of ``{theme}`` in paths, by theme name."""
        themes = [DEFAULT_THEME_NAME, *(override.name for override in self._overrides if not override.parts)]
        names: dict[str | None, str] = {}
        for theme in themes:
            numbered = chain([slug(theme, "theme")], (f"{slug(theme, 'theme')}-{number}" for number in count(2)))
            names.setdefault(theme, next(name for name in numbered if name not in names.values()))
        return names

    @cached_property
    def _family_names(self) -> dict[FamilyKey | None, str]:
        """The value of ``{collection}`` in paths: a unique handle, or the file's name and the handle."""
        families = [key for key in self._declared if key is not None]
        handles = Counter(handle for _, handle in families)
        return {key: key[1] if handles[key[1]] == 1 else "-".join(key) for key in families}

    @cached_property
    def _overrides(self) -> list[Override]:
        return list(overrides_of(self.output))

    @cached_property
    def _varying(self) -> Container[TokenIndex]:
        return self.output.resolution.depending(self.output.themes)

    @cached_property
    def _declared(self) -> Grouped:
        return self._grouped(self.output.declared)

    @cached_property
    def _changed(self) -> list[Grouped]:
        return [self._grouped(override.indices) for override in self._overrides]

    def _grouped(self, indices: list[TokenIndex]) -> Grouped:
        groups: Grouped = {None: indices}
        for index in indices:
            groups.setdefault(self.output.tokens[index].key[:2], []).append(index)
        return groups

    def _default(self, family: FamilyKey | None) -> Sequence[Token]:
        if family not in self._default_rows:
            rows = self._rows(self._declared[family], self.output.resolution.default, DEFAULT_THEME)
            self._default_rows[family] = rows
        return self._default_rows[family]

    def _themes(self, family: FamilyKey | None) -> list[OwnTheme]:
        if family not in self._themes_of:
            self._themes_of[family] = list(self._build_themes(family))
        return self._themes_of[family]

    def _build_themes(self, family: FamilyKey | None) -> Iterator[OwnTheme]:
        contexts = {
            context.theme.name: (axis.name, context.name)
            for axis in axes_of(self.output)
            for context in axis.contexts
            if not context.appearances
        }
        defaults = {(key, collection.default_mode) for key, collection in self.output.graph.collections.items()}
        return (
            OwnTheme(
                each.name,
                *contexts.get(each.name, ("", "")),
                defaults.issuperset(each.theme.modes),
                words(each.name),
                each.parts,
                self._rows(self._declared[family], each.resolved, each.theme),
                self._rows(changed.get(family, []), each.resolved, each.theme),
            )
            for each, changed in zip(self._overrides, self._changed, strict=True)
        )

    def _axes(self) -> list[CssAxis]:
        problems = self.output.problems.copy()  # a CSS output reports its own
        themes = themes_of(self.output, CssOptions())
        self.output.problems = problems
        choices = by_axis(themes.contexts)
        return [
            CssAxis(
                axis.name,
                axis.selectors,
                [
                    CssChoice(choice.path.removeprefix(f"{axis.name}/").removesuffix(".css"), choice.selectors[0])
                    for choice in choices.get(at, ())
                ],
            )
            for at, axis in enumerate(themes.axes)
            if axis.selectors
        ]

    def _rows(self, indices: list[TokenIndex], resolved: ResolvedTheme, theme: Theme) -> Sequence[Token]:
        """Return rows that are created when a template uses them."""
        return Later(lambda: list(self._build_rows(indices, resolved, theme)))

    def _build_rows(self, indices: list[TokenIndex], resolved: ResolvedTheme, theme: Theme) -> Iterator[Token]:
        output = self.output
        for index, text, _ in output.rows(indices, resolved, theme):
            token = output.tokens[index]
            target = resolved.codes[index]
            path = names(token.key.path)
            yield Token(
                name=output.names[index],
                value=text,
                type=token.public_type,
                data=self._data_of(index, resolved.literals[index]),
                alias=output.names[target] if target >= 0 else "",
                path=path,
                words=tuple(word for name in path for word in words(name)),
                collection=output.graph.collections[token.key[:2]].name,
                description=token.description,
                deprecated=token.deprecated if isinstance(token.deprecated, str) else "deprecated" * token.deprecated,
                hidden=token.hidden,
                names={platform: identifiers[index] for platform, identifiers in self._names.items()},
                scopes=token.scopes,
                id=token.id,
                varies=index in self._varying,
            )

    def _data_of(self, index: TokenIndex, literal: LiteralIndex) -> Any:
        kind = self.output.kinds[index] or ""
        if (kind, literal) not in self._data:
            self._data[kind, literal] = data(kind, self.output.resolution.columns.values[literal])
        return self._data[kind, literal]


def _rename_reserved(output: Output, reserved: frozenset[str]) -> None:
    if not reserved:
        return
    used = {output.names[index] for index in output.declared}
    for index in output.declared:
        name = output.names[index]
        if name in reserved:
            output.names[index] = free_name(name, used | reserved, "_")
            used.add(output.names[index])
