"""Identify the tokens of a migration: the variable that each one is already, or else a new one with a settled name.

Variables are matched by key, by id, by the record of the last migration, then by name; collections and modes by id, by
the record, then by name. Names are valid on the platform, within its limit, and distinct even without regard to case.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.dtcg.spelling import ROOT
from tokensync.migrate.conversion.mapping_file import LONGEST_NAME, MappedCollection
from tokensync.migrate.readers.figma_export import FIGMA_NAME
from tokensync.migrate.record import Record, places_of
from tokensync.normalize.mapping import COLLECTION, MODE, slug, unique
from tokensync.tokens import Collection, Mode, Token, TokenGraph, TokenKey
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from tokensync.migrate.conversion.assignment import Draft
    from tokensync.migrate.source import SourceTheme

_REFUSED = re.compile(r"[.{}]+")
"""What the platform refuses in the name of a new variable."""
_PLAIN = re.compile(r"[\w-]+(?:\n[\w-]+)*")

_CUT = "\N{HORIZONTAL ELLIPSIS}"

Names = tuple[str, ...]


class Renaming:
    """The new names of tokens and groups that a mapping has by their old paths, which have dots."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self.used: set[str] = set()

    def __call__(self, names: Names) -> Names:
        """Return the new names of a token: by its own path, else by that of its innermost group."""
        if not self._table:
            return names
        for length in range(len(names), 0, -1):
            old = ".".join(names[:length])
            if old in self._table:
                self.used.add(old)
                return (*self._table[old].split("."), *names[length:])
        return names

    @property
    def unused(self) -> list[str]:
        """Return the old paths that no token has had so far."""
        return [each for each in self._table if each not in self.used]


def valid_names(names: Iterable[str]) -> Names:
    """Return the names as groups and a token of the platform: at slashes they divide, and spaces at edges are cut.

    The token that is the value of its group has the name of the group. Names that are valid are returned as they are.
    """
    names = tuple(names)
    if len(names) > 1 and names[-1] == ROOT:
        names = names[:-1]
    if _PLAIN.fullmatch("\n".join(names)):
        return names
    parts = (part.strip() for name in names for part in name.split("/"))
    valid = tuple(
        replaced for part in parts if (replaced := _REFUSED.sub("-", part) if _REFUSED.search(part) else part)
    )
    return valid or ("unnamed",)


class NamesOfCollection:
    """The names of a collection. ``present`` are those of its variables that no token has been matched with yet."""

    def __init__(self, present: Iterable[str] = ()) -> None:
        self._present = {each.casefold(): each for each in present}
        self._used: set[str] = set()

    def add(self, names: Names) -> Names:
        """Return names that differ from all others, as they are or with a number at the last one.

        They may be exactly those of a variable that is present, which then is this token.
        """
        result, number = names if len("/".join(names)) <= LONGEST_NAME else self._fitting(names, ""), 1
        while not self._is_free("/".join(result)):
            number += 1
            result = self._fitting(names, f"-{number}")
        self._used.add("/".join(result).casefold())
        return result

    def _is_free(self, name: str) -> bool:
        folded = name.casefold()
        return folded not in self._used and self._present.get(folded, name) == name

    @staticmethod
    def _fitting(names: Names, ending: str) -> Names:
        """Return names with an ending, of which the last one is cut if all are longer than the platform allows."""
        excess = len("/".join(names)) + len(ending) - LONGEST_NAME
        last = names[-1]
        if excess <= 0:
            return (*names[:-1], last + ending)
        if excess < len(last) - 1:
            return (*names[:-1], f"{last[: len(last) - excess - 1]}{_CUT}{ending}")
        return (f"{'-'.join(names)[: LONGEST_NAME - len(ending) - 1]}{_CUT}{ending}",)


class Family(NamedTuple):
    """A collection as it will be, and the column of each mapped mode in it."""

    collection: Collection
    columns: tuple[int, ...]

    @property
    def added(self) -> int:
        """Return the number of its modes."""
        return len(self.collection.modes)


class Mapped(NamedTuple):
    """A mapped collection with the themes of its modes, and the keys and ids of the variables that its tokens were."""

    collection: MappedCollection
    themes: Sequence[SourceTheme]
    identities: Sequence[str] = ()

    @property
    def places(self) -> frozenset[tuple[str, str]]:
        """Return its themes and sets, which tell collections of the source apart."""
        return places_of((mode.theme for mode in self.collection.modes), self.collection.sets)


