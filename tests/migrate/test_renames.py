"""Renames files: what is read, what is refused with a location and advice, and what ``migrate`` writes."""

import json
import re
import tomllib

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.code.renaming.renames import Rename, escaped, read_renames, renames_document, unescaped
from tokensync.system import resources

DOCUMENT = {
    "$schema": "renames.schema.json",
    "css": {"--a": "--b", "$a": {"to": "$b", "role": "warn", "note": "x"}, "--c": {"role": "manual"}},
    "android": {"@color/a": "R.color.b", "dimen/a": "dimen/b", "Tokens.aB": "`object`.aC"},
    "ios": {".aB": "aC", "Color.a": {"to": "Color.b", "alias": False}},
    "ts": {"tokens.a": "tokens.b", "--old": {"role": "manual"}},
}


def validator():
    schema = json.loads(resources.read_text("config", "schemas", "renames.schema.json"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def test_each_platform_has_its_forms_of_names():
    del DOCUMENT["ts"]["--old"]
    renames, invalid = read_renames(DOCUMENT)
    assert invalid == ()
    assert [(each.form, each.old, each.new) for each in renames.all] == [
        ("property", "--a", "--b"),
        ("variable", "$a", "$b"),
        ("property", "--c", ""),
        ("resource", "color/a", "color/b"),
        ("resource", "dimen/a", "dimen/b"),
        ("member", "Tokens.aB", "`object`.aC"),
        ("member", "aB", "aC"),
        ("member", "Color.a", "Color.b"),
        ("member", "tokens.a", "tokens.b"),
    ]
    assert validator().is_valid(DOCUMENT)


@pytest.mark.parametrize(
    ("document", "where", "what", "to_do"),
    [
        ([], (), "the file is no table", "[css], [android]"),
        ({"web": {}}, ("web",), "'web' is unknown", "use one of css, android, ios, ts"),
        ({"css": []}, ("css",), "no table of renames", "[css]"),
        ({"css": {"--a": 1}}, ("css", "--a"), "no text", '"--a" = "--color-background"'),
        ({"css": {"--a": {}}}, ("css", "--a"), "no new name", 'role = "manual"'),
        ({"css": {"--a": {"to": "--b", "rolle": "warn"}}}, ("css", "--a", "rolle"), "'rolle'", "use role"),
        ({"css": {"--a": {"to": "--b", "role": "warning"}}}, ("css", "--a", "role"), "'warning'", "use warn"),
        ({"css": {"--a": {"to": "--b", "alias": "no"}}}, ("css", "--a", "alias"), "'no' is no true or false", "write"),
        ({"css": {"a": "--b"}}, ("css", "a"), "'a' is no identifier of css", "--color-background or $color-background"),
        ({"css": {"--a": "--b c"}}, ("css", "--a"), "'--b c' is no identifier", "--color-background"),
        ({"css": {"--a": {"to": "--b}"}}}, ("css", "--a", "to"), "'--b}' is no identifier", "--color-background"),
        ({"css": {"$a": "--a"}}, ("css", "$a"), "more than a new name", 'role = "manual"'),
        ({"css": {"$a-b": "$c", "$a_b": "$d"}}, ("css", "$a_b"), "the same identifier as '$a-b'", "remove one"),
        ({"android": {"color/a": "dimen/b"}}, ("android", "color/a"), "two types", "write color/b"),
        (
            {"android": {"color/a b": "color/b"}},
            ("android", "color/a b"),
            "no identifier of android",
            "color/background",
        ),
        ({"ios": {"a-b": "c"}}, ("ios", "a-b"), "'a-b' is no identifier of ios", "Color.background"),
        ({"css": {"$+": "$a"}}, ("css", "$+"), "'$+' is no identifier of css", "$color-background"),
        ({"ios": {"`+`": "a"}}, ("ios", "`+`"), "'`+`' is no identifier of ios", "Color.background"),
        ({"ts": {"$": "a"}}, ("ts", "$"), "'$' is no identifier of ts", "tokens.background"),
        ({"ts": {"a": "b c"}}, ("ts", "a"), "'b c' is no identifier of ts", "tokens.background"),
    ],
)
def test_what_is_invalid_is_reported_with_its_place_and_advice(document, where, what, to_do):
    _, (invalid,) = read_renames(document)
    assert invalid.steps == where
    assert what in invalid.what
    assert to_do in invalid.what_to_do


@pytest.mark.parametrize(
    "document",
    [{"web": {}}, {"css": {"a": "--b"}}, {"css": {"--a": {}}}, {"css": {"--a": {"to": "--b", "role": "warning"}}}],
)
def test_the_schema_refuses_what_the_reader_refuses(document):
    assert not validator().is_valid(document)
    assert read_renames(document)[1]


def test_a_rename_to_the_same_name_is_none():
    assert read_renames({"css": {"--a": "--a"}})[0].all == ()


def test_names_that_are_old_and_new_are_guarded():
    document = {
        "css": {"--a": "--b", "--b": "--a", "--c": "--d", "--d": "--e", "$d": "$c", "--x": {"role": "manual"}},
        "ios": {"Color.aB": "Color.cD", "cD": "eF"},
    }
    renames = read_renames(document)[0]
    assert sorted(each.old for each in renames.guarded) == ["--a", "--b", "--d", "cD"]


def test_the_document_is_read_again():
    renames = (
        Rename("css", "property", "--a", "--b"),
        Rename("css", "property", "--c", "", "manual", 'say "x" \u202e'),
        Rename("css", "property", "--d", "--e", "warn", "", whole_color=True, alias=False),
        Rename("android", "resource", "color/a", "color/b"),
        Rename("ios", "member", "Color.aB", "Color.cD"),
    )
    text = renames_document(renames)
    assert text.isascii()
    document = tomllib.loads(text)
    assert read_renames(document) == (read_renames(document)[0], ())
    assert read_renames(document)[0].all == renames
    assert validator().is_valid(document)


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map("--{}".format)


@given(NAMES)
def test_escaped_names_are_read_as_the_names(name):
    written = escaped(name)
    assert unescaped(written) == name
    assert re.fullmatch(r"--(?:[\w\x80-\U0010ffff-]|\\[0-9a-f]+ )+", written)
