"""Conflicts, the policy that decides them, and merge inputs with objects looked up by identity."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES
from tokensync.plan.identities import LIVE, Names
from tokensync.tokens import Collection, Composite, Extension, Mode, Token, TokenGraph, TokenKey, Translator, Value
from tokensync.tokens.composites import with_references
from tokensync.tokens.values import AS_TEXT, weight_of

if TYPE_CHECKING:
    from tokensync.tokens.collection import FamilyKey


class MergeInput:
    """One graph of a merge, with objects by identity and with identities instead of token keys in values."""

    def __init__(self, graph: TokenGraph, names: Names) -> None:
        if any(family.is_of_styles for family in graph.collections.values()):
            graph = _with_references_to_identities(graph, names)
        self.graph = graph
        self.names = names
        self.families: dict[FamilyKey, Collection] = {
            names.families[key]: family for key, family in graph.collections.items()
        }
        changed = {key: name for key, name in names.tokens.items() if key is not name and key != name}
        self.tokens: Mapping[TokenKey, Token] = (
            {names.tokens[key]: token for key, token in graph.tokens.items()} if changed else graph.tokens
        )
        self.columns: dict[FamilyKey, dict[str, int]] = {
            names.families[key]: {mode: column for column, mode in enumerate(own)} for key, own in names.modes.items()
        }
        self._by_family: dict[FamilyKey, tuple[TokenKey, ...]] | None = None
        self.translator = Translator(changed)

    def extensions(self, family: FamilyKey) -> Mapping[str, Extension]:
        """Return the extensions of a family, by identity."""
        own = self.families.get(family)
        if own is None:
            return {}
        return {self.names.extensions[own.key, extension.handle]: extension for extension in own.extensions}

    def modes(self, family: FamilyKey, owner: str) -> dict[str, Mode]:
        """Return the modes of one collection of a family, by identity; ``owner`` is the collection's identity."""
        own = self.families.get(family)
        if own is None:
            return {}
        return {
            name: mode
            for name, mode in zip(self.names.modes[own.key], own.modes, strict=True)
            if self.names.extensions.get((own.key, mode.collection), family[1]) == owner
        }

    def default_mode(self, family: FamilyKey) -> str:
        """Return the default mode of a family's root collection; empty if it has no modes."""
        own = self.families[family]
        return self.names.modes[own.key][own.default_mode] if own.modes else ""

    def parent_mode(self, family: FamilyKey, mode: str) -> str | None:
        """Return the parent mode of a mode."""
        own = self.families[family]
        parent = own.modes[self.columns[family][mode]].parent
        return None if parent is None else self.names.modes[own.key][parent]

    def parent_of(self, family: FamilyKey, extension: str) -> str:
        """Return the identity of the collection that an extension extends."""
        own = self.families[family]
        handle = self.extensions(family)[extension].parent
        return self.names.extensions.get((own.key, handle), family[1])

    def has(self, identity: TokenKey) -> bool:
        """Return whether the token exists and is not deleted or remote."""
        token = self.tokens.get(identity)
        return token is not None and token.origin in LIVE

    def value(self, identity: TokenKey, mode: str) -> Value | None:
        """Return the token's value in a mode, in identities; None if it has none or the mode does not exist."""
        column = self.columns[identity[:2]].get(mode)
        token = self.tokens.get(identity)
        return None if column is None or token is None else self.translator.value(token.values[column])

    def has_values_of(self, other: MergeInput, identity: TokenKey) -> bool:
        """Return whether a token of both inputs has the same values in the modes of both."""
        family = identity[:2]
        return all(
            same(self.value(identity, mode), other.value(identity, mode))
            for mode in self.columns[family]
            if other.has_mode(family, mode)
        )

    def context(self, family: FamilyKey, mode: str) -> str | None:
        """Return the context of a mode in this graph; None if it has no such mode."""
        column = self.columns.get(family, {}).get(mode)
        return None if column is None else self.families[family].modes[column].context

    def has_mode(self, family: FamilyKey, mode: str) -> bool:
        """Return whether the family exists and has the mode."""
        return mode in self.columns.get(family, ())

    def tokens_of(self, family: FamilyKey) -> tuple[TokenKey, ...]:
        """Return the identities of a family's tokens."""
        if self._by_family is None:
            by_family: dict[FamilyKey, list[TokenKey]] = {}
            for identity in self.tokens:
                by_family.setdefault(identity[:2], []).append(identity)
            self._by_family = {key: tuple(own) for key, own in by_family.items()}
        return self._by_family.get(family, ())


