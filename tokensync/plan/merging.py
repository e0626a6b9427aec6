"""Merge the token files and the platform, using their common base.

All graphs share one identity space: an object has the platform's name, or a new name if the platform lacks it. So the
sides can be compared member by member. A token that is equal on both sides, as most are, costs one comparison.
Collections, their extensions and modes, and tokens of one side are merged as a whole, others member by member.

If the sides have different kinds of a token, such as a colour and a number, its type and values are merged together: a
value of one side with the type of the other would be invalid.
"""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec.structs import replace

from tokensync.normalize.mapping import RESOLVED_TYPES, unique
from tokensync.normalize.motion import as_held
from tokensync.plan.conflicts import (
    EXISTENCE,
    Conflict,
    ConflictKey,
    ConflictPolicy,
    Difference,
    MergeInput,
    SideName,
    same,
    same_type,
    scope_set,
    unchanged_extension,
    unchanged_family,
    unchanged_mode,
    unchanged_token,
    with_known_texts,
)
from tokensync.plan.identities import LIVE, IdentityMap, Moves
from tokensync.tokens import (
    Collection,
    Composite,
    DanglingAlias,
    Extension,
    Mode,
    Quantity,
    TokenGraph,
    TokenKey,
    Translator,
    normalized,
    targets,
)
from tokensync.tokens.algorithms import closure
from tokensync.tokens.collection import FamilyKey, is_opacity
from tokensync.tokens.composites import canonical, font_list, with_references
from tokensync.tokens.values import AS_TEXT, DURATIONS, KEYWORDS, PIXELS_PER_REM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token, Value


_OTHER_REALM = "elsewhere"  # the realm of ids of another file


class Merged(NamedTuple):
    """The result of a merge. ``graph`` is the platform's with our edits; open conflicts have the platform's value.

    ``theirs`` is the platform's graph with the handles and file names of ``graph``. ``our_keys`` returns
    the keys in the token files by keys in ``graph``.
    """

    graph: TokenGraph
    theirs: TokenGraph
    conflicts: tuple[Conflict, ...]
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]
    our_keys: Callable[[], Mapping[TokenKey, TokenKey]]


def merge(
    bases: Sequence[TokenGraph],
    ours: TokenGraph,
    theirs: TokenGraph,
    *,
    moved: Sequence[MovedConfig] = (),
    answers: Mapping[ConflictKey, SideName] | None = None,
    always: SideName | None = None,
    ids_count: bool = True,
) -> Merged:
    """Merge the token files (``ours``) with the platform (``theirs``), all of one file.

    ``bases`` are the common ancestors: none before the first pull, two if the lock holds a git conflict. ``answers``
    decides single conflicts, ``always`` all others. ``ids_count`` is True if the ids in ``ours`` and ``bases`` are from
    the same file as ``theirs``; otherwise they are only hints.
    """
    identity_map = IdentityMap(Moves(moved))
    realm = "" if ids_count else _OTHER_REALM
    their_side = MergeInput(theirs, identity_map.add(theirs))
    base_sides = [MergeInput(base, identity_map.add(base, realm)) for base in bases]
    our_side = with_known_texts(
        MergeInput(ours, identity_map.add(ours, realm, is_last=True)), (*base_sides, their_side)
    )
    policy = ConflictPolicy(answers or {}, always)
    inputs = _Inputs(base_sides, our_side, their_side, policy)
    families = _merged_families(inputs)
    tokens = tuple(_Merger(families, inputs).merged())
    conflicts = missing_targets(tokens, our_side, their_side)
    kept = [  # for a token to stay, its collection has to stay, too
        key
        for conflict in conflicts
        if policy.conflict(conflict) == ("ours" if conflict.ours else "theirs")  # the side that still has the token
        for key in (conflict.key, conflict.key._replace(path=""))
    ]
    if kept:
        open_ones = policy.conflicts
        policy = ConflictPolicy(answers or {}, always, kept)
        inputs = inputs._replace(policy=policy)
        families = _merged_families(inputs)
        tokens = tuple(_Merger(families, inputs).merged())
        policy.conflicts = list(dict.fromkeys([*open_ones, *policy.conflicts]))
    names = family_names(families, our_side, their_side)
    keys = token_keys(tokens, names, policy)
    return Merged(
        merged_graph(families, tokens, keys, names, (their_side, *base_sides, our_side)),
        aligned_graph(their_side, names),
        tuple(policy.conflicts),
        tuple(policy.differences),
        tuple(identity_map.problems),
        lambda: {keys[identity]: key for key, identity in our_side.names.tokens.items() if identity in keys},
    )


def missing_targets(tokens: Sequence[MergedToken], ours: MergeInput, theirs: MergeInput) -> list[Conflict]:
    """Return a conflict for each deleted token to which the other side has added a reference."""
    stay = {token.token.key for token in tokens if token.token.origin != "deleted"}
    gone = {token for side in (ours, theirs) for token in side.tokens.keys() - stay if side.has(token)}
    if not gone:
        return []

    def is_common(identity: TokenKey) -> bool:
        """Return whether neither side has changed a token, and so added a reference."""
        return identity in ours.tokens and identity in theirs.tokens and ours.has_values_of(theirs, identity)

    found = {
        target: None
        for token in tokens
        for value in token.token.values
        for target in targets(value)
        if target in gone and not is_common(token.token.key)
    }
    return [
        Conflict(
            ConflictKey(*identity, EXISTENCE),
            (True,),
            ours.has(identity),
            theirs.has(identity),
            ours.tokens[identity].key if ours.has(identity) else None,
        )
        for identity in found
    ]


