"""Step 5: decides which string variables with font weight scopes (config/type-rules.toml) are font weights.

A token's type depends on its values and their targets, and not on the tokens that refer to it. The copy of a library's
token therefore has the same type as the token in the library.
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
    """A text that is not the name of a weight, and its token and column."""

    key: TokenKey
    column: int
    text: str


class _Classification(NamedTuple):
    """The tokens that are ``weights``, and the ``causes`` why other tokens are not.

    A token that resolves to no value is in neither.
    """

    weights: set[TokenKey]
    causes: dict[TokenKey, _Cause]


def weights(draft: Draft) -> None:
    """Change tokens that are not font weights to strings, and report them once for each collection."""
    candidates = [token.key for token in draft.tokens if token.type == AS_TEXT]
    if not candidates:
        return
    tokens = {token.key: token for token in draft.tokens}
    classified = _classified(tokens, candidates)
    strings = {key for key in candidates if key not in classified.weights}
    draft.tokens = [replace(each, type="string") if each.key in strings else each for each in draft.tokens]
    reported: dict[str, list[TokenKey]] = {}
    for key in candidates:
        if key in classified.causes and tokens[key].origin == "local":
            reported.setdefault(key.collection, []).append(key)
    for handle, keys in reported.items():
        _report(draft, handle, keys, classified.causes)


def with_weights(graph: TokenGraph, rules: TypeRules) -> TokenGraph:
    """Return the graph with the types that a pull would set for strings and font weights, for merged values.

    A weight that is not the name of one becomes a string, and a string that is a weight by the rules becomes a weight.
    A token that resolves to no value keeps its type.
    """
    candidates = [
        key
        for key, token in graph.tokens.items()
        if token.type == AS_TEXT or (token.type == "string" and _is_weight_by(rules, token, graph))
    ]
    classified = _classified(graph.tokens, candidates)
    changed = {
        **{key: "string" for key in candidates if key in classified.causes},
        **{key: AS_TEXT for key in candidates if key in classified.weights},
    }
    changed = {key: token_type for key, token_type in changed.items() if graph.tokens[key].type != token_type}
    if not changed:
        return graph
    return TokenGraph(
        graph.collections.values(),
        (replace(each, type=changed[key]) if key in changed else each for key, each in graph.tokens.items()),
    )


def _is_weight_by(rules: TypeRules, token: Token, graph: TokenGraph) -> bool:
    if token.origin == "absent":  # its scopes are unknown
        return False
    name = name_of_path(token.key.path)
    return rules.type_of("STRING", token.scopes, name, graph.collection_of(token).name) == AS_TEXT


def _classified(tokens: Mapping[TokenKey, Token], candidates: Iterable[TokenKey]) -> _Classification:
    """Classify the candidates and all string tokens that they depend on."""
    referring: dict[TokenKey, list[TokenKey]] = {}
    causes: dict[TokenKey, _Cause] = {}
    with_weight: dict[TokenKey, None] = {}
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
                with_weight[key] = None
            elif value is not None and not isinstance(value, DanglingAlias):
                causes.setdefault(key, _Cause(key, column, value if isinstance(value, str) else str(value)))
    _propagate(causes, referring)
    _propagate(with_weight, referring)
    return _Classification(with_weight.keys() - causes.keys(), causes)


def _is_text(token: Token | None) -> bool:
    return token is not None and RESOLVED_TYPES.get(token.type) == "STRING"


def _propagate(values: dict[TokenKey, _T], referring: Mapping[TokenKey, Sequence[TokenKey]]) -> None:
    """Copy the value of each token to its direct and indirect dependents."""
    for key, through in closure(values, lambda each: referring.get(each, ())).items():
        values[key] = values[through]


def _report(draft: Draft, handle: str, keys: list[TokenKey], causes: Mapping[TokenKey, _Cause]) -> None:
    collection = next(each for each in draft.collections if each.handle == handle)
    label = draft.families[collection.id].label
    own = [causes[key] for key in keys if causes[key].key == key]
    texts = list(dict.fromkeys(causes[key].text for key in keys))
    shown = listed([f'"{shortened(each)}"' for each in texts], _SHOWN)
    clause = f"{shown} is not a font weight" if len(texts) == 1 else f"{shown} are not font weights"
    if len(keys) == 1:
        (key,) = keys
        mode = collection.modes[own[0].column] if own else None
        where = [label, _name(key), *([] if mode is None else [shortened(mode.name or mode.context)])]
        target = "" if own else f"it refers to {_name(causes[key].key)}, whose value "
        what = f"{target}{clause}, so it stays a string"
    else:
        where = [label]
        what = f"{clause}, so {len(keys)} variables stay strings"
    meant = next(filter(None, map(name_meant, texts[:_SHOWN])), "")
    to_do = 'confirm it with a [[types]] rule of type = "string"'
    if meant:
        to_do = f'write "{meant}", or {to_do}'
    names = list(map(_name, keys)) if len(keys) > 1 else ()
    draft.report("font-weight-text", " / ".join(where), what, to_do, names)


def _name(key: TokenKey) -> str:
    return shortened(name_of_path(key.path))
