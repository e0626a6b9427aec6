"""Composite tokens that ``[[composites]]`` rules assemble from variables, since a variable can hold only one member.

``assembled`` changes a graph for outputs. Token files and the platform keep the variables, so a plan never reads such a
graph.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.normalize.mapping import name_of_path, path_of_name, shortened, slug
from tokensync.system.outlet.documents import in_toml
from tokensync.system.wording import counted, listed
from tokensync.tokens import Alias, ComposedColor, Composite, DanglingAlias, Token, TokenGraph, TokenKey, composites
from tokensync.tokens.composites import MEMBERS, fits, is_number
from tokensync.tokens.values import AS_TEXT, DURATIONS, KEYWORDS, LENGTHS, RELATIVE_UNITS, is_css, weight_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.settings import CompositeConfig
    from tokensync.tokens import FamilyKey, Value
    from tokensync.tokens.resolver import TokenIndex, TokenTable

ESSENTIAL = {
    "border": ("color", "width", "style"),
    "shadow": ("color",),
    "transition": ("duration", "timingFunction"),
    "typography": ("fontFamily", "fontSize"),
}
"""The types that a rule can assemble, with the members without which outputs omit a token."""

_SYNONYMS = {
    "border": "colour=color size=width weight=width",
    "shadow": "x=offsetX dx=offsetX y=offsetY dy=offsetY radius=blur blurradius=blur spreadradius=spread colour=color",
    "transition": "easing=timingFunction ease=timingFunction curve=timingFunction",
    "typography": "family=fontFamily font=fontFamily size=fontSize weight=fontWeight leading=lineHeight"
    " spacing=letterSpacing tracking=letterSpacing style=fontStyle case=textCase decoration=textDecoration",
}
_MEMBER_OF = {
    token_type: {
        **{member.lower(): member for member in MEMBERS[token_type]},
        **dict(pair.split("=") for pair in pairs.split()),
    }
    for token_type, pairs in _SYNONYMS.items()
}
"""The member that a name means, by type and by the name's letters and digits in lower case."""

_BRACES = re.compile(r"\{([^{}/*?]*)\}")
NUMBERED = re.compile(r"(.+)/([0-9]{1,3})")
"""The name of a group that can be a layer: that of the token, and a number."""
_NUMBER = r"\s*(-?[0-9]*\.?[0-9]+)\s*"
_MEASURE = re.compile(rf"{_NUMBER}(px|rem|em|%|ms|s)")
_CURVE = re.compile(rf"cubic-bezier\({','.join([_NUMBER] * 4)}\)")
Flaw = tuple[tuple[str, ...], str, str]
"""The setting of a rule, what is wrong with it, and the remedy."""


class Assembly(NamedTuple):
    """How a token was assembled: the index of its rule, and its parts."""

    rule: int
    parts: tuple[TokenKey, ...]


class Finding(NamedTuple):
    """A problem of a rule: its index, and the code, error and remedy."""

    rule: int
    code: str
    what: str
    what_to_do: str


class _Rule(NamedTuple):
    """A rule with its members: ``parts`` by their names in braces, ``constants`` as JSON, names of ``references``."""

    number: int
    config: CompositeConfig
    pattern: re.Pattern[str]
    name: str
    parts: Mapping[str, str]
    constants: Mapping[str, Any]
    references: Mapping[str, str]


class _Layer(NamedTuple):
    """A group of variables: the parts by their members, and the tokens that other members refer to."""

    parts: dict[str, TokenIndex]
    references: dict[str, TokenIndex]


class _Draft(NamedTuple):
    """A token to assemble from its layers, which is one unless the rule makes layers of numbered groups."""

    key: TokenKey
    rule: _Rule
    layers: tuple[_Layer, ...]

    @property
    def parts(self) -> list[TokenIndex]:
        """The indices of its parts."""
        return [index for layer in self.layers for index in layer.parts.values()]


class Assembled(NamedTuple):
    """A graph with the assembled tokens, how each was assembled, and the problems of rules."""

    graph: TokenGraph
    assemblies: Mapping[TokenKey, Assembly]
    findings: tuple[Finding, ...]