def merged_graph(
    families: Sequence[MergedFamily],
    tokens: Sequence[MergedToken],
    keys: Mapping[TokenKey, TokenKey],
    names: Mapping[FamilyKey, FamilyNames],
    sides: Sequence[MergeInput],
) -> TokenGraph:
    """Return the merged graph. ``sides`` are all inputs, the platform's first, for the ids of deleted tokens."""
    changed: dict[TokenKey, TokenKey | DanglingAlias] = {
        identity: key for identity, key in keys.items() if identity is not key and identity != key
    }
    for side in sides:
        for identity in side.tokens.keys() - keys.keys():
            known = side.tokens[identity].id or f"{identity.collection}.{identity.path}"
            changed.setdefault(identity, DanglingAlias(known))
    collections = [_collection(family, names[family.identity], sides[0], sides[-1]) for family in families]
    translator = Translator(changed)
    translated: list[Token] = []
    for merged in tokens:
        token = translator.token(merged.token, keys[merged.token.key])
        if token.type not in RESOLVED_TYPES:
            values = (respelled(value, token.type) if isinstance(value, Composite) else value for value in token.values)
            token = replace(token, values=tuple(values))
        translated.append(token)
    return TokenGraph(collections, translated)


def _collection(family: MergedFamily, names: FamilyNames, theirs: MergeInput, ours: MergeInput) -> Collection:
    their = theirs.families.get(family.identity) if family.sides != "ours" else None
    own = ours.families.get(family.identity)
    columns = {each.identity: column for column, each in enumerate(family.modes)}
    their_columns = theirs.columns[family.identity] if their is not None else {}
    their_extensions = theirs.extensions(family.identity) if their is not None else {}

    def extension(each: MergedExtension) -> Extension:
        known = their_extensions.get(each.identity)
        return Extension(
            handle=names.handles[each.identity],
            name=each.name,
            parent=names.handles[each.parent],
            id=known.id if known is not None else "",
            collection_key=known.collection_key if known is not None else "",
            hidden=each.hidden,
            default_mode=columns[each.default],
            origin=known.origin if known is not None else "local",
        )

    ids = {} if their is None else {mode: their.modes[column].id for mode, column in their_columns.items()}
    file, root = family.identity
    return Collection(
        file=file,
        handle=names.handles[root],
        name=family.name,
        modes=tuple(
            Mode(
                name=mode.name,
                collection=names.handles[mode.owner],
                slug=names.modes[mode.identity][0],
                context=names.modes[mode.identity][1],
                id=ids.get(mode.identity, ""),
                parent=None if mode.parent is None else columns[mode.parent],
            )
            for mode in family.modes
        ),
        default_mode=columns[family.default],
        extensions=tuple(map(extension, family.extensions)),
        # Styles that only the token files have never become variables.
        id=their.id if their is not None else own.id if own is not None and own.is_of_styles else "",
        collection_key=their.collection_key if their is not None else "",
        hidden=family.hidden,
        origin=their.origin if their is not None else "local",
        opaque=their.opaque if their is not None else (),
    )


def aligned_graph(theirs: MergeInput, names: Mapping[FamilyKey, FamilyNames]) -> TokenGraph:
    """Return the platform's graph with the handles and file names of the token files."""
    collections = []
    changed: dict[FamilyKey, FamilyKey] = {}
    for identity, family in theirs.families.items():
        own = names[identity]
        handles = {family.handle: own.handles[identity[1]]}
        handles |= {each.handle: own.handles[name] for name, each in theirs.extensions(identity).items()}
        modes = tuple(
            replace(mode, collection=handles[mode.collection], slug=own.modes[name][0], context=own.modes[name][1])
            for name, mode in zip(theirs.names.modes[family.key], family.modes, strict=True)
        )
        extensions = tuple(
            replace(each, handle=handles[each.handle], parent=handles.get(each.parent, handles[family.handle]))
            for each in family.extensions
        )
        collections.append(replace(family, handle=handles[family.handle], modes=modes, extensions=extensions))
        if handles[family.handle] != family.handle:
            changed[family.key] = (family.file, handles[family.handle])
    if not changed:
        return TokenGraph(collections, theirs.graph.tokens.values())
    keys: dict[TokenKey, TokenKey | DanglingAlias] = {}
    for key in theirs.graph.tokens:
        family_key = changed.get(key[:2])
        if family_key is not None:
            keys[key] = TokenKey(*family_key, key.path)
    translator = Translator(keys)
    return TokenGraph(
        collections, (translator.token(each, translator.key(key)) for key, each in theirs.graph.tokens.items())
    )


_ROOT = "$root"


def respelled(value: Composite, token_type: str) -> Composite:
    """Return the composite with its references rewritten for their targets; itself if nothing changes."""
    texts = {spelled: _spelling(spelled, target) for spelled, target in value.references}
    if all(spelled == text for spelled, text in texts.items()):
        return value
    references = tuple((texts[spelled], target) for spelled, target in value.references)
    return Composite(with_references(token_type, value.json, texts), references)


def _spelling(spelled: str, target: TokenKey) -> str:
    address = f"{target.collection}.{target.path}"
    if spelled[:1] != "{":
        return spelled if spelled.removesuffix("/$value") == f"#/{address.replace('.', '/')}" else f"{{{address}}}"
    suffix = f".{_ROOT}" if spelled.endswith(f".{_ROOT}}}") else ""
    return f"{{{address}{suffix}}}"


