"""Roles of Material 3, and the tokens of an output that fill them.

A role is filled by the mapping of the options, else by code syntax for Android that names it
(``MaterialTheme.colorScheme.primary``, ``?attr/colorPrimary``), else, if the options say so, by the token's name
(``md.sys.color.on-primary``, ``Schemes/On Primary``). The roles are those of m3.material.io: color roles, type scale,
corner radius.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from msgspec import Meta, Struct, field

from tokensync.generate.naming import token_label
from tokensync.generate.naming.rules import path_words, words
from tokensync.generate.target import matcher
from tokensync.normalize.mapping import name_of_path
from tokensync.system.outlet import readable
from tokensync.system.problems import problem
from tokensync.system.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from tokensync.generate.output import Output
    from tokensync.tokens.resolver import TokenIndex


class Role(NamedTuple):
    """A role of Material; ``attribute`` is its theme attribute in XML, empty if it has none.

    ``is_usual`` is false for roles that themes seldom set: they are the primary colour or black, or new.
    """

    name: str
    kind: Literal["color", "typography", "length"]
    attribute: str
    is_usual: bool = True


def _accents() -> Iterator[Role]:
    for accent in ("primary", "secondary", "tertiary", "error"):
        name = accent.capitalize()
        for role in (accent, f"on{name}", f"{accent}Container", f"on{name}Container"):
            yield Role(role, "color", f"color{role[0].upper()}{role[1:]}")
    for accent in ("primary", "secondary", "tertiary"):
        name = accent.capitalize()
        for role in (f"{accent}Fixed", f"{accent}FixedDim", f"on{name}Fixed", f"on{name}FixedVariant"):
            yield Role(role, "color", f"color{role[0].upper()}{role[1:]}", is_usual=False)


_SURFACES = {
    "background": "android:colorBackground",
    "onBackground": "colorOnBackground",
    "surface": "colorSurface",
    "onSurface": "colorOnSurface",
    "surfaceVariant": "colorSurfaceVariant",
    "onSurfaceVariant": "colorOnSurfaceVariant",
    "surfaceBright": "colorSurfaceBright",
    "surfaceDim": "colorSurfaceDim",
    "surfaceContainerLowest": "colorSurfaceContainerLowest",
    "surfaceContainerLow": "colorSurfaceContainerLow",
    "surfaceContainer": "colorSurfaceContainer",
    "surfaceContainerHigh": "colorSurfaceContainerHigh",
    "surfaceContainerHighest": "colorSurfaceContainerHighest",
    "inverseSurface": "colorSurfaceInverse",
    "inverseOnSurface": "colorOnSurfaceInverse",
    "inversePrimary": "colorPrimaryInverse",
    "outline": "colorOutline",
    "outlineVariant": "colorOutlineVariant",
    "surfaceTint": "",
    "scrim": "",
}
_DERIVED = ("surfaceTint", "scrim")
_TYPE_SCALE = [
    f"{style}{size}"
    for style in ("display", "headline", "title", "body", "label")
    for size in ("Large", "Medium", "Small")
]
_CORNERS = ("extraSmall", "small", "medium", "large", "extraLarge")
ROLES = {
    role.name: role
    for role in (
        *_accents(),
        *(Role(name, "color", attribute, name not in _DERIVED) for name, attribute in _SURFACES.items()),
        *(Role(name, "typography", f"textAppearance{name[0].upper()}{name[1:]}") for name in _TYPE_SCALE),
        *(Role(name, "length", f"shapeAppearanceCorner{name[0].upper()}{name[1:]}") for name in _CORNERS),
    )
}
"""The roles by their names in Compose."""

_BY_ATTRIBUTE = {role.attribute.rpartition(":")[2]: role for role in ROLES.values() if role.attribute}
_BY_WORDS = {(role.kind, words(role.name)): role for role in ROLES.values()}
_GROUPS = {
    "color": frozenset("md m3 material sys color colors colour colours scheme schemes role roles theme".split()),
    "typography": frozenset(
        "md m3 material sys static typescale type typography text font fonts style styles theme".split()
    ),
    "length": frozenset("md m3 material sys shape shapes corner corners radius radii border theme".split()),
}
"""Words that can stand before the words of a role in a token's path."""
_OF_CORNERS = frozenset("shape shapes corner corners radius radii".split())
"""One of these is necessary: a size or a space can be ``small``, too."""
_NOUNS = {"color": "color", "typography": "text style", "length": "dimension"}
_CODE_SYNTAX = (
    r"(?:^|[^\w.])(?:\w+\.)*MaterialTheme\.(?:colorScheme|typography|shapes)\.(?P<name>\w+)"
    r"|(?:\?(?:[a-z][\w.]*:)?(?:attr/)?|(?:^|[^\w])(?:[\w.]+\.)?R\.attr\.)(?P<attribute>\w+)"
)

