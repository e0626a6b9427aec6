"""Tailwind: ``theme.css``, with the tokens of utilities in ``@theme``, and the blocks of themes as in a css output.

Tailwind copies the value of a shadow in ``@theme`` into its utilities. If a theme changes it, ``@theme`` refers to a
plain property with the value, and the blocks of themes declare both. Breakpoints and containers are copied into
conditions, which cannot contain references, so they have their default value in every theme. They are in rem like
Tailwind's own, since Tailwind sorts rules by unit first.

Tailwind looks the sizes of `w-`, `min-w-`, `max-w-` and `basis-` up in a namespace of their own, then among spacings,
then among containers. So that a spacing `md` does not take `max-w-md`, the first of these refer to the container.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import chain, count, islice, product
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field, json

from tokensync.generate import notation
from tokensync.generate.naming import references_in, rendered_bytes, token_label
from tokensync.generate.naming.rules import path_words
from tokensync.generate.naming.templates import Template, doc
from tokensync.generate.target import OutputFile, Target, options_of
from tokensync.generate.targets.css import (
    WIDE_COLORS,
    AttributeName,
    BrandAxis,
    Colors,
    Composed,
    CssOptions,
    Dimensions,
    PixelsOfRem,
    Profile,
    Themes,
)
from tokensync.generate.targets.css.render import INVALID, Block, Cascade, Declaration
from tokensync.generate.targets.css.texts import Notation, output_of, rem
from tokensync.system.outlet import readable
from tokensync.system.problems import problem
from tokensync.tokens import Quantity, normalized, shortest
from tokensync.tokens.paths import names as path_names
from tokensync.tokens.resolver import NO_TOKEN
from tokensync.tokens.values import PIXELS_PER_REM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.generate.naming import CodeReferences
    from tokensync.generate.naming.rules import Words
    from tokensync.generate.output import Output, Resolution
    from tokensync.generate.target import OutputRequest
    from tokensync.generate.targets.css.render import Row, Rule
    from tokensync.generate.targets.css.themes import Choice, Scheme
    from tokensync.system.problems import Problem
    from tokensync.tokens import Literal as TokenLiteral
    from tokensync.tokens import Token, TokenKey
    from tokensync.tokens.resolver import TokenIndex

    TokenRow = tuple[TokenIndex, Row]
    """A declaration with its token, or ``NO_TOKEN``."""


Prefix = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]*$(?!\n)", description='The prefix in `@import "tailwindcss" prefix(tw)`: lower-case letters.'
    ),
]


Namespace = Literal[
    "background-image",
    "blur",
    "border-width",
    "breakpoint",
    "color",
    "container",
    "ease",
    "font",
    "font-weight",
    "leading",
    "opacity",
    "radius",
    "shadow",
    "spacing",
    "text",
    "tracking",
    "transition-duration",
]


class TailwindOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a tailwind output; those of values and themes are the same as for css."""

    static: Annotated[bool, Meta(description="Write `@theme static`, so that Tailwind keeps unused variables.")] = False
    prefix: Prefix = ""
    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)
    properties: Annotated[
        Literal["code-syntax", "all", "none"],
        Meta(
            description="The tokens in `@theme` that are also properties with their CSS names: those whose code syntax "
            "contains the property, all, or none."
        ),
    ] = "code-syntax"
    reset: Annotated[
        tuple[Namespace, ...],
        Meta(description="The namespaces without Tailwind's own names, such as `color` and `breakpoint`."),
    ] = ()
    merge: Annotated[
        bool, Meta(description="Also write `tailwind-merge.json`, with which tailwind-merge knows the classes.")
    ] = False


TARGET = Target("tailwind", "a Tailwind theme", TailwindOptions, names_of="css", wide_colors=WIDE_COLORS)


class DarkRule(NamedTuple):
    """A rule of the variant ``dark``."""

    media: Annotated[str, doc("the media query of the rule, or empty", "(prefers-color-scheme: dark)")]
    selector: Annotated[
        str, doc("the elements with a dark theme, one selector per line", '[data-theme="dark"],\n[data-theme="dark"] *')
    ]


