"""The proposed mapping of a source, its text, and what is reported about mappings that people have edited."""

import json
import tomllib
from typing import get_args

import jsonschema
import pytest
from migrate.sources import source_of
from msgspec.structs import replace

from tokensync.migrate.conversion.mapping_file import (
    LONGEST_MODE,
    LONGEST_NAME,
    MEMBERS,
    TYPES,
    MappedCollection,
    MappedMode,
    MigrationMapping,
    Missing,
    limits_text,
    mapping_of,
    mapping_text,
    propose,
)
from tokensync.migrate.source import Source
from tokensync.normalize.mapping import KNOWN_SCOPES
from tokensync.system import resources
from tokensync.tokens import CODE_SYNTAX_PLATFORMS

COLORS = {"white": ("color", "#fff"), "black": ("color", "#000")}
LIGHT, DARK = {"bg": ("color", "{white}")}, {"bg": ("color", "{black}")}


def shown(mapping):
    """The collections of a mapping: name, names of modes, sets."""
    return [(each.name, [mode.name for mode in each.modes], list(each.sets)) for each in mapping.collections]


def proposed(sets, themes):
    return shown(propose(source_of(sets, themes)))


class TestProposal:
    def test_a_group_is_a_collection_and_its_themes_are_modes(self):
        themes = {"mode/Light": ["core", "light"], "mode/Dark": ["core", "dark"]}
        assert proposed({"core": COLORS, "light": LIGHT, "dark": DARK}, themes) == [
            ("mode", ["Light", "Dark"], []),
            ("base", [], ["core", "light", "dark"]),
        ]

    def test_three_groups_have_8_modes_in_3_collections_and_not_16(self):
        sets = {f"{group}{number}": {f"{group}.x": number} for group in "abc" for number in range(4)}
        themes = {f"a/{number}": [f"a{number}"] for number in range(4)}
        themes |= {f"{group}/{group}{number}": [f"{group}{number}"] for group in "bc" for number in range(2)}
        found = [each for each in propose(source_of(sets, themes)).collections if each.modes]
        assert [len(each.modes) for each in found] == [4, 2, 2]

    def test_ungrouped_themes_with_the_same_names_are_modes_of_one_collection(self):
        themes = {"Light": ["core", "light"], "Dark": ["core", "dark"]}
        found = proposed({"core": COLORS, "light": LIGHT, "dark": DARK}, themes)
        assert found[0] == ("theme", ["Light", "Dark"], [])

    def test_a_theme_that_replaces_names_of_another_one_is_a_mode_beside_it(self):
        found = proposed({"light": LIGHT, "dark": DARK}, {"Light": ["light"], "Dark": ["light", "dark"]})
        assert found[0] == ("theme", ["Light", "Dark"], [])

    def test_parts_of_a_page_are_left_out_and_listed(self):
        source = replace(source_of({"core": COLORS, ".button\n[x]": LIGHT}, {"m/One": ["core"]}), format="css")
        assert shown(propose(source)) == [("m", ["One"], ["core"])]
        assert '#   ".button\\n[x]",  # 1 token\n' in mapping_text(propose(source), source, {})
        only = replace(source_of({"core": {}, ".button": LIGHT}, {"m/One": ["core"]}), format="css")
        assert ".button" in [name for name, _, _ in shown(propose(only))]

    def test_a_theme_named_base_has_the_tokens_that_no_other_theme_changes(self):
        sets = {"core": COLORS, "light": LIGHT, "dark": DARK}
        themes = {"base": ["core"], "mode/Light": ["core*", "light"], "mode/Dark": ["core*", "dark"]}
        assert proposed(sets, themes) == [
            ("base", ["Default"], ["core", "light", "dark"]),
            ("mode", ["Light", "Dark"], []),
        ]

    def test_ungrouped_themes_with_other_names_are_a_collection_each(self):
        sets = {"core": COLORS, "type": {"size": ("dimension", "4px")}, "light": LIGHT}
        found = proposed(sets, {"Type": ["core*", "type"], "Light": ["core*", "light"]})
        assert found == [("Type", ["Default"], ["type"]), ("Light", ["Default"], ["light"]), ("core", [], ["core"])]

    def test_a_shared_set_does_not_make_themes_alike(self):
        sets = {"core": COLORS, "type": {"size": ("dimension", "4px")}, "light": LIGHT}
        found = proposed(sets, {"Type": ["core", "type"], "Light": ["core", "light"]})
        assert [name for name, _, _ in found] == ["Type", "Light"]

    def test_sets_that_no_theme_enables_are_a_collection_each(self):
        found = proposed({"core": COLORS, "light": LIGHT, "old": DARK}, {"m/Light": ["core*", "light"]})
        assert found == [("m", ["Light"], ["light"]), ("core", [], ["core"]), ("old", [], ["old"])]

    def test_without_themes_each_set_is_a_collection(self):
        source = source_of({"core": COLORS, "light": LIGHT}, {"x": []})
        without = type(source)(source.format, source.sets, ())
        assert shown(propose(without)) == [("core", [], ["core"]), ("light", [], ["light"])]

    def test_a_default_theme_is_the_first_mode(self):
        source = source_of({"light": LIGHT, "dark": DARK}, {"m/Light": ["light"], "m/Dark": ["dark"]})
        light, dark = source.themes
        preferring = type(source)("test", source.sets, (light, type(dark)("Dark", dark.sets, "m", is_default=True)))
        assert shown(propose(preferring))[0][1] == ["Dark", "Light"]

    def test_two_themes_equal_in_their_first_40_characters_have_distinct_modes(self):
        long = "A theme with a name that is longer than forty"
        themes = {f"m/{long} one": ["light"], f"m/{long} two": ["dark"], "m/light ": ["light"], "m/Light": ["dark"]}
        ((_, modes, _), *_) = proposed({"light": LIGHT, "dark": DARK}, themes)
        assert modes == [
            "A theme with a name that is longer th...",
            "A theme with a name that is longer tha 2",
            "light",
            "Light 2",
        ]
        assert max(map(len, modes)) == 40

    def test_collections_of_one_name_in_other_case_are_distinct(self):
        found = proposed({"Core": COLORS, "core": LIGHT}, {"x/y": []})
        assert [name for name, _, _ in found] == ["x", "Core", "core 2"]


