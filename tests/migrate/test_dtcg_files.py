"""DTCG files as sources: one oddity each, with the sets and tokens that it has to give."""

import pytest
from migrate.read_sources import documents, sets_of, themes_of, token, unread_of

from tokensync.migrate.readers import dtcg_files
from tokensync.migrate.readers.documents import document_of
from tokensync.system.errors import UsageError


def color(value, /, **members):
    return {"$type": "color", "$value": value, **members}


def number(value, /, **members):
    return {"$type": "number", "$value": value, **members}


def read(files):
    source = dtcg_files.read(documents(files))
    assert source.read == sum(len(each.tokens) for each in source.sets) + sum(each.is_token for each in source.unread)
    return source


RED = {"colorSpace": "srgb", "components": [1, 0, 0]}

VALUES = {
    "an inherited type": ({"g": {"$type": "number", "a": {"$value": 1}}}, {"g.a": 1}),
    "texts of older drafts": (
        {"c": color("#abcd"), "d": {"$type": "dimension", "$value": "4px"}, "u": {"$value": "none"}},
        {"c": "#abcd", "d": "4px", "u": "none"},
    ),
    "a token that is also a group": (
        {"a": color("#111", hover=color("#222"), deep={"x": color("{a.hover}")})},
        {"a": "#111", "a.hover": "#222", "a.deep.x": "{a.hover}"},
    ),
    "a root token": ({"a": {"$root": number(1), "b": number("{a.$root}")}}, {"a": 1, "a.b": "{a}"}),
    "a token named value": ({"g": {"value": number(1)}}, {"g.value": 1}),
    "a token named value in a token": ({"g": number(0, value=number(1))}, {"g": 0, "g.value": 1}),
    "groups that extend groups": (
        {"a": {"$type": "number", "x": {"$value": 1}, "y": {"$value": 2}}, "b": {"$extends": "{a}", "y": number(3)}},
        {"a.x": 1, "a.y": 2, "b.y": 3, "b.x": 1},
    ),
    "a pointer to a token": (
        {"a": number(1), "b": {"$ref": "#/a"}, "c": number({"$ref": "#/a/$value"}), "d": {"$root": number(0)},
         "e": {"$ref": "#/d/$root"}},
        {"a": 1, "b": "{a}", "c": "{a}", "d": 0, "e": "{d}"},
    ),
    "a pointer to a part of a literal": (
        {"a": color(RED), "b": number({"$ref": "#/a/$value/components/0"})},
        {"a": RED, "b": 1},
    ),
    "a color with the components of another one": (
        {
            "a": color(RED),
            "b": color({
                "colorSpace": {"$ref": "#/a/$value/colorSpace"}, "components": {"$ref": "#/a/$value/components"},
                "alpha": 0.48,
            }),
            "c": color({"components": "{a}", "alpha": "{o}"}),
            "d": color({"components": "{a}"}),
        },
        {"a": RED, "b": "rgba({a}, 0.48)", "c": "rgba({a}, {o})", "d": "{a}"},
    ),
    "an alpha beside the value": (
        {"a": color(RED, alpha=0.5), "b": color("{a}", alpha=0), "c": color("{a}", alpha=1),
         "d": color("#fff", alpha="{o}")},
        {"a": {**RED, "alpha": 0.5}, "b": "rgba({a}, 0)", "c": "{a}", "d": "rgba(#fff, {o})"},
    ),
    "an alpha within a shadow": (
        {"s": {"$type": "shadow", "$value": [{"color": "{a}", "alpha": 0.2, "blur": "2px"}]}},
        {"s": [{"color": "rgba({a}, 0.2)", "blur": "2px"}]},
    ),
    "an alpha in an extension": (
        {"a": color("{x}", **{"$extensions": {"org.carbon": {"alphaModifier": 0.3}}})},
        {"a": "rgba({x}, 0.3)"},
    ),
    "names that differ by case": ({"A": number(1), "a": number(2)}, {"A": 1, "a": 2}),
    "dots and spaces in names": ({"space": {"0.5": number(1), "a b ": number(2)}}, {"space.0.5": 1, "space.a b ": 2}),
    "texts and numbers without an object": (
        {"g": {"a": 1, "b": "4px", "c": "named", "d": "{g.c}", "e": number("{g.c}"), "comment": "x"}},
        {"g.a": 1, "g.b": "4px", "g.c": "named", "g.d": "{g.c}", "g.e": "{g.c}"},
    ),
    "references to the value": (
        {"a": number(1), "b": number("{a.$value}"), "c": number("{ a }"), "d": number("{a.value} {x.value}")},
        {"a": 1, "b": "{a}", "c": "{a}", "d": "{a} {x.value}"},
    ),
    "no value": ({"a": color(None), "b": {"$value": "", "$type": "component"}}, {"a": None, "b": ""}),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_tokens_of_a_file(name):
    content, wanted = VALUES[name]
    source = read({"t.json": content})
    assert sets_of(source) == {"t.json": wanted}
    assert themes_of(source) == {"/t*": {"t.json": "enabled"}}
    assert source.unread == ()


UNREAD = {
    "neither a token nor a group": ({"a": number(1), "b": "text"}, "- t.json:6 b", "neither a token nor a group"),
    "more colours in a list than modes": (
        {"a": color(["#111", "#222", "#333"])},
        "t.json:2 a",
        "3 colours in a list, and only two are known, light and dark",
    ),
    "a pointer to nothing": ({"a": number(1), "b": number({"$ref": "#/x/$value/y"})}, "t.json:6 b", "does not exist"),
    "a pointer to a part of an alias": (
        {"a": color("{x}"), "b": number({"$ref": "#/a/$value/components/0"})},
        "t.json:6 b",
        "is a part of an alias; point at a literal",
    ),
    "a pointer to an array with an alias": (
        {"a": {"$type": "shadow", "$value": [{"color": "{x}"}]},
         "b": {"$type": "shadow", "$value": {"$ref": "#/a/$value/0"}}},
        "t.json:10 b",
        "is a reference itself",
    ),
    "a pointer to no file": (
        {"a": number({"$ref": "u.json#/a/$value/x"})},
        "t.json:2 a",
        "is not a file of this source",
    ),
    "no pointer": ({"a": {"$ref": "a.b"}}, "t.json:2 a", 'does not point at a token; write "#/"'),
    "an extension with values": (
        {"a": number(1, **{"$extensions": {"org.x": {"dark": ["{b}"]}}})},
        "t.json:2 a",
        "its extension 'org.x' holds values",
    ),
    "an alpha of a number": ({"a": number(1, alpha=0.5)}, "t.json:2 a", "an alpha beside a value that is not a colour"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREAD)
def test_what_cannot_be_read_is_unread_with_its_line(name):
    content, place, reason = UNREAD[name]
    source = read({"t.json": content})
    assert list(unread_of(source)) == [place]
    assert reason in unread_of(source)[place]


def test_a_cycle_of_extended_groups_is_reported_and_its_own_tokens_are_read():
    source = read({"t.json": {"a": {"$extends": "{b}", "x": number(1)}, "b": {"$extends": "{a}", "y": number(2)}}})
    assert sets_of(source)["t.json"].keys() >= {"a.x", "b.y"}
    assert all("cycle" in each.reason and not each.is_token for each in source.unread)
    assert source.unread


def test_what_else_a_token_has_is_kept():
    members = {
        "$description": "text",
        "$deprecated": "use b",
        "mediaQuery": "(min-width: 1px)",
        "$extensions": {
            "studio.tokens": {"modify": {"type": "alpha", "value": "{x}"}},
            "org.primer.figma": {"codeSyntax": {"web": "var(--a)"}, "scopes": ["bgColor", "STROKE"]},
            "com.figma.hiddenFromPublishing": True,
        },
    }
    found = token(read({"t.json": {"g": {"$type": "color", "a": {"$value": "#fff", **members}}}}), "g.a")
    assert (found.type, found.description, found.deprecated, found.is_hidden) == ("color", "text", "use b", True)
    assert (found.scopes, found.code_syntax) == (("STROKE_COLOR",), (("WEB", "var(--a)"),))
    assert found.extensions["mediaQuery"] == "(min-width: 1px)"
    assert found.extensions["studio.tokens"] == {"modify": {"type": "alpha", "value": "{x}"}}
    assert str(found.at) == "t.json:4"


def test_a_deprecated_group_deprecates_its_tokens_unless_they_say_no():
    tree = {"g": {"$deprecated": "old", "a": number(1), "b": number(1, **{"$deprecated": False})}}
    source = read({"t.json": tree})
    assert [token(source, each).deprecated for each in ("g.a", "g.b")] == ["old", False]


MODES = {
    "as a list of two colors": (
        {"c": {"$type": "color", "a": {"$value": ["#fff", "{b}"]}}, "f": {"$type": "fontFamily", "$value": ["x", "y"]}},
        {"t.json [light]": {"c.a": "#fff"}, "t.json [dark]": {"c.a": "{b}"}, "t.json": {"f": ["x", "y"]}},
        {"light*": ["t.json", "t.json [light]"], "dark": ["t.json", "t.json [dark]"]},
    ),
    "as an object with names of modes": (
        {"a": color({"light": "#fff", "dark": {"$value": "#000"}}), "b": color({"default": "#111", "dark": "#222"})},
        {"t.json [light]": {"a": "#fff"}, "t.json [dark]": {"a": "#000", "b": "#222"}, "t.json": {"b": "#111"}},
        {"light*": ["t.json", "t.json [light]"], "dark": ["t.json", "t.json [dark]"]},
    ),
    "of Terrazzo": (
        {"a": number(1, **{"$extensions": {"mode": {"light": 1, "dark": {"$value": 2}}}}), "b": number(3)},
        {"t.json [light]": {"a": 1}, "t.json [dark]": {"a": 2}, "t.json": {"a": 1, "b": 3}},
        {"light*": ["t.json", "t.json [light]"], "dark": ["t.json", "t.json [dark]"]},
    ),
    "of Primer": (
        {"a": color("{n}", **{"$extensions": {"org.primer.overrides": {
            "dark": {"alpha": 0.2}, "dark-dimmed": {"$value": "{m}", "alpha": 0.4}, "light-hc": "{k}"}}})},
        {"t.json [dark]": {"a": "rgba({n}, 0.2)"}, "t.json [dark-dimmed]": {"a": "rgba({m}, 0.4)"},
         "t.json [light-hc]": {"a": "{k}"}, "t.json": {"a": "{n}"}},
        {"default*": ["t.json"], "dark": ["t.json", "t.json [dark]"],
         "dark-dimmed": ["t.json", "t.json [dark]", "t.json [dark-dimmed]"],
         "light-hc": ["t.json", "t.json [light-hc]"]},
    ),
    "without a value of its own": (
        {"a": {"$type": "color", "$extensions": {"carbon.themes": {"fallback": "{y}", "white": "{y}", "g10": "{z}"}}},
         "b": {"$type": "color", "$extensions": {"carbon.themes": {"white": "{y}", "g10": "{z}"}}}},
        {"t.json [white]": {"a": "{y}", "b": "{y}"}, "t.json [g10]": {"a": "{z}", "b": "{z}"}, "t.json": {"a": "{y}"}},
        {"white*": ["t.json", "t.json [white]"], "g10": ["t.json", "t.json [g10]"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODES)
def test_modes_of_single_tokens_are_sets(name):
    content, sets, themes = MODES[name]
    source = read({"t.json": content})
    assert sets_of(source) == sets
    assert {f"{each.name}{'*' * each.is_default}": list(each.sets) for each in source.themes} == themes
    assert len({each.group for each in source.themes}) == 1


def test_two_kinds_of_modes_are_two_groups_of_themes_and_not_their_product():
    modes = {"light": 1, "dark": 2}, {"mobile": 1, "desktop": 4}
    tree = {name: number(1, **{"$extensions": {"mode": each}}) for name, each in zip("ab", modes, strict=True)}
    source = read({"t.json": tree})
    assert list(themes_of(source)) == ["theme/light*", "theme/dark", "device/mobile*", "device/desktop"]
    assert themes_of(source)["theme/dark"] == {
        "t.json": "enabled", "t.json [mobile]": "source", "t.json [dark]": "enabled",
    }  # fmt: skip


FILES = {
    "files named by modes": (
        {"light.json": {"a": number(1)}, "dark.json": {"a": number(2)}, "base.json": {"b": number(3)}},
        {"theme/light*": ["base.json", "light.json"], "theme/dark": ["base.json", "dark.json"]},
    ),
    "folders named by modes": (
        {f"{mode}/{file}.json": {file: number(1)} for mode in ("dark", "default") for file in "xy"},
        {"theme/default*": ["default/x.json", "default/y.json"],
         "theme/dark": ["default/x.json", "default/y.json", "dark/x.json", "dark/y.json"]},
    ),
    "a file and its mode": (
        {"a.json": {"a": number(1), "b": number(1)}, "a.dark.json": {"a": number(2)}},
        {"theme/default*": ["a.json"], "theme/dark": ["a.json", "a.dark.json"]},
    ),
    "the same names in files that no word explains": (
        {"t/acme.json": {"a": number(1), "b": number(1)}, "t/zeta.json": {"a": number(2), "b": number(1)},
         "o.json": {"c": number(1)}},
        {"t/acme*": ["o.json", "t/acme.json"], "t/zeta": ["o.json", "t/zeta.json"]},
    ),
    "the same names in folders": (
        {f"brands/{brand}/{file}.json": {file: number(at)} for at, brand in enumerate(("one", "two")) for file in "xy"},
        {"brands/one*": ["brands/one/x.json", "brands/one/y.json"],
         "brands/two": ["brands/two/x.json", "brands/two/y.json"]},
    ),
    "the same names with the same values": (
        {"t/acme.json": {"a": number(1), "b": number(1)}, "t/zeta.json": {"a": number(1), "b": number(1)}},
        {"/tokens*": ["t/acme.json", "t/zeta.json"]},
    ),
    "a mode that no word explains beside others": (
        {f"{mode}/x.json": {"a": number(at), "b": number(1)} for at, mode in enumerate(("light", "dark", "glass"))},
        {"theme/dark": ["dark/x.json"], "theme/light*": ["light/x.json"], "theme/glass": ["glass/x.json"]},
    ),
    "modes of several brands in folders": (
        {f"{brand}/{mode}/x.json": {"a": number(1)} for brand in ("default", "acme") for mode in ("light", "dark")},
        {"theme/acme-dark": ["default/dark/x.json", "acme/dark/x.json"],
         "theme/acme-light": ["default/light/x.json", "acme/light/x.json"],
         "theme/dark": ["default/dark/x.json"], "theme/light*": ["default/light/x.json"]},
    ),
    "a file of the light mode that no other mode has": (
        {"light/x.json": {"a": number(1)}, "light/y.json": {"b": number(1)}, "dark/x.json": {"a": number(2)}},
        {"theme/dark": ["light/y.json", "dark/x.json"], "theme/light*": ["light/y.json", "light/x.json"]},
    ),
    "a file whose name has the word for the usual mode": (
        {f"t/semantic-{mode}.json": {"a": number(at)} for at, mode in enumerate(("default", "dark"))},
        {"theme/dark": ["t/semantic-dark.json"], "theme/default*": ["t/semantic-default.json"]},
    ),
    "a mode word without a name in common": (
        {"light.json": {"a": number(1)}, "dark.json": {"b": number(2)}},
        {"/tokens*": ["dark.json", "light.json"]},
    ),
    "other files": (
        {"x.json": {"a": number(1), "b": number(1), "c": number(1)},
         "y.json": {"c": number(2), "d": number(2), "e": number(2)}},
        {"/tokens*": ["x.json", "y.json"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_and_folders_are_modes_if_their_names_or_tokens_say_so(name):
    files, wanted = FILES[name]
    found = {key: list(roles) for key, roles in themes_of(read(files)).items()}
    assert found == wanted


def test_a_file_without_tokens_is_reported_and_no_set():
    source = read({"a.json": {"a": number(1)}, "removed.json": {"x": None}, "list.json": [1]})
    assert list(sets_of(source)) == ["a.json"]
    assert unread_of(source) == {
        "- list.json:1": "the file is no object of groups and tokens",
        "- removed.json:1": "the file has no tokens",
    }


def test_a_file_of_an_older_draft_beside_others_is_read():
    files = {
        "a.json": {"a": number("{b}")},
        "b.json": {"b": {"value": 1, "type": "number"}, "c": {"value": "{a.value}"}},
    }
    source = read(files)
    assert sets_of(source) == {"a.json": {"a": "{b}"}, "b.json": {"b": 1, "c": "{a}"}}
    assert source.unread == ()


RESOLVER = {
    "version": "2025.10",
    "sets": {"base": {"sources": [{"$ref": "x/base.json"}]}, "over": {"sources": [{"z": number("{a}")}]}},
    "modifiers": {
        "theme": {"contexts": {"day": [], "night": [{"$ref": "x/night.json"}]}, "default": "day"},
        "size": {"contexts": {"s": [{"b": number(1)}], "l": [{"b": number(2)}, {"$ref": "x/l.json"}]}, "default": "l"},
    },
    "resolutionOrder": [{"$ref": "#/sets/base"}, {"$ref": "#/modifiers/theme"}, {"$ref": "#/sets/over"},
                        {"$ref": "#/modifiers/size"}],
}  # fmt: skip
BESIDE = {"x/base.json": {"a": number(1)}, "x/night.json": {"a": number(2)}, "x/l.json": {"c": number(5)}}


def test_a_resolver_document_gives_its_sets_and_modifiers_in_order():
    source = read({"sub/ds.resolver.json": RESOLVER, **{f"sub/{path}": each for path, each in BESIDE.items()}})
    assert sets_of(source) == {
        "sub/x/base.json": {"a": 1},
        "sub/x/night.json": {"a": 2},
        "over/0": {"z": "{a}"},
        "size/s/0": {"b": 1},
        "size/l/0": {"b": 2},
        "sub/x/l.json": {"c": 5},
    }
    themes = themes_of(source)
    assert list(themes) == ["theme/day*", "theme/night", "size/s", "size/l*"]
    assert themes["theme/night"] == {
        "sub/x/base.json": "enabled", "sub/x/night.json": "enabled", "over/0": "enabled", "size/l/0": "source",
        "sub/x/l.json": "source",
    }  # fmt: skip
    assert list(themes["size/s"]) == ["sub/x/base.json", "over/0", "size/s/0"]
    assert source.unread == ()


def test_tokens_of_files_that_no_resolver_document_names_are_reported():
    source = read({"ds.resolver.json": RESOLVER, **BESIDE, "other.json": {"o": number(1), "p": number(2)}})
    assert unread_of(source) == dict.fromkeys(
        ["other.json:2 o", "other.json:6 p"], "no resolver document names its file"
    )


def test_one_of_several_resolver_documents_has_to_be_chosen():
    files = documents({"a.resolver.json": RESOLVER, "b.resolver.json": RESOLVER, **BESIDE})
    with pytest.raises(UsageError, match=r"^a.resolver.json: there are several .* \(a.resolver.json, b.*; migrate one"):
        dtcg_files.read(files)


def test_problems_of_a_resolver_document_have_places():
    sets = {**RESOLVER["sets"], "gone": {"sources": [{"$ref": "gone.json"}]}}
    order = [*RESOLVER["resolutionOrder"], {"$ref": "#/sets/gone"}]
    source = read({"ds.resolver.json": {**RESOLVER, "sets": sets, "resolutionOrder": order}, **BESIDE})
    ((place, reason),) = unread_of(source).items()
    assert place.startswith("- ds.resolver.json:")
    assert "gone.json does not exist" in reason


@pytest.mark.parametrize(
    ("content", "wanted"),
    [({"a": number(1)}, True), (RESOLVER, True), ({"a": {"value": 1}}, False), ([], False), (None, False), ({}, False)],
)
def test_dtcg_is_recognized_by_values_and_resolver_documents(content, wanted):
    assert dtcg_files.recognized(documents({"a.json": content})) is wanted


YAML = """\
color:
  $type: color
  10:\t
    $value: '#fff'
  on:
    $value: ['{color.10}', '{color.brand.on}']
  bare:
    $value: {color.10}
  gone:
    $value: #fff
space:
  $type: dimension
  a: {$value: 4px}
"""


def test_yaml_is_read_as_json_would_be():
    document, unread = document_of("t.yaml", YAML.encode())
    source = dtcg_files.read([document])
    assert sets_of(source) == {
        "t.yaml": {"color.10": "#fff", "color.bare": "{color.10}", "color.gone": None, "space.a": "4px"},
        "t.yaml [light]": {"color.on": "{color.10}"},
        "t.yaml [dark]": {"color.on": "{color.brand.on}"},
    }
    assert [(each.at.line, "is a comment in YAML" in each.reason) for each in unread] == [(10, True)]
    assert str(token(source, "space.a").at) == "t.yaml:13"


def test_names_that_are_equal_in_code_are_one_token_of_several_modes():
    flat = {"bg": color("#fff"), "bg-hover": color("#eee"), "text": color("{bg-hover}")}
    nested = {"bg": color("#000", hover=color("#111")), "text": color("rgba({bg.hover}, 0.5)")}
    source = read({"light.json": flat, "dark.json": nested})
    assert sets_of(source) == {
        "dark.json": {"bg": "#000", "bg.hover": "#111", "text": "rgba({bg.hover}, 0.5)"},
        "light.json": {"bg": "#fff", "bg.hover": "#eee", "text": "{bg.hover}"},
    }
    assert unread_of(source) == {}


@pytest.mark.parametrize("files", [
    {"t.json": {"a-b": number(1), "a": {"b": number(2)}}},
    {"core.json": {"a": {"b": number(2)}, "x": number(0)}, "semantic.json": {"a-b": number("{a.b}"), "y": number(0)}},
    {
        "light.json": {"a-b": number(1), "a": {"b": number(2)}},
        "dark.json": {"a-b": number(3), "a": {"b": number(4)}},
    },
])  # fmt: skip
def test_names_that_are_equal_in_code_stay_two_tokens_of_a_theme(files):
    source = read(files)
    assert {token.path for _, token in source.tokens()} >= {"a.b", "a-b"}
    (reason,) = unread_of(source).values()
    assert reason == "in code, it has the name of {a.b}, too; rename one of them"
