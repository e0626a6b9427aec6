"""Files that the user's own templates render."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokensync.errors import UsageError
from tokensync.generate import OutputFile, options_of
from tokensync.generate.output import Output
from tokensync.generate.resolution import PLAIN_KINDS
from tokensync.generate.themes import overrides_of
from tokensync.mapping import slug
from tokensync.naming import rendered_bytes, words
from tokensync.naming.sandbox import Later
from tokensync.targets import naming_of
from tokensync.targets.template import TemplateOptions, filters
from tokensync.targets.template.filters import FILTERS
from tokensync.targets.template.rows import OwnTheme, Token
from tokensync.tokens import DEFAULT_THEME
from tokensync.tokens.collection import DEFAULT_THEME_NAME
from tokensync.tokens.paths import names
from tokensync.tokens.resolver import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tokensync.generate import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.generate.themes import Override
    from tokensync.problems import Problem
    from tokensync.targets.template import TemplateFile
    from tokensync.tokens import FamilyKey, Theme
    from tokensync.tokens.resolver import LiteralIndex, ResolvedTheme


def render(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """Return the files of the options. Raises UsageError without options."""
    if request.options is None:
        raise UsageError("template: it has no files; list them in the options of an [[outputs]] table")
    files: list[OutputFile] = []
    problems: list[Problem] = []
    outputs: dict[tuple[object, ...], _OutputGroup] = {}
    for file in options_of(request, TemplateOptions).files:
        key = (file.names, file.values, file.reference, file.reserved)
        if key not in outputs:
            outputs[key] = _OutputGroup(resolution, request, file)
        files += outputs[key].files(file)
    for each in outputs.values():
        problems += each.output.problems
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
            literals=filters.LITERALS[file.values],
            references=dict.fromkeys(referring, (before, after)),
            unrepresentable=filters.UNREPRESENTABLE[file.values],
        )
        _rename_reserved(self.output, frozenset(file.reserved))
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
            FILTERS,
            rows=self._default(family) if rows is None else rows,
            themes=[each for each in themes if not each.parts],
            combinations=[each for each in themes if each.parts],
            theme=theme or DEFAULT_THEME_NAME,
            collection="" if family is None else self.output.graph.collections[family].name,
        )

    @cached_property
    def _theme_names(self) -> dict[str | None, str]:
        """The value of ``{theme}`` in paths, by theme name."""
        themes = [DEFAULT_THEME_NAME, *(each.name for each in self._overrides if not each.parts)]
        names: dict[str | None, str] = {}
        for each in themes:
            names.setdefault(each, _free(slug(each, "theme"), names.values()))
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
    def _declared(self) -> Grouped:
        return self._grouped(self.output.declared)

    @cached_property
    def _changed(self) -> list[Grouped]:
        return [self._grouped(each.indices) for each in self._overrides]

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
        return (
            OwnTheme(
                each.name,
                words(each.name),
                each.parts,
                self._rows(self._declared[family], each.resolved, each.theme),
                self._rows(changed.get(family, []), each.resolved, each.theme),
            )
            for each, changed in zip(self._overrides, self._changed, strict=True)
        )

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
            )

    def _data_of(self, index: TokenIndex, literal: LiteralIndex) -> Any:
        kind = self.output.kinds[index] or ""
        if (kind, literal) not in self._data:
            self._data[kind, literal] = filters.data(kind, self.output.resolution.columns.values[literal])
        return self._data[kind, literal]


def _free(name: str, used: Collection[str]) -> str:
    numbered = (f"{name}-{number}" for number in range(2, len(used) + 3))
    return next(each for each in (name, *numbered) if each not in used)


def _rename_reserved(output: Output, reserved: frozenset[str]) -> None:
    if not reserved:
        return
    used = {output.names[index] for index in output.declared}
    for index in output.declared:
        name = output.names[index]
        if name in reserved:
            while name in used or name in reserved:
                name += "_"
            used.add(name)
            output.names[index] = name
