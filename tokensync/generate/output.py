"""The values of a graph by theme, and the context of one output: its tokens with names, kinds and rendered values.

``Resolution`` has what all outputs share: references, literals, and the dependencies between tokens. The default theme
is resolved once; any other theme resolves only the tokens that can differ in it. The problems that targets report are
worded here, so that outputs that share a problem report it once.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import compress, repeat
from typing import TYPE_CHECKING, TypeVar

from tokensync.generate.naming import Naming, collection_label, token_label, words_of_table
from tokensync.generate.naming.templates import environment
from tokensync.generate.notation import TYPES, color_of, composite, font_stacks, texts_within
from tokensync.generate.target import declared_indices, declared_themes
from tokensync.normalize.mapping import name_of_path, opacity_units
from tokensync.normalize.motion import easing_of
from tokensync.system.outlet import readable
from tokensync.system.problems import problem
from tokensync.system.wording import counted, listed, suggestion
from tokensync.tokens import DEFAULT_THEME, Color, Composite, Theme, Unresolved
from tokensync.tokens.algorithms import closure, reached, reverse, spread
from tokensync.tokens.collection import is_text_scoped
from tokensync.tokens.composites import decoded, parts_of
from tokensync.tokens.resolver import NEEDS_RESOLVER, NO_TOKEN, OPEN, LiteralIndex, ResolvedTheme, TokenIndex
from tokensync.tokens.values import AS_TEXT, KEYWORDS, LITERAL_CLASSES, is_outside, is_relative, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.naming.rules import NamingRules
    from tokensync.generate.target import Convert, OutputFile, OutputRequest
    from tokensync.normalize.mapping import Opacity
    from tokensync.settings import Unsupported
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection as Family
    from tokensync.tokens import FamilyKey, Literal, Resolved, Token, TokenGraph, TokenKey, Value
    from tokensync.tokens.resolver import Code

    Render = Callable[["Resolution", OutputRequest], tuple[Iterable[OutputFile], list[Problem]]]
    """A function that returns the files of one output, and their problems."""


_OF_TYPE = {
    **{token_type: token_type for token_type in (*LITERAL_CLASSES, *TYPES)},
    "dimension": "length",
    "fontWeight": "weight",
    AS_TEXT: "weight",
    "fontFamily": "family",
    **dict.fromkeys(KEYWORDS, "keyword"),
}
"""The kind of value of each type, which is mostly its name. A ``text-length`` is a length that measures text, an ``em``
one in em, and a ``ratio`` one in %. A ``percentage`` is from 0 to 100 and is written as a fraction of 1; an opacity
that is a fraction already is a ``number``. The empty kind is that of a type that no output supports."""

PLAIN_KINDS = {
    **{kind: kind for kind in (*_OF_TYPE.values(), "percentage")},
    **dict.fromkeys(("length", "text-length", "em", "ratio"), "dimension"),
    "keyword": "css",
    "weight": "number",
}
"""A target's kinds when it does not distinguish lengths of text, or weights from numbers."""

_OF_FONTS = ("family", "typography")
"""The kinds of values with font families."""

ANY_TEXT = re.compile("(?!)")
"""A pattern without matches, for targets whose strings can contain any character."""

_THEMES = 4
"""The most resolved themes to keep. Android's night is iOS's dark appearance; others are seldom needed twice."""

Dependants = dict[TokenIndex, list[TokenIndex]]
"""The tokens that refer to each token, by token index."""


