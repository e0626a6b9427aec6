"""The files of a tailwind output: ``theme.css``, and the configuration of tailwind-merge.

The properties have the names and the blocks of a css output, so that they are right in nested themes. Tailwind's names
refer to them in ``@theme inline``: a utility contains the reference, which is computed where it is used. A name that
is also that of a property is ``reference``, too, since Tailwind would declare it on the root. Properties that no theme
changes are in ``@theme``, from which Tailwind omits unused ones, unless it would make utilities of their names.

Breakpoints and containers are copied into conditions, which cannot contain references, so they have their default value
in every theme. They are in rem like Tailwind's own, since Tailwind sorts rules by unit first.

Tailwind looks the sizes of `w-`, `min-w-`, `max-w-` and `basis-` up in a namespace of their own, then among spacings,
then among containers. So that a spacing `md` does not take `max-w-md`, the first of these refer to the container.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain, count, product
from typing import TYPE_CHECKING, Annotated, NamedTuple

from msgspec import Struct, json
from msgspec.structs import asdict

from tokensync.generate import notation
from tokensync.generate.naming import CodeReferences, rendered_bytes, token_label
from tokensync.generate.naming.rules import Words, path_words
from tokensync.generate.naming.templates import Template, doc
from tokensync.generate.target import OutputFile, OutputRequest, options_of
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css.render import HEADER, INVALID, Block, Cascade, Declaration, comments_of, header_of
from tokensync.generate.targets.css.texts import Notation, output_of, rem
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.system.outlet import readable
from tokensync.system.problems import Problem, problem
from tokensync.tokens import Token, TokenKey, normalized, shortest
from tokensync.tokens.paths import names as path_names
from tokensync.tokens.values import PIXELS_PER_REM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from tokensync.generate.output import Output, Resolution
    from tokensync.generate.targets.css.render import BlockContents, Row, Rule
    from tokensync.generate.targets.css.themes import Choice, Scheme
    from tokensync.tokens.resolver import TokenIndex


_OF_KIND = {
    "color": "color",
    "family": "font",
    "weight": "font-weight",
    "duration": "transition-duration",
    "shadow": "shadow",
    "cubicBezier": "ease",
    "gradient": "background-image",
}
_OF_SCOPE = {
    "FONT_SIZE": "text",
    "LINE_HEIGHT": "leading",
    "LETTER_SPACING": "tracking",
    "PARAGRAPH_SPACING": "spacing",
    "PARAGRAPH_INDENT": "spacing",
    "CORNER_RADIUS": "radius",
    "STROKE_FLOAT": "border-width",
    "GAP": "spacing",
    "WIDTH_HEIGHT": "spacing",
}
_BEGINNINGS = {
    "color": ("colors", "color"),
    "font": ("font-families", "font-family", "fonts", "font"),
    "font-weight": ("font-weights", "font-weight", "weight"),
    "text": ("font-sizes", "font-size", "text-size", "text"),
    "leading": ("line-heights", "line-height", "leading"),
    "tracking": ("letter-spacing", "tracking"),
    "breakpoint": ("breakpoints", "breakpoint", "screens", "screen"),
    "container": ("containers", "container"),
    "radius": ("border-radius", "corner-radius", "radius", "radii", "rounded"),
    "border-width": ("border-width", "stroke-width"),
    "blur": ("blur",),
    "spacing": ("spacing", "space"),
    "opacity": ("opacity",),
    "shadow": ("box-shadow", "shadows", "shadow"),
    "ease": ("easing", "ease"),
    "transition-duration": ("transition-duration", "durations", "duration"),
    "background-image": ("background-image", "gradients", "gradient"),
}
"""The prefixes and suffixes of names in other systems that stand for a namespace, which replaces them."""
_WITHIN = {
    **_BEGINNINGS,
    "text": (*_BEGINNINGS["text"], "size"),
    "font": (*_BEGINNINGS["font"], "family"),
    "border-width": (*_BEGINNINGS["border-width"], "stroke", "border"),
}
"""The same for any other place in a name."""
CONDITIONS = {
    "breakpoint": {"sm": 40, "md": 48, "lg": 64, "xl": 80, "2xl": 96},
    "container": {
        "3xs": 16,
        "2xs": 18,
        "xs": 20,
        "sm": 24,
        "md": 28,
        "lg": 32,
        "xl": 36,
        "2xl": 42,
        "3xl": 48,
        "4xl": 56,
        "5xl": 64,
        "6xl": 72,
        "7xl": 80,
    },
}
"""The namespaces of media and container queries, which cannot contain references, with the rem of Tailwind's own names.