class FamilyNames(NamedTuple):
    """The handle of each collection of a family, by identity, and (slug, context) of each mode."""

    handles: Mapping[str, str]
    modes: Mapping[str, tuple[str, str]]


def family_names(
    families: Sequence[MergedFamily], ours: MergeInput, theirs: MergeInput
) -> dict[FamilyKey, FamilyNames]:
    """Return names for all families of both sides and of the merge, preferably those of the token files.

    So a collection or mode that was renamed on the platform retains its folder, its file and its configuration.
    """
    identities = list(dict.fromkeys([*theirs.families, *ours.families]))
    taken: dict[str, set[str]] = {}
    handles: dict[FamilyKey, dict[str, str]] = {identity: {} for identity in identities}
    for side in (ours, theirs):
        for identity in identities:
            family = side.families.get(identity)
            if family is None:
                continue
            wanted = {identity[1]: family.handle}
            wanted |= {name: each.handle for name, each in side.extensions(identity).items()}
            for name, handle in wanted.items():
                if name not in handles[identity]:
                    handles[identity][name] = unique(handle, taken.setdefault(identity[0], set()))
    merged = {family.identity: family for family in families}
    return {
        each: FamilyNames(handles[each], _mode_names(each, handles[each], merged.get(each), ours, theirs))
        for each in identities
    }


def _mode_names(
    family: FamilyKey, handles: Mapping[str, str], merged: MergedFamily | None, ours: MergeInput, theirs: MergeInput
) -> dict[str, tuple[str, str]]:
    names: dict[str, tuple[str, str]] = {}
    slugs: dict[str, set[str]] = {}
    contexts: set[str] = set()
    root = family[1]

    def add(identity: str, owner: str, slug: str, context: str | None) -> None:
        own = unique(slug, slugs.setdefault(owner, set()))
        usual = own if owner == root else f"{handles[owner]}.{own}"
        names[identity] = (own, unique(context or usual, contexts))

    for side in (ours, theirs):
        for owner in handles:
            for identity, mode in side.modes(family, owner).items():
                if identity not in names:
                    # A context that is derived from a handle that has changed is derived anew.
                    is_own = owner == root or mode.collection == handles[owner]
                    add(identity, owner, mode.slug, mode.context if is_own else None)
    for each in merged.modes if merged is not None else ():
        if each.identity not in names:
            parent = names[each.parent][0] if each.parent in names else each.identity
            add(each.identity, each.owner, parent, None)
    return names


def token_keys(
    tokens: Sequence[MergedToken], names: Mapping[FamilyKey, FamilyNames], policy: ConflictPolicy
) -> dict[TokenKey, TokenKey]:
    """Return the final key of each token, by identity. Two tokens with the same path are a conflict.

    The token of the chosen side gets the path, and the other token a unique variant of it.
    """
    wanted: dict[TokenKey, MergedToken] = {}
    keys: dict[TokenKey, TokenKey] = {}
    late: list[tuple[MergedToken, TokenKey]] = []
    for each in tokens:
        identity = each.token.key
        family = identity[:2]
        key = TokenKey(family[0], names[family].handles[family[1]], each.path)
        other = wanted.get(key)
        if other is None:
            wanted[key] = each
            keys[identity] = key
            continue
        if each.token.origin == other.token.origin == "local" and each.ours != other.ours:
            ours, theirs = (each, other) if each.ours else (other, each)
            named = ConflictKey(*theirs.token.key, "name")
            conflict = Conflict(named, (), str(ours.token.key), str(theirs.token.key))
            loser = theirs if policy.conflict(conflict) == "ours" else ours
        else:  # a deleted or remote token loses the path
            loser = other if each.token.origin == "local" and other.token.origin != "local" else each
        winner = other if loser is each else each
        wanted[key] = winner
        keys[winner.token.key] = key
        late.append((loser, key))
    paths = {key.path for key in wanted} if late else set()
    for each, key in late:
        keys[each.token.key] = key._replace(path=unique(key.path, paths))
    return keys


Sides = Literal["both", "ours", "theirs"]
"""The sides that a remaining object is merged from."""


class MergedMode(NamedTuple):
    """A mode that stays. ``owner`` is the identity of the collection that has it, ``parent`` that of a mode."""

    identity: str
    owner: str
    parent: str | None
    sides: Sides
    name: str


class MergedExtension(NamedTuple):
    """An extension that stays. ``default`` is the identity of a mode, ``parent`` that of a collection."""

    identity: str
    sides: Sides
    name: str
    hidden: bool
    default: str
    parent: str


class MergedFamily(NamedTuple):
    """A family that stays. ``default`` is the identity of a mode; the modes of a collection are adjacent."""

    identity: FamilyKey
    sides: Sides
    name: str
    hidden: bool
    default: str
    modes: tuple[MergedMode, ...]
    extensions: tuple[MergedExtension, ...]


class _Inputs(NamedTuple):
    """What is merged, and the policy that decides."""

    bases: Sequence[MergeInput]
    ours: MergeInput
    theirs: MergeInput
    policy: ConflictPolicy


def _merged_families(inputs: _Inputs) -> tuple[MergedFamily, ...]:
    """Return the families that stay: the platform's in its order, then new ones in ours."""
    identities = dict.fromkeys((*inputs.theirs.families, *inputs.ours.families))
    found = (_FamilyMerger(identity, inputs).merged() for identity in identities)
    return tuple(family for family in found if family is not None)