class Resolution:
    """The values of a graph by theme. Create one per graph, and pass it to each ``generate`` call for that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.columns = graph.columns
        self._resolvers: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
        self._differing_of: dict[tuple[FamilyKey, int], list[tuple[TokenIndex, Code]]] = {}
        self._varying: dict[frozenset[tuple[FamilyKey, int]], set[TokenIndex]] = {}
        self._opened: tuple[Collection[TokenIndex], list[LiteralIndex]] = ((), [])
        self._in_theme: dict[tuple[tuple[FamilyKey, int], ...], ResolvedTheme] = {}
        self._judged, self._may_be_wide = 0, False

    @cached_property
    def default(self) -> ResolvedTheme:
        """The resolved default theme."""
        literals = self.columns.literals(DEFAULT_THEME, self.graph.table.order)
        return ResolvedTheme(self.columns.codes(DEFAULT_THEME), literals)

    def prepare(self) -> None:
        """Compute the data that every output needs, including the words of all paths, and import Jinja."""
        self.default, self.kinds, self._dependants  # noqa: B018
        environment()
        words_of_table(self.graph.table, is_ascii=False)

    @cached_property
    def opacities(self) -> dict[TokenIndex, Opacity]:
        """The opacities among the numbers."""
        return opacity_units(self.graph.table)

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each token, by token index."""
        table = self.graph.table
        kinds = [
            "text-length" if name == "dimension" and is_text_scoped(scopes) else _OF_TYPE.get(name, "")
            for name, scopes in zip(table.types, table.scopes, strict=True)
        ]
        for index, opacity in self.opacities.items():
            if opacity.unit == "percent":
                kinds[index] = "percentage"
        for index, units in self.relative.items():
            if len(units) == 1:
                kinds[index] = "em" if "em" in units else "ratio"
        return kinds

    @cached_property
    def relative(self) -> dict[TokenIndex, set[str]]:
        """The lengths in em or % in some mode, with all of their units (px for others), also through references."""
        table = self.graph.table
        if not any(map(is_relative, table.literals.values)):
            return {}
        own = [index for index in table.order if any(map(is_relative, table.literals_of(index)))]
        lengths = [index for index in closure(own, self._referring) if table.types[index] == "dimension"]
        return {
            index: {
                literal.unit if is_relative(literal) else "px"
                for target in closure([index], table.targets_of)
                for literal in table.literals_of(target)
            }
            for index in lengths
        }

    def varying(self, themes: Iterable[Theme]) -> set[TokenIndex]:
        """Return the tokens that can differ between any two of these themes and the default theme.

        These are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        The set is shared between callers: treat it as read-only.
        """
        families = self.graph.collections
        pairs = (pair for theme in themes for pair in theme.modes)
        chosen = frozenset((key, mode) for key, mode in pairs if mode != families[key].default_mode)
        if chosen not in self._varying:
            if len(chosen) == sum(len(family.modes) - 1 for family in families.values()):
                edges = [self._dependants_in_any]
            else:
                edges = [self._dependants, {}]
                for family, mode in chosen:
                    self._add_edges(edges[1], self._differing(family, mode), mode)
            self._varying[chosen] = reached(self._differing_in(chosen), *[each.get for each in edges])
        return self._varying[chosen]

    def depending(self, themes: Iterable[Theme]) -> set[TokenIndex]:
        """Return the tokens that can vary among these themes, in any modes of the other families.

        Unlike ``varying``, this includes tokens that refer to one of them only in some mode of their own family.
        """
        changed = self._differing_in({pair for theme in themes for pair in theme.modes})
        return reached(changed, self._dependants_in_any.get) if changed else changed

    def spread(self, marks: Mapping[TokenIndex, int]) -> dict[TokenIndex, int]:
        """Return the bits of each token combined with those of all tokens that it can refer to in any modes; not 0."""
        return spread(marks, self._referring)

    @cached_property
    def references(self) -> dict[TokenIndex, tuple[TokenIndex, ...]]:
        """The tokens that each token refers to in some mode, also within its value, by token index."""
        table = self.graph.table
        return {index: (*dict.fromkeys(targets),) for index in table.order if (targets := table.targets_of(index))}

    def may_misfit(self, fits: Callable[[Resolved | None], bool]) -> set[TokenIndex]:
        """Return the tokens that may resolve to a literal that does not fit, in some mode.

        ``fits`` gets None for a value that is neither a literal nor an alias: a composed colour, or a missing value.
        """
        values, columns = self.columns.values, self.columns
        misfits: set[TokenIndex] = set()
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                codes = columns.column(key, mode)
                literal_codes = (code for code in set(codes) if code < NEEDS_RESOLVER)
                misfitting = {code for code in literal_codes if not fits(values[columns.of_code[-code]])}
                if not fits(None):
                    misfitting.add(NEEDS_RESOLVER)
                if misfitting:
                    misfits.update(compress(self.graph.table.of_family[key], map(misfitting.__contains__, codes)))
        return reached(misfits, self._dependants_in_any.get)

    @cached_property
    def beyond_percentages(self) -> set[TokenIndex]:
        """The tokens that may be outside of 0 to 100 in some mode, so that they need clamping as an opacity."""
        return self.may_misfit(lambda value: type(value) is float and 0 <= value <= 100)

    def may_have_wide_colors(self) -> bool:
        """Return whether a literal can have a colour outside of sRGB, as in few graphs."""
        literals = self.columns.values
        if not self._may_be_wide:
            new = literals[self._judged :]  # those of themes that were resolved since
            self._may_be_wide = any((type(each) is Color and each.wide) or type(each) is Composite for each in new)
            self._judged = len(literals)
        return self._may_be_wide

    def differing_from_default(self, family: FamilyKey, mode: int) -> list[TokenIndex]:
        """Return the tokens of a family whose written value in a mode differs from that in the default mode."""
        return [index for index, _ in self._differing(family, mode)]

    def _differing_in(self, chosen: Iterable[tuple[FamilyKey, int]]) -> set[TokenIndex]:
        return {index for family, mode in chosen for index, _ in self._differing(family, mode)}

    def _differing(self, family: FamilyKey, mode: int) -> list[tuple[TokenIndex, Code]]:
        """Return the tokens of ``differing_from_default``, with their codes in the mode."""
        if (family, mode) not in self._differing_of:
            default = self.graph.collections[family].default_mode
            columns = self.columns.column(family, mode), self.columns.column(family, default)
            written = self.columns.written
            self._differing_of[family, mode] = [
                (index, code)
                for index, code, default_code in zip(self.graph.table.of_family[family], *columns, strict=True)
                if code != default_code
                or (code == NEEDS_RESOLVER and written(index, mode)[0] != written(index, default)[0])
            ]
        return self._differing_of[family, mode]

    def in_theme(
        self, theme: Theme, varying: Collection[TokenIndex], requested: Iterable[TokenIndex] | None = None
    ) -> ResolvedTheme:
        """Return a resolved theme; ``varying`` is the result of the method of that name for this theme and others.

        With ``requested``, only those tokens and their references are resolved: the literal indices of the other
        varying tokens are negative. Treat the result as read-only.
        """
        if requested is None and theme.modes in self._in_theme:
            return self._in_theme[theme.modes]
        codes, literals = self.columns.codes(theme), self._with_open(varying)
        self.columns.resolve(codes, literals, varying if requested is None else requested, theme)
        resolved = ResolvedTheme(codes, literals)
        if requested is None and len(self._in_theme) < _THEMES:
            self._in_theme[theme.modes] = resolved
        return resolved

    def _with_open(self, varying: Collection[TokenIndex]) -> list[LiteralIndex]:
        """Return the default theme's literals, with the varying ones open; cached, since themes share ``varying``."""
        if self._opened[0] is not varying:
            literals = self.default.literals.copy()
            for index in varying:
                literals[index] = OPEN
            self._opened = (varying, literals)
        return self._opened[1].copy()

    def resolver_of_mode(self, family: FamilyKey, mode: int) -> Callable[[TokenKey], Resolved]:
        """Return the graph's resolver with this family in the mode and all others in their default mode."""
        if (family, mode) not in self._resolvers:
            self._resolvers[family, mode] = self.graph.resolver(Theme("", ((family, mode),)))
        return self._resolvers[family, mode]

    @cached_property
    def _dependants(self) -> Dependants:
        dependants: Dependants = {}
        codes = self.default.codes
        for key, family in self.graph.collections.items():
            coded = ((index, codes[index]) for index in self.graph.table.of_family[key])
            self._add_edges(dependants, coded, family.default_mode)
        return dependants

    @cached_property
    def _dependants_in_any(self) -> Dependants:
        # Adding the differences to those of the default theme costs less than reversing ``references``.
        dependants = {target: [*indices] for target, indices in self._dependants.items()}
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                self._add_edges(dependants, self._differing(key, mode), mode)
        return dependants

    def _referring(self, index: TokenIndex) -> Iterable[TokenIndex]:
        """Return the tokens that refer to a token in any mode."""
        return self._dependants_in_any.get(index, ())

    def _add_edges(self, edges: Dependants, coded: Iterable[tuple[TokenIndex, Code]], mode: int) -> None:
        """Add the references of tokens in a mode of their family; ``coded`` has (token index, code)."""
        for index, code in coded:
            if code >= 0:
                edges.setdefault(code, []).append(index)
            elif code == NEEDS_RESOLVER:
                for target in self.columns.written(index, mode)[1]:
                    edges.setdefault(target, []).append(index)