A length is in one of them by its name, regardless of its scopes.
"""
SIZES = ("width", "min-width", "max-width", "flex-basis")
"""The namespaces in which utilities look a name up before spacings and containers."""
KEYWORDS = frozenset(
    "3d auto block dvh dvw fit flex full grid lh lvh lvw max min none px reverse ring screen shadow svh svw"
    " table".split()
)
"""The names that Tailwind's own utilities of sizes have without a variable, such as `w-full` and `m-auto`.

Tailwind writes both declarations into such a class, and that of a variable comes last.
"""
_KEYWORD_SPACINGS = frozenset(f"spacing-{keyword}" for keyword in KEYWORDS)
_LENGTHS = ("dimension", "length", "text-length")
"""The kinds of lengths."""
_OF_LENGTHS = ("text", "leading", "tracking", "radius", "border-width", "blur", "spacing")
_TEXT_SIZES = frozenset(f"color-{size}" for size in ("xs", "sm", "base", "lg", "xl", *(f"{n}xl" for n in range(2, 10))))
"""The names of colours that would take a class of Tailwind's own sizes, such as ``text-base``."""
_PRECEDED = ("text", "border-width", "background-image", "font-weight")
"""The namespaces that Tailwind looks a class such as ``text-body`` up in after another one, of `_FOLLOWING`."""
_FOLLOWING = {"color": ("text", "border-width", "background-image"), "font": ("font-weight",)}
_BARE_NAMES = frozenset(("spacing", "radius", "blur", "shadow"))
"""Namespaces that are also variables: the unit of spacing, or the default of a utility such as ``rounded``."""
STYLE_PARTS = (
    ("font-size", "text", ""),
    ("line-height", "text", "--line-height"),
    ("letter-spacing", "text", "--letter-spacing"),
    ("font-weight", "text", "--font-weight"),
    ("font-family", "font", ""),
)
"""The parts of a text style, with the namespace and the suffix of the variables that Tailwind reads them from."""


_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_DOTTED = re.compile(r"(\d+)\.(\d+)")
_UNDERSCORE = re.compile(r"(?<=\d)_(?=\d+$)")
_GROUPS = ("size-", "dimension-")
"""Words before that of a namespace, as in ``size/radius/100``, that are not repeated."""
_PARTS_OF_SIZES = {"leading": "--line-height", "tracking": "--letter-spacing", "font-weight": "--font-weight"}
"""The namespaces of single tokens that Tailwind can apply together with a size, and the suffix of its variable."""
_OF_TEXTS = frozenset(("text", "leading", "tracking", "font", "font-weight"))
_GROUPS_OF_TEXTS = ("text-", "typography-")
"""The first words of names in these namespaces that are not repeated."""
_WORDS_OF_PARTS = frozenset(
    "text typography font fonts size sizes line height heights leading letter spacing tracking weight weights".split()
)
"""Words that say which part of a text style a token is, and not of which style."""


class Role(NamedTuple):
    """A namespace of colours for one kind of utilities, and the other one that makes utilities of the same names."""

    namespace: str
    precedes: str


_ROLES = {
    word: role
    for role, words in (
        (Role("text-color", "text"), ("text", "fg", "fgcolor", "foreground")),
        (Role("background-color", "background-image"), ("background", "bg", "bgcolor", "surface")),
        (Role("border-color", "border-width"), ("border", "bordercolor", "stroke")),
    )
    for word in words
}
"""The roles of colours by the first word of their names."""
_OF_TAILWIND = re.compile(
    r"(?:\d|[a-z]+-(?:50|[1-9]00|950)$).*|(?:[xytrbles]|b[es])(?:-.*)?"
    r"|(?:shadow|blend|bottom|clip|conic|linear|origin|radial|repeat|spacing|top)(?:-.*)?"
    r"|xs|sm|base|lg|xl|black|white|transparent|current|inherit|initial|center|left|right|start|end|justify|wrap|nowrap"
    r"|balance|pretty|ellipsis|auto|contain|cover|fixed|local|scroll|none|collapse|separate|solid|dashed|dotted|double"
    r"|hidden"
)
"""The ends of Tailwind's own classes that begin with `text-`, `bg-` or `border-`."""


class Names(NamedTuple):
    """The names of tokens by index, without ``--``.

    ``themed`` are names in a namespace, ``styles`` those of text styles in the namespaces ``text`` and ``font``.
    ``spaces`` are the namespaces, empty for tokens without utilities. ``parts`` are the names of further variables
    that refer to the token, as the line height of a size. ``roles`` are those for utilities of one role of a colour,
    as ``text-muted`` beside ``text-text-muted``.
    """

    themed: dict[TokenIndex, str]
    styles: dict[TokenIndex, str]
    spaces: dict[TokenIndex, str]
    parts: dict[TokenIndex, str]
    roles: dict[TokenIndex, str]


