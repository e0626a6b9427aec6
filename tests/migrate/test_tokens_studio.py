"""The reader of Tokens Studio: single and several files, themes, order of sets, stored keys, older forms."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.readers.documents import Document, document_of
from tokensync.migrate.readers.tokens_studio import read, recognized
from tokensync.migrate.source import Location
from tokensync.tokens import hexadecimal

KEY = "0123456789abcdef0123456789abcdef01234567"


def documents(files):
    """Return the documents of files with JSON, or with a text."""
    made = []
    for path, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        document, unread = document_of(path, text.encode())
        assert document is not None and not unread
        made.append(document)
    return made


def source(content):
    return read(documents({"tokens.json": content}))


def color(value, **more):
    return {"value": value, "type": "color", **more}


def theme(name, group=None, /, **sets):
    return {"id": name, "name": name, "selectedTokenSets": sets, **({"group": group} if group else {})}


def reasons(found):
    return [each.reason for each in found.unread]


SINGLE = {
    "core": {"red": color("#f00"), "blue": color("#00f", description="A blue.")},
    "light": {"fg": color("{red}")},
    "dark": {"fg": color("{blue}")},
    "$themes": [
        theme("Light", "mode", core="source", light="enabled", dark="disabled"),
        theme("Dark", "mode", core="source", light="disabled", dark="enabled"),
        theme("Core", core="enabled"),
    ],
    "$metadata": {"tokenSetOrder": ["core", "light", "dark"]},
}


def test_a_single_file_has_sets_and_themes():
    found = source(SINGLE)
    assert [(each.name, [token.path for token in each.tokens]) for each in found.sets] == [
        ("core", ["red", "blue"]),
        ("light", ["fg"]),
        ("dark", ["fg"]),
    ]
    assert [(each.name, each.group, dict(each.sets)) for each in found.themes] == [
        ("Light", "mode", {"core": "source", "light": "enabled"}),
        ("Dark", "mode", {"core": "source", "dark": "enabled"}),
        ("Core", "", {"core": "enabled"}),
    ]
    assert (found.format, found.read, found.unread) == ("tokens-studio", 4, ())


def test_tokens_have_their_lines_and_descriptions():
    blue = source(SINGLE).sets[0].tokens[1]
    text = json.dumps(SINGLE, indent=2).split("\n")
    assert text[blue.at.line - 1].strip() == '"blue": {'
    assert (blue.at.file, blue.description) == ("tokens.json", "A blue.")


def test_several_files_are_the_same_source_as_one():
    files = {f"{name}.json": content for name, content in SINGLE.items()}
    found, single = read(documents(files)), source(SINGLE)
    assert [each.name for each in found.sets] == [each.name for each in single.sets]
    assert found.themes == single.themes
    assert found.sets[1].tokens[0].at == Location("light.json", 2)


def test_sets_of_several_files_are_named_by_their_path_below_the_themes():
    files = {
        "tokens/$themes.json": [theme("T", **{"base/light": "enabled"})],
        "tokens/base/light.json": {"a": color("#fff")},
        "tokens/extra.json": {"b": color("#fff")},
        "other/config.json": {"c": 1},
    }
    found = read(documents(files))
    assert [each.name for each in found.sets] == ["base/light", "extra"]
    assert reasons(found) == ["the file is not in the folder of the sets; move it there if it is one"]


def test_themes_of_one_group_are_modes_of_the_same_tokens():
    light, dark, _ = themes_of(source(SINGLE))
    assert [hexadecimal(each.literal("fg")) for each in (light, dark)] == ["#ff0000", "#0000ff"]


def test_three_groups_are_three_dimensions_and_not_their_product():
    sets = {
        f"{group}{index}": {group: color("#fff")} for group, n in (("a", 4), ("b", 2), ("c", 2)) for index in range(n)
    }
    themes = [theme(name, name[0], **{name: "enabled"}) for name in sets]
    found = source({**sets, "$themes": themes})
    assert len(found.themes) == 8
    assert {each.group: sum(one.group == each.group for one in found.themes) for each in found.themes} == {
        "a": 4,
        "b": 2,
        "c": 2,
    }


def test_without_themes_each_set_is_a_theme():
    found = source({"core": {"a": color("#fff")}, "own": {"b": color("{a}")}, "$metadata": {"tokenSetOrder": ["core"]}})
    assert [(each.name, dict(each.sets)) for each in found.themes] == [
        ("core", {"core": "enabled"}),
        ("own", {"own": "enabled"}),
    ]
    assert hexadecimal(themes_of(found)[1].literal("b")) == "#ffffff"


def test_a_set_that_the_order_lacks_comes_last_and_is_named():
    content = {**SINGLE, "$metadata": {"tokenSetOrder": ["dark", "core"]}}
    found = source(content)
    assert [each.name for each in found.sets] == ["dark", "core", "light"]
    assert reasons(found) == ["the order of sets lacks 'light'; it comes after the others"]
    assert [*found.themes[1].sets] == ["dark", "core"]


def test_a_theme_that_names_a_missing_set_is_kept_without_it():
    content = {**SINGLE, "$themes": [theme("T", core="enabled", gone="source")]}
    found = source(content)
    assert dict(found.themes[0].sets) == {"core": "enabled"}
    assert reasons(found) == ["the theme 'T' names the set 'gone', and there is no such set"]


def test_names_that_are_equal_in_their_first_40_characters_stay_different():
    names = ["x" * 40 + "a", "x" * 40 + "b"]
    found = source({**SINGLE, "$themes": [theme(each, "g", core="enabled") for each in names]})
    assert [each.name for each in found.themes] == names


def test_keys_of_variables_are_kept_and_those_of_no_token_named():
    own = theme("T", core="enabled") | {
        "$figmaVariableReferences": {"red": KEY, "gone": KEY, "blue": "0123456789abcdef0123"},
        "$figmaCollectionId": "VariableCollectionId:1:2",
        "$figmaModeId": "1:0",
        "$figmaStyleReferences": {"red": "S:1,"},
    }
    found = source({**SINGLE, "$themes": [own]})
    assert dict(found.themes[0].keys) == {"red": KEY}
    assert (found.themes[0].collection_id, found.themes[0].mode_id) == ("VariableCollectionId:1:2", "1:0")
    assert reasons(found) == [
        "the theme 'T' has a variable for this token, and there is no such token",
        "'0123456789abcdef0123' is not the key of a variable, which has 40 hexadecimal digits",
    ]


def test_one_token_may_have_a_key_in_each_of_two_themes():
    keys = [KEY, KEY[::-1]]
    themes = [
        theme(f"T{at}", core="enabled") | {"$figmaVariableReferences": {"red": key}} for at, key in enumerate(keys)
    ]
    assert [each.keys["red"] for each in source({**SINGLE, "$themes": themes}).themes] == keys


def test_types_of_groups_and_tokens_with_dollar_signs_are_read():
    content = {"a": {"space": {"$type": "dimension", "1": {"$value": "4px", "$description": "Small."}}}, "$themes": []}
    found = source(content).sets[0].tokens[0]
    assert (found.type, found.value, found.description) == ("dimension", "4px", "Small.")


def test_what_extensions_say_about_a_variable_is_read_and_the_rest_kept():
    extensions = {
        "com.figma.scopes": ["GAP"],
        "com.figma.hiddenFromPublishing": True,
        "com.figma.codeSyntax": {"Web": "var(--a)"},
        "studio.tokens": {"modify": {}},
    }
    content = {"a": {"x": {"$value": "4px", "$type": "dimension", "$extensions": extensions}}, "$themes": []}
    found = source(content).sets[0].tokens[0]
    assert (found.scopes, found.is_hidden, found.code_syntax) == (("GAP",), True, (("WEB", "var(--a)"),))
    assert dict(found.extensions) == {"studio.tokens": {"modify": {}}}


def test_an_object_as_value_is_a_value_and_a_token_named_value_is_a_token():
    oklch = {"colorSpace": "oklch", "components": [0.6, 0.1, 200]}
    content = {"a": {"x": {"value": oklch, "type": "color"}, "y": {"value": {"value": "1", "type": "number"}}}}
    tokens = source({**content, "$themes": []}).sets[0].tokens
    assert [(each.path, each.value) for each in tokens] == [("x", oklch), ("y.value", "1")]


def test_tokens_in_a_value_belong_to_a_group_of_that_name():
    content = {"a": {"input": {"$value": {"inset": {"top": {"$type": "spacing", "$value": "4px"}}}}}, "$themes": []}
    assert [each.path for each in source(content).sets[0].tokens] == ["input.value.inset.top"]


def test_a_token_that_is_also_a_group_is_read_with_the_tokens_in_it():
    content = {"a": {"x": {**color("#fff"), "hover": color("#000"), "note": {"text": "none"}}}, "$themes": []}
    assert [each.path for each in source(content).sets[0].tokens] == ["x", "x.hover"]


def test_foreign_members_with_dollar_signs_are_named_and_tokens_in_them_counted():
    content = {
        "core": {
            "$group": {"lost": color("#f00"), "deep": {"too": color("#0f0")}},
            "$note": "for later",
            "$description": "about the group",
            "red": color("#f00", **{"$x": {"since": 2}, "$description": "A red.", "$extensions": {"a.b": 1}}),
        },
        "$themes": [],
        "$other": {"set": color("#f00")},
    }
    found = source(content)
    named = [(each.name, each.at.line, each.is_token) for each in found.unread]
    assert named == [
        ("", 3, True),
        ("", 3, True),
        ("", 15, False),
        ("red", 20, False),
        ("", 30, True),
    ]
    assert reasons(found)[3].startswith("its member '$x' is not read")
    assert found.read == 4


def test_a_member_that_is_no_token_is_unread_with_its_line():
    found = source({"a": {"x": "red", "g": {"y": 4}}, "$themes": []})
    assert [(each.name, each.at.line) for each in found.unread] == [("x", 3), ("g.y", 5)]
    assert found.read == 2


@pytest.mark.parametrize(
    "content",
    [
        {"values": {"core": [{"name": "a.b", "value": "#fff", "type": "color"}]}, "version": "1", "updatedAt": "now"},
        {"core": [{"name": "a.b", "value": "#fff", "type": "color"}]},
        {"core": {"a": {"b": {"value": "#fff", "type": "color", "parent": "core"}}}},
        {"core": {"a": {"b": color("#fff")}, "s": {"value": "4px", "type": "sizing"}, "c": color("{a.b}")}},
    ],
)
def test_forms_of_older_versions_are_recognized_and_read(content):
    assert recognized(documents({"tokens.json": content}))
    found = source(content)
    assert [each.name for each in found.sets] == ["core"]
    assert found.sets[0].tokens[0].name == ("a", "b")


@pytest.mark.parametrize(
    "files",
    [
        {"tokens.json": {"color": {"red": {"value": "#f00"}, "alias": {"value": "{color.red}"}}}},
        {"tokens.json": {"size": {"a": {"value": "4px", "type": "sizing"}, "b": {"value": "{size.a}"}}}},
        {"a.tokens.json": {"color": {"$type": "color", "red": {"$value": "#f00"}}}},
        {"package.json": {"name": "x", "$themes": "no"}},
        {"list.json": [1, 2]},
        {"style.css": ":root { --a: 1px }"},
    ],
)
def test_files_of_other_formats_are_not_recognized(files):
    assert not recognized(documents(files))


@pytest.mark.parametrize("name", ["$themes.json", "$metadata.json", "folder/$metadata.json"])
def test_files_of_the_plugin_are_recognized_by_their_names(name):
    content = [] if "themes" in name else {"tokenSetOrder": []}
    assert recognized(documents({name: content, "core.json": {}}))


def test_a_source_without_tokens_has_none():
    found = source({"$themes": [], "$metadata": {"tokenSetOrder": ["core"]}, "core": {}})
    assert (found.read, [each.name for each in found.sets], found.themes) == (0, ["core"], ())


@pytest.mark.parametrize(
    ("themes", "reason"),
    [
        ("none", "$themes is not a list"),
        (["Light"], "the theme is not an object with a name"),
        (
            [{"name": "T", "selectedTokenSets": {"core": "on"}}],
            "the theme 'T' gives the set 'core' the unknown status 'on'",
        ),
    ],
)
def test_themes_that_cannot_be_read_are_reported(themes, reason):
    assert reason in reasons(read([Document("tokens.json", "{}", "json", {**SINGLE, "$themes": themes})]))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("value $value type name parent a b $themes $extensions".split()), inner)
    ),
    max_leaves=12,
)


@given(JSON, JSON, JSON)
def test_no_content_raises(sets, themes, metadata):
    content = {"core": sets, "$themes": themes, "$metadata": {"tokenSetOrder": metadata}}
    text = json.dumps(content)
    found = read([Document("tokens.json", text, "json", content)])
    for each in themes_of(found):
        for path in each.tokens:
            each.reading(path)


def test_a_file_with_a_value_at_its_top_keeps_its_other_tokens():
    files = {"$metadata.json": {"tokenSetOrder": ["core"]}, "core.json": {"value": "#fff", "ink": color("#000")}}
    found = read(documents(files))
    assert [each.path for _, each in found.tokens()] == ["ink"]
    assert [(str(each.at), each.reason) for each in found.unread] == [("core.json:1", "the token has no name")]


def test_a_value_at_the_top_of_a_file_is_no_set():
    assert not recognized(documents({"a.json": {"value": "#fff", "ink": color("#000")}}))