Rendered = TypeVar("Rendered")
_OTHER_OUTPUT = "build another output"


def omitted(graph: TokenGraph, key: TokenKey, result: Resolved, theme: Theme, platform: str) -> Problem:
    """Return the problem of a token without a value in the theme, or with one that the platform does not support."""
    label = token_label(graph, key)
    if isinstance(result, Unresolved):
        what, what_to_do = _reason(key, result)
    elif graph.tokens[key].type in TYPES and composite(result, graph.tokens[key].type) is None:
        what = f"{platform} cannot show its value as a {readable(graph.tokens[key].type)}"
        to_do = "complete the value; sizes and durations in it must not be negative"
        if isinstance(result, Composite) and easing_of(result) is not None:
            what, to_do = f"{platform} has no springs and holds", "use a curve, or exclude it and write it by hand"
        return problem("type-unsupported", label, what, to_do)
    elif is_relative(result):
        what = f"{platform} has no lengths in {result.unit}"
        return problem("type-unsupported", label, what, "exclude it, or write all of its modes in px or rem")
    elif isinstance(result, Composite) or graph.tokens[key].type not in _PLAIN_TYPES:
        what = f"{platform} does not support tokens of type {readable(graph.tokens[key].type)}"
        return problem("type-unsupported", label, what, "exclude it, or write it by hand")
    else:
        what, what_to_do = _reason(key, Unresolved("mismatch", str(key)))
    return problem("unresolved-value", f"{label} / {_mode_name(graph, key, theme)}", what, what_to_do)