def names_of(output: Output, rules: Mapping[str, str] | None = None) -> Names:
    """Return the unique names of all declared tokens; ``rules`` are the namespaces by globs for paths."""
    stems, paths = _stems(output), output.graph.table.paths
    ruled = _by_rule(output, rules) if rules else {}
    spaces = {
        index: ruled[index][0]
        if index in ruled
        else "opacity"
        if index in output.resolution.opacities
        else namespace_of(output.tokens[index], output.kinds[index] or "", stem)
        for index, stem in stems.items()
    }
    names = Names({}, {}, spaces, {}, {})
    texts = [index for index, space in spaces.items() if not space and output.kinds[index] == "typography"]
    styled = {next(_choices("text", stems[index])) for index in texts if index not in ruled}
    plain = {_body(output, index) for index in output.declared}
    used = {*_KEYWORD_SPACINGS, *_TEXT_SIZES}
    for index, space in sorted(spaces.items(), key=lambda item: item[1] in _PRECEDED):
        if space:
            choices = _themed_choices(space, stems[index], _body(output, index), styled)
            if index in ruled:
                choices = chain((f"{space}-{ruled[index][1]}",), choices)
            if "%" in paths[index] and (match := _DOTTED.fullmatch(path_names(paths[index])[-1])):
                choices = _with_dots(choices, match[1], match[2])
            taken = used | (plain - {_body(output, index)}) if space in CONDITIONS else used
            name = names.themed[index] = _first(choices, taken)
            used.add(name)
            used.update(f"{other}{name.removeprefix(space)}" for other in _FOLLOWING.get(space, ()))
    for index in texts:
        if index not in ruled:
            name = _first(_choices("text", stems[index]), used)
            names.styles[index] = name.removeprefix("text-")
            used.update(f"{part}-{names.styles[index]}" for part in ("text", "font"))
    names = names._replace(themed={index: names.themed[index] for index in spaces if index in names.themed})
    _add_parts_of_sizes(output, names, used)
    _add_roles(names, used)
    return names


def _by_rule(output: Output, rules: Mapping[str, str]) -> dict[TokenIndex, tuple[str, str]]:
    """Return the namespace of tokens that a glob matches, and their words without those of the glob's own groups."""
    ruled: dict[TokenIndex, tuple[str, str]] = {}
    for index in output.declared:
        path = "/".join(path_names(output.graph.table.paths[index]))
        glob = next((glob for glob in rules if fnmatchcase(path, glob)), None)
        kind, space = output.kinds[index], rules.get(glob or "", "")
        if glob is not None and (
            space == "none" or (kind in _LENGTHS if space in CONDITIONS else kind != "typography")
        ):
            groups = re.split(r"[*?\[]", glob, maxsplit=1)[0].count("/")
            words = path_words(".".join(output.graph.table.paths[index].split(".")[groups:]))
            ruled[index] = (space.removeprefix("none"), "-".join(words))
    return ruled


def _add_roles(names: Names, used: set[str]) -> None:
    """Add the variables with which a colour has classes that do not repeat its role, unless they are taken."""
    for index, name in names.themed.items():
        word, _, rest = name.removeprefix("color-").replace("-color-", "-", 1).partition("-")
        role = _ROLES.get(word.lower()) if rest and names.spaces[index] == "color" else None
        if role is not None and not _OF_TAILWIND.fullmatch(rest):
            variable = f"{role.namespace}-{rest}"
            if used.isdisjoint((variable, f"color-{rest}", f"{role.precedes}-{rest}")):
                names.roles[index] = variable
                used.add(variable)


def _stems(output: Output) -> dict[TokenIndex, str]:
    """Return the names without ``--`` and without the words that most of them begin with for no token's sake.

    Such a word is that of ``naming.prefix`` or of code syntax, and neither the path's first nor the collection's.
    """
    stems = {index: _HUMP.sub("-", _body(output, index)).lower() for index in output.declared}
    table = output.graph.table
    while stems:
        word = Counter(stem.partition("-")[0] for stem in stems.values()).most_common(1)[0][0]
        named = [index for index, stem in stems.items() if stem.startswith(f"{word}-")]
        if 2 * len(named) <= len(stems) or any(
            word in (path_words(table.paths[index])[:1] or ("",)) or word == table.families[index][1].partition("-")[0]
            for index in named
        ):
            break
        stems |= {index: stems[index].removeprefix(f"{word}-") for index in named}
    return stems


def _themed_choices(space: str, stem: str, body: str, styled: set[str]) -> Iterator[str]:
    """Yield the names for a token in a namespace, the shortest first."""
    rest = _rest(space, stem)
    name = f"{space}-{_without_repetition(space, rest or stem, is_found=rest is not None)}"
    if name not in styled and rest != "":
        yield name
    yield next(_choices(space, stem))
    yield from _choices(space, body)


def _with_dots(choices: Iterator[str], whole: str, fraction: str) -> Iterator[str]:
    """Yield the names with ``0_5`` for a path that ends in 0.5, which ``p-0.5`` looks for."""
    ending = f"{whole}-{fraction}"
    yield from (
        f"{name.removesuffix(ending)}{whole}_{fraction}" if name.endswith(f"-{ending}") else name for name in choices
    )