def member_of(token_type: str, name: str) -> str | None:
    """Return the member of a composite that a variable's last name means; None for an unknown name."""
    return _MEMBER_OF[token_type].get("".join(filter(str.isalnum, name)).lower())


def flaws(config: CompositeConfig) -> Iterator[Flaw]:
    """Yield what is wrong with a rule."""
    lists = _BRACES.findall(config.match)
    if len(lists) != 1:
        to_do = f"write the names of a group's variables once, as in */{{{','.join(MEMBERS[config.type])}}}"
        yield ("match",), f"it has {counted(len(lists), 'list')} in braces instead of one", to_do
        return
    members, names = MEMBERS[config.type], _names(config)
    named = {source for source in config.members.values() if isinstance(source, str)}
    given = {*config.members, *(member for name in names if (member := member_of(config.type, name)))}
    for name in names:
        if name not in named and member_of(config.type, name) is None:
            to_do = f"correct it, or give its member, as in members = {{ {next(iter(members))} = {in_toml(name)} }}"
            yield ("match",), f"{name!r:.80} means no member of a {config.type}", to_do
    for member in config.members:
        if member not in members:
            yield ("members", member), f"a {config.type} has no such member", f"use {', '.join(members)}"
            continue
        source = config.members[member]
        if source not in names and _reference(source) is None and json_of(members[member], source) is None:
            what = f"{shortened(str(source))} is not a {members[member]}"
            to_do = "write such a value, a token's name in braces, or a name from the braces of match"
            yield ("members", member), what, to_do
    if missing := [member for member in ESSENTIAL[config.type] if member not in given]:
        to_do = f"add {' and '.join(missing)} to the braces, or to members"
        yield ("match",), f"no variable is the {' or '.join(missing)} of the {config.type}", to_do
    if config.name.count("*") > config.match.count("*"):
        yield ("name",), "it has more * than match", "remove one"


def _names(config: CompositeConfig) -> list[str]:
    return [name.strip() for name in _BRACES.findall(config.match)[0].split(",")]


def _reference(source: object) -> str | None:
    """Return the name of a token in braces; None for anything else."""
    return source[1:-1] if isinstance(source, str) and source[:1] == "{" and source[-1:] == "}" else None


def json_of(part_type: str, value: Any) -> Any:
    """Return the JSON of a member from a value of the configuration or of a string variable; None if it is none."""
    measure = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    match part_type:
        case "boolean":
            return value if isinstance(value, bool) else None
        case "dimension" | "duration":
            if is_number(value):
                return {"value": value, "unit": "px" if part_type == "dimension" else "ms"}
            units = DURATIONS if part_type == "duration" else (*LENGTHS, *RELATIVE_UNITS)
            return {"value": float(measure[1]), "unit": measure[2]} if measure and measure[2] in units else None
        case "lineHeight":
            return value if is_number(value) else json_of("dimension", value)
        case "fontWeight":
            return weight_of(float(value) if is_number(value) else value)
        case "fontFamily":
            families = value.split(",") if isinstance(value, str) else value
            if not isinstance(families, list) or not all(isinstance(family, str) for family in families):
                return None
            plain = [*filter(None, (family.strip().strip("\"'") for family in families))]
            return plain or None
        case "strokeStyle":
            return value if value in composites.STROKES else None
        case "cubicBezier":
            call = _CURVE.fullmatch(value) if isinstance(value, str) else None
            numbers = [float(number) for number in call.groups()] if call else value
            is_curve = isinstance(numbers, list) and len(numbers) == 4 and all(map(is_number, numbers))
            return numbers if is_curve and 0 <= numbers[0] <= 1 and 0 <= numbers[2] <= 1 else None
        case "css":
            return value if isinstance(value, str) and is_css(value) else None
        case _:
            keyword = value.lower() if isinstance(value, str) else ""
            return keyword if keyword in KEYWORDS.get(part_type, ()) else None


