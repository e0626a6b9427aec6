"""Lightning CSS types each declaration of each block, and each is what the graph resolves in the block's theme."""

import math
from decimal import Decimal

import pytest
from outside.css_oracle import Oracle, shown
from outside.css_themes import axes, theme_of
from outside.expected import decimal, family, same
from outside.themes import Appearance, chosen_by

pytestmark = pytest.mark.outside

QUERIES = {"prefers-color-scheme": 0, "prefers-contrast": 1}


def test_each_declaration_of_each_block(subject, lightningcss, counted):
    (css,) = subject.files("css").values()
    oracle = Oracle(subject.graph)
    places = {name: at for at, name in enumerate(oracle.kinds)}
    compared, differences = 0, []
    rules = lightningcss(css.decode("utf-8"))
    on = {name for name, tokens in rules[0]["declarations"] if name not in places and tokens == INITIAL}
    for rule in rules:
        values = oracle.expected(theme_of_rule(subject.graph, rule))
        for name, value in rule["declarations"]:
            tokens = chosen(value, on, places)
            has_no_value = tokens in ([], INITIAL) and (name not in places or values[places[name]] is None)
            if oracle.is_composite(name) or name == "color-scheme" or has_no_value:
                continue
            compared += 1
            actual = value_of(oracle, values, places, name, tokens)
            if name not in places or not same(values[places[name]], actual):
                wanted = shown(values[places[name]]) if name in places else "no such name"
                differences.append(f"{rule['selectors']} {name}: expected {wanted}, found {shown(actual)}")
    counted("css", "declarations, typed, block by block", subject.name, compared, differences)


INITIAL = [{"type": "token", "value": {"type": "ident", "value": "initial"}}]


def chosen(tokens, on, places):
    """A value with its switches thrown: those of the root, of which each rule with switches is, too."""
    actual = []
    for each in tokens:
        if each["type"] == "var" and each["value"]["name"]["ident"] not in places:
            if each["value"]["name"]["ident"] in on:
                actual += chosen(each["value"]["fallback"] or [], on, places)
        elif not (each["type"] == "token" and each["value"]["type"] == "white-space"):
            actual.append(each)
    return actual


def theme_of_rule(graph, rule):
    """What an element shows that the rule is for: all attributes of its first selector, under the system's modes."""
    scheme_and_contrast = ["", ""]
    for at in rule["at"]:
        for name, value in features(at):
            if name in QUERIES:
                scheme_and_contrast[QUERIES[name]] = value
    system = Appearance(*scheme_and_contrast)
    known = {tuple(attributes.items()): modes for axis in axes(graph) for attributes, modes in axis.choices()}
    return theme_of(graph, chosen_by(graph, system), (known[(each,)] for each in attributes_in(rule["selectors"][0])))


def features(query):
    """(name, value) of each feature in a media query, however it is nested."""
    if isinstance(query, dict):
        if query.get("type") == "plain":
            yield query["name"], query["value"]["value"]
        else:
            for each in query.values():
                yield from features(each)
    elif isinstance(query, list):
        for each in query:
            yield from features(each)


def attributes_in(selector):
    """(name, value) of the attributes that a selector asks for; one of any value tells nothing."""
    for each in selector:
        if each["type"] == "attribute" and each["operation"] is not None:
            yield each["name"], each["operation"]["value"]
        elif each.get("kind") in ("is", "where"):
            yield from attributes_in(each["selectors"][0])


def value_of(oracle, values, places, name, tokens):
    """Lightning CSS's tokens in the words of outside/expected.py; a reference is its target's value in this theme."""
    parts = [each for each in tokens if not (each["type"] == "token" and each["value"]["type"] == "white-space")]
    if oracle.kinds.get(name) == "family" and parts[0]["type"] != "var":
        named = [each for each in parts if each["value"]["type"] != "comma"]
        return ("family", tuple(family(e["value"]["value"], quoted=e["value"]["type"] == "string") for e in named))
    return single(parts[0], values, places) if len(parts) == 1 else ("several", parts)


def single(part, values, places):
    kind, content = part["type"], part["value"]
    match kind:
        case "color" if content["type"] == "rgb":
            return ("color", *(content[each] / 255 for each in "rgb"), content["alpha"])
        case "length":
            return ("number", decimal(content["value"]), content["unit"])
        case "time":
            return ("number", decimal(content["value"]), {"seconds": "s", "milliseconds": "ms"}[content["type"]])
        case "var":
            return values[places[content["name"]["ident"]]]
        case "function" if content["name"] == "color-mix":
            return mixed(content["arguments"], values, places)
        case "token" if content["type"] == "number":
            return ("number", decimal(content["value"]), "")
        case "token" if content["type"] == "string":
            return ("string", content["value"])
    return (kind, content)


def mixed(arguments, values, places):
    """``color-mix(in srgb, BASE SHARE, transparent)``: the base with its alpha multiplied.

    The share is a percentage, or ``calc(OPACITY * 100%)`` of a reference.
    """
    base = next(single(each, values, places) for each in arguments if each["type"] in ("color", "var"))
    within = [inner for each in arguments if is_calc(each) for inner in each["value"]["arguments"]]
    factors = [single(each, values, places) for each in within if each["type"] == "var"]
    written = [each["value"] for each in (*arguments, *within) if each["type"] == "token"]
    percentages = [each["value"] for each in written if each["type"] == "percentage"]
    assert len(percentages) == 1, arguments
    share = percentages[0] * math.prod(float(number) for _, number, _ in factors)
    return (*base[:4], base[4] * min(max(share, 0.0), 1.0))


def is_calc(part):
    return part["type"] == "function" and part["value"]["name"] == "calc"


def test_a_wrong_value_is_seen():
    assert single({"type": "length", "value": {"unit": "px", "value": 4}}, [], {}) == ("number", Decimal(4), "px")
    part = {"type": "color", "value": {"type": "rgb", "r": 255, "g": 0, "b": 51, "alpha": 1}}
    assert single(part, [], {}) == ("color", 1.0, 0.0, 0.2, 1)