def _add_parts_of_sizes(output: Output, names: Names, used: set[str]) -> None:
    """Add the variables with which ``text-body`` applies the line height, letter spacing and weight of that name."""
    paths = output.graph.table.paths
    sizes: dict[Words, list[TokenIndex]] = {}
    for index in names.themed:
        if names.spaces[index] == "text" and (words := _style_words(paths[index])):
            sizes.setdefault(words, []).append(index)
    for index in names.themed if sizes else ():
        suffix = _PARTS_OF_SIZES.get(names.spaces[index])
        of_name = sizes.get(_style_words(paths[index]), []) if suffix else []
        if len(of_name) == 1:
            name = f"{names.themed[of_name[0]]}{suffix}"
            # A scale of weights may have the names of sizes.
            is_beside = paths[index].rpartition(".")[0] == paths[of_name[0]].rpartition(".")[0]
            if name not in used and (is_beside or names.spaces[index] != "font-weight"):
                names.parts[index] = name
                used.add(name)


def _style_words(path: str) -> Words:
    return tuple([word for word in path_words(path) if word not in _WORDS_OF_PARTS])


def class_end(space: str, name: str) -> str:
    """Return the end of the classes that a variable makes: ``0.5`` for ``--spacing-0_5``."""
    return _UNDERSCORE.sub(".", name.removeprefix(f"{space}-"))


def namespace_of(token: Token, kind: str, body: str) -> str:
    """Return the namespace of a token other than an opacity by its kind, name and scopes; empty without a utility."""
    if kind in _LENGTHS:
        namespace = (
            _named_namespace(body, tuple(CONDITIONS)) or _of_scopes(token) or _named_namespace(body, _OF_LENGTHS)
        )
        return namespace or ("spacing" if not token.scopes or "ALL_SCOPES" in token.scopes else "")
    if kind == "number" and token.type == "number":
        return "leading" if _of_scopes(token) == "leading" else _named_namespace(body, ("leading",))
    return "font-weight" if token.public_type == "fontWeight" else _OF_KIND.get(kind, "")


def _of_scopes(token: Token) -> str:
    """Return the namespace that all scopes have in common."""
    namespaces = {_OF_SCOPE.get(scope, "") for scope in token.scopes}
    return namespaces.pop() if len(namespaces) == 1 else ""


def _named_namespace(body: str, namespaces: tuple[str, ...]) -> str:
    return next((namespace for namespace in namespaces if _rest(namespace, body) is not None), "")


def _rest(namespace: str, body: str) -> str | None:
    """Return the name without its namespace, or a prefix that stands for it; None without such a prefix."""
    group = next((group for group in _GROUPS if body.startswith(group)), "") if namespace in _OF_LENGTHS else ""
    if group and (rest := _rest(namespace, body.removeprefix(group))):
        return rest
    for words in _BEGINNINGS.get(namespace, (namespace,)):
        if body == words:
            return ""
        if body.startswith(f"{words}-"):
            return body[len(words) + 1 :]
    return None


def _without_repetition(namespace: str, name: str, *, is_found: bool) -> str:
    """Return a name without the words that stand for its namespace, which ``is_found`` if it began with them."""
    if namespace in _OF_TEXTS:
        group = next((group for group in _GROUPS_OF_TEXTS if name.startswith(group)), "")
        name = name.removeprefix(group)
    for word in _WITHIN.get(namespace, ()) if not is_found or namespace == "text" else ():
        before, found, after = f"-{name}-".partition(f"-{word}-")
        if found and (rest := f"{before}-{after}".strip("-")):
            return rest
    return name


def _choices(namespace: str, body: str) -> Iterator[str]:
    rest = _rest(namespace, body)
    if rest:
        yield f"{namespace}-{rest}"
    elif rest == "" and body == namespace and namespace in _BARE_NAMES:
        yield namespace
    yield f"{namespace}-{body}"
    yield from (f"{namespace}-{body}-{number}" for number in count(2))


def _first(choices: Iterator[str], taken: AbstractSet[str]) -> str:
    return next(choice for choice in choices if choice not in taken)


def _body(output: Output, index: TokenIndex) -> str:
    return output.names[index].removeprefix("--")


class DarkRule(NamedTuple):
    """A rule of the variant ``dark``."""

    media: Annotated[str, doc("the media query of the rule, or empty", "(prefers-color-scheme: dark)")]
    selector: Annotated[
        str, doc("the elements with a dark theme, one selector per line", '[data-theme="dark"],\n[data-theme="dark"] *')
    ]


