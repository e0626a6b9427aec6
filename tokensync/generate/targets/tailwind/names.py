"""The names of tokens in ``@theme``, of which Tailwind makes utilities by their namespaces.

Tailwind looks the sizes of `w-`, `min-w-`, `max-w-` and `basis-` up in a namespace of their own, then among spacings,
then among containers. So that a spacing `md` does not take `max-w-md`, the first of these refer to the container.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming.rules import path_words
from tokensync.tokens.paths import names as path_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from tokensync.generate.naming.rules import Words
    from tokensync.generate.output import Output
    from tokensync.tokens import Token
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
    yield from _numbered(f"{namespace}-{body}")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _first(choices: Iterator[str], taken: AbstractSet[str]) -> str:
    return next(choice for choice in choices if choice not in taken)


def _body(output: Output, index: TokenIndex) -> str:
    return output.names[index].removeprefix("--")