def _read(number: int, config: CompositeConfig) -> _Rule:
    """Return a rule without flaws, with its pattern."""
    names, types = _names(config), MEMBERS[config.type]
    given = {source: member for member, source in config.members.items() if source in names}
    parts = {name: given.get(name) or member_of(config.type, name) or "" for name in names}
    before, _, after = _BRACES.split(config.match)
    alternatives = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    glob = f"{_glob(before)}({alternatives}){_glob(after)}"
    # As in fnmatch, an atomic group for each * that another one follows: no name makes the search slow.
    pieces = glob.split("*")
    pattern = pieces[0] + "".join(f"(?>(.*?){piece})" for piece in pieces[1:-1])
    pattern += f"(.*){pieces[-1]}" if len(pieces) > 1 else ""
    constants, references = {}, {}
    for member, source in config.members.items():
        if (name := _reference(source)) is not None:
            references[member] = name
        elif source not in names:
            constants[member] = json_of(types[member], source)
    name = config.name or (before.rstrip("/ _-") + after if before else after.lstrip("/ _-"))
    return _Rule(number, config, re.compile(pattern, re.DOTALL), name, parts, constants, references)


def _glob(text: str) -> str:
    """Return a part of a glob as a regular expression, in which ``*`` stays."""
    return re.sub(r"[^*?]+", lambda match: re.escape(match[0]), text).replace("?", ".")


def _named(template: str, wildcards: Iterable[str]) -> str:
    """Return a name with the texts that ``*`` stands for."""
    texts = iter(wildcards)
    return re.sub(r"\*", lambda _: next(texts, ""), template)


def assembled(graph: TokenGraph, configs: Sequence[CompositeConfig], *, is_whole: bool = True) -> Assembled:
    """Return the graph with the tokens that the rules assemble from local tokens, each at the end of its collection.

    Parts become ``withheld``: they still resolve, and outputs do not declare them. Those of a rule with ``keep``, and
    those that other tokens refer to, stay local. Without ``is_whole``, a rule may match tokens of other files.
    """
    drafts: dict[TokenKey, _Draft] = {}
    used: set[TokenIndex] = set()
    findings: list[Finding] = []
    for rule in map(_read, count(), configs):
        drafted, incomplete = _drafted(graph, rule, used)
        taken = []
        for draft in drafted:
            if draft.key in drafts or draft.key in graph.table.indices:
                taken.append(name_of_path(draft.key.path))
            else:
                drafts[draft.key] = draft
                used.update(draft.parts)
        if is_whole or drafted or incomplete:
            findings += _findings(rule, incomplete, taken, matches=bool(drafted or incomplete))
    if not drafts:
        return Assembled(graph, {}, tuple(findings))
    key_of = graph.table.keys.__getitem__
    assemblies = {draft.key: Assembly(draft.rule.number, tuple(map(key_of, draft.parts))) for draft in drafts.values()}
    return Assembled(_Assembler(graph, drafts).graph(), assemblies, tuple(findings))


def _drafted(graph: TokenGraph, rule: _Rule, used: set[TokenIndex]) -> tuple[list[_Draft], dict[str, list[str]]]:
    """Return the tokens of a rule, and the members that other groups lack by the names of these groups."""
    drafts: list[_Draft] = []
    incomplete: dict[str, list[str]] = {}
    numbered: dict[TokenKey, dict[int, _Layer | None]] = {}
    wanted = {*rule.parts.values(), *rule.references} - {*composites.OPTIONAL, *rule.constants}
    for (family, wildcards), layer in _layers(graph, rule, used).items():
        name = _named(rule.name, wildcards).strip("/")
        missing = sorted(wanted - layer.parts.keys() - layer.references.keys())
        if missing:
            incomplete[name] = missing
        layer_number = NUMBERED.fullmatch(name) if rule.config.layers else None
        if layer_number is not None:
            key = TokenKey(*family, path_of_name(layer_number[1]))
            numbered.setdefault(key, {})[int(layer_number[2])] = None if missing else layer
        elif not missing:
            drafts.append(_Draft(TokenKey(*family, path_of_name(name)), rule, (layer,)))
    for key, of_key in numbered.items():
        layers = tuple(layer for _, layer in sorted(of_key.items()) if layer is not None)
        if len(layers) == len(of_key):
            drafts.append(_Draft(key, rule, layers))
    return drafts, incomplete


