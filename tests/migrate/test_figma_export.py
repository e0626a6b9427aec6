"""The platform's own export as a source: modes in files, and collections that no file names."""

import io
import zipfile

import pytest
from migrate.read_sources import documents, sets_of, themes_of, token, unread_of

from tokensync.migrate.readers import figma_export
from tokensync.migrate.readers.source_files import read_source
from tokensync.migrate.readers.token_tree import _scopes

KEY = "0123456789abcdef0123456789abcdef01234567"


def mode(name, **tokens):
    return {**tokens, "$extensions": {"com.figma.modeName": name}}


def variable(identity, value, kind="color", **extensions):
    own = {"com.figma.variableId": f"VariableID:{identity}"} if identity else {}
    return {
        "$type": kind,
        "$value": value,
        "$extensions": {**own, **{f"com.figma.{k}": v for k, v in extensions.items()}},
    }


def alias(identity, value, name, collection, kind="color"):
    data = {
        "targetVariableId": f"VariableID:{KEY}/-1:-1",
        "targetVariableName": name,
        "targetVariableSetId": f"VariableCollectionId:{KEY}/-1:-1",
        "targetVariableSetName": collection,
    }
    return variable(identity, value, kind, aliasData=data)


def read(files):
    source = figma_export.read(documents(files))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    return source


RED = {"colorSpace": "srgb", "components": [1, 0, 0], "alpha": 1, "hex": "#FF0000"}
BLUE = {"colorSpace": "srgb", "components": [0, 0, 0.20000000298], "alpha": 1, "hex": "#000033"}


def test_three_files_of_the_same_name_are_three_collections_or_modes_by_their_variables():
    source = read({
        "a/Mode 1.tokens.json": mode("Mode 1", red=variable("1:1", RED), blue=variable("1:2", BLUE)),
        "b/Mode 1.tokens.json": mode("Mode 1", size=variable("2:1", 4, "number")),
        "c/Mode 1.tokens.json": mode("Mode 1", red=variable("3:1", RED), bg=variable("3:2", "{red}")),
    })  # fmt: skip
    assert list(themes_of(source)) == ["a/Mode 1*", "b/Mode 1*", "c/Mode 1*"]
    assert sets_of(source) == {
        "a/Mode 1.tokens.json": {"a.red": RED, "blue": BLUE},
        "b/Mode 1.tokens.json": {"size": 4},
        "c/Mode 1.tokens.json": {"c.red": RED, "bg": "{c.red}"},
    }
    assert token(source, "a.red").extensions["com.figma.name"] == "red"


def test_modes_have_the_names_in_the_files_and_not_those_of_the_files():
    source = read({
        "dark.tokens.json": mode("Light", a=variable("1:1", RED)),
        "light.tokens.json": mode("Dark", a=variable("1:1", BLUE)),
    })  # fmt: skip
    assert themes_of(source) == {
        "Collection/Light*": {"dark.tokens.json": "enabled"},
        "Collection/Dark": {"light.tokens.json": "enabled"},
    }


def test_a_mode_without_some_variables_belongs_to_its_collection():
    source = read({
        "x.json": mode("Light", a=variable("1:1", RED), b=variable("1:2", RED), c=variable("1:3", RED)),
        "y.json": mode("Dark", a=variable("1:1", BLUE)),
    })  # fmt: skip
    assert [(each.group, each.name) for each in source.themes] == [("Collection", "Light"), ("Collection", "Dark")]


def test_files_without_ids_are_modes_by_the_names_of_their_variables():
    source = read({
        "l.json": mode("Light", a=variable("", RED), b=variable("", RED)),
        "d.json": mode("Dark", a=variable("", RED), b=variable("", RED)),
        "o.json": mode("Dark", x=variable("", RED)),
    })  # fmt: skip
    assert {(each.group, each.name) for each in source.themes} == {
        ("Collection", "Light"), ("Collection", "Dark"), ("o", "Dark"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("theme.Light.tokens.json", "theme.Dark.tokens.json"), "theme"),
        (("Brand Light.tokens.json", "Brand Dark.tokens.json"), "Brand"),
        (("theme.Light.tokens (1).json", "theme.Dark.tokens.json"), "theme"),
        (("Light.tokens.json", "Dark.tokens.json"), "Collection"),
        (("a.Light.tokens.json", "b.Dark.tokens.json"), "Collection"),
        (("web/Light.tokens.json", "web/Dark.tokens.json"), "web"),
    ],
)
def test_the_name_of_a_collection_is_what_the_names_of_its_files_have_before_the_mode(names, wanted):
    light, dark = mode("Light", a=variable("1:1", RED)), mode("Dark", a=variable("1:1", BLUE))
    themes = read(dict(zip(names, (light, dark), strict=True))).themes
    assert {(each.group, each.name) for each in themes} == {(wanted, "Light"), (wanted, "Dark")}


