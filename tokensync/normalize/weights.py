"""Which texts are font weights: those of weight scopes (config/type-rules.toml) whose values all name one.

A token's type follows from its own values and from what they refer to, never from what refers to it: so a copy of a
library's token is of the same type as the token in the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from tokensync.mapping import RESOLVED_TYPES, name_of_path
from tokensync.normalize.families import shortened
from tokensync.tokens import Alias, DanglingAlias, TokenGraph
from tokensync.tokens.algorithms import closure
from tokensync.tokens.values import AS_TEXT, name_meant, weight_of
from tokensync.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.mapping import TypeRules
    from tokensync.normalize.families import Draft
    from tokensync.tokens import Token, TokenKey

_T = TypeVar("_T")
_SHOWN = 10


class _Cause(NamedTuple):
    """A value that names no weight, and the token and the column that have it."""

    key: TokenKey
    column: int
    text: str


class _Judged(NamedTuple):
    """``weights`` are the tokens whose values, and what these lead to, name weights; ``causes`` why others are none.

    A token that leads to no value at all is in neither.
    """

    weights: set[TokenKey]
    causes: dict[TokenKey, _Cause]


def weights(draft: Draft) -> None:
    """Step 4: make plain strings of what has a weight's scopes and names none, and report it once a collection."""
    candidates = [token.key for token in draft.tokens if token.type == AS_TEXT]
    if not candidates:
        return
    tokens = {token.key: token for token in draft.tokens}
    found = _judged(tokens, candidates)
    text = {key for key in candidates if key not in found.weights}
    draft.tokens = [replace(each, type="string") if each.key in text else each for each in draft.tokens]
    reported: dict[str, list[TokenKey]] = {}
    for key in candidates:
        if key in found.causes and tokens[key].origin == "local":
            reported.setdefault(key.collection, []).append(key)
    for handle, keys in reported.items():
        _report(draft, handle, keys, found.causes)


def with_weights(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph with the types that a pull would give its texts: a merge brings values together anew.

    A weight that names none becomes a string, and a string that the rules take for a weight becomes one. What leads to
    no value keeps its type.
    """
    candidates = [
        key
        for key, token in graph.tokens.items()
        if token.type == AS_TEXT or (token.type == "string" and _is_weight_by(rules, token, graph))
    ]
    found = _judged(graph.tokens, candidates)
    changed = {
        **{key: "string" for key in candidates if key in found.causes},
        **{key: AS_TEXT for key in candidates if key in found.weights},
    }
    changed = {key: token_type for key, token_type in changed.items() if graph.tokens[key].type != token_type}
    if not changed:
        return graph
    return TokenGraph(
        graph.collections.values(),
        (replace(each, type=changed[key]) if key in changed else each for key, each in graph.tokens.items()),
    )


def _is_weight_by(rules: TypeRules, token: Token, graph: TokenGraph) -> bool:
    if token.origin == "absent":  # nothing is known of its scopes
        return False
    name = name_of_path(token.key.path)
    return rules.type_of("STRING", token.scopes, name, graph.collection_of(token).name) == AS_TEXT


def _judged(tokens: Mapping[TokenKey, Token], candidates: Iterable[TokenKey]) -> _Judged:
    """Judge the candidates and all texts that they refer to, each once."""
    referring: dict[TokenKey, list[TokenKey]] = {}
    causes: dict[TokenKey, _Cause] = {}
    naming: dict[TokenKey, None] = {}
    pending = list(candidates)
    seen = set(pending)
    while pending:
        key = pending.pop()
        for column, value in enumerate(tokens[key].values):
            if isinstance(value, Alias):
                if _is_text(tokens.get(value.target)):
                    referring.setdefault(value.target, []).append(key)
                    if value.target not in seen:
                        seen.add(value.target)
                        pending.append(value.target)
            elif weight_of(value) is not None:
                naming[key] = None
            elif value is not None and not isinstance(value, DanglingAlias):
                causes.setdefault(key, _Cause(key, column, value if isinstance(value, str) else str(value)))
    _spread(causes, referring)
    _spread(naming, referring)
    return _Judged(naming.keys() - causes.keys(), causes)


def _is_text(token: Token | None) -> bool:
    return token is not None and RESOLVED_TYPES.get(token.type) == "STRING"


def _spread(found: dict[TokenKey, _T], referring: Mapping[TokenKey, Sequence[TokenKey]]) -> None:
    """Give what was found of a token to all that refer to it, however indirectly."""
    for key, through in closure(found, lambda each: referring.get(each, ())).items():
        found[key] = found[through]


def _report(draft: Draft, handle: str, keys: list[TokenKey], causes: Mapping[TokenKey, _Cause]) -> None:
    collection = next(each for each in draft.collections if each.handle == handle)
    label = shortened(collection.name or handle)
    own = [causes[key] for key in keys if causes[key].key == key]
    texts = list(dict.fromkeys(causes[key].text for key in keys))
    shown = listed([f'"{shortened(each)}"' for each in texts], _SHOWN)
    verb = "names" if len(texts) == 1 else "name"
    if len(keys) == 1:
        (key,) = keys
        mode = collection.modes[own[0].column] if own else None
        where = [label, _name(key), *([] if mode is None else [shortened(mode.name or mode.context)])]
        of = "" if own else f" of {_name(causes[key].key)}, which it refers to,"
        what = f"{shown}{of} {verb} no font weight, so it stays text"
    else:
        where = [label]
        names = listed(list(map(_name, keys)), _SHOWN)
        what = f"{shown} {verb} no font weight, so {len(keys)} variables stay text ({names})"
    meant = next(filter(None, map(name_meant, texts[:_SHOWN])), "")
    if_so = f'write "{meant}"; if text is meant' if meant else "if that is meant"
    to_do = f'{if_so}, say so with a [[types]] rule of type = "string"'
    draft.report("font-weight-text", " / ".join(where), what, to_do)


def _name(key: TokenKey) -> str:
    return shortened(name_of_path(key.path))