def without_default(graph: TokenGraph, key: TokenKey, result: Resolved, platform: str) -> Problem:
    """Return the problem of a token with values in other themes but no default value; ``result`` has the reason."""
    reason, advice = "its default value is not supported there", "change that value"
    if isinstance(result, Unresolved):
        reason, advice = _reason(key, result)
    where = f"{token_label(graph, key)} / {_mode_name(graph, key, DEFAULT_THEME)}"
    what = f"{reason}, and {platform} needs a default value, so the values of other modes are omitted too"
    return problem(_absence("default-value-absent", result), where, what, advice)


def _absence(code: str, result: Resolved) -> str:
    """Return the code of a missing value: another one if it follows from a dangling alias, which is a finding, too."""
    return "alias-dangling-omitted" if isinstance(result, Unresolved) and result.reason == "dangling" else code


_PLAIN_TYPES = frozenset(("color", "dimension", "number", "fontWeight", AS_TEXT, "string", "fontFamily", "boolean"))


def _reason(key: TokenKey, result: Unresolved) -> tuple[str, str]:
    own = result.at == str(key)
    at = readable(result.at)
    match result.reason:
        case "dangling":
            return f"it refers to {at}, which does not exist", "restore that variable, or give the token another value"
        case "cycle":
            return f"its aliases form a cycle at {at}", "give one token of the cycle a value of its own"
        case "absent" if own:
            return "it has no value there", "give it one"
        case "absent":
            return f"it refers to {at}, which has no value there", "give that token a value"
        case _:
            return "it refers to a value of another type" + (
                "" if own else f" at {at}"
            ), "refer to a token of its own type"


def _mode_name(graph: TokenGraph, key: TokenKey, theme: Theme) -> str:
    family = graph.collections[key[:2]]
    chosen: Mapping[FamilyKey, int] = dict(theme.modes)
    return readable(family.modes[chosen.get(key[:2], family.default_mode)].name)


def unrepresentable(graph: TokenGraph, key: TokenKey, characters: str, platform: str) -> Problem:
    """Return the problem of a text with characters that the platform's strings cannot contain."""
    what = f"its text contains {readable(characters)}, which {platform} cannot hold"
    return problem("character-unrepresentable", token_label(graph, key), what, "remove it from the text")


def inlined(graph: TokenGraph, collection: FamilyKey, targets: Sequence[TokenKey]) -> Problem:
    """Return the problem of references to another file's collection; ``targets`` has one token per reference."""
    family = graph.collections[collection]
    where = collection_label(graph, family)
    number = counted(len(targets), "reference")
    verb = "is written as a literal" if len(targets) == 1 else "are written as literals"
    what = f"{number} to its {family.origin} tokens {verb}"
    what_to_do = "configure its file as one of [[files]] to keep them as references"
    if family.origin != "remote":
        what_to_do = "refer to live tokens to keep them as references"
    elif local_file := _local_file(graph, family):
        names = [readable(name_of_path(target.path)) for target in dict.fromkeys(targets)]
        what = f"{number} to {counted(len(names), 'token')} that {readable(local_file)} no longer has {verb}"
        what_to_do = f"refer to other tokens, or restore it in {readable(local_file)} and pull"
        return problem("library-token-gone", where, what, what_to_do, names)
    return problem("remote-inlined", where, what, what_to_do)