def test_the_default_mode_is_the_one_whose_values_aliases_have():
    core = {name: mode(name, a=variable("1:1", value)) for name, value in (("Light", RED), ("Dark", BLUE))}
    use = mode("Value", x=alias("2:1", BLUE, "a", "Core"))
    source = read({"Core.Light.json": core["Light"], "Core.Dark.json": core["Dark"], "use.json": use})
    assert {f"{each.group}/{each.name}" for each in source.themes if each.is_default} == {"Core/Dark", "use/Value"}


def test_the_same_mode_exported_twice_gives_two_names():
    files = {each: mode("Light", a=variable("1:1", RED)) for each in ("x.json", "y.json")}
    assert [each.name for each in read(files).themes] == ["Light (x)", "Light (y)"]


def test_an_alias_into_another_collection_is_found_by_the_names_of_both():
    source = read({
        "1.tokens.json": mode("Mode 1", color={"red": variable("1:1", RED), "blue": variable("1:2", BLUE)}),
        "2.tokens.json": mode("Light", bg=alias("2:1", RED, "color/red", "Primitives"), fg=variable("2:2", "{bg}")),
        "3.tokens.json": mode("Dark", bg=alias("2:1", BLUE, "color/blue", "Primitives"), fg=variable("2:2", RED)),
    })  # fmt: skip
    assert sets_of(source)["2.tokens.json"] == {"bg": "{color.red}", "fg": "{bg}"}
    assert sets_of(source)["3.tokens.json"] == {"bg": "{color.blue}", "fg": RED}
    assert themes_of(source)["Collection/Dark"] == {"1.tokens.json": "source", "3.tokens.json": "enabled"}
    assert list(themes_of(source)) == ["Primitives/Mode 1*", "Collection/Light*", "Collection/Dark"]
    assert source.unread == ()


def test_the_same_name_in_two_collections_is_found_by_the_name_of_the_collection():
    small, medium = variable("1:1", 4, "number"), variable("1:2", "{radius.sm}", "number")
    source = read({
        "p.json": mode("Mode 1", radius={"sm": small, "md": medium}),
        "s.json": mode("Mode 1", radius={"sm": alias("2:1", 4, "radius/sm", "Core", "number")},
                       x=variable("2:2", 1, "number")),
    })  # fmt: skip
    assert sets_of(source) == {
        "p.json": {"Core.radius.sm": 4, "radius.md": "{Core.radius.sm}"},
        "s.json": {"s.radius.sm": "{Core.radius.sm}", "x": 1},
    }


def test_equal_candidates_are_distinguished_by_the_names_of_folders_and_then_by_values():
    files = {
        "Brand/1.json": mode("M", a=variable("1:1", RED)),
        "Core/1.json": mode("M", a=variable("2:1", RED)),
        "use/1.json": mode("M", x=alias("3:1", RED, "a", "core")),
    }
    assert sets_of(read(files))["use/1.json"] == {"x": "{core.a}"}
    files["use/1.json"] = mode("M", x=alias("3:1", BLUE, "a", "Palette"))
    files["Brand/1.json"] = mode("M", a=variable("1:1", BLUE))
    assert sets_of(read(files))["use/1.json"] == {"x": "{Palette.a}"}
    files["Core/1.json"] = mode("M", a=variable("2:1", BLUE))
    ((place, reason),) = unread_of(read(files)).items()
    assert place == "use/1.json:2 x"
    assert reason.endswith("several collections of this source could be that one; name its folder so")


def test_an_alias_whose_collection_is_not_exported_is_unread_and_not_a_literal():
    files = {"x.json": mode("Light", a=alias("1:1", RED, "color/red", "Library"), b=variable("1:2", RED))}
    source = read(files)
    assert sets_of(source) == {"x.json": {"b": RED}}
    assert unread_of(source) == {
        "x.json:2 a": "it is an alias of 'color/red' in the collection 'Library', which is not in this source; "
        "export that collection, too"
    }


def test_the_id_of_a_target_counts_only_with_its_name():
    found = alias("2:1", RED, "a", "Other")
    found["$extensions"]["com.figma.aliasData"]["targetVariableId"] = "VariableID:1:1"
    known = {"x.json": mode("M", b=variable("1:1", RED)), "y.json": mode("M", c=found)}
    assert list(unread_of(read(known))) == ["y.json:2 c"]


def composed(color, opacity, alpha):
    value = {**RED, "alpha": alpha}
    return variable("9:1", value, composedColor={"colorArg": color, "opacityArg": opacity})