def _with_references_to_identities(graph: TokenGraph, names: Names) -> TokenGraph:
    """Return the graph with the references of styles spelled alike on all sides: by the identities of their targets."""
    changed: dict[TokenKey, Token] = {}
    for token in graph.tokens.values():
        value = token.values[0] if graph.collections[token.key[:2]].is_of_styles else None
        if isinstance(value, Composite) and value.references:
            targets = {text: names.tokens.get(target, target) for text, target in value.references}
            texts = {text: f"{{{target.collection}.{target.path}}}" for text, target in targets.items()}
            references = tuple((texts[text], target) for text, target in value.references)
            spelled = Composite(with_references(token.type, value.json, texts), references)
            changed[token.key] = replace(token, values=(spelled, *token.values[1:]))
    return graph.replaced(changed)


def with_known_texts(ours: MergeInput, others: Sequence[MergeInput]) -> MergeInput:
    """Return the token files' input with numeric weights replaced by the first other input's text for the same weight.

    So a number is an edit only if it is a different weight. A number without such a text stays.
    """
    changed: dict[TokenKey, tuple[Value | None, ...]] = {
        token.key: values
        for identity, token in ours.tokens.items()
        if token.type == AS_TEXT and float in map(type, token.values)
        if (values := tuple(_known_text(ours, others, identity, mode) for mode in ours.names.modes[token.key[:2]]))
        != token.values
    }
    if not changed:
        return ours
    tokens = ours.graph.tokens
    graph = ours.graph.replaced({key: replace(tokens[key], values=values) for key, values in changed.items()})
    return MergeInput(graph, ours.names)


def _known_text(ours: MergeInput, others: Sequence[MergeInput], identity: TokenKey, mode: str) -> Value | None:
    value = ours.tokens[identity].values[ours.columns[identity[:2]][mode]]
    if type(value) is float:
        for other in others:
            known = other.value(identity, mode) if identity[:2] in other.columns else None
            if type(known) is str and weight_of(known) == value:
                return known
    return value


SideName = Literal["ours", "theirs"]

EXISTENCE = "existence"


class ConflictKey(NamedTuple):
    """The stable name of a member that can differ.

    ``collection`` is the handle of a collection or extension, ``path`` a token's, or empty for the collection.
    ``member`` is ``existence``, ``name``, ``description``, ``scopes``, ``hidden``, ``type``, ``code syntax
    <platform>``, ``default mode``, ``in <context>`` for a value, ``mode <context>`` for a whole mode, or ``name of mode
    <context>``. Handles, paths and contexts are the platform's if it has the object.
    """

    file: str
    collection: str
    path: str
    member: str


class Conflict(NamedTuple):
    """A change that both sides made differently. ``bases`` holds the value in each base that has the object.

    Values are a token's value, a text, a flag, a tuple of scopes, a path for a token's name, or True or False for
    existence. ``token`` is the key in the token files, or None if they lack the token.
    """

    key: ConflictKey
    bases: tuple[object, ...]
    ours: object
    theirs: object
    token: TokenKey | None = None
    context: str | None = None


class Difference(NamedTuple):
    """A member in which the sides differ, and the side that changed it, which the merge uses."""

    key: ConflictKey
    side: SideName
    kind: Literal["new", "gone", "changed"] = "changed"


class ConflictPolicy(Struct, eq=False):
    """Decides between two sides by comparing them with the bases, and records differences and conflicts.

    A side that equals any base is unchanged. There are two bases if the lock holds a git conflict. Objects that are
    ``kept`` stay in any case, since a value refers to them.
    """

    answers: Mapping[ConflictKey, SideName]
    always: SideName | None
    kept: Container[ConflictKey] = ()
    conflicts: list[Conflict] = []
    differences: list[Difference] = []

    def member(
        self,
        key: ConflictKey,
        bases: Sequence[object],
        ours: object,
        theirs: object,
        *,
        absent: object = ...,
        token: TokenKey | None = None,
        context: str | None = None,
    ) -> bool:
        """Return whether the merge uses their value if the two values differ. ``bases`` holds the values of all bases
        that have one.

        Without any base, the value ``absent`` counts as unchanged.
        """
        if any(same(base, ours) for base in bases) or (not bases and ours == absent):
            side: SideName = "theirs"
        elif any(same(base, theirs) for base in bases) or (not bases and theirs == absent):
            side = "ours"
        else:
            side = self.conflict(Conflict(key, tuple(bases), ours, theirs, token, context))
        self.differences.append(Difference(key, side))
        return side == "theirs"

    def stays(
        self, key: ConflictKey, has: SideName, in_bases: Sequence[bool], unchanged: Callable[[int], bool], **shown: Any
    ) -> bool:
        """Return whether an object that only the side ``has`` contains is preserved. ``in_bases`` tells which bases
        have it.

        ``unchanged`` returns whether the side's object equals that of a base. ``shown`` is passed to the conflict.
        """
        having = [index for index, has_it in enumerate(in_bases) if has_it]
        some_lack_it = len(having) < len(in_bases)
        if not having or (some_lack_it and has == "theirs") or key in self.kept:
            self.differences.append(Difference(key, has, "new"))
            return True
        deleted_by: SideName = "theirs" if has == "ours" else "ours"
        if any(map(unchanged, having)):
            self.differences.append(Difference(key, deleted_by, "gone"))
            return False
        if some_lack_it:
            self.differences.append(Difference(key, has, "new"))
            return True
        conflict = Conflict(key, tuple(True for _ in having), has == "ours", has == "theirs", **shown)
        side = self.conflict(conflict)
        self.differences.append(Difference(key, side, "new" if side == has else "gone"))
        return side == has

    def conflict(self, conflict: Conflict) -> SideName:
        """Return the chosen side. Without a choice, record the conflict and return theirs."""
        side = self.answers.get(conflict.key) or self.always
        if side is None:
            self.conflicts.append(conflict)
        return side or "theirs"