def _layers(graph: TokenGraph, rule: _Rule, used: set[TokenIndex]) -> dict[tuple[FamilyKey, tuple[str, ...]], _Layer]:
    """Return the groups of variables that a rule matches, by their families and what its ``*`` stand for."""
    table, types, pattern = graph.table, MEMBERS[rule.config.type], rule.config.collection
    layers: dict[tuple[FamilyKey, tuple[str, ...]], _Layer] = {}
    at = rule.config.match.partition("{")[0].count("*")
    families = {
        key
        for key, family in graph.collections.items()
        if not pattern or fnmatchcase(family.name, pattern) or fnmatchcase(family.handle, pattern)
    }
    for index, family, path, origin in zip(table.order, table.families, table.paths, table.origins, strict=True):
        if origin != "local" or family not in families or index in used:
            continue
        match = rule.pattern.fullmatch(name_of_path(path))
        if match is not None:
            texts = match.groups()
            layer = layers.setdefault((family, (*texts[:at], *texts[at + 1 :])), _Layer({}, {}))
            member = rule.parts[texts[at]]
            is_fitting = types[member] not in KEYWORDS and fits(types[member], table.types[index])
            if is_fitting or _is_text_of(table, index, types[member]):
                layer.parts.setdefault(member, index)
    for (family, wildcards), layer in layers.items():
        for member, template in rule.references.items():
            name = _named(template, wildcards)
            handle, _, rest = name.partition("/")
            keys = TokenKey(*family, path_of_name(name)), TokenKey(family[0], slug(handle, ""), path_of_name(rest))
            target = next((table.indices[key] for key in keys if key in table.indices), None)
            if target is not None and member not in layer.parts and fits(types[member], table.types[target]):
                layer.references[member] = target
    return layers


def _is_text_of(table: TokenTable, index: TokenIndex, part_type: str) -> bool:
    """Return whether all values of a string are texts of a type that no variable has, such as a curve."""
    if table.types[index] not in ("string", part_type) or part_type not in ("strokeStyle", "cubicBezier", *KEYWORDS):
        return False
    texts = table.values_of(index)
    return all(text is None or (isinstance(text, str) and json_of(part_type, text) is not None) for text in texts)


def _findings(
    rule: _Rule, incomplete: Mapping[str, list[str]], taken: Sequence[str], *, matches: bool
) -> Iterator[Finding]:
    """Yield the problems of a rule, each once."""
    number, config = rule[:2]
    if incomplete:
        lack = "lacks a part and stays as it is" if len(incomplete) == 1 else "lack parts and stay as they are"
        groups = [f"{shortened(name)}: {' and '.join(missing)}" for name, missing in incomplete.items()]
        what = f"{counted(len(groups), 'group')} {lack}"
        member = groups[0].split()[-1]
        to_do = f"add variables of the right types, give {member} a value in members, or narrow match"
        if reference := rule.references.get(member):
            to_do = f"correct {{{shortened(reference)}}} in members, which is no token of the right type here"
        yield Finding(number, "composite-parts-missing", f"{what} ({listed(groups)})", to_do)
    if taken:
        names = listed([*map(shortened, taken)])
        what = f"{names} {'is the name of another token' if len(taken) == 1 else 'are names of other tokens'}"
        to_do = f"set name = {in_toml(f'{rule.name}/{config.type}')}, or narrow match"
        yield Finding(number, "composite-name-taken", f"{what}, so the parts stay as they are", to_do)
    if not matches:
        where = f" of {shortened(config.collection)}" if config.collection else ""
        what = f"no group of variables{where} matches {shortened(config.match)}"
        yield Finding(number, "composite-rule-unused", what, "correct match, or remove the rule")


