"""Design systems as resolver documents of another author: each value equals Terrazzo's, in every context.

Some tokens of these systems are invalid, such as lengths in em. tokensync omits them with a warning that names the
location; Terrazzo shows them as they are.
"""

import colorsys
import json
import re
import shutil

import pytest
from commands.projects import tokensync
from dtcg.plain_flattening import flattened, inputs, value_of

from tokensync.dtcg import read_folder
from tokensync.tokens import Color, Composite, Quantity, Theme, Unresolved
from tokensync.tokens.composites import TYPES

pytestmark = pytest.mark.outside

SYSTEMS = {
    "adobe-spectrum": 6_100,
    "apple-hig": 385,
    "figma-sds": 550,
    "github-primer": 17_400,
    "ibm-carbon": 1_150,
    "microsoft-fluent": 290,
    "shopify-polaris": 67,
}
"""The least number of values that are compared in all combinations of contexts."""
PLATFORMS = ("css", "android", "ios", "json")


@pytest.fixture(params=SYSTEMS)
def system(request, examples, tmp_path, monkeypatch):
    name = request.param
    tokens = tmp_path / "tokens"
    shutil.copytree(examples / name, tokens / name)
    shutil.copy(examples / f"{name}.resolver.json", tokens)
    outputs = "".join(f'[[outputs]]\nplatform = "{each}"\npath = "out/{each}"\n' for each in PLATFORMS)
    (tmp_path / "tokensync.toml").write_text(
        f'[[files]]\nname = "{name}"\nkey = "AbCdEfGhIjKlMnOp"\n{outputs}', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return name


def test_it_builds_and_its_values_are_those_of_another_resolver(system, terrazzo_contexts, tmp_path):
    before = contents(tmp_path / "tokens")
    tokensync("-q", "build")
    assert {each.name for each in (tmp_path / "out").iterdir()} == set(PLATFORMS)
    assert contents(tmp_path / "tokens") == before
    resolver = tmp_path / "tokens" / f"{system}.resolver.json"
    combinations = own_contexts(resolver) if system == "apple-hig" else terrazzo_contexts(resolver)
    reading = read_folder(str(tmp_path / "tokens"), system)
    output = json.loads((tmp_path / "out" / "json" / "tokens.json").read_text("utf-8"))
    declared = {".".join(each["path"]): each for each in output["tokens"].values()}
    compared = 0
    for each in combinations:
        found = values_in(reading.graph, each["input"])
        for identity, token in each["tokens"].items():
            path, value = identity.removesuffix(".$root"), found.get(identity.removesuffix(".$root"))
            if value is None:
                assert is_reported(path, each["tokens"], reading.problems), (each["input"], identity, token)
                continue
            expected = plain(token["type"], followed(token["value"], each["tokens"]))
            assert close(plain(token["type"], json_of(token["type"], value)), expected), (each["input"], identity)
            if token["type"] not in TYPES and token["type"] != "fontFamily":
                shown = looked_up(declared[path], each["input"], output)
                assert close(in_output(token["type"], shown), expected, 0.003), (each["input"], identity)
            compared += 1
        present = {identity.removesuffix(".$root") for identity in each["tokens"]}
        assert not {path for path, value in found.items() if value is not None} - present
    assert compared >= SYSTEMS[system]


def test_modifiers_that_override_each_other_are_resolved_as_by_another_resolver(terrazzo_contexts, tmp_path):
    def number(value):
        return {"$type": "number", "$value": value}

    base = {"g": {"$type": "number", "a": {"$value": 1}, "b": {"$value": 2}}, "h": {"$extends": "{g}", "b": number(3)}}
    contexts = {
        "theme": {"light": [], "dark": [{"g": {"a": {"$value": 10}}}, {"only": number("{g.a}")}]},
        "size": {
            "small": [{"g": {"b": {"$value": 20}}}],
            "big": [{"g": {"a": {"$value": 30}}, "h": {"a": number(40)}}],
        },
    }
    modifiers = {name: {"contexts": each, "default": next(iter(each))} for name, each in contexts.items()}
    sets = {"base": {"sources": [base]}, "over": {"sources": [{"y": number("{h.a}")}, {"$ref": "./some/more.json"}]}}
    order = ["#/sets/base", "#/modifiers/theme", "#/sets/over", "#/modifiers/size"]
    document = {"version": "2025.10", "sets": sets, "modifiers": modifiers}
    document["resolutionOrder"] = [{"$ref": each} for each in order]
    (tmp_path / "some").mkdir()
    more = {"m": {"$root": number(5), "n": number("{m.$root}")}}
    (tmp_path / "some" / "more.json").write_text(json.dumps(more), encoding="utf-8")
    (tmp_path / "ds.resolver.json").write_text(json.dumps(document), encoding="utf-8")
    reading = read_folder(str(tmp_path), "ds")
    assert reading.problems == ()
    seen = set()
    for each in terrazzo_contexts(tmp_path / "ds.resolver.json"):
        expected = {name.removesuffix(".$root"): token["value"] for name, token in each["tokens"].items()}
        found = {path: value for path, value in values_in(reading.graph, each["input"]).items() if value is not None}
        assert found == expected
        seen.add(expected["g.a"])
    assert seen == {1, 10, 30}


def own_contexts(resolver):
    """Return what ``terrazzo_contexts`` does. Terrazzo refuses a document in which one token refers to none."""
    document = json.loads(resolver.read_text("utf-8"))
    files = {
        f"./{path.relative_to(resolver.parent).as_posix()}": json.loads(path.read_text("utf-8"))
        for path in resolver.parent.rglob("*.tokens.json")
    }
    for chosen in inputs(document):
        tokens = flattened(document, files, chosen)
        typed = {path: each for path, each in tokens.items() if each[0] is not None}
        shown = {path: {"type": each[0], "value": value_of(typed, path)} for path, each in typed.items()}
        yield {"input": chosen, "tokens": shown}


def followed(value, tokens):
    """Return a value with the alias followed that Terrazzo leaves where the target is 0."""
    while isinstance(value, str) and value[:1] == "{":
        value = tokens[value[1:-1]]["value"]
    return value


def contents(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def values_in(graph, chosen):
    families = {each.name: each for each in graph.collections.values()}
    modes = ((families[name], context) for name, context in chosen.items())
    theme = Theme("", tuple((each.key, [mode.name for mode in each.modes].index(name)) for each, name in modes))
    resolve = graph.resolver(theme)
    results = {key.path: resolve(key) for key, token in graph.tokens.items() if token.origin == "local"}
    return {path: None if isinstance(each, Unresolved) else each for path, each in results.items()}


def is_reported(path, tokens, problems):
    """Return whether a warning names the token, or one that has the same value and that it may refer to."""
    omitted = [each for each in problems if each.code in ("resolver-token-omitted", "composite-incomplete")]
    names = [path, *(each for each, token in tokens.items() if token == tokens.get(path))]
    return any(f"/{name.replace('.', '/')}" in each.where for name in names for each in omitted)


def json_of(token_type, value):
    match value:
        case Color():
            return {"colorSpace": "srgb", "components": [value.red, value.green, value.blue], "alpha": value.alpha}
        case Quantity():
            return {"value": value.number, "unit": value.unit}
        case Composite():
            return json.loads(value.json)
        case float() if token_type == "dimension":
            return {"value": value, "unit": "px"}
    return value


_DEFAULTS = {"shadow": {"inset": False}, "transition": {"delay": {"value": 0, "unit": "ms"}}}
"""The members that a composite may lack, with the values that the other resolver adds."""


def plain(token_type, value):
    """Return a value in one spelling: colours as sRGB, without what DTCG has a default for."""
    match value:
        case {"colorSpace": "hsl", "components": [hue, saturation, lightness]}:
            components = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
            return [*components, value.get("alpha", 1)]
        case {"colorSpace": "srgb", "components": components}:
            return [*components, value.get("alpha", 1)]
        case {"value": 0, "unit": ""}:  # a length of 0 needs no unit
            return {"value": 0, "unit": "px"}
        case dict() if token_type == "typography":
            return {name: plain(name, each) for name, each in value.items()}
        case dict():
            members = {name: plain("", each) for name, each in value.items()}
            return {**_DEFAULTS.get(token_type, {}), **members}
        case 0 if token_type == "letterSpacing":
            return {"value": 0, "unit": "px"}
        case str() if token_type == "letterSpacing" and (length := re.fullmatch(r"(-?[\d.]+)(px|rem)", value)):
            return {"value": float(length[1]), "unit": length[2]}  # of an older draft, which is read
        case list() if token_type == "fontFamily":
            return value
        case list():
            layers = [plain(token_type, each) for each in value]
            return layers[0] if token_type == "shadow" and len(layers) == 1 else layers
        case str() if token_type == "fontFamily":
            return [value]
    return value


def close(one, other, tolerance=1e-5):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[each], other[each], tolerance) for each in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(close(*each, tolerance) for each in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= tolerance * max(1, abs(other))
    return one == other


def looked_up(token, chosen, output):
    """Return what the JSON output says of a token where these contexts are chosen."""
    handles = {each["name"]: handle for handle, each in output["collections"].items()}
    names = [f"{handles[modifier]}/{context.replace('_', '-').lower()}" for modifier, context in chosen.items()]
    themes = token.get("themes", {})
    combined = (" + ".join(names), " + ".join(reversed(names)), *names)
    return next((themes[each] for each in combined if each in themes), token)


def in_output(token_type, shown):
    """Return a value of the JSON output as ``plain`` does."""
    value = shown["value"]
    if token_type == "color":
        digits = value.removeprefix("#")
        channels = [int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)]
        return channels if len(channels) == 4 else [*channels, 1]
    return {"value": value, "unit": shown["unit"]} if "unit" in shown else value