class Theme(Struct, frozen=True):
    """The style sheet to import after Tailwind."""

    static: Annotated[bool, doc("whether Tailwind keeps unused variables", False)]
    dark: Annotated[list[DarkRule], doc("the rules of the variant `dark`; none without light and dark modes")]
    theme: Annotated[list[Declaration], doc("the variables of `@theme`, without Tailwind's prefix")]
    inline: Annotated[list[Declaration], doc("the variables of `@theme inline`, which utilities replace by the value")]
    blocks: Annotated[list[Block], doc("plain properties, then a block per theme, with Tailwind's prefix")]


TEMPLATES = (Template("tailwind/theme.css.j2", "tailwind", "`theme.css`: `@theme` and the themes' blocks.", Theme),)


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
_ENDINGS = {**_BEGINNINGS, "text": (*_BEGINNINGS["text"], "size")}
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
COPIED = ("shadow",)
"""The namespaces whose values Tailwind copies into utilities; other utilities refer to the variable.

Tailwind also copies those of `inset-shadow`, `drop-shadow` and `text-shadow`, which no token is in.
"""
_OF_LENGTHS = ("text", "leading", "tracking", "radius", "border-width", "blur", "spacing")
_PERCENTAGES = {"percentage": "opacity", "number": "fraction"}
"""The kinds of opacities, which have a percent sign: the modifier of ``bg-black/50`` mixes by ``var(--opacity-50)``."""
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