class _FamilyMerger:
    def __init__(self, identity: FamilyKey, inputs: _Inputs) -> None:
        self.identity = identity
        self.root = identity[1]
        self.bases, self.ours, self.theirs, self.policy = inputs
        self.sides: dict[SideName, MergeInput] = {"ours": self.ours, "theirs": self.theirs}
        self.own = self.ours.families.get(identity)
        self.their = self.theirs.families.get(identity)
        self.modes: dict[str, MergedMode] = {}

    def merged(self) -> MergedFamily | None:
        sides = self._sides()
        if sides is None:
            return None
        self._root_modes(sides)
        both = (family for family in (self.own, self.their) if family is not None)
        extensions = tuple(self._extensions(sides)) if any(family.extensions for family in both) else ()
        name, hidden = self._about(self.root, sides, self.own, self.their)
        default = (self.ours if sides == "ours" else self.theirs).default_mode(self.identity)
        if sides == "both":
            own = self.ours.default_mode(self.identity)
            old = [base.default_mode(self.identity) for base in self.bases if self.identity in base.families]
            if own != default and not self.policy.member(self._key(self.root, "default mode"), old, own, default):
                default = own
        if default not in self.modes:  # it is deleted
            default = next(iter(self.modes))
        return MergedFamily(self.identity, sides, name, hidden, default, tuple(self.modes.values()), extensions)

    def _key(self, collection: str, member: str) -> ConflictKey:
        return ConflictKey(self.identity[0], collection, "", member)

    def _sides(self) -> Sides | None:
        """Return the sides to merge the collection from; None if it is deleted."""
        own = self.own is not None and self.own.origin == "local"
        their = self.their is not None and self.their.origin == "local"
        if own and their:
            return "both"
        if own != their:
            has: SideName = "ours" if own else "theirs"
            in_bases = [_is_local(base.families.get(self.identity)) for base in self.bases]
            stays = self.policy.stays(
                self._key(self.root, EXISTENCE),
                has,
                in_bases,
                lambda index: unchanged_family(self.sides[has], self.bases[index], self.identity),
            )
            if stays:
                return has
        return "theirs" if self.their is not None and not their else None

    def _about(
        self, handle: str, sides: Sides, own: Collection | Extension | None, their: Collection | Extension | None
    ) -> tuple[str, bool]:
        one = own if sides == "ours" or their is None else their
        name, hidden = (one.name, one.hidden) if one is not None else ("", False)
        if sides == "both" and own is not None and own is not one:
            known = (
                side.families.get(self.identity) if handle == self.root else side.extensions(self.identity).get(handle)
                for side in self.bases
            )
            old = [each for each in known if each is not None]
            if own.name != name:
                names = [each.name for each in old]
                if not self.policy.member(self._key(handle, "name"), names, own.name, name):
                    name = own.name
            if own.hidden != hidden:
                flags = [each.hidden for each in old]
                if not self.policy.member(self._key(handle, "hidden"), flags, own.hidden, hidden, absent=False):
                    hidden = own.hidden
        return name, hidden

    # modes

    def _root_modes(self, sides: Sides) -> None:
        theirs = self.theirs.modes(self.identity, self.root) if sides != "ours" else {}
        ours = self.ours.modes(self.identity, self.root) if sides != "theirs" else {}
        for identity, mode in theirs.items():
            if identity in ours:
                name = self._mode_name(identity)
                self.modes[identity] = MergedMode(identity, self.root, None, "both", name)
            elif sides == "theirs" or self._mode_stays(identity, "theirs"):
                self.modes[identity] = MergedMode(identity, self.root, None, "theirs", mode.name)
        for identity, mode in ours.items():
            if identity not in theirs and (sides == "ours" or self._mode_stays(identity, "ours")):
                self.modes[identity] = MergedMode(identity, self.root, None, "ours", mode.name)
        if not self.modes:
            self._one_is_left(ours, theirs)

    def _one_is_left(self, ours: dict[str, Mode], theirs: dict[str, Mode]) -> None:
        """Retain one mode although each side deleted the other's: a collection needs at least one.

        Both sides have modes, because normalization and token files give each collection one.
        """
        side = self.policy.conflict(Conflict(self._key(self.root, f"mode {next(iter(theirs))}"), (True,), False, True))
        identity, mode = next(iter((theirs if side == "theirs" else ours).items()))
        self.modes[identity] = MergedMode(identity, self.root, None, side, mode.name)

    def _mode_stays(self, mode: str, has: SideName) -> bool:
        in_bases = [mode in base.modes(self.identity, self.root) for base in self.bases]
        return self.policy.stays(
            self._key(self.root, f"mode {mode}"),
            has,
            in_bases,
            lambda index: unchanged_mode(self.sides[has], self.bases[index], self.identity, self.root, mode),
            context=self.ours.context(self.identity, mode),
        )

    def _mode_name(self, mode: str) -> str:
        own = self.ours.modes(self.identity, self.root)[mode]
        their = self.theirs.modes(self.identity, self.root)[mode]
        if own.name == their.name:
            return their.name
        known = (base.modes(self.identity, self.root).get(mode) for base in self.bases)
        names = [mode.name for mode in known if mode is not None]
        key = self._key(self.root, f"name of mode {mode}")
        # Without an id, only a [[moved]] entry leads to a mode with another slug, which so has the former name.
        absent = ... if own.id or own.slug == their.slug else their.name
        is_theirs = self.policy.member(
            key, names, own.name, their.name, absent=absent, context=self.ours.context(self.identity, mode)
        )
        return their.name if is_theirs else own.name

    # extensions

    def _extensions(self, sides: Sides) -> Iterator[MergedExtension]:
        ours, theirs = self.ours.extensions(self.identity), self.theirs.extensions(self.identity)
        kept = {self.root}
        for identity in (*theirs, *(our for our in ours if our not in theirs)):
            own, their = ours.get(identity), theirs.get(identity)
            whose = self._sides_of_extension(identity, sides, own, their)
            if whose is None:
                continue
            parent = (self.ours if whose == "ours" else self.theirs).parent_of(self.identity, identity)
            if parent not in kept:
                continue
            kept.add(identity)
            name, hidden = self._about(identity, whose, own, their)
            self._modes_of_extension(identity, parent, whose)
            default = self._default_of_extension(identity, self.ours if whose == "ours" else self.theirs)
            yield MergedExtension(identity, whose, name, hidden, default, parent)

    def _sides_of_extension(
        self, identity: str, sides: Sides, own: Extension | None, their: Extension | None
    ) -> Sides | None:
        own_is_here = _is_local(own)
        if sides == "ours":
            return "ours" if own_is_here else None
        if their is not None and (their.origin != "local" or self._is_ours_gone()):
            return "theirs"
        if (their is None and not own_is_here) or self._is_ours_gone():
            return None
        if their is not None and own_is_here:
            return "both"
        has: SideName = "ours" if own_is_here else "theirs"
        in_bases = [_is_local(base.extensions(self.identity).get(identity)) for base in self.bases]
        stays = self.policy.stays(
            self._key(identity, EXISTENCE),
            has,
            in_bases,
            lambda index: unchanged_extension(self.sides[has], self.bases[index], self.identity, identity),
        )
        return has if stays else None

    def _is_ours_gone(self) -> bool:
        """Return whether the platform's collection stays although the token files no longer have it."""
        return _is_local(self.their) and not _is_local(self.own)

    def _modes_of_extension(self, identity: str, parent: str, whose: Sides) -> None:
        """Add a mode, with its parent's name, for each mode of the extension's parent, as the platform does."""
        theirs = self.theirs.modes(self.identity, identity) if whose != "ours" else {}
        ours = self.ours.modes(self.identity, identity) if whose != "theirs" else {}
        followed: set[str] = set()
        for side, own in ((self.theirs, theirs), (self.ours, ours)):
            for mode, about in own.items():
                above = side.parent_mode(self.identity, mode)
                if mode in self.modes or (above is not None and not self._is_free(above, parent, followed)):
                    continue
                if above is not None:
                    followed.add(above)
                name = self._inherited_name(above, about.name) if side is self.theirs else about.name
                if side is self.ours and above is not None:
                    name = self.modes[above].name
                self.modes[mode] = MergedMode(
                    mode, identity, above, self._sides_of_mode(mode, theirs, ours, whose), name
                )
        for each in [mode for mode in self.modes.values() if mode.owner == parent]:
            if each.identity not in followed and (whose == "ours" or each.sides == "ours"):
                made = f"{identity}.{each.identity.removeprefix(f'{parent}.')}"
                while made in self.modes:
                    made += "-2"
                self.modes[made] = MergedMode(made, identity, each.identity, "ours", each.name)

    def _is_free(self, above: str, parent: str, followed: set[str]) -> bool:
        """Return whether a mode of the parent stays and no mode of the extension follows it yet.

        Each side may have recreated the extension with a different parent.
        """
        return above in self.modes and self.modes[above].owner == parent and above not in followed

    def _sides_of_mode(self, mode: str, theirs: object, ours: object, whose: Sides) -> Sides:
        """Return the sides of an extension's mode. One of a base whose file was removed has lost only its overrides."""
        in_theirs, in_ours = mode in theirs, mode in ours  # type: ignore[operator]
        if in_theirs and (
            in_ours or (whose == "both" and any(base.has_mode(self.identity, mode) for base in self.bases))
        ):
            return "both"
        return "theirs" if in_theirs else "ours"

    def _inherited_name(self, above: str | None, name: str) -> str:
        if above is None or self.modes[above].sides == "ours":
            return name
        column = self.theirs.columns[self.identity][above]
        theirs = self.theirs.families[self.identity].modes[column].name
        return name if self.modes[above].name == theirs else self.modes[above].name

    def _default_of_extension(self, identity: str, side: MergeInput) -> str:
        own = [mode for mode in self.modes.values() if mode.owner == identity]
        extension = side.extensions(self.identity)[identity]
        family = side.families[self.identity]
        wanted = side.names.modes[family.key][extension.default_mode] if family.modes else ""
        if any(mode.identity == wanted for mode in own):
            return wanted
        return own[0].identity if own else next(iter(self.modes))


