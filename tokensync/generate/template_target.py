"""A team's own outputs: files that its own templates render, without a change to this package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from tokensync.config.options.template import TemplateOptions
from tokensync.errors import UsageError
from tokensync.generate.contexts.template import OwnTheme, Token
from tokensync.generate.escaping import FILTERS
from tokensync.generate.kinds import PLAIN_KINDS
from tokensync.generate.literals import own
from tokensync.generate.overrides import overrides_of
from tokensync.generate.request import OutputFile, options_of
from tokensync.generate.sheet import Sheet
from tokensync.mapping import slug
from tokensync.naming import rendered_bytes, words
from tokensync.tokens import DEFAULT_THEME
from tokensync.tokens.paths import names
from tokensync.tokens.theme import DEFAULT_THEME_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.config.options.template import TemplateFile
    from tokensync.generate.overrides import Override
    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution, Shown
    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey, Theme


def generate(resolution: Resolution, request: OutputRequest) -> tuple[Iterable[OutputFile], list[Problem]]:
    """The files that the options list. Raises UsageError when they list none."""
    if request.options is None:
        raise UsageError("template: no file is listed; list some in the options of an [[outputs]] table")
    files: list[OutputFile] = []
    problems: list[Problem] = []
    sheets: dict[tuple[object, ...], _Own] = {}
    for file in options_of(request, TemplateOptions).files:
        key = (file.names, file.values, file.reference, file.reserved)
        if key not in sheets:
            sheets[key] = _Own(resolution, request, file)
        files += sheets[key].files(file)
    for each in sheets.values():
        problems += each.sheet.problems
    return files, problems


class _Own:
    """The tokens with the names and values that a file asks for; files that ask for the same share one."""

    def __init__(self, resolution: Resolution, request: OutputRequest, file: TemplateFile) -> None:
        before, _, after = file.reference.partition("{name}")
        referring = PLAIN_KINDS.values() if file.reference else ()
        self.sheet = Sheet(
            resolution,
            request,
            naming=file.names,
            kinds=PLAIN_KINDS,
            literals=own.LITERALS[file.values],
            references=dict.fromkeys(referring, (before, after)),
            unrepresentable=own.UNREPRESENTABLE[file.values],
        )
        _keep_clear_of(self.sheet, frozenset(file.reserved))
        self._data: dict[tuple[str, int], Any] = {}

    def files(self, file: TemplateFile) -> Iterator[OutputFile]:
        """One file, or one for each theme or collection or both."""
        themes = self._each_theme if "{theme}" in file.path else (None,)
        families = self._families if "{collection}" in file.path else (None,)
        for theme in themes:
            for family in families:
                path = file.path
                if theme is not None:
                    path = path.replace("{theme}", slug(theme.name, "theme"))
                if family is not None:
                    path = path.replace("{collection}", family[1])
                yield OutputFile(path, self._content(file, theme, family))

    def _content(self, file: TemplateFile, theme: OwnTheme | None, family: FamilyKey | None) -> bytes:
        def of(rows: Sequence[Token]) -> Sequence[Token]:
            return rows if family is None else _Later(lambda: [each for each in rows if each.collection == name])

        themes = [each._replace(rows=of(each.rows), changed=of(each.changed)) for each in self._themes]
        name = "" if family is None else self.sheet.graph.collections[family].name
        return rendered_bytes(
            file.template,
            self.sheet.request.templates,
            FILTERS,
            rows=of(self._default if theme is None else theme.rows),
            themes=[each for each in themes if not each.parts],
            combinations=[each for each in themes if each.parts],
            theme=DEFAULT_THEME_NAME if theme is None else theme.name,
            collection=name,
        )

    @cached_property
    def _default(self) -> Sequence[Token]:
        return self._rows(self.sheet.declared, self.sheet.resolution.default, DEFAULT_THEME)

    @cached_property
    def _themes(self) -> list[OwnTheme]:
        return [self._theme(each) for each in overrides_of(self.sheet)]

    @cached_property
    def _each_theme(self) -> list[OwnTheme]:
        default = OwnTheme(DEFAULT_THEME_NAME, (DEFAULT_THEME_NAME,), (), self._default, ())
        return [default, *(each for each in self._themes if not each.parts)]

    @cached_property
    def _families(self) -> list[FamilyKey]:
        return list(dict.fromkeys(self.sheet.tokens[place].key[:2] for place in self.sheet.declared))

    def _theme(self, override: Override) -> OwnTheme:
        return OwnTheme(
            override.name,
            words(override.name),
            override.parts,
            self._rows(self.sheet.declared, override.shown, override.theme),
            self._rows(override.places, override.shown, override.theme),
        )

    def _rows(self, places: list[int], shown: Shown, theme: Theme) -> Sequence[Token]:
        """Worked out when a template asks for them."""
        return _Later(lambda: list(self._made(places, shown, theme)))

    def _made(self, places: list[int], shown: Shown, theme: Theme) -> Iterator[Token]:
        sheet = self.sheet
        for place, text, _ in sheet.rows(places, shown, theme):
            token = sheet.tokens[place]
            target = shown.codes[place]
            path = names(token.key.path)
            yield Token(
                name=sheet.names[place],
                value=text,
                type=token.type,
                data=self._data_of(place, shown.literals[place]),
                alias=sheet.names[target] if target >= 0 else "",
                path=path,
                words=tuple(word for name in path for word in words(name)),
                collection=sheet.graph.collections[token.key[:2]].name,
                description=token.description,
                deprecated=token.deprecated if isinstance(token.deprecated, str) else "deprecated" * token.deprecated,
                hidden=token.hidden,
            )

    def _data_of(self, place: int, number: int) -> Any:
        kind = self.sheet.kinds[place] or ""
        if (kind, number) not in self._data:
            self._data[kind, number] = own.data(kind, self.sheet.resolution.columns.values[number])
        return self._data[kind, number]


class _Later(Sequence[Token]):
    """Rows that are worked out when they are first looked at, and then kept."""

    def __init__(self, make: Callable[[], list[Token]]) -> None:
        self._make = make

    @cached_property
    def _rows(self) -> list[Token]:
        return self._make()

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Token: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Token]: ...
    def __getitem__(self, at: int | slice) -> Token | Sequence[Token]:
        return self._rows[at]


def _keep_clear_of(sheet: Sheet, reserved: frozenset[str]) -> None:
    """Put underscores after reserved names, until no other token has that name."""
    if not reserved:
        return
    taken = {sheet.names[place] for place in sheet.declared}
    for place in sheet.declared:
        name = sheet.names[place]
        if name in reserved:
            while name in taken or name in reserved:
                name += "_"
            taken.add(name)
            sheet.names[place] = name
