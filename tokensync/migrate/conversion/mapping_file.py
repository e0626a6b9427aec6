"""The mapping of a migration: which themes become modes of which collections, and what happens to single tokens.

``propose`` derives one from a source by the rules of Tokens Studio: a group of themes is a collection, and each theme
in it is a mode. Users edit its text, a commented TOML file, which ``mapping_of`` reads again. Its schema is
config/schemas/mapping.schema.json.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from msgspec import Struct

from tokensync.normalize.mapping import KNOWN_SCOPES, RESOLVED_TYPES
from tokensync.system.outlet.documents import in_toml
from tokensync.system.wording import counted, nearest, shortened, suggestion
from tokensync.tokens import CODE_SYNTAX_PLATFORMS
from tokensync.tokens.values import AS_TEXT, KEYWORDS, PIXELS_PER_REM
from tokensync.version import SITE

if TYPE_CHECKING:
    from tokensync.migrate.source import Source, SourceTheme, TokenSet

Missing = Literal["report", "default", "first"]
"""What happens to a token without a value in some mode of its collection."""

TYPES = (*(each for each in RESOLVED_TYPES if each not in (AS_TEXT, *KEYWORDS)), "duration")
"""The types that a mapping can give a token."""

LONGEST_NAME, LONGEST_MODE = 255, 40
"""The most characters of the names of variables and collections, and of modes."""

PLANS = (("Starter", 1), ("Professional", 10), ("Organization", 20), ("Enterprise", 40))
"""The most modes of a collection in each plan of the platform."""

BASE = "base"
OF_VARIABLES, OF_THEMES, OF_PARTS = "figma", "tokens-studio", "css"
"""The format of variables, whose groups of themes are collections of a design file, and the one whose themes people
have named."""
_UNNAMED, _DEFAULT = "tokens", "Default"


class MappedMode(NamedTuple):
    """A mode: the key of its theme (``theme_keys``), and its name on the platform."""

    theme: str
    name: str


class MappedCollection(Struct, frozen=True):
    """A collection. It has the tokens that its modes change, and those of ``sets`` that no collection's modes change.

    A collection without modes has a single one. The first mode is the default.
    """

    name: str
    modes: tuple[MappedMode, ...] = ()
    sets: tuple[str, ...] = ()
    missing: Missing = "report"


class MigrationMapping(Struct, frozen=True):
    """A mapping. ``names`` has new paths of tokens and groups by old ones; other keys are globs for paths.

    ``base_font_size`` is in px, or the path of the token that has it, in braces.
    """

    collections: tuple[MappedCollection, ...]
    skip: tuple[str, ...] = ()
    names: Mapping[str, str] = MappingProxyType({})
    types: Mapping[str, str] = MappingProxyType({})
    scopes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    code_syntax: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    base_font_size: float | str = PIXELS_PER_REM


class InvalidEntry(NamedTuple):
    """The steps to an invalid part of a mapping file, what is wrong with it, and what to do."""

    steps: tuple[str | int, ...]
    what: str
    what_to_do: str


def theme_keys(source: Source) -> dict[str, SourceTheme]:
    """Return the themes by unique keys: the name, ``group/name`` if others have the name, or else with a number."""
    names = [theme.name for theme in source.themes]
    keys: dict[str, SourceTheme] = {}
    for theme in source.themes:
        key = theme.name if names.count(theme.name) == 1 or not theme.group else f"{theme.group}/{theme.name}"
        keys[_distinct(key, keys.__contains__)] = theme
    return keys


def _distinct(name: str, is_used: Callable[[str], bool], longest: int | None = None) -> str:
    """Return a name within the limit of characters that is not used, with a number if it has to be distinguished."""
    result, number = name if longest is None or len(name) <= longest else f"{name[: longest - 3]}...", 1
    while is_used(result):
        number += 1
        ending = f" {number}"
        result = f"{name if longest is None else name[: longest - len(ending)]}{ending}"
    return result


def distinct_names(names: Iterable[str], longest: int, otherwise: str) -> list[str]:
    """Return names within a limit of characters that differ by more than case; ``otherwise`` replaces empty ones."""
    used: set[str] = set()
    result = []
    for name in names:
        result.append(_distinct(name.strip() or otherwise, lambda each: each.casefold() in used, longest))
        used.add(result[-1].casefold())
    return result


def propose(source: Source) -> MigrationMapping:
    """Return the mapping of a source by the rules of Tokens Studio.

    A group of themes is a collection. Themes without a group are modes of one collection if they define the same names,
    else a collection each. The sets of a collection of one mode are there; others that themes enable share a base
    collection for the tokens that no theme changes. Sets that no theme enables are a collection each, except for parts
    of a page, which the mapping lists. Variables stay in their collections. No token is left out because of modes that
    are a guess.
    """
    keys = theme_keys(source)
    homeless = {set_.name: None for set_ in source.sets if set_.tokens}
    drafts: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    for name, of_dimension in _dimensions(source, keys):
        own: tuple[str, ...] = ()
        if len(of_dimension) == 1 or source.format == OF_VARIABLES:
            roles = [keys[each].sets for each in of_dimension]
            own = tuple(each for each in homeless if any(role.get(each) == "enabled" for role in roles))
            homeless = {each: None for each in homeless if each not in own}
        drafts.append((name, tuple(of_dimension), own))
    enabled = {name for theme in source.themes for name, role in theme.sets.items() if role == "enabled"}
    shared = tuple(each for each in homeless if each in enabled)
    base = next((at for at, each in enumerate(drafts) if each[0] == BASE and len(each[1]) == 1), None)
    if shared and base is not None:
        drafts[base] = (BASE, drafts[base][1], (*drafts[base][2], *shared))
    elif shared:
        drafts.append((shared[0].rpartition("/")[2] if len(shared) == 1 else BASE, (), shared))
    if source.format != OF_PARTS or not any(set_.tokens for set_ in source.sets if set_.name in enabled):
        drafts += ((each, (), (each,)) for each in homeless if each not in enabled)
    names = distinct_names((name for name, _, _ in drafts), LONGEST_NAME, _UNNAMED)
    return MigrationMapping(
        tuple(
            MappedCollection(
                name,
                _modes(of_dimension, keys, "" if source.format == OF_THEMES else name),
                sets,
                "first" if len(of_dimension) > 1 and any(keys[each].guess for each in of_dimension) else "report",
            )
            for name, (_, of_dimension, sets) in zip(names, drafts, strict=True)
        )
    )


def _modes(of_dimension: Sequence[str], keys: Mapping[str, SourceTheme], collection: str) -> tuple[MappedMode, ...]:
    """Return the modes of a dimension, the default one first. An only mode does not repeat the collection's name."""
    ordered = sorted(of_dimension, key=lambda each: not keys[each].is_default)
    names = distinct_names((keys[each].name for each in ordered), LONGEST_MODE, _DEFAULT)
    return tuple(map(MappedMode, ordered, [_DEFAULT] if names == [collection] else names))