class Present:
    """The local collections and tokens of a design file, and those that migrations have written."""

    def __init__(self, graph: TokenGraph, file: str, record: Record | None = None) -> None:
        self.graph = graph
        self.file = file
        self.record = (record or Record()).present_in(graph)
        self._collections = [
            each for each in graph.collections.values() if each.file == file and each.origin == "local"
        ]
        tokens = [each for key, each in graph.tokens.items() if key.file == file and each.origin == "local"]
        self._by_key = {token.variable_key: token for token in tokens if token.variable_key}
        self._by_id = {token.id: token for token in tokens if token.id}
        self._handles = {collection.handle for collection in graph.collections.values() if collection.file == file}
        self._handles |= {one.handle for collection in graph.collections.values() for one in collection.extensions}
        self._places = self.record.places
        self._recorded: dict[tuple[str, str], list[tuple[str, TokenKey]]] = {}
        self._recorded_ids = {origin.id: key for key, origin in self.record.origins.items() if origin.id}
        for key, origin in self.record.origins.items():
            self._recorded.setdefault((key.collection, origin.path), []).append((origin.set, key))

    def families(self, mapped: Sequence[Mapped]) -> list[Family]:
        """Return the collection of each mapped one as it will be; present modes and their order stay.

        A collection of the design file belongs to one mapped collection. It is found by the id in the themes, by the
        themes and sets that the last migration had for it, by its name, or by the variables that the tokens were.
        """
        found: dict[int, Collection] = {}
        for step in (self._by_theme_id, self._by_same_places, self._by_name, self._by_places, self._by_identities):
            for at, each in enumerate(mapped):
                taken = {collection.handle for collection in found.values()}
                if at not in found and (collection := step(each, taken)) is not None and collection.handle not in taken:
                    found[at] = collection
        return [self._family(each, found.get(at)) for at, each in enumerate(mapped)]

    def _by_theme_id(self, mapped: Mapped, taken: Container[str]) -> Collection | None:
        ids = {theme.collection_id for theme in mapped.themes if theme.collection_id}
        return next((collection for collection in self._collections if collection.id in ids), None)

    def _by_same_places(self, mapped: Mapped, taken: Container[str]) -> Collection | None:
        named = self._by_name(mapped, taken)
        if named is not None and named.key not in self.record.graph.collections:
            return None  # it is not of a migration, and the mapping names it
        same = (key for key, places in self._places.items() if places == mapped.places)
        return next((self.graph.collections[key] for key in same if key in self.graph.collections), None)

    def _by_name(self, mapped: Mapped, taken: Container[str]) -> Collection | None:
        folded = mapped.collection.name.strip().casefold()
        return next((each for each in self._collections if each.name.strip().casefold() == folded), None)

    def _by_places(self, mapped: Mapped, taken: Container[str]) -> Collection | None:
        shared = {
            key: len(places & mapped.places)
            for key, places in self._places.items()
            if key in self.graph.collections and key[1] not in taken
        }
        best = max(shared, key=shared.__getitem__, default=None)
        return self.graph.collections[best] if best is not None and shared[best] else None

    def _by_identities(self, mapped: Mapped, taken: Container[str]) -> Collection | None:
        found = Counter(key[:2] for identity in mapped.identities if (key := self._key_of(identity)))
        names = {mode.name.casefold() for mode in mapped.collection.modes}

        def rank(key: tuple[str, str]) -> tuple[int, int]:
            modes = self.graph.collections[key].modes
            return sum(mode.name.strip().casefold() in names for mode in modes), found[key]

        return self.graph.collections[max(found, key=rank)] if found else None

    def _key_of(self, identity: str) -> TokenKey | None:
        """Return the token that a migration wrote for a variable, or else the one with its key or id."""
        token = self._by_key.get(identity) or self._by_id.get(identity)
        return self._recorded_ids.get(identity) or (token.key if token else None)

    def _family(self, each: Mapped, present: Collection | None) -> Family:
        """Return the collection with the modes of a mapped one. What the mapping has renamed gets its new name."""
        mapped, themes = each.collection, each.themes
        names = [mode.name for mode in mapped.modes] or ["Default"]
        ids = [theme.mode_id for theme in themes] or [""]
        if present is None:
            handle = unique(slug(mapped.name, COLLECTION), self._handles)
            modes, _ = _with_modes((), handle, names, ids)
            return Family(
                Collection(file=self.file, handle=handle, name=mapped.name, modes=modes), tuple(range(len(modes)))
            )
        recorded = self.record.graph.collections.get(present.key)
        if recorded is not None and recorded.name != mapped.name:
            present = replace(present, name=mapped.name)
        own = [mode for mode in present.modes if mode.collection == present.handle]
        if not mapped.modes:
            return Family(present, (present.default_mode,))
        contexts = {theme: context for context, theme in self.record.themes.get(present.key, {}).items()}
        former = {} if recorded is None else {mode.context: mode.name for mode in recorded.modes}
        known = [contexts.get(mode.theme, "") for mode in mapped.modes]
        renamed = {
            context: name
            for context, name in zip(known, names, strict=True)
            if context in former and former[context] != name
        }
        if renamed:
            modes = tuple(
                replace(mode, name=renamed[mode.context]) if mode.context in renamed else mode for mode in present.modes
            )
            present = replace(present, modes=modes)
        elif len(own) == len(names) == 1:  # a collection of one mode keeps its name
            return Family(present, (present.modes.index(own[0]),))
        modes, columns = _with_modes(present.modes, present.handle, names, ids, known)
        return Family(replace(present, modes=modes), columns)

    def recorded(self, handle: str, draft: Draft) -> Token | None:
        """Return what the last migration wrote for a draft: for its variable, or with its path and, if more have that,
        its set. A name that another variable had before is not the same token.
        """
        own_id = source_id(draft)
        known = self._recorded_ids.get(own_id)
        if known is not None and known.collection == handle:
            return self.record.graph.tokens.get(known)
        named = self._recorded.get((handle, draft.path), ())
        found = [(name, key) for name, key in named if not (own_id and self.record.origins[key].id)]
        if not found:
            return None
        cell = draft.cells[0]
        own = cell.theme.own.get(cell.path, "")
        key = next((key for name, key in found if name == own), found[0][1])
        return self.record.graph.tokens.get(key)

    def now(self, recorded: Token | None) -> Token | None:
        """Return the token that a recorded one is now: by its id, or else by its name."""
        if recorded is None:
            return None
        key = recorded.key
        return (self._by_id.get(recorded.id) if recorded.id else None) or self.named(key.collection, key.path)

    @property
    def has_identities(self) -> bool:
        """Return whether any variable has a key or an id, or had one in the source of a migration."""
        return bool(self._by_key or self._by_id or self._recorded_ids)

    def tokens(self, keys: Iterable[str], ids: Iterable[str]) -> list[Token]:
        """Return the variables with one of these keys, then those with one of these ids."""
        found = [*map(self._by_key.get, keys), *map(self._by_id.get, ids)]
        return [*{token.key: token for token in found if token is not None}.values()]

    def named(self, handle: str, path: str) -> Token | None:
        """Return the local token with a path in a collection."""
        found = self.graph.tokens.get(TokenKey(self.file, handle, path))
        return found if found is not None and found.origin == "local" else None

    def tokens_of(self, handle: str) -> Iterable[Token]:
        """Return the local tokens of a collection."""
        return (
            each for key, each in self.graph.tokens.items() if key[:2] == (self.file, handle) and each.origin == "local"
        )