class Theme(Struct, frozen=True):
    """The style sheet to import after Tailwind."""

    header: Annotated[str, doc("a comment with the design files and the command", HEADER)]
    static: Annotated[bool, doc("whether Tailwind keeps unused variables", False)]
    comments: Annotated[
        dict[str, list[str]],
        doc(
            "the comments before a property's declaration in `@theme` or for the root, by its name",
            {"--text-muted": ["/* theme / text */", "/* Captions, hints and placeholders. */"]},
        ),
    ]
    root: Annotated[str, doc("the selector of the defaults, which begins that of each rule for the root", ":root")]
    dark: Annotated[list[DarkRule], doc("the rules of the variant `dark`; none without light and dark modes")]
    theme: Annotated[list[Declaration], doc("the variables of `@theme`, without Tailwind's prefix")]
    inline: Annotated[list[Declaration], doc("the variables of `@theme inline`, whose values utilities contain")]
    reference: Annotated[list[Declaration], doc("those with the name of a property, which Tailwind must not declare")]
    blocks: Annotated[list[Block], doc("the blocks of the root and of each theme")]


TEMPLATES = (Template("tailwind/theme.css.j2", "tailwind", "`theme.css`: `@theme` and the themes' blocks.", Theme),)


_PERCENTAGES = {"percentage": "opacity", "number": "fraction"}
"""The kinds of opacities, which have a percent sign: the modifier of ``bg-black/50`` mixes by ``var(--opacity-50)``."""
COPIED = ("shadow", "drop-shadow", "inset-shadow", "text-shadow")
"""The namespaces whose values Tailwind reads, and writes into utilities with another colour."""
_LONGEST_NAME = 4
"""The hyphens of the names of Tailwind's own variables, such as ``--color-red-500``."""
_REFERENCE = re.compile(r'"(?:[^"\\]|\\.)*"|var\((--[^\s,)]+)\)')
RESERVED_WORDS = frozenset(
    "accent animate aspect backdrop background blur border box breakpoint brightness caret color columns"
    " container content contrast cursor default divide drop ease fill flex font gap gradient grayscale grid"
    " height hue inset invert leading letter line list margin mask max min modifier object opacity order"
    " outline padding perspective placeholder radius ring rotate saturate scale scroll sepia shadow size skew"
    " space spacing stroke text tracking transform transition translate tw underline value width z".split()
)
"""The first words of Tailwind's own variables: it makes utilities of such a name, or changes others."""


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return the custom property of each token, then the names in ``@theme``, the one for all utilities last."""
    options = options_of(request, TailwindOptions)
    output = output_of(resolution, request, Notation(CssOptions()))
    names = names_of(output, options.namespaces)
    texts: CodeReferences = {}
    for index in [index for index, _, _ in output.default_rows()] if exact else output.declared:
        themed = (f"{_prefix(options)}{name}" for of in (names.roles, names.themed) if (name := of.get(index)))
        variables = dict.fromkeys((output.names[index], *themed))
        texts[output.tokens[index].key] = tuple(text for name in variables if name for text in (f"var({name})", name))
    return texts


def theme_names(resolution: Resolution, request: OutputRequest) -> Iterator[tuple[TokenKey, str, str]]:
    """Yield tokens with the name of a variable without ``--``, and with the end of the classes made of it.

    ``--color-accent`` makes ``bg-accent`` and others, whose end is ``accent``.
    """
    options = options_of(request, TailwindOptions)
    output = output_of(resolution, request, Notation(CssOptions()))
    names = names_of(output, options.namespaces)
    prefix = _prefix(options).removeprefix("--")
    for index in output.declared:
        key, styles = output.tokens[index].key, names.styles.get(index)
        if (name := names.themed.get(index)) is not None:
            yield key, f"{prefix}{name}", class_end(names.spaces[index], name)
        if (role := names.roles.get(index)) is not None:
            yield key, f"{prefix}{role}", role.split("-", 2)[2]
        if styles is not None:
            yield from ((key, f"{prefix}{space}-{styles}", styles) for space in ("text", "font"))


def render(resolution: Resolution, request: OutputRequest) -> tuple[list[OutputFile], list[Problem]]:
    """Return ``theme.css``, and the configuration of tailwind-merge if the options require it."""
    options = options_of(request, TailwindOptions)
    shared = {*CssOptions.__struct_fields__} - {"form"}  # those of CSS are others
    of_css = {name: value for name, value in asdict(options).items() if name in shared}
    css_options = CssOptions(layer="theme", **of_css)
    spelling = Notation(css_options)
    # A rem in a media query is that of the browser; in a container query, it is that of the page.
    spelling.literals |= {"opacity": notation.percent, "fraction": partial(notation.percent, digits=2)}
    spelling.literals["breakpoint"] = partial(rem, base=PIXELS_PER_REM)
    spelling.literals["container"] = partial(rem, base=options.base)
    output = output_of(resolution, request, spelling)
    names = names_of(output, options.namespaces)
    for index, space in names.spaces.items():
        if space in CONDITIONS:
            output.kinds[index] = space
        elif space == "opacity":
            output.kinds[index] = _PERCENTAGES[output.kinds[index] or ""]
    cascade = Cascade(output, css_options, spelling, _inlined(output, names, options))
    rules = list(cascade.blocks())
    defaults = _defaults(rules, names, options.root)
    _report_conditions(output, names, defaults, _differing(rules, defaults), options)
    sheet = _Sheet(output, names, options, cascade.switched, rules)
    sheet.theme.extend(
        (f"--{name}", defaults[index], "")
        for index, name in names.themed.items()
        if index in defaults and f"--{name}" not in sheet.declared
    )
    inline, reference = sheet.variables()
    inline += _sizes_of_containers(output, names, options)
    content = rendered_bytes(
        "tailwind/theme.css.j2",
        request.templates,
        header=header_of(output),
        static=options.static,
        comments={} if options.comments == "none" else comments_of(cascade),
        root=options.root,
        dark=_dark_rules(cascade),
        theme=[*((f"--{space}-*", INVALID, "") for space in options.reset), *sheet.theme],
        inline=inline,
        reference=reference,
        blocks=sheet.blocks,
    )
    files = [OutputFile("theme.css", content)]
    if options.merge:
        files.append(OutputFile("tailwind-merge.json", _merge_configuration(names, options.prefix)))
    return files, output.problems


def _inlined(output: Output, names: Names, options: TailwindOptions) -> set[TokenIndex]:
    """Return the tokens whose values are in ``@theme inline`` if a theme changes them."""
    if options.form == "blocks":
        return set()
    # A value for wide screens needs a block.
    in_blocks = ("color",) if options.profile != "srgb" else ()
    return {
        index
        for index in output.declared
        if names.spaces[index] not in CONDITIONS and output.kinds[index] not in in_blocks
    }


class _Sheet:
    """The declarations of ``@theme`` and of blocks; ``values`` are those in ``@theme inline``, by property."""

    def __init__(
        self,
        output: Output,
        names: Names,
        options: TailwindOptions,
        inlined: AbstractSet[TokenIndex],
        rules: Iterable[Rule],
    ) -> None:
        self.output = output
        self.names = names
        self.prefix = options.prefix
        self.theme: list[Row] = []
        self.blocks: list[BlockContents] = []
        self.values: dict[str, str] = {}
        changed = {token for rule in rules if not rule.is_default for token in rule.tokens}
        owners = {name: token for rule in rules for token, (name, _, _) in zip(rule.tokens, rule.rows, strict=True)}
        mapped = {*names.themed.values(), *names.roles.values(), *names.parts.values()}
        self._variable_of: dict[str, str] = {}
        """By property, the variable that Tailwind has instead of it."""
        for name, token in owners.items():
            if token in inlined and (token in changed or options.prefix or not self._fits(name, token)):
                variable = names.themed.get(token, "") if name == output.names[token] else ""
                if variable or self._fits(name, token) or (name.count("-") > _LONGEST_NAME and name[2:] not in mapped):
                    self._variable_of[name] = f"--{variable}" if variable else name
        copied: dict[str, set[str]] = {}
        for rule in rules:
            rows: list[Row] = []
            for token, (name, text, note) in zip(rule.tokens, rule.rows, strict=True):
                value = self._with_inlined(text.replace("!important", "\\21 important") if "!" in text else text)
                if name in self._variable_of and token in changed:
                    self.values[name] = value
                elif name in self._variable_of:
                    self.theme.append((self._variable_of[name], value, note))
                elif rule.is_default and not self.prefix and token not in changed and self._fits(name, token):
                    self.theme.append((name, value, note))
                else:
                    rows.append((name, value, note))
                if names.spaces.get(token) in COPIED:
                    copied.setdefault(name, set()).add(value)
            if rows:
                self.blocks.append((rule.conditions, rule.selector, rows))
        # Tailwind changes the colour of a shadow that it can read.
        self.values |= {name: next(iter(values)) for name, values in copied.items() if len(values) == 1}
        self.declared = {name for name, _, _ in self.theme}
        self._properties = owners.keys() - self._variable_of.keys()
        self._owners = owners

    def variables(self) -> tuple[list[Row], list[Row]]:
        """Return the names of utilities with their values, and apart from them those that are names of properties."""
        inline: list[Row] = []
        reference: list[Row] = []
        for name, value in self._variables():
            if name not in self.declared:
                (reference if name in self._properties and not self.prefix else inline).append((name, value, ""))
        return inline, reference

    def _variables(self) -> Iterator[tuple[str, str]]:
        names = self.names
        rank = {index: at for at, index in enumerate(self.output.declared)}
        for name, index in sorted(self._owners.items(), key=lambda owner: rank.get(owner[1], -1)):
            text = f"--theme({self._variable_of[name]})" if name in self._variable_of else f"var({name})"
            if self._variable_of.get(name) == name and name in self.values:
                yield name, self.values[name]
            if style := names.styles.get(index):
                for part, space, suffix in STYLE_PARTS:
                    if name == f"{self.output.names[index]}-{part}":
                        yield f"--{space}-{style}{suffix}", text
            elif index in names.themed and name == self.output.names[index] and names.spaces[index] not in CONDITIONS:
                yield f"--{names.themed[index]}", self.values.get(name, text)
                yield from (
                    (f"--{variable[index]}", text) for variable in (names.roles, names.parts) if index in variable
                )

    def _fits(self, name: str, token: TokenIndex) -> bool:
        """Return whether Tailwind makes no other utilities of a property in ``@theme`` than its own."""
        return name == f"--{self.names.themed.get(token)}" or name[2:].partition("-")[0] not in RESERVED_WORDS

    def _with_inlined(self, text: str) -> str:
        """Return a text with the values of properties that are not declared, which Tailwind inserts."""
        if not self._variable_of or "var(" not in text:
            return text
        of = self._variable_of
        return _REFERENCE.sub(lambda match: f"--theme({of[match[1]]})" if match[1] in of else match[0], text)


_MERGED_SCALES = (
    *("blur", "breakpoint", "container", "ease", "font", "font-weight", "leading", "radius", "shadow", "spacing"),
    *("text", "tracking", "aspect", "drop-shadow", "inset-shadow", "perspective", "text-shadow"),
)
"""The namespaces in the theme of tailwind-merge, which takes every name for a colour anyway."""
_SIDES = ("", "-x", "-y", "-s", "-e", "-t", "-r", "-b", "-l")
_MERGED_GROUPS = {
    "background-image": (("bg-image", "bg"),),
    "border-width": tuple((f"border-w{side}", f"border{side}") for side in _SIDES),
    "transition-duration": (("duration", "duration"),),
    **{space: ((space, space),) for space in ("opacity", "columns", "size")},
    **{f"{space}width": ((f"{space}w", f"{space}w"),) for space in ("", "max-", "min-")},
    **{space: ((space[0], space[0]),) for space in ("height", "z-index")},
}
"""The groups and the beginnings of classes in other namespaces."""


def _merge_configuration(names: Names, prefix: str) -> bytes:
    """Return the argument of ``extendTailwindMerge``."""
    ends: dict[str, dict[str, None]] = {}
    for index, name in names.themed.items():
        space = names.spaces[index]
        if name != space:
            ends.setdefault(space, {})[class_end(space, name)] = None
    for style in names.styles.values():
        for space in ("text", "font"):
            ends.setdefault(space, {})[style] = None
    extension = {
        "theme": {space: [*ends[space]] for space in _MERGED_SCALES if space in ends},
        "classGroups": {
            group: [{beginning: [*ends[space]]}]
            for space, groups in _MERGED_GROUPS.items()
            if space in ends
            for group, beginning in groups
        },
    }
    whole = {**({"prefix": prefix} if prefix else {}), "extend": extension}
    return json.format(json.encode(whole)) + b"\n"


def _sizes_of_containers(output: Output, names: Names, options: TailwindOptions) -> Iterator[Row]:
    """Yield the variables with which sizes named like a container are those of the container, in each theme."""
    own = {
        name.removeprefix("container-"): f"var({output.names[index]})"
        for index, name in names.themed.items()
        if names.spaces[index] == "container"
    }
    of_tailwind = () if "container" in options.reset else CONDITIONS["container"]
    containers = {end: f"var({_prefix(options)}container-{end})" for end in of_tailwind} | own
    sizes = [name.removeprefix("spacing-") for name in names.themed.values() if name.startswith("spacing-")]
    renamed = [end for end, text in own.items() if options.prefix or text != f"var(--container-{end})"]
    for end in dict.fromkeys((*sizes, *renamed)):
        if end in containers:
            yield from ((f"--{space}-{end}", containers[end], "") for space in SIZES)


def _dark_rules(cascade: Cascade) -> list[DarkRule]:
    """Return the rules of the variant ``dark``: the elements where the blocks declare the dark ``color-scheme``.

    No selector finds the closest of several ancestors, so elements are found in up to four contexts that alternate.
    """
    scheme = cascade.scheme
    if scheme is None:
        return []
    selectors: dict[str, list[str]] = {"light": [], "dark": []}
    for choice in cascade.themes.contexts:
        if scheme.axis in choice.states:
            selectors[scheme.schemes[choice.states[scheme.axis]]].append(choice.selectors[0])
    dark, light = (_any_of(of_scheme) for of_scheme in (selectors["dark"], selectors["light"]))
    rules: list[DarkRule] = []
    if dark and light:
        within, again = f"{dark} {light}", f"{dark} {light} {dark}"
        rules.append(
            DarkRule("", ",\n".join((f":is({dark}, {dark} *):not({within}, {within} *)", again, f"{again} *")))
        )
    elif dark:
        rules.append(DarkRule("", ",\n".join((dark, f"{dark} *"))))
    chosen = _any_of([*selectors["dark"], *selectors["light"]])
    outside = f":not({chosen}, {chosen} *)" if chosen else "*"
    rules += [DarkRule(media, outside) for media in _dark_queries(scheme, cascade.themes.system)]
    return rules


def _any_of(selectors: list[str]) -> str:
    text = ", ".join(selectors)
    return f":is({text})" if "," in text else text


def _dark_queries(scheme: Scheme, system: Iterable[Choice]) -> Iterator[str]:
    """Yield the media queries for which the root is dark while no element chooses a theme; an empty one for always."""
    chosen = [
        (choice.appearance, choice.states[scheme.axis])
        for choice in system
        if choice.appearance and scheme.axis in choice.states
    ]
    dark: dict[str, list[str]] = {}
    for requested, contrast in product(("dark", "light"), ("", "more")):
        states = [state for look, state in chosen if look.scheme in ("", requested) and look.contrast in ("", contrast)]
        if scheme.schemes[states[-1] if states else 0] == "dark":
            dark.setdefault(requested, []).append(contrast)
    if list(dark.values()) == [["", "more"]] * 2:
        yield ""
        return
    for requested, contrasts in dark.items():
        query = f"(prefers-color-scheme: {requested})"
        if len(contrasts) == 1:
            query += " and (prefers-contrast: more)" if contrasts[0] else " and (not (prefers-contrast: more))"
        yield query


def _prefix(options: TailwindOptions) -> str:
    """Return the prefix of Tailwind's variables outside ``@theme``; Tailwind adds it to those in ``@theme``."""
    return f"--{options.prefix}-" if options.prefix else "--"