def _dimensions(source: Source, keys: Mapping[str, SourceTheme]) -> list[tuple[str, list[str]]]:
    """Return the name of each dimension with the keys of its themes, in their order."""
    groups: dict[str, list[str]] = {}
    ungrouped: list[str] = []
    for key, theme in keys.items():
        if theme.group.strip():
            groups.setdefault(theme.group, []).append(key)
        else:
            ungrouped.append(key)
    clusters: list[list[str]] = []
    names = _NamesOfSets(source)
    for key in ungrouped:
        alike = [cluster for cluster in clusters if any(names.are_alike(keys[key], keys[other]) for other in cluster)]
        clusters = [cluster for cluster in clusters if cluster not in alike]
        clusters.append([*(key for each in alike for key in each), key])
    order = {key: at for at, key in enumerate(keys)}
    named = [
        (keys[each[0]].name if len(each) == 1 else "theme", sorted(each, key=order.__getitem__)) for each in clusters
    ]
    return sorted([*groups.items(), *named], key=lambda each: order[each[1][0]])


class _NamesOfSets:
    """Compares the names of the tokens that themes enable."""

    def __init__(self, source: Source) -> None:
        self._paths = {set_.name: frozenset(token.name for token in set_.tokens) for set_ in source.sets}

    def are_alike(self, one: SourceTheme, other: SourceTheme) -> bool:
        """Return whether two themes are variants of each other: what only one enables has names that both have."""
        of_one, of_other = (
            {name for name, role in theme.sets.items() if role == "enabled" and name in self._paths}
            for theme in (one, other)
        )
        if of_one == of_other:
            return True
        own = (
            (self._names(of_one - of_other), self._names(of_one)),
            (self._names(of_other - of_one), self._names(of_other)),
        )
        (own_one, all_one), (own_other, all_other) = own
        pairs = ((own_one, all_other), (own_other, all_one))
        return any(2 * len(mine & theirs) >= len(mine) for mine, theirs in pairs if mine)

    def _names(self, sets: Iterable[str]) -> frozenset[tuple[str, ...]]:
        return frozenset().union(*(self._paths[set_] for set_ in sets))


