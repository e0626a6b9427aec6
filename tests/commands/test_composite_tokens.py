"""Composite tokens in token files, queries, the lock and builds."""

import json

import pytest
from commands.projects import output, project_in, tokensync
from generate.targets.composite_values import BLACK, LAYER, px

from tokensync.dtcg import read
from tokensync.project.lock import facts

SNOW = {"colorSpace": "srgb", "components": [1, 1, 1]}
BASE = {
    "low": {"$type": "shadow", "$value": {**LAYER, "color": "{scheme.ink}"}},
    "flat": {"$type": "shadow", "$value": LAYER},
    "card": {"$type": "shadow", "$value": "{base.low}"},
}


def files_of(base=BASE):
    """Token files by path: a collection of shadows, and one of a colour in two modes."""
    modes = {"light": BLACK, "dark": SNOW}
    found = {"one/base/value.tokens.json": {"base": base}}
    for mode, value in modes.items():
        found[f"one/scheme/{mode}.tokens.json"] = {"scheme": {"ink": {"$type": "color", "$value": value}}}
    contexts = {mode: [{"$ref": f"one/scheme/{mode}.tokens.json"}] for mode in modes}
    found["one.resolver.json"] = {
        "version": "2025.10",
        "sets": {"base": {"sources": [{"$ref": "one/base/value.tokens.json"}]}},
        "modifiers": {"scheme": {"contexts": contexts, "default": "light"}},
        "resolutionOrder": [{"$ref": "#/sets/base"}, {"$ref": "#/modifiers/scheme"}],
    }
    return {path: json.dumps(each).encode() for path, each in found.items()}


@pytest.fixture
def project(folder):
    project_in(folder, outputs=output("css", "web"))
    for path, content in files_of().items():
        target = folder / "tokens" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def test_the_lock_says_what_references_lead_to_and_nothing_more_of_what_has_none():
    graph, _ = read(files_of(), "one")
    said = {(fact[2], fact[3]): fact[4] for fact in map(json.loads, facts(graph, "one", "key"))}
    assert said["low", "in value"]["references"] == {"{scheme.ink}": ["one", "scheme", "ink"]}
    assert set(said["flat", "in value"]) == {"composite"}


def test_a_list_shows_the_value_in_every_theme(project):
    listed = {each["path"]: each for each in json.loads(tokensync("tokens", "list", "--json").output)}
    assert listed["low"]["values"]["scheme/dark"] == {**LAYER, "color": SNOW}
    assert listed["card"]["values"]["default"] == {**LAYER, "color": BLACK}
    assert listed["card"]["aliases"] == {"value": "base.low"}


def test_the_way_to_a_value_ends_at_a_composite_and_names_its_references(project):
    shown = tokensync("tokens", "why", "card").output
    assert "{scheme.ink}" in shown


def test_a_composite_depends_on_what_it_refers_to(project):
    assert tokensync("tokens", "dependents", "scheme.ink").output.split("\n")[0].find("low") >= 0


def test_formatting_changes_no_reference(project):
    tokensync("format")
    path = project / "tokens" / "one" / "base" / "value.tokens.json"
    assert json.loads(path.read_bytes()) == {"base": BASE}


def test_an_invalid_value_stops_a_build_and_is_reported_with_its_location(project):
    broken = {**BASE, "low": {"$type": "shadow", "$value": {**LAYER, "blur": "{scheme.ink}", "spread": px(1)}}}
    for path, content in files_of(broken).items():
        (project / "tokens" / path).write_bytes(content)
    stderr = tokensync("build", code=1).stderr
    assert "(#/base/low/$value/blur): it refers to a color; refer to a dimension" in stderr
