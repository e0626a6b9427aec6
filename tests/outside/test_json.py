"""The JSON document, read as its page says: each token comes to what the graph resolves it to."""

from __future__ import annotations

import json
from decimal import Decimal

import jsonschema
import pytest
from outside.expected import family, kind_of, same, value_of
from outside.theme_choices import choices
from outside.written import hexadecimal

from tokensync import resources
from tokensync.naming import in_order, names_for

pytestmark = pytest.mark.outside
SCHEMA = json.loads(resources.read_text("config", "schemas", "outputs", "json.schema.json"))


def test_each_token_comes_to_what_the_graph_says_in_every_theme_and_pair(subject, counted):
    graph = subject.graph
    text = subject.files("json")["tokens.json"].decode()
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(text))
    document = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    names, _ = names_for(graph, declared, "css")
    assert list(document["tokens"]) == [names[each.key].removeprefix("--") for each in declared]
    compared, differences = 0, []
    for chosen, theme in choices(graph):
        resolve = graph.resolver(theme)
        for token, found in zip(declared, document["tokens"].values(), strict=True):
            expected = value_of(kind_of(token), resolve(token.key))
            if expected is not None:
                compared += 1
                shown = looked_up(found, chosen)
                if not same(expected, read(kind_of(token), shown)):
                    differences.append(f"{theme.name}: {token.key}: {shown!r} is not {expected}")
    counted("json", "values, each theme and pair of themes", subject.name, compared, differences)


def looked_up(token, chosen):
    """What a token shows: of both themes at once, else of either, else by default."""
    themes = token.get("themes", {})
    for name in (" + ".join(chosen), " + ".join(reversed(chosen)), *chosen):
        if name in themes:
            return themes[name]
    return token


def read(kind, shown):
    """A value of the document as a value of ``outside.expected``."""
    match shown["value"]:
        case bool() as value:
            return ("number", Decimal(int(value)), "")
        case Decimal() as value:
            return ("number", value, shown.get("unit", ""))
        case list() as value if kind == "family":
            return ("family", tuple(map(family, value)))
        case str() as value:
            return ("string", value) if kind == "string" else hexadecimal(value.removeprefix("#"))
    return None