def _is_local(found: Collection | Extension | Token | None) -> bool:
    return found is not None and found.origin == "local"


_OVERRIDDEN = ("remote", "absent")  # origins in other files; extensions of this file may override such tokens


class MergedToken(NamedTuple):
    """A token that stays, with identities as its key and in its values, and its path.

    ``ours`` is True if the path is the token files', False if it is the platform's.
    """

    token: Token
    path: str
    ours: bool


class _Merger:
    """Merges the tokens of the families that stay."""

    def __init__(self, families: Sequence[MergedFamily], inputs: _Inputs) -> None:
        self.families = {family.identity: family for family in families}
        self.bases, self.ours, self.theirs, self.policy = inputs
        self.sides: dict[SideName, MergeInput] = {"ours": self.ours, "theirs": self.theirs}
        ours, theirs = self.ours.columns, self.theirs.columns
        self._plain = {  # families with the same columns on both sides
            family.identity
            for family in families
            if family.identity in theirs
            and [*ours.get(family.identity, ())] == [*theirs[family.identity]]
            and [mode.identity for mode in family.modes] == [*theirs[family.identity]]
            and all(mode.sides == "both" for mode in family.modes)
        }

    def merged(self) -> Iterator[MergedToken]:
        """Yield the remaining tokens in the platform's order, each followed by our new tokens after it."""
        followers: dict[TokenKey | None, list[TokenKey]] = {}
        last: TokenKey | None = None
        for identity in self.ours.tokens:  # those that the platform lacks, by the preceding one
            if identity not in self.theirs.tokens:
                followers.setdefault(last, []).append(identity)
            last = identity
        for first in followers.pop(None, ()):
            yield from self._new_ones(first, followers)
        for identity in self.theirs.tokens:
            found = self._of_theirs(identity)
            if found is not None:
                yield found
            for key in followers.pop(identity, ()):
                yield from self._new_ones(key, followers)

    def _new_ones(self, identity: TokenKey, followers: dict[TokenKey | None, list[TokenKey]]) -> Iterator[MergedToken]:
        pending = [identity]
        while pending:
            each = pending.pop()
            pending.extend(reversed(followers.pop(each, [])))
            family = self.families.get(each[:2])
            if family is None or not self.ours.has(each):
                continue
            if (found := self._of_one(each, family, "ours")) is not None:
                yield found

    # one token

    def _of_theirs(self, identity: TokenKey) -> MergedToken | None:
        family = self.families.get(identity[:2])
        if family is None:
            return None
        theirs = self.theirs.tokens[identity]
        if theirs.origin in LIVE:
            if self.ours.has(identity) and family.sides != "theirs":
                return self._of_both(identity, family)
            return self._of_one(identity, family, "theirs")
        ours = self._of_one(identity, family, "ours") if self.ours.has(identity) else None
        return ours or self._foreign(identity, theirs, family)

    def _of_one(self, identity: TokenKey, family: MergedFamily, has: SideName) -> MergedToken | None:
        """Return a token that only one side has, or None if it is deleted."""
        token = self.sides[has].tokens[identity]
        if family.sides not in ("both", has):
            return None
        if family.sides == "both" and token.origin != "withheld":
            in_bases = [_is_local(base.tokens.get(identity)) for base in self.bases]
            key = ConflictKey(*identity, EXISTENCE)
            shown = {"token": self.ours.tokens[identity].key if has == "ours" else None}

            def unchanged(index: int) -> bool:
                return unchanged_token(self.sides[has], self.bases[index], identity)

            if not self.policy.stays(key, has, in_bases, unchanged, **shown):
                return None
        return self._whole(identity, family, has)

    def _whole(self, identity: TokenKey, family: MergedFamily, has: SideName) -> MergedToken:
        side = self.sides[has]
        token = side.tokens[identity]
        columns, translated = side.columns[identity[:2]], side.translator.value
        values = tuple(
            translated(token.values[columns[mode.identity]])
            if mode.sides in ("both", has) and mode.identity in columns
            else None
            for mode in family.modes
        )
        if has == "ours":
            whole = replace(token, key=identity, values=values, id="", variable_key="", published=None, origin="local")
        else:
            whole = replace(token, key=identity, values=values)
        return MergedToken(whole, token.key.path, has == "ours")

    def _foreign(self, identity: TokenKey, token: Token, family: MergedFamily) -> MergedToken:
        """Return a token of another file, with the merged overrides of local extensions."""
        overriding = {extension.identity for extension in family.extensions if extension.sides != "theirs"}
        if token.origin not in _OVERRIDDEN:
            overriding = set()
        values = tuple(
            self._value(identity, mode, None)
            if mode.owner in overriding
            else self.theirs.value(identity, mode.identity)
            for mode in family.modes
        )
        return MergedToken(token if values == token.values else replace(token, values=values), token.key.path, False)

    def _of_both(self, identity: TokenKey, family: MergedFamily) -> MergedToken:
        theirs = self.theirs.tokens[identity]
        own = self.ours.tokens[identity]
        plain = identity[:2] in self._plain
        if plain and own.key.path == theirs.key.path and self.ours.translator.token(own, identity) == theirs:
            return MergedToken(theirs, theirs.key.path, False)
        bases = [base for base in self.bases if base.has(identity)]
        changed: dict[str, Any] = {}
        if own.deprecated != theirs.deprecated:
            changed["deprecated"] = own.deprecated
        if own.extensions != theirs.extensions:
            old = [base.tokens[identity].extensions for base in bases]
            of_style = theirs.extensions or any(old)  # the platform has none of a variable
            if not of_style or not self._theirs_hold(
                own, identity, "extensions", old, own.extensions, theirs.extensions
            ):
                changed["extensions"] = own.extensions
        if are_of_other_kinds(own, theirs):
            changed |= self._members_of_one_kind(identity, family, bases)
        else:
            values = tuple(self._value(identity, mode, own) for mode in family.modes)
            values = tuple(
                _in_own_unit(own, each)
                if type(each) is float and self.ours.value(identity, mode.identity) is None
                else each
                for each, mode in zip(values, family.modes, strict=True)
            )
            if not plain or any(map(is_not, values, theirs.values)):  # false equals 0 but is another value
                changed["values"] = values
        if own.notations:
            changed["notations"] = own.notations
        changed |= self._members(identity, own, theirs, bases)
        words, texts = KEYWORDS.get(own.type, ()), changed.get("values", theirs.values)
        if words and any(type(text) is str and text not in words for text in texts):  # as edited in the design file
            changed["type"] = "string"
        if theirs.origin == "withheld" and changed:
            changed["origin"] = "local"
        path, is_ours = theirs.key.path, False
        if own.key.path != path:
            old = [base.tokens[identity].key.path for base in bases]
            # Without an id, only a [[moved]] entry leads to another name, which so is the former one.
            absent = ... if own.id or own.variable_key else path
            if not self._theirs_hold(own, identity, "name", old, own.key.path, path, absent):
                path, is_ours = own.key.path, True
        return MergedToken(replace(theirs, **changed) if changed else theirs, path, is_ours)

    def _members(self, identity: TokenKey, own: Token, theirs: Token, bases: Sequence[MergeInput]) -> dict[str, Any]:
        """Return the members for which our value is used."""
        changed: dict[str, Any] = {}
        known = [base.tokens[identity] for base in bases]
        # Values decide which texts are weights, so "string" in the token files is not an edit without a base.
        no_type = "string" if theirs.type == AS_TEXT else ...
        for name, absent in (("type", no_type), ("description", ""), ("hidden", False)):
            mine, other = getattr(own, name), getattr(theirs, name)
            if mine != other and not (name == "type" and are_of_other_kinds(own, theirs)):
                old = [getattr(token, name) for token in known]
                if not self._theirs_hold(own, identity, name, old, mine, other, absent):
                    changed[name] = mine
        scopes, other_scopes = scope_set(own), scope_set(theirs)
        if scopes != other_scopes:
            old = list(map(scope_set, known))
            if not self._theirs_hold(own, identity, "scopes", old, scopes, other_scopes, frozenset()):
                changed["scopes"] = own.scopes
        if own.code_syntax != theirs.code_syntax:
            syntax = self._code_syntax(identity, own, theirs, known)
            if syntax != theirs.code_syntax:
                changed["code_syntax"] = syntax
        return changed

    def _members_of_one_kind(
        self, identity: TokenKey, family: MergedFamily, bases: Sequence[MergeInput]
    ) -> dict[str, Any]:
        """Return the type and the values in the family's modes of one side, chosen by a conflict of the type.

        In a mode that this side lacks, its default mode's value is used; extensions have no overrides there.
        """

        def is_as_in_base(side: MergeInput) -> bool:
            own = side.tokens[identity]
            return any(same_type(own, base.tokens[identity]) and side.has_values_of(base, identity) for base in bases)

        own, their = self.ours.tokens[identity], self.theirs.tokens[identity]
        key = ConflictKey(*identity, "type")
        if is_as_in_base(self.ours):
            holds: SideName = "theirs"
        elif is_as_in_base(self.theirs):
            holds = "ours"
        else:
            types = tuple(base.tokens[identity].type for base in bases)
            holds = self.policy.conflict(Conflict(key, types, own.type, their.type, own.key))
        self.policy.differences.append(Difference(key, holds))
        side = self.sides[holds]
        default = side.value(identity, side.default_mode(family.identity))
        values = tuple(
            side.value(identity, mode.identity)
            if side.has_mode(family.identity, mode.identity)
            else (default if mode.owner == family.identity[1] else None)
            for mode in family.modes
        )
        return {"type": side.tokens[identity].type, "values": values}

    def _code_syntax(
        self, identity: TokenKey, own: Token, theirs: Token, known: Sequence[Token]
    ) -> tuple[tuple[str, str], ...]:
        mine, other = dict(own.code_syntax), dict(theirs.code_syntax)
        merged = dict(other)
        for platform in sorted({*mine, *other}):
            ours, their = mine.get(platform, ""), other.get(platform, "")
            if ours != their:
                old = [dict(token.code_syntax).get(platform, "") for token in known]
                if not self._theirs_hold(own, identity, f"code syntax {platform}", old, ours, their, ""):
                    merged[platform] = ours
        return tuple(sorted((platform, text) for platform, text in merged.items() if text))

    def _theirs_hold(
        self,
        own: Token,
        identity: TokenKey,
        member: str,
        old: Sequence[object],
        mine: object,
        other: object,
        absent: object = ...,
    ) -> bool:
        key = ConflictKey(*identity, member)
        return self.policy.member(key, old, mine, other, absent=absent, token=own.key)

    def _value(self, identity: TokenKey, mode: MergedMode, own: Token | None) -> Value | None:
        """Return the value in a mode. A mode of only one side has that side's value, if any."""
        if mode.sides == "theirs":
            return self.theirs.value(identity, mode.identity)
        mine = self.ours.value(identity, mode.identity)
        if mode.sides == "ours":
            return mine
        theirs = self.theirs.value(identity, mode.identity)
        if mine is theirs or same(mine, theirs):
            return theirs
        family = identity[:2]
        old = [
            base.value(identity, mode.identity)
            for base in self.bases
            if identity in base.tokens and base.has_mode(family, mode.identity)
        ]
        fonts = font_list(mine)
        if fonts and type(theirs) is str and fonts[0] in (theirs, *old):  # a variable holds the first one only
            return mine if fonts[0] == theirs else Composite(canonical([theirs, *fonts[1:]]))
        if type(mine) is Quantity and mine.unit == "%" and own is not None and is_opacity(own.scopes):
            # The variable holds the number of the percentage (``tokensync.plan.desired``).
            theirs, *old = (Quantity(held, "%") if type(held) is float else held for held in (theirs, *old))
            if mine == theirs:
                return mine
        written = mine
        if isinstance(mine, Quantity | Composite):  # a token file may have more digits than a variable
            held = as_held(mine)
            if held == theirs:
                return written
            mine = held if held in old else mine
        if type(mine) is Quantity and type(theirs) is Quantity and mine.unit == "s":  # a variable's is in milliseconds
            mine = Quantity(normalized(mine.number * DURATIONS["s"]), "ms")
            if mine == theirs:
                return written
        key = ConflictKey(*identity, f"in {mode.identity}")
        token = self.ours.tokens.get(identity)
        context = self.ours.context(identity[:2], mode.identity)
        shown = {"token": None if token is None else token.key, "context": context}
        return theirs if self.policy.member(key, old, mine, theirs, absent=None, **shown) else written  # type: ignore[arg-type]