class _Assembler:
    def __init__(self, graph: TokenGraph, drafts: Mapping[TokenKey, _Draft]) -> None:
        self._graph = graph
        self._table = graph.table
        self._drafts = drafts
        self._homes = {
            index: (draft.key, number, member)
            for draft in drafts.values()
            for number, layer in enumerate(draft.layers)
            for member, index in layer.parts.items()
        }
        """The token, layer and member of each part."""

    def graph(self) -> TokenGraph:
        """Return the graph with the tokens. Those that it has keep their indices."""
        table = self._table.with_tokens((), [self._token(draft) for draft in self._drafts.values()])
        others = (index for index in self._table.order if index not in self._homes)
        referred = {target for index in others for target in self._table.targets_of(index)}
        for index, (key, _, _) in self._homes.items():
            if index not in referred and not self._drafts[key].rule.config.keep:
                table.origins[index] = "withheld"
        return TokenGraph(self._graph.collections.values(), table)

    def _token(self, draft: _Draft) -> Token:
        """Return a token with the properties that its parts agree on."""
        table, parts = self._table, draft.parts
        first, published = parts[0], {table.published[index] for index in parts}
        descriptions = {table.descriptions[index] for index in parts}
        modes = range(len(table.collections[draft.key[:2]].modes))
        return Token(
            key=draft.key,
            type=draft.rule.config.type,
            values=tuple(self._value(draft, mode) for mode in modes),
            description=table.descriptions[first] if len(descriptions) == 1 else "",
            hidden=all(table.hidden[index] for index in parts),
            published=table.published[first] if len(published) == 1 else False,
            deprecated=table.deprecated[first] if all(table.deprecated[index] for index in parts) else False,
        )

    def _value(self, draft: _Draft, mode: int) -> Value | None:
        """Return the value in a mode; None if a part has none, and if the parts inherit theirs."""
        table, written = self._table, self._graph.columns.written
        is_root = table.collections[draft.key[:2]].modes[mode].parent is None
        if not is_root and all(table.values_of(index)[mode] is None for index in draft.parts):
            return None
        values = {index: value for index in draft.parts if (value := written(index, mode)[0]) is not None}
        if len(values) < len(draft.parts):
            return None
        if (target := self._target(draft, values)) is not None:
            return Alias(target)
        references: dict[str, TokenKey] = {}
        layers = [self._layer(draft, layer, values, references) for layer in draft.layers]
        return Composite(composites.canonical(layers if len(layers) > 1 else layers[0]), tuple(references.items()))

    def _target(self, draft: _Draft, values: Mapping[TokenIndex, Value]) -> TokenKey | None:
        """Return the assembled token whose parts all parts of another one refer to, member by member."""
        targets = set()
        for index, value in values.items():
            home = self._homes.get(self._index(value, index))
            if home is None or home[1:] != self._homes[index][1:] or not isinstance(value, Alias):
                return None
            targets.add(home[0])
        target = self._drafts[targets.pop()]
        is_alike = target.rule[-2:] == draft.rule[-2:]  # in the members that are no parts
        return target.key if not targets and is_alike and len(target.parts) == len(draft.parts) else None

    def _index(self, value: Value, part: TokenIndex) -> TokenIndex:
        """Return the target of an alias that is in the graph; for other values, the part itself."""
        return self._table.indices.get(value.target, part) if isinstance(value, Alias) else part

    def _layer(
        self, draft: _Draft, layer: _Layer, values: Mapping[TokenIndex, Value], references: dict[str, TokenKey]
    ) -> dict[str, Any]:
        """Return the JSON of a layer. Add the tokens that it refers to to ``references``."""
        table, rule = self._table, draft.rule
        types = MEMBERS[rule.config.type]
        members = {member: json for member, json in rule.constants.items() if member not in layer.parts}

        def reference(index: TokenIndex) -> str:
            key = table.keys[index]
            text = f"{{{'.'.join(key[key.file == draft.key.file :])}}}"
            references[text] = key
            return text

        for member, index in layer.references.items():
            members[member] = reference(index)
        for member, index in layer.parts.items():
            value, part_type = values[index], types[member]
            target = self._index(value, index)
            # Outputs declare the target of an alias, unlike the part itself.
            if not rule.config.keep and target != index and fits(part_type, table.types[target]):
                members[member] = reference(target)
            elif rule.config.keep and not _is_text_of(table, index, part_type):
                members[member] = reference(index)
            elif table.types[index] == AS_TEXT or _is_text_of(table, index, part_type):
                members[member] = json_of(part_type, value)
            elif isinstance(value, Alias | DanglingAlias | ComposedColor):
                members[member] = reference(index)
            else:
                value_type = composites.type_of_target(part_type, table.types[index])
                members[member] = composites.literal_json(value, value_type)
        return members
