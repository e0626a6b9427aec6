"""Step 5: what is unusual about a response and yet has a defined outcome, told once a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import name_of_path
from tokensync.normalize.draft import Draft, shortened
from tokensync.tokens.paths import groups_around

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        name = shortened(collection.name or collection.handle)
        _deleted(draft, name, tokens)
        if collection.origin == "local":
            live = [token for token in tokens if token.origin == "local"]
            _groups(draft, name, live)
            _encoded(draft, name, live)
            _unscoped(draft, name, live)


def _repeated_names(draft: Draft) -> None:
    by_name: dict[str, list[str]] = {}
    for family in draft.collections:
        if family.origin != "absent":
            by_name.setdefault(family.name, []).append(family.handle)
        for extension in family.extensions:
            by_name.setdefault(extension.name, []).append(extension.handle)
    for name, handles in by_name.items():
        if len(handles) > 1:
            what = f"{len(handles)} collections have this name (their handles: {_some(handles)})"
            draft.report("collection-name-repeated", shortened(name), what, "use the handles in tokensync.toml")


def _stale_copies(draft: Draft) -> None:
    first: dict[str, str] = {}
    repeated: dict[str, str] = {}
    for variable in draft.snapshot.local.variables.values():
        key = variable.key
        if key:
            if key in first:
                repeated[key] = first[key]
            else:
                first[key] = variable.name
    if repeated:
        counted = "1 variable is" if len(repeated) == 1 else f"{len(repeated)} variables are"
        what = f"{counted} there in several copies under one key ({_some(list(repeated.values()))})"
        to_do = "update the libraries that the file uses (each alias follows the copy that it names)"
        draft.report("remote-copy-stale", draft.file, what, to_do)


def _deleted(draft: Draft, collection: str, tokens: list[Token]) -> None:
    deleted = [token for token in tokens if token.origin == "deleted"]
    if deleted:
        counted = "1 deleted variable is" if len(deleted) == 1 else f"{len(deleted)} deleted variables are"
        what = f"{counted} still referred to ({_names(draft, deleted)})"
        to_do = "references to it become literals" if len(deleted) == 1 else "references to them become literals"
        draft.report("variable-deleted", collection, what, to_do)


def _groups(draft: Draft, collection: str, live: list[Token]) -> None:
    paths = {token.key.path for token in live}
    groups = {group for path in paths for group in groups_around(path) if group in paths}
    both = [token for token in live if token.key.path in groups]
    if both:
        counted = "1 variable has" if len(both) == 1 else f"{len(both)} variables have"
        what = f"{counted} the name of a group ({_names(draft, both)})"
        draft.report("leaf-and-group", collection, what, "token files hold the value as $root of the group")


def _encoded(draft: Draft, collection: str, live: list[Token]) -> None:
    odd = [token for token in live if "%" in token.key.path and _is_encoded(token.key.path)]
    if odd:
        counted = "1 name holds" if len(odd) == 1 else f"{len(odd)} names hold"
        what = f"{counted} what a token's name may not ({_names(draft, odd)})"
        draft.report(
            "name-encoded", collection, what, "token files have it percent-encoded, and it comes back as it was"
        )


def _is_encoded(path: str) -> bool:
    return name_of_path(path) != path.replace(".", "/")


def _unscoped(draft: Draft, collection: str, live: list[Token]) -> None:
    bare = [token for token in live if not token.scopes]
    if bare:
        counted = "1 variable has" if len(bare) == 1 else f"{len(bare)} variables have"
        what = f"{counted} no scopes ({_names(draft, bare)})"
        to_do = "numbers among them stay plain numbers, and a [[types]] rule can tell more"
        draft.report("scopes-empty", collection, what, to_do)


def _names(draft: Draft, tokens: Sequence[Token]) -> str:
    variables = draft.snapshot.local.variables
    shown = [variables[token.id].name for token in tokens[: _SHOWN + 1]]
    return _some(shown)


def _some(names: Sequence[str]) -> str:
    """The first few names, and a mark that there are more."""
    text = ", ".join(shortened(name) for name in names[:_SHOWN])
    return f"{text}, …" if len(names) > _SHOWN else text
