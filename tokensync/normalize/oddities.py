"""Step 4: what is unusual about a response and yet has a defined outcome, told once a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import path_of_name
from tokensync.normalize.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens import Token

_SHOWN = 3


def oddities(draft: Draft) -> None:
    """Report repeated collection names, stale remote copies, deleted variables, and names and scopes to know about."""
    _repeated_names(draft)
    _stale_copies(draft)
    by_handle: dict[str, list[Token]] = {}
    for token in draft.tokens:
        by_handle.setdefault(token.key.collection, []).append(token)
    for collection in draft.collections:
        tokens = by_handle.get(collection.handle, [])
        _deleted(draft, collection.name, tokens)
        if collection.origin == "local":
            live = [token for token in tokens if token.origin == "local"]
            _groups(draft, collection.name, live)
            _encoded(draft, collection.name, live)
            _unscoped(draft, collection.name, live)


def _repeated_names(draft: Draft) -> None:
    by_name: dict[str, list[str]] = {}
    for family in draft.collections:
        if family.origin != "absent":
            by_name.setdefault(family.name, []).append(family.handle)
        for extension in family.extensions:
            by_name.setdefault(extension.name, []).append(extension.handle)
    for name, handles in by_name.items():
        if len(handles) > 1:
            what = f"{len(handles)} collections have this name; their handles are {', '.join(handles)}"
            draft.report("collection-name-repeated", name, what, "use the handles in tokensync.toml")


def _stale_copies(draft: Draft) -> None:
    by_key: dict[str, list[str]] = {}
    for variable in draft.snapshot.local.variables.values():
        if variable.key:
            by_key.setdefault(variable.key, []).append(variable.id)
    repeated = [ids for ids in by_key.values() if len(ids) > 1]
    if repeated:
        variables = draft.snapshot.local.variables
        named = _some(variables[ids[0]].name for ids in repeated)
        what = f"{len(repeated)} variables are there in several copies under one key ({named})"
        to_do = "each alias follows the copy that it names; update the libraries that the file uses"
        draft.report("remote-copy-stale", draft.file, what, to_do)


def _deleted(draft: Draft, collection: str, tokens: list[Token]) -> None:
    deleted = [token.key.path.replace(".", "/") for token in tokens if token.origin == "deleted"]
    if deleted:
        what = f"{len(deleted)} deleted variables are still referred to ({_some(deleted)})"
        draft.report("variable-deleted", collection, what, "they are not declared; references to them become literals")


def _groups(draft: Draft, collection: str, live: list[Token]) -> None:
    groups = {token.key.path[: token.key.path.rfind(".")] for token in live if "." in token.key.path}
    for group in tuple(groups):
        while "." in group:
            group = group[: group.rfind(".")]
            groups.add(group)
    both = [token.key.path.replace(".", "/") for token in live if token.key.path in groups]
    if both:
        what = f"{len(both)} variables have the name of a group ({_some(both)})"
        draft.report("leaf-and-group", collection, what, "token files hold them as $root of the group")


def _encoded(draft: Draft, collection: str, live: list[Token]) -> None:
    odd = [token.key.path for token in live if "%" in token.key.path and _is_encoded(draft, token)]
    if odd:
        what = f"{len(odd)} names hold what token files do not allow ({_some(odd)})"
        draft.report("name-encoded", collection, what, "it is percent-encoded there and comes back as it was")


def _is_encoded(draft: Draft, token: Token) -> bool:
    name = draft.snapshot.local.variables[token.id].name
    return path_of_name(name) != name.replace("/", ".") or "." in name


def _unscoped(draft: Draft, collection: str, live: list[Token]) -> None:
    bare = [token.key.path.replace(".", "/") for token in live if not token.scopes]
    if bare:
        what = f"{len(bare)} variables have no scopes ({_some(bare)})"
        draft.report(
            "scopes-empty", collection, what, "numbers among them stay plain numbers; a [[types]] rule can tell more"
        )


def _some(names: Iterable[str]) -> str:
    """The first few names, and a mark that there are more."""
    shown = list(names)
    text = ", ".join(name if len(name) <= 60 else f"{name[:60]}…" for name in shown[:_SHOWN])
    return f"{text}, …" if len(shown) > _SHOWN else text
