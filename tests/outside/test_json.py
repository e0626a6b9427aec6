"""The JSON document, read as its page says: each token comes to what the graph resolves it to."""

import json
from decimal import Decimal

import jsonschema
import pytest
from outside.expected import family, kind_of, same, value_of
from outside.theme_choices import choices
from outside.written import hexadecimal

from tokensync import resources
from tokensync.naming import in_order, names_for
from tokensync.targets import naming_of

pytestmark = pytest.mark.outside
SCHEMA = json.loads(resources.read_text("config", "schemas", "outputs", "json.schema.json"))


def test_each_token_equals_the_graph_in_every_theme_and_pair(subject, counted):
    graph = subject.graph
    text = subject.files("json")["tokens.json"].decode()
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(text))
    document = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    declared = [each for each in in_order(graph.tokens.values(), graph) if each.origin == "local"]
    names, _ = names_for(graph, declared, naming_of("css"))
    assert list(document["tokens"]) == [names[each.key].removeprefix("--") for each in declared]
    compared, differences = 0, []
    shown_of = zip(declared, document["tokens"].values(), strict=True)
    tokens = [(each.key, kind_of(each), value) for each, value in shown_of]
    values = {}  # of what the document shows, by identity: one entry is shown in many themes
    for chosen, theme in choices(graph):
        resolve = subject.resolver(theme)
        names_of_both = (" + ".join(chosen), " + ".join(reversed(chosen)), *chosen)  # both at once before either
        for key, kind, value in tokens:
            expected = value_of(kind, resolve(key))
            if expected is not None:
                compared += 1
                shown = looked_up(value, names_of_both)
                if id(shown) not in values:
                    values[id(shown)] = read(kind, shown)
                if not same(expected, values[id(shown)]):
                    differences.append(f"{theme.name}: {key}: {shown!r} is not {expected}")
    counted("json", "values, each theme and pair of themes", subject.name, compared, differences)


def looked_up(token, names):
    """What a token shows: in the first of these themes that it says something of, else by default."""
    themes = token.get("themes")
    return next((themes[each] for each in names if each in themes), token) if themes else token


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