def _with_modes(
    present: tuple[Mode, ...], handle: str, names: Sequence[str], ids: Sequence[str], known: Sequence[str] = ()
) -> tuple[tuple[Mode, ...], tuple[int, ...]]:
    """Return the modes with those that are missing at the end, and the column of each name.

    ``known`` are the contexts of modes that the last migration wrote for the same themes.
    """
    known = known or [""] * len(names)
    modes = [*present]
    slugs = {mode.slug for mode in modes if mode.collection == handle}
    contexts = {mode.context for mode in modes}
    columns: list[int] = []
    free = [at for at, each in enumerate(modes) if each.collection == handle]
    kept = {*known} & contexts
    for name, mode_id, context in zip(names, ids, known, strict=True):
        found = next((at for at in free if mode_id and modes[at].id == mode_id), None)
        if found is None:
            found = next((at for at in free if modes[at].context == context), None)
        if found is None:
            folded = name.casefold()
            own = (at for at in free if modes[at].context not in kept)
            found = next((at for at in own if modes[at].name.strip().casefold() == folded), None)
        if found is None:
            found = len(modes)
            own_slug = unique(slug(name, MODE), slugs)
            modes.append(Mode(name=name, collection=handle, slug=own_slug, context=unique(own_slug, contexts)))
        else:
            free.remove(found)
        columns.append(found)
    return tuple(modes), tuple(columns)


class Target(NamedTuple):
    """A token of the migration: its draft and type, its key, and the variable that it updates, if any.

    ``has_other_name`` means that the platform does not allow the name that the source and the mapping give it.
    ``others`` are variables that have other keys or ids of the token, and stay as they are. ``recorded`` is what the
    last migration wrote for it.
    """

    draft: Draft
    type: str
    key: TokenKey
    present: Token | None
    has_other_name: bool
    others: tuple[Token, ...] = ()
    recorded: Token | None = None