class Globs:
    """Values by globs for token paths: that of the path itself, else that of the first glob that matches."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._globs = [value for value in values if any(character in value for character in "*?[")]
        self.used: set[str] = set()

    def get(self, path: str) -> Any:
        """Return the value for a path, or None."""
        if not self._values:
            return None
        key = path if path in self._values else next((glob for glob in self._globs if fnmatchcase(path, glob)), None)
        if key is None:
            return None
        self.used.add(key)
        return self._values[key]

    @property
    def unused(self) -> list[str]:
        """Return the globs that no path has matched so far."""
        return [value for value in self._values if value not in self.used]


def mapping_text(mapping: MigrationMapping, source: Source, sizes: Mapping[str, int]) -> str:
    """Return a mapping as TOML with comments; ``sizes`` is the number of tokens of each collection."""
    lines = [
        *([f"#:schema {SITE}schemas/mapping.schema.json"] if SITE else []),
        f"# How tokens become variables ({source.format}). Edit this file, and use it with --mapping.",
        "",
        "# Tokens to leave out: paths with dots, or globs.",
        f"skip = {_array(mapping.skip)}",
        "",
        '# The pixels of 1rem, or the token that has them: "{size.base}".',
        f"base_font_size = {_scalar(mapping.base_font_size)}",
    ]
    themes = theme_keys(source)
    for each in mapping.collections:
        lines += ["", *_collection_lines(each, sizes.get(each.name, 0), [themes[mode.theme] for mode in each.modes])]
    if left_out := _sets_left_out(mapping, source):
        lines += ["", *_left_out_lines(left_out, [collection.name for collection in mapping.collections])]
    for name, comment, table in (
        ("names", 'New paths of tokens and groups: "color.old" = "color.new"', mapping.names),
        ("types", f"Types by path or glob, if tokens have none or a wrong one: {', '.join(TYPES)}", mapping.types),
        ("scopes", 'Scopes by path or glob: "space.*" = ["GAP"]', mapping.scopes),
    ):
        lines += ["", f"# {comment}.", f"[{name}]", *(f"{_text(key)} = {_value(each)}" for key, each in table.items())]
    lines += [
        "",
        f"# Code syntax by path or glob, for {', '.join(CODE_SYNTAX_PLATFORMS)}; {{name}} is the path with hyphens.",
    ]
    for platform in CODE_SYNTAX_PLATFORMS:
        lines.append(f"[code_syntax.{platform}]")
        lines += (f"{_text(key)} = {_text(text)}" for key, text in mapping.code_syntax.get(platform, {}).items())
    return "\n".join((*lines, ""))


def _sets_left_out(mapping: MigrationMapping, source: Source) -> tuple[TokenSet, ...]:
    """Return the sets that neither a theme nor a collection of the mapping has."""
    known = {name for theme in source.themes for name in theme.sets} | {
        name for collection in mapping.collections for name in collection.sets
    }
    return tuple(set_ for set_ in source.sets if set_.tokens and set_.name not in known)


def _left_out_lines(sets: Sequence[TokenSet], used: Sequence[str]) -> Iterator[str]:
    """Yield a collection with the sets that are not migrated, as comments."""
    name = _distinct("parts", used.__contains__)
    tokens = sum(len(set_.tokens) for set_ in sets)
    sums = f"{counted(tokens, 'token')} in {counted(len(sets), 'set')}"
    yield f"# Not migrated: {sums}, which are parts of a page."
    yield '# To migrate some, remove the "# " before these lines and before the names of the sets; or add the names to'
    yield "# the sets of another collection."
    yield "# [[collections]]"
    yield f"# name = {_text(name)}"
    yield "# sets = ["
    yield from (f"#   {_text(set_.name)},  # {counted(len(set_.tokens), 'token')}" for set_ in sets)
    yield "# ]"


def _guess_lines(themes: Sequence[SourceTheme]) -> Iterator[str]:
    """Yield the reason for guessed modes, and the collections to write if they are none, as comments."""
    guess = next((theme.guess for theme in themes if theme.guess), "")
    if not guess or len(themes) == 1:
        return
    enabled = [[name for name, role in theme.sets.items() if role == "enabled"] for theme in themes]
    shared = set(enabled[0]).intersection(*enabled[1:])
    yield f"# The modes are a guess: {guess}."
    yield "# If they are none, write this instead, and remove these sets from other collections:"
    for theme, names in zip(themes, enabled, strict=True):
        if own := [name for name in names if name not in shared]:
            yield "# [[collections]]"
            yield f"# name = {_text(theme.name)}"
            yield f"# sets = {_array(own)}"


def _collection_lines(collection: MappedCollection, size: int, themes: Sequence[SourceTheme]) -> Iterator[str]:
    number = len(collection.modes) or 1
    yield f"# {counted(size, 'token')}, {counted(number, 'mode')} ({limits_text(number)})"
    yield from _guess_lines(themes)
    yield "[[collections]]"
    yield f"name = {_text(collection.name)}"
    if collection.modes:
        yield "modes = [  # a theme each; the first is the default"
        yield from (f"  {{ theme = {_text(mode.theme)}, name = {_text(mode.name)} }}," for mode in collection.modes)
        yield "]"
    if collection.sets:
        yield f"sets = {_array(collection.sets)}  # for their tokens that no theme changes"
    if len(collection.modes) > 1:
        yield f'missing = "{collection.missing}"  # without a value in some mode: "report" it and leave it out, or use'
        yield '# its value in the "default" mode, or in the "first" mode that has one'


def limits_text(modes: int) -> str:
    """Return the plans in which a collection can have this number of modes, and those in which it cannot."""
    too_small = [f"{plan} {most}" for plan, most in PLANS if most < modes]
    fitting = [f"{plan} {most}" for plan, most in PLANS if most >= modes]
    if not too_small:
        return "every plan allows it"
    allowed = f"allowed: {', '.join(fitting)}" if fitting else "no plan allows more"
    return f"too many for {', '.join(too_small)}; {allowed}"


_AT = re.compile(r"(?<!\\)((?:\\\\)*)\\u0040")


def _text(text: str) -> str:
    """Return a string of TOML. At-rules of style sheets keep their sign, which is no mention in a file."""
    return _AT.sub(r"\1@", in_toml(text))


def _array(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _scalar(value: float | str) -> str:
    return _text(value) if isinstance(value, str) else f"{value:g}"


def _value(value: str | tuple[str, ...]) -> str:
    return _text(value) if isinstance(value, str) else _array(value)


def mapping_of(document: Mapping[str, Any], source: Source) -> tuple[MigrationMapping, tuple[InvalidEntry, ...]]:
    """Return the mapping in a TOML document, and its invalid entries: unknown keys, names, themes and sets."""
    reader = _Reader(source)
    return reader.mapping(document), tuple(reader.invalid)


MEMBERS = ("$schema", "skip", "base_font_size", "collections", "names", "types", "scopes", "code_syntax")
_OF_COLLECTION = ("name", "modes", "sets", "missing")
_OF_MODE = ("theme", "name")
Steps = tuple[str | int, ...]


class _Reader:
    def __init__(self, source: Source) -> None:
        self.invalid: list[InvalidEntry] = []
        self.themes = [*theme_keys(source)]
        self.sets = [set_.name for set_ in source.sets]
        self.has_tokens = any(set_.tokens for set_ in source.sets)

    def mapping(self, document: Mapping[str, Any]) -> MigrationMapping:
        self._refuse_unknown((), document, MEMBERS)
        tables = self._of_type((), document, "collections", list, [])
        collections = [
            self._collection(("collections", at), each)
            for at, each in enumerate(tables)
            if self._is_table(("collections", at), each)
        ]
        if not collections and not self.invalid and self.has_tokens:
            self._report(
                ("collections",), "there is no collection", "add [[collections]] with a name and modes or sets"
            )
        self._refuse_repeated(tables)
        syntax = self._of_type((), document, "code_syntax", dict, {})
        self._refuse_unknown(("code_syntax",), syntax, CODE_SYNTAX_PLATFORMS)
        return MigrationMapping(
            tuple(collections),
            self._texts((), document, "skip"),
            self._table((), document, "names", str),
            self._chosen(("types",), self._table((), document, "types", str), TYPES),
            self._scopes(self._table((), document, "scopes", list)),
            {each: found for each in syntax if (found := self._table(("code_syntax",), syntax, each, str))},
            self._base_font_size(document),
        )

    def _collection(self, steps: Steps, table: Mapping[str, Any]) -> MappedCollection:
        self._refuse_unknown(steps, table, _OF_COLLECTION)
        name = self._of_type(steps, table, "name", str, "").strip()
        if not name:
            self._report((*steps, "name"), "the collection has no name", "give it a name")
        if len(name) > LONGEST_NAME:
            what = f"the name has {len(name)} characters; Figma allows {LONGEST_NAME}"
            self._report((*steps, "name"), what, f"remove {len(name) - LONGEST_NAME} of them")
        modes = []
        for at, each in enumerate(self._of_type(steps, table, "modes", list, [])):
            within = (*steps, "modes", at)
            if self._is_table(within, each):
                modes.append(self._mode(within, each))
        sets = self._texts(steps, table, "sets")
        self._refuse_names((*steps, "sets"), sets, self.sets, "set")
        missing = self._of_type(steps, table, "missing", str, "report")
        if missing not in get_args(Missing):
            self._report(
                (*steps, "missing"),
                f"{shortened(missing)!r} is not known",
                suggestion(missing, get_args(Missing), quoted=True),
            )
            missing = "report"
        return MappedCollection(name, tuple(modes), sets, missing)

    def _mode(self, steps: Steps, table: Mapping[str, Any]) -> MappedMode:
        self._refuse_unknown(steps, table, _OF_MODE)
        theme = self._of_type(steps, table, "theme", str, "")
        self._refuse_names((*steps, "theme"), (theme,), self.themes, "theme")
        name = self._of_type(steps, table, "name", str, theme).strip() or _DEFAULT
        if len(name) > LONGEST_MODE:
            what = f"the name {shortened(name)!r} has {len(name)} characters; Figma allows {LONGEST_MODE}"
            self._report((*steps, "name"), what, f"remove {len(name) - LONGEST_MODE} of them")
        return MappedMode(theme, name)

    def _refuse_repeated(self, tables: Sequence[Any]) -> None:
        """Report names, themes and sets that two places of the mapping have."""
        seen: dict[tuple[str, str], Steps] = {}
        for at, table in enumerate(tables):
            if not isinstance(table, dict):
                continue
            modes = table.get("modes")
            listed = [mode for mode in modes if isinstance(mode, dict)] if isinstance(modes, list) else []
            sets = table.get("sets")
            found: list[tuple[str, Any, Steps]] = [("collection", table.get("name"), ("name",))]
            found += [("theme", each.get("theme"), ("modes", number, "theme")) for number, each in enumerate(listed)]
            found += [
                (f"mode of {at}", each.get("name"), ("modes", number, "name")) for number, each in enumerate(listed)
            ]
            found += [
                ("set", each, ("sets", number)) for number, each in enumerate(sets if isinstance(sets, list) else ())
            ]
            for kind, name, within in found:
                if not isinstance(name, str):
                    continue
                key = (kind, name.strip().casefold() if kind[0] in "cm" else name)
                if key in seen:
                    what = f"the {kind.partition(' ')[0]} {shortened(name)!r} is here a second time"
                    self._report(("collections", at, *within), what, "remove it in one of the places, or rename it")
                seen[key] = ("collections", at, *within)

    def _base_font_size(self, document: Mapping[str, Any]) -> float | str:
        value = document.get("base_font_size", PIXELS_PER_REM)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 10_000:
            return float(value)
        if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
            return value
        what = f"{shortened(str(value))} is not a size in px"
        self._report(("base_font_size",), what, 'write a number such as 16, or a token such as "{size.base}"')
        return PIXELS_PER_REM

    def _texts(self, steps: Steps, table: Mapping[str, Any], name: str) -> tuple[str, ...]:
        values = self._of_type(steps, table, name, list, [])
        for at, each in enumerate(values):
            if not isinstance(each, str):
                self._report((*steps, name, at), "this is not a text", "put it in quotes")
        return tuple(value for value in values if isinstance(value, str))

    def _table(self, steps: Steps, table: Mapping[str, Any], name: str, kind: type) -> dict[str, Any]:
        values = self._of_type(steps, table, name, dict, {})
        for key, each in values.items():
            if not isinstance(each, kind):
                form = "a text in quotes" if kind is str else "a list of texts"
                self._report((*steps, name, key), f"this is not {form}", f"write {form}")
        return {key: each for key, each in values.items() if isinstance(each, kind)}

    def _chosen(self, steps: Steps, table: dict[str, str], allowed: Sequence[str]) -> dict[str, str]:
        for key, each in table.items():
            if each not in allowed:
                self._report(
                    (*steps, key), f"the type {shortened(each)!r} is unknown", suggestion(each, allowed, quoted=True)
                )
        return {key: each for key, each in table.items() if each in allowed}

    def _scopes(self, table: Mapping[str, list[Any]]) -> dict[str, tuple[str, ...]]:
        """Return scopes; report those that are known ones with a typing error, as the platform may have new ones."""
        for key, values in table.items():
            for at, each in enumerate(values):
                if not isinstance(each, str):
                    self._report(("scopes", key, at), "this is not a text in quotes", "write a text in quotes")
                elif each not in KNOWN_SCOPES and (near := nearest(each, sorted(KNOWN_SCOPES))):
                    what = f"the scope {shortened(each)!r} is unknown"
                    self._report(("scopes", key, at), what, f'use "{near}"')
        return {key: tuple(map(str, each)) for key, each in table.items()}

    def _is_table(self, steps: Steps, value: Any) -> bool:
        if not isinstance(value, dict):
            self._report(steps, "this is not a table", "write { name = ... }")
        return isinstance(value, dict)

    def _of_type(self, steps: Steps, table: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
        value = table.get(name, default)
        if isinstance(value, kind):
            return value
        form = "a text in quotes" if kind is str else "a list in brackets" if kind is list else "a table"
        self._report((*steps, name), f"this is not {form}", f"write {form}")
        return default

    def _refuse_unknown(self, steps: Steps, table: Mapping[str, Any], known: Sequence[str]) -> None:
        for each in table:
            if each not in known:
                self._report((*steps, each), f"the key {shortened(each)!r} is unknown", suggestion(each, known))

    def _refuse_names(self, steps: Steps, names: Iterable[str], known: Sequence[str], kind: str) -> None:
        for name in names:
            if name not in known:
                what = f"the source has no {kind} {shortened(name)!r}"
                self._report(steps, what, suggestion(name, known, quoted=True))

    def _report(self, steps: Steps, what: str, what_to_do: str) -> None:
        self.invalid.append(InvalidEntry(steps, what, what_to_do))
