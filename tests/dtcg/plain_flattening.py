"""The resolution logic of DTCG 2025.10 Resolver, one input at a time and without any sharing: slow, but plain.

It supports what ``documents`` generates: inline sources and files, references to sets, whole tokens and aliases.
"""

from __future__ import annotations

import itertools


def inputs(document):
    """Yield every combination of contexts of the modifiers in the resolution order."""
    modifiers = [item for item in items(document) if "contexts" in item]
    names = [each["name"] for each in modifiers]
    for contexts in itertools.product(*(each["contexts"] for each in modifiers)):
        yield dict(zip(names, contexts, strict=True))


def items(document):
    """Return the sets and modifiers in resolution order, with their names."""
    result = []
    for item in document["resolutionOrder"]:
        if "$ref" in item:
            _, kind, name = item["$ref"].split("/")
            result.append({**document[kind][name], **item, "name": name})
        else:
            result.append(item)
    return result


def flattened(document, files, chosen):
    """Return the tokens for an input: the type, which groups may give, and the value of each path."""
    tokens = {}
    for item in items(document):
        sources = item["contexts"][chosen[item["name"]]] if "contexts" in item else item["sources"]
        for source in expanded(document, sources):
            tokens |= walked(files[source["$ref"]] if "$ref" in source else source)
    return tokens


def extended(document, files, chosen):
    """Return the tokens for an input, with those that groups inherit from the group that they extend last."""
    groups = {}
    for item in items(document):
        sources = item["contexts"][chosen[item["name"]]] if "contexts" in item else item["sources"]
        for source in expanded(document, sources):
            groups |= {name: each["$extends"][1:-1] for name, each in source.items() if "$extends" in each}
    tokens = flattened(document, files, chosen)
    for _ in groups:  # each round completes another group, as they do not form cycles
        for group, target in groups.items():
            prefix = f"{target}."
            inherited = {f"{group}.{each[len(prefix) :]}": tokens[each] for each in tokens if each.startswith(prefix)}
            tokens = {
                **inherited,
                **{each: value for each, value in tokens.items() if each not in inherited},
                **{each: tokens[each] for each in flattened(document, files, chosen) if each in inherited},
            }
    return tokens


def expanded(document, sources):
    for source in sources:
        if source.get("$ref", "").startswith("#/sets/"):
            yield from expanded(document, document["sets"][source["$ref"].split("/")[2]]["sources"])
        else:
            yield source


def walked(group, path=(), inherited=None):
    tokens = {}
    inherited = group.get("$type", inherited)
    for name, node in group.items():
        if isinstance(node, dict) and "$value" in node:
            tokens[".".join((*path, name))] = (node.get("$type", inherited), node["$value"])
        elif isinstance(node, dict):
            tokens |= walked(node, (*path, name), inherited)
    return tokens


def value_of(tokens, path, seen=()):
    """Return a token's value with its aliases resolved; None without a value, or on a cycle."""
    if path not in tokens or path in seen:
        return None
    value = tokens[path][1]
    return value_of(tokens, value[1:-1], (*seen, path)) if isinstance(value, str) and value[:1] == "{" else value