class Targets:
    """Finds the token that a reference leads to: of the own set for sets without a theme, else that of the themes."""

    def __init__(self, targets: Sequence[Target], of_sets: Mapping[tuple[str, str], Draft]) -> None:
        places = {id(draft): place for place, draft in of_sets.items()}
        self._of_sets: dict[tuple[str, str], Target] = {}
        self._by_path: dict[str, Target] = {}
        later: list[Target] = []
        for target in targets:
            place = places.get(id(target.draft))
            if place is None:
                self._by_path.setdefault(target.draft.path, target)
            else:
                self._of_sets[place] = target
                later.append(target)
        for each in later:
            self._by_path.setdefault(each.draft.path, each)

    def find(self, path: str, own_set: str) -> Target | None:
        """Return the target with a path; ``own_set`` is the set of the token that refers to it."""
        return (self._of_sets and self._of_sets.get((own_set, path))) or self._by_path.get(path)


def identify(
    typed: Iterable[tuple[Draft, str]], families: Sequence[Family], present: Present, rename: Callable[[Names], Names]
) -> list[Target]:
    """Return the targets of drafts with their types, in their order.

    A variable of the design file is found by key, by id, by the record, then by name, and belongs to the first draft
    that finds it. Its name is settled before those of new ones, so that a second migration changes nothing. A name that
    was edited since then stays.
    """
    drafts = list(typed)
    handles = [families[draft.collection].collection.handle for draft, _ in drafts]
    found: dict[int, Token] = {}
    taken: set[TokenKey] = set()
    others: dict[int, tuple[Token, ...]] = {}
    recorded = [present.recorded(handle, draft) for handle, (draft, _) in zip(handles, drafts, strict=True)]
    for at, (draft, _) in enumerate(drafts if present.has_identities or any(recorded) else ()):
        known = _by_identity(draft, present)
        written = present.now(recorded[at])
        # Ids are unique in one design file only, so the record of this source comes before an equal id.
        candidates = known if written is None else [written, *known] if source_id(draft) else [*known, written]
        token = next(
            (each for each in candidates if each.key.collection == handles[at] and each.key not in taken), None
        )
        if token is not None:
            found[at] = token
            taken.add(token.key)
        others[at] = tuple(each for each in known if each is not token and each.key not in taken)
    names = {
        family.collection.handle: NamesOfCollection(
            "/".join(names_of_path(token.key.path))
            for token in present.tokens_of(family.collection.handle)
            if token.key not in taken
        )
        for family in families
    }
    targets: dict[int, Target] = {}
    for at in (*found, *(each for each in range(len(drafts)) if each not in found)):
        draft, token_type = drafts[at]
        wanted, own, was = rename(_own_name(draft)), found.get(at), recorded[at]
        if own and was and own.key.path != was.key.path == path_of(valid_names(wanted)):
            wanted = names_of_path(own.key.path)
        final = names[handles[at]].add(valid_names(wanted))
        key = TokenKey(present.file, handles[at], draft.path if final is draft.name else path_of(final))
        token = own or present.named(handles[at], key.path)
        has_other_name = final is not wanted and "/".join(final) != "/".join(wanted).removesuffix(f"/{ROOT}")
        targets[at] = Target(draft, token_type, key, token, has_other_name, others.get(at, ()), was)
    return [targets[at] for at in range(len(drafts))]


def source_id(draft: Draft) -> str:
    """Return the id of the variable that a token was in its source; a member of a composite has none."""
    return "" if draft.member else draft.cells[0].at.id


def _own_name(draft: Draft) -> Names:
    """Return the names of a token; those of a variable may differ from those that references use."""
    name = "" if draft.member else draft.cells[0].at.extensions.get(FIGMA_NAME)
    return tuple(name.split("/")) if isinstance(name, str) and name else draft.name


def _by_identity(draft: Draft, present: Present) -> list[Token]:
    """Return the variables with a key or id that the source has for a token; a member of a composite has none."""
    if draft.member:
        return []
    themes = [cell.theme.theme for cell in draft.distinct]
    keys = [theme.keys[draft.path] for theme in themes if draft.path in theme.keys]
    definitions = [cell.at for cell in draft.distinct]
    keys += (definition.key for definition in definitions if definition.key)
    ids = [definition.id for definition in definitions if definition.id]
    return present.tokens(keys, ids) if keys or ids else []