def same(one: object, other: object) -> bool:
    """Return whether two values are equal, with true and 1 distinct."""
    return one == other and (type(one) is type(other) or not isinstance(one, bool | float))


def scope_set(token: Token) -> frozenset[str]:
    """Return the scopes as the platform stores them: unordered, and a number's FONT_WEIGHT as FONT_STYLE."""
    if "FONT_WEIGHT" in token.scopes and RESOLVED_TYPES.get(token.type) == "FLOAT":
        return frozenset("FONT_STYLE" if scope == "FONT_WEIGHT" else scope for scope in token.scopes)
    return frozenset(token.scopes)


def same_type(one: Token, other: Token) -> bool:
    """Return whether both have the same type. A text and a weight stored as text do: values decide which it is."""
    return one.type == other.type or {one.type, other.type} == {"string", AS_TEXT}


def unchanged_token(side: MergeInput, base: MergeInput, identity: TokenKey) -> bool:
    """Return whether a token of both graphs is the same in both, apart from modes of only one."""
    own, old = side.tokens[identity], base.tokens[identity]
    return (
        own.key.path == old.key.path
        and same_type(own, old)
        and own.description == old.description
        and own.hidden == old.hidden
        and own.code_syntax == old.code_syntax
        and scope_set(own) == scope_set(old)
        and side.has_values_of(base, identity)
    )


def unchanged_mode(side: MergeInput, base: MergeInput, family: FamilyKey, owner: str, mode: str) -> bool:
    """Return whether a mode has the base's name and values. A token that the base lacks had no override."""
    is_root = owner == family[1]
    return side.modes(family, owner)[mode].name == base.modes(family, owner)[mode].name and all(
        same(side.value(identity, mode), base.value(identity, mode))
        for identity in side.tokens_of(family)
        if identity in base.tokens or not is_root
    )


def unchanged_extension(side: MergeInput, base: MergeInput, family: FamilyKey, identity: str) -> bool:
    """Return whether an extension and all that extend it have the base's names and overrides."""
    own, old = side.extensions(family)[identity], base.extensions(family)[identity]
    modes = side.modes(family, identity)
    extending = _extending(side, family, identity)
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and modes.keys() == base.modes(family, identity).keys()
        and all(unchanged_mode(side, base, family, identity, mode) for mode in modes)
        and extending == _extending(base, family, identity)
        and all(unchanged_extension(side, base, family, each) for each in extending)
    )


def _extending(side: MergeInput, family: FamilyKey, identity: str) -> set[str]:
    return {extension for extension in side.extensions(family) if side.parent_of(family, extension) == identity}


def unchanged_family(side: MergeInput, base: MergeInput, family: FamilyKey) -> bool:
    """Return whether a collection and its content are as in the base."""
    own, old = side.families[family], base.families[family]
    tokens = {token for token in side.tokens_of(family) if side.has(token)}
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and side.columns[family].keys() == base.columns[family].keys()
        and all(unchanged_mode(side, base, family, family[1], mode) for mode in side.modes(family, family[1]))
        and side.extensions(family).keys() == base.extensions(family).keys()
        and all(unchanged_extension(side, base, family, extension) for extension in side.extensions(family))
        and tokens == {token for token in base.tokens_of(family) if base.has(token)}
        and all(unchanged_token(side, base, token) for token in tokens)
    )
