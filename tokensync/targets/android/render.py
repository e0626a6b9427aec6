"""Android resources: ``values/`` with the defaults, and folders of other configurations with the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import asdict

from tokensync.generate import OutputFile, options_of
from tokensync.generate.composites import references
from tokensync.generate.output import Output, modes_unsupported, without_default
from tokensync.naming import rendered_bytes
from tokensync.targets.android import NAMING, AndroidOptions
from tokensync.targets.android import literals as android
from tokensync.targets.android.folders import folders_of, source_sets_of
from tokensync.targets.android.literals import ELEMENTS, PARENT, TEXT_STYLE
from tokensync.targets.android.qualifiers import ANY
from tokensync.targets.android.rows import Attribute, Attributes, Resource, Styles, Values
from tokensync.targets.android.styles import Overlays
from tokensync.targets.android.variants import variants_of
from tokensync.tokens import targets

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tokensync.generate import OutputRequest
    from tokensync.generate.output import Row
    from tokensync.generate.resolution import Resolution
    from tokensync.problems import Problem
    from tokensync.targets.android.folders import Folders
    from tokensync.targets.android.variants import ThemeVariants
    from tokensync.tokens import Theme, Token, TokenGraph, TokenKey
    from tokensync.tokens.resolver import ResolvedTheme, TokenIndex

_REMEDY = 'set "brands", or a qualifier in the options,'
_REMEDY_OF_TEXT_STYLES = 'set "brands" to "source-sets",'
_TOOLS = ' xmlns:tools="http://schemas.android.com/tools"'
_OWN_FILES = frozenset(("attrs", "styles"))


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of each resource folder; with source sets, below ``<source set>/res``."""
    options = options_of(request, AndroidOptions)
    output = AndroidOutput(resolution, request, options)
    themes = variants_of(output, options.themes)
    plain = folders_of(output, themes.chosen({}))
    files: list[OutputFile] = []
    if options.brands == "source-sets":
        files += output.files(plain, "main/res/")
        for name, folders in source_sets_of(output, themes, plain):
            files += output.files(folders, f"{name}/res/", commented=False)
    else:
        files += output.files(plain)
    if options.brands == "styles":
        _report_text_styles(output, themes)
        files += output.files_of_styles(Overlays(output, themes, plain, options.styles))
    resolved = themes.themes(with_brands=options.brands != "none")
    _report_without_default(output, plain[ANY], resolved)
    _report_unsupported_modes(output, resolved)
    return files, output.problems


def resource_types(resolution: Resolution, request: OutputRequest) -> dict[TokenKey, str]:
    """Return the type of each declared token's resource: ``color``, ``dimen`` and so on; a text style is ``style``."""
    output = AndroidOutput(resolution, request, options_of(request, AndroidOptions))
    elements = {index: ELEMENTS[kind] for index in output.declared if (kind := output.kinds[index])}
    return {
        output.tokens[index].key: each.reference[1:-1] if each.reference.startswith("@") else each.tag
        for index, each in elements.items()
    }


