"""Style Dictionary files as sources: one oddity each, with the sets and tokens that it has to give."""

import pytest
from migrate.read_sources import documents, sets_of, themes_of, token, unread_of
from optional import needs_json5

from tokensync.migrate.readers import style_dictionary
from tokensync.migrate.readers.source_files import read_source


def read(files):
    source = style_dictionary.read(documents(files))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    return source


VALUES = {
    "value and type": (
        {"color": {"a": {"value": "#fff", "type": "color"}, "b": {"value": "{color.a.value}", "type": "color"}}},
        {"color.a": "#fff", "color.b": "{color.a}"},
    ),
    "both spellings in one token": ({"a": {"value": 1, "$value": 2}}, {"a": 2}),
    "both spellings in one file": ({"a": {"$value": "{b.value}"}, "b": {"value": 1}}, {"a": "{b}", "b": 1}),
    "a group named value": ({"g": {"value": {"a": {"value": 1}}}}, {"g.value.a": 1}),
    "a length that is an object": ({"g": {"value": {"value": 1, "unit": "px"}}}, {"g": {"value": 1, "unit": "px"}}),
    "a value that is an object": (
        {"t": {"value": {"fontSize": "{s.value}", "fontFamily": "x"}, "type": "typography"}, "s": {"value": "4px"}},
        {"t": {"fontSize": "{s}", "fontFamily": "x"}, "s": "4px"},
    ),
    "references inside of texts": (
        {"a": {"value": "1px solid {b.value}"}, "b": {"value": "#fff"}, "c": {"value": "{b.value} * 0.5rem"}},
        {"a": "1px solid {b}", "b": "#fff", "c": "{b} * 0.5rem"},
    ),
    "data of tools beside the value": (
        {"a": {"value": 1, "attributes": {"category": "x", "value": 3}, "original": {"value": 2}, "themeable": True}},
        {"a": 1},
    ),
    "a token that is also a group": (
        {"a": {"value": 1, "hover": {"value": 2}}, "b": {"value": "{a.hover.value}"}},
        {"a": 1, "a.hover": 2, "b": "{a.hover}"},
    ),
    "texts without an object": (
        {"options": {"serif": "Stuart", "x": "{options.serif}"}, "font": {"value": "{options.serif}"}},
        {"options.serif": "Stuart", "options.x": "{options.serif}", "font": "{options.serif}"},
    ),
    "no value": ({"a": {"value": None}, "b": {"value": ""}}, {"a": None, "b": ""}),
    "an unknown reference": ({"a": {"value": "{gone.value}"}}, {"a": "{gone.value}"}),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_tokens_of_a_file(name):
    content, wanted = VALUES[name]
    source = read({"t.json": content})
    assert sets_of(source) == {"t.json": wanted}
    assert themes_of(source) == {"/t*": {"t.json": "enabled"}}
    assert source.unread == ()


def test_a_file_of_texts_is_read_if_another_file_refers_to_one_of_them():
    files = {
        "options.json": {"font": {"main": "Stuart", "other": "Graphik", "number": 2}},
        "font.json": {"f": {"value": "{font.main}"}},
        "notes.json": {"text": "no token", "more": {"count": 3}},
    }
    source = read(files)
    assert sets_of(source) == {
        "options.json": {"font.main": "Stuart", "font.other": "Graphik", "font.number": 2},
        "font.json": {"f": "{font.main}"},
    }
    assert unread_of(source) == {"- notes.json:1": "the file has no tokens"}


def test_a_reference_without_its_first_groups_names_the_only_token_with_this_end():
    tree = {"global": {"red": {"value": "#f00"}, "x": {"s": {"value": 1}}, "y": {"s": {"value": 2}}},
            "a": {"value": "{red.value}"}, "b": {"value": "{s}"}, "c": {"value": "{y.s}"}}  # fmt: skip
    source = read({"t.json": tree})
    assert {each: token(source, each).value for each in "abc"} == {"a": "{global.red}", "b": "{s}", "c": "{global.y.s}"}
    assert unread_of(source) == {
        "- t.json:17 a": "{red.value} is read as {global.red}, the only token whose name ends so",
        "- t.json:23 c": "{y.s} is read as {global.y.s}, the only token whose name ends so",
    }


def test_what_describes_a_token_is_kept():
    node = {"value": "#fff", "type": "color", "comment": "text", "deprecated": True, "themeable": True,
            "attributes": {"category": "color"}}  # fmt: skip
    found = token(read({"t.json": {"a": node}}), "a")
    assert (found.description, found.deprecated, found.type) == ("text", True, "color")
    assert found.extensions == {"themeable": True, "attributes": {"category": "color"}}


MODES = {
    "an object with names of modes": (
        {"a": {"value": {"light": "#fff", "dark": "#000"}}, "b": {"value": {"default": "{a.value}", "dark": "#111"}}},
        {"t.json [light]": {"a": "#fff"}, "t.json [dark]": {"a": "#000", "b": "#111"}, "t.json": {"b": "{a}"}},
    ),
    "a list of two colors": (
        {"a": {"value": ["#fff", "#000"], "type": "color"}, "b": {"value": ["#fff", "#000"], "type": "gradient"}},
        {"t.json [light]": {"a": "#fff"}, "t.json [dark]": {"a": "#000"}, "t.json": {"b": ["#fff", "#000"]}},
    ),
    "nested sets": (
        {"a": {"sets": {"light": {"value": "#fff"}, "dark": {"value": "{b}"}, "wireframe": {"value": "#888"}}},
         "b": {"value": "#000"}},
        {"t.json [light]": {"a": "#fff"}, "t.json [dark]": {"a": "{b}"}, "t.json [wireframe]": {"a": "#888"},
         "t.json": {"b": "#000"}},
    ),
    "groups with the names of modes, which are groups": (
        {"a": {"light": {"value": 1}, "dark": {"value": 2}}, "sets": {"x": {"value": 3}, "light": {"value": 4}}},
        {"t.json": {"a.light": 1, "a.dark": 2, "sets.x": 3, "sets.light": 4}},
    ),
    "an object of other words, which is a value": (
        {"a": {"value": {"primary": "#fff", "light": "#000"}}},
        {"t.json": {"a": {"primary": "#fff", "light": "#000"}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODES)
def test_modes_of_single_tokens_are_sets(name):
    content, sets = MODES[name]
    assert sets_of(read({"t.json": content})) == sets


CONFIGURATION = {"include": ["base/*.json"], "source": ["tokens/**/*.{json,json5}"], "platforms": {"css": {}}}
TOKENS = {
    "tokens/a/x.json": {"x": {"value": 1}},
    "tokens/y.json5": "{y: {value: '{x.value}'}, /* comment */}",
    "base/z.json": {"z": {"value": 3}, "x": {"value": 0}},
}


@needs_json5
def test_a_configuration_lists_its_files_and_those_to_include_come_first():
    source = read({"config.json": CONFIGURATION, **TOKENS, "more/o.json": {"o": {"value": 1}}})
    assert list(themes_of(source)["/tokens*"]) == ["base/z.json", "tokens/a/x.json", "tokens/y.json5"]
    assert sets_of(source)["tokens/y.json5"] == {"y": "{x}"}
    assert unread_of(source) == {"more/o.json:2 o": "no configuration lists its file"}


@needs_json5
def test_a_configuration_given_alone_is_read_with_the_files_that_it_lists(tmp_path):
    for each in documents({"sub/config.json": CONFIGURATION, **{f"sub/{path}": text for path, text in TOKENS.items()}}):
        path = tmp_path / each.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(each.text, encoding="utf-8")
    reading = read_source(str(tmp_path / "sub" / "config.json"))
    assert style_dictionary.recognized(reading.documents)
    assert style_dictionary.read(reading.documents).read == 4
    assert reading.unread == ()


def test_several_configurations_are_themes():
    files = {
        "config.light.json": {"source": ["base/*.json", "light.json"]},
        "config.dark.json": {"source": ["base/*.json", "dark.json"]},
        "config.copy.json": {"source": ["base/*.json", "dark.json"]},
        "config.gone.json": {"source": ["gone/*.json"]},
        "light.json": {"a": {"value": 1}},
        "dark.json": {"a": {"value": 2}},
        "base/b.json": {"b": {"value": "{a.value}"}},
    }
    source = read(files)
    assert {name: list(sets) for name, sets in themes_of(source).items()} == {
        "theme/copy*": ["base/b.json", "dark.json"],
        "theme/light": ["base/b.json", "light.json"],
    }
    assert unread_of(source) == {
        "- config.gone.json:1": "none of the files that this configuration lists is in the source"
    }


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ({"a": {"value": 1}}, True),
        ({"a": {"$value": 1}}, True),
        (CONFIGURATION, True),
        ({"source": "a.json"}, False),
        ({"a": {"b": "text"}}, False),
        ([], False),
    ],
)
def test_style_dictionary_is_recognized_by_values_and_configurations(content, wanted):
    assert style_dictionary.recognized(documents({"a.json": content})) is wanted


def test_names_that_begin_with_light_and_dark_are_modes_by_a_guess():
    files = {
        f"{mode.lower()}.json": {
            "tokens": {f"{mode}/color.bg": {"value": value}, f"{mode}/space.0.5": {"value": value}}
        }
        for mode, value in (("Light", "#fff"), ("Dark", "#000"))
    }
    source = read(files)
    assert {each.name: each.guess for each in source.themes} == dict.fromkeys(
        ("Light", "Dark"), "names begin with words for modes"
    )
    assert {token.name for _, token in source.tokens()} == {("color", "bg"), ("space", "0.5")}


@pytest.mark.parametrize(
    "files",
    [
        {"a.json": {"light": {"a": {"value": 1}}, "dark": {"b": {"value": 2}}}},
        {"a.json": {"light": {"a": {"value": 1}}, "dark": {"a": {"value": "{light.a}"}}}},
        {"a.json": {"color": {"light": {"a": {"value": 1}}, "dark": {"a": {"value": 2}}}}},
    ],
)
def test_other_names_with_words_for_modes_stay_names(files):
    source = read(files)
    assert len(source.themes) == 1
    assert {"light", "dark"} <= {step for _, token in source.tokens() for step in token.name}