def _local_file(graph: TokenGraph, remote: Family) -> str:
    """Return the graph's file that a remote collection belongs to; an empty text when it belongs to another."""
    same = (
        collection.file
        for collection in graph.collections.values()
        if collection.origin == "local" and collection.collection_key == remote.collection_key != ""
    )
    return next(same, "")


def colors_converted(
    tokens: Iterable[Token], graph: TokenGraph, platform: str, settings: Sequence[tuple[str, str]]
) -> Iterator[Problem]:
    """Yield the problem of an output that has only the closest sRGB colours of tokens with colours outside of sRGB.

    ``settings`` are those with which the output would have the colours themselves.
    """
    wide = [token.key for token in tokens if any(_is_wide(value, token.type) for value in token.values)]
    if wide:
        shown = listed([token_label(graph, key) for key in wide])
        what = f"{platform} contains the closest sRGB colour for {counted(len(wide), 'token')} outside of sRGB: {shown}"
        to_do = " or ".join(f'{name} = "{value}"' for name, value in settings)
        to_do = (
            f"set the option {to_do} to write the colours themselves"
            if to_do
            else "write a colour in sRGB if the difference matters"
        )
        yield problem("color-converted", readable(graph.collections[wide[0][:2]].name), what, to_do)


def _is_wide(value: Value | None, token_type: str) -> bool:
    """Return whether a value has a colour outside of sRGB."""
    if type(value) is Color:
        return is_outside(value)
    if type(value) is not Composite or value.json.count('"colorSpace"') == value.json.count('"colorSpace":"srgb"'):
        return False
    parts = (part.json for part in parts_of(token_type, decoded(value.json)) if part.type == "color")
    return any(isinstance(part, dict) and is_outside(color_of(part)) for part in parts if "$ref" not in part)


def modes_unsupported(
    graph: TokenGraph, key: FamilyKey, modes: Collection[int], platform: str, but: str = "", remedy: str = _OTHER_OUTPUT
) -> Problem:
    """Return the problem of modes that the output does not support, apart from the exception in ``but``."""
    family = graph.collections[key]
    extensions = {extension.handle: f"{extension.name} / " for extension in family.extensions}
    several = [family.modes[mode] for mode in modes]
    names = [readable(f"{extensions.get(mode.collection, '')}{mode.name}") for mode in several]
    pronoun = "it" if len(names) == 1 else "them"
    where, what = collection_label(graph, family), f"{platform} does not support {counted(len(names), 'mode')}{but}"
    return problem("theme-unsupported", where, what, f"{remedy} if you need {pronoun}", names)


def unknown_theme(name: str, themes: Iterable[Theme], platform: str) -> Problem:
    """Return the problem of a theme that the options name and the output does not have."""
    what = f"the options of this {platform} output name it, but the output has no such theme"
    to_do = suggestion(name, [readable(theme.name) for theme in themes], quoted=True, most=3)
    return problem("theme-unknown", readable(name), what, to_do)


_CONFIGURABLE = frozenset(("type-unsupported", "theme-unsupported"))


def as_configured(problems: Iterable[Problem], policy: Unsupported) -> Iterator[Problem]:
    """Yield each problem once; ``ignore`` drops unsupported types and themes, and ``raise`` makes them errors."""
    for finding in dict.fromkeys(problems):
        if finding.code not in _CONFIGURABLE or policy == "warn":
            yield finding
        elif policy == "raise":
            yield finding._replace(severity="error")


Row = tuple[TokenIndex, str, TokenIndex]
"""A token's index, its rendered value, and the index of an undeclared token that it refers to, or ``NO_TOKEN``."""