def _defaults(rules: Iterable[Rule], names: Names, root: str) -> dict[TokenIndex, str]:
    """Return the values of breakpoints and containers on the root in the default theme."""
    defaults: dict[TokenIndex, str] = {}
    for rule in rules:
        if not rule.conditions and f"{rule.selector},".startswith(f"{root},"):
            values = rule.defaults or [value for _, value, _ in rule.rows]
            of_rule = zip(rule.tokens, values, strict=True)
            defaults |= {index: value for index, value in of_rule if value != INVALID}
    return {index: defaults[index] for index in names.themed if index in defaults and names.spaces[index] in CONDITIONS}


def _differing(rules: Iterable[Rule], defaults: Mapping[TokenIndex, str]) -> set[TokenIndex]:
    """Return the breakpoints and containers whose default value another block changes."""
    return {
        index
        for rule in rules
        for index, (_, value, _) in zip(rule.tokens, rule.rows, strict=True)
        if index in defaults and value != defaults[index]
    }


def _report_conditions(
    output: Output,
    names: Names,
    defaults: Mapping[TokenIndex, str],
    differing: set[TokenIndex],
    options: TailwindOptions,
) -> None:
    """Report breakpoints and containers that a theme changes, and those that Tailwind cannot sort."""
    first_of_rem = {
        (space, number): (f"{number}rem", f"Tailwind's {name}")
        for space, names_of_space in CONDITIONS.items()
        for name, number in names_of_space.items()
        if space not in options.reset and f"{space}-{name}" not in names.themed.values()
    }
    for index, value in defaults.items():
        space = names.spaces[index]
        label = token_label(output.graph, output.tokens[index].key)
        if index in differing:
            variant = readable(names.themed[index].removeprefix(f"{space}-"))
            output.problems.append(_varies(label, f"@{variant}" if space == "container" else variant, value))
        if value.endswith("rem"):
            rem_ = int(float(value.removesuffix("rem")))
            first_value, owner = first_of_rem.setdefault((space, rem_), (value, label))
            if value != first_value:
                pixels = options.base if space == "container" else PIXELS_PER_REM
                output.problems.append(_unordered(label, value, f"{first_value} ({owner})", rem_, pixels))


def _varies(label: str, variant: str, value: str) -> Problem:
    what = f"a theme changes it, but Tailwind's variant {variant} is {value} in every theme"
    advice = "give it one value in all modes, or a name that does not make it a breakpoint or a container"
    return problem("breakpoint-varies", label, what, advice)


def _unordered(label: str, value: str, other: str, rem_: int, pixels: float) -> Problem:
    what = f"Tailwind sorts variants by whole rem, so the order of {value} and {other} is undefined"
    below, above = (f"{each}rem ({shortest(normalized(each * pixels))}px)" for each in (rem_, rem_ + 1))
    return problem("breakpoint-order", label, what, f"make it less than {below} or at least {above}")