LONG = {"targetVariableName": "c/red", "targetVariableSetName": "Core", "targetVariableId": f"VariableID:{KEY}/-1:-1"}
COMPOSED = {
    "of its own collection": (
        composed({"type": "alias", "alias": {"targetVariableName": "b"}}, {"value": 30}, 0.30000001192),
        "rgba({b}, 0.3)",
    ),
    "of another collection": (
        composed({"type": "alias", "alias": LONG}, {"type": "number", "value": 48}, 0.47999998927),
        "rgba({c.red}, 0.48)",
    ),
    "with an opacity that is an alias": (
        composed({"alias": LONG}, {"alias": {**LONG, "targetVariableName": "opacity"}}, 0.5),
        "rgba({c.red}, {opacity})",
    ),
    "of a color": (
        composed({"value": RED}, {"alias": {**LONG, "targetVariableName": "opacity"}}, 0.5),
        "rgba(#FF0000, {opacity})",
    ),
    "of a translucent color, whose alpha it multiplies": (
        composed({"alias": LONG}, {"value": 50}, 0.25),
        "rgba({c.red}, 0.25)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_a_composed_color_keeps_its_references(name):
    token, wanted = COMPOSED[name]
    core = mode("M", c={"red": variable("1:1", RED)}, opacity=variable("1:2", 50, "number"))
    source = read({"core.json": core, "use.json": mode("M", a=token, b=variable("9:2", RED))})
    assert sets_of(source)["use.json"]["a"] == wanted
    assert source.unread == ()


def test_a_composed_color_without_its_target_or_of_another_form_is_unread():
    gone = composed({"alias": {"targetVariableName": "gone"}}, {"value": 50}, 0.5)
    other = composed({"alias": {"targetVariableName": "b"}}, {"percent": 50}, 0.5)
    source = read({"x.json": mode("M", a=gone, c=other, b=variable("1:1", RED))})
    assert sets_of(source) == {"x.json": {"b": RED}}
    assert unread_of(source) == {
        "x.json:2 a": "it is an alias of 'gone', which is not in this source; export it, too",
        "x.json:28 c": "the form of its composed colour is unknown; set the colour again in Figma, and export it",
    }


@pytest.mark.parametrize(
    ("kind", "value", "extensions", "wanted"),
    [
        ("number", 1, {"type": "boolean"}, ("boolean", True, False)),
        ("number", 0, {"type": "boolean"}, ("boolean", False, False)),
        ("number", 0, {}, ("number", 0, False)),
        ("string", "Hello {name} for $1.00", {"type": "string"}, ("string", "Hello {name} for $1.00", True)),
        ("string", "{other}", {"type": "string"}, ("string", "{other}", True)),
        ("string", "{b}", {"type": "string"}, ("string", "{b}", False)),
        ("number", "{gone}", {}, ("number", "{gone}", False)),
    ],
)
def test_values_keep_the_type_of_the_variable(kind, value, extensions, wanted):
    source = read({"x.json": mode("M", a=variable("1:1", value, kind, **extensions), b=variable("1:2", "t", "string"))})
    found = token(source, "a")
    assert (found.type, found.value, found.is_text) == wanted
    assert type(found.value) is type(wanted[1])


def test_scopes_code_syntax_and_visibility_are_kept():
    syntax = {"WEB": "var(--a)", "ANDROID": "R.color.a", "iOS": "Color.a"}
    a = variable("1:1", RED, scopes=["STROKE", "FRAME_FILL"], codeSyntax=syntax, hiddenFromPublishing=True)
    source = read({"x.json": mode("M", g={"a ": a, "b": variable("1:2", RED)})})
    first, second = source.sets[0].tokens
    assert first.name == ("g", "a ")
    assert (first.scopes, first.code_syntax) == (("STROKE_COLOR", "FRAME_FILL"), tuple(syntax.items()))
    assert (first.is_hidden, first.id) == (True, "VariableID:1:1")
    assert (second.scopes, second.code_syntax, second.is_hidden) == ((), (), False)


def test_a_variable_that_is_also_a_group_is_its_root():
    group = {"$root": variable("1:1", RED), "hover": variable("1:2", "{a.$root}")}
    assert sets_of(read({"x.json": mode("M", a=group)})) == {"x.json": {"a": RED, "a.hover": "{a}"}}


def test_a_zip_of_modes_is_read_like_its_files(tmp_path):
    files = {
        "Light.tokens.json": mode("Light", a=variable("1:1", RED)),
        "Dark.tokens.json": mode("Dark", a=variable("1:1", BLUE)),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for each in documents(files):
            file.writestr(each.path, each.text)
    (tmp_path / "export.zip").write_bytes(buffer.getvalue())
    reading = read_source(str(tmp_path / "export.zip"))
    assert figma_export.recognized(reading.documents)
    assert sets_of(figma_export.read(reading.documents)) == sets_of(read(files))


def test_a_file_without_variables_is_reported():
    assert unread_of(read({"x.json": mode("M", a=variable("1:1", RED)), "y.json": mode("Empty")})) == {
        "- y.json:1": "the file has no variables"
    }


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (mode("M"), True),
        ({"a": variable("1:1", RED)}, True),
        ({"a": variable("", RED)}, False),
        ({"$extensions": {"com.figma.modeName": "M", "org.tokensync": {}}, "a": variable("1:1", RED)}, False),
        ([], False),
    ],
)
def test_an_export_is_recognized_by_the_name_of_its_mode_or_by_ids(content, wanted):
    assert figma_export.recognized(documents({"a.json": content})) is wanted


@pytest.mark.parametrize(
    ("scopes", "read"), [(["GAP", "ALL_SCOPES"], ("ALL_SCOPES",)), (["GAP", "GAP", "OPACITY"], ("GAP", "OPACITY"))]
)
def test_scopes_that_the_platform_refuses_together_are_reduced(scopes, read):
    assert _scopes(scopes) == read