class AndroidOutput(Output):
    """The output context of android, with the kind of each token for all themes."""

    def __init__(self, resolution: Resolution, request: OutputRequest, options: AndroidOptions) -> None:
        super().__init__(
            resolution,
            request,
            naming=NAMING,
            kinds={**android.KINDS, "text-length": options.text},
            literals=android.converters(options),
            references={kind: (element.reference, "") for kind, element in ELEMENTS.items() if element.reference},
            unrepresentable=android.UNREPRESENTABLE,
        )
        self.options = options
        for index in self.declared:
            if self.kinds[index] == "integer" and not _is_integer(self.graph, self.tokens[index]):
                self.kinds[index] = "number"
        self._has_text_styles = TEXT_STYLE in self.kinds

    def rows(
        self,
        indices: Iterable[TokenIndex],
        resolved: ResolvedTheme,
        theme: Theme,
        referable: Collection[TokenIndex] | None = None,
    ) -> list[Row]:
        """Return rows in which text styles also refer to others as their parents, and to sizes and weights."""
        rows = super().rows(indices, resolved, theme, referable)
        if not self._has_text_styles:
            return rows
        return [
            (index, self._text_style(index, resolved, theme, referable) or text, target)
            if self.kinds[index] == TEXT_STYLE
            else (index, text, target)
            for index, text, target in rows
        ]

    def _text_style(
        self, index: TokenIndex, resolved: ResolvedTheme, theme: Theme, referable: Collection[TokenIndex] | None
    ) -> str | None:
        """Return the parent or the items of a text style; None when none of its references can be written."""
        target = resolved.codes[index]
        if target >= 0 and self.kinds[target] == TEXT_STYLE and (referable is None or target in referable):
            return f"{PARENT}{ELEMENTS[TEXT_STYLE].prefix}{self.names[target]}"
        token = self.tokens[index]
        family = token.key[:2]
        mode = dict(theme.modes).get(family, self.graph.collections[family].default_mode)
        references_by_path = {}
        for part in references(self.graph.value(token, mode), "typography"):
            target = self.resolution.columns.indices[part.target]
            before = android.reference_of_part(part.path, self.kinds[target] or "")
            if before and (referable is None or target in referable):
                references_by_path[part.path] = f"{before}{self.names[target]}"
        return (
            android.text_style(self.literal(resolved, index), references_by_path, self.options.text)
            if references_by_path
            else None
        )

    def files(self, folders: Folders, where: str = "", *, commented: bool = True) -> Iterator[OutputFile]:
        """Yield the files of these folders; only default values have comments."""
        for qualifiers, texts in folders.items():
            comments = self._comments(texts) if commented and qualifiers == ANY else {}
            for file, rows in self._rows_of_files(texts, comments).items():
                # Text styles have attributes of the tools namespace, for Android lint.
                namespaces = _TOOLS if any(row.tag == "style" for row in rows) else ""
                yield self._written(f"{where}{qualifiers.folder}/{file}.xml", "values", Values(namespaces, rows))

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
        yield self._written(f"{ANY.folder}/attrs.xml", "attrs", Attributes(attributes))
        for qualifiers, rows in of_folder.items():
            yield self._written(f"{qualifiers.folder}/styles.xml", "styles", Styles(rows))

    def _rows_of_files(
        self, texts: Mapping[TokenIndex, str], comments: Mapping[TokenIndex, str]
    ) -> dict[str, list[Resource]]:
        by_type = self.options.layout == "types"
        rows: dict[str, list[Resource]] = {each.file: [] for each in ELEMENTS.values()} if by_type else {}
        kinds, names = self.kinds, self.names
        for index, text in texts.items():
            file, tag, attributes, _, _, prefix = ELEMENTS[kinds[index] or ""]
            value = text
            if tag == "style" and text.startswith(PARENT):
                attributes, value = f' parent="{text.removeprefix(PARENT)}"', ""
            row = Resource(comments.get(index, ""), tag, f"{prefix}{names[index]}", attributes, value)
            rows.setdefault(file if by_type else self._file_of_collection(index), []).append(row)
        return {file: several for file, several in rows.items() if several}

    def _file_of_collection(self, index: TokenIndex) -> str:
        """Return the handle, with the name of the design file in front when several files have that handle."""
        file, handle, _ = self.tokens[index].key
        several = sum(each.handle == handle for each in self.graph.collections.values()) > 1
        name = f"{file}_{handle}" if several else handle
        return f"{name}_" if name in _OWN_FILES else name

    def _comments(self, indices: Iterable[TokenIndex]) -> dict[TokenIndex, str]:
        comments = {}
        for index in indices if self.options.descriptions else ():
            token = self.tokens[index]
            if token.description or token.deprecated:
                parts = [android.comment(token.description)]
                if token.deprecated:
                    parts.append("@deprecated")
                    parts.append(android.comment(token.deprecated) if isinstance(token.deprecated, str) else "")
                comments[index] = " ".join(filter(None, parts))
        return comments

    def _written(self, path: str, template: str, context: Values | Attributes | Styles) -> OutputFile:
        content = rendered_bytes(f"android/{template}.xml.j2", self.request.templates, **asdict(context))
        return OutputFile(path, content)


def _is_integer(graph: TokenGraph, token: Token) -> bool:
    """Return whether all numbers that the token can resolve to, in any mode of any collection, are integers."""
    seen = {token.key}
    pending = [token]
    while pending:
        for value in pending.pop().values:
            if isinstance(value, float) and not android.is_integer(value):
                return False
            for target in () if value is None else targets(value):
                if target not in seen and target in graph.tokens:
                    seen.add(target)
                    pending.append(graph.tokens[target])
    return True


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


def _report_unsupported_modes(output: Output, themes: Iterable[Theme]) -> None:
    resolved = {pair for theme in themes for pair in theme.modes}
    declared = {output.tokens[index].key[:2] for index in output.declared}
    for key, family in output.graph.collections.items():
        if key in declared and len(family.modes) > 1:
            modes = range(len(family.modes))
            others = [each for each in modes if each != family.default_mode and (key, each) not in resolved]
            if others:
                output.problems.append(modes_unsupported(output.graph, key, others, "android", remedy=_REMEDY))


def _report_text_styles(output: Output, themes: ThemeVariants) -> None:
    """Report the brands that text styles do not follow, since a text style cannot be a theme attribute."""
    styles = [index for index in output.declared if output.kinds[index] == TEXT_STYLE]
    for at, axis in enumerate(themes.axes):
        if styles and not output.resolution.depending(themes.replacing(at)).isdisjoint(styles):
            modes = dict.fromkeys(pair for theme in axis.themes() for pair in theme.modes)
            for key in dict.fromkeys(family for family, _ in modes):
                of_family = [mode for family, mode in modes if family == key]
                problem = modes_unsupported(
                    output.graph, key, of_family, "android", " in text styles", remedy=_REMEDY_OF_TEXT_STYLES
                )
                output.problems.append(problem)