def _in_own_unit(own: Token, pixels: float) -> Value:
    """Return a length that is new to the token files, in rem if they have the token's other lengths in rem."""
    lengths = [value for value in own.values if type(value) in (float, Quantity)]
    if own.type != "dimension" or {type(length) is Quantity and length.unit for length in lengths} != {"rem"}:
        return pixels
    found = Quantity(normalized(pixels / PIXELS_PER_REM), "rem")
    return found if normalized(found.number * PIXELS_PER_REM) == pixels else pixels


def are_of_other_kinds(one: Token, other: Token) -> bool:
    """Return whether no value of one type can have the other type. Dimensions and numbers are of the same kind."""
    return RESOLVED_TYPES.get(one.type, one.type) != RESOLVED_TYPES.get(other.type, other.type)


def with_inherited_modes(graph: TokenGraph, theirs: TokenGraph) -> TokenGraph:
    """Return the graph with the modes that the platform will give this file's extensions.

    So token files can omit them, and removing the file of an extension's mode removes its overrides. Where an extension
    in ``theirs`` lacks a mode, it stays missing. New modes are at the end of a family.
    """
    known = {family.id: family for family in theirs.collections.values() if family.id}
    changed: dict[FamilyKey, Collection] = {}
    for key, family in graph.collections.items():
        if family.extensions and family.origin == "local":
            now = _inherit_modes(family, known.get(family.id) or replace(family, modes=(), extensions=()))
            if now != family:
                changed[key] = now
    if not changed:
        return graph
    added = {key: len(now.modes) - len(graph.collections[key].modes) for key, now in changed.items()}
    return TokenGraph(
        (changed.get(key, family) for key, family in graph.collections.items()),
        (
            replace(token, values=token.values + (None,) * count) if (count := added.get(key[:2], 0)) else token
            for key, token in graph.tokens.items()
        ),
    )