TokenPath = Annotated[str, Meta(max_length=500)]
RoleName = Annotated[str, Meta(min_length=1, description="A role of Material as in Compose, such as `onPrimary`.")]


def is_corner(path: str) -> bool:
    """Return whether the names of a path say that it is of a corner."""
    return not _OF_CORNERS.isdisjoint(path_words(path))


class Material(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which tokens fill Material's roles; a role of which the path is empty has Material's own value."""

    roles: Annotated[
        dict[RoleName, TokenPath],
        Meta(description="The path of the token of a role: `accent/base`, or `theme/accent/base` with the collection."),
    ] = field(default_factory=dict)
    names: Annotated[
        bool, Meta(description="Whether tokens named like a role fill it: `md/sys/color/on-primary`, `On Primary`.")
    ] = False

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the option path and the error of each unknown role."""
        for name in self.roles:
            if name not in ROLES:
                closest = get_close_matches(name, ROLES, 1) or ["primary"]
                yield ("roles", name), f"Material has no role {name!r:.80}; write one like {closest[0]!r}"


def roles_of(
    output: Output,
    options: Material,
    known: Collection[str] = ROLES.keys(),
    former: Mapping[str, str] = MappingProxyType({}),
) -> dict[Role, TokenIndex]:
    """Return the tokens of the filled roles, in Material's order; report conflicts and the roles that none fills.

    ``known`` are the names of the roles that the platform has. A role that is not filled has the token of its
    ``former`` one.
    """
    claims = _Claims(output)
    for name, path in options.roles.items():
        claims.add_rule(ROLES[name], path)
    claims.add(claims.by_code_syntax())
    claims.withdraw_unusable()
    if options.names:
        claims.add(claims.by_names())
    for name, other in former.items():
        if ROLES[other] in claims.filled:
            claims.add([(ROLES[name], claims.filled[ROLES[other]])])
    claims.report_unfilled(known, claims.report_names({*known, *former.values()}) if not options.names else ())
    return {role: claims.filled[role] for name, role in ROLES.items() if name in known and role in claims.filled}


class _Claims:
    """The tokens that can fill roles, and those that do."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.filled: dict[Role, TokenIndex] = {}
        self._excluded: set[Role] = set()
        self._table = output.graph.table
        kinds = output.resolution.kinds
        self._candidates = [index for index in output.declared if kinds[index] in _NOUNS and output.kinds[index]]

    def add_rule(self, role: Role, path: str) -> None:
        """Let the token with this path fill a role; an empty path lets none do so."""
        if not path:
            self._excluded.add(role)
            return
        matches, kinds = matcher((path,), default=False), self.output.resolution.kinds
        paths = {index: self._path(index) for index in self._candidates if kinds[index] == role.kind}
        matching = [index for index, name in paths.items() if matches(name)]
        matching = matching or [index for index in paths if matches(self._full_path(index))]
        if matching:
            self.filled[role] = matching[0]
        if len(matching) > 1:
            labels = listed([self._label(index) for index in matching])
            to_do = f"name only one, such as {readable(self._full_path(matching[0]))}"
            self._report(role, f"{readable(path)} stands for {labels}, of which the first fills it", to_do)
        elif not matching:
            closest = get_close_matches(path, (*paths.values(), *map(self._full_path, paths)), 1)
            what = f"no {_NOUNS[role.kind]} of the output has the path {readable(path)}"
            self._report(role, what, f"name one such as {readable(closest[0])}" if closest else "correct the path")

    def add(self, claims: Iterable[tuple[Role, TokenIndex]]) -> None:
        """Let tokens fill roles that no rule fills; of several, the first does."""
        of_role: dict[Role, list[TokenIndex]] = {}
        for role, index in claims:
            if role not in self.filled and role not in self._excluded:
                of_role.setdefault(role, []).append(index)
        for role, indices in of_role.items():
            self.filled[role] = indices[0]
            if len(indices) > 1:
                first, *others = map(self._label, indices)
                what = f"{first} fills it, although {listed(others)} could, too"
                path = readable(self._full_path(indices[0]))
                self._report(role, what, f'name its token in the option material: roles = {{ {role.name} = "{path}" }}')

    def by_code_syntax(self) -> Iterator[tuple[Role, TokenIndex]]:
        """Yield the roles that code syntax for Android names, and their tokens."""
        kinds = self.output.resolution.kinds
        for index in self._candidates:
            text = dict(self._table.code_syntax[index]).get("ANDROID", "")
            match = re.search(_CODE_SYNTAX, text) if text else None
            if match:
                role = _BY_ATTRIBUTE.get(match["attribute"]) if match["attribute"] else ROLES.get(match["name"])
                if role is not None and role.kind == kinds[index]:
                    yield role, index

    def withdraw_unusable(self) -> None:
        """Withdraw the problems of code syntax that names no token, but the role that its token fills."""
        labels = {self._label(index) for index in self.filled.values()}
        self.output.problems = [
            problem
            for problem in self.output.problems
            if problem.code != "code-syntax-unusable" or problem.where not in labels
        ]

    def by_names(self) -> Iterator[tuple[Role, TokenIndex]]:
        """Yield the roles that tokens are named after, and their tokens."""
        kinds, paths = self.output.resolution.kinds, self._table.paths
        for index in self._candidates:
            kind, spelled = kinds[index], path_words(paths[index])
            if kind == "length" and not is_corner(paths[index]):
                continue
            at = next((at for at, word in enumerate(spelled) if word not in _GROUPS[kind]), 0)
            name = spelled[at:]
            if name[-1:] == ("foreground",):  # as shadcn/ui calls what lies on a colour: primary-foreground
                name = ("on", *(name[:-1] or ("background",)))
            role = _BY_WORDS.get((kind, name))  # type: ignore[arg-type]
            if role is not None:
                yield role, index

    def report_names(self, known: Collection[str]) -> Collection[Role]:
        """Report and return the unfilled roles that tokens are named after."""
        proposed: dict[Role, TokenIndex] = {}
        for role, index in self.by_names():
            if role.name in known and role not in self.filled and role not in self._excluded:
                proposed.setdefault(role, index)
        if proposed:
            what = f"{counted(len(proposed), 'token')} {'has' if len(proposed) == 1 else 'have'} the name of a role"
            to_do = "set names = true in the option material to let them fill these roles"
            names = [f"{self._label(index)} as {role.name}" for role, index in proposed.items()]
            self.output.problems.append(problem("material-roles-possible", self._where, what, to_do, names))
        return proposed

    def report_unfilled(self, known: Collection[str], proposed: Collection[Role]) -> None:
        """Report the other roles that no token fills, apart from those that are excluded or unusual."""
        usual = [role for role in ROLES.values() if role.name in known and role.is_usual]
        settled = {*self.filled, *self._excluded, *proposed}
        unfilled = [role.name for role in usual if role not in settled]
        if unfilled:
            what = f"no token fills {len(unfilled)} of {len(usual)} roles; Material's own values are used"
            to_do = 'name tokens in the option material: roles = { primary = "path/of/token" }'
            self.output.problems.append(problem("material-roles-unfilled", self._where, what, to_do, unfilled))

    @property
    def _where(self) -> str:
        return f"{self.output.request.platform} / Material"

    def _path(self, index: TokenIndex) -> str:
        return name_of_path(self._table.paths[index])

    def _full_path(self, index: TokenIndex) -> str:
        return f"{self._table.keys[index].collection}/{self._path(index)}"

    def _label(self, index: TokenIndex) -> str:
        return token_label(self.output.graph, self._table.keys[index])

    def _report(self, role: Role, what: str, to_do: str) -> None:
        self.output.problems.append(problem("material-role-contested", f"{self._where} / {role.name}", what, to_do))