class _Texts(dict[LiteralIndex, "str | None"]):
    """A cache of rendered literals by index; None for literals that the target cannot express.

    ``suspects`` collects texts with characters that the target cannot represent.
    """

    __slots__ = ("_convert", "_is_suspect", "_values", "suspects")  # much faster to read in a subclass of dict

    def __init__(
        self,
        values: list[Resolved],
        convert: Convert,
        unrepresentable: re.Pattern[str],
        suspects: dict[LiteralIndex, str],
    ) -> None:
        super().__init__()
        self._values = values
        self._convert = convert
        self._is_suspect = unrepresentable.search
        self.suspects = suspects

    def __missing__(self, literal: LiteralIndex) -> str | None:
        value = self._values[literal]
        content = value if type(value) is str else texts_within(value) if type(value) is Composite else ""
        if content and self._is_suspect(content):
            self.suspects[literal] = content
        text = self[literal] = None if type(value) is Unresolved else self._convert(value)  # type: ignore[arg-type]
        return text


def _after(change: Callable[[Literal], Literal], convert: Convert) -> Convert:
    return lambda value: convert(change(value))


class Output:
    """The context of one output. Tokens are given as their indices in ``resolution.columns.tokens``.

    ``declared`` holds the output's tokens in collection order. By token index, ``names`` holds identifiers, ``spelled``
    identifiers as references write them, and ``kinds`` the target's kinds (None for undeclared tokens).
    """

    def __init__(
        self,
        resolution: Resolution,
        request: OutputRequest,
        *,
        naming: NamingRules,
        kinds: Mapping[str, str],
        literals: Mapping[str, Convert],
        references: Mapping[str, tuple[str, str]],
        unrepresentable: re.Pattern[str] = ANY_TEXT,
        stacks: bool = False,
    ) -> None:
        """Name the declared tokens.

        ``kinds`` maps kinds of values to the target's own, ``literals`` those to the functions that write them, and
        ``references`` those to the texts before and after the name in a reference. With ``stacks``, the output has the
        stacks of configured fonts instead of single families.
        """
        self.resolution = resolution
        self.graph = resolution.graph
        self.request = request
        self.tokens = resolution.columns.tokens
        self.themes = declared_themes(self.graph, request)
        self.declared = declared_indices(self.graph, request)
        names, self.problems = self.names_by(naming)
        order, kind_of = self.graph.table.order, {kind: kinds.get(kind, "") for kind in {*resolution.kinds}}
        self.names = [*map(names.get, order, repeat(""))]
        self.kinds: list[str | None] = [*map(kind_of.get, resolution.kinds)]
        for index in {*order} - names.keys() if len(names) < len(order) else ():
            self.kinds[index] = None
        self.spelled = self.names
        self._stacked = font_stacks(request.fonts) if stacks and request.fonts else None
        if self._stacked:
            literals = {**literals, **{kind: _after(self._stacked, literals[kind]) for kind in _OF_FONTS}}
        self._literals = literals
        self.unit_of: Callable[[Token], str] | None = None
        """The key in ``literals`` of a dimension's unit, if they have several; an alias has that of its target."""
        self._affixes = references
        self._unrepresentable = unrepresentable
        self.suspects: dict[LiteralIndex, str] = {}
        self.incomplete: dict[TokenIndex, Theme] = {}
        """The tokens with a default value and none in a theme, with that theme; ``rows`` collects them."""
        self._report_inlined()

    def names_by(self, rules: NamingRules) -> tuple[dict[TokenIndex, str], list[Problem]]:
        """Return the names of the declared tokens by the rules of a target, perhaps another one, and their problems."""
        request = self.request
        naming = Naming(self.graph, rules, request.templates, request.naming, request.patterns, [])
        return naming.names(self.declared), naming.problems

    def default_rows(self) -> list[Row]:
        """Return the rows of all declared tokens in the default theme."""
        return self.rows(self.declared, self.resolution.default, DEFAULT_THEME)

    def rows(
        self,
        indices: Iterable[TokenIndex],
        resolved: ResolvedTheme,
        theme: Theme,
        referable: Collection[TokenIndex] | None = None,
    ) -> list[Row]:
        """Return tokens with their rendered values: a reference to a declared token of the same kind, else a literal.

        A token without a value in the theme is omitted and reported. ``referable`` limits the tokens that may be
        referred to (default: every declared token).
        """
        texts, kinds, spelled, suspects, affixes = self.texts, self.kinds, self.spelled, self.suspects, self._affixes
        default = self.resolution.default.literals
        indices = [*indices]
        sources = indices if self.unit_of is None else [self._source(index, resolved) for index in indices]
        codes, literals = map(resolved.codes.__getitem__, indices), map(resolved.literals.__getitem__, indices)
        rows: list[Row] = []
        # As many as tokens: a column is read faster by map than by subscripts.
        for index, of_kind, literal, target in zip(
            indices, map(texts.__getitem__, sources), literals, codes, strict=True
        ):
            text = of_kind[literal]  # type: ignore[index]
            if text is None:
                self.report_omitted(index, literal, theme)
                if of_kind[default[index]] is not None:  # type: ignore[index]
                    self.incomplete.setdefault(index, theme)
                continue
            if target >= 0:
                kind = kinds[index] or ""
                if kind == kinds[target] and kind in affixes and (referable is None or target in referable):
                    before, after = affixes[kind]
                    rows.append((index, f"{before}{spelled[target]}{after}", NO_TOKEN))
                    continue
                if texts[target] is None:
                    rows.append((index, text, target))
                    continue
            rows.append((index, text, NO_TOKEN))
            if suspects and literal in suspects:
                self.report_unrepresentable(index, suspects[literal])
        return rows

    def complete(self, render: Callable[[], Rendered]) -> Rendered:
        """Return what ``render`` returns once every token that it writes has a value in every theme that it writes.

        For platforms that show the value of another theme in place of a missing one: Android takes a less specific
        folder, an asset catalog the universal colour, and a class what it inherits. Other tokens are omitted from all
        themes and reported, and references to them become literals.
        """
        problems = self.problems
        while True:
            self.problems = problems.copy()
            rendered = render()
            if not self.incomplete:
                return rendered
            problems = [*self._omissions(), *problems]
            for index in self.incomplete:
                self.kinds[index] = None
            self.declared = [index for index in self.declared if index not in self.incomplete]
            self.incomplete.clear()
            for name in ("texts", "_rank"):
                self.__dict__.pop(name, None)

    def declared_with(self, render: Callable[[], object]) -> list[TokenIndex]:
        """Return the tokens that an output declares in the end: those with a value in every theme that it writes."""
        self.complete(render)
        return [index for index, _, _ in self.default_rows()]

    def _omissions(self) -> Iterator[Problem]:
        """Yield the problem of the incomplete tokens of each collection and mode."""
        of_mode: dict[tuple[str, str, str], list[TokenIndex]] = {}
        resolver = cache(self.graph.resolver)
        for index, theme in self.incomplete.items():
            key = self.tokens[index].key
            result = resolver(theme)(key)
            if is_relative(result):
                yield omitted(self.graph, key, result, theme, self.request.platform)
                continue
            code = _absence("mode-value-absent", result)
            label = collection_label(self.graph, self.graph.collections[key[:2]])
            of_mode.setdefault((label, _mode_name(self.graph, key, theme), code), []).append(index)
        for (label, mode, code), indices in of_mode.items():
            names = [readable(name_of_path(self.tokens[index].key.path)) for index in indices]
            omitted_tokens = counted(len(names), "token")
            what = f"{self.request.platform} omits {omitted_tokens} in every mode, because a value is missing here"
            to_do = f"give {'it a value' if len(names) == 1 else 'them values'} in this mode"
            yield problem(code, f"{label} / {mode}", what, to_do, names)

    def widen(self, kind: str, wider: str, fits: Callable[[float], bool], *, by_group: bool = False) -> None:
        """Give tokens another kind if their number, or one that they can refer to, does not fit theirs in some mode.

        A text counts as the weight that it names. With ``by_group``, all tokens of that kind in their groups get it.
        """

        def is_fitting(value: Value) -> bool:
            number = weight_of(value) if isinstance(value, str) else value
            return fits(number) if isinstance(number, float) else True

        indices = [index for index in self.declared if self.kinds[index] == kind]
        if indices:
            table, edges = self.graph.table, dict[TokenIndex, list[TokenIndex]]()
            closure(indices, lambda index: edges.setdefault(index, table.targets_of(index)))
            own = {index for index in edges if not all(map(is_fitting, table.literals_of(index)))}
            misfits: Collection[TokenIndex] = reached(own, reverse(edges).get).intersection(indices)
            if by_group and misfits:
                groups = {index: (table.families[index], table.paths[index].rpartition(".")[0]) for index in indices}
                widened = {groups[index] for index in misfits}
                misfits = [index for index in indices if groups[index] in widened]
            for index in misfits:
                self.kinds[index] = wider

    def report_modes(self, is_unsupported: Callable[[tuple[FamilyKey, int]], bool], remedy: str) -> None:
        """Report the modes of declared families, apart from their default ones, that the output does not support."""
        declared = set(map(self.graph.table.families.__getitem__, self.declared))
        for key, family in self.graph.collections.items():
            if key in declared:
                modes = [mode for mode in range(len(family.modes)) if mode != family.default_mode]
                unsupported = [mode for mode in modes if is_unsupported((key, mode))]
                if unsupported:
                    platform = self.request.platform
                    self.problems.append(modes_unsupported(self.graph, key, unsupported, platform, remedy=remedy))

    def declared_among(self, varying: Collection[TokenIndex]) -> list[TokenIndex]:
        """Return the declared tokens among these, in order."""
        if len(varying) * 8 > len(self.declared):
            return [index for index in self.declared if index in varying]
        return sorted((index for index in varying if index in self._rank), key=self._rank.__getitem__)

    def literal(self, resolved: ResolvedTheme, index: TokenIndex) -> Resolved:
        """Return the token's literal in a resolved theme."""
        value = self.resolution.columns.values[resolved.literals[index]]
        if self._stacked and self.kinds[index] in _OF_FONTS and not isinstance(value, Unresolved):
            return self._stacked(value)
        return value

    @cached_property
    def _rank(self) -> dict[TokenIndex, int]:
        return {index: rank for rank, index in enumerate(self.declared)}

    @cached_property
    def texts(self) -> list[_Texts | None]:
        """The cache of rendered literals of each token's kind, by token index."""
        values = self.resolution.columns.values
        of_kind = {
            kind: _Texts(values, convert, self._unrepresentable, self.suspects)
            for kind, convert in {**self._literals, "": lambda _: None}.items()
        }
        texts = [None if kind is None else of_kind[kind] for kind in self.kinds]
        if self.unit_of:
            for index in self.declared:
                if self.kinds[index] == "dimension":
                    texts[index] = of_kind[self.unit_of(self.tokens[self._source(index, self.resolution.default)])]
        return texts

    def _source(self, index: TokenIndex, resolved: ResolvedTheme) -> TokenIndex:
        """Return the declared dimension that a dimension takes its value from, through references; else the token."""
        codes, literals = resolved
        if not isinstance(self.resolution.columns.values[literals[index]], Unresolved):  # as on a cycle
            while (target := codes[index]) >= 0 and self.kinds[target] == self.kinds[index] == "dimension":
                index = target
        return index

    def reference(self, index: TokenIndex) -> str:
        """Return the text of a reference to a declared token; empty when its kind has no references."""
        affixes = self._affixes.get(self.kinds[index] or "")
        return f"{affixes[0]}{self.spelled[index]}{affixes[1]}" if affixes else ""

    def report_omitted(self, index: TokenIndex, literal: LiteralIndex, theme: Theme) -> None:
        """Report a token without a rendered value in a theme, unless ``normalize.findings`` reports it.

        Those findings cover each token in each mode of its own family, with the other families in their default mode.
        """
        key = self.tokens[index].key
        result = self.resolution.columns.values[literal]
        if isinstance(result, Unresolved):
            mode = dict(theme.modes).get(key[:2], self.graph.collections[key[:2]].default_mode)
            if isinstance(self.resolution.resolver_of_mode(key[:2], mode)(key), Unresolved):
                return
        self.problems.append(omitted(self.graph, key, result, theme, self.request.platform))

    def _report_inlined(self) -> None:
        table = self.graph.table
        if table.origins.count("local") == len(table.origins):  # usual, and much faster than a loop
            return
        foreign = {index for index, origin in zip(table.order, table.origins, strict=True) if origin != "local"}
        inlined_targets: dict[FamilyKey, list[TokenKey]] = {}
        for index in self.declared:
            for target in table.rows[index]:
                if target in foreign and not self.tokens[target].is_earlier_value(table.keys[index]):
                    inlined_targets.setdefault(table.families[target], []).append(table.keys[target])
        self.problems += [inlined(self.graph, family, targets) for family, targets in inlined_targets.items()]

    def report_unrepresentable(self, index: TokenIndex, text: str) -> None:
        """Report a token whose text has characters that the target cannot represent."""
        characters = "".join(dict.fromkeys(self._unrepresentable.findall(text)))
        self.problems.append(unrepresentable(self.graph, self.tokens[index].key, characters, self.request.platform))