def _inherit_modes(family: Collection, was: Collection) -> Collection:
    """Return a family with the modes that extensions inherit. ``was`` is the platform's, without modes if it is new."""
    modes = list(family.modes)
    handles = {extension.id: extension.handle for extension in was.extensions if extension.id}
    ids = {(mode.collection, was.modes[mode.parent].id): mode.id for mode in was.modes if mode.parent is not None}
    followed = {(mode.collection, mode.parent) for mode in was.modes}
    missing = {  # (extension id, id of its parent's mode) wherever the platform has no mode that extends it
        (extension.id, above.id)
        for extension in was.extensions
        for column, above in enumerate(was.modes)
        if above.collection == extension.parent and (extension.handle, column) not in followed
    }
    contexts = {mode.context for mode in modes}
    for extension in _parents_first(family):
        if extension.origin != "local":
            continue
        slugs = {mode.slug for mode in modes if mode.collection == extension.handle}
        has = {mode.parent for mode in modes if mode.collection == extension.handle}
        for column, above in enumerate(family.modes if extension.parent == family.handle else tuple(modes)):
            if above.collection != extension.parent or column in has or (extension.id, above.id) in missing:
                continue
            slug = unique(above.slug, slugs)
            modes.append(
                Mode(
                    name=above.name,
                    collection=extension.handle,
                    slug=slug,
                    context=unique(f"{extension.handle}.{slug}", contexts),
                    id=ids.get((handles.get(extension.id, ""), above.id), "") if above.id else "",
                    parent=column,
                )
            )
    local = {extension.handle for extension in family.extensions if extension.origin == "local"}
    for column, mode in enumerate(modes):
        if mode.parent is not None and mode.name != modes[mode.parent].name and mode.collection in local:
            modes[column] = replace(mode, name=modes[mode.parent].name)
    defaults = {extension.id: was.modes[extension.default_mode].id for extension in was.extensions if extension.id}
    extensions = tuple(_with_default(extension, family, modes, defaults) for extension in family.extensions)
    return replace(family, modes=tuple(modes), extensions=extensions)


def _parents_first(family: Collection) -> list[Extension]:
    """Return the direct and indirect extensions of the root, the nearest first."""
    extending: dict[str, list[str]] = {}
    for extension in family.extensions:
        extending.setdefault(extension.parent, []).append(extension.handle)
    depth = {family.handle: 0}
    for handle, parent in closure(depth, lambda each: extending.get(each, ())).items():
        depth.setdefault(handle, depth[parent] + 1)
    return sorted((each for each in family.extensions if each.handle in depth), key=lambda each: depth[each.handle])


def _with_default(
    extension: Extension, family: Collection, modes: list[Mode], platform_defaults: Mapping[str, str]
) -> Extension:
    """Return the extension with the default mode that extends the root's, unless it has the platform's."""
    own = modes[extension.default_mode].id
    if extension.origin != "local" or (extension.id and own and platform_defaults.get(extension.id) == own):
        return extension
    line = {family.default_mode}
    for column, mode in enumerate(modes):
        if mode.parent in line:
            line.add(column)
    default = next((each for each in sorted(line) if modes[each].collection == extension.handle), None)
    return extension if default is None else replace(extension, default_mode=default)
