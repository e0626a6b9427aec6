"""Identify the tokens of a migration: the variable that each one is already, or else a new one with a settled name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.dtcg.spelling import ROOT
from tokensync.migrate.conversion.token_names import NamesOfCollection, valid_names
from tokensync.migrate.readers.figma_export import FIGMA_NAME
from tokensync.tokens import Token, TokenKey
from tokensync.tokens.paths import names as names_of_path
from tokensync.tokens.paths import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.migrate.conversion.assignment import Draft
    from tokensync.migrate.conversion.present import Family, Present
from tokensync.migrate.conversion.token_names import Names


class Target(NamedTuple):
    """A token of the migration: its draft and type, its key, and the variable that it updates, if any.

    ``has_other_name`` means that the platform does not allow the name that the source and the mapping give it.
    ``others`` are variables that have other keys or ids of the token, and stay as they are.
    """

    draft: Draft
    type: str
    key: TokenKey
    present: Token | None
    has_other_name: bool
    others: tuple[Token, ...] = ()


class Targets:
    """Finds the token that a reference leads to: of the own set for sets without a theme, else that of the themes."""

    def __init__(self, targets: Sequence[Target], of_sets: Mapping[tuple[str, str], Draft]) -> None:
        places = {id(draft): place for place, draft in of_sets.items()}
        self._of_sets: dict[tuple[str, str], Target] = {}
        self._by_path: dict[str, Target] = {}
        later: list[Target] = []
        for each in targets:
            place = places.get(id(each.draft))
            if place is None:
                self._by_path.setdefault(each.draft.path, each)
            else:
                self._of_sets[place] = each
                later.append(each)
        for each in later:
            self._by_path.setdefault(each.draft.path, each)

    def find(self, path: str, own_set: str) -> Target | None:
        """Return the target with a path; ``own_set`` is the set of the token that refers to it."""
        return (self._of_sets and self._of_sets.get((own_set, path))) or self._by_path.get(path)


def identify(
    typed: Iterable[tuple[Draft, str]],
    families: Sequence[Family],
    present: Present,
    rename: Callable[[Names], Names],
) -> list[Target]:
    """Return the targets of drafts with their types, in their order.

    A variable of the design file is found by key, by id, then by name, and belongs to the first draft that finds it.
    Its name is settled before those of new ones, so that a second migration changes nothing.
    """
    drafts = list(typed)
    handles = [families[draft.collection].collection.handle for draft, _ in drafts]
    found: dict[int, Token] = {}
    taken: set[TokenKey] = set()
    others: dict[int, tuple[Token, ...]] = {}
    for at, (draft, _) in enumerate(drafts if present.has_identities else ()):
        known = _by_identity(draft, present)
        token = next((each for each in known if each.key.collection == handles[at] and each.key not in taken), None)
        if token is not None:
            found[at] = token
            taken.add(token.key)
        others[at] = tuple(each for each in known if each is not token and each.key not in taken)
    names = {
        each.collection.handle: NamesOfCollection(
            "/".join(names_of_path(token.key.path))
            for token in present.tokens_of(each.collection.handle)
            if token.key not in taken
        )
        for each in families
    }
    targets: dict[int, Target] = {}
    for at in (*found, *(each for each in range(len(drafts)) if each not in found)):
        draft, token_type = drafts[at]
        wanted = rename(_own_name(draft))
        final = names[handles[at]].add(valid_names(wanted))
        key = TokenKey(present.file, handles[at], draft.path if final is draft.name else path_of(final))
        token = found.get(at) or present.named(handles[at], key.path)
        has_other_name = final is not wanted and "/".join(final) != "/".join(wanted).removesuffix(f"/{ROOT}")
        targets[at] = Target(draft, token_type, key, token, has_other_name, others.get(at, ()))
    return [targets[at] for at in range(len(drafts))]


def _own_name(draft: Draft) -> Names:
    """Return the names of a token; those of a variable may differ from those that references use."""
    name = "" if draft.member else draft.cells[0].at.extensions.get(FIGMA_NAME)
    return tuple(name.split("/")) if isinstance(name, str) and name else draft.name


def _by_identity(draft: Draft, present: Present) -> list[Token]:
    """Return the variables with a key or id that the source has for a token; a member of a composite has none."""
    if draft.member:
        return []
    themes = [cell.theme.theme for cell in draft.distinct]
    keys = [each.keys[draft.path] for each in themes if draft.path in each.keys]
    definitions = [cell.at for cell in draft.distinct]
    keys += (each.key for each in definitions if each.key)
    ids = [each.id for each in definitions if each.id]
    return present.tokens(keys, ids) if keys or ids else []
