"""Build responses of ``GET variables/local`` and ``GET variables/published`` piece by piece, and graphs from them."""

import hashlib
import json

from tokensync.extract.wire import snapshot, withhold
from tokensync.normalize.graph import normalize
from tokensync.tokens import Theme

EXPRESSION = {"type": "VARIABLE_EXPRESSION", "expressionFunction": "COMPOSE_COLOR"}


def key_of(text):
    """Return a key in the platform's format: forty hexadecimal digits."""
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def alias(identity):
    """A reference to a variable."""
    return {"type": "VARIABLE_ALIAS", "id": identity}


def color(red=0.0, green=0.0, blue=0.0, **alpha):
    """A colour; ``a=`` for its alpha."""
    return {"r": red, "g": green, "b": blue, **alpha}


def composed(base, opacity):
    """A base colour with an opacity over it."""
    return {"color": base, "opacity": opacity}


def expression(base, opacity):
    """Return the same in the older notation."""
    return {**EXPRESSION, "expressionArguments": [base, opacity]}


def collection(identity, name="Theme", modes=("Light", "Dark"), **members):
    """A root collection; its modes have the ids ``m0``, ``m1`` and so on, in every collection the same."""
    listed = [{"modeId": f"m{index}", "name": mode} for index, mode in enumerate(modes)]
    return {
        "id": identity,
        "name": name,
        "key": key_of(identity),
        "modes": listed,
        "defaultModeId": listed[0]["modeId"] if listed else "",
        "remote": False,
        "hiddenFromPublishing": False,
        "variableIds": [],
        **members,
    }


def extension(identity, name, parent, overrides=None, **members):
    """A collection that extends ``parent`` in all of its modes; ``overrides`` is variable id to value in each mode."""
    above = [each["modeId"] for each in parent["modes"]]
    ids = [f"{identity}/{each.rpartition('/')[2]}" for each in above]
    modes = [
        {"modeId": mode, "name": each["name"], "parentModeId": each["modeId"]}
        for mode, each in zip(ids, parent["modes"], strict=True)
    ]
    return {
        **collection(identity, name, ()),
        "modes": modes,
        "defaultModeId": ids[0] if ids else "",
        "isExtension": True,
        "parentVariableCollectionId": parent["id"],
        "rootVariableCollectionId": parent.get("rootVariableCollectionId", parent["id"]),
        "variableOverrides": {
            each: {mode: value for mode, value in zip(ids, values, strict=False) if value is not ...}
            for each, values in (overrides or {}).items()
        },
        **members,
    }


def variable(identity, name, owner, kind, values, **members):
    """A variable of the collection ``owner`` with a value for each of its modes, in order."""
    return {
        "id": identity,
        "name": name,
        "key": key_of(identity),
        "variableCollectionId": owner["id"],
        "resolvedType": kind,
        "valuesByMode": {mode["modeId"]: value for mode, value in zip(owner["modes"], values, strict=False)},
        "remote": owner["remote"],
        "description": "",
        "hiddenFromPublishing": False,
        "scopes": ["ALL_SCOPES"],
        "codeSyntax": {},
        **members,
    }


def response(collections, variables):
    """Return the bytes of a local response; a collection without a list of variables gets one."""
    owned = {}
    for each in variables:
        owned.setdefault(each["variableCollectionId"], []).append(each["id"])
    for each in collections:
        each["variableIds"] = each["variableIds"] or owned.get(each["id"], [])
    meta = {
        "variables": {each["id"]: each for each in variables},
        "variableCollections": {each["id"]: each for each in collections},
    }
    return json.dumps({"status": 200, "error": False, "meta": meta}).encode()


def published(variables, collections=(), *, type_member="resolvedDataType"):
    """Return the bytes of a published response with these local variables and collections."""
    items = {
        each["id"]: {
            "id": each["id"],
            "subscribed_id": f"VariableID:{each['key']}/1:1",
            "name": each["name"],
            "key": each["key"],
            "variableCollectionId": each["variableCollectionId"],
            type_member: each["resolvedType"],
            "updatedAt": "2026-01-01T00:00:00Z",
        }
        for each in variables
    }
    owners = {
        each["id"]: {"id": each["id"], "subscribed_id": "s", "name": each["name"], "key": each["key"], "updatedAt": "t"}
        for each in collections
    }
    document = {"status": 200, "error": False, "meta": {"variables": items, "variableCollections": owners}}
    return json.dumps({**document, "i18n": None}).encode()


def graph_of(raw, raw_published=None, *, file="kit", rules=None, **options):
    """Return the graph of a response, and its problems."""
    reading = snapshot(file, raw, raw_published)
    if options:
        reading, _ = withhold(reading, **options)
    return normalize(reading, rules)


def token_named(graph, path):
    """Return the token with this path."""
    (token,) = [each for each in graph.tokens.values() if each.key.path == path]
    return token


def shown(graph, path, **modes):
    """Return a token's value when collections (by handle, ``-`` as ``_``) are in the modes of these contexts."""
    chosen = []
    for handle, context in modes.items():
        (family,) = [each for each in graph.collections.values() if each.handle == handle.replace("_", "-")]
        (index,) = [at for at, mode in enumerate(family.modes) if mode.context == context]
        chosen.append((family.key, index))
    return graph.resolve(token_named(graph, path), Theme("", tuple(chosen)))


def findings_with(problems, code):
    """Return the problems of one code, as (where, what), with all names."""
    return [(each.where, what_of(each)) for each in problems if each.code == code]


def what_of(problem):
    """Return what a problem says, with all its names."""
    return str(problem).removeprefix(f"{problem.where}: ").removesuffix(f"; {problem.what_to_do} [{problem.code}]")