_DOTTED = re.compile(r"(\d+)\.(\d+)")
_UNDERSCORE = re.compile(r"(?<=\d)_(?=\d+$)")
_GROUPS = ("size-", "dimension-")
"""Words before that of a namespace, as in ``size/radius/100``, that are not repeated."""
_PARTS_OF_SIZES = {"leading": "--line-height", "tracking": "--letter-spacing", "font-weight": "--font-weight"}
"""The namespaces of single tokens that Tailwind can apply together with a size, and the suffix of its variable."""
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

    ``themed`` are names within ``@theme``, ``styles`` those of text styles in the namespaces ``text`` and ``font``;
    other tokens are plain properties. ``spaces`` are the namespaces, empty for plain properties. ``values`` are the
    names of plain properties for values that Tailwind copies, and ``aliases`` those of properties with the value of a
    variable in ``@theme``. ``parts`` are the names of further variables that refer to the token, as the line height of
    a size. ``roles`` are those for utilities of one role of a colour, as ``text-muted`` beside ``text-text-muted``.
    """

    themed: dict[TokenIndex, str]
    styles: dict[TokenIndex, str]
    spaces: dict[TokenIndex, str]
    values: dict[TokenIndex, str]
    aliases: dict[TokenIndex, str]
    parts: dict[TokenIndex, str]
    roles: dict[TokenIndex, str]


def names_of(output: Output, properties: str = "none", prefix: str = "") -> Names:
    """Return the unique names of all declared tokens, by the options ``properties`` and ``prefix``."""
    stems, paths = _stems(output), output.graph.table.paths
    spaces = {
        index: "opacity"
        if index in output.resolution.opacities
        else namespace_of(output.tokens[index], output.kinds[index] or "", stem)
        for index, stem in stems.items()
    }
    names = Names({}, {}, spaces, {}, {}, {}, {})
    styled = {
        name
        for index, stem in stems.items()
        if output.kinds[index] == "typography"
        for name in islice(_choices("text", stem), 1)
    }
    used = {_body(output, index) for index, space in spaces.items() if not space}
    for index, space in spaces.items():
        if space:
            choices = _themed_choices(space, stems[index], _body(output, index), styled)
            if "%" in paths[index] and (match := _DOTTED.fullmatch(path_names(paths[index])[-1])):
                choices = _with_dots(choices, match[1], match[2])
            names.themed[index] = _first(choices, lambda name: name not in used and name not in _KEYWORD_SPACINGS)
            used.add(names.themed[index])
        elif output.kinds[index] == "typography":
            choices = chain(_choices("text", stems[index], 1), _choices("text", _body(output, index)))
            names.styles[index] = _first(choices, lambda name: name not in used).removeprefix("text-")
            used.update(f"{part}-{names.styles[index]}" for part in ("text", "font"))
    for index, name in names.themed.items():
        if spaces[index] in COPIED:
            names.values[index] = _first(_numbered(f"{name}-value"), lambda each: each not in used)
            used.add(names.values[index])
    if properties != "none":
        texts = output.graph.table.code_syntax
        for index in names.themed:
            body = _body(output, index)
            if (prefix or body not in used) and (properties == "all" or _is_property(body, texts[index])):
                names.aliases[index] = body
    _add_parts_of_sizes(output, names, used)
    _add_roles(names, used)
    return names


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
    stems = {index: _body(output, index) for index in output.declared}
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
    yield from _without_ending(space, stem, styled)
    yield from _choices(space, stem, 1)
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


def _is_property(body: str, code_syntax: tuple[tuple[str, str], ...]) -> bool:
    """Return whether the code syntax for the web contains a custom property."""
    text = dict(code_syntax).get("WEB", "")
    return f"--{body}" in text and f"--{body}" in references_in(text)


def code_references(resolution: Resolution, request: OutputRequest, *, exact: bool) -> CodeReferences:
    """Return the custom property of each token, if it has one, then the variable in ``@theme``."""
    options = options_of(request, TailwindOptions)
    output = output_of(resolution, request, Notation(CssOptions()))
    names = names_of(output, options.properties, options.prefix)
    texts: CodeReferences = {}
    for index in [index for index, _, _ in output.default_rows()] if exact else output.declared:
        themed = names.themed.get(index)
        plain = output.names[index] if themed is None or index in names.aliases else ""
        variables = filter(None, (plain, f"{_prefix(options)}{themed}" if themed else ""))
        texts[output.tokens[index].key] = tuple(text for name in variables for text in (f"var({name})", name))
    return texts


def theme_names(resolution: Resolution, request: OutputRequest) -> Iterator[tuple[TokenKey, str, str]]:
    """Yield tokens with the name of a variable without ``--``, and with the end of the classes made of it.

    ``--color-accent`` makes ``bg-accent`` and others, whose end is ``accent``.
    """
    options = options_of(request, TailwindOptions)
    output = output_of(resolution, request, Notation(CssOptions()))
    names = names_of(output, options.properties, options.prefix)
    prefix = _prefix(options).removeprefix("--")
    for index in output.declared:
        key, styles = output.tokens[index].key, names.styles.get(index)
        if (name := names.themed.get(index)) is not None:
            space = names.spaces[index]
            yield key, f"{prefix}{name}", _class_end(space, name)
        if (role := names.roles.get(index)) is not None:
            yield key, f"{prefix}{role}", role.split("-", 2)[2]
        if styles is not None:
            yield from ((key, f"{prefix}{space}-{styles}", styles) for space in ("text", "font"))


def _class_end(space: str, name: str) -> str:
    """Return the end of the classes that a variable makes: ``0.5`` for ``--spacing-0_5``."""
    return _UNDERSCORE.sub(".", name.removeprefix(f"{space}-"))


def namespace_of(token: Token, kind: str, body: str) -> str:
    """Return the namespace of a token other than an opacity by its kind, name and scopes; empty without a utility."""
    if kind in ("dimension", "length", "text-length"):
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
    for each in _BEGINNINGS[namespace]:
        if body == each:
            return ""
        if body.startswith(f"{each}-"):
            return body[len(each) + 1 :]
    return None


def _without_ending(namespace: str, body: str, styled: set[str]) -> Iterator[str]:
    """Yield the name without a suffix that stands for the namespace, unless a text style has that name."""
    if _rest(namespace, body) is None:
        ending = next((each for each in _ENDINGS[namespace] if body.endswith(f"-{each}")), None)
        name = f"{namespace}-{body.removesuffix(f'-{ending}')}"
        if ending and name not in styled:
            yield name


def _choices(namespace: str, body: str, numbers: int | None = None) -> Iterator[str]:
    rest = _rest(namespace, body)
    if rest:
        yield f"{namespace}-{rest}"
    elif rest == "" and body == namespace and namespace in _BARE_NAMES:
        yield namespace
    yield from islice(_numbered(f"{namespace}-{body}"), numbers)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _first(choices: Iterator[str], is_free: Callable[[str], bool]) -> str:
    return next(choice for choice in choices if is_free(choice))


def _body(output: Output, index: TokenIndex) -> str:
    return output.names[index].removeprefix("--")


ROOT = ":root, :host"
"""The selector with which Tailwind declares the variables of ``@theme``."""
_NEXT = ",\n"
_ROOT_LINES = ROOT.replace(", ", _NEXT)


def _css_options(options: TailwindOptions) -> CssOptions:
    return CssOptions(
        colors=options.colors,
        profile=options.profile,
        composed=options.composed,
        dimensions=options.dimensions,
        base=options.base,
        root=ROOT,
        attribute=options.attribute,
        brand_axis=options.brand_axis,
        themes=options.themes,
        form="switches",
        fallbacks=True,
        comments="all",
    )


def render(resolution: Resolution, request: OutputRequest) -> tuple[list[OutputFile], list[Problem]]:
    """Return ``theme.css``, and the configuration of tailwind-merge if the options require it."""
    options = options_of(request, TailwindOptions)
    css_options = _css_options(options)
    spelling = Notation(css_options)
    # A rem in a media query is that of the browser; in a container query, it is that of the page.
    spelling.literals |= {"opacity": notation.percent, "fraction": partial(notation.percent, digits=2)}
    spelling.literals["breakpoint"] = partial(_in_rem, base=PIXELS_PER_REM)
    spelling.literals["container"] = partial(_in_rem, base=options.base)
    output = output_of(resolution, request, spelling)
    names = names_of(output, options.properties, options.prefix)
    for index, name in names.themed.items():
        output.names[index] = f"{_prefix(options)}{name}"
        if names.spaces[index] in CONDITIONS:
            output.kinds[index] = names.spaces[index]
        elif names.spaces[index] == "opacity":
            output.kinds[index] = _PERCENTAGES[output.kinds[index] or ""]
    cascade = Cascade(output, css_options, spelling)
    blocks = list(cascade.blocks())
    defaults = _defaults(output, blocks)
    others = [block for block in blocks if not block.is_default]
    differing = _differing(defaults, others, names)
    _report_conditions(output, names, defaults, differing, options)
    writer = _Writer(output, names, _prefix(options), differing & names.values.keys())
    theme, plain = writer.default_declarations(defaults)
    plain += writer.rows(row for block in blocks if block.is_default for row in _rows(block) if _is_absent(row))
    written = (
        (
            rule.conditions,
            _ROOT_LINES + rule.selector.removeprefix(ROOT) if rule.selector.startswith(ROOT) else rule.selector,
            writer.rows(_rows(rule)),
        )
        for rule in others
    )
    valued = frozenset(index for index, _ in defaults)
    content = rendered_bytes(
        "tailwind/theme.css.j2",
        request.templates,
        static=options.static,
        dark=_dark_rules(cascade),
        theme=[*((f"--{space}-*", INVALID, "") for space in options.reset), *theme],
        inline=[
            *(
                (f"--{role}", f"var({output.names[index]})", "")
                for index, role in names.roles.items()
                if index in valued
            ),
            *_sizes_of_containers(names, options),
        ],
        blocks=chain([((), _ROOT_LINES, plain)] if plain else [], _aliases(output, names, blocks), written),
    )
    files = [OutputFile("theme.css", content)]
    if options.merge:
        files.append(OutputFile("tailwind-merge.json", _merge_configuration(names, options.prefix)))
    return files, output.problems


_MERGED_SCALES = (
    *("blur", "breakpoint", "container", "ease", "font", "font-weight", "leading", "radius", "shadow", "spacing"),
    *("text", "tracking"),
)
"""The namespaces in the theme of tailwind-merge, which takes every name for a colour anyway."""
_SIDES = ("", "-x", "-y", "-s", "-e", "-t", "-r", "-b", "-l")
_MERGED_GROUPS = {
    "background-image": (("bg-image", "bg"),),
    "border-width": tuple((f"border-w{side}", f"border{side}") for side in _SIDES),
    "opacity": (("opacity", "opacity"),),
    "transition-duration": (("duration", "duration"),),
}
"""The groups and the beginnings of classes in other namespaces."""
_PRECEDING = {"text": "color", "border-width": "color", "background-image": "color", "font-weight": "font"}
"""The namespace that Tailwind takes a name from first, if both have it."""


def _merge_configuration(names: Names, prefix: str) -> bytes:
    """Return the argument of ``extendTailwindMerge``."""
    ends: dict[str, dict[str, None]] = {}
    for index, name in names.themed.items():
        space = names.spaces[index]
        if name != space:
            ends.setdefault(space, {})[_class_end(space, name)] = None
    for style in names.styles.values():
        for space in ("text", "font"):
            ends.setdefault(space, {})[style] = None
    of_space = {
        space: [end for end in several if end not in ends.get(_PRECEDING.get(space, ""), {})]
        for space, several in ends.items()
    }
    extension = {
        "theme": {space: of_space[space] for space in _MERGED_SCALES if of_space.get(space)},
        "classGroups": {
            group: [{beginning: of_space[space]}]
            for space, groups in _MERGED_GROUPS.items()
            if of_space.get(space)
            for group, beginning in groups
        },
    }
    whole = {**({"prefix": prefix} if prefix else {}), "extend": extension}
    return json.format(json.encode(whole)) + b"\n"


def _sizes_of_containers(names: Names, options: TailwindOptions) -> Iterator[Row]:
    """Yield the variables with which sizes named like a container remain those of the container."""
    themed = frozenset(names.themed.values())
    of_tailwind = () if "container" in options.reset else CONDITIONS["container"]
    for name in names.themed.values():
        size = name.removeprefix("spacing-")
        if size != name and (size in of_tailwind or f"container-{size}" in themed):
            yield from ((f"--{space}-{size}", f"var({_prefix(options)}container-{size})", "") for space in SIZES)


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
            DarkRule("", _NEXT.join((f":is({dark}, {dark} *):not({within}, {within} *)", again, f"{again} *")))
        )
    elif dark:
        rules.append(DarkRule("", _NEXT.join((dark, f"{dark} *"))))
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


def _aliases(output: Output, names: Names, blocks: Iterable[Rule]) -> Iterator[tuple[tuple[str, ...], str, list[Row]]]:
    """Yield the rule of the properties with the values of variables, if there are any."""
    # A property is computed where it is declared, so the rule needs the selectors of all rules with a variable.
    selectors = dict.fromkeys(_ROOT_LINES.split(_NEXT))
    written: set[TokenIndex] = set()
    for rule in blocks:
        of_rule = names.aliases.keys() & set(rule.tokens)
        written |= of_rule
        if of_rule:
            selectors |= dict.fromkeys(rule.selector.replace(ROOT, _ROOT_LINES).split(_NEXT))
    rows = [
        (f"--{name}", f"var({output.names[index]})", "") for index, name in names.aliases.items() if index in written
    ]
    if rows:
        yield (), _NEXT.join(selectors), rows


def _in_rem(value: TokenLiteral, base: float) -> str | None:
    return rem(normalized(value.number) if isinstance(value, Quantity) and value.unit == "px" else value, base)


def _prefix(options: TailwindOptions) -> str:
    """Return the prefix of names outside ``@theme``; Tailwind adds it to those in ``@theme``."""
    return f"--{options.prefix}-" if options.prefix else "--"


def _rows(rule: Rule) -> Iterator[TokenRow]:
    return zip(rule.tokens, rule.rows, strict=True)


def _defaults(output: Output, blocks: Iterable[Rule]) -> list[TokenRow]:
    """Return the declarations of the root in the default theme, in the order of the tokens.

    This includes properties that are declared again for each theme, since utilities come from ``@theme`` only.
    """
    rows: dict[str, TokenRow] = {}
    for block in blocks:
        if block.is_default:
            rows |= {row[1][0]: row for row in _rows(block) if not _is_absent(row)}
        elif not block.path and not block.conditions:
            rows |= {
                name: (token, (name, value, note))
                for (token, (name, _, note)), value in zip(_rows(block), block.defaults, strict=False)
                if value != INVALID or token == NO_TOKEN
            }
    rank = {index: at for at, index in enumerate(output.declared)}
    return sorted(rows.values(), key=lambda row: rank.get(row[0], -1))


def _is_absent(row: TokenRow) -> bool:
    """Return whether a token has no value here, which would remove a variable in ``@theme``."""
    token, (_, value, _) = row
    return token != NO_TOKEN and value == INVALID


def _safe(value: str) -> str:
    """Return the value with ``!important`` escaped, which Tailwind interprets even within a string."""
    return value.replace("!important", "\\21 important") if "!" in value else value


def _differing(defaults: Iterable[TokenRow], others: Iterable[Rule], names: Names) -> set[TokenIndex]:
    """Return the tokens whose default value Tailwind copies although another block changes it."""
    copied = {
        index: value
        for index, (_, value, _) in defaults
        if index in names.values or names.spaces.get(index) in CONDITIONS
    }
    return {index for block in others for index, row in _rows(block) if index in copied and row[1] != copied[index]}


def _report_conditions(
    output: Output,
    names: Names,
    defaults: Iterable[TokenRow],
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
    for index, (_, value, _) in defaults:
        space = names.spaces.get(index, "")
        if space not in CONDITIONS:
            continue
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


class _Writer(NamedTuple):
    """A writer of the rows of blocks, with Tailwind's variables of text styles after the parts that they refer to.

    ``copied_tokens`` are the tokens that need an additional plain property for their values.
    """

    output: Output
    names: Names
    prefix: str
    copied_tokens: AbstractSet[TokenIndex]

    def default_declarations(self, rows: Iterable[TokenRow]) -> tuple[list[Row], list[Row]]:
        """Return the default declarations of ``@theme``, without prefix, and those of plain properties."""
        theme: list[Row] = []
        plain: list[Row] = []
        themed, names = self.names.themed, self.output.names
        for index, (name, value, note) in rows:
            if index in self.copied_tokens:
                value_property = self._value_property(index)
                plain.append((value_property, _safe(value), note))
                theme.append((f"--{themed[index]}", f"var({value_property})", ""))
            elif index in themed and name == names[index]:
                theme.append((f"--{themed[index]}", _safe(value), note))
                theme += self._style_variables(index, name, "--")
            else:
                plain.append((name, _safe(value), note))
                theme += self._style_variables(index, name, "--")
        return theme, plain

    def rows(self, rows: Iterable[TokenRow]) -> list[Row]:
        """Return the declarations of any other block.

        References are computed where they are declared, so they are declared again with each value.
        """
        written: list[Row] = []
        for index, (name, value, note) in rows:
            if index in self.copied_tokens:
                value_property = self._value_property(index)
                written += [(value_property, _safe(value), note), (name, f"var({value_property})", "")]
            else:
                written.append((name, _safe(value), note))
                written += self._style_variables(index, name, self.prefix)
        return written

    def _value_property(self, index: TokenIndex) -> str:
        return f"{self.prefix}{self.names.values[index]}"

    def _style_variables(self, index: TokenIndex, name: str, prefix: str) -> Iterator[Row]:
        """Yield Tailwind's variable for a part of a text style or beside a size, if it has one."""
        if index in self.names.parts:
            yield f"{prefix}{self.names.parts[index]}", f"var({name})", ""
        style = self.names.styles.get(index)
        if style is not None:
            part = name[len(self.output.names[index]) + 1 :]
            for suffix, namespace, subproperty in STYLE_PARTS:
                if part == suffix:
                    yield f"{prefix}{namespace}-{style}{subproperty}", f"var({name})", ""