@pytest.mark.parametrize(
    ("modes", "text"),
    [
        (1, "every plan allows it"),
        (2, "too many for Starter 1; allowed: Professional 10, Organization 20, Enterprise 40"),
        (11, "too many for Starter 1, Professional 10; allowed: Organization 20, Enterprise 40"),
        (21, "too many for Starter 1, Professional 10, Organization 20; allowed: Enterprise 40"),
        (41, "too many for Starter 1, Professional 10, Organization 20, Enterprise 40; no plan allows more"),
    ],
)
def test_the_number_of_modes_is_shown_beside_the_limits_of_the_plans(modes, text):
    assert limits_text(modes) == text


SOURCE = source_of({"core": COLORS, "light": LIGHT, "dark": DARK}, {"m/Light": ["light"], "m/Dark": ["dark"]})


def validator():
    schema = json.loads(resources.read_text("config", "schemas", "mapping.schema.json"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


class TestSchema:
    def test_it_has_the_keys_types_and_limits_of_the_reader(self):
        schema = validator().schema
        found = schema["properties"]
        collection = schema["definitions"]["Collection"]["properties"]
        mode = collection["modes"]["items"]["properties"]
        assert set(found) == set(MEMBERS)
        assert tuple(found["types"]["additionalProperties"]["enum"]) == TYPES
        assert found["scopes"]["additionalProperties"]["items"]["anyOf"][0]["enum"] == sorted(KNOWN_SCOPES)
        assert tuple(found["code_syntax"]["properties"]) == CODE_SYNTAX_PLATFORMS
        assert tuple(collection["missing"]["enum"]) == get_args(Missing)
        assert (collection["name"]["maxLength"], mode["name"]["maxLength"]) == (LONGEST_NAME, LONGEST_MODE)

    def test_a_proposal_is_valid(self):
        text = mapping_text(propose(SOURCE), SOURCE, {})
        assert list(validator().iter_errors(tomllib.loads(text))) == []

    def test_a_mapping_can_name_it_as_a_member(self):
        document = {"$schema": "mapping.schema.json", "collections": [{"name": "a", "sets": ["core"]}]}
        assert mapping_of(document, SOURCE)[1] == ()
        assert validator().is_valid(document)


class TestText:
    def test_a_mapping_is_read_back_from_its_text(self):
        mapping = MigrationMapping(
            (
                MappedCollection("Mode", (MappedMode("Light", "Day"), MappedMode("Dark", "Night")), (), "default"),
                MappedCollection('all "others"', (), ("core",)),
            ),
            ("old.*",),
            {"bg": "background.default"},
            {"white": "color"},
            {"b*": ("FRAME_FILL",)},
            {"WEB": {"*": "var(--{name})"}},
            "{size.base}",
        )
        text = mapping_text(mapping, SOURCE, {"Mode": 1})
        assert validator().is_valid(tomllib.loads(text))
        assert mapping_of(tomllib.loads(text), SOURCE) == (mapping, ())
        assert "# 1 token, 2 modes (too many for Starter 1; allowed: " in text

    def test_a_proposal_is_read_back_from_its_text(self):
        mapping = propose(SOURCE)
        assert mapping_of(tomllib.loads(mapping_text(mapping, SOURCE, {})), SOURCE) == (mapping, ())


ONE = '[[collections]]\nname = "a"\nsets = ["core"]\n'


@pytest.mark.parametrize(
    ("text", "steps", "what", "to_do"),
    [
        (f"skpi = []\n{ONE}", ("skpi",), "the key 'skpi' is unknown", "use skip"),
        (f"{ONE}mods = []", ("collections", 0, "mods"), "the key 'mods' is unknown", "use modes"),
        (
            f'{ONE}modes = [{{ theme = "Lihgt" }}]',
            ("collections", 0, "modes", 0, "theme"),
            "no theme 'Lihgt'",
            '"Light"',
        ),
        ('[[collections]]\nname = "a"\nsets = ["cor"]', ("collections", 0, "sets"), "no set 'cor'", '"core"'),
        (
            '[[collections]]\nsets = ["core"]',
            ("collections", 0, "name"),
            "the collection has no name",
            "give it a name",
        ),
        (f'{ONE}missing = "defualt"', ("collections", 0, "missing"), "'defualt' is not known", '"default"'),
        (f"{ONE}{ONE}", ("collections", 1, "name"), "the collection 'a' is here a second time", "rename"),
        (f'{ONE}[types]\nwhite = "colour"', ("types", "white"), "the type 'colour' is unknown", '"color"'),
        (f'{ONE}[scopes]\nwhite = "GAP"', ("scopes", "white"), "this is not a list of texts", "write a list of texts"),
        (f'{ONE}[scopes]\nwhite = ["gap", "GAPP"]', ("scopes", "white", 0), "'gap' is unknown", 'use "GAP"'),
        (f"{ONE}[scopes]\nwhite = [1]", ("scopes", "white", 0), "not a text in quotes", "write a text in quotes"),
        (f"{ONE}[code_syntax.WBE]", ("code_syntax", "WBE"), "the key 'WBE' is unknown", "use WEB"),
        (
            f'base_font_size = "16px"\n{ONE}',
            ("base_font_size",),
            "16px is not a size in px",
            "write a number such as 16",
        ),
        ("skip = []", ("collections",), "there is no collection", "add [[collections]]"),
        ("collections = 1", ("collections",), "this is not a list in brackets", "write a list in brackets"),
        (
            f'{ONE}modes = [{{ theme = "Light", name = "{"x" * 41}" }}]',
            ("collections", 0, "modes", 0, "name"),
            "has 41",
            "remove 1",
        ),
    ],
)
def test_an_invalid_entry_is_reported_with_what_to_write(text, steps, what, to_do):
    _, (first, *_) = mapping_of(tomllib.loads(text), SOURCE)
    needs_source = any(each in what for each in ("no theme", "no set", "second time"))
    assert validator().is_valid(tomllib.loads(text)) is needs_source
    assert first.steps == steps
    assert what in first.what
    assert to_do in first.what_to_do


def test_a_set_and_a_theme_are_in_one_collection_only():
    text = (
        '[[collections]]\nname = "a"\nmodes = [{ theme = "Light" }]\nsets = ["core"]\n'
        '[[collections]]\nname = "b"\nmodes = [{ theme = "Light" }]\nsets = ["core"]\n'
    )
    _, invalid = mapping_of(tomllib.loads(text), SOURCE)
    assert [each.what for each in invalid] == [
        "the theme 'Light' is here a second time",
        "the set 'core' is here a second time",
    ]


def test_the_proposal_for_a_source_without_tokens_is_valid():
    empty = Source("dtcg", (), ())
    mapping, invalid = mapping_of(tomllib.loads(mapping_text(propose(empty), empty, {})), empty)
    assert not invalid and not mapping.collections
