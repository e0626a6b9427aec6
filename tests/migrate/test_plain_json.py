"""JSON in no format of its own: variables that plugins export, and names with values of style sheets."""

import json
import re

import pytest
from migrate.read_sources import documents, sets_of, themes_of, token, unread_of

from tokensync.migrate.conversion.graph import convert
from tokensync.migrate.conversion.mapping_file import propose
from tokensync.migrate.readers import plain_json
from tokensync.migrate.readers.source_files import recognize
from tokensync.system.errors import UsageError
from tokensync.tokens import Alias


def read(files):
    source = plain_json.read(documents(files))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    return source


LIST = {
    "collections": [
        {
            "name": "raw colors",
            "modes": ["Value"],
            "variables": [
                {"name": "violet/600", "type": "COLOR", "values": {"Value": "#7c3aed"}, "description": "Deep"},
                {"name": "violet/700", "type": "COLOR", "values": {"Value": {"r": 0.5, "g": 0, "b": 1, "a": 0.5}}},
                {"name": "space/2", "type": "FLOAT", "valuesByMode": {"Value": 8}},
            ],
        },
        {
            "name": "semantic",
            "modes": ["Light", "Dark"],
            "variables": [
                {
                    "name": "primary",
                    "type": "COLOR",
                    "values": {"Light": "$raw colors/violet/600", "Dark": "\N{RIGHTWARDS ARROW} violet/700"},
                },
                {
                    "name": "accent",
                    "type": "COLOR",
                    "values": {"Light": {"type": "VARIABLE_ALIAS", "name": "violet/600"}, "Dark": "{primary}"},
                },
                {"name": "wide", "type": "BOOLEAN", "values": {"Light": True, "Dark": False}},
            ],
        },
    ]
}
TREES = [
    {"Core": {"modes": {"Default": {"red": {"$type": "color", "$value": "#f00", "$scopes": ["ALL_FILLS"]}}}}},
    {
        "Theme": {
            "modes": {
                "Light": {"bg": {"$type": "color", "$value": "{Core.red}", "$codeSyntax": {"WEB": "var(--bg)"}}},
                "Dark": {"bg": {"$type": "color", "$value": "#000"}},
            }
        }
    },
]


def test_a_list_of_variables_with_values_in_modes_is_a_collection_each():
    source = read({"a.json": LIST})
    purple = {"colorSpace": "srgb", "components": [0.5, 0, 1], "alpha": 0.5}
    assert sets_of(source) == {
        "raw colors/Value": {"violet.600": "#7c3aed", "violet.700": purple, "space.2": 8},
        "semantic/Light": {"primary": "{violet.600}", "accent": "{violet.600}", "wide": True},
        "semantic/Dark": {"primary": "{violet.700}", "accent": "{primary}", "wide": False},
    }
    assert themes_of(source) == {
        "raw colors/Value*": {"semantic/Light": "source", "raw colors/Value": "enabled"},
        "semantic/Light*": {"raw colors/Value": "source", "semantic/Light": "enabled"},
        "semantic/Dark": {"raw colors/Value": "source", "semantic/Dark": "enabled"},
    }
    assert token(source, "violet.600").description == "Deep"
    converted = convert(source, propose(source), "file")
    assert {each.name: each.default_mode for each in converted.graph.collections.values()} == {
        "raw colors": 0,
        "semantic": 0,
    }
    assert converted.ledger.counts.tokens_migrated == source.read == 9
    assert sum(isinstance(value, Alias) for each in converted.graph.tokens.values() for value in each.values) == 4


def test_collections_with_a_tree_for_each_mode_keep_scopes_and_code_syntax():
    source = read({"a.json": TREES})
    assert sets_of(source) == {
        "Core/Default": {"red": "#f00"},
        "Theme/Light": {"bg": "{red}"},
        "Theme/Dark": {"bg": "#000"},
    }
    assert token(source, "red").scopes == ("ALL_FILLS",)
    assert source.sets[1].tokens[0].code_syntax == (("WEB", "var(--bg)"),)


def test_a_variable_without_values_is_reported():
    variables = [{"name": "a", "type": "FLOAT", "values": {"M": 1}}, {"name": "b", "type": "FLOAT"}, 1]
    source = read({"a.json": {"collections": [{"name": "c", "modes": ["M"], "variables": variables}]}})
    assert [*unread_of(source).values()] == ["the variable has no name, or no values of modes"] * 2


def test_values_have_the_types_that_they_have_in_style_sheets():
    source = read(
        {
            "a.json": {
                "color-red": "#f00",
                "color-blue": "rgb(0 0 255)",
                "color-ink": "black",
                "fontStack": "Inter, sans-serif",
                "ease": "cubic-bezier(0.2, 0, 0, 1)",
                "boxShadow": "0 1px 2px #000",
                "z": 3,
                "sizes": {"s": "4px"},
                "weird": ["a"],
            }
        }
    )
    assert {each.path: each.type for _, each in source.tokens()} == {
        "color.red": "color",
        "color.blue": "css",
        "color.ink": "color",
        "fontStack": "fontFamily",
        "ease": "cubicBezier",
        "boxShadow": "shadow",
        "z": "",
        "sizes.s": "dimension",
    }
    assert unread_of(source) == {"a.json:12 weird": "it is no text or number; write its values with names"}


def test_files_with_the_same_names_and_other_values_are_modes():
    source = read({"light.json": {"bg": "#fff", "gap": "4px"}, "dark.json": {"bg": "#000", "gap": "4px"}})
    assert {(each.name, each.guess != "") for each in source.themes} == {("light", True), ("dark", True)}


def test_files_that_repeat_names_with_their_values_are_no_modes_and_no_loss():
    source = read({"blue.json": {"a": "#00f", "b": "#00e"}, "scale.json": {"a": "#00f", "b": "#00e"}})
    (theme,) = source.themes
    counts = convert(source, propose(source), "file").ledger.counts
    assert (theme.guess, counts.tokens_read, counts.tokens_migrated) == ("", 4, 4)


@pytest.mark.parametrize(
    ("content", "is_recognized"),
    [
        (LIST, True),
        (TREES, True),
        (TREES[0], True),
        ({"a": "#fff", "b": "red"}, True),
        ({"z": 1, "y": 2}, False),
        ({"name": "app", "version": "1.0.0", "private": True}, False),
        ({"$schema": "x", "a": "#fff"}, False),
        ({}, False),
        ([], False),
        ({"collections": {}}, False),
    ],
)
def test_a_document_is_recognized_by_its_values(content, is_recognized, tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(content), encoding="utf-8")
    assert plain_json.recognized(documents({"a.json": content})) is is_recognized
    if is_recognized:
        assert recognize(str(tmp_path)).format.name == "json"


@pytest.mark.parametrize(
    ("name", "text", "nearest"),
    [
        ("a.json", '{"collections": {"a": {}}}', "a.json is nearest to json, where each of the collections"),
        ("a.json", '{"a": "b"}', "a.json is nearest to dtcg, where each token is an object with a $value"),
        ("a.css", "a { color: red }", "a.css is nearest to css, where a rule declares a custom property"),
        ("a.xml", "<a/>", "a.xml is nearest to android, where <resources>"),
    ],
)
def test_the_message_about_a_file_in_no_format_names_the_nearest_one(name, text, nearest, tmp_path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(nearest)):
        recognize(str(tmp_path))
